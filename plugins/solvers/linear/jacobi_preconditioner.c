/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JacobiPreconditioner: z_i = r_i / A_ii. Usually the preconditioner of a PCGLinearSolver; alone it is one Jacobi iteration
 * from zero.
 */
#include "linear/diagonal_preconditioner.h"
#include "linear/singular_points.h"

#include <math.h>

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(DvDiagonalPreconditioner),
    {0},
};

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvDiagonalPreconditioner *self = self_;
    const DvBlockMatrix *a = dv_diagonal_preconditioner_assemble(self, m, step, factors, 1, 1);
    if (!a)
        return DV_ERROR_INVALID;
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < b; c++) {
            const double entry = a->values[(size_t)b * b * a->diagonal[row] + (b + 1) * c];
            if (!(fabs(entry) > 0.0))
                return dv_singular_points_refuse(dv_object_of(self), self->flat.ops, m, a, row * b + c);
            self->numbers[row * b + c] = entry;
        }
    return DV_OK;
}

static DvStatus solve_flat(void *self_, double *x, const double *b, size_t n)
{
    const DvDiagonalPreconditioner *self = self_;
    for (size_t i = 0; i < n; i++)
        x[i] = b[i] / self->numbers[i];
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self)
{
    return dv_diagonal_preconditioner_init(object, self, "DiagonalMatrix", solve_flat);
}

static const DvLinearSolverOps ops = {
    .size = sizeof(DvLinearSolverOps),
    .set_system = set_system,
    .solve = dv_diagonal_preconditioner_solve,
    .solve_flat = solve_flat,
    .is_matrix_free = dv_diagonal_preconditioner_is_matrix_free,
    .solve_many = dv_many_solve,
    .compliance = dv_many_compliance,
    .mechanics = dv_diagonal_preconditioner_mechanics,
};

const DvClass dv_jacobi_preconditioner = {
    .size = sizeof(DvClass),
    .name = "JacobiPreconditioner",
    .variants = "DiagonalMatrix",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "preconditioners",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "Divides by the diagonal of the matrix.",
    .instance_size = sizeof(DvDiagonalPreconditioner),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops}, {0}},
    .init = init,
    .destroy = dv_diagonal_preconditioner_destroy,
};
