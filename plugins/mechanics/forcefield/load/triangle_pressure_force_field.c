/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TrianglePressureForceField: a force per area on some triangles of a mesh.
 *
 *   each point of a triangle gets   p A / 3                                  p: pressure, A: area at rest
 *                           or      sigma ((x_1 - x_0) x (x_2 - x_0)) / 6    of a stress sigma in the body, useConstantForce="0"
 *
 * There is no derivative: the second form is explicit. The triangles stay loaded when the mesh changes, see element_set.h.
 */
#include <divan/kit/element_load.h>

#include <divan/math/mat.h>
#include <divan/types/matrix.h>

#include <string.h>

typedef struct TrianglePressureForceField {
    DvElementLoad load;
    DvData cauchy_stress, list, constant_force;
} TrianglePressureForceField;

#define FIELD(member, name, type, ...) DV_FIELD(TrianglePressureForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SINGLE_STATE_FIELDS(TrianglePressureForceField, load.base),
    DV_ELEMENT_LOAD_TOPOLOGY(TrianglePressureForceField),
    FIELD(load.pressure, "pressure", dv_type_vec3d, .unit = "Pa", .help = "force per area of the rest shape"),
    FIELD(cauchy_stress, "cauchyStress", dv_type_mat3d, .init = "0 0 0 0 0 0 0 0 0", .unit = "Pa",
          .help = "stress whose force on the current shape acts when useConstantForce is off"),
    FIELD(list, "triangleList", dv_type_uints,
          .help = "triangles that are loaded; they stay so when the mesh changes, and what they are split into"),
    FIELD(load.show_forces, "showForces", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
          .help = "draw the loaded triangles"),
    FIELD(constant_force, "useConstantForce", dv_type_bool, .init = "1",
          .help = "pressure on the rest shape; otherwise cauchyStress on the current one"),
    FIELD(load.info, "trianglePressureMap", dv_type_doubles, .unit = "m^2",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "area of each triangle that is loaded at the start"),
    {0},
};

static uint64_t version_of(void *self)
{
    return dv_element_load_list_version(&((TrianglePressureForceField *)self)->list);
}

static DvStatus select_elements(void *self_)
{
    TrianglePressureForceField *self = self_;
    return dv_element_set_add_list(&self->load.set, &self->list, "triangle", true);
}

static const DvElementLoadKind kind = {DV_TRIANGLES, "a container of triangles", version_of, select_elements};

static DvStatus init(DvObject *object, void *self_)
{
    TrianglePressureForceField *self = self_;
    const DvStatus status = dv_element_load_init(object, &self->load, &kind);
    if (status == DV_OK && self->load.set.count == 0)
        dv_field_warning(&self->list, -1, "is empty: no triangle is loaded");
    return status;
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
    if (!dv_element_load_update(&self->load))
        return;
    const DvElements triangles = dv_topology_elements(&self->load.topology, DV_TRIANGLES);
    const DvVec3 pressure = dv_vec3_load(dv_data_doubles(&self->load.pressure, NULL));
    const bool constant = dv_data_bool(&self->constant_force);
    DvMat3 stress;
    memcpy(stress.m, dv_data_doubles(&self->cauchy_stress, NULL), sizeof stress.m);
    for (uint32_t i = 0; i < self->load.set.count; i++) {
        const DvLoadedElement *one = &self->load.set.at[i];
        const uint32_t *t = triangles.at + 3 * (size_t)one->element;
        if (t[0] >= f->count || t[1] >= f->count || t[2] >= f->count)
            continue;
        const DvVec3 force = constant ? dv_vec3_scale(pressure, one->size / 3.0) : stress_force(stress, t, x);
        dv_element_load_add(&self->load, i, dv_vec3_scale(force, one->share), f);
    }
}

static const DvForceFieldOps ops = DV_ELEMENT_LOAD_OPS(add_force);

const DvClass dv_triangle_pressure_force_field = {
    .size = sizeof(DvClass),
    .name = "TrianglePressureForceField",
    .variants = "Vec3d",
    DV_ELEMENT_LOAD_CLASS(ops, "ForceField"),
    .module = "Sofa.Component.MechanicalLoad",
    .help = "Forces per area on triangles.",
    .instance_size = sizeof(TrianglePressureForceField),
    .fields = fields,
    .init = init,
};
