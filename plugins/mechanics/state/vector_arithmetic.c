/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic on flat arrays of doubles; see the header for the rules about bits and threads.
 */
#include "vector_arithmetic.h"

#include <math.h>
#include <string.h>

#include <divan/math/simd.h>
#include <divan/parallel.h>

/* Doubles per chunk: 64 KiB an operand, so that a chunk of three operands stays in the second-level cache. */
#define GRAIN 8192u
/* Below this an operation is over before another thread has woken up. */
#define ALONE 1024u

/* Two numbers, as every machine with vectors has them in a register. */
typedef double DvReal2 __attribute__((vector_size(16), aligned(8), may_alias));
#define DV_REAL2(at)     (*(const DvReal2 *)(at))
#define DV_REAL2_SET(at) (*(DvReal2 *)(at))
#define DV_REAL4_SET(at) (*(DvReal4At *)(at))

typedef struct Operands {
    double *r;
    const double *a, *b;
    double k;
} Operands;

DV_SIMD_CLONES static void scale_chunk(double *r, const double *b, size_t n, double k)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        DV_REAL8_SET(r + i) = k * DV_REAL8(b + i);
    for (; i < n; i++)
        r[i] = k * b[i];
}

DV_SIMD_CLONES static void add_scaled_chunk(double *r, const double *a, const double *b, size_t n, double k)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        DV_REAL8_SET(r + i) = DV_REAL8(a + i) + k * DV_REAL8(b + i);
    for (; i < n; i++)
        r[i] = a[i] + k * b[i];
}

/* Four vectors of four: compilers keep a vector of eight in memory where registers hold four. */
DV_SIMD_CLONES static double dot_chunk(const double *a, const double *b, size_t n)
{
    DvReal4 even[2] = {{0}, {0}}, odd[2] = {{0}, {0}};
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        even[0] += DV_REAL4(a + i) * DV_REAL4(b + i);
        even[1] += DV_REAL4(a + i + 4) * DV_REAL4(b + i + 4);
        odd[0] += DV_REAL4(a + i + 8) * DV_REAL4(b + i + 8);
        odd[1] += DV_REAL4(a + i + 12) * DV_REAL4(b + i + 12);
    }
    if (i + 8 <= n) {
        even[0] += DV_REAL4(a + i) * DV_REAL4(b + i);
        even[1] += DV_REAL4(a + i + 4) * DV_REAL4(b + i + 4);
        i += 8;
    }
    const DvReal4 low = even[0] + odd[0], high = even[1] + odd[1];
    double total = ((low[0] + low[1]) + (low[2] + low[3])) + ((high[0] + high[1]) + (high[2] + high[3]));
    for (; i < n; i++)
        total += a[i] * b[i];
    return total;
}

DV_SIMD_CLONES static double copy_dot_chunk(double *r, const double *a, size_t n)
{
    DvReal4 even = {0}, odd = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const DvReal4 first = DV_REAL4(a + i), second = DV_REAL4(a + i + 4);
        DV_REAL4_SET(r + i) = first;
        DV_REAL4_SET(r + i + 4) = second;
        even += first * first;
        odd += second * second;
    }
    if (i + 4 <= n) {
        const DvReal4 last = DV_REAL4(a + i);
        DV_REAL4_SET(r + i) = last;
        even += last * last;
        i += 4;
    }
    even += odd;
    double total = (even[0] + even[1]) + (even[2] + even[3]);
    for (; i < n; i++) {
        r[i] = a[i];
        total += a[i] * a[i];
    }
    return total;
}

/* x - x is zero for every finite x and not a number otherwise. */
DV_SIMD_CLONES static bool is_finite_chunk(const double *a, size_t n)
{
    DvReal8 even = {0}, odd = {0};
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        even += DV_REAL8(a + i) - DV_REAL8(a + i);
        odd += DV_REAL8(a + i + 8) - DV_REAL8(a + i + 8);
    }
    const DvReal8 sum = even + odd;
    double total = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    for (; i < n; i++)
        total += a[i] - a[i];
    return total == 0.0;
}

static void scale_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    scale_chunk(o->r + begin, o->b + begin, end - begin, o->k);
}

static void add_scaled_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    add_scaled_chunk(o->r + begin, o->a + begin, o->b + begin, end - begin, o->k);
}

static void copy_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    memmove(o->r + begin, o->a + begin, (end - begin) * sizeof *o->r);
}

static double dot_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    return dot_chunk(o->a + begin, o->b + begin, end - begin);
}

static double copy_dot_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    return copy_dot_chunk(o->r + begin, o->a + begin, end - begin);
}

static double not_finite_range(void *context, uint32_t begin, uint32_t end)
{
    const Operands *o = context;
    return is_finite_chunk(o->a + begin, end - begin) ? 0.0 : 1.0;
}

static void clear_range(void *context, uint32_t begin, uint32_t end)
{
    memset((double *)context + begin, 0, (end - begin) * sizeof(double));
}

void dv_array_clear(double *r, size_t n)
{
    if (n <= ALONE)
        memset(r, 0, n * sizeof *r);
    else
        dv_parallel_for((uint32_t)n, GRAIN, clear_range, r);
}

void dv_array_fill(double *r, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        r[i] = value;
}

void dv_array_copy(double *r, const double *a, size_t n)
{
    if (n <= ALONE)
        memmove(r, a, n * sizeof *r);
    else
        dv_parallel_for((uint32_t)n, GRAIN, copy_range, &(Operands){.r = r, .a = a});
}

void dv_array_scale(double *r, const double *b, size_t n, double k)
{
    if (n <= ALONE)
        scale_chunk(r, b, n, k);
    else
        dv_parallel_for((uint32_t)n, GRAIN, scale_range, &(Operands){.r = r, .b = b, .k = k});
}

void dv_array_add_scaled(double *r, const double *a, const double *b, size_t n, double k)
{
    if (n < DV_LANES)
        for (size_t i = 0; i < n; i++)
            r[i] = a[i] + k * b[i];
    else if (n <= ALONE)
        add_scaled_chunk(r, a, b, n, k);
    else
        dv_parallel_for((uint32_t)n, GRAIN, add_scaled_range, &(Operands){.r = r, .a = a, .b = b, .k = k});
}

double dv_array_dot(const double *a, const double *b, size_t n)
{
    if (n < DV_LANES) { /* what is left of a chunk behind its vectors: the same sum */
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += a[i] * b[i];
        return sum;
    }
    if (n <= ALONE)
        return dot_chunk(a, b, n);
    return dv_parallel_sum((uint32_t)n, GRAIN, dot_range, &(Operands){.a = a, .b = b});
}

double dv_array_copy_dot(double *r, const double *a, size_t n)
{
    if (n < DV_LANES) {
        DvReal2 sums = {0.0, 0.0};
        size_t i = 0;
        for (; i + 2 <= n; i += 2) {
            const DvReal2 two = DV_REAL2(a + i);
            DV_REAL2_SET(r + i) = two;
            sums += two * two;
        }
        if (i == n)
            return sums[0] + sums[1];
        r[i] = a[i];
        return sums[0] + sums[1] + a[i] * a[i];
    }
    if (n <= ALONE)
        return copy_dot_chunk(r, a, n);
    return dv_parallel_sum((uint32_t)n, GRAIN, copy_dot_range, &(Operands){.r = r, .a = a});
}

bool dv_array_is_finite(const double *a, size_t n)
{
    if (n <= ALONE)
        return is_finite_chunk(a, n);
    return dv_parallel_sum((uint32_t)n, GRAIN, not_finite_range, &(Operands){.a = a}) == 0.0;
}
