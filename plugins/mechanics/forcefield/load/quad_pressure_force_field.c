/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QuadPressureForceField: a force per area on some quads of a mesh.
 *
 *   each point of a quad gets p A / 4      p: pressure, A: area at rest
 *
 * The quads are those of a list, else those between two planes at rest. They stay loaded when the mesh changes, see element_set.h.
 */
#include "forcefield/load/element_set.h"

typedef struct QuadPressureForceField {
    SingleState base;
    DvLink topology_link;
    DvData pressure, list, normal, dmin, dmax, show_forces, info;

    DvTopologyRef topology;
    ElementSet set;
    uint64_t version; /* of the list */
} QuadPressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(QuadPressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    SINGLE_STATE_FIELDS(QuadPressureForceField, base),
    DV_LINK(QuadPressureForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh; that of the node by default"),
    FIELD(pressure, "pressure", dv_type_vec3d, .unit = "Pa", .help = "force per area of the rest shape"),
    FIELD(list, "quadList", dv_type_uints,
          .help = "quads that are loaded; they stay so when the mesh changes, and what they are split into"),
    FIELD(normal, "normal", dv_type_vec3d, .help = "of the planes between which quads are loaded, without a list"),
    FIELD(dmin, "dmin", dv_type_double, .init = "0", .unit = "m",
          .help = "first plane: x . normal is larger at all points of a quad"),
    FIELD(dmax, "dmax", dv_type_double, .init = "0", .unit = "m",
          .help = "second plane: x . normal is smaller; the same as dmin: none"),
    FIELD(show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded quads"),
    FIELD(info, "quadPressureMap", dv_type_doubles, .unit = "m^2",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "area of each quad that is loaded at the start"),
    {0},
};

static uint64_t version_of(QuadPressureForceField *self)
{
    return dv_data_version(&self->list) + dv_data_version(&self->normal) + dv_data_version(&self->dmin) +
           dv_data_version(&self->dmax);
}

static DvStatus select_elements(QuadPressureForceField *self)
{
    self->version = version_of(self);
    DvStatus status = element_set_start(&self->set, self->topology.object, DV_QUADS);
    if (status != DV_OK)
        return status;
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    status = element_set_add_list(&self->set, &self->list, "quad", true);
    if (status == DV_OK && self->set.count == 0 && dmin != dmax)
        element_set_add_between(&self->set, &self->topology, &rest, dv_data_doubles(&self->normal, NULL), dmin, dmax);
    return status;
}

static bool update(QuadPressureForceField *self)
{
    if (self->version != version_of(self) && select_elements(self) != DV_OK)
        return false;
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    element_set_measure(&self->set, &self->topology, &rest);
    return true;
}

static DvStatus init(DvObject *object, void *self_)
{
    QuadPressureForceField *self = self_;
    DvConstVec rest;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of quads", &self->topology);
    if (status == DV_OK)
        status = state_at_rest(object, self->base.state, &rest);
    if (status == DV_OK)
        status = select_elements(self);
    if (status != DV_OK) {
        single_state_release(&self->base);
        return status;
    }
    element_set_measure(&self->set, &self->topology, &rest);
    if (self->set.count == 0)
        dv_field_warning(&self->list, -1, "names no quad, and no planes do: nothing is loaded");
    double *info = dv_data_begin_all(&self->info, self->set.count);
    for (uint32_t i = 0; i < self->set.count; i++)
        info[i] = self->set.at[i].size;
    dv_data_end(&self->info);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    QuadPressureForceField *self = self_;
    element_set_leave(&self->set);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    element_set_free(&((QuadPressureForceField *)self_)->set);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)x;
    (void)v;
    QuadPressureForceField *self = self_;
    if (!update(self))
        return;
    const DvElements quads = dv_topology_elements(&self->topology, DV_QUADS);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->pressure, NULL));
    for (uint32_t i = 0; i < self->set.count; i++) {
        const LoadedElement *one = &self->set.at[i];
        const DvVec3 force = dv_vec3_scale(pressure, one->share * one->size / 4.0);
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t point = quads.at[4 * (size_t)one->element + n];
            double *at = f->at + 3 * (size_t)point;
            if (point < f->count)
                dv_vec3_store(dv_vec3_add(dv_vec3_load(at), force), at);
        }
    }
}

static const DvForceFieldOps ops = {
    .size = sizeof ops,
    .states = single_state_states,
    .add_force = add_force,
    .add_dforce = load_add_dforce,
    .reserve = load_reserve,
    .assemble = load_assemble,
    .structure = load_structure,
};

static void draw(void *self_, DvDraw *target)
{
    QuadPressureForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops || !dv_data_bool(&self->show_forces))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    element_set_draw(&self->set, &self->topology, target, &x);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_quad_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "QuadPressureForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = single_state_sources,
    .bases = (const char *const[]){"ForceField", NULL},
    .family = "force fields",
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per area on quads.",
    .instance_size = sizeof(QuadPressureForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
