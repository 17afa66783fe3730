/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * EigenSimplicialLLT: direct solution of positive definite systems. The factor is that of L D L^T (ldl_solver.h), and D shows whether the
 * matrix is positive definite, without which there is no L L^T.
 */
#include "linear/ldl_solver.h"

typedef struct EigenSimplicial {
    LdlSolver base;
} EigenSimplicial;

static const DvField fields[] = {LDL_SOLVER_FIELDS(EigenSimplicial, base), {0}};

static DvStatus factor(void *self_, const DvBlockMatrix *matrix, uint32_t *failed)
{
    EigenSimplicial *self = self_;
    const DvStatus status = dv_ldl_solver_factor(self, matrix, failed);
    if (status != DV_OK || dv_block_ldl_is_positive(self->base.ldl, failed))
        return status;
    return dv_linear_solver_refuse_indefinite(&self->base.direct.base, *failed, "EigenSimplicialLDLT");
}

static const DvDirectSolverOps operations = LDL_SOLVER_OPS(dv_direct_solver_set_system, factor);

const DvClass dv_eigen_simplicial_llt = {
    .size = sizeof(DvClass),
    .name = "EigenSimplicialLLT",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixMat3x3d",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver of positive definite systems: sparse Cholesky factorization of the assembled matrix.",
    .instance_size = sizeof(EigenSimplicial),
    .fields = fields,
    LDL_SOLVER_LIFE,
    DV_DIRECT_SOLVER_CLASS(operations, "EigenDirectSparseSolver", "MatrixLinearSolver", "LinearSolver"),
};
