/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of the global matrix: what they are made of, and how components add to them.
 */
#include <string.h>

#include <divan/parallel.h>

#include "assembly_private.h"

static void add_indirect(const DvMatrixView *view, uint32_t coupling, const double *dense, double factor)
{
    const Contribution *c = view->indirect;
    const uint32_t slot = c->slot[coupling];
    if (slot == NOWHERE)
        return;
    const Target *target = contribution_target(c, coupling);
    if (target->local == NOWHERE) {
        blocks_add(c->assembly->blocks.values, c->assembly->blocks.block, c->slots.data + slot, dense, target->rows,
                   target->columns, factor);
        return;
    }
    const size_t size = (size_t)target->rows * target->columns;
    double *at = c->assembly->couplings.locals.data[target->local].values + slot * size;
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
                         .kind = (DvMatrixKind)(as->values.parts >> KIND_SHIFT)};
    if (c->direct) {
        const Target *target = c->direct_target;
        view.block = target->rows;
        view.values = target->local == NOWHERE ? as->blocks.values : as->couplings.locals.data[target->local].values;
    }
    return view;
}

static bool touches_mapped(const DvMechanics *m, const Contribution *c)
{
    for (uint32_t i = 0; i < c->state_count; i++)
        if (m->states[contribution_states(m, c)[i]].kind == STATE_MAPPED)
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
    bool same = as->values.valued && as->values.parts == parts;
    as->values.valued = true;
    as->values.parts = parts;
    for (uint32_t i = 0; i < as->couplings.present_count; i++)
        same &= note_source(as->couplings.present[i], source_of(m, as->couplings.present[i], factors, parts));
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

/* ---- Rows and columns of fixed unknowns ---- */

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

static inline void clear_fixed_blocks(const Assembly *as, uint32_t b)
{
    const size_t size = (size_t)b * b;
    double *values = as->blocks.values;
    const uint32_t *start = as->blocks.rows.start, *transposed = as->pattern.now->transposed;
    const uint32_t *diagonals = as->pattern.now->diagonal;
    const FixedRow *end = as->fixed.rows.data + as->fixed.rows.count;
    for (const FixedRow *fixed = as->fixed.rows.data; fixed < end; fixed++) {
        for (uint32_t e = start[fixed->row]; e < start[fixed->row + 1]; e++)
            clear_rows(values + e * size, values + transposed[e] * size, fixed->components, b);
        double *diagonal = values + diagonals[fixed->row] * size;
        for (uint32_t c = 0; c < b; c++)
            if (fixed->components & 1u << c)
                diagonal[c * b + c] = 1.0;
    }
}

static void clear_fixed(const Assembly *as)
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

static void add_values(Assembly *as, DvMechanics *m, const DvStep *step, uint32_t parts)
{
    dv_parallel_for((uint32_t)pattern_entry_count(as), 8192, clear_range, as);
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++)
        local_clear(local_at(as, i), m);
    for (uint32_t i = 0; i < as->couplings.present_count; i++)
        contribute(as, m, as->couplings.present[i], step);
    for (uint32_t i = 0; i < as->couplings.local_list.count && !(parts & DV_ASSEMBLE_NO_MAPPED); i++)
        local_project(local_at(as, i), &as->blocks, as->couplings.jacobians);
    if (parts & DV_ASSEMBLE_CONSTRAINED)
        clear_fixed(as);
    as->pattern.now->view.version = ++as->pattern.versions;
}

const DvBlockMatrix *assembly_run(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts)
{
    bool turned;
    Assembly *as = assembly_current(m, &turned);
    if (!as)
        return NULL;
    parts |= (uint32_t)step->kind << KIND_SHIFT;
    m->depth++;
    const bool same_sources = note_sources(as, m, factors, parts);
    const bool same_fixed = !(parts & DV_ASSEMBLE_CONSTRAINED) || !fixed_update(as, m, step);
    if (!same_sources || !same_fixed || turned)
        add_values(as, m, step, parts);
    m->depth--;
    if (m->lent != as)
        assembly_free(m->lent);
    m->lent = as;
    if (as->pattern.lent && as->pattern.lent != as->pattern.now)
        as->pattern.lent->view.version = ++as->pattern.versions; /* whoever has it knows that it is not the last one */
    as->pattern.lent = as->pattern.now;
    return &as->pattern.now->view;
}
