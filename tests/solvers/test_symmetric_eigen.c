/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues and eigenvectors of symmetric matrices, by what defines them: A v = lambda v, orthonormal v.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "symmetric_eigen.h"

enum { MOST = 90 };

typedef struct Case {
    const char *name;
    double (*entry)(uint32_t i, uint32_t j); /* j <= i */
} Case;

static uint64_t seed = 5;
static double any(uint32_t i, uint32_t j)
{
    (void)i;
    (void)j;
    return random_number(&seed);
}
static double identity(uint32_t i, uint32_t j)
{
    return i == j;
}
static double ones(uint32_t i, uint32_t j)
{
    (void)i;
    (void)j;
    return 1.0;
}
static double nothing(uint32_t i, uint32_t j)
{
    (void)i;
    (void)j;
    return 0.0;
}
/* Blocks of equal rows, each a tenth of the one before: null spaces, repeated values, a wide range. */
static double steep_blocks(uint32_t i, uint32_t j)
{
    const uint32_t block = i / 3;
    return block == j / 3 ? pow(10.0, -(double)block) : 0.0;
}
static double tridiagonal(uint32_t i, uint32_t j)
{
    return i == j ? 2.0 : i == j + 1 ? -1.0 : 0.0;
}

static const Case cases[] = {{"any", any},         {"identity", identity},         {"ones", ones},
                             {"nothing", nothing}, {"steep blocks", steep_blocks}, {"tridiagonal", tridiagonal}};

static void check(const Case *c, uint32_t n)
{
    double *a = calloc((size_t)n * n + 1, sizeof *a), *v = calloc((size_t)n * n + 1, sizeof *v);
    double values[MOST], work[MOST], off = 0.0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = c->entry(i, j);
    memcpy(v, a, (size_t)n * n * sizeof *v);
    assert_true(symmetric_eigen(n, v, values, work));
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            double left = 0.0;
            for (uint32_t j = 0; j < n; j++)
                left += a[i * n + j] * v[k * n + j];
            off = fmax(off, fabs(left - values[k] * v[k * n + i]));
        }
        for (uint32_t m = 0; m < n; m++) {
            double dot = 0.0;
            for (uint32_t j = 0; j < n; j++)
                dot += v[m * n + j] * v[k * n + j];
            off = fmax(off, fabs(dot - (m == k)));
        }
    }
    if (!(off < 1e-12))
        fail_msg("%s of %u rows: off by %g", c->name, n, off);
    free(a);
    free(v);
}

static void vectors_are_what_the_matrix_stretches(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint32_t n = 0; n < MOST; n = n < 7 ? n + 1 : n + 13)
            check(&cases[k], n);
}

/* 2 - 2 cos(k pi / (n + 1)) */
static void values_of_a_chain_are_known(void **state)
{
    (void)state;
    enum { N = 40 };
    static double a[N * N], values[N], work[N];
    bool seen[N] = {false};
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++)
            a[i * N + j] = tridiagonal(i > j ? i : j, i > j ? j : i);
    assert_true(symmetric_eigen(N, a, values, work));
    for (int k = 0; k < N; k++) {
        const double expected = 2.0 - 2.0 * cos((k + 1) * acos(-1.0) / (N + 1));
        for (int i = 0; i < N; i++)
            if (!seen[i] && fabs(values[i] - expected) < 1e-13) {
                seen[i] = true;
                break;
            } else if (i == N - 1) {
                fail_msg("no eigenvalue %g", expected);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_what_the_matrix_stretches),
        cmocka_unit_test(values_of_a_chain_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
