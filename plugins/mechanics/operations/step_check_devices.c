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

/* Position and velocity of states of the host, as of the copy of what devices keep: the last good state is of one time. */
typedef struct Beside {
    struct KeptBeside {
        DvStateRef state; /* held */
        uint32_t points;
        double *at[2];
    } * of;
    uint32_t count;
} Beside;

static const DvVecId watched_ids[] = {DV_POSITION, DV_VELOCITY};

static Beside *beside_of(const DvNode *root)
{
    static const char key = 0;
    return dv_scene_local(dv_node_scene(root), &key, sizeof(Beside));
}

void step_check_forget_copies(DvNode *root)
{
    Beside *beside = beside_of(root);
    for (uint32_t i = 0; i < beside->count; i++) {
        dv_state_release(&beside->of[i].state);
        dv_free(beside->of[i].at[X]);
        dv_free(beside->of[i].at[V]);
    }
    dv_free(beside->of);
    *beside = (Beside){NULL, 0};
}

/* The copy of a state as it is; or NULL. */
static const struct KeptBeside *find_beside(const DvMechanics *m, DvStateRef s)
{
    const Beside *beside = beside_of(dv_node_root(m->node));
    for (uint32_t i = 0; i < beside->count; i++)
        if (beside->of[i].state.object == s.object && beside->of[i].points == state_count(s))
            return &beside->of[i];
    return NULL;
}

static size_t numbers_of(DvStateRef s, int k)
{
    return (size_t)state_count(s) * (k == X ? s.dof->coord : s.dof->deriv);
}

static void keep_beside(DvMechanics *m)
{
    Beside *beside = beside_of(dv_node_root(m->node));
    step_check_forget_copies(dv_node_root(m->node));
    beside->of = dv_alloc((size_t)m->independent.count + 1, sizeof *beside->of);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const StateItem *state = independent_at(m, i);
        if (of_device(state))
            continue;
        struct KeptBeside *kept = &beside->of[beside->count++];
        *kept = (struct KeptBeside){dv_state_ref(dv_object_ref(state->ref.object)), state_count(state->ref), {NULL}};
        for (int k = X; k <= V; k++) {
            const size_t n = numbers_of(state->ref, k);
            const double *from = n ? state_read(state->ref, watched_ids[k], DV_HOST) : NULL;
            kept->at[k] = from ? dv_alloc(n, sizeof *from) : NULL;
            if (from)
                memcpy(kept->at[k], from, n * sizeof *from);
        }
    }
}

static bool is_kept(const DvMechanics *m, const StateItem *state)
{
    const MechanicalObject *own = of_device(state);
    return own ? elsewhere_is_kept(own) : find_beside(m, state->ref) != NULL;
}

void step_check_keep(DvMechanics *m, uint64_t number)
{
    struct HostCopy *copy = &m->scene->host_copy;
    if (number == 0) {
        const char *every = getenv("DIVAN_HOST_COPY");
        copy->every = every ? strtoull(every, NULL, 10) : 0;
    }
    bool is_due = number == 0 || (copy->every > 0 && number % copy->every == 0);
    for (uint32_t i = 0; i < m->independent.count && !is_due; i++)
        is_due = !is_kept(m, independent_at(m, i)); /* it has been cut, or is new */
    for (uint32_t i = 0; i < m->independent.count && is_due; i++) {
        MechanicalObject *own = of_device(independent_at(m, i));
        if (own)
            elsewhere_keep(own);
    }
    if (!is_due || step_check_device_fault(m) != DV_OK) /* it was lost meanwhile: what has come home is not whole */
        return;
    for (uint32_t i = 0; i < m->independent.count; i++)
        if (of_device(independent_at(m, i)))
            elsewhere_take_copy(of_device(independent_at(m, i)));
    keep_beside(m);
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
    for (uint32_t i = 0; i < m->independent.count && all; i++)
        all = is_kept(m, independent_at(m, i));
    return all;
}

/* As before the step. */
static void put_back(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const StateItem *state = independent_at(m, i);
        for (int k = X; k <= V; k++)
            if (state->watch[k].copies & WATCH_KEPT)
                state_combine(state->ref, watched_ids[k], copy_of(watched_ids[k], state->watch[k].copies), DV_NO_VEC,
                              0.0);
    }
}

/* States of the host as of the copy, which is the last good state from now on. */
static void put_back_beside(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->independent.count; i++) {
        StateItem *state = independent_at(m, i);
        const struct KeptBeside *kept = of_device(state) ? NULL : find_beside(m, state->ref);
        for (int k = X; k <= V && kept; k++) {
            double *to = kept->at[k] ? state_write(state->ref, watched_ids[k], DV_HOST, DV_OVERWRITE) : NULL;
            if (to)
                memcpy(to, kept->at[k], numbers_of(state->ref, k) * sizeof *to);
            state->watch[k] = (Watch){.copies = 0};
        }
    }
}

bool step_check_leave_devices(DvMechanics *m, DvNode *root)
{
    const bool there = holds_last_good(m), kept = !there && all_are_kept(m);
    if (there)
        put_back(m);
    else if (kept)
        put_back_beside(m);
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
