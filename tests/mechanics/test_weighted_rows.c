/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with a sparse matrix of weights, and changes of its rows, against a dense table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/kit/weighted_rows.h>

enum { ROWS = 70, COLUMNS = 40, MOST_LENGTH = 9, GUARD = 4 };

static uint64_t seed = 0x2545f4914f6cdd1du;

static uint32_t below(uint32_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x9e3779b97f4a7c15u) >> 33) % n;
}

/* Multiples of 1/8 up to 2: sums of products are exact, in whatever order. */
static double eighth(void)
{
    return 0.125 * (1 + (double)below(16));
}

/* Rows as they are handed over, and what they mean. */
typedef struct Table {
    uint32_t rows, start[ROWS + 1], column[ROWS * MOST_LENGTH];
    double weight[ROWS * MOST_LENGTH];
} Table;

static void fill_row(Table *t, uint32_t row)
{
    for (uint32_t e = t->start[row]; e < t->start[row + 1]; e++) {
        t->column[e] = below(COLUMNS);
        t->weight[e] = eighth();
    }
}

/* Rows of one length, or of lengths up to it. */
static void fill(Table *t, uint32_t rows, uint32_t length, bool equal)
{
    memset(t, 0, sizeof *t);
    t->rows = rows;
    for (uint32_t i = 0; i < rows; i++) {
        t->start[i + 1] = t->start[i] + (equal ? length : below(length + 1));
        fill_row(t, i);
    }
}

static void dense(const Table *t, double m[ROWS][COLUMNS])
{
    memset(m, 0, sizeof(double[ROWS][COLUMNS]));
    for (uint32_t i = 0; i < t->rows; i++)
        for (uint32_t e = t->start[i]; e < t->start[i + 1]; e++)
            m[i][t->column[e]] += t->weight[e];
}

/* Components 0 to 2 of each point, others are left alone. */
typedef struct Vectors {
    uint32_t in_dim, out_dim;
    double in[(COLUMNS + GUARD) * 7], out[(ROWS + GUARD) * 7];
} Vectors;

static void fill_vectors(Vectors *v, uint32_t in_dim, uint32_t out_dim)
{
    v->in_dim = in_dim;
    v->out_dim = out_dim;
    for (size_t i = 0; i < sizeof v->in / sizeof *v->in; i++)
        v->in[i] = eighth();
    for (size_t i = 0; i < sizeof v->out / sizeof *v->out; i++)
        v->out[i] = eighth();
}

/* What gathering the rows that are `wanted` writes. */
static void gather_densely(const Table *t, Vectors *v, const bool *wanted, bool clear_empty)
{
    double m[ROWS][COLUMNS];
    dense(t, m);
    for (uint32_t i = 0; i < t->rows; i++) {
        const bool empty = t->start[i] == t->start[i + 1];
        if (!wanted[i] || (empty && !clear_empty))
            continue;
        for (uint32_t c = 0; c < 3; c++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < COLUMNS; j++)
                sum += m[i][j] * v->in[j * v->in_dim + c];
            v->out[i * v->out_dim + c] = sum;
        }
    }
}

static void scatter_densely(const Table *t, Vectors *v, const bool *wanted)
{
    double m[ROWS][COLUMNS];
    dense(t, m);
    for (uint32_t j = 0; j < COLUMNS; j++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t i = 0; i < t->rows; i++)
                v->in[j * v->in_dim + c] += wanted[i] ? m[i][j] * v->out[i * v->out_dim + c] : 0.0;
}

static void expect_same(const Vectors *a, const Vectors *b)
{
    assert_memory_equal(a->in, b->in, sizeof a->in);
    assert_memory_equal(a->out, b->out, sizeof a->out);
}

static void check_products(const DvWeightedRows *w, const Table *t, uint32_t in_dim, uint32_t out_dim)
{
    static Vectors made, expected;
    bool all[ROWS], some[ROWS] = {false};
    uint32_t rows[ROWS + 2], count = 0;
    const DvVec in = {made.in, COLUMNS, in_dim}, out = {made.out, t->rows, out_dim};
    const DvConstVec from_in = {made.in, COLUMNS, in_dim}, from_out = {made.out, t->rows, out_dim};
    memset(all, true, sizeof all);
    for (uint32_t i = 0; i < t->rows; i++)
        if (below(4) == 0) {
            some[i] = true;
            rows[count++] = i;
        }
    rows[count] = t->rows, rows[count + 1] = t->rows + 1; /* which are not there */
    for (int clear = 0; clear < 2; clear++) {
        fill_vectors(&made, in_dim, out_dim);
        expected = made;
        dv_weighted_rows_gather(w, &from_in, &out, clear);
        gather_densely(t, &expected, all, clear);
        expect_same(&made, &expected);
    }
    fill_vectors(&made, in_dim, out_dim);
    expected = made;
    dv_weighted_rows_gather_at(w, &from_in, &out, rows, count + 2);
    gather_densely(t, &expected, some, true);
    expect_same(&made, &expected);

    fill_vectors(&made, in_dim, out_dim);
    expected = made;
    dv_weighted_rows_scatter_at(w, &from_out, &in, rows, count + 2);
    scatter_densely(t, &expected, some);
    expect_same(&made, &expected);

    /* From no row that is loaded to all of them: few take a way of their own. */
    for (uint32_t loaded = 0; loaded <= t->rows; loaded += 1 + loaded / 3) {
        fill_vectors(&made, in_dim, out_dim);
        bool is_loaded[ROWS] = {false};
        for (uint32_t k = 0; k < loaded; k++)
            is_loaded[below(t->rows)] = true;
        for (uint32_t i = 0; i < t->rows; i++)
            for (uint32_t c = 0; c < 3 && !is_loaded[i]; c++)
                made.out[i * out_dim + c] = 0.0;
        expected = made;
        dv_weighted_rows_scatter(w, &from_out, &in);
        scatter_densely(t, &expected, all);
        expect_same(&made, &expected);
    }
}

/* Any number of components, added to what is there. */
static void check_sums(const DvWeightedRows *w, const Table *t, uint32_t in_dim, uint32_t out_dim)
{
    static Vectors made, expected;
    const DvVec in = {made.in, COLUMNS, in_dim}, out = {made.out, t->rows, out_dim};
    const DvConstVec from_in = {made.in, COLUMNS, in_dim}, from_out = {made.out, t->rows, out_dim};
    double m[ROWS][COLUMNS];
    dense(t, m);
    for (uint32_t components = 1; components <= in_dim && components <= out_dim; components++) {
        fill_vectors(&made, in_dim, out_dim);
        expected = made;
        dv_weighted_rows_add(w, &from_in, &out, components);
        for (uint32_t i = 0; i < t->rows; i++)
            for (uint32_t j = 0; j < COLUMNS; j++)
                for (uint32_t c = 0; c < components; c++)
                    expected.out[i * out_dim + c] += m[i][j] * expected.in[j * in_dim + c];
        expect_same(&made, &expected);
        dv_weighted_rows_add_transposed(w, &from_out, &in, components);
        for (uint32_t i = 0; i < t->rows; i++)
            for (uint32_t j = 0; j < COLUMNS; j++)
                for (uint32_t c = 0; c < components; c++)
                    expected.in[j * in_dim + c] += m[i][j] * expected.out[i * out_dim + c];
        expect_same(&made, &expected);
    }
}

static void check_jacobian(DvWeightedRows *w, const Table *t, uint32_t deriv_out)
{
    double m[ROWS][COLUMNS];
    dense(t, m);
    const DvJacobian *j = dv_weighted_rows_jacobian(w, deriv_out, 3, 3, COLUMNS);
    assert_true(j->rows == t->rows && j->columns_count == COLUMNS && j->version != 0);
    for (uint32_t i = 0; i < t->rows; i++)
        for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++) {
            assert_true(e == j->row_start[i] || j->columns[e] > j->columns[e - 1]);
            for (uint32_t k = 0; k < deriv_out * 3; k++)
                assert_true(j->values[(size_t)e * deriv_out * 3 + k] ==
                            (k == 0 || k == 4 || k == 8 ? m[i][j->columns[e]] : 0.0));
            m[i][j->columns[e]] = 0.0;
        }
    for (uint32_t i = 0; i < t->rows; i++)
        for (uint32_t c = 0; c < COLUMNS; c++)
            assert_true(m[i][c] == 0.0); /* none is left out */
    assert_ptr_equal(dv_weighted_rows_jacobian(w, deriv_out, 3, 3, COLUMNS), j);
}

static void products_are_those_of_the_table(void **state)
{
    (void)state;
    static Table t;
    DvWeightedRows w = {0};
    for (uint32_t length = 0; length <= MOST_LENGTH; length++)
        for (int equal = 0; equal < 2; equal++)
            for (uint32_t in_dim = 3; in_dim <= 7;
                 in_dim += in_dim == 3 ? 3 : 1) /* points, velocities of bodies, bodies */
                for (uint32_t out_dim = 3; out_dim <= 6; out_dim += 3)
                    for (uint32_t rows = 0; rows <= ROWS; rows += 1 + 4 * rows) {
                        fill(&t, rows, length, equal);
                        dv_weighted_rows_set(&w, rows, t.start, t.column, t.weight);
                        if (rows > 0) {
                            check_products(&w, &t, in_dim, out_dim);
                            check_sums(&w, &t, in_dim, out_dim);
                            check_jacobian(&w, &t, out_dim);
                        }
                    }
    dv_weighted_rows_free(&w);
}

static void lists_of_columns_are_those_of_the_rows(const DvWeightedRows *w, const Table *t)
{
    static uint32_t seen[COLUMNS];
    memset(seen, 0, sizeof seen);
    uint32_t columns = 0, used = 0;
    for (uint32_t e = 0; e < t->start[t->rows]; e++) {
        used += seen[t->column[e]]++ == 0;
        columns = columns > t->column[e] ? columns : t->column[e] + 1;
    }
    assert_int_equal(w->rows, t->rows);
    assert_int_equal(w->columns, columns);
    assert_int_equal(w->used, used);
    for (uint32_t k = 0; k < used; k++)
        assert_true(seen[w->used_column[k]] > 0 && w->place[w->used_column[k]] == k);
    for (uint32_t c = 0; c < columns; c++) {
        assert_int_equal(w->end[c] - w->begin[c], seen[c]);
        assert_true(w->end[c] <= w->limit[c] && w->limit[c] <= w->taken && w->taken <= w->entry_capacity);
        uint32_t at = w->begin[c]; /* entries of one row in its order, which is that of the sums */
        for (uint32_t i = 0; i < t->rows; i++)
            for (uint32_t e = t->start[i]; e < t->start[i + 1]; e++)
                if (t->column[e] == c) {
                    assert_true(w->entry_row[at] == i && w->entry_weight[at] == t->weight[e]);
                    at++;
                }
    }
}

/* Rows that change, come and go, many times over, so that columns grow, are used up and come again, and entries are packed. */
static void changed_rows_are_those_of_a_table_made_anew(void **state)
{
    (void)state;
    static Table t;
    DvWeightedRows w = {0};
    for (uint32_t length = 1; length <= MOST_LENGTH; length++) {
        fill(&t, 20, length, true);
        dv_weighted_rows_set(&w, t.rows, t.start, t.column, t.weight);
        uint32_t most_taken = 0;
        for (int round = 0; round < 300; round++) {
            const uint32_t before = t.rows, rows = below(3) ? before : 1 + below(ROWS), narrow = below(8) == 0;
            uint32_t changed[ROWS], count = 0;
            for (uint32_t i = 0; i < ROWS; i++)
                t.start[i + 1] = t.start[i] + length;
            t.rows = rows;
            for (uint32_t i = 0; i < (rows > before ? rows : before); i++) /* of those that go some are named, too */
                if ((i >= before && i < rows) || below(5) == 0) {
                    changed[count++] = i;
                    if (i < rows)
                        fill_row(&t, i);
                    for (uint32_t e = t.start[i]; narrow && i < rows && e < t.start[i + 1]; e++)
                        t.column[e] %= 5; /* few columns, so that the last ones cease to be used */
                }
            const uint64_t structure = w.structure;
            dv_weighted_rows_change(&w, rows, changed, count, t.column, t.weight);
            assert_true(w.structure != structure);
            lists_of_columns_are_those_of_the_rows(&w, &t);
            check_products(&w, &t, 3, 3);
            if (round % 10 == 0)
                check_jacobian(&w, &t, 3);
            most_taken = most_taken > w.taken ? most_taken : w.taken;
        }
        assert_true(most_taken <= 8 * ROWS * length + 8 * COLUMNS); /* what is left behind is packed */
    }
    dv_weighted_rows_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_table),
        cmocka_unit_test(changed_rows_are_those_of_a_table_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
