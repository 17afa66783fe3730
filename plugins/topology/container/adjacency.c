/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adjacency by counting sort (rows of variable length: count, sum up, fill) and shared parts by radix sort of their
 * points (tuples.h). The order of new parts is the order in which a loop over elements and local parts meets them
 * first: masses and springs on edges depend on it.
 */
#include "adjacency.h"

#include <divan/kit/element_tables.h>
#include <divan/kit/tuples.h>

const PartTable triangle_edges = {&dv_edges_in_triangle[0][0], 3, 2};
const PartTable quad_edges = {&dv_edges_in_quad[0][0], 4, 2};
const PartTable tetrahedron_edges = {&dv_edges_in_tetrahedron[0][0], 6, 2};
const PartTable hexahedron_edges = {&dv_edges_in_hexahedron[0][0], 12, 2};
const PartTable tetrahedron_triangles = {&dv_triangles_in_tetrahedron[0][0], 4, 3};
const PartTable hexahedron_quads = {&dv_quads_in_hexahedron[0][0], 6, 4};

static bool skipped(ElementList elements, uint32_t element)
{
    return elements.skip && elements.skip[element] != 0;
}

/* Elements around items, from `per_element` item numbers of each. Numbers beyond the last item are left out. */
static DvRows invert(const uint32_t *item_of, ElementList elements, uint32_t per_element, uint32_t items)
{
    DvRows around = dv_rows_make(items);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.limit[item]++;
        }
    dv_rows_place(&around);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.items[around.end[item]++] = element;
        }
    return around;
}

DvRows adjacency_around_points(ElementList elements, uint32_t points)
{
    return invert(elements.at, elements, elements.nodes, points);
}

DvRows adjacency_around_parts(const uint32_t *part_of, ElementList elements, uint32_t per_element, uint32_t parts)
{
    return invert(part_of, elements, per_element, parts);
}

/* Whether a triangle runs along an edge of its own as it is stored. */
static bool triangle_runs_along(const uint32_t *triangle, const uint32_t *edge)
{
    for (uint32_t j = 0; j < 3; j++)
        if (triangle[j] == edge[0])
            return triangle[(j + 1) % 3] == edge[1];
    return false;
}

void triangles_around_edge_sort(DvRows *around, uint32_t edge, ElementList triangles, ElementList edges)
{
    uint32_t *row = around->items + around->begin[edge];
    const uint32_t *ends = edges.at + (size_t)edge * 2, count = dv_rows_length(around, edge);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t moved = row[i];
        const bool along = triangle_runs_along(triangles.at + (size_t)moved * 3, ends);
        uint32_t at = i;
        for (; at > 0; at--) {
            const bool other = triangle_runs_along(triangles.at + (size_t)row[at - 1] * 3, ends);
            if (along == other ? (along ? row[at - 1] >= moved : row[at - 1] <= moved) : other)
                break;
            row[at] = row[at - 1];
        }
        row[at] = moved;
    }
}

DvRows adjacency_triangles_around_edges(const uint32_t *edge_of, ElementList triangles, ElementList edges)
{
    DvRows around = invert(edge_of, triangles, 3, edges.count);
    for (uint32_t edge = 0; edge < edges.count; edge++)
        triangles_around_edge_sort(&around, edge, triangles, edges);
    return around;
}

DvRows adjacency_points_around_points(ElementList edges, uint32_t points)
{
    DvRows around = invert(edges.at, edges, 2, points);
    for (uint32_t point = 0; point < points; point++)
        for (uint32_t at = around.begin[point]; at < around.end[point]; at++) {
            const uint32_t *ends = edges.at + (size_t)around.items[at] * 2;
            around.items[at] = ends[0] == point ? ends[1] : ends[0];
        }
    return around;
}

DvRows adjacency_elements_around_elements(ElementList elements, const DvRows *around_points)
{
    DvRows around = dv_rows_make(elements.count);
    DvIndexArray found = {0};
    uint32_t *seen = dv_alloc(elements.count, sizeof *seen); /* 1 + the element that met it last */
    for (uint32_t element = 0; element < elements.count; element++) {
        seen[element] = element + 1;
        around.begin[element] = found.count;
        for (uint32_t j = 0; j < elements.nodes && !skipped(elements, element); j++) {
            const uint32_t point = elements.at[(size_t)element * elements.nodes + j];
            if (point >= around_points->count)
                continue;
            for (uint32_t at = around_points->begin[point]; at < around_points->end[point]; at++) {
                const uint32_t other = around_points->items[at];
                if (seen[other] == element + 1)
                    continue;
                seen[other] = element + 1;
                dv_array_push(&found, other);
            }
        }
        around.end[element] = around.limit[element] = found.count;
    }
    dv_free(seen);
    around.items = found.data ? found.data : dv_alloc(0, sizeof *around.items);
    around.used = found.count;
    around.item_capacity = found.capacity;
    return around;
}

/* ---- Parts ---- */

/* The points of part `part` of an element, as the table orders them. */
static void part_points(ElementList elements, const PartTable *table, uint32_t element, uint32_t part, uint32_t *points)
{
    for (uint32_t k = 0; k < table->nodes; k++)
        points[k] = elements.at[(size_t)element * elements.nodes + table->local[part * table->nodes + k]];
}

static inline void sort_tuples_of(uint32_t nodes, uint32_t count, uint32_t *tuples)
{
    for (uint32_t i = 0; i < count; i++)
        dv_tuple_sort(nodes, tuples + (size_t)i * nodes);
}

static void sort_tuples(uint32_t nodes, uint32_t count, uint32_t *tuples)
{
    if (nodes == 2)
        sort_tuples_of(2, count, tuples);
    else if (nodes == 3)
        sort_tuples_of(3, count, tuples);
    else
        sort_tuples_of(4, count, tuples);
}

static inline void write_parts_of(ElementList elements, const PartTable *table, uint32_t nodes, uint32_t *tuple)
{
    for (uint32_t element = 0; element < elements.count; element++) {
        const uint32_t *points = elements.at + (size_t)element * elements.nodes;
        const uint8_t *local = table->local;
        for (uint32_t part = 0; part < table->parts; part++, tuple += nodes, local += nodes) {
            for (uint32_t k = 0; k < nodes; k++)
                tuple[k] = points[local[k]];
            dv_tuple_sort(nodes, tuple);
        }
    }
}

/* The points of all parts of all elements, sorted. */
static void write_parts(ElementList elements, const PartTable *table, uint32_t *tuples)
{
    if (table->nodes == 2)
        write_parts_of(elements, table, 2, tuples);
    else if (table->nodes == 3)
        write_parts_of(elements, table, 3, tuples);
    else
        write_parts_of(elements, table, 4, tuples);
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
    sort_tuples(nodes, known_count, keys);
    write_parts(elements, table, keys + (size_t)known_count * nodes);
    dv_tuples_find_first(nodes, total, keys, first);
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

void parts_create(ElementList elements, const PartTable *table, bool sorted, const uint8_t *skip, DvIndexArray *list,
                  uint32_t *number)
{
    const uint32_t nodes = table->nodes, known = list->count / nodes;
    uint32_t *first = group_parts(elements, table, list->data, known, skip);
    uint32_t different = known, i = known; /* the part at hand, behind the known ones */
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t part = 0; part < table->parts; part++, i++) {
            const uint32_t same = first[i];
            if (number)
                number[i - known] = same == i ? different : same < known ? same : number[same - known];
            if (same != i)
                continue;
            dv_array_reserve(list, ((uint64_t)different + 1) * nodes);
            uint32_t *points = list->data + (size_t)different++ * nodes;
            part_points(elements, table, element, part, points);
            if (sorted)
                dv_tuple_sort(nodes, points);
            list->count += nodes;
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

uint32_t triangles_create(ElementList tetrahedra, bool distinct, DvIndexArray *triangles)
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
            dv_array_push(triangles, rotated[k]);
    }
    dv_free(first);
    return again;
}

void quads_create(ElementList hexahedra, DvIndexArray *quads)
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
            dv_array_push(quads, rotated[k]);
    }
    dv_free(first);
}
