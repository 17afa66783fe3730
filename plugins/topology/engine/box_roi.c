/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BoxROI: the points and elements inside a union of boxes, axis-aligned (`box`) or turned (`orientedBox`).
 *
 * A point is inside when its spatial components are, borders included. An element is inside when all its points are
 * (strict), each in whichever box, or when the mean of its points is. Lists keep the order of the input and the
 * numbers of its points.
 *
 * Without `position` the region looks at the rest shape: of the state in its node, else the positions of a loader
 * there, else the rest shape of a state above. Lists of elements that are not given come from the topology in its
 * node.
 *
 * An oriented box is three points and a depth: a rectangle through the first two points, as wide as the third is far
 * away, and half the depth thick on both sides of its plane. Its frame is computed once, at init.
 */
#include "boxes.h"
#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/kit/array.h>
#include <divan/math/vec.h>
#include <inttypes.h>
#include <math.h>

typedef enum RoiKind { ROI_EDGES, ROI_TRIANGLES, ROI_QUADS, ROI_TETRAHEDRA, ROI_HEXAHEDRA, ROI_KINDS } RoiKind;

static const uint32_t nodes_of[ROI_KINDS] = {2, 3, 4, 4, 8};
static const char *const list_of[ROI_KINDS] = {"edges", "triangles", "quads", "tetrahedra", "hexahedra"};

/* The slabs of an oriented box: |(p - from) . axis| <= limit. */
typedef struct Slab {
    DvVec3 from, axis;
    double limit;
} Slab;
typedef struct OrientedBox {
    Slab slab[5];
} OrientedBox;

typedef struct BoxRoi {
    DvData position, elements[ROI_KINDS], compute[ROI_KINDS], strict, do_update, box, oriented_box;
    DvData indices, element_indices[ROI_KINDS], points_in, elements_in[ROI_KINDS], point_count;
    DvData points_out, elements_out[ROI_KINDS], indices_out, element_out_indices[ROI_KINDS];
    DvData draw_region, draw_points, draw_elements[ROI_KINDS], draw_size;
    const DvDofType *dof;
    OrientedBox *oriented;
    uint32_t oriented_count;
    bool ready, forced; /* init has run; it is running */
} BoxRoi;

static const DvType type_vec10s = {.size = sizeof(DvType),
                                   .name = "list of 10 numbers",
                                   .scalar = DV_SCALAR_DOUBLE,
                                   .components = 10,
                                   .list = true,
                                   .element_size = 10 * sizeof(double)};

static OrientedBox make_oriented_box(const double *at)
{
    const DvVec3 p0 = dv_vec3_load(at), p1 = dv_vec3_load(at + 3), p2 = dv_vec3_load(at + 6);
    const double depth = at[9];
    const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), dv_vec3_sub(p2, p0)));
    const DvVec3 p3 = dv_vec3_add(p0, dv_vec3_sub(p2, p1));
    const DvVec3 e0 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), n));
    const DvVec3 e2 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p3, p0), n));
    const DvVec3 e1 = dv_vec3_normalize(
        dv_vec3_cross(dv_vec3_sub(p2, p3), dv_vec3_sub(dv_vec3_add(p2, dv_vec3_scale(n, depth)), p3)));
    const DvVec3 e3 = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p2, p1), dv_vec3_scale(n, depth)));
    const DvVec3 diagonal = dv_vec3_sub(p2, p0);
    const double width = fabs(dv_vec3_dot(diagonal, e0)), length = fabs(dv_vec3_dot(diagonal, e2));
    return (OrientedBox){
        {{p0, e0, width}, {p2, e1, width}, {p0, e2, length}, {p2, e3, length}, {p0, n, fabs(depth / 2)}}};
}

static bool in_oriented_box(const OrientedBox *box, const double *p)
{
    const DvVec3 at = dv_vec3_load(p);
    for (int i = 0; i < 5; i++)
        if (!(fabs(dv_vec3_dot(dv_vec3_sub(at, box->slab[i].from), box->slab[i].axis)) <= box->slab[i].limit))
            return false;
    return true;
}

/* The boxes, read once for all points. */
typedef struct Region {
    const double *box;
    size_t boxes;
    const OrientedBox *oriented;
    uint32_t oriented_count, spatial;
} Region;

static bool is_inside(const Region *region, const double *p)
{
    for (size_t i = 0; i < region->boxes; i++)
        if (box_has_point(region->box + 6 * i, p, region->spatial))
            return true;
    for (uint32_t i = 0; i < region->oriented_count; i++)
        if (in_oriented_box(&region->oriented[i], p))
            return true;
    return false;
}

static Region read_region(BoxRoi *roi)
{
    Region region = {.spatial = roi->dof->spatial};
    region.box = dv_data_doubles(&roi->box, &region.boxes);
    if (region.spatial == 3) {
        region.oriented = roi->oriented;
        region.oriented_count = roi->oriented_count;
    }
    return region;
}

/* Splits the items 0 .. count - 1 by `inside`: numbers and rows of both sides into the outputs (NULL: not offered). */
static void split(uint32_t count, const bool *inside, const void *rows, size_t row_bytes, DvData *in_indices,
                  DvData *in_rows, DvData *out_indices, DvData *out_rows)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < count; i++)
        selected += inside[i];
    uint32_t *in_index = dv_data_begin_all(in_indices, selected);
    char *in_row = dv_data_begin_all(in_rows, selected);
    uint32_t *out_index = out_indices ? dv_data_begin_all(out_indices, count - selected) : NULL;
    char *out_row = out_rows ? dv_data_begin_all(out_rows, count - selected) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * row_bytes;
        if (inside[i]) {
            *in_index++ = i;
            memcpy(in_row, row, row_bytes);
            in_row += row_bytes;
        } else if (out_index) {
            *out_index++ = i;
            memcpy(out_row, row, row_bytes);
            out_row += row_bytes;
        }
    }
    dv_data_end(in_indices);
    dv_data_end(in_rows);
    if (out_indices)
        dv_data_end(out_indices);
    if (out_rows)
        dv_data_end(out_rows);
}

static bool has_complement(RoiKind kind)
{
    return kind != ROI_QUADS && kind != ROI_HEXAHEDRA;
}

static void clear_elements(BoxRoi *roi, RoiKind kind)
{
    dv_data_set(&roi->element_indices[kind], NULL, 0);
    dv_data_set(&roi->elements_in[kind], NULL, 0);
    if (has_complement(kind)) {
        dv_data_set(&roi->element_out_indices[kind], NULL, 0);
        dv_data_set(&roi->elements_out[kind], NULL, 0);
    }
}

static DvStatus select_elements(BoxRoi *roi, RoiKind kind, const Region *region, const double *position,
                                uint32_t points, const bool *point_inside)
{
    size_t count;
    const uint32_t *elements = dv_data_uints(&roi->elements[kind], &count), nodes = nodes_of[kind];
    const bool strict = dv_data_bool(&roi->strict);
    if (!dv_data_bool(&roi->compute[kind])) {
        clear_elements(roi, kind);
        return DV_OK;
    }
    for (size_t i = 0; i < count * nodes && roi->forced; i++)
        if (elements[i] >= points) {
            clear_elements(roi, kind);
            return dv_field_error(&roi->elements[kind], (int64_t)(i / nodes),
                                  "point %" PRIu32 " of %" PRIu32 " positions", elements[i], points);
        }
    bool *inside = dv_alloc(count, sizeof *inside);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *element = elements + i * nodes;
        bool all = true, there = true; /* a removed point may leave elements behind that still name it */
        double mean[3] = {0};
        for (uint32_t j = 0; j < nodes; j++)
            there = there && element[j] < points;
        for (uint32_t j = 0; j < nodes && there; j++) {
            all = all && point_inside[element[j]];
            for (uint32_t axis = 0; axis < region->spatial; axis++)
                mean[axis] += position[(size_t)element[j] * roi->dof->coord + axis];
        }
        for (uint32_t axis = 0; axis < region->spatial; axis++)
            mean[axis] /= nodes;
        inside[i] = there && (strict ? all : is_inside(region, mean));
    }
    split((uint32_t)count, inside, elements, nodes * sizeof *elements, &roi->element_indices[kind],
          &roi->elements_in[kind], has_complement(kind) ? &roi->element_out_indices[kind] : NULL,
          has_complement(kind) ? &roi->elements_out[kind] : NULL);
    dv_free(inside);
    return DV_OK;
}

static DvStatus update(DvObject *object, void *self)
{
    BoxRoi *roi = self;
    if (!roi->ready || !dv_object_is_valid(object) || !(roi->forced || dv_data_bool(&roi->do_update)))
        return DV_OK;
    size_t count;
    const double *position = dv_data_doubles(&roi->position, &count);
    const Region region = read_region(roi);
    const uint32_t dim = roi->dof->coord;
    bool *inside = dv_alloc(count, sizeof *inside);
    for (size_t i = 0; i < count; i++)
        inside[i] = is_inside(&region, position + i * dim);
    split((uint32_t)count, inside, position, dim * sizeof *position, &roi->indices, &roi->points_in, &roi->indices_out,
          &roi->points_out);
    dv_data_set_uint(&roi->point_count, (uint32_t)roi->indices.count);
    DvStatus status = DV_OK;
    for (int kind = 0; kind < ROI_KINDS; kind++) {
        if (count == 0) {
            clear_elements(roi, (RoiKind)kind);
            continue;
        }
        const DvStatus one = select_elements(roi, (RoiKind)kind, &region, position, (uint32_t)count, inside);
        status = status == DV_OK ? one : status;
    }
    dv_free(inside);
    if (count == 0)
        dv_field_warning(&roi->position, -1, "there are no positions to select from");
    return status;
}

/* Where the positions come from when the scene does not say. */
static DvData *find_positions(DvNode *node)
{
    DvObject *state = dv_node_slot(node, DV_STATE);
    if (state)
        return dv_object_field(state, "rest_position");
    DvObject *loader = dv_node_find(node, DV_LOADER, DV_SEARCH_LOCAL);
    if (loader && dv_object_field(loader, "position"))
        return dv_object_field(loader, "position");
    state = dv_node_context(node, DV_STATE);
    return state ? dv_object_field(state, "rest_position") : NULL;
}

static void make_oriented_boxes(BoxRoi *roi)
{
    size_t count;
    const double *at = dv_data_doubles(&roi->oriented_box, &count);
    dv_free(roi->oriented);
    roi->oriented = dv_alloc(count, sizeof *roi->oriented);
    roi->oriented_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        roi->oriented[i] = make_oriented_box(at + 10 * i);
    if (count && roi->dof->spatial < 3)
        dv_field_warning(&roi->oriented_box, -1,
                         "oriented boxes exist in three dimensions only; they select nothing here");
}

static DvStatus init(DvObject *object, void *self)
{
    BoxRoi *roi = self;
    DvNode *node = dv_object_node(object);
    if (!dv_data_is_set(&roi->position)) {
        DvData *positions = find_positions(node);
        if (!positions)
            return dv_error(
                object, DV_ERROR_MISSING,
                "no positions to select from: give 'position', or put a state or a mesh loader into the node");
        const DvStatus status = dv_data_link(&roi->position, positions);
        if (status != DV_OK)
            return status;
    }
    DvObject *topology = dv_node_find(node, DV_TOPOLOGY, DV_SEARCH_LOCAL);
    for (int kind = 0; kind < ROI_KINDS; kind++) {
        DvData *list = topology ? dv_object_field(topology, list_of[kind]) : NULL;
        if (!list || dv_data_is_set(&roi->elements[kind]) || !dv_data_bool(&roi->compute[kind]))
            continue;
        const DvStatus status = dv_data_link(&roi->elements[kind], list);
        if (status != DV_OK)
            return status;
    }
    if (!dv_data_is_set(&roi->box) && !dv_data_is_set(&roi->oriented_box))
        dv_data_set(&roi->box, (const double[6]){0, 0, 0, 1, 1, 1}, 1);
    boxes_order_corners(&roi->box);
    make_oriented_boxes(roi);
    roi->ready = roi->forced = true;
    const DvStatus status = update(object, self);
    roi->forced = false;
    if (status == DV_OK && roi->position.count > 0 && roi->indices.count == 0)
        dv_warning(object, "the region selects none of the %zu points", roi->position.count);
    return status;
}

static DvStatus reinit(DvObject *object, void *self)
{
    BoxRoi *roi = self;
    boxes_order_corners(&roi->box);
    make_oriented_boxes(roi);
    roi->forced = true;
    const DvStatus status = update(object, self);
    roi->forced = false;
    return status;
}

static DvStatus construct(DvObject *object, void *self)
{
    BoxRoi *roi = self;
    roi->dof = dv_dof_type(dv_object_variant(object));
    return DV_OK;
}

static void destroy(DvObject *object, void *self)
{
    (void)object;
    BoxRoi *roi = self;
    dv_free(roi->oriented);
}

/* The region counts only when it is shown. */
static void bounding_box(DvObject *object, void *self, double *bounds)
{
    (void)object;
    BoxRoi *roi = self;
    if (dv_data_bool(&roi->draw_region))
        boxes_add_bounds(&roi->box, bounds);
}

#define IN(member, name, type, text, ...) \
    DV_FIELD(BoxRoi, member, name, type, .flags = DV_FIELD_INPUT, .help = text, __VA_ARGS__)
#define OUT(member, name, type, text, ...) \
    DV_FIELD(BoxRoi, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text, __VA_ARGS__)
#define DRAW(member, name, ...)                                                                                    \
    DV_FIELD(BoxRoi, member, name, dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING, .group = "Visualization", \
             .help = "show what is selected", __VA_ARGS__)
#define ALIAS(name)                  \
    .aliases = (const char *const[]) \
    {                                \
        name, NULL                   \
    }

static const DvField fields[] = {
    IN(position, "position", dv_type_coords, "positions to select from (default: the rest shape)", .unit = "m"),
    IN(elements[ROI_EDGES], "edges", dv_type_edges, "edges to select from"),
    IN(elements[ROI_TRIANGLES], "triangles", dv_type_triangles, "triangles to select from"),
    IN(elements[ROI_QUADS], "quads", dv_type_quads, "quads to select from", ALIAS("quad")),
    IN(elements[ROI_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, "tetrahedra to select from"),
    IN(elements[ROI_HEXAHEDRA], "hexahedra", dv_type_hexahedra, "hexahedra to select from"),
    IN(compute[ROI_EDGES], "computeEdges", dv_type_bool, "select edges", .init = "1"),
    IN(compute[ROI_TRIANGLES], "computeTriangles", dv_type_bool, "select triangles", .init = "1"),
    IN(compute[ROI_QUADS], "computeQuads", dv_type_bool, "select quads", .init = "1", ALIAS("computeQuad")),
    IN(compute[ROI_TETRAHEDRA], "computeTetrahedra", dv_type_bool, "select tetrahedra", .init = "1"),
    IN(compute[ROI_HEXAHEDRA], "computeHexahedra", dv_type_bool, "select hexahedra", .init = "1"),
    IN(strict, "strict", dv_type_bool, "an element is inside when all its points are, else when its centre is",
       .init = "1"),
    OUT(indices, "indices", dv_type_uints, "points inside"),
    OUT(element_indices[ROI_EDGES], "edgeIndices", dv_type_uints, "edges inside"),
    OUT(element_indices[ROI_TRIANGLES], "triangleIndices", dv_type_uints, "triangles inside"),
    OUT(element_indices[ROI_QUADS], "quadIndices", dv_type_uints, "quads inside"),
    OUT(element_indices[ROI_TETRAHEDRA], "tetrahedronIndices", dv_type_uints, "tetrahedra inside"),
    OUT(element_indices[ROI_HEXAHEDRA], "hexahedronIndices", dv_type_uints, "hexahedra inside"),
    OUT(points_in, "pointsInROI", dv_type_coords, "positions inside", .unit = "m"),
    OUT(elements_in[ROI_EDGES], "edgesInROI", dv_type_edges, "points of the edges inside"),
    OUT(elements_in[ROI_TRIANGLES], "trianglesInROI", dv_type_triangles, "points of the triangles inside"),
    OUT(elements_in[ROI_QUADS], "quadsInROI", dv_type_quads, "points of the quads inside", ALIAS("quadInROI")),
    OUT(elements_in[ROI_TETRAHEDRA], "tetrahedraInROI", dv_type_tetrahedra, "points of the tetrahedra inside"),
    OUT(elements_in[ROI_HEXAHEDRA], "hexahedraInROI", dv_type_hexahedra, "points of the hexahedra inside"),
    OUT(point_count, "nbIndices", dv_type_uint, "number of points inside", .init = "0"),
    OUT(points_out, "pointsOutROI", dv_type_coords, "positions outside", .unit = "m"),
    OUT(elements_out[ROI_EDGES], "edgesOutROI", dv_type_edges, "points of the edges outside"),
    OUT(elements_out[ROI_TRIANGLES], "trianglesOutROI", dv_type_triangles, "points of the triangles outside"),
    OUT(elements_out[ROI_TETRAHEDRA], "tetrahedraOutROI", dv_type_tetrahedra, "points of the tetrahedra outside"),
    OUT(indices_out, "indicesOut", dv_type_uints, "points outside"),
    OUT(element_out_indices[ROI_EDGES], "edgeOutIndices", dv_type_uints, "edges outside"),
    OUT(element_out_indices[ROI_TRIANGLES], "triangleOutIndices", dv_type_uints, "triangles outside"),
    OUT(element_out_indices[ROI_TETRAHEDRA], "tetrahedronOutIndices", dv_type_uints, "tetrahedra outside"),
    DRAW(draw_region, "drawROI", ALIAS("drawBoxes")),
    DRAW(draw_points, "drawPoints"),
    DRAW(draw_elements[ROI_EDGES], "drawEdges"),
    DRAW(draw_elements[ROI_TRIANGLES], "drawTriangles"),
    DRAW(draw_elements[ROI_QUADS], "drawQuads"),
    DRAW(draw_elements[ROI_TETRAHEDRA], "drawTetrahedra"),
    DRAW(draw_elements[ROI_HEXAHEDRA], "drawHexahedra"),
    DV_FIELD(BoxRoi, draw_size, "drawSize", dv_type_double, .init = "1", .unit = "pixel",
             .range = &dv_range_not_negative, .flags = DV_FIELD_DRAWING, .group = "Visualization",
             .help = "size of what is shown"),
    IN(do_update, "doUpdate", dv_type_bool, "select again when an input changes", .init = "1"),
    IN(box, "box", dv_type_vec6s, "boxes: smallest corner, largest corner (default: 0 0 0 1 1 1)", .unit = "m"),
    IN(oriented_box, "orientedBox", type_vec10s, "turned boxes: three corners of a rectangle and a depth", .unit = "m"),
    {0},
};

static void draw_selected(BoxRoi *roi, DvDraw *draw)
{
    static const DvElementKind kinds[ROI_KINDS] = {DV_EDGES, DV_TRIANGLES, DV_QUADS, DV_TETRAHEDRA, DV_HEXAHEDRA};
    static const double red[1][4] = {{1.0, 0.4, 0.4, 1.0}};
    size_t points, selected;
    const double *at = dv_data_doubles(&roi->position, &points);
    const DvConstVec x = {.at = at, .count = (uint32_t)points, .dim = roi->dof->coord};
    double *space = dv_points_in_space(x, roi->dof->spatial);
    const DvElementStyle style = {.colors = red, .color_count = 1, .pixels = dv_data_double(&roi->draw_size)};
    const uint32_t *indices = dv_data_uints(&roi->indices, &selected);
    if (dv_data_bool(&roi->draw_points))
        dv_draw_elements(draw, DV_POINTS, (DvElements){.at = indices, .count = (uint32_t)selected}, space,
                         (uint32_t)points, &style);
    for (int kind = 0; kind < ROI_KINDS; kind++) {
        if (!dv_data_bool(&roi->draw_elements[kind]))
            continue;
        const uint32_t *elements = dv_data_uints(&roi->elements_in[kind], &selected);
        dv_draw_elements(draw, kinds[kind], (DvElements){.at = elements, .count = (uint32_t)selected}, space,
                         (uint32_t)points, &style);
    }
    dv_free(space);
}

/* The edges of turned boxes: both rectangles, half the depth in front of and behind the given one. */
static void draw_oriented(BoxRoi *roi, DvDraw *draw, const double *color)
{
    size_t count;
    const double *at = dv_data_doubles(&roi->oriented_box, &count);
    if (count == 0)
        return;
    double *lines = dv_alloc(count, 72 * sizeof *lines), *to = lines;
    for (size_t i = 0; i < count; i++, at += 10) {
        const DvVec3 p0 = dv_vec3_load(at), p1 = dv_vec3_load(at + 3), p2 = dv_vec3_load(at + 6);
        const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(dv_vec3_sub(p1, p0), dv_vec3_sub(p2, p0)));
        const DvVec3 base[4] = {p0, p1, p2, dv_vec3_add(p0, dv_vec3_sub(p2, p1))};
        DvVec3 corner[8];
        for (size_t c = 0; c < 8; c++)
            corner[c] = dv_vec3_add(base[c % 4], dv_vec3_scale(n, (c < 4 ? -0.5 : 0.5) * at[9]));
        for (size_t e = 0; e < 12; e++, to += 6) {
            const size_t side = e % 4, layer = e / 4; /* both rectangles, then the edges between them */
            dv_vec3_store(corner[layer == 1 ? 4 + side : side], to);
            dv_vec3_store(corner[layer == 0 ? (side + 1) % 4 : layer == 1 ? 4 + (side + 1) % 4 : 4 + side], to + 3);
        }
    }
    draw->ops->lines(draw, lines, 12 * (uint32_t)count, dv_data_double(&roi->draw_size), color);
    dv_free(lines);
}

static void draw(void *self, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.4, 0.4, 1.0};
    BoxRoi *roi = self;
    if (!roi->ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    if (dv_data_bool(&roi->draw_region)) {
        size_t boxes;
        const double *box = dv_data_doubles(&roi->box, &boxes);
        dv_draw_boxes(draw, box, (uint32_t)boxes, dv_data_double(&roi->draw_size), color);
        draw_oriented(roi, draw, color);
    }
    draw_selected(roi, draw);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_box_roi = {
    .size = sizeof(DvClass),
    .name = "BoxROI",
    .variants = "Vec3d Rigid3d Vec1d Vec2d Vec6d",
    .default_variant = "Vec3d",
    .bases = (const char *const[]){"BaseROI", "DataEngine", NULL},
    .family = "engines",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points and elements inside boxes.",
    .instance_size = sizeof(BoxRoi),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = construct,
    .init = init,
    .reinit = reinit,
    .update = update,
    .bounding_box = bounding_box,
    .destroy = destroy,
};
