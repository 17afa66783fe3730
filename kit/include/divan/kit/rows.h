/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of numbers that grow and shrink: what lies around each point, who uses each item. All rows lie in one list, with slack: one that
 * outgrows its place moves to the end of the list, where it gets twice the place; when more than half of the list is place that nobody
 * uses, all rows are packed again. So a change costs what it touches, on average over many.
 *
 * Rows of constant length are the same to whoever reads them, and have no slack.
 *
 * All functions: [any]; one thread at a time changes a table. Numbers of rows and items are below 2^32, as all element numbers are.
 */
#ifndef DIVAN_KIT_ROWS_H
#define DIVAN_KIT_ROWS_H

#include <divan/memory.h>

DV_BEGIN_DECLS

/* Row i: items[begin[i]] .. items[end[i] - 1]. Rows may lie anywhere in the list. All zero: no rows. */
typedef struct DvRows {
    uint32_t *begin, *end; /* [count]; rows of constant length: end is begin + 1 */
    uint32_t *items;
    uint32_t count;
    uint32_t per_row;       /* rows of constant length: that; 0: each has its own */
    uint32_t *limit;        /* [count] where the place of a row ends; NULL for constant length */
    uint32_t capacity;      /* of rows */
    uint32_t used;          /* items that belong to the place of some row, or did */
    uint32_t lost;          /* of these: of rows that have moved or gone */
    uint32_t item_capacity; /* of items */
    bool borrowed;          /* the items belong to somebody else */
} DvRows;

/* `count` empty rows without places; a table is freed by dv_rows_free. To fill it, add the length of each row to `limit` of the row, and
 * then call dv_rows_place, which turns lengths into places; the rows are empty still, and items are put at items[end[row]++]. */
DV_PUBLIC DvRows dv_rows_make(uint32_t count);
DV_PUBLIC void dv_rows_place(DvRows *table);
/* Rows of constant length: takes the items, count x per_row. */
DV_PUBLIC DvRows dv_rows_of_constant_length(uint32_t *items, uint32_t count, uint32_t per_row);
DV_PUBLIC void dv_rows_free(DvRows *table);

static inline uint32_t dv_rows_length(const DvRows *table, uint32_t row)
{
    return table->end[row] - table->begin[row];
}
/* Moves a row to where there is a place for more. */
DV_PUBLIC void dv_rows_enlarge(DvRows *table, uint32_t row);
/* One item more at the end of a row. */
static inline void dv_rows_push(DvRows *table, uint32_t row, uint32_t item)
{
    if (table->end[row] == table->limit[row])
        dv_rows_enlarge(table, row);
    table->items[table->end[row]++] = item;
}
/* Takes the first of the entries `item` out of a row; the others keep their order. Nothing if there is none. */
DV_PUBLIC void dv_rows_remove_item(DvRows *table, uint32_t row, uint32_t item);
/* The row is ascending again, after its last entry has come or become another one. */
DV_PUBLIC void dv_rows_settle_last(DvRows *table, uint32_t row);
/* Empty rows at the end; those of constant length hold UINT32_MAX. */
DV_PUBLIC void dv_rows_append(DvRows *table, uint32_t count);
/* The last row becomes row `row`. */
DV_PUBLIC void dv_rows_remove(DvRows *table, uint32_t row);
/* Capacity for a quarter more of rows and items. */
DV_PUBLIC void dv_rows_reserve(DvRows *table);

DV_END_DECLS
#endif
