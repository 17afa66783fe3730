/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues and eigenvectors of a dense symmetric matrix.
 */
#ifndef DV_SOLVERS_SYMMETRIC_EIGEN_H
#define DV_SOLVERS_SYMMETRIC_EIGEN_H

#include <divan/base.h>

/* Of a [n x n], which becomes the unit eigenvectors, one in each row; values [n] in no order; `work`: [n]. False: it does not
 * converge.     [any] */
DV_NODISCARD bool symmetric_eigen(uint32_t n, double *a, double *values, double *work);

#endif
