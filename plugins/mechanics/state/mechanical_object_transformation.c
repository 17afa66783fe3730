/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the points of a MechanicalObject are at the start: scaled, turned, moved. Rotations turn orientations too.
 */
#include "mechanical_object.h"

#include <string.h>

#include <divan/math/rigid.h>

void mechanical_object_scale(MechanicalObject *self, const double *factors)
{
    if (factors[0] == 1.0 && factors[1] == 1.0 && factors[2] == 1.0)
        return;
    const uint32_t dim = self->dof->coord, leading = dim < 3 ? dim : 3;
    double *at = mechanical_object_write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < leading; c++)
            at[(size_t)i * dim + c] *= factors[c];
}

void mechanical_object_rotate(MechanicalObject *self, const double *degrees)
{
    if (degrees[0] == 0.0 && degrees[1] == 0.0 && degrees[2] == 0.0)
        return;
    const DvQuat q = dv_quat_from_euler_degrees(dv_vec3_load(degrees));
    const uint32_t dim = self->dof->coord, spatial = self->dof->spatial;
    double *at = mechanical_object_write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++) {
        double *x = at + (size_t)i * dim, p[3] = {0, 0, 0};
        memcpy(p, x, spatial * sizeof *x);
        dv_vec3_store(dv_quat_rotate(q, dv_vec3_load(p)), p);
        memcpy(x, p, spatial * sizeof *x);
        if (self->dof == &dv_rigid3d)
            dv_quat_store(dv_quat_mul(q, dv_quat_load(x + 3)), x + 3);
    }
}

void mechanical_object_translate(MechanicalObject *self, const double *by)
{
    if (by[0] == 0.0 && by[1] == 0.0 && by[2] == 0.0)
        return;
    const uint32_t dim = self->dof->coord;
    double *at = mechanical_object_write(self, DV_POSITION, DV_HOST, DV_READ_WRITE);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t c = 0; c < self->dof->spatial; c++)
            at[(size_t)i * dim + c] += by[c];
}
