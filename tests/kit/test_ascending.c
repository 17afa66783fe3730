/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ascending lists against a plain model, a mark for each number that there is.
 */
#include "random.h"

#include <divan/kit/ascending.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 300, LONGEST = 200, LISTS = 2000 };

static void lists_are_those_of_a_plain_model(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int list = 0; list < LISTS; list++) {
        uint32_t numbers[LONGEST], before = 0;
        bool there[LARGEST] = {false};
        const uint32_t count = random_below(&seed, LONGEST + 1), limit = 1 + random_below(&seed, LARGEST);
        for (uint32_t i = 0; i < count; i++) {
            numbers[i] = random_below(&seed, limit);
            there[numbers[i]] = true;
        }
        const uint32_t kept = dv_ascending_sort(numbers, count);
        for (uint32_t number = 0; number < LARGEST; number++) {
            assert_int_equal(dv_ascending_place(numbers, kept, number), before);
            assert_int_equal(dv_ascending_has(numbers, kept, number), there[number]);
            if (there[number])
                assert_int_equal(numbers[before++], number);
        }
        assert_int_equal(kept, before);
    }
}

static void the_largest_numbers_have_their_order(void **state)
{
    (void)state;
    uint32_t numbers[] = {UINT32_MAX, 0, UINT32_MAX - 1, 0x80000000u, UINT32_MAX, 0x7fffffffu, 0};
    const uint32_t sorted[] = {0, 0x7fffffffu, 0x80000000u, UINT32_MAX - 1, UINT32_MAX};
    assert_int_equal(dv_ascending_sort(numbers, 7), 5);
    assert_memory_equal(numbers, sorted, sizeof sorted);
    assert_int_equal(dv_ascending_place(numbers, 5, UINT32_MAX), 4);
    assert_true(dv_ascending_has(numbers, 5, UINT32_MAX));
}

static void a_list_may_be_empty(void **state)
{
    (void)state;
    const uint32_t none[] = {3};
    assert_int_equal(dv_ascending_sort(NULL, 0), 0);
    assert_int_equal(dv_ascending_place(none, 0, 3), 0);
    assert_false(dv_ascending_has(none, 0, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_those_of_a_plain_model),
        cmocka_unit_test(the_largest_numbers_have_their_order),
        cmocka_unit_test(a_list_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
