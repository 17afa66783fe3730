/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimpleTesselatedTetraTopologicalMapping: eight tetrahedra for each tetrahedron. The output has the points of the input, then the
 * middle of each edge. Four of the eight stand in the corners, four around the inner diagonal from the middle of edge (0, 2) to that
 * of (1, 3).
 *
 * Tetrahedra that come or go in the input do so in the output. One of the input goes when the last of its eight has been removed from
 * the output.
 */
#include "own_points.h"
#include <divan/kit/mesh_types.h>

typedef struct SimpleTesselatedTetra {
    OwnPoints points;
    DvData tetrahedra_of, tetrahedron_source, point_of_point, point_of_edge, point_source; /* computed */
} SimpleTesselatedTetra;

enum { PIECES = 8 };

static void weigh(const OwnPoints *mapping, DvElementKind kind, uint32_t entry, double *weights, double offset[3])
{
    (void)mapping, (void)entry, (void)offset;
    weights[0] = kind == DV_EDGES ? 0.5 : 1.0;
    weights[1] = 0.5;
}

static void push(OwnPoints *mapping, uint32_t index, DvIndexArray *to)
{
    /* 0 to 3: corners; 4 to 9: middles of the edges, as the topology numbers them */
    static const uint8_t pieces[PIECES][4] = {{0, 4, 5, 6}, {1, 4, 8, 7}, {2, 5, 7, 9}, {3, 6, 9, 8},
                                              {5, 4, 7, 9}, {5, 4, 9, 6}, {8, 4, 9, 7}, {8, 4, 6, 9}};
    Topology *from = mapping->base.from;
    const uint32_t *corners = topology_elements(from, DV_TETRAHEDRA).at + 4 * (size_t)index;
    uint32_t per_element, points[10];
    const uint32_t *edges = topology_parts(from, DV_TETRAHEDRA, DV_EDGES, &per_element) + 6 * (size_t)index;
    for (uint32_t i = 0; i < 4; i++)
        points[i] = own_points_image(mapping, DV_POINTS, corners[i], 0);
    for (uint32_t i = 0; i < 6; i++)
        points[4 + i] = own_points_image(mapping, DV_EDGES, edges[i], 0);
    for (int piece = 0; piece < PIECES; piece++) {
        topological_mapping_join(&mapping->base, index);
        for (int i = 0; i < 4; i++)
            dv_array_push(to, points[pieces[piece][i]]);
    }
}

static const OwnPointsRule rule = {.weigh = weigh, .push = push};

static uint32_t parents(TopologicalMapping *base, uint32_t point, uint32_t found[8])
{
    double weights[8], offset[3];
    return own_points_ops.point(base, point, found, weights, offset);
}

/* ---- Maps for scenes ---- */

static void write_images(OwnPoints *mapping, DvElementKind kind, DvData *field)
{
    dv_data_set(field, mapping->image[kind].data, mapping->image[kind].count);
}

static void write_point_sources(SimpleTesselatedTetra *self)
{
    const uint32_t points = self->points.base.to->points;
    int32_t *at = dv_data_begin_all(&self->point_source, points);
    for (uint32_t point = 0; point < points; point++) {
        DvElementKind kind;
        uint32_t element, entry;
        if (!own_points_source(&self->points, point, &kind, &element, &entry))
            at[point] = 0;
        else
            at[point] = kind == DV_POINTS ? (int32_t)element + 1 : -(int32_t)element - 1;
    }
    dv_data_end(&self->point_source);
}

static DvStatus update(DvObject *object, void *self_)
{
    SimpleTesselatedTetra *self = self_;
    TopologicalMapping *base = &self->points.base;
    if (!base->to || !dv_object_is_valid(object))
        return DV_OK;
    topological_mapping_update(base);
    write_point_sources(self);
    write_images(&self->points, DV_POINTS, &self->point_of_point);
    write_images(&self->points, DV_EDGES, &self->point_of_edge);
    dv_data_set(&self->tetrahedra_of, base->image.data, base->image.count / PIECES);
    dv_data_set(&self->tetrahedron_source, base->source.data, base->source.count);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    OwnPoints *points = self_;
    TopologicalMapping *base = self_;
    points->rule = &rule;
    points->entries[DV_POINTS] = points->entries[DV_EDGES] = 1;
    points->upward = true;
    base->source_kind = base->image_kind = DV_TETRAHEDRA;
    base->images = PIECES;
    base->parents = parents;
    DvStatus status = topological_mapping_find(base);
    if (status == DV_OK)
        status = topological_mapping_needs_list(base, "tetrahedra");
    if (status == DV_OK && !base->from->list[DV_TETRAHEDRA].field)
        status =
            dv_error(object, DV_ERROR_INVALID, "input: '%s' holds no tetrahedra", dv_object_path(base->from->object));
    if (status == DV_OK && base->to->dynamic && base->to->own != DV_TETRAHEDRA)
        status = dv_error(object, DV_ERROR_INVALID, "output: '%s' is no container of tetrahedra",
                          dv_object_path(base->to->object));
    return status == DV_OK ? own_points_start(points) : status;
}

#define OUT(member, name, type, text) \
    DV_FIELD(SimpleTesselatedTetra, member, name, type, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = text)

static const DvField fields[] = {
    OWN_POINTS_FIELDS(SimpleTesselatedTetra, points.),
    OUT(tetrahedra_of, "tetrahedraMappedFromTetra", dv_mesh_type_indices_8,
        "for each tetrahedron of the input, those of the output; 4294967295: removed"),
    OUT(tetrahedron_source, "tetraSource", dv_type_uints,
        "for each tetrahedron of the output, that of the input; 4294967295: none"),
    OUT(point_of_point, "pointMappedFromPoint", dv_type_uints,
        "for each point of the input, that of the output; 4294967295: removed"),
    OUT(point_of_edge, "pointMappedFromEdge", dv_type_uints,
        "for each edge of the input, the point in its middle; 4294967295: removed"),
    OUT(point_source, "pointSource", dv_type_ints,
        "for each point of the output: point i of the input as i + 1, edge i as -(i + 1); 0: neither"),
    {0},
};

const DvClass dv_simple_tesselated_tetra_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "SimpleTesselatedTetraTopologicalMapping",
    OWN_POINTS_CLASS,
    .module = "Sofa.Component.Mapping.Linear",
    .help = "Divides tetrahedra into eight each.",
    .instance_size = sizeof(SimpleTesselatedTetra),
    .fields = fields,
    .init = init,
    .update = update,
    .destroy = own_points_destroy,
};
