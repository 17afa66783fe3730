/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BDFOdeSolver: backward differentiation formulas (Curtiss and Hirschfelder 1952), of steps that may differ in length; stable for
 * stiff bodies up to order 2 for any step, to order 6 for most. For positions and velocities of the last n + 1 times,
 *
 *   sum a_i x_i = h b v_n      M sum a_i v_i = h b F(x_n, v_n)      F = f - rM M v + rK K v
 *
 * with a_i / b the derivatives, times h, of the Lagrange polynomials at t_n, and a_n = 1; n grows from 1 to `order` in the first
 * steps. NewtonRaphsonSolver solves for v_n; x_n follows.
 *
 * In the reference all samples before the last one are the last one: the sums become x_n - x_(n-1), with b of the order, and what
 * results is of no order: positions move by b of what they should. ownHistory is the method as it is meant.
 *
 * What is kept is how far x and v moved in the last steps: sum a_i x_i = (x_n - x_(n-1)) + sum of (1 + a_i + ... + a_(n-1)) times
 * (x_i - x_(i-1)), so that bodies that turn are of first order as their increments are, and others of the order of the method.
 */
#include "ode/newton.h"

#include <divan/divan.h>
#include <divan/kit/integrator.h>
#include <divan/scene.h>

enum {
    MOST_ORDER = 6,   /* above, the method is unstable for any step */
    MOST_ALIASED = 32 /* where older samples do not count */
};

typedef struct BdfOdeSolver {
    DvImplicitIntegrator implicit;
    DvData order, own_history, times;
    DvLink newton_link;
    NewtonSolver *newton;
    DvKeptVector ways[MOST_ORDER - 1], changes[MOST_ORDER - 1]; /* of the last steps, the last one first */
    double hb;                                                  /* h b */
} BdfOdeSolver;

#define HISTORY(k)                                                                                       \
    DV_KEPT_VECTOR_FIELD(BdfOdeSolver, ways[(k)-1], "way" #k, "way of the positions, " #k " steps ago"), \
        DV_KEPT_VECTOR_FIELD(BdfOdeSolver, changes[(k)-1], "change" #k, "change of velocity, " #k " steps ago")

static const DvField fields[] = {
    DV_IMPLICIT_INTEGRATOR_OTHER_FIELDS(BdfOdeSolver, implicit),
    DV_FIELD(BdfOdeSolver, order, "order", dv_type_uint, .init = "1", .help = "order of the method, 1 to 6"),
    DV_FIELD(BdfOdeSolver, own_history, "ownHistory", dv_type_bool, .init = "0",
             .help =
                 "take the samples of earlier steps; else the last one stands for all before it, as in the reference, "
                 "and with an order above 1 the motion is too slow"),
    DV_LINK(BdfOdeSolver, newton_link, "newtonSolver", NEWTON_SOLVER,
            .help = "NewtonRaphsonSolver of the equations of a step; default: the first in the node or below"),
    DV_FIELD(BdfOdeSolver, times, "times", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "times of the last samples, the last one at the end"),
    HISTORY(1),
    HISTORY(2),
    HISTORY(3),
    HISTORY(4),
    HISTORY(5),
    {0},
};

/* Scratch vectors by number. WAY and CHANGE: the sums of a_i x_i and a_i v_i; those without the sample to be found are PAST_WAY and
 * PAST_CHANGE. */
enum { SOLUTION, POSITION_RESIDUAL, VELOCITY_RESIDUAL, OTHER, WAY, CHANGE, PAST_WAY, PAST_CHANGE };
static DvVecId vector_of(BdfOdeSolver *self, uint32_t number)
{
    return dv_integrator_scratch(&self->implicit.base, number);
}

/* ---- The formula ---- */

static uint32_t wanted_order(BdfOdeSolver *self)
{
    const uint32_t order = dv_data_uint(&self->order),
                   most = dv_data_bool(&self->own_history) ? MOST_ORDER : MOST_ALIASED;
    return order == 0 ? 1 : order > most ? most : order;
}

/* a[0..n] and b for t[0..n]. */
static double coefficients(const double *t, uint32_t n, double *a)
{
    const double h = t[n] - t[n - 1];
    double last = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        last += h / (t[n] - t[j]);
        a[j] = h / (t[j] - t[n]);
        for (uint32_t m = 0; m < n; m++)
            if (m != j)
                a[j] *= (t[n] - t[m]) / (t[j] - t[m]);
    }
    for (uint32_t j = 0; j < n; j++)
        a[j] /= last;
    return 1.0 / last;
}

/* The times of the step, t[0..n], are added to those before; n, the order of the step, is returned. */
static uint32_t take_times(BdfOdeSolver *self, double *t)
{
    const DvStep *step = &self->implicit.base.step;
    size_t count;
    const double *known = dv_data_doubles(&self->times, &count);
    const uint32_t most = wanted_order(self), n = count == 0 ? 1 : count < most ? (uint32_t)count : most;
    for (uint32_t i = 0; i < n; i++)
        t[i] = count == 0 ? step->time : known[count - n + i];
    t[n] = step->time + step->dt;
    const uint32_t kept = n < most ? n + 1 : n;
    if (count == 0)
        (void)dv_data_begin_all(&self->times, most); /* room for all that come */
    double *times = dv_data_begin_all(&self->times, kept);
    for (uint32_t i = 0; i < kept; i++)
        times[i] = t[n + 1 - kept + i];
    dv_data_end(&self->times);
    return n;
}

/* The parts of earlier steps. */
static DvStatus sum_history(BdfOdeSolver *self, const double *a, uint32_t n)
{
    const DvIntegrator *base = &self->implicit.base;
    const DvVecId way = vector_of(self, PAST_WAY), change = vector_of(self, PAST_CHANGE);
    base->ops->clear(base->m, way);
    base->ops->clear(base->m, change);
    double factor = 1.0;
    for (uint32_t k = 0; k + 1 < n && dv_data_bool(&self->own_history); k++) {
        const DvVecId x = dv_kept_vector_begin(&self->ways[k], base, NULL),
                      v = dv_kept_vector_begin(&self->changes[k], base, NULL);
        if (x == DV_NO_VEC || v == DV_NO_VEC)
            return DV_ERROR_LIMIT;
        factor += a[n - 1 - k];
        base->ops->combine(base->m, way, way, x, factor);
        base->ops->combine(base->m, change, change, v, factor);
    }
    return DV_OK;
}

/* Of `count` vectors the last becomes the first and takes sum - past. */
static DvStatus keep_in(DvKeptVector *vectors, uint32_t count, const DvIntegrator *base, DvVecId sum, DvVecId past)
{
    for (uint32_t k = 0; k < count; k++)
        if (dv_kept_vector_begin(&vectors[k], base, NULL) == DV_NO_VEC)
            return DV_ERROR_LIMIT;
    const DvVecId first = vectors[count - 1].id;
    for (uint32_t k = count - 1; k > 0; k--)
        vectors[k].id = vectors[k - 1].id;
    vectors[0].id = first;
    base->ops->combine(base->m, first, sum, past, -1.0);
    for (uint32_t k = 0; k < count; k++)
        dv_kept_vector_end(&vectors[k], base);
    return DV_OK;
}

static DvStatus keep_history(BdfOdeSolver *self)
{
    const uint32_t count = wanted_order(self) - 1;
    if (count == 0 || !dv_data_bool(&self->own_history))
        return DV_OK;
    const DvIntegrator *base = &self->implicit.base;
    const DvStatus status = keep_in(self->ways, count, base, vector_of(self, WAY), vector_of(self, PAST_WAY));
    return status == DV_OK ? keep_in(self->changes, count, base, vector_of(self, CHANGE), vector_of(self, PAST_CHANGE))
                           : status;
}

/* ---- What Newton's method asks for ---- */

static double evaluate(void *self_)
{
    BdfOdeSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    const DvStep *step = &self->implicit.base.step;
    const DvVecId r1 = vector_of(self, POSITION_RESIDUAL), r2 = vector_of(self, VELOCITY_RESIDUAL),
                  force = vector_of(self, OTHER);
    const DvFactors damping = {.m = -dv_data_double(&self->implicit.rayleigh_mass),
                               .k = dv_data_double(&self->implicit.rayleigh_stiffness)};
    dv_phase_begin("forces");
    ops->compute_force(m, step, DV_FORCE, DV_WALK_VISITOR);
    ops->combine(m, force, DV_FORCE, DV_NO_VEC, 0.0);
    if (damping.m != 0.0 || damping.k != 0.0)
        ops->add_mbk(m, step, damping, force, step->velocity, DV_WALK_VISITOR);
    ops->combine(m, r1, vector_of(self, WAY), step->velocity, -self->hb);
    ops->project_response(m, step, r1, DV_WALK_VISITOR);
    ops->combine(m, r2, DV_NO_VEC, force, -self->hb);
    ops->add_mbk(m, step, (DvFactors){.m = 1.0}, r2, vector_of(self, CHANGE), DV_WALK_VISITOR);
    ops->project_response(m, step, r2, DV_WALK_VISITOR);
    dv_phase_end();
    return ops->dot(m, r2, r2);
}

static DvStatus solve_linear(void *self_)
{
    BdfOdeSolver *self = self_;
    DvIntegrator *base = &self->implicit.base;
    const double hb = self->hb, rm = dv_data_double(&self->implicit.rayleigh_mass),
                 rk = dv_data_double(&self->implicit.rayleigh_stiffness);
    const DvVecId b = vector_of(self, OTHER), dv = vector_of(self, SOLUTION);
    base->ops->combine(base->m, b, DV_NO_VEC, vector_of(self, VELOCITY_RESIDUAL), -1.0);
    base->ops->add_mbk(base->m, &base->step, (DvFactors){.k = -hb}, b, vector_of(self, POSITION_RESIDUAL),
                       DV_WALK_VISITOR);
    base->ops->project_response(base->m, &base->step, b, DV_WALK_VISITOR);
    base->ops->clear(base->m, dv);
    return dv_integrator_solve(base, self->implicit.linear_solver,
                               (DvFactors){.m = 1.0 + hb * rm, .b = -hb, .k = -hb * (rk + hb)}, dv, b);
}

/* The positions take the whole of their residual with any share: it is 0 from then on. */
static void update(void *self_, double share)
{
    BdfOdeSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    const DvStep *step = &self->implicit.base.step;
    const DvVecId dv = vector_of(self, SOLUTION), r1 = vector_of(self, POSITION_RESIDUAL), way = vector_of(self, WAY),
                  change = vector_of(self, CHANGE), moved = vector_of(self, OTHER);
    ops->combine(m, step->velocity, step->velocity, dv, share);
    ops->combine(m, change, change, dv, share);
    ops->combine(m, moved, DV_NO_VEC, dv, self->hb * share);
    ops->combine(m, moved, moved, r1, -1.0);
    ops->combine(m, way, way, moved, 1.0);
    ops->combine(m, step->position, step->position, moved, 1.0);
    ops->project_position(m, step, step->position);
    ops->project_velocity(m, step, step->velocity);
    ops->propagate_position(m, step, step->position);
    ops->propagate_velocity(m, step, step->velocity);
}

static double squared_guess(void *self_)
{
    const DvIntegrator *base = self_;
    return base->ops->dot(base->m, base->step.velocity, base->step.velocity);
}

static double squared_change(void *self_)
{
    const DvIntegrator *base = self_;
    const DvVecId dv = vector_of(self_, SOLUTION);
    return base->ops->dot(base->m, dv, dv);
}

/* ---- The class ---- */

static DvStatus solve(void *self_, double h, DvVecId position, DvVecId velocity)
{
    BdfOdeSolver *self = self_;
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    if (m == NULL || ops->unknowns(m) == 0)
        return DV_OK;
    (void)dv_integrator_begin(base, h, self->implicit.linear_solver);
    base->step.position = position;
    base->step.velocity = velocity;
    double t[MOST_ALIASED + 1], a[MOST_ALIASED + 1];
    const uint32_t n = take_times(self, t);
    self->hb = h * coefficients(t, n, a);
    DvStatus status = sum_history(self, a, n);
    if (status != DV_OK)
        return status;
    ops->combine(m, vector_of(self, WAY), vector_of(self, PAST_WAY), DV_VELOCITY, h);
    ops->combine(m, vector_of(self, CHANGE), vector_of(self, PAST_CHANGE), DV_NO_VEC, 0.0);
    ops->combine(m, position, DV_POSITION, DV_VELOCITY, h);
    if (velocity != DV_VELOCITY)
        ops->combine(m, velocity, DV_VELOCITY, DV_NO_VEC, 0.0);
    ops->propagate_position(m, &base->step, position);
    ops->propagate_velocity(m, &base->step, velocity);
    const NewtonProblem problem = {.self = self,
                                   .evaluate = evaluate,
                                   .solve = solve_linear,
                                   .update = update,
                                   .squared_guess = squared_guess,
                                   .squared_change = squared_change,
                                   .ease = "take a smaller step (dt)"};
    NewtonEnd end;
    status = newton_solve(self->newton, &problem, &end);
    return status == DV_OK ? keep_history(self) : status;
}

static DvStatus init(DvObject *object, void *self_)
{
    BdfOdeSolver *self = self_;
    const uint32_t order = dv_data_uint(&self->order);
    if (order == 0)
        dv_warning(object, "order: 0 is no method; 1 is taken");
    else if (order > MOST_ORDER)
        dv_warning(object, "order: %u: methods above 6 are unstable for any step%s; 1 or 2 is stable for all", order,
                   dv_data_bool(&self->own_history) ? ", and 6 is taken" : "");
    DvStatus status = dv_implicit_integrator_init(object, self);
    if (status != DV_OK)
        return status;
    self->newton = newton_find(object, &self->newton_link, &status);
    return self->newton || status != DV_OK
               ? status
               : dv_error(object, DV_ERROR_MISSING,
                          "there is no NewtonRaphsonSolver in '%s' or below it; add one, for instance "
                          "<NewtonRaphsonSolver maxNbIterationsNewton=\"10\"/>",
                          dv_node_path(dv_object_node(object)));
}

static void reset(DvObject *object, void *self_)
{
    dv_data_set(&((BdfOdeSolver *)self_)->times, NULL, 0);
    dv_integrator_reset(object, self_);
}

static double position_factor(void *self_, double dt)
{
    const BdfOdeSolver *self = self_;
    return self->hb > 0.0 ? self->hb : dt;
}

static void report(void *self_, DvReportLine line, void *context)
{
    BdfOdeSolver *self = self_;
    dv_implicit_integrator_report_ops.report(self_, line, context);
    const uint32_t order = wanted_order(self);
    if (order == 1 || dv_data_bool(&self->own_history))
        return;
    double t[MOST_ALIASED + 1], a[MOST_ALIASED + 1];
    for (uint32_t i = 0; i <= order; i++)
        t[i] = i;
    DvText text = {0};
    dv_text_add(
        &text,
        "order %u in name only: as in the reference, the last sample is used for all earlier ones, so that each step "
        "moves everything by %.3g of what it should; ownHistory=\"1\" is the method of order %u",
        order, coefficients(t, order, a), order);
    line(context, text.at);
    dv_text_free(&text);
}

static const DvReportOps report_ops = {.size = sizeof(DvReportOps), .report = report};

static const DvOdeSolverOps operations =
    DV_INTEGRATOR_OPS(.solve = solve, .position_factor = position_factor, .velocity_factor = dv_integrator_factor_one);

const DvClass dv_bdf_ode_solver = {
    .size = sizeof(DvClass),
    .name = "BDFOdeSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .help =
        "Backward differentiation formulas of order 1 to 6: implicit, for stiff bodies; order 2 and above with ownHistory "
        "alone.",
    .instance_size = sizeof(BdfOdeSolver),
    .fields = fields,
    .family = "ODE solvers",
    .bases = (const char *const[]){"BaseLinearMultiStepMethod", "OdeSolver", "LinearSolverAccessor", NULL},
    .contracts =
        (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &operations}, {.id = DV_REPORT, .ops = &report_ops}, {0}},
    .init = init,
    .restore = dv_integrator_restore,
    .update = dv_integrator_update,
    .reset = reset,
    .cleanup = dv_integrator_cleanup,
};
