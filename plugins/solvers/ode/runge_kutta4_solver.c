/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RungeKutta4Solver: the classical Runge-Kutta method of order 4 (Kutta 1901), four force evaluations a step.
 *
 * Each evaluation projects its trial positions and velocities first. Rotations take the four increments one after the
 * other, which do not commute: where a body turns about an axis that changes, the order is 2. Masses must be diagonal.
 */
#include "ode/integration.h"

#include <divan/scene.h>

enum { STAGES = 4 };

typedef struct RungeKutta4Solver {
    DvIntegration mechanics;
    DvVecId trial_position;
    DvVecId velocity[STAGES];     /* of each stage; the first is the velocity itself */
    DvVecId acceleration[STAGES]; /* of each stage */
} RungeKutta4Solver;

static DvStatus init(DvObject *object, void *self_)
{
    return dv_integration_open(&((RungeKutta4Solver *)self_)->mechanics, object);
}

/* For use in this step alone. */
static void take_vectors(RungeKutta4Solver *self)
{
    DvIntegration *mechanics = &self->mechanics;
    (void)mechanics->ops->scratch(mechanics->m, DV_COORDS, DV_SCRATCH_INTEGRATION, 1, &self->trial_position);
    self->velocity[0] = DV_VELOCITY;
    for (uint32_t s = 0; s < STAGES; s++) {
        if (s > 0)
            self->velocity[s] = dv_integration_scratch(mechanics, s);
        self->acceleration[s] = dv_integration_scratch(mechanics, STAGES + s);
    }
}

static DvStatus check_mass(RungeKutta4Solver *self)
{
    DvObject *object = dv_object_of(self);
    switch (self->mechanics.ops->mass_kind(self->mechanics.m)) {
    case DV_MASS_DIAGONAL:
        return DV_OK;
    case DV_MASS_GENERAL:
        return dv_error(
            object, DV_ERROR_UNSUPPORTED,
            "a mass that is not diagonal, or acts on a mapped state, gives no acceleration without a linear solver; lump "
            "the mass or take EulerExplicitSolver with a linear solver");
    case DV_MASS_NONE:
        break;
    }
    return dv_error(
        object, DV_ERROR_MISSING,
        "there is no mass in '%s' or below it, and forces without mass give no acceleration; add one, for instance "
        "<UniformMass totalMass=\"1\"/>",
        dv_node_path(dv_object_node(object)));
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    RungeKutta4Solver *self = self_;
    const DvMechanicalOperationsOps *ops = self->mechanics.ops;
    DvMechanics *m = self->mechanics.m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    const DvStatus status = check_mass(self);
    if (status != DV_OK)
        return status;
    take_vectors(self);
    dv_phase_begin("forces");
    ops->add_separate_gravity(m, h, DV_VELOCITY);
    DvStep step = dv_integration_step(dv_object_of(self), h, (DvLinearSolverUse){0});
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

static double position_factor(void *self_, double dt)
{
    (void)self_;
    (void)dt;
    return 0.0;
}

static double velocity_factor(void *self_, double dt)
{
    (void)self_;
    return dt / 2.0;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_integration_close(&((RungeKutta4Solver *)self_)->mechanics);
}

static const DvOdeSolverOps ops = {
    .size = sizeof(DvOdeSolverOps),
    .solve = solve,
    .position_factor = position_factor,
    .velocity_factor = velocity_factor,
};

const DvClass dv_runge_kutta4_solver = {
    .size = sizeof(DvClass),
    .name = "RungeKutta4Solver",
    .bases = (const char *const[]){"OdeSolver", NULL},
    .family = "ODE solvers",
    .module = "Sofa.Component.ODESolver.Forward",
    .help =
        "Classical Runge-Kutta method of order 4 (2 where bodies turn about changing axes): accurate, for small steps.",
    .instance_size = sizeof(RungeKutta4Solver),
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
