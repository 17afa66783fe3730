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
#include "forcefield/fem/tetrahedron_frames.h"
#include <divan/kit/elastic_material.h>

#include <string.h>

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

static uint32_t packs_in(uint32_t blocks)
{
    return (blocks + DV_PACK_BLOCKS - 1) / DV_PACK_BLOCKS;
}

static TetrahedronLayout layout_of(const TetrahedronBlocks *t, uint32_t pack)
{
    const DvElementPack *cells = dv_element_pack_at(&t->mesh.chunks, pack * DV_PACK_BLOCKS);
    return cells == NULL ? LAYOUT_BLOCKS : cells->row ? LAYOUT_ROW : LAYOUT_CELLS;
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
        tetrahedron_blocks_keep(t);
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

static double tetrahedron_blocks_volume(const TetrahedronBlocks *t, uint32_t element)
{
    return t->rest[element / DV_LANES].volume[element % DV_LANES];
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

static void *enlarge(void *array, uint32_t old, uint32_t capacity, size_t size)
{
    return array ? dv_realloc(array, old * size, capacity * size) : NULL;
}

static void reserve_blocks(TetrahedronBlocks *t)
{
    const uint32_t old = t->capacity, capacity = t->mesh.block_room;
    if (capacity <= old)
        return;
    t->rest = enlarge(t->rest, old, capacity, sizeof *t->rest);
    t->frame = enlarge(t->frame, old, capacity, sizeof *t->frame);
    t->world = enlarge(t->world, old, capacity, sizeof *t->world);
    t->layout = enlarge(t->layout, packs_in(old), packs_in(capacity), sizeof *t->layout);
    t->inverse = enlarge(t->inverse, old, capacity, sizeof *t->inverse);
    t->current = enlarge(t->current, old, capacity, sizeof *t->current);
    t->normal = enlarge(t->normal, old, capacity, sizeof *t->normal);
    t->turn = enlarge(t->turn, old, capacity, sizeof *t->turn);
    dv_free(t->row);
    t->row = NULL;
    t->capacity = capacity;
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
    reserve_blocks(t);
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
    t->capacity = blocks;
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

const double tetrahedron_colors[4][4] = {
    {0.0, 0.0, 1.0, 1.0}, {0.0, 0.5, 1.0, 1.0}, {0.0, 1.0, 1.0, 1.0}, {0.5, 1.0, 1.0, 1.0}};

void tetrahedron_blocks_draw(const TetrahedronBlocks *t, DvDraw *draw, const double *position, double gap,
                             const double (*color)[4])
{
    static const uint8_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    dv_element_blocks_draw(&t->mesh, draw, position, faces, 4, gap, color, 4);
}
