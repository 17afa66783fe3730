/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exact mass matrix of a mesh of quads or hexahedra: the matrices of its elements (element_mass.h) times their densities, summed.
 * All points of an element are coupled, those of edges and those of diagonals.
 *
 * Elements of a mesh that may change keep the matrix that they had when they came, so that what leaves takes away what it brought.
 */
#ifndef DIVAN_MECHANICS_CONSISTENT_MASS_H
#define DIVAN_MECHANICS_CONSISTENT_MASS_H

#include "element_mass.h"
#include "mass_mesh.h"

typedef struct ConsistentMass {
    const MassMesh *mesh;
    bool on_rest;       /* measured at rest positions */
    DvElementData unit; /* of a mesh that may change: the matrix of each element for density 1 */
    uint32_t points, pairs;
    uint32_t *pair;   /* [pairs][2] points that share an element, first < second, sorted */
    double *between;  /* [pairs] entries of the matrix */
    double *diagonal; /* [points] */
    double *weight;   /* [points] sums of the rows */
} ConsistentMass;

/* From here on matrices follow a mesh that may change. */
DV_NODISCARD DvStatus consistent_mass_attach(ConsistentMass *c, DvObject *topology);
void consistent_mass_detach(ConsistentMass *c);
void consistent_mass_free(ConsistentMass *c);

/* The matrix of the elements there are now, from the positions of now or from what is kept.     density: [elements]; errors name `object` */
DV_NODISCARD DvStatus consistent_mass_build(ConsistentMass *c, const DvObject *object, uint32_t points,
                                            const double *density);
void consistent_mass_scale(ConsistentMass *c, double factor);

#endif
