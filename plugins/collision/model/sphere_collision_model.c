/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SphereCollisionModel: a sphere around each point of a state, or around the centre of each frame of a rigid one.
 *
 * `listRadius` has a radius for each; what is missing takes `radius`.
 *
 * Contacts begin at the distance between the places that a method names and the radius. Of points a contact moves the centre, so that
 * this is right; of frames it moves the place itself, on the surface by most methods: the radius counts twice, and rigid spheres
 * keep that much apart. Scenes rely on it; `countRadiusOnce` does what is right.
 */
#include <divan/contracts/report.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "collision_model.h"

typedef struct SphereCollisionModel {
    CollisionModel base;
    DvData radii, radius, once, impostors;
    size_t listed;                /* radii that a user gave; the others are `radius` */
    uint64_t filled, filled_with; /* versions of `radii` and `radius` when the list was filled up */
} SphereCollisionModel;

static const DvField fields[] = {
    COLLISION_MODEL_FIELDS(SphereCollisionModel, base),
    DV_FIELD(SphereCollisionModel, radii, "listRadius", dv_type_doubles, .unit = "m", .range = &dv_range_not_negative,
             .flags = DV_FIELD_EMPTY_IS_DEFAULT, .help = "radius of each sphere"),
    DV_FIELD(SphereCollisionModel, radius, "radius", dv_type_double, .init = "1", .unit = "m",
             .range = &dv_range_not_negative, .help = "radius of spheres that listRadius does not name"),
    DV_FIELD(SphereCollisionModel, once, "countRadiusOnce", dv_type_bool, .init = "0",
             .help = "rigid spheres touch at their surfaces; without it most methods keep them a radius apart"),
    DV_FIELD(SphereCollisionModel, impostors, "showImpostors", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "draw spheres; false: their centres only"),
    {0},
};

/* As many radii as there are spheres: those that the list gives, then `radius`. Returns whether one is new. */
static bool fit_radii(SphereCollisionModel *self, uint32_t count)
{
    size_t there;
    dv_data_doubles(&self->radii, &there);
    const bool written = dv_data_version(&self->radii) != self->filled;
    if (written)
        self->listed = there;
    const bool another = dv_data_version(&self->radius) != self->filled_with && self->listed < count;
    self->filled = dv_data_version(&self->radii);
    if (there == count && !another)
        return written;
    const double radius = dv_data_double(&self->radius);
    double *radii = dv_data_begin(&self->radii, count);
    for (size_t i = another ? self->listed : there; i < count; i++)
        radii[i] = radius;
    dv_data_end(&self->radii);
    self->filled = dv_data_version(&self->radii);
    self->filled_with = dv_data_version(&self->radius);
    return true;
}

static DvStatus init(DvObject *object, void *self_)
{
    SphereCollisionModel *self = self_;
    const DvStatus status = collision_model_init(object, &self->base, DV_SHAPE_SPHERES, false);
    if (status != DV_OK)
        return status;
    if (self->base.state.dof->rotation)
        self->base.shape.kind = DV_SHAPE_RIGID_SPHERES;
    (void)fit_radii(self, dv_state_count(self->base.state));
    return DV_OK;
}

static DvStatus update(void *self_, DvShapeVersion *version)
{
    SphereCollisionModel *self = self_;
    CollisionModel *base = &self->base;
    const uint32_t count = dv_state_count(base->state);
    const bool radii = fit_radii(self, count);
    const bool boxes = collision_model_begin(base, count, radii || count != base->shape.count);
    DvShape *s = &base->shape;
    s->radii = dv_data_doubles(&self->radii, NULL);
    for (uint32_t i = 0; boxes && i < count; i++) {
        const double *centre = s->x + (size_t)i * s->stride, reach = s->radii[i] + s->distance;
        const double lower[3] = {centre[0] - reach, centre[1] - reach, centre[2] - reach};
        const double upper[3] = {centre[0] + reach, centre[1] + reach, centre[2] + reach};
        collision_model_set_box(base, i, lower, upper);
    }
    collision_model_end(base, boxes, version);
    return DV_OK;
}

static void attach(void *self_, uint32_t element, const double point[3], DvAttachment *attachment)
{
    SphereCollisionModel *self = self_;
    const DvShape *s = &self->base.shape;
    *attachment = (DvAttachment){.count = 1, .points = {element}, .weights = {1.0}, .radius = s->radii[element]};
    if (self->base.state.dof->rotation) {
        const DvVec3 lever =
            dv_rigid3_to_local(dv_rigid3_load(s->x + (size_t)element * s->stride), dv_vec3_load(point));
        dv_vec3_store(lever, attachment->lever);
        if (dv_data_bool(&self->once))
            attachment->radius -= dv_vec3_norm(lever); /* what is left from the place to the surface */
    }
}

static void report(void *self_, DvReportLine line, void *context)
{
    SphereCollisionModel *self = self_;
    if (self->base.state.ops && self->base.state.dof->rotation && !dv_data_bool(&self->once))
        line(context, "rigid spheres keep a radius apart by most methods, since the radius counts twice; set "
                      "countRadiusOnce=\"1\" where old results need not be kept");
}

static void draw(void *self_, DvDraw *target)
{
    SphereCollisionModel *self = self_;
    double color[4];
    if (!collision_model_is_drawn(&self->base, target, color))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    const uint32_t count = self->base.shape.count < x.count ? self->base.shape.count : x.count;
    double *centres = dv_alloc(3 * (size_t)count, sizeof *centres);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            centres[3 * (size_t)i + axis] = x.at[(size_t)i * x.dim + axis];
    if (dv_data_bool(&self->impostors))
        target->ops->spheres(target, centres, dv_data_doubles(&self->radii, NULL), count, color);
    else
        target->ops->points(target, centres, count, 3.0, color);
    dv_free(centres);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvReportOps reports = {.size = sizeof reports, .report = report};
static const DvCollisionModelOps ops = {COLLISION_MODEL_OPERATIONS, .update = update, .attach = attach};

const DvClass dv_sphere_collision_model = {
    .size = sizeof(DvClass),
    .name = "SphereCollisionModel",
    .variants = "Vec3d Rigid3d",
    .bases = (const char *const[]){"CollisionModel", NULL},
    .family = "collision models",
    .module = "Sofa.Component.Collision.Geometry",
    .help = "Spheres around the points of a state, or around the frames of a rigid one.",
    .instance_size = sizeof(SphereCollisionModel),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_COLLISION_MODEL, .ops = &ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {.id = DV_REPORT, .ops = &reports},
                                      {0}},
    .accepts = collision_model_accepts,
    .restore = collision_model_restore,
    .init = init,
    .cleanup = collision_model_cleanup,
};
