/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * UnilateralLagrangianConstraint: contacts that do not get nearer than their distance, with Coulomb friction.
 * AugmentedLagrangianConstraint: the same, solved by small steps of the augmented Lagrangian.
 *
 *   rows of a contact   n, and with friction t and s: minus the direction at the first point, plus at the second
 *   d_n                 (second - first) . n - distance      after the free motion
 *   d_t, d_s            how far the points slide on each other from the time of contact on
 *
 * A contact manager makes one for each pair of models (`response`: FrictionContactConstraint, AugmentedLagrangianResponseConstraint)
 * and gives it the contacts of each step. Rows are written straight on the states of the models; distances and normals are those of
 * the detection. All contacts that are listed have rows, near ones too.
 *
 * Levers of frames are those of the free orientation: the point of contact turns with the body during the step. That is right for a
 * corner. The point where a sphere touches stays where it is while the sphere turns: with the turned lever, by omega dt, the normal
 * force has a moment of lambda_n r omega dt that drives the sphere on, an error of first order that grows with the speed. `levers`
 * start: levers of the beginning of the step, and violations by the same, d = d_0 + J (displacement of the free motion).
 *
 * Points that coincide count once. The forces of a step are where a solver that asks for it (LCPConstraintSolver) begins the
 * next, by the ids of contacts: from the second step with contacts on, as scenes are used to.
 */
#include "response/attachment.h"
#include "response/id_map.h"
#include "response/mesh_memory.h"
#include "response/place_map.h"
#include "response/standing_corners.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/kit/ascending.h>
#include <divan/kit/listed_numbers.h>
#include <divan/memory.h>

#include <math.h>

typedef struct Contact {
    DvAttachment side[2];
    DvVec3 lever[2]; /* of frames, in world axes, as `levers` says */
    DvVec3 at[2];    /* m, the points at the beginning of the step */
    DvVec3 normal, tangent[2];
    double distance; /* m */
    int64_t id;
    double lambda[3]; /* N s */
} Contact;

/* What a contact had in the step before. */
typedef struct Former {
    int64_t id;
    double lambda[3];
} Former;

typedef struct UnilateralLagrangianConstraint {
    DvData mu, epsilon, tolerance, friction_rule, levers;
    DvData constraint_index;
    DvLink object1, object2;
    DvStateRef state[2]; /* held; ops are NULL until the manager has told */
    MeshMemory mesh[2];
    bool augmented;
    Contact *contacts;
    uint32_t count, capacity;
    uint32_t *kept; /* [listed] its contact + 1; 0: it coincides with one before */
    uint32_t listed_capacity;
    double friction;
    double dt; /* of the last forces */
    uint32_t number, rank;
    bool looked;    /* whether corners stand on corners */
    bool met;       /* contacts of an earlier step: their forces count from now on */
    Former *former; /* [former_count] of the step before */
    uint32_t former_count, former_capacity;
    IdMap ids;      /* into `former` */
    double *memory; /* what a run that is saved has to keep, see remember() */
    size_t memory_capacity;
    PlaceMap places;
} UnilateralLagrangianConstraint;

static const char *const friction_rules[] = {"response", "product", "mean", "min", "max", NULL};
enum { RULE_RESPONSE, RULE_PRODUCT, RULE_MEAN, RULE_MIN, RULE_MAX };

static const char *const lever_times[] = {"free", "start", NULL};
enum { LEVERS_FREE, LEVERS_START };

#define COMMON_FIELDS                                                                                              \
    DV_FIELD(UnilateralLagrangianConstraint, friction_rule, "frictionRule", dv_type_choice, .init = "response",    \
             .choices = friction_rules,                                                                            \
             .help = "response: mu; else the product, mean, min or max of contactFriction of both models"),        \
        DV_FIELD(UnilateralLagrangianConstraint, levers, "levers", dv_type_choice, .init = "free",                 \
                 .choices = lever_times,                                                                           \
                 .help = "of points on frames. free: after the free motion, with which spheres roll too fast; "    \
                         "start: at the beginning of the step, with which they roll right"),                       \
        DV_FIELD(UnilateralLagrangianConstraint, tolerance, "tol", dv_type_double, .init = "0", .unit = "m",       \
                 .range = &dv_range_not_negative, .help = "of these contacts alone; 0: the solver's"),             \
        DV_FIELD_HELD("group", dv_type_int, .init = "0", .help = "no effect: all constraints count"),              \
        DV_FIELD(UnilateralLagrangianConstraint, constraint_index, "constraintIndex", dv_type_uint, .init = "0",   \
                 .flags = DV_FIELD_READ_ONLY, .help = "its first row in this step"),                               \
        DV_FIELD_HELD("endTime", dv_type_double, .init = "-1", .unit = "s",                                        \
                      .help = "no effect: contacts end when the models part"),                                     \
        DV_LINK(UnilateralLagrangianConstraint, object1, "object1", DV_STATE, .help = "state of the first model"), \
        DV_LINK(UnilateralLagrangianConstraint, object2, "object2", DV_STATE, .help = "state of the second model")

static const DvField fields[] = {
    DV_FIELD(UnilateralLagrangianConstraint, mu, "mu", dv_type_double, .init = "0.8",
             .help = "coefficient of friction; 0: none, and one row per contact"),
    COMMON_FIELDS,
    {0},
};

static const DvField augmented_fields[] = {
    DV_FIELD(UnilateralLagrangianConstraint, mu, "mu", dv_type_double, .init = "0",
             .help = "coefficient of friction; 0: none, and one row per contact"),
    DV_FIELD(UnilateralLagrangianConstraint, epsilon, "epsilon", dv_type_double, .init = "0", .unit = "kg/s",
             .help = "step of the method: how much force answers a violation, times the step"),
    COMMON_FIELDS,
    {0},
};

static void let_go(UnilateralLagrangianConstraint *self)
{
    for (int side = 0; side < 2; side++) {
        dv_state_release(&self->state[side]);
        mesh_memory_release(&self->mesh[side]);
    }
}

static DvStatus set_states(void *self_, DvObject *first, DvObject *second)
{
    UnilateralLagrangianConstraint *self = self_;
    DvObject *states[2] = {dv_object_ref(first), dv_object_ref(second)};
    let_go(self);
    for (int side = 0; side < 2; side++) {
        self->state[side] = dv_state_ref(states[side]);
        mesh_memory_hold(&self->mesh[side], states[side]);
        dv_link_set(side == 0 ? &self->object1 : &self->object2, states[side]);
    }
    if (self->augmented && dv_data_double(&self->mu) > 0.0 && !(dv_data_double(&self->epsilon) > 0.0))
        return dv_field_error(
            &self->epsilon, -1,
            "is %g, so that contacts with friction have no force; set epsilon in responseParams, to about the mass "
            "that touches divided by the time step",
            dv_data_double(&self->epsilon));
    if (dv_data_double(&self->mu) >= 0.0)
        return DV_OK;
    return dv_field_error(&self->mu, -1, "is %g; friction cannot be negative: set mu in responseParams to 0 or more",
                          dv_data_double(&self->mu));
}

static DvStatus init(DvObject *object, void *self_)
{
    UnilateralLagrangianConstraint *self = self_;
    self->augmented = strcmp(dv_object_class(object)->name, "AugmentedLagrangianConstraint") == 0;
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    UnilateralLagrangianConstraint *self = self_;
    let_go(self);
    void *arrays[] = {self->contacts, self->kept, self->former, self->memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    id_map_free(&self->ids);
    place_map_free(&self->places);
    self->contacts = NULL;
    self->kept = NULL;
    self->former = NULL;
    self->memory = NULL;
    self->count = self->capacity = self->listed_capacity = self->former_count = self->former_capacity = 0;
    self->memory_capacity = 0;
}

/* ---- Which contacts count ---- */

static void make_room(UnilateralLagrangianConstraint *self, uint32_t listed)
{
    if (listed <= self->listed_capacity)
        return;
    dv_free(self->contacts);
    dv_free(self->kept);
    self->listed_capacity = 2 * listed + 16;
    self->contacts = dv_alloc(self->listed_capacity, sizeof *self->contacts);
    self->kept = dv_alloc(self->listed_capacity, sizeof *self->kept);
}

/* s = n x t0 with t0 another direction, t = -n x s. */
static void set_tangents(Contact *contact)
{
    const DvVec3 n = contact->normal;
    DvVec3 s = dv_vec3_cross(n, (DvVec3){n.z, n.x, n.y});
    double length = dv_vec3_norm(s);
    if (!(length > 0.0)) { /* a normal along the diagonal of the axes */
        s = dv_vec3_cross(n, (DvVec3){1.0, 0.0, 0.0});
        length = dv_vec3_norm(s);
    }
    contact->tangent[1] = length > 0.0 ? dv_vec3_scale(s, 1.0 / length) : dv_vec3_zero();
    contact->tangent[0] = dv_vec3_cross(dv_vec3_neg(n), contact->tangent[1]);
}

static double friction_of(UnilateralLagrangianConstraint *self, const DvCollisionBody *a, const DvCollisionBody *b)
{
    const double f = a->traits.friction, g = b->traits.friction;
    switch (dv_data_choice(&self->friction_rule)) {
    case RULE_PRODUCT:
        return f * g;
    case RULE_MEAN:
        return 0.5 * (f + g);
    case RULE_MIN:
        return fmin(f, g);
    case RULE_MAX:
        return fmax(f, g);
    default:
        return dv_data_double(&self->mu);
    }
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    UnilateralLagrangianConstraint *self = self_;
    const DvCollisionBody *bodies[2] = {&list->bodies[pair->body[0]], &list->bodies[pair->body[1]]};
    make_room(self, pair->count);
    self->count = 0;
    for (int side = 0; side < 2; side++)
        if (bodies[side]->traits.stiffness == 0.0)
            return dv_error(bodies[side]->object, DV_ERROR_INVALID,
                            "its contactStiffness is 0, which switches contacts by constraints off; set it to 1, or "
                            "contactResponse=\"nullptr\" where contacts are not wanted");
    for (int side = 0; side < 2; side++)
        mesh_memory_note(&self->mesh[side], self->state[side]);
    self->friction = friction_of(self, bodies[0], bodies[1]);
    if (!self->looked && corners_stand_on_corners(list, pair)) {
        self->looked = true;
        warn_of_standing_corners(dv_object_of(self), list, pair, self->friction);
    }
    if (pair->count > 0)
        places_choose(&self->places, pair, self->kept);
    for (uint32_t i = 0; i < pair->count; i++) {
        if (!self->kept[i])
            continue;
        const DvContact *found = &pair->contacts[i];
        Contact *contact = &self->contacts[self->count++];
        contact->distance = list->distance;
        contact->id = found->id;
        contact->normal = dv_vec3_load(found->normal);
        memset(contact->lambda, 0, sizeof contact->lambda);
        set_tangents(contact);
        for (int side = 0; side < 2; side++) {
            const DvCollisionBody *body = bodies[side];
            body->ops->attach(body->self, found->element[side], found->point[side], &contact->side[side]);
            contact->distance += body->traits.distance + contact->side[side].radius;
            const DvConstVec x = dv_state_read(self->state[side], DV_POSITION);
            const DvVec3 lever = attachment_lever(&contact->side[side], x.at, x.dim);
            contact->at[side] = attachment_position(&contact->side[side], x.at, x.dim, lever);
        }
        self->kept[i] = self->count;
    }
    return DV_OK;
}

/* ---- Rows ---- */

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    UnilateralLagrangianConstraint *self = self_;
    for (uint32_t side = 0; side < 2; side++)
        if (self->count == 0 || !dv_object_node(self->state[side].object) ||
            !mesh_memory_holds(&self->mesh[side], self->state[side]))
            return 0; /* nothing touches, or what did is no more in the scene, or has other points */
    for (uint32_t side = 0; side < 2 && side < capacity; side++)
        objects[side] = self->state[side].object;
    return 2;
}

static void set_start(UnilateralLagrangianConstraint *self, DvConstraintBlock *block, int64_t id)
{
    if (self->former_count == 0)
        return;
    const IdPlace *place = id_map_find(&self->ids, id);
    if (place->index == 0)
        return;
    block->has_start = block->is_contact = true;
    memcpy(block->start, self->former[place->index - 1].lambda, block->rows * sizeof *block->start);
}

/* Ids of the first step with contacts are told apart from all later ones, but for the very first contact of a scene. */
static bool former_counts(const UnilateralLagrangianConstraint *self, int64_t id)
{
    return self->met || (id == 0 && self->number == 0);
}

/* A vector of a state at the points of the contacts at least: of one that a device keeps only these travel. */
static DvConstVec read_touched(const UnilateralLagrangianConstraint *self, int side, DvVecId id)
{
    const DvStateRef state = self->state[side];
    if (!dv_state_storage(state).space)
        return dv_state_read(state, id);
    uint32_t room = 0, end = 0;
    for (uint32_t i = 0; i < self->count; i++)
        room += self->contacts[i].side[side].count;
    const DvStepMark mark = dv_step_mark();
    uint32_t *points = dv_step_alloc(room, sizeof *points);
    for (uint32_t i = 0; i < self->count; i++)
        for (uint32_t k = 0; k < self->contacts[i].side[side].count; k++)
            points[end++] = self->contacts[i].side[side].points[k];
    const DvConstVec read = dv_state_read_points(state, id, points, dv_ascending_sort(points, end));
    dv_step_release(mark);
    return read;
}

/* The positions whose orientation the levers have. */
static DvVecId levers_at(UnilateralLagrangianConstraint *self, DvStateRef state)
{
    const bool moved = state.ops->has(state.self, DV_FREE_POSITION);
    return moved && dv_data_choice(&self->levers) == LEVERS_FREE ? DV_FREE_POSITION : DV_POSITION;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    UnilateralLagrangianConstraint *self = self_;
    const uint32_t each = self->friction > 0.0 ? 3 : 1;
    DvConstVec x[2];
    (void)step;
    for (int side = 0; side < 2; side++)
        x[side] = self->state[side].dof->rotation ? read_touched(self, side, levers_at(self, self->state[side]))
                                                  : (DvConstVec){.dim = self->state[side].dof->coord};
    dv_data_set_uint(&self->constraint_index, rows->next);
    for (uint32_t i = 0; i < self->count; i++) {
        Contact *contact = &self->contacts[i];
        const DvVec3 direction[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
        DvConstraintBlock *block = dv_block_add(rows,
                                                each == 1         ? DV_LAW_UNILATERAL
                                                : self->augmented ? DV_LAW_AUGMENTED
                                                                  : DV_LAW_FRICTION,
                                                each);
        if (each == 3)
            block->p[0] = self->friction;
        if (self->augmented && each == 3)
            block->p[1] = dv_data_double(&self->epsilon);
        block->tolerance = dv_data_double(&self->tolerance);
        if (former_counts(self, contact->id))
            set_start(self, block, contact->id);
        for (int side = 0; side < 2; side++) {
            contact->lever[side] = attachment_lever(&contact->side[side], x[side].at, x[side].dim);
            for (uint32_t k = 0; k < each; k++)
                attachment_add_row(&contact->side[side], rows->of_state[side], block->first + k, contact->lever[side],
                                   side == 0 ? dv_vec3_neg(direction[k]) : direction[k]);
        }
    }
    return DV_OK;
}

/* ---- Violations ---- */

/* How far the points slide on each other along t and s: all of the way, or from the time of contact on. `free`: the points after
 * the free motion. */
static void slide(const Contact *c, const DvVec3 free[2], double normal, double d[2])
{
    const DvVec3 q = c->at[0], p = c->at[1];
    const DvVec3 a = dv_vec3_sub(free[1], p), b = dv_vec3_sub(free[0], q);
    const double size = dv_vec3_norm(a) + dv_vec3_norm(b);
    const double before = dv_vec3_dot(dv_vec3_sub(p, q), c->normal) - c->distance;
    DvVec3 from_p = p, from_q = q;
    const bool rests = fabs(before) < 1e-5 * size && fabs(normal) < 1e-5 * size;
    if (!rests && fabs(before - normal) > 0.001 * before) {
        const double time = before / (before - normal);
        if (time > 0.0 && time < 1.0) {
            from_p = dv_vec3_madd(p, time, a);
            from_q = dv_vec3_madd(q, time, b);
        } else if (!(normal < 0.0)) {
            d[0] = d[1] = 0.0;
            return;
        }
    }
    for (int k = 0; k < 2; k++)
        d[k] = dv_vec3_dot(dv_vec3_sub(free[1], from_p), c->tangent[k]) -
               dv_vec3_dot(dv_vec3_sub(free[0], from_q), c->tangent[k]);
}

/* A point after the free motion. With levers of the beginning the turn moves it along the tangent. `start`: then the positions of the
 * beginning, else NULL. */
static DvVec3 point_after(const Contact *c, int side, DvConstVec x, const double *start)
{
    const DvAttachment *at = &c->side[side];
    if (!start || x.dim <= 3)
        return attachment_position(at, x.at, x.dim, attachment_lever(at, x.at, x.dim));
    const size_t frame = (size_t)at->points[0] * x.dim;
    const DvVec3 turn = dv_rigid3_difference(dv_rigid3_load(x.at + frame), dv_rigid3_load(start + frame)).angular;
    const DvVec3 lever = c->lever[side];
    return attachment_position(at, x.at, x.dim, dv_vec3_add(lever, dv_vec3_cross(turn, lever)));
}

static DvStatus violation(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    UnilateralLagrangianConstraint *self = self_;
    const uint32_t each = self->friction > 0.0 ? 3 : 1;
    const bool tangential = dv_data_choice(&self->levers) == LEVERS_START;
    DvConstVec x[2];
    const double *start[2];
    for (int side = 0; side < 2; side++) {
        x[side] = read_touched(self, side, order == DV_CONSTRAIN_POSITION ? step->position : step->velocity);
        start[side] = tangential ? read_touched(self, side, DV_POSITION).at : NULL;
    }
    for (uint32_t i = 0; i < self->count; i++, d += each) {
        const Contact *c = &self->contacts[i];
        DvVec3 free[2];
        for (int side = 0; side < 2; side++)
            free[side] = order == DV_CONSTRAIN_POSITION
                             ? point_after(c, side, x[side], start[side])
                             : attachment_velocity(&c->side[side], x[side].at, x[side].dim, c->lever[side]);
        const DvVec3 apart = dv_vec3_sub(free[1], free[0]);
        if (order == DV_CONSTRAIN_POSITION) {
            d[0] = dv_vec3_dot(apart, c->normal) - c->distance;
            if (each == 3)
                slide(c, free, d[0], d + 1);
            continue;
        }
        const double rate = 1.0 / step->dt;
        d[0] = dv_vec3_dot(dv_vec3_madd(apart, rate, dv_vec3_sub(c->at[1], c->at[0])), c->normal) - c->distance * rate;
        for (uint32_t k = 0; k + 1 < each; k++)
            d[k + 1] = dv_vec3_dot(apart, c->tangent[k]);
    }
    return DV_OK;
}

/* ---- Forces ---- */

/* What the next step begins with. */
static void remember(UnilateralLagrangianConstraint *self)
{
    if (self->count > self->former_capacity) {
        dv_free(self->former);
        self->former_capacity = 2 * self->count;
        self->former = dv_alloc(self->former_capacity, sizeof *self->former);
    }
    self->former_count = self->count;
    id_map_restart(&self->ids, self->count);
    for (uint32_t i = 0; i < self->count; i++) {
        self->former[i].id = self->contacts[i].id;
        memcpy(self->former[i].lambda, self->contacts[i].lambda, sizeof self->former[i].lambda);
        *id_map_find(&self->ids, self->former[i].id) = (IdPlace){self->former[i].id, i + 1};
    }
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    UnilateralLagrangianConstraint *self = self_;
    const uint32_t each = self->count > 0 ? rows / self->count : 1;
    const bool first = self->former_count == 0 && !self->met;
    self->dt = step->dt;
    for (uint32_t i = 0; i < self->count; i++)
        memcpy(self->contacts[i].lambda, lambda + (size_t)i * each, each * sizeof *lambda);
    self->met = !first;
    remember(self);
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const UnilateralLagrangianConstraint *self = self_;
    const uint32_t place = index < self->listed_capacity ? self->kept[index] : 0;
    const Contact *c = place > 0 && place <= self->count ? &self->contacts[place - 1] : NULL;
    DvVec3 sum = dv_vec3_zero();
    if (c && self->dt > 0.0) {
        sum = dv_vec3_scale(c->normal, c->lambda[0]);
        sum = dv_vec3_madd(sum, c->lambda[1], c->tangent[0]);
        sum = dv_vec3_scale(dv_vec3_madd(sum, c->lambda[2], c->tangent[1]), 1.0 / self->dt);
    }
    dv_vec3_store(sum, force);
}

/* ---- What goes on in a run that was saved ---- */

enum { HEAD = 2, EACH = 5 }; /* numbers before the contacts, and of each: its id in two halves, its forces */

static const double *memory(void *self_, size_t *count)
{
    UnilateralLagrangianConstraint *self = self_;
    *count = HEAD + (size_t)EACH * self->former_count;
    if (*count > self->memory_capacity) {
        dv_free(self->memory);
        self->memory_capacity = 2 * *count;
        self->memory = dv_alloc(self->memory_capacity, sizeof *self->memory);
    }
    double *at = self->memory;
    *at++ = self->number;
    *at++ = self->met;
    for (uint32_t i = 0; i < self->former_count; i++, at += EACH) {
        at[0] = (double)(int32_t)(self->former[i].id >> 32);
        at[1] = (double)(uint32_t)self->former[i].id;
        memcpy(at + 2, self->former[i].lambda, sizeof self->former[i].lambda);
    }
    return self->memory;
}

static bool recall(void *self_, const double *numbers, size_t count)
{
    UnilateralLagrangianConstraint *self = self_;
    if (count < HEAD || (count - HEAD) % EACH != 0)
        return false;
    const uint32_t contacts = (uint32_t)((count - HEAD) / EACH);
    make_room(self, contacts);
    self->number = (uint32_t)numbers[0];
    for (uint32_t i = 0; i < contacts; i++) {
        const double *at = numbers + HEAD + (size_t)EACH * i;
        self->contacts[i].id = (int64_t)((uint64_t)(uint32_t)(int32_t)at[0] << 32 | (uint32_t)at[1]);
        memcpy(self->contacts[i].lambda, at + 2, sizeof self->contacts[i].lambda);
    }
    self->count = contacts;
    remember(self);
    self->count = 0;
    self->met = numbers[1] != 0.0;
    return true;
}

static void set_place(void *self_, uint32_t number, uint32_t rank)
{
    UnilateralLagrangianConstraint *self = self_;
    self->number = number;
    self->rank = rank;
}

static uint32_t rank_of(void *self_)
{
    return ((UnilateralLagrangianConstraint *)self_)->rank;
}

static const DvLagrangianConstraintOps constraint = {.size = sizeof constraint,
                                                     .states = states,
                                                     .build = build,
                                                     .violation = violation,
                                                     .store = store,
                                                     .rank = rank_of,
                                                     .laws = DV_LAWS_OF_CONTACTS};

static const DvContactResponseOps response = {.size = sizeof response,
                                              .set_states = set_states,
                                              .set_contacts = set_contacts,
                                              .force = force_of,
                                              .set_place = set_place,
                                              .memory = memory,
                                              .recall = recall};

static const DvContract contracts[] = {
    {.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &constraint}, {.id = DV_CONTACT_RESPONSE, .ops = &response}, {0}};

const DvClass dv_unilateral_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "UnilateralLagrangianConstraint",
    .variants = "Vec3d",
    .bases = (const char *const[]){"BaseLagrangianConstraint", NULL},
    .family = "contact response",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Contacts between two models that do not get nearer than their distance, with friction.",
    .instance_size = sizeof(UnilateralLagrangianConstraint),
    .fields = fields,
    .contracts = contracts,
    .init = init,
    .cleanup = cleanup,
};

const DvClass dv_augmented_lagrangian_constraint = {
    .size = sizeof(DvClass),
    .name = "AugmentedLagrangianConstraint",
    .variants = "Vec3d",
    .bases = (const char *const[]){"BaseLagrangianConstraint", NULL},
    .family = "contact response",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .help = "Contacts between two models, with friction, by small steps of the augmented Lagrangian.",
    .instance_size = sizeof(UnilateralLagrangianConstraint),
    .fields = augmented_fields,
    .contracts = contracts,
    .init = init,
    .cleanup = cleanup,
};
