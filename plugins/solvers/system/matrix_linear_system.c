/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MatrixLinearSystem: the matrix m M + b B + k K of the states below a solver, assembled.
 *
 * The mechanical operations assemble; this component says which parts take part. The template names the storage that a
 * scene asked for; here all of them are block compressed rows whose block size follows from the states.
 */
#include "system/matrix_linear_system.h"
#include "system/rotation_matrix_system.h"

#include <divan/plugin.h>
#include <divan/scene.h>

const DvField dv_matrix_linear_system_fields[] = {
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
    DV_FIELD(MatrixLinearSystem, kept, "keptMatrix", dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,
             .help = "numbers of a matrix that a preconditioner stays with for some steps"),
    {0},
};

DvStatus dv_matrix_linear_system_construct(DvObject *object, void *self_)
{
    MatrixLinearSystem *self = self_;
    self->mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->mechanics == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return DV_OK;
}

bool dv_matrix_linear_system_is_matrix_free(void *self_)
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

/* The numbers of an earlier matrix, for a run that goes on; NULL: they are not of this structure. */
static const DvBlockMatrix *given_matrix(MatrixLinearSystem *self, const DvBlockMatrix *matrix, size_t numbers)
{
    enum { OTHER = 63 }; /* bit of a version: other numbers than the one without it */
    size_t count;
    const double *kept = dv_data_doubles(&self->kept, &count);
    if (count != numbers)
        return NULL;
    self->given = *matrix;
    self->given.values = (double *)(uintptr_t)kept; /* only read */
    self->given.version ^= (uint64_t)1 << OTHER;
    self->whole = NULL;
    return &self->given;
}

/* Keeps the numbers of a matrix, or puts those in their place that are kept. */
static const DvBlockMatrix *keep_or_give(MatrixLinearSystem *self, const DvBlockMatrix *matrix)
{
    const size_t numbers = (size_t)matrix->row_start[matrix->rows] * matrix->block * matrix->block;
    const DvBlockMatrix *given = self->gives ? given_matrix(self, matrix, numbers) : NULL;
    self->gave = given != NULL;
    if (self->keeps && given == NULL)
        dv_data_set(&self->kept, matrix->values, numbers);
    self->keeps = self->gives = false;
    return given != NULL ? given : matrix;
}

const DvBlockMatrix *dv_matrix_linear_system_assemble(void *self_, DvMechanics *m, const DvStep *step,
                                                      DvFactors factors)
{
    MatrixLinearSystem *self = self_;
    const uint32_t parts = parts_of(self);
    self->gave = false;
    dv_phase_begin("assembly");
    const DvBlockMatrix *matrix = self->mechanics->assemble(m, step, factors, parts);
    dv_phase_end();
    self->whole = parts == DV_ASSEMBLE_CONSTRAINED ? matrix : NULL;
    if (matrix == NULL)
        return NULL;
    set_size(self, matrix->rows * matrix->block);
    for (const MatrixWatcher *watcher = self->watchers; watcher; watcher = watcher->next)
        watcher->look(watcher->self, matrix);
    return self->keeps || self->gives ? keep_or_give(self, matrix) : matrix;
}

const DvBlockMatrix *dv_matrix_linear_system_whole(void *self)
{
    return ((const MatrixLinearSystem *)self)->whole;
}

bool dv_matrix_linear_system_may_be_skipped(void *self)
{
    return parts_of(self) == DV_ASSEMBLE_CONSTRAINED;
}

void dv_matrix_linear_system_skip(void *self_, size_t unknowns)
{
    MatrixLinearSystem *self = self_;
    self->whole = NULL;
    set_size(self, (uint32_t)unknowns);
    for (const MatrixWatcher *watcher = self->watchers; watcher; watcher = watcher->next)
        watcher->skipped(watcher->self);
}

static const DvLinearSystemOps ops = MATRIX_LINEAR_SYSTEM_OPS(DV_SYSTEM_ASSEMBLED);

const DvClass dv_matrix_linear_system = {
    .size = sizeof(DvClass),
    .name = "MatrixLinearSystem",
    .variants =
        "BTDMatrix6d BlockDiagonalMatrixMat3x3d CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d "
        "CompressedRowSparseMatrixMat4x4d CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d "
        "CompressedRowSparseMatrixd DiagonalMatrix FullMatrix RotationMatrixd SparseMatrix",
    .default_variant = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSystem",
    .help = "The assembled matrix of all that is below a linear solver.",
    MATRIX_LINEAR_SYSTEM_CLASS(ops, "TypedMatrixLinearSystem"),
};

/* A MatrixLinearSystem, or one of its kind; NULL: it assembles nothing that could be looked at. */
static MatrixLinearSystem *self_of(DvObject *system)
{
    const DvLinearSystemOps *system_ops = dv_object_ops(system, DV_LINEAR_SYSTEM);
    return system_ops && system_ops->assemble == dv_matrix_linear_system_assemble ? dv_object_self(system) : NULL;
}

bool dv_matrix_linear_system_watch(DvObject *system, MatrixWatcher *watcher)
{
    MatrixLinearSystem *self = self_of(system);
    if (self == NULL)
        return false;
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

void dv_linear_system_keep(DvObject *system)
{
    MatrixLinearSystem *self = system != NULL ? self_of(system) : NULL;
    if (self != NULL)
        self->keeps = true;
    else if (system != NULL && dv_object_class(system) == &dv_rotation_matrix_system)
        dv_rotation_matrix_system_keep(system);
}

void dv_linear_system_give(DvObject *system)
{
    MatrixLinearSystem *self = system != NULL ? self_of(system) : NULL;
    if (self != NULL)
        self->gives = true;
    else if (system != NULL && dv_object_class(system) == &dv_rotation_matrix_system)
        dv_rotation_matrix_system_give(system);
}

bool dv_matrix_linear_system_gave(DvObject *system)
{
    const MatrixLinearSystem *self = system != NULL ? self_of(system) : NULL;
    return self != NULL && self->gave;
}

bool dv_matrix_linear_system_is_watched(DvObject *system)
{
    const MatrixLinearSystem *self = self_of(system);
    return self != NULL && self->watchers != NULL;
}
