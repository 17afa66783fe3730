/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigid bodies: coordinates, derivatives, and the step from one to the other.
 *
 *   Rigid3   coordinates: centre, then quaternion x y z w (7 doubles)   derivatives: linear, angular in world axes (6)
 *   Rigid2   coordinates: x, y, angle in radians (3 doubles)            derivatives: linear, angular (3)
 *
 * Orientations are integrated by the exponential map and never renormalised: a step multiplies by a unit quaternion.
 */
#ifndef DIVAN_MATH_RIGID_H
#define DIVAN_MATH_RIGID_H

#include <divan/math/quat.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DvRigid3 {
    DvVec3 center;
    DvQuat orientation;
} DvRigid3;

/* A velocity, a displacement or a force: the angular part of a force is its torque. */
typedef struct DvRigid3Deriv {
    DvVec3 linear;
    DvVec3 angular;
} DvRigid3Deriv;

static inline DvRigid3 dv_rigid3(DvVec3 center, DvQuat orientation)
{
    DvRigid3 r = {center, orientation};
    return r;
}

static inline DvRigid3 dv_rigid3_identity(void)
{
    return dv_rigid3(dv_vec3_zero(), dv_quat_identity());
}

static inline DvRigid3 dv_rigid3_load(const double *p) /* p: 7 doubles */
{
    return dv_rigid3(dv_vec3_load(p), dv_quat_load(p + 3));
}

static inline void dv_rigid3_store(DvRigid3 a, double *p) /* p: 7 doubles */
{
    dv_vec3_store(a.center, p);
    dv_quat_store(a.orientation, p + 3);
}

static inline DvRigid3Deriv dv_rigid3_deriv(DvVec3 linear, DvVec3 angular)
{
    DvRigid3Deriv r = {linear, angular};
    return r;
}

static inline DvRigid3Deriv dv_rigid3_deriv_load(const double *p) /* p: 6 doubles */
{
    return dv_rigid3_deriv(dv_vec3_load(p), dv_vec3_load(p + 3));
}

static inline void dv_rigid3_deriv_store(DvRigid3Deriv d, double *p) /* p: 6 doubles */
{
    dv_vec3_store(d.linear, p);
    dv_vec3_store(d.angular, p + 3);
}

/* p += d, for scattering into an array. */
static inline void dv_rigid3_deriv_accumulate(DvRigid3Deriv d, double *p) /* p: 6 doubles */
{
    dv_vec3_accumulate(d.linear, p);
    dv_vec3_accumulate(d.angular, p + 3);
}

/* a moved by d: the centre is shifted, the orientation multiplied from the left by the exponential of d.angular. */
static inline DvRigid3 dv_rigid3_integrate(DvRigid3 a, DvRigid3Deriv d)
{
    return dv_rigid3(dv_vec3_add(a.center, d.linear), dv_quat_mul(dv_quat_from_increment(d.angular), a.orientation));
}

/* The displacement that takes b to a: integrate(b, difference(a, b)) = a for unit quaternions. Angles up to pi. */
static inline DvRigid3Deriv dv_rigid3_difference(DvRigid3 a, DvRigid3 b)
{
    const DvQuat relative = dv_quat_mul(a.orientation, dv_quat_inverse(b.orientation));
    return dv_rigid3_deriv(dv_vec3_sub(a.center, b.center), dv_quat_to_rotation_vector(relative));
}

/* World position of a point given in the body's coordinates. */
static inline DvVec3 dv_rigid3_to_world(DvRigid3 a, DvVec3 local)
{
    return dv_vec3_add(a.center, dv_quat_rotate(a.orientation, local));
}

/* Local coordinates of a world position, for unit quaternions. */
static inline DvVec3 dv_rigid3_to_local(DvRigid3 a, DvVec3 world)
{
    return dv_quat_inverse_rotate(a.orientation, dv_vec3_sub(world, a.center));
}

/* The frame `local` of the body a, in the world. */
static inline DvRigid3 dv_rigid3_mul(DvRigid3 a, DvRigid3 local)
{
    return dv_rigid3(dv_rigid3_to_world(a, local.center), dv_quat_mul(a.orientation, local.orientation));
}

/* Velocity of a point of the body; lever: from the centre to the point, world axes. */
static inline DvVec3 dv_rigid3_velocity_at(DvRigid3Deriv v, DvVec3 lever)
{
    return dv_vec3_add(v.linear, dv_vec3_cross(v.angular, lever));
}

/* The force and the torque about the centre of a force that acts at `lever`. */
static inline DvRigid3Deriv dv_rigid3_wrench(DvVec3 force, DvVec3 lever)
{
    return dv_rigid3_deriv(force, dv_vec3_cross(lever, force));
}

/* A weighted mean of n bodies of an array: linear for centres; each rotation enters with its angle multiplied by its
 * weight, one after the other, those with a half-angle below 0.0005 not at all.
 *   coords: bodies x 7    index: n entries, or NULL for 0 .. n-1    weight: n entries, or NULL for 1/n each */
static inline DvRigid3 dv_rigid3_interpolate(const double *coords, const uint32_t *index, const double *weight,
                                             uint32_t n)
{
    DvRigid3 mean = dv_rigid3_identity();
    for (uint32_t i = 0; i < n; i++) {
        const DvRigid3 a = dv_rigid3_load(coords + 7 * (size_t)(index ? index[i] : i));
        const double w = weight ? weight[i] : 1.0 / n;
        mean.center = dv_vec3_madd(mean.center, w, a.center);
        const DvVec3 axis = dv_quat_vector(a.orientation);
        if (dv_vec3_norm(axis) > 0.0005) {
            const double angle = 2.0 * acos(fmax(-1.0, fmin(1.0, a.orientation.w)));
            mean.orientation = dv_quat_compose(mean.orientation, dv_quat_from_axis_angle(axis, angle * w));
        }
    }
    return mean;
}

typedef struct DvRigid2 {
    DvVec2 center;
    double angle; /* radians */
} DvRigid2;

static inline DvRigid2 dv_rigid2_load(const double *p) /* p: 3 doubles */
{
    DvRigid2 r = {{p[0], p[1]}, p[2]};
    return r;
}

static inline void dv_rigid2_store(DvRigid2 a, double *p) /* p: 3 doubles */
{
    dv_vec2_store(a.center, p);
    p[2] = a.angle;
}

/* The displacement that takes b to a. The angle is taken to the turn that starts at -pi when a is ahead of b - pi, and
 * keeps a full turn less otherwise: fmod(a - b + pi, 2 pi) - pi. */
static inline DvRigid2 dv_rigid2_difference(DvRigid2 a, DvRigid2 b)
{
    DvRigid2 r = {dv_vec2_sub(a.center, b.center), fmod(a.angle - b.angle + DV_PI, 2.0 * DV_PI) - DV_PI};
    return r;
}

/* World position of a point given in the body's coordinates. */
static inline DvVec2 dv_rigid2_to_world(DvRigid2 a, DvVec2 local)
{
    return dv_vec2_add(a.center, dv_vec2_rotate(local, a.angle));
}

#endif
