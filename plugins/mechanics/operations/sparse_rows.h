/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows: which columns a row of a sparse matrix has, made from pairs in any order. All arrays grow and are kept.
 */
#ifndef DIVAN_MECHANICS_SPARSE_ROWS_H
#define DIVAN_MECHANICS_SPARSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <divan/memory.h>

/* An array with room for `count` elements; what was in it is lost when it has to grow. */
static inline void *with_room(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return array;
    dv_free(array);
    *capacity = count + count / 2;
    return dv_alloc(*capacity, size);
}

#define WITH_ROOM(array, capacity, count) ((array) = with_room((array), &(capacity), (count), sizeof *(array)))

/* Pairs to come; the same one may come many times. Zero-initialise. */
typedef struct Pairs {
    uint32_t *row, *column; /* [count] */
    size_t count, capacity;
} Pairs;

void pairs_make_room(Pairs *pairs, size_t more); /* for so many more than there are */
static inline void pairs_add(Pairs *pairs, uint32_t row, uint32_t column)
{
    if (pairs->count == pairs->capacity)
        pairs_make_room(pairs, 1);
    pairs->row[pairs->count] = row;
    pairs->column[pairs->count++] = column;
}
void pairs_free(Pairs *pairs);

/* What sorting needs. Zero-initialise. */
typedef struct Sorter {
    uint32_t *order, *other;
    size_t *next;
    size_t order_capacity, other_capacity, next_capacity;
} Sorter;

void sorter_free(Sorter *sorter);

/* Numbers of the pairs by row, those of a row by column, equal ones as they came. Belongs to the sorter. */
const uint32_t *pairs_sort(const Pairs *pairs, uint32_t rows, uint32_t columns, Sorter *sorter);

typedef struct Rows {
    uint32_t count;
    uint32_t *start;   /* [count + 1] */
    uint32_t *columns; /* [start[count]] ascending within a row, each once */
    size_t start_capacity, column_capacity;
} Rows;

void rows_make(Rows *rows, uint32_t count, uint32_t columns, const Pairs *pairs, Sorter *sorter);
void rows_free(Rows *rows);
/* Where the mirror image of each entry is, in rows that have them all. False: they do not, or have an entry twice.
 * next: [count] scratch */
bool rows_transpose(const Rows *rows, uint32_t *next, uint32_t *transposed);

/* Row after row, not one after a later one. */
bool pairs_come_by_rows(const Pairs *pairs);
/* A symmetric pattern with a diagonal, from such pairs of different rows, each of which comes once, and so does its mirror image. False: they
 * do not.     next: [count]; transposed, uses: [count + pairs], those of the diagonal are left alone; diagonal: [count]; number: [pairs] the
 * entry that each has named. rows has room for them. */
bool mirrored_rows_make(const Pairs *pairs, uint32_t count, uint32_t *next, Rows *rows, uint32_t *transposed,
                        uint32_t *uses, uint32_t *diagonal, uint32_t *number);

/* The part above the diagonal of a symmetric pattern, from pairs of different rows, named in any order and from either side. All arrays
 * grow and are kept. */
typedef struct UpperRows {
    uint32_t rows;
    uint32_t *start;         /* [rows + 1] */
    uint32_t *column, *uses; /* [start[rows]] ascending within a row, each once; by how many pairs it is named */
    uint32_t *of;            /* [pairs] where each is among them */
    uint32_t *last, *place, *next, *entry;
    size_t start_capacity, column_capacity, uses_capacity, of_capacity, last_capacity, place_capacity, next_capacity,
        entry_capacity;
} UpperRows;

void upper_rows_make(UpperRows *upper, uint32_t rows, const Pairs *pairs, Sorter *sorter);
/* The whole pattern, with a diagonal.     transposed, uses: [rows->start[rows]], those of the diagonal are left alone; diagonal: [rows];
 * number: [pairs] the entry that each has named. rows has room for the diagonal and twice what is above it. */
void upper_rows_unfold(UpperRows *upper, const Pairs *pairs, Rows *rows, uint32_t *transposed, uint32_t *uses,
                       uint32_t *diagonal, uint32_t *number);
void upper_rows_free(UpperRows *upper);

/* Where a pair is; UINT32_MAX when it is not there. */
uint32_t rows_find(const Rows *rows, uint32_t row, uint32_t column);

#endif
