/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CollisionPipeline: detection of contacts and the answer to them, for all collision models in and below its node.
 *
 *   detect    boxes of all models; pairs of models (broad phase); contacts of pairs (narrow phase and method)
 *   respond   the contact manager makes and feeds a response for each pair of models
 *
 * The other parts are found in and below the node, the first of each. Models keep their place in the list for as long as they are in the
 * graph, since the order of contacts hangs on it; models that come later are added behind.
 */
#include <float.h>

#include <divan/contracts/collision.h>
#include <divan/contracts/visual.h>
#include <divan/divan.h>
#include <divan/kit/array.h>
#include <divan/memory.h>

#include "back_report.h"
#include "contact_drawing.h"
#include "pair_report.h"
#include "passing.h"
#include "phase/meeting.h"

typedef struct CollisionPipeline {
    DvData verbose, depth, passed, penetration;
    DvObject *method, *broad, *narrow, *manager;
    DvCollisionBody *bodies;
    uint32_t count, capacity;
    uint64_t walk;  /* number of the last look at the graph */
    uint64_t *seen; /* [count] when a body was found in it */
    DvContactList list;
    Passing passing;
    bool looked_for_backs;
    double longest_arrow; /* N, of pictures of contacts */
} CollisionPipeline;

static const DvField fields[] = {
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0", .flags = DV_FIELD_HIDDEN,
                  .help = "kept for scenes that name it: the host says how many threads there are"),
    DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default", .flags = DV_FIELD_HIDDEN,
                  .help = "kept for scenes that name it: there is one pool of threads"),
    DV_FIELD_HELD("parallelDetection", dv_type_bool, .init = "0",
                  .help = "kept for scenes that name it: results do not depend on it"),
    DV_FIELD(CollisionPipeline, verbose, "verbose", dv_type_bool, .init = "0",
             .help = "tell how many pairs of models and contacts each step has"),
    DV_FIELD_HELD("draw", dv_type_bool, .init = "0", .flags = DV_FIELD_DRAWING,
                  .help = "kept for scenes that name it: models draw themselves, contacts by showDetectionOutputs"),
    DV_FIELD(CollisionPipeline, depth, "depth", dv_type_int, .init = "6", .help = "levels of the trees of boxes"),
    DV_FIELD(CollisionPipeline, passed, "passedSteps", dv_type_uint, .init = "0", .flags = DV_FIELD_READ_ONLY,
             .help = "steps in which a body moved farther than contacts are found from and passed through another one"),
    DV_FIELD(CollisionPipeline, penetration, "penetration", dv_type_double, .init = "0", .unit = "m",
             .flags = DV_FIELD_READ_ONLY, .help = "how deep bodies lie in each other where that is most"),
    DV_LINK_HELD("subCollisionPipelines", NULL, .many = true, .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it: there is one part"),
    {0},
};

/* ---- What there is ---- */

static DvObject *find(DvObject *object, const char *contract, const char *what, const char *class_name,
                      DvStatus *status)
{
    DvObject *found = dv_node_find(dv_object_node(object), contract, DV_SEARCH_DOWN);
    if (found) {
        if (*status == DV_OK)
            *status = dv_object_require(object, found);
        return dv_object_ref(found);
    }
    *status = dv_error(object, DV_ERROR_MISSING, "no %s in node '%s' or below; add a %s", what,
                       dv_node_path(dv_object_node(object)), class_name);
    return NULL;
}

static void release(CollisionPipeline *self)
{
    DvObject **parts[] = {&self->method, &self->broad, &self->narrow, &self->manager};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*parts[i])
            dv_object_unref(*parts[i]);
        *parts[i] = NULL;
    }
}

static DvStatus init(DvObject *object, void *self_)
{
    CollisionPipeline *self = self_;
    release(self);
    if (dv_data_int(&self->depth) < 0) {
        dv_field_warning(&self->depth, -1, "levels of trees are zero or more, not %d; 6 is taken",
                         dv_data_int(&self->depth));
        dv_data_set_int(&self->depth, 6);
    }
    DvStatus status = DV_OK;
    self->method = find(object, DV_INTERSECTION_METHOD, "intersection method", "MinProximityIntersection", &status);
    self->broad = find(object, DV_BROAD_PHASE, "broad phase", "BruteForceBroadPhase", &status);
    self->narrow = find(object, DV_NARROW_PHASE, "narrow phase", "BVHNarrowPhase", &status);
    self->manager = find(object, DV_CONTACT_MANAGER, "contact manager", "CollisionResponse", &status);
    return status;
}

static void add_body(CollisionPipeline *self, DvObject *object)
{
    uint32_t place = 0;
    while (place < self->count && self->bodies[place].object)
        place++;
    dv_columns_reserve(&self->capacity, place + 1, DV_COLUMN(self->bodies), DV_COLUMN(self->seen));
    if (place == self->count)
        self->count++;
    self->bodies[place] = (DvCollisionBody){.object = dv_object_ref(object),
                                            .ops = dv_object_ops(object, DV_COLLISION_MODEL),
                                            .self = dv_object_self(object),
                                            .node = dv_object_node(object)};
    self->seen[place] = self->walk;
}

static void list_model(const DvCall *call, void *context)
{
    CollisionPipeline *self = context;
    for (uint32_t i = 0; i < self->count; i++)
        if (self->bodies[i].object == call->object) {
            self->seen[i] = self->walk;
            return;
        }
    add_body(self, call->object);
}

static DvVisit plan_node(DvPlanner *planner, DvNode *node)
{
    (void)dv_plan_each(planner, node, DV_COLLISION_MODEL, list_model, NULL);
    return DV_VISIT_CONTINUE;
}

static const DvPlan plan = {.name = "collision models", .top_down = plan_node, .enters_sleeping = true};

/* The bodies of the graph as it is; those of inactive nodes rest. */
static void list_bodies(CollisionPipeline *self)
{
    self->walk++;
    DvSchedule *models = dv_schedule(dv_object_node(dv_object_of(self)), &plan, (DvTags){0});
    size_t count;
    const DvCall *calls = dv_schedule_calls(models, &count);
    /* Mostly nothing has changed: the calls are the bodies in order. */
    bool same = count == self->count;
    for (size_t i = 0; same && i < count; i++)
        same = self->bodies[i].object == calls[i].object;
    for (uint32_t i = 0; same && i < self->count; i++)
        self->seen[i] = self->walk;
    if (!same)
        dv_schedule_run(models, self);
    for (uint32_t i = 0; i < self->count; i++)
        if (self->bodies[i].object && self->seen[i] != self->walk && !dv_object_node(self->bodies[i].object)) {
            dv_object_unref(self->bodies[i].object);
            self->bodies[i] = (DvCollisionBody){0};
        }
}

/* ---- Detection ---- */

static void bound(DvCollisionBody *body)
{
    for (int axis = 0; axis < 3; axis++) {
        double lower = DBL_MAX, upper = -DBL_MAX;
        for (uint32_t i = 0; i < body->boxes.count; i++) {
            lower = body->boxes.lower[axis][i] < lower ? body->boxes.lower[axis][i] : lower;
            upper = body->boxes.upper[axis][i] > upper ? body->boxes.upper[axis][i] : upper;
        }
        body->lower[axis] = lower;
        body->upper[axis] = upper;
    }
}

static DvStatus update_body(DvCollisionBody *body, bool in_graph)
{
    body->present = false;
    if (!body->object || !in_graph || !dv_object_is_valid(body->object) || !body->ops->state(body->self))
        return DV_OK;
    body->ops->traits(body->self, &body->traits);
    if (!body->traits.active)
        return DV_OK;
    const uint64_t before = body->version.boxes;
    const DvStatus status = body->ops->update(body->self, &body->version);
    body->shape = body->ops->shape(body->self);
    body->boxes = body->ops->boxes(body->self);
    body->present = status == DV_OK && body->boxes.count > 0;
    if (body->present && body->version.boxes != before)
        bound(body);
    return status;
}

/* Whether something has passed through something since the last detection; the first time it is told. */
static void look_for_passages(CollisionPipeline *self)
{
    const double dt = dv_node_dt(dv_node_root(dv_object_node(dv_object_of(self))));
    Passage passage;
    if (!passing_look(&self->passing, self->bodies, self->count, self->method, dt, &passage))
        return;
    const uint32_t before = dv_data_uint(&self->passed);
    dv_data_set_uint(&self->passed, before + 1);
    if (before > 0)
        return;
    char seen[128], shorter[48] = "a smaller dt";
    if (passage.alarms)
        snprintf(seen, sizeof seen, "contacts are found from %.3g m on", passage.reach);
    else
        snprintf(seen, sizeof seen, "%s finds only contacts of bodies that overlap, which %.3g m leap over",
                 dv_object_class(self->method)->name, passage.way);
    if (passage.reach > 0)
        snprintf(shorter, sizeof shorter, "a dt below %.2g s", dt * passage.reach / passage.way);
    dv_warning(
        passage.body->object,
        "it has passed through '%s' in one step: at %.3g m/s it moves by %.3g m in a step of %g s, and %s; take %s%s. "
        "`passedSteps` of the pipeline counts such steps; only the first one gives a message",
        dv_object_path(passage.through->object), passage.way / dt, passage.way, dt, seen, shorter,
        passage.alarms ? ", or a larger alarmDistance" : "");
}

/* What shows its back from the start, before anything has fallen through it. */
static void look_for_backs(CollisionPipeline *self)
{
    enum { MOST_TESTS = 1 << 22 }; /* of points against triangles: some hundredths of a second */
    BackReport report = {.method = self->method, .tests_left = MOST_TESTS};
    self->looked_for_backs = true;
    for (uint32_t i = 0; i < self->count; i++) {
        const DvCollisionBody *surface = &self->bodies[i];
        if (!surface->present || !counts_front_alone(self->method, surface))
            continue;
        for (uint32_t k = 0; k < self->count && report.tests_left > 0; k++, report.tests_left--)
            if (k != i && self->bodies[k].present && bodies_may_meet(surface, &self->bodies[k]))
                back_report_pair(&report, surface, &self->bodies[k]);
    }
    bool *told = backs_are_told(dv_object_node(dv_object_of(self)));
    *told = back_report_end(&report);
}

/* False when a part is missing, or has left the graph. */
static bool is_ready(const CollisionPipeline *self)
{
    return dv_object_is_valid(dv_object_of(self)) && self->method && self->broad && self->narrow && self->manager;
}

static DvStatus detect(void *self_)
{
    CollisionPipeline *self = self_;
    if (!is_ready(self))
        return DV_OK;
    list_bodies(self);
    dv_phase_begin("boxes");
    DvStatus status = DV_OK;
    for (uint32_t i = 0; status == DV_OK && i < self->count; i++)
        status = update_body(&self->bodies[i], self->seen[i] == self->walk);
    if (status == DV_OK && !self->looked_for_backs)
        look_for_backs(self);
    if (status == DV_OK)
        look_for_passages(self);
    dv_phase_end();
    if (status != DV_OK)
        return status;
    const DvIntersectionMethodOps *method = dv_object_ops(self->method, DV_INTERSECTION_METHOD);
    const DvBroadPhaseOps *broad = dv_object_ops(self->broad, DV_BROAD_PHASE);
    const DvNarrowPhaseOps *narrow = dv_object_ops(self->narrow, DV_NARROW_PHASE);
    if (method->begin)
        method->begin(dv_object_self(self->method));
    self->list = (DvContactList){.bodies = self->bodies,
                                 .body_count = self->count,
                                 .distance = method->contact_distance(dv_object_self(self->method)),
                                 .narrow_phase = self->narrow};
    DvBodyPair *pairs;
    dv_phase_begin("broad phase");
    const uint32_t pair_count =
        broad->find(dv_object_self(self->broad), self->bodies, self->count, self->method, &pairs);
    dv_phase_end();
    dv_phase_begin("narrow phase");
    self->list.pair_count = narrow->collide(dv_object_self(self->narrow), self->bodies, self->count, pairs, pair_count,
                                            self->method, (uint32_t)dv_data_int(&self->depth), &self->list.pairs);
    dv_phase_end();
    const double penetration = contacts_penetration(&self->list);
    if (penetration != dv_data_double(&self->penetration))
        dv_data_set_double(&self->penetration, penetration);
    if (dv_data_bool(&self->verbose)) {
        uint32_t contacts = 0;
        for (uint32_t i = 0; i < self->list.pair_count; i++)
            contacts += self->list.pairs[i].count;
        dv_info(dv_object_of(self), "%u pairs of models are near each other, %u touch, in %u contacts", pair_count,
                self->list.pair_count, contacts);
    }
    return DV_OK;
}

static DvStatus respond(void *self_)
{
    CollisionPipeline *self = self_;
    if (!is_ready(self))
        return DV_OK;
    const DvContactManagerOps *manager = dv_object_ops(self->manager, DV_CONTACT_MANAGER);
    dv_phase_begin("contact response");
    const DvStatus status =
        manager->respond(dv_object_self(self->manager), &self->list, dv_object_node(dv_object_of(self)));
    dv_phase_end();
    return status;
}

/* The pairs belong to the narrow phase: none when it has left. */
static const DvContactList *contacts(void *self_)
{
    CollisionPipeline *self = self_;
    if (!is_ready(self)) {
        self->list.pairs = NULL;
        self->list.pair_count = 0;
    }
    return &self->list;
}

static void force_of(void *self_, uint32_t pair, uint32_t index, double force[3])
{
    CollisionPipeline *self = self_;
    const DvContactManagerOps *manager = dv_object_ops(self->manager, DV_CONTACT_MANAGER);
    manager->force(dv_object_self(self->manager), &self->list.pairs[pair], index, force);
}

static void report(void *self_, DvReportLine line, void *context)
{
    const CollisionPipeline *self = self_;
    if (self->method)
        report_pairs(dv_object_of(self), self->method, self->manager, line, context);
}

static uint32_t responses(void *self_, const DvClass **classes, uint32_t capacity)
{
    const CollisionPipeline *self = self_;
    return is_ready(self) ? responses_of_pairs(dv_object_of(self), self->manager, classes, capacity) : 0;
}

static void forget_bodies(CollisionPipeline *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->bodies[i].object)
            dv_object_unref(self->bodies[i].object);
    dv_free(self->bodies);
    dv_free(self->seen);
    self->bodies = NULL;
    self->seen = NULL;
    self->count = self->capacity = 0;
    self->list = (DvContactList){0};
    passing_forget(&self->passing);
    self->looked_for_backs = false;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    CollisionPipeline *self = self_;
    if (!is_ready(self))
        return;
    ((const DvContactManagerOps *)dv_object_ops(self->manager, DV_CONTACT_MANAGER))
        ->forget(dv_object_self(self->manager));
    const DvNarrowPhaseOps *narrow = dv_object_ops(self->narrow, DV_NARROW_PHASE);
    if (narrow->forget)
        narrow->forget(dv_object_self(self->narrow));
    dv_data_set_uint(&self->passed, 0);
    dv_data_set_double(&self->penetration, 0);
    self->longest_arrow = 0;
    forget_bodies(self);
}

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    CollisionPipeline *self = self_;
    forget_bodies(self);
    release(self);
}

/* The contacts of the last detection. */
static void draw(void *self_, DvDraw *draw)
{
    CollisionPipeline *self = self_;
    if (dv_draw_shows(draw, DV_DISPLAY_DETECTION_OUTPUTS))
        contacts_draw(contacts(self), force_of, self, &self->longest_arrow, draw);
}

static const DvDrawableOps drawable = {.size = sizeof drawable, .draw = draw};
static const DvCollisionPipelineOps ops = {.size = sizeof ops,
                                           .detect = detect,
                                           .respond = respond,
                                           .contacts = contacts,
                                           .force = force_of,
                                           .responses = responses};
static const DvReportOps report_ops = {.size = sizeof report_ops, .report = report};

const DvClass dv_collision_pipeline = {
    .size = sizeof(DvClass),
    .name = "CollisionPipeline",
    .bases = (const char *const[]){"CompositeCollisionPipeline", NULL},
    .family = "collision detection",
    .module = "Sofa.Component.Collision.Detection.Algorithm",
    .help = "Finds the contacts of all models below its node in each step, and has them answered.",
    .instance_size = sizeof(CollisionPipeline),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_COLLISION_PIPELINE, .ops = &ops, .slot = true},
                                      {.id = DV_REPORT, .ops = &report_ops},
                                      {.id = DV_DRAWABLE, .ops = &drawable},
                                      {0}},
    .init = init,
    .reset = reset,
    .cleanup = cleanup,
};
