/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of rows: df = -k J^T S J dx. First what each row sees of the displacements of both sides, then for each point that rows touch what
 * they give it, in their order.
 */
#include "bodies.h"

/* J of one side. */
typedef struct NAME(RowsOfSide) {
    const REAL *d;
    const uint32_t *begin, *point;
    const REAL *value; /* [entries][dim] */
    uint32_t dim;
} NAME(RowsOfSide);

/* along = stiffness times J d     n: rows */
typedef struct NAME(stiff_rows_see_args) {
    const double *stop;
    uint64_t n;
    NAME(RowsOfSide) side[2]; /* without `begin`: there is none */
    const REAL *stiffness;
    REAL *along;
} NAME(stiff_rows_see_args);

BODY void NAME(stiff_rows_see)(const NAME(stiff_rows_see_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                               double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    REAL sum = 0;
    for (int k = 0; k < 2; k++) {
        const NAME(RowsOfSide) *s = &o->side[k];
        for (uint32_t e = s->begin ? s->begin[i] : 0; s->begin && e < s->begin[i + 1]; e++)
            for (uint32_t c = 0; c < s->dim; c++)
                sum += s->value[(uint64_t)e * s->dim + c] * s->d[(uint64_t)s->point[e] * s->dim + c];
    }
    o->along[i] = o->stiffness[i] * sum;
}

/* f of listed points -= k sum of value along     n: points times dim; entry: those of point i from begin[i] to begin[i + 1], row by
 * row. With stiffness, which is NULL in products: the diagonal. */
typedef struct NAME(stiff_rows_push_args) {
    const double *stop;
    uint64_t n;
    REAL *f;
    const uint32_t *touched, *begin, *entry, *row;
    const REAL *value, *along, *stiffness;
    uint32_t dim;
    double k;
} NAME(stiff_rows_push_args);

BODY void NAME(stiff_rows_push)(const NAME(stiff_rows_push_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, point = i / o->dim, c = i % o->dim;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    REAL sum = 0, of_row = 0;
    for (uint32_t e = o->begin[point]; e < o->begin[point + 1]; e++) {
        const REAL value = o->value[(uint64_t)o->entry[e] * o->dim + c];
        of_row += value;
        if (!o->stiffness)
            sum += value * o->along[o->row[e]];
        else if (e + 1 == o->begin[point + 1] || o->row[e + 1] != o->row[e])
            sum += o->stiffness[o->row[e]] * of_row * of_row, of_row = 0;
    }
    o->f[(uint64_t)o->touched[point] * o->dim + c] -= (REAL)o->k * sum;
}
