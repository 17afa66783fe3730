/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseLDLSolver: direct solution of symmetric systems by L D L^T (ldl_solver.h). Both templates work on the same block matrix.
 */
#include "linear/ldl_solver.h"

typedef struct SparseLdlSolver {
    LdlSolver base;
    DvData precompute, nonzeros;
    uint32_t analyses; /* that the output `L_nnz` knows */
} SparseLdlSolver;

static const DvField fields[] = {
    LDL_SOLVER_FIELDS(SparseLdlSolver, base),
    DV_FIELD(SparseLdlSolver, precompute, "precomputeSymbolicDecomposition", dv_type_bool, .init = "1",
             .help = "keep the ordering and the structure of L while that of the matrix is the same"),
    DV_FIELD(SparseLdlSolver, nonzeros, "L_nnz", dv_type_int, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "entries of L below the diagonal"),
    {0},
};

static DvStatus factor(void *self_, const DvBlockMatrix *matrix, uint32_t *failed)
{
    SparseLdlSolver *self = self_;
    const DvBlockLdl *ldl = self->base.ldl;
    const DvStatus status = dv_ldl_solver_factor(self, matrix, failed);
    if (dv_block_ldl_analyses(ldl) != self->analyses) {
        self->analyses = dv_block_ldl_analyses(ldl);
        const uint64_t nonzeros = dv_block_ldl_nonzeros(ldl);
        dv_data_set_int(&self->nonzeros, nonzeros < INT32_MAX ? (int32_t)nonzeros : INT32_MAX);
    }
    return status;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    SparseLdlSolver *self = self_;
    self->base.direct.forgets = !dv_data_bool(&self->precompute);
    return dv_direct_solver_set_system(self, m, step, factors);
}

static const DvDirectSolverOps operations = LDL_SOLVER_OPS(set_system, factor);

const DvClass dv_sparse_ldl_solver = {
    .size = sizeof(DvClass),
    .name = "SparseLDLSolver",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver: sparse L D L^T factorization of the assembled matrix.",
    .instance_size = sizeof(SparseLdlSolver),
    .fields = fields,
    LDL_SOLVER_LIFE,
    .family = "linear solvers",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .reset = dv_direct_solver_reset,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations},
                                      {.id = DV_FAULT_CAUSE, .ops = &dv_direct_solver_cause_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &dv_direct_solver_record_ops},
                                      {.id = DV_SOLVER_THERE, .ops = &dv_ldl_solver_there_ops},
                                      {0}},
};
