/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Direct solvers on all of the matrix.
 */
#include "linear/dense_solver.h"

#include <divan/divan.h>
#include <divan/kit/block_product.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

DvStatus dense_solver_init(DvObject *object, void *self_)
{
    DenseSolver *self = self_;
    self->dense = dv_service(DV_DENSE);
    if (self->dense == NULL)
        return dv_error(object, DV_ERROR_MISSING,
                        "needs the plugin divan.lapack, which is not there: it is built where LAPACK is (on Debian: "
                        "liblapacke-dev libarpack2-dev). SparseLDLSolver needs no library, for symmetric systems");
    return dv_direct_solver_init(object, self);
}

void dense_solver_destroy(DvObject *object, void *self_)
{
    DenseSolver *self = self_;
    dv_free(self->matrix);
    dv_free(self->numbers);
    dv_free(self->integers);
    dv_linear_solver_destroy(object, self);
}

void dense_solver_analyse(void *self, const DvBlockMatrix *a)
{
    (void)self;
    (void)a;
}

static DvStatus make_room(DenseSolver *self, size_t n, DvDenseWork more)
{
    const DvObject *object = dv_object_of(self);
    if (n > DV_DENSE_MOST)
        return dv_error(
            object, DV_ERROR_LIMIT,
            "the matrix has %zu unknowns, and this class takes at most %d: it computes with all n x n entries. "
            "SparseLDLSolver and EigenSparseLU need those alone that are not zero",
            n, DV_DENSE_MOST);
    if (n <= self->capacity)
        return DV_OK;
    const DvStatus status = dv_memory_ask(object, 8.0 * ((double)n * (double)n + (double)more.numbers),
                                          "all entries of a matrix of %zu unknowns", n);
    if (status != DV_OK)
        return status;
    dv_free(self->matrix);
    dv_free(self->numbers);
    dv_free(self->integers);
    self->matrix = dv_alloc(n * n, sizeof *self->matrix);
    self->numbers = dv_alloc(more.numbers, sizeof *self->numbers);
    self->integers = dv_alloc(more.integers, sizeof *self->integers);
    self->capacity = n;
    return DV_OK;
}

DvStatus dense_solver_take(DenseSolver *self, const DvBlockMatrix *a, DvDenseWork more, uint32_t *failed)
{
    const uint32_t b = a->block;
    const size_t n = (size_t)a->rows * b;
    const DvStatus status = make_room(self, n, more);
    if (status != DV_OK)
        return status;
    memset(self->matrix, 0, n * n * sizeof *self->matrix);
    for (uint32_t r = 0; r < a->rows; r++)
        for (uint32_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
            for (uint32_t i = 0; i < b; i++)
                for (uint32_t j = 0; j < b; j++) {
                    const double value = a->values[(size_t)b * b * e + b * i + j];
                    if (!isfinite(value)) {
                        *failed = r * b + i;
                        return DV_ERROR_SINGULAR;
                    }
                    self->matrix[r * b + i + n * (a->columns[e] * b + j)] = value;
                }
    return DV_OK;
}

double dense_solver_norm(const double *matrix, size_t n)
{
    double norm = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += fabs(matrix[i + n * j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

double dense_solver_residual(const DenseSolver *self, const DvBlockMatrix *a, const double *x, const double *b)
{
    const size_t n = self->direct.base.n;
    const DvStepMark mark = dv_step_mark();
    double *at = dv_step_alloc(n + 1, sizeof *at), *product = dv_step_alloc(n + 1, sizeof *product), left = 0.0,
           size = 0.0;
    memcpy(at, x, n * sizeof *at);
    at[n] = 0.0;
    (void)dv_block_product(a, at, product);
    for (size_t i = 0; i < n; i++) {
        left += (product[i] - b[i]) * (product[i] - b[i]);
        size += b[i] * b[i];
    }
    dv_step_release(mark);
    return size > 0.0 ? sqrt(left / size) : 0.0;
}
