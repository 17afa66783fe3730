/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames, strains and stresses of eight tetrahedra; the method is described in tetrahedron_blocks.h.
 */
#ifndef DIVAN_MECHANICS_TETRAHEDRON_FRAMES_H
#define DIVAN_MECHANICS_TETRAHEDRON_FRAMES_H

#include <divan/math/decompose.h>

#include "forcefield/fem/frames.h"
#include "forcefield/fem/tetrahedron_layout.h"

/* Lanes whose deformation G = A A0^-1 is flat or inverted take the stable rotation of G, times the rest frame. */
DV_SIMD_INLINE void mend_inverted(const DvReal8 edge[3][3], const DvReal8 inverse[3][3], const DvReal8 rest[3][3],
                                  DvReal8 frame[3][3])
{
    DvReal8 g[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            g[i][j] = edge[i][0] * inverse[0][j] + edge[i][1] * inverse[1][j] + edge[i][2] * inverse[2][j];
    DvReal8 cofactor[3];
    dv_real8_cross(g[1], g[2], cofactor);
    const DvMask8 bad = dv_real8_dot(g[0], cofactor) < 1e-6;
    if (!dv_mask8_any(bad))
        return;
    for (uint32_t lane = 0; lane < DV_LANES; lane++) {
        if (!bad[lane])
            continue;
        DvMat3 deformation, initial;
        DV_EACH (i, 3)
            DV_EACH (j, 3) {
                deformation.m[i][j] = g[i][j][lane];
                initial.m[i][j] = rest[i][j][lane];
            }
        set_lane(frame, lane, dv_mat3_mul(dv_polar_stable(deformation), initial));
    }
}

/* F = sum of e_k g_k^T / 6 V over the edges */
DV_SIMD_INLINE void deformation_gradient(const TetrahedronRest *rest, const DvReal8 edge[3][3], DvReal8 f[3][3])
{
    const DvReal8 scale = 1.0 / dv_real8_dot(rest->edge[0], rest->gradient[0]);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            f[i][j] = scale * (edge[0][i] * rest->gradient[0][j] + edge[1][i] * rest->gradient[1][j] +
                               edge[2][i] * rest->gradient[2][j]);
}

/* The transpose of the rotation of F; of flat and inverted elements the stable one. */
DV_SIMD_INLINE void deformation_frame(const DvReal8 f[3][3], const DvReal8 rotation[3][3], DvReal8 frame[3][3])
{
    DvReal8 cofactor[3];
    dv_real8_cross(f[1], f[2], cofactor);
    const DvMask8 bad = dv_real8_dot(f[0], cofactor) < 1e-6;
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            frame[i][j] = rotation[j][i];
    for (uint32_t lane = 0; dv_mask8_any(bad) && lane < DV_LANES; lane++) {
        if (!bad[lane])
            continue;
        DvMat3 deformation;
        DV_EACH (i, 3)
            DV_EACH (j, 3)
                deformation.m[i][j] = f[i][j][lane];
        set_lane(frame, lane, dv_mat3_transpose(dv_polar_stable(deformation)));
    }
}

/* World to local, of the current edges of `count` blocks, at most FRAMES_AT_ONCE. */
DV_SIMD_INLINE void current_frames(const TetrahedronBlocks *t, TetrahedronMethod method, uint32_t first, uint32_t count,
                                   const DvReal8 (*edge)[3][3], DvReal8 (*frame)[3][3])
{
    if (method == TETRAHEDRON_LARGE) {
        for (uint32_t b = 0; b < count; b++)
            triangle_frame(edge[b][0], edge[b][1], frame[b]);
    } else if (method == TETRAHEDRON_SMALL) {
        for (uint32_t b = 0; b < count; b++)
            DV_EACH (i, 3)
                DV_EACH (j, 3)
                    frame[b][i][j] = dv_real8(i == j);
    } else if (method == TETRAHEDRON_EXACT) {
        DvReal8 f[FRAMES_AT_ONCE][3][3], rotation[FRAMES_AT_ONCE][3][3];
        for (uint32_t b = 0; b < count; b++)
            deformation_gradient(&t->rest[first + b], edge[b], f[b]);
        polar_frames(count, (Frames8)f, rotation);
        for (uint32_t b = 0; b < count; b++)
            deformation_frame((ConstMat8)f[b], (ConstMat8)rotation[b], frame[b]);
    } else {
        polar_frames(count, edge, frame);
        for (uint32_t b = 0; method == TETRAHEDRON_SVD && b < count; b++)
            mend_inverted(edge[b], (ConstMat8)t->inverse[first + b], (ConstMat8)t->frame[first + b], frame[b]);
    }
}

static inline uint32_t frames_until(uint32_t first, uint32_t end)
{
    return end - first < FRAMES_AT_ONCE ? end - first : FRAMES_AT_ONCE;
}

/* Edges b - a, c - a, d - a of what dv_element_blocks_load was given. */
DV_SIMD_INLINE void gather_edges(const DvElementBlocks *mesh, uint32_t block, bool narrow, DvReal8 edge[3][3])
{
    const uint32_t *node = mesh->node + (size_t)block * 4 * DV_LANES;
    DvReal8 origin[3];
    dv_real8_from_rows(mesh->point, node, narrow, origin);
    DV_EACH (k, 3) {
        DvReal8 point[3];
        dv_real8_from_rows(mesh->point, node + (k + 1) * DV_LANES, narrow, point);
        dv_real8_sub(point, origin, edge[k]);
    }
}

/* s = sum sym(D_k g_k^T) over b, c, d; `normal` are the gradients of the normal strains, `shear` those of the shears. */
DV_SIMD_INLINE void strain_of(const DvReal8 d[3][3], const DvReal8 normal[3][3], const DvReal8 shear[3][3],
                              DvReal8 s[6])
{
    DV_EACH (c, 3)
        s[c] = normal[0][c] * d[0][c] + normal[1][c] * d[1][c] + normal[2][c] * d[2][c];
    DV_EACH (c, 3) {
        const int i = c, j = (c + 1) % 3; /* xy, yz, zx */
        s[3 + c] = shear[0][j] * d[0][i] + shear[0][i] * d[0][j] + shear[1][j] * d[1][i] + shear[1][i] * d[1][j] +
                   shear[2][j] * d[2][i] + shear[2][i] * d[2][j];
    }
}

DV_SIMD_INLINE void stress_of(const DvReal8 *lambda, const DvReal8 *mu, const DvReal8 s[6], DvReal8 sigma[6])
{
    const DvReal8 pressure = *lambda * (s[0] + s[1] + s[2]), two_mu = *mu + *mu;
    DV_EACH (c, 3) {
        sigma[c] = pressure + two_mu * s[c];
        sigma[3 + c] = *mu * s[3 + c];
    }
}

/* f = sigma g */
DV_SIMD_INLINE void traction(const DvReal8 sigma[6], const DvReal8 normal[3], const DvReal8 shear[3], DvReal8 f[3])
{
    f[0] = sigma[0] * normal[0] + sigma[3] * shear[1] + sigma[5] * shear[2];
    f[1] = sigma[3] * shear[0] + sigma[1] * normal[1] + sigma[4] * shear[2];
    f[2] = sigma[5] * shear[0] + sigma[4] * shear[1] + sigma[2] * normal[2];
}

/* Local gradients of the current shape */
DV_SIMD_INLINE void current_gradients(const DvReal8 local[3][3], DvReal8 gradient[3][3])
{
    dv_real8_cross(local[1], local[2], gradient[0]);
    dv_real8_cross(local[2], local[0], gradient[1]);
    dv_real8_cross(local[0], local[1], gradient[2]);
}

#endif
