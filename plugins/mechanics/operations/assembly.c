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
 * pass that moves rows and renumbers the slots, without asking any component. Where there is the diagonal alone it is filled in at
 * once. So the entries are always those that the present components name, whatever was there before, and results are those of a
 * structure made from nothing. When a state has another number of points or the block size changes, the structure is made from
 * nothing, in the memory that it has.
 *
 * Where neither factors nor anything that adds to the matrix has changed since the last assembly, as components tell by the numbers
 * of their matrices, the values stay, and their version with them.
 *
 * All sums run in the order of the document: the bits do not depend on threads, nor on edits before.
 */
#include "assembly_private.h"

/* ---- Room in memory ---- */

/* Who names most couplings is named when there is no room for them. */
static const DvObject *largest_component(const Assembly *as)
{
    const DvMechanics *m = as->blocks.m;
    const DvObject *object = m->field_list.count ? field_at(m, 0)->object : NULL;
    const uint32_t of_fields = as->couplings.of_fields.count;
    size_t most = 0;
    for (uint32_t i = 0; i < of_fields + as->couplings.of_mappings.count; i++) {
        const bool is_mapping = i >= of_fields;
        const Contribution *c =
            is_mapping ? &as->couplings.of_mappings.data[i - of_fields] : &as->couplings.of_fields.data[i];
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

bool assembly_has_memory(Assembly *as, size_t capacity, size_t count, size_t bytes)
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

/* ---- Structure ---- */

/* What has gone, first, then what has come. With has_no_room at the end it is of no use. */
static void update_structure(Assembly *as, DvMechanics *m)
{
    as->blocks.m = m;
    couplings_retire_gone(as, m);
    if (as->couplings.jacobians)
        locals_retire(as, m);
    if (as->pattern.states != m->placed)
        pattern_place_states(as, m);
    if (!as->has_no_room)
        couplings_add_new(as, m);
    if (as->has_no_room)
        return;
    locals_make(as, m);
    pattern_update(as, m->scene);
    if (as->has_no_room)
        return;
    couplings_list_present(as, m);
    costs_estimate(as, m);
    as->version = m->version;
    locals_list_points(as, m);
    as->complete = m->nameless == 0;
}

void assembly_free(Assembly *as)
{
    if (!as)
        return;
    couplings_free(&as->couplings);
    locals_free(&as->couplings);
    pattern_free(&as->pattern);
    dv_array_free(&as->fixed.rows);
    dv_array_free(&as->fixed.gathered);
    dv_free(as);
}

bool assembly_is_up_to_date(const Assembly *as, const DvMechanics *m)
{
    if (as->version != m->version)
        return false;
    for (uint32_t i = 0; i < as->couplings.present_count; i++)
        if (contribution_structure(m, as->couplings.present[i]) != as->couplings.present[i]->structure)
            return false;
    return true;
}

/* Lets go of a structure; one whose matrix is lent stays until the next assembly. */
static void drop(DvMechanics *m)
{
    if (m->assembly != m->lent)
        assembly_free(m->assembly);
    m->assembly = NULL;
}

/* As if nothing had been there: with memory for as much as there was, and the matrix that is lent. */
static void start_again(Assembly *as, const DvMechanics *m)
{
    couplings_clear(&as->couplings);
    locals_clear(&as->couplings);
    pattern_clear(as, m);
    as->version = 0;
    as->costs.sum = (Costs){.product = 0};
    as->fixed.known = as->values.valued = false;
}

Assembly *assembly_structure(DvMechanics *m)
{
    if (m->assembly && (!pattern_fits_states(m->assembly, m) || (m->assembly->pattern.states != m->placed &&
                                                                 m->assembly->blocks.block != pattern_block_size(m))))
        start_again(m->assembly, m);
    if (!m->assembly) {
        m->assembly = dv_alloc(1, sizeof *m->assembly);
        m->assembly->blocks.block = pattern_block_size(m);
    }
    if (!assembly_is_up_to_date(m->assembly, m))
        update_structure(m->assembly, m);
    if (m->assembly->has_no_room)
        drop(m);
    return m->assembly;
}

Assembly *assembly_current(DvMechanics *m, bool *changed)
{
    *changed = false;
    const Assembly *as = assembly_structure(m);
    if (as && as->couplings.local_list.count && !jacobians_update_values(as->couplings.jacobians, m, changed)) {
        drop(m);
        as = assembly_structure(m);
        if (as && as->couplings.local_list.count)
            (void)jacobians_update_values(as->couplings.jacobians, m, changed);
    }
    return m->assembly;
}
