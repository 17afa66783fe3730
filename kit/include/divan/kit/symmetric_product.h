/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with a symmetric matrix of 3 x 3 or 2 x 2 blocks by its diagonal and what is above: half of the bytes, for matrices that stay in
 * the caches and are multiplied often. Beyond the caches solvers multiply without a matrix where they may.
 *
 * A 3 x 3 block is three rows of four numbers, a 2 x 2 block is one, points of y are too, so that its loads and stores are of one
 * size, at its multiples. A block above the diagonal acts twice: its rows times x of its column are added up for its own row, x of its row times its rows goes
 * to the row of its column. The order follows from the matrix alone, and all runs on one thread: the same bits on every machine.
 */
#ifndef DIVAN_KIT_SYMMETRIC_PRODUCT_H
#define DIVAN_KIT_SYMMETRIC_PRODUCT_H

#include <divan/contracts/block_matrix.h>
#include <divan/math/simd.h>

DV_BEGIN_DECLS

typedef struct DvSymmetricMatrix {
    bool is_set;                 /* holds the matrix of `structure` and `version` */
    uint64_t structure, version; /* 0: none yet */
    uint32_t rows, upper;        /* block rows; blocks above the diagonal */
    uint32_t vectors;            /* of a block: 3 or 1 */
    uint32_t *start;             /* [rows + 1] first block above the diagonal of each row */
    uint32_t *column;            /* [upper] */
    uint32_t *slot;              /* [upper] in the matrix that it was made of */
    DvReal4 *diagonal;           /* [rows][vectors] */
    DvReal4 *block;              /* [upper][vectors] */
    DvReal4 *y;                  /* [rows] of a product; zero before and after */
    size_t row_room, upper_room, diagonal_room, block_room;
} DvSymmetricMatrix;

/* From how many products on it pays to take a matrix for them: making it costs as much as two to three products save. */
enum { DV_SYMMETRIC_FROM_PRODUCTS = 6 };

/* Takes the numbers of a matrix, unless it has them. False: it has other blocks, is too large, or is not symmetric to the last bit.
 * Allocates only for a structure that is larger than any before.     [step] */
DV_PUBLIC bool dv_symmetric_set(DvSymmetricMatrix *s, const DvBlockMatrix *a);
/* y = A x, and returns x . y. Of x one number behind its end is read, of y one is written.     [step] */
DV_PUBLIC double dv_symmetric_product(DvSymmetricMatrix *s, const double *x, double *y);
DV_PUBLIC void dv_symmetric_free(DvSymmetricMatrix *s);

DV_END_DECLS
#endif
