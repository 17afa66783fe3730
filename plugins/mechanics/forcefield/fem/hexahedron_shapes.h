/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stiffness of hexahedra, one for all that have the same rest shape and material.
 *
 * Corners count from the first one, in units of about 2e-13 of the diagonal between corners 0 and 6: what is closer is the same shape, and the
 * stiffness is that of the rounded corners. So it follows from an element alone, whatever others there are or were.
 */
#ifndef DIVAN_MECHANICS_HEXAHEDRON_SHAPES_H
#define DIVAN_MECHANICS_HEXAHEDRON_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include <divan/math/simd.h>

/* Column 8 c + j holds what a displacement of node j along c does: [axis of the force] with a lane per node. */
typedef struct Stiffness {
    DvReal8 column[24][3];
} Stiffness;

typedef struct HexahedronShape {
    double node[8][3], lame[2];
} HexahedronShape;

typedef struct HexahedronShapes {
    Stiffness *stiffness;      /* [used] */
    struct ShapeEntry *entry;  /* [used] */
    uint32_t used, room, live; /* numbers given so far; those that have users */
    uint32_t *bucket, buckets; /* first entry of each + 1, 0: none; a power of two */
    uint32_t unused;           /* first number without users + 1; 0: none */
} HexahedronShapes;

/* The shape as it is compared: corners rounded, the first one in the origin. */
HexahedronShape hexahedron_shape(const double node[8][3], double lambda, double mu);
/* One more user of a shape; the number of its stiffness. *made: it is new and is to be filled. `shared` false: it has this user alone. */
uint32_t hexahedron_shapes_take(HexahedronShapes *shapes, const HexahedronShape *shape, bool shared, bool *made);
void hexahedron_shapes_release(HexahedronShapes *shapes, uint32_t number);
bool hexahedron_shapes_lives(const HexahedronShapes *shapes, uint32_t number);
void hexahedron_shapes_free(HexahedronShapes *shapes);

#endif
