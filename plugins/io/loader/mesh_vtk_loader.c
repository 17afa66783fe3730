/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshVTKLoader: meshes of VTK, legacy (.vtk) and XML (.vtu, .vtp); mesh/vtk_reader.c and vtk_xml_reader.c say which.
 * Each named array of the file becomes a field of the loader with that name, so that other components can be linked to
 * it; a name that the loader has already gets "_1" behind it, blanks become underscores.
 */
#include "readers.h"
#include <divan/kit/mesh_loader.h>
#include <divan/types/matrix.h>

#include <stdio.h>

static bool read(DvMeshLoader *loader, const char *bytes, size_t size, DvMeshReport *report)
{
    const DvMeshOptions options = {.flip_normals = dv_data_bool(&loader->flip_normals)};
    return mesh_read_vtk(bytes, size, &options, &loader->mesh, report);
}

static const DvType *type_of(const DvMeshAttribute *attribute)
{
    switch (attribute->components) {
    case 1:
        return attribute->integral ? &dv_type_ints : &dv_type_doubles;
    case 2:
        return attribute->integral ? &dv_type_vec2is : &dv_type_vec2s;
    case 3:
        return attribute->integral ? &dv_type_vec3is : &dv_type_vec3s;
    case 4:
        return &dv_type_vec4s;
    case 6:
        return &dv_type_vec6s;
    case 9:
        return &dv_type_mat3s;
    default:
        return &dv_type_doubles; /* one after the other */
    }
}

static void set_values(DvData *data, const DvMeshAttribute *attribute)
{
    const size_t numbers = (size_t)attribute->tuples * attribute->components;
    const size_t count = numbers / data->type->components;
    if (data->type->scalar == DV_SCALAR_DOUBLE) {
        dv_data_set(data, attribute->value, count);
        return;
    }
    int32_t *value = dv_data_begin_all(data, count);
    for (size_t i = 0; i < count * data->type->components; i++) {
        const double number = attribute->value[i];
        value[i] = number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int32_t)number;
    }
    dv_data_end(data);
}

/* Fields are added while the scene is parsed, since links look for them then. */
static void add_fields(DvMeshLoader *loader)
{
    loader->array_count = loader->mesh.attribute.count;
    loader->arrays = dv_alloc(loader->array_count, sizeof *loader->arrays);
    for (uint32_t i = 0; i < loader->array_count; i++) {
        const DvMeshAttribute *attribute = &loader->mesh.attribute.data[i];
        char name[128];
        size_t length = 0;
        for (; length < sizeof name - 4 && attribute->name[length]; length++)
            name[length] = attribute->name[length] > ' ' ? attribute->name[length] : '_';
        name[length] = 0;
        if (length == 0 || dv_object_field(loader->object, name))
            snprintf(name + length, sizeof name - length, "_1");
        if (dv_object_field(loader->object, name)) {
            dv_warning(loader->object, "the array '%s' is left out: its name is taken", attribute->name);
            continue;
        }
        const DvField field = {.name = name,
                               .type = type_of(attribute),
                               .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT,
                               .help = attribute->of_cells ? "array of the file, for its cells"
                                                           : "array of the file, for its points"};
        loader->arrays[i] = dv_object_add_field(loader->object, &field);
        if (loader->arrays[i])
            set_values(loader->arrays[i], attribute);
    }
}

/* Arrays for points go along with them. */
static void publish(DvMeshLoader *loader, const DvMesh *mesh)
{
    const uint32_t before = loader->mesh.position.count, after = mesh->of_file.count;
    for (uint32_t i = 0; i < loader->mesh.attribute.count && i < loader->array_count; i++) {
        const DvMeshAttribute *all = &loader->mesh.attribute.data[i];
        if (all->of_cells || all->tuples != before || !loader->arrays[i] ||
            (after == 0 &&
             loader->arrays[i]->count * loader->arrays[i]->type->components == (size_t)before * all->components))
            continue;
        DvMeshAttribute kept = *all;
        kept.tuples = after ? after : before;
        kept.value = dv_alloc((size_t)kept.tuples * kept.components, sizeof *kept.value);
        for (uint32_t p = 0; p < kept.tuples; p++)
            memcpy(kept.value + (size_t)p * kept.components,
                   all->value + (size_t)(after ? mesh->of_file.data[p] : p) * kept.components,
                   kept.components * sizeof *kept.value);
        set_values(loader->arrays[i], &kept);
        dv_free(kept.value);
    }
}

static DvStatus construct(DvObject *object, void *self)
{
    DvMeshLoader *loader = self;
    loader->read = read;
    loader->publish = publish;
    return dv_mesh_loader_construct(object, self);
}

static DvStatus parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    const DvStatus status = dv_mesh_loader_parse(object, self, attributes);
    if (status == DV_OK)
        add_fields(self);
    return status;
}

static const DvField fields[] = {
    DV_MESH_LOADER_FIELDS(DvMeshLoader, ),
    {0},
};

const DvClass dv_mesh_vtk_loader = {
    DV_MESH_LOADER_CLASS,
    .name = "MeshVTKLoader",
    .module = "Sofa.Component.IO.Mesh",
    .help = "Loads a mesh from a VTK file.",
    .instance_size = sizeof(DvMeshLoader),
    .fields = fields,
    .construct = construct,
    .parse = parse,
};
