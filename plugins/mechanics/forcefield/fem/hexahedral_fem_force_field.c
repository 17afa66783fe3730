/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * HexahedralFEMForceField: linear elastic boxes with large rotations.
 *
 * The method is that of HexahedronFEMForceField (hexahedron_fem_force_field.c), frames and displacements too, with the stiffness of a
 * box along the axes of space by formula, which is right for cubes only (hexahedron_stiffness.h).
 */
#include "forcefield/fem/hexahedron_fem.h"

static const char *const methods[] = {"large", "polar", "exact", NULL};

#define FIELD(member, name, type, ...) DV_FIELD(HexahedronFEMForceField, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    DV_MESH_FORCE_FIELD_FIELDS(HexahedronFEMForceField, field),
    DV_MATERIAL_FIELDS(HexahedronFEMForceField, material, DV_FIELD_INPUT),
    FIELD(method, "method", dv_type_choice, .init = "large", .choices = methods,
          .help = "frame of an element: by the first two of its mean edges (large), by the polar decomposition of all "
                  "three (polar), by the rotation of its deformation, with force and stiffness of its energy (exact); "
                  "matrices hold the same stiffness as products"),
    FIELD(stiffness_matrices, "hexahedronInfo", dv_type_stiffness_matrices, .unit = "N/m",
          .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,
          .help = "stiffness of each element in its frame"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    (void)object;
    ((HexahedronFEMForceField *)self_)->closed_form = true;
    return DV_OK;
}

static void draw(void *self, DvDraw *target)
{
    hexahedron_fem_draw(self, target, 0.0);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};

const DvClass dv_hexahedral_fem_force_field = {
    .size = sizeof(DvClass),
    .name = "HexahedralFEMForceField",
    .variants = "Vec3d",
    DV_FORCE_FIELD_CLASS("ForceField", "BaseLinearElasticityFEMForceField"),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .help = "Linear elastic cubes with large rotations; HexahedronFEMForceField takes hexahedra of any shape.",
    .instance_size = sizeof(HexahedronFEMForceField),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_FORCE_FIELD, .ops = &hexahedron_fem_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &hexahedron_fem_cause},
                                      {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},
                                      {.id = DV_ROTATIONS, .ops = &dv_mesh_force_field_rotations},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {.id = DV_ELEMENT_STRESS, .ops = &hexahedron_fem_stress},
                                      {0}},
    .construct = construct,
    .init = hexahedron_fem_init,
    .reinit = hexahedron_fem_reinit,
    .update = hexahedron_fem_update,
    .cleanup = dv_mesh_force_field_cleanup,
    .destroy = hexahedron_fem_destroy,
};
