/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of eight elements at a time: rows, world to local. The functions of divan/math/decompose.h, lane by lane.
 */
#ifndef DIVAN_MECHANICS_FRAMES_H
#define DIVAN_MECHANICS_FRAMES_H

#include <divan/math/simd.h>

/* x along u, z normal to u and v. */
DV_SIMD_INLINE void triangle_frame(const DvReal8 u[3], const DvReal8 v[3], DvReal8 frame[3][3])
{
    DV_EACH (c, 3)
        frame[0][c] = u[c];
    dv_real8_normalize(frame[0]);
    dv_real8_cross(frame[0], v, frame[2]);
    dv_real8_normalize(frame[2]);
    dv_real8_cross(frame[2], frame[0], frame[1]);
}

/* Largest sum of absolute values in a column. */
DV_SIMD_INLINE DvReal8 largest_column(const DvReal8 m[3][3])
{
    DvReal8 sum[3];
    DV_EACH (j, 3)
        sum[j] = dv_real8_abs(m[0][j]) + dv_real8_abs(m[1][j]) + dv_real8_abs(m[2][j]);
    return dv_real8_max(dv_real8_max(sum[0], sum[1]), sum[2]);
}

DV_SIMD_INLINE DvReal8 largest_row(const DvReal8 m[3][3])
{
    DvReal8 sum[3];
    DV_EACH (i, 3)
        sum[i] = dv_real8_abs(m[i][0]) + dv_real8_abs(m[i][1]) + dv_real8_abs(m[i][2]);
    return dv_real8_max(dv_real8_max(sum[0], sum[1]), sum[2]);
}

/* A step of the iteration of dv_polar: m becomes ka m + kb adjugate in the lanes that have not converged yet. */
typedef struct PolarStep {
    DvReal8 m[3][3], adjugate[3][3], ka, kb;
    DvMask8 active;
} PolarStep;

DV_SIMD_INLINE void polar_begin(PolarStep *p)
{
    const DvReal8(*m)[3] = (const DvReal8(*)[3])p->m;
    DvReal8 adjugate[3][3];
    dv_real8_cross(m[1], m[2], adjugate[0]);
    dv_real8_cross(m[2], m[0], adjugate[1]);
    dv_real8_cross(m[0], m[1], adjugate[2]);
    const DvReal8 det = dv_real8_dot(m[0], adjugate[0]);
    p->active &= det != 0.0;
    const DvReal8 of_adjugate =
                      largest_column((const DvReal8(*)[3])adjugate) * largest_row((const DvReal8(*)[3])adjugate),
                  of_m = largest_column(m) * largest_row(m);
    const DvReal8 gamma = dv_real8_sqrt(dv_real8_sqrt(of_adjugate / of_m) / dv_real8_abs(det));
    p->ka = 0.5 * gamma;
    p->kb = 0.5 / (gamma * det);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            p->adjugate[i][j] = adjugate[i][j];
}

DV_SIMD_INLINE void polar_end(PolarStep *p)
{
    DvReal8 next[3][3], move[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            next[i][j] = p->m[i][j] * p->ka + p->kb * p->adjugate[i][j];
            move[i][j] = next[i][j] - p->m[i][j];
        }
    const DvReal8 change = largest_column((const DvReal8(*)[3])move), norm = largest_column((const DvReal8(*)[3])next);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            p->m[i][j] = dv_real8_select(p->active, next[i][j], p->m[i][j]);
    p->active &= ~(change <= 1e-8 * norm);
}

/* Roots and divisions of a frame follow one another: meanwhile those of the blocks behind it begin. */
enum { FRAMES_AT_ONCE = 4, FRAMES_BEHIND = 2 };

/* The polar factors of matrices whose rows are the edges, each lane until it has converged.     count: at most FRAMES_AT_ONCE */
DV_SIMD_INLINE void polar_frames(uint32_t count, const DvReal8 (*edge)[3][3], DvReal8 (*frame)[3][3])
{
    PolarStep p[FRAMES_AT_ONCE];
    DvMask8 active = dv_real8(0.0) == dv_real8(0.0);
    for (uint32_t b = 0; b < count; b++) {
        p[b].active = active;
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                p[b].m[i][j] = edge[b][j][i];
    }
    for (int step = 0; step < 64 && dv_mask8_any(active); step++) {
        active ^= active;
        for (uint32_t b = 0; b < count + FRAMES_BEHIND; b++) {
            if (b < count)
                polar_begin(&p[b]); /* cppcheck-suppress uninitvar ; it sets what it does not read */
            if (b < FRAMES_BEHIND)
                continue;
            polar_end(&p[b - FRAMES_BEHIND]);
            active |= p[b - FRAMES_BEHIND].active;
        }
    }
    for (uint32_t b = 0; b < count; b++)
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                frame[b][i][j] = p[b].m[j][i];
}

DV_SIMD_INLINE void polar_frame(const DvReal8 edge[3][3], DvReal8 frame[3][3])
{
    polar_frames(1, (const DvReal8(*)[3][3])edge, (DvReal8(*)[3][3])frame);
}

#endif
