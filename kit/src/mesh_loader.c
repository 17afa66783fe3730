/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all mesh loaders share. The file is read while the scene is parsed, so that later objects find its fields
 * filled. The fields are computed when somebody reads them and again when an option changes: positions are scaled,
 * turned and moved; points in one place become one (mergeDistance); quads are cut (triangulate), faces and edges added (createSubelements), unused points dropped
 * (onlyAttachedPoints), normals summed.
 *
 * When a transformation is given, scenes have always seen these steps happen twice; it shows only with triangulate and
 * createSubelements together, where faces of hexahedra found by the first pass are cut by the second. That is kept.
 */
#include <divan/kit/mesh_loader.h>

#include <divan/kit/path_hint.h>

#include <divan/kit/mesh_faults.h>
#include <divan/kit/mesh_file.h>
#include <inttypes.h>
#include <stddef.h>

/* How a copy of a mesh is made: arrays that later steps change are copied, the rest is shared and must not be freed. */
static void copy_array(void *to, const void *from, size_t item)
{
    DV_ARRAY(void) source, copy = {0};
    memcpy(&source, from, sizeof source);
    dv_array_grow(&copy, item, source.count);
    if (source.count && copy.data)
        memcpy(copy.data, source.data, (size_t)source.count * item);
    copy.count = source.count;
    memcpy(to, &copy, sizeof copy);
}

#define COPY(member) copy_array(&copy.member, &mesh->member, sizeof *mesh->member.data)

static DvMesh copy_mesh(const DvMesh *mesh)
{
    DvMesh copy = *mesh;
    COPY(position);
    COPY(normal);
    COPY(texcoord);
    COPY(edge);
    COPY(triangle);
    COPY(quad);
    COPY(tetrahedron);
    COPY(hexahedron);
    COPY(prism);
    COPY(pyramid);
    COPY(polyline.value);
    COPY(polygon.value);
    COPY(high_order_edge);
    COPY(middle);
    COPY(of_file);
    COPY(position_of_vertex);
    COPY(normal_of_vertex);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        COPY(group[kind]);
    return copy;
}

/* What a loader makes of a mesh: a copy, the fields, and with createSubelements the candidates (see dv_mesh_create_subelements). */
static double bytes_to_publish(const DvMesh *mesh, bool with_subelements)
{
    const double volumes = (double)mesh->tetrahedron.count + (double)mesh->hexahedron.count +
                           (double)mesh->prism.count + (double)mesh->pyramid.count;
    const double faces = (double)mesh->triangle.count + (double)mesh->quad.count;
    const double elements = 16.0 * faces + 32.0 * volumes + 8.0 * (double)mesh->edge.count;
    const double points = 80.0 * (double)mesh->position.count; /* with normal, texture coordinate and numbers */
    const double of_candidates = 60.0; /* of a face or edge: itself, its key, its place in a table */
    return 2.0 * (elements + points) + (with_subelements ? of_candidates * (6.0 * volumes + 4.0 * faces) : 0.0);
}

static void free_copy(DvMesh *copy)
{
    dv_array_free(&copy->position);
    dv_array_free(&copy->normal);
    dv_array_free(&copy->texcoord);
    dv_array_free(&copy->edge);
    dv_array_free(&copy->triangle);
    dv_array_free(&copy->quad);
    dv_array_free(&copy->tetrahedron);
    dv_array_free(&copy->hexahedron);
    dv_array_free(&copy->prism);
    dv_array_free(&copy->pyramid);
    dv_array_free(&copy->polyline.value);
    dv_array_free(&copy->polygon.value);
    dv_array_free(&copy->high_order_edge);
    dv_array_free(&copy->middle);
    dv_array_free(&copy->of_file);
    dv_array_free(&copy->position_of_vertex);
    dv_array_free(&copy->normal_of_vertex);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        dv_array_free(&copy->group[kind]); /* their names are shared */
}

static bool is_identity(const double m[16])
{
    for (int i = 0; i < 16; i++)
        if (m[i] != (i % 5 == 0 ? 1.0 : 0.0))
            return false;
    return true;
}

/* The matrix that moves the positions; false when they stay where they are. */
static bool read_matrix(DvMeshLoader *loader, double m[16])
{
    memcpy(m, dv_data_doubles(&loader->transformation, NULL), 16 * sizeof *m);
    if (is_identity(m))
        dv_mesh_matrix(dv_data_doubles(&loader->translation, NULL), dv_data_doubles(&loader->rotation, NULL),
                       dv_data_doubles(&loader->scale, NULL), m);
    return !is_identity(m);
}

/* What is merged is said once for each length. */
static void merge_points(DvMeshLoader *loader, DvMesh *mesh)
{
    const double within = dv_data_double(&loader->merge_distance);
    if (!(within > 0.0))
        return;
    const DvMeshMerge merge = dv_mesh_merge_positions(mesh, within);
    if (merge.points && loader->merged != within)
        dv_mesh_say_merged(&loader->merge_distance, &merge);
    if (merge.points)
        loader->merged = within;
}

static void process(DvMeshLoader *loader, DvMesh *mesh)
{
    merge_points(loader, mesh);
    if (dv_data_bool(&loader->triangulate))
        dv_mesh_triangulate(mesh, dv_data_bool(&loader->flip_normals));
    if (dv_data_bool(&loader->create_subelements))
        dv_mesh_create_subelements(mesh);
    if (dv_data_bool(&loader->only_attached_points))
        dv_mesh_keep_attached_positions(mesh);
    dv_mesh_update_normals(mesh);
}

static void publish_groups(DvData *data, const DvMeshRanges *groups)
{
    DvGroupValue *value = dv_data_begin_all(data, groups->count);
    for (uint32_t i = 0; i < groups->count; i++) {
        const DvMeshRange *group = &groups->data[i];
        value[i] =
            (DvGroupValue){.first = group->first, .count = group->count, .material_index = group->material_index};
        dv_mesh_set_name(value[i].name, sizeof value[i].name, group->name);
        dv_mesh_set_name(value[i].material, sizeof value[i].material, group->material);
    }
    dv_data_end(data);
}

void dv_mesh_loader_set_lists(DvData *data, const DvMeshLists *lists)
{
    const uint32_t count = dv_mesh_lists_count(lists);
    int32_t *value = dv_data_begin_all(data, (size_t)count + lists->value.count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t begin = lists->offset.data[i], length = lists->offset.data[i + 1] - begin;
        *value++ = (int32_t)length;
        if (length)
            memcpy(value, lists->value.data + begin, length * sizeof *value);
        value += length;
    }
    dv_data_end(data);
}

static void publish(DvMeshLoader *loader, const DvMesh *mesh)
{
    dv_data_set(&loader->position, mesh->position.data, mesh->position.count);
    dv_data_set(&loader->normals, mesh->normal.data, mesh->normal.count);
    dv_data_set(&loader->edges, mesh->edge.data, mesh->edge.count);
    dv_data_set(&loader->triangles, mesh->triangle.data, mesh->triangle.count);
    dv_data_set(&loader->quads, mesh->quad.data, mesh->quad.count);
    dv_data_set(&loader->tetrahedra, mesh->tetrahedron.data, mesh->tetrahedron.count);
    dv_data_set(&loader->hexahedra, mesh->hexahedron.data, mesh->hexahedron.count);
    dv_data_set(&loader->prisms, mesh->prism.data, mesh->prism.count);
    dv_data_set(&loader->pyramids, mesh->pyramid.data, mesh->pyramid.count);
    dv_data_set(&loader->high_order_edge, mesh->high_order_edge.data, mesh->high_order_edge.count);
    dv_mesh_loader_set_lists(&loader->polylines, &mesh->polyline);
    dv_mesh_loader_set_lists(&loader->polygons, &mesh->polygon);
    for (int kind = 0; kind < DV_MESH_KINDS; kind++)
        publish_groups(&loader->group[kind], &mesh->group[kind]);
    if (loader->publish)
        loader->publish(loader, mesh);
}

static void warn(void *loader, const char *text)
{
    dv_field_warning(&((DvMeshLoader *)loader)->filename, -1, "%s", text);
}

static void remark(void *loader, const char *text)
{
    dv_field_remark(&((DvMeshLoader *)loader)->filename, -1, "%s", text);
}

/* Second-order elements are read as linear ones: what is in the middle of them hangs on nothing. */
static void say_loose(DvMeshLoader *loader)
{
    DvWorst loose = {0};
    char numbers[DV_WORST_TEXT];
    dv_mesh_loose_middles(&loader->mesh, &loose);
    if (loose.count && !dv_data_bool(&loader->only_attached_points))
        dv_field_warning(
            &loader->filename, -1,
            "second-order elements are read as linear ones: %u of %u points are in the middle of their edges, "
            "faces or volumes, and no element uses them (%s); onlyAttachedPoints=\"1\" drops them",
            loose.count, loader->mesh.position.count, dv_worst_text(&loose, numbers));
}

static DvStatus read_file(DvMeshLoader *loader)
{
    const char *name = dv_data_string(&loader->filename);
    if (!name || !*name) {
        dv_field_error(&loader->filename, -1, "no file is named");
        return DV_ERROR_MISSING;
    }
    const char *path = dv_data_file(&loader->filename);
    if (!path) {
        dv_field_error(&loader->filename, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s", name,
                       dv_path_hint(name));
        return DV_ERROR_NOT_FOUND;
    }
    char *bytes, reason[128];
    size_t size;
    if (!dv_mesh_file_read(path, &bytes, &size, reason)) {
        dv_field_error(&loader->filename, -1, "'%s': %s", name, reason);
        return DV_ERROR_IO;
    }
    loader->path = dv_strdup(path);
    DvMeshReport report = {.warn = warn, .remark = remark, .context = loader};
    DvStatus status = DV_OK;
    if (!loader->read(loader, bytes, size, &report))
        status = dv_field_error(&loader->filename, -1, "'%s': %s", name, report.error);
    dv_free(bytes);
    return status;
}

static uint64_t version_made_from(const DvMeshLoader *loader)
{
    uint64_t version = 0;
    for (size_t i = 0; loader->made_from[i]; i++)
        version += dv_data_version(loader->made_from[i]);
    return version;
}

/* Reads the file again when it is another than the one in memory, or makes the mesh. */
static DvStatus load(DvMeshLoader *loader)
{
    dv_mesh_free(&loader->mesh);
    loader->mesh = (DvMesh){0};
    dv_free(loader->path);
    loader->path = NULL;
    loader->made = version_made_from(loader);
    DvStatus status = loader->create ? loader->create(loader) : read_file(loader);
    if (status == DV_OK)
        status =
            dv_memory_ask(loader->object, bytes_to_publish(&loader->mesh, dv_data_bool(&loader->create_subelements)),
                          "the fields of a mesh of %u points", loader->mesh.position.count);
    if (status == DV_OK) {
        say_loose(loader);
        return DV_OK;
    }
    dv_mesh_free(&loader->mesh);
    loader->mesh = (DvMesh){0};
    return status;
}

static DvStatus load_of_contract(void *self)
{
    DvMeshLoader *loader = self;
    const DvStatus status = load(loader);
    return status == DV_OK ? dv_mesh_loader_update(loader->object, loader) : status;
}

/* The value of a field when it has one entry for each of `points`; or NULL. */
static const void *per_point(DvData *data, uint32_t points)
{
    const void *value = data ? dv_data_read(data) : NULL;
    return value && data->count == points ? value : NULL;
}

static void view_of_contract(void *self, DvMeshView *view)
{
    DvMeshLoader *loader = self;
    static const struct {
        DvElementKind kind;
        DvMeshKind group;
        size_t list; /* offset of the field */
    } kinds[] = {
        {DV_EDGES, DV_MESH_EDGE, offsetof(DvMeshLoader, edges)},
        {DV_TRIANGLES, DV_MESH_TRIANGLE, offsetof(DvMeshLoader, triangles)},
        {DV_QUADS, DV_MESH_QUAD, offsetof(DvMeshLoader, quads)},
        {DV_TETRAHEDRA, DV_MESH_TETRAHEDRON, offsetof(DvMeshLoader, tetrahedra)},
        {DV_HEXAHEDRA, DV_MESH_HEXAHEDRON, offsetof(DvMeshLoader, hexahedra)},
        {DV_PRISMS, DV_MESH_PRISM, offsetof(DvMeshLoader, prisms)},
        {DV_PYRAMIDS, DV_MESH_PYRAMID, offsetof(DvMeshLoader, pyramids)},
    };
    size_t points, groups = 0;
    *view = (DvMeshView){.positions = dv_data_doubles(&loader->position, &points)};
    view->point_count = (uint32_t)points;
    view->normals = per_point(&loader->normals, view->point_count);
    view->texcoords = per_point(loader->texcoords, view->point_count);
    view->point_of_vertex = per_point(loader->position_of_vertex, view->point_count);
    view->normal_of_vertex = per_point(loader->normal_of_vertex, view->point_count);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t count;
        const uint32_t *at = dv_data_uints((DvData *)(void *)((char *)loader + kinds[i].list), &count);
        view->elements[kinds[i].kind] = (DvElements){at, (uint32_t)count};
        (void)dv_data_read(&loader->group[kinds[i].group]);
        groups += loader->group[kinds[i].group].count;
    }
    dv_mesh_materials_take(&loader->materials, &loader->mesh, loader->path);
    view->materials = loader->materials.data;
    view->material_count = loader->materials.count;
    dv_free(loader->groups);
    loader->groups = dv_alloc(groups, sizeof *loader->groups);
    view->groups = loader->groups;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const DvData *data = &loader->group[kinds[i].group];
        const DvGroupValue *group = data->value;
        for (size_t g = 0; g < data->count; g++)
            loader->groups[view->group_count++] = (DvMeshGroup){.kind = kinds[i].kind,
                                                                .first = group[g].first,
                                                                .count = group[g].count,
                                                                .name = group[g].name,
                                                                .material = group[g].material};
    }
}

static void report(void *self, DvReportLine line, void *context)
{
    const DvMeshLoader *loader = self;
    DvMeshView mesh;
    view_of_contract(self, &mesh);
    dv_mesh_report_faults(&mesh, loader->told, "onlyAttachedPoints=\"1\" drops them", line, context);
}

const DvReportOps dv_mesh_loader_report = {.size = sizeof dv_mesh_loader_report, .report = report};
const DvLoaderOps dv_mesh_loader_ops = {
    .size = sizeof dv_mesh_loader_ops, .load = load_of_contract, .view = view_of_contract};

DvStatus dv_mesh_loader_construct(DvObject *object, void *self)
{
    DvMeshLoader *loader = self;
    loader->object = object;
    return DV_OK;
}

/* `scale` is read in single precision, as old scenes have it, and multiplies scale3d. */
static void read_scale(DvMeshLoader *loader)
{
    double factor = 1.0;
    if (!dv_attribute_number(loader->object, "scale", &factor))
        return;
    double *scale = dv_data_begin(&loader->scale, 1);
    for (int axis = 0; axis < 3; axis++)
        scale[axis] *= (double)(float)factor;
    dv_data_end(&loader->scale);
}

DvStatus dv_mesh_loader_parse(DvObject *object, void *self, const DvAttributes *attributes)
{
    DvMeshLoader *loader = self;
    (void)attributes;
    read_scale(loader);
    const DvStatus status = load(loader);
    if (status != DV_OK)
        dv_object_set_state(object, DV_COMPONENT_INVALID);
    return status;
}

DvStatus dv_mesh_loader_init(DvObject *object, void *self)
{
    (void)object;
    DvMeshLoader *loader = self;
    (void)dv_data_read(&loader->position);
    return DV_OK;
}

/* The matrix turns left to right: faces that looked outwards look inwards. Volumes are mended by who integrates over them. */
static void say_mirrored(DvMeshLoader *loader, const double m[16], const DvMesh *mesh)
{
    const double det =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
    const uint32_t faces = mesh->triangle.count + mesh->quad.count;
    if (det < 0.0 && faces > 0 && !loader->said_mirrored && !dv_data_bool(&loader->flip_normals))
        dv_field_remark(
            &loader->scale, -1,
            "mirrors the mesh: its %u faces look the other way, as contacts, pressures and lights see them; "
            "flipNormals=\"1\" of MeshOBJLoader and MeshVTKLoader turns them round",
            faces);
    loader->said_mirrored = loader->said_mirrored || (det < 0.0 && faces > 0);
}

DvStatus dv_mesh_loader_update(DvObject *object, void *self)
{
    (void)object;
    DvMeshLoader *loader = self;
    double matrix[16];
    if (loader->made != version_made_from(loader))
        return load_of_contract(loader);
    DvMesh mesh = copy_mesh(&loader->mesh);
    if (read_matrix(loader, matrix)) {
        say_mirrored(loader, matrix, &mesh);
        if (!dv_mesh_transform(&mesh, matrix))
            dv_field_warning(&loader->transformation, -1, "the last row is not 0 0 0 1: the matrix is ignored");
        process(loader, &mesh);
    }
    process(loader, &mesh);
    publish(loader, &mesh);
    free_copy(&mesh);
    return DV_OK;
}

void dv_mesh_loader_destroy(DvObject *object, void *self)
{
    (void)object;
    DvMeshLoader *loader = self;
    dv_mesh_free(&loader->mesh);
    dv_free(loader->path);
    dv_free(loader->groups);
    dv_free(loader->arrays);
    dv_mesh_materials_free(&loader->materials);
}
