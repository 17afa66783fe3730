/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What each component couples: the pairs of points it names, and where they go.
 */
#include <math.h>

#include "assembly_private.h"

/* ---- Naming the couplings ---- */

typedef struct Recorder {
    DvPattern pattern;
    Contribution *contribution;
    const DvObject *object;
    const uint32_t *points; /* [state_count] of each state */
    size_t most;            /* couplings up to here are noted at once, if they are of the first state with itself */
    bool out_of_range;
    bool has_no_room; /* for more: those that follow are left out */
} Recorder;

/* The couplings so far have one target, and another one comes. */
static void tell_targets_apart(Contribution *c)
{
    dv_array_clear(&c->target_of);
    dv_array_reserve(&c->target_of, c->couplings.count + 1);
    for (size_t k = 0; k < c->couplings.count; k++)
        dv_array_push(&c->target_of, c->target);
    c->one_target = false;
}

/* Whether there is room for one more. */
static bool may_grow(Recorder *recorder)
{
    const Pairs *couplings = &recorder->contribution->couplings;
    if (couplings->count < couplings->capacity)
        return true;
    recorder->has_no_room =
        dv_memory_ask(recorder->object, 2.0 * (double)couplings->capacity * 2.0 * sizeof *couplings->row,
                      "%zu couplings of points", 2 * couplings->capacity) != DV_OK;
    recorder->most = 0;
    return !recorder->has_no_room;
}

static void __attribute__((noinline))
record_any(Recorder *recorder, uint32_t a, uint32_t row_point, uint32_t b, uint32_t column_point)
{
    Contribution *c = recorder->contribution;
    if (recorder->has_no_room || !may_grow(recorder))
        return;
    uint32_t target = NOWHERE;
    if (a < c->state_count && b < c->state_count && row_point < recorder->points[a] &&
        column_point < recorder->points[b])
        target = a * c->state_count + b;
    else
        recorder->out_of_range = true;
    if (c->couplings.count == 0)
        c->target = target;
    else if (c->one_target && target != c->target)
        tell_targets_apart(c);
    if (!c->one_target)
        dv_array_push(&c->target_of, target);
    pairs_add(&c->couplings, row_point, column_point);
    recorder->most = c->one_target && c->target == 0 ? c->couplings.capacity : 0;
}

static void record(DvPattern *pattern, uint32_t a, uint32_t row_point, uint32_t b, uint32_t column_point)
{
    Recorder *recorder = (Recorder *)(void *)pattern;
    Pairs *couplings = &recorder->contribution->couplings;
    const size_t k = couplings->count;
    if (k >= recorder->most || (a | b) != 0 || row_point >= recorder->points[0] ||
        column_point >= recorder->points[0]) {
        record_any(recorder, a, row_point, b, column_point);
        return;
    }
    couplings->row[k] = row_point;
    couplings->column[k] = column_point;
    couplings->count = k + 1;
}

static const DvPatternOps recorder_ops = {.size = sizeof(DvPatternOps), .add = record};

static uint64_t kinds_of(const DvMechanics *m, const uint32_t *states, uint32_t count)
{
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < count; i++)
        kinds = kinds * 31 + (uint64_t)m->states[states[i]].kind + 1;
    return kinds;
}

static void make_targets(const DvMechanics *m, Contribution *c, const uint32_t *states)
{
    const uint32_t n = c->state_count;
    WITH_ROOM(c->targets, c->target_capacity, (size_t)n * n);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            const StateItem *row = &m->states[states[a]], *column = &m->states[states[b]];
            c->targets[a * n + b] = (Target){
                .local = NOWHERE,
                .dropped = row->kind == STATE_EXTERNAL || column->kind == STATE_EXTERNAL,
                .a = states[a],
                .b = states[b],
                .rows = row->ref.dof->deriv,
                .columns = column->ref.dof->deriv,
            };
        }
}

/* False: there is no room for them, which has been reported. */
static bool name_couplings(DvMechanics *m, Contribution *c)
{
    const DvStepMark mark = dv_step_mark();
    const uint32_t *states = contribution_states(m, c);
    uint32_t *points = dv_step_alloc(c->state_count, sizeof *points);
    for (uint32_t i = 0; i < c->state_count; i++)
        points[i] = dv_state_count(m->states[states[i]].ref);
    const DvObject *object = c->kind == MAPPING ? m->mappings[c->component].object : m->fields[c->component].object;
    Recorder recorder = {.pattern = {&recorder_ops}, .contribution = c, .object = object, .points = points};
    make_targets(m, c, states);
    c->couplings.count = 0;
    c->one_target = true;
    if (c->kind == MAPPING) {
        const MappingItem *mapping = &m->mappings[c->component];
        mapping->ops->reserve_stiffness(mapping->self, &recorder.pattern);
    } else {
        const FieldItem *field = &m->fields[c->component];
        if (c->kind == MASS)
            field->mass->reserve(field->self, &recorder.pattern);
        else
            field->ops->reserve(field->self, &recorder.pattern);
    }
    c->structure = contribution_structure(m, c);
    c->kinds = kinds_of(m, states, c->state_count);
    dv_step_release(mark);
    if (recorder.out_of_range)
        (void)dv_error(object, DV_ERROR_INVALID,
                       "it couples points that its state does not have; they are left out of the matrix");
    return !recorder.has_no_room;
}

/* ---- Contributions ---- */

/* Whether a component has couplings of a kind. */
static bool has_couplings(const DvMechanics *m, Kind kind, uint32_t slot)
{
    if (kind == MAPPING) {
        const MappingItem *mapping = &m->mappings[slot];
        return mapping->ops->reserve_stiffness && mapping->ops->assemble_stiffness &&
               mapping->ops->is_mechanical(mapping->self);
    }
    const FieldItem *field = &m->fields[slot];
    if (kind == MASS)
        return field->mass && field->mass->reserve && field->mass->assemble;
    return field->ops->reserve && field->ops->assemble;
}

static void add_costs(Costs *sum, const Costs *costs, int64_t sign)
{
    sum->product += sign * costs->product;
    sum->assembly += sign * costs->assembly;
    sum->diagonal += sign * costs->diagonal;
    sum->coupled += sign * costs->coupled;
}

static Costs costs_of(const DvMechanics *m, const Contribution *c)
{
    if (c->kind == FORCE_FIELD && m->fields[c->component].ops->cost) {
        double product = 0.0, assembly = 0.0;
        m->fields[c->component].ops->cost(m->fields[c->component].self, &product, &assembly);
        return (Costs){.product = llround(1024.0 * product), .assembly = llround(1024.0 * assembly)};
    }
    const int64_t rows = (int64_t)c->couplings.count * c->targets[0].rows;
    if (c->kind == MASS && c->couplings.count <= dv_state_count(m->states[c->targets[0].a].ref))
        return (Costs){.diagonal = rows};
    return (Costs){.coupled = rows * c->targets[0].columns};
}

/* All couplings of a component in one matrix whose blocks are as large as a coupling. */
static bool is_direct(const Assembly *as, Contribution *c)
{
    const Target *first = NULL;
    const size_t count = c->one_target && c->couplings.count ? 1 : c->couplings.count;
    c->direct_target = c->targets;
    for (size_t k = 0; k < count; k++) {
        const Target *target = contribution_target(c, k);
        if (!target || target->dropped)
            return false;
        first = first ? first : target;
        c->direct_target = first;
        if (target->local != first->local || target->rows != target->columns || target->rows != first->rows)
            return false;
    }
    return !first || first->local != NOWHERE || first->rows == as->blocks.block;
}

/* The same, where there is nothing but the diagonal. */
static void name_first_entries(Assembly *as, Contribution *c, uint32_t a, uint32_t b)
{
    const uint32_t entries = as->blocks.rows.count;
    const uint32_t *row_point = c->couplings.row, *column_point = c->couplings.column;
    uint32_t *uses = as->pattern.now->uses, *slot = c->slot;
    pairs_make_room(&as->pattern.coming, c->couplings.count);
    uint32_t *rows = as->pattern.coming.row, *columns = as->pattern.coming.column;
    size_t count = as->pattern.coming.count;
    for (size_t k = 0; k < c->couplings.count; k++) {
        const uint32_t row = a + row_point[k], column = b + column_point[k];
        if (row == column) {
            uses[slot[k] = row]++; /* it has its entry already */
            continue;
        }
        rows[count] = row;
        columns[count] = column;
        slot[k] = entries + (uint32_t)count++;
    }
    as->pattern.coming.count = count;
}

/* Of couplings of one pair of states that are an entry each. */
static void name_direct_entries(Assembly *as, Contribution *c)
{
    const uint32_t a = as->pattern.first_block.data[c->direct_target->a],
                   b = as->pattern.first_block.data[c->direct_target->b];
    if (pattern_is_bare(as)) {
        name_first_entries(as, c, a, b);
        return;
    }
    for (size_t k = 0; k < c->couplings.count; k++)
        c->slot[k] = pattern_name_entry(as, a + c->couplings.row[k], b + c->couplings.column[k]);
}

/* Entries of what goes straight to the global matrix; couplings in locals have theirs when the locals are made. */
static void name_entries(Assembly *as, Contribution *c)
{
    c->direct = is_direct(as, c);
    c->assembly = as;
    dv_array_clear(&c->slots);
    WITH_ROOM(c->slot, c->slot_capacity, c->couplings.count);
    if (c->direct && c->one_target && c->direct_target->local == NOWHERE) {
        name_direct_entries(as, c);
        return;
    }
    for (size_t k = 0; k < c->couplings.count; k++) {
        const Target *target = contribution_target(c, k);
        c->slot[k] = NOWHERE;
        if (!target || target->dropped || target->local != NOWHERE)
            continue;
        const uint32_t row = block_row(&as->blocks, target->a, c->couplings.row[k]);
        const uint32_t column = block_row(&as->blocks, target->b, c->couplings.column[k]);
        if (c->direct) {
            c->slot[k] = pattern_name_entry(as, row, column);
            continue;
        }
        c->slot[k] = c->slots.count;
        for (uint32_t r = 0; r < target->rows / as->blocks.block; r++)
            for (uint32_t s = 0; s < target->columns / as->blocks.block; s++)
                dv_array_push(&c->slots, pattern_name_entry(as, row + r, column + s));
    }
}

static void add_contribution(Assembly *as, DvMechanics *m, Kind kind, uint32_t slot)
{
    const uint32_t number = kind == MAPPING ? slot | OF_MAPPINGS : 2 * slot + (kind == MASS);
    Contribution *c = contribution_of(as, number);
    c->kind = kind;
    c->component = slot;
    c->id = kind == MAPPING ? m->mappings[slot].id : m->fields[slot].id;
    c->state_count = kind == MAPPING ? m->mappings[slot].inputs : kind == MASS ? 1 : m->fields[slot].state_count;
    enum { ARRAYS = 3 }; /* slot; row and column of what comes */
    as->has_no_room = !name_couplings(m, c) || as->has_no_room;
    if (!assembly_has_memory(as, c->slot_capacity, c->couplings.count, ARRAYS * sizeof(uint32_t)))
        return;
    locals_use(as, m, c, number);
    name_entries(as, c);
    c->source = (Source){.version = 0};
    as->values.valued = false;
    c->costs = costs_of(m, c);
    add_costs(&as->costs.sum, &c->costs, 1);
}

static void forget(Contribution *c)
{
    c->id = 0;
    dv_array_clear(&c->slots);
    c->couplings.count = 0;
}

/* Gives back what it has named. */
static void retire(Assembly *as, uint32_t number)
{
    Contribution *c = contribution_of(as, number);
    if (!c->id)
        return;
    const bool global = c->direct && c->direct_target->local == NOWHERE;
    for (size_t i = 0; global && i < c->couplings.count; i++)
        pattern_give_back(as, c->slot[i]);
    for (uint32_t i = 0; i < c->slots.count; i++)
        pattern_give_back(as, c->slots.data[i]);
    locals_give_up(as, c, number);
    as->values.valued = false;
    add_costs(&as->costs.sum, &c->costs, -1);
    forget(c);
}

/* ---- Following the mechanics ---- */

static bool is_current(const DvMechanics *m, const Contribution *c, uint64_t id, bool same_kinds)
{
    return id == c->id && contribution_structure(m, c) == c->structure &&
           (same_kinds || kinds_of(m, contribution_states(m, c), c->state_count) == c->kinds);
}

static void reserve_contributions(AssemblyCouplings *couplings, const DvMechanics *m)
{
    if (2 * m->field_slots.count > couplings->of_fields.count)
        dv_array_resize(&couplings->of_fields, 2 * m->field_slots.capacity);
    if (m->mapping_slots.count > couplings->of_mappings.count)
        dv_array_resize(&couplings->of_mappings, m->mapping_slots.capacity);
}

/* What is to name its couplings, anew or for the first time, comes into `coming_fields`. */
void couplings_retire_gone(Assembly *as, const DvMechanics *m)
{
    reserve_contributions(&as->couplings, m);
    const bool same_kinds = !pattern_kinds_changed(as, m);
    as->couplings.coming_fields.count = 0;
    for (uint32_t slot = 0; slot < m->field_slots.count; slot++) {
        Contribution *of = &as->couplings.of_fields.data[2 * slot];
        const uint64_t id = m->fields[slot].id;
        for (uint32_t kind = FORCE_FIELD; kind <= MASS; kind++)
            if (of[kind].id && !is_current(m, &of[kind], id, same_kinds)) {
                retire(as, 2 * slot + kind);
                of->seen = 0;
            }
        if (id && of->seen != id)
            list_add(&as->couplings.coming_fields, slot);
    }
    for (uint32_t slot = 0; slot < as->couplings.of_mappings.count; slot++)
        if (as->couplings.of_mappings.data[slot].id &&
            !is_current(m, &as->couplings.of_mappings.data[slot], m->mappings[slot].id, same_kinds))
            retire(as, slot | OF_MAPPINGS);
}

void couplings_add_new(Assembly *as, DvMechanics *m)
{
    for (uint32_t i = 0; i < as->couplings.coming_fields.count; i++) {
        const uint32_t slot = as->couplings.coming_fields.at[i];
        const FieldItem *field = &m->fields[slot];
        for (uint32_t kind = FORCE_FIELD; kind <= MASS; kind++)
            if (!as->couplings.of_fields.data[2 * slot + kind].id && has_couplings(m, (Kind)kind, slot))
                add_contribution(as, m, (Kind)kind, slot);
        as->couplings.of_fields.data[2 * slot].seen = field->id;
        if (field->ops->add_dforce && !has_couplings(m, FORCE_FIELD, slot) &&
            as->couplings.of_fields.data[2 * slot].warned != field->id) {
            as->couplings.of_fields.data[2 * slot].warned = field->id;
            dv_warning(field->object, "it gives no matrix: in an assembled system its force is explicit");
        }
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const uint32_t slot = m->mapping_list.at[i];
        if (!as->couplings.of_mappings.data[slot].id && has_couplings(m, MAPPING, slot))
            add_contribution(as, m, MAPPING, slot);
    }
}

/* After each edit, of all fields: a few instructions for each. */
void couplings_list_present(Assembly *as, const DvMechanics *m)
{
    WITH_ROOM(as->couplings.present, as->couplings.present_capacity,
              2 * (size_t)m->field_list.count + m->mapping_list.count);
    Contribution **next = as->couplings.present;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        Contribution *of = &as->couplings.of_fields.data[2 * (size_t)m->field_list.at[i]];
        if (of[FORCE_FIELD].id)
            *next++ = &of[FORCE_FIELD];
        if (of[MASS].id)
            *next++ = &of[MASS];
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        Contribution *of = &as->couplings.of_mappings.data[m->mapping_list.at[i]];
        if (of->id)
            *next++ = of;
    }
    as->couplings.present_count = (uint32_t)(next - as->couplings.present);
}

void couplings_clear(AssemblyCouplings *couplings)
{
    for (uint32_t i = 0; i < couplings->of_fields.count; i++) {
        forget(&couplings->of_fields.data[i]);
        couplings->of_fields.data[i].seen = 0;
    }
    for (uint32_t i = 0; i < couplings->of_mappings.count; i++)
        forget(&couplings->of_mappings.data[i]);
}

static void free_contribution(Contribution *c)
{
    dv_free(c->targets);
    pairs_free(&c->couplings);
    dv_array_free(&c->target_of);
    dv_free(c->slot);
    dv_array_free(&c->slots);
}

void couplings_free(AssemblyCouplings *couplings)
{
    for (uint32_t i = 0; i < couplings->of_fields.count; i++)
        free_contribution(&couplings->of_fields.data[i]);
    for (uint32_t i = 0; i < couplings->of_mappings.count; i++)
        free_contribution(&couplings->of_mappings.data[i]);
    dv_array_free(&couplings->of_fields);
    dv_array_free(&couplings->of_mappings);
    dv_free(couplings->coming_fields.at);
    dv_free(couplings->present);
}
