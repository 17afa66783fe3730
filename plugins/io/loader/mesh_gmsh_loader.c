/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshGmshLoader: meshes of Gmsh (.msh); kit/src/gmsh_reader.c says which. Faces and edges that the file does not list
 * are added unless the scene says createSubelements="0". flipNormals acts on what `triangulate` cuts, not while
 * reading.
 */
#include <divan/kit/mesh_loader.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    return dv_mesh_read_gmsh(bytes, size, &loader->mesh, report);
}

static DvStatus construct(DvObject *object, void *self)
{
    DvMeshLoader *loader = self;
    loader->read = read;
    return dv_mesh_loader_construct(object, self);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    DvMeshLoader *loader = self;
    if (!dv_data_is_set(&loader->create_subelements))
        dv_data_set_bool(&loader->create_subelements, true);
    return dv_mesh_loader_parse(object, self, attributes);
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(DvMeshLoader, ),
    {0},
};

const DvClass dv_mesh_gmsh_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshGmshLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads a mesh from a Gmsh file.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .construct = construct,
    .parse = parse,
};
