/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Forces of all states, those of constraints among them, which count in the geometric stiffness of mappings.
 */
#include <string.h>

#include <divan/memory.h>

#include "operations_private.h"
#include "twins.h"

/* ---- Forces ---- */

/* By the twin; false: there is none. */
static __attribute__((noinline)) bool add_force_there(DvMechanics *m, FieldItem *field, const DvStep *step)
{
    DvTwin *twin = m->roles.f[STATE_INDEPENDENT] == DV_EXTERNAL_FORCE ? NULL : field_twin_of_forces(m, field);
    DvConstVec x[2], v[2];
    DvVec f[2];
    if (!twin)
        return false;
    for (uint32_t k = 0; k < field->state_count; k++) {
        StateItem *state = &m->states[field->states[k]];
        if (!mechanics_fetch(m, state, field->object, field->twin->space->number))
            return true;
        x[k] = state->x;
        v[k] = state->v;
        f[k] = state->f;
        state->force_is_zero = false;
    }
    twin_range(field->twin);
    twin->ops->add_force(twin, step, x, v, f);
    twin_range_end(field->twin);
    field->twin->behind = true;
    return true;
}

/* On the host, of a state that a device keeps. */
static __attribute__((noinline)) void add_force_from_host(DvMechanics *m, FieldItem *field, const DvStep *step)
{
    const DvSpaceCounts before = twin_begin(field->twin);
    PointsThere there;
    DvConstVec x[2], v[2];
    DvVec f[2];
    bool all = true;
    const DvStepMark mark = dv_step_mark();
    const bool few = points_begin(m, field, &there, x, v, f);
    for (uint32_t k = 0; k < field->state_count && !few && all; k++) {
        StateItem *state = &m->states[field->states[k]];
        all = mechanics_fetch(m, state, field->object, field->ops->space);
        x[k] = state->x;
        v[k] = state->v;
        f[k] = state->f;
        state->force_is_zero = state->force_is_zero && !all;
    }
    if (all)
        field->ops->add_force(field->self, step, x, v, f);
    if (few)
        points_end(&there, field->state_count);
    dv_step_release(mark);
    twin_end(field->twin, &before);
}

/* What acts on one state gets its vectors where they are: a copy would wait for the stores that have just made them. */
static void add_force_of_one(DvMechanics *m, FieldItem *field, const DvStep *step)
{
    StateItem *state = &m->states[field->states[0]];
    if (field->twin) {
        if (!add_force_there(m, field, step))
            add_force_from_host(m, field, step);
        return;
    }
    if (!mechanics_fetch(m, state, field->object, field->ops->space))
        return;
    state->force_is_zero = false;
    field->ops->add_force(field->self, step, &state->x, &state->v, &state->f);
}

static void add_force_of(DvMechanics *m, FieldItem *field, const DvStep *step)
{
    DvConstVec x[2], v[2];
    DvVec f[2];
    if (field->state_count == 1) {
        add_force_of_one(m, field, step);
        return;
    }
    if (field->twin) {
        if (!add_force_there(m, field, step))
            add_force_from_host(m, field, step);
        return;
    }
    for (uint32_t k = 0; k < field->state_count; k++) {
        StateItem *state = &m->states[field->states[k]];
        if (!mechanics_fetch(m, state, field->object, field->ops->space))
            return;
        x[k] = state->x;
        v[k] = state->v;
        f[k] = state->f;
        state->force_is_zero = false;
    }
    field->ops->add_force(field->self, step, x, v, f);
}

/* Whether mappings have changed their mind about forces, which the graph does not tell. */
static void watch_mappings(DvMechanics *m)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mapping_at(m, i)->ops->maps_forces(mapping_at(m, i)->self) != mapping_at(m, i)->maps_forces) {
            m->revision = 0;
            mechanics_update(m);
            return;
        }
}

/* ---- Forces of constraints, which count in the geometric stiffness of mappings ---- */

static bool has_constraint_forces(const StateItem *state)
{
    return state->pulled || state_has(state->ref, DV_LAMBDA);
}

static bool any_output_is_constrained(const DvMechanics *m, const MappingItem *mapping)
{
    for (uint32_t k = 0; k < mapping->outputs; k++)
        if (has_constraint_forces(&m->states[mapping_outputs_of(mapping)[k]]))
            return true;
    return false;
}

/* A mapping above which there is a geometric stiffness hands on what constraints do below it. */
static bool hands_on(const DvMechanics *m, const MappingItem *mapping)
{
    return mapping->below_stiff && mapping->ops->space == DV_HOST && mechanics_alive(m, mapping->object) &&
           any_output_is_constrained(m, mapping);
}

static void find_stiff_above(DvMechanics *m)
{
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        MappingItem *mapping = mapping_at(m, i);
        mapping->constrained = mapping->below_stiff = false;
        for (uint32_t k = 0; k < mapping->inputs; k++) {
            const StateItem *input = &m->states[mapping_inputs_of(mapping)[k]];
            const MappingItem *above = input->producers ? &m->mappings[input->producer] : NULL;
            mapping->below_stiff |= above && (above->ops->apply_djt || above->below_stiff);
        }
    }
}

/* Forces of constraints are on the host: where a mapping works elsewhere, or an output is, its geometric stiffness would lack them.
 * That is told once, and the next check of a step fails. */
static void refuse_elsewhere(DvMechanics *m, MappingItem *mapping)
{
    bool elsewhere = mapping->ops->space != DV_HOST;
    for (uint32_t k = 0; k < mapping->outputs; k++)
        elsewhere = elsewhere || !dv_state_serves(m->states[mapping_outputs_of(mapping)[k]].ref, DV_HOST);
    if (!elsewhere || mapping->told_elsewhere || !(mapping->ops->apply_djt || mapping->below_stiff) ||
        !mechanics_alive(m, mapping->object))
        return;
    mapping->told_elsewhere = true;
    m->scene->fault = dv_error(
        mapping->object, DV_ERROR_UNSUPPORTED,
        "forces of constraints act on what it computes, and count in its geometric stiffness on the host alone, while it works %s; "
        "take states and a mapping on the host, or a mapping without geometric stiffness",
        mapping->ops->space != DV_HOST ? "on a device" : "for a state on a device");
}

/* Room in `pulled` for the mapped inputs of a mapping; how much is taken then. */
static size_t place_pulled(DvMechanics *m, const MappingItem *mapping, size_t taken)
{
    for (uint32_t k = 0; k < mapping->inputs; k++) {
        StateItem *input = &m->states[mapping_inputs_of(mapping)[k]];
        if (input->kind != STATE_MAPPED || input->pulled)
            continue;
        input->pulled = taken + 1;
        taken += (size_t)state_count(input->ref) * input->ref.dof->deriv;
    }
    return taken;
}

/* Marks the mappings whose stiffness constraints change, though no component may be there; how much room what is handed on takes. */
static size_t find_constrained(DvMechanics *m)
{
    size_t taken = 0;
    m->any_constrained = false;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        state_at(m, i)->pulled = 0;
    find_stiff_above(m);
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        const bool constrained = any_output_is_constrained(m, mapping);
        if (constrained)
            refuse_elsewhere(m, mapping);
        mapping->constrained |= mapping->ops->apply_djt && constrained;
        if (hands_on(m, mapping))
            taken = place_pulled(m, mapping, taken);
        m->any_constrained |= mapping->constrained;
        for (uint32_t k = 0; mapping->constrained && k < mapping->inputs; k++) {
            const StateItem *input = &m->states[mapping_inputs_of(mapping)[k]];
            if (input->producers)
                m->mappings[input->producer].constrained = true;
        }
    }
    return taken;
}

static double *zeros(const StateItem *state)
{
    const size_t n = (size_t)state_count(state->ref) * state->ref.dof->deriv;
    double *at = dv_step_alloc(n, sizeof *at);
    memset(at, 0, n * sizeof *at);
    return at;
}

static void hand_on(DvMechanics *m, MappingItem *mapping, const DvStep *step)
{
    const DvStepMark mark = dv_step_mark();
    for (uint32_t k = 0; k < mapping->outputs; k++) {
        const StateItem *state = &m->states[mapping_outputs_of(mapping)[k]];
        const double *force = mechanics_constraint_force_on(m, state);
        m->given[k] = (DvConstVec){force ? force : zeros(state), state_count(state->ref), state->ref.dof->deriv};
    }
    for (uint32_t k = 0; k < mapping->inputs; k++) {
        const StateItem *state = &m->states[mapping_inputs_of(mapping)[k]];
        double *sum = state->pulled ? m->pulled + state->pulled - 1 : zeros(state);
        m->wanted[k] = (DvVec){sum, state_count(state->ref), state->ref.dof->deriv};
    }
    mapping_catch_up(m, mapping, step);
    mapping->ops->apply_jt(mapping->self, step, m->given, m->wanted);
    dv_step_release(mark);
}

/* Forces on mapped states, J^T of those below added to their own. Allocates only for more than ever before. */
static void pull_constraint_forces(DvMechanics *m, const DvStep *step)
{
    const size_t taken = find_constrained(m);
    if (taken == 0)
        return;
    if (taken > m->pulled_size) {
        m->pulled = dv_realloc(m->pulled, m->pulled_size * sizeof *m->pulled, taken * sizeof *m->pulled);
        m->pulled_size = taken;
    }
    memset(m->pulled, 0, taken * sizeof *m->pulled);
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const StateItem *state = state_at(m, i);
        const DvStateRef s = state->ref;
        if (state->pulled && state_has(s, DV_LAMBDA))
            memcpy(m->pulled + state->pulled - 1, state_read(s, DV_LAMBDA, DV_HOST),
                   (size_t)state_count(s) * s.dof->deriv * sizeof *m->pulled);
    }
    for (uint32_t i = m->mapping_list.count; i-- > 0;)
        if (hands_on(m, mapping_at(m, i)) && mapping_fits_outputs(m, mapping_at(m, i)))
            hand_on(m, mapping_at(m, i), step);
}

void operation_compute_force(DvMechanics *m, const DvStep *step, DvVecId f, DvWalk walk)
{
    if (f == DV_NO_VEC)
        return;
    watch_mappings(m);
    const DvVecId x = step->position, v = step->velocity;
    operation_begin(m, (Roles){{x, x, DV_POSITION}, {v, v, DV_VELOCITY}, {f, DV_FORCE, VEC_SINK}});
    m->external_on_mapped = false;
    pull_constraint_forces(m, step);
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        StateItem *state = state_at(m, i);
        if (state->kind == STATE_EXTERNAL || !walk_takes(state->below_stop, walk))
            continue;
        const DvStateRef s = state->ref;
        const bool external = state_has(s, DV_EXTERNAL_FORCE);
        const DvVecId force = m->roles.f[state->kind];
        if (state->kind == STATE_INDEPENDENT || state->loads || external || !state->force_is_zero)
            state_clear(s, force);
        state->force_is_zero = !external;
        if (!external)
            continue;
        state_combine(s, force, force, DV_EXTERNAL_FORCE, 1.0);
        m->external_on_mapped |= state->kind == STATE_MAPPED;
    }
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (walk_takes(field_at(m, i)->below_stop, walk) && mechanics_alive(m, field_at(m, i)->object))
            add_force_of(m, field_at(m, i), step);
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        if (!(mapping->loads || m->external_on_mapped) || !walk_takes_mapping(mapping, walk) ||
            !mechanics_alive(m, mapping->object))
            continue;
        for (uint32_t k = 0; k < mapping->inputs; k++)
            m->states[mapping_inputs_of(mapping)[k]].force_is_zero = false;
        mapping_pull_up(m, mapping, step, 0.0);
    }
    operation_end(m);
}

void operation_interaction_forces_to_external(DvMechanics *m, const DvStep *step)
{
    operation_begin(m, roles_same(step->position, step->velocity, DV_EXTERNAL_FORCE));
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (field_at(m, i)->interaction && dv_object_node(field_at(m, i)->object) == m->node)
            add_force_of(m, field_at(m, i), step);
    operation_end(m);
}
