/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exact mass matrix of a mesh of quads or hexahedra: the matrices of its elements (element_mass.h) times their densities, summed.
 * All points of an element are coupled, those of edges and those of diagonals.
 *
 * An element of a mesh that may change keeps the matrix that it had when it came, so that what leaves takes away what it brought. The row
 * of a point is summed over the elements around it in ascending order: made again for what an edit touches, it is that of a matrix made from
 * nothing.
 */
#ifndef DIVAN_MECHANICS_CONSISTENT_MASS_H
#define DIVAN_MECHANICS_CONSISTENT_MASS_H

#include "element_mass.h"
#include "half_edges.h"
#include "mass_mesh.h"

typedef struct ElementMass {
    double density;                    /* first: the mean of ancestors' for a new element */
    double unit[ELEMENT_MASS_ENTRIES]; /* the matrix for density 1 */
} ElementMass;

typedef struct ConsistentMass {
    const MassMesh *mesh;
    bool on_rest;     /* measured at rest positions */
    double *diagonal; /* [points] */
    double *weight;   /* [points] sums of the rows */
    uint32_t room;    /* points that there is room for */
} ConsistentMass;

void consistent_mass_free(ConsistentMass *c);

/* The matrix of an element for density 1 at the positions of now. */
void consistent_mass_unit(const ConsistentMass *c, uint32_t element, double unit[ELEMENT_MASS_ENTRIES]);

/* All rows, from all elements.     elements: [elements of the mesh] */
void consistent_mass_build(ConsistentMass *c, HalfEdges *half, uint32_t points, const ElementMass *elements);
/* The rows of touched points, of which there are `points` in all; edits: of the elements, sorted. */
void consistent_mass_update(ConsistentMass *c, HalfEdges *half, const DvMeshEdits *edits, uint32_t points,
                            const ElementMass *elements);

#endif
