/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <divan/kit/mesh_materials.h>

#include <divan/build.h>
#include <divan/kit/mesh_file.h>
#include <divan/memory.h>

enum { MOST_SHININESS = 128 };

static void take_color(double to[4], const double from[4], bool use)
{
    for (int i = 0; i < 4; i++)
        to[i] = use ? from[i] : i == 3;
}

static char *find_texture(const char *name, const char *path)
{
    if (!name || !*name)
        return NULL;
    char *folder = path ? dv_mesh_file_folder(path) : NULL,
         *found = dv_find_file(name, folder && *folder ? folder : NULL);
    dv_free(folder);
    return found;
}

/* No shininess is no highlight. */
static DvMeshMaterial resolved(const DvFileMaterial *from, const char *path)
{
    DvMeshMaterial material = {.name = from->name, .shininess = from->use_shininess ? from->shininess : 45};
    const bool dull = material.shininess == 0;
    take_color(material.diffuse, from->diffuse, from->use_diffuse);
    take_color(material.ambient, from->ambient, from->use_ambient);
    take_color(material.specular, from->specular, from->use_specular && !dull);
    take_color(material.emissive, from->emissive, from->use_emissive);
    if (dull)
        material.shininess = 1;
    if (material.shininess > MOST_SHININESS)
        material.shininess = MOST_SHININESS;
    material.texture = find_texture(from->texture, path);
    return material;
}

void dv_mesh_materials_take(DvMeshMaterials *materials, const DvMesh *mesh, const char *path)
{
    dv_mesh_materials_free(materials);
    for (uint32_t i = 0; i < mesh->material.count; i++)
        dv_array_push(materials, resolved(&mesh->material.data[i], path));
}

void dv_mesh_materials_free(DvMeshMaterials *materials)
{
    for (uint32_t i = 0; i < materials->count; i++)
        dv_free((void *)(uintptr_t)materials->data[i].texture);
    dv_array_free(materials);
}
