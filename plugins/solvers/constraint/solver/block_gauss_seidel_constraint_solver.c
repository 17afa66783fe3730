/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BlockGaussSeidelConstraintSolver: projected Gauss-Seidel over blocks of rows, until a sweep moves the violations by less than the
 * tolerance.
 *
 *   for each block   d := d_free + W lambda (its rows);   lambda := what its law says
 *
 * NNCGConstraintSolver takes each sweep as the gradient of a nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben
 * 2010): fewer sweeps where many contacts hang together.
 */
#include "iterative_constraint_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

typedef struct BlockGaussSeidelConstraintSolver {
    IterativeConstraintSolver base; /* first: errors know the object by it */
    DvData resolution_method;       /* of BlockGaussSeidelConstraintSolver alone */
} BlockGaussSeidelConstraintSolver;

static const DvField fields[] = {
    BUILT_CONSTRAINT_SOLVER_FIELDS(BlockGaussSeidelConstraintSolver),
    DV_FIELD(BlockGaussSeidelConstraintSolver, resolution_method, "resolutionMethod", dv_type_string,
             .flags = DV_FIELD_HIDDEN, .help = "of GenericConstraintSolver, which was three classes in one"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    BlockGaussSeidelConstraintSolver *self = self_;
    const char *method = dv_data_string(&self->resolution_method);
    const bool unbuilt = strcmp(method, "UnbuiltGaussSeidel") == 0;
    if (unbuilt || strcmp(method, "NonsmoothNonlinearConjugateGradient") == 0)
        return dv_field_error(&self->resolution_method, -1, "'%s' is the class %s today: write that instead%s", method,
                              unbuilt ? "UnbuiltGaussSeidelConstraintSolver" : "NNCGConstraintSolver",
                              unbuilt ? "" : ", with newtonIterations as maxIterations");
    if (*method && strcmp(method, "ProjectedGaussSeidel") != 0)
        return dv_field_error(&self->resolution_method, -1,
                              "'%s' is no method; leave it out, or take another class of constraint solver", method);
    return iterative_constraint_solver_init(object, &self->base);
}

/* ---- Gauss-Seidel ---- */

static DvStatus solve(void *self, const DvStep *step, DvConstraintOrder order)
{
    return iterative_constraint_solver_step(self, step, order, false, gauss_seidel);
}

static const DvConstraintSolverOps ops = ITERATIVE_CONSTRAINT_SOLVER_OPS(solve, DV_LAWS_ALL);

const DvClass dv_block_gauss_seidel_constraint_solver = {
    .size = sizeof(DvClass),
    .name = "BlockGaussSeidelConstraintSolver",
    .bases = (const char *const[]){"ConstraintSolver", NULL},
    .family = "constraint solvers",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .help = "Finds the forces of constraints and contacts, block by block.",
    .instance_size = sizeof(BlockGaussSeidelConstraintSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_SOLVER, .ops = &ops, .slot = true},
                                      {.id = DV_SOLVE_RECORD, .ops = &iterative_constraint_solver_record_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &iterative_constraint_solver_cause_ops},
                                      {0}},
    .init = init,
    .reset = iterative_constraint_solver_reset,
    .cleanup = iterative_constraint_solver_cleanup,
};

/* ---- Nonlinear conjugate gradients ---- */

static const DvField nncg_fields[] = {BUILT_CONSTRAINT_SOLVER_FIELDS(BlockGaussSeidelConstraintSolver), {0}};

static double square(const double *v, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

static MethodResult nncg(IterativeConstraintSolver *self, Solution *solution, uint32_t sweeps, double tolerance)
{
    const uint32_t n = solution->problem->view.rows;
    double *lambda = solution->lambda;
    double *before = dv_step_alloc(n, sizeof *before), *delta = dv_step_alloc(n, sizeof *delta);
    double *direction = dv_step_alloc(n, sizeof *direction);
    memcpy(before, lambda, n * sizeof *before);
    (void)solution_sweep(solution, tolerance, 0.0);
    for (uint32_t i = 0; i < n; i++) {
        delta[i] = before[i] - lambda[i];
        direction[i] = -delta[i];
    }
    MethodResult result = {.sweeps = 1};
    while (result.sweeps < sweeps) {
        memcpy(before, lambda, n * sizeof *before);
        const SweepError error = solution_sweep(solution, tolerance, 0.0);
        result.sweeps++;
        result.error = error.sum;
        iterative_constraint_solver_record(self, solution, error.sum);
        result.converged = iterative_constraint_solver_accepts(self, &error, tolerance);
        if (result.converged)
            break;
        const double old = square(delta, n);
        for (uint32_t i = 0; i < n; i++)
            delta[i] = before[i] - lambda[i];
        const double now = square(delta, n), beta = old > 0.0 ? now / old : 2.0;
        if (beta > 1.0) {
            memset(direction, 0, n * sizeof *direction);
        } else {
            for (uint32_t i = 0; i < n; i++) {
                lambda[i] += beta * direction[i];
                direction[i] = beta * direction[i] - delta[i];
            }
            solution_sum_up(solution);
        }
        if (sqrt(now) < tolerance) {
            result.converged = true;
            break;
        }
    }
    return result;
}

static DvStatus solve_nncg(void *self, const DvStep *step, DvConstraintOrder order)
{
    return iterative_constraint_solver_step(self, step, order, false, nncg);
}

static const DvConstraintSolverOps nncg_ops = ITERATIVE_CONSTRAINT_SOLVER_OPS(solve_nncg, DV_LAWS_ALL);

const DvClass dv_nncg_constraint_solver = {
    .size = sizeof(DvClass),
    .name = "NNCGConstraintSolver",
    .bases = (const char *const[]){"BlockGaussSeidelConstraintSolver", "ConstraintSolver", NULL},
    .family = "constraint solvers",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .help = "Finds the forces of constraints and contacts by nonlinear conjugate gradients over Gauss-Seidel sweeps.",
    .instance_size = sizeof(BlockGaussSeidelConstraintSolver),
    .fields = nncg_fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_SOLVER, .ops = &nncg_ops, .slot = true},
                                      {.id = DV_SOLVE_RECORD, .ops = &iterative_constraint_solver_record_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &iterative_constraint_solver_cause_ops},
                                      {0}},
    .init = iterative_constraint_solver_init,
    .reset = iterative_constraint_solver_reset,
    .cleanup = iterative_constraint_solver_cleanup,
};
