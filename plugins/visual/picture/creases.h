/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creases: where faces of a surface meet at a large angle, each side is drawn with normals of its own, and so with vertices of its own.
 * The first vertices of the drawn surface are those of the surface; copies follow them. Vertices at one place are one point.
 */
#ifndef DIVAN_VISUAL_CREASES_H
#define DIVAN_VISUAL_CREASES_H

#include <divan/contracts/visual.h>

typedef struct Creases {
    uint64_t serial;     /* another whenever the copies are others; 0: nothing was looked for yet */
    uint64_t seen[4];    /* versions it was made of */
    double angle;        /* likewise, degrees */
    uint32_t vertices;   /* of the surface */
    uint32_t copies;     /* 0: there are no creases */
    uint32_t *copy_of;   /* [copies] */
    uint32_t *triangles; /* [faces] x 3: as they are drawn; of vertices that are not there: 0 */
    uint32_t *quads;     /* x 4 */
    uint32_t triangle_count, quad_count;
    uint32_t *group;    /* [3 triangles + 4 quads]: corners with one number share a normal */
    uint32_t *group_of; /* [vertices + copies] */
    uint32_t groups;
} Creases;

/* Looks for them if anything that they depend on is another; returns whether there are some. */
bool creases_find(Creases *creases, const DvSurfaceView *view, bool without_triangles);
/* `from` [vertices] x components, then the copies. */
void creases_spread(const Creases *creases, const double *from, uint32_t components, float *to);
/* Normals of the drawn vertices of length 1, or 0 where no face is: sums of the faces' by their areas. */
void creases_normals(const Creases *creases, const double *at, float *to);
void creases_free(Creases *creases);

#endif
