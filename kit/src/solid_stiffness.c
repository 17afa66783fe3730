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

/* ---- Matrices of elements ---- */

/* A pair's matrix, three rows of four, into those of the elements of a block. */
DV_SIMD_INLINE void store_pair(const DvSolidElements *solid, uint32_t number, uint32_t pair, const DvReal8 k[3][3],
                               bool narrow)
{
    const uint32_t stride = 3 * dv_solid_elements_pairs(solid);
    DvReal4 *out = (DvReal4 *)(void *)solid->stiffness + (size_t)number * DV_LANES * stride + 3 * pair;
    const DvReal8 none = {0};
    DV_EACH (i, 3)
        dv_real8_to_rows(out + i, stride, k[i], &none, narrow);
}

/* Gradients at a point, turned where the elements are. */
DV_SIMD_INLINE void turned_gradients(const DvSolidElements *solid, uint32_t number, int q, int nodes, bool turns,
                                     DvReal8 (*out)[3])
{
    const DvReal8(*slope)[3] = TENSOR(solid_point(solid, number, (uint32_t)q) + 1);
    for (int n = 0; n < nodes; n++) {
        if (turns)
            dv_real8_mul(TENSOR(solid_rotation(solid, number)), slope[n], out[n]);
        else
            memcpy(out[n], slope[n], sizeof out[n]);
    }
}

/* Of Hooke's law: lambda G + mu (G^T + tr G 1) with G = sum of w g_n g_m^T, which is the same in every frame. */
DV_SIMD_INLINE void hooke_matrices(const DvSolidElements *solid, uint32_t number, int nodes, int points, bool narrow)
{
    const DvReal8 *parameters = solid_parameters(solid, number);
    const DvReal8 lambda = parameters[0], mu = parameters[1];
    DvReal8 g[8][DV_SOLID_NODES][3], weighted[8][3];
    for (int q = 0; q < points; q++)
        turned_gradients(solid, number, q, nodes, solid->turns, g[q]);
    uint32_t pair = 0;
    for (int n = 0; n < nodes; n++) {
        for (int q = 0; q < points; q++)
            DV_EACH (c, 3)
                weighted[q][c] = *solid_point(solid, number, (uint32_t)q) * g[q][n][c];
        for (int m = n; m < nodes; m++, pair++) {
            DvReal8 sum[3][3] = {{{0}}}, k[3][3];
            for (int q = 0; q < points; q++)
                DV_EACH (i, 3)
                    DV_EACH (j, 3)
                        sum[i][j] += weighted[q][i] * g[q][m][j];
            const DvReal8 trace = mu * (sum[0][0] + sum[1][1] + sum[2][2]);
            DV_EACH (i, 3) {
                DV_EACH (j, 3)
                    k[i][j] = lambda * sum[i][j] + mu * sum[j][i];
                k[i][i] += trace;
            }
            store_pair(solid, number, pair, TENSOR(k), narrow);
        }
    }
}

/* r k r^T of each lane. */
DV_SIMD_INLINE void turn_pair(const DvSolidElements *solid, uint32_t number, DvReal8 k[3][3])
{
    const DvReal8(*r)[3] = TENSOR(solid_rotation(solid, number));
    DvReal8 turned[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            turned[i][j] = dv_real8_dot(k[i], r[j]);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            k[i][j] = r[i][0] * turned[0][j] + r[i][1] * turned[1][j] + r[i][2] * turned[2][j];
}

DV_SIMD_INLINE void matrices_of_law(const DvSolidElements *solid, uint32_t number, int nodes, int points, bool narrow)
{
    DvReal8 k[DV_SOLID_NODES * (DV_SOLID_NODES + 1) / 2][3][3], moduli[9][3][3];
    memset(k, 0, sizeof k[0] * dv_solid_elements_pairs(solid));
    for (int q = 0; q < points; q++) {
        const DvReal8 *at = solid_point(solid, number, (uint32_t)q);
        const DvReal8(*slope)[3] = TENSOR(at + 1);
        find_moduli(solid, number, (uint32_t)q, moduli);
        for (int n = 0, pair = 0; n < nodes; n++)
            for (int m = n; m < nodes; m++, pair++)
                add_pair((const DvReal8(*)[3][3])moduli, slope[n], slope[m], at[0], k[pair]);
    }
    for (uint32_t pair = 0; pair < dv_solid_elements_pairs(solid); pair++) {
        if (solid->turns)
            turn_pair(solid, number, k[pair]);
        store_pair(solid, number, pair, TENSOR(k[pair]), narrow);
    }
}

DV_SIMD_INLINE void hooke_range(const DvSolidElements *solid, uint32_t begin, uint32_t end, int nodes, int points,
                                bool narrow)
{
    for (uint32_t number = begin; number < end; number++)
        hooke_matrices(solid, number, nodes, points, narrow);
}

DV_SIMD_INLINE void matrices_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const DvSolidElements *solid = context;
    const int nodes = (int)solid->mesh.nodes, points = (int)solid->points;
    if (solid->model.law != &dv_hooke_law)
        for (uint32_t number = begin; number < end; number++)
            matrices_of_law(solid, number, nodes, points, narrow);
    else if (solid->model.kind == DV_HEXAHEDRA)
        hooke_range(solid, begin, end, 8, 8, narrow);
    else if (solid->model.kind == DV_TETRAHEDRA)
        hooke_range(solid, begin, end, 4, 1, narrow);
    else
        hooke_range(solid, begin, end, nodes, points, narrow);
}

DV_SIMD_LEVELS(make_matrices, matrices_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void dv_solid_elements_make_matrices(DvSolidElements *solid, bool turned)
{
    solid->turns = turned && solid->model.kinematics == DV_COROTATIONAL;
    const size_t size = (size_t)solid->mesh.blocks * DV_LANES * dv_solid_elements_pairs(solid) * 3;
    if (!solid->stiffness)
        solid->stiffness = dv_alloc(size, sizeof(DvReal4));
    dv_parallel_for(solid->mesh.blocks, DV_BLOCKS_PER_CHUNK / 4, make_matrices, solid);
}

/* ---- Their sum ---- */

typedef struct AssembleWork {
    const DvSolidElements *solid;
    const DvMatrixView *view;
    double factor;
} AssembleWork;

/* A block by rows of four, of which three count. */
typedef struct Block {
    DvReal4 row[3];
} Block;

/* The matrix of a pair of nodes of an element; of n > m its transpose is asked for. */
DV_SIMD_INLINE const DvReal4 *pair_rows(const DvSolidElements *solid, uint32_t element, uint32_t n, uint32_t m)
{
    const uint32_t nodes = solid->mesh.nodes, low = n < m ? n : m, high = n < m ? m : n;
    const uint32_t pair = low * nodes - low * (low + 1) / 2 + high;
    return (const DvReal4 *)(const void *)solid->stiffness +
           ((size_t)element * dv_solid_elements_pairs(solid) + pair) * 3;
}

/* lambda g_n g_m^T + mu (g_m g_n^T + g_n . g_m 1) of an element with one point, whose rows are its gradients with lambda and mu, times the
 * weight, in the fourth place of the first two. */
DV_SIMD_INLINE void add_of_gradients(const DvSolidElements *solid, uint32_t element, uint32_t n, uint32_t m, Block *sum)
{
    const DvReal4 *row = solid->row + (size_t)element * solid->mesh.nodes;
    const DvReal4 first = row[n], second = row[m];
    const double lambda = row[0][3], mu = row[1][3];
    const double dot = mu * (first[0] * second[0] + first[1] * second[1] + first[2] * second[2]);
    DV_EACH (i, 3) {
        sum->row[i] += (lambda * first[i]) * second + (mu * second[i]) * first;
        sum->row[i][i] += dot;
    }
}

/* A coupling += a block, and its transpose to the next one where there are two; of a state with fewer dimensions the part it has. */
DV_SIMD_INLINE void put(const AssembleWork *work, uint32_t coupling, bool with_transpose, const Block *block)
{
    const uint32_t space = work->solid->model.space;
    const DvMatrixView *view = work->view;
    double part[9];
    if (space == 3 && view->direct && view->block == 3) {
        double *at = view->values + 9 * (size_t)view->slot[coupling];
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                at[3 * i + j] += work->factor * block->row[i][j];
        if (!with_transpose)
            return;
        at = view->values + 9 * (size_t)view->slot[coupling + 1];
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                at[3 * i + j] += work->factor * block->row[j][i];
        return;
    }
    for (uint32_t transposed = 0; transposed < (with_transpose ? 2 : 1); transposed++) {
        for (uint32_t i = 0; i < space; i++)
            for (uint32_t j = 0; j < space; j++)
                part[space * i + j] = transposed ? block->row[j][i] : block->row[i][j];
        dv_view_add(view, coupling + transposed, part, work->factor);
    }
}

DV_SIMD_CLONES static void add_points(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvSolidElements *solid = work->solid;
    const DvElementBlocks *mesh = &solid->mesh;
    for (uint32_t p = begin; p < end; p++) {
        Block sum = {{{0}}};
        for (uint32_t e = mesh->begin[p]; e < mesh->end[p]; e++) {
            const uint32_t element = mesh->entry[e] / mesh->nodes, n = mesh->entry[e] % mesh->nodes;
            if (solid->row) {
                add_of_gradients(solid, element, n, n, &sum);
                continue;
            }
            const DvReal4 *k = pair_rows(solid, element, n, n);
            DV_EACH (i, 3)
                sum.row[i] += k[i];
        }
        put(work, p, false, &sum);
    }
}

DV_SIMD_CLONES static void add_pairs(void *context, uint32_t begin, uint32_t end)
{
    const AssembleWork *work = context;
    const DvSolidElements *solid = work->solid;
    const DvElementBlocks *mesh = &solid->mesh;
    for (uint32_t k = begin; k < end; k++) {
        Block sum[2] = {{{{0}}}, {{{0}}}}; /* as they are, and to be transposed */
        for (uint32_t e = mesh->pair_begin[k]; e < mesh->pair_end[k]; e++) {
            const uint32_t entry = mesh->pair_entry[e], element = entry >> 6, n = entry >> 3 & 7, m = entry & 7;
            if (solid->row) {
                add_of_gradients(solid, element, n, m, &sum[0]);
                continue;
            }
            const DvReal4 *pair = pair_rows(solid, element, n, m);
            Block *to = &sum[n > m];
            DV_EACH (i, 3)
                to->row[i] += pair[i];
        }
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                sum[0].row[i][j] += sum[1].row[j][i];
        put(work, mesh->points + 2 * k, true, &sum[0]);
    }
}

DV_SIMD_INLINE void rows_at(void *context, uint32_t begin, uint32_t end, bool narrow)
{
    const DvSolidElements *solid = context;
    const uint32_t nodes = solid->mesh.nodes;
    for (uint32_t number = begin; number < end; number++) {
        const DvReal8 *parameters = solid_parameters(solid, number), weight = *solid_point(solid, number, 0);
        const DvReal8 scaled[2] = {weight * parameters[0], weight * parameters[1]};
        DvReal8 g[DV_SOLID_NODES][3];
        turned_gradients(solid, number, 0, (int)nodes, solid->model.kinematics == DV_COROTATIONAL, g);
        for (uint32_t n = 0; n < nodes; n++)
            dv_real8_to_rows(solid->row + (size_t)number * DV_LANES * nodes + n, nodes, TENSOR(g)[n],
                             &scaled[n < 2 ? n : 0], narrow);
    }
}

DV_SIMD_LEVELS(make_rows, rows_at, (void *context, uint32_t begin, uint32_t end), context, begin, end)

void dv_solid_elements_assemble(DvSolidElements *solid, double k, const DvMatrixView *view)
{
    AssembleWork work = {solid, view, -k};
    if (solid->points == 1 && solid->model.law == &dv_hooke_law) {
        if (!solid->row)
            solid->row = dv_alloc((size_t)solid->mesh.blocks * DV_LANES * solid->mesh.nodes, sizeof *solid->row);
        dv_parallel_for(solid->mesh.blocks, DV_BLOCKS_PER_CHUNK, make_rows, solid);
    } else {
        dv_solid_elements_make_matrices(solid, true);
    }
    dv_parallel_for(solid->mesh.points, DV_POINTS_PER_CHUNK, add_points, &work);
    dv_parallel_for(solid->mesh.pairs, DV_PAIRS_PER_CHUNK, add_pairs, &work);
}

double dv_solid_elements_bound(DvSolidElements *solid)
{
    double largest = 0.0;
    dv_solid_elements_make_matrices(solid, true);
    for (uint32_t i = 0; i < solid->mesh.elements; i++) {
        double trace = 0.0;
        for (uint32_t n = 0; n < solid->mesh.nodes; n++)
            for (uint32_t c = 0; c < 3; c++)
                trace += dv_solid_elements_stiffness(solid, i, n, n, c, c);
        largest = fmax(largest, trace);
    }
    return sqrt(largest);
}

/* Measured by `bench-costs solids`, brought to the machine of the table that it compares with. */
void dv_solid_elements_cost(const DvSolidElements *solid, double *product, double *assembly)
{
    const bool hooke = solid->model.law == &dv_hooke_law;
    const double elements = solid->mesh.elements, nodes = solid->mesh.nodes, points = solid->points,
                 pairs = dv_solid_elements_pairs(solid), bytes = 8.0 * solid->stride * elements,
                 kept = hooke && points == 1.0 ? 32.0 * nodes : 96.0 * pairs; /* bytes between its two passes */
    *product =
        elements * (1.45 * nodes + points * (0.25 * nodes + (hooke ? 1.75 : 5.25))) * dv_cache_penalty(bytes, 2.0);
    *assembly = elements * (pairs * (7.0 + 0.5 * points) + (hooke ? 0.0 : 130.0 * points)) *
                dv_cache_penalty(bytes + kept * elements, 3.0);
}
