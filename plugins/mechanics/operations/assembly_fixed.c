/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The unknowns that constraints fix.
 */
#include "assembly_private.h"

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
    if (item->kind != STATE_INDEPENDENT || point >= as->pattern.placed.data[index].points ||
        component >= item->ref.dof->deriv)
        return;
    const uint32_t row = block_row(&as->blocks, index, point) + component / as->blocks.block;
    const uint32_t bit = 1u << component % as->blocks.block;
    FixedRow *last = as->fixed.rows.count ? &as->fixed.rows.data[as->fixed.rows.count - 1] : NULL;
    if (last && last->row == row)
        last->components |= bit;
    else
        dv_array_push(&as->fixed.rows, (FixedRow){row, bit});
}

bool fixed_update(Assembly *as, DvMechanics *m, const DvStep *step)
{
    const uint32_t count = m->constraint_list.count;
    bool same = as->fixed.known && as->fixed.gathered.count == count;
    dv_array_reserve(&as->fixed.gathered, count);
    as->fixed.gathered.count = count;
    Gathered *gathered = as->fixed.gathered.data;
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        const uint64_t structure = constraint->ops->structure ? constraint->ops->structure(constraint->self, step) : 0;
        const Gathered now = {constraint->id, structure};
        same = same && now.id == gathered[i].id && now.structure == gathered[i].structure;
        gathered[i] = now;
        last = now.id > last ? now.id : last;
    }
    if (same)
        return false;
    dv_array_clear(&as->fixed.rows);
    for (uint32_t i = 0; i < count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        const bool is_new = constraint->id > as->fixed.last_constraint;
        if (m->states[constraint->states[0]].kind == STATE_MAPPED) {
            if (is_new)
                dv_warning(constraint->object,
                           "it constrains mapped points, which an assembled system does not see: constrain the "
                           "state they are mapped from");
        } else if (constraint->ops->fixed) {
            constraint->ops->fixed(constraint->self, step, fix, &(Fixing){as, constraint});
        } else if (is_new) {
            dv_warning(constraint->object, "it gives no fixed unknowns: an assembled system does not contain it");
        }
    }
    as->fixed.last_constraint = last > as->fixed.last_constraint ? last : as->fixed.last_constraint;
    as->fixed.known = true;
    return true;
}
