/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshSTLLoader: triangles of an STL file, text or bytes; stl_reader.c. Normals of facets stand first in `normals`, and those of points are
 * summed on top of them, as old scenes have it.
 */
#include "readers.h"
#include <divan/kit/mesh_loader.h>

typedef struct StlLoader {
    DvMeshLoader base;
    DvData head, binary;
} StlLoader;

static bool read(DvMeshLoader *base, const char *bytes, size_t size, DvMeshReport *report)
{
    StlLoader *loader = (StlLoader *)base;
    const StlOptions options = {.flip = dv_data_bool(&base->flip_normals),
                                .binary = dv_data_bool(&loader->binary),
                                .head = dv_data_uint(&loader->head)};
    return mesh_read_stl(bytes, size, &options, &base->mesh, report);
}

static DvStatus construct(DvObject *object, void *self)
{
    StlLoader *loader = self;
    loader->base.read = read;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(StlLoader, base.),
    DV_FIELD(StlLoader, head, "headerSize", dv_type_uint, .init = "80", .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED,
             .help = "bytes before the number of facets of a binary file"),
    DV_FIELD(StlLoader, binary, "forceBinary", dv_type_bool, .init = "0",
             .flags = DV_FIELD_AT_LOAD | DV_FIELD_NOT_LINKED,
             .help = "the file is binary, though it starts with 'solid'"),
    DV_FIELD_HELD("mergePositionUsingMap", dv_type_bool, .init = "1",
                  .help = "kept for old scenes: chose between two ways to the same points"),
    {0},
};

const DvClass dv_mesh_stl_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshSTLLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads triangles from an STL file.",
    .instance_size = sizeof(StlLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
