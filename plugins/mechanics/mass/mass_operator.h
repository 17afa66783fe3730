/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operator "diagonal mass" of masses of points without rotation (divan/contracts/operator.h).
 */
#ifndef DIVAN_MECHANICS_MASS_OPERATOR_H
#define DIVAN_MECHANICS_MASS_OPERATOR_H

#include <divan/contracts/operator.h>
#include <divan/kit/mass.h>

typedef struct MassOperator {
    double *mass, *weight; /* [capacity] */
    uint32_t capacity;
    double gravity[6]; /* that acts as a force */
} MassOperator;

/* A number of what the mass of each point follows from, `own`, together with gravity as it is now. */
uint64_t mass_operator_version(DvMass *base, uint64_t own);
/* Room for the masses of `points` points, zero, and gravity. */
void mass_operator_begin(MassOperator *self, DvMass *base, uint32_t points);
void mass_operator_describe(const MassOperator *self, const DvMass *base, uint32_t points, uint64_t version,
                            DvOperator *out);
void mass_operator_free(MassOperator *self);

#endif
