/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damped springs between points of one state, or of two: u = (b - a) / d, tension s = stiffness (d - length) + damping u . (v_b - v_a), which a gets
 * along u and b against it. A spring that is switched off, no longer than `shortest`, or slack where it resists elongation only,
 * has neither force nor stiffness. Arrays of springs are [component][spring].
 */
#include "bodies.h"

typedef struct NAME(springs_force_args) {
    const double *stop;
    uint64_t n;                  /* springs */
    const REAL *x, *v, *x2, *v2; /* of the first points; of the second ones */
    const uint32_t *pair, *flags;
    const REAL *spring; /* stiffness, damping, length */
    REAL *tangent;      /* u, stiffness - s / d, s / d */
    REAL *value;
    uint32_t dim;
    double shortest;
} NAME(springs_force_args);

BODY void NAME(springs_force)(const NAME(springs_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                              double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, n = o->n;
    (void)phase, (void)shared;
    if (i >= n)
        return;
    const uint64_t a = (uint64_t)o->pair[i] * o->dim, b = (uint64_t)o->pair[n + i] * o->dim;
    const REAL stiffness = o->spring[i], damping = o->spring[n + i], rest = o->spring[2 * n + i];
    REAL u[MOST_DIM], square = 0, speed = 0;
    for (uint32_t c = 0; c < o->dim; c++) {
        u[c] = o->x2[b + c] - o->x[a + c];
        square += u[c] * u[c];
    }
    const REAL d = ROOT(square);
    const int active =
        (o->flags[i] & SPRING_ENABLED) && d > (REAL)o->shortest && (!(o->flags[i] & SPRING_ELONGATION) || d > rest);
    const REAL length = active ? d : 1;
    for (uint32_t c = 0; c < o->dim; c++) {
        u[c] /= length;
        speed += u[c] * (o->v2[b + c] - o->v[a + c]);
    }
    const REAL s = active ? stiffness * (d - rest) + damping * speed : 0, slope = s / length;
    for (uint32_t c = 0; c < o->dim; c++) {
        o->tangent[c * n + i] = u[c];
        o->value[c * n + i] = s * u[c];
    }
    o->tangent[o->dim * n + i] = active ? stiffness - slope : 0;
    o->tangent[(o->dim + 1) * n + i] = slope;
}

typedef struct NAME(springs_product_args) {
    const double *stop;
    uint64_t n;
    const REAL *d, *d2;
    const uint32_t *pair;
    const REAL *tangent;
    REAL *value;
    uint32_t dim;
    double k;
} NAME(springs_product_args);

BODY void NAME(springs_product)(const NAME(springs_product_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, n = o->n;
    (void)phase, (void)shared;
    if (i >= n)
        return;
    const uint64_t a = (uint64_t)o->pair[i] * o->dim, b = (uint64_t)o->pair[n + i] * o->dim;
    REAL d[MOST_DIM] = {0}, along = 0;
    for (uint32_t c = 0; c < o->dim && o->d; c++) {
        d[c] = o->d2[b + c] - o->d[a + c];
        along += o->tangent[c * n + i] * d[c];
    }
    const REAL axial = (REAL)o->k * (o->tangent[o->dim * n + i] * along),
               all = (REAL)o->k * o->tangent[(o->dim + 1) * n + i];
    for (uint32_t c = 0; c < o->dim; c++) {
        const REAL u = o->tangent[c * n + i];
        o->value[c * n + i] =
            o->d ? axial * u + all * d[c] : -((REAL)o->k * (o->tangent[o->dim * n + i] * u) * u + all);
    }
}

/* f of a point += what its springs give it, in their order.     entry: 2 spring + 1 where the point is the second one; with a
 * side, 0 or 1, the spring */
typedef struct NAME(gather_springs_args) {
    const double *stop;
    uint64_t n; /* points */
    REAL *f;
    const REAL *value;
    const uint32_t *begin, *entry;
    uint32_t dim, side; /* side: 2 where both are of one state */
    uint32_t alike;     /* both ends get the same, not one the opposite of the other */
    uint64_t springs;
} NAME(gather_springs_args);

BODY void NAME(gather_springs)(const NAME(gather_springs_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                               double *shared)
{
    const uint64_t p = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (p >= o->n || o->begin[p] == o->begin[p + 1])
        return;
    for (uint32_t c = 0; c < o->dim; c++) {
        REAL sum = o->f[p * o->dim + c];
        for (uint32_t i = o->begin[p]; i < o->begin[p + 1]; i++) {
            const uint32_t entry = o->entry[i], second = o->side < 2 ? o->side : entry & 1;
            const REAL value = o->value[c * o->springs + (o->side < 2 ? entry : entry >> 1)];
            sum += second && !o->alike ? -value : value;
        }
        o->f[p * o->dim + c] = sum;
    }
}
