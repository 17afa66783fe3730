/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Block matrix times vector.
 */
#ifndef DIVAN_KIT_BLOCK_PRODUCT_H
#define DIVAN_KIT_BLOCK_PRODUCT_H

#include <divan/contracts/block_matrix.h>

DV_BEGIN_DECLS

/* y = A x for all rows, and returns x . y, which conjugate gradients need with it. Large matrices are cut into chunks that run
 * in parallel. x, y: [rows x b]; x must be readable one double past its end.     [step] */
DV_PUBLIC double dv_block_product(const DvBlockMatrix *a, const double *x, double *y);

/* The same for the block rows first..last-1, on one thread.     [worker] */
DV_PUBLIC double dv_block_product_rows(const DvBlockMatrix *a, uint32_t first, uint32_t last, const double *x,
                                       double *y);

DV_END_DECLS
#endif
