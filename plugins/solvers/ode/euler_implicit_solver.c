/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EulerImplicitSolver: backward Euler with one Newton step (Baraff and Witkin 1998), or the trapezoidal rule.
 *
 *   A dv = b      A = (1 + t h rM) M - t h B - t h (t h + rK) K      b = h (f + (t h + rK) K v - rM M v)
 *   v := v + dv,  x := x + h v
 *
 * h: step, t: 1, or 1/2 with trapezoidalScheme or trapezoidalRule, rM and rK: Rayleigh damping. First order (firstOrder): v is
 * what the force asks for, (M - h t K) v = f, and x := x + h v.
 *
 * The velocities of both are those of the trapezoidal rule, which expects x to move by h (v_old + v_new) / 2. trapezoidalScheme
 * moves it by h v_new, as in the reference, and is therefore of first order; of an oscillator with h omega > 2 it grows without
 * end (the matrix of a step has the trace 2 - 3 q / 2 and the determinant 1 - q / 2, q = z / (1 + z / 4), z = (h omega)^2: stable for
 * q <= 2). trapezoidalRule does what is expected.
 *
 * dv is kept: linear solvers that start from a guess take it from the step before.
 */
#include "ode/integration.h"

#include <divan/scene.h>

#include <math.h>

typedef struct EulerImplicitSolver {
    DvData rayleigh_stiffness, rayleigh_mass, velocity_damping;
    DvData first_order, trapezoidal_scheme, trapezoidal_rule, solve_constraint;
    DvData compute_residual, residual;
    DvData saved_solution;
    DvLink linear_solver_link;
    DvIntegration mechanics;
    DvLinearSolverUse linear_solver;
    DvVecId solution; /* that the linear solver starts from */
} EulerImplicitSolver;

static const DvField fields[] = {
    DV_FIELD(EulerImplicitSolver, rayleigh_stiffness, "rayleighStiffness", dv_type_double, .init = "0", .unit = "s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "damping in proportion to the stiffness"),
    DV_FIELD(EulerImplicitSolver, rayleigh_mass, "rayleighMass", dv_type_double, .init = "0", .unit = "1/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .help = "damping in proportion to the mass"),
    DV_FIELD(EulerImplicitSolver, velocity_damping, "vdamping", dv_type_double, .init = "0", .unit = "1/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "rate at which velocities decay after the step"),
    DV_FIELD(EulerImplicitSolver, first_order, "firstOrder", dv_type_bool, .init = "0",
             .help = "forces cause velocities, not accelerations"),
    DV_FIELD(
        EulerImplicitSolver, trapezoidal_scheme, "trapezoidalScheme", dv_type_bool, .init = "0",
        .help = "velocities of the trapezoidal rule, positions of backward Euler, as in the reference: of first order"),
    DV_FIELD(EulerImplicitSolver, trapezoidal_rule, "trapezoidalRule", dv_type_bool, .init = "0",
             .help = "the trapezoidal rule: of second order, without numerical damping; of first order with vdamping, "
                     "separateGravity or dampers of springs; contacts by multipliers bounce"),
    DV_FIELD(EulerImplicitSolver, solve_constraint, "solveConstraint", dv_type_bool, .init = "0",
             .help = "call the constraint solver of the node on the new velocities and positions"),
    DV_FIELD_HELD("threadSafeVisitor", dv_type_bool, .init = "0", .help = "no effect: all visitors are"),
    DV_FIELD(EulerImplicitSolver, compute_residual, "computeResidual", dv_type_bool, .init = "0",
             .help = "whether `residual` is computed after each step"),
    DV_FIELD(EulerImplicitSolver, residual, "residual", dv_type_double, .init = "1.7976931348623157e308",
             .flags = DV_FIELD_READ_ONLY, .unit = "N^2 s^2",
             .help = "squared norm of M (v - v_old) - h f at the end of the step"),
    DV_FIELD(EulerImplicitSolver, saved_solution, "solution", dv_type_doubles,
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "velocity change of the last step, the next guess"),
    DV_LINK(EulerImplicitSolver, linear_solver_link, "linearSolver", DV_LINEAR_SOLVER,
            .help = "solver of the linear system; default: the first in the node or below"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    EulerImplicitSolver *self = self_;
    self->linear_solver = dv_linear_solver_of(object, &self->linear_solver_link, DV_SEARCH_DOWN);
    if (self->linear_solver.ops == NULL && self->linear_solver.self != NULL)
        return DV_ERROR_MISSING; /* it cannot be used, as has been told */
    if (self->linear_solver.ops == NULL)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no linear solver in '%s' or below it; add one, for instance <CGLinearSolver iterations=\"25\" "
            "tolerance=\"1e-5\" threshold=\"1e-5\"/>",
            dv_node_path(dv_object_node(object)));
    return dv_integration_open(&self->mechanics, object);
}

/* Scratch vectors by number; 0 is the solution's. */
enum { RIGHT_HAND_SIDE = 1, OLD_VELOCITY };

/* |M (v_new - v_old) - h f|^2 with the force at the new state. */
static void measure_residual(EulerImplicitSolver *self, const DvStep *step, DvVecId position, DvVecId velocity)
{
    const DvVecId b = dv_integration_scratch(&self->mechanics, RIGHT_HAND_SIDE),
                  old = dv_integration_scratch(&self->mechanics, OLD_VELOCITY);
    const DvMechanicalOperationsOps *ops = self->mechanics.ops;
    DvMechanics *m = self->mechanics.m;
    const DvStep end = {.time = step->time, .dt = step->dt, .position = position, .velocity = velocity};
    ops->propagate_position(m, &end, position);
    ops->propagate_velocity(m, &end, velocity);
    ops->compute_force(m, &end, DV_FORCE, DV_WALK_WHOLE);
    ops->combine(m, old, velocity, old, -1.0);
    ops->combine(m, b, DV_NO_VEC, DV_FORCE, -step->dt);
    ops->add_mdx(m, 1.0, b, old);
    ops->project_response(m, &end, b, DV_WALK_WHOLE);
    dv_data_set_double(&self->residual, ops->dot(m, b, b));
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    EulerImplicitSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->mechanics.ops;
    DvMechanics *m = self->mechanics.m;
    if (m == NULL)
        return DV_OK;
    const DvStep *step = dv_integration_begin(&self->mechanics, dv_object_of(self), h, self->linear_solver);
    const double stiffness_damping = dv_data_double(&self->rayleigh_stiffness);
    const double mass_damping = dv_data_double(&self->rayleigh_mass);
    const double velocity_damping = dv_data_double(&self->velocity_damping);
    const bool first_order = dv_data_bool(&self->first_order);
    const bool residual_wanted = dv_data_bool(&self->compute_residual);
    const bool rule = dv_data_bool(&self->trapezoidal_rule) && !first_order;
    const double t = rule || dv_data_bool(&self->trapezoidal_scheme) ? 0.5 : 1.0;
    const DvVecId b = dv_integration_scratch(&self->mechanics, RIGHT_HAND_SIDE),
                  dv = dv_solution_begin(&self->mechanics, self->linear_solver, &self->solution, &self->saved_solution);
    if (dv == DV_NO_VEC)
        return DV_ERROR_LIMIT;

    dv_phase_begin("forces");
    ops->compute_force(m, step, DV_FORCE, DV_WALK_WHOLE);
    ops->combine(m, b, DV_FORCE, DV_NO_VEC, 0.0);
    if (!first_order) {
        ops->add_mbk(m, step, (DvFactors){.m = -mass_damping, .k = h * t + stiffness_damping}, b, DV_VELOCITY,
                     DV_WALK_WHOLE);
        ops->combine(m, b, DV_NO_VEC, b, h);
        ops->implicit_turn(m, step, rule ? 0.5 : 1.0, b);
    }
    ops->project_response(m, step, b, DV_WALK_WHOLE);
    dv_phase_end();

    const DvFactors system =
        first_order
            ? (DvFactors){.m = 1.0, .k = -h * t}
            : (DvFactors){.m = 1.0 + t * h * mass_damping, .b = -t * h, .k = -t * h * (t * h + stiffness_damping)};
    const DvStatus status = dv_integration_solve(&self->mechanics, self->linear_solver, system, dv, b);
    if (status != DV_OK)
        return status;
    dv_solution_end(&self->mechanics, self->linear_solver, dv, &self->saved_solution);

    if (residual_wanted)
        ops->combine(m, dv_integration_scratch(&self->mechanics, OLD_VELOCITY), DV_VELOCITY, DV_NO_VEC, 0.0);
    if (first_order)
        ops->combine(m, velocity, dv, DV_NO_VEC, 0.0);
    else
        ops->combine(m, velocity, DV_VELOCITY, dv, 1.0);
    if (rule) /* the mean of both velocities */
        ops->combine(m, b, velocity, dv, -0.5);
    ops->combine(m, position, DV_POSITION, rule ? b : velocity, h);
    ops->add_separate_gravity(m, h, velocity);
    if (velocity_damping != 0.0)
        ops->combine(m, velocity, DV_NO_VEC, velocity, exp(-h * velocity_damping));
    if (residual_wanted)
        measure_residual(self, step, position, velocity);
    return DV_OK;
}

static double position_factor(void *self_, double dt)
{
    EulerImplicitSolver *self = self_;
    const bool rule = dv_data_bool(&self->trapezoidal_rule) && !dv_data_bool(&self->first_order);
    return rule ? 0.5 * dt : dt;
}

static double velocity_factor(void *self_, double dt)
{
    (void)self_;
    (void)dt;
    return 1.0;
}

/* The solution starts anew: from what was put back, or from zero. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    EulerImplicitSolver *self = self_;
    if (self->solution != DV_NO_VEC)
        self->mechanics.ops->release(self->mechanics.m, self->solution);
    self->solution = DV_NO_VEC;
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    EulerImplicitSolver *self = self_;
    dv_data_set(&self->saved_solution, NULL, 0);
    (void)restore(object, self_);
}

static DvStatus hold_system(void *self_)
{
    return dv_integration_hold_system(&((EulerImplicitSolver *)self_)->mechanics);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    EulerImplicitSolver *self = self_;
    dv_integration_close(&self->mechanics);
    self->solution = DV_NO_VEC;
}

static void report(void *self_, DvReportLine line, void *context)
{
    const EulerImplicitSolver *self = self_;
    dv_report_unsymmetric(&self->mechanics, self->linear_solver, line, context);
}

static const DvReportOps report_ops = {.size = sizeof report_ops, .report = report};

static const DvOdeSolverOps ops = {
    .size = sizeof(DvOdeSolverOps),
    .solve = solve,
    .position_factor = position_factor,
    .velocity_factor = velocity_factor,
    .hold_system = hold_system,
};

const DvClass dv_euler_implicit_solver = {
    .size = sizeof(DvClass),
    .name = "EulerImplicitSolver",
    .bases = (const char *const[]){"OdeSolver", "LinearSolverAccessor", NULL},
    .family = "ODE solvers",
    .module = "Sofa.Component.ODESolver.Backward",
    .help = "Backward Euler: stable for large steps and stiff bodies, damps them a little.",
    .instance_size = sizeof(EulerImplicitSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &ops}, {.id = DV_REPORT, .ops = &report_ops}, {0}},
    .init = init,
    .restore = restore,
    .reset = reset,
    .cleanup = cleanup,
};
