/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a cut does to a mesh of tetrahedra or triangles, worked out before anything is changed.
 *
 *   1. Edges that the blade crosses. Where it does so near an end, that point is on the cut; else the edge is split there.
 *   2. Each element is split along its edges one after the other, the longest first. The order is the same for all elements around
 *      an edge, so that neighbours fit: what becomes of a face follows from its own edges alone.
 *   3. Faces whose points are all on the cut come apart. Around each of their points the elements that still hang together by
 *      other faces keep it together; every further group gets a point of its own. At the end of the cut all hang together, and
 *      the point stays one.
 */
#ifndef DIVAN_TOPOLOGY_CUT_PLAN_H
#define DIVAN_TOPOLOGY_CUT_PLAN_H

#include "blade.h"
#include <divan/kit/array.h>

/* Of triangles, a face is an edge. */
typedef struct CutMesh {
    const double *positions; /* [points] x 3, m */
    uint32_t points;
    const uint32_t *elements; /* [count] x corners */
    uint32_t count, corners;  /* 4: tetrahedra; 3: triangles */
    DvAdjacency around;       /* elements around each point */
} CutMesh;

/* A new point: on the way from one to the other. */
typedef struct CutPoint {
    uint32_t from[2];
    double where; /* 0: at from[0] */
} CutPoint;

typedef struct CutPlan {
    DV_ARRAY(CutPoint) points; /* get the numbers behind those of the mesh */
    DvIndexArray elements;     /* x corners: the pieces */
    DvIndexArray parents;      /* of each piece */
    DvIndexArray replaced;     /* elements that go, ascending */
    uint32_t doubled, faces;
} CutPlan;

CutPlan cut_plan(const CutMesh *mesh, const BladeSurface *surface, double snap);
void cut_plan_free(CutPlan *plan);
/* Of all pieces, rad. */
double cut_plan_smallest_angle(const CutPlan *plan, const CutMesh *mesh);

#endif
