/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DampVelocitySolver: velocities decay as exp(-rate h), and those below a threshold stop. It moves nothing by itself: it
 * follows another ODE solver in the node.
 */
#include "ode/integration.h"

#include <math.h>

typedef struct DampVelocitySolver {
    DvData rate, threshold;
    DvIntegration mechanics;
} DampVelocitySolver;

static const DvField fields[] = {
    DV_FIELD(DampVelocitySolver, rate, "rate", dv_type_double, .init = "0.99", .unit = "1/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "velocities are multiplied by exp(-rate dt)"),
    DV_FIELD(DampVelocitySolver, threshold, "threshold", dv_type_double, .init = "0", .unit = "m/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "velocities shorter than this become zero"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    return dv_integration_open(&((DampVelocitySolver *)self_)->mechanics, object);
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    (void)position;
    DampVelocitySolver *self = self_;
    const DvIntegration *mechanics = &self->mechanics;
    if (mechanics->m == NULL)
        return DV_OK;
    const double threshold = dv_data_double(&self->threshold);
    mechanics->ops->combine(mechanics->m, velocity, DV_NO_VEC, velocity, exp(-dv_data_double(&self->rate) * h));
    if (threshold != 0.0)
        mechanics->ops->threshold(mechanics->m, velocity, threshold);
    return DV_OK;
}

static double no_factor(void *self_, double dt)
{
    (void)self_;
    (void)dt;
    return 0.0;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_integration_close(&((DampVelocitySolver *)self_)->mechanics);
}

static const DvOdeSolverOps ops = {
    .size = sizeof(DvOdeSolverOps),
    .solve = solve,
    .position_factor = no_factor,
    .velocity_factor = no_factor,
};

const DvClass dv_damp_velocity_solver = {
    .size = sizeof(DvClass),
    .name = "DampVelocitySolver",
    .bases = (const char *const[]){"OdeSolver", NULL},
    .family = "ODE solvers",
    .module = "Sofa.Component.ODESolver.Forward",
    .help = "Lets velocities decay after another solver's step.",
    .instance_size = sizeof(DampVelocitySolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
