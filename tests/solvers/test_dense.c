/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dense linear algebra (divan.dense/1) against definitions: random systems, eight threads at once, and what is refused before the library sees it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/dense.h>
#include <divan/contracts/eigenpairs.h>
#include <divan/contracts/solver.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const DvDenseOps *dense_or_skip(void)
{
    const DvDenseOps *dense = dv_service(DV_DENSE);
    if (dense == NULL)
        skip();
    return dense;
}

static double *numbers(size_t count)
{
    return dv_alloc(count > 0 ? count : 1, sizeof(double));
}

static double *copy(const double *from, size_t count)
{
    double *to = numbers(count);
    memcpy(to, from, count * sizeof *to);
    return to;
}

#define PI 3.14159265358979323846
/* Entries of column-major matrices. */
#define AT(a, i, j) (a)[(size_t)(i) + (size_t)n * (size_t)(j)]

static double *random_dense(uint32_t n, uint64_t *seed)
{
    double *a = numbers((size_t)n * n);
    for (size_t i = 0; i < (size_t)n * n; i++)
        a[i] = random_number(seed);
    return a;
}

/* B B^T + I / 10, or B + B^T. */
static double *random_symmetric(uint32_t n, uint64_t *seed, bool definite)
{
    double *b = random_dense(n, seed), *a = numbers((size_t)n * n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double sum = definite ? (i == j ? 0.1 : 0.0) : AT(b, i, j) + AT(b, j, i);
            for (uint32_t k = 0; k < n && definite; k++)
                sum += AT(b, i, k) * AT(b, j, k);
            AT(a, i, j) = sum;
        }
    dv_free(b);
    return a;
}

static double residual(uint32_t n, const double *a, const double *x, const double *b)
{
    double left = 0.0, size = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double sum = -b[i], magnitude = fabs(b[i]);
        for (uint32_t j = 0; j < n; j++) {
            sum += AT(a, i, j) * x[j];
            magnitude += fabs(AT(a, i, j) * x[j]);
        }
        left = fmax(left, fabs(sum));
        size = fmax(size, magnitude);
    }
    return left / size;
}

/* One random system by all methods; the results, one after the other, into `out` (NULL: checked alone). */
static bool all_methods_hold(const DvDenseOps *dense, uint32_t n, uint64_t seed)
{
    const size_t square = (size_t)n * n;
    double *spd = random_symmetric(n, &seed, true), *any = random_dense(n, &seed),
           *symmetric = random_symmetric(n, &seed, false);
    double *b = numbers(n), *x = numbers(n), *values = numbers(n), reciprocal = 0.0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < n; i++)
        b[i] = random_number(&seed);
    bool good = true;
    double *a = copy(spd, square);
    int *pivots = dv_alloc(n, sizeof *pivots);
    good = good && dense->factor(DV_DENSE_CHOLESKY, n, a, NULL, &failed) == DV_OK;
    memcpy(x, b, n * sizeof *x);
    good = good && dense->solve(DV_DENSE_CHOLESKY, false, n, a, NULL, x, 1) == DV_OK;
    good = good && residual(n, spd, x, b) < 1e-13;
    dv_free(a);
    a = copy(any, square);
    good = good && dense->factor(DV_DENSE_LU, n, a, pivots, &failed) == DV_OK;
    memcpy(x, b, n * sizeof *x);
    good = good && dense->solve(DV_DENSE_LU, false, n, a, pivots, x, 1) == DV_OK;
    good = good && residual(n, any, x, b) < 1e-11;
    double *turned = numbers(square);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            AT(turned, j, i) = AT(any, i, j);
    memcpy(x, b, n * sizeof *x);
    good = good && dense->solve(DV_DENSE_LU, true, n, a, pivots, x, 1) == DV_OK;
    good = good && residual(n, turned, x, b) < 1e-11;
    const DvDenseWork svd = dense->svd_work(n), eigen = dense->eigen_work(n);
    double *work = numbers(svd.numbers + eigen.numbers + 4 * (size_t)n), *u = numbers(square), *vt = numbers(square);
    int *integers = dv_alloc(svd.integers + eigen.integers + n, sizeof *integers);
    good = good && dense->condition(DV_DENSE_LU, n, a, 1.0, work, integers, &reciprocal) == DV_OK && reciprocal > 0.0;
    memcpy(a, any, square * sizeof *a);
    good = good && dense->svd(n, a, values, u, vt, work, integers) == DV_OK;
    good = good && dense->svd_solve(n, n, values, u, vt, x, b, work) == DV_OK && residual(n, any, x, b) < 1e-11;
    for (uint32_t k = 0; k + 1 < n; k++)
        good = good && values[k] >= values[k + 1];
    /* A v = value v, and A v = value B v. */
    for (int general = 0; general < 2; general++) {
        double *second = general ? copy(spd, square) : NULL;
        memcpy(a, symmetric, square * sizeof *a);
        good = good && dense->eigen(n, a, second, values, work, integers, &failed) == DV_OK;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n; i++) {
                double left = general ? 0.0 : -values[k] * AT(a, i, k);
                for (uint32_t j = 0; j < n; j++)
                    left += (AT(symmetric, i, j) - (general ? values[k] * AT(spd, i, j) : 0.0)) * AT(a, j, k);
                good = good && fabs(left) < 1e-10 * n * (1.0 + fabs(values[k]));
            }
        dv_free(second);
    }
    void *all[] = {spd, any, turned, symmetric, b, x, values, a, pivots, work, u, vt, integers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_free(all[i]);
    return good;
}

static void random_systems_are_solved_by_all_methods(void **state)
{
    (void)state;
    const DvDenseOps *dense = dense_or_skip();
    static const uint32_t sizes[] = {1, 2, 3, 5, 8, 13, 40, 65, 130};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint64_t seed = 1; seed <= (sizes[k] < 50 ? 4 : 1); seed++)
            assert_true(all_methods_hold(dense, sizes[k], seed));
}

typedef struct Thread {
    const DvDenseOps *dense;
    double *values, *again; /* of a matrix, alone and beside others */
    bool good;
} Thread;

enum { THREADS = 8, SIDE = 60 };

static void singular_values(const DvDenseOps *dense, double *values)
{
    uint64_t seed = 5;
    const DvDenseWork needed = dense->svd_work(SIDE);
    double *a = random_dense(SIDE, &seed), *u = numbers(SIDE * SIDE), *vt = numbers(SIDE * SIDE),
           *work = numbers(needed.numbers);
    int *integers = dv_alloc(needed.integers, sizeof *integers);
    if (dense->svd(SIDE, a, values, u, vt, work, integers) != DV_OK)
        values[0] = NAN;
    void *all[] = {a, u, vt, work, integers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_free(all[i]);
}

static void *work(void *argument)
{
    Thread *thread = argument;
    thread->good = true;
    for (uint64_t seed = 1; seed < 6; seed++)
        thread->good = thread->good && all_methods_hold(thread->dense, 30 + 5 * (uint32_t)seed, seed);
    singular_values(thread->dense, thread->again);
    return NULL;
}

static void eight_threads_at_once_compute_what_one_does(void **state)
{
    (void)state;
    const DvDenseOps *dense = dense_or_skip();
    double alone[SIDE], beside[THREADS][SIDE];
    singular_values(dense, alone);
    Thread threads[THREADS];
    pthread_t ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = (Thread){.dense = dense, .values = alone, .again = beside[i]};
        assert_int_equal(pthread_create(&ids[i], NULL, work, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_true(threads[i].good);
        assert_memory_equal(alone, beside[i], sizeof alone);
    }
}

/* xerbla would end the process or write. */
static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    const DvDenseOps *dense = dense_or_skip();
    double a[4] = {1.0, 2.0, 2.0, 1.0}, b[2] = {1.0, 1.0}, values[2], u[4], vt[4], work[200], reciprocal;
    int integers[40], pivots[2];
    uint32_t failed = 9;
    assert_int_equal(dense->factor(DV_DENSE_CHOLESKY, 2, a, NULL, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 1);
    assert_true(a[3] == -3.0); /* 1 - 2 x 2 */
    double zero[4] = {1.0, 2.0, 2.0, 4.0};
    assert_int_equal(dense->factor(DV_DENSE_LU, 2, zero, pivots, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 1);
    assert_int_equal(dense->factor(DV_DENSE_LU, 0, a, pivots, &failed), DV_ERROR_INVALID);
    assert_int_equal(dense->factor(DV_DENSE_LU, DV_DENSE_MOST + 1, a, pivots, &failed), DV_ERROR_INVALID);
    assert_int_equal(dense->solve(DV_DENSE_LU, false, 2, a, pivots, b, 0), DV_ERROR_INVALID);
    assert_int_equal(dense->condition(DV_DENSE_LU, 2, a, NAN, work, integers, &reciprocal), DV_ERROR_INVALID);
    assert_int_equal(dense->solve(DV_DENSE_LU, false, 0, a, pivots, b, 1), DV_ERROR_INVALID);
    assert_int_equal(dense->solve(DV_DENSE_LU, false, 2, a, pivots, b, UINT32_MAX), DV_ERROR_INVALID);
    assert_int_equal(dense->condition(DV_DENSE_LU, 0, a, 1.0, work, integers, &reciprocal), DV_ERROR_INVALID);
    assert_int_equal(dense->condition(DV_DENSE_LU, 2, a, -1.0, work, integers, &reciprocal), DV_ERROR_INVALID);
    assert_int_equal(dense->condition(DV_DENSE_LU, 2, a, INFINITY, work, integers, &reciprocal), DV_ERROR_INVALID);
    assert_int_equal(dense->svd_solve(2, 3, values, u, vt, b, a, work), DV_ERROR_INVALID);
    assert_int_equal(dense->svd_solve(0, 0, values, u, vt, b, a, work), DV_ERROR_INVALID);
    static const uint32_t sizes[][2] = {{2, 2}, {2, 3}, {2, 0}, {0, 0}}; /* of all, and of what is condensed */
    for (int k = 0; k < 4; k++) {
        assert_int_equal(dense->condense(sizes[k][0], sizes[k][1], a, &failed), DV_ERROR_INVALID);
        assert_int_equal(dense->condense_forward(sizes[k][0], sizes[k][1], a, b), DV_ERROR_INVALID);
        assert_int_equal(dense->condense_backward(sizes[k][0], sizes[k][1], a, b), DV_ERROR_INVALID);
    }
    double bad[4] = {1.0, NAN, 0.0, 1.0}, indefinite[4] = {-1.0, 0.0, 0.0, 1.0}, one[4] = {1.0, 0.0, 0.0, 1.0};
    assert_int_equal(dense->factor(DV_DENSE_CHOLESKY, 2, bad, NULL, &failed), DV_ERROR_NOT_FINITE);
    assert_int_equal(dense->svd(2, bad, values, u, vt, work, integers), DV_ERROR_NOT_FINITE);
    assert_int_equal(dense->eigen(2, bad, NULL, values, work, integers, &failed), DV_ERROR_NOT_FINITE);
    assert_int_equal(dense->condense(2, 1, bad, &failed), DV_ERROR_NOT_FINITE);
    assert_int_equal(dense->eigen(2, one, bad, values, work, integers, &failed), DV_ERROR_NOT_FINITE);
    assert_int_equal(dense->eigen(0, one, NULL, values, work, integers, &failed), DV_ERROR_INVALID);
    assert_int_equal(dense->eigen(2, one, indefinite, values, work, integers, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 0);
    indefinite[0] = 1.0, indefinite[3] = -1.0, failed = 9;
    assert_int_equal(dense->eigen(2, one, indefinite, values, work, integers, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 1);
    double inner[16] = {4, 0, 0, 1, 0, 4, 0, 0, 0, 0, -4, 0, 1, 0, 0, 4};
    assert_int_equal(dense->condense(4, 3, inner, &failed), DV_ERROR_SINGULAR);
    assert_int_equal(failed, 2);
    assert_true(inner[10] == -4.0); /* the pivot */
}

/* The norm of the columns of diag(2, -8) is 8, and 1/2 that of its inverse. Without small values: the shortest solution, zero of none. */
static void what_diagonals_give_is_known(void **state)
{
    (void)state;
    const DvDenseOps *dense = dense_or_skip();
    double work[100], reciprocal = 0.0, a[4] = {2.0, 0.0, 0.0, -8.0}, spd[4] = {2.0, 0.0, 0.0, 8.0};
    int integers[20], pivots[2];
    uint32_t failed;
    assert_int_equal(dense->factor(DV_DENSE_LU, 2, a, pivots, &failed), DV_OK);
    assert_int_equal(dense->condition(DV_DENSE_LU, 2, a, 8.0, work, integers, &reciprocal), DV_OK);
    assert_true(reciprocal == 0.25);
    assert_int_equal(dense->factor(DV_DENSE_CHOLESKY, 2, spd, NULL, &failed), DV_OK);
    assert_int_equal(dense->condition(DV_DENSE_CHOLESKY, 2, spd, 8.0, work, integers, &reciprocal), DV_OK);
    assert_true(fabs(reciprocal - 0.25) < 1e-15);
    const double values[3] = {4.0, 2.0, 1e-9}, u[9] = {0, 1, 0, 1, 0, 0, 0, 0, 1}, vt[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0},
                 b[3] = {3.0, 5.0, 7.0};
    for (uint32_t rank = 0; rank < 3; rank++) {
        double x[3] = {9.0, 9.0, 9.0};
        assert_int_equal(dense->svd_solve(3, rank, values, u, vt, x, b, work), DV_OK);
        assert_true(x[0] == (rank > 1 ? 3.0 / 2.0 : 0.0) && x[1] == 0.0 && x[2] == (rank > 0 ? 5.0 / 4.0 : 0.0));
    }
}

static void condensation_gives_what_the_whole_does(void **state)
{
    (void)state;
    const DvDenseOps *dense = dense_or_skip();
    enum { N = 40, INNER = 27 };
    const uint32_t n = N;
    uint64_t seed = 3;
    uint32_t failed;
    double *whole = random_symmetric(N, &seed, true), *a = copy(whole, N * N), b[N], x[N],
           schur[(N - INNER) * (N - INNER)];
    for (int i = 0; i < N; i++)
        b[i] = x[i] = random_number(&seed);
    assert_int_equal(dense->condense(N, INNER, a, &failed), DV_OK);
    for (uint32_t i = 0; i < N - INNER; i++)
        for (uint32_t j = 0; j < N - INNER; j++) {
            schur[i + (N - INNER) * j] = AT(a, INNER + i, INNER + j);
            assert_true(AT(a, INNER + i, INNER + j) == AT(a, INNER + j, INNER + i));
        }
    assert_int_equal(dense->condense_forward(N, INNER, a, x), DV_OK);
    assert_int_equal(dense->factor(DV_DENSE_CHOLESKY, N - INNER, schur, NULL, &failed), DV_OK);
    assert_int_equal(dense->solve(DV_DENSE_CHOLESKY, false, N - INNER, schur, NULL, x + INNER, 1), DV_OK);
    assert_int_equal(dense->condense_backward(N, INNER, a, x), DV_OK);
    assert_true(residual(N, whole, x, b) < 1e-13);
    dv_free(whole);
    dv_free(a);
}

/* A string of masses, of 2 kg, on springs of 1 N/m between walls. */
typedef struct String {
    size_t n;
    double shift, *work;
} String;

static DvStatus multiply(void *user, double *y, const double *x)
{
    for (size_t i = 0; i < ((const String *)user)->n; i++)
        y[i] = 2.0 * x[i];
    return DV_OK;
}

/* (K - shift M) x = b by Thomas' method. */
static DvStatus tridiagonal(void *user, double *x, const double *b)
{
    const String *s = user;
    double pivot = 2.0 - 2.0 * s->shift;
    x[0] = b[0] / pivot;
    for (size_t i = 1; i < s->n; i++) {
        s->work[i] = -1.0 / pivot;
        pivot = 2.0 - 2.0 * s->shift + s->work[i];
        x[i] = (b[i] + x[i - 1]) / pivot;
    }
    for (size_t i = s->n - 1; i-- > 0;)
        x[i] -= s->work[i + 1] * x[i + 1];
    return DV_OK;
}

static void iterations_find_the_frequencies_of_a_string(void **state)
{
    (void)state;
    const DvEigenpairsOps *pairs = dv_service(DV_EIGENPAIRS);
    if (pairs == NULL)
        skip();
    enum { N = 500, COUNT = 12 };
    static double start[N], vectors[COUNT * N], scratch[N];
    double values[COUNT];
    String string = {N, -1e-6, scratch};
    uint64_t seed = 1;
    for (int i = 0; i < N; i++)
        start[i] = random_number(&seed);
    const DvEigenProblem problem = {N, string.shift, &string, multiply, tridiagonal};
    DvText why = {0};
    assert_int_equal(pairs->nearest(&problem, start, COUNT, values, vectors, &why), DV_OK);
    for (int k = 0; k < COUNT; k++) {
        const double half = sin((k + 1) * PI / (2 * (N + 1))), *v = vectors + (size_t)N * (size_t)k;
        assert_true(fabs(values[k] - 2 * half * half) < 1e-11 * (values[k] + 1e-2));
        const double sign = v[0] > 0.0 ? 1.0 : -1.0;
        for (int i = 0; i < N; i++) /* v^T M v = 1 */
            assert_true(fabs(sign * v[i] - sin((k + 1) * PI * (i + 1) / (N + 1)) / sqrt(N + 1.0)) < 1e-7);
    }
    assert_null(why.at);
    dv_text_free(&why);
}

static DvStatus refuse(void *user, double *y, const double *x)
{
    (void)y, (void)x;
    return --*(int *)user == 0 ? DV_ERROR_LIMIT : DV_OK;
}

static DvStatus refuse_product(void *user, double *y, const double *x)
{
    memcpy(y, x, 40 * sizeof *y);
    return refuse(user, y, x);
}

/* Counts that cannot be, and operators that end it: in the first call or in a later one. */
static void iterations_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const DvEigenpairsOps *pairs = dv_service(DV_EIGENPAIRS);
    if (pairs == NULL)
        skip();
    enum { N = 40 };
    double start[N], scratch[N], values[N];
    static double vectors[N * N];
    for (int i = 0; i < N; i++)
        start[i] = 1.0 + i % 3;
    String string = {N, -1e-6, scratch};
    DvEigenProblem problem = {N, string.shift, &string, multiply, tridiagonal};
    static const struct {
        uint32_t count;
        const char *part;
    } counts[] = {{0, "0 eigenvalues of 40 unknowns"}, {N - 1, "39 eigenvalues of 40 unknowns"}, {N - 2, NULL}};
    for (int k = 0; k < 3; k++) {
        DvText why = {0};
        const DvStatus status = pairs->nearest(&problem, start, counts[k].count, values, vectors, &why);
        assert_int_equal(status, counts[k].part ? DV_ERROR_INVALID : DV_OK);
        assert_true(counts[k].part ? strstr(why.at, counts[k].part) != NULL : why.at == NULL);
        dv_text_free(&why);
    }
    for (uint32_t k = 0; k < N - 2; k++) {
        const double half = sin((k + 1) * PI / (2 * (N + 1)));
        assert_true(fabs(values[k] - 2 * half * half) < 1e-12);
    }
    for (int call = 1; call < 4; call++) {
        int left = call;
        DvText why = {0};
        problem = (DvEigenProblem){N, -1.0, &left, refuse_product, refuse_product};
        assert_int_equal(pairs->nearest(&problem, start, 3, values, vectors, &why), DV_ERROR_LIMIT);
        assert_int_equal(left, 0);
        assert_null(why.at);
    }
}

/* A point held in one direction alone: the shortest of all solutions, and the condition number of the others. */
static void the_shortest_solution_is_found(void **state)
{
    (void)state;
    (void)dense_or_skip();
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver/><SVDLinearSolver name='solver'/>"
        "<MechanicalObject name='dofs' position='0 0 0' rest_position='0 0 0'/>"
        "<RestShapeSpringsForceField stiffness='100' activeDirections='1 0 0'/>"
        "<ConstantForceField totalForce='5 0 0'/></Node>");
    assert_non_null(scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    DvObject *object = scene_object(scene, "/dofs");
    const DvStateRef dofs = dv_state_ref(object);
    const DvConstVec x = dv_state_read(dofs, DV_POSITION);
    assert_true(fabs(x.at[0] - 0.05) < 1e-14 && x.at[1] == 0.0 && x.at[2] == 0.0);
    assert_true(dv_data_double(dv_object_field(scene_object(scene, "/solver"), "conditionNumber")) > 1e300);
    dv_scene_free(scene);
}

/* Between its ends a chain of five springs of 50 N/m is one of 10; a spring of 7 N/m holds the first point. Points 1 and 5 are pulled by
 * 2 N and 3 N. Without indices all of the matrix is left. */
static void a_chain_is_condensed_to_one_spring(void **state)
{
    (void)state;
    (void)dense_or_skip();
    static const struct {
        const char *indices;
        uint32_t kept[6], count;
        double matrix[4]; /* of the first kept point, and of the last one */
    } cases[] = {{"4 1 2 3 2", {0, 5}, 2, {17, -10, -10, 10}},
                 {"", {0, 1, 2, 3, 4, 5}, 6, {57, 0, 0, 50}},
                 {"5 0", {1, 2, 3, 4}, 4, {50 + 350.0 / 57, 0, 0, 50}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1200];
        (void)snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver/><CondensationSolver name='solver' indices='%s'/>"
            "<MechanicalObject name='dofs' template='Vec1d' position='0 1 2 3 4 5' rest_position='0 1 2 3 4 5'/>"
            "<SpringForceField spring='0 1 50 0 1  1 2 50 0 1  2 3 50 0 1  3 4 50 0 1  4 5 50 0 1'/>"
            "<RestShapeSpringsForceField stiffness='7' points='0'/><ConstantForceField indices='1 5' forces='2 3'/></Node>",
            cases[k].indices);
        DvScene *scene = scene_from_text(text);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        size_t count;
        const uint32_t n = cases[k].count;
        const double *a = dv_data_doubles(dv_object_field(scene_object(scene, "/solver"), "condensedMatrix"), &count);
        assert_int_equal(count, n * n);
        const double ends[] = {AT(a, 0, 0), AT(a, 0, n - 1), AT(a, n - 1, 0), AT(a, n - 1, n - 1)};
        for (int i = 0; i < 4; i++)
            assert_true(fabs(ends[i] - cases[k].matrix[i]) < 1e-12);
        const uint32_t *kept = dv_data_uints(dv_object_field(scene_object(scene, "/solver"), "keptPoints"), &count);
        assert_int_equal(count, n);
        assert_memory_equal(kept, cases[k].kept, n * sizeof *kept);
        const DvConstVec x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(x.at[i] - (i + 5.0 / 7.0 + i * 3.0 / 50.0 + (i > 0 ? 2.0 / 50.0 : 0.0))) < 1e-12);
        dv_scene_free(scene);
    }
}

#define BODY(solver)                                                                                                      \
    "<Node name='root' gravity='0 -5 0' dt='0.02'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver                   \
    "<RegularGridTopology n='5 3 3' min='0 0 0' max='2 1 1'/><MechanicalObject name='dofs'/><UniformMass totalMass='4'/>" \
    "<FixedProjectiveConstraint indices='0 5 10'/><HexahedronFEMForceField youngModulus='900' poissonRatio='0.3'/>"       \
    "<Node name='frame'><MechanicalObject name='dofs' template='Rigid3d' position='4 0 0 0 0 0 1'/>"                      \
    "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='30' angularStiffness='9'/></Node></Node>"

/* Points of a body and a frame; other ones from the third step on. */
static void a_body_moves_as_without_condensation(void **state)
{
    (void)state;
    (void)dense_or_skip();
    static const char *const solvers[] = {
        BODY("<SparseLDLSolver name='solver' template='CompressedRowSparseMatrixd'/>"),
        BODY("<CondensationSolver name='solver' indices='1 2 3 6 7 8 0 45 30'/>")};
    double x[2][3 * 45], q[2][7];
    for (int k = 0; k < 2; k++) {
        DvScene *scene = scene_from_text(solvers[k]);
        for (int i = 0; i < 6; i++) {
            if (k == 1 && i == 3)
                dv_data_set(dv_object_field(scene_object(scene, "/solver"), "indices"), (const uint32_t[]){44, 9}, 2);
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        }
        memcpy(x[k], dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x[k]);
        memcpy(q[k], dv_state_read(scene_state(scene, "/frame/dofs"), DV_POSITION).at, sizeof q[k]);
        if (k == 1) {
            size_t count;
            (void)dv_data_doubles(dv_object_field(scene_object(scene, "/solver"), "condensedMatrix"), &count);
            assert_int_equal(count, (3 * 43 + 6) * (3 * 43 + 6));
        }
        dv_scene_free(scene);
    }
    for (size_t i = 0; i < sizeof x[0] / sizeof *x[0]; i++)
        assert_true(fabs(x[0][i] - x[1][i]) < 1e-12);
    for (int i = 0; i < 7; i++)
        assert_true(fabs(q[0][i] - q[1][i]) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved_by_all_methods),
        cmocka_unit_test(eight_threads_at_once_compute_what_one_does),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(what_diagonals_give_is_known),
        cmocka_unit_test(condensation_gives_what_the_whole_does),
        cmocka_unit_test(iterations_find_the_frequencies_of_a_string),
        cmocka_unit_test(iterations_that_cannot_be_are_refused),
        cmocka_unit_test(the_shortest_solution_is_found),
        cmocka_unit_test(a_chain_is_condensed_to_one_spring),
        cmocka_unit_test(a_body_moves_as_without_condensation),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
