/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forcefield/fem/triangle_force_field.h"

void triangle_force_field_clear(void *self)
{
    triangle_blocks_free(&((TriangleForceField *)self)->blocks);
}

void triangle_force_field_add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx,
                                     const DvVec *df)
{
    (void)step;
    (void)b;
    TriangleForceField *self = self_;
    if (dx->count == self->blocks.mesh.points)
        triangle_blocks_dforce(&self->blocks, k, dx, df);
}

void triangle_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    triangle_blocks_assemble(&((TriangleForceField *)self)->blocks, k, view);
}

void triangle_force_field_cost(void *self, double *product, double *assembly)
{
    triangle_blocks_cost(&((const TriangleForceField *)self)->blocks, product, assembly);
}

static double bound(void *self)
{
    return triangle_blocks_bound(&((const TriangleForceField *)self)->blocks);
}

const DvElementsCause triangle_force_field_cause = DV_ELEMENTS_CAUSE(.bound = bound);

static void plane_stress_lame(void *context, uint32_t element, double *out)
{
    const TriangleForceField *self = context;
    const DvElementMaterial material = dv_element_material(&self->field.materials, element);
    out[0] = dv_lame_lambda_plane_stress(material.young, material.poisson);
    out[1] = dv_lame_mu(material.young, material.poisson);
}

static void plane_strain_lame(void *context, uint32_t element, double *out)
{
    const TriangleForceField *self = context;
    const DvElementMaterial material = dv_element_material(&self->field.materials, element);
    out[0] = dv_lame_lambda(material.young, material.poisson);
    out[1] = dv_lame_mu(material.young, material.poisson);
}

bool triangle_force_field_stress(TriangleForceField *self, double thickness, bool plane_strain,
                                 DvElementStressModel *model)
{
    const TriangleMethod method = self->blocks.method;
    const bool turns = method == TRIANGLE_LARGE || method == TRIANGLE_EXACT;
    if (!self->blocks.mesh.elements)
        return false;
    *model = (DvElementStressModel){.field = &self->field,
                                    .kinematics = turns ? DV_COROTATIONAL : DV_SMALL_STRAIN,
                                    .law = &dv_hooke_law,
                                    .plane_stress = !plane_strain,
                                    .thickness = thickness,
                                    .parameters = plane_strain ? plane_strain_lame : plane_stress_lame,
                                    .context = self};
    return true;
}
