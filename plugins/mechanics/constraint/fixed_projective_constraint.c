/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedProjectiveConstraint: points that forces do not move.
 *
 *   residuals, forces, accelerations, search directions: d_i = 0;   velocities: v_i = 0, only when asked for
 *
 * A point that starts with a velocity therefore keeps it, unless activate_projectVelocity is set. From endTime on the points
 * are free, in assembled systems too.
 */
#include <divan/kit/projective_constraint.h>

#include <string.h>

typedef struct FixedProjectiveConstraint {
    DvProjectiveConstraint base;
    DvData fix_all, project_velocity;
    DvData show_object, draw_size;
} FixedProjectiveConstraint;

static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(FixedProjectiveConstraint, base, "0", "points that are fixed"),
    DV_FIELD(FixedProjectiveConstraint, fix_all, "fixAll", dv_type_bool, .init = "0", .help = "fix every point"),
    DV_FIELD(FixedProjectiveConstraint, show_object, "showObject", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the points"),
    DV_FIELD(FixedProjectiveConstraint, draw_size, "drawSize", dv_type_double, .init = "0",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Drawing",
             .help = "radius of a drawn point; 0: some pixels"),
    DV_FIELD(FixedProjectiveConstraint, project_velocity, "activate_projectVelocity", dv_type_bool, .init = "0",
             .help = "also set the velocities to zero"),
    {0},
};

static void clear_points(FixedProjectiveConstraint *self, const DvVec *d)
{
    if (dv_data_bool(&self->fix_all)) {
        memset(d->at, 0, (size_t)d->count * d->dim * sizeof *d->at);
        return;
    }
    dv_projective_clear(&self->base, d);
}

static void project_response(void *self_, const DvStep *step, const DvVec *d)
{
    FixedProjectiveConstraint *self = self_;
    if (dv_projective_is_active(&self->base, step))
        clear_points(self, d);
}

static void project_velocity(void *self_, const DvStep *step, const DvVec *v)
{
    FixedProjectiveConstraint *self = self_;
    if (dv_data_bool(&self->project_velocity) && dv_projective_is_active(&self->base, step))
        clear_points(self, v);
}

static void fixed(void *self_, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    FixedProjectiveConstraint *self = self_;
    if (!dv_projective_is_active(&self->base, step))
        return;
    if (!dv_data_bool(&self->fix_all)) {
        dv_projective_fix(&self->base, fix, context);
        return;
    }
    for (uint32_t i = 0; i < dv_state_count(self->base.state); i++)
        for (uint32_t c = 0; c < self->base.state.dof->deriv; c++)
            fix(context, 0, i, c);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    FixedProjectiveConstraint *self = self_;
    const uint64_t set = dv_data_version(&self->base.indices) * 4 + (dv_data_bool(&self->fix_all) ? 2 : 0);
    return set + (dv_projective_is_active(&self->base, step) ? 1 : 0);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,         .space = DV_HOST, .project_response = project_response,
    .project_velocity = project_velocity, .fixed = fixed,   .structure = structure,
};

static void draw(void *self_, DvDraw *draw)
{
    FixedProjectiveConstraint *self = self_;
    if (dv_data_bool(&self->show_object))
        dv_projective_draw(&self->base, draw, dv_data_bool(&self->fix_all), dv_data_double(&self->draw_size));
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

static DvStatus init(DvObject *object, void *self)
{
    return dv_projective_init(object, &((FixedProjectiveConstraint *)self)->base);
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
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
};
