/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Block compressed rows times a vector. The product is bound by the memory that streams the blocks, so that all a kernel
 * has to do is to load each block once with wide loads: a 3 x 3 block is two vectors of 4 doubles and one more, which meet
 * (x0 x1 x2 x0), (x1 x2 x0 x1) and x2; even and odd blocks of a row have accumulators of their own to hide the adder's
 * latency. A 2 x 2 block is one vector. Each entry of y is summed in a fixed order: the same bits on every machine.
 */
#include <divan/kit/block_product.h>
#include <divan/math/simd.h>
#include <divan/parallel.h>

/* About 40 microseconds of a core. */
enum { ROWS_PER_CHUNK = 2048 };

DV_SIMD_INLINE void add_block_3(const double *block, const double *x, DvReal4 *low, DvReal4 *high, double *last)
{
    const DvReal4 at = DV_REAL4(x); /* the fourth is not used */
    *low += DV_REAL4(block) * DV_SHUFFLE(at, at, 0, 1, 2, 0);
    *high += DV_REAL4(block + 4) * DV_SHUFFLE(at, at, 1, 2, 0, 1);
    *last += block[8] * x[2];
}

DV_SIMD_INLINE double multiply_3(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x, double *y)
{
    double dot = 0.0;
    for (uint32_t row = first; row < last; row++) {
        DvReal4 low[2] = {{0}};
        DvReal4 high[2] = {{0}};
        double corner[2] = {0};
        const uint32_t end = a->row_start[row + 1];
        uint32_t e = a->row_start[row];
        for (; e + 2 <= end; e += 2) {
            const double *block = a->values + 9 * (uint64_t)e;
            add_block_3(block, x + 3 * (uint64_t)a->columns[e], &low[0], &high[0], &corner[0]);
            add_block_3(block + 9, x + 3 * (uint64_t)a->columns[e + 1], &low[1], &high[1], &corner[1]);
        }
        if (e < end)
            add_block_3(a->values + 9 * (uint64_t)e, x + 3 * (uint64_t)a->columns[e], &low[0], &high[0], &corner[0]);
        const DvReal4 l = low[0] + low[1];
        const DvReal4 h = high[0] + high[1];
        const double y0 = (l[0] + l[1]) + l[2];
        const double y1 = (l[3] + h[0]) + h[1];
        const double y2 = (h[2] + h[3]) + (corner[0] + corner[1]);
        double *yr = y + 3 * (uint64_t)row;
        const double *xr = x + 3 * (uint64_t)row;
        yr[0] = y0;
        yr[1] = y1;
        yr[2] = y2;
        dot += (xr[0] * y0 + xr[1] * y1) + xr[2] * y2;
    }
    return dot;
}

#if defined(DV_SIMD_X86_64)
DV_SIMD_INLINE void add_wide_block_3(const double *block, const double *x, DvReal8 *lanes, double *last)
{
    const DvReal4 at = DV_REAL4(x);
    *lanes += DV_REAL8(block) * DV_SHUFFLE(at, at, 0, 1, 2, 0, 1, 2, 0, 1);
    *last += block[8] * x[2];
}

/* multiply_3 with the two vectors of a block in one: the same sums in the same order. */
DV_SIMD_TARGET_V4 static double multiply_3_wide(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x,
                                                double *y)
{
    double dot = 0.0;
    for (uint32_t row = first; row < last; row++) {
        DvReal8 lanes[2] = {{0}};
        double corner[2] = {0};
        const uint32_t end = a->row_start[row + 1];
        uint32_t e = a->row_start[row];
        const double *block = a->values + 9 * (uint64_t)e;
        for (; e + 2 <= end; e += 2, block += 18) {
            add_wide_block_3(block, x + 3 * (uint64_t)a->columns[e], &lanes[0], &corner[0]);
            add_wide_block_3(block + 9, x + 3 * (uint64_t)a->columns[e + 1], &lanes[1], &corner[1]);
        }
        if (e < end)
            add_wide_block_3(block, x + 3 * (uint64_t)a->columns[e], &lanes[0], &corner[0]);
        /* Lane i + (lane i + 1) + (lane i + 2): rows of the block begin at lanes 0, 3 and 6. */
        const DvReal8 l = lanes[0] + lanes[1];
        const DvReal8 pairs = l + DV_SHUFFLE(l, l, 1, 2, 3, 4, 5, 6, 7, 0);
        const DvReal8 rows = pairs + DV_SHUFFLE(l, l, 2, 3, 4, 5, 6, 7, 0, 1);
        double *yr = y + 3 * (uint64_t)row;
        const double *xr = x + 3 * (uint64_t)row;
        yr[0] = rows[0];
        yr[1] = rows[3];
        yr[2] = pairs[6] + (corner[0] + corner[1]);
        dot += (xr[0] * yr[0] + xr[1] * yr[1]) + xr[2] * yr[2];
    }
    return dot;
}
#endif

DV_SIMD_INLINE void add_block_2(const double *block, const double *x, DvReal4 *sum)
{
    *sum += DV_REAL4(block) * (DvReal4){x[0], x[1], x[0], x[1]};
}

DV_SIMD_CLONES static double multiply_2(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x,
                                        double *y)
{
    const uint32_t *start = a->row_start, *columns = a->columns;
    double dot = 0.0;
    for (uint32_t row = first; row < last; row++) {
        DvReal4 sum[2] = {{0}};
        const uint64_t end = start[row + 1];
        uint64_t e = start[row];
        const double *block = a->values + 4 * e;
        for (; e + 2 <= end; e += 2, block += 8) {
            add_block_2(block, x + 2 * (uint64_t)columns[e], &sum[0]);
            add_block_2(block + 4, x + 2 * (uint64_t)columns[e + 1], &sum[1]);
        }
        if (e < end)
            add_block_2(block, x + 2 * (uint64_t)columns[e], &sum[0]);
        const DvReal4 s = sum[0] + sum[1];
        const double y0 = s[0] + s[1];
        const double y1 = s[2] + s[3];
        double *yr = y + 2 * (uint64_t)row;
        const double *xr = x + 2 * (uint64_t)row;
        yr[0] = y0;
        yr[1] = y1;
        dot += xr[0] * y0 + xr[1] * y1;
    }
    return dot;
}

/* Any block size; unrolled where the caller passes a constant. */
DV_SIMD_INLINE double multiply_any(const DvBlockMatrix *a, uint32_t b, uint32_t first, uint32_t last, const double *x,
                                   double *y)
{
    double dot = 0.0;
    for (uint32_t row = first; row < last; row++) {
        double *yr = y + (uint64_t)b * row;
        const double *xr = x + (uint64_t)b * row;
        double sum[6] = {0};
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
            const double *block = a->values + (uint64_t)b * b * e;
            const double *xe = x + (uint64_t)b * a->columns[e];
#pragma GCC unroll 6
            for (uint32_t r = 0; r < b; r++)
#pragma GCC unroll 6
                for (uint32_t c = 0; c < b; c++)
                    sum[r] += block[r * b + c] * xe[c];
        }
        for (uint32_t r = 0; r < b; r++) {
            yr[r] = sum[r];
            dot += xr[r] * sum[r];
        }
    }
    return dot;
}

DV_SIMD_CLONES static double multiply_rows(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x,
                                           double *y)
{
    switch (a->block) {
    case 1:
        return multiply_any(a, 1, first, last, x, y);
    case 2:
        return multiply_2(a, first, last, x, y);
    case 3:
        return multiply_3(a, first, last, x, y);
    default:
        return multiply_any(a, a->block, first, last, x, y);
    }
}

double dv_block_product_rows(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x, double *y)
{
#if defined(DV_SIMD_X86_64)
    if (a->block == 3 && dv_simd_has_v4())
        return multiply_3_wide(a, first, last, x, y);
#endif
    return multiply_rows(a, first, last, x, y);
}

typedef struct Product {
    const DvBlockMatrix *a;
    const double *x;
    double *y;
} Product;

static double product_chunk(void *context, uint32_t begin, uint32_t end)
{
    const Product *p = context;
    return dv_block_product_rows(p->a, begin, end, p->x, p->y);
}

double dv_block_product(const DvBlockMatrix *a, const double *x, double *y)
{
    Product product = {a, x, y};
    return dv_parallel_sum(a->rows, ROWS_PER_CHUNK, product_chunk, &product);
}
