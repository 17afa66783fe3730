/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mobility.h"

#include <divan/contracts/force_field.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/projective_constraint.h>
#include <divan/contracts/solver.h>
#include <divan/memory.h>

#include <string.h>

enum { MOST_ITERATIONS = 10, MOST_INPUTS = 8 };

/* The system of a state that no mapping computes. */
typedef struct Body {
    DvNode *node;
    DvStateRef state;
    DvStep step;
    double mass, stiffness; /* A = mass M - stiffness df/dx */
} Body;

static const DvObject *topmost_solver(const DvNode *node)
{
    const DvObject *solver = dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_UP), *above = solver;
    while (above) {
        solver = above;
        above = dv_node_find(dv_object_node(solver), DV_ODE_SOLVER, DV_SEARCH_PARENTS);
    }
    return solver;
}

static bool is_explicit(const DvObject *solver)
{
    const char *name = dv_object_class(solver)->name;
    return strcmp(name, "EulerExplicitSolver") == 0 || strcmp(name, "RungeKutta4Solver") == 0;
}

bool forces_are_explicit(const DvNode *node)
{
    const DvObject *solver = topmost_solver(node);
    return !solver || is_explicit(solver);
}

bool solvers_are_apart(const DvNode *first, const DvNode *second)
{
    const DvObject *a = first ? topmost_solver(first) : NULL, *b = second ? topmost_solver(second) : NULL;
    return a && b && a != b && !is_explicit(a) && !is_explicit(b);
}

static double number_of(const DvObject *object, const char *field)
{
    DvData *data = dv_object_field(object, field);
    return data && data->type == &dv_type_double ? dv_data_double(data) : 0.0;
}

/* ---- Products ---- */

static void multiply_fields(const Body *body, DvConstVec p, DvVec product)
{
    DvObject *object, *states[2];
    for (size_t i = 0; (object = dv_node_member(body->node, i)); i++) {
        const DvForceFieldOps *ops = dv_object_ops(object, DV_FORCE_FIELD);
        void *self = dv_object_self(object);
        if (ops && ops->add_dforce && ops->space == DV_HOST && !dv_object_ops(object, DV_MASS) &&
            dv_object_is_valid(object) && ops->states(self, states) == 1 && states[0] == body->state.object)
            ops->add_dforce(self, &body->step, -body->stiffness, 0.0, &p, &product);
    }
}

static void prime_fields(const Body *body)
{
    DvObject *object, *states[2];
    const DvConstVec x = dv_state_read(body->state, DV_POSITION), v = dv_state_read(body->state, DV_VELOCITY);
    const DvStepMark mark = dv_step_mark();
    const size_t size = (size_t)x.count * body->state.dof->deriv;
    const DvVec f = {dv_step_alloc(size + 1, sizeof(double)), x.count, body->state.dof->deriv};
    memset(f.at, 0, size * sizeof *f.at);
    for (size_t i = 0; (object = dv_node_member(body->node, i)); i++) {
        const DvForceFieldOps *ops = dv_object_ops(object, DV_FORCE_FIELD);
        void *self = dv_object_self(object);
        if (ops && ops->space == DV_HOST && !dv_object_ops(object, DV_MASS) && dv_object_is_valid(object) &&
            ops->states(self, states) == 1 && states[0] == body->state.object)
            ops->add_force(self, &body->step, &x, &v, &f);
    }
    dv_step_release(mark);
}

static void multiply(const Body *body, DvConstVec p, DvVec product)
{
    memset(product.at, 0, (size_t)product.count * product.dim * sizeof *product.at);
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(body->node, i)); i++) {
        const DvMassOps *ops = dv_object_ops(object, DV_MASS);
        void *self = dv_object_self(object);
        if (ops && ops->space == DV_HOST && dv_object_is_valid(object) && ops->state(self) == body->state.object)
            ops->add_mdx(self, body->mass, p, product);
    }
    if (body->stiffness > 0.0)
        multiply_fields(body, p, product);
}

static void hold(const Body *body, DvVec d)
{
    DvObject *object, *states[2];
    for (size_t i = 0; (object = dv_node_member(body->node, i)); i++) {
        const DvProjectiveConstraintOps *ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
        void *self = dv_object_self(object);
        if (ops && ops->space == DV_HOST && dv_object_is_valid(object) && ops->states(self, states) == 1 &&
            states[0] == body->state.object)
            ops->project_response(self, &body->step, &d);
    }
}

static double dot(DvVec a, DvVec b)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)a.count * a.dim; i++)
        sum += a.at[i] * b.at[i];
    return sum;
}

/* Of conjugate gradients from zero, f . x grows with each step by what the step moves: (r . r)^2 / p . A p. */
static double solve(const Body *body, const double *f)
{
    const uint32_t points = dv_state_count(body->state), dim = body->state.dof->deriv;
    const size_t size = (size_t)points * dim;
    double *room = dv_step_alloc(3 * size + 1, sizeof *room), sum = 0.0;
    const DvVec r = {room, points, dim}, p = {room + size, points, dim}, q = {room + 2 * size, points, dim};
    memcpy(r.at, f, size * sizeof *f);
    hold(body, r);
    memcpy(p.at, r.at, size * sizeof *f);
    double left = dot(r, r);
    const double asked = left;
    for (int i = 0; i < MOST_ITERATIONS && left > 1e-6 * asked; i++) {
        multiply(body, dv_const(p), q);
        hold(body, q);
        const double curvature = dot(p, q);
        if (!(curvature > 0.0))
            break;
        const double step = left / curvature, before = left;
        sum += step * left;
        for (size_t k = 0; k < size; k++)
            r.at[k] -= step * q.at[k];
        left = dot(r, r);
        for (size_t k = 0; k < size; k++)
            p.at[k] = r.at[k] + left / before * p.at[k];
    }
    return sum;
}

/* ---- Bodies ---- */

static double mobility_of_body(DvStateRef state, const double *f, double dt, bool primed)
{
    DvNode *node = dv_object_node(state.object);
    const DvObject *solver = node ? topmost_solver(node) : NULL;
    if (!solver)
        return 0.0;
    Body body = {.node = node,
                 .state = state,
                 .step = {.time = dv_node_time(node), .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY},
                 .mass = 1.0};
    if (!is_explicit(solver)) {
        body.mass += dt * number_of(solver, "rayleighMass");
        body.stiffness = dt * (dt + number_of(solver, "rayleighStiffness"));
    }
    if (!primed && body.stiffness > 0.0)
        prime_fields(&body);
    return solve(&body, f);
}

DvObject *mapping_to(const DvObject *state)
{
    DvObject *object, *outputs[MOST_INPUTS];
    const DvNode *node = dv_object_node(state);
    for (size_t i = 0; node && (object = dv_node_member(node, i)); i++) {
        const DvMappingOps *ops = dv_object_ops(object, DV_MAPPING);
        const uint32_t count =
            ops && dv_object_is_valid(object) ? ops->outputs(dv_object_self(object), outputs, MOST_INPUTS) : 0;
        for (uint32_t k = 0; k < count && k < MOST_INPUTS; k++)
            if (outputs[k] == state && count == 1)
                return object;
    }
    return NULL;
}

static double mobility_of_inputs(DvObject *mapping, DvStateRef state, const double *f, double dt, bool primed)
{
    const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
    void *self = dv_object_self(mapping);
    DvObject *inputs[MOST_INPUTS];
    const uint32_t count = ops->inputs(self, inputs, MOST_INPUTS);
    if (count == 0 || count > MOST_INPUTS || ops->space != DV_HOST || !ops->maps_forces(self))
        return 0.0;
    DvVec in[MOST_INPUTS];
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef input = dv_state_ref(inputs[i]);
        const size_t size = (size_t)dv_state_count(input) * input.dof->deriv;
        in[i] = (DvVec){dv_step_alloc(size + 1, sizeof(double)), dv_state_count(input), input.dof->deriv};
        memset(in[i].at, 0, size * sizeof(double));
    }
    const DvConstVec out = {f, dv_state_count(state), state.dof->deriv};
    const DvStep step = {.dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    ops->apply_jt(self, &step, &out, in);
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += mobility_under(dv_state_ref(inputs[i]), in[i].at, dt, primed);
    return sum;
}

double mobility_under(DvStateRef state, const double *f, double dt, bool primed)
{
    const DvStepMark mark = dv_step_mark();
    DvObject *mapping = mapping_to(state.object);
    const double mobility =
        mapping ? mobility_of_inputs(mapping, state, f, dt, primed) : mobility_of_body(state, f, dt, primed);
    dv_step_release(mark);
    return mobility;
}
