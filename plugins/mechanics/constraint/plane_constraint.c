/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What constraints share that take the part along a direction out of motions; see the header.
 */
#include "plane_constraint.h"

static bool unit_normal(PlaneConstraint *self, double n[DV_PROJECTIVE_COMPONENTS])
{
    return dv_projective_normal(&self->base, &self->normal, n);
}

void plane_constraint_project(void *self_, const DvStep *step, const DvVec *d)
{
    PlaneConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && unit_normal(self, n))
        dv_projective_remove_normal(&self->base, n, d);
}

void plane_constraint_fixed(void *self_, const DvStep *step,
                            void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component),
                            void *context)
{
    PlaneConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && unit_normal(self, n))
        dv_projective_fix_normal(&self->base, n, fix, context);
}

bool plane_constraint_leaves_out(void *self_)
{
    PlaneConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    return unit_normal(self, n) && dv_projective_is_oblique(&self->base, n);
}

uint64_t plane_constraint_structure(void *self_, const DvStep *step)
{
    PlaneConstraint *self = self_;
    return 2 * (dv_data_version(&self->base.indices) + dv_data_version(&self->normal)) +
           (dv_projective_is_active(&self->base, step) ? 1 : 0);
}

uint64_t plane_constraint_version(void *self_)
{
    PlaneConstraint *self = self_;
    return 1 + dv_data_version(&self->base.indices) + dv_data_version(&self->normal) +
           dv_data_version(&self->base.end_time);
}

void plane_constraint_describe(PlaneConstraint *self, const double *origin, uint64_t version, DvOperator *out)
{
    memset(self->unit, 0, sizeof self->unit);
    if (!unit_normal(self, self->unit))
        return;
    self->offset = 0.0;
    for (uint32_t c = 0; origin && c < self->base.state.dof->coord && c < DV_PROJECTIVE_COMPONENTS; c++)
        self->offset += self->unit[c] * origin[c];
    dv_projective_describe_normal(&self->base, self->unit, &self->offset, origin != NULL, version, out);
}

DvStatus plane_constraint_init(DvObject *object, PlaneConstraint *self)
{
    double n[DV_PROJECTIVE_COMPONENTS];
    const DvStatus status = dv_projective_init(object, &self->base);
    if (status == DV_OK && !unit_normal(self, n))
        dv_field_warning(&self->normal, -1, "is zero: no point is held; give the normal of the plane");
    return status;
}
