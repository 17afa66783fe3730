/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Masses of bodies that turn: a body a lane. Inertia is in double whatever the precision of the states, a matrix of 9 numbers of bodies in
 * space, 1 number in the plane; what is done is that of divan/kit/turning_inertia.h.
 */
#include "bodies.h"
#include "turning.h"

/* The inertia in world axes, R J R^T, from that in the axes of the body, and the same of its inverse; f += -w x J w.     n: bodies */
typedef struct NAME(inertia_turn_args) {
    const double *stop;
    uint64_t n;
    const REAL *x, *v;
    REAL *f;
    const double *inertia, *inverse;
    double *world, *world_inverse;
} NAME(inertia_turn_args);

BODY void NAME(inertia_turn)(const NAME(inertia_turn_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    double q[4], r[9], w[3], momentum[3], torque[3], square = 0;
    for (uint64_t c = 0; c < 4; c++) {
        q[c] = (double)o->x[7 * i + 3 + c];
        square += q[c] * q[c];
    }
    const double length = sqrt(square), scale = square > 0 ? length : 1.0;
    for (int c = 0; c < 4; c++)
        q[c] = q[c] / scale;
    matrix_of_rotation(q, r);
    turn_matrix(r, o->inertia + 9 * i, o->world + 9 * i);
    turn_matrix(r, o->inverse + 9 * i, o->world_inverse + 9 * i);
    for (uint64_t c = 0; c < 3; c++)
        w[c] = (double)o->v[6 * i + 3 + c];
    times(o->world + 9 * i, w, momentum);
    across(momentum, w, torque);
    for (uint64_t c = 0; c < 3; c++)
        o->f[6 * i + 3 + c] = (REAL)((double)o->f[6 * i + 3 + c] + torque[c]);
}

/* A row of an inertia times what turns a body. */
BODY double NAME(row_times)(const double *row, const REAL *turn, uint32_t turns)
{
    double sum = 0;
    for (uint32_t j = 0; j < turns; j++)
        sum += row[j] * (double)turn[j];
    return sum;
}

/* r += k M d     n: bodies; dim: 6, or 3 in the plane */
typedef struct NAME(inertia_product_args) {
    const double *stop;
    uint64_t n;
    REAL *r;
    const REAL *d, *mass;
    const double *world;
    uint32_t dim;
    double k;
} NAME(inertia_product_args);

BODY void NAME(inertia_product)(const NAME(inertia_product_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const uint32_t linear = o->dim == 6 ? 3 : 2, turns = o->dim - linear;
    const REAL *d = o->d ? o->d + i * o->dim : 0, mass = o->mass[i] * (REAL)o->k;
    REAL *r = o->r + i * o->dim;
    for (uint32_t c = 0; c < linear; c++)
        r[c] += mass * (d ? d[c] : 1);
    for (uint32_t c = 0; c < turns; c++) {
        const double *row = o->world + (i * turns + c) * turns;
        const double turned = d ? NAME(row_times)(row, d + linear, turns) : row[c];
        r[linear + c] = (REAL)((double)r[linear + c] + turned * o->k);
    }
}

/* a = M^-1 f; of a body without mass a stays. */
typedef struct NAME(inertia_divide_args) {
    const double *stop;
    uint64_t n;
    REAL *a;
    const REAL *f, *mass;
    const uint32_t *has;
    const double *inverse;
    uint32_t dim;
} NAME(inertia_divide_args);

BODY void NAME(inertia_divide)(const NAME(inertia_divide_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                               double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n || !o->has[i])
        return;
    const uint32_t linear = o->dim == 6 ? 3 : 2, turns = o->dim - linear;
    const REAL *f = o->f + i * o->dim;
    REAL *a = o->a + i * o->dim;
    for (uint32_t c = 0; c < linear; c++)
        a[c] = f[c] / o->mass[i];
    for (uint32_t c = 0; c < turns; c++)
        a[linear + c] = (REAL)NAME(row_times)(o->inverse + (i * turns + c) * turns, f + linear, turns);
}

/* b, h times the forces: J times the turn that one Newton step of an implicit step finds of each body, p: 1, or 1/2 of the trapezoidal rule. */
typedef struct NAME(inertia_step_args) {
    const double *stop;
    uint64_t n;
    const REAL *v;
    REAL *b;
    const double *world;
    double h, p;
} NAME(inertia_step_args);

BODY void NAME(inertia_step)(const NAME(inertia_step_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    double w[3], b[3], turn[3], image[3];
    for (uint64_t c = 0; c < 3; c++) {
        w[c] = (double)o->v[6 * i + 3 + c];
        b[c] = (double)o->b[6 * i + 3 + c];
    }
    if (!turn_of_step(o->world + 9 * i, w, b, o->h, o->p, turn))
        return;
    times(o->world + 9 * i, turn, image);
    for (uint64_t c = 0; c < 3; c++)
        o->b[6 * i + 3 + c] = (REAL)image[c];
}
