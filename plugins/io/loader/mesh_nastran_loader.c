/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshNastranLoader: meshes of Nastran bulk data; nastran_reader.c says which. MeshGroup takes properties and sets.
 */
#include "plain_loader.h"
#include "readers.h"
#include <divan/kit/mesh_file.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {
        .flip_normals = dv_data_bool(&loader->flip_normals), .open = dv_mesh_file_open_beside, .context = loader->path};
    return mesh_read_nastran(bytes, size, &options, &loader->mesh, report);
}

PLAIN_LOADER(dv_mesh_nastran_loader, read, .name = "MeshNastranLoader",
             .help = "Loads a mesh from a Nastran bulk data file.");
