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
#define VECTORS                 NAME(VECTORS)
#define multiply_tile           NAME(multiply_tile)
#define multiply_columns        NAME(multiply_columns)
#define multiply_tile_columns   NAME(multiply_tile_columns)
#define multiply                NAME(multiply)
#define triangle_columns        NAME(triangle_columns)
#define triangle_rows           NAME(triangle_rows)
#define subtract_columns        NAME(subtract_columns)
#define forward_tile            NAME(forward_tile)
#define backward_tile           NAME(backward_tile)
#define dot_columns             NAME(dot_columns)
#define store_product           NAME(store_product)
#define subtract_product        NAME(subtract_product)
#define factor_tile             NAME(factor_tile)
#define sweep_tile              NAME(sweep_tile)
#define sweep_last_tile         NAME(sweep_last_tile)
#define factor_columns          NAME(factor_columns)
#define factor_panel            NAME(factor_panel)
#define extend_panel            NAME(extend_panel)
#define solve_forward           NAME(solve_forward)
#define solve_backward          NAME(solve_backward)
#define subtract_rows           NAME(subtract_rows)
#define subtract_tile           NAME(subtract_tile)
#define subtract_group          NAME(subtract_group)
#define solve_forward_many      NAME(solve_forward_many)
#define add_rows                NAME(add_rows)
#define add_tile                NAME(add_tile)
#define solve_backward_many     NAME(solve_backward_many)
#define add_gram                NAME(add_gram)

enum { VECTORS = GROUP / LANES }; /* per group of rows */

typedef double Lanes __attribute__((vector_size(8 * LANES)));
typedef double LanesInMemory __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* One tile of vectors x LANES rows and `columns` columns. Constants for vectors, columns and subtract unroll it entirely. */
DV_SIMD_INLINE void multiply_tile(unsigned vectors, unsigned columns, bool subtract, double *c, size_t ldc,
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

/* `columns` columns of a product, from the tallest tiles to the shortest that hold what is left. */
DV_SIMD_INLINE void multiply_columns(unsigned columns, bool subtract, double *c, size_t ldc, const double *a,
                                     size_t lda, const double *packed, size_t rows, size_t depth)
{
    size_t i = 0;
    for (; i + LANES * MAX_VECTORS <= rows; i += LANES * MAX_VECTORS)
        multiply_tile(MAX_VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, rows - i, depth);
    const size_t left = rows - i;
    if (left > 3 * GROUP && MAX_VECTORS > 3 * VECTORS)
        multiply_tile(4 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > 2 * GROUP && MAX_VECTORS > 2 * VECTORS)
        multiply_tile(3 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > GROUP && MAX_VECTORS > VECTORS)
        multiply_tile(2 * VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
    else if (left > 0)
        multiply_tile(VECTORS, columns, subtract, c + i, ldc, a + i, lda, packed, left, depth);
}

/* At most TILE columns. */
DV_SIMD_INLINE void multiply_tile_columns(bool subtract, double *c, size_t ldc, const double *a, size_t lda,
                                          const double *packed, size_t rows, size_t columns, size_t depth)
{
    size_t j = 0;
    for (; j + MAX_COLUMNS <= columns; j += MAX_COLUMNS)
        multiply_columns(MAX_COLUMNS, subtract, c + j * ldc, ldc, a, lda, packed + j, rows, depth);
    for (; MAX_COLUMNS > 3 && j + 3 <= columns; j += 3)
        multiply_columns(3, subtract, c + j * ldc, ldc, a, lda, packed + j, rows, depth);
    for (; j < columns; j++)
        multiply_columns(1, subtract, c + j * ldc, ldc, a, lda, packed + j, rows, depth);
}

/* Rows [first, end) of a product whose columns are its first rows: of each tile of columns the rows from its first
 * on. */
DV_SIMD_INLINE void multiply(bool subtract, double *c, size_t ldc, const double *a, size_t lda, const double *packed,
                             size_t first, size_t end, size_t columns, size_t depth)
{
    for (size_t j = 0; j < columns && j < end; j += TILE, packed += TILE * depth) {
        const size_t start = j > first ? j : first;
        const size_t width = columns - j < TILE ? columns - j : TILE;
        multiply_tile_columns(subtract, c + start - first + j * ldc, ldc, a + start, lda, packed, end - start, width,
                              depth);
    }
}

/* Rows below a factored width x width block, in groups of 8: c := c L^-T D^-1. unit[j * TILE + k] = L(j, k). */
DV_SIMD_INLINE void triangle_columns(unsigned width, double *c, size_t ld, size_t rows, const double *unit,
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

DV_SIMD_INLINE void triangle_rows(size_t width, double *c, size_t ld, size_t rows, const double *unit,
                                  const double *inverse)
{
    switch (width) {
    case 6:
        triangle_columns(6, c, ld, rows, unit, inverse);
        break;
    case 5:
        triangle_columns(5, c, ld, rows, unit, inverse);
        break;
    case 4:
        triangle_columns(4, c, ld, rows, unit, inverse);
        break;
    case 3:
        triangle_columns(3, c, ld, rows, unit, inverse);
        break;
    case 2:
        triangle_columns(2, c, ld, rows, unit, inverse);
        break;
    default:
        triangle_columns(1, c, ld, rows, unit, inverse);
        break;
    }
}

/* A tile of columns: its corner, then `rows` rows from `below` on, 0 or a multiple of 8, which may begin in the corner. What this does to it is
 * undone, what it does above it is in the part that nobody reads. */
DV_SIMD_INLINE size_t factor_tile(unsigned width, double *corner, size_t ld, double *below, size_t rows,
                                  const double *scale, double *pivots, double *inverse)
{
    double unit[TILE * TILE];
    const size_t done = factor_corner(width, corner, ld, scale, pivots, inverse, unit);
    if (done < width)
        return done;
    if (rows > 0)
        triangle_rows(width, below, ld, rows, unit, inverse);
#pragma GCC unroll 6
    for (unsigned r = 0; r < width; r++) {
#pragma GCC unroll 6
        for (unsigned k = 0; k < r; k++)
            corner[r + k * ld] = unit[r * TILE + k];
        corner[r + r * ld] = 1.0;
    }
    return width;
}

/* `block` columns of a panel from j on, from which those before have been subtracted. A function of its own: in the loop over tiles the compiler
 * would prepare all cases before the first, which costs more than a narrow panel takes. */
TARGET static __attribute__((noinline)) size_t factor_columns(double *panel, size_t ld, size_t height, size_t j,
                                                              size_t block, const double *scale, double *pivots,
                                                              double *inverse)
{
    /* From a multiple of 8 on, so that the last group of 8 rows ends where those of the panel do. */
    const size_t first = (j + block) / GROUP * GROUP;
    const size_t rows = j + block < height ? whole_groups(height) - first : 0;
    double *corner = panel + j + j * ld, *below = panel + first + j * ld;
    switch (block) {
    case 6:
        return factor_tile(6, corner, ld, below, rows, scale + j, pivots + j, inverse + j);
    case 3:
        return factor_tile(3, corner, ld, below, rows, scale + j, pivots + j, inverse + j);
    default:
        return factor_tile((unsigned)block, corner, ld, below, rows, scale + j, pivots + j, inverse + j);
    }
}

TARGET static size_t factor_panel(double *panel, size_t ld, size_t height, size_t width, const double *scale,
                                  double *pivots, double *inverse, double *packed)
{
    if (width <= TILE)
        return factor_columns(panel, ld, height, 0, width, scale, pivots, inverse);
    for (size_t j = 0; j < width; packed += TILE * j, j += TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        if (j > 0) {
            const size_t start = j / GROUP * GROUP; /* likewise; what is above the block nobody reads */
            dv_panel_pack(packed, panel + j, ld, pivots, block, j);
            multiply_tile_columns(true, panel + start + j * ld, ld, panel + start, ld, packed,
                                  whole_groups(height) - start, block, j);
        }
        const size_t done = factor_columns(panel, ld, height, j, block, scale, pivots, inverse);
        if (done < block)
            return j + done;
    }
    return width;
}

TARGET static void extend_panel(double *panel, size_t ld, size_t first, size_t end, size_t width, const double *inverse,
                                const double *packed)
{
    for (size_t j = 0; j < width; packed += TILE * j, j += TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        const double *corner = panel + j + j * ld;
        double *rows = panel + first + j * ld;
        if (j > 0)
            multiply_tile_columns(true, rows, ld, panel + first, ld, packed, end - first, block, j);
        double unit[TILE * TILE];
        for (size_t r = 0; r < block; r++)
            for (size_t k = 0; k < r; k++)
                unit[r * TILE + k] = corner[r + k * ld];
        triangle_rows(block, rows, ld, end - first, unit, inverse + j);
    }
}

/* t_below -= L_below t_top for `columns` columns of a panel, `rows` a multiple of 8. */
DV_SIMD_INLINE void subtract_columns(unsigned columns, const double *l, size_t ld, size_t rows, const double *x,
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

/* A tile of columns from j on. Its numbers stay in registers: through memory each would wait for the one before. The rows below
 * begin with the group of 8 that the tile ends in; what this does to the tile and above is undone. */
DV_SIMD_INLINE void forward_tile(unsigned width, const double *panel, size_t ld, size_t height, size_t j, double *t)
{
    const double *corner = panel + j + j * ld;
    double y[TILE], above[GROUP];
#pragma GCC unroll 6
    for (unsigned i = 0; i < width; i++) {
        y[i] = t[j + i];
#pragma GCC unroll 6
        for (unsigned k = 0; k < i; k++)
            y[i] -= corner[i + k * ld] * y[k];
    }
    const size_t start = (j + width) / GROUP * GROUP;
    for (size_t i = start; i < j; i++)
        above[i - start] = t[i];
    if (j + width < height)
        subtract_columns(width, panel + start + j * ld, ld, ld - start, y, t + start);
    for (size_t i = start; i < j; i++)
        t[i] = above[i - start]; /* cppcheck-suppress uninitvar ; what was put there */
#pragma GCC unroll 6
    for (unsigned i = 0; i < width; i++)
        t[j + i] = y[i];
}

/* sums[k] += l_k . t for `columns` columns, in 8 partial sums that are added pairwise. */
DV_SIMD_INLINE void dot_columns(unsigned columns, const double *l, size_t ld, size_t rows, const double *t,
                                double *sums)
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
#pragma GCC unroll 6
    for (unsigned k = 0; k < columns; k++) {
#if LANES == 8
        const DvReal4 four =
            DV_SHUFFLE(partial[k][0], partial[k][0], 0, 1, 2, 3) + DV_SHUFFLE(partial[k][0], partial[k][0], 4, 5, 6, 7);
        const double even = four[0] + four[2], odd = four[1] + four[3];
#elif LANES == 4
        const DvReal4 four = partial[k][0] + partial[k][1];
        const double even = four[0] + four[2], odd = four[1] + four[3];
#else
        const Lanes two = (partial[k][0] + partial[k][2]) + (partial[k][1] + partial[k][3]);
        const double even = two[0], odd = two[1];
#endif
        sums[k] += even + odd;
    }
}

DV_SIMD_INLINE void backward_tile(unsigned width, const double *panel, size_t ld, size_t height, size_t j, double *t)
{
    const double *corner = panel + j + j * ld;
    double sums[TILE] = {0}, y[TILE];
    size_t i = j + width;
    for (; i % GROUP != 0 && i < height; i++)
#pragma GCC unroll 6
        for (unsigned k = 0; k < width; k++)
            sums[k] += panel[i + (j + k) * ld] * t[i];
    if (i < height)
        dot_columns(width, panel + i + j * ld, ld, ld - i, t + i, sums);
#pragma GCC unroll 6
    for (unsigned n = 0; n < width; n++) {
        const unsigned r = width - 1 - n;
        y[r] = t[j + r] - sums[r];
#pragma GCC unroll 6
        for (unsigned k = r + 1; k < width; k++)
            y[r] -= corner[k + r * ld] * y[k];
    }
#pragma GCC unroll 6
    for (unsigned r = 0; r < width; r++)
        t[j + r] = y[r];
}

DV_SIMD_INLINE void sweep_tile(bool forward, unsigned width, const double *panel, size_t ld, size_t height, size_t j,
                               double *t)
{
    if (forward)
        forward_tile(width, panel, ld, height, j, t);
    else
        backward_tile(width, panel, ld, height, j, t);
}

/* The last tile of a panel, where it is narrower: of 0 to 5 columns. */
DV_SIMD_INLINE void sweep_last_tile(bool forward, size_t width, const double *panel, size_t ld, size_t height, size_t j,
                                    double *t)
{
    switch (width) {
    case 1:
        sweep_tile(forward, 1, panel, ld, height, j, t);
        break;
    case 2:
        sweep_tile(forward, 2, panel, ld, height, j, t);
        break;
    case 3:
        sweep_tile(forward, 3, panel, ld, height, j, t);
        break;
    case 4:
        sweep_tile(forward, 4, panel, ld, height, j, t);
        break;
    case 5:
        sweep_tile(forward, 5, panel, ld, height, j, t);
        break;
    default:
        break;
    }
}

TARGET static void solve_forward(const double *panel, size_t ld, size_t height, size_t width, double *t)
{
    size_t j = 0;
    for (; j + TILE <= width; j += TILE)
        forward_tile(TILE, panel, ld, height, j, t);
    sweep_last_tile(true, width - j, panel, ld, height, j, t);
}

TARGET static void solve_backward(const double *panel, size_t ld, size_t height, size_t width, double *t)
{
    size_t j = width / TILE * TILE;
    sweep_last_tile(false, width - j, panel, ld, height, j, t);
    while (j > 0) {
        j -= TILE;
        backward_tile(TILE, panel, ld, height, j, t);
    }
}

/* t -= L x for one row of L and eight right-hand sides side by side: t and each of x are GROUP doubles. */
DV_SIMD_INLINE void subtract_rows(unsigned columns, const double *l, size_t ld, size_t rows, const double *x, double *t)
{
    Lanes column[TILE][VECTORS];
#pragma GCC unroll 6
    for (unsigned k = 0; k < columns; k++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++)
            column[k][s] = *(const LanesInMemory *)(x + GROUP * k + LANES * s);
    for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++) {
            LanesInMemory *target = (LanesInMemory *)(t + GROUP * i + LANES * s);
            Lanes sum = *target;
#pragma GCC unroll 6
            for (unsigned k = 0; k < columns; k++)
                sum -= column[k][s] * l[i + k * ld];
            *target = sum;
        }
    }
}

DV_SIMD_INLINE void subtract_tile(size_t columns, const double *l, size_t ld, size_t rows, const double *x, double *t)
{
    switch (columns) {
    case 6:
        subtract_rows(6, l, ld, rows, x, t);
        break;
    case 3:
        subtract_rows(3, l, ld, rows, x, t);
        break;
    default:
        for (size_t k = 0; k < columns; k++)
            subtract_rows(1, l + k * ld, ld, rows, x + GROUP * k, t);
    }
}

/* t -= factor x, GROUP doubles. */
DV_SIMD_INLINE void subtract_group(double *t, double factor, const double *x)
{
#pragma GCC unroll 4
    for (unsigned s = 0; s < VECTORS; s++)
        *(LanesInMemory *)(t + LANES * s) -= *(const LanesInMemory *)(x + LANES * s) * factor;
}

TARGET static void solve_forward_many(const double *panel, size_t ld, size_t width, size_t below, double *top,
                                      double *bottom)
{
    for (size_t j = 0; j < width; j += TILE) {
        const size_t block = width - j < TILE ? width - j : TILE;
        const double *corner = panel + j + j * ld;
        double *x = top + GROUP * j;
        for (size_t r = 1; r < block; r++)
            for (size_t k = 0; k < r; k++)
                subtract_group(x + GROUP * r, corner[r + k * ld], x + GROUP * k);
        subtract_tile(block, corner + block, ld, width - j - block, x, x + GROUP * block);
        subtract_tile(block, panel + width + j * ld, ld, below, x, bottom);
    }
}

/* sums[k] += L_k^T t, rows of L one after the other. */
DV_SIMD_INLINE void add_rows(unsigned columns, const double *l, size_t ld, size_t rows, const double *t, double *sums)
{
    Lanes sum[TILE][VECTORS];
#pragma GCC unroll 6
    for (unsigned k = 0; k < columns; k++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++)
            sum[k][s] = *(const LanesInMemory *)(sums + GROUP * k + LANES * s);
    for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++) {
            const Lanes x = *(const LanesInMemory *)(t + GROUP * i + LANES * s);
#pragma GCC unroll 6
            for (unsigned k = 0; k < columns; k++)
                sum[k][s] += x * l[i + k * ld];
        }
    }
#pragma GCC unroll 6
    for (unsigned k = 0; k < columns; k++)
#pragma GCC unroll 4
        for (unsigned s = 0; s < VECTORS; s++)
            *(LanesInMemory *)(sums + GROUP * k + LANES * s) = sum[k][s];
}

DV_SIMD_INLINE void add_tile(size_t columns, const double *l, size_t ld, size_t rows, const double *t, double *sums)
{
    switch (columns) {
    case 6:
        add_rows(6, l, ld, rows, t, sums);
        break;
    case 3:
        add_rows(3, l, ld, rows, t, sums);
        break;
    default:
        for (size_t k = 0; k < columns; k++)
            add_rows(1, l + k * ld, ld, rows, t, sums + GROUP * k);
    }
}

TARGET static void solve_backward_many(const double *panel, size_t ld, size_t width, size_t below, double *top,
                                       const double *bottom)
{
    for (size_t tile = (width + TILE - 1) / TILE; tile-- > 0;) {
        const size_t j = tile * TILE;
        const size_t block = width - j < TILE ? width - j : TILE;
        const double *corner = panel + j + j * ld;
        double *x = top + GROUP * j;
        double sums[TILE * GROUP] = {0};
        add_tile(block, corner + block, ld, width - j - block, x + GROUP * block, sums);
        add_tile(block, panel + width + j * ld, ld, below, bottom, sums);
        for (size_t r = block; r-- > 0;) {
            subtract_group(x + GROUP * r, 1.0, sums + GROUP * r);
            for (size_t k = r + 1; k < block; k++)
                subtract_group(x + GROUP * r, corner[k + r * ld], x + GROUP * k);
        }
    }
}

TARGET static void add_gram(size_t count, const double *a, const double *b, const double *weights, double *c)
{
    for (size_t first = 0; first < GROUP; first += LANES) {
        Lanes sum[LANES][VECTORS];
#pragma GCC unroll 8
        for (unsigned r = 0; r < LANES; r++)
#pragma GCC unroll 4
            for (unsigned s = 0; s < VECTORS; s++)
                sum[r][s] = *(const LanesInMemory *)(c + GROUP * (first + r) + LANES * s);
        for (size_t k = 0; k < count; k++) {
#pragma GCC unroll 4
            for (unsigned s = 0; s < VECTORS; s++) {
                const Lanes scaled = *(const LanesInMemory *)(b + GROUP * k + LANES * s) * weights[k];
#pragma GCC unroll 8
                for (unsigned r = 0; r < LANES; r++)
                    sum[r][s] += scaled * a[GROUP * k + first + r];
            }
        }
#pragma GCC unroll 8
        for (unsigned r = 0; r < LANES; r++)
#pragma GCC unroll 4
            for (unsigned s = 0; s < VECTORS; s++)
                *(LanesInMemory *)(c + GROUP * (first + r) + LANES * s) = sum[r][s];
    }
}

TARGET static void store_product(double *c, size_t ldc, const double *a, size_t lda, const double *packed, size_t first,
                                 size_t end, size_t columns, size_t depth)
{
    multiply(false, c, ldc, a, lda, packed, first, end, columns, depth);
}

TARGET static void subtract_product(double *c, size_t ldc, const double *a, size_t lda, const double *packed,
                                    size_t first, size_t end, size_t columns, size_t depth)
{
    multiply(true, c, ldc, a, lda, packed, first, end, columns, depth);
}

static const DvDenseKernels NAME(kernels) = {
    .store = store_product,
    .subtract = subtract_product,
    .factor = factor_panel,
    .extend = extend_panel,
    .forward = solve_forward,
    .backward = solve_backward,
    .forward_many = solve_forward_many,
    .backward_many = solve_backward_many,
    .gram = add_gram,
};

#undef add_gram
#undef solve_backward_many
#undef add_tile
#undef add_rows
#undef solve_forward_many
#undef subtract_group
#undef subtract_tile
#undef subtract_rows
#undef solve_backward
#undef solve_forward
#undef extend_panel
#undef factor_panel
#undef factor_columns
#undef factor_tile
#undef sweep_tile
#undef sweep_last_tile
#undef subtract_product
#undef store_product
#undef dot_columns
#undef subtract_columns
#undef triangle_rows
#undef triangle_columns
#undef multiply
#undef multiply_tile_columns
#undef multiply_columns
#undef multiply_tile
#undef VECTORS
#undef LanesInMemory
#undef Lanes
#undef NAME
#undef JOIN
#undef JOIN_NAMES
