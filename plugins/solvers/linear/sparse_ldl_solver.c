/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SparseLDLSolver: direct solution of symmetric systems, A = P^T L D L^T P without pivoting (block_ldl.h).
 *
 * Both templates work on the same block matrix. The ordering and the symbolic factorization are kept while the structure of
 * the matrix is the same, the factor while its version is the same, as that of masses and of linear bodies is. A pivot that is exactly zero is an error: the matrix is singular. Indefinite matrices are solved
 * with refinement.
 */
#include "linear/block_ldl.h"
#include "linear/block_ldl_many.h"
#include "linear/flat_system.h"
#include "linear/linear_solver_fields.h"
#include "linear/many_solves.h"
#include "linear/singular_points.h"

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/solve_record.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <string.h>

/* Relative residual after refinement that is worth a warning. */
static const double UNSOLVED = 1e-6;

typedef struct SparseLdlSolver {
    DvLinearSolverFields common;
    DvData precompute, nonzeros;
    DvLink ordering_link;
    DvLinearSystemUse system;
    DvFlatSystem flat;
    DvBlockLdl *ldl;
    DvLdlMany *many;
    const DvOrderingOps *ordering; /* NULL: the order of least work */
    void *ordering_self;
    uint64_t structure;          /* of the matrix that was analysed */
    uint32_t analyses;           /* that the output `L_nnz` knows */
    const DvBlockMatrix *matrix; /* that was factored */
    uint64_t version;            /* of its numbers */
    uint64_t factored_version;   /* of the numbers in the factor */
    bool analysed, factored;
    uint64_t factorizations;
    bool warned_empty, warned_singular;
    DvSolveRecord record;
} SparseLdlSolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(SparseLdlSolver),
    DV_FIELD(SparseLdlSolver, precompute, "precomputeSymbolicDecomposition", dv_type_bool, .init = "1",
             .help = "keep the ordering and the structure of L while that of the matrix is the same"),
    DV_FIELD(SparseLdlSolver, nonzeros, "L_nnz", dv_type_int, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "entries of L below the diagonal"),
    DV_LINK(SparseLdlSolver, ordering_link, "orderingMethod", DV_ORDERING,
            .help = "order of elimination; default: one in the node, else the one of AMD and METIS that costs less"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    (void)object;
    SparseLdlSolver *self = self_;
    self->ldl = dv_block_ldl_new();
    dv_block_ldl_set_owner(self->ldl, dv_object_of(self));
    self->many = dv_ldl_many_new(self->ldl);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    SparseLdlSolver *self = self_;
    DvObject *ordering = dv_link_object(&self->ordering_link);
    if (dv_link_is_set(&self->ordering_link) && ordering == NULL)
        return dv_field_error(&self->ordering_link.data, -1, "leads to no ordering method");
    if (ordering == NULL)
        ordering = dv_node_find(dv_object_node(object), DV_ORDERING, DV_SEARCH_LOCAL);
    if (ordering != NULL) {
        const DvStatus status = dv_object_require(object, ordering);
        if (status != DV_OK)
            return status;
        self->ordering = dv_object_ops(ordering, DV_ORDERING);
        self->ordering_self = dv_object_self(ordering);
    }
    return dv_linear_system_find(object, &self->common.linear_system, "MatrixLinearSystem", dv_object_variant(object),
                                 &self->system);
}

static bool is_permutation(uint32_t nodes, const uint32_t *order)
{
    bool *seen = dv_alloc(nodes, sizeof *seen);
    bool good = true;
    for (uint32_t k = 0; k < nodes && good; k++) {
        good = order[k] < nodes && !seen[order[k]];
        if (good)
            seen[order[k]] = true;
    }
    dv_free(seen);
    return good;
}

/* The order of the component that the scene names. */
static void order_nodes(void *context, uint32_t nodes, const uint32_t *begin, const uint32_t *neighbours,
                        uint32_t *order)
{
    SparseLdlSolver *self = context;
    if (self->ordering->order(self->ordering_self, nodes, begin, neighbours, order) == DV_OK &&
        is_permutation(nodes, order))
        return;
    dv_warning(dv_object_of(self), "the ordering method failed; eliminating in the natural order");
    dv_order_nodes(DV_ORDERING_NATURAL, nodes, begin, neighbours, order);
}

static DvStatus factor(SparseLdlSolver *self, const DvBlockMatrix *matrix)
{
    const bool keep = dv_data_bool(&self->precompute);
    const bool same_structure = self->analysed && matrix->structure == self->structure;
    if (keep && self->factored && same_structure && matrix->version == self->factored_version)
        return DV_OK;
    if (!same_structure || !keep) {
        dv_block_ldl_analyse(self->ldl, matrix, self->ordering != NULL ? order_nodes : NULL, self);
        self->structure = matrix->structure;
        self->analysed = true;
    }
    uint32_t failed = 0;
    const DvStatus status = dv_block_ldl_factor(self->ldl, matrix, &failed);
    self->factored = status == DV_OK;
    self->factored_version = matrix->version;
    self->factorizations++;
    if (dv_block_ldl_analyses(self->ldl) != self->analyses) {
        self->analyses = dv_block_ldl_analyses(self->ldl);
        const uint64_t nonzeros = dv_block_ldl_nonzeros(self->ldl);
        dv_data_set_int(&self->nonzeros, nonzeros < INT32_MAX ? (int32_t)nonzeros : INT32_MAX);
    }
    if (status == DV_ERROR_LIMIT)
        return status; /* reported */
    if (status != DV_OK)
        return dv_singular_points_refuse(dv_object_of(self), self->flat.ops, self->flat.m, matrix, failed);
    return DV_OK;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    SparseLdlSolver *self = self_;
    const DvBlockMatrix *matrix = self->system.ops->assemble(self->system.self, m, step, factors);
    if (matrix == NULL)
        return DV_ERROR_INVALID;
    dv_flat_system_set(&self->flat, m);
    self->matrix = matrix;
    self->version = matrix->version;
    if (matrix->rows == 0) {
        if (!self->warned_empty)
            dv_warning(dv_object_of(self), "the linear system is empty: there is no state below the solver");
        self->warned_empty = true;
        return DV_OK;
    }
    dv_phase_begin("factorization");
    const DvStatus status = factor(self, matrix);
    dv_phase_end();
    return status;
}

static DvStatus solve_flat(void *self_, double *x, const double *b, size_t n)
{
    SparseLdlSolver *self = self_;
    if (n == 0)
        return DV_OK;
    dv_block_ldl_solve(self->ldl, b, x);
    if (self->matrix->version != self->version)
        return DV_OK; /* assembled anew for somebody else: nothing to refine with */
    const double residual = dv_block_ldl_refine(self->ldl, self->matrix, b, x);
    if (dv_solve_record_add(&self->record, residual, UNSOLVED, UNSOLVED))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    if (residual > UNSOLVED && !self->warned_singular) {
        self->warned_singular = true;
        dv_warning(
            dv_object_of(self),
            "the matrix is singular, as far as numbers tell, and the right-hand side does not fit it: the solution leaves a "
            "residual of %.1e. Hold bodies that nothing else holds, and give every point mass or stiffness",
            residual);
    }
    return DV_OK;
}

static DvStatus solve(void *self_, DvVecId x, DvVecId b)
{
    SparseLdlSolver *self = self_;
    dv_phase_begin("linear solver");
    const DvStatus status = dv_flat_system_solve(&self->flat, x, b, self, solve_flat);
    dv_phase_end();
    return status;
}

static uint64_t factor_version(void *self_)
{
    return ((const SparseLdlSolver *)self_)->factorizations;
}

/* Refines row by row, against the matrix, what the factor gives where it has lost digits. */
static double refine_many(SparseLdlSolver *self, const DvSparseRows *b, double *x, size_t stride)
{
    double worst = 0.0;
    if (!dv_block_ldl_is_delicate(self->ldl) || self->matrix->version != self->version)
        return worst;
    for (uint32_t r = 0; r < b->rows; r++) {
        dv_spread_row(b, r, self->flat.b, self->flat.n);
        const double residual = dv_block_ldl_refine(self->ldl, self->matrix, self->flat.b, x + stride * r);
        worst = residual > worst ? residual : worst;
    }
    return worst;
}

static DvStatus solve_many(void *self_, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    SparseLdlSolver *self = self_;
    const DvStatus status = dv_check_rows(self, b, self->flat.n);
    if (status != DV_OK)
        return status;
    dv_phase_begin("linear solver");
    dv_ldl_many_forward(self->many, b);
    dv_ldl_many_backward(self->many, x, stride);
    const double worst = refine_many(self, b, x, stride);
    if (residual != NULL)
        *residual = worst;
    dv_phase_end();
    return DV_OK;
}

static DvStatus compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    SparseLdlSolver *self = self_;
    const DvStatus status = dv_check_rows(self, j, self->flat.n);
    if (status != DV_OK)
        return status;
    if (dv_block_ldl_is_delicate(self->ldl))
        return dv_compliance_of_rows(self, solve_flat, j, self->flat.n, factor, w, stride);
    dv_phase_begin("compliance");
    dv_ldl_many_forward(self->many, j);
    dv_ldl_many_gram(self->many, factor, w, stride);
    dv_phase_end();
    return DV_OK;
}

static DvStatus half_solve(void *self_, const DvSparseRows *b, DvHalfSolutions *y)
{
    SparseLdlSolver *self = self_;
    const DvStatus status = dv_check_rows(self, b, self->flat.n);
    if (status != DV_OK)
        return status;
    dv_ldl_many_forward(self->many, b);
    *y = (DvHalfSolutions){dv_ldl_many_rows(self->many), dv_block_ldl_weights(self->ldl)};
    return DV_OK;
}

static DvStatus finish_half(void *self_, double *x, const double *y, size_t n)
{
    if (n > 0)
        dv_block_ldl_finish(((SparseLdlSolver *)self_)->ldl, y, x);
    return DV_OK;
}

static const DvMechanics *mechanics(void *self_)
{
    return ((const SparseLdlSolver *)self_)->flat.m;
}

static bool is_matrix_free(void *self_)
{
    (void)self_;
    return false;
}

static void reset(DvObject *object, void *self)
{
    (void)object;
    ((SparseLdlSolver *)self)->record = (DvSolveRecord){0};
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const SparseLdlSolver *)self)->record;
}

static void remedy(void *self, DvText *text)
{
    (void)self;
    dv_text_add(text, "hold bodies that nothing else holds, and give every point mass or stiffness");
}

static const DvSolveRecordOps record_ops = {
    .size = sizeof record_ops, .record = record_of, .unit = "of the right-hand side", .remedy = remedy};

/* Singular is what it has seen itself. */
static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *what_helps)
{
    const SparseLdlSolver *self = self_;
    const DvObject *object = dv_object_of(self);
    if (dv_node_context(dv_object_node(fault->state), DV_LINEAR_SOLVER) !=
            dv_node_slot(dv_object_node(object), DV_LINEAR_SOLVER) ||
        !(self->record.left > UNSOLVED))
        return 0.0;
    dv_text_add(
        cause,
        "matrix that is singular, as far as numbers tell (SparseLDLSolver '%s' leaves %.2g of the right-hand side)",
        dv_object_name(object), self->record.left);
    dv_text_add(what_helps, "fix some points, give every point a mass, and look for elements without volume");
    return DV_FAULT_LIKELY;
}

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    SparseLdlSolver *self = self_;
    dv_ldl_many_free(self->many);
    dv_block_ldl_free(self->ldl);
    dv_flat_system_free(&self->flat);
}

static const DvLinearSolverOps ops = {
    .size = sizeof(DvLinearSolverOps),
    .set_system = set_system,
    .solve = solve,
    .solve_flat = solve_flat,
    .is_matrix_free = is_matrix_free,
    .factor_version = factor_version,
    .solve_many = solve_many,
    .compliance = compliance,
    .half_solve = half_solve,
    .finish_half = finish_half,
    .mechanics = mechanics,
};

const DvClass dv_sparse_ldl_solver = {
    .size = sizeof(DvClass),
    .name = "SparseLDLSolver",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixd",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "linear solvers",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "Direct solver: sparse L D L^T factorization of the assembled matrix.",
    .instance_size = sizeof(SparseLdlSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .construct = construct,
    .init = init,
    .reset = reset,
    .destroy = destroy,
};
