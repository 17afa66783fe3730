/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random symmetric block matrices for the tests and benchmarks of the linear solvers: the graph of a grid of cubes cut into
 * tetrahedra, or a random graph; and a dense solver to compare with.
 */
#ifndef DIVAN_TESTS_RANDOM_MATRIX_H
#define DIVAN_TESTS_RANDOM_MATRIX_H

#include <divan/contracts/block_matrix.h>
#include <divan/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Knuth's 64-bit linear congruential generator, in [-1/2, 1/2). */
static inline double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

static inline int compare_links(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* The matrix of `count` links (row, column) in both directions and the diagonal; links is sorted in place and may repeat. */
static inline DvBlockMatrix matrix_of_links(uint32_t rows, uint32_t block, uint32_t (*links)[2], uint32_t count)
{
    qsort(links, count, sizeof *links, compare_links);
    uint32_t *row_start = dv_alloc(rows + 1, sizeof *row_start);
    uint32_t *columns = dv_alloc(count, sizeof *columns);
    uint32_t *diagonal = dv_alloc(rows, sizeof *diagonal);
    uint32_t used = 0, row = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0 && compare_links(links[k], links[k - 1]) == 0)
            continue;
        while (row < links[k][0])
            row_start[++row] = used;
        if (links[k][0] == links[k][1])
            diagonal[row] = used;
        columns[used++] = links[k][1];
    }
    while (row < rows)
        row_start[++row] = used;
    uint32_t *transposed = dv_alloc(used, sizeof *transposed);
    uint32_t *next = dv_alloc(rows, sizeof *next);
    memcpy(next, row_start, rows * sizeof *next);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t e = row_start[r]; e < row_start[r + 1]; e++)
            transposed[next[columns[e]]++] = e;
    dv_free(next);
    return (DvBlockMatrix){.rows = rows,
                           .block = block,
                           .row_start = row_start,
                           .columns = columns,
                           .diagonal = diagonal,
                           .transposed = transposed,
                           .values = dv_alloc((size_t)used * block * block, sizeof(double))};
}

static inline void matrix_free(DvBlockMatrix *a)
{
    dv_free((void *)a->row_start);
    dv_free((void *)a->columns);
    dv_free((void *)a->diagonal);
    dv_free((void *)a->transposed);
    dv_free(a->values);
}

/* Points of nx x ny x nz cubes' corners, coupled when they share a tetrahedron (six per cube). */
static inline DvBlockMatrix grid_matrix(uint32_t nx, uint32_t ny, uint32_t nz, uint32_t block)
{
    static const uint32_t tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                              {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    const uint32_t points = nx * ny * nz;
    uint32_t(*links)[2] = dv_alloc((size_t)points * 97, sizeof *links);
    uint32_t count = 0;
    for (uint32_t p = 0; p < points; p++) {
        links[count][0] = links[count][1] = p;
        count++;
    }
    for (uint32_t z = 0; z + 1 < nz; z++)
        for (uint32_t y = 0; y + 1 < ny; y++)
            for (uint32_t x = 0; x + 1 < nx; x++)
                for (int t = 0; t < 6; t++)
                    for (int i = 0; i < 4; i++)
                        for (int j = 0; j < 4; j++) {
                            const uint32_t c = tetrahedra[t][i], d = tetrahedra[t][j];
                            links[count][0] = x + (c & 1) + nx * (y + (c >> 1 & 1) + ny * (z + (c >> 2)));
                            links[count][1] = x + (d & 1) + nx * (y + (d >> 1 & 1) + ny * (z + (d >> 2)));
                            count++;
                        }
    DvBlockMatrix a = matrix_of_links(points, block, links, count);
    dv_free(links);
    return a;
}

/* `degree` random links a row. */
static inline DvBlockMatrix random_matrix(uint32_t rows, uint32_t block, uint32_t degree, uint64_t *seed)
{
    uint32_t(*links)[2] = dv_alloc((size_t)rows * (2 * degree + 1), sizeof *links);
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; r++) {
        links[count][0] = links[count][1] = r;
        count++;
        for (uint32_t k = 0; k < degree; k++) {
            const uint32_t c = (uint32_t)((random_number(seed) + 0.5) * rows);
            links[count][0] = links[count + 1][1] = r;
            links[count][1] = links[count + 1][0] = c;
            count += 2;
        }
    }
    DvBlockMatrix a = matrix_of_links(rows, block, links, count);
    dv_free(links);
    return a;
}

/* Symmetric random values in [-1/2, 1/2), `diagonal` added to each diagonal entry, with a random sign when `indefinite`. */
static inline void fill_matrix(DvBlockMatrix *a, double diagonal, bool indefinite, uint64_t *seed)
{
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            if (a->columns[e] < row)
                continue;
            double *block = a->values + (size_t)b * b * e;
            double *mirror = a->values + (size_t)b * b * a->transposed[e];
            for (uint32_t r = 0; r < b; r++)
                for (uint32_t c = a->columns[e] == row ? r : 0; c < b; c++) {
                    double value = random_number(seed);
                    if (a->columns[e] == row && r == c)
                        value += indefinite && random_number(seed) < 0.0 ? -diagonal : diagonal;
                    block[r * b + c] = mirror[c * b + r] = value;
                }
        }
}

/* Row-major copy, to be freed with dv_free. */
static inline double *dense_copy(const DvBlockMatrix *a)
{
    const size_t b = a->block, n = b * a->rows;
    double *dense = dv_alloc(n * n, sizeof *dense);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (size_t r = 0; r < b; r++)
                for (size_t c = 0; c < b; c++)
                    dense[(b * row + r) * n + b * a->columns[e] + c] = a->values[(b * e + r) * b + c];
    return dense;
}

/* x = A^-1 b by Gaussian elimination with partial pivoting; destroys a. */
static inline void dense_solve(size_t n, double *a, const double *b, double *x)
{
    memcpy(x, b, n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        for (size_t j = 0; j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        const double swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
}

#endif
