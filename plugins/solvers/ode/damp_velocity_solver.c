/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DampVelocitySolver: velocities decay as exp(-rate h), and those below a threshold stop. It moves nothing by itself: it
 * follows another ODE solver in the node.
 */
#include <divan/kit/integrator.h>

#include <math.h>

typedef struct DampVelocitySolver {
    DvIntegrator base;
    DvData rate, threshold;
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

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    (void)position;
    DampVelocitySolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->base.ops;
    DvMechanics *m = self->base.m;
    if (m == NULL)
        return DV_OK;
    const double threshold = dv_data_double(&self->threshold);
    ops->combine(m, velocity, DV_NO_VEC, velocity, exp(-dv_data_double(&self->rate) * h));
    if (threshold != 0.0)
        ops->threshold(m, velocity, threshold);
    return DV_OK;
}

static const DvOdeSolverOps operations = DV_INTEGRATOR_OPS(.solve = solve, .position_factor = dv_integrator_factor_zero,
                                                           .velocity_factor = dv_integrator_factor_zero);

const DvClass dv_damp_velocity_solver = {
    .size = sizeof(DvClass),
    .name = "DampVelocitySolver",
    .module = "Sofa.Component.ODESolver.Forward",
    .help = "Lets velocities decay after another solver's step.",
    .instance_size = sizeof(DampVelocitySolver),
    .fields = fields,
    DV_INTEGRATOR_LIFE,
    DV_INTEGRATOR_CLASS(operations, "OdeSolver"),
};
