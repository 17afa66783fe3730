/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MeshGroup: the points and elements of a named group of the file that a loader reads.
 *
 *   Gmsh   a physical group, by its name or its number; of points, lines, faces or volumes
 *   OBJ    a group of faces and lines ("g name")
 *   VTK    cells for which an array of the file has a value ("region=3"), or is not zero ("marked")
 *
 * Elements are numbered as the loader lists them, points too: those of the elements, ascending. The file is read again, for the
 * groups alone. A loader that has made other elements of those in the file (triangulate) is an error, and so are OBJ files with faces of more
 * than four corners, which are cut.
 */
#include "mesh_files.h"
#include <divan/kit/mesh_file.h>

#include <divan/kit/engine.h>
#include <divan/kit/path_hint.h>
#include <divan/node.h>

#include <string.h>

typedef struct NamedGroup {
    DvEngine engine;
    DvLink loader;
    DvData group;
    DvData indices, count, element_indices[DV_ELEMENT_KINDS];
    DvObject *source; /* the loader; held */
} NamedGroup;

static const struct {
    DvMeshKind from;
    DvElementKind kind;
    const char *name;
} kinds[] = {{DV_MESH_EDGE, DV_EDGES, "edges"},
             {DV_MESH_TRIANGLE, DV_TRIANGLES, "triangles"},
             {DV_MESH_QUAD, DV_QUADS, "quads"},
             {DV_MESH_TETRAHEDRON, DV_TETRAHEDRA, "tetrahedra"},
             {DV_MESH_HEXAHEDRON, DV_HEXAHEDRA, "hexahedra"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static DvObject *find_loader(const NamedGroup *self, const DvNode *node)
{
    DvObject *object = dv_link_object(&self->loader);
    for (size_t i = 0; !object && node; i++) {
        DvObject *member = dv_node_member(node, i);
        if (!member)
            break;
        if (dv_object_ops(member, DV_LOADER) && dv_object_field(member, "filename"))
            object = member;
    }
    return object;
}

/* The file of the loader with the part that is wanted; what cannot be read has been told. */
static DvStatus read_parts(NamedGroup *self, DvMesh *mesh)
{
    DvData *file = dv_object_field(self->source, "filename"), *cut = dv_object_field(self->source, "triangulate");
    const char *name = dv_data_string(file), *path = dv_data_file(file);
    char *bytes, reason[128];
    size_t size;
    if (!path)
        return dv_field_error(&self->group, -1, "the loader '%s' has no file '%s'%s", dv_object_path(self->source),
                              name, dv_path_hint(name));
    if (!dv_mesh_file_read(path, &bytes, &size, reason))
        return dv_field_error(&self->group, -1, "'%s': %s", name, reason);
    const DvMeshOptions options = {.open = dv_mesh_file_open_beside, .context = (void *)(uintptr_t)path};
    DvMeshReport report = {.warn = NULL};
    mesh->parts.wanted = dv_data_string(&self->group);
    const bool good = mesh_read_by_name(path, bytes, size, &options, mesh, &report);
    dv_free(bytes);
    if (!good)
        return dv_field_error(&self->group, -1, "'%s': %s", name, report.error);
    if (cut && dv_data_bool(cut) && mesh->quad.count > 0)
        return dv_field_error(&self->group, -1,
                              "the loader '%s' cuts the quads of the file, so that groups of the file name none of its "
                              "faces; leave out 'triangulate'",
                              dv_object_path(self->source));
    if (!mesh->parts.searched)
        dv_mesh_parts_find(mesh);
    if (mesh->parts.cut)
        return dv_field_error(
            &self->group, -1,
            "'%s' has faces of more than four corners, which are cut: its groups do not name what they "
            "become",
            name);
    if (mesh->parts.found)
        return DV_OK;
    return dv_field_error(&self->group, -1, "'%s' has no group '%s'%s%s", name, mesh->parts.wanted,
                          mesh->parts.names.length ? "; it has " : "; it names none",
                          mesh->parts.names.length ? mesh->parts.names.at : "");
}

static void mark_points(bool *marked, uint32_t points, const uint32_t *element, uint32_t nodes)
{
    for (uint32_t n = 0; n < nodes; n++)
        if (element[n] < points)
            marked[element[n]] = true;
}

/* Marks the points of the group, and gives out its elements of one kind. */
static DvStatus take_elements(NamedGroup *self, const DvMesh *mesh, const DvMeshView *view, size_t k, bool *marked)
{
    const DvIndexArray *from = &mesh->parts.element[kinds[k].from];
    const DvElements list = view->elements[kinds[k].kind];
    const uint32_t nodes = dv_element_nodes(kinds[k].kind);
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->data[i] >= list.count)
            return dv_field_error(&self->group, -1,
                                  "the loader '%s' has %u %s, fewer than the file: it has made others of them",
                                  dv_object_path(self->source), list.count, kinds[k].name);
        mark_points(marked, view->point_count, list.at + (size_t)from->data[i] * nodes, nodes);
    }
    uint32_t *to = dv_data_begin_all(&self->element_indices[kinds[k].kind], from->count);
    if (from->count > 0)
        memcpy(to, from->data, from->count * sizeof *to);
    dv_data_end(&self->element_indices[kinds[k].kind]);
    return DV_OK;
}

static void give_points(NamedGroup *self, const bool *marked, uint32_t points)
{
    uint32_t count = 0, at = 0;
    for (uint32_t p = 0; p < points; p++)
        count += marked[p];
    uint32_t *to = dv_data_begin_all(&self->indices, count);
    for (uint32_t p = 0; p < points; p++)
        if (marked[p])
            to[at++] = p;
    dv_data_end(&self->indices);
    dv_data_set_uint(&self->count, count);
}

static DvStatus update(DvObject *object, void *self_)
{
    NamedGroup *self = self_;
    if (!dv_engine_runs(object, &self->engine) || !self->source)
        return DV_OK;
    DvMesh mesh = {0};
    DvMeshView view = {0};
    DvStatus status = read_parts(self, &mesh);
    const DvLoaderOps *loader = dv_object_ops(self->source, DV_LOADER);
    loader->view(dv_object_self(self->source), &view);
    bool *marked = dv_alloc(view.point_count, sizeof *marked);
    for (size_t k = 0; k < KINDS && status == DV_OK; k++)
        status = take_elements(self, &mesh, &view, k, marked);
    for (uint32_t i = 0; i < mesh.parts.point.count && mesh.position.count == view.point_count; i++)
        mark_points(marked, view.point_count, &mesh.parts.point.data[i], 1);
    if (status == DV_OK)
        give_points(self, marked, view.point_count);
    dv_free(marked);
    dv_mesh_free(&mesh);
    return status;
}

/* As soon as possible: what stands behind it links to its outputs. */
static DvStatus init(DvObject *object, void *self_)
{
    NamedGroup *self = self_;
    DvObject *loader = find_loader(self, dv_object_node(object));
    if (!loader)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no loader in its node; add one before it, such as <MeshGmshLoader filename=\"...\"/>, or "
            "name it by 'loader'");
    if (!dv_object_ops(loader, DV_LOADER) || !dv_object_field(loader, "filename"))
        return dv_error(object, DV_ERROR_INVALID, "'%s' is no loader of a mesh file", dv_object_path(loader));
    if (*dv_data_string(&self->group) == '\0')
        return dv_field_error(&self->group, -1, "is empty; name a group of the file");
    const DvStatus status = dv_object_require(object, loader);
    if (status != DV_OK)
        return status;
    self->source = dv_object_ref(loader);
    return dv_engine_run(object, self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    NamedGroup *self = self_;
    self->engine.ready = false;
    if (self->source)
        dv_object_unref(self->source);
    self->source = NULL;
}

#define OUT(member, name, type, text) DV_ENGINE_OUTPUT(NamedGroup, member, name, type, text)
static const DvField fields[] = {
    DV_LINK(NamedGroup, loader, "loader", DV_LOADER, .help = "of the mesh; by default that of the node"),
    DV_FIELD(NamedGroup, group, "group", dv_type_string, .flags = DV_FIELD_INPUT,
             .help = "name or number of a physical group (Gmsh), name of a group (OBJ), array=value of cells (VTK)"),
    OUT(indices, "indices", dv_type_uints, "points of the group"),
    DV_FIELD(NamedGroup, count, "nbIndices", dv_type_uint, .init = "0", .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "number of its points"),
    OUT(element_indices[DV_EDGES], "edgeIndices", dv_type_uints, "its edges"),
    OUT(element_indices[DV_TRIANGLES], "triangleIndices", dv_type_uints, "its triangles"),
    OUT(element_indices[DV_QUADS], "quadIndices", dv_type_uints, "its quads"),
    OUT(element_indices[DV_TETRAHEDRA], "tetrahedronIndices", dv_type_uints, "its tetrahedra"),
    OUT(element_indices[DV_HEXAHEDRA], "hexahedronIndices", dv_type_uints, "its hexahedra"),
    {0},
};

const DvClass dv_mesh_group = {
    .size = sizeof(DvClass),
    .name = "MeshGroup",
    .help = "The points and elements of a named group of a mesh file.",
    .instance_size = sizeof(NamedGroup),
    .fields = fields,
    DV_ENGINE_CLASS("DataEngine"),
    .construct = dv_engine_construct,
    .init = init,
    .reinit = dv_engine_run,
    .update = update,
    .cleanup = cleanup,
};
