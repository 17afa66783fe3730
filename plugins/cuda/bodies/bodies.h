/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device does, as functions of one lane of one block, in C11 and CUDA C++ alike: the emulated device calls them in loops, a GPU
 * in threads. A body ends at once where its guard, the first member of its arguments, is set. No sum has an order that hangs on how
 * blocks run: lanes write where nobody else does, sums are gathered by lists, or are trees over fixed ranges.
 *
 * A product without a vector (NULL) is the diagonal of what it multiplies by: each number that it gives is the factor of the one in its own place.
 *
 * This file is included by the headers of the bodies, which are included once for each precision, with REAL and NAME defined.
 */
#ifndef DIVAN_CUDA_BODIES_H
#define DIVAN_CUDA_BODIES_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BODY static __device__ __forceinline__
#else
#define BODY static inline
#endif

enum {
    LANES = 128,        /* of a block */
    EACH = 16,          /* numbers that a lane of a sum begins with */
    PROGRAM = 24,       /* steps of slots at most */
    ROW_LANES = 32,     /* that share a row of a factor */
    MANY_SIDES = 8,     /* right-hand sides beside each other */
    COLUMNS_AT_ONCE = 4 /* of a product at most */
};

enum { SPRING_ENABLED = 1, SPRING_ELONGATION = 2, MOST_DIM = 6 };

/* Frames of the operator "corotational tetrahedra": none; of edge a b and face a b c; the polar factor of the edges; that, and a proper
 * rotation of flat and inverted elements; the rotation of the deformation. */
enum { TURN_NONE, TURN_FRAME, TURN_POLAR, TURN_STABLE, TURN_EXACT, TURNS };

enum { MOST_INPUTS = 8 }; /* of a mapping by rows */

/* Of the operator "rigid points". */
enum { STIFF_NONE, STIFF_EXACT, STIFF_STABILIZED };

/* Of the operator "linear elements". */
enum {
    FRAME_NONE,
    FRAME_OF_NODES,
    FRAME_OF_MEAN_EDGES,
    FRAME_POLAR_OF_MEAN_EDGES,
    FRAME_POLAR,
    FRAME_STABLE_POLAR,
    FRAMES
};

typedef struct SlotStep {
    uint32_t action, r, a, b;
} SlotStep;

/* In phase 0 each lane has put its part; phase p adds parts that are LANES / 2^p apart. */
BODY void tree(double *shared, uint32_t lane, uint32_t phase)
{
    const uint32_t apart = LANES >> phase;
    if (phase > 0 && lane < apart)
        shared[lane] += shared[lane + apart];
}

#endif
