/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mumps/small_lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A pivot below this share of the largest number of the matrix is none; MUMPS's own bound. */
static const double NO_PIVOT = 1e-5 * DBL_EPSILON;

static double spread(SmallLu *self, const DvSparseRows *a)
{
    double largest = 0.0;
    memset(self->lu, 0, (size_t)a->rows * a->rows * sizeof *self->lu);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            self->lu[(size_t)row * a->rows + a->columns[e]] = a->values[e];
            largest = fmax(largest, fabs(a->values[e]));
        }
    return largest;
}

static uint32_t largest_below(const SmallLu *self, uint32_t k)
{
    uint32_t best = k;
    for (uint32_t row = k + 1; row < self->n; row++)
        if (fabs(self->lu[row * self->n + k]) > fabs(self->lu[best * self->n + k]))
            best = row;
    return best;
}

static void exchange(double *b, uint32_t i, uint32_t j)
{
    const double kept = b[i];
    b[i] = b[j];
    b[j] = kept;
}

static void exchange_rows(SmallLu *self, uint32_t k, uint32_t other)
{
    for (uint32_t c = 0; c < self->n; c++)
        exchange(self->lu, k * self->n + c, other * self->n + c);
    self->moved++;
}

static void eliminate(SmallLu *self, uint32_t k)
{
    const double *pivot_row = self->lu + k * self->n;
    for (uint32_t row = k + 1; row < self->n; row++) {
        double *below = self->lu + row * self->n;
        if (below[k] == 0.0)
            continue;
        const double factor = below[k] /= pivot_row[k];
        for (uint32_t c = k + 1; c < self->n; c++)
            below[c] -= factor * pivot_row[c];
    }
}

uint32_t dv_small_lu_factor(SmallLu *self, const DvSparseRows *a, uint32_t *failed)
{
    self->n = a->rows;
    self->moved = 0;
    const double least = NO_PIVOT * spread(self, a);
    for (uint32_t k = 0; k < self->n; k++) {
        self->pivot[k] = largest_below(self, k);
        if (!(fabs(self->lu[self->pivot[k] * self->n + k]) > least)) {
            *failed = k;
            return k;
        }
        if (self->pivot[k] != k)
            exchange_rows(self, k, self->pivot[k]);
        eliminate(self, k);
    }
    return self->n;
}

static void solve_straight(const SmallLu *self, double *b)
{
    const uint32_t n = self->n;
    for (uint32_t k = 0; k < n; k++)
        exchange(b, k, self->pivot[k]);
    for (uint32_t row = 1; row < n; row++)
        for (uint32_t c = 0; c < row; c++)
            b[row] -= self->lu[row * n + c] * b[c];
    for (uint32_t row = n; row-- > 0;) {
        for (uint32_t c = row + 1; c < n; c++)
            b[row] -= self->lu[row * n + c] * b[c];
        b[row] /= self->lu[row * n + row];
    }
}

/* U^T, then L^T, then the exchanges backwards. */
static void solve_transposed(const SmallLu *self, double *b)
{
    const uint32_t n = self->n;
    for (uint32_t row = 0; row < n; row++) {
        b[row] /= self->lu[row * n + row];
        for (uint32_t c = row + 1; c < n; c++)
            b[c] -= self->lu[row * n + c] * b[row];
    }
    for (uint32_t row = n; row-- > 1;)
        for (uint32_t c = 0; c < row; c++)
            b[c] -= self->lu[row * n + c] * b[row];
    for (uint32_t k = n; k-- > 0;)
        exchange(b, k, self->pivot[k]);
}

void dv_small_lu_solve(const SmallLu *self, bool transposed, double *b)
{
    if (transposed)
        solve_transposed(self, b);
    else
        solve_straight(self, b);
}
