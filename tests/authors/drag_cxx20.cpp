// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DragCxx20: f = -c v at each point. A plugin in C++20: tables with designated initialisers, as in C.
#include <divan/contracts/force_field.h>
#include <divan/plugin.h>

namespace
{

struct Drag {
    DvData coefficient, rayleigh_stiffness;
    DvLink mstate;
    DvStateRef state;
};

DvStatus init(DvObject *object, void *self)
{
    Drag &drag = *static_cast<Drag *>(self);
    return dv_state_require(object, &drag.mstate, &drag.state);
}

void cleanup(DvObject *, void *self)
{
    dv_state_release(&static_cast<Drag *>(self)->state);
}

uint32_t states(void *self, DvObject *list[2])
{
    list[0] = static_cast<Drag *>(self)->state.object;
    return list[0] ? 1 : 0;
}

void add_force(void *self, const DvStep *, const DvConstVec *, const DvConstVec *v, const DvVec *f)
{
    const double c = dv_data_double(&static_cast<Drag *>(self)->coefficient);
    for (size_t i = 0; i < size_t{f->count} * f->dim; i++)
        f->at[i] -= c * v->at[i];
}

const DvField fields[] = {
    DV_FIELD(Drag, coefficient, "coefficient", dv_type_double, .init = "1", .unit = "N s/m", .help = "force per velocity"),
    DV_FIELD_RAYLEIGH_STIFFNESS(Drag, rayleigh_stiffness),
    DV_LINK(Drag, mstate, "mstate", DV_STATE, .help = "the state it acts on; that of its node when not given"),
    {},
};
const DvForceFieldOps ops = {.size = sizeof ops, .states = states, .add_force = add_force};
const DvContract contracts[] = {{.id = DV_FORCE_FIELD, .ops = &ops}, {}};
const DvClass drag = {
    .size = sizeof drag,
    .name = "DragCxx20",
    .variants = "Vec3d",
    .family = "force fields",
    .help = "Slows each point in proportion to its velocity.",
    .instance_size = sizeof(Drag),
    .fields = fields,
    .contracts = contracts,
    .init = init,
    .cleanup = cleanup,
};
const DvClass *const classes[] = {&drag, nullptr};

} // namespace

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "test.drag-cxx20",
    .version = "1.0",
    .license = "LGPL-2.1-or-later",
    .help = "A force field in C++20.",
    .classes = classes,
};
