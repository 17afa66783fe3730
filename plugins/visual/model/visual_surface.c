/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visual_surface.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/contracts/topology.h>
#include <divan/math/quat.h>
#include <divan/memory.h>
#include <divan/plugin.h>

/* Attributes that are not fields of their own: short forms of the transformation. */

/* Any one of the three replaces the whole vector; those absent count as `absent`. */
static void take_triple(const DvObject *object, const char *const names[3], double absent, DvData *field)
{
    double v[3] = {absent, absent, absent};
    bool any = false;
    for (size_t i = 0; i < 3; i++)
        any = dv_attribute_number(object, names[i], &v[i]) || any;
    if (any)
        dv_data_set(field, v, 1);
}

static void reverse_faces(DvData *faces, size_t nodes, size_t first, size_t second)
{
    uint32_t *at = dv_data_begin(faces, faces->count);
    for (size_t i = 0; i < faces->count; i++) {
        const uint32_t kept = at[i * nodes + first];
        at[i * nodes + first] = at[i * nodes + second];
        at[i * nodes + second] = kept;
    }
    dv_data_end(faces);
}

DvStatus visual_surface_parse(DvObject *object, VisualSurface *self, const DvAttributes *attributes)
{
    static const char *const d[] = {"dx", "dy", "dz"}, *const r[] = {"rx", "ry", "rz"}, *const s[] = {"sx", "sy", "sz"};
    double value = 1;
    take_triple(object, r, 0, &self->rotation);
    take_triple(object, d, 0, &self->translation);
    take_triple(object, s, 1, &self->scale3d);
    if (dv_attribute_number(object, "scale", &value)) {
        const double uniform[3] = {value, value, value};
        dv_data_set(&self->scale3d, uniform, 1);
    }
    double scale_tex[2] = {1, 1}, translation_tex[2] = {0, 0};
    const bool su = dv_attribute_number(object, "su", &scale_tex[0]),
               sv = dv_attribute_number(object, "sv", &scale_tex[1]);
    if (su || sv)
        dv_data_set(&self->scale_tex, scale_tex, 1);
    const bool du = dv_attribute_number(object, "du", &translation_tex[0]),
               dv = dv_attribute_number(object, "dv", &translation_tex[1]);
    if (du || dv)
        dv_data_set(&self->translation_tex, translation_tex, 1);
    self->gives_normals = dv_attribute(attributes, "normal") != NULL;
    self->gives_crease_angle = dv_attribute(attributes, "creaseAngle") != NULL;
    int32_t normals = dv_data_bool(&self->use_normals);
    if (dv_attribute_integer(object, "normals", &normals))
        dv_data_set_bool(&self->use_normals, normals != 0);
    if (!dv_attribute(attributes, "edges") && dv_data_parent(&self->edges)) { /* `src` brings faces, no lines */
        (void)dv_data_link(&self->edges, NULL);                               /* undoing a link cannot fail */
        dv_data_set(&self->edges, NULL, 0);
    }
    if (dv_attribute(attributes, "flip")) { /* of what is written inline: a loader's faces are flipped by the loader */
        if (!dv_data_parent(&self->triangles))
            reverse_faces(&self->triangles, 3, 1, 2);
        if (!dv_data_parent(&self->quads))
            reverse_faces(&self->quads, 4, 1, 3);
    }
    if (dv_data_is_set(&self->color)) {
        const double *c = dv_data_doubles(&self->color, NULL);
        DvText text = {0};
        static const char *const parts[] = {"Default Diffuse 1", " Ambient 1", " Specular 0", " Emissive 0"};
        for (size_t part = 0; part < 4; part++) {
            dv_text_add(&text, "%s", parts[part]);
            for (size_t i = 0; i < 4; i++) {
                dv_text_add(&text, " ");
                dv_text_add_double(&text, part == 1 && i < 3 ? 0.2 * c[i] : c[i]);
            }
        }
        dv_text_add(&text, " Shininess 0 45");
        dv_data_set_string(&self->material, text.at);
        dv_text_free(&text);
    }
    return DV_OK;
}

/* Where the surface comes from. */

static void renumber(DvData *elements, size_t corners, const uint32_t *number)
{
    (void)dv_data_read(elements);
    const size_t count = elements->count;
    uint32_t *node = dv_data_begin(elements, count);
    for (size_t i = 0; i < count * corners; i++)
        node[i] = number[node[i]];
    dv_data_end(elements);
}

/* When normals of the file do not count, vertices that only they tell apart are one, and all vertices of a point share its
 * normal. Vertices of one point stand one after the other. */
static void join_vertices(VisualSurface *self)
{
    size_t vertices, coordinates;
    const uint32_t *point = dv_data_uints(&self->vert_pos_idx, &vertices);
    const double *at = dv_data_doubles(&self->position, NULL), *uv = dv_data_doubles(&self->texcoords, &coordinates);
    if (!vertices)
        return;
    uint32_t *number = dv_alloc(3 * vertices, sizeof *number), *new_point = number + vertices,
             *share = new_point + vertices;
    double *new_at = dv_alloc(5 * vertices, sizeof *new_at), *new_uv = new_at + 3 * vertices;
    uint32_t count = 0, points = 0;
    for (size_t i = 0; i < vertices; i++) {
        number[i] = count;
        for (size_t j = i; j-- > 0 && point[j] == point[i];)
            if (!coordinates || memcmp(uv + 2 * j, uv + 2 * i, 2 * sizeof *uv) == 0)
                number[i] = number[j];
        points += i == 0 || point[i] != point[i - 1];
        if (number[i] < count)
            continue;
        memcpy(new_at + 3 * (size_t)count, at + 3 * i, 3 * sizeof *at);
        if (coordinates)
            memcpy(new_uv + 2 * (size_t)count, uv + 2 * i, 2 * sizeof *uv);
        new_point[count] = point[i];
        share[count++] = points - 1;
    }
    dv_data_set(&self->position, new_at, count);
    dv_data_set(&self->texcoords, new_uv, coordinates ? count : 0);
    dv_data_set(&self->vert_pos_idx, new_point, count);
    dv_data_set(&self->vert_norm_idx, share, points < count ? count : 0);
    dv_data_set(&self->normal, NULL, 0);
    renumber(&self->triangles, 3, number);
    renumber(&self->quads, 4, number);
    renumber(&self->edges, 2, number);
    dv_free(number);
    dv_free(new_at);
}

/* `filename`, through the service that opens mesh files. */
static DvStatus load_file(VisualSurface *self)
{
    const DvMeshFilesOps *files = dv_service(DV_MESH_FILES);
    if (!files)
        return dv_field_error(&self->filename, -1, "no plugin reads mesh files; load divan.topology");
    DvMeshFile *file;
    DvMeshView mesh;
    const DvStatus status =
        files->open(&self->filename, &(DvMeshFileOptions){.split_seams = true, .materials = true}, &file, &mesh);
    if (status != DV_OK)
        return status;
    const uint32_t n = mesh.point_count;
    dv_data_set(&self->position, mesh.positions, n);
    dv_data_set(&self->triangles, mesh.elements[DV_TRIANGLES].at, mesh.elements[DV_TRIANGLES].count);
    dv_data_set(&self->quads, mesh.elements[DV_QUADS].at, mesh.elements[DV_QUADS].count);
    if (dv_data_bool(&self->keep_lines))
        dv_data_set(&self->edges, mesh.elements[DV_EDGES].at, mesh.elements[DV_EDGES].count);
    dv_data_set(&self->texcoords, mesh.texcoords, mesh.texcoords ? n : 0);
    dv_data_set(&self->normal, mesh.normals, mesh.normals ? n : 0);
    dv_data_set(&self->vert_pos_idx, mesh.point_of_vertex, mesh.point_of_vertex ? n : 0);
    dv_data_set(&self->vert_norm_idx, mesh.normal_of_vertex, mesh.normal_of_vertex ? n : 0);
    self->file_has_normals = mesh.normals != NULL;
    surface_look_take_mesh(&self->look, &mesh);
    files->close(file);
    if (!dv_data_bool(&self->use_normals))
        join_vertices(self);
    return DV_OK;
}

/* Faces that follow a loader have its materials. */
static void take_materials(VisualSurface *self)
{
    DvData *from = dv_data_parent(&self->triangles) ? dv_data_parent(&self->triangles) : dv_data_parent(&self->quads);
    const DvLoaderOps *loader = from ? dv_object_ops(from->owner, DV_LOADER) : NULL;
    DvMeshView mesh;
    if (!loader)
        return;
    loader->view(dv_object_self(from->owner), &mesh);
    surface_look_take_mesh(&self->look, &mesh);
}

/* The loader split points: position holds one entry per vertex; make it one per point again. */
static void merge_split_points(VisualSurface *self)
{
    size_t vertices, splits;
    const uint32_t *point = dv_data_uints(&self->vert_pos_idx, &vertices);
    dv_data_doubles(&self->vertices, &splits);
    if (!vertices || splits)
        return;
    size_t given;
    const double *at = dv_data_doubles(&self->position, &given);
    dv_data_set(&self->vertices, at, given);
    uint32_t points = 0;
    for (size_t i = 0; i < vertices; i++)
        points = point[i] + 1 > points ? point[i] + 1 : points;
    if (dv_memory_ask(self->position.owner, 3.0 * sizeof(double) * points, "the %u points that vertPosIdx names",
                      points) != DV_OK)
        return;
    (void)dv_data_link(&self->position, NULL); /* undoing a link cannot fail */
    at = dv_data_doubles(&self->vertices, NULL);
    double *merged = dv_data_begin_all(&self->position, points);
    memset(merged, 0, (size_t)points * 3 * sizeof(double));
    for (size_t i = 0; i < vertices && i < given; i++)
        memcpy(merged + 3 * (size_t)point[i], at + 3 * i, 3 * sizeof(double));
    dv_data_end(&self->position);
}

static void take_faces(VisualSurface *self, FollowedFaces *followed, DvElementKind kind, DvData *faces)
{
    const DvElements from = dv_topology_elements(&self->followed, kind);
    DvMeshEdits *edits = &followed->edits;
    if (!edits->of_elements.topology || edits->all || followed->version != dv_data_version(faces)) {
        dv_data_set(faces, from.at, from.count);
    } else if (edits->elements.count > 0 || faces->count != from.count) {
        const size_t nodes = dv_element_nodes(kind);
        dv_mesh_edits_sort(edits, 0, from.count);
        uint32_t *to = dv_data_begin(faces, from.count);
        for (uint32_t i = 0; i < edits->elements.count; i++)
            memcpy(to + nodes * edits->elements.data[i], from.at + nodes * edits->elements.data[i], nodes * sizeof *to);
        dv_data_end(faces);
    }
    dv_mesh_edits_clear(edits);
    followed->version = dv_data_version(faces);
}

/* The points of the topology, or of the state that has its points. */
static void take_positions(VisualSurface *self)
{
    const double *positions = self->followed.ops->positions(self->followed.self);
    if (positions) {
        dv_data_set(&self->position, positions, self->followed.ops->point_count(self->followed.self));
        return;
    }
    const DvStateRef ref = dv_state_ref(dv_object_find(self->followed.object, NULL, DV_STATE));
    if (ref.ops && ref.dof == &dv_vec3d)
        dv_data_set(&self->position, dv_state_read(ref, DV_POSITION).at, dv_state_count(ref));
}

/* Whether somebody else says where its points are, a mapping or whoever writes them. */
static bool is_placed(VisualSurface *self)
{
    return dv_data_version(&self->position) != self->placed_version &&
           self->position.count == self->followed.ops->point_count(self->followed.self);
}

static void take_topology(VisualSurface *self)
{
    if (!is_placed(self)) {
        take_positions(self);
        self->placed_version = dv_data_version(&self->position);
    }
    const bool rewritten = dv_topology_rewritten(&self->followed);
    FollowedFaces *triangles = &self->followed_triangles, *quads = &self->followed_quads;
    triangles->edits.all = triangles->edits.all || rewritten;
    quads->edits.all = quads->edits.all || rewritten;
    take_faces(self, triangles, DV_TRIANGLES, &self->triangles);
    take_faces(self, quads, DV_QUADS, &self->quads);
}

static DvStatus follow_topology(VisualSurface *self)
{
    take_positions(self);
    DvStatus status = dv_mesh_edits_attach(&self->followed_triangles.edits, self->followed.object, DV_TRIANGLES);
    if (status == DV_OK)
        status = dv_mesh_edits_attach(&self->followed_quads.edits, self->followed.object, DV_QUADS);
    self->followed_triangles.edits.all = self->followed_quads.edits.all = true;
    take_faces(self, &self->followed_triangles, DV_TRIANGLES, &self->triangles);
    take_faces(self, &self->followed_quads, DV_QUADS, &self->quads);
    return status;
}

static void transform(VisualSurface *self, DvData *positions)
{
    const double *s = dv_data_doubles(&self->scale3d, NULL), *d = dv_data_doubles(&self->translation, NULL);
    const DvVec3 angles = dv_vec3_load(dv_data_doubles(&self->rotation, NULL));
    const bool identity = s[0] == 1 && s[1] == 1 && s[2] == 1 && d[0] == 0 && d[1] == 0 && d[2] == 0 && angles.x == 0 &&
                          angles.y == 0 && angles.z == 0;
    if (identity || !positions->count)
        return;
    const DvQuat q = dv_quat_from_euler_degrees(angles);
    const DvVec3 scale = dv_vec3_load(s), shift = dv_vec3_load(d);
    (void)dv_data_read(positions);
    double *at = dv_data_begin(positions, positions->count);
    for (size_t i = 0; i < positions->count; i++) {
        const DvVec3 p = dv_vec3_load(at + 3 * i);
        const DvVec3 scaled = dv_vec3(p.x * scale.x, p.y * scale.y, p.z * scale.z);
        dv_vec3_store(dv_vec3_add(dv_quat_rotate(q, scaled), shift), at + 3 * i);
    }
    dv_data_end(positions);
}

static void transform_texture(VisualSurface *self)
{
    const double *scale = dv_data_doubles(&self->scale_tex, NULL),
                 *shift = dv_data_doubles(&self->translation_tex, NULL);
    const bool identity = scale[0] == 1 && scale[1] == 1 && shift[0] == 0 && shift[1] == 0;
    const bool textured = *dv_data_string(&self->texturename) || *dv_data_string(&self->filename);
    size_t vertices;
    (void)dv_data_doubles(&self->texcoords, &vertices);
    if (identity || !textured || !vertices)
        return;
    double *uv = dv_data_begin(&self->texcoords, vertices);
    for (size_t i = 0; i < 2 * vertices; i++)
        uv[i] = uv[i] * scale[i % 2] + shift[i % 2];
    dv_data_end(&self->texcoords);
}

/* What follows from the points. */

static void add_scaled(double *sum, DvVec3 v)
{
    sum[0] += v.x;
    sum[1] += v.y;
    sum[2] += v.z;
}

/* Area-weighted normals: the sum of the cross products of the faces around a vertex, at each corner of a quad its own. */
static void sum_normals(const double *at, size_t vertices, const uint32_t *face, size_t faces, size_t corners,
                        const uint32_t *share, double *sum)
{
    for (size_t f = 0; f < faces; f++, face += corners) {
        bool inside = true;
        for (size_t c = 0; c < corners; c++)
            inside = inside && face[c] < vertices;
        for (size_t c = 0; inside && c < corners; c++) {
            const size_t here = corners == 3 ? 0 : c; /* a triangle has one normal */
            const DvVec3 p = dv_vec3_load(at + 3 * (size_t)face[here]);
            const DvVec3 next = dv_vec3_load(at + 3 * (size_t)face[(here + 1) % corners]);
            const DvVec3 before = dv_vec3_load(at + 3 * (size_t)face[(here + corners - 1) % corners]);
            const uint32_t vertex = share ? share[face[c]] : face[c];
            add_scaled(sum + 3 * (size_t)vertex, dv_vec3_cross(dv_vec3_sub(next, p), dv_vec3_sub(before, p)));
        }
    }
}

void visual_surface_normals(VisualSurface *self, const double *at, size_t vertices, double *normal)
{
    size_t shares, triangles, quads;
    const uint32_t *share = dv_data_uints(&self->vert_norm_idx, &shares);
    if (shares != vertices)
        share = NULL;
    size_t sums = vertices;
    for (size_t i = 0; share && i < vertices; i++)
        sums = share[i] + (size_t)1 > sums ? share[i] + (size_t)1 : sums;
    const uint32_t *triangle = dv_data_uints(&self->triangles, &triangles), *quad = dv_data_uints(&self->quads, &quads);
    const DvStepMark mark = dv_step_mark();
    double *sum = dv_step_alloc(3 * sums, sizeof *sum);
    memset(sum, 0, 3 * sums * sizeof *sum);
    sum_normals(at, vertices, triangle, triangles, 3, share, sum);
    sum_normals(at, vertices, quad, quads, 4, share, sum);
    for (size_t i = 0; i < vertices; i++)
        dv_vec3_store(dv_vec3_normalize(dv_vec3_load(sum + 3 * (share ? share[i] : i))), normal + 3 * i);
    dv_step_release(mark);
}

static void update_normals(VisualSurface *self)
{
    size_t vertices, normals;
    const double *at = dv_data_doubles(self->vertices.count ? &self->vertices : &self->position, &vertices);
    (void)dv_data_doubles(&self->normal, &normals);
    if (!dv_data_bool(&self->update_normals) && normals == vertices)
        return;
    visual_surface_normals(self, at, vertices, dv_data_begin_all(&self->normal, vertices));
    dv_data_end(&self->normal);
}

static void update_vertices(VisualSurface *self)
{
    size_t vertices, points;
    const uint32_t *point = dv_data_uints(&self->vert_pos_idx, &vertices);
    if (!vertices || !self->vertices.count)
        return;
    const double *at = dv_data_doubles(&self->position, &points);
    double *vertex = dv_data_begin_all(&self->vertices, vertices);
    for (size_t i = 0; i < vertices; i++)
        if (point[i] < points)
            memcpy(vertex + 3 * i, at + 3 * (size_t)point[i], 3 * sizeof(double));
    dv_data_end(&self->vertices);
}

static void update(void *object)
{
    VisualSurface *self = object;
    if (!dv_data_bool(&self->enable))
        return;
    const bool changed = dv_data_bool(&self->handle_dynamic_topology) && dv_topology_changed(&self->followed);
    if (changed)
        take_topology(self);
    if (!changed && self->updated_version == dv_data_version(&self->position))
        return;
    update_vertices(self);
    update_normals(self);
    self->updated_version = dv_data_version(&self->position);
}

static DvSurfaceArray array_of(DvData *data)
{
    const uint64_t version = dv_data_version(data);
    return (DvSurfaceArray){data->count ? data->value : NULL, (uint32_t)data->count, version};
}

/* Normals that the scene gives, or that stay, are drawn as they are unless it gives the angle too. */
static void view_creases(VisualSurface *self, DvSurfaceView *view)
{
    static const double usual = 40, none = 180, flat = 1e-3; /* degrees: faces in one plane have no edge between them */
    const double angle = dv_data_double(&self->crease_angle);
    const bool has_own = self->gives_normals || self->file_has_normals || !dv_data_bool(&self->update_normals) ||
                         (dv_data_parent(&self->normal) && self->normal.count > 0);
    const bool holds = self->gives_crease_angle || angle != usual || !has_own || !dv_data_bool(&self->use_normals);
    view->crease_angle = !holds || angle >= none ? 0 : fmax(angle, flat);
    view->shape = (DvSurfaceArray){self->shape, (uint32_t)self->shape_count, self->shapes};
}

/* As it is at init, before anything moves it. */
static void keep_shape(VisualSurface *self)
{
    const double *at = dv_data_doubles(self->vertices.count ? &self->vertices : &self->position, &self->shape_count);
    dv_free(self->shape);
    self->shape = NULL;
    self->shapes++;
    if (self->shape_count == 0)
        return;
    self->shape = dv_alloc(self->shape_count, 3 * sizeof *at);
    memcpy(self->shape, at, self->shape_count * 3 * sizeof *at);
}

bool visual_surface_view(VisualSurface *self, DvSurfaceView *view)
{
    const LookFields fields = {&self->material, &self->materials, &self->groups, &self->texturename};
    if (!dv_data_bool(&self->enable))
        return false;
    (void)dv_data_read(&self->vertices);
    view->positions = array_of(self->vertices.count ? &self->vertices : &self->position);
    view->normals = array_of(&self->normal);
    view->texcoords = array_of(&self->texcoords);
    view->triangles = array_of(&self->triangles);
    view->quads = array_of(&self->quads);
    view->edges = array_of(&self->edges);
    surface_look_view(&self->look, &fields, view);
    view_creases(self, view);
    view->is_plain = view->material_count == 1 && !view->materials[0].texture && !view->group_count &&
                     strcmp(dv_data_string(&self->material), self->material.field->init) == 0;
    view->style.casts_no_shadow = !dv_data_bool(&self->cast_shadow);
    view->style.srgb_textures = dv_data_bool(&self->srgb_texturing);
    return true;
}

const DvVisualModelOps visual_surface_model_ops = {.size = sizeof(DvVisualModelOps), .update = update};

/* Texture coordinates of a sphere around the middle of the bounds. */
static void compute_sphere_coordinates(VisualSurface *self)
{
    double box[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    visual_points_bounding_box(&self->points, box);
    size_t vertices;
    const double *at = dv_data_doubles(self->vertices.count ? &self->vertices : &self->position, &vertices);
    const DvVec3 centre = dv_vec3((box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2);
    double *uv = dv_data_begin_all(&self->texcoords, vertices);
    for (size_t i = 0; i < vertices; i++) {
        const DvVec3 direction = dv_vec3_normalize(dv_vec3_sub(dv_vec3_load(at + 3 * i), centre));
        uv[2 * i] = 0.5 + atan2(direction.y, direction.x) / (2 * DV_PI);
        uv[2 * i + 1] = 0.5 - asin(fmax(-1, fmin(1, direction.z))) / DV_PI;
    }
    dv_data_end(&self->texcoords);
}

/* Faces of points that are not there are not shown. A mapping may bring the points later: none is no mistake. */
static void warn_of_faces(VisualSurface *self, DvData *faces, size_t corners)
{
    size_t vertices, count;
    (void)dv_data_doubles(self->vertices.count ? &self->vertices : &self->position, &vertices);
    const uint32_t *node = dv_data_uints(faces, &count);
    for (size_t i = 0; vertices && i < count * corners; i++) {
        if (node[i] < vertices)
            continue;
        DvText text = {0};
        dv_text_add_missing(&text, "point", node[i], "the surface", vertices, node, count * corners);
        dv_field_remark(faces, (int64_t)(i / corners), "%s; such faces are not shown", text.at);
        dv_text_free(&text);
        return;
    }
}

DvStatus visual_surface_init(DvObject *object, VisualSurface *self)
{
    if (*dv_data_string(&self->filename)) {
        const DvStatus status = load_file(self);
        if (status != DV_OK)
            return status;
    }
    take_materials(self);
    merge_split_points(self);
    const bool has_faces =
        dv_data_is_set(&self->triangles) || dv_data_is_set(&self->quads) || self->triangles.count || self->quads.count;
    (void)dv_data_read(&self->position);
    const bool no_points = self->position.count == 0;
    if (no_points || !has_faces) {
        DvStatus status = dv_topology_require(object, &self->topology, NULL, &self->followed);
        if (status == DV_OK && self->followed.ops)
            status = follow_topology(self);
        if (status != DV_OK)
            return status;
        if (!self->followed.ops && no_points)
            dv_remark(object,
                      "has nothing to show: give filename, src=\"@loader\", or positions with triangles or quads");
    }
    transform_texture(self);
    transform(self, &self->position);
    if (dv_data_bool(&self->init_rest_positions)) {
        size_t points;
        const double *at = dv_data_doubles(&self->position, &points);
        dv_data_set(&self->rest_position, at, points);
    }
    static const double zero[3], one[3] = {1, 1, 1};
    dv_data_set(&self->translation, zero, 1); /* applied: saving and loading must not apply them twice */
    dv_data_set(&self->rotation, zero, 1);
    dv_data_set(&self->scale3d, one, 1);
    dv_data_set(&self->scale_tex, one, 1);
    dv_data_set(&self->translation_tex, zero, 1);
    update_vertices(self);
    warn_of_faces(self, &self->triangles, 3);
    warn_of_faces(self, &self->quads, 4);
    if (dv_data_bool(&self->compute_texture_coordinates))
        compute_sphere_coordinates(self);
    keep_shape(self);
    update_normals(self);
    self->placed_version = self->updated_version = dv_data_version(&self->position);
    DvSurfaceView view = {0};
    (void)visual_surface_view(self, &view); /* says which pictures are not there */
    return DV_OK;
}

void visual_surface_destroy(VisualSurface *self)
{
    dv_mesh_edits_detach(&self->followed_triangles.edits);
    dv_mesh_edits_detach(&self->followed_quads.edits);
    dv_topology_release(&self->followed);
    surface_look_free(&self->look);
    dv_free(self->shape);
    visual_points_free(&self->points);
}
