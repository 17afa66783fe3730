/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What follows from a DvCamera: matrices, rays, a place from which a box is seen whole. Plain functions, [any].
 *
 * Matrices are 4 x 4, row by row, and act on columns. The view leads from the world (m) to the camera's frame (x right, y up, -z
 * ahead); the projection from there to the cube of side 2 of OpenGL (Shreiner et al., OpenGL Programming Guide, 2013, appendix).
 */
#ifndef DIVAN_CONTRACTS_CAMERA_H
#define DIVAN_CONTRACTS_CAMERA_H

#include <math.h>
#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/math/quat.h>

DV_BEGIN_DECLS

/* The rotation whose -z axis points from `from` to `to`, its y axis as near as can be to `up`; `present` when they are one point. */
static inline DvQuat dv_camera_orientation_towards(DvQuat present, DvVec3 up, DvVec3 from, DvVec3 to)
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
    return dv_quat_from_matrix(dv_mat3_from_columns(x, y, z));
}

/* At `from`, looking at `to`, with `up` upwards. Nothing else of it changes. */
static inline void dv_camera_look(DvCamera *camera, DvVec3 from, DvVec3 to, DvVec3 up)
{
    const DvQuat present = dv_quat_load(camera->orientation);
    dv_quat_store(dv_camera_orientation_towards(dv_quat_norm(present) > 0 ? present : dv_quat_identity(), up, from, to),
                  camera->orientation);
    dv_vec3_store(from, camera->position);
    dv_vec3_store(to, camera->look_at);
}

/* A box (smallest, then largest corner) that something can be seen of: a point, or what is no box, becomes the one from -1 to 1. */
static inline void dv_camera_sound_box(const double *box, double sound[6])
{
    bool good = box != NULL;
    double largest = 0;
    for (int i = 0; good && i < 3; i++) {
        good = isfinite(box[i]) && isfinite(box[3 + i]) && box[3 + i] >= box[i];
        largest = fmax(largest, box[3 + i] - box[i]);
    }
    good = good && largest > 1e-9;
    for (int i = 0; i < 6; i++)
        sound[i] = good ? box[i] : i < 3 ? -1 : 1;
}

/* The view of a scene whose maker gave none: upwards is against gravity (0 0 0: y), the middle of the bounds in the middle of the
 * picture, three half diagonals away. */
static inline void dv_camera_look_at_box(DvCamera *camera, const double *box, const double gravity[3])
{
    double sound[6];
    dv_camera_sound_box(box, sound);
    const DvVec3 least = dv_vec3_load(sound), centre = dv_vec3_scale(dv_vec3_add(least, dv_vec3_load(sound + 3)), 0.5);
    const DvVec3 down = dv_vec3_load(gravity);
    const DvVec3 up = dv_vec3_norm(down) > 0 ? dv_vec3_normalize(dv_vec3_neg(down)) : dv_vec3(0, 1, 0);
    const DvVec3 side = fabs(up.x) < 0.999999 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
    const DvVec3 ahead = dv_vec3_normalize(dv_vec3_cross(side, up));
    const double distance = 3 * dv_vec3_distance(least, centre);
    dv_camera_look(camera, dv_vec3_add(centre, dv_vec3_scale(ahead, distance)), centre, up);
    camera->by_bounds = false;
}

/* Upwards is against gravity (0 0 0: y).     [any] */
static inline DvVec3 dv_camera_up(const double gravity[3])
{
    const DvVec3 down = dv_vec3_load(gravity);
    return dv_vec3_norm(down) > 0 ? dv_vec3_normalize(dv_vec3_neg(down)) : dv_vec3(0, 1, 0);
}

/* The three-quarter view: `back`, away from what is looked at, leads to the right, to the front and upwards. */
static inline DvVec3 dv_camera_quarter(const double gravity[3])
{
    static const double right = 0.5, front = 0.7, above = 0.5;
    const DvVec3 up = dv_camera_up(gravity);
    const DvVec3 side = fabs(up.x) < 0.999999 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
    const DvVec3 ahead = dv_vec3_normalize(dv_vec3_cross(side, up)), across = dv_vec3_cross(up, ahead);
    return dv_vec3_normalize(
        dv_vec3_add(dv_vec3_scale(across, right), dv_vec3_add(dv_vec3_scale(ahead, front), dv_vec3_scale(up, above))));
}

/* What a camera has to see, point by point, so that it fills a share of the picture's width or height and nothing of it is outside. */
typedef struct DvCameraFit {
    DvVec3 right, up, back, origin; /* axes of the camera; the first point */
    double slope[2];                /* m of half the width and height that are to be filled, for each m of depth */
    double most[2], least[2], near, far;
    bool any;
} DvCameraFit;

/* With the camera's orientation and opening angle, in a picture `aspect` times as wide as high. */
static inline DvCameraFit dv_camera_fit_begin(const DvCamera *camera, double aspect, double share)
{
    const DvQuat q = dv_quat_load(camera->orientation);
    const double slope = share * tan(camera->field_of_view * DV_PI / 360);
    DvCameraFit fit;
    memset(&fit, 0, sizeof fit);
    fit.right = dv_quat_rotate(q, dv_vec3(1, 0, 0));
    fit.up = dv_quat_rotate(q, dv_vec3(0, 1, 0));
    fit.back = dv_quat_rotate(q, dv_vec3(0, 0, 1));
    fit.slope[0] = slope * aspect;
    fit.slope[1] = slope;
    for (int axis = 0; axis < 2; axis++)
        fit.most[axis] = fit.least[axis] = -INFINITY;
    fit.near = INFINITY, fit.far = -INFINITY;
    return fit;
}

/* A ball of this radius; 0: a point. Those that are not numbers do not count. */
static inline void dv_camera_fit_add(DvCameraFit *fit, DvVec3 at, double radius)
{
    if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z) || !isfinite(radius))
        return;
    if (!fit->any)
        fit->origin = at;
    fit->any = true;
    const DvVec3 from = dv_vec3_sub(at, fit->origin);
    const double place[2] = {dv_vec3_dot(from, fit->right), dv_vec3_dot(from, fit->up)};
    const double back = dv_vec3_dot(from, fit->back);
    for (int axis = 0; axis < 2; axis++) {
        const double wide = radius * sqrt(1 + fit->slope[axis] * fit->slope[axis]);
        fit->most[axis] = fmax(fit->most[axis], place[axis] + fit->slope[axis] * back + wide);
        fit->least[axis] = fmax(fit->least[axis], -place[axis] + fit->slope[axis] * back + wide);
    }
    fit->near = fmin(fit->near, back - radius);
    fit->far = fmax(fit->far, back + radius);
}

/* Puts the camera there; it looks at the middle of all points. Nothing was added, or one point: false, and it stays where it is. */
static inline bool dv_camera_fit_end(const DvCameraFit *fit, DvCamera *camera)
{
    if (!fit->any)
        return false;
    double middle[2], distance = 0;
    for (int axis = 0; axis < 2; axis++) {
        middle[axis] = (fit->most[axis] - fit->least[axis]) / 2;
        distance = fmax(distance, (fit->most[axis] + fit->least[axis]) / (2 * fit->slope[axis]));
    }
    const double depth = (fit->near + fit->far) / 2;
    if (!(distance - depth > 1e-9))
        return false;
    const DvVec3 across = dv_vec3_madd(dv_vec3_madd(fit->origin, middle[0], fit->right), middle[1], fit->up);
    dv_vec3_store(dv_vec3_madd(across, distance, fit->back), camera->position);
    dv_vec3_store(dv_vec3_madd(across, depth, fit->back), camera->look_at);
    camera->by_bounds = false;
    return true;
}

/* near and far such that what is ahead in the box lies between them. Of a box around the eye, whose floor may be wide and what stands on it
 * close, near is a small part of the way to what is looked at. A renderer that knows what is visible fits them closer (fits_clip). */
static inline void dv_camera_fit_clip(DvCamera *camera, const double *box)
{
    double sound[6], nearest = INFINITY, farthest = 0;
    dv_camera_sound_box(box, sound);
    const DvVec3 eye = dv_vec3_load(camera->position), to = dv_vec3_load(camera->look_at);
    const DvVec3 ahead = dv_quat_rotate(dv_quat_load(camera->orientation), dv_vec3(0, 0, -1));
    for (int i = 0; i < 8; i++) {
        const DvVec3 corner = dv_vec3(sound[i & 1 ? 3 : 0], sound[i & 2 ? 4 : 1], sound[i & 4 ? 5 : 2]);
        const double depth = dv_vec3_dot(dv_vec3_sub(corner, eye), ahead);
        nearest = fmin(nearest, depth);
        farthest = fmax(farthest, depth);
    }
    const double way = dv_vec3_distance(eye, to);
    double least = 1e-4 * farthest;
    if (way > 0)
        least = fmin(least, 0.01 * way);
    camera->near = fmax(0.5 * nearest, fmax(least, 1e-9));
    camera->far = fmax(1.1 * farthest, 2 * camera->near);
}

/* All that is left open is chosen: the place if it follows the bounds, near and far if they do; an opening angle of 45 degrees if there
 * is none. `box` NULL: no bounds. What a renderer is given. */
static inline void dv_camera_prepare(DvCamera *camera, const double *box, const double gravity[3])
{
    if (!(camera->field_of_view > 0 && camera->field_of_view < 180))
        camera->field_of_view = 45;
    if (camera->by_bounds)
        dv_camera_look_at_box(camera, box, gravity);
    if (camera->fits_clip || !(camera->near > 0 && camera->far > camera->near))
        dv_camera_fit_clip(camera, box);
}

static inline void dv_camera_view(const DvCamera *camera, double m[16])
{
    const DvMat3 axes = dv_quat_to_matrix(dv_quat_load(camera->orientation));
    memset(m, 0, 16 * sizeof *m);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            m[4 * row + column] = axes.m[column][row];
            m[4 * row + 3] -= axes.m[column][row] * camera->position[column];
        }
    m[15] = 1;
}

/* Half the height and width, m, of what an orthographic camera sees: at the point it looks at that of a perspective one. */
static inline void dv_camera_half_size(const DvCamera *camera, double width, double height, double half[2])
{
    const DvVec3 to = dv_vec3_sub(dv_vec3_load(camera->look_at), dv_vec3_load(camera->position));
    const double depth = fabs(dv_quat_inverse_rotate(dv_quat_load(camera->orientation), to).z);
    const double size = tan(camera->field_of_view * DV_PI / 360) * depth;
    half[0] = size * (width > height ? width / height : 1);
    half[1] = size * (height > width ? height / width : 1);
}

/* Of a picture of width x height pixels. */
static inline void dv_camera_projection(const DvCamera *camera, double width, double height, double m[16])
{
    const double near = camera->near, far = camera->far;
    memset(m, 0, 16 * sizeof *m);
    if (!camera->orthographic) {
        m[5] = 1 / tan(camera->field_of_view * DV_PI / 360);
        m[0] = m[5] * height / width;
        m[10] = -(far + near) / (far - near);
        m[11] = -2 * far * near / (far - near);
        m[14] = -1;
        return;
    }
    double half[2];
    dv_camera_half_size(camera, width, height, half);
    m[0] = 1 / half[0];
    m[5] = 1 / half[1];
    m[10] = -2 / (far - near);
    m[11] = -(far + near) / (far - near);
    m[15] = 1;
}

/* The line of sight through a pixel, x to the right and y down from the upper left corner: from the near plane, of length 1. */
static inline void dv_camera_ray(const DvCamera *camera, double width, double height, double x, double y,
                                 double origin[3], double direction[3])
{
    const double right = 2 * x / width - 1, up = 1 - 2 * y / height;
    const DvQuat q = dv_quat_load(camera->orientation);
    DvVec3 at = dv_vec3(0, 0, -camera->near), along = dv_vec3(0, 0, -1);
    if (camera->orthographic) {
        double half[2];
        dv_camera_half_size(camera, width, height, half);
        at.x = right * half[0], at.y = up * half[1];
    } else {
        const double slope = tan(camera->field_of_view * DV_PI / 360);
        along = dv_vec3(right * slope * width / height, up * slope, -1);
        at = dv_vec3_scale(along, camera->near);
    }
    dv_vec3_store(dv_vec3_add(dv_vec3_load(camera->position), dv_quat_rotate(q, at)), origin);
    dv_vec3_store(dv_vec3_normalize(dv_quat_rotate(q, along)), direction);
}

DV_END_DECLS
#endif
