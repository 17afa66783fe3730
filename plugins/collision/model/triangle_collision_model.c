/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TriangleCollisionModel: the triangles of a mesh, and its quads (0 1 2 3) as triangles (1 2 0) and (3 0 2).
 *
 * A corner or an edge belongs to the first triangle around it, so that routines can test it once. Triangles made of quads own none:
 * the routines that ask for owners find little on meshes of quads alone.
 */
#include <math.h>

#include <divan/math/vec.h>
#include <divan/memory.h>

#include "geometry.h"
#include "mesh_elements.h"

typedef struct TriangleCollisionModel {
    CollisionModel base;
    DvData both_sides;
    uint32_t *triangles;           /* [count x 3] */
    uint16_t *owns;                /* [count] */
    double *normals;               /* [count x 3] */
    uint32_t allocated;            /* triangles */
    uint32_t of_mesh;              /* triangles that are those of the mesh; the rest are halves of quads */
    uint32_t wrong;                /* corners that the state does not have */
    uint64_t revision;             /* of the mesh, as of the triangles; 0: never */
    uint32_t points;               /* of the state then */
    DvMeshEdits edits, quad_edits; /* since then */
    PointsOfBody corners;
} TriangleCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(TriangleCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(TriangleCollisionModel, base),
    DV_FIELD(TriangleCollisionModel, both_sides, "bothSide", dv_type_bool, .init = "0",
             .help = "contacts from the inner side of the surface count too"),
    DV_FIELD_HELD("computeNormals", dv_type_bool, .init = "1",
                  .help = "kept for scenes that name it: routines get normals whatever it says"),
    DV_FIELD_HELD("useCurvature", dv_type_bool, .init = "0",
                  .help = "kept for scenes that name it: flat parts of a surface are tested against themselves too"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    TriangleCollisionModel *self = self_;
    self->revision = 0;
    DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_TRIANGLES, true);
    if (status == DV_OK)
        status = dv_mesh_edits_attach(&self->edits, self->base.topology.object, DV_TRIANGLES);
    return status == DV_OK ? dv_mesh_edits_attach(&self->quad_edits, self->base.topology.object, DV_QUADS) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    TriangleCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_mesh_edits_detach(&self->edits);
    dv_mesh_edits_detach(&self->quad_edits);
    dv_free(self->triangles);
    dv_free(self->owns);
    dv_free(self->normals);
    self->triangles = NULL;
    self->owns = NULL;
    self->normals = NULL;
    self->allocated = 0;
}

/* What is around corners and edges of the triangles. */
typedef struct Around {
    DvAdjacency at_point, edges, at_edge;
} Around;

static Around find_around(const TriangleCollisionModel *self)
{
    const DvTopologyRef *mesh = &self->base.topology;
    return (Around){mesh->ops->adjacency(mesh->self, DV_POINTS, DV_TRIANGLES),
                    mesh->ops->adjacency(mesh->self, DV_TRIANGLES, DV_EDGES),
                    mesh->ops->adjacency(mesh->self, DV_EDGES, DV_TRIANGLES)};
}

static void find_owned(TriangleCollisionModel *self, const Around *around, uint32_t t)
{
    const DvAdjacency *at_point = &around->at_point, *edges = &around->edges, *at_edge = &around->at_edge;
    unsigned owns = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t point = self->triangles[3 * (size_t)t + k];
        if (point < at_point->count && at_point->begin[point] < at_point->end[point] &&
            at_point->items[at_point->begin[point]] == t)
            owns |= (unsigned)DV_OWNS_CORNER_0 << k;
        if (t >= edges->count || edges->begin[t] + k >= edges->end[t])
            continue;
        const uint32_t edge = edges->items[edges->begin[t] + k];
        if (edge >= at_edge->count)
            continue;
        const uint32_t first = at_edge->begin[edge], end = at_edge->end[edge];
        if (first < end && at_edge->items[first] == t)
            owns |= (unsigned)DV_OWNS_EDGE_0 << k;
        if (end - first == 1)
            owns |= (unsigned)DV_ON_BORDER_0 << k;
    }
    self->owns[t] = (uint16_t)owns;
}

/* Points that the state does not have count as its last. */
static uint32_t existing(TriangleCollisionModel *self, uint32_t point, uint32_t points)
{
    if (point < points)
        return point;
    self->wrong++;
    return points - 1;
}

static void read_triangle(TriangleCollisionModel *self, DvElements triangles, uint32_t points, uint32_t t)
{
    for (uint32_t k = 0; k < 3; k++)
        self->triangles[3 * (size_t)t + k] = existing(self, triangles.at[3 * (size_t)t + k], points);
}

static void read_quad(TriangleCollisionModel *self, DvElements quads, uint32_t points, uint32_t q)
{
    static const uint32_t half[6] = {1, 2, 0, 3, 0, 2};
    const size_t first = self->of_mesh + 2 * (size_t)q;
    for (uint32_t k = 0; k < 6; k++)
        self->triangles[3 * first + k] = existing(self, quads.at[4 * (size_t)q + half[k]], points);
    self->owns[first] = self->owns[first + 1] = 0;
}

static void read_all(TriangleCollisionModel *self, DvElements triangles, DvElements quads, uint32_t points)
{
    const Around around = find_around(self);
    self->wrong = 0;
    for (uint32_t t = 0; t < triangles.count; t++)
        read_triangle(self, triangles, points, t);
    for (uint32_t t = 0; t < triangles.count; t++)
        find_owned(self, &around, t);
    for (uint32_t q = 0; q < quads.count; q++)
        read_quad(self, quads, points, q);
}

/* What triangles own changes where one around their corners does. */
static void read_touched(TriangleCollisionModel *self, DvElements triangles, DvElements quads, uint32_t points)
{
    dv_mesh_edits_sort(&self->edits, points, triangles.count);
    dv_mesh_edits_sort(&self->quad_edits, points, quads.count);
    for (uint32_t i = 0; i < self->edits.elements.count; i++)
        read_triangle(self, triangles, points, self->edits.elements.data[i]);
    const Around around = find_around(self);
    for (uint32_t i = 0; i < self->edits.points.count; i++) {
        const uint32_t point = self->edits.points.data[i];
        for (uint32_t at = point < around.at_point.count ? around.at_point.begin[point] : 0;
             point < around.at_point.count && at < around.at_point.end[point]; at++)
            find_owned(self, &around, around.at_point.items[at]);
    }
    for (uint32_t i = 0; i < self->quad_edits.elements.count; i++)
        read_quad(self, quads, points, self->quad_edits.elements.data[i]);
}

static void *resized(void *array, uint32_t before, uint32_t count, size_t bytes)
{
    return dv_realloc(array, before * bytes, count * bytes);
}

static void make_room(TriangleCollisionModel *self, uint32_t count)
{
    const uint32_t before = self->allocated, larger = count + count / 4;
    if (count <= before)
        return;
    self->triangles = resized(self->triangles, before, larger, 3 * sizeof *self->triangles);
    self->owns = resized(self->owns, before, larger, sizeof *self->owns);
    self->normals = resized(self->normals, before, larger, 3 * sizeof *self->normals);
    self->allocated = larger;
}

/* Whether they are others than before. */
static bool read_triangles(TriangleCollisionModel *self)
{
    CollisionModel *base = &self->base;
    const uint32_t points = dv_state_count(base->state), before = self->of_mesh;
    MeshReading reading = collision_model_reading(base, &self->edits, self->revision, self->points);
    if (reading == READ_NOTHING)
        return false;
    DvElements triangles = base->topology.ops->elements(base->topology.self, DV_TRIANGLES);
    DvElements quads = base->topology.ops->elements(base->topology.self, DV_QUADS);
    if (points == 0)
        triangles.count = quads.count = 0;
    if (self->wrong > 0 || points == 0 || self->quad_edits.all || (quads.count > 0 && triangles.count != before))
        reading = READ_ALL;
    const uint32_t count = triangles.count + 2 * quads.count;
    make_room(self, count);
    self->of_mesh = triangles.count;
    if (reading == READ_TOUCHED)
        read_touched(self, triangles, quads, points);
    if (reading == READ_ALL || self->wrong > 0)
        read_all(self, triangles, quads, points);
    if (self->wrong > 0)
        dv_warning(dv_object_of(self),
                   "%u corners of its triangles are beyond the %u points of state '%s' and count as the last",
                   self->wrong, points, dv_object_path(base->state.object));
    dv_mesh_edits_clear(&self->edits);
    dv_mesh_edits_clear(&self->quad_edits);
    base->shape.vertices = self->triangles;
    base->shape.owns = self->owns;
    base->shape.normals = self->normals;
    base->shape.corners = 3;
    base->shape.count = count;
    self->revision = base->topology.ops->revision(base->topology.self) + 1;
    self->points = points;
    return true;
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    TriangleCollisionModel *self = self_;
    const bool changed = read_triangles(self);
    self->base.still_normals = self->normals;
    const bool boxes = collision_model_begin(&self->base, self->base.shape.count, changed);
    self->base.shape.both_sides = dv_data_bool(&self->both_sides);
    collision_model_find_points(dv_object_of(self), &self->corners);
    const DvShape *s = &self->base.shape;
    for (uint32_t t = 0; boxes && t < s->count; t++) {
        const DvVec3 a = dv_vec3_load(shape_corner(s, t, 0));
        const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 1)), a);
        const DvVec3 ac = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 2)), a);
        dv_vec3_store(dv_vec3_normalize(dv_vec3_cross(ab, ac)), self->normals + 3 * (size_t)t);
    }
    if (boxes)
        collision_model_bound_corners(&self->base);
    collision_model_end(&self->base, boxes, version);
    return DV_OK;
}

static bool can_collide(void *self_, uint32_t element, DvObject *other, uint32_t other_element)
{
    TriangleCollisionModel *self = self_;
    if (!collision_model_meets_its_body(&self->base, other) || other != self->corners.model)
        return true;
    const uint32_t *corner = self->triangles + 3 * (size_t)element;
    return other_element != corner[0] && other_element != corner[1] && other_element != corner[2];
}

/* A half of a quad: bilinear weights of the whole, from coordinates along the two edges at its first corner. */
static void attach_to_quad(const TriangleCollisionModel *self, uint32_t half, DvVec3 p, DvAttachment *attachment)
{
    const DvShape *s = &self->base.shape;
    const uint32_t first = self->of_mesh + (half - self->of_mesh) / 2 * 2;
    const uint32_t *t0 = self->triangles + 3 * (size_t)first, *t1 = t0 + 3;
    const uint32_t corner[4] = {t0[2], t0[0], t0[1], t1[0]};
    const DvVec3 p0 = dv_vec3_load(s->x + 3 * (size_t)corner[0]);
    const DvVec3 u = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)corner[1]), p0);
    const DvVec3 v = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)corner[3]), p0);
    /* (a, b, h) with a u + b v + h u x v = p - p0 */
    const DvVec3 w = dv_vec3_cross(u, v), d = dv_vec3_sub(p, p0);
    const double det = dv_vec3_norm_squared(w);
    const double a = dv_vec3_dot(dv_vec3_cross(d, v), w) / det, b = dv_vec3_dot(dv_vec3_cross(u, d), w) / det;
    *attachment = (DvAttachment){.count = 4, .points = {corner[0], corner[1], corner[2], corner[3]}};
    attachment->weights[0] = (1 - a) * (1 - b);
    attachment->weights[1] = a * (1 - b);
    attachment->weights[2] = a * b;
    attachment->weights[3] = (1 - a) * b;
}

static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const TriangleCollisionModel *self = self_;
    const DvVec3 p = dv_vec3_load(point);
    if (element >= self->of_mesh) {
        attach_to_quad(self, element, p, attachment);
        return;
    }
    const DvShape *s = &self->base.shape;
    const uint32_t *corner = self->triangles + 3 * (size_t)element;
    const DvVec3 a = dv_vec3_load(shape_corner(s, element, 0));
    const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, element, 1)), a);
    const DvVec3 ac = dv_vec3_sub(dv_vec3_load(shape_corner(s, element, 2)), a);
    double alpha, beta;
    (void)nearest_on_triangle(a, ab, ac, p, (TriangleMargins){0}, &alpha, &beta);
    *attachment = (DvAttachment){
        .count = 3, .points = {corner[0], corner[1], corner[2]}, .weights = {1 - alpha - beta, alpha, beta}};
}

static void draw(void *self_, DvDraw *target)
{
    TriangleCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    const uint32_t count = self->base.shape.count, sides = dv_draw_shows(target, DV_DISPLAY_WIREFRAME) ? 6 : 3;
    double *corners = dv_alloc(3 * (size_t)sides * count, sizeof *corners);
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = 0; k < sides; k++) {
            const uint32_t corner = sides == 3 ? k : (k + 1) / 2 % 3;
            const uint32_t point = self->triangles[3 * (size_t)t + corner];
            dv_vec3_store(dv_vec3_load(x.at + 3 * (size_t)point), corners + 3 * ((size_t)t * sides + k));
        }
    if (sides == 3)
        target->ops->triangles(target, corners, count, color);
    else
        target->ops->lines(target, corners, 3 * count, 1.0, color);
    dv_free(corners);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .can_collide = can_collide,
                                        .attach = attach};

const DvClass dv_triangle_collision_model = {
    .size = sizeof(DvClass),
    .name = "TriangleCollisionModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "The triangles and quads of a mesh as elements that collide.",
    .instance_size = sizeof(TriangleCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
