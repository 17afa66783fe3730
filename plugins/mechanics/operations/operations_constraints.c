/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Projective constraints.
 */
#include "operations_private.h"
#include "twins.h"

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
    if (!states_give_f(m, constraint->object, constraint->states, constraint->state_count, constraint->ops->space, d))
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

void operation_project_response(DvMechanics *m, const DvStep *step, DvVecId d, DvWalk walk)
{
    if (!is_constrained(m))
        return;
    operation_begin(m, roles_same(DV_NO_VEC, DV_NO_VEC, d));
    const List *order = walk == DV_WALK_VISITOR ? &m->bottom_up : &m->constraint_list;
    for (uint32_t i = 0; i < order->count; i++) {
        ConstraintItem *constraint = &m->constraints[order->at[i]];
        if (has_vectors(m, constraint, d) && !(constraint->twin && project_there(m, constraint, step, d)))
            (void)project_with(m, constraint, step, constraint->ops->project_response);
    }
    operation_end(m);
}

void operation_project_position(DvMechanics *m, const DvStep *step, DvVecId x)
{
    if (!is_constrained(m))
        return;
    operation_begin(m, roles_same(DV_NO_VEC, DV_NO_VEC, x));
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        ConstraintItem *constraint = constraint_at(m, i);
        if (constraint->ops->project_position && !constraint->below_stop && has_vectors(m, constraint, x) &&
            !(constraint->twin && project_position_there(m, constraint, step, x)))
            (void)project_with(m, constraint, step, constraint->ops->project_position);
    }
    operation_end(m);
}

void operation_project_velocity(DvMechanics *m, const DvStep *step, DvVecId v)
{
    if (!is_constrained(m))
        return;
    operation_begin(m, roles_same(DV_NO_VEC, DV_NO_VEC, v));
    for (uint32_t i = 0; i < m->constraint_list.count; i++) {
        ConstraintItem *constraint = constraint_at(m, i);
        bool projects;
        if (constraint->twin && leaves_velocities_there(m, constraint, &projects)) {
            if (projects && !constraint->below_stop && has_vectors(m, constraint, v))
                (void)project_there(m, constraint, step, v);
            continue;
        }
        if (constraint->ops->project_velocity && !constraint->below_stop && has_vectors(m, constraint, v))
            (void)project_with(m, constraint, step, constraint->ops->project_velocity);
    }
    operation_end(m);
}
