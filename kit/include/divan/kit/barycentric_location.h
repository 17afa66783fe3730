/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which element of a mesh a point hangs on, and with which weights.
 *
 * An element with base vectors b1, b2, b3 at its node 0 gives a point p the local coordinates v = [b1 b2 b3]^-1 (p - x0). They say
 * how deep p lies inside (d <= 0) or that it is outside (d > 0):
 *
 *   triangle     x1-x0, x2-x0, b1 x b2   d = max(-v0, -v1, |v2| - 0.01, v0+v1-1)
 *   quad         x1-x0, x3-x0, b1 x b2   d = max(-v0, -v1, v1-1, v0-1, |v2| - 0.01)
 *   tetrahedron  x1-x0, x2-x0, x3-x0     d = max(-v0, -v1, -v2, v0+v1+v2-1)
 *   hexahedron   x1-x0, x3-x0, x4-x0     d = max(-v0, -v1, -v2, v0-1, v1-1, v2-1)
 *
 * The score of an element is d inside and the squared distance to its centre outside; the smallest wins, the first of equals. So
 * of the elements around p the one where it is deepest wins, and if there is none, the one with the nearest centre, which then
 * extrapolates. Points on the border of elements (a surface with the points of its volume) depend on the last bit of v: the order
 * of the sums is part of the method. Elements without extent are never chosen.
 *
 * Of surfaces v2 is the height divided by |b1 x b2|: the score, and so the choice beside a bent surface, depends on the unit of length.
 * dv_locate_on_nearest() compares true distances instead, and its local coordinates are those of the bilinear or trilinear element rather
 * than of the frame at node 0: nothing in it depends on a unit or, where no two elements are equally near, on an order.
 *
 * Threads: [step].
 */
#ifndef DIVAN_KIT_BARYCENTRIC_LOCATION_H
#define DIVAN_KIT_BARYCENTRIC_LOCATION_H

#include <divan/contracts/topology.h>
#include <divan/math/vec.h>

DV_BEGIN_DECLS

typedef struct DvLocationList {
    DvElementKind kind;
    DvElements elements;
} DvLocationList;

/* Where to search: up to two lists, numbered through. */
typedef struct DvLocationMesh {
    const double *points; /* [point_count] x 3 */
    uint32_t point_count;
    DvLocationList lists[2];
    uint32_t list_count;
} DvLocationMesh;

#define DV_NO_ELEMENT UINT32_MAX

typedef struct DvLocation {
    uint32_t element; /* number through the lists, or of a grid cell; DV_NO_ELEMENT: none can be used */
    DvVec3 at;        /* local coordinates v; of an edge: x is the share of its second node */
} DvLocation;

/* Points to locate: count x dim doubles of which the first three are the position. */
typedef struct DvLocationPoints {
    const double *at;
    uint32_t count, dim;
} DvLocationPoints;

/* Compares all elements.     out: [points.count] */
DV_PUBLIC void dv_locate_in_all(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out);
/* Compares the elements of the point's cell in a grid of the mean length of `edges`; of the 27 cells around when the best score
 * there exceeds half of that; all when the cell is empty. One list only. */
DV_PUBLIC void dv_locate_by_hash(const DvLocationMesh *mesh, DvElements edges, DvLocationPoints points,
                                 DvLocation *out);
/* The element nearest to the point, of those equally near the first; in a tree of boxes. */
DV_PUBLIC void dv_locate_on_nearest(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out);
/* The first edge on which the foot of the perpendicular falls, else the last edge. */
DV_PUBLIC void dv_locate_on_first_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out);
/* The edge nearest to the point. */
DV_PUBLIC void dv_locate_on_nearest_edge(const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out);
/* The cell of a regular grid around the point, or the nearest one. False when it has no cells. */
DV_PUBLIC bool dv_locate_in_grid(const DvGridShape *shape, DvLocationPoints points, DvLocation *out);

/* The nodes of a location and their weights, at most 8, in the order in which they are summed; returns how many. Grids and
 * mixed meshes sum hexahedra and quads row by row of their nodes, meshes of one kind in the order of the list. */
DV_PUBLIC uint32_t dv_location_weights(const DvLocationMesh *mesh, DvLocation location, bool by_rows, uint32_t nodes[8],
                                       double weights[8]);
DV_PUBLIC uint32_t dv_location_weights_in_grid(const DvGridShape *shape, DvLocation location, uint32_t nodes[8],
                                               double weights[8]);

DV_END_DECLS

#endif
