/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RotationMatrixSystem: the linear system of a WarpPreconditioner. It says how often the preconditioner's own solver gets the matrix of the
 * present positions, the first time and then every assemblingRate times; the other times that of the last one is turned with the bodies.
 */
#include "system/rotation_matrix_system.h"

#include <divan/plugin.h>

typedef struct RotationMatrixSystem {
    DvData matrix_size, assembling_rate;
    DvLink main_link, finder_link;
    RotatedUnknowns unknowns;
    const DvMechanicalOperationsOps *ops;
    DvLinearSystemUse main; /* NULL: not known yet */
    uint32_t since;         /* buildings since the last matrix */
    bool built, fresh;      /* there is one since init or reset; in the last building */
} RotationMatrixSystem;

static const DvField fields[] = {
    DV_FIELD(RotationMatrixSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0", .flags = DV_FIELD_READ_ONLY,
             .help = "rows and columns of the last matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD(RotationMatrixSystem, assembling_rate, "assemblingRate", dv_type_uint, .init = "1",
             .range = &dv_range_count, .flags = DV_FIELD_LENIENT,
             .help = "the matrix is made anew every so many times, and turned in between"),
    DV_LINK(RotationMatrixSystem, main_link, "mainSystem", DV_LINEAR_SYSTEM,
            .help = "system whose matrix is turned: that of the preconditioner's solver"),
    DV_LINK(RotationMatrixSystem, finder_link, "rotationFinder", DV_ROTATIONS,
            .help = "what knows how far bodies have turned; default: the first in the node or above, else below"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    RotationMatrixSystem *self = self_;
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (self->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    return rotated_unknowns_find(&self->unknowns, object, &self->finder_link, true);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    RotationMatrixSystem *self = self_;
    rotated_unknowns_free(&self->unknowns);
    self->built = self->fresh = false;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    ((RotationMatrixSystem *)self_)->built = false;
}

static bool is_matrix_free(void *self)
{
    (void)self;
    return false;
}

static const DvBlockMatrix *assemble(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    const RotationMatrixSystem *self = self_;
    return self->main.ops ? self->main.ops->assemble(self->main.self, m, step, factors) : NULL;
}

static const DvBlockMatrix *whole(void *self_)
{
    const RotationMatrixSystem *self = self_;
    return self->main.ops && self->fresh ? dv_linear_system_whole(self->main) : NULL;
}

static bool may_be_skipped(void *self)
{
    (void)self;
    return false;
}

static void skip(void *self, size_t unknowns)
{
    (void)self;
    (void)unknowns;
}

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = is_matrix_free,
    .assemble = assemble,
    .whole = whole,
    .may_be_skipped = may_be_skipped,
    .skip = skip,
};

const DvClass dv_rotation_matrix_system = {
    .size = sizeof(DvClass),
    .name = "RotationMatrixSystem",
    .variants = "RotationMatrixd",
    .bases = (const char *const[]){"TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .help = "The matrix of an earlier step, turned with the bodies.",
    .instance_size = sizeof(RotationMatrixSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
    .init = init,
    .reset = reset,
    .reinit = dv_object_initialise_again,
    .cleanup = cleanup,
};

DvStatus dv_rotation_matrix_system_set_main(DvObject *system, DvObject *main)
{
    RotationMatrixSystem *self = dv_object_self(system);
    DvObject *named = dv_link_object(&self->main_link);
    if (dv_link_is_set(&self->main_link) && named == NULL)
        return dv_field_error(&self->main_link.data, -1, "leads to no linear system");
    if (named != NULL && named != main)
        return dv_field_error(&self->main_link.data, -1,
                              "'%s' is not the linear system of the preconditioner's solver, which is '%s'",
                              dv_object_name(named), dv_object_name(main));
    dv_link_set(&self->main_link, main);
    self->main = (DvLinearSystemUse){dv_object_ops(main, DV_LINEAR_SYSTEM), dv_object_self(main), main};
    return DV_OK;
}

bool dv_rotation_matrix_system_is_due(DvObject *system)
{
    RotationMatrixSystem *self = dv_object_self(system);
    self->since++;
    return !self->built || self->since >= dv_data_uint(&self->assembling_rate);
}

void dv_rotation_matrix_system_update(DvObject *system, DvMechanics *m, const DvStep *step, bool fresh)
{
    RotationMatrixSystem *self = dv_object_self(system);
    self->fresh = fresh;
    if (fresh) {
        self->since = 0;
        rotated_unknowns_keep(&self->unknowns, self->ops, m, step);
    } else {
        rotated_unknowns_turn(&self->unknowns, self->ops, m, step);
    }
    self->built = true;
    const uint32_t *size = dv_data_uints(&self->matrix_size, NULL), n = (uint32_t)self->ops->unknowns(m);
    if (size[0] != n)
        dv_data_set(&self->matrix_size, (const uint32_t[]){n, n}, 1);
}

const RotatedUnknowns *dv_rotation_matrix_system_unknowns(DvObject *system)
{
    return &((RotationMatrixSystem *)dv_object_self(system))->unknowns;
}
