/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CorotationalFEMForceField: linear elastic solids of any element, with large rotations.
 */
#include <divan/kit/solid_force_field.h>

typedef struct CorotationalFEMForceField {
    DvSolidForceField solid; /* first */
    DvElasticMaterial material;
    DvData rotation_method;
    bool given; /* the scene names a method, if only one that there is not */
} CorotationalFEMForceField;

static const char *const methods[] = {"identity", "polar",      "stable_polar",
                                      "triangle", "hexahedron", NULL}; /* as DvElementRotation */

static const DvField fields[] = {
    DV_SOLID_FORCE_FIELD_FIELDS(CorotationalFEMForceField, solid),
    DV_MATERIAL_FIELDS(CorotationalFEMForceField, material, DV_FIELD_INPUT),
    DV_FIELD(CorotationalFEMForceField, rotation_method, "rotationMethod", dv_type_choice, .init = "stable_polar",
             .choices = methods,
             .help =
                 "rotation of an element: polar decomposition (stable_polar: never a reflection), none (identity), by "
                 "nodes 0 1 2 (triangle), by mean edges (hexahedron); by default triangle of tetrahedra and "
                 "triangles, hexahedron of hexahedra, else stable_polar"),
    {0},
};

static DvStatus model(void *self_, DvSolidModel *model)
{
    CorotationalFEMForceField *self = self_;
    const bool triangle = model->space == 3 && (model->kind == DV_TETRAHEDRA || model->kind == DV_TRIANGLES),
               hexahedron = model->kind == DV_HEXAHEDRA;
    model->kinematics = DV_COROTATIONAL;
    model->law = &dv_hooke_law;
    model->parameters = dv_solid_force_field_lame;
    model->rotation = (DvElementRotation)dv_data_choice(&self->rotation_method);
    if (!self->given && !dv_data_is_set(&self->rotation_method) && (triangle || hexahedron))
        model->rotation = triangle ? DV_ROTATION_TRIANGLE : DV_ROTATION_HEXAHEDRON;
    if ((model->rotation == DV_ROTATION_TRIANGLE && !triangle) ||
        (model->rotation == DV_ROTATION_HEXAHEDRON && !hexahedron))
        return dv_field_error(&self->rotation_method, -1, "is for other elements than those of '%s'; use stable_polar",
                              dv_object_variant(dv_object_of(self)));
    return DV_OK;
}

static DvStatus parse(DvObject *object, void *self_, const DvAttributes *attributes)
{
    CorotationalFEMForceField *self = self_;
    self->given = dv_attribute(attributes, "rotationMethod") != NULL;
    return dv_solid_force_field_parse(object, self, attributes);
}

static DvStatus init(DvObject *object, void *self_)
{
    CorotationalFEMForceField *self = self_;
    return dv_solid_force_field_init(object, &self->solid, model, &self->material);
}

const DvClass dv_corotational_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "CorotationalFEMForceField",
    .variants = DV_SOLID_VARIANTS,
    DV_SOLID_FORCE_FIELD_CLASS("BaseElementLinearFEMForceField", "FEMForceField", "ForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic solids of any element, with large rotations.",
    .instance_size = sizeof(CorotationalFEMForceField),
    .fields = fields,
    .parse = parse,
    .init = init,
};
