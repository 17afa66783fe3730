/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointSet- to HexahedronSetGeometryAlgorithms: what a dynamic mesh shows of itself, and, for triangles, their common
 * orientation.
 *
 * recomputeTrianglesOrientation: starting from triangle 0 (seen from behind with flipNormals) rings of neighbours are
 * walked through, and each triangle whose normal has a cosine below 0.15 with the first one's is turned over.
 *
 * `tagMechanics` selects, by tag, the state whose positions count; without it that of the node does.
 */
#include "container/topology.h"
#include <divan/contracts/drawing.h>
#include <divan/math/vec.h>
#include <divan/types/color.h>

typedef struct Geometry {
    DvObject *object;
    DvLink topology;
    DvData indices_scale, show_points, tag;
    DvData show_edges, draw_edges, edge_color;
    DvData show_triangles, draw_triangles, triangle_color, draw_normals, normal_length, orient, flip_normals;
    DvData show_quads, draw_quads, quad_color;
    DvData show_tetrahedra, draw_tetrahedra, tetrahedron_scale, tetrahedron_color;
    DvData show_hexahedra, draw_hexahedra, hexahedron_scale, hexahedron_color;
    bool has_triangles;
} Geometry;

/* The state whose positions count, or an empty reference. */
static DvStateRef find_state(Geometry *geometry)
{
    DvNode *node = dv_object_node(geometry->object);
    size_t words;
    char *const *tag = dv_data_strings(&geometry->tag, &words); /* one */
    if (words == 0 || !*tag || !**tag)
        return dv_state_ref(dv_node_context(node, DV_STATE));
    DvObject *states[64];
    const size_t count = dv_node_find_all(node, DV_STATE, DV_SEARCH_UP, states, 64);
    for (size_t i = 0; i < count && i < 64; i++)
        if (dv_object_has_tags(states[i], (DvTags){tag, 1}))
            return dv_state_ref(states[i]);
    return dv_state_ref(NULL);
}

static DvVec3 position_of(DvConstVec x, uint32_t spatial, uint32_t point)
{
    const double *at = x.at + (size_t)point * x.dim;
    return dv_vec3(at[0], spatial > 1 ? at[1] : 0.0, spatial > 2 ? at[2] : 0.0);
}

static DvVec3 normal_of(DvConstVec x, uint32_t spatial, const uint32_t *triangle)
{
    const DvVec3 a = position_of(x, spatial, triangle[0]);
    return dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(position_of(x, spatial, triangle[1]), a),
                                           dv_vec3_sub(position_of(x, spatial, triangle[2]), a)));
}

static void orient_triangles(Geometry *geometry, Topology *topology, DvStateRef state)
{
    const double least_cosine = 0.15;
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    const uint32_t spatial = state.dof->spatial;
    const ElementList triangles = topology_elements(topology, DV_TRIANGLES);
    const DvRows *around = topology_adjacency(topology, DV_TRIANGLES, DV_TRIANGLES);
    for (size_t i = 0; i < (size_t)triangles.count * 3; i++)
        if (triangles.at[i] >= x.count)
            return;
    if (triangles.count == 0)
        return;
    uint32_t *turned = dv_alloc((size_t)triangles.count * 3, sizeof *turned);
    uint32_t *queue = dv_alloc(triangles.count, sizeof *queue), head = 0, tail = 0;
    bool *seen = dv_alloc(triangles.count, sizeof *seen);
    memcpy(turned, triangles.at, (size_t)triangles.count * 3 * sizeof *turned);
    const DvVec3 first =
        dv_vec3_scale(normal_of(x, spatial, turned), dv_data_bool(&geometry->flip_normals) ? -1.0 : 1.0);
    seen[0] = true;
    queue[tail++] = 0;
    while (head < tail) {
        const uint32_t triangle = queue[head++];
        uint32_t *corner = turned + (size_t)triangle * 3;
        if (dv_vec3_dot(normal_of(x, spatial, corner), first) < least_cosine) {
            const uint32_t swap = corner[1];
            corner[1] = corner[2];
            corner[2] = swap;
        }
        for (uint32_t at = around->begin[triangle]; at < around->end[triangle]; at++)
            if (!seen[around->items[at]]) {
                seen[around->items[at]] = true;
                queue[tail++] = around->items[at];
            }
    }
    (void)dv_data_link(&topology->list[DV_TRIANGLES], NULL);
    topology_set_list(topology, DV_TRIANGLES, turned, triangles.count);
    topology_changed(topology);
    dv_free(turned);
    dv_free(queue);
    dv_free(seen);
}

static DvStatus init(DvObject *object, void *self)
{
    Geometry *geometry = self;
    DvObject *found;
    if (!dv_link_is_set(&geometry->topology) && !dv_object_find(object, &geometry->topology, DV_TOPOLOGY)) {
        dv_warning(object, "no topology in its node or above: there is no geometry to tell of");
        dv_object_set_state(object, DV_COMPONENT_INVALID);
        return DV_OK;
    }
    DvStatus status = dv_object_find_required(object, &geometry->topology, DV_TOPOLOGY, "a topology container", &found);
    if (status == DV_OK)
        status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    Topology *topology = topology_of(found);
    if (!geometry->has_triangles || !dv_data_bool(&geometry->orient))
        return DV_OK;
    const DvStateRef state = find_state(geometry);
    if (!state.object || !topology)
        return dv_error(object, DV_ERROR_MISSING, "recomputeTrianglesOrientation needs a state with the positions");
    if (dv_object_initialise_first(object, state.object) != DV_OK)
        return DV_ERROR_CYCLE;
    orient_triangles(geometry, topology, state);
    return DV_OK;
}

static DvStatus construct(DvObject *object, void *self)
{
    Geometry *geometry = self;
    geometry->object = object;
    return DV_OK;
}

static DvStatus construct_with_triangles(DvObject *object, void *self)
{
    Geometry *geometry = self;
    geometry->has_triangles = true;
    return construct(object, self);
}

#define SHOW(member, name, ...)                                                                                      \
    DV_FIELD(Geometry, member, name, dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .group = "Visualization", \
             .help = "show it", __VA_ARGS__)
#define SIZE(member, name, start, text)                                                              \
    DV_FIELD(Geometry, member, name, dv_type_double, .init = start, .range = &dv_range_not_negative, \
             .flags = DV_FIELD_DRAWING, .group = "Visualization", .help = text)
#define COLOR(member, name, start)                                                            \
    DV_FIELD(Geometry, member, name, dv_type_color, .init = start, .flags = DV_FIELD_DRAWING, \
             .group = "Visualization", .help = "colour: red green blue alpha")
#define ALIASES(...)                 \
    .aliases = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }

#define POINT_FIELDS                                                                                             \
    DV_LINK(Geometry, topology, "topology", DV_TOPOLOGY, .help = "mesh to look at (default: that of the node)"), \
        SIZE(indices_scale, "showIndicesScale", "1", "size of the numbers shown"),                               \
        SHOW(show_points, "showPointIndices"),                                                                   \
        DV_FIELD(Geometry, tag, "tagMechanics", dv_type_string, .help = "tag of the state to look at")
#define EDGE_FIELDS                                                                   \
    POINT_FIELDS, SHOW(show_edges, "showEdgeIndices"), SHOW(draw_edges, "drawEdges"), \
        COLOR(edge_color, "drawColorEdges", "0.4 1 0.3 1")
#define TRIANGLE_FIELDS                                                                                       \
    EDGE_FIELDS, SHOW(show_triangles, "showTriangleIndices"), SHOW(draw_triangles, "drawTriangles"),          \
        COLOR(triangle_color, "drawColorTriangles", "0.3 0.5 0.8 1"), SHOW(draw_normals, "drawNormals"),      \
        SIZE(normal_length, "drawNormalLength", "10", "length of the normals shown"),                         \
        DV_FIELD(Geometry, orient, "recomputeTrianglesOrientation", dv_type_bool, .init = "0",                \
                 .flags = DV_FIELD_AT_LOAD, .help = "turn triangles at init so that they look the same way"), \
        DV_FIELD(Geometry, flip_normals, "flipNormals", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD, \
                 .help = "turn them the opposite way")
#define QUAD_FIELDS                                                                  \
    EDGE_FIELDS, SHOW(show_quads, "showQuadIndices"), SHOW(draw_quads, "drawQuads"), \
        COLOR(quad_color, "drawColorQuads", "0 0.4 0.4 1")

static const DvField point_fields[] = {POINT_FIELDS, {0}};
static const DvField edge_fields[] = {EDGE_FIELDS, {0}};
static const DvField triangle_fields[] = {TRIANGLE_FIELDS, {0}};
static const DvField quad_fields[] = {QUAD_FIELDS, {0}};
static const DvField tetrahedron_fields[] = {
    TRIANGLE_FIELDS,
    SHOW(show_tetrahedra, "showTetrahedraIndices", ALIASES("showTetrasIndices")),
    SHOW(draw_tetrahedra, "drawTetrahedra", ALIASES("drawTetra", "drawTetrahedron")),
    SIZE(tetrahedron_scale, "drawScaleTetrahedra", "1", "size of the tetrahedra shown"),
    COLOR(tetrahedron_color, "drawColorTetrahedra", "1 1 0 1"),
    {0},
};
static const DvField hexahedron_fields[] = {
    QUAD_FIELDS,
    SHOW(show_hexahedra, "showHexaIndices"),
    SHOW(draw_hexahedra, "drawHexahedra", ALIASES("drawHexa", "drawHexahedron")),
    SIZE(hexahedron_scale, "drawScaleHexahedra", "1", "size of the hexahedra shown"),
    COLOR(hexahedron_color, "drawColorHexahedra", "1 0.5 0 1"),
    {0},
};

/* What is shown of the elements of a kind; `numbers` and `color` are NULL where the class has no such field. */
typedef struct Shown {
    DvElementKind kind;
    DvData *faces, *numbers, *color, *scale;
} Shown;

/* The numbers of elements, in their middles. */
static void draw_element_numbers(DvDraw *draw, DvElements elements, uint32_t nodes, const double *points,
                                 uint32_t point_count, double size, const double *color)
{
    double *middle = dv_alloc(elements.count ? elements.count : 1, 3 * sizeof *middle);
    memset(middle, 0, elements.count * 3 * sizeof *middle);
    for (uint32_t e = 0; e < elements.count; e++)
        for (uint32_t n = 0; n < nodes; n++) {
            const uint32_t point = elements.at[(size_t)e * nodes + n];
            for (uint32_t axis = 0; axis < 3 && point < point_count; axis++)
                middle[3 * (size_t)e + axis] += points[3 * (size_t)point + axis] / nodes;
        }
    dv_draw_numbers(draw, middle, elements.count, size, color);
    dv_free(middle);
}

static void draw_normals_of(Geometry *geometry, DvDraw *draw, DvElements triangles, DvConstVec x, uint32_t spatial)
{
    static const double color[4] = {0.0, 1.0, 1.0, 1.0};
    const double length = dv_data_double(&geometry->normal_length);
    double *ends = dv_alloc(triangles.count ? triangles.count : 1, 6 * sizeof *ends);
    uint32_t count = 0;
    for (uint32_t t = 0; t < triangles.count; t++) {
        const uint32_t *corner = triangles.at + 3 * (size_t)t;
        if (corner[0] >= x.count || corner[1] >= x.count || corner[2] >= x.count)
            continue;
        DvVec3 middle = position_of(x, spatial, corner[0]);
        middle =
            dv_vec3_add(dv_vec3_add(middle, position_of(x, spatial, corner[1])), position_of(x, spatial, corner[2]));
        middle = dv_vec3_scale(middle, 1.0 / 3.0);
        dv_vec3_store(middle, ends + 6 * (size_t)count);
        dv_vec3_store(dv_vec3_add(middle, dv_vec3_scale(normal_of(x, spatial, corner), length)),
                      ends + 6 * (size_t)count++ + 3);
    }
    if (count > 0)
        draw->ops->lines(draw, ends, count, 1.0, color);
    dv_free(ends);
}

/* Fields that the table of the class lacks were never made. */
static bool is_on(DvData *data)
{
    return data->field && dv_data_bool(data);
}

static void draw_kind(Geometry *geometry, DvDraw *draw, const Shown *shown, DvElements elements, const double *points,
                      uint32_t count)
{
    const double *color = shown->color->field ? dv_data_doubles(shown->color, NULL) : dv_white;
    double of_all[1][4];
    memcpy(of_all[0], color, sizeof of_all[0]);
    const double scale = shown->scale && shown->scale->field ? dv_data_double(shown->scale) : 1.0;
    const DvElementStyle style = {.colors = of_all, .color_count = 1, .shrink = 1.0 - scale, .pixels = 1.0};
    if (is_on(shown->faces))
        dv_draw_elements(draw, shown->kind, elements, points, count, &style);
    if (shown->numbers && is_on(shown->numbers))
        draw_element_numbers(draw, elements, dv_element_nodes(shown->kind), points, count,
                             dv_data_double(&geometry->indices_scale), color);
}

static void draw(void *self, DvDraw *draw)
{
    Geometry *geometry = self;
    DvObject *mesh = dv_object_find(geometry->object, &geometry->topology, DV_TOPOLOGY);
    const DvStateRef state = find_state(geometry);
    const DvTopologyOps *ops = mesh ? dv_object_ops(mesh, DV_TOPOLOGY) : NULL;
    if (!ops || !state.ops || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    const DvConstVec x = dv_state_read(state, DV_POSITION);
    double *points = dv_points_in_space(x, state.dof->spatial);
    const Shown all[] = {
        {DV_EDGES, &geometry->draw_edges, &geometry->show_edges, &geometry->edge_color, NULL},
        {DV_TRIANGLES, &geometry->draw_triangles, &geometry->show_triangles, &geometry->triangle_color, NULL},
        {DV_QUADS, &geometry->draw_quads, &geometry->show_quads, &geometry->quad_color, NULL},
        {DV_TETRAHEDRA, &geometry->draw_tetrahedra, &geometry->show_tetrahedra, &geometry->tetrahedron_color,
         &geometry->tetrahedron_scale},
        {DV_HEXAHEDRA, &geometry->draw_hexahedra, &geometry->show_hexahedra, &geometry->hexahedron_color,
         &geometry->hexahedron_scale},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_on(all[i].faces) || is_on(all[i].numbers))
            draw_kind(geometry, draw, &all[i], ops->elements(dv_object_self(mesh), all[i].kind), points, x.count);
    if (is_on(&geometry->draw_normals))
        draw_normals_of(geometry, draw, ops->elements(dv_object_self(mesh), DV_TRIANGLES), x, state.dof->spatial);
    if (is_on(&geometry->show_points))
        dv_draw_numbers(draw, points, x.count, dv_data_double(&geometry->indices_scale), dv_white);
    dv_free(points);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvContract contracts[] = {{.id = DV_DRAWABLE, .ops = &drawable}, {0}};

#define BASES(...) ((const char *const[]){__VA_ARGS__, "GeometryAlgorithms", NULL})

#define GEOMETRY(Class, variants_, table, object_, construct_, bases_, text) \
    const DvClass dv_##object_ = {                                           \
        .size = sizeof(DvClass),                                             \
        .name = Class,                                                       \
        .variants = variants_,                                               \
        .default_variant = "Vec3d",                                          \
        .bases = bases_,                                                     \
        .family = "geometry of topologies",                                  \
        .module = "Sofa.Component.Topology.Container.Dynamic",               \
        .help = text,                                                        \
        .instance_size = sizeof(Geometry),                                   \
        .fields = table,                                                     \
        .contracts = contracts,                                              \
        .construct = construct_,                                             \
        .init = init,                                                        \
    }

GEOMETRY("PointSetGeometryAlgorithms", "Vec3d Vec2d Vec1d", point_fields, point_set_geometry_algorithms, construct,
         ((const char *const[]){"GeometryAlgorithms", NULL}), "Geometry of a set of points.");
GEOMETRY("EdgeSetGeometryAlgorithms", "Vec3d Vec2d Vec1d Rigid3d Rigid2d", edge_fields, edge_set_geometry_algorithms,
         construct, BASES("PointSetGeometryAlgorithms"), "Geometry of a set of edges.");
GEOMETRY("TriangleSetGeometryAlgorithms", "Vec3d Vec2d", triangle_fields, triangle_set_geometry_algorithms,
         construct_with_triangles, BASES("EdgeSetGeometryAlgorithms", "PointSetGeometryAlgorithms"),
         "Geometry of a set of triangles.");
GEOMETRY("QuadSetGeometryAlgorithms", "Vec3d Vec2d", quad_fields, quad_set_geometry_algorithms, construct,
         BASES("EdgeSetGeometryAlgorithms", "PointSetGeometryAlgorithms"), "Geometry of a set of quads.");
GEOMETRY("TetrahedronSetGeometryAlgorithms", "Vec3d Vec2d", tetrahedron_fields, tetrahedron_set_geometry_algorithms,
         construct_with_triangles,
         BASES("TriangleSetGeometryAlgorithms", "EdgeSetGeometryAlgorithms", "PointSetGeometryAlgorithms"),
         "Geometry of a set of tetrahedra.");
GEOMETRY("HexahedronSetGeometryAlgorithms", "Vec3d Vec2d", hexahedron_fields, hexahedron_set_geometry_algorithms,
         construct, BASES("QuadSetGeometryAlgorithms", "EdgeSetGeometryAlgorithms", "PointSetGeometryAlgorithms"),
         "Geometry of a set of hexahedra.");
