/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who depends on whom.
 *
 * Dependencies are edges from a field to those that follow it (links) and from the inputs of an engine to its outputs.
 * Invariants: a dirty field has a parent or inputs; what is below a dirty field is dirty too, unless it was written since. So marking stops at dirty fields, and
 * reading a clean field costs one test. Both marking and updating walk with their own stack: chains of links may be as long
 * as a scene file can make them. Cycles are refused when the edge is made, so both walks end.
 */
#include "dependency.h"

#include <divan/check.h>

/* One of the edges is to `data`. Order is kept; both ends are looked at, since scenes are taken down from either. */
static void remove_edge(List *edges, const DvData *data)
{
    guint first = 0, last = edges->len - 1;
    while (first < last && dv_private_at(edges, first) != data && dv_private_at(edges, last) != data) {
        first++;
        last--;
    }
    dv_private_list_remove_at(edges, dv_private_at(edges, last) == data ? last : first);
}

static void drop_sources(DvData *data)
{
    struct DvDataGraph *graph = data->graph;
    data->flags &= ~(uint32_t)DV_DATA_DIRTY; /* it keeps what it has */
    if (graph->parent)
        remove_edge(&graph->parent->graph->outputs, data);
    graph->parent = NULL;
    for (guint i = 0; i < graph->inputs.len; i++)
        remove_edge(&((DvData *)dv_private_at(&graph->inputs, i))->graph->outputs, data);
    dv_private_list_free(&graph->inputs);
}

void dv_private_data_unlink(DvData *data)
{
    struct DvDataGraph *graph = data->graph;
    if (!graph)
        return;
    drop_sources(data);
    for (guint i = 0; i < graph->outputs.len; i++) {
        DvData *output = dv_private_at(&graph->outputs, i);
        if (output->graph->parent == data)
            output->graph->parent = NULL;
        else
            remove_edge(&output->graph->inputs, data);
        output->count = header_of(output->value)->count; /* a value it shares may have been written in place */
        if (!output->graph->parent && !output->graph->inputs.len)
            output->flags &= ~(uint32_t)DV_DATA_DIRTY; /* nothing will renew it */
    }
    dv_private_list_free(&graph->outputs);
}

/* A search from field to field: up to what a field is computed from, or down to what is computed from it. */
typedef struct Search {
    GHashTable *seen; /* DvData *: the one it was reached from */
    Stack open;
    size_t edges; /* followed so far */
    bool up;
} Search;

static size_t neighbours(const Search *search, const DvData *data)
{
    const struct DvDataGraph *graph = data->graph;
    return !graph ? 0 : !search->up ? graph->outputs.len : graph->inputs.len + (graph->parent ? 1 : 0);
}

static DvData *neighbour(const Search *search, const DvData *data, size_t index)
{
    const struct DvDataGraph *graph = data->graph;
    if (!search->up)
        return dv_private_at(&graph->outputs, index);
    return index < graph->inputs.len ? dv_private_at(&graph->inputs, index) : graph->parent;
}

static void search_begin(Search *search, DvData *from, bool up)
{
    search->seen = g_hash_table_new(NULL, NULL);
    search->edges = 0;
    search->up = up;
    STACK_INIT(search->open);
    push(&search->open, from);
    g_hash_table_insert(search->seen, from, NULL);
}

static void search_end(Search *search)
{
    stack_free(&search->open);
    g_hash_table_destroy(search->seen);
}

static size_t edges_after_next(const Search *search)
{
    return search->edges + neighbours(search, search->open.at[search->open.count - 1]);
}

/* Goes on from one field; true when `wanted` is reached. */
static bool search_on(Search *search, const DvData *wanted)
{
    DvData *from = search->open.at[--search->open.count];
    const size_t count = neighbours(search, from);
    search->edges += count;
    for (size_t i = 0; i < count; i++) {
        DvData *next = neighbour(search, from, i);
        if (g_hash_table_contains(search->seen, next))
            continue;
        g_hash_table_insert(search->seen, next, from);
        push(&search->open, next);
        if (next == wanted)
            return true;
    }
    return false;
}

/* Whether `data` is computed, directly or through others, from `source`. Two searches, one from either end, of which that goes on which
 * has followed fewer edges, end when the smaller of both sides is known: a chain costs the same per field from whichever end, or from
 * wherever between, it is made. */
static bool comes_from(DvData *data, DvData *source)
{
    Search up = {.up = true}, down = {.up = false};
    bool found = data == source;
    if (found || !neighbours(&up, data) || !neighbours(&down, source))
        return found;
    search_begin(&up, data, true);
    search_begin(&down, source, false);
    while (!found && up.open.count && down.open.count)
        found = edges_after_next(&up) <= edges_after_next(&down) ? search_on(&up, source) : search_on(&down, data);
    search_end(&up);
    search_end(&down);
    return found;
}

static void add_output(DvData *data, DvData *output)
{
    dv_private_list_add(&graph_of(data)->outputs, output);
    data->graph->taken |= output->owner != data->owner;
}

/* `child` cannot follow, or be computed from, `parent`, which comes from it: all fields between them are named. */
static DvStatus refuse_cycle(DvData *child, DvData *parent, bool follows)
{
    Search up;
    search_begin(&up, parent, true);
    while (parent != child && up.open.count && !search_on(&up, child))
        continue;
    List circle = {0};
    for (DvData *at = child; at; at = g_hash_table_lookup(up.seen, at))
        dv_private_list_add(&circle, at);
    child->owner->words->say_circle(&circle, follows);
    dv_private_list_free(&circle);
    search_end(&up);
    return DV_ERROR_CYCLE;
}

/* In two scenes: what one writes the other must not read. */
static bool are_apart(const DvData *a, const DvData *b)
{
    const DvScene *left = dv_private_scene_of(a->owner), *right = dv_private_scene_of(b->owner);
    return left && right && left != right;
}

DvStatus dv_data_link(DvData *child, DvData *parent)
{
    if (!parent) {
        if (child->graph && child->graph->parent) {
            (void)dv_data_read(child);
            drop_sources(child);
        }
        return DV_OK;
    }
    if (are_apart(child, parent))
        return dv_field_error(child, -1, "cannot follow '%s' of '%s', which is in another scene", parent->field->name,
                              dv_object_name(parent->owner));
    if (comes_from(parent, child))
        return refuse_cycle(child, parent, true);
    if (!dv_private_type_converts(parent->type, child->type))
        return dv_field_error(child, -1, "cannot follow '%s' of '%s': %s cannot become %s", parent->field->name,
                              dv_object_name(parent->owner), parent->type->name, child->type->name);
    struct DvDataGraph *graph = graph_of(child);
    drop_sources(child);
    add_output(parent, child);
    graph->parent = parent;
    child->flags = (child->flags | DV_DATA_SET | DV_DATA_DIRTY) & ~(uint32_t)DERIVED;
    child->version++;
    mark_outputs(child);
    return DV_OK;
}

DvData *dv_data_parent(const DvData *data)
{
    return data->graph ? data->graph->parent : NULL;
}

bool dv_data_was_followed(const DvData *data)
{
    return data->graph && data->graph->taken;
}

DvStatus dv_data_depend(DvData *output, DvData *input)
{
    if (comes_from(input, output))
        return refuse_cycle(output, input, false);
    struct DvDataGraph *graph = graph_of(output);
    if (dv_private_list_find(&graph->inputs, input) == DV_PRIVATE_NOT_THERE) {
        dv_private_list_add(&graph->inputs, input);
        add_output(input, output);
    }
    output->flags |= DV_DATA_DIRTY;
    mark_outputs(output);
    return DV_OK;
}
