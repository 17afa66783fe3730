/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NewtonRaphsonSolver: Newton's method for the equations r(x) = 0 of an ODE solver, with a line search by halving.
 *
 *   r(x) is evaluated; one within the absolute bound is an equilibrium, and nothing is done
 *   at most maxNbIterationsNewton times:
 *     dx by the linear equations;   a = 1, c, c^2, ... (c: lineSearchCoefficient), until |r(x + a dx)| is below the residual before
 *     with none of maxNbIterationsLineSearch lengths the whole step is taken
 *     the solve has converged as soon as one of these holds, asked in this order, each only with a bound above zero:
 *       |r| < relativeSuccessiveStoppingThreshold |r before|       |r| < relativeInitialStoppingThreshold |r at first|
 *       |r| < absoluteResidualStoppingThreshold
 *       |dx| < relativeEstimateDifferenceThreshold |x before|      |dx| < absoluteEstimateDifferenceThreshold
 *
 * A solve that ends by its iterations is told once, then counted. A residual that is not finite ends it at once.
 */
#include "ode/newton.h"

#include <divan/divan.h>
#include <divan/kit/linear_solver.h>
#include <divan/scene.h>

#include <inttypes.h>
#include <math.h>

struct NewtonSolver {
    DvData iterations, successive, initial, absolute, relative_change, absolute_change;
    DvData trials, coefficient, warns_of_search, warns_of_end;
    DvData solves; /* what the outputs follow */
    DvData status, graph, norms;
    DvCurve residuals; /* of the last solve, squared */
    NewtonEnd end;
    double change; /* |dx| of its last iteration */
    const char *ease;
    DvSolveRecord record;
    bool told_of_search;
};

static const char *const ends[] = {
    [NEWTON_UNDEFINED] = "Undefined",
    [NEWTON_RUNNING] = "Running",
    [NEWTON_EQUILIBRIUM] = "ConvergedEquilibrium",
    [NEWTON_FAILED_ITERATIONS] = "DivergedMaxIterations",
    [NEWTON_FAILED_LINE_SEARCH] = "DivergedLineSearch",
    [NEWTON_SUCCESSIVE] = "ConvergedResidualSuccessiveRatio",
    [NEWTON_INITIAL] = "ConvergedResidualInitialRatio",
    [NEWTON_ABSOLUTE] = "ConvergedAbsoluteResidual",
    [NEWTON_RELATIVE_CHANGE] = "ConvergedRelativeEstimateDifference",
    [NEWTON_ABSOLUTE_CHANGE] = "ConvergedAbsoluteEstimateDifference",
    NULL,
};

#define BOUND(member, name, text)                                                                         \
    DV_FIELD(NewtonSolver, member, name, dv_type_double, .init = "1e-5", .range = &dv_range_not_negative, \
             .flags = DV_FIELD_LENIENT, .help = text)
#define BOUND_OF_CHANGE(member, name, text)                                                            \
    DV_FIELD(NewtonSolver, member, name, dv_type_double, .init = "0", .range = &dv_range_not_negative, \
             .flags = DV_FIELD_LENIENT, .help = text)

static const DvField fields[] = {
    DV_FIELD(NewtonSolver, iterations, "maxNbIterationsNewton", dv_type_uint, .init = "1", .range = &dv_range_count,
             .help = "most iterations of a solve"),
    BOUND(successive, "relativeSuccessiveStoppingThreshold",
          "converged when the residual is below this part of the one before; 0: not asked"),
    BOUND(initial, "relativeInitialStoppingThreshold",
          "converged when the residual is below this part of the first one; 0: not asked"),
    BOUND(absolute, "absoluteResidualStoppingThreshold", "converged when the residual is below this; 0: not asked"),
    BOUND_OF_CHANGE(relative_change, "relativeEstimateDifferenceThreshold",
                    "converged when the unknowns change by less than this part of themselves; 0: not asked"),
    BOUND_OF_CHANGE(absolute_change, "absoluteEstimateDifferenceThreshold",
                    "converged when the unknowns change by less than this; 0: not asked"),
    DV_FIELD(NewtonSolver, trials, "maxNbIterationsLineSearch", dv_type_uint, .init = "1", .range = &dv_range_count,
             .help = "most lengths of a step that are tried for one that lowers the residual; 1: whole steps alone"),
    DV_FIELD(NewtonSolver, coefficient, "lineSearchCoefficient", dv_type_double, .init = "0.5",
             .range = &(const DvRange){.least = 0, .most = 1, .above = true, .below = true},
             .help = "each length that is tried is this part of the one before"),
    DV_FIELD_HELD("updateStateWhenDiverged", dv_type_bool, .init = "1",
                  .help = "no effect, as in the reference: the state is what the last iteration left"),
    DV_FIELD(NewtonSolver, warns_of_search, "warnWhenLineSearchFails", dv_type_bool, .init = "1",
             .help = "warn, once, when no length of a step lowers the residual"),
    DV_FIELD(NewtonSolver, warns_of_end, "warnWhenDiverge", dv_type_bool, .init = "1",
             .help = "warn, once, when a solve does not converge; such solves are counted in any case"),
    DV_FIELD(NewtonSolver, solves, "solves", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "solves since initialisation"),
    DV_FIELD(NewtonSolver, status, "status", dv_type_choice, .init = "Undefined", .choices = ends,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "how the last solve ended"),
    DV_FIELD(NewtonSolver, graph, "residualGraph", dv_type_string, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "squared residual at first and after each iteration of the last solve"),
    DV_FIELD(NewtonSolver, norms, "residuals", dv_type_doubles, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "the same, not squared, as numbers"),
    {0},
};

static void reset(DvObject *object, void *self_)
{
    (void)object;
    NewtonSolver *self = self_;
    dv_data_set_uint(&self->solves, 0);
    self->residuals.count = 0;
    self->end = NEWTON_UNDEFINED;
    self->record = (DvSolveRecord){0};
    self->told_of_search = false;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    NewtonSolver *self = self_;
    DvText text = {0};
    dv_data_set_string(&self->status, ends[self->end]);
    if (self->residuals.count > 0)
        dv_curve_print(&self->residuals, "residual", &text);
    dv_graph_set(&self->graph, &text);
    double *norms = dv_data_begin_all(&self->norms, self->residuals.count);
    for (uint32_t i = 0; i < self->residuals.count; i++)
        norms[i] = sqrt(self->residuals.values[i]);
    dv_data_end(&self->norms);
    return DV_OK;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    dv_curve_free(&((NewtonSolver *)self)->residuals);
}

/* ---- A solve ---- */

/* What a solve goes by. */
typedef struct Newton {
    NewtonSolver *solver;
    const NewtonProblem *problem;
    uint32_t trials;
    double coefficient;
    double successive, initial, absolute, relative_change, absolute_change; /* squared bounds; 0: not asked */
    double first, before, now;                                              /* squared residuals */
    double guess, change;                                                   /* squared norms of x before, and of dx */
} Newton;

static double squared(DvData *bound)
{
    const double value = dv_data_double(bound);
    return value > 0.0 ? value * value : 0.0;
}

static uint64_t step_number(const NewtonSolver *self)
{
    return 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self))));
}

static void tell_of_search(const Newton *n, uint32_t iteration)
{
    NewtonSolver *self = n->solver;
    if (n->problem->rescued || self->told_of_search || !dv_data_bool(&self->warns_of_search) || !isfinite(n->now))
        return;
    self->told_of_search = true;
    dv_warning(dv_object_of(self),
               "the line search fails in iteration %u of step %" PRIu64
               ": none of the %u lengths of the step that it tries "
               "lowers the residual, which is %.3g and becomes %.3g; the whole step is taken. Raise "
               "maxNbIterationsLineSearch, or %s. Further ones are not reported",
               iteration, step_number(self), n->trials, sqrt(n->before), sqrt(n->now), n->problem->ease);
}

/* x moves along dx. False: the residual has not become smaller. */
static bool search_line(Newton *n)
{
    const NewtonProblem *problem = n->problem;
    double share = 1.0, taken = 0.0;
    for (uint32_t i = 0; i < n->trials; i++) {
        problem->update(problem->self, share - taken);
        n->now = problem->evaluate(problem->self);
        if (n->now < n->before)
            return true;
        taken = share;
        share *= n->coefficient;
    }
    if (n->trials > 1) {
        problem->update(problem->self, 1.0 - taken);
        n->now = problem->evaluate(problem->self);
    }
    return false;
}

static NewtonEnd converged_by(const Newton *n)
{
    if (n->problem->rescued && n->now > n->first && !(n->now < n->absolute))
        return NEWTON_RUNNING; /* the way back from where a step has led astray is no convergence */
    if (n->successive > 0.0 && n->now < n->successive * n->before)
        return NEWTON_SUCCESSIVE;
    if (n->initial > 0.0 && n->now < n->initial * n->first)
        return NEWTON_INITIAL;
    if (n->absolute > 0.0 && n->now < n->absolute)
        return NEWTON_ABSOLUTE;
    if (n->relative_change > 0.0 && n->guess > 0.0 && n->change < n->relative_change * n->guess)
        return NEWTON_RELATIVE_CHANGE;
    if (n->absolute_change > 0.0 && n->change < n->absolute_change)
        return NEWTON_ABSOLUTE_CHANGE;
    return NEWTON_RUNNING;
}

static DvStatus iterate(Newton *n, uint32_t iteration, NewtonEnd *end)
{
    const NewtonProblem *problem = n->problem;
    n->before = n->now;
    n->guess = n->relative_change > 0.0 ? problem->squared_guess(problem->self) : 0.0;
    const DvStatus status = problem->solve(problem->self);
    if (status != DV_OK)
        return status;
    const bool lowered = search_line(n);
    if (n->relative_change > 0.0 || n->absolute_change > 0.0) {
        n->change = problem->squared_change(problem->self);
        n->solver->change = sqrt(n->change);
    }
    dv_curve_add(&n->solver->residuals, n->now);
    if (!lowered)
        tell_of_search(n, iteration);
    *end = isfinite(n->now) ? converged_by(n) : NEWTON_FAILED_LINE_SEARCH;
    return DV_OK;
}

/* What the residual has to be below: the widest of the bounds that are asked. */
static double residual_asked(const Newton *n)
{
    return sqrt(fmax(n->absolute, fmax(n->initial * n->first, n->successive * n->before)));
}

static void count(const Newton *n, NewtonEnd end)
{
    NewtonSolver *self = n->solver;
    const double limit = newton_converged(end) ? INFINITY : -1.0;
    if (!dv_solve_record_add(&self->record, sqrt(n->now), residual_asked(n), limit))
        return;
    dv_solve_record_worst(&self->record, step_number(self));
    if (self->record.told || !dv_data_bool(&self->warns_of_end))
        return;
    self->record.told = true;
    DvText how = {0};
    newton_describe_with_remedy(self, &how);
    dv_warning(dv_object_of(self),
               "the equations of step %" PRIu64 " are not solved: %s. Further ones are only counted", step_number(self),
               how.at);
    dv_text_free(&how);
}

DvStatus newton_solve(NewtonSolver *self, const NewtonProblem *problem, NewtonEnd *end)
{
    const uint32_t iterations = dv_data_uint(&self->iterations);
    Newton n = {.solver = self,
                .problem = problem,
                .trials = dv_data_uint(&self->trials),
                .coefficient = dv_data_double(&self->coefficient),
                .successive = squared(&self->successive),
                .initial = squared(&self->initial),
                .absolute = squared(&self->absolute),
                .relative_change = squared(&self->relative_change),
                .absolute_change = squared(&self->absolute_change)};
    if (n.trials == 0)
        n.trials = 1;
    self->ease = problem->ease;
    ++*(uint32_t *)dv_data_rewrite(&self->solves);
    dv_curve_restart(&self->residuals, iterations);
    n.first = n.before = n.now = problem->evaluate(problem->self);
    dv_curve_add(&self->residuals, n.now);
    *end = self->end = NEWTON_RUNNING;
    if (n.absolute > 0.0 && n.now <= n.absolute)
        *end = NEWTON_EQUILIBRIUM;
    DvStatus status = DV_OK;
    for (uint32_t i = 1; i <= iterations && *end == NEWTON_RUNNING && status == DV_OK; i++)
        status = iterate(&n, i, end);
    if (*end == NEWTON_RUNNING)
        *end = NEWTON_FAILED_ITERATIONS;
    self->end = *end;
    if (status == DV_OK && (newton_converged(*end) || !problem->rescued))
        count(&n, *end);
    return status;
}

/* ---- What is said of it ---- */

/* "below 1e-5, or 1e-5 of the first" */
static void name_bounds(const NewtonSolver *self_, DvText *text)
{
    NewtonSolver *self = (NewtonSolver *)self_;
    const char *before = "";
    const struct {
        DvData *bound;
        const char *of;
    } bounds[] = {{&self->absolute, ""},
                  {&self->initial, " of the first"},
                  {&self->successive, " of the one before"},
                  {&self->relative_change, " of the unknowns by their change"},
                  {&self->absolute_change, " by the change of the unknowns"}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        if (!(dv_data_double(bounds[i].bound) > 0.0))
            continue;
        dv_text_add(text, "%s%.3g%s", before, dv_data_double(bounds[i].bound), bounds[i].of);
        before = " or ";
    }
    if (*before == '\0')
        dv_text_add(text, "nothing: all of its thresholds are 0");
}

/* Whether the residual was still becoming smaller. */
static bool was_on_its_way(const NewtonSolver *self)
{
    const DvCurve *r = &self->residuals;
    const double shrinks = 0.25; /* of squares */
    const double last = r->count ? r->values[r->count - 1] : 0.0;
    return r->count > 1 && last < shrinks * r->values[r->count - 2] && last <= r->values[0];
}

static void remedy(void *self_, DvText *text)
{
    const NewtonSolver *self = self_;
    const uint32_t iterations = dv_data_uint(&((NewtonSolver *)self_)->iterations);
    if (iterations == 1 || was_on_its_way(self))
        dv_text_add(text, "raise maxNbIterationsNewton, of which %u %s not enough", iterations,
                    iterations == 1 ? "is" : "were");
    else
        dv_text_add(text, "%s, or set maxNbIterationsLineSearch=\"10\", or raise maxNbIterationsNewton",
                    self->ease ? self->ease : "make the steps smaller");
}

bool newton_has_failed(const NewtonSolver *self)
{
    return self->end != NEWTON_UNDEFINED && !newton_converged(self->end);
}

void newton_describe(const NewtonSolver *self, DvText *text)
{
    const DvCurve *r = &self->residuals;
    const double last = r->count ? sqrt(r->values[r->count - 1]) : NAN;
    if (!isfinite(last)) {
        dv_text_add(text, "the residual of iteration %u is not finite (it began at %.3g)", r->count - 1,
                    r->count ? sqrt(r->values[0]) : NAN);
        return;
    }
    dv_text_add(text,
                "after %u iteration%s of Newton's method the residual is %.3g; it began at %.3g, and must be below ",
                r->count - 1, r->count == 2 ? "" : "s", last, sqrt(r->values[0]));
    name_bounds(self, text);
}

void newton_describe_with_remedy(const NewtonSolver *self, DvText *text)
{
    newton_describe(self, text);
    dv_text_add(text, "; ");
    remedy((void *)self, text);
}

static void curve(void *self_, DvText *text)
{
    const NewtonSolver *self = self_;
    for (uint32_t i = 0; i < self->residuals.count; i++)
        dv_text_add(text, "%s%.3g", i ? ", " : "", sqrt(self->residuals.values[i]));
    dv_text_add(text, ": %s", ends[self->end]);
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const NewtonSolver *)self)->record;
}

static const DvSolveRecordOps record_ops = {
    .size = sizeof record_ops, .record = record_of, .unit = "of residual", .remedy = remedy, .curve = curve};

/* ---- The class ---- */

NewtonSolver *newton_find(DvObject *object, const DvLink *link, DvStatus *status)
{
    DvObject *found = dv_link_object(link);
    *status = DV_OK;
    if (!found && dv_link_is_set(link)) {
        *status = dv_field_error(&link->data, -1, "leads to no NewtonRaphsonSolver");
        return NULL;
    }
    if (!found)
        found = dv_node_find(dv_object_node(object), NEWTON_SOLVER, DV_SEARCH_DOWN);
    if (found)
        *status = dv_object_require(object, found);
    return found && *status == DV_OK ? dv_object_self(found) : NULL;
}

static const NewtonOps ops = {.size = sizeof ops, .solve = newton_solve};

const DvClass dv_newton_raphson_solver = {
    .size = sizeof(DvClass),
    .name = "NewtonRaphsonSolver",
    .bases = (const char *const[]){"BaseComponent", NULL},
    .family = "ODE solvers",
    .module = "Sofa.Component.ODESolver.Backward",
    .help = "Newton's method with a line search, for StaticSolver and other solvers of equations that are not linear.",
    .instance_size = sizeof(NewtonSolver),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = NEWTON_SOLVER, .ops = &ops}, {.id = DV_SOLVE_RECORD, .ops = &record_ops}, {0}},
    .reset = reset,
    .update = update,
    .destroy = destroy,
};
