/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Schedules: what a plan does over a subgraph, compiled to a flat array of calls.
 *
 * How a schedule follows edits of the graph: parts.c.
 *
 * A schedule that is being run when the graph changes finishes with the calls it has: those to removed objects are taken out.
 */
#include "schedule.h"

#include <string.h>

enum { JOURNAL = 128 };

/* A schedule that is running; the scene has the innermost one. */
struct Frame {
    DvSchedule *schedule;
    struct Frame *outer;
};

uint64_t dv_schedule_planned_nodes(const DvScene *scene)
{
    return scene->planned_nodes;
}

/* ---- Plans ---- */

void dv_plan_call(DvPlanner *planner, DvObject *object, const char *contract, void (*run)(const DvCall *, void *),
                  const void *data)
{
    if (!dv_private_is_usable(object) || !dv_object_has_tags(object, planner->tags))
        return;
    const DvCall call = {
        .run = run,
        .ops = contract ? dv_object_ops(object, contract) : NULL,
        .self = object->self,
        .data = data,
        .object = object,
        .order = planner->order,
    };
    g_array_append_val(planner->calls, call);
}

size_t dv_plan_each(DvPlanner *planner, DvNode *node, const char *contract, void (*run)(const DvCall *, void *),
                    const void *data)
{
    const guint before = planner->calls->len;
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (dv_object_ops(object, contract))
            dv_plan_call(planner, object, contract, run, data);
    }
    return planner->calls->len - before;
}

/* ---- Schedules ---- */

static void schedule_free(gpointer data)
{
    DvSchedule *schedule = data;
    if (schedule->running) {
        schedule->dropped = true;
        return;
    }
    while (schedule->changed) {
        Part *part = schedule->changed;
        schedule->changed = part->next_changed;
        part->changed = false;
        if (!part->entered)
            dv_private_part_drop(part);
    }
    while (schedule->first) {
        Part *part = schedule->first;
        schedule->first = part->next;
        for (guint i = 0; part->node && i < part->node->children.len; i++) {
            Part *waiting = dv_private_part_in(schedule, dv_private_at(&part->node->children, i));
            if (waiting && !waiting->entered)
                dv_private_part_drop(waiting);
        }
        dv_private_part_drop(part);
    }
    Part *root = dv_private_part_in(schedule, schedule->root);
    if (root)
        dv_private_part_drop(root);
    while (schedule->spare) {
        Part *part = schedule->spare;
        schedule->spare = part->next_changed;
        g_free(part);
    }
    for (size_t i = 0; i < schedule->tags.count; i++)
        g_free(schedule->tags.words[i]);
    g_free((void *)(uintptr_t)schedule->tags.words);
    g_array_free(schedule->calls, TRUE);
    g_array_free(schedule->older, TRUE);
    g_array_free(schedule->planned, TRUE);
    g_array_free(schedule->journal, TRUE);
    g_free(schedule);
}

static DvSchedule *schedule_new(DvNode *root, const DvPlan *plan, DvTags tags)
{
    DvSchedule *schedule = g_new0(DvSchedule, 1);
    schedule->root = root;
    schedule->plan = plan;
    char **words = g_new0(char *, tags.count + 1);
    for (size_t i = 0; i < tags.count; i++)
        words[i] = g_strdup(tags.words[i]);
    schedule->tags = (DvTags){words, tags.count};
    schedule->calls = g_array_new(FALSE, FALSE, sizeof(DvCall));
    schedule->older = g_array_new(FALSE, FALSE, sizeof(DvCall));
    schedule->planned = g_array_new(FALSE, FALSE, sizeof(DvCall));
    schedule->journal = g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), JOURNAL);
    schedule->journal_room = JOURNAL;
    schedule->stale = true;
    (void)dv_private_part_new(schedule, root);
    g_ptr_array_add(root->schedules, schedule);
    return schedule;
}

static bool same_tags(DvTags a, DvTags b)
{
    if (a.count != b.count)
        return false;
    for (size_t i = 0; i < a.count; i++)
        if (strcmp(a.words[i], b.words[i]) != 0)
            return false;
    return true;
}

/* Of the first place where a node remembers the schedule of a plan. */
static inline size_t home_of(const DvPlan *plan)
{
    return (uintptr_t)plan >> 5;
}

/* Where a node remembers the schedule of a plan, without tags: at a place that follows from the plan, or one of the next. Of more plans
 * than places some take turns. */
static DvSchedule **remembered(DvNode *node, const DvPlan *plan)
{
    const size_t number = home_of(plan);
    DvSchedule **home = &node->recent[number % G_N_ELEMENTS(node->recent)];
    for (size_t i = 0; i < G_N_ELEMENTS(node->recent); i++) {
        DvSchedule **place = &node->recent[(number + i) % G_N_ELEMENTS(node->recent)];
        if (*place && (*place)->plan != plan)
            continue;
        DvSchedule *schedule = *place; /* what is asked for now will be asked for again: it comes first */
        *place = *home;
        *home = schedule;
        break;
    }
    return home;
}

static __attribute__((noinline)) DvSchedule *find_schedule(DvNode *root, const DvPlan *plan, DvTags tags)
{
    if (!root->schedules)
        root->schedules = g_ptr_array_new_with_free_func(schedule_free);
    DvSchedule *schedule = NULL;
    DvSchedule *const *kept = (DvSchedule *const *)(void *)root->schedules->pdata;
    for (guint n = root->schedules->len; n > 0 && !schedule; n--, kept++)
        if ((*kept)->plan == plan && same_tags((*kept)->tags, tags))
            schedule = *kept;
    if (schedule && schedule->running && (schedule->stale || schedule->changed)) {
        for (size_t i = 0; i < G_N_ELEMENTS(root->recent); i++)
            if (root->recent[i] == schedule)
                root->recent[i] = NULL;
        g_ptr_array_remove_fast(root->schedules, schedule); /* it finishes with what it has; the next is another */
        schedule = NULL;
    }
    if (!schedule)
        schedule = schedule_new(root, plan, tags);
    if (schedule->stale || schedule->changed)
        dv_private_schedule_update(schedule);
    if (tags.count == 0)
        *remembered(root, plan) = schedule;
    return schedule;
}

DvSchedule *dv_schedule(DvNode *root, const DvPlan *plan, DvTags tags)
{
    DvSchedule *schedule = root->recent[home_of(plan) % G_N_ELEMENTS(root->recent)];
    if (tags.count == 0 && (!schedule || schedule->plan != plan))
        schedule = *remembered(root, plan);
    if (schedule && schedule->plan == plan && tags.count == 0 && !schedule->stale && !schedule->changed)
        return schedule;
    return find_schedule(root, plan, tags);
}

void dv_schedule_run(DvSchedule *schedule, void *context)
{
    if (schedule->calls->len == 0)
        return;
    DvScene *scene = schedule->root->scene;
    struct Frame frame = {schedule, scene->innermost};
    schedule->running++;
    scene->innermost = &frame;
    dv_private_enter(scene);
    for (guint i = 0; i < schedule->calls->len; i++) {
        const DvCall *call = &calls_of(schedule->calls)[i];
        if (call->run)
            call->run(call, context);
    }
    scene->innermost = frame.outer;
    schedule->running--;
    if (schedule->dropped)
        schedule_free(schedule);
    dv_private_leave(scene);
}

const DvCall *dv_schedule_calls(DvSchedule *schedule, size_t *count)
{
    *count = schedule->calls->len;
    return calls_of(schedule->calls);
}

const DvCall *dv_schedule_calls_at(DvSchedule *schedule, uint64_t order, size_t *count)
{
    const guint begin = dv_private_lower_bound(schedule->calls, order);
    *count = dv_private_lower_bound(schedule->calls, order + 1) - begin;
    return calls_of(schedule->calls) + begin;
}

bool dv_schedule_changes(DvSchedule *schedule, uint64_t *seen, const uint64_t **orders, size_t *count)
{
    const uint64_t begin = schedule->journal_base, end = begin + schedule->journal->len, from = *seen;
    *seen = end;
    *count = 0;
    *orders = NULL;
    if (from < begin || from > end)
        return false;
    *count = (size_t)(end - from);
    *orders = (const uint64_t *)(const void *)schedule->journal->data + (from - begin);
    return true;
}

void dv_private_schedule_object_gone(DvScene *scene, DvObject *object)
{
    for (const struct Frame *frame = scene->innermost; frame; frame = frame->outer) {
        GArray *calls = frame->schedule->calls;
        for (guint i = 0; i < calls->len; i++)
            if (calls_of(calls)[i].object == object)
                calls_of(calls)[i].run = NULL;
    }
}

void dv_private_schedules_drop(DvNode *node)
{
    if (node->schedules)
        g_ptr_array_free(node->schedules, TRUE);
    node->schedules = NULL;
    memset(node->recent, 0, sizeof node->recent);
    while (node->parts.len) {
        Part *part = dv_private_at(&node->parts, 0);
        dv_private_part_mark(part);
        dv_private_part_drop(part);
    }
    dv_private_list_free(&node->parts);
}
