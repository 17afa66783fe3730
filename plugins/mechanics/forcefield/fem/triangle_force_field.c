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
