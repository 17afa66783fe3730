/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshOBJLoader: Wavefront OBJ meshes with materials; mesh/obj_reader.c says how faces become elements. Material
 * libraries are looked for in the folder of the mesh.
 *
 * With computeMaterialFaces, a field "faces_<material>" for each material lists the numbers of its faces.
 */
#include <divan/kit/mesh_loader.h>

#include <divan/kit/mesh_file.h>
#include <stdio.h>

typedef struct ObjLoader {
    DvMeshLoader base;
    DvData handle_seams, load_material, compute_material_faces;
    DvData default_material, materials;
    DvData face_list, texcoords_index, normals_index;
    DvData positions_definition, texcoords_definition, normals_definition, texcoords;
    DvData position_of_vertex, normal_of_vertex;
} ObjLoader;

static bool read(DvMeshLoader *base, const char *bytes, size_t size, DvMeshReport *report)
{
    ObjLoader *loader = (ObjLoader *)base;
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&base->flip_normals),
                                   .triangulate = dv_data_bool(&base->triangulate),
                                   .handle_seams = dv_data_bool(&loader->handle_seams),
                                   .load_material = dv_data_bool(&loader->load_material),
                                   .open = dv_mesh_file_open_beside,
                                   .context = base->path};
    return dv_mesh_read_obj(bytes, size, &options, &base->mesh, report);
}

static DvMaterialValue material_value(const DvFileMaterial *material)
{
    DvMaterialValue value = {.shininess = material->shininess,
                             .use = {material->use_diffuse, material->use_ambient, material->use_specular,
                                     material->use_emissive, material->use_shininess}};
    memcpy(value.diffuse, material->diffuse, sizeof value.diffuse);
    memcpy(value.ambient, material->ambient, sizeof value.ambient);
    memcpy(value.specular, material->specular, sizeof value.specular);
    memcpy(value.emissive, material->emissive, sizeof value.emissive);
    dv_mesh_set_name(value.name, sizeof value.name, material->name);
    dv_mesh_set_name(value.texture, sizeof value.texture, material->texture);
    dv_mesh_set_name(value.bump, sizeof value.bump, material->bump);
    return value;
}

static void publish(DvMeshLoader *base, const DvMesh *mesh)
{
    ObjLoader *loader = (ObjLoader *)base;
    dv_mesh_loader_set_lists(&loader->face_list, &mesh->face_position);
    dv_mesh_loader_set_lists(&loader->texcoords_index, &mesh->face_texcoord);
    dv_mesh_loader_set_lists(&loader->normals_index, &mesh->face_normal);
    dv_data_set(&loader->positions_definition, mesh->position_definition.data, mesh->position_definition.count);
    dv_data_set(&loader->texcoords_definition, mesh->texcoord_definition.data, mesh->texcoord_definition.count);
    dv_data_set(&loader->normals_definition, mesh->normal_definition.data, mesh->normal_definition.count);
    if (dv_data_bool(&loader->handle_seams) && mesh->texcoord_definition.count == 0) {
        DvPoint2 *zeros = dv_data_begin_all(&loader->texcoords, mesh->position.count); /* as in the reference */
        for (uint32_t i = 0; i < mesh->position.count; i++)
            zeros[i] = (DvPoint2){{0, 0}};
        dv_data_end(&loader->texcoords);
    } else {
        dv_data_set(&loader->texcoords, mesh->texcoord.data, mesh->texcoord.count);
    }
    dv_data_set(&loader->position_of_vertex, mesh->position_of_vertex.data, mesh->position_of_vertex.count);
    dv_data_set(&loader->normal_of_vertex, mesh->normal_of_vertex.data, mesh->normal_of_vertex.count);
    DvMaterialValue *value = dv_data_begin_all(&loader->materials, mesh->material.count);
    for (uint32_t i = 0; i < mesh->material.count; i++)
        value[i] = material_value(&mesh->material.data[i]);
    dv_data_end(&loader->materials);
}

/* The numbers of the faces of each material, as further fields. */
static void add_material_faces(ObjLoader *loader)
{
    const DvMesh *mesh = &loader->base.mesh;
    for (uint32_t material = 0; material < mesh->material.count; material++) {
        char name[160];
        snprintf(name, sizeof name, "faces_%.140s", mesh->material.data[material].name);
        if (dv_object_field(loader->base.object, name))
            continue;
        const DvField field = {.name = name,
                               .type = &dv_type_uints,
                               .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
                               .help = "faces of a material"};
        DvData *data = dv_object_add_field(loader->base.object, &field);
        DvIndexArray faces = {0};
        for (uint32_t face = 0; face < mesh->face_material.count; face++)
            if (mesh->face_material.data[face] == (int32_t)material)
                dv_array_push(&faces, face);
        if (data)
            dv_data_set(data, faces.data, faces.count);
        dv_array_free(&faces);
    }
}

static DvStatus construct(DvObject *object, void *self)
{
    ObjLoader *loader = self;
    loader->base.read = read;
    loader->base.publish = publish;
    loader->base.texcoords = &loader->texcoords;
    loader->base.position_of_vertex = &loader->position_of_vertex;
    loader->base.normal_of_vertex = &loader->normal_of_vertex;
    return dv_mesh_loader_construct(object, self);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    ObjLoader *loader = self;
    const DvStatus status = dv_mesh_loader_parse(object, self, attributes);
    const DvMesh *mesh = &loader->base.mesh;
    if (status != DV_OK)
        return status;
    if (mesh->first_material) {
        const DvMaterialValue value = material_value(&mesh->material.data[mesh->first_material - 1]);
        dv_data_set(&loader->default_material, &value, 1);
    }
    if (dv_data_bool(&loader->compute_material_faces))
        add_material_faces(loader);
    return DV_OK;
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(ObjLoader, base.),
    DV_FIELD(ObjLoader, handle_seams, "handleSeams", dv_type_bool, .init = "0",
             .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,
             .help = "split points where texture coordinates or normals differ"),
    DV_FIELD(ObjLoader, load_material, "loadMaterial", dv_type_bool, .init = "1",
             .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD,
             .help = "read the material libraries that the file names"),
    DV_FIELD(ObjLoader, default_material, "defaultMaterial", dv_mesh_type_material,
             .init = "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 Emissive 0 0 0 0 0 "
                     "Shininess 0 45",
             .help = "material of the whole, the first that the file uses",
             .aliases = (const char *const[]){"material", NULL}),
    DV_LOADER_OUT(ObjLoader, materials, "materials", dv_mesh_type_materials, "materials of the libraries"),
    DV_LOADER_OUT(ObjLoader, face_list, "faceList", dv_mesh_type_index_lists, "positions of each face"),
    DV_LOADER_OUT(ObjLoader, texcoords_index, "texcoordsIndex", dv_mesh_type_index_lists,
                  "texture coordinates of each face, -1: none"),
    DV_LOADER_OUT(ObjLoader, positions_definition, "positionsDefinition", dv_type_vec3s,
                  "positions as the file lists them"),
    DV_LOADER_OUT(ObjLoader, texcoords_definition, "texcoordsDefinition", dv_type_vec2s,
                  "texture coordinates as the file lists them"),
    DV_LOADER_OUT(ObjLoader, normals_index, "normalsIndex", dv_mesh_type_index_lists, "normals of each face, -1: none"),
    DV_LOADER_OUT(ObjLoader, normals_definition, "normalsDefinition", dv_type_vec3s, "normals as the file lists them"),
    DV_LOADER_OUT(ObjLoader, texcoords, "texcoords", dv_type_vec2s, "a texture coordinate for each point"),
    DV_FIELD(ObjLoader, compute_material_faces, "computeMaterialFaces", dv_type_bool, .init = "0",
             .flags = DV_FIELD_NOT_LINKED | DV_FIELD_AT_LOAD, .help = "add a field with the faces of each material"),
    DV_LOADER_OUT(ObjLoader, position_of_vertex, "vertPosIdx", dv_type_ints,
                  "with handleSeams: position of each point"),
    DV_LOADER_OUT(ObjLoader, normal_of_vertex, "vertNormIdx", dv_type_ints,
                  "with handleSeams: number of each point's normal, when points share some"),
    {0},
};

const DvClass dv_mesh_obj_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshOBJLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads a mesh from a Wavefront OBJ file.",
    .instance_size = sizeof(ObjLoader),
    .fields = fields,
    .construct = construct,
    .parse = parse,
};
