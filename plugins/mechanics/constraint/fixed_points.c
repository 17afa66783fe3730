/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fixed_points.h"

#include <string.h>

static void clear_point(const FixedComponents *components, const DvVec *d, uint32_t point)
{
    for (uint32_t c = 0; c < d->dim; c++)
        if (components->at[c])
            d->at[(size_t)point * d->dim + c] = 0.0;
}

void fixed_points_clear(FixedPoints *self, const FixedComponents *components, const DvVec *d)
{
    const bool all = dv_data_bool(&self->fix_all);
    size_t count = 0;
    if (!components && all) {
        memset(d->at, 0, (size_t)d->count * d->dim * sizeof *d->at);
        return;
    }
    if (!components) {
        dv_projective_clear(&self->base, d);
        return;
    }
    const uint32_t *index = all ? NULL : dv_projective_indices(&self->base, &count);
    for (uint32_t i = 0; all && i < d->count; i++)
        clear_point(components, d, i);
    for (size_t i = 0; i < count; i++)
        clear_point(components, d, index[i]);
}

void fixed_points_fix(FixedPoints *self, const FixedComponents *components,
                      void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    const bool all = dv_data_bool(&self->fix_all);
    size_t count = dv_state_count(self->base.state);
    const uint32_t *index = all ? NULL : dv_projective_indices(&self->base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < self->base.state.dof->deriv; c++)
            if (!components || components->at[c])
                fix(context, 0, all ? (uint32_t)i : index[i], c);
}

uint64_t fixed_points_structure(FixedPoints *self, const DvStep *step)
{
    const uint64_t set = dv_data_version(&self->base.indices) * 4 + (dv_data_bool(&self->fix_all) ? 2 : 0);
    return set + (dv_projective_is_active(&self->base, step) ? 1 : 0);
}

static void draw(void *self_, DvDraw *draw)
{
    FixedPoints *self = self_;
    if (dv_data_bool(&self->show_object))
        dv_projective_draw(&self->base, draw, dv_data_bool(&self->fix_all), dv_data_double(&self->draw_size));
}

const DvDrawableOps fixed_points_drawable = {.size = sizeof(DvDrawableOps), .draw = draw};
