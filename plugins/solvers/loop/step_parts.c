/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "step_parts.h"

#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/plugin.h>
#include <divan/scene.h>
#include <divan/visitor.h>

#include <math.h>

/* What the calls of a schedule share. */
typedef struct Advance {
    DvStep step;
    DvStatus status;
    bool *told;         /* of interactions that do not act */
    const DvNode *done; /* where the first solver has run */
} Advance;

static void run_solver(const DvCall *call, void *context)
{
    Advance *advance = context;
    const DvOdeSolverOps *ops = call->ops;
    if (advance->status == DV_OK && dv_object_is_valid(call->object))
        advance->status = ops->solve(call->self, advance->step.dt, advance->step.position, advance->step.velocity);
}

/* An interaction force field above all solvers: explicit, into the external forces of its states. */
static void run_interaction(const DvCall *call, void *context)
{
    Advance *advance = context;
    const DvForceFieldOps *ops = call->ops;
    DvObject *objects[2];
    DvConstVec x[2], v[2];
    DvVec f[2];
    if (!dv_object_is_valid(call->object))
        return;
    const uint32_t count = ops->states(call->self, objects);
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef state = dv_state_ref(objects[i]);
        const uint32_t points = dv_state_count(state);
        const double *position = state.ops->read(state.self, advance->step.position, ops->space);
        const double *velocity = state.ops->read(state.self, advance->step.velocity, ops->space);
        double *force = state.ops->write(state.self, DV_EXTERNAL_FORCE, ops->space, DV_READ_WRITE);
        x[i] = (DvConstVec){position, points, state.dof->coord};
        v[i] = (DvConstVec){velocity, points, state.dof->deriv};
        f[i] = (DvVec){force, points, state.dof->deriv};
    }
    if (count > 0)
        ops->add_force(call->self, &advance->step, x, v, f);
}

static DvVisit plan_node(DvPlanner *planner, DvNode *node)
{
    if (dv_plan_each(planner, node, DV_ODE_SOLVER, run_solver, NULL) > 0)
        return DV_VISIT_PRUNE;
    dv_plan_each(planner, node, DV_INTERACTION_FORCE_FIELD, run_interaction, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan solve_plan = {.name = "solve", .top_down = plan_node, .enters_sleeping = true};

/* In a free motion it has no effect, as scenes rely on: said once. */
static void tell_of_interaction(const DvCall *call, void *context)
{
    const Advance *advance = context;
    if (*advance->told || !dv_object_is_valid(call->object))
        return;
    dv_warning(call->object,
               "has no effect: it stands above all ODE solvers, and such forces do not act in a free motion; put both "
               "bodies and it below one solver, or take a constraint");
    *advance->told = true;
}

static DvVisit plan_solvers(DvPlanner *planner, DvNode *node)
{
    if (dv_plan_each(planner, node, DV_ODE_SOLVER, run_solver, NULL) > 0)
        return DV_VISIT_PRUNE;
    dv_plan_each(planner, node, DV_INTERACTION_FORCE_FIELD, tell_of_interaction, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan free_plan = {.name = "free motion", .top_down = plan_solvers, .enters_sleeping = true};

/* Of the solvers of a node, which come one after the other, the first. */
static void run_first_solver(const DvCall *call, void *context)
{
    Advance *advance = context;
    const DvNode *node = dv_object_node(call->object);
    if (node != advance->done)
        run_solver(call, context);
    advance->done = node;
}

static DvVisit plan_first(DvPlanner *planner, DvNode *node)
{
    if (dv_plan_each(planner, node, DV_ODE_SOLVER, run_first_solver, NULL) > 0)
        return DV_VISIT_PRUNE;
    dv_plan_each(planner, node, DV_INTERACTION_FORCE_FIELD, run_interaction, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan first_plan = {.name = "solve by the first", .top_down = plan_first, .enters_sleeping = true};

static DvStatus run(DvNode *target, const DvPlan *plan, const DvStep *step, DvTags tags, bool *told)
{
    Advance advance = {.step = *step, .told = told};
    dv_schedule_run(dv_schedule(target, plan, tags), &advance);
    return advance.status;
}

DvStatus step_run_solvers(DvNode *target, const DvStep *step, bool *told)
{
    return run(target, &free_plan, step, (DvTags){0}, told);
}

static DvStatus solve_and_propagate(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvNode *target,
                                    const DvStep *step, const DvPlan *plan, DvTags tags)
{
    dv_phase_begin("integration");
    const DvStatus status = run(target, plan, step, tags, NULL);
    dv_phase_end();
    if (status != DV_OK)
        return status;
    dv_phase_begin("mappings");
    step_project_and_propagate(ops, m, step);
    dv_phase_end();
    return DV_OK;
}

DvStatus step_integrate(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvNode *target, const DvStep *step,
                        bool first)
{
    step_tell(target, DV_EVENT_INTEGRATE_BEGIN, step->dt);
    ops->begin_integration(m, step->dt);
    const DvStatus status = solve_and_propagate(ops, m, target, step, first ? &first_plan : &solve_plan, (DvTags){0});
    if (status != DV_OK)
        return status;
    ops->end_integration(m);
    step_tell(target, DV_EVENT_INTEGRATE_END, step->dt);
    return DV_OK;
}

DvStatus step_integrate_tagged(const DvMechanicalOperationsOps *ops, DvMechanics *m, DvNode *target, const DvStep *step,
                               DvTags tags)
{
    step_tell(target, DV_EVENT_INTEGRATE_BEGIN, step->dt);
    const DvStatus status = solve_and_propagate(ops, m, target, step, &first_plan, tags);
    if (status == DV_OK)
        step_tell(target, DV_EVENT_INTEGRATE_END, step->dt);
    return status;
}

/* The pipeline of each node, one after the other: what it finds, it answers. */
static void run_pipeline(const DvCall *call, void *context)
{
    DvStatus *status = context;
    const DvCollisionPipelineOps *ops = call->ops;
    if (*status == DV_OK)
        *status = ops->detect(call->self);
    if (*status == DV_OK)
        *status = ops->respond(call->self);
}

static DvVisit plan_collision(DvPlanner *planner, DvNode *node)
{
    DvObject *pipeline = dv_node_slot(node, DV_COLLISION_PIPELINE);
    if (pipeline)
        dv_plan_call(planner, pipeline, DV_COLLISION_PIPELINE, run_pipeline, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan collision_plan = {.name = "collision", .top_down = plan_collision, .enters_sleeping = true};

DvStatus step_collide(DvNode *target, double dt)
{
    return step_collide_tagged(target, dt, (DvTags){0});
}

DvStatus step_collide_tagged(DvNode *target, double dt, DvTags tags)
{
    DvStatus status = DV_OK;
    step_tell(target, DV_EVENT_COLLISION_BEGIN, dt);
    dv_phase_begin("collision");
    dv_schedule_run(dv_schedule(target, &collision_plan, tags), &status);
    dv_phase_end();
    if (status == DV_OK)
        step_tell(target, DV_EVENT_COLLISION_END, dt);
    return status;
}

static DvVisit plan_constraints(DvPlanner *planner, DvNode *node)
{
    dv_plan_each(planner, node, DV_LAGRANGIAN_CONSTRAINT, NULL, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan constraint_plan = {.name = "unsolved constraints", .top_down = plan_constraints};

void step_tell_of_constraints(const DvObject *loop, DvNode *target, bool *told)
{
    size_t count = 0;
    if (*told)
        return;
    const DvCall *calls = dv_schedule_calls(dv_schedule(target, &constraint_plan, (DvTags){0}), &count);
    if (count == 0)
        return;
    dv_warning(calls[0].object,
               "has no effect under %s, which solves no constraints; take a FreeMotionAnimationLoop, with a "
               "constraint solver, and a constraint correction for each body",
               dv_object_class(loop)->name);
    *told = true;
}

/* In one cache line: the compiler clears the event by stores that overlap, and where two of them cross a line they cost more than the
 * sending. Out of line, so that this holds for all. */
__attribute__((noinline)) void step_tell(DvNode *node, DvEventKind kind, double dt)
{
    _Alignas(64) DvEvent event = {.kind = kind, .dt = dt};
    dv_event_send(node, &event);
}

void step_project_and_propagate(const DvMechanicalOperationsOps *ops, DvMechanics *m, const DvStep *step)
{
    ops->project_position(m, step, DV_POSITION);
    ops->project_velocity(m, step, DV_VELOCITY);
    ops->propagate_position(m, step, DV_POSITION);
    ops->propagate_velocity(m, step, DV_VELOCITY);
}

void step_settle(void *self)
{
    const DvObject *object = dv_object_of(self);
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (!ops)
        return;
    DvNode *root = dv_node_root(dv_object_node(object));
    DvMechanics *m = ops->open(root);
    const DvStep start = {
        .time = dv_node_time(root), .dt = dv_node_dt(root), .position = DV_POSITION, .velocity = DV_VELOCITY};
    step_project_and_propagate(ops, m, &start);
    ops->close(m);
}

DvStatus step_find_target(DvObject *object, const DvLink *link, DvNode **target)
{
    *target = dv_object_node(object);
    if (!dv_link_is_set(link))
        return DV_OK;
    DvObject *named = dv_link_object(link);
    *target = named ? dv_object_as_node(named) : NULL;
    return *target ? dv_object_require(object, named) : dv_field_error(&link->data, -1, "leads to no node");
}

DvStatus step_open(DvObject *object, const DvLink *link, DvNode **target, const DvMechanicalOperationsOps **ops,
                   DvMechanics **m)
{
    const DvStatus status = step_find_target(object, link, target);
    if (status != DV_OK)
        return status;
    *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (!*ops)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    *m = (*ops)->open(*target);
    return DV_OK;
}

DvStatus step_times(const DvObject *object, DvNode *target, double *dt, double *start)
{
    if (*dt == 0.0)
        *dt = dv_node_dt(target);
    *start = dv_node_time(dv_node_root(target));
    if (!isfinite(*start + *dt))
        return dv_error(object, DV_ERROR_INVALID, "a step of %g s from %g s is too large for any time", *dt, *start);
    return DV_OK;
}

void step_set_time(DvNode *target, double time)
{
    DvNode *root = dv_node_root(target);
    dv_node_set_time(root, time);
    dv_node_propagate_context(root);
}

void step_end(DvNode *target, double end, double dt)
{
    step_set_time(target, end);
    step_tell(target, DV_EVENT_ANIMATE_END, dt);
    step_tell(target, DV_EVENT_UPDATE_MAPPING_END, dt);
}

/* What a body needs under such a loop. */
static DvVisit look_at_node(DvNode *node, void *context)
{
    DvObject *loop = context, *ode = dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_LOCAL);
    if (!ode)
        return DV_VISIT_CONTINUE;
    if (!dv_node_find(node, DV_CONSTRAINT_CORRECTION, DV_SEARCH_DOWN))
        dv_warning(
            ode,
            "the bodies that it moves stand still under %s: there is no constraint correction in '%s' or below; add a "
            "LinearSolverConstraintCorrection, or an UncoupledConstraintCorrection for a rigid body",
            dv_object_class(loop)->name, dv_node_path(node));
    return DV_VISIT_PRUNE;
}

void step_tell_of_unmoved(DvObject *loop, DvNode *target)
{
    dv_visit(target, &(DvVisitor){.top_down = look_at_node}, loop);
}
