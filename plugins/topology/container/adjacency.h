/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which elements touch which: functions over plain arrays of point numbers. Those that make a table are linear in the size
 * of the mesh and give the same order whatever machine they run on. Points beyond the last are skipped: a removed point
 * may leave elements behind that still name it.
 *
 * A table is changed in place, row by row. A row that outgrows its room moves to the end of the items with twice the room;
 * when more than half of the items are room that nobody uses, all rows are packed again: a change costs what it touches,
 * on average over many.
 */
#ifndef DIVAN_TOPOLOGY_ADJACENCY_H
#define DIVAN_TOPOLOGY_ADJACENCY_H

#include "mesh/mesh.h"

/* Items of row i: items[begin[i]] .. items[end[i] - 1]. Rows may lie anywhere. */
typedef struct Adjacency {
    uint32_t *begin, *end; /* [count]; rows of constant length: end is begin + 1 */
    uint32_t *items;
    uint32_t count;
    uint32_t per_row;  /* rows of constant length: that; 0: each has its own */
    uint32_t *limit;   /* [count] where the room of a row ends; NULL for constant length */
    uint32_t capacity; /* rows there is room for */
    uint32_t used;     /* items that belong to the room of some row, or did */
    uint32_t lost;     /* of these: of rows that have moved or gone */
    uint32_t room;     /* items there is room for */
    bool borrowed;     /* the items belong to somebody else */
} Adjacency;

/* `count` elements of `nodes` points each. `skip`, if not NULL, is not 0 for elements that do not count. */
typedef struct ElementList {
    const uint32_t *at; /* [count] x nodes */
    uint32_t count, nodes;
    const uint8_t *skip; /* [count] */
} ElementList;

/* The parts of one element by local point numbers: `parts` rows of `nodes`. */
typedef struct PartTable {
    const uint8_t *local;
    uint32_t parts, nodes;
} PartTable;

extern const PartTable triangle_edges, quad_edges, tetrahedron_edges, hexahedron_edges, tetrahedron_triangles,
    hexahedron_quads;

void adjacency_free(Adjacency *adjacency);

/* For each of `points` points the elements that have it as a corner, ascending. */
Adjacency adjacency_around_points(ElementList elements, uint32_t points);
/* For each of `parts` parts the elements that have it: `part_of` lists `per_element` parts of each element;
 * INVALID_INDEX and elements to skip are left out. Ascending. */
Adjacency adjacency_around_parts(const uint32_t *part_of, ElementList elements, uint32_t per_element, uint32_t parts);
/* The same for triangles around edges: those that run along the edge as it is stored come first, the last of them
 * foremost; then the others, ascending. */
Adjacency adjacency_triangles_around_edges(const uint32_t *edge_of, ElementList triangles, ElementList edges);
/* Puts one row of such a table into that order. */
void triangles_around_edge_sort(Adjacency *around, uint32_t edge, ElementList triangles, ElementList edges);
/* Whether a triangle runs along an edge of its own as it is stored. */
bool triangle_runs_along(const uint32_t *triangle, const uint32_t *edge);
/* Points joined to each point by an edge, in the order of the edges. */
Adjacency adjacency_points_around_points(ElementList edges, uint32_t points);
/* For each element the others that share a point, in the order of discovery: by its points, then as listed around
 * each. */
Adjacency adjacency_elements_around_elements(ElementList elements, const Adjacency *around_points);
/* Rows of constant length as an adjacency, which takes the items. */
Adjacency adjacency_rows(uint32_t *items, uint32_t count, uint32_t per_row);

/* Changes in place. */
static inline uint32_t adjacency_row_length(const Adjacency *table, uint32_t row)
{
    return table->end[row] - table->begin[row];
}
/* Takes one of the entries `item` out; the others keep their order. Nothing if there is none. */
void adjacency_remove_item(Adjacency *table, uint32_t row, uint32_t item);
/* Moves a row to where it has room for more. */
void adjacency_enlarge_row(Adjacency *table, uint32_t row);
static inline void adjacency_append_item(Adjacency *table, uint32_t row, uint32_t item)
{
    if (table->end[row] == table->limit[row])
        adjacency_enlarge_row(table, row);
    table->items[table->end[row]++] = item;
}
/* The last row becomes row `row`. */
void adjacency_remove_row(Adjacency *table, uint32_t row);
/* Room for a quarter more of rows and items. */
void adjacency_reserve(Adjacency *table);
/* Empty rows at the end; those of constant length hold INVALID_INDEX. */
void adjacency_append_rows(Adjacency *table, uint32_t count);
/* Ascending again, after the last entry has come or become another one. */
void adjacency_settle_last(Adjacency *table, uint32_t row);

/* For each element and part: the number of the list's entry with the same points in any order, or INVALID_INDEX when
 * there is none, or, for `unique`, more than one. found: [elements.count x table->parts]. Returns how many are
 * invalid. */
uint32_t parts_find(ElementList elements, const PartTable *table, ElementList list, bool unique, uint32_t *found);

/* Appends the parts of the elements that the list lacks (taking points in any order), in the order of elements and
 * local parts. Points are stored ascending if `sorted`, otherwise as the table has them. `skip` as in ElementList, of
 * the list; or NULL. number: NULL, or [elements.count x table->parts] where each part is in the list. */
void parts_create(ElementList elements, const PartTable *table, bool sorted, const uint8_t *skip, DvIndexArray *list,
                  uint32_t *number);
/* Faces of tetrahedra, outward, smallest point first. A face is new unless its reverse is listed already; one that
 * appears again in the same direction (tetrahedra of opposite orientation) is added again, or, with `distinct`, not.
 * Returns how many appeared again. */
uint32_t triangles_create(ElementList tetrahedra, bool distinct, DvIndexArray *triangles);
/* Faces of hexahedra, outward, smallest point first, each once. */
void quads_create(ElementList hexahedra, DvIndexArray *quads);

#endif
