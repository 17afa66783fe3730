/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedProjectiveConstraint: points that forces do not move.
 *
 *   residuals, forces, accelerations, search directions: d_i = 0;   velocities: v_i = 0, only when asked for
 *
 * A point that starts with a velocity therefore keeps it, unless activate_projectVelocity is set. From endTime on the points
 * are free, in assembled systems too.
 */
#include <string.h>

#include <divan/contracts/projective_constraint.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/visual.h>
#include <divan/memory.h>

#include "state/point_set.h"

typedef struct FixedProjectiveConstraint {
    DvData group, end_time, indices, fix_all, project_velocity;
    DvData show_object, draw_size;
    DvLink mstate, topology_link;

    DvStateRef state;         /* ops is NULL until it is found */
    uint64_t indices_version; /* that was checked against the state... */
    uint32_t checked_points;  /* ...when it had this size */
    PointSet points;
} FixedProjectiveConstraint;

static const DvField fields[] = {
    DV_FIELD(FixedProjectiveConstraint, group, "group", dv_type_int, .init = "0",
             .help = "number for scenes to tell constraints apart; does nothing"),
    DV_FIELD(FixedProjectiveConstraint, end_time, "endTime", dv_type_double, .init = "-1", .unit = "s",
             .help = "time from which the points are free; negative: never"),
    DV_FIELD(FixedProjectiveConstraint, indices, "indices", dv_type_uints, .init = "0",
             .help = "points that are fixed"),
    DV_FIELD(FixedProjectiveConstraint, fix_all, "fixAll", dv_type_bool, .init = "0", .help = "fix every point"),
    DV_FIELD(FixedProjectiveConstraint, show_object, "showObject", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "draw the points"),
    DV_FIELD(FixedProjectiveConstraint, draw_size, "drawSize", dv_type_double, .init = "0", .flags = DV_FIELD_DRAWING,
             .group = "Drawing", .help = "radius of a drawn point; 0: some pixels"),
    DV_FIELD(FixedProjectiveConstraint, project_velocity, "activate_projectVelocity", dv_type_bool, .init = "0",
             .help = "also set the velocities to zero"),
    DV_LINK(FixedProjectiveConstraint, mstate, "mstate", DV_STATE,
            .aliases = (const char *const[]){"mechanicalStates", NULL},
            .help = "state that is constrained; by default that of the node"),
    DV_LINK(FixedProjectiveConstraint, topology_link, "topology", DV_TOPOLOGY,
            .help = "topology that the indices follow; by default that of the node"),
    {0},
};

static bool is_active(FixedProjectiveConstraint *self, const DvStep *step)
{
    const double end = dv_data_double(&self->end_time);
    return end < 0.0 || end > step->time;
}

/* The indices, all within the state. */
static const uint32_t *checked_indices(FixedProjectiveConstraint *self, size_t *count)
{
    const uint32_t points = dv_state_count(self->state);
    if (dv_data_version(&self->indices) != self->indices_version || points != self->checked_points) {
        self->checked_points = points;
        (void)point_set_remove_out_of_range(&self->indices, points);
        self->indices_version = dv_data_version(&self->indices);
    }
    return dv_data_uints(&self->indices, count);
}

static void clear_points(FixedProjectiveConstraint *self, const DvVec *d)
{
    if (dv_data_bool(&self->fix_all)) {
        memset(d->at, 0, (size_t)d->count * d->dim * sizeof *d->at);
        return;
    }
    size_t count;
    const uint32_t *index = checked_indices(self, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < d->dim; c++)
            d->at[(size_t)index[i] * d->dim + c] = 0.0;
}

static uint32_t states(void *self_, DvObject *objects[2])
{
    const FixedProjectiveConstraint *self = self_;
    objects[0] = self->state.object;
    return self->state.ops ? 1 : 0;
}

static void project_response(void *self_, const DvStep *step, const DvVec *d)
{
    FixedProjectiveConstraint *self = self_;
    if (is_active(self, step))
        clear_points(self, d);
}

static void project_velocity(void *self_, const DvStep *step, const DvVec *v)
{
    FixedProjectiveConstraint *self = self_;
    if (dv_data_bool(&self->project_velocity) && is_active(self, step))
        clear_points(self, v);
}

static void fixed(void *self_, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    FixedProjectiveConstraint *self = self_;
    if (!is_active(self, step))
        return;
    const uint32_t dim = self->state.dof->deriv;
    const bool all = dv_data_bool(&self->fix_all);
    size_t count = dv_state_count(self->state);
    const uint32_t *index = all ? NULL : checked_indices(self, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < dim; c++)
            fix(context, 0, all ? (uint32_t)i : index[i], c);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    FixedProjectiveConstraint *self = self_;
    const uint64_t set = dv_data_version(&self->indices) * 4 + (dv_data_bool(&self->fix_all) ? 2 : 0);
    return set + (is_active(self, step) ? 1 : 0);
}

static const DvProjectiveConstraintOps constraint_ops = {
    .size = sizeof(DvProjectiveConstraintOps),
    .space = DV_HOST,
    .states = states,
    .project_response = project_response,
    .project_velocity = project_velocity,
    .fixed = fixed,
    .structure = structure,
};

static void draw(void *self_, DvDraw *draw)
{
    static const double red[4] = {1.0, 0.5, 0.5, 1.0};
    FixedProjectiveConstraint *self = self_;
    if (!self->state.ops || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS) || !dv_data_bool(&self->show_object))
        return;
    const DvConstVec x = dv_state_read(self->state, DV_POSITION);
    const bool all = dv_data_bool(&self->fix_all);
    size_t count = x.count;
    const uint32_t *index = all ? NULL : checked_indices(self, &count);
    const double radius = dv_data_double(&self->draw_size);
    double *points = dv_alloc(count, 3 * sizeof *points), *radii = dv_alloc(count, sizeof *radii);
    for (size_t i = 0; i < count; i++) {
        memcpy(points + 3 * i, x.at + (size_t)(all ? i : index[i]) * x.dim, self->state.dof->spatial * sizeof *points);
        radii[i] = radius;
    }
    if (radius > 0.0)
        draw->ops->spheres(draw, points, radii, (uint32_t)count, red);
    else
        draw->ops->points(draw, points, (uint32_t)count, 10.0, red);
    dv_free(points);
    dv_free(radii);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

static DvStatus init(DvObject *object, void *self_)
{
    FixedProjectiveConstraint *self = self_;
    const DvStatus status = dv_state_require(object, &self->mstate, &self->state);
    if (status != DV_OK)
        return status;
    size_t count;
    (void)checked_indices(self, &count);
    DvObject *topology = point_set_topology(object, &self->topology_link);
    if (!topology)
        return DV_OK;
    self->points.indices = &self->indices;
    self->points.takes_new = false;
    return point_set_follow(&self->points, topology);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    FixedProjectiveConstraint *self = self_;
    point_set_leave(&self->points);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    FixedProjectiveConstraint *self = self_;
    dv_state_release(&self->state);
}

static const DvVariantSource sources[] = {{.attribute = "mstate", .path = "", .contract = DV_STATE}, {0}};

const DvClass dv_fixed_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "FixedProjectiveConstraint",
    .variants = "Rigid2d Rigid3d Vec1d Vec2d Vec3d Vec6d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = sources,
    .bases = (const char *const[]){"ProjectiveConstraintSet", "BaseProjectiveConstraintSet", NULL},
    .family = "projective constraints",
    .module = "Sofa.Component.Constraint.Projective",
    .help = "Points that do not move.",
    .instance_size = sizeof(FixedProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
