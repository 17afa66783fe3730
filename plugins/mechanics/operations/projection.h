/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices on mapped states, and their projection to the independent states they follow from.
 */
#ifndef DIVAN_MECHANICS_PROJECTION_H
#define DIVAN_MECHANICS_PROJECTION_H

#include <divan/kit/array.h>

#include "jacobians.h"
#include "mechanics.h"
#include "sparse_rows.h"

/* The blocks of the global matrix. */
typedef struct Blocks {
    const DvMechanics *m;
    uint32_t block;              /* scalars of a block */
    const uint32_t *first_block; /* by slot: block row of the first point of an independent state */
    Rows rows;
    double *values;
} Blocks;

/* Names entries of the global matrix while its structure changes: the entry, whose number is only lasting after the change. */
typedef uint32_t (*NameEntry)(void *context, uint32_t row, uint32_t column);

static inline uint32_t blocks_per_point(const Blocks *blocks, uint32_t state)
{
    return blocks->m->states[state].ref.dof->deriv / blocks->block;
}

static inline uint32_t block_row(const Blocks *blocks, uint32_t state, uint32_t point)
{
    return blocks->first_block[state] + point * blocks_per_point(blocks, state);
}

/* += factor x dense (rows x columns, multiples of a block) at consecutive slots, block rows first. */
static inline void blocks_add(double *values, uint32_t block, const uint32_t *slots, const double *dense, uint32_t rows,
                              uint32_t columns, double factor)
{
    for (uint32_t r = 0; r < rows; r += block)
        for (uint32_t c = 0; c < columns; c += block) {
            double *at = values + (size_t)*slots++ * block * block;
            for (uint32_t i = 0; i < block; i++)
                for (uint32_t j = 0; j < block; j++)
                    at[i * block + j] += factor * dense[(r + i) * columns + c + j];
        }
}

/* Who has couplings in a Local: a contribution of the assembly, and which pair of its states. */
typedef struct LocalUser {
    uint32_t contribution, target;
} LocalUser;

/* The couplings of two states of which at least one is mapped. */
typedef struct Local {
    uint32_t a, b; /* slots of states */
    DV_ARRAY(LocalUser) users;
    bool dirty;         /* its structure is to be made anew */
    Rows rows;          /* points of a, of b */
    double *values;     /* [pairs] x deriv_a x deriv_b */
    size_t *first_slot; /* [pairs] where the products of a pair begin in `slots` */
    uint32_t *slots;    /* global slots of the products, several where a block is smaller than one */
    size_t slot_count, value_capacity, first_capacity, slot_capacity;
} Local;

/* Structure from the couplings, named as often as it comes; the entries of its products are named in `slots`. */
void local_make(Local *local, const Pairs *couplings, const Blocks *blocks, const Jacobians *jacobians, Sorter *sorter,
                NameEntry name, void *context);
void local_free(Local *local);

/* Values. */
void local_clear(Local *local, const DvMechanics *m);
void local_project(const Local *local, const Blocks *blocks, const Jacobians *jacobians);

#endif
