/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshClosingEngine: closes the holes of a surface. Each loop of directed edges that no face runs through the other way, found from its
 * lowest point, gets its centroid and a fan of triangles around it.
 */
#include "mesh_inputs.h"

#include <stdlib.h>

#include <divan/kit/mesh_types.h>

typedef struct MeshClosing {
    DvEngine engine;
    DvData in_position, in_triangles, in_quads;
    DvData position, triangles, quads, indices, closing_position, closing_triangles;
} MeshClosing;

typedef struct Edge {
    uint32_t from, to, order; /* in which faces name it */
} Edge;
typedef DV_ARRAY(Edge) Edges;

static int compare(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : p->to != q->to ? (p->to < q->to ? -1 : 1) : 0;
}

/* Both directions together, in the order of faces. */
static int compare_lines(const void *a_, const void *b_)
{
    const Edge *a = a_, *b = b_;
    const uint32_t p[3] = {a->from < a->to ? a->from : a->to, a->from < a->to ? a->to : a->from, a->order},
                   q[3] = {b->from < b->to ? b->from : b->to, b->from < b->to ? b->to : b->from, b->order};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static void add_edges(DvElements faces, uint32_t corners, Edges *edges)
{
    for (uint32_t i = 0; i < faces.count; i++) {
        const uint32_t *f = faces.at + (size_t)i * corners;
        for (uint32_t j = 0; j < corners; j++) {
            const Edge edge = {f[j], f[(j + 1) % corners], edges->count};
            dv_array_push(edges, edge);
        }
    }
}

/* Keeps edges without a partner, sorted. Where many faces meet, an edge takes away the one that waits from the other side, or else
 * waits; two the same way wait as one. */
static void keep_unmatched(Edges *edges)
{
    Edges kept = {0};
    if (edges->count)
        qsort(edges->data, edges->count, sizeof *edges->data, compare_lines);
    for (uint32_t i = 0, end; i < edges->count; i = end) {
        const Edge *waits = NULL;
        for (end = i; end < edges->count; end++) {
            const Edge *edge = &edges->data[end], *first = &edges->data[i];
            const bool same = edge->from == first->from && edge->to == first->to;
            if (!same && (edge->from != first->to || edge->to != first->from))
                break;
            if (!waits)
                waits = edge;
            else if (waits->from != edge->from)
                waits = NULL;
        }
        if (waits)
            dv_array_push(&kept, *waits);
    }
    if (kept.count)
        qsort(kept.data, kept.count, sizeof *kept.data, compare);
    dv_array_free(edges);
    *edges = kept;
}

/* The first unused edge that begins at a point, or NULL. */
static Edge *edge_from(const Edges *edges, const bool *used, uint32_t point)
{
    uint32_t low = 0, high = edges->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (edges->data[middle].from < point)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < edges->count && edges->data[low].from == point; low++)
        if (!used[low])
            return &edges->data[low];
    return NULL;
}

typedef struct Closing {
    DvIntArray indices;
    DvRealArray centers, position;
    DvIndexArray triangles, own_triangles;
    uint32_t points; /* of the surface */
} Closing;

static void add_loop(Closing *closing, const double *position, const DvIndexArray *loop)
{
    const uint32_t center = closing->points + closing->centers.count / 3, first = closing->position.count / 3,
                   n = loop->count;
    double sum[3] = {0};
    dv_array_push(&closing->indices, (int32_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const double *p = position + 3 * (size_t)loop->data[i];
        for (int k = 0; k < 3; k++)
            sum[k] += p[k];
        dv_array_push(&closing->indices, (int32_t)loop->data[i]);
        dv_array_append(&closing->position, p, 3);
    }
    for (int k = 0; k < 3; k++)
        sum[k] /= n;
    dv_array_push(&closing->indices, (int32_t)center);
    dv_array_append(&closing->position, sum, 3);
    dv_array_append(&closing->centers, sum, 3);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t before = i ? i - 1 : n - 1;
        const uint32_t mine[3] = {center, loop->data[i], loop->data[before]},
                       own[3] = {first + n, first + i, first + before};
        dv_array_append(&closing->triangles, mine, 3);
        dv_array_append(&closing->own_triangles, own, 3);
    }
}

/* Loops from the lowest edges on; an open chain closes nothing. */
static void find_loops(Closing *closing, const double *position, Edges *edges)
{
    bool *used = dv_alloc(edges->count, sizeof *used);
    DvIndexArray loop = {0};
    for (uint32_t i = 0; i < edges->count; i++) {
        if (used[i])
            continue;
        dv_array_clear(&loop);
        const uint32_t start = edges->data[i].from;
        uint32_t at = start;
        for (Edge *edge; (edge = edge_from(edges, used, at)) && (at != start || loop.count == 0);) {
            used[edge - edges->data] = true;
            dv_array_push(&loop, edge->from);
            at = edge->to;
        }
        if (at == start && loop.count > 2)
            add_loop(closing, position, &loop);
    }
    dv_array_free(&loop);
    dv_free(used);
}

static void append(DvData *to, const void *first, size_t n1, const void *second, size_t n2)
{
    const size_t bytes = to->type->element_size;
    char *at = dv_data_begin_all(to, n1 + n2);
    if (n1)
        memcpy(at, first, n1 * bytes);
    if (n2)
        memcpy(at + n1 * bytes, second, n2 * bytes);
    dv_data_end(to);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    MeshClosing *self = self_;
    size_t points;
    DvElements triangles, quads;
    const double *position = dv_data_doubles(&self->in_position, &points);
    const DvStatus status = mesh_first(mesh_input(&self->in_triangles, DV_TRIANGLES, points, &triangles),
                                       mesh_input(&self->in_quads, DV_QUADS, points, &quads));
    Edges edges = {0};
    Closing closing = {.points = (uint32_t)points};
    add_edges(triangles, 3, &edges);
    add_edges(quads, 4, &edges);
    keep_unmatched(&edges);
    find_loops(&closing, position, &edges);
    append(&self->position, position, points, closing.centers.data, closing.centers.count / 3);
    append(&self->triangles, triangles.at, triangles.count, closing.triangles.data, closing.triangles.count / 3);
    append(&self->quads, quads.at, quads.count, NULL, 0);
    append(&self->indices, closing.indices.data, closing.indices.count, NULL, 0);
    append(&self->closing_position, closing.position.data, closing.position.count / 3, NULL, 0);
    append(&self->closing_triangles, closing.own_triangles.data, closing.own_triangles.count / 3, NULL, 0);
    dv_array_free(&edges);
    dv_array_free(&closing.indices);
    dv_array_free(&closing.centers);
    dv_array_free(&closing.position);
    dv_array_free(&closing.triangles);
    dv_array_free(&closing.own_triangles);
    return status;
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MeshClosing, in_position, "inputPosition", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_INPUT(MeshClosing, in_triangles, "inputTriangles", dv_type_triangles, "its triangles"),
    DV_ENGINE_INPUT(MeshClosing, in_quads, "inputQuads", dv_type_quads, "its quads"),
    DV_ENGINE_OUTPUT(MeshClosing, position, "position", dv_type_vec3s, "its points, then the centroid of each hole",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(MeshClosing, triangles, "triangles", dv_type_triangles, "its triangles, then those that close it"),
    DV_ENGINE_OUTPUT(MeshClosing, quads, "quads", dv_type_quads, "its quads"),
    DV_ENGINE_OUTPUT(MeshClosing, indices, "indices", dv_mesh_type_index_lists,
                     "for each hole its border and its centroid"),
    DV_ENGINE_OUTPUT(MeshClosing, closing_position, "closingPosition", dv_type_vec3s, "the same as points",
                     .unit = "m"),
    DV_ENGINE_OUTPUT(MeshClosing, closing_triangles, "closingTriangles", dv_type_triangles,
                     "triangles of these points"),
    {0},
};

const DvClass dv_mesh_closing_engine = {
    .size = sizeof(DvClass),
    .name = "MeshClosingEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Closes the holes of a surface.",
    .instance_size = sizeof(MeshClosing),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
