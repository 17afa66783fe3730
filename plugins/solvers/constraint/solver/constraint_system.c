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
#include "constraint_system_parts.h"

#include "contradiction.h"
#include "law.h"
#include "served_laws.h"

#include "symmetric_eigen.h"

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
    void *arrays[] = {s->items,         s->lists,
                      s->list_of.keys,  s->list_of.values,
                      s->place_of.keys, s->place_of.values,
                      s->independent,   s->offsets,
                      s->rows.blocks,   s->corrections,
                      s->moved,         s->by_offset,
                      s->parts,         s->owner,
                      s->work,          s->force,
                      s->acts,          s->places,
                      s->numbers,       s->objects,
                      s->mapped,        s};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
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
    if (constraint_system_map_get(&s->list_of, state, &known))
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
    constraint_system_map_put(&s->list_of, state, s->list_count++);
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
    constraint_system_map_restart(&s->list_of);
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
                const uint32_t at = constraint_system_find_moved(s, column);
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

const ConstraintItem *constraint_system_item_of_row(const ConstraintSystem *s, uint32_t row)
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
        const ConstraintItem *item = constraint_system_item_of_row(s, r);
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
        const ConstraintItem *item = constraint_system_item_of_row(s, block->first);
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
            constraint_system_item_of_row(s, problem->blocks[b].first)->object,
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
            return served_laws_refuse(constraint_system_item_of_row(s, block->first)->object, dv_law_bit(block->law),
                                      s->object, served);
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
    constraint_system_gather_constraints(s);
    DvSparseRows j = {0};
    DvStatus status = constraint_system_gather_corrections(s);
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
