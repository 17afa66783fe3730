/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangles of a mesh as a force field: what TriangleFEMForceField and TriangularFEMForceField do alike.
 */
#ifndef DIVAN_MECHANICS_TRIANGLE_FORCE_FIELD_H
#define DIVAN_MECHANICS_TRIANGLE_FORCE_FIELD_H

#include "forcefield/fem/triangle_blocks.h"
#include <divan/kit/element_stress.h>

/* What the struct of such a class begins with. */
typedef struct TriangleForceField {
    DvMeshForceField field;
    TriangleBlocks blocks;
} TriangleForceField;

/* DvMeshForceFieldKind.clear, functions of DvForceFieldOps, and the contract of causes. */
void triangle_force_field_clear(void *self);
void triangle_force_field_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                     const DvVec *df);
void triangle_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
void triangle_force_field_cost(void *self, double *product, double *assembly);
extern const DvElementsCause triangle_force_field_cause;
/* For DvElementStressOps.model; false where there are no triangles. */
bool triangle_force_field_stress(TriangleForceField *self, double thickness, bool plane_strain,
                                 DvElementStressModel *model);

#define TRIANGLE_FORCE_FIELD_OPS                                                                                      \
    .size = sizeof(DvForceFieldOps), .states = dv_single_state_states, .add_dforce = triangle_force_field_add_dforce, \
    .reserve = dv_mesh_force_field_reserve, .assemble = triangle_force_field_assemble,                                \
    .structure = dv_mesh_force_field_structure, .cost = triangle_force_field_cost

#define TRIANGLE_FORCE_FIELD_CONTRACTS(operations, drawable, stress)                                              \
    .contracts = (const DvContract[])                                                                             \
    {                                                                                                             \
        {.id = DV_FORCE_FIELD, .ops = &(operations)}, {.id = DV_FAULT_CAUSE, .ops = &triangle_force_field_cause}, \
            {.id = DV_DRAWABLE, .ops = &(drawable)}, {.id = DV_ELEMENT_STRESS, .ops = &(stress)},                 \
        {                                                                                                         \
            0                                                                                                     \
        }                                                                                                         \
    }

#endif
