/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pattern of the global matrix: which entries it has, by how often they are named, and the rows of the states.
 */
#include <string.h>

#include "assembly_private.h"

/* ---- Entries of the global matrix ---- */

static uint32_t name_coming(Assembly *as, uint32_t entries, uint32_t row, uint32_t column)
{
    pairs_add(&as->pattern.coming, row, column);
    return entries + (uint32_t)as->pattern.coming.count - 1;
}

uint32_t pattern_name_entry(void *context, uint32_t row, uint32_t column)
{
    Assembly *as = context;
    const uint32_t entry = rows_find(&as->blocks.rows, row, column);
    if (entry == UINT32_MAX)
        return name_coming(as, (uint32_t)pattern_entry_count(as), row, column);
    uint32_t *uses = as->pattern.now->uses;
    const uint32_t mirror = as->pattern.now->transposed[entry];
    as->pattern.unused -= uses[entry]++ == 0;
    if (mirror != entry)
        as->pattern.unused -= uses[mirror]++ == 0;
    return entry;
}

void pattern_give_back(Assembly *as, uint32_t entry)
{
    uint32_t *uses = as->pattern.now->uses;
    const uint32_t mirror = as->pattern.now->transposed[entry];
    as->pattern.unused += --uses[entry] == 0;
    if (mirror != entry)
        as->pattern.unused += --uses[mirror] == 0;
}

static void renumber(const Assembly *as, uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i] != NOWHERE)
            slots[i] = as->pattern.number[slots[i]];
}

static void renumber_contribution(const Assembly *as, Contribution *c)
{
    if (!c->id)
        return;
    renumber(as, c->slots.data, c->slots.count);
    if (c->direct && c->direct_target && c->direct_target->local == NOWHERE)
        renumber(as, c->slot, c->couplings.count);
}

static void renumber_slots(Assembly *as)
{
    AssemblyCouplings *couplings = &as->couplings;
    for (uint32_t i = 0; i < couplings->of_fields.count; i++)
        renumber_contribution(as, &couplings->of_fields.data[i]);
    for (uint32_t i = 0; i < couplings->of_mappings.count; i++)
        renumber_contribution(as, &couplings->of_mappings.data[i]);
    for (uint32_t i = 0; i < couplings->local_list.count; i++) {
        Local *local = local_at(as, i);
        renumber(as, local->slots, local->slot_count);
    }
}

/* The matrix that a splice has written is the present one. */
static void take_over(Assembly *as, Matrix *matrix, SceneMechanics *scene)
{
    const Rows *rows = &matrix->rows;
    const size_t scalars = (size_t)rows->start[rows->count] * as->blocks.block * as->blocks.block;
    if (!assembly_has_memory(as, matrix->value_capacity, scalars, sizeof *matrix->values))
        return;
    WITH_ROOM(matrix->values, matrix->value_capacity, scalars);
    matrix->view = (DvBlockMatrix){
        .rows = rows->count,
        .block = as->blocks.block,
        .row_start = rows->start,
        .columns = rows->columns,
        .diagonal = matrix->diagonal,
        .transposed = matrix->transposed,
        .values = matrix->values,
        .structure = ++scene->structures,
        .version = ++as->pattern.versions,
    };
    as->pattern.now = matrix;
    as->blocks.rows = *rows;
    as->blocks.values = matrix->values;
    as->fixed.known = false;
    as->values.valued = false;
}

static Matrix *free_matrix(Assembly *as)
{
    Matrix *matrix = as->pattern.matrices;
    while (matrix == as->pattern.now || matrix == as->pattern.lent)
        matrix++;
    return matrix;
}

static void write_to(Assembly *as, Matrix *to, SceneMechanics *scene)
{
    as->pattern.coming.count = 0;
    as->pattern.unused = 0;
    renumber_slots(as);
    take_over(as, to, scene);
}

static void make_room_for_entries(Matrix *matrix, size_t entries)
{
    WITH_ROOM(matrix->rows.columns, matrix->rows.column_capacity, entries);
    WITH_ROOM(matrix->uses, matrix->uses_capacity, entries);
    WITH_ROOM(matrix->transposed, matrix->transposed_capacity, entries);
}

/* The same as a splice where there is nothing but the diagonal. */
static void fill_in(Assembly *as, SceneMechanics *scene)
{
    Matrix *to = free_matrix(as);
    const uint32_t rows = as->blocks.rows.count;
    enum { ARRAYS = 8 }; /* number, columns, uses, transposed; order, column, uses, of: see UpperRows */
    if (!assembly_has_memory(as, as->pattern.number_capacity, rows + as->pattern.coming.count,
                             ARRAYS * sizeof(uint32_t)))
        return;
    WITH_ROOM(to->rows.start, to->rows.start_capacity, (size_t)rows + 1);
    WITH_ROOM(to->diagonal, to->diagonal_capacity, rows);
    WITH_ROOM(as->pattern.number, as->pattern.number_capacity, rows + as->pattern.coming.count);
    WITH_ROOM(as->pattern.next_entry, as->pattern.next_entry_capacity, rows);
    uint32_t *number = as->pattern.number + rows;
    bool made = false;
    if (pairs_come_by_rows(&as->pattern.coming)) {
        make_room_for_entries(to, rows + as->pattern.coming.count);
        made = mirrored_rows_make(&as->pattern.coming, rows, as->pattern.next_entry, &to->rows, to->transposed,
                                  to->uses, to->diagonal, number);
    }
    if (!made) {
        upper_rows_make(&as->pattern.upper, rows, &as->pattern.coming, &as->pattern.sorter);
        make_room_for_entries(to, rows + 2 * (size_t)as->pattern.upper.start[rows]);
        upper_rows_unfold(&as->pattern.upper, &as->pattern.coming, &to->rows, to->transposed, to->uses, to->diagonal,
                          number);
    }
    for (uint32_t row = 0; row < rows; row++) {
        to->uses[to->diagonal[row]] = as->pattern.now->uses[row];
        as->pattern.number[row] = to->diagonal[row];
    }
    write_to(as, to, scene);
}

static void add_mirror_images(Pairs *pairs)
{
    const size_t count = pairs->count;
    for (size_t k = 0; k < count; k++)
        if (pairs->row[k] != pairs->column[k])
            pairs_add(pairs, pairs->column[k], pairs->row[k]);
}

typedef struct Splice {
    Matrix *to;
    const Rows *old;
    const uint32_t *old_uses, *old_row, *new_row;
    const Pairs *coming;
    const uint32_t *order; /* of what comes */
    uint32_t *number;
    size_t entries, next; /* before; of what comes */
    uint32_t count;       /* entries so far */
} Splice;

/* Where a column is in the new matrix. */
static inline uint32_t new_column(const Splice *s, uint32_t entry)
{
    return s->new_row ? s->new_row[s->old->columns[entry]] : s->old->columns[entry];
}

static inline bool comes(const Splice *s, uint32_t row)
{
    return s->next < s->coming->count && s->coming->row[s->order[s->next]] == row;
}

static void splice_row(Splice *s, uint32_t row)
{
    const uint32_t from = s->old_row ? s->old_row[row] : row;
    uint32_t e = from != NOWHERE ? s->old->start[from] : 0;
    const uint32_t end = from != NOWHERE ? s->old->start[from + 1] : 0;
    bool diagonal = from != NOWHERE;
    for (;;) {
        while (e < end && (s->old_uses[e] == 0 || (s->new_row && new_column(s, e) == NOWHERE)))
            s->number[e++] = NOWHERE;
        uint32_t column = e < end ? new_column(s, e) : NOWHERE;
        if (comes(s, row) && s->coming->column[s->order[s->next]] < column)
            column = s->coming->column[s->order[s->next]];
        if (!diagonal && row <= column)
            column = row;
        if (column == NOWHERE)
            return;
        uint32_t uses = 0;
        if (!diagonal && column == row) {
            diagonal = true;
            uses = 1;
        }
        if (e < end && new_column(s, e) == column) {
            uses += s->old_uses[e];
            s->number[e++] = s->count;
        }
        for (; comes(s, row) && s->coming->column[s->order[s->next]] == column; s->next++) {
            s->number[s->entries + s->order[s->next]] = s->count;
            uses++;
        }
        if (column == row)
            s->to->diagonal[row] = s->count;
        s->to->rows.columns[s->count] = column;
        s->to->uses[s->count++] = uses;
    }
}

/* Puts entries that come among those that stay, and leaves out what nobody names. `old_row` by new row (NOWHERE: it is new) and
 * `new_row` by old row (NOWHERE: it has gone); NULL: the same rows. */
static void splice(Assembly *as, SceneMechanics *scene, uint32_t row_count, const uint32_t *old_row,
                   const uint32_t *new_row)
{
    Matrix *to = free_matrix(as);
    enum { ARRAYS = 9 }; /* columns, uses, transposed, number; row and column of mirror images; order, other */
    if (!assembly_has_memory(as, to->uses_capacity, pattern_entry_count(as) + 2 * as->pattern.coming.count + row_count,
                             ARRAYS * sizeof(uint32_t)))
        return;
    add_mirror_images(&as->pattern.coming);
    const Rows *old = &as->blocks.rows;
    const uint32_t *old_uses = as->pattern.now ? as->pattern.now->uses : NULL;
    Rows *rows = &to->rows;
    const size_t entries = pattern_entry_count(as), most = entries + as->pattern.coming.count + row_count;
    const uint32_t *coming = pairs_sort(&as->pattern.coming, row_count, row_count, &as->pattern.sorter);
    WITH_ROOM(rows->start, rows->start_capacity, (size_t)row_count + 1);
    WITH_ROOM(rows->columns, rows->column_capacity, most);
    WITH_ROOM(to->uses, to->uses_capacity, most);
    WITH_ROOM(to->transposed, to->transposed_capacity, most);
    WITH_ROOM(to->diagonal, to->diagonal_capacity, row_count);
    WITH_ROOM(as->pattern.number, as->pattern.number_capacity, entries + as->pattern.coming.count);
    rows->count = row_count;
    if (new_row)
        for (size_t e = 0; e < entries; e++)
            as->pattern.number[e] = NOWHERE; /* unless its row stays */
    Splice s = {.to = to,
                .old = old,
                .old_uses = old_uses,
                .old_row = old_row,
                .new_row = new_row,
                .coming = &as->pattern.coming,
                .order = coming,
                .number = as->pattern.number,
                .entries = entries};
    for (uint32_t row = 0; row < row_count; row++) {
        rows->start[row] = s.count;
        splice_row(&s, row);
    }
    rows->start[row_count] = s.count;
    WITH_ROOM(as->pattern.next_entry, as->pattern.next_entry_capacity, row_count);
    (void)rows_transpose(rows, as->pattern.next_entry, to->transposed);
    write_to(as, to, scene);
}

void pattern_update(Assembly *as, SceneMechanics *scene)
{
    if (as->pattern.coming.count && pattern_is_bare(as))
        fill_in(as, scene);
    else if (as->pattern.coming.count || as->pattern.unused)
        splice(as, scene, as->blocks.rows.count, NULL, NULL);
}

/* ---- Rows ---- */

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint32_t pattern_block_size(const DvMechanics *m)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < m->independent.count; i++)
        common = greatest_common_divisor(independent_at(m, i)->ref.dof->deriv, common);
    return common == 0 ? 1 : common % 3 == 0 ? 3 : common;
}

/* Whether the independent states are those that have rows, in their order; their points are the same: fits_states. */
static bool rows_fit(const Assembly *as, const DvMechanics *m)
{
    if (!as->pattern.now || as->pattern.of_rows.count != m->independent.count)
        return false;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i];
        if (as->pattern.of_rows.at[i] != slot || as->pattern.placed.data[slot].id != m->states[slot].id)
            return false;
    }
    return true;
}

static void reserve_states(Assembly *as, const DvMechanics *m)
{
    AssemblyPattern *pattern = &as->pattern;
    const uint32_t slots = m->state_slots.count;
    if (slots <= pattern->placed.count)
        return;
    dv_array_resize(&pattern->placed, slots);
    dv_array_resize(&pattern->old_first_block, slots);
    dv_array_reserve(&pattern->first_block, slots);
    while (pattern->first_block.count < slots)
        dv_array_push(&pattern->first_block, NOWHERE);
    as->blocks.first_block = pattern->first_block.data;
}

/* Rows of the states as they are now; rows that stay keep their entries, which get their new numbers. */
static void place_rows(Assembly *as, DvMechanics *m)
{
    const Rows *old = &as->blocks.rows;
    dv_array_clear(&as->pattern.old_first_block);
    dv_array_append(&as->pattern.old_first_block, as->pattern.first_block.data, as->pattern.first_block.count);
    for (uint32_t i = 0; i < as->pattern.first_block.count; i++)
        as->pattern.first_block.data[i] = NOWHERE;
    uint32_t rows = 0;
    as->pattern.of_rows.count = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i];
        as->pattern.first_block.data[slot] = rows;
        rows += dv_state_count(m->states[slot].ref) * blocks_per_point(&as->blocks, slot);
        list_add(&as->pattern.of_rows, slot);
    }
    WITH_ROOM(as->pattern.old_row, as->pattern.old_row_capacity, rows);
    WITH_ROOM(as->pattern.new_row, as->pattern.new_row_capacity, old->count);
    for (uint32_t row = 0; row < old->count; row++)
        as->pattern.new_row[row] = NOWHERE;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i], first = as->pattern.first_block.data[slot];
        const uint32_t count = dv_state_count(m->states[slot].ref) * blocks_per_point(&as->blocks, slot);
        const uint32_t from = as->pattern.placed.data[slot].id == m->states[slot].id
                                  ? as->pattern.old_first_block.data[slot]
                                  : (uint32_t)NOWHERE;
        for (uint32_t r = 0; r < count; r++) {
            as->pattern.old_row[first + r] = from == NOWHERE ? NOWHERE : from + r;
            if (from != NOWHERE)
                as->pattern.new_row[from + r] = first + r;
        }
    }
    splice(as, m->scene, rows, as->pattern.old_row, as->pattern.new_row);
}

void pattern_place_states(Assembly *as, DvMechanics *m)
{
    reserve_states(as, m);
    if (!rows_fit(as, m))
        place_rows(as, m);
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        const StateItem *state = &m->states[slot];
        if (as->pattern.placed.data[slot].id != state->id)
            as->pattern.placed.data[slot].points = dv_state_count(state->ref);
        as->pattern.placed.data[slot].id = state->id;
        as->pattern.placed.data[slot].kind = state->kind;
    }
    as->pattern.states = m->placed;
}

bool pattern_kinds_changed(const Assembly *as, const DvMechanics *m)
{
    if (as->pattern.states == m->placed)
        return false;
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        if (slot < as->pattern.placed.count && as->pattern.placed.data[slot].id == m->states[slot].id &&
            as->pattern.placed.data[slot].kind != m->states[slot].kind)
            return true;
    }
    return false;
}

bool pattern_fits_states(const Assembly *as, const DvMechanics *m)
{
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        const StateItem *state = &m->states[slot];
        if (slot < as->pattern.placed.count && as->pattern.placed.data[slot].id == state->id &&
            as->pattern.placed.data[slot].points != state_count(state->ref))
            return false;
    }
    return true;
}

void pattern_clear(Assembly *as, const DvMechanics *m)
{
    AssemblyPattern *pattern = &as->pattern;
    for (uint32_t i = 0; i < pattern->placed.count; i++) {
        pattern->placed.data[i] = (Placed){.id = 0};
        pattern->first_block.data[i] = NOWHERE;
    }
    pattern->now = NULL;
    pattern->of_rows.count = 0;
    pattern->coming.count = 0;
    pattern->unused = 0;
    pattern->states = 0;
    as->blocks.block = pattern_block_size(m);
    as->blocks.rows = (Rows){.count = 0};
    as->blocks.values = NULL;
}

void pattern_free(AssemblyPattern *pattern)
{
    for (size_t i = 0; i < sizeof pattern->matrices / sizeof *pattern->matrices; i++) {
        Matrix *matrix = &pattern->matrices[i];
        rows_free(&matrix->rows);
        dv_free(matrix->uses);
        dv_free(matrix->diagonal);
        dv_free(matrix->transposed);
        dv_free(matrix->values);
    }
    pairs_free(&pattern->coming);
    sorter_free(&pattern->sorter);
    upper_rows_free(&pattern->upper);
    dv_array_free(&pattern->placed);
    dv_array_free(&pattern->first_block);
    dv_array_free(&pattern->old_first_block);
    dv_free(pattern->of_rows.at);
    dv_free(pattern->number);
    dv_free(pattern->old_row);
    dv_free(pattern->new_row);
    dv_free(pattern->next_entry);
}
