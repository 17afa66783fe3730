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
#include <divan/kit/projective_constraint.h>

#include <divan/memory.h>

typedef struct FixedPlaneProjectiveConstraint {
    DvProjectiveConstraint base;
    DvData direction, dmin, dmax;
    double unit[DV_PROJECTIVE_COMPONENTS]; /* lent to the operator */
} FixedPlaneProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(FixedPlaneProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(FixedPlaneProjectiveConstraint, base, NULL,
                                    "points; those between the planes are added at the start"),
    FIELD(direction, "direction", dv_type_coord,
          .help = "along which the points do not move, of any length; of bodies its first three numbers"),
    FIELD(dmin, "dmin", dv_type_double, .init = "0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
          .help = "first plane: x . direction is larger at its points"),
    FIELD(dmax, "dmax", dv_type_double, .init = "0", .unit = "m", .flags = DV_FIELD_AT_LOAD,
          .help = "second plane: x . direction is smaller; the same as dmin: none"),
    {0},
};

static void project_response(void *self_, const DvStep *step, const DvVec *d)
{
    FixedPlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && dv_projective_normal(&self->base, &self->direction, n))
        dv_projective_remove_normal(&self->base, n, d);
}

static void fixed(void *self_, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    FixedPlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    if (dv_projective_is_active(&self->base, step) && dv_projective_normal(&self->base, &self->direction, n))
        dv_projective_fix_normal(&self->base, n, fix, context);
}

static bool leaves_out(void *self_)
{
    FixedPlaneProjectiveConstraint *self = self_;
    double n[DV_PROJECTIVE_COMPONENTS];
    return dv_projective_normal(&self->base, &self->direction, n) && dv_projective_is_oblique(&self->base, n);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    FixedPlaneProjectiveConstraint *self = self_;
    return 2 * (dv_data_version(&self->base.indices) + dv_data_version(&self->direction)) +
           (dv_projective_is_active(&self->base, step) ? 1 : 0);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS, .space = DV_HOST,         .project_response = project_response, .fixed = fixed,
    .structure = structure,       .leaves_out = leaves_out,
};

static uint64_t operator_version(void *self_)
{
    FixedPlaneProjectiveConstraint *self = self_;
    return 1 + dv_data_version(&self->base.indices) + dv_data_version(&self->direction) +
           dv_data_version(&self->base.end_time);
}

static void describe_operator(void *self_, DvOperator *out)
{
    static const double none = 0.0;
    FixedPlaneProjectiveConstraint *self = self_;
    memset(self->unit, 0, sizeof self->unit);
    if (dv_projective_normal(&self->base, &self->direction, self->unit))
        dv_projective_describe_normal(&self->base, self->unit, &none, false, operator_version(self), out);
}

static const DvOperatorOps operator_ops = {
    .size = sizeof(DvOperatorOps), .version = operator_version, .describe = describe_operator};

/* Adds the points between the planes to the indices, each once. */
static void select_points(FixedPlaneProjectiveConstraint *self)
{
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const double *direction = dv_data_doubles(&self->direction, NULL);
    const uint32_t spatial = self->base.state.dof->rotation ? 3 : self->base.state.dof->deriv;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    if (dmin == dmax)
        return;
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    bool *named = dv_alloc(x.count, sizeof *named);
    for (size_t i = 0; i < count; i++)
        named[index[i]] = true;
    uint32_t *all = dv_data_begin(&self->base.indices, count + x.count);
    for (uint32_t i = 0; i < x.count; i++) {
        double distance = 0.0;
        for (uint32_t c = 0; c < spatial; c++)
            distance += x.at[(size_t)i * x.dim + c] * direction[c];
        if (dmin < distance && distance < dmax && !named[i])
            all[count++] = i;
    }
    (void)dv_data_begin(&self->base.indices, count);
    dv_data_end(&self->base.indices);
    dv_free(named);
}

static DvStatus init(DvObject *object, void *self_)
{
    FixedPlaneProjectiveConstraint *self = self_;
    const DvStatus status = dv_projective_init(object, &self->base);
    double n[DV_PROJECTIVE_COMPONENTS];
    if (status != DV_OK)
        return status;
    if (!dv_projective_normal(&self->base, &self->direction, n))
        dv_field_warning(&self->direction, -1, "is zero: no point is held; give the normal of the plane");
    select_points(self);
    return DV_OK;
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
