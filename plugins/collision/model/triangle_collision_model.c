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

#include "collision_model.h"
#include "geometry.h"

typedef struct TriangleCollisionModel {
    CollisionModel base;
    DvData both_sides, compute_normals, use_curvature;
    uint32_t *triangles; /* [count x 3] */
    uint16_t *owns;      /* [count] */
    double *normals;     /* [count x 3] */
    uint32_t allocated;  /* triangles */
    uint32_t of_mesh;    /* triangles that are those of the mesh; the rest are halves of quads */
    uint64_t revision;   /* of the mesh, as of the triangles; 0: never */
    uint32_t points;     /* of the state then */
    PointsOfBody corners;
} TriangleCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(TriangleCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(TriangleCollisionModel, base),
    DV_FIELD(TriangleCollisionModel, both_sides, "bothSide", dv_type_bool, .init = "0",
             .help = "contacts from the inner side of the surface count too"),
    DV_FIELD(TriangleCollisionModel, compute_normals, "computeNormals", dv_type_bool, .init = "1",
             .help = "kept for scenes that name it: routines get normals whatever it says"),
    DV_FIELD(TriangleCollisionModel, use_curvature, "useCurvature", dv_type_bool, .init = "0",
             .help = "kept for scenes that name it: flat parts of a surface are tested against themselves too"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    TriangleCollisionModel *self = self_;
    self->revision = 0;
    return collision_model_init(object, &self->base, DV_SHAPE_TRIANGLES, true);
}

static void cleanup(DvObject *object, void *self_)
{
    TriangleCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_free(self->triangles);
    dv_free(self->owns);
    dv_free(self->normals);
    self->triangles = NULL;
    self->owns = NULL;
    self->normals = NULL;
    self->allocated = 0;
}

static void find_owners(TriangleCollisionModel *self)
{
    const CollisionModel *base = &self->base;
    const DvAdjacency at_point = base->topology.ops->adjacency(base->topology.self, DV_POINTS, DV_TRIANGLES);
    const DvAdjacency edges = base->topology.ops->adjacency(base->topology.self, DV_TRIANGLES, DV_EDGES);
    const DvAdjacency at_edge = base->topology.ops->adjacency(base->topology.self, DV_EDGES, DV_TRIANGLES);
    for (uint32_t t = 0; t < self->of_mesh; t++) {
        unsigned owns = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t point = self->triangles[3 * (size_t)t + k];
            if (point < at_point.count && at_point.begin[point] < at_point.end[point] &&
                at_point.items[at_point.begin[point]] == t)
                owns |= (unsigned)DV_OWNS_CORNER_0 << k;
            if (t >= edges.count || edges.begin[t] + k >= edges.end[t])
                continue;
            const uint32_t edge = edges.items[edges.begin[t] + k];
            if (edge >= at_edge.count)
                continue;
            const uint32_t first = at_edge.begin[edge], end = at_edge.end[edge];
            if (first < end && at_edge.items[first] == t)
                owns |= (unsigned)DV_OWNS_EDGE_0 << k;
            if (end - first == 1)
                owns |= (unsigned)DV_ON_BORDER_0 << k;
        }
        self->owns[t] = (uint16_t)owns;
    }
}

/* Points that the state does not have count as its last. */
static uint32_t existing(uint32_t point, uint32_t points, uint32_t *wrong)
{
    if (point < points)
        return point;
    (*wrong)++;
    return points - 1;
}

/* Whether they are others than before. */
static bool read_triangles(TriangleCollisionModel *self)
{
    CollisionModel *base = &self->base;
    const uint64_t revision = base->topology.ops->revision(base->topology.self) + 1;
    const uint32_t points = dv_state_count(base->state);
    if (revision == self->revision && points == self->points)
        return false;
    const DvElements triangles = base->topology.ops->elements(base->topology.self, DV_TRIANGLES);
    const DvElements quads = base->topology.ops->elements(base->topology.self, DV_QUADS);
    const uint32_t count = points > 0 ? triangles.count + 2 * quads.count : 0;
    if (count > self->allocated) {
        dv_free(self->triangles);
        dv_free(self->owns);
        dv_free(self->normals);
        self->allocated = count + count / 4;
        self->triangles = dv_alloc(3 * (size_t)self->allocated, sizeof *self->triangles);
        self->owns = dv_alloc(self->allocated, sizeof *self->owns);
        self->normals = dv_alloc(3 * (size_t)self->allocated, sizeof *self->normals);
    }
    uint32_t wrong = 0;
    self->of_mesh = points > 0 ? triangles.count : 0;
    for (uint32_t i = 0; i < 3 * self->of_mesh; i++)
        self->triangles[i] = existing(triangles.at[i], points, &wrong);
    for (uint32_t q = 0; points > 0 && q < quads.count; q++) {
        static const uint32_t half[6] = {1, 2, 0, 3, 0, 2};
        for (uint32_t k = 0; k < 6; k++)
            self->triangles[3 * (size_t)self->of_mesh + 6 * (size_t)q + k] =
                existing(quads.at[4 * (size_t)q + half[k]], points, &wrong);
    }
    if (wrong > 0)
        dv_warning(dv_object_of(self),
                   "%u corners of its triangles are beyond the %u points of state '%s' and count as the last", wrong,
                   points, dv_object_path(base->state.object));
    for (uint32_t t = 0; t < count; t++)
        self->owns[t] = 0;
    find_owners(self);
    base->shape.vertices = self->triangles;
    base->shape.owns = self->owns;
    base->shape.normals = self->normals;
    base->shape.corners = 3;
    base->shape.count = count;
    self->revision = revision;
    self->points = points;
    return true;
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    TriangleCollisionModel *self = self_;
    const bool changed = read_triangles(self);
    const bool boxes = collision_model_begin(&self->base, self->base.shape.count, changed);
    self->base.shape.both_sides = dv_data_bool(&self->both_sides);
    collision_model_find_points(dv_object_of(self), &self->corners);
    *version = self->base.version;
    if (!boxes)
        return DV_OK;
    const DvShape *s = &self->base.shape;
    for (uint32_t t = 0; t < s->count; t++) {
        const DvVec3 a = dv_vec3_load(shape_corner(s, t, 0));
        const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 1)), a);
        const DvVec3 ac = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 2)), a);
        dv_vec3_store(dv_vec3_normalize(dv_vec3_cross(ab, ac)), self->normals + 3 * (size_t)t);
    }
    collision_model_bound_corners(&self->base);
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
    .init = init,
    .cleanup = cleanup,
};
