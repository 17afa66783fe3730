/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compressed rows: which columns a row of a sparse matrix has, made from pairs in any order.
 */
#ifndef DIVAN_MECHANICS_SPARSE_ROWS_H
#define DIVAN_MECHANICS_SPARSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pairs to come; the same one may come many times. Zero-initialise. */
typedef struct Pairs {
    uint32_t *row, *column; /* [count] */
    size_t count, capacity;
} Pairs;

void pairs_add(Pairs *pairs, uint32_t row, uint32_t column);
void pairs_free(Pairs *pairs);

typedef struct Rows {
    uint32_t count;
    uint32_t *start;   /* [count + 1] */
    uint32_t *columns; /* [start[count]] ascending within a row, each once */
} Rows;

/* With `symmetric`, the transposed pairs and the diagonal too. */
Rows rows_from_pairs(uint32_t count, const Pairs *pairs, bool symmetric);
void rows_free(Rows *rows);

/* Where a pair is; it must be there. */
uint32_t rows_find(const Rows *rows, uint32_t row, uint32_t column);

#endif
