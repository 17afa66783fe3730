/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forcefield/fem/tetrahedron_force_field.h"

void tetrahedron_force_field_clear(void *self)
{
    tetrahedron_blocks_free(&((TetrahedronForceField *)self)->blocks);
}

bool tetrahedron_force_field_turns(const void *self)
{
    return ((const TetrahedronForceField *)self)->blocks.method != TETRAHEDRON_SMALL;
}

static void lame(void *context, uint32_t element, double *out)
{
    const TetrahedronForceField *self = context;
    const DvElementMaterial material = dv_element_material(&self->field.materials, element);
    out[0] = dv_lame_lambda(material.young, material.poisson);
    out[1] = dv_lame_mu(material.young, material.poisson);
}

bool tetrahedron_force_field_stress(void *self_, DvElementStressModel *model)
{
    TetrahedronForceField *self = self_;
    if (!self->blocks.mesh.elements)
        return false;
    *model =
        (DvElementStressModel){.field = &self->field,
                               .kinematics = tetrahedron_force_field_turns(self) ? DV_COROTATIONAL : DV_SMALL_STRAIN,
                               .law = &dv_hooke_law,
                               .thickness = 1.0,
                               .parameters = lame,
                               .context = self};
    return true;
}

void tetrahedron_force_field_destroy(DvObject *object, void *self)
{
    (void)object;
    tetrahedron_force_field_clear(self);
    tetrahedron_operator_free(&((TetrahedronForceField *)self)->operator);
}

void tetrahedron_force_field_add_dforce(void *self_, const DvStep *step, double k, double b, const DvConstVec *dx,
                                        const DvVec *df)
{
    (void)step;
    (void)b;
    TetrahedronForceField *self = self_;
    if (dx->count == self->blocks.mesh.points)
        tetrahedron_blocks_dforce(&self->blocks, k, dx, df);
}

void tetrahedron_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    tetrahedron_blocks_assemble(&((TetrahedronForceField *)self)->blocks, k, view);
}

uint64_t tetrahedron_force_field_matrix_version(void *self_)
{
    const TetrahedronForceField *self = self_;
    return self->blocks.method == TETRAHEDRON_SMALL ? self->field.structure + self->field.changed : 0;
}

void tetrahedron_force_field_cost(void *self, double *product, double *assembly)
{
    tetrahedron_blocks_cost(&((const TetrahedronForceField *)self)->blocks, product, assembly);
}

static double bound(void *self)
{
    return tetrahedron_blocks_bound(&((const TetrahedronForceField *)self)->blocks);
}

static uint32_t inverted(void *self, const DvConstVec *x)
{
    return tetrahedron_blocks_inverted(&((const TetrahedronForceField *)self)->blocks, x);
}

const DvElementsCause tetrahedron_force_field_cause = DV_ELEMENTS_CAUSE(.bound = bound, .inverted = inverted);
