/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From the solution of a problem of constraints to positions and velocities: J^T lambda by correction; each moves its states.
 */
#include "constraint_system_parts.h"

#include "contradiction.h"

/* ---- Applying ---- */

bool constraint_system_contradiction(const ConstraintSystem *s, const Problem *problem, DvText *text)
{
    Contradiction found;
    if (!contradiction_find(problem, &found) || found.apart <= problem->view.tolerance)
        return false;
    const ConstraintItem *first = constraint_system_item_of_row(s, found.row),
                         *second = constraint_system_item_of_row(s, found.other);
    dv_text_add(text, "row %u of '%s' and row %u of '%s', which are %.3g apart", found.row - first->first,
                dv_object_path(first->object), found.other - second->first, dv_object_path(second->object),
                found.apart);
    return true;
}

/* Why the force of a row is not finite, as far as its numbers show. */
static void explain_force(const ConstraintSystem *s, const Problem *problem, uint32_t row, double compliance,
                          DvText *text)
{
    const double d = problem->violation[row];
    DvText rows = {0};
    if (!isfinite(compliance))
        dv_text_add(text,
                    "its compliance is not finite: look at the corrections of what it joins, and at their masses");
    else if (d != 0.0 && !isfinite(d / compliance))
        dv_text_add(
            text,
            "its compliance of %.3g is too small for a violation of %.3g: look at the masses on both sides, and at the "
            "compliances of their corrections",
            compliance, d);
    else if (constraint_system_contradiction(s, problem, &rows))
        dv_text_add(text, "constraints contradict each other: %s; take one of them away", rows.at);
    else
        dv_text_add(text,
                    "its numbers are finite, and the sweeps of '%s' have grown without end (%u of them): take a "
                    "BlockGaussSeidelConstraintSolver, or less of what is tied together",
                    dv_object_name(s->object), problem->view.sweeps);
    dv_text_free(&rows);
}

static double compliance_of(const Problem *problem, uint32_t row)
{
    for (uint32_t b = 0; b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        const uint32_t k = row - block->first;
        if (k < block->rows)
            return problem->diagonal[problem->diagonal_at[b] + (size_t)k * (block->rows + 1)];
    }
    return 0.0;
}

static DvStatus check_forces(const ConstraintSystem *s, const Problem *problem)
{
    for (uint32_t r = 0; r < problem->view.rows; r++) {
        if (isfinite(problem->lambda[r]))
            continue;
        const ConstraintItem *item = constraint_system_item_of_row(s, r);
        DvText why = {0};
        explain_force(s, problem, r, compliance_of(problem, r), &why);
        const DvStatus status = dv_error(item->object, DV_ERROR_NOT_FINITE, "the force of its row %u is not finite: %s",
                                         r - item->first, why.at);
        dv_text_free(&why);
        return status;
    }
    return DV_OK;
}

/* J^T lambda of a correction as one row of what is not zero. */
static DvSparseRows force_of(ConstraintSystem *s, const CorrectionItem *c, const double *lambda, uint32_t start[2])
{
    enum { WORD = 64 };
    double *force = s->force;
    uint64_t *acts = s->acts;
    for (uint32_t i = 0; i < c->j.rows; i++)
        for (uint32_t e = c->j.row_start[i]; e < c->j.row_start[i + 1]; e++) {
            const uint32_t at = c->j.columns[e];
            force[at] += c->j.values[e] * lambda[c->row[i]];
            acts[at / WORD] |= UINT64_C(1) << (at % WORD);
        }
    const uint32_t most = c->j.row_start[c->j.rows];
    s->places = room(s->places, &s->place_capacity, most, sizeof *s->places);
    s->numbers = room(s->numbers, &s->number_capacity, most, sizeof *s->numbers);
    start[0] = start[1] = 0;
    for (size_t word = 0; word * WORD < c->unknowns; word++)
        for (; acts[word]; acts[word] &= acts[word] - 1) {
            const uint32_t at = (uint32_t)(word * WORD) + (uint32_t)__builtin_ctzll(acts[word]);
            if (force[at] != 0.0) {
                s->places[start[1]] = at;
                s->numbers[start[1]++] = force[at];
            }
            force[at] = 0.0;
        }
    return (DvSparseRows){1, start, s->places, s->numbers};
}

static DvStatus move(ConstraintSystem *s, const DvStep *step, DvConstraintOrder order, const CorrectionItem *c,
                     const double *lambda)
{
    double position, velocity;
    bool any = false;
    for (uint32_t i = 0; i < c->j.rows && !any; i++)
        any = lambda[c->row[i]] != 0.0;
    if (any) {
        uint32_t start[2];
        const DvSparseRows force = force_of(s, c, lambda, start);
        const DvStatus status = c->ops->respond(c->self, step, &force);
        if (status != DV_OK)
            return status;
    }
    c->ops->factors(c->self, step, order, &position, &velocity);
    for (uint32_t k = 0; k < c->states; k++) {
        const MovedState *moved = &s->moved[c->first_state + k];
        const DvStateRef state = moved->ref;
        const DvVecId moving = any ? DV_DX : DV_NO_VEC;
        state.ops->combine(state.self, DV_VELOCITY, step->velocity, moving, velocity);
        if (order == DV_CONSTRAIN_POSITION)
            state.ops->combine(state.self, DV_POSITION, step->position, moving, position);
        if (s->leaves_displacement && any)
            state.ops->combine(state.self, DV_DX, DV_NO_VEC, DV_DX, position);
    }
    return DV_OK;
}

/* Forces on mapped states, J^T lambda / dt: the geometric stiffness of their mappings counts them in the next step. */
static void keep_forces(ConstraintSystem *s, const Problem *problem)
{
    s->mapped_count = s->ops->states(s->m, DV_STATES_MAPPED, NULL, 0);
    s->mapped = room(s->mapped, &s->mapped_capacity, s->mapped_count, sizeof *s->mapped);
    s->ops->states(s->m, DV_STATES_MAPPED, s->mapped, s->mapped_count);
    for (uint32_t i = 0; i < s->mapped_count; i++) {
        const DvStateRef state = dv_state_ref(s->mapped[i]);
        uint32_t place;
        const bool has_rows = constraint_system_map_get(&s->list_of, s->mapped[i], &place);
        if (!has_rows && state.ops->has(state.self, DV_LAMBDA))
            state.ops->clear(state.self, DV_LAMBDA);
        if (!has_rows)
            continue;
        const DvRowEntries *e = &s->lists[place]->entries;
        double *force = dv_state_write(state, DV_LAMBDA, DV_OVERWRITE).at;
        memset(force, 0, (size_t)dv_state_count(state) * e->width * sizeof *force);
        for (size_t k = 0; k < e->count; k++) {
            const double lambda = problem->lambda[e->row[k]] / problem->view.dt;
            for (uint32_t c = 0; c < e->width && lambda != 0.0; c++)
                force[(size_t)e->point[k] * e->width + c] += lambda * e->values[k * e->width + c];
        }
    }
}

DvStatus constraint_system_apply(ConstraintSystem *s, const DvStep *step, DvConstraintOrder order,
                                 const Problem *problem)
{
    DvStatus status = check_forces(s, problem);
    dv_phase_begin("correction");
    size_t most = 0;
    for (uint32_t i = 0; i < s->correction_count; i++)
        most = s->corrections[i].unknowns > most ? s->corrections[i].unknowns : most;
    if (most > s->force_capacity) {
        dv_free(s->force);
        dv_free(s->acts);
        s->force_capacity = most + most / 2;
        s->force = dv_alloc(s->force_capacity, sizeof *s->force);
        s->acts = dv_alloc(s->force_capacity / 64 + 1, sizeof *s->acts);
    }
    for (uint32_t i = 0; i < s->correction_count && status == DV_OK; i++)
        if (!dv_node_is_sleeping(dv_object_node(s->corrections[i].object)))
            status = move(s, step, order, &s->corrections[i], problem->lambda);
    if (status == DV_OK)
        keep_forces(s, problem);
    for (uint32_t i = 0; i < s->item_count && status == DV_OK; i++)
        if (s->items[i].ops->store && s->items[i].rows > 0)
            s->items[i].ops->store(s->items[i].self, step, problem->lambda + s->items[i].first, s->items[i].rows);
    dv_phase_end();
    return status;
}
