/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points as weighted sums of other points: the sparse matrix of barycentric mappings.
 *
 * Row i holds the points that output point i hangs on, and their weights, in the order in which they are summed. The transposed
 * matrix is kept as well, by column and with ascending rows: both products gather, so each output is written by one thread and its
 * sum does not depend on how many there are. Some rows are changed in time with these: a column that outgrows its room moves to the end of
 * the entries, and all are packed when half of these belong to nobody.
 */
#ifndef DIVAN_MECHANICS_WEIGHTED_ROWS_H
#define DIVAN_MECHANICS_WEIGHTED_ROWS_H

#include <divan/contracts/mapping.h>

typedef struct WeightedRows {
    uint32_t rows;         /* output points */
    uint32_t columns;      /* one more than the largest input point named */
    uint32_t *row_start;   /* [rows + 1] */
    uint32_t *column;      /* [row_start[rows]] input point */
    double *weight;        /* [row_start[rows]] */
    uint32_t row_length;   /* of every row, or 0 when they differ */
    uint32_t used;         /* input points that some row names */
    uint32_t *used_column; /* [used] which, in any order */
    uint32_t *place;       /* [columns] of a column that is used, where it is there */
    uint32_t *begin, *end; /* [columns] entries of each column, by ascending rows */
    uint32_t *entry_row;
    double *entry_weight;
    DvJacobian jacobian; /* made when asked for */
    uint64_t structure;  /* + 1 with each change */
    /* Of its own. */
    uint32_t *limit; /* [columns] where the room of a column ends */
    uint32_t row_room, column_room, entry_room, taken, lost;
} WeightedRows;

/* Copies the rows and transposes them.     row_start: rows + 1, column and weight: row_start[rows] */
void weighted_rows_set(WeightedRows *w, uint32_t rows, const uint32_t *row_start, const uint32_t *column,
                       const double *weight);
/* Where all rows have one length: there are `rows` from now on, and those of `changed` (ascending, each once; all beyond the rows of before
 * among them) are what the lists of all rows say now. */
void weighted_rows_change(WeightedRows *w, uint32_t rows, const uint32_t *changed, uint32_t count,
                          const uint32_t *column, const double *weight);
void weighted_rows_free(WeightedRows *w);

/* The first three components: out_i = sum_j w_ij in_j. Others of out are left alone; empty rows too, unless they are to be cleared.
 * Vectors: at least `columns` and `rows` points. */
void weighted_rows_gather(const WeightedRows *w, const DvConstVec *in, const DvVec *out, bool clear_empty);
/* in_j += sum_i w_ij out_i. */
void weighted_rows_scatter(const WeightedRows *w, const DvConstVec *out, const DvVec *in);
/* The same of some rows, ascending; the other rows of out are left alone, or taken for zero. */
void weighted_rows_gather_at(const WeightedRows *w, const DvConstVec *in, const DvVec *out, const uint32_t *rows,
                             uint32_t count);
void weighted_rows_scatter_at(const WeightedRows *w, const DvConstVec *out, const DvVec *in, const uint32_t *rows,
                              uint32_t count);

/* Its blocks: w_ij in the first three diagonal entries of deriv_out x 3. Entries of a row on the same point are one block. */
DvJacobian *weighted_rows_jacobian(WeightedRows *w, uint32_t deriv_out, uint32_t columns);

#endif
