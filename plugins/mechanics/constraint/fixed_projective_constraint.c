/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedProjectiveConstraint: points that forces do not move.
 *
 *   residuals, forces, accelerations, search directions: d_i = 0;   velocities: v_i = 0, only when asked for
 *
 * A point that starts with a velocity therefore keeps it, unless activate_projectVelocity is set. From endTime on the points
 * are free, in assembled systems too.
 */
#include "fixed_points.h"

#include <divan/contracts/operator.h>

typedef struct FixedProjectiveConstraint {
    FixedPoints fixed;
} FixedProjectiveConstraint;

static const DvField fields[] = {
    FIXED_POINTS_FIELDS(FixedProjectiveConstraint, fixed),
    DV_FIELD(FixedProjectiveConstraint, fixed.project_velocity, "activate_projectVelocity", dv_type_bool, .init = "0",
             .help = "also set the velocities to zero"),
    {0},
};

static void project_response(void *self, const DvStep *step, const DvVec *d)
{
    if (dv_projective_is_active(self, step))
        fixed_points_clear(self, NULL, d);
}

static void project_velocity(void *self, const DvStep *step, const DvVec *v)
{
    if (dv_data_bool(&((FixedPoints *)self)->project_velocity) && dv_projective_is_active(self, step))
        fixed_points_clear(self, NULL, v);
}

static void fixed(void *self, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    if (dv_projective_is_active(self, step))
        fixed_points_fix(self, NULL, fix, context);
}

static uint64_t structure(void *self, const DvStep *step)
{
    return fixed_points_structure(self, step);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,         .space = DV_HOST, .project_response = project_response,
    .project_velocity = project_velocity, .fixed = fixed,   .structure = structure,
};

/* What is fixed, the constraint says; whether velocities are too, this. */
static uint64_t operator_version(void *self)
{
    return dv_data_version(&((FixedPoints *)self)->project_velocity);
}

static void describe_operator(void *self, DvOperator *out)
{
    static const uint32_t yes = 1, no = 0;
    out->name = "fixed points";
    dv_operator_add_indices(out, "velocities", dv_data_bool(&((FixedPoints *)self)->project_velocity) ? &yes : &no, 1,
                            1, operator_version(self));
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static DvStatus init(DvObject *object, void *self)
{
    return dv_projective_init(object, self);
}

const DvClass dv_fixed_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "FixedProjectiveConstraint",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    DV_PROJECTIVE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that do not move.",
    .instance_size = sizeof(FixedProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &fixed_points_drawable},
                                      {0}},
    .init = init,
};
