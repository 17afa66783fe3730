/* SPDX-License-Identifier: MIT
 *
 * HarmonicWellForceField: every point is drawn to one centre, f = -k (x - c). An example of a plugin made outside Divan's tree,
 * under a licence of its own, against the installed headers alone.
 */
#include <divan/contracts/fault_cause.h>
#include <divan/contracts/force_field.h>
#include <divan/plugin.h>

typedef struct HarmonicWellForceField {
    DvData centre, stiffness, rayleigh_stiffness;
    DvLink mstate;
    DvStateRef state;
} HarmonicWellForceField;

static DvStatus init(DvObject *object, void *object_self)
{
    HarmonicWellForceField *self = object_self;
    const DvStatus status = dv_state_require(object, &self->mstate, &self->state);
    if (status != DV_OK)
        return status;
    if (!(dv_data_double(&self->stiffness) >= 0))
        return dv_field_error(&self->stiffness, -1, "must not be negative");
    return DV_OK;
}

static void cleanup(DvObject *object, void *object_self)
{
    HarmonicWellForceField *self = object_self;
    (void)object;
    dv_state_release(&self->state);
}

static uint32_t states(void *object_self, DvObject *list[2])
{
    HarmonicWellForceField *self = object_self;
    list[0] = self->state.object;
    return self->state.object ? 1 : 0;
}

static void add_force(void *object_self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    HarmonicWellForceField *self = object_self;
    const double k = dv_data_double(&self->stiffness), *centre = dv_data_doubles(&self->centre, NULL);
    (void)step, (void)v;
    for (uint32_t i = 0; i < 3 * x->count; i++)
        f->at[i] -= k * (x->at[i] - centre[i % 3]);
}

static void add_dforce(void *object_self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    HarmonicWellForceField *self = object_self;
    const double stiffness = k * dv_data_double(&self->stiffness);
    (void)step, (void)b;
    for (uint32_t i = 0; i < 3 * dx->count; i++)
        df->at[i] -= stiffness * dx->at[i];
}

static void reserve(void *object_self, DvPattern *pattern)
{
    HarmonicWellForceField *self = object_self;
    const uint32_t points = dv_state_count(self->state);
    for (uint32_t i = 0; i < points; i++)
        dv_pattern_add(pattern, i, i);
}

static void assemble(void *object_self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    HarmonicWellForceField *self = object_self;
    const double s = -dv_data_double(&self->stiffness);
    const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    const uint32_t points = dv_state_count(self->state);
    (void)step, (void)b;
    for (uint32_t i = 0; i < points; i++)
        dv_view_add(view, i, block, k);
}

static uint64_t structure(void *object_self)
{
    HarmonicWellForceField *self = object_self;
    return dv_state_count(self->state);
}

static double energy(void *object_self, const DvStep *step, const DvConstVec *x)
{
    HarmonicWellForceField *self = object_self;
    const double k = dv_data_double(&self->stiffness), *centre = dv_data_doubles(&self->centre, NULL);
    double sum = 0;
    (void)step;
    for (uint32_t i = 0; i < 3 * x->count; i++)
        sum += 0.5 * k * (x->at[i] - centre[i % 3]) * (x->at[i] - centre[i % 3]);
    return sum;
}

/* A mass m on a spring k: explicit steps beyond 2 sqrt(m / k) grow. */
static double explain(void *object_self, const DvFault *fault, DvText *cause, DvText *remedy)
{
    HarmonicWellForceField *self = object_self;
    const double k = dv_data_double(&self->stiffness);
    if (!self->state.object || !fault->concerns(fault, self->state.object) || !fault->explicit_solver ||
        !(k * fault->dt * fault->dt > 4 * fault->lightest))
        return 0;
    dv_text_add(cause, "well '%s' too steep for the step", dv_object_name(dv_object_of(self)));
    dv_text_add(remedy, "make its stiffness smaller than %g N/m", 4 * fault->lightest / (fault->dt * fault->dt));
    return DV_FAULT_PROVEN;
}

/* What belongs to no object: the plugin itself is asked too. */
static double explain_wells(void *none, const DvFault *fault, DvText *cause, DvText *remedy)
{
    (void)none;
    if (!(fault->dt > 1000))
        return 0;
    dv_text_add(cause, "wells are made for seconds, not for hours");
    dv_text_add(remedy, "use a dt below 1000 s");
    return DV_FAULT_CERTAIN;
}

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};
static const DvFaultCauseOps plugin_cause_ops = {.size = sizeof plugin_cause_ops, .explain = explain_wells};

static const DvField fields[] = {
    DV_FIELD(HarmonicWellForceField, centre, "centre", dv_type_vec3d, .unit = "m",
             .help = "where the points are drawn to"),
    DV_FIELD(HarmonicWellForceField, stiffness, "stiffness", dv_type_double, .init = "1", .unit = "N/m",
             .help = "force per distance"),
    DV_FIELD_RAYLEIGH_STIFFNESS(HarmonicWellForceField, rayleigh_stiffness),
    DV_LINK(HarmonicWellForceField, mstate, "mstate", DV_STATE,
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

static const DvClass harmonic_well = {
    .size = sizeof(DvClass),
    .name = "HarmonicWellForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = (const DvVariantSource[]){{"mstate", "", DV_STATE}, {0}},
    .family = "force fields",
    .help = "Draws every point to one centre.",
    .instance_size = sizeof(HarmonicWellForceField),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_FAULT_CAUSE, .ops = &cause_ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "example.harmonic-well",
    .version = "1.0",
    .license = "MIT",
    .help = "A force field made outside Divan's tree.",
    .offers = (const DvContract[]){{.id = DV_FAULT_CAUSE, .ops = &plugin_cause_ops}, {0}},
    .classes = (const DvClass *const[]){&harmonic_well, NULL},
};
