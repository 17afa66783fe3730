/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components of the host that touch a few points of states that devices keep: only these travel.
 */
#include "state/mechanical_object_elsewhere.h"
#include "twins.h"

static MechanicalObject *of_device(const StateItem *state)
{
    MechanicalObject *own = state->ref.ops == &mechanical_object_state_ops ? state->ref.self : NULL;
    return own && own->elsewhere && own->initialised ? own : NULL;
}

static uint32_t dim_of(const StateItem *state, DvVecId id)
{
    return dv_vec_kind(id) == DV_COORDS ? state->ref.dof->coord : state->ref.dof->deriv;
}

/* As mechanics_fetch: what nobody has made is where the state is. */
static DvVecId one_that_is(const StateItem *state, DvVecId id, DvVecId otherwise)
{
    return id == DV_NO_VEC || state_has(state->ref, id) ? id : otherwise;
}

/* Both lists of a component between a state and itself as one, each point once: scratch of the step. */
static void join_lists(PointsThere *there)
{
    const uint32_t *a = there->points[0], *b = there->points[1], counts[2] = {there->count[0], there->count[1]};
    uint32_t *both = dv_step_alloc((size_t)counts[0] + counts[1], sizeof *both), count = 0;
    for (uint32_t i = 0, k = 0; i < counts[0] || k < counts[1];) {
        const bool first = k == counts[1] || (i < counts[0] && a[i] <= b[k]);
        const uint32_t point = first ? a[i] : b[k];
        i += i < counts[0] && a[i] == point;
        k += k < counts[1] && b[k] == point;
        both[count++] = point;
    }
    there->points[0] = both;
    there->count[0] = count;
    there->own[1] = NULL; /* the other side is the first one */
}

bool points_begin(DvMechanics *m, FieldItem *field, PointsThere *there, DvConstVec *x, DvConstVec *v, DvVec *f)
{
    bool any = false;
    *there = (PointsThere){.own = {NULL, NULL}};
    const bool itself = field->state_count == 2 && field->states[0] == field->states[1];
    if (!field->touched)
        return false;
    for (uint32_t i = 0; i < field->state_count; i++) {
        there->own[i] = of_device(&m->states[field->states[i]]);
        there->points[i] = there->own[i] ? field->touched->points(field->self, i, &there->count[i]) : NULL;
        any = any || there->points[i];
        if (there->own[i] && !there->points[i])
            return false;
    }
    if (itself && any)
        join_lists(there);
    for (uint32_t i = 0; i < field->state_count && any; i++) {
        if (i == 1 && itself) {
            x[1] = x[0];
            v[1] = v[0];
            f[1] = f[0];
            continue;
        }
        StateItem *state = &m->states[field->states[i]];
        const uint32_t count = state_count(state->ref);
        if (!there->own[i]) {
            if (!mechanics_fetch(m, state, field->object, field->ops->space))
                return false;
            x[i] = state->x;
            v[i] = state->v;
            f[i] = state->f;
            state->force_is_zero = false;
            continue;
        }
        const DvVecId place = m->roles.x[state->kind], speed = m->roles.v[state->kind];
        const DvVecId at = one_that_is(state, place, dv_vec_kind(place) == DV_COORDS ? DV_POSITION : place),
                      with = one_that_is(state, speed, DV_VELOCITY);
        if ((at != DV_NO_VEC && !state_has(state->ref, at)) || m->roles.f[state->kind] == DV_EXTERNAL_FORCE)
            return false;
        there->f[i] = m->roles.f[state->kind];
        x[i] = v[i] = (DvConstVec){NULL, 0, 0};
        if (at != DV_NO_VEC)
            x[i] = (DvConstVec){elsewhere_read_points(there->own[i], at, there->points[i], there->count[i]), count,
                                dim_of(state, at)};
        if (with != DV_NO_VEC)
            v[i] = (DvConstVec){elsewhere_read_points(there->own[i], with, there->points[i], there->count[i]), count,
                                state->ref.dof->deriv};
        f[i] = (DvVec){elsewhere_begin_points(there->own[i], there->f[i], there->points[i], there->count[i]), count,
                       dim_of(state, there->f[i])};
        state->force_is_zero = false;
    }
    return any;
}

void points_end(const PointsThere *there, uint32_t states)
{
    for (uint32_t i = 0; i < states; i++)
        if (there->own[i])
            elsewhere_end_points(there->own[i], there->f[i], there->points[i], there->count[i]);
}
