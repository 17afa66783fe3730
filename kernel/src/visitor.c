/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks over a subgraph in graph order: a node when all its parents inside the subgraph have been visited, then its children in order;
 * the bottom-up pass in reverse (a topological order by depth-first search, Tarjan 1976).
 *
 * The order is taken before anything is called. So walks may nest and the graph may be edited meanwhile: nodes that have left are
 * skipped, nodes that came are for the next walk.
 */
#include "internal.h"

#include <string.h>

bool dv_private_enterable(const DvNode *node, bool enters_sleeping)
{
    return dv_node_is_active(node) && (enters_sleeping || !dv_node_is_sleeping(node));
}

typedef struct Builder {
    GArray *entries, *parents;
    uint64_t reached, placed; /* marks of the two passes */
    bool enters_sleeping;
} Builder;

/* Counts, for every node of the subgraph, its parents inside it. */
static void count_parents(Builder *builder, DvNode *node)
{
    for (guint i = 0; i < node->children.len; i++) {
        DvNode *child = dv_private_at(&node->children, i);
        if (!dv_private_enterable(child, builder->enters_sleeping))
            continue;
        if (child->mark == builder->reached) {
            child->pending++;
            continue;
        }
        child->mark = builder->reached;
        child->pending = 1;
        count_parents(builder, child);
    }
}

static void place(Builder *builder, DvNode *node)
{
    struct WalkEntry entry = {.node = node, .first_parent = builder->parents->len};
    for (guint i = 0; builder->entries->len && i < node->parents.len; i++) {
        const DvNode *parent = dv_private_at(&node->parents, i);
        if (parent->mark == builder->placed)
            g_array_append_val(builder->parents, parent->walk_index);
    }
    entry.parents = builder->parents->len - entry.first_parent;
    node->mark = builder->placed;
    node->walk_index = builder->entries->len;
    g_array_append_val(builder->entries, entry);
    for (guint i = 0; i < node->children.len; i++) {
        DvNode *child = dv_private_at(&node->children, i);
        if (child->mark == builder->reached && --child->pending == 0)
            place(builder, child);
    }
}

Walk dv_private_walk(DvNode *root, bool enters_sleeping)
{
    Builder builder = {
        .entries = g_array_new(FALSE, FALSE, sizeof(struct WalkEntry)),
        .parents = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .reached = root->scene->last_mark + 1,
        .placed = root->scene->last_mark + 2,
        .enters_sleeping = enters_sleeping,
    };
    root->scene->last_mark += 2;
    if (dv_private_enterable(root, enters_sleeping)) {
        root->mark = builder.reached;
        root->pending = 0;
        count_parents(&builder, root);
        place(&builder, root);
    }
    Walk walk = {.count = builder.entries->len};
    walk.entries = (struct WalkEntry *)(void *)g_array_free(builder.entries, FALSE);
    walk.parent_index = (uint32_t *)(void *)g_array_free(builder.parents, FALSE);
    return walk;
}

void dv_private_walk_free(Walk *walk)
{
    g_free(walk->entries);
    g_free(walk->parent_index);
    memset(walk, 0, sizeof *walk);
}

bool dv_private_walk_skips(const Walk *walk, uint32_t index)
{
    const struct WalkEntry *entry = &walk->entries[index];
    for (uint32_t p = 0; p < entry->parents; p++)
        if (!walk->entries[walk->parent_index[entry->first_parent + p]].skipped)
            return false;
    return entry->parents > 0;
}

void dv_visit(DvNode *root, const DvVisitor *visitor, void *context)
{
    Walk walk = dv_private_walk(root, visitor->enters_sleeping);
    bool *visited = g_new0(bool, walk.count);
    bool stopped = false;
    DvScene *scene = root->scene;
    dv_private_enter(scene);
    for (uint32_t i = 0; i < walk.count && !stopped; i++) {
        struct WalkEntry *entry = &walk.entries[i];
        if (dv_private_walk_skips(&walk, i) || dv_object_of(entry->node)->removed) {
            entry->skipped = true;
            continue;
        }
        visited[i] = true;
        const DvVisit visit = visitor->top_down ? visitor->top_down(entry->node, context) : DV_VISIT_CONTINUE;
        entry->skipped = visit == DV_VISIT_PRUNE;
        stopped = visit == DV_VISIT_STOP;
    }
    for (uint32_t i = walk.count; visitor->bottom_up && i-- > 0 && !stopped;)
        if (visited[i] && !dv_object_of(walk.entries[i].node)->removed)
            stopped = visitor->bottom_up(walk.entries[i].node, context) == DV_VISIT_STOP;
    dv_private_leave(scene);
    g_free(visited);
    dv_private_walk_free(&walk);
}
