/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Direct solvers whose factorization is a library's.
 *
 * What the pattern decides is kept while the structure of the matrix is the same and the couplings that were zero stay so. The residual of
 * the first solution by a factor tells whether digits were lost; from then on all solutions by it are refined.
 */
#include "linear/library_solver.h"
#include "linear/zero_block.h"

#include <divan/log.h>
#include <divan/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Residual, over the right-hand side, from which on solutions are refined. */
static const double DELICATE = 1e-12;

static const char *const names[] = {[DV_SPARSE_LU] = "LU", [DV_SPARSE_QR] = "QR"};

DvStatus dv_library_solver_init(DvObject *object, LibrarySolver *self, DvSparseMethod method, const char *plugin,
                                const char *package)
{
    self->library = dv_sparse_direct_of(method);
    if (self->library == NULL)
        return dv_error(
            object, DV_ERROR_MISSING,
            "needs the plugin %s, which is not there: it is built where %s is installed. SparseLDLSolver needs no library, "
            "for symmetric systems",
            plugin, package);
    const DvStatus status = dv_ordering_choice_find(&self->ordering, object);
    if (status != DV_OK)
        return status;
    self->factor = self->library->open(object);
    return dv_direct_solver_init(object, self);
}

static void free_matrix(LibrarySolver *self)
{
    dv_free(self->row_start);
    dv_free(self->columns);
    dv_free(self->source);
    dv_free(self->values);
    dv_free(self->dropped);
    dv_free(self->residual);
    dv_free(self->correction);
    self->row_start = self->columns = self->source = self->dropped = NULL;
    self->values = self->residual = self->correction = NULL;
    self->n = self->dropped_count = 0;
}

void dv_library_solver_cleanup(DvObject *object, void *self_)
{
    (void)object;
    LibrarySolver *self = self_;
    if (self->factor != NULL)
        self->library->close(self->factor);
    self->factor = NULL;
    self->direct.analysed = self->direct.factored = false;
}

void dv_library_solver_destroy(DvObject *object, void *self)
{
    free_matrix(self);
    dv_linear_solver_destroy(object, self);
}

static DvSparseRows rows_of(const LibrarySolver *self)
{
    return (DvSparseRows){self->n, self->row_start, self->columns, self->values};
}

/* coupled[row]: it is coupled to another point, or another to it. */
static bool *coupled_points(const DvBlockMatrix *a)
{
    const uint32_t size = a->block * a->block;
    bool *coupled = dv_alloc(a->rows, sizeof *coupled);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            if (a->columns[e] != row && !(coupled[row] && coupled[a->columns[e]]) &&
                !dv_is_zero(a->values + (size_t)size * e, size))
                coupled[row] = coupled[a->columns[e]] = true;
    return coupled;
}

/* The kept blocks of a matrix: [rows + 1], and their slots. */
typedef struct KeptBlocks {
    uint32_t *begin, *slots;
} KeptBlocks;

static KeptBlocks keep_blocks(LibrarySolver *self, const DvBlockMatrix *a)
{
    bool *coupled = coupled_points(a);
    const uint32_t entries = a->row_start[a->rows];
    KeptBlocks kept = {dv_alloc(a->rows + 1, sizeof(uint32_t)), dv_alloc(entries, sizeof(uint32_t))};
    self->dropped = dv_alloc(entries, sizeof *self->dropped);
    uint32_t count = 0;
    for (uint32_t row = 0; row < a->rows; row++) {
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            if (a->columns[e] == row || (coupled[row] && coupled[a->columns[e]]))
                kept.slots[count++] = e;
            else
                self->dropped[self->dropped_count++] = e;
        kept.begin[row + 1] = count;
    }
    dv_free(coupled);
    return kept;
}

static void spread_blocks(LibrarySolver *self, const DvBlockMatrix *a, const KeptBlocks *kept)
{
    const uint32_t b = a->block, entries = kept->begin[a->rows] * b * b;
    self->row_start = dv_alloc(self->n + 1, sizeof *self->row_start);
    self->columns = dv_alloc(entries, sizeof *self->columns);
    self->source = dv_alloc(entries, sizeof *self->source);
    self->values = dv_alloc(entries, sizeof *self->values);
    uint32_t at = 0;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t r = 0; r < b; r++) {
            for (uint32_t k = kept->begin[row]; k < kept->begin[row + 1]; k++)
                for (uint32_t c = 0; c < b; c++, at++) {
                    self->columns[at] = a->columns[kept->slots[k]] * b + c;
                    self->source[at] = (kept->slots[k] * b + r) * b + c;
                }
            self->row_start[row * b + r + 1] = at;
        }
}

/* The order of the unknowns, from that of the points. */
static uint32_t *order_unknowns(LibrarySolver *self, const DvBlockMatrix *a, const KeptBlocks *kept)
{
    uint32_t *begin = dv_alloc(a->rows + 1, sizeof *begin), *neighbours = dv_alloc(kept->begin[a->rows], sizeof *begin),
             *points = dv_alloc(a->rows, sizeof *points), *order = dv_alloc(self->n, sizeof *order);
    uint32_t count = 0;
    for (uint32_t row = 0; row < a->rows; row++) {
        for (uint32_t k = kept->begin[row]; k < kept->begin[row + 1]; k++)
            if (a->columns[kept->slots[k]] != row)
                neighbours[count++] = a->columns[kept->slots[k]];
        begin[row + 1] = count;
    }
    dv_ordering_choice_order(&self->ordering, a->rows, begin, neighbours, points);
    for (uint32_t k = 0; k < self->n; k++)
        order[k] = points[k / a->block] * a->block + k % a->block;
    dv_free(points);
    dv_free(neighbours);
    dv_free(begin);
    return order;
}

/* Forgets the one before: `factor` makes it anew, which can fail. */
static void analyse(void *self, const DvBlockMatrix *a)
{
    (void)a;
    free_matrix(self);
}

static DvStatus analyse_now(LibrarySolver *self, const DvBlockMatrix *a)
{
    free_matrix(self);
    const DvObject *object = dv_object_of(self);
    const double entries = (double)a->row_start[a->rows] * a->block * a->block;
    if (!(entries < UINT32_MAX))
        return dv_error(object, DV_ERROR_LIMIT, "the matrix has %g numbers: more than %u", entries, UINT32_MAX);
    const DvStatus room = dv_memory_ask(object, entries * 40.0, "a matrix of %u unknowns for %s", a->rows * a->block,
                                        self->library->library);
    if (room != DV_OK)
        return room;
    self->n = a->rows * a->block;
    self->residual = dv_alloc(self->n, sizeof *self->residual);
    self->correction = dv_alloc(self->n, sizeof *self->correction);
    const KeptBlocks kept = keep_blocks(self, a);
    spread_blocks(self, a, &kept);
    uint32_t *order = order_unknowns(self, a, &kept);
    const DvSparseRows rows = rows_of(self);
    const DvStatus status = self->library->analyse(self->factor, &rows, order);
    dv_free(order);
    dv_free(kept.begin);
    dv_free(kept.slots);
    if (status != DV_OK)
        free_matrix(self);
    return status;
}

static bool has_new_couplings(const LibrarySolver *self, const DvBlockMatrix *a)
{
    const uint32_t size = a->block * a->block;
    for (uint32_t k = 0; k < self->dropped_count; k++)
        if (!dv_is_zero(a->values + (size_t)size * self->dropped[k], size))
            return true;
    return false;
}

/* Gathers the numbers; whether all are finite, else *failed is the row of one that is not. */
static bool take_values(LibrarySolver *self, const DvBlockMatrix *a, uint32_t *failed)
{
    for (uint32_t row = 0; row < self->n; row++) {
        double sum = 0.0; /* not finite if one is not */
        for (uint32_t e = self->row_start[row]; e < self->row_start[row + 1]; e++) {
            self->values[e] = a->values[self->source[e]];
            sum += 0.0 * self->values[e];
        }
        if (sum != 0.0) {
            *failed = row;
            return false;
        }
    }
    return true;
}

static DvStatus factor(void *self_, const DvBlockMatrix *a, uint32_t *failed)
{
    LibrarySolver *self = self_;
    self->measured = self->delicate = false;
    if (self->row_start == NULL || has_new_couplings(self, a)) {
        const DvStatus status = analyse_now(self, a);
        if (status != DV_OK)
            return status;
    }
    if (!take_values(self, a, failed))
        return DV_ERROR_SINGULAR; /* whose report says what it is */
    const DvSparseRows rows = rows_of(self);
    return self->library->factorize(self->factor, &rows, failed);
}

/* residual = b - A x; its largest entry over that of b. */
static double measure(LibrarySolver *self, const double *x, const double *b)
{
    double most = 0.0, scale = 0.0;
    for (uint32_t row = 0; row < self->n; row++) {
        double sum = b[row];
        for (uint32_t e = self->row_start[row]; e < self->row_start[row + 1]; e++)
            sum -= self->values[e] * x[self->columns[e]];
        self->residual[row] = sum;
        most = fmax(most, fabs(sum));
        scale = fmax(scale, fabs(b[row]));
        if (isnan(sum))
            return NAN;
    }
    return scale > 0.0 ? most / scale : 0.0;
}

/* Newton's steps towards the solution while they help. */
static DvStatus improve(LibrarySolver *self, double *x, const double *b, double *residual)
{
    enum { MOST = 4 };
    double left = measure(self, x, b);
    if (!self->measured)
        self->measured = true, self->delicate = left > DELICATE;
    for (int i = 0; i < MOST && left > DELICATE; i++) {
        memcpy(self->correction, self->residual, self->n * sizeof *self->correction);
        const DvStatus status = self->library->solve(self->factor, false, self->correction, self->n, 1);
        if (status != DV_OK)
            return status;
        for (uint32_t k = 0; k < self->n; k++)
            x[k] += self->correction[k];
        const double next = measure(self, x, b);
        if (!(next < left)) {
            for (uint32_t k = 0; k < self->n; k++)
                x[k] -= self->correction[k];
            break;
        }
        left = next;
    }
    *residual = left;
    return DV_OK;
}

/* What solve_flat has found is there already. */
static void substitute(void *self, double *x, const double *b)
{
    (void)self, (void)x, (void)b;
}

static double refine(void *self, const DvBlockMatrix *a, double *x, const double *b)
{
    (void)a; /* the numbers that were factored are here */
    double residual = NAN;
    (void)improve(self, x, b, &residual); /* an error is reported, and no residual is known */
    return residual;
}

static DvStatus solve_flat(void *self_, double *x, const double *b, size_t n)
{
    LibrarySolver *self = self_;
    if (n == 0)
        return DV_OK;
    memcpy(x, b, n * sizeof *x);
    const DvStatus status = self->library->solve(self->factor, false, x, n, 1);
    return status == DV_OK ? dv_direct_solver_solve_flat(self, x, b, n) : status;
}

/* Rows first <= r < first + count of b, all at once. */
static DvStatus solve_rows(LibrarySolver *self, const DvSparseRows *b, uint32_t first, uint32_t count, double *x,
                           size_t stride, double *worst)
{
    DvLinearSolver *base = &self->direct.base;
    for (uint32_t r = 0; r < count; r++)
        dv_sparse_row_spread(b, first + r, x + stride * r, base->n);
    DvStatus status = self->library->solve(self->factor, false, x, stride, count);
    for (uint32_t r = 0; r < count && status == DV_OK && (self->delicate || !self->measured); r++) {
        double residual = 0.0;
        dv_sparse_row_spread(b, first + r, base->b, base->n);
        status = improve(self, x + stride * r, base->b, &residual);
        *worst = residual > *worst || isnan(residual) ? residual : *worst;
    }
    return status;
}

static DvStatus solve_many(void *self_, const DvSparseRows *b, double *x, size_t stride, double *residual)
{
    LibrarySolver *self = self_;
    DvStatus status = dv_linear_solver_check_rows(&self->direct.base, b);
    double worst = 0.0;
    dv_phase_begin("linear solver");
    if (status == DV_OK && b->rows > 0 && self->direct.base.n > 0)
        status = solve_rows(self, b, 0, b->rows, x, stride, &worst);
    if (residual != NULL)
        *residual = worst;
    dv_phase_end();
    return status;
}

static void add_products(const DvSparseRows *j, const double *x, double factor, double *w, size_t stride)
{
    for (uint32_t i = 0; i < j->rows; i++) {
        double sum = 0.0;
        for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
            sum += j->values[e] * x[j->columns[e]];
        w[stride * i] += factor * sum;
    }
}

static DvStatus compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    enum { AT_ONCE = 64 };
    LibrarySolver *self = self_;
    const size_t n = self->direct.base.n;
    DvStatus status = dv_linear_solver_check_rows(&self->direct.base, j);
    double worst = 0.0;
    dv_phase_begin("compliance");
    const DvStepMark mark = dv_step_mark();
    double *x = dv_step_alloc(n * AT_ONCE, sizeof *x);
    for (uint32_t r = 0; r < j->rows && status == DV_OK && n > 0; r += AT_ONCE) {
        const uint32_t count = j->rows - r < AT_ONCE ? j->rows - r : AT_ONCE;
        status = solve_rows(self, j, r, count, x, n, &worst);
        for (uint32_t k = 0; k < count && status == DV_OK; k++)
            add_products(j, x + n * k, factor, w + r + k, stride);
    }
    dv_step_release(mark);
    dv_phase_end();
    return status;
}

static DvMatrixKind takes(void *self)
{
    (void)self;
    return DV_MATRIX_ANY;
}

const DvDirectSolverOps dv_library_solver_ops = {
    .solver = {DV_LINEAR_SOLVER_OPS, .solve = dv_linear_solver_solve, .factor_version = dv_direct_solver_factor_version,
               .solve_flat = solve_flat, .set_system = dv_direct_solver_set_system, .solve_many = solve_many,
               .compliance = compliance, .takes = takes},
    .analyse = analyse,
    .factor = factor,
    .substitute = substitute,
    .refine = refine,
};

static void report(void *self_, DvReportLine line, void *context)
{
    const LibrarySolver *self = self_;
    char text[160];
    (void)snprintf(text, sizeof text, "%s by %s%s", names[self->library->method], self->library->library,
                   self->library->any_processor ? "" : ": the same bits on processors of one type");
    line(context, text);
}

const DvReportOps dv_library_solver_report_ops = {.size = sizeof(DvReportOps), .report = report};
