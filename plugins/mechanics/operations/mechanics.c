/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Putting together the arrays of a DvMechanics from the graph, and following its edits; see mechanics.h.
 *
 * The kernel's schedule lists the components; after an edit it names the nodes whose lists are others. Of these, what is gone is
 * taken out of the arrays and what has come is put in, at its place in the order. What cannot be told from there is compiled from
 * nothing: a graph that is no tree, states that two mappings compute, mappings against the order of the graph, mappings
 * that begin or cease to stop forces, and components that lose one of their states and stay.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>
#include <divan/visitor.h>

#include "mechanics_private.h"
#include "row_projection.h"
#include "twins.h"

/* ---- What the kernel's schedule lists: one call per object and role ---- */

static const struct {
    Role role;
    const char *contract;
} roles[ROLES] = {{ROLE_MAPPING, DV_MAPPING},
                  {ROLE_STATE, DV_STATE},
                  {ROLE_FIELD, DV_FORCE_FIELD},
                  {ROLE_INTERACTION, DV_INTERACTION_FORCE_FIELD},
                  {ROLE_CONSTRAINT, DV_PROJECTIVE_CONSTRAINT}};

static DvVisit plan_node(DvPlanner *planner, DvNode *node)
{
    for (int i = 0; i < ROLES; i++)
        (void)dv_plan_each(planner, node, roles[i].contract, NULL, &roles[i].role);
    return DV_VISIT_CONTINUE;
}

static const DvPlan plan = {.name = "mechanics", .top_down = plan_node};

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
        twin_leave(old.scene, &field_at(&old, i)->twin);
    for (uint32_t i = 0; i < old.constraint_list.count; i++)
        constraint_leave_twin(old.scene, constraint_at(&old, i));
    for (uint32_t i = 0; i < old.mapping_list.count; i++)
        twin_leave(old.scene, &mapping_at(&old, i)->twin);
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
            state_add_own(m, &calls[i], rank);
    }
    for (size_t i = 0; i < count; i++) {
        rank = i > 0 && calls[i - 1].order == calls[i].order ? rank + 1 : 0;
        if (role_of(&calls[i]) != ROLE_STATE)
            (void)component_add(m, &calls[i], rank, COMPILING);
    }
    for (uint32_t i = 0; i < m->independent.count; i++)
        state_give_vectors(m, independent_at(m, i));
    if (!m->regular)
        sort_mappings(m);
    states_mark_loads(m);
    mappings_reserve_links(m, 2);
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

/* What the items of one kind are, and when they stay. */
typedef struct ItemKind {
    Role role, or_role;
    size_t list, items;  /* where DvMechanics has them */
    size_t size, object; /* of an item; where it has its object */
    bool (*stays)(const DvMechanics *m, const void *item, const DvNode *node, bool cut_off);
    bool (*remove)(DvMechanics *m, uint32_t slot, bool has_children); /* false: too much may depend on it */
} ItemKind;

static bool constraint_stays(const DvMechanics *m, const void *item, const DvNode *node, bool cut_off)
{
    const ConstraintItem *constraint = item;
    (void)node;
    return constraint->below_stop == cut_off && constraint_keeps_states(m, constraint);
}

static bool field_stays(const DvMechanics *m, const void *item, const DvNode *node, bool cut_off)
{
    const FieldItem *field = item;
    (void)node;
    return field->below_stop == cut_off && field_keeps_states(m, field);
}

static bool mapping_stays(const DvMechanics *m, const void *item, const DvNode *node, bool cut_off)
{
    const MappingItem *mapping = item;
    return mapping->below_stop == cut_off && mapping_keeps_states(m, mapping) &&
           mapping->in_slot == (dv_node_slot(node, DV_MAPPING) == mapping->object);
}

static bool take_out_constraint(DvMechanics *m, uint32_t slot, bool has_children)
{
    (void)has_children;
    constraint_remove(m, slot);
    return true;
}

static bool take_out_field(DvMechanics *m, uint32_t slot, bool has_children)
{
    (void)has_children;
    field_remove(m, slot);
    return true;
}

static bool take_out_mapping(DvMechanics *m, uint32_t slot, bool has_children)
{
    if (!m->mappings[slot].maps_forces && has_children)
        return false;
    mapping_remove(m, slot);
    return true;
}

static bool take_out_state(DvMechanics *m, uint32_t slot, bool has_children)
{
    (void)has_children;
    list_add(&m->leaving, slot);
    state_set_aside(m, slot);
    return true;
}

#define OF_KIND(array, Item, member)                                                                             \
    .list = offsetof(DvMechanics, array##_list), .items = offsetof(DvMechanics, array##s), .size = sizeof(Item), \
    .object = offsetof(Item, member)

/* In the order in which they are taken out: states last, on which the others act. */
static const ItemKind item_kinds[] = {
    {ROLE_CONSTRAINT, ROLE_CONSTRAINT, OF_KIND(constraint, ConstraintItem, object), constraint_stays,
     take_out_constraint},
    {ROLE_FIELD, ROLE_INTERACTION, OF_KIND(field, FieldItem, object), field_stays, take_out_field},
    {ROLE_MAPPING, ROLE_MAPPING, OF_KIND(mapping, MappingItem, object), mapping_stays, take_out_mapping},
    {ROLE_STATE, ROLE_STATE, OF_KIND(state, StateItem, ref.object), NULL, take_out_state},
};

enum { ITEM_KINDS = sizeof item_kinds / sizeof *item_kinds };

static List *list_of(DvMechanics *m, const ItemKind *kind)
{
    return (List *)(void *)((char *)m + kind->list);
}

static void *items_of(DvMechanics *m, const ItemKind *kind)
{
    return *(void **)(void *)((char *)m + kind->items);
}

static void *item_at(DvMechanics *m, const ItemKind *kind, uint32_t i)
{
    return (char *)items_of(m, kind) + list_of(m, kind)->at[i] * kind->size;
}

static const DvObject *object_of(const ItemKind *kind, const void *item)
{
    return *(DvObject *const *)(const void *)((const char *)item + kind->object);
}

/* Every item begins with its key. */
static Key *key_at(DvMechanics *m, const ItemKind *kind, uint32_t i)
{
    return item_at(m, kind, i);
}

static uint32_t place_of_first(DvMechanics *m, const ItemKind *kind, Key key)
{
    return items_place_of_key(list_of(m, kind), items_of(m, kind), kind->size, key);
}

static bool take_out_kind(DvMechanics *m, const ItemKind *kind, uint64_t order, const DvCall *calls, uint32_t count)
{
    const DvNode *node = count ? dv_object_node(calls[0].object) : NULL;
    const bool cut_off = node && node_is_cut_off(node, m->node), has_children = node && dv_node_child(node, 0);
    const List *list = list_of(m, kind);
    uint32_t from = 0;
    for (uint32_t i = place_of_first(m, kind, (Key){order, 0});
         i < list->count && key_at(m, kind, i)->order == order;) {
        const void *item = item_at(m, kind, i);
        const uint32_t rank = rank_of(calls, count, from, object_of(kind, item), kind->role, kind->or_role);
        if (rank < count && (!kind->stays || kind->stays(m, item, node, cut_off))) {
            from = rank + 1;
            i++;
        } else if (!kind->remove(m, list->at[i], has_children)) {
            return false;
        }
    }
    return true;
}

/* Takes out what a node has not any more, or has in another role. False: too much may depend on it. */
static bool take_out_gone(DvMechanics *m, uint64_t order, const DvCall *calls, uint32_t count)
{
    for (size_t k = 0; k < ITEM_KINDS; k++)
        if (!take_out_kind(m, &item_kinds[k], order, calls, count))
            return false;
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
    const Key begin = {order, 0};
    for (const ItemKind *kind = item_kinds; kind < item_kinds + ITEM_KINDS; kind++) {
        const List *list = list_of(m, kind);
        uint32_t from = 0;
        for (uint32_t i = place_of_first(m, kind, begin); i < list->count && key_at(m, kind, i)->order == order; i++) {
            from = rank_of(calls, count, from, object_of(kind, item_at(m, kind, i)), kind->role, kind->or_role);
            key_at(m, kind, i)->rank = from++;
        }
    }
    const DvNode *node = count ? dv_object_node(calls[0].object) : NULL;
    const uint32_t first = PLACE_OF_KEY(&m->state_list, m->states, begin);
    for (uint32_t i = first; i < m->state_list.count && state_at(m, i)->key.order == order; i++) {
        StateItem *item = state_at(m, i);
        item->of_its_node = dv_node_slot(node, DV_STATE) == item->ref.object;
        item->below_stop = node_is_cut_off(node, m->node);
    }
    for (uint32_t i = first; i < m->state_list.count && state_at(m, i)->key.order == order; i++)
        state_update_kind(m, m->state_list.at[i]);
}

/* Whether a call of a node has its item already. */
static bool has_item(DvMechanics *m, const DvCall *call, uint32_t rank)
{
    const Key key = {call->order, rank};
    for (const ItemKind *kind = item_kinds; kind < item_kinds + ITEM_KINDS; kind++) {
        if (role_of(call) != kind->role && role_of(call) != kind->or_role)
            continue;
        const uint32_t i = place_of_first(m, kind, key);
        return i < list_of(m, kind)->count && object_of(kind, item_at(m, kind, i)) == call->object &&
               (kind->role != ROLE_STATE || key_at(m, kind, i)->order == call->order);
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
                    state_add_own(m, call, k);
                else if (component_add(m, call, k, FOLLOWING) == TOO_MUCH)
                    return false;
            }
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = PLACE_OF_KEY(&m->state_list, m->states, ((Key){m->orders[i], 0}));
             k < m->state_list.count && state_at(m, k)->key.order == m->orders[i]; k++)
            state_give_vectors(m, state_at(m, k));
    for (uint32_t i = 0; i < m->leaving.count; i++) {
        const StateItem *state = &m->states[m->leaving.at[i]];
        if (state->leaves && state->users)
            return false;
        if (state->leaves)
            state_remove(m, m->leaving.at[i]);
    }
    for (uint32_t i = 0; i < m->wait_count; i++)
        if (component_is_ready(&m->waits[i]))
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
