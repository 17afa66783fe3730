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
    DvData buildings; /* since the preconditioner's last one, and that one; 0: there was none */
    uint32_t since;   /* buildings since the preconditioner's last one */
    bool built;       /* there was one since init or reset */
    bool resumes;     /* it was one of a run that goes on, and is to be made again */
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
    DV_FIELD(PreconditionedMatrixFreeSystem, buildings, "buildings", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "of the system since the preconditioner was built"),
    {0},
};

static void say(PreconditionedMatrixFreeSystem *self, uint32_t buildings)
{
    if (dv_data_uint(&self->buildings) != buildings)
        dv_data_set_uint(&self->buildings, buildings);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    PreconditionedMatrixFreeSystem *self = self_;
    self->built = self->resumes = false;
    say(self, 0);
}

static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    PreconditionedMatrixFreeSystem *self = self_;
    const uint32_t buildings = dv_data_uint(&self->buildings);
    self->built = self->resumes = buildings > 0;
    self->since = buildings > 0 ? buildings - 1 : 0;
    return DV_OK;
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
    .restore = restore,
};

bool dv_preconditioned_system_builds_each(DvObject *system)
{
    PreconditionedMatrixFreeSystem *self = dv_object_self(system);
    return dv_data_uint(&self->assembling_rate) <= 1;
}

bool dv_preconditioned_system_is_due(DvObject *system)
{
    PreconditionedMatrixFreeSystem *self = dv_object_self(system);
    DvObject *preconditioner = dv_link_object(&self->preconditioner_system);
    const uint32_t rate = dv_data_uint(&self->assembling_rate);
    const bool resumes = self->resumes;
    self->since++;
    self->resumes = false;
    if (self->built && self->since < rate) {
        say(self, self->since + 1);
        if (resumes)
            dv_linear_system_give(preconditioner);
        return resumes;
    }
    self->built = true;
    self->since = 0;
    if (rate > 1) { /* else it is built in each step */
        say(self, 1);
        dv_linear_system_keep(preconditioner);
    }
    return true;
}

void dv_preconditioned_system_set_preconditioner(DvObject *system, DvObject *preconditioner_system)
{
    PreconditionedMatrixFreeSystem *self = dv_object_self(system);
    if (dv_link_object(&self->preconditioner_system) != preconditioner_system)
        dv_link_set(&self->preconditioner_system, preconditioner_system);
}
