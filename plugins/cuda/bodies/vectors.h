/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of numbers, and slots.
 */
#include "bodies.h"

/* r = a + k b, without what is NULL; of both NULL r = k. With a slot k is multiplied by what is in it. */
typedef struct NAME(combine_args) {
    const double *stop;
    uint64_t n;
    REAL *r;
    const REAL *a, *b;
    double k;
    const double *slot;
} NAME(combine_args);

BODY void NAME(combine)(const NAME(combine_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const REAL k = (REAL)(o->slot ? o->k * *o->slot : o->k);
    if (o->a && o->b)
        o->r[i] = o->a[i] + k * o->b[i];
    else
        o->r[i] = o->a ? o->a[i] : o->b ? k * o->b[i] : k;
}

typedef struct NAME(clear_listed_args) {
    const double *stop;
    uint64_t n;
    REAL *r;
    const uint32_t *list;
} NAME(clear_listed_args);

BODY void NAME(clear_listed)(const NAME(clear_listed_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->r[o->list[i]] = 0;
}

/* Listed points of a vector, one after the other.     n: numbers */
typedef struct NAME(points_gather_args) {
    const double *stop;
    uint64_t n;
    const REAL *from;
    REAL *to;
    const uint32_t *list;
    uint32_t dim;
} NAME(points_gather_args);

BODY void NAME(points_gather)(const NAME(points_gather_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                              double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[i] = o->from[(uint64_t)o->list[i / o->dim] * o->dim + i % o->dim];
}

/* Listed points += what follows each other.     n: numbers; no point twice */
typedef struct NAME(points_add_args) {
    const double *stop;
    uint64_t n;
    REAL *to;
    const REAL *from;
    const uint32_t *list;
    uint32_t dim;
} NAME(points_add_args);

BODY void NAME(points_add)(const NAME(points_add_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->to[(uint64_t)o->list[i / o->dim] * o->dim + i % o->dim] += o->from[i];
}

/* partial[block] = a . b of LANES x EACH numbers. */
typedef struct NAME(dot_args) {
    const double *stop;
    uint64_t n;
    const REAL *a, *b;
    double *partial;
} NAME(dot_args);

BODY void NAME(dot)(const NAME(dot_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    const uint64_t begin = (uint64_t)block * LANES * EACH;
    if (phase == 0) {
        double sum = 0.0;
        for (uint32_t k = 0; k < EACH; k++) {
            const uint64_t i = begin + (uint64_t)k * LANES + lane;
            if (i < o->n)
                sum += (double)o->a[i] * (double)o->b[i];
        }
        shared[lane] = sum;
    }
    tree(shared, lane, phase);
    if (phase == 7 && lane == 0)
        o->partial[block] = shared[0];
}

/* slot = sum of the parts, or slot + sum. */
typedef struct NAME(finish_args) {
    const double *stop;
    uint64_t n;
    const double *partial;
    double *slot;
    uint32_t add;
} NAME(finish_args);

BODY void NAME(finish)(const NAME(finish_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    (void)block;
    if (phase == 0) {
        double sum = 0.0;
        for (uint64_t i = lane; i < o->n; i += LANES)
            sum += o->partial[i];
        shared[lane] = sum;
    }
    tree(shared, lane, phase);
    if (phase == 7 && lane == 0)
        *o->slot = o->add ? *o->slot + shared[0] : shared[0];
}

/* DvSlotStep, by one lane. */
typedef struct NAME(calculate_args) {
    const double *stop;
    uint64_t n;
    double *slots;
    uint32_t most;
    SlotStep step[PROGRAM];
} NAME(calculate_args);

BODY void NAME(calculate)(const NAME(calculate_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    double *s = o->slots;
    (void)phase, (void)shared;
    for (uint64_t i = 0; i < o->n && block == 0 && lane == 0; i++) {
        const SlotStep *step = &o->step[i];
        const double a = s[step->a], b = s[step->b];
        switch (step->action) {
        case 0:
            s[step->r] = a;
            break;
        case 1:
            s[step->r] = a + b;
            break;
        case 2:
            s[step->r] = a - b;
            break;
        case 3:
            s[step->r] = a * b;
            break;
        case 4:
            s[step->r] = a / b;
            break;
        case 5:
            s[step->r] = sqrt(a);
            break;
        case 6:
            s[step->r] = fabs(a);
            break;
        case 7:
            if (s[step->r] >= 0.0 && s[step->r] < (double)o->most) {
                s[(uint32_t)s[step->r]] = a;
                s[step->r] += 1.0;
            }
            break;
        default:
            if (step->action == 8 ? a <= b : !(a > b)) {
                s[step->r] = 1.0;
                return;
            }
            break;
        }
    }
}
