/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PlaneProjectiveConstraint: points that stay in a plane through o with the unit normal n.
 *
 *   positions: x_i -= n (n.(x_i - o));   velocities, residuals, forces, accelerations, search directions: d_i -= n (n.d_i)
 *
 * An assembled system knows normals along an axis only, and says so otherwise.
 */
#include "plane_constraint.h"

typedef struct PlaneProjectiveConstraint {
    PlaneConstraint plane;
    DvData origin, draw_size;
} PlaneProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(PlaneProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(PlaneProjectiveConstraint, plane.base, "0", "points that stay in the plane"),
    FIELD(origin, "origin", dv_type_coord, .unit = "m", .help = "a point of the plane"),
    FIELD(plane.normal, "normal", dv_type_coord, .help = "of the plane, of any length"),
    FIELD(draw_size, "drawSize", dv_type_double, .init = "0", .range = &dv_range_not_negative,
          .flags = DV_FIELD_DRAWING, .group = "Drawing", .help = "radius of a drawn point; 0: some pixels"),
    {0},
};

static void project_position(void *self_, const DvStep *step, const DvVec *x)
{
    PlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (!dv_projective_is_active(&self->plane.base, step) ||
        !dv_projective_normal(&self->plane.base, &self->plane.normal, n))
        return;
    const double *origin = dv_data_doubles(&self->origin, NULL);
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->plane.base, &count);
    for (size_t i = 0; i < count; i++) {
        double *at = x->at + (size_t)index[i] * x->dim, distance = 0.0;
        for (uint32_t c = 0; c < x->dim; c++)
            distance += n[c] * (at[c] - origin[c]);
        for (uint32_t c = 0; c < x->dim; c++)
            at[c] -= n[c] * distance;
    }
}

static const DvProjectiveConstraintOps constraint_ops = {
    PLANE_CONSTRAINT_OPS,
    .project_velocity = plane_constraint_project,
    .project_position = project_position,
};

static uint64_t operator_version(void *self_)
{
    PlaneProjectiveConstraint *self = self_;
    return plane_constraint_version(&self->plane) + dv_data_version(&self->origin);
}

static void describe_operator(void *self_, DvOperator *out)
{
    PlaneProjectiveConstraint *self = self_;
    plane_constraint_describe(&self->plane, dv_data_doubles(&self->origin, NULL), operator_version(self), out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

static void draw(void *self_, DvDraw *draw)
{
    PlaneProjectiveConstraint *self = self_;
    dv_projective_draw(&self->plane.base, draw, false, dv_data_double(&self->draw_size));
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

static DvStatus init(DvObject *object, void *self_)
{
    PlaneProjectiveConstraint *self = self_;
    return plane_constraint_init(object, &self->plane);
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
