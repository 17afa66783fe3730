/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adjacency in place; see the header.
 */
#include "table_edits.h"

#include "mesh/tuples.h"

/* A table that was made while a list was empty has no rows to go on with. */
static bool fits(Topology *topology, DvElementKind of, const Adjacency *table)
{
    return table->count == (of == DV_POINTS ? topology->points : topology_elements(topology, of).count);
}

static bool has_parts(DvElementKind of, DvElementKind part)
{
    return topology_part_table(of, part) != NULL;
}

static void make(Topology *topology, DvElementKind of, DvElementKind to)
{
    AdjacencyCache *cache = topology_table(topology, of, to);
    if (cache && !fits(topology, of, &cache->adjacency)) {
        adjacency_free(&cache->adjacency);
        cache->made = false;
    }
    (void)topology_adjacency(topology, of, to);
}

void tables_prepare(Topology *topology)
{
    const DvElementKind own = topology->own;
    for (DvElementKind kind = DV_EDGES; kind <= own; kind++)
        if (topology->list[kind].field)
            make(topology, DV_POINTS, kind);
    for (DvElementKind of = DV_TRIANGLES; of <= own; of++)
        for (DvElementKind part = DV_EDGES; part < of; part++) {
            const bool wanted = of == own || topology_table(topology, of, part) || topology_table(topology, part, of);
            if (!wanted || !has_parts(of, part) || !topology->list[of].field)
                continue;
            make(topology, of, part);
            make(topology, part, of);
        }
}

/* A table that is kept up, or NULL. */
static AdjacencyCache *table_of(Topology *topology, DvElementKind of, DvElementKind to)
{
    const bool follows = (of == DV_POINTS && to != DV_POINTS) || has_parts(of, to) || has_parts(to, of);
    return follows ? topology_table(topology, of, to) : NULL;
}

static Adjacency *around_of(Topology *topology, DvElementKind lower, DvElementKind kind)
{
    AdjacencyCache *cache = lower < kind ? table_of(topology, lower, kind) : NULL;
    return cache ? &cache->adjacency : NULL;
}

/* What an element has of a lower kind. */
static const uint32_t *parts_of(Topology *topology, DvElementKind kind, uint32_t element, DvElementKind lower,
                                uint32_t *count)
{
    const ElementList list = topology_elements(topology, kind);
    AdjacencyCache *parts = table_of(topology, kind, lower);
    *count = lower == DV_POINTS ? list.nodes : parts ? parts->adjacency.per_row : 0;
    if (*count == 0)
        return NULL;
    return (lower == DV_POINTS ? list.at : parts->adjacency.items) + (size_t)element * *count;
}

static void sort_row(Topology *topology, DvElementKind lower, DvElementKind kind, Adjacency *around, uint32_t row)
{
    if (lower == DV_EDGES && kind == DV_TRIANGLES)
        triangles_around_edge_sort(around, row, topology_elements(topology, kind), topology_elements(topology, lower));
    else
        adjacency_sort_row(around, row);
}

static void replace(uint32_t *items, uint32_t count, uint32_t old, uint32_t now)
{
    for (uint32_t i = 0; i < count; i++)
        if (items[i] == old)
            items[i] = now;
}

static void replace_in_row(Adjacency *table, uint32_t row, uint32_t old, uint32_t now)
{
    replace(table->items + table->begin[row], adjacency_row_length(table, row), old, now);
}

void tables_take_out(Topology *topology, DvElementKind kind, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        Adjacency *around = around_of(topology, lower, kind);
        const uint32_t *part = parts_of(topology, kind, element, lower, &count);
        for (uint32_t j = 0; around && j < count; j++)
            if (part[j] < around->count)
                adjacency_remove_item(around, part[j], element);
    }
}

/* Whoever names element `last` names it `element`. */
static void rename_element(Topology *topology, DvElementKind kind, uint32_t last, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        Adjacency *around = around_of(topology, lower, kind);
        const uint32_t *part = parts_of(topology, kind, last, lower, &count);
        for (uint32_t j = 0; around && j < count; j++)
            if (part[j] < around->count)
                replace_in_row(around, part[j], last, element);
    }
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        const Adjacency *around = around_of(topology, kind, higher);
        AdjacencyCache *parts = table_of(topology, higher, kind);
        for (uint32_t at = around && parts ? around->begin[last] : 0; around && parts && at < around->end[last]; at++)
            replace_in_row(&parts->adjacency, around->items[at], last, element);
    }
}

/* Whoever has the element as a part misses it from now on: faces of different order share their points, not their edges. */
static void miss_element(Topology *topology, DvElementKind kind, uint32_t element)
{
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        const Adjacency *around = around_of(topology, kind, higher);
        AdjacencyCache *parts = table_of(topology, higher, kind);
        for (uint32_t at = around && parts ? around->begin[element] : 0; around && parts && at < around->end[element];
             at++) {
            replace_in_row(&parts->adjacency, around->items[at], element, INVALID_INDEX);
            parts->missing++;
        }
    }
}

static uint32_t count_missing(const Adjacency *parts, uint32_t element)
{
    uint32_t missing = 0;
    for (uint32_t at = parts->begin[element]; at < parts->end[element]; at++)
        missing += parts->items[at] == INVALID_INDEX;
    return missing;
}

void tables_remove(Topology *topology, DvElementKind kind, uint32_t element, uint32_t last)
{
    tables_take_out(topology, kind, element);
    miss_element(topology, kind, element);
    if (element != last)
        rename_element(topology, kind, last, element);
    for (DvElementKind other = DV_EDGES; other < DV_ELEMENT_KINDS; other++) {
        AdjacencyCache *table = table_of(topology, kind, other);
        if (!table)
            continue;
        if (other < kind)
            table->missing -= count_missing(&table->adjacency, element);
        adjacency_remove_row(&table->adjacency, element);
    }
}

static void sort_around(Topology *topology, DvElementKind kind, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        Adjacency *around = around_of(topology, lower, kind);
        const uint32_t *part = parts_of(topology, kind, element, lower, &count);
        for (uint32_t j = 0; around && j < count; j++)
            if (part[j] < around->count)
                sort_row(topology, lower, kind, around, part[j]);
    }
}

void tables_settle(Topology *topology, DvElementKind kind, uint32_t element)
{
    sort_around(topology, kind, element);
}

static bool same_points(uint32_t nodes, const uint32_t *a, const uint32_t *b)
{
    uint32_t left[4], right[4], difference = 0;
    for (uint32_t i = 0; i < nodes; i++)
        difference += a[i] - b[i];
    if (difference != 0) /* hardly any others are sorted */
        return false;
    memcpy(left, a, nodes * sizeof *a);
    memcpy(right, b, nodes * sizeof *b);
    tuple_sort(nodes, left);
    tuple_sort(nodes, right);
    return memcmp(left, right, nodes * sizeof *a) == 0;
}

/* Counts the list's entries with these points, up to two; the first of them. */
static uint32_t count_equal(Topology *topology, DvElementKind kind, const uint32_t *points, uint32_t *first)
{
    const Adjacency *around = around_of(topology, DV_POINTS, kind);
    const ElementList list = topology_elements(topology, kind);
    uint32_t rarest = points[0], found = 0;
    for (uint32_t j = 0; j < list.nodes; j++) {
        if (!around || points[j] >= around->count)
            return 0;
        if (adjacency_row_length(around, points[j]) < adjacency_row_length(around, rarest))
            rarest = points[j];
    }
    for (uint32_t at = around->begin[rarest]; at < around->end[rarest] && found < 2; at++) {
        const uint32_t element = around->items[at];
        if ((found > 0 && element == *first) ||
            !same_points(list.nodes, list.at + (size_t)element * list.nodes, points))
            continue;
        if (found++ == 0)
            *first = element;
    }
    return found;
}

bool tables_have(Topology *topology, DvElementKind kind, const uint32_t *points)
{
    uint32_t first = INVALID_INDEX;
    return count_equal(topology, kind, points, &first) > 0;
}

/* INVALID_INDEX: there is none, or, of faces, more than one. */
static uint32_t find_element(Topology *topology, DvElementKind kind, const uint32_t *points)
{
    uint32_t first = INVALID_INDEX;
    const uint32_t found = count_equal(topology, kind, points, &first);
    return found == 1 || kind == DV_EDGES ? first : INVALID_INDEX;
}

static void part_points(ElementList elements, const PartTable *table, uint32_t element, uint32_t part, uint32_t *points)
{
    for (uint32_t k = 0; k < table->nodes; k++)
        points[k] = elements.at[(size_t)element * elements.nodes + table->local[part * table->nodes + k]];
}

/* The rows of new elements in a table of their parts. */
static void find_parts(Topology *topology, DvElementKind kind, DvElementKind part, uint32_t first, uint32_t count)
{
    AdjacencyCache *parts = table_of(topology, kind, part);
    const PartTable *table = topology_part_table(kind, part);
    if (!parts || !table)
        return;
    adjacency_append_rows(&parts->adjacency, count);
    const ElementList elements = topology_elements(topology, kind);
    for (uint32_t element = first; element < first + count; element++)
        for (uint32_t j = 0; j < table->parts; j++) {
            uint32_t points[4];
            part_points(elements, table, element, j, points);
            const uint32_t found = find_element(topology, part, points);
            parts->adjacency.items[(size_t)element * table->parts + j] = found;
            parts->missing += found == INVALID_INDEX;
        }
}

/* A new element that others have been missing. */
static void join_higher(Topology *topology, DvElementKind kind, DvElementKind higher, uint32_t element)
{
    AdjacencyCache *parts = table_of(topology, higher, kind);
    Adjacency *up = around_of(topology, kind, higher);
    const Adjacency *around = around_of(topology, DV_POINTS, higher);
    if (!parts || !up || !around || parts->missing == 0)
        return;
    const PartTable *table = topology_part_table(higher, kind);
    const ElementList elements = topology_elements(topology, higher), list = topology_elements(topology, kind);
    const uint32_t *points = list.at + (size_t)element * list.nodes;
    if (points[0] >= around->count || find_element(topology, kind, points) != element)
        return;
    for (uint32_t at = around->begin[points[0]]; at < around->end[points[0]]; at++) {
        const uint32_t other = around->items[at];
        uint32_t *row = parts->adjacency.items + (size_t)other * table->parts;
        for (uint32_t j = 0; j < table->parts; j++) {
            uint32_t candidate[4];
            part_points(elements, table, other, j, candidate);
            if (row[j] != INVALID_INDEX || !same_points(list.nodes, candidate, points))
                continue;
            row[j] = element;
            parts->missing--;
            adjacency_append_item(up, element, other);
        }
    }
    sort_row(topology, kind, higher, up, element);
}

void tables_append(Topology *topology, DvElementKind kind, uint32_t first, uint32_t count)
{
    for (DvElementKind lower = DV_EDGES; lower < kind; lower++)
        find_parts(topology, kind, lower, first, count);
    for (uint32_t element = first; element < first + count; element++) {
        for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
            uint32_t parts;
            Adjacency *around = around_of(topology, lower, kind);
            const uint32_t *part = parts_of(topology, kind, element, lower, &parts);
            for (uint32_t j = 0; around && j < parts; j++)
                if (part[j] < around->count)
                    adjacency_append_item(around, part[j], element);
        }
        sort_around(topology, kind, element);
    }
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        Adjacency *up = around_of(topology, kind, higher);
        if (up)
            adjacency_append_rows(up, count);
        for (uint32_t element = first; up && element < first + count; element++)
            join_higher(topology, kind, higher, element);
    }
}

void tables_append_points(Topology *topology, uint32_t count)
{
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        Adjacency *around = around_of(topology, DV_POINTS, kind);
        if (around)
            adjacency_append_rows(around, count);
    }
}

void tables_remove_point(Topology *topology, uint32_t point)
{
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        Adjacency *around = around_of(topology, DV_POINTS, kind);
        if (around)
            adjacency_remove_row(around, point);
    }
}
