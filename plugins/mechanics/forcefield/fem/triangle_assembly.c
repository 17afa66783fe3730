/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assembly of the stiffness of linear elastic triangles: by points and pairs of points, a sum over the elements around them.
 *
 *   K_nm = lambda G_n G_m^T + (mu - spin) G_m G_n^T + (mu + spin) (G_n . G_m) P + (g_n . tilt g_m) z z^T
 * with G_n the gradients in world axes and P the projection onto the plane of the triangle. `spin` and `tilt` (TriangleTurn) are those of method
 * exact, else zero: (z x G_n) (z x G_m)^T = (G_n . G_m) P - G_m G_n^T.
 */
#include "forcefield/fem/triangle_blocks.h"

#include <divan/kit/packed_block.h>

/* Rows of an element: three G and three of P, a row of numbers; of method exact also z, and numbers. The fourth numbers of rows are used too:
 * lambda is that of G_0, mu - spin that of G_1. */
enum { PLANE = 3, NUMBERS = 6, NORMAL = 7, TILTS = 8, ROWS = 7, ROWS_THAT_TURN = 9 };
/* Where (mu + spin) (G_n . G_m) and g_n . tilt g_m are, of the numbers of an element. */
static const uint8_t product_at[3][3] = {{11, 23, 24}, {23, 15, 25}, {24, 25, 19}},
                     tilt_at[3][3] = {{26, 32, 33}, {32, 27, 34}, {33, 34, 31}};

typedef struct AssembleWork {
    TriangleBlocks *t;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

DV_SIMD_INLINE uint32_t rows_of(bool turns)
{
    return turns ? ROWS_THAT_TURN : ROWS;
}

DV_SIMD_INLINE DvReal8 product_of(const DvReal8 a[2], const DvReal8 b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* g_n . tilt g_m: of (0, 0), (1, 1), (2, 2), then of (0, 1), (0, 2), (1, 2). */
DV_SIMD_INLINE void tilts_of(const TriangleTurn *turn, const DvReal8 g[3][2], DvReal8 tilt[6])
{
    DvReal8 tilted[3][2];
    DV_EACH (n, 3) {
        tilted[n][0] = turn->tilt[0] * g[n][0] + turn->tilt[2] * g[n][1];
        tilted[n][1] = turn->tilt[2] * g[n][0] + turn->tilt[1] * g[n][1];
        tilt[n] = product_of(g[n], tilted[n]);
    }
    tilt[3] = product_of(g[0], tilted[1]);
    tilt[4] = product_of(g[0], tilted[2]);
    tilt[5] = product_of(g[1], tilted[2]);
}

DV_SIMD_INLINE void rows_of_block(const TriangleBlock *block, const TriangleTurn *turn, bool narrow, DvReal4 *rows)
{
    const uint32_t stride = rows_of(turn != NULL);
    DvReal8 g[3][2], tilt[6] = {{0}}, plus = block->mu, minus = plus;
    DV_EACH (c, 2) {
        g[0][c] = -(block->gradient[0][c] + block->gradient[1][c]);
        g[1][c] = block->gradient[0][c];
        g[2][c] = block->gradient[1][c];
    }
    if (turn) {
        minus -= turn->spin;
        plus += turn->spin;
        tilts_of(turn, (const DvReal8(*)[2])g, tilt);
        dv_real8_to_rows(rows + NORMAL, stride, turn->normal, &tilt[2], narrow);
        dv_real8_to_rows(rows + TILTS, stride, tilt + 3, &tilt[5], narrow);
    }
    const DvReal8 last[6] = {block->lambda,
                             minus,
                             plus * product_of(g[0], g[0]),
                             plus * product_of(g[1], g[1]),
                             plus * product_of(g[2], g[2]),
                             plus * product_of(g[0], g[1])};
    DV_EACH (n, 3) {
        DvReal8 world[3], plane[3];
        DV_EACH (c, 3) {
            world[c] = block->axis[0][c] * g[n][0] + block->axis[1][c] * g[n][1];
            plane[c] = block->axis[0][n] * block->axis[0][c] + block->axis[1][n] * block->axis[1][c];
        }
        dv_real8_to_rows(rows + n, stride, world, &last[n], narrow);
        dv_real8_to_rows(rows + PLANE + n, stride, plane, &last[3 + n], narrow);
    }
    const DvReal8 numbers[3] = {plus * product_of(g[0], g[2]), plus * product_of(g[1], g[2]), tilt[0]};
    dv_real8_to_rows(rows + NUMBERS, stride, numbers, &tilt[1], narrow);
}

DV_SIMD_INLINE void rows_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    TriangleBlocks *t = ((const AssembleWork *)context)->t;
    if (t->turn)
        for (uint32_t number = begin; number < end; number++)
            rows_of_block(&t->block[number], &t->turn[number], narrow,
                          t->row + (size_t)number * DV_LANES * ROWS_THAT_TURN);
    else
        for (uint32_t number = begin; number < end; number++)
            rows_of_block(&t->block[number], NULL, narrow, t->row + (size_t)number * DV_LANES * ROWS);
}

DV_SIMD_LEVELS(rows_chunk, rows_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

/* sum += the block of two nodes of an element. */
DV_SIMD_INLINE void add_element(const DvReal4 *element, uint32_t n, uint32_t m, bool turns, DvReal4 sum[3])
{
    const double *numbers = (const double *)element;
    const DvReal4 gn = element[n], gm = element[m], straight = gn * element[0][3], crossed = gm * element[1][3];
    const double product = numbers[product_at[n][m]];
    DV_EACH (r, 3)
        sum[r] += straight[r] * gm + crossed[r] * gn + product * element[PLANE + r];
    if (turns) {
        const double *z = (const double *)(element + NORMAL);
        const DvReal4 tilted = element[NORMAL] * numbers[tilt_at[n][m]];
        DV_EACH (r, 3)
            sum[r] += tilted * z[r];
    }
}

DV_SIMD_INLINE void add_diagonal(const AssembleWork *work, const DvMatrixView *view, bool turns, uint32_t begin,
                                 uint32_t end, bool narrow)
{
    const DvElementBlocks *mesh = &work->t->mesh;
    for (uint32_t p = begin; p < end; p++) {
        DvReal4 sum[3] = {{0}};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t element = mesh->entry[e] / 3, n = mesh->entry[e] % 3;
            add_element(work->t->row + (size_t)element * rows_of(turns), n, n, turns, sum);
        }
        const DvPackedBlock block = dv_block_of_rows(sum, narrow);
        dv_view_add_packed(view, p, &block, work->factor);
    }
}

DV_SIMD_INLINE void add_pairs(const AssembleWork *work, const DvMatrixView *view, bool turns, uint32_t begin,
                              uint32_t end, bool narrow)
{
    const DvElementBlocks *mesh = &work->t->mesh;
    for (uint32_t k = begin; k < end; k++) {
        DvReal4 sum[3] = {{0}};
        for (uint32_t e = mesh->pair_begin[k], last = mesh->pair_end[k]; e < last; e++) {
            const uint32_t entry = mesh->pair_entry[e];
            add_element(work->t->row + (size_t)(entry >> 6) * rows_of(turns), entry >> 3 & 7, entry & 7, turns, sum);
        }
        const DvPackedBlock block = dv_block_of_rows(sum, narrow), mirror = dv_block_of_columns(sum, narrow);
        dv_view_add_packed(view, mesh->points + 2 * k, &block, work->factor);
        dv_view_add_packed(view, mesh->points + 2 * k + 1, &mirror, work->factor);
    }
}

typedef void AddBlocks(const AssembleWork *work, const DvMatrixView *view, bool turns, uint32_t begin, uint32_t end,
                       bool narrow);

/* With loops of their own for what is common. */
DV_SIMD_INLINE void add_blocks(const AssembleWork *work, AddBlocks *add, uint32_t begin, uint32_t end, bool narrow)
{
    const DvMatrixView plain = dv_view_plain(work->view);
    if (work->t->turn)
        add(work, work->view, true, begin, end, narrow);
    else if (dv_view_is_plain(work->view))
        add(work, &plain, false, begin, end, narrow);
    else
        add(work, work->view, false, begin, end, narrow);
}

DV_SIMD_INLINE void diagonal_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    add_blocks(context, add_diagonal, begin, end, narrow);
}

DV_SIMD_LEVELS(diagonal_chunk, diagonal_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

DV_SIMD_INLINE void pair_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    add_blocks(context, add_pairs, begin, end, narrow);
}

DV_SIMD_LEVELS(pair_chunk, pair_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void triangle_blocks_assemble(TriangleBlocks *t, double k, const DvMatrixView *view)
{
    AssembleWork work = {t, view, -k};
    if (!t->row)
        t->row = dv_alloc((size_t)t->room * DV_LANES * rows_of(t->turn != NULL), sizeof *t->row);
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, rows_chunk, &work);
    dv_parallel_for(t->mesh.points, DV_POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(t->mesh.pairs, DV_PAIRS_PER_CHUNK, pair_chunk, &work);
}
