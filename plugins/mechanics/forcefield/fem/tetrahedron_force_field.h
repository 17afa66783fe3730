/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tetrahedra of a mesh as a force field: what TetrahedronFEMForceField and TetrahedralCorotationalFEMForceField do alike.
 */
#ifndef DIVAN_MECHANICS_TETRAHEDRON_FORCE_FIELD_H
#define DIVAN_MECHANICS_TETRAHEDRON_FORCE_FIELD_H

#include "forcefield/fem/tetrahedron_blocks.h"
#include <divan/kit/coupled_pairs.h>
#include <divan/kit/elastic_material.h>

/* What the struct of such a class begins with. */
typedef struct TetrahedronForceField {
    DvSingleState base;
    DvTopologyRef topology;
    TetrahedronBlocks blocks;
    DvElementMaterials materials;
    DvKeptPairs kept_pairs;
    DvMeshEdits edits;      /* since the blocks were brought up to date */
    uint64_t structure;     /* + 1 when couplings have become others */
    uint64_t materials_set; /* times */
} TetrahedronForceField;

/* Empties the blocks after an error, which it returns. */
DvStatus tetrahedron_force_field_failed(TetrahedronForceField *self, DvStatus status);
/* What init has taken. */
void tetrahedron_force_field_release(TetrahedronForceField *self);

/* DvClass.destroy, functions of DvForceFieldOps, and the contract of causes. */
void tetrahedron_force_field_destroy(DvObject *object, void *self);
void tetrahedron_force_field_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                        const DvVec *df);
void tetrahedron_force_field_reserve(void *self, DvPattern *pattern);
void tetrahedron_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
uint64_t tetrahedron_force_field_structure(void *self);
uint64_t tetrahedron_force_field_matrix_version(void *self);
void tetrahedron_force_field_cost(void *self, double *product, double *assembly);
extern const DvElementsCause tetrahedron_force_field_cause;
extern const DvCoupledPairsOps tetrahedron_force_field_pairs;

#endif
