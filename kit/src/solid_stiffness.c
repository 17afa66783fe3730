/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element x law: stiffness matrices of elements, and their sum over points and pairs.
 */
#include "solid_blocks.h"

#define TENSOR(a) ((const DvReal8(*)[3])(a))

/* dP/dF of a point: [3 k + l] is dP for dF = e_k e_l^T, of small strains for its symmetric part. */
DV_SIMD_INLINE void find_moduli(const DvSolidElements *solid, uint32_t number, uint32_t q, DvReal8 moduli[9][3][3])
{
    const bool finite = solid->model.kinematics == DV_FINITE_STRAIN, linear = solid->model.law->linear;
    const DvReal8 none[3][3] = {{{0}}};
    for (int k = 0; k < 9; k++) {
        DvReal8 df[3][3] = {{{0}}};
        df[k / 3][k % 3] += 1.0;
        if (!finite)
            solid_symmetrise(df);
        dv_material_law_tangent(solid->model.law, solid_parameters(solid, number),
                                linear ? none : TENSOR(solid_gradient_of_point(solid, number, q)), TENSOR(df),
                                moduli[k]);
        if (!finite)
            solid_symmetrise(moduli[k]);
    }
}

/* k += w grad N_n . dP/dF . grad N_m */
DV_SIMD_INLINE void add_pair(const DvReal8 moduli[9][3][3], const DvReal8 first[3], const DvReal8 second[3],
                             DvReal8 weight, DvReal8 k[3][3])
{
    DV_EACH (j, 3) /* column: node m moves along j */
        DV_EACH (i, 3) {
            DvReal8 sum = {0};
            DV_EACH (l, 3)
                sum += second[l] * dv_real8_dot(moduli[3 * j + l][i], first);
            k[i][j] += weight * sum;
        }
}

/* Of Hooke's law: lambda g_n g_m^T + mu (g_m g_n^T + g_n . g_m 1). */
DV_SIMD_INLINE void add_hooke_pair(const DvReal8 *parameters, const DvReal8 first[3], const DvReal8 second[3],
                                   DvReal8 weight, DvReal8 k[3][3])
{
    const DvReal8 lambda = weight * parameters[0], mu = weight * parameters[1], dot = mu * dv_real8_dot(first, second);
    DV_EACH (i, 3) {
        DV_EACH (j, 3)
            k[i][j] += lambda * first[i] * second[j] + mu * second[i] * first[j];
        k[i][i] += dot;
    }
}

/* r k r^T of each lane into the matrices of the elements. */
DV_SIMD_INLINE void store_pair(const DvSolidElements *solid, uint32_t number, uint32_t pair, const DvReal8 k[3][3])
{
    const uint32_t pairs = dv_solid_elements_pairs(solid);
    DvReal8 turned[3][3], whole[3][3];
    memcpy(whole, k, sizeof whole);
    if (solid->turns) {
        const DvReal8(*r)[3] = TENSOR(solid_rotation(solid, number));
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                turned[i][j] = dv_real8_dot(k[i], r[j]);
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                whole[i][j] = r[i][0] * turned[0][j] + r[i][1] * turned[1][j] + r[i][2] * turned[2][j];
    }
    for (uint32_t lane = 0; lane < DV_LANES && number * DV_LANES + lane < solid->mesh.elements; lane++) {
        double *out = solid->stiffness + ((size_t)(number * DV_LANES + lane) * pairs + pair) * 9;
        for (int i = 0; i < 9; i++)
            out[i] = whole[i / 3][i % 3][lane];
    }
}

DV_SIMD_CLONES static void make_matrices(void *context, uint32_t begin, uint32_t end)
{
    const DvSolidElements *solid = context;
    const uint32_t nodes = solid->mesh.nodes;
    const bool hooke = solid->model.law == &dv_hooke_law;
    for (uint32_t number = begin; number < end; number++) {
        DvReal8 k[DV_SOLID_NODES * (DV_SOLID_NODES + 1) / 2][3][3], moduli[9][3][3];
        memset(k, 0, sizeof k[0] * dv_solid_elements_pairs(solid));
        for (uint32_t q = 0; q < solid->points; q++) {
            const DvReal8 *at = solid_point(solid, number, q);
            const DvReal8(*slope)[3] = TENSOR(at + 1);
            if (!hooke)
                find_moduli(solid, number, q, moduli);
            for (uint32_t n = 0, pair = 0; n < nodes; n++)
                for (uint32_t m = n; m < nodes; m++, pair++)
                    if (hooke)
                        add_hooke_pair(solid_parameters(solid, number), slope[n], slope[m], at[0], k[pair]);
                    else
                        add_pair((const DvReal8(*)[3][3])moduli, slope[n], slope[m], at[0], k[pair]);
        }
        for (uint32_t pair = 0; pair < dv_solid_elements_pairs(solid); pair++)
            store_pair(solid, number, pair, TENSOR(k[pair]));
    }
}

void dv_solid_elements_make_matrices(DvSolidElements *solid, bool turned)
{
    solid->turns = turned && solid->model.kinematics == DV_COROTATIONAL;
    const size_t size = (size_t)solid->mesh.elements * dv_solid_elements_pairs(solid) * 9;
    if (!solid->stiffness)
        solid->stiffness = dv_alloc(size, sizeof *solid->stiffness);
    dv_parallel_for(solid->mesh.blocks, DV_BLOCKS_PER_CHUNK / 4, make_matrices, solid);
}

typedef struct AssembleWork {
    const DvSolidElements *solid;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

/* block += the matrix of nodes n and m of an element. */
static void add_block(const DvSolidElements *solid, uint32_t element, uint32_t n, uint32_t m, double block[9])
{
    const uint32_t nodes = solid->mesh.nodes, low = n < m ? n : m, high = n < m ? m : n;
    const uint32_t pair = low * nodes - low * (low + 1) / 2 + high;
    const double *k = solid->stiffness + ((size_t)element * dv_solid_elements_pairs(solid) + pair) * 9;
    for (int i = 0; i < 9; i++)
        block[i] += n <= m ? k[i] : k[3 * (i % 3) + i / 3];
}

/* A coupling += a block, and its transpose to another; of a state with fewer dimensions the part it has. */
static void put(const AssembleWork *work, uint32_t coupling, const double block[9], bool transposed)
{
    const uint32_t space = work->solid->model.space;
    double part[9];
    if (space == 3 && !transposed) {
        dv_view_add3(work->view, coupling, block, work->factor);
        return;
    }
    for (uint32_t i = 0; i < space; i++)
        for (uint32_t j = 0; j < space; j++)
            part[space * i + j] = transposed ? block[3 * j + i] : block[3 * i + j];
    dv_view_add(work->view, coupling, part, work->factor);
}

static void add_points(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->solid->mesh;
    for (uint32_t p = begin; p < end; p++) {
        double block[9] = {0};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++)
            add_block(work->solid, mesh->entry[e] / mesh->nodes, mesh->entry[e] % mesh->nodes,
                      mesh->entry[e] % mesh->nodes, block);
        put(work, p, block, false);
    }
}

static void add_pairs(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvElementBlocks *mesh = &work->solid->mesh;
    for (uint32_t k = begin; k < end; k++) {
        double block[9] = {0};
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++)
            add_block(work->solid, mesh->pair_entry[e] >> 6, mesh->pair_entry[e] >> 3 & 7, mesh->pair_entry[e] & 7,
                      block);
        put(work, mesh->points + 2 * k, block, false);
        put(work, mesh->points + 2 * k + 1, block, true);
    }
}

void dv_solid_elements_assemble(DvSolidElements *solid, double k, const DvMatrixView *view)
{
    AssembleWork work = {solid, view, -k};
    dv_solid_elements_make_matrices(solid, true);
    dv_parallel_for(solid->mesh.points, DV_POINTS_PER_CHUNK, add_points, &work);
    dv_parallel_for(solid->mesh.pairs, DV_PAIRS_PER_CHUNK, add_pairs, &work);
}

double dv_solid_elements_bound(DvSolidElements *solid)
{
    double largest = 0.0;
    dv_solid_elements_make_matrices(solid, true);
    for (uint32_t i = 0; i < solid->mesh.elements; i++) {
        double trace = 0.0;
        for (uint32_t n = 0; n < solid->mesh.nodes; n++) {
            double block[9] = {0};
            add_block(solid, i, n, n, block);
            trace += block[0] + block[4] + block[8];
        }
        largest = fmax(largest, trace);
    }
    return sqrt(largest);
}

/* Measured of Hooke's law on grids of hexahedra and on tetrahedra; other laws by what they compute more. */
void dv_solid_elements_cost(const DvSolidElements *solid, double *product, double *assembly)
{
    const double elements = solid->mesh.elements, nodes = solid->mesh.nodes, points = solid->points;
    const double law = solid->model.law == &dv_hooke_law ? 0.0 : 15.0;
    *product =
        elements * (2.0 * nodes + points * (1.5 * nodes + law)) * dv_cache_penalty(8.0 * solid->stride * elements, 2.0);
    *assembly = elements * nodes * (nodes + 1.0) * (4.0 + 1.2 * points) + elements * points * 9.0 * law;
}
