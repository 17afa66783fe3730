/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dense kernels one by one, of every instruction set that the machine has, on panels of every shape: against the same sums written
 * the plain way. What is around the numbers that a kernel may write stays, and what it may read but never use is not a number.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense_panel.h"

enum { LD = 88, MOST_WIDTH = 20, NUMBERS = LD * (MOST_WIDTH + 4) + DV_PANEL_SLACK, LEVELS = 3 };

static uint64_t seed = 3;

static double random_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static size_t random_below(size_t n)
{
    return (size_t)(0.5 * (random_number() + 1.0) * (double)n);
}

static void fill(double *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at[i] = random_number();
}

static void fill_with(double *at, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        at[i] = value;
}

static size_t up_to_group(size_t n)
{
    return (n + DV_PANEL_LANES - 1) / DV_PANEL_LANES * DV_PANEL_LANES;
}

static void assert_near(double found, double expected, double size, const char *what, size_t i, size_t k)
{
    if (!(fabs(found - expected) <= 1e-12 * (1.0 + size)))
        fail_msg("%s: (%zu, %zu) is %.17g, not %.17g", what, i, k, found, expected);
}

/* ---- Products ---- */

static void packing_scales_rows_and_fills_up_tiles(void **state)
{
    (void)state;
    static double l[NUMBERS], packed[NUMBERS], pivots[MOST_WIDTH];
    fill(l, NUMBERS);
    fill(pivots, MOST_WIDTH);
    for (size_t columns = 0; columns <= 14; columns++)
        for (size_t depth = 1; depth <= MOST_WIDTH; depth++) {
            const size_t size = dv_panel_packed_size(columns, depth);
            fill_with(packed, NUMBERS, 7.0);
            dv_panel_pack(packed, l, LD, pivots, columns, depth);
            assert_int_equal(size, (columns + 5) / 6 * 6 * depth);
            for (size_t j = 0; j < (columns + 5) / 6 * 6; j++)
                for (size_t k = 0; k < depth; k++)
                    assert_true(packed[j / 6 * 6 * depth + 6 * k + j % 6] ==
                                (j < columns ? l[j + k * LD] * pivots[k] : 0.0));
            for (size_t i = size; i < NUMBERS; i++)
                assert_true(packed[i] == 7.0);
        }
}

/* Rows [first, end) of the lower part of a product. */
static void check_product(const DvDenseKernels *kernels, size_t first, size_t end, size_t columns, size_t depth)
{
    static double a[NUMBERS], l[NUMBERS], packed[NUMBERS], c[2][NUMBERS], before[NUMBERS], ones[MOST_WIDTH];
    fill(a, NUMBERS);
    for (size_t k = 0; k < depth; k++) /* what is behind the last row may be read */
        fill_with(a + end + k * LD, up_to_group(end) + 8 < LD ? up_to_group(end) + 8 - end : 0, NAN);
    fill(l, NUMBERS);
    fill_with(ones, MOST_WIDTH, 1.0);
    dv_panel_pack(packed, l, LD, ones, columns, depth);
    fill(before, NUMBERS);
    memcpy(c[0], before, sizeof before);
    memcpy(c[1], before, sizeof before);
    kernels->store(c[0], LD, a, LD, packed, first, end, columns, depth);
    kernels->subtract(c[1], LD, a, LD, packed, first, end, columns, depth);
    for (size_t j = 0; j < MOST_WIDTH + 4; j++)
        for (size_t row = 0; row < LD; row++) {
            const size_t i = first + row, at = row + j * LD;
            const size_t from = j / 6 * 6 > first ? j / 6 * 6 : first;
            const bool written = j < columns && i >= from && i < end;
            double sum = 0.0;
            for (size_t k = 0; written && k < depth; k++)
                sum += a[i + k * LD] * l[j + k * LD];
            assert_true(c[1][at] == (written ? before[at] - sum : before[at]));
            if (written)
                assert_true(c[0][at] == sum);
            else if (j >= columns || i < from || j >= end ||
                     i >= from + up_to_group(end - from)) /* whole groups of rows */
                assert_true(c[0][at] == before[at]);
        }
}

static void products_are_sums_of_products(void **state)
{
    (void)state;
    for (int level = 0; level < LEVELS; level++) {
        const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);
        for (size_t end = 1; end <= 70; end += end < 20 ? 1 : 5)
            for (size_t columns = 1; columns <= MOST_WIDTH && columns <= end; columns++) {
                check_product(kernels, 0, end, columns, 1 + random_below(MOST_WIDTH));
                check_product(kernels, random_below(end), end, columns, 1 + random_below(MOST_WIDTH));
            }
    }
}

/* Gram matrices of eight columns, weighted. */
static void weighted_products_are_added(void **state)
{
    (void)state;
    static double a[8 * 40], b[8 * 40], weights[40], c[64], before[64];
    for (int level = 0; level < LEVELS; level++)
        for (size_t count = 0; count <= 40; count++) {
            fill(a, 8 * 40);
            fill(b, 8 * 40);
            fill(weights, 40);
            fill(before, 64);
            memcpy(c, before, sizeof c);
            dv_dense_kernels_of_level(level)->gram(count, a, b, weights, c);
            for (size_t r = 0; r < 8; r++)
                for (size_t s = 0; s < 8; s++) {
                    double sum = before[8 * r + s];
                    for (size_t k = 0; k < count; k++)
                        sum += a[8 * k + r] * weights[k] * b[8 * k + s];
                    assert_near(c[8 * r + s], sum, (double)count, "gram", r, s);
                }
        }
}

/* ---- Factors ---- */

/* A panel whose block is well behaved: entries below, numbers that must stay behind the height and around. */
static void make_panel(double *panel, size_t width, bool indefinite)
{
    fill(panel, NUMBERS);
    for (size_t k = 0; k < width; k++)
        panel[k + k * LD] = (indefinite && k % 3 == 1 ? -1.0 : 1.0) * (3.0 * (double)width + panel[k + k * LD]);
}

static void assert_is_factor(const double *panel, const double *before, const double *pivots, const double *inverse,
                             size_t height, size_t width)
{
    for (size_t k = 0; k < MOST_WIDTH + 4; k++)
        for (size_t i = 0; i < LD; i++) {
            const size_t at = i + k * LD;
            if (k >= width || i >= height) {
                assert_true(panel[at] == before[at]);
                continue;
            }
            if (i < k)
                continue; /* not defined */
            double sum = 0.0;
            for (size_t m = 0; m <= k; m++)
                sum += (i == m ? 1.0 : panel[i + m * LD]) * pivots[m] * (k == m ? 1.0 : panel[k + m * LD]);
            assert_near(sum, before[at], 100.0, "L D L^T", i, k);
            if (i == k)
                assert_true(panel[at] == 1.0);
        }
    for (size_t k = 0; k < width; k++)
        assert_true(inverse[k] == 1.0 / pivots[k]);
}

static void factors_multiply_to_what_was_factored(void **state)
{
    (void)state;
    static double before[NUMBERS], panel[LEVELS][NUMBERS], halves[NUMBERS], scale[MOST_WIDTH], packed[NUMBERS];
    double pivots[LEVELS][MOST_WIDTH], inverse[LEVELS][MOST_WIDTH];
    for (size_t width = 1; width <= MOST_WIDTH; width++)
        for (size_t height = up_to_group(width); height <= 80; height += 8 * (1 + height / 40)) {
            make_panel(before, width, width % 2);
            for (size_t k = 0; k < MOST_WIDTH; k++)
                scale[k] = fabs(before[k + k * LD]);
            for (int level = 0; level < LEVELS; level++) {
                const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);
                memcpy(panel[level], before, sizeof before);
                assert_int_equal(
                    kernels->factor(panel[level], LD, height, width, scale, pivots[level], inverse[level], packed),
                    width);
                assert_is_factor(panel[level], before, pivots[level], inverse[level], height, width);
                assert_memory_equal(pivots[level], pivots[0], width * sizeof(double));
                /* the block alone, then what is below, in two parts */
                memcpy(halves, before, sizeof before);
                const size_t top = up_to_group(width), middle = top + (height - top) / 16 * 8;
                double again[MOST_WIDTH], inverse_again[MOST_WIDTH];
                fill_with(packed, dv_panel_factor_size(width), NAN);
                assert_int_equal(kernels->factor(halves, LD, top, width, scale, again, inverse_again, packed), width);
                kernels->extend(halves, LD, middle, height, width, inverse_again, packed);
                kernels->extend(halves, LD, top, middle, width, inverse_again, packed);
                for (size_t k = 0; k < width; k++)
                    for (size_t i = k; i < LD; i++) {
                        assert_true(halves[i + k * LD] == panel[level][i + k * LD]);
                        assert_true(panel[level][i + k * LD] == panel[0][i + k * LD]);
                    }
            }
        }
}

/* A pivot that is nothing ends it; one that is noise beside its scale becomes a small number of its sign. */
/* Rows up to the next multiple of 8 are zero and stay so; where the block is all there is, they are not even looked at. */
static void heights_are_any_number_of_rows(void **state)
{
    (void)state;
    static double before[NUMBERS], panel[NUMBERS], whole[NUMBERS], scale[MOST_WIDTH], packed[NUMBERS];
    double pivots[MOST_WIDTH], inverse[MOST_WIDTH];
    for (size_t width = 1; width <= MOST_WIDTH; width++)
        for (size_t height = width; height <= width + 20; height++)
            for (int level = 0; level < LEVELS; level++) {
                const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);
                make_panel(before, width, width % 2);
                for (size_t k = 0; k < width; k++) {
                    scale[k] = fabs(before[k + k * LD]);
                    fill_with(before + height + k * LD, LD - height, 0.0);
                }
                memcpy(panel, before, sizeof before);
                memcpy(whole, before, sizeof before);
                assert_int_equal(kernels->factor(whole, LD, up_to_group(height), width, scale, pivots, inverse, packed),
                                 width);
                assert_int_equal(kernels->factor(panel, LD, height, width, scale, pivots, inverse, packed), width);
                for (size_t k = 0; k < width; k++)
                    for (size_t i = k; i < LD; i++)
                        assert_true(panel[i + k * LD] == (i < height ? whole[i + k * LD] : 0.0));
                if (height > width || width > DV_PANEL_TILE)
                    continue;
                for (size_t k = 0; k < width; k++)
                    fill_with(before + height + k * LD, LD - height, 7.0);
                assert_int_equal(kernels->factor(before, LD, height, width, scale, pivots, inverse, packed), width);
                for (size_t k = 0; k < width; k++)
                    for (size_t i = k; i < LD; i++)
                        assert_true(before[i + k * LD] == (i < height ? whole[i + k * LD] : 7.0));
            }
}

static void pivots_that_are_none_are_told(void **state)
{
    (void)state;
    static double panel[NUMBERS], scale[MOST_WIDTH], packed[NUMBERS];
    double pivots[MOST_WIDTH], inverse[MOST_WIDTH];
    static const double bad[] = {0.0, NAN, INFINITY, -INFINITY};
    for (int level = 0; level < LEVELS; level++)
        for (size_t at = 0; at < MOST_WIDTH; at++) {
            const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                memset(panel, 0, sizeof panel);
                for (size_t k = 0; k < MOST_WIDTH; k++)
                    panel[k + k * LD] = k == at ? bad[b] : 2.0;
                fill_with(scale, MOST_WIDTH, 1.0);
                assert_int_equal(kernels->factor(panel, LD, 24, MOST_WIDTH, scale, pivots, inverse, packed), at);
            }
            for (int noise = 0; noise < 4; noise++) {
                const double sign = noise % 2 ? -1.0 : 1.0, size = noise < 2 ? 0.5 : 2.0;
                memset(panel, 0, sizeof panel);
                for (size_t k = 0; k < MOST_WIDTH; k++)
                    panel[k + k * LD] = k == at ? sign * size * DV_PIVOT_NOISE * 5.0 : 2.0;
                fill_with(scale, MOST_WIDTH, 5.0);
                assert_int_equal(kernels->factor(panel, LD, 24, MOST_WIDTH, scale, pivots, inverse, packed),
                                 MOST_WIDTH);
                const double expected = noise < 2 ? DV_PIVOT_PERTURBED * 5.0 : size * DV_PIVOT_NOISE * 5.0;
                assert_true(pivots[at] == sign * expected && inverse[at] == 1.0 / pivots[at]);
                assert_true(pivots[(at + 1) % MOST_WIDTH] == 2.0);
            }
        }
}

/* ---- Solutions ---- */

/* A factor: ones on the diagonal, zeros behind the height, anything above. */
static void make_factor(double *panel, size_t height, size_t width)
{
    fill(panel, NUMBERS);
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < LD; i++)
            if (i >= height)
                panel[i + k * LD] = 0.0;
            else if (i < k)
                panel[i + k * LD] = NAN;
            else
                panel[i + k * LD] = i == k ? 1.0 : 0.3 * panel[i + k * LD];
}

static void solutions_are_those_of_substitution(void **state)
{
    (void)state;
    static double panel[NUMBERS], t[LEVELS][LD], u[LEVELS][LD], before[LD], many[LEVELS][8 * LD], expected[LD];
    for (size_t width = 1; width <= MOST_WIDTH; width++)
        for (size_t height = width; height <= 70; height += height < 36 ? 1 : 7)
            for (int level = 0; level < LEVELS; level++) {
                const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);

                if (level == 0) {
                    make_factor(panel, height, width);
                    fill(before, LD);
                    fill_with(before + height, LD - height, 0.0);
                }

                memcpy(expected, before, sizeof before); /* forward */
                for (size_t k = 0; k < width; k++)
                    for (size_t i = k + 1; i < height; i++)
                        expected[i] -= panel[i + k * LD] * expected[k];
                memcpy(t[level], before, sizeof before);
                kernels->forward(panel, LD, height, width, t[level]);
                for (size_t i = 0; i < LD; i++)
                    assert_near(t[level][i], expected[i], 10.0, "forward", i, width);
                assert_memory_equal(t[level], t[0], sizeof before);
                for (size_t i = 0; i < height; i++)
                    for (size_t s = 0; s < 8; s++)
                        many[level][8 * i + s] = s == 3 ? before[i] : before[i] * (1.0 + (double)s) + (double)(i % 3);
                double first[8 * LD];
                memcpy(first, many[level], 8 * height * sizeof *first);
                kernels->forward_many(panel, LD, width, height - width, many[level], many[level] + 8 * width);
                for (size_t s = 0; s < 8; s++) {
                    double one[LD] = {0.0};
                    for (size_t i = 0; i < height; i++)
                        one[i] = first[8 * i + s];
                    kernels->forward(panel, LD, height, width, one);
                    for (size_t i = 0; i < height; i++)
                        assert_true(many[level][8 * i + s] == one[i]);
                }

                memcpy(expected, before, sizeof before); /* backward */
                for (size_t k = width; k-- > 0;)
                    for (size_t i = k + 1; i < height; i++)
                        expected[k] -= panel[i + k * LD] * expected[i];
                memcpy(u[level], before, sizeof before);
                kernels->backward(panel, LD, height, width, u[level]);
                for (size_t i = 0; i < LD; i++)
                    assert_near(u[level][i], expected[i], 100.0, "backward", i, width);
                assert_memory_equal(u[level], u[0], sizeof before);
                memcpy(many[level], first, 8 * height * sizeof *first);
                kernels->backward_many(panel, LD, width, height - width, many[level], many[level] + 8 * width);
                for (size_t s = 0; s < 8; s++) {
                    double one[LD] = {0.0};
                    for (size_t i = 0; i < height; i++)
                        one[i] = first[8 * i + s];
                    for (size_t k = width; k-- > 0;)
                        for (size_t i = k + 1; i < height; i++)
                            one[k] -= panel[i + k * LD] * one[i];
                    for (size_t i = 0; i < height; i++)
                        assert_near(many[level][8 * i + s], one[i], 1000.0, "backward_many", i, s);
                }
                assert_memory_equal(many[level], many[0], 8 * height * sizeof(double));
            }
}

/* A tile without rows below is solved among other numbers, which stay. */
static void single_tiles_are_solved_where_they_are(void **state)
{
    (void)state;
    static double panel[NUMBERS], alone[LD], among[LD], before[LD];
    for (size_t width = 1; width <= DV_PANEL_TILE; width++)
        for (int level = 0; level < LEVELS; level++) {
            const DvDenseKernels *kernels = dv_dense_kernels_of_level(level);
            make_factor(panel, width, width);
            fill(before, LD);
            fill_with(before + width, LD - width, -0.0); /* plus zero it would be another one */
            memcpy(alone, before, width * sizeof *before);
            fill_with(alone + width, LD - width, 0.0);
            memcpy(among, before, sizeof before);
            kernels->forward(panel, LD, width, width, alone);
            kernels->forward(panel, LD, width, width, among);
            assert_memory_equal(among, alone, width * sizeof *among);
            assert_memory_equal(among + width, before + width, (LD - width) * sizeof *among);
            fill_with(among + width, LD - width, NAN);
            kernels->backward(panel, LD, width, width, alone);
            kernels->backward(panel, LD, width, width, among);
            assert_memory_equal(among, alone, width * sizeof *among);
            for (size_t i = width; i < LD; i++)
                assert_true(isnan(among[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_scales_rows_and_fills_up_tiles),
        cmocka_unit_test(products_are_sums_of_products),
        cmocka_unit_test(weighted_products_are_added),
        cmocka_unit_test(factors_multiply_to_what_was_factored),
        cmocka_unit_test(heights_are_any_number_of_rows),
        cmocka_unit_test(pivots_that_are_none_are_told),
        cmocka_unit_test(solutions_are_those_of_substitution),
        cmocka_unit_test(single_tiles_are_solved_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
