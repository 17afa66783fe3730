/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the world gradients of an element of TetrahedronBlocks are, and how they get there.
 */
#ifndef DIVAN_MECHANICS_TETRAHEDRON_LAYOUT_H
#define DIVAN_MECHANICS_TETRAHEDRON_LAYOUT_H

#include <string.h>

#include "forcefield/fem/tetrahedron_blocks.h"

typedef const DvReal8 (*ConstMat8)[3];
typedef const DvReal8 (*Frames8)[3][3]; /* of several blocks, or edges */

static inline void set_lane(DvReal8 m[3][3], uint32_t lane, DvMat3 values)
{
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            m[i][j][lane] = values.m[i][j];
}

static inline DvMat3 get_lane(const DvReal8 m[3][3], uint32_t lane)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = m[i][j][lane];
    return r;
}

enum { PACK_ELEMENTS = DV_PACK_BLOCKS * DV_LANES };
enum { BLOCKS_AHEAD = 16 }; /* that are asked for */

static inline bool is_packed(const TetrahedronBlocks *t, uint32_t block)
{
    return t->layout[block / DV_PACK_BLOCKS] != LAYOUT_BLOCKS;
}

/* Of cells in a row: the corner that five of six elements have, from which a product sees the others; and which node of each element it is, or 0. */
enum { INNER_CORNER = 3, AROUND_INNER = 5 };
static const uint8_t inner_node[DV_CELL_ELEMENTS] = {3, 3, 2, 0, 0, 0};

/* Component c of gradient k of the element in each lane of a block is at[lane][(3 k + c) DV_LANES]. */
static inline void find_world(const TetrahedronBlocks *t, uint32_t block, double *at[DV_LANES])
{
    if (!is_packed(t, block)) {
        DV_EACH (lane, DV_LANES)
            at[lane] = (double *)&t->world[block] + lane;
        return;
    }
    const uint32_t in_pack = block % DV_PACK_BLOCKS * DV_LANES;
    uint32_t cell = in_pack / DV_CELL_ELEMENTS, k = in_pack % DV_CELL_ELEMENTS;
    DV_EACH (lane, DV_LANES) {
        at[lane] = (double *)&t->world[block - block % DV_PACK_BLOCKS + k] + cell;
        k = k + 1 < DV_CELL_ELEMENTS ? k + 1 : 0;
        cell += k == 0;
    }
}

static inline bool is_in_row(const TetrahedronBlocks *t, uint32_t block)
{
    return t->layout[block / DV_PACK_BLOCKS] == LAYOUT_ROW;
}

/* In a row the gradient of the inner corner gives its place to that of the element's first node: all four are zero together. From one to the
 * other and back.     world: as in find_world */
static inline void exchange_inner(uint32_t element, double *world)
{
    const uint32_t inner = inner_node[element % DV_CELL_ELEMENTS];
    for (uint32_t c = 0; c < 3 && inner > 0; c++) {
        double *at = world + c * DV_LANES;
        at[3 * DV_LANES * (inner - 1)] = -(at[0] + at[3 * DV_LANES] + at[6 * DV_LANES]);
    }
}

static inline double *world_of(const TetrahedronBlocks *t, uint32_t element)
{
    double *at[DV_LANES];
    find_world(t, element / DV_LANES, at);
    return at[element % DV_LANES];
}

static inline void unpack_world(const TetrahedronBlocks *t, uint32_t block, DvReal8 world[3][3])
{
    double *at[DV_LANES], *to = (double *)world;
    find_world(t, block, at);
    DV_EACH (lane, DV_LANES)
        DV_EACH (i, 9)
            to[i * DV_LANES + lane] = at[lane][i * DV_LANES];
    for (uint32_t lane = 0; lane < DV_LANES && is_in_row(t, block); lane++)
        exchange_inner(block * DV_LANES + lane, to + lane);
}

/* Element by element; packed ones are brought to `buffer`. */
DV_SIMD_INLINE ConstMat8 world_of_block(const TetrahedronBlocks *t, uint32_t block, DvReal8 buffer[3][3])
{
    if (!is_packed(t, block))
        return (ConstMat8)t->world[block];
    unpack_world(t, block, buffer);
    return (ConstMat8)buffer;
}

static inline void store_world(TetrahedronBlocks *t, uint32_t block, ConstMat8 world)
{
    double *at[DV_LANES];
    const double *from = (const double *)world;
    find_world(t, block, at);
    if (!is_in_row(t, block)) {
        DV_EACH (lane, DV_LANES)
            DV_EACH (i, 9)
                at[lane][i * DV_LANES] = from[i * DV_LANES + lane];
        return;
    }
    DvReal8 first[3]; /* as exchange_inner has it */
    DV_EACH (c, 3)
        first[c] = -(world[0][c] + world[1][c] + world[2][c]);
    DV_EACH (lane, DV_LANES) {
        const uint32_t inner = inner_node[(block * DV_LANES + (uint32_t)lane) % DV_CELL_ELEMENTS];
        DV_EACH (k, 3) {
            const double *kept = (const double *)(inner == (uint32_t)k + 1 ? first : world[k]) + lane;
            DV_EACH (c, 3)
                at[lane][(3 * k + c) * DV_LANES] = kept[c * DV_LANES];
        }
    }
}

/* lambda / mu */
DV_SIMD_INLINE DvReal8 ratio_of(const TetrahedronBlocks *t, uint32_t block)
{
    if (t->one_ratio)
        return dv_real8(t->ratio);
    const TetrahedronRest *rest = &t->rest[block];
    return rest->lambda / dv_real8_select(rest->mu > 0.0, rest->mu, dv_real8(1.0));
}

/* sqrt(mu) R^T g */
DV_SIMD_INLINE void turn_gradient(const DvReal8 frame[3][3], const DvReal8 gradient[3], const DvReal8 *root_mu,
                                  DvReal8 world[3])
{
    dv_real8_transposed_mul(frame, gradient, world);
    DV_EACH (c, 3)
        world[c] *= *root_mu;
}

/* To where a block's gradients are. */
DV_SIMD_INLINE void turn_gradients(TetrahedronBlocks *t, uint32_t block, const DvReal8 frame[3][3], ConstMat8 gradient)
{
    DvReal8 buffer[3][3], (*world)[3] = is_packed(t, block) ? buffer : t->world[block];
    DV_EACH (k, 3)
        turn_gradient(frame, gradient[k], &t->rest[block].root_mu, world[k]);
    if (is_packed(t, block))
        store_world(t, block, (ConstMat8)buffer);
}

#endif
