/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Natural modes (divan.natural-modes/1): K v = value M v over all that is below a node.
 *
 * Values are found from a shift below zero, K - shift M, which is positive definite also where a body is free. The first shift is a guess;
 * when it turns out to be far from the first value, modes are found once more with one that is as large.
 */
#include "modal/modes.h"
#include "modal/modal_problem.h"

#include <divan/contracts/dense.h>
#include <divan/contracts/eigenpairs.h>
#include <divan/contracts/solver.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

enum {
    FEW = 240,   /* unknowns of which all modes are found */
    MOST = 2000, /* the same, where that is the only way */
    BASIS = 20   /* vectors that the iteration has beside two for each mode */
};

/* Values below this part of the mean are those of motions that nothing holds, to rounding. */
static const double ZERO = 1e-12;

struct DvModes {
    ModalProblem problem;
    uint32_t count;
    double *values, *shapes;    /* [count], [count x n] */
    DvVecId position, velocity; /* as they were; at first DV_NO_VEC, which is zero */
};

/* Into the vector v of the mechanics, and from there. */
static void scatter(const ModalProblem *p, DvVecId v, const double *x, double *scratch)
{
    for (size_t i = 0; i < p->n; i++)
        scratch[i] = p->held[i] ? 0.0 : x[i];
    p->ops->scatter(p->m, v, scratch);
    p->ops->project_response(p->m, &p->step, v, DV_WALK_WHOLE);
}

static void gather(const ModalProblem *p, double *y, DvVecId v)
{
    p->ops->project_response(p->m, &p->step, v, DV_WALK_WHOLE);
    p->ops->gather(p->m, y, v);
    for (size_t i = 0; i < p->n; i++)
        if (p->held[i])
            y[i] = 0.0;
}

void dv_modal_project(const ModalProblem *p, double *y, const double *x)
{
    scatter(p, p->y, x, y);
    gather(p, y, p->y);
}

void dv_modal_product(const ModalProblem *p, DvFactors f, double *y, const double *x)
{
    scatter(p, p->x, x, y);
    p->ops->clear(p->m, p->y);
    p->ops->add_mbk(p->m, &p->step, f, p->y, p->x, DV_WALK_WHOLE);
    gather(p, y, p->y);
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Some of all modes, the same in each run: numbers in [1/2, 1) of either sign. */
static void start_vector(const ModalProblem *p, double *start)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < p->n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double size = 0.5 + (double)(seed >> 12) * 0x1p-53;
        start[i] = seed >> 63 ? -size : size;
    }
    dv_modal_project(p, start, start);
}

/* What is there at all. */
static DvStatus check(const ModalProblem *p, double mass, double stiffness, double size)
{
    if (!isfinite(mass) || !isfinite(stiffness))
        return dv_error(p->owner, DV_ERROR_NOT_FINITE, "the masses or stiffnesses of this state are not finite");
    if (!(mass > 0.0))
        return dv_error(p->owner, DV_ERROR_MISSING,
                        "nothing that moves has mass, so that there are no natural frequencies; add a UniformMass or a "
                        "MeshMatrixMass to each body");
    if (size == 0.0)
        return dv_error(p->owner, DV_ERROR_MISSING,
                        "nothing resists a small displacement, so that all natural frequencies are zero; add a force "
                        "field with stiffness, such as TetrahedronFEMForceField or SpringForceField");
    return DV_OK;
}

/* How large values are; and what has neither mass nor stiffness, such as an obstacle, is held. */
static DvStatus measure(ModalProblem *p, double *start, double *product)
{
    double *masses = dv_alloc(p->n, sizeof *masses);
    dv_modal_product(p, (DvFactors){.m = 1.0}, masses, start);
    dv_modal_product(p, (DvFactors){.k = -1.0}, product, start);
    const double mass = dot(p->n, start, masses), stiffness = dot(p->n, start, product),
                 size = dot(p->n, product, product);
    size_t loose = 0;
    for (size_t i = 0; i < p->n; i++)
        if (masses[i] == 0.0 && product[i] == 0.0 && start[i] != 0.0) {
            p->held[i] = true;
            loose++;
        }
    dv_free(masses);
    const DvStatus status = check(p, mass, stiffness, size);
    if (status != DV_OK)
        return status;
    if (loose > 0)
        dv_remark(p->owner, "%zu unknowns have neither mass nor stiffness, and take no part in its modes", loose);
    p->scale = fabs(stiffness) / mass;
    if (p->scale == 0.0)
        p->scale = sqrt(size * dot(p->n, start, start)) / mass;
    p->shift = -1e-6 * p->scale;
    start_vector(p, start);
    return DV_OK;
}

static size_t moving_unknowns(const ModalProblem *p, const double *projected)
{
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++)
        count += projected[i] != 0.0;
    return count;
}

static DvStatus check_count(const DvModes *modes, const double *projected)
{
    const size_t moving = moving_unknowns(&modes->problem, projected);
    if (modes->count <= moving)
        return DV_OK;
    return dv_error(modes->problem.owner, DV_ERROR_INVALID, "%u modes are asked for, of %zu unknowns that may move",
                    modes->count, moving);
}

/* The way to them; which unknowns move and which way is possible decide. */
static DvStatus find_once(DvModes *modes, double *start)
{
    ModalProblem *p = &modes->problem;
    const size_t moving = moving_unknowns(p, start), basis = 2 * (size_t)modes->count + BASIS;
    const bool assembles = p->ops->prefers_assembled(p->m, UINT32_MAX);
    if (p->n > FEW && assembles && moving > basis)
        return dv_modal_sparse(p, modes->count, start, modes->values, modes->shapes);
    if (p->n <= MOST)
        return dv_modal_dense(p, modes->count, modes->values, modes->shapes);
    if (!assembles)
        return dv_error(
            p->owner, DV_ERROR_LIMIT,
            "some component below cannot give a matrix, so that modes are found of at most %d unknowns, not "
            "of %zu",
            MOST, p->n);
    return dv_error(p->owner, DV_ERROR_LIMIT, "%u modes are asked for: of %zu unknowns that may move at most %zu",
                    modes->count, moving, (moving - BASIS - 1) / 2);
}

static void find_zeros(DvModes *modes)
{
    for (uint32_t k = 0; k < modes->count; k++)
        if (fabs(modes->values[k]) <= ZERO * modes->problem.scale)
            modes->values[k] = 0.0;
}

/* The largest entry of each shape is positive. */
static void turn_shapes(const DvModes *modes)
{
    const size_t n = modes->problem.n;
    for (uint32_t k = 0; k < modes->count; k++) {
        double *shape = modes->shapes + n * k;
        size_t largest = 0;
        for (size_t i = 1; i < n; i++)
            if (fabs(shape[i]) > 1.000001 * fabs(shape[largest]))
                largest = i;
        if (shape[largest] < 0.0)
            for (size_t i = 0; i < n; i++)
                shape[i] = -shape[i];
    }
}

static DvStatus find_modes(DvModes *modes, double *start, double *product)
{
    ModalProblem *p = &modes->problem;
    start_vector(p, start);
    DvStatus status = check_count(modes, start);
    if (status == DV_OK)
        status = measure(p, start, product);
    if (status == DV_OK)
        status = check_count(modes, start);
    if (status == DV_OK)
        status = find_once(modes, start);
    if (status != DV_OK)
        return status;
    find_zeros(modes);
    double first = 0.0;
    for (uint32_t k = modes->count; k-- > 0;)
        if (modes->values[k] != 0.0)
            first = modes->values[k];
    const double size = fabs(first);
    if (size > 0.0 && (size > 30.0 * -p->shift || size < -p->shift / 30.0)) {
        p->shift = first > 0.0 ? -first : 2.0 * first;
        start_vector(p, start);
        status = find_once(modes, start);
        find_zeros(modes);
    }
    if (status == DV_OK)
        turn_shapes(modes);
    return status;
}

static const double *values(const DvModes *modes)
{
    return modes->values;
}

static size_t unknowns(const DvModes *modes)
{
    return modes->problem.n;
}

static void keep_state(DvModes *modes)
{
    const ModalProblem *p = &modes->problem;
    p->ops->combine(p->m, modes->position, DV_POSITION, DV_NO_VEC, 0.0);
    p->ops->combine(p->m, modes->velocity, DV_VELOCITY, DV_NO_VEC, 0.0);
}

static void propagate(const ModalProblem *p)
{
    p->ops->propagate_position(p->m, &p->step, DV_POSITION);
    p->ops->propagate_velocity(p->m, &p->step, DV_VELOCITY);
}

static void show(DvModes *modes, uint32_t mode, double amplitude)
{
    const ModalProblem *p = &modes->problem;
    p->ops->scatter(p->m, DV_VELOCITY, modes->shapes + p->n * mode);
    p->ops->combine(p->m, DV_POSITION, modes->position, DV_VELOCITY, amplitude);
    propagate(p);
}

static void free_modes(DvModes *modes)
{
    if (modes == NULL)
        return;
    const ModalProblem *p = &modes->problem;
    if (p->m != NULL) {
        if (modes->velocity != DV_NO_VEC) {
            p->ops->combine(p->m, DV_POSITION, modes->position, DV_NO_VEC, 0.0);
            p->ops->combine(p->m, DV_VELOCITY, modes->velocity, DV_NO_VEC, 0.0);
            propagate(p);
        }
        const DvVecId taken[] = {p->x, p->y, modes->position, modes->velocity};
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            if (taken[i] != DV_NO_VEC)
                p->ops->release(p->m, taken[i]);
        p->ops->close(p->m);
    }
    dv_free(p->held);
    dv_free(modes->values);
    dv_free(modes->shapes);
    dv_free(modes);
}

static bool take_vectors(DvModes *modes)
{
    ModalProblem *p = &modes->problem;
    p->x = p->ops->allocate(p->m, DV_DERIVS);
    p->y = p->ops->allocate(p->m, DV_DERIVS);
    modes->position = p->ops->allocate(p->m, DV_COORDS);
    modes->velocity = p->ops->allocate(p->m, DV_DERIVS);
    if (p->x == DV_NO_VEC || p->y == DV_NO_VEC || modes->position == DV_NO_VEC || modes->velocity == DV_NO_VEC)
        return false;
    keep_state(modes);
    return true;
}

/* What an animation loop does not move: states below no integrator, where there is one at all. */
static void hold_resting_states(ModalProblem *p)
{
    const uint32_t count = p->ops->states(p->m, DV_STATES_INDEPENDENT, NULL, 0);
    DvObject **states = dv_alloc(count + 1, sizeof(DvObject *));
    (void)p->ops->states(p->m, DV_STATES_INDEPENDENT, states, count);
    bool some_move = false;
    for (uint32_t s = 0; s < count; s++)
        some_move = some_move || dv_node_find(dv_object_node(states[s]), DV_ODE_SOLVER, DV_SEARCH_UP) != NULL;
    for (uint32_t s = 0; some_move && s < count; s++) {
        if (dv_node_find(dv_object_node(states[s]), DV_ODE_SOLVER, DV_SEARCH_UP) != NULL)
            continue;
        const DvStateRef state = dv_state_ref(states[s]);
        const size_t first = p->ops->offset(p->m, states[s]),
                     unknowns = (size_t)dv_state_count(state) * state.dof->deriv;
        for (size_t i = 0; first != SIZE_MAX && i < unknowns; i++)
            p->held[first + i] = true;
    }
    dv_free(states);
}

static bool open_modes(DvModes *modes, DvNode *node)
{
    ModalProblem *p = &modes->problem;
    p->owner = dv_node_object(node);
    p->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (dv_service(DV_EIGENPAIRS) == NULL || dv_service(DV_DENSE) == NULL) {
        (void)dv_error(
            p->owner, DV_ERROR_MISSING,
            "natural frequencies need the plugin divan.lapack, which is not there: it is built where LAPACK and ARPACK "
            "are installed (Debian: liblapacke-dev libarpack2-dev)");
        return false;
    }
    p->m = p->ops->open(node);
    p->n = p->ops->unknowns(p->m);
    if (p->n == 0) {
        (void)dv_error(p->owner, DV_ERROR_MISSING, "nothing moves here: there is no MechanicalObject with points");
        return false;
    }
    p->step =
        (DvStep){.time = dv_node_time(node), .dt = dv_node_dt(node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    p->held = dv_alloc(p->n, sizeof *p->held);
    hold_resting_states(p);
    return take_vectors(modes);
}

static DvModes *find(DvNode *node, uint32_t count)
{
    DvModes *modes = dv_alloc(1, sizeof *modes);
    modes->count = count;
    bool good = open_modes(modes, node);
    if (good) {
        const ModalProblem *p = &modes->problem;
        double *start = dv_alloc(2 * p->n, sizeof *start);
        modes->values = dv_alloc(count, sizeof *modes->values);
        good = dv_memory_ask(p->owner, 8.0 * (double)p->n * count, "the shapes of %u modes of %zu unknowns", count,
                             p->n) == DV_OK;
        if (good) {
            modes->shapes = dv_alloc(p->n * count, sizeof *modes->shapes);
            propagate(p);
            p->ops->compute_force(p->m, &p->step, DV_FORCE, DV_WALK_WHOLE);
            good = find_modes(modes, start, start + p->n) == DV_OK;
        }
        dv_free(start);
    }
    if (good)
        return modes;
    free_modes(modes);
    return NULL;
}

const DvModesOps dv_natural_modes = {
    .size = sizeof(DvModesOps),
    .find = find,
    .free = free_modes,
    .values = values,
    .unknowns = unknowns,
    .show = show,
};
