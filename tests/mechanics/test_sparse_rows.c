/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows from pairs in any order, and the rows of a symmetric pattern, made in two ways: against a table of all pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sparse_rows.h"

enum { MOST_ROWS = 40, MOST_ENTRIES = MOST_ROWS * MOST_ROWS };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % n;
}

/* How often each pair is named. */
typedef struct Named {
    uint32_t rows, times[MOST_ROWS][MOST_ROWS];
} Named;

typedef struct Made {
    Rows rows;
    uint32_t start[MOST_ROWS + 1], columns[MOST_ENTRIES], transposed[MOST_ENTRIES], uses[MOST_ENTRIES];
    uint32_t diagonal[MOST_ROWS], number[4 * MOST_ENTRIES];
} Made;

static void name(Named *named, Pairs *pairs, uint32_t row, uint32_t column)
{
    pairs_add(pairs, row, column);
    named->times[row][column]++;
}

/* Sizes from none to many, up and down, so that arrays grow and are kept. */
static uint32_t size_of_round(int round)
{
    return round % 3 == 0 ? below(40) : round % 3 == 1 ? below(500) : below(3);
}

static void name_any(Pairs *pairs, Named *named, uint32_t count, uint32_t rows, uint32_t columns)
{
    memset(named, 0, sizeof *named);
    pairs->count = 0;
    for (uint32_t i = 0; i < count; i++)
        name(named, pairs, below(rows), below(columns));
}

static void pairs_are_sorted_by_row_and_column(void **state)
{
    (void)state;
    Pairs pairs = {0};
    Sorter sorter = {0};
    Named named;
    for (int round = 0; round < 120; round++) {
        const uint32_t rows = 1 + below(MOST_ROWS), columns = 1 + below(MOST_ROWS);
        name_any(&pairs, &named, size_of_round(round), rows, columns);
        const uint32_t *order = pairs_sort(&pairs, rows, columns, &sorter);
        size_t next = 0;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++)
                for (uint32_t k = 0; k < named.times[r][c]; k++, next++) {
                    assert_true(order[next] < pairs.count);
                    assert_true(pairs.row[order[next]] == r && pairs.column[order[next]] == c);
                    assert_true(k == 0 || order[next] > order[next - 1]); /* equal ones as they came */
                }
        assert_int_equal(next, pairs.count);
    }
    pairs_free(&pairs);
    sorter_free(&sorter);
}

static void rows_have_each_column_once(void **state)
{
    (void)state;
    Pairs pairs = {0};
    Sorter sorter = {0};
    Named named;
    Rows made = {0};
    for (int round = 0; round < 120; round++) {
        const uint32_t rows = 1 + below(MOST_ROWS), columns = 1 + below(MOST_ROWS);
        name_any(&pairs, &named, size_of_round(round), rows, columns);
        rows_make(&made, rows, columns, &pairs, &sorter);
        assert_int_equal(made.count, rows);
        uint32_t next = 0;
        for (uint32_t r = 0; r < rows; r++) {
            assert_int_equal(made.start[r], next);
            for (uint32_t c = 0; c < columns; c++) {
                assert_int_equal(rows_find(&made, r, c), named.times[r][c] ? next : UINT32_MAX);
                if (named.times[r][c])
                    assert_int_equal(made.columns[next++], c);
            }
        }
        assert_int_equal(made.start[rows], next);
    }
    rows_free(&made);
    pairs_free(&pairs);
    sorter_free(&sorter);
}

/* Rows with their diagonal, columns ascending, mirror images and how often an entry or its image is named. */
static void check(const Named *named, const Pairs *pairs, const Made *made)
{
    uint32_t entry = 0;
    for (uint32_t row = 0; row < named->rows; row++) {
        assert_int_equal(made->rows.start[row], entry);
        for (uint32_t column = 0; column < named->rows; column++) {
            const uint32_t uses = named->times[row][column] + named->times[column][row];
            if (uses == 0 && row != column)
                continue;
            assert_int_equal(made->rows.columns[entry], column);
            if (row == column)
                assert_int_equal(made->diagonal[row], entry);
            else
                assert_int_equal(made->uses[entry], uses);
            assert_int_equal(made->rows.columns[made->transposed[entry]], row);
            assert_int_equal(made->transposed[made->transposed[entry]], entry);
            entry++;
        }
    }
    assert_int_equal(made->rows.start[named->rows], entry);
    for (size_t k = 0; k < pairs->count; k++) {
        const uint32_t number = made->number[k];
        assert_int_equal(made->rows.columns[number], pairs->column[k]);
        assert_true(number >= made->rows.start[pairs->row[k]] && number < made->rows.start[pairs->row[k] + 1]);
    }
}

static void make_room(Made *made)
{
    memset(made, 0xff, sizeof *made);
    made->rows = (Rows){.start = made->start, .columns = made->columns};
}

static void made_from_upper(const Named *named, const Pairs *pairs)
{
    static Made made;
    UpperRows upper = {0};
    Sorter sorter = {0};
    make_room(&made);
    upper_rows_make(&upper, named->rows, pairs, &sorter);
    upper_rows_unfold(&upper, pairs, &made.rows, made.transposed, made.uses, made.diagonal, made.number);
    check(named, pairs, &made);
    upper_rows_free(&upper);
    sorter_free(&sorter);
}

static bool make_mirrored(const Named *named, const Pairs *pairs, Made *made)
{
    uint32_t next[MOST_ROWS];
    make_room(made);
    return mirrored_rows_make(pairs, named->rows, next, &made->rows, made->transposed, made->uses, made->diagonal,
                              made->number);
}

static void any_pairs(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        Named named = {.rows = 1 + below(MOST_ROWS)};
        Pairs pairs = {0};
        for (uint32_t k = named.rows > 1 ? below(3 * named.rows) : 0; k-- > 0;) {
            const uint32_t row = below(named.rows), column = below(named.rows);
            for (uint32_t times = row == column ? 0 : 1 + below(3); times-- > 0;)
                name(&named, &pairs, row, column);
        }
        made_from_upper(&named, &pairs);
        pairs_free(&pairs);
    }
}

/* Rows in order, their columns in any; each pair with its mirror image. */
static void name_rows(Named *named, Pairs *pairs)
{
    bool linked[MOST_ROWS][MOST_ROWS] = {0};
    for (uint32_t k = below(3 * named->rows); k-- > 0;) {
        const uint32_t row = below(named->rows), column = below(named->rows);
        linked[row][column] = linked[column][row] = row != column;
    }
    for (uint32_t row = 0; row < named->rows; row++) {
        const uint32_t first = below(named->rows);
        for (uint32_t i = 0; i < named->rows; i++)
            if (linked[row][(first + i) % named->rows])
                name(named, pairs, row, (first + i) % named->rows);
    }
}

static void rows_that_mirror_each_other(void **state)
{
    (void)state;
    static Made made;
    for (int round = 0; round < 200; round++) {
        Named named = {.rows = 1 + below(MOST_ROWS)};
        Pairs pairs = {0};
        name_rows(&named, &pairs);
        assert_true(pairs_come_by_rows(&pairs));
        assert_true(make_mirrored(&named, &pairs, &made));
        check(&named, &pairs, &made);
        made_from_upper(&named, &pairs);
        pairs_free(&pairs);
    }
}

/* One pair without its image, one more of a pair, one pair for another: told, and made in the other way. */
static void rows_that_do_not(void **state)
{
    (void)state;
    static Made made;
    for (int round = 0; round < 600; round++) {
        Named all = {.rows = 3 + below(MOST_ROWS - 3)}, named = {.rows = all.rows};
        Pairs mirrored = {0}, pairs = {0};
        name_rows(&all, &mirrored);
        const size_t odd = mirrored.count ? below((uint32_t)mirrored.count) : 0;
        for (size_t k = 0; k < mirrored.count; k++) {
            const uint32_t row = mirrored.row[k];
            uint32_t column = mirrored.column[k];
            if (k == odd && round % 3 == 2)
                do
                    column = below(all.rows);
                while (column == row || column == mirrored.column[k]);
            if (k != odd || round % 3 > 0)
                name(&named, &pairs, row, column);
            if (k == odd && round % 3 == 1)
                name(&named, &pairs, row, column);
        }
        assert_true(pairs_come_by_rows(&pairs));
        assert_int_equal(make_mirrored(&named, &pairs, &made), mirrored.count == 0);
        made_from_upper(&named, &pairs);
        pairs_free(&pairs);
        pairs_free(&mirrored);
    }
}

/* Both pairs of an edge twice: the counts of rows and columns alone would not tell. */
static void rows_that_mirror_each_other_twice(void **state)
{
    (void)state;
    static Made made;
    Named named = {.rows = 2};
    Pairs pairs = {0};
    name(&named, &pairs, 0, 1);
    name(&named, &pairs, 0, 1);
    name(&named, &pairs, 1, 0);
    name(&named, &pairs, 1, 0);
    assert_false(make_mirrored(&named, &pairs, &made));
    made_from_upper(&named, &pairs);
    pairs_free(&pairs);
}

static void pairs_in_another_order(void **state)
{
    (void)state;
    Pairs pairs = {0};
    assert_true(pairs_come_by_rows(&pairs));
    pairs_add(&pairs, 1, 0);
    assert_true(pairs_come_by_rows(&pairs));
    pairs_add(&pairs, 0, 1);
    assert_false(pairs_come_by_rows(&pairs));
    pairs_free(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_sorted_by_row_and_column),
        cmocka_unit_test(rows_have_each_column_once),
        cmocka_unit_test(any_pairs),
        cmocka_unit_test(rows_that_mirror_each_other),
        cmocka_unit_test(rows_that_do_not),
        cmocka_unit_test(rows_that_mirror_each_other_twice),
        cmocka_unit_test(pairs_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
