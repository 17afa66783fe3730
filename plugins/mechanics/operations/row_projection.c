/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of constraints through mappings.
 *
 * Each state has a list of entries: row, point, and as many numbers as the state has derivatives. The lists of mapped states are
 * pushed up, from the last mapping to the first: an entry v at point p of an output becomes v J_pq at each point q that p follows
 * from. Before a list is pushed or given out, entries of the same row and point are added up, in the order in which they came. Only
 * the rows of J that a constraint touches are read; states that nothing but a constraint acts on are no special case.
 *
 * Lists keep their memory: nothing is allocated once they have been as long as they get.
 */
#include "row_projection.h"

#include <string.h>

#include <divan/memory.h>

typedef struct Entries {
    uint32_t *row, *point; /* [count] */
    double *values;        /* [count x width] */
    size_t count, capacity;
    uint32_t width;
} Entries;

struct RowProjection {
    Entries *of_state; /* [state_capacity] by slot */
    uint32_t state_capacity, rows;
    size_t *place;   /* [place_capacity] entries by row and point, while a list is put in order */
    uint32_t *pairs; /* [pair_capacity] row and point of each */
    double *numbers; /* [number_capacity] */
    uint32_t *start; /* [start_capacity] of each row in them, later in the result */
    size_t place_capacity, pair_capacity, number_capacity, start_capacity;
    uint8_t *fixed; /* [fixed_capacity] unknowns that constraints fix */
    size_t fixed_capacity;
    uint32_t *columns; /* of the result */
    double *values;
    size_t result_capacity;
};

static void entries_free(Entries *e)
{
    dv_free(e->row);
    dv_free(e->point);
    dv_free(e->values);
}

void row_projection_free(RowProjection *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->state_capacity; i++)
        entries_free(&p->of_state[i]);
    void *arrays[] = {p->of_state, p->place, p->pairs, p->numbers, p->start, p->fixed, p->columns, p->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    dv_free(p);
}

/* A block with room for `needed` items; what it held is lost when it grows. */
static void *reserve(void *block, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity && block)
        return block;
    dv_free(block);
    *capacity = needed + needed / 2;
    return dv_alloc(*capacity, size);
}

/* Empties a list and gives it a width; lists of another width start anew. */
static void entries_start(Entries *e, uint32_t width)
{
    e->count = 0;
    if (e->width == width)
        return;
    entries_free(e);
    *e = (Entries){.width = width};
}

/* Room for one more entry; its numbers, to be written. */
static double *entries_add(Entries *e, uint32_t row, uint32_t point)
{
    if (e->count == e->capacity) {
        const size_t more = e->capacity ? 2 * e->capacity : 64;
        e->row = dv_realloc(e->row, e->capacity * sizeof *e->row, more * sizeof *e->row);
        e->point = dv_realloc(e->point, e->capacity * sizeof *e->point, more * sizeof *e->point);
        e->values =
            dv_realloc(e->values, e->capacity * e->width * sizeof *e->values, more * e->width * sizeof *e->values);
        e->capacity = more;
    }
    e->row[e->count] = row;
    e->point[e->count] = point;
    return e->values + e->count++ * e->width;
}

/* ---- Order ---- */

static bool is_in_order(const Entries *e)
{
    for (size_t i = 1; i < e->count; i++)
        if (e->row[i - 1] > e->row[i] || (e->row[i - 1] == e->row[i] && e->point[i - 1] >= e->point[i]))
            return false;
    return true;
}

/* Stable insertion of entry i behind what is not larger, among those of its row that `place` holds from `begin` to `end`. Rows are
 * short, and mostly in order. */
static void insert(const Entries *e, size_t *place, size_t begin, size_t end, size_t i)
{
    size_t at = end;
    for (; at > begin && e->point[place[at - 1]] > e->point[i]; at--)
        place[at] = place[at - 1];
    place[at] = i;
}

/* Entries whose rows ascend already: each row by itself. */
static void sort_within_rows(const Entries *e, size_t *place)
{
    size_t begin = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (e->row[i] != e->row[begin])
            begin = i;
        insert(e, place, begin, i, i);
    }
}

static void sort_by_rows(RowProjection *p, const Entries *e)
{
    uint32_t *begin, *end; /* of each row in `place`; what has been placed ends at `end` */
    p->start = reserve(p->start, &p->start_capacity, 2 * (size_t)p->rows + 2, sizeof *p->start);
    begin = p->start;
    end = p->start + p->rows + 1;
    memset(begin, 0, ((size_t)p->rows + 1) * sizeof *begin);
    for (size_t i = 0; i < e->count; i++)
        begin[e->row[i] + 1]++;
    for (uint32_t r = 0; r < p->rows; r++) {
        begin[r + 1] += begin[r];
        end[r] = begin[r];
    }
    for (size_t i = 0; i < e->count; i++)
        insert(e, p->place, begin[e->row[i]], end[e->row[i]]++, i);
}

/* By row, then by point, each pair once; equal ones are added up as they came. */
static void put_in_order(RowProjection *p, Entries *e)
{
    bool ascend = true;
    if (is_in_order(e))
        return;
    for (size_t i = 1; i < e->count; i++)
        ascend = ascend && e->row[i - 1] <= e->row[i];
    p->place = reserve(p->place, &p->place_capacity, e->count, sizeof *p->place);
    if (ascend)
        sort_within_rows(e, p->place);
    else
        sort_by_rows(p, e);
    p->pairs = reserve(p->pairs, &p->pair_capacity, 2 * e->count, sizeof *p->pairs);
    p->numbers = reserve(p->numbers, &p->number_capacity, e->count * e->width, sizeof *p->numbers);
    for (size_t k = 0; k < e->count; k++) {
        p->pairs[2 * k] = e->row[p->place[k]];
        p->pairs[2 * k + 1] = e->point[p->place[k]];
        memcpy(p->numbers + k * e->width, e->values + p->place[k] * e->width, e->width * sizeof *p->numbers);
    }
    size_t last = 0;
    for (size_t k = 0; k < e->count; k++) {
        const double *from = p->numbers + k * e->width;
        if (k > 0 && e->row[last] == p->pairs[2 * k] && e->point[last] == p->pairs[2 * k + 1]) {
            for (uint32_t c = 0; c < e->width; c++)
                e->values[last * e->width + c] += from[c];
            continue;
        }
        last = k > 0 ? last + 1 : 0;
        e->row[last] = p->pairs[2 * k];
        e->point[last] = p->pairs[2 * k + 1];
        memcpy(e->values + last * e->width, from, e->width * sizeof *from);
    }
    e->count = last + 1;
}

/* ---- Up ---- */

static void push(Entries *to, const Entries *from, const DvJacobian *j)
{
    const uint32_t n = from->width, width = to->width;
    for (size_t i = 0; i < from->count; i++) {
        const double *v = from->values + i * n;
        if (from->point[i] >= j->rows)
            continue; /* a point that the mapping does not compute (yet) */
        for (uint32_t e = j->row_start[from->point[i]]; e < j->row_start[from->point[i] + 1]; e++) {
            const double *block = j->values + (size_t)e * n * width;
            double *sum = entries_add(to, from->row[i], j->columns[e]);
            memset(sum, 0, width * sizeof *sum);
            for (uint32_t k = 0; k < n; k++)
                for (uint32_t c = 0; c < width; c++)
                    sum[c] += v[k] * block[k * width + c];
        }
    }
}

static DvStatus push_up(DvMechanics *m, RowProjection *p, const MappingItem *mapping, uint32_t options)
{
    for (uint32_t o = 0; o < mapping->outputs; o++) {
        Entries *from = &p->of_state[mapping_outputs_of(mapping)[o]];
        if (from->count == 0)
            continue;
        if ((options & DV_ROWS_HEED_MAPPINGS) && mapping->ops->maps_constraints &&
            !mapping->ops->maps_constraints(mapping->self))
            continue;
        if (!mapping->ops->jacobian)
            return dv_error(mapping->object, DV_ERROR_UNSUPPORTED,
                            "it offers no matrix of its derivative: constraints on what it computes cannot act");
        put_in_order(p, from);
        for (uint32_t k = 0; k < mapping->inputs; k++) {
            const uint32_t input = mapping_inputs_of(mapping)[k];
            if (m->states[input].kind == STATE_EXTERNAL)
                continue;
            const DvJacobian *j = mapping->ops->jacobian(mapping->self, o, k);
            if (j)
                push(&p->of_state[input], from, j);
        }
    }
    return DV_OK;
}

/* ---- In ---- */

static DvStatus take_part(DvMechanics *m, RowProjection *p, const DvStateRows *part)
{
    const uint32_t state = mechanics_find_state(m, part->state);
    if (state == UINT32_MAX)
        return dv_error(part->state, DV_ERROR_INVALID, "rows of constraints on a state that is not below '%s'",
                        dv_node_path(m->node));
    Entries *e = &p->of_state[state];
    const uint32_t points = dv_state_count(m->states[state].ref);
    for (size_t k = 0; k < part->count; k++) {
        if (part->point[k] >= points)
            return dv_error(part->state, DV_ERROR_INVALID, "a constraint on point %u of %u", part->point[k], points);
        if (part->row[k] >= p->rows)
            return dv_error(part->state, DV_ERROR_INVALID, "row %u of %u of the constraints", part->row[k], p->rows);
        memcpy(entries_add(e, part->row[k], part->point[k]), part->values + k * e->width, e->width * sizeof(double));
    }
    return DV_OK;
}

/* ---- Out ---- */

typedef struct Fixing {
    DvMechanics *m;
    const ConstraintItem *constraint;
    uint8_t *fixed;
} Fixing;

static void fix(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    const Fixing *f = context;
    if (state >= f->constraint->state_count)
        return;
    const StateItem *item = &f->m->states[f->constraint->states[state]];
    const uint32_t deriv = item->ref.dof->deriv;
    if (item->kind == STATE_INDEPENDENT && point < dv_state_count(item->ref) && component < deriv)
        f->fixed[item->offset + (size_t)point * deriv + component] = 1;
}

static void find_fixed(DvMechanics *m, RowProjection *p, const DvStep *step, size_t unknowns, uint32_t options)
{
    p->fixed = reserve(p->fixed, &p->fixed_capacity, unknowns, sizeof *p->fixed);
    memset(p->fixed, 0, unknowns * sizeof *p->fixed);
    for (uint32_t i = 0; (options & DV_ROWS_CONSTRAINED) && i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->ops->fixed && mechanics_alive(m, constraint->object))
            constraint->ops->fixed(constraint->self, step, fix, &(Fixing){m, constraint, p->fixed});
    }
}

static void give_out(DvMechanics *m, RowProjection *p, DvSparseRows *out)
{
    size_t most = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        Entries *e = &p->of_state[m->independent.at[i]];
        put_in_order(p, e);
        most += e->count * e->width;
    }
    p->start = reserve(p->start, &p->start_capacity, 2 * (size_t)p->rows + 2, sizeof *p->start);
    if (most > p->result_capacity || !p->columns) {
        size_t capacity = p->result_capacity;
        p->columns = reserve(p->columns, &capacity, most, sizeof *p->columns);
        p->values = reserve(p->values, &p->result_capacity, most, sizeof *p->values);
    }
    memset(p->start, 0, ((size_t)p->rows + 2) * sizeof *p->start);
    /* Counted first, then written: the states one after the other, so that columns ascend. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->independent.count; i++) {
            const Entries *e = &p->of_state[m->independent.at[i]];
            for (size_t k = 0; k < e->count * e->width; k++) {
                const size_t entry = k / e->width;
                const size_t column = independent_at(m, i)->offset + (size_t)e->point[entry] * e->width + k % e->width;
                if (e->values[k] == 0.0 || p->fixed[column])
                    continue;
                const uint32_t at = p->start[e->row[entry] + (pass == 0 ? 2 : 1)]++;
                if (pass == 1) {
                    p->columns[at] = (uint32_t)column;
                    p->values[at] = e->values[k];
                }
            }
        }
        for (uint32_t r = 2; pass == 0 && r < p->rows + 2; r++)
            p->start[r] += p->start[r - 1];
    }
    *out = (DvSparseRows){p->rows, p->start, p->columns, p->values};
}

DvStatus row_projection_run(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count, uint32_t rows,
                            uint32_t options, DvSparseRows *out)
{
    if (!m->row_projection)
        m->row_projection = dv_alloc(1, sizeof *m->row_projection);
    RowProjection *p = m->row_projection;
    if (m->state_slots.count > p->state_capacity) {
        p->of_state = dv_realloc(p->of_state, p->state_capacity * sizeof *p->of_state,
                                 m->state_slots.capacity * sizeof *p->of_state);
        p->state_capacity = m->state_slots.capacity;
    }
    const size_t unknowns = mechanics_count_unknowns(m);
    p->rows = rows;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        entries_start(&p->of_state[m->state_list.at[i]], state_at(m, i)->ref.dof->deriv);
    DvStatus status = DV_OK;
    for (uint32_t i = 0; i < count && status == DV_OK; i++)
        status = take_part(m, p, &parts[i]);
    for (uint32_t i = m->mapping_list.count; i-- > 0 && status == DV_OK;)
        if (mechanics_alive(m, mapping_at(m, i)->object) && !mapping_at(m, i)->refused)
            status = push_up(m, p, mapping_at(m, i), options);
    if (status != DV_OK)
        return status;
    find_fixed(m, p, step, unknowns, options);
    give_out(m, p, out);
    return DV_OK;
}
