/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dense kernels of the block LDL^T factorization.
 *
 * A panel holds some columns of the factor: column-major, entry (i, k) at panel[i + k * ld], where ld is a multiple of 8
 * doubles, and the entries between a panel's height and ld are zero. Kernels may read up to 8 doubles past the last entry
 * of a panel (never use them), so that whatever holds the panels has DV_PANEL_SLACK doubles more.
 *
 * The kernels exist for three levels of x86-64 (baseline, AVX2, AVX-512); each entry of a result is a sum in one fixed
 * order without fused multiply-add, so that all levels give the same bits.
 */
#ifndef DV_SOLVERS_DENSE_PANEL_H
#define DV_SOLVERS_DENSE_PANEL_H

#include <stddef.h>

enum { DV_PANEL_LANES = 8, DV_PANEL_SLACK = 16, DV_PANEL_TILE = 6 };

/* A pivot smaller than NOISE times its scale is rounding: it becomes PERTURBED times the scale, with its sign. */
#define DV_PIVOT_NOISE     1e-14
#define DV_PIVOT_PERTURBED 1e-8

typedef struct DvDenseKernels {
    /* Rows [first, end) of c = a p^T (store) or c -= a p^T (subtract): a is end x depth at a[i + k * lda], p is
     * columns x depth as packed by dv_panel_pack, c starts at row `first`. The columns of c are its first rows:
     * entries c(i, j) with i < j rounded down to a tile are left alone, the caller wants the lower part. store writes
     * whole groups of 8 rows: ldc >= rows rounded up to 8, and 8 more. subtract writes the rows alone. */
    void (*store)(double *c, size_t ldc, const double *a, size_t lda, const double *packed, size_t first, size_t end,
                  size_t columns, size_t depth);
    void (*subtract)(double *c, size_t ldc, const double *a, size_t lda, const double *packed, size_t first, size_t end,
                     size_t columns, size_t depth);
    /* L D L^T of the width x width block on top of a panel, and L of the rows below it, up to `height`, those up to a multiple of 8
     * included where there are any.
     * scale: [width] sizes of the diagonal entries before; a pivot that is noise beside its own becomes a small number.
     * pivots, inverse: [width] D, 1 / D. packed: [dv_panel_factor_size(width)] is kept for extend. Returns the index of the
     * first pivot that is zero or not a number, or width. The strict upper part of the block is not defined afterwards. */
    size_t (*factor)(double *panel, size_t ld, size_t height, size_t width, const double *scale, double *pivots,
                     double *inverse, double *packed);
    /* L of the rows [first, end) below a factored block, multiples of 8. [worker] */
    void (*extend)(double *panel, size_t ld, size_t first, size_t end, size_t width, const double *inverse,
                   const double *packed);
    /* t := L^-1 t on the first width entries, then the rows below, up to height: t_below -= L_below t_top. t: [ld]; of one tile without
     * rows below forward and backward touch no more than its width. */
    void (*forward)(const double *panel, size_t ld, size_t height, size_t width, double *t);
    /* t_top := L^-T (t_top - L_below^T t_below). t: [ld], zero from the panel's height on. */
    void (*backward)(const double *panel, size_t ld, size_t height, size_t width, double *t);
    /* The same for eight right-hand sides side by side: row i of top (the first width rows) and bottom (the `below` others) is
     * 8 numbers. Forward: top := L^-1 top, bottom -= L_below top, with the bits of `forward`. */
    void (*forward_many)(const double *panel, size_t ld, size_t width, size_t below, double *top, double *bottom);
    void (*backward_many)(const double *panel, size_t ld, size_t width, size_t below, double *top,
                          const double *bottom);
    /* c(r, s) += sum over k < count of a(k, r) weights(k) b(k, s): rows of 8 numbers. */
    void (*gram)(size_t count, const double *a, const double *b, const double *weights, double *c);
} DvDenseKernels;

/* The fastest kernels that this machine runs; `level` 0 baseline, 1 AVX2, 2 AVX-512, at most what there is. */
const DvDenseKernels *dv_dense_kernels(void);
const DvDenseKernels *dv_dense_kernels_of_level(int level);

/* [columns x depth], in doubles */
static inline size_t dv_panel_packed_size(size_t columns, size_t depth)
{
    return (columns + DV_PANEL_TILE - 1) / DV_PANEL_TILE * DV_PANEL_TILE * depth;
}

static inline size_t dv_panel_factor_size(size_t width)
{
    const size_t tiles = (width + DV_PANEL_TILE - 1) / DV_PANEL_TILE;
    return (size_t)DV_PANEL_TILE * DV_PANEL_TILE * tiles * (tiles + 1) / 2;
}

/* packed(j, k) = l(j, k) * pivots[k] for `columns` rows j of a panel, in tiles of 6 rows: the factor D L^T of an update. */
void dv_panel_pack(double *packed, const double *l, size_t ld, const double *pivots, size_t columns, size_t depth);

#endif
