/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The service divan.mechanical-operations/1: what solvers ask of all states, forces and mappings below a node.
 *
 * Two walks. VISITOR does not go below a mapping that does not map forces, knows one mapping per node, and projects residuals
 * from the last node to the first; WHOLE takes every mapping and asks constraints in order. Both ask force fields in the order
 * of the document and mappings from parents to children, and back for forces.
 *
 * Forces on mapped states are in their DV_FORCE. A product uses DV_DX and DV_DFORCE there; what no force acts on is not
 * visited at all.
 */
#include "operations.h"

#include <string.h>

#include <divan/contracts/visual.h>
#include <divan/memory.h>

#include "mechanics.h"
#include "row_projection.h"

SceneMechanics *mechanics_of_scene(const DvNode *node)
{
    static const char key = 0;
    return dv_scene_local(dv_node_scene(node), &key, sizeof(SceneMechanics));
}

static DvMechanics *open_at(DvNode *node)
{
    DvMechanics *m = dv_alloc(1, sizeof *m);
    m->node = node;
    m->graph = dv_node_revision_at(node);
    m->scene = mechanics_of_scene(node);
    m->next = m->scene->open;
    m->scene->open = m;
    (void)dv_object_ref(dv_node_object(node));
    return m;
}

static void release(DvMechanics *m, DvVecId v);

static void close(DvMechanics *m)
{
    if (!m)
        return;
    for (DvVecId id = DV_FIRST_FREE_VEC; id < FIRST_SCRATCH_VEC; id++)
        if (m->allocated[id])
            release(m, id);
    for (DvMechanics **at = &m->scene->open; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    DvNode *node = m->node;
    mechanics_forget(m);
    dv_free(m);
    dv_object_unref(dv_node_object(node));
}

/* An operation begins: nothing fetched before counts any more. */
static void begin(DvMechanics *m, Roles roles)
{
    mechanics_update(m);
    m->roles = roles;
    m->epoch++;
    m->depth++;
}

static void end(DvMechanics *m)
{
    m->depth--;
}

/* The same vector in all states. */
static Roles same_roles(DvVecId x, DvVecId v, DvVecId f)
{
    return (Roles){{x, x, x}, {v, v, v}, {f, f, f}};
}

static bool in_walk(bool below_stop, DvWalk walk)
{
    return walk == DV_WALK_WHOLE || !below_stop;
}

/* ---- Vectors ---- */

static bool shares_states(const DvMechanics *a, const DvMechanics *b)
{
    const DvMechanics *const pairs[2][2] = {{a, b}, {b, a}};
    for (size_t i = 0; i < 2; i++)
        for (const DvNode *node = pairs[i][0]->node; node; node = dv_node_parent(node, 0))
            if (node == pairs[i][1]->node)
                return true;
    return false;
}

static bool is_free(const DvMechanics *m, DvVecId id)
{
    for (const DvMechanics *other = m->scene->open; other; other = other->next)
        if (other->allocated[id] && (other == m || shares_states(m, other)))
            return false;
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        const DvStateRef s = state_at(m, i)->ref;
        if (state_at(m, i)->kind != STATE_EXTERNAL && state_has(s, id))
            return false;
    }
    return true;
}

/* A vector that could not be allocated, which has been reported and ends the step, is left out in all that follows. */
static void clear(DvMechanics *m, DvVecId v)
{
    mechanics_update(m);
    if (v == DV_NO_VEC)
        return;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        state_clear(s, v);
    }
}

static DvVecId allocate(DvMechanics *m, DvVecKind kind)
{
    mechanics_update(m);
    for (DvVecId id = DV_FIRST_FREE_VEC + (kind == DV_COORDS ? 0 : 1); id < FIRST_SCRATCH_VEC; id += 2) {
        if (!is_free(m, id))
            continue;
        m->allocated[id] = 1;
        clear(m, id);
        return id;
    }
    m->scene->fault =
        dv_error(dv_node_object(m->node), DV_ERROR_LIMIT,
                 "solvers in this node or below need more than %d vectors of a kind at once; leave some of them out",
                 (FIRST_SCRATCH_VEC - DV_FIRST_FREE_VEC) / 2);
    return DV_NO_VEC;
}

static __attribute__((noinline)) void make_scratch(DvMechanics *m, const DvVecId *ids, uint32_t count)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < count; i++) {
        m->allocated[ids[i]] = 1;
        clear(m, ids[i]);
    }
}

static bool scratch(DvMechanics *m, DvVecKind kind, uint32_t first, uint32_t count, DvVecId *ids)
{
    const DvVecId begin = FIRST_SCRATCH_VEC + (kind == DV_COORDS ? 0u : 1u);
    const uint32_t end = first + count;
    uint32_t wanted = 0;
    for (uint32_t number = first; number < end; number++) {
        const bool exists = number < DV_SCRATCH_COUNT;
        *ids++ = exists ? begin + 2 * number : (DvVecId)DV_NO_VEC;
        wanted |= (uint32_t)exists << (number % 32);
    }
    if (!(wanted & ~m->scratch[kind]))
        return false;
    m->scratch[kind] |= wanted;
    make_scratch(m, ids - count, count);
    return true;
}

static void release(DvMechanics *m, DvVecId v)
{
    if (v < DV_FIRST_FREE_VEC || v >= FIRST_SCRATCH_VEC)
        return;
    m->allocated[v] = 0;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (state_at(m, i)->kind != STATE_EXTERNAL)
            state_at(m, i)->ref.ops->release(state_at(m, i)->ref.self, v);
}

static void combine(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, double k)
{
    mechanics_update(m);
    if (r == DV_NO_VEC)
        return;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        state_combine(s, r, a, b, k);
    }
}

static double dot(DvMechanics *m, DvVecId a, DvVecId b)
{
    mechanics_update(m);
    double sum = 0.0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        sum += s.ops->dot(s.self, a, b);
    }
    return sum;
}

static void threshold(DvMechanics *m, DvVecId v, double length)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvVec a = dv_state_write(independent_at(m, i)->ref, v, DV_READ_WRITE);
        for (uint32_t point = 0; a.at && point < a.count; point++) {
            double *at = a.at + (size_t)point * a.dim, squared = 0.0;
            for (uint32_t c = 0; c < a.dim; c++)
                squared += at[c] * at[c];
            if (squared < length * length)
                memset(at, 0, a.dim * sizeof *at);
        }
    }
}

static size_t unknowns(DvMechanics *m)
{
    mechanics_update(m);
    return mechanics_count_unknowns(m);
}

static void gather(DvMechanics *m, double *flat, DvVecId v)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        const double *at = state_read(s, v, DV_HOST);
        const size_t n = (size_t)state_count(s) * s.dof->deriv;
        if (at)
            memcpy(flat, at, n * sizeof *flat);
        else
            memset(flat, 0, n * sizeof *flat);
        flat += n;
    }
}

static void scatter(DvMechanics *m, DvVecId v, const double *flat)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        const size_t n = (size_t)state_count(s) * (dv_vec_kind(v) == DV_COORDS ? s.dof->coord : s.dof->deriv);
        double *at = state_write(s, v, DV_HOST, DV_OVERWRITE);
        if (at)
            memcpy(at, flat, n * sizeof *flat);
        flat += n;
    }
}

/* ---- States ---- */

static bool is_of(const StateItem *state, uint32_t which)
{
    static const uint32_t kinds[] = {[STATE_INDEPENDENT] = DV_STATES_INDEPENDENT, [STATE_MAPPED] = DV_STATES_MAPPED};
    return state->kind != STATE_EXTERNAL && (which & kinds[state->kind]) != 0;
}

static uint32_t list_states(DvMechanics *m, uint32_t which, DvObject **states, uint32_t capacity)
{
    mechanics_update(m);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (is_of(state_at(m, i), which) && count++ < capacity)
            states[count - 1] = state_at(m, i)->ref.object;
    return count;
}

static size_t offset(DvMechanics *m, const DvObject *state)
{
    mechanics_update(m);
    (void)mechanics_count_unknowns(m);
    for (uint32_t i = 0; i < m->independent.count; i++)
        if (independent_at(m, i)->ref.object == state)
            return independent_at(m, i)->offset;
    return SIZE_MAX;
}

static void clear_states(DvMechanics *m, uint32_t which, DvVecId v)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count && v != DV_NO_VEC; i++)
        if (is_of(state_at(m, i), which))
            state_clear(state_at(m, i)->ref, v);
}

static void combine_states(DvMechanics *m, uint32_t which, DvVecId r, DvVecId a, DvVecId b, double k)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count && r != DV_NO_VEC; i++)
        if (is_of(state_at(m, i), which))
            state_combine(state_at(m, i)->ref, r, a, b, k);
}

static DvStatus project_rows(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count,
                             uint32_t rows, uint32_t options, DvSparseRows *out)
{
    mechanics_update(m);
    m->depth++;
    const DvStatus status = row_projection_run(m, step, parts, count, rows, options, out);
    m->depth--;
    return status;
}

/* ---- Mappings ---- */

/* The visitor walk for forces: what it comes to. */
static bool mapping_in_walk(const MappingItem *mapping, DvWalk walk)
{
    return walk == DV_WALK_WHOLE || (!mapping->below_stop && mapping->in_slot);
}

/* Arrays of the states of a mapping, for the present operation; false when one has none, which has been reported. */
static bool give_x(DvMechanics *m, const DvObject *asker, const uint32_t *states, uint32_t count, DvSpace space,
                   DvConstVec *x)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mechanics_fetch(m, &m->states[states[i]], asker, space))
            return false;
        x[i] = m->states[states[i]].x;
    }
    return true;
}

static bool give_f(DvMechanics *m, const DvObject *asker, const uint32_t *states, uint32_t count, DvSpace space,
                   DvVec *f)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!mechanics_fetch(m, &m->states[states[i]], asker, space))
            return false;
        f[i] = m->states[states[i]].f;
    }
    return true;
}

/* Whether the outputs have room for what a mapping computes; one that has not is left out from then on. */
static bool fits_outputs(DvMechanics *m, MappingItem *mapping)
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

/* Down: vector `out` of the outputs from those of the inputs (by StateKind), through one mapping. An input that has not got its one is
 * taken by `otherwise`; without that too the mapping is left out, which is reported. */
static void propagate_through(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3],
                              DvVecId otherwise, DvVecId out)
{
    if (!fits_outputs(m, mapping))
        return;
    const uint32_t *inputs = mapping_inputs_of(mapping), *outputs = mapping_outputs_of(mapping);
    const bool coordinates = dv_vec_kind(out) == DV_COORDS;
    for (uint32_t i = 0; i < mapping->inputs; i++) {
        StateItem *state = &m->states[inputs[i]];
        const DvStateRef s = state->ref;
        DvConstVec *x = &m->given[i];
        x->count = state_count(s);
        x->dim = coordinates ? s.dof->coord : s.dof->deriv;
        x->at = state_read(s, ids[state->kind], mapping->ops->space);
        if (!x->at && otherwise != DV_NO_VEC)
            x->at = state_read(s, otherwise, mapping->ops->space);
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
        m->wanted[i].at = state_write(s, out, mapping->ops->space, DV_OVERWRITE);
        if (!m->wanted[i].at) {
            (void)mechanics_lacks(m, state, mapping->object, out);
            return;
        }
    }
    if (coordinates)
        mapping->ops->apply(mapping->self, step, m->given, m->wanted);
    else
        mapping->ops->apply_j(mapping->self, step, m->given, m->wanted);
}

/* A state in which nobody made the vector, since no solver moves it or it is outside, is where it is and goes on as it does. */
static void propagate(DvMechanics *m, const DvStep *step, DvVecId v)
{
    const DvVecId ids[3] = {v, v, v}, otherwise = dv_vec_kind(v) == DV_COORDS ? DV_POSITION : DV_VELOCITY;
    mechanics_update(m);
    m->depth++;
    for (uint32_t i = 0; i < m->mapping_list.count; i++)
        if (mechanics_alive(m, mapping_at(m, i)->object))
            propagate_through(m, mapping_at(m, i), step, ids, otherwise, v);
    m->depth--;
}

/* Up: forces of the outputs to the inputs, with geometric stiffness when k is not zero. Expects x and f of the operation to be
 * displacement and result. */
static void pull_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k)
{
    if (!fits_outputs(m, mapping))
        return;
    const DvSpace space = mapping->ops->space;
    const uint32_t *inputs = mapping_inputs_of(mapping), *outputs = mapping_outputs_of(mapping);
    if (!give_f(m, mapping->object, outputs, mapping->outputs, space, m->wanted))
        return;
    for (uint32_t i = 0; i < mapping->outputs; i++)
        m->given[i] = dv_const(m->wanted[i]);
    if (!give_f(m, mapping->object, inputs, mapping->inputs, space, m->wanted))
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
    if (there && give_x(m, mapping->object, inputs, mapping->inputs, space, m->given_more))
        mapping->ops->apply_djt(mapping->self, step, k, m->given, m->given_more, m->wanted);
    dv_step_release(mark);
}

/* ---- Forces ---- */

/* What acts on one state gets its vectors where they are: a copy would wait for the stores that have just made them. */
static void add_force_of_one(DvMechanics *m, const FieldItem *field, const DvStep *step)
{
    StateItem *state = &m->states[field->states[0]];
    if (!mechanics_fetch(m, state, field->object, field->ops->space))
        return;
    state->force_is_zero = false;
    field->ops->add_force(field->self, step, &state->x, &state->v, &state->f);
}

static void add_force_of(DvMechanics *m, const FieldItem *field, const DvStep *step)
{
    DvConstVec x[2], v[2];
    DvVec f[2];
    if (field->state_count == 1) {
        add_force_of_one(m, field, step);
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

static void hand_on(DvMechanics *m, const MappingItem *mapping, const DvStep *step)
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
        if (hands_on(m, mapping_at(m, i)) && fits_outputs(m, mapping_at(m, i)))
            hand_on(m, mapping_at(m, i), step);
}

static void compute_force(DvMechanics *m, const DvStep *step, DvVecId f, DvWalk walk)
{
    if (f == DV_NO_VEC)
        return;
    watch_mappings(m);
    const DvVecId x = step->position, v = step->velocity;
    begin(m, (Roles){{x, x, DV_POSITION}, {v, v, DV_VELOCITY}, {f, DV_FORCE, VEC_SINK}});
    m->external_on_mapped = false;
    pull_constraint_forces(m, step);
    for (uint32_t i = 0; i < m->state_list.count; i++) {
        StateItem *state = state_at(m, i);
        if (state->kind == STATE_EXTERNAL || !in_walk(state->below_stop, walk))
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
        if (in_walk(field_at(m, i)->below_stop, walk) && mechanics_alive(m, field_at(m, i)->object))
            add_force_of(m, field_at(m, i), step);
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        if (!(mapping->loads || m->external_on_mapped) || !mapping_in_walk(mapping, walk) ||
            !mechanics_alive(m, mapping->object))
            continue;
        for (uint32_t k = 0; k < mapping->inputs; k++)
            m->states[mapping_inputs_of(mapping)[k]].force_is_zero = false;
        pull_up(m, mapping, step, 0.0);
    }
    end(m);
}

static bool is_velocity(const DvStep *step, DvVecId d)
{
    return d == DV_VELOCITY || d == DV_FREE_VELOCITY || d == step->velocity;
}

static void add_product(const FieldItem *field, const DvStep *step, DvFactors factors, double k, double mass,
                        const DvConstVec *dx, const DvVec *df)
{
    if (field->ops->add_dforce && (k != 0.0 || factors.b != 0.0))
        field->ops->add_dforce(field->self, step, k, factors.b, dx, df);
    if (field->mass && mass != 0.0)
        field->mass->add_mdx(field->self, mass, dx[0], df[0]);
}

static void add_product_of(DvMechanics *m, const FieldItem *field, const DvStep *step, DvFactors factors)
{
    const double k = field_stiffness_factor(field, factors), mass = field_mass_factor(field, factors);
    const bool stiff = field->ops->add_dforce && (k != 0.0 || factors.b != 0.0), heavy = field->mass && mass != 0.0;
    if (!stiff && !heavy)
        return;
    DvConstVec dx[2];
    DvVec df[2];
    for (uint32_t i = 0; i < field->state_count; i++) {
        StateItem *state = &m->states[field->states[i]];
        if (!mechanics_fetch(m, state, field->object, field->ops->space))
            return;
        if (field->state_count == 1) {
            add_product(field, step, factors, k, mass, &state->x, &state->f);
            return;
        }
        dx[i] = state->x;
        df[i] = state->f;
    }
    add_product(field, step, factors, k, mass, dx, df);
}

enum { FEW_POINTS = 2048 }; /* of more, whole products by several threads are as good */

/* The points of the output of a mapping on which all that acts in a product acts; NULL: perhaps all. Both vectors are there. */
static const uint32_t *points_of_product(DvMechanics *m, const MappingItem *mapping, uint32_t *count)
{
    if (!mapping->at_points || mapping->inputs != 1 || mapping->outputs != 1)
        return NULL;
    const StateItem *output = &m->states[mapping_outputs_of(mapping)[0]];
    const DvStateRef s = output->ref;
    if (output->readers > 0 || output->producers != 1 || !mapping->at_points->is_ready(mapping->self) ||
        !state_has(s, DV_DX) || !state_has(s, DV_DFORCE))
        return NULL;
    const uint32_t *points = assembly_points(m, mapping_outputs_of(mapping)[0], count);
    return *count <= FEW_POINTS && 2 * *count <= state_count(s) ? points : NULL;
}

/* What a product needs of the output of a mapping: its displacement `mapped` from d of the input, unless it has that, and no force. */
static void begin_product_below(DvMechanics *m, MappingItem *mapping, const DvStep *step, const DvVecId ids[3],
                                DvVecId mapped, bool by_points)
{
    const uint32_t *outputs = mapping_outputs_of(mapping);
    const StateItem *input = &m->states[mapping_inputs_of(mapping)[0]];
    uint32_t count = 0;
    const uint32_t *points = by_points ? points_of_product(m, mapping, &count) : NULL;
    const DvConstVec d = points ? dv_state_read(input->ref, ids[input->kind]) : (DvConstVec){0};
    if (points && d.at && fits_outputs(m, mapping)) {
        const DvStateRef s = m->states[outputs[0]].ref;
        if (mapped != ids[STATE_INDEPENDENT]) {
            const DvVec dx = dv_state_write(s, mapped, DV_READ_WRITE);
            mapping->at_points->apply_j(mapping->self, &d, &dx, points, count);
        }
        const DvVec f = dv_state_write(s, DV_DFORCE, DV_READ_WRITE);
        for (uint32_t i = 0; i < count; i++)
            memset(f.at + (size_t)points[i] * f.dim, 0, f.dim * sizeof *f.at);
        return;
    }
    if (mapped != ids[STATE_INDEPENDENT])
        propagate_through(m, mapping, step, ids, DV_NO_VEC, mapped);
    for (uint32_t k = 0; k < mapping->outputs; k++) {
        const DvStateRef s = m->states[outputs[k]].ref;
        state_clear(s, DV_DFORCE);
    }
}

static void pull_product_up(DvMechanics *m, MappingItem *mapping, const DvStep *step, double k, bool by_points)
{
    uint32_t count = 0;
    const uint32_t *points = by_points ? points_of_product(m, mapping, &count) : NULL;
    DvVec out, in;
    if (!points || !fits_outputs(m, mapping)) {
        pull_up(m, mapping, step, k);
        return;
    }
    const DvSpace space = mapping->ops->space;
    if (!give_f(m, mapping->object, mapping_outputs_of(mapping), 1, space, &out) ||
        !give_f(m, mapping->object, mapping_inputs_of(mapping), 1, space, &in))
        return;
    mapping->at_points->apply_jt(mapping->self, &(DvConstVec){out.at, out.count, out.dim}, &in, points, count);
}

static void add_mbk(DvMechanics *m, const DvStep *step, DvFactors factors, DvVecId res, DvVecId d, DvWalk walk)
{
    if (res == DV_NO_VEC || d == DV_NO_VEC)
        return;
    const DvVecId mapped = is_velocity(step, d) ? d : DV_DX, ids[3] = {d, mapped, VEC_ZERO};
    begin(m, (Roles){{ids[0], ids[1], ids[2]}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {res, DV_DFORCE, VEC_SINK}});
    const bool all = m->external_on_mapped; /* geometric stiffness also where no component acts */
    const bool by_points = m->mapping_list.count > 0 && !all && !m->any_constrained && assembly_knows_points(m);
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        MappingItem *mapping = mapping_at(m, i);
        if (!(mapping->loads || mapping->constrained || all) || !mapping_in_walk(mapping, walk) ||
            !mechanics_alive(m, mapping->object))
            continue;
        begin_product_below(m, mapping, step, ids, mapped, by_points);
    }
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (in_walk(field_at(m, i)->below_stop, walk) && mechanics_alive(m, field_at(m, i)->object))
            add_product_of(m, field_at(m, i), step, factors);
    for (uint32_t i = m->mapping_list.count; i-- > 0;) {
        MappingItem *mapping = mapping_at(m, i);
        if ((mapping->loads || mapping->constrained || all) && mapping_in_walk(mapping, walk) &&
            mechanics_alive(m, mapping->object))
            pull_product_up(m, mapping, step, factors.k, by_points);
    }
    end(m);
}

static void interaction_forces_to_external(DvMechanics *m, const DvStep *step)
{
    begin(m, same_roles(step->position, step->velocity, DV_EXTERNAL_FORCE));
    for (uint32_t i = 0; i < m->field_list.count; i++)
        if (field_at(m, i)->interaction && dv_object_node(field_at(m, i)->object) == m->node)
            add_force_of(m, field_at(m, i), step);
    end(m);
}

/* ---- Masses ---- */

static void add_mdx(DvMechanics *m, double factor, DvVecId res, DvVecId d)
{
    if (res == DV_NO_VEC || d == DV_NO_VEC)
        return;
    begin(m, (Roles){{d, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {res, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (state->kind == STATE_INDEPENDENT && mechanics_alive(m, mass->object) &&
            mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->add_mdx(mass->self, factor, state->x, state->f);
    }
    end(m);
}

enum { MAX_DERIV = 6 };

/* x = A^-1 x of a symmetric positive n x n matrix, by elimination in place; false, and x as it was, when it is singular. */
static bool solve_small(double *matrix, uint32_t n, double *x)
{
    double solution[MAX_DERIV];
    memcpy(solution, x, n * sizeof *solution);
    for (uint32_t k = 0; k < n; k++) {
        const double pivot = matrix[k * n + k];
        if (pivot == 0.0)
            return false;
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / pivot;
            for (uint32_t j = k; j < n; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            solution[i] -= factor * solution[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            solution[k] -= matrix[k * n + j] * solution[j];
        solution[k] /= matrix[k * n + k];
    }
    memcpy(x, solution, n * sizeof *x);
    return true;
}

/* Whether an earlier mass of the list is of the same state. */
static bool has_earlier_mass(const DvMechanics *m, uint32_t i)
{
    const uint32_t state = mass_at(m, i)->states[0];
    for (uint32_t k = 0; m->states[state].masses > 1 && k < i; k++)
        if (mass_at(m, k)->states[0] == state)
            return true;
    return false;
}

/* a = (M_1 + M_2 ...)^-1 f of a state with several diagonal masses: M point by point, from products with the unit vectors. */
static void acceleration_of_several(DvMechanics *m, const StateItem *state)
{
    const uint32_t points = state->f.count, n = state->f.dim;
    const size_t numbers = (size_t)points * n, wanted = (2 + (size_t)n) * numbers;
    if (m->mass_blocks_size < wanted) {
        m->mass_blocks = dv_realloc(m->mass_blocks, m->mass_blocks_size * sizeof(double), wanted * sizeof(double));
        m->mass_blocks_size = wanted;
    }
    double *unit = m->mass_blocks, *product = unit + numbers, *blocks = product + numbers;
    memset(unit, 0, numbers * sizeof *unit);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t p = 0; p < points; p++)
            unit[(size_t)p * n + c] = 1.0;
        memset(product, 0, numbers * sizeof *product);
        for (uint32_t i = 0; i < m->mass_list.count; i++) {
            const FieldItem *mass = mass_at(m, i);
            if (&m->states[mass->states[0]] == state && mechanics_alive(m, mass->object))
                mass->mass->add_mdx(mass->self, 1.0, (DvConstVec){unit, points, n}, (DvVec){product, points, n});
        }
        for (uint32_t p = 0; p < points; p++) {
            unit[(size_t)p * n + c] = 0.0;
            for (uint32_t r = 0; r < n; r++)
                blocks[((size_t)p * n + r) * n + c] = product[(size_t)p * n + r];
        }
    }
    for (uint32_t p = 0; p < points; p++) {
        double x[MAX_DERIV];
        memcpy(x, state->x.at + (size_t)p * n, n * sizeof *x);
        if (solve_small(blocks + (size_t)p * n * n, n, x))
            memcpy(state->f.at + (size_t)p * n, x, n * sizeof *x);
    }
}

static void acceleration_from_force(DvMechanics *m, DvVecId a, DvVecId f)
{
    if (a == DV_NO_VEC || f == DV_NO_VEC)
        return;
    begin(m, (Roles){{f, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {a, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (state->kind != STATE_INDEPENDENT || mass->below_stop || !mechanics_alive(m, mass->object))
            continue;
        if (!mass->mass->acceleration)
            (void)dv_error(mass->object, DV_ERROR_UNSUPPORTED,
                           "its matrix is not diagonal: use a solver with a linear solver");
        else if (mechanics_fetch(m, state, mass->object, mass->mass->space) && state->masses == 1)
            mass->mass->acceleration(mass->self, state->x, state->f);
        else if (!has_earlier_mass(m, i) && state->x.at)
            acceleration_of_several(m, state);
    }
    end(m);
}

static DvMassKind mass_kind(DvMechanics *m)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->mass_list.count; i++)
        if (m->states[mass_at(m, i)->states[0]].kind == STATE_MAPPED ||
            !mass_at(m, i)->mass->is_diagonal(mass_at(m, i)->self))
            return DV_MASS_GENERAL;
    return m->mass_list.count ? DV_MASS_DIAGONAL : DV_MASS_NONE;
}

static void add_separate_gravity(DvMechanics *m, double dt, DvVecId v)
{
    begin(m, (Roles){{DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {v, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (state->kind == STATE_INDEPENDENT && !mass->below_stop && mass->mass->separate_gravity(mass->self) &&
            !has_earlier_mass(m, i) && mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->add_gravity_to_velocity(mass->self, dt, state->f);
    }
    end(m);
}

static void implicit_turn(DvMechanics *m, const DvStep *step, double share, DvVecId b)
{
    const DvVecId v = step->velocity;
    begin(m, (Roles){{v, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {b, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (mass->mass->implicit_turn && state->ref.dof->rotation && state->kind == STATE_INDEPENDENT &&
            mechanics_alive(m, mass->object) && mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->implicit_turn(mass->self, step->dt, share, state->x, state->f);
    }
    end(m);
}

/* ---- Projective constraints ---- */

typedef void (*Projection)(void *self, const DvStep *step, const DvVec *vectors);

/* Vectors of the states of a constraint, in place of which it projects; false when one has none. */
static bool project_with(DvMechanics *m, const ConstraintItem *constraint, const DvStep *step, Projection project)
{
    DvVec d[2];
    if (!project || !mechanics_alive(m, constraint->object))
        return false;
    if (constraint->state_count == 1) {
        StateItem *state = &m->states[constraint->states[0]];
        const bool there = mechanics_fetch(m, state, constraint->object, constraint->ops->space);
        if (there)
            project(constraint->self, step, &state->f);
        return there;
    }
    if (!give_f(m, constraint->object, constraint->states, constraint->state_count, constraint->ops->space, d))
        return false;
    project(constraint->self, step, d);
    return true;
}

/* Whether the vector means something in all states of the constraint: a residual is none of mapped or external states. */
static bool has_vectors(const DvMechanics *m, const ConstraintItem *constraint, DvVecId d)
{
    for (uint32_t i = 0; i < constraint->state_count; i++) {
        const StateItem *state = &m->states[constraint->states[i]];
        if (state->kind == STATE_EXTERNAL || (state->kind == STATE_MAPPED && d >= DV_FIRST_FREE_VEC) ||
            !state_has(state->ref, d))
            return false;
    }
    return true;
}

/* Whether there are constraints at all. */
static bool is_constrained(DvMechanics *m)
{
    mechanics_update(m);
    return m->constraint_list.count > 0;
}

static void project_response(DvMechanics *m, const DvStep *step, DvVecId d, DvWalk walk)
{
    if (!is_constrained(m))
        return;
    begin(m, same_roles(DV_NO_VEC, DV_NO_VEC, d));
    const List *order = walk == DV_WALK_VISITOR ? &m->bottom_up : &m->constraint_list;
    for (uint32_t i = 0; i < order->count; i++) {
        const ConstraintItem *constraint = &m->constraints[order->at[i]];
        if (has_vectors(m, constraint, d))
            (void)project_with(m, constraint, step, constraint->ops->project_response);
    }
    end(m);
}

static void project_position(DvMechanics *m, const DvStep *step, DvVecId x)
{
    if (!is_constrained(m))
        return;
    begin(m, same_roles(DV_NO_VEC, DV_NO_VEC, x));
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->ops->project_position && !constraint->below_stop && has_vectors(m, constraint, x))
            (void)project_with(m, constraint, step, constraint->ops->project_position);
    }
    end(m);
}

static void project_velocity(DvMechanics *m, const DvStep *step, DvVecId v)
{
    if (!is_constrained(m))
        return;
    begin(m, same_roles(DV_NO_VEC, DV_NO_VEC, v));
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        const ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->ops->project_velocity && !constraint->below_stop && has_vectors(m, constraint, v))
            (void)project_with(m, constraint, step, constraint->ops->project_velocity);
    }
    end(m);
}

/* ---- Steps ---- */

static void compute_acceleration(DvMechanics *m, const DvStep *step, DvVecId a)
{
    project_position(m, step, step->position);
    project_velocity(m, step, step->velocity);
    propagate(m, step, step->position);
    propagate(m, step, step->velocity);
    compute_force(m, step, DV_FORCE, DV_WALK_VISITOR);
    acceleration_from_force(m, a, DV_FORCE);
    project_response(m, step, a, DV_WALK_VISITOR);
}

static void begin_integration(DvMechanics *m, double dt)
{
    (void)dt;
    mechanics_update(m);
}

static void end_integration(DvMechanics *m)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (state_at(m, i)->kind != STATE_EXTERNAL && state_has(state_at(m, i)->ref, DV_EXTERNAL_FORCE))
            state_at(m, i)->ref.ops->release(state_at(m, i)->ref.self, DV_EXTERNAL_FORCE);
}

static const DvBlockMatrix *assemble(DvMechanics *m, const DvStep *step, DvFactors factors, uint32_t parts)
{
    mechanics_update(m);
    return assembly_run(m, step, factors, parts);
}

static bool prefers_assembled(DvMechanics *m, uint32_t products)
{
    mechanics_update(m);
    return assembly_is_preferred(m, products);
}

/* ---- Energies ---- */

static double kinetic_energy(DvMechanics *m)
{
    begin(m, (Roles){{DV_VELOCITY, DV_VELOCITY, DV_VELOCITY},
                     {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC},
                     {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}});
    double energy = 0.0;
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (mass->mass->kinetic_energy && !mass->below_stop &&
            mechanics_fetch(m, state, mass->object, mass->mass->space))
            energy += mass->mass->kinetic_energy(mass->self, state->x);
    }
    end(m);
    return energy;
}

static double potential_energy(DvMechanics *m)
{
    const DvStep step = {
        .time = dv_node_time(m->node), .dt = dv_node_dt(m->node), .position = DV_POSITION, .velocity = DV_VELOCITY};
    begin(m, same_roles(DV_POSITION, DV_NO_VEC, DV_NO_VEC));
    double energy = 0.0;
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        const FieldItem *field = field_at(m, i);
        DvConstVec x[2];
        if (field->ops->energy && !field->below_stop &&
            give_x(m, field->object, field->states, field->state_count, field->ops->space, x))
            energy += field->ops->energy(field->self, &step, x);
    }
    end(m);
    return energy;
}

static void momentum(DvMechanics *m, double sum[6])
{
    begin(m, same_roles(DV_POSITION, DV_VELOCITY, DV_NO_VEC));
    memset(sum, 0, 6 * sizeof *sum);
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (mass->mass->momentum && !mass->below_stop && mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->momentum(mass->self, state->x, state->v, sum);
    }
    end(m);
}

static void list_one(DvObject **objects, uint32_t capacity, uint32_t *count, DvObject *object)
{
    if (*count < capacity)
        objects[*count] = object;
    ++*count;
}

static uint32_t list_unsymmetric(DvMechanics *m, DvObject **objects, uint32_t capacity)
{
    uint32_t count = 0;
    mechanics_update(m);
    for (uint32_t i = 0; i < m->field_list.count; i++) {
        const FieldItem *field = field_at(m, i);
        if (!field->below_stop && field->ops->symmetry && field->ops->symmetry(field->self) != DV_SYMMETRIC)
            list_one(objects, capacity, &count, field->object);
    }
    for (uint32_t i = 0; i < m->mapping_list.count; i++) {
        const MappingItem *mapping = mapping_at(m, i);
        if (mapping->loads && mapping->ops->symmetry && mapping->ops->symmetry(mapping->self) != DV_SYMMETRIC)
            list_one(objects, capacity, &count, mapping->object);
    }
    return count;
}

const DvMechanicalOperationsOps dv_mechanical_operations = {
    .size = sizeof(DvMechanicalOperationsOps),
    .open = open_at,
    .close = close,
    .allocate = allocate,
    .release = release,
    .clear = clear,
    .combine = combine,
    .dot = dot,
    .threshold = threshold,
    .unknowns = unknowns,
    .gather = gather,
    .scatter = scatter,
    .compute_force = compute_force,
    .add_mbk = add_mbk,
    .add_mdx = add_mdx,
    .acceleration_from_force = acceleration_from_force,
    .mass_kind = mass_kind,
    .project_response = project_response,
    .project_position = project_position,
    .project_velocity = project_velocity,
    .propagate_position = propagate,
    .propagate_velocity = propagate,
    .compute_acceleration = compute_acceleration,
    .add_separate_gravity = add_separate_gravity,
    .implicit_turn = implicit_turn,
    .interaction_forces_to_external = interaction_forces_to_external,
    .begin_integration = begin_integration,
    .end_integration = end_integration,
    .assemble = assemble,
    .prefers_assembled = prefers_assembled,
    .states = list_states,
    .offset = offset,
    .clear_states = clear_states,
    .combine_states = combine_states,
    .project_rows = project_rows,
    .kinetic_energy = kinetic_energy,
    .potential_energy = potential_energy,
    .momentum = momentum,
    .scratch = scratch,
    .unsymmetric = list_unsymmetric,
};
