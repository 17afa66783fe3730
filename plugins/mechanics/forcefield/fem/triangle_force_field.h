/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangles of a mesh as a force field: what TriangleFEMForceField and TriangularFEMForceField do alike.
 */
#ifndef DIVAN_MECHANICS_TRIANGLE_FORCE_FIELD_H
#define DIVAN_MECHANICS_TRIANGLE_FORCE_FIELD_H

#include "forcefield/fem/triangle_blocks.h"
#include <divan/kit/elastic_material.h>

/* What the struct of such a class begins with. */
typedef struct TriangleForceField {
    DvSingleState base;
    DvTopologyRef topology;
    TriangleBlocks blocks;
    DvElementMaterials materials;
    DvKeptPairs kept_pairs;
    DvMeshEdits edits;  /* since the blocks were brought up to date */
    uint64_t structure; /* + 1 when couplings have become others */
} TriangleForceField;

/* What init has taken. */
void triangle_force_field_release(TriangleForceField *self);

/* Functions of DvForceFieldOps, and the contract of causes. */
void triangle_force_field_add_dforce(void *self, const DvStep *step, double k, double b, const DvConstVec *dx,
                                     const DvVec *df);
void triangle_force_field_reserve(void *self, DvPattern *pattern);
void triangle_force_field_assemble(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
uint64_t triangle_force_field_structure(void *self);
void triangle_force_field_cost(void *self, double *product, double *assembly);
extern const DvElementsCause triangle_force_field_cause;

#endif
