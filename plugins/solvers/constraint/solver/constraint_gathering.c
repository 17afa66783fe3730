/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constraints in tree order, those of a node by rank; corrections and the states that they move.
 */
#include "constraint_system_parts.h"

static uint32_t place_in(const ObjectMap *map, const DvObject *object)
{
    uint32_t at = (uint32_t)((uintptr_t)object * (uintptr_t)11400714819323198485u >> 32) & (map->size - 1);
    while (map->keys[at] && map->keys[at] != object)
        at = (at + 1) & (map->size - 1);
    return at;
}

void constraint_system_map_restart(ObjectMap *map)
{
    if (map->size > 0)
        memset(map->keys, 0, map->size * sizeof *map->keys);
    map->count = 0;
}

void constraint_system_map_put(ObjectMap *map, const DvObject *object, uint32_t value)
{
    if (2 * (map->count + 1) > map->size) {
        const ObjectMap old = *map;
        map->size = old.size > 0 ? 2 * old.size : 64;
        map->keys = dv_alloc(map->size, sizeof *map->keys);
        map->values = dv_alloc(map->size, sizeof *map->values);
        map->count = 0;
        for (uint32_t i = 0; i < old.size; i++)
            if (old.keys[i])
                constraint_system_map_put(map, old.keys[i], old.values[i]);
        dv_free(old.keys);
        dv_free(old.values);
    }
    const uint32_t at = place_in(map, object);
    map->count += map->keys[at] ? 0 : 1;
    map->keys[at] = object;
    map->values[at] = value;
}

bool constraint_system_map_get(const ObjectMap *map, const DvObject *object, uint32_t *value)
{
    const uint32_t at = map->size > 0 ? place_in(map, object) : 0;
    if (map->size == 0 || !map->keys[at])
        return false;
    *value = map->values[at];
    return true;
}

/* ---- Gathering ---- */

static DvVisit plan_constraints(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, DV_LAGRANGIAN_CONSTRAINT, NULL, NULL);
    return DV_VISIT_CONTINUE;
}

static DvVisit plan_corrections(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, DV_CONSTRAINT_CORRECTION, NULL, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan constraint_plan = {.name = "constraints", .top_down = plan_constraints, .enters_sleeping = true};
static const DvPlan correction_plan = {
    .name = "constraint corrections", .top_down = plan_corrections, .enters_sleeping = true};

void constraint_system_gather_constraints(ConstraintSystem *s)
{
    size_t count;
    const DvCall *calls = dv_schedule_calls(dv_schedule(s->node, &constraint_plan, (DvTags){0}), &count);
    s->items = room(s->items, &s->item_capacity, (uint32_t)count, sizeof *s->items);
    s->item_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!dv_object_is_valid(calls[i].object))
            continue;
        ConstraintItem item = {
            .object = calls[i].object, .ops = calls[i].ops, .self = calls[i].self, .order = calls[i].order};
        item.rank = item.ops->rank ? item.ops->rank(item.self) : 0;
        /* Stable insertion among those of the node: they are mostly in order. */
        uint32_t at = s->item_count++;
        for (; at > 0 && s->items[at - 1].order == item.order && s->items[at - 1].rank > item.rank; at--)
            s->items[at] = s->items[at - 1];
        s->items[at] = item;
    }
}

uint32_t constraint_system_find_moved(const ConstraintSystem *s, size_t unknown)
{
    uint32_t low = 0, high = s->moved_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const MovedState *moved = &s->moved[s->by_offset[middle]];
        if (moved->offset + moved->count <= unknown)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void gather_independent(ConstraintSystem *s)
{
    const uint32_t count = s->ops->states(s->m, DV_STATES_INDEPENDENT, NULL, 0);
    s->independent = room(s->independent, &s->independent_capacity, count, sizeof *s->independent);
    s->offsets = room(s->offsets, &s->offset_capacity, count, sizeof *s->offsets);
    s->ops->states(s->m, DV_STATES_INDEPENDENT, s->independent, count);
    s->independent_count = count;
    constraint_system_map_restart(&s->place_of);
    size_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef state = dv_state_ref(s->independent[i]);
        constraint_system_map_put(&s->place_of, s->independent[i], i);
        s->offsets[i] = offset;
        offset += (size_t)dv_state_count(state) * state.dof->deriv;
    }
}

/* First unknown of an independent state below the solver's node; SIZE_MAX: it is none. */
static size_t offset_of(const ConstraintSystem *s, const DvObject *state)
{
    uint32_t place;
    return constraint_system_map_get(&s->place_of, state, &place) ? s->offsets[place] : SIZE_MAX;
}

static bool is_moved(const ConstraintSystem *s, const DvObject *state, size_t offset)
{
    const uint32_t at = constraint_system_find_moved(s, offset);
    return at < s->moved_count && s->moved[s->by_offset[at]].ref.object == state;
}

/* One correction and the states it moves; none when another moves one of them already. */
static DvStatus gather_correction(ConstraintSystem *s, CorrectionItem *c, DvObject *const *objects)
{
    for (uint32_t k = 0; k < c->states; k++) {
        const size_t offset = offset_of(s, objects[k]);
        if (offset == SIZE_MAX)
            return dv_error(c->object, DV_ERROR_INVALID,
                            "its state '%s' is no independent state below '%s', where the constraint solver is",
                            dv_object_path(objects[k]), dv_node_path(s->node));
        if (!is_moved(s, objects[k], offset))
            continue;
        if (!s->told_of_two)
            dv_warning(c->object, "has no effect: another correction moves state '%s' already; remove one of them",
                       dv_object_path(objects[k]));
        s->told_of_two = true;
        return DV_OK;
    }
    c->first_state = s->moved_count;
    s->moved = room(s->moved, &s->moved_capacity, s->moved_count + c->states, sizeof *s->moved);
    s->by_offset = room(s->by_offset, &s->by_offset_capacity, s->moved_count + c->states, sizeof *s->by_offset);
    for (uint32_t k = 0; k < c->states; k++) {
        MovedState moved = {.ref = dv_state_ref(objects[k]), .correction = s->correction_count, .local = c->unknowns};
        moved.offset = offset_of(s, objects[k]);
        moved.count = (size_t)dv_state_count(moved.ref) * moved.ref.dof->deriv;
        c->unknowns += moved.count;
        const uint32_t at = constraint_system_find_moved(s, moved.offset);
        memmove(s->by_offset + at + 1, s->by_offset + at, (s->moved_count - at) * sizeof *s->by_offset);
        s->by_offset[at] = s->moved_count;
        s->moved[s->moved_count++] = moved;
    }
    s->correction_count++;
    return DV_OK;
}

DvStatus constraint_system_gather_corrections(ConstraintSystem *s)
{
    size_t count;
    const DvCall *calls = dv_schedule_calls(dv_schedule(s->node, &correction_plan, (DvTags){0}), &count);
    s->corrections = room(s->corrections, &s->correction_capacity, (uint32_t)count, sizeof *s->corrections);
    s->correction_count = s->moved_count = 0;
    gather_independent(s);
    DvStatus status = DV_OK;
    for (size_t i = 0; i < count && status == DV_OK; i++) {
        CorrectionItem *c = &s->corrections[s->correction_count];
        *c = (CorrectionItem){.object = calls[i].object, .ops = calls[i].ops, .self = calls[i].self};
        c->states = dv_object_is_valid(c->object) ? c->ops->states(c->self, NULL, 0) : 0;
        if (c->states == 0)
            continue;
        s->objects = room(s->objects, &s->object_capacity, c->states, sizeof *s->objects);
        c->ops->states(c->self, s->objects, c->states);
        status = gather_correction(s, c, s->objects);
    }
    return status;
}
