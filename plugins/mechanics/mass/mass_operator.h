/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The operators "diagonal mass", "row mass" and "body mass" (divan/contracts/operator.h).
 */
#ifndef DIVAN_MECHANICS_MASS_OPERATOR_H
#define DIVAN_MECHANICS_MASS_OPERATOR_H

#include <divan/contracts/operator.h>
#include <divan/kit/mass.h>

struct RowMass;

typedef struct MassOperator {
    double *mass, *weight; /* [capacity] */
    uint32_t capacity;
    double gravity[6];         /* that acts as a force */
    double *inertia, *inverse; /* of bodies that turn: [capacity][numbers of an inertia] */
    uint32_t turns;
    /* Of rows: entries of point p are from begin[p] to begin[p + 1]. */
    uint32_t *begin, *other;
    double *value;
    size_t begin_room, entry_room;
} MassOperator;

/* A number of what the mass of each point follows from, `own`, together with gravity as it is now. */
uint64_t mass_operator_version(DvMass *base, uint64_t own);
/* Room for the masses of `points` points, zero, and gravity. */
void mass_operator_begin(MassOperator *self, DvMass *base, uint32_t points);
/* With the version of what the masses follow from: only gravity has another one, so that a change of it sends nothing else. */
void mass_operator_describe(const MassOperator *self, DvMass *base, uint32_t points, uint64_t own, DvOperator *out);
/* One of bodies that turn, after mass_operator_begin; then all of them. */
void mass_operator_set_body(MassOperator *self, const DvMass *base, uint32_t point, const DvBodyMass *body);
void mass_operator_describe_bodies(MassOperator *self, DvMass *base, uint32_t points, uint64_t own, DvOperator *out);
/* A matrix of rows, or its diagonal alone. */
void mass_operator_describe_rows(MassOperator *self, DvMass *base, const struct RowMass *rows, uint64_t version,
                                 DvOperator *out);
void mass_operator_free(MassOperator *self);

#endif
