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
#include <divan/kit/integrator.h>
#include <divan/scene.h>

#include <math.h>

typedef struct EulerImplicitSolver {
    DvImplicitIntegrator implicit;
    DvData velocity_damping;
    DvData first_order, trapezoidal_scheme, trapezoidal_rule, solve_constraint;
    DvData compute_residual, residual;
} EulerImplicitSolver;

static const DvField fields[] = {
    DV_IMPLICIT_INTEGRATOR_FIELDS(EulerImplicitSolver, implicit),
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
    DV_FIELD(EulerImplicitSolver, compute_residual, "computeResidual", dv_type_bool, .init = "0",
             .help = "whether `residual` is computed after each step"),
    DV_FIELD(EulerImplicitSolver, residual, "residual", dv_type_double, .init = "1.7976931348623157e308",
             .flags = DV_FIELD_READ_ONLY, .unit = "N^2 s^2",
             .help = "squared norm of M (v - v_old) - h f at the end of the step"),
    {0},
};

/* Scratch vectors by number; 0 is the solution's. */
enum { RIGHT_HAND_SIDE = 1, OLD_VELOCITY };

/* |M (v_new - v_old) - h f|^2 with the force at the new state. */
static void measure_residual(EulerImplicitSolver *self, const DvStep *step, DvVecId position, DvVecId velocity)
{
    const DvVecId b = dv_integrator_scratch(&self->implicit.base, RIGHT_HAND_SIDE),
                  old = dv_integrator_scratch(&self->implicit.base, OLD_VELOCITY);
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
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
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    if (m == NULL)
        return DV_OK;
    const DvLinearSolverUse linear_solver = self->implicit.linear_solver;
    const DvStep *step = dv_integrator_begin(&self->implicit.base, h, linear_solver);
    const double stiffness_damping = dv_data_double(&self->implicit.rayleigh_stiffness);
    const double mass_damping = dv_data_double(&self->implicit.rayleigh_mass);
    const double velocity_damping = dv_data_double(&self->velocity_damping);
    const bool first_order = dv_data_bool(&self->first_order);
    const bool residual_wanted = dv_data_bool(&self->compute_residual);
    const bool rule = dv_data_bool(&self->trapezoidal_rule) && !first_order;
    const double t = rule || dv_data_bool(&self->trapezoidal_scheme) ? 0.5 : 1.0;
    const DvVecId b = dv_integrator_scratch(&self->implicit.base, RIGHT_HAND_SIDE),
                  dv = dv_implicit_integrator_begin_solution(&self->implicit);
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
    const DvStatus status = dv_integrator_solve(&self->implicit.base, linear_solver, system, dv, b);
    if (status != DV_OK)
        return status;
    dv_implicit_integrator_end_solution(&self->implicit, dv);

    if (residual_wanted)
        ops->combine(m, dv_integrator_scratch(&self->implicit.base, OLD_VELOCITY), DV_VELOCITY, DV_NO_VEC, 0.0);
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

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = position_factor, .velocity_factor = dv_integrator_factor_one);

const DvClass dv_euler_implicit_solver = {
    .size = sizeof(DvClass),
    .name = "EulerImplicitSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .help = "Backward Euler: stable for large steps and stiff bodies, damps them a little.",
    .instance_size = sizeof(EulerImplicitSolver),
    .fields = fields,
    DV_IMPLICIT_INTEGRATOR_LIFE,
    DV_IMPLICIT_INTEGRATOR_CLASS(operations, "OdeSolver", "LinearSolverAccessor"),
};
