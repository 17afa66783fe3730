/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assembly of the stiffness of linear corotational tetrahedra: by points and pairs of points, a sum over the elements around them.
 *
 *   K_nm = r G_n G_m^T + G_m G_n^T + (G_n . G_m) I, so that a sum over elements is r S + S^T + tr(S) I, S = sum of G_n G_m^T
 */
#include <divan/kit/packed_block.h>

#include "forcefield/fem/tetrahedron_frames.h"

typedef struct AssembleWork {
    TetrahedronBlocks *t;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

/* World gradients, one element after the other. */
DV_SIMD_INLINE void rows_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    TetrahedronBlocks *t = ((const AssembleWork *)context)->t;
    for (uint32_t block = begin; block < end; block++) {
        DvReal8 buffer[3][3];
        ConstMat8 world = world_of_block(t, block, buffer);
        DvReal4 *rows = t->row + (size_t)block * DV_LANES * 4;
        const DvReal8 none = {0}, ratio = ratio_of(t, block);
        DvReal8 a[3];
        DV_EACH (c, 3)
            a[c] = -(world[0][c] + world[1][c] + world[2][c]);
        dv_real8_to_rows(rows, 4, a, &ratio, narrow);
        dv_real8_to_rows(rows + 1, 4, world[0], &none, narrow);
        dv_real8_to_rows(rows + 2, 4, world[1], &none, narrow);
        dv_real8_to_rows(rows + 3, 4, world[2], &none, narrow);
    }
}

DV_SIMD_LEVELS(rows_chunk, rows_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

/* One contribution to S = sum G_n G_m^T and L = sum r G_n G_m^T. */
DV_SIMD_INLINE void add_product(const DvReal4 *element, uint32_t n, uint32_t m, bool one_ratio, DvReal4 s[3],
                                DvReal4 l[3])
{
    const DvReal4 gn = element[n], gm = element[m];
    DV_EACH (r, 3)
        s[r] += gm * gn[r];
    if (!one_ratio) {
        const DvReal4 other = gn * element[0][3];
        DV_EACH (r, 3)
            l[r] += gm * other[r];
    }
}

/* The block, and its transpose. */
DV_SIMD_INLINE void finish_product(const TetrahedronBlocks *t, bool one_ratio, const DvReal4 s[3], const DvReal4 l[3],
                                   bool narrow, DvPackedBlock block[2])
{
    const double trace = s[0][0] + s[1][1] + s[2][2];
    const DvReal8 diagonal = {trace, 0.0, 0.0, 0.0, trace, 0.0, 0.0, 0.0};
    const DvPackedBlock sums[2] = {dv_block_of_rows(s, narrow), dv_block_of_columns(s, narrow)},
                        turned[2] = {one_ratio ? sums[0] : dv_block_of_rows(l, narrow),
                                     one_ratio ? sums[1] : dv_block_of_columns(l, narrow)};
    const double ratio = one_ratio ? t->ratio : 1.0;
    DV_EACH (side, 2) {
        block[side].eight = ratio * turned[side].eight + sums[1 - side].eight + diagonal;
        block[side].ninth = ratio * turned[side].ninth + sums[1 - side].ninth + trace;
    }
}

DV_SIMD_INLINE void add_diagonal(const AssembleWork *work, const DvMatrixView *view, bool one_ratio, uint32_t begin,
                                 uint32_t end, bool narrow)
{
    const TetrahedronBlocks *t = work->t;
    const DvElementBlocks *mesh = &t->mesh;
    for (uint32_t p = begin; p < end; p++) {
        DvReal4 s[3] = {{0}}, l[3] = {{0}};
        DvPackedBlock block[2];
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++)
            add_product(t->row + (mesh->entry[e] & ~3u), mesh->entry[e] & 3, mesh->entry[e] & 3, one_ratio, s, l);
        finish_product(t, one_ratio, s, l, narrow, block);
        dv_view_add_packed(view, p, &block[0], work->factor);
    }
}

/* Blocks of a large matrix, and the elements of a pair, come from beyond the second-level cache: ask for them in time. */
enum { PAIRS_IN_CACHE = 20000, PAIRS_AHEAD = 6 };

DV_SIMD_INLINE void fetch_pair(const TetrahedronBlocks *t, const DvMatrixView *view, uint32_t pair)
{
    const DvElementBlocks *mesh = &t->mesh;
    const size_t size = (size_t)view->block * view->block;
    const double *mirror = view->values + size * view->slot[mesh->points + 2 * pair + 1];
    __builtin_prefetch(mirror, 1);
    __builtin_prefetch(mirror + 8, 1);
    __builtin_prefetch(t->row + (size_t)(mesh->pair_entry[mesh->pair_begin[pair]] >> 6) * 4);
}

DV_SIMD_INLINE void add_pairs(const AssembleWork *work, const DvMatrixView *view, bool one_ratio, uint32_t begin,
                              uint32_t end, bool narrow)
{
    const TetrahedronBlocks *t = work->t;
    const DvElementBlocks *mesh = &t->mesh;
    const DvReal4 *const row = t->row;
    const uint32_t points = mesh->points, pairs = mesh->pairs, *const entries = mesh->pair_entry;
    const bool ahead = pairs >= PAIRS_IN_CACHE && view->direct;
    for (uint32_t k = begin; k < end; k++) {
        if (ahead && k + PAIRS_AHEAD < pairs)
            fetch_pair(t, view, k + PAIRS_AHEAD);
        DvReal4 s[3] = {{0}}, l[3] = {{0}};
        DvPackedBlock block[2];
        for (uint32_t e = mesh->pair_begin[k], last = mesh->pair_end[k]; e < last; e++) {
            const uint32_t entry = entries[e];
            add_product(row + (size_t)(entry >> 6) * 4, entry >> 3 & 7, entry & 7, one_ratio, s, l);
        }
        finish_product(t, one_ratio, s, l, narrow, block);
        dv_view_add_packed(view, points + 2 * k, &block[0], work->factor);
        dv_view_add_packed(view, points + 2 * k + 1, &block[1], work->factor);
    }
}

DV_SIMD_INLINE void diagonal_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const AssembleWork *work = context;
    const DvMatrixView plain = dv_view_plain(work->view);
    if (work->t->one_ratio && dv_view_is_plain(work->view))
        add_diagonal(work, &plain, true, begin, end, narrow);
    else
        add_diagonal(work, work->view, work->t->one_ratio, begin, end, narrow);
}

DV_SIMD_LEVELS(diagonal_chunk, diagonal_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

DV_SIMD_INLINE void pair_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const AssembleWork *work = context;
    const DvMatrixView plain = dv_view_plain(work->view);
    if (work->t->one_ratio && dv_view_is_plain(work->view))
        add_pairs(work, &plain, true, begin, end, narrow);
    else
        add_pairs(work, work->view, work->t->one_ratio, begin, end, narrow);
}

DV_SIMD_LEVELS(pair_chunk, pair_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

/* block += R^T B_n^T C B_m R of one element whose shears have gradients of their own. */
static void add_local_block(const TetrahedronBlocks *t, uint32_t element, uint32_t n, uint32_t m, double block[9])
{
    const uint32_t b = element / DV_LANES, lane = element % DV_LANES;
    const TetrahedronRest *rest = &t->rest[b];
    const double lambda = rest->lambda[lane], mu = rest->mu[lane];
    DvMat3 frame, local;
    double normal[2][3], shear[2][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            frame.m[i][j] = t->current[b][i][j][lane];
    DV_EACH (side, 2) {
        const uint32_t node = side == 0 ? n : m;
        DV_EACH (c, 3) {
            const DvReal8 *const g[3] = {&t->normal[b][0][c], &t->normal[b][1][c], &t->normal[b][2][c]};
            const DvReal8 *const h[3] = {&rest->gradient[0][c], &rest->gradient[1][c], &rest->gradient[2][c]};
            normal[side][c] = node > 0 ? (*g[node - 1])[lane] : -((*g[0])[lane] + (*g[1])[lane] + (*g[2])[lane]);
            shear[side][c] = node > 0 ? (*h[node - 1])[lane] : -((*h[0])[lane] + (*h[1])[lane] + (*h[2])[lane]);
        }
    }
    const double dot = shear[0][0] * shear[1][0] + shear[0][1] * shear[1][1] + shear[0][2] * shear[1][2];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            local.m[i][j] =
                i == j ? (lambda + 2.0 * mu) * normal[0][i] * normal[1][i] + mu * (dot - shear[0][i] * shear[1][i])
                       : lambda * normal[0][i] * normal[1][j] + mu * shear[0][j] * shear[1][i];
    const DvMat3 turned = dv_mat3_transposed_mul(frame, dv_mat3_mul(local, frame));
    for (int i = 0; i < 9; i++)
        block[i] += turned.m[i / 3][i % 3];
}

/* block += r G_n G_m^T + G_m G_n^T + (G_n . G_m) I - [G_n]x R^T B R / mu [G_m]x of one element */
static void add_exact_block(const TetrahedronBlocks *t, uint32_t element, uint32_t n, uint32_t m, double block[9])
{
    const uint32_t b = element / DV_LANES, lane = element % DV_LANES;
    const double ratio = ratio_of(t, b)[lane];
    double turn[6], g[2][3], world[9 * DV_LANES];
    const double *kept = world_of(t, element);
    for (int i = 0; i < 9; i++)
        world[i * DV_LANES] = kept[i * DV_LANES];
    if (is_in_row(t, b))
        exchange_inner(element, world);
    DV_EACH (c, 6)
        turn[c] = t->turn[b][c][lane];
    DV_EACH (side, 2) {
        const uint32_t node = side == 0 ? n : m;
        const double *of_node = world + (size_t)(node > 0 ? node - 1 : 0) * 3 * DV_LANES;
        DV_EACH (c, 3)
            g[side][c] = node > 0 ? of_node[c * DV_LANES]
                                  : -(world[c * DV_LANES] + world[(3 + c) * DV_LANES] + world[(6 + c) * DV_LANES]);
    }
    const DvMat3 of_n = dv_mat3_skew(dv_vec3_load(g[0])), of_m = dv_mat3_skew(dv_vec3_load(g[1])),
                 b_world = {{{turn[0], turn[3], turn[5]}, {turn[3], turn[1], turn[4]}, {turn[5], turn[4], turn[2]}}};
    const DvMat3 turning = dv_mat3_mul(of_n, dv_mat3_mul(b_world, of_m));
    const double dot = g[0][0] * g[1][0] + g[0][1] * g[1][1] + g[0][2] * g[1][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[3 * i + j] += ratio * g[0][i] * g[1][j] + g[1][i] * g[0][j] + (i == j ? dot : 0.0) - turning.m[i][j];
}

/* Of elements that need more than their world gradients. */
static void add_element_block(const TetrahedronBlocks *t, uint32_t element, uint32_t n, uint32_t m, double block[9])
{
    if (t->turn)
        add_exact_block(t, element, n, m, block);
    else
        add_local_block(t, element, n, m, block);
}

static void local_diagonal_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->t->mesh;
    for (uint32_t p = begin; p < end; p++) {
        double block[9] = {0};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++)
            add_element_block(work->t, mesh->entry[e] / 4, mesh->entry[e] % 4, mesh->entry[e] % 4, block);
        dv_view_add3(work->view, p, block, work->factor);
    }
}

static void local_pair_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->t->mesh;
    for (uint32_t k = begin; k < end; k++) {
        double block[9] = {0};
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++)
            add_element_block(work->t, mesh->pair_entry[e] >> 6, mesh->pair_entry[e] >> 3 & 7, mesh->pair_entry[e] & 7,
                              block);
        dv_view_add3(work->view, mesh->points + 2 * k, block, work->factor);
        dv_view_add3_transposed(work->view, mesh->points + 2 * k + 1, block, work->factor);
    }
}

void tetrahedron_blocks_assemble(TetrahedronBlocks *t, double k, const DvMatrixView *view)
{
    AssembleWork work = {t, view, -k};
    tetrahedron_blocks_keep(t);
    if (t->current || t->turn) {
        dv_parallel_for(t->mesh.points, DV_POINTS_PER_CHUNK, local_diagonal_chunk, &work);
        dv_parallel_for(t->mesh.pairs, DV_PAIRS_PER_CHUNK, local_pair_chunk, &work);
        return;
    }
    if (!t->row)
        t->row = dv_alloc((size_t)t->capacity * DV_LANES * 4, sizeof *t->row);
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, rows_chunk, &work);
    dv_parallel_for(t->mesh.points, DV_POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(t->mesh.pairs, DV_PAIRS_PER_CHUNK, pair_chunk, &work);
}
