/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sparse right-hand sides one after the other.
 */
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

DvStatus dv_linear_solver_check_rows(const DvLinearSolver *solver, const DvSparseRows *rows)
{
    for (uint32_t e = 0; e < rows->row_start[rows->rows]; e++)
        if (rows->columns[e] >= solver->n)
            return dv_error(dv_object_of(solver), DV_ERROR_INVALID,
                            "right-hand side with an entry for unknown %u of a system of %zu", rows->columns[e],
                            solver->n);
    return DV_OK;
}

bool dv_sparse_rows_ascend(const DvSparseRows *rows)
{
    for (uint32_t r = 0; r < rows->rows; r++)
        for (uint32_t e = rows->row_start[r] + 1; e < rows->row_start[r + 1]; e++)
            if (rows->columns[e] <= rows->columns[e - 1])
                return false;
    return true;
}

void dv_sparse_row_spread(const DvSparseRows *rows, uint32_t row, double *dense, size_t n)
{
    memset(dense, 0, n * sizeof *dense);
    for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++)
        dense[rows->columns[e]] += rows->values[e];
}

void dv_linear_solver_left(DvLinearSolver *solver, double left)
{
    solver->left = left > solver->left || isnan(left) ? left : solver->left;
}

DvStatus dv_linear_solver_solve_many(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    DvLinearSolver *solver = self;
    const size_t n = solver->n;
    DvStatus status = dv_linear_solver_check_rows(solver, b);
    dv_phase_begin("linear solver");
    solver->left = 0.0;
    const DvStepMark mark = dv_step_mark();
    double *right = dv_step_alloc(n + 1, sizeof *right), *left = dv_step_alloc(n + 1, sizeof *left);
    right[n] = left[n] = 0.0;
    for (uint32_t r = 0; r < b->rows && status == DV_OK; r++) {
        dv_sparse_row_spread(b, r, right, n);
        status = solver->solve_row(self, left, right, n);
        memcpy(x + stride * r, left, n * sizeof *x);
    }
    dv_step_release(mark);
    if (residual != NULL)
        *residual = solver->left;
    dv_phase_end();
    return status;
}

DvStatus dv_linear_solver_compliance(void *self, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    DvLinearSolver *solver = self;
    const size_t n = solver->n;
    DvStatus status = dv_linear_solver_check_rows(solver, j);
    dv_phase_begin("compliance");
    const DvStepMark mark = dv_step_mark();
    double *right = dv_step_alloc(n + 1, sizeof *right), *left = dv_step_alloc(n + 1, sizeof *left);
    right[n] = left[n] = 0.0;
    for (uint32_t r = 0; r < j->rows && status == DV_OK; r++) {
        dv_sparse_row_spread(j, r, right, n);
        status = solver->solve_row(self, left, right, n);
        for (uint32_t i = 0; i < j->rows; i++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                sum += j->values[e] * left[j->columns[e]];
            w[stride * i + r] += factor * sum;
        }
    }
    dv_step_release(mark);
    dv_phase_end();
    return status;
}
