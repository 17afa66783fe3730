/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Schedules: what a plan does over a subgraph, compiled to a flat array of calls.
 *
 * Two caches make an edit cheap. A node keeps what each plan emitted for it, until its own objects change; a root keeps the
 * schedules that start from it, until anything below changes. After an edit the schedule is put together again from the kept
 * parts (a copy of some bytes per call), and only nodes that changed are planned anew.
 *
 * A schedule that is being run when the graph changes finishes with the calls it has: those to removed objects are taken out.
 */
#include "internal.h"

#include <string.h>

/* What a plan emitted for a node. */
typedef struct Emission {
    const DvPlan *plan;
    char *tags; /* of the filter, one string */
    bool root;
    uint64_t revision; /* own_revision of the node then; 0: never */
    DvVisit visit;
    GArray *down, *up; /* DvCall */
} Emission;

struct DvPlanner {
    GArray *calls;
    DvTags tags;
};

struct DvSchedule {
    DvNode *root;
    const DvPlan *plan;
    char *tags;
    uint64_t revision;
    GArray *calls;    /* DvCall */
    unsigned running; /* how often it is on the stack of running ones */
    bool dropped;     /* to be freed when it ends */
};

/* A schedule that is running; the scene has the innermost one. */
struct Frame {
    DvSchedule *schedule;
    struct Frame *outer;
};

void dv_private_enter(DvScene *scene)
{
    scene->depth++;
}

void dv_private_leave(DvScene *scene)
{
    if (--scene->depth)
        return;
    while (scene->leaving && scene->leaving->len) /* a release may remove more */
        dv_object_unref(g_ptr_array_remove_index(scene->leaving, scene->leaving->len - 1));
}

void dv_private_release_later(DvScene *scene, DvObject *object)
{
    if (!scene->depth) {
        dv_object_unref(object);
        return;
    }
    if (!scene->leaving)
        scene->leaving = g_ptr_array_new();
    g_ptr_array_add(scene->leaving, object);
}

uint64_t dv_schedule_planned_nodes(const DvScene *scene)
{
    return scene->planned_nodes;
}

void dv_plan_call(DvPlanner *planner, DvObject *object, const char *contract, void (*run)(const DvCall *, void *),
                  void *data)
{
    if (!dv_object_has_tags(object, planner->tags))
        return;
    const DvCall call = {
        .run = run,
        .ops = contract ? dv_object_ops(object, contract) : NULL,
        .self = object->self,
        .data = data,
        .object = object,
    };
    g_array_append_val(planner->calls, call);
}

size_t dv_plan_each(DvPlanner *planner, DvNode *node, const char *contract, void (*run)(const DvCall *, void *))
{
    const guint before = planner->calls->len;
    for (guint i = 0; i < node->members->len; i++) {
        DvObject *object = g_ptr_array_index(node->members, i);
        if (dv_object_ops(object, contract))
            dv_plan_call(planner, object, contract, run, NULL);
    }
    return planner->calls->len - before;
}

static char *tags_key(DvTags tags)
{
    GString *key = g_string_new(NULL);
    for (size_t i = 0; i < tags.count; i++)
        g_string_append_printf(key, "%s ", tags.words[i]);
    return g_string_free(key, FALSE);
}

static void emission_free(gpointer data)
{
    Emission *emission = data;
    g_free(emission->tags);
    g_array_free(emission->down, TRUE);
    g_array_free(emission->up, TRUE);
    g_free(emission);
}

static void schedule_free(gpointer data)
{
    DvSchedule *schedule = data;
    if (schedule->running) {
        schedule->dropped = true;
        return;
    }
    g_free(schedule->tags);
    g_array_free(schedule->calls, TRUE);
    g_free(schedule);
}

/* The node's part, planned anew if the node changed since. */
static Emission *emission_of(DvNode *node, const DvPlan *plan, DvTags tags, const char *key, bool root)
{
    if (!node->plans)
        node->plans = g_ptr_array_new_with_free_func(emission_free);
    Emission *emission = NULL;
    for (guint i = 0; i < node->plans->len && !emission; i++) {
        Emission *e = g_ptr_array_index(node->plans, i);
        if (e->plan == plan && e->root == root && strcmp(e->tags, key) == 0)
            emission = e;
    }
    if (!emission) {
        emission = g_new0(Emission, 1);
        emission->plan = plan;
        emission->root = root;
        emission->tags = g_strdup(key);
        emission->down = g_array_new(FALSE, FALSE, sizeof(DvCall));
        emission->up = g_array_new(FALSE, FALSE, sizeof(DvCall));
        g_ptr_array_add(node->plans, emission);
    }
    if (emission->revision == node->own_revision)
        return emission;
    node->scene->planned_nodes++;
    g_array_set_size(emission->down, 0);
    g_array_set_size(emission->up, 0);
    DvPlanner planner = {emission->down, tags};
    emission->visit = plan->top_down ? plan->top_down(&planner, node, root) : DV_VISIT_CONTINUE;
    planner.calls = emission->up;
    if (plan->bottom_up)
        (void)plan->bottom_up(&planner, node, root);
    emission->revision = node->own_revision;
    return emission;
}

static void compile(DvSchedule *schedule, DvTags tags)
{
    DvNode *root = schedule->root;
    schedule->revision = root->revision;
    g_array_set_size(schedule->calls, 0);
    Walk walk = dv_private_walk(root, schedule->plan->enters_sleeping);
    Emission **parts = g_new0(Emission *, walk.count);
    for (uint32_t i = 0; i < walk.count; i++) {
        if (dv_private_walk_skips(&walk, i)) {
            walk.entries[i].skipped = true;
            continue;
        }
        DvNode *node = walk.entries[i].node;
        parts[i] = emission_of(node, schedule->plan, tags, schedule->tags, node == root);
        g_array_append_vals(schedule->calls, parts[i]->down->data, parts[i]->down->len);
        walk.entries[i].skipped = parts[i]->visit == DV_VISIT_PRUNE;
        if (parts[i]->visit == DV_VISIT_STOP)
            break;
    }
    for (uint32_t i = walk.count; i-- > 0;)
        if (parts[i])
            g_array_append_vals(schedule->calls, parts[i]->up->data, parts[i]->up->len);
    g_free(parts);
    dv_private_walk_free(&walk);
}

DvSchedule *dv_schedule(DvNode *root, const DvPlan *plan, DvTags tags)
{
    if (!root->schedules)
        root->schedules = g_ptr_array_new_with_free_func(schedule_free);
    char *key = tags.count ? tags_key(tags) : NULL;
    DvSchedule *schedule = NULL;
    for (guint i = 0; i < root->schedules->len && !schedule; i++) {
        DvSchedule *kept = g_ptr_array_index(root->schedules, i);
        if (kept->plan == plan && strcmp(kept->tags, key ? key : "") == 0)
            schedule = kept;
    }
    if (schedule && schedule->running && schedule->revision != root->revision) {
        g_ptr_array_remove_fast(root->schedules, schedule); /* it finishes with what it has; the next is another */
        schedule = NULL;
    }
    if (!schedule) {
        schedule = g_new0(DvSchedule, 1);
        schedule->root = root;
        schedule->plan = plan;
        schedule->tags = g_strdup(key ? key : "");
        schedule->calls = g_array_new(FALSE, FALSE, sizeof(DvCall));
        g_ptr_array_add(root->schedules, schedule);
    }
    if (schedule->revision != root->revision)
        compile(schedule, tags);
    g_free(key);
    return schedule;
}

void dv_schedule_run(DvSchedule *schedule, void *context)
{
    DvScene *scene = schedule->root->scene;
    struct Frame frame = {schedule, scene->innermost};
    schedule->running++;
    scene->innermost = &frame;
    dv_private_enter(scene);
    for (guint i = 0; i < schedule->calls->len; i++) {
        const DvCall *call = &g_array_index(schedule->calls, DvCall, i);
        if (call->run)
            call->run(call, context);
    }
    scene->innermost = frame.outer;
    schedule->running--;
    if (schedule->dropped && !schedule->running)
        schedule_free(schedule);
    dv_private_leave(scene);
}

const DvCall *dv_schedule_calls(DvSchedule *schedule, size_t *count)
{
    *count = schedule->calls->len;
    return (const DvCall *)(const void *)schedule->calls->data;
}

void dv_private_schedule_object_gone(DvScene *scene, DvObject *object)
{
    for (const struct Frame *frame = scene->innermost; frame; frame = frame->outer) {
        GArray *calls = frame->schedule->calls;
        for (guint i = 0; i < calls->len; i++)
            if (g_array_index(calls, DvCall, i).object == object)
                g_array_index(calls, DvCall, i).run = NULL;
    }
}

void dv_private_schedules_drop(DvNode *node)
{
    if (node->plans)
        g_ptr_array_free(node->plans, TRUE);
    if (node->schedules)
        g_ptr_array_free(node->schedules, TRUE);
    node->plans = NULL;
    node->schedules = NULL;
}
