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

/* The polar factor of the matrix whose rows are the edges, by the iteration of dv_polar, each lane until it has converged. */
DV_SIMD_INLINE void polar_frame(const DvReal8 edge[3][3], DvReal8 frame[3][3])
{
    DvReal8 m[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            m[i][j] = edge[j][i];
    DvMask8 active = dv_real8(0.0) == dv_real8(0.0);
    for (int step = 0; step < 64 && dv_mask8_any(active); step++) {
        DvReal8 adjugate[3][3], next[3][3];
        dv_real8_cross(m[1], m[2], adjugate[0]);
        dv_real8_cross(m[2], m[0], adjugate[1]);
        dv_real8_cross(m[0], m[1], adjugate[2]);
        const DvReal8 det = dv_real8_dot(m[0], adjugate[0]);
        active &= det != 0.0;
        DvReal8 column[2] = {{0}, {0}}, row[2] = {{0}, {0}};
        DV_EACH (i, 3) {
            const DvReal8 *const a[2] = {adjugate[i], m[i]};
            DV_EACH (k, 2)
                row[k] = dv_real8_max(row[k], dv_real8_abs(a[k][0]) + dv_real8_abs(a[k][1]) + dv_real8_abs(a[k][2]));
            column[0] = dv_real8_max(column[0], dv_real8_abs(adjugate[0][i]) + dv_real8_abs(adjugate[1][i]) +
                                                    dv_real8_abs(adjugate[2][i]));
            column[1] = dv_real8_max(column[1], dv_real8_abs(m[0][i]) + dv_real8_abs(m[1][i]) + dv_real8_abs(m[2][i]));
        }
        const DvReal8 gamma =
            dv_real8_sqrt(dv_real8_sqrt(column[0] * row[0] / (column[1] * row[1])) / dv_real8_abs(det));
        const DvReal8 ka = 0.5 * gamma, kb = 0.5 / (gamma * det);
        DvReal8 change = {0}, norm = {0};
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                next[i][j] = m[i][j] * ka + kb * adjugate[i][j];
        DV_EACH (j, 3) {
            change = dv_real8_max(change, dv_real8_abs(next[0][j] - m[0][j]) + dv_real8_abs(next[1][j] - m[1][j]) +
                                              dv_real8_abs(next[2][j] - m[2][j]));
            norm = dv_real8_max(norm, dv_real8_abs(next[0][j]) + dv_real8_abs(next[1][j]) + dv_real8_abs(next[2][j]));
        }
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                m[i][j] = dv_real8_select(active, next[i][j], m[i][j]);
        active &= ~(change <= 1e-8 * norm);
    }
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            frame[i][j] = m[j][i];
}

#endif
