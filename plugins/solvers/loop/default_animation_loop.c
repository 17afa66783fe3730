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
#include "constraint/solver/served_laws.h"
#include "loop/solver_checks.h"
#include "loop/step_parts.h"

#include <divan/plugin.h>
#include <divan/scene.h>

typedef struct DefaultAnimationLoop {
    DvData growth_limit;
    DvLink target_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
    bool told_of_constraints;
} DefaultAnimationLoop;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(DefaultAnimationLoop),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD_HELD("parallelODESolving", dv_type_bool, .init = "0",
                  .help = "whether solvers of different bodies may run at once; results do not depend on it"),
    DV_LINK(DefaultAnimationLoop, target_link, "targetNode", NULL, .help = "node to animate; default: the loop's own"),
    {0},
};

static DvStatus init(DvObject *object, void *self_)
{
    DefaultAnimationLoop *self = self_;
    return step_open(object, &self->target_link, &self->target, &self->ops, &self->m);
}

/* The rest of the scene is there now. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    DefaultAnimationLoop *self = self_;
    if (self->m) {
        solver_checks_run(object, self->target, SOLVERS_EACH);
        self->told_of_constraints = served_laws_tell_of_unsolved(object, self->target);
    }
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    DefaultAnimationLoop *self = self_;
    DvNode *target = self->target;
    double start;
    if (self->m == NULL || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    DvStatus status = step_times(dv_object_of(self), target, &dt, &start);
    if (status != DV_OK)
        return status;
    const DvStep now = {.time = start, .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};

    step_tell(target, DV_EVENT_ANIMATE_BEGIN, dt);
    status = step_collide(target, dt);
    if (status != DV_OK)
        return status;
    step_tell_of_constraints(dv_object_of(self), target, &self->told_of_constraints);
    status = step_integrate(self->ops, self->m, target, &now, false);
    if (status == DV_OK)
        step_end(target, start + dt, dt);
    return status;
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
    .settle = step_settle,
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
    .bwd_init = bwd_init,
    .cleanup = cleanup,
};
