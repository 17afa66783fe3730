/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events, told through a schedule of the objects whose class handles them.
 *
 * A listener that marks the event handled ends it for the rest of its node and for what is below. Other branches still hear of it,
 * but there only the first listener of each node, since the event stays handled.
 */
#include "internal.h"

static bool is_in(const DvNode *node, const DvNode *branch)
{
    for (; node; node = dv_node_parent(node, 0))
        if (node == branch)
            return true;
    return false;
}

typedef struct Telling {
    DvEvent *event;
    const DvNode *handled_in; /* the branch that hears no more */
} Telling;

static void tell(const DvCall *call, void *context)
{
    Telling *telling = context;
    DvObject *object = call->object;
    if (!*(const bool *)object->listening.value || !dv_object_is_valid(object) ||
        (telling->handled_in && is_in(object->node, telling->handled_in)))
        return;
    DvNode *node = object->node;
    object->cls->handle_event(object, call->self, telling->event);
    if (telling->event->handled)
        telling->handled_in = node;
}

static DvVisit plan_listeners(DvPlanner *planner, DvNode *node)
{
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (object->cls->handle_event)
            dv_plan_call(planner, object, NULL, tell, NULL);
    }
    return DV_VISIT_CONTINUE;
}

static const DvPlan listeners = {.name = "listeners", .top_down = plan_listeners, .enters_sleeping = true};

void dv_event_send(DvNode *node, DvEvent *event)
{
    if (node->unheard == node->revision)
        return;
    DvSchedule *schedule = dv_schedule(node, &listeners, (DvTags){0});
    size_t count;
    (void)dv_schedule_calls(schedule, &count);
    if (count == 0) {
        node->unheard = node->revision;
        return;
    }
    Telling telling = {event, NULL};
    dv_schedule_run(schedule, &telling);
}
