/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The states of a DvMechanics, and which of them carry forces; see mechanics.h.
 */
#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/memory.h>

#include "mechanics_private.h"

/* ---- Slots and lists ---- */

void list_insert(List *list, uint32_t place, uint32_t slot)
{
    if (list->count == list->capacity) {
        const uint32_t more = list->capacity ? 2 * list->capacity : 16;
        list->at = dv_realloc(list->at, list->capacity * sizeof *list->at, more * sizeof *list->at);
        list->capacity = more;
    }
    memmove(list->at + place + 1, list->at + place, (list->count - place) * sizeof *list->at);
    list->at[place] = slot;
    list->count++;
}

void list_add(List *list, uint32_t slot)
{
    list_insert(list, list->count, slot);
}

void list_remove_at(List *list, uint32_t place)
{
    list->count--;
    memmove(list->at + place, list->at + place + 1, (list->count - place) * sizeof *list->at);
}

/* Items of every kind begin with their key. */
static Key key_of(const void *items, size_t size, uint32_t slot)
{
    return *(const Key *)(const void *)((const char *)items + slot * size);
}

uint32_t items_place_of_key(const List *list, const void *items, size_t size, Key key)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_keys(key_of(items, size, list->at[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t slots_take(Slots *slots, void **items, size_t size)
{
    if (slots->free.count)
        return slots->free.at[--slots->free.count];
    if (slots->count == slots->capacity) {
        const uint32_t more = slots->capacity ? 2 * slots->capacity : 16;
        *items = dv_realloc(*items, slots->capacity * size, more * size);
        slots->capacity = more;
    }
    return slots->count++;
}

/* ---- Walk of visitors ---- */

static bool slot_mapping_stops(const DvNode *node)
{
    DvObject *mapping = dv_node_slot(node, DV_MAPPING);
    if (!mapping)
        return false;
    const DvMappingOps *ops = dv_object_ops(mapping, DV_MAPPING);
    return !ops->maps_forces(dv_object_self(mapping));
}

static bool is_below(const DvNode *node, const DvNode *top)
{
    if (node == top)
        return true;
    const DvNode *parent;
    for (size_t i = 0; (parent = dv_node_parent(node, i)); i++)
        if (is_below(parent, top))
            return true;
    return false;
}

bool node_is_cut_off(const DvNode *node, const DvNode *top)
{
    if (slot_mapping_stops(node))
        return true;
    if (node == top)
        return false;
    const DvNode *parent;
    for (size_t i = 0; (parent = dv_node_parent(node, i)); i++)
        if (is_below(parent, top) && !node_is_cut_off(parent, top))
            return false;
    return true;
}

/* ---- States by object ---- */

static uint32_t home_of(const struct Index *index, const DvObject *object)
{
    return (uint32_t)(((uintptr_t)object >> 6) * 2654435761u) & index->mask;
}

static uint32_t place_of(const struct Index *index, const DvObject *object)
{
    uint32_t place = home_of(index, object);
    while (index->keys[place] && index->keys[place] != object)
        place = (place + 1) & index->mask;
    return place;
}

static void index_add(struct Index *index, DvObject *object, uint32_t slot)
{
    if (!index->keys || (index->count + 1) * 2 > index->mask) {
        const struct Index old = *index;
        const uint32_t size = old.keys ? (old.mask + 1) * 2 : 64;
        *index = (struct Index){dv_alloc(size, sizeof(DvObject *)), dv_alloc(size, sizeof *index->values), size - 1, 0};
        for (uint32_t i = 0; old.keys && i <= old.mask; i++)
            if (old.keys[i])
                index_add(index, old.keys[i], old.values[i]);
        dv_free(old.keys);
        dv_free(old.values);
    }
    const uint32_t place = place_of(index, object);
    index->keys[place] = object;
    index->values[place] = slot;
    index->count++;
}

static void index_remove(struct Index *index, const DvObject *object)
{
    uint32_t hole = place_of(index, object), place = hole;
    index->keys[hole] = NULL;
    index->count--;
    /* What was pushed past the hole moves back (Knuth 6.4, algorithm R). */
    for (;;) {
        place = (place + 1) & index->mask;
        if (!index->keys[place])
            return;
        const uint32_t home = home_of(index, index->keys[place]);
        if (((place - home) & index->mask) < ((place - hole) & index->mask))
            continue;
        index->keys[hole] = index->keys[place];
        index->values[hole] = index->values[place];
        index->keys[place] = NULL;
        hole = place;
    }
}

uint32_t mechanics_find_state(const DvMechanics *m, const DvObject *object)
{
    if (!m->index.keys)
        return NO_SLOT;
    const uint32_t place = place_of(&m->index, object);
    return m->index.keys[place] ? m->index.values[place] : NO_SLOT;
}

/* ---- States ---- */

static void remove_independent(DvMechanics *m, uint32_t slot)
{
    REMOVE_BY_KEY(&m->independent, m->states, slot);
}

void state_update_kind(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    const StateKind kind = state->producers                                               ? STATE_MAPPED
                           : is_inside(state) && state->of_its_node && !state->below_stop ? STATE_INDEPENDENT
                                                                                          : STATE_EXTERNAL;
    if (kind == state->kind || state->leaves)
        return;
    m->version++;
    m->placed++;
    if (state->kind == STATE_INDEPENDENT)
        remove_independent(m, slot);
    state->kind = kind;
    if (kind == STATE_INDEPENDENT) {
        INSERT_BY_KEY(&m->independent, m->states, slot);
    } else if (kind == STATE_EXTERNAL && !dv_object_ops(state->ref.object, DV_VISUAL_MODEL))
        state->ref.ops->clear(state->ref.self, VEC_ZERO);
}

static uint32_t add_state(DvMechanics *m, DvObject *object, Key key, bool of_its_node, bool below_stop)
{
    const uint32_t slot = TAKE_SLOT(&m->state_slots, m->states);
    m->states[slot] = (StateItem){.key = key,
                                  .id = ++m->last_id,
                                  .ref = dv_state_ref(object),
                                  .kind = STATE_NEW,
                                  .of_its_node = of_its_node,
                                  .below_stop = below_stop};
    index_add(&m->index, dv_object_ref(object), slot);
    if (is_inside(&m->states[slot]))
        INSERT_BY_KEY(&m->state_list, m->states, slot);
    else
        list_add(&m->state_list, slot);
    m->outside += !is_inside(&m->states[slot]);
    m->elsewhere += dv_state_storage(m->states[slot].ref).space != NULL;
    state_update_kind(m, slot);
    return slot;
}

/* From the end of the list, where those outside the node are. */
static void remove_outside(DvMechanics *m, uint32_t slot)
{
    uint32_t place = m->state_list.count - 1;
    while (m->state_list.at[place] != slot)
        place--;
    list_remove_at(&m->state_list, place);
    m->outside--;
}

void state_remove(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    DvObject *object = state->ref.object;
    m->version++;
    m->placed++;
    m->elsewhere -= dv_state_storage(state->ref).space != NULL;
    if (state->kind == STATE_INDEPENDENT)
        remove_independent(m, slot);
    if (is_inside(state))
        REMOVE_BY_KEY(&m->state_list, m->states, slot);
    else
        remove_outside(m, slot);
    index_remove(&m->index, object);
    *state = (StateItem){.ref = {NULL, NULL, NULL, NULL}};
    list_add(&m->state_slots.free, slot);
    dv_object_unref(object);
}

void state_set_aside(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    m->placed++;
    REMOVE_BY_KEY(&m->state_list, m->states, slot);
    if (state->kind == STATE_INDEPENDENT)
        remove_independent(m, slot);
    state->kind = STATE_NEW;
    state->leaves = true;
    state->key = (Key){UINT64_MAX, 0};
    list_add(&m->state_list, slot);
    m->outside++;
}

uint32_t state_slot(DvMechanics *m, DvObject *object)
{
    if (!object || !dv_object_ops(object, DV_STATE))
        return NO_SLOT;
    const uint32_t slot = mechanics_find_state(m, object);
    return slot != NO_SLOT ? slot : add_state(m, object, (Key){UINT64_MAX, 0}, false, false);
}

void state_let_go(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (--state->users == 0 && !is_inside(state) && !state->leaves)
        state_remove(m, slot);
}

void state_add_own(DvMechanics *m, const DvCall *call, uint32_t rank)
{
    if (dv_object_ops(call->object, DV_VISUAL_MODEL))
        return;
    const DvNode *node = dv_object_node(call->object);
    const bool of_its_node = dv_node_slot(node, DV_STATE) == call->object, below_stop = node_is_cut_off(node, m->node);
    const Key key = {call->order, rank};
    const uint32_t slot = mechanics_find_state(m, call->object);
    if (slot == NO_SLOT) {
        (void)add_state(m, call->object, key, of_its_node, below_stop);
        return;
    }
    StateItem *state = &m->states[slot];
    remove_outside(m, slot);
    state->kind = STATE_NEW;
    state->key = key;
    state->of_its_node = of_its_node;
    state->below_stop = below_stop;
    state->leaves = false;
    INSERT_BY_KEY(&m->state_list, m->states, slot);
    state_update_kind(m, slot);
}

void state_give_vectors(const DvMechanics *m, const StateItem *state)
{
    const DvStateRef s = state->ref;
    for (DvVecId id = DV_FIRST_FREE_VEC; id < FIRST_PRIVATE_VEC && state->kind == STATE_INDEPENDENT; id++)
        if (m->allocated[id] && !state_has(s, id))
            state_clear(s, id);
}

/* ---- Loads: what carries forces upwards ---- */

void state_add_load(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (state->loads++ || !state->producers)
        return;
    MappingItem *mapping = &m->mappings[state->producer];
    if (mapping->loads++)
        return;
    for (uint32_t i = 0; i < mapping->inputs; i++)
        state_add_load(m, mapping->links[i]);
}

void state_remove_load(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (--state->loads || !state->producers)
        return;
    MappingItem *mapping = &m->mappings[state->producer];
    if (--mapping->loads)
        return;
    for (uint32_t i = 0; i < mapping->inputs; i++)
        state_remove_load(m, mapping->links[i]);
}

void states_mark_loads(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->field_list.count; i++)
        for (uint32_t k = 0; k < field_at(m, i)->state_count; k++)
            m->states[field_at(m, i)->states[k]].loads++;
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        for (uint32_t k = 0; k < mapping->outputs; k++)
            mapping->loads += m->states[mapping_outputs_of(mapping)[k]].loads > 0;
        for (uint32_t k = 0; mapping->loads && k < mapping->inputs; k++)
            m->states[mapping->links[k]].loads++;
    }
}
