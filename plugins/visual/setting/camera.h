/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every camera has: where it stands, what it looks at, how it projects.
 *
 * A camera's struct starts with a Camera, its field table with CAMERA_FIELDS; its init is, or calls, camera_init.
 */
#ifndef DIVAN_VISUAL_CAMERA_H
#define DIVAN_VISUAL_CAMERA_H

#include <divan/contracts/camera.h>

typedef struct Camera {
    DvData position, orientation, look_at, distance, field_of_view, z_near, z_far, compute_z_clip, min_bbox, max_bbox;
    DvData width_viewport, height_viewport, projection_type, activated, fixed_look_at;
    DvData zoom_speed, pan_speed, pivot;         /* of those that the mouse moves */
    DvData model_view_matrix, projection_matrix; /* outputs: 16 numbers each, by rows */
    DvData default_view;
    uint64_t known_position, known_target, known_distance,
        known_orientation; /* versions of the fields when they agreed the last time */
} Camera;

/* Position, orientation and the point looked at depend on each other: those the scene gives decide, the others follow. */
DvStatus camera_init(DvObject *object, void *self);
/* The same after an edit: what was written stays, the others follow. A distance moves the camera, a position turns it. */
DvStatus camera_reinit(DvObject *object, void *self);
/* The matrices. */
DvStatus camera_update(DvObject *object, void *self);

/* Moves the camera: there, and turned so; it looks at `target`. */
void camera_place(Camera *camera, DvVec3 position, DvQuat orientation, DvVec3 target);

extern const char *const camera_projections[];
extern const DvCameraOps camera_ops; /* self: a struct that begins with the Camera */

/* `clip`: whether zNear and zFar follow the scene, "0" or "1". */
#define CAMERA_FIELDS(Struct, clip)                                                                                    \
    DV_FIELD(Struct, camera.position, "position", dv_type_vec3d, .flags = DV_FIELD_INPUT, .unit = "m",                 \
             .help = "where the camera stands"),                                                                       \
        DV_FIELD(Struct, camera.orientation, "orientation", dv_type_quat, .flags = DV_FIELD_INPUT,                     \
                 .help = "rotation of its axes; it looks along -z"),                                                   \
        DV_FIELD(Struct, camera.look_at, "lookAt", dv_type_vec3d, .flags = DV_FIELD_INPUT, .unit = "m",                \
                 .help = "the point it looks at"),                                                                     \
        DV_FIELD(Struct, camera.distance, "distance", dv_type_double, .unit = "m", .range = &dv_range_not_negative,    \
                 .flags = DV_FIELD_LENIENT, .help = "from the camera to that point"),                                  \
        DV_FIELD(Struct, camera.field_of_view, "fieldOfView", dv_type_double,                                          \
                 .range = &(const DvRange){.least = 0, .most = 180, .above = true, .below = true},                     \
                 .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT, .init = "45", .unit = "degrees",                          \
                 .help = "vertical opening angle"),                                                                    \
        DV_FIELD(Struct, camera.z_near, "zNear", dv_type_double, .range = &dv_range_positive,                          \
                 .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT, .init = "0.01", .unit = "m",                              \
                 .help = "nearer things are cut off"),                                                                 \
        DV_FIELD(Struct, camera.z_far, "zFar", dv_type_double, .range = &dv_range_positive,                            \
                 .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT, .init = "100", .unit = "m",                               \
                 .help = "farther things are cut off"),                                                                \
        DV_FIELD(Struct, camera.compute_z_clip, "computeZClip", dv_type_bool, .init = clip, .flags = DV_FIELD_DRAWING, \
                 .help = "zNear and zFar follow the scene"),                                                           \
        DV_FIELD(Struct, camera.min_bbox, "minBBox", dv_type_vec3d, .unit = "m", .flags = DV_FIELD_DRAWING,            \
                 .help = "smallest corner of the scene"),                                                              \
        DV_FIELD(Struct, camera.max_bbox, "maxBBox", dv_type_vec3d, .init = "1 1 1", .unit = "m",                      \
                 .flags = DV_FIELD_DRAWING, .help = "largest corner of the scene"),                                    \
        DV_FIELD(Struct, camera.width_viewport, "widthViewport", dv_type_uint, .range = &dv_range_count,               \
                 .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT, .init = "800", .unit = "pixels",                          \
                 .help = "width of the view"),                                                                         \
        DV_FIELD(Struct, camera.height_viewport, "heightViewport", dv_type_uint, .range = &dv_range_count,             \
                 .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT, .init = "600", .unit = "pixels",                          \
                 .help = "height of the view"),                                                                        \
        DV_FIELD(Struct, camera.projection_type, "projectionType", dv_type_choice, .flags = DV_FIELD_INPUT,            \
                 .init = "Perspective", .choices = camera_projections, .help = "kind of projection"),                  \
        DV_FIELD(Struct, camera.activated, "activated", dv_type_bool, .init = "1", .flags = DV_FIELD_DRAWING,          \
                 .help = "whether viewers use it"),                                                                    \
        DV_FIELD(Struct, camera.fixed_look_at, "fixedLookAt", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,    \
                 .help = "the point looked at stays"),                                                                 \
        DV_FIELD(Struct, camera.model_view_matrix, "modelViewMatrix", dv_type_doubles,                                 \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                                        \
                 .help = "from world to camera: 4 x 4 numbers by rows"),                                               \
        DV_FIELD(Struct, camera.projection_matrix, "projectionMatrix", dv_type_doubles,                                \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                                        \
                 .help = "from camera to the cube that is drawn: 4 x 4 numbers by rows"),                              \
        DV_FIELD(Struct, camera.default_view, "defaultView", dv_type_bool, .init = "0", .flags = DV_FIELD_HIDDEN,      \
                 .help = "the viewer chooses position and direction")

#define CAMERA_MOUSE_FIELDS(Struct, pivot_init)                                                                        \
    DV_FIELD(Struct, camera.zoom_speed, "zoomSpeed", dv_type_double, .init = "250", .range = &dv_range_not_negative,   \
             .flags = DV_FIELD_DRAWING, .help = "how far a mouse move zooms"),                                         \
        DV_FIELD(Struct, camera.pan_speed, "panSpeed", dv_type_double, .init = "0.1", .range = &dv_range_not_negative, \
                 .flags = DV_FIELD_DRAWING, .help = "how far a mouse move shifts"),                                    \
        DV_FIELD(Struct, camera.pivot, "pivot", dv_type_int, .init = pivot_init,                                       \
                 .range = &(const DvRange){.least = 0, .most = 3}, .flags = DV_FIELD_DRAWING,                          \
                 .help =                                                                                               \
                     "what it turns about: 0 the point looked at, 1 itself, 2 the centre of the scene, 3 the origin")

#define CAMERA_CLASS                                                                              \
    .bases = (const char *const[]){"BaseCamera", "Camera", NULL}, .family = "cameras",            \
    .module = "Sofa.Component.Visual", .update = camera_update, .contracts = (const DvContract[]) \
    {                                                                                             \
        {.id = DV_CAMERA, .ops = &camera_ops},                                                    \
        {                                                                                         \
            0                                                                                     \
        }                                                                                         \
    }

#endif
