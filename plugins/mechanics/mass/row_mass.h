/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What masses compute whose matrix is a number for each point and for each pair of points that share an element (half_edges.h), the same for
 * all components of a state of points. Products gather at each point its pairs in their order, so that sums do not depend on threads.
 *
 * Threads: [step].
 */
#ifndef DIVAN_MECHANICS_ROW_MASS_H
#define DIVAN_MECHANICS_ROW_MASS_H

#include <divan/kit/mass.h>

#include "half_edges.h"

typedef struct RowMass {
    HalfEdges *half;
    uint32_t count;       /* points */
    const double *point;  /* [count] the diagonal, over `own` */
    const double *edge;   /* between the ends of each edge of a half edge; NULL: there is the diagonal alone */
    const double *weight; /* [count] masses that gravity acts on, over `heavy` */
    double own, heavy;
} RowMass;

/* f += gravity x weight */
void row_mass_add_gravity(const RowMass *m, const double gravity[6], const DvVec *f);
/* res += factor M dx */
void row_mass_add_product(const RowMass *m, double factor, DvConstVec dx, DvVec res);
/* a = f / M, of a diagonal alone. */
void row_mass_divide(const RowMass *m, DvConstVec f, DvVec a);
double row_mass_kinetic_energy(const RowMass *m, DvConstVec v);
double row_mass_potential_energy(const RowMass *m, const double gravity[6], const DvConstVec *x);
void row_mass_add_momentum(const RowMass *m, const DvDofType *dof, DvConstVec x, DvConstVec v, double sum[6]);
/* Couplings as half_edges_reserve has them += factor M. */
void row_mass_assemble(const RowMass *m, const DvDofType *dof, double factor, const DvMatrixView *view);

#endif
