/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dense kernels for vectors of LANES doubles, tiles of up to MAX_VECTORS vectors x MAX_COLUMNS columns and functions
 * with the attributes TARGET: dense_panel.c includes this file once per instruction set, LEVEL being the suffix of all names.
 * Each entry of a product is the sum over k in ascending order; rows are taken in groups of 8 whatever LANES is.
 */
#define JOIN_NAMES(name, level) name##_##level
#define JOIN(name, level)       JOIN_NAMES(name, level)
#define NAME(name)              JOIN(name, LEVEL)
#define Lanes                   NAME(Lanes)
#define LanesInMemory           NAME(LanesInMemory)

enum { NAME(VECTORS) = GROUP / LANES }; /* per group of rows */
#define VECTORS NAME(VECTORS)

typedef double Lanes __attribute__((vector_size(8 * LANES)));
typedef double LanesInMemory __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* One tile of vectors x LANES rows and `columns` columns. Constants for vectors, columns and subtract unroll it entirely. */
INLINE void NAME(multiply_tile)(unsigned vectors, unsigned columns, bool subtract, double *c, size_t ldc,
                                const double *a, size_t lda, const double *packed, size_t rows, size_t depth)
{
    Lanes sum[MAX_COLUMNS][MAX_VECTORS];
#pragma GCC unroll 6
    for (unsigned j = 0; j < columns; j++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < vectors; s++)
            sum[j][s] = (Lanes){0};
    for (size_t k = 0; k < depth; k++, a += lda, packed += TILE) {
        Lanes column[MAX_VECTORS];
#pragma GCC unroll 4
        for (unsigned s = 0; s < vectors; s++)
            column[s] = *(const LanesInMemory *)(a + LANES * s);
#pragma GCC unroll 6
        for (unsigned j = 0; j < columns; j++)
#pragma GCC unroll 4
            for (unsigned s = 0; s < vectors; s++)
                sum[j][s] += column[s] * packed[j];
    }
#pragma GCC unroll 6
    for (unsigned j = 0; j < columns; j++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < vectors; s++) {
            LanesInMemory *target = (LanesInMemory *)(c + j * ldc + LANES * s);
            if (!subtract) {
                *target = sum[j][s];
            } else if (LANES * (s + 1) <= rows) {
                *target -= sum[j][s];
            } else {
                double *entries = c + j * ldc;
                for (size_t i = LANES * s; i < rows; i++)
                    entries[i] -= sum[j][s][i - LANES * s];
            }
        }
}

INLINE void NAME(multiply_columns)(unsigned columns, bool subtract, double *c, size_t ldc, const double *a, size_t lda,
                                   const double *packed, size_t rows, size_t depth)
{
    size_t i = 0;
    for (; i + LANES * MAX_VECTORS <= rows; i += LANES * MAX_VECTORS)
        NAME(multiply_tile)(MAX_VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, rows - i, depth);
    const size_t left = rows - i;
    if (left > 3 * GROUP && MAX_VECTORS > 3 * VECTORS)
        NAME(multiply_tile)(4 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > 2 * GROUP && MAX_VECTORS > 2 * VECTORS)
        NAME(multiply_tile)(3 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > GROUP && MAX_VECTORS > VECTORS)
        NAME(multiply_tile)(2 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > 0)
        NAME(multiply_tile)(VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
}

INLINE void NAME(multiply)(bool subtract, double *c, size_t ldc, const double *a, size_t lda, const double *packed,
                           size_t rows, size_t columns, size_t depth)
{
    for (size_t j = 0; j < columns; j += TILE, packed += TILE * depth) {
        double *target = c + j + j * ldc;
        const size_t left = columns - j < TILE ? columns - j : TILE;
        size_t column = 0;
        for (; column + MAX_COLUMNS <= left; column += MAX_COLUMNS)
            NAME(multiply_columns)
        (MAX_COLUMNS, subtract, target + column * ldc, ldc, a + j, lda, packed + column, rows - j, depth);
        for (; MAX_COLUMNS > 3 && column + 3 <= left; column += 3)
            NAME(multiply_columns)
        (3, subtract, target + column * ldc, ldc, a + j, lda, packed + column, rows - j, depth);
        for (; column < left; column++)
            NAME(multiply_columns)
        (1, subtract, target + column * ldc, ldc, a + j, lda, packed + column, rows - j, depth);
    }
}

/* Rows below a factored width x width block, 8 at a time: c := c L^-T D^-1. unit[j * TILE + k] = L(j, k). */
INLINE void NAME(triangle_rows)(unsigned width, double *c, size_t ld, size_t rows, const double *unit,
                                const double *inverse)
{
    for (size_t i = 0; i < rows; i += LANES) {
        Lanes y[TILE];
#pragma GCC unroll 6
        for (unsigned j = 0; j < width; j++) {
            y[j] = *(const LanesInMemory *)(c + i + j * ld);
#pragma GCC unroll 6
            for (unsigned k = 0; k < j; k++)
                y[j] -= y[k] * unit[j * TILE + k];
        }
#pragma GCC unroll 6
        for (unsigned j = 0; j < width; j++)
            *(LanesInMemory *)(c + i + j * ld) = y[j] * inverse[j];
    }
}

TARGET static size_t NAME(factor)(double *panel, size_t ld, size_t width, double *pivots, double *scratch)
{
    for (size_t j = 0; j < width; j += TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        double *corner = panel + j + j * ld;
        if (j > 0) {
            const size_t start = j / GROUP * GROUP; /* see `first` below */
            dv_panel_pack(scratch, panel + j, ld, pivots, block, j);
            NAME(multiply)(true, panel + start + j * ld, ld, panel + start, ld, scratch, ld - start, block, j);
        }
        double unit[TILE * TILE];
        double inverse[TILE];
        const size_t done = factor_block(corner, ld, block, pivots + j, unit, inverse);
        if (done < block)
            return j + done;
        /* From a multiple of 8 on, so that the last group of 8 rows ends at ld. What this does to the block itself is
         * undone below, what it does above the block is in the part that nobody reads. */
        const size_t first = (j + block) / GROUP * GROUP;
        double *rows = panel + first + j * ld;
        switch (block) {
        case 6:
            NAME(triangle_rows)(6, rows, ld, ld - first, unit, inverse);
            break;
        case 5:
            NAME(triangle_rows)(5, rows, ld, ld - first, unit, inverse);
            break;
        case 4:
            NAME(triangle_rows)(4, rows, ld, ld - first, unit, inverse);
            break;
        case 3:
            NAME(triangle_rows)(3, rows, ld, ld - first, unit, inverse);
            break;
        case 2:
            NAME(triangle_rows)(2, rows, ld, ld - first, unit, inverse);
            break;
        default:
            NAME(triangle_rows)(1, rows, ld, ld - first, unit, inverse);
            break;
        }
        for (size_t r = 0; r < block; r++) {
            for (size_t k = 0; k < r; k++)
                corner[r + k * ld] = unit[r * TILE + k];
            corner[r + r * ld] = 1.0;
        }
    }
    return width;
}

/* t_below -= L_below t_top for `columns` columns of a panel; `rows` is rounded up to whole groups of 8 within ld. */
INLINE void NAME(subtract_columns)(unsigned columns, const double *l, size_t ld, size_t rows, const double *x,
                                   double *t)
{
    for (size_t i = 0; i < rows; i += LANES) {
        Lanes sum = *(LanesInMemory *)(t + i);
#pragma GCC unroll 6
        for (unsigned k = 0; k < columns; k++)
            sum -= *(const LanesInMemory *)(l + i + k * ld) * x[k];
        *(LanesInMemory *)(t + i) = sum;
    }
}

TARGET static void NAME(forward)(const double *panel, size_t ld, size_t width, double *t)
{
    for (size_t j = 0; j < width; j += TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        const double *corner = panel + j + j * ld;
        for (size_t r = 1; r < block; r++)
            for (size_t k = 0; k < r; k++)
                t[j + r] -= corner[r + k * ld] * t[j + k];
        /* Rows up to the next multiple of 8 one by one, then whole groups to ld. */
        size_t i = block;
        for (; (j + i) % GROUP != 0; i++)
            for (size_t k = 0; k < block; k++)
                t[j + i] -= corner[i + k * ld] * t[j + k];
        const size_t rows = ld - j - i;
        switch (block) {
        case 6:
            NAME(subtract_columns)(6, corner + i, ld, rows, t + j, t + j + i);
            break;
        case 3:
            NAME(subtract_columns)(3, corner + i, ld, rows, t + j, t + j + i);
            break;
        default:
            for (size_t k = 0; k < block; k++)
                NAME(subtract_columns)(1, corner + i + k * ld, ld, rows, t + j + k, t + j + i);
        }
    }
}

/* sums[k] += l_k . t for `columns` columns, in 8 partial sums that are added pairwise. */
INLINE void NAME(dot_columns)(unsigned columns, const double *l, size_t ld, size_t rows, const double *t, double *sums)
{
    Lanes partial[TILE][VECTORS];
#pragma GCC unroll 6
    for (unsigned k = 0; k < columns; k++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++)
            partial[k][s] = (Lanes){0};
    for (size_t i = 0; i < rows; i += GROUP) {
        Lanes x[VECTORS];
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++)
            x[s] = *(const LanesInMemory *)(t + i + LANES * s);
#pragma GCC unroll 6
        for (unsigned k = 0; k < columns; k++)
#pragma GCC unroll 4
            for (unsigned s = 0; s < VECTORS; s++)
                partial[k][s] += *(const LanesInMemory *)(l + i + LANES * s + k * ld) * x[s];
    }
    for (unsigned k = 0; k < columns; k++) {
        double p[GROUP];
        for (unsigned i = 0; i < GROUP; i++)
            p[i] = partial[k][i / LANES][i % LANES];
        sums[k] += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
    }
}

TARGET static void NAME(backward)(const double *panel, size_t ld, size_t width, double *t)
{
    size_t j = (width - 1) / TILE * TILE;
    for (;; j -= TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        const double *corner = panel + j + j * ld;
        double sums[TILE] = {0};
        size_t i = block;
        for (; (j + i) % GROUP != 0; i++)
            for (size_t k = 0; k < block; k++)
                sums[k] += corner[i + k * ld] * t[j + i];
        const size_t rows = ld - j - i;
        switch (block) {
        case 6:
            NAME(dot_columns)(6, corner + i, ld, rows, t + j + i, sums);
            break;
        case 3:
            NAME(dot_columns)(3, corner + i, ld, rows, t + j + i, sums);
            break;
        default:
            for (size_t k = 0; k < block; k++)
                NAME(dot_columns)(1, corner + i + k * ld, ld, rows, t + j + i, sums + k);
        }
        for (size_t r = block; r-- > 0;) {
            t[j + r] -= sums[r];
            for (size_t k = r + 1; k < block; k++)
                t[j + r] -= corner[k + r * ld] * t[j + k];
        }
        if (j == 0)
            break;
    }
}

TARGET static void NAME(store_product)(double *c, size_t ldc, const double *a, size_t lda, const double *packed,
                                       size_t rows, size_t columns, size_t depth)
{
    NAME(multiply)(false, c, ldc, a, lda, packed, rows, columns, depth);
}

TARGET static void NAME(subtract_product)(double *c, size_t ldc, const double *a, size_t lda, const double *packed,
                                          size_t rows, size_t columns, size_t depth)
{
    NAME(multiply)(true, c, ldc, a, lda, packed, rows, columns, depth);
}

static const DvDenseKernels NAME(kernels) = {
    .store = NAME(store_product),
    .subtract = NAME(subtract_product),
    .factor = NAME(factor),
    .forward = NAME(forward),
    .backward = NAME(backward),
};

#undef VECTORS
#undef LanesInMemory
#undef Lanes
#undef NAME
#undef JOIN
#undef JOIN_NAMES
