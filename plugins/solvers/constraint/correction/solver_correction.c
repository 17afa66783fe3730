/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "solver_correction.h"

#include <divan/divan.h>
#include <divan/memory.h>

#include <float.h>
#include <string.h>

static DvObject *find(DvObject *object, const DvLink *link, const char *contract, DvSearch search)
{
    if (dv_link_is_set(link))
        return dv_link_object(link);
    return dv_node_find(dv_object_node(object), contract, search);
}

DvStatus solver_correction_init(DvObject *object, SolverCorrection *self)
{
    solver_correction_cleanup(self);
    DvObject *linear = find(object, &self->linear_solver_link, DV_LINEAR_SOLVER, DV_SEARCH_LOCAL);
    if (!linear)
        return dv_error(object, DV_ERROR_MISSING,
                        "there is no linear solver in '%s' to take the compliance from; add one, for instance "
                        "<SparseLDLSolver/>, or name one with linearSolver",
                        dv_node_path(dv_object_node(object)));
    DvObject *ode = find(object, &self->ode_link, DV_ODE_SOLVER, DV_SEARCH_UP);
    if (!ode)
        return dv_error(
            object, DV_ERROR_MISSING,
            "there is no ODE solver in '%s' or above; add one, for instance <EulerImplicitSolver/>, or name "
            "one with ODESolver",
            dv_node_path(dv_object_node(object)));
    DvStatus status = dv_object_require(object, linear);
    if (status == DV_OK)
        status = dv_object_require(object, ode);
    if (status != DV_OK)
        return status;
    self->linear = dv_object_ops(linear, DV_LINEAR_SOLVER);
    self->linear_self = dv_object_self(linear);
    self->ode = dv_object_ops(ode, DV_ODE_SOLVER);
    self->ode_self = dv_object_self(ode);
    if (!self->ode->position_factor || !self->ode->velocity_factor)
        return dv_error(
            object, DV_ERROR_UNSUPPORTED,
            "'%s' does not tell how a force moves positions and velocities in a step; take another ODE solver",
            dv_object_path(ode));
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    self->m = self->ops->open(dv_object_node(ode));
    return DV_OK;
}

void solver_correction_cleanup(SolverCorrection *self)
{
    if (self->m)
        self->ops->close(self->m);
    self->m = NULL;
    dv_free(self->columns);
    dv_free(self->solution);
    self->columns = NULL;
    self->solution = NULL;
    self->column_capacity = self->solution_capacity = 0;
}

/* Where the unknowns of a state begin among those of the linear solver. */
static DvStatus place_of(SolverCorrection *self, DvObject *state, size_t *offset)
{
    *offset = self->ops->offset(self->m, state);
    return *offset != SIZE_MAX
               ? DV_OK
               : dv_error(dv_object_of(self), DV_ERROR_INVALID, "the ODE solver '%s' does not move state '%s'",
                          dv_object_path(dv_object_of(self->ode_self)), dv_object_path(state));
}

static size_t unknowns_of(DvObject *state)
{
    const DvStateRef ref = dv_state_ref(state);
    return (size_t)dv_state_count(ref) * ref.dof->deriv;
}

/* The rows over the unknowns of the linear solver: the same, where the correction has all of them in their order. */
static DvStatus over_solver(SolverCorrection *self, DvObject *const *states, uint32_t count, const DvSparseRows *j,
                            DvSparseRows *out)
{
    size_t local = 0, offset;
    bool moved = false;
    *out = *j;
    for (uint32_t i = 0; i < count; i++) {
        const DvStatus status = place_of(self, states[i], &offset);
        if (status != DV_OK)
            return status;
        moved = moved || offset != local;
        local += unknowns_of(states[i]);
    }
    if (!moved)
        return DV_OK;
    const uint32_t entries = j->row_start[j->rows];
    if (entries > self->column_capacity) {
        dv_free(self->columns);
        self->column_capacity = entries + entries / 2;
        self->columns = dv_alloc(self->column_capacity, sizeof *self->columns);
    }
    for (uint32_t r = 0; r < j->rows; r++) {
        uint32_t state = 0;
        size_t begin = 0, end = unknowns_of(states[0]);
        (void)place_of(self, states[0], &offset);
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++) {
            while (j->columns[e] >= end) { /* columns ascend */
                begin = end;
                end += unknowns_of(states[++state]);
                (void)place_of(self, states[state], &offset);
            }
            self->columns[e] = (uint32_t)(j->columns[e] - begin + offset);
        }
    }
    out->columns = self->columns;
    return DV_OK;
}

void solver_correction_factors(SolverCorrection *self, const DvStep *step, double *position, double *velocity)
{
    *position = self->ode->position_factor(self->ode_self, step->dt);
    *velocity = self->ode->velocity_factor(self->ode_self, step->dt);
}

/* Half solutions are worth more than a matrix where there are more rows than unknowns: a sweep over them costs less. */
static bool wants_halves(const SolverCorrection *self, uint32_t rows, bool unbuilt)
{
    return self->linear->half_solve && (unbuilt || rows > self->ops->unknowns(self->m));
}

static DvStatus halves(SolverCorrection *self, const DvSparseRows *j, double factor, DvComplianceSink *sink)
{
    DvHalfSolutions y;
    const DvStatus status = self->linear->half_solve(self->linear_self, j, &y);
    if (status != DV_OK)
        return status;
    const uint32_t entries = y.rows.row_start[y.rows.rows];
    uint32_t *start = sink->alloc(sink, ((size_t)j->rows + 1) * sizeof *start);
    uint32_t *columns = sink->alloc(sink, entries * sizeof *columns);
    double *left = sink->alloc(sink, entries * sizeof *left), *right = sink->alloc(sink, entries * sizeof *right);
    if (!start || !columns || !left || !right)
        return DV_ERROR_LIMIT;
    memcpy(start, y.rows.row_start, ((size_t)j->rows + 1) * sizeof *start);
    for (uint32_t e = 0; e < entries; e++) {
        columns[e] = y.rows.columns[e];
        left[e] = y.rows.values[e];
        right[e] = y.rows.values[e] * y.weights[y.rows.columns[e]] * factor;
    }
    sink->block->left = (DvSparseRows){j->rows, start, columns, left};
    sink->block->right = (DvSparseRows){j->rows, start, columns, right};
    sink->block->columns = (uint32_t)self->ops->unknowns(self->m);
    sink->block->group = 1;
    return DV_OK;
}

DvStatus solver_correction_compliance(SolverCorrection *self, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                                      DvObject *const *states, uint32_t count, double scale, const DvSparseRows *j,
                                      DvComplianceSink *sink)
{
    double position, velocity;
    DvSparseRows rows;
    DvStatus status = dv_ode_solver_hold_system(self->ode, self->ode_self);
    if (status == DV_OK)
        status = over_solver(self, states, count, j, &rows);
    if (status != DV_OK)
        return status;
    solver_correction_factors(self, step, &position, &velocity);
    const double factor = scale * (order == DV_CONSTRAIN_POSITION ? position : velocity);
    const double term = dv_data_double(&self->regularization_term);
    if (term > DBL_EPSILON)
        sink->block->regularization = term;
    if (wants_halves(self, j->rows, unbuilt))
        return halves(self, &rows, factor, sink);
    const size_t numbers = (size_t)j->rows * j->rows;
    double *w = sink->alloc(sink, numbers * sizeof *w);
    if (!w)
        return DV_ERROR_LIMIT;
    memset(w, 0, numbers * sizeof *w);
    sink->block->w = w;
    return self->linear->compliance(self->linear_self, &rows, factor, w, j->rows);
}

/* The solution stays where a device keeps the states; false: it cannot. */
static bool respond_there(SolverCorrection *self, DvObject *const *states, uint32_t count, const DvSparseRows *force,
                          DvStatus *status)
{
    bool there = self->linear->solve_there != NULL;
    for (uint32_t i = 0; i < count && there; i++)
        there = dv_state_storage(dv_state_ref(states[i])).space != NULL;
    DvVecId x = DV_NO_VEC;
    if (there)
        *status = self->linear->solve_there(self->linear_self, force, &x, &there);
    for (uint32_t i = 0; i < count && there && *status == DV_OK; i++) {
        const DvStateRef state = dv_state_ref(states[i]);
        state.ops->combine(state.self, DV_DX, x, DV_NO_VEC, 0.0);
    }
    return there;
}

DvStatus solver_correction_respond(SolverCorrection *self, DvObject *const *states, uint32_t count,
                                   const DvSparseRows *force)
{
    const size_t n = self->ops->unknowns(self->m);
    DvSparseRows rows;
    DvStatus status = dv_ode_solver_hold_system(self->ode, self->ode_self);
    if (status == DV_OK)
        status = over_solver(self, states, count, force, &rows);
    if (status != DV_OK || respond_there(self, states, count, &rows, &status))
        return status;
    if (n > self->solution_capacity || !self->solution) {
        dv_free(self->solution);
        self->solution_capacity = n + n / 2;
        self->solution = dv_alloc(self->solution_capacity, sizeof *self->solution);
    }
    status = self->linear->solve_many(self->linear_self, &rows, self->solution, n, NULL);
    for (uint32_t i = 0; i < count && status == DV_OK; i++) {
        size_t offset;
        status = place_of(self, states[i], &offset);
        const size_t own = unknowns_of(states[i]);
        if (own > 0)
            memcpy(dv_state_write(dv_state_ref(states[i]), DV_DX, DV_OVERWRITE).at, self->solution + offset,
                   own * sizeof *self->solution);
    }
    return status;
}
