/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mappings that cut each element of the input into the same number of pieces, of its own points: the pieces of element 0, then
 * those of element 1... When elements go, their pieces go; the pieces of new elements come at the end.
 */
#ifndef DIVAN_TOPOLOGY_PIECES_MAPPING_H
#define DIVAN_TOPOLOGY_PIECES_MAPPING_H

#include "topological_mapping.h"

enum { MOST_PIECE_NODES = 32 };

typedef struct PiecesMapping PiecesMapping;

typedef struct PiecesRule {
    DvElementKind whole, piece;
    uint32_t pieces;
    const char *piece_name; /* "triangles", for messages */
    /* The points of the pieces of element `index`; `later` when it came after the start. [pieces x nodes] */
    void (*cut)(PiecesMapping *mapping, const uint32_t *element, uint32_t index, bool later, uint32_t *pieces);
} PiecesRule;

struct PiecesMapping {
    TopologicalMapping base;
    const PiecesRule *rule;
    DvData swapping;        /* of those that the class declares */
    uint32_t columns, rows; /* of the input's cells, where it is a grid; else 2 and 1 */
};

/* A class's init, once it has set the rule. */
DV_NODISCARD DvStatus pieces_mapping_start(PiecesMapping *mapping);

#endif
