/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sparse right-hand sides one after the other.
 */
#include "linear/many_solves.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

DvStatus dv_check_rows(const void *self, const DvSparseRows *rows, size_t n)
{
    for (uint32_t e = 0; e < rows->row_start[rows->rows]; e++)
        if (rows->columns[e] >= n)
            return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                            "right-hand side with an entry for unknown %u of a system of %zu", rows->columns[e], n);
    return DV_OK;
}

void dv_spread_row(const DvSparseRows *rows, uint32_t row, double *dense, size_t n)
{
    memset(dense, 0, n * sizeof *dense);
    for (uint32_t e = rows->row_start[row]; e < rows->row_start[row + 1]; e++)
        dense[rows->columns[e]] += rows->values[e];
}

void dv_many_left(DvManySolves *many, double left)
{
    many->left = left > many->left || isnan(left) ? left : many->left;
}

DvStatus dv_many_solve(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    DvManySolves *many = self;
    const size_t n = many->n;
    DvStatus status = dv_check_rows(self, b, n);
    dv_phase_begin("linear solver");
    many->left = 0.0;
    const DvStepMark mark = dv_step_mark();
    double *right = dv_step_alloc(n + 1, sizeof *right), *left = dv_step_alloc(n + 1, sizeof *left);
    right[n] = left[n] = 0.0;
    for (uint32_t r = 0; r < b->rows && status == DV_OK; r++) {
        dv_spread_row(b, r, right, n);
        status = many->solve(self, left, right, n);
        memcpy(x + stride * r, left, n * sizeof *x);
    }
    dv_step_release(mark);
    if (residual != NULL)
        *residual = many->left;
    dv_phase_end();
    return status;
}

DvStatus dv_compliance_of_rows(void *self, DvSolveFlat solve, const DvSparseRows *j, size_t n, double factor, double *w,
                               size_t stride)
{
    DvStatus status = dv_check_rows(self, j, n);
    const DvStepMark mark = dv_step_mark();
    double *right = dv_step_alloc(n + 1, sizeof *right), *left = dv_step_alloc(n + 1, sizeof *left);
    right[n] = left[n] = 0.0;
    for (uint32_t r = 0; r < j->rows && status == DV_OK; r++) {
        dv_spread_row(j, r, right, n);
        status = solve(self, left, right, n);
        for (uint32_t i = 0; i < j->rows; i++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                sum += j->values[e] * left[j->columns[e]];
            w[stride * i + r] += factor * sum;
        }
    }
    dv_step_release(mark);
    return status;
}

DvStatus dv_many_compliance(void *self, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    const DvManySolves *many = self;
    dv_phase_begin("compliance");
    const DvStatus status = dv_compliance_of_rows(self, many->solve, j, many->n, factor, w, stride);
    dv_phase_end();
    return status;
}
