/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PointCollisionModel: each point of a state as an element.
 *
 * With `computeNormals` a point has the normalised sum of the unit normals of what is around it: the outer faces of tetrahedra, or
 * the triangles and the quads; zero where they cancel (sum shorter than 1e-3).
 */
#include <math.h>
#include <string.h>

#include <divan/math/vec.h>
#include <divan/memory.h>

#include "collision_model.h"

typedef struct PointCollisionModel {
    CollisionModel base;
    DvData both_sides, compute_normals, display_free_position;
    double *normals; /* [count x 3] */
    uint32_t normal_capacity;
    uint64_t graph; /* revision of the root when the lines around it were looked for */
    bool alone;     /* the mesh that is there is of other points, which has been told */
} PointCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(PointCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(PointCollisionModel, base),
    DV_FIELD(PointCollisionModel, both_sides, "bothSide", dv_type_bool, .init = "0",
             .help = "contacts from the inner side of the surface count too"),
    DV_FIELD(PointCollisionModel, compute_normals, "computeNormals", dv_type_bool, .init = "0",
             .help = "compute normals of the points, which tests of points in tetrahedra need"),
    DV_FIELD(PointCollisionModel, display_free_position, "displayFreePosition", dv_type_bool, .init = "0",
             .flags = DV_FIELD_DRAWING, .help = "draw the free positions too"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    PointCollisionModel *self = self_;
    const DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_POINTS, false);
    if (status != DV_OK)
        return status;
    /* Points need no mesh; one that is there tells their neighbours. */
    return dv_topology_require(object, &self->base.topology_link, NULL, &self->base.topology);
}

static void cleanup(DvObject *object, void *self_)
{
    PointCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    dv_free(self->normals);
    self->normals = NULL;
    self->normal_capacity = 0;
}

static void add_normal(PointCollisionModel *self, DvVec3 normal, const uint32_t *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (points[i] < self->base.shape.count)
            dv_vec3_accumulate(normal, self->normals + 3 * (size_t)points[i]);
}

static DvVec3 unit_cross(DvVec3 a, DvVec3 b)
{
    return dv_vec3_normalize(dv_vec3_cross(a, b));
}

static void compute_normals(PointCollisionModel *self)
{
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    const DvShape *s = &self->base.shape;
    if (s->count > self->normal_capacity) {
        dv_free(self->normals);
        self->normal_capacity = s->count + s->count / 4 + 16;
        self->normals = dv_alloc(3 * (size_t)self->normal_capacity, sizeof *self->normals);
    }
    memset(self->normals, 0, 3 * (size_t)s->count * sizeof *self->normals);
    const DvTopologyOps *mesh = s->topology;
    if (mesh) {
        const DvElements tetrahedra = mesh->elements(s->topology_self, DV_TETRAHEDRA);
        const DvElements hexahedra = mesh->elements(s->topology_self, DV_HEXAHEDRA);
        for (uint32_t t = 0; t < tetrahedra.count; t++) {
            const uint32_t *corner = tetrahedra.at + 4 * (size_t)t;
            for (int f = 0; f < 4; f++) {
                const uint32_t face[3] = {corner[faces[f][0]], corner[faces[f][1]], corner[faces[f][2]]};
                const DvVec3 a = dv_vec3_load(s->x + 3 * (size_t)face[0]);
                const DvVec3 ab = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)face[1]), a);
                const DvVec3 ac = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)face[2]), a);
                add_normal(self, unit_cross(ac, ab), face, 3);
            }
        }
        if (!tetrahedra.count && !hexahedra.count) {
            const DvElements triangles = mesh->elements(s->topology_self, DV_TRIANGLES);
            const DvElements quads = mesh->elements(s->topology_self, DV_QUADS);
            for (uint32_t t = 0; t < triangles.count; t++) {
                const uint32_t *c = triangles.at + 3 * (size_t)t;
                const DvVec3 a = dv_vec3_load(s->x + 3 * (size_t)c[0]);
                const DvVec3 ab = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)c[1]), a);
                const DvVec3 ac = dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)c[2]), a);
                add_normal(self, unit_cross(ab, ac), c, 3);
            }
            for (uint32_t q = 0; q < quads.count; q++) {
                const uint32_t *c = quads.at + 4 * (size_t)q;
                const DvVec3 ac =
                    dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)c[2]), dv_vec3_load(s->x + 3 * (size_t)c[0]));
                const DvVec3 bd =
                    dv_vec3_sub(dv_vec3_load(s->x + 3 * (size_t)c[3]), dv_vec3_load(s->x + 3 * (size_t)c[1]));
                add_normal(self, unit_cross(ac, bd), c, 4);
            }
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const DvVec3 n = dv_vec3_load(self->normals + 3 * (size_t)i);
        const double length = dv_vec3_norm(n);
        dv_vec3_store(length > 1e-3 ? dv_vec3_scale(n, 1.0 / length) : dv_vec3_zero(), self->normals + 3 * (size_t)i);
    }
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    PointCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    const uint32_t count = dv_state_count(base->state);
    const bool boxes = collision_model_begin(base, count, count != base->shape.count);
    base->shape.both_sides = dv_data_bool(&self->both_sides);
    const uint64_t graph = dv_node_revision(dv_node_root(dv_object_node(dv_object_of(self))));
    if (self->graph != graph) {
        self->graph = graph;
        base->shape.lines = collision_model_find_kind(dv_object_of(self), DV_SHAPE_LINES, NULL);
    }
    const bool alone = base->topology.ops && !base->shape.topology;
    /* That of a node above may well be of another body. */
    if (alone && !self->alone && dv_object_node(base->topology.object) == dv_object_node(dv_object_of(self)))
        dv_warning(dv_object_of(self),
                   "the mesh '%s' has %u points and state '%s' %u: so the elements around its points are not known",
                   dv_object_path(base->topology.object), base->topology.ops->point_count(base->topology.self),
                   dv_object_path(base->state.object), count);
    self->alone = alone;
    base->shape.normals = NULL;
    if (dv_data_bool(&self->compute_normals)) {
        compute_normals(self);
        base->shape.normals = self->normals;
    }
    if (boxes)
        collision_model_bound_corners(base);
    collision_model_end(base, boxes, version);
    return DV_OK;
}

/* Two points of one model never meet, nor does a point meet itself in another model of points; another model of the node answers for its own elements. */
static bool can_collide(void *self_, uint32_t element, DvObject *other, uint32_t other_element)
{
    PointCollisionModel *self = self_;
    DvObject *object = dv_object_of(self);
    if (!collision_model_meets_its_body(&self->base, other))
        return true;
    if (other == object)
        return false;
    if (strcmp(collision_model_shape_of(other)->kind, DV_SHAPE_POINTS) == 0)
        return element != other_element;
    return collision_model_other_agrees(object, element, other, other_element);
}

static void attach(void *self, uint32_t element, const double point[3], DvAttachment *attachment)
{
    (void)self, (void)point;
    *attachment = (DvAttachment){.count = 1, .points = {element}, .weights = {1.0}};
}

static void draw(void *self_, DvDraw *target)
{
    PointCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    target->ops->points(target, x.at, x.count, 3.0, color);
    const DvConstVec free_x = dv_state_read(self->base.state, DV_FREE_POSITION);
    if (dv_data_bool(&self->display_free_position) && free_x.at)
        target->ops->points(target, free_x.at, free_x.count, 3.0, (const double[4]){0.0, 1.0, 0.2, 1.0});
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .can_collide = can_collide,
                                        .attach = attach};

const DvClass dv_point_collision_model = {
    .size = sizeof(DvClass),
    .name = "PointCollisionModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "The points of a state as elements that collide.",
    .instance_size = sizeof(PointCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
