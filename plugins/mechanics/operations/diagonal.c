/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The diagonal of the matrix of a system whose states a device keeps, made there by the twins.
 */
#include "operations_private.h"
#include "twins.h"

typedef struct Share {
    double k, mass;    /* factors of stiffness and mass */
    bool stiff, heavy; /* whether there are any */
} Share;

static Share share_of(const FieldItem *field, DvFactors factors)
{
    const double k = field_stiffness_factor(field, factors), mass = field_mass_factor(field, factors);
    return (Share){k, mass, field->ops->add_dforce && (k != 0.0 || factors.b != 0.0), field->mass && mass != 0.0};
}

/* The twin that knows its share; NULL: there is none. */
static DvTwin *twin_that_knows(DvMechanics *m, FieldItem *field, Share share)
{
    DvTwin *twin = field_twin_of_products(m, field);
    if (!twin || twin->ops->size <= offsetof(DvTwinOps, add_mass_diagonal))
        return NULL;
    const bool knows_stiffness = twin->ops->add_dforce ? twin->ops->add_diagonal != NULL : field->mass != NULL;
    return (!share.stiff || knows_stiffness) && (!share.heavy || twin->ops->add_mass_diagonal) ? twin : NULL;
}

static bool is_known(DvMechanics *m, DvFactors factors)
{
    bool known = !m->external_on_mapped;
    for (uint32_t i = 0; i < m->mapping_list.count && known; i++)
        known = !mapping_at(m, i)->loads && !mapping_at(m, i)->constrained;
    for (uint32_t i = 0; i < m->constraint_list.count && known; i++)
        known = constraint_clears_alone(constraint_at(m, i));
    for (uint32_t i = 0; i < m->field_list.count && known; i++) {
        FieldItem *field = field_at(m, i);
        const Share share = share_of(field, factors);
        known = (!share.stiff && !share.heavy) || field->below_stop || twin_that_knows(m, field, share);
    }
    return known;
}

static void add_share(DvMechanics *m, FieldItem *field, const DvStep *step, DvFactors factors)
{
    const Share share = share_of(field, factors);
    if ((!share.stiff && !share.heavy) || !mechanics_alive(m, field->object))
        return;
    DvTwin *twin = twin_that_knows(m, field, share);
    const uint32_t count = field->twin->alone ? 1 : field->state_count;
    DvVec res[2];
    for (uint32_t i = 0; i < count; i++) {
        StateItem *state = &m->states[field->states[field->twin->side + i]];
        if (!mechanics_fetch(m, state, field->object, field->twin->space->number))
            return;
        res[i] = state->f;
    }
    twin_range(field->twin);
    if (share.stiff && twin->ops->add_dforce)
        twin->ops->add_diagonal(twin, step, share.k, factors.b, res);
    if (share.heavy)
        twin->ops->add_mass_diagonal(twin, share.mass, res[0]);
    twin_range_end(field->twin);
}

bool operation_add_diagonal(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res)
{
    if (!operation_storage(m).space || !is_known(m, factors))
        return false;
    operation_begin(
        m, (Roles){{DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {res, DV_DFORCE, VEC_SINK}});
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (!field_at(m, i)->below_stop)
            add_share(m, field_at(m, i), step, factors);
    operation_end(m);
    return true;
}
