/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step check of vectors that a device keeps: copied there, and their sums of squares in slots. When the device fails, the run ends with
 * the last good state: the copy there if it can be had, else the newest one on the host.
 */
#include "step_check.h"
#include "twins.h"

#include <divan/memory.h>

#include <stdlib.h>

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

/* ---- When a device fails ---- */

DvStatus step_check_device_fault(const DvMechanics *m)
{
    DvStatus fault = DV_OK;
    for (uint32_t i = 0; i < m->state_list.count && fault == DV_OK; i++)
        fault = dv_space_fault(dv_state_storage(state_at(m, i)->ref).space);
    return fault;
}

static MechanicalObject *of_device(const StateItem *state)
{
    MechanicalObject *own = state->ref.ops == &mechanical_object_state_ops ? state->ref.self : NULL;
    return own && own->elsewhere ? own : NULL;
}

void step_check_keep(DvMechanics *m, uint64_t number)
{
    struct HostCopy *copy = &m->scene->host_copy;
    if (number == 0) {
        const char *every = getenv("DIVAN_HOST_COPY");
        copy->every = every ? strtoull(every, NULL, 10) : 0;
    }
    bool is_due = number == 0 || (copy->every > 0 && number % copy->every == 0);
    for (uint32_t i = 0; i < m->independent.count && !is_due; i++) {
        const MechanicalObject *own = of_device(independent_at(m, i));
        is_due = own && !elsewhere_is_kept(own); /* it has been cut, or is new */
    }
    for (uint32_t i = 0; i < m->independent.count && is_due; i++) {
        MechanicalObject *own = of_device(independent_at(m, i));
        if (own)
            elsewhere_keep(own);
    }
    if (is_due)
        copy->time = dv_node_time(dv_node_root(m->node));
}

/* Whether all copies of the last good state are there, and can be had. */
static bool holds_last_good(const DvMechanics *m)
{
    bool all = true;
    for (uint32_t i = 0; i < m->independent.count && all; i++) {
        const StateItem *state = independent_at(m, i);
        const MechanicalObject *own = of_device(state);
        for (int k = X; k <= V && own && all; k++)
            all = state->watch[k].copies & WATCH_KEPT &&
                  elsewhere_holds(own, copy_of(k == X ? DV_POSITION : DV_VELOCITY, state->watch[k].copies));
    }
    return all;
}

static bool all_are_kept(const DvMechanics *m)
{
    bool all = true;
    for (uint32_t i = 0; i < m->independent.count && all; i++) {
        const MechanicalObject *own = of_device(independent_at(m, i));
        all = !own || elsewhere_is_kept(own);
    }
    return all;
}

/* Those of the host are as they were before the step; they are as old as the others only if that is the start. */
static void put_back(DvMechanics *m, bool from_device)
{
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const StateItem *state = independent_at(m, i);
        for (int k = X; k <= V; k++) {
            const DvVecId id = k == X ? DV_POSITION : DV_VELOCITY;
            if (state->watch[k].copies & WATCH_KEPT && (from_device || !of_device(state)))
                state_combine(state->ref, id, copy_of(id, state->watch[k].copies), DV_NO_VEC, 0.0);
        }
    }
}

bool step_check_leave_devices(DvMechanics *m, DvNode *root)
{
    const bool there = holds_last_good(m), kept = !there && all_are_kept(m);
    put_back(m, there);
    for (DvMechanics *other = m->scene->open; other; other = other->next) {
        twins_forget_all(other);
        other->revision = 0; /* to be compiled anew */
    }
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        MechanicalObject *own = of_device(state_at(m, i));
        if (own)
            elsewhere_leave(own, kept);
    }
    m->elsewhere = 0;
    if (kept) {
        dv_node_set_time(root, m->scene->host_copy.time);
        dv_node_propagate_context(root);
        dv_warning(
            dv_node_object(root),
            "the newest copy on the host of what the device kept is of time %.6g s; --host-copy N makes one every "
            "N steps",
            m->scene->host_copy.time);
    }
    return there || kept;
}
