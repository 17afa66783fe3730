/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EulerExplicitSolver: forward Euler, by default in its symplectic form (velocities first, then positions with the new
 * velocities), which keeps the energy of oscillations bounded while h < 2 / omega.
 *
 *   a = M^-1 f      symplectic: v := v + h a, x := x + h v      else: x := x + h v, v := v + h a
 *
 * Masses that are not diagonal, or lie on mapped states, need a linear solver for a. a is left in the vector dx.
 */
#include <divan/kit/integrator.h>
#include <divan/scene.h>

typedef struct EulerExplicitSolver {
    DvIntegrator base;
    DvData symplectic;
    DvLink linear_solver_link;
    DvLinearSolverUse linear_solver;
    bool massless; /* which has been said */
} EulerExplicitSolver;

static const DvField fields[] = {
    DV_FIELD(EulerExplicitSolver, symplectic, "symplectic", dv_type_bool, .init = "1",
             .help = "move positions with the new velocities"),
    DV_FIELD_HELD("threadSafeVisitor", dv_type_bool, .init = "0", .help = "no effect: all visitors are"),
    DV_LINK(EulerExplicitSolver, linear_solver_link, "linearSolver", DV_LINEAR_SOLVER,
            .help = "for masses that are not diagonal; default: one in the node or above"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    EulerExplicitSolver *self = self_;
    self->linear_solver = dv_linear_solver_of(object, &self->linear_solver_link, DV_SEARCH_UP);
    return dv_integrator_init(object, self);
}

static DvStatus compute_acceleration(EulerExplicitSolver *self, const DvStep *step)
{
    const DvMechanicalOperationsOps *ops = self->base.ops;
    DvMechanics *m = self->base.m;
    DvObject *object = dv_object_of(self);
    switch (ops->mass_kind(m)) {
    case DV_MASS_DIAGONAL:
        ops->acceleration_from_force(m, DV_DX, DV_FORCE);
        ops->project_response(m, step, DV_DX, DV_WALK_WHOLE);
        return DV_OK;
    case DV_MASS_GENERAL:
        if (self->linear_solver.ops == NULL)
            return dv_error(
                object, DV_ERROR_MISSING,
                "a mass that is not diagonal, or acts on a mapped state, needs a linear solver: add one to '%s', for "
                "instance <CGLinearSolver iterations=\"25\" tolerance=\"1e-5\" threshold=\"1e-5\"/>, or lump the mass",
                dv_node_path(dv_object_node(object)));
        ops->project_response(m, step, DV_FORCE, DV_WALK_WHOLE);
        return dv_integrator_solve(&self->base, self->linear_solver, (DvFactors){.m = 1.0}, DV_DX, DV_FORCE);
    case DV_MASS_NONE:
        if (ops->dot(m, DV_FORCE, DV_FORCE) != 0.0)
            break;
        if (!self->massless) /* what moves is moved by constraints */
            dv_warning(object, "there is no mass in '%s' or below it, and no force: nothing accelerates there",
                       dv_node_path(dv_object_node(object)));
        self->massless = true;
        ops->clear(m, DV_DX);
        ops->project_response(m, step, DV_DX, DV_WALK_WHOLE);
        return DV_OK;
    }
    return dv_integrator_refuse_massless(&self->base);
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    EulerExplicitSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->base.ops;
    DvMechanics *m = self->base.m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    const DvStep *step = dv_integrator_begin(&self->base, h, (DvLinearSolverUse){0});
    dv_phase_begin("forces");
    ops->add_separate_gravity(m, h, velocity);
    ops->compute_force(m, step, DV_FORCE, DV_WALK_WHOLE);
    const DvStatus status = compute_acceleration(self, step);
    dv_phase_end();
    if (status != DV_OK)
        return status;
    if (dv_data_bool(&self->symplectic)) {
        ops->combine(m, velocity, DV_VELOCITY, DV_DX, h);
        ops->combine(m, position, DV_POSITION, velocity, h);
    } else {
        ops->combine(m, position, DV_POSITION, DV_VELOCITY, h);
        ops->combine(m, velocity, DV_VELOCITY, DV_DX, h);
    }
    return DV_OK;
}

static double position_factor(void *self_, double dt)
{
    return dv_data_bool(&((EulerExplicitSolver *)self_)->symplectic) ? dt * dt : 0.0;
}

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = position_factor, .velocity_factor = dv_integrator_factor_dt);

const DvClass dv_euler_explicit_solver = {
    .size = sizeof(DvClass),
    .name = "EulerExplicitSolver",
    .module = "Sofa.Component.ODESolver.Forward",
    .help = "Forward Euler, symplectic by default: cheap, for small steps.",
    .instance_size = sizeof(EulerExplicitSolver),
    .fields = fields,
    DV_INTEGRATOR_CLASS(operations, "OdeSolver"),
    .init = init,
    .cleanup = dv_integrator_cleanup,
};
