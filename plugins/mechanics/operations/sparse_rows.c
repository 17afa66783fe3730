/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows from pairs: sorted by counting, first by column, then (stable) by row, then made unique. A few pairs are sorted by
 * insertion, which does not look at all rows.
 */
#include "sparse_rows.h"

#include <string.h>

enum { FEW = 32 };

void pairs_add(Pairs *pairs, uint32_t row, uint32_t column)
{
    if (pairs->count == pairs->capacity) {
        const size_t more = pairs->capacity ? 2 * pairs->capacity : 64;
        pairs->row = dv_realloc(pairs->row, pairs->capacity * sizeof(uint32_t), more * sizeof(uint32_t));
        pairs->column = dv_realloc(pairs->column, pairs->capacity * sizeof(uint32_t), more * sizeof(uint32_t));
        pairs->capacity = more;
    }
    pairs->row[pairs->count] = row;
    pairs->column[pairs->count++] = column;
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

uint32_t rows_find(const Rows *rows, uint32_t row, uint32_t column)
{
    uint32_t low = rows->start[row];
    const uint32_t end = rows->start[row + 1];
    uint32_t high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (rows->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && rows->columns[low] == column ? low : UINT32_MAX;
}
