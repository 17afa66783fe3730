/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NewmarkImplicitSolver: Newmark's family (1959), with one Newton step. Accelerations a live from step to step; a' is the new one:
 *
 *   A a' = f + (h^2 (1/2 - beta) K + h (1 - gamma) C) a + (h K + C) v      C = B + rK K - rM M
 *   A = M - h gamma C - h^2 beta K
 *   x := x + h v + h^2 ((1/2 - beta) a + beta a')      v := v + h ((1 - gamma) a + gamma a')
 *
 * Of order 2 for gamma = 1/2, else of order 1 (above 1/2 damped). gamma 1/2 and beta 1/4: the mean acceleration, without numerical
 * damping of linear bodies, stable for any step; beta >= (gamma + 1/2)^2 / 4 is.
 *
 * B v stands in f already, of forces that depend on velocities (dampers). The reference adds it once more, so that dampers take twice
 * what they should; dampingOnce leaves the second out, and with it the damping of single force fields and masses (rayleighStiffness,
 * rayleighMass of these) of the velocity, as it is under EulerImplicitSolver.
 */
#include <divan/kit/integrator.h>
#include <divan/scene.h>

#include <math.h>

typedef struct NewmarkImplicitSolver {
    DvImplicitIntegrator implicit;
    DvData velocity_damping, gamma, beta, damping_once;
    DvKeptVector acceleration;
} NewmarkImplicitSolver;

static const DvRange half = {0.0, 0.5, false, false};

static const DvField fields[] = {
    DV_IMPLICIT_INTEGRATOR_OTHER_FIELDS(NewmarkImplicitSolver, implicit),
    DV_FIELD(NewmarkImplicitSolver, velocity_damping, "vdamping", dv_type_double, .init = "0", .unit = "1/s",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "rate at which velocities decay after the step"),
    DV_FIELD(NewmarkImplicitSolver, gamma, "gamma", dv_type_double, .init = "0.5", .range = &dv_range_share,
             .flags = DV_FIELD_LENIENT,
             .help = "share of the new acceleration in the velocity: 0.5 is of order 2, more damps"),
    DV_FIELD(NewmarkImplicitSolver, beta, "beta", dv_type_double, .init = "0.25", .range = &half,
             .flags = DV_FIELD_LENIENT, .help = "half the share of the new acceleration in the position"),
    DV_FIELD(NewmarkImplicitSolver, damping_once, "dampingOnce", dv_type_bool, .init = "0",
             .help = "dampers act once; else twice, as in the reference"),
    DV_KEPT_VECTOR_FIELD(NewmarkImplicitSolver, acceleration, "acceleration",
                         "acceleration at the end of the last step"),
    {0},
};

enum { RIGHT_HAND_SIDE, NEW_ACCELERATION }; /* scratch vectors by number */

/* M a = f(x, v). */
static DvStatus first_acceleration(NewmarkImplicitSolver *self, DvVecId a)
{
    DvIntegrator *base = &self->implicit.base;
    switch (base->ops->mass_kind(base->m)) {
    case DV_MASS_DIAGONAL:
        base->ops->compute_acceleration(base->m, &base->step, a);
        return DV_OK;
    case DV_MASS_GENERAL:
        base->ops->compute_force(base->m, &base->step, DV_FORCE, DV_WALK_VISITOR);
        base->ops->project_response(base->m, &base->step, DV_FORCE, DV_WALK_VISITOR);
        return dv_integrator_solve(base, self->implicit.linear_solver, (DvFactors){.m = 1.0}, a, DV_FORCE);
    case DV_MASS_NONE:
        break;
    }
    return dv_integrator_refuse_massless(base);
}

/* Says so where forces change with velocities as B says, by the acceleration of the first step as a change of velocity. */
static void tell_of_dampers(NewmarkImplicitSolver *self, DvVecId a)
{
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    const DvVecId product = dv_integrator_scratch(base, RIGHT_HAND_SIDE),
                  other = dv_integrator_scratch(base, NEW_ACCELERATION);
    ops->clear(base->m, product);
    ops->add_mbk(base->m, &base->step, (DvFactors){.b = 1.0}, product, a, DV_WALK_VISITOR);
    const double size = ops->dot(base->m, product, product);
    if (size == 0.0 || dv_data_bool(&self->damping_once))
        return;
    DvStep moved = base->step;
    moved.velocity = other;
    ops->combine(base->m, other, DV_VELOCITY, a, 1.0);
    ops->propagate_velocity(base->m, &moved, other);
    ops->compute_force(base->m, &moved, DV_FORCE, DV_WALK_VISITOR);
    ops->combine(base->m, product, product, DV_FORCE, -1.0);
    ops->propagate_velocity(base->m, &base->step, DV_VELOCITY);
    ops->compute_force(base->m, &base->step, DV_FORCE, DV_WALK_VISITOR);
    ops->combine(base->m, product, product, DV_FORCE, 1.0);
    if (ops->dot(base->m, product, product) < 0.25 * size)
        dv_warning(dv_object_of(self),
                   "dampers below it act twice, as in the reference; dampingOnce=\"1\" lets them act once");
}

/* M a' = b with the matrix of the step. */
static DvStatus solve_step(NewmarkImplicitSolver *self, double h, DvVecId a, DvVecId new_a)
{
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    const double rk = dv_data_double(&self->implicit.rayleigh_stiffness),
                 rm = dv_data_double(&self->implicit.rayleigh_mass), gamma = dv_data_double(&self->gamma),
                 beta = dv_data_double(&self->beta), old = h * (1.0 - gamma);
    const DvVecId b = dv_integrator_scratch(base, RIGHT_HAND_SIDE);
    dv_phase_begin("forces");
    ops->compute_force(base->m, &base->step, DV_FORCE, DV_WALK_VISITOR);
    ops->combine(base->m, b, DV_FORCE, DV_NO_VEC, 0.0);
    ops->add_mbk(base->m, &base->step,
                 (DvFactors){.m = -old * rm, .b = old, .k = old * rk + h * h * (1.0 - 2.0 * beta) / 2.0}, b, a,
                 DV_WALK_VISITOR);
    ops->add_mbk(base->m, &base->step,
                 (DvFactors){.m = -rm, .b = dv_data_bool(&self->damping_once) ? 0.0 : 1.0, .k = rk + h}, b, DV_VELOCITY,
                 DV_WALK_VISITOR);
    ops->project_response(base->m, &base->step, b, DV_WALK_VISITOR);
    dv_phase_end();
    ops->clear(base->m, new_a);
    return dv_integrator_solve(
        base, self->implicit.linear_solver,
        (DvFactors){.m = 1.0 + h * gamma * rm, .b = -h * gamma, .k = -(h * h * beta + h * gamma * rk)}, new_a, b);
}

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    NewmarkImplicitSolver *self = self_;
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    (void)dv_integrator_begin(base, h, self->implicit.linear_solver);
    bool fresh;
    const DvVecId a = dv_kept_vector_begin(&self->acceleration, base, &fresh),
                  new_a = dv_integrator_scratch(base, NEW_ACCELERATION);
    DvStatus status = a == DV_NO_VEC ? DV_ERROR_LIMIT : DV_OK;
    if (status == DV_OK && fresh)
        status = first_acceleration(self, a);
    if (status == DV_OK && fresh)
        tell_of_dampers(self, a);
    if (status == DV_OK)
        status = solve_step(self, h, a, new_a);
    if (status != DV_OK)
        return status;

    const double gamma = dv_data_double(&self->gamma), beta = dv_data_double(&self->beta),
                 velocity_damping = dv_data_double(&self->velocity_damping);
    ops->combine(m, position, DV_POSITION, DV_VELOCITY, h);
    ops->combine(m, position, position, a, h * h * (0.5 - beta));
    ops->combine(m, position, position, new_a, h * h * beta);
    ops->combine(m, velocity, DV_VELOCITY, a, h * (1.0 - gamma));
    ops->combine(m, velocity, velocity, new_a, h * gamma);
    ops->add_separate_gravity(m, h, velocity);
    if (velocity_damping != 0.0)
        ops->combine(m, velocity, DV_NO_VEC, velocity, exp(-h * velocity_damping));
    ops->combine(m, a, new_a, DV_NO_VEC, 0.0);
    dv_kept_vector_end(&self->acceleration, base);
    return DV_OK;
}

static const DvOdeSolverOps operations = DV_INTEGRATOR_OPS(.solve = solve, .position_factor = dv_integrator_factor_dt,
                                                           .velocity_factor = dv_integrator_factor_one);

const DvClass dv_newmark_implicit_solver = {
    .size = sizeof(DvClass),
    .name = "NewmarkImplicitSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .help =
        "Newmark's method: implicit and of order 2, keeps the energy of linear bodies; its unknown is the acceleration.",
    .instance_size = sizeof(NewmarkImplicitSolver),
    .fields = fields,
    DV_IMPLICIT_INTEGRATOR_LIFE,
    DV_IMPLICIT_INTEGRATOR_CLASS(operations, "OdeSolver", "LinearSolverAccessor"),
};
