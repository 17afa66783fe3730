/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BilateralLagrangianConstraint: points of two states stay together, or at given distances of each other.
 *
 *   d = x2 - x1 - rest;   of bodies then the rotation vector of q2 q1^-1, less that of rest
 *
 * With keepOrientationDifference a body stays where it was relative to the other: x1 is replaced by (c1 + c, q1 q), where c is the
 * difference of the centres at the beginning, in world axes, and q = q1^-1 q2. Rows are those of small turns between the bodies.
 * Pairs of points begin each solution with the forces of the step before; of these `load` is the part of each correction that is
 * applied. Where a point leaves a mesh that changes, its pairs go with it.
 */
#include <divan/kit/lagrangian_constraint.h>

#include <math.h>

#include <divan/element_data.h>
#include <divan/math/rigid.h>

typedef struct BilateralLagrangianConstraint {
    DvLagrangianConstraint base;
    DvLink topology[2];
    DvData point[2], rest_vector, activate, keep_difference, load;
    DvData last_forces; /* of each pair of points; empty where each step begins with none */
    DvData kept_frames; /* (c, q) of each pair of bodies that keeps its difference */
    uint32_t pairs;     /* of this step */
} BilateralLagrangianConstraint;

#define FIELD(member, ...) DV_FIELD(BilateralLagrangianConstraint, member, __VA_ARGS__)

static const DvField fields[] = {
    DV_TWO_STATE_CONSTRAINT_FIELDS(BilateralLagrangianConstraint, base),
    FIELD(point[0], "first_point", dv_type_uints, .help = "points of the first state"),
    FIELD(point[1], "second_point", dv_type_uints, .help = "the points of the second state that they stay with"),
    FIELD(rest_vector, "rest_vector", dv_type_derivs, .unit = "m", .flags = DV_FIELD_EMPTY_IS_DEFAULT,
          .help = "from the first to the second point of each pair; 0 where none is given"),
    FIELD(activate, "activate", dv_type_bool, .init = "1", .help = "whether it acts; the key A turns it on and off"),
    FIELD(keep_difference, "keepOrientationDifference", dv_type_bool, .init = "0",
          .help = "of bodies: keep the difference of centres and orientations that they begin with"),
    FIELD(load, "load", dv_type_double, .init = "1", .range = &dv_range_share, .flags = DV_FIELD_LENIENT,
          .help = "part of each correction that is applied in a sweep of the solver, 0 to 1"),
    FIELD(last_forces, "lastForces", dv_type_vec3s, .flags = DV_FIELD_STATE, .unit = "N s",
          .help = "what held each pair in the last step: where the next solution begins"),
    FIELD(kept_frames, "keptFrames", dv_type_doubles, .flags = DV_FIELD_STATE,
          .help = "differences of centres and orientations that bodies keep"),
    DV_LINK(BilateralLagrangianConstraint, topology[0], "topology1", DV_TOPOLOGY,
            .help = "topology that first_point follows; by default that of the node of the first state"),
    DV_LINK(BilateralLagrangianConstraint, topology[1], "topology2", DV_TOPOLOGY,
            .help = "topology that second_point follows; by default that of the node of the second state"),
    {0},
};

static bool is_of_bodies(const BilateralLagrangianConstraint *self)
{
    return self->base.state[0].dof->rotation;
}

static uint32_t pair_count(BilateralLagrangianConstraint *self)
{
    size_t first, second;
    (void)dv_data_uints(&self->point[0], &first);
    (void)dv_data_uints(&self->point[1], &second);
    return (uint32_t)(first < second ? first : second);
}

/* ---- Violation ---- */

static DvRigid3 moved_by(DvRigid3 a, const double *kept)
{
    return dv_rigid3(dv_vec3_add(a.center, dv_vec3_load(kept)), dv_quat_mul(a.orientation, dv_quat_load(kept + 3)));
}

static void gap_of_bodies(BilateralLagrangianConstraint *self, const uint32_t *const point[2], const DvConstVec x[2],
                          double *d)
{
    const double *kept = dv_data_bool(&self->keep_difference) ? dv_data_doubles(&self->kept_frames, NULL) : NULL;
    for (uint32_t i = 0; i < self->pairs; i++) {
        DvRigid3 a = dv_rigid3_load(x[0].at + 7 * (size_t)point[0][i]);
        const DvRigid3 b = dv_rigid3_load(x[1].at + 7 * (size_t)point[1][i]);
        if (kept)
            a = moved_by(a, kept + 7 * (size_t)i);
        dv_rigid3_deriv_store(dv_rigid3_difference(b, a), d + 6 * (size_t)i);
    }
}

static void gap(void *self_, const DvConstVec x[2], double *d)
{
    BilateralLagrangianConstraint *self = self_;
    const uint32_t *const point[2] = {dv_data_uints(&self->point[0], NULL), dv_data_uints(&self->point[1], NULL)};
    if (is_of_bodies(self))
        gap_of_bodies(self, point, x, d);
    else
        for (uint32_t i = 0; i < self->pairs; i++)
            dv_vec3_store(dv_vec3_sub(dv_vec3_load(x[1].at + 3 * (size_t)point[1][i]),
                                      dv_vec3_load(x[0].at + 3 * (size_t)point[0][i])),
                          d + 3 * (size_t)i);
    size_t rests;
    const double *rest = dv_data_doubles(&self->rest_vector, &rests);
    const size_t dim = self->base.state[0].dof->deriv;
    for (size_t i = 0; i < dim * (rests < self->pairs ? rests : self->pairs); i++)
        d[i] -= rest[i];
}

static void add_rate(void *self_, const DvConstVec v[2], double *d)
{
    BilateralLagrangianConstraint *self = self_;
    const uint32_t *const point[2] = {dv_data_uints(&self->point[0], NULL), dv_data_uints(&self->point[1], NULL)};
    for (uint32_t i = 0; i < self->pairs; i++)
        for (uint32_t c = 0; c < v[0].dim; c++)
            *d++ += v[1].at[(size_t)point[1][i] * v[1].dim + c] - v[0].at[(size_t)point[0][i] * v[0].dim + c];
}

/* ---- Pairs ---- */

/* Lists that have an entry for each pair go along with the pairs. */
static void compact(DvData *list, size_t count, size_t numbers, const uint32_t *place, size_t kept)
{
    if (list->count != count * (numbers / list->type->components))
        return;
    const size_t each = numbers / list->type->components;
    double *at = dv_data_begin(list, list->count);
    for (size_t i = 0; i < kept; i++)
        memmove(at + i * numbers, at + place[i] * numbers, numbers * sizeof *at);
    (void)dv_data_begin(list, kept * each);
    dv_data_end(list);
}

static void points_moved(void *self_, uint32_t sides, const DvRenumbering *numbers)
{
    BilateralLagrangianConstraint *self = self_;
    const uint32_t count = pair_count(self);
    uint32_t *point[2], *place = dv_alloc(count, sizeof *place), kept = 0;
    for (int side = 0; side < 2; side++) {
        point[side] = dv_alloc(count, sizeof *point[side]);
        memcpy(point[side], dv_data_uints(&self->point[side], NULL), count * sizeof *point[side]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t now[2];
        for (int side = 0; side < 2; side++)
            now[side] = sides >> side & 1u ? dv_renumbering_new(numbers, point[side][i]) : point[side][i];
        if (now[0] == UINT32_MAX || now[1] == UINT32_MAX)
            continue;
        point[0][kept] = now[0];
        point[1][kept] = now[1];
        place[kept++] = i;
    }
    const size_t dim = self->base.state[0].dof->deriv;
    compact(&self->rest_vector, count, dim, place, kept);
    compact(&self->last_forces, count, 3, place, kept);
    compact(&self->kept_frames, count, 7, place, kept);
    for (int side = 0; side < 2; side++) {
        dv_data_set(&self->point[side], point[side], kept);
        dv_free(point[side]);
    }
    dv_free(place);
}

/* Differences are those of the first step again. */
static void started_again(void *self_)
{
    dv_data_set(&((BilateralLagrangianConstraint *)self_)->kept_frames, NULL, 0);
}

static const DvConstraintForm form = {
    .gap = gap, .add_rate = add_rate, .points_moved = points_moved, .started_again = started_again};

static DvStatus check(BilateralLagrangianConstraint *self)
{
    DvStatus status = dv_lagrangian_check_points(&self->base, 0, &self->point[0]);
    if (status == DV_OK)
        status = dv_lagrangian_check_points(&self->base, 1, &self->point[1]);
    if (status == DV_OK)
        status = dv_lagrangian_check_finite(&self->rest_vector);
    if (status == DV_OK)
        status = dv_lagrangian_check_finite(&self->load);
    if (status != DV_OK || !dv_lagrangian_is_of_one_state(&self->base))
        return status;
    const uint32_t *first = dv_data_uints(&self->point[0], NULL), *second = dv_data_uints(&self->point[1], NULL);
    for (uint32_t i = 0, count = pair_count(self); i < count; i++)
        if (first[i] == second[i])
            return dv_field_error(&self->point[1], i, "point %u of a state is tied to itself; name another", first[i]);
    return DV_OK;
}

/* Differences of the present positions, for pairs that have none yet. */
static void keep_differences(BilateralLagrangianConstraint *self, DvVecId position, uint32_t pairs)
{
    const size_t known = self->kept_frames.count / 7;
    if (known == pairs)
        return;
    const DvConstVec x[2] = {dv_state_read(self->base.state[0], position),
                             dv_state_read(self->base.state[1], position)};
    const uint32_t *first = dv_data_uints(&self->point[0], NULL), *second = dv_data_uints(&self->point[1], NULL);
    double *kept = dv_data_begin(&self->kept_frames, 7 * (size_t)pairs);
    for (size_t i = known; i < pairs; i++) {
        const DvRigid3 a = dv_rigid3_load(x[0].at + 7 * (size_t)first[i]),
                       b = dv_rigid3_load(x[1].at + 7 * (size_t)second[i]);
        const DvRigid3 difference = {dv_vec3_sub(b.center, a.center),
                                     dv_quat_normalize(dv_quat_mul(dv_quat_inverse(a.orientation), b.orientation))};
        dv_rigid3_store(difference, kept + 7 * i);
    }
    dv_data_end(&self->kept_frames);
}

/* ---- A step ---- */

static double clamped_load(BilateralLagrangianConstraint *self)
{
    const double load = dv_data_double(&self->load), clamped = fmax(0.0, fmin(1.0, load));
    if (load != clamped) {
        dv_field_warning(&self->load, -1, "%g is not between 0 and 1; %g is taken", load, clamped);
        dv_data_set_double(&self->load, clamped);
    }
    return clamped;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    BilateralLagrangianConstraint *self = self_;
    if (!dv_lagrangian_begin(&self->base, step, rows))
        return DV_OK;
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    const uint32_t pairs = pair_count(self), dim = self->base.state[0].dof->deriv;
    const double load = clamped_load(self);
    const double *memory = NULL;
    if (is_of_bodies(self) && dv_data_bool(&self->keep_difference))
        keep_differences(self, step->position, pairs); /* before the first step, whether it acts yet or not */
    if (!dv_data_bool(&self->activate))
        return DV_OK;
    if (!is_of_bodies(self)) {
        if (self->last_forces.count != pairs) {
            (void)dv_data_begin(&self->last_forces, pairs);
            dv_data_end(&self->last_forces);
        }
        memory = dv_data_doubles(&self->last_forces, NULL);
    }
    const uint32_t *const point[2] = {dv_data_uints(&self->point[0], NULL), dv_data_uints(&self->point[1], NULL)};
    for (uint32_t i = 0; i < pairs; i++) {
        for (uint32_t c = 0; c < dim; c++) {
            dv_entry_add_unit(rows->of_state[0], rows->next + c, point[0][i], c, -1.0);
            dv_entry_add_unit(rows->of_state[1], rows->next + c, point[1][i], c, 1.0);
        }
        for (uint32_t r = 0; r < dim; r += 3) {
            DvConstraintBlock *block = dv_lagrangian_add(&self->base, rows, DV_LAW_BILATERAL, 3);
            block->p[0] = load;
            if (memory)
                dv_block_start(block, memory + 3 * (size_t)i);
        }
    }
    self->pairs = pairs;
    return DV_OK;
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    BilateralLagrangianConstraint *self = self_;
    (void)step;
    if (!is_of_bodies(self) && rows > 0)
        dv_data_set(&self->last_forces, lambda, rows / 3);
}

static const DvLagrangianConstraintOps ops = {DV_LAGRANGIAN_CONSTRAINT_OPS, .build = build, .store = store,
                                              .laws = 1u << DV_LAW_BILATERAL};

/* ---- Life ---- */

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true); /* to the key */
    return DV_OK;
}

static void forget(BilateralLagrangianConstraint *self)
{
    dv_data_set(&self->last_forces, NULL, 0);
}

static DvStatus take_pairs(BilateralLagrangianConstraint *self)
{
    const DvStatus status = check(self);
    if (status != DV_OK)
        return status;
    const size_t first = self->point[0].count, second = self->point[1].count;
    if (first != second)
        dv_field_warning(&self->point[first < second ? 1 : 0], -1,
                         "%zu points, %zu in the other list: what is beyond the shorter one is left out",
                         first < second ? second : first, first < second ? first : second);
    (void)clamped_load(self);
    if (!dv_data_bool(&self->keep_difference))
        return DV_OK;
    if (!is_of_bodies(self)) {
        dv_field_remark(&self->keep_difference, -1, "points have no orientation: it does nothing");
    } else if (self->rest_vector.count > 0) {
        dv_field_warning(&self->rest_vector, -1, "left out: the bodies keep their difference");
        dv_data_set(&self->rest_vector, NULL, 0);
    }
    return DV_OK;
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    BilateralLagrangianConstraint *self = self_;
    forget(self);
    dv_data_set(&self->kept_frames, NULL, 0);
    DvStatus status = dv_lagrangian_init(object, &self->base, 2, &form);
    if (status == DV_OK)
        status = take_pairs(self);
    if (status == DV_OK)
        status = dv_lagrangian_follow(&self->base, self->topology,
                                      (DvData *const[]){&self->point[0], &self->point[1], &self->rest_vector}, 3);
    if (status != DV_OK)
        dv_lagrangian_release(&self->base);
    return status;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    forget(self_);
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    BilateralLagrangianConstraint *self = self_;
    (void)object;
    if (event->kind == DV_EVENT_KEY_PRESSED && (event->key == 'A' || event->key == 'a'))
        dv_data_set_bool(&self->activate, !dv_data_bool(&self->activate));
}

/* A line between the points of each pair. */
static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.5, 0.0, 1.0};
    BilateralLagrangianConstraint *self = self_;
    size_t firsts, seconds;
    const uint32_t *first = dv_data_uints(&self->point[0], &firsts), *second = dv_data_uints(&self->point[1], &seconds);
    const size_t pairs = firsts < seconds ? firsts : seconds;
    double *at = dv_alloc(pairs ? pairs : 1, 6 * sizeof *at), *to = at;
    for (size_t i = 0; i < pairs; i++)
        if (dv_lagrangian_place(&self->base, draw, 0, first[i], to) &&
            dv_lagrangian_place(&self->base, draw, 1, second[i], to + 3))
            to += 6;
    if (to > at)
        draw->ops->lines(draw, at, (uint32_t)((to - at) / 6), 2.0, color);
    dv_free(at);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_bilateral_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "BilateralLagrangianConstraint",
    .variants = "Rigid3d Vec3d",
    DV_TWO_STATE_CONSTRAINT_CLASS,
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Keeps points of two states together, or at given distances of each other.",
    .instance_size = sizeof(BilateralLagrangianConstraint),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = construct,
    .bwd_init = bwd_init,
    .reset = reset,
    .handle_event = handle_event,
};
