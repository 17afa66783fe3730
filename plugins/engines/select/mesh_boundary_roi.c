/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshBoundaryROI: the points on the border of a surface: those of edges that belong to one face. Only faces count all of whose points
 * are in `inputROI`, if it is given.
 */
#include "mesh_inputs.h"

#include <divan/contracts/state.h>
#include <divan/kit/ascending.h>
#include <divan/kit/region_group.h>

#include <stdlib.h>

typedef struct MeshBoundaryRoi {
    DvEngine engine;
    DvData faces[DV_ELEMENT_KINDS], region, indices;
    DvRegionGroup group;
} MeshBoundaryRoi;

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

typedef DV_ARRAY(uint64_t) EdgeArray;

/* Edges of the faces of a kind, the smaller point in the upper half. `within`: sorted points, or none. */
static void add_edges(MeshBoundaryRoi *self, DvElementKind kind, const uint32_t *within, uint32_t points,
                      EdgeArray *edges)
{
    size_t count;
    const uint32_t *face = dv_data_uints(&self->faces[kind], &count), nodes = dv_element_nodes(kind);
    bool *there = dv_alloc(count, sizeof *there);
    for (size_t i = 0; i < count; i++)
        there[i] = true;
    const DvElements faces = {.at = face, .count = (uint32_t)count};
    dv_region_group_keep_elements(&self->group, kind, faces, there);
    for (size_t i = 0; i < count; i++, face += nodes) {
        bool all = there[i];
        for (uint32_t j = 0; j < nodes && points && all; j++)
            all = dv_ascending_has(within, points, face[j]);
        for (uint32_t j = 0; j < nodes && all; j++) {
            const uint64_t a = face[j], b = face[(j + 1) % nodes];
            dv_array_push(edges, a < b ? a << 32 | b : b << 32 | a);
        }
    }
    dv_free(there);
}

/* How many points the numbers in a list speak of: those of the object that it comes from, or of its state; SIZE_MAX: that is not known. */
static size_t points_behind(const DvObject *object, DvData *list)
{
    const DvData *source = list;
    while (dv_data_parent(source))
        source = dv_data_parent(source);
    DvObject *owner = source != list ? source->owner : dv_node_context(dv_object_node(object), DV_TOPOLOGY);
    DvData *position = owner ? dv_object_field(owner, "position") : NULL;
    if (position)
        (void)dv_data_read(position);
    if ((position || !owner) && (!position || position->count == 0)) {
        DvObject *state = dv_node_context(dv_object_node(owner ? owner : object), DV_STATE);
        position = state ? dv_object_field(state, "position") : NULL;
    }
    return position && position->count ? position->count : SIZE_MAX;
}

/* Numbers that stand in the scene may be meant of another mesh. */
static DvStatus tell(DvData *list, size_t entry, uint32_t point, size_t points)
{
    if (dv_data_parent(list))
        return dv_field_error(list, (int64_t)entry, "point %" PRIu32 " of %zu positions", point, points);
    dv_field_warning(list, (int64_t)entry, "point %" PRIu32 ", but what is around has %zu positions", point, points);
    return DV_OK;
}

static DvStatus check(DvObject *object, MeshBoundaryRoi *self)
{
    static const DvElementKind kinds[] = {DV_TRIANGLES, DV_QUADS, DV_POINTS};
    DvStatus status = DV_OK;
    for (int k = 0; k < 3; k++) {
        DvData *list = kinds[k] == DV_POINTS ? &self->region : &self->faces[kinds[k]];
        const size_t points = points_behind(object, list), nodes = dv_element_nodes(kinds[k]);
        size_t count;
        const uint32_t *at = dv_data_uints(list, &count);
        for (size_t i = 0; i < count * nodes; i++)
            if (at[i] >= points) {
                status = mesh_first(status, tell(list, i / nodes, at[i], points));
                break;
            }
    }
    return status;
}

static DvStatus update(DvObject *object, void *self_)
{
    MeshBoundaryRoi *self = self_;
    const DvStatus status = dv_engine_starting(&self->engine) ? check(object, self) : DV_OK;
    if (status != DV_OK) {
        dv_data_set(&self->indices, NULL, 0);
        return status;
    }
    size_t given;
    const uint32_t *region = dv_data_uints(&self->region, &given);
    DvIndexArray within = {0}, border = {0};
    EdgeArray edges = {0};
    for (size_t i = 0; i < given; i++)
        dv_array_push(&within, region[i]);
    within.count = dv_ascending_sort(within.data, within.count);
    add_edges(self, DV_TRIANGLES, within.data, within.count, &edges);
    add_edges(self, DV_QUADS, within.data, within.count, &edges);
    if (edges.count)
        qsort(edges.data, edges.count, sizeof *edges.data, compare_edges);
    for (uint32_t i = 0; i < edges.count; i++) {
        const uint64_t edge = edges.data[i];
        if ((i > 0 && edges.data[i - 1] == edge) || (i + 1 < edges.count && edges.data[i + 1] == edge))
            continue;
        dv_array_push(&border, (uint32_t)(edge >> 32));
        dv_array_push(&border, (uint32_t)(edge & UINT32_MAX));
    }
    dv_data_set(&self->indices, border.data, dv_ascending_sort(border.data, border.count));
    dv_array_free(&within);
    dv_array_free(&border);
    dv_array_free(&edges);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    MeshBoundaryRoi *self = self_;
    DvStatus status = dv_engine_follow(object, &self->faces[DV_TRIANGLES], DV_TOPOLOGY, DV_SEARCH_UP, "triangles");
    if (status == DV_OK)
        status = dv_engine_follow(object, &self->faces[DV_QUADS], DV_TOPOLOGY, DV_SEARCH_UP, "quads");
    return status == DV_OK ? dv_region_group_find(object, &self->group) : status;
}

#define IN(member, ...) DV_ENGINE_INPUT(MeshBoundaryRoi, member, __VA_ARGS__)
static const DvField fields[] = {
    IN(faces[DV_TRIANGLES], "triangles", dv_type_triangles, "triangles of the surface (default: of the mesh)"),
    IN(faces[DV_QUADS], "quads", dv_type_quads, "quads of the surface (default: of the mesh)"),
    DV_FIELD(MeshBoundaryRoi, region, "inputROI", dv_type_uints, .flags = DV_FIELD_INPUT | DV_FIELD_EMPTY_IS_ALL,
             .help = "faces between these points alone (empty: all)"),
    DV_ENGINE_OUTPUT(MeshBoundaryRoi, indices, "indices", dv_type_uints, "points on the border, ascending"),
    DV_REGION_GROUP(MeshBoundaryRoi, group),
    {0},
};

const DvClass dv_mesh_boundary_roi = {
    .size = sizeof(DvClass),
    .name = "MeshBoundaryROI",
    .module = "Sofa.Component.Engine.Select",
    .help = "Selects the points on the border of a surface.",
    .instance_size = sizeof(MeshBoundaryRoi),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .init = init,
    .update = update,
};
