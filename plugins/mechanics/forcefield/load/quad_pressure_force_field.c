/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * QuadPressureForceField: a force per area on some quads of a mesh.
 *
 *   each point of a quad gets p A / 4      p: pressure, A: area at rest
 *
 * The quads are those of a list, else those between two planes at rest. They stay loaded when the mesh changes, see element_set.h.
 */
#include <divan/kit/element_load.h>

typedef struct QuadPressureForceField {
    DvElementLoad load;
    DvData list, normal, dmin, dmax;
} QuadPressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(QuadPressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(QuadPressureForceField, load.base),
    DV_ELEMENT_LOAD_TOPOLOGY(QuadPressureForceField),
    FIELD(load.pressure, "pressure", dv_type_vec3d, .unit = "Pa", .help = "force per area of the rest shape"),
    FIELD(list, "quadList", dv_type_uints,
          .help = "quads that are loaded; they stay so when the mesh changes, and what they are split into"),
    FIELD(normal, "normal", dv_type_vec3d, .help = "of the planes between which quads are loaded, without a list"),
    FIELD(dmin, "dmin", dv_type_double, .init = "0", .unit = "m",
          .help = "first plane: x . normal is larger at all points of a quad"),
    FIELD(dmax, "dmax", dv_type_double, .init = "0", .unit = "m",
          .help = "second plane: x . normal is smaller; the same as dmin: none"),
    FIELD(load.show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded quads"),
    FIELD(load.info, "quadPressureMap", dv_type_doubles, .unit = "m^2",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "area of each quad that is loaded at the start"),
    {0},
};

static uint64_t version_of(void *self_)
{
    QuadPressureForceField *self = self_;
    return dv_element_load_list_version(&self->list) + dv_data_version(&self->normal) + dv_data_version(&self->dmin) +
           dv_data_version(&self->dmax);
}

static DvStatus select_elements(void *self_)
{
    QuadPressureForceField *self = self_;
    DvElementLoad *load = &self->load;
    const double dmin = dv_data_double(&self->dmin), dmax = dv_data_double(&self->dmax);
    const DvConstVec rest = dv_state_read(load->base.state, DV_REST_POSITION);
    const DvStatus status = dv_element_set_add_list(&load->set, &self->list, "quad", true);
    if (status == DV_OK && load->set.count == 0 && dmin != dmax)
        dv_element_set_add_between(&load->set, &load->topology, &rest, dv_data_doubles(&self->normal, NULL), dmin,
                                   dmax);
    return status;
}

static const DvElementLoadKind kind = {DV_QUADS, "a container of quads", version_of, select_elements};

static DvStatus init(DvObject *object, void *self_)
{
    QuadPressureForceField *self = self_;
    const DvStatus status = dv_element_load_init(object, &self->load, &kind);
    if (status == DV_OK && self->load.set.count == 0)
        dv_field_warning(&self->list, -1, "names no quad, and no planes do: nothing is loaded");
    return status;
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)x;
    (void)v;
    QuadPressureForceField *self = self_;
    if (!dv_element_load_update(&self->load))
        return;
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->load.pressure, NULL));
    for (uint32_t i = 0; i < self->load.set.count; i++) {
        const DvLoadedElement *one = &self->load.set.at[i];
        dv_element_load_add(&self->load, i, dv_vec3_scale(pressure, one->share * one->size / 4.0), f);
    }
}

static const DvForceFieldOps ops = DV_ELEMENT_LOAD_OPS(add_force);

const DvClass dv_quad_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "QuadPressureForceField",
    .variants = "Vec3d",
    DV_ELEMENT_LOAD_CLASS(ops, "ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per area on quads.",
    .instance_size = sizeof(QuadPressureForceField),
    .fields = fields,
    .init = init,
};
