/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Classes that need a library of a plugin of its own, which a build may lack: tests leave them out there.
 */
#ifndef DIVAN_TESTS_MISSING_LIBRARY_H
#define DIVAN_TESTS_MISSING_LIBRARY_H

#include <divan/contracts/dense.h>
#include <divan/contracts/sparse_direct.h>

#include <string.h>

/* After dv_start: whether objects of this class cannot be, since no plugin offers what they need. */
static inline bool library_is_missing(const char *class_name)
{
    if (strcmp(class_name, "EigenSparseLU") == 0)
        return dv_sparse_direct_of(DV_SPARSE_LU) == NULL;
    if (strcmp(class_name, "EigenSparseQR") == 0)
        return dv_sparse_direct_of(DV_SPARSE_QR) == NULL;
    if (strcmp(class_name, "SVDLinearSolver") == 0 || strcmp(class_name, "CholeskySolver") == 0 ||
        strcmp(class_name, "CondensationSolver") == 0)
        return dv_service(DV_DENSE) == NULL;
    return false;
}

#endif
