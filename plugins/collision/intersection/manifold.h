/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Places where a box touches another box or a triangle, and the corners and edges of a box by number: ids of places are made of these.
 */
#ifndef DIVAN_COLLISION_MANIFOLD_H
#define DIVAN_COLLISION_MANIFOLD_H

#include "intersection.h"

#define SAME     1e-3 /* of the smallest half size: nearer corners are one; edges have to be better than faces by it */
#define PARALLEL 1e-6 /* square of a sine: edges without a direction across both */

enum {
    MOST_PLACES = 8, /* corners of what two faces have in common */
    BOX_CORNERS = 8,
    BOX_EDGES = 24 /* 8 x axis + the corner at its negative end */
};

typedef struct Place {
    uint32_t id;
    DvVec3 at[2];
    double gap; /* m, along the normal */
} Place;

typedef struct Places {
    Place at[MOST_PLACES];
    uint32_t count;
} Places;

/* In the order of ids. */
static inline void add_place(Places *places, uint32_t id, DvVec3 p, DvVec3 q, double gap)
{
    uint32_t at = places->count++;
    for (; at > 0 && places->at[at - 1].id > id; at--)
        places->at[at] = places->at[at - 1];
    places->at[at] = (Place){id, {p, q}, gap};
}

static inline bool is_known(const Places *places, uint32_t id)
{
    for (uint32_t i = 0; i < places->count; i++)
        if (places->at[i].id == id)
            return true;
    return false;
}

static inline double reach_of_box(const OrientedBox *box, DvVec3 n)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += fabs(dv_vec3_dot(n, box->axis[k])) * box->half[k];
    return sum;
}

static inline double smallest_half_of(const OrientedBox *box)
{
    return fmin(fmin(box->half[0], box->half[1]), box->half[2]);
}

static inline uint32_t edge_number(uint32_t axis, uint32_t corner)
{
    return 8 * axis + (corner & ~(1u << axis));
}

/* The number of the i-th of the twelve edges. */
static inline uint32_t edge_of_twelve(uint32_t i)
{
    const uint32_t axis = i / 4, place = i % 4, low = place & ((1u << axis) - 1);
    return edge_number(axis, low | (place - low) << 1);
}

/* An edge: its first end and the way to the other. */
static inline void box_edge(const OrientedBox *box, uint32_t number, DvVec3 *start, DvVec3 *way)
{
    const uint32_t axis = number / 8;
    *start = corner_of_box(box, number % 8);
    *way = dv_vec3_scale(box->axis[axis], 2.0 * box->half[axis]);
}

/* The corner that is foremost in a direction. */
static inline uint32_t foremost_corner(const OrientedBox *box, DvVec3 n)
{
    uint32_t corner = 0;
    for (uint32_t k = 0; k < 3; k++)
        corner |= (uint32_t)(dv_vec3_dot(n, box->axis[k]) > 0.0) << k;
    return corner;
}

/* The face that looks most along n, by its corners in order, and by its edges, the i-th from corner i to the next; its normal. */
static inline DvVec3 face_of_box(const OrientedBox *box, DvVec3 n, uint32_t corner[4], uint32_t edge[4])
{
    uint32_t axis = 0;
    for (uint32_t k = 1; k < 3; k++)
        axis = fabs(dv_vec3_dot(n, box->axis[k])) > fabs(dv_vec3_dot(n, box->axis[axis])) ? k : axis;
    const bool positive = dv_vec3_dot(n, box->axis[axis]) > 0.0;
    const uint32_t one = (axis + 1) % 3, two = (axis + 2) % 3, base = positive ? 1u << axis : 0u;
    const uint32_t corners[4] = {base, base | 1u << one, base | 1u << one | 1u << two, base | 1u << two};
    for (uint32_t i = 0; i < 4; i++) {
        corner[i] = corners[i];
        edge[i] = edge_number(i % 2 == 0 ? one : two, corners[i] & corners[(i + 1) % 4]);
    }
    return positive ? box->axis[axis] : dv_vec3_neg(box->axis[axis]);
}

/* Triangles on boxes: see triangle_manifold.c. */
void triangles_on_box_corners(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                              DvContactSink *sink);

#endif
