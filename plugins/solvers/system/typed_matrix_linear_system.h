/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A linear system that assembles the whole matrix, for classes that are one by another name.
 */
#ifndef DV_SOLVERS_TYPED_MATRIX_LINEAR_SYSTEM_H
#define DV_SOLVERS_TYPED_MATRIX_LINEAR_SYSTEM_H

#include "system/linear_system.h"

typedef struct TypedMatrixLinearSystem {
    DvData matrix_size;
    const DvMechanicalOperationsOps *mechanics;
    const DvBlockMatrix *whole; /* of the last assembly */
} TypedMatrixLinearSystem;

extern const DvField dv_typed_matrix_linear_system_fields[];
extern const DvLinearSystemOps dv_typed_matrix_linear_system_ops;
DvStatus dv_typed_matrix_linear_system_construct(DvObject *object, void *self); /* DvClass.construct     [main] */

#define TYPED_MATRIX_LINEAR_SYSTEM_CLASS                                                                         \
    .family = "linear systems", .instance_size = sizeof(TypedMatrixLinearSystem),                                \
    .fields = dv_typed_matrix_linear_system_fields,                                                              \
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &dv_typed_matrix_linear_system_ops}, {0}}, \
    .construct = dv_typed_matrix_linear_system_construct

#endif
