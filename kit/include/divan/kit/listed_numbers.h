/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A few points or numbers of vectors of a state, wherever it keeps them: of a state that a device keeps only these points travel.
 *
 * Threads: [step].
 */
#ifndef DIVAN_KIT_LISTED_NUMBERS_H
#define DIVAN_KIT_LISTED_NUMBERS_H

#include <divan/contracts/state.h>

DV_BEGIN_DECLS

/* Optional, beside DV_STATE, of states that keep vectors elsewhere: a whole vector on the host of which these points at least are up to date, valid
 * until the next such call of the same vector.     points: [count] of the host */
#define DV_STATE_POINTS "kit.state-points/1"
typedef struct DvStatePointsOps {
    uint32_t size;
    const double *(*read)(void *self, DvVecId id, const uint32_t *points, uint32_t count);
} DvStatePointsOps;

/* The same of any state: of one on the host the vector as it is. */
DV_PUBLIC DvConstVec dv_state_read_points(DvStateRef s, DvVecId id, const uint32_t *points, uint32_t count);

/* A vector of derivatives that has these numbers, and zeros elsewhere.     places: [count] ascending, each once */
DV_PUBLIC void dv_state_set_listed(DvStateRef s, DvVecId v, const uint32_t *places, const double *numbers,
                                   uint32_t count);
/* A whole vector of derivatives on the host of which these numbers at least are up to date; NULL: it does not exist. Valid until the next such
 * call of the same vector. */
DV_PUBLIC const double *dv_state_get_listed(DvStateRef s, DvVecId v, const uint32_t *places, uint32_t count);

DV_END_DECLS
#endif
