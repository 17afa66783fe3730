/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mappings: down from inputs to outputs, and forces up.
 */
#include "operations_private.h"
#include "twins.h"

bool mapping_fits_outputs(DvMechanics *m, MappingItem *mapping)
{
    const uint32_t *outputs = mapping_outputs_of(mapping);
    uint64_t points = 1;
    for (uint32_t i = 0; !mapping->tells && i < mapping->outputs; i++)
        points += state_count(m->states[outputs[i]].ref);
    if (mapping->refused || (!mapping->tells && mapping->checked == points))
        return !mapping->refused;
    mapping->checked = points;
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        const DvStateRef s = m->states[outputs[i]].ref;
        const uint32_t computed = dv_mapping_output_points(mapping->ops, mapping->self, i);
        if (computed <= state_count(s))
            continue;
        m->scene->fault = dv_error(
            mapping->object, DV_ERROR_INVALID,
            "computes %u points, but its output '%s' has %u; give the output as many points, or none before it is mapped",
            computed, dv_object_path(s.object), state_count(s));
        dv_object_set_state(mapping->object, DV_COMPONENT_INVALID);
        mapping->refused = true;
        return false;
    }
    return true;
}

static void propagate(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3], DvVecId otherwise,
                      DvVecId out)
{
    if (!mapping_fits_outputs(m, mapping))
        return;
    const uint32_t *inputs = mapping_inputs_of(mapping), *outputs = mapping_outputs_of(mapping);
    const bool coordinates = dv_vec_kind(out) == DV_COORDS;
    TwinItem *item = mapping->twin;
    DvTwin *twin = mapping_twin(m, mapping);
    const bool there = twin && (coordinates ? twin->ops->apply : twin->ops->apply_j);
    const DvSpace space = item && there ? item->space->number : mapping->ops->space;
    if (item && !coordinates) {
        if (!there)
            mapping_catch_up(m, mapping, step);
        else if (!item->applied)
            mapping_take_positions(m, mapping);
    }
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        StateItem *state = &m->states[inputs[i]];
        const DvStateRef s = state->ref;
        DvConstVec *x = &m->given[i];
        x->count = state_count(s);
        x->dim = coordinates ? s.dof->coord : s.dof->deriv;
        x->at = state_read(s, ids[state->kind], space);
        if (!x->at && otherwise != DV_NO_VEC)
            x->at = state_read(s, otherwise, space);
        if (!x->at) {
            (void)mechanics_lacks(m, state, mapping->object, ids[state->kind]);
            for (uint32_t k = 0; k < mapping->outputs; k++) /* that these have none then is no news */
                m->states[outputs[k]].lacking = out;
            return;
        }
    }
    for (uint32_t i = 0; i < mapping->outputs; i++) {
        StateItem *state = &m->states[outputs[i]];
        const DvStateRef s = state->ref;
        m->wanted[i].count = state_count(s);
        m->wanted[i].dim = coordinates ? s.dof->coord : s.dof->deriv;
        m->wanted[i].at = state_write(s, out, space, there ? DV_READ_WRITE : DV_OVERWRITE);
        if (!m->wanted[i].at) {
            (void)mechanics_lacks(m, state, mapping->object, out);
            return;
        }
    }
    if (item && coordinates)
        item->behind = item->applied = there;
    if (there)
        (coordinates ? twin->ops->apply : twin->ops->apply_j)(twin, m->given, m->wanted);
    else if (coordinates)
        mapping->ops->apply(mapping->self, step, m->given, m->wanted);
    else
        mapping->ops->apply_j(mapping->self, step, m->given, m->wanted);
}

void mapping_propagate(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3],
                       DvVecId otherwise, DvVecId out)
{
    const DvSpaceCounts before = twin_begin(mapping->twin);
    propagate(m, mapping, step, ids, otherwise, out);
    twin_end(mapping->twin, &before);
}

/* A state in which nobody made the vector, since no solver moves it or it is outside, is where it is and goes on as it does. */
void operation_propagate(DvMechanics *m, const DvStep *step, DvVecId v)
{
    const DvVecId ids[3] = {v, v, v}, otherwise = dv_vec_kind(v) == DV_COORDS ? DV_POSITION : DV_VELOCITY;
    mechanics_update(m);
    m->depth++;
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mechanics_alive(m, mapping_at(m, i)->object))
            mapping_propagate(m, mapping_at(m, i), step, ids, otherwise, v);
    m->depth--;
}

/* Whether the derivative of a mapping's forces is that of its twin in this product. */
static bool stiffens_there(const MappingItem *mapping, const DvStep *step)
{
    return !mapping->constrained && (step->kind != DV_MATRIX_SYMMETRIC || !mapping->ops->symmetry ||
                                     mapping->ops->symmetry(mapping->self) == DV_SYMMETRIC);
}

/* By the twin; false: there is none, or it has not all that counts. */
static __attribute__((noinline)) bool pull_up_there(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k)
{
    DvTwin *twin = mapping_twin(m, mapping);
    const bool stiff = twin && k != 0.0 && twin->ops->apply_djt;
    if (!twin || !twin->ops->apply_jt || (stiff && !stiffens_there(mapping, step))) {
        mapping_catch_up(m, mapping, step);
        return false;
    }
    const DvSpace space = mapping->twin->space->number;
    const uint32_t *inputs = mapping_inputs_of(mapping);
    DvVec out;
    if (!mapping->twin->applied)
        mapping_take_positions(m, mapping);
    if (states_give_f(m, mapping->object, mapping_outputs_of(mapping), 1, space, &out) &&
        states_give_f(m, mapping->object, inputs, mapping->inputs, space, m->wanted)) {
        const DvConstVec given = dv_const(out);
        twin->ops->apply_jt(twin, &given, m->wanted);
        const bool of_product = mapping->ops->djt_of_product && mapping->ops->djt_of_product(mapping->self);
        const DvConstVec force =
            stiff && !of_product ? mechanics_force_on(m, &m->states[*mapping_outputs_of(mapping)], space) : given;
        if (stiff && force.at && states_give_x(m, mapping->object, inputs, mapping->inputs, space, m->given))
            twin->ops->apply_djt(twin, k, &force, m->given, m->wanted);
    }
    return true;
}

static void pull_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k)
{
    if (!mapping_fits_outputs(m, mapping) || (mapping->twin && pull_up_there(m, mapping, step, k)))
        return;
    const DvSpace space = mapping->ops->space;
    const uint32_t *inputs = mapping_inputs_of(mapping), *outputs = mapping_outputs_of(mapping);
    if (!states_give_f(m, mapping->object, outputs, mapping->outputs, space, m->wanted))
        return;
    for (uint32_t i = 0; i < mapping->outputs; i++)
        m->given[i] = dv_const(m->wanted[i]);
    if (!states_give_f(m, mapping->object, inputs, mapping->inputs, space, m->wanted))
        return;
    mapping->ops->apply_jt(mapping->self, step, m->given, m->wanted);
    if (k == 0.0 || !mapping->ops->apply_djt)
        return;
    const bool of_product = mapping->ops->djt_of_product && mapping->ops->djt_of_product(mapping->self);
    const DvStepMark mark = dv_step_mark();
    bool there = true;
    for (uint32_t i = 0; i < mapping->outputs && !of_product; i++) {
        m->given[i] = mechanics_force_on(m, &m->states[outputs[i]], space);
        there = there && m->given[i].at;
    }
    if (there && states_give_x(m, mapping->object, inputs, mapping->inputs, space, m->given_more))
        mapping->ops->apply_djt(mapping->self, step, k, m->given, m->given_more, m->wanted);
    dv_step_release(mark);
}

void mapping_pull_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k)
{
    const DvSpaceCounts before = twin_begin(mapping->twin);
    pull_up(m, mapping, step, k);
    twin_end(mapping->twin, &before);
}
