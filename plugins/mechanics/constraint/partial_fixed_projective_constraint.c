/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PartialFixedProjectiveConstraint: points that forces do not move along some axes.
 *
 *   residuals, forces, accelerations, search directions: d_ic = 0 where fixedDirections[c];   velocities: likewise, only when asked for
 *
 * A direction is a component of the velocity: of rigid bodies three along the axes of the world, then three about them. From endTime on
 * the points are free, in assembled systems too.
 */
#include "fixed_points.h"

typedef struct PartialFixedProjectiveConstraint {
    FixedPoints fixed; /* first */
    DvData directions;
} PartialFixedProjectiveConstraint;

static const DvField fields[] = {
    FIXED_POINTS_FIELDS(PartialFixedProjectiveConstraint, fixed),
    DV_FIELD(PartialFixedProjectiveConstraint, directions, "fixedDirections", dv_type_bools,
             .help = "which components of the velocity are held, one each; those that are not given are"),
    DV_FIELD(PartialFixedProjectiveConstraint, fixed.project_velocity, "projectVelocity", dv_type_bool, .init = "0",
             .help = "also set the velocities along them to zero"),
    DV_FIELD_HELD("activate_projectVelocity", dv_type_bool, .init = "0",
                  .help = "kept for old scenes: projectVelocity takes its place"),
    {0},
};

static FixedComponents components(PartialFixedProjectiveConstraint *self)
{
    size_t count;
    const bool *given = dv_data_bools(&self->directions, &count);
    FixedComponents result;
    for (size_t c = 0; c < DV_PROJECTIVE_COMPONENTS; c++)
        result.at[c] = c >= count || given[c];
    return result;
}

static void project_response(void *self, const DvStep *step, const DvVec *d)
{
    const FixedComponents held = components(self);
    if (dv_projective_is_active(self, step))
        fixed_points_clear(self, &held, d);
}

static void project_velocity(void *self, const DvStep *step, const DvVec *v)
{
    const FixedComponents held = components(self);
    if (dv_data_bool(&((FixedPoints *)self)->project_velocity) && dv_projective_is_active(self, step))
        fixed_points_clear(self, &held, v);
}

static void fixed(void *self, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    const FixedComponents held = components(self);
    if (dv_projective_is_active(self, step))
        fixed_points_fix(self, &held, fix, context);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    PartialFixedProjectiveConstraint *self = self_;
    return fixed_points_structure(&self->fixed, step) + 4 * dv_data_version(&self->directions);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,         .space = DV_HOST, .project_response = project_response,
    .project_velocity = project_velocity, .fixed = fixed,   .structure = structure,
};

static DvStatus init(DvObject *object, void *self_)
{
    PartialFixedProjectiveConstraint *self = self_;
    const DvStatus status = dv_projective_init(object, &self->fixed.base);
    if (status != DV_OK)
        return status;
    size_t count, held = 0;
    const bool *given = dv_data_bools(&self->directions, &count);
    const size_t all = self->fixed.base.state.dof->deriv;
    for (size_t c = 0; c < all; c++)
        held += c >= count || given[c];
    if (count > 0 && count != all)
        dv_field_warning(&self->directions, -1, "holds %zu directions, but a point of %s has %zu: %s", count,
                         self->fixed.base.state.dof->name, all,
                         count < all ? "the missing ones are held" : "the rest is left out");
    if (held == 0)
        dv_field_warning(&self->directions, -1, "no direction is held: the points are free");
    return DV_OK;
}

const DvClass dv_partial_fixed_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "PartialFixedProjectiveConstraint",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = dv_single_state_sources,
    .family = "projective constraints",
    .bases = (const char *const[]){"FixedProjectiveConstraint", "ProjectiveConstraintSet",
                                   "BaseProjectiveConstraintSet", NULL},
    .cleanup = dv_projective_cleanup,
    .destroy = dv_projective_destroy,
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that do not move along some axes.",
    .instance_size = sizeof(PartialFixedProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_DRAWABLE, .ops = &fixed_points_drawable},
                                      {0}},
    .init = init,
};
