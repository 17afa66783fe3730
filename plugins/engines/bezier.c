/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Control points of Bezier elements (Farin, Curves and Surfaces for CAGD): quadratic ones in homogeneous coordinates, raised to the degree d:
 *
 *   b(alpha) = sum over |beta| = 2 of product of binomials (alpha_i over beta_i) q(beta) / (d over 2)
 *
 * Edges come first, in the order in which elements have them, then insides of faces, then of tetrahedra. Faces with fewer than two arcs and
 * insides of tetrahedra are filled by the straight element's points of weight 1.
 */
#include "bezier.h"

#include <stdlib.h>

enum { MOST_DEGREE = 20 };
const DvRange bezier_degrees = {.least = 0, .most = MOST_DEGREE};

/* A control point times its weight, and the weight. */
typedef struct Weighted {
    DvVec3 p;
    double w;
} Weighted;

static Weighted weighted_add(Weighted a, double k, Weighted b)
{
    return (Weighted){dv_vec3_madd(a.p, k, b.p), a.w + k * b.w};
}

typedef struct Bezier {
    const BezierShape *shape;
    const double *corners;
    uint32_t degree;
    DvRealArray points, weights; /* of control points, in order */
} Bezier;

/* An edge, face or cell of `corners` corners with the quadratic control points of its edges. */
typedef struct Patch {
    uint32_t corners;
    DvVec3 corner[4];
    Weighted middle[4][4];
    int arcs;
    bool straight;
} Patch;

static Patch patch_of(const Bezier *bezier, const uint32_t *at, uint32_t corners)
{
    Patch patch = {.corners = corners};
    for (uint32_t i = 0; i < corners; i++)
        patch.corner[i] = mesh_point(bezier->corners, at[i]);
    for (uint32_t i = 0; i < corners; i++)
        for (uint32_t j = i + 1; j < corners; j++) {
            DvVec3 q = dv_vec3_scale(dv_vec3_add(patch.corner[i], patch.corner[j]), 0.5);
            double w = 1.0;
            patch.arcs += bezier->shape->arc(bezier->shape->self, patch.corner[i], patch.corner[j], &q, &w);
            patch.middle[i][j] = patch.middle[j][i] = (Weighted){dv_vec3_scale(q, w), w};
        }
    patch.straight = corners == 4 || (corners == 3 && patch.arcs < 2);
    return patch;
}

/* The quadratic patch raised to the degree sum(alpha). */
static Weighted raise(const Patch *patch, const uint32_t *alpha, uint32_t degree)
{
    Weighted sum = {{0, 0, 0}, 0};
    const double pairs = 0.5 * degree * (degree - 1.0);
    for (uint32_t i = 0; i < patch->corners; i++) {
        sum = weighted_add(sum, 0.5 * alpha[i] * (alpha[i] - 1.0) / pairs, (Weighted){patch->corner[i], 1.0});
        for (uint32_t j = i + 1; j < patch->corners; j++)
            sum = weighted_add(sum, (double)alpha[i] * alpha[j] / pairs, patch->middle[i][j]);
    }
    return sum;
}

static void add_point(Bezier *bezier, const Patch *patch, const uint32_t *alpha)
{
    const uint32_t degree = bezier->degree;
    Weighted b = {{0, 0, 0}, 0};
    for (uint32_t i = 0; i < patch->corners && patch->straight; i++)
        b = weighted_add(b, (double)alpha[i] / degree, (Weighted){patch->corner[i], 1.0});
    if (!patch->straight)
        b = raise(patch, alpha, degree);
    if (!patch->straight && bezier->shape->straight_z && degree > 2) {
        b.p.z = 0.0;
        for (uint32_t i = 0; i < patch->corners; i++) {
            uint32_t less[4] = {alpha[0], alpha[1], patch->corners > 2 ? alpha[2] : 0, 0};
            if (!less[i])
                continue;
            less[i]--;
            b.p.z += (double)alpha[i] / degree * patch->corner[i].z * raise(patch, less, degree - 1).w;
        }
    }
    double at[3];
    dv_vec3_store(dv_vec3_scale(b.p, 1.0 / b.w), at);
    dv_array_append(&bezier->points, at, 3);
    dv_array_push(&bezier->weights, b.w);
}

/* All points inside of an edge, a face or a cell: those all of whose coordinates are at least 1. */
static void add_inside(Bezier *bezier, const uint32_t *at, uint32_t corners)
{
    const Patch patch = patch_of(bezier, at, corners);
    const uint32_t d = bezier->degree;
    uint32_t alpha[4] = {0, 0, 0, 0};
    for (alpha[0] = d - 1; alpha[0] >= 1 && corners == 2; alpha[0]--) {
        alpha[1] = d - alpha[0];
        add_point(bezier, &patch, alpha);
    }
    for (alpha[0] = d; alpha[0] >= 1 && corners > 2; alpha[0]--)
        for (alpha[1] = d - alpha[0]; alpha[1] >= 1; alpha[1]--) {
            const uint32_t left = d - alpha[0] - alpha[1];
            alpha[3] = 0;
            if (corners == 3 && left >= 1) {
                alpha[2] = left;
                add_point(bezier, &patch, alpha);
            }
            for (alpha[2] = left; alpha[2] >= 1 && corners == 4; alpha[2]--) {
                alpha[3] = left - alpha[2];
                if (alpha[3] >= 1)
                    add_point(bezier, &patch, alpha);
            }
        }
}

/* Parts of elements that several share: sorted corners, and the place in the order in which elements name them. */
typedef struct Part {
    uint32_t corner[3], order;
} Part;

static int compare_parts(const void *a_, const void *b_)
{
    const Part *a = a_, *b = b_;
    for (int i = 0; i < 3; i++)
        if (a->corner[i] != b->corner[i])
            return a->corner[i] < b->corner[i] ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void sort_three(uint32_t *c)
{
    for (int i = 0; i < 3; i++) {
        const int at = i == 1 ? 1 : 0;
        if (c[at] > c[at + 1]) {
            const uint32_t kept = c[at];
            c[at] = c[at + 1];
            c[at + 1] = kept;
        }
    }
}

/* Adds what is inside of the parts, each once: `corners` of each at `at`, parts one after the other. */
static void add_parts(Bezier *bezier, const uint32_t *at, uint32_t count, uint32_t corners)
{
    if (!count)
        return;
    Part *parts = dv_alloc(count, sizeof *parts);
    bool *first = dv_alloc(count, sizeof *first);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *c = at + (size_t)i * corners;
        parts[i] = (Part){{c[0], c[1], corners == 3 ? c[2] : UINT32_MAX}, i};
        sort_three(parts[i].corner);
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    for (uint32_t i = 0; i < count; i++)
        first[parts[i].order] = i == 0 || memcmp(parts[i].corner, parts[i - 1].corner, sizeof parts[i].corner) != 0;
    for (uint32_t i = 0; i < count; i++)
        if (first[i])
            add_inside(bezier, at + (size_t)i * corners, corners);
    dv_free(first);
    dv_free(parts);
}

static void add_all(Bezier *bezier, const uint32_t *element, uint32_t count, bool cells)
{
    static const uint8_t sides[3][2] = {{1, 2}, {2, 0}, {0, 1}},
                         edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                         faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const uint32_t nodes = cells ? 4 : 3;
    DvIndexArray edge = {0}, face = {0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *e = element + (size_t)i * nodes;
        for (int k = 0; k < (cells ? 6 : 3); k++) {
            const uint32_t a = e[cells ? edges[k][0] : sides[k][0]], b = e[cells ? edges[k][1] : sides[k][1]];
            dv_array_push(&edge, cells && b < a ? b : a);
            dv_array_push(&edge, cells && b < a ? a : b);
        }
        for (int k = 0; k < (cells ? 4 : 1); k++)
            for (int j = 0; j < 3; j++)
                dv_array_push(&face, e[cells ? faces[k][j] : j]);
    }
    add_parts(bezier, edge.data, edge.count / 2, 2);
    add_parts(bezier, face.data, face.count / 3, 3);
    for (uint32_t i = 0; i < count && cells; i++)
        add_inside(bezier, element + 4 * (size_t)i, 4);
    dv_array_free(&edge);
    dv_array_free(&face);
}

DvStatus bezier_write(DvObject *object, BezierFields *fields, int kind, const BezierShape *shape, DvData *points,
                      DvData *elements)
{
    const bool cells = kind == BEZIER_TETRAHEDRA;
    size_t corners, count;
    Bezier bezier = {
        .shape = shape, .corners = dv_data_doubles(points, &corners), .degree = dv_data_uint(&fields->degree[kind])};
    const uint32_t *element = dv_data_uints(elements, &count), nodes = cells ? 4 : 3;
    const double d = bezier.degree, each = cells ? (d + 1) * (d + 2) * (d + 3) / 6 : (d + 1) * (d + 2) / 2;
    DvStatus status = DV_OK;
    if (d > 1 && each * (double)count > UINT32_MAX / 8)
        status = dv_field_error(&fields->degree[kind], -1, "more control points than can be numbered");
    else if (d > 1)
        status = dv_memory_ask(object, 100.0 * each * (double)count, "control points of %zu elements of degree %.0f",
                               count, d);
    const bool wanted = d > 1 && status == DV_OK;
    if (wanted)
        add_all(&bezier, element, (uint32_t)count, cells);
    bool *rational = dv_data_begin_all(&fields->rational[kind], wanted ? count : 0);
    for (size_t i = 0; i < count && wanted; i++)
        rational[i] = patch_of(&bezier, element + i * nodes, nodes).arcs > 0;
    dv_data_end(&fields->rational[kind]);
    double *weights = dv_data_begin_all(&fields->weights[kind], wanted ? corners + bezier.weights.count : 0);
    for (size_t i = 0; i < corners && wanted; i++)
        weights[i] = 1.0;
    if (bezier.weights.count) {
        memcpy(weights + corners, bezier.weights.data, bezier.weights.count * sizeof *weights);
        double *to = dv_data_begin(points, corners + bezier.weights.count);
        memcpy(to + 3 * corners, bezier.points.data, bezier.points.count * sizeof *to);
        dv_data_end(points);
    }
    dv_data_end(&fields->weights[kind]);
    dv_array_free(&bezier.points);
    dv_array_free(&bezier.weights);
    return status;
}
