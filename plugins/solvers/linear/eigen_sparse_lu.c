/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EigenSparseLU: direct solution of any system by sparse LU with pivoting, of MUMPS (library_solver.h).
 */
#include "linear/library_solver.h"

typedef struct EigenSparse {
    LibrarySolver base;
} EigenSparse;

static const DvField fields[] = {LIBRARY_SOLVER_FIELDS(EigenSparse, base), {0}};

static DvStatus init(DvObject *object, void *self)
{
    return dv_library_solver_init(object, self, DV_SPARSE_LU, "divan.mumps", "Debian's libmumps-seq-dev");
}

const DvClass dv_eigen_sparse_lu = {
    .size = sizeof(DvClass),
    .name = "EigenSparseLU",
    .help =
        "Direct solver of any system, symmetric or not: sparse LU factorization of the assembled matrix (MUMPS). The same bits on processors of one type.",
    .instance_size = sizeof(EigenSparse),
    .fields = fields,
    LIBRARY_SOLVER_CLASS(init),
};
