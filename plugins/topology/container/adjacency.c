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

void adjacency_free(Adjacency *table)
{
    dv_free(table->begin);
    if (table->per_row == 0)
        dv_free(table->end);
    dv_free(table->limit);
    if (!table->borrowed)
        dv_free(table->items);
    *table = (Adjacency){0};
}

static bool skipped(ElementList elements, uint32_t element)
{
    return elements.skip && elements.skip[element] != 0;
}

/* Empty rows. */
static Adjacency make_rows(uint32_t count)
{
    return (Adjacency){.begin = dv_alloc(count, sizeof(uint32_t)),
                       .end = dv_alloc(count, sizeof(uint32_t)),
                       .limit = dv_alloc(count, sizeof(uint32_t)),
                       .count = count,
                       .capacity = count};
}

/* Turns lengths in `limit` into room for as many items; the rows are empty still. */
static void make_room(Adjacency *table)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        table->begin[i] = table->end[i] = sum;
        sum += table->limit[i];
        table->limit[i] = sum;
    }
    table->items = dv_alloc(sum, sizeof *table->items);
    table->used = table->room = sum;
}

/* Elements around items, from `per_element` item numbers of each. Numbers beyond the last item are left out. */
static Adjacency invert(const uint32_t *item_of, ElementList elements, uint32_t per_element, uint32_t items)
{
    Adjacency around = make_rows(items);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.limit[item]++;
        }
    make_room(&around);
    for (uint32_t element = 0; element < elements.count; element++)
        for (uint32_t j = 0; j < per_element && !skipped(elements, element); j++) {
            const uint32_t item = item_of[(size_t)element * per_element + j];
            if (item < items)
                around.items[around.end[item]++] = element;
        }
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

bool triangle_runs_along(const uint32_t *triangle, const uint32_t *edge)
{
    for (uint32_t j = 0; j < 3; j++)
        if (triangle[j] == edge[0])
            return triangle[(j + 1) % 3] == edge[1];
    return false;
}

void triangles_around_edge_sort(Adjacency *around, uint32_t edge, ElementList triangles, ElementList edges)
{
    uint32_t *row = around->items + around->begin[edge];
    const uint32_t *ends = edges.at + (size_t)edge * 2, count = adjacency_row_length(around, edge);
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

Adjacency adjacency_triangles_around_edges(const uint32_t *edge_of, ElementList triangles, ElementList edges)
{
    Adjacency around = invert(edge_of, triangles, 3, edges.count);
    for (uint32_t edge = 0; edge < edges.count; edge++)
        triangles_around_edge_sort(&around, edge, triangles, edges);
    return around;
}

Adjacency adjacency_points_around_points(ElementList edges, uint32_t points)
{
    Adjacency around = invert(edges.at, edges, 2, points);
    for (uint32_t point = 0; point < points; point++)
        for (uint32_t at = around.begin[point]; at < around.end[point]; at++) {
            const uint32_t *ends = edges.at + (size_t)around.items[at] * 2;
            around.items[at] = ends[0] == point ? ends[1] : ends[0];
        }
    return around;
}

Adjacency adjacency_elements_around_elements(ElementList elements, const Adjacency *around_points)
{
    Adjacency around = make_rows(elements.count);
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
    around.room = found.capacity;
    return around;
}

/* begin[i] = i x per_row for the rows from `first` on. */
static void place_constant_rows(Adjacency *table, uint32_t first)
{
    for (uint32_t i = first; i <= table->capacity; i++)
        table->begin[i] = i * table->per_row;
    table->end = table->begin + 1;
}

Adjacency adjacency_rows(uint32_t *items, uint32_t count, uint32_t per_row)
{
    Adjacency rows = {.items = items, .count = count, .per_row = per_row, .capacity = count, .room = count * per_row};
    rows.begin = dv_alloc((size_t)count + 1, sizeof(uint32_t));
    place_constant_rows(&rows, 0);
    return rows;
}

/* ---- Changes in place ---- */

static uint32_t larger(uint32_t capacity, uint32_t need)
{
    const uint64_t twice = 2 * (uint64_t)capacity;
    return twice > UINT32_MAX ? UINT32_MAX : need > twice ? need : (uint32_t)twice;
}

static void set_capacity(Adjacency *table, uint32_t capacity)
{
    const uint32_t old = table->capacity;
    const size_t extra = table->per_row > 0 ? 1 : 0, bytes = sizeof(uint32_t);
    table->capacity = capacity;
    table->begin = dv_realloc(table->begin, (old + extra) * bytes, (capacity + extra) * bytes);
    if (table->per_row > 0) {
        place_constant_rows(table, old);
        return;
    }
    table->end = dv_realloc(table->end, old * bytes, capacity * bytes);
    table->limit = dv_realloc(table->limit, old * bytes, capacity * bytes);
}

static void set_room(Adjacency *table, uint32_t room)
{
    table->items = dv_realloc(table->items, table->room * sizeof *table->items, room * sizeof *table->items);
    table->room = room;
}

void adjacency_reserve(Adjacency *table)
{
    const uint32_t used = table->per_row > 0 ? table->count * table->per_row : table->used;
    if (table->capacity < table->count + table->count / 4)
        set_capacity(table, table->count + table->count / 4);
    if (!table->borrowed && table->room < used + used / 4)
        set_room(table, used + used / 4);
}

void adjacency_append_rows(Adjacency *table, uint32_t count)
{
    const uint32_t rows = table->count + count;
    const bool constant = table->per_row > 0;
    if (rows > table->capacity)
        set_capacity(table, larger(table->capacity, rows));
    for (uint32_t i = table->count; !constant && i < rows; i++)
        table->begin[i] = table->end[i] = table->limit[i] = 0;
    const size_t first = (size_t)table->count * table->per_row, items = (size_t)rows * table->per_row;
    table->count = rows;
    if (!constant || table->borrowed)
        return;
    if (items > table->room)
        set_room(table, larger(table->room, (uint32_t)items));
    memset(table->items + first, 0xff, (items - first) * sizeof *table->items);
}

/* All rows one after the other, with half as much room again as they need. */
static void pack(Adjacency *table)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < table->count; i++)
        sum += adjacency_row_length(table, i) * 3 / 2;
    uint32_t *items = dv_alloc((size_t)sum, sizeof *items), at = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t length = adjacency_row_length(table, i);
        memcpy(items + at, table->items + table->begin[i], length * sizeof *items);
        table->begin[i] = at;
        table->end[i] = at + length;
        table->limit[i] = at + length * 3 / 2;
        at = table->limit[i];
    }
    dv_free(table->items);
    table->items = items;
    table->used = table->room = at;
    table->lost = 0;
}

void adjacency_enlarge_row(Adjacency *table, uint32_t row)
{
    const uint32_t length = adjacency_row_length(table, row);
    const uint32_t typical = table->count ? (table->used - table->lost) / table->count + 1 : 1; /* room of a row */
    const uint32_t want = 2 * length > typical ? 2 * length : typical;
    if (table->lost > table->used / 2 && table->lost > 1024) {
        pack(table);
        if (table->end[row] < table->limit[row])
            return;
    }
    if (table->used + (uint64_t)want > table->room)
        set_room(table, larger(table->room, table->used + want));
    memcpy(table->items + table->used, table->items + table->begin[row], length * sizeof *table->items);
    table->lost += table->limit[row] - table->begin[row];
    table->begin[row] = table->used;
    table->end[row] = table->used + length;
    table->used += want;
    table->limit[row] = table->used;
}

void adjacency_remove_item(Adjacency *table, uint32_t row, uint32_t item)
{
    uint32_t at = table->begin[row];
    const uint32_t end = table->end[row];
    while (at < end && table->items[at] != item)
        at++;
    if (at == end)
        return;
    memmove(table->items + at, table->items + at + 1, (end - at - 1) * sizeof *table->items);
    table->end[row]--;
}

void adjacency_remove_row(Adjacency *table, uint32_t row)
{
    const uint32_t last = --table->count, per_row = table->per_row;
    if (per_row > 0) {
        if (!table->borrowed && row != last)
            memcpy(table->items + (size_t)row * per_row, table->items + (size_t)last * per_row,
                   per_row * sizeof *table->items);
        return;
    }
    table->lost += table->limit[row] - table->begin[row];
    table->begin[row] = table->begin[last];
    table->end[row] = table->end[last];
    table->limit[row] = table->limit[last];
}

/* Equal ones are passed, so that, where several of the last entries have become the same, as many calls move them all. */
void adjacency_settle_last(Adjacency *table, uint32_t row)
{
    if (table->begin[row] == table->end[row])
        return;
    uint32_t *items = table->items + table->begin[row], last = adjacency_row_length(table, row) - 1;
    const uint32_t moved = items[last];
    uint32_t low = 0, high = last;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (items[middle] < moved)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(items + low + 1, items + low, (last - low) * sizeof *items);
    items[low] = moved;
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
        tuple_sort(nodes, tuples + (size_t)i * nodes);
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
            tuple_sort(nodes, tuple);
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
                tuple_sort(nodes, points);
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
