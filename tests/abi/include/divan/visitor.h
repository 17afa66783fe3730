/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visitors and schedules: doing something to every object of a subgraph, in order.
 *
 * Graph order: a node is visited when all its parents inside the visited subgraph have been; then its children in
 * order. The bottom-up pass is the exact reverse. Inactive nodes are skipped with what is only below them. Components
 * may start visitors and edit the graph while one visits them.
 *
 * Asking the graph anew for every vector operation is what makes such frameworks slow on small scenes. A DvPlan
 * therefore says once, per node, which calls it makes; the kernel compiles it over a subgraph into a schedule: a flat
 * array of calls in traversal order, kept per (root, plan, tags). After an edit only the nodes that it changed are planned
 * anew, and only their calls replaced (below a graph that is no tree the array is put together again). Running a schedule
 * allocates nothing, and an object removed meanwhile is not called any more.
 */
#ifndef DIVAN_VISITOR_H
#define DIVAN_VISITOR_H

#include <divan/node.h>

DV_BEGIN_DECLS

typedef enum DvVisit { DV_VISIT_CONTINUE, DV_VISIT_PRUNE, DV_VISIT_STOP } DvVisit;

/* A walk that is made once. Either function may be NULL. Prune: not below this node; stop: no further, bottom-up
 * included. */
typedef struct DvVisitor {
    DvVisit (*top_down)(DvNode *node, void *context);
    DvVisit (*bottom_up)(DvNode *node, void *context);
    bool enters_sleeping;
} DvVisitor;
DV_PUBLIC void dv_visit(DvNode *root, const DvVisitor *visitor, void *context);

/* One call of a schedule. */
typedef struct DvCall DvCall;
struct DvCall {
    void (*run)(const DvCall *call, void *context);
    const void *ops; /* the object's, of the contract the plan asked for */
    void *self;
    const void *data; /* the plan's, from dv_plan_call; or NULL */
    DvObject *object;
    uint64_t
        order; /* of its node in the traversal: ascending along the schedule, the same for calls of a node in one pass */
};

typedef struct DvSchedule DvSchedule; /* belongs to the kernel; valid until the next edit of the graph below its root */
typedef struct DvPlanner DvPlanner;   /* a node being planned */

/* What to do per node. Plans are static const: their address is their identity. The functions look at the objects of the
 * node and emit calls; what they emit is kept until the node changes. */
typedef struct DvPlan {
    const char *name;
    DvVisit (*top_down)(DvPlanner *planner, DvNode *node);
    DvVisit (*bottom_up)(DvPlanner *planner, DvNode *node);
    bool enters_sleeping;
} DvPlan;

/* One call, when the object passes the schedule's tags; nothing otherwise. `run` NULL: the call is only there to be read
 * (dv_schedule_calls); `data` may then say what it means.     [step, inside a plan] */
DV_PUBLIC void dv_plan_call(DvPlanner *planner, DvObject *object, const char *contract,
                            void (*run)(const DvCall *, void *), const void *data);
/* The same for every object of the node that offers the contract, in order; the number of calls emitted. */
DV_PUBLIC size_t dv_plan_each(DvPlanner *planner, DvNode *node, const char *contract,
                              void (*run)(const DvCall *, void *), const void *data);

/* The compiled schedule: from the cache, brought up to date with the edits since, or compiled now.     [step] */
DV_PUBLIC DvSchedule *dv_schedule(DvNode *root, const DvPlan *plan, DvTags tags);
DV_PUBLIC void dv_schedule_run(DvSchedule *schedule, void *context);
/* Its calls, to loop over by hand where that is faster. They must not edit the graph. */
DV_PUBLIC const DvCall *dv_schedule_calls(DvSchedule *schedule, size_t *count);

/* For those who keep something per call and follow edits by difference:     [step]
 * The orders (DvCall.order, of the top-down pass) whose calls may be others than when *seen was set, in the order of time, perhaps
 * several times; false when any may be, and at first (*seen 0). Orders that are not named have the calls they had. Sets *seen. */
DV_PUBLIC bool dv_schedule_changes(DvSchedule *schedule, uint64_t *seen, const uint64_t **orders, size_t *count);
/* The calls of one order, now. */
DV_PUBLIC const DvCall *dv_schedule_calls_at(DvSchedule *schedule, uint64_t order, size_t *count);
/* How many nodes have been planned since the scene began, over all its schedules.     [any] */
DV_PUBLIC uint64_t dv_schedule_planned_nodes(const DvScene *scene);

DV_END_DECLS
#endif
