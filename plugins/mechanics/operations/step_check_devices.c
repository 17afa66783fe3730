/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step check of vectors that a device keeps: copied there, and their sums of squares in slots.
 */
#include "step_check.h"

/* A vector that is looked at on a device: what `look` does, but for its sum, which a slot gets. */
static bool look_there(StateItem *state, DvVecId id, uint64_t turn, uint32_t slot)
{
    const DvStateRef s = state->ref;
    const DvStorage storage = dv_state_storage(s);
    const bool keeps = state->kind == STATE_INDEPENDENT;
    Watch *watch = &state->watch[dv_vec_kind(id) == DV_COORDS ? X : V];
    const uint64_t version = version_of(s, id);
    if (!state_has(s, id) || ((watch->copies & WATCH_KEPT) == keeps && version == watch->version))
        return false;
    watch->before = watch->copies;
    watch->turn = turn;
    watch->version = watch->judged = 0;
    if (keeps && !(watch->copies & WATCH_KEPT))
        make_copies(s, id);
    watch->copies = keeps ? (watch->copies ^ WATCH_ODD) | WATCH_KEPT : 0;
    if (keeps)
        state_combine(s, copy_of(id, watch->copies), id, DV_NO_VEC, 0.0);
    const DvAddress at = dv_vector_as_address(state_read(s, id, storage.space->number));
    const uint32_t dim = dv_vec_kind(id) == DV_COORDS ? s.dof->coord : s.dof->deriv;
    if (at)
        storage.space->ops->dot(storage.space, slot, false, at, at, storage.precision, (size_t)state_count(s) * dim);
    return at != 0;
}

enum { MOST_LOOKED_AT = DV_SLOTS - DV_SLOT_OWN };

/* All vectors that devices keep: with one wait for the sums of a device. Those beyond the slots are looked at one by one. */
void step_check_look_at_devices(DvMechanics *m, uint64_t turn)
{
    Watch *watch[MOST_LOOKED_AT];
    uint64_t version[MOST_LOOKED_AT];
    double sum[MOST_LOOKED_AT];
    uint32_t count = 0;
    DvVectorSpace *space = NULL;
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        StateItem *state = state_at(m, i);
        const DvStorage storage = dv_state_storage(state->ref);
        if (!storage.space || state->kind == STATE_EXTERNAL || state_count(state->ref) == 0 ||
            (space && storage.space != space))
            continue;
        space = storage.space;
        for (int k = X; k <= V && count < MOST_LOOKED_AT; k++) {
            if (k == V && state->kind != STATE_INDEPENDENT)
                continue;
            const DvVecId id = k == X ? DV_POSITION : DV_VELOCITY;
            if (!look_there(state, id, turn, DV_SLOT_OWN + count))
                continue;
            version[count] = version_of(state->ref, id);
            watch[count++] = &state->watch[k];
        }
    }
    if (count == 0)
        return;
    space->ops->get_slots(space, DV_SLOT_OWN, sum, count);
    for (uint32_t i = 0; i < count; i++)
        if (sum[i] <= SURELY_GOOD)
            watch[i]->version = version[i];
}
