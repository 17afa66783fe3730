/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface that a blade sweeps: a strip of triangles between the places where its edge has been.
 */
#ifndef DIVAN_TOPOLOGY_BLADE_H
#define DIVAN_TOPOLOGY_BLADE_H

#include <divan/contracts/cutting.h>

#include <stdbool.h>

typedef struct Box {
    double min[3], max[3];
} Box;

typedef struct BladeTriangle {
    double at[3], u[3], v[3]; /* a corner, and the edges to the other two, m */
    Box box;
} BladeTriangle;

typedef struct BladeSurface {
    BladeTriangle *triangles;
    uint32_t count;
    Box box; /* of all */
} BladeSurface;

/* Triangles without area are left out: a blade may stand still. */
BladeSurface blade_surface(const DvBlade *blade);
void blade_surface_free(BladeSurface *surface);

static inline bool boxes_meet(const Box *a, const Box *b)
{
    for (int c = 0; c < 3; c++)
        if (a->max[c] < b->min[c] || b->max[c] < a->min[c])
            return false;
    return true;
}
Box box_of(const double *const *points, uint32_t count);

/* Whether the surface crosses the segment from a to b, ends and borders included; *where: from 0 at a to 1 at b, where it does so
 * first. */
bool blade_crosses(const BladeSurface *surface, const double a[3], const double b[3], double *where);

#endif
