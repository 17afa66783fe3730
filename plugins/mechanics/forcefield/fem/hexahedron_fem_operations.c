/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force, products, matrix and energy of linear elastic hexahedra. The method is described in hexahedron_fem_force_field.c.
 */
#include "costs.h"
#include "forcefield/fem/hexahedron_modes.h"
#include "forcefield/fem/hexahedron_stiffness.h"
#include <divan/kit/packed_block.h>

#include <string.h>

/* f = K d; three chains of sums each, for the pipelines. */
DV_SIMD_INLINE void multiply(const Stiffness *k, const DvReal8 d[3], DvReal8 f[3])
{
    double part[COLUMNS] __attribute__((aligned(64)));
    DvReal8 sum[3][3];
    for (int c = 0; c < 3; c++)
        *(DvReal8 *)(part + NODES * c) = d[c];
    DV_EACH (c, 3)
        DV_EACH (r, 3)
            sum[c][r] = k->column[NODES * c][r] * part[NODES * c];
    for (int j = 1; j < NODES; j++)
        DV_EACH (c, 3)
            DV_EACH (r, 3)
                sum[c][r] += k->column[NODES * c + j][r] * part[NODES * c + j];
    DV_EACH (r, 3)
        f[r] = sum[0][r] + sum[1][r] + sum[2][r];
}

/* What is asked for beforehand. */
enum { BLOCKS_AHEAD_FORCE = 8, BLOCKS_AHEAD_PRODUCT = 4 };

typedef struct HexahedronWork {
    HexahedronFEMForceField *self;
    double k;
} HexahedronWork;

/* The nodes of one element. */
DV_SIMD_INLINE void rows_of_lane(DvElementRow *row, const uint16_t *place, uint32_t lane, DvElementRow *at[NODES])
{
    DV_EACH (n, NODES)
        at[n] = row + place[(size_t)n * DV_LANES + lane];
}

/* k R^T local to the nodes of one element. */
DV_SIMD_INLINE void turn_back_and_add(DvElementRow *const at[NODES], const DvReal8 frame[3][3], uint32_t lane,
                                      const DvReal8 local[3], double k, bool narrow)
{
    DvReal8 f[3];
    DV_EACH (i, 3)
        f[i] = k * (frame[0][i][lane] * local[0] + frame[1][i][lane] * local[1] + frame[2][i][lane] * local[2]);
    dv_element_rows_add(at, narrow, f);
}

/* The elements of a block: eight but for the last one. */
static inline uint32_t lanes_of(const HexahedronFEMForceField *self, uint32_t block)
{
    const uint32_t left = self->mesh.elements - block * DV_LANES;
    return left < DV_LANES ? left : DV_LANES;
}

/* Lanes that stand for no element have the points of one that does, and zeros for them: they would only wait for one another. */
DV_SIMD_INLINE void add_block(DvElementRow *row, const uint16_t *place, const DvReal8 f[NODES][3], uint32_t lanes,
                              bool narrow)
{
    if (lanes == DV_LANES) {
        DV_EACH (n, NODES) {
            DvElementRow *at[DV_LANES];
            dv_element_rows_at(row, place + n * DV_LANES, at);
            dv_element_rows_add(at, narrow, f[n]);
        }
        return;
    }
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const double *each = (const double *)f[n] + lane;
            row[place[n * DV_LANES + lane]].sum += (DvReal4){each[0], each[DV_LANES], each[2 * DV_LANES], 0.0};
        }
}

DV_SIMD_INLINE void box_force(HexahedronFEMForceField *self, DvElementRow *row, const uint16_t *place, uint32_t block,
                              const DvReal8 mode[MODES][3], bool narrow)
{
    Box *box = &self->box[block];
    TurnedBox *axes = &self->turned[block];
    const DvReal8(*frame)[3] = (const DvReal8(*)[3])self->frame[block];
    DvReal8 d[MODES][3], turned[MODES][3], f[NODES][3];
    const uint32_t to_ask = dv_element_prefetch_count(&self->mesh.chunks, self->mesh.blocks);
    dv_element_prefetch(self->box, sizeof *self->box, block + BLOCKS_AHEAD_FORCE, to_ask, false);
    dv_element_prefetch(self->turned, sizeof *self->turned, block + BLOCKS_AHEAD_FORCE, to_ask, false);
    dv_element_prefetch(self->frame, sizeof *self->frame, block + BLOCKS_AHEAD_FORCE, to_ask, false);
    DV_EACH (m, MODES) {
        DvReal8 local[3];
        dv_real8_mul(frame, mode[m], local);
        dv_real8_sub(box->rest[m], local, d[m]);
    }
    box_multiply((const DvReal8(*)[3])d, (const DvReal8(*)[3])box->inverse, &axes->lambda, &axes->mu, turned);
    DV_EACH (m, MODES)
        dv_real8_transposed_mul(frame, turned[m], d[m]);
    DV_EACH (k, 3)
        dv_real8_transposed_mul(frame, box->inverse[k], axes->inverse[k]);
    box_nodes((const DvReal8(*)[3])d, f);
    add_block(row, place, (const DvReal8(*)[3])f, lanes_of(self, block), narrow);
}

DV_SIMD_INLINE void force_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    HexahedronFEMForceField *self = ((const HexahedronWork *)context)->self;
    for (uint32_t block = begin; block < end; block++) {
        DvReal8 mode[MODES][3];
        const uint16_t *place = dv_element_places(&self->mesh.chunks, block);
        chunk_modes(row, place, narrow, mode);
        block_frames(self, (const DvReal8(*)[3])mode, self->frame[block]);
        if (self->is_box[block]) {
            box_force(self, row, place, block, (const DvReal8(*)[3])mode, narrow);
            continue;
        }
        for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < self->mesh.elements; e++) {
            DvReal8 x[3], local[3], d[3], f[3];
            DvElementRow *at[NODES];
            rows_of_lane(row, place, e % DV_LANES, at);
            dv_element_rows_gather(at, narrow, x);
            if (self->exact)
                exact_frame_of(&self->exact[e], e % DV_LANES, x, self->frame[block]);
            turn((const DvReal8(*)[3])self->frame[block], e % DV_LANES, x, local);
            dv_real8_sub(self->rest[e], local, d);
            if (self->updates) {
                double node[NODES][3], k[COLUMNS][COLUMNS];
                hexahedron_nodes(local, node);
                hexahedron_stiffness((const double(*)[3])node, self->lame[e][0], self->lame[e][1], k);
                hexahedron_store_stiffness(&self->shapes.stiffness[self->shape[e]], (const double(*)[COLUMNS])k);
            }
            multiply(&self->shapes.stiffness[self->shape[e]], d, f);
            if (self->exact) {
                memcpy(self->exact[e].local, local, sizeof local);
                (void)exact_force(&self->exact[e], exact_turning(self->exact[e].stretch), f);
            }
            turn_back_and_add(at, (const DvReal8(*)[3])self->frame[block], e % DV_LANES, f, 1.0, narrow);
        }
    }
}

DV_SIMD_LEVELS(force_chunk, force_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

/* Of method exact, from the last force. */
DV_SIMD_CLONES static void derivative_chunk(void *context, uint32_t begin, uint32_t end)
{
    const HexahedronFEMForceField *self = context;
    for (uint32_t e = begin; e < end; e++) {
        HexahedronExact *exact = &self->exact[e];
        const Stiffness *k = &self->shapes.stiffness[self->shape[e]];
        DvReal8 d[3], f[3], z[3][3];
        dv_real8_sub(self->rest[e], exact->local, d);
        multiply(k, d, f);
        for (int c = 0; c < 3; c++) {
            const DvReal8 axis[3] = {dv_real8(c == 0), dv_real8(c == 1), dv_real8(c == 2)};
            dv_real8_cross(axis, exact->local, d);
            multiply(k, d, z[c]);
        }
        exact_derivative(exact, f, (const DvReal8(*)[3])z);
    }
}

static void derive(HexahedronFEMForceField *self)
{
    if (self->exact && !self->derived)
        dv_parallel_for(self->mesh.elements, DV_BLOCKS_PER_CHUNK, derivative_chunk, self);
    self->derived = true;
}

/* The material is isotropic: displacements and forces stay in world axes, only the Jacobian turns. */
DV_SIMD_INLINE void box_dforce(const HexahedronFEMForceField *self, DvElementRow *row, const uint16_t *place,
                               uint32_t block, double k, bool narrow)
{
    const TurnedBox *axes = &self->turned[block];
    const DvReal8 lambda = axes->lambda * -k, mu = axes->mu * -k;
    DvReal8 mode[MODES][3], g[MODES][3], f[NODES][3];
    dv_element_prefetch(self->turned, sizeof *self->turned, block + BLOCKS_AHEAD_PRODUCT,
                        dv_element_prefetch_count(&self->mesh.chunks, self->mesh.blocks), true);
    chunk_modes(row, place, narrow, mode);
    box_multiply((const DvReal8(*)[3])mode, axes->inverse, &lambda, &mu, g);
    box_nodes((const DvReal8(*)[3])g, f);
    add_block(row, place, (const DvReal8(*)[3])f, lanes_of(self, block), narrow);
}

DV_SIMD_INLINE void dforce_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const HexahedronWork *work = context;
    HexahedronFEMForceField *self = work->self;
    for (uint32_t block = begin; block < end; block++) {
        const uint16_t *place = dv_element_places(&self->mesh.chunks, block);
        if (self->is_box[block]) {
            box_dforce(self, row, place, block, work->k, narrow);
            continue;
        }
        const DvReal8(*frame)[3] = (const DvReal8(*)[3])self->frame[block];
        for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < self->mesh.elements; e++) {
            DvReal8 dx[3], d[3], f[3];
            DvElementRow *at[NODES];
            rows_of_lane(row, place, e % DV_LANES, at);
            dv_element_rows_gather(at, narrow, dx);
            turn(frame, e % DV_LANES, dx, d);
            multiply(&self->shapes.stiffness[self->shape[e]], d, f);
            if (self->exact)
                exact_add_product(&self->exact[e], d, f);
            turn_back_and_add(at, frame, e % DV_LANES, f, -work->k, narrow);
        }
    }
}

DV_SIMD_LEVELS(dforce_chunk, dforce_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    HexahedronFEMForceField *self = self_;
    if (dv_mesh_force_field_follow(&self->field, x->count) != DV_OK)
        return;
    HexahedronWork work = {self, 1.0};
    self->derived = false;
    dv_element_chunks_add(&self->mesh.chunks, x->at, f->at, force_chunk, &work);
}

static void add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)step;
    (void)b;
    HexahedronFEMForceField *self = self_;
    if (dx->count != self->mesh.points)
        return;
    HexahedronWork work = {self, k};
    derive(self);
    dv_element_chunks_add(&self->mesh.chunks, dx->at, df->at, dforce_chunk, &work);
}

/* R^T K_nm R of one element, or R^T H_nm R, whose three columns of rows are given: block += that. */
DV_SIMD_INLINE void add_turned_columns(const double *const column[3], uint32_t stride, const double *r,
                                       DvReal4 block[3])
{
    const DvReal4 row[3] = {{r[0], r[8], r[16]}, {r[24], r[32], r[40]}, {r[48], r[56], r[64]}};
    DV_EACH (a, 3) {
        const uint32_t at = (uint32_t)a * stride;
        const DvReal4 turned = column[0][at] * row[0] + column[1][at] * row[1] + column[2][at] * row[2];
        DV_EACH (i, 3)
            block[i] += r[DV_LANES * (3 * a + i)] * turned;
    }
}

/* block += R^T K_nm R of one element; of method exact H_nm, which alone is put together first. Callers pass a constant: with both ways
 * in a loop it runs out of registers. */
DV_SIMD_INLINE void add_turned_block(const HexahedronFEMForceField *self, uint32_t element, uint32_t n, uint32_t m,
                                     bool exact, DvReal4 block[3])
{
    const Stiffness *k = &self->shapes.stiffness[self->shape[element]];
    const double *r =
        (const double *)self->frame[element / DV_LANES] + element % DV_LANES; /* entry (i, j) at 8 (3 i + j) */
    const double *column[3];
    DV_EACH (c, 3)
        column[c] = (const double *)k->column[NODES * c + (int)m] + n;
    if (!exact) {
        add_turned_columns(column, DV_LANES, r, block);
        return;
    }
    double local[3][3];
    DV_EACH (a, 3)
        DV_EACH (c, 3)
            local[a][c] = column[c][DV_LANES * a];
    exact_add_block(&self->exact[element], n, m, local);
    DV_EACH (c, 3)
        column[c] = &local[0][c];
    add_turned_columns(column, 3, r, block);
}

typedef struct AssembleWork {
    HexahedronFEMForceField *self;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

DV_SIMD_INLINE void diagonal_body(const AssembleWork *work, uint32_t begin, uint32_t end, bool exact, bool narrow)
{
    const HexahedronFEMForceField *self = work->self;
    const DvElementBlocks *mesh = &self->mesh;
    for (uint32_t p = begin; p < end; p++) {
        DvReal4 block[3] = {{0}};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t element = mesh->entry[e] / NODES, n = mesh->entry[e] % NODES;
            for (uint32_t m = 0; m < NODES; m++) /* a collapsed element has a point more than once */
                if (self->corner[element * (size_t)NODES + m] == p)
                    add_turned_block(self, element, n, m, exact, block);
        }
        const DvPackedBlock packed = dv_block_of_rows(block, narrow);
        dv_view_add_packed(work->view, p, &packed, work->factor);
    }
}

DV_SIMD_INLINE void pair_body(const AssembleWork *work, uint32_t begin, uint32_t end, bool exact, bool narrow)
{
    const HexahedronFEMForceField *self = work->self;
    const DvElementBlocks *mesh = &self->mesh;
    for (uint32_t k = begin; k < end; k++) {
        DvReal4 block[3] = {{0}};
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++)
            add_turned_block(self, mesh->pair_entry[e] >> 6, mesh->pair_entry[e] >> 3 & 7, mesh->pair_entry[e] & 7,
                             exact, block);
        const DvPackedBlock packed = dv_block_of_rows(block, narrow), transposed = dv_block_of_columns(block, narrow);
        dv_view_add_packed(work->view, mesh->points + 2 * k, &packed, work->factor);
        dv_view_add_packed(work->view, mesh->points + 2 * k + 1, &transposed, work->factor);
    }
}

DV_SIMD_INLINE void diagonal_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const AssembleWork *work = context;
    if (work->self->exact)
        diagonal_body(work, begin, end, true, narrow);
    else
        diagonal_body(work, begin, end, false, narrow);
}

DV_SIMD_LEVELS(diagonal_chunk, diagonal_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

DV_SIMD_INLINE void pair_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const AssembleWork *work = context;
    if (work->self->exact)
        pair_body(work, begin, end, true, narrow);
    else
        pair_body(work, begin, end, false, narrow);
}

DV_SIMD_LEVELS(pair_chunk, pair_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

static void assemble(void *self_, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    HexahedronFEMForceField *self = self_;
    AssembleWork work = {self, view, -k};
    derive(self);
    dv_parallel_for(self->mesh.points, DV_POINTS_PER_CHUNK, diagonal_chunk, &work);
    dv_parallel_for(self->mesh.pairs, DV_PAIRS_PER_CHUNK, pair_chunk, &work);
}

static uint64_t matrix_version(void *self_)
{
    const HexahedronFEMForceField *self = self_;
    return self->chosen == HEXAHEDRON_SMALL && !self->updates ? self->field.structure + self->field.changed : 0;
}

static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const HexahedronFEMForceField *self = ((const HexahedronWork *)context)->self;
    double sum = 0.0;
    for (uint32_t block = begin; block < end; block++) {
        DvReal8 mode[MODES][3], frame[3][3];
        block_modes(self, block, mode);
        block_frames(self, (const DvReal8(*)[3])mode, frame);
        for (uint32_t e = block * DV_LANES; e < (block + 1) * DV_LANES && e < self->mesh.elements; e++) {
            DvReal8 x[3], local[3], d[3], f[3];
            dv_real8_gather_rows(self->mesh.point, self->corner + (size_t)e * NODES, x);
            if (self->exact) {
                HexahedronExact here = self->exact[e];
                exact_frame_of(&here, e % DV_LANES, x, frame);
            }
            turn((const DvReal8(*)[3])frame, e % DV_LANES, x, local);
            dv_real8_sub(self->rest[e], local, d);
            multiply(&self->shapes.stiffness[self->shape[e]], d, f);
            const DvReal8 product = dv_real8_dot(d, f);
            for (int n = 0; n < NODES; n++)
                sum += 0.5 * product[n];
        }
    }
    return sum;
}

/* In the frames of x. */
static double energy(void *self_, const DvStep *step, const DvConstVec *x)
{
    (void)step;
    HexahedronFEMForceField *self = self_;
    if (x->count != self->mesh.points)
        return 0.0;
    HexahedronWork work = {self, 1.0};
    dv_element_blocks_load(&self->mesh, x->at);
    return dv_parallel_sum(self->mesh.blocks, DV_BLOCKS_PER_CHUNK / 4, energy_chunk, &work);
}

static uint32_t inverted_element(void *self_, const DvConstVec *x)
{
    const HexahedronFEMForceField *self = self_;
    for (uint32_t e = 0; x->at && x->count == self->mesh.points && e < self->mesh.elements; e++) {
        double rest[NODES][3], now[NODES][3];
        hexahedron_nodes(self->rest[e], rest);
        for (int n = 0; n < NODES; n++)
            memcpy(now[n], x->at + 3 * (size_t)self->corner[e * (size_t)NODES + (uint32_t)n], sizeof now[n]);
        if (!(hexahedron_volume((const double(*)[3])now) * hexahedron_volume((const double(*)[3])rest) > 0.0))
            return e;
    }
    return UINT32_MAX;
}

static double stiffness_bound(void *self_)
{
    const HexahedronFEMForceField *self = self_;
    double largest = 0.0;
    for (uint32_t s = 0; s < self->shapes.used; s++) {
        double trace = 0.0;
        if (!hexahedron_shapes_lives(&self->shapes, s))
            continue;
        for (int j = 0; j < NODES; j++)
            for (int c = 0; c < 3; c++)
                trace += self->shapes.stiffness[s].column[NODES * c + j][c][j];
        largest = fmax(largest, trace);
    }
    return sqrt(largest);
}

const DvElementsCause hexahedron_fem_cause = DV_ELEMENTS_CAUSE(.bound = stiffness_bound, .inverted = inverted_element);

/* Of elements whose nodes are numbered as in a mirror the sign is that of their measure. */
static void absolute_lame(void *context, uint32_t element, double *out)
{
    const HexahedronFEMForceField *self = context;
    out[0] = fabs(self->lame[element][0]);
    out[1] = fabs(self->lame[element][1]);
}

static bool stress_model(void *self_, DvElementStressModel *model)
{
    HexahedronFEMForceField *self = self_;
    if (!self->mesh.elements)
        return false;
    *model = (DvElementStressModel){.field = &self->field,
                                    .kinematics = hexahedron_turns(self) ? DV_COROTATIONAL : DV_SMALL_STRAIN,
                                    .law = &dv_hooke_law,
                                    .thickness = 1.0,
                                    .parameters = absolute_lame,
                                    .context = self};
    return true;
}

const DvElementStressOps hexahedron_fem_stress = {.size = sizeof(DvElementStressOps), .model = stress_model};

static void cost(void *self_, double *product, double *assembly)
{
    const HexahedronFEMForceField *self = self_;
    double boxes = 0.0;
    for (uint32_t block = 0; block < self->mesh.blocks; block++)
        boxes += self->is_box[block] ? DV_LANES : 0;
    const double elements = self->mesh.elements, others = fmax(elements - boxes, 0.0), each = sizeof(Stiffness);
    *product =
        cost_box_product * boxes * dv_cache_penalty(cost_box_bytes * boxes, cost_box_product_beyond) +
        cost_hexahedron_product * others * dv_cache_penalty(each * self->shapes.live, cost_hexahedron_product_beyond);
    *assembly =
        cost_hexahedron_assembly * elements *
        dv_cache_penalty(each * self->shapes.live + cost_hexahedron_bytes * elements, cost_hexahedron_assembly_beyond);
}

const DvForceFieldOps hexahedron_fem_ops = {
    .size = sizeof hexahedron_fem_ops,
    .states = dv_single_state_states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = dv_mesh_force_field_reserve,
    .assemble = assemble,
    .structure = dv_mesh_force_field_structure,
    .matrix_version = matrix_version,
    .energy = energy,
    .cost = cost,
};
