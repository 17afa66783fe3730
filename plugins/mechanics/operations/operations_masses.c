/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Masses: accelerations, gravity that is added separately, turning bodies.
 */
#include <string.h>

#include <divan/memory.h>

#include "operations_private.h"
#include "twins.h"

void operation_add_mdx(DvMechanics *m, double factor, DvVecId res, DvVecId d)
{
    if (res == DV_NO_VEC || d == DV_NO_VEC)
        return;
    operation_begin(m,
                    (Roles){{d, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {res, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        DvTwin *twin = field_twin(m, mass);
        if (state->kind != STATE_INDEPENDENT || !mechanics_alive(m, mass->object))
            continue;
        if (twin && twin->ops->add_mdx) {
            twin_range(mass->twin);
            if (mechanics_fetch(m, state, mass->object, mass->twin->space->number))
                twin->ops->add_mdx(twin, factor, state->x, state->f);
            twin_range_end(mass->twin);
        } else if (mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->add_mdx(mass->self, factor, state->x, state->f);
    }
    operation_end(m);
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

void operation_acceleration_from_force(DvMechanics *m, DvVecId a, DvVecId f)
{
    if (a == DV_NO_VEC || f == DV_NO_VEC)
        return;
    operation_begin(m,
                    (Roles){{f, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {a, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (state->kind != STATE_INDEPENDENT || mass->below_stop || !mechanics_alive(m, mass->object))
            continue;
        DvTwin *twin = state->masses == 1 ? field_twin(m, mass) : NULL;
        if (twin && twin->ops->acceleration) {
            twin_range(mass->twin);
            if (mechanics_fetch(m, state, mass->object, mass->twin->space->number))
                twin->ops->acceleration(twin, state->x, state->f);
            twin_range_end(mass->twin);
            continue;
        }
        if (!mass->mass->acceleration)
            (void)dv_error(mass->object, DV_ERROR_UNSUPPORTED,
                           "its matrix is not diagonal: use a solver with a linear solver");
        else if (mechanics_fetch(m, state, mass->object, mass->mass->space) && state->masses == 1)
            mass->mass->acceleration(mass->self, state->x, state->f);
        else if (!has_earlier_mass(m, i) && state->x.at)
            acceleration_of_several(m, state);
    }
    operation_end(m);
}

DvMassKind operation_mass_kind(DvMechanics *m)
{
    mechanics_update(m);
    for (uint32_t i = 0; i < m->mass_list.count; i++)
        if (m->states[mass_at(m, i)->states[0]].kind == STATE_MAPPED ||
            !mass_at(m, i)->mass->is_diagonal(mass_at(m, i)->self))
            return DV_MASS_GENERAL;
    return m->mass_list.count ? DV_MASS_DIAGONAL : DV_MASS_NONE;
}

void operation_add_separate_gravity(DvMechanics *m, double dt, DvVecId v)
{
    operation_begin(
        m, (Roles){{DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {v, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        const FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (state->kind == STATE_INDEPENDENT && !mass->below_stop && mass->mass->separate_gravity(mass->self) &&
            !has_earlier_mass(m, i) && mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->add_gravity_to_velocity(mass->self, dt, state->f);
    }
    operation_end(m);
}

void operation_implicit_turn(DvMechanics *m, const DvStep *step, double share, DvVecId b)
{
    const DvVecId v = step->velocity;
    operation_begin(m,
                    (Roles){{v, DV_NO_VEC, DV_NO_VEC}, {DV_NO_VEC, DV_NO_VEC, DV_NO_VEC}, {b, DV_NO_VEC, DV_NO_VEC}});
    for (uint32_t i = 0; i < m->mass_list.count; i++) {
        FieldItem *mass = mass_at(m, i);
        StateItem *state = &m->states[mass->states[0]];
        if (!mass->mass->implicit_turn || !state->ref.dof->rotation || state->kind != STATE_INDEPENDENT ||
            !mechanics_alive(m, mass->object))
            continue;
        DvTwin *twin = field_twin(m, mass);
        if (twin && twin->ops->size > offsetof(DvTwinOps, implicit_turn) && twin->ops->implicit_turn) {
            twin_range(mass->twin);
            if (mechanics_fetch(m, state, mass->object, mass->twin->space->number))
                twin->ops->implicit_turn(twin, step->dt, share, state->x, state->f);
            twin_range_end(mass->twin);
            continue;
        }
        field_catch_up(m, mass, step);
        if (mechanics_fetch(m, state, mass->object, mass->mass->space))
            mass->mass->implicit_turn(mass->self, step->dt, share, state->x, state->f);
    }
    operation_end(m);
}
