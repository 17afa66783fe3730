/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DataDisplay: a mesh in the colours of values at its points, its triangles and quads, or the corners of these. Values at points come
 * first where there is one for each. Without a mesh the points are shown.
 *
 * Colours cover the range of the finite values, those of all moments with maximalRange. A userRange (first number below the second)
 * cuts that range, or takes its place without maximalRange. What is not finite has the colour colorNaN.
 */
#include "visual_points.h"

#include <math.h>

#include <divan/contracts/topology.h>
#include <divan/math/vec.h>
#include <divan/memory.h>
#include <divan/types/color_map.h>

enum { OWN_ENTRIES = 256 };

typedef struct DataDisplay {
    VisualPoints points; /* first: the state's functions take it */
    DvData enable, maximal_range, color_nan, user_range, current_min, current_max, shininess, transparency;
    DvData point_data, triangle_data, quad_data, triangle_corner_data, quad_corner_data;
    DvLink color_map, topology;
    DvData range_known; /* state of a run: currentMin and currentMax are those of a moment */
    DvTopologyRef mesh;
    double own_palette[4 * OWN_ENTRIES];
    /* What is shown: vertices of the mesh, or a vertex for each corner of a face when faces have values of their own. */
    double *positions, *colors, *normals;
    uint32_t *triangles, *quads;
    uint32_t vertex_count, triangle_count, quad_count, capacity;
    bool by_point;
    uint64_t version;
    DvMaterial material;
} DataDisplay;

/* The mesh has a face with these corners and all of its points. */
static bool face_is_whole(const uint32_t *corners, uint32_t count, size_t points)
{
    for (uint32_t c = 0; c < count; c++)
        if (corners[c] >= points)
            return false;
    return true;
}

static void widen(DvData *values, double *least, double *most)
{
    size_t count;
    const double *at = dv_data_doubles(values, &count);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(at[i]))
            continue;
        *least = fmin(*least, at[i]);
        *most = fmax(*most, at[i]);
    }
}

static void update_range(DataDisplay *self)
{
    const double *user = dv_data_doubles(&self->user_range, NULL);
    const bool maximal = dv_data_bool(&self->maximal_range);
    const bool known = maximal && dv_data_bool(&self->range_known);
    double least = known ? dv_data_double(&self->current_min) : INFINITY;
    double most = known ? dv_data_double(&self->current_max) : -INFINITY;
    if (self->by_point) {
        widen(&self->point_data, &least, &most);
    } else {
        widen(&self->triangle_data, &least, &most);
        widen(&self->quad_data, &least, &most);
        widen(&self->triangle_corner_data, &least, &most);
        widen(&self->quad_corner_data, &least, &most);
    }
    if (user[0] < user[1]) {
        least = maximal ? fmax(least, user[0]) : user[0];
        most = maximal ? fmin(most, user[1]) : user[1];
    }
    dv_data_set_double(&self->current_min, isfinite(least) ? least : 0.0);
    dv_data_set_double(&self->current_max, isfinite(most) ? most : 0.0);
    if (!known)
        dv_data_set_bool(&self->range_known, true);
}

typedef struct Scale {
    const double *palette, *nan;
    size_t entries;
    double least, most, alpha;
} Scale;

static Scale read_scale(DataDisplay *self)
{
    Scale scale = {self->own_palette,
                   dv_data_doubles(&self->color_nan, NULL),
                   OWN_ENTRIES,
                   dv_data_double(&self->current_min),
                   dv_data_double(&self->current_max),
                   dv_data_double(&self->transparency)};
    DvObject *map = dv_object_find(dv_object_of(self), &self->color_map, DV_LEGEND);
    const DvLegendOps *ops = map ? dv_object_ops(map, DV_LEGEND) : NULL;
    DvLegend legend = {0};
    if (ops) {
        (void)ops->get(dv_object_self(map), &legend);
        scale.palette = legend.colors;
        scale.entries = legend.count;
        if (ops->set_range)
            ops->set_range(dv_object_self(map), scale.least, scale.most);
    }
    return scale;
}

static void color_of(const Scale *scale, double value, double *rgba)
{
    if (isfinite(value))
        dv_color_of_value(scale->palette, scale->entries, scale->least, scale->most, value, rgba);
    else
        memcpy(rgba, scale->nan, 4 * sizeof *rgba);
    rgba[3] *= scale->alpha;
}

static void make_room(DataDisplay *self, uint32_t vertices)
{
    if (vertices <= self->capacity)
        return;
    dv_free(self->positions);
    self->capacity = vertices + vertices / 4;
    self->positions = dv_alloc(self->capacity, 10 * sizeof *self->positions);
    self->normals = self->positions + 3 * (size_t)self->capacity;
    self->colors = self->normals + 3 * (size_t)self->capacity;
    dv_free(self->triangles);
    self->triangles = dv_alloc(self->capacity, 2 * sizeof *self->triangles);
    self->quads = self->triangles + self->capacity;
}

/* Faces of a kind, a vertex for each corner; the value of a corner, else that of its face. */
static uint32_t add_corners(DataDisplay *self, DvElements faces, uint32_t nodes, DvData *by_face, DvData *by_corner,
                            const Scale *scale, uint32_t *elements)
{
    size_t points, face_values, corner_values;
    const double *at = dv_data_doubles(&self->points.position, &points);
    const double *of_face = dv_data_doubles(by_face, &face_values);
    const double *of_corner = dv_data_doubles(by_corner, &corner_values);
    uint32_t shown = 0;
    for (uint32_t f = 0; f < faces.count; f++) {
        const uint32_t *corner = faces.at + (size_t)f * nodes;
        const bool has_corners = (size_t)nodes * (f + 1) <= corner_values;
        if (!face_is_whole(corner, nodes, points) || !(has_corners || f < face_values))
            continue;
        for (uint32_t c = 0; c < nodes; c++) {
            const size_t vertex = self->vertex_count++;
            memcpy(self->positions + 3 * vertex, at + 3 * (size_t)corner[c], 3 * sizeof *at);
            color_of(scale, has_corners ? of_corner[(size_t)nodes * f + c] : of_face[f], self->colors + 4 * vertex);
            elements[(size_t)shown * nodes + c] = (uint32_t)vertex;
        }
        shown++;
    }
    return shown;
}

static void show_faces(DataDisplay *self, DvElements triangles, DvElements quads, const Scale *scale)
{
    make_room(self, 3 * triangles.count + 4 * quads.count);
    self->triangle_count =
        add_corners(self, triangles, 3, &self->triangle_data, &self->triangle_corner_data, scale, self->triangles);
    self->quad_count = add_corners(self, quads, 4, &self->quad_data, &self->quad_corner_data, scale, self->quads);
}

/* The sum of the cross products of the edges of the faces around each vertex. */
static void add_normals(DataDisplay *self, DvElements faces, uint32_t nodes)
{
    for (uint32_t f = 0; f < faces.count; f++) {
        const uint32_t *corner = faces.at + (size_t)f * nodes;
        if (!face_is_whole(corner, nodes, self->vertex_count))
            continue;
        for (uint32_t c = 0; c < nodes; c++) {
            const double *p = self->positions;
            const DvVec3 here = dv_vec3_load(p + 3 * (size_t)corner[c]);
            const DvVec3 next = dv_vec3_load(p + 3 * (size_t)corner[(c + 1) % nodes]);
            const DvVec3 before = dv_vec3_load(p + 3 * (size_t)corner[(c + nodes - 1) % nodes]);
            double *sum = self->normals + 3 * (size_t)corner[c];
            const DvVec3 cross = dv_vec3_cross(dv_vec3_sub(next, here), dv_vec3_sub(before, here));
            dv_vec3_store(dv_vec3_add(dv_vec3_load(sum), cross), sum);
        }
    }
}

static void show_points(DataDisplay *self, DvElements triangles, DvElements quads, const Scale *scale)
{
    size_t points;
    const double *at = dv_data_doubles(&self->points.position, &points);
    const double *values = dv_data_doubles(&self->point_data, NULL);
    make_room(self, (uint32_t)points);
    self->vertex_count = (uint32_t)points;
    self->triangle_count = triangles.count;
    self->quad_count = quads.count;
    memcpy(self->positions, at, 3 * points * sizeof *at);
    memset(self->normals, 0, 3 * points * sizeof *self->normals);
    add_normals(self, triangles, 3);
    add_normals(self, quads, 4);
    for (size_t i = 0; i < points; i++) {
        dv_vec3_store(dv_vec3_normalize(dv_vec3_load(self->normals + 3 * i)), self->normals + 3 * i);
        color_of(scale, values[i], self->colors + 4 * i);
    }
}

/* Triangles that are the halves of the quads are left out, unless they have values of their own. */
static DvElements faces_of(DataDisplay *self, DvElementKind kind)
{
    size_t values, corners;
    (void)dv_data_doubles(&self->triangle_data, &values);
    (void)dv_data_doubles(&self->triangle_corner_data, &corners);
    const DvElements none = {0};
    const DvElements faces = self->mesh.ops ? dv_topology_elements(&self->mesh, kind) : none;
    const bool twice = faces.count > 0 && kind == DV_TRIANGLES && values + corners == 0 &&
                       visual_triangles_are_halves(faces, dv_topology_elements(&self->mesh, DV_QUADS));
    return twice ? none : faces;
}

static void update(void *self_)
{
    DataDisplay *self = self_;
    size_t points, values;
    if (!dv_data_bool(&self->enable))
        return;
    (void)dv_data_doubles(&self->points.position, &points);
    (void)dv_data_doubles(&self->point_data, &values);
    self->by_point = values == points && points > 0;
    self->vertex_count = self->triangle_count = self->quad_count = 0;
    update_range(self);
    const Scale scale = read_scale(self);
    const DvElements triangles = faces_of(self, DV_TRIANGLES), quads = faces_of(self, DV_QUADS);
    if (self->by_point)
        show_points(self, triangles, quads, &scale);
    else
        show_faces(self, triangles, quads, &scale);
    self->version++;
}

static bool view(void *self_, DvSurfaceView *view)
{
    DataDisplay *self = self_;
    if (!dv_data_bool(&self->enable) || self->triangle_count + self->quad_count == 0)
        return false;
    const double shininess = dv_data_double(&self->shininess), light = shininess >= 0.0 ? 1.0 : 0.0;
    const double alpha = dv_data_double(&self->transparency);
    self->material = (DvMaterial){.ambient = {0.2, 0.2, 0.2, alpha},
                                  .diffuse = {1, 1, 1, 1},
                                  .specular = {light, light, light, 1},
                                  .emissive = {0, 0, 0, 1},
                                  .shininess = shininess >= 0.0 ? fmin(shininess, 128.0) : 45.0};
    const bool shared = self->by_point;
    view->positions = (DvSurfaceArray){self->positions, self->vertex_count, self->version};
    view->colors = (DvSurfaceArray){self->colors, self->vertex_count, self->version};
    if (shared)
        view->normals = (DvSurfaceArray){self->normals, self->vertex_count, self->version};
    view->triangles = (DvSurfaceArray){shared ? faces_of(self, DV_TRIANGLES).at : self->triangles, self->triangle_count,
                                       self->version};
    view->quads = (DvSurfaceArray){shared ? faces_of(self, DV_QUADS).at : self->quads, self->quad_count, self->version};
    view->materials = &self->material;
    view->material_count = 1;
    view->style.unlit = shininess < 0.0; /* colours are those of the legend */
    view->materials_version = dv_data_version(&self->shininess) + dv_data_version(&self->transparency);
    return true;
}

/* Points alone, where there is no mesh. */
static void draw(void *self_, DvDraw *draw)
{
    DataDisplay *self = self_;
    const bool has_faces = self->triangle_count + self->quad_count > 0;
    if (visual_is_shown(&self->enable, draw) && self->by_point && !has_faces)
        draw->ops->colored_points(draw, self->positions, self->vertex_count, 10.0, self->colors);
}

static void warn_of_length(DvData *data, size_t expected, const char *of)
{
    size_t given;
    (void)dv_data_doubles(data, &given);
    if (given > 0 && given != expected)
        dv_field_remark(data, -1, "%zu values for %zu %s", given, expected, of);
}

static DvStatus init(DvObject *object, void *self_)
{
    DataDisplay *self = self_;
    size_t points;
    const DvStatus status = dv_topology_require(object, &self->topology, NULL, &self->mesh);
    if (status != DV_OK)
        return status;
    dv_color_palette(dv_color_scheme("HSV"), self->own_palette, OWN_ENTRIES);
    if (dv_data_doubles(&self->points.position, &points), points == 0 && self->mesh.ops) {
        const double *at = self->mesh.ops->positions(self->mesh.self);
        if (at)
            dv_data_set(&self->points.position, at, self->mesh.ops->point_count(self->mesh.self));
    }
    (void)dv_data_doubles(&self->points.position, &points);
    const DvElements triangles = faces_of(self, DV_TRIANGLES), quads = faces_of(self, DV_QUADS);
    if (points > 0)
        warn_of_length(&self->point_data, points, "points");
    warn_of_length(&self->triangle_data, triangles.count, "triangles");
    warn_of_length(&self->quad_data, quads.count, "quads");
    warn_of_length(&self->triangle_corner_data, 3 * (size_t)triangles.count, "corners of triangles");
    warn_of_length(&self->quad_corner_data, 4 * (size_t)quads.count, "corners of quads");
    return DV_OK;
}

static void bounding_box(DvObject *object, void *self, double *box)
{
    (void)object;
    visual_points_bounding_box(self, box);
}

static void destroy(DvObject *object, void *self_)
{
    DataDisplay *self = self_;
    (void)object;
    dv_topology_release(&self->mesh);
    visual_points_free(&self->points);
    dv_free(self->positions);
    dv_free(self->triangles);
}

#define FIELD(member, name, type, ...) DV_FIELD(DataDisplay, member, name, type, .flags = DV_FIELD_DRAWING, __VA_ARGS__)
static const DvField fields[] = {
    VISUAL_ENABLE_FIELD(DataDisplay, enable),
    DV_FIELD(DataDisplay, points.position, "position", dv_type_vec3s, .unit = "m", .help = "points of the mesh"),
    DV_FIELD(DataDisplay, points.rest_position, "restPosition", dv_type_vec3s, .unit = "m", .help = "points at rest"),
    DV_FIELD_HELD("normal", dv_type_vec3s, .help = "kept for old scenes: normals follow the surface"),
    FIELD(maximal_range, "maximalRange", dv_type_bool, .init = "1",
          .help = "the range of the colours holds the values of all moments, not only the present ones"),
    FIELD(point_data, "pointData", dv_type_doubles, .help = "a value for each point"),
    FIELD(triangle_data, "triangleData", dv_type_doubles, .help = "a value for each triangle",
          .aliases = (const char *const[]){"cellData", NULL}),
    FIELD(quad_data, "quadData", dv_type_doubles, .help = "a value for each quad"),
    FIELD(triangle_corner_data, "pointTriangleData", dv_type_doubles, .help = "three values for each triangle"),
    FIELD(quad_corner_data, "pointQuadData", dv_type_doubles, .help = "four values for each quad"),
    FIELD(color_nan, "colorNaN", dv_type_color, .init = "0 0 0 1", .help = "colour of values that are no number"),
    FIELD(user_range, "userRange", dv_type_vec2d, .init = "1 -1",
          .help = "least and most that colours show; no limits when the first is not below the second"),
    DV_FIELD(DataDisplay, current_min, "currentMin", dv_type_double, .init = "0",
             .flags = DV_FIELD_DRAWING | DV_FIELD_READ_ONLY, .help = "value of the first colour"),
    DV_FIELD(DataDisplay, current_max, "currentMax", dv_type_double, .init = "0",
             .flags = DV_FIELD_DRAWING | DV_FIELD_READ_ONLY, .help = "value of the last colour"),
    DV_FIELD(DataDisplay, range_known, "rangeKnown", dv_type_bool, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_DRAWING,
             .help = "it has been shown: the range holds what it held then"),
    FIELD(shininess, "shininess", dv_type_double, .init = "-1",
          .help = "exponent of highlights, to 128; below 0: none"),
    FIELD(transparency, "transparency", dv_type_double, .init = "1", .range = &dv_range_share,
          .help = "0 lets everything through, 1 nothing"),
    DV_LINK(DataDisplay, color_map, "colorMap", DV_LEGEND,
            .help = "the colours; by default those of the node or above, or the colour circle"),
    DV_LINK(DataDisplay, topology, "topology", DV_TOPOLOGY, .help = "the mesh; that of the node by default"),
    {0},
};

static const DvVisualModelOps model_ops = {.size = sizeof model_ops, .update = update};
static const DvSurfaceOps surface_ops = {.size = sizeof surface_ops, .view = view};
static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_data_display = {
    .size = sizeof(DvClass),
    .name = "DataDisplay",
    .variants = "Vec3d",
    .bases = (const char *const[]){"VisualModel", NULL},
    .family = "visual models",
    .module = "Sofa.GL.Component.Rendering3D",
    .help = "A mesh in the colours of values at its points or faces.",
    .instance_size = sizeof(DataDisplay),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_STATE, .ops = &visual_points_state_ops, .by_path_only = true},
                                      {.id = DV_VISUAL_MODEL, .ops = &model_ops},
                                      {.id = DV_SURFACE, .ops = &surface_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .bounding_box = bounding_box,
    .destroy = destroy,
};
