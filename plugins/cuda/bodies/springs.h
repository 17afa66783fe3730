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
    NAME(Columns) of, second; /* d of the first points; of the second ones */
    const uint32_t *pair;
    const REAL *tangent;
    REAL *value; /* [columns][dim][springs] */
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
    const REAL slope = o->tangent[o->dim * n + i], all = (REAL)o->k * o->tangent[(o->dim + 1) * n + i];
    REAL u[MOST_DIM] = {0}, d[MOST_DIM];
    for (uint32_t c = 0; c < o->dim; c++)
        u[c] = o->tangent[c * n + i];
    for (uint32_t c = 0; c < o->dim && !o->of.d[0]; c++) /* the diagonal */
        o->value[c * n + i] = -((REAL)o->k * (slope * u[c]) * u[c] + all);
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE && j < o->of.count && o->of.d[j]; j++) {
        REAL along = 0;
        for (uint32_t c = 0; c < o->dim; c++) {
            d[c] = o->second.d[j][b + c] - o->of.d[j][a + c];
            along += u[c] * d[c];
        }
        const REAL axial = (REAL)o->k * (slope * along);
        for (uint32_t c = 0; c < o->dim; c++)
            o->value[(j * o->dim + c) * n + i] = axial * u[c] + all * d[c];
    }
}

/* r of a point += what its springs give it, in their order.     entry: 2 spring + 1 where the point is the second one; with a
 * side, 0 or 1, the spring */
typedef struct NAME(gather_springs_args) {
    const double *stop;
    uint64_t n; /* points */
    NAME(Columns) of;
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
        REAL sum[COLUMNS_AT_ONCE] = {0};
        for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
            if (j < o->of.count)
                sum[j] = o->of.r[j][p * o->dim + c];
        for (uint32_t i = o->begin[p]; i < o->begin[p + 1]; i++) {
            const uint32_t entry = o->entry[i], second = o->side < 2 ? o->side : entry & 1;
            const uint64_t at = c * o->springs + (o->side < 2 ? entry : entry >> 1);
            for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
                if (j < o->of.count) {
                    const REAL value = o->value[(uint64_t)j * o->dim * o->springs + at];
                    sum[j] += second && !o->alike ? -value : value;
                }
        }
        for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
            if (j < o->of.count)
                o->of.r[j][p * o->dim + c] = sum[j];
    }
}
