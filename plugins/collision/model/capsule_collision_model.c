/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CapsuleCollisionModel: all that is within a radius of a segment.
 *
 * Of a state of points: the edges of its mesh are the segments. Of a rigid state: each frame has a segment along its second axis,
 * with the centre in its middle, as long as `heights` says. What radii and heights lack takes the default.
 */
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "geometry.h"
#include "mesh_elements.h"

typedef struct CapsuleCollisionModel {
    CollisionModel base;
    DvData radii, point_radii, heights, default_radius, default_height;
    MeshElements lines; /* of a state of points */
    DvSolids solids;
    double *arrays; /* [capacity x 9] velocities of all; of rigid ones the ends of all behind */
    uint32_t capacity;
    uint32_t *ends; /* [end_capacity] 0 1 2 ...: numbers of the ends of rigid ones */
    uint32_t end_capacity;
} CapsuleCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(CapsuleCollisionModel, base),
    COLLISION_MODEL_TOPOLOGY(CapsuleCollisionModel, base),
    DV_FIELD(CapsuleCollisionModel, radii, "radii", dv_type_doubles, .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "of frames: radius of each capsule"),
    DV_FIELD(CapsuleCollisionModel, heights, "heights", dv_type_doubles, .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "of frames: length of the segment of each capsule"),
    DV_FIELD(CapsuleCollisionModel, point_radii, "listCapsuleRadii", dv_type_doubles, .unit = "m",
             .range = &dv_range_not_negative, .flags = DV_FIELD_EMPTY_IS_DEFAULT,
             .help = "of edges: radius of each capsule"),
    DV_FIELD(CapsuleCollisionModel, default_radius, "defaultRadius", dv_type_double, .init = "0.5", .unit = "m",
             .range = &dv_range_not_negative, .help = "radius of capsules whose own is not named"),
    DV_FIELD(CapsuleCollisionModel, default_height, "dafaultHeight", dv_type_double, .init = "2", .unit = "m",
             .range = &dv_range_not_negative, .aliases = (const char *const[]){"defaultHeight", NULL},
             .help = "of frames: length of segments that heights does not name"),
    {0},
};

static bool is_rigid(const CapsuleCollisionModel *self)
{
    return self->base.state.dof->rotation;
}

static DvData *radii_of(CapsuleCollisionModel *self)
{
    return is_rigid(self) ? &self->radii : &self->point_radii;
}

static DvStatus init(DvObject *object, void *self_)
{
    CapsuleCollisionModel *self = self_;
    const bool rigid = strcmp(dv_object_variant(object), "Rigid3d") == 0;
    const DvStatus status =
        collision_model_init(object, &self->base, rigid ? DV_SHAPE_RIGID_CAPSULES : DV_SHAPE_CAPSULES, !rigid);
    return status == DV_OK && !rigid ? mesh_elements_follow(&self->lines, &self->base, DV_EDGES) : status;
}

static void cleanup(DvObject *object, void *self_)
{
    CapsuleCollisionModel *self = self_;
    collision_model_cleanup(object, &self->base);
    mesh_elements_free(&self->lines);
    dv_free(self->arrays);
    dv_free(self->ends);
    self->arrays = NULL;
    self->ends = NULL;
    self->capacity = self->end_capacity = 0;
}

static void find_ends(CapsuleCollisionModel *self)
{
    DvShape *s = &self->base.shape;
    const DvConstVec v = dv_state_read(self->base.state, DV_VELOCITY);
    const double *heights = dv_data_doubles(&self->heights, NULL);
    double *at = self->arrays + 3 * (size_t)self->capacity;
    if (2 * s->count > self->end_capacity) {
        dv_free(self->ends);
        self->end_capacity = 2 * self->capacity;
        self->ends = dv_alloc(self->end_capacity, sizeof *self->ends);
        for (uint32_t i = 0; i < self->end_capacity; i++)
            self->ends[i] = i;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const DvRigid3 frame = dv_rigid3_load(s->x + (size_t)i * s->stride);
        const DvVec3 half = dv_quat_rotate(frame.orientation, dv_vec3(0.0, 0.5 * heights[i], 0.0));
        dv_vec3_store(dv_vec3_sub(frame.center, half), at + 6 * (size_t)i);
        dv_vec3_store(dv_vec3_add(frame.center, half), at + 6 * (size_t)i + 3);
        dv_vec3_store(dv_vec3_load(v.at + (size_t)i * v.dim), self->arrays + 3 * (size_t)i);
    }
    s->x = at;
    s->stride = 3;
    s->corners = 2;
    s->vertices = self->ends;
}

static void find_velocities(CapsuleCollisionModel *self)
{
    const DvShape *s = &self->base.shape;
    const double *v = dv_state_read(self->base.state, DV_VELOCITY).at;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t *end = self->lines.at + 2 * (size_t)i;
        const DvVec3 sum = dv_vec3_add(dv_vec3_load(v + 3 * (size_t)end[0]), dv_vec3_load(v + 3 * (size_t)end[1]));
        dv_vec3_store(dv_vec3_scale(sum, 0.5), self->arrays + 3 * (size_t)i);
    }
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    CapsuleCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    DvShape *s = &base->shape;
    const uint32_t frames = dv_state_count(base->state);
    const bool changed = is_rigid(self) ? frames != s->count : mesh_elements_read(&self->lines, base);
    const uint32_t count = is_rigid(self) ? frames : s->count;
    collision_model_complete(radii_of(self), count, dv_data_double(&self->default_radius));
    const bool boxes = collision_model_begin(base, count, changed);
    self->arrays = collision_model_room(self->arrays, &self->capacity, count, 9);
    s->radii = dv_data_doubles(radii_of(self), NULL);
    if (is_rigid(self)) {
        collision_model_complete(&self->heights, count, dv_data_double(&self->default_height));
        find_ends(self);
    } else {
        find_velocities(self);
    }
    self->solids = (DvSolids){.velocities = self->arrays};
    s->more = &self->solids;
    if (boxes)
        collision_model_bound_corners(base);
    collision_model_end(base, boxes, version);
    return DV_OK;
}

/* Of points: along the segment, a radius inside the surface. */
static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    CapsuleCollisionModel *self = self_;
    if (is_rigid(self)) {
        collision_model_attach_to_frame(self, element, point, attachment);
        return;
    }
    const DvShape *s = &self->base.shape;
    const uint32_t *end = self->lines.at + 2 * (size_t)element;
    const DvVec3 a = dv_vec3_load(shape_corner(s, element, 0));
    const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, element, 1)), a);
    const double u = clamped(foot_on_line(a, ab, dv_vec3_load(point)));
    *attachment =
        (DvAttachment){.count = 2, .points = {end[0], end[1]}, .weights = {1.0 - u, u}, .radius = s->radii[element]};
}

/* Its segment, and spheres around the ends. */
static void draw(void *self_, DvDraw *target)
{
    CapsuleCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color) || !self->solids.velocities)
        return;
    const DvShape *s = &self->base.shape;
    double *ends = dv_alloc(8 * (size_t)s->count, sizeof *ends), *radii = ends + 6 * (size_t)s->count;
    for (uint32_t i = 0; i < 2 * s->count; i++) {
        dv_vec3_store(dv_vec3_load(shape_corner(s, i / 2, i % 2)), ends + 3 * (size_t)i);
        radii[i] = s->radii[i / 2];
    }
    target->ops->lines(target, ends, s->count, 1.0, color);
    target->ops->spheres(target, ends, radii, 2 * s->count, color);
    dv_free(ends);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .attach = attach};

const DvClass dv_capsule_collision_model = {
    .size = sizeof(DvClass),
    .name = "CapsuleCollisionModel",
    .variants = "Vec3d Rigid3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "CollisionOBBCapsule",
    .help = "Capsules around the edges of a mesh, or along the second axes of frames.",
    .instance_size = sizeof(CapsuleCollisionModel),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = cleanup,
};
