/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TrianglePressureForceField: a force per area on some triangles of a mesh.
 *
 *   each point of a triangle gets   p A / 3                                  p: pressure, A: area at rest
 *                           or      sigma ((x_1 - x_0) x (x_2 - x_0)) / 6    of a stress sigma in the body, useConstantForce="0"
 *
 * There is no derivative: the second form is explicit. The triangles stay loaded when the mesh changes, see element_set.h.
 */
#include "forcefield/load/element_set.h"

#include <divan/math/mat.h>
#include <divan/types/matrix.h>

#include <string.h>

typedef struct TrianglePressureForceField {
    SingleState base;
    DvLink topology_link;
    DvData pressure, cauchy_stress, list, show_forces, constant_force, info;

    DvTopologyRef topology;
    ElementSet set;
    uint64_t version; /* of the list */
} TrianglePressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(TrianglePressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    SINGLE_STATE_FIELDS(TrianglePressureForceField, base),
    DV_LINK(TrianglePressureForceField, topology_link, "topology", DV_TOPOLOGY,
            .help = "mesh; that of the node by default"),
    FIELD(pressure, "pressure", dv_type_vec3d, .unit = "Pa", .help = "force per area of the rest shape"),
    FIELD(cauchy_stress, "cauchyStress", dv_type_mat3d, .init = "0 0 0 0 0 0 0 0 0", .unit = "Pa",
          .help = "stress whose force on the current shape acts when useConstantForce is off"),
    FIELD(list, "triangleList", dv_type_uints,
          .help = "triangles that are loaded; they stay so when the mesh changes, and what they are split into"),
    FIELD(show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded triangles"),
    FIELD(constant_force, "useConstantForce", dv_type_bool, .init = "1",
          .help = "pressure on the rest shape; otherwise cauchyStress on the current one"),
    FIELD(info, "trianglePressureMap", dv_type_doubles, .unit = "m^2",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "area of each triangle that is loaded at the start"),
    {0},
};

static DvStatus select_elements(TrianglePressureForceField *self)
{
    self->version = dv_data_version(&self->list);
    DvStatus status = element_set_start(&self->set, self->topology.object, DV_TRIANGLES);
    if (status == DV_OK)
        status = element_set_add_list(&self->set, &self->list, "triangle", true);
    return status;
}

static bool update(TrianglePressureForceField *self)
{
    if (self->version != dv_data_version(&self->list) && select_elements(self) != DV_OK)
        return false;
    const DvConstVec rest = dv_state_read(self->base.state, DV_REST_POSITION);
    element_set_measure(&self->set, &self->topology, &rest);
    return true;
}

static DvStatus init(DvObject *object, void *self_)
{
    TrianglePressureForceField *self = self_;
    DvConstVec rest;
    DvStatus status = single_state_init(object, &self->base);
    if (status == DV_OK)
        status = dv_topology_require(object, &self->topology_link, "a container of triangles", &self->topology);
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
        dv_field_warning(&self->list, -1, "is empty: no triangle is loaded");
    double *info = dv_data_begin_all(&self->info, self->set.count);
    for (uint32_t i = 0; i < self->set.count; i++)
        info[i] = self->set.at[i].size;
    dv_data_end(&self->info);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    TrianglePressureForceField *self = self_;
    element_set_leave(&self->set);
    single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    element_set_free(&((TrianglePressureForceField *)self_)->set);
}

static DvVec3 stress_force(DvMat3 stress, const uint32_t *t, const DvConstVec *x)
{
    const DvVec3 a = dv_vec3_load(x->at + 3 * (size_t)t[0]);
    const DvVec3 normal = dv_vec3_cross(dv_vec3_sub(dv_vec3_load(x->at + 3 * (size_t)t[1]), a),
                                        dv_vec3_sub(dv_vec3_load(x->at + 3 * (size_t)t[2]), a));
    return dv_vec3_scale(dv_mat3_mul_vec(stress, normal), 1.0 / 6.0);
}

static void add_force(void *self_, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f)
{
    (void)step;
    (void)v;
    TrianglePressureForceField *self = self_;
    if (!update(self))
        return;
    const DvElements triangles = dv_topology_elements(&self->topology, DV_TRIANGLES);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->pressure, NULL));
    const bool constant = dv_data_bool(&self->constant_force);
    DvMat3 stress;
    memcpy(stress.m, dv_data_doubles(&self->cauchy_stress, NULL), sizeof stress.m);
    for (uint32_t i = 0; i < self->set.count; i++) {
        const LoadedElement *one = &self->set.at[i];
        const uint32_t *t = triangles.at + 3 * (size_t)one->element;
        if (t[0] >= f->count || t[1] >= f->count || t[2] >= f->count)
            continue;
        const DvVec3 force =
            dv_vec3_scale(constant ? dv_vec3_scale(pressure, one->size / 3.0) : stress_force(stress, t, x), one->share);
        for (int n = 0; n < 3; n++) {
            double *at = f->at + 3 * (size_t)t[n];
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
    TrianglePressureForceField *self = self_;
    if (!dv_draw_shows(target, DV_DISPLAY_FORCE_FIELDS) || !self->base.state.ops || !dv_data_bool(&self->show_forces))
        return;
    const DvConstVec x = dv_state_read(self->base.state, DV_POSITION);
    element_set_draw(&self->set, &self->topology, target, &x);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_triangle_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "TrianglePressureForceField",
    .variants = "Vec3d",
    .variant_rule = DV_VARIANT_OF_ALL,
    .sources = single_state_sources,
    .bases = (const char *const[]){"ForceField", NULL},
    .family = "force fields",
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per area on triangles.",
    .instance_size = sizeof(TrianglePressureForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &ops}, {.id = DV_DRAWABLE, .ops = &drawable}, {0}},
    .init = init,
    .cleanup = cleanup,
    .destroy = destroy,
};
