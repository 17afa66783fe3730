/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adjacency by counting sort (rows of variable length: count, sum up, fill) and shared parts by radix sort of their
 * points (tuples.h). The order of new parts is the order in which a loop over elements and local parts meets them
 * first: masses and springs on edges depend on it.
 */
#include "adjacency.h"

#include "mesh/element_tables.h"
#include "mesh/tuples.h"

const PartTable triangle_edges = {&edges_in_triangle[0][0], 3, 2};
const PartTable quad_edges = {&edges_in_quad[0][0], 4, 2};
const PartTable tetrahedron_edges = {&edges_in_tetrahedron[0][0], 6, 2};
const PartTable hexahedron_edges = {&edges_in_hexahedron[0][0], 12, 2};
const PartTable tetrahedron_triangles = {&triangles_in_tetrahedron[0][0], 4, 3};
const PartTable hexahedron_quads = {&quads_in_hexahedron[0][0], 6, 4};

void adjacency_free(Adjacency *adjacency)
{
    dv_free(adjacency->start);
    dv_free(adjacency->items);
    *adjacency = (Adjacency){0};
}

static bool skipped(ElementList elements, uint32_t element)
{
    return elements.skip && elements.skip[element] != 0;
}

/* Turns counts in start[i + 1] into starts and makes room for the items. */
static void sum_up(Adjacency *adjacency)
{
    for (uint32_t i = 0; i < adjacency->count; i++)
        adjacency->start[i + 1] += adjacency->start[i];
    adjacency->items = dv_alloc(adjacency->start[adjacency->count], sizeof *adjacency->items);
}

static Adjacency make_rows(uint32_t count)
{
    return (Adjacency){.start = dv_alloc((size_t)count + 1, sizeof(uint32_t)), .count = count};
}

/* Elements around items, from `per_element` item numbers of each. Numbers beyond the last item are left out. */
static Adjacency invert(const uint32_t *item_of, ElementList elements, uint32_t per_element, uint32_t items)
{
    Adjacency around = make_rows(items);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.start[item + 1]++;
        }
    sum_up(&around);
    uint32_t *fill = dv_alloc(items, sizeof *fill);
    memcpy(fill, around.start, items * sizeof *fill);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.items[fill[item]++] = element;
        }
    dv_free(fill);
    return around;
}

Adjacency adjacency_around_points(ElementList elements, uint32_t points)
{
    return invert(elements.at, elements, elements.nodes, points);
}

Adjacency adjacency_around_parts(const uint32_t *part_of, ElementList elements, uint32_t per_element, uint32_t parts)
{
    return invert(part_of, elements, per_element, parts);
}

static bool runs_along(ElementList triangles, uint32_t triangle, uint32_t j, ElementList edges, uint32_t edge)
{
    return edges.at[(size_t)edge * 2] == triangles.at[(size_t)triangle * 3 + (j + 1) % 3];
}

Adjacency adjacency_triangles_around_edges(const uint32_t *edge_of, ElementList triangles, ElementList edges)
{
    Adjacency around = make_rows(edges.count);
    uint32_t *along = dv_alloc(edges.count, sizeof *along); /* per edge: how many run along it */
    for (uint32_t triangle = 0; triangle < triangles.count; triangle++)
        for (uint32_t j = 0; j < 3 && !skipped(triangles, triangle); j++) {
            const uint32_t edge = edge_of[(size_t)triangle * 3 + j];
            if (edge >= edges.count)
                continue;
            around.start[edge + 1]++;
            along[edge] += runs_along(triangles, triangle, j, edges, edge);
        }
    sum_up(&around);
    uint32_t *front = dv_alloc(edges.count, sizeof *front), *back = dv_alloc(edges.count, sizeof *back);
    for (uint32_t edge = 0; edge < edges.count; edge++)
        front[edge] = back[edge] = around.start[edge] + along[edge];
    for (uint32_t triangle = 0; triangle < triangles.count; triangle++)
        for (uint32_t j = 0; j < 3 && !skipped(triangles, triangle); j++) {
            const uint32_t edge = edge_of[(size_t)triangle * 3 + j];
            if (edge < edges.count)
                around.items[runs_along(triangles, triangle, j, edges, edge) ? --front[edge] : back[edge]++] = triangle;
        }
    dv_free(along);
    dv_free(front);
    dv_free(back);
    return around;
}

Adjacency adjacency_points_around_points(ElementList edges, uint32_t points)
{
    Adjacency around = invert(edges.at, edges, 2, points);
    for (uint32_t point = 0; point < points; point++)
        for (uint32_t at = around.start[point]; at < around.start[point + 1]; at++) {
            const uint32_t *ends = edges.at + (size_t)around.items[at] * 2;
            around.items[at] = ends[0] == point ? ends[1] : ends[0];
        }
    return around;
}

Adjacency adjacency_elements_around_elements(ElementList elements, const Adjacency *around_points)
{
    Adjacency around = make_rows(elements.count);
    IndexArray found = {0};
    uint32_t *seen = dv_alloc(elements.count, sizeof *seen); /* 1 + the element that met it last */
    for (uint32_t element = 0; element < elements.count; element++) {
        seen[element] = element + 1;
        for (uint32_t j = 0; j < elements.nodes && !skipped(elements, element); j++) {
            const uint32_t point = elements.at[(size_t)element * elements.nodes + j];
            if (point >= around_points->count)
                continue;
            for (uint32_t at = around_points->start[point]; at < around_points->start[point + 1]; at++) {
                const uint32_t other = around_points->items[at];
                if (seen[other] == element + 1)
                    continue;
                seen[other] = element + 1;
                array_push(&found, other);
            }
        }
        around.start[element + 1] = found.count;
    }
    dv_free(seen);
    around.items = found.data ? found.data : dv_alloc(0, sizeof *around.items);
    return around;
}

Adjacency adjacency_rows(const uint32_t *items, uint32_t count, uint32_t per_row)
{
    Adjacency rows = make_rows(count);
    rows.items = dv_alloc((size_t)count * per_row, sizeof *rows.items);
    for (uint32_t i = 0; i < count; i++)
        rows.start[i + 1] = (i + 1) * per_row;
    if (count)
        memcpy(rows.items, items, (size_t)count * per_row * sizeof *items);
    return rows;
}

/* The points of part `part` of an element, as the table orders them. */
static void part_points(ElementList elements, const PartTable *table, uint32_t element, uint32_t part, uint32_t *points)
{
    for (uint32_t k = 0; k < table->nodes; k++)
        points[k] = elements.at[(size_t)element * elements.nodes + table->local[part * table->nodes + k]];
}

/* First of its kind among the `known` tuples followed by all parts of all elements, by sorted points. Known tuples to
 * skip equal no part. */
static uint32_t *group_parts(ElementList elements, const PartTable *table, const uint32_t *known, uint32_t known_count,
                             const uint8_t *skip)
{
    const uint32_t nodes = table->nodes, total = known_count + elements.count * table->parts;
    uint32_t *keys = dv_alloc((size_t)total * nodes, sizeof *keys), *first = dv_alloc(total, sizeof *first);
    if (known_count)
        memcpy(keys, known, (size_t)known_count * nodes * sizeof *keys);
    for (uint32_t i = 0; skip && i < known_count; i++)
        if (skip[i])
            memset(keys + (size_t)i * nodes, 0xff, nodes * sizeof *keys);
    uint32_t *key = keys + (size_t)known_count * nodes;
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t part = 0; part < table->parts; part++, key += nodes)
            part_points(elements, table, element, part, key);
    for (uint32_t i = 0; i < total; i++)
        tuple_sort(nodes, keys + (size_t)i * nodes);
    tuples_find_first(nodes, total, keys, first);
    dv_free(keys);
    return first;
}

uint32_t parts_find(ElementList elements, const PartTable *table, ElementList list, bool unique, uint32_t *found)
{
    uint32_t *first = group_parts(elements, table, list.at, list.count, list.skip);
    const uint32_t total = elements.count * table->parts;
    bool *repeated = dv_alloc(list.count, sizeof *repeated);
    for (uint32_t i = 0; i < list.count; i++)
        repeated[first[i]] |= first[i] != i;
    uint32_t invalid = 0;
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t entry = first[list.count + i];
        const bool good = entry < list.count && !(unique && repeated[entry]);
        found[i] = good ? entry : INVALID_INDEX;
        invalid += !good;
    }
    dv_free(repeated);
    dv_free(first);
    return invalid;
}

void parts_create(ElementList elements, const PartTable *table, bool sorted, const uint8_t *skip, IndexArray *list)
{
    const uint32_t nodes = table->nodes, known = list->count / nodes;
    uint32_t *first = group_parts(elements, table, list->data, known, skip);
    for (uint32_t i = 0; i < elements.count * table->parts; i++) {
        if (first[known + i] != known + i)
            continue;
        uint32_t part[4] = {0};
        part_points(elements, table, i / table->parts, i % table->parts, part);
        if (sorted)
            tuple_sort(nodes, part);
        for (uint32_t k = 0; k < nodes; k++)
            array_push(list, part[k]);
    }
    dv_free(first);
}

/* Rotates a cycle so that its smallest point comes first. */
static void rotate(uint32_t nodes, const uint32_t *cycle, uint32_t *rotated)
{
    uint32_t smallest = 0;
    for (uint32_t k = 1; k < nodes; k++)
        if (cycle[k] < cycle[smallest])
            smallest = k;
    for (uint32_t k = 0; k < nodes; k++)
        rotated[k] = cycle[(smallest + k) % nodes];
}

uint32_t triangles_create(ElementList tetrahedra, bool distinct, IndexArray *triangles)
{
    const PartTable *table = &tetrahedron_triangles;
    uint32_t *first = group_parts(tetrahedra, table, NULL, 0, NULL);
    uint32_t again = 0;
    for (uint32_t i = 0; i < tetrahedra.count * 4; i++) {
        uint32_t face[3], rotated[3];
        part_points(tetrahedra, table, i / 4, i % 4, face);
        rotate(3, face, rotated);
        if (first[i] != i) {
            uint32_t origin[3];
            part_points(tetrahedra, table, first[i] / 4, first[i] % 4, face);
            rotate(3, face, origin);
            if (rotated[1] != origin[1])
                continue; /* the reverse of a listed face */
            again++;
            if (distinct)
                continue;
        }
        for (int k = 0; k < 3; k++)
            array_push(triangles, rotated[k]);
    }
    dv_free(first);
    return again;
}

void quads_create(ElementList hexahedra, IndexArray *quads)
{
    const PartTable *table = &hexahedron_quads;
    uint32_t *first = group_parts(hexahedra, table, NULL, 0, NULL);
    for (uint32_t i = 0; i < hexahedra.count * 6; i++) {
        if (first[i] != i)
            continue;
        uint32_t face[4], rotated[4];
        part_points(hexahedra, table, i / 6, i % 6, face);
        rotate(4, face, rotated);
        for (int k = 0; k < 4; k++)
            array_push(quads, rotated[k]);
    }
    dv_free(first);
}
