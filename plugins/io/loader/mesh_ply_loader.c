/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshPLYLoader: meshes of a PLY file, text or bytes; ply_reader.c says which. Texture coordinates of points become a field.
 */
#include "readers.h"
#include <divan/kit/mesh_loader.h>

typedef struct PlyLoader {
    DvMeshLoader base;
    DvData texcoords;
} PlyLoader;

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    return mesh_read_ply(bytes, size, &options, &loader->mesh, report);
}

static void publish(DvMeshLoader *base, const DvMesh *mesh)
{
    PlyLoader *loader = (PlyLoader *)base;
    dv_data_set(&loader->texcoords, mesh->texcoord.data, mesh->texcoord.count);
}

static DvStatus construct(DvObject *object, void *self)
{
    PlyLoader *loader = self;
    loader->base.read = read;
    loader->base.publish = publish;
    loader->base.texcoords = &loader->texcoords;
    return dv_mesh_loader_construct(object, self);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(PlyLoader, base.),
    DV_LOADER_OUT(PlyLoader, texcoords, "texcoords", dv_type_vec2s, "a texture coordinate for each point"),
    {0},
};

const DvClass dv_mesh_ply_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshPLYLoader",
    .help = "Loads a mesh from a PLY file.",
    .instance_size = sizeof(PlyLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
