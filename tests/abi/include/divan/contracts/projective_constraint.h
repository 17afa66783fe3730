/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Projective constraints: conditions on one state (or two) that hold by projection, such as fixed points.
 *
 * Projections are idempotent. Threads: all [step].
 */
#ifndef DIVAN_CONTRACTS_PROJECTIVE_CONSTRAINT_H
#define DIVAN_CONTRACTS_PROJECTIVE_CONSTRAINT_H

#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_PROJECTIVE_CONSTRAINT "divan.projective-constraint/1"

typedef struct DvProjectiveConstraintOps {
    uint32_t size;
    DvSpace space;
    uint32_t (*states)(void *self, DvObject *states[2]); /* 0: invalid, does nothing */
    /* Of residuals, forces, accelerations, search directions. */
    void (*project_response)(void *self, const DvStep *step, const DvVec *d);
    /* Optional: after a step, on the new velocities and positions. */
    void (*project_velocity)(void *self, const DvStep *step, const DvVec *v);
    void (*project_position)(void *self, const DvStep *step, const DvVec *x);
    /* Optional: names the components it fixes, for an assembled matrix (row and column cleared, 1 on the diagonal):
     * calls fix for each, `state` 0 or 1. `structure` changes when the set does. Absent: the matrix stays
     * unconstrained, with a warning. */
    void (*fixed)(void *self, const DvStep *step,
                  void (*fix)(void *context, uint32_t state, uint32_t point, uint32_t component), void *context);
    uint64_t (*structure)(void *self, const DvStep *step);
    /* Optional: whether `fixed` leaves something out that the projections hold, such as a direction along no axis. A solver
     * that can do without a matrix then does. */
    bool (*leaves_out)(void *self);
} DvProjectiveConstraintOps;

DV_END_DECLS
#endif
