/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Masses, loads, and how forces of elements come together at points.
 */
#include "bodies.h"

/* f += weight g     n: numbers */
typedef struct NAME(mass_force_args) {
    const double *stop;
    uint64_t n;
    REAL *f;
    const REAL *weight;
    uint32_t dim;
    double gravity[6];
} NAME(mass_force_args);

BODY void NAME(mass_force)(const NAME(mass_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->f[i] += (REAL)o->gravity[i % o->dim] * o->weight[i / o->dim];
}

/* Vectors that a product is made for in one pass over what it multiplies by: r of each from its d. */
typedef struct NAME(Columns) {
    const REAL *d[COLUMNS_AT_ONCE];
    REAL *r[COLUMNS_AT_ONCE];
    uint32_t count;
} NAME(Columns);

/* r += k mass d */
typedef struct NAME(mass_product_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of;
    const REAL *mass;
    uint32_t dim;
    double k;
} NAME(mass_product_args);

BODY void NAME(mass_product)(const NAME(mass_product_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                             double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const REAL mass = o->mass[i / o->dim] * (REAL)o->k;
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
        if (j < o->of.count)
            o->of.r[j][i] += mass * (o->of.d[j] ? o->of.d[j][i] : 1);
}

/* a = f / mass; of a point without mass a stays. */
typedef struct NAME(mass_acceleration_args) {
    const double *stop;
    uint64_t n;
    REAL *a;
    const REAL *f, *mass;
    const uint32_t *has;
    uint32_t dim;
} NAME(mass_acceleration_args);

BODY void NAME(mass_acceleration)(const NAME(mass_acceleration_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                  double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n && o->has[i / o->dim])
        o->a[i] = o->f[i] / o->mass[i / o->dim];
}

/* r += k M d, M of a diagonal and of rows, from begin[p] to begin[p + 1] of point p. */
typedef struct NAME(mass_rows_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of;
    const REAL *mass, *value;
    const uint32_t *begin, *other;
    uint32_t dim;
    double k;
} NAME(mass_rows_args);

BODY void NAME(mass_rows)(const NAME(mass_rows_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const uint64_t p = i / o->dim, c = i % o->dim;
    const REAL k = (REAL)o->k, mass = o->mass[p] * k;
    REAL sum[COLUMNS_AT_ONCE] = {0};
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
        if (j < o->of.count)
            sum[j] = o->of.r[j][i] + mass * (o->of.d[j] ? o->of.d[j][i] : 1);
    for (uint32_t e = o->begin[p]; e < o->begin[p + 1]; e++) {
        const REAL value = o->value[e] * k;
        const uint64_t at = (uint64_t)o->other[e] * o->dim + c;
        for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
            if (j < o->of.count && o->of.d[j])
                sum[j] += value * o->of.d[j][at];
            else if (j < o->of.count && o->other[e] == p)
                sum[j] += value;
    }
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
        if (j < o->of.count)
            o->of.r[j][i] = sum[j];
}

/* z = r / value; or, by blocks of 3 that follow each other, z = value^T r     n: numbers */
typedef struct NAME(block_inverse_args) {
    const double *stop;
    uint64_t n;
    REAL *z;
    const REAL *r, *value;
    uint32_t width;
} NAME(block_inverse_args);

BODY void NAME(block_inverse)(const NAME(block_inverse_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                              double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, first = i / 3 * 3;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    if (o->width == 1) {
        o->z[i] = o->r[i] / o->value[i];
        return;
    }
    REAL sum = 0;
    for (uint64_t c = 0; c < 3; c++)
        sum += o->value[3 * first + 3 * c + (i - first)] * o->r[first + c];
    o->z[i] = sum;
}

/* r = a / b */
typedef struct NAME(divide_args) {
    const double *stop;
    uint64_t n;
    REAL *r;
    const REAL *a, *b;
} NAME(divide_args);

BODY void NAME(divide)(const NAME(divide_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->r[i] = o->a[i] / o->b[i];
}

/* f of listed points += force     n: numbers of the force */
typedef struct NAME(load_force_args) {
    const double *stop;
    uint64_t n;
    REAL *f;
    const REAL *force;
    const uint32_t *point;
    uint32_t dim;
} NAME(load_force_args);

BODY void NAME(load_force)(const NAME(load_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                           double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i < o->n)
        o->f[(uint64_t)o->point[i / o->dim] * o->dim + i % o->dim] += o->force[i];
}

/* r of listed points -= k stiffness (d - place); d, place: or NULL     n: numbers of the places */
typedef struct NAME(pull_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of;
    const REAL *stiffness, *place;
    const uint32_t *point;
    uint32_t dim;
    double k;
} NAME(pull_args);

BODY void NAME(pull)(const NAME(pull_args) * o, uint32_t block, uint32_t lane, uint32_t phase, double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    const uint64_t at = (uint64_t)o->point[i / o->dim] * o->dim + i % o->dim;
    const REAL stiffness = (REAL)o->k * o->stiffness[i];
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
        if (j < o->of.count) {
            const REAL *d = o->of.d[j];
            o->of.r[j][at] -= stiffness * (!d ? 1 : o->place ? d[at] - o->place[i] : d[at]);
        }
}

/* x of listed points -= n (n . x - offset)     n: points */
typedef struct NAME(remove_normal_args) {
    const double *stop;
    uint64_t n;
    REAL *x;
    const uint32_t *point;
    uint32_t dim;
    double normal[6], offset;
} NAME(remove_normal_args);

BODY void NAME(remove_normal)(const NAME(remove_normal_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                              double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    REAL *x = o->x + (uint64_t)o->point[i] * o->dim;
    double along = -o->offset;
    for (uint32_t c = 0; c < o->dim; c++)
        along += o->normal[c] * (double)x[c];
    for (uint32_t c = 0; c < o->dim; c++)
        x[c] = (REAL)((double)x[c] - o->normal[c] * along);
}

/* Sums within blocks of elements: of each point that a block touches, a slot, over its entries, node * LANES + lane. */
typedef struct NAME(Sums) {
    const uint32_t *first, *begin; /* slots of a block, entries of a slot */
    const uint16_t *entry;
    REAL *partial; /* [columns][3][slots] */
    uint32_t slots;
} NAME(Sums);

/* After a phase in which each lane has put what its tetrahedron gives to its nodes to shared[(12 column + 3 node + component) * LANES + lane]. */
BODY void NAME(sum_slots)(const NAME(Sums) * o, uint32_t block, uint32_t lane, uint32_t columns, const double *shared)
{
    for (uint32_t s = o->first[block] + lane; s < o->first[block + 1]; s += LANES) {
        double sum[COLUMNS_AT_ONCE][3] = {{0}};
        for (uint32_t i = o->begin[s]; i < o->begin[s + 1]; i++) {
            const uint32_t node = o->entry[i] / LANES, from = o->entry[i] % LANES;
            for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
                for (uint32_t c = 0; c < 3; c++)
                    if (j < columns)
                        sum[j][c] += shared[(12 * j + 3 * node + c) * LANES + from];
        }
        for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
            for (uint32_t c = 0; c < 3; c++)
                if (j < columns)
                    o->partial[(uint64_t)(3 * j + c) * o->slots + s] = (REAL)sum[j][c];
    }
}

/* r of a point += k times what its elements give it, in the order of the elements.     at: [columns][nodes][dim][elements] */
typedef struct NAME(gather_elements_args) {
    const double *stop;
    uint64_t n; /* points */
    NAME(Columns) of;
    const REAL *at;
    const uint32_t *begin, *entry; /* entry: element x nodes + node */
    uint32_t nodes, elements, dim;
    double k;
} NAME(gather_elements_args);

BODY void NAME(gather_elements)(const NAME(gather_elements_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                                double *shared)
{
    const uint64_t p = (uint64_t)block * LANES + lane;
    (void)phase, (void)shared;
    if (p >= o->n || o->begin[p] == o->begin[p + 1])
        return;
    REAL sum[COLUMNS_AT_ONCE][3] = {{0}};
    for (uint32_t i = o->begin[p]; i < o->begin[p + 1]; i++) {
        const uint64_t node = o->entry[i] % o->nodes, element = o->entry[i] / o->nodes;
        for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
            for (uint32_t c = 0; c < 3; c++)
                if (j < o->of.count && c < o->dim)
                    sum[j][c] += o->at[((j * o->nodes + node) * o->dim + c) * o->elements + element];
    }
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++)
        for (uint32_t c = 0; c < 3; c++)
            if (j < o->of.count && c < o->dim)
                o->of.r[j][p * o->dim + c] += (REAL)o->k * sum[j][c];
}

/* A plane: delta = x . normal - distance; where delta < 0, or on both sides: f -= stiffness delta normal - damping delta v, cut to `most`
 * when that is positive. Which points it pushes is kept for products.     n: points, from `first` on */
typedef struct NAME(plane_force_args) {
    const double *stop;
    uint64_t n;
    const REAL *x, *v;
    REAL *f;
    uint32_t *touching;
    uint32_t first, dim, both;
    double normal[6], distance, stiffness, damping, most;
} NAME(plane_force_args);

BODY void NAME(plane_force)(const NAME(plane_force_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                            double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, at = (o->first + i) * o->dim;
    (void)phase, (void)shared;
    if (i >= o->n)
        return;
    REAL depth = -(REAL)o->distance, force[6], square = 0;
    for (uint32_t c = 0; c < o->dim; c++)
        depth += o->x[at + c] * (REAL)o->normal[c];
    const uint32_t touches = o->both || depth < 0;
    o->touching[i] = touches;
    if (!touches)
        return;
    for (uint32_t c = 0; c < o->dim; c++) {
        force[c] = (REAL)o->normal[c] * (-(REAL)o->stiffness * depth) - o->v[at + c] * (-(REAL)o->damping * depth);
        square += force[c] * force[c];
    }
    const REAL most = (REAL)o->most, scale = most > 0 && square > most * most ? most / ROOT(square) : 1;
    for (uint32_t c = 0; c < o->dim; c++)
        o->f[at + c] += scale * force[c];
}

typedef struct NAME(plane_product_args) {
    const double *stop;
    uint64_t n;
    NAME(Columns) of;
    const uint32_t *touching;
    uint32_t first, dim;
    double normal[6], k; /* factor times stiffness */
} NAME(plane_product_args);

BODY void NAME(plane_product)(const NAME(plane_product_args) * o, uint32_t block, uint32_t lane, uint32_t phase,
                              double *shared)
{
    const uint64_t i = (uint64_t)block * LANES + lane, at = (o->first + i) * o->dim;
    (void)phase, (void)shared;
    if (i >= o->n || !o->touching[i])
        return;
    for (uint32_t j = 0; j < COLUMNS_AT_ONCE; j++) {
        const REAL *d = o->of.d[j];
        REAL along = 0;
        for (uint32_t c = 0; c < o->dim && j < o->of.count && d; c++)
            along += d[at + c] * (REAL)o->normal[c];
        for (uint32_t c = 0; c < o->dim && j < o->of.count; c++)
            o->of.r[j][at + c] += (REAL)o->normal[c] * (-(REAL)o->k * (d ? along : (REAL)o->normal[c]));
    }
}
