/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The block LDL^T inside: what its analysis (block_ldl_analysis.c) makes and its factorization and solution (block_ldl.c) use.
 */
#ifndef DV_SOLVERS_BLOCK_LDL_PRIVATE_H
#define DV_SOLVERS_BLOCK_LDL_PRIVATE_H

#include "block_ldl.h"
#include "dense_panel.h"
#include "zero_block.h"

#include <stdatomic.h>
#include <string.h>

/* Columns [first, first + width) of the factor, in nodes and in the order of elimination. */
typedef struct Supernode {
    uint32_t first, width;
    uint32_t below;   /* nodes below the diagonal block */
    uint32_t ld;      /* in doubles */
    uint64_t rows;    /* [below] at factor->rows + rows: ascending node positions */
    uint64_t panel;   /* [ld x width * b] at factor->panels + panel */
    uint32_t updates; /* first of its updates; those of supernode s end where those of s + 1 begin */
    uint32_t entries; /* first of its entries of A, likewise */
} Supernode;

/* Rows [begin, end) of an earlier supernode lie in the columns of the supernode that this update belongs to. */
typedef struct Update {
    uint32_t source;
    uint32_t begin, end;
} Update;

/* Where a block of A goes: an offset into its supernode's panel. */
typedef struct Entry {
    uint32_t block;
    uint32_t offset;
} Entry;

/* Consecutive rows of a product that are consecutive in the panel they are subtracted from, in doubles. */
typedef struct Run {
    uint32_t from, to, length;
} Run;

/* What one thread needs to compute a panel. */
typedef struct Scratch {
    double *product;   /* one update */
    double *packed;    /* one packed factor */
    Run *runs;         /* [largest number of rows] */
    uint32_t *row_map; /* [nodes] node position -> row of the current panel, in nodes */
    atomic_bool taken;
} Scratch;

/* Supernodes [first, last], a supernode last of all and all that are below it in the tree. */
typedef struct Subtree {
    double cost; /* multiplications */
    uint32_t first, last;
} Subtree;

enum { MAX_SCRATCH = 128 }; /* more threads than half of this wait for one another */

struct DvBlockLdl {
    const DvDenseKernels *kernels;
    uint32_t nodes, block, entries_of_a;
    uint32_t analyses;
    DvOrderNodes order_nodes; /* or NULL */
    void *order_context;
    const DvObject *owner; /* of whom it is told that there is no room for the factor; or NULL */
    bool has_no_room;      /* for the factor, as has been reported: nothing is analysed */
    uint32_t *order;       /* [nodes] node eliminated as k-th */
    uint32_t *position;    /* [nodes] its inverse */
    uint8_t *kept;         /* [entries_of_a] blocks of A that take part */
    uint32_t *dropped;     /* [dropped_count] blocks left out */
    uint32_t dropped_count;

    Supernode *supernodes; /* [supernode_count + 1], the last one holds the ends */
    uint32_t supernode_count;
    uint32_t *rows;
    Update *updates;
    Entry *entries;
    uint64_t nonzeros;
    double flops;

    double *panels;                    /* L */
    double *pivots;                    /* [nodes x b] D */
    double *inverse;                   /* [nodes x b] 1 / D */
    double *scale;                     /* [nodes x b] sizes of the diagonal entries of A, in the order of elimination */
    double *iterate, *residual, *best; /* [nodes x b + 1] of dv_block_ldl_refine */
    bool delicate;                     /* some pivot lost many digits: solutions want refinement */
    Scratch scratch[MAX_SCRATCH];
    uint32_t scratch_count;
    uint64_t product_size, packed_size, runs_size; /* of each scratch */
    uint32_t *tree;                                /* [supernode_count] parent of each, UINT32_MAX: none */
    Subtree *subtrees;    /* [supernode_count] those of all supernodes, the costly ones first */
    Subtree *shared_out;  /* [supernode_count] of a factorization by several threads: those that one thread takes */
    double *subtree_cost; /* [supernode_count] by supernode */
    double *work;         /* [work_size] a right-hand side in the order of elimination */
    double *panel_rhs;    /* the same gathered for one panel */
    uint64_t work_size;
};

/* Ordering and everything symbolic for the blocks in ldl->kept, which grows. */
void dv_block_ldl_analyse_kept(DvBlockLdl *ldl, const DvBlockMatrix *a);
void dv_block_ldl_free_analysis(DvBlockLdl *ldl);
/* Scratch for all threads. */
void dv_block_ldl_reserve_scratch(DvBlockLdl *ldl);

/* Leading dimension of a product: groups of 8 rows that start anywhere stay within a column. */
static inline uint64_t dv_product_ld(uint64_t rows)
{
    return (rows + 2 * DV_PANEL_LANES - 1) / DV_PANEL_LANES * DV_PANEL_LANES;
}

#endif
