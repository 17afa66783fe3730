/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element x law: storage, forces, products, energy. What is assembled is in solid_stiffness.c.
 */
#include "solid_blocks.h"

#include <divan/kit/element_names.h>
#include <divan/kit/element_tables.h>
#include <divan/math/decompose.h>

/* ---- Storage ---- */

void dv_solid_elements_free(DvSolidElements *solid)
{
    dv_element_blocks_free(&solid->mesh);
    dv_free(solid->block);
    dv_free(solid->stiffness);
    dv_free(solid->row);
    dv_free(solid->space);
    *solid = (DvSolidElements){.mesh = {.kept = solid->mesh.kept}};
}

static void set_parameters(DvSolidElements *solid, uint32_t lane)
{
    double values[DV_LAW_PARAMETERS] = {0.0};
    const uint32_t count = dv_material_law_parameters(solid->model.law),
                   element = lane < solid->mesh.elements ? lane : solid->mesh.elements - 1;
    solid->model.parameters(solid->model.context, element, values);
    for (uint32_t i = 0; i < count; i++)
        solid_parameters(solid, lane / DV_LANES)[i][lane % DV_LANES] = values[i];
}

/* The columns that an element of fewer dimensions has no coordinates for: unit normals, so that determinant and inverse are those of its
 * tangent space. */
static DvMat3 complete(uint32_t dimensions, DvMat3 j)
{
    DvVec3 first = dv_mat3_column(j, 0), second = dv_mat3_column(j, 1);
    if (dimensions == 1) {
        const double x = fabs(first.x), y = fabs(first.y), z = fabs(first.z);
        const DvVec3 axis = dv_vec3(x < y && x <= z, y <= x && y <= z, z < x && z < y);
        second = dv_vec3_cross(axis, first);
        second = dv_vec3_scale(second, 1.0 / fmax(dv_vec3_norm(second), DBL_MIN));
        j = dv_mat3_with_column(j, 1, second);
    }
    if (dimensions < 3) {
        const DvVec3 normal = dv_vec3_cross(first, second);
        j = dv_mat3_with_column(j, 2, dv_vec3_scale(normal, 1.0 / fmax(dv_vec3_norm(normal), DBL_MIN)));
    }
    return j;
}

static double column_norms(DvMat3 j)
{
    return dv_vec3_norm(dv_mat3_column(j, 0)) * dv_vec3_norm(dv_mat3_column(j, 1)) * dv_vec3_norm(dv_mat3_column(j, 2));
}

double solid_map(DvElementKind kind, const double *at, const double *slope, DvMat3 *inverse)
{
    DvMat3 j = {{{0.0}}};
    for (uint32_t n = 0; n < dv_element_nodes(kind); n++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                j.m[i][c] += at[3 * n + (uint32_t)i] * slope[3 * n + (uint32_t)c];
    j = complete(dv_shape_dimensions(kind), j);
    const double det = dv_mat3_det(j);
    if (!(fabs(det) > 1e-14 * column_norms(j)))
        return 0.0;
    (void)dv_mat3_inverse(j, inverse);
    return det;
}

/* Weights and gradients of one element; false: it has no size at a point. */
static bool set_shape(DvSolidElements *solid, uint32_t lane, const DvQuadrature *rule, const double *at)
{
    const uint32_t nodes = solid->mesh.nodes, number = lane / DV_LANES, place = lane % DV_LANES;
    const DvElementKind kind = solid->model.kind;
    for (uint32_t q = 0; q < solid->points; q++) {
        double point[3], slope[DV_SOLID_NODES][3];
        DvReal8 *out = solid_point(solid, number, q);
        const double weight = dv_quadrature_point(kind, rule, q, point);
        for (uint32_t n = 0; n < nodes; n++)
            (void)dv_shape_function(kind, 1, n, point, slope[n]);
        DvMat3 inverse;
        const double det = solid_map(kind, at, slope[0], &inverse);
        if (det == 0.0)
            return false;
        out[0][place] = lane < solid->mesh.elements ? weight * fabs(det) : 0.0;
        for (uint32_t n = 0; n < nodes; n++)
            for (int i = 0; i < 3; i++)
                out[1 + 3 * n + (uint32_t)i][place] =
                    inverse.m[0][i] * slope[n][0] + inverse.m[1][i] * slope[n][1] + inverse.m[2][i] * slope[n][2];
    }
    return true;
}

/* Rest positions, from the element's middle where it turns. */
static void set_rest(DvSolidElements *solid, uint32_t lane, const double *at)
{
    const uint32_t nodes = solid->mesh.nodes;
    DvReal8(*rest)[3] = solid_rest(solid, lane / DV_LANES);
    for (int c = 0; c < 3; c++) {
        double middle = 0.0;
        for (uint32_t n = 0; n < nodes; n++)
            middle += at[3 * n + (uint32_t)c];
        middle = solid->model.kinematics == DV_COROTATIONAL ? middle / nodes : 0.0;
        for (uint32_t n = 0; n < nodes; n++)
            rest[n][c][lane % DV_LANES] = at[3 * n + (uint32_t)c] - middle;
    }
}

/* All of an element that lies in a lane; the lanes after the last element repeat it, without weight. */
static DvStatus set_element(DvSolidElements *solid, const DvObject *object, const DvConstVec *rest, DvElements list,
                            uint32_t lane)
{
    const DvQuadrature rule = dv_quadrature(solid->model.kind, 1);
    const uint32_t nodes = solid->mesh.nodes, element = lane < list.count ? lane : list.count - 1;
    double at[3 * DV_SOLID_NODES] = {0.0};
    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t c = 0; c < rest->dim; c++)
            at[3 * n + c] = rest->at[(size_t)rest->dim * list.at[(size_t)nodes * element + n] + c];
    set_rest(solid, lane, at);
    set_parameters(solid, lane);
    for (int i = 0; i < 3 && solid->model.kinematics == DV_COROTATIONAL; i++)
        for (int j = 0; j < 3; j++)
            solid_rotation(solid, lane / DV_LANES)[i][j][lane % DV_LANES] = i == j;
    for (uint32_t q = 0; q < solid->points && !solid->model.law->linear; q++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                solid_gradient_of_point(solid, lane / DV_LANES, q)[i][j][lane % DV_LANES] = i == j;
    if (set_shape(solid, lane, &rule, at))
        return DV_OK;
    return dv_error(object, DV_ERROR_INVALID, "%s %u has no size at rest; remove it from the mesh",
                    dv_element_name(solid->model.kind), element);
}

/* Room for blocks and points as there are now; nothing of the last assembly stays. */
static DvStatus make_room(DvSolidElements *solid, const DvObject *object, size_t blocks)
{
    const size_t size = sizeof(DvReal8) * solid->stride, room = solid->mesh.block_room;
    const DvStatus status = dv_memory_ask(object, (double)size * (double)(room - blocks), "%u elements of type %s",
                                          solid->mesh.elements, dv_element_name(solid->model.kind));
    if (status != DV_OK)
        return status;
    if (room > blocks)
        solid->block = dv_realloc(solid->block, blocks * size, room * size);
    dv_free(solid->stiffness);
    dv_free(solid->row);
    dv_free(solid->space);
    solid->stiffness = NULL;
    solid->row = NULL;
    solid->space = solid->model.space < 3 ? dv_alloc((size_t)solid->mesh.points * 6, sizeof *solid->space) : NULL;
    return DV_OK;
}

DvStatus dv_solid_elements_build(DvSolidElements *solid, const DvObject *object, const DvSolidModel *model,
                                 const DvConstVec *rest, DvElements list)
{
    dv_solid_elements_free(solid);
    const char *kind = dv_element_name(model->kind);
    const uint32_t nodes = dv_element_nodes(model->kind), dimensions = dv_shape_dimensions(model->kind);
    if (dimensions > model->space || (model->kinematics == DV_FINITE_STRAIN && dimensions < model->space))
        return dv_error(object, DV_ERROR_INVALID, "elements of type %s with %s strains need a state of %u dimensions",
                        kind, model->kinematics == DV_FINITE_STRAIN ? "finite" : "small", dimensions);
    solid->model = *model;
    DvStatus status = dv_element_blocks_build(&solid->mesh, object, kind, rest->count, nodes, list.count, list.at);
    solid->points = dv_quadrature(model->kind, 1).count;
    solid->stride = solid_stride(solid);
    if (status == DV_OK)
        status = make_room(solid, object, 0);
    for (uint32_t lane = 0; status == DV_OK && lane < solid->mesh.blocks * DV_LANES; lane++)
        status = set_element(solid, object, rest, list, lane);
    if (status != DV_OK)
        dv_solid_elements_free(solid);
    return status;
}

DvStatus dv_solid_elements_update(DvSolidElements *solid, const DvObject *object, const DvMeshEdits *edits,
                                  const DvTopologyRef *topology, const DvConstVec *rest, DvElements list, bool *paired)
{
    const size_t blocks = solid->mesh.block_room;
    DvStatus status = dv_element_blocks_update(&solid->mesh, object, dv_element_name(solid->model.kind), edits,
                                               topology, rest->count, list.count, list.at, paired);
    if (status == DV_OK)
        status = make_room(solid, object, blocks);
    for (uint32_t i = 0; status == DV_OK && i < edits->elements.count; i++)
        status = set_element(solid, object, rest, list, edits->elements.data[i]);
    for (uint32_t lane = list.count; status == DV_OK && lane < solid->mesh.blocks * DV_LANES; lane++)
        status = set_element(solid, object, rest, list, lane);
    if (status != DV_OK)
        dv_solid_elements_free(solid);
    return status;
}

/* ---- Rotations ---- */

/* Rows of a frame, eight at a time: along u, and the normal of u and v. */
DV_SIMD_INLINE void frame_of_edges(const DvReal8 u[3], const DvReal8 v[3], DvReal8 (*frame)[3])
{
    memcpy(frame[0], u, sizeof frame[0]);
    dv_real8_normalize(frame[0]);
    dv_real8_cross(frame[0], v, frame[2]);
    dv_real8_normalize(frame[2]);
    dv_real8_cross(frame[2], frame[0], frame[1]);
}

/* From nodes 0 1 2, or from the mean edges along the first and second axis of a hexahedron. */
DV_SIMD_INLINE void frame_of(DvElementRotation rotation, const DvReal8 (*p)[3], DvReal8 (*frame)[3])
{
    static const uint8_t ends[2][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}}, {{0, 3}, {1, 2}, {4, 7}, {5, 6}}};
    DvReal8 edge[2][3];
    DV_EACH (axis, 2) {
        dv_real8_sub(p[axis + 1], p[0], edge[axis]);
        if (rotation != DV_ROTATION_HEXAHEDRON)
            continue;
        DV_EACH (c, 3) {
            edge[axis][c] = p[ends[axis][0][1]][c] - p[ends[axis][0][0]][c];
            for (int k = 1; k < 4; k++)
                edge[axis][c] += p[ends[axis][k][1]][c] - p[ends[axis][k][0]][c];
        }
    }
    frame_of_edges(edge[0], edge[1], frame);
}

DV_SIMD_INLINE void frame_rotations(DvElementRotation rotation, const DvReal8 (*x)[3], const DvReal8 (*rest)[3],
                                    DvReal8 (*out)[3])
{
    DvReal8 now[3][3], before[3][3];
    frame_of(rotation, x, now);
    frame_of(rotation, rest, before);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            out[i][j] = now[0][i] * before[0][j] + now[1][i] * before[1][j] + now[2][i] * before[2][j];
}

static DvMat3 polar_rotation(const DvSolidModel *model, uint32_t nodes, const DvVec3 *now, const DvVec3 *rest)
{
    DvMat3 h = {{{0.0}}}, r;
    double size = 0.0;
    for (uint32_t n = 0; n < nodes; n++)
        size += dv_vec3_norm_squared(rest[n]);
    for (uint32_t n = 0; n < nodes; n++)
        h = dv_mat3_add(h, dv_mat3_outer(now[n], dv_vec3_scale(rest[n], 1.0 / size)));
    for (uint32_t c = model->space; c < 3; c++)
        h.m[c][c] = 1.0;
    const bool flat = dv_shape_dimensions(model->kind) < model->space;
    if (model->rotation == DV_ROTATION_STABLE_POLAR || flat || !dv_polar(h, &r))
        r = dv_polar_stable(h);
    return r;
}

static void polar_rotations(const DvSolidElements *solid, const DvReal8 (*x)[3], const DvReal8 (*rest)[3],
                            DvReal8 (*out)[3])
{
    const uint32_t nodes = solid->mesh.nodes;
    for (int lane = 0; lane < DV_LANES; lane++) {
        DvVec3 now[DV_SOLID_NODES], before[DV_SOLID_NODES];
        for (uint32_t n = 0; n < nodes; n++) {
            now[n] = dv_vec3(x[n][0][lane], x[n][1][lane], x[n][2][lane]);
            before[n] = dv_vec3(rest[n][0][lane], rest[n][1][lane], rest[n][2][lane]);
        }
        const DvMat3 r = solid->model.rotation == DV_ROTATION_NONE ? dv_mat3_identity()
                                                                   : polar_rotation(&solid->model, nodes, now, before);
        for (int i = 0; i < 9; i++)
            out[i / 3][i % 3][lane] = r.m[i / 3][i % 3];
    }
}

/* ---- Forces and products ---- */

typedef struct SolidWork {
    DvSolidElements *solid;
    double k;
} SolidWork;

#define TENSOR(a) ((const DvReal8(*)[3])(a))

DV_SIMD_INLINE void gather(DvElementRow *row, const uint16_t *place, int nodes, bool narrow, DvReal8 (*x)[3])
{
    DvElementRow *at[DV_LANES];
    DV_EACH (n, nodes) {
        dv_element_rows_at(row, place + n * DV_LANES, at);
        dv_element_rows_gather(at, narrow, x[n]);
    }
}

DV_SIMD_INLINE void scatter(DvElementRow *row, const uint16_t *place, int nodes, bool narrow, const DvReal8 (*f)[3])
{
    DvElementRow *at[DV_LANES];
    DV_EACH (n, nodes) {
        dv_element_rows_at(row, place + n * DV_LANES, at);
        dv_element_rows_add(at, narrow, f[n]);
    }
}

/* Positions become displacements, in the element's frame. */
DV_SIMD_INLINE void displace(DvSolidElements *solid, uint32_t number, int nodes, DvReal8 (*x)[3])
{
    DvReal8(*rest)[3] = solid_rest(solid, number);
    if (solid->model.kinematics == DV_COROTATIONAL) {
        DvReal8(*rotation)[3] = solid_rotation(solid, number), turned[3];
        DV_EACH (c, 3) {
            DvReal8 middle = x[0][c];
            for (int n = 1; n < nodes; n++)
                middle += x[n][c];
            middle /= (double)nodes;
            for (int n = 0; n < nodes; n++)
                x[n][c] -= middle;
        }
        if (solid->model.rotation == DV_ROTATION_TRIANGLE || solid->model.rotation == DV_ROTATION_HEXAHEDRON)
            frame_rotations(solid->model.rotation, TENSOR(x), TENSOR(rest), rotation);
        else
            polar_rotations(solid, TENSOR(x), TENSOR(rest), rotation);
        for (int n = 0; n < nodes; n++) {
            dv_real8_transposed_mul(TENSOR(rotation), x[n], turned);
            DV_EACH (c, 3)
                x[n][c] = turned[c];
        }
    }
    for (int n = 0; n < nodes; n++)
        DV_EACH (c, 3)
            x[n][c] -= rest[n][c];
}

/* h = sum of u_n grad N_n^T; of small strains its symmetric part. */
DV_SIMD_INLINE void gradient(const DvSolidElements *solid, const DvReal8 (*slope)[3], int nodes, const DvReal8 (*u)[3],
                             DvReal8 h[3][3])
{
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            h[i][j] = u[0][i] * slope[0][j];
    for (int n = 1; n < nodes; n++)
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                h[i][j] += u[n][i] * slope[n][j];
    if (solid->model.kinematics != DV_FINITE_STRAIN)
        solid_symmetrise(h);
}

/* Of a point: the forces of the stress p, times k. */
DV_SIMD_INLINE void add_forces(const DvSolidElements *solid, const DvReal8 (*slope)[3], int nodes, DvReal8 k,
                               DvReal8 p[3][3], DvReal8 (*f)[3])
{
    if (solid->model.kinematics != DV_FINITE_STRAIN)
        solid_symmetrise(p);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            p[i][j] *= k;
    for (int n = 0; n < nodes; n++)
        DV_EACH (i, 3)
            f[n][i] += p[i][0] * slope[n][0] + p[i][1] * slope[n][1] + p[i][2] * slope[n][2];
}

DV_SIMD_INLINE void turn_back(DvSolidElements *solid, uint32_t number, int nodes, DvReal8 (*f)[3])
{
    if (solid->model.kinematics != DV_COROTATIONAL)
        return;
    const DvReal8(*rotation)[3] = TENSOR(solid_rotation(solid, number));
    for (int n = 0; n < nodes; n++) {
        DvReal8 turned[3];
        dv_real8_mul(rotation, f[n], turned);
        DV_EACH (c, 3)
            f[n][c] = turned[c];
    }
}

DV_SIMD_INLINE void force_of(void *context, DvElementRow *row, uint32_t begin, uint32_t end, int nodes, int points,
                             bool narrow)
{
    DvSolidElements *solid = ((SolidWork *)context)->solid;
    const bool hooke = solid->model.law == &dv_hooke_law, linear = solid->model.law->linear;
    for (uint32_t number = begin; number < end; number++) {
        const uint16_t *place = dv_element_places(&solid->mesh.chunks, number);
        DvReal8 u[DV_SOLID_NODES][3], f[DV_SOLID_NODES][3], h[3][3], p[3][3];
        gather(row, place, nodes, narrow, u);
        displace(solid, number, nodes, u);
        memset(f, 0, sizeof f);
        for (int q = 0; q < points; q++) {
            const DvReal8 *at = solid_point(solid, number, (uint32_t)q);
            const DvReal8(*slope)[3] = TENSOR(at + 1);
            gradient(solid, slope, nodes, TENSOR(u), h);
            if (hooke) {
                solid_hooke(solid_parameters(solid, number), h, p);
            } else {
                DV_EACH (i, 3)
                    h[i][i] += 1.0;
                if (!linear)
                    memcpy(solid_gradient_of_point(solid, number, (uint32_t)q), h, sizeof h);
                dv_material_law_stress(solid->model.law, solid_parameters(solid, number), TENSOR(h), p);
            }
            add_forces(solid, slope, nodes, -at[0], p, f);
        }
        turn_back(solid, number, nodes, f);
        scatter(row, place, nodes, narrow, TENSOR(f));
    }
}

DV_SIMD_INLINE void product_of(void *context, DvElementRow *row, uint32_t begin, uint32_t end, int nodes, int points,
                               bool narrow)
{
    const SolidWork *work = context;
    DvSolidElements *solid = work->solid;
    const bool hooke = solid->model.law == &dv_hooke_law, linear = solid->model.law->linear;
    const DvReal8 none[3][3] = {{{0}}};
    for (uint32_t number = begin; number < end; number++) {
        const uint16_t *place = dv_element_places(&solid->mesh.chunks, number);
        DvReal8 u[DV_SOLID_NODES][3], f[DV_SOLID_NODES][3], h[3][3], p[3][3];
        gather(row, place, nodes, narrow, u);
        if (solid->model.kinematics == DV_COROTATIONAL)
            for (int n = 0; n < nodes; n++) {
                DvReal8 turned[3];
                dv_real8_transposed_mul(TENSOR(solid_rotation(solid, number)), u[n], turned);
                DV_EACH (c, 3)
                    u[n][c] = turned[c];
            }
        memset(f, 0, sizeof f);
        for (int q = 0; q < points; q++) {
            const DvReal8 *at = solid_point(solid, number, (uint32_t)q);
            const DvReal8(*slope)[3] = TENSOR(at + 1);
            gradient(solid, slope, nodes, TENSOR(u), h);
            if (hooke)
                solid_hooke(solid_parameters(solid, number), h, p);
            else
                dv_material_law_tangent(solid->model.law, solid_parameters(solid, number),
                                        linear ? none : TENSOR(solid_gradient_of_point(solid, number, (uint32_t)q)),
                                        TENSOR(h), p);
            add_forces(solid, slope, nodes, -work->k * at[0], p, f);
        }
        turn_back(solid, number, nodes, f);
        scatter(row, place, nodes, narrow, TENSOR(f));
    }
}

/* A body for each kind, so that loops over nodes and points have constant ends. */
#define FOR_EACH_KIND(body)                              \
    switch (((SolidWork *)context)->solid->model.kind) { \
    case DV_EDGES:                                       \
        body(context, row, begin, end, 2, 1, narrow);    \
        break;                                           \
    case DV_TRIANGLES:                                   \
        body(context, row, begin, end, 3, 1, narrow);    \
        break;                                           \
    case DV_QUADS:                                       \
        body(context, row, begin, end, 4, 3, narrow);    \
        break;                                           \
    case DV_TETRAHEDRA:                                  \
        body(context, row, begin, end, 4, 1, narrow);    \
        break;                                           \
    case DV_HEXAHEDRA:                                   \
        body(context, row, begin, end, 8, 8, narrow);    \
        break;                                           \
    case DV_PRISMS:                                      \
        body(context, row, begin, end, 6, 2, narrow);    \
        break;                                           \
    default:                                             \
        body(context, row, begin, end, 5, 8, narrow);    \
        break;                                           \
    }

DV_SIMD_INLINE void force_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow){
    FOR_EACH_KIND(force_of)} DV_SIMD_LEVELS(force_chunk, force_at,
                                            (void *context, DvElementRow *row, uint32_t begin, uint32_t end), context,
                                            row, begin, end)

    DV_SIMD_INLINE void product_at(void *context, DvElementRow *row, uint32_t begin, uint32_t end, bool narrow){
        FOR_EACH_KIND(product_of)} DV_SIMD_LEVELS(product_chunk, product_at,
                                                  (void *context, DvElementRow *row, uint32_t begin, uint32_t end),
                                                  context, row, begin, end)

    /* x in space: itself, or with zeros for the coordinates that the state does not have. */
    static const double *widen(DvSolidElements *solid, const DvConstVec *x)
{
    if (!solid->space)
        return x->at;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t c = 0; c < x->dim; c++)
            solid->space[3 * (size_t)i + c] = x->at[(size_t)x->dim * i + c];
    return solid->space;
}

static void add_over_elements(DvSolidElements *solid, const DvConstVec *x, const DvVec *f, DvElementChunkBody body,
                              double k)
{
    SolidWork work = {solid, k};
    const double *at = widen(solid, x);
    double *sum = solid->space ? solid->space + 3 * (size_t)x->count : f->at;
    if (solid->space)
        memset(sum, 0, 3 * (size_t)x->count * sizeof *sum);
    dv_element_chunks_add(&solid->mesh.chunks, at, sum, body, &work);
    for (uint32_t i = 0; solid->space && i < f->count; i++)
        for (uint32_t c = 0; c < f->dim; c++)
            f->at[(size_t)f->dim * i + c] += sum[3 * (size_t)i + c];
}

void dv_solid_elements_add_force(DvSolidElements *solid, const DvConstVec *x, const DvVec *f)
{
    add_over_elements(solid, x, f, force_chunk, 1.0);
}

void dv_solid_elements_add_product(DvSolidElements *solid, double k, const DvConstVec *dx, const DvVec *df)
{
    add_over_elements(solid, dx, df, product_chunk, k);
}

/* ---- Energy ---- */

DV_SIMD_CLONES static double energy_of_blocks(void *context, uint32_t begin, uint32_t end)
{
    DvSolidElements *solid = ((SolidWork *)context)->solid;
    const int nodes = (int)solid->mesh.nodes;
    double energy = 0.0;
    for (uint32_t number = begin; number < end; number++) {
        DvReal8 u[DV_SOLID_NODES][3], h[3][3], kept[3][3], w, sum = {0};
        for (int n = 0; n < nodes; n++)
            dv_real8_gather_rows(solid->mesh.point,
                                 solid->mesh.node + ((size_t)number * solid->mesh.nodes + (size_t)n) * DV_LANES, u[n]);
        const bool turns = solid->model.kinematics == DV_COROTATIONAL;
        if (turns)
            memcpy(kept, solid_rotation(solid, number), sizeof kept);
        displace(solid, number, nodes, u);
        if (turns) /* those of the last force stay */
            memcpy(solid_rotation(solid, number), kept, sizeof kept);
        for (uint32_t q = 0; q < solid->points; q++) {
            const DvReal8 *at = solid_point(solid, number, q);
            gradient(solid, TENSOR(at + 1), nodes, TENSOR(u), h);
            DV_EACH (i, 3)
                h[i][i] += 1.0;
            dv_material_law_energy(solid->model.law, solid_parameters(solid, number), TENSOR(h), &w);
            sum += at[0] * w;
        }
        energy += DV_REAL8_SUM(sum);
    }
    return energy;
}

double dv_solid_elements_energy(DvSolidElements *solid, const DvConstVec *x)
{
    SolidWork work = {solid, 1.0};
    dv_element_blocks_load(&solid->mesh, widen(solid, x));
    return dv_parallel_sum(solid->mesh.blocks, DV_BLOCKS_PER_CHUNK, energy_of_blocks, &work);
}

/* ---- Drawing ---- */

void dv_solid_elements_draw(const DvSolidElements *solid, DvDraw *draw, const double *x, double gap)
{
    static const double color[1][4] = {{0.0, 0.4, 0.9, 1.0}};
    const DvElementKind kind = solid->model.kind;
    if (dv_surface_count[kind] > 0)
        dv_element_blocks_draw(&solid->mesh, draw, x, dv_surface_of_element[kind], dv_surface_count[kind], gap, color,
                               1);
}
