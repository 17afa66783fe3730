/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InteractiveCamera: where a viewer looks from, and how far the mouse moves it.
 *
 * Position, orientation and the point looked at depend on each other: those the scene gives decide, the others follow at init.
 * `default_view` says that a viewer has to choose, from the bounds of the scene.
 */
#include <math.h>

#include <divan/contracts/visual.h>
#include <divan/math/quat.h>

typedef struct InteractiveCamera {
    DvData position, orientation, look_at, distance, field_of_view, z_near, z_far, compute_z_clip, min_bbox, max_bbox;
    DvData width_viewport, height_viewport, projection_type, activated, fixed_look_at;
    DvData zoom_speed, pan_speed, pivot;
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
            dv_field_warning(&self->distance, -1,
                             "not given: the camera looks at the point where it stands; give distance or lookAt");
        set_vec3(&self->look_at, dv_vec3_add(position, ahead));
    } else if (!has_position && has_target && has_orientation) {
        set_vec3(&self->position, dv_vec3_sub(ahead, target)); /* the sign that existing scenes rely on */
    } else {
        if (has_position && has_orientation && has_target)
            dv_warning(object,
                       "position, orientation and lookAt are all given: give two of them; the default view is taken");
        default_view = true;
    }
    dv_data_set_bool(&self->default_view, default_view);
    return DV_OK;
}

static const char *const projections[] = {"Perspective", "Orthographic", NULL};

static const DvField fields[] = {
    DV_FIELD(InteractiveCamera, position, "position", dv_type_vec3d, .unit = "m", .help = "where the camera stands"),
    DV_FIELD(InteractiveCamera, orientation, "orientation", dv_type_quat,
             .help = "rotation of its axes; it looks along -z"),
    DV_FIELD(InteractiveCamera, look_at, "lookAt", dv_type_vec3d, .unit = "m", .help = "the point it looks at"),
    DV_FIELD(InteractiveCamera, distance, "distance", dv_type_double, .unit = "m",
             .help = "from the camera to that point"),
    DV_FIELD(InteractiveCamera, field_of_view, "fieldOfView", dv_type_double, .init = "45", .unit = "degrees",
             .flags = DV_FIELD_DRAWING, .help = "vertical opening angle"),
    DV_FIELD(InteractiveCamera, z_near, "zNear", dv_type_double, .init = "0.01", .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "nearer things are cut off"),
    DV_FIELD(InteractiveCamera, z_far, "zFar", dv_type_double, .init = "100", .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "farther things are cut off"),
    DV_FIELD(InteractiveCamera, compute_z_clip, "computeZClip", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,
             .help = "zNear and zFar follow the scene"),
    DV_FIELD(InteractiveCamera, min_bbox, "minBBox", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "smallest corner of the scene"),
    DV_FIELD(InteractiveCamera, max_bbox, "maxBBox", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,
             .help = "largest corner of the scene"),
    DV_FIELD(InteractiveCamera, width_viewport, "widthViewport", dv_type_uint, .init = "800", .unit = "pixels",
             .flags = DV_FIELD_DRAWING, .help = "width of the view"),
    DV_FIELD(InteractiveCamera, height_viewport, "heightViewport", dv_type_uint, .init = "600", .unit = "pixels",
             .flags = DV_FIELD_DRAWING, .help = "height of the view"),
    DV_FIELD(InteractiveCamera, projection_type, "projectionType", dv_type_choice, .init = "Perspective",
             .choices = projections, .flags = DV_FIELD_DRAWING, .help = "kind of projection"),
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
};
