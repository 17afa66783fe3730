/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows with slack against a plain model, an array for each row: the same after a million random changes.
 */
#include "random.h"

#include <divan/kit/array.h>
#include <divan/kit/rows.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MAX_ROWS = 300, MAX_LENGTH = 200, CHANGES = 1000000 };

typedef struct Model {
    DvIndexArray row[MAX_ROWS];
    uint32_t count;
} Model;

static void expect_row(const DvRows *rows, const Model *model, uint32_t row)
{
    assert_int_equal(dv_rows_length(rows, row), model->row[row].count);
    if (model->row[row].count)
        assert_memory_equal(rows->items + rows->begin[row], model->row[row].data,
                            model->row[row].count * sizeof(uint32_t));
}

/* All rows, and that their places do not overlap and account for what is used. */
static void expect_all(const DvRows *rows, const Model *model)
{
    assert_int_equal(rows->count, model->count);
    uint8_t *taken = test_calloc((size_t)rows->used + 1, 1);
    uint64_t places = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        expect_row(rows, model, i);
        assert_true(rows->begin[i] <= rows->end[i] && rows->end[i] <= rows->limit[i]);
        assert_true(rows->limit[i] <= rows->used);
        for (uint32_t at = rows->begin[i]; at < rows->limit[i]; at++)
            assert_int_equal(taken[at]++, 0);
        places += rows->limit[i] - rows->begin[i];
    }
    assert_int_equal(places + rows->lost, rows->used);
    assert_true(rows->used <= rows->item_capacity && rows->count <= rows->capacity);
    test_free(taken);
}

static void model_remove_item(DvIndexArray *row, uint32_t item)
{
    uint32_t kept = 0;
    bool gone = false;
    for (uint32_t i = 0; i < row->count; i++)
        if (gone || row->data[i] != item)
            row->data[kept++] = row->data[i];
        else
            gone = true;
    row->count = kept;
}

/* The last entry goes in front of the first that is larger or equal, by steps. */
static void model_settle_last(DvIndexArray *row)
{
    for (uint32_t i = row->count; i-- > 1 && row->data[i - 1] >= row->data[i];) {
        const uint32_t swap = row->data[i];
        row->data[i] = row->data[i - 1];
        row->data[i - 1] = swap;
    }
}

static bool is_ascending(const DvIndexArray *row, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (row->data[i - 1] > row->data[i])
            return false;
    return true;
}

static void change_rows(DvRows *rows, Model *model, uint64_t *seed)
{
    const uint32_t what = random_below(seed, 1000);
    if (what < 3 && model->count < MAX_ROWS) {
        const uint32_t more = 1 + random_below(seed, MAX_ROWS - model->count < 5 ? MAX_ROWS - model->count : 5);
        dv_rows_append(rows, more);
        model->count += more;
    } else if (what < 6 && model->count > 1) {
        const uint32_t row = random_below(seed, model->count), last = --model->count;
        dv_rows_remove(rows, row);
        const DvIndexArray gone = model->row[row];
        model->row[row] = model->row[last];
        model->row[last] = gone;
        dv_array_clear(&model->row[last]);
    } else if (what == 6) {
        dv_rows_reserve(rows);
    } else if (model->count) {
        const uint32_t row = random_below(seed, model->count), item = random_below(seed, 100);
        DvIndexArray *expected = &model->row[row];
        if (what < 500 || expected->count >= MAX_LENGTH) {
            dv_rows_remove_item(rows, row, item);
            model_remove_item(expected, item);
        } else {
            dv_rows_push(rows, row, item);
            dv_array_push(expected, item);
            if (what < 750 && is_ascending(expected, expected->count - 1)) {
                dv_rows_settle_last(rows, row);
                model_settle_last(expected);
            }
        }
        expect_row(rows, model, row);
    }
}

static void rows_are_those_of_a_plain_model(void **state)
{
    (void)state;
    static Model model;
    uint64_t seed = 20;
    DvRows rows = dv_rows_make(40);
    model.count = 40;
    for (uint32_t i = 0; i < 40; i++)
        rows.limit[i] = i % 7;
    dv_rows_place(&rows);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t k = 0; k < i % 7; k++) {
            rows.items[rows.end[i]++] = i + k;
            dv_array_push(&model.row[i], i + k);
        }
    expect_all(&rows, &model);
    for (uint32_t i = 1; i <= CHANGES; i++) {
        change_rows(&rows, &model, &seed);
        if (i % 1000 == 0)
            expect_all(&rows, &model);
    }
    dv_rows_free(&rows);
    for (uint32_t i = 0; i < MAX_ROWS; i++)
        dv_array_free(&model.row[i]);
}

static void rows_of_constant_length_come_and_go(void **state)
{
    (void)state;
    enum { PER_ROW = 3, ROWS = 50 };
    uint64_t seed = 3;
    DvRows rows = dv_rows_of_constant_length(dv_alloc(0, sizeof(uint32_t)), 0, PER_ROW);
    uint32_t expected[ROWS][PER_ROW], count = 0;
    for (uint32_t i = 0; i < CHANGES / 10; i++) {
        if (count && (random_below(&seed, 2) || count == ROWS)) {
            const uint32_t row = random_below(&seed, count);
            dv_rows_remove(&rows, row);
            memmove(expected[row], expected[--count], sizeof expected[row]);
        } else {
            dv_rows_append(&rows, 1);
            for (uint32_t k = 0; k < PER_ROW; k++) {
                assert_int_equal(rows.items[rows.begin[count] + k], UINT32_MAX);
                rows.items[rows.begin[count] + k] = expected[count][k] = random_below(&seed, 1000);
            }
            count++;
        }
        assert_int_equal(rows.count, count);
        for (uint32_t row = 0; row < count; row++) {
            assert_int_equal(dv_rows_length(&rows, row), PER_ROW);
            assert_memory_equal(rows.items + rows.begin[row], expected[row], sizeof expected[row]);
        }
    }
    dv_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_a_plain_model),
        cmocka_unit_test(rows_of_constant_length_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
