/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LAPACK and MUMPS stand on one BLAS, which may bear one call at a time: eight threads, half of them with each, compute the bits of one alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/dense.h>
#include <divan/contracts/sparse_direct.h>

#include <pthread.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 40, SIDE = 40, ROWS = 200, NEIGHBOURS = 12, MOST = SIDE > ROWS ? SIDE : ROWS };

static const DvDenseOps *dense;
static const DvSparseDirectOps *lu;

/* One random matrix, with the singular values that LAPACK finds. */
static bool by_lapack(double *values)
{
    uint64_t seed = 5;
    const DvDenseWork needed = dense->svd_work(SIDE);
    double *a = dv_alloc(3 * SIDE * SIDE + needed.numbers, sizeof *a);
    int *integers = dv_alloc(needed.integers, sizeof *integers);
    for (int i = 0; i < SIDE * SIDE; i++)
        a[i] = random_number(&seed);
    double *u = a + SIDE * SIDE, *vt = u + SIDE * SIDE;
    const DvStatus status = dense->svd(SIDE, a, values, u, vt, vt + SIDE * SIDE, integers);
    dv_free(a);
    dv_free(integers);
    return status == DV_OK;
}

/* The solution of one random sparse system by MUMPS. Its fronts are large enough for BLAS. */
static bool by_mumps(double *x)
{
    uint64_t seed = 7;
    uint32_t *start = dv_alloc(ROWS + 1, sizeof *start), *columns = dv_alloc(ROWS * ROWS, sizeof *columns), entries = 0;
    double *values = dv_alloc(ROWS * ROWS, sizeof *values);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < ROWS; column++) {
            const double value = random_number(&seed);
            if (column != row && (random_number(&seed) + 0.5) * ROWS > NEIGHBOURS)
                continue;
            columns[entries] = column;
            values[entries++] = column == row ? 10.0 : value;
        }
        start[row + 1] = entries;
        x[row] = random_number(&seed);
    }
    const DvSparseRows a = {.rows = ROWS, .row_start = start, .columns = columns, .values = values};
    DvSparseFactor *factor = lu->open(NULL);
    uint32_t failed;
    const bool good = lu->analyse(factor, &a, NULL) == DV_OK && lu->factorize(factor, &a, &failed) == DV_OK &&
                      lu->solve(factor, false, x, ROWS, 1) == DV_OK;
    lu->close(factor);
    dv_free(start);
    dv_free(columns);
    dv_free(values);
    return good;
}

typedef struct Thread {
    bool (*compute)(double *results);
    double *alone; /* [count] what it gives with nothing beside it */
    size_t count;
    bool good;
} Thread;

static void *run(void *thread_)
{
    Thread *thread = thread_;
    double results[MOST];
    thread->good = true;
    for (int i = 0; i < ROUNDS; i++)
        thread->good = thread->good && thread->compute(results) &&
                       memcmp(results, thread->alone, thread->count * sizeof *results) == 0;
    return NULL;
}

static void two_libraries_beside_each_other_compute_what_each_does_alone(void **state)
{
    (void)state;
    dense = dv_service(DV_DENSE);
    lu = dv_sparse_direct_of(DV_SPARSE_LU);
    if (dense == NULL || lu == NULL)
        skip();
    double singular[SIDE], solution[ROWS];
    assert_true(by_lapack(singular) && by_mumps(solution));
    Thread threads[THREADS];
    pthread_t ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = i % 2 ? (Thread){.compute = by_lapack, .alone = singular, .count = SIDE}
                           : (Thread){.compute = by_mumps, .alone = solution, .count = ROWS};
        assert_int_equal(pthread_create(&ids[i], NULL, run, &threads[i]), 0);
    }
    bool all = true;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        all = all && threads[i].good;
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_libraries_beside_each_other_compute_what_each_does_alone),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
