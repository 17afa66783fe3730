/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The vectors of the present operation; see mechanics.h.
 */
#include "mechanics.h"

bool mechanics_lacks(DvMechanics *m, StateItem *state, const DvObject *asker, DvVecId id)
{
    static const char *const names[DV_FIRST_FREE_VEC] = {[DV_POSITION] = "position",
                                                         [DV_REST_POSITION] = "rest position",
                                                         [DV_RESET_POSITION] = "reset position",
                                                         [DV_FREE_POSITION] = "free position",
                                                         [DV_VELOCITY] = "velocity",
                                                         [DV_RESET_VELOCITY] = "reset velocity",
                                                         [DV_FREE_VELOCITY] = "free velocity",
                                                         [DV_FORCE] = "force",
                                                         [DV_EXTERNAL_FORCE] = "external force",
                                                         [DV_DX] = "displacement",
                                                         [DV_DFORCE] = "change of force",
                                                         [DV_LAMBDA] = "constraint force"};
    if (state->lacking == id || state_count(state->ref) == 0 ||
        dv_space_fault(dv_state_storage(state->ref).space) != DV_OK) /* that has been said */
        return false;
    state->lacking = id;
    const char *name = id < DV_FIRST_FREE_VEC ? names[id] : NULL;
    m->scene->fault = dv_error(
        asker, DV_ERROR_MISSING,
        "cannot act: state '%s' (%s) gives no vector '%s' (%u); a solver in its node or above has to make it",
        dv_object_path(state->ref.object), dv_object_class(state->ref.object)->name, name ? name : "of a solver", id);
    return false;
}

/* Writes what has changed alone: who reads both numbers at once need not wait for two stores. */
static inline void set_shape(uint32_t *old_count, uint32_t *old_dim, uint32_t count, uint32_t dim)
{
    if (*old_count != count)
        *old_count = count;
    if (*old_dim != dim)
        *old_dim = dim;
}

static inline uint32_t dim_of(const DvDofType *dof, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? dof->coord : dof->deriv;
}

bool mechanics_fetch_now(DvMechanics *m, StateItem *state, const DvObject *asker, DvSpace space)
{
    const DvStateRef s = state->ref;
    const DvVecId x = m->roles.x[state->kind], v = m->roles.v[state->kind], f = m->roles.f[state->kind];
    const uint32_t count = state_count(s);
    const double *at = NULL;
    double *to = NULL;
    state->epoch = 0;
    state->space = space;
    if (x != DV_NO_VEC) {
        set_shape(&state->x.count, &state->x.dim, count, dim_of(s.dof, x));
        at = state_read(s, x, space);
        if (!at && dv_vec_kind(x) == DV_COORDS) /* a trial vector that nobody propagated to this state */
            at = state_read(s, DV_POSITION, space);
        if (!at)
            return mechanics_lacks(m, state, asker, x);
    }
    state->x.at = at;
    at = NULL;
    if (v != DV_NO_VEC) {
        set_shape(&state->v.count, &state->v.dim, count, s.dof->deriv);
        at = state_read(s, v, space);
        if (!at)
            at = state_read(s, DV_VELOCITY, space);
        if (!at)
            return mechanics_lacks(m, state, asker, v);
    }
    state->v.at = at;
    if (f != DV_NO_VEC) {
        set_shape(&state->f.count, &state->f.dim, count, dim_of(s.dof, f));
        to = state_write(s, f, space, DV_READ_WRITE);
        if (!to)
            return mechanics_lacks(m, state, asker, f);
    }
    state->f.at = to;
    state->epoch = m->epoch;
    return true;
}

const double *mechanics_constraint_force_on(const DvMechanics *m, const StateItem *state)
{
    const DvStateRef s = state->ref;
    if (state->pulled)
        return m->pulled + state->pulled - 1;
    return state_has(s, DV_LAMBDA) ? state_read(s, DV_LAMBDA, DV_HOST) : NULL;
}

DvConstVec mechanics_force_on(const DvMechanics *m, const StateItem *state, DvSpace space)
{
    const DvStateRef s = state->ref;
    DvConstVec force = {state_read(s, DV_FORCE, space), state_count(s), s.dof->deriv};
    const double *of_constraints = force.at && space == DV_HOST ? mechanics_constraint_force_on(m, state) : NULL;
    if (!of_constraints)
        return force;
    const size_t n = (size_t)force.count * force.dim;
    double *sum = dv_step_alloc(n, sizeof *sum);
    for (size_t i = 0; i < n; i++)
        sum[i] = force.at[i] + of_constraints[i];
    force.at = sum;
    return force;
}

size_t mechanics_count_unknowns(DvMechanics *m)
{
    size_t total = 0;
    for (uint32_t i = 0; i < m->independent.count; i++) {
        StateItem *state = independent_at(m, i);
        state->offset = total;
        total += (size_t)state_count(state->ref) * state->ref.dof->deriv;
    }
    return total;
}
