/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adjacency in place; see the header.
 */
#include "table_edits.h"

#include <divan/kit/tuples.h>

/* A table that was made while a list was empty has no rows to go on with. */
static bool fits(Topology *topology, DvElementKind of, const DvRows *table)
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
        dv_rows_free(&cache->adjacency);
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

EditTables tables_of(Topology *topology)
{
    EditTables t = {0};
    for (DvElementKind of = DV_POINTS; of < DV_ELEMENT_KINDS; of++) {
        t.list[of] = topology_elements(topology, of);
        for (DvElementKind to = DV_POINTS; to < DV_ELEMENT_KINDS; to++)
            if ((of == DV_POINTS && to != DV_POINTS) || has_parts(of, to) || has_parts(to, of))
                t.table[of][to] = topology_table(topology, of, to);
    }
    return t;
}

void tables_reserve(Topology *topology)
{
    const EditTables t = tables_of(topology);
    for (DvElementKind of = DV_POINTS; of < DV_ELEMENT_KINDS; of++)
        for (DvElementKind to = DV_POINTS; to < DV_ELEMENT_KINDS; to++)
            if (t.table[of][to])
                dv_rows_reserve(&t.table[of][to]->adjacency);
}

static DvRows *around_of(const EditTables *t, DvElementKind lower, DvElementKind kind)
{
    AdjacencyCache *cache = lower < kind ? t->table[lower][kind] : NULL;
    return cache ? &cache->adjacency : NULL;
}

/* What an element has of a lower kind. */
static const uint32_t *parts_of(const EditTables *t, DvElementKind kind, uint32_t element, DvElementKind lower,
                                uint32_t *count)
{
    const AdjacencyCache *parts = t->table[kind][lower];
    const ElementList *list = &t->list[kind];
    *count = lower == DV_POINTS ? list->nodes : parts ? parts->adjacency.per_row : 0;
    if (*count == 0)
        return NULL;
    return (lower == DV_POINTS ? list->at : parts->adjacency.items) + (size_t)element * *count;
}

/* After the last entry of a row has become a smaller one, or has come. */
static void settle_row(const EditTables *t, DvElementKind lower, DvElementKind kind, DvRows *around, uint32_t row)
{
    if (lower == DV_EDGES && kind == DV_TRIANGLES)
        triangles_around_edge_sort(around, row, t->list[kind], t->list[lower]);
    else
        dv_rows_settle_last(around, row);
}

static void replace(uint32_t *items, uint32_t count, uint32_t old, uint32_t now)
{
    for (uint32_t i = 0; i < count; i++)
        if (items[i] == old)
            items[i] = now;
}

static void replace_in_row(DvRows *table, uint32_t row, uint32_t old, uint32_t now)
{
    replace(table->items + table->begin[row], dv_rows_length(table, row), old, now);
}

static void take_out(const EditTables *t, DvElementKind kind, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        DvRows *around = around_of(t, lower, kind);
        const uint32_t *part = parts_of(t, kind, element, lower, &count);
        for (uint32_t j = 0; around && j < count; j++)
            if (part[j] < around->count)
                dv_rows_remove_item(around, part[j], element);
    }
}

void tables_take_out(Topology *topology, DvElementKind kind, uint32_t element)
{
    const EditTables t = tables_of(topology);
    take_out(&t, kind, element);
}

/* The same of the largest number, in an ascending row. */
static void replace_at_end(DvRows *table, uint32_t row, uint32_t old, uint32_t now)
{
    for (uint32_t at = table->end[row]; at > table->begin[row] && table->items[at - 1] == old; at--)
        table->items[at - 1] = now;
}

/* Whoever names element `last` names it `element`. */
static void rename_element(const EditTables *t, DvElementKind kind, uint32_t last, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        DvRows *around = around_of(t, lower, kind);
        const uint32_t *part = parts_of(t, kind, last, lower, &count);
        const bool ascending = !(lower == DV_EDGES && kind == DV_TRIANGLES);
        for (uint32_t j = 0; around && j < count; j++) {
            if (part[j] >= around->count)
                continue;
            if (ascending)
                replace_at_end(around, part[j], last, element);
            else
                replace_in_row(around, part[j], last, element);
        }
    }
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        const DvRows *around = around_of(t, kind, higher);
        AdjacencyCache *parts = t->table[higher][kind];
        for (uint32_t at = around && parts ? around->begin[last] : 0; around && parts && at < around->end[last]; at++)
            replace_in_row(&parts->adjacency, around->items[at], last, element);
    }
}

/* Whoever has the element as a part misses it from now on: faces of different order share their points, not their edges. */
static void miss_element(const EditTables *t, DvElementKind kind, uint32_t element)
{
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        const DvRows *around = around_of(t, kind, higher);
        AdjacencyCache *parts = t->table[higher][kind];
        for (uint32_t at = around && parts ? around->begin[element] : 0; around && parts && at < around->end[element];
             at++) {
            replace_in_row(&parts->adjacency, around->items[at], element, INVALID_INDEX);
            parts->missing++;
        }
    }
}

static uint32_t count_missing(const DvRows *parts, uint32_t element)
{
    uint32_t missing = 0;
    for (uint32_t at = parts->begin[element]; at < parts->end[element]; at++)
        missing += parts->items[at] == INVALID_INDEX;
    return missing;
}

void tables_remove(const EditTables *t, DvElementKind kind, uint32_t element, uint32_t last)
{
    take_out(t, kind, element);
    miss_element(t, kind, element);
    if (element != last)
        rename_element(t, kind, last, element);
    for (DvElementKind other = DV_EDGES; other < DV_ELEMENT_KINDS; other++) {
        AdjacencyCache *table = t->table[kind][other];
        if (!table)
            continue;
        if (other < kind)
            table->missing -= count_missing(&table->adjacency, element);
        dv_rows_remove(&table->adjacency, element);
    }
}

void tables_settle(const EditTables *t, DvElementKind kind, uint32_t element)
{
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++) {
        uint32_t count;
        DvRows *around = around_of(t, lower, kind);
        const uint32_t *part = parts_of(t, kind, element, lower, &count);
        for (uint32_t j = 0; around && j < count; j++)
            if (part[j] < around->count)
                settle_row(t, lower, kind, around, part[j]);
    }
}

/* The same points in any order. Hardly any others have the same sum. */
static inline bool same_points(uint32_t nodes, const uint32_t *a, const uint32_t *b, uint32_t sum)
{
    uint32_t left[4], right[4];
    for (uint32_t i = 0; i < nodes; i++)
        sum -= a[i];
    if (sum != 0)
        return false;
    memcpy(left, a, nodes * sizeof *a);
    memcpy(right, b, nodes * sizeof *b);
    dv_tuple_sort(nodes, left);
    dv_tuple_sort(nodes, right);
    return memcmp(left, right, nodes * sizeof *a) == 0;
}

static inline uint32_t sum_of(uint32_t nodes, const uint32_t *points)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < nodes; i++)
        sum += points[i];
    return sum;
}

/* Counts the list's entries with these points, up to two; the first of them. */
static inline uint32_t count_equal_of(uint32_t nodes, const DvRows *around, const uint32_t *list,
                                      const uint32_t *points, uint32_t *first)
{
    uint32_t rarest = points[0], found = 0;
    for (uint32_t j = 0; j < nodes; j++) {
        if (points[j] >= around->count)
            return 0;
        if (dv_rows_length(around, points[j]) < dv_rows_length(around, rarest))
            rarest = points[j];
    }
    const uint32_t sum = sum_of(nodes, points);
    for (uint32_t at = around->begin[rarest]; at < around->end[rarest] && found < 2; at++) {
        const uint32_t element = around->items[at];
        if (!same_points(nodes, list + (size_t)element * nodes, points, sum) || (found > 0 && element == *first))
            continue;
        if (found++ == 0)
            *first = element;
    }
    return found;
}

static uint32_t count_equal(const EditTables *t, DvElementKind kind, const uint32_t *points, uint32_t *first)
{
    const DvRows *around = around_of(t, DV_POINTS, kind);
    const uint32_t *list = t->list[kind].at;
    switch (around ? t->list[kind].nodes : 0) {
    case 2:
        return count_equal_of(2, around, list, points, first);
    case 3:
        return count_equal_of(3, around, list, points, first);
    case 4:
        return count_equal_of(4, around, list, points, first);
    default:
        return 0;
    }
}

bool tables_find(const EditTables *t, DvElementKind kind, const uint32_t *points, uint32_t *number)
{
    uint32_t first = INVALID_INDEX;
    const uint32_t found = count_equal(t, kind, points, &first);
    *number = found == 1 || kind == DV_EDGES ? first : INVALID_INDEX;
    return found > 0;
}

static void part_points(const ElementList *elements, const PartTable *table, uint32_t element, uint32_t part,
                        uint32_t *points)
{
    for (uint32_t k = 0; k < table->nodes; k++)
        points[k] = elements->at[(size_t)element * elements->nodes + table->local[part * table->nodes + k]];
}

/* The rows of new elements in a table of their parts, from the numbers of these. */
static void write_parts(const EditTables *t, DvElementKind kind, DvElementKind part, uint32_t first, uint32_t count,
                        const uint32_t *number)
{
    AdjacencyCache *parts = t->table[kind][part];
    const PartTable *table = topology_part_table(kind, part);
    if (!parts || !table)
        return;
    dv_rows_append(&parts->adjacency, count);
    const size_t begin = (size_t)first * table->parts, numbers = (size_t)count * table->parts;
    memcpy(parts->adjacency.items + begin, number, numbers * sizeof *number);
    for (size_t i = 0; i < numbers; i++)
        parts->missing += number[i] == INVALID_INDEX;
}

/* A new element that others have been missing. */
static void join_higher(const EditTables *t, DvElementKind kind, DvElementKind higher, uint32_t element)
{
    AdjacencyCache *parts = t->table[higher][kind];
    DvRows *up = around_of(t, kind, higher);
    const DvRows *around = around_of(t, DV_POINTS, higher);
    if (!parts || !up || !around || parts->missing == 0)
        return;
    const PartTable *table = topology_part_table(higher, kind);
    const ElementList *elements = &t->list[higher], *list = &t->list[kind];
    const uint32_t *points = list->at + (size_t)element * list->nodes, sum = sum_of(list->nodes, points);
    uint32_t found;
    if (points[0] >= around->count || !tables_find(t, kind, points, &found) || found != element)
        return;
    for (uint32_t at = around->begin[points[0]]; at < around->end[points[0]]; at++) {
        const uint32_t other = around->items[at];
        uint32_t *row = parts->adjacency.items + (size_t)other * table->parts;
        for (uint32_t j = 0; j < table->parts; j++) {
            uint32_t candidate[4];
            part_points(elements, table, other, j, candidate);
            if (row[j] != INVALID_INDEX || !same_points(list->nodes, candidate, points, sum))
                continue;
            row[j] = element;
            parts->missing--;
            dv_rows_push(up, element, other);
            settle_row(t, kind, higher, up, element);
        }
    }
}

/* A new element is the last one in each row but those of triangles around edges. */
static void append_around(const EditTables *t, DvElementKind kind, DvElementKind lower, uint32_t element)
{
    uint32_t parts;
    DvRows *around = around_of(t, lower, kind);
    const uint32_t *part = parts_of(t, kind, element, lower, &parts);
    const bool ordered = lower == DV_EDGES && kind == DV_TRIANGLES;
    for (uint32_t j = 0; around && j < parts; j++)
        if (part[j] < around->count)
            dv_rows_push(around, part[j], element);
    for (uint32_t j = 0; ordered && around && j < parts; j++)
        if (part[j] < around->count)
            settle_row(t, lower, kind, around, part[j]);
}

void tables_append(Topology *topology, DvElementKind kind, uint32_t first, uint32_t count,
                   const uint32_t *const parts[DV_ELEMENT_KINDS])
{
    const EditTables t = tables_of(topology);
    for (DvElementKind lower = DV_EDGES; lower < kind; lower++)
        write_parts(&t, kind, lower, first, count, parts[lower]);
    for (DvElementKind lower = DV_POINTS; lower < kind; lower++)
        for (uint32_t element = first; element < first + count && around_of(&t, lower, kind); element++)
            append_around(&t, kind, lower, element);
    for (DvElementKind higher = kind + 1; higher < DV_ELEMENT_KINDS; higher++) {
        DvRows *up = around_of(&t, kind, higher);
        if (up)
            dv_rows_append(up, count);
        for (uint32_t element = first; up && element < first + count; element++)
            join_higher(&t, kind, higher, element);
    }
}

void tables_append_points(Topology *topology, uint32_t count)
{
    const EditTables t = tables_of(topology);
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        DvRows *around = around_of(&t, DV_POINTS, kind);
        if (around)
            dv_rows_append(around, count);
    }
}

void tables_remove_point(Topology *topology, uint32_t point)
{
    const EditTables t = tables_of(topology);
    for (DvElementKind kind = DV_EDGES; kind < DV_ELEMENT_KINDS; kind++) {
        DvRows *around = around_of(&t, DV_POINTS, kind);
        if (around)
            dv_rows_remove(around, point);
    }
}
