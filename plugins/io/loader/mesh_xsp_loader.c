/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshXspLoader: masses and springs of an Xsp file as points and edges; xsp_reader.c.
 */
#include "plain_loader.h"
#include "readers.h"

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    return mesh_read_xsp(bytes, size, &loader->mesh, report);
}

PLAIN_LOADER(dv_mesh_xsp_loader, read, .name = "MeshXspLoader", .module = "Sofa.Component.IO.Mesh",
             .help = "Loads points and edges from an Xsp file of masses and springs.");
