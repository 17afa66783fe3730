// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DragCxx17: f = -c v at each point. A plugin in C++17: tables by <divan/cxx.h>, other structs filled by name in constant
// expressions.
#include <divan/contracts/force_field.h>
#include <divan/cxx.h>
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

constexpr DvField fields[] = {
    DV_CXX_FIELD(Drag, coefficient, "coefficient", dv_type_double).init("1").unit("N s/m").help("force per velocity"),
    DV_CXX_FIELD(Drag, rayleigh_stiffness, "rayleighStiffness", dv_type_double).init("0").unit("s").help("damping by stiffness"),
    DV_CXX_LINK(Drag, mstate, "mstate", DV_STATE).help("the state it acts on; that of its node when not given"),
    {},
};

constexpr DvForceFieldOps ops = [] {
    DvForceFieldOps o{};
    o.size = sizeof o;
    o.states = states;
    o.add_force = add_force;
    return o;
}();

constexpr DvContract contracts[] = {{DV_FORCE_FIELD, &ops, false, false}, {}};

constexpr DvClass drag = [] {
    DvClass c{};
    c.size = sizeof c;
    c.name = "DragCxx17";
    c.variants = "Vec3d";
    c.family = "force fields";
    c.help = "Slows each point in proportion to its velocity.";
    c.instance_size = sizeof(Drag);
    c.fields = fields;
    c.contracts = contracts;
    c.init = init;
    c.cleanup = cleanup;
    return c;
}();

const DvClass *const classes[] = {&drag, nullptr};

} // namespace

DV_PLUGIN = [] {
    DvPlugin p{};
    p.size = sizeof p;
    p.abi = DV_ABI_STAMP;
    p.id = "test.drag-cxx17";
    p.version = "1.0";
    p.license = "LGPL-2.1-or-later";
    p.help = "A force field in C++17.";
    p.classes = classes;
    return p;
}();
