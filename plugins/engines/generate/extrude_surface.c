/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ExtrudeSurface: a closed body out of a part of a surface: the chosen triangles, the same moved by a height along the normals of their
 * points (the mean of the unit normals of the triangles there), and walls along the border.
 */
#include "mesh_inputs.h"

#include <stdlib.h>

typedef struct ExtrudeSurface {
    DvEngine engine;
    DvData surface, triangles, chosen, height, vertices, extrusion;
} ExtrudeSurface;

/* An edge of a chosen triangle, as the triangle names it; a < b are its ends in order, to find it again. */
typedef struct Edge {
    uint32_t from, to, a, b;
} Edge;

static int by_ends(const void *one, const void *other)
{
    const Edge *p = one, *q = other;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b != q->b ? (p->b < q->b ? -1 : 1) : 0;
}

static int by_direction(const void *one, const void *other)
{
    const Edge *p = one, *q = other;
    return p->from != q->from ? (p->from < q->from ? -1 : 1) : p->to != q->to ? (p->to < q->to ? -1 : 1) : 0;
}

/* The edges that one chosen triangle alone has, in the order of their new numbers. */
static uint32_t find_border(const uint32_t *part, uint32_t count, Edge *edges)
{
    static const uint32_t ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (uint32_t i = 0; i < 3 * count; i++) {
        const uint32_t from = part[i / 3 * 3 + ends[i % 3][0]], to = part[i / 3 * 3 + ends[i % 3][1]];
        edges[i] = (Edge){from, to, from < to ? from : to, from < to ? to : from};
    }
    qsort(edges, 3 * (size_t)count, sizeof *edges, by_ends);
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < 3 * count; i = end) {
        for (end = i + 1; end < 3 * count && by_ends(&edges[i], &edges[end]) == 0; end++)
            ;
        if (end == i + 1)
            edges[kept++] = edges[i];
    }
    qsort(edges, kept, sizeof *edges, by_direction);
    return kept;
}

/* The chosen triangles with points numbered as they are first used; order[new] = old. The number of points. */
static uint32_t renumber(const uint32_t *triangles, const uint32_t *chosen, uint32_t count, size_t points,
                         uint32_t *part, uint32_t *order)
{
    uint32_t *number = dv_alloc(points, sizeof *number), used = 0; /* + 1 */
    for (uint32_t i = 0; i < 3 * count; i++) {
        const uint32_t point = triangles[3 * (size_t)chosen[i / 3] + i % 3];
        if (number[point] == 0) {
            order[used] = point;
            number[point] = ++used;
        }
        part[i] = number[point] - 1;
    }
    dv_free(number);
    return used;
}

static void write_vertices(ExtrudeSurface *self, const double *position, const uint32_t *part, uint32_t count,
                           const uint32_t *order, uint32_t used)
{
    const double height = dv_data_double(&self->height);
    double *normals = dv_alloc(used, 3 * sizeof *normals);
    for (uint32_t i = 0; i < count; i++) {
        DvVec3 p[3];
        for (int j = 0; j < 3; j++)
            p[j] = mesh_point(position, order[part[3 * i + (uint32_t)j]]);
        const DvVec3 normal = dv_vec3_normalize(mesh_area_normal(p[0], p[1], p[2]));
        for (uint32_t j = 0; j < 3; j++)
            dv_vec3_accumulate(normal, normals + 3 * (size_t)part[3 * i + j]);
    }
    double *to = dv_data_begin_all(&self->vertices, 2 * (size_t)used);
    for (uint32_t i = 0; i < used; i++, to += 6) {
        const DvVec3 from = mesh_point(position, order[i]), normal = dv_vec3_normalize(mesh_point(normals, i));
        dv_vec3_store(from, to);
        dv_vec3_store(dv_vec3_madd(from, height, normal), to + 3);
    }
    dv_data_end(&self->vertices);
    dv_free(normals);
}

static void write_triangles(ExtrudeSurface *self, const uint32_t *part, uint32_t count)
{
    Edge *edges = dv_alloc(3 * (size_t)count, sizeof *edges);
    const uint32_t border = find_border(part, count, edges);
    uint32_t *to = dv_data_begin_all(&self->extrusion, 2 * ((size_t)count + border));
    for (uint32_t i = 0; i < count; i++, to += 6) {
        const uint32_t *t = part + 3 * (size_t)i;
        const uint32_t two[6] = {2 * t[0],     2 * t[2],     2 * t[1], /* the bottom looks the other way */
                                 2 * t[0] + 1, 2 * t[1] + 1, 2 * t[2] + 1};
        memcpy(to, two, sizeof two);
    }
    for (uint32_t i = 0; i < border; i++, to += 6) {
        const uint32_t a = 2 * edges[i].from, b = 2 * edges[i].to, two[6] = {a, b, a + 1, b + 1, a + 1, b};
        memcpy(to, two, sizeof two);
    }
    dv_data_end(&self->extrusion);
    dv_free(edges);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    ExtrudeSurface *self = self_;
    size_t points, count;
    DvElements triangles;
    const double *position = dv_data_doubles(&self->surface, &points);
    const uint32_t *chosen = dv_data_uints(&self->chosen, &count);
    DvStatus status = mesh_input(&self->triangles, DV_TRIANGLES, points, &triangles);
    for (size_t i = 0; i < count && status == DV_OK; i++)
        if (chosen[i] >= triangles.count)
            status =
                dv_field_error_missing(&self->chosen, (int64_t)i, "triangle", chosen[i], "triangles", triangles.count);
    const uint32_t kept = status == DV_OK ? (uint32_t)count : 0;
    uint32_t *part = dv_alloc(3 * (size_t)kept, sizeof *part), *order = dv_alloc(3 * (size_t)kept, sizeof *order);
    const uint32_t used = renumber(triangles.at, chosen, kept, points, part, order);
    write_vertices(self, position, part, kept, order, used);
    write_triangles(self, part, kept);
    dv_free(part);
    dv_free(order);
    return status;
}

static const DvField fields[] = {
    MESH_SHOWN("isVisible", "1"),
    DV_ENGINE_INPUT(ExtrudeSurface, height, "heightFactor", dv_type_double, "how far the surface is moved", .init = "1",
                    .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeSurface, triangles, "triangles", dv_type_triangles, "triangles of the surface"),
    DV_ENGINE_OUTPUT(ExtrudeSurface, vertices, "extrusionVertices", dv_type_vec3s,
                     "points of the body: each point used, followed by where it is moved to", .unit = "m"),
    DV_ENGINE_INPUT(ExtrudeSurface, surface, "surfaceVertices", dv_type_vec3s, "points of the surface", .unit = "m"),
    DV_ENGINE_OUTPUT(ExtrudeSurface, extrusion, "extrusionTriangles", dv_type_triangles, "triangles of the body"),
    DV_ENGINE_INPUT(ExtrudeSurface, chosen, "surfaceTriangles", dv_type_uints, "numbers of the triangles to extrude"),
    {0},
};

const DvClass dv_extrude_surface = {
    .size = sizeof(DvClass),
    .name = "ExtrudeSurface",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Makes a closed body of a part of a surface and a height.",
    .instance_size = sizeof(ExtrudeSurface),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
