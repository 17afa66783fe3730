/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What preconditioners of an assembled matrix have in common.
 */
#include "class_ops.h"

#include <divan/kit/preconditioner.h>
#include <divan/memory.h>

#include <math.h>

DvStatus dv_preconditioner_init(DvObject *object, void *self_)
{
    DvPreconditioner *self = self_;
    self->ops = dv_class_ops(object, DV_LINEAR_SOLVER);
    return dv_linear_solver_open(object, &self->base, NULL,
                                 self->ops->system ? self->ops->system : dv_object_variant(object),
                                 self->ops->solver.solve_flat);
}

DvStatus dv_preconditioner_set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvPreconditioner *self = self_;
    const DvBlockMatrix *a = dv_linear_solver_assemble(&self->base, m, step, factors);
    return a != NULL ? self->ops->build(self, a) : DV_ERROR_INVALID;
}

DvStatus dv_preconditioner_require_diagonal(const DvPreconditioner *self, const DvBlockMatrix *a)
{
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t c = 0; c < a->block; c++)
            if (!(fabs(dv_block_matrix_diagonal(a, row, c)) > 0.0))
                return dv_linear_solver_refuse_singular(&self->base, a, row * a->block + c);
    return DV_OK;
}

double *dv_preconditioner_reserve(DvPreconditioner *self, size_t count)
{
    if (count > self->capacity) {
        dv_free(self->numbers);
        self->capacity = count;
        self->numbers = dv_alloc(count, sizeof *self->numbers);
    }
    return self->numbers;
}

static void free_matrix(DvPreconditioner *self)
{
    dv_free((void *)(uintptr_t)self->matrix.row_start);
    dv_free((void *)(uintptr_t)self->matrix.diagonal);
    dv_free((void *)(uintptr_t)self->matrix.columns);
    self->matrix = (DvBlockMatrix){0};
}

static void copy(const void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy((void *)(uintptr_t)to, from, bytes);
}

const DvBlockMatrix *dv_preconditioner_keep(DvPreconditioner *self, const DvBlockMatrix *a)
{
    DvBlockMatrix *kept = &self->matrix;
    const size_t slots = a->row_start[a->rows], numbers = slots * a->block * a->block;
    double *values = dv_preconditioner_reserve(self, numbers);
    copy(values, a->values, numbers * sizeof *values);
    if (kept->structure != a->structure || kept->rows != a->rows) {
        if (a->rows + 1 > self->rows || slots > self->slots) {
            free_matrix(self);
            self->rows = (size_t)a->rows + 1;
            self->slots = slots;
            kept->row_start = dv_alloc(self->rows, sizeof *kept->row_start);
            kept->diagonal = dv_alloc(self->rows, sizeof *kept->diagonal);
            kept->columns = dv_alloc(slots, sizeof *kept->columns);
        }
        copy(kept->row_start, a->row_start, ((size_t)a->rows + 1) * sizeof *a->row_start);
        copy(kept->diagonal, a->diagonal, a->rows * sizeof *a->diagonal);
        copy(kept->columns, a->columns, slots * sizeof *a->columns);
    }
    *kept = (DvBlockMatrix){.rows = a->rows,
                            .block = a->block,
                            .row_start = kept->row_start,
                            .columns = kept->columns,
                            .diagonal = kept->diagonal,
                            .values = values,
                            .structure = a->structure,
                            .version = a->version};
    return kept;
}

void dv_preconditioner_destroy(DvObject *object, void *self_)
{
    DvPreconditioner *self = self_;
    free_matrix(self);
    dv_free(self->numbers);
    dv_linear_solver_destroy(object, &self->base);
}
