/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The global matrix m M + b B + k K of the independent states below a node, in block compressed rows.
 *
 * Structure: each force field, mass and mapping names the pairs of points it couples. A pair of independent states goes straight
 * to blocks of the global matrix. A pair with a mapped state goes to a matrix of its own (Local) that holds each pair of points once,
 * and from there, with the accumulated Jacobians J of both sides, to the global one:
 *   global(i, j) += J_ai^T local(a, b) J_bj      for all independent i above a and j above b
 * Each of these small products has its slot. Values, at each assembly: every component adds to the slots it has named, then the
 * locals are projected, then rows and columns of fixed unknowns are cleared, with 1 on the diagonal.
 *
 * The structure follows edits by difference. Each entry of the global matrix knows how often it is named: a component that comes
 * names its entries, one that goes gives them back, and only when entries have come or have no name left is the matrix spliced: one
 * pass that moves rows and renumbers the slots, without asking any component. Where there is the diagonal alone it is filled in at once. So the entries are always those that the
 * present components name, whatever was there before, and results are those of a structure made from nothing. When a state has another number
 * of points or the block size changes, the structure is made from nothing, in the memory that it has.
 *
 * Where neither factors nor anything that adds to the matrix has changed since the last assembly, as components tell by the numbers
 * of their matrices, the values stay, and their version with them.
 *
 * All sums run in the order of the document: the bits do not depend on threads, nor on edits before.
 */
#include <math.h>
#include <string.h>

#include <divan/memory.h>
#include <divan/parallel.h>

#include "costs.h"
#include "jacobians.h"
#include "mechanics.h"
#include "projection.h"
#include "sparse_rows.h"

#define NOWHERE UINT32_MAX /* slot of a coupling with an external state: it counts as fixed */

enum { KIND_SHIFT = 30 }; /* among the parts of an assembly: DvStep.kind */

typedef enum Kind { FORCE_FIELD, MASS, MAPPING } Kind;

/* Where the couplings of one pair of states of a component go. */
typedef struct Target {
    uint32_t local;         /* into locals; NOWHERE: global */
    bool dropped;           /* one state is external */
    uint32_t a, b;          /* slots of states */
    uint32_t rows, columns; /* scalars of a coupling */
} Target;

/* What the values of a contribution were made of: k K + b B, k M, or k times geometric stiffness. */
typedef struct Source {
    uint64_t version; /* 0: they change each time */
    double k, b;
} Source;

/* What costs add up from, exactly: sums do not depend on the order, nor on what was there before. */
typedef struct Costs {
    int64_t product, assembly; /* as the component says, in 1/1024 ns */
    int64_t diagonal, coupled; /* scalars */
} Costs;

/* What one component adds. Arrays are kept for the next one in the place. */
typedef struct Contribution {
    Kind kind;
    uint32_t component; /* slot of the field or mapping */
    uint64_t id;        /* of the component; 0: none */
    uint64_t structure; /* of the component, when it named its couplings */
    uint64_t kinds;     /* of its states then: others mean other targets */
    uint32_t state_count;
    Target *targets;     /* [state_count^2] */
    Pairs couplings;     /* points */
    bool one_target;     /* the same of all: `target` */
    uint32_t target;     /* NOWHERE: out of range */
    uint32_t *target_of; /* [couplings] unless there is one */
    uint32_t *slot;      /* [couplings] see DvMatrixView; indirect global ones: first entry in `slots` */
    uint32_t *slots;     /* global slots of couplings that take several blocks, block rows first */
    size_t slot_count;
    size_t target_capacity, target_of_capacity, slot_capacity, slots_capacity;
    bool direct;                 /* all go to one matrix, block by block... */
    const Target *direct_target; /* ...which is that of this target */
    Costs costs;
    uint64_t seen;   /* id of the field that was last asked for couplings; of a force field: of its mass, too */
    uint64_t warned; /* id of a field without a matrix that was told so */
    struct Assembly *assembly;
    Source source; /* of the last values */
} Contribution;

/* Points of a mapped state that are coupled. */
typedef struct CoupledPoints {
    uint32_t *points;
    uint32_t count;
    size_t capacity;
} CoupledPoints;

typedef struct FixedRow {
    uint32_t row;
    uint32_t components; /* bit c: scalar c in the block row is fixed */
} FixedRow;

/* A state as it was when its rows were placed. */
typedef struct Placed {
    uint64_t id; /* 0: none */
    uint32_t points;
    StateKind kind;
} Placed;

/* A constraint as its fixed unknowns were gathered. */
typedef struct Gathered {
    uint64_t id, structure;
} Gathered;

/* One of three: that of the present structure, the one that was lent by the last assembly, and the one the next splice writes. */
typedef struct Matrix {
    DvBlockMatrix view;
    Rows rows;
    uint32_t *uses; /* [entries] how often it is named, by components and their products; the diagonal once more */
    uint32_t *diagonal, *transposed;
    double *values;
    size_t uses_capacity, diagonal_capacity, transposed_capacity, value_capacity;
} Matrix;

struct Assembly {
    Blocks blocks;
    uint64_t version;      /* of the mechanics */
    uint64_t states;       /* DvMechanics.placed when they were placed; 0: never */
    Placed *placed;        /* by slot of the state */
    List of_rows;          /* slots of the independent states, in the order of their rows */
    uint32_t *first_block; /* by slot: block row of an independent state, else NOWHERE */
    uint32_t *old_first_block;
    size_t placed_capacity, first_block_capacity, old_first_block_capacity;
    Contribution *of_fields; /* by slot of the field, two each: force field, mass */
    Contribution *of_mappings;
    uint32_t field_slots, mapping_slots;
    Contribution **present; /* those that are there, in the order in which they add: of fields, of mappings */
    uint32_t present_count;
    size_t present_capacity;
    List coming_fields; /* slots of fields that are to name their couplings */
    Local *locals;
    uint32_t local_count; /* places, the free ones too */
    List local_list;      /* in the order in which components name them first */
    List free_locals;
    Jacobians *jacobians; /* NULL: no local so far */

    Matrix matrices[3], *now, *lent; /* lent: NULL before the first assembly */
    uint64_t versions;               /* numbers given to values so far */
    Pairs
        coming; /* that are named, as their mirror images, and not there: number = entries + place, until the splice */
    size_t unused; /* entries that nobody names */
    uint32_t *number, *old_row, *new_row, *next_entry;
    size_t number_capacity, old_row_capacity, new_row_capacity, next_entry_capacity;
    Sorter sorter;
    UpperRows upper;
    Pairs pairs; /* of the local at work */

    FixedRow *fixed;
    size_t fixed_count, fixed_capacity;
    Gathered *gathered; /* in the order of the constraints */
    size_t gathered_count, gathered_capacity;
    uint64_t last_constraint; /* newest id that has been told what it cannot do */
    bool fixed_known;
    uint32_t parts; /* of the last values */
    bool valued;    /* the values are those of the components that are there */
    bool *needed;   /* by slot: states whose Jacobians locals need */
    size_t needed_capacity;
    bool complete;          /* all that acts in a product names its couplings */
    bool has_no_room;       /* in memory, as has been reported: it is let go */
    CoupledPoints *coupled; /* by slot of the state */
    uint32_t coupled_slots;
    uint8_t *marks; /* [points of a state] */
    size_t marks_capacity;
    Costs costs;
    double product_cost, assembled_product_cost, assembly_cost; /* ns, see estimate */
};

/* ---- Room in memory ---- */

/* Who names most couplings is named when there is no room for them. */
static const DvObject *largest_component(const Assembly *as)
{
    const DvMechanics *m = as->blocks.m;
    const DvObject *object = m->field_list.count ? field_at(m, 0)->object : NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < 2 * as->field_slots + as->mapping_slots; i++) {
        const bool is_mapping = i >= 2 * as->field_slots;
        const Contribution *c = is_mapping ? &as->of_mappings[i - 2 * as->field_slots] : &as->of_fields[i];
        if (!c->id || c->couplings.count <= most)
            continue;
        most = c->couplings.count;
        object = is_mapping ? m->mappings[c->component].object : m->fields[c->component].object;
    }
    return object;
}

static size_t unknowns_of(const DvMechanics *m)
{
    size_t unknowns = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef state = m->states[m->independent.at[i]].ref;
        unknowns += (size_t)dv_state_count(state) * state.dof->deriv;
    }
    return unknowns;
}

/* Whether `count` elements can be had, of `bytes` each in all arrays together, where there is room for `capacity` now. */
static bool ask(Assembly *as, size_t capacity, size_t count, size_t bytes)
{
    if (as->has_no_room || count <= capacity)
        return !as->has_no_room;
    const double with_room = 1.5; /* see with_room */
    as->has_no_room =
        dv_memory_ask(largest_component(as), with_room * (double)count * (double)bytes,
                      "the matrix of %zu unknowns, which a CGLinearSolver with template='GraphScattered' does without",
                      unknowns_of(as->blocks.m)) != DV_OK;
    return !as->has_no_room;
}

/* ---- Entries of the global matrix ---- */

static size_t entry_count(const Assembly *as)
{
    return as->blocks.rows.count ? as->blocks.rows.start[as->blocks.rows.count] : 0;
}

/* Whether there is nothing but the diagonal, as when a structure is made from nothing. */
static bool is_bare(const Assembly *as)
{
    return entry_count(as) == as->blocks.rows.count;
}

static uint32_t name_coming(Assembly *as, uint32_t entries, uint32_t row, uint32_t column)
{
    pairs_add(&as->coming, row, column);
    return entries + (uint32_t)as->coming.count - 1;
}

/* One more name for an entry and for its mirror image. */
static uint32_t name_entry(void *context, uint32_t row, uint32_t column)
{
    Assembly *as = context;
    const uint32_t entry = rows_find(&as->blocks.rows, row, column);
    if (entry == UINT32_MAX)
        return name_coming(as, (uint32_t)entry_count(as), row, column);
    uint32_t *uses = as->now->uses;
    const uint32_t mirror = as->now->transposed[entry];
    as->unused -= uses[entry]++ == 0;
    if (mirror != entry)
        as->unused -= uses[mirror]++ == 0;
    return entry;
}

static void give_back(Assembly *as, uint32_t entry)
{
    uint32_t *uses = as->now->uses;
    const uint32_t mirror = as->now->transposed[entry];
    as->unused += --uses[entry] == 0;
    if (mirror != entry)
        as->unused += --uses[mirror] == 0;
}

static void renumber(const Assembly *as, uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i] != NOWHERE)
            slots[i] = as->number[slots[i]];
}

static void renumber_contribution(const Assembly *as, Contribution *c)
{
    if (!c->id)
        return;
    renumber(as, c->slots, c->slot_count);
    if (c->direct && c->direct_target && c->direct_target->local == NOWHERE)
        renumber(as, c->slot, c->couplings.count);
}

static void renumber_slots(Assembly *as)
{
    for (uint32_t i = 0; i < 2 * as->field_slots; i++)
        renumber_contribution(as, &as->of_fields[i]);
    for (uint32_t i = 0; i < as->mapping_slots; i++)
        renumber_contribution(as, &as->of_mappings[i]);
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        Local *local = &as->locals[as->local_list.at[i]];
        renumber(as, local->slots, local->slot_count);
    }
}

/* The matrix that a splice has written is the present one. */
static void take_over(Assembly *as, Matrix *matrix, SceneMechanics *scene)
{
    const Rows *rows = &matrix->rows;
    const size_t scalars = (size_t)rows->start[rows->count] * as->blocks.block * as->blocks.block;
    if (!ask(as, matrix->value_capacity, scalars, sizeof *matrix->values))
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
        .version = ++as->versions,
    };
    as->now = matrix;
    as->blocks.rows = *rows;
    as->blocks.values = matrix->values;
    as->fixed_known = false;
    as->valued = false;
}

static Matrix *free_matrix(Assembly *as)
{
    Matrix *matrix = as->matrices;
    while (matrix == as->now || matrix == as->lent)
        matrix++;
    return matrix;
}

static void write_to(Assembly *as, Matrix *to, SceneMechanics *scene)
{
    as->coming.count = 0;
    as->unused = 0;
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
    if (!ask(as, as->number_capacity, rows + as->coming.count, ARRAYS * sizeof(uint32_t)))
        return;
    WITH_ROOM(to->rows.start, to->rows.start_capacity, (size_t)rows + 1);
    WITH_ROOM(to->diagonal, to->diagonal_capacity, rows);
    WITH_ROOM(as->number, as->number_capacity, rows + as->coming.count);
    WITH_ROOM(as->next_entry, as->next_entry_capacity, rows);
    uint32_t *number = as->number + rows;
    bool made = false;
    if (pairs_come_by_rows(&as->coming)) {
        make_room_for_entries(to, rows + as->coming.count);
        made = mirrored_rows_make(&as->coming, rows, as->next_entry, &to->rows, to->transposed, to->uses, to->diagonal,
                                  number);
    }
    if (!made) {
        upper_rows_make(&as->upper, rows, &as->coming, &as->sorter);
        make_room_for_entries(to, rows + 2 * (size_t)as->upper.start[rows]);
        upper_rows_unfold(&as->upper, &as->coming, &to->rows, to->transposed, to->uses, to->diagonal, number);
    }
    for (uint32_t row = 0; row < rows; row++) {
        to->uses[to->diagonal[row]] = as->now->uses[row];
        as->number[row] = to->diagonal[row];
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

/* Puts entries that come among those that stay, and leaves out what nobody names. `old_row` by new row (NOWHERE: it is new) and
 * `new_row` by old row (NOWHERE: it has gone); NULL: the same rows. */
static void splice(Assembly *as, SceneMechanics *scene, uint32_t row_count, const uint32_t *old_row,
                   const uint32_t *new_row)
{
    Matrix *to = free_matrix(as);
    enum { ARRAYS = 9 }; /* columns, uses, transposed, number; row and column of mirror images; order, other */
    if (!ask(as, to->uses_capacity, entry_count(as) + 2 * as->coming.count + row_count, ARRAYS * sizeof(uint32_t)))
        return;
    add_mirror_images(&as->coming);
    const Rows *old = &as->blocks.rows;
    const uint32_t *old_uses = as->now ? as->now->uses : NULL;
    Rows *rows = &to->rows;
    const size_t entries = entry_count(as), most = entries + as->coming.count + row_count;
    const uint32_t *coming = pairs_sort(&as->coming, row_count, row_count, &as->sorter);
    WITH_ROOM(rows->start, rows->start_capacity, (size_t)row_count + 1);
    WITH_ROOM(rows->columns, rows->column_capacity, most);
    WITH_ROOM(to->uses, to->uses_capacity, most);
    WITH_ROOM(to->transposed, to->transposed_capacity, most);
    WITH_ROOM(to->diagonal, to->diagonal_capacity, row_count);
    WITH_ROOM(as->number, as->number_capacity, entries + as->coming.count);
    rows->count = row_count;
    uint32_t count = 0;
    size_t next = 0;
    for (size_t e = 0; new_row && e < entries; e++)
        as->number[e] = NOWHERE; /* unless its row stays */
    for (uint32_t row = 0; row < row_count; row++) {
        rows->start[row] = count;
        const uint32_t from = old_row ? old_row[row] : row;
        uint32_t e = from != NOWHERE ? old->start[from] : 0;
        const uint32_t end = from != NOWHERE ? old->start[from + 1] : 0;
        bool diagonal = from != NOWHERE;
        for (;;) {
            while (e < end && (old_uses[e] == 0 || (new_row && new_row[old->columns[e]] == NOWHERE)))
                as->number[e++] = NOWHERE;
            uint32_t column = e < end ? (new_row ? new_row[old->columns[e]] : old->columns[e]) : NOWHERE;
            const bool comes = next < as->coming.count && as->coming.row[coming[next]] == row;
            if (comes && as->coming.column[coming[next]] < column)
                column = as->coming.column[coming[next]];
            if (!diagonal && row <= column)
                column = row;
            if (column == NOWHERE)
                break;
            uint32_t uses = 0;
            if (!diagonal && column == row) {
                diagonal = true;
                uses = 1;
            }
            if (e < end && (new_row ? new_row[old->columns[e]] : old->columns[e]) == column) {
                uses += old_uses[e];
                as->number[e++] = count;
            }
            for (; next < as->coming.count && as->coming.row[coming[next]] == row &&
                   as->coming.column[coming[next]] == column;
                 next++) {
                as->number[entries + coming[next]] = count;
                uses++;
            }
            if (column == row)
                to->diagonal[row] = count;
            rows->columns[count] = column;
            to->uses[count++] = uses;
        }
    }
    rows->start[row_count] = count;
    WITH_ROOM(as->next_entry, as->next_entry_capacity, row_count);
    (void)rows_transpose(rows, as->next_entry, to->transposed);
    write_to(as, to, scene);
}

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

static void make_room(Contribution *c)
{
    const size_t more = c->target_of_capacity ? 2 * c->target_of_capacity : 16;
    c->target_of = dv_realloc(c->target_of, c->target_of_capacity * sizeof(uint32_t), more * sizeof(uint32_t));
    c->target_of_capacity = more;
}

/* The couplings so far have one target, and another one comes. */
static void tell_targets_apart(Contribution *c)
{
    WITH_ROOM(c->target_of, c->target_of_capacity, c->couplings.count + 1);
    for (size_t k = 0; k < c->couplings.count; k++)
        c->target_of[k] = c->target;
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
    if (!c->one_target && c->couplings.count == c->target_of_capacity)
        make_room(c);
    if (!c->one_target)
        c->target_of[c->couplings.count] = target;
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

static const uint32_t *states_of(const DvMechanics *m, const Contribution *c)
{
    return c->kind == MAPPING ? mapping_inputs_of(&m->mappings[c->component]) : m->fields[c->component].states;
}

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

static uint64_t structure_of(const DvMechanics *m, const Contribution *c)
{
    if (c->kind == MAPPING)
        return 0; /* its couplings follow from its Jacobian, whose structure is watched */
    const FieldItem *field = &m->fields[c->component];
    if (c->kind == MASS)
        return field->mass->structure ? field->mass->structure(field->self) : 0;
    return field->ops->structure ? field->ops->structure(field->self) : 0;
}

/* False: there is no room for them, which has been reported. */
static bool name_couplings(DvMechanics *m, Contribution *c)
{
    const DvStepMark mark = dv_step_mark();
    const uint32_t *states = states_of(m, c);
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
    c->structure = structure_of(m, c);
    c->kinds = kinds_of(m, states, c->state_count);
    dv_step_release(mark);
    if (recorder.out_of_range)
        (void)dv_error(object, DV_ERROR_INVALID,
                       "it couples points that its state does not have; they are left out of the matrix");
    return !recorder.has_no_room;
}

/* ---- Contributions ---- */

enum { OF_MAPPINGS = 1u << 31 }; /* in the number of a contribution: it is of a mapping */

static Contribution *contribution_of(const Assembly *as, uint32_t number)
{
    return number & OF_MAPPINGS ? &as->of_mappings[number & ~(uint32_t)OF_MAPPINGS] : &as->of_fields[number];
}

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

static uint32_t target_number(const Contribution *c, size_t coupling)
{
    return c->one_target ? c->target : c->target_of[coupling];
}

static const Target *target_of(const Contribution *c, size_t coupling)
{
    const uint32_t target = target_number(c, coupling);
    return target == NOWHERE ? NULL : &c->targets[target];
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
        const Target *target = target_of(c, k);
        if (!target || target->dropped)
            return false;
        first = first ? first : target;
        c->direct_target = first;
        if (target->local != first->local || target->rows != target->columns || target->rows != first->rows)
            return false;
    }
    return !first || first->local != NOWHERE || first->rows == as->blocks.block;
}

static void add_slot(Contribution *c, uint32_t slot)
{
    if (c->slot_count == c->slots_capacity) {
        const size_t more = c->slots_capacity ? 2 * c->slots_capacity : 64;
        c->slots = dv_realloc(c->slots, c->slots_capacity * sizeof(uint32_t), more * sizeof(uint32_t));
        c->slots_capacity = more;
    }
    c->slots[c->slot_count++] = slot;
}

/* The same, where there is nothing but the diagonal. */
static void name_first_entries(Assembly *as, Contribution *c, uint32_t a, uint32_t b)
{
    const uint32_t entries = as->blocks.rows.count;
    const uint32_t *row_point = c->couplings.row, *column_point = c->couplings.column;
    uint32_t *uses = as->now->uses, *slot = c->slot;
    pairs_make_room(&as->coming, c->couplings.count);
    uint32_t *rows = as->coming.row, *columns = as->coming.column;
    size_t count = as->coming.count;
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
    as->coming.count = count;
}

/* Of couplings of one pair of states that are an entry each. */
static void name_direct_entries(Assembly *as, Contribution *c)
{
    const uint32_t a = as->first_block[c->direct_target->a], b = as->first_block[c->direct_target->b];
    if (is_bare(as)) {
        name_first_entries(as, c, a, b);
        return;
    }
    for (size_t k = 0; k < c->couplings.count; k++)
        c->slot[k] = name_entry(as, a + c->couplings.row[k], b + c->couplings.column[k]);
}

/* Entries of what goes straight to the global matrix; couplings in locals have theirs when the locals are made. */
static void name_entries(Assembly *as, Contribution *c)
{
    c->direct = is_direct(as, c);
    c->assembly = as;
    c->slot_count = 0;
    WITH_ROOM(c->slot, c->slot_capacity, c->couplings.count);
    if (c->direct && c->one_target && c->direct_target->local == NOWHERE) {
        name_direct_entries(as, c);
        return;
    }
    for (size_t k = 0; k < c->couplings.count; k++) {
        const Target *target = target_of(c, k);
        c->slot[k] = NOWHERE;
        if (!target || target->dropped || target->local != NOWHERE)
            continue;
        const uint32_t row = block_row(&as->blocks, target->a, c->couplings.row[k]);
        const uint32_t column = block_row(&as->blocks, target->b, c->couplings.column[k]);
        if (c->direct) {
            c->slot[k] = name_entry(as, row, column);
            continue;
        }
        c->slot[k] = (uint32_t)c->slot_count;
        for (uint32_t r = 0; r < target->rows / as->blocks.block; r++)
            for (uint32_t s = 0; s < target->columns / as->blocks.block; s++)
                add_slot(c, name_entry(as, row + r, column + s));
    }
}

static uint32_t local_of(Assembly *as, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        const Local *local = &as->locals[as->local_list.at[i]];
        if (local->a == a && local->b == b)
            return as->local_list.at[i];
    }
    uint32_t place;
    if (as->free_locals.count) {
        place = as->free_locals.at[--as->free_locals.count];
    } else {
        as->locals =
            dv_realloc(as->locals, as->local_count * sizeof *as->locals, (as->local_count + 8) * sizeof *as->locals);
        for (uint32_t i = as->local_count + 8; i-- > as->local_count + 1;)
            list_add(&as->free_locals, i);
        place = as->local_count;
        as->local_count += 8;
    }
    Local *local = &as->locals[place]; /* its arrays are kept from before; it has no users and no entries */
    local->a = a;
    local->b = b;
    list_add(&as->local_list, place);
    return place;
}

static void use_locals(Assembly *as, const DvMechanics *m, Contribution *c, uint32_t number)
{
    for (uint32_t t = 0; t < c->state_count * c->state_count; t++) {
        Target *target = &c->targets[t];
        const bool mapped = m->states[target->a].kind == STATE_MAPPED || m->states[target->b].kind == STATE_MAPPED;
        if (!mapped || target->dropped)
            continue;
        target->local = local_of(as, target->a, target->b);
        Local *local = &as->locals[target->local];
        if (local->user_count == local->user_capacity) {
            const uint32_t more = local->user_capacity ? 2 * local->user_capacity : 4;
            local->users =
                dv_realloc(local->users, local->user_capacity * sizeof *local->users, more * sizeof *local->users);
            local->user_capacity = more;
        }
        local->users[local->user_count++] = (LocalUser){number, t};
        local->dirty = true;
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
    if (!ask(as, c->slot_capacity, c->couplings.count, ARRAYS * sizeof(uint32_t)))
        return;
    use_locals(as, m, c, number);
    name_entries(as, c);
    c->source = (Source){.version = 0};
    as->valued = false;
    c->costs = costs_of(m, c);
    add_costs(&as->costs, &c->costs, 1);
}

/* Gives back what it has named. */
static void retire(Assembly *as, uint32_t number)
{
    Contribution *c = contribution_of(as, number);
    if (!c->id)
        return;
    const bool global = c->direct && c->direct_target->local == NOWHERE;
    for (size_t i = 0; global && i < c->couplings.count; i++)
        give_back(as, c->slot[i]);
    for (size_t i = 0; i < c->slot_count; i++)
        give_back(as, c->slots[i]);
    for (uint32_t t = 0; t < c->state_count * c->state_count; t++) {
        if (c->targets[t].local == NOWHERE)
            continue;
        Local *local = &as->locals[c->targets[t].local];
        for (uint32_t u = 0; u < local->user_count;) {
            if (local->users[u].contribution == number)
                local->users[u] = local->users[--local->user_count];
            else
                u++;
        }
        local->dirty = true;
    }
    as->valued = false;
    add_costs(&as->costs, &c->costs, -1);
    c->id = 0;
    c->slot_count = 0;
    c->couplings.count = 0;
}

/* ---- Locals ---- */

/* What decides when a local is met first: fields before mappings, then their order, then force field before mass. */
static int compare_users(const Assembly *as, const DvMechanics *m, LocalUser x, LocalUser y)
{
    const Contribution *a = contribution_of(as, x.contribution), *b = contribution_of(as, y.contribution);
    if ((a->kind == MAPPING) != (b->kind == MAPPING))
        return a->kind == MAPPING ? 1 : -1;
    if (a->component != b->component) {
        const Key p = a->kind == MAPPING ? m->mappings[a->component].key : m->fields[a->component].key;
        const Key q = a->kind == MAPPING ? m->mappings[b->component].key : m->fields[b->component].key;
        if (p.order != q.order)
            return p.order < q.order ? -1 : 1;
        return p.rank < q.rank ? -1 : 1;
    }
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (x.target > y.target) - (x.target < y.target);
}

/* The couplings of a local, and its first user to the front. */
static void gather_pairs(Assembly *as, const DvMechanics *m, Local *local)
{
    as->pairs.count = 0;
    for (uint32_t u = 0; u < local->user_count; u++) {
        const LocalUser user = local->users[u];
        const Contribution *c = contribution_of(as, user.contribution);
        for (size_t k = 0; k < c->couplings.count; k++)
            if (target_number(c, k) == user.target)
                pairs_add(&as->pairs, c->couplings.row[k], c->couplings.column[k]);
        if (compare_users(as, m, user, local->users[0]) < 0) {
            local->users[u] = local->users[0];
            local->users[0] = user;
        }
    }
}

/* Insertion: the list is in order but for a few. */
static void sort_locals(Assembly *as, const DvMechanics *m)
{
    List *list = &as->local_list;
    for (uint32_t i = 1; i < list->count; i++) {
        const uint32_t place = list->at[i];
        uint32_t to = i;
        for (; to > 0 && compare_users(as, m, as->locals[place].users[0], as->locals[list->at[to - 1]].users[0]) < 0;
             to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = place;
    }
}

static void give_back_all(Assembly *as, Local *local)
{
    for (size_t k = 0; k < local->slot_count; k++)
        give_back(as, local->slots[k]);
    local->slot_count = 0;
}

/* Locals that are to be made anew give their entries back, while the entries are those they named. */
static void clear_locals(Assembly *as)
{
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        Local *local = &as->locals[as->local_list.at[i]];
        local->dirty =
            local->dirty || jacobians_changed(as->jacobians, local->a) || jacobians_changed(as->jacobians, local->b);
        if (local->dirty)
            give_back_all(as, local);
    }
}

/* Those whose Jacobians have come or changed with what is new. */
static void mark_turned_locals(Assembly *as)
{
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        Local *local = &as->locals[as->local_list.at[i]];
        local->dirty =
            local->dirty || jacobians_changed(as->jacobians, local->a) || jacobians_changed(as->jacobians, local->b);
    }
}

static void drop_unused_locals(Assembly *as)
{
    for (uint32_t i = as->local_list.count; i-- > 0;) {
        const uint32_t place = as->local_list.at[i];
        if (as->locals[place].user_count)
            continue;
        list_remove_at(&as->local_list, i);
        list_add(&as->free_locals, place);
    }
}

/* Where the couplings of its users are in a local. */
static void place_couplings(const Assembly *as, const Local *local)
{
    for (uint32_t u = 0; u < local->user_count; u++) {
        const Contribution *c = contribution_of(as, local->users[u].contribution);
        for (size_t k = 0; k < c->couplings.count; k++)
            if (target_number(c, k) == local->users[u].target)
                c->slot[k] = rows_find(&local->rows, c->couplings.row[k], c->couplings.column[k]);
    }
}

static void make_locals(Assembly *as, DvMechanics *m)
{
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        Local *local = &as->locals[as->local_list.at[i]];
        if (!local->dirty)
            continue;
        give_back_all(as, local);
        gather_pairs(as, m, local);
        const size_t scalars = (size_t)m->states[local->a].ref.dof->deriv * m->states[local->b].ref.dof->deriv;
        if (!ask(as, local->value_capacity, as->pairs.count * scalars, sizeof *local->values))
            return;
        local_make(local, &as->pairs, &as->blocks, as->jacobians, &as->sorter, name_entry, as);
        place_couplings(as, local);
    }
    sort_locals(as, m);
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

static uint32_t block_size_of(const DvMechanics *m)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < m->independent.count; i++)
        common = greatest_common_divisor(independent_at(m, i)->ref.dof->deriv, common);
    return common == 0 ? 1 : common % 3 == 0 ? 3 : common;
}

/* Whether the independent states are those that have rows, in their order; their points are the same: fits_states. */
static bool rows_fit(const Assembly *as, const DvMechanics *m)
{
    if (!as->now || as->of_rows.count != m->independent.count)
        return false;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i];
        if (as->of_rows.at[i] != slot || as->placed[slot].id != m->states[slot].id)
            return false;
    }
    return true;
}

static void reserve_states(Assembly *as, const DvMechanics *m)
{
    const size_t slots = m->state_slots.count, old_slots = as->placed_capacity;
    if (slots <= old_slots)
        return;
    as->placed = dv_realloc(as->placed, old_slots * sizeof *as->placed, 2 * slots * sizeof *as->placed);
    as->first_block =
        dv_realloc(as->first_block, old_slots * sizeof *as->first_block, 2 * slots * sizeof *as->first_block);
    as->old_first_block = dv_realloc(as->old_first_block, old_slots * sizeof *as->old_first_block,
                                     2 * slots * sizeof *as->old_first_block);
    as->placed_capacity = 2 * slots;
    for (size_t i = old_slots; i < as->placed_capacity; i++)
        as->first_block[i] = NOWHERE;
    as->blocks.first_block = as->first_block;
}

/* Rows of the states as they are now; rows that stay keep their entries, which get their new numbers. */
static void place_rows(Assembly *as, DvMechanics *m)
{
    const Rows *old = &as->blocks.rows;
    if (as->placed_capacity > 0)
        memcpy(as->old_first_block, as->first_block, as->placed_capacity * sizeof *as->first_block);
    for (size_t i = 0; i < as->placed_capacity; i++)
        as->first_block[i] = NOWHERE;
    uint32_t rows = 0;
    as->of_rows.count = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i];
        as->first_block[slot] = rows;
        rows += dv_state_count(m->states[slot].ref) * blocks_per_point(&as->blocks, slot);
        list_add(&as->of_rows, slot);
    }
    WITH_ROOM(as->old_row, as->old_row_capacity, rows);
    WITH_ROOM(as->new_row, as->new_row_capacity, old->count);
    for (uint32_t row = 0; row < old->count; row++)
        as->new_row[row] = NOWHERE;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const uint32_t slot = m->independent.at[i], first = as->first_block[slot];
        const uint32_t count = dv_state_count(m->states[slot].ref) * blocks_per_point(&as->blocks, slot);
        const uint32_t from = as->placed[slot].id == m->states[slot].id ? as->old_first_block[slot] : (uint32_t)NOWHERE;
        for (uint32_t r = 0; r < count; r++) {
            as->old_row[first + r] = from == NOWHERE ? NOWHERE : from + r;
            if (from != NOWHERE)
                as->new_row[from + r] = first + r;
        }
    }
    splice(as, m->scene, rows, as->old_row, as->new_row);
}

static void place_states(Assembly *as, DvMechanics *m)
{
    reserve_states(as, m);
    if (!rows_fit(as, m))
        place_rows(as, m);
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        const StateItem *state = &m->states[slot];
        if (as->placed[slot].id != state->id)
            as->placed[slot].points = dv_state_count(state->ref);
        as->placed[slot].id = state->id;
        as->placed[slot].kind = state->kind;
    }
    as->states = m->placed;
}

/* Whether a state that stays has become of another kind: couplings with it go elsewhere. */
static bool kinds_changed(const Assembly *as, const DvMechanics *m)
{
    if (as->states == m->placed)
        return false;
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        if (slot < as->placed_capacity && as->placed[slot].id == m->states[slot].id &&
            as->placed[slot].kind != m->states[slot].kind)
            return true;
    }
    return false;
}

/* Whether states that were placed have the points they had. */
static bool fits_states(const Assembly *as, const DvMechanics *m)
{
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const uint32_t slot = m->state_list.at[i];
        const StateItem *state = &m->states[slot];
        if (slot < as->placed_capacity && as->placed[slot].id == state->id &&
            as->placed[slot].points != state_count(state->ref))
            return false;
    }
    return true;
}

/* How much of a matrix does not stay in a cache, from 0 to 1. */
static double streamed(double entries)
{
    return fmin(fmax((entries - 5e5) / 2e6, 0.0), 1.0);
}

static double calls_of(const DvMechanics *m)
{
    return cost_call * (m->field_list.count + cost_mapping_calls * m->mapping_list.count +
                        cost_state_calls * m->state_list.count + m->constraint_list.count);
}

/* How long things take, in nanoseconds, by costs.def: as components say, else a product without the matrix and an assembly grow with the
 * number of entries that components couple, and several times faster once their own data do not fit the caches any more (from
 * 100,000 to 1,000,000 entries). */
static void estimate(Assembly *as, const DvMechanics *m)
{
    const double coupled = (double)as->costs.coupled, diagonal = (double)as->costs.diagonal;
    const double beyond_cache = fmin(fmax(log10(fmax(coupled, 1.0)) - 5.0, 0.0), 1.0);
    const double unknowns = (double)as->blocks.rows.count * as->blocks.block;
    const double entries = (double)entry_count(as) * as->blocks.block * as->blocks.block;
    as->product_cost = (double)as->costs.product / 1024.0 + cost_diagonal * diagonal + cost_unknown_product * unknowns +
                       coupled * (cost_coupled_product + cost_coupled_product_beyond * beyond_cache);
    as->assembled_product_cost = cost_unknown_matrix_product * unknowns +
                                 entries * (cost_entry_product + cost_entry_product_beyond * streamed(entries));
    as->assembly_cost = (double)as->costs.assembly / 1024.0 + cost_diagonal * diagonal +
                        coupled * (cost_coupled_assembly + cost_coupled_assembly_beyond * beyond_cache) +
                        entries * (cost_entry_assembly + cost_entry_assembly_beyond * streamed(entries));
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        for (uint32_t k = 0; mapping->loads && k < mapping->outputs; k++) {
            const uint32_t child = mapping_outputs_of(mapping)[k];
            const double scalars = (double)m->states[child].ref.dof->deriv * as->placed[child].points;
            as->product_cost += cost_mapped_product * scalars;
            as->assembly_cost += cost_mapped_assembly * scalars;
        }
    }
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        const Local *local = &as->locals[as->local_list.at[i]];
        const uint32_t a = m->states[local->a].ref.dof->deriv, b = m->states[local->b].ref.dof->deriv;
        const bool bodies = a != as->blocks.block || b != as->blocks.block ||
                            as->placed[local->a].points * a > as->blocks.rows.count * as->blocks.block;
        as->assembly_cost += (bodies ? cost_projected_body_entry : cost_projected_entry) * (double)local->slot_count *
                             as->blocks.block * as->blocks.block;
    }
}

/* ---- Following the mechanics ---- */

static bool is_current(const DvMechanics *m, const Contribution *c, uint64_t id, bool same_kinds)
{
    return id == c->id && structure_of(m, c) == c->structure &&
           (same_kinds || kinds_of(m, states_of(m, c), c->state_count) == c->kinds);
}

static void reserve_contributions(Assembly *as, const DvMechanics *m)
{
    if (m->field_slots.count > as->field_slots) {
        const uint32_t more = m->field_slots.capacity;
        as->of_fields = dv_realloc(as->of_fields, 2 * as->field_slots * sizeof *as->of_fields,
                                   2 * (size_t)more * sizeof *as->of_fields);
        as->field_slots = more;
    }
    if (m->mapping_slots.count > as->mapping_slots) {
        const uint32_t more = m->mapping_slots.capacity;
        as->of_mappings =
            dv_realloc(as->of_mappings, as->mapping_slots * sizeof *as->of_mappings, more * sizeof *as->of_mappings);
        as->mapping_slots = more;
    }
}

/* Lets go of what has gone or changed; what is to name its couplings, anew or for the first time, comes into `coming_fields`. */
static void retire_gone(Assembly *as, const DvMechanics *m)
{
    const bool same_kinds = !kinds_changed(as, m);
    as->coming_fields.count = 0;
    for (uint32_t slot = 0; slot < m->field_slots.count; slot++) {
        Contribution *of = &as->of_fields[2 * slot];
        const uint64_t id = m->fields[slot].id;
        for (uint32_t kind = FORCE_FIELD; kind <= MASS; kind++)
            if (of[kind].id && !is_current(m, &of[kind], id, same_kinds)) {
                retire(as, 2 * slot + kind);
                of->seen = 0;
            }
        if (id && of->seen != id)
            list_add(&as->coming_fields, slot);
    }
    for (uint32_t slot = 0; slot < as->mapping_slots; slot++)
        if (as->of_mappings[slot].id && !is_current(m, &as->of_mappings[slot], m->mappings[slot].id, same_kinds))
            retire(as, slot | OF_MAPPINGS);
}

static void add_new(Assembly *as, DvMechanics *m)
{
    for (uint32_t i = 0; i < as->coming_fields.count; i++) {
        const uint32_t slot = as->coming_fields.at[i];
        const FieldItem *field = &m->fields[slot];
        for (uint32_t kind = FORCE_FIELD; kind <= MASS; kind++)
            if (!as->of_fields[2 * slot + kind].id && has_couplings(m, (Kind)kind, slot))
                add_contribution(as, m, (Kind)kind, slot);
        as->of_fields[2 * slot].seen = field->id;
        if (field->ops->add_dforce && !has_couplings(m, FORCE_FIELD, slot) &&
            as->of_fields[2 * slot].warned != field->id) {
            as->of_fields[2 * slot].warned = field->id;
            dv_warning(field->object, "it gives no matrix: in an assembled system its force is explicit");
        }
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const uint32_t slot = m->mapping_list.at[i];
        if (!as->of_mappings[slot].id && has_couplings(m, MAPPING, slot))
            add_contribution(as, m, MAPPING, slot);
    }
}

/* Those that the locals need as they are now. */
static void update_jacobians(Assembly *as, DvMechanics *m)
{
    WITH_ROOM(as->needed, as->needed_capacity, m->state_slots.count);
    memset(as->needed, 0, m->state_slots.count * sizeof *as->needed);
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        const Local *local = &as->locals[as->local_list.at[i]];
        if (local->user_count)
            as->needed[local->a] = as->needed[local->b] = true;
    }
    jacobians_update_structure(as->jacobians, m, as->needed);
}

/* Those of the local matrices, which hold what is coupled on mapped states; couplings with external states do nothing in a product. */
static void list_coupled(Assembly *as, const DvMechanics *m, uint32_t state)
{
    CoupledPoints *coupled = &as->coupled[state];
    const uint32_t points = dv_state_count(m->states[state].ref);
    WITH_ROOM(coupled->points, coupled->capacity, points);
    WITH_ROOM(as->marks, as->marks_capacity, (size_t)points + 1);
    memset(as->marks, 0, points);
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        const Local *local = &as->locals[as->local_list.at[i]];
        const Rows *rows = &local->rows;
        for (uint32_t p = 0; local->a == state && p < rows->count; p++)
            as->marks[p] |= rows->start[p + 1] > rows->start[p];
        for (uint32_t e = 0; local->b == state && local->a != state && e < rows->start[rows->count]; e++)
            as->marks[rows->columns[e]] = 1;
    }
    coupled->count = 0;
    for (uint32_t p = 0; p < points; p++) {
        coupled->points[coupled->count] = p;
        coupled->count += as->marks[p];
    }
}

/* Of the states whose products may be of some points. */
static void list_all_coupled(Assembly *as, const DvMechanics *m)
{
    if (m->state_slots.count > as->coupled_slots) {
        as->coupled = dv_realloc(as->coupled, as->coupled_slots * sizeof *as->coupled,
                                 m->state_slots.capacity * sizeof *as->coupled);
        as->coupled_slots = m->state_slots.capacity;
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mapping_at(m, i)->at_points)
            list_coupled(as, m, mapping_outputs_of(mapping_at(m, i))[0]);
}

/* After each edit, of all fields: a few instructions for each. */
static void list_present(Assembly *as, const DvMechanics *m)
{
    WITH_ROOM(as->present, as->present_capacity, 2 * (size_t)m->field_list.count + m->mapping_list.count);
    Contribution **next = as->present;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        Contribution *of = &as->of_fields[2 * (size_t)m->field_list.at[i]];
        if (of[FORCE_FIELD].id)
            *next++ = &of[FORCE_FIELD];
        if (of[MASS].id)
            *next++ = &of[MASS];
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        Contribution *of = &as->of_mappings[m->mapping_list.at[i]];
        if (of->id)
            *next++ = of;
    }
    as->present_count = (uint32_t)(next - as->present);
}

/* What has gone, first, then what has come. */
/* With has_no_room at the end it is of no use. */
static void update_structure(Assembly *as, DvMechanics *m)
{
    as->blocks.m = m;
    reserve_contributions(as, m);
    retire_gone(as, m);
    if (as->jacobians) {
        update_jacobians(as, m);
        clear_locals(as);
    }
    if (as->states != m->placed)
        place_states(as, m);
    if (!as->has_no_room)
        add_new(as, m);
    if (as->has_no_room)
        return;
    drop_unused_locals(as);
    if (as->local_list.count) {
        if (!as->jacobians)
            as->jacobians = jacobians_new();
        update_jacobians(as, m);
        mark_turned_locals(as);
    }
    make_locals(as, m);
    if (as->coming.count && is_bare(as))
        fill_in(as, m->scene);
    else if (as->coming.count || as->unused)
        splice(as, m->scene, as->blocks.rows.count, NULL, NULL);
    if (as->has_no_room)
        return;
    list_present(as, m);
    estimate(as, m);
    as->version = m->version;
    list_all_coupled(as, m);
    as->complete = m->nameless == 0;
}

void assembly_free(Assembly *as)
{
    if (!as)
        return;
    for (uint32_t i = 0; i < 2 * as->field_slots + as->mapping_slots; i++) {
        Contribution *c = i < 2 * as->field_slots ? &as->of_fields[i] : &as->of_mappings[i - 2 * as->field_slots];
        dv_free(c->targets);
        pairs_free(&c->couplings);
        dv_free(c->target_of);
        dv_free(c->slot);
        dv_free(c->slots);
    }
    for (uint32_t i = 0; i < as->local_count; i++)
        local_free(&as->locals[i]);
    jacobians_free(as->jacobians);
    for (uint32_t i = 0; i < as->coupled_slots; i++)
        dv_free(as->coupled[i].points);
    for (size_t i = 0; i < sizeof as->matrices / sizeof *as->matrices; i++) {
        Matrix *matrix = &as->matrices[i];
        rows_free(&matrix->rows);
        dv_free(matrix->uses);
        dv_free(matrix->diagonal);
        dv_free(matrix->transposed);
        dv_free(matrix->values);
    }
    pairs_free(&as->coming);
    pairs_free(&as->pairs);
    sorter_free(&as->sorter);
    upper_rows_free(&as->upper);
    void *arrays[] = {as->placed,     as->first_block,      as->old_first_block, as->of_fields, as->of_mappings,
                      as->locals,     as->local_list.at,    as->free_locals.at,  as->number,    as->old_row,
                      as->new_row,    as->next_entry,       as->fixed,           as->needed,    as->gathered,
                      as->of_rows.at, as->coming_fields.at, as->coupled,         as->marks,     as->present};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    dv_free(as);
}

/* Whether the structure is that of the mechanics and of their components as they are. */
static bool is_up_to_date(const Assembly *as, const DvMechanics *m)
{
    if (as->version != m->version)
        return false;
    for (uint32_t i = 0; i < as->present_count; i++)
        if (structure_of(m, as->present[i]) != as->present[i]->structure)
            return false;
    return true;
}

/* ---- Values ---- */

static void add_indirect(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    const Contribution *c = view->indirect;
    const uint32_t slot = c->slot[coupling];
    if (slot == NOWHERE)
        return;
    const Target *target = target_of(c, coupling);
    if (target->local == NOWHERE) {
        blocks_add(c->assembly->blocks.values, c->assembly->blocks.block, c->slots + slot, dense, target->rows,
                   target->columns, factor);
        return;
    }
    const size_t size = (size_t)target->rows * target->columns;
    double *at = c->assembly->locals[target->local].values + slot * size;
    for (size_t i = 0; i < size; i++)
        at[i] += factor * dense[i];
}

static DvMatrixView view_of(Assembly *as, const Contribution *c)
{
    DvMatrixView view = {.values = as->blocks.values,
                         .slot = c->slot,
                         .block = as->blocks.block,
                         .direct = c->direct,
                         .indirect = c,
                         .add = add_indirect,
                         .kind = (DvMatrixKind)(as->parts >> KIND_SHIFT)};
    if (c->direct) {
        const Target *target = c->direct_target;
        view.block = target->rows;
        view.values = target->local == NOWHERE ? as->blocks.values : as->locals[target->local].values;
    }
    return view;
}

static bool touches_mapped(const DvMechanics *m, const Contribution *c)
{
    for (uint32_t i = 0; i < c->state_count; i++)
        if (m->states[states_of(m, c)[i]].kind == STATE_MAPPED)
            return true;
    return false;
}

static void add_mapping_stiffness(DvMechanics *m, const MappingItem *mapping, double k, const DvMatrixView *view)
{
    const DvStepMark mark = dv_step_mark();
    bool there = true;
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        m->given[i] = mechanics_force_on(m, &m->states[mapping_outputs_of(mapping)[i]], DV_HOST);
        there = there && m->given[i].at;
    }
    if (there)
        mapping->ops->assemble_stiffness(mapping->self, k, m->given, view);
    dv_step_release(mark);
}

enum { NOTHING = 1 }; /* version of a contribution that adds nothing */

static Source source_of(DvMechanics *m, const Contribution *c, DvFactors factors, uint32_t parts)
{
    const Source nothing = {.version = NOTHING};
    if (((parts & DV_ASSEMBLE_NO_MAPPED) && touches_mapped(m, c)) || c->couplings.count == 0)
        return nothing;
    if (c->kind == MAPPING) /* by the forces at hand, which differ each time */
        return factors.k == 0.0 || (parts & DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS) ? nothing : (Source){.k = factors.k};
    const FieldItem *field = &m->fields[c->component];
    if (!mechanics_alive(m, field->object))
        return nothing;
    Source source = {.version = 0};
    if (c->kind == MASS) {
        source.k = parts & DV_ASSEMBLE_NO_MASS ? 0.0 : field_mass_factor(field, factors);
        source.version = field->mass->matrix_version ? field->mass->matrix_version(field->self) : 0;
    } else {
        source.k = parts & DV_ASSEMBLE_NO_STIFFNESS ? 0.0 : field_stiffness_factor(field, factors);
        source.b = parts & DV_ASSEMBLE_NO_DAMPING ? 0.0 : factors.b;
        source.version = field->ops->matrix_version ? field->ops->matrix_version(field->self) : 0;
    }
    return source.k == 0.0 && source.b == 0.0 ? nothing : source;
}

static bool note_source(Contribution *c, Source now)
{
    const Source before = c->source;
    c->source = now;
    return now.version != 0 && now.version == before.version && now.k == before.k && now.b == before.b;
}

/* Takes note of what the next values will be made of; whether that is what the last ones were made of. */
static bool note_sources(Assembly *as, DvMechanics *m, DvFactors factors, uint32_t parts)
{
    bool same = as->valued && as->parts == parts;
    as->valued = true;
    as->parts = parts;
    for (uint32_t i = 0; i < as->present_count; i++)
        same &= note_source(as->present[i], source_of(m, as->present[i], factors, parts));
    return same;
}

static void contribute(Assembly *as, DvMechanics *m, const Contribution *c, const DvStep *step)
{
    if (c->source.k == 0.0 && c->source.b == 0.0)
        return;
    const DvMatrixView view = view_of(as, c);
    if (c->kind == MAPPING) {
        add_mapping_stiffness(m, &m->mappings[c->component], c->source.k, &view);
        return;
    }
    const FieldItem *field = &m->fields[c->component];
    if (c->kind == MASS)
        field->mass->assemble(field->self, c->source.k, &view);
    else
        field->ops->assemble(field->self, step, c->source.k, c->source.b, &view);
}

/* ---- Fixed unknowns ---- */

typedef struct Fixing {
    Assembly *as;
    const ConstraintItem *constraint;
} Fixing;

static void fix(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    const Fixing *fixing = context;
    Assembly *as = fixing->as;
    if (state >= fixing->constraint->state_count)
        return;
    const uint32_t index = fixing->constraint->states[state];
    const StateItem *item = &as->blocks.m->states[index];
    if (item->kind != STATE_INDEPENDENT || point >= as->placed[index].points || component >= item->ref.dof->deriv)
        return;
    const uint32_t row = block_row(&as->blocks, index, point) + component / as->blocks.block;
    const uint32_t bit = 1u << component % as->blocks.block;
    if (as->fixed_count > 0 && as->fixed[as->fixed_count - 1].row == row) {
        as->fixed[as->fixed_count - 1].components |= bit;
        return;
    }
    if (as->fixed_count == as->fixed_capacity) {
        const size_t more = as->fixed_capacity ? 2 * as->fixed_capacity : 64;
        as->fixed = dv_realloc(as->fixed, as->fixed_capacity * sizeof *as->fixed, more * sizeof *as->fixed);
        as->fixed_capacity = more;
    }
    as->fixed[as->fixed_count++] = (FixedRow){row, bit};
}

/* The unknowns that constraints fix, kept until one of them says that its set has changed; whether that was so. */
static bool update_fixed(Assembly *as, DvMechanics *m, const DvStep *step)
{
    const uint32_t count = m->constraint_list.count;
    bool same = as->fixed_known && as->gathered_count == count;
    if (count > as->gathered_capacity) {
        as->gathered = dv_realloc(as->gathered, as->gathered_capacity * sizeof *as->gathered,
                                  2 * (size_t)count * sizeof *as->gathered);
        as->gathered_capacity = 2 * (size_t)count;
    }
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        const uint64_t structure = constraint->ops->structure ? constraint->ops->structure(constraint->self, step) : 0;
        const Gathered now = {constraint->id, structure};
        same = same && now.id == as->gathered[i].id && now.structure == as->gathered[i].structure;
        as->gathered[i] = now;
        last = now.id > last ? now.id : last;
    }
    as->gathered_count = count;
    if (same)
        return false;
    as->fixed_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        const bool is_new = constraint->id > as->last_constraint;
        if (m->states[constraint->states[0]].kind == STATE_MAPPED) {
            if (is_new)
                dv_warning(constraint->object,
                           "it constrains mapped points, which an assembled system does not see: constrain the "
                           "state they are mapped from");
        } else if (constraint->ops->fixed) {
            constraint->ops->fixed(constraint->self, step, fix, &(Fixing){as, constraint});
        } else if (is_new) {
            dv_warning(constraint->object,
                       "it gives no fixed unknowns: an assembled system is left unconstrained by it");
        }
    }
    as->last_constraint = last > as->last_constraint ? last : as->last_constraint;
    as->fixed_known = true;
    return true;
}

/* Some rows of a block, and the same columns of its mirror image; of points that are held all of them. */
static inline void clear_rows(double *block, double *mirror, uint32_t components, uint32_t b)
{
    if (components == (1u << b) - 1) {
        memset(block, 0, (size_t)b * b * sizeof *block);
        memset(mirror, 0, (size_t)b * b * sizeof *mirror);
        return;
    }
    for (uint32_t r = 0; r < b; r++) {
        if (!(components & 1u << r))
            continue;
        for (uint32_t c = 0; c < b; c++)
            block[r * b + c] = mirror[c * b + r] = 0.0;
    }
}

static inline void clear_fixed_blocks(Assembly *as, uint32_t b)
{
    const size_t size = (size_t)b * b;
    for (const FixedRow *fixed = as->fixed; fixed < as->fixed + as->fixed_count; fixed++) {
        const uint32_t end = as->blocks.rows.start[fixed->row + 1];
        for (uint32_t e = as->blocks.rows.start[fixed->row]; e < end; e++)
            clear_rows(as->blocks.values + e * size, as->blocks.values + as->now->transposed[e] * size,
                       fixed->components, b);
        double *diagonal = as->blocks.values + as->now->diagonal[fixed->row] * size;
        for (uint32_t c = 0; c < b; c++)
            if (fixed->components & 1u << c)
                diagonal[c * b + c] = 1.0;
    }
}

static void clear_fixed(Assembly *as)
{
    if (as->blocks.block == 3) /* points in space: a size that the compiler knows */
        clear_fixed_blocks(as, 3);
    else
        clear_fixed_blocks(as, as->blocks.block);
}

/* ---- Assembly ---- */

static void clear_range(void *context, uint32_t begin, uint32_t end)
{
    Assembly *as = context;
    const size_t size = (size_t)as->blocks.block * as->blocks.block;
    memset(as->blocks.values + begin * size, 0, (end - begin) * size * sizeof *as->blocks.values);
}

/* Lets go of a structure; one whose matrix is lent stays until the next assembly. */
static void drop(DvMechanics *m)
{
    if (m->assembly != m->lent)
        assembly_free(m->assembly);
    m->assembly = NULL;
}

static void forget(Contribution *c)
{
    c->id = 0;
    c->slot_count = 0;
    c->couplings.count = 0;
}

/* As if nothing had been there: with memory for as much as there was, and the matrix that is lent. */
static void start_again(Assembly *as, const DvMechanics *m)
{
    for (uint32_t i = 0; i < 2 * as->field_slots; i++) {
        forget(&as->of_fields[i]);
        as->of_fields[i].seen = 0;
    }
    for (uint32_t i = 0; i < as->mapping_slots; i++)
        forget(&as->of_mappings[i]);
    for (uint32_t i = 0; i < as->local_list.count; i++) {
        Local *local = &as->locals[as->local_list.at[i]];
        local->user_count = 0;
        local->slot_count = 0;
    }
    jacobians_free(as->jacobians);
    as->jacobians = NULL;
    for (size_t i = 0; i < as->placed_capacity; i++) {
        as->placed[i] = (Placed){.id = 0};
        as->first_block[i] = NOWHERE;
    }
    as->blocks.block = block_size_of(m);
    as->blocks.rows = (Rows){.count = 0};
    as->blocks.values = NULL;
    as->now = NULL;
    as->of_rows.count = 0;
    as->coming.count = 0;
    as->unused = 0;
    as->states = as->version = 0;
    as->costs = (Costs){.product = 0};
    as->fixed_known = as->valued = false;
}

/* The structure, up to date with the graph and the components; NULL: there is no room for it, which has been reported. */
static Assembly *structure(DvMechanics *m)
{
    if (m->assembly && (!fits_states(m->assembly, m) ||
                        (m->assembly->states != m->placed && m->assembly->blocks.block != block_size_of(m))))
        start_again(m->assembly, m);
    if (!m->assembly) {
        m->assembly = dv_alloc(1, sizeof *m->assembly);
        m->assembly->blocks.block = block_size_of(m);
    }
    if (!is_up_to_date(m->assembly, m))
        update_structure(m->assembly, m);
    if (m->assembly->has_no_room)
        drop(m);
    return m->assembly;
}

/* The same, and up to date with the Jacobians; *changed: whether these had changed. */
static Assembly *current(DvMechanics *m, bool *changed)
{
    *changed = false;
    const Assembly *as = structure(m);
    if (as && as->local_list.count && !jacobians_update_values(as->jacobians, m, changed)) {
        drop(m);
        as = structure(m);
        if (as && as->local_list.count)
            (void)jacobians_update_values(as->jacobians, m, changed);
    }
    return m->assembly;
}

static void add_values(Assembly *as, DvMechanics *m, const DvStep *step, uint32_t parts)
{
    dv_parallel_for((uint32_t)entry_count(as), 8192, clear_range, as);
    for (uint32_t i = 0; i < as->local_list.count; i++)
        local_clear(&as->locals[as->local_list.at[i]], m);
    for (uint32_t i = 0; i < as->present_count; i++)
        contribute(as, m, as->present[i], step);
    for (uint32_t i = 0; i < as->local_list.count && !(parts & DV_ASSEMBLE_NO_MAPPED); i++)
        local_project(&as->locals[as->local_list.at[i]], &as->blocks, as->jacobians);
    if (parts & DV_ASSEMBLE_CONSTRAINED)
        clear_fixed(as);
    as->now->view.version = ++as->versions;
}

const DvBlockMatrix *assembly_run(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts)
{
    bool turned;
    Assembly *as = current(m, &turned);
    if (!as)
        return NULL;
    parts |= (uint32_t)step->kind << KIND_SHIFT;
    m->depth++;
    const bool same_sources = note_sources(as, m, factors, parts);
    const bool same_fixed = !(parts & DV_ASSEMBLE_CONSTRAINED) || !update_fixed(as, m, step);
    if (!same_sources || !same_fixed || turned)
        add_values(as, m, step, parts);
    m->depth--;
    if (m->lent != as)
        assembly_free(m->lent);
    m->lent = as;
    if (as->lent && as->lent != as->now)
        as->lent->view.version = ++as->versions; /* who still has it knows that it is not the last one */
    as->lent = as->now;
    return &as->now->view;
}

/* Whether all that acts in a product says what it couples, as far as that hangs on classes and on where they stand. */
static bool find_nameable(const DvMechanics *m)
{
    if (m->nameless > 0)
        return false;
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (field_at(m, i)->below_stop || field_at(m, i)->ops->space != DV_HOST)
            return false;
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        if (mapping->loads && (!mapping->ops->jacobian || !mapping->in_slot || mapping->ops->space != DV_HOST ||
                               (mapping->ops->apply_djt && !mapping->ops->reserve_stiffness)))
            return false;
    }
    for (uint32_t i = 0; i < m->constraint_list.count; i++)
        if (!constraint_at(m, i)->ops->fixed || constraint_at(m, i)->ops->space != DV_HOST)
            return false;
    return true;
}

/* Whether the assembled matrix would be the operator of add_mbk and project_response. */
static bool is_equivalent(DvMechanics *m)
{
    if (m->judged != m->version) {
        m->judged = m->version;
        m->nameable = find_nameable(m);
    }
    if (!m->nameable)
        return false;
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        if (mapping->loads && mapping->ops->djt_of_product && mapping->ops->djt_of_product(mapping->self))
            return false;
    }
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->ops->leaves_out && constraint->ops->leaves_out(constraint->self))
            return false;
    }
    return true;
}

/* From here on a structure is worth thinking about. */
enum { MANY_UNKNOWNS = 30000 };

/* What a number of products costs, without a matrix at most and with one at least, as far as components say so without one. */
typedef struct Bounds {
    double free, assembled;
} Bounds;

/* False: that is not known. */
static bool find_bounds(DvMechanics *m, uint32_t products, double unknowns, Bounds *bounds)
{
    const double block = block_size_of(m);
    double product = cost_unknown_product * unknowns, assembly = 0.0, pairs = 0.0;
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mapping_at(m, i)->loads)
            return false;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        const FieldItem *field = field_at(m, i);
        if (field->ops->reserve) {
            double of_product = 0.0, of_assembly = 0.0;
            if (!field->ops->cost || !field->pairs)
                return false;
            field->ops->cost(field->self, &of_product, &of_assembly);
            product += of_product;
            assembly += of_assembly;
            pairs = fmax(pairs, (double)field->pairs->least(field->self)); /* they may be the same */
        }
        if (field->mass) {
            if (!field->mass->is_diagonal(field->self))
                return false;
            product += cost_diagonal * unknowns;
        }
    }
    const double entries = (unknowns / block + 2.0 * pairs) * block * block;
    bounds->free = products * (product + calls_of(m));
    bounds->assembled = assembly + entries * (cost_entry_assembly + cost_entry_assembly_beyond * streamed(entries)) +
                        products * (cost_unknown_matrix_product * unknowns +
                                    entries * (cost_entry_product + cost_entry_product_beyond * streamed(entries)));
    return true;
}

/* Of a large mesh whose elements say what they couple the answer may be known before a structure is there, which would take more
 * memory than all else. */
static bool is_surely_without(DvMechanics *m, uint32_t products)
{
    const double unknowns = (double)mechanics_count_unknowns(m);
    Bounds bounds;
    return unknowns >= MANY_UNKNOWNS && find_bounds(m, products, unknowns, &bounds) && bounds.free <= bounds.assembled;
}

bool assembly_is_preferred(DvMechanics *m, uint32_t products)
{
    const bool equivalent = is_equivalent(m);
    if (!equivalent || products == UINT32_MAX)
        return equivalent;
    if (is_surely_without(m, products))
        return false;
    const Assembly *as = structure(m); /* Jacobians cost more than the answer is worth */
    if (!as)
        return true; /* whoever then asks for the matrix hears that there is none */
    const double calls = calls_of(m);
    const double free_cost = products * (as->product_cost + calls);
    const double assembled_cost = as->assembly_cost + calls + products * as->assembled_product_cost;
    return assembled_cost < free_cost;
}

/* ---- Points that are coupled ---- */

bool assembly_knows_points(const DvMechanics *m)
{
    const Assembly *as = m->assembly;
    return as && as->complete && fits_states(as, m) && is_up_to_date(as, m);
}

const uint32_t *assembly_points(const DvMechanics *m, uint32_t state, uint32_t *count)
{
    *count = m->assembly->coupled[state].count;
    return m->assembly->coupled[state].points;
}
