/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear corotational tetrahedra: an element has a frame R (world to local, its rows), see TURN_NONE and what follows. With the
 * gradients g of the shape functions times 6 V, Lame's parameters over 36 V, and D = rest - present shape in the frame,
 *   A = sum D_k g_k^T,   sigma = lambda tr(A) I + mu (A + A^T),   f_k = R^T sigma g_k,   f_a = -(f_b + f_c + f_d)
 * Products are the same with G_k = R^T g_k, which a force keeps. Where R is the rotation of the deformation F = R^T S, a product has the
 * derivative of R too: f_k -= mu G_k x (R^T B R) sum G_m x d_m, B = I + (lambda / mu tr(S - I) - 2) (tr(S) I - S)^-1. All arrays are [component][element].
 */
#include "frames.h"

typedef struct NAME(tetrahedra_force_args) {
    const double *stop;
    uint64_t n; /* elements */
    const REAL *x;
    const uint32_t *element;
    const REAL *edge, *gradient, *modulus;
    const double *inverse, *initial; /* of the rest edges; rest frame: of TURN_STABLE */
    REAL *world, *turn;              /* turn: xx yy zz xy yz zx, of TURN_EXACT */
    uint32_t turns;
    NAME(Sums) sums;
} NAME(tetrahedra_force_args);

#ifndef DIVAN_CUDA_TETRAHEDRON_FRAMES
#define DIVAN_CUDA_TETRAHEDRON_FRAMES
/* Where G = A A0^-1, of the matrices of the edges, is flat or inverted: its stable rotation times the rest frame. */
BODY void mend_frame(double edge[3][3], const double *inverse, const double *initial, uint64_t n, double r[3][3])
{
    double g[3][3], q[3][3], cofactor[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g[i][j] = edge[i][0] * inverse[(uint64_t)j * n] + edge[i][1] * inverse[(uint64_t)(3 + j) * n] +
                      edge[i][2] * inverse[(uint64_t)(6 + j) * n];
    cross_product(g[1], g[2], cofactor);
    if (!(inner_product(g[0], cofactor) < 1e-6))
        return;
    stable_polar_factor(g, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = q[i][0] * initial[(uint64_t)j * n] + q[i][1] * initial[(uint64_t)(3 + j) * n] +
                      q[i][2] * initial[(uint64_t)(6 + j) * n];
}

/* The transpose of the rotation of F. */
BODY void frame_of_deformation(double f[3][3], double r[3][3])
{
    double q[3][3], cofactor[3];
    cross_product(f[1], f[2], cofactor);
    if (inner_product(f[0], cofactor) < 1e-6)
        stable_polar_factor(f, q);
    else
        (void)polar_factor(f, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = q[j][i];
}

/* R^T B R, zero where the rotation is not defined. */
BODY void turning_stiffness(double f[3][3], double r[3][3], double ratio, double turn[6])
{
    double g[3][3], cofactor[3][3], b[3][3], half[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g[i][j] = -(r[i][0] * f[0][j] + r[i][1] * f[1][j] + r[i][2] * f[2][j]);
    const double trace = -(g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; i++)
        g[i][i] += trace;
    cofactors(g, cofactor);
    const double det = inner_product(g[0], cofactor[0]);
    const int defined = fabs(det) > 1e-9 * fabs(trace * trace * trace);
    const double factor = (ratio * (trace - 3.0) - 2.0) / (defined ? det : 1.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b[i][j] = defined ? 0.5 * factor * (cofactor[i][j] + cofactor[j][i]) + (i == j ? 1.0 : 0.0) : 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = b[i][0] * r[0][j] + b[i][1] * r[1][j] + b[i][2] * r[2][j];
    for (int c = 0; c < 3; c++) {
        const int n = (c + 1) % 3;
        turn[c] = r[0][c] * half[0][c] + r[1][c] * half[1][c] + r[2][c] * half[2][c];
        turn[3 + c] = r[0][c] * half[0][n] + r[1][c] * half[1][n] + r[2][c] * half[2][n];
    }
}
#endif

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

BODY void NAME(share_forces)(double *shared, uint32_t lane, REAL f[3][3])
{
    for (int c = 0; c < 3; c++) {
        shared[c * LANES + (int)lane] = (double)-(f[0][c] + f[1][c] + f[2][c]);
        for (int k = 0; k < 3; k++)
            shared[(3 * (k + 1) + c) * LANES + (int)lane] = (double)f[k][c];
    }
}

/* Frames by decomposition. */
BODY void NAME(tetrahedron_rotation)(const NAME(tetrahedra_force_args) * o, uint64_t e, REAL edge[3][3], REAL r[3][3])
{
    const uint64_t n = o->n;
    double a[3][3], f[3][3], frame[3][3], scale = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = (double)edge[i][j];
    if (o->turns != TURN_EXACT) {
        (void)polar_factor(a, frame);
        if (o->turns == TURN_STABLE)
            mend_frame(a, o->inverse + e, o->initial + e, n, frame);
    } else {
        for (uint64_t c = 0; c < 3; c++)
            scale += (double)o->edge[c * n + e] * (double)o->gradient[c * n + e];
        scale = 1.0 / scale;
        for (uint64_t i = 0; i < 3; i++)
            for (uint64_t j = 0; j < 3; j++)
                f[i][j] =
                    scale * (a[0][i] * (double)o->gradient[j * n + e] + a[1][i] * (double)o->gradient[(3 + j) * n + e] +
                             a[2][i] * (double)o->gradient[(6 + j) * n + e]);
        frame_of_deformation(f, frame);
        double turn[6];
        turning_stiffness(f, frame, (double)o->modulus[e] / (double)o->modulus[n + e], turn);
        for (uint64_t c = 0; c < 6; c++)
            o->turn[c * n + e] = (REAL)turn[c];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = (REAL)frame[i][j];
}

BODY void NAME(tetrahedra_force)(const NAME(tetrahedra_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                 double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane, n = o->n;
    if (phase == 1)
        NAME(sum_slots)(&o->sums, block, lane, 1, shared);
    if (phase == 1 || e >= n)
        return;
    REAL edge[3][3], r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, d[3][3], g[3][3], f[3][3];
    for (int k = 0; k < 3; k++)
        NAME(difference)(o->x, o->element[(uint64_t)(k + 1) * n + e], o->element[e], edge[k]);
    if (o->turns == TURN_FRAME)
        NAME(frame)(edge[0], edge[1], r);
    else if (o->turns != TURN_NONE)
        NAME(tetrahedron_rotation)(o, e, edge, r);
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
    NAME(share_forces)(shared, lane, f);
}

typedef struct NAME(tetrahedra_product_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of; /* of which d is read; r follows from the sums */
    const uint32_t *element;
    const REAL *world, *modulus, *turn; /* turn: or NULL */
    NAME(Sums) sums;
} NAME(tetrahedra_product_args);
typedef NAME(tetrahedra_product_args) NAME(tetrahedra_products_args);

/* mu R^T B R a */
BODY void NAME(turning_moment)(const REAL *turn, uint64_t n, const REAL *a, REAL mu, REAL *moment)
{
    moment[0] = mu * (turn[0] * a[0] + turn[3 * n] * a[1] + turn[5 * n] * a[2]);
    moment[1] = mu * (turn[3 * n] * a[0] + turn[n] * a[1] + turn[4 * n] * a[2]);
    moment[2] = mu * (turn[5 * n] * a[0] + turn[4 * n] * a[1] + turn[2 * n] * a[2]);
}

BODY void NAME(add_turning)(const REAL *turn, REAL d[3][3], REAL g[3][3], REAL mu, REAL f[3][3])
{
    REAL a[3] = {0, 0, 0}, moment[3], part[3];
    for (int k = 0; k < 3; k++) {
        NAME(cross)(g[k], d[k], part);
        for (int c = 0; c < 3; c++)
            a[c] += part[c];
    }
    NAME(turning_moment)(turn, 1, a, mu, moment);
    for (int k = 0; k < 3; k++) {
        NAME(cross)(g[k], moment, part);
        for (int c = 0; c < 3; c++)
            f[k][c] -= part[c];
    }
}

/* Products of one element for some columns. */
BODY void NAME(tetrahedron_products)(const NAME(tetrahedra_product_args) * o, uint64_t e, uint32_t lane,
                                     uint32_t columns, double *shared)
{
    const uint64_t n = o->n;
    const REAL lambda = o->modulus[e], mu = o->modulus[n + e];
    REAL d[3][3], g[3][3], f[3][3], turn[6] = {0};
    uint32_t node[4];
    for (uint32_t c = 0; c < 6 && o->turn; c++)
        turn[c] = o->turn[c * n + e];
    for (uint32_t k = 0; k < 4; k++)
        node[k] = o->element[k * n + e];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            g[k][c] = o->world[(uint64_t)(3 * k + c) * n + e];
    for (uint32_t j = 0; j < columns; j++) {
        for (int k = 0; k < 3; k++)
            NAME(difference)(o->of.d[j], node[k + 1], node[0], d[k]);
        NAME(stress_forces)(d, g, lambda, mu, f);
        if (o->turn)
            NAME(add_turning)(turn, d, g, mu, f);
        NAME(share_forces)(shared + (uint64_t)12 * LANES * j, lane, f);
    }
}

BODY void NAME(tetrahedra_product)(const NAME(tetrahedra_product_args) * o, uint32_t block, uint32_t lane,
                                   uint32_t phase, double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane;
    if (phase == 1)
        NAME(sum_slots)(&o->sums, block, lane, 1, shared);
    else if (e < o->n)
        NAME(tetrahedron_products)(o, e, lane, 1, shared);
}

/* The same for several columns, for which a block needs more memory. */
BODY void NAME(tetrahedra_products)(const NAME(tetrahedra_product_args) * o, uint32_t block, uint32_t lane,
                                    uint32_t phase, double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane;
    if (phase == 1)
        NAME(sum_slots)(&o->sums, block, lane, o->of.count, shared);
    else if (e < o->n)
        NAME(tetrahedron_products)(o, e, lane, o->of.count, shared);
}

/* Of node with gradient g: (lambda + mu) g g^T + mu |g|^2, less the derivative of R, on the diagonal. */
BODY void NAME(diagonal_of_node)(const REAL *g, REAL lambda, REAL mu, const REAL *turn, uint64_t n, REAL *diagonal)
{
    const REAL square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    for (int c = 0; c < 3; c++)
        diagonal[c] = (lambda + mu) * (g[c] * g[c]) + mu * square;
    for (int c = 0; c < 3 && turn; c++) {
        REAL unit[3] = {0, 0, 0}, a[3], moment[3], part[3];
        unit[c] = 1;
        NAME(cross)(g, unit, a);
        NAME(turning_moment)(turn, n, a, mu, moment);
        NAME(cross)(g, moment, part);
        diagonal[c] -= part[c];
    }
}

typedef NAME(tetrahedra_product_args) NAME(tetrahedra_diagonal_args);

BODY void NAME(tetrahedra_diagonal)(const NAME(tetrahedra_diagonal_args) * o, uint32_t block, uint32_t lane,
                                    uint32_t phase, double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane, n = o->n;
    if (phase == 1)
        NAME(sum_slots)(&o->sums, block, lane, 1, shared);
    if (phase == 1 || e >= n)
        return;
    REAL g[4][3] = {{0}}, diagonal[3];
    for (int k = 1; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            g[k][c] = o->world[(uint64_t)(3 * (k - 1) + c) * n + e];
            g[0][c] -= g[k][c];
        }
    for (int k = 0; k < 4; k++) {
        NAME(diagonal_of_node)(g[k], o->modulus[e], o->modulus[n + e], o->turn ? o->turn + e : 0, n, diagonal);
        for (int c = 0; c < 3; c++)
            shared[(3 * k + c) * LANES + (int)lane] = (double)diagonal[c];
    }
}
