/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long products and assemblies take, and whether a matrix is preferred.
 */
#include <math.h>

#include "assembly_private.h"
#include "costs.h"

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
void costs_estimate(Assembly *as, const DvMechanics *m)
{
    const double coupled = (double)as->costs.sum.coupled, diagonal = (double)as->costs.sum.diagonal;
    const double beyond_cache = fmin(fmax(log10(fmax(coupled, 1.0)) - 5.0, 0.0), 1.0);
    const double unknowns = (double)as->blocks.rows.count * as->blocks.block;
    const double entries = (double)pattern_entry_count(as) * as->blocks.block * as->blocks.block;
    as->costs.product = (double)as->costs.sum.product / 1024.0 + cost_diagonal * diagonal +
                        cost_unknown_product * unknowns +
                        coupled * (cost_coupled_product + cost_coupled_product_beyond * beyond_cache);
    as->costs.assembled_product = cost_unknown_matrix_product * unknowns +
                                  entries * (cost_entry_product + cost_entry_product_beyond * streamed(entries));
    as->costs.assembly = (double)as->costs.sum.assembly / 1024.0 + cost_diagonal * diagonal +
                         coupled * (cost_coupled_assembly + cost_coupled_assembly_beyond * beyond_cache) +
                         entries * (cost_entry_assembly + cost_entry_assembly_beyond * streamed(entries));
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        for (uint32_t k = 0; mapping->loads && k < mapping->outputs; k++) {
            const uint32_t child = mapping_outputs_of(mapping)[k];
            const double scalars = (double)m->states[child].ref.dof->deriv * as->pattern.placed.data[child].points;
            as->costs.product += cost_mapped_product * scalars;
            as->costs.assembly += cost_mapped_assembly * scalars;
        }
    }
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++) {
        const Local *local = local_at(as, i);
        const uint32_t a = m->states[local->a].ref.dof->deriv, b = m->states[local->b].ref.dof->deriv;
        const bool bodies = a != as->blocks.block || b != as->blocks.block ||
                            as->pattern.placed.data[local->a].points * a > as->blocks.rows.count * as->blocks.block;
        as->costs.assembly += (bodies ? cost_projected_body_entry : cost_projected_entry) * (double)local->slot_count *
                              as->blocks.block * as->blocks.block;
    }
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
    const double block = pattern_block_size(m);
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
    if (m->elsewhere || is_surely_without(m, products)) /* vectors stay where they are */
        return false;
    const Assembly *as = assembly_structure(m); /* Jacobians cost more than the answer is worth */
    if (!as)
        return true; /* whoever then asks for the matrix hears that there is none */
    const double calls = calls_of(m);
    const double free_cost = products * (as->costs.product + calls);
    const double assembled_cost = as->costs.assembly + calls + products * as->costs.assembled_product;
    return assembled_cost < free_cost;
}
