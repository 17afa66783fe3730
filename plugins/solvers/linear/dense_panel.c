/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dense kernels of the block LDL^T factorization: products of panels in register tiles of up to 32 rows x 6 columns, the
 * factorization of a panel, and its triangular solves.
 *
 * dense_panel_body.h has the code, written once for vectors of LANES doubles and compiled here for three instruction sets;
 * a wide set takes taller tiles, because it has more registers. The order of the sums does not depend on it.
 */
#include "dense_panel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <divan/math/simd.h>

enum { GROUP = DV_PANEL_LANES, TILE = DV_PANEL_TILE };

static inline size_t whole_groups(size_t rows)
{
    return (rows + GROUP - 1) / GROUP * GROUP;
}

/* One tile of as many columns, a number that the compiler knows. */
DV_SIMD_INLINE void pack_tile(double *packed, const double *l, size_t ld, const double *pivots, size_t columns,
                              size_t depth)
{
    for (size_t k = 0; k < depth; k++, packed += TILE, l += ld) {
        double scaled[TILE];
        DV_EACH (c, TILE)
            scaled[c] = (size_t)c < columns ? l[c] * pivots[k] : 0.0;
        DV_EACH (c, TILE)
            packed[c] = scaled[c];
    }
}

void dv_panel_pack(double *packed, const double *l, size_t ld, const double *pivots, size_t columns, size_t depth)
{
    for (; columns >= TILE; columns -= TILE, packed += TILE * depth, l += TILE)
        pack_tile(packed, l, ld, pivots, TILE, depth);
    switch (columns) {
    case 0:
        break;
    case 3:
        pack_tile(packed, l, ld, pivots, 3, depth);
        break;
    default:
        pack_tile(packed, l, ld, pivots, columns, depth);
    }
}

/* L D L^T of a width x width block, width <= TILE: L goes to `unit`, the block is only read. */
DV_SIMD_INLINE size_t factor_corner(unsigned width, const double *c, size_t ld, const double *scale, double *pivots,
                                    double *inverse, double *unit)
{
    double l[TILE][TILE], reciprocal[TILE]; /* in registers, where width is a constant */
#pragma GCC unroll 6
    for (unsigned j = 0; j < width; j++) {
        double scaled[TILE]; /* L(j, k) D(k) */
        double pivot = c[j + j * ld];
#pragma GCC unroll 6
        for (unsigned k = 0; k < j; k++) {
            scaled[k] = c[j + k * ld];
#pragma GCC unroll 6
            for (unsigned m = 0; m < k; m++)
                scaled[k] -= scaled[m] * l[k][m];
            l[j][k] = scaled[k] * reciprocal[k];
            unit[j * TILE + k] = l[j][k];
            pivot -= scaled[k] * l[j][k];
        }
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot))
            return j;
        if (fabs(pivot) < DV_PIVOT_NOISE * scale[j])
            pivot = copysign(DV_PIVOT_PERTURBED * scale[j], pivot);
        pivots[j] = pivot;
        inverse[j] = reciprocal[j] = 1.0 / pivot;
    }
    return width;
}

#define LEVEL       baseline
#define LANES       2
#define MAX_VECTORS 4
#define MAX_COLUMNS 3
#define TARGET
#include "dense_panel_body.h"
#undef TARGET
#undef MAX_COLUMNS
#undef MAX_VECTORS
#undef LANES
#undef LEVEL

#if defined(DV_SIMD_X86_64)
#define LEVEL       avx2
#define LANES       4
#define MAX_VECTORS 2
#define MAX_COLUMNS 6
#define TARGET      DV_SIMD_TARGET_V3
#include "dense_panel_body.h"
#undef TARGET
#undef MAX_COLUMNS
#undef MAX_VECTORS
#undef LANES
#undef LEVEL

#define LEVEL       avx512
#define LANES       8
#define MAX_VECTORS 4
#define MAX_COLUMNS 6
#define TARGET      DV_SIMD_TARGET_V4
#include "dense_panel_body.h"
#undef TARGET
#undef MAX_COLUMNS
#undef MAX_VECTORS
#undef LANES
#undef LEVEL
#endif

const DvDenseKernels *dv_dense_kernels_of_level(int level)
{
#if defined(DV_SIMD_X86_64)
    if (level >= 2 && dv_simd_has_v4())
        return &kernels_avx512;
    if (level >= 1 && dv_simd_has_v3())
        return &kernels_avx2;
#else
    (void)level;
#endif
    return &kernels_baseline;
}

const DvDenseKernels *dv_dense_kernels(void)
{
    return dv_dense_kernels_of_level(2);
}
