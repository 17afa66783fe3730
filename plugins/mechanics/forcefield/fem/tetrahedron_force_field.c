/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "forcefield/fem/tetrahedron_force_field.h"

DvStatus tetrahedron_force_field_failed(TetrahedronForceField *self, DvStatus status)
{
    tetrahedron_blocks_free(&self->blocks);
    self->structure++;
    return status;
}

void tetrahedron_force_field_release(TetrahedronForceField *self)
{
    dv_element_materials_detach(&self->materials);
    dv_mesh_edits_detach(&self->edits);
    dv_single_state_release(&self->base);
    dv_topology_release(&self->topology);
}

void tetrahedron_force_field_destroy(DvObject *object, void *self)
{
    (void)object;
    tetrahedron_blocks_free(&((TetrahedronForceField *)self)->blocks);
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

void tetrahedron_force_field_reserve(void *self, DvPattern *pattern)
{
    dv_element_blocks_reserve(&((TetrahedronForceField *)self)->blocks.mesh, pattern);
}

void tetrahedron_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view)
{
    (void)step;
    (void)b;
    tetrahedron_blocks_assemble(&((TetrahedronForceField *)self)->blocks, k, view);
}

uint64_t tetrahedron_force_field_structure(void *self)
{
    return ((const TetrahedronForceField *)self)->structure;
}

uint64_t tetrahedron_force_field_matrix_version(void *self_)
{
    const TetrahedronForceField *self = self_;
    return self->blocks.method == TETRAHEDRON_SMALL ? self->structure + self->materials_set : 0;
}

void tetrahedron_force_field_cost(void *self, double *product, double *assembly)
{
    tetrahedron_blocks_cost(&((const TetrahedronForceField *)self)->blocks, product, assembly);
}

/* By Euler's formula a body of T tetrahedra and V points has V + T - 1 edges, and more where it has a surface. */
static uint64_t least_pairs(void *self)
{
    return ((const TetrahedronForceField *)self)->blocks.mesh.elements;
}

const DvCoupledPairsOps tetrahedron_force_field_pairs = {.size = sizeof(DvCoupledPairsOps), .least = least_pairs};

static double bound(void *self)
{
    return tetrahedron_blocks_bound(&((const TetrahedronForceField *)self)->blocks);
}

static uint32_t inverted(void *self, const DvConstVec *x)
{
    return tetrahedron_blocks_inverted(&((const TetrahedronForceField *)self)->blocks, x);
}

const DvElementsCause tetrahedron_force_field_cause = DV_ELEMENTS_CAUSE(.bound = bound, .inverted = inverted);
