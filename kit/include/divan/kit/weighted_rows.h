/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points as weighted sums of other points: the sparse matrix of barycentric mappings and of others that are linear.
 *
 * Row i holds the points that output point i hangs on, and their weights, in the order in which they are summed. The transposed
 * matrix is kept as well, by column and with ascending rows: both products gather, so each output is written by one thread and its
 * sum does not depend on how many there are. Some rows are changed in time with these: a column that outgrows its place moves to the end of
 * the entries, and all are packed when half of these belong to nobody.
 */
#ifndef DIVAN_KIT_WEIGHTED_ROWS_H
#define DIVAN_KIT_WEIGHTED_ROWS_H

#include <divan/contracts/operator.h>
#include <divan/kit/mapping.h>

DV_BEGIN_DECLS

typedef struct DvWeightedRows {
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
    uint32_t *limit; /* [columns] where the place of a column ends */
    uint32_t row_capacity, column_capacity, entry_capacity, taken, lost;
} DvWeightedRows;

/* Copies the rows and transposes them.     row_start: rows + 1, column and weight: row_start[rows]     [step] */
DV_PUBLIC void dv_weighted_rows_set(DvWeightedRows *w, uint32_t rows, const uint32_t *row_start, const uint32_t *column,
                                    const double *weight);
/* Where all rows have one length: there are `rows` from now on, and those of `changed` (ascending, each once; all beyond the rows of before
 * among them) are what the lists of all rows say now.     [step] */
DV_PUBLIC void dv_weighted_rows_change(DvWeightedRows *w, uint32_t rows, const uint32_t *changed, uint32_t count,
                                       const uint32_t *column, const double *weight);
DV_PUBLIC void dv_weighted_rows_free(DvWeightedRows *w);

/* Products.     [step]     Vectors: at least `columns` and `rows` points.
 *
 * The first three components: out_i = sum_j w_ij in_j. Others of out are left alone; empty rows too, unless they are to be cleared. */
DV_PUBLIC void dv_weighted_rows_gather(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out,
                                       bool clear_empty);
/* in_j += sum_i w_ij out_i. */
DV_PUBLIC void dv_weighted_rows_scatter(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in);
/* The same of some rows, ascending; the other rows of out are left alone, or taken for zero. */
DV_PUBLIC void dv_weighted_rows_gather_at(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out,
                                          const uint32_t *rows, uint32_t count);
DV_PUBLIC void dv_weighted_rows_scatter_at(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in,
                                           const uint32_t *rows, uint32_t count);
/* Of any number of first components: out_i += sum_j w_ij in_j, and in_j += sum_i w_ij out_i. */
DV_PUBLIC void dv_weighted_rows_add(const DvWeightedRows *w, const DvConstVec *in, const DvVec *out,
                                    uint32_t components);
DV_PUBLIC void dv_weighted_rows_add_transposed(const DvWeightedRows *w, const DvConstVec *out, const DvVec *in,
                                               uint32_t components);

/* Its blocks: w_ij in the first `components` diagonal entries of deriv_out x deriv_in. Entries of a row on the same point are one block.
 * Belongs to the rows; valid until the next call.     [step] */
DV_PUBLIC DvJacobian *dv_weighted_rows_jacobian(DvWeightedRows *w, uint32_t deriv_out, uint32_t deriv_in,
                                                uint32_t components, uint32_t columns);

/* The operator "weighted rows" of them, until they change; `clears`: rows without entries have no velocity, else they keep theirs.     [step] */
DV_PUBLIC void dv_weighted_rows_describe(const DvWeightedRows *w, bool clears, DvOperator *out);

DV_END_DECLS
#endif
