/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs across the edges of a surface, which resist its bending: what TriangularBendingSprings and QuadularBendingSprings share.
 *
 * An edge of exactly two triangles has one spring, between the two points opposite to it; an edge of exactly two quads has two,
 * along both pairs of sides that end at it. Rest lengths are distances of rest positions. Law: spring_blocks.h, for springs longer
 * than 1e-4.
 *
 * Spring `per_edge` e + i is number i of edge e; edges that have none keep a spring that is switched off. When the mesh changes, the
 * edges around what changed are listed, and their springs made again before the next force from the mesh as it is then: after any
 * changes there are the springs of a mesh that is loaded like that, in time that goes with the change.
 */
#ifndef DIVAN_MECHANICS_BENDING_SPRINGS_H
#define DIVAN_MECHANICS_BENDING_SPRINGS_H

#include "forcefield/spring/spring_blocks.h"

#include <divan/element_data.h>

typedef struct BendingSprings {
    SingleState base;
    DvLink topology_link;
    DvData stiffness, damping, edge_info;

    DvTopologyRef topology;
    DvElementKind kind; /* triangles or quads */
    SpringBlocks set;   /* [edges][kind - 1 per edge] */
    double made[2];     /* stiffness and damping of the springs */
    uint32_t *stale;    /* [stale_count] edges whose springs are to be made again */
    uint32_t stale_count, stale_capacity;
    bool all_stale, told; /* told: what changed since the last update is in the list */
    DvElementData edges;  /* place in `stale` + 1 of each edge, or 0 */
    DvElementData elements, points;
    uint64_t structure;
} BendingSprings;

#define BENDING_SPRINGS_FIELDS(Struct, s)                                                                             \
    SINGLE_STATE_FIELDS(Struct, s.base),                                                                              \
        DV_LINK(Struct, s.topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),       \
        DV_FIELD(Struct, s.stiffness, "stiffness", dv_type_double, .init = "100000", .unit = "N/m",                   \
                 .flags = DV_FIELD_INPUT, .help = "of each spring"),                                                  \
        DV_FIELD(Struct, s.damping, "damping", dv_type_double, .init = "1", .unit = "N s/m", .flags = DV_FIELD_INPUT, \
                 .help = "of each spring"),                                                                           \
        DV_FIELD(Struct, s.edge_info, "edgeInfo", dv_type_linear_springs, .unit = "N/m, N s/m, m",                    \
                 .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,                                     \
                 .help = "the springs of each edge: point, point, stiffness, damping, rest length")

/* Finds state and mesh, makes the springs.     need: "a container of triangles" */
DV_NODISCARD DvStatus bending_springs_init(DvObject *object, BendingSprings *self, DvElementKind kind,
                                           const char *need);
/* Of the class. */
DvStatus bending_springs_update(DvObject *object, void *self);
void bending_springs_cleanup(DvObject *object, void *self);
void bending_springs_destroy(DvObject *object, void *self);

void bending_springs_draw(BendingSprings *self, DvDraw *draw);

extern const DvForceFieldOps bending_springs_ops;
extern const DvFaultCauseOps bending_springs_cause;

#endif
