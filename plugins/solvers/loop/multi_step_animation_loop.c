/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MultiStepAnimationLoop: a step of dt as `collisionSteps` detections, each followed by `integrationSteps` integrations of
 *
 *   h = dt / (collisionSteps integrationSteps)
 *
 * by the first ODE solver of each topmost node that has any. The time counts from the beginning of the step anew after each
 * detection, as existing scenes have it: a step ends integrationSteps h later than it began. Components see dt as the length of
 * the step, solvers h.
 */
#include "constraint/solver/served_laws.h"
#include "loop/solver_checks.h"
#include "loop/step_parts.h"

#include <divan/plugin.h>

typedef struct MultiStepAnimationLoop {
    DvData growth_limit;
    DvData collision_steps, integration_steps;
    DvLink target_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
    bool told_of_constraints;
} MultiStepAnimationLoop;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(MultiStepAnimationLoop),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD(MultiStepAnimationLoop, collision_steps, "collisionSteps", dv_type_int, .init = "1",
             .range = &dv_range_count, .help = "detections of contacts in a step"),
    DV_FIELD(MultiStepAnimationLoop, integration_steps, "integrationSteps", dv_type_int, .init = "1",
             .range = &dv_range_count, .help = "integrations after each detection"),
    DV_LINK(MultiStepAnimationLoop, target_link, "targetNode", NULL,
            .help = "node to animate; default: the loop's own"),
    {0},
};

static DvStatus check_steps(DvData *field)
{
    const int32_t steps = dv_data_int(field);
    return steps > 0 ? DV_OK : dv_field_error(field, -1, "%d are none; 1 or more", (int)steps);
}

static DvStatus init(DvObject *object, void *self_)
{
    MultiStepAnimationLoop *self = self_;
    DvStatus status = check_steps(&self->collision_steps);
    if (status == DV_OK)
        status = check_steps(&self->integration_steps);
    return status == DV_OK ? step_open(object, &self->target_link, &self->target, &self->ops, &self->m) : status;
}

/* The rest of the scene is there now. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    MultiStepAnimationLoop *self = self_;
    if (self->m) {
        solver_checks_run(object, self->target, SOLVERS_FIRST);
        self->told_of_constraints = served_laws_tell_of_unsolved(object, self->target);
    }
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    MultiStepAnimationLoop *self = self_;
    double start;
    if (self->m == NULL || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    DvStatus status = step_times(dv_object_of(self), self->target, &dt, &start);
    if (status != DV_OK)
        return status;
    const int32_t collisions = dv_data_int(&self->collision_steps),
                  integrations = dv_data_int(&self->integration_steps);
    DvStep now = {.time = start, .position = DV_POSITION, .velocity = DV_VELOCITY};
    now.dt = dt / ((double)collisions * integrations);
    step_tell(self->target, DV_EVENT_ANIMATE_BEGIN, dt);
    for (int32_t c = 0; c < collisions; c++) {
        status = step_collide(self->target, dt);
        for (int32_t i = 0; status == DV_OK && i < integrations; i++) {
            status = step_integrate(self->ops, self->m, self->target, &now, true);
            now.time = start + (i + 1) * now.dt;
            if (status == DV_OK)
                step_set_time(self->target, now.time);
        }
        if (status != DV_OK)
            return status;
    }
    step_tell_of_constraints(dv_object_of(self), self->target, &self->told_of_constraints);
    step_end(self->target, now.time, dt);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    MultiStepAnimationLoop *self = self_;
    if (self->m != NULL)
        self->ops->close(self->m);
    self->m = NULL;
}

static const DvAnimationLoopOps ops = {.size = sizeof(DvAnimationLoopOps), .step = step, .settle = step_settle};

const DvClass dv_multi_step_animation_loop = {
    .size = sizeof(DvClass),
    .name = "MultiStepAnimationLoop",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "Sofa.Component.AnimationLoop",
    .help = "Makes a step of several detections and integrations.",
    .instance_size = sizeof(MultiStepAnimationLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true}, {0}},
    .init = init,
    .bwd_init = bwd_init,
    .cleanup = cleanup,
};
