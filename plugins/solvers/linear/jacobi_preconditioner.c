/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JacobiPreconditioner: z_i = r_i / A_ii. Usually the preconditioner of a PCGLinearSolver; alone it is one Jacobi iteration
 * from zero.
 */
#include "linear/flat_system.h"
#include "linear/linear_solver_fields.h"
#include "linear/many_solves.h"

#include <divan/memory.h>

#include <math.h>

typedef struct JacobiPreconditioner {
    DvManySolves many; /* first */
    DvLinearSolverFields common;
    DvLinearSystemUse system;
    DvFlatSystem flat;
    double *diagonal; /* [unknowns] */
    size_t capacity;
} JacobiPreconditioner;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(JacobiPreconditioner),
    {0},
};

static DvStatus solve_flat(void *self, double *x, const double *b, size_t n);

static DvStatus init(DvObject *object, void *self_)
{
    JacobiPreconditioner *self = self_;
    self->many.solve = solve_flat;
    return dv_linear_system_find(object, &self->common.linear_system, "MatrixLinearSystem", "DiagonalMatrix",
                                 &self->system);
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    JacobiPreconditioner *self = self_;
    const DvBlockMatrix *a = self->system.ops->assemble(self->system.self, m, step, factors);
    if (a == NULL)
        return DV_ERROR_INVALID;
    dv_flat_system_set(&self->flat, m);
    self->many.n = self->flat.n;
    if (self->flat.n > self->capacity) {
        dv_free(self->diagonal);
        self->capacity = self->flat.n;
        self->diagonal = dv_alloc(self->capacity, sizeof *self->diagonal);
    }
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < b; c++) {
            const double entry = a->values[(size_t)b * b * a->diagonal[row] + (b + 1) * c];
            if (!(fabs(entry) > 0.0))
                return dv_error(
                    dv_object_of(self), DV_ERROR_SINGULAR,
                    "the diagonal entry of unknown %u of %u is zero or not a number. Give every point mass or stiffness",
                    row * b + c, a->rows * b);
            self->diagonal[row * b + c] = entry;
        }
    return DV_OK;
}

static DvStatus solve_flat(void *self_, double *x, const double *b, size_t n)
{
    const JacobiPreconditioner *self = self_;
    for (size_t i = 0; i < n; i++)
        x[i] = b[i] / self->diagonal[i];
    return DV_OK;
}

static DvStatus solve(void *self_, DvVecId x, DvVecId b)
{
    JacobiPreconditioner *self = self_;
    return dv_flat_system_solve(&self->flat, x, b, self, solve_flat);
}

static bool is_matrix_free(void *self_)
{
    (void)self_;
    return false;
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    JacobiPreconditioner *self = self_;
    dv_flat_system_free(&self->flat);
    dv_free(self->diagonal);
}

static const DvLinearSolverOps ops = {
    .size = sizeof(DvLinearSolverOps),
    .set_system = set_system,
    .solve = solve,
    .solve_flat = solve_flat,
    .is_matrix_free = is_matrix_free,
    .solve_many = dv_many_solve,
    .compliance = dv_many_compliance,
};

const DvClass dv_jacobi_preconditioner = {
    .size = sizeof(DvClass),
    .name = "JacobiPreconditioner",
    .variants = "DiagonalMatrix",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "preconditioners",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "Divides by the diagonal of the matrix.",
    .instance_size = sizeof(JacobiPreconditioner),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops}, {0}},
    .init = init,
    .destroy = destroy,
};
