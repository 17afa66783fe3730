/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSubsetEngine: a mesh of some of the points of another, in the order of a list, and of the elements between them.
 */
#include "mesh_inputs.h"

typedef struct MeshSubsetEngine {
    DvEngine engine;
    DvData position, elements[DV_ELEMENT_KINDS], indices;
    DvData position_out, elements_out[DV_ELEMENT_KINDS];
} MeshSubsetEngine;

static void take_elements(MeshSubsetEngine *self, DvElementKind kind, const uint32_t *place, size_t points)
{
    size_t count;
    const uint32_t *element = dv_data_uints(&self->elements[kind], &count), nodes = dv_element_nodes(kind);
    DvIndexArray taken = {0};
    for (size_t i = 0; i < count; i++, element += nodes) {
        bool all = true;
        for (uint32_t j = 0; j < nodes && all; j++)
            all = element[j] < points && place[element[j]] != UINT32_MAX;
        for (uint32_t j = 0; j < nodes && all; j++)
            dv_array_push(&taken, place[element[j]]);
    }
    dv_data_set(&self->elements_out[kind], taken.data, taken.count / nodes);
    dv_array_free(&taken);
}

static DvStatus update(DvObject *object, void *self_)
{
    MeshSubsetEngine *self = self_;
    (void)object;
    size_t points, count;
    const double *position = dv_data_doubles(&self->position, &points);
    const uint32_t *index = dv_data_uints(&self->indices, &count);
    for (size_t i = 0; i < count; i++)
        if (index[i] >= points)
            return dv_engine_starting(&self->engine)
                       ? dv_field_error(&self->indices, (int64_t)i, "point %" PRIu32 " of %zu positions", index[i],
                                        points)
                       : DV_OK;
    DvStatus status = DV_OK;
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA && dv_engine_starting(&self->engine); kind++) {
        DvElements elements;
        status = mesh_first(status, mesh_input(&self->elements[kind], kind, points, &elements));
    }
    uint32_t *place = dv_alloc(points, sizeof *place);
    if (points)
        memset(place, 0xff, points * sizeof *place);
    double *out = dv_data_begin_all(&self->position_out, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(out + 3 * i, position + 3 * (size_t)index[i], 3 * sizeof *out);
        place[index[i]] = (uint32_t)i;
    }
    dv_data_end(&self->position_out);
    for (DvElementKind kind = DV_EDGES; kind <= DV_HEXAHEDRA; kind++)
        take_elements(self, kind, place, points);
    dv_free(place);
    return status;
}

#define IN(member, ...)  DV_ENGINE_INPUT(MeshSubsetEngine, member, __VA_ARGS__)
#define OUT(member, ...) DV_ENGINE_OUTPUT(MeshSubsetEngine, member, __VA_ARGS__)
static const DvField fields[] = {
    IN(position, "inputPosition", dv_type_vec3s, "points of the mesh", .unit = "m"),
    IN(elements[DV_EDGES], "inputEdges", dv_type_edges, "its edges"),
    IN(elements[DV_TRIANGLES], "inputTriangles", dv_type_triangles, "its triangles"),
    IN(elements[DV_QUADS], "inputQuads", dv_type_quads, "its quads"),
    IN(elements[DV_TETRAHEDRA], "inputTetrahedra", dv_type_tetrahedra, "its tetrahedra"),
    IN(elements[DV_HEXAHEDRA], "inputHexahedra", dv_type_hexahedra, "its hexahedra"),
    IN(indices, "indices", dv_type_uints, "points wanted"),
    OUT(position_out, "position", dv_type_vec3s, "these points", .unit = "m"),
    OUT(elements_out[DV_EDGES], "edges", dv_type_edges, "edges between them"),
    OUT(elements_out[DV_TRIANGLES], "triangles", dv_type_triangles, "triangles between them"),
    OUT(elements_out[DV_QUADS], "quads", dv_type_quads, "quads between them"),
    OUT(elements_out[DV_TETRAHEDRA], "tetrahedra", dv_type_tetrahedra, "tetrahedra between them"),
    OUT(elements_out[DV_HEXAHEDRA], "hexahedra", dv_type_hexahedra, "hexahedra between them"),
    {0},
};

const DvClass dv_mesh_subset_engine = {
    .size = sizeof(DvClass),
    .name = "MeshSubsetEngine",
    .variants = "Vec3d",
    .default_variant = "Vec3d",
    .module = "Sofa.Component.Engine.Select",
    .help = "Makes a mesh of some points of another.",
    .instance_size = sizeof(MeshSubsetEngine),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    DV_ENGINE_LIFE,
    .update = update,
};
