/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedPlaneProjectiveConstraint: points that forces do not move along a direction n.
 *
 *   residuals, forces, accelerations, search directions: d_i -= n (n.d_i),   n = direction / |direction|
 *
 * The points are those of the indices and, when dmin and dmax differ, those that lie between two planes at the start: dmin < x .
 * direction < dmax. Positions and velocities are left alone. Bodies: their centres. An assembled system knows directions along an axis
 * only, and says so otherwise.
 */
#include "plane_constraint.h"

#include <divan/memory.h>

typedef struct FixedPlaneProjectiveConstraint {
    PlaneConstraint plane;
    DvData dmin, dmax;
} FixedPlaneProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(FixedPlaneProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(FixedPlaneProjectiveConstraint, plane.base, NULL,
                                    "points; those between the planes are added at the start"),
    FIELD(plane.normal, "direction", dv_type_coord,
          .help = "along which the points do not move, of any length; of bodies its first three numbers"),
    FIELD(dmin, "dmin", dv_type_double, .init = "0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
          .help = "first plane: x . direction is larger at its points"),
    FIELD(dmax, "dmax", dv_type_double, .init = "0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
          .help = "second plane: x . direction is smaller; the same as dmin: none"),
    {0},
};

static const DvProjectiveConstraintOps constraint_ops = {PLANE_CONSTRAINT_OPS};

static void describe_operator(void *self, DvOperator *out)
{
    plane_constraint_describe(self, NULL, plane_constraint_version(self), out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = plane_constraint_version, .describe = describe_operator};

/* Adds the points between the planes to the indices, each once. */
static void select_points(FixedPlaneProjectiveConstraint *self)
{
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const double *direction = dv_data_doubles(&self->plane.normal, NULL);
    const uint32_t spatial = self->plane.base.state.dof->rotation ? 3 : self->plane.base.state.dof->deriv;
    const DvConstVec x = dv_state_read(self->plane.base.state, DV_POSITION);
    if (dmin == dmax)
        return;
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->plane.base, &count);
    bool *named = dv_alloc(x.count, sizeof *named);
    for (size_t i = 0; i < count; i++)
        named[index[i]] = true;
    uint32_t *all = dv_data_begin(&self->plane.base.indices, count + x.count);
    for (uint32_t i = 0; i < x.count; i++) {
        double distance = 0.0;
        for (uint32_t c = 0; c < spatial; c++)
            distance += x.at[(size_t)i * x.dim + c] * direction[c];
        if (dmin < distance && distance < dmax && !named[i])
            all[count++] = i;
    }
    (void)dv_data_begin(&self->plane.base.indices, count);
    dv_data_end(&self->plane.base.indices);
    dv_free(named);
}

static DvStatus init(DvObject *object, void *self_)
{
    FixedPlaneProjectiveConstraint *self = self_;
    const DvStatus status = plane_constraint_init(object, &self->plane);
    if (status == DV_OK)
        select_points(self);
    return status;
}

const DvClass dv_fixed_plane_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "FixedPlaneProjectiveConstraint",
    .variants = "Rigid3d Vec3d Vec6d",
    DV_PROJECTIVE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that do not move along a direction, also all those between two planes.",
    .instance_size = sizeof(FixedPlaneProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_OPERATOR, .ops = &operator_ops},
                                      {.id = DV_DRAWABLE, .ops = &dv_projective_drawable},
                                      {0}},
    .init = init,
};
