/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and sums of vectors with fused additions, for distances between elements and what is decided by them.
 *
 * Where surfaces lie on each other, or meshes are symmetric, the sign of a number that is 0 in exact arithmetic decides whether a
 * contact counts. Programs of this field are compiled with fused additions as a rule, gcc's way: the first product of a sum is
 * fused with the second, then one after the other. Done the same way here such decisions come out alike, and the same on every
 * machine.
 */
#ifndef DV_COLLISION_FUSED_H
#define DV_COLLISION_FUSED_H

#include <divan/math/simd.h>
#include <divan/math/vec.h>

DV_SIMD_INLINE double fused_dot(DvVec3 a, DvVec3 b)
{
    return __builtin_fma(a.z, b.z, __builtin_fma(a.x, b.x, a.y * b.y));
}

/* a d - b c, a product of which the second is rounded by itself: what nearly vanishes of two lines that are nearly parallel. */
DV_SIMD_INLINE double fused_minor(double a, double d, double b, double c)
{
    return __builtin_fma(a, d, -(b * c));
}

DV_SIMD_INLINE DvVec3 fused_cross(DvVec3 a, DvVec3 b)
{
    return dv_vec3(__builtin_fma(a.y, b.z, -(a.z * b.y)), __builtin_fma(a.z, b.x, -(a.x * b.z)),
                   __builtin_fma(a.x, b.y, -(a.y * b.x)));
}

/* a + k b */
DV_SIMD_INLINE DvVec3 fused_madd(DvVec3 a, double k, DvVec3 b)
{
    return dv_vec3(__builtin_fma(k, b.x, a.x), __builtin_fma(k, b.y, a.y), __builtin_fma(k, b.z, a.z));
}

DV_SIMD_INLINE double fused_norm_squared(DvVec3 a)
{
    return fused_dot(a, a);
}

DV_SIMD_INLINE double fused_norm(DvVec3 a)
{
    return __builtin_sqrt(fused_dot(a, a));
}

/* a / |a|; a itself where it has no direction. */
DV_SIMD_INLINE DvVec3 fused_normalize(DvVec3 a)
{
    const double norm = fused_norm(a);
    return norm > DBL_EPSILON ? dv_vec3(a.x / norm, a.y / norm, a.z / norm) : a;
}

#endif
