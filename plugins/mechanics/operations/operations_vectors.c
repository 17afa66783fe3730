/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of all states: allocation, arithmetic, and the states themselves.
 */
#include <string.h>

#include "operations_private.h"
#include "row_projection.h"
#include "twins.h"

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
void operation_clear(DvMechanics *m, DvVecId v)
{
    mechanics_update(m);
    if (v == DV_NO_VEC)
        return;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        state_clear(s, v);
    }
}

DvVecId operation_allocate(DvMechanics *m, DvVecKind kind)
{
    mechanics_update(m);
    for (DvVecId id = DV_FIRST_FREE_VEC + (kind == DV_COORDS ? 0 : 1); id < FIRST_SCRATCH_VEC; id += 2) {
        if (!is_free(m, id))
            continue;
        m->allocated[id] = 1;
        operation_clear(m, id);
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
        operation_clear(m, ids[i]);
    }
}

bool operation_scratch(DvMechanics *m, DvVecKind kind, uint32_t first, uint32_t count, DvVecId *ids)
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

void operation_release(DvMechanics *m, DvVecId v)
{
    if (v < DV_FIRST_FREE_VEC || v >= FIRST_SCRATCH_VEC)
        return;
    m->allocated[v] = 0;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (state_at(m, i)->kind != STATE_EXTERNAL)
            state_at(m, i)->ref.ops->release(state_at(m, i)->ref.self, v);
}

void operation_combine(DvMechanics *m, DvVecId r, DvVecId a, DvVecId b, double k)
{
    mechanics_update(m);
    if (r == DV_NO_VEC)
        return;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        state_combine(s, r, a, b, k);
    }
}

double operation_dot(DvMechanics *m, DvVecId a, DvVecId b)
{
    mechanics_update(m);
    double sum = 0.0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        const DvStateRef s = independent_at(m, i)->ref;
        sum += s.ops->dot(s.self, a, b);
    }
    return sum;
}

void operation_threshold(DvMechanics *m, DvVecId v, double length)
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

size_t operation_unknowns(DvMechanics *m)
{
    mechanics_update(m);
    return mechanics_count_unknowns(m);
}

void operation_gather(DvMechanics *m, double *flat, DvVecId v)
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

void operation_scatter(DvMechanics *m, DvVecId v, const double *flat)
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

uint32_t operation_list_states(DvMechanics *m, uint32_t which, DvObject **states, uint32_t capacity)
{
    mechanics_update(m);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->state_list.count; i++)
        if (is_of(state_at(m, i), which) && count++ < capacity)
            states[count - 1] = state_at(m, i)->ref.object;
    return count;
}

size_t operation_offset(DvMechanics *m, const DvObject *state)
{
    mechanics_update(m);
    (void)mechanics_count_unknowns(m);
    for (uint32_t i = 0; i < m->independent.count; i++)
        if (independent_at(m, i)->ref.object == state)
            return independent_at(m, i)->offset;
    return SIZE_MAX;
}

void operation_clear_states(DvMechanics *m, uint32_t which, DvVecId v)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count && v != DV_NO_VEC; i++)
        if (is_of(state_at(m, i), which))
            state_clear(state_at(m, i)->ref, v);
}

void operation_combine_states(DvMechanics *m, uint32_t which, DvVecId r, DvVecId a, DvVecId b, double k)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->state_list.count && r != DV_NO_VEC; i++)
        if (is_of(state_at(m, i), which))
            state_combine(state_at(m, i)->ref, r, a, b, k);
}

DvStatus operation_project_rows(DvMechanics *m, const DvStep *step, const DvStateRows *parts, uint32_t count,
                                uint32_t rows, uint32_t options, DvSparseRows *out)
{
    mechanics_update(m);
    mappings_catch_up(m, step);
    m->depth++;
    const DvStatus status = row_projection_run(m, step, parts, count, rows, options, out);
    m->depth--;
    return status;
}
