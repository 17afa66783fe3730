/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MultiTagAnimationLoop: bodies in groups, one after the other in each step. Its field `tags` names the groups. For each of them:
 *
 *   the collision pipelines with this tag detect and answer; of each topmost node with ODE solvers that have the tag the first makes
 *   the step; constraints hold, mapped states follow
 *
 * so that the second group sees what the first has come to. The groups follow in the order in which the scene names them first. What
 * has none of the tags is not moved. Interaction force fields above all solvers act in the turn of their tag, and external forces are
 * there until the last turn has ended.
 */
#include "constraint/solver/served_laws.h"
#include "loop/step_parts.h"

#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/visitor.h>

#include <string.h>

typedef struct MultiTagAnimationLoop {
    DvData growth_limit;
    DvLink target_link;
    DvNode *target;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the target and all below */
    char **tags;    /* [count] in the order of the turns */
    size_t count;
    bool told_of_constraints;
} MultiTagAnimationLoop;

static const DvField fields[] = {
    STEP_FIELD_GROWTH_LIMIT(MultiTagAnimationLoop),
    DV_FIELD_HELD("computeBoundingBox", dv_type_bool, .init = "1",
                  .help = "bounding boxes are computed when somebody asks for them, whatever this says"),
    DV_LINK(MultiTagAnimationLoop, target_link, "targetNode", NULL, .help = "node to animate; default: the loop's own"),
    {0},
};

/* ---- The turns ---- */

static void forget_tags(MultiTagAnimationLoop *self)
{
    for (size_t i = 0; i < self->count; i++)
        dv_free(self->tags[i]);
    dv_free(self->tags);
    self->tags = NULL;
    self->count = 0;
}

static void take_tag(MultiTagAnimationLoop *self, const char *tag)
{
    const size_t size = strlen(tag) + 1;
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->tags[i], tag) == 0)
            return;
    self->tags[self->count] = dv_alloc(size, 1);
    memcpy(self->tags[self->count++], tag, size);
}

/* The tags of the loop that an object has, too. */
static void take_shared(MultiTagAnimationLoop *self, DvTags own, const DvObject *object)
{
    DvData *field = dv_object_field(object, "tags");
    size_t count = 0;
    char *const *words = field ? dv_data_strings(field, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < own.count; k++)
            if (strcmp(words[i], own.words[k]) == 0)
                take_tag(self, words[i]);
}

static DvVisit take_of_node(DvNode *node, void *context)
{
    MultiTagAnimationLoop *self = context;
    size_t count = 0;
    char *const *words = dv_data_strings(dv_object_field(dv_object_of(self), "tags"), &count);
    DvObject *object;
    for (size_t i = 0; self->count < count && (object = dv_node_member(node, i)); i++)
        take_shared(self, (DvTags){words, count}, object);
    return self->count < count ? DV_VISIT_CONTINUE : DV_VISIT_STOP;
}

static void order_tags(MultiTagAnimationLoop *self)
{
    DvObject *object = dv_object_of(self);
    size_t count = 0;
    (void)dv_data_strings(dv_object_field(object, "tags"), &count);
    forget_tags(self);
    self->tags = (char **)dv_alloc(count, sizeof *self->tags);
    dv_visit(dv_node_root(dv_object_node(object)),
             &(const DvVisitor){.top_down = take_of_node, .enters_sleeping = true}, self);
}

static bool moves(const MultiTagAnimationLoop *self, const DvObject *solver)
{
    for (size_t i = 0; i < self->count; i++)
        if (dv_object_has_tags(solver, (DvTags){self->tags + i, 1}))
            return true;
    return false;
}

static DvVisit tell_of_unmoved(DvNode *node, void *context)
{
    const MultiTagAnimationLoop *self = context;
    const DvObject *solver = dv_node_find(node, DV_ODE_SOLVER, DV_SEARCH_LOCAL);
    if (!solver)
        return DV_VISIT_CONTINUE;
    if (!moves(self, solver))
        dv_warning(solver, "moves nothing: it has none of the tags of %s '%s', which calls by tags alone",
                   dv_object_class(dv_object_of(self))->name, dv_object_name(dv_object_of(self)));
    return DV_VISIT_PRUNE;
}

/* ---- The class ---- */

static DvStatus init(DvObject *object, void *self_)
{
    MultiTagAnimationLoop *self = self_;
    return step_open(object, &self->target_link, &self->target, &self->ops, &self->m);
}

/* The rest of the scene is there now. */
static DvStatus bwd_init(DvObject *object, void *self_)
{
    MultiTagAnimationLoop *self = self_;
    if (!self->m)
        return DV_OK;
    order_tags(self);
    if (self->count == 0)
        dv_warning(object,
                   "moves nothing: it has no tags; name those of the ODE solvers and pipelines that it is to call");
    else
        dv_visit(self->target, &(const DvVisitor){.top_down = tell_of_unmoved, .enters_sleeping = true}, self);
    self->told_of_constraints = served_laws_tell_of_unsolved(object, self->target);
    return DV_OK;
}

static DvStatus step(void *self_, double dt)
{
    MultiTagAnimationLoop *self = self_;
    double start;
    if (self->m == NULL || !dv_object_is_valid(dv_object_of(self)))
        return DV_OK;
    DvStatus status = step_times(dv_object_of(self), self->target, &dt, &start);
    if (status != DV_OK)
        return status;
    const DvStep now = {.time = start, .dt = dt, .position = DV_POSITION, .velocity = DV_VELOCITY};
    step_tell(self->target, DV_EVENT_ANIMATE_BEGIN, dt);
    self->ops->begin_integration(self->m, dt);
    for (size_t i = 0; i < self->count && status == DV_OK; i++) {
        const DvTags tag = {self->tags + i, 1};
        status = step_collide_tagged(self->target, dt, tag);
        if (status == DV_OK)
            status = step_integrate_tagged(self->ops, self->m, self->target, &now, tag);
    }
    if (status != DV_OK)
        return status;
    self->ops->end_integration(self->m);
    step_tell_of_constraints(dv_object_of(self), self->target, &self->told_of_constraints);
    step_end(self->target, start + dt, dt);
    return DV_OK;
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    MultiTagAnimationLoop *self = self_;
    if (self->m != NULL)
        self->ops->close(self->m);
    self->m = NULL;
    forget_tags(self);
}

static const DvAnimationLoopOps ops = {.size = sizeof(DvAnimationLoopOps), .step = step, .settle = step_settle};

const DvClass dv_multi_tag_animation_loop = {
    .size = sizeof(DvClass),
    .name = "MultiTagAnimationLoop",
    .bases = (const char *const[]){"BaseAnimationLoop", NULL},
    .family = "animation loops",
    .module = "Sofa.Component.AnimationLoop",
    .help = "Makes a step of groups of bodies, one after the other, by their tags.",
    .instance_size = sizeof(MultiTagAnimationLoop),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_ANIMATION_LOOP, .ops = &ops, .slot = true}, {0}},
    .init = init,
    .bwd_init = bwd_init,
    .cleanup = cleanup,
};
