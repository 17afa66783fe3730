/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InteractiveCamera: where a viewer looks from, and how far the mouse moves it.
 *
 * Position, orientation and the point looked at depend on each other: those the scene gives decide, the others follow at init.
 * `default_view` says that a viewer has to choose, from the bounds of the scene.
 */
#include <math.h>
#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/math/quat.h>

typedef struct InteractiveCamera {
    DvData position, orientation, look_at, distance, field_of_view, z_near, z_far, compute_z_clip, min_bbox, max_bbox;
    DvData width_viewport, height_viewport, projection_type, activated, fixed_look_at;
    DvData zoom_speed, pan_speed, pivot;
    DvData model_view_matrix, projection_matrix; /* outputs: 16 numbers each, by rows */
    DvData default_view;
} InteractiveCamera;

/* The rotation whose -z axis points from `from` to `to`, its y axis as near to the present one as can be. */
static DvQuat orientation_towards(DvQuat present, DvVec3 from, DvVec3 to)
{
    const DvVec3 z = dv_vec3_normalize(dv_vec3_sub(from, to));
    DvVec3 x = dv_vec3_cross(dv_quat_rotate(present, dv_vec3(0, 1, 0)), z);
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

/* From world to camera: the inverse of the camera's rotation and translation. */
static void model_view(InteractiveCamera *self, double *m)
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
static void projection(InteractiveCamera *self, double *m)
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

static DvStatus update(DvObject *object, void *object_self)
{
    (void)object;
    InteractiveCamera *self = object_self;
    model_view(self, dv_data_begin_all(&self->model_view_matrix, 16));
    dv_data_end(&self->model_view_matrix);
    projection(self, dv_data_begin_all(&self->projection_matrix, 16));
    dv_data_end(&self->projection_matrix);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *object_self)
{
    InteractiveCamera *self = object_self;
    const bool has_position = dv_data_is_set(&self->position), has_orientation = dv_data_is_set(&self->orientation);
    const bool has_target = dv_data_is_set(&self->look_at);
    const DvVec3 position = dv_vec3_load(dv_data_doubles(&self->position, NULL));
    const DvVec3 target = dv_vec3_load(dv_data_doubles(&self->look_at, NULL));
    const DvQuat orientation = dv_quat_load(dv_data_doubles(&self->orientation, NULL));
    const DvVec3 ahead = dv_quat_rotate(orientation, dv_vec3(0, 0, -dv_data_double(&self->distance)));
    bool default_view = false;
    if (has_position && !has_orientation) {
        double at[4];
        dv_quat_store(orientation_towards(orientation, position, target), at);
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

static const char *const projections[] = {"Perspective", "Orthographic", NULL};

static const DvField fields[] = {
    DV_FIELD(InteractiveCamera, position, "position", dv_type_vec3d, .flags = DV_FIELD_INPUT, .unit = "m",
             .help = "where the camera stands"),
    DV_FIELD(InteractiveCamera, orientation, "orientation", dv_type_quat, .flags = DV_FIELD_INPUT,
             .help = "rotation of its axes; it looks along -z"),
    DV_FIELD(InteractiveCamera, look_at, "lookAt", dv_type_vec3d, .flags = DV_FIELD_INPUT, .unit = "m",
             .help = "the point it looks at"),
    DV_FIELD(InteractiveCamera, distance, "distance", dv_type_double, .unit = "m",
             .help = "from the camera to that point"),
    DV_FIELD(InteractiveCamera, field_of_view, "fieldOfView", dv_type_double, .flags = DV_FIELD_INPUT, .init = "45",
             .unit = "degrees", .help = "vertical opening angle"),
    DV_FIELD(InteractiveCamera, z_near, "zNear", dv_type_double, .flags = DV_FIELD_INPUT, .init = "0.01", .unit = "m",
             .help = "nearer things are cut off"),
    DV_FIELD(InteractiveCamera, z_far, "zFar", dv_type_double, .flags = DV_FIELD_INPUT, .init = "100", .unit = "m",
             .help = "farther things are cut off"),
    DV_FIELD(InteractiveCamera, compute_z_clip, "computeZClip", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "zNear and zFar follow the scene"),
    DV_FIELD(InteractiveCamera, min_bbox, "minBBox", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "smallest corner of the scene"),
    DV_FIELD(InteractiveCamera, max_bbox, "maxBBox", dv_type_vec3d, .init = "1 1 1", .unit = "m",
             .flags = DV_FIELD_DRAWING, .help = "largest corner of the scene"),
    DV_FIELD(InteractiveCamera, width_viewport, "widthViewport", dv_type_uint, .flags = DV_FIELD_INPUT, .init = "800",
             .unit = "pixels", .help = "width of the view"),
    DV_FIELD(InteractiveCamera, height_viewport, "heightViewport", dv_type_uint, .flags = DV_FIELD_INPUT, .init = "600",
             .unit = "pixels", .help = "height of the view"),
    DV_FIELD(InteractiveCamera, projection_type, "projectionType", dv_type_choice, .flags = DV_FIELD_INPUT,
             .init = "Perspective", .choices = projections, .help = "kind of projection"),
    DV_FIELD(InteractiveCamera, activated, "activated", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "whether viewers use it"),
    DV_FIELD(InteractiveCamera, fixed_look_at, "fixedLookAt", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
             .help = "the point looked at stays"),
    DV_FIELD(InteractiveCamera, zoom_speed, "zoomSpeed", dv_type_double, .init = "250", .flags = DV_FIELD_DRAWING,
             .help = "how far a mouse move zooms"),
    DV_FIELD(InteractiveCamera, pan_speed, "panSpeed", dv_type_double, .init = "0.1", .flags = DV_FIELD_DRAWING,
             .help = "how far a mouse move shifts"),
    DV_FIELD(InteractiveCamera, pivot, "pivot", dv_type_int, .init = "2", .flags = DV_FIELD_DRAWING,
             .help = "what it turns about: 0 the point looked at, 1 itself, 2 the centre of the scene, 3 the origin"),
    DV_FIELD(InteractiveCamera, model_view_matrix, "modelViewMatrix", dv_type_doubles,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "from world to camera: 4 x 4 numbers by rows"),
    DV_FIELD(InteractiveCamera, projection_matrix, "projectionMatrix", dv_type_doubles,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "from camera to the cube that is drawn: 4 x 4 numbers by rows"),
    DV_FIELD(InteractiveCamera, default_view, "defaultView", dv_type_bool, .init = "0", .flags = DV_FIELD_HIDDEN,
             .help = "the viewer chooses position and direction"),
    {0},
};

const DvClass dv_interactive_camera = {
    .size = sizeof(DvClass),
    .name = "InteractiveCamera",
    .bases = (const char *const[]){"BaseCamera", "Camera", NULL},
    .family = "cameras",
    .module = "Sofa.Component.Visual",
    .help = "Where a viewer looks from.",
    .instance_size = sizeof(InteractiveCamera),
    .fields = fields,
    .init = init,
    .update = update,
};
