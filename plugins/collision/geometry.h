/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nearest points: of two lines or segments, of a triangle and a point. Shared by models, which place contacts on their elements, and
 * routines of contact, which look for them.
 *
 * Feet are solved by the normal equations (Gram's matrix) of the difference of two points; who asks decides what lies outside.
 */
#ifndef DIVAN_COLLISION_GEOMETRY_H
#define DIVAN_COLLISION_GEOMETRY_H

#include <math.h>

#include "fused.h"
#include <divan/contracts/collision.h>

DV_SIMD_INLINE double clamped(double u)
{
    return u < 0 ? 0 : u > 1 ? 1 : u;
}

/* ---- Lines ---- */

/* Where the foot of p is on the line a + u ab, as u; the first end where the line has no length. */
DV_SIMD_INLINE double foot_on_line(DvVec3 a, DvVec3 ab, DvVec3 p)
{
    const double length2 = fused_norm_squared(ab);
    return length2 > 0 ? fused_dot(dv_vec3_sub(p, a), ab) / length2 : 0.0;
}

/* Two lines p + alpha ab and q + beta cd: their nearest points are at alpha / det and beta / det. */
typedef struct LineFeet {
    double alpha, beta, det;
} LineFeet;

DV_SIMD_INLINE LineFeet feet_of_lines(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd)
{
    const DvVec3 pq = dv_vec3_sub(q, p);
    const double a11 = fused_dot(ab, ab), a22 = fused_dot(cd, cd), a12 = -fused_dot(ab, cd);
    const double b1 = fused_dot(ab, pq), b2 = -fused_dot(cd, pq);
    return (LineFeet){fused_minor(b1, a22, b2, a12), fused_minor(b2, a11, b1, a12), fused_minor(a11, a22, a12, a12)};
}

/* Whether one of two quotients is surely outside [0, 1], which takes no division. False when det is not positive. */
DV_SIMD_INLINE bool feet_are_outside(double alpha, double beta, double det)
{
    return (det > 0) & ((alpha < 0) | (beta < 0) | (alpha > det) | (beta > det));
}

/* Nearest points p + alpha ab and q + beta cd of two lines; false when they are parallel (|det| <= least): both 1/2. */
DV_SIMD_INLINE bool nearest_on_lines(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double least, double *alpha,
                                     double *beta)
{
    const LineFeet feet = feet_of_lines(p, ab, q, cd);
    *alpha = *beta = 0.5;
    if (!(fabs(feet.det) > least))
        return false;
    *alpha = feet.alpha / feet.det;
    *beta = feet.beta / feet.det;
    return true;
}

/* Nearest points of parallel segments: the middle of the part where they are side by side, or the ends that are next to each
 * other. */
DV_SIMD_INLINE void nearest_on_parallel_segments(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double *alpha, double *beta)
{
    if (!(fused_norm_squared(ab) > 0)) { /* a point */
        *alpha = 0;
        *beta = clamped(foot_on_line(q, cd, p));
        return;
    }
    const double c = foot_on_line(p, ab, q), d = foot_on_line(p, ab, dv_vec3_add(q, cd));
    const double low = clamped(c < d ? c : d), high = clamped(c < d ? d : c);
    *alpha = 0.5 * (low + high);
    *beta = clamped(foot_on_line(q, cd, fused_madd(p, *alpha, ab)));
}

/* Nearest points of two segments, of the nearest points of their lines: what lies beyond an end is moved there, and the other
 * follows. */
DV_SIMD_INLINE void move_onto_segments(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double *alpha, double *beta)
{
    if (!(*alpha >= 0 && *alpha <= 1)) {
        *alpha = clamped(*alpha);
        *beta = foot_on_line(q, cd, fused_madd(p, *alpha, ab));
    }
    if (!(*beta >= 0 && *beta <= 1)) {
        *beta = clamped(*beta);
        *alpha = clamped(foot_on_line(p, ab, fused_madd(q, *beta, cd)));
    }
}

/* Nearest points of two segments; parallel when |det| <= least. */
DV_SIMD_INLINE void nearest_on_segments(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double least, double *alpha,
                                        double *beta)
{
    if (nearest_on_lines(p, ab, q, cd, least, alpha, beta))
        move_onto_segments(p, ab, q, cd, alpha, beta);
    else
        nearest_on_parallel_segments(p, ab, q, cd, alpha, beta);
}

/* ---- Triangles ---- */

/* The foot of p on the plane of a triangle: a + alpha ab + beta ac. */
typedef struct PlaneFoot {
    double alpha, beta;
    double a11, a22, a12, b1, b2;
} PlaneFoot;

/* alpha and beta are still to be divided by what is returned. */
DV_SIMD_INLINE double undivided_foot_on_plane(DvVec3 a, DvVec3 ab, DvVec3 ac, DvVec3 p, PlaneFoot *f)
{
    const DvVec3 ap = dv_vec3_sub(p, a);
    *f = (PlaneFoot){.a11 = fused_dot(ab, ab),
                     .a22 = fused_dot(ac, ac),
                     .a12 = fused_dot(ab, ac),
                     .b1 = fused_dot(ap, ab),
                     .b2 = fused_dot(ap, ac)};
    f->alpha = f->b1 * f->a22 - f->b2 * f->a12;
    f->beta = f->b2 * f->a11 - f->b1 * f->a12;
    return f->a11 * f->a22 - f->a12 * f->a12;
}

DV_SIMD_INLINE PlaneFoot foot_on_plane(DvVec3 a, DvVec3 ab, DvVec3 ac, DvVec3 p)
{
    PlaneFoot f;
    const double det = undivided_foot_on_plane(a, ab, ac, p, &f);
    f.alpha /= det;
    f.beta /= det;
    return f;
}

/* Where corners, edges and the inside of a triangle part: how far inside a foot has to be, as a share of the edges. */
typedef struct TriangleMargins {
    double inside;
    double corner_ac; /* along the edge a c, at the corner a */
    bool edges_begin; /* an edge begins where the corner a ends; else it takes what that leaves */
} TriangleMargins;

/* The place a + alpha ab + beta ac of a triangle that is nearest to p, found by walking from the foot to the edge or the corner
 * beyond which it lies. The DV_OWNS_* of that edge or corner, 0 inside. */
DV_SIMD_INLINE uint16_t nearest_on_triangle(DvVec3 a, DvVec3 ab, DvVec3 ac, DvVec3 p, TriangleMargins margins,
                                            double *alpha, double *beta)
{
    const PlaneFoot f = foot_on_plane(a, ab, ac, p);
    const double least = margins.inside, least_begin = margins.edges_begin ? least : -HUGE_VAL;
    *alpha = f.alpha;
    *beta = f.beta;
    if (!(f.alpha < least || f.beta < least || f.alpha + f.beta > 1 - least))
        return 0;
    const double along_ab = f.b1 / f.a11, along_ac = f.b2 / f.a22;
    if (along_ab < least && along_ac < margins.corner_ac) {
        *alpha = *beta = 0;
        return DV_OWNS_CORNER_0;
    }
    if (along_ab >= least_begin && along_ab < 1 - least && f.beta < least) {
        *alpha = along_ab;
        *beta = 0;
        return DV_OWNS_EDGE_2;
    }
    if (along_ac >= least_begin && along_ac < 1 - least && f.alpha < least) {
        *alpha = 0;
        *beta = along_ac;
        return DV_OWNS_EDGE_1;
    }
    const double along_bc = (f.b2 - f.b1 + f.a11 - f.a12) / (f.a11 + f.a22 - 2 * f.a12);
    *beta = along_bc < least ? 0 : along_bc > 1 - least ? 1 : along_bc;
    *alpha = 1 - *beta;
    return along_bc < least ? DV_OWNS_CORNER_1 : along_bc > 1 - least ? DV_OWNS_CORNER_2 : DV_OWNS_EDGE_0;
}

/* ---- Tetrahedra ---- */

/* Weights of the four corners, sum 1, that give p; false of a tetrahedron without volume. */
DV_SIMD_INLINE bool barycentric_in_tetrahedron(const DvVec3 x[4], DvVec3 p, double weights[4])
{
    const DvVec3 a = dv_vec3_sub(x[1], x[0]), b = dv_vec3_sub(x[2], x[0]), c = dv_vec3_sub(x[3], x[0]);
    const DvVec3 d = dv_vec3_sub(p, x[0]), bc = fused_cross(b, c);
    const double det = fused_dot(a, bc);
    if (det == 0.0)
        return false;
    weights[1] = fused_dot(d, bc) / det;
    weights[2] = fused_dot(d, fused_cross(c, a)) / det;
    weights[3] = fused_dot(d, fused_cross(a, b)) / det;
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    return true;
}

#endif
