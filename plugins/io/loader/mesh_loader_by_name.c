/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshLoader: the loader of scenes of 2011, which takes any mesh file and goes by the end of its name
 * (mesh_files.h).
 */
#include "mesh_files.h"
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_loader.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals),
                                   .triangulate = dv_data_bool(&loader->triangulate),
                                   .open = dv_mesh_file_open_beside,
                                   .context = loader->path};
    return mesh_read_by_name(loader->path, bytes, size, &options, &loader->mesh, report);
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

const DvClass dv_mesh_loader = {
    .size = sizeof(DvClass),
    .name = "MeshLoader",
    .bases = (const char *const[]){"BaseLoader", NULL},
    .family = "loaders",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads a mesh from a file, by the end of its name.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .contracts = (const DvContract[]){DV_MESH_LOADER_CONTRACTS, {0}},
    .construct = construct,
    .parse = dv_mesh_loader_parse,
    .init = dv_mesh_loader_init,
    .update = dv_mesh_loader_update,
    .destroy = dv_mesh_loader_destroy,
};
