/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Putting together the arrays of a DvMechanics from the graph, and following its edits; see mechanics.h.
 *
 * The kernel's schedule lists the components; after an edit it names the nodes whose lists are others. Of these, what is gone is
 * taken out of the arrays and what has come is put in, at its place in the order. What cannot be told from there is compiled from
 * nothing: a graph that is no tree, states that two mappings compute, mappings against the order of the graph, mappings
 * that begin or cease to stop forces, and components that lose one of their states and stay.
 */
#include "mechanics.h"

#include "row_projection.h"

#include <stdlib.h>
#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/memory.h>
#include <divan/visitor.h>

/* ---- What the kernel's schedule lists: one call per object and role ---- */

/* Calls are read, never run: their data say which role the object has. */
typedef enum Role { ROLE_MAPPING, ROLE_STATE, ROLE_FIELD, ROLE_INTERACTION, ROLE_CONSTRAINT, ROLES } Role;

static const struct {
    Role role;
    const char *contract;
} roles[ROLES] = {{ROLE_MAPPING, DV_MAPPING},
                  {ROLE_STATE, DV_STATE},
                  {ROLE_FIELD, DV_FORCE_FIELD},
                  {ROLE_INTERACTION, DV_INTERACTION_FORCE_FIELD},
                  {ROLE_CONSTRAINT, DV_PROJECTIVE_CONSTRAINT}};

static Role role_of(const DvCall *call)
{
    return *(const Role *)call->data;
}

static DvVisit plan_node(DvPlanner *planner, DvNode *node)
{
    for (int i = 0; i < ROLES; i++)
        (void)dv_plan_each(planner, node, roles[i].contract, NULL, &roles[i].role);
    return DV_VISIT_CONTINUE;
}

static const DvPlan plan = {.name = "mechanics", .top_down = plan_node};

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

static int compare_keys(Key a, Key b)
{
    if (a.order != b.order)
        return a.order < b.order ? -1 : 1;
    return (a.rank > b.rank) - (a.rank < b.rank);
}

/* Items of every kind begin with their key. */
static Key key_of(const void *items, size_t size, uint32_t slot)
{
    return *(const Key *)(const void *)((const char *)items + slot * size);
}

/* The first place whose key is not below this one. */
static uint32_t place_of_key(const List *list, const void *items, size_t size, Key key)
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

#define PLACE_OF_KEY(list, items, key)   place_of_key((list), (items), sizeof *(items), (key))
#define INSERT_BY_KEY(list, items, slot) list_insert((list), PLACE_OF_KEY(list, items, (items)[slot].key), (slot))

/* The slot is in the list. */
#define REMOVE_BY_KEY(list, items, slot) list_remove_at((list), PLACE_OF_KEY(list, items, (items)[slot].key))

/* A free slot; *items may move. */
static uint32_t take_slot(Slots *slots, void **items, size_t size)
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

#define TAKE_SLOT(slots, items) take_slot((slots), (void **)&(items), sizeof *(items))

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

/* Whether a walk from `top` that stops at mappings without forces leaves this node out: all ways to it are cut. */
static bool is_cut_off(const DvNode *node, const DvNode *top)
{
    if (slot_mapping_stops(node))
        return true;
    if (node == top)
        return false;
    const DvNode *parent;
    for (size_t i = 0; (parent = dv_node_parent(node, i)); i++)
        if (is_below(parent, top) && !is_cut_off(parent, top))
            return false;
    return true;
}

/* ---- States by object ---- */

enum { NO_SLOT = UINT32_MAX };

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

static bool is_inside(const StateItem *state)
{
    return state->key.order != UINT64_MAX;
}

static void update_kind(DvMechanics *m, uint32_t slot)
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
        REMOVE_BY_KEY(&m->independent, m->states, slot);
    state->kind = kind;
    if (kind == STATE_INDEPENDENT)
        INSERT_BY_KEY(&m->independent, m->states, slot);
    else if (kind == STATE_EXTERNAL && !dv_object_ops(state->ref.object, DV_VISUAL_MODEL))
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
    update_kind(m, slot);
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

static void remove_state(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    DvObject *object = state->ref.object;
    m->version++;
    m->placed++;
    if (state->kind == STATE_INDEPENDENT)
        REMOVE_BY_KEY(&m->independent, m->states, slot);
    if (is_inside(state))
        REMOVE_BY_KEY(&m->state_list, m->states, slot);
    else
        remove_outside(m, slot);
    index_remove(&m->index, object);
    *state = (StateItem){.ref = {NULL, NULL, NULL, NULL}};
    list_add(&m->state_slots.free, slot);
    dv_object_unref(object);
}

/* The object of a state has left the walk: it may have come in elsewhere, else it goes when the edit has been followed. */
static void set_aside(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    m->placed++;
    REMOVE_BY_KEY(&m->state_list, m->states, slot);
    if (state->kind == STATE_INDEPENDENT)
        REMOVE_BY_KEY(&m->independent, m->states, slot);
    state->kind = STATE_NEW;
    state->leaves = true;
    state->key = (Key){UINT64_MAX, 0};
    list_add(&m->state_list, slot);
    m->outside++;
}

/* The slot of a state, which becomes one outside the node if it is not known; NO_SLOT when the object is no state. */
static uint32_t state_slot(DvMechanics *m, DvObject *object)
{
    if (!object || !dv_object_ops(object, DV_STATE))
        return NO_SLOT;
    const uint32_t slot = mechanics_find_state(m, object);
    return slot != NO_SLOT ? slot : add_state(m, object, (Key){UINT64_MAX, 0}, false, false);
}

static void let_go(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (--state->users == 0 && !is_inside(state) && !state->leaves)
        remove_state(m, slot);
}

/* ---- Loads: what carries forces upwards ---- */

static void add_load(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (state->loads++ || !state->producers)
        return;
    MappingItem *mapping = &m->mappings[state->producer];
    if (mapping->loads++)
        return;
    for (uint32_t i = 0; i < mapping->inputs; i++)
        add_load(m, mapping->links[i]);
}

static void remove_load(DvMechanics *m, uint32_t slot)
{
    StateItem *state = &m->states[slot];
    if (--state->loads || !state->producers)
        return;
    MappingItem *mapping = &m->mappings[state->producer];
    if (--mapping->loads)
        return;
    for (uint32_t i = 0; i < mapping->inputs; i++)
        remove_load(m, mapping->links[i]);
}

/* All at once: backwards, so that a chain is marked in one pass. */
static void mark_loads(DvMechanics *m)
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

/* ---- Components ---- */

/* Whether arrays are being compiled from nothing: loads and orders come at the end then. */
typedef enum Mode { COMPILING, FOLLOWING } Mode;

/* How it went with a call. */
typedef enum Outcome {
    GOOD,     /* there is an item now, or nothing to be done */
    IS_LATER, /* it acts on no state yet */
    TOO_MUCH  /* to be compiled from nothing */
} Outcome;

/* Whether all states give their vectors where a component wants them; if not, which does not, and what helps. */
static bool meet(DvMechanics *m, DvObject *object, DvSpace space, DvObject *const *states, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!states[i] || !dv_object_ops(states[i], DV_STATE) || dv_state_serves(dv_state_ref(states[i]), space))
            continue;
        if (dv_object_is_valid(object))
            m->scene->fault = dv_error(
                object, DV_ERROR_UNSUPPORTED,
                "works on vectors %s, and state '%s' (%s) keeps its vectors %s only; take a state or a component of the other kind",
                space == DV_DEVICE ? "on a device" : "on the host", dv_object_path(states[i]),
                dv_object_class(states[i])->name, space == DV_DEVICE ? "on the host" : "on a device");
        dv_object_set_state(object, DV_COMPONENT_INVALID);
        return false;
    }
    return true;
}

/* Vectors that solvers have allocated, or share, are in states that come later too. */
static void give_vectors(const DvMechanics *m, const StateItem *state)
{
    const DvStateRef s = state->ref;
    for (DvVecId id = DV_FIRST_FREE_VEC; id < FIRST_PRIVATE_VEC && state->kind == STATE_INDEPENDENT; id++)
        if (m->allocated[id] && !state_has(s, id))
            state_clear(s, id);
}

static uint32_t find_slots(DvMechanics *m, DvObject *const *objects, uint32_t count, uint32_t *slots)
{
    for (uint32_t i = 0; i < count; i++)
        if (!objects[i] || !dv_object_ops(objects[i], DV_STATE))
            return 0;
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = state_slot(m, objects[i]);
        m->states[slots[i]].users++;
    }
    return count;
}

static bool feeds_visual_models_only(DvObject *const *outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!dv_object_ops(outputs[i], DV_VISUAL_MODEL))
            return false;
    return true;
}

/* Room for the arguments of a mapping with so many inputs and outputs. */
static void reserve_links(DvMechanics *m, uint32_t links)
{
    if (links <= m->link_capacity)
        return;
    void *arrays[] = {m->given, m->given_more, m->wanted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    m->given = dv_alloc(links, sizeof *m->given);
    m->given_more = dv_alloc(links, sizeof *m->given_more);
    m->wanted = dv_alloc(links, sizeof *m->wanted);
    m->link_capacity = links;
}

/* Whether the mapping comes after all that compute its inputs and before all that read its outputs, and computes them alone. */
static bool is_in_order(const DvMechanics *m, const MappingItem *mapping)
{
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        const StateItem *state = &m->states[mapping->links[i]];
        if (state->producers && compare_keys(m->mappings[state->producer].key, mapping->key) >= 0)
            return false;
    }
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        const StateItem *state = &m->states[mapping_outputs_of(mapping)[i]];
        if (state->producers || state->readers)
            return false;
        for (uint32_t k = 0; k < mapping->inputs; k++)
            if (mapping->links[k] == mapping_outputs_of(mapping)[i])
                return false;
    }
    return true;
}

static Outcome add_mapping(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode)
{
    enum { FEW = 8 };
    const DvMappingOps *ops = call->ops;
    const uint32_t inputs = ops->inputs(call->self, NULL, 0), outputs = ops->outputs(call->self, NULL, 0);
    const DvNode *node = dv_object_node(call->object);
    const bool maps_forces = ops->maps_forces(call->self);
    if (mode == FOLLOWING && !maps_forces && dv_node_child(node, 0))
        return TOO_MUCH; /* what is below may be cut off now */
    if (inputs == 0 || outputs == 0)
        return IS_LATER;
    DvObject *few[FEW];
    DvObject **objects = inputs + outputs <= FEW ? few : dv_alloc(inputs + outputs, sizeof *objects);
    (void)ops->inputs(call->self, objects, inputs);
    (void)ops->outputs(call->self, objects + inputs, outputs);
    Outcome outcome = GOOD;
    if (!feeds_visual_models_only(objects + inputs, outputs) &&
        meet(m, call->object, ops->space, objects, inputs + outputs)) {
        const uint32_t slot = TAKE_SLOT(&m->mapping_slots, m->mappings);
        MappingItem *mapping = &m->mappings[slot];
        uint32_t *links = mapping->links, capacity = mapping->link_capacity;
        if (capacity < inputs + outputs) {
            dv_free(links);
            capacity = inputs + outputs;
            links = dv_alloc(capacity, sizeof *links);
        }
        *mapping = (MappingItem){.links = links, .link_capacity = capacity};
        if (find_slots(m, objects, inputs + outputs, links)) {
            *mapping = (MappingItem){.key = {call->order, rank},
                                     .id = ++m->last_id,
                                     .ops = ops,
                                     .at_points = dv_object_ops(call->object, DV_PRODUCT_AT_POINTS),
                                     .self = call->self,
                                     .object = dv_object_ref(call->object),
                                     .links = links,
                                     .link_capacity = capacity,
                                     .inputs = inputs,
                                     .outputs = outputs,
                                     .in_slot = dv_node_slot(node, DV_MAPPING) == call->object,
                                     .below_stop = is_cut_off(node, m->node),
                                     .maps_forces = maps_forces,
                                     .tells = ops->output_points};
            reserve_links(m, inputs + outputs);
            m->version++;
            const bool in_order = is_in_order(m, mapping);
            m->regular = m->regular && in_order;
            for (uint32_t i = 0; i < inputs; i++)
                m->states[links[i]].readers++;
            for (uint32_t i = 0; i < outputs; i++) {
                StateItem *state = &m->states[links[inputs + i]];
                state->producers++;
                state->producer = slot;
                mapping->loads += mode == FOLLOWING && state->loads;
                update_kind(m, links[inputs + i]);
            }
            INSERT_BY_KEY(&m->mapping_list, m->mappings, slot);
            for (uint32_t i = 0; i < inputs && mapping->loads; i++)
                add_load(m, links[i]);
            if (!in_order && mode == FOLLOWING)
                outcome = TOO_MUCH;
        } else {
            list_add(&m->mapping_slots.free, slot);
            outcome = IS_LATER;
        }
    }
    if (objects != few)
        dv_free(objects);
    return outcome;
}

static void remove_mapping(DvMechanics *m, uint32_t slot)
{
    MappingItem *mapping = &m->mappings[slot];
    DvObject *object = mapping->object;
    m->version++;
    REMOVE_BY_KEY(&m->mapping_list, m->mappings, slot);
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        if (mapping->loads)
            remove_load(m, mapping->links[i]);
        m->states[mapping->links[i]].readers--;
    }
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        m->states[mapping_outputs_of(mapping)[i]].producers--;
        update_kind(m, mapping_outputs_of(mapping)[i]);
        give_vectors(m, &m->states[mapping_outputs_of(mapping)[i]]);
    }
    for (uint32_t i = 0; i < mapping->inputs + mapping->outputs; i++)
        let_go(m, mapping->links[i]);
    mapping->object = NULL;
    mapping->id = 0;
    list_add(&m->mapping_slots.free, slot);
    dv_object_unref(object);
}

static bool is_nameless(const FieldItem *field)
{
    return (field->ops->add_dforce && !(field->ops->reserve && field->ops->assemble)) ||
           (field->mass && !(field->mass->reserve && field->mass->assemble));
}

static Outcome add_field(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode)
{
    const bool interaction = role_of(call) == ROLE_INTERACTION;
    /* One that offers both interfaces is already there. */
    if (interaction && dv_object_ops(call->object, DV_FORCE_FIELD))
        return GOOD;
    DvObject *objects[2] = {NULL, NULL};
    const DvForceFieldOps *ops = call->ops;
    FieldItem item = {
        .key = {call->order, rank}, .ops = ops, .self = call->self, .object = call->object, .interaction = interaction};
    const uint32_t count = ops->states(call->self, objects);
    item.mass = dv_object_ops(call->object, DV_MASS);
    item.pairs = dv_object_ops(call->object, DV_COUPLED_PAIRS);
    if (!meet(m, call->object, ops->space, objects, count) ||
        (item.mass && !meet(m, call->object, item.mass->space, objects, 1)))
        return GOOD;
    item.state_count = find_slots(m, objects, count, item.states);
    if (item.state_count == 0)
        return IS_LATER;
    DvNode *node = dv_object_node(call->object);
    m->version++;
    item.id = ++m->last_id;
    item.below_stop = is_cut_off(node, m->node);
    item.nameless = is_nameless(&item);
    m->nameless += item.nameless;
    item.rayleigh_stiffness = dv_object_field(call->object, "rayleighStiffness");
    item.rayleigh_mass = item.mass ? dv_object_field(call->object, "rayleighMass") : NULL;
    (void)dv_object_ref(call->object);
    const uint32_t slot = TAKE_SLOT(&m->field_slots, m->fields);
    m->fields[slot] = item;
    INSERT_BY_KEY(&m->field_list, m->fields, slot);
    if (item.mass) {
        INSERT_BY_KEY(&m->mass_list, m->fields, slot);
        m->states[item.states[0]].masses++;
    }
    for (uint32_t i = 0; i < item.state_count && mode == FOLLOWING; i++)
        add_load(m, item.states[i]);
    return GOOD;
}

static void remove_field(DvMechanics *m, uint32_t slot)
{
    FieldItem *field = &m->fields[slot];
    DvObject *object = field->object;
    m->version++;
    m->nameless -= field->nameless;
    REMOVE_BY_KEY(&m->field_list, m->fields, slot);
    if (field->mass) {
        REMOVE_BY_KEY(&m->mass_list, m->fields, slot);
        m->states[field->states[0]].masses--;
    }
    for (uint32_t i = 0; i < field->state_count; i++)
        remove_load(m, field->states[i]);
    for (uint32_t i = 0; i < field->state_count; i++)
        let_go(m, field->states[i]);
    *field = (FieldItem){.id = 0};
    list_add(&m->field_slots.free, slot);
    dv_object_unref(object);
}

/* Constraints from the last node to the first, within a node in order. */
static uint32_t place_bottom_up(const DvMechanics *m, Key key)
{
    uint32_t low = 0, high = m->bottom_up.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const Key at = m->constraints[m->bottom_up.at[middle]].key;
        if (at.order > key.order || (at.order == key.order && at.rank < key.rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Outcome add_constraint(DvMechanics *m, const DvCall *call, uint32_t rank)
{
    DvObject *objects[2] = {NULL, NULL};
    const DvProjectiveConstraintOps *ops = call->ops;
    ConstraintItem item = {.key = {call->order, rank}, .ops = ops, .self = call->self, .object = call->object};
    const uint32_t count = ops->states(call->self, objects);
    if (!meet(m, call->object, ops->space, objects, count))
        return GOOD;
    item.state_count = find_slots(m, objects, count, item.states);
    if (item.state_count == 0)
        return IS_LATER;
    m->version++;
    item.id = ++m->last_id;
    item.below_stop = is_cut_off(dv_object_node(call->object), m->node);
    (void)dv_object_ref(call->object);
    const uint32_t slot = TAKE_SLOT(&m->constraint_slots, m->constraints);
    m->constraints[slot] = item;
    INSERT_BY_KEY(&m->constraint_list, m->constraints, slot);
    list_insert(&m->bottom_up, place_bottom_up(m, item.key), slot);
    return GOOD;
}

static void remove_constraint(DvMechanics *m, uint32_t slot)
{
    ConstraintItem *constraint = &m->constraints[slot];
    DvObject *object = constraint->object;
    m->version++;
    REMOVE_BY_KEY(&m->constraint_list, m->constraints, slot);
    list_remove_at(&m->bottom_up, place_bottom_up(m, constraint->key));
    for (uint32_t i = 0; i < constraint->state_count; i++)
        let_go(m, constraint->states[i]);
    *constraint = (ConstraintItem){.id = 0};
    list_add(&m->constraint_slots.free, slot);
    dv_object_unref(object);
}

/* A state of the node's own walk; one that was known from elsewhere keeps its slot. */
static void add_own_state(DvMechanics *m, const DvCall *call, uint32_t rank)
{
    if (dv_object_ops(call->object, DV_VISUAL_MODEL))
        return;
    const DvNode *node = dv_object_node(call->object);
    const bool of_its_node = dv_node_slot(node, DV_STATE) == call->object, below_stop = is_cut_off(node, m->node);
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
    update_kind(m, slot);
}

/* ---- Components that act on no state yet ---- */

static bool is_state(const DvObject *object)
{
    return object && dv_object_ops(object, DV_STATE);
}

/* Whether it would have an item now. */
static bool is_ready(const DvCall *call)
{
    DvObject *objects[2] = {NULL, NULL};
    uint32_t count = 0;
    if (!dv_object_is_valid(call->object))
        return false;
    if (role_of(call) == ROLE_MAPPING) {
        const DvMappingOps *ops = call->ops;
        return ops->inputs(call->self, objects, 1) && is_state(objects[0]) && ops->outputs(call->self, objects, 1) &&
               is_state(objects[0]);
    }
    if (role_of(call) == ROLE_CONSTRAINT)
        count = ((const DvProjectiveConstraintOps *)call->ops)->states(call->self, objects);
    else
        count = ((const DvForceFieldOps *)call->ops)->states(call->self, objects);
    return count && is_state(objects[0]) && (count == 1 || is_state(objects[1]));
}

static void wait_for(DvMechanics *m, const DvCall *call)
{
    if (m->wait_count == m->wait_capacity) {
        const uint32_t more = m->wait_capacity ? 2 * m->wait_capacity : 8;
        m->waits = dv_realloc(m->waits, m->wait_capacity * sizeof *m->waits, more * sizeof *m->waits);
        m->wait_capacity = more;
    }
    m->waits[m->wait_count++] = *call;
}

static Outcome add_component(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode)
{
    Outcome outcome = GOOD;
    if (role_of(call) == ROLE_STATE)
        return GOOD;
    if (!dv_object_is_valid(call->object)) {
        wait_for(m, call);
        return IS_LATER;
    }
    switch (role_of(call)) {
    case ROLE_MAPPING:
        outcome = add_mapping(m, call, rank, mode);
        break;
    case ROLE_FIELD:
    case ROLE_INTERACTION:
        outcome = add_field(m, call, rank, mode);
        break;
    case ROLE_CONSTRAINT:
        outcome = add_constraint(m, call, rank);
        break;
    case ROLE_STATE:
    case ROLES:
        break;
    }
    if (outcome == IS_LATER)
        wait_for(m, call);
    return outcome;
}

/* ---- Compilation from nothing ---- */

/* Stable: in graph order but for those whose inputs are computed later. Mappings in a cycle keep their order. */
static void sort_mappings(DvMechanics *m)
{
    const uint32_t n = m->mapping_list.count;
    if (n == 0)
        return;
    uint32_t *waiting_for =
        dv_alloc(m->state_slots.count, sizeof *waiting_for); /* mappings that still compute a state */
    uint32_t *left = dv_alloc(n, sizeof *left);
    for (uint32_t slot = 0; slot < m->state_slots.count; slot++)
        waiting_for[slot] = m->states[slot].producers;
    memcpy(left, m->mapping_list.at, n * sizeof *left);
    uint32_t count = 0;
    for (uint32_t rest = n; rest > 0;) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < rest; i++) {
            const MappingItem *mapping = &m->mappings[left[i]];
            bool ready = true;
            for (uint32_t k = 0; ready && k < mapping->inputs; k++)
                ready = waiting_for[mapping_inputs_of(mapping)[k]] == 0;
            if (!ready) {
                left[kept++] = left[i];
                continue;
            }
            for (uint32_t k = 0; k < mapping->outputs; k++)
                waiting_for[mapping_outputs_of(mapping)[k]]--;
            m->mapping_list.at[count++] = left[i];
        }
        if (kept == rest) {
            memcpy(m->mapping_list.at + count, left, kept * sizeof *left);
            (void)dv_error(m->mappings[left[0]].object, DV_ERROR_CYCLE,
                           "mappings compute each other's input; cut the cycle");
            break;
        }
        rest = kept;
    }
    dv_free(left);
    dv_free(waiting_for);
}

void mechanics_forget(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->mapping_slots.count; i++)
        dv_free(m->mappings[i].links);
    DvMechanics old = *m;
    *m = (DvMechanics){.node = m->node, .graph = m->graph, .scene = m->scene, .epoch = m->epoch, .next = m->next};
    if (old.assembly != old.lent)
        assembly_free(old.assembly);
    assembly_free(old.lent);
    row_projection_free(old.row_projection);
    for (uint32_t i = 0; i < old.field_list.count; i++)
        dv_object_unref(field_at(&old, i)->object);
    for (uint32_t i = 0; i < old.mapping_list.count; i++)
        dv_object_unref(mapping_at(&old, i)->object);
    for (uint32_t i = 0; i < old.constraint_list.count; i++)
        dv_object_unref(constraint_at(&old, i)->object);
    for (uint32_t i = 0; i < old.state_list.count; i++)
        dv_object_unref(state_at(&old, i)->ref.object);
    void *arrays[] = {old.states,
                      old.mass_blocks,
                      old.pulled,
                      old.fields,
                      old.mappings,
                      old.constraints,
                      old.state_slots.free.at,
                      old.field_slots.free.at,
                      old.mapping_slots.free.at,
                      old.constraint_slots.free.at,
                      old.state_list.at,
                      old.field_list.at,
                      old.mass_list.at,
                      old.mapping_list.at,
                      old.constraint_list.at,
                      old.independent.at,
                      old.bottom_up.at,
                      old.leaving.at,
                      old.orders,
                      old.index.keys,
                      old.index.values,
                      old.waits,
                      old.given,
                      old.given_more,
                      old.wanted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
}

static void compile_from_nothing(DvMechanics *m)
{
    /* The old objects stay until the new ones are held: an object may be in both. */
    DvMechanics old = *m;
    *m = (DvMechanics){.node = old.node,
                       .graph = old.graph,
                       .scene = old.scene,
                       .schedule = old.schedule,
                       .seen = old.seen,
                       .last_id = old.last_id,
                       .version = old.version + 1,
                       .placed = old.placed + 1,
                       .epoch = old.epoch,
                       .next = old.next,
                       .lent = old.lent,
                       .row_projection = old.row_projection,
                       .regular = true};
    memcpy(m->allocated, old.allocated, sizeof m->allocated);
    memcpy(m->scratch, old.scratch, sizeof m->scratch);
    if (old.assembly == old.lent)
        old.assembly = NULL;
    old.lent = NULL;
    old.row_projection = NULL;

    size_t count;
    const DvCall *calls = dv_schedule_calls(m->schedule, &count);
    uint32_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        rank = i > 0 && calls[i - 1].order == calls[i].order ? rank + 1 : 0;
        if (role_of(&calls[i]) == ROLE_STATE)
            add_own_state(m, &calls[i], rank);
    }
    for (size_t i = 0; i < count; i++) {
        rank = i > 0 && calls[i - 1].order == calls[i].order ? rank + 1 : 0;
        if (role_of(&calls[i]) != ROLE_STATE)
            (void)add_component(m, &calls[i], rank, COMPILING);
    }
    for (uint32_t i = 0; i < m->independent.count; i++)
        give_vectors(m, independent_at(m, i));
    if (!m->regular)
        sort_mappings(m);
    mark_loads(m);
    reserve_links(m, 2);
    mechanics_forget(&old);
}

/* ---- Following an edit ---- */

/* The place among the calls of a node, from `from`, of an object in one of two roles; `count` when it is not there. */
static uint32_t rank_of(const DvCall *calls, uint32_t count, uint32_t from, const DvObject *object, Role role,
                        Role or_role)
{
    for (uint32_t i = from; i < count; i++)
        if (calls[i].object == object && (role_of(&calls[i]) == role || role_of(&calls[i]) == or_role))
            return i;
    return count;
}

/* Whether a component still acts on the states of its item. */
static bool keeps_states(const DvMechanics *m, DvObject *const *objects, uint32_t count, const uint32_t *slots,
                         uint32_t slot_count)
{
    bool same = count == slot_count;
    for (uint32_t i = 0; same && i < count; i++)
        same = objects[i] && mechanics_find_state(m, objects[i]) == slots[i];
    return same;
}

static bool field_keeps_states(const DvMechanics *m, const FieldItem *field)
{
    DvObject *objects[2] = {NULL, NULL};
    return dv_object_is_valid(field->object) &&
           keeps_states(m, objects, field->ops->states(field->self, objects), field->states, field->state_count);
}

static bool constraint_keeps_states(const DvMechanics *m, const ConstraintItem *constraint)
{
    DvObject *objects[2] = {NULL, NULL};
    return dv_object_is_valid(constraint->object) &&
           keeps_states(m, objects, constraint->ops->states(constraint->self, objects), constraint->states,
                        constraint->state_count);
}

static bool mapping_keeps_states(const DvMechanics *m, const MappingItem *mapping)
{
    enum { FEW = 8 };
    if (!dv_object_is_valid(mapping->object))
        return false;
    DvObject *few[FEW];
    const uint32_t most = mapping->inputs > mapping->outputs ? mapping->inputs : mapping->outputs;
    DvObject **objects = most <= FEW ? few : dv_alloc(most, sizeof *objects);
    uint32_t count = mapping->ops->inputs(mapping->self, objects, most);
    bool same = count <= most && keeps_states(m, objects, count, mapping->links, mapping->inputs);
    count = mapping->ops->outputs(mapping->self, objects, most);
    same = same && count <= most && keeps_states(m, objects, count, mapping_outputs_of(mapping), mapping->outputs);
    if (objects != few)
        dv_free(objects);
    return same;
}

/* Takes out what a node has not any more, or has in another role. False: too much may depend on it. */
static bool take_out_gone(DvMechanics *m, uint64_t order, const DvCall *calls, uint32_t count)
{
    const DvNode *node = count ? dv_object_node(calls[0].object) : NULL;
    const bool cut_off = node && is_cut_off(node, m->node), has_children = node && dv_node_child(node, 0);
    const Key begin = {order, 0};
    uint32_t from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->constraint_list, m->constraints, begin); i < m->constraint_list.count;) {
        const ConstraintItem *item = constraint_at(m, i);
        if (item->key.order != order)
            break;
        const uint32_t rank = rank_of(calls, count, from, item->object, ROLE_CONSTRAINT, ROLE_CONSTRAINT);
        if (rank == count || item->below_stop != cut_off || !constraint_keeps_states(m, item)) {
            remove_constraint(m, m->constraint_list.at[i]);
        } else {
            from = rank + 1;
            i++;
        }
    }
    from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->field_list, m->fields, begin); i < m->field_list.count;) {
        const FieldItem *item = field_at(m, i);
        if (item->key.order != order)
            break;
        const uint32_t rank = rank_of(calls, count, from, item->object, ROLE_FIELD, ROLE_INTERACTION);
        if (rank == count || item->below_stop != cut_off || !field_keeps_states(m, item)) {
            remove_field(m, m->field_list.at[i]);
        } else {
            from = rank + 1;
            i++;
        }
    }
    from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->mapping_list, m->mappings, begin); i < m->mapping_list.count;) {
        const MappingItem *item = mapping_at(m, i);
        if (item->key.order != order)
            break;
        const uint32_t rank = rank_of(calls, count, from, item->object, ROLE_MAPPING, ROLE_MAPPING);
        if (rank == count || item->below_stop != cut_off || !mapping_keeps_states(m, item) ||
            item->in_slot != (dv_node_slot(node, DV_MAPPING) == item->object)) {
            if (!item->maps_forces && has_children)
                return false;
            remove_mapping(m, m->mapping_list.at[i]);
        } else {
            from = rank + 1;
            i++;
        }
    }
    from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->state_list, m->states, begin); i < m->state_list.count;) {
        const StateItem *item = state_at(m, i);
        if (item->key.order != order)
            break;
        const uint32_t rank = rank_of(calls, count, from, item->ref.object, ROLE_STATE, ROLE_STATE);
        if (rank == count) {
            list_add(&m->leaving, m->state_list.at[i]);
            set_aside(m, m->state_list.at[i]);
        } else {
            from = rank + 1;
            i++;
        }
    }
    for (uint32_t i = 0; i < m->wait_count;) {
        if (m->waits[i].order == order)
            m->waits[i] = m->waits[--m->wait_count];
        else
            i++;
    }
    return true;
}

/* What stays gets its place among the calls as they are now; the order of what stays is the same. */
static void renumber(DvMechanics *m, uint64_t order, const DvCall *calls, uint32_t count)
{
    const DvNode *node = count ? dv_object_node(calls[0].object) : NULL;
    const Key begin = {order, 0};
    uint32_t from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->constraint_list, m->constraints, begin);
         i < m->constraint_list.count && constraint_at(m, i)->key.order == order; i++, from++) {
        from = rank_of(calls, count, from, constraint_at(m, i)->object, ROLE_CONSTRAINT, ROLE_CONSTRAINT);
        constraint_at(m, i)->key.rank = from;
    }
    from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->field_list, m->fields, begin);
         i < m->field_list.count && field_at(m, i)->key.order == order; i++, from++) {
        from = rank_of(calls, count, from, field_at(m, i)->object, ROLE_FIELD, ROLE_INTERACTION);
        field_at(m, i)->key.rank = from;
    }
    from = 0;
    for (uint32_t i = PLACE_OF_KEY(&m->mapping_list, m->mappings, begin);
         i < m->mapping_list.count && mapping_at(m, i)->key.order == order; i++, from++) {
        from = rank_of(calls, count, from, mapping_at(m, i)->object, ROLE_MAPPING, ROLE_MAPPING);
        mapping_at(m, i)->key.rank = from;
    }
    from = 0;
    const uint32_t first = PLACE_OF_KEY(&m->state_list, m->states, begin);
    for (uint32_t i = first; i < m->state_list.count && state_at(m, i)->key.order == order; i++) {
        StateItem *item = state_at(m, i);
        from = rank_of(calls, count, from, item->ref.object, ROLE_STATE, ROLE_STATE);
        item->key.rank = from++;
        item->of_its_node = dv_node_slot(node, DV_STATE) == item->ref.object;
        item->below_stop = is_cut_off(node, m->node);
    }
    for (uint32_t i = first; i < m->state_list.count && state_at(m, i)->key.order == order; i++)
        update_kind(m, m->state_list.at[i]);
}

/* Whether a call of a node has its item already. */
static bool has_item(const DvMechanics *m, const DvCall *call, uint32_t rank)
{
    const Key key = {call->order, rank};
    uint32_t i;
    switch (role_of(call)) {
    case ROLE_STATE:
        i = PLACE_OF_KEY(&m->state_list, m->states, key);
        return i < m->state_list.count && state_at(m, i)->ref.object == call->object &&
               state_at(m, i)->key.order == call->order;
    case ROLE_MAPPING:
        i = PLACE_OF_KEY(&m->mapping_list, m->mappings, key);
        return i < m->mapping_list.count && mapping_at(m, i)->object == call->object;
    case ROLE_FIELD:
    case ROLE_INTERACTION:
        i = PLACE_OF_KEY(&m->field_list, m->fields, key);
        return i < m->field_list.count && field_at(m, i)->object == call->object;
    case ROLE_CONSTRAINT:
        i = PLACE_OF_KEY(&m->constraint_list, m->constraints, key);
        return i < m->constraint_list.count && constraint_at(m, i)->object == call->object;
    case ROLES:
        break;
    }
    return true;
}

static int compare_orders(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The orders to look at, ascending, each once; their number. */
static uint32_t gather_orders(DvMechanics *m, const uint64_t *orders, size_t count)
{
    if (count == 0)
        return 0;
    if (count > m->order_capacity) {
        dv_free(m->orders);
        m->order_capacity = (uint32_t)count + 16;
        m->orders = dv_alloc(m->order_capacity, sizeof *m->orders);
    }
    memcpy(m->orders, orders, count * sizeof *orders);
    qsort(m->orders, count, sizeof *m->orders, compare_orders);
    uint32_t unique = 0;
    for (size_t i = 0; i < count; i++)
        if (unique == 0 || m->orders[unique - 1] != m->orders[i])
            m->orders[unique++] = m->orders[i];
    return unique;
}

/* False: it takes a compilation from nothing. */
static bool update_by_changes(DvMechanics *m, const uint64_t *changed, size_t changed_count)
{
    if (!m->regular && changed_count)
        return false;
    const uint32_t n = gather_orders(m, changed, changed_count);
    m->leaving.count = 0;
    size_t count;
    for (uint32_t i = 0; i < n; i++) {
        const DvCall *calls = dv_schedule_calls_at(m->schedule, m->orders[i], &count);
        if (!take_out_gone(m, m->orders[i], calls, (uint32_t)count))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const DvCall *calls = dv_schedule_calls_at(m->schedule, m->orders[i], &count);
        renumber(m, m->orders[i], calls, (uint32_t)count);
    }
    for (int states_first = 1; states_first >= 0; states_first--)
        for (uint32_t i = 0; i < n; i++) {
            const DvCall *calls = dv_schedule_calls_at(m->schedule, m->orders[i], &count);
            for (uint32_t k = 0; k < count; k++) {
                const DvCall *call = &calls[k];
                if ((role_of(call) == ROLE_STATE) != states_first || has_item(m, call, k))
                    continue;
                if (states_first)
                    add_own_state(m, call, k);
                else if (add_component(m, call, k, FOLLOWING) == TOO_MUCH)
                    return false;
            }
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = PLACE_OF_KEY(&m->state_list, m->states, ((Key){m->orders[i], 0}));
             k < m->state_list.count && state_at(m, k)->key.order == m->orders[i]; k++)
            give_vectors(m, state_at(m, k));
    for (uint32_t i = 0; i < m->leaving.count; i++) {
        const StateItem *state = &m->states[m->leaving.at[i]];
        if (state->leaves && state->users)
            return false;
        if (state->leaves)
            remove_state(m, m->leaving.at[i]);
    }
    for (uint32_t i = 0; i < m->wait_count; i++)
        if (is_ready(&m->waits[i]))
            return false;
    for (uint32_t i = m->state_list.count - m->outside; i < m->state_list.count; i++)
        if (!dv_object_node(state_at(m, i)->ref.object))
            return false;
    return true;
}

void mechanics_compile(DvMechanics *m)
{
    const bool never = m->revision == 0;
    DvSchedule *schedule = dv_schedule(m->node, &plan, dv_node_tags(m->node));
    const uint64_t *changed;
    size_t count;
    bool follows = dv_schedule_changes(schedule, &m->seen, &changed, &count) && schedule == m->schedule && !never;
    m->schedule = schedule;
    follows = follows && update_by_changes(m, changed, count);
    if (!follows)
        compile_from_nothing(m);
    m->revision = *m->graph;
    m->root_revision = dv_node_revision(dv_node_root(m->node));
}

/* ---- Vectors of the present operation ---- */

bool mechanics_lacks(DvMechanics *m, StateItem *state, const DvObject *asker, DvVecId id)
{
    static const char *const names[DV_FIRST_FREE_VEC] = {[DV_POSITION] = "position",
                                                         [DV_REST_POSITION] = "rest position",
                                                         [DV_RESET_POSITION] = "reset position",
                                                         [DV_FREE_POSITION] = "free position",
                                                         [DV_VELOCITY] = "velocity",
                                                         [DV_RESET_VELOCITY] = "reset velocity",
                                                         [DV_FREE_VELOCITY] = "free velocity",
                                                         [DV_FORCE] = "force",
                                                         [DV_EXTERNAL_FORCE] = "external force",
                                                         [DV_DX] = "displacement",
                                                         [DV_DFORCE] = "change of force",
                                                         [DV_LAMBDA] = "constraint force"};
    if (state->lacking == id || state_count(state->ref) == 0)
        return false;
    state->lacking = id;
    const char *name = id < DV_FIRST_FREE_VEC ? names[id] : NULL;
    m->scene->fault = dv_error(
        asker, DV_ERROR_MISSING,
        "cannot act: state '%s' (%s) gives no vector '%s' (%u); a solver in its node or above has to make it",
        dv_object_path(state->ref.object), dv_object_class(state->ref.object)->name, name ? name : "of a solver", id);
    return false;
}

/* Writes what has changed alone: who reads both numbers at once need not wait for two stores. */
static inline void set_shape(uint32_t *old_count, uint32_t *old_dim, uint32_t count, uint32_t dim)
{
    if (*old_count != count)
        *old_count = count;
    if (*old_dim != dim)
        *old_dim = dim;
}

static inline uint32_t dim_of(const DvDofType *dof, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? dof->coord : dof->deriv;
}

bool mechanics_fetch_now(DvMechanics *m, StateItem *state, const DvObject *asker, DvSpace space)
{
    const DvStateRef s = state->ref;
    const DvVecId x = m->roles.x[state->kind], v = m->roles.v[state->kind], f = m->roles.f[state->kind];
    const uint32_t count = state_count(s);
    const double *at = NULL;
    double *to = NULL;
    state->epoch = 0;
    state->space = space;
    if (x != DV_NO_VEC) {
        set_shape(&state->x.count, &state->x.dim, count, dim_of(s.dof, x));
        at = state_read(s, x, space);
        if (!at && dv_vec_kind(x) == DV_COORDS) /* a trial vector that nobody propagated to this state */
            at = state_read(s, DV_POSITION, space);
        if (!at)
            return mechanics_lacks(m, state, asker, x);
    }
    state->x.at = at;
    at = NULL;
    if (v != DV_NO_VEC) {
        set_shape(&state->v.count, &state->v.dim, count, s.dof->deriv);
        at = state_read(s, v, space);
        if (!at)
            at = state_read(s, DV_VELOCITY, space);
        if (!at)
            return mechanics_lacks(m, state, asker, v);
    }
    state->v.at = at;
    if (f != DV_NO_VEC) {
        set_shape(&state->f.count, &state->f.dim, count, dim_of(s.dof, f));
        to = state_write(s, f, space, DV_READ_WRITE);
        if (!to)
            return mechanics_lacks(m, state, asker, f);
    }
    state->f.at = to;
    state->epoch = m->epoch;
    return true;
}

const double *mechanics_constraint_force_on(const DvMechanics *m, const StateItem *state)
{
    const DvStateRef s = state->ref;
    if (state->pulled)
        return m->pulled + state->pulled - 1;
    return state_has(s, DV_LAMBDA) ? state_read(s, DV_LAMBDA, DV_HOST) : NULL;
}

DvConstVec mechanics_force_on(const DvMechanics *m, const StateItem *state, DvSpace space)
{
    const DvStateRef s = state->ref;
    DvConstVec force = {state_read(s, DV_FORCE, space), state_count(s), s.dof->deriv};
    const double *of_constraints = force.at && space == DV_HOST ? mechanics_constraint_force_on(m, state) : NULL;
    if (!of_constraints)
        return force;
    const size_t n = (size_t)force.count * force.dim;
    double *sum = dv_step_alloc(n, sizeof *sum);
    for (size_t i = 0; i < n; i++)
        sum[i] = force.at[i] + of_constraints[i];
    force.at = sum;
    return force;
}

size_t mechanics_count_unknowns(DvMechanics *m)
{
    size_t total = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        StateItem *state = independent_at(m, i);
        state->offset = total;
        total += (size_t)state_count(state->ref) * state->ref.dof->deriv;
    }
    return total;
}
