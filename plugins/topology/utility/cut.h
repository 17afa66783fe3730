/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of an incision share: incision.c (the operation), cut_points.c, cut_walk.c, cut_opening.c.
 */
#ifndef DIVAN_TOPOLOGY_CUT_H
#define DIVAN_TOPOLOGY_CUT_H

#include "incision.h"
#include "mapping/topological_mapping.h"

#include <divan/contracts/state.h>
#include <divan/math/vec.h>

typedef struct Cut {
    Topology *mesh;
    const DvTopologyModifierOps *ops;
    void *modifier;
    DvStateRef state;
    DvVecId positions;
    double snap_path, snap_border;
    DvIndexArray chain; /* points */
    uint32_t opened;    /* points that were doubled */
} Cut;

/* Where the way from `from` to `to` enters the surface over its border. */
typedef struct Entry {
    uint32_t a, b;
    double along, far; /* part of the edge, part of the way */
} Entry;

const uint32_t *cut_triangle_at(const Cut *cut, uint32_t triangle);
DvVec3 cut_place(const Cut *cut, uint32_t point);
const uint32_t *cut_around_point(const Cut *cut, uint32_t point, uint32_t *length);
bool cut_has_point(const uint32_t *triangle, uint32_t point);
/* The triangles with both points, into `found`; how many there are. */
uint32_t cut_around_edge(const Cut *cut, uint32_t a, uint32_t b, uint32_t *found, uint32_t capacity);
/* s and t of p = corner 0 + s (corner 1 - corner 0) + t (corner 2 - corner 0), in the triangle's plane. False: it has no area. */
bool cut_solve_in_plane(DvVec3 p, const DvVec3 corner[3], double *s, double *t);
/* Triangles take the place of others; `from` is the one that each comes from. */
DvStatus cut_replace(Cut *cut, const DvIndexArray *triangles, const DvIndexArray *from, const DvIndexArray *gone);
/* The triangle with one of its points replaced. */
void cut_push_with(DvIndexArray *to, const uint32_t *triangle, uint32_t old, uint32_t now);
/* A new point on the edge from a to b: each triangle around it becomes two. */
DvStatus cut_split_between(Cut *cut, uint32_t a, uint32_t b, double weight_of_b, uint32_t *point);
bool cut_locate(const Cut *cut, const DvCutPoint *end, uint32_t *triangle, double weights[3]);
/* The point of the mesh that an end of the path becomes. */
DvStatus cut_insert_end(Cut *cut, const DvCutPoint *end, uint32_t *point);
/* The nearest edge of the border over which the way from a place goes on; false: there is none. `point`, at that place, is none of its
 * ends. */
bool cut_find_entry(const Cut *cut, DvVec3 from, uint32_t point, DvVec3 target, Entry *best);
/* The chain ends, and another one begins. */
DvStatus cut_begin_chain(Cut *cut, uint32_t point);
/* The point where the way enters over an edge of the border: an end that is near, unless the way leads out again there. */
DvStatus cut_enter(Cut *cut, const Entry *entry, DvVec3 target, uint32_t *point);
/* Appends the chain's points after `from`, to `to` inclusive. */
DvStatus cut_walk(Cut *cut, uint32_t from, uint32_t to);
/* Whether a triangle runs from a to b. */
bool cut_runs(const uint32_t *t, uint32_t a, uint32_t b);
DvStatus cut_open_chain(Cut *cut);

#endif
