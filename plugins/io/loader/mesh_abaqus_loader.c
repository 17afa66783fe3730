/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshAbaqusLoader: meshes of Abaqus input files; abaqus_reader.c says which. MeshGroup takes their sets by name.
 */
#include "readers.h"
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_loader.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {
        .flip_normals = dv_data_bool(&loader->flip_normals), .open = dv_mesh_file_open_beside, .context = loader->path};
    return mesh_read_abaqus(bytes, size, &options, &loader->mesh, report);
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

const DvClass dv_mesh_abaqus_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshAbaqusLoader",
    .help = "Loads a mesh from an Abaqus input file.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
