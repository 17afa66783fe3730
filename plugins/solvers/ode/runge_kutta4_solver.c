/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RungeKutta4Solver: the classical Runge-Kutta method of order 4 (Kutta 1901), four force evaluations a step.
 *
 * Each evaluation projects its trial positions and velocities first. Rotations take the four increments one after the
 * other, which do not commute: where a body turns about an axis that changes, the order is 2. Masses must be diagonal.
 */
#include <divan/kit/integrator.h>
#include <divan/scene.h>

enum { STAGES = 4 };

typedef struct RungeKutta4Solver {
    DvIntegrator base;
    DvVecId trial_position;
    DvVecId velocity[STAGES];     /* of each stage; the first is the velocity itself */
    DvVecId acceleration[STAGES]; /* of each stage */
} RungeKutta4Solver;

/* For use in this step alone. */
static void take_vectors(RungeKutta4Solver *self)
{
    DvIntegrator *base = &self->base;
    (void)base->ops->scratch(base->m, DV_COORDS, DV_SCRATCH_INTEGRATION, 1, &self->trial_position);
    self->velocity[0] = DV_VELOCITY;
    for (uint32_t s = 0; s < STAGES; s++) {
        if (s > 0)
            self->velocity[s] = dv_integrator_scratch(base, s);
        self->acceleration[s] = dv_integrator_scratch(base, STAGES + s);
    }
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    RungeKutta4Solver *self = self_;
    const DvMechanicalOperationsOps *ops = self->base.ops;
    DvMechanics *m = self->base.m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    const DvStatus status = dv_integrator_require_diagonal_mass(&self->base);
    if (status != DV_OK)
        return status;
    take_vectors(self);
    dv_phase_begin("forces");
    ops->add_separate_gravity(m, h, DV_VELOCITY);
    DvStep step = dv_step_from(dv_object_of(self), h, (DvLinearSolverUse){0});
    ops->compute_acceleration(m, &step, self->acceleration[0]);
    for (int s = 1; s < STAGES; s++) {
        const double fraction = s < STAGES - 1 ? h / 2.0 : h;
        ops->combine(m, self->trial_position, DV_POSITION, self->velocity[s - 1], fraction);
        ops->combine(m, self->velocity[s], DV_VELOCITY, self->acceleration[s - 1], fraction);
        step.position = self->trial_position;
        step.velocity = self->velocity[s];
        ops->compute_acceleration(m, &step, self->acceleration[s]);
    }
    dv_phase_end();
    static const double weights[STAGES] = {6.0, 3.0, 3.0, 6.0};
    for (int s = 0; s < STAGES; s++)
        ops->combine(m, position, s == 0 ? DV_POSITION : position, self->velocity[s], h / weights[s]);
    for (int s = 0; s < STAGES; s++)
        ops->combine(m, velocity, s == 0 ? DV_VELOCITY : velocity, self->acceleration[s], h / weights[s]);
    return DV_OK;
}

static double velocity_factor(void *self_, double dt)
{
    (void)self_;
    return dt / 2.0;
}

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = dv_integrator_factor_zero, .velocity_factor = velocity_factor);

const DvClass dv_runge_kutta4_solver = {
    .size = sizeof(DvClass),
    .name = "RungeKutta4Solver",
    .module = "Sofa.Component.ODESolver.Forward",
    .help =
        "Classical Runge-Kutta method of order 4 (2 where bodies turn about changing axes): accurate, for small steps.",
    .instance_size = sizeof(RungeKutta4Solver),
    DV_INTEGRATOR_LIFE,
    DV_INTEGRATOR_CLASS(operations, "OdeSolver"),
};
