/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CondensationSolver: static condensation (R. J. Guyan 1965). The unknowns of marked points, i, are eliminated by Cholesky's factors; what is
 * left is a system of the others, k, alone:
 *
 *   (A_kk - A_ki A_ii^-1 A_ik) x_k = b_k - A_ki A_ii^-1 b_i,      x_i = A_ii^-1 (b_i - A_ik x_k)
 *
 * Its matrix is what the marked part does to the rest of a body. The solution is that of the whole.
 */
#include "linear/dense_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <string.h>

typedef struct CondensationSolver {
    DenseSolver
        base; /* base.matrix: factors of the system that is left; base.numbers: all in the order of elimination, and a vector */
    DvData indices, points, condensed;
    uint64_t indices_version; /* of the factor */
    uint32_t *order;          /* [n] unknown that is eliminated as k-th; after the marked ones the others, ascending */
    uint32_t inner;           /* how many are marked */
    size_t capacity;          /* of order */
} CondensationSolver;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(CondensationSolver, base.direct.base),
    DV_FIELD(CondensationSolver, indices, "indices", dv_type_uints,
             .help = "points that are eliminated, counted over all independent states in the order of the scene"),
    DV_FIELD(CondensationSolver, points, "keptPoints", dv_type_uints, .flags = DV_FIELD_READ_ONLY,
             .help = "the others: rows and columns of condensedMatrix, each as many as its point has unknowns"),
    DV_FIELD(CondensationSolver, condensed, "condensedMatrix", dv_type_doubles, .flags = DV_FIELD_READ_ONLY,
             .help = "the matrix of the system that is left, row by row; symmetric"),
    {0},
};

/* ---- Which unknowns ---- */

static uint32_t states_of(const CondensationSolver *self, DvObject ***states)
{
    const DvLinearSolver *solver = &self->base.direct.base;
    const uint32_t count = solver->ops->states(solver->m, DV_STATES_INDEPENDENT, NULL, 0);
    *states = dv_step_alloc(count + 1, sizeof **states);
    return solver->ops->states(solver->m, DV_STATES_INDEPENDENT, *states, count);
}

/* marked[point], of all points; an error for one that is not there. */
static DvStatus mark(CondensationSolver *self, bool *marked, uint32_t points)
{
    size_t count;
    const uint32_t *index = dv_data_uints(&self->indices, &count);
    for (size_t i = 0; i < count; i++) {
        if (index[i] >= points)
            return dv_field_error(&self->indices, (int64_t)i, "point %u is not there: the states below have %u points",
                                  index[i], points);
        marked[index[i]] = true;
    }
    return DV_OK;
}

/* The marked unknowns, or the others, to `order`; how many. */
static uint32_t collect(CondensationSolver *self, DvObject *const *states, uint32_t count, const bool *marked,
                        bool wanted, uint32_t at)
{
    uint32_t point = 0, unknown = 0;
    for (uint32_t s = 0; s < count; s++) {
        const DvStateRef state = dv_state_ref(states[s]);
        for (uint32_t p = 0; p < dv_state_count(state); p++, point++)
            for (uint32_t c = 0; c < state.dof->deriv; c++, unknown++)
                if (marked[point] == wanted)
                    self->order[at++] = unknown;
    }
    return at;
}

static void write_points(CondensationSolver *self, const bool *marked, uint32_t points)
{
    uint32_t kept = 0;
    for (uint32_t p = 0; p < points; p++)
        kept += !marked[p];
    uint32_t *point = dv_data_begin_all(&self->points, kept);
    for (uint32_t p = 0, at = 0; p < points; p++)
        if (!marked[p])
            point[at++] = p;
    dv_data_end(&self->points);
}

static DvStatus find_order(CondensationSolver *self, size_t n)
{
    if (n > self->capacity) {
        dv_free(self->order);
        self->order = dv_alloc(n, sizeof *self->order);
        self->capacity = n;
    }
    const DvStepMark mark_of_step = dv_step_mark();
    DvObject **states;
    const uint32_t count = states_of(self, &states);
    uint32_t points = 0;
    for (uint32_t s = 0; s < count; s++)
        points += dv_state_count(dv_state_ref(states[s]));
    bool *marked = dv_step_alloc(points + 1, sizeof *marked);
    memset(marked, 0, points * sizeof *marked);
    DvStatus status = mark(self, marked, points);
    if (status == DV_OK) {
        self->inner = collect(self, states, count, marked, true, 0);
        (void)collect(self, states, count, marked, false, self->inner);
        if (self->inner == n)
            status = dv_field_error(&self->indices, -1, "all points are eliminated; leave one of them out");
        else
            write_points(self, marked, points);
    }
    dv_step_release(mark_of_step);
    return status;
}

/* ---- Factors ---- */

/* The matrix in the order of elimination, from that in the order of the scene. */
static double *permuted(const CondensationSolver *self, size_t n)
{
    double *a = self->base.numbers;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            a[i + n * j] = self->base.matrix[self->order[i] + n * self->order[j]];
    return a;
}

/* What is left, to the start of base.matrix and to the field. */
static void take_condensed(CondensationSolver *self, const double *a, size_t n)
{
    const size_t inner = self->inner, kept = n - inner;
    double *left = self->base.matrix, *out = dv_data_begin_all(&self->condensed, kept * kept);
    for (size_t j = 0; j < kept; j++)
        for (size_t i = 0; i < kept; i++)
            left[i + kept * j] = out[i + kept * j] = a[inner + i + n * (inner + j)];
    dv_data_end(&self->condensed);
}

static DvStatus refuse(const CondensationSolver *self, double pivot, uint32_t *failed)
{
    *failed = self->order[*failed];
    /* A pivot of zero is said with the points whose rows are empty, by the base. */
    return pivot < 0.0 ? dv_linear_solver_refuse_indefinite(&self->base.direct.base, *failed, "SparseLDLSolver")
                       : DV_ERROR_SINGULAR;
}

static DvStatus factor(void *self_, const DvBlockMatrix *a, uint32_t *failed)
{
    CondensationSolver *self = self_;
    DenseSolver *base = &self->base;
    const uint32_t n = a->rows * a->block;
    self->indices_version = dv_data_version(&self->indices);
    DvStatus status = dense_solver_take(base, a, (DvDenseWork){(size_t)n * n + n, 1}, failed);
    if (status == DV_OK)
        status = find_order(self, n);
    if (status != DV_OK)
        return status;
    double *all = permuted(self, n);
    if (self->inner > 0)
        status = base->dense->condense(n, self->inner, all, failed);
    if (status == DV_ERROR_SINGULAR)
        return refuse(self, all[*failed * ((size_t)n + 1)], failed);
    if (status != DV_OK)
        return status;
    take_condensed(self, all, n);
    const uint32_t kept = n - self->inner;
    status = base->dense->factor(DV_DENSE_CHOLESKY, kept, base->matrix, NULL, failed);
    if (status != DV_ERROR_SINGULAR)
        return status;
    const double pivot = base->matrix[*failed * ((size_t)kept + 1)];
    *failed += self->inner;
    return refuse(self, pivot, failed);
}

/* The same indices, the same factor: else the matrix is factored anew, whether it is another or not. */
static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    CondensationSolver *self = self_;
    if (dv_data_version(&self->indices) != self->indices_version)
        self->base.direct.factored = false;
    return dv_direct_solver_set_system(self, m, step, factors);
}

static void substitute(void *self_, double *x, const double *b)
{
    CondensationSolver *self = self_;
    const DvDenseOps *dense = self->base.dense;
    const size_t n = self->base.direct.base.n;
    double *a = self->base.numbers, *y = a + n * n;
    const uint32_t inner = self->inner, kept = (uint32_t)n - inner;
    for (size_t k = 0; k < n; k++)
        y[k] = b[self->order[k]];
    DvStatus status = inner > 0 ? dense->condense_forward((uint32_t)n, inner, a, y) : DV_OK;
    status = dense->solve(DV_DENSE_CHOLESKY, false, kept, self->base.matrix, NULL, y + inner, 1);
    status = inner > 0 ? dense->condense_backward((uint32_t)n, inner, a, y) : DV_OK;
    (void)status; /* sizes are those that were factored */
    for (size_t k = 0; k < n; k++)
        x[self->order[k]] = y[k];
}

static void destroy(DvObject *object, void *self_)
{
    dv_free(((CondensationSolver *)self_)->order);
    dense_solver_destroy(object, self_);
}

static const DvDirectSolverOps operations = {
    .solver = {DV_DIRECT_SOLVER_OPS, .set_system = set_system, DV_LINEAR_SOLVER_ONE_BY_ONE},
    .analyse = dense_solver_analyse,
    .factor = factor,
    .substitute = substitute,
};

const DvClass dv_condensation_solver = {
    .size = sizeof(DvClass),
    .name = "CondensationSolver",
    .variants = "CompressedRowSparseMatrix CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrix",
    .help =
        "Static condensation: marked points are eliminated, and the matrix of the others is an output (dense, by LAPACK). Solutions are "
        "those of the whole. The same bits on processors of one type.",
    .instance_size = sizeof(CondensationSolver),
    .fields = fields,
    .init = dense_solver_init,
    .destroy = destroy,
    DV_DIRECT_SOLVER_CLASS(operations, "MatrixLinearSolver", "LinearSolver"),
};
