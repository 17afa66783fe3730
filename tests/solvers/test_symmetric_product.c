/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Symmetric matrices by half: the product is that of the dense matrix, whatever the graph; what is not symmetric is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/kit/symmetric_product.h>

#include "random_matrix.h"

/* y = A x by the dense copy, from what the half gives; x . y too. What is behind the end of y is written, and only one number of it. */
static void compare_with_dense(const DvBlockMatrix *a, DvSymmetricMatrix *half, uint64_t *seed)
{
    const size_t n = (size_t)a->block * a->rows;
    double *dense = dense_copy(a), *x = dv_alloc(n + 1, sizeof *x), *y = dv_alloc(n + 2, sizeof *y);
    for (size_t i = 0; i < n; i++)
        x[i] = random_number(seed);
    x[n] = NAN; /* readable, and of no effect */
    y[n + 1] = 7.0;
    const double dot = dv_symmetric_product(half, x, y);
    double expected_dot = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        double expected = 0.0, scale = 0.0;
        for (size_t j = 0; j < n; j++) {
            expected += dense[i * n + j] * x[j];
            scale += fabs(dense[i * n + j] * x[j]);
        }
        assert_true(fabs(y[i] - expected) <= 1e-14 * scale);
        expected_dot += x[i] * expected;
        size += fabs(x[i]) * scale;
    }
    assert_true(fabs(dot - expected_dot) <= 1e-14 * size);
    assert_true(y[n + 1] == 7.0);
    dv_free(dense);
    dv_free(x);
    dv_free(y);
}

static void the_product_is_that_of_the_dense_matrix(void **state)
{
    (void)state;
    uint64_t seed = 11;
    DvSymmetricMatrix half = {0}; /* one for all: it grows and shrinks */
    uint64_t structure = 0;
    for (uint32_t block = 2; block <= 3; block++)
        for (uint32_t rows = 1; rows < 60; rows += rows < 5 ? 1 : 18)
            for (uint32_t degree = 0; degree < 7; degree += 3) {
                DvBlockMatrix a = random_matrix(rows, block, degree, &seed);
                a.structure = ++structure;
                a.version = 1;
                fill_matrix(&a, 1.0, true, &seed);
                assert_true(dv_symmetric_set(&half, &a));
                compare_with_dense(&a, &half, &seed);
                matrix_free(&a);
            }
    dv_symmetric_free(&half);
}

static void takes_numbers_of_another_version_alone(void **state)
{
    (void)state;
    uint64_t seed = 5;
    DvBlockMatrix a = grid_matrix(3, 3, 4, 3);
    DvSymmetricMatrix half = {0};
    a.structure = a.version = 1;
    fill_matrix(&a, 4.0, false, &seed);
    assert_true(dv_symmetric_set(&half, &a));
    const DvReal4 *block = half.block;
    fill_matrix(&a, 4.0, false, &seed);
    a.version = 2;
    assert_true(dv_symmetric_set(&half, &a));
    compare_with_dense(&a, &half, &seed);
    assert_ptr_equal(half.block, block); /* no memory is asked for again */
    half.block[0][0] = 1e9;
    assert_true(dv_symmetric_set(&half, &a));
    assert_true(half.block[0][0] == 1e9); /* the version says that nothing has changed */
    dv_symmetric_free(&half);
    matrix_free(&a);
}

/* Each number of a block above the diagonal in turn, by its last bit. */
static void refuses_what_is_not_symmetric(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t size = 2; size <= 3; size++) {
        DvBlockMatrix a = grid_matrix(2, 2, 2, size);
        DvSymmetricMatrix half = {0};
        a.structure = a.version = 1;
        fill_matrix(&a, 4.0, false, &seed);
        double *block = a.values + (size_t)size * size * (a.diagonal[0] + 1);
        for (uint32_t i = 0; i < size * size; i++) {
            const double before = block[i];
            block[i] = nextafter(before, 1.0);
            a.version++;
            assert_false(dv_symmetric_set(&half, &a));
            assert_false(dv_symmetric_set(&half, &a)); /* asked again */
            block[i] = before;
            a.version++;
            assert_true(dv_symmetric_set(&half, &a));
        }
        dv_symmetric_free(&half);
        matrix_free(&a);
    }
}

static void refuses_other_blocks(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t block = 1; block <= 6; block++) {
        DvBlockMatrix a = random_matrix(4, block, 2, &seed);
        DvSymmetricMatrix half = {0};
        a.structure = a.version = 1;
        fill_matrix(&a, 1.0, false, &seed);
        assert_int_equal(dv_symmetric_set(&half, &a), block == 2 || block == 3);
        dv_symmetric_free(&half);
        matrix_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_the_dense_matrix),
        cmocka_unit_test(takes_numbers_of_another_version_alone),
        cmocka_unit_test(refuses_what_is_not_symmetric),
        cmocka_unit_test(refuses_other_blocks),
    };
    return cmocka_run_group_tests_name("symmetric product", tests, NULL, NULL);
}
