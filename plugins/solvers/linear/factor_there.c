/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "linear/factor_there.h"

#include <divan/kit/listed_numbers.h>
#include <divan/memory.h>
#include <divan/scene.h>

static void forget_twin(FactorThere *there)
{
    if (there->twin)
        there->twin->ops->free(there->twin);
    there->twin = NULL;
    there->asked = false;
}

static void forget(FactorThere *there)
{
    forget_twin(there);
    for (uint32_t i = 0; i < there->states; i++)
        dv_state_release(&there->state[i]);
    there->states = 0;
    if (there->storage.space)
        there->storage.space->ops->close(there->storage.space);
    there->storage.space = NULL;
}

void factor_there_free(FactorThere *there)
{
    forget(there);
    dv_free(there->state);
    dv_free(there->size);
    dv_free(there->panels);
    *there = (FactorThere){0};
}

/* Where all of these are; none: on the host, or in several places. */
static DvStorage storage_of(DvObject *const *states, uint32_t count)
{
    DvStorage storage = {NULL, DV_DOUBLE};
    for (uint32_t i = 0; i < count; i++) {
        const DvStorage other = dv_state_storage(dv_state_ref(states[i]));
        if (i > 0 && (other.space != storage.space || other.precision != storage.precision))
            return (DvStorage){NULL, DV_DOUBLE};
        storage = other;
    }
    return storage;
}

static uint32_t size_of(DvStateRef s)
{
    return dv_state_count(s) * s.dof->deriv;
}

static bool is_of(const FactorThere *there, const DvStorage *storage, DvObject *const *states, uint32_t count)
{
    bool same = there->storage.space == storage->space && there->storage.precision == storage->precision &&
                there->states == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = there->state[i].object == states[i] && there->size[i] == size_of(there->state[i]);
    return same;
}

static bool hold(FactorThere *there, const DvStorage *storage, DvObject *const *states, uint32_t count)
{
    DvText why = {0};
    forget(there);
    if (count > there->capacity) {
        dv_free(there->state);
        dv_free(there->size);
        there->capacity = count;
        there->state = dv_alloc(count, sizeof *there->state);
        there->size = dv_alloc(count, sizeof *there->size);
    }
    there->storage.space =
        storage->space->ops->open(dv_node_scene(dv_object_node(states[0])), storage->space->number, &why);
    there->storage.precision = storage->precision;
    dv_text_free(&why);
    for (uint32_t i = 0; i < count && there->storage.space; i++) {
        there->state[i] = dv_state_ref(dv_object_ref(states[i]));
        there->size[i] = size_of(there->state[i]);
        there->states++;
    }
    return there->storage.space != NULL;
}

/* The states of the solver's system, and their space; false: they are not in one. */
static bool take_states(FactorThere *there, const DvLinearSolver *base)
{
    const DvStepMark mark = dv_step_mark();
    const uint32_t count = base->ops->states(base->m, DV_STATES_INDEPENDENT, NULL, 0);
    DvObject **states = dv_step_alloc((size_t)count + 1, sizeof(DvObject *));
    (void)base->ops->states(base->m, DV_STATES_INDEPENDENT, states, count);
    const DvStorage storage = storage_of(states, count);
    const bool done = storage.space != NULL && dv_space_fault(storage.space) == DV_OK &&
                      (is_of(there, &storage, states, count) || hold(there, &storage, states, count));
    dv_step_release(mark);
    return done;
}

bool factor_there_take(FactorThere *there, const DvLinearSolver *solver, const DvBlockLdl *ldl, uint64_t version)
{
    if (!take_states(there, solver))
        return false;
    const uint32_t analyses = dv_block_ldl_analyses(ldl);
    if (there->asked && analyses == there->analyses && version == there->version)
        return there->twin != NULL;
    there->solver = dv_object_of(solver);
    there->analyses = analyses;
    there->version = version;
    DvOperator op;
    DvText why = {0};
    dv_block_ldl_describe(ldl, version, there->size, there->states, &there->panels, &op);
    if (there->twin && !there->twin->ops->update(there->twin, &op, &why))
        forget_twin(there);
    else if (!there->twin)
        there->twin = dv_twin_of(&there->storage, there->state[0], &op, &why);
    dv_text_free(&why);
    if (there->twin && there->twin->ops->size <= offsetof(DvTwinOps, solve))
        forget_twin(there);
    there->asked = true;
    return there->twin != NULL;
}

void factor_there_solve(const FactorThere *there, DvVecId x, DvVecId b)
{
    const DvSpace number = there->storage.space->number;
    const DvStepMark mark = dv_step_mark();
    DvConstVec *from = dv_step_alloc(there->states, sizeof *from);
    DvVec *to = dv_step_alloc(there->states, sizeof *to);
    bool all = true;
    for (uint32_t i = 0; i < there->states; i++) {
        const DvStateRef s = there->state[i];
        const uint32_t points = dv_state_count(s), dim = s.dof->deriv;
        from[i] = (DvConstVec){s.ops->read(s.self, b, number), points, dim};
        to[i] = (DvVec){s.ops->write(s.self, x, number, DV_OVERWRITE), points, dim};
        all = all && ((from[i].at && to[i].at) || points == 0);
    }
    dv_space_range(there->storage.space, dv_object_name(there->solver));
    if (all)
        there->twin->ops->solve(there->twin, from, to);
    dv_space_range(there->storage.space, NULL);
    dv_step_release(mark);
}

/* ---- Rows of constraints ---- */

bool factor_there_solve_row(FactorThere *there, const DvLinearSolver *solver, const DvSparseRows *b, DvVecId *x)
{
    if (!dv_sparse_rows_ascend(b))
        return false;
    const DvStepMark mark = dv_step_mark();
    DvVecId ids[2];
    uint32_t *places = dv_step_alloc((size_t)b->row_start[1] + 1, sizeof *places);
    (void)solver->ops->scratch(solver->m, DV_DERIVS, DV_SCRATCH_LINEAR, 2, ids);
    for (uint32_t i = 0, at = 0, first = 0; i < there->states; first += there->size[i++]) {
        uint32_t count = 0;
        for (; at + count < b->row_start[1] && b->columns[at + count] < first + there->size[i]; count++)
            places[count] = b->columns[at + count] - first;
        dv_state_set_listed(there->state[i], ids[0], places, b->values + at, count);
        at += count;
    }
    dv_step_release(mark);
    factor_there_solve(there, ids[1], ids[0]);
    *x = ids[1];
    return true;
}

bool factor_there_compliance(FactorThere *there, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    if (there->twin->ops->size <= offsetof(DvTwinOps, compliance) || !there->twin->ops->compliance ||
        !dv_sparse_rows_ascend(j))
        return false;
    dv_space_range(there->storage.space, dv_object_name(there->solver));
    there->twin->ops->compliance(there->twin, j, factor, w, stride);
    dv_space_range(there->storage.space, NULL);
    return true;
}
