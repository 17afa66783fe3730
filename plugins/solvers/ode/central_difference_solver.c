/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CentralDifferenceSolver: central differences (leapfrog), with damping in proportion to the mass that needs no linear system.
 *
 *   a = M^-1 f(x, v)      v := (v (1/h - r/2) + a) / (1/h + r/2)      x := x + h v
 *
 * v is the velocity half a step later than x: taken so, the method is of order 2; a run that starts with the velocity of the time 0 is of
 * order 1, the symplectic Euler method where r is 0. The damping r is without error of first order and stable for any r. Stable while
 * h < 2 / omega. Masses must be diagonal. a is left in the vector dx.
 */
#include <divan/kit/integrator.h>
#include <divan/scene.h>

typedef struct CentralDifferenceSolver {
    DvIntegrator base;
    DvData rayleigh_mass;
} CentralDifferenceSolver;

static const DvField fields[] = {
    DV_FIELD(CentralDifferenceSolver, rayleigh_mass, "rayleighMass", dv_type_double, .init = "0", .unit = "1/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT, .help = "damping in proportion to the mass"),
    DV_FIELD_HELD("threadSafeVisitor", dv_type_bool, .init = "0", .help = "no effect: all visitors are"),
    {0},
};

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    CentralDifferenceSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->base.ops;
    DvMechanics *m = self->base.m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    const DvStatus status = dv_integrator_require_diagonal_mass(&self->base);
    if (status != DV_OK)
        return status;
    const DvStep *step = dv_integrator_begin(&self->base, h, (DvLinearSolverUse){0});
    dv_phase_begin("forces");
    ops->add_separate_gravity(m, h, DV_VELOCITY);
    ops->compute_force(m, step, DV_FORCE, DV_WALK_VISITOR);
    ops->acceleration_from_force(m, DV_DX, DV_FORCE);
    ops->project_response(m, step, DV_DX, DV_WALK_VISITOR);
    dv_phase_end();
    const double damping = dv_data_double(&self->rayleigh_mass);
    if (damping == 0.0) {
        ops->combine(m, velocity, DV_VELOCITY, DV_DX, h);
    } else {
        const double divisor = 1.0 / h + damping / 2.0;
        ops->combine(m, velocity, DV_VELOCITY, DV_VELOCITY, -1.0 + (1.0 / h - damping / 2.0) / divisor);
        ops->combine(m, velocity, velocity, DV_DX, 1.0 / divisor);
    }
    ops->combine(m, position, DV_POSITION, velocity, h);
    return DV_OK;
}

static double position_factor(void *self_, double dt)
{
    (void)self_;
    return dt * dt;
}

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = position_factor, .velocity_factor = dv_integrator_factor_dt);

const DvClass dv_central_difference_solver = {
    .size = sizeof(DvClass),
    .name = "CentralDifferenceSolver",
    .module = "Sofa.Component.ODESolver.Forward",
    .help = "Central differences: one evaluation of the forces a step, damped in proportion to the mass.",
    .instance_size = sizeof(CentralDifferenceSolver),
    .fields = fields,
    DV_INTEGRATOR_LIFE,
    DV_INTEGRATOR_CLASS(operations, "OdeSolver"),
};
