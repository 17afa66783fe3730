/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear corotational tetrahedra, eight elements to a block. The method is described in the header.
 *
 * A force stores the gradients in world axes times the root of mu, G = sqrt(mu) R^T g; the products with the stiffness and its assembly
 * need nothing else but r = lambda / mu, which is the same number in all elements of one Poisson's ratio:
 *   K_nm = r G_n G_m^T + G_m G_n^T + (G_n . G_m) I
 * Then the sum over elements is r S + S^T + tr(S) I, S = sum of G_n G_m^T.
 */
#include "forcefield/fem/tetrahedron_blocks.h"

#include "costs.h"
#include "forcefield/fem/frames.h"
#include <divan/kit/elastic_material.h>
#include <divan/kit/packed_block.h>

#include <divan/math/decompose.h>

#include <string.h>

typedef const DvReal8 (*ConstMat8)[3];
typedef const DvReal8 (*Frames8)[3][3]; /* of several blocks, or edges */

void tetrahedron_blocks_free(TetrahedronBlocks *t)
{
    dv_element_blocks_free(&t->mesh);
    dv_free(t->rest);
    dv_free(t->frame);
    dv_free(t->inverse);
    dv_free(t->world);
    dv_free(t->layout);
    dv_free(t->current);
    dv_free(t->normal);
    dv_free(t->turn);
    dv_free(t->row);
    *t = (TetrahedronBlocks){.mesh = {.kept = t->mesh.kept}};
}

static void set_lane(DvReal8 m[3][3], uint32_t lane, DvMat3 values)
{
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            m[i][j][lane] = values.m[i][j];
}

/* ---- Where the world gradients of an element are ---- */

enum { PACK_ELEMENTS = DV_PACK_BLOCKS * DV_LANES };
enum { BLOCKS_AHEAD = 16, RESTS_AHEAD = 12 }; /* that are asked for */

static bool is_packed(const TetrahedronBlocks *t, uint32_t block)
{
    return t->layout[block / DV_PACK_BLOCKS] != LAYOUT_BLOCKS;
}

static uint32_t packs_in(uint32_t blocks)
{
    return (blocks + DV_PACK_BLOCKS - 1) / DV_PACK_BLOCKS;
}

static TetrahedronLayout layout_of(const TetrahedronBlocks *t, uint32_t pack)
{
    const DvElementPack *cells = dv_element_pack_at(&t->mesh.chunks, pack * DV_PACK_BLOCKS);
    return cells == NULL ? LAYOUT_BLOCKS : cells->row ? LAYOUT_ROW : LAYOUT_CELLS;
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

static bool is_in_row(const TetrahedronBlocks *t, uint32_t block)
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

static double *world_of(const TetrahedronBlocks *t, uint32_t element)
{
    double *at[DV_LANES];
    find_world(t, element / DV_LANES, at);
    return at[element % DV_LANES];
}

static void unpack_world(const TetrahedronBlocks *t, uint32_t block, DvReal8 world[3][3])
{
    double *at[DV_LANES], *to = (double *)world;
    find_world(t, block, at);
    DV_EACH (lane, DV_LANES)
        DV_EACH (i, 9)
            to[i * DV_LANES + lane] = at[lane][i * DV_LANES];
    for (uint32_t lane = 0; lane < DV_LANES && is_in_row(t, block); lane++)
        exchange_inner(block * DV_LANES + lane, to + lane);
}

/* Element by element; packed ones are brought to `room`. */
DV_SIMD_INLINE ConstMat8 world_of_block(const TetrahedronBlocks *t, uint32_t block, DvReal8 room[3][3])
{
    if (!is_packed(t, block))
        return (ConstMat8)t->world[block];
    unpack_world(t, block, room);
    return (ConstMat8)room;
}

static void store_world(TetrahedronBlocks *t, uint32_t block, ConstMat8 world)
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

/* The gradients of a pack to where they belong now that its elements have become cells, or have ceased to be. */
static void pack_world(TetrahedronBlocks *t, uint32_t pack)
{
    const TetrahedronLayout layout = layout_of(t, pack);
    DvReal8 world[DV_PACK_BLOCKS][3][3];
    if (layout == t->layout[pack])
        return;
    t->packs += layout != LAYOUT_BLOCKS;
    t->packs -= t->layout[pack] != LAYOUT_BLOCKS;
    for (uint32_t k = 0; k < DV_PACK_BLOCKS; k++)
        unpack_world(t, pack * DV_PACK_BLOCKS + k, world[k]);
    t->layout[pack] = layout;
    for (uint32_t k = 0; k < DV_PACK_BLOCKS; k++)
        store_world(t, pack * DV_PACK_BLOCKS + k, (ConstMat8)world[k]);
}

/* After an edit of a mesh that had `before` packs of elements. */
static void pack_again(TetrahedronBlocks *t, uint32_t before, const DvMeshEdits *edits)
{
    for (uint32_t i = 0; i < edits->elements.count; i++)
        pack_world(t, edits->elements.data[i] / PACK_ELEMENTS);
    for (uint32_t pack = t->mesh.blocks / DV_PACK_BLOCKS; pack < before; pack++) /* gone, or no longer whole */
        pack_world(t, pack);
    if (t->mesh.blocks >= DV_PACK_BLOCKS) /* the last elements may have gone */
        pack_world(t, t->mesh.blocks / DV_PACK_BLOCKS - 1);
}

static void keep_what_is_owed(TetrahedronBlocks *t);

/* Gradients of an element whose mu was `before`. */
static void scale_world(TetrahedronBlocks *t, uint32_t block, uint32_t lane, double before)
{
    const TetrahedronRest *rest = &t->rest[block];
    const double root = rest->root_mu[lane], factor = before > 0.0 ? sqrt(rest->mu[lane] / before) : 0.0;
    const bool turned = before > 0.0 && t->method != TETRAHEDRON_SMALL;
    double *const world = world_of(t, block * DV_LANES + lane);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            double gradient = 0.0;
            for (int i = 0; i < 3; i++)
                gradient += t->frame[block][i][c][lane] * rest->gradient[k][i][lane];
            double *at = world + (3 * k + c) * DV_LANES;
            *at = turned ? *at * factor : gradient * root;
        }
    if (!turned && is_in_row(t, block))
        exchange_inner(block * DV_LANES + lane, world);
}

void tetrahedron_blocks_set_material(TetrahedronBlocks *t, uint32_t element, double young, double poisson)
{
    TetrahedronRest *rest = &t->rest[element / DV_LANES];
    const uint32_t lane = element % DV_LANES;
    const double scale = 36.0 * rest->volume[lane], before = rest->mu[lane];
    const double lambda = dv_lame_lambda(young, poisson) / scale, mu = dv_lame_mu(young, poisson) / scale;
    if (lambda != rest->lambda[lane] || mu != before)
        keep_what_is_owed(t);
    rest->lambda[lane] = lambda;
    rest->mu[lane] = mu;
    rest->root_mu[lane] = sqrt(mu);
    if (mu != before)
        scale_world(t, element / DV_LANES, lane, before);
    const double ratio = 2.0 * poisson / (1.0 - 2.0 * poisson);
    if (!t->has_ratio) {
        t->ratio = ratio;
        t->one_ratio = t->has_ratio = true;
    } else if (t->ratio != ratio) {
        t->one_ratio = false;
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

double tetrahedron_blocks_volume(const TetrahedronBlocks *t, uint32_t element)
{
    return t->rest[element / DV_LANES].volume[element % DV_LANES];
}

/* Lanes whose deformation G = A A0^-1 is flat or inverted take the stable rotation of G, times the rest frame. */
DV_SIMD_INLINE void mend_inverted(const DvReal8 edge[3][3], const DvReal8 inverse[3][3], const DvReal8 rest[3][3],
                                  DvReal8 frame[3][3])
{
    DvReal8 g[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            g[i][j] = edge[i][0] * inverse[0][j] + edge[i][1] * inverse[1][j] + edge[i][2] * inverse[2][j];
    DvReal8 cofactor[3];
    dv_real8_cross(g[1], g[2], cofactor);
    const DvMask8 bad = dv_real8_dot(g[0], cofactor) < 1e-6;
    if (!dv_mask8_any(bad))
        return;
    for (uint32_t lane = 0; lane < DV_LANES; lane++) {
        if (!bad[lane])
            continue;
        DvMat3 deformation, initial;
        DV_EACH (i, 3)
            DV_EACH (j, 3) {
                deformation.m[i][j] = g[i][j][lane];
                initial.m[i][j] = rest[i][j][lane];
            }
        set_lane(frame, lane, dv_mat3_mul(dv_polar_stable(deformation), initial));
    }
}

/* F = sum of e_k g_k^T / 6 V over the edges */
DV_SIMD_INLINE void deformation_gradient(const TetrahedronRest *rest, const DvReal8 edge[3][3], DvReal8 f[3][3])
{
    const DvReal8 scale = 1.0 / dv_real8_dot(rest->edge[0], rest->gradient[0]);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            f[i][j] = scale * (edge[0][i] * rest->gradient[0][j] + edge[1][i] * rest->gradient[1][j] +
                               edge[2][i] * rest->gradient[2][j]);
}

/* The transpose of the rotation of F; of flat and inverted elements the stable one. */
DV_SIMD_INLINE void deformation_frame(const DvReal8 f[3][3], const DvReal8 rotation[3][3], DvReal8 frame[3][3])
{
    DvReal8 cofactor[3];
    dv_real8_cross(f[1], f[2], cofactor);
    const DvMask8 bad = dv_real8_dot(f[0], cofactor) < 1e-6;
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            frame[i][j] = rotation[j][i];
    for (uint32_t lane = 0; dv_mask8_any(bad) && lane < DV_LANES; lane++) {
        if (!bad[lane])
            continue;
        DvMat3 deformation;
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                deformation.m[i][j] = f[i][j][lane];
        set_lane(frame, lane, dv_mat3_transpose(dv_polar_stable(deformation)));
    }
}

/* World to local, of the current edges of `count` blocks, at most FRAMES_AT_ONCE. */
DV_SIMD_INLINE void current_frames(const TetrahedronBlocks *t, TetrahedronMethod method, uint32_t first, uint32_t count,
                                   const DvReal8 (*edge)[3][3], DvReal8 (*frame)[3][3])
{
    if (method == TETRAHEDRON_LARGE) {
        for (uint32_t b = 0; b < count; b++)
            triangle_frame(edge[b][0], edge[b][1], frame[b]);
    } else if (method == TETRAHEDRON_SMALL) {
        for (uint32_t b = 0; b < count; b++)
            DV_EACH (i, 3)
                DV_EACH (j, 3)
                    frame[b][i][j] = dv_real8(i == j);
    } else if (method == TETRAHEDRON_EXACT) {
        DvReal8 f[FRAMES_AT_ONCE][3][3], rotation[FRAMES_AT_ONCE][3][3];
        for (uint32_t b = 0; b < count; b++)
            deformation_gradient(&t->rest[first + b], edge[b], f[b]);
        polar_frames(count, (Frames8)f, rotation);
        for (uint32_t b = 0; b < count; b++)
            deformation_frame((ConstMat8)f[b], (ConstMat8)rotation[b], frame[b]);
    } else {
        polar_frames(count, edge, frame);
        for (uint32_t b = 0; method == TETRAHEDRON_SVD && b < count; b++)
            mend_inverted(edge[b], (ConstMat8)t->inverse[first + b], (ConstMat8)t->frame[first + b], frame[b]);
    }
}

static inline uint32_t frames_until(uint32_t first, uint32_t end)
{
    return end - first < FRAMES_AT_ONCE ? end - first : FRAMES_AT_ONCE;
}

/* Edges b - a, c - a, d - a of what dv_element_blocks_load was given. */
DV_SIMD_INLINE void gather_edges(const DvElementBlocks *mesh, uint32_t block, bool narrow, DvReal8 edge[3][3])
{
    const uint32_t *node = mesh->node + (size_t)block * 4 * DV_LANES;
    DvReal8 origin[3];
    dv_real8_from_rows(mesh->point, node, narrow, origin);
    DV_EACH (k, 3) {
        DvReal8 point[3];
        dv_real8_from_rows(mesh->point, node + (k + 1) * DV_LANES, narrow, point);
        dv_real8_sub(point, origin, edge[k]);
    }
}

static DvMat3 get_lane(const DvReal8 m[3][3], uint32_t lane)
{
    DvMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = m[i][j][lane];
    return r;
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
    DvReal8 room[3][3], (*world)[3] = is_packed(t, block) ? room : t->world[block];
    DV_EACH (k, 3)
        turn_gradient(frame, gradient[k], &t->rest[block].root_mu, world[k]);
    if (is_packed(t, block))
        store_world(t, block, (ConstMat8)room);
}

/* Rest shapes of a block, by the same operations as current ones: at rest there is no force, to the last bit. */
static void build_rest_shapes(TetrahedronBlocks *t, uint32_t block)
{
    TetrahedronRest *rest = &t->rest[block];
    DvReal8 edges[FRAMES_AT_ONCE][3][3], frames[FRAMES_AT_ONCE][3][3]; /* of which the first is used */
    DvReal8(*frame)[3] = t->frame[block], (*edge)[3] = edges[0];
    gather_edges(&t->mesh, block, true, edge);
    current_frames(t,
                   t->method == TETRAHEDRON_SVD     ? TETRAHEDRON_POLAR
                   : t->method == TETRAHEDRON_EXACT ? TETRAHEDRON_SMALL
                                                    : t->method,
                   block, 1, (Frames8)edges, frames);
    memcpy(frame, frames[0], sizeof frames[0]);
    for (int k = 0; k < 3; k++)
        dv_real8_mul((ConstMat8)frame, edge[k], rest->edge[k]);
    dv_real8_cross(rest->edge[1], rest->edge[2], rest->gradient[0]);
    dv_real8_cross(rest->edge[2], rest->edge[0], rest->gradient[1]);
    dv_real8_cross(rest->edge[0], rest->edge[1], rest->gradient[2]);
    rest->volume = dv_real8_abs(dv_real8_dot(rest->edge[0], rest->gradient[0])) / 6.0;
    turn_gradients(t, block, (ConstMat8)frame, (ConstMat8)rest->gradient);
    for (uint32_t lane = 0; t->inverse && lane < DV_LANES; lane++) {
        DvMat3 inverse = dv_mat3_identity();
        (void)dv_mat3_inverse(get_lane((ConstMat8)edge, lane), &inverse);
        set_lane(t->inverse[block], lane, inverse);
    }
    if (t->current) {
        memcpy(t->current[block], frame, sizeof t->current[block]);
        memcpy(t->normal[block], rest->gradient, sizeof rest->gradient);
    }
}

/* Lanes that no element has give nothing. */
static void clear_last_block(TetrahedronBlocks *t)
{
    for (uint32_t lane = t->mesh.elements; lane < t->mesh.blocks * DV_LANES; lane++) {
        TetrahedronRest *rest = &t->rest[lane / DV_LANES];
        rest->lambda[lane % DV_LANES] = rest->mu[lane % DV_LANES] = rest->root_mu[lane % DV_LANES] = 0.0;
        set_lane(t->world[lane / DV_LANES], lane % DV_LANES, dv_mat3_zero()); /* which no pack has */
    }
}

static DvStatus check_volume(const TetrahedronBlocks *t, const DvObject *object, uint32_t element)
{
    const double size = dv_mat3_norm(get_lane((ConstMat8)t->rest[element / DV_LANES].edge, element % DV_LANES));
    const double volume = tetrahedron_blocks_volume(t, element);
    if (volume > 1e-14 * size * size * size && isfinite(volume))
        return DV_OK;
    return dv_error(object, DV_ERROR_INVALID, "tetrahedron %u has no volume at rest (%g m^3); remove it from the mesh",
                    element, volume);
}

static void *enlarge(void *array, uint32_t old, uint32_t room, size_t size)
{
    return array ? dv_realloc(array, old * size, room * size) : NULL;
}

static void make_room(TetrahedronBlocks *t)
{
    const uint32_t old = t->room, room = t->mesh.block_room;
    if (room <= old)
        return;
    t->rest = enlarge(t->rest, old, room, sizeof *t->rest);
    t->frame = enlarge(t->frame, old, room, sizeof *t->frame);
    t->world = enlarge(t->world, old, room, sizeof *t->world);
    t->layout = enlarge(t->layout, packs_in(old), packs_in(room), sizeof *t->layout);
    t->inverse = enlarge(t->inverse, old, room, sizeof *t->inverse);
    t->current = enlarge(t->current, old, room, sizeof *t->current);
    t->normal = enlarge(t->normal, old, room, sizeof *t->normal);
    t->turn = enlarge(t->turn, old, room, sizeof *t->turn);
    dv_free(t->row);
    t->row = NULL;
    t->room = room;
}

DvStatus tetrahedron_blocks_update(TetrahedronBlocks *t, const DvObject *object, const DvMeshEdits *edits,
                                   const DvTopologyRef *topology, uint32_t points, const double *rest_position,
                                   uint32_t elements, const uint32_t *list, bool *paired)
{
    const uint32_t before = t->mesh.blocks / DV_PACK_BLOCKS;
    const DvStatus status =
        dv_element_blocks_update(&t->mesh, object, "tetrahedron", edits, topology, points, elements, list, paired);
    if (status != DV_OK)
        return status;
    make_room(t);
    pack_again(t, before, edits);
    uint32_t done = UINT32_MAX; /* they are ascending */
    for (uint32_t i = 0; i < edits->elements.count; i++) {
        const uint32_t element = edits->elements.data[i], block = element / DV_LANES;
        if (block != done) {
            dv_element_blocks_load_block(&t->mesh, rest_position, block);
            build_rest_shapes(t, block);
        }
        done = block;
        const DvStatus shape = check_volume(t, object, element);
        if (shape != DV_OK)
            return shape;
    }
    if (t->mesh.blocks > 0 && done != t->mesh.blocks - 1) { /* the lanes that nobody has any more */
        dv_element_blocks_load_block(&t->mesh, rest_position, t->mesh.blocks - 1);
        build_rest_shapes(t, t->mesh.blocks - 1);
    }
    clear_last_block(t);
    return DV_OK;
}

DvStatus tetrahedron_blocks_build(TetrahedronBlocks *t, const DvObject *object, TetrahedronMethod method,
                                  TetrahedronUpdate update, uint32_t points, const double *rest_position,
                                  uint32_t elements, const uint32_t *list)
{
    tetrahedron_blocks_free(t);
    const DvStatus status = dv_element_blocks_build(&t->mesh, object, "tetrahedron", points, 4, elements, list);
    if (status != DV_OK)
        return status;
    const uint32_t blocks = t->mesh.blocks;
    t->room = blocks;
    t->method = method;
    t->update = method == TETRAHEDRON_SMALL || method == TETRAHEDRON_EXACT ? UPDATE_NONE : update;
    t->rest = dv_alloc(blocks, sizeof *t->rest);
    t->frame = dv_alloc(blocks, sizeof *t->frame);
    t->world = dv_alloc(blocks, sizeof *t->world);
    t->layout = dv_alloc(packs_in(blocks), sizeof *t->layout);
    for (uint32_t pack = 0; pack < blocks / DV_PACK_BLOCKS; pack++) {
        t->layout[pack] = layout_of(t, pack);
        t->packs += t->layout[pack] != LAYOUT_BLOCKS;
    }
    if (method == TETRAHEDRON_SVD)
        t->inverse = dv_alloc(blocks, sizeof *t->inverse);
    if (method == TETRAHEDRON_EXACT)
        t->turn = dv_alloc(blocks, sizeof *t->turn);
    if (t->update == UPDATE_NORMAL_STRAINS) {
        t->current = dv_alloc(blocks, sizeof *t->current);
        t->normal = dv_alloc(blocks, sizeof *t->normal);
    }
    dv_element_blocks_load(&t->mesh, rest_position);
    for (uint32_t block = 0; block < blocks; block++)
        build_rest_shapes(t, block);
    for (uint32_t i = 0; i < elements; i++) {
        const DvStatus shape = check_volume(t, object, i);
        if (shape != DV_OK)
            return shape;
    }
    return DV_OK;
}

/* s = sum sym(D_k g_k^T) over b, c, d; `normal` are the gradients of the normal strains, `shear` those of the shears. */
DV_SIMD_INLINE void strain_of(const DvReal8 d[3][3], const DvReal8 normal[3][3], const DvReal8 shear[3][3],
                              DvReal8 s[6])
{
    DV_EACH (c, 3)
        s[c] = normal[0][c] * d[0][c] + normal[1][c] * d[1][c] + normal[2][c] * d[2][c];
    DV_EACH (c, 3) {
        const int i = c, j = (c + 1) % 3; /* xy, yz, zx */
        s[3 + c] = shear[0][j] * d[0][i] + shear[0][i] * d[0][j] + shear[1][j] * d[1][i] + shear[1][i] * d[1][j] +
                   shear[2][j] * d[2][i] + shear[2][i] * d[2][j];
    }
}

DV_SIMD_INLINE void stress_of(const DvReal8 *lambda, const DvReal8 *mu, const DvReal8 s[6], DvReal8 sigma[6])
{
    const DvReal8 pressure = *lambda * (s[0] + s[1] + s[2]), two_mu = *mu + *mu;
    DV_EACH (c, 3) {
        sigma[c] = pressure + two_mu * s[c];
        sigma[3 + c] = *mu * s[3 + c];
    }
}

/* f = sigma g */
DV_SIMD_INLINE void traction(const DvReal8 sigma[6], const DvReal8 normal[3], const DvReal8 shear[3], DvReal8 f[3])
{
    f[0] = sigma[0] * normal[0] + sigma[3] * shear[1] + sigma[5] * shear[2];
    f[1] = sigma[3] * shear[0] + sigma[1] * normal[1] + sigma[4] * shear[2];
    f[2] = sigma[5] * shear[0] + sigma[4] * shear[1] + sigma[2] * normal[2];
}

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
    double k;
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

/* Local gradients of the current shape */
DV_SIMD_INLINE void current_gradients(const DvReal8 local[3][3], DvReal8 gradient[3][3])
{
    dv_real8_cross(local[1], local[2], gradient[0]);
    dv_real8_cross(local[2], local[0], gradient[1]);
    dv_real8_cross(local[0], local[1], gradient[2]);
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
    const uint32_t to_ask = dv_element_prefetch_count(&t->mesh.chunks, t->mesh.blocks);
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            dv_element_rows_edges(row, dv_element_places(&t->mesh.chunks, first + b), 3, narrow, edge[b]);
        current_frames(t, method, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++) {
            dv_element_prefetch(t->rest, sizeof *t->rest, first + b + RESTS_AHEAD, to_ask, false);
            dv_element_prefetch(t->world, sizeof *t->world, first + b + RESTS_AHEAD, to_ask, false);
            force_of_block(work, true, update, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], narrow, row);
        }
    }
}

/* What most scenes have gets a loop of its own, with what it needs in registers. */
DV_SIMD_INLINE void force_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const ForceWork *work = context, plain = {work->t, NULL, 1.0};
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
    ForceWork work = {t, plasticity, 1.0};
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

/* Before anything that needs what a force keeps, or changes what it is made of. */
static void keep_what_is_owed(TetrahedronBlocks *t)
{
    t->forces_alone = 0;
    if (!t->owed)
        return;
    t->owed = false;
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, keep_chunk, t);
}

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

DV_SIMD_INLINE void product_of_block(const TetrahedronBlocks *t, uint32_t block, double k, bool narrow,
                                     DvElementRow *row)
{
    const uint16_t *place = dv_element_places(&t->mesh.chunks, block);
    DvReal8 d[3][3], f[3][3], room[3][3];
    const DvReal8 ratio = ratio_of(t, block);
    ConstMat8 world = world_of_block(t, block, room);
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
                                    uint32_t to_ask, bool narrow, DvElementRow *row)
{
    DvReal8 x[DV_CELL_CORNERS][3], sum[DV_CELL_CORNERS][3];
    const DvReal8 zero = {0};
    for (uint32_t n = 0; n < pack->corners; n++) {
        gather_corner(pack, n, narrow, row, x[n]);
        DV_EACH (c, 3)
            sum[n][c] = zero;
    }
    for (uint32_t e = 0; e < DV_CELL_ELEMENTS; e++) {
        dv_element_prefetch(t->world, sizeof *t->world, block + e + BLOCKS_AHEAD, to_ask, false);
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
                                   uint32_t to_ask, bool narrow, DvElementRow *row)
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
        dv_element_prefetch(t->world, sizeof *t->world, block + (uint32_t)e + BLOCKS_AHEAD, to_ask, false);
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
    dv_element_prefetch(t->world, sizeof *t->world, block + AROUND_INNER + BLOCKS_AHEAD, to_ask, false);
    product_in_cells(t, block + AROUND_INNER, k, dv_element_row_corner[AROUND_INNER], (ConstMat8)x, sum);
    add_row(pack, narrow, row, (ConstMat8)sum);
}

DV_SIMD_INLINE void dforce_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const ForceWork *work = context;
    const TetrahedronBlocks *t = work->t;
    const uint32_t to_ask = dv_element_prefetch_count(&t->mesh.chunks, t->mesh.blocks);
    for (uint32_t block = begin; block < end;) {
        const DvElementPack *pack = t->one_ratio && !t->turn ? dv_element_pack_at(&t->mesh.chunks, block) : NULL;
        if (pack && pack->row)
            product_of_row(t, pack, block, work->k, to_ask, narrow, row);
        else if (pack)
            product_of_pack(t, pack, block, work->k, to_ask, narrow, row);
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
    const ForceWork *work = context;
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
    ForceWork work = {t, NULL, k};
    keep_what_is_owed(t);
    dv_element_chunks_add(&t->mesh.chunks, dx->at, df->at, t->current ? local_dforce_chunk : dforce_chunk, &work);
}

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
        DvReal8 room[3][3];
        ConstMat8 world = world_of_block(t, block, room);
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
    keep_what_is_owed(t);
    if (t->current || t->turn) {
        dv_parallel_for(t->mesh.points, DV_POINTS_PER_CHUNK, local_diagonal_chunk, &work);
        dv_parallel_for(t->mesh.pairs, DV_PAIRS_PER_CHUNK, local_pair_chunk, &work);
        return;
    }
    if (!t->row)
        t->row = dv_alloc((size_t)t->room * DV_LANES * 4, sizeof *t->row);
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, rows_chunk, &work);
    dv_parallel_for(t->mesh.points, DV_POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(t->mesh.pairs, DV_PAIRS_PER_CHUNK, pair_chunk, &work);
}

DV_SIMD_INLINE void add_energy(const ForceWork *work, uint32_t block, const DvReal8 edge[3][3],
                               const DvReal8 frame[3][3], double *energy)
{
    const TetrahedronBlocks *t = work->t;
    const TetrahedronRest *rest = &t->rest[block];
    DvReal8 d[3][3], s[6], sigma[6], density = {0};
    DV_EACH (k, 3) {
        dv_real8_mul(frame, edge[k], d[k]);
        dv_real8_sub(rest->edge[k], d[k], d[k]);
    }
    strain_of((ConstMat8)d, rest->gradient, rest->gradient, s);
    for (uint32_t lane = 0; work->plasticity && lane < DV_LANES && block * DV_LANES + lane < t->mesh.elements; lane++)
        for (uint32_t c = 0; c < 6; c++)
            s[c][lane] -= work->plasticity->strain[6 * (size_t)(block * DV_LANES + lane) + c];
    stress_of(&rest->lambda, &rest->mu, s, sigma);
    DV_EACH (c, 6)
        density += s[c] * sigma[c];
    DV_EACH (lane, DV_LANES)
        *energy += 0.5 * density[lane];
}

DV_SIMD_CLONES static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const ForceWork *work = context;
    const TetrahedronBlocks *t = work->t;
    double energy = 0.0;
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            gather_edges(&t->mesh, first + b, false, edge[b]);
        current_frames(t, t->method, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++)
            add_energy(work, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], &energy);
    }
    return energy;
}

double tetrahedron_blocks_energy(TetrahedronBlocks *t, const TetrahedronPlasticity *plasticity, const DvConstVec *x)
{
    ForceWork work = {t, plasticity, 1.0};
    keep_what_is_owed(t);
    dv_element_blocks_load(&t->mesh, x->at);
    return dv_parallel_sum(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, energy_chunk, &work);
}

/* First element whose orientation is not that of its rest shape, or UINT32_MAX. */
uint32_t tetrahedron_blocks_inverted(const TetrahedronBlocks *t, const DvConstVec *x)
{
    for (uint32_t i = 0; x->at && x->count == t->mesh.points && i < t->mesh.elements; i++) {
        DvVec3 p[4];
        for (uint32_t n = 0; n < 4; n++)
            p[n] = dv_vec3_load(x->at + 3 * (size_t)dv_element_blocks_point(&t->mesh, i, n));
        const TetrahedronRest *rest = &t->rest[i / DV_LANES];
        const DvMat3 edges = get_lane(rest->edge, i % DV_LANES),
                     frame = get_lane((ConstMat8)t->frame[i / DV_LANES], i % DV_LANES);
        const double before = dv_mat3_det(edges) * dv_mat3_det(frame); /* a frame may be a reflection */
        if (!(dv_tetrahedron_volume(p[0], p[1], p[2], p[3]) * before > 0.0))
            return i;
    }
    return UINT32_MAX;
}

/* sqrt of the largest trace of an element stiffness. */
double tetrahedron_blocks_bound(const TetrahedronBlocks *t)
{
    double largest = 0.0;
    for (uint32_t block = 0; block < t->mesh.blocks; block++) {
        const TetrahedronRest *rest = &t->rest[block];
        for (uint32_t lane = 0; lane < DV_LANES; lane++) {
            double a[3] = {0.0}, squares = 0.0;
            DV_EACH (k, 3)
                DV_EACH (c, 3) {
                    const double g = rest->gradient[k][c][lane];
                    a[c] += g;
                    squares += g * g;
                }
            squares += a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
            largest = fmax(largest, (rest->lambda[lane] + 4.0 * rest->mu[lane]) * squares);
        }
    }
    return sqrt(largest);
}

void tetrahedron_blocks_cost(const TetrahedronBlocks *t, double *product, double *assembly)
{
    const double elements = t->mesh.elements,
                 whole = elements *
                         dv_cache_penalty(cost_whole_tetrahedron_bytes * elements, cost_whole_tetrahedron_beyond);
    if (t->current || t->turn) {
        *product = cost_updated_tetrahedron_product * whole;
        *assembly = cost_updated_tetrahedron_assembly * whole;
        return;
    }
    const double in_cells = t->one_ratio && !t->turn ? (double)PACK_ELEMENTS * t->packs : 0.0;
    *product = (cost_tetrahedron_product * (elements - in_cells) + cost_cell_tetrahedron_product * in_cells) *
               dv_cache_penalty(cost_tetrahedron_bytes * elements, cost_tetrahedron_product_beyond);
    *assembly = cost_tetrahedron_assembly * whole;
}

typedef struct StressWork {
    const TetrahedronBlocks *t;
    TetrahedronMethod frame;
    TetrahedronStrain strain;
    double *out;
} StressWork;

/* Displacements of the ends: in the element's frame, or in world axes. */
DV_SIMD_INLINE void local_displacements(const TetrahedronBlocks *t, uint32_t block, const DvReal8 edge[3][3],
                                        const DvReal8 frame[3][3], DvReal8 u[3][3])
{
    DV_EACH (k, 3) {
        dv_real8_mul(frame, edge[k], u[k]);
        dv_real8_sub(u[k], t->rest[block].edge[k], u[k]);
    }
}

DV_SIMD_INLINE void world_displacements(const TetrahedronBlocks *t, uint32_t block, const DvReal8 edge[3][3],
                                        DvReal8 u[3][3])
{
    DV_EACH (k, 3) {
        DvReal8 initial[3];
        dv_real8_transposed_mul((ConstMat8)t->frame[block], t->rest[block].edge[k], initial);
        dv_real8_sub(edge[k], initial, u[k]);
    }
}

DV_SIMD_INLINE void stress_of_block(const StressWork *work, uint32_t block, const DvReal8 u[3][3])
{
    const TetrahedronBlocks *t = work->t;
    const TetrahedronRest *rest = &t->rest[block];
    const DvReal8 six_volumes = dv_real8_dot(rest->edge[0], rest->gradient[0]);
    DvReal8 slope[3][3] = {{{0}}}, strain[3][3];
    DV_EACH (k, 3) {
        DvReal8 gradient[3] = {rest->gradient[k][0], rest->gradient[k][1], rest->gradient[k][2]};
        if (work->strain == STRAIN_GREEN)
            dv_real8_transposed_mul((ConstMat8)t->frame[block], rest->gradient[k], gradient);
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                slope[i][j] += u[k][i] * (gradient[j] / six_volumes);
    }
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            strain[i][j] = slope[i][j] + slope[j][i];
            if (work->strain == STRAIN_GREEN)
                strain[i][j] += slope[0][i] * slope[0][j] + slope[1][i] * slope[1][j] + slope[2][i] * slope[2][j];
            strain[i][j] *= 0.5;
        }
    const DvReal8 scale = 36.0 * rest->volume, two_mu = 2.0 * rest->mu * scale;
    const DvReal8 pressure = rest->lambda * scale * (strain[0][0] + strain[1][1] + strain[2][2]);
    DvReal8 s[6];
    DV_EACH (c, 3) {
        s[c] = pressure + two_mu * strain[c][c];
        s[3 + c] = two_mu * strain[c][(c + 1) % 3];
    }
    const DvReal8 mises =
        dv_real8_sqrt(dv_real8_max(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - s[0] * s[1] - s[1] * s[2] - s[2] * s[0] +
                                       3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]),
                                   dv_real8(0.0)));
    for (uint32_t lane = 0; lane < DV_LANES && block * DV_LANES + lane < t->mesh.elements; lane++)
        work->out[block * DV_LANES + lane] = mises[lane] < 1e-10 ? 0.0 : mises[lane];
}

DV_SIMD_INLINE void stress_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const StressWork *work = context;
    const TetrahedronBlocks *t = work->t;
    for (uint32_t first = begin; first < end; first += FRAMES_AT_ONCE) {
        DvReal8 edge[FRAMES_AT_ONCE][3][3], frame[FRAMES_AT_ONCE][3][3], u[3][3];
        const uint32_t count = frames_until(first, end);
        for (uint32_t b = 0; b < count; b++)
            gather_edges(&t->mesh, first + b, narrow, edge[b]);
        if (work->strain == STRAIN_LOCAL)
            current_frames(t, work->frame, first, count, (Frames8)edge, frame);
        for (uint32_t b = 0; b < count; b++) {
            if (work->strain == STRAIN_LOCAL)
                local_displacements(t, first + b, (ConstMat8)edge[b], (ConstMat8)frame[b], u);
            else
                world_displacements(t, first + b, (ConstMat8)edge[b], u);
            stress_of_block(work, first + b, (ConstMat8)u);
        }
    }
}

DV_SIMD_LEVELS(stress_chunk, stress_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void tetrahedron_blocks_von_mises(TetrahedronBlocks *t, TetrahedronMethod frame, TetrahedronStrain strain,
                                  const DvConstVec *x, double *out)
{
    StressWork work = {t, frame, strain, out};
    keep_what_is_owed(t);
    dv_element_blocks_load(&t->mesh, x->at);
    dv_parallel_for(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, stress_chunk, &work);
}

const double tetrahedron_colors[4][4] = {
    {0.0, 0.0, 1.0, 1.0}, {0.0, 0.5, 1.0, 1.0}, {0.0, 1.0, 1.0, 1.0}, {0.5, 1.0, 1.0, 1.0}};

void tetrahedron_blocks_draw(const TetrahedronBlocks *t, DvDraw *draw, const double *position, double gap,
                             const double (*color)[4])
{
    static const uint8_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    dv_element_blocks_draw(&t->mesh, draw, position, faces, 4, gap, color, 4);
}
