/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the points of a state are those that contacts were found on: an edit of its mesh takes points away and gives others their
 * numbers. Contacts are dropped then until the next detection.
 */
#ifndef DV_COLLISION_MESH_MEMORY_H
#define DV_COLLISION_MESH_MEMORY_H

#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>

/* Zeros at first. */
typedef struct MeshMemory {
    DvObject *mesh;    /* of the state's node, held; NULL: none */
    uint64_t revision; /* of the mesh when the contacts were found */
    uint32_t points;   /* of the state, likewise */
} MeshMemory;

static inline void mesh_memory_release(MeshMemory *memory)
{
    if (memory->mesh)
        dv_object_unref(memory->mesh);
    memory->mesh = NULL;
}

static inline void mesh_memory_hold(MeshMemory *memory, const DvObject *state)
{
    DvObject *mesh = dv_node_slot(dv_object_node(state), DV_TOPOLOGY);
    mesh_memory_release(memory);
    memory->mesh = mesh ? dv_object_ref(mesh) : NULL;
}

static inline uint64_t mesh_memory_revision(const MeshMemory *memory)
{
    const DvTopologyOps *ops = memory->mesh ? (const DvTopologyOps *)dv_object_ops(memory->mesh, DV_TOPOLOGY) : NULL;
    return ops ? ops->revision(dv_object_self(memory->mesh)) : 0;
}

/* Contacts have been found. */
static inline void mesh_memory_note(MeshMemory *memory, DvStateRef state)
{
    memory->revision = mesh_memory_revision(memory);
    memory->points = dv_state_count(state);
}

static inline bool mesh_memory_holds(const MeshMemory *memory, DvStateRef state)
{
    return memory->points == dv_state_count(state) && memory->revision == mesh_memory_revision(memory);
}

#endif
