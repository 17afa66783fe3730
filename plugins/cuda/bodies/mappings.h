/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * States that follow from others: by rows of weights, and points of rigid bodies; and how bodies move.
 */
#include "bodies.h"
#include "frames.h"
#include "trigonometry.h"

/* A point of the output = sum of weight times points of the input, of the first `components`; a row without entries is left, or cleared.
 * n: points of the output, times components */
typedef struct NAME(rows_gather_args) {
    const double *stop;
    uint64_t n;
    const REAL *in[MOST_INPUTS];
    REAL *out;
    const uint32_t *begin, *column, *input; /* input: of an entry; NULL: the first */
    const REAL *weight;
    uint32_t in_dim, out_dim, components, clears;
} NAME(rows_gather_args);

BODY void NAME(rows_gather)(const NAME(rows_gather_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, row = i / o->components, c = i % o->components;
    (void)phase, (void)shared;
    if (i >= o->n || (o->begin[row] == o->begin[row + 1] && !o->clears))
        return;
    REAL sum = 0;
    for (uint32_t e = o->begin[row]; e < o->begin[row + 1]; e++)
        sum += o->weight[e] * (o->input ? o->in[o->input[e]] : o->in[0])[(uint64_t)o->column[e] * o->in_dim + c];
    o->out[row * o->out_dim + c] = sum;
}

/* A point of the input += sum of weight times points of the output, by the rows that name it in their order.     n: points of the input, times
 * components; entry: of the rows */
typedef struct NAME(rows_scatter_args) {
    const double *stop;
    uint64_t n;
    const REAL *out;
    REAL *in;
    const uint32_t *begin, *entry, *row;
    const REAL *weight;
    uint32_t in_dim, out_dim, components;
} NAME(rows_scatter_args);

BODY void NAME(rows_scatter)(const NAME(rows_scatter_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, point = i / o->components, c = i % o->components;
    (void)phase, (void)shared;
    if (i >= o->n || o->begin[point] == o->begin[point + 1])
        return;
    REAL sum = 0;
    for (uint32_t k = o->begin[point]; k < o->begin[point + 1]; k++) {
        const uint32_t e = o->entry[k];
        sum += o->weight[e] * o->out[(uint64_t)o->row[e] * o->out_dim + c];
    }
    o->in[point * o->in_dim + c] += sum;
}

/* lever = q local q*, x = centre + lever */
typedef struct NAME(rigid_place_args) {
    const double *stop;
    uint64_t n; /* points */
    const REAL *in;
    REAL *out, *lever;
    const uint32_t *body;
    const REAL *local;
} NAME(rigid_place_args);

BODY void NAME(moment)(const REAL *a, const REAL *b, REAL *r)
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

BODY void NAME(rigid_place)(const NAME(rigid_place_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const REAL *x = o->in + 7 * (uint64_t)o->body[i], *u = x + 3, *v = o->local + 3 * i;
    REAL t[3], s[3];
    NAME(moment)(u, v, t);
    for (int c = 0; c < 3; c++)
        t[c] = t[c] * 2;
    NAME(moment)(u, t, s);
    for (int c = 0; c < 3; c++) {
        const REAL lever = (v[c] + x[6] * t[c]) + s[c];
        o->lever[3 * i + (uint64_t)c] = lever;
        o->out[3 * i + (uint64_t)c] = x[c] + lever;
    }
}

/* v = linear + angular x lever */
typedef struct NAME(rigid_move_args) {
    const double *stop;
    uint64_t n; /* points */
    const REAL *in;
    REAL *out;
    const uint32_t *body;
    const REAL *lever;
} NAME(rigid_move_args);

BODY void NAME(rigid_move)(const NAME(rigid_move_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const REAL *v = o->in + 6 * (uint64_t)o->body[i];
    REAL turn[3];
    NAME(moment)(v + 3, o->lever + 3 * i, turn);
    for (int c = 0; c < 3; c++)
        o->out[3 * i + (uint64_t)c] = v[c] + turn[c];
}

/* A body: force += sum of f, torque += sum of lever x f. A block for each of the six numbers of each body, whose points its lanes share.
 * n: 6 x bodies */
typedef struct NAME(rigid_pull_args) {
    const double *stop;
    uint64_t n;
    const REAL *out;
    REAL *in;
    const uint32_t *begin, *entry; /* the points of each body */
    const REAL *lever;
} NAME(rigid_pull_args);

BODY void NAME(rigid_pull)(const NAME(rigid_pull_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint32_t body = block / 6, c = block % 6;
    if (block >= o->n)
        return;
    if (phase == 0) {
        double sum = 0;
        for (uint32_t k = o->begin[body] + lane; k < o->begin[body + 1]; k += LANES) {
            const REAL *f = o->out + 3 * (uint64_t)o->entry[k], *lever = o->lever + 3 * (uint64_t)o->entry[k];
            REAL torque[3];
            NAME(moment)(lever, f, torque);
            sum += (double)(c < 3 ? f[c] : torque[c - 3]);
        }
        shared[lane] = sum;
    }
    tree(shared, lane, phase);
    if (phase == 7 && lane == 0 && o->begin[body] != o->begin[body + 1])
        o->in[6 * (uint64_t)body + c] = (REAL)((double)o->in[6 * (uint64_t)body + c] + shared[0]);
}

/* The geometric stiffness of a body's points: torque += k G t, G = sum of r f^T - (f . r) I, r: lever, f: force, t: how the body turns; or
 * what the symmetric part of G has of negative eigenvalues. */
typedef struct NAME(rigid_turn_args) {
    const double *stop;
    uint64_t n; /* bodies */
    const REAL *force, *in;
    REAL *out;
    const uint32_t *begin, *entry; /* the points of each body */
    const REAL *lever;
    double k;
    uint32_t stabilized;
} NAME(rigid_turn_args);

BODY void NAME(rigid_turn)(const NAME(rigid_turn_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t body = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (body >= o->n)
        return;
    double g[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t e = o->begin[body]; e < o->begin[body + 1]; e++) {
        const REAL *f = o->force + 3 * (uint64_t)o->entry[e], *r = o->lever + 3 * (uint64_t)o->entry[e];
        const double power = ((double)f[0] * (double)r[0] + (double)f[1] * (double)r[1]) + (double)f[2] * (double)r[2];
        for (int i = 0; i < 3; i++) {
            for (int c = 0; c < 3; c++)
                g[i][c] += (double)r[i] * (double)f[c];
            g[i][i] -= power;
        }
    }
    if (o->stabilized)
        negative_part(g);
    const REAL *t = o->in + 6 * body + 3;
    for (uint64_t i = 0; i < 3; i++) {
        const double sum = (g[i][0] * (double)t[0] + g[i][1] * (double)t[1]) + g[i][2] * (double)t[2];
        o->out[6 * body + 3 + i] = (REAL)((double)o->out[6 * body + 3 + i] + o->k * sum);
    }
}

/* r = a moved by k b: centre + k linear, and the rotation k angular after that of a, in double; of floats brought back to unit length. */
typedef struct NAME(rigid_integrate_args) {
    const double *stop;
    uint64_t n; /* bodies */
    REAL *r;
    const REAL *a, *b;
    double k;
} NAME(rigid_integrate_args);

BODY void NAME(rigid_integrate)(const NAME(rigid_integrate_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    double h[3], a[4], q[4], sine, cosine, square = 0;
    for (uint64_t c = 0; c < 3; c++) {
        o->r[7 * i + c] = o->a[7 * i + c] + (REAL)o->k * o->b[6 * i + c];
        h[c] = o->k * (double)o->b[6 * i + 3 + c] * 0.5;
        square += h[c] * h[c];
    }
    const double theta = sqrt(square);
    sine_and_cosine(theta, &sine, &cosine);
    const double scale = theta < 2.2204460492503131e-16 ? 1.0 : sine / theta,
                 w = theta < 2.2204460492503131e-16 ? 1.0 : cosine;
    for (uint64_t c = 0; c < 3; c++)
        h[c] = h[c] * scale;
    for (uint64_t c = 0; c < 4; c++)
        a[c] = (double)o->a[7 * i + 3 + c];
    q[0] = w * a[0] + a[3] * h[0] + (h[1] * a[2] - h[2] * a[1]);
    q[1] = w * a[1] + a[3] * h[1] + (h[2] * a[0] - h[0] * a[2]);
    q[2] = w * a[2] + a[3] * h[2] + (h[0] * a[1] - h[1] * a[0]);
    q[3] = w * a[3] - (h[0] * a[0] + h[1] * a[1] + h[2] * a[2]);
    if (sizeof(REAL) != sizeof(double)) {
        const double length = sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
        for (int c = 0; c < 4 && length > 0; c++)
            q[c] /= length;
    }
    for (uint64_t c = 0; c < 4; c++)
        o->r[7 * i + 3 + c] = (REAL)q[c];
}
