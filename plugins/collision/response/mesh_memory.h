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
    double print;      /* of the mesh at revision `printed` */
    uint64_t printed;
} MeshMemory;

static inline void mesh_memory_release(MeshMemory *memory)
{
    if (memory->mesh)
        dv_object_unref(memory->mesh);
    memory->mesh = NULL;
    memory->print = 0.0;
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

/* A whole number that is another one when elements join other points: of the sum of what stands for each element. Of the elements of
 * most dimensions, which are those that are saved. 0: no elements. */
static inline double mesh_memory_count_print(const MeshMemory *memory)
{
    static const DvElementKind kinds[] = {DV_TETRAHEDRA, DV_HEXAHEDRA, DV_TRIANGLES, DV_QUADS, DV_EDGES};
    const DvTopologyOps *ops = dv_object_ops(memory->mesh, DV_TOPOLOGY);
    uint64_t sum = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if ((kinds[k] == DV_TRIANGLES || kinds[k] == DV_EDGES) && sum > 0)
            break;
        const DvElements elements = ops->elements(dv_object_self(memory->mesh), kinds[k]);
        const uint32_t nodes = dv_element_nodes(kinds[k]);
        for (uint32_t e = 0; e < elements.count; e++) {
            uint64_t one = k + 1;
            for (uint32_t n = 0; n < nodes; n++)
                one = (one ^ elements.at[(size_t)e * nodes + n]) * 0x9e3779b97f4a7c15u;
            sum += one ^ (one >> 29);
        }
    }
    return (double)(sum >> 11);
}

/* The same number for the mesh as it is now, also in a run that goes on from a saved one. */
static inline double mesh_memory_print(MeshMemory *memory)
{
    const uint64_t revision = mesh_memory_revision(memory);
    if (memory->mesh && dv_object_ops(memory->mesh, DV_TOPOLOGY) &&
        (memory->print == 0.0 || memory->printed != revision)) {
        memory->print = mesh_memory_count_print(memory);
        memory->printed = revision;
    }
    return memory->print;
}

#endif
