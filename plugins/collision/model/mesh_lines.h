/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The edges of a mesh as elements of a collision model: those whose points the state has.
 */
#ifndef DIVAN_COLLISION_MESH_LINES_H
#define DIVAN_COLLISION_MESH_LINES_H

#include "collision_model.h"

typedef struct MeshLines {
    uint32_t *at; /* [count of the shape x 2] */
    uint32_t capacity;
    uint64_t revision; /* of the mesh, as of the edges; 0: never */
    uint32_t points;   /* of the state then */
} MeshLines;

/* Gives the shape its vertices, and their number; whether they are others than before. */
bool mesh_lines_read(CollisionModel *base, MeshLines *lines);
void mesh_lines_free(MeshLines *lines);

#endif
