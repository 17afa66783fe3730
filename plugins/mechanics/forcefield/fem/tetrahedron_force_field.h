/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tetrahedra of a mesh as a force field: what TetrahedronFEMForceField and TetrahedralCorotationalFEMForceField do alike.
 */
#ifndef DIVAN_MECHANICS_TETRAHEDRON_FORCE_FIELD_H
#define DIVAN_MECHANICS_TETRAHEDRON_FORCE_FIELD_H

#include "forcefield/fem/tetrahedron_blocks.h"
#include <divan/contracts/operator.h>
#include <divan/kit/element_stress.h>

/* Arrays of its operator, made when it is asked for. */
typedef struct TetrahedronOperator {
    uint32_t *element; /* [capacity][4] */
    double *numbers;   /* [capacity] x 9, 9, 2, 9, 9 */
    uint32_t capacity;
} TetrahedronOperator;

/* What the struct of such a class begins with. */
typedef struct TetrahedronForceField {
    DvMeshForceField field;
    TetrahedronBlocks blocks;
    TetrahedronOperator operator;
} TetrahedronForceField;

/* By Euler's formula a body of T tetrahedra and V points has V + T - 1 edges, and more where it has a surface. */
enum { TETRAHEDRON_PAIRS = 1 };

/* DvMeshForceFieldKind.clear, DvClass.destroy, functions of DvForceFieldOps, and the contract of causes. */
void tetrahedron_force_field_clear(void *self);
bool tetrahedron_force_field_turns(const void *self); /* DvMeshForceFieldKind.turns */
void tetrahedron_force_field_destroy(DvObject *object, void *self);
void tetrahedron_force_field_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                        const DvVec *df);
void tetrahedron_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
uint64_t tetrahedron_force_field_matrix_version(void *self);
void tetrahedron_force_field_cost(void *self, double *product, double *assembly);
extern const DvElementsCause tetrahedron_force_field_cause;
bool tetrahedron_force_field_stress(void *self, DvElementStressModel *model); /* DvElementStressOps.model */

/* DV_OPERATOR: a class may have more that the operator has not. */
uint64_t tetrahedron_force_field_operator_version(void *self);
void tetrahedron_force_field_describe(void *self, DvOperator *out);
void tetrahedron_operator_free(TetrahedronOperator *op);

#define TETRAHEDRON_FORCE_FIELD_OPS                                                           \
    .size = sizeof(DvForceFieldOps), .states = dv_single_state_states,                        \
    .add_dforce = tetrahedron_force_field_add_dforce, .reserve = dv_mesh_force_field_reserve, \
    .assemble = tetrahedron_force_field_assemble, .structure = dv_mesh_force_field_structure, \
    .matrix_version = tetrahedron_force_field_matrix_version, .cost = tetrahedron_force_field_cost
#define TETRAHEDRON_FORCE_FIELD_CONTRACTS(operations, drawable, stress, operator_)                                   \
    .contracts = (const DvContract[])                                                                                \
    {                                                                                                                \
        {.id = DV_FORCE_FIELD, .ops = &(operations)}, {.id = DV_FAULT_CAUSE, .ops = &tetrahedron_force_field_cause}, \
            {.id = DV_COUPLED_PAIRS, .ops = &dv_mesh_force_field_pairs},                                             \
            {.id = DV_ROTATIONS, .ops = &dv_mesh_force_field_rotations}, {.id = DV_DRAWABLE, .ops = &(drawable)},    \
            {.id = DV_ELEMENT_STRESS, .ops = &(stress)}, {.id = DV_OPERATOR, .ops = &(operator_)},                   \
        {                                                                                                            \
            0                                                                                                        \
        }                                                                                                            \
    }

#endif
