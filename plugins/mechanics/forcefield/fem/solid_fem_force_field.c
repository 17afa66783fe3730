/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SolidFEMForceField: solids of any element with any material, of the kit or of a plugin, by its name.
 */
#include <divan/kit/solid_force_field.h>

typedef struct SolidFEMForceField {
    DvSolidForceField solid; /* first */
    DvData material, parameters, kinematics;
} SolidFEMForceField;

static const char *const kinematics[] = {"small", "corotational", "finite", NULL}; /* as DvKinematics */

#define FIELD(member, name, type, ...) DV_FIELD(SolidFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_SOLID_FORCE_FIELD_FIELDS(SolidFEMForceField, solid),
    FIELD(material, "material", dv_type_string, .init = "StVenantKirchhoff", .flags = DV_FIELD_INPUT,
          .group = "material",
          .help = "law of the material: Hooke, StVenantKirchhoff, NeoHookean, StableNeoHookean, MooneyRivlin, "
                  "VerondaWestman, ArrudaBoyce, or one of a plugin"),
    FIELD(parameters, "parameters", dv_type_doubles, .init = "1000 1000", .flags = DV_FIELD_INPUT, .group = "material",
          .help = "its numbers, in its order: lambda mu of Hooke, mu lambda, c1 c2 k0, mu k0"),
    FIELD(kinematics, "kinematics", dv_type_choice, .init = "finite", .choices = kinematics,
          .help = "small displacements, large rotations (corotational), or large strains (finite)"),
    {0},
};

static void parameters(void *self_, uint32_t element, double *out)
{
    (void)element;
    SolidFEMForceField *self = self_;
    size_t count;
    const double *given = dv_data_doubles(&self->parameters, &count);
    memcpy(out, given, count * sizeof *out);
}

static DvStatus model(void *self_, DvSolidModel *model)
{
    SolidFEMForceField *self = self_;
    size_t count;
    model->law = dv_material_law_find(dv_data_string(&self->material));
    model->kinematics = (DvKinematics)dv_data_choice(&self->kinematics);
    model->rotation = DV_ROTATION_STABLE_POLAR;
    model->parameters = parameters;
    dv_data_doubles(&self->parameters, &count);
    if (!model->law)
        return dv_material_law_unknown(&self->material);
    if (count != dv_material_law_parameters(model->law))
        return dv_field_error(&self->parameters, -1, "holds %zu numbers, material %s has %u", count, model->law->name,
                              dv_material_law_parameters(model->law));
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    SolidFEMForceField *self = self_;
    return dv_solid_force_field_init(object, &self->solid, model, NULL);
}

const DvClass dv_solid_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "SolidFEMForceField",
    .variants = DV_SOLID_VARIANTS,
    DV_SOLID_FORCE_FIELD_CLASS("ForceField"),
    .help = "Solids of any element with any material, by its name.",
    .instance_size = sizeof(SolidFEMForceField),
    .fields = fields,
    .parse = dv_solid_force_field_parse,
    .init = init,
};
