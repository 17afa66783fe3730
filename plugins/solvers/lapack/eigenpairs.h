/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues of large systems, by ARPACK.
 */
#ifndef DIVAN_LAPACK_EIGENPAIRS_H
#define DIVAN_LAPACK_EIGENPAIRS_H

#include <divan/contracts/eigenpairs.h>

extern const DvEigenpairsOps eigenpairs;

#endif
