/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MatrixProjectionMethod, ConstantSparsityProjectionMethod: how the matrix of components on mapped states comes to the unknowns,
 * J_a^T A J_b for each pair of states. The mechanical operations do so for all pairs by themselves, and make nothing anew that has the
 * same number as before (docs/contracts.md, Force field): there is nothing to choose.
 */
#include <divan/contracts/state.h>
#include <divan/divan.h>

typedef struct ProjectionMethod {
    char nothing; /* all fields are the kernel's */
} ProjectionMethod;

#define PROJECTION_FIELDS                                                                              \
    DV_FIELD_HELD("areJacobiansConstant", dv_type_bool, .init = "0",                                   \
                  .help = "whether mappings are linear; found from the mappings, whatever this says"), \
        DV_LINK_HELD("mechanicalStates", DV_STATE, .help = "a pair of states; all pairs are served")

static const DvField fields[] = {PROJECTION_FIELDS, {0}};
static const DvField constant_fields[] = {
    PROJECTION_FIELDS,
    DV_FIELD_HELD("parallelProduct", dv_type_bool, .init = "1",
                  .help = "whether products may use several threads; results do not depend on it"),
    {0},
};

const DvClass dv_matrix_projection_method = {
    .size = sizeof(DvClass),
    .name = "MatrixProjectionMethod",
    .variants = "CompressedRowSparseMatrixd",
    .bases = (const char *const[]){"BaseMatrixProjectionMethod", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSystem",
    .help = "Matrices of mapped states as seen by the unknowns; this is done without it too.",
    .instance_size = sizeof(ProjectionMethod),
    .fields = fields,
};

const DvClass dv_constant_sparsity_projection_method = {
    .size = sizeof(DvClass),
    .name = "ConstantSparsityProjectionMethod",
    .variants = "CompressedRowSparseMatrixd",
    .bases = (const char *const[]){"MatrixProjectionMethod", "BaseMatrixProjectionMethod", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSystem",
    .help = "Matrices of mapped states as seen by the unknowns; this is done without it too.",
    .instance_size = sizeof(ProjectionMethod),
    .fields = constant_fields,
};
