/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service that opens mesh files: the reader follows from the end of the name, and the mesh goes through the same steps
 * as in a loader without options (quads cut where asked for, normals summed where the file has none).
 */
#include "mesh_files.h"

#include <divan/kit/path_hint.h>

#include <divan/kit/mesh_file.h>
#include <strings.h>

struct DvMeshFile {
    DvMesh mesh;
    DvRealArray radius;
    DV_ARRAY(DvMeshGroup) group;
    DvMeshMaterials material;
};

static bool ends_with(const char *path, const char *const *suffixes)
{
    const size_t length = strlen(path);
    for (; *suffixes; suffixes++) {
        const size_t tail = strlen(*suffixes);
        if (length >= tail && strcasecmp(path + length - tail, *suffixes) == 0)
            return true;
    }
    return false;
}

static const char *const obj[] = {".obj", NULL}, *const gmsh[] = {".msh", ".gmsh", NULL},
                         *const vtk[] = {".vtk", ".vtu", ".vtp", NULL}, *const spheres[] = {".sph", NULL};

bool mesh_read_by_name(const char *path, const char *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                       DvMeshReport *report)
{
    if (ends_with(path, obj))
        return dv_mesh_read_obj(bytes, size, options, mesh, report);
    if (ends_with(path, gmsh))
        return dv_mesh_read_gmsh(bytes, size, mesh, report);
    if (ends_with(path, vtk))
        return mesh_read_vtk(bytes, size, options, mesh, report);
    return dv_mesh_fail(report, "its name ends in none of .obj .msh .vtk .vtu .vtp");
}

static bool knows(const char *name)
{
    return ends_with(name, obj) || ends_with(name, gmsh) || ends_with(name, vtk) || ends_with(name, spheres);
}

static bool read_spheres(DvMeshFile *file, const char *bytes, size_t size, DvMeshReport *report)
{
    SphereArray list = {0};
    const bool good = mesh_read_spheres(bytes, size, &list, report);
    for (uint32_t i = 0; good && i < list.count; i++) {
        const double *centre = list.data[i].centre;
        dv_array_push(&file->mesh.position, (DvPoint3){{centre[0], centre[1], centre[2]}});
        dv_array_push(&file->radius, list.data[i].radius);
    }
    dv_array_free(&list);
    return good;
}

static void add_groups(DvMeshFile *file, const DvMeshRanges *groups, DvElementKind kind)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        const DvMeshRange *group = &groups->data[i];
        dv_array_push(&file->group, (DvMeshGroup){.kind = kind,
                                                  .first = group->first,
                                                  .count = group->count,
                                                  .name = group->name ? group->name : "",
                                                  .material = group->material ? group->material : ""});
    }
}

static void see(DvMeshFile *file, DvMeshView *view)
{
    static const DvElementKind kinds[DV_MESH_KINDS] = {
        [DV_MESH_EDGE] = DV_EDGES,           [DV_MESH_TRIANGLE] = DV_TRIANGLES,
        [DV_MESH_QUAD] = DV_QUADS,           [DV_MESH_TETRAHEDRON] = DV_TETRAHEDRA,
        [DV_MESH_HEXAHEDRON] = DV_HEXAHEDRA, [DV_MESH_PRISM] = DV_PRISMS,
        [DV_MESH_PYRAMID] = DV_PYRAMIDS};
    const DvMesh *mesh = &file->mesh;
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        if (kind != DV_MESH_POLYGON) /* not elements: lists of any length */
            add_groups(file, &mesh->group[kind], kinds[kind]);
    const uint32_t n = mesh->position.count;
    *view = (DvMeshView){
        .positions = (const double *)mesh->position.data,
        .point_count = n,
        .normals = mesh->normal.count == n ? (const double *)mesh->normal.data : NULL,
        .texcoords = mesh->texcoord.count == n ? (const double *)mesh->texcoord.data : NULL,
        .radii = file->radius.data,
        .point_of_vertex = mesh->position_of_vertex.count == n ? (const uint32_t *)mesh->position_of_vertex.data : NULL,
        .normal_of_vertex = mesh->normal_of_vertex.count == n ? (const uint32_t *)mesh->normal_of_vertex.data : NULL,
        .elements = {[DV_EDGES] = {(const uint32_t *)mesh->edge.data, mesh->edge.count},
                     [DV_TRIANGLES] = {(const uint32_t *)mesh->triangle.data, mesh->triangle.count},
                     [DV_QUADS] = {(const uint32_t *)mesh->quad.data, mesh->quad.count},
                     [DV_TETRAHEDRA] = {(const uint32_t *)mesh->tetrahedron.data, mesh->tetrahedron.count},
                     [DV_HEXAHEDRA] = {(const uint32_t *)mesh->hexahedron.data, mesh->hexahedron.count},
                     [DV_PRISMS] = {(const uint32_t *)mesh->prism.data, mesh->prism.count},
                     [DV_PYRAMIDS] = {(const uint32_t *)mesh->pyramid.data, mesh->pyramid.count}},
        .groups = file->group.data,
        .group_count = file->group.count,
        .materials = file->material.data,
        .material_count = file->material.count,
    };
}

static void close_file(DvMeshFile *file)
{
    if (!file)
        return;
    dv_mesh_free(&file->mesh);
    dv_array_free(&file->radius);
    dv_array_free(&file->group);
    dv_mesh_materials_free(&file->material);
    dv_free(file);
}

static void warn(void *field, const char *text)
{
    dv_field_warning(field, -1, "%s", text);
}

static DvStatus open_file(DvData *field, const DvMeshFileOptions *options, DvMeshFile **opened, DvMeshView *view)
{
    *opened = NULL;
    *view = (DvMeshView){0};
    const char *name = dv_data_string(field), *path = dv_data_file(field);
    if (!path) {
        (void)dv_field_error(field, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s", name,
                             dv_path_hint(name));
        return DV_ERROR_NOT_FOUND;
    }
    if (!knows(path))
        return dv_field_error(field, -1, "'%s': its name ends in none of .obj .msh .vtk .vtu .vtp .sph", name);
    char *bytes, reason[128];
    size_t size;
    if (!dv_mesh_file_read(path, &bytes, &size, reason)) {
        (void)dv_field_error(field, -1, "'%s': %s", name, reason);
        return DV_ERROR_IO;
    }
    DvMeshFile *file = dv_alloc(1, sizeof *file);
    const DvMeshOptions read = {.flip_normals = options && options->flip_normals,
                                .triangulate = options && options->triangulate,
                                .handle_seams = options && options->split_seams,
                                .load_material = options && options->materials,
                                .open = dv_mesh_file_open_beside,
                                .context = (void *)(uintptr_t)path};
    DvMeshReport report = {.warn = warn, .context = field};
    const bool good = ends_with(path, spheres) ? read_spheres(file, bytes, size, &report)
                                               : mesh_read_by_name(path, bytes, size, &read, &file->mesh, &report);
    dv_free(bytes);
    if (!good) {
        close_file(file);
        return dv_field_error(field, -1, "'%s': %s", name, report.error);
    }
    if (read.triangulate)
        dv_mesh_triangulate(&file->mesh, read.flip_normals);
    if (file->radius.count == 0)
        dv_mesh_update_normals(&file->mesh);
    dv_mesh_materials_take(&file->material, &file->mesh, path);
    see(file, view);
    *opened = file;
    return DV_OK;
}

const DvMeshFilesOps mesh_files_ops = {
    .size = sizeof(DvMeshFilesOps), .knows = knows, .open = open_file, .close = close_file};
