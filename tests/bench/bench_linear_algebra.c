/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Microbenchmark of the block LDL^T factorization and the block product on the matrices of tetrahedral grids.
 *
 *   bench-linear_algebra [NX NY NZ [BLOCK]]     without arguments: a row of sizes
 *
 * Prints, for each instruction set, the shortest of many runs in microseconds.
 */
#include "block_ldl.h"
#include "block_ldl_many.h"

#include <divan/kit/block_product.h>

#include "../support/random_matrix.h"

#include <stdio.h>
#include <time.h>

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

enum { ROWS = 300 };

/* Rows as of ROWS / 3 contacts on the points of one face of the grid: three directions, four points. */
static DvSparseRows contact_rows(size_t points, uint32_t block, uint64_t *seed)
{
    uint32_t *start = dv_alloc(ROWS + 1, sizeof *start), *columns = dv_alloc(ROWS * 4, sizeof *columns), count = 0;
    double *values = dv_alloc(ROWS * 4, sizeof *values);
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint32_t first = (uint32_t)((size_t)(r / 3) * (points - 4) / (ROWS / 3));
        for (uint32_t p = first; p < first + 4; p++) {
            columns[count] = p * block + r % 3 % block;
            values[count++] = random_number(seed);
        }
        start[r + 1] = count;
    }
    return (DvSparseRows){ROWS, start, columns, values};
}

static void measure(uint32_t nx, uint32_t ny, uint32_t nz, uint32_t block)
{
    uint64_t seed = 1;
    DvBlockMatrix a = grid_matrix(nx, ny, nz, block);
    fill_matrix(&a, 15.0 * block, false, &seed);
    const size_t n = (size_t)block * a.rows;
    double *b = dv_alloc(n + 1, sizeof *b);
    double *x = dv_alloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++)
        b[i] = random_number(&seed);
    static const char *const levels[] = {"baseline", "AVX2", "AVX-512"};
    for (int level = 2; level >= 0; level--) {
        DvBlockLdl *ldl = dv_block_ldl_new();
        dv_block_ldl_use_level(ldl, level);
        const double start = microseconds();
        dv_block_ldl_analyse(ldl, &a, NULL, NULL);
        const double analyse = microseconds() - start;
        double factor = INFINITY, solve = INFINITY, product = INFINITY, compliance = INFINITY, many = INFINITY;
        const DvSparseRows j = contact_rows((size_t)nx * ny, block, &seed);
        DvLdlMany *rows = dv_ldl_many_new(ldl);
        double *w = dv_alloc((size_t)ROWS * ROWS, sizeof *w), *solutions = dv_alloc(ROWS * n, sizeof *solutions);
        const double until = microseconds() + 3e5;
        do {
            uint32_t failed;
            const double t0 = microseconds();
            if (dv_block_ldl_factor(ldl, &a, &failed) != DV_OK)
                return;
            const double t1 = microseconds();
            dv_block_ldl_solve(ldl, b, x);
            const double t2 = microseconds();
            dv_block_product(&a, b, x);
            const double t3 = microseconds();
            dv_ldl_many_forward(rows, &j);
            dv_ldl_many_gram(rows, 1.0, w, ROWS);
            const double t4 = microseconds();
            dv_ldl_many_backward(rows, solutions, n);
            const double t5 = microseconds();
            compliance = fmin(compliance, t4 - t3);
            many = fmin(many, t5 - t4);
            factor = fmin(factor, t1 - t0);
            solve = fmin(solve, t2 - t1);
            product = fmin(product, t3 - t2);
        } while (microseconds() < until);
        printf("%2u x %2u x %2u points, blocks of %u, %-8s: analyse %8.0f  factor %8.0f (%4.1f GFlop/s)  solve %6.0f  "
               "product %5.0f us, %.2f M entries in L; %d rows: compliance %6.0f  solutions %6.0f us more\n",
               nx, ny, nz, block, levels[level], analyse, factor, 1e-3 * dv_block_ldl_flops(ldl) / factor, solve,
               product, 1e-6 * (double)dv_block_ldl_nonzeros(ldl), ROWS, compliance, many);
        dv_free(w);
        dv_free(solutions);
        dv_free((void *)j.row_start);
        dv_free((void *)j.columns);
        dv_free((void *)j.values);
        dv_ldl_many_free(rows);
        dv_block_ldl_free(ldl);
    }
    dv_free(x);
    dv_free(b);
    matrix_free(&a);
}

int main(int argc, char **argv)
{
    if (argc >= 4) {
        measure((uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]),
                argc > 4 ? (uint32_t)atoi(argv[4]) : 3);
        return 0;
    }
    measure(4, 4, 10, 3);
    measure(6, 6, 28, 3);
    measure(10, 10, 40, 3);
    measure(20, 20, 3, 2);
    return 0;
}
