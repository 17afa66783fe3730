/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.step-check/1: are all states still numbers after a step, and such as make sense; if not, where, why, and what to
 * do.
 *
 * A run that explodes can go on for long without reaching infinity. So a velocity is a failure too when it is larger than
 *
 *   growthLimit (size / dt + speed + g t)   and   1e9 a second
 *
 * with the size of the scene (of all points from the origin) and the largest speed at the start, gravity and the time since: a
 * million (the default) times what would cross the scene in a step or fall freely all the time. A position is one when it is
 * farther than any such velocity could have led, and than 1e9. The floor of 1e9, three times the speed of light in m/s, keeps scenes
 * out of this that have no size, or a small one in a large unit. growthLimit is a field of the animation loop; 0: never.
 *
 * What nothing has written since it was found good is not looked at again: fields count their writes, so this holds for every
 * MechanicalObject; the vectors of other states are always looked at. Positions and velocities of independent states are copied to vectors of
 * their own, wherever they live, so that a failed run can be saved as it was before; the same pass over them tells whether they are good.
 * Two copies take turns, as the one before must stay until all are. No limit is below the floor, so what is below it is good without
 * any. The cause is looked for in that last good state: what follows from
 * the scene as a whole is known here (no mass, all points fixed, no stiffness, a matrix that is singular), the rest is asked from
 * whoever offers divan.fault-cause/1; the likeliest answer is reported.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <divan/check.h>
#include <divan/contracts/fault_cause.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/topology.h>
#include <divan/memory.h>
#include <divan/plugin.h>
#include <divan/scene.h>
#include <divan/worst.h>

#include "mechanics.h"
#include "operations.h"
#include "state/vector_arithmetic.h"
#include "step_check.h"
#include "twins.h"

static DvMechanics *watched(DvNode *root)
{
    SceneMechanics *scene = mechanics_of_scene(root);
    if (!scene->watched)
        scene->watched = dv_mechanical_operations.open(root);
    return scene->watched;
}

static void forget(DvNode *root)
{
    SceneMechanics *scene = mechanics_of_scene(root);
    dv_mechanical_operations.close(scene->watched);
    scene->watched = NULL;
    step_check_forget_copies(root);
}

/* ---- Causes ---- */

/* Whether a force field or mass acts on a state or on one that is mapped from it. */
static bool acts_on(const DvMechanics *m, uint32_t actor, uint32_t state)
{
    if (actor == state)
        return true;
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        bool computes = false;
        for (uint32_t k = 0; k < mapping->outputs; k++)
            computes |= mapping_outputs_of(mapping)[k] == actor;
        for (uint32_t k = 0; computes && k < mapping->inputs; k++)
            if (acts_on(m, mapping_inputs_of(mapping)[k], state))
                return true;
    }
    return false;
}

static bool field_acts_on(const DvMechanics *m, const FieldItem *field, uint32_t state)
{
    for (uint32_t k = 0; k < field->state_count; k++)
        if (acts_on(m, field->states[k], state))
            return true;
    return false;
}

/* Mass of a point: 0 when nothing gives it one, NaN when that cannot be told (masses of mapped points). */
static double mass_of(const DvMechanics *m, uint32_t state, uint32_t point)
{
    double mass = 0.0;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        const FieldItem *field = field_at(m, i);
        if (!field->mass || !field_acts_on(m, field, state))
            continue;
        if (field->states[0] != state || !field->mass->point_mass)
            return NAN;
        mass += field->mass->point_mass(field->self, point);
    }
    return mass;
}

static bool has_mass(const DvMechanics *m, uint32_t state)
{
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (field_at(m, i)->mass && field_acts_on(m, field_at(m, i), state))
            return true;
    return false;
}

static const DvOdeSolverOps *solver_of(const DvMechanics *m, uint32_t state, void **self, DvObject **object)
{
    const DvNode *node = dv_object_node(m->states[state].ref.object);
    *object = node ? dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP) : NULL;
    *self = *object ? dv_object_self(*object) : NULL;
    return *object ? dv_object_ops(*object, DV_ODE_SOLVER) : NULL;
}

/* One whose unknown is an acceleration or nothing, so that it acts on velocities by dt at most: it takes the forces at the start of the
 * step. */
static bool is_explicit(const DvMechanics *m, uint32_t state)
{
    void *self;
    DvObject *object;
    const DvOdeSolverOps *solver = solver_of(m, state, &self, &object);
    return solver && solver->velocity_factor && !(solver->velocity_factor(self, 1e-3) >= 1.0);
}

static double lightest_point(const DvMechanics *m, uint32_t state)
{
    double lightest = INFINITY;
    for (uint32_t point = 0; point < state_count(m->states[state].ref); point++) {
        const double mass = mass_of(m, state, point);
        if (mass > 0.0 && mass < lightest)
            lightest = mass;
    }
    return lightest;
}

typedef struct FixedCount {
    uint32_t state;
    bool *fixed; /* [points x deriv] */
    uint32_t deriv, points;
} FixedCount;

static void count_fixed(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    (void)state;
    const FixedCount *count = context;
    if (point < count->points && component < count->deriv)
        count->fixed[(size_t)point * count->deriv + component] = true;
}

static bool all_fixed(const DvMechanics *m, uint32_t state, const DvStep *step)
{
    const DvStateRef s = m->states[state].ref;
    FixedCount count = {state, NULL, s.dof->deriv, state_count(s)};
    const size_t unknowns = (size_t)count.points * count.deriv;
    count.fixed = dv_alloc(unknowns, sizeof *count.fixed);
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->state_count == 1 && constraint->states[0] == state && constraint->ops->fixed)
            constraint->ops->fixed(constraint->self, step, count_fixed, &count);
    }
    bool all = unknowns > 0;
    for (size_t i = 0; all && i < unknowns; i++)
        all = count.fixed[i];
    dv_free(count.fixed);
    return all;
}

static bool has_stiffness(const DvMechanics *m, uint32_t state)
{
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (field_at(m, i)->ops->add_dforce && field_acts_on(m, field_at(m, i), state))
            return true;
    return false;
}

/* ---- What components and plugins say ---- */

static bool concerns(const DvFault *fault, DvObject *state)
{
    const DvMechanics *m = fault->owner;
    const uint32_t actor = mechanics_find_state(m, state);
    return actor != UINT32_MAX && acts_on(m, actor, mechanics_find_state(m, fault->state));
}

static DvConstVec good(const DvFault *fault, DvObject *state, DvVecId id)
{
    const DvMechanics *m = fault->owner;
    const DvStateRef s = dv_state_ref(state);
    const uint32_t slot = mechanics_find_state(m, state);
    const Watch *watch = slot == UINT32_MAX ? NULL : &m->states[slot].watch[dv_vec_kind(id) == DV_COORDS ? X : V];
    const bool kept = watch && watch->copies & WATCH_KEPT;
    return s.ops ? dv_state_read(s, kept ? copy_of(id, watch->copies) : id) : (DvConstVec){NULL, 0, 0};
}

typedef struct Answer {
    double likelihood;
    DvText cause, remedy;
} Answer;

/* Takes the texts, of the likelier answer. */
static void offer(Answer *best, Answer other)
{
    const bool better = other.likelihood > best->likelihood;
    Answer *loser = better ? best : &other;
    dv_text_free(&loser->cause);
    dv_text_free(&loser->remedy);
    if (better)
        *best = other;
}

static void offer_own(Answer *best, double likelihood, const char *cause, const char *remedy)
{
    Answer answer = {.likelihood = likelihood};
    dv_text_add(&answer.cause, "%s", cause);
    dv_text_add(&answer.remedy, "%s", remedy);
    offer(best, answer);
}

static void ask(Answer *best, const DvFaultCauseOps *ops, void *self, const DvFault *fault)
{
    Answer answer = {0};
    answer.likelihood = ops->explain(self, fault, &answer.cause, &answer.remedy);
    offer(best, answer);
}

static void ask_all(Answer *best, const DvFault *fault)
{
    const size_t objects = dv_node_find_all(fault->root, DV_FAULT_CAUSE, DV_SEARCH_DOWN, NULL, 0);
    DvObject **list = dv_alloc(objects, sizeof(DvObject *));
    (void)dv_node_find_all(fault->root, DV_FAULT_CAUSE, DV_SEARCH_DOWN, list, objects);
    for (size_t i = 0; i < objects; i++)
        if (dv_object_is_valid(list[i]))
            ask(best, dv_object_ops(list[i], DV_FAULT_CAUSE), dv_object_self(list[i]), fault);
    dv_free(list);
    const size_t plugins = dv_services(DV_FAULT_CAUSE, NULL, 0);
    const void **services = dv_alloc(plugins, sizeof(void *));
    (void)dv_services(DV_FAULT_CAUSE, services, plugins);
    for (size_t i = 0; i < plugins; i++)
        ask(best, services[i], NULL, fault);
    dv_free(services);
}

/* What follows from the scene as a whole; something always does. */
static void ask_myself(Answer *best, const DvMechanics *m, uint32_t state, const DvFault *fault)
{
    const DvStep step = {.time = fault->time, .dt = fault->dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const double mass = mass_of(m, state, fault->point);
    const bool stiff = has_stiffness(m, state);
    char text[128];
    if (mass == 0.0 && (fault->explicit_solver || !stiff)) {
        (void)snprintf(text, sizeof text, "no mass (point %u has none)", fault->point);
        offer_own(best, DV_FAULT_CERTAIN, text, "add a UniformMass, DiagonalMass or MeshMatrixMass that covers it");
    }
    if (all_fixed(m, state, &step))
        offer_own(best, 0.7, "all points fixed", "leave some of them free, or take the solver away");
    if (fault->explicit_solver) {
        (void)snprintf(text, sizeof text, "step too large for the stiffest element (dt is %.3g s)", fault->dt);
        offer_own(best, 0.3, text, "use a smaller dt, or EulerImplicitSolver");
    }
    if (!stiff && !(mass > 0.0))
        offer_own(best, 0.2, "no stiffness", "add a force field, or a mass for each point");
    offer_own(best, 0.01, "none that a component has seen",
              "use a smaller dt, and look at what moves fastest in the last good state");
}

/* ---- Steps ---- */

/* What is wrong with a vector of a state. */
typedef struct Wrong {
    uint32_t state, point;
    bool position;
    double value, limit; /* a limit of 0: the value is not finite */
} Wrong;

/* The largest number of a vector; of coordinates only those of a place. */
static double largest(DvStateRef s, DvVecId id)
{
    double most = 0.0;
    const DvConstVec a = state_has(s, id) ? dv_state_read(s, id) : (DvConstVec){0};
    const uint32_t numbers = dv_vec_kind(id) == DV_COORDS && s.dof->rotation ? s.dof->spatial : a.dim;
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t c = 0; c < numbers; c++)
            most = fmax(most, fabs(a.at[(size_t)i * a.dim + c]));
    return most;
}

/* The run begins, or begins anew. */
static void measure(const DvMechanics *m, DvNode *root, struct Growth *growth)
{
    DvObject *loop = dv_node_slot(root, DV_ANIMATION_LOOP);
    DvData *factor = loop ? dv_object_field(loop, "growthLimit") : NULL;
    *growth =
        (struct Growth){.known = true, .factor = factor ? dv_data_double(factor) : 1e6, .started = dv_node_time(root)};
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        if (state_at(m, i)->kind == STATE_EXTERNAL)
            continue;
        growth->size = fmax(growth->size, largest(state_at(m, i)->ref, DV_POSITION));
        growth->speed = fmax(growth->speed, largest(state_at(m, i)->ref, DV_VELOCITY));
    }
}

/* Without a call; a NaN in b does not count. */
static double larger(double a, double b)
{
    return b > a ? b : a;
}

/* What limits follow from, as of now: what they were in the steps before may count. */
static void follow_growth(const DvMechanics *m, DvNode *root, uint64_t number)
{
    struct Growth *growth = &m->scene->growth;
    const double *g = dv_node_gravity(root);
    if (!growth->known || number == 0 || dv_node_time(root) < growth->started)
        measure(m, root, growth);
    growth->gravity = larger(growth->gravity, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
}

/* The largest velocity that makes sense, or the farthest place; infinite: all does. Neither is below LEAST_SENSELESS. */
static double limit_of(const DvMechanics *m, DvNode *root, DvVecId id)
{
    const struct Growth *growth = &m->scene->growth;
    const double dt = dv_node_dt(root);
    if (!(growth->factor > 0.0) || !(dt > 0.0))
        return INFINITY;
    const double time = dv_node_time(root) - growth->started + dt;
    const double velocity =
        larger(LEAST_SENSELESS, growth->factor * (growth->size / dt + growth->speed + growth->gravity * time));
    return id == DV_VELOCITY ? velocity : LEAST_SENSELESS + velocity * time;
}

/* Which number of a vector is not finite, or above the limit (infinite: none is); false: none. */
static __attribute__((noinline)) bool find_wrong(DvStateRef s, DvVecId id, double limit, Wrong *wrong)
{
    *wrong = (Wrong){.point = s.ops->first_not_finite(s.self, id), .position = dv_vec_kind(id) == DV_COORDS};
    if (wrong->point != UINT32_MAX)
        return true;
    if (limit == INFINITY)
        return false;
    const DvConstVec a = dv_state_read(s, id);
    for (size_t i = 0; i < (size_t)a.count * a.dim; i++)
        if (fabs(a.at[i]) > limit) {
            wrong->point = (uint32_t)(i / a.dim);
            wrong->value = a.at[i];
            wrong->limit = limit;
            return true;
        }
    return false;
}

static DvStatus report(const DvMechanics *m, DvNode *root, Wrong wrong, uint64_t number)
{
    const uint32_t state = wrong.state, point = wrong.point;
    const DvObject *object = m->states[state].ref.object;
    /* A mapped state follows from others: the cause is there. */
    uint32_t cause = state;
    for (uint32_t i = m->mapping_list.count; m->states[cause].kind == STATE_MAPPED && i-- > 0;)
        for (uint32_t k = 0; k < mapping_at(m, i)->outputs; k++)
            if (mapping_outputs_of(mapping_at(m, i))[k] == cause)
                cause = mapping_inputs_of(mapping_at(m, i))[0];
    const DvFault fault = {
        .root = root,
        .state = m->states[cause].ref.object,
        .point = cause == state ? point : 0,
        .time = dv_node_time(m->node),
        .dt = dv_node_dt(m->node),
        .explicit_solver = is_explicit(m, cause),
        .lightest = lightest_point(m, cause),
        .owner = m,
        .concerns = concerns,
        .good = good,
    };
    Answer answer = {0};
    ask_myself(&answer, m, cause, &fault);
    ask_all(&answer, &fault);
    char when[48];
    if (number)
        (void)snprintf(when, sizeof when, "after step %llu", (unsigned long long)number);
    else
        (void)snprintf(when, sizeof when, "before the first step");
    const char *what = wrong.position ? "position" : "velocity";
    const DvStatus status =
        wrong.limit == 0.0
            ? dv_error(object, DV_ERROR_NOT_FINITE, "the %s of point %u is not finite %s; likely cause: %s; %s", what,
                       point, when, answer.cause.at, answer.remedy.at)
            : dv_error(
                  object, DV_ERROR_NOT_FINITE,
                  "the %s of point %u is %.3g %s, implausibly large for this scene (more than %.3g, by growthLimit "
                  "of the animation "
                  "loop); likely cause: %s; %s",
                  what, point, wrong.value, when, wrong.limit, answer.cause.at, answer.remedy.at);
    dv_text_free(&answer.cause);
    dv_text_free(&answer.remedy);
    return status;
}

/* The sum of squares of a vector of any state, wherever it lives; copied first, if it exists and is to be kept. */
static double look(DvStateRef s, DvVecId id, Watch *watch, bool keeps)
{
    keeps = keeps && state_has(s, id);
    if (keeps && !(watch->copies & WATCH_KEPT))
        make_copies(s, id);
    watch->copies = keeps ? (watch->copies ^ WATCH_ODD) | WATCH_KEPT : 0;
    if (keeps)
        state_combine(s, copy_of(id, watch->copies), id, DV_NO_VEC, 0.0);
    return s.ops->dot(s.self, id, id); /* zero of a vector that does not exist */
}

/* Whether a vector is good; what is wrong of one that is not. */
static __attribute__((noinline)) bool is_good(const DvMechanics *m, DvNode *root, StateItem *state, DvVecId id,
                                              Wrong *wrong)
{
    const bool keeps = state->kind == STATE_INDEPENDENT;
    const double limit = keeps ? limit_of(m, root, id) : INFINITY;
    const uint64_t version = version_of(state->ref, id);
    Watch *watch = &state->watch[id == DV_POSITION ? X : V];
    const bool is_known = version && (watch->copies & WATCH_KEPT) == keeps;
    if (is_known && (version == watch->version || (version == watch->judged && limit >= watch->limit)))
        return true;
    watch->version = watch->judged = 0;
    if (watch->turn != m->scene->turn) { /* else it has just been copied, and is not surely good */
        watch->before = watch->copies;
        watch->turn = m->scene->turn;
        if (look(state->ref, id, watch, keeps) <= SURELY_GOOD) {
            watch->version = version;
            return true;
        }
    }
    watch->judged = version;
    watch->limit = limit;
    return !find_wrong(state->ref, id, limit, wrong);
}

/* The same for the vectors that nearly all are, of states that have been looked at before. False: that is not enough to tell. */
static inline __attribute__((always_inline)) bool is_surely_good(MechanicalObject *own, DvVecId id, Watch *watch,
                                                                 bool keeps, uint64_t turn)
{
    const DvData *data = own->at_hand[id];
    const unsigned copies = watch->copies;
    if (!data || (copies & WATCH_KEPT) != keeps)
        return false;
    const uint64_t version = data->version;
    if (version == watch->version)
        return true;
    if (watch->judged || data->count != own->count || data->flags & DV_DATA_DIRTY)
        return false;
    const size_t numbers = mechanical_object_length_of(own, id);
    watch->turn = turn;
    watch->before = (uint8_t)copies;
    double squares;
    if (keeps) {
        watch->copies = (uint8_t)(copies ^ WATCH_ODD);
        squares = dv_array_copy_dot(own->own.of[copy_of(id, watch->copies)].at, data->value, numbers);
    } else {
        squares = dv_array_dot(data->value, data->value, numbers);
    }
    if (!(squares <= SURELY_GOOD))
        return false;
    watch->version = version;
    return true;
}

static inline bool is_surely_good_state(StateItem *state, bool keeps, uint64_t turn)
{
    MechanicalObject *own = state->ref.ops == &mechanical_object_state_ops ? state->ref.self : NULL;
    return own && is_surely_good(own, DV_POSITION, &state->watch[X], keeps, turn) &&
           (!keeps || is_surely_good(own, DV_VELOCITY, &state->watch[V], true, turn));
}

/* A check has failed: what it has looked at is as it was before. */
static void take_back(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->state_list.count; i++)
        for (int k = X; k <= V; k++) {
            Watch *watch = &state_at(m, i)->watch[k];
            if (watch->turn != m->scene->turn)
                continue;
            watch->copies = watch->before;
            watch->version = watch->judged = 0;
        }
}

static DvStatus check_states(DvMechanics *m, DvNode *root, uint64_t number)
{
    follow_growth(m, root, number);
    const uint64_t turn = ++m->scene->turn;
    if (m->elsewhere) {
        step_check_look_at_devices(m, turn);
        const DvStatus fault = step_check_device_fault(m);
        if (fault != DV_OK) {
            take_back(m);
            return fault;
        }
    }
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        StateItem *state = state_at(m, i);
        Wrong wrong;
        if (state->kind == STATE_EXTERNAL)
            continue;
        const bool independent = state->kind == STATE_INDEPENDENT;
        if (is_surely_good_state(state, independent, turn) ||
            (is_good(m, root, state, DV_POSITION, &wrong) &&
             (!independent || is_good(m, root, state, DV_VELOCITY, &wrong))))
            continue;
        wrong.state = m->state_list.at[i];
        take_back(m);
        return report(m, root, wrong, number);
    }
    return DV_OK;
}

static DvStatus check(DvNode *root, uint64_t number)
{
    DvMechanics *m = watched(root);
    mechanics_update(m);
    const DvStatus fault = m->scene->fault;
    m->scene->fault = DV_OK;
    if (fault != DV_OK)
        return fault;
    if (m->elsewhere && step_check_device_fault(m) != DV_OK)
        return step_check_device_fault(m);
    if (number == 0 && !m->scene->inertia_said) { /* once, after everything has been initialised */
        m->scene->inertia_said = true;
        (void)default_inertia_lint(m);
    }
    dv_phase_begin("step check");
    const DvStatus status = check_states(m, root, number);
    if (m->elsewhere && status == DV_OK)
        step_check_keep(m, number);
    dv_phase_end();
    return status;
}

static bool restore_last_good(DvNode *root)
{
    DvMechanics *m = watched(root);
    mechanics_update(m);
    const bool came_home = m->elsewhere && step_check_device_fault(m) != DV_OK;
    bool any = came_home && step_check_leave_devices(m, root);
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        const Watch *watch = independent_at(m, i)->watch;
        if (watch[X].copies & WATCH_KEPT)
            state_combine(s, DV_POSITION, copy_of(DV_POSITION, watch[X].copies), DV_NO_VEC, 0.0);
        if (watch[V].copies & WATCH_KEPT)
            state_combine(s, DV_VELOCITY, copy_of(DV_VELOCITY, watch[V].copies), DV_NO_VEC, 0.0);
        any |= watch[X].copies & WATCH_KEPT;
    }
    /* What the failed step left in forces and search directions is no part of the good state. */
    static const DvVecId scratch[] = {DV_FORCE, DV_DX, DV_DFORCE};
    for (uint32_t i = 0; i < m->state_list.count; i++)
        for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++) {
            const DvStateRef s = state_at(m, i)->ref;
            if (state_has(s, scratch[k]))
                state_clear(s, scratch[k]);
        }
    const DvStep step = {
        .time = dv_node_time(root), .dt = dv_node_dt(root), .position = DV_POSITION, .velocity = DV_VELOCITY};
    dv_mechanical_operations.propagate_position(m, &step, DV_POSITION);
    dv_mechanical_operations.propagate_velocity(m, &step, DV_VELOCITY);
    return any;
}

/* ---- Before the first step ---- */

/* Whether the angular part of M is a multiple of the identity at each body. */
static bool is_round(const FieldItem *mass, DvStateRef state)
{
    enum { N = 6 };
    const uint32_t bodies = state_count(state);
    const size_t numbers = (size_t)bodies * N;
    double *unit = dv_alloc(numbers, sizeof *unit), *product = dv_alloc(3 * numbers, sizeof *product);
    for (size_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < bodies; i++)
            for (size_t c = 0; c < 3; c++)
                unit[(size_t)i * N + 3 + c] = c == axis ? 1.0 : 0.0;
        mass->mass->add_mdx(mass->self, 1.0, (DvConstVec){unit, bodies, N},
                            (DvVec){product + axis * numbers, bodies, N});
    }
    bool round = true;
    for (uint32_t i = 0; i < bodies; i++)
        for (size_t axis = 0; axis < 3; axis++)
            for (size_t c = 0; c < 3; c++) {
                const size_t at = (size_t)i * N + 3;
                const double expected = c == axis ? product[at] : 0.0;
                round &= fabs(product[axis * numbers + at + c] - expected) <= 1e-9 * fabs(product[at]);
            }
    dv_free(unit);
    dv_free(product);
    return round;
}

/* Bodies whose inertia does not turn with them, though it should. */
static size_t lint_inertia(const DvMechanics *m)
{
    uint32_t masses = 0;
    DvObject *first = NULL;
    DvText more = {0};
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        const DvStateRef s = m->states[mass->states[0]].ref;
        const bool asked = s.dof == &dv_rigid3d && mass->mass->space == DV_HOST;
        DvData *turning = asked ? dv_object_field(mass->object, "turningInertia") : NULL;
        if (!turning || dv_data_bool(turning) || is_round(mass, s))
            continue;
        if (masses++ == 0)
            first = mass->object;
        else if (masses <= DV_WORST_KEPT + 1)
            dv_text_add(&more, "%s'%s'", masses > 2 ? ", " : "", dv_object_path(mass->object));
    }
    char others[64] = "";
    if (masses > 1)
        (void)snprintf(others, sizeof others, "; the same holds for %u more: ", masses - 1);
    if (masses)
        dv_warning(first,
                   "its inertia is not a multiple of the identity, and stays in world axes while the body turns; "
                   "turningInertia=\"1\" lets it turn%s%s%s",
                   others, more.at ? more.at : "", masses > DV_WORST_KEPT + 1 ? ", ..." : "");
    dv_text_free(&more);
    return masses > 0;
}

/* A loader whose fields nothing follows has read its file for nothing. */
static size_t lint_loader(DvObject *object)
{
    if (!dv_object_ops(object, DV_LOADER) || !dv_object_is_valid(object))
        return 0;
    for (size_t i = 0; i < dv_object_field_count(object); i++)
        if (dv_data_was_followed(dv_object_field_at(object, i)))
            return 0;
    dv_warning(
        object,
        "no component uses what it reads; write src=\"@%s\" in a topology container, a MechanicalObject or a visual "
        "model after it",
        dv_object_name(object));
    return 1;
}

static DvVisit lint_loaders(DvNode *node, void *problems)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        *(size_t *)problems += lint_loader(object);
    return DV_VISIT_CONTINUE;
}

static size_t lint(DvNode *root)
{
    size_t problems = 0;
    dv_visit(root, &(const DvVisitor){.top_down = lint_loaders, .enters_sleeping = true}, &problems);
    DvMechanics *m = watched(root);
    mechanics_update(m);
    problems += lint_inertia(m) + default_inertia_lint(m);
    for (uint32_t i = 0; i < m->field_list.count && m->elsewhere; i++)
        (void)field_twin(m, field_at(m, i)); /* says who acts on the host, and why */
    for (uint32_t i = 0; i < m->mapping_list.count && m->elsewhere; i++)
        (void)mapping_twin(m, mapping_at(m, i));
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t state = m->independent.at[i];
        const DvStateRef s = m->states[state].ref;
        void *self;
        DvObject *solver;
        if (state_count(s) == 0 || !m->states[state].loads)
            continue;
        if (!solver_of(m, state, &self, &solver) && solver)
            continue; /* it cannot be used, as has been told */
        if (!solver) {
            dv_warning(s.object, "no solver moves it: put an ODE solver (EulerImplicitSolver...) in its node or above");
            problems++;
        } else if (!has_mass(m, state) && !dv_object_is_a(solver, "StaticSolver")) {
            dv_warning(s.object, "it has no mass: add a UniformMass, DiagonalMass or MeshMatrixMass to its node");
            problems++;
        }
    }
    return problems;
}

const DvStepCheckOps dv_step_check = {
    .size = sizeof(DvStepCheckOps),
    .check = check,
    .restore_last_good = restore_last_good,
    .lint = lint,
    .forget = forget,
};
