/* SPDX-License-Identifier: MIT
 *
 * DryBrakeConstraint: a brake on each value of a state, which holds it up to a largest force and beyond that slides under it (Coulomb).
 * An example of a Lagrangian constraint with a law of its own, made outside Divan's tree.
 *
 *   d = x - x at the beginning of the step, or v;   |lambda| <= force dt, and d = 0 unless it is as large as that
 */
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/plugin.h>

typedef struct DryBrakeConstraint {
    DvData force;
    DvLink mstate;
    DvStateRef state;
    DvVecId begin; /* positions at the beginning of the step */
} DryBrakeConstraint;

static DvStatus init(DvObject *object, void *object_self)
{
    DryBrakeConstraint *self = object_self;
    return dv_state_require(object, &self->mstate, &self->state);
}

static void cleanup(DvObject *object, void *object_self)
{
    DryBrakeConstraint *self = object_self;
    (void)object;
    dv_state_release(&self->state);
}

static uint32_t states(void *object_self, DvObject **list, uint32_t capacity)
{
    DryBrakeConstraint *self = object_self;
    if (self->state.object && capacity > 0)
        list[0] = self->state.object;
    return self->state.object ? 1 : 0;
}

static void resolve(const DvConstraintBlock *block, const double *w, double *d, double *lambda)
{
    const double wanted = *lambda - *d / *w, most = block->p[0];
    *lambda = wanted > most ? most : wanted < -most ? -most : wanted;
}

static const DvOwnLaw brake = {.resolve = resolve};

static DvStatus build(void *object_self, const DvStep *step, DvConstraintRows *rows)
{
    DryBrakeConstraint *self = object_self;
    const double force = dv_data_double(&self->force);
    const uint32_t points = dv_state_count(self->state);
    if (!(force >= 0))
        return dv_field_error(&self->force, -1, "must not be negative");
    self->begin = step->position;
    for (uint32_t i = 0; i < points; i++) {
        *dv_entry_add(rows->of_state[0], rows->next, i) = 1;
        DvConstraintBlock *block = dv_block_add(rows, DV_LAW_OWN, 1);
        block->own = &brake;
        block->p[0] = force * step->dt;
    }
    return DV_OK;
}

static DvStatus violation(void *object_self, const DvStep *step, DvConstraintOrder order, double *d)
{
    DryBrakeConstraint *self = object_self;
    const bool of_positions = order == DV_CONSTRAIN_POSITION;
    const DvConstVec now = dv_state_read(self->state, of_positions ? step->position : step->velocity);
    const DvConstVec before = dv_state_read(self->state, self->begin);
    for (uint32_t i = 0; i < now.count; i++)
        d[i] = of_positions ? now.at[i] - before.at[i] : now.at[i];
    return DV_OK;
}

static const DvField fields[] = {
    DV_FIELD(DryBrakeConstraint, force, "force", dv_type_double, .init = "1", .unit = "N",
             .help = "largest force of the brake, on each value"),
    DV_LINK(DryBrakeConstraint, mstate, "mstate", DV_STATE,
            .help = "the state it brakes; that of its node when not given"),
    {0},
};

static const DvLagrangianConstraintOps ops = {
    .size = sizeof ops,
    .states = states,
    .build = build,
    .violation = violation,
};

static const DvClass dry_brake = {
    .size = sizeof(DvClass),
    .name = "DryBrakeConstraint",
    .variants = "Vec1d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{"mstate", "", DV_STATE}, {0}},
    .family = "Lagrangian constraints",
    .help = "Holds values by dry friction.",
    .instance_size = sizeof(DryBrakeConstraint),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LAGRANGIAN_CONSTRAINT, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.dry-brake",
    .version = "1.0",
    .license = "MIT",
    .help = "A Lagrangian constraint made outside Divan's tree.",
    .classes = (const DvClass *const[]){&dry_brake, NULL},
};
