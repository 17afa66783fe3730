/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CGLinearSolver: conjugate gradients (Hestenes and Stiefel 1952) for symmetric positive definite systems.
 *
 * Starts from zero, or from the given x with `warmStart`. Stops when |r| / |b| <= tolerance, when |p.Ap| <= threshold (an
 * absolute bound), or after `iterations`. In the very first solve after initialisation the first iteration is never refused:
 * it only warns, so that a system at rest shows its first reaction.
 *
 * A solve that the threshold ends before its first iteration leaves everything as it is, whatever the forces: right where things
 * have come to rest, and a body that hangs in the air where they are only small (grams, millimetres). What tells them apart is how
 * large the change would have been, against those of the solves before.
 *
 * The template GraphScattered multiplies without a matrix, the others assemble. Where the assembled matrix would be the same
 * operator, cost decides for all of them, for as many products as the solve before took: the result is the same to rounding.
 * A MatrixLinearSystem that leaves parts out is assembled in any case.
 */
#include "linear/convergence_graph.h"
#include "linear/krylov_space.h"

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/solve_record.h>
#include <divan/kit/linear_solver.h>
#include <divan/scene.h>

#include <math.h>
#include <string.h>

typedef struct CgLinearSolver {
    DvLinearSolver base;
    DvData iterations, tolerance, threshold, warm_start;
    /* Since init, because the first solve is special; and in the last one. A saved run goes on with both. */
    DvData solves, products;
    DvData graph;
    DvKrylovSpace space;
    DvCurve errors, denominators;
    bool warned_singular, warned_frozen;
    double largest_change; /* of a first iteration so far */
    /* Of the last solve, for the report of a failed run: the first p.Ap below zero and its iteration, and the residual that was left. */
    double negative, left;
    uint32_t negative_at;
    bool unsolved;
    bool by_threshold;                      /* it was the threshold that ended it */
    double first_denominator, first_change; /* of one that the threshold ended before its first iteration; else 0 */
    DvSolveRecord record;
    uint64_t unsolved_by_threshold;
} CgLinearSolver;

/* A residual below this part of the largest right-hand side so far changes nothing that anybody would see, whatever the tolerance. */
static const double UNSEEN = 1e-4;
/* What would move by less (m/s) is at rest: forces are those of rounding. */
static const double AT_REST = 1e-12;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(CgLinearSolver, base),
    DV_FIELD(CgLinearSolver, iterations, "iterations", dv_type_uint, .init = "25", .range = &dv_range_count,
             .flags = DV_FIELD_REQUIRED, .help = "largest number of iterations"),
    DV_FIELD(CgLinearSolver, tolerance, "tolerance", dv_type_double, .init = "1e-5", .range = &dv_range_not_negative,
             .flags = DV_FIELD_REQUIRED,
             .help = "stop when the residual has shrunk to this part of the right-hand side"),
    DV_FIELD(CgLinearSolver, threshold, "threshold", dv_type_double, .init = "1e-5", .range = &dv_range_not_negative,
             .flags = DV_FIELD_REQUIRED, .help = "stop when the denominator p.Ap is not larger than this"),
    DV_FIELD(CgLinearSolver, warm_start, "warmStart", dv_type_bool, .init = "0",
             .help = "start from the solution of the step before"),
    DV_FIELD(CgLinearSolver, solves, "solves", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "solves since initialisation"),
    DV_FIELD(CgLinearSolver, products, "products", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "products in the last solve"),
    DV_FIELD(CgLinearSolver, graph, "graph", dv_type_string, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "relative residual and denominator of each iteration of the last solve"),
    {0},
};

static DvStatus solve_row(void *self, double *x, const double *b, size_t n);

static DvStatus init(DvObject *object, void *self_)
{
    CgLinearSolver *self = self_;
    return dv_linear_solver_open(object, &self->base, NULL, dv_object_variant(object), solve_row);
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    CgLinearSolver *self = self_;
    dv_data_set_uint(&self->solves, 0);
    dv_data_set_uint(&self->products, 0);
    self->record = (DvSolveRecord){0};
    self->space.rounding = 0.0;
    self->unsolved_by_threshold = 0;
}

/* Whether a solver that is to assemble need not: the matrix would be the same operator, and cost more. */
static bool does_without(const CgLinearSolver *self, DvMechanics *m, uint32_t products)
{
    return dv_linear_system_may_be_skipped(self->base.system) && self->base.ops->prefers_assembled(m, UINT32_MAX) &&
           !self->base.ops->prefers_assembled(m, products);
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    CgLinearSolver *self = self_;
    const uint32_t products = dv_krylov_expected_products(dv_data_uint(&self->solves), dv_data_uint(&self->products),
                                                          dv_data_uint(&self->iterations));
    const DvBlockMatrix *matrix = NULL;
    const bool matrix_free = self->base.system.ops->is_matrix_free(self->base.system.self);
    const bool without = !matrix_free && does_without(self, m, products);
    if (without) {
        self->base.system.ops->skip(self->base.system.self, self->base.ops->unknowns(m));
    } else if (!matrix_free) {
        matrix = self->base.system.ops->assemble(self->base.system.self, m, step, factors);
        if (matrix == NULL)
            return DV_ERROR_INVALID;
    } else if (self->base.ops->prefers_assembled(m, products)) {
        dv_phase_begin("assembly");
        matrix = self->base.ops->assemble(m, step, factors, DV_ASSEMBLE_CONSTRAINED);
        dv_phase_end();
        if (matrix == NULL)
            return DV_ERROR_INVALID;
    }
    dv_krylov_set(&self->space, m, step, factors, matrix, products);
    self->base.m = m;
    self->base.n = self->space.n;
    if (without || matrix_free)
        dv_krylov_reserve_states(&self->space);
    return DV_OK;
}

/* A solve has ended before its first iteration, which would have changed the solution by first_change: that is said once, unless it
 * is as nothing to what has been solved before, or forces are rounding alone. */
static void tell_of_standstill(CgLinearSolver *self, double b_norm, double largest_change, bool is_motion)
{
    const double small = 0.1, denominator = self->first_denominator;
    if (denominator == 0.0 || self->warned_frozen || self->first_change <= small * largest_change ||
        (is_motion && dv_krylov_is_rounding(&self->space, b_norm)))
        return;
    self->warned_frozen = true;
    if (denominator < 0.0)
        dv_warning(
            dv_object_of(self),
            "it leaves bodies as they are though forces act: the matrix is not positive definite (the first p.Ap is %g); use "
            "a smaller dt, or SparseLDLSolver, which does not need that",
            denominator);
    else
        dv_warning(
            dv_object_of(self),
            "it leaves bodies as they are though forces act: the first denominator %g is within the threshold %g, which is "
            "not relative; set a threshold below %.0e",
            denominator, dv_data_double(&self->threshold),
            denominator * pow(fmin(dv_data_double(&self->tolerance), 1.0), 2.0));
}

/* Iterations from the residual R, with rho = R . R and P undefined; b_norm > 0. The number of products. */
static uint32_t iterate(CgLinearSolver *self, double b_norm, double rho, bool first_solve)
{
    DvKrylovSpace *space = &self->space;
    const uint32_t iterations = dv_data_uint(&self->iterations);
    const double tolerance = dv_data_double(&self->tolerance);
    const double threshold = dv_data_double(&self->threshold);
    double previous_rho = rho;
    for (uint32_t it = 1; it <= iterations; it++) {
        const double error = sqrt(rho) / b_norm;
        dv_curve_add(&self->errors, error);
        if (error <= tolerance) {
            if (it > 1 || !first_solve)
                return it - 1;
            dv_remark(dv_object_of(self), "the first residual %g is within the tolerance %g already", error, tolerance);
        }
        if (it == 1)
            dv_krylov_copy(space, DV_KRYLOV_P, DV_KRYLOV_R);
        else
            dv_krylov_turn(space, DV_KRYLOV_R, rho / previous_rho);
        const double denominator = dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
        dv_curve_add(&self->denominators, denominator);
        if (denominator < 0.0 && self->negative == 0.0) {
            self->negative = denominator;
            self->negative_at = it;
        }
        if (denominator == 0.0) {
            if (!self->warned_singular)
                dv_warning(
                    dv_object_of(self),
                    "p.Ap is zero: the matrix has no effect on the residual. Is there a mass, or stiffness, on every point?");
            self->warned_singular = true;
            return it;
        }
        if (fabs(denominator) <= threshold) {
            if (it == 1) {
                self->first_denominator = denominator;
                self->first_change = fabs(rho / denominator) * sqrt(rho);
            }
            if (it > 1 || !first_solve) {
                self->by_threshold = true;
                if (it == 1 && self->first_change < AT_REST)
                    self->left = 0.0;
                return it;
            }
        }
        const double alpha = rho / denominator;
        if (it == 1)
            self->largest_change = fmax(self->largest_change, fabs(alpha) * sqrt(rho));
        previous_rho = rho;
        rho = dv_krylov_step(space, alpha);
        self->left = sqrt(rho) / b_norm;
        if (isnan(rho))
            return it; /* the state will not be finite: nothing is gained by going on */
    }
    return iterations;
}

/* How the solve went: what is left is measured by the largest right-hand side of a step, or by that of its row. */
static void record(CgLinearSolver *self, double b_norm, bool is_motion)
{
    const double tolerance = dv_data_double(&self->tolerance), limit = fmax(tolerance, UNSEEN);
    if (is_motion)
        self->record.scale = fmax(self->record.scale, b_norm);
    double left = self->left * b_norm / (is_motion ? self->record.scale : b_norm);
    if (is_motion && left > limit && dv_krylov_is_rounding(&self->space, b_norm))
        left = 0.0;
    self->unsolved = dv_solve_record_add(&self->record, left, tolerance, limit);
    if (!self->unsolved)
        return;
    self->unsolved_by_threshold += self->by_threshold ? 1 : 0;
    dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
}

/* From B to X, which holds a guess when `warm`. `is_motion`: B is of a step, not a row of a constraint. The number of products;
 * UINT32_MAX when B is zero and nothing was done. */
static uint32_t run(CgLinearSolver *self, bool warm, bool first_solve, bool is_motion)
{
    DvKrylovSpace *space = &self->space;
    const uint32_t iterations = dv_data_uint(&self->iterations);
    self->negative = self->left = self->first_denominator = 0.0;
    self->unsolved = self->by_threshold = false;
    dv_curve_restart(&self->errors, iterations);
    dv_curve_restart(&self->denominators, iterations);
    dv_curve_add(&self->errors, 1.0);
    const double b_squared = dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B);
    if (b_squared == 0.0) {
        (void)dv_solve_record_add(&self->record, 0.0, dv_data_double(&self->tolerance), UNSEEN);
        return UINT32_MAX;
    }
    double rho = b_squared;
    if (warm) {
        dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_X);
        dv_krylov_combine(space, DV_KRYLOV_R, DV_KRYLOV_B, DV_KRYLOV_Q, -1.0);
        rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R);
    } else {
        dv_krylov_copy(space, DV_KRYLOV_R, DV_KRYLOV_B);
    }
    const double b_norm = sqrt(b_squared);
    self->left = sqrt(rho) / b_norm;
    const double largest_change = self->largest_change;
    const uint32_t products = iterate(self, b_norm, rho, first_solve);
    tell_of_standstill(self, b_norm, largest_change, is_motion);
    record(self, b_norm, is_motion);
    return products;
}

static DvStatus solve(void *self_, DvVecId x, DvVecId b)
{
    CgLinearSolver *self = self_;
    dv_phase_begin("linear solver");
    const bool warm = dv_data_bool(&self->warm_start);
    dv_krylov_begin(&self->space, x, b, warm);
    const uint32_t products = run(self, warm, dv_data_uint(&self->solves) == 0, true);
    dv_krylov_end(&self->space);
    dv_krylov_count_solve(&self->solves, &self->products,
                          products != UINT32_MAX ? products : dv_data_uint(&self->products));
    dv_phase_end();
    return DV_OK;
}

static DvStatus solve_row(void *self_, double *x, const double *b, size_t n)
{
    (void)n;
    CgLinearSolver *self = self_;
    const double largest = self->largest_change; /* of another unit */
    self->largest_change = 0.0;
    dv_krylov_begin_flat(&self->space, b);
    (void)run(self, false, false, false);
    self->largest_change = largest;
    dv_krylov_end_flat(&self->space, x);
    dv_linear_solver_left(&self->base, self->left);
    return DV_OK;
}

static bool uses_guess(void *self_)
{
    return dv_data_bool(&((CgLinearSolver *)self_)->warm_start);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    CgLinearSolver *self = self_;
    DvText text = {0};
    dv_curve_print(&self->denominators, "Denominator", &text);
    dv_curve_print(&self->errors, "Error", &text);
    dv_data_set_string(&self->graph, text.at);
    dv_text_free(&text);
    return DV_OK;
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const CgLinearSolver *self = self_;
    const DvObject *object = dv_object_of(self);
    const DvNode *node = dv_object_node(object);
    if (dv_node_context(dv_object_node(fault->state), DV_LINEAR_SOLVER) != dv_node_slot(node, DV_LINEAR_SOLVER))
        return 0.0; /* another one solves for it */
    if (self->negative < 0.0) {
        dv_text_add(cause, "matrix that is not positive definite (p.Ap is %.3g in iteration %u of CGLinearSolver '%s')",
                    self->negative, self->negative_at, dv_object_name(object));
        dv_text_add(remedy, "use a smaller dt, or SparseLDLSolver, which does not need that");
        return DV_FAULT_LIKELY;
    }
    if (!self->unsolved || !(self->left > 0.1))
        return 0.0;
    dv_text_add(cause, "linear system that is not solved (CGLinearSolver '%s' leaves %.2g of the right-hand side)",
                dv_object_name(object), self->left);
    dv_text_add(remedy, "raise its iterations, or use SparseLDLSolver");
    return DV_FAULT_POSSIBLE;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const CgLinearSolver *)self)->record;
}

static void remedy(void *self_, DvText *text)
{
    const CgLinearSolver *self = self_;
    const bool all = self->unsolved_by_threshold == self->record.unsolved;
    if (self->unsolved_by_threshold > 0)
        dv_text_add(text, "lower its threshold, which ended %s of them%s", all ? "all" : "some",
                    all ? "" : ", and raise its iterations");
    else
        dv_text_add(text, "raise its iterations, of which %u were not enough",
                    dv_data_uint((DvData *)(uintptr_t)&self->iterations));
    dv_text_add(text, ", or take SparseLDLSolver");
}

static const DvSolveRecordOps record_ops = {
    .size = sizeof record_ops, .record = record_of, .unit = "of the largest right-hand side", .remedy = remedy};

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    CgLinearSolver *self = self_;
    dv_krylov_free(&self->space);
    dv_curve_free(&self->errors);
    dv_curve_free(&self->denominators);
}

static DvMatrixKind takes(void *self)
{
    (void)self;
    return DV_MATRIX_NEARLY_SYMMETRIC;
}

static const DvLinearSolverOps ops = {
    DV_LINEAR_SOLVER_OPS,     .set_system = set_system,    .solve = solve,
    .uses_guess = uses_guess, DV_LINEAR_SOLVER_ONE_BY_ONE, .takes = takes,
};

const DvClass dv_cg_linear_solver = {
    .size = sizeof(DvClass),
    .name = "CGLinearSolver",
    .variants =
        "CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixMat4x4d "
        "CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d CompressedRowSparseMatrixd FullMatrix "
        "GraphScattered SparseMatrix",
    .default_variant = "GraphScattered",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "linear solvers",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "Conjugate gradients, without a matrix or with the assembled one.",
    .instance_size = sizeof(CgLinearSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .init = init,
    .reset = reset,
    .update = update,
    .destroy = destroy,
};
