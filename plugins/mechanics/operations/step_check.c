/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.step-check/1: are all states still numbers after a step; if not, where, why, and what to do.
 *
 * After each good step the positions and velocities of the independent states are copied to vectors of their own, wherever
 * they live, so that a failed run can be saved as it was before. The cause is looked for in that last good state, in a fixed
 * list, from what can be told for certain to what remains:
 *   no mass, step too large for the stiffest element, inverted element, all points fixed, no stiffness, singular matrix
 */
#include <math.h>
#include <stdio.h>

#include <divan/contracts/solver.h>
#include <divan/memory.h>

#include "mechanics.h"
#include "operations.h"

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
}

/* ---- Causes ---- */

/* Whether a force field or mass acts on a state or on one that is mapped from it. */
static bool acts_on(const DvMechanics *m, uint32_t actor, uint32_t state)
{
    if (actor == state)
        return true;
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        bool computes = false;
        for (uint32_t k = 0; k < mapping->outputs; k++)
            computes |= mapping_outputs_of(m, mapping)[k] == actor;
        for (uint32_t k = 0; computes && k < mapping->inputs; k++)
            if (acts_on(m, mapping_inputs_of(m, mapping)[k], state))
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
    for (uint32_t i = 0; i < m->field_count; i++) {
        const FieldItem *field = &m->fields[i];
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
    for (uint32_t i = 0; i < m->field_count; i++)
        if (m->fields[i].mass && field_acts_on(m, &m->fields[i], state))
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

/* One whose unknown is not the change of velocity (whatever the step): it takes the forces at the start of the step. */
static bool is_explicit(const DvMechanics *m, uint32_t state)
{
    void *self;
    DvObject *object;
    const DvOdeSolverOps *solver = solver_of(m, state, &self, &object);
    return solver && solver->velocity_factor && solver->velocity_factor(self, 0.5) != 1.0;
}

/* The force field with the fastest oscillation, rad/s; NULL when none tells. */
static const FieldItem *stiffest_field(const DvMechanics *m, uint32_t state, double *frequency)
{
    const FieldItem *stiffest = NULL;
    *frequency = 0.0;
    double lightest = INFINITY;
    for (uint32_t point = 0; point < dv_state_count(m->states[state].ref); point++) {
        const double mass = mass_of(m, state, point);
        if (mass > 0.0 && mass < lightest)
            lightest = mass;
    }
    for (uint32_t i = 0; i < m->field_count && isfinite(lightest); i++) {
        const FieldItem *field = &m->fields[i];
        if (!field->ops->stiffness_bound || !field_acts_on(m, field, state))
            continue;
        const double omega = field->ops->stiffness_bound(field->self) / sqrt(lightest);
        if (omega > *frequency) {
            *frequency = omega;
            stiffest = field;
        }
    }
    return stiffest;
}

/* An element that is inverted in the last good state. */
static const FieldItem *inverted_field(const DvMechanics *m, uint32_t state, uint32_t *element)
{
    for (uint32_t i = 0; i < m->field_count; i++) {
        const FieldItem *field = &m->fields[i];
        if (!field->ops->inverted_element || !field_acts_on(m, field, state))
            continue;
        DvConstVec x[2];
        bool good = true;
        for (uint32_t k = 0; k < field->state_count; k++) {
            const DvStateRef s = m->states[field->states[k]].ref;
            x[k] = dv_state_read(s, s.ops->has(s.self, VEC_GOOD_POSITION) ? VEC_GOOD_POSITION : DV_POSITION);
            good = good && x[k].at;
        }
        *element = good ? field->ops->inverted_element(field->self, x) : UINT32_MAX;
        if (*element != UINT32_MAX)
            return field;
    }
    return NULL;
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
    FixedCount count = {state, NULL, s.dof->deriv, dv_state_count(s)};
    const size_t unknowns = (size_t)count.points * count.deriv;
    count.fixed = dv_alloc(unknowns, sizeof *count.fixed);
    for (uint32_t i = 0; i < m->constraint_count; i++) {
        const ConstraintItem *constraint = &m->constraints[i];
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
    for (uint32_t i = 0; i < m->field_count; i++)
        if (m->fields[i].ops->add_dforce && field_acts_on(m, &m->fields[i], state))
            return true;
    return false;
}

static void explain(const DvMechanics *m, uint32_t state, uint32_t point, DvText *text)
{
    const double time = dv_node_time(m->node), dt = dv_node_dt(m->node);
    const DvStep step = {time, dt, DV_POSITION, DV_VELOCITY};
    const bool explicit_solver = is_explicit(m, state);
    double frequency;
    const FieldItem *stiffest = stiffest_field(m, state, &frequency);
    uint32_t element = UINT32_MAX;
    if (mass_of(m, state, point) == 0.0 && (explicit_solver || !has_stiffness(m, state))) {
        dv_text_add(text,
                    "no mass (point %u has none); add a UniformMass, DiagonalMass or MeshMatrixMass that covers it",
                    point);
        return;
    }
    if (explicit_solver && stiffest && frequency * dt > 2.0) {
        dv_text_add(
            text,
            "step too large for the stiffest element (%s '%s' oscillates at %.3g rad/s, so a step of %.3g s diverges); use a "
            "dt below %.2g s, or EulerImplicitSolver",
            dv_object_class(stiffest->object)->name, dv_object_name(stiffest->object), frequency, dt, 2.0 / frequency);
        return;
    }
    const FieldItem *inverted = inverted_field(m, state, &element);
    if (inverted)
        dv_text_add(
            text,
            "inverted element (element %u of %s '%s'); use a smaller dt, a stiffer material or a finer mesh there",
            element, dv_object_class(inverted->object)->name, dv_object_name(inverted->object));
    else if (all_fixed(m, state, &step))
        dv_text_add(text, "all points fixed; leave some of them free, or take the solver away");
    else if (explicit_solver)
        dv_text_add(text,
                    "step too large for the stiffest element (dt is %.3g s); use a smaller dt, or EulerImplicitSolver",
                    dt);
    else if (!has_stiffness(m, state) && !(mass_of(m, state, point) > 0.0))
        dv_text_add(text, "no stiffness; add a force field, or a mass for each point");
    else
        dv_text_add(text,
                    "singular matrix; fix some points, give every point a mass, and look for elements without volume");
}

/* ---- Steps ---- */

static uint32_t first_not_finite(const StateItem *state, DvVecId id)
{
    const DvStateRef s = state->ref;
    return s.ops->has(s.self, id) ? s.ops->first_not_finite(s.self, id) : UINT32_MAX;
}

static DvStatus report(const DvMechanics *m, uint32_t state, uint32_t point, bool position, uint64_t number)
{
    const DvObject *object = m->states[state].ref.object;
    /* A mapped state follows from others: the cause is there. */
    uint32_t cause = state;
    for (uint32_t i = m->mapping_count; m->states[cause].kind == STATE_MAPPED && i-- > 0;)
        for (uint32_t k = 0; k < m->mappings[i].outputs; k++)
            if (mapping_outputs_of(m, &m->mappings[i])[k] == cause)
                cause = mapping_inputs_of(m, &m->mappings[i])[0];
    DvText text = {0};
    explain(m, cause, cause == state ? point : 0, &text);
    char when[48];
    if (number)
        (void)snprintf(when, sizeof when, "after step %llu", (unsigned long long)number);
    else
        (void)snprintf(when, sizeof when, "before the first step");
    const DvStatus status =
        dv_error(object, DV_ERROR_NOT_FINITE, "the %s of point %u is not finite %s; likely cause: %s",
                 position ? "position" : "velocity", point, when, text.at);
    dv_text_free(&text);
    return status;
}

static DvStatus check(DvNode *root, uint64_t number)
{
    DvMechanics *m = watched(root);
    mechanics_refresh(m);
    for (uint32_t i = 0; i < m->state_count; i++) {
        const StateItem *state = &m->states[i];
        if (state->kind == STATE_EXTERNAL)
            continue;
        uint32_t point = first_not_finite(state, DV_POSITION);
        const bool position = point != UINT32_MAX;
        if (!position && state->kind == STATE_INDEPENDENT)
            point = first_not_finite(state, DV_VELOCITY);
        if (point != UINT32_MAX)
            return report(m, i, point, position, number);
    }
    for (uint32_t i = 0; i < m->independent_count; i++) {
        const DvStateRef s = m->states[m->independent[i]].ref;
        s.ops->combine(s.self, VEC_GOOD_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
        s.ops->combine(s.self, VEC_GOOD_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
    }
    return DV_OK;
}

static bool restore_last_good(DvNode *root)
{
    DvMechanics *m = watched(root);
    mechanics_refresh(m);
    bool any = false;
    for (uint32_t i = 0; i < m->independent_count; i++) {
        const DvStateRef s = m->states[m->independent[i]].ref;
        if (!s.ops->has(s.self, VEC_GOOD_POSITION))
            continue;
        s.ops->combine(s.self, DV_POSITION, VEC_GOOD_POSITION, DV_NO_VEC, 0.0);
        s.ops->combine(s.self, DV_VELOCITY, VEC_GOOD_VELOCITY, DV_NO_VEC, 0.0);
        any = true;
    }
    /* What the failed step left in forces and search directions is no part of the good state. */
    static const DvVecId scratch[] = {DV_FORCE, DV_DX, DV_DFORCE};
    for (uint32_t i = 0; i < m->state_count; i++)
        for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++) {
            const DvStateRef s = m->states[i].ref;
            if (s.ops->has(s.self, scratch[k]))
                s.ops->clear(s.self, scratch[k]);
        }
    const DvStep step = {dv_node_time(root), dv_node_dt(root), DV_POSITION, DV_VELOCITY};
    dv_mechanical_operations.propagate_position(m, &step, DV_POSITION);
    dv_mechanical_operations.propagate_velocity(m, &step, DV_VELOCITY);
    return any;
}

/* ---- Before the first step ---- */

static size_t lint(DvNode *root)
{
    DvMechanics *m = watched(root);
    mechanics_refresh(m);
    size_t problems = 0;
    for (uint32_t i = 0; i < m->independent_count; i++) {
        const uint32_t state = m->independent[i];
        const DvStateRef s = m->states[state].ref;
        void *self;
        DvObject *solver;
        if (dv_state_count(s) == 0 || !m->states[state].loaded)
            continue;
        if (!solver_of(m, state, &self, &solver)) {
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
