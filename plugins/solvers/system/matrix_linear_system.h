/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a MatrixLinearSystem is, for classes that are one by another name.
 */
#ifndef DV_SOLVERS_MATRIX_LINEAR_SYSTEM_H
#define DV_SOLVERS_MATRIX_LINEAR_SYSTEM_H

#include "system/linear_system.h"

typedef struct MatrixLinearSystem {
    DvData matrix_size;
    DvData stiffness, mass, damping, geometric_stiffness, constraints, mapped;
    const DvMechanicalOperationsOps *mechanics;
    const DvBlockMatrix *whole; /* of the last assembly, when no part was left out */
    MatrixWatcher *watchers;
    DvData kept;         /* numbers of a matrix that a preconditioner stays with */
    bool keeps, gives;   /* those of the next matrix are kept; it has those that are */
    DvBlockMatrix given; /* the last one, where `gave` */
    bool gave;
} MatrixLinearSystem;

extern const DvField dv_matrix_linear_system_fields[];

/* DvClass.construct.     [main] */
DvStatus dv_matrix_linear_system_construct(DvObject *object, void *self);
/* DvLinearSystemOps.     [step] */
bool dv_matrix_linear_system_is_matrix_free(void *self);
const DvBlockMatrix *dv_matrix_linear_system_assemble(void *self, DvMechanics *m, const DvStep *step,
                                                      DvFactors factors);
const DvBlockMatrix *dv_matrix_linear_system_whole(void *self);
bool dv_matrix_linear_system_may_be_skipped(void *self);
void dv_matrix_linear_system_skip(void *self, size_t unknowns);

#define MATRIX_LINEAR_SYSTEM_OPS(by_default_)                                                             \
    {                                                                                                     \
        .size = sizeof(DvLinearSystemOps), .is_matrix_free = dv_matrix_linear_system_is_matrix_free,      \
        .assemble = dv_matrix_linear_system_assemble, .by_default = (by_default_),                        \
        .whole = dv_matrix_linear_system_whole, .may_be_skipped = dv_matrix_linear_system_may_be_skipped, \
        .skip = dv_matrix_linear_system_skip,                                                             \
    }
#define MATRIX_LINEAR_SYSTEM_CLASS(operations, ...)                                         \
    .bases = (const char *const[]){__VA_ARGS__, NULL}, .family = "linear systems",          \
    .instance_size = sizeof(MatrixLinearSystem), .fields = dv_matrix_linear_system_fields,  \
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &(operations)}, {0}}, \
    .construct = dv_matrix_linear_system_construct

#endif
