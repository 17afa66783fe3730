/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * AsyncSparseLDLSolver: the factor of an earlier step serves while that of a later one is made beside the steps (a job of the pool).
 *
 * Every `refresh` steps the factor that was begun that many steps ago is taken, if need be waited for, and the next is begun with the
 * present matrix: what is taken when hangs on steps alone, never on time, so runs repeat bit for bit. The first matrix, one of another
 * structure and other factors of mass and stiffness are factored at once.
 *
 * What is factored are the numbers of two fields in turn, which are state: a run that is restarted or goes back makes both factors again.
 *
 * The earlier factor is taken as it is, and the matrix is assembled for new factors alone. With a `tolerance` solutions are corrected by
 * conjugate gradients with the present matrix, which the earlier factor preconditions; not those of a preconditioner, nor compliances.
 *
 * Where a device keeps the states the factor is sent there when it is taken, and solutions and compliances are made there; corrections to a
 * tolerance are not.
 */
#include "linear/ldl_solver.h"
#include "system/linear_system.h"

#include <divan/kit/block_product.h>
#include <divan/memory.h>
#include <divan/parallel.h>
#include <divan/scene.h>

#include <math.h>
#include <string.h>

enum { MOST_CORRECTIONS = 50 };
enum { WHICH, BEGUN, PENDING, M, B, K, TURN_SIZE }; /* entries of the field `turn` */

typedef struct AsyncSparseLdlSolver {
    LdlSolver base;
    DvData precompute, nonzeros, assembly, refresh, tolerance;
    DvData numbers[2], turn; /* of the factor that serves and of the next one, as turn[WHICH] says */
    uint32_t which;          /* of the two: the factor's that serves */
    bool resumes;            /* the fields hold what a run had */
    DvFactors factors;
    uint64_t begun;     /* the step in which `next` was begun */
    DvBlockLdl *next;   /* the job's, while it is under way */
    DvBlockMatrix copy; /* likewise: what it factors */
    size_t rows, slots;
    bool analyses, pending; /* the job analyses too; `next` is to be taken */
    bool told;              /* that it solves on the host */
    DvStatus status;        /* of the job */
    uint32_t failed;
    DvJob job;
} AsyncSparseLdlSolver;

static const DvField fields[] = {
    LDL_SOLVER_FIELDS(AsyncSparseLdlSolver, base),
    DV_FIELD(AsyncSparseLdlSolver, precompute, "precomputeSymbolicDecomposition", dv_type_bool, .init = "1",
             .help = "keep the ordering and the structure of L while that of the matrix is the same"),
    DV_FIELD(AsyncSparseLdlSolver, nonzeros, "L_nnz", dv_type_int, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "entries of L below the diagonal"),
    DV_FIELD(AsyncSparseLdlSolver, assembly, "enableAssembly", dv_type_bool, .init = "1",
             .help = "make new factors; 0: the first one stays"),
    DV_FIELD(AsyncSparseLdlSolver, refresh, "refresh", dv_type_uint, .init = "5", .range = &dv_range_count,
             .help = "steps between two factors; one is taken so many steps after it was begun"),
    DV_FIELD(AsyncSparseLdlSolver, tolerance, "tolerance", dv_type_double, .init = "0", .range = &dv_range_not_negative,
             .help =
                 "as solver: what may be left of the right-hand side, by corrections with the present matrix; 0: the "
                 "earlier factor is taken as it is"),
    DV_FIELD(AsyncSparseLdlSolver, numbers[0], "evenMatrix", dv_type_doubles, .flags = DV_FIELD_STATE,
             .help = "blocks of every second matrix that is factored"),
    DV_FIELD(AsyncSparseLdlSolver, numbers[1], "oddMatrix", dv_type_doubles, .flags = DV_FIELD_STATE,
             .help = "blocks of the others"),
    DV_FIELD(
        AsyncSparseLdlSolver, turn, "turn", dv_type_doubles, .flags = DV_FIELD_STATE,
        .help =
            "which of them serves, step in which the next was begun, whether it was, factors of mass, damping and stiffness"),
    {0},
};

static void work(void *self_)
{
    AsyncSparseLdlSolver *self = self_;
    if (self->analyses)
        dv_ldl_solver_analyse_with(&self->base, self->next, &self->copy);
    self->failed = 0;
    self->status = dv_block_ldl_factor(self->next, &self->copy, &self->failed);
}

/* ---- The matrix of a job ---- */

static void *grown(const void *block, bool grows, size_t count, size_t size)
{
    if (!grows)
        return (void *)(uintptr_t)block;
    dv_free((void *)(uintptr_t)block);
    return dv_alloc(count, size);
}

static size_t numbers_of(const DvBlockMatrix *a)
{
    return (size_t)a->row_start[a->rows] * a->block * a->block;
}

/* Into one of the two fields. */
static void write_numbers(AsyncSparseLdlSolver *self, uint32_t which, const DvBlockMatrix *a)
{
    const size_t count = numbers_of(a);
    double *numbers = dv_data_begin_all(&self->numbers[which], count);
    memcpy(numbers, a->values, count * sizeof *numbers);
    dv_data_end(&self->numbers[which]);
}

/* The matrix of a field, with the structure of `a`. */
static DvBlockMatrix matrix_in(AsyncSparseLdlSolver *self, uint32_t which, const DvBlockMatrix *a)
{
    size_t count;
    DvBlockMatrix matrix = *a;
    matrix.values = (double *)(uintptr_t)dv_data_doubles(&self->numbers[which], &count); /* only read */
    return matrix;
}

/* What the job reads: the numbers of the next field, and a structure that stays while the mechanics change theirs. */
static void keep(AsyncSparseLdlSolver *self, const DvBlockMatrix *a)
{
    DvBlockMatrix *copy = &self->copy;
    const size_t rows = (size_t)a->rows + 1, slots = a->row_start[a->rows];
    uint32_t *row_start = grown(copy->row_start, rows > self->rows, rows, sizeof *row_start);
    uint32_t *diagonal = grown(copy->diagonal, rows > self->rows, rows, sizeof *diagonal);
    uint32_t *columns = grown(copy->columns, slots > self->slots, slots, sizeof *columns);
    uint32_t *transposed = grown(copy->transposed, slots > self->slots, slots, sizeof *transposed);
    self->rows = rows > self->rows ? rows : self->rows;
    self->slots = slots > self->slots ? slots : self->slots;
    if (copy->structure != a->structure || copy->rows != a->rows) {
        memcpy(row_start, a->row_start, rows * sizeof *row_start);
        memcpy(diagonal, a->diagonal, a->rows * sizeof *diagonal);
        memcpy(columns, a->columns, slots * sizeof *columns);
        memcpy(transposed, a->transposed, slots * sizeof *transposed);
    }
    *copy = matrix_in(self, 1 - self->which, a);
    copy->row_start = row_start;
    copy->diagonal = diagonal;
    copy->columns = columns;
    copy->transposed = transposed;
}

/* ---- Factors ---- */

static uint64_t step_of(const AsyncSparseLdlSolver *self)
{
    return dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self))));
}

static void write_turn(AsyncSparseLdlSolver *self)
{
    double *turn = dv_data_begin_all(&self->turn, TURN_SIZE);
    turn[WHICH] = self->which;
    turn[BEGUN] = (double)self->begun;
    turn[PENDING] = self->pending;
    turn[M] = self->factors.m;
    turn[B] = self->factors.b;
    turn[K] = self->factors.k;
    dv_data_end(&self->turn);
}

static void start_job(AsyncSparseLdlSolver *self, const DvBlockMatrix *a, bool analyses)
{
    keep(self, a);
    self->analyses = analyses;
    dv_job_start(&self->job, work, self);
}

static void begin_next(AsyncSparseLdlSolver *self, const DvBlockMatrix *a, bool analyses)
{
    write_numbers(self, 1 - self->which, a);
    self->pending = true;
    self->begun = step_of(self);
    write_turn(self);
    start_job(self, a, analyses);
}

static void say_nonzeros(AsyncSparseLdlSolver *self)
{
    const uint64_t nonzeros = dv_block_ldl_nonzeros(self->base.ldl);
    const int32_t said = nonzeros < INT32_MAX ? (int32_t)nonzeros : INT32_MAX;
    if (dv_data_int(&self->nonzeros) != said)
        dv_data_set_int(&self->nonzeros, said);
}

/* The present matrix at once; the same into `next`, so that all memory is there after the first step. */
static DvStatus factor_at_once(AsyncSparseLdlSolver *self, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvDirectSolver *direct = &self->base.direct;
    dv_job_wait(&self->job);
    direct->factored = self->pending = false;
    const DvStatus status = dv_direct_solver_set_system(self, m, step, factors);
    if (status != DV_OK || direct->matrix->rows == 0)
        return status;
    self->which = 0;
    self->factors = factors;
    write_numbers(self, 0, direct->matrix);
    begin_next(self, direct->matrix, true);
    dv_job_wait(&self->job);
    self->pending = false;
    write_turn(self);
    say_nonzeros(self);
    return self->status;
}

static bool are_factors(DvFactors a, DvFactors b)
{
    return a.m == b.m && a.b == b.b && a.k == b.k;
}

/* The factors that a run had are made again, of the numbers in the fields: the one that serves, and the next. */
static DvStatus resume(AsyncSparseLdlSolver *self, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    DvDirectSolver *direct = &self->base.direct;
    self->resumes = false;
    const DvStatus status = dv_direct_solver_set_system(self, m, step, factors);
    if (status != DV_OK || direct->matrix->rows == 0)
        return status;
    size_t even, odd, count;
    const double *turn = dv_data_doubles(&self->turn, &count);
    (void)dv_data_doubles(&self->numbers[0], &even);
    (void)dv_data_doubles(&self->numbers[1], &odd);
    const size_t numbers = numbers_of(direct->matrix);
    if (even != numbers || odd != numbers || !are_factors(factors, (DvFactors){turn[M], turn[B], turn[K]}))
        return factor_at_once(self, m, step, factors);
    self->which = turn[WHICH] == 1.0;
    self->begun = (uint64_t)turn[BEGUN];
    self->factors = factors;
    const DvBlockMatrix served = matrix_in(self, self->which, direct->matrix);
    uint32_t failed = 0;
    const DvStatus again = dv_block_ldl_factor(self->base.ldl, &served, &failed);
    if (again == DV_ERROR_SINGULAR)
        return dv_linear_solver_refuse_singular(&direct->base, &served, failed);
    if (again != DV_OK)
        return again;
    say_nonzeros(self);
    self->pending = turn[PENDING] != 0.0;
    start_job(self, direct->matrix, true);
    if (!self->pending)
        dv_job_wait(&self->job);
    return DV_OK;
}

static DvStatus take_next(AsyncSparseLdlSolver *self)
{
    dv_phase_begin("factorization");
    dv_job_wait(&self->job);
    dv_phase_end();
    if (!self->pending)
        return DV_OK;
    self->pending = false;
    if (self->status == DV_ERROR_SINGULAR)
        return dv_linear_solver_refuse_singular(&self->base.direct.base, &self->copy, self->failed);
    if (self->status != DV_OK)
        return self->status;
    dv_block_ldl_swap(self->base.ldl, self->next);
    self->which = 1 - self->which;
    self->base.direct.factorizations++;
    say_nonzeros(self);
    return DV_OK;
}

static bool is_first(const AsyncSparseLdlSolver *self, size_t unknowns, DvFactors factors)
{
    return !self->base.direct.factored || self->base.direct.base.n != unknowns || !are_factors(self->factors, factors);
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    AsyncSparseLdlSolver *self = self_;
    DvDirectSolver *direct = &self->base.direct;
    direct->forgets = !dv_data_bool(&self->precompute);
    if (self->resumes) {
        const DvStatus status = resume(self, m, step, factors);
        if (status != DV_OK || direct->matrix->rows == 0 || dv_matrix_linear_system_gave(direct->base.system.object))
            return status; /* a preconditioner that is made again is not built in this step */
    }
    if (is_first(self, direct->base.ops->unknowns(m), factors))
        return factor_at_once(self, m, step, factors);
    const uint64_t now = step_of(self);
    const bool due = dv_data_bool(&self->assembly) && now - self->begun >= dv_data_uint(&self->refresh);
    if (!due && dv_data_double(&self->tolerance) == 0.0) {
        dv_linear_solver_take(&direct->base, m);
        dv_linear_solver_skip(&direct->base);
        return DV_OK;
    }
    const DvBlockMatrix *a = dv_linear_solver_assemble(&direct->base, m, step, factors);
    if (a == NULL)
        return DV_ERROR_INVALID;
    if (a->structure != direct->structure)
        return factor_at_once(self, m, step, factors);
    direct->matrix = a;
    direct->version = a->version;
    if (!due)
        return DV_OK;
    const DvStatus status = take_next(self);
    if (status == DV_OK)
        begin_next(self, a, direct->forgets);
    return status;
}

/* ---- Solutions ---- */

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients from x on; false: they do not come there. */
static bool correct(AsyncSparseLdlSolver *self, double *x, const double *b, size_t n, double bound)
{
    const DvBlockMatrix *a = self->base.direct.matrix;
    double *r = dv_step_alloc(n, sizeof *r), *z = dv_step_alloc(n, sizeof *z), *q = dv_step_alloc(n, sizeof *q),
           *p = dv_step_alloc(n + 1, sizeof *p), rho = 0.0;
    memcpy(p, x, n * sizeof *p);
    p[n] = 0.0; /* products read it */
    (void)dv_block_product(a, p, q);
    for (size_t i = 0; i < n; i++)
        r[i] = b[i] - q[i];
    for (int turn = 0;; turn++) {
        if (product(r, r, n) <= bound)
            return true;
        dv_ldl_solver_substitute(self, z, r);
        const double before = rho;
        rho = product(r, z, n);
        const double beta = turn > 0 ? rho / before : 0.0;
        for (size_t i = 0; i < n; i++)
            p[i] = z[i] + beta * p[i];
        (void)dv_block_product(a, p, q);
        const double curvature = product(p, q, n), alpha = rho / curvature;
        if (turn == MOST_CORRECTIONS || !(curvature > 0.0) || !isfinite(alpha))
            return false;
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
    }
}

/* Too far from the factor, or not definite: the present matrix is factored after all. */
static DvStatus solve_by_present(AsyncSparseLdlSolver *self, double *x, const double *b, size_t n)
{
    DvDirectSolver *direct = &self->base.direct;
    uint32_t failed = 0;
    const DvStatus status = dv_block_ldl_factor(self->base.ldl, direct->matrix, &failed);
    write_numbers(self, self->which, direct->matrix);
    direct->factorizations++;
    if (status == DV_ERROR_SINGULAR)
        return dv_linear_solver_refuse_singular(&direct->base, direct->matrix, failed);
    return status == DV_OK ? dv_direct_solver_solve_flat(self, x, b, n) : status;
}

static DvStatus solve_row(void *self_, double *x, const double *b, size_t n)
{
    AsyncSparseLdlSolver *self = self_;
    const double tolerance = dv_data_double(&self->tolerance), bound = tolerance * tolerance * product(b, b, n);
    if (n == 0 || tolerance == 0.0 || !dv_direct_solver_has_matrix(&self->base.direct))
        return dv_direct_solver_solve_flat(self, x, b, n);
    const DvStepMark mark = dv_step_mark();
    double *start = dv_step_alloc(n, sizeof *start);
    dv_ldl_solver_substitute(self, start, b);
    const bool done = correct(self, start, b, n, bound);
    if (done)
        memcpy(x, start, n * sizeof *x);
    dv_step_release(mark);
    return done ? DV_OK : solve_by_present(self, x, b, n);
}

/* ---- Where a device keeps the states ---- */

/* Once, of states that a device keeps: why their vectors travel for a solution. */
static void tell_of_host(AsyncSparseLdlSolver *self)
{
    const DvLinearSolver *base = &self->base.direct.base;
    if (self->told || base->ops->storage == NULL || base->ops->storage(base->m).space == NULL)
        return;
    self->told = true;
    dv_remark(dv_object_of(self), "solves on the host, and vectors travel for it: %s",
              dv_data_double(&self->tolerance) > 0.0 ? "corrections to a tolerance are products with the matrix"
              : dv_block_ldl_is_delicate(self->base.ldl)
                  ? "pivots have lost digits, and the matrix refines what the factor gives"
                  : "no plugin applies a factor there");
}

static DvStatus solve(void *self_, DvVecId x, DvVecId b)
{
    AsyncSparseLdlSolver *self = self_;
    if (dv_data_double(&self->tolerance) > 0.0 || !dv_ldl_solver_take_there(self)) {
        tell_of_host(self);
        return dv_linear_solver_solve(self, x, b);
    }
    dv_phase_begin("linear solver");
    factor_there_solve(&self->base.there, x, b);
    dv_phase_end();
    return DV_OK;
}

static DvStatus solve_there(void *self_, const DvSparseRows *b, DvVecId *x, bool *there)
{
    AsyncSparseLdlSolver *self = self_;
    *there = dv_ldl_solver_take_there(self);
    const DvStatus status = *there ? dv_linear_solver_check_rows(&self->base.direct.base, b) : DV_OK;
    dv_phase_begin("linear solver");
    if (*there && status == DV_OK)
        *there = factor_there_solve_row(&self->base.there, &self->base.direct.base, b, x);
    dv_phase_end();
    return status;
}

static DvStatus compliance(void *self_, const DvSparseRows *j, double factor, double *w, size_t stride)
{
    AsyncSparseLdlSolver *self = self_;
    const bool there = dv_ldl_solver_take_there(self);
    const DvStatus status = there ? dv_linear_solver_check_rows(&self->base.direct.base, j) : DV_OK;
    dv_phase_begin("compliance");
    const bool done = status != DV_OK || (there && factor_there_compliance(&self->base.there, j, factor, w, stride));
    dv_phase_end();
    return done ? status : dv_ldl_solver_compliance(self, j, factor, w, stride);
}

/* ---- Life ---- */

static DvStatus construct(DvObject *object, void *self_)
{
    AsyncSparseLdlSolver *self = self_;
    self->next = dv_block_ldl_new();
    dv_block_ldl_set_owner(self->next, object);
    return dv_ldl_solver_construct(object, self);
}

static DvStatus init(DvObject *object, void *self_)
{
    AsyncSparseLdlSolver *self = self_;
    const DvStatus status = dv_ldl_solver_init(object, self);
    self->base.direct.base.solve_row = solve_row;
    return status;
}

static void reset(DvObject *object, void *self_)
{
    AsyncSparseLdlSolver *self = self_;
    dv_job_wait(&self->job);
    self->pending = self->resumes = self->base.direct.factored = false;
    dv_direct_solver_reset(object, self);
}

/* What a run left in the fields is taken when the system is set, once there is a matrix that says whether it fits. */
static DvStatus restore(DvObject *object, void *self_)
{
    (void)object;
    AsyncSparseLdlSolver *self = self_;
    size_t count;
    const double *turn = dv_data_doubles(&self->turn, &count);
    dv_job_wait(&self->job);
    self->pending = self->base.direct.factored = false;
    self->resumes = count == TURN_SIZE && turn[BEGUN] >= 0.0 && turn[BEGUN] < 0x1p53;
    return DV_OK;
}

static void destroy(DvObject *object, void *self_)
{
    AsyncSparseLdlSolver *self = self_;
    dv_job_wait(&self->job);
    dv_block_ldl_free(self->next);
    const void *blocks[] = {self->copy.row_start, self->copy.diagonal, self->copy.columns, self->copy.transposed};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dv_free((void *)(uintptr_t)blocks[i]);
    dv_ldl_solver_destroy(object, self);
}

static const DvDirectSolverOps operations = {
    .solver = {DV_LINEAR_SOLVER_OPS, .set_system = set_system, .solve = solve,
               .solve_flat = dv_direct_solver_solve_flat, .factor_version = dv_direct_solver_factor_version,
               .solve_many = dv_ldl_solver_solve_many, .compliance = compliance, .half_solve = dv_ldl_solver_half_solve,
               .finish_half = dv_ldl_solver_finish_half, .solve_there = solve_there},
    .analyse = dv_ldl_solver_analyse,
    .factor = dv_ldl_solver_factor,
    .substitute = dv_ldl_solver_substitute,
    .refine = dv_ldl_solver_refine};

const DvClass dv_async_sparse_ldl_solver = {
    .size = sizeof(DvClass),
    .name = "AsyncSparseLDLSolver",
    .variants = "CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixd",
    .default_variant = "CompressedRowSparseMatrixd",
    .module = "Sofa.Component.LinearSolver.Direct",
    .help = "The factor of an earlier step, while the next is made beside the steps.",
    .instance_size = sizeof(AsyncSparseLdlSolver),
    .fields = fields,
    .construct = construct,
    .init = init,
    .destroy = destroy,
    .family = "linear solvers",
    .bases = (const char *const[]){"SparseLDLSolver", "MatrixLinearSolver", "LinearSolver", NULL},
    .reset = reset,
    .restore = restore,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations},
                                      {.id = DV_FAULT_CAUSE, .ops = &dv_direct_solver_cause_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &dv_direct_solver_record_ops},
                                      {.id = DV_SOLVER_THERE, .ops = &dv_ldl_solver_there_ops},
                                      {0}},
};
