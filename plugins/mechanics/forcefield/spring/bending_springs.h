/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Springs across the edges of a surface, which resist its bending: what TriangularBendingSprings and QuadularBendingSprings share.
 *
 * An edge of exactly two triangles has one spring, between the two points opposite to it; an edge of exactly two quads has two,
 * along both pairs of sides that end at it. Rest lengths are distances of rest positions. Law: spring_blocks.h, for springs longer
 * than 1e-4.
 *
 * Spring `per_edge` e + i is number i of edge e; edges that have none keep a spring that is switched off.
 *
 * When the mesh changes, an edge is settled by the first of its elements: it has springs from then on if it has two elements at that
 * moment. Elements that come later change nothing. One that goes leaves springs between the two others where there were three, counted
 * before the whole edit; else it takes the springs away and the edge is open again. So the springs depend on the way to a mesh, and a
 * saved scene holds them. With consistentEdges there are, after any changes, the springs of a mesh that is loaded like that.
 *
 * Edges around what changed are listed and their springs made again before the next force. This takes time that goes with the change.
 */
#ifndef DIVAN_MECHANICS_BENDING_SPRINGS_H
#define DIVAN_MECHANICS_BENDING_SPRINGS_H

#include "forcefield/spring/spring_operator.h"

#include <divan/element_data.h>

typedef struct EdgeSprings {
    uint32_t place;     /* in `stale` + 1, or 0 */
    uint32_t settled;   /* 0: the next element settles it */
    uint32_t end[2][2]; /* of its springs; twice the same point: none */
} EdgeSprings;

typedef struct BendingSprings {
    DvSingleState base;
    DvLink topology_link;
    DvData stiffness, damping, consistent, edge_info, settled;

    DvTopologyRef topology;
    DvElementKind kind; /* triangles or quads */
    SpringBlocks set;   /* [edges][kind - 1 per edge] */
    double made[2];     /* stiffness and damping of the springs */
    uint32_t *stale;    /* [stale_count] edges whose springs are to be made again */
    uint32_t stale_count, stale_capacity;
    bool all_stale, told; /* told: what changed since the last update is in the list */
    bool anew, followed;  /* anew: as loaded; followed: there were changes since then */
    bool made_consistent;
    DvElementData edges; /* EdgeSprings */
    DvElementData elements;
    DvElementData points;
    uint64_t structure;
    SpringOperator described;
} BendingSprings;

#define BENDING_SPRINGS_FIELDS(Struct, s)                                                                           \
    DV_SINGLE_STATE_FIELDS(Struct, s.base),                                                                         \
        DV_LINK(Struct, s.topology_link, "topology", DV_TOPOLOGY, .help = "mesh; that of the node by default"),     \
        DV_FIELD(Struct, s.stiffness, "stiffness", dv_type_double, .init = "100000", .unit = "N/m",                 \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT,                       \
                 .help = "of each spring"),                                                                         \
        DV_FIELD(Struct, s.damping, "damping", dv_type_double, .init = "1", .unit = "N s/m",                        \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_INPUT | DV_FIELD_LENIENT,                       \
                 .help = "of each spring"),                                                                         \
        DV_FIELD(Struct, s.consistent, "consistentEdges", dv_type_bool, .init = "0", .flags = DV_FIELD_INPUT,       \
                 .help = "after edits of the mesh there are the springs of a mesh loaded like that; without it an " \
                         "edge has some by how many elements it had when the first came or before one went"),       \
        DV_FIELD(Struct, s.settled, "settledEdges", dv_type_uints, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN,       \
                 .help = "whether each edge is settled and between which points its springs are, after edits"),     \
        DV_FIELD(Struct, s.edge_info, "edgeInfo", dv_type_linear_springs, .unit = "N/m, N s/m, m",                  \
                 .flags = DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_HIDDEN,                                   \
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
extern const DvOperatorOps bending_springs_operator;
extern const DvElementsCause bending_springs_cause;

#define BENDING_SPRINGS_CONTRACTS(drawable)                                                                         \
    .contracts = (const DvContract[])                                                                               \
    {                                                                                                               \
        {.id = DV_FORCE_FIELD, .ops = &bending_springs_ops}, {.id = DV_OPERATOR, .ops = &bending_springs_operator}, \
            {.id = DV_FAULT_CAUSE, .ops = &bending_springs_cause}, {.id = DV_DRAWABLE, .ops = &(drawable)},         \
        {                                                                                                           \
            0                                                                                                       \
        }                                                                                                           \
    }

#endif
