/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cutting a mesh along the surface that a blade sweeps: a mouse, a haptic device or a component says where the blade has been, and
 * the elements in its way come apart.
 *
 * Elements that the blade crosses are split along it into elements of the same kind; points on the cut are doubled where the mesh
 * on both sides hangs together no more. Everything attached to the mesh follows as with any other change: points are mixed from the
 * two that they lie between, elements come from the one that they are a piece of. Volume (or area) and what grows with it stay. Where
 * the blade passes an existing point by less than `snap` of an edge, the cut goes through that point: pieces are never thinner.
 *
 * Threads: [step].
 */
#ifndef DIVAN_CONTRACTS_CUTTING_H
#define DIVAN_CONTRACTS_CUTTING_H

#include <divan/contracts/topology.h>

DV_BEGIN_DECLS

/* Where the edge of a blade has been, one place after the other: each the two ends of the edge. A blade that goes on cutting in the
 * next step begins with the last two places of this one, so that both cuts become one. */
typedef struct DvBlade {
    const double *sections; /* [count] x 2 x 3, m; finite */
    uint32_t count;         /* at least 2 */
    double snap;            /* share of an edge, above 0 and at most 0.4; dv_blade_snap is a good one */
} DvBlade;

static const double dv_blade_snap = 0.25;

typedef struct DvCut {
    uint32_t cut;          /* elements that were split or have got another point */
    uint32_t pieces;       /* elements that took their place */
    uint32_t points;       /* new points, of which */
    uint32_t doubled;      /* so many are the second of two in one place */
    uint32_t faces;        /* of elements, or edges of triangles, that came apart */
    double smallest_angle; /* rad; between faces of the pieces, or edges of triangles; 0: no pieces */
} DvCut;

/* A service: dv_service(DV_CUTTING) is NULL when no plugin cuts. */
#define DV_CUTTING "divan.cutting/1"
typedef struct DvCuttingOps {
    uint32_t size;
    /* Cuts a topology of tetrahedra or of triangles that may change, where the points of the state above it, or else its own, are
     * now. A blade that separates nothing changes nothing. DV_ERROR_INVALID, reported and without any change: a topology of
     * another kind, or without positions; a blade of fewer than two places, of numbers that are not finite, a snap out of range.
     * `result` may be NULL. */
    DvStatus (*cut)(DvObject *topology, const DvBlade *blade, DvCut *result);
} DvCuttingOps;

DV_END_DECLS
#endif
