/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ImprovedJacobiConstraintSolver: all blocks at once, from one product with W per sweep.
 *
 *   d := d + W delta;   lambda_b := what the law of block b says of rho d;   lambda := lambda + beta delta;
 *   delta := lambda - lambda of the sweep before
 *
 * rho < 1 keeps sweeps from overshooting where many rows hang together (useSpectralCorrection: from the largest eigenvalue of W); beta
 * carries a part of the last change on, more and more of it (useConjugateResidue). The error of a block is how far the last change
 * moved its violation.
 */
#include "iterative_constraint_solver.h"
#include "law.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

typedef struct ImprovedJacobiConstraintSolver {
    IterativeConstraintSolver base; /* first: errors know the object by it */
    DvData spectral_correction, spectral_factor, conjugate_residue, residue_speed;
} ImprovedJacobiConstraintSolver;

static const DvField fields[] = {
    BUILT_CONSTRAINT_SOLVER_FIELDS(ImprovedJacobiConstraintSolver),
    DV_FIELD(ImprovedJacobiConstraintSolver, spectral_correction, "useSpectralCorrection", dv_type_bool, .init = "0",
             .help = "sweeps are made smaller where the largest eigenvalue of the compliance matrix asks for it"),
    DV_FIELD(ImprovedJacobiConstraintSolver, spectral_factor, "spectralCorrectionFactor", dv_type_double, .init = "1",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "of that share: min(1, 1.8 / largest eigenvalue squared)"),
    DV_FIELD(ImprovedJacobiConstraintSolver, conjugate_residue, "useConjugateResidue", dv_type_bool, .init = "0",
             .help = "a part of each change is carried on to the next sweep"),
    DV_FIELD(ImprovedJacobiConstraintSolver, residue_speed, "conjugateResidueSpeedFactor", dv_type_double, .init = "10",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "that part in sweep i: (i / maxIterations) to this power"),
    {0},
};

/* Largest eigenvalue of W by powers, from a start that no symmetry of a scene is orthogonal to. `v`, `w`: room for a row each. */
static double largest_eigenvalue(const Solution *solution, double *v, double *w)
{
    enum { MOST = 2000 };
    const uint32_t n = solution->problem->view.rows;
    double value = 0.0;
    for (uint32_t r = 0; r < n; r++)
        v[r] = 1.0 + 0.5 * sin(1.0 + r);
    for (uint32_t i = 0; i < MOST; i++) {
        double length = 0.0, along = 0.0;
        for (uint32_t r = 0; r < n; r++)
            length += v[r] * v[r];
        length = sqrt(length);
        if (!(length > 0.0))
            return 0.0;
        for (uint32_t r = 0; r < n; r++)
            v[r] /= length;
        solution_product(solution, v, w);
        for (uint32_t r = 0; r < n; r++)
            along += v[r] * w[r];
        memcpy(v, w, n * sizeof *v);
        if (fabs(along - value) <= 1e-14 * fabs(along))
            return along;
        value = along;
    }
    return value;
}

/* Each block by its law, from `c`, which may change. */
static void resolve_blocks(const Solution *solution, double *c)
{
    const Problem *problem = solution->problem;
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        law_resolve(block, problem->diagonal + problem->diagonal_at[b], solution->factors + problem->diagonal_at[b],
                    c + block->first, solution->lambda + block->first);
    }
}

static SweepError error_of(const Solution *solution, const double *change, double tolerance)
{
    SweepError error = {.verified = true, .in_time = true};
    for (uint32_t b = 0; b < solution->problem->view.block_count; b++) {
        const DvConstraintBlock *block = &solution->problem->blocks[b];
        double squares = 0.0;
        for (uint32_t r = block->first; r < block->first + block->rows; r++)
            squares += change[r] * change[r];
        error.verified = error.verified && squares < tolerance * tolerance;
        error.sum += sqrt(squares);
        if (solution->error)
            solution->error[b] = sqrt(squares);
    }
    return error;
}

static MethodResult jacobi(IterativeConstraintSolver *base, Solution *solution, uint32_t sweeps, double tolerance)
{
    ImprovedJacobiConstraintSolver *self = (ImprovedJacobiConstraintSolver *)base; /* its first member */
    const uint32_t n = solution->problem->view.rows;
    const bool carries_on = dv_data_bool(&self->conjugate_residue);
    const double speed = dv_data_double(&self->residue_speed);
    double *d = dv_step_alloc(n, sizeof *d), *c = dv_step_alloc(n, sizeof *c), *last = dv_step_alloc(n, sizeof *last);
    double *delta = dv_step_alloc(n, sizeof *delta), *change = dv_step_alloc(n, sizeof *change);
    double rho = 1.0;
    if (dv_data_bool(&self->spectral_correction)) {
        const double largest = largest_eigenvalue(solution, c, change), square = largest * largest;
        rho = dv_data_double(&self->spectral_factor) * (square > 1.8 ? 1.8 / square : 1.0);
    }
    memcpy(d, solution->violation, n * sizeof *d);
    memset(last, 0, n * sizeof *last);
    memset(delta, 0, n * sizeof *delta);
    MethodResult result = {0};
    while (!result.converged && result.sweeps < sweeps) {
        const double part = carries_on ? fmin(1.0, pow((double)result.sweeps / sweeps, speed)) : 0.0;
        for (uint32_t r = 0; r < n; r++)
            c[r] = rho * d[r];
        resolve_blocks(solution, c);
        if (solution->d)
            memcpy(solution->d, d, n * sizeof *d);
        for (uint32_t r = 0; r < n; r++) {
            solution->lambda[r] += part * delta[r];
            delta[r] = solution->lambda[r] - last[r];
            last[r] = solution->lambda[r];
        }
        solution_product(solution, delta, change);
        for (uint32_t r = 0; r < n; r++)
            d[r] += change[r];
        const SweepError error = error_of(solution, change, tolerance);
        result.sweeps++;
        result.error = error.sum;
        iterative_constraint_solver_record(base, solution, error.sum);
        result.converged = iterative_constraint_solver_accepts(base, &error, tolerance) &&
                           (result.sweeps > 1 || dv_data_bool(&base->all_verified));
    }
    return result;
}

static DvStatus solve(void *self, const DvStep *step, DvConstraintOrder order)
{
    return iterative_constraint_solver_step(self, step, order, false, jacobi);
}

static const DvConstraintSolverOps ops = ITERATIVE_CONSTRAINT_SOLVER_OPS(solve, DV_LAWS_ALL);

const DvClass dv_improved_jacobi_constraint_solver = {
    ITERATIVE_CONSTRAINT_SOLVER_CLASS(&ops),
    .name = "ImprovedJacobiConstraintSolver",
    .help = "Finds the forces of constraints and contacts, all blocks at once in each sweep.",
    .instance_size = sizeof(ImprovedJacobiConstraintSolver),
    .fields = fields,
};
