/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows that grow, one after the other in one list, with slack between them.
 */
#include <divan/kit/ascending.h>
#include <divan/kit/rows.h>

#include <string.h>

void dv_rows_free(DvRows *table)
{
    dv_free(table->begin);
    if (table->per_row == 0)
        dv_free(table->end);
    dv_free(table->limit);
    if (!table->borrowed)
        dv_free(table->items);
    *table = (DvRows){0};
}

DvRows dv_rows_make(uint32_t count)
{
    return (DvRows){.begin = dv_alloc(count, sizeof(uint32_t)),
                    .end = dv_alloc(count, sizeof(uint32_t)),
                    .limit = dv_alloc(count, sizeof(uint32_t)),
                    .count = count,
                    .capacity = count};
}

void dv_rows_place(DvRows *table)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        table->begin[i] = table->end[i] = sum;
        sum += table->limit[i];
        table->limit[i] = sum;
    }
    table->items = dv_alloc(sum, sizeof *table->items);
    table->used = table->item_capacity = sum;
}

/* begin[i] = i x per_row for the rows from `first` on. */
static void place_constant_rows(DvRows *table, uint32_t first)
{
    for (uint32_t i = first; i <= table->capacity; i++)
        table->begin[i] = i * table->per_row;
    table->end = table->begin + 1;
}

DvRows dv_rows_of_constant_length(uint32_t *items, uint32_t count, uint32_t per_row)
{
    DvRows rows = {
        .items = items, .count = count, .per_row = per_row, .capacity = count, .item_capacity = count * per_row};
    rows.begin = dv_alloc((size_t)count + 1, sizeof(uint32_t));
    place_constant_rows(&rows, 0);
    return rows;
}

static uint32_t larger(uint32_t capacity, uint32_t need)
{
    const uint64_t twice = 2 * (uint64_t)capacity;
    return twice > UINT32_MAX ? UINT32_MAX : need > twice ? need : (uint32_t)twice;
}

static void set_capacity(DvRows *table, uint32_t capacity)
{
    const uint32_t old = table->capacity;
    const size_t extra = table->per_row > 0 ? 1 : 0, bytes = sizeof(uint32_t);
    table->capacity = capacity;
    table->begin = dv_realloc(table->begin, (old + extra) * bytes, (capacity + extra) * bytes);
    if (table->per_row > 0) {
        place_constant_rows(table, old);
        return;
    }
    table->end = dv_realloc(table->end, old * bytes, capacity * bytes);
    table->limit = dv_realloc(table->limit, old * bytes, capacity * bytes);
}

static void set_item_capacity(DvRows *table, uint32_t capacity)
{
    table->items =
        dv_realloc(table->items, table->item_capacity * sizeof *table->items, capacity * sizeof *table->items);
    table->item_capacity = capacity;
}

void dv_rows_reserve(DvRows *table)
{
    const uint32_t used = table->per_row > 0 ? table->count * table->per_row : table->used;
    if (table->capacity < table->count + table->count / 4)
        set_capacity(table, table->count + table->count / 4);
    if (!table->borrowed && table->item_capacity < used + used / 4)
        set_item_capacity(table, used + used / 4);
}

void dv_rows_append(DvRows *table, uint32_t count)
{
    const uint32_t rows = table->count + count;
    const bool constant = table->per_row > 0;
    if (rows > table->capacity)
        set_capacity(table, larger(table->capacity, rows));
    for (uint32_t i = table->count; !constant && i < rows; i++)
        table->begin[i] = table->end[i] = table->limit[i] = 0;
    const size_t first = (size_t)table->count * table->per_row, items = (size_t)rows * table->per_row;
    table->count = rows;
    if (!constant || table->borrowed)
        return;
    if (items > table->item_capacity)
        set_item_capacity(table, larger(table->item_capacity, (uint32_t)items));
    memset(table->items + first, 0xff, (items - first) * sizeof *table->items);
}

/* All rows one after the other, with slack of half their lengths. */
static void pack(DvRows *table)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < table->count; i++)
        sum += dv_rows_length(table, i) * 3 / 2;
    uint32_t *items = dv_alloc((size_t)sum, sizeof *items), at = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t length = dv_rows_length(table, i);
        memcpy(items + at, table->items + table->begin[i], length * sizeof *items);
        table->begin[i] = at;
        table->end[i] = at + length;
        table->limit[i] = at + length * 3 / 2;
        at = table->limit[i];
    }
    dv_free(table->items);
    table->items = items;
    table->used = table->item_capacity = at;
    table->lost = 0;
}

void dv_rows_enlarge(DvRows *table, uint32_t row)
{
    const uint32_t length = dv_rows_length(table, row);
    const uint32_t typical = table->count ? (table->used - table->lost) / table->count + 1 : 1; /* place of a row */
    const uint32_t want = 2 * length > typical ? 2 * length : typical;
    if (table->lost > table->used / 2 && table->lost > 1024) {
        pack(table);
        if (table->end[row] < table->limit[row])
            return;
    }
    if (table->used + (uint64_t)want > table->item_capacity)
        set_item_capacity(table, larger(table->item_capacity, table->used + want));
    memcpy(table->items + table->used, table->items + table->begin[row], length * sizeof *table->items);
    table->lost += table->limit[row] - table->begin[row];
    table->begin[row] = table->used;
    table->end[row] = table->used + length;
    table->used += want;
    table->limit[row] = table->used;
}

void dv_rows_remove_item(DvRows *table, uint32_t row, uint32_t item)
{
    uint32_t at = table->begin[row];
    const uint32_t end = table->end[row];
    while (at < end && table->items[at] != item)
        at++;
    if (at == end)
        return;
    memmove(table->items + at, table->items + at + 1, (end - at - 1) * sizeof *table->items);
    table->end[row]--;
}

void dv_rows_remove(DvRows *table, uint32_t row)
{
    const uint32_t last = --table->count, per_row = table->per_row;
    if (per_row > 0) {
        if (!table->borrowed && row != last)
            memcpy(table->items + (size_t)row * per_row, table->items + (size_t)last * per_row,
                   per_row * sizeof *table->items);
        return;
    }
    table->lost += table->limit[row] - table->begin[row];
    table->begin[row] = table->begin[last];
    table->end[row] = table->end[last];
    table->limit[row] = table->limit[last];
}

/* Equal ones are passed, so that, where several of the last entries have become the same, as many calls move them all. */
void dv_rows_settle_last(DvRows *table, uint32_t row)
{
    if (table->begin[row] == table->end[row])
        return;
    uint32_t *items = table->items + table->begin[row], last = dv_rows_length(table, row) - 1;
    const uint32_t moved = items[last];
    const uint32_t place = dv_ascending_place(items, last, moved);
    memmove(items + place + 1, items + place, (last - place) * sizeof *items);
    items[place] = moved;
}
