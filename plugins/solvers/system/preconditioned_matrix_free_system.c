/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PreconditionedMatrixFreeSystem: a matrix-free system whose solver has a preconditioner, and how often that is built anew:
 * the first time, then every assemblingRate times that the solver's system is built.
 */
#include "without_matrix.h"

#include "system/linear_system.h"

typedef struct PreconditionedMatrixFreeSystem {
    DvData matrix_size;
    DvData assembling_rate;
    DvLink preconditioner_system;
    uint32_t since; /* buildings since the preconditioner's last one */
    bool built;     /* there was one since init or reset */
} PreconditionedMatrixFreeSystem;

static const DvField fields[] = {
    DV_FIELD(PreconditionedMatrixFreeSystem, matrix_size, "matrixSize", dv_type_vec2u, .init = "0 0",
             .flags = DV_FIELD_READ_ONLY, .help = "always zero: there is no matrix"),
    DV_FIELD_HELD("enableAssembly", dv_type_bool, .init = "1", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                  .help = "internal"),
    DV_FIELD(PreconditionedMatrixFreeSystem, assembling_rate, "assemblingRate", dv_type_uint, .init = "1",
             .range = &dv_range_count, .flags = DV_FIELD_LENIENT, .aliases = (const char *const[]){"update_step", NULL},
             .help = "the preconditioner is built anew every so many times"),
    DV_LINK(PreconditionedMatrixFreeSystem, preconditioner_system, "preconditionerSystem", DV_LINEAR_SYSTEM,
            .help = "system of the preconditioner; set by the solver"),
    {0},
};

static void reset(DvObject *object, void *self_)
{
    (void)object;
    ((PreconditionedMatrixFreeSystem *)self_)->built = false;
}

static const DvLinearSystemOps ops = {
    .size = sizeof(DvLinearSystemOps),
    .is_matrix_free = without_matrix,
    .assemble = assemble_nothing,
};

const DvClass dv_preconditioned_matrix_free_system = {
    .size = sizeof(DvClass),
    .name = "PreconditionedMatrixFreeSystem",
    .variants = "GraphScattered",
    .bases = (const char *const[]){"MatrixFreeSystem", "TypedMatrixLinearSystem", NULL},
    .family = "linear systems",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "The linear system of a preconditioned solver that multiplies without a matrix.",
    .instance_size = sizeof(PreconditionedMatrixFreeSystem),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SYSTEM, .ops = &ops}, {0}},
    .reset = reset,
};

bool dv_preconditioned_system_is_due(DvObject *system)
{
    PreconditionedMatrixFreeSystem *self = dv_object_self(system);
    self->since++;
    if (self->built && self->since < dv_data_uint(&self->assembling_rate))
        return false;
    self->built = true;
    self->since = 0;
    return true;
}

void dv_preconditioned_system_set_preconditioner(DvObject *system, DvObject *preconditioner_system)
{
    PreconditionedMatrixFreeSystem *self = dv_object_self(system);
    if (dv_link_object(&self->preconditioner_system) != preconditioner_system)
        dv_link_set(&self->preconditioner_system, preconditioner_system);
}
