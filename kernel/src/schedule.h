/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What schedule.c and parts.c share.
 */
#ifndef DIVAN_SCHEDULE_H
#define DIVAN_SCHEDULE_H

#include "internal.h"

/* A node in a schedule. */
struct Part {
    DvSchedule *schedule;
    DvNode *node;          /* NULL: it has left */
    Part *previous, *next; /* in the order of the traversal, when it is entered */
    Part *next_changed;    /* in the schedule's list; of a spare one: the next spare one */
    uint64_t order;        /* label of its calls; 0: it has none */
    DvVisit visit;
    bool entered; /* the traversal comes here; else only its activation is waited for */
    bool changed; /* is in the list */
    bool planned; /* its calls are those of the node but for `changed` */
};

struct DvPlanner {
    GArray *calls;
    DvTags tags;
    uint64_t order;
};

struct DvSchedule {
    DvNode *root;
    const DvPlan *plan;
    DvTags tags;     /* copies */
    GArray *calls;   /* DvCall by order */
    GArray *planned; /* DvCall: of the part at work */
    GArray *older;   /* DvCall: the array before, while a new one is put together */
    guint holes;     /* calls without an object, only during an update: room for those that come */
    Part *first, *changed, *spare;
    GArray *journal;       /* uint64_t: labels whose calls have changed, in order of time */
    uint64_t journal_base; /* position of its first entry; no position comes twice in a scene */
    uint64_t updated;      /* position at the beginning of the last update */
    guint journal_room;
    unsigned running; /* how often it is on the stack of running ones */
    bool stale;       /* to be put together again */
    bool irregular;   /* so after each edit: not a tree, or the plan stops the walk */
    bool dropped;     /* to be freed when it ends */
};

static inline DvCall *calls_of(const GArray *calls)
{
    return (DvCall *)(void *)calls->data;
}

/* The first call whose label is not below this one. */
guint dv_private_lower_bound(const GArray *calls, uint64_t order);

Part *dv_private_part_in(const DvSchedule *schedule, const DvNode *node); /* NULL: none */
Part *dv_private_part_new(DvSchedule *schedule, DvNode *node);
void dv_private_part_drop(Part *part); /* it leaves its node; marked ones go when the list is worked off */
void dv_private_part_mark(Part *part); /* to be planned anew */
/* Works off what edits have marked. */
void dv_private_schedule_update(DvSchedule *schedule);

#endif
