/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PrecomputedMatrixSystem: the linear system of a PrecomputedWarpPreconditioner, which asks for the matrix once.
 */
#include "system/typed_matrix_linear_system.h"

const DvClass dv_precomputed_matrix_system = {
    .size = sizeof(DvClass),
    .name = "PrecomputedMatrixSystem",
    .variants = "CompressedRowSparseMatrixd",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "The linear system of a preconditioner that is computed once.",
    TYPED_MATRIX_LINEAR_SYSTEM_CLASS,
};
