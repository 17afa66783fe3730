/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh2PointTopologicalMapping: points that stand at given places of each element of a kind.
 *
 *   point      P + c                            edge          (1 - x) P0 + x P1
 *   triangle   (1 - x - y) P0 + x P1 + y P2     tetrahedron   (1 - x - y - z) P0 + x P1 + y P2 + z P3
 *   quad       (1 - x)(1 - y) P0 + x (1 - y) P1 + (1 - x) y P2 + x y P3
 *   hexahedron trilinear, in the corners' own order
 *
 * for each entry (x, y, z), or offset c in m, of the kind's list. A quad's places count its points by rows, as old scenes have it, and
 * not around it. Points first, then those of edges, triangles, quads, tetrahedra and hexahedra. Edges, triangles and tetrahedra may
 * be copied; a copy has the first point of each of its corners.
 */
#include "own_points.h"

typedef struct Mesh2Point {
    OwnPoints points;
    DvData places[DV_ELEMENT_KINDS];     /* [entries] x 3 */
    DvData copy[DV_ELEMENT_KINDS];       /* of edges, triangles and tetrahedra */
    DvRealArray place[DV_ELEMENT_KINDS]; /* the places as they were at the start */
} Mesh2Point;

static void weigh_simplex(const double *at, uint32_t nodes, double *weights)
{
    weights[0] = 1.0;
    for (uint32_t i = 1; i < nodes; i++) {
        weights[i] = at[i - 1];
        weights[0] -= at[i - 1];
    }
}

static void weigh_quad(const double *at, double *weights)
{
    for (uint32_t i = 0; i < 4; i++)
        weights[i] = (i & 1U ? at[0] : 1.0 - at[0]) * (i & 2U ? at[1] : 1.0 - at[1]);
}

static void weigh_hexahedron(const double *at, double *weights)
{
    static const uint8_t corner[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* bit a: on the far side along axis a */
    for (uint32_t i = 0; i < 8; i++) {
        weights[i] = 1.0;
        for (uint32_t axis = 0; axis < 3; axis++)
            weights[i] *= corner[i] >> axis & 1U ? at[axis] : 1.0 - at[axis];
    }
}

static void weigh(const OwnPoints *mapping, DvElementKind kind, uint32_t entry, double *weights, double offset[3])
{
    const double *at = ((const Mesh2Point *)mapping)->place[kind].data + 3 * (size_t)entry;
    if (kind == DV_QUADS)
        weigh_quad(at, weights);
    else if (kind == DV_HEXAHEDRA)
        weigh_hexahedron(at, weights);
    else
        weigh_simplex(at, dv_element_nodes(kind), weights);
    for (uint32_t axis = 0; axis < 3 && kind == DV_POINTS; axis++)
        offset[axis] = at[axis];
}

static void push(OwnPoints *mapping, uint32_t index, DvIndexArray *to)
{
    const ElementList all = topology_elements(mapping->base.from, mapping->base.source_kind);
    topological_mapping_join(&mapping->base, index);
    for (uint32_t i = 0; i < all.nodes; i++)
        dv_array_push(to, own_points_image(mapping, DV_POINTS, all.at[(size_t)index * all.nodes + i], 0));
}

static bool is_copied(Mesh2Point *self, DvElementKind kind)
{
    return self->copy[kind].field && dv_data_bool(&self->copy[kind]);
}

/* Lower elements as the input has them, where the output would number them otherwise. */
static void fill_lower(OwnPoints *mapping)
{
    Mesh2Point *self = (Mesh2Point *)mapping;
    TopologicalMapping *base = &self->points.base;
    for (DvElementKind kind = DV_EDGES; kind < base->image_kind; kind++) {
        if (!is_copied(self, kind))
            continue;
        const ElementList all = topology_elements(base->from, kind);
        DvIndexArray copies = {0};
        for (size_t i = 0; i < (size_t)all.count * all.nodes; i++)
            dv_array_push(&copies, own_points_image(&self->points, DV_POINTS, all.at[i], 0));
        topology_set_list(base->to, kind, copies.data, all.count);
        dv_array_free(&copies);
    }
}

static const OwnPointsRule points_only = {.weigh = weigh},
                           with_copies = {.weigh = weigh, .push = push, .fill_lower = fill_lower};

/* The point of the input that a copy's corner stands for. */
static uint32_t parents(TopologicalMapping *base, uint32_t point, uint32_t found[8])
{
    DvElementKind kind;
    uint32_t entry;
    return own_points_source((OwnPoints *)base, point, &kind, found, &entry) && kind == DV_POINTS ? 1 : 0;
}

/* ---- Start ---- */

/* Copies of lower elements: later ones come with those of the container's own kind. */
static DvStatus check_copy(Mesh2Point *self, DvElementKind kind, DvElementKind highest)
{
    const Topology *to = self->points.base.to;
    if (self->points.entries[DV_POINTS] == 0)
        return dv_field_error(&self->copy[kind], -1, "copies need the points: give pointBaryCoords an entry, as 0 0 0");
    if (!to->list[kind].field || (to->dynamic && to->own != highest))
        return dv_field_error(&self->copy[kind], -1, "the output '%s' must be a %s", dv_object_path(to->object),
                              highest == DV_EDGES       ? "EdgeSetTopologyContainer"
                              : highest == DV_TRIANGLES ? "TriangleSetTopologyContainer"
                                                        : "TetrahedronSetTopologyContainer");
    return DV_OK;
}

static DvStatus choose_copies(Mesh2Point *self)
{
    static const DvElementKind kinds[3] = {DV_TETRAHEDRA, DV_TRIANGLES, DV_EDGES};
    TopologicalMapping *base = &self->points.base;
    DvElementKind highest = DV_POINTS;
    for (int i = 2; i >= 0; i--)
        highest = is_copied(self, kinds[i]) ? kinds[i] : highest;
    for (int i = 0; i < 3; i++)
        if (is_copied(self, kinds[i])) {
            const DvStatus status = check_copy(self, kinds[i], highest);
            if (status != DV_OK)
                return status;
        }
    self->points.rule = highest == DV_POINTS ? &points_only : &with_copies;
    base->source_kind = base->image_kind = highest == DV_POINTS ? DV_EDGES : highest;
    base->images = 1;
    base->parents = parents;
    return DV_OK;
}

static bool count_entries(Mesh2Point *self)
{
    bool any = false;
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++) {
        size_t count = 0;
        const double *at = self->places[kind].field ? dv_data_doubles(&self->places[kind], &count) : NULL;
        dv_array_clear(&self->place[kind]);
        dv_array_append(&self->place[kind], at, (uint32_t)(3 * count));
        self->points.entries[kind] = (uint32_t)count;
        any = any || count;
    }
    return any;
}

static DvStatus init(DvObject *object, void *self_)
{
    Mesh2Point *self = self_;
    DvStatus status = topological_mapping_find(&self->points.base);
    if (status != DV_OK)
        return status;
    if (!count_entries(self))
        dv_warning(object, "no element gets a point: give pointBaryCoords, edgeBaryCoords, triangleBaryCoords, "
                           "quadBaryCoords, tetraBaryCoords or hexaBaryCoords");
    for (int kind = DV_POINTS; kind < DV_ELEMENT_KINDS; kind++)
        if (self->points.entries[kind] >= 1U << 28)
            return dv_field_error(&self->places[kind], -1, "too many places");
    status = choose_copies(self);
    return status == DV_OK ? own_points_start(&self->points) : status;
}

static void destroy(DvObject *object, void *self_)
{
    Mesh2Point *self = self_;
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_array_free(&self->place[kind]);
    own_points_destroy(object, self);
}

#define PLACES(kind, name, text, ...)                                                                        \
    DV_FIELD(Mesh2Point, places[kind], name, dv_type_vec3s, .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, \
             .help = text, __VA_ARGS__)
#define COPY(kind, name, text) \
    DV_FIELD(Mesh2Point, copy[kind], name, dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD, .help = text)

static const DvField fields[] = {
    OWN_POINTS_FIELDS(Mesh2Point, points.),
    PLACES(DV_POINTS, "pointBaryCoords", "points of each point: how far from it", .unit = "m"),
    PLACES(DV_EDGES, "edgeBaryCoords", "points of each edge: x, from 0 at its first point to 1"),
    PLACES(DV_TRIANGLES, "triangleBaryCoords", "points of each triangle: x and y, the weights of its second and third"),
    PLACES(DV_QUADS, "quadBaryCoords", "points of each quad: x and y, the weights along its sides"),
    PLACES(DV_TETRAHEDRA, "tetraBaryCoords", "points of each tetrahedron: the weights of its last three points"),
    PLACES(DV_HEXAHEDRA, "hexaBaryCoords", "points of each hexahedron: where between its sides, 0 to 1"),
    COPY(DV_EDGES, "copyEdges", "the output has the edges too, between the first points of their ends"),
    COPY(DV_TRIANGLES, "copyTriangles", "likewise the triangles"),
    COPY(DV_TETRAHEDRA, "copyTetrahedra", "likewise the tetrahedra"),
    {0},
};

const DvClass dv_mesh2point_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Mesh2PointTopologicalMapping",
    OWN_POINTS_CLASS,
    .destroy = destroy,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Puts points on the elements of a mesh.",
    .instance_size = sizeof(Mesh2Point),
    .fields = fields,
    .init = init,
};
