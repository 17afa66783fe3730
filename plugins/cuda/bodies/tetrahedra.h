/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear corotational tetrahedra: an element has a frame R (world to local, its rows) of edge a b and face a b c, or none. With the
 * gradients g of the shape functions times 6 V, Lame's parameters over 36 V, and D = rest - present shape in the frame,
 *   A = sum D_k g_k^T,   sigma = lambda tr(A) I + mu (A + A^T),   f_k = R^T sigma g_k,   f_a = -(f_b + f_c + f_d)
 * Products are the same with G_k = R^T g_k, which a force keeps. All arrays are [component][element].
 */
#include "bodies.h"

typedef struct NAME(tetrahedra_force_args) {
    const double *stop;
    uint64_t n; /* elements */
    const REAL *x;
    const uint32_t *element;
    const REAL *edge, *gradient, *modulus;
    REAL *world, *force;
    uint32_t turns;
} NAME(tetrahedra_force_args);

BODY void NAME(difference)(const REAL *x, uint32_t p, uint32_t q, REAL *d)
{
    for (int c = 0; c < 3; c++)
        d[c] = x[3 * (uint64_t)p + (uint64_t)c] - x[3 * (uint64_t)q + (uint64_t)c];
}

BODY void NAME(cross)(const REAL *a, const REAL *b, REAL *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* A vector without a direction stays as it is. */
BODY void NAME(unit)(REAL *a)
{
    const REAL norm = ROOT(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]),
               scale = 1 / (norm > (REAL)2.220446049250313e-16 ? norm : 1);
    for (int c = 0; c < 3; c++)
        a[c] *= scale;
}

BODY void NAME(frame)(const REAL *u, const REAL *v, REAL r[3][3])
{
    for (int c = 0; c < 3; c++)
        r[0][c] = u[c];
    NAME(unit)(r[0]);
    NAME(cross)(r[0], v, r[2]);
    NAME(unit)(r[2]);
    NAME(cross)(r[2], r[0], r[1]);
}

/* Forces of the nodes from displacements of b, c, d against a, by gradients of the same axes. */
BODY void NAME(stress_forces)(REAL d[3][3], REAL g[3][3], REAL lambda, REAL mu, REAL f[3][3])
{
    REAL a[3][3], sigma[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = d[0][i] * g[0][j] + d[1][i] * g[1][j] + d[2][i] * g[2][j];
    const REAL pressure = lambda * (a[0][0] + a[1][1] + a[2][2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sigma[i][j] = mu * (a[i][j] + a[j][i]);
    for (int i = 0; i < 3; i++)
        sigma[i][i] += pressure;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            f[k][i] = sigma[i][0] * g[k][0] + sigma[i][1] * g[k][1] + sigma[i][2] * g[k][2];
}

BODY void NAME(store_forces)(REAL *force, uint64_t n, uint64_t e, REAL f[3][3])
{
    for (int c = 0; c < 3; c++) {
        force[(uint64_t)c * n + e] = -(f[0][c] + f[1][c] + f[2][c]);
        for (int k = 0; k < 3; k++)
            force[(uint64_t)(3 * (k + 1) + c) * n + e] = f[k][c];
    }
}

BODY void NAME(tetrahedra_force)(const NAME(tetrahedra_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                 double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane, n = o->n;
    (void)phase, (void)shared;
    if (e >= n)
        return;
    REAL edge[3][3], r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, d[3][3], g[3][3], f[3][3];
    for (int k = 0; k < 3; k++)
        NAME(difference)(o->x, o->element[(uint64_t)(k + 1) * n + e], o->element[e], edge[k]);
    if (o->turns)
        NAME(frame)(edge[0], edge[1], r);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const REAL local = r[i][0] * edge[k][0] + r[i][1] * edge[k][1] + r[i][2] * edge[k][2];
            d[k][i] = o->edge[(uint64_t)(3 * k + i) * n + e] - local;
        }
    /* In world axes from here on, as products are. */
    for (int k = 0; k < 3; k++) {
        REAL turned[3];
        for (int c = 0; c < 3; c++) {
            g[k][c] = r[0][c] * o->gradient[(uint64_t)(3 * k) * n + e] +
                      r[1][c] * o->gradient[(uint64_t)(3 * k + 1) * n + e] +
                      r[2][c] * o->gradient[(uint64_t)(3 * k + 2) * n + e];
            turned[c] = r[0][c] * d[k][0] + r[1][c] * d[k][1] + r[2][c] * d[k][2];
        }
        for (int c = 0; c < 3; c++) {
            d[k][c] = turned[c];
            o->world[(uint64_t)(3 * k + c) * n + e] = g[k][c];
        }
    }
    NAME(stress_forces)(d, g, o->modulus[e], o->modulus[n + e], f);
    NAME(store_forces)(o->force, n, e, f);
}

typedef struct NAME(tetrahedra_product_args) {
    const double *stop;
    uint64_t n;
    const REAL *d;
    const uint32_t *element;
    const REAL *world, *modulus;
    REAL *force;
} NAME(tetrahedra_product_args);

BODY void NAME(tetrahedra_product)(const NAME(tetrahedra_product_args) * o, uint32_t block, uint32_t lane,
                                   uint32_t phase, double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane, n = o->n;
    (void)phase, (void)shared;
    if (e >= n)
        return;
    REAL d[3][3], g[3][3], f[3][3];
    for (int k = 0; k < 3; k++) {
        NAME(difference)(o->d, o->element[(uint64_t)(k + 1) * n + e], o->element[e], d[k]);
        for (int c = 0; c < 3; c++)
            g[k][c] = o->world[(uint64_t)(3 * k + c) * n + e];
    }
    NAME(stress_forces)(d, g, o->modulus[e], o->modulus[n + e], f);
    NAME(store_forces)(o->force, n, e, f);
}
