/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Camera: where a viewer looks from; what all cameras share is here.
 *
 * `default_view` says that a viewer has to choose, from the bounds of the scene.
 */
#include "camera.h"

#include <math.h>
#include <string.h>

const char *const camera_projections[] = {"Perspective", "Orthographic", NULL};

static void set_vec3(DvData *data, DvVec3 v)
{
    double at[3];
    dv_vec3_store(v, at);
    dv_data_set(data, at, 1);
}

static void remember(Camera *camera)
{
    camera->known_position = dv_data_version(&camera->position);
    camera->known_target = dv_data_version(&camera->look_at);
    camera->known_distance = dv_data_version(&camera->distance);
    camera->known_orientation = dv_data_version(&camera->orientation);
}

void camera_place(Camera *camera, DvVec3 position, DvQuat orientation, DvVec3 target)
{
    double at[4];
    dv_quat_store(orientation, at);
    dv_data_set(&camera->orientation, at, 1);
    set_vec3(&camera->position, position);
    set_vec3(&camera->look_at, target);
    dv_data_set_double(&camera->distance, dv_vec3_norm(dv_vec3_sub(target, position)));
    remember(camera);
}

static bool get(void *object_self, DvCamera *camera)
{
    Camera *self = object_self;
    memcpy(camera->position, dv_data_doubles(&self->position, NULL), sizeof camera->position);
    memcpy(camera->orientation, dv_data_doubles(&self->orientation, NULL), sizeof camera->orientation);
    memcpy(camera->look_at, dv_data_doubles(&self->look_at, NULL), sizeof camera->look_at);
    camera->field_of_view = dv_data_double(&self->field_of_view);
    camera->near = dv_data_double(&self->z_near);
    camera->far = dv_data_double(&self->z_far);
    camera->orthographic = dv_data_choice(&self->projection_type) == 1;
    camera->fits_clip = dv_data_bool(&self->compute_z_clip);
    camera->by_bounds = dv_data_bool(&self->default_view);
    return dv_data_bool(&self->activated);
}

static void set(void *object_self, const DvCamera *camera)
{
    Camera *self = object_self;
    camera_place(self, dv_vec3_load(camera->position), dv_quat_load(camera->orientation),
                 dv_vec3_load(camera->look_at));
    dv_data_set_double(&self->field_of_view, camera->field_of_view);
    dv_data_set_double(&self->z_near, camera->near);
    dv_data_set_double(&self->z_far, camera->far);
    dv_data_set_string(&self->projection_type, camera_projections[camera->orthographic ? 1 : 0]);
    dv_data_set_bool(&self->default_view, camera->by_bounds);
}

const DvCameraOps camera_ops = {.size = sizeof(DvCameraOps), .get = get, .set = set};

DvStatus camera_update(DvObject *object, void *object_self)
{
    (void)object;
    Camera *self = object_self;
    DvCamera camera = {0};
    (void)get(self, &camera);
    const double width = dv_data_uint(&self->width_viewport), height = dv_data_uint(&self->height_viewport);
    dv_camera_view(&camera, dv_data_begin_all(&self->model_view_matrix, 16));
    dv_data_end(&self->model_view_matrix);
    dv_camera_projection(&camera, width, height, dv_data_begin_all(&self->projection_matrix, 16));
    dv_data_end(&self->projection_matrix);
    return DV_OK;
}

DvStatus camera_init(DvObject *object, void *object_self)
{
    Camera *self = object_self;
    const bool has_position = dv_data_is_set(&self->position), has_orientation = dv_data_is_set(&self->orientation);
    const bool has_target = dv_data_is_set(&self->look_at);
    const DvVec3 position = dv_vec3_load(dv_data_doubles(&self->position, NULL));
    const DvVec3 target = dv_vec3_load(dv_data_doubles(&self->look_at, NULL));
    const DvQuat orientation = dv_quat_load(dv_data_doubles(&self->orientation, NULL));
    const DvVec3 ahead = dv_quat_rotate(orientation, dv_vec3(0, 0, -dv_data_double(&self->distance)));
    bool default_view = false;
    if (has_position && !has_orientation) {
        double at[4];
        dv_quat_store(
            dv_camera_orientation_towards(orientation, dv_quat_rotate(orientation, dv_vec3(0, 1, 0)), position, target),
            at);
        dv_data_set(&self->orientation, at, 1);
        dv_data_set_double(&self->distance, dv_vec3_norm(dv_vec3_sub(target, position)));
    } else if (has_position && has_orientation && !has_target) {
        if (!dv_data_is_set(&self->distance))
            dv_field_remark(&self->distance, -1,
                            "not given: the camera looks at the point where it stands; give distance or lookAt");
        set_vec3(&self->look_at, dv_vec3_add(position, ahead));
    } else if (!has_position && has_target && has_orientation) {
        set_vec3(&self->position, dv_vec3_sub(ahead, target)); /* the sign that existing scenes rely on */
    } else {
        if (has_position && has_orientation && has_target)
            dv_remark(object,
                      "position, orientation and lookAt are all given: give two of them; the default view is taken");
        default_view = true;
    }
    dv_data_set_bool(&self->default_view, default_view);
    remember(self);
    return DV_OK;
}

DvStatus camera_reinit(DvObject *object, void *object_self)
{
    (void)object;
    Camera *self = object_self;
    DvVec3 position = dv_vec3_load(dv_data_doubles(&self->position, NULL));
    DvVec3 target = dv_vec3_load(dv_data_doubles(&self->look_at, NULL));
    DvQuat orientation = dv_quat_load(dv_data_doubles(&self->orientation, NULL));
    const bool other_position = dv_data_version(&self->position) != self->known_position;
    const bool other_target = dv_data_version(&self->look_at) != self->known_target;
    const bool other_distance = dv_data_version(&self->distance) != self->known_distance;
    const bool other_orientation = dv_data_version(&self->orientation) != self->known_orientation;
    if (!other_position && !other_target && !other_distance && !other_orientation)
        return DV_OK;
    if (other_distance && !other_target)
        position = dv_vec3_sub(target, dv_quat_rotate(orientation, dv_vec3(0, 0, -dv_data_double(&self->distance))));
    else if (other_orientation && !other_target)
        target = dv_vec3_add(position, dv_quat_rotate(orientation, dv_vec3(0, 0, -dv_data_double(&self->distance))));
    else
        orientation =
            dv_camera_orientation_towards(orientation, dv_quat_rotate(orientation, dv_vec3(0, 1, 0)), position, target);
    camera_place(self, position, orientation, target);
    dv_data_set_bool(&self->default_view, false);
    return DV_OK;
}

typedef struct PlainCamera {
    Camera camera;
} PlainCamera;

static const DvField fields[] = {CAMERA_FIELDS(PlainCamera, "0"), {0}};

const DvClass dv_camera = {
    .size = sizeof(DvClass),
    .name = "Camera",
    CAMERA_CLASS,
    .help = "Where a viewer looks from; nothing moves it.",
    .instance_size = sizeof(PlainCamera),
    .fields = fields,
    .init = camera_init,
    .reinit = camera_reinit,
};
