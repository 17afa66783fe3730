/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin for tests of solvers: the class Drag, f = -3 v, B = -3 I.
 */
#include <divan/contracts/force_field.h>
#include <divan/plugin.h>

static const double drag = 3.0;

typedef struct Drag {
    DvStateRef state;
} Drag;

static DvStatus init(DvObject *object, void *self)
{
    return dv_state_require(object, NULL, &((Drag *)self)->state);
}

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    dv_state_release(&((Drag *)self)->state);
}

static uint32_t states(void *self, DvObject *states[2])
{
    states[0] = ((Drag *)self)->state.object;
    return states[0] ? 1 : 0;
}

static void add_force(void *self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)self, (void)step, (void)x;
    for (size_t i = 0; i < (size_t)f[0].count * f[0].dim; i++)
        f[0].at[i] -= drag * v[0].at[i];
}

static void add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df)
{
    (void)self, (void)step, (void)k;
    for (size_t i = 0; i < (size_t)df[0].count * df[0].dim; i++)
        df[0].at[i] -= b * drag * dx[0].at[i];
}

static const DvForceFieldOps ops = {
    .size = sizeof(DvForceFieldOps), .states = states, .add_force = add_force, .add_dforce = add_dforce};

static const DvClass drag_field = {
    .size = sizeof(DvClass),
    .name = "Drag",
    .variants = "Vec1d",
    .family = "tests",
    .help = "Slows each point.",
    .instance_size = sizeof(Drag),
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {0}},
    .init = init,
    .cleanup = cleanup,
};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.test-drag",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .help = "For tests.",
    .classes = (const DvClass *const[]){&drag_field, NULL},
};
