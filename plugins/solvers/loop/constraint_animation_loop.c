/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ConstraintAnimationLoop: one step of a scene with Lagrangian constraints, by a Gauss-Seidel of its own. For old scenes:
 * FreeMotionAnimationLoop lets them choose a constraint solver.
 *
 *   AnimateBegin
 *   collision         with doCollisionsFirst
 *   free motion       each topmost ODE solver, from position and velocity to free position and free velocity; projective constraints on
 *                     the positions, mapped free positions by their mappings
 *   collision         without doCollisionsFirst; between CollisionBegin and CollisionEnd
 *   constraints       to position and velocity; mapped velocities follow by J, mapped positions are the free ones and J times the
 *                     displacement
 *   external forces cleared; time += dt; AnimateEnd, UpdateMappingEnd
 *
 * Sweeps end when one moves the violations by less than the tolerance, the second at the earliest. A state without a constraint
 * correction is not moved.
 */
#include "loop/solver_checks.h"
#include "loop/step_parts.h"

#include "constraint/solver/constraint_system.h"

#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/kit/convergence_graph.h>
#include <divan/memory.h>
#include <divan/plugin.h>
#include <divan/scene.h>

#include <math.h>

typedef struct ConstraintAnimationLoop {
    DvData growth_limit;
    DvData tolerance, max_iterations, collisions_first;
    DvData scale_tolerance, all_verified, sor;
    DvData graph_errors, graph_constraints, graph_forces, unconverged, solved;
    DvLink target_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
    ConstraintSystem *system;
    DvCurve errors, forces; /* of the last step; forces: of all rows, sweep after sweep */
    double *block_errors;   /* of its last sweep */
    uint32_t rows, blocks, block_capacity;
    bool told_of_interaction;
    DvSolveRecord record;
} ConstraintAnimationLoop;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(ConstraintAnimationLoop),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD_HELD("displayTime", dv_type_bool, .init = "0",
                  .help = "no effect: `divan run` tells what each part of a step takes"),
    DV_FIELD(ConstraintAnimationLoop, tolerance, "tolerance", dv_type_double, .init = "1e-5", .unit = "m",
             .range = &dv_range_not_negative, .help = "the last sweep moved the violations by less"),
    DV_FIELD(ConstraintAnimationLoop, max_iterations, "maxIterations", dv_type_int, .init = "1000",
             .range = &dv_range_count, .help = "most sweeps in a step"),
    DV_FIELD(ConstraintAnimationLoop, collisions_first, "doCollisionsFirst", dv_type_bool, .init = "0",
             .help = "collision before the free motion instead of after it"),
    DV_FIELD_HELD("doubleBuffer", dv_type_bool, .init = "0",
                  .help = "no effect: problems that others hold are never written"),
    DV_FIELD(ConstraintAnimationLoop, scale_tolerance, "scaleTolerance", dv_type_bool, .init = "1",
             .help = "the tolerance counts once for each row"),
    DV_FIELD(ConstraintAnimationLoop, all_verified, "allVerified", dv_type_bool, .init = "0",
             .help = "each row has to be within the tolerance, not their sum"),
    DV_FIELD(ConstraintAnimationLoop, sor, "sor", dv_type_double, .init = "1",
             .range = &(const DvRange){.least = 0, .most = 2, .above = true, .below = true},
             .help = "share of each sweep's change that is taken: below 1 careful, above 1 bold"),
    DV_FIELD_HELD("schemeCorrection", dv_type_bool, .init = "0",
                  .help = "no effect: no constraint predicts the forces that the free motion would begin with"),
    DV_FIELD_HELD("realTimeCompensation", dv_type_bool, .init = "0",
                  .help = "no effect: `divan run --real-time` keeps steps to the clock"),
    DV_FIELD(ConstraintAnimationLoop, graph_errors, "graphErrors", dv_type_string,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "error after each sweep of the last step"),
    DV_FIELD(ConstraintAnimationLoop, graph_constraints, "graphConstraints", dv_type_string,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "error of each block after the last sweep"),
    DV_FIELD(ConstraintAnimationLoop, graph_forces, "graphForces", dv_type_string,
             .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "a line for each row: its force times the step, after each sweep"),
    DV_FIELD(ConstraintAnimationLoop, unconverged, "unconvergedSteps", dv_type_int, .init = "0",
             .flags = DV_FIELD_READ_ONLY, .help = "steps that ended with an error above the tolerance"),
    DV_FIELD(ConstraintAnimationLoop, solved, "solved", dv_type_uint, .init = "0",
             .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "steps since the start"),
    DV_LINK(ConstraintAnimationLoop, target_link, "targetNode", NULL,
            .help = "node to animate; default: the loop's own"),
    {0},
};

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    ConstraintAnimationLoop *self = self_;
    if (self->m)
        self->ops->close(self->m);
    self->m = NULL;
    constraint_system_close(self->system);
    self->system = NULL;
    dv_curve_free(&self->errors);
    dv_curve_free(&self->forces);
    dv_free(self->block_errors);
    self->block_errors = NULL;
    self->rows = self->blocks = self->block_capacity = 0;
}

static DvStatus init(DvObject *object, void *self_)
{
    ConstraintAnimationLoop *self = self_;
    cleanup(object, self);
    const DvStatus status = step_open(object, &self->target_link, &self->target, &self->ops, &self->m);
    if (status != DV_OK)
        return status;
    self->system = constraint_system_open(object);
    return self->system ? DV_OK : DV_ERROR_MISSING;
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    const ConstraintAnimationLoop *self = self_;
    DvObject *solver = dv_node_find(dv_object_node(object), DV_CONSTRAINT_SOLVER, DV_SEARCH_DOWN);
    if (solver)
        dv_warning(solver, "has no effect: ConstraintAnimationLoop solves for the constraints itself; take a "
                           "FreeMotionAnimationLoop");
    step_tell_of_unmoved(object, self->target);
    solver_checks_run(object, self->target, SOLVERS_LAST);
    return DV_OK;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    ConstraintAnimationLoop *self = self_;
    dv_data_set_int(&self->unconverged, 0);
    dv_data_set_uint(&self->solved, 0);
    self->record = (DvSolveRecord){0};
}

/* ---- Sweeps ---- */

static void record(ConstraintAnimationLoop *self, const Problem *problem, double error)
{
    dv_curve_add(&self->errors, error);
    for (uint32_t r = 0; r < problem->view.rows; r++)
        dv_curve_add(&self->forces, problem->lambda[r]);
}

static void tell_of_error(ConstraintAnimationLoop *self, double error, double tolerance)
{
    dv_data_set_int(&self->unconverged, dv_data_int(&self->unconverged) + 1);
    if (!self->record.told && isfinite(error)) { /* else an error says more */
        dv_warning(
            dv_object_of(self),
            "the constraints of this step are not solved: after %u sweeps the error is %g, the tolerance %g; raise "
            "maxIterations, or the tolerance. `unconvergedSteps` counts such steps; only the first one gives a message",
            self->errors.count, error, tolerance);
        self->record.told = true;
    }
}

static void solve(ConstraintAnimationLoop *self, Problem *problem)
{
    const uint32_t rows = problem->view.rows, blocks = problem->view.block_count;
    const uint32_t sweeps = (uint32_t)dv_data_int(&self->max_iterations);
    const bool all_verified = dv_data_bool(&self->all_verified);
    const double sor = dv_data_double(&self->sor);
    double tolerance = dv_data_double(&self->tolerance);
    if (dv_data_bool(&self->scale_tolerance) && !all_verified)
        tolerance *= rows;
    problem->view.tolerance = tolerance;
    dv_curve_restart(&self->errors, sweeps);
    self->forces.count = 0;
    self->rows = rows;
    self->blocks = blocks;
    problem->view.converged = rows == 0;
    if (rows == 0)
        return;
    if (blocks > self->block_capacity) {
        dv_free(self->block_errors);
        self->block_capacity = blocks + blocks / 2;
        self->block_errors = dv_alloc(self->block_capacity, sizeof *self->block_errors);
    }
    double *before = dv_step_alloc(rows, sizeof *before);
    Solution s = solution_begin(problem, problem->violation, problem->lambda,
                                constraint_system_work(self->system, problem_work(problem)));
    s.error = self->block_errors;
    s.d = dv_step_alloc(rows, sizeof *s.d);
    bool converged = false;
    SweepError error = {0};
    for (uint32_t i = 0; i < sweeps && !converged; i++) {
        error = solution_sweep_relaxed(&s, tolerance, sor, before);
        record(self, problem, error.sum);
        converged = all_verified ? error.verified : error.sum < tolerance && i > 0;
    }
    problem->view.sweeps = self->errors.count;
    problem->view.error = error.sum;
    problem->view.converged = converged;
    const bool unsolved = !converged && !(error.sum < tolerance);
    if (dv_solve_record_add(&self->record, error.sum, tolerance, unsolved ? tolerance : INFINITY))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    if (unsolved)
        tell_of_error(self, error.sum, tolerance);
}

static DvStatus update(DvObject *object, void *self_)
{
    (void)object;
    ConstraintAnimationLoop *self = self_;
    DvText text = {0};
    dv_curve_print(&self->errors, "Error", &text);
    dv_graph_set(&self->graph_errors, &text);
    dv_curve_print(&(DvCurve){self->block_errors, self->blocks, self->blocks}, "Constraints", &text);
    dv_graph_set(&self->graph_constraints, &text);
    dv_curve_print_rows(&self->forces, self->rows, &text);
    dv_graph_set(&self->graph_forces, &text);
    return DV_OK;
}

/* ---- The step ---- */

static DvStatus move_freely(ConstraintAnimationLoop *self, const DvStep *free)
{
    self->ops->combine_states(self->m, DV_STATES_ALL, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
    self->ops->combine_states(self->m, DV_STATES_ALL, DV_FREE_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
    dv_phase_begin("free motion");
    const DvStatus status = step_run_solvers(self->target, free, &self->told_of_interaction);
    dv_phase_end();
    if (status != DV_OK)
        return status;
    dv_phase_begin("mappings");
    self->ops->project_position(self->m, free, DV_FREE_POSITION);
    self->ops->propagate_position(self->m, free, DV_FREE_POSITION);
    self->ops->clear_states(self->m, DV_STATES_ALL, DV_DX);
    dv_phase_end();
    return DV_OK;
}

static DvStatus constrain(ConstraintAnimationLoop *self, const DvStep *free, const DvStep *now)
{
    const SystemOptions options = {
        .order = DV_CONSTRAIN_POSITION, .rows = DV_ROWS_CONSTRAINED, .leaves_displacement = true};
    Problem *problem;
    self->ops->project_position(self->m, now, DV_POSITION);
    self->ops->propagate_position(self->m, now, DV_POSITION);
    DvStatus status = constraint_system_build(self->system, free, options, &problem);
    if (status != DV_OK)
        return status;
    dv_phase_begin("constraint solver");
    solve(self, problem);
    dv_data_set_uint(&self->solved, dv_data_uint(&self->solved) + 1);
    dv_phase_end();
    status = constraint_system_apply(self->system, free, DV_CONSTRAIN_POSITION, problem);
    if (status != DV_OK)
        return status;
    dv_phase_begin("mappings");
    self->ops->propagate_velocity(self->m, now, DV_VELOCITY);
    self->ops->propagate_velocity(self->m, now, DV_DX);
    self->ops->combine_states(self->m, DV_STATES_MAPPED, DV_POSITION, DV_FREE_POSITION, DV_DX, 1.0);
    dv_phase_end();
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    ConstraintAnimationLoop *self = self_;
    DvNode *target = self->target;
    const bool collisions_first = dv_data_bool(&self->collisions_first);
    double start;
    if (!self->m || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    DvStatus status = step_times(dv_object_of(self), target, &dt, &start);
    if (status != DV_OK)
        return status;
    const DvStep now = {.time = start, .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStep free = {.time = start, .dt = dt, .position = DV_FREE_POSITION, .velocity = DV_FREE_VELOCITY};

    step_tell(target, DV_EVENT_ANIMATE_BEGIN, dt);
    if (collisions_first)
        status = step_collide(target, dt);
    if (status != DV_OK)
        return status;
    step_tell(target, DV_EVENT_INTEGRATE_BEGIN, dt);
    self->ops->begin_integration(self->m, dt);
    status = move_freely(self, &free);
    if (status == DV_OK && !collisions_first)
        status = step_collide(target, dt);
    if (status == DV_OK)
        status = constrain(self, &free, &now);
    if (status != DV_OK)
        return status;
    self->ops->end_integration(self->m);
    step_tell(target, DV_EVENT_INTEGRATE_END, dt);
    step_end(target, start + dt, dt);
    return DV_OK;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const ConstraintAnimationLoop *)self)->record;
}

static const DvSolveRecordOps record_ops = {.size = sizeof record_ops, .record = record_of};

static const DvAnimationLoopOps ops = {.size = sizeof(DvAnimationLoopOps), .step = step, .settle = step_settle};

const DvClass dv_constraint_animation_loop = {
    .size = sizeof(DvClass),
    .name = "ConstraintAnimationLoop",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "Sofa.Component.AnimationLoop",
    .help = "Makes a step with constraints, by a solver of its own; for old scenes.",
    .instance_size = sizeof(ConstraintAnimationLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .init = init,
    .bwd_init = bwd_init,
    .reset = reset,
    .update = update,
    .cleanup = cleanup,
};
