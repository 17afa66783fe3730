/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LinearMovementProjectiveConstraint: points that move as told, linearly between the movements of key times.
 *
 *   m(t) = m_k + (m_k+1 - m_k) (t - t_k) / (t_k+1 - t_k),   t_k <= t < t_k+1
 *   positions: x_i = x0_i + m(t), or m(t);   velocities: (m_k+1 - m_k) / (t_k+1 - t_k);   residuals, forces...: 0
 *
 * t is the time at the beginning of the step, x0 are the positions when they are projected first. Of a movement of a body the last
 * three numbers are Euler angles about x, y, z in radians; rotations are interpolated between those of the keys. Before the first and
 * from the last key time on the points are free, in assembled systems too.
 */
#include <divan/kit/projective_constraint.h>

#include <divan/contracts/report.h>

#include <divan/math/quat.h>
#include <divan/memory.h>

enum { MOST_COMPONENTS = 6 };

typedef struct LinearMovementProjectiveConstraint {
    DvProjectiveConstraint base;
    DvData key_times, movements, relative, show_movement;
} LinearMovementProjectiveConstraint;

#define FIELD(member, name, type, ...) DV_FIELD(LinearMovementProjectiveConstraint, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_PROJECTIVE_CONSTRAINT_FIELDS(LinearMovementProjectiveConstraint, base, "0", "points that are moved"),
    DV_PROJECTIVE_CONSTRAINT_START_FIELD(LinearMovementProjectiveConstraint, base),
    FIELD(
        key_times, "keyTimes", dv_type_doubles, .init = "0", .unit = "s",
        .help =
            "times of the movements, ascending; from the last one on the points are free, so give one after the end to "
            "hold them"),
    FIELD(movements, "movements", dv_type_derivs, .unit = "m, rad", .help = "movement at each key time"),
    FIELD(relative, "relativeMovements", dv_type_bool, .init = "1",
          .help = "movements start where the points were at first; otherwise they are positions"),
    FIELD(show_movement, "showMovement", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw where the points are taken"),
    {0},
};

typedef struct Movement { /* between two keys */
    double fraction, duration;
    const double *from, *to;
} Movement;

/* False: the points are free. */
static bool movement_at(LinearMovementProjectiveConstraint *self, const DvStep *step, Movement *m)
{
    size_t keys, movements, after = 0;
    const double *time = dv_data_doubles(&self->key_times, &keys), t = step->time;
    const double *movement = dv_data_doubles(&self->movements, &movements);
    while (after < keys && time[after] <= t)
        after++;
    if (after == 0 || after == keys || movements < keys || !dv_projective_is_active(&self->base, step))
        return false;
    const uint32_t dim = self->base.state.dof->deriv;
    m->duration = time[after] - time[after - 1];
    m->fraction = (t - time[after - 1]) / m->duration;
    m->from = movement + (after - 1) * dim;
    m->to = movement + after * dim;
    return true;
}

static void project_response(void *self_, const DvStep *step, const DvVec *d)
{
    LinearMovementProjectiveConstraint *self = self_;
    Movement m;
    if (movement_at(self, step, &m))
        dv_projective_clear(&self->base, d);
}

static void project_velocity(void *self_, const DvStep *step, const DvVec *v)
{
    LinearMovementProjectiveConstraint *self = self_;
    Movement m;
    if (!movement_at(self, step, &m))
        return;
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < v->dim; c++)
            v->at[(size_t)index[i] * v->dim + c] = (m.to[c] - m.from[c]) / m.duration;
}

static DvQuat rotation_of(const Movement *m)
{
    return dv_quat_slerp_no_flip(dv_quat_from_euler(dv_vec3_load(m->from + 3)),
                                 dv_quat_from_euler(dv_vec3_load(m->to + 3)), m->fraction);
}

static void project_position(void *self_, const DvStep *step, const DvVec *x)
{
    LinearMovementProjectiveConstraint *self = self_;
    const double *start = dv_projective_start(&self->base, x);
    Movement m;
    if (!movement_at(self, step, &m))
        return;
    const bool relative = dv_data_bool(&self->relative), turns = self->base.state.dof->rotation;
    const uint32_t linear = turns ? 3 : x->dim;
    const DvQuat rotation = turns ? rotation_of(&m) : dv_quat_identity();
    size_t count;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    for (size_t i = 0; i < count; i++) {
        double *at = x->at + (size_t)index[i] * x->dim;
        const double *from = start + i * x->dim;
        for (uint32_t c = 0; c < linear; c++)
            at[c] = (relative ? from[c] : 0.0) + m.from[c] + (m.to[c] - m.from[c]) * m.fraction;
        if (turns)
            dv_quat_store(relative ? dv_quat_mul(dv_quat_load(from + 3), rotation) : rotation, at + 3);
    }
}

static void fixed(void *self_, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context)
{
    LinearMovementProjectiveConstraint *self = self_;
    Movement m;
    if (movement_at(self, step, &m))
        dv_projective_fix(&self->base, fix, context);
}

static uint64_t structure(void *self_, const DvStep *step)
{
    LinearMovementProjectiveConstraint *self = self_;
    Movement m;
    return 2 * dv_data_version(&self->base.indices) + (movement_at(self, step, &m) ? 1 : 0);
}

static const DvProjectiveConstraintOps constraint_ops = {
    DV_PROJECTIVE_CONSTRAINT_OPS,
    .space = DV_HOST,
    .project_response = project_response,
    .project_velocity = project_velocity,
    .project_position = project_position,
    .fixed = fixed,
    .structure = structure,
};

/* Where a point is at a key: at a place of its own, or moved from where it was first.     start: of the point, or NULL */
static void place_at_key(const LinearMovementProjectiveConstraint *self, const double *start, const double *movement,
                         double place[3])
{
    for (uint32_t c = 0; c < self->base.state.dof->spatial; c++)
        place[c] = (start ? start[c] : 0.0) + movement[c];
}

/* Lines from key to key, for each point. */
static void draw_movement(LinearMovementProjectiveConstraint *self, DvDraw *draw)
{
    static const double red[4] = {1.0, 0.5, 0.5, 1.0};
    size_t count, keys, movements, starts;
    const uint32_t *index = dv_projective_indices(&self->base, &count);
    (void)dv_data_doubles(&self->key_times, &keys);
    const double *movement = dv_data_doubles(&self->movements, &movements);
    const double *start = dv_data_doubles(&self->base.start, &starts);
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    const uint32_t dim = self->base.state.dof->deriv;
    if (keys < 2 || movements < keys || count == 0)
        return;
    double *ends = dv_alloc(count * (keys - 1), 6 * sizeof *ends), *to = ends;
    for (size_t i = 0; i < count; i++) {
        const double *from = starts == count * x.dim ? start + i * x.dim : x.at + (size_t)index[i] * x.dim;
        if (!dv_data_bool(&self->relative))
            from = NULL;
        for (size_t k = 0; k + 1 < keys; k++, to += 6) {
            place_at_key(self, from, movement + k * dim, to);
            place_at_key(self, from, movement + (k + 1) * dim, to + 3);
        }
    }
    draw->ops->lines(draw, ends, (uint32_t)(count * (keys - 1)), 1.0, red);
    dv_free(ends);
}

static void draw(void *self_, DvDraw *draw)
{
    LinearMovementProjectiveConstraint *self = self_;
    dv_projective_draw(&self->base, draw, false, 0.0);
    if (dv_data_bool(&self->show_movement) && self->base.state.ops && dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        draw_movement(self, draw);
}

static const DvDrawableOps drawable_ops = {.size = sizeof(DvDrawableOps), .draw = draw};

/* What surprises those who expect the last movement to hold, and to be reached at its time. */
static void report(void *self_, DvReportLine line, void *context)
{
    LinearMovementProjectiveConstraint *self = self_;
    size_t keys;
    const double *time = dv_data_doubles(&self->key_times, &keys);
    DvText text = {0};
    if (keys == 0)
        return;
    dv_text_add(
        &text,
        "its points are behind by a step (%g s): each step puts them where they should be at its beginning. Before "
        "%g s and from "
        "%g s on, the first and the last key time, they are free; to hold them, add a key with the last movement",
        dv_node_dt(dv_object_node(dv_object_of(self))), time[0], time[keys - 1]);
    line(context, text.at);
    dv_text_free(&text);
}

static const DvReportOps report_ops = {.size = sizeof(DvReportOps), .report = report};

static DvStatus check_keys(LinearMovementProjectiveConstraint *self)
{
    size_t keys, movements;
    const double *time = dv_data_doubles(&self->key_times, &keys);
    (void)dv_data_doubles(&self->movements, &movements);
    for (size_t i = 1; i < keys; i++)
        if (!(time[i] > time[i - 1]))
            return dv_field_error(&self->key_times, (int64_t)i, "%g does not come after %g: times must ascend", time[i],
                                  time[i - 1]);
    if (movements < keys && dv_data_is_set(&self->movements))
        return dv_field_error(&self->movements, -1, "holds %zu movements for %zu key times; give one of each",
                              movements, keys);
    if (movements > keys)
        dv_field_warning(&self->movements, -1, "holds %zu movements for %zu key times; the last %zu have no effect",
                         movements, keys, movements - keys);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    LinearMovementProjectiveConstraint *self = self_;
    self->base.keeps_start = true;
    const DvStatus status = check_keys(self);
    return status == DV_OK ? dv_projective_init(object, &self->base) : status;
}

const DvClass dv_linear_movement_projective_constraint = {
    .size = sizeof(DvClass),
    .name = "LinearMovementProjectiveConstraint",
    .variants = "Rigid3d Vec1d Vec2d Vec3d Vec6d",
    DV_PROJECTIVE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Projective",
    .help =
        "Points that move linearly between the movements of key times, a step late: the movement is that of the time at which "
        "a step begins. Before the first and from the last key time on they are free.",
    .instance_size = sizeof(LinearMovementProjectiveConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_PROJECTIVE_CONSTRAINT, .ops = &constraint_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable_ops},
                                      {.id = DV_REPORT, .ops = &report_ops},
                                      {0}},
    .init = init,
};
