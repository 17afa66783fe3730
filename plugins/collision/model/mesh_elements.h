/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements of a mesh as those of a collision model: the ones whose points the state has. After an edit what was touched is read
 * again, or all where edits are not told.
 */
#ifndef DIVAN_COLLISION_MESH_ELEMENTS_H
#define DIVAN_COLLISION_MESH_ELEMENTS_H

#include <divan/kit/mesh_edits.h>

#include "collision_model.h"

typedef struct MeshElements {
    uint32_t *at;      /* [count of the shape] x nodes */
    uint32_t capacity; /* elements */
    uint32_t left_out; /* of the mesh, since the state does not have their points */
    uint64_t revision; /* of the mesh, as of the elements; 0: never */
    uint32_t points;   /* of the state then */
    DvMeshEdits edits; /* since then */
} MeshElements;

/* What is to be read of a mesh that had this revision (+ 1), for a state that had so many points. */
typedef enum MeshReading { READ_NOTHING, READ_TOUCHED, READ_ALL } MeshReading;
MeshReading collision_model_reading(CollisionModel *base, const DvMeshEdits *edits, uint64_t revision, uint32_t points);

/* After collision_model_init: nothing has been read.     [main] */
DV_NODISCARD DvStatus mesh_elements_follow(MeshElements *elements, CollisionModel *base, DvElementKind kind);
/* Gives the shape its vertices, and their number; whether they are others than before. */
bool mesh_elements_read(MeshElements *elements, CollisionModel *base);
void mesh_elements_free(MeshElements *elements);

#endif
