/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshOffLoader: surfaces of an OFF file; off_reader.c.
 */
#include "plain_loader.h"
#include "readers.h"

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    return mesh_read_off(bytes, size, &options, &loader->mesh, report);
}

PLAIN_LOADER(dv_mesh_off_loader, read, .name = "MeshOffLoader", .module = "Sofa.Component.IO.Mesh",
             .help = "Loads a mesh from an OFF file.");
