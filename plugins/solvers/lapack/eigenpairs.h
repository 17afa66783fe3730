/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues of large systems, by ARPACK.
 */
#ifndef DIVAN_LAPACK_EIGENPAIRS_H
#define DIVAN_LAPACK_EIGENPAIRS_H

#include <divan/contracts/eigenpairs.h>

/* Around each call of a function that may use BLAS (plugin.c): not nested. */
void blas_enter(void);
void blas_leave(void);

extern const DvEigenpairsOps eigenpairs;

#endif
