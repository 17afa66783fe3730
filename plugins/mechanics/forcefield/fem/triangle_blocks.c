/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elastic triangles, eight at a time. The method is in the header.
 */
#include "forcefield/fem/triangle_blocks.h"

#include "costs.h"
#include "forcefield/fem/frames.h"

#include <divan/math/decompose.h>

#include <float.h>

/* Area of a triangle, in proportion to that at rest, below which its rotation is noise. */
static const double FLATTEST = 1e-12;

void triangle_blocks_free(TriangleBlocks *t)
{
    dv_element_blocks_free(&t->mesh);
    dv_free(t->block);
    dv_free(t->collapsed);
    t->block = NULL;
    dv_free(t->turn);
    dv_free(t->row);
    t->collapsed = NULL;
    t->turn = NULL;
    t->row = NULL;
    t->room = 0;
}

/* Twice the area by which gradients divide: in the frame, where B.y is 0 or counts as such; of method planar in space. */
DV_SIMD_INLINE DvReal8 determinant(TriangleMethod method, const DvReal8 edge[2][3], const DvReal8 local[2][2])
{
    if (method != TRIANGLE_PLANAR)
        return local[0][0] * local[1][1];
    DvReal8 normal[3];
    dv_real8_cross(edge[0], edge[1], normal);
    return dv_real8_sqrt(dv_real8_dot(normal, normal));
}

/* Gradients of b and c from the edges B = a b and C = a c in the frame; zero for a triangle that has lost its area. */
DV_SIMD_INLINE DvMask8 make_gradients(TriangleMethod method, const DvReal8 edge[2][2], DvReal8 det, DvReal8 twice_area,
                                      DvReal8 gradient[2][2])
{
    const DvMask8 collapsed = ~(dv_real8_abs(det) >= DBL_EPSILON * twice_area);
    const DvReal8 inverse =
        dv_real8_select(collapsed, dv_real8(0.0), 1.0 / dv_real8_select(collapsed, dv_real8(1.0), det));
    gradient[0][0] = edge[1][1] * inverse;
    gradient[0][1] = -edge[1][0] * inverse;
    gradient[1][0] = method == TRIANGLE_PLANAR ? -edge[0][1] * inverse : dv_real8(0.0);
    gradient[1][1] = edge[0][0] * inverse;
    return collapsed;
}

/* Edges a b and a c of what dv_element_blocks_load was given. */
DV_SIMD_INLINE void gather_edges(const DvElementBlocks *mesh, uint32_t block, DvReal8 edge[2][3])
{
    const uint32_t *node = mesh->node + (size_t)block * 3 * DV_LANES;
    DvReal8 origin[3];
    dv_real8_gather_rows(mesh->point, node, origin);
    DV_EACH (k, 2) {
        DvReal8 point[3];
        dv_real8_gather_rows(mesh->point, node + (k + 1) * DV_LANES, point);
        dv_real8_sub(point, origin, edge[k]);
    }
}

DV_SIMD_INLINE void in_axes(const DvReal8 axis[2][3], const DvReal8 edge[2][3], DvReal8 local[2][2])
{
    DV_EACH (k, 2)
        DV_EACH (c, 2)
            local[k][c] = dv_real8_dot(axis[c], edge[k]);
}

/* The two axes of a frame that needs no more than the edges, and the edges in it. */
DV_SIMD_INLINE void frame_of_edges(TriangleMethod method, const DvReal8 edge[2][3], DvReal8 axis[2][3],
                                   DvReal8 local[2][2])
{
    if (method != TRIANGLE_SMALL && method != TRIANGLE_PLANAR) {
        DvReal8 frame[3][3];
        triangle_frame(edge[0], edge[1], frame);
        DV_EACH (c, 3) {
            axis[0][c] = frame[0][c];
            axis[1][c] = frame[1][c];
        }
    } else {
        DV_EACH (c, 3) {
            axis[0][c] = dv_real8(c == 0);
            axis[1][c] = dv_real8(c == 1);
        }
    }
    in_axes((const DvReal8(*)[3])axis, edge, local);
}

/* The rotation of the deformation gradient F, whose columns are F_0 and F_1: R = F S^-1 with S = (F^T F + d I) / t, d = det S = |F_0 x F_1|,
 * t = tr S = sqrt(tr(F^T F) + 2 d). Lanes without area, d = 0, get no axes and so no force. */
DV_SIMD_INLINE DvMask8 turn_frame(const DvReal8 edge[2][3], TriangleBlock *block, TriangleTurn *turn)
{
    DvReal8 f[2][3], normal[3], s[3];
    DV_EACH (c, 2)
        DV_EACH (i, 3)
            f[c][i] = edge[0][i] * block->gradient[0][c] + edge[1][i] * block->gradient[1][c];
    dv_real8_cross(f[0], f[1], normal);
    const DvReal8 d = dv_real8_sqrt(dv_real8_dot(normal, normal));
    const DvReal8 xx = dv_real8_dot(f[0], f[0]), yy = dv_real8_dot(f[1], f[1]);
    const DvMask8 collapsed = ~(d >= FLATTEST);
    const DvReal8 zero = {0}, safe = dv_real8_select(collapsed, dv_real8(1.0), d);
    const DvReal8 trace = dv_real8_sqrt(dv_real8_select(collapsed, dv_real8(1.0), xx + yy + 2.0 * d));
    s[0] = (xx + d) / trace;
    s[1] = (yy + d) / trace;
    s[2] = dv_real8_dot(f[0], f[1]) / trace;
    const DvReal8 inverse[3] = {s[1] / safe, s[0] / safe, -s[2] / safe};
    DV_EACH (i, 3) {
        block->axis[0][i] = dv_real8_select(collapsed, zero, f[0][i] * inverse[0] + f[1][i] * inverse[2]);
        block->axis[1][i] = dv_real8_select(collapsed, zero, f[0][i] * inverse[2] + f[1][i] * inverse[1]);
        turn->normal[i] = dv_real8_select(collapsed, zero, normal[i] / safe);
    }
    const DvReal8 two_mu = block->mu + block->mu, factor = block->lambda * (trace - 2.0) - two_mu;
    turn->spin = dv_real8_select(collapsed, zero, block->mu + factor / trace);
    turn->tilt[0] = dv_real8_select(collapsed, zero, two_mu + factor * inverse[0]);
    turn->tilt[1] = dv_real8_select(collapsed, zero, two_mu + factor * inverse[1]);
    turn->tilt[2] = dv_real8_select(collapsed, zero, factor * inverse[2]);
    return collapsed;
}

/* By the same operations as current shapes: at rest there is no force, to the last bit. */
static void set_rest_shapes(TriangleBlocks *t, uint32_t number)
{
    TriangleBlock *block = &t->block[number];
    DvReal8 edge[2][3], normal[3];
    gather_edges(&t->mesh, number, edge);
    frame_of_edges(t->method, (const DvReal8(*)[3])edge, block->axis, block->rest);
    dv_real8_cross(edge[0], edge[1], normal);
    block->twice_area = dv_real8_sqrt(dv_real8_dot(normal, normal));
    (void)make_gradients(t->method, (const DvReal8(*)[2])block->rest,
                         determinant(t->method, (const DvReal8(*)[3])edge, (const DvReal8(*)[2])block->rest),
                         block->twice_area, block->gradient);
}

static DvStatus set_rest_area(TriangleBlocks *t, const DvObject *object, const double *rest, uint32_t triangle)
{
    DvVec3 p[3];
    for (uint32_t n = 0; n < 3; n++)
        p[n] = dv_vec3_load(rest + 3 * (size_t)dv_element_blocks_point(&t->mesh, triangle, n));
    const double size = dv_vec3_norm_squared(dv_vec3_sub(p[1], p[0])) + dv_vec3_norm_squared(dv_vec3_sub(p[2], p[0]));
    const double area = dv_triangle_area(p[0], p[1], p[2]);
    t->block[triangle / DV_LANES].area[triangle % DV_LANES] = area;
    return area > 1e-14 * size ? DV_OK
                               : dv_error(object, DV_ERROR_INVALID,
                                          "triangle %u has no area at rest; remove it from the mesh", triangle);
}

/* Forces on b and c of their displacements d. Where the first edge lies along x, the gradient of c has no x: `along` says so. */
DV_SIMD_INLINE void plane_forces(const TriangleBlock *block, const DvReal8 d[2][2], double factor, bool along,
                                 DvReal8 f[2][3])
{
    const DvReal8(*const g)[2] = block->gradient;
    DvReal8 xx = g[0][0] * d[0][0], yy = g[0][1] * d[0][1] + g[1][1] * d[1][1],
            xy = g[0][1] * d[0][0] + g[0][0] * d[0][1] + g[1][1] * d[1][0];
    if (!along) {
        xx += g[1][0] * d[1][0];
        xy += g[1][0] * d[1][1];
    }
    const DvReal8 mu = factor * block->mu, pressure = factor * block->lambda * (xx + yy);
    xx = pressure + (mu + mu) * xx;
    yy = pressure + (mu + mu) * yy;
    xy = mu * xy;
    DV_EACH (k, 2) {
        const DvReal8 x = along && k == 1 ? xy * g[k][1] : xx * g[k][0] + xy * g[k][1];
        const DvReal8 y = along && k == 1 ? yy * g[k][1] : xy * g[k][0] + yy * g[k][1];
        DV_EACH (c, 3)
            f[k][c] = block->axis[0][c] * x + block->axis[1][c] * y;
    }
}

/* The frame of the current shape, and the edges in it. Whether a triangle has lost its area. */
DV_SIMD_INLINE bool update_shape(const TriangleBlocks *t, uint32_t number, const DvReal8 edge[2][3],
                                 DvReal8 local[2][2])
{
    TriangleBlock *block = &t->block[number];
    DvMask8 collapsed = {0};
    if (t->method == TRIANGLE_EXACT) {
        collapsed = turn_frame(edge, block, &t->turn[number]);
        in_axes((const DvReal8(*)[3])block->axis, edge, local);
    } else if (t->method == TRIANGLE_LINEAR) {
        in_axes((const DvReal8(*)[3])block->axis, edge, local);
    } else {
        frame_of_edges(t->method, edge, block->axis, local);
        collapsed = make_gradients(t->method, (const DvReal8(*)[2])local,
                                   determinant(t->method, edge, (const DvReal8(*)[2])local), block->twice_area,
                                   block->gradient);
    }
    return dv_mask8_any(collapsed);
}

/* Adds what the turning of the frame gives for displacements of b and c to the forces on them. */
DV_SIMD_INLINE void add_turning_forces(const TriangleBlock *block, const TriangleTurn *turn, const DvReal8 edge[2][3],
                                       const DvReal8 d[2][2], double k, DvReal8 f[2][3])
{
    DvReal8 angle = {0}, slope[2] = {{0}, {0}};
    DV_EACH (n, 2) {
        const DvReal8 out = dv_real8_dot(turn->normal, edge[n]);
        angle += block->gradient[n][0] * d[n][1] - block->gradient[n][1] * d[n][0];
        slope[0] += block->gradient[n][0] * out;
        slope[1] += block->gradient[n][1] * out;
    }
    const DvReal8 spin = -k * turn->spin * angle;
    const DvReal8 tilt[2] = {-k * (turn->tilt[0] * slope[0] + turn->tilt[2] * slope[1]),
                             -k * (turn->tilt[2] * slope[0] + turn->tilt[1] * slope[1])};
    DV_EACH (n, 2) {
        const DvReal8 out = tilt[0] * block->gradient[n][0] + tilt[1] * block->gradient[n][1];
        DV_EACH (c, 3)
            f[n][c] += spin * (block->gradient[n][0] * block->axis[1][c] - block->gradient[n][1] * block->axis[0][c]) +
                       out * turn->normal[c];
    }
}

typedef struct TriangleWork {
    TriangleBlocks *t;
    double k;
} TriangleWork;

/* Forces on the ends of a block of triangles. Of one that is not full only the triangles: lanes that stand for none have the points of
 * one that does, and would only wait for one another. */
DV_SIMD_INLINE void add_to_ends(const TriangleBlocks *t, uint32_t number, DvElementRow *row, const uint16_t *place,
                                const DvReal8 f[2][3], bool narrow)
{
    const uint32_t triangles = t->mesh.elements - number * DV_LANES;
    if (triangles >= DV_LANES) {
        dv_element_rows_add_to_ends(row, place, 2, narrow, f);
        return;
    }
    DvReal4 sum[DV_LANES];
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t lane = 0; lane < triangles; lane++) {
            const double *each = (const double *)f[k] + lane;
            const DvReal4 force = {each[0], each[DV_LANES], each[2 * DV_LANES], 0.0};
            row[place[(k + 1) * DV_LANES + lane]].sum += force;
            sum[lane] = k == 0 ? force : sum[lane] + force;
        }
    for (uint32_t lane = 0; lane < triangles; lane++)
        row[place[lane]].sum -= sum[lane];
}

DV_SIMD_INLINE void force_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const TriangleWork *work = context;
    TriangleBlocks *t = work->t;
    for (uint32_t number = begin; number < end; number++) {
        const uint16_t *place = dv_element_places(&t->mesh.chunks, number);
        const TriangleBlock *block = &t->block[number];
        DvReal8 edge[2][3], local[2][2], d[2][2], f[2][3];
        dv_element_rows_edges(row, place, 2, narrow, edge);
        t->collapsed[number] = update_shape(t, number, (const DvReal8(*)[3])edge, local);
        DV_EACH (k, 2)
            DV_EACH (c, 2)
                d[k][c] = block->rest[k][c] - local[k][c];
        if (t->method == TRIANGLE_LARGE)
            d[0][1] = dv_real8(0.0);
        plane_forces(block, (const DvReal8(*)[2])d, 1.0, t->method != TRIANGLE_PLANAR, f);
        add_to_ends(t, number, row, place, (const DvReal8(*)[3])f, narrow);
    }
}

DV_SIMD_LEVELS(force_chunk, force_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

/* Of blocks begin to end - 1. */
DV_SIMD_INLINE void dforce_of(const TriangleWork *work, DvElementRow *row, uint32_t begin, uint32_t end, bool along,
                              bool turns, bool narrow)
{
    const TriangleBlocks *t = work->t;
    const double k = work->k;
    for (uint32_t number = begin; number < end; number++) {
        const uint16_t *place = dv_element_places(&t->mesh.chunks, number);
        const TriangleBlock *block = &t->block[number];
        DvReal8 edge[2][3], d[2][2], f[2][3];
        dv_element_rows_edges(row, place, 2, narrow, edge);
        in_axes(block->axis, (const DvReal8(*)[3])edge, d);
        plane_forces(block, (const DvReal8(*)[2])d, -k, along, f);
        if (turns)
            add_turning_forces(block, &t->turn[number], (const DvReal8(*)[3])edge, (const DvReal8(*)[2])d, k, f);
        add_to_ends(t, number, row, place, (const DvReal8(*)[3])f, narrow);
    }
}

DV_SIMD_INLINE void dforce_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow)
{
    const TriangleWork *work = context;
    if (work->t->turn)
        dforce_of(work, row, begin, end, true, true, narrow);
    else if (work->t->method == TRIANGLE_PLANAR)
        dforce_of(work, row, begin, end, false, false, narrow);
    else
        dforce_of(work, row, begin, end, true, false, narrow);
}

DV_SIMD_LEVELS(dforce_chunk, dforce_at, (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context, row,
               begin, end)

/* Of the traces of the blocks on the diagonal: |G_n|^2 (lambda + 3 mu), and with turns |G_n|^2 spin + g_n . tilt g_n. */
double triangle_blocks_bound(const TriangleBlocks *t)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < t->mesh.elements; i++) {
        const TriangleBlock *block = &t->block[i / DV_LANES];
        const TriangleTurn *turn = t->turn ? &t->turn[i / DV_LANES] : NULL;
        const uint32_t lane = i % DV_LANES;
        const double weight = block->lambda[lane] + 3.0 * block->mu[lane] + (turn ? turn->spin[lane] : 0.0);
        double g[3][2], trace = 0.0;
        for (int c = 0; c < 2; c++) {
            g[1][c] = block->gradient[0][c][lane];
            g[2][c] = block->gradient[1][c][lane];
            g[0][c] = -(g[1][c] + g[2][c]);
        }
        for (int n = 0; n < 3; n++) {
            trace += weight * (g[n][0] * g[n][0] + g[n][1] * g[n][1]);
            if (turn)
                trace += turn->tilt[0][lane] * g[n][0] * g[n][0] + turn->tilt[1][lane] * g[n][1] * g[n][1] +
                         2.0 * turn->tilt[2][lane] * g[n][0] * g[n][1];
        }
        largest = fmax(largest, trace);
    }
    return sqrt(largest);
}

DV_SIMD_CLONES static double energy_chunk(void *context, uint32_t begin, uint32_t end)
{
    const TriangleBlocks *t = context;
    double energy = 0.0;
    for (uint32_t number = begin; number < end; number++) {
        TriangleBlock block = t->block[number];
        TriangleTurn turn;
        DvReal8 edge[2][3], local[2][2], s[3] = {{0}};
        gather_edges(&t->mesh, number, edge);
        (void)make_gradients(t->method, (const DvReal8(*)[2])block.rest,
                             t->method == TRIANGLE_PLANAR ? block.twice_area : block.rest[0][0] * block.rest[1][1],
                             block.twice_area, block.gradient);
        if (t->method == TRIANGLE_EXACT)
            (void)turn_frame((const DvReal8(*)[3])edge, &block, &turn);
        else if (t->method == TRIANGLE_LARGE)
            frame_of_edges(t->method, (const DvReal8(*)[3])edge, block.axis, local);
        in_axes((const DvReal8(*)[3])block.axis, (const DvReal8(*)[3])edge, local);
        DV_EACH (k, 2) {
            s[0] += block.gradient[k][0] * (local[k][0] - block.rest[k][0]);
            s[1] += block.gradient[k][1] * (local[k][1] - block.rest[k][1]);
            s[2] += block.gradient[k][1] * (local[k][0] - block.rest[k][0]) +
                    block.gradient[k][0] * (local[k][1] - block.rest[k][1]);
        }
        const DvReal8 trace = s[0] + s[1];
        const DvReal8 density =
            block.lambda * trace * trace + block.mu * (2.0 * (s[0] * s[0] + s[1] * s[1]) + s[2] * s[2]);
        DV_EACH (lane, DV_LANES)
            energy += 0.5 * density[lane];
    }
    return energy;
}

DvStatus triangle_blocks_build(TriangleBlocks *t, const DvObject *object, TriangleMethod method, uint32_t points,
                               const double *rest, uint32_t triangles, const uint32_t *list)
{
    triangle_blocks_free(t);
    t->method = method;
    DvStatus status = dv_element_blocks_build(&t->mesh, object, "triangle", points, 3, triangles, list);
    if (status != DV_OK)
        return status;
    t->block = dv_alloc(t->mesh.blocks, sizeof *t->block);
    t->collapsed = dv_alloc(t->mesh.blocks, sizeof *t->collapsed);
    if (method == TRIANGLE_EXACT)
        t->turn = dv_alloc(t->mesh.blocks, sizeof *t->turn);
    t->room = t->mesh.blocks;
    dv_element_blocks_load(&t->mesh, rest);
    for (uint32_t number = 0; number < t->mesh.blocks; number++)
        set_rest_shapes(t, number);
    for (uint32_t i = 0; i < triangles && status == DV_OK; i++)
        status = set_rest_area(t, object, rest, i);
    if (status != DV_OK)
        triangle_blocks_free(t);
    return status;
}

static void make_room(TriangleBlocks *t)
{
    const uint32_t old = t->room, room = t->mesh.block_room;
    if (room <= old)
        return;
    t->block = dv_realloc(t->block, old * sizeof *t->block, room * sizeof *t->block);
    t->collapsed = dv_realloc(t->collapsed, old * sizeof *t->collapsed, room * sizeof *t->collapsed);
    if (t->turn)
        t->turn = dv_realloc(t->turn, old * sizeof *t->turn, room * sizeof *t->turn);
    dv_free(t->row); /* made by the next assembly */
    t->row = NULL;
    t->room = room;
}

static void update_block(TriangleBlocks *t, const double *rest, uint32_t number)
{
    dv_element_blocks_load_block(&t->mesh, rest, number);
    set_rest_shapes(t, number);
}

DvStatus triangle_blocks_update(TriangleBlocks *t, const DvObject *object, const DvMeshEdits *edits,
                                const DvTopologyRef *topology, uint32_t points, const double *rest, uint32_t triangles,
                                const uint32_t *list, bool *paired)
{
    DvStatus status =
        dv_element_blocks_update(&t->mesh, object, "triangle", edits, topology, points, triangles, list, paired);
    if (status != DV_OK)
        return status;
    make_room(t);
    uint32_t done = UINT32_MAX; /* they are ascending */
    for (uint32_t i = 0; i < edits->elements.count && status == DV_OK; i++) {
        const uint32_t triangle = edits->elements.data[i], number = triangle / DV_LANES;
        if (number != done)
            update_block(t, rest, number);
        done = number;
        status = set_rest_area(t, object, rest, triangle);
    }
    if (t->mesh.blocks > 0 && done != t->mesh.blocks - 1)
        update_block(t, rest, t->mesh.blocks - 1);
    for (uint32_t lane = triangles; lane < t->mesh.blocks * DV_LANES; lane++) { /* nobody has them any more */
        TriangleBlock *last = &t->block[lane / DV_LANES];
        last->area[lane % DV_LANES] = last->lambda[lane % DV_LANES] = last->mu[lane % DV_LANES] = 0.0;
    }
    return status;
}

void triangle_blocks_set_rest(TriangleBlocks *t, uint32_t triangle, const double edge[2][3], const double frame[6])
{
    TriangleBlock *block = &t->block[triangle / DV_LANES];
    const uint32_t lane = triangle % DV_LANES;
    double local[2][2];
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++)
            block->rest[k][c][lane] = local[k][c] = edge[k][c];
    const DvVec3 normal = dv_vec3_cross(dv_vec3_load(edge[0]), dv_vec3_load(edge[1]));
    const double det = t->method == TRIANGLE_PLANAR ? dv_vec3_norm(normal) : local[0][0] * local[1][1];
    block->area[lane] = 0.5 * fabs(det);
    block->twice_area[lane] = fabs(det);
    for (int c = 0; frame && c < 6; c++)
        block->axis[c / 3][c % 3][lane] = frame[c];
}

void triangle_blocks_set_material(TriangleBlocks *t, uint32_t triangle, double thickness, double lambda, double mu)
{
    TriangleBlock *block = &t->block[triangle / DV_LANES];
    const uint32_t lane = triangle % DV_LANES;
    const double scale = thickness * block->area[lane];
    block->lambda[lane] = scale * lambda;
    block->mu[lane] = scale * mu;
}

/* Twice the area of a triangle in the x-y plane, as the formula of method small has it, which takes B.y for 0, or as it is. */
static double plane_area(DvVec3 b, DvVec3 c, bool by_formula)
{
    return by_formula ? b.x * c.y : b.x * c.y - b.y * c.x;
}

/* Once: a triangle that has lost its area pulls at nothing until it opens again. */
static void warn_of_collapse(TriangleBlocks *t, const void *self, const double *x)
{
    for (uint32_t i = 0; i < t->mesh.elements; i++) {
        DvVec3 p[3];
        for (uint32_t n = 0; n < 3; n++)
            p[n] = dv_vec3_load(x + 3 * (size_t)dv_element_blocks_point(&t->mesh, i, n));
        const DvVec3 b = dv_vec3_sub(p[1], p[0]), c = dv_vec3_sub(p[2], p[0]);
        const bool small = t->method == TRIANGLE_SMALL;
        const double det = small ? plane_area(b, c, true) : 2.0 * dv_triangle_area(p[0], p[1], p[2]);
        const double least = (t->method == TRIANGLE_EXACT ? 1.001 * FLATTEST : DBL_EPSILON) *
                             t->block[i / DV_LANES].twice_area[i % DV_LANES];
        if (fabs(det) >= least)
            continue;
        if (small && fabs(plane_area(b, c, false)) >= least)
            dv_warning(
                dv_object_of(self),
                "triangle %u has no force: method 'small' divides by the extent of its first edge along x, which is "
                "0; use 'linear'",
                i);
        else
            dv_warning(dv_object_of(self), "triangle %u has lost its area%s; it has no force while it has none", i,
                       small ? " in the x-y plane (method 'small' knows no other; use 'linear')" : "");
        t->warned = true;
        return;
    }
}

void triangle_blocks_ready(TriangleBlocks *t, const double *rest)
{
    dv_element_chunks_add(&t->mesh.chunks, rest, NULL, force_chunk, &(TriangleWork){t, 1.0});
}

void triangle_blocks_force(TriangleBlocks *t, const void *self, const DvConstVec *x, const DvVec *f)
{
    TriangleWork work = {t, 1.0};
    dv_element_chunks_add(&t->mesh.chunks, x->at, f->at, force_chunk, &work);
    for (uint32_t number = 0; !t->warned && number < t->mesh.blocks; number++)
        if (t->collapsed[number])
            warn_of_collapse(t, self, x->at);
}

void triangle_blocks_dforce(TriangleBlocks *t, double k, const DvConstVec *dx, const DvVec *df)
{
    TriangleWork work = {t, k};
    dv_element_chunks_add(&t->mesh.chunks, dx->at, df->at, dforce_chunk, &work);
}

void triangle_blocks_cost(const TriangleBlocks *t, double *product, double *assembly)
{
    const double elements = t->mesh.elements;
    *product = cost_triangle_product * elements *
               dv_cache_penalty(cost_triangle_bytes * elements, cost_triangle_product_beyond);
    *assembly = cost_triangle_assembly * elements;
}

void triangle_blocks_draw(const TriangleBlocks *t, DvDraw *draw, DvStateRef state)
{
    static const uint8_t face[1][3] = {{0, 1, 2}};
    static const double color[1][4] = {{0.0, 1.0, 0.0, 1.0}};
    if (!dv_draw_shows(draw, DV_DISPLAY_FORCE_FIELDS) || !state.ops)
        return;
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    if (x.count == t->mesh.points)
        dv_element_blocks_draw(&t->mesh, draw, x.at, face, 1, 0.0, color, 1);
}

void triangle_blocks_stress(const TriangleBlocks *t, const DvConstVec *x, double (*out)[3])
{
    for (uint32_t i = 0; i < t->mesh.elements; i++) {
        const TriangleBlock *b = &t->block[i / DV_LANES];
        const uint32_t lane = i % DV_LANES;
        const double *a = x->at + 3 * (size_t)dv_element_blocks_point(&t->mesh, i, 0);
        double s[3] = {0.0, 0.0, 0.0};
        for (uint32_t k = 0; k < 2; k++) {
            const double *p = x->at + 3 * (size_t)dv_element_blocks_point(&t->mesh, i, k + 1);
            double d[2] = {-b->rest[k][0][lane], -b->rest[k][1][lane]};
            for (int c = 0; c < 2; c++)
                for (int w = 0; w < 3; w++)
                    d[c] += b->axis[c][w][lane] * (p[w] - a[w]);
            const double g[2] = {b->gradient[k][0][lane], b->gradient[k][1][lane]};
            s[0] += g[0] * d[0];
            s[1] += g[1] * d[1];
            s[2] += g[1] * d[0] + g[0] * d[1];
        }
        const double scale = b->area[lane] > 0.0 ? 1.0 / b->area[lane] : 0.0;
        const double lambda = scale * b->lambda[lane], mu = scale * b->mu[lane];
        out[i][0] = lambda * (s[0] + s[1]) + 2.0 * mu * s[0];
        out[i][1] = lambda * (s[0] + s[1]) + 2.0 * mu * s[1];
        out[i][2] = mu * s[2];
    }
}

double triangle_blocks_energy(TriangleBlocks *t, const DvConstVec *x)
{
    dv_element_blocks_load(&t->mesh, x->at);
    return dv_parallel_sum(t->mesh.blocks, DV_BLOCKS_PER_CHUNK, energy_chunk, t);
}
