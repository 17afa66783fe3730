/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshTrianLoader: triangles of a trian file of either kind, with their neighbours and border; trian_reader.c.
 */
#include "readers.h"
#include <divan/kit/mesh_loader.h>

typedef struct TrianLoader {
    DvMeshLoader base;
    DvData second, neighbors, border_edges, border_triangles;
} TrianLoader;

static bool read(DvMeshLoader *base, const char *bytes, size_t size, DvMeshReport *report)
{
    TrianLoader *loader = (TrianLoader *)base;
    TrianBorder border = {.neighbor = {0}};
    const bool good = mesh_read_trian(bytes, size, dv_data_bool(&loader->second), dv_data_bool(&base->flip_normals),
                                      &base->mesh, &border, report);
    dv_data_set(&loader->neighbors, border.neighbor.data, border.neighbor.count / 3);
    dv_mesh_loader_set_lists(&loader->border_edges, &border.edge);
    dv_data_set(&loader->border_triangles, border.triangle.data, border.triangle.count);
    trian_border_free(&border);
    return good;
}

static DvStatus construct(DvObject *object, void *self)
{
    TrianLoader *loader = self;
    loader->base.read = read;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(TrianLoader, base.),
    DV_FIELD(TrianLoader, second, "trian2", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED,
             .help = "the file is of the second kind: a head of 13 lines, normals, no neighbours"),
    DV_LOADER_OUT(TrianLoader, neighbors, "neighborTable", dv_type_vec3is,
                  "of each triangle those across its edges, opposite to its corners; -1: none"),
    DV_LOADER_OUT(TrianLoader, border_edges, "edgesOnBorder", dv_mesh_type_index_lists,
                  "ends of the edges without a neighbour"),
    DV_LOADER_OUT(TrianLoader, border_triangles, "trianglesOnBorderList", dv_type_uints, "triangles with such an edge"),
    {0},
};

const DvClass dv_mesh_trian_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshTrianLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads triangles, their neighbours and their border from a trian file.",
    .instance_size = sizeof(TrianLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
