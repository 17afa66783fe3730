/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "linear/diagonal_preconditioner.h"

#include <divan/memory.h>

DvStatus dv_diagonal_preconditioner_init(DvObject *object, DvDiagonalPreconditioner *self, const char *variant,
                                         DvSolveFlat solve_flat)
{
    self->many.solve = solve_flat;
    return dv_linear_system_find(object, &self->common.linear_system, "MatrixLinearSystem", variant, &self->system);
}

const DvBlockMatrix *dv_diagonal_preconditioner_assemble(DvDiagonalPreconditioner *self, DvMechanics *m,
                                                         const DvStep *step, DvFactors factors, size_t group,
                                                         size_t numbers)
{
    const DvBlockMatrix *a = self->system.ops->assemble(self->system.self, m, step, factors);
    if (!a)
        return NULL;
    dv_flat_system_set(&self->flat, m);
    self->many.n = self->flat.n;
    const size_t needed = (self->flat.n + group - 1) / group * numbers;
    if (needed > self->capacity) {
        dv_free(self->numbers);
        self->capacity = needed;
        self->numbers = dv_alloc(needed, sizeof *self->numbers);
    }
    return a;
}

DvStatus dv_diagonal_preconditioner_solve(void *self_, DvVecId x, DvVecId b)
{
    DvDiagonalPreconditioner *self = self_;
    return dv_flat_system_solve(&self->flat, x, b, self, self->many.solve);
}

bool dv_diagonal_preconditioner_is_matrix_free(void *self)
{
    (void)self;
    return false;
}

const DvMechanics *dv_diagonal_preconditioner_mechanics(void *self)
{
    return ((const DvDiagonalPreconditioner *)self)->flat.m;
}

void dv_diagonal_preconditioner_destroy(DvObject *object, void *self_)
{
    (void)object;
    DvDiagonalPreconditioner *self = self_;
    dv_flat_system_free(&self->flat);
    dv_free(self->numbers);
}
