/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a component says of a failed run: a fault of every state of the scene, as its positions are.
 */
#ifndef TESTS_SUPPORT_FAULT_H
#define TESTS_SUPPORT_FAULT_H

#include <divan/contracts/fault_cause.h>

static inline bool fault_concerns_all(const DvFault *fault, DvObject *state)
{
    (void)fault;
    return state != NULL;
}

static inline DvConstVec fault_state_now(const DvFault *fault, DvObject *state, DvVecId id)
{
    (void)fault;
    return dv_state_read(dv_state_ref(state), id);
}

static inline DvFault fault_of_all_states(void)
{
    return (DvFault){.dt = 0.01, .lightest = 1.0, .concerns = fault_concerns_all, .good = fault_state_now};
}

#endif
