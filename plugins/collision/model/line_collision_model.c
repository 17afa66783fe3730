/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LineCollisionModel: the edges of a mesh.
 *
 * Within a body two lines do not meet when they share a point or are joined by an edge, nor does a line meet the points of the
 * edges around its ends.
 */
#include <divan/math/simd.h>
#include <divan/math/vec.h>
#include <divan/memory.h>

#include "mesh_elements.h"
#include "phase/neighbours.h"

typedef struct LineCollisionModel {
    CollisionModel base;
    DvData both_sides, display_free_position;
    MeshElements lines;
    PointsOfBody ends;
} LineCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(LineCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(LineCollisionModel, base),
    DV_FIELD(LineCollisionModel, both_sides, "bothSide", dv_type_bool, .init = "0",
             .help = "contacts from the inner side of the surface count too"),
    DV_FIELD(LineCollisionModel, display_free_position, "displayFreePosition", dv_type_bool, .init = "0",
             .flags = DV_FIELD_DRAWING, .help = "draw the free positions too"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    LineCollisionModel *self = self_;
    const DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_LINES, true);
    return status == DV_OK ? mesh_elements_follow(&self->lines, &self->base, DV_EDGES) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    LineCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    mesh_elements_free(&self->lines);
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    LineCollisionModel *self = self_;
    const bool changed = mesh_elements_read(&self->lines, &self->base);
    const bool boxes = collision_model_begin(&self->base, self->base.shape.count, changed);
    self->base.shape.both_sides = dv_data_bool(&self->both_sides);
    collision_model_find_points(dv_object_of(self), &self->ends);
    (void)self->base.topology.ops->adjacency(self->base.topology.self, DV_POINTS,
                                             DV_EDGES); /* can_collide asks for it */
    if (boxes)
        collision_model_bound_corners(&self->base);
    collision_model_end(&self->base, boxes, version);
    return DV_OK;
}

/* Whether some edge around a point of `a` is also around a point of `b`. */
DV_SIMD_INLINE bool are_joined(const DvAdjacency *around, const uint32_t a[2], const uint32_t b[2])
{
    for (int i = 0; i < 2; i++)
        for (uint32_t e = around->begin[a[i]]; e < around->end[a[i]]; e++)
            for (int k = 0; k < 2; k++)
                for (uint32_t f = around->begin[b[k]]; f < around->end[b[k]]; f++)
                    if (around->items[e] == around->items[f])
                        return true;
    return false;
}

DV_SIMD_INLINE bool is_end_near(const CollisionModel *base, const DvAdjacency *around, const uint32_t line[2],
                                uint32_t point)
{
    const DvElements edges = base->topology.ops->elements(base->topology.self, DV_EDGES);
    for (int i = 0; i < 2; i++) {
        if (line[i] == point)
            return true;
        for (uint32_t e = around->begin[line[i]]; e < around->end[line[i]]; e++) {
            const uint32_t *edge = edges.at + 2 * (size_t)around->items[e];
            if (edge[0] == point || edge[1] == point)
                return true;
        }
    }
    return false;
}

/* A model that is neither this one nor the first of points. */
static __attribute__((noinline)) bool another_agrees(LineCollisionModel *self, uint32_t element, DvObject *other,
                                                     uint32_t other_element)
{
    const CollisionModel *base = &self->base;
    const DvShape *s = collision_model_shape_of(other);
    if (strcmp(s->kind, DV_SHAPE_POINTS) != 0 && strcmp(s->kind, DV_SHAPE_LINES) != 0)
        return collision_model_other_agrees(dv_object_of(self), element, other, other_element);
    /* One more model of lines or points: over the same mesh as the first ones, over another by the points in common. */
    if (s->topology_self != base->shape.topology_self)
        return !elements_share_a_point(&base->shape, element, s, other_element);
    const uint32_t *line = base->shape.vertices + 2 * (size_t)element;
    const DvAdjacency around = base->topology.ops->adjacency(base->topology.self, DV_POINTS, DV_EDGES);
    return s->vertices ? !are_joined(&around, line, s->vertices + 2 * (size_t)other_element)
                       : !is_end_near(base, &around, line, other_element);
}

static bool can_collide(void *self_, uint32_t element, DvObject *other, uint32_t other_element)
{
    LineCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    DvObject *object = dv_object_of(self);
    if (!collision_model_meets_its_body(base, other))
        return true;
    const uint32_t *line = base->shape.vertices + 2 * (size_t)element;
    const DvAdjacency around = base->topology.ops->adjacency(base->topology.self, DV_POINTS, DV_EDGES);
    if (other == object)
        return !are_joined(&around, line, base->shape.vertices + 2 * (size_t)other_element);
    if (other == self->ends.model)
        return !is_end_near(base, &around, line, other_element);
    return another_agrees(self, element, other, other_element);
}

/* Along the line, beyond its ends too. */
static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    const LineCollisionModel *self = self_;
    const DvShape *s = &self->base.shape;
    const uint32_t *line = s->vertices + 2 * (size_t)element;
    const DvVec3 a = dv_vec3_load(shape_corner(s, element, 0));
    const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, element, 1)), a);
    const double length2 = dv_vec3_norm_squared(ab);
    const double u = length2 < 2.2e-16 ? 0.0 : dv_vec3_dot(dv_vec3_sub(dv_vec3_load(point), a), ab) / length2;
    *attachment = (DvAttachment){.count = 2, .points = {line[0], line[1]}, .weights = {1.0 - u, u}};
}

static void draw(void *self_, DvDraw *target)
{
    LineCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color))
        return;
    const uint32_t lines = self->base.shape.count;
    double *ends = dv_alloc(6 * (size_t)lines, sizeof *ends);
    for (int free_ones = 0; free_ones < 2; free_ones++) {
        const DvConstVec x = dv_state_read(self->base.state, free_ones ? DV_FREE_POSITION : DV_POSITION);
        if (!x.at || (free_ones && !dv_data_bool(&self->display_free_position)))
            continue;
        for (uint32_t i = 0; i < 2 * lines; i++)
            dv_vec3_store(dv_vec3_load(x.at + 3 * (size_t)self->lines.at[i]), ends + 3 * (size_t)i);
        target->ops->lines(target, ends, lines, 1.0, free_ones ? (const double[4]){0.0, 1.0, 0.2, 1.0} : color);
    }
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .can_collide = can_collide,
                                        .attach = attach};

const DvClass dv_line_collision_model = {
    .size = sizeof(DvClass),
    .name = "LineCollisionModel",
    .variants = "Vec3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "The edges of a mesh as elements that collide.",
    .instance_size = sizeof(LineCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
