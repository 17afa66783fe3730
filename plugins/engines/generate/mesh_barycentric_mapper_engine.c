/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshBarycentricMapperEngine: for each point the element of a mesh that it hangs on, its local coordinates there, and the points and
 * weights of which it is the mean. The element is chosen as BarycentricMapping does in a mesh that does not change
 * (divan/kit/barycentric_location.h): among tetrahedra and hexahedra, else triangles and quads, else edges. Elements are numbered through
 * both lists.
 */
#include "data_engine.h"
#include <divan/kit/barycentric_location.h>
#include <divan/kit/mesh_types.h>

#include "mesh_inputs.h"

typedef struct MapperEngine {
    DvEngine engine;
    DvData positions, points, coordinates, elements, wants_weights, indices, weights;
    DvLink link;
    DvTopologyRef topology;
} MapperEngine;

static void add_list(const MapperEngine *self, DvElementKind kind, DvLocationMesh *mesh)
{
    const DvElements elements = dv_topology_elements(&self->topology, kind);
    if (elements.count)
        mesh->lists[mesh->list_count++] = (DvLocationList){kind, elements};
}

static DvLocationMesh choose_lists(const MapperEngine *self, const double *positions, size_t count)
{
    DvLocationMesh mesh = {.points = positions, .point_count = (uint32_t)count};
    add_list(self, DV_TETRAHEDRA, &mesh);
    add_list(self, DV_HEXAHEDRA, &mesh);
    if (mesh.list_count == 0) {
        add_list(self, DV_TRIANGLES, &mesh);
        add_list(self, DV_QUADS, &mesh);
    }
    if (mesh.list_count == 0)
        add_list(self, DV_EDGES, &mesh);
    return mesh;
}

static void write_weights(MapperEngine *self, const DvLocationMesh *mesh, const DvLocation *found, size_t count)
{
    DvIntArray indices = {0};
    DvRealArray weights = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t node[8], nodes = 0;
        double weight[8];
        if (found[i].element != DV_NO_ELEMENT)
            nodes = dv_location_weights(mesh, found[i], false, node, weight);
        dv_array_push(&indices, (int32_t)nodes);
        dv_array_push(&weights, nodes);
        for (uint32_t k = 0; k < nodes; k++)
            dv_array_push(&indices, (int32_t)node[k]);
        dv_array_append(&weights, weight, nodes);
    }
    dv_data_set(&self->indices, indices.data, indices.count);
    dv_data_set(&self->weights, weights.data, weights.count);
    dv_array_free(&indices);
    dv_array_free(&weights);
}

static void write_outputs(MapperEngine *self, const DvLocationMesh *mesh, const DvLocation *found, size_t count)
{
    const DvElementKind kind = mesh->list_count ? mesh->lists[0].kind : DV_EDGES;
    const bool volume = kind == DV_TETRAHEDRA || kind == DV_HEXAHEDRA;
    double *at = dv_data_begin_all(&self->coordinates, count);
    uint32_t *element = dv_data_begin_all(&self->elements, count);
    for (size_t i = 0; i < count; i++) {
        element[i] = found[i].element;
        dv_vec3_store(dv_vec3(found[i].at.x, kind == DV_EDGES ? 0.0 : found[i].at.y, volume ? found[i].at.z : 0.0),
                      at + 3 * i);
    }
    dv_data_end(&self->coordinates);
    dv_data_end(&self->elements);
    write_weights(self, mesh, found, dv_data_bool(&self->wants_weights) ? count : 0);
}

static DvStatus update(DvObject *object, void *self_)
{
    MapperEngine *self = self_;
    if (!dv_engine_runs(object, &self->engine))
        return DV_OK;
    size_t count, points;
    const double *positions = dv_data_doubles(&self->positions, &count), *at = dv_data_doubles(&self->points, &points);
    const DvLocationMesh mesh = choose_lists(self, positions, count);
    const DvLocationPoints wanted = {.at = at, .count = (uint32_t)points, .dim = 3};
    DvLocation *found = dv_alloc(points, sizeof *found);
    if (mesh.list_count && mesh.lists[0].kind == DV_EDGES)
        dv_locate_on_nearest_edge(&mesh, wanted, found);
    else if (mesh.list_count)
        dv_locate_in_all(&mesh, wanted, found);
    bool all = mesh.list_count > 0;
    for (size_t i = 0; i < points && all; i++)
        all = found[i].element != DV_NO_ELEMENT;
    write_outputs(self, &mesh, found, all ? points : 0);
    dv_free(found);
    if (all || points == 0 || !dv_engine_starting(&self->engine))
        return DV_OK;
    return dv_field_error(&self->positions, -1,
                          "none of the elements of '%s' has its points among the %zu positions, and an extent",
                          dv_object_path(self->topology.object), count);
}

static DvStatus init(DvObject *object, void *self_)
{
    MapperEngine *self = self_;
    DvData *const outputs[] = {&self->coordinates, &self->elements, &self->indices, &self->weights};
    DvStatus status =
        dv_topology_require(object, &self->link, "a mesh, whose elements the points hang on", &self->topology);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && status == DV_OK; i++)
        status = mesh_depend(outputs[i], &self->topology);
    self->engine.ready = status == DV_OK;
    return status;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    dv_topology_release(&((MapperEngine *)self_)->topology);
}

static const DvField fields[] = {
    DV_ENGINE_INPUT(MapperEngine, positions, "inputPositions", dv_type_vec3s, "points of the mesh", .unit = "m"),
    DV_ENGINE_INPUT(MapperEngine, points, "mappedPointPositions", dv_type_vec3s, "points that hang on it", .unit = "m"),
    DV_ENGINE_OUTPUT(MapperEngine, coordinates, "barycentricPositions", dv_type_vec3s,
                     "local coordinates of each point in its element"),
    DV_ENGINE_OUTPUT(MapperEngine, elements, "tableElements", dv_type_uints, "element of each point"),
    DV_ENGINE_INPUT(MapperEngine, wants_weights, "computeLinearInterpolation", dv_type_bool,
                    "give points and weights too", .init = "0"),
    DV_ENGINE_OUTPUT(MapperEngine, indices, "linearInterpolationIndices", dv_mesh_type_index_lists,
                     "points of the mesh that each point is a mean of"),
    DV_ENGINE_OUTPUT(MapperEngine, weights, "linearInterpolationValues", dv_mesh_type_real_lists, "their weights"),
    DV_LINK(MapperEngine, link, "topology", DV_TOPOLOGY,
            .help = "mesh that has the elements (default: that of the node)"),
    {0},
};

const DvClass dv_mesh_barycentric_mapper_engine = {
    DATA_ENGINE_CLASS(init, update, cleanup),
    .name = "MeshBarycentricMapperEngine",
    .variants = "Vec3d",
    .module = "Sofa.Component.Engine.Generate",
    .help = "Finds the elements that points hang on.",
    .instance_size = sizeof(MapperEngine),
    .fields = fields,
};
