/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of two and three doubles, passed by value.
 *
 * Arrays of the simulator are flat doubles: load and store move one vector between such an array and a value.
 * Sums are written left to right without contraction, so that a result does not depend on the machine.
 */
#ifndef DIVAN_MATH_VEC_H
#define DIVAN_MATH_VEC_H

#include <float.h>
#include <math.h>

#define DV_PI 3.14159265358979323846

typedef struct DvVec2 {
    double x, y;
} DvVec2;

typedef struct DvVec3 {
    double x, y, z;
} DvVec3;

static inline DvVec2 dv_vec2(double x, double y)
{
    DvVec2 r = {x, y};
    return r;
}

static inline DvVec2 dv_vec2_load(const double *p) /* p: 2 doubles */
{
    return dv_vec2(p[0], p[1]);
}

static inline void dv_vec2_store(DvVec2 a, double *p) /* p: 2 doubles */
{
    p[0] = a.x;
    p[1] = a.y;
}

static inline DvVec2 dv_vec2_add(DvVec2 a, DvVec2 b)
{
    return dv_vec2(a.x + b.x, a.y + b.y);
}

static inline DvVec2 dv_vec2_sub(DvVec2 a, DvVec2 b)
{
    return dv_vec2(a.x - b.x, a.y - b.y);
}

static inline DvVec2 dv_vec2_scale(DvVec2 a, double k)
{
    return dv_vec2(a.x * k, a.y * k);
}

static inline double dv_vec2_dot(DvVec2 a, DvVec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* The third component of the cross product: positive when b lies counter-clockwise of a. */
static inline double dv_vec2_cross(DvVec2 a, DvVec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double dv_vec2_norm(DvVec2 a)
{
    return sqrt(dv_vec2_dot(a, a));
}

/* a turned counter-clockwise by `angle` radians. */
static inline DvVec2 dv_vec2_rotate(DvVec2 a, double angle)
{
    const double c = cos(angle), s = sin(angle);
    return dv_vec2(c * a.x - s * a.y, s * a.x + c * a.y);
}

static inline DvVec3 dv_vec3(double x, double y, double z)
{
    DvVec3 r = {x, y, z};
    return r;
}

static inline DvVec3 dv_vec3_zero(void)
{
    return dv_vec3(0.0, 0.0, 0.0);
}

static inline DvVec3 dv_vec3_load(const double *p) /* p: 3 doubles */
{
    return dv_vec3(p[0], p[1], p[2]);
}

static inline void dv_vec3_store(DvVec3 a, double *p) /* p: 3 doubles */
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

/* p += a, for scattering into an array. */
static inline void dv_vec3_accumulate(DvVec3 a, double *p) /* p: 3 doubles */
{
    p[0] += a.x;
    p[1] += a.y;
    p[2] += a.z;
}

static inline DvVec3 dv_vec3_add(DvVec3 a, DvVec3 b)
{
    return dv_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline DvVec3 dv_vec3_sub(DvVec3 a, DvVec3 b)
{
    return dv_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline DvVec3 dv_vec3_scale(DvVec3 a, double k)
{
    return dv_vec3(a.x * k, a.y * k, a.z * k);
}

static inline DvVec3 dv_vec3_neg(DvVec3 a)
{
    return dv_vec3(-a.x, -a.y, -a.z);
}

/* a + k b */
static inline DvVec3 dv_vec3_madd(DvVec3 a, double k, DvVec3 b)
{
    return dv_vec3(a.x + k * b.x, a.y + k * b.y, a.z + k * b.z);
}

/* Component by component. */
static inline DvVec3 dv_vec3_mul(DvVec3 a, DvVec3 b)
{
    return dv_vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Component by component; as fmin, a number wins over a NaN. */
static inline DvVec3 dv_vec3_min(DvVec3 a, DvVec3 b)
{
    return dv_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

/* Component by component; as fmax, a number wins over a NaN. */
static inline DvVec3 dv_vec3_max(DvVec3 a, DvVec3 b)
{
    return dv_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static inline double dv_vec3_dot(DvVec3 a, DvVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline DvVec3 dv_vec3_cross(DvVec3 a, DvVec3 b)
{
    return dv_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double dv_vec3_norm_squared(DvVec3 a)
{
    return dv_vec3_dot(a, a);
}

static inline double dv_vec3_norm(DvVec3 a)
{
    return sqrt(dv_vec3_dot(a, a));
}

static inline double dv_vec3_distance(DvVec3 a, DvVec3 b)
{
    return dv_vec3_norm(dv_vec3_sub(a, b));
}

/* a / |a|; a itself when |a| is at most the machine epsilon, since it has no direction then. */
static inline DvVec3 dv_vec3_normalize(DvVec3 a)
{
    const double norm = dv_vec3_norm(a);
    return norm > DBL_EPSILON ? dv_vec3(a.x / norm, a.y / norm, a.z / norm) : a;
}

#endif
