/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The derivatives of mapped states by the independent states they follow from, through chains of mappings.
 */
#ifndef DIVAN_MECHANICS_JACOBIANS_H
#define DIVAN_MECHANICS_JACOBIANS_H

#include "mechanics.h"

/* d(state)/d(root) as rows of dense blocks, deriv of the state x deriv of the root, row-major. */
typedef struct StateJacobian {
    uint32_t root;           /* slot of a state of the mechanics */
    const uint32_t *start;   /* [points of the state + 1] */
    const uint32_t *columns; /* [start[points]] points of the root, ascending within a row */
    const double *values;
    const double *weights; /* [start[points]] w where a block is w I, NaN where it is not */
} StateJacobian;

typedef struct Jacobians Jacobians;

Jacobians *jacobians_new(void);
void jacobians_free(Jacobians *jacobians);
/* Makes and drops structure where the mechanics, or what is needed, have changed: Jacobians of the mapped states in `needed` (by slot;
 * it is marked upwards) and of those they follow from. jacobians_changed then tells of which states. */
void jacobians_update_structure(Jacobians *jacobians, DvMechanics *m, bool *needed);
/* Whether the Jacobians of a state were made, dropped or given another structure in the last jacobians_update_structure. */
bool jacobians_changed(const Jacobians *jacobians, uint32_t state);
/* Brings the values up to date with the last propagation, *changed: whether they were not; false when a structure has
 * changed: make new ones. */
bool jacobians_update_values(Jacobians *jacobians, DvMechanics *m, bool *changed);
/* The Jacobians of a mapped state, one per root. */
const StateJacobian *jacobians_of(const Jacobians *jacobians, uint32_t state, uint32_t *count);

#endif
