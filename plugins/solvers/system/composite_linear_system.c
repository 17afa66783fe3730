/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CompositeLinearSystem: several linear systems at once. The solver has the matrix of one of them, `solverLinearSystem`; the others are
 * there to be looked at, and are assembled as long as somebody does (GlobalSystemMatrixImage).
 *
 * All of them are of the same mechanics, whose matrix holds until the next assembly: that of the solver comes last.
 */
#include "system/linear_system.h"

#include <divan/memory.h>
#include <divan/plugin.h>

#include <string.h>

typedef struct CompositeLinearSystem {
    DvData matrix_size;
    DvLink systems_link, solver_system_link;
    const DvMechanicalOperationsOps *mechanics;
    DvLinearSystemUse solver_system;
    DvLinearSystemUse *others; /* [count] */
    size_t count;
} CompositeLinearSystem;

static const DvField fields[] = {
    DV_FIELD(CompositeLinearSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0",
             .flags = DV_FIELD_READ_ONLY, .help = "rows and columns of the solver's matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_LINK(CompositeLinearSystem, systems_link, "linearSystems", DV_LINEAR_SYSTEM, .many = true,
            .help = "the linear systems"),
    DV_LINK(CompositeLinearSystem, solver_system_link, "solverLinearSystem", DV_LINEAR_SYSTEM,
            .help = "the one whose matrix the solver has; default: the first of the same template"),
    {0},
};

static bool is_matrix_free(void *self)
{
    return strcmp(dv_object_variant(dv_object_of(self)), "GraphScattered") == 0;
}

static DvLinearSystemUse use_of(DvObject *object)
{
    return (DvLinearSystemUse){dv_object_ops(object, DV_LINEAR_SYSTEM), dv_object_self(object), object};
}

/* The solver's among those that are listed, by default. */
static DvObject *first_of_same_template(const DvObject *object, const DvLink *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->objects[i] != NULL && strcmp(dv_object_variant(list->objects[i]), dv_object_variant(object)) == 0)
            return list->objects[i];
    return NULL;
}

static DvStatus find_solver_system(DvObject *object, CompositeLinearSystem *self)
{
    DvObject *found = dv_link_object(&self->solver_system_link);
    if (dv_link_is_set(&self->solver_system_link) && found == NULL)
        return dv_field_error(&self->solver_system_link.data, -1, "leads to no linear system");
    if (found == NULL)
        found = first_of_same_template(object, &self->systems_link);
    if (found == NULL)
        return dv_error(
            object, DV_ERROR_MISSING,
            "has no linear system of its template %s for the solver: list one in linearSystems, or name it by "
            "solverLinearSystem",
            dv_object_variant(object));
    if (found == object)
        return dv_field_error(&self->solver_system_link.data, -1, "leads to itself");
    dv_link_set(&self->solver_system_link, found);
    const DvStatus status = dv_object_require(object, found);
    if (status != DV_OK)
        return status;
    self->solver_system = use_of(found);
    if (self->solver_system.ops->is_matrix_free(self->solver_system.self) != is_matrix_free(self))
        return dv_field_error(&self->solver_system_link.data, -1,
                              "'%s' is of another template than this system, of which one assembles and one does not",
                              dv_object_name(found));
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    CompositeLinearSystem *self = self_;
    const DvLink *list = &self->systems_link;
    self->mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->mechanics == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    const DvStatus status = find_solver_system(object, self);
    if (status != DV_OK)
        return status;
    self->others = dv_alloc(list->count, sizeof *self->others);
    for (size_t i = 0; i < list->count; i++) {
        DvObject *listed = list->objects[i];
        if (listed == NULL)
            return dv_field_error(&list->data, (int64_t)i, "leads to no linear system");
        if (listed == object)
            return dv_field_error(&list->data, (int64_t)i, "leads to itself");
        if (listed == self->solver_system.object)
            continue;
        const DvStatus required = dv_object_require(object, listed);
        if (required != DV_OK)
            return required;
        self->others[self->count++] = use_of(listed);
    }
    return DV_OK;
}

static void set_size(CompositeLinearSystem *self, size_t unknowns)
{
    const uint32_t *size = dv_data_uints(&self->matrix_size, NULL), n = (uint32_t)unknowns;
    if (size[0] != n)
        dv_data_set(&self->matrix_size, (const uint32_t[]){n, n}, 1);
}

static const DvBlockMatrix *assemble(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    CompositeLinearSystem *self = self_;
    const size_t unknowns = self->mechanics->unknowns(m);
    for (size_t i = 0; i < self->count; i++) {
        const DvLinearSystemUse other = self->others[i];
        if (other.ops->is_matrix_free(other.self))
            continue;
        if (other.ops->skip != NULL && !dv_matrix_linear_system_is_watched(other.object))
            other.ops->skip(other.self, unknowns);
        else if (other.ops->assemble(other.self, m, step, factors) == NULL)
            return NULL;
    }
    set_size(self, unknowns);
    return self->solver_system.ops->assemble(self->solver_system.self, m, step, factors);
}

static const DvBlockMatrix *whole(void *self)
{
    return dv_linear_system_whole(((const CompositeLinearSystem *)self)->solver_system);
}

static bool may_be_skipped(void *self_)
{
    const CompositeLinearSystem *self = self_;
    bool may = dv_linear_system_may_be_skipped(self->solver_system);
    for (size_t i = 0; i < self->count && may; i++)
        may = !dv_matrix_linear_system_is_watched(self->others[i].object);
    return may;
}

static void skip(void *self_, size_t unknowns)
{
    CompositeLinearSystem *self = self_;
    set_size(self, unknowns);
    self->solver_system.ops->skip(self->solver_system.self, unknowns);
    for (size_t i = 0; i < self->count; i++)
        if (self->others[i].ops->skip != NULL)
            self->others[i].ops->skip(self->others[i].self, unknowns);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    CompositeLinearSystem *self = self_;
    dv_free(self->others);
    self->others = NULL;
    self->count = 0;
}

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = is_matrix_free,
    .assemble = assemble,
    .whole = whole,
    .may_be_skipped = may_be_skipped,
    .skip = skip,
};

const DvClass dv_composite_linear_system = {
    .size = sizeof(DvClass),
    .name = "CompositeLinearSystem",
    .variants =
        "BTDMatrix6d BlockDiagonalMatrixMat3x3d CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d "
        "CompressedRowSparseMatrixMat4x4d CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d "
        "CompressedRowSparseMatrixd DiagonalMatrix FullMatrix GraphScattered RotationMatrixd SparseMatrix",
    .default_variant = "BTDMatrix6d",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSystem",
    .help = "Several linear systems, one of which is the solver's.",
    .instance_size = sizeof(CompositeLinearSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
    .init = init,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
};
