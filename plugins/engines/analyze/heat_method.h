/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Laplacian of linear simplices, and what distances take from it. Functions report nothing.
 */
#ifndef DIVAN_ENGINES_HEAT_METHOD_H
#define DIVAN_ENGINES_HEAT_METHOD_H

#include "mesh_inputs.h"

/* Simplices of one kind: edges, triangles or tetrahedra, with `corners` points each. */
typedef struct Simplices {
    const double *x;
    uint32_t points, corners, count;
    const uint32_t *at;
    DvVec3 *gradient; /* [count x corners] of the shape functions; zero where an element has no extent */
    double *size;     /* [count] length, area or volume */
    double *mass;     /* [points] lumped; at least a little */
} Simplices;

/* Elements all of whose points are below `points`; they and x are not owned.     [step] */
Simplices simplices_new(const double *x, uint32_t points, const uint32_t *at, uint32_t count, uint32_t corners);
void simplices_free(Simplices *s);

/* Distances from the nearest of the goals by heat (Crane, Weischedel, Wardetzky 2013) to distance[points]; nearest[points] (a goal,
 * UINT32_MAX: none is connected) says where the zero of each piece of the mesh is. False: a system was not solved.     [step] */
bool heat_distances(const Simplices *s, const uint32_t *goals, uint32_t goal_count, const uint32_t *nearest,
                    double *distance);
/* The function that has the value `most` at one goal, 0 at the others and the mean of its surroundings elsewhere.     [step] */
bool harmonic_map(const Simplices *s, const uint32_t *goals, uint32_t goal_count, uint32_t goal, double most,
                  double *map);

#endif
