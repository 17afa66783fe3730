/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PenalityContactForceField: springs that push two models apart where they touch.
 *
 *   pen = dist - (x2 - x1).n        dist: the contact distances of method and models, radii
 *   f2 = ks pen n, f1 = -f2         when pen > 0; ks = k1 k2 / dist, k1 and k2 those of the models
 *   df2 = -ks n n^T (dx2 - dx1)     of contacts whose pen was positive at the last force
 *
 * x1 and x2 are points of the two elements: combinations of points of the models' states, or points of rigid frames. The normal
 * is that of the detection; positions are the present ones. No friction, no damping. Contacts of a pair that have the same id stand
 * for one place: of these the nearest counts.
 *
 * What the springs have done is looked at when the next contacts are set, and when the pair lets go: see penalty_watch.h.
 */
#include "response/contact_rows.h"
#include "response/mobility.h"
#include "response/penalty_watch.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

enum {
    MOST_JUDGED = 32, /* responses in a scene: who has been found well so often is */
    MOST_WATCHED = 32 /* contacts, or up to as many more */
};

typedef struct Penalty {
    DvVec3 normal;
    double distance, stiffness;
    double penetration; /* as of the last force */
    /* As of the first since the contacts were set: it; and m/s, of either point along the force on it. */
    double begun, speed[2];
} Penalty;

typedef struct PenalityContactForceField {
    ContactForces base;
    Penalty *penalty; /* [base.count] */
    uint32_t capacity;
    PenaltyWatch watch;
    ContactRows rows; /* as they were described last */
} PenalityContactForceField;

static const DvField fields[] = {
    CONTACT_FORCES_FIELDS(PenalityContactForceField, base.),
    {0},
};

static void cleanup(DvObject *object, void *self_)
{
    PenalityContactForceField *self = self_;
    contact_forces_cleanup(object, self);
    contact_rows_free(&self->rows);
    penalty_watch_end(&self->watch);
    dv_free(self->penalty);
    self->penalty = NULL;
    self->capacity = 0;
}

static DvStatus set_states(void *self_, DvObject *first, DvObject *second)
{
    PenalityContactForceField *self = self_;
    penalty_watch_begin(&self->watch, dv_object_of(self), (const DvObject *const[]){first, second});
    return contact_forces_set_states(self, first, second);
}

/* ---- What the springs have done ---- */

/* The mass that springs push, all at once as stiff as they are: k / m is (f A^-1 f) / sum of k, with f what they push by per metre.
 * 0: nothing is known to move. *heavier: of the heavier of both bodies that move. */
static double mass_of_contacts(PenalityContactForceField *self, double dt, double stiffness, double *heavier)
{
    const DvStepMark mark = dv_step_mark();
    DvVec f[2];
    for (int side = 0; side < 2; side++) {
        const DvStateRef state = self->base.state[side];
        f[side] = (DvVec){NULL, dv_state_count(state), state.dof->deriv};
        const size_t size = (size_t)f[side].count * f[side].dim;
        f[side].at =
            side == 1 && state.object == self->base.state[0].object ? f[0].at : dv_step_alloc(size + 1, sizeof(double));
        memset(f[side].at, 0, size * sizeof(double));
    }
    double sum = 0.0, mobility = 0.0, least = INFINITY;
    for (uint32_t i = 0; i < self->base.count; i++)
        if (self->penalty[i].penetration > 0.0) {
            contact_push(&self->base.ends[i], f, dv_vec3_scale(self->penalty[i].normal, self->penalty[i].stiffness));
            sum += self->penalty[i].stiffness;
        }
    for (int side = 0; side < 2; side++)
        if (side == 0 || f[1].at != f[0].at) {
            const double of_side = mobility_under(self->base.state[side], f[side].at, dt, true);
            mobility += of_side;
            least = of_side > 0.0 ? fmin(least, of_side) : least;
        }
    dv_step_release(mark);
    *heavier = stiffness * sum / least;
    return mobility > 0.0 ? stiffness * sum / mobility : 0.0;
}

/* The dt that is advised: the mass hangs on it where stiffness is part of it. */
static bool load_of_contacts(PenalityContactForceField *self, StepLoad *load)
{
    *load = (StepLoad){.dt = self->watch.dt};
    double heavier, speed = 0.0, distance = 0.0;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        if (!(p->penetration > 0.0))
            continue;
        if (p->begun > 0.0)
            speed = fmax(speed, -p->speed[0] - p->speed[1]);
        if (p->stiffness > load->stiffness) {
            load->stiffness = p->stiffness;
            load->product = p->stiffness * p->distance;
            distance = p->distance;
        }
    }
    load->mass =
        load->stiffness > 0.0 && load->dt > 0.0 ? mass_of_contacts(self, load->dt, load->stiffness, &heavier) : 0.0;
    if (!(load->mass > 0.0))
        return false;
    const double softer = load->stiffness * STEP_TAKES / step_load(load);
    load->holds = softer * distance * distance > heavier * speed * speed ? HOLDS : HOLDS_NOT;
    load->carried = load->dt * sqrt(STEP_TAKES / step_load(load));
    for (int i = 0; i < 4 && step_load(load) > STEP_CARRIES; i++)
        load->carried =
            sqrt(STEP_TAKES * mass_of_contacts(self, load->carried, load->stiffness, &heavier) / load->stiffness);
    return true;
}

static void judge_stiffness(PenalityContactForceField *self)
{
    PenaltyWatch *watch = &self->watch;
    StepLoad load;
    if (watch->judged || watch->implicit || watch->words->judged == MOST_JUDGED)
        return;
    watch->judged = true;
    watch->words->judged++;
    if (load_of_contacts(self, &load) && step_load(&load) > STEP_CARRIES)
        warn_of_stiffness(watch, &load);
}

static void judge_energy(PenalityContactForceField *self)
{
    if (!self->watch.words->energy && penalty_watch_gains(&self->watch))
        warn_of_energy(&self->watch);
}

/* Of either point, along the force on it: the second is pushed along the normal, the first against it. */
static void speeds(const ContactEnds *ends, const DvConstVec *v, DvVec3 normal, double along[2])
{
    for (int side = 0; side < 2; side++) {
        const DvVec3 velocity = attachment_velocity(&ends->side[side], v[side].at, v[side].dim, ends->lever[side]);
        along[side] = side == 1 ? dv_vec3_dot(velocity, normal) : -dv_vec3_dot(velocity, normal);
    }
}

/* So that it costs little however many contacts there are: one of so many is watched, and stands for the others. */
static uint32_t watched_of(const PenalityContactForceField *self)
{
    return 1 + self->base.count / MOST_WATCHED;
}

static void note_beginning(PenalityContactForceField *self, const DvStep *step, const DvConstVec *v)
{
    const uint32_t stride = watched_of(self);
    self->watch.dt = step->dt;
    for (uint32_t i = 0; i < self->base.count; i += stride) {
        Penalty *p = &self->penalty[i];
        p->begun = p->penetration;
        if (p->begun > 0.0)
            speeds(&self->base.ends[i], v, p->normal, p->speed);
    }
}

static bool is_kept_elsewhere(const PenalityContactForceField *self)
{
    return dv_state_storage(self->base.state[0]).space || dv_state_storage(self->base.state[1]).space;
}

/* Adds up what has been done since the contacts were set: the force of an explicit step is that of its beginning, of an implicit one that
 * of its end, of several in turn their mean. */
static void look_back(PenalityContactForceField *self)
{
    PenaltyWatch *watch = &self->watch;
    contact_forces_heed_edits(&self->base);
    if (!watch->words || watch->words->energy || watch->calls == 0 || self->base.count == 0 || !watch->model[0] ||
        is_kept_elsewhere(self)) /* whole vectors would come home for it */
        return;
    const double time = dv_node_time(dv_object_node(dv_object_of(self)));
    if (watch->work->time != time) /* the sums are those of whole steps */
        judge_energy(self);
    watch->work->time = time;
    DvConstVec x[2], v[2];
    for (int side = 0; side < 2; side++) {
        x[side] = dv_state_read(self->base.state[side], DV_POSITION);
        v[side] = dv_state_read(self->base.state[side], DV_VELOCITY);
    }
    bool any = false;
    const uint32_t stride = watched_of(self);
    for (uint32_t i = 0; i < self->base.count; i += stride) {
        const Penalty *p = &self->penalty[i];
        if (!(p->begun > 0.0))
            continue;
        ContactEnds *ends = &self->base.ends[i];
        const double next = p->distance - dv_vec3_dot(contact_span(ends, x), p->normal);
        const double felt = watch->implicit ? next : watch->calls > 1 ? 0.5 * (p->begun + fmax(next, 0.0)) : p->begun;
        double after[2];
        speeds(ends, v, p->normal, after);
        for (uint32_t side = 0; side < 2; side++)
            penalty_watch_add(watch, side, stride * p->stiffness * felt, p->speed[side], after[side]);
        watch->work->scale = fmax(watch->work->scale, p->stiffness * p->distance * p->distance);
        any = true;
    }
    if (any)
        judge_stiffness(self);
}

/* What is inside each other from the start has not been put there by a step. */
static void credit_overlap(PenalityContactForceField *self, const DvContactPair *pair)
{
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        const DvContact *contact = &pair->contacts[self->base.listed[i]];
        const DvVec3 span = dv_vec3_sub(dv_vec3_load(contact->point[1]), dv_vec3_load(contact->point[0]));
        const double depth = fmax(p->distance - dv_vec3_dot(span, p->normal), 0.0);
        self->watch.work->taken += 0.5 * p->stiffness * depth * depth;
    }
}

/* Asked when its contacts have gone: it does not stay, but what they did last counts. */
static bool keeps_alive(void *self_)
{
    PenalityContactForceField *self = self_;
    look_back(self);
    if (self->watch.work && self->watch.work->responses == 1 && self->watch.model[0])
        judge_energy(self);
    return false;
}

static DvStatus set_contacts(void *self_, const DvContactList *list, const DvContactPair *pair)
{
    PenalityContactForceField *self = self_;
    look_back(self);
    penalty_watch_hold(&self->watch, list->bodies[pair->body[0]].object, list->bodies[pair->body[1]].object);
    self->watch.calls = 0;
    self->watch.implicit = false;
    contact_forces_take(&self->base, list, pair);
    self->base.forces++;
    if (self->base.capacity > self->capacity) {
        dv_free(self->penalty);
        self->capacity = self->base.capacity;
        self->penalty = dv_alloc(self->capacity, sizeof *self->penalty);
    }
    for (uint32_t i = 0; i < self->base.count; i++) {
        Penalty *penalty = &self->penalty[i];
        penalty->distance = list->distance;
        penalty->stiffness = 1.0;
        for (int side = 0; side < 2; side++) {
            const DvCollisionTraits *traits = &list->bodies[pair->body[side]].traits;
            penalty->distance += traits->distance + self->base.ends[i].side[side].radius;
            penalty->stiffness *= traits->stiffness;
        }
        if (penalty->distance != 0.0)
            penalty->stiffness /= penalty->distance;
        penalty->normal = dv_vec3_load(pair->contacts[self->base.listed[i]].normal);
        penalty->penetration = penalty->begun = 0.0;
    }
    if (self->watch.work && !(dv_node_time(dv_object_node(dv_object_of(self))) > 0.0))
        credit_overlap(self, pair);
    return DV_OK;
}

/* ---- Forces ---- */

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    PenalityContactForceField *self = self_;
    contact_forces_heed_edits(&self->base);
    self->base.forces++;
    for (uint32_t i = 0; i < self->base.count; i++) {
        Penalty *p = &self->penalty[i];
        ContactEnds *ends = &self->base.ends[i];
        p->penetration = p->distance - dv_vec3_dot(contact_span(ends, x), p->normal);
        if (p->penetration > 0.0)
            contact_push(ends, f, dv_vec3_scale(p->normal, p->stiffness * p->penetration));
    }
    if (self->watch.calls++ == 0)
        note_beginning(self, step, v);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)b;
    self->watch.implicit = true;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        const ContactEnds *ends = &self->base.ends[i];
        if (p->penetration > 0.0)
            contact_push(ends, df,
                         dv_vec3_scale(p->normal, -k * p->stiffness * dv_vec3_dot(contact_rate(ends, dx), p->normal)));
    }
}

/* ---- Products of states that devices keep ---- */

static void describe_side(void *self_, uint32_t side, DvOperator *out)
{
    PenalityContactForceField *self = self_;
    contact_rows_begin(&self->rows);
    for (uint32_t i = 0; i < self->base.count; i++)
        if (self->penalty[i].penetration > 0.0)
            contact_rows_add(&self->rows, &self->base, i, self->penalty[i].normal, self->penalty[i].stiffness);
    contact_rows_describe(&self->rows, &self->base, side, out);
}

static void describe_both(void *self, DvOperator *out)
{
    describe_side(self, 2, out);
}

static const DvOperatorOps operators = {
    .size = sizeof(DvOperatorOps), .version = contact_rows_version, .describe = describe_both};
static const DvOperatorOfSideOps side_operators = {.size = sizeof(DvOperatorOfSideOps), .describe = describe_side};

static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    PenalityContactForceField *self = self_;
    (void)step;
    double sum = 0.0;
    contact_forces_heed_edits(&self->base);
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        ContactEnds ends = self->base.ends[i];
        const double penetration = p->distance - dv_vec3_dot(contact_span(&ends, x), p->normal);
        if (penetration > 0.0)
            sum += 0.5 * p->stiffness * penetration * penetration;
    }
    return sum;
}

/* -ks n n^T between the points of both sides. */
static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    PenalityContactForceField *self = self_;
    (void)step, (void)b;
    self->watch.implicit = true;
    uint32_t coupling = 0;
    for (uint32_t i = 0; i < self->base.count; i++) {
        const Penalty *p = &self->penalty[i];
        coupling = contact_forces_assemble(&self->base, i, coupling, p->normal,
                                           p->penetration > 0.0 ? -k * p->stiffness : 0.0, view);
    }
}

static void force_of(void *self_, uint32_t index, double force[3])
{
    const PenalityContactForceField *self = self_;
    const uint32_t i = contact_forces_find(&self->base, index);
    const Penalty *p = i != UINT32_MAX ? &self->penalty[i] : NULL;
    dv_vec3_store(p && p->penetration > 0.0 ? dv_vec3_scale(p->normal, p->stiffness * p->penetration) : dv_vec3_zero(),
                  force);
}

static const DvForceFieldOps force_field = {
    CONTACT_FORCES_OPS, .add_force = add_force, .add_dforce = add_dforce, .assemble = assemble, .energy = energy,
};

static const DvContactResponseOps response = {.size = sizeof(DvContactResponseOps),
                                              .set_states = set_states,
                                              .set_contacts = set_contacts,
                                              .keeps_alive = keeps_alive,
                                              .force = force_of};

const DvClass dv_penality_contact_force_field = {
    CONTACT_FORCES_CLASS(&force_field, &response, &operators, &side_operators),
    .name = "PenalityContactForceField",
    .help = "Springs that push two models apart where they touch.",
    .instance_size = sizeof(PenalityContactForceField),
    .fields = fields,
    .cleanup = cleanup,
};
