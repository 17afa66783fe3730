/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The adjacency of a set container, changed in place while its lists change: what is touched are the rows of the elements
 * and points concerned, and of those that take their numbers. The order in the rows stays that of a table made anew.
 */
#ifndef DIVAN_TOPOLOGY_TABLE_EDITS_H
#define DIVAN_TOPOLOGY_TABLE_EDITS_H

#include "topology.h"

/* The tables and lists of a container at hand, while they stay where they are. */
typedef struct EditTables {
    ElementList list[DV_ELEMENT_KINDS];
    AdjacencyCache *table[DV_ELEMENT_KINDS][DV_ELEMENT_KINDS]; /* NULL: there is none that is kept up */
} EditTables;

EditTables tables_of(Topology *topology);

/* Makes the tables that edits need, before the lists change: the elements around points, the parts of the elements, and
 * the elements around these. */
void tables_prepare(Topology *topology);

/* Room in them for a quarter more, so that the first edits need not ask for it. */
void tables_reserve(Topology *topology);

/* Whether the list has an element with these points, in any order. number: of the first; INVALID_INDEX: there is none, or, of faces, more
 * than one. */
bool tables_find(const EditTables *t, DvElementKind kind, const uint32_t *points, uint32_t *number);

/* Element `element` goes and the last one, `last`, takes its number: to be called before the list is changed, then
 * tables_settle after the row of the list has been copied. */
void tables_remove(const EditTables *t, DvElementKind kind, uint32_t element, uint32_t last);
void tables_settle(const EditTables *t, DvElementKind kind, uint32_t element);
/* The list has `count` more elements. parts: by kind, the numbers of their parts, as tables_find gives them. */
void tables_append(Topology *topology, DvElementKind kind, uint32_t first, uint32_t count,
                   const uint32_t *const parts[DV_ELEMENT_KINDS]);
/* An element names a point that has gone: no table names it any more. */
void tables_take_out(Topology *topology, DvElementKind kind, uint32_t element);

void tables_append_points(Topology *topology, uint32_t count);
/* The last point has become point `point` in the lists. */
void tables_remove_point(Topology *topology, uint32_t point);

#endif
