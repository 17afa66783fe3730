/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and blocks of force fields whose points do not see each other; see divan/kit/point_force_field.h.
 */
#include <divan/kit/point_force_field.h>

#include "class_ops.h"

enum { MOST = 6 }; /* derivatives of a point */

DvStatus dv_point_force_field_init(DvObject *object, void *self_)
{
    DvPointForceField *self = self_;
    self->ops = dv_class_ops(object, DV_FORCE_FIELD);
    return dv_single_state_init(object, &self->base);
}

void dv_point_force_field_cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_single_state_release(&((DvPointForceField *)self)->base);
}

void dv_point_force_field_add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx,
                                     const DvVec *df)
{
    const DvPointForceField *self = self_;
    const uint32_t size = df->dim;
    (void)step;
    for (uint32_t point = 0; point < df->count; point++) {
        double block[MOST * MOST] = {0};
        self->ops->add_block(self_, point, size, k, b, block);
        const double *from = dx->at + (size_t)size * point;
        double *to = df->at + (size_t)size * point;
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t j = 0; j < size; j++)
                to[i] += block[size * i + j] * from[j];
    }
}

void dv_point_force_field_reserve(void *self, DvPattern *pattern)
{
    const uint32_t points = dv_state_count(((DvPointForceField *)self)->base.state);
    for (uint32_t point = 0; point < points; point++)
        dv_pattern_add(pattern, point, point);
}

void dv_point_force_field_assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    const DvPointForceField *self = self_;
    const uint32_t points = dv_state_count(self->base.state), size = self->base.state.dof->deriv;
    (void)step;
    for (uint32_t point = 0; point < points; point++) {
        double block[MOST * MOST] = {0};
        self->ops->add_block(self_, point, size, k, b, block);
        dv_view_add(view, point, block, 1.0);
    }
}

uint64_t dv_point_force_field_structure(void *self)
{
    return dv_state_count(((DvPointForceField *)self)->base.state);
}
