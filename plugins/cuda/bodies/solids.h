/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear elements of any kind with Hooke's law. At a point of quadrature with weight w, derivatives s_n of the shape functions by the
 * coordinates of the reference element, and the inverse Jacobian W, which is turned with the element,
 *   h = sum u_n (W^T s_n)^T,   sigma = lambda tr(h) I + mu (h + h^T),   f_n = -w sigma W^T s_n
 * with u = x - R^T rest, seen from the middles, R the frame of the element (world to local). The material knows no directions, so all is in
 * world axes, and a product needs the turned W alone, which a force keeps. Where W is the same at all points there is one. Arrays are
 * [component][element].
 */
#include "frames.h"

typedef struct NAME(solid_force_args) {
    const double *stop;
    uint64_t n; /* elements */
    const REAL *x;
    const uint32_t *element;           /* [nodes] */
    const REAL *rest, *map, *material; /* [nodes][3]; [maps][9]; lambda and mu times the weight, [maps] each */
    const REAL *slope;                 /* [points][nodes][3], of all elements */
    REAL *world, *force;               /* [maps][9]; [nodes][dim] */
    uint32_t dim, points, maps, frame; /* maps: points, or 1 */
    double square;                     /* of the coordinates of the points of a box */
} NAME(solid_force_args);

typedef struct NAME(solid_product_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of; /* of which d is read */
    const uint32_t *element;
    const REAL *material, *slope, *world;
    REAL *force; /* [columns][nodes][dim] */
    uint32_t dim, points, maps;
    double square;
} NAME(solid_product_args);

#ifndef DIVAN_CUDA_SOLID_FRAMES
#define DIVAN_CUDA_SOLID_FRAMES
/* World to local, of nodes seen from their middle. */
BODY void mean_edges(double x[8][3], double edge[3][3])
{
    for (int c = 0; c < 3; c++) {
        edge[0][c] = (x[1][c] - x[0][c]) + (x[2][c] - x[3][c]) + (x[5][c] - x[4][c]) + (x[6][c] - x[7][c]);
        edge[1][c] = (x[3][c] - x[0][c]) + (x[2][c] - x[1][c]) + (x[7][c] - x[4][c]) + (x[6][c] - x[5][c]);
        edge[2][c] = (x[4][c] - x[0][c]) + (x[5][c] - x[1][c]) + (x[6][c] - x[2][c]) + (x[7][c] - x[3][c]);
    }
}

/* The polar factor of sum x X^T / sum X . X, with the coordinates that a state has not as at rest; its transpose. */
BODY void nearest_frame(double x[8][3], double rest[8][3], uint32_t nodes, uint32_t dim, int stable, double r[3][3])
{
    double h[3][3] = {{0}}, q[3][3], size = 0.0;
    for (uint32_t n = 0; n < nodes; n++)
        size += inner_product(rest[n], rest[n]);
    size = 1.0 / size;
    for (uint32_t n = 0; n < nodes; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                h[i][j] += x[n][i] * (rest[n][j] * size);
    for (uint32_t c = dim; c < 3; c++)
        h[c][c] = 1.0;
    if (stable || !polar_factor(h, q))
        stable_polar_factor(h, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = q[j][i];
}

BODY void solid_frame(double x[8][3], double rest[8][3], uint32_t nodes, uint32_t dim, uint32_t frame, double r[3][3])
{
    double edge[3][3];
    if (frame == FRAME_OF_NODES) {
        for (int k = 0; k < 2; k++)
            for (int c = 0; c < 3; c++)
                edge[k][c] = x[k + 1][c] - x[0][c];
        frame_of_two(edge[0], edge[1], r);
    } else if (nodes == 8 && (frame == FRAME_OF_MEAN_EDGES || frame == FRAME_POLAR_OF_MEAN_EDGES)) {
        mean_edges(x, edge);
        if (frame == FRAME_OF_MEAN_EDGES)
            frame_of_two(edge[0], edge[1], r);
        else
            (void)polar_factor(edge, r);
    } else {
        nearest_frame(x, rest, nodes, dim, frame == FRAME_STABLE_POLAR, r);
    }
}

BODY void see_from_middle(double x[8][3], uint32_t nodes)
{
    for (int c = 0; c < 3; c++) {
        double middle = 0.0;
        for (uint32_t n = 0; n < nodes; n++)
            middle += x[n][c];
        middle /= (double)nodes;
        for (uint32_t n = 0; n < nodes; n++)
            x[n][c] -= middle;
    }
}
#endif

/* u_n of an element, in space: coordinates that the state has not are zero. */
BODY void NAME(solid_gather)(const REAL *x, const uint32_t *element, uint64_t n, uint64_t e, uint32_t nodes,
                             uint32_t dim, REAL u[8][3])
{
    for (uint32_t k = 0; k < nodes; k++) {
        const uint64_t at = (uint64_t)element[k * n + e] * dim;
        for (uint32_t c = 0; c < 3; c++)
            u[k][c] = c < dim ? x[at + c] : 0;
    }
}

BODY void NAME(solid_store)(REAL *force, uint64_t n, uint64_t e, uint32_t nodes, uint32_t dim, REAL f[8][3])
{
    for (uint32_t k = 0; k < nodes; k++)
        for (uint32_t c = 0; c < 3; c++)
            if (c < dim)
                force[(uint64_t)(k * dim + c) * n + e] = f[k][c];
}

/* sigma of h */
BODY void NAME(hooke)(REAL h[3][3], REAL lambda, REAL mu, REAL sigma[3][3])
{
    const REAL pressure = lambda * (h[0][0] + h[1][1] + h[2][2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sigma[i][j] = mu * (h[i][j] + h[j][i]);
    for (int i = 0; i < 3; i++)
        sigma[i][i] += pressure;
}

/* What a point of quadrature gives to the nodes; lambda and mu: times the weight. */
BODY void NAME(solid_point)(REAL u[8][3], const REAL *slope, REAL w[3][3], REAL lambda, REAL mu, uint32_t nodes,
                            REAL f[8][3])
{
    REAL a[3][3] = {{0}}, h[3][3], sigma[3][3];
    for (uint32_t n = 0; n < nodes; n++)
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                a[i][c] += u[n][i] * slope[3 * n + (uint32_t)c];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h[i][j] = a[i][0] * w[0][j] + a[i][1] * w[1][j] + a[i][2] * w[2][j];
    NAME(hooke)(h, lambda, mu, sigma);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            a[i][c] = sigma[i][0] * w[c][0] + sigma[i][1] * w[c][1] + sigma[i][2] * w[c][2];
    for (uint32_t n = 0; n < nodes; n++)
        for (int i = 0; i < 3; i++)
            f[n][i] -= a[i][0] * slope[3 * n] + a[i][1] * slope[3 * n + 1] + a[i][2] * slope[3 * n + 2];
}

/* ---- Parallelepipeds ---- */

/* With one W the displacement is a sum of seven modes besides the translation (xi, eta, zeta, eta zeta, zeta xi, xi eta, all three), whose
 * gradients are orthogonal over the points. Two of them, g and k, whose gradients lie along v and w: f += sigma v, l += sigma w. */
BODY void NAME(box_pair)(const REAL *g, const REAL *v, const REAL *k, const REAL *w, REAL lambda, REAL mu, REAL *f,
                         REAL *l)
{
    REAL h[3][3], sigma[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h[i][j] = g[i] * v[j] + k[i] * w[j];
    NAME(hooke)(h, lambda, mu, sigma);
    for (int i = 0; i < 3; i++) {
        f[i] += sigma[i][0] * v[0] + sigma[i][1] * v[1] + sigma[i][2] * v[2];
        l[i] += sigma[i][0] * w[0] + sigma[i][1] * w[1] + sigma[i][2] * w[2];
    }
}

BODY REAL NAME(inner)(const REAL *a, const REAL *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* 1 or -1: the sign of a mode at a node. */
BODY REAL NAME(mode_sign)(uint32_t mode, uint32_t node)
{
    const REAL x = ((node + 1) & 2) ? 1 : -1, y = (node & 2) ? 1 : -1, z = (node & 4) ? 1 : -1;
    return mode == 0   ? x
           : mode == 1 ? y
           : mode == 2 ? z
           : mode == 3 ? y * z
           : mode == 4 ? z * x
           : mode == 5 ? x * y
                       : x * y * z;
}

/* All eight points at once; lambda and mu: times the weight of one. */
BODY void NAME(box_forces)(REAL u[8][3], REAL w[3][3], REAL lambda, REAL mu, REAL square, REAL f[8][3])
{
    REAL d[7][3], g[7][3] = {{0}}, h[3][3], sigma[3][3];
    for (uint32_t m = 0; m < 7; m++)
        for (int c = 0; c < 3; c++) {
            d[m][c] = 0;
            for (uint32_t n = 0; n < 8; n++)
                d[m][c] += NAME(mode_sign)(m, n) * u[n][c];
        }
    lambda *= (REAL)0.125;
    mu *= (REAL)0.125;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h[i][j] = d[0][i] * w[0][j] + d[1][i] * w[1][j] + d[2][i] * w[2][j];
    NAME(hooke)(h, lambda, mu, sigma);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            g[k][i] = NAME(inner)(sigma[i], w[k]);
    lambda *= square;
    mu *= square;
    NAME(box_pair)(d[5], w[1], d[4], w[2], lambda, mu, g[5], g[4]);
    NAME(box_pair)(d[5], w[0], d[3], w[2], lambda, mu, g[5], g[3]);
    NAME(box_pair)(d[4], w[0], d[3], w[1], lambda, mu, g[4], g[3]);
    lambda *= square;
    mu *= square;
    const REAL spread = mu * (NAME(inner)(w[0], w[0]) + NAME(inner)(w[1], w[1]) + NAME(inner)(w[2], w[2]));
    for (int i = 0; i < 3; i++)
        g[6][i] = spread * d[6][i];
    for (int k = 0; k < 3; k++) {
        const REAL along = (lambda + mu) * NAME(inner)(d[6], w[k]);
        for (int i = 0; i < 3; i++)
            g[6][i] += along * w[k][i];
    }
    for (uint32_t n = 0; n < 8; n++)
        for (int c = 0; c < 3; c++) {
            f[n][c] = 0;
            for (uint32_t m = 0; m < 7; m++)
                f[n][c] -= NAME(mode_sign)(m, n) * g[m][c];
        }
}

/* ---- Elements ---- */

BODY void NAME(solid_element_force)(const NAME(solid_force_args) * o, uint64_t e, uint32_t nodes, int box)
{
    const uint64_t n = o->n;
    REAL u[8][3], f[8][3] = {{0}}, w[3][3];
    double x[8][3], rest[8][3], r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (e >= n)
        return;
    NAME(solid_gather)(o->x, o->element, n, e, nodes, o->dim, u);
    for (uint32_t k = 0; k < nodes; k++)
        for (uint32_t c = 0; c < 3; c++) {
            x[k][c] = (double)u[k][c];
            rest[k][c] = (double)o->rest[(uint64_t)(3 * k + c) * n + e];
        }
    see_from_middle(x, nodes);
    if (o->frame != FRAME_NONE)
        solid_frame(x, rest, nodes, o->dim, o->frame, r);
    for (uint32_t k = 0; k < nodes; k++)
        for (int c = 0; c < 3; c++)
            u[k][c] = (REAL)(x[k][c] - (r[0][c] * rest[k][0] + r[1][c] * rest[k][1] + r[2][c] * rest[k][2]));
    for (uint32_t q = 0; q < (box ? 1 : o->points); q++) {
        const uint64_t map = o->maps > 1 ? q : 0;
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t j = 0; j < 3; j++) {
                double sum = 0.0;
                for (uint32_t i = 0; i < 3; i++)
                    sum += (double)o->map[(9 * map + 3 * c + i) * n + e] * r[i][j];
                w[c][j] = (REAL)sum;
                if (q == map)
                    o->world[(9 * map + 3 * c + j) * n + e] = w[c][j];
            }
        const REAL lambda = o->material[map * n + e], mu = o->material[(o->maps + map) * n + e];
        if (box)
            NAME(box_forces)(u, w, lambda, mu, (REAL)o->square, f);
        else
            NAME(solid_point)(u, o->slope + (uint64_t)q * 3 * nodes, w, lambda, mu, nodes, f);
    }
    NAME(solid_store)(o->force, n, e, nodes, o->dim, f);
}

/* What is the same at all points is read once for all columns. */
BODY void NAME(solid_element_product)(const NAME(solid_product_args) * o, uint64_t e, uint32_t nodes, int box)
{
    const uint64_t n = o->n;
    REAL u[8][3], w[3][3] = {{0}}, lambda = 0, mu = 0;
    uint32_t node[8] = {0};
    for (uint32_t k = 0; k < nodes && e < n; k++)
        node[k] = o->element[k * n + e];
    for (uint32_t j = 0; j < o->of.count && e < n; j++) {
        REAL f[8][3] = {{0}};
        NAME(solid_gather)(o->of.d[j], node, 1, 0, nodes, o->dim, u);
        for (uint32_t q = 0; q < (box ? 1 : o->points); q++) {
            const uint64_t map = o->maps > 1 ? q : 0;
            if (o->maps > 1 || (j == 0 && q == 0)) {
                for (uint32_t c = 0; c < 3; c++)
                    for (uint32_t i = 0; i < 3; i++)
                        w[c][i] = o->world[(9 * map + 3 * c + i) * n + e];
                lambda = o->material[map * n + e];
                mu = o->material[(o->maps + map) * n + e];
            }
            if (box)
                NAME(box_forces)(u, w, lambda, mu, (REAL)o->square, f);
            else
                NAME(solid_point)(u, o->slope + (uint64_t)q * 3 * nodes, w, lambda, mu, nodes, f);
        }
        NAME(solid_store)(o->force + (uint64_t)j * nodes * o->dim * n, n, e, nodes, o->dim, f);
    }
}

/* Of each node (lambda + mu) h h^T + mu |h|^2 over the points, h = W^T s, on the diagonal. */
typedef struct NAME(solid_diagonal_args) {
    const double *stop;
    uint64_t n;
    const REAL *material, *slope, *world;
    REAL *force;
    uint32_t nodes, dim, points, maps;
} NAME(solid_diagonal_args);

BODY void NAME(solid_diagonal)(const NAME(solid_diagonal_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                               double *shared)
{
    const uint64_t e = (uint64_t)block * LANES + lane, n = o->n;
    (void)phase, (void)shared;
    if (e >= n)
        return;
    for (uint32_t k = 0; k < o->nodes; k++) {
        REAL sum[3] = {0, 0, 0};
        for (uint32_t q = 0; q < o->points; q++) {
            const uint64_t map = o->maps > 1 ? q : 0;
            const REAL lambda = o->material[map * n + e], mu = o->material[(o->maps + map) * n + e];
            const REAL *s = o->slope + ((uint64_t)q * o->nodes + k) * 3;
            REAL h[3], square = 0;
            for (uint32_t j = 0; j < 3; j++) {
                h[j] = 0;
                for (uint32_t c = 0; c < 3; c++)
                    h[j] += o->world[(9 * map + 3 * c + j) * n + e] * s[c];
                square += h[j] * h[j];
            }
            for (uint32_t c = 0; c < 3; c++)
                sum[c] += (lambda + mu) * (h[c] * h[c]) + mu * square;
        }
        for (uint32_t c = 0; c < 3; c++)
            if (c < o->dim)
                o->force[(uint64_t)(k * o->dim + c) * n + e] = -sum[c];
    }
}

#define SOLID(suffix, nodes, box)                                                                             \
    typedef NAME(solid_force_args) NAME(solid_force_##suffix##_args);                                         \
    typedef NAME(solid_product_args) NAME(solid_product_##suffix##_args);                                     \
    BODY void NAME(solid_force_##suffix)(const NAME(solid_force_args) * o, uint32_t block, uint32_t lane,     \
                                         uint32_t phase, double *shared)                                      \
    {                                                                                                         \
        (void)phase, (void)shared;                                                                            \
        NAME(solid_element_force)(o, (uint64_t)block * LANES + lane, nodes, box);                             \
    }                                                                                                         \
    BODY void NAME(solid_product_##suffix)(const NAME(solid_product_args) * o, uint32_t block, uint32_t lane, \
                                           uint32_t phase, double *shared)                                    \
    {                                                                                                         \
        (void)phase, (void)shared;                                                                            \
        NAME(solid_element_product)(o, (uint64_t)block * LANES + lane, nodes, box);                           \
    }
SOLID(2, 2, 0)
SOLID(3, 3, 0)
SOLID(4, 4, 0)
SOLID(5, 5, 0)
SOLID(6, 6, 0)
SOLID(8, 8, 0)
SOLID(box, 8, 1)
#undef SOLID
