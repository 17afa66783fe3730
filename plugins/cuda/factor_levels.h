/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A factor L D L^T as rows that a device takes level by level. A panel is on a level above all panels that reach its rows, so the nodes of
 * a level, which follow each other in the order of levels, need none of each other but within their panel; and the square of a panel is
 * inverted, so that these need none either:
 *
 *   forward    t = b - (rows of L from earlier levels) y,   y = t + (inverse of the square - 1) t
 *   backward   t = y / D - (rows of L^T from later levels) x,   x = t + (its transpose - 1) t
 */
#ifndef DIVAN_CUDA_FACTOR_LEVELS_H
#define DIVAN_CUDA_FACTOR_LEVELS_H

#include <divan/contracts/operator.h>

enum { PANEL_NUMBERS = 5 }; /* of a row of the part "panel" */

/* Rows by place in the order of levels: what each of the four products reads, in blocks of numbers x numbers. */
typedef enum FactorPart { FACTOR_FORWARD, FACTOR_OWN, FACTOR_BACKWARD, FACTOR_OWN_BACK, FACTOR_PARTS } FactorPart;
typedef struct FactorRows {
    uint32_t *begin;  /* [nodes + 1] entries */
    uint32_t *column; /* [entries] places */
    uint32_t *source; /* [entries] of the backward ones: the entry of which each is the transpose */
} FactorRows;

typedef struct FactorLevels {
    uint32_t nodes, numbers, levels, panels;
    uint32_t *first; /* [levels + 1] */
    uint32_t *place; /* [nodes] of the k-th node eliminated */
    FactorRows rows[FACTOR_PARTS];
} FactorLevels;

/* Of the parts of an operator "factor"; false: they do not fit each other, with the reason. */
bool factor_levels_find(FactorLevels *levels, const DvOperator *op, DvText *why);
void factor_levels_free(FactorLevels *levels);
/* The blocks of the forward rows and of the squares. */
void factor_levels_values(const FactorLevels *levels, const DvOperator *op, double *forward, double *own);

static inline uint32_t factor_entries(const FactorLevels *levels, FactorPart part)
{
    return levels->rows[part].begin[levels->nodes];
}

#endif
