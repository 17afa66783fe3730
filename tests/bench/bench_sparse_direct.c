/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EigenSparseLU beside MUMPS alone, on the matrix of a grid of tetrahedra with numbers that are not symmetric, and right-hand sides of
 * constraints: all at once, and one by one.
 *
 *   bench-sparse_direct [NX NY NZ]     without arguments 8,700 points, 26,100 unknowns
 *
 * Milliseconds of processor time, the least of three. The last line is the ratio of a factorization and a solve of EigenSparseLU, assembly included, to those
 * of MUMPS with the best order that it finds itself.
 */
#include "../solvers/solver_bench.h"
#include "../support/random_matrix.h"

#include <dmumps_c.h>
#include <stdio.h>
#include <time.h>

enum { RUNS = 3, ROWS = 100 };

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Least time of a factorization, of a solve; analysis once. */
static void mumps_alone(const DvBlockMatrix *a, int ordering, double times[3])
{
    const uint32_t b = a->block, entries = a->row_start[a->rows] * b * b;
    MUMPS_INT *rows = dv_alloc(entries, sizeof *rows), *columns = dv_alloc(entries, sizeof *columns);
    double *x = dv_alloc((size_t)a->rows * b, sizeof *x);
    for (uint32_t row = 0, at = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < b * b; i++, at++)
                rows[at] = (MUMPS_INT)(row * b + i / b) + 1, columns[at] = (MUMPS_INT)(a->columns[e] * b + i % b) + 1;
    DMUMPS_STRUC_C *mumps = dv_alloc(1, sizeof *mumps);
    mumps->job = -1, mumps->par = 1, mumps->comm_fortran = -987654;
    dmumps_c(mumps);
    mumps->icntl[0] = mumps->icntl[1] = mumps->icntl[2] = -1, mumps->icntl[3] = 0, mumps->icntl[6] = ordering;
    mumps->n = (MUMPS_INT)(a->rows * b), mumps->nnz = entries;
    mumps->irn = rows, mumps->jcn = columns, mumps->a = a->values, mumps->rhs = x;
    for (int run = 0; run < RUNS; run++)
        for (int job = run == 0 ? 0 : 1; job < 3; job++) {
            for (uint32_t i = 0; i < a->rows * b; i++)
                x[i] = 1.0;
            const double start = milliseconds();
            mumps->job = job + 1;
            dmumps_c(mumps);
            const double took = milliseconds() - start;
            times[job] = run == 0 || took < times[job] ? took : times[job];
        }
    mumps->job = -2;
    dmumps_c(mumps);
    dv_free(mumps);
    dv_free(rows);
    dv_free(columns);
    dv_free(x);
}

static DvSparseRows rows_of_constraints(uint32_t points, uint64_t *seed)
{
    uint32_t *start = dv_alloc(ROWS + 1, sizeof *start), *columns = dv_alloc(ROWS * 12, sizeof *columns), count = 0;
    double *values = dv_alloc(ROWS * 12, sizeof *values);
    for (uint32_t r = 0; r < ROWS; r++) {
        for (uint32_t i = 0; i < 12; i++) {
            columns[count] = (r * (points - 4) / ROWS) * 3 + i;
            values[count++] = random_number(seed);
        }
        start[r + 1] = count;
    }
    return (DvSparseRows){ROWS, start, columns, values};
}

int main(int argc, char **argv)
{
    const uint32_t nx = argc > 3 ? (uint32_t)atoi(argv[1]) : 145, ny = argc > 3 ? (uint32_t)atoi(argv[2]) : 10,
                   nz = argc > 3 ? (uint32_t)atoi(argv[3]) : 6;
    if (dv_start(&(DvStartOptions){.plugins = (const char *const[]){GIVEN_MATRIX, NULL}}) != DV_OK)
        return 1;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    uint64_t seed = 3;
    DvBlockMatrix a = grid_matrix(nx, ny, nz, 3);
    fill_matrix(&a, 45.0, false, &seed);
    for (uint32_t i = 0; i < a.row_start[a.rows] * 9; i++)
        a.values[i] += 0.1 * random_number(&seed);
    const size_t n = (size_t)a.rows * 3;
    printf("%zu unknowns, %u numbers\n", n, a.row_start[a.rows] * 9);

    static const struct {
        int number;
        const char *name;
    } orderings[] = {{7, "its choice"}, {3, "SCOTCH"}};
    double best = INFINITY;
    for (int o = 0; o < 2; o++) {
        double times[3];
        mumps_alone(&a, orderings[o].number, times);
        printf("MUMPS alone, %-10s analysis %7.1f, factorization %7.1f, solve %6.1f\n", orderings[o].name, times[0],
               times[1], times[2]);
        best = fmin(best, times[1] + times[2]);
    }
    Bench bench = open_bench("EigenSparseLU", a.rows, 3);
    double *b = dv_alloc(n + 1, sizeof *b), *x = dv_alloc(n + 1, sizeof *x), *w = dv_alloc(ROWS * ROWS, sizeof *w),
           *many = dv_alloc(n * ROWS, sizeof *many);
    for (size_t i = 0; i < n; i++)
        b[i] = random_number(&seed);
    const DvSparseRows rows = rows_of_constraints(a.rows, &seed);
    double first = milliseconds();
    int failed = take(&bench, &a) != DV_OK;
    first = milliseconds() - first;
    double factor = INFINITY, solve = INFINITY, at_once = INFINITY, one_by_one = INFINITY, all = INFINITY;
    for (int run = 0; run < RUNS && !failed; run++) {
        double start = milliseconds();
        failed |= bench.ops->set_system(bench.self, bench.m, &bench.step, (DvFactors){.k = 1.0 + 0.01 * run}) != DV_OK;
        factor = fmin(factor, milliseconds() - start);
        start = milliseconds();
        failed |= bench.ops->solve_flat(bench.self, x, b, n) != DV_OK;
        solve = fmin(solve, milliseconds() - start);
        start = milliseconds();
        failed |= bench.ops->compliance(bench.self, &rows, 1.0, w, ROWS) != DV_OK;
        at_once = fmin(at_once, milliseconds() - start);
        start = milliseconds();
        failed |= bench.ops->solve_many(bench.self, &rows, many, n, NULL) != DV_OK;
        all = fmin(all, milliseconds() - start);
        start = milliseconds();
        for (uint32_t r = 0; r < ROWS; r++) {
            const uint32_t begin[] = {0, 12};
            const DvSparseRows one = {1, begin, rows.columns + 12 * r, rows.values + 12 * r};
            failed |= bench.ops->solve_many(bench.self, &one, many + n * r, n, NULL) != DV_OK;
        }
        one_by_one = fmin(one_by_one, milliseconds() - start);
    }
    printf("EigenSparseLU: first system %.1f, next ones %.1f, solve %.1f\n", first, factor, solve);
    printf("compliance of %d rows %.1f, %d solutions at once %.1f, one by one %.1f: %.2f times\n", ROWS, at_once, ROWS,
           all, one_by_one, one_by_one / all);
    printf("%.2f times MUMPS alone\n", (factor + solve) / best);
    dv_free((void *)rows.row_start);
    dv_free((void *)rows.columns);
    dv_free((void *)rows.values);
    dv_free(b);
    dv_free(x);
    dv_free(w);
    dv_free(many);
    close_bench(&bench);
    matrix_free(&a);
    dv_stop();
    return failed;
}
