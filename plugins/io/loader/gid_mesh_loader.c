/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GIDMeshLoader: meshes of GiD; gid_reader.c says which.
 */
#include "readers.h"
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_loader.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    return mesh_read_gid(bytes, size, &options, &loader->mesh, report);
}

static DvStatus construct(DvObject *object, void *self)
{
    DvMeshLoader *loader = self;
    loader->read = read;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(DvMeshLoader, ),
    {0},
};

const DvClass dv_gid_mesh_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "GIDMeshLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads a mesh from a GiD file.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
