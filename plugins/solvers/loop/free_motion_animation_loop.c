/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FreeMotionAnimationLoop: one step of a scene with Lagrangian constraints.
 *
 *   AnimateBegin
 *   free motion       each topmost ODE solver, from position and velocity to free velocity; projective constraints on it, mapped free
 *                     velocities by J; free position := position + dt free velocity, of mapped states too
 *   collision         at the positions of the beginning; between CollisionBegin and CollisionEnd
 *   constraints       the constraint solver, to position and velocity
 *   projection of positions and velocities, propagation through mappings, external forces cleared
 *   time += dt; AnimateEnd, UpdateMappingEnd
 *
 * With solveVelocityConstraintFirst constraints act on velocities, and position := position + dt velocity.
 *
 * A state without a constraint correction is not moved, and interaction force fields above all ODE solvers are not asked: scenes
 * rely on both, and are told.
 */
#include "constraint/solver/served_laws.h"
#include "loop/solver_checks.h"
#include "loop/step_parts.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/plugin.h>
#include <divan/scene.h>

typedef struct FreeMotionAnimationLoop {
    DvData growth_limit;
    DvData velocity_first;
    DvLink target_link, solver_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
    const DvConstraintSolverOps *solver;
    void *solver_self;
    DvObject **states; /* while the free vectors are looked at */
    uint32_t state_capacity;
    bool told; /* of a force that does not act */
} FreeMotionAnimationLoop;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(FreeMotionAnimationLoop),
    DV_FIELD(FreeMotionAnimationLoop, velocity_first, "solveVelocityConstraintFirst", dv_type_bool, .init = "0",
             .help = "constraints act on velocities; positions follow"),
    DV_FIELD_HELD("threadSafeVisitor", dv_type_bool, .init = "0", .help = "no effect: all visitors are"),
    DV_FIELD_HELD("parallelCollisionDetectionAndFreeMotion", dv_type_bool, .init = "0",
                  .help = "no effect: results would be the same"),
    DV_FIELD_HELD("parallelODESolving", dv_type_bool, .init = "0",
                  .help = "whether solvers of different bodies may run at once; results do not depend on it"),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0",
                  .help = "no effect: the host's option --threads says how many there are"),
    DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default",
                  .help = "no effect: there is one pool of threads"),
    DV_LINK(FreeMotionAnimationLoop, target_link, "targetNode", NULL,
            .help = "node to animate; default: the loop's own"),
    DV_LINK(FreeMotionAnimationLoop, solver_link, "constraintSolver", DV_CONSTRAINT_SOLVER,
            .help = "default: the first in the loop's node or below"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    FreeMotionAnimationLoop *self = self_;
    return step_open(object, &self->target_link, &self->target, &self->ops, &self->m);
}

/* Whether the solver solves for what is there. */
static DvStatus check_solver(const FreeMotionAnimationLoop *self, const DvObject *solver)
{
    if (dv_data_bool((DvData *)(uintptr_t)&self->velocity_first) && self->solver->positions_alone)
        return dv_field_error(&self->velocity_first, -1,
                              "%s solves for positions, not for velocities; take a BlockGaussSeidelConstraintSolver",
                              dv_object_class(solver)->name);
    served_laws_check(solver);
    return DV_OK;
}

/* The rest of the scene is there now. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    FreeMotionAnimationLoop *self = self_;
    if (!self->m)
        return DV_OK;
    DvObject *solver = dv_link_is_set(&self->solver_link)
                           ? dv_link_object(&self->solver_link)
                           : dv_node_find(dv_object_node(object), DV_CONSTRAINT_SOLVER, DV_SEARCH_DOWN);
    if (!solver) {
        dv_warning(object,
                   "there is no constraint solver in '%s' or below: a BlockGaussSeidelConstraintSolver is added; write "
                   "one into the scene, with its tolerance and maxIterations",
                   dv_node_path(dv_object_node(object)));
        const DvStatus status =
            dv_object_new(dv_object_node(object), "BlockGaussSeidelConstraintSolver", &solver, NULL);
        if (status != DV_OK)
            return status;
    }
    const DvStatus status = dv_object_require(object, solver);
    if (status != DV_OK)
        return status;
    self->solver = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    self->solver_self = dv_object_self(solver);
    step_tell_of_unmoved(object, self->target);
    solver_checks_run(object, self->target, SOLVERS_LAST);
    return check_solver(self, solver);
}

/* States that have no free vectors yet begin with the present ones; those that no solver moves keep them. */
static void begin_free_vectors(FreeMotionAnimationLoop *self)
{
    const uint32_t count = self->ops->states(self->m, DV_STATES_ALL, NULL, 0);
    if (count > self->state_capacity) {
        dv_free(self->states);
        self->state_capacity = 2 * count;
        self->states = dv_alloc(self->state_capacity, sizeof *self->states);
    }
    self->ops->states(self->m, DV_STATES_ALL, self->states, count);
    for (uint32_t i = 0; i < count; i++) {
        const DvStateRef state = dv_state_ref(self->states[i]);
        if (!state.ops->has(state.self, DV_FREE_POSITION))
            state.ops->combine(state.self, DV_FREE_POSITION, DV_POSITION, DV_NO_VEC, 0.0);
        if (!state.ops->has(state.self, DV_FREE_VELOCITY))
            state.ops->combine(state.self, DV_FREE_VELOCITY, DV_VELOCITY, DV_NO_VEC, 0.0);
    }
}

static DvStatus move_freely(FreeMotionAnimationLoop *self, const DvStep *free, bool velocity_first)
{
    dv_phase_begin("free motion");
    const DvStatus status = step_run_solvers(self->target, free, &self->told);
    dv_phase_end();
    if (status != DV_OK)
        return status;
    dv_phase_begin("mappings");
    self->ops->project_response(self->m, free, DV_FREE_VELOCITY, DV_WALK_WHOLE);
    self->ops->propagate_velocity(self->m, free, DV_FREE_VELOCITY);
    if (!velocity_first)
        self->ops->combine_states(self->m, DV_STATES_ALL, DV_FREE_POSITION, DV_POSITION, DV_FREE_VELOCITY, free->dt);
    dv_phase_end();
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    FreeMotionAnimationLoop *self = self_;
    DvNode *target = self->target;
    double start;
    if (self->m == NULL || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    DvStatus status = step_times(dv_object_of(self), target, &dt, &start);
    if (status != DV_OK)
        return status;
    const DvStep now = {.time = start, .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    const DvStep free = {.time = start, .dt = dt, .position = DV_FREE_POSITION, .velocity = DV_FREE_VELOCITY};
    const bool velocity_first = dv_data_bool(&self->velocity_first);

    step_tell(target, DV_EVENT_ANIMATE_BEGIN, dt);
    begin_free_vectors(self);
    step_tell(target, DV_EVENT_INTEGRATE_BEGIN, dt);
    self->ops->begin_integration(self->m, dt);
    status = move_freely(self, &free, velocity_first);
    if (status == DV_OK)
        status = step_collide(target, dt);
    if (status == DV_OK)
        status = self->solver->solve(self->solver_self, &free,
                                     velocity_first ? DV_CONSTRAIN_VELOCITY : DV_CONSTRAIN_POSITION);
    if (status != DV_OK)
        return status;
    if (velocity_first)
        self->ops->combine_states(self->m, DV_STATES_INDEPENDENT, DV_POSITION, DV_POSITION, DV_VELOCITY, dt);
    dv_phase_begin("mappings");
    step_project_and_propagate(self->ops, self->m, &now);
    dv_phase_end();
    self->ops->end_integration(self->m);
    step_tell(target, DV_EVENT_INTEGRATE_END, dt);
    step_end(target, start + dt, dt);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    FreeMotionAnimationLoop *self = self_;
    if (self->m != NULL)
        self->ops->close(self->m);
    self->m = NULL;
    dv_free(self->states);
    self->states = NULL;
    self->state_capacity = 0;
}

static const DvAnimationLoopOps ops = {.size = sizeof(DvAnimationLoopOps), .step = step, .settle = step_settle};

const DvClass dv_free_motion_animation_loop = {
    .size = sizeof(DvClass),
    .name = "FreeMotionAnimationLoop",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "Sofa.Component.AnimationLoop",
    .help = "Makes a step with constraints: free motion, collision, constraint forces.",
    .instance_size = sizeof(FreeMotionAnimationLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true}, {0}},
    .init = init,
    .bwd_init = bwd_init,
    .cleanup = cleanup,
};
