/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Forces of linear corotational tetrahedra, and what they keep for products and assembly.
 */
#include "forcefield/fem/tetrahedron_frames.h"

enum { RESTS_AHEAD = 12 }; /* that are prefetched */

DV_SIMD_INLINE void plastic_flow(const TetrahedronPlasticity *plasticity, uint32_t first, uint32_t elements,
                                 DvReal8 s[6])
{
    DvReal8 p[6] = {{0}}, e[6], norm = {0}, size = {0};
    double *strain = plasticity->strain + 6 * (size_t)first;
    const uint32_t lanes = elements - first < DV_LANES ? elements - first : DV_LANES;
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t c = 0; c < 6; c++)
            p[c][lane] = strain[6 * lane + c];
    DV_EACH (c, 6) {
        e[c] = s[c] - p[c];
        norm += e[c] * e[c];
    }
    const DvReal8 creep =
        dv_real8_select(norm > plasticity->yield * plasticity->yield, dv_real8(plasticity->creep), dv_real8(0.0));
    DV_EACH (c, 6) {
        p[c] += creep * e[c];
        size += p[c] * p[c];
    }
    const DvMask8 beyond = size > plasticity->limit * plasticity->limit;
    const DvReal8 shrink = dv_real8_select(
        beyond, plasticity->limit / dv_real8_sqrt(dv_real8_select(beyond, size, dv_real8(1.0))), dv_real8(1.0));
    DV_EACH (c, 6) {
        p[c] *= shrink;
        s[c] -= p[c];
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t c = 0; c < 6; c++)
            strain[6 * lane + c] = p[c][lane];
}

typedef struct ForceWork {
    TetrahedronBlocks *t;
    const TetrahedronPlasticity *plasticity;
} ForceWork;

/* R^T B R / mu from the stretch S = R F, both symmetric; zero where the rotation is not defined. */
DV_SIMD_INLINE void make_turn(const TetrahedronRest *rest, const DvReal8 *ratio, const DvReal8 edge[3][3],
                              const DvReal8 frame[3][3], DvReal8 turn[6])
{
    DvReal8 f[3][3], g[3][3], cofactor[3][3], b[3][3], half[3][3];
    const DvReal8 zero = {0};
    deformation_gradient(rest, edge, f);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            g[i][j] = -(frame[i][0] * f[0][j] + frame[i][1] * f[1][j] + frame[i][2] * f[2][j]);
    const DvReal8 trace = -(g[0][0] + g[1][1] + g[2][2]);
    DV_EACH (i, 3)
        g[i][i] += trace;
    dv_real8_cross(g[1], g[2], cofactor[0]);
    dv_real8_cross(g[2], g[0], cofactor[1]);
    dv_real8_cross(g[0], g[1], cofactor[2]);
    const DvReal8 det = dv_real8_dot(g[0], cofactor[0]);
    const DvMask8 undefined = ~(dv_real8_abs(det) > 1e-9 * dv_real8_abs(trace * trace * trace));
    const DvReal8 factor = (*ratio * (trace - 3.0) - 2.0) / dv_real8_select(undefined, dv_real8(1.0), det);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            b[i][j] = dv_real8_select(
                undefined, zero, 0.5 * factor * (cofactor[i][j] + cofactor[j][i]) + (i == j ? dv_real8(1.0) : zero));
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            half[i][j] = b[i][0] * frame[0][j] + b[i][1] * frame[1][j] + b[i][2] * frame[2][j];
    DV_EACH (c, 3) {
        const int n = (c + 1) % 3; /* xy, yz, zx */
        turn[c] = frame[0][c] * half[0][c] + frame[1][c] * half[1][c] + frame[2][c] * half[2][c];
        turn[3 + c] = frame[0][c] * half[0][n] + frame[1][c] * half[1][n] + frame[2][c] * half[2][n];
    }
}

/* What products and assembly need of a force. */
DV_SIMD_INLINE void keep_block(TetrahedronBlocks *t, uint32_t block, const DvReal8 edge[3][3],
                               const DvReal8 frame[3][3], ConstMat8 normal)
{
    const TetrahedronRest *rest = &t->rest[block];
    turn_gradients(t, block, frame, normal);
    if (t->current) {
        memcpy(t->current[block], frame, sizeof t->current[block]);
        memcpy(t->normal[block], normal, sizeof t->normal[block]);
    }
    if (t->turn) {
        const DvReal8 ratio = ratio_of(t, block);
        make_turn(rest, &ratio, edge, frame, t->turn[block]);
    }
}

/* `turns` is false of method small, whose frames are those of the world and whose gradients stay as they were made. */
DV_SIMD_INLINE void force_of_block(const ForceWork *work, bool turns, TetrahedronUpdate update, uint32_t block,
                                   const DvReal8 edge[3][3], const DvReal8 frame[3][3], bool narrow, DvElementRow *row)
{
    TetrahedronBlocks *t = work->t;
    const TetrahedronRest *rest = &t->rest[block];
    DvReal8 local[3][3], d[3][3], s[6], sigma[6], f[3][3], gradient[3][3];
    DV_EACH (k, 3) {
        if (turns)
            dv_real8_mul(frame, edge[k], local[k]);
        dv_real8_sub(rest->edge[k], turns ? local[k] : edge[k], d[k]);
    }
    ConstMat8 normal = rest->gradient, shear = rest->gradient;
    if (update != UPDATE_NONE) {
        current_gradients((ConstMat8)local, gradient);
        normal = (ConstMat8)gradient;
        if (update == UPDATE_ALL_STRAINS)
            shear = normal;
    }
    strain_of((ConstMat8)d, normal, shear, s);
    if (work->plasticity)
        plastic_flow(work->plasticity, block * DV_LANES, t->mesh.elements, s);
    stress_of(&rest->lambda, &rest->mu, s, sigma);
    DV_EACH (k, 3) {
        DvReal8 turned[3];
        traction(sigma, normal[k], shear[k], turns ? turned : f[k]);
        if (turns)
            dv_real8_transposed_mul(frame, turned, f[k]);
    }
    if (turns && !t->owed)
        keep_block(t, block, edge, frame, normal);
    dv_element_rows_add_to_ends(row, dv_element_places(&t->mesh.chunks, block), 3, narrow, (ConstMat8)f);
}

DV_SIMD_INLINE void turned_forces(const ForceWork *work, TetrahedronMethod method, TetrahedronUpdate update,
                                  uint32_t begin, uint32_t end, bool narrow, DvElementRow *row)
{
    const TetrahedronBlocks *t = work->t;
    const uint32_t prefetched = dv_element_prefetch_count(&t->mesh.chunks, t->mesh.blocks);
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            dv_element_rows_edges(row, dv_element_places(&t->mesh.chunks, first + b), 3, narrow, edge[b]);
        current_frames(t, method, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++) {
            dv_element_prefetch(t->rest, sizeof *t->rest, first + b + RESTS_AHEAD, prefetched, false);
            dv_element_prefetch(t->world, sizeof *t->world, first + b + RESTS_AHEAD, prefetched, false);
            force_of_block(work, true, update, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], narrow, row);
        }
    }
}

/* What most scenes have gets a loop of its own, with what it needs in registers. */
DV_SIMD_INLINE void force_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const ForceWork *work = context, plain = {work->t, NULL};
    const TetrahedronBlocks *t = work->t;
    if (work->plasticity || t->update != UPDATE_NONE) {
        turned_forces(work, t->method, t->update, begin, end, narrow, row);
    } else if (t->method == TETRAHEDRON_SMALL) {
        for (uint32_t block = begin; block < end; block++) {
            DvReal8 edge[3][3];
            dv_element_rows_edges(row, dv_element_places(&t->mesh.chunks, block), 3, narrow, edge);
            force_of_block(&plain, false, UPDATE_NONE, block, (ConstMat8)edge, NULL, narrow, row);
        }
    } else if (t->method == TETRAHEDRON_LARGE) {
        turned_forces(&plain, TETRAHEDRON_LARGE, UPDATE_NONE, begin, end, narrow, row);
    } else {
        turned_forces(&plain, t->method, UPDATE_NONE, begin, end, narrow, row);
    }
}

DV_SIMD_LEVELS(force_chunk, force_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

/* Forces in a row after which none of them keeps anything: explicit schemes never ask for a product. */
enum { FORCES_ALONE = 8 };

void tetrahedron_blocks_force(TetrahedronBlocks *t, const TetrahedronPlasticity *plasticity, const DvConstVec *x,
                              const DvVec *f)
{
    ForceWork work = {t, plasticity};
    t->owed = t->forces_alone >= FORCES_ALONE && t->method != TETRAHEDRON_SMALL;
    if (t->owed)
        dv_element_blocks_load(&t->mesh, x->at);
    else if (t->forces_alone < FORCES_ALONE)
        t->forces_alone++;
    dv_element_chunks_add(&t->mesh.chunks, x->at, f->at, force_chunk, &work);
}

DV_SIMD_INLINE void keep_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    TetrahedronBlocks *t = context;
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            gather_edges(&t->mesh, first + b, narrow, edge[b]);
        current_frames(t, t->method, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++) {
            DvReal8 local[3][3], gradient[3][3];
            ConstMat8 normal = t->rest[first + b].gradient;
            if (t->update != UPDATE_NONE) {
                DV_EACH (k, 3)
                    dv_real8_mul((ConstMat8)frame[b], edge[b][k], local[k]);
                current_gradients((ConstMat8)local, gradient);
                normal = (ConstMat8)gradient;
            }
            keep_block(t, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], normal);
        }
    }
}

DV_SIMD_LEVELS(keep_chunk, keep_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void tetrahedron_blocks_keep(TetrahedronBlocks *t)
{
    t->forces_alone = 0;
    if (!t->owed)
        return;
    t->owed = false;
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, keep_chunk, t);
}
