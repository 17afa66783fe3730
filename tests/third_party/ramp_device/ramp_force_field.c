/* SPDX-License-Identifier: MIT
 *
 * RampForceField: nothing up to a plane; beyond it a force back that rises with the distance, f = -k max(0, n . x - start) n.
 */
#include "ramp.h"

#include <divan/contracts/force_field.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <string.h>

typedef struct RampForceField {
    DvData normal, start, stiffness, rayleigh_stiffness;
    DvLink mstate;
    DvStateRef state;
    bool *beyond; /* [points] of the last force */
    uint32_t points;
    double unit[3], numbers[2]; /* of the operator */
} RampForceField;

static DvStatus init(DvObject *object, void *object_self)
{
    RampForceField *self = object_self;
    const double *n = dv_data_doubles(&self->normal, NULL);
    if (!(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0))
        return dv_field_error(&self->normal, -1, "has no direction");
    if (!(dv_data_double(&self->stiffness) >= 0))
        return dv_field_error(&self->stiffness, -1, "must not be negative");
    return dv_state_require(object, &self->mstate, &self->state);
}

static void cleanup(DvObject *object, void *object_self)
{
    RampForceField *self = object_self;
    (void)object;
    dv_state_release(&self->state);
    dv_free(self->beyond);
    self->beyond = NULL;
    self->points = 0;
}

static uint32_t states(void *object_self, DvObject *list[2])
{
    RampForceField *self = object_self;
    list[0] = self->state.object;
    return self->state.object ? 1 : 0;
}

static void read_fields(RampForceField *self)
{
    const double *n = dv_data_doubles(&self->normal, NULL), length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3; c++)
        self->unit[c] = n[c] / length;
    self->numbers[0] = dv_data_double(&self->start);
    self->numbers[1] = dv_data_double(&self->stiffness);
}

static double along(const RampForceField *self, const double *x)
{
    return self->unit[0] * x[0] + self->unit[1] * x[1] + self->unit[2] * x[2];
}

static void add_force(void *object_self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    RampForceField *self = object_self;
    (void)step, (void)v;
    read_fields(self);
    if (self->points != x->count) {
        dv_free(self->beyond);
        self->beyond = dv_alloc((size_t)x->count + 1, sizeof *self->beyond);
        self->points = x->count;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        const double far = along(self, x->at + (size_t)3 * i) - self->numbers[0];
        self->beyond[i] = far > 0.0;
        for (int c = 0; c < 3 && far > 0.0; c++)
            f->at[3 * i + (uint32_t)c] -= self->numbers[1] * far * self->unit[c];
    }
}

static void add_dforce(void *object_self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    RampForceField *self = object_self;
    (void)step, (void)b;
    for (uint32_t i = 0; i < dx->count && i < self->points; i++)
        for (int c = 0; c < 3 && self->beyond[i]; c++)
            df->at[3 * i + (uint32_t)c] -= k * self->numbers[1] * along(self, dx->at + (size_t)3 * i) * self->unit[c];
}

static void reserve(void *object_self, DvPattern *pattern)
{
    RampForceField *self = object_self;
    const uint32_t points = dv_state_count(self->state);
    for (uint32_t i = 0; i < points; i++)
        dv_pattern_add(pattern, i, i);
}

static void assemble(void *object_self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    RampForceField *self = object_self;
    const double zero[9] = {0};
    double block[9];
    (void)step, (void)b;
    read_fields(self);
    for (int i = 0; i < 9; i++)
        block[i] = -self->numbers[1] * self->unit[i / 3] * self->unit[i % 3];
    for (uint32_t i = 0; i < self->points; i++)
        dv_view_add(view, i, self->beyond[i] ? block : zero, k);
}

static uint64_t structure(void *object_self)
{
    return dv_state_count(((RampForceField *)object_self)->state);
}

static double energy(void *object_self, const DvStep *step, const DvConstVec *x)
{
    RampForceField *self = object_self;
    double sum = 0;
    (void)step;
    read_fields(self);
    for (uint32_t i = 0; i < x->count; i++) {
        const double far = along(self, x->at + (size_t)3 * i) - self->numbers[0];
        sum += far > 0.0 ? 0.5 * self->numbers[1] * far * far : 0.0;
    }
    return sum;
}

/* ---- The operator "ramp": normal [1][3], of length 1; ramp [1][2] start m, stiffness N/m ---- */

static uint64_t version(void *object_self)
{
    RampForceField *self = object_self;
    return dv_data_version(&self->normal) + dv_data_version(&self->start) + dv_data_version(&self->stiffness);
}

static void describe(void *object_self, DvOperator *out)
{
    RampForceField *self = object_self;
    read_fields(self);
    out->name = "ramp";
    dv_operator_add_numbers(out, "normal", self->unit, 1, 3, version(self));
    dv_operator_add_numbers(out, "ramp", self->numbers, 1, 2, version(self));
}

static const DvField fields[] = {
    DV_FIELD(RampForceField, normal, "normal", dv_type_vec3d, .init = "0 1 0", .help = "which way it rises"),
    DV_FIELD(RampForceField, start, "start", dv_type_double, .init = "0", .unit = "m",
             .help = "distance from the origin at which it begins"),
    DV_FIELD(RampForceField, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "force per distance"),
    DV_FIELD_RAYLEIGH_STIFFNESS(RampForceField, rayleigh_stiffness),
    DV_LINK(RampForceField, mstate, "mstate", DV_STATE,
            .help = "the state it acts on; that of its node when not given"),
    {0},
};

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = states,
    .add_force = add_force,
    .add_dforce = add_dforce,
    .reserve = reserve,
    .assemble = assemble,
    .structure = structure,
    .energy = energy,
};
static const DvOperatorOps operator_ops = {.size = sizeof operator_ops, .version = version, .describe = describe};

const DvClass ramp_force_field = {
    .size = sizeof(DvClass),
    .name = "RampForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{"mstate", "", DV_STATE}, {0}},
    .family = "force fields",
    .help = "Draws points back that are beyond a plane.",
    .instance_size = sizeof(RampForceField),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_OPERATOR, .ops = &operator_ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};
