/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TypedMatrixLinearSystem: the whole assembled matrix, without a choice of parts: what linear systems have in common, by itself.
 */
#include "system/typed_matrix_linear_system.h"

#include <divan/plugin.h>
#include <divan/scene.h>

const DvField dv_typed_matrix_linear_system_fields[] = {
    DV_FIELD(TypedMatrixLinearSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0",
             .flags = DV_FIELD_READ_ONLY, .help = "rows and columns of the last matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    {0},
};

DvStatus dv_typed_matrix_linear_system_construct(DvObject *object, void *self_)
{
    TypedMatrixLinearSystem *self = self_;
    self->mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->mechanics == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return DV_OK;
}

static bool is_matrix_free(void *self)
{
    (void)self;
    return false;
}

static void set_size(TypedMatrixLinearSystem *self, uint32_t n)
{
    const uint32_t *size = dv_data_uints(&self->matrix_size, NULL);
    if (size[0] != n)
        dv_data_set(&self->matrix_size, (const uint32_t[]){n, n}, 1);
}

static const DvBlockMatrix *assemble(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    TypedMatrixLinearSystem *self = self_;
    dv_phase_begin("assembly");
    self->whole = self->mechanics->assemble(m, step, factors, DV_ASSEMBLE_CONSTRAINED);
    dv_phase_end();
    if (self->whole != NULL)
        set_size(self, self->whole->rows * self->whole->block);
    return self->whole;
}

static const DvBlockMatrix *whole(void *self)
{
    return ((const TypedMatrixLinearSystem *)self)->whole;
}

static bool may_be_skipped(void *self)
{
    (void)self;
    return true;
}

static void skip(void *self_, size_t unknowns)
{
    TypedMatrixLinearSystem *self = self_;
    self->whole = NULL;
    set_size(self, (uint32_t)unknowns);
}

const DvLinearSystemOps dv_typed_matrix_linear_system_ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = is_matrix_free,
    .assemble = assemble,
    .whole = whole,
    .may_be_skipped = may_be_skipped,
    .skip = skip,
};

const DvClass dv_typed_matrix_linear_system = {
    .size = sizeof(DvClass),
    .name = "TypedMatrixLinearSystem",
    .variants = "BTDMatrix6d",
    .bases = (const char *const[]){"BaseMatrixLinearSystem", NULL},
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "The whole assembled matrix of all that is below a linear solver.",
    TYPED_MATRIX_LINEAR_SYSTEM_CLASS,
};
