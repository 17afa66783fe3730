/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Direct solvers of symmetric systems, A = P^T L D L^T P without pivoting (block_ldl.h).
 *
 * The ordering and the symbolic factorization are kept while the structure of the matrix is the same, the factor while its version is the
 * same, as that of masses and of linear bodies is. A pivot that is exactly zero is an error: the matrix is singular. Indefinite matrices
 * are solved with refinement.
 */
#include "linear/ldl_solver.h"

DvStatus dv_ldl_solver_construct(DvObject *object, void *self_)
{
    (void)object;
    LdlSolver *self = self_;
    self->ldl = dv_block_ldl_new();
    dv_block_ldl_set_owner(self->ldl, dv_object_of(self));
    self->many = dv_ldl_many_new(self->ldl);
    return DV_OK;
}

DvStatus dv_ldl_solver_init(DvObject *object, void *self_)
{
    LdlSolver *self = self_;
    const DvStatus status = dv_ordering_choice_find(&self->ordering, object);
    return status == DV_OK ? dv_direct_solver_init(object, self) : status;
}

void dv_ldl_solver_analyse_with(LdlSolver *self, DvBlockLdl *ldl, const DvBlockMatrix *matrix)
{
    dv_block_ldl_analyse(ldl, matrix, dv_ordering_choice_order, &self->ordering);
}

void dv_ldl_solver_analyse(void *self_, const DvBlockMatrix *matrix)
{
    LdlSolver *self = self_;
    dv_ldl_solver_analyse_with(self, self->ldl, matrix);
}

DvStatus dv_ldl_solver_factor(void *self, const DvBlockMatrix *matrix, uint32_t *failed)
{
    return dv_block_ldl_factor(((LdlSolver *)self)->ldl, matrix, failed);
}

void dv_ldl_solver_substitute(void *self, double *x, const double *b)
{
    dv_block_ldl_solve(((LdlSolver *)self)->ldl, b, x);
}

double dv_ldl_solver_refine(void *self, const DvBlockMatrix *matrix, double *x, const double *b)
{
    return dv_block_ldl_refine(((LdlSolver *)self)->ldl, matrix, b, x);
}

/* Refines row by row, against the matrix, what the factor gives where it has lost digits. */
static double refine_many(LdlSolver *self, const DvSparseRows *b, double *x, size_t stride)
{
    const DvLinearSolver *base = &self->direct.base;
    double worst = 0.0;
    if (!dv_block_ldl_is_delicate(self->ldl) || !dv_direct_solver_has_matrix(&self->direct))
        return worst;
    for (uint32_t r = 0; r < b->rows; r++) {
        dv_sparse_row_spread(b, r, base->b, base->n);
        const double residual = dv_block_ldl_refine(self->ldl, self->direct.matrix, base->b, x + stride * r);
        worst = residual > worst ? residual : worst;
    }
    return worst;
}

DvStatus dv_ldl_solver_solve_many(void *self_, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    LdlSolver *self = self_;
    const DvStatus status = dv_linear_solver_check_rows(&self->direct.base, b);
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

DvStatus dv_ldl_solver_compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    LdlSolver *self = self_;
    if (dv_block_ldl_is_delicate(self->ldl))
        return dv_linear_solver_compliance(self, j, factor, w, stride);
    const DvStatus status = dv_linear_solver_check_rows(&self->direct.base, j);
    if (status != DV_OK)
        return status;
    dv_phase_begin("compliance");
    dv_ldl_many_forward(self->many, j);
    dv_ldl_many_gram(self->many, factor, w, stride);
    dv_phase_end();
    return DV_OK;
}

DvStatus dv_ldl_solver_half_solve(void *self_, const DvSparseRows *b, DvHalfSolutions *y)
{
    LdlSolver *self = self_;
    const DvStatus status = dv_linear_solver_check_rows(&self->direct.base, b);
    if (status != DV_OK)
        return status;
    dv_ldl_many_forward(self->many, b);
    *y = (DvHalfSolutions){dv_ldl_many_rows(self->many), dv_block_ldl_weights(self->ldl)};
    return DV_OK;
}

DvStatus dv_ldl_solver_finish_half(void *self_, double *x, const double *y, size_t n)
{
    if (n > 0)
        dv_block_ldl_finish(((LdlSolver *)self_)->ldl, y, x);
    return DV_OK;
}

/* ---- Where a device keeps the states ---- */

bool dv_ldl_solver_take_there(void *self_)
{
    LdlSolver *self = self_;
    return self->direct.factored && self->direct.base.n > 0 && !dv_block_ldl_is_delicate(self->ldl) &&
           factor_there_take(&self->there, &self->direct.base, self->ldl, self->direct.factorizations);
}

static void solve_vectors_there(void *self, DvVecId x, DvVecId b)
{
    factor_there_solve(&((LdlSolver *)self)->there, x, b);
}

const DvSolverThereOps dv_ldl_solver_there_ops = {
    .size = sizeof(DvSolverThereOps), .take = dv_ldl_solver_take_there, .solve = solve_vectors_there};

void dv_ldl_solver_destroy(DvObject *object, void *self_)
{
    LdlSolver *self = self_;
    factor_there_free(&self->there);
    dv_ldl_many_free(self->many);
    dv_block_ldl_free(self->ldl);
    dv_linear_solver_destroy(object, self);
}
