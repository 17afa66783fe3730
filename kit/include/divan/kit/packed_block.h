/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 3 x 3 blocks on their way from rows of four numbers into a matrix, whose entries are nine numbers one after the other: eight of them
 * and one.
 */
#ifndef DIVAN_KIT_PACKED_BLOCK_H
#define DIVAN_KIT_PACKED_BLOCK_H

#include <divan/contracts/block_matrix.h>
#include <divan/math/simd.h>

#include <string.h>

DV_BEGIN_DECLS

typedef struct DvPackedBlock {
    DvReal8 eight;
    double ninth;
} DvPackedBlock;

/* Of three rows, whose fourth number counts for nothing.     narrow: here and below as DV_SIMD_LEVELS says */
DV_SIMD_INLINE DvPackedBlock dv_block_of_rows(const DvReal4 row[3], bool narrow)
{
    DvPackedBlock block;
    block.ninth = row[2][2];
    if (narrow) {
        block.eight = dv_real8_join(DV_SHUFFLE(row[0], row[1], 0, 1, 2, 4), DV_SHUFFLE(row[1], row[2], 1, 2, 4, 5));
        return block;
    }
    const DvReal8 upper = DV_SHUFFLE(row[0], row[1], 0, 1, 2, 3, 4, 5, 6, 7),
                  lower = DV_SHUFFLE(row[2], row[2], 0, 1, 2, 3, 0, 1, 2, 3);
    block.eight = DV_SHUFFLE(upper, lower, 0, 1, 2, 4, 5, 6, 8, 9);
    return block;
}

DV_SIMD_INLINE DvPackedBlock dv_block_of_columns(const DvReal4 column[3], bool narrow)
{
    DvPackedBlock block;
    block.ninth = column[2][2];
    if (narrow) {
        const DvReal4 first = DV_SHUFFLE(column[0], column[1], 0, 4, 1, 5),
                      second = DV_SHUFFLE(column[0], column[1], 5, 2, 6, 3);
        block.eight =
            dv_real8_join(DV_SHUFFLE(first, column[2], 0, 1, 4, 2), DV_SHUFFLE(second, column[2], 0, 5, 1, 2));
        return block;
    }
    const DvReal8 left = DV_SHUFFLE(column[0], column[1], 0, 1, 2, 3, 4, 5, 6, 7),
                  right = DV_SHUFFLE(column[2], column[2], 0, 1, 2, 3, 0, 1, 2, 3);
    block.eight = DV_SHUFFLE(left, right, 0, 4, 8, 1, 5, 9, 2, 6);
    return block;
}

/* Nearly all matrices are like this: what adds many blocks has a loop for them that does not ask for each. */
static inline bool dv_view_is_plain(const DvMatrixView *view)
{
    return view->direct && view->block == 3;
}

static inline DvMatrixView dv_view_plain(const DvMatrixView *view)
{
    DvMatrixView plain;
    memset(&plain, 0, sizeof plain);
    plain.values = view->values;
    plain.slot = view->slot;
    plain.block = 3;
    plain.direct = true;
    return plain;
}

/* a += factor block */
DV_SIMD_INLINE void dv_view_add_packed(const DvMatrixView *view, uint32_t coupling, const DvPackedBlock *block,
                                       double factor)
{
    if (view->direct && view->block == 3) {
        double *at = view->values + 9 * (size_t)view->slot[coupling];
        *(DvReal8At *)at += factor * block->eight;
        at[8] += factor * block->ninth;
    } else {
        double dense[9];
        memcpy(dense, &block->eight, sizeof block->eight);
        dense[8] = block->ninth;
        dv_view_add(view, coupling, dense, factor);
    }
}

DV_END_DECLS
#endif
