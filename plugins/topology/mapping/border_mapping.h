/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mappings to the border of a mesh: its faces that belong to one body alone, ascending. Bodies are tetrahedra, hexahedra or
 * triangles; faces are triangles, quads or edges.
 *
 * When bodies go, their faces that are left to one other body join the border, as that one sees them; faces that go leave it,
 * with the edges that only they had. When bodies come, their faces on the border join it as they are stored, and those that
 * are no longer on it leave.
 */
#ifndef DIVAN_TOPOLOGY_BORDER_MAPPING_H
#define DIVAN_TOPOLOGY_BORDER_MAPPING_H

#include "topological_mapping.h"

typedef struct BorderRule {
    DvElementKind body, face;
    const char *face_name; /* "triangles", for messages */
    /* The corners of a face of the input as the border stores it; `seen` by a body that is left with it, else as stored. */
    void (*orient)(const uint32_t *corners, bool flip, bool seen, uint32_t *oriented);
    /* Faces that go leave the border one after the other, in the order of the change; else all at once. */
    bool one_by_one;
} BorderRule;

typedef struct BorderMapping {
    TopologicalMapping base;
    const BorderRule *rule;
    DvData flip_normals, no_new, no_initial; /* those that the class declares */
    DvLink modifier;
} BorderMapping;

/* A class's init, once it has set the rule. */
DV_NODISCARD DvStatus border_mapping_start(BorderMapping *mapping);

#endif
