/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the step check share: step_check.c says what it does.
 */
#ifndef DIVAN_MECHANICS_STEP_CHECK_H
#define DIVAN_MECHANICS_STEP_CHECK_H

#include "mechanics.h"
#include "state/mechanical_object_elsewhere.h"

enum { X, V }; /* vectors that are watched */

#define LEAST_SENSELESS 1e9 /* of velocities and places */
#define SURELY_GOOD \
    (LEAST_SENSELESS * LEAST_SENSELESS) /* sums of squares up to this: no number is larger, whatever the limit */

/* Where the last copy of one is. */
static inline DvVecId copy_of(DvVecId id, unsigned copies)
{
    const bool odd = copies & WATCH_ODD;
    return dv_vec_kind(id) == DV_COORDS ? (odd ? VEC_ODD_POSITION : VEC_EVEN_POSITION)
                                        : (odd ? VEC_ODD_VELOCITY : VEC_EVEN_VELOCITY);
}

/* Both copies are there before a step needs them. */
static inline void make_copies(DvStateRef s, DvVecId id)
{
    state_combine(s, copy_of(id, 0), id, DV_NO_VEC, 0.0);
    state_combine(s, copy_of(id, WATCH_ODD), id, DV_NO_VEC, 0.0);
}

/* The number of writes of a vector so far, its last value being there; 0: nobody counts. */
static inline uint64_t version_of(DvStateRef s, DvVecId id)
{
    MechanicalObject *own = s.ops == &mechanical_object_state_ops ? s.self : NULL;
    if (own && own->elsewhere)
        return elsewhere_version(own, id);
    return own && mechanical_object_give(own, id, DV_HOST) ? own->of_id[id]->version : 0;
}

/* An error of a device that keeps a state, which has been said; DV_OK: none. */
DvStatus step_check_device_fault(const DvMechanics *m);
/* After a step that is good: copies what devices keep to the host if it is time for that. */
void step_check_keep(DvMechanics *m, uint64_t number);
void step_check_forget_copies(DvNode *root);
/* Puts the last good state back where a device has failed: what it holds itself, else the newest copy on the host, with its time. All
 * states are on the host from then on. false: no device has failed, or there is no copy. */
bool step_check_leave_devices(DvMechanics *m, DvNode *root);

/* Looks at all vectors that devices keep: with one wait for their sums. */
void step_check_look_at_devices(DvMechanics *m, uint64_t turn);

#endif
