/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LinearSmallStrainFEMForceField: linear elastic solids of any element, for small displacements.
 */
#include <divan/kit/solid_force_field.h>

typedef struct LinearSmallStrainFEMForceField {
    DvSolidForceField solid; /* first */
    DvElasticMaterial material;
} LinearSmallStrainFEMForceField;

static const DvField fields[] = {
    DV_SOLID_FORCE_FIELD_FIELDS(LinearSmallStrainFEMForceField, solid),
    DV_MATERIAL_FIELDS(LinearSmallStrainFEMForceField, material, DV_FIELD_INPUT),
    {0},
};

static DvStatus model(void *self, DvSolidModel *model)
{
    (void)self;
    model->kinematics = DV_SMALL_STRAIN;
    model->law = &dv_hooke_law;
    model->parameters = dv_solid_force_field_lame;
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    LinearSmallStrainFEMForceField *self = self_;
    return dv_solid_force_field_init(object, &self->solid, model, &self->material);
}

const DvClass dv_linear_small_strain_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "LinearSmallStrainFEMForceField",
    .variants = "Vec1d,Edge " DV_SOLID_VARIANTS,
    DV_SOLID_FORCE_FIELD_CLASS("BaseElementLinearFEMForceField", "FEMForceField", "ForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic solids of any element, for small displacements.",
    .instance_size = sizeof(LinearSmallStrainFEMForceField),
    .fields = fields,
    .parse = dv_solid_force_field_parse,
    .init = init,
};
