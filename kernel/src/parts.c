/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of schedules: the calls of each node, kept up to date as the graph changes.
 *
 * An edit costs what it changes. A node has a Part in each schedule that comes to it; an edit of the node marks its parts, and the next
 * user of such a schedule has the marked parts planned anew and their calls replaced. Parts carry increasing labels with gaps between
 * them (order maintenance, Dietz 1982), and calls are sorted by the label of their part, those of the bottom-up pass by its complement:
 * the place of a part is found by bisection, and what is behind it only moves in memory. Where a gap is used up, and after any edit
 * below a graph that is no tree or in which a plan stops the walk, the array is put together again from the calls that it has.
 */
#include "schedule.h"

static const uint64_t GAP = (uint64_t)1 << 32, STRIDE = (uint64_t)1 << 20;

/* ---- Calls by label ---- */

guint dv_private_lower_bound(const GArray *calls, uint64_t order)
{
    guint low = 0, high = calls->len;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (calls_of(calls)[middle].order < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void record(DvSchedule *schedule, uint64_t order)
{
    GArray *journal = schedule->journal;
    if (journal->len == schedule->journal_room) {
        /* The older half is forgotten, unless the present update alone takes more. */
        const guint half = journal->len / 2;
        if (schedule->journal_base + journal->len - schedule->updated > half) {
            schedule->journal_room *= 2;
        } else {
            g_array_remove_range(journal, 0, half);
            schedule->journal_base += half;
        }
    }
    g_array_append_val(journal, order);
}

/* A hole keeps the label of what was there, so the array stays sorted. */
static bool is_hole(const DvCall *call)
{
    return call->object == NULL;
}

/* Puts `planned` in the place of the calls with this label. What becomes free stays as holes until the end of the update, so that
 * what comes in the place of what goes moves nothing. */
static void replace(DvSchedule *schedule, uint64_t order)
{
    GArray *calls = schedule->calls;
    const GArray *planned = schedule->planned;
    guint begin = dv_private_lower_bound(calls, order), end = begin, holes = 0;
    while (begin > 0 && is_hole(&calls_of(calls)[begin - 1]))
        begin--;
    for (; end < calls->len && (calls_of(calls)[end].order == order || is_hole(&calls_of(calls)[end])); end++)
        ;
    for (guint i = begin; i < end; i++)
        holes += is_hole(&calls_of(calls)[i]);
    const guint room = end - begin, needed = planned->len, behind = calls->len - end;
    if (needed > room) {
        g_array_set_size(calls, calls->len + needed - room);
        memmove(calls_of(calls) + begin + needed, calls_of(calls) + end, behind * sizeof(DvCall));
    }
    if (needed)
        memcpy(calls_of(calls) + begin, planned->data, needed * sizeof(DvCall));
    for (guint i = begin + needed; i < end; i++)
        calls_of(calls)[i] = (DvCall){.order = order};
    schedule->holes += (needed < room ? room - needed : 0) - holes;
}

static void close_holes(DvSchedule *schedule)
{
    GArray *calls = schedule->calls;
    guint to = 0;
    for (guint i = 0; schedule->holes && i < calls->len; i++)
        if (!is_hole(&calls_of(calls)[i]))
            calls_of(calls)[to++] = calls_of(calls)[i];
    if (schedule->holes)
        g_array_set_size(calls, to);
    schedule->holes = 0;
}

/* ---- Parts ---- */

Part *dv_private_part_in(const DvSchedule *schedule, const DvNode *node)
{
    for (guint i = 0; i < node->parts.len; i++) {
        Part *part = dv_private_at(&node->parts, i);
        if (part->schedule == schedule)
            return part;
    }
    return NULL;
}

Part *dv_private_part_new(DvSchedule *schedule, DvNode *node)
{
    Part *part = schedule->spare;
    if (part)
        schedule->spare = part->next_changed;
    else
        part = g_new(Part, 1);
    *part = (Part){.schedule = schedule, .node = node};
    dv_private_list_add(&node->parts, part);
    return part;
}

void dv_private_part_mark(Part *part)
{
    if (part->changed)
        return;
    part->changed = true;
    part->next_changed = part->schedule->changed;
    part->schedule->changed = part;
}

void dv_private_part_drop(Part *part)
{
    if (part->node)
        dv_private_list_remove(&part->node->parts, part);
    part->node = NULL;
    if (part->changed)
        return;
    part->next_changed = part->schedule->spare;
    part->schedule->spare = part;
}

static void plan_part(Part *part, bool up)
{
    DvSchedule *schedule = part->schedule;
    const DvPlan *plan = schedule->plan;
    g_array_set_size(schedule->planned, 0);
    DvPlanner planner = {schedule->planned, schedule->tags, up ? ~part->order : part->order};
    if (up)
        (void)plan->bottom_up(&planner, part->node);
    else
        part->visit = plan->top_down ? plan->top_down(&planner, part->node) : DV_VISIT_CONTINUE;
}

/* Its calls as the node is now. */
static void plan_anew(Part *part)
{
    DvSchedule *schedule = part->schedule;
    schedule->root->scene->planned_nodes++;
    plan_part(part, false);
    replace(schedule, part->order);
    if (schedule->plan->bottom_up) {
        plan_part(part, true);
        replace(schedule, ~part->order);
    }
    record(schedule, part->order);
    part->planned = true;
}

static void take_out(Part *part)
{
    DvSchedule *schedule = part->schedule;
    if (!part->entered)
        return;
    g_array_set_size(schedule->planned, 0);
    replace(schedule, part->order);
    if (schedule->plan->bottom_up)
        replace(schedule, ~part->order);
    record(schedule, part->order);
    *(part->previous ? &part->previous->next : &schedule->first) = part->next;
    if (part->next)
        part->next->previous = part->previous;
    part->entered = false;
    part->planned = false;
}

static void take_out_below(const DvSchedule *schedule, const DvNode *node)
{
    for (guint i = 0; i < node->children.len; i++) {
        const DvNode *child = dv_private_at(&node->children, i);
        Part *part = dv_private_part_in(schedule, child);
        if (!part)
            continue;
        take_out_below(schedule, child);
        take_out(part);
        dv_private_part_drop(part);
    }
}

/* Puts a node and what is below it behind `previous`; the last part that came in. */
static Part *put_in(Part *part, Part *previous)
{
    DvSchedule *schedule = part->schedule;
    Part *next = previous ? previous->next : NULL;
    const uint64_t before = previous ? previous->order : 0, after = next ? next->order : before + 2 * GAP;
    if (after - before < 2) {
        schedule->stale = true;
        return part;
    }
    /* Not far behind `previous`, so that many may follow one another in front of `next`. */
    part->order = before + MIN((after - before) / 2, next ? STRIDE : GAP);
    part->previous = previous;
    part->next = next;
    *(previous ? &previous->next : &schedule->first) = part;
    if (next)
        next->previous = part;
    part->entered = true;
    plan_anew(part);
    schedule->stale |= part->visit == DV_VISIT_STOP;
    Part *last = part;
    for (guint i = 0; i < part->node->children.len && part->visit == DV_VISIT_CONTINUE; i++) {
        DvNode *child = dv_private_at(&part->node->children, i);
        Part *below = dv_private_part_in(schedule, child);
        schedule->stale |= child->parents.len > 1;
        if (!below)
            below = dv_private_part_new(schedule, child);
        if (!below->entered && dv_private_enterable(child, schedule->plan->enters_sleeping))
            last = put_in(below, last);
    }
    return last;
}

/* The last part at and below a part, of those in front of child `end`. */
static Part *last_below(Part *part, guint end)
{
    while (end-- > 0) {
        const DvNode *child = dv_private_at(&part->node->children, end);
        Part *below = dv_private_part_in(part->schedule, child);
        if (!below || !below->entered)
            continue;
        part = below;
        end = child->children.len;
    }
    return part;
}

/* Joins the traversal where the graph has its node, if the traversal comes to its parent. */
static void put_in_place(Part *part)
{
    DvNode *node = part->node;
    if (node == part->schedule->root) {
        (void)put_in(part, NULL);
        return;
    }
    const DvNode *parent = dv_private_at(&node->parents, 0);
    Part *above = dv_private_part_in(part->schedule, parent);
    if (!above || !above->entered || above->visit != DV_VISIT_CONTINUE)
        return;
    guint index = parent->children.len;
    while (index > 0 && dv_private_at(&parent->children, index - 1) != node)
        index--;
    (void)put_in(part, last_below(above, index ? index - 1 : 0));
}

/* ---- Compilation ---- */

static void keep_calls(const DvSchedule *schedule, uint64_t old_order, uint64_t order)
{
    for (guint i = dv_private_lower_bound(schedule->older, old_order);
         i < schedule->older->len && calls_of(schedule->older)[i].order == old_order; i++) {
        DvCall call = calls_of(schedule->older)[i];
        call.order = order;
        if (!is_hole(&call))
            g_array_append_val(schedule->calls, call);
    }
}

/* Calls of one pass at a new label: those it had, or planned anew. */
static void add_calls(Part *part, uint64_t old_order, bool up)
{
    DvSchedule *schedule = part->schedule;
    if (part->planned && !part->changed) {
        keep_calls(schedule, up ? ~old_order : old_order, up ? ~part->order : part->order);
        return;
    }
    plan_part(part, up);
    g_array_append_vals(schedule->calls, schedule->planned->data, schedule->planned->len);
}

/* A part for everything that the next edit may be about: also what is not entered itself. */
static void wait_for_children(Part *part)
{
    for (guint i = 0; i < part->node->children.len && part->visit == DV_VISIT_CONTINUE; i++) {
        DvNode *child = dv_private_at(&part->node->children, i);
        part->schedule->irregular |= child->parents.len > 1;
        if (!dv_private_part_in(part->schedule, child))
            (void)dv_private_part_new(part->schedule, child);
    }
}

/* The traversal does not come here any more. */
static void leave(Part *part)
{
    part->planned = false;
    for (guint i = 0; i < part->node->children.len; i++) {
        Part *waiting = dv_private_part_in(part->schedule, dv_private_at(&part->node->children, i));
        if (waiting && !waiting->entered)
            dv_private_part_drop(waiting);
    }
    if (part->node != part->schedule->root)
        dv_private_part_drop(part);
}

/* Those that are there, in their order. */
static void link_parts(DvSchedule *schedule, Part *const *parts, uint32_t count)
{
    Part *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!parts[i])
            continue;
        parts[i]->planned = true;
        parts[i]->previous = last;
        parts[i]->next = NULL;
        *(last ? &last->next : &schedule->first) = parts[i];
        last = parts[i];
        wait_for_children(parts[i]);
    }
}

static void compile(DvSchedule *schedule)
{
    GArray *older = schedule->calls;
    schedule->calls = schedule->older;
    schedule->older = older;
    g_array_set_size(schedule->calls, 0);
    schedule->holes = 0;
    Walk walk = dv_private_walk(schedule->root, schedule->plan->enters_sleeping);
    Part **parts = g_new0(Part *, walk.count);
    uint64_t *old_orders = g_new0(uint64_t, walk.count);
    Part *former = schedule->first;
    for (Part *part = former; part; part = part->next)
        part->entered = false;
    schedule->first = NULL;
    schedule->irregular = false;
    for (uint32_t i = 0; i < walk.count; i++) {
        if (dv_private_walk_skips(&walk, i)) {
            walk.entries[i].skipped = true;
            continue;
        }
        DvNode *node = walk.entries[i].node;
        Part *part = dv_private_part_in(schedule, node);
        parts[i] = part = part ? part : dv_private_part_new(schedule, node);
        schedule->root->scene->planned_nodes += !part->planned || part->changed;
        old_orders[i] = part->order;
        part->order = (i + 1) * GAP;
        part->entered = true;
        add_calls(part, old_orders[i], false);
        walk.entries[i].skipped = part->visit == DV_VISIT_PRUNE;
        if (part->visit == DV_VISIT_STOP) {
            schedule->irregular = true;
            break;
        }
    }
    for (uint32_t i = walk.count; i-- > 0;)
        if (parts[i] && schedule->plan->bottom_up)
            add_calls(parts[i], old_orders[i], true);
    for (Part *part = former; part; part = part->next)
        if (!part->entered && part->node)
            leave(part);
    link_parts(schedule, parts, walk.count);
    g_free(old_orders);
    g_free(parts);
    dv_private_walk_free(&walk);
    while (schedule->changed) {
        Part *part = schedule->changed;
        schedule->changed = part->next_changed;
        part->changed = false;
        if (!part->node)
            dv_private_part_drop(part);
    }
    schedule->stale = false;
    g_array_set_size(schedule->journal, 0);
    schedule->journal_base = ++schedule->root->scene->compilations << 32;
}

/* First, so that what comes in the place of something finds the gap between labels that this has left. */
static void take_out_gone(DvSchedule *schedule)
{
    Part *rest = NULL;
    while (schedule->changed) {
        Part *part = schedule->changed;
        schedule->changed = part->next_changed;
        if (part->node) {
            part->next_changed = rest;
            rest = part;
            continue;
        }
        part->changed = false;
        take_out(part);
        dv_private_part_drop(part);
    }
    schedule->changed = rest;
}

void dv_private_schedule_update(DvSchedule *schedule)
{
    const bool enters_sleeping = schedule->plan->enters_sleeping;
    schedule->updated = schedule->journal_base + schedule->journal->len;
    if (!schedule->stale && !schedule->irregular)
        take_out_gone(schedule);
    while (schedule->changed && !schedule->stale && !schedule->irregular) {
        Part *part = schedule->changed;
        schedule->changed = part->next_changed;
        part->changed = false;
        const bool enters = dv_private_enterable(part->node, enters_sleeping);
        if (part->entered && !enters) {
            take_out_below(schedule, part->node);
            take_out(part);
        } else if (part->entered) {
            const DvVisit visit = part->visit;
            plan_anew(part);
            schedule->stale |= part->visit != visit;
        } else if (enters) {
            put_in_place(part);
        }
    }
    if (schedule->stale || (schedule->irregular && schedule->changed))
        compile(schedule);
    close_holes(schedule);
}

/* ---- Edits ---- */

void dv_private_schedules_node_changed(const DvNode *node)
{
    for (guint i = 0; i < node->parts.len; i++)
        dv_private_part_mark(dv_private_at(&node->parts, i));
}

void dv_private_schedules_child_joined(const DvNode *parent, DvNode *child)
{
    for (guint i = 0; i < parent->parts.len; i++) {
        const Part *above = dv_private_at(&parent->parts, i);
        if (!above->entered || above->visit != DV_VISIT_CONTINUE)
            continue;
        Part *part = dv_private_part_in(above->schedule, child);
        above->schedule->stale |= part != NULL || child->parents.len > 1;
        dv_private_part_mark(part ? part : dv_private_part_new(above->schedule, child));
    }
}

void dv_private_schedules_child_left(const DvNode *parent, const DvNode *child)
{
    const bool gone = child->parents.len == 0;
    for (guint i = child->parts.len; i-- > 0;) {
        Part *part = dv_private_at(&child->parts, i);
        if (child == part->schedule->root)
            continue; /* what starts here stays as it is */
        dv_private_part_mark(part);
        if (gone)
            dv_private_part_drop(part);
        else if (dv_private_part_in(part->schedule, parent))
            part->schedule->stale = true;
    }
}
