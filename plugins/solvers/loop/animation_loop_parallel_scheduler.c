/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * AnimationLoopParallelScheduler: a scene of parts that know nothing of each other during a step. Each child node with an animation loop
 * of its own makes its step, from the same time; then the time moves on, and the event DataExchange tells DataExchange and
 * MeanComputation to carry values from part to part.
 *
 * In the reference the parts run at once. Here they run in the order of the scene, each with all threads: the results are the same.
 */
#include "loop/data_exchange.h"
#include "loop/step_parts.h"

#include <divan/divan.h>

typedef struct AnimationLoopParallelScheduler {
    DvData growth_limit;
    DvLink target_link;
    DvNode *target;
    uint64_t revision; /* of the target, at which the loops were collected */
    DvObject **loops;  /* [count] of the child nodes */
    size_t count, room;
} AnimationLoopParallelScheduler;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(AnimationLoopParallelScheduler),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0", .help = "no effect: the host says how many threads there are"),
    DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default", .help = "no effect: there is one"),
    DV_LINK(AnimationLoopParallelScheduler, target_link, "targetNode", NULL,
            .help = "node whose children are animated; default: the loop's own"),
    {0},
};

static void collect_loops(AnimationLoopParallelScheduler *self)
{
    DvNode *child;
    self->count = 0;
    for (size_t i = 0; (child = dv_node_child(self->target, i)); i++) {
        DvObject *loop = dv_node_slot(child, DV_ANIMATION_LOOP);
        if (!loop)
            continue;
        if (self->count == self->room) {
            const size_t room = self->room + 8;
            self->loops = dv_realloc(self->loops, self->room * sizeof(void *), room * sizeof(void *));
            self->room = room;
        }
        self->loops[self->count++] = loop;
    }
    self->revision = dv_node_revision(self->target);
}

static DvStatus init(DvObject *object, void *self_)
{
    AnimationLoopParallelScheduler *self = self_;
    return step_find_target(object, &self->target_link, &self->target);
}

static DvStatus bwd_init(DvObject *object, void *self_)
{
    AnimationLoopParallelScheduler *self = self_;
    if (!self->target)
        return DV_OK;
    collect_loops(self);
    if (self->count == 0)
        dv_warning(object,
                   "moves nothing: no child node of '%s' has an animation loop; give each part its own, for "
                   "instance <DefaultAnimationLoop/>",
                   dv_node_path(self->target));
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    AnimationLoopParallelScheduler *self = self_;
    const DvObject *object = dv_object_of(self);
    double start;
    if (!self->target || !dv_object_is_valid(object))
        return DV_OK;
    DvStatus status = step_times(object, self->target, &dt, &start);
    if (self->revision != dv_node_revision(self->target))
        collect_loops(self);
    for (size_t i = 0; i < self->count && status == DV_OK; i++) {
        const DvAnimationLoopOps *ops = dv_object_ops(self->loops[i], DV_ANIMATION_LOOP);
        if (i > 0)
            step_set_time(self->target, start);
        status = ops->step(dv_object_self(self->loops[i]), dt);
    }
    if (status != DV_OK)
        return status;
    step_set_time(self->target, start + dt);
    DvEvent event = {.kind = DV_EVENT_CUSTOM, .name = data_exchange_event, .dt = dt};
    dv_event_send(dv_node_root(self->target), &event);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    AnimationLoopParallelScheduler *self = self_;
    dv_free(self->loops);
    self->loops = NULL;
    self->count = self->room = 0;
    self->target = NULL;
}

static const DvAnimationLoopOps ops = {.size = sizeof(DvAnimationLoopOps), .step = step, .settle = step_settle};

const DvClass dv_animation_loop_parallel_scheduler = {
    .size = sizeof(DvClass),
    .name = "AnimationLoopParallelScheduler",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "MultiThreading",
    .help = "Makes a step of each child node by its own animation loop, then exchanges values between them.",
    .instance_size = sizeof(AnimationLoopParallelScheduler),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true}, {0}},
    .init = init,
    .bwd_init = bwd_init,
    .cleanup = cleanup,
};
