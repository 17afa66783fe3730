/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From the constraints of a scene to the problem of a step, and from its solution to positions and velocities.
 *
 *   gather       constraints in tree order, those of a node by rank; corrections and the states that they move
 *   write        each constraint writes its rows on its states, and says how far they are violated after the free motion
 *   project      J over the unknowns of the independent states, through mappings and projective constraints
 *   share out    the entries of J by correction; each gives its part of W
 *   apply        J^T lambda by correction; each moves its states
 *
 * Everything is kept from step to step and grows only with what there is.
 */
#include "constraint_system.h"

#include "contradiction.h"
#include "law.h"
#include "served_laws.h"

#include "symmetric_eigen.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <string.h>

typedef struct ConstraintItem {
    DvObject *object;
    const DvLagrangianConstraintOps *ops;
    void *self;
    uint64_t order;
    uint32_t rank;
    uint32_t first, rows, first_block; /* in this step */
} ConstraintItem;

typedef struct StateEntries {
    DvRowEntries entries; /* first: see grow_entries */
    DvObject *state;
    size_t value_capacity;
} StateEntries;

typedef struct CorrectionItem {
    DvObject *object;
    const DvConstraintCorrectionOps *ops;
    void *self;
    uint32_t first_state, states; /* into the moved states */
    size_t unknowns;
    DvSparseRows j;      /* over its unknowns, of this step */
    const uint32_t *row; /* [j.rows] rows of the problem */
    uint32_t entries, last_row;
} CorrectionItem;

/* A state that a correction moves. */
typedef struct MovedState {
    DvStateRef ref;
    uint32_t correction;
    size_t offset, count; /* unknowns in the mechanics */
    size_t local;         /* first of them in its correction */
} MovedState;

/* Numbers by object: open addressing, emptied in each step. */
typedef struct ObjectMap {
    const DvObject **keys;
    uint32_t *values;
    uint32_t size, count; /* size: a power of 2 */
} ObjectMap;

struct ConstraintSystem {
    DvObject *object;
    DvNode *node;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    uint32_t laws; /* that the solver's class serves */
    ProblemPool pool;
    ConstraintItem *items;
    uint32_t item_count, item_capacity;
    StateEntries **lists; /* by pointer: constraints hold them while more are added */
    uint32_t list_count, list_capacity;
    ObjectMap list_of;      /* state: its list */
    ObjectMap place_of;     /* independent state: its place in `independent` */
    DvObject **independent; /* [independent_count] in the order of the unknowns */
    size_t *offsets;        /* [independent_count] their first unknowns */
    uint32_t independent_count, independent_capacity, offset_capacity;
    DvConstraintRows rows; /* what constraints write into; its blocks are those of the step */
    CorrectionItem *corrections;
    uint32_t correction_count, correction_capacity;
    DvObject **mapped; /* [mapped_count] states that mappings compute */
    uint32_t mapped_count, mapped_capacity;
    DvObject **objects; /* states of one correction, while they are gathered */
    uint32_t object_capacity;
    MovedState *moved;
    uint32_t moved_count, moved_capacity;
    uint32_t *by_offset; /* [moved_count] moved states in the order of the unknowns */
    uint32_t by_offset_capacity;
    DvStateRows *parts;
    uint32_t part_capacity;
    uint32_t *owner; /* [entries of J] moved state of each */
    size_t owner_capacity;
    double *work, *force; /* force and dx of a correction */
    size_t work_capacity, force_capacity;
    bool leaves_displacement;
    bool told_of_two, told_of_none, told_of_let_go, told_of_friction;
};

static void *room(void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    const uint32_t more = needed > 2 * *capacity ? needed + 16 : 2 * *capacity;
    array = dv_realloc(array, *capacity * size, more * size);
    *capacity = more;
    return array;
}

static uint32_t place_in(const ObjectMap *map, const DvObject *object)
{
    uint32_t at = (uint32_t)((uintptr_t)object * (uintptr_t)11400714819323198485u >> 32) & (map->size - 1);
    while (map->keys[at] && map->keys[at] != object)
        at = (at + 1) & (map->size - 1);
    return at;
}

static void map_restart(ObjectMap *map)
{
    if (map->size > 0)
        memset(map->keys, 0, map->size * sizeof *map->keys);
    map->count = 0;
}

static void map_put(ObjectMap *map, const DvObject *object, uint32_t value)
{
    if (2 * (map->count + 1) > map->size) {
        const ObjectMap old = *map;
        map->size = old.size > 0 ? 2 * old.size : 64;
        map->keys = dv_alloc(map->size, sizeof *map->keys);
        map->values = dv_alloc(map->size, sizeof *map->values);
        map->count = 0;
        for (uint32_t i = 0; i < old.size; i++)
            if (old.keys[i])
                map_put(map, old.keys[i], old.values[i]);
        dv_free(old.keys);
        dv_free(old.values);
    }
    const uint32_t at = place_in(map, object);
    map->count += map->keys[at] ? 0 : 1;
    map->keys[at] = object;
    map->values[at] = value;
}

static bool map_get(const ObjectMap *map, const DvObject *object, uint32_t *value)
{
    const uint32_t at = map->size > 0 ? place_in(map, object) : 0;
    if (map->size == 0 || !map->keys[at])
        return false;
    *value = map->values[at];
    return true;
}

ConstraintSystem *constraint_system_open(DvObject *solver)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (!ops) {
        (void)dv_error(solver, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
        return NULL;
    }
    ConstraintSystem *s = dv_alloc(1, sizeof *s);
    s->object = solver;
    s->node = dv_object_node(solver);
    s->ops = ops;
    s->m = ops->open(s->node);
    const DvConstraintSolverOps *solver_ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    s->laws = solver_ops ? dv_constraint_solver_laws(solver_ops) : DV_LAWS_ALL;
    return s;
}

void constraint_system_close(ConstraintSystem *s)
{
    if (!s)
        return;
    s->ops->close(s->m);
    problem_pool_free(&s->pool);
    for (uint32_t i = 0; i < s->list_capacity; i++)
        if (s->lists[i]) {
            dv_free(s->lists[i]->entries.row);
            dv_free(s->lists[i]->entries.point);
            dv_free(s->lists[i]->entries.values);
            dv_free(s->lists[i]);
        }
    void *arrays[] = {s->items,
                      s->lists,
                      s->list_of.keys,
                      s->list_of.values,
                      s->place_of.keys,
                      s->place_of.values,
                      s->independent,
                      s->offsets,
                      s->rows.blocks,
                      s->corrections,
                      s->moved,
                      s->by_offset,
                      s->parts,
                      s->owner,
                      s->work,
                      s->force,
                      s->objects,
                      s->mapped,
                      s};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
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

static void gather_constraints(ConstraintSystem *s)
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

/* The first moved state, in the order of the unknowns, that ends behind `unknown`. */
static uint32_t find_moved(const ConstraintSystem *s, size_t unknown)
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
    map_restart(&s->place_of);
    size_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef state = dv_state_ref(s->independent[i]);
        map_put(&s->place_of, s->independent[i], i);
        s->offsets[i] = offset;
        offset += (size_t)dv_state_count(state) * state.dof->deriv;
    }
}

/* First unknown of an independent state below the solver's node; SIZE_MAX: it is none. */
static size_t offset_of(const ConstraintSystem *s, const DvObject *state)
{
    uint32_t place;
    return map_get(&s->place_of, state, &place) ? s->offsets[place] : SIZE_MAX;
}

static bool is_moved(const ConstraintSystem *s, const DvObject *state, size_t offset)
{
    const uint32_t at = find_moved(s, offset);
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
        const uint32_t at = find_moved(s, moved.offset);
        memmove(s->by_offset + at + 1, s->by_offset + at, (s->moved_count - at) * sizeof *s->by_offset);
        s->by_offset[at] = s->moved_count;
        s->moved[s->moved_count++] = moved;
    }
    s->correction_count++;
    return DV_OK;
}

static DvStatus gather_corrections(ConstraintSystem *s)
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

/* ---- Writing ---- */

static void grow_entries(DvRowEntries *entries)
{
    StateEntries *list = (StateEntries *)entries; /* its first member */
    const size_t capacity = entries->capacity > 0 ? 2 * entries->capacity : 64;
    entries->row = dv_realloc(entries->row, entries->capacity * sizeof *entries->row, capacity * sizeof *entries->row);
    entries->point =
        dv_realloc(entries->point, entries->capacity * sizeof *entries->point, capacity * sizeof *entries->point);
    entries->values = dv_realloc(entries->values, list->value_capacity * sizeof *entries->values,
                                 capacity * entries->width * sizeof *entries->values);
    entries->capacity = capacity;
    list->value_capacity = capacity * entries->width;
}

static void grow_blocks(DvConstraintRows *rows)
{
    const uint32_t capacity = rows->block_capacity > 0 ? 2 * rows->block_capacity : 64;
    rows->blocks =
        dv_realloc(rows->blocks, rows->block_capacity * sizeof *rows->blocks, capacity * sizeof *rows->blocks);
    rows->block_capacity = capacity;
}

/* The entries on a state, of this step. */
static DvRowEntries *entries_on(ConstraintSystem *s, DvObject *state)
{
    uint32_t known;
    if (map_get(&s->list_of, state, &known))
        return &s->lists[known]->entries;
    s->lists = room(s->lists, &s->list_capacity, s->list_count + 1, sizeof *s->lists);
    StateEntries *list = s->lists[s->list_count];
    if (!list) {
        list = s->lists[s->list_count] = dv_alloc(1, sizeof *list);
        list->entries.grow = grow_entries;
    }
    list->state = state;
    list->entries.count = 0;
    list->entries.width = dv_state_ref(state).dof->deriv;
    if (list->entries.capacity * list->entries.width > list->value_capacity)
        list->entries.capacity = list->value_capacity / list->entries.width;
    map_put(&s->list_of, state, s->list_count++);
    return &list->entries;
}

static DvStatus check_state(const ConstraintItem *item, DvObject *state)
{
    if (state && dv_object_ops(state, DV_STATE))
        return DV_OK;
    return dv_error(item->object, DV_ERROR_INVALID, "has rows on '%s', which is no state",
                    state ? dv_object_path(state) : "");
}

static DvStatus write_rows(ConstraintSystem *s, const DvStep *start, DvConstraintOrder order)
{
    s->list_count = 0;
    map_restart(&s->list_of);
    s->rows.next = s->rows.block_count = 0;
    s->rows.grow = grow_blocks;
    s->rows.order = order;
    for (uint32_t i = 0; i < s->item_count; i++) {
        ConstraintItem *item = &s->items[i];
        DvObject *states[DV_MAX_CONSTRAINED_STATES];
        const uint32_t count = item->ops->states(item->self, states, DV_MAX_CONSTRAINED_STATES);
        item->first = s->rows.next;
        item->first_block = s->rows.block_count;
        item->rows = 0;
        DvStatus status = DV_OK;
        if (count > DV_MAX_CONSTRAINED_STATES)
            return dv_error(item->object, DV_ERROR_LIMIT, "has rows on %u states; %d are the most", count,
                            DV_MAX_CONSTRAINED_STATES);
        for (uint32_t k = 0; k < count && status == DV_OK; k++) {
            status = check_state(item, states[k]);
            if (status == DV_OK)
                s->rows.of_state[k] = entries_on(s, states[k]);
        }
        if (status == DV_OK && count > 0)
            status = item->ops->build(item->self, start, &s->rows);
        if (status != DV_OK)
            return status;
        item->rows = s->rows.next - item->first;
    }
    return DV_OK;
}

/* ---- Projecting and sharing out ---- */

static DvStatus project(ConstraintSystem *s, const DvStep *start, uint32_t options, DvSparseRows *j)
{
    s->parts = room(s->parts, &s->part_capacity, s->list_count, sizeof *s->parts);
    for (uint32_t i = 0; i < s->list_count; i++) {
        const DvRowEntries *e = &s->lists[i]->entries;
        s->parts[i] = (DvStateRows){s->lists[i]->state, e->count, e->row, e->point, e->values};
    }
    return s->ops->project_rows(s->m, start, s->parts, s->list_count, s->rows.next, options, j);
}

/* The moved state of each entry of J, and how many rows and entries each correction has. */
static void count_entries(ConstraintSystem *s, const DvSparseRows *j)
{
    const uint32_t entries = j->row_start[j->rows];
    if (entries > s->owner_capacity) {
        dv_free(s->owner);
        s->owner_capacity = entries + entries / 2;
        s->owner = dv_alloc(s->owner_capacity, sizeof *s->owner);
    }
    for (uint32_t i = 0; i < s->correction_count; i++)
        s->corrections[i].last_row = UINT32_MAX;
    for (uint32_t r = 0; r < j->rows; r++) {
        size_t begin = 1, end = 0; /* of the state of the entry before */
        uint32_t owner = UINT32_MAX;
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            const size_t column = j->columns[e];
            if (column < begin || column >= end) {
                const uint32_t at = find_moved(s, column);
                const MovedState *moved = at < s->moved_count ? &s->moved[s->by_offset[at]] : NULL;
                owner = moved && moved->offset <= column ? s->by_offset[at] : UINT32_MAX;
                begin = owner != UINT32_MAX ? moved->offset : column;
                end = owner != UINT32_MAX ? moved->offset + moved->count : column + 1;
            }
            s->owner[e] = owner;
            if (owner == UINT32_MAX)
                continue;
            CorrectionItem *c = &s->corrections[s->moved[owner].correction];
            c->entries++;
            if (c->last_row != r)
                c->j.rows++;
            c->last_row = r;
        }
    }
}

static void share_out(ConstraintSystem *s, const DvSparseRows *j, Problem *problem)
{
    count_entries(s, j);
    for (uint32_t i = 0; i < s->correction_count; i++) {
        CorrectionItem *c = &s->corrections[i];
        uint32_t *start = problem_alloc(problem, ((size_t)c->j.rows + 1) * sizeof *start);
        start[0] = 0;
        c->row = problem_alloc(problem, c->j.rows * sizeof *c->row);
        c->j.row_start = start;
        c->j.columns = problem_alloc(problem, c->entries * sizeof *c->j.columns);
        c->j.values = problem_alloc(problem, c->entries * sizeof *c->j.values);
        c->j.rows = c->entries = 0;
        c->last_row = UINT32_MAX;
    }
    for (uint32_t r = 0; r < j->rows; r++)
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            if (s->owner[e] == UINT32_MAX)
                continue;
            const MovedState *moved = &s->moved[s->owner[e]];
            CorrectionItem *c = &s->corrections[moved->correction];
            if (c->last_row != r)
                ((uint32_t *)c->row)[c->j.rows++] = r;
            c->last_row = r;
            ((uint32_t *)c->j.columns)[c->entries] = (uint32_t)(j->columns[e] - moved->offset + moved->local);
            ((double *)c->j.values)[c->entries++] = j->values[e];
            ((uint32_t *)c->j.row_start)[c->j.rows] = c->entries;
        }
}

/* ---- The problem ---- */

typedef struct Sink {
    DvComplianceSink sink; /* first: see alloc_for_sink */
    Problem *problem;
    const DvObject *object; /* the correction */
} Sink;

static void *alloc_for_sink(DvComplianceSink *sink, size_t bytes)
{
    Problem *problem = ((Sink *)sink)->problem;
    return problem_has_room(problem, ((Sink *)sink)->object, bytes) ? problem_alloc(problem, bytes) : NULL;
}

static DvStatus add_compliances(ConstraintSystem *s, const DvStep *step, SystemOptions options, Problem *problem)
{
    problem->parts = problem_alloc(problem, s->correction_count * sizeof *problem->parts);
    for (uint32_t i = 0; i < s->correction_count; i++) {
        const CorrectionItem *c = &s->corrections[i];
        if (c->j.rows == 0)
            continue;
        DvComplianceBlock *part = &problem->parts[problem->view.part_count++];
        *part = (DvComplianceBlock){.count = c->j.rows, .row = c->row};
        Sink sink = {{alloc_for_sink, part}, problem, c->object};
        const DvStatus status = c->ops->compliance(c->self, step, options.order, options.unbuilt, &c->j, &sink.sink);
        if (status != DV_OK)
            return status;
        for (uint32_t r = 0; r < part->count; r++)
            problem->regularization[part->row[r]] += part->regularization;
    }
    return DV_OK;
}

/* J by correction, for who moves a body between steps. */
static void tell_rows(const ConstraintSystem *s, DvConstraintOrder order, Problem *problem)
{
    DvCorrectionRows *rows = problem_alloc(problem, s->correction_count * sizeof *rows);
    for (uint32_t i = 0; i < s->correction_count; i++) {
        const CorrectionItem *c = &s->corrections[i];
        const DvObject **states = problem_alloc(problem, c->states * sizeof *states);
        size_t *first = problem_alloc(problem, ((size_t)c->states + 1) * sizeof *first);
        for (uint32_t k = 0; k < c->states; k++) {
            states[k] = s->moved[c->first_state + k].ref.object;
            first[k] = s->moved[c->first_state + k].local;
        }
        first[c->states] = c->unknowns;
        rows[i] = (DvCorrectionRows){states, first, c->states, c->j, c->row};
    }
    problem->view.order = order;
    problem->view.moved = rows;
    problem->view.moved_count = s->correction_count;
}

static const ConstraintItem *item_of_row(const ConstraintSystem *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->item_count; i++)
        if (row - s->items[i].first < s->items[i].rows)
            return &s->items[i];
    return NULL;
}

/* A row that nothing answers: its force is 0 for ever. One without entries is on what projective constraints hold, as scenes want it. */
static void tell_of_what_nothing_moves(ConstraintSystem *s, const DvSparseRows *j, const Problem *problem)
{
    for (uint32_t r = 0; r < problem->view.rows && !s->told_of_none; r++) {
        if (problem->use_start[r + 1] > problem->use_start[r] || j->row_start[r + 1] == j->row_start[r])
            continue;
        const ConstraintItem *item = item_of_row(s, r);
        dv_warning(
            item->object,
            "acts on nothing that a constraint correction moves, so it has no effect; add a "
            "LinearSolverConstraintCorrection or an UncoupledConstraintCorrection to the node of a body's solver");
        s->told_of_none = true;
    }
}

/* A bilateral block that is let go, as scenes of earlier years have it. */
static void tell_of_what_is_let_go(ConstraintSystem *s, const Problem *problem)
{
    for (uint32_t b = 0; b < problem->view.block_count && !s->told_of_let_go; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        if (!law_lets_go(block, problem->diagonal + problem->diagonal_at[b]))
            continue;
        const ConstraintItem *item = item_of_row(s, block->first);
        dv_warning(
            item->object,
            "row %u and the next two do not hold: the determinant of their compliance is at most %.3g, so stiff or heavy "
            "is what they join; set holdStiffBlocks=\"1\" of '%s', or a larger compliance",
            block->first - item->first, block->p[1], dv_object_name(s->object));
        s->told_of_let_go = true;
    }
}

static double *doubles_of(Problem *problem, uint32_t count, double value)
{
    double *numbers = problem_alloc(problem, count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}

static DvStatus violations(ConstraintSystem *s, const DvStep *step, DvConstraintOrder order, double *d)
{
    for (uint32_t i = 0; i < s->item_count; i++) {
        const ConstraintItem *item = &s->items[i];
        if (item->rows == 0)
            continue;
        const DvStatus status = item->ops->violation(item->self, step, order, d + item->first);
        if (status != DV_OK)
            return status;
        for (uint32_t r = item->first; r < item->first + item->rows; r++)
            if (!isfinite(d[r]))
                return dv_error(item->object, DV_ERROR_NOT_FINITE,
                                "row %u of its violation after the free motion is not finite", r - item->first);
    }
    return DV_OK;
}

/* Where lambda begins, as the blocks say. */
static void start_lambda(Problem *problem, bool contacts)
{
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        if (block->has_start && block->rows <= sizeof block->start / sizeof *block->start &&
            (contacts || !block->is_contact))
            memcpy(problem->lambda + block->first, block->start, block->rows * sizeof *block->start);
    }
}

/* Without friction all rows of a contact are one-sided conditions, the tangents' too, as in the reference: said once. */
static void tell_of_friction_left_out(ConstraintSystem *s, const Problem *problem)
{
    for (uint32_t b = 0; b < problem->view.block_count && !s->told_of_friction; b++) {
        if (problem->blocks[b].rows == 1)
            continue;
        dv_warning(
            item_of_row(s, problem->blocks[b].first)->object,
            "has contacts with friction, and '%s' (%s) has none (mu 0): it takes their tangents for contacts too, so that "
            "bodies slide one way and are held the other; set mu of the responses to 0 (responseParams=\"mu=0\"), or "
            "mu of the solver",
            dv_object_name(s->object), dv_object_class(s->object)->name);
        s->told_of_friction = true;
    }
}

/* Blocks of contacts instead of those that the constraints have written. */
static void make_contacts(Problem *problem, SystemOptions options)
{
    const uint32_t each = options.friction > 0.0 ? 3 : 1, count = problem->view.rows / each;
    problem->blocks = problem_alloc(problem, count * sizeof *problem->blocks);
    problem->view.block_count = count;
    for (uint32_t b = 0; b < count; b++)
        problem->blocks[b] = (DvConstraintBlock){.first = each * b,
                                                 .rows = each,
                                                 .law = each == 3 ? DV_LAW_FRICTION : DV_LAW_UNILATERAL,
                                                 .p = {options.friction, options.least_compliance}};
}

static void regularize_null_space(ConstraintSystem *s, SystemOptions options, Problem *problem)
{
    const uint32_t n = problem->view.rows;
    double *w = constraint_system_work(s, (size_t)n * n + 3 * (size_t)n), *values = w + (size_t)n * n;
    double *largest = values + n; /* component of each row in the null space */
    problem_dense(problem, w);
    if (!symmetric_eigen(n, w, values, largest))
        return;
    double most = 0.0;
    for (uint32_t k = 0; k < n; k++)
        most = fmax(most, fabs(values[k]));
    memset(largest, 0, n * sizeof *largest);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t r = 0; fabs(values[k]) < most * options.null_value && r < n; r++)
            largest[r] = fmax(largest[r], fabs(w[(size_t)k * n + r]));
    for (uint32_t r = 0; r < n; r++)
        if (largest[r] > options.null_vector)
            problem_regularize(problem, r, options.regularization);
}

static DvStatus check_laws(const ConstraintSystem *s, uint32_t served)
{
    if (served == DV_LAWS_ALL)
        return DV_OK;
    for (uint32_t b = 0; b < s->rows.block_count; b++) {
        const DvConstraintBlock *block = &s->rows.blocks[b];
        if (!(dv_law_bit(block->law) & served))
            return served_laws_refuse(item_of_row(s, block->first)->object, dv_law_bit(block->law), s->object, served);
    }
    return DV_OK;
}

DvStatus constraint_system_build(ConstraintSystem *s, const DvStep *step, SystemOptions options, Problem **built)
{
    DvStep start = *step;
    start.position = DV_POSITION;
    start.velocity = DV_VELOCITY;
    s->leaves_displacement = options.leaves_displacement;
    dv_phase_begin("constraint rows");
    gather_constraints(s);
    DvSparseRows j = {0};
    DvStatus status = gather_corrections(s);
    if (status == DV_OK)
        status = write_rows(s, &start, options.order);
    if (status == DV_OK)
        status = check_laws(s, options.laws ? options.laws : s->laws);
    if (status == DV_OK)
        status = project(s, &start, options.rows, &j);
    Problem *problem = *built = problem_begin(&s->pool);
    const uint32_t rows = status == DV_OK ? s->rows.next : 0;
    problem->view.rows = rows;
    problem->view.dt = step->dt;
    problem->view.block_count = status == DV_OK ? s->rows.block_count : 0;
    problem->blocks = problem_alloc(problem, problem->view.block_count * sizeof *problem->blocks);
    if (problem->view.block_count > 0)
        memcpy(problem->blocks, s->rows.blocks, problem->view.block_count * sizeof *problem->blocks);
    problem->violation = doubles_of(problem, rows, 0.0);
    problem->lambda = doubles_of(problem, rows, 0.0);
    problem->regularization = doubles_of(problem, rows, options.only_null_space ? 0.0 : options.regularization);
    start_lambda(problem, options.contacts_start);
    if (options.all_contacts && options.friction <= 0.0)
        tell_of_friction_left_out(s, problem);
    if (options.all_contacts)
        make_contacts(problem, options);
    for (uint32_t b = 0; b < problem->view.block_count; b++)
        if (problem->blocks[b].law == DV_LAW_BILATERAL)
            problem->blocks[b].p[1] = options.least_determinant;
    if (status == DV_OK)
        status = violations(s, step, options.order, problem->violation);
    if (status == DV_OK)
        share_out(s, &j, problem);
    if (status == DV_OK)
        tell_rows(s, options.order, problem);
    dv_phase_end();
    dv_phase_begin("compliance");
    if (status == DV_OK)
        status = add_compliances(s, step, options, problem);
    if (status == DV_OK) {
        problem_finish(problem);
        if (options.only_null_space && options.regularization > 0.0)
            regularize_null_space(s, options, problem);
        tell_of_what_nothing_moves(s, &j, problem);
        tell_of_what_is_let_go(s, problem);
    }
    dv_phase_end();
    return status;
}

double *constraint_system_work(ConstraintSystem *s, size_t doubles)
{
    if (doubles > s->work_capacity || !s->work) {
        dv_free(s->work);
        s->work_capacity = doubles + doubles / 2;
        s->work = dv_alloc(s->work_capacity, sizeof *s->work);
    }
    return s->work;
}

const DvConstraintProblem *constraint_system_take(ConstraintSystem *s)
{
    return problem_take(&s->pool);
}

/* ---- Applying ---- */

bool constraint_system_contradiction(const ConstraintSystem *s, const Problem *problem, DvText *text)
{
    Contradiction found;
    if (!contradiction_find(problem, &found) || found.apart <= problem->view.tolerance)
        return false;
    const ConstraintItem *first = item_of_row(s, found.row), *second = item_of_row(s, found.other);
    dv_text_add(text, "row %u of '%s' and row %u of '%s', which are %.3g apart", found.row - first->first,
                dv_object_path(first->object), found.other - second->first, dv_object_path(second->object),
                found.apart);
    return true;
}

/* Why the force of a row is not finite, as far as its numbers show. */
static void explain_force(const ConstraintSystem *s, const Problem *problem, uint32_t row, double compliance,
                          DvText *text)
{
    const double d = problem->violation[row];
    DvText rows = {0};
    if (!isfinite(compliance))
        dv_text_add(text,
                    "its compliance is not finite: look at the corrections of what it joins, and at their masses");
    else if (d != 0.0 && !isfinite(d / compliance))
        dv_text_add(
            text,
            "its compliance of %.3g is too small for a violation of %.3g: look at the masses on both sides, and at the "
            "compliances of their corrections",
            compliance, d);
    else if (constraint_system_contradiction(s, problem, &rows))
        dv_text_add(text, "constraints contradict each other: %s; take one of them away", rows.at);
    else
        dv_text_add(text,
                    "its numbers are finite, and the sweeps of '%s' have grown without end (%u of them): take a "
                    "BlockGaussSeidelConstraintSolver, or less of what is tied together",
                    dv_object_name(s->object), problem->view.sweeps);
    dv_text_free(&rows);
}

static double compliance_of(const Problem *problem, uint32_t row)
{
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        const uint32_t k = row - block->first;
        if (k < block->rows)
            return problem->diagonal[problem->diagonal_at[b] + (size_t)k * (block->rows + 1)];
    }
    return 0.0;
}

static DvStatus check_forces(const ConstraintSystem *s, const Problem *problem)
{
    for (uint32_t r = 0; r < problem->view.rows; r++) {
        if (isfinite(problem->lambda[r]))
            continue;
        const ConstraintItem *item = item_of_row(s, r);
        DvText why = {0};
        explain_force(s, problem, r, compliance_of(problem, r), &why);
        const DvStatus status = dv_error(item->object, DV_ERROR_NOT_FINITE, "the force of its row %u is not finite: %s",
                                         r - item->first, why.at);
        dv_text_free(&why);
        return status;
    }
    return DV_OK;
}

static DvStatus move(ConstraintSystem *s, const DvStep *step, DvConstraintOrder order, const CorrectionItem *c,
                     const double *lambda)
{
    double *force = s->force, *dx = s->force + c->unknowns, position, velocity;
    bool any = false;
    for (uint32_t i = 0; i < c->j.rows && !any; i++)
        any = lambda[c->row[i]] != 0.0;
    if (any) {
        memset(force, 0, c->unknowns * sizeof *force);
        for (uint32_t i = 0; i < c->j.rows; i++)
            for (uint32_t e = c->j.row_start[i]; e < c->j.row_start[i + 1]; e++)
                force[c->j.columns[e]] += c->j.values[e] * lambda[c->row[i]];
        const DvStatus status = c->ops->respond(c->self, step, force, dx, c->unknowns);
        if (status != DV_OK)
            return status;
    }
    c->ops->factors(c->self, step, order, &position, &velocity);
    for (uint32_t k = 0; k < c->states; k++) {
        const MovedState *moved = &s->moved[c->first_state + k];
        const DvStateRef state = moved->ref;
        const DvVecId moving = any ? DV_DX : DV_NO_VEC;
        if (any && moved->count > 0)
            memcpy(dv_state_write(state, DV_DX, DV_OVERWRITE).at, dx + moved->local, moved->count * sizeof *dx);
        state.ops->combine(state.self, DV_VELOCITY, step->velocity, moving, velocity);
        if (order == DV_CONSTRAIN_POSITION)
            state.ops->combine(state.self, DV_POSITION, step->position, moving, position);
        if (s->leaves_displacement && any)
            state.ops->combine(state.self, DV_DX, DV_NO_VEC, DV_DX, position);
    }
    return DV_OK;
}

/* Forces on mapped states, J^T lambda / dt: the geometric stiffness of their mappings counts them in the next step. */
static void keep_forces(ConstraintSystem *s, const Problem *problem)
{
    s->mapped_count = s->ops->states(s->m, DV_STATES_MAPPED, NULL, 0);
    s->mapped = room(s->mapped, &s->mapped_capacity, s->mapped_count, sizeof *s->mapped);
    s->ops->states(s->m, DV_STATES_MAPPED, s->mapped, s->mapped_count);
    for (uint32_t i = 0; i < s->mapped_count; i++) {
        const DvStateRef state = dv_state_ref(s->mapped[i]);
        uint32_t place;
        const bool has_rows = map_get(&s->list_of, s->mapped[i], &place);
        if (has_rows || state.ops->has(state.self, DV_LAMBDA))
            state.ops->clear(state.self, DV_LAMBDA);
        if (!has_rows)
            continue;
        const DvRowEntries *e = &s->lists[place]->entries;
        double *force = dv_state_write(state, DV_LAMBDA, DV_READ_WRITE).at;
        for (size_t k = 0; k < e->count; k++) {
            const double lambda = problem->lambda[e->row[k]] / problem->view.dt;
            for (uint32_t c = 0; c < e->width && lambda != 0.0; c++)
                force[(size_t)e->point[k] * e->width + c] += lambda * e->values[k * e->width + c];
        }
    }
}

DvStatus constraint_system_apply(ConstraintSystem *s, const DvStep *step, DvConstraintOrder order,
                                 const Problem *problem)
{
    DvStatus status = check_forces(s, problem);
    dv_phase_begin("correction");
    size_t most = 0;
    for (uint32_t i = 0; i < s->correction_count; i++)
        most = s->corrections[i].unknowns > most ? s->corrections[i].unknowns : most;
    if (2 * most > s->force_capacity) {
        dv_free(s->force);
        s->force_capacity = 3 * most;
        s->force = dv_alloc(s->force_capacity, sizeof *s->force);
    }
    for (uint32_t i = 0; i < s->correction_count && status == DV_OK; i++)
        if (!dv_node_is_sleeping(dv_object_node(s->corrections[i].object)))
            status = move(s, step, order, &s->corrections[i], problem->lambda);
    if (status == DV_OK)
        keep_forces(s, problem);
    for (uint32_t i = 0; i < s->item_count && status == DV_OK; i++)
        if (s->items[i].ops->store && s->items[i].rows > 0)
            s->items[i].ops->store(s->items[i].self, step, problem->lambda + s->items[i].first, s->items[i].rows);
    dv_phase_end();
    return status;
}
