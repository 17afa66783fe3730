/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Beams, eight at a time. What they compute is in the header.
 */
#include "forcefield/fem/beam_blocks.h"

/* Blocks up to which what beams give is added as it is computed, by one thread. */
enum { MOST_BLOCKS_IN_PLACE = DV_BLOCKS_PER_CHUNK };

/* The square of the sine up to which an arc sine is a short series. */
static const double SMALL_SINE_SQUARED = 0.01;

void beam_blocks_free(BeamBlocks *b)
{
    dv_element_blocks_free(&b->mesh);
    dv_free(b->block);
    dv_free(b->forces);
    b->block = NULL;
    b->forces = NULL;
    b->room = 0;
}

static void make_room(BeamBlocks *b)
{
    if (b->mesh.blocks > b->room) {
        const uint32_t larger = b->room == 0 ? b->mesh.blocks : b->mesh.blocks + b->mesh.blocks / 2;
        b->block = dv_realloc(b->block, b->room * sizeof *b->block, larger * sizeof *b->block);
        dv_free(b->forces);
        b->forces = NULL;
        b->room = larger;
    }
    if (b->mesh.blocks > MOST_BLOCKS_IN_PLACE && !b->forces)
        b->forces = dv_alloc(b->room, sizeof *b->forces);
}

DvStatus beam_blocks_build(BeamBlocks *b, const DvObject *object, uint32_t points, DvElements edges, bool consistent)
{
    beam_blocks_free(b);
    b->consistent = consistent;
    const DvStatus status =
        dv_element_blocks_build(&b->mesh, object, "beam", points, BEAM_NODES, edges.count, edges.at);
    if (status == DV_OK)
        make_room(b);
    return status;
}

DvStatus beam_blocks_update(BeamBlocks *b, const DvObject *object, const DvMeshEdits *edits,
                            const DvTopologyRef *topology, uint32_t points, DvElements edges, bool *paired)
{
    const DvStatus status =
        dv_element_blocks_update(&b->mesh, object, "beam", edits, topology, points, edges.count, edges.at, paired);
    if (status == DV_OK)
        make_room(b);
    return status;
}

/* b beside a, by the shorter way round. */
static DvQuat rotation_between(DvQuat a, DvQuat b)
{
    if (dv_quat_dot(a, b) < 0.0)
        b = dv_quat(-b.x, -b.y, -b.z, -b.w);
    return dv_quat_normalize(dv_quat_mul(dv_quat_conjugate(a), b));
}

bool beam_blocks_shape(BeamBlocks *b, uint32_t beam, const double *rest, const BeamSection *section)
{
    BeamBlock *block = &b->block[beam / DV_LANES];
    const uint32_t lane = beam % DV_LANES;
    DvRigid3 first = dv_rigid3_load(rest + 7 * (size_t)dv_element_blocks_point(&b->mesh, beam, 0));
    const DvRigid3 second = dv_rigid3_load(rest + 7 * (size_t)dv_element_blocks_point(&b->mesh, beam, 1));
    /* Scenes give six digits of it: there is no force at rest all the same. */
    first.orientation = dv_quat_normalize(first.orientation);
    const DvVec3 between = dv_vec3_sub(second.center, first.center);
    const double length = dv_vec3_norm(between);
    const DvVec3 distance = dv_quat_inverse_rotate(first.orientation, between);
    const DvQuat turn = rotation_between(first.orientation, second.orientation);
    const bool has_length = length > 0.0;
    const DvVec3 axis = b->consistent && has_length ? dv_vec3_scale(distance, 1.0 / length) : dv_vec3(1.0, 0.0, 0.0);
    const DvVec3 direction = dv_quat_rotate(first.orientation, axis);
    const double d[3] = {distance.x, distance.y, distance.z}, e[3] = {axis.x, axis.y, axis.z},
                 r[3] = {direction.x, direction.y, direction.z}, q[4] = {turn.x, turn.y, turn.z, turn.w};
    for (int c = 0; c < 3; c++) {
        block->distance[c][lane] = d[c];
        block->axis[c][lane] = e[c];
        block->direction[c][lane] = r[c];
    }
    for (int c = 0; c < 4; c++)
        block->turn[c][lane] = q[c];
    const double bending = has_length ? section->young * section->second_moment / length : 0.0;
    const double k[BEAM_STIFFNESSES] = {[BEAM_AXIAL] = has_length ? section->young * section->area / length : 0.0,
                                        [BEAM_TORSION] =
                                            has_length ? section->shear * 2.0 * section->second_moment / length : 0.0,
                                        [BEAM_SHIFT] = has_length ? 12.0 * bending / (length * length) : 0.0,
                                        [BEAM_LEVER] = has_length ? 6.0 * bending / length : 0.0,
                                        [BEAM_TURN] = 4.0 * bending,
                                        [BEAM_TURN_OTHER] = 2.0 * bending};
    for (int i = 0; i < BEAM_STIFFNESSES; i++)
        block->stiffness[i][lane] = k[i];
    return has_length;
}

double beam_blocks_slant(const BeamBlocks *b, uint32_t beam)
{
    const BeamBlock *block = &b->block[beam / DV_LANES];
    const uint32_t lane = beam % DV_LANES;
    if (b->consistent)
        return 0.0;
    const DvVec3 d = dv_vec3(block->distance[0][lane], block->distance[1][lane], block->distance[2][lane]),
                 turn = dv_vec3(block->turn[0][lane], block->turn[1][lane], block->turn[2][lane]);
    const double across = sqrt(d.y * d.y + d.z * d.z), between = 2.0 * atan2(dv_vec3_norm(turn), block->turn[3][lane]);
    return fmax(atan2(across, d.x), between);
}

/* ---- Eight at a time ---- */

/* out[c][lane] = component c of `width` at the points of a block. */
DV_SIMD_INLINE void gather(const double *at, int width, const uint32_t node[DV_LANES], DvReal8 *out)
{
    DV_EACH (lane, DV_LANES) {
        const double *from = at + (size_t)width * node[lane];
        DV_EACH (c, width)
            out[c][lane] = from[c];
    }
}

/* r = q v q* */
DV_SIMD_INLINE void rotate(const DvReal8 q[4], const DvReal8 v[3], DvReal8 r[3])
{
    DvReal8 t[3], s[3];
    dv_real8_cross(q, v, t);
    DV_EACH (c, 3)
        t[c] = t[c] + t[c];
    dv_real8_cross(q, t, s);
    DV_EACH (c, 3)
        r[c] = v[c] + q[3] * t[c] + s[c];
}

/* a* b, with the sign of b that makes it the shorter way round. */
DV_SIMD_INLINE void beside(const DvReal8 a[4], const DvReal8 b[4], DvReal8 r[4])
{
    const DvReal8 dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], one = dv_real8(1.0);
    const DvReal8 sign = dv_real8_select(dot < 0.0, -one, one);
    DvReal8 cross[3];
    dv_real8_cross(a, b, cross);
    DV_EACH (c, 3)
        r[c] = sign * (a[3] * b[c] - b[3] * a[c] - cross[c]);
    r[3] = sign * dot;
}

DV_SIMD_INLINE void normalize(DvReal8 q[4])
{
    const DvReal8 square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], one = dv_real8(1.0);
    const DvMask8 away = (dv_real8_abs(square - 1.0) > 1e-10) & (square > 0.0);
    if (!dv_mask8_any(away))
        return;
    const DvReal8 factor = dv_real8_select(away, one / dv_real8_sqrt(dv_real8_select(away, square, one)), one);
    DV_EACH (c, 4)
        q[c] *= factor;
}

/* The rotation vector of unit quaternions with w >= 0: 2 asin(|u|) / |u| times u; near no rotation by the series of the arc sine. */
DV_SIMD_INLINE void rotation_vector(const DvReal8 q[4], DvReal8 v[3])
{
    static const double series[] = {2.0,           1.0 / 3.0,      3.0 / 20.0,     5.0 / 56.0,       35.0 / 576.0,
                                    63.0 / 1408.0, 231.0 / 6656.0, 143.0 / 5120.0, 6435.0 / 278528.0};
    const DvReal8 square = dv_real8_dot(q, q);
    DvReal8 factor = dv_real8(series[8]);
    DV_EACH (i, 8)
        factor = factor * square + series[7 - i];
    DV_EACH (c, 3)
        v[c] = factor * q[c];
    if (!dv_mask8_any(~(square <= SMALL_SINE_SQUARED)))
        return;
    for (int lane = 0; lane < DV_LANES; lane++) {
        if (square[lane] <= SMALL_SINE_SQUARED)
            continue;
        const DvVec3 exact = dv_quat_to_rotation_vector(dv_quat(q[0][lane], q[1][lane], q[2][lane], q[3][lane]));
        v[0][lane] = exact.x;
        v[1][lane] = exact.y;
        v[2][lane] = exact.z;
    }
}

/* How far the second frames have moved (u) and turned (t) beside the first, and where the beams point to (r), in the axes of the world. */
DV_SIMD_INLINE void measure(const BeamBlock *block, bool consistent, const uint32_t *node, const double *x,
                            DvReal8 u[3], DvReal8 t[3], DvReal8 r[3])
{
    DvReal8 a[7], b[7], turn[4], rest[3], own[3], local[3];
    gather(x, 7, node, a);
    gather(x, 7, node + DV_LANES, b);
    normalize(a + 3);
    rotate(a + 3, block->distance, rest);
    rotate(a + 3, block->axis, r);
    DV_EACH (c, 3)
        u[c] = b[c] - a[c] - rest[c];
    beside(a + 3, b + 3, turn);
    normalize(turn);
    DvReal8 more[4];
    beside(block->turn, turn, more);
    normalize(more);
    rotation_vector(more, own);
    if (consistent)
        rotate(block->turn, own, local);
    rotate(a + 3, consistent ? local : own, t);
}

/* What displacements give: w of b beside a, turns of a and b; `sign` times the stiffness. */
DV_SIMD_INLINE void respond(const DvReal8 k[BEAM_STIFFNESSES], const DvReal8 r[3], double sign, const DvReal8 w[3],
                            const DvReal8 ta[3], const DvReal8 tb[3], BeamForces f)
{
    DvReal8 sum[3], lever[3], pull[3];
    const DvReal8 rw = dv_real8_dot(r, w), ra = dv_real8_dot(r, ta), rb = dv_real8_dot(r, tb);
    DV_EACH (c, 3)
        sum[c] = ta[c] + tb[c];
    dv_real8_cross(r, sum, lever);
    dv_real8_cross(r, w, pull);
    const DvReal8 along = (k[BEAM_AXIAL] - k[BEAM_SHIFT]) * rw;
    const DvReal8 same = k[BEAM_TORSION] - k[BEAM_TURN], other = k[BEAM_TORSION] + k[BEAM_TURN_OTHER];
    const DvReal8 about_a = same * ra - other * rb, about_b = same * rb - other * ra;
    DV_EACH (c, 3) {
        const DvReal8 force = sign * (k[BEAM_SHIFT] * w[c] + along * r[c] + k[BEAM_LEVER] * lever[c]);
        const DvReal8 torque = k[BEAM_LEVER] * pull[c];
        f[1][c] = force;
        f[0][c] = -force;
        f[1][3 + c] = sign * (k[BEAM_TURN] * tb[c] + k[BEAM_TURN_OTHER] * ta[c] + about_b * r[c] - torque);
        f[0][3 + c] = sign * (k[BEAM_TURN] * ta[c] + k[BEAM_TURN_OTHER] * tb[c] + about_a * r[c] - torque);
    }
}

typedef struct BeamWork {
    BeamBlocks *b;
    const double *x; /* positions, or displacements */
    double *f;
    double k;
} BeamWork;

/* Straight to the frames, beam by beam, or beside the others until all are there. */
DV_SIMD_INLINE void give(const BeamWork *work, uint32_t number, BeamForces f)
{
    const DvElementBlocks *mesh = &work->b->mesh;
    if (mesh->blocks > MOST_BLOCKS_IN_PLACE) {
        memcpy(work->b->forces[number], f, sizeof(BeamForces));
        return;
    }
    const uint32_t *node = mesh->node + (size_t)number * BEAM_NODES * DV_LANES;
    const uint32_t left = mesh->elements - number * DV_LANES, lanes = left < DV_LANES ? left : DV_LANES;
    for (uint32_t lane = 0; lane < lanes; lane++)
        DV_EACH (n, BEAM_NODES) {
            double *to = work->f + BEAM_FREEDOMS * (size_t)node[(size_t)n * DV_LANES + lane];
            DV_EACH (c, BEAM_FREEDOMS)
                to[c] += f[n][c][lane];
        }
}

DV_SIMD_CLONES static void force_chunk(void *context, uint32_t begin, uint32_t end)
{
    const BeamWork *work = context;
    for (uint32_t number = begin; number < end; number++) {
        BeamBlock *block = &work->b->block[number];
        const uint32_t *node = work->b->mesh.node + (size_t)number * BEAM_NODES * DV_LANES;
        const DvReal8 none[3] = {{0}};
        DvReal8 u[3], t[3];
        BeamForces f;
        measure(block, work->b->consistent, node, work->x, u, t, block->direction);
        respond(block->stiffness, block->direction, -1.0, u, none, t, f);
        give(work, number, f);
    }
}

DV_SIMD_CLONES static void dforce_chunk(void *context, uint32_t begin, uint32_t end)
{
    const BeamWork *work = context;
    for (uint32_t number = begin; number < end; number++) {
        const BeamBlock *block = &work->b->block[number];
        const uint32_t *node = work->b->mesh.node + (size_t)number * BEAM_NODES * DV_LANES;
        DvReal8 a[6], b[6], w[3];
        BeamForces f;
        gather(work->x, 6, node, a);
        gather(work->x, 6, node + DV_LANES, b);
        dv_real8_sub(b, a, w);
        respond(block->stiffness, block->direction, -work->k, w, a + 3, b + 3, f);
        give(work, number, f);
    }
}

static void gather_points(void *context, uint32_t begin, uint32_t end)
{
    const BeamWork *work = context;
    const DvElementBlocks *mesh = &work->b->mesh;
    for (uint32_t p = begin; p < end; p++)
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t beam = mesh->entry[e] / BEAM_NODES, n = mesh->entry[e] % BEAM_NODES;
            for (int c = 0; c < BEAM_FREEDOMS; c++)
                work->f[BEAM_FREEDOMS * (size_t)p + (size_t)c] +=
                    work->b->forces[beam / DV_LANES][n][c][beam % DV_LANES];
        }
}

/* The sums are the same in either way: each point gets what its beams give in their order. */
static void run(BeamWork *work, void (*chunk)(void *context, uint32_t begin, uint32_t end))
{
    const DvElementBlocks *mesh = &work->b->mesh;
    if (mesh->blocks <= MOST_BLOCKS_IN_PLACE) {
        chunk(work, 0, mesh->blocks);
        return;
    }
    dv_parallel_for(mesh->blocks, DV_BLOCKS_PER_CHUNK, chunk, work);
    dv_parallel_for(mesh->points, DV_POINTS_PER_CHUNK, gather_points, work);
}

void beam_blocks_force(BeamBlocks *b, const DvConstVec *x, const DvVec *f)
{
    BeamWork work = {b, x->at, f->at, 1.0};
    run(&work, force_chunk);
}

void beam_blocks_dforce(BeamBlocks *b, double k, const DvConstVec *dx, const DvVec *df)
{
    BeamWork work = {b, dx->at, df->at, k};
    run(&work, dforce_chunk);
}

DV_SIMD_CLONES static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const BeamWork *work = context;
    double energy = 0.0;
    for (uint32_t number = begin; number < end; number++) {
        const BeamBlock *block = &work->b->block[number];
        const uint32_t *node = work->b->mesh.node + (size_t)number * BEAM_NODES * DV_LANES;
        const uint32_t left = work->b->mesh.elements - number * DV_LANES;
        const DvReal8 none[3] = {{0}};
        DvReal8 u[3], t[3], r[3];
        BeamForces f;
        measure(block, work->b->consistent, node, work->x, u, t, r);
        respond(block->stiffness, r, 0.5, u, none, t, f);
        const DvReal8 each = dv_real8_dot(f[1], u) + dv_real8_dot(f[1] + 3, t);
        for (uint32_t lane = 0; lane < DV_LANES && lane < left; lane++)
            energy += each[lane];
    }
    return energy;
}

double beam_blocks_energy(BeamBlocks *b, const DvConstVec *x)
{
    BeamWork work = {b, x->at, NULL, 1.0};
    return dv_parallel_sum(b->mesh.blocks, DV_BLOCKS_PER_CHUNK, energy_chunk, &work);
}

double beam_blocks_bound(const BeamBlocks *b)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < b->mesh.elements; i++) {
        const DvReal8 *k = b->block[i / DV_LANES].stiffness;
        const uint32_t lane = i % DV_LANES;
        const double bending =
            2.0 * k[BEAM_SHIFT][lane] + 2.0 * k[BEAM_TURN][lane]; /* the trace, of which little else has a share */
        largest = fmax(largest, fmax(bending, 2.0 * fmax(k[BEAM_AXIAL][lane], k[BEAM_TORSION][lane])));
    }
    return sqrt(largest);
}

/* ---- The matrix ---- */

/* block += s [[ p A, q H ], [ -q' H, B ]] as the header of respond() says, where n and m are the ends that row and column stand for. */
DV_SIMD_INLINE void add_block(const BeamBlocks *b, uint32_t beam, uint32_t n, uint32_t m, double dense[36])
{
    const BeamBlock *block = &b->block[beam / DV_LANES];
    const uint32_t lane = beam % DV_LANES;
    double k[BEAM_STIFFNESSES];
    for (int i = 0; i < BEAM_STIFFNESSES; i++)
        k[i] = block->stiffness[i][lane];
    const double r[3] = {block->direction[0][lane], block->direction[1][lane], block->direction[2][lane]};
    const double hat[9] = {0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0};
    const double same = n == m ? 1.0 : -1.0, row = n == 1 ? 1.0 : -1.0, column = m == 1 ? 1.0 : -1.0;
    const double turn = n == m ? k[BEAM_TURN] : k[BEAM_TURN_OTHER],
                 about = n == m ? k[BEAM_TORSION] - k[BEAM_TURN] : -(k[BEAM_TORSION] + k[BEAM_TURN_OTHER]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double one = i == j ? 1.0 : 0.0, rr = r[i] * r[j], h = k[BEAM_LEVER] * hat[3 * i + j];
            dense[6 * i + j] += same * (k[BEAM_SHIFT] * one + (k[BEAM_AXIAL] - k[BEAM_SHIFT]) * rr);
            dense[6 * i + 3 + j] += row * h;
            dense[6 * (3 + i) + j] -= column * h;
            dense[6 * (3 + i) + 3 + j] += turn * one + about * rr;
        }
}

typedef struct AssembleWork {
    const BeamBlocks *b;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

static void diagonal_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->b->mesh;
    for (uint32_t p = begin; p < end; p++) {
        double dense[36] = {0.0};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++)
            add_block(work->b, mesh->entry[e] / BEAM_NODES, mesh->entry[e] % BEAM_NODES, mesh->entry[e] % BEAM_NODES,
                      dense);
        dv_view_add(work->view, p, dense, work->factor);
    }
}

static void pair_chunk(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->b->mesh;
    for (uint32_t k = begin; k < end; k++) {
        double dense[36] = {0.0}, transposed[36];
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++)
            add_block(work->b, mesh->pair_entry[e] >> 6, mesh->pair_entry[e] >> 3 & 7, mesh->pair_entry[e] & 7, dense);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                transposed[6 * i + j] = dense[6 * j + i];
        dv_view_add(work->view, mesh->points + 2 * k, dense, work->factor);
        dv_view_add(work->view, mesh->points + 2 * k + 1, transposed, work->factor);
    }
}

void beam_blocks_assemble(BeamBlocks *b, double k, const DvMatrixView *view)
{
    AssembleWork work = {b, view, -k};
    dv_element_blocks_find_pairs(&b->mesh);
    dv_parallel_for(b->mesh.points, DV_POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(b->mesh.pairs, DV_PAIRS_PER_CHUNK, pair_chunk, &work);
}
