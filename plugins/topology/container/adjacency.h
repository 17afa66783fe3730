/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which elements touch which: functions over plain arrays of point numbers. Those that make a table are linear in the size
 * of the mesh and give the same order whatever machine they run on. Points beyond the last are skipped: a removed point
 * may leave elements behind that still name it. Tables are DvRows, which can be
 * changed in place.
 */
#ifndef DIVAN_TOPOLOGY_ADJACENCY_H
#define DIVAN_TOPOLOGY_ADJACENCY_H

#include <divan/kit/mesh.h>
#include <divan/kit/rows.h>

#define INVALID_INDEX UINT32_MAX

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

/* For each of `points` points the elements that have it as a corner, ascending. */
DvRows adjacency_around_points(ElementList elements, uint32_t points);
/* For each of `parts` parts the elements that have it: `part_of` lists `per_element` parts of each element;
 * INVALID_INDEX and elements to skip are left out. Ascending. */
DvRows adjacency_around_parts(const uint32_t *part_of, ElementList elements, uint32_t per_element, uint32_t parts);
/* The same for triangles around edges: those that run along the edge as it is stored come first, the last of them
 * foremost; then the others, ascending. */
DvRows adjacency_triangles_around_edges(const uint32_t *edge_of, ElementList triangles, ElementList edges);
/* Puts one row of such a table into that order. */
void triangles_around_edge_sort(DvRows *around, uint32_t edge, ElementList triangles, ElementList edges);
/* Points joined to each point by an edge, in the order of the edges. */
DvRows adjacency_points_around_points(ElementList edges, uint32_t points);
/* For each element the others that share a point, in the order of discovery: by its points, then as listed around
 * each. */
DvRows adjacency_elements_around_elements(ElementList elements, const DvRows *around_points);

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
