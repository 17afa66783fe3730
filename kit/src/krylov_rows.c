/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "krylov_rows.h"

#include <divan/kit/listed_numbers.h>
#include <divan/memory.h>

#include <stdlib.h>

/* Whether such rows can be listed: each has its columns ascending, each once. */
static bool are_ascending(const DvSparseRows *rows)
{
    for (uint32_t r = 0; r < rows->rows; r++)
        for (uint32_t e = rows->row_start[r] + 1; e < rows->row_start[r + 1]; e++)
            if (rows->columns[e] <= rows->columns[e - 1])
                return false;
    return true;
}

/* Whether a solve works on states of which some are kept elsewhere. */
static bool is_there(DvKrylovSolver *self)
{
    DvKrylovSpace *space = &self->space;
    if (space->matrix != NULL)
        return false;
    krylov_find_states(space);
    return space->states == 0 && space->known > 0;
}

/* Places among ascending columns that belong to a state: [begin, end) of them, less `first`. */
typedef struct Part {
    DvStateRef state;
    size_t first;
    uint32_t *places, count, begin;
} Part;

static Part part_of(const DvKrylovSpace *space, uint32_t state, const uint32_t *columns, uint32_t count, uint32_t begin)
{
    const DvStateRef s = space->state[state];
    Part part = {s, space->ops->offset(space->m, s.object), NULL, 0, begin};
    const size_t end = part.first + (size_t)dv_state_count(s) * s.dof->deriv;
    while (begin + part.count < count && columns[begin + part.count] < end)
        part.count++;
    part.places = dv_step_alloc(part.count, sizeof *part.places);
    for (uint32_t i = 0; i < part.count; i++)
        part.places[i] = (uint32_t)(columns[begin + i] - part.first);
    return part;
}

/* B is row `row`, X zero. */
static void begin_row(DvKrylovSpace *space, const DvSparseRows *b, uint32_t row)
{
    const uint32_t first = b->row_start[row], count = b->row_start[row + 1] - first;
    const DvStepMark mark = dv_step_mark();
    dv_krylov_reserve_states(space);
    (void)space->ops->scratch(space->m, DV_DERIVS, DV_SCRATCH_LINEAR + space->count - DV_KRYLOV_R, 2,
                              space->ids + DV_KRYLOV_X);
    for (uint32_t i = 0, at = 0; i < space->known; i++) {
        const Part part = part_of(space, i, b->columns + first, count, at);
        dv_state_set_listed(part.state, space->ids[DV_KRYLOV_B], part.places, b->values + first + at, part.count);
        at += part.count;
    }
    krylov_find_parts(space);
    dv_krylov_clear(space, DV_KRYLOV_X);
    dv_step_release(mark);
}

/* Solves for a row; *products: of the one before, by which is known how far to go before the host looks. */
static DvStatus solve_row(DvKrylovSolver *self, const DvSparseRows *b, uint32_t row, uint32_t *products)
{
    begin_row(&self->space, b, row);
    const DvStatus status = self->ops->iterate(self, false, products);
    dv_krylov_end(&self->space);
    dv_linear_solver_left(&self->base, self->left);
    return status;
}

DvStatus dv_krylov_solver_solve_there(void *self_, const DvSparseRows *b, DvVecId *x, bool *there)
{
    DvKrylovSolver *self = self_;
    *there = is_there(self) && are_ascending(b);
    if (!*there)
        return DV_OK;
    DvStatus status = dv_linear_solver_check_rows(&self->base, b);
    uint32_t products = dv_data_uint(&self->products);
    dv_phase_begin("linear solver");
    self->base.left = 0.0;
    if (status == DV_OK)
        status = solve_row(self, b, 0, &products);
    *x = self->space.ids[DV_KRYLOV_X];
    dv_phase_end();
    return status;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The columns of all rows, ascending, each once: scratch of the step. */
static uint32_t *columns_of(const DvSparseRows *j, uint32_t *count)
{
    const uint32_t entries = j->row_start[j->rows];
    uint32_t *columns = dv_step_alloc(entries, sizeof *columns);
    *count = 0;
    if (entries > 0) {
        memcpy(columns, j->columns, entries * sizeof *columns);
        qsort(columns, entries, sizeof *columns, by_number);
    }
    for (uint32_t i = 0; i < entries; i++)
        if (*count == 0 || columns[*count - 1] != columns[i])
            columns[(*count)++] = columns[i];
    return columns;
}

/* X at listed columns, into a dense vector that has nothing else. */
static void fetch(const DvKrylovSpace *space, const uint32_t *columns, uint32_t count, double *x)
{
    const DvStepMark mark = dv_step_mark();
    for (uint32_t i = 0, at = 0; i < space->known; i++) {
        const Part part = part_of(space, i, columns, count, at);
        const double *from =
            part.count ? dv_state_get_listed(part.state, space->ids[DV_KRYLOV_X], part.places, part.count) : NULL;
        for (uint32_t k = 0; k < part.count; k++)
            x[columns[at + k]] = from ? from[part.places[k]] : 0.0;
        at += part.count;
    }
    dv_step_release(mark);
}

DvStatus dv_krylov_solver_compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    DvKrylovSolver *self = self_;
    if (!is_there(self) || !are_ascending(j))
        return dv_linear_solver_compliance(self, j, factor, w, stride);
    DvStatus status = dv_linear_solver_check_rows(&self->base, j);
    dv_phase_begin("compliance");
    const DvStepMark mark = dv_step_mark();
    uint32_t count, products = dv_data_uint(&self->products);
    const uint32_t *columns = columns_of(j, &count);
    double *x = dv_step_alloc(self->base.n + 1, sizeof *x);
    for (uint32_t r = 0; r < j->rows && status == DV_OK; r++) {
        status = solve_row(self, j, r, &products);
        fetch(&self->space, columns, count, x);
        for (uint32_t i = 0; i < j->rows; i++) {
            double sum = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                sum += j->values[e] * x[j->columns[e]];
            w[stride * i + r] += factor * sum;
        }
    }
    dv_step_release(mark);
    dv_phase_end();
    return status;
}
