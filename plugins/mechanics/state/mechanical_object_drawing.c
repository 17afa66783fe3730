/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of a MechanicalObject is shown: points or spheres or frames, numbers, velocities.
 */
#include "mechanical_object.h"

#include <divan/contracts/drawing.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "vector_arithmetic.h"

static void draw_object(MechanicalObject *self, DvDraw *draw, const double *points, const double *color)
{
    static const double colors[][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    const double size = dv_data_double(&self->show_object_scale);
    const int32_t mode = dv_data_int(&self->draw_mode);
    if (self->dof == &dv_rigid3d) {
        draw->ops->frames(draw, mechanical_object_read(self, DV_POSITION, DV_HOST), self->count, size);
    } else if (mode <= 0) {
        draw->ops->points(draw, points, self->count, size > 1.0 ? size : 1.0, color);
    } else {
        double *radii = dv_alloc(self->count, sizeof *radii);
        dv_array_fill(radii, self->count, size);
        draw->ops->spheres(draw, points, radii, self->count, mode >= 2 && mode <= 4 ? colors[mode - 2] : color);
        dv_free(radii);
    }
}

static void draw_velocities(MechanicalObject *self, DvDraw *draw, const double *points, const double *color)
{
    const double length = dv_data_double(&self->show_vectors_scale);
    const uint32_t deriv = self->dof->deriv;
    const double *v = mechanical_object_read(self, DV_VELOCITY, DV_HOST);
    double *ends = dv_alloc(self->count, 6 * sizeof *ends);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < 3; c++) {
            ends[(size_t)i * 6 + c] = points[(size_t)i * 3 + c];
            ends[(size_t)i * 6 + 3 + c] =
                points[(size_t)i * 3 + c] + (c < self->dof->spatial ? length * v[(size_t)i * deriv + c] : 0.0);
        }
    draw->ops->lines(draw, ends, self->count, 1.0, color);
    dv_free(ends);
}

static void draw(void *self_, DvDraw *draw)
{
    MechanicalObject *self = self_;
    const bool object = dv_data_bool(&self->show_object), indices = dv_data_bool(&self->show_indices);
    const bool vectors = dv_data_bool(&self->show_vectors);
    if (!dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || self->count == 0 || !(object || indices || vectors))
        return;
    const double *color = dv_data_doubles(&self->show_color, NULL);
    const DvConstVec x = {
        .at = mechanical_object_read(self, DV_POSITION, DV_HOST), .count = self->count, .dim = self->dof->coord};
    double *points = dv_points_in_space(x, self->dof->spatial);
    if (object)
        draw_object(self, draw, points, color);
    if (indices)
        dv_draw_numbers(draw, points, self->count, dv_data_double(&self->show_indices_scale), color);
    if (vectors)
        draw_velocities(self, draw, points, color);
    dv_free(points);
}

const DvDrawableOps mechanical_object_drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};
