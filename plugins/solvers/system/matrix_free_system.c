/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MatrixFreeSystem: the linear system of solvers that only multiply. Nothing is assembled: the solver keeps the factors of
 * mass, damping and stiffness and asks the mechanical operations for products.
 */
#include "without_matrix.h"

#include "system/linear_system.h"

typedef struct MatrixFreeSystem {
    DvData matrix_size;
} MatrixFreeSystem;

static const DvField fields[] = {
    DV_FIELD(MatrixFreeSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0", .flags = DV_FIELD_READ_ONLY,
             .help = "always zero: there is no matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    {0},
};

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = without_matrix,
    .assemble = assemble_nothing,
    .by_default = DV_SYSTEM_MATRIX_FREE,
};

const DvClass dv_matrix_free_system = {
    .size = sizeof(DvClass),
    .name = "MatrixFreeSystem",
    .variants = "GraphScattered",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "The linear system of solvers that multiply without a matrix.",
    .instance_size = sizeof(MatrixFreeSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
};
