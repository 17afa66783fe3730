/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshXspLoader: masses and springs of an Xsp file as points and edges; xsp_reader.c.
 */
#include "readers.h"
#include <divan/kit/mesh_file.h>
#include <divan/kit/mesh_loader.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    return mesh_read_xsp(bytes, size, &loader->mesh, report);
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

const DvClass dv_mesh_xsp_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshXspLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads points and edges from an Xsp file of masses and springs.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .construct = construct,
    .parse = dv_mesh_loader_parse,
};
