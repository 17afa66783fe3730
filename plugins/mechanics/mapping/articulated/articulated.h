/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Articulated bodies: what ArticulatedSystemMapping and the components that describe its joints know of each other.
 *
 * An ArticulatedHierarchyContainer stands above ArticulationCenters, each of which joins a child frame to a parent frame of the output
 * of the mapping. The child nodes of a centre's node hold its Articulations, one for each number of the input that moves the joint.
 */
#ifndef DIVAN_MECHANICS_ARTICULATED_H
#define DIVAN_MECHANICS_ARTICULATED_H

#include <divan/math/rigid.h>
#include <divan/node.h>

#define ARTICULATED_HIERARCHY "mechanics.articulated-hierarchy/1"
typedef struct ArticulatedHierarchyOps {
    uint32_t size;
    /* Its ArticulationCenters; stores at most capacity, returns how many there are. */
    uint32_t (*centers)(void *self, DvObject **centers, uint32_t capacity);
} ArticulatedHierarchyOps;

/* One degree of freedom of a joint. */
typedef struct Articulation {
    DvData axis, rotation, translation, index, motion;
    DvObject *mapping; /* that it moves frames of, which sets and clears it; NULL: none */
    bool placed;
    DvVec3 place, direction; /* m, world; of length 1: as it is shown */
    double length;           /* m, likewise */
} Articulation;
#define ARTICULATION "mechanics.articulation/1"
typedef struct ArticulationOps {
    uint32_t size;
    void (*show)(Articulation *self, DvVec3 place, DvVec3 direction, double length); /* there, from now on */
} ArticulationOps;

/* How a joint follows its articulations. */
enum {
    PROCESS_CHAIN,     /* from the parent frame, each axis turned by those before it */
    PROCESS_OF_PARENT, /* increments about axes of the parent frame */
    PROCESS_OF_CHILD,  /* increments about axes of the child frame as it was */
    PROCESSES
};

typedef struct ArticulationCenter {
    DvData parent_index, child_index, global_position, pos_on_parent, pos_on_child, process;
    DvObject *mapping; /* as of an Articulation */
    bool placed;
    DvVec3 parent, child; /* m, world: the centres of both frames, as they are shown */
} ArticulationCenter;
#define ARTICULATION_CENTER "mechanics.articulation-center/1"
typedef struct ArticulationCenterOps {
    uint32_t size;
    void (*show)(ArticulationCenter *self, DvVec3 parent, DvVec3 place, DvVec3 child); /* there, from now on */
} ArticulationCenterOps;

#endif
