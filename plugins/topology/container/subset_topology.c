/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetTopology: parts a mesh in two, what lies in a region and the rest, each as lists that can fill a state and a container.
 *
 * The region is a union of boxes (`box`), or of spheres where `centers` are given, borders included. An element is inside when all
 * its points are in one and the same box or sphere. With `tetrahedraInput` these tetrahedra are inside instead, with their points,
 * and elements all of whose points these are.
 *
 * Lists of elements name points by their numbers in the mesh, or, with `localIndices`, by their places in pointsInROI and
 * pointsOutROI. Points that both sides need, since they are inside and an element that is not has them, then come first in both
 * lists, ascending: `nbrborder` of them. With `tetrahedraInput` points stand in the order in which the tetrahedra of their side first
 * name them, and what no tetrahedron names behind them.
 *
 * Without `rest_position` the positions are those of the state in its node or above; without lists of edges, triangles and
 * tetrahedra those of the mesh there. Quads and hexahedra have to be given.
 */
#include "container/topology.h"

#include <divan/contracts/drawing.h>
#include <divan/contracts/state.h>
#include <divan/given.h>
#include <divan/kit/boxes.h>
#include <divan/kit/engine.h>

#include <inttypes.h>
#include <math.h>

typedef struct SubsetTopology {
    DvEngine engine;
    DvData box, centers, radii, position, elements[DV_ELEMENT_KINDS], chosen, local;
    DvData indices, element_indices[DV_ELEMENT_KINDS], points_in, points_out;
    DvData elements_in[DV_ELEMENT_KINDS], elements_out[DV_ELEMENT_KINDS], border_count;
    DvData draw_region, draw_points, draw_edges, draw_triangles, draw_tetrahedra, draw_size;
} SubsetTopology;

/* ---- The region ---- */

typedef struct Region {
    const double *box, *centre, *radius;
    size_t volumes, radii;
} Region;

static Region read_region(SubsetTopology *self)
{
    Region region = {0};
    region.centre = dv_data_doubles(&self->centers, &region.volumes);
    region.radius = dv_data_doubles(&self->radii, &region.radii);
    if (region.volumes == 0) {
        region.centre = NULL;
        region.box = dv_data_doubles(&self->box, &region.volumes);
    }
    return region;
}

static bool volume_has(const Region *region, size_t volume, const double *p)
{
    if (!region->centre)
        return dv_box_has_point(region->box + 6 * volume, p, 3);
    const double *centre = region->centre + 3 * volume, radius = region->radius[region->radii == 1 ? 0 : volume];
    const double d[3] = {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= radius * radius;
}

/* ---- Sides ---- */

typedef enum Side { NOWHERE, INSIDE, OUTSIDE } Side; /* NOWHERE: it names points that are no longer there */

typedef struct Parts {
    const double *position;
    const uint32_t *element[DV_ELEMENT_KINDS];
    uint8_t *side[DV_ELEMENT_KINDS];       /* [count] Side; of points: of the region alone */
    uint32_t count[DV_ELEMENT_KINDS], dim; /* numbers per position */
    DvIndexArray order[3];                 /* points of each side */
    uint32_t *place[3];                    /* [points] in the order, INVALID_INDEX: it is not there */
    uint32_t border;
} Parts;

static void parts_free(Parts *parts)
{
    for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)
        dv_free(parts->side[kind]);
    for (int side = INSIDE; side <= OUTSIDE; side++) {
        dv_array_free(&parts->order[side]);
        dv_free(parts->place[side]);
    }
}

static const uint32_t *element_of(const Parts *parts, int kind, uint32_t element)
{
    return parts->element[kind] + (size_t)element * dv_element_nodes((DvElementKind)kind);
}

static bool is_in_one_volume(const Parts *parts, const Region *region, const uint32_t *element, uint32_t nodes)
{
    for (size_t volume = 0; volume < region->volumes; volume++) {
        uint32_t inside = 0;
        while (inside < nodes && volume_has(region, volume, parts->position + (size_t)element[inside] * parts->dim))
            inside++;
        if (inside == nodes)
            return true;
    }
    return false;
}

static DvStatus read_elements(SubsetTopology *self, Parts *parts)
{
    size_t count;
    parts->dim = self->engine.dof->coord;
    parts->position = dv_data_doubles(&self->position, &count);
    parts->count[DV_POINTS] = (uint32_t)count;
    parts->side[DV_POINTS] = dv_alloc(count, 1);
    for (int side = INSIDE; side <= OUTSIDE; side++) {
        parts->place[side] = dv_alloc(count, sizeof(uint32_t));
        for (uint32_t i = 0; i < parts->count[DV_POINTS]; i++)
            parts->place[side][i] = INVALID_INDEX;
    }
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        const uint32_t nodes = dv_element_nodes((DvElementKind)kind);
        parts->element[kind] = dv_data_uints(&self->elements[kind], &count);
        parts->count[kind] = (uint32_t)count;
        parts->side[kind] = dv_alloc(count, 1);
        for (size_t i = 0; i < count * nodes; i++)
            if (parts->element[kind][i] >= parts->count[DV_POINTS] && dv_engine_starting(&self->engine))
                return dv_field_error(&self->elements[kind], (int64_t)(i / nodes),
                                      "point %" PRIu32 " of %" PRIu32 " positions", parts->element[kind][i],
                                      parts->count[DV_POINTS]);
    }
    return DV_OK;
}

static DvStatus choose_tetrahedra(SubsetTopology *self, Parts *parts)
{
    size_t count;
    const uint32_t *chosen = dv_data_uints(&self->chosen, &count);
    for (uint32_t i = 0; i < parts->count[DV_POINTS]; i++)
        parts->side[DV_POINTS][i] = OUTSIDE;
    for (size_t i = 0; i < count; i++) {
        if (chosen[i] >= parts->count[DV_TETRAHEDRA]) {
            if (dv_engine_starting(&self->engine))
                return dv_field_error(&self->chosen, (int64_t)i, "there is no tetrahedron %" PRIu32 " among %" PRIu32,
                                      chosen[i], parts->count[DV_TETRAHEDRA]);
            continue;
        }
        parts->side[DV_TETRAHEDRA][chosen[i]] = INSIDE;
        for (uint32_t j = 0; j < 4; j++)
            if (element_of(parts, DV_TETRAHEDRA, chosen[i])[j] < parts->count[DV_POINTS])
                parts->side[DV_POINTS][element_of(parts, DV_TETRAHEDRA, chosen[i])[j]] = INSIDE;
    }
    return DV_OK;
}

static void choose_points(Parts *parts, const Region *region)
{
    for (uint32_t i = 0; i < parts->count[DV_POINTS]; i++)
        parts->side[DV_POINTS][i] = is_in_one_volume(parts, region, &i, 1) ? INSIDE : OUTSIDE;
}

/* Without a region: elements go with their points, tetrahedra have been chosen. */
static void choose_elements(Parts *parts, const Region *region)
{
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++)
        for (uint32_t i = 0; i < parts->count[kind]; i++) {
            const uint32_t *element = element_of(parts, kind, i), nodes = dv_element_nodes((DvElementKind)kind);
            bool there = true, inside = true;
            for (uint32_t j = 0; j < nodes; j++) {
                there = there && element[j] < parts->count[DV_POINTS];
                inside = there && inside && parts->side[DV_POINTS][element[j]] == INSIDE;
            }
            if (region)
                inside = inside && is_in_one_volume(parts, region, element, nodes);
            else if (kind == DV_TETRAHEDRA)
                inside = parts->side[kind][i] == INSIDE;
            parts->side[kind][i] = (uint8_t)(!there ? NOWHERE : inside ? INSIDE : OUTSIDE);
        }
}

/* ---- Order of points ---- */

static void place(Parts *parts, Side side, uint32_t point)
{
    if (parts->place[side][point] != INVALID_INDEX)
        return;
    parts->place[side][point] = parts->order[side].count;
    dv_array_push(&parts->order[side], point);
}

/* Points inside that an element outside has, ascending. */
static void place_border(Parts *parts)
{
    bool *border = dv_alloc(parts->count[DV_POINTS], sizeof *border);
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++)
        for (uint32_t i = 0; i < parts->count[kind]; i++)
            for (uint32_t j = 0; parts->side[kind][i] == OUTSIDE && j < dv_element_nodes((DvElementKind)kind); j++)
                border[element_of(parts, kind, i)[j]] = true;
    for (uint32_t i = 0; i < parts->count[DV_POINTS]; i++)
        if (border[i] && parts->side[DV_POINTS][i] == INSIDE) {
            place(parts, INSIDE, i);
            place(parts, OUTSIDE, i);
            parts->border++;
        }
    dv_free(border);
}

static void place_by_tetrahedra(Parts *parts)
{
    for (uint32_t i = 0; i < parts->count[DV_TETRAHEDRA]; i++)
        for (uint32_t j = 0; parts->side[DV_TETRAHEDRA][i] != NOWHERE && j < 4; j++)
            place(parts, (Side)parts->side[DV_TETRAHEDRA][i], element_of(parts, DV_TETRAHEDRA, i)[j]);
    for (uint32_t i = 0; i < parts->order[INSIDE].count; i++)
        parts->border += parts->place[OUTSIDE][parts->order[INSIDE].data[i]] != INVALID_INDEX;
}

static void place_points(Parts *parts, bool by_tetrahedra, bool local)
{
    if (by_tetrahedra)
        place_by_tetrahedra(parts);
    else if (local)
        place_border(parts);
    for (uint32_t i = 0; i < parts->count[DV_POINTS]; i++)
        place(parts, (Side)parts->side[DV_POINTS][i], i);
    for (int kind = DV_EDGES; local && kind <= DV_HEXAHEDRA; kind++)
        for (uint32_t i = 0; i < parts->count[kind]; i++)
            for (uint32_t j = 0; parts->side[kind][i] == OUTSIDE && j < dv_element_nodes((DvElementKind)kind); j++)
                place(parts, OUTSIDE, element_of(parts, kind, i)[j]);
}

/* ---- Outputs ---- */

static void write_points(const Parts *parts, Side side, DvData *indices, DvData *positions)
{
    const DvIndexArray *order = &parts->order[side];
    if (indices)
        dv_data_set(indices, order->data, order->count);
    double *at = dv_data_begin_all(positions, order->count);
    for (uint32_t i = 0; i < order->count; i++, at += parts->dim)
        memcpy(at, parts->position + (size_t)order->data[i] * parts->dim, parts->dim * sizeof *at);
    dv_data_end(positions);
}

static void write_elements(const Parts *parts, int kind, Side side, bool local, DvData *indices, DvData *elements)
{
    const uint32_t nodes = dv_element_nodes((DvElementKind)kind);
    DvIndexArray number = {0}, list = {0};
    for (uint32_t i = 0; i < parts->count[kind]; i++) {
        if (parts->side[kind][i] != side)
            continue;
        dv_array_push(&number, i);
        for (uint32_t j = 0; j < nodes; j++) {
            const uint32_t point = element_of(parts, kind, i)[j];
            dv_array_push(&list, local ? parts->place[side][point] : point);
        }
    }
    if (indices)
        dv_data_set(indices, number.data, number.count);
    dv_data_set(elements, list.data, number.count);
    dv_array_free(&number);
    dv_array_free(&list);
}

static void write_parts(SubsetTopology *self, const Parts *parts, bool local)
{
    write_points(parts, INSIDE, &self->indices, &self->points_in);
    write_points(parts, OUTSIDE, NULL, &self->points_out);
    for (int kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++) {
        write_elements(parts, kind, INSIDE, local, &self->element_indices[kind], &self->elements_in[kind]);
        write_elements(parts, kind, OUTSIDE, local, NULL, &self->elements_out[kind]);
    }
    dv_data_set_uint(&self->border_count, parts->border);
}

static DvStatus update(DvObject *object, void *self_)
{
    SubsetTopology *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    const bool local = dv_data_bool(&self->local);
    const Region region = read_region(self);
    size_t chosen;
    (void)dv_data_uints(&self->chosen, &chosen);
    Parts parts = {0};
    DvStatus status = read_elements(self, &parts);
    if (status == DV_OK && chosen)
        status = choose_tetrahedra(self, &parts);
    else if (status == DV_OK)
        choose_points(&parts, &region);
    if (status == DV_OK) {
        choose_elements(&parts, chosen ? NULL : &region);
        place_points(&parts, chosen > 0, local);
        write_parts(self, &parts, local);
    }
    parts_free(&parts);
    return status;
}

/* ---- Life ---- */

static DvStatus link_inputs(SubsetTopology *self, DvObject *object)
{
    static const char *const list_of[DV_ELEMENT_KINDS] = {
        [DV_EDGES] = "edges", [DV_TRIANGLES] = "triangles", [DV_TETRAHEDRA] = "tetrahedra"};
    const DvNode *node = dv_object_node(object);
    DvStatus status = DV_OK;
    if (!dv_data_is_given(&self->position)) {
        const DvObject *state = dv_node_context(node, DV_STATE);
        DvData *position = state ? dv_object_field(state, "position") : NULL;
        if (!position)
            return dv_error(object, DV_ERROR_MISSING,
                            "no positions to select from: give 'rest_position', or put a state into the node");
        status = dv_data_link(&self->position, position);
    }
    const DvObject *topology = dv_node_context(node, DV_TOPOLOGY);
    for (int kind = DV_EDGES; kind <= DV_TETRAHEDRA && status == DV_OK; kind++) {
        DvData *list = topology && list_of[kind] ? dv_object_field(topology, list_of[kind]) : NULL;
        if (list && !dv_data_is_given(&self->elements[kind]))
            status = dv_data_link(&self->elements[kind], list);
    }
    return status;
}

static DvStatus check_spheres(SubsetTopology *self)
{
    size_t centres, radii;
    (void)dv_data_doubles(&self->centers, &centres);
    (void)dv_data_doubles(&self->radii, &radii);
    return centres == 0 || radii == 1 || radii == centres
               ? DV_OK
               : dv_field_error(&self->radii, -1, "%zu for %zu centers: give one for each, or one for all", radii,
                                centres);
}

static DvStatus init(DvObject *object, void *self_)
{
    SubsetTopology *self = self_;
    DvStatus status = link_inputs(self, object);
    if (status == DV_OK)
        status = check_spheres(self);
    if (status != DV_OK)
        return status;
    dv_boxes_order_corners(&self->box);
    status = dv_engine_run(object, self);
    if (status == DV_OK && self->position.count > 0 && self->indices.count == 0)
        dv_warning(object, "the region selects none of the %zu points", self->position.count);
    return status;
}

/* The region counts only when it is shown. */
static void bounding_box(DvObject *object, void *self_, double *bounds)
{
    (void)object;
    SubsetTopology *self = self_;
    if (dv_data_bool(&self->draw_region))
        dv_boxes_add_bounds(&self->box, bounds);
}

#define IN(member, ...)   DV_ENGINE_INPUT(SubsetTopology, member, __VA_ARGS__)
#define OUT(member, ...)  DV_ENGINE_OUTPUT(SubsetTopology, member, __VA_ARGS__)
#define DRAW(member, ...) DV_ENGINE_SHOWN(SubsetTopology, member, __VA_ARGS__)
#define WHEN_GIVEN(member, name, type, text, ...)                                                                   \
    DV_FIELD(SubsetTopology, member, name, type, .flags = DV_FIELD_INPUT | DV_FIELD_EMPTY_IS_DEFAULT, .help = text, \
             __VA_ARGS__)
#define HELD(name, type, zero) \
    DV_FIELD_HELD(name, type, .init = zero, .help = "kept for old scenes: it never had an effect")

static const DvField fields[] = {
    IN(box, "box", dv_type_vec6s, "boxes: smallest corner, largest corner", .init = "0 0 0 1 1 1", .unit = "m"),
    WHEN_GIVEN(centers, "centers", dv_type_vec3s, "centres of spheres; given, boxes do not count", .unit = "m"),
    IN(radii, "radii", dv_type_doubles, "of the spheres: one for each, or one for all", .unit = "m",
       .range = &dv_range_not_negative),
    HELD("direction", dv_type_vec3d, "0 0 0"),
    HELD("normal", dv_type_vec3d, "0 0 0"),
    HELD("edgeAngle", dv_type_double, "0"),
    HELD("triAngle", dv_type_double, "0"),
    IN(position, "rest_position", dv_type_coords, "positions to select from (default: those of the state)",
       .unit = "m"),
    IN(elements[DV_EDGES], "edges", dv_type_edges, "edges to part (default: those of the mesh)"),
    IN(elements[DV_TRIANGLES], "triangles", dv_type_triangles, "triangles to part (default: those of the mesh)"),
    IN(elements[DV_QUADS], "quads", dv_type_quads, "quads to part"),
    IN(elements[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, "tetrahedra to part (default: those of the mesh)"),
    IN(elements[DV_HEXAHEDRA], "hexahedra", dv_type_hexahedra, "hexahedra to part"),
    WHEN_GIVEN(chosen, "tetrahedraInput", dv_type_uints, "tetrahedra inside, instead of those in a region"),
    IN(local, "localIndices", dv_type_bool, "elements name places in pointsInROI and pointsOutROI", .init = "0"),
    OUT(indices, "indices", dv_type_uints, "numbers of the points in pointsInROI"),
    OUT(element_indices[DV_EDGES], "edgeIndices", dv_type_uints, "edges inside"),
    OUT(element_indices[DV_TRIANGLES], "triangleIndices", dv_type_uints, "triangles inside"),
    OUT(element_indices[DV_QUADS], "quadIndices", dv_type_uints, "quads inside"),
    OUT(element_indices[DV_TETRAHEDRA], "tetrahedronIndices", dv_type_uints, "tetrahedra inside"),
    OUT(element_indices[DV_HEXAHEDRA], "hexahedronIndices", dv_type_uints, "hexahedra inside"),
    OUT(points_in, "pointsInROI", dv_type_coords, "positions of the points inside", .unit = "m"),
    OUT(points_out, "pointsOutROI", dv_type_coords, "positions of the points outside", .unit = "m"),
    OUT(elements_in[DV_EDGES], "edgesInROI", dv_type_edges, "points of the edges inside"),
    OUT(elements_out[DV_EDGES], "edgesOutROI", dv_type_edges, "points of the edges outside"),
    OUT(elements_in[DV_TRIANGLES], "trianglesInROI", dv_type_triangles, "points of the triangles inside"),
    OUT(elements_out[DV_TRIANGLES], "trianglesOutROI", dv_type_triangles, "points of the triangles outside"),
    OUT(elements_in[DV_QUADS], "quadsInROI", dv_type_quads, "points of the quads inside"),
    OUT(elements_out[DV_QUADS], "quadsOutROI", dv_type_quads, "points of the quads outside"),
    OUT(elements_in[DV_TETRAHEDRA], "tetrahedraInROI", dv_type_tetrahedra, "points of the tetrahedra inside"),
    OUT(elements_out[DV_TETRAHEDRA], "tetrahedraOutROI", dv_type_tetrahedra, "points of the tetrahedra outside"),
    OUT(elements_in[DV_HEXAHEDRA], "hexahedraInROI", dv_type_hexahedra, "points of the hexahedra inside"),
    OUT(elements_out[DV_HEXAHEDRA], "hexahedraOutROI", dv_type_hexahedra, "points of the hexahedra outside"),
    OUT(border_count, "nbrborder", dv_type_uint, "points that both lists begin with, or with tetrahedraInput share",
        .init = "0"),
    DRAW(draw_region, "drawROI"),
    DRAW(draw_points, "drawPoints"),
    DRAW(draw_edges, "drawEdges"),
    DRAW(draw_triangles, "drawTriangle"),
    DRAW(draw_tetrahedra, "drawTetrahedra"),
    DV_ENGINE_DRAW_SIZE(SubsetTopology, draw_size, "drawSize"),
    {0},
};

/* With local numbers elements name places in pointsInROI. */
static void draw_selected(SubsetTopology *self, DvDraw *draw)
{
    static const double red[1][4] = {{1.0, 0.4, 0.4, 1.0}};
    const struct {
        DvElementKind kind;
        DvData *shown;
    } kinds[] = {
        {DV_EDGES, &self->draw_edges}, {DV_TRIANGLES, &self->draw_triangles}, {DV_TETRAHEDRA, &self->draw_tetrahedra}};
    const DvElementStyle style = {.colors = red, .color_count = 1, .pixels = dv_data_double(&self->draw_size)};
    const bool local = dv_data_bool(&self->local);
    size_t points, selected;
    for (int pass = 0; pass < 2; pass++) { /* points by their numbers, then elements */
        const double *at = dv_data_doubles(pass && local ? &self->points_in : &self->position, &points);
        const DvConstVec x = {.at = at, .count = (uint32_t)points, .dim = self->engine.dof->coord};
        double *space = dv_points_in_space(x, self->engine.dof->spatial);
        const uint32_t *indices = dv_data_uints(&self->indices, &selected);
        if (!pass && dv_data_bool(&self->draw_points))
            dv_draw_elements(draw, DV_POINTS, (DvElements){.at = indices, .count = (uint32_t)selected}, space,
                             (uint32_t)points, &style);
        for (size_t k = 0; pass && k < sizeof kinds / sizeof *kinds; k++) {
            const uint32_t *elements = dv_data_uints(&self->elements_in[kinds[k].kind], &selected);
            if (dv_data_bool(kinds[k].shown))
                dv_draw_elements(draw, kinds[k].kind, (DvElements){.at = elements, .count = (uint32_t)selected}, space,
                                 (uint32_t)points, &style);
        }
        dv_free(space);
    }
}

static void draw(void *self_, DvDraw *draw)
{
    static const double color[4] = {1.0, 0.4, 0.4, 1.0};
    SubsetTopology *self = self_;
    if (!self->engine.ready || !dv_draw_shows(draw, DV_DISPLAY_BEHAVIOR_MODELS))
        return;
    const Region region = read_region(self);
    if (dv_data_bool(&self->draw_region) && region.box)
        dv_draw_boxes(draw, region.box, (uint32_t)region.volumes, dv_data_double(&self->draw_size), color);
    draw_selected(self, draw);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_subset_topology = {
    .size = sizeof(DvClass),
    .name = "SubsetTopology",
    .variants = "Vec3d Rigid3d",
    .default_variant = "Vec3d",
    DV_ENGINE_CLASS("DataEngine"),
    .module = "Sofa.Component.Engine.Select",
    .help = "Parts a mesh in what lies in a region and the rest.",
    .instance_size = sizeof(SubsetTopology),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .construct = dv_engine_construct,
    .init = init,
    .reinit = dv_engine_run,
    .update = update,
    .bounding_box = bounding_box,
};
