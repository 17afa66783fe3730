/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Curves of errors: any number of values comes back in order, of all rows or row by row, whatever was reserved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/kit/convergence_graph.h>
#include <divan/memory.h>

enum { MOST = 5000 };

static double value_at(uint32_t i)
{
    return 0.5 * i - 3.0;
}

static void any_number_of_values_comes_back_in_order(void **state)
{
    (void)state;
    static const uint32_t reserved[] = {0, 1, 62, 63, 64, 65, 127, 128, 1000, 100000, UINT32_MAX};
    DvCurve curve = {0};
    for (size_t k = 0; k < 2 * sizeof reserved / sizeof *reserved;
         k++) { /* the second time in one that has been used */
        if (k < sizeof reserved / sizeof *reserved)
            dv_curve_free(&curve);
        dv_curve_restart(&curve, reserved[k % (sizeof reserved / sizeof *reserved)]);
        assert_int_equal(curve.count, 0);
        for (uint32_t i = 0; i < MOST; i++) {
            dv_curve_add(&curve, value_at(i));
            assert_int_equal(curve.count, i + 1);
            assert_true(curve.count <= curve.capacity && curve.capacity <= 100000);
        }
        for (uint32_t i = 0; i < MOST; i++)
            assert_true(curve.values[i] == value_at(i));
    }
    dv_curve_free(&curve);
    assert_true(curve.values == NULL && curve.count == 0 && curve.capacity == 0);
    for (uint32_t i = 0; i < MOST; i++) /* without any room at first */
        dv_curve_add(&curve, value_at(i));
    assert_true(curve.values[MOST - 1] == value_at(MOST - 1));
    dv_curve_free(&curve);
}

/* What as many were reserved for is there at once: a step does not allocate. */
static void as_many_as_were_asked_for_need_no_more_room(void **state)
{
    (void)state;
    for (uint32_t iterations = 0; iterations < 300; iterations += 7) {
        DvCurve curve = {0};
        dv_curve_restart(&curve, iterations);
        const uint64_t before = dv_allocation_count();
        for (uint32_t i = 0; i <= iterations; i++) /* that of the start too */
            dv_curve_add(&curve, value_at(i));
        assert_int_equal(dv_allocation_count(), before);
        dv_curve_free(&curve);
    }
}

static void curves_are_printed_whole_and_row_by_row(void **state)
{
    (void)state;
    DvCurve curve = {0};
    DvText text = {0};
    for (uint32_t i = 0; i < 6; i++)
        dv_curve_add(&curve, value_at(i));
    dv_curve_print(&curve, "Error", &text);
    assert_string_equal(text.at, "Error: -3 -2.5 -2 -1.5 -1 -0.5");
    dv_curve_print(&curve, "Again", &text);
    assert_string_equal(text.at, "Error: -3 -2.5 -2 -1.5 -1 -0.5\nAgain: -3 -2.5 -2 -1.5 -1 -0.5");
    dv_text_free(&text);
    dv_curve_print_rows(&curve, 3, &text);
    assert_string_equal(text.at, "f0: -3 -1.5\nf1: -2.5 -1\nf2: -2 -0.5");
    dv_curve_print_rows(&curve, 1, &text);
    assert_string_equal(text.at, "f0: -3 -1.5\nf1: -2.5 -1\nf2: -2 -0.5\nf0: -3 -2.5 -2 -1.5 -1 -0.5");
    dv_text_free(&text);
    dv_curve_print_rows(&curve, 0, &text);
    assert_null(text.at);
    dv_curve_free(&curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_values_comes_back_in_order),
        cmocka_unit_test(as_many_as_were_asked_for_need_no_more_room),
        cmocka_unit_test(curves_are_printed_whole_and_row_by_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
