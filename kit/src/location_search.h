/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the searches for the element of a point share: frames and boxes of elements, and how an element is scored.
 */
#ifndef DIVAN_LOCATION_SEARCH_H
#define DIVAN_LOCATION_SEARCH_H

#include <divan/kit/barycentric_location.h>

#include <divan/math/mat.h>
#include <divan/memory.h>
#include <divan/parallel.h>

enum { DV_POINTS_PER_CHUNK = 64 };

typedef struct Frame {
    DvMat3 inverse;
    DvVec3 origin, center;
    DvElementKind kind;
    bool usable;
} Frame;

typedef struct Box {
    DvVec3 lower, upper;
} Box;

typedef struct Search {
    const DvLocationMesh *mesh;
    DvLocationPoints points;
    DvLocation *out;
    uint32_t count; /* elements */
    Frame *frames;
    Box *boxes;
} Search;

static inline DvVec3 point_at(const DvLocationMesh *mesh, uint32_t node)
{
    return dv_vec3_load(mesh->points + 3 * (size_t)node);
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* d of barycentric_location.h. */
static inline double depth(DvElementKind kind, DvVec3 v)
{
    switch (kind) {
    case DV_TRIANGLES:
        return larger(larger(-v.x, -v.y), larger(fabs(v.z) - 0.01, v.x + v.y - 1.0));
    case DV_QUADS:
        return larger(larger(larger(-v.x, -v.y), larger(v.y - 1.0, v.x - 1.0)), fabs(v.z) - 0.01);
    case DV_TETRAHEDRA:
        return larger(larger(-v.x, -v.y), larger(-v.z, v.x + v.y + v.z - 1.0));
    default:
        return larger(larger(larger(-v.x, -v.y), larger(-v.z, v.x - 1.0)), larger(v.y - 1.0, v.z - 1.0));
    }
}

static inline DvVec3 local_coordinates(const Frame *frame, DvVec3 p)
{
    return dv_mat3_mul_vec(frame->inverse, dv_vec3_sub(p, frame->origin));
}

/* Takes the element if its score is smaller than the best so far. */
static inline void compare(const Frame *frame, uint32_t element, DvVec3 p, DvLocation *best, double *best_score)
{
    if (!frame->usable)
        return;
    const DvVec3 v = local_coordinates(frame, p);
    const double d = depth(frame->kind, v);
    const double score = d > 0.0 ? dv_vec3_norm_squared(dv_vec3_sub(p, frame->center)) : d;
    if (score < *best_score) {
        *best_score = score;
        *best = (DvLocation){element, v};
    }
}

static inline bool box_holds(const Box *box, DvVec3 p)
{
    return p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y && p.y <= box->upper.y &&
           p.z >= box->lower.z && p.z <= box->upper.z;
}

static inline DvVec3 point_to_locate(const Search *s, uint32_t i)
{
    return dv_vec3_load(s->points.at + (size_t)i * s->points.dim);
}

const uint32_t *location_element_nodes(const DvLocationMesh *mesh, uint32_t element, DvElementKind *kind);
/* All elements, those whose box does not hold the point by their centre alone. */
void location_in_all(const Search *s, DvVec3 p, DvLocation *best);
void location_in_all_chunk(void *context, uint32_t begin, uint32_t end);
void location_search_begin(Search *s, const DvLocationMesh *mesh, DvLocationPoints points, DvLocation *out);
void location_search_end(Search *s);

#endif
