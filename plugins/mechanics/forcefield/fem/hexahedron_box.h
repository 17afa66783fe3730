/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with the stiffness of hexahedra that are parallelepipeds at rest, eight elements at a time.
 *
 * There the Jacobian J is constant, and the displacement is a sum of seven modes besides the translation,
 *   u = a_x xi + a_y eta + a_z zeta + a_yz eta zeta + a_zx zeta xi + a_xy xi eta + a_xyz xi eta zeta
 * whose gradients by xi, eta, zeta are orthogonal over the Gauss points: constants (weight 8), one coordinate (8/3 each), two
 * coordinates (8/9 each). So K d needs the stress of seven simple displacement gradients instead of a 24 x 24 matrix, a third of
 * the operations, and no memory for K. It is the same K as hexahedron_stiffness gives, up to rounding.
 *
 * Modes here are sums with the signs of the nodes, 8 a; factors are in `lambda` and `mu`: Lame's parameters times det J / 8.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_BOX_H
#define DIVAN_MECHANICS_HEXAHEDRON_BOX_H

#include <divan/math/simd.h>

enum { MODE_X, MODE_Y, MODE_Z, MODE_YZ, MODE_ZX, MODE_XY, MODE_XYZ, MODES };

/* mode = sums over the nodes, with their signs. */
DV_SIMD_INLINE void box_modes(const DvReal8 x[8][3], DvReal8 mode[MODES][3])
{
    DV_EACH (c, 3) {
        const DvReal8 p01 = x[0][c] + x[1][c], d01 = x[1][c] - x[0][c], p32 = x[3][c] + x[2][c],
                      d32 = x[2][c] - x[3][c];
        const DvReal8 p45 = x[4][c] + x[5][c], d45 = x[5][c] - x[4][c], p76 = x[7][c] + x[6][c],
                      d76 = x[6][c] - x[7][c];
        const DvReal8 y0 = p32 - p01, y1 = p76 - p45, x0 = d01 + d32, x1 = d45 + d76, xy0 = d32 - d01, xy1 = d76 - d45;
        mode[MODE_X][c] = x0 + x1;
        mode[MODE_Y][c] = y0 + y1;
        mode[MODE_Z][c] = (p45 + p76) - (p01 + p32);
        mode[MODE_YZ][c] = y1 - y0;
        mode[MODE_ZX][c] = x1 - x0;
        mode[MODE_XY][c] = xy0 + xy1;
        mode[MODE_XYZ][c] = xy1 - xy0;
    }
}

/* The transpose: what forces on the modes are on the nodes. */
DV_SIMD_INLINE void box_nodes(const DvReal8 mode[MODES][3], DvReal8 f[8][3])
{
    DV_EACH (c, 3) {
        const DvReal8 x0 = mode[MODE_X][c] - mode[MODE_ZX][c], x1 = mode[MODE_X][c] + mode[MODE_ZX][c];
        const DvReal8 y0 = mode[MODE_Y][c] - mode[MODE_YZ][c], y1 = mode[MODE_Y][c] + mode[MODE_YZ][c];
        const DvReal8 xy0 = mode[MODE_XY][c] - mode[MODE_XYZ][c], xy1 = mode[MODE_XY][c] + mode[MODE_XYZ][c];
        const DvReal8 z = mode[MODE_Z][c];
        const DvReal8 p01 = -z - y0, p32 = y0 - z, d01 = x0 - xy0, d32 = x0 + xy0;
        const DvReal8 p45 = z - y1, p76 = z + y1, d45 = x1 - xy1, d76 = x1 + xy1;
        f[0][c] = p01 - d01;
        f[1][c] = p01 + d01;
        f[2][c] = p32 + d32;
        f[3][c] = p32 - d32;
        f[4][c] = p45 - d45;
        f[5][c] = p45 + d45;
        f[6][c] = p76 + d76;
        f[7][c] = p76 - d76;
    }
}

/* sigma = lambda tr(h) I + mu (h + h^T) */
DV_SIMD_INLINE void box_stress(const DvReal8 h[3][3], const DvReal8 *lambda, const DvReal8 *mu, DvReal8 sigma[3][3])
{
    const DvReal8 pressure = *lambda * (h[0][0] + h[1][1] + h[2][2]), two_mu = *mu + *mu;
    DV_EACH (c, 3) {
        const int n = (c + 1) % 3;
        sigma[c][c] = pressure + two_mu * h[c][c];
        sigma[c][n] = *mu * (h[c][n] + h[n][c]);
        sigma[n][c] = sigma[c][n];
    }
}

/* Two modes g, e whose gradients lie along u and v:  f += sigma u, k += sigma v. */
DV_SIMD_INLINE void box_pair(const DvReal8 g[3], const DvReal8 u[3], const DvReal8 e[3], const DvReal8 v[3],
                             const DvReal8 *lambda, const DvReal8 *mu, DvReal8 f[3], DvReal8 k[3])
{
    DvReal8 h[3][3], sigma[3][3];
    DV_EACH (a, 3)
        DV_EACH (b, 3)
            h[a][b] = g[a] * u[b] + e[a] * v[b];
    box_stress((const DvReal8(*)[3])h, lambda, mu, sigma);
    DV_EACH (a, 3) {
        f[a] += dv_real8_dot(sigma[a], u);
        k[a] += dv_real8_dot(sigma[a], v);
    }
}

/* Forces on the modes of displacements d; w: rows of the inverse Jacobian, in the axes of d. */
DV_SIMD_INLINE void box_multiply(const DvReal8 d[MODES][3], const DvReal8 w[3][3], const DvReal8 *lambda,
                                 const DvReal8 *mu, DvReal8 f[MODES][3])
{
    DvReal8 h[3][3], sigma[3][3];
    DV_EACH (a, 3)
        DV_EACH (b, 3)
            h[a][b] = d[MODE_X][a] * w[0][b] + d[MODE_Y][a] * w[1][b] + d[MODE_Z][a] * w[2][b];
    box_stress((const DvReal8(*)[3])h, lambda, mu, sigma);
    DV_EACH (k, 3)
        DV_EACH (a, 3)
            f[k][a] = dv_real8_dot(sigma[a], w[k]);

    const DvReal8 lambda3 = *lambda * (1.0 / 3.0), mu3 = *mu * (1.0 / 3.0);
    DV_EACH (k, 3)
        DV_EACH (a, 3)
            f[MODE_YZ + k][a] = dv_real8(0.0);
    box_pair(d[MODE_XY], w[1], d[MODE_ZX], w[2], &lambda3, &mu3, f[MODE_XY], f[MODE_ZX]);
    box_pair(d[MODE_XY], w[0], d[MODE_YZ], w[2], &lambda3, &mu3, f[MODE_XY], f[MODE_YZ]);
    box_pair(d[MODE_ZX], w[0], d[MODE_YZ], w[1], &lambda3, &mu3, f[MODE_ZX], f[MODE_YZ]);

    const DvReal8 mu9 = *mu * (1.0 / 9.0), both9 = *lambda * (1.0 / 9.0) + mu9;
    const DvReal8 *g = d[MODE_XYZ];
    const DvReal8 spread = mu9 * (dv_real8_dot(w[0], w[0]) + dv_real8_dot(w[1], w[1]) + dv_real8_dot(w[2], w[2]));
    DvReal8 along[3];
    DV_EACH (k, 3)
        along[k] = both9 * dv_real8_dot(g, w[k]);
    DV_EACH (a, 3)
        f[MODE_XYZ][a] = spread * g[a] + (along[0] * w[0][a] + along[1] * w[1][a] + along[2] * w[2][a]);
}

#endif
