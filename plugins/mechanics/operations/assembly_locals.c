/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices on mapped states (locals): their couplings, the Jacobians they need, and the points that are coupled.
 */
#include <string.h>

#include "assembly_private.h"

static uint32_t local_of(AssemblyCouplings *couplings, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < couplings->local_list.count; i++) {
        const Local *local = &couplings->locals.data[couplings->local_list.at[i]];
        if (local->a == a && local->b == b)
            return couplings->local_list.at[i];
    }
    uint32_t place = couplings->locals.count;
    if (couplings->free_locals.count)
        place = couplings->free_locals.at[--couplings->free_locals.count];
    else
        dv_array_resize(&couplings->locals, place + 1);
    Local *local = &couplings->locals.data[place]; /* its arrays are kept from before; it has no users and no entries */
    local->a = a;
    local->b = b;
    list_add(&couplings->local_list, place);
    return place;
}

void locals_use(Assembly *as, const DvMechanics *m, Contribution *c, uint32_t number)
{
    for (uint32_t t = 0; t < c->state_count * c->state_count; t++) {
        Target *target = &c->targets[t];
        const bool mapped = m->states[target->a].kind == STATE_MAPPED || m->states[target->b].kind == STATE_MAPPED;
        if (!mapped || target->dropped)
            continue;
        target->local = local_of(&as->couplings, target->a, target->b);
        Local *local = &as->couplings.locals.data[target->local];
        dv_array_push(&local->users, (LocalUser){number, t});
        local->dirty = true;
    }
}

void locals_give_up(Assembly *as, const Contribution *c, uint32_t number)
{
    for (uint32_t t = 0; t < c->state_count * c->state_count; t++) {
        if (c->targets[t].local == NOWHERE)
            continue;
        Local *local = &as->couplings.locals.data[c->targets[t].local];
        for (uint32_t u = 0; u < local->users.count;) {
            if (local->users.data[u].contribution == number)
                local->users.data[u] = local->users.data[--local->users.count];
            else
                u++;
        }
        local->dirty = true;
    }
}

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
    as->couplings.pairs.count = 0;
    for (uint32_t u = 0; u < local->users.count; u++) {
        const LocalUser user = local->users.data[u];
        const Contribution *c = contribution_of(as, user.contribution);
        for (size_t k = 0; k < c->couplings.count; k++)
            if (contribution_target_number(c, k) == user.target)
                pairs_add(&as->couplings.pairs, c->couplings.row[k], c->couplings.column[k]);
        if (compare_users(as, m, user, local->users.data[0]) < 0) {
            local->users.data[u] = local->users.data[0];
            local->users.data[0] = user;
        }
    }
}

/* Insertion: the list is in order but for a few. */
static void sort_locals(Assembly *as, const DvMechanics *m)
{
    List *list = &as->couplings.local_list;
    for (uint32_t i = 1; i < list->count; i++) {
        const uint32_t place = list->at[i];
        uint32_t to = i;
        for (; to > 0 && compare_users(as, m, as->couplings.locals.data[place].users.data[0],
                                       as->couplings.locals.data[list->at[to - 1]].users.data[0]) < 0;
             to--)
            list->at[to] = list->at[to - 1];
        list->at[to] = place;
    }
}

static void give_back_all(Assembly *as, Local *local)
{
    for (size_t k = 0; k < local->slot_count; k++)
        pattern_give_back(as, local->slots[k]);
    local->slot_count = 0;
}

/* Those that the locals need as they are now. */
static void update_jacobians(Assembly *as, DvMechanics *m)
{
    WITH_ROOM(as->couplings.needed, as->couplings.needed_capacity, m->state_slots.count);
    memset(as->couplings.needed, 0, m->state_slots.count * sizeof *as->couplings.needed);
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++) {
        const Local *local = local_at(as, i);
        if (local->users.count)
            as->couplings.needed[local->a] = as->couplings.needed[local->b] = true;
    }
    jacobians_update_structure(as->couplings.jacobians, m, as->couplings.needed);
}

/* Those whose Jacobians have come or changed are to be made anew. */
static void mark_turned(Assembly *as)
{
    const Jacobians *jacobians = as->couplings.jacobians;
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++) {
        Local *local = local_at(as, i);
        local->dirty = local->dirty || jacobians_changed(jacobians, local->a) || jacobians_changed(jacobians, local->b);
    }
}

void locals_retire(Assembly *as, DvMechanics *m)
{
    update_jacobians(as, m);
    mark_turned(as);
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++)
        if (local_at(as, i)->dirty)
            give_back_all(as, local_at(as, i));
}

static void drop_unused(Assembly *as)
{
    for (uint32_t i = as->couplings.local_list.count; i-- > 0;) {
        const uint32_t place = as->couplings.local_list.at[i];
        if (as->couplings.locals.data[place].users.count)
            continue;
        list_remove_at(&as->couplings.local_list, i);
        list_add(&as->couplings.free_locals, place);
    }
}

/* Where the couplings of its users are in a local. */
static void place_couplings(const Assembly *as, const Local *local)
{
    for (uint32_t u = 0; u < local->users.count; u++) {
        const Contribution *c = contribution_of(as, local->users.data[u].contribution);
        for (size_t k = 0; k < c->couplings.count; k++)
            if (contribution_target_number(c, k) == local->users.data[u].target)
                c->slot[k] = rows_find(&local->rows, c->couplings.row[k], c->couplings.column[k]);
    }
}

void locals_make(Assembly *as, DvMechanics *m)
{
    drop_unused(as);
    if (as->couplings.local_list.count) {
        if (!as->couplings.jacobians)
            as->couplings.jacobians = jacobians_new();
        update_jacobians(as, m);
        mark_turned(as);
    }
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++) {
        Local *local = local_at(as, i);
        if (!local->dirty)
            continue;
        give_back_all(as, local);
        gather_pairs(as, m, local);
        const size_t scalars = (size_t)m->states[local->a].ref.dof->deriv * m->states[local->b].ref.dof->deriv;
        if (!assembly_has_memory(as, local->value_capacity, as->couplings.pairs.count * scalars, sizeof *local->values))
            return;
        local_make(local, &as->couplings.pairs, &as->blocks, as->couplings.jacobians, &as->pattern.sorter,
                   pattern_name_entry, as);
        place_couplings(as, local);
    }
    sort_locals(as, m);
}

/* Those of the local matrices, which hold what is coupled on mapped states; couplings with external states do nothing in a product. */
static void list_coupled(Assembly *as, const DvMechanics *m, uint32_t state)
{
    CoupledPoints *coupled = &as->couplings.coupled.data[state];
    const uint32_t points = dv_state_count(m->states[state].ref);
    WITH_ROOM(coupled->points, coupled->capacity, points);
    WITH_ROOM(as->couplings.marks, as->couplings.marks_capacity, (size_t)points + 1);
    memset(as->couplings.marks, 0, points);
    for (uint32_t i = 0; i < as->couplings.local_list.count; i++) {
        const Local *local = local_at(as, i);
        const Rows *rows = &local->rows;
        for (uint32_t p = 0; local->a == state && p < rows->count; p++)
            as->couplings.marks[p] |= rows->start[p + 1] > rows->start[p];
        for (uint32_t e = 0; local->b == state && local->a != state && e < rows->start[rows->count]; e++)
            as->couplings.marks[rows->columns[e]] = 1;
    }
    coupled->count = 0;
    for (uint32_t p = 0; p < points; p++) {
        coupled->points[coupled->count] = p;
        coupled->count += as->couplings.marks[p];
    }
}

/* Of the states whose products may be of some points. */
void locals_list_points(Assembly *as, const DvMechanics *m)
{
    if (m->state_slots.count > as->couplings.coupled.count)
        dv_array_resize(&as->couplings.coupled, m->state_slots.capacity);
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mapping_at(m, i)->at_points)
            list_coupled(as, m, mapping_outputs_of(mapping_at(m, i))[0]);
}

bool assembly_knows_points(const DvMechanics *m)
{
    const Assembly *as = m->assembly;
    return as && as->complete && pattern_fits_states(as, m) && assembly_is_up_to_date(as, m);
}

const uint32_t *assembly_points(const DvMechanics *m, uint32_t state, uint32_t *count)
{
    *count = m->assembly->couplings.coupled.data[state].count;
    return m->assembly->couplings.coupled.data[state].points;
}

void locals_clear(AssemblyCouplings *couplings)
{
    for (uint32_t i = 0; i < couplings->local_list.count; i++) {
        Local *local = &couplings->locals.data[couplings->local_list.at[i]];
        dv_array_clear(&local->users);
        local->slot_count = 0;
    }
    jacobians_free(couplings->jacobians);
    couplings->jacobians = NULL;
}

void locals_free(AssemblyCouplings *couplings)
{
    for (uint32_t i = 0; i < couplings->locals.count; i++)
        local_free(&couplings->locals.data[i]);
    jacobians_free(couplings->jacobians);
    for (uint32_t i = 0; i < couplings->coupled.count; i++)
        dv_free(couplings->coupled.data[i].points);
    pairs_free(&couplings->pairs);
    dv_array_free(&couplings->locals);
    dv_array_free(&couplings->coupled);
    dv_free(couplings->local_list.at);
    dv_free(couplings->free_locals.at);
    dv_free(couplings->needed);
    dv_free(couplings->marks);
}
