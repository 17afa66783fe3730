/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ConstantSparsityPatternSystem: a MatrixLinearSystem by another name. Every assembly here goes by entries that were named when the
 * structure was made, as long as it is the same, and a structure that changes is found again: it need not be constant.
 */
#include "system/matrix_linear_system.h"

static const DvLinearSystemOps ops = MATRIX_LINEAR_SYSTEM_OPS(DV_SYSTEM_ON_REQUEST);

const DvClass dv_constant_sparsity_pattern_system = {
    .size = sizeof(DvClass),
    .name = "ConstantSparsityPatternSystem",
    .variants = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSystem",
    .help = "The assembled matrix of all that is below a linear solver, by entries that are named once.",
    MATRIX_LINEAR_SYSTEM_CLASS(ops, "MatrixLinearSystem", "TypedMatrixLinearSystem"),
};
