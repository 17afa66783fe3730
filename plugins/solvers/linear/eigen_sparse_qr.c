/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EigenSparseQR: direct solution of any system by sparse QR, of CXSparse. An unknown that depends on others is named (library_solver.h).
 */
#include "linear/library_solver.h"

typedef struct EigenSparse {
    LibrarySolver base;
} EigenSparse;

static const DvField fields[] = {LIBRARY_SOLVER_FIELDS(EigenSparse, base), {0}};

static DvStatus init(DvObject *object, void *self)
{
    return dv_library_solver_init(object, self, DV_SPARSE_QR, "divan.cxsparse", "Debian's libsuitesparse-dev");
}

const DvClass dv_eigen_sparse_qr = {
    .size = sizeof(DvClass),
    .name = "EigenSparseQR",
    .help =
        "Direct solver of any system: sparse QR factorization of the assembled matrix (CXSparse). Slow; an unknown that depends on others is named.",
    .instance_size = sizeof(EigenSparse),
    .fields = fields,
    LIBRARY_SOLVER_CLASS(init),
};
