/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexahedra whose force is the gradient of their energy: method exact of hexahedron_fem_force_field.c.
 *
 * With b_n the gradients of the shape functions in the middle of the rest shape, F = sum x_n b_n^T = R^T S is the deformation there. The
 * frame is its rotation R (world to local), whatever the order of the points; the energy is that of the linear element in it,
 *   E = u^T K u / 2,   u_n = r_n - rest_n,   r_n = R x_n
 * The frame turns by -G^-1 sum b_n x R dx_n, seen in it, G = tr(S) I - S, so the force has a second term, which takes its torque away:
 *   f_n = -R^T (g_n - t x b_n),   g = K u,   t = G^-1 sum r_n x g_n
 * Its derivative, seen in the frame, with Z_n a = (K (a x r))_n, h_n = g_n - t x b_n, and [a] the matrix of the product a x:
 *   H_nm = K_nm + U_n W_m + [b_n] V_m,   U_n = Z_n + [h_n],   W_m = -G^-1 [b_m],   V_m = G^-1 (M_m + A W_m)
 *   M_m = -[g_m] + Z_m^T - t b_m^T + (b_m . t) I,   A = sum (r_n g_n^T - (r_n . g_n) I + [r_n] Z_n) - [S t]
 * which is symmetric, and not definite in an element that is pressed hard. An element that is inverted in the middle takes the rotation whose
 * S has one negative eigenvalue. Chao, Pinkall, Sanan and Schroeder, A simple geometric model for elastic deformations, 2010, have the idea
 * for tetrahedra.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_EXACT_H
#define DIVAN_MECHANICS_HEXAHEDRON_EXACT_H

#include <divan/math/decompose.h>
#include <divan/math/simd.h>

/* One element, a lane per node. */
typedef struct HexahedronExact {
    DvReal8 gradient[3];               /* b */
    DvReal8 local[3];                  /* r of the last force */
    DvReal8 u[3][3], w[3][3], v[3][3]; /* of the last force, once the stiffness has been asked for */
    DvMat3 stretch;                    /* S of the last force */
} HexahedronExact;

DV_SIMD_INLINE double exact_sum(DvReal8 a)
{
    return DV_REAL8_SUM(a);
}

DV_SIMD_INLINE DvVec3 exact_sum_vector(const DvReal8 a[3])
{
    return dv_vec3(exact_sum(a[0]), exact_sum(a[1]), exact_sum(a[2]));
}

DV_SIMD_INLINE void exact_splat(DvVec3 a, DvReal8 out[3])
{
    out[0] = dv_real8(a.x), out[1] = dv_real8(a.y), out[2] = dv_real8(a.z);
}

/* [a] */
DV_SIMD_INLINE void exact_skew(const DvReal8 a[3], DvReal8 m[3][3])
{
    const DvReal8 none = {0};
    m[0][0] = m[1][1] = m[2][2] = none;
    m[0][1] = -a[2], m[1][0] = a[2];
    m[0][2] = a[1], m[2][0] = -a[1];
    m[1][2] = -a[0], m[2][1] = a[0];
}

/* Of nodes at rest; zero when the shape has none in its middle. */
static inline void exact_gradients(const double node[8][3], DvReal8 gradient[3])
{
    static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    DvMat3 jacobian = dv_mat3_zero(), inverse = jacobian;
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                jacobian.m[i][k] += node[n][i] * sign[n][k] / 8.0;
    (void)dv_mat3_inverse(jacobian, &inverse);
    for (int n = 0; n < 8; n++)
        for (int j = 0; j < 3; j++)
            gradient[j][n] =
                (sign[n][0] * inverse.m[0][j] + sign[n][1] * inverse.m[1][j] + sign[n][2] * inverse.m[2][j]) / 8.0;
}

/* The frame of nodes in the world, and S. */
DV_SIMD_INLINE DvMat3 exact_frame(const DvReal8 gradient[3], const DvReal8 x[3], DvMat3 *stretch)
{
    DvMat3 f, q;
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            f.m[i][j] = exact_sum(x[i] * gradient[j]);
    if (!(dv_mat3_det(f) > 0.0) || !dv_polar(f, &q))
        q = dv_polar_stable(f);
    const DvMat3 s = dv_mat3_transposed_mul(q, f);
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            stretch->m[i][j] = 0.5 * (s.m[i][j] + s.m[j][i]);
    return dv_mat3_transpose(q);
}

/* G^-1; zero where two of the stretches cancel, and the rotation has no derivative. */
static inline DvMat3 exact_turning(DvMat3 stretch)
{
    const double trace = stretch.m[0][0] + stretch.m[1][1] + stretch.m[2][2];
    DvMat3 g, inverse = dv_mat3_zero();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g.m[i][j] = (i == j ? trace : 0.0) - stretch.m[i][j];
    return dv_mat3_inverse(g, &inverse) == 0.0 ? dv_mat3_zero() : inverse;
}

/* f, which is K (rest - r), becomes the force in the frame; returns t. */
DV_SIMD_INLINE DvVec3 exact_force(const HexahedronExact *e, DvMat3 turning, DvReal8 f[3])
{
    DvReal8 torque[3], t[3], more[3];
    dv_real8_cross(f, e->local, torque);
    const DvVec3 spin = dv_mat3_mul_vec(turning, exact_sum_vector(torque));
    exact_splat(spin, t);
    dv_real8_cross(t, e->gradient, more);
    DV_EACH (i, 3)
        f[i] += more[i];
    return spin;
}

/* U, V and W, from K (rest - r) and z[k] = K (e_k x r). */
DV_SIMD_INLINE void exact_derivative(HexahedronExact *e, const DvReal8 f[3], const DvReal8 z[3][3])
{
    const DvMat3 turning = exact_turning(e->stretch);
    DvReal8 g[3], h[3], of_b[3][3], of_g[3][3], of_h[3][3], of_r[3][3];
    DV_EACH (i, 3) {
        g[i] = -f[i];
        h[i] = f[i];
    }
    const DvVec3 t = exact_force(e, turning, h);
    DV_EACH (i, 3)
        h[i] = -h[i];
    exact_skew(e->gradient, of_b);
    exact_skew(g, of_g);
    exact_skew(h, of_h);
    exact_skew(e->local, of_r);
    const double t_at[3] = {t.x, t.y, t.z};
    const DvReal8 b_t = e->gradient[0] * t.x + e->gradient[1] * t.y + e->gradient[2] * t.z;
    const double r_g = exact_sum(dv_real8_dot(e->local, g));
    DvMat3 a = dv_mat3_scale(dv_mat3_skew(dv_mat3_mul_vec(e->stretch, t)), -1.0);
    DV_EACH (i, 3)
        DV_EACH (k, 3)
            a.m[i][k] +=
                exact_sum(e->local[i] * g[k] + of_r[i][0] * z[k][0] + of_r[i][1] * z[k][1] + of_r[i][2] * z[k][2]) -
                (i == k ? r_g : 0.0);
    DvReal8 m[3][3];
    DV_EACH (i, 3)
        DV_EACH (j, 3) {
            e->u[i][j] = z[j][i] + of_h[i][j];
            e->w[i][j] = -(turning.m[i][0] * of_b[0][j] + turning.m[i][1] * of_b[1][j] + turning.m[i][2] * of_b[2][j]);
            m[i][j] = z[i][j] - of_g[i][j] - t_at[i] * e->gradient[j];
            if (i == j)
                m[i][j] += b_t;
        }
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            m[i][j] += a.m[i][0] * e->w[0][j] + a.m[i][1] * e->w[1][j] + a.m[i][2] * e->w[2][j];
    DV_EACH (i, 3)
        DV_EACH (j, 3)
            e->v[i][j] = turning.m[i][0] * m[0][j] + turning.m[i][1] * m[1][j] + turning.m[i][2] * m[2][j];
}

/* f += (U W + [b] V) q */
DV_SIMD_INLINE void exact_add_product(const HexahedronExact *e, const DvReal8 q[3], DvReal8 f[3])
{
    DvReal8 turned[3], spun[3], more[3];
    DV_EACH (i, 3) {
        turned[i] = dv_real8(exact_sum(dv_real8_dot(e->w[i], q)));
        spun[i] = dv_real8(exact_sum(dv_real8_dot(e->v[i], q)));
    }
    dv_real8_cross(e->gradient, spun, more);
    DV_EACH (i, 3)
        f[i] += dv_real8_dot(e->u[i], turned) + more[i];
}

/* local += U_n W_m + [b_n] V_m */
DV_SIMD_INLINE void exact_add_block(const HexahedronExact *e, uint32_t n, uint32_t m, double local[3][3])
{
    const double b[3] = {e->gradient[0][n], e->gradient[1][n], e->gradient[2][n]};
    DV_EACH (j, 3) {
        const double v[3] = {e->v[0][j][m], e->v[1][j][m], e->v[2][j][m]};
        DV_EACH (i, 3)
            local[i][j] += e->u[i][0][n] * e->w[0][j][m] + e->u[i][1][n] * e->w[1][j][m] +
                           e->u[i][2][n] * e->w[2][j][m] + b[(i + 1) % 3] * v[(i + 2) % 3] -
                           b[(i + 2) % 3] * v[(i + 1) % 3];
    }
}

#endif
