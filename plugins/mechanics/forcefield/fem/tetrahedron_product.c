/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of the stiffness of linear corotational tetrahedra, from the world gradients that a force keeps; cells of a grid together.
 */
#include "forcefield/fem/tetrahedron_frames.h"

DV_SIMD_INLINE void turn_times(const DvReal8 turn[6], const DvReal8 a[3], DvReal8 out[3])
{
    out[0] = turn[0] * a[0] + turn[3] * a[1] + turn[5] * a[2];
    out[1] = turn[3] * a[0] + turn[1] * a[1] + turn[4] * a[2];
    out[2] = turn[5] * a[0] + turn[4] * a[1] + turn[2] * a[2];
}

/* f_n += k G_n x (R^T B R) sum G_m x d_m */
DV_SIMD_INLINE void add_turning_forces(const DvReal8 turn[6], const DvReal8 world[3][3], const DvReal8 d[3][3],
                                       double k, DvReal8 f[3][3])
{
    DvReal8 a[3] = {{0}, {0}, {0}}, moment[3];
    DV_EACH (n, 3) {
        DvReal8 part[3];
        dv_real8_cross(world[n], d[n], part);
        DV_EACH (c, 3)
            a[c] += part[c];
    }
    turn_times(turn, a, moment);
    DV_EACH (n, 3) {
        DvReal8 part[3];
        dv_real8_cross(world[n], moment, part);
        DV_EACH (c, 3)
            f[n][c] += k * part[c];
    }
}

/* f = -k K d of eight elements, d and f of their nodes b, c, d from a. */
DV_SIMD_INLINE void stiffness_times(ConstMat8 world, const DvReal8 *ratio, double k, const DvReal8 d[3][3],
                                    DvReal8 f[3][3])
{
    const DvReal8 lambda = *ratio * -k, mu = dv_real8(-k);
    DvReal8 s[6], sigma[6];
    strain_of(d, world, world, s);
    stress_of(&lambda, &mu, s, sigma);
    DV_EACH (n, 3)
        traction(sigma, world[n], world[n], f[n]);
}

typedef struct ProductWork {
    TetrahedronBlocks *t;
    double k;
} ProductWork;

DV_SIMD_INLINE void product_of_block(const TetrahedronBlocks *t, uint32_t block, double k, bool narrow,
                                     DvElementRow *row)
{
    const uint16_t *place = dv_element_places(&t->mesh.chunks, block);
    DvReal8 d[3][3], f[3][3], buffer[3][3];
    const DvReal8 ratio = ratio_of(t, block);
    ConstMat8 world = world_of_block(t, block, buffer);
    dv_element_rows_edges(row, place, 3, narrow, d);
    stiffness_times(world, &ratio, k, (ConstMat8)d, f);
    if (t->turn)
        add_turning_forces(t->turn[block], world, (ConstMat8)d, k, f);
    dv_element_rows_add_to_ends(row, place, 3, narrow, (ConstMat8)f);
}

DV_SIMD_INLINE void gather_corner(const DvElementPack *pack, uint32_t n, bool narrow, DvElementRow *row, DvReal8 x[3])
{
    DvElementRow *at[DV_LANES];
    dv_element_rows_at(row, pack->place[n], at);
    dv_element_rows_gather(at, narrow, x);
}

DV_SIMD_INLINE void add_corner(const DvElementPack *pack, uint32_t n, bool narrow, DvElementRow *row,
                               const DvReal8 sum[3])
{
    DvElementRow *at[DV_LANES];
    dv_element_rows_at(row, pack->place[n], at);
    dv_element_rows_add(at, narrow, sum);
}

/* What one element of each of eight cells gives to its corners. */
DV_SIMD_INLINE void product_in_cells(const TetrahedronBlocks *t, uint32_t block, double k, const uint8_t corner[4],
                                     const DvReal8 x[DV_CELL_CORNERS][3], DvReal8 sum[DV_CELL_CORNERS][3])
{
    const DvReal8 ratio = dv_real8(t->ratio);
    DvReal8 d[3][3], f[3][3];
    DV_EACH (n, 3)
        dv_real8_sub(x[corner[n + 1]], x[corner[0]], d[n]);
    stiffness_times((ConstMat8)t->world[block], &ratio, k, (ConstMat8)d, f);
    DV_EACH (c, 3) {
        sum[corner[0]][c] -= f[0][c] + f[1][c] + f[2][c];
        DV_EACH (n, 3)
            sum[corner[n + 1]][c] += f[n][c];
    }
}

/* Eight cells: their corners come together once, and so do the sums at them. */
DV_SIMD_INLINE void product_of_pack(const TetrahedronBlocks *t, const DvElementPack *pack, uint32_t block, double k,
                                    uint32_t prefetched, bool narrow, DvElementRow *row)
{
    DvReal8 x[DV_CELL_CORNERS][3], sum[DV_CELL_CORNERS][3];
    const DvReal8 zero = {0};
    for (uint32_t n = 0; n < pack->corners; n++) {
        gather_corner(pack, n, narrow, row, x[n]);
        DV_EACH (c, 3)
            sum[n][c] = zero;
    }
    for (uint32_t e = 0; e < DV_CELL_ELEMENTS; e++) {
        dv_element_prefetch(t->world, sizeof *t->world, block + e + BLOCKS_AHEAD, prefetched, false);
        product_in_cells(t, block + e, k, pack->corner[e], (ConstMat8)x, sum);
    }
    for (uint32_t n = 0; n < pack->corners; n++)
        add_corner(pack, n, narrow, row, (const DvReal8 *)sum[n]);
}

/* Of cells in a row: half of the corners are in two lanes. */
DV_SIMD_INLINE void gather_row(const DvElementPack *pack, bool narrow, DvElementRow *row, DvReal8 x[DV_CELL_CORNERS][3])
{
    DV_EACH (i, DV_ROW_MEETINGS) {
        const uint8_t near = dv_element_row_meeting[i][0], far = dv_element_row_meeting[i][1];
        gather_corner(pack, near, narrow, row, x[near]);
        dv_element_next_lanes((const DvReal8 *)x[near], row[pack->place[far][DV_LANES - 1]].x, narrow, x[far]);
    }
}

DV_SIMD_INLINE void add_row(const DvElementPack *pack, bool narrow, DvElementRow *row,
                            const DvReal8 sum[DV_CELL_CORNERS][3])
{
    DV_EACH (i, DV_ROW_MEETINGS) {
        const uint8_t near = dv_element_row_meeting[i][0], far = dv_element_row_meeting[i][1];
        DvReal8 both[3];
        DV_EACH (c, 3)
            both[c] = sum[near][c] + dv_element_previous_lanes(sum[far][c], narrow);
        add_corner(pack, near, narrow, row, (const DvReal8 *)both);
        row[pack->place[far][DV_LANES - 1]].sum += dv_element_last_lane(sum[far], narrow);
    }
}

/* The same of cells in a row, whose corners the compiler knows, so that much stays in registers. Five of six elements see their other nodes from
 * the inner corner, which gets the opposite of what these get. */
DV_SIMD_INLINE void product_of_row(const TetrahedronBlocks *t, const DvElementPack *pack, uint32_t block, double k,
                                   uint32_t prefetched, bool narrow, DvElementRow *row)
{
    /* Those whose gradients are kept: see inner_node. */
    static const uint8_t others[AROUND_INNER][3] = {{1, 2, 0}, {2, 4, 0}, {4, 2, 5}, {4, 0, 6}, {6, 0, 1}};
    DvReal8 x[DV_CELL_CORNERS][3], from_inner[DV_CELL_CORNERS][3], sum[DV_CELL_CORNERS][3];
    const DvReal8 ratio = dv_real8(t->ratio), zero = {0};
    uint32_t has_sum = 0;
    gather_row(pack, narrow, row, x);
    DV_EACH (n, DV_CELL_CORNERS)
        dv_real8_sub(x[n], x[INNER_CORNER], from_inner[n]);
    DV_EACH (e, AROUND_INNER) {
        DvReal8 d[3][3], f[3][3];
        dv_element_prefetch(t->world, sizeof *t->world, block + (uint32_t)e + BLOCKS_AHEAD, prefetched, false);
        DV_EACH (n, 3)
            DV_EACH (c, 3)
                d[n][c] = from_inner[others[e][n]][c];
        stiffness_times((ConstMat8)t->world[block + (uint32_t)e], &ratio, k, (ConstMat8)d, f);
        DV_EACH (n, 3) {
            const uint8_t corner = others[e][n];
            DV_EACH (c, 3)
                sum[corner][c] = has_sum >> corner & 1u ? sum[corner][c] + f[n][c] : f[n][c];
            has_sum |= 1u << corner;
        }
    }
    DV_EACH (c, 3) {
        sum[INNER_CORNER][c] = -(((sum[0][c] + sum[1][c]) + (sum[2][c] + sum[4][c])) + (sum[5][c] + sum[6][c]));
        sum[7][c] = zero; /* which only the last one has */
    }
    dv_element_prefetch(t->world, sizeof *t->world, block + AROUND_INNER + BLOCKS_AHEAD, prefetched, false);
    product_in_cells(t, block + AROUND_INNER, k, dv_element_row_corner[AROUND_INNER], (ConstMat8)x, sum);
    add_row(pack, narrow, row, (ConstMat8)sum);
}

DV_SIMD_INLINE void dforce_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const ProductWork *work = context;
    const TetrahedronBlocks *t = work->t;
    const uint32_t prefetched = dv_element_prefetch_count(&t->mesh.chunks, t->mesh.blocks);
    for (uint32_t block = begin; block < end;) {
        const DvElementPack *pack = t->one_ratio && !t->turn ? dv_element_pack_at(&t->mesh.chunks, block) : NULL;
        if (pack && pack->row)
            product_of_row(t, pack, block, work->k, prefetched, narrow, row);
        else if (pack)
            product_of_pack(t, pack, block, work->k, prefetched, narrow, row);
        else
            product_of_block(t, block, work->k, narrow, row);
        block += pack ? DV_PACK_BLOCKS : 1;
    }
}

DV_SIMD_LEVELS(dforce_chunk, dforce_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

/* Normal strains and shears have different gradients: only the local frame knows which is which. */
DV_SIMD_INLINE void local_dforce_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const ProductWork *work = context;
    TetrahedronBlocks *t = work->t;
    for (uint32_t block = begin; block < end; block++) {
        const uint16_t *place = dv_element_places(&t->mesh.chunks, block);
        ConstMat8 frame = (ConstMat8)t->current[block], normal = (ConstMat8)t->normal[block],
                  shear = t->rest[block].gradient;
        const DvReal8 lambda = t->rest[block].lambda * -work->k, mu = t->rest[block].mu * -work->k;
        DvReal8 edge[3][3], d[3][3], s[6], sigma[6], f[3][3];
        dv_element_rows_edges(row, place, 3, narrow, edge);
        DV_EACH (k, 3)
            dv_real8_mul(frame, edge[k], d[k]);
        strain_of((ConstMat8)d, normal, shear, s);
        stress_of(&lambda, &mu, s, sigma);
        DV_EACH (k, 3) {
            DvReal8 turned[3];
            traction(sigma, normal[k], shear[k], turned);
            dv_real8_transposed_mul(frame, turned, f[k]);
        }
        dv_element_rows_add_to_ends(row, place, 3, narrow, (ConstMat8)f);
    }
}

DV_SIMD_LEVELS(local_dforce_chunk, local_dforce_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end),
               context, row, begin, end)

void tetrahedron_blocks_dforce(TetrahedronBlocks *t, double k, const DvConstVec *dx, const DvVec *df)
{
    ProductWork work = {t, k};
    tetrahedron_blocks_keep(t);
    dv_element_chunks_add(&t->mesh.chunks, dx->at, df->at, t->current ? local_dforce_chunk : dforce_chunk, &work);
}
