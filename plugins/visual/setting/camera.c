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

DvQuat camera_orientation_towards(DvQuat present, DvVec3 up, DvVec3 from, DvVec3 to)
{
    const DvVec3 back = dv_vec3_sub(from, to);
    if (!(dv_vec3_norm(back) > 0.0))
        return present;
    const DvVec3 z = dv_vec3_normalize(back);
    DvVec3 x = dv_vec3_cross(up, z);
    if (!(dv_vec3_norm(x) > 1e-9)) /* it looks up or down */
        x = dv_vec3_cross(dv_quat_rotate(present, dv_vec3(0, 1, 0)), z);
    x = dv_vec3_norm(x) > 1e-9 ? dv_vec3_normalize(x) : dv_quat_rotate(present, dv_vec3(1, 0, 0));
    const DvVec3 y = dv_vec3_cross(z, x);
    const DvMat3 axes = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return dv_quat_from_matrix(axes);
}

static void set_vec3(DvData *data, DvVec3 v)
{
    double at[3];
    dv_vec3_store(v, at);
    dv_data_set(data, at, 1);
}

void camera_place(Camera *camera, DvVec3 position, DvQuat orientation, DvVec3 target)
{
    double at[4];
    dv_quat_store(orientation, at);
    dv_data_set(&camera->orientation, at, 1);
    set_vec3(&camera->position, position);
    set_vec3(&camera->look_at, target);
    dv_data_set_double(&camera->distance, dv_vec3_norm(dv_vec3_sub(target, position)));
}

/* From world to camera: the inverse of the camera's rotation and translation. */
static void model_view(Camera *self, double *m)
{
    const DvMat3 axes = dv_quat_to_matrix(dv_quat_load(dv_data_doubles(&self->orientation, NULL)));
    const double *position = dv_data_doubles(&self->position, NULL);
    memset(m, 0, 16 * sizeof *m);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            m[4 * row + column] = axes.m[column][row];
            m[4 * row + 3] -= axes.m[column][row] * position[column];
        }
    m[15] = 1;
}

/* As OpenGL projects: from the volume between zNear and zFar to the cube of side 2 (Shreiner et al. 2013, appendix). */
static void projection(Camera *self, double *m)
{
    const double near = dv_data_double(&self->z_near), far = dv_data_double(&self->z_far);
    const double width = dv_data_uint(&self->width_viewport), height = dv_data_uint(&self->height_viewport);
    const double half_angle = dv_data_double(&self->field_of_view) * DV_PI / 360;
    memset(m, 0, 16 * sizeof *m);
    if (dv_data_choice(&self->projection_type) == 0) {
        m[5] = 1 / tan(half_angle);
        m[0] = m[5] * height / width;
        m[10] = -(far + near) / (far - near);
        m[11] = -2 * far * near / (far - near);
        m[14] = -1;
        return;
    }
    const DvVec3 to_target = dv_vec3_sub(dv_vec3_load(dv_data_doubles(&self->look_at, NULL)),
                                         dv_vec3_load(dv_data_doubles(&self->position, NULL)));
    const DvQuat orientation = dv_quat_load(dv_data_doubles(&self->orientation, NULL));
    const double depth = fabs(dv_quat_inverse_rotate(orientation, to_target).z);
    const double half = tan(half_angle) * depth, portrait = height > width ? height / width : 1;
    const double half_height = half * portrait, half_width = half * (width > height ? width / height : 1);
    m[0] = 1 / half_width;
    m[5] = 1 / half_height;
    m[10] = -2 / (far - near);
    m[11] = -(far + near) / (far - near);
    m[15] = 1;
}

DvStatus camera_update(DvObject *object, void *object_self)
{
    (void)object;
    Camera *self = object_self;
    model_view(self, dv_data_begin_all(&self->model_view_matrix, 16));
    dv_data_end(&self->model_view_matrix);
    projection(self, dv_data_begin_all(&self->projection_matrix, 16));
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
            camera_orientation_towards(orientation, dv_quat_rotate(orientation, dv_vec3(0, 1, 0)), position, target),
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
};
