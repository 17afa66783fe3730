/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EigenSimplicialLDLT: SparseLDLSolver by another name. Blocks of 3 are its default template.
 */
#include "linear/ldl_solver.h"

typedef struct EigenSimplicial {
    LdlSolver base;
} EigenSimplicial;

static const DvField fields[] = {LDL_SOLVER_FIELDS(EigenSimplicial, base), {0}};

static const DvDirectSolverOps operations = LDL_SOLVER_OPS(dv_direct_solver_set_system, dv_ldl_solver_factor);

const DvClass dv_eigen_simplicial_ldlt = {
    .size = sizeof(DvClass),
    .name = "EigenSimplicialLDLT",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixMat3x3d",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver: sparse L D L^T factorization of the assembled matrix.",
    .instance_size = sizeof(EigenSimplicial),
    .fields = fields,
    LDL_SOLVER_LIFE,
    DV_DIRECT_SOLVER_CLASS(operations, "EigenDirectSparseSolver", "MatrixLinearSolver", "LinearSolver"),
};
