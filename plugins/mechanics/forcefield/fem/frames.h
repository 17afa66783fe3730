/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of eight elements at a time: rows, world to local. The functions of divan/math/decompose.h, lane by lane.
 */
#ifndef DIVAN_MECHANICS_FRAMES_H
#define DIVAN_MECHANICS_FRAMES_H

#include "forcefield/simd.h"

/* x along u, z normal to u and v. */
SIMD_INLINE void triangle_frame(const Real8 u[3], const Real8 v[3], Real8 frame[3][3])
{
    EACH (c, 3)
        frame[0][c] = u[c];
    real8_normalize(frame[0]);
    real8_cross(frame[0], v, frame[2]);
    real8_normalize(frame[2]);
    real8_cross(frame[2], frame[0], frame[1]);
}

/* The polar factor of the matrix whose rows are the edges, by the iteration of dv_polar, each lane until it has converged. */
SIMD_INLINE void polar_frame(const Real8 edge[3][3], Real8 frame[3][3])
{
    Real8 m[3][3];
    EACH (i, 3)
        EACH (j, 3)
            m[i][j] = edge[j][i];
    Mask8 active = real8(0.0) == real8(0.0);
    for (int step = 0; step < 64 && mask8_any(active); step++) {
        Real8 adjugate[3][3], next[3][3];
        real8_cross(m[1], m[2], adjugate[0]);
        real8_cross(m[2], m[0], adjugate[1]);
        real8_cross(m[0], m[1], adjugate[2]);
        const Real8 det = real8_dot(m[0], adjugate[0]);
        active &= det != 0.0;
        Real8 column[2] = {{0}, {0}}, row[2] = {{0}, {0}};
        EACH (i, 3) {
            const Real8 *const a[2] = {adjugate[i], m[i]};
            EACH (k, 2)
                row[k] = real8_max(row[k], real8_abs(a[k][0]) + real8_abs(a[k][1]) + real8_abs(a[k][2]));
            column[0] =
                real8_max(column[0], real8_abs(adjugate[0][i]) + real8_abs(adjugate[1][i]) + real8_abs(adjugate[2][i]));
            column[1] = real8_max(column[1], real8_abs(m[0][i]) + real8_abs(m[1][i]) + real8_abs(m[2][i]));
        }
        const Real8 gamma = real8_sqrt(real8_sqrt(column[0] * row[0] / (column[1] * row[1])) / real8_abs(det));
        const Real8 ka = 0.5 * gamma, kb = 0.5 / (gamma * det);
        Real8 change = {0}, norm = {0};
        EACH (i, 3)
            EACH (j, 3)
                next[i][j] = m[i][j] * ka + kb * adjugate[i][j];
        EACH (j, 3) {
            change = real8_max(change, real8_abs(next[0][j] - m[0][j]) + real8_abs(next[1][j] - m[1][j]) +
                                           real8_abs(next[2][j] - m[2][j]));
            norm = real8_max(norm, real8_abs(next[0][j]) + real8_abs(next[1][j]) + real8_abs(next[2][j]));
        }
        EACH (i, 3)
            EACH (j, 3)
                m[i][j] = real8_select(active, next[i][j], m[i][j]);
        active &= ~(change <= 1e-8 * norm);
    }
    EACH (i, 3)
        EACH (j, 3)
            frame[i][j] = m[j][i];
}

#endif
