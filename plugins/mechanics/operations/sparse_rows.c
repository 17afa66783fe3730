/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows from pairs: sorted by counting, first by column, then (stable) by row, then made unique. A few pairs are sorted by
 * insertion, which does not look at all rows. Those of a symmetric pattern are gathered by their smaller row, made unique by a mark at
 * each column, and written to both sides.
 */
#include "sparse_rows.h"

#include <divan/kit/ascending.h>

#include <string.h>

enum { FEW = 32 };

void pairs_make_room(Pairs *pairs, size_t more)
{
    if (pairs->count + more <= pairs->capacity)
        return;
    const size_t twice = pairs->capacity ? 2 * pairs->capacity : 64;
    const size_t room = pairs->count + more > twice ? pairs->count + more : twice;
    pairs->row = dv_realloc(pairs->row, pairs->capacity * sizeof(uint32_t), room * sizeof(uint32_t));
    pairs->column = dv_realloc(pairs->column, pairs->capacity * sizeof(uint32_t), room * sizeof(uint32_t));
    pairs->capacity = room;
}

void pairs_free(Pairs *pairs)
{
    dv_free(pairs->row);
    dv_free(pairs->column);
    *pairs = (Pairs){0};
}

void sorter_free(Sorter *sorter)
{
    dv_free(sorter->order);
    dv_free(sorter->other);
    dv_free(sorter->next);
    *sorter = (Sorter){0};
}

/* to = from in the order of `key`, those of one key in the order they had. */
static void sort_by(const uint32_t *key, uint32_t keys, const uint32_t *from, uint32_t *to, size_t count,
                    Sorter *sorter)
{
    WITH_ROOM(sorter->next, sorter->next_capacity, (size_t)keys + 1);
    size_t *next = sorter->next;
    memset(next, 0, ((size_t)keys + 1) * sizeof *next);
    for (size_t i = 0; i < count; i++)
        next[key[i] + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (size_t i = 0; i < count; i++) {
        const uint32_t which = from ? from[i] : (uint32_t)i;
        to[next[key[which]]++] = which;
    }
}

const uint32_t *pairs_sort(const Pairs *pairs, uint32_t rows, uint32_t columns, Sorter *sorter)
{
    WITH_ROOM(sorter->order, sorter->order_capacity, pairs->count);
    if (pairs->count > FEW) {
        WITH_ROOM(sorter->other, sorter->other_capacity, pairs->count);
        sort_by(pairs->column, columns, NULL, sorter->other, pairs->count, sorter);
        sort_by(pairs->row, rows, sorter->other, sorter->order, pairs->count, sorter);
        return sorter->order;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t place = i;
        for (; place > 0; place--) {
            const uint32_t before = sorter->order[place - 1];
            if (pairs->row[before] < pairs->row[i] ||
                (pairs->row[before] == pairs->row[i] && pairs->column[before] <= pairs->column[i]))
                break;
            sorter->order[place] = before;
        }
        sorter->order[place] = i;
    }
    return sorter->order;
}

void rows_make(Rows *rows, uint32_t count, uint32_t columns, const Pairs *pairs, Sorter *sorter)
{
    const uint32_t *order = pairs_sort(pairs, count, columns, sorter);
    rows->count = count;
    WITH_ROOM(rows->start, rows->start_capacity, (size_t)count + 1);
    WITH_ROOM(rows->columns, rows->column_capacity, pairs->count);
    uint32_t kept = 0, row = 0;
    rows->start[0] = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const uint32_t r = pairs->row[order[i]], c = pairs->column[order[i]];
        while (row < r)
            rows->start[++row] = kept;
        if (kept == rows->start[row] || rows->columns[kept - 1] != c)
            rows->columns[kept++] = c;
    }
    while (row < count)
        rows->start[++row] = kept;
}

void rows_free(Rows *rows)
{
    dv_free(rows->start);
    dv_free(rows->columns);
    *rows = (Rows){0};
}

bool rows_transpose(const Rows *rows, uint32_t *next, uint32_t *transposed)
{
    bool ascending = true;
    if (rows->count)
        memcpy(next, rows->start, rows->count * sizeof *next);
    for (uint32_t row = 0; row < rows->count; row++) {
        uint32_t least = 0;
        for (uint32_t e = rows->start[row]; e < rows->start[row + 1]; e++) {
            const uint32_t column = rows->columns[e];
            ascending &= column >= least;
            least = column + 1;
            transposed[e] = next[column]++;
        }
    }
    for (uint32_t row = 0; row < rows->count; row++)
        ascending &= next[row] == rows->start[row + 1];
    return ascending;
}

bool pairs_come_by_rows(const Pairs *pairs)
{
    for (size_t k = 1; k < pairs->count; k++)
        if (pairs->row[k] < pairs->row[k - 1])
            return false;
    return true;
}

bool mirrored_rows_make(const Pairs *pairs, uint32_t count, uint32_t *next, Rows *rows, uint32_t *transposed,
                        uint32_t *uses, uint32_t *diagonal, uint32_t *number)
{
    rows->count = count;
    memset(rows->start, 0, ((size_t)count + 1) * sizeof *rows->start);
    for (size_t k = 0; k < pairs->count; k++)
        rows->start[pairs->column[k] + 1]++;
    for (uint32_t row = 0; row < count; row++) {
        next[row] = rows->start[row];
        rows->start[row + 1] += rows->start[row] + 1;
    }
    size_t k = 0;
    for (uint32_t row = 0; row < count; row++) { /* what comes to a column, in its order, is the row of that number */
        diagonal[row] = next[row]++;
        rows->columns[diagonal[row]] = row;
        for (; k < pairs->count && pairs->row[k] == row; k++) {
            number[k] = next[pairs->column[k]]++;
            rows->columns[number[k]] = row;
        }
    }
    if (!rows_transpose(rows, next, transposed))
        return false;
    for (k = 0; k < pairs->count; k++) {
        number[k] = transposed[number[k]];
        if (rows->columns[number[k]] != pairs->column[k])
            return false;
        uses[number[k]] = 2; /* by its mirror image as well */
    }
    return true;
}

static uint32_t smaller_of(const Pairs *pairs, size_t k)
{
    return pairs->row[k] < pairs->column[k] ? pairs->row[k] : pairs->column[k];
}

static uint32_t larger_of(const Pairs *pairs, size_t k)
{
    return pairs->row[k] < pairs->column[k] ? pairs->column[k] : pairs->row[k];
}

static void sort_few(uint32_t *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t number = at[i];
        uint32_t place = i;
        for (; place > 0 && at[place - 1] > number; place--)
            at[place] = at[place - 1];
        at[place] = number;
    }
}

/* Numbers of the pairs by their smaller row; those of row r end at next[r]. */
static const uint32_t *gather_by_smaller(UpperRows *upper, const Pairs *pairs, Sorter *sorter)
{
    WITH_ROOM(sorter->order, sorter->order_capacity, pairs->count);
    WITH_ROOM(upper->next, upper->next_capacity, (size_t)upper->rows + 1);
    memset(upper->next, 0, ((size_t)upper->rows + 1) * sizeof *upper->next);
    for (size_t k = 0; k < pairs->count; k++)
        upper->next[smaller_of(pairs, k) + 1]++;
    for (uint32_t row = 0; row < upper->rows; row++)
        upper->next[row + 1] += upper->next[row];
    for (size_t k = 0; k < pairs->count; k++)
        sorter->order[upper->next[smaller_of(pairs, k)]++] = (uint32_t)k;
    return sorter->order;
}

void upper_rows_make(UpperRows *upper, uint32_t rows, const Pairs *pairs, Sorter *sorter)
{
    upper->rows = rows;
    WITH_ROOM(upper->start, upper->start_capacity, (size_t)rows + 1);
    WITH_ROOM(upper->last, upper->last_capacity, rows);
    WITH_ROOM(upper->place, upper->place_capacity, rows);
    WITH_ROOM(upper->column, upper->column_capacity, pairs->count);
    WITH_ROOM(upper->uses, upper->uses_capacity, pairs->count);
    WITH_ROOM(upper->of, upper->of_capacity, pairs->count);
    const uint32_t *order = gather_by_smaller(upper, pairs, sorter);
    memset(upper->last, 0, rows * sizeof *upper->last); /* one more than the row that has had the column last */
    uint32_t count = 0, begin = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t first = upper->start[row] = count, end = upper->next[row];
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t column = larger_of(pairs, order[i]);
            if (upper->last[column] == row + 1)
                continue;
            upper->last[column] = row + 1;
            upper->column[count++] = column;
        }
        sort_few(upper->column + first, count - first);
        for (uint32_t at = first; at < count; at++) {
            upper->place[upper->column[at]] = at;
            upper->uses[at] = 0;
        }
        for (; begin < end; begin++) {
            const uint32_t at = upper->place[larger_of(pairs, order[begin])];
            upper->of[order[begin]] = at;
            upper->uses[at]++;
        }
    }
    upper->start[rows] = count;
}

void upper_rows_unfold(UpperRows *upper, const Pairs *pairs, Rows *rows, uint32_t *transposed, uint32_t *uses,
                       uint32_t *diagonal, uint32_t *number)
{
    const uint32_t count = upper->rows, above = upper->start[count];
    uint32_t *next = upper->next;
    WITH_ROOM(upper->entry, upper->entry_capacity, above);
    memset(next, 0, ((size_t)count + 1) * sizeof *next);
    for (uint32_t at = 0; at < above; at++)
        next[upper->column[at]]++;
    rows->count = count;
    rows->start[0] = 0;
    for (uint32_t row = 0; row < count; row++) {
        rows->start[row + 1] = rows->start[row] + next[row] + 1 + upper->start[row + 1] - upper->start[row];
        next[row] = rows->start[row];
    }
    for (uint32_t row = 0; row < count; row++) { /* what is before its diagonal has been written by the rows before */
        uint32_t entry = diagonal[row] = next[row];
        rows->columns[entry] = row;
        transposed[entry] = entry;
        for (uint32_t at = upper->start[row]; at < upper->start[row + 1]; at++) {
            const uint32_t mirror = next[upper->column[at]]++;
            upper->entry[at] = ++entry;
            rows->columns[entry] = upper->column[at];
            rows->columns[mirror] = row;
            transposed[entry] = mirror;
            transposed[mirror] = entry;
            uses[entry] = uses[mirror] = upper->uses[at];
        }
    }
    for (size_t k = 0; k < pairs->count; k++) {
        const uint32_t entry = upper->entry[upper->of[k]];
        number[k] = pairs->row[k] < pairs->column[k] ? entry : transposed[entry];
    }
}

void upper_rows_free(UpperRows *upper)
{
    uint32_t *arrays[] = {upper->start, upper->column, upper->uses, upper->of,
                          upper->last,  upper->place,  upper->next, upper->entry};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    *upper = (UpperRows){0};
}

uint32_t rows_find(const Rows *rows, uint32_t row, uint32_t column)
{
    const uint32_t start = rows->start[row], end = rows->start[row + 1];
    const uint32_t at = start + dv_ascending_place(rows->columns + start, end - start, column);
    return at < end && rows->columns[at] == column ? at : UINT32_MAX;
}
