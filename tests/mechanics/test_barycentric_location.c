/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Locating points in meshes: against a literal search over all elements, and against an exact map from cells to elements.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/state.h>
#include <divan/data.h>
#include <divan/math/mat.h>
#include <divan/memory.h>
#include <divan/parallel.h>

#include "scene_text.h"
#include "share.h"
#include <divan/kit/barycentric_location.h>

enum { MAX_POINTS = 4000, MAX_ELEMENTS = 8000 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static double uniform(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (double)((seed * 0x2545f4914f6cdd1du) >> 11) * 0x1p-52 - 1.0;
}

/* A block of n x n x n cells of size 1 with jittered nodes. */
typedef struct Block {
    double points[3 * MAX_POINTS];
    uint32_t point_count;
    uint32_t hexahedra[8 * MAX_ELEMENTS], tetrahedra[4 * MAX_ELEMENTS], triangles[3 * MAX_ELEMENTS],
        quads[4 * MAX_ELEMENTS];
    uint32_t hexahedron_count, tetrahedron_count, triangle_count, quad_count;
    double targets[3 * MAX_POINTS];
    uint32_t target_count;
} Block;

static Block block;

static uint32_t block_node(uint32_t n, uint32_t x, uint32_t y, uint32_t z)
{
    return x + (n + 1) * (y + (n + 1) * z);
}

static void make_block(uint32_t n, double jitter, double outside)
{
    block.point_count = block.hexahedron_count = block.tetrahedron_count = block.triangle_count = block.quad_count = 0;
    for (uint32_t z = 0; z <= n; z++)
        for (uint32_t y = 0; y <= n; y++)
            for (uint32_t x = 0; x <= n; x++) {
                const uint32_t at[3] = {x, y, z};
                for (uint32_t k = 0; k < 3; k++)
                    block.points[3 * block.point_count + k] = at[k] + jitter * uniform();
                block.point_count++;
            }
    static const uint8_t split[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                        {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++) {
                uint32_t *h = block.hexahedra + 8 * block.hexahedron_count++;
                for (uint32_t k = 0; k < 8; k++)
                    h[k] = block_node(n, x + ((k & 3) == 1 || (k & 3) == 2), y + ((k & 3) >= 2), z + (k >= 4));
                for (uint32_t t = 0; t < 6; t++, block.tetrahedron_count++)
                    for (uint32_t k = 0; k < 4; k++)
                        block.tetrahedra[4 * block.tetrahedron_count + k] = h[split[t][k]];
                if (z > 0)
                    continue;
                uint32_t *q = block.quads + 4 * block.quad_count++;
                memcpy(q, h, 4 * sizeof *q);
                for (uint32_t t = 0; t < 2; t++, block.triangle_count++) {
                    uint32_t *triangle = block.triangles + 3 * block.triangle_count;
                    triangle[0] = q[0];
                    triangle[1] = q[1 + t];
                    triangle[2] = q[2 + t];
                }
            }
    block.target_count = 600;
    for (uint32_t i = 0; i < 3 * block.target_count; i++)
        block.targets[i] = 0.5 * n + (0.5 * n + outside) * uniform();
    /* Some on the nodes themselves, where several elements meet. */
    for (uint32_t i = 0; i < 60; i++)
        memcpy(block.targets + 30 * i, block.points + 3 * (i * 7 % block.point_count), 3 * sizeof(double));
}

static DvLocationMesh mesh_of(DvElementKind kind)
{
    const DvElements elements = kind == DV_TETRAHEDRA  ? (DvElements){block.tetrahedra, block.tetrahedron_count}
                                : kind == DV_HEXAHEDRA ? (DvElements){block.hexahedra, block.hexahedron_count}
                                : kind == DV_TRIANGLES ? (DvElements){block.triangles, block.triangle_count}
                                                       : (DvElements){block.quads, block.quad_count};
    return (DvLocationMesh){block.points, block.point_count, {{kind, elements}}, 1};
}

/* The score as the method states it, without boxes or stored frames. */
static double score(const DvLocationMesh *mesh, uint32_t element, const double *target)
{
    const DvElementKind kind = mesh->lists[0].kind;
    const uint32_t n = dv_element_nodes(kind), *nodes = mesh->lists[0].elements.at + n * element;
    DvVec3 x[8], center = dv_vec3_zero();
    for (uint32_t k = 0; k < n; k++) {
        x[k] = dv_vec3_load(mesh->points + 3 * nodes[k]);
        center = dv_vec3_madd(center, 1.0 / n, x[k]);
    }
    const DvVec3 p = dv_vec3_load(target), b1 = dv_vec3_sub(x[1], x[0]);
    const DvVec3 b2 = dv_vec3_sub(x[kind == DV_TRIANGLES || kind == DV_TETRAHEDRA ? 2 : 3], x[0]);
    const DvVec3 b3 = kind == DV_TETRAHEDRA  ? dv_vec3_sub(x[3], x[0])
                      : kind == DV_HEXAHEDRA ? dv_vec3_sub(x[4], x[0])
                                             : dv_vec3_cross(b1, b2);
    DvMat3 inverse;
    if (dv_mat3_inverse(dv_mat3_from_columns(b1, b2, b3), &inverse) == 0.0)
        return INFINITY;
    const DvVec3 v = dv_mat3_mul_vec(inverse, dv_vec3_sub(p, x[0]));
    double d = fmax(-v.x, -v.y);
    if (kind == DV_TRIANGLES)
        d = fmax(d, fmax(fabs(v.z) - 0.01, v.x + v.y - 1.0));
    if (kind == DV_QUADS)
        d = fmax(fmax(d, fmax(v.x, v.y) - 1.0), fabs(v.z) - 0.01);
    if (kind == DV_TETRAHEDRA)
        d = fmax(d, fmax(-v.z, v.x + v.y + v.z - 1.0));
    if (kind == DV_HEXAHEDRA)
        d = fmax(fmax(d, -v.z), fmax(v.x, fmax(v.y, v.z)) - 1.0);
    return d <= 0.0 ? d : dv_vec3_norm_squared(dv_vec3_sub(p, center));
}

static void assert_best(const DvLocationMesh *mesh, const DvLocation *found, uint32_t i, double best)
{
    const double got = score(mesh, found[i].element, block.targets + 3 * i);
    if (!(fabs(got - best) <= 1e-12 * (1.0 + fabs(best))))
        fail_msg("point %u hangs on element %u of score %.17g, the best is %.17g", i, found[i].element, got, best);
}

static const DvElementKind kinds[] = {DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};

static void the_search_in_all_finds_the_best_score(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    for (uint32_t k = 0; k < 4; k++) {
        make_block(5, k % 2 ? 0.1 : 0.0, 1.0);
        const DvLocationMesh mesh = mesh_of(kinds[k]);
        dv_locate_in_all(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
        for (uint32_t i = 0; i < block.target_count; i++) {
            double best = INFINITY;
            for (uint32_t e = 0; e < mesh.lists[0].elements.count; e++)
                best = fmin(best, score(&mesh, e, block.targets + 3 * i));
            assert_best(&mesh, found, i, best);
        }
    }
}

/* The hashed search, literally: the elements of a cell are those whose box covers it. */
static double best_by_cells(const DvLocationMesh *mesh, double size, const double *p)
{
    const uint32_t n = dv_element_nodes(mesh->lists[0].kind), count = mesh->lists[0].elements.count;
    double best = INFINITY;
    bool any = false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < count; e++) {
            bool covers = true;
            for (uint32_t k = 0; k < 3; k++) {
                double low = INFINITY, high = -INFINITY;
                for (uint32_t v = 0; v < n; v++) {
                    const double x = mesh->points[3 * mesh->lists[0].elements.at[n * e + v] + k];
                    low = fmin(low, floor(x * (1.0 / size)));
                    high = fmax(high, floor(x * (1.0 / size)));
                }
                const double cell = floor(p[k] * (1.0 / size));
                covers = covers && cell + pass >= low && cell - pass <= high;
            }
            any = any || covers;
            if (covers)
                best = fmin(best, score(mesh, e, p));
        }
        if (any && !(fabs(best) > 0.5 * size))
            return best;
        if (!any)
            break;
    }
    for (uint32_t e = 0; !any && e < count; e++)
        best = fmin(best, score(mesh, e, p));
    return best;
}

static void the_hashed_search_finds_the_best_score_of_its_cells(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    const uint32_t edges[4] = {0, 1, 1, 2};
    for (uint32_t k = 0; k < 4; k++)
        for (int own_edges = 0; own_edges < 2; own_edges++) {
            make_block(6, k % 2 ? 0.1 : 0.0, 2.5);
            const DvLocationMesh mesh = mesh_of(kinds[k]);
            const uint32_t n = dv_element_nodes(kinds[k]);
            double size = 0.0;
            for (uint32_t e = 0; e < (own_edges ? 2 : mesh.lists[0].elements.count); e++) {
                const uint32_t *nodes = own_edges ? edges + 2 * e : mesh.lists[0].elements.at + n * e;
                size += dv_vec3_distance(dv_vec3_load(block.points + 3 * nodes[0]),
                                         dv_vec3_load(block.points + 3 * nodes[1]));
            }
            size /= own_edges ? 2 : mesh.lists[0].elements.count;
            dv_locate_by_hash(&mesh, own_edges ? (DvElements){edges, 2} : (DvElements){NULL, 0},
                              (DvLocationPoints){block.targets, block.target_count, 3}, found);
            for (uint32_t i = 0; i < block.target_count; i++)
                assert_best(&mesh, found, i, best_by_cells(&mesh, size, block.targets + 3 * i));
        }
}

/* Cells are as wide as the edges are long in the mean: with the last one, the sum, or no cells, other elements would be found. */
static void cells_are_as_wide_as_the_mean_edge(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    static const uint32_t rising[6] = {0, 1, 0, 3, 0, 5}, falling[6] = {0, 5, 0, 3, 0, 1};
    const uint32_t *const orders[2] = {rising, falling};
    uint32_t others[3] = {0, 0, 0};
    for (int order = 0; order < 2; order++) {
        make_block(6, 0.1, 2.5);
        block.target_count = 200;
        const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
        double sum = 0.0, last = 0.0;
        for (uint32_t e = 0; e < 3; e++) {
            last = dv_vec3_distance(dv_vec3_load(block.points + 3 * orders[order][2 * e]),
                                    dv_vec3_load(block.points + 3 * orders[order][2 * e + 1]));
            sum += last;
        }
        dv_locate_by_hash(&mesh, (DvElements){orders[order], 3},
                          (DvLocationPoints){block.targets, block.target_count, 3}, found);
        const double widths[3] = {last, sum, 1e-3};
        for (uint32_t i = 0; i < block.target_count; i++) {
            const double *const p = block.targets + 3 * i, best = best_by_cells(&mesh, sum / 3.0, p);
            assert_best(&mesh, found, i, best);
            for (int k = 0; k < 3; k++)
                others[k] += fabs(best_by_cells(&mesh, widths[k], p) - best) > 1e-6;
        }
    }
    for (int k = 0; k < 3; k++)
        if (others[k] == 0)
            fail_msg("cells as wide as %s find the same", k == 0 ? "the last edge" : k == 1 ? "the sum" : "nothing");
}

static void elements_that_cover_thousands_of_cells_are_found_too(void **state)
{
    (void)state;
    make_block(2, 0.0, 0.0);
    /* One tetrahedron around everything, last in the list; the mean edge stays near 1. */
    const double far[4][3] = {{-90, -90, -90}, {300, -90, -90}, {-90, 300, -90}, {-90, -90, 300}};
    memcpy(block.points + 3 * block.point_count, far, sizeof far);
    const uint32_t edge[2] = {0, 1};
    for (uint32_t k = 0; k < 4; k++)
        block.tetrahedra[4 * block.tetrahedron_count + k] = block.point_count + k;
    block.point_count += 4;
    block.tetrahedron_count++;
    const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
    const double targets[6] = {50, 40, 30, 0.3, 0.2, 0.1};
    DvLocation found[2];
    dv_locate_by_hash(&mesh, (DvElements){edge, 1}, (DvLocationPoints){targets, 2, 3}, found);
    assert_int_equal(found[0].element, block.tetrahedron_count - 1);
    /* Near the middle of the large one a point lies deeper in it than in a small one at its border. */
    double best = INFINITY;
    for (uint32_t e = 0; e < block.tetrahedron_count; e++)
        best = fmin(best, score(&mesh, e, targets + 3));
    assert_true(fabs(score(&mesh, found[1].element, targets + 3) - best) < 1e-12);
}

/* A large element counts in the cells of its box alone: a point two cells beside it hangs on the thin one that passes there, though the
 * middle of the large one is nearer. */
static void a_large_element_counts_in_its_own_cells_alone(void **state)
{
    (void)state;
    const double large[4][3] = {{0, 0, 0}, {20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    for (int axis = 0; axis < 3; axis++)
        for (int above = 0; above < 2; above++) {
            make_block(1, 0.0, 0.0);
            memcpy(block.points, large, sizeof large);
            const double end = above ? 21.9 : -1.1, far = above ? 90.0 : -60.0;
            const double thin[4][3] = {{end, 5.9, 5.9}, {far, 5.9, 5.9}, {far, 5.6, 5.9}, {far, 5.9, 5.6}};
            for (int n = 0; n < 4; n++)
                for (int c = 0; c < 3; c++)
                    block.points[12 + 3 * n + (axis + c) % 3] = thin[n][c];
            block.point_count = 8;
            for (uint32_t k = 0; k < 8; k++)
                block.tetrahedra[k] = k;
            block.tetrahedron_count = 2;
            const double unit_edge[6] = {0, 0, 0, 1, 0, 0};
            memcpy(block.points + 24, unit_edge, sizeof unit_edge);
            block.point_count = 10;
            const uint32_t edge[2] = {8, 9};
            const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
            double target[3] = {5.1, 5.1, 5.1};
            target[axis] = above ? 23.5 : -2.5;
            DvLocation found[1];
            dv_locate_by_hash(&mesh, (DvElements){edge, 1}, (DvLocationPoints){target, 1, 3}, found);
            assert_int_equal(found[0].element, 1);
            assert_true(score(&mesh, 0, target) < score(&mesh, 1, target));
        }
}

static void flat_elements_and_missing_nodes_are_never_chosen(void **state)
{
    (void)state;
    make_block(2, 0.0, 0.5);
    DvLocation found[600];
    /* The first element is flat, the second names a point that is gone. */
    memcpy(block.tetrahedra, (uint32_t[8]){0, 1, 2, 3, 0, 1, 3, 9999}, 8 * sizeof(uint32_t));
    const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
    const DvLocationPoints points = {block.targets, block.target_count, 3};
    dv_locate_in_all(&mesh, points, found);
    for (uint32_t i = 0; i < points.count; i++)
        assert_true(found[i].element >= 2 && found[i].element < block.tetrahedron_count);
    dv_locate_by_hash(&mesh, (DvElements){NULL, 0}, points, found);
    for (uint32_t i = 0; i < points.count; i++)
        assert_true(found[i].element >= 2 && found[i].element < block.tetrahedron_count);

    const DvLocationMesh only_flat = {block.points, block.point_count, {{DV_TETRAHEDRA, {block.tetrahedra, 1}}}, 1};
    dv_locate_in_all(&only_flat, points, found);
    assert_int_equal(found[0].element, DV_NO_ELEMENT);
    dv_locate_by_hash(&only_flat, (DvElements){NULL, 0}, points, found);
    assert_int_equal(found[0].element, DV_NO_ELEMENT);
    /* Points of one place have no edge length to make cells of. */
    const double same[12] = {0};
    const uint32_t nodes[4] = {0, 1, 2, 3};
    const DvLocationMesh one_place = {same, 4, {{DV_TETRAHEDRA, {nodes, 1}}}, 1};
    dv_locate_by_hash(&one_place, (DvElements){NULL, 0}, points, found);
    assert_int_equal(found[0].element, DV_NO_ELEMENT);
}

static void weights_reproduce_the_position(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    for (uint32_t k = 2; k < 4; k++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            /* A trilinear hexahedron reproduces positions only where it is a parallelepiped. */
            make_block(4, kinds[k] == DV_HEXAHEDRA ? 0.0 : 0.15, 1.0);
            const DvLocationMesh mesh = mesh_of(kinds[k]);
            dv_locate_in_all(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
            for (uint32_t i = 0; i < block.target_count; i++) {
                uint32_t nodes[8];
                double weights[8], total = 0.0;
                const uint32_t n = dv_location_weights(&mesh, found[i], by_rows, nodes, weights);
                assert_int_equal(n, dv_element_nodes(kinds[k]));
                DvVec3 sum = dv_vec3_zero();
                for (uint32_t j = 0; j < n; j++) {
                    sum = dv_vec3_madd(sum, weights[j], dv_vec3_load(block.points + 3 * nodes[j]));
                    total += weights[j];
                }
                assert_true(fabs(total - 1.0) < 1e-14);
                assert_true(dv_vec3_distance(sum, dv_vec3_load(block.targets + 3 * i)) < 1e-12);
            }
        }
}

/* ---- The nearest element ---- */

/* Squared distance to a place a + s (b - a) + t (c - a), least over t: of a convex function by thirds. */
static double least_over(const double *p, const DvVec3 x[3], double s, int depth)
{
    double low = 0.0, high = depth == 0 ? 1.0 : 1.0 - s, best = INFINITY;
    for (int step = 0; step < 45; step++) {
        const double at[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0};
        double d[2];
        for (int k = 0; k < 2; k++) {
            if (depth == 0)
                d[k] = least_over(p, x, at[k], 1);
            else
                d[k] = dv_vec3_norm_squared(
                    dv_vec3_sub(dv_vec3_load(p), dv_vec3_madd(dv_vec3_madd(x[0], s, dv_vec3_sub(x[1], x[0])), at[k],
                                                              dv_vec3_sub(x[2], x[0]))));
            best = fmin(best, d[k]);
        }
        if (d[0] < d[1])
            high = at[1];
        else
            low = at[0];
    }
    return best;
}

/* Distance from an element by its faces, each cut in two; of volumes for points outside. */
static double distance_from(const DvLocationMesh *mesh, uint32_t element, const double *p)
{
    static const uint8_t of_hexahedron[12][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                                 {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}},
                         of_tetrahedron[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}},
                         of_quad[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const DvElementKind kind = mesh->lists[0].kind;
    const uint32_t n = dv_element_nodes(kind), *nodes = mesh->lists[0].elements.at + n * element;
    const uint8_t(*face)[3] = kind == DV_HEXAHEDRA ? of_hexahedron : kind == DV_TETRAHEDRA ? of_tetrahedron : of_quad;
    const int faces = kind == DV_HEXAHEDRA ? 12 : kind == DV_TETRAHEDRA ? 4 : kind == DV_QUADS ? 2 : 1;
    double least = INFINITY;
    for (int f = 0; f < faces; f++) {
        DvVec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = dv_vec3_load(mesh->points + 3 * nodes[face[f][k]]);
        least = fmin(least, least_over(p, x, 0.0, 0));
    }
    return sqrt(least);
}

static DvVec3 place_of(const DvLocationMesh *mesh, DvLocation found)
{
    uint32_t nodes[8];
    double weights[8];
    const uint32_t n = dv_location_weights(mesh, found, false, nodes, weights);
    DvVec3 place = dv_vec3_zero();
    for (uint32_t j = 0; j < n; j++)
        place = dv_vec3_madd(place, weights[j], dv_vec3_load(mesh->points + 3 * nodes[j]));
    return place;
}

static void the_nearest_element_is_found(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    for (uint32_t k = 0; k < 4; k++) {
        make_block(k < 2 ? 4 : 2, 0.2, 1.0);
        if (k < 2) /* not flat */
            for (uint32_t i = 0; i < 25; i++)
                block.points[3 * i + 2] = sin(1.3 * block.points[3 * i]) + 0.5 * block.points[3 * i + 1];
        const DvLocationMesh mesh = mesh_of(kinds[k]);
        block.target_count = 60;
        dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
        for (uint32_t i = 0; i < block.target_count; i++) {
            const double *p = block.targets + 3 * i, got = distance_from(&mesh, found[i].element, p);
            /* inside a volume the point is where its weights say */
            if (k >= 2 && dv_vec3_distance(place_of(&mesh, found[i]), dv_vec3_load(p)) < 1e-9 &&
                score(&mesh, found[i].element, p) <= 0.0)
                continue;
            /* and outside it is outside all of them, which of tetrahedra the score says */
            for (uint32_t e = 0; kinds[k] == DV_TETRAHEDRA && e < mesh.lists[0].elements.count; e++)
                assert_true(score(&mesh, e, p) > -1e-9);
            for (uint32_t e = 0; e < mesh.lists[0].elements.count; e++) {
                const double other = distance_from(&mesh, e, p);
                if (!(got <= other + 1e-7))
                    fail_msg("point %u: element %u at %.12g, but %u is at %.12g", i, found[i].element, got, e, other);
            }
        }
    }
}

/* A point before the middle of each half of each face of a cube, which is nearer than a second cube in front of it, though that is nearer
 * than the other halves. */
static void each_half_of_each_face_counts(void **state)
{
    (void)state;
    static const uint8_t halves[12][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    for (uint32_t f = 0; f < 12; f++) {
        make_block(1, 0.0, 0.0);
        DvVec3 middle = dv_vec3_zero(), x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = dv_vec3_load(block.points + 3 * block.hexahedra[halves[f][k]]);
            middle = dv_vec3_madd(middle, 1.0 / 3.0, x[k]);
        }
        DvVec3 out = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0])));
        if (dv_vec3_dot(out, dv_vec3_sub(middle, dv_vec3(0.5, 0.5, 0.5))) < 0.0)
            out = dv_vec3_scale(out, -1.0);
        const DvVec3 p = dv_vec3_madd(middle, 0.05, out);
        const DvVec3 rival = dv_vec3_madd(p, 0.1 + 0.05, out); /* its centre; it is 0.1 wide */
        for (uint32_t i = 0; i < 8; i++) {
            const DvVec3 corner = dv_vec3_load(block.points + 3 * i);
            dv_vec3_store(dv_vec3_madd(rival, 0.1, dv_vec3_sub(corner, dv_vec3(0.5, 0.5, 0.5))),
                          block.points + 3 * (8 + i));
            block.hexahedra[8 + i] = 8 + block.hexahedra[i];
        }
        block.point_count = 16;
        block.hexahedron_count = 2;
        dv_vec3_store(p, block.targets);
        const DvLocationMesh mesh = mesh_of(DV_HEXAHEDRA);
        DvLocation found;
        dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, 1, 3}, &found);
        assert_int_equal(found.element, 0);
    }
}

/* Whatever the unit of length, the same element and the same local coordinates; also of points as near to two. */
static void the_unit_of_length_decides_nothing(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS], scaled[MAX_POINTS];
    static double points[3 * MAX_POINTS], targets[3 * MAX_POINTS];
    for (uint32_t k = 0; k < 4; k++)
        for (int unit = 0; unit < 2; unit++) {
            make_block(3, k % 2 ? 0.2 : 0.0, 1.0);
            DvLocationMesh mesh = mesh_of(kinds[k]);
            dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
            const double scale = unit ? 1000.0 : 1.0 / 1237.0;
            for (uint32_t i = 0; i < 3 * block.point_count; i++)
                points[i] = scale * block.points[i];
            for (uint32_t i = 0; i < 3 * block.target_count; i++)
                targets[i] = scale * block.targets[i];
            DvLocationMesh other = mesh;
            other.points = points;
            dv_locate_on_nearest(&other, (DvLocationPoints){targets, block.target_count, 3}, scaled);
            for (uint32_t i = 0; i < block.target_count; i++) {
                const DvVec3 here = place_of(&mesh, found[i]),
                             there = dv_vec3_scale(place_of(&other, scaled[i]), 1.0 / scale);
                if (!(dv_vec3_distance(here, there) < 1e-9))
                    fail_msg("kind %u point %u: %.3g apart, elements %u and %u", k, i, dv_vec3_distance(here, there),
                             found[i].element, scaled[i].element);
            }
        }
}

/* Inside, all elements give the position back, hexahedra of any shape too. */
static void points_inside_stay_where_they_are(void **state)
{
    (void)state;
    static DvLocation found[MAX_POINTS];
    for (uint32_t k = 2; k < 4; k++) {
        make_block(4, 0.15, -0.6);
        const DvLocationMesh mesh = mesh_of(kinds[k]);
        dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
        for (uint32_t i = 0; i < block.target_count; i++)
            assert_true(dv_vec3_distance(place_of(&mesh, found[i]), dv_vec3_load(block.targets + 3 * i)) < 1e-12);
    }
    /* and plane quads */
    make_block(4, 0.15, -0.6);
    for (uint32_t i = 0; i < 3 * block.point_count; i += 3)
        block.points[i + 2] = 0.0;
    for (uint32_t i = 0; i < 3 * block.target_count; i += 3)
        block.targets[i + 2] = 0.0;
    const DvLocationMesh mesh = mesh_of(DV_QUADS);
    dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
    for (uint32_t i = 60; i < block.target_count; i++) /* the first hang on nodes that are elsewhere now */
        assert_true(dv_vec3_distance(place_of(&mesh, found[i]), dv_vec3_load(block.targets + 3 * i)) < 1e-12);
}

static void the_nearest_of_flat_elements_is_none(void **state)
{
    (void)state;
    make_block(2, 0.0, 0.5);
    DvLocation found[600];
    memcpy(block.tetrahedra, (uint32_t[8]){0, 1, 2, 3, 0, 1, 3, 9999}, 8 * sizeof(uint32_t));
    const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
    dv_locate_on_nearest(&mesh, (DvLocationPoints){block.targets, block.target_count, 3}, found);
    for (uint32_t i = 0; i < block.target_count; i++)
        assert_true(found[i].element >= 2 && found[i].element < block.tetrahedron_count);
    const DvLocationMesh only_flat = {block.points, block.point_count, {{DV_TETRAHEDRA, {block.tetrahedra, 1}}}, 1};
    dv_locate_on_nearest(&only_flat, (DvLocationPoints){block.targets, 3, 3}, found);
    assert_int_equal(found[0].element, DV_NO_ELEMENT);
}

static void points_off_a_surface_fall_on_it(void **state)
{
    (void)state;
    make_block(3, 0.0, 0.0);
    const double targets[6] = {1.3, 2.2, 0.7, 0.4, 0.25, -3.0};
    for (uint32_t k = 0; k < 2; k++) {
        const DvLocationMesh mesh = mesh_of(kinds[k]);
        DvLocation found[2];
        dv_locate_in_all(&mesh, (DvLocationPoints){targets, 2, 3}, found);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t nodes[8];
            double weights[8];
            DvVec3 sum = dv_vec3_zero();
            for (uint32_t j = 0, n = dv_location_weights(&mesh, found[i], false, nodes, weights); j < n; j++)
                sum = dv_vec3_madd(sum, weights[j], dv_vec3_load(block.points + 3 * nodes[j]));
            const DvVec3 foot = dv_vec3(targets[3 * i], targets[3 * i + 1], 0.0);
            assert_true(dv_vec3_distance(sum, foot) < 1e-14);
        }
    }
}

static void lists_are_numbered_through(void **state)
{
    (void)state;
    make_block(2, 0.0, 0.0);
    DvLocationMesh mesh = mesh_of(DV_TRIANGLES);
    /* A quad far away, after the triangles. */
    const double far[12] = {10, 10, 0, 12, 10, 0, 12, 12, 0, 10, 12, 0};
    memcpy(block.points + 3 * block.point_count, far, sizeof far);
    const uint32_t quad[4] = {block.point_count, block.point_count + 1, block.point_count + 2, block.point_count + 3};
    mesh.point_count = block.point_count + 4;
    mesh.lists[1] = (DvLocationList){DV_QUADS, {quad, 1}};
    mesh.list_count = 2;
    const double target[3] = {10.5, 11.5, 0};
    DvLocation found;
    dv_locate_in_all(&mesh, (DvLocationPoints){target, 1, 3}, &found);
    assert_int_equal(found.element, block.triangle_count);
    uint32_t nodes[8];
    double weights[8];
    assert_int_equal(dv_location_weights(&mesh, found, true, nodes, weights), 4);
    /* Row by row: the corners (0,0) (1,0) (0,1) (1,1) of the quad at (1/4, 3/4). */
    const uint32_t order[4] = {quad[0], quad[1], quad[3], quad[2]};
    const double expected[4] = {0.75 * 0.25, 0.25 * 0.25, 0.75 * 0.75, 0.25 * 0.75};
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(nodes[k], order[k]);
        assert_true(fabs(weights[k] - expected[k]) < 1e-15);
    }
}

static void edges_take_the_first_slab_or_the_nearest(void **state)
{
    (void)state;
    /* A U: along x at y = 0, up, back along x at y = 5. */
    const double points[12] = {0, 0, 0, 10, 0, 0, 10, 5, 0, 0, 5, 0};
    const uint32_t edges[6] = {0, 1, 1, 2, 2, 3};
    const DvLocationMesh mesh = {points, 4, {{DV_EDGES, {edges, 3}}}, 1};
    const double targets[9] = {4, 4.5, 0, 12, 2, 1, -2, 6, 0};
    const DvLocationPoints three = {targets, 3, 3};
    DvLocation found[3];
    dv_locate_on_first_edge(&mesh, three, found);
    assert_int_equal(found[0].element, 0);
    assert_true(fabs(found[0].at.x - 0.4) < 1e-15);
    assert_int_equal(found[1].element, 1);
    assert_true(fabs(found[1].at.x - 0.4) < 1e-15);
    assert_int_equal(found[2].element, 2); /* no foot: the last one */
    assert_true(fabs(found[2].at.x - 1.2) < 1e-15);
    dv_locate_on_nearest_edge(&mesh, three, found);
    assert_int_equal(found[0].element, 2);
    assert_true(fabs(found[0].at.x - 0.6) < 1e-15);
    uint32_t nodes[8];
    double weights[8];
    assert_int_equal(dv_location_weights(&mesh, found[0], true, nodes, weights), 2);
    assert_int_equal(nodes[0], 2);
    assert_true(fabs(weights[0] - 0.4) < 1e-15 && fabs(weights[1] - 0.6) < 1e-15);
}

static void grid_cells_are_found_by_geometry_alone(void **state)
{
    (void)state;
    const DvGridShape shape = {.n = {3, 4, 2}, .min = {1, 2, 3}, .max = {3, 8, 4}, .step = {1, 2, 1}};
    const double targets[12] = {1.5, 5.0, 3.25, 3.0, 8.0, 4.0, 0.0, 9.0, 3.5, 2.0, 2.0, 9.0};
    DvLocation found[4];
    assert_true(dv_locate_in_grid(&shape, (DvLocationPoints){targets, 4, 3}, found));
    assert_int_equal(found[0].element, 0 + 2 * 1);
    assert_int_equal(found[1].element, 1 + 2 * 2);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t nodes[8];
        double weights[8];
        assert_int_equal(dv_location_weights_in_grid(&shape, found[i], nodes, weights), 8);
        DvVec3 sum = dv_vec3_zero();
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t x = nodes[k] % 3, y = nodes[k] / 3 % 4, z = nodes[k] / 12;
            sum = dv_vec3_madd(sum, weights[k], dv_vec3(1 + x, 2 + 2 * y, 3 + z));
        }
        assert_true(dv_vec3_distance(sum, dv_vec3_load(targets + 3 * i)) < 1e-13);
    }
    const DvGridShape layer = {.n = {3, 4, 1}, .step = {1, 1, 1}};
    assert_false(dv_locate_in_grid(&layer, (DvLocationPoints){targets, 4, 3}, found));
    const DvGridShape no_width = {.n = {2, 2, 2}, .step = {0, 1, 1}};
    assert_true(dv_locate_in_grid(&no_width, (DvLocationPoints){targets, 1, 3}, found));
    assert_true(found[0].element == 0 && found[0].at.x == 0.0);
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    static DvLocation one[600], four[600];
    make_block(6, 0.2, 2.0);
    const DvLocationMesh mesh = mesh_of(DV_TETRAHEDRA);
    const DvLocationPoints points = {block.targets, block.target_count, 3};
    for (int hashed = 0; hashed < 2; hashed++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            dv_parallel_set_threads(threads);
            if (hashed)
                dv_locate_by_hash(&mesh, (DvElements){NULL, 0}, points, threads == 1 ? one : four);
            else
                dv_locate_in_all(&mesh, points, threads == 1 ? one : four);
        }
    dv_parallel_set_threads(1);
    for (uint32_t i = 0; i < points.count; i++) {
        assert_int_equal(one[i].element, four[i].element);
        assert_memory_equal(&one[i].at, &four[i].at, sizeof one[i].at);
    }
}

/* ---- Which search the mapping takes ---- */

typedef enum SearchKind { ALL, HASHED, NEAREST } SearchKind;

/* A scene of the points of the block, its elements in a mesh that may change or not, and targets below it. */
static DvScene *mapped_scene(const DvLocationMesh *mesh, bool changing, bool bodies, bool nearest)
{
    static const char *const families[] = {"", "Edge", "Triangle", "Quad", "Tetrahedron", "Hexahedron"};
    static const char *const lists[] = {"", "edges", "triangles", "quads", "tetrahedra", "hexahedra"};
    const DvElementKind kind = mesh->lists[0].kind;
    DvText text = {0};
    dv_text_add(&text, "<Node><%s%s name='mesh' position='", changing ? families[kind] : "",
                changing ? "SetTopologyContainer" : "MeshTopology");
    for (uint32_t i = 0; i < 3 * mesh->point_count; i++)
        dv_text_add(&text, "%.17g ", mesh->points[i]);
    dv_text_add(&text, "' %s='", lists[kind]);
    for (uint32_t i = 0; i < mesh->lists[0].elements.count * dv_element_nodes(kind); i++)
        dv_text_add(&text, "%u ", mesh->lists[0].elements.at[i]);
    dv_text_add(&text,
                "'/><MechanicalObject template='Vec3d'/><Node name='Child'><MechanicalObject template='%s' position='",
                bodies ? "Rigid3d" : "Vec3d");
    for (uint32_t i = 0; i < block.target_count; i++)
        dv_text_add(&text, "%.17g %.17g %.17g %s", block.targets[3 * i], block.targets[3 * i + 1],
                    block.targets[3 * i + 2], bodies ? "0 0 0 1 " : "");
    dv_text_add(&text, "'/><BarycentricMapping name='map' nearestElement='%d'/></Node></Node>", nearest);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* How many points have, in the mapping, the nodes and weights of these locations. */
static uint32_t count_alike(const DvScene *scene, const DvLocationMesh *mesh, bool by_rows, const DvLocation *found)
{
    DvObject *map = scene_object(scene, "/Child/map");
    size_t count;
    const uint32_t *start = dv_data_uints(dv_object_field(map, "rowStart"), &count);
    const uint32_t *row_nodes = dv_data_uints(dv_object_field(map, "rowNodes"), &count);
    const double *row_weights = dv_data_doubles(dv_object_field(map, "rowWeights"), &count);
    uint32_t alike = 0;
    for (uint32_t i = 0; i < block.target_count; i++) {
        uint32_t nodes[8];
        double weights[8];
        const uint32_t n = dv_location_weights(mesh, found[i], by_rows, nodes, weights);
        alike += start[i + 1] - start[i] == n && memcmp(row_nodes + start[i], nodes, n * sizeof *nodes) == 0 &&
                 memcmp(row_weights + start[i], weights, n * sizeof *weights) == 0;
    }
    return alike;
}

static uint32_t count_other(const DvLocation *a, const DvLocation *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block.target_count; i++)
        count += a[i].element != b[i].element;
    return count;
}

/* Meshes that may change are searched by cells, as scenes expect of them, but for bodies that turn with a tetrahedron. */
static void each_mesh_has_its_search(void **state)
{
    (void)state;
    static DvLocation found[3][MAX_POINTS];
    for (uint32_t k = 0; k < 4; k++)
        for (int choice = 0; choice < 8; choice++) {
            const bool changing = choice & 1, bodies = choice & 2, nearest = choice & 4;
            DvLocationMesh mesh;
            int tries = 0;
            do { /* until a point in the cells of one tetrahedron is nearer to another */
                make_block(3, 0.2, 2.5);
                for (uint32_t i = 0; i < 3 * block.point_count; i++)
                    block.points[i] *= block.points[i] * block.points[i];
                for (uint32_t i = 0; i < 3 * block.target_count; i++)
                    block.targets[i] *= block.targets[i] * block.targets[i];
                mesh = mesh_of(kinds[k]);
                const DvLocationPoints points = {block.targets, block.target_count, 3};
                dv_locate_in_all(&mesh, points, found[ALL]);
                dv_locate_by_hash(&mesh, (DvElements){NULL, 0}, points, found[HASHED]);
            } while (kinds[k] == DV_TETRAHEDRA && count_other(found[ALL], found[HASHED]) == 0 && ++tries < 40);
            assert_true(tries < 40);
            DvScene *scene = mapped_scene(&mesh, changing, bodies, nearest);
            DvObject *topology = scene_object(scene, "/mesh");
            const DvTopologyOps *ops = dv_object_ops(topology, DV_TOPOLOGY);
            const DvLocationPoints points = {block.targets, block.target_count, 3};
            dv_locate_by_hash(&mesh, ops->elements(dv_object_self(topology), DV_EDGES), points, found[HASHED]);
            dv_locate_on_nearest(&mesh, points, found[NEAREST]);
            const SearchKind expected = nearest                                              ? NEAREST
                                        : changing && !(bodies && kinds[k] == DV_TETRAHEDRA) ? HASHED
                                                                                             : ALL;
            for (int s = ALL; s <= NEAREST; s++) {
                const uint32_t alike = count_alike(scene, &mesh, !changing, found[s]);
                if (s == (int)expected ? alike < block.target_count
                                       : count_other(found[s], found[expected]) > 0 && alike == block.target_count)
                    fail_msg("kind %u, choice %d: %u points of search %d, expected is %d", kinds[k], choice, alike, s,
                             expected);
            }
            dv_scene_free(scene);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_element_is_found),
        cmocka_unit_test(each_half_of_each_face_counts),
        cmocka_unit_test(the_unit_of_length_decides_nothing),
        cmocka_unit_test(points_inside_stay_where_they_are),
        cmocka_unit_test(the_nearest_of_flat_elements_is_none),
        cmocka_unit_test(the_search_in_all_finds_the_best_score),
        cmocka_unit_test(the_hashed_search_finds_the_best_score_of_its_cells),
        cmocka_unit_test(cells_are_as_wide_as_the_mean_edge),
        cmocka_unit_test(elements_that_cover_thousands_of_cells_are_found_too),
        cmocka_unit_test(a_large_element_counts_in_its_own_cells_alone),
        cmocka_unit_test(flat_elements_and_missing_nodes_are_never_chosen),
        cmocka_unit_test(weights_reproduce_the_position),
        cmocka_unit_test(points_off_a_surface_fall_on_it),
        cmocka_unit_test(lists_are_numbered_through),
        cmocka_unit_test(edges_take_the_first_slab_or_the_nearest),
        cmocka_unit_test(grid_cells_are_found_by_geometry_alone),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(each_mesh_has_its_search),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
