/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The global matrix m M + b B + k K of the independent states below a node, in block compressed rows.
 *
 * Structure, made once: each force field, mass and mapping names the pairs of points it couples. A pair of independent states
 * goes straight to blocks of the global matrix. A pair with a mapped state goes to a matrix of its own (Local) that holds each
 * pair of points once, and from there, with the accumulated Jacobians J of both sides, to the global one:
 *   global(i, j) += J_ai^T local(a, b) J_bj      for all independent i above a and j above b
 * Each of these small products has its slot. Values, at each assembly: every component adds to the slots it has named, then the
 * locals are projected, then rows and columns of fixed unknowns are cleared, with 1 on the diagonal.
 *
 * Where neither factors nor anything that adds to the matrix has changed since the last assembly, as components tell by the numbers
 * of their matrices, the values stay, and their version with them.
 *
 * The structure is made anew when a component's own structure, the size of a state or the graph changes. All sums run in the
 * order of the document: the bits do not depend on threads.
 */
#include <math.h>
#include <string.h>

#include <divan/memory.h>
#include <divan/parallel.h>

#include "jacobians.h"
#include "mechanics.h"
#include "projection.h"
#include "sparse_rows.h"

#define NOWHERE UINT32_MAX /* slot of a coupling with an external state: it counts as fixed */

typedef enum Kind { FORCE_FIELD, MASS, MAPPING } Kind;

/* Where the couplings of one pair of states of a component go. */
typedef struct Target {
    uint32_t local;         /* into locals; NOWHERE: global */
    bool dropped;           /* one state is external */
    uint32_t a, b;          /* states */
    uint32_t rows, columns; /* scalars of a coupling */
} Target;

/* What the values of a contribution were made of: k K + b B, k M, or k times geometric stiffness. */
typedef struct Source {
    uint64_t version; /* 0: they change each time */
    double k, b;
} Source;

/* What one component adds. */
typedef struct Contribution {
    Kind kind;
    uint32_t component;     /* into fields or mappings */
    uint64_t structure;     /* of the component, when it named its couplings */
    const uint32_t *states; /* of the component */
    uint32_t state_count;
    Target *targets;     /* [state_count^2] */
    Pairs couplings;     /* points, while the structure is made */
    uint32_t *target_of; /* [coupling_count] */
    uint32_t *slot;      /* [coupling_count] see DvMatrixView; indirect global ones: first entry in `slots` */
    uint32_t *slots;     /* global slots of couplings that take several blocks, block rows first */
    size_t slot_count, slot_capacity;
    uint32_t coupling_count, coupling_capacity;
    bool direct;                 /* all go to one matrix, block by block... */
    const Target *direct_target; /* ...which is that of this target */
    struct Assembly *assembly;
    Source source; /* of the last values */
} Contribution;

typedef struct FixedUnknown {
    uint32_t row, component; /* block row, scalar in it */
} FixedUnknown;

struct Assembly {
    Blocks blocks;
    uint32_t *points;      /* [states] when the structure was made */
    uint32_t *first_block; /* [states] block row of the first point of an independent state */
    Contribution *contributions;
    uint32_t contribution_count;
    Local *locals;
    uint32_t local_count;
    Jacobians *jacobians; /* NULL: no local */
    uint32_t *diagonal, *transposed;
    DvBlockMatrix matrix;
    FixedUnknown *fixed;
    size_t fixed_count, fixed_capacity;
    uint64_t *fixed_structure; /* [constraints] */
    bool fixed_known;
    uint32_t parts; /* of the last values */
    bool valued;
    double product_cost, assembled_product_cost, assembly_cost; /* ns, see estimate */
};

/* ---- Naming the couplings ---- */

typedef struct Recorder {
    DvPattern pattern;
    const DvMechanics *m;
    Contribution *contribution;
    bool out_of_range;
} Recorder;

static void record(DvPattern *pattern, uint32_t a, uint32_t row_point, uint32_t b, uint32_t column_point)
{
    Recorder *recorder = (Recorder *)(void *)pattern;
    Contribution *c = recorder->contribution;
    const uint32_t n = c->state_count;
    bool good = a < n && b < n;
    good = good && row_point < dv_state_count(recorder->m->states[c->states[a]].ref) &&
           column_point < dv_state_count(recorder->m->states[c->states[b]].ref);
    recorder->out_of_range |= !good;
    if (c->coupling_count == c->coupling_capacity) {
        const uint32_t more = c->coupling_capacity ? 2 * c->coupling_capacity : 64;
        c->target_of = dv_realloc(c->target_of, c->coupling_capacity * sizeof(uint32_t), more * sizeof(uint32_t));
        c->coupling_capacity = more;
    }
    c->target_of[c->coupling_count++] = good ? a * n + b : NOWHERE;
    pairs_add(&c->couplings, row_point, column_point);
}

static const DvPatternOps recorder_ops = {.size = sizeof(DvPatternOps), .add = record};

static void make_targets(DvMechanics *m, Contribution *c)
{
    const uint32_t n = c->state_count;
    c->targets = dv_alloc((size_t)n * n, sizeof *c->targets);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            const StateItem *row = &m->states[c->states[a]], *column = &m->states[c->states[b]];
            c->targets[a * n + b] = (Target){
                .local = NOWHERE,
                .dropped = row->kind == STATE_EXTERNAL || column->kind == STATE_EXTERNAL,
                .a = c->states[a],
                .b = c->states[b],
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

static void name_couplings(DvMechanics *m, Contribution *c)
{
    Recorder recorder = {{&recorder_ops}, m, c, false};
    const DvObject *object;
    make_targets(m, c);
    if (c->kind == MAPPING) {
        const MappingItem *mapping = &m->mappings[c->component];
        mapping->ops->reserve_stiffness(mapping->self, &recorder.pattern);
        object = mapping->object;
    } else {
        const FieldItem *field = &m->fields[c->component];
        if (c->kind == MASS)
            field->mass->reserve(field->self, &recorder.pattern);
        else
            field->ops->reserve(field->self, &recorder.pattern);
        object = field->object;
    }
    c->structure = structure_of(m, c);
    if (recorder.out_of_range)
        (void)dv_error(object, DV_ERROR_INVALID,
                       "it couples points that its state does not have; they are left out of the matrix");
}

static Contribution *add_contribution(Assembly *as, Kind kind, uint32_t component, const uint32_t *states,
                                      uint32_t state_count)
{
    as->contributions = dv_realloc(as->contributions, as->contribution_count * sizeof *as->contributions,
                                   (as->contribution_count + 1) * sizeof *as->contributions);
    Contribution *c = &as->contributions[as->contribution_count++];
    *c = (Contribution){.kind = kind, .component = component, .states = states, .state_count = state_count};
    return c;
}

static void list_contributions(Assembly *as, DvMechanics *m)
{
    for (uint32_t i = 0; i < m->field_count; i++) {
        const FieldItem *field = &m->fields[i];
        if (field->ops->reserve && field->ops->assemble)
            (void)add_contribution(as, FORCE_FIELD, i, field->states, field->state_count);
        else if (field->ops->add_dforce)
            dv_warning(field->object, "it gives no matrix: in an assembled system its force is explicit");
        if (field->mass && field->mass->reserve && field->mass->assemble)
            (void)add_contribution(as, MASS, i, field->states, 1);
    }
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        if (mapping->ops->reserve_stiffness && mapping->ops->assemble_stiffness &&
            mapping->ops->is_mechanical(mapping->self))
            (void)add_contribution(as, MAPPING, i, mapping_inputs_of(m, mapping), mapping->inputs);
    }
    for (uint32_t i = 0; i < as->contribution_count; i++)
        name_couplings(m, &as->contributions[i]);
}

/* ---- Locals ---- */

static uint32_t local_of(Assembly *as, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < as->local_count; i++)
        if (as->locals[i].a == a && as->locals[i].b == b)
            return i;
    as->locals =
        dv_realloc(as->locals, as->local_count * sizeof *as->locals, (as->local_count + 1) * sizeof *as->locals);
    as->locals[as->local_count] = (Local){.a = a, .b = b};
    return as->local_count++;
}

static void make_locals(Assembly *as, DvMechanics *m)
{
    for (uint32_t i = 0; i < as->contribution_count; i++) {
        Contribution *c = &as->contributions[i];
        for (uint32_t t = 0; t < c->state_count * c->state_count; t++) {
            Target *target = &c->targets[t];
            const bool mapped = m->states[target->a].kind == STATE_MAPPED || m->states[target->b].kind == STATE_MAPPED;
            if (mapped && !target->dropped)
                target->local = local_of(as, target->a, target->b);
        }
        for (uint32_t k = 0; k < c->coupling_count; k++) {
            const Target *target = c->target_of[k] == NOWHERE ? NULL : &c->targets[c->target_of[k]];
            if (target && target->local != NOWHERE)
                pairs_add(&as->locals[target->local].pairs, c->couplings.row[k], c->couplings.column[k]);
        }
    }
    for (uint32_t i = 0; i < as->local_count; i++) {
        Local *local = &as->locals[i];
        local_make_rows(local, m);
    }
    if (as->local_count == 0)
        return;
    bool *needed = dv_alloc(m->state_count, sizeof *needed);
    for (uint32_t i = 0; i < as->local_count; i++)
        needed[as->locals[i].a] = needed[as->locals[i].b] = true;
    as->jacobians = jacobians_new(m, needed);
    dv_free(needed);
}

/* ---- The global structure ---- */

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Block size and places of the states; the number of block rows. */
static uint32_t place_states(Assembly *as, DvMechanics *m)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < m->independent_count; i++)
        common = greatest_common_divisor(m->states[m->independent[i]].ref.dof->deriv, common);
    as->blocks.block = common == 0 ? 1 : common % 3 == 0 ? 3 : common;
    as->points = dv_alloc(m->state_count, sizeof *as->points);
    as->blocks.first_block = as->first_block = dv_alloc(m->state_count, sizeof *as->first_block);
    for (uint32_t i = 0; i < m->state_count; i++)
        as->points[i] = dv_state_count(m->states[i].ref);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < m->independent_count; i++) {
        const uint32_t state = m->independent[i];
        as->first_block[state] = rows;
        rows += as->points[state] * blocks_per_point(&as->blocks, state);
    }
    return rows;
}

static void make_rows(Assembly *as, uint32_t row_count)
{
    Pairs pairs = {0};
    for (uint32_t i = 0; i < as->contribution_count; i++) {
        const Contribution *c = &as->contributions[i];
        for (uint32_t k = 0; k < c->coupling_count; k++) {
            const Target *target = c->target_of[k] == NOWHERE ? NULL : &c->targets[c->target_of[k]];
            if (target && target->local == NOWHERE && !target->dropped)
                blocks_add_pairs(&as->blocks, &pairs, target->a, c->couplings.row[k], target->b,
                                 c->couplings.column[k]);
        }
    }
    for (uint32_t i = 0; i < as->local_count; i++)
        local_name_products(&as->locals[i], &as->blocks, as->jacobians, &pairs);
    as->blocks.rows = rows_from_pairs(row_count, &pairs, true);
    pairs_free(&pairs);
}

/* All couplings of a component in one matrix whose blocks are as large as a coupling. */
static bool is_direct(const Assembly *as, Contribution *c)
{
    const Target *first = NULL;
    c->direct_target = c->targets;
    for (uint32_t k = 0; k < c->coupling_count; k++) {
        if (c->target_of[k] == NOWHERE || c->targets[c->target_of[k]].dropped)
            return false;
        const Target *target = &c->targets[c->target_of[k]];
        first = first ? first : target;
        c->direct_target = first;
        if (target->local != first->local || target->rows != target->columns || target->rows != first->rows)
            return false;
    }
    return !first || first->local != NOWHERE || first->rows == as->blocks.block;
}

static void add_slot(Contribution *c, uint32_t slot)
{
    if (c->slot_count == c->slot_capacity) {
        const size_t more = c->slot_capacity ? 2 * c->slot_capacity : 256;
        c->slots = dv_realloc(c->slots, c->slot_capacity * sizeof(uint32_t), more * sizeof(uint32_t));
        c->slot_capacity = more;
    }
    c->slots[c->slot_count++] = slot;
}

static void place_couplings(Assembly *as, Contribution *c)
{
    c->direct = is_direct(as, c);
    c->assembly = as;
    c->slot = dv_alloc(c->coupling_count, sizeof *c->slot);
    for (uint32_t k = 0; k < c->coupling_count; k++) {
        const Target *target = c->target_of[k] == NOWHERE ? NULL : &c->targets[c->target_of[k]];
        const uint32_t p = c->couplings.row[k], q = c->couplings.column[k];
        if (!target || target->dropped) {
            c->slot[k] = NOWHERE;
        } else if (target->local != NOWHERE) {
            c->slot[k] = rows_find(&as->locals[target->local].rows, p, q);
        } else if (c->direct) {
            c->slot[k] =
                rows_find(&as->blocks.rows, block_row(&as->blocks, target->a, p), block_row(&as->blocks, target->b, q));
        } else {
            c->slot[k] = (uint32_t)c->slot_count;
            for (uint32_t r = 0; r < target->rows / as->blocks.block; r++)
                for (uint32_t s = 0; s < target->columns / as->blocks.block; s++)
                    add_slot(c, rows_find(&as->blocks.rows, block_row(&as->blocks, target->a, p) + r,
                                          block_row(&as->blocks, target->b, q) + s));
        }
    }
    pairs_free(&c->couplings);
    if (c->direct) {
        dv_free(c->target_of);
        c->target_of = NULL;
    }
}

static void make_matrix(Assembly *as, SceneMechanics *scene)
{
    const Rows *rows = &as->blocks.rows;
    const uint32_t entries = rows->start[rows->count];
    as->diagonal = dv_alloc(rows->count, sizeof *as->diagonal);
    as->transposed = dv_alloc(entries, sizeof *as->transposed);
    as->blocks.values = dv_alloc((size_t)entries * as->blocks.block * as->blocks.block, sizeof *as->blocks.values);
    for (uint32_t row = 0; row < rows->count; row++) {
        as->diagonal[row] = rows_find(rows, row, row);
        for (uint32_t e = rows->start[row]; e < rows->start[row + 1]; e++)
            as->transposed[e] = rows_find(rows, rows->columns[e], row);
    }
    as->matrix = (DvBlockMatrix){
        .rows = rows->count,
        .block = as->blocks.block,
        .row_start = rows->start,
        .columns = rows->columns,
        .diagonal = as->diagonal,
        .transposed = as->transposed,
        .values = as->blocks.values,
        .structure = ++scene->structures,
    };
}

/* How long things take, in nanoseconds: as components say, else by what was measured with mapped surfaces: a product without
 * the matrix and an assembly grow with the number of entries that components couple, and several times faster once their
 * own data do not fit the caches any more (from 100,000 to 1,000,000 entries). */
static void estimate(Assembly *as, const DvMechanics *m)
{
    double coupled = 0.0, diagonal = 0.0, known_products = 0.0, known_assembly = 0.0, unknowns = 0.0;
    for (uint32_t i = 0; i < as->contribution_count; i++) {
        const Contribution *c = &as->contributions[i];
        if (c->state_count == 0)
            continue;
        if (c->kind == FORCE_FIELD && m->fields[c->component].ops->cost) {
            double product = 0.0, assembly = 0.0;
            m->fields[c->component].ops->cost(m->fields[c->component].self, &product, &assembly);
            known_products += product;
            known_assembly += assembly;
            continue;
        }
        const double size = (double)c->coupling_count * c->targets[0].rows * c->targets[0].columns;
        if (c->kind == MASS && c->coupling_count <= as->points[c->states[0]])
            diagonal += size / c->targets[0].columns;
        else
            coupled += size;
    }
    const double beyond_cache = fmin(fmax(log10(fmax(coupled, 1.0)) - 5.0, 0.0), 1.0);
    for (uint32_t i = 0; i < m->independent_count; i++)
        unknowns += (double)as->points[m->independent[i]] * m->states[m->independent[i]].ref.dof->deriv;
    const double entries = (double)as->blocks.rows.start[as->blocks.rows.count] * as->blocks.block * as->blocks.block;
    const double streamed = fmin(fmax((entries - 5e5) / 2e6, 0.0), 1.0); /* the matrix does not stay in a cache */
    as->product_cost = known_products + diagonal + 0.7 * unknowns + coupled * (0.2 + 2.1 * beyond_cache);
    as->assembled_product_cost = 0.25 * unknowns + entries * (0.095 + 0.4 * streamed);
    as->assembly_cost =
        known_assembly + diagonal + coupled * (0.5 + 7.8 * beyond_cache) + entries * (0.15 + 0.6 * streamed);
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        for (uint32_t k = 0; mapping->loaded && k < mapping->outputs; k++) {
            const uint32_t child = mapping_outputs_of(m, mapping)[k];
            const double scalars = (double)m->states[child].ref.dof->deriv * as->points[child];
            as->product_cost += 0.6 * scalars;
            as->assembly_cost += 3.0 * scalars; /* its Jacobian */
        }
    }
    for (uint32_t i = 0; i < as->local_count; i++) {
        const Local *local = &as->locals[i];
        const uint32_t a = m->states[local->a].ref.dof->deriv, b = m->states[local->b].ref.dof->deriv;
        const bool bodies = a != as->blocks.block || b != as->blocks.block ||
                            as->points[local->a] * a > as->blocks.rows.count * as->blocks.block;
        as->assembly_cost += (bodies ? 0.4 : 1.0) * (double)local->slot_count * as->blocks.block * as->blocks.block;
    }
}

static Assembly *build(DvMechanics *m)
{
    Assembly *as = dv_alloc(1, sizeof *as);
    as->blocks.m = m;
    const uint32_t rows = place_states(as, m);
    list_contributions(as, m);
    make_locals(as, m);
    make_rows(as, rows);
    for (uint32_t i = 0; i < as->local_count; i++) {
        local_place_products(&as->locals[i], &as->blocks, as->jacobians);
    }
    for (uint32_t i = 0; i < as->contribution_count; i++)
        place_couplings(as, &as->contributions[i]);
    make_matrix(as, m->scene);
    as->fixed_structure = dv_alloc(m->constraint_count, sizeof *as->fixed_structure);
    estimate(as, m);
    return as;
}

void assembly_free(Assembly *as)
{
    if (!as)
        return;
    for (uint32_t i = 0; i < as->contribution_count; i++) {
        Contribution *c = &as->contributions[i];
        dv_free(c->targets);
        pairs_free(&c->couplings);
        dv_free(c->target_of);
        dv_free(c->slot);
        dv_free(c->slots);
    }
    for (uint32_t i = 0; i < as->local_count; i++) {
        local_free(&as->locals[i]);
    }
    jacobians_free(as->jacobians);
    rows_free(&as->blocks.rows);
    void *arrays[] = {as->points,     as->first_block,   as->contributions, as->locals,         as->diagonal,
                      as->transposed, as->blocks.values, as->fixed,         as->fixed_structure};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dv_free(arrays[i]);
    dv_free(as);
}

static bool is_current(const Assembly *as, const DvMechanics *m)
{
    for (uint32_t i = 0; i < m->state_count; i++)
        if (as->points[i] != dv_state_count(m->states[i].ref))
            return false;
    for (uint32_t i = 0; i < as->contribution_count; i++)
        if (structure_of(m, &as->contributions[i]) != as->contributions[i].structure)
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
    const Target *target = &c->targets[c->target_of[coupling]];
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
                         .add = add_indirect};
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
        if (m->states[c->states[i]].kind == STATE_MAPPED)
            return true;
    return false;
}

static void add_mapping_stiffness(DvMechanics *m, const MappingItem *mapping, double k, const DvMatrixView *view)
{
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        m->given[i] = dv_state_read(m->states[mapping_outputs_of(m, mapping)[i]].ref, DV_FORCE);
        if (!m->given[i].at)
            return;
    }
    mapping->ops->assemble_stiffness(mapping->self, k, m->given, view);
}

enum { NOTHING = 1 }; /* version of a contribution that adds nothing */

static Source source_of(DvMechanics *m, const Contribution *c, DvFactors factors, uint32_t parts)
{
    const Source nothing = {.version = NOTHING};
    if (((parts & DV_ASSEMBLE_NO_MAPPED) && touches_mapped(m, c)) || c->coupling_count == 0)
        return nothing;
    if (c->kind == MAPPING) /* by the forces at hand, which differ each time */
        return factors.k == 0.0 || (parts & DV_ASSEMBLE_NO_GEOMETRIC_STIFFNESS) ? nothing : (Source){.k = factors.k};
    const FieldItem *field = &m->fields[c->component];
    if (!mechanics_alive(field->object))
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

/* Takes note of what the next values will be made of; whether that is what the last ones were made of. */
static bool note_sources(Assembly *as, DvMechanics *m, DvFactors factors, uint32_t parts)
{
    bool same = as->valued && as->parts == parts;
    as->valued = true;
    as->parts = parts;
    for (uint32_t i = 0; i < as->contribution_count; i++) {
        Contribution *c = &as->contributions[i];
        const Source now = source_of(m, c, factors, parts), before = c->source;
        same = same && now.version != 0 && now.version == before.version && now.k == before.k && now.b == before.b;
        c->source = now;
    }
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
    if (item->kind != STATE_INDEPENDENT || point >= as->points[index] || component >= item->ref.dof->deriv)
        return;
    if (as->fixed_count == as->fixed_capacity) {
        const size_t more = as->fixed_capacity ? 2 * as->fixed_capacity : 64;
        as->fixed = dv_realloc(as->fixed, as->fixed_capacity * sizeof *as->fixed, more * sizeof *as->fixed);
        as->fixed_capacity = more;
    }
    as->fixed[as->fixed_count++] = (FixedUnknown){block_row(&as->blocks, index, point) + component / as->blocks.block,
                                                  component % as->blocks.block};
}

/* The unknowns that constraints fix, kept until one of them says that its set has changed; whether that was so. */
static bool update_fixed(Assembly *as, DvMechanics *m, const DvStep *step)
{
    bool same = as->fixed_known;
    for (uint32_t i = 0; i < m->constraint_count; i++) {
        const ConstraintItem *constraint = &m->constraints[i];
        const uint64_t structure = constraint->ops->structure ? constraint->ops->structure(constraint->self, step) : 0;
        same = same && structure == as->fixed_structure[i];
        as->fixed_structure[i] = structure;
    }
    if (same)
        return false;
    as->fixed_count = 0;
    for (uint32_t i = 0; i < m->constraint_count; i++) {
        const ConstraintItem *constraint = &m->constraints[i];
        if (m->states[constraint->states[0]].kind == STATE_MAPPED) {
            if (!as->fixed_known)
                dv_warning(constraint->object,
                           "it constrains mapped points, which an assembled system does not see: constrain the "
                           "state they are mapped from");
        } else if (constraint->ops->fixed) {
            constraint->ops->fixed(constraint->self, step, fix, &(Fixing){as, constraint});
        } else if (!as->fixed_known) {
            dv_warning(constraint->object,
                       "it gives no fixed unknowns: an assembled system is left unconstrained by it");
        }
    }
    as->fixed_known = true;
    return true;
}

static void clear_fixed(Assembly *as)
{
    const uint32_t b = as->blocks.block;
    for (size_t i = 0; i < as->fixed_count; i++) {
        const uint32_t row = as->fixed[i].row, component = as->fixed[i].component;
        for (uint32_t e = as->blocks.rows.start[row]; e < as->blocks.rows.start[row + 1]; e++) {
            double *block = as->blocks.values + (size_t)e * b * b;
            double *mirror = as->blocks.values + (size_t)as->transposed[e] * b * b;
            for (uint32_t c = 0; c < b; c++) {
                block[component * b + c] = 0.0;
                mirror[c * b + component] = 0.0;
            }
        }
        as->blocks.values[(size_t)as->diagonal[row] * b * b + (size_t)component * b + component] = 1.0;
    }
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

/* The structure, up to date with the graph and the components. */
static Assembly *structure(DvMechanics *m)
{
    if (m->assembly && !is_current(m->assembly, m))
        drop(m);
    if (!m->assembly)
        m->assembly = build(m);
    return m->assembly;
}

/* The same, and up to date with the Jacobians; *changed: whether these had changed. */
static Assembly *current(DvMechanics *m, bool *changed)
{
    *changed = false;
    (void)structure(m);
    if (m->assembly->jacobians && !jacobians_update(m->assembly->jacobians, m, changed)) {
        drop(m);
        m->assembly = build(m);
        if (m->assembly->jacobians)
            (void)jacobians_update(m->assembly->jacobians, m, changed);
    }
    return m->assembly;
}

static void add_values(Assembly *as, DvMechanics *m, const DvStep *step, uint32_t parts)
{
    dv_parallel_for(as->blocks.rows.start[as->blocks.rows.count], 8192, clear_range, as);
    for (uint32_t i = 0; i < as->local_count; i++) {
        local_clear(&as->locals[i], m);
    }
    for (uint32_t i = 0; i < as->contribution_count; i++)
        contribute(as, m, &as->contributions[i], step);
    for (uint32_t i = 0; i < as->local_count && !(parts & DV_ASSEMBLE_NO_MAPPED); i++)
        local_project(&as->locals[i], &as->blocks, as->jacobians);
    if (parts & DV_ASSEMBLE_CONSTRAINED)
        clear_fixed(as);
    as->matrix.version++;
}

const DvBlockMatrix *assembly_run(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts)
{
    bool turned;
    Assembly *as = current(m, &turned);
    m->depth++;
    const bool same_sources = note_sources(as, m, factors, parts);
    const bool same_fixed = !(parts & DV_ASSEMBLE_CONSTRAINED) || !update_fixed(as, m, step);
    if (!same_sources || !same_fixed || turned)
        add_values(as, m, step, parts);
    m->depth--;
    if (m->lent != as)
        assembly_free(m->lent);
    m->lent = as;
    return &as->matrix;
}

/* Whether the assembled matrix would be the operator of add_mbk and project_response. */
static bool is_equivalent(const DvMechanics *m)
{
    for (uint32_t i = 0; i < m->field_count; i++) {
        const FieldItem *field = &m->fields[i];
        const bool stiff = field->ops->add_dforce && !(field->ops->reserve && field->ops->assemble);
        const bool heavy = field->mass && !(field->mass->reserve && field->mass->assemble);
        if (stiff || heavy || field->below_stop || field->ops->space != DV_HOST)
            return false;
    }
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        const MappingItem *mapping = &m->mappings[i];
        if (mapping->loaded && (!mapping->ops->jacobian || !mapping->in_slot || mapping->ops->space != DV_HOST ||
                                (mapping->ops->apply_djt && !mapping->ops->reserve_stiffness) ||
                                (mapping->ops->djt_of_product && mapping->ops->djt_of_product(mapping->self))))
            return false;
    }
    for (uint32_t i = 0; i < m->constraint_count; i++)
        if (!m->constraints[i].ops->fixed || m->constraints[i].ops->space != DV_HOST)
            return false;
    return true;
}

bool assembly_is_preferred(DvMechanics *m, uint32_t products)
{
    if (!is_equivalent(m))
        return false;
    const Assembly *as = structure(m); /* Jacobians cost more than the answer is worth */
    const double calls = 40.0 * (m->field_count + 3.0 * m->mapping_count + 2.0 * m->state_count + m->constraint_count);
    const double free_cost = products * (as->product_cost + calls);
    const double assembled_cost = as->assembly_cost + calls + products * as->assembled_product_cost;
    return assembled_cost < free_cost;
}
