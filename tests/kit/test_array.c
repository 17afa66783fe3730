/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Growing arrays against a plain model, a list of fixed capacity: the same after a million random changes.
 */
#include "random.h"

#include <divan/kit/array.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { CAPACITY = 5000, CHANGES = 1000000 };

typedef struct Item {
    double number;
    uint32_t index;
} Item;

static Item model[CAPACITY];
static uint32_t model_count;
static DV_ARRAY(Item) array;

static void expect_same(void)
{
    assert_int_equal(array.count, model_count);
    assert_true(array.capacity >= array.count);
    for (uint32_t i = 0; i < model_count; i++) {
        assert_true(array.data[i].number == model[i].number);
        assert_int_equal(array.data[i].index, model[i].index);
    }
}

static void append(uint64_t *seed)
{
    Item items[20];
    uint32_t count = random_below(seed, 20);
    if (count > CAPACITY - model_count)
        count = CAPACITY - model_count;
    for (uint32_t i = 0; i < count; i++)
        items[i] = (Item){random_below(seed, 1000), i};
    dv_array_append(&array, items, count);
    for (uint32_t i = 0; i < count; i++)
        model[model_count++] = items[i];
}

static void resize(uint64_t *seed)
{
    const uint32_t count = random_below(seed, 2 * model_count + 10), bounded = count < CAPACITY ? count : CAPACITY;
    dv_array_resize(&array, bounded);
    for (uint32_t i = model_count; i < bounded; i++)
        model[i] = (Item){0, 0};
    model_count = bounded;
}

static void arrays_are_those_of_a_plain_model(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t i = 1; i <= CHANGES; i++) {
        const uint32_t what = random_below(&seed, 10000);
        if (what < 20) {
            resize(&seed);
            expect_same();
        } else if (what == 20) {
            dv_array_clear(&array);
            model_count = 0;
        } else if (what == 21) {
            dv_array_free(&array);
            assert_null(array.data);
            model_count = 0;
        } else if (what < 500) {
            append(&seed);
        } else if (model_count < CAPACITY && what < 6000) {
            const Item item = {random_below(&seed, 1000), i};
            dv_array_push(&array, item);
            model[model_count++] = item;
        } else if (model_count) {
            const uint32_t at = random_below(&seed, model_count);
            array.data[at] = array.data[--array.count];
            model[at] = model[--model_count];
        }
        if (i % 1000 == 0)
            expect_same();
    }
    dv_array_free(&array);
}

static void capacity_doubles(void **state)
{
    (void)state;
    DvIndexArray numbers = {0};
    uint32_t grown = 0, capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        dv_array_push(&numbers, i);
        grown += numbers.capacity != capacity;
        capacity = numbers.capacity;
    }
    assert_true(grown <= 14); /* 16, 32 ... 131072 */
    const uint32_t *before = numbers.data;
    dv_array_reserve(&numbers, numbers.capacity);
    assert_ptr_equal(before, numbers.data);
    dv_array_free(&numbers);
}

static void columns_grow_together(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t *numbers = NULL, capacity = 0, count = 0;
    Item *items = NULL;
    for (; count < 100000; count++) {
        const uint32_t before = capacity;
        dv_columns_reserve(&capacity, count + 1 + random_below(&seed, 3), DV_COLUMN(numbers), DV_COLUMN(items));
        assert_true(capacity > count && (capacity == before || capacity >= 2 * before));
        for (uint32_t i = before; i < capacity; i++)
            assert_true(numbers[i] == 0 && items[i].index == 0);
        numbers[count] = count;
        items[count] = (Item){2.0 * count, count};
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(numbers[i] == i && items[i].index == i && items[i].number == 2.0 * i);
    dv_free(numbers);
    dv_free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_those_of_a_plain_model),
        cmocka_unit_test(capacity_doubles),
        cmocka_unit_test(columns_grow_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
