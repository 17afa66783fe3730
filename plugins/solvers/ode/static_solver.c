/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StaticSolver: positions in which all forces are in equilibrium, f(x) = 0 on what is free, by the NewtonRaphsonSolver of the scene.
 *
 *   -K dx = f      x := x + a dx
 *
 * Velocities stay as they are, and the step's length means nothing. Without loadSteps it is the reference's method: the whole load at
 * once, points with prescribed motion as the step before has left them (the animation loop moves them after the solve), and a state
 * that has not converged is kept.
 *
 * With loadSteps = n the step goes from the equilibrium that it finds to the next one in n parts. Let x0 be the positions at its beginning, f0
 * the forces there, and d the displacement that projective constraints prescribe; then at the part l of the way, l = 1/n ... 1,
 *
 *   f(x) - (1 - l) f0 = 0 on what is free,      prescribed points at x0 + l d
 *
 * f0 is what is out of equilibrium: loads that are new, whatever they come from. Each part begins with the linear equations for its share
 * of d, -K dx = f(x) - (1 - l) f0 + K d, so that the elements along the boundary do not take all of it. A part that does not converge is
 * taken back and halved, up to maxHalvings times; two that converge, and it is doubled again. If that does not help the step fails, at the
 * last equilibrium.
 */
#include "ode/newton.h"

#include <divan/contracts/fault_cause.h>
#include <divan/divan.h>
#include <divan/kit/integrator.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Old attributes, by what they are of the NewtonRaphsonSolver that is made when the scene has none. */
enum {
    OLD_ITERATIONS,
    OLD_ABSOLUTE_CHANGE,
    OLD_RELATIVE_CHANGE,
    OLD_ABSOLUTE_RESIDUAL,
    OLD_RELATIVE_RESIDUAL,
    OLD_COUNT
};

typedef struct StaticSolver {
    DvImplicitIntegrator implicit;
    DvLink newton_link;
    DvData old[OLD_COUNT];
    DvData parts, halvings, require_convergence, wants_reactions;
    DvData reactions, total_reaction, parts_taken;
    NewtonSolver *newton;
    /* Of the present solve. */
    DvStep step;
    DvVecId b, dx;
    double held; /* the part of the first forces that is not applied yet */
} StaticSolver;

/* Scratch vectors of derivatives by number, 0 is the solution's; and of coordinates. */
enum { RESIDUAL = 1, FIRST_FORCES, PRESCRIBED };
enum { KEPT_POSITION = DV_SCRATCH_INTEGRATION, PRESCRIBED_POSITION };

#define OLD(index, name, type_, range_)                                                                           \
    DV_FIELD(StaticSolver, old[index], name, type_, .range = range_, .flags = DV_FIELD_HIDDEN | DV_FIELD_AT_LOAD, \
             .help = "of old scenes: a field of NewtonRaphsonSolver, for one that is made when there is none")

static const DvField fields[] = {
    DV_KEPT_VECTOR_FIELD(StaticSolver, implicit.solution, "solution", "last change of the positions, the next guess"),
    DV_LINK(StaticSolver, implicit.linear_solver_link, "linearSolver", DV_LINEAR_SOLVER,
            .help = "solver of the linear system; default: the first in the node or below"),
    DV_LINK(StaticSolver, newton_link, "newtonSolver", NEWTON_SOLVER,
            .help = "solver of the equations; default: the first in the node or below, else a new one"),
    OLD(OLD_ITERATIONS, "newton_iterations", dv_type_uint, &dv_range_count),
    OLD(OLD_ABSOLUTE_CHANGE, "absolute_correction_tolerance_threshold", dv_type_double, &dv_range_not_negative),
    OLD(OLD_RELATIVE_CHANGE, "relative_correction_tolerance_threshold", dv_type_double, &dv_range_not_negative),
    OLD(OLD_ABSOLUTE_RESIDUAL, "absolute_residual_tolerance_threshold", dv_type_double, &dv_range_not_negative),
    OLD(OLD_RELATIVE_RESIDUAL, "relative_residual_tolerance_threshold", dv_type_double, &dv_range_not_negative),
    DV_FIELD(
        StaticSolver, parts, "loadSteps", dv_type_uint, .init = "0",
        .help =
            "parts in which a step applies what is new of loads and prescribed displacements, halved where Newton's "
            "method fails; a run stops when that does not help. 0: all of the load at once, as in the reference"),
    DV_FIELD(StaticSolver, halvings, "maxHalvings", dv_type_uint, .init = "8",
             .help = "most halvings of a part of the load"),
    DV_FIELD(StaticSolver, require_convergence, "requireConvergence", dv_type_bool, .init = "0",
             .help = "stop the run when a solve has not converged, as is done with loadSteps in any case"),
    DV_FIELD(StaticSolver, wants_reactions, "computeReactions", dv_type_bool, .init = "0",
             .help = "whether `reactions` and `totalReaction` are computed after each step"),
    DV_FIELD(
        StaticSolver, reactions, "reactions", dv_type_doubles, .flags = DV_FIELD_READ_ONLY, .unit = "N",
        .help = "forces of projective constraints on the independent states below, one after the other, a derivative a "
                "point: zero where nothing is fixed"),
    DV_FIELD(StaticSolver, total_reaction, "totalReaction", dv_type_vec3d, .init = "0 0 0", .flags = DV_FIELD_READ_ONLY,
             .unit = "N", .help = "sum of the reactions on points in space and rigid bodies"),
    DV_FIELD(StaticSolver, parts_taken, "loadStepsTaken", dv_type_uint, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "parts of the last step that have converged, halved ones too"),
    {0},
};

/* ---- Life ---- */

static const char *const old_targets[OLD_COUNT] = {
    [OLD_ITERATIONS] = "maxNbIterationsNewton",
    [OLD_ABSOLUTE_CHANGE] = "absoluteEstimateDifferenceThreshold",
    [OLD_RELATIVE_CHANGE] = "relativeEstimateDifferenceThreshold",
    [OLD_ABSOLUTE_RESIDUAL] = "absoluteResidualStoppingThreshold",
    [OLD_RELATIVE_RESIDUAL] = "relativeEstimateDifferenceThreshold", /* as in the reference */
};

/* Attributes of old scenes for the solver that is made here. Returns how many are set. */
static size_t take_old(StaticSolver *self, const char *names[OLD_COUNT], char texts[OLD_COUNT][40])
{
    size_t count = 0;
    for (size_t i = 0; i < OLD_COUNT; i++) {
        if (!dv_data_is_set(&self->old[i]))
            continue;
        dv_warning(dv_object_of(self), "field '%s' is of old scenes; add <NewtonRaphsonSolver %s=\"...\"/>",
                   self->old[i].field->name, old_targets[i]);
        size_t same = 0; /* two may stand for the same field: the later one counts */
        while (same < count && strcmp(names[same], old_targets[i]) != 0)
            same++;
        names[same] = old_targets[i];
        if (i == OLD_ITERATIONS)
            snprintf(texts[same], sizeof texts[same], "%u", dv_data_uint(&self->old[i]));
        else
            snprintf(texts[same], sizeof texts[same], "%.17g", dv_data_double(&self->old[i]));
        count += same == count;
    }
    return count;
}

/* Those that say something else than the solver of the scene. */
static void refuse_old(StaticSolver *self)
{
    const DvObject *newton = dv_object_of(self->newton);
    for (size_t i = 0; i < OLD_COUNT; i++) {
        DvData *old = &self->old[i], *counts = dv_object_field(newton, old_targets[i]);
        if (dv_data_is_set(old) && (i == OLD_ITERATIONS ? dv_data_uint(old) != dv_data_uint(counts)
                                                        : dv_data_double(old) != dv_data_double(counts)))
            dv_warning(dv_object_of(self),
                       "field '%s' has no effect, as there is a NewtonRaphsonSolver '%s'; set its %s", old->field->name,
                       dv_object_name(newton), old_targets[i]);
    }
}

static DvStatus make_newton(StaticSolver *self)
{
    DvObject *object = dv_object_of(self), *newton = NULL;
    const char *names[OLD_COUNT], *values[OLD_COUNT];
    char texts[OLD_COUNT][40];
    const size_t count = take_old(self, names, texts);
    for (size_t i = 0; i < count; i++)
        values[i] = texts[i];
    if (count == 0)
        dv_warning(
            object,
            "there is no NewtonRaphsonSolver in '%s' or below it: one iteration a step; add <NewtonRaphsonSolver "
            "maxNbIterationsNewton=\"20\"/> for a step that ends in equilibrium",
            dv_node_path(dv_object_node(object)));
    const DvStatus status =
        dv_object_new_with(dv_object_node(object), "NewtonRaphsonSolver", names, values, count, &newton);
    if (status != DV_OK)
        return status;
    self->newton = dv_object_self(newton);
    return dv_object_require(object, newton);
}

static DvStatus init(DvObject *object, void *self_)
{
    StaticSolver *self = self_;
    DvStatus status = dv_implicit_integrator_init(object, self);
    if (status != DV_OK)
        return status;
    self->newton = newton_find(object, &self->newton_link, &status);
    if (status != DV_OK)
        return status;
    if (!self->newton)
        return make_newton(self);
    refuse_old(self);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    StaticSolver *self = self_;
    static const double none[3] = {0.0, 0.0, 0.0};
    dv_data_set(&self->reactions, NULL, 0);
    dv_data_set(&self->total_reaction, none, 1);
    dv_data_set_uint(&self->parts_taken, 0);
    dv_integrator_reset(object, self);
}

static void cleanup(DvObject *object, void *self)
{
    dv_integrator_cleanup(object, self);
    ((StaticSolver *)self)->newton = NULL;
}

/* ---- What Newton's method asks for ---- */

/* b = f(x) - held f0 on what is free. */
static void residual(StaticSolver *self)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    dv_phase_begin("forces");
    ops->compute_force(m, &self->step, DV_FORCE, DV_WALK_VISITOR);
    if (self->held > 0.0)
        ops->combine(m, self->b, DV_FORCE, dv_integrator_scratch(&self->implicit.base, FIRST_FORCES), -self->held);
    else
        ops->combine(m, self->b, DV_FORCE, DV_NO_VEC, 0.0);
    ops->project_response(m, &self->step, self->b, DV_WALK_VISITOR);
    dv_phase_end();
}

static double evaluate(void *self_)
{
    StaticSolver *self = self_;
    residual(self);
    return self->implicit.base.ops->dot(self->implicit.base.m, self->b, self->b);
}

static DvStatus solve_linear(void *self_)
{
    StaticSolver *self = self_;
    const DvStatus status = dv_integrator_solve(&self->implicit.base, self->implicit.linear_solver,
                                                (DvFactors){.k = -1.0}, self->dx, self->b);
    if (status == DV_ERROR_SINGULAR)
        return dv_error(
            dv_object_of(self), status,
            "there is no unique equilibrium: some part can move without force. Fix enough points "
            "(FixedProjectiveConstraint, RestShapeSpringsForceField), remove points without elements, or take "
            "EulerImplicitSolver, where mass holds what nothing else does");
    return status;
}

static void update(void *self_, double share)
{
    StaticSolver *self = self_;
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    ops->combine(self->implicit.base.m, self->step.position, self->step.position, self->dx, share);
    ops->propagate_position(self->implicit.base.m, &self->step, self->step.position);
}

static double squared_guess(void *self_)
{
    const StaticSolver *self = self_;
    return self->implicit.base.ops->dot(self->implicit.base.m, self->step.position, self->step.position);
}

static double squared_change(void *self_)
{
    const StaticSolver *self = self_;
    return self->implicit.base.ops->dot(self->implicit.base.m, self->dx, self->dx);
}

static DvStatus run_newton(StaticSolver *self, bool rescued, NewtonEnd *end)
{
    const NewtonProblem problem = {
        .self = self,
        .evaluate = evaluate,
        .solve = solve_linear,
        .update = update,
        .squared_guess = squared_guess,
        .squared_change = squared_change,
        .ease =
            dv_data_uint(&self->parts) == 0
                ? "give the load in parts (loadSteps=\"10\" of the StaticSolver)"
                : "take elements whose stiffness is the whole derivative of their force (SolidFEMForceField with finite "
                  "kinematics)",
        .rescued = rescued,
    };
    return newton_solve(self->newton, &problem, end);
}

/* ---- The load in parts ---- */

typedef struct Parts {
    DvVecId kept, first_forces, prescribed; /* positions before a part; forces and displacement of the whole step */
    bool moves;                             /* something is prescribed */
    double reached, part, most;             /* of the way from 0 to 1 */
    uint32_t converged, in_a_row;
} Parts;

static DvVecId coordinates(StaticSolver *self, uint32_t number)
{
    DvVecId id;
    (void)self->implicit.base.ops->scratch(self->implicit.base.m, DV_COORDS, number, 1, &id);
    return id;
}

/* d = where projective constraints put the positions - where they are. */
static void find_prescribed(StaticSolver *self, Parts *parts)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    const DvVecId target = coordinates(self, PRESCRIBED_POSITION);
    parts->prescribed = dv_integrator_scratch(&self->implicit.base, PRESCRIBED);
    ops->combine(m, target, self->step.position, DV_NO_VEC, 0.0);
    ops->project_position(m, &self->step, target);
    const DvStepMark mark = dv_step_mark();
    const uint32_t count = ops->states(m, DV_STATES_INDEPENDENT, NULL, 0);
    DvObject **states = (DvObject **)dv_step_alloc(count, sizeof *states);
    (void)ops->states(m, DV_STATES_INDEPENDENT, states, count);
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef s = dv_state_ref(states[i]);
        dv_dof_difference(s.dof, dv_state_count(s), dv_state_write(s, parts->prescribed, DV_OVERWRITE).at,
                          dv_state_read(s, target).at, dv_state_read(s, self->step.position).at);
    }
    dv_step_release(mark);
    parts->moves = ops->dot(m, parts->prescribed, parts->prescribed) > 0.0;
}

static void begin_parts(StaticSolver *self, Parts *parts)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    *parts = (Parts){.kept = coordinates(self, KEPT_POSITION),
                     .first_forces = dv_integrator_scratch(&self->implicit.base, FIRST_FORCES)};
    parts->part = parts->most = 1.0 / fmax(dv_data_uint(&self->parts), 1.0);
    find_prescribed(self, parts);
    self->held = 0.0;
    residual(self);
    ops->combine(self->implicit.base.m, parts->first_forces, self->b, DV_NO_VEC, 0.0);
}

/* The prescribed points move by their share of d, and the others as the linear equations say. */
static DvStatus predict(StaticSolver *self, const Parts *parts, double share)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    residual(self);
    ops->add_mbk(m, &self->step, (DvFactors){.k = share}, self->b, parts->prescribed, DV_WALK_VISITOR);
    ops->project_response(m, &self->step, self->b, DV_WALK_VISITOR);
    const DvStatus status = solve_linear(self);
    if (status != DV_OK)
        return status;
    ops->combine(m, self->step.position, self->step.position, parts->prescribed, share);
    if (parts->reached + share >= 1.0)
        ops->project_position(m, &self->step, self->step.position);
    update(self, 1.0);
    return DV_OK;
}

/* From `reached` on by one part. */
static DvStatus solve_part(StaticSolver *self, const Parts *parts, double share, NewtonEnd *end)
{
    self->held = fmax(1.0 - (parts->reached + share), 0.0);
    if (parts->moves) {
        const DvStatus status = predict(self, parts, share);
        if (status != DV_OK)
            return status;
    }
    return run_newton(self, true, end);
}

static void take_back(StaticSolver *self, const Parts *parts)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    ops->combine(m, self->step.position, parts->kept, DV_NO_VEC, 0.0);
    ops->propagate_position(m, &self->step, self->step.position);
    ops->clear(m, self->dx);
}

static DvStatus refuse(const StaticSolver *self, const Parts *parts)
{
    DvText how = {0};
    newton_describe_with_remedy(self->newton, &how);
    const DvStatus status = dv_error(
        dv_object_of(self), DV_ERROR_NOT_CONVERGED,
        "no equilibrium beyond %.3g of what this step applies, in parts of %.3g: %s. There may be none nearby "
        "where a body buckles, elements are turned inside out or nothing holds a body; maxHalvings allows smaller parts",
        parts->reached, parts->part, how.at);
    dv_text_free(&how);
    return status;
}

static DvStatus solve_in_parts(StaticSolver *self)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    const uint32_t most_halvings = dv_data_uint(&self->halvings);
    const double rounding = 1e-9;
    uint32_t halvings = 0;
    Parts parts;
    begin_parts(self, &parts);
    while (parts.reached < 1.0) {
        NewtonEnd end = NEWTON_UNDEFINED;
        const double left = 1.0 - parts.reached, share = parts.part > left - rounding ? left : parts.part;
        ops->combine(self->implicit.base.m, parts.kept, self->step.position, DV_NO_VEC, 0.0);
        const DvStatus status = solve_part(self, &parts, share, &end);
        if (status != DV_OK)
            return status;
        if (newton_converged(end)) {
            parts.reached = share == left ? 1.0 : parts.reached + share;
            parts.converged++;
            if (++parts.in_a_row >= 2 && halvings > 0) {
                parts.part = fmin(2.0 * parts.part, parts.most);
                halvings--;
                parts.in_a_row = 0;
            }
            continue;
        }
        take_back(self, &parts);
        if (halvings == most_halvings)
            return refuse(self, &parts);
        parts.part = 0.5 * fmin(parts.part, left);
        parts.in_a_row = 0;
        halvings++;
    }
    dv_data_set_uint(&self->parts_taken, parts.converged);
    return DV_OK;
}

static DvStatus solve_at_once(StaticSolver *self)
{
    NewtonEnd end = NEWTON_UNDEFINED;
    self->held = 0.0;
    const bool required = dv_data_bool(&self->require_convergence);
    const DvStatus status = run_newton(self, required, &end);
    if (status != DV_OK || newton_converged(end) || !required)
        return status;
    DvText how = {0};
    newton_describe_with_remedy(self->newton, &how);
    const DvStatus failed = dv_error(dv_object_of(self), DV_ERROR_NOT_CONVERGED, "no equilibrium is found: %s", how.at);
    dv_text_free(&how);
    return failed;
}

/* ---- Reactions ---- */

/* -f where it is projected away, at the forces of the last evaluation. */
static void store_reactions(StaticSolver *self)
{
    const DvMechanicalOperationsOps *ops = self->implicit.base.ops;
    DvMechanics *m = self->implicit.base.m;
    double total[3] = {0.0, 0.0, 0.0};
    residual(self);
    ops->combine(m, self->b, self->b, DV_FORCE, -1.0);
    double *all = dv_data_begin_all(&self->reactions, ops->unknowns(m));
    ops->gather(m, all, self->b);
    dv_data_end(&self->reactions);
    const DvStepMark mark = dv_step_mark();
    const uint32_t count = ops->states(m, DV_STATES_INDEPENDENT, NULL, 0);
    DvObject **states = (DvObject **)dv_step_alloc(count, sizeof *states);
    (void)ops->states(m, DV_STATES_INDEPENDENT, states, count);
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef s = dv_state_ref(states[i]);
        const DvConstVec r = dv_state_read(s, self->b);
        for (size_t p = 0; s.dof->spatial == 3 && p < r.count; p++)
            for (size_t c = 0; c < 3; c++)
                total[c] += r.at[p * r.dim + c];
    }
    dv_step_release(mark);
    dv_data_set(&self->total_reaction, total, 1);
}

/* ---- A step ---- */

static DvStatus solve(void *self_, double dt, DvVecId position, DvVecId velocity)
{
    StaticSolver *self = self_;
    DvIntegrator *base = &self->implicit.base;
    const DvMechanicalOperationsOps *ops = base->ops;
    DvMechanics *m = base->m;
    if (m == NULL)
        return DV_OK;
    self->dx = dv_implicit_integrator_begin_solution(&self->implicit);
    if (self->dx == DV_NO_VEC)
        return DV_ERROR_LIMIT;
    self->b = dv_integrator_scratch(base, RESIDUAL);
    DvStep *step = (DvStep *)dv_integrator_begin(base, dt, self->implicit.linear_solver);
    step->position = position;
    self->step = *step;
    if (position != DV_POSITION) {
        ops->combine(m, position, DV_POSITION, DV_NO_VEC, 0.0);
        ops->propagate_position(m, step, position);
    }
    if (velocity != DV_VELOCITY)
        ops->combine(m, velocity, DV_VELOCITY, DV_NO_VEC, 0.0);
    const DvStatus status = dv_data_uint(&self->parts) > 0 ? solve_in_parts(self) : solve_at_once(self);
    if (status != DV_OK)
        return status;
    dv_implicit_integrator_end_solution(&self->implicit, self->dx);
    if (dv_data_bool(&self->wants_reactions))
        store_reactions(self);
    return DV_OK;
}

/* ---- Of a run that failed ---- */

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *remedy)
{
    const StaticSolver *self = self_;
    if (self->newton == NULL || !newton_has_failed(self->newton) ||
        self->implicit.base.ops->offset(self->implicit.base.m, fault->state) == SIZE_MAX)
        return 0.0;
    dv_text_add(cause, "no equilibrium, which StaticSolver '%s' looked for: ", dv_object_name(dv_object_of(self)));
    newton_describe(self->newton, cause);
    dv_text_add(remedy, "hold bodies that nothing else holds, and give a large load in parts (loadSteps=\"10\")");
    return DV_FAULT_LIKELY;
}

static const DvFaultCauseOps cause_ops = {.size = sizeof cause_ops, .explain = explain};

static const DvOdeSolverOps operations = DV_INTEGRATOR_OPS(.solve = solve, .position_factor = dv_integrator_factor_dt,
                                                           .velocity_factor = dv_integrator_factor_one);

const DvClass dv_static_solver = {
    .size = sizeof(DvClass),
    .name = "StaticSolver",
    .module = "Sofa.Component.ODESolver.Backward",
    .help = "Equilibrium in each step, by Newton's method: no inertia, no time.",
    .instance_size = sizeof(StaticSolver),
    .fields = fields,
    .init = init,
    .restore = dv_integrator_restore,
    .update = dv_integrator_update,
    .reset = reset,
    .cleanup = cleanup,
    .family = "ODE solvers",
    .bases = (const char *const[]){"OdeSolver", "LinearSolverAccessor", NULL},
    .contracts = (const DvContract[]){{.id = DV_ODE_SOLVER, .ops = &operations},
                                      {.id = DV_REPORT, .ops = &dv_implicit_integrator_report_ops},
                                      {.id = DV_FAULT_CAUSE, .ops = &cause_ops},
                                      {0}},
};
