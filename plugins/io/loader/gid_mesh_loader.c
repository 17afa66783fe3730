/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GIDMeshLoader: meshes of GiD; gid_reader.c says which.
 */
#include "plain_loader.h"
#include "readers.h"

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    return mesh_read_gid(bytes, size, &options, &loader->mesh, report);
}

PLAIN_LOADER(dv_gid_mesh_loader, read, .name = "GIDMeshLoader", .module = "Sofa.Component.IO.Mesh",
             .help = "Loads a mesh from a GiD file.");
