/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Putting together the arrays of a DvMechanics from the graph; see mechanics.h.
 */
#include "mechanics.h"

#include "row_projection.h"

#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/memory.h>
#include <divan/visitor.h>

/* ---- What the kernel's schedule lists: one call per object and role ---- */

/* Calls are read, never run: the function of a call says which role the object has in it. */
static void as_mapping(const DvCall *call, void *context)
{
    (void)call;
    (void)context;
}

static void as_state(const DvCall *call, void *context)
{
    as_mapping(call, context);
}

static void as_field(const DvCall *call, void *context)
{
    as_mapping(call, context);
}

static void as_interaction(const DvCall *call, void *context)
{
    as_mapping(call, context);
}

static void as_constraint(const DvCall *call, void *context)
{
    as_mapping(call, context);
}

static DvVisit plan_node(DvPlanner *planner, DvNode *node, bool root)
{
    (void)root;
    (void)dv_plan_each(planner, node, DV_MAPPING, as_mapping);
    (void)dv_plan_each(planner, node, DV_STATE, as_state);
    (void)dv_plan_each(planner, node, DV_FORCE_FIELD, as_field);
    (void)dv_plan_each(planner, node, DV_INTERACTION_FORCE_FIELD, as_interaction);
    (void)dv_plan_each(planner, node, DV_PROJECTIVE_CONSTRAINT, as_constraint);
    return DV_VISIT_CONTINUE;
}

static const DvPlan plan = {.name = "mechanics", .top_down = plan_node};

/* ---- Growing arrays ---- */

static void *grown(void *array, uint32_t count, uint32_t more, size_t size)
{
    return dv_realloc(array, (size_t)count * size, (size_t)(count + more) * size);
}

#define APPEND(array, count) ((array) = grown((array), (count), 1, sizeof *(array)), (count)++, &(array)[(count)-1])

static void keep(DvMechanics *m, DvObject *object)
{
    *APPEND(m->objects, m->object_count) = dv_object_ref(object);
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

/* ---- States ---- */

/* Objects to their index in states: open addressing, for look-ups only (its order never shows). */
typedef struct Index {
    const DvObject **keys;
    uint32_t *values;
    uint32_t mask, count;
} Index;

static uint32_t place_of(const Index *index, const DvObject *object)
{
    uint32_t place = (uint32_t)(((uintptr_t)object >> 6) * 2654435761u) & index->mask;
    while (index->keys[place] && index->keys[place] != object)
        place = (place + 1) & index->mask;
    return place;
}

static void index_add(Index *index, const DvObject *object, uint32_t value)
{
    if (!index->keys || index->count * 2 > index->mask) {
        const Index old = *index;
        const uint32_t size = old.keys ? (old.mask + 1) * 2 : 64;
        *index = (Index){dv_alloc(size, sizeof *index->keys), dv_alloc(size, sizeof *index->values), size - 1, 0};
        for (uint32_t i = 0; old.keys && i <= old.mask; i++)
            if (old.keys[i])
                index_add(index, old.keys[i], old.values[i]);
        dv_free(old.keys);
        dv_free(old.values);
    }
    const uint32_t place = place_of(index, object);
    index->keys[place] = object;
    index->values[place] = value;
    index->count++;
}

static StateItem *add_state(DvMechanics *m, Index *index, DvObject *object, StateKind kind)
{
    index_add(index, object, m->state_count);
    StateItem *state = APPEND(m->states, m->state_count);
    *state = (StateItem){.ref = dv_state_ref(object), .kind = kind};
    keep(m, object);
    return state;
}

/* The index of a state, which becomes an external one if it is not known; UINT32_MAX when the object is no state. */
static uint32_t state_index(DvMechanics *m, Index *index, DvObject *object)
{
    if (!object || !dv_object_ops(object, DV_STATE))
        return UINT32_MAX;
    if (index->keys) {
        const uint32_t place = place_of(index, object);
        if (index->keys[place])
            return index->values[place];
    }
    (void)add_state(m, index, object, STATE_EXTERNAL);
    m->has_external_states = true;
    return m->state_count - 1;
}

/* ---- Components ---- */

/* Whether all states give their vectors where a component wants them; if not, which does not, and what helps. */
static bool meet(DvMechanics *m, DvObject *object, DvSpace space, const uint32_t *states, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef s = m->states[states[i]].ref;
        if (dv_state_serves(s, space))
            continue;
        if (dv_object_is_valid(object))
            m->scene->fault = dv_error(
                object, DV_ERROR_UNSUPPORTED,
                "works on vectors %s, and state '%s' (%s) keeps its vectors %s only; take a state or a component of the other kind",
                space == DV_DEVICE ? "on a device" : "on the host", dv_object_path(s.object),
                dv_object_class(s.object)->name, space == DV_DEVICE ? "on the host" : "on a device");
        dv_object_set_state(object, DV_COMPONENT_INVALID);
        return false;
    }
    return true;
}

static bool feeds_visual_models_only(DvObject *const *outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!dv_object_ops(outputs[i], DV_VISUAL_MODEL))
            return false;
    return true;
}

static void add_mapping(DvMechanics *m, Index *index, const DvCall *call)
{
    const DvMappingOps *ops = call->ops;
    if (!dv_object_is_valid(call->object))
        return;
    const uint32_t inputs = ops->inputs(call->self, NULL, 0), outputs = ops->outputs(call->self, NULL, 0);
    if (inputs == 0 || outputs == 0)
        return;
    DvObject **states = dv_alloc(inputs + outputs, sizeof(DvObject *));
    (void)ops->inputs(call->self, states, inputs);
    (void)ops->outputs(call->self, states + inputs, outputs);
    if (!feeds_visual_models_only(states + inputs, outputs)) {
        const DvNode *node = dv_object_node(call->object);
        const MappingItem item = {
            .ops = ops,
            .self = call->self,
            .object = call->object,
            .first_link = m->link_count,
            .inputs = inputs,
            .outputs = outputs,
            .in_slot = dv_node_slot(node, DV_MAPPING) == call->object,
            .below_stop = is_cut_off(node, m->node),
            .maps_forces = ops->maps_forces(call->self),
            .tells = ops->output_points,
        };
        m->links = grown(m->links, m->link_count, inputs + outputs, sizeof *m->links);
        bool known = true;
        for (uint32_t i = 0; i < inputs + outputs; i++) {
            const uint32_t state = state_index(m, index, states[i]);
            known = known && state != UINT32_MAX;
            m->links[m->link_count++] = state;
            if (i >= inputs && state != UINT32_MAX)
                m->states[state].kind = STATE_MAPPED;
        }
        if (known && meet(m, call->object, ops->space, m->links + item.first_link, inputs + outputs)) {
            *APPEND(m->mappings, m->mapping_count) = item;
            keep(m, call->object);
        } else {
            m->link_count = item.first_link;
        }
    }
    dv_free(states);
}

static uint32_t resolve_states(DvMechanics *m, Index *index, DvObject *const objects[2], uint32_t count,
                               uint32_t states[2])
{
    for (uint32_t i = 0; i < count; i++) {
        states[i] = state_index(m, index, objects[i]);
        if (states[i] == UINT32_MAX)
            return 0;
    }
    return count;
}

static void add_field(DvMechanics *m, Index *index, const DvCall *call, bool interaction)
{
    /* One that offers both interfaces is already there. */
    if ((interaction && dv_object_ops(call->object, DV_FORCE_FIELD)) || !dv_object_is_valid(call->object))
        return;
    DvObject *objects[2] = {NULL, NULL};
    const DvForceFieldOps *ops = call->ops;
    FieldItem item = {.ops = ops, .self = call->self, .object = call->object, .interaction = interaction};
    item.state_count = resolve_states(m, index, objects, ops->states(call->self, objects), item.states);
    item.mass = dv_object_ops(call->object, DV_MASS);
    if (item.state_count == 0 || !meet(m, call->object, ops->space, item.states, item.state_count) ||
        (item.mass && !meet(m, call->object, item.mass->space, item.states, 1)))
        return;
    DvNode *node = dv_object_node(call->object);
    item.below_stop = is_cut_off(node, m->node);
    item.rayleigh_stiffness = dv_object_field(call->object, "rayleighStiffness");
    item.rayleigh_mass = item.mass ? dv_object_field(call->object, "rayleighMass") : NULL;
    *APPEND(m->fields, m->field_count) = item;
    keep(m, call->object);
    if (item.mass && dv_node_slot(node, DV_MASS) == call->object)
        *APPEND(m->masses, m->mass_count) =
            (MassItem){item.mass, item.self, item.object, item.states[0], item.below_stop};
}

static void add_constraint(DvMechanics *m, Index *index, const DvCall *call)
{
    if (!dv_object_is_valid(call->object))
        return;
    DvObject *objects[2] = {NULL, NULL};
    const DvProjectiveConstraintOps *ops = call->ops;
    ConstraintItem item = {.ops = ops, .self = call->self, .object = call->object};
    item.state_count = resolve_states(m, index, objects, ops->states(call->self, objects), item.states);
    if (item.state_count == 0 || !meet(m, call->object, ops->space, item.states, item.state_count))
        return;
    item.below_stop = is_cut_off(dv_object_node(call->object), m->node);
    *APPEND(m->constraints, m->constraint_count) = item;
    keep(m, call->object);
}

/* ---- Orders ---- */

/* Stable: in graph order but for those whose inputs are computed later. Mappings in a cycle keep their order. */
static void sort_mappings(DvMechanics *m)
{
    const uint32_t n = m->mapping_count;
    if (n < 2)
        return;
    uint32_t *waiting_for =
        dv_alloc(m->state_count, sizeof *waiting_for); /* mappings that still have to compute a state */
    bool *done = dv_alloc(n, sizeof *done);
    MappingItem *sorted = dv_alloc(n, sizeof *sorted);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m->mappings[i].outputs; k++)
            waiting_for[mapping_outputs_of(m, &m->mappings[i])[k]]++;
    uint32_t count = 0;
    while (count < n) {
        const uint32_t before = count;
        for (uint32_t i = 0; i < n; i++) {
            const MappingItem *mapping = &m->mappings[i];
            bool ready = !done[i];
            for (uint32_t k = 0; ready && k < mapping->inputs; k++)
                ready = waiting_for[mapping_inputs_of(m, mapping)[k]] == 0;
            if (!ready)
                continue;
            for (uint32_t k = 0; k < mapping->outputs; k++)
                waiting_for[mapping_outputs_of(m, mapping)[k]]--;
            done[i] = true;
            sorted[count++] = *mapping;
        }
        if (count == before) {
            for (uint32_t i = 0; i < n; i++)
                if (!done[i])
                    sorted[count++] = m->mappings[i];
            (void)dv_error(sorted[before].object, DV_ERROR_CYCLE, "mappings compute each other's input; cut the cycle");
        }
    }
    memcpy(m->mappings, sorted, n * sizeof *sorted);
    dv_free(sorted);
    dv_free(done);
    dv_free(waiting_for);
}

/* Constraints from the last node to the first, within a node in order. */
static void order_bottom_up(DvMechanics *m)
{
    const uint32_t n = m->constraint_count;
    m->bottom_up = dv_alloc(n, sizeof *m->bottom_up);
    uint32_t count = 0;
    for (uint32_t end = n; end > 0;) {
        const DvNode *node = dv_object_node(m->constraints[end - 1].object);
        uint32_t begin = end - 1;
        while (begin > 0 && dv_object_node(m->constraints[begin - 1].object) == node)
            begin--;
        for (uint32_t i = begin; i < end; i++)
            m->bottom_up[count++] = i;
        end = begin;
    }
}

/* What carries forces upwards: backwards, so that a chain is marked in one pass. */
static void mark_loaded(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->field_count; i++)
        for (uint32_t k = 0; k < m->fields[i].state_count; k++)
            m->states[m->fields[i].states[k]].loaded = true;
    for (uint32_t i = m->mapping_count; i-- > 0;) {
        MappingItem *mapping = &m->mappings[i];
        for (uint32_t k = 0; k < mapping->outputs; k++)
            mapping->loaded |= m->states[mapping_outputs_of(m, mapping)[k]].loaded;
        for (uint32_t k = 0; mapping->loaded && k < mapping->inputs; k++)
            m->states[mapping_inputs_of(m, mapping)[k]].loaded = true;
    }
}

/* ---- Compilation ---- */

void mechanics_forget(DvMechanics *m)
{
    void *arrays[] = {m->states,      m->fields,    m->masses, m->mappings,   m->constraints, m->links,
                      m->independent, m->bottom_up, m->given,  m->given_more, m->wanted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    DvObject **objects = m->objects;
    const uint32_t count = m->object_count;
    if (m->assembly != m->lent)
        assembly_free(m->assembly);
    assembly_free(m->lent);
    row_projection_free(m->row_projection);
    *m = (DvMechanics){.node = m->node, .scene = m->scene, .epoch = m->epoch, .next = m->next};
    for (uint32_t i = 0; i < count; i++)
        dv_object_unref(objects[i]);
    dv_free(objects);
}

void mechanics_compile(DvMechanics *m)
{
    uint8_t allocated[DV_MAX_VEC];
    memcpy(allocated, m->allocated, sizeof allocated);
    /* The old objects stay until the new ones are held: an object may be in both. */
    DvMechanics old = *m;
    *m = (DvMechanics){.node = old.node,
                       .scene = old.scene,
                       .epoch = old.epoch,
                       .next = old.next,
                       .lent = old.lent,
                       .row_projection = old.row_projection};
    memcpy(m->allocated, allocated, sizeof allocated);
    if (old.assembly == old.lent)
        old.assembly = NULL;
    old.lent = NULL;
    old.row_projection = NULL;

    size_t count;
    const DvCall *calls = dv_schedule_calls(dv_schedule(m->node, &plan, dv_node_tags(m->node)), &count);
    Index index = {0};
    for (size_t i = 0; i < count; i++) {
        if (calls[i].run != as_state || dv_object_ops(calls[i].object, DV_VISUAL_MODEL))
            continue;
        const DvNode *node = dv_object_node(calls[i].object);
        const bool of_its_node = dv_node_slot(node, DV_STATE) == calls[i].object;
        add_state(m, &index, calls[i].object, of_its_node ? STATE_INDEPENDENT : STATE_EXTERNAL)->below_stop =
            is_cut_off(node, m->node);
    }
    for (size_t i = 0; i < count; i++) {
        if (calls[i].run == as_mapping)
            add_mapping(m, &index, &calls[i]);
        else if (calls[i].run == as_field || calls[i].run == as_interaction)
            add_field(m, &index, &calls[i], calls[i].run == as_interaction);
        else if (calls[i].run == as_constraint)
            add_constraint(m, &index, &calls[i]);
    }
    dv_free(index.keys);
    dv_free(index.values);

    for (uint32_t i = 0; i < m->state_count; i++)
        if (m->states[i].kind == STATE_INDEPENDENT && !m->states[i].below_stop)
            *APPEND(m->independent, m->independent_count) = i;
        else if (m->states[i].kind == STATE_INDEPENDENT)
            m->states[i].kind = STATE_EXTERNAL;
    for (uint32_t i = 0; i < m->state_count; i++) {
        const DvStateRef s = m->states[i].ref;
        if (m->states[i].kind == STATE_EXTERNAL && !dv_object_ops(s.object, DV_VISUAL_MODEL))
            s.ops->clear(s.self, VEC_ZERO);
    }
    /* Vectors that solvers have allocated are in states that came later too. */
    for (DvVecId id = DV_FIRST_FREE_VEC; id < FIRST_PRIVATE_VEC; id++)
        for (uint32_t i = 0; m->allocated[id] && i < m->independent_count; i++) {
            const DvStateRef s = m->states[m->independent[i]].ref;
            if (!s.ops->has(s.self, id))
                s.ops->clear(s.self, id);
        }
    sort_mappings(m);
    order_bottom_up(m);
    mark_loaded(m);

    uint32_t most_links = 2;
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const uint32_t links = m->mappings[i].inputs + m->mappings[i].outputs;
        most_links = links > most_links ? links : most_links;
    }
    m->given = dv_alloc(most_links, sizeof *m->given);
    m->given_more = dv_alloc(most_links, sizeof *m->given_more);
    m->wanted = dv_alloc(most_links, sizeof *m->wanted);
    m->revision = dv_node_revision(m->node);
    m->root_revision = dv_node_revision(dv_node_root(m->node));
    mechanics_forget(&old);
}

/* ---- Vectors of the present operation ---- */

static bool fetch_now(DvMechanics *m, StateItem *state, DvSpace space)
{
    const DvStateRef s = state->ref;
    const DvVecId x = m->roles.x[state->kind], v = m->roles.v[state->kind], f = m->roles.f[state->kind];
    const uint32_t count = s.ops->count(s.self);
    state->epoch = 0;
    state->space = space;
    state->x = (DvConstVec){NULL, count, 0};
    state->v = (DvConstVec){NULL, count, s.dof->deriv};
    state->f = (DvVec){NULL, count, 0};
    if (x != DV_NO_VEC) {
        const bool coordinates = dv_vec_kind(x) == DV_COORDS;
        state->x.dim = coordinates ? s.dof->coord : s.dof->deriv;
        state->x.at = s.ops->read(s.self, x, space);
        if (!state->x.at && coordinates) /* a trial vector that nobody propagated to this state */
            state->x.at = s.ops->read(s.self, DV_POSITION, space);
    }
    if (v != DV_NO_VEC) {
        state->v.at = s.ops->read(s.self, v, space);
        if (!state->v.at)
            state->v.at = s.ops->read(s.self, DV_VELOCITY, space);
    }
    if (f != DV_NO_VEC) {
        state->f.dim = dv_vec_kind(f) == DV_COORDS ? s.dof->coord : s.dof->deriv;
        state->f.at = s.ops->write(s.self, f, space, DV_READ_WRITE);
    }
    if ((!state->x.at && x != DV_NO_VEC) || (!state->v.at && v != DV_NO_VEC) || (!state->f.at && f != DV_NO_VEC))
        return false;
    state->epoch = m->epoch;
    return true;
}

bool mechanics_fetch(DvMechanics *m, StateItem *state, DvSpace space)
{
    if (state->epoch == m->epoch && state->space == space)
        return true;
    return fetch_now(m, state, space);
}

size_t mechanics_count_unknowns(DvMechanics *m)
{
    size_t total = 0;
    for (uint32_t i = 0; i < m->independent_count; i++) {
        StateItem *state = &m->states[m->independent[i]];
        state->offset = total;
        total += (size_t)dv_state_count(state->ref) * state->ref.dof->deriv;
    }
    return total;
}
