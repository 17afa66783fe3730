/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quaternions (x, y, z, w) with the Hamilton product, and rotations in their other forms.
 *
 * A rotation takes local to world coordinates. Products compose from the right: (a b) rotates by b first, then by a.
 * Nothing here normalises in silence: scene files may hold quaternions that are not of unit length, and how each
 * function treats them is part of its contract.
 * Source: Shoemake, Animating rotation with quaternion curves, SIGGRAPH 1985; Shepperd, J. Guidance 1(3), 1978.
 */
#ifndef DIVAN_MATH_QUAT_H
#define DIVAN_MATH_QUAT_H

#include <divan/math/mat.h>
#include <stdbool.h>

typedef struct DvQuat {
    double x, y, z, w;
} DvQuat;

static inline DvQuat dv_quat(double x, double y, double z, double w)
{
    DvQuat r = {x, y, z, w};
    return r;
}

static inline DvQuat dv_quat_identity(void)
{
    return dv_quat(0.0, 0.0, 0.0, 1.0);
}

static inline DvQuat dv_quat_load(const double *p) /* p: 4 doubles x y z w */
{
    return dv_quat(p[0], p[1], p[2], p[3]);
}

static inline void dv_quat_store(DvQuat q, double *p) /* p: 4 doubles x y z w */
{
    p[0] = q.x;
    p[1] = q.y;
    p[2] = q.z;
    p[3] = q.w;
}

/* The imaginary part (x, y, z). */
static inline DvVec3 dv_quat_vector(DvQuat q)
{
    return dv_vec3(q.x, q.y, q.z);
}

static inline double dv_quat_dot(DvQuat a, DvQuat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline double dv_quat_norm(DvQuat q)
{
    return sqrt(dv_quat_dot(q, q));
}

/* Hamilton product a b. */
static inline DvQuat dv_quat_mul(DvQuat a, DvQuat b)
{
    return dv_quat(a.w * b.x + b.w * a.x + (a.y * b.z - a.z * b.y), a.w * b.y + b.w * a.y + (a.z * b.x - a.x * b.z),
                   a.w * b.z + b.w * a.z + (a.x * b.y - a.y * b.x), a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z));
}

static inline DvQuat dv_quat_conjugate(DvQuat q)
{
    return dv_quat(-q.x, -q.y, -q.z, q.w);
}

/* q / |q|; q itself when its squared length is within 1e-10 of 1, and when it is zero. */
static inline DvQuat dv_quat_normalize(DvQuat q)
{
    const double norm_squared = dv_quat_dot(q, q);
    if (!(fabs(norm_squared - 1.0) > 1e-10) || norm_squared == 0.0)
        return q;
    const double norm = sqrt(norm_squared);
    return dv_quat(q.x / norm, q.y / norm, q.z / norm, q.w / norm);
}

/* The conjugate divided by |q|: the inverse of a unit quaternion. For other lengths the mathematical inverse would
 * divide by the squared length; existing scenes depend on this form. The zero quaternion gives zero. */
static inline DvQuat dv_quat_inverse(DvQuat q)
{
    const double norm = dv_quat_norm(q);
    return norm > 0.0 ? dv_quat(-q.x / norm, -q.y / norm, -q.z / norm, q.w / norm) : dv_quat(0.0, 0.0, 0.0, 0.0);
}

/* v + w t + u x t with u = (x, y, z), t = 2 u x v: q v q* for a unit quaternion, without division by the length. */
static inline DvVec3 dv_quat_rotate(DvQuat q, DvVec3 v)
{
    const DvVec3 u = dv_quat_vector(q);
    const DvVec3 t = dv_vec3_scale(dv_vec3_cross(u, v), 2.0);
    return dv_vec3_add(dv_vec3_madd(v, q.w, t), dv_vec3_cross(u, t));
}

/* Rotation by the conjugate, without division by the length. */
static inline DvVec3 dv_quat_inverse_rotate(DvQuat q, DvVec3 v)
{
    return dv_quat_rotate(dv_quat_conjugate(q), v);
}

/* Every component of a within 1e-6 of that of b. */
static inline bool dv_quat_nearly_equal(DvQuat a, DvQuat b)
{
    return fabs(a.x - b.x) < 1e-6 && fabs(a.y - b.y) < 1e-6 && fabs(a.z - b.z) < 1e-6 && fabs(a.w - b.w) < 1e-6;
}

/* The rotation matrix of a unit quaternion; other lengths go through the same polynomial. */
static inline DvMat3 dv_quat_to_matrix(DvQuat q)
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    DvMat3 r = {{{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (z * x + y * w)},
                 {2.0 * (x * y + z * w), 1.0 - 2.0 * (z * z + x * x), 2.0 * (y * z - x * w)},
                 {2.0 * (z * x - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (y * y + x * x)}}};
    return r;
}

/* The quaternion of a rotation matrix, from its trace or else its largest diagonal entry, whose component is then
 * positive. Matrices that are not orthogonal give a quaternion that is not of unit length. */
static inline DvQuat dv_quat_from_matrix(DvMat3 r)
{
    const double trace = dv_mat3_trace(r);
    if (trace > 0.0) {
        const double w = 0.5 * sqrt(trace + 1.0);
        const double k = 4.0 * w;
        return dv_quat((r.m[2][1] - r.m[1][2]) / k, (r.m[0][2] - r.m[2][0]) / k, (r.m[1][0] - r.m[0][1]) / k, w);
    }
    int a = r.m[1][1] > r.m[0][0] ? 1 : 0;
    if (r.m[2][2] > r.m[a][a])
        a = 2;
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    double u[3];
    u[a] = 0.5 * sqrt(r.m[a][a] - r.m[b][b] - r.m[c][c] + 1.0);
    const double k = 4.0 * u[a];
    u[b] = (r.m[a][b] + r.m[b][a]) / k;
    u[c] = (r.m[a][c] + r.m[c][a]) / k;
    return dv_quat(u[0], u[1], u[2], (r.m[c][b] - r.m[b][c]) / k);
}

/* Euler angles in radians: about x first, then y, then z, all fixed axes, so R = Rz Ry Rx. */
static inline DvQuat dv_quat_from_euler(DvVec3 radians)
{
    const double c1 = cos(radians.x / 2.0), s1 = sin(radians.x / 2.0);
    const double c2 = cos(radians.y / 2.0), s2 = sin(radians.y / 2.0);
    const double c3 = cos(radians.z / 2.0), s3 = sin(radians.z / 2.0);
    return dv_quat(s1 * c2 * c3 - c1 * s2 * s3, c1 * s2 * c3 + s1 * c2 * s3, c1 * c2 * s3 - s1 * s2 * c3,
                   c1 * c2 * c3 + s1 * s2 * s3);
}

/* The same in degrees, as scene files write them. */
static inline DvQuat dv_quat_from_euler_degrees(DvVec3 degrees)
{
    return dv_quat_from_euler(dv_vec3(degrees.x * DV_PI / 180.0, degrees.y * DV_PI / 180.0, degrees.z * DV_PI / 180.0));
}

/* Rotation by `angle` radians about `axis`, of any length; the identity when the axis is shorter than the machine
 * epsilon. */
static inline DvQuat dv_quat_from_axis_angle(DvVec3 axis, double angle)
{
    const double norm = dv_vec3_norm(axis);
    if (norm < DBL_EPSILON)
        return dv_quat_identity();
    const double k = sin(angle / 2.0);
    return dv_quat(axis.x / norm * k, axis.y / norm * k, axis.z / norm * k, cos(angle / 2.0));
}

/* Unit axis and angle, in [0, pi] radians, of a unit quaternion. A rotation by nothing has the axis y. Near the
 * identity the angle comes from the sine, since the arc cosine loses half of its digits there. */
static inline double dv_quat_to_axis_angle(DvQuat q, DvVec3 *axis)
{
    if (q.w < 0.0)
        q = dv_quat(-q.x, -q.y, -q.z, -q.w);
    const DvVec3 u = dv_quat_vector(q);
    double sine, angle;
    if (q.w > 0.999) {
        sine = dv_vec3_norm(u);
        angle = 2.0 * asin(sine);
    } else {
        const double half = acos(q.w);
        sine = sin(half);
        angle = 2.0 * half;
    }
    *axis = sine < DBL_EPSILON ? dv_vec3(0.0, 1.0, 0.0) : dv_vec3(u.x / sine, u.y / sine, u.z / sine);
    return angle;
}

/* The rotation vector (axis times angle, radians, length at most pi) of a quaternion, which is normalised first. */
static inline DvVec3 dv_quat_to_rotation_vector(DvQuat q)
{
    DvVec3 axis;
    const double angle = dv_quat_to_axis_angle(dv_quat_normalize(q), &axis);
    return dv_vec3_scale(axis, angle);
}

/* The exponential map: rotation by |a| radians about a; the identity up to |a| = 1e-5. */
static inline DvQuat dv_quat_from_rotation_vector(DvVec3 a)
{
    const double angle = dv_vec3_norm(a);
    if (angle <= 1e-5)
        return dv_quat_identity();
    const double k = sin(angle / 2.0) / angle;
    return dv_quat(a.x * k, a.y * k, a.z * k, cos(angle / 2.0));
}

/* A small rotation, exact to rounding at any length of a: what time integration applies to orientations.
 * (sin(theta)/theta h, cos(theta)) with h = a / 2, theta = |h|. */
static inline DvQuat dv_quat_from_increment(DvVec3 a)
{
    const DvVec3 h = dv_vec3_scale(a, 0.5);
    const double theta = dv_vec3_norm(h);
    if (theta < DBL_EPSILON)
        return dv_quat_normalize(dv_quat(h.x, h.y, h.z, 1.0));
    const double k = sin(theta) / theta;
    return dv_quat(h.x * k, h.y * k, h.z * k, cos(theta));
}

/* The composition of two rotations, a first, then b, brought back to unit length. */
static inline DvQuat dv_quat_compose(DvQuat a, DvQuat b)
{
    return dv_quat_normalize(dv_quat_mul(b, a));
}

static inline DvQuat dv_quat_combine(double ka, DvQuat a, double kb, DvQuat b)
{
    return dv_quat(ka * a.x + kb * b.x, ka * a.y + kb * b.y, ka * a.z + kb * b.z, ka * a.w + kb * b.w);
}

/* Spherical interpolation, t = 0 at a, 1 at b; linear within 0.01 of equal or opposite quaternions, not normalised.
 * allow_flip: take the shorter way round when a and b lie on opposite half-spheres. */
static inline DvQuat dv_quat_slerp(DvQuat a, DvQuat b, double t, bool allow_flip)
{
    const double cosine = dv_quat_dot(a, b);
    double ka = 1.0 - t, kb = t;
    if (!(1.0 - fabs(cosine) < 0.01)) {
        const double angle = acos(fabs(cosine)), sine = sin(angle);
        ka = sin(angle * (1.0 - t)) / sine;
        kb = sin(angle * t) / sine;
    }
    return dv_quat_combine(allow_flip && cosine < 0.0 ? -ka : ka, a, kb, b);
}

/* Spherical interpolation that never takes the shorter way round: a when they are equal or opposite, the mean when
 * they are so to 0.001. */
static inline DvQuat dv_quat_slerp_no_flip(DvQuat a, DvQuat b, double t)
{
    const double cosine = dv_quat_dot(a, b);
    if (fabs(cosine) >= 1.0)
        return a;
    const double half = acos(cosine), sine = sqrt(1.0 - cosine * cosine);
    if (fabs(sine) < 0.001)
        return dv_quat_combine(0.5, a, 0.5, b);
    return dv_quat_combine(sin((1.0 - t) * half) / sine, a, sin(t * half) / sine, b);
}

#endif
