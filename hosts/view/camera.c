/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cameras under the mouse.
 */
#include "camera.h"

/* A point of the ball under a pixel; the ball fills 0.8 of the smaller side. */
static DvVec3 on_ball(double x, double y, double width, double height)
{
    const double radius = 0.4 * fmin(width, height);
    const double u = (x - width / 2) / radius, v = (height / 2 - y) / radius, squared = u * u + v * v;
    return dv_vec3_normalize(dv_vec3(u, v, squared < 0.5 ? sqrt(1 - squared) : 0.5 / sqrt(squared)));
}

static double distance_of(const DvCamera *camera)
{
    return dv_vec3_distance(dv_vec3_load(camera->position), dv_vec3_load(camera->look_at));
}

/* The place from which it looks at the pivot as it is oriented. */
static void stand_back(DvCamera *camera, double distance)
{
    const DvVec3 back = dv_quat_rotate(dv_quat_load(camera->orientation), dv_vec3(0, 0, distance));
    dv_vec3_store(dv_vec3_add(dv_vec3_load(camera->look_at), back), camera->position);
}

/* `at` turned about a point. */
static void turn_about(const double point[3], DvQuat turn, double at[3])
{
    const DvVec3 middle = dv_vec3_load(point);
    dv_vec3_store(dv_vec3_add(middle, dv_quat_rotate(turn, dv_vec3_sub(dv_vec3_load(at), middle))), at);
}

void camera_rotate(DvCamera *camera, const CameraDrag *drag, double x, double y, double width, double height)
{
    const DvVec3 from = on_ball(drag->x, drag->y, width, height), to = on_ball(x, y, width, height);
    const DvVec3 axis = dv_vec3_cross(from, to);
    const double sine = dv_vec3_norm(axis);
    *camera = drag->begin;
    if (!(sine > 1e-12))
        return;
    /* The ball turns by twice the angle of the hand, so that one stroke across it turns it once; the camera turns the other way. */
    const double angle = -2 * atan2(sine, dv_vec3_dot(from, to));
    const DvQuat turn = dv_quat_from_axis_angle(dv_vec3_scale(axis, 1 / sine), angle);
    const DvQuat turned = dv_quat_normalize(dv_quat_mul(dv_quat_load(drag->begin.orientation), turn));
    dv_quat_store(turned, camera->orientation);
    if (drag->has_point) {
        const DvQuat in_world = dv_quat_mul(turned, dv_quat_conjugate(dv_quat_load(drag->begin.orientation)));
        turn_about(drag->point, in_world, camera->look_at);
    }
    stand_back(camera, distance_of(&drag->begin));
}

void camera_pan(DvCamera *camera, double dx, double dy, double height)
{
    const double metres = 2 * tan(camera->field_of_view * DV_PI / 360) * distance_of(camera) / height;
    const DvVec3 across = dv_quat_rotate(dv_quat_load(camera->orientation), dv_vec3(-dx * metres, dy * metres, 0));
    dv_vec3_store(dv_vec3_add(dv_vec3_load(camera->position), across), camera->position);
    dv_vec3_store(dv_vec3_add(dv_vec3_load(camera->look_at), across), camera->look_at);
}

void camera_zoom(DvCamera *camera, double factor)
{
    stand_back(camera, fmax(distance_of(camera) * factor, 1e-9));
}

void camera_zoom_about(DvCamera *camera, double factor, const double point[3])
{
    const double distance = distance_of(camera), share = fmax(distance * factor, 1e-9) / distance;
    const DvVec3 middle = dv_vec3_load(point), to = dv_vec3_load(camera->look_at);
    dv_vec3_store(dv_vec3_add(middle, dv_vec3_scale(dv_vec3_sub(to, middle), share)), camera->look_at);
    stand_back(camera, distance * share);
}

void camera_point_below(const DvCamera *camera, double width, double height, double x, double y, double point[3])
{
    double origin[3], along[3];
    dv_camera_ray(camera, width, height, x, y, origin, along);
    const DvVec3 ahead = dv_quat_rotate(dv_quat_load(camera->orientation), dv_vec3(0, 0, -1));
    const double depth = dv_vec3_dot(dv_vec3_sub(dv_vec3_load(camera->look_at), dv_vec3_load(origin)), ahead) /
                         dv_vec3_dot(dv_vec3_load(along), ahead);
    for (int c = 0; c < 3; c++)
        point[c] = origin[c] + depth * along[c];
}

void camera_fit(DvCamera *camera, const double box[6], double width, double height)
{
    double sound[6], side = 0;
    dv_camera_sound_box(box, sound);
    for (int c = 0; c < 3; c++) {
        camera->look_at[c] = (sound[c] + sound[3 + c]) / 2;
        side = fmax(side, sound[3 + c] - sound[c]);
    }
    const double half = camera->field_of_view * DV_PI / 360;
    const double narrow = width < height ? atan(tan(half) * width / height) : half;
    stand_back(camera, 1.1 * side / 2 / sin(narrow));
}

void camera_face(DvCamera *camera, int axis)
{
    const DvVec3 sides[6] = {dv_vec3(1, 0, 0),  dv_vec3(-1, 0, 0), dv_vec3(0, 1, 0),
                             dv_vec3(0, -1, 0), dv_vec3(0, 0, 1),  dv_vec3(0, 0, -1)};
    const DvVec3 up = axis == 2 ? dv_vec3(0, 0, -1) : axis == 3 ? dv_vec3(0, 0, 1) : dv_vec3(0, 1, 0);
    const DvVec3 to = dv_vec3_load(camera->look_at);
    dv_camera_look(camera, dv_vec3_add(to, dv_vec3_scale(sides[axis], distance_of(camera))), to, up);
}

bool camera_project(const DvCamera *camera, double width, double height, const double at[3], double pixel[2])
{
    double view[16], projection[16], seen[4] = {0}, clip[4] = {0};
    const double world[4] = {at[0], at[1], at[2], 1};
    dv_camera_view(camera, view);
    dv_camera_projection(camera, width, height, projection);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            seen[row] += view[4 * row + k] * world[k];
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            clip[row] += projection[4 * row + k] * seen[k];
    if (!(clip[3] > 0))
        return false;
    pixel[0] = (clip[0] / clip[3] + 1) / 2 * width;
    pixel[1] = (1 - clip[1] / clip[3]) / 2 * height;
    return true;
}
