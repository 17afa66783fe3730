/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "krylov_rows.h"

#include <divan/kit/ascending.h>
#include <divan/kit/listed_numbers.h>
#include <divan/memory.h>

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

/* The vectors of a column, those of the first being what every solve has. */
static void take_vectors(DvKrylovSpace *space, uint32_t column)
{
    dv_krylov_reserve_states(space);
    if (column == 0)
        (void)space->ops->scratch(space->m, DV_DERIVS, DV_SCRATCH_LINEAR + space->count - DV_KRYLOV_R, 2,
                                  space->ids + DV_KRYLOV_X);
    else
        (void)space->ops->scratch(space->m, DV_DERIVS, DV_SCRATCH_COLUMNS + (column - 1) * DV_KRYLOV_OWN, DV_KRYLOV_OWN,
                                  space->ids);
}
_Static_assert((int)DV_SCRATCH_COLUMNS + (COLUMNS - 1) * (int)DV_KRYLOV_OWN <= (int)DV_SCRATCH_COUNT,
               "each column has vectors");

/* In a column, B is row `row`, X zero. */
static void begin_row(DvKrylovSpace *space, const DvSparseRows *b, uint32_t row, uint32_t column)
{
    const uint32_t first = b->row_start[row], count = b->row_start[row + 1] - first;
    const DvStepMark mark = dv_step_mark();
    take_vectors(space, column);
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
    begin_row(&self->space, b, row, 0);
    const DvStatus status = self->ops->iterate(self, false, products);
    dv_krylov_end(&self->space);
    dv_linear_solver_left(&self->base, self->left);
    return status;
}

DvStatus dv_krylov_solver_solve_there(void *self_, const DvSparseRows *b, DvVecId *x, bool *there)
{
    DvKrylovSolver *self = self_;
    *there = is_there(self) && dv_sparse_rows_ascend(b);
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

/* The columns of all rows, ascending, each once: scratch of the step. */
static uint32_t *columns_of(const DvSparseRows *j, uint32_t *count)
{
    const uint32_t entries = j->row_start[j->rows];
    uint32_t *columns = dv_step_alloc(entries, sizeof *columns);
    if (entries > 0)
        memcpy(columns, j->columns, entries * sizeof *columns);
    *count = dv_ascending_sort(columns, entries);
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

/* ---- What other rows ask of the solution for each ---- */

typedef struct Sweep {
    DvKrylovSolver *self;
    const DvSparseRows *j;
    double factor, *w;
    size_t stride;
    double *x;               /* of one row, at the columns of all rows */
    const uint32_t *columns; /* these, ascending */
    uint32_t count, products;
    /* Side by side: the points of the columns, state by state; and what is kept of a row. */
    const uint32_t *points, *points_of; /* points_of: [known] how many */
    size_t slots_bytes, row_bytes;
} Sweep;

/* Column r of W, from x. */
static void add_column(const Sweep *s, uint32_t r)
{
    const DvSparseRows *j = s->j;
    for (uint32_t i = 0; i < j->rows; i++) {
        double sum = 0.0;
        for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            sum += j->values[e] * s->x[j->columns[e]];
        s->w[s->stride * i + r] += s->factor * sum;
    }
}

static DvStatus one_by_one(Sweep *s)
{
    DvStatus status = DV_OK;
    for (uint32_t r = 0; r < s->j->rows && status == DV_OK; r++) {
        status = solve_row(s->self, s->j, r, &s->products);
        fetch(&s->self->space, s->columns, s->count, s->x);
        add_column(s, r);
    }
    return status;
}

/* The points of all columns, listed there; false: there is no memory. */
static bool list_points(Sweep *s)
{
    const DvKrylovSpace *space = &s->self->space;
    DvKrylovRows *rows = space->rows;
    uint32_t *points = dv_step_alloc(s->count + 1, sizeof *points), total = 0;
    uint32_t *points_of = dv_step_alloc(space->known, sizeof *points_of);
    for (uint32_t i = 0, at = 0; i < space->known; i++) {
        const Part part = part_of(space, i, s->columns, s->count, at);
        points_of[i] = 0;
        for (uint32_t k = 0; k < part.count; k++) {
            const uint32_t point = part.places[k] / part.state.dof->deriv;
            if (points_of[i] == 0 || points[total - 1] != point) {
                points[total++] = point;
                points_of[i]++;
            }
        }
        at += part.count;
    }
    s->points = points;
    s->points_of = points_of;
    const size_t bytes = total * sizeof *points;
    if (!krylov_rows_reserve(rows, &rows->list, &rows->list_bytes, bytes))
        return false;
    rows->space->ops->put(rows->space, rows->list, points, bytes);
    return true;
}

/* Bytes of the points of a state that are kept of a row. */
static size_t bytes_of(const Sweep *s, uint32_t state)
{
    const DvKrylovSpace *space = &s->self->space;
    const size_t n = (size_t)s->points_of[state] * space->state[state].dof->deriv;
    return (dv_space_bytes(space->rows->precision, n) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

/* What is kept of the row of a column that has been asked for, behind its slots. */
static void keep_points(const Sweep *s, const DvVecId *ids, DvAddress to)
{
    const DvKrylovSpace *space = &s->self->space;
    const DvKrylovRows *rows = space->rows;
    DvAddress list = rows->list;
    to += s->slots_bytes;
    for (uint32_t i = 0; i < space->known; i++) {
        const DvStateRef state = space->state[i];
        const DvAddress x = dv_vector_as_address(state.ops->read(state.self, ids[DV_KRYLOV_X], rows->space->number));
        if (x && s->points_of[i] > 0)
            rows->space->ops->keep_points(rows->space, to, x, rows->precision, state.dof->deriv, list, s->points_of[i]);
        to += bytes_of(s, i);
        list += s->points_of[i] * sizeof *s->points;
    }
}

/* Prepares a row in a column; *asked: false when its solver does not stay there, and has solved it. */
static DvStatus prepare_row(Sweep *s, uint32_t r, uint32_t column, bool *asked)
{
    DvKrylovSpace *space = &s->self->space;
    DvKrylovRows *rows = space->rows;
    begin_row(space, s->j, r, column);
    rows->pass = KRYLOV_ROWS_ASK;
    rows->column = column;
    const DvStatus status = s->self->ops->iterate(s->self, false, &s->products);
    *asked = rows->pass == KRYLOV_ROWS_ASKED;
    rows->pass = KRYLOV_ROWS_NONE;
    if (*asked)
        return status;
    dv_krylov_end(space);
    dv_linear_solver_left(&s->self->base, s->self->left);
    fetch(space, s->columns, s->count, s->x);
    add_column(s, r);
    return status;
}

/* Asks for at most as many rows as there are columns. */
static DvStatus ask_rows(Sweep *s, const uint32_t *which, uint32_t count, DvAddress to, bool *asked)
{
    DvKrylovRows *rows = s->self->space.rows;
    DvStatus status = DV_OK;
    for (uint32_t i = 0; i < count && status == DV_OK; i++)
        status = prepare_row(s, which[i], i, asked);
    if (status != DV_OK || !*asked)
        return status;
    for (uint32_t i = count; i < rows->width; i++) {
        take_vectors(&s->self->space, i);
        rows->method[i] = rows->method[0];
        memcpy(rows->method[i].ids, s->self->space.ids, sizeof rows->method[i].ids);
    }
    krylov_rows_go(rows, count, to, s->row_bytes);
    for (uint32_t i = 0; i < count; i++)
        keep_points(s, rows->method[i].ids, to + i * s->row_bytes);
    return status;
}

/* A row that has come home. */
static DvStatus take_row(Sweep *s, uint32_t r, const double *from)
{
    const DvKrylovSpace *space = &s->self->space;
    DvKrylovRows *rows = space->rows;
    rows->pass = KRYLOV_ROWS_TAKE;
    rows->from = from;
    const DvStatus status = s->self->ops->iterate(s->self, false, &s->products);
    rows->pass = KRYLOV_ROWS_NONE;
    dv_linear_solver_left(&s->self->base, s->self->left);
    if (s->products > rows->expected)
        rows->expected = s->products;
    const char *at = (const char *)from + s->slots_bytes;
    const uint32_t *points = s->points;
    for (uint32_t i = 0; i < space->known; i++) {
        const DvStateRef state = space->state[i];
        const uint32_t dim = state.dof->deriv, count = s->points_of[i];
        double *x = s->x + space->ops->offset(space->m, state.object);
        for (uint32_t k = 0; k < count * dim; k++)
            x[points[k / dim] * dim + k % dim] = rows->precision == DV_FLOAT
                                                     ? (double)((const float *)(const void *)at)[k]
                                                     : ((const double *)(const void *)at)[k];
        at += bytes_of(s, i);
        points += count;
    }
    add_column(s, r);
    return status;
}

/* Rows that are asked for together; those that need more iterations are put at the end of `again`. */
static DvStatus solve_some(Sweep *s, const uint32_t *which, uint32_t count, uint32_t *again, uint32_t *agains)
{
    const DvKrylovRows *rows = s->self->space.rows;
    const uint32_t iterations = dv_data_uint(&s->self->iterations);
    const DvStepMark mark = dv_step_mark();
    DvStatus status = DV_OK;
    bool asked = true;
    for (uint32_t k = 0; k < count && status == DV_OK; k += rows->width)
        status = ask_rows(s, which + k, count - k < rows->width ? count - k : rows->width,
                          rows->store + k * s->row_bytes, &asked);
    if (asked && status == DV_OK) {
        double *home = dv_step_alloc(count * s->row_bytes / sizeof *home, sizeof *home);
        rows->space->ops->get(rows->space, home, rows->store, count * s->row_bytes);
        for (uint32_t k = 0; k < count && status == DV_OK; k++) {
            double *from = home + k * (s->row_bytes / sizeof *home);
            krylov_rows_came_home(rows, from, k % rows->width);
            if (krylov_rows_is_over(rows, from, iterations))
                status = take_row(s, which[k], from);
            else
                again[(*agains)++] = which[k];
        }
    }
    dv_step_release(mark);
    return status;
}

/* How many iterations rows are likely to need, with some to spare: a row that needs more costs another wait. */
static uint32_t first_turns(const DvKrylovRows *rows, uint32_t products)
{
    const uint32_t expected = rows->expected > 0 ? rows->expected : products;
    const uint32_t turns = expected + expected / 8 + 2;
    return turns > LEAST_AHEAD ? turns : LEAST_AHEAD;
}

/* How many rows are asked for together: as many as there is room for. 0: there is no memory. */
static uint32_t rows_at_once(Sweep *s, uint32_t count)
{
    enum { MOST_BYTES = 64 << 20 };
    const DvKrylovSpace *space = &s->self->space;
    DvKrylovRows *rows = space->rows;
    s->row_bytes = s->slots_bytes = krylov_rows_bytes(rows, rows->turns);
    for (uint32_t i = 0; i < space->known; i++)
        s->row_bytes += bytes_of(s, i);
    const size_t most = s->row_bytes < MOST_BYTES ? MOST_BYTES / s->row_bytes : 1;
    const uint32_t at_once = count < most ? count : (uint32_t)most;
    return krylov_rows_reserve(rows, &rows->store, &rows->store_bytes, at_once * s->row_bytes) ? at_once : 0;
}

static DvStatus side_by_side(Sweep *s)
{
    DvKrylovRows *rows = s->self->space.rows;
    const uint32_t iterations = dv_data_uint(&s->self->iterations);
    uint32_t *which = dv_step_alloc(s->j->rows, sizeof *which), count = s->j->rows;
    DvStatus status = DV_OK;
    for (uint32_t r = 0; r < count; r++)
        which[r] = r;
    uint32_t turns = first_turns(rows, s->products);
    rows->expected = 0;
    for (rows->round = 0; count > 0 && status == DV_OK; rows->round++) {
        rows->turns = turns < iterations ? turns : iterations;
        krylov_rows_set_width(rows, s->self->space.count > DV_KRYLOV_OWN ? 1 : count < COLUMNS ? count : COLUMNS);
        const uint32_t at_once = rows_at_once(s, count);
        if (at_once == 0)
            return DV_OK; /* the device says so, and the step ends with that */
        uint32_t again = 0;
        for (uint32_t i = 0; i < count && status == DV_OK; i += at_once)
            status = solve_some(s, which + i, count - i < at_once ? count - i : at_once, which, &again);
        count = again;
        turns = turns < UINT32_MAX / 2 ? 2 * turns : UINT32_MAX;
    }
    return status;
}

DvStatus dv_krylov_solver_compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    DvKrylovSolver *self = self_;
    if (!is_there(self) || !dv_sparse_rows_ascend(j))
        return dv_linear_solver_compliance(self, j, factor, w, stride);
    DvStatus status = dv_linear_solver_check_rows(&self->base, j);
    dv_phase_begin("compliance");
    const DvStepMark mark = dv_step_mark();
    Sweep s = {.self = self, .j = j, .factor = factor, .w = w, .stride = stride};
    s.products = dv_data_uint(&self->products);
    s.columns = columns_of(j, &s.count);
    s.x = dv_step_alloc(self->base.n + 1, sizeof *s.x);
    if (status == DV_OK && s.count > 0 && krylov_rows_begin(&self->space) && list_points(&s)) {
        status = side_by_side(&s);
        take_vectors(&self->space, 0);
    } else if (status == DV_OK) {
        status = one_by_one(&s);
    }
    dv_step_release(mark);
    dv_phase_end();
    return status;
}
