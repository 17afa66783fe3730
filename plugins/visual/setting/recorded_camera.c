/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RecordedCamera: a camera that moves with the time of the scene, at the beginning of each step.
 *
 *   rotationMode      once around `rotationAxis` through `rotationCenter` from startTime to endTime, and on; it starts from
 *                     `rotationStartPoint` and looks at `rotationLookAt`
 *   translationMode   along the straight lines between `cameraPositions`, as long on each; it looks at the next one, and begins
 *                     anew at endTime
 *   navigationMode    the same, turned as `cameraOrientations` say: slerp between them (Shoemake, Animating rotation with quaternion
 *                     curves, 1985)
 *
 * The first of these that is asked for counts. While it rotates and translates, its y axis is as near to `cameraUp` as can be.
 */
#include "camera.h"

#include <divan/contracts/drawing.h>

#include <math.h>

typedef struct RecordedCamera {
    Camera camera;
    DvData start_time, end_time, rotation_mode, translation_mode, navigation_mode;
    DvData rotation_center, rotation_start_point, rotation_look_at, rotation_axis, camera_up;
    DvData draw_rotation, draw_translation, positions, orientations;
    DvCamera first; /* where it is at the start */
} RecordedCamera;

static DvVec3 vec3_of(DvData *data)
{
    return dv_vec3_load(dv_data_doubles(data, NULL));
}

static void look(RecordedCamera *self, DvVec3 from, DvVec3 to)
{
    const DvQuat present = dv_quat_load(dv_data_doubles(&self->camera.orientation, NULL));
    const DvVec3 given = vec3_of(&self->camera_up);
    const DvVec3 up = dv_vec3_norm(given) > 0.0 ? dv_vec3_normalize(given) : dv_quat_rotate(present, dv_vec3(0, 1, 0));
    camera_place(&self->camera, from, dv_camera_orientation_towards(present, up, from, to), to);
}

/* Share of the recorded time that has passed. */
static double progress(RecordedCamera *self, double time)
{
    const double start = dv_data_double(&self->start_time);
    return (time - start) / (dv_data_double(&self->end_time) - start);
}

static void rotate(RecordedCamera *self, double time)
{
    const DvVec3 centre = vec3_of(&self->rotation_center), axis = dv_vec3_normalize(vec3_of(&self->rotation_axis));
    const DvQuat turn = dv_quat_from_axis_angle(axis, 2.0 * DV_PI * progress(self, time));
    const DvVec3 arm = dv_vec3_sub(vec3_of(&self->rotation_start_point), centre);
    look(self, dv_vec3_add(centre, dv_quat_rotate(turn, arm)), vec3_of(&self->rotation_look_at));
}

/* The leg of the way it is on, and how far along: 0..1. A way of one place has leg 0 alone. */
static size_t leg_of(RecordedCamera *self, double time, size_t places, double *along)
{
    const double passed = progress(self, time);
    const size_t legs = places - 1;
    const double at = (passed - floor(passed)) * (double)legs;
    size_t leg = (size_t)at;
    if (leg >= legs)
        leg = legs ? legs - 1 : 0;
    *along = at - (double)leg;
    return leg;
}

static void follow(RecordedCamera *self, double time, bool turns)
{
    size_t places;
    double along;
    const double *positions = dv_data_doubles(&self->positions, &places);
    const size_t leg = leg_of(self, time, places, &along), next = leg + 1 < places ? leg + 1 : leg;
    const DvVec3 from = dv_vec3_load(positions + 3 * leg), to = dv_vec3_load(positions + 3 * next);
    const DvVec3 at = dv_vec3_add(from, dv_vec3_scale(dv_vec3_sub(to, from), along));
    if (!turns) {
        look(self, at, to);
        return;
    }
    const double *orientations = dv_data_doubles(&self->orientations, NULL);
    const DvQuat a = dv_quat_normalize(dv_quat_load(orientations + 4 * leg));
    const DvQuat b = dv_quat_normalize(dv_quat_load(orientations + 4 * next));
    const DvQuat orientation = dv_quat_slerp(a, b, along, true);
    const double distance = dv_data_double(&self->camera.distance);
    camera_place(&self->camera, at, orientation,
                 dv_vec3_add(at, dv_quat_rotate(orientation, dv_vec3(0, 0, -distance))));
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    RecordedCamera *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN || !dv_object_is_valid(object))
        return;
    const double time = dv_node_time(dv_object_node(object));
    if (dv_data_bool(&self->rotation_mode))
        rotate(self, time);
    else if (dv_data_bool(&self->translation_mode))
        follow(self, time, false);
    else if (dv_data_bool(&self->navigation_mode))
        follow(self, time, true);
}

static DvStatus check(RecordedCamera *self)
{
    const bool rotates = dv_data_bool(&self->rotation_mode), translates = dv_data_bool(&self->translation_mode);
    const bool navigates = dv_data_bool(&self->navigation_mode);
    size_t places, turns;
    (void)dv_data_doubles(&self->positions, &places);
    const double *at = dv_data_doubles(&self->orientations, &turns);
    if (!(dv_data_double(&self->end_time) > dv_data_double(&self->start_time)))
        return dv_field_error(&self->end_time, -1, "%g s is not after startTime, %g s", dv_data_double(&self->end_time),
                              dv_data_double(&self->start_time));
    if (rotates && !(dv_vec3_norm(vec3_of(&self->rotation_axis)) > 0.0))
        return dv_field_error(&self->rotation_axis, -1, "has no direction; 0 1 0, say");
    if (!rotates && (translates || navigates) && places == 0)
        return dv_field_error(&self->positions, -1, "give the places that it passes");
    if (!rotates && !translates && navigates) {
        if (turns != places)
            return dv_field_error(&self->orientations, -1, "%zu for %zu cameraPositions; give one for each", turns,
                                  places);
        for (size_t i = 0; i < turns; i++)
            if (!(dv_quat_dot(dv_quat_load(at + 4 * i), dv_quat_load(at + 4 * i)) > 0.0))
                return dv_field_error(&self->orientations, (int64_t)i, "is no rotation");
    }
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    RecordedCamera *self = self_;
    const DvStatus status = camera_init(object, self);
    if (status != DV_OK)
        return status;
    if (!dv_data_is_set(&self->rotation_center))
        dv_data_set(&self->rotation_center, (const double[3]){0, 10, 0}, 1);
    if (!dv_data_is_set(&self->rotation_start_point))
        dv_data_set(&self->rotation_start_point, (const double[3]){0, 10, 50}, 1);
    return check(self);
}

static DvStatus reinit(DvObject *object, void *self)
{
    (void)object;
    return check(self);
}

static void store_reset_state(DvObject *object, void *self_)
{
    RecordedCamera *self = self_;
    (void)object;
    (void)camera_ops.get(self, &self->first);
}

/* A camera that no time moves stays where the user has put it. */
static void reset(DvObject *object, void *self_)
{
    RecordedCamera *self = self_;
    (void)object;
    if (dv_data_bool(&self->rotation_mode) || dv_data_bool(&self->translation_mode) ||
        dv_data_bool(&self->navigation_mode))
        camera_place(&self->camera, dv_vec3_load(self->first.position), dv_quat_load(self->first.orientation),
                     dv_vec3_load(self->first.look_at));
}

static void append(DvData *list, const double *numbers, uint32_t components)
{
    const size_t count = list->count;
    double *at = dv_data_begin(list, count + 1);
    memcpy(at + components * count, numbers, components * sizeof *at);
    dv_data_end(list);
}

static uint32_t add_place(void *self_, const double position[3], const double orientation[4])
{
    RecordedCamera *self = self_;
    append(&self->positions, position, 3);
    append(&self->orientations, orientation, 4);
    return (uint32_t)self->positions.count;
}

static bool passes(void *self_)
{
    RecordedCamera *self = self_;
    return dv_data_bool(&self->navigation_mode);
}

static DvStatus pass(void *self_, bool on)
{
    RecordedCamera *self = self_;
    const bool before = passes(self);
    dv_data_set_bool(&self->navigation_mode, on);
    const DvStatus status = check(self);
    if (status != DV_OK)
        dv_data_set_bool(&self->navigation_mode, before);
    return status;
}

static const DvCameraPathOps path = {.size = sizeof path, .add_place = add_place, .passes = passes, .pass = pass};

static DvStatus construct(DvObject *object, void *self)
{
    (void)self;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

#define FIELD(member, name, type, ...) DV_FIELD(RecordedCamera, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    CAMERA_FIELDS(RecordedCamera, "1"),
    CAMERA_MOUSE_FIELDS(RecordedCamera, "0"),
    FIELD(start_time, "startTime", dv_type_double, .init = "0", .unit = "s", .help = "when the motion begins"),
    FIELD(end_time, "endTime", dv_type_double, .init = "200", .unit = "s", .help = "when it has been through once"),
    FIELD(rotation_mode, "rotationMode", dv_type_bool, .init = "0", .help = "it goes around a centre"),
    FIELD(translation_mode, "translationMode", dv_type_bool, .init = "0",
          .help = "it passes cameraPositions and looks ahead"),
    FIELD(navigation_mode, "navigationMode", dv_type_bool, .init = "0",
          .help = "it passes cameraPositions, turned as cameraOrientations say"),
    DV_FIELD_HELD("rotationSpeed", dv_type_double, .init = "0.1", .flags = DV_FIELD_HIDDEN,
                  .help = "kept for old scenes: the times say how fast it goes around"),
    FIELD(rotation_center, "rotationCenter", dv_type_vec3d, .unit = "m",
          .help = "point on the axis it goes around; by default 0 10 0"),
    FIELD(rotation_start_point, "rotationStartPoint", dv_type_vec3d, .unit = "m",
          .help = "where it is at startTime; by default 0 10 50"),
    FIELD(rotation_look_at, "rotationLookAt", dv_type_vec3d, .unit = "m",
          .help = "what it looks at while it goes around"),
    FIELD(rotation_axis, "rotationAxis", dv_type_vec3d, .init = "0 1 0", .help = "axis it goes around"),
    FIELD(camera_up, "cameraUp", dv_type_vec3d, .help = "what is up in the picture; 0 0 0: as it was"),
    FIELD(draw_rotation, "drawRotation", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "show the circle"),
    FIELD(draw_translation, "drawTranslation", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "show the places"),
    FIELD(positions, "cameraPositions", dv_type_vec3s, .unit = "m",
          .help = "places that it passes, as long between each"),
    FIELD(orientations, "cameraOrientations", dv_type_quats, .help = "its rotation at each of them"),
    {0},
};

/* The circle that it goes around on, the way through its places. */
static void draw(void *self_, DvDraw *draw)
{
    enum { PIECES = 72 };
    static const double blue[4] = {0.0, 0.5, 1.0, 1.0}, green[4] = {0.5, 1.0, 0.0, 1.0};
    RecordedCamera *self = self_;
    if (dv_data_bool(&self->draw_rotation)) {
        const DvVec3 centre = vec3_of(&self->rotation_center), axis = dv_vec3_normalize(vec3_of(&self->rotation_axis));
        const DvVec3 arm = dv_vec3_sub(vec3_of(&self->rotation_start_point), centre);
        double at[6 * PIECES];
        for (int i = 0; i < 2 * PIECES; i++) {
            const int end = i / 2 + i % 2;
            const DvQuat turn = dv_quat_from_axis_angle(axis, 2.0 * DV_PI * end / PIECES);
            dv_vec3_store(dv_vec3_add(centre, dv_quat_rotate(turn, arm)), at + (size_t)3 * (size_t)i);
        }
        draw->ops->lines(draw, at, PIECES, 1.0, blue);
    }
    size_t places;
    const double *at = dv_data_doubles(&self->positions, &places);
    if (dv_data_bool(&self->draw_translation) && places > 1)
        dv_draw_pairs(draw, at, at + 3, (uint32_t)places - 1, 1.0, green);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_recorded_camera = {
    .size = sizeof(DvClass),
    .name = "RecordedCamera",
    .bases = (const char *const[]){"BaseCamera", "Camera", NULL},
    .family = "cameras",
    .module = "Sofa.Component.Visual",
    .update = camera_update,
    .contracts = (const DvContract[]){{.id = DV_CAMERA, .ops = &camera_ops},
                                      {.id = DV_CAMERA_PATH, .ops = &path},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .help = "A camera that moves with the time of the scene.",
    .instance_size = sizeof(RecordedCamera),
    .fields = fields,
    .construct = construct,
    .init = init,
    .reinit = reinit,
    .handle_event = handle_event,
    .store_reset_state = store_reset_state,
    .reset = reset,
};
