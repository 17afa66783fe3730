/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PlaneProjectiveConstraint: points that stay in a plane through o with the unit normal n.
 *
 *   positions: x_i -= n (n.(x_i - o));   velocities, residuals, forces, accelerations, search directions: d_i -= n (n.d_i)
 *
 * An assembled system knows normals along an axis only, and says so otherwise.
 */
#include <divan/kit/projective_constraint.h>

typedef struct PlaneProjectiveConstraint {
    DvProjectiveConstraint base;
    DvData origin, normal, draw_size;
    double unit[DV_PROJECTIVE_COMPONENTS], offset; /* lent to the operator */
} PlaneProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(PlaneProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(PlaneProjectiveConstraint, base, "0", "points that stay in the plane"),
    FIELD(origin, "origin", dv_type_coord, .unit = "m", .help = "a point of the plane"),
    FIELD(normal, "normal", dv_type_coord, .help = "of the plane, of any length"),
    FIELD(draw_size, "drawSize", dv_type_double, .init = "0", .range = &dv_range_not_negative,
          .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "radius of a drawn point; 0: some pixels"),
    {0},
};

static void project(void *self_, const DvStep *step, const DvVec *d)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && dv_projective_normal(&self->base, &self->normal, n))
        dv_projective_remove_normal(&self->base, n, d);
}

static void project_position(void *self_, const DvStep *step, const DvVec *x)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (!dv_projective_is_active(&self->base, step) || !dv_projective_normal(&self->base, &self->normal, n))
        return;
    const double *origin = dv_data_doubles(&self->origin, NULL);
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    for (size_t i = 0; i < count; i++) {
        double *at = x->at + (size_t)index[i] * x->dim, distance = 0.0;
        for (uint32_t c = 0; c < x->dim; c++)
            distance += n[c] * (at[c] - origin[c]);
        for (uint32_t c = 0; c < x->dim; c++)
            at[c] -= n[c] * distance;
    }
}

static void fixed(void *self_, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && dv_projective_normal(&self->base, &self->normal, n))
        dv_projective_fix_normal(&self->base, n, fix, context);
}

static bool leaves_out(void *self_)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    return dv_projective_normal(&self->base, &self->normal, n) && dv_projective_is_oblique(&self->base, n);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    PlaneProjectiveConstraint *self = self_;
    return 2 * (dv_data_version(&self->base.indices) + dv_data_version(&self->normal)) +
           (dv_projective_is_active(&self->base, step) ? 1 : 0);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,         .space = DV_HOST, .project_response = project, .project_velocity = project,
    .project_position = project_position, .fixed = fixed,   .structure = structure,      .leaves_out = leaves_out,
};

static uint64_t operator_version(void *self_)
{
    PlaneProjectiveConstraint *self = self_;
    return 1 + dv_data_version(&self->base.indices) + dv_data_version(&self->normal) + dv_data_version(&self->origin) +
           dv_data_version(&self->base.end_time);
}

static void describe_operator(void *self_, DvOperator *out)
{
    PlaneProjectiveConstraint *self = self_;
    const double *origin = dv_data_doubles(&self->origin, NULL);
    memset(self->unit, 0, sizeof self->unit);
    if (!dv_projective_normal(&self->base, &self->normal, self->unit))
        return;
    self->offset = 0.0;
    for (uint32_t c = 0; c < self->base.state.dof->coord && c < DV_PROJECTIVE_COMPONENTS; c++)
        self->offset += self->unit[c] * origin[c];
    dv_projective_describe_normal(&self->base, self->unit, &self->offset, true, operator_version(self), out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static void draw(void *self_, DvDraw *draw)
{
    PlaneProjectiveConstraint *self = self_;
    dv_projective_draw(&self->base, draw, false, dv_data_double(&self->draw_size));
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

static DvStatus init(DvObject *object, void *self_)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    const DvStatus status = dv_projective_init(object, &self->base);
    if (status == DV_OK && !dv_projective_normal(&self->base, &self->normal, n))
        dv_field_warning(&self->normal, -1, "is zero: no point is held; give the normal of the plane");
    return status;
}

const DvClass dv_plane_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "PlaneProjectiveConstraint",
    .variants = "Vec2d Vec3d",
    DV_PROJECTIVE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that stay in a plane.",
    .instance_size = sizeof(PlaneProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
};
