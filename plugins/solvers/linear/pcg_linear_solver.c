/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PCGLinearSolver: preconditioned conjugate gradients (Shewchuk 1994, B3), always starting from the given x.
 *
 * Stops when r.z <= tolerance * b.b or after `iterations`. The preconditioner is any linear solver that works on a matrix,
 * asked for z = P^-1 r; how often it is built anew says the linear system, a PreconditionedMatrixFreeSystem.
 * One that the scene names is needed: when it leaves, so does what it promised for so few iterations, and the solver waits for it
 * (dv_object_require) instead of going on with a solution that is not one. `use_precond` switches it off.
 * Products are made without a matrix, or with the one that the preconditioner had assembled where that costs less.
 *
 * Where a device keeps the vectors and everything acts there, a solve stays, whatever has been assembled on the host: without a preconditioner,
 * with one of diagonal blocks, or with one that solves there. The diagonal itself, when each step needs another one, is made there too: then
 * nothing is assembled, and the preconditioner is left behind.
 */
#include "system/linear_system.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/kit/krylov_inverses.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CURVES = 64 };

typedef struct PcgLinearSolver {
    DvKrylovSolver krylov;
    DvData use_preconditioner;
    DvLink preconditioner_link;
    const DvLinearSolverOps *preconditioner; /* or NULL */
    void *preconditioner_self;
    const DvDiagonalBlocksOps *blocks;        /* the preconditioner's, as far as it acts on a device... */
    const DvSolverThereOps *there;            /* ...or these; or NULL */
    const DvLink *preconditioner_system_link; /* the preconditioner's; or NULL */
    DvLinearSystemUse preconditioner_system;  /* to which it leads */
    DvCurve errors[MAX_CURVES];               /* of the solves of this step */
    uint32_t curves;
    bool warned_frozen;
    DvKrylovCourse course;     /* of a solve that stays on a device... */
    DvKrylovInverses inverses; /* ...with these of the preconditioner */
    bool left_behind; /* the preconditioner has not been built for this system, but the device makes its diagonal */
    DvData batch;
} PcgLinearSolver;

static const DvField fields[] = {
    DV_KRYLOV_FIELDS(PcgLinearSolver, krylov, 0, "stop when r.z, squared as it is, has shrunk to this part of b.b",
                     "relative residual of each iteration of the solves of this step"),
    DV_FIELD(PcgLinearSolver, use_preconditioner, "use_precond", dv_type_bool, .init = "1",
             .help = "whether the preconditioner is used"),
    DV_LINK(PcgLinearSolver, preconditioner_link, "preconditioner", DV_LINEAR_SOLVER,
            .help = "linear solver that preconditions; none: plain conjugate gradients"),
    DV_FIELD(
        PcgLinearSolver, batch, "batch", dv_type_uint, .init = "0",
        .help =
            "iterations that a device makes between two looks; 0: as many as the solve before took; no result hangs "
            "on it"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    (void)self_;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

static DvStatus init(DvObject *object, void *self_)
{
    PcgLinearSolver *self = self_;
    DvObject *preconditioner = dv_link_object(&self->preconditioner_link);
    if (dv_link_is_set(&self->preconditioner_link) && preconditioner == NULL)
        return dv_field_error(&self->preconditioner_link.data, -1, "leads to no linear solver");
    const DvStatus status =
        dv_krylov_solver_open(object, &self->krylov, "PreconditionedMatrixFreeSystem", "GraphScattered", DV_KRYLOV_OWN);
    if (status != DV_OK)
        return status;
    if (strcmp(dv_object_class(self->krylov.base.system.object)->name, "PreconditionedMatrixFreeSystem") != 0)
        return dv_field_error(&self->krylov.base.linear_system.data, -1,
                              "'%s' is a %s; this solver needs a PreconditionedMatrixFreeSystem",
                              dv_object_name(self->krylov.base.system.object),
                              dv_object_class(self->krylov.base.system.object)->name);
    if (preconditioner != NULL) {
        const DvStatus required = dv_object_require(object, preconditioner);
        if (required != DV_OK)
            return required;
        self->preconditioner = dv_object_ops(preconditioner, DV_LINEAR_SOLVER);
        self->preconditioner_self = dv_object_self(preconditioner);
        self->blocks = dv_object_ops(preconditioner, DV_DIAGONAL_BLOCKS);
        self->there = dv_object_ops(preconditioner, DV_SOLVER_THERE);
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
    dv_preconditioned_system_set_preconditioner(self->krylov.base.system.object, system);
    return DV_OK;
}

/* Whether vectors would travel for a matrix of the host, though the preconditioner acts where they are. */
static bool is_elsewhere(const PcgLinearSolver *self, DvMechanics *m)
{
    const DvMechanicalOperationsOps *ops = self->krylov.base.ops;
    return (self->blocks != NULL || self->there != NULL) && ops->storage != NULL && ops->storage(m).space != NULL;
}

/* The system that the preconditioner assembles by, as it is linked now; without an object: it is another one. */
static DvLinearSystemUse system_of_preconditioner(const PcgLinearSolver *self)
{
    const DvLinearSystemUse system = self->preconditioner_system;
    const bool is_linked = system.object != NULL && dv_link_object(self->preconditioner_system_link) == system.object;
    return is_linked ? system : (DvLinearSystemUse){NULL, NULL, NULL};
}

static void choose_inverses(PcgLinearSolver *self, bool active)
{
    self->inverses.self = self->preconditioner_self;
    self->inverses.ops = active ? self->blocks : NULL;
    self->inverses.solver = active ? self->there : NULL;
}

static DvStatus build_preconditioner(PcgLinearSolver *self, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    if (!dv_object_is_valid(dv_object_of(self->preconditioner_self)))
        return dv_error(dv_object_of(self), DV_ERROR_INVALID, "cannot solve: its preconditioner was not initialised");
    const DvStatus status = self->preconditioner->set_system(self->preconditioner_self, m, step, factors);
    self->left_behind = self->inverses.is_made_there = false;
    self->inverses.built++;
    return status;
}

/* Whether the device makes the diagonal of this system, and the preconditioner need not. One that serves more systems than this one is
 * kept by saved runs as it was built, and a correction may ask for its solutions. */
static bool leaves_behind(PcgLinearSolver *self, DvMechanics *m)
{
    if (!dv_krylov_inverses_may_be_made_there(&self->inverses, self->krylov.base.ops, m))
        return false;
    const DvLinearSystemUse system = system_of_preconditioner(self);
    if (system.object == NULL || !dv_preconditioned_system_builds_each(self->krylov.base.system.object) ||
        !dv_linear_system_may_be_skipped(system) || dv_matrix_linear_system_is_watched(system.object) ||
        dv_node_find(dv_object_node(dv_object_of(self)), DV_CONSTRAINT_CORRECTION, DV_SEARCH_DOWN) != NULL)
        return false;
    system.ops->skip(system.self, self->krylov.base.ops->unknowns(m));
    self->left_behind = self->inverses.is_made_there = true;
    self->inverses.built++;
    return true;
}

static DvStatus set_system(void *self_, DvMechanics *m, const DvStep *step, DvFactors factors)
{
    PcgLinearSolver *self = self_;
    const DvBlockMatrix *matrix = NULL;
    const bool active = self->preconditioner != NULL && dv_data_bool(&self->use_preconditioner);
    choose_inverses(self, active);
    if (active && dv_preconditioned_system_is_due(self->krylov.base.system.object) && !leaves_behind(self, m)) {
        const DvStatus status = build_preconditioner(self, m, step, factors);
        if (status != DV_OK)
            return status;
        const DvLinearSystemUse system = system_of_preconditioner(self);
        if (system.object != NULL && !is_elsewhere(self, m))
            matrix = dv_linear_system_whole(system);
    }
    return dv_krylov_solver_set_matrix_free(&self->krylov, m, step, factors, matrix);
}

static DvStatus precondition(PcgLinearSolver *self, bool active, int z)
{
    if (active)
        return dv_krylov_precondition(&self->krylov.space, self->preconditioner, self->preconditioner_self, z,
                                      DV_KRYLOV_R);
    dv_krylov_copy(&self->krylov.space, z, DV_KRYLOV_R);
    return DV_OK;
}

/* A solve ends before its first iteration. Where there was nothing to start from either, bodies stay as they are whatever the forces,
 * which is said once, unless forces are rounding alone. */
static void tell_of_standstill(PcgLinearSolver *self, double b_norm, double rho, double bound, bool of_step)
{
    DvKrylovSpace *space = &self->krylov.space;
    if (self->warned_frozen ||
        (of_step && (dv_krylov_dot(space, DV_KRYLOV_X, DV_KRYLOV_X) != 0.0 || dv_krylov_is_rounding(space, b_norm))))
        return;
    self->warned_frozen = true;
    dv_warning(
        dv_object_of(self),
        "it does not move bodies although forces act: the first residual %g, as the preconditioner weighs it, is "
        "within %g "
        "(tolerance times the squared right-hand side); set a tolerance below %.0e",
        rho, bound, 0.01 * dv_data_double(&self->krylov.tolerance) * rho / bound);
}

/* The curve of the next solve of this step. */
static DvCurve *next_curve(PcgLinearSolver *self)
{
    DvCurve *errors = &self->errors[self->curves < MAX_CURVES ? self->curves++ : MAX_CURVES - 1];
    dv_curve_restart(errors, dv_data_uint(&self->krylov.iterations));
    return errors;
}

/* The preconditioner of this system, if it was left behind. */
static DvStatus catch_up(PcgLinearSolver *self)
{
    const DvKrylovSpace *space = &self->krylov.space;
    return self->left_behind ? build_preconditioner(self, space->m, &space->step, space->factors) : DV_OK;
}

/* Whether the solve stays on a device; then it has been there already. *rho: the first r.z. */
static DvStatus solve_there(PcgLinearSolver *self, bool active, uint32_t expected, bool *stays, double *rho)
{
    DvKrylovSpace *space = &self->krylov.space;
    const uint32_t iterations = dv_data_uint(&self->krylov.iterations);
    choose_inverses(self, active);
    self->course.batch = dv_data_uint(&self->batch);
    const bool may = !active || self->blocks != NULL || self->there != NULL;
    *stays = may && dv_krylov_inverses_begin(space, &self->course, &self->inverses, iterations);
    if (active && !*stays && self->left_behind) {
        const DvStatus status = catch_up(self);
        if (status != DV_OK)
            return status;
        *stays = may && dv_krylov_inverses_begin(space, &self->course, &self->inverses, iterations);
    }
    if (*stays)
        *rho = dv_krylov_inverses_run(space, &self->course, &self->inverses, iterations,
                                      dv_data_double(&self->krylov.tolerance), expected);
    return DV_OK;
}

/* One iteration: what is left, r.r, and *rho; by the solve that has been there already, or now. */
static DvStatus turn(PcgLinearSolver *self, bool stays, bool active, uint32_t it, double *left, double *rho)
{
    DvKrylovSpace *space = &self->krylov.space;
    if (stays) {
        const bool known = it <= self->course.turns;
        *left = known ? self->course.denominator[it - 1] : NAN;
        *rho = known ? self->course.rho[it - 1] : NAN;
        return DV_OK;
    }
    const double previous_rho = *rho, alpha = previous_rho / dv_krylov_product(space, DV_KRYLOV_Q, DV_KRYLOV_P);
    *left = dv_krylov_step(space, alpha);
    const DvStatus status = precondition(self, active, DV_KRYLOV_Q);
    *rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_Q);
    dv_krylov_turn(space, DV_KRYLOV_Q, *rho / previous_rho);
    return status;
}

/* R holds the residual, P the direction, Q the product and then the preconditioned residual. */
static DvStatus iterate(void *self_, bool of_step, uint32_t *products)
{
    PcgLinearSolver *self = self_;
    DvKrylovSpace *space = &self->krylov.space;
    DvCurve *errors = of_step ? next_curve(self) : NULL;
    const bool active = self->preconditioner != NULL && dv_data_bool(&self->use_preconditioner);
    const uint32_t iterations = dv_data_uint(&self->krylov.iterations);
    double rho = 0.0;
    bool stays = false;
    DvStatus status = solve_there(self, active, *products, &stays, &rho);
    if (status != DV_OK || (stays && dv_krylov_is_asked(space)))
        return status;
    const double b_squared = stays ? self->course.b_squared : dv_krylov_dot(space, DV_KRYLOV_B, DV_KRYLOV_B);
    const double bound = dv_data_double(&self->krylov.tolerance) * b_squared;
    self->krylov.left = 0.0;
    if (!of_step && b_squared == 0.0)
        return DV_OK;
    if (!stays) {
        dv_krylov_residual(space);
        status = precondition(self, active, DV_KRYLOV_P);
        rho = dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_P);
    }
    double left = rho;
    bool finite = true; /* else one iteration makes the solution not finite too, which stops the run */
    uint32_t it = 1;
    for (; status == DV_OK && it <= iterations && finite && (rho > bound || !isfinite(rho)); it++) {
        finite = isfinite(rho);
        status = turn(self, stays, active, it, &left, &rho);
        if (errors != NULL)
            dv_curve_add(errors, rho / b_squared);
    }
    *products = it;
    if (status == DV_OK && active && !finite) /* of a singular matrix the preconditioner says so */
        status = catch_up(self);
    if (b_squared == 0.0)
        return status;
    if (it == 1 && active)
        left = of_step ? dv_krylov_dot(space, DV_KRYLOV_R, DV_KRYLOV_R) : b_squared;
    self->krylov.left = sqrt(left / b_squared);
    if (it == 1 && status == DV_OK && iterations > 0)
        tell_of_standstill(self, sqrt(b_squared), rho, bound, of_step);
    /* The tolerance is one of squares. */
    (void)dv_krylov_solver_record(&self->krylov, sqrt(left), sqrt(b_squared),
                                  sqrt(dv_data_double(&self->krylov.tolerance)), of_step);
    return status;
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
    dv_graph_set(&self->krylov.graph, &text);
    return DV_OK;
}

static void remedy(void *self_, DvText *text)
{
    (void)self_;
    dv_text_add(text,
                "raise its iterations, lower its tolerance (which is one of squares), take a better preconditioner, or "
                "SparseLDLSolver");
}

static const DvSolveRecordOps record_ops = {.size = sizeof record_ops,
                                            .record = dv_krylov_solver_record_of,
                                            .unit = "times the largest right-hand side",
                                            .remedy = remedy};

static void destroy(DvObject *object, void *self)
{
    for (size_t i = 0; i < MAX_CURVES; i++)
        dv_curve_free(&((PcgLinearSolver *)self)->errors[i]);
    dv_krylov_course_free(&((PcgLinearSolver *)self)->course);
    dv_krylov_inverses_free(&((PcgLinearSolver *)self)->inverses);
    dv_krylov_solver_destroy(object, self);
}

static const DvKrylovOps operations = {
    .solver =
        {
            DV_KRYLOV_SOLVER_OPS,
            .set_system = set_system,
            .uses_guess = dv_krylov_solver_starts_from_guess,
            .takes = dv_krylov_solver_takes_nearly_symmetric,
        },
    .iterate = iterate,
};

const DvClass dv_pcg_linear_solver = {
    .size = sizeof(DvClass),
    .name = "PCGLinearSolver",
    .variants = "GraphScattered",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .help = "Conjugate gradients with another linear solver as preconditioner.",
    .instance_size = sizeof(PcgLinearSolver),
    .fields = fields,
    .construct = construct,
    .init = init,
    .bwd_init = bwd_init,
    .reset = dv_krylov_solver_reset,
    .handle_event = handle_event,
    .update = update,
    .destroy = destroy,
    DV_KRYLOV_CLASS(operations, record_ops, "MatrixLinearSolver", "LinearSolver"),
};
