/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangular solves by a factor L D L^T in levels: no row of a level needs another one of it. Always in double, whatever the precision of states.
 * Nodes of 1 to 3 numbers are in the order of the levels. Vectors hold one right-hand side or MANY_SIDES beside each other.
 */
#include "bodies.h"

/* out = scale in + sum of value x, for nodes from `first` on     n: nodes; scale NULL: 1; value: [entries][numbers][numbers] */
typedef struct NAME(factor_rows_args) {
    const double *stop;
    uint64_t n;
    uint32_t first, numbers;
    const uint32_t *begin, *column;
    const double *value, *scale, *in, *x;
    double *out;
} NAME(factor_rows_args);

/* What a lane adds up of a node: its entries at steps of ROW_LANES. */
BODY void NAME(factor_lane_sums)(const NAME(factor_rows_args) * o, uint64_t node, uint32_t lane, double *shared,
                                 const uint32_t b, const uint32_t sides)
{
    double sum[3 * MANY_SIDES];
    for (uint32_t v = 0; v < b * sides; v++)
        sum[v] = 0.0;
    for (uint64_t e = o->begin[node] + lane % ROW_LANES; e < o->begin[node + 1]; e += ROW_LANES) {
        const double *value = o->value + e * b * b, *x = o->x + (uint64_t)o->column[e] * b * sides;
        for (uint32_t r = 0; r < b; r++)
            for (uint32_t c = 0; c < b; c++)
                for (uint32_t k = 0; k < sides; k++)
                    sum[r * sides + k] += value[r * b + c] * x[c * sides + k];
    }
    for (uint32_t v = 0; v < b * sides; v++)
        shared[v * LANES + lane] = sum[v];
}

BODY void NAME(factor_rows_of)(const NAME(factor_rows_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                               double *shared, const uint32_t sides)
{
    const uint64_t row = (uint64_t)block * (LANES / ROW_LANES) + lane / ROW_LANES, node = o->first + row;
    const uint32_t own = lane % ROW_LANES, apart = ROW_LANES >> phase, b = o->numbers, all = b * sides;
    if (row >= o->n)
        return;
    if (phase == 0) {
        if (b == 3)
            NAME(factor_lane_sums)(o, node, lane, shared, 3, sides);
        else if (b == 2)
            NAME(factor_lane_sums)(o, node, lane, shared, 2, sides);
        else
            NAME(factor_lane_sums)(o, node, lane, shared, 1, sides);
        return;
    }
    for (uint32_t v = 0; v < all && own < apart; v++)
        shared[v * LANES + lane] += shared[v * LANES + lane + apart];
    if (apart == 0 && own < all) {
        const uint64_t at = node * all + own;
        const double in = o->scale ? o->scale[node * b + own / sides] * o->in[at] : o->in[at];
        o->out[at] = in + shared[own * LANES + lane - own];
    }
}

BODY void NAME(factor_rows)(const NAME(factor_rows_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    NAME(factor_rows_of)(o, block, lane, phase, shared, 1);
}

typedef NAME(factor_rows_args) NAME(factor_rows_many_args);

BODY void NAME(factor_rows_many)(const NAME(factor_rows_many_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                 double *shared)
{
    NAME(factor_rows_of)(o, block, lane, phase, shared, MANY_SIDES);
}

/* Blocks of the rows of L^T from those of L     n: entries x numbers x numbers; source: [entries] */
typedef struct NAME(factor_transpose_args) {
    const double *stop;
    uint64_t n;
    const uint32_t *source;
    const double *from;
    double *to;
    uint32_t numbers;
} NAME(factor_transpose_args);

BODY void NAME(factor_transpose)(const NAME(factor_transpose_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                 double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, b = o->numbers, entry = i / (b * b);
    const uint64_t r = i / b % b, c = i % b;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[i] = o->from[o->source[entry] * b * b + c * b + r];
}

/* A vector of a state into the order of levels, or back     n: numbers; offset: of the first among all states; place: by node */
typedef struct NAME(factor_take_args) {
    const double *stop;
    uint64_t n;
    const uint32_t *place;
    const REAL *from;
    double *to;
    uint32_t offset, numbers;
} NAME(factor_take_args);

BODY void NAME(factor_take)(const NAME(factor_take_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, at = o->offset + i;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[(uint64_t)o->place[at / o->numbers] * o->numbers + at % o->numbers] = (double)o->from[i];
}

typedef struct NAME(factor_give_args) {
    const double *stop;
    uint64_t n;
    const uint32_t *place;
    const double *from;
    REAL *to;
    uint32_t offset, numbers;
} NAME(factor_give_args);

BODY void NAME(factor_give)(const NAME(factor_give_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, at = o->offset + i;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[i] = (REAL)o->from[(uint64_t)o->place[at / o->numbers] * o->numbers + at % o->numbers];
}

/* Listed numbers, of MANY_SIDES right-hand sides: set, and fetched one after the other     n: numbers */
typedef struct NAME(factor_set_args) {
    const double *stop;
    uint64_t n;
    const uint32_t *at;
    const double *from;
    double *to;
} NAME(factor_set_args);

BODY void NAME(factor_set)(const NAME(factor_set_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[o->at[i]] = o->from[i];
}

typedef NAME(factor_set_args) NAME(factor_fetch_args);

BODY void NAME(factor_fetch)(const NAME(factor_fetch_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[i] = o->from[(uint64_t)o->at[i / MANY_SIDES] * MANY_SIDES + i % MANY_SIDES];
}
