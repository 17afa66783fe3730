/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RungeKutta2Solver: the midpoint method (Runge 1895), of order 2, two force evaluations a step.
 *
 *   a = a(x, v)      x_m = x + h v / 2, v_m = v + h a / 2      x := x + h v_m, v := v + h a(x_m, v_m)
 *
 * Each evaluation projects its positions and velocities first. Masses must be diagonal. An oscillation without damping grows, by
 * (h omega)^4 / 8 of itself in a step.
 */
#include <divan/kit/integrator.h>
#include <divan/scene.h>

typedef struct RungeKutta2Solver {
    DvIntegrator base;
} RungeKutta2Solver;

enum { MIDDLE_VELOCITY, ACCELERATION }; /* scratch vectors by number */

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    DvIntegrator *base = self_;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    const DvStatus status = dv_integrator_require_diagonal_mass(base);
    if (status != DV_OK)
        return status;
    const DvVecId middle_velocity = dv_integrator_scratch(base, MIDDLE_VELOCITY),
                  acceleration = dv_integrator_scratch(base, ACCELERATION);
    DvVecId middle_position;
    (void)ops->scratch(m, DV_COORDS, DV_SCRATCH_INTEGRATION, 1, &middle_position);
    dv_phase_begin("forces");
    ops->add_separate_gravity(m, h, DV_VELOCITY);
    DvStep step = dv_step_from(dv_object_of(base), h, (DvLinearSolverUse){0});
    ops->compute_acceleration(m, &step, acceleration);
    ops->combine(m, middle_position, DV_POSITION, DV_VELOCITY, 0.5 * h);
    ops->combine(m, middle_velocity, DV_VELOCITY, acceleration, 0.5 * h);
    step.position = middle_position;
    step.velocity = middle_velocity;
    ops->compute_acceleration(m, &step, acceleration);
    dv_phase_end();
    ops->combine(m, position, DV_POSITION, middle_velocity, h);
    ops->combine(m, velocity, DV_VELOCITY, acceleration, h);
    return DV_OK;
}

static double velocity_factor(void *self_, double dt)
{
    (void)self_;
    return dt / 2.0;
}

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = dv_integrator_factor_zero, .velocity_factor = velocity_factor);

const DvClass dv_runge_kutta2_solver = {
    .size = sizeof(DvClass),
    .name = "RungeKutta2Solver",
    .module = "Sofa.Component.ODESolver.Forward",
    .help = "Midpoint method of order 2: two evaluations of the forces a step, for small steps.",
    .instance_size = sizeof(RungeKutta2Solver),
    DV_INTEGRATOR_LIFE,
    DV_INTEGRATOR_CLASS(operations, "OdeSolver"),
};
