/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields, masses, mappings and constraints of a DvMechanics: how they come and go; see mechanics.h.
 */
#include <divan/contracts/visual.h>
#include <divan/memory.h>

#include "mechanics_private.h"
#include "twins.h"

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
                space != DV_HOST ? "on a device" : "on the host", dv_object_path(states[i]),
                dv_object_class(states[i])->name, space != DV_HOST ? "on the host" : "on a device");
        dv_object_set_state(object, DV_COMPONENT_INVALID);
        return false;
    }
    return true;
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

void mappings_reserve_links(DvMechanics *m, uint32_t links)
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

static void reserve_states(MappingItem *mapping, uint32_t count)
{
    if (mapping->link_capacity >= count)
        return;
    dv_free(mapping->links);
    mapping->link_capacity = count;
    mapping->links = dv_alloc(count, sizeof *mapping->links);
}

/* The states of a mapping hear of it. */
static void enter_mapping(DvMechanics *m, uint32_t slot, Mode mode)
{
    MappingItem *mapping = &m->mappings[slot];
    for (uint32_t i = 0; i < mapping->inputs; i++)
        m->states[mapping->links[i]].readers++;
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        const uint32_t output = mapping_outputs_of(mapping)[i];
        StateItem *state = &m->states[output];
        state->producers++;
        state->producer = slot;
        mapping->loads += mode == FOLLOWING && state->loads;
        state_update_kind(m, output);
    }
    INSERT_BY_KEY(&m->mapping_list, m->mappings, slot);
    for (uint32_t i = 0; i < mapping->inputs && mapping->loads; i++)
        state_add_load(m, mapping->links[i]);
}

static Outcome add_mapping_of(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode, DvObject *const *objects,
                              uint32_t inputs, uint32_t outputs)
{
    const DvMappingOps *ops = call->ops;
    const DvNode *node = dv_object_node(call->object);
    const uint32_t slot = TAKE_SLOT(&m->mapping_slots, m->mappings);
    MappingItem *mapping = &m->mappings[slot];
    reserve_states(mapping, inputs + outputs);
    uint32_t *links = mapping->links;
    const uint32_t capacity = mapping->link_capacity;
    *mapping = (MappingItem){.links = links, .link_capacity = capacity};
    if (!find_slots(m, objects, inputs + outputs, links)) {
        list_add(&m->mapping_slots.free, slot);
        return IS_LATER;
    }
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
                             .below_stop = node_is_cut_off(node, m->node),
                             .maps_forces = ops->maps_forces(call->self),
                             .tells = ops->output_points};
    mapping->twin = twin_place(m->scene, call->object, objects, inputs + outputs);
    mappings_reserve_links(m, inputs + outputs);
    m->version++;
    const bool in_order = is_in_order(m, mapping);
    m->regular = m->regular && in_order;
    enter_mapping(m, slot, mode);
    return !in_order && mode == FOLLOWING ? TOO_MUCH : GOOD;
}

static Outcome add_mapping(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode)
{
    enum { FEW = 8 };
    const DvMappingOps *ops = call->ops;
    const uint32_t inputs = ops->inputs(call->self, NULL, 0), outputs = ops->outputs(call->self, NULL, 0);
    if (mode == FOLLOWING && !ops->maps_forces(call->self) && dv_node_child(dv_object_node(call->object), 0))
        return TOO_MUCH; /* what is below may be cut off now */
    if (inputs == 0 || outputs == 0)
        return IS_LATER;
    DvObject *few[FEW];
    DvObject **objects = inputs + outputs <= FEW ? few : dv_alloc(inputs + outputs, sizeof *objects);
    (void)ops->inputs(call->self, objects, inputs);
    (void)ops->outputs(call->self, objects + inputs, outputs);
    Outcome outcome = GOOD;
    if (!feeds_visual_models_only(objects + inputs, outputs) &&
        meet(m, call->object, ops->space, objects, inputs + outputs))
        outcome = add_mapping_of(m, call, rank, mode, objects, inputs, outputs);
    if (objects != few)
        dv_free(objects);
    return outcome;
}

void mapping_remove(DvMechanics *m, uint32_t slot)
{
    MappingItem *mapping = &m->mappings[slot];
    DvObject *object = mapping->object;
    m->version++;
    twin_leave(m->scene, &mapping->twin);
    REMOVE_BY_KEY(&m->mapping_list, m->mappings, slot);
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        if (mapping->loads)
            state_remove_load(m, mapping->links[i]);
        m->states[mapping->links[i]].readers--;
    }
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        m->states[mapping_outputs_of(mapping)[i]].producers--;
        state_update_kind(m, mapping_outputs_of(mapping)[i]);
        state_give_vectors(m, &m->states[mapping_outputs_of(mapping)[i]]);
    }
    for (uint32_t i = 0; i < mapping->inputs + mapping->outputs; i++)
        state_let_go(m, mapping->links[i]);
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
    item.touched = dv_object_ops(call->object, DV_TOUCHED_POINTS);
    if (!meet(m, call->object, ops->space, objects, count) ||
        (item.mass && !meet(m, call->object, item.mass->space, objects, 1)))
        return GOOD;
    item.state_count = find_slots(m, objects, count, item.states);
    if (item.state_count == 0)
        return IS_LATER;
    DvNode *node = dv_object_node(call->object);
    m->version++;
    item.id = ++m->last_id;
    item.below_stop = node_is_cut_off(node, m->node);
    item.nameless = is_nameless(&item);
    m->nameless += item.nameless;
    item.rayleigh_stiffness = dv_object_field(call->object, "rayleighStiffness");
    item.rayleigh_mass = item.mass ? dv_object_field(call->object, "rayleighMass") : NULL;
    item.twin = twin_place(m->scene, call->object, objects, count);
    (void)dv_object_ref(call->object);
    const uint32_t slot = TAKE_SLOT(&m->field_slots, m->fields);
    m->fields[slot] = item;
    INSERT_BY_KEY(&m->field_list, m->fields, slot);
    if (item.mass) {
        INSERT_BY_KEY(&m->mass_list, m->fields, slot);
        m->states[item.states[0]].masses++;
    }
    for (uint32_t i = 0; i < item.state_count && mode == FOLLOWING; i++)
        state_add_load(m, item.states[i]);
    return GOOD;
}

void field_remove(DvMechanics *m, uint32_t slot)
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
        state_remove_load(m, field->states[i]);
    for (uint32_t i = 0; i < field->state_count; i++)
        state_let_go(m, field->states[i]);
    twin_leave(m->scene, &field->twin);
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
    item.below_stop = node_is_cut_off(dv_object_node(call->object), m->node);
    item.twin = twin_place(m->scene, call->object, objects, count);
    (void)dv_object_ref(call->object);
    const uint32_t slot = TAKE_SLOT(&m->constraint_slots, m->constraints);
    m->constraints[slot] = item;
    INSERT_BY_KEY(&m->constraint_list, m->constraints, slot);
    list_insert(&m->bottom_up, place_bottom_up(m, item.key), slot);
    return GOOD;
}

void constraint_remove(DvMechanics *m, uint32_t slot)
{
    ConstraintItem *constraint = &m->constraints[slot];
    DvObject *object = constraint->object;
    m->version++;
    REMOVE_BY_KEY(&m->constraint_list, m->constraints, slot);
    list_remove_at(&m->bottom_up, place_bottom_up(m, constraint->key));
    for (uint32_t i = 0; i < constraint->state_count; i++)
        state_let_go(m, constraint->states[i]);
    constraint_leave_twin(m->scene, constraint);
    *constraint = (ConstraintItem){.id = 0};
    list_add(&m->constraint_slots.free, slot);
    dv_object_unref(object);
}

/* ---- Components that act on no state yet ---- */

static bool is_state(const DvObject *object)
{
    return object && dv_object_ops(object, DV_STATE);
}

bool component_is_ready(const DvCall *call)
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

Outcome component_add(DvMechanics *m, const DvCall *call, uint32_t rank, Mode mode)
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
