/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DefaultAnimationLoop: one step of a scene without Lagrangian constraints.
 *
 *   AnimateBegin, CollisionBegin, CollisionEnd, IntegrateBegin events in this order;
 *   from the target node downwards, each topmost node with ODE solvers: its solvers in the order of the scene, on position and
 *   velocity. Interaction force fields above all solvers act explicitly: they add to the external forces of their states
 *   before the solvers below run;
 *   projection of positions and velocities, propagation through mappings, external forces cleared; IntegrateEnd;
 *   time += dt; AnimateEnd, UpdateMappingEnd.
 *
 * Everything before the last line sees the time at the beginning of the step. Mappings that only feed visual models, and
 * bounding boxes, are brought up to date when somebody looks.
 */
#include <divan/contracts/collision.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/solver.h>
#include <divan/plugin.h>
#include <divan/scene.h>
#include <divan/visitor.h>

#include <math.h>

typedef struct DefaultAnimationLoop {
    DvData compute_bounding_box, parallel_ode_solving;
    DvLink target_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
} DefaultAnimationLoop;

static const DvField fields[] = {
    DV_FIELD(DefaultAnimationLoop, compute_bounding_box, "computeBoundingBox", dv_type_bool, .init = "1",
             .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD(DefaultAnimationLoop, parallel_ode_solving, "parallelODESolving", dv_type_bool, .init = "0",
             .help = "whether solvers of different bodies may run at once; results do not depend on it"),
    DV_LINK(DefaultAnimationLoop, target_link, "targetNode", NULL, .help = "node to animate; default: the loop's own"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    DefaultAnimationLoop *self = self_;
    self->target = dv_object_node(object);
    self->ops = dv_service(DV_MECHANICAL_OPERATIONS);
    if (dv_link_is_set(&self->target_link)) {
        DvObject *target = dv_link_object(&self->target_link);
        self->target = target != NULL ? dv_object_as_node(target) : NULL;
        if (self->target == NULL)
            return dv_field_error(&self->target_link.data, -1, "leads to no node");
        const DvStatus status = dv_object_require(object, target);
        if (status != DV_OK)
            return status;
    }
    if (self->ops == NULL)
        return dv_error(object, DV_ERROR_MISSING, "needs the plugin divan.mechanics");
    self->m = self->ops->open(self->target);
    return DV_OK;
}

/* What the calls of a schedule share. */
typedef struct Advance {
    DvStep step;
    DvStatus status;
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

static void tell(DvNode *node, DvEventKind kind, double dt)
{
    DvEvent event = {.kind = kind, .dt = dt};
    dv_event_send(node, &event);
}

/* Constraints hold and mapped states follow. */
static void project_and_propagate(const DvMechanicalOperationsOps *ops, DvMechanics *m, const DvStep *step)
{
    ops->project_position(m, step, DV_POSITION);
    ops->project_velocity(m, step, DV_VELOCITY);
    ops->propagate_position(m, step, DV_POSITION);
    ops->propagate_velocity(m, step, DV_VELOCITY);
}

static DvStatus step(void *self_, double dt)
{
    DefaultAnimationLoop *self = self_;
    DvNode *target = self->target;
    if (self->m == NULL || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    if (dt == 0.0)
        dt = dv_node_dt(target);
    DvNode *root = dv_node_root(target);
    const double start = dv_node_time(root);
    if (!isfinite(start + dt))
        return dv_error(dv_object_of(self), DV_ERROR_INVALID, "a step of %g s from %g s is too large for any time", dt,
                        start);
    Advance advance = {.step = {.time = start, .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY}};

    tell(target, DV_EVENT_ANIMATE_BEGIN, dt);
    tell(target, DV_EVENT_COLLISION_BEGIN, dt);
    dv_phase_begin("collision");
    dv_schedule_run(dv_schedule(target, &collision_plan, (DvTags){0}), &advance.status);
    dv_phase_end();
    if (advance.status != DV_OK)
        return advance.status;
    tell(target, DV_EVENT_COLLISION_END, dt);

    tell(target, DV_EVENT_INTEGRATE_BEGIN, dt);
    self->ops->begin_integration(self->m, dt);
    dv_phase_begin("integration");
    dv_schedule_run(dv_schedule(target, &solve_plan, (DvTags){0}), &advance);
    dv_phase_end();
    if (advance.status != DV_OK)
        return advance.status;
    dv_phase_begin("mappings");
    project_and_propagate(self->ops, self->m, &advance.step);
    dv_phase_end();
    self->ops->end_integration(self->m);
    tell(target, DV_EVENT_INTEGRATE_END, dt);

    dv_node_set_time(root, start + dt);
    dv_node_propagate_context(root);
    tell(target, DV_EVENT_ANIMATE_END, dt);
    tell(target, DV_EVENT_UPDATE_MAPPING_END, dt);
    return DV_OK;
}

/* The whole scene, whatever the target. */
static void settle(void *self_)
{
    DefaultAnimationLoop *self = self_;
    DvNode *root = dv_node_root(dv_object_node(dv_object_of(self)));
    if (self->ops == NULL)
        return;
    DvMechanics *m = self->ops->open(root);
    const DvStep start = {
        .time = dv_node_time(root), .dt = dv_node_dt(root), .position = DV_POSITION, .velocity = DV_VELOCITY};
    project_and_propagate(self->ops, m, &start);
    self->ops->close(m);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    DefaultAnimationLoop *self = self_;
    if (self->m != NULL)
        self->ops->close(self->m);
    self->m = NULL;
}

static const DvAnimationLoopOps ops = {
    .size = sizeof(DvAnimationLoopOps),
    .step = step,
    .settle = settle,
    .by_default = true,
};

const DvClass dv_default_animation_loop = {
    .size = sizeof(DvClass),
    .name = "DefaultAnimationLoop",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "Sofa.Simulation.Core",
    .help = "Makes a step: collision, time integration, mappings.",
    .instance_size = sizeof(DefaultAnimationLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true}, {0}},
    .init = init,
    .cleanup = cleanup,
};
