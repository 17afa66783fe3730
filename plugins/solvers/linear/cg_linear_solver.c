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
#include <divan/contracts/fault_cause.h>
#include <divan/kit/krylov.h>

#include <math.h>
#include <string.h>

typedef struct CgLinearSolver {
    DvKrylovSolver krylov;
    DvData threshold, warm_start;
    DvCurve denominators;
    bool warned_singular, warned_frozen;
    double largest_change; /* of a first iteration so far */
    /* Of the last solve, for the report of a failed run: the first p.Ap below zero and its iteration. */
    double negative;
    uint32_t negative_at;
    bool unsolved;
    bool by_threshold;                      /* it was the threshold that ended it */
    double first_denominator, first_change; /* of one that the threshold ended before its first iteration; else 0 */
    uint64_t unsolved_by_threshold;
    DvKrylovCourse course; /* of a solve that stays on a device */
    DvData batch;
} CgLinearSolver;

/* What would move by less (m/s) is at rest: forces are those of rounding. */
static const double AT_REST = 1e-12;

static const DvField fields[] = {
    DV_KRYLOV_FIELDS(CgLinearSolver, krylov, DV_FIELD_REQUIRED,
                     "stop when the residual has shrunk to this part of the right-hand side",
                     "relative residual and denominator of each iteration of the last solve"),
    DV_FIELD(CgLinearSolver, threshold, "threshold", dv_type_double, .init = "1e-5", .range = &dv_range_not_negative,
             .flags = DV_FIELD_REQUIRED, .help = "stop when the denominator p.Ap is not larger than this"),
    DV_FIELD(CgLinearSolver, warm_start, "warmStart", dv_type_bool, .init = "0",
             .help = "start from the solution of the step before"),
    DV_FIELD(
        CgLinearSolver, batch, "batch", dv_type_uint, .init = "0",
        .help =
            "iterations that a device makes between two looks; 0: as many as the solve before took; no result hangs "
            "on it"),
    {0},
};

static void reset(DvObject *object, void *self)
{
    dv_krylov_solver_reset(object, self);
    ((CgLinearSolver *)self)->unsolved_by_threshold = 0;
}

/* A solve has ended before its first iteration, which would have changed the solution by first_change: that is said once, unless it
 * is as nothing to what has been solved before, or forces are rounding alone. */
static void tell_of_standstill(CgLinearSolver *self, double b_norm, double largest_change, bool of_step)
{
    const double small = 0.1, denominator = self->first_denominator;
    if (denominator == 0.0 || self->warned_frozen || self->first_change <= small * largest_change ||
        (of_step && dv_krylov_is_rounding(&self->krylov.space, b_norm)))
        return;
    self->warned_frozen = true;
    if (denominator < 0.0)
        dv_warning(
            dv_object_of(self),
            "it does not move bodies although forces act: the matrix is not positive definite (the first p.Ap is "
            "%g); use "
            "a smaller dt, or SparseLDLSolver, which does not need that",
            denominator);
    else
        dv_warning(
            dv_object_of(self),
            "it does not move bodies although forces act: the first denominator %g is within the threshold %g, which "
            "is "
            "not relative; set a threshold below %.0e",
            denominator, dv_data_double(&self->threshold),
            denominator * pow(fmin(dv_data_double(&self->krylov.tolerance), 1.0), 2.0));
}

/* P = R + beta P, and p . A p: by the solve that has been there already, or now. */
static double next_denominator(CgLinearSolver *self, uint32_t it, double beta)
{
    DvKrylovSpace *space = &self->krylov.space;
    if (self->course.storage.space)
        return it <= self->course.turns ? self->course.denominator[it - 1] : NAN;
    if (it == 1)
        dv_krylov_copy(space, DV_KRYLOV_P, DV_KRYLOV_R);
    else
        dv_krylov_turn(space, DV_KRYLOV_R, beta);
    return dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
}

static double next_rho(CgLinearSolver *self, uint32_t it, double alpha)
{
    if (self->course.storage.space)
        return it <= self->course.turns ? self->course.rho[it - 1] : NAN;
    return dv_krylov_step(&self->krylov.space, alpha);
}

/* Iterations from the residual R, with rho = R . R and P undefined; b_norm > 0. The number of products. */
static uint32_t reduce(CgLinearSolver *self, double b_norm, double rho, bool first_solve)
{
    const uint32_t iterations = dv_data_uint(&self->krylov.iterations);
    const double tolerance = dv_data_double(&self->krylov.tolerance);
    const double threshold = dv_data_double(&self->threshold);
    double previous_rho = rho;
    for (uint32_t it = 1; it <= iterations; it++) {
        const double error = sqrt(rho) / b_norm;
        dv_curve_add(&self->krylov.errors, error);
        if (error <= tolerance) {
            if (it > 1 || !first_solve)
                return it - 1;
            dv_remark(dv_object_of(self), "the first residual %g is within the tolerance %g already", error, tolerance);
        }
        const double denominator = next_denominator(self, it, rho / previous_rho);
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
                    self->krylov.left = 0.0;
                return it;
            }
        }
        const double alpha = rho / denominator;
        if (it == 1)
            self->largest_change = fmax(self->largest_change, fabs(alpha) * sqrt(rho));
        previous_rho = rho;
        rho = next_rho(self, it, alpha);
        self->krylov.left = sqrt(rho) / b_norm;
        if (isnan(rho))
            return it; /* the state will not be finite: nothing is gained by going on */
    }
    return iterations;
}

/* How the solve went. */
static void record(CgLinearSolver *self, double b_norm, bool of_step)
{
    self->unsolved = dv_krylov_solver_record(&self->krylov, self->krylov.left * b_norm, b_norm,
                                             dv_data_double(&self->krylov.tolerance), of_step);
    if (self->unsolved && self->by_threshold)
        self->unsolved_by_threshold++;
}

static DvStatus iterate(void *self_, bool of_step, uint32_t *products)
{
    CgLinearSolver *self = self_;
    DvKrylovSpace *space = &self->krylov.space;
    const uint32_t iterations = dv_data_uint(&self->krylov.iterations);
    self->negative = self->krylov.left = self->first_denominator = 0.0;
    self->unsolved = self->by_threshold = false;
    dv_curve_restart(&self->krylov.errors, iterations);
    dv_curve_restart(&self->denominators, iterations);
    dv_curve_add(&self->krylov.errors, 1.0);
    const bool first_solve = of_step && dv_data_uint(&self->krylov.solves) == 0;
    const bool warm = of_step && dv_data_bool(&self->warm_start);
    if (!warm && dv_krylov_course_begin(space, &self->course, iterations)) {
        self->course.batch = dv_data_uint(&self->batch);
        dv_krylov_course_run(space, &self->course, iterations, dv_data_double(&self->krylov.tolerance),
                             dv_data_double(&self->threshold), first_solve, *products);
        if (dv_krylov_is_asked(space))
            return DV_OK;
    } else {
        self->course.storage.space = NULL;
    }
    const bool stays = self->course.storage.space != NULL;
    const double b_squared = stays ? self->course.b_squared : dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B);
    if (b_squared == 0.0) {
        (void)dv_solve_record_add(&self->krylov.record, 0.0, dv_data_double(&self->krylov.tolerance), DV_KRYLOV_UNSEEN);
        return DV_OK;
    }
    double rho = b_squared;
    if (warm) {
        dv_krylov_residual(space);
        rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R);
    } else if (!stays) {
        dv_krylov_copy(space, DV_KRYLOV_R, DV_KRYLOV_B);
    }
    const double b_norm = sqrt(b_squared), largest_change = of_step ? self->largest_change : 0.0;
    const double largest_of_steps = self->largest_change; /* of another unit than those of rows */
    self->largest_change = largest_change;
    self->krylov.left = sqrt(rho) / b_norm;
    *products = reduce(self, b_norm, rho, first_solve);
    tell_of_standstill(self, b_norm, largest_change, of_step);
    record(self, b_norm, of_step);
    if (!of_step)
        self->largest_change = largest_of_steps;
    return DV_OK;
}

/* What ParallelCGLinearSolver asks for is the same matrix: threads are those of the run. */
static DvStatus init(DvObject *object, void *self)
{
    static const char parallel[] = "Parallel";
    const char *variant = dv_object_variant(object);
    if (strncmp(variant, parallel, sizeof parallel - 1) == 0)
        variant += sizeof parallel - 1;
    return dv_krylov_solver_open(object, self, NULL, variant, DV_KRYLOV_OWN);
}

static bool uses_guess(void *self)
{
    return dv_data_bool(&((CgLinearSolver *)self)->warm_start);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    CgLinearSolver *self = self_;
    DvText text = {0};
    dv_curve_print(&self->denominators, "Denominator", &text);
    dv_curve_print(&self->krylov.errors, "Error", &text);
    dv_graph_set(&self->krylov.graph, &text);
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
    if (!self->unsolved || !(self->krylov.left > 0.1))
        return 0.0;
    dv_text_add(cause, "linear system that is not solved (CGLinearSolver '%s' leaves %.2g of the right-hand side)",
                dv_object_name(object), self->krylov.left);
    dv_text_add(remedy, "raise its iterations, or use SparseLDLSolver");
    return DV_FAULT_POSSIBLE;
}

static void remedy(void *self_, DvText *text)
{
    CgLinearSolver *self = self_;
    const bool all = self->unsolved_by_threshold == self->krylov.record.unsolved;
    if (self->unsolved_by_threshold > 0)
        dv_text_add(text, "lower its threshold, which ended %s of them%s", all ? "all" : "some",
                    all ? "" : ", and raise its iterations");
    else
        dv_text_add(text, "raise its iterations, of which %u were not enough", dv_data_uint(&self->krylov.iterations));
    dv_text_add(text, ", or take SparseLDLSolver");
}

static const DvSolveRecordOps record_ops = {.size = sizeof record_ops,
                                            .record = dv_krylov_solver_record_of,
                                            .unit = "times the largest right-hand side",
                                            .remedy = remedy};

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static void destroy(DvObject *object, void *self)
{
    dv_curve_free(&((CgLinearSolver *)self)->denominators);
    dv_krylov_course_free(&((CgLinearSolver *)self)->course);
    dv_krylov_solver_destroy(object, self);
}

static const DvKrylovOps operations = {
    .solver =
        {
            DV_KRYLOV_SOLVER_OPS,
            .set_system = dv_krylov_solver_set_system,
            .uses_guess = uses_guess,
            .takes = dv_krylov_solver_takes_nearly_symmetric,
        },
    .iterate = iterate,
};

const DvClass dv_cg_linear_solver = {
    .size = sizeof(DvClass),
    .name = "CGLinearSolver",
    .variants =
        "CompressedRowSparseMatrixMat2x2d CompressedRowSparseMatrixMat3x3d CompressedRowSparseMatrixMat4x4d "
        "CompressedRowSparseMatrixMat6x6d CompressedRowSparseMatrixMat8x8d CompressedRowSparseMatrixd FullMatrix "
        "GraphScattered ParallelCompressedRowSparseMatrixMat3x3d ParallelCompressedRowSparseMatrixd SparseMatrix",
    .default_variant = "GraphScattered",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "linear solvers",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "Conjugate gradients, without a matrix or with the assembled one.",
    .instance_size = sizeof(CgLinearSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &operations},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .init = init,
    .reset = reset,
    .update = update,
    .destroy = destroy,
};
