/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows from pairs: sorted by counting, first by column, then (stable) by row, then made unique.
 */
#include "sparse_rows.h"

#include <assert.h>

#include <divan/memory.h>

void pairs_add(Pairs *pairs, uint32_t row, uint32_t column)
{
    if (pairs->count == pairs->capacity) {
        const size_t more = pairs->capacity ? 2 * pairs->capacity : 256;
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

/* The pairs in the order of `key`, those of one key in the order they had. */
static Pairs sort_by(const Pairs *pairs, const uint32_t *key, uint32_t keys)
{
    size_t *next = dv_alloc((size_t)keys + 1, sizeof *next);
    for (size_t i = 0; i < pairs->count; i++)
        next[key[i] + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        next[k + 1] += next[k];
    Pairs sorted = {dv_alloc(pairs->count, sizeof(uint32_t)), dv_alloc(pairs->count, sizeof(uint32_t)), pairs->count,
                    pairs->count};
    for (size_t i = 0; i < pairs->count; i++) {
        const size_t at = next[key[i]]++;
        sorted.row[at] = pairs->row[i];
        sorted.column[at] = pairs->column[i];
    }
    dv_free(next);
    return sorted;
}

Rows rows_from_pairs(uint32_t count, const Pairs *given, bool symmetric)
{
    Pairs pairs = {0};
    uint32_t columns = count;
    for (size_t i = 0; i < given->count; i++) {
        pairs_add(&pairs, given->row[i], given->column[i]);
        if (symmetric)
            pairs_add(&pairs, given->column[i], given->row[i]);
        columns = given->column[i] >= columns ? given->column[i] + 1 : columns;
    }
    for (uint32_t i = 0; symmetric && i < count; i++)
        pairs_add(&pairs, i, i);
    Pairs by_column = sort_by(&pairs, pairs.column, columns);
    pairs_free(&pairs);
    Pairs sorted = sort_by(&by_column, by_column.row, count);
    pairs_free(&by_column);

    Rows rows = {count, dv_alloc((size_t)count + 1, sizeof(uint32_t)), dv_alloc(sorted.count, sizeof(uint32_t))};
    uint32_t kept = 0;
    for (size_t i = 0; i < sorted.count; i++) {
        if (i > 0 && sorted.row[i] == sorted.row[i - 1] && sorted.column[i] == sorted.column[i - 1])
            continue;
        rows.columns[kept++] = sorted.column[i];
        rows.start[sorted.row[i] + 1] = kept;
    }
    for (uint32_t i = 0; i < count; i++)
        if (rows.start[i + 1] < rows.start[i])
            rows.start[i + 1] = rows.start[i];
    pairs_free(&sorted);
    return rows;
}

void rows_free(Rows *rows)
{
    dv_free(rows->start);
    dv_free(rows->columns);
    *rows = (Rows){0};
}

uint32_t rows_find(const Rows *rows, uint32_t row, uint32_t column)
{
    uint32_t low = rows->start[row], high = rows->start[row + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (rows->columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    assert(low < rows->start[row + 1] && rows->columns[low] == column);
    return low;
}
