/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MatrixLinearSystem: the matrix m M + b B + k K of the states below a solver, assembled.
 *
 * The mechanical operations assemble; this component says which parts take part. The template names the storage that a
 * scene asked for; here all of them are block compressed rows whose block size follows from the states.
 */
#include "system/linear_system.h"

#include <divan/plugin.h>
#include <divan/scene.h>

typedef struct MatrixLinearSystem {
    DvData matrix_size;
    DvData stiffness, mass, damping, geometric_stiffness, constraints, mapped;
    const DvMechanicalOperationsOps *mechanics;
    const DvBlockMatrix *whole; /* of the last assembly, when no part was left out */
    MatrixWatcher *watchers;
} MatrixLinearSystem;

static const DvField fields[] = {
    DV_FIELD(MatrixLinearSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0", .flags = DV_FIELD_READ_ONLY,
             .help = "rows and columns of the last matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD(MatrixLinearSystem, stiffness, "assembleStiffness", dv_type_bool, .init = "1",
             .help = "whether the stiffness of force fields takes part"),
    DV_FIELD(MatrixLinearSystem, mass, "assembleMass", dv_type_bool, .init = "1", .help = "whether masses take part"),
    DV_FIELD(MatrixLinearSystem, damping, "assembleDamping", dv_type_bool, .init = "1",
             .help = "whether the damping of force fields takes part"),
    DV_FIELD(MatrixLinearSystem, geometric_stiffness, "assembleGeometricStiffness", dv_type_bool, .init = "1",
             .help = "whether the geometric stiffness of mappings takes part"),
    DV_FIELD(MatrixLinearSystem, constraints, "applyProjectiveConstraints", dv_type_bool, .init = "1",
             .help = "whether rows and columns of fixed unknowns are cleared"),
    DV_FIELD(MatrixLinearSystem, mapped, "applyMappedComponents", dv_type_bool, .init = "1",
             .help = "whether components on mapped states take part"),
    DV_FIELD_HELD("checkIndices", dv_type_bool, .init = "0",
                  .help = "indices are checked when the structure is made, whatever this says"),
    DV_FIELD_HELD("parallelAssemblyIndependentMatrices", dv_type_bool, .init = "0",
                  .help = "whether assembly may use several threads; results do not depend on it"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    MatrixLinearSystem *self = self_;
    self->mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->mechanics == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return DV_OK;
}

static bool is_matrix_free(void *self_)
{
    (void)self_;
    return false;
}

/* Which parts take part: options of the assembly. */
static uint32_t parts_of(MatrixLinearSystem *self)
{
    return (dv_data_bool(&self->constraints) ? DV_ASSEMBLE_CONSTRAINED : 0u) |
           (dv_data_bool(&self->mass) ? 0u : DV_ASSEMBLE_NO_MASS) |
           (dv_data_bool(&self->damping) ? 0u : DV_ASSEMBLE_NO_DAMPING) |
           (dv_data_bool(&self->stiffness) ? 0u : DV_ASSEMBLE_NO_STIFFNESS) |
           (dv_data_bool(&self->geometric_stiffness) ? 0u : DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS) |
           (dv_data_bool(&self->mapped) ? 0u : DV_ASSEMBLE_NO_MAPPED);
}

static void set_size(MatrixLinearSystem *self, uint32_t n)
{
    const uint32_t *size = dv_data_uints(&self->matrix_size, NULL);
    if (size[0] != n)
        dv_data_set(&self->matrix_size, (const uint32_t[]){n, n}, 1);
}

static const DvBlockMatrix *assemble(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    MatrixLinearSystem *self = self_;
    const uint32_t parts = parts_of(self);
    dv_phase_begin("assembly");
    const DvBlockMatrix *matrix = self->mechanics->assemble(m, step, factors, parts);
    dv_phase_end();
    self->whole = parts == DV_ASSEMBLE_CONSTRAINED ? matrix : NULL;
    if (matrix == NULL)
        return NULL;
    set_size(self, matrix->rows * matrix->block);
    for (const MatrixWatcher *watcher = self->watchers; watcher; watcher = watcher->next)
        watcher->look(watcher->self, matrix);
    return matrix;
}

static const DvBlockMatrix *whole(void *self)
{
    return ((const MatrixLinearSystem *)self)->whole;
}

static bool may_be_skipped(void *self)
{
    return parts_of(self) == DV_ASSEMBLE_CONSTRAINED;
}

static void skip(void *self_, size_t unknowns)
{
    MatrixLinearSystem *self = self_;
    self->whole = NULL;
    set_size(self, (uint32_t)unknowns);
    for (const MatrixWatcher *watcher = self->watchers; watcher; watcher = watcher->next)
        watcher->skipped(watcher->self);
}

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = is_matrix_free,
    .assemble = assemble,
    .by_default = DV_SYSTEM_ASSEMBLED,
    .whole = whole,
    .may_be_skipped = may_be_skipped,
    .skip = skip,
};

const DvClass dv_matrix_linear_system = {
    .size = sizeof(DvClass),
    .name = "MatrixLinearSystem",
    .variants =
        "BTDMatrix6d BlockDiagonalMatrixMat3x3d CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d "
        "CompressedRowSparseMatrixMat4x4d CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d "
        "CompressedRowSparseMatrixd DiagonalMatrix FullMatrix RotationMatrixd SparseMatrix",
    .default_variant = "CompressedRowSparseMatrixd",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSystem",
    .help = "The assembled matrix of all that is below a linear solver.",
    .instance_size = sizeof(MatrixLinearSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
    .construct = construct,
};

bool dv_matrix_linear_system_watch(DvObject *system, MatrixWatcher *watcher)
{
    if (dv_object_class(system) != &dv_matrix_linear_system)
        return false;
    MatrixLinearSystem *self = dv_object_self(system);
    watcher->next = self->watchers;
    self->watchers = watcher;
    return true;
}

void dv_matrix_linear_system_forget(DvObject *system, const MatrixWatcher *watcher)
{
    MatrixLinearSystem *self = dv_object_self(system);
    for (MatrixWatcher **at = &self->watchers; *at; at = &(*at)->next)
        if (*at == watcher) {
            *at = watcher->next;
            return;
        }
}
