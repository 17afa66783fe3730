/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PCGLinearSolver: preconditioned conjugate gradients (Shewchuk 1994, B3), always starting from the given x.
 *
 * Stops when r.z <= tolerance * b.b or after `iterations`. The preconditioner is any linear solver that works on a matrix,
 * asked for z = P^-1 r; how often it is built anew says the linear system, a PreconditionedMatrixFreeSystem.
 * One that the scene names is needed: when it leaves, so does what it promised for so few iterations, and the solver waits for it
 * (dv_object_require) instead of going on with a solution that is not one. `use_precond` switches it off.
 * Products are made without a matrix, or with the one that the preconditioner had assembled where that costs less.
 */
#include "linear/convergence_graph.h"
#include "linear/krylov_space.h"
#include "system/linear_system.h"

#include <divan/contracts/solve_record.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CURVES = 64 };

typedef struct PcgLinearSolver {
    DvLinearSolver base;
    DvData iterations, tolerance, use_preconditioner;
    DvData solves, products, graph;
    DvLink preconditioner_link;
    const DvLinearSolverOps *preconditioner; /* or NULL */
    void *preconditioner_self;
    const DvLink *preconditioner_system_link; /* the preconditioner's; or NULL */
    DvLinearSystemUse preconditioner_system;  /* to which it leads */
    DvKrylovSpace space;
    DvCurve errors[MAX_CURVES]; /* of the solves of this step */
    uint32_t curves;
    bool warned_frozen;
    DvSolveRecord record;
} PcgLinearSolver;

/* As in CGLinearSolver. */
static const double UNSEEN = 1e-4;

static const DvField fields[] = {
    DV_LINEAR_SOLVER_FIELDS(PcgLinearSolver, base),
    DV_FIELD(PcgLinearSolver, iterations, "iterations", dv_type_uint, .init = "25", .range = &dv_range_count,
             .help = "largest number of iterations"),
    DV_FIELD(PcgLinearSolver, tolerance, "tolerance", dv_type_double, .init = "1e-5", .range = &dv_range_not_negative,
             .help = "stop when r.z, squared as it is, has shrunk to this part of b.b"),
    DV_FIELD(PcgLinearSolver, use_preconditioner, "use_precond", dv_type_bool, .init = "1",
             .help = "whether the preconditioner is used"),
    DV_LINK(PcgLinearSolver, preconditioner_link, "preconditioner", DV_LINEAR_SOLVER,
            .help = "linear solver that preconditions; none: plain conjugate gradients"),
    DV_FIELD(PcgLinearSolver, solves, "solves", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "solves since initialisation"),
    DV_FIELD(PcgLinearSolver, products, "products", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, .help = "products in the last solve"),
    DV_FIELD(PcgLinearSolver, graph, "graph", dv_type_string, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "relative residual of each iteration of the solves of this step"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    (void)self_;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus solve_row(void *self, double *x, const double *b, size_t n);

static DvStatus init(DvObject *object, void *self_)
{
    PcgLinearSolver *self = self_;
    DvObject *preconditioner = dv_link_object(&self->preconditioner_link);
    if (dv_link_is_set(&self->preconditioner_link) && preconditioner == NULL)
        return dv_field_error(&self->preconditioner_link.data, -1, "leads to no linear solver");
    const DvStatus status =
        dv_linear_solver_open(object, &self->base, "PreconditionedMatrixFreeSystem", "GraphScattered", solve_row);
    if (status != DV_OK)
        return status;
    if (strcmp(dv_object_class(self->base.system.object)->name, "PreconditionedMatrixFreeSystem") != 0)
        return dv_field_error(
            &self->base.linear_system.data, -1, "'%s' is a %s; this solver needs a PreconditionedMatrixFreeSystem",
            dv_object_name(self->base.system.object), dv_object_class(self->base.system.object)->name);
    if (preconditioner != NULL) {
        const DvStatus required = dv_object_require(object, preconditioner);
        if (required != DV_OK)
            return required;
        self->preconditioner = dv_object_ops(preconditioner, DV_LINEAR_SOLVER);
        self->preconditioner_self = dv_object_self(preconditioner);
        if (self->preconditioner->solve_flat == NULL)
            return dv_field_error(
                &self->preconditioner_link.data, -1,
                "'%s' works without a matrix; a preconditioner needs one, such as JacobiPreconditioner",
                dv_object_name(preconditioner));
    }
    return DV_OK;
}

/* The preconditioner has its own system by now, wherever it stands in the scene. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    (void)object;
    PcgLinearSolver *self = self_;
    const DvObject *preconditioner = dv_link_object(&self->preconditioner_link);
    const DvData *field = preconditioner != NULL ? dv_object_field(preconditioner, "linearSystem") : NULL;
    if (field == NULL || field->type != &dv_type_link)
        return DV_OK;
    self->preconditioner_system_link = (const DvLink *)field;
    DvObject *system = dv_link_object(self->preconditioner_system_link);
    const DvLinearSystemOps *system_ops = system != NULL ? dv_object_ops(system, DV_LINEAR_SYSTEM) : NULL;
    if (system_ops != NULL)
        self->preconditioner_system = (DvLinearSystemUse){system_ops, dv_object_self(system), system};
    dv_preconditioned_system_set_preconditioner(self->base.system.object, system);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    dv_data_set_uint(&((PcgLinearSolver *)self_)->solves, 0);
    dv_data_set_uint(&((PcgLinearSolver *)self_)->products, 0);
    ((PcgLinearSolver *)self_)->record = (DvSolveRecord){0};
    ((PcgLinearSolver *)self_)->space.rounding = 0.0;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    PcgLinearSolver *self = self_;
    const DvBlockMatrix *matrix = NULL;
    if (self->preconditioner != NULL && dv_data_bool(&self->use_preconditioner) &&
        dv_preconditioned_system_is_due(self->base.system.object)) {
        if (!dv_object_is_valid(dv_object_of(self->preconditioner_self)))
            return dv_error(dv_object_of(self), DV_ERROR_INVALID,
                            "cannot solve: its preconditioner was not initialised");
        const DvStatus status = self->preconditioner->set_system(self->preconditioner_self, m, step, factors);
        if (status != DV_OK)
            return status;
        const DvLinearSystemUse system = self->preconditioner_system;
        if (system.object != NULL && dv_link_object(self->preconditioner_system_link) == system.object)
            matrix = dv_linear_system_whole(system);
    }
    const uint32_t products = dv_krylov_expected_products(dv_data_uint(&self->solves), dv_data_uint(&self->products),
                                                          dv_data_uint(&self->iterations));
    /* A matrix that is there already costs nothing but its products. */
    if (!self->base.ops->prefers_assembled(m, matrix != NULL ? UINT32_MAX : products)) {
        matrix = NULL;
    } else if (matrix == NULL) {
        dv_phase_begin("assembly");
        matrix = self->base.ops->assemble(m, step, factors, DV_ASSEMBLE_CONSTRAINED);
        dv_phase_end();
        if (matrix == NULL)
            return DV_ERROR_INVALID;
    }
    dv_krylov_set(&self->space, m, step, factors, matrix, products);
    self->base.m = m;
    self->base.n = self->space.n;
    dv_krylov_reserve_states(&self->space);
    return DV_OK;
}

static DvStatus precondition(PcgLinearSolver *self, bool active, int z)
{
    if (active)
        return dv_krylov_precondition(&self->space, self->preconditioner, self->preconditioner_self, z, DV_KRYLOV_R);
    dv_krylov_copy(&self->space, z, DV_KRYLOV_R);
    return DV_OK;
}

/* A solve ends before its first iteration. Where there was nothing to start from either, bodies stay as they are whatever the forces,
 * which is said once, unless forces are rounding alone. */
static void tell_of_standstill(PcgLinearSolver *self, double b_norm, double rho, double bound, bool is_motion)
{
    if (self->warned_frozen || dv_krylov_dot(&self->space, DV_KRYLOV_X, DV_KRYLOV_X) != 0.0 ||
        (is_motion && dv_krylov_is_rounding(&self->space, b_norm)))
        return;
    self->warned_frozen = true;
    dv_warning(
        dv_object_of(self),
        "it leaves bodies as they are though forces act: the first residual %g, as the preconditioner weighs it, is within %g "
        "(tolerance times the squared right-hand side); set a tolerance below %.0e",
        rho, bound, 0.01 * dv_data_double(&self->tolerance) * rho / bound);
}

/* `squared`: of what is left, which is measured by the largest right-hand side of a step, or by that of its row. The tolerance is one
 * of squares. */
static void record(PcgLinearSolver *self, double squared, double b_norm, bool is_motion)
{
    const double tolerance = sqrt(dv_data_double(&self->tolerance)), limit = fmax(tolerance, UNSEEN);
    if (is_motion)
        self->record.scale = fmax(self->record.scale, b_norm);
    double left = sqrt(squared) / (is_motion ? self->record.scale : b_norm);
    if (is_motion && left > limit && dv_krylov_is_rounding(&self->space, b_norm))
        left = 0.0;
    if (dv_solve_record_add(&self->record, left, tolerance, limit))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
}

/* R holds the residual, P the direction, Q the product and then the preconditioned residual; errors may be NULL. */
static DvStatus iterate(PcgLinearSolver *self, DvCurve *errors, bool is_motion, uint32_t *products)
{
    DvKrylovSpace *space = &self->space;
    const bool active = self->preconditioner != NULL && dv_data_bool(&self->use_preconditioner);
    const uint32_t iterations = dv_data_uint(&self->iterations);
    const double b_squared = dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B);
    const double bound = dv_data_double(&self->tolerance) * b_squared;
    dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_X);
    dv_krylov_combine(space, DV_KRYLOV_R, DV_KRYLOV_B, DV_KRYLOV_Q, -1.0);
    DvStatus status = precondition(self, active, DV_KRYLOV_P);
    double rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_P), left = rho;
    bool finite = true; /* else one iteration makes the solution not finite too, which stops the run */
    uint32_t it = 1;
    for (; status == DV_OK && it <= iterations && finite && (rho > bound || !isfinite(rho)); it++) {
        finite = isfinite(rho);
        const double alpha = rho / dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
        left = dv_krylov_step(space, alpha);
        status = precondition(self, active, DV_KRYLOV_Q);
        const double previous_rho = rho;
        rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_Q);
        dv_krylov_turn(space, DV_KRYLOV_Q, rho / previous_rho);
        if (errors != NULL)
            dv_curve_add(errors, rho / b_squared);
    }
    *products = it;
    if (it == 1 && active)
        left = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R);
    if (it == 1 && status == DV_OK && iterations > 0 && b_squared > 0.0)
        tell_of_standstill(self, sqrt(b_squared), rho, bound, is_motion);
    if (b_squared > 0.0)
        record(self, left, sqrt(b_squared), is_motion);
    return status;
}

static DvStatus solve(void *self_, DvVecId x, DvVecId b)
{
    PcgLinearSolver *self = self_;
    dv_phase_begin("linear solver");
    DvCurve *errors = &self->errors[self->curves < MAX_CURVES ? self->curves++ : MAX_CURVES - 1];
    dv_curve_restart(errors, dv_data_uint(&self->iterations));
    dv_krylov_begin(&self->space, x, b, true);
    uint32_t products = 0;
    const DvStatus status = iterate(self, errors, true, &products);
    dv_krylov_end(&self->space);
    dv_krylov_count_solve(&self->solves, &self->products, products);
    dv_phase_end();
    return status;
}

static DvStatus solve_row(void *self_, double *x, const double *b, size_t n)
{
    (void)n;
    PcgLinearSolver *self = self_;
    DvKrylovSpace *space = &self->space;
    uint32_t products;
    dv_krylov_begin_flat(space, b);
    const double b_squared = dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B);
    const DvStatus status = b_squared == 0.0 ? DV_OK : iterate(self, NULL, false, &products);
    dv_krylov_end_flat(space, x);
    dv_linear_solver_left(&self->base,
                          b_squared == 0.0 ? 0.0 : sqrt(dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R) / b_squared));
    return status;
}

static bool uses_guess(void *self_)
{
    (void)self_;
    return true;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    (void)object;
    if (event->kind == DV_EVENT_ANIMATE_BEGIN)
        ((PcgLinearSolver *)self_)->curves = 0;
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    PcgLinearSolver *self = self_;
    DvText text = {0};
    for (uint32_t i = 0; i < self->curves; i++) {
        char name[32];
        snprintf(name, sizeof name, "Error %u", i + 1);
        dv_curve_print(&self->errors[i], name, &text);
    }
    dv_data_set_string(&self->graph, text.at != NULL ? text.at : "");
    dv_text_free(&text);
    return DV_OK;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const PcgLinearSolver *)self)->record;
}

static void remedy(void *self_, DvText *text)
{
    (void)self_;
    dv_text_add(text,
                "raise its iterations, lower its tolerance (which is one of squares), take a better preconditioner, or "
                "SparseLDLSolver");
}

static const DvSolveRecordOps record_ops = {
    .size = sizeof record_ops, .record = record_of, .unit = "of the largest right-hand side", .remedy = remedy};

static void destroy(DvObject *object, void *self_)
{
    (void)object;
    PcgLinearSolver *self = self_;
    dv_krylov_free(&self->space);
    for (size_t i = 0; i < MAX_CURVES; i++)
        dv_curve_free(&self->errors[i]);
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

const DvClass dv_pcg_linear_solver = {
    .size = sizeof(DvClass),
    .name = "PCGLinearSolver",
    .variants = "GraphScattered",
    .bases = (const char *const[]){"MatrixLinearSolver", "LinearSolver", NULL},
    .family = "linear solvers",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "Conjugate gradients with another linear solver as preconditioner.",
    .instance_size = sizeof(PcgLinearSolver),
    .fields = fields,
    .contracts =
        (const DvContract[]){{.id = DV_LINEAR_SOLVER, .ops = &ops}, {.id = DV_SOLVE_RECORD, .ops = &record_ops}, {0}},
    .construct = construct,
    .init = init,
    .bwd_init = bwd_init,
    .reset = reset,
    .handle_event = handle_event,
    .update = update,
    .destroy = destroy,
};
