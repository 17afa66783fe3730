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

/* Readers of formats without options, or with some that a format has not, as the others. */
static bool read_gmsh(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    (void)options;
    return dv_mesh_read_gmsh(bytes, size, mesh, report);
}

static bool read_stl(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    const StlOptions stl = {.flip = options->flip_normals, .head = STL_HEAD};
    return mesh_read_stl(bytes, size, &stl, mesh, report);
}

static bool read_trian(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    TrianBorder border = {.neighbor = {0}};
    const bool good = mesh_read_trian(bytes, size, false, options->flip_normals, mesh, &border, report);
    trian_border_free(&border);
    return good;
}

static bool read_xsp(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report)
{
    (void)options;
    return mesh_read_xsp(bytes, size, mesh, report);
}

/* Which reader takes which ending (docs/files.md). */
static const struct {
    const char *const endings[4];
    bool (*read)(const void *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh, DvMeshReport *report);
} formats[] = {
    {{".obj"}, dv_mesh_read_obj},
    {{".msh", ".gmsh"}, read_gmsh},
    {{".vtk", ".vtu", ".vtp"}, mesh_read_vtk},
    {{".stl"}, read_stl},
    {{".off"}, mesh_read_off},
    {{".trian"}, read_trian},
    {{".xsp", ".xs3", ".xs4"}, read_xsp},
    {{".gid"}, mesh_read_gid},
    {{".ply"}, mesh_read_ply},
    {{".inp"}, mesh_read_abaqus},
    {{".bdf", ".nas", ".dat"}, mesh_read_nastran},
};
enum { FORMATS = sizeof formats / sizeof *formats };
static const char *const spheres[] = {".sph", NULL};

/* All endings, with blanks between them. */
static const char *list_endings(DvText *list)
{
    for (size_t f = 0; f < FORMATS; f++)
        for (const char *const *ending = formats[f].endings; *ending; ending++)
            dv_text_add(list, "%s ", *ending);
    dv_text_add(list, "%s", *spheres);
    return list->at;
}

static size_t format_of(const char *name)
{
    size_t f = 0;
    while (f < FORMATS && !ends_with(name, formats[f].endings))
        f++;
    return f;
}

bool mesh_read_by_name(const char *path, const char *bytes, size_t size, const DvMeshOptions *options, DvMesh *mesh,
                       DvMeshReport *report)
{
    const size_t f = format_of(path);
    if (f < FORMATS)
        return formats[f].read(bytes, size, options, mesh, report);
    DvText endings = {0};
    dv_mesh_set_error(report, "its name ends in none of %s", list_endings(&endings));
    dv_text_free(&endings);
    return false;
}

static bool knows(const char *name)
{
    return format_of(name) < FORMATS || ends_with(name, spheres);
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
    if (!knows(path)) {
        DvText endings = {0};
        const DvStatus status =
            dv_field_error(field, -1, "'%s': its name ends in none of %s", name, list_endings(&endings));
        dv_text_free(&endings);
        return status;
    }
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
