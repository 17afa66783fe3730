/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PreconditionedConjugateResidual: equality constraints alone, as one symmetric linear system
 *
 *   P W P y = -P d_free,   lambda = P y,   P = diag(W)^(-1/2)
 *
 * by conjugate residuals (Stiefel 1955): one product with W per iteration, as many iterations as there are rows at most. Other
 * laws are refused: a contact would pull as well as push.
 *
 * The error of iteration i is that of row i of the residual, as if it were the one of every block: scenes rely on where that ends.
 */
#include "iterative_constraint_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

typedef struct PreconditionedConjugateResidual {
    IterativeConstraintSolver base; /* first: errors know the object by it */
} PreconditionedConjugateResidual;

static const DvField fields[] = {BUILT_CONSTRAINT_SOLVER_FIELDS(PreconditionedConjugateResidual), {0}};

/* out = P W P x; `scaled`: room for a row. */
static void product(const Solution *s, const double *p, const double *x, double *scaled, double *out)
{
    const uint32_t n = s->problem->view.rows;
    for (uint32_t r = 0; r < n; r++)
        scaled[r] = p[r] * x[r];
    solution_product(s, scaled, out);
    for (uint32_t r = 0; r < n; r++)
        out[r] *= p[r];
}

static double dot(uint32_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void scale_of(const Problem *problem, double *p)
{
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const uint32_t rows = problem->blocks[b].rows;
        for (uint32_t i = 0; i < rows; i++) {
            const double w = problem->diagonal[problem->diagonal_at[b] + (size_t)i * (rows + 1)];
            p[problem->blocks[b].first + i] = w > 0.0 ? 1.0 / sqrt(w) : 0.0;
        }
    }
}

static SweepError error_of(const Solution *s, double residual, double tolerance)
{
    SweepError error = {.verified = true, .in_time = true};
    for (uint32_t b = 0; b < s->problem->view.block_count; b++) {
        const double of_block = sqrt(s->problem->blocks[b].rows) * fabs(residual);
        error.verified = error.verified && !(of_block > tolerance);
        error.sum += of_block;
        if (s->error)
            s->error[b] = of_block;
    }
    return error;
}

static MethodResult conjugate_residual(IterativeConstraintSolver *base, Solution *s, uint32_t sweeps, double tolerance)
{
    const uint32_t n = s->problem->view.rows, most = sweeps < n ? sweeps : n;
    double *scale = dv_step_alloc(n, sizeof *scale), *scratch = dv_step_alloc(n, sizeof *scratch);
    double *y = dv_step_alloc(n, sizeof *y), *r = dv_step_alloc(n, sizeof *r), *p = dv_step_alloc(n, sizeof *p);
    double *wr = dv_step_alloc(n, sizeof *wr), *wp = dv_step_alloc(n, sizeof *wp);
    scale_of(s->problem, scale);
    for (uint32_t i = 0; i < n; i++) {
        y[i] = 0.0;
        p[i] = r[i] = -scale[i] * s->violation[i];
    }
    product(s, scale, r, scratch, wr);
    memcpy(wp, wr, n * sizeof *wp);
    double r_wr = dot(n, r, wr);
    MethodResult result = {0};
    while (!result.converged && result.sweeps < most) {
        const double length = dot(n, wp, wp);
        const double alpha = length > 0.0 ? r_wr / length : 0.0; /* 0: it is solved already */
        for (uint32_t i = 0; i < n; i++) {
            y[i] += alpha * p[i];
            r[i] -= alpha * wp[i];
            s->lambda[i] = scale[i] * y[i];
        }
        product(s, scale, r, scratch, wr);
        const double next = dot(n, r, wr), beta = r_wr > 0.0 ? next / r_wr : 0.0;
        r_wr = next;
        for (uint32_t i = 0; i < n; i++) {
            p[i] = r[i] + beta * p[i];
            wp[i] = wr[i] + beta * wp[i];
            if (s->d)
                s->d[i] = scale[i] > 0.0 ? -r[i] / scale[i] : s->violation[i];
        }
        const SweepError error = error_of(s, r[result.sweeps], tolerance);
        result.sweeps++;
        result.error = error.sum;
        iterative_constraint_solver_record(base, s, error.sum);
        result.converged = iterative_constraint_solver_accepts(base, &error, tolerance) &&
                           (result.sweeps > 1 || n == 1 || dv_data_bool(&base->all_verified));
    }
    return result;
}

static DvStatus solve(void *self, const DvStep *step, DvConstraintOrder order)
{
    return iterative_constraint_solver_step(self, step, order, false, conjugate_residual);
}

static const DvConstraintSolverOps ops = ITERATIVE_CONSTRAINT_SOLVER_OPS(solve, 1u << DV_LAW_BILATERAL);

const DvClass dv_preconditioned_conjugate_residual = {
    ITERATIVE_CONSTRAINT_SOLVER_CLASS(&ops),
    .name = "PreconditionedConjugateResidual",
    .help = "Finds the forces of equality constraints by conjugate residuals.",
    .instance_size = sizeof(PreconditionedConjugateResidual),
    .fields = fields,
};
