/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a picture shows below the mouse.
 */
#include "seen.h"

#include <math.h>

#include <divan/math/vec.h>

static bool is_cut_away(const DvPictureState *state, const double at[3])
{
    for (uint32_t i = 0; i < state->clip_count; i++) {
        const float *plane = state->clips[i];
        if ((double)plane[0] * at[0] + (double)plane[1] * at[1] + (double)plane[2] * at[2] + (double)plane[3] < 0)
            return true;
    }
    return false;
}

static void load(const DvPictureState *state, const float *from, double at[3])
{
    if (state->moved)
        dv_vec3_store(dv_picture_place(state, from), at);
    else
        for (int c = 0; c < 3; c++)
            at[c] = (double)from[c];
}

static void take(const DvPictureState *state, const Ray *ray, double depth, const char *path, Seen *seen)
{
    double at[3];
    if (!(depth < seen->depth))
        return;
    pick_point(ray, depth, at);
    if (is_cut_away(state, at))
        return;
    *seen = (Seen){.path = path, .depth = depth, .at = {at[0], at[1], at[2]}};
}

static void meet_faces(const DvPictureSurface *surface, const DvPictureState *state, const DvPictureArray *faces,
                       uint32_t corners, const Ray *ray, Seen *seen)
{
    const float *points = surface->positions->at;
    const uint32_t *face = faces->at;
    for (uint32_t i = 0; i < faces->count; i++, face += corners)
        for (uint32_t half = 0; half + 2 < corners; half++) {
            double a[3], b[3], c[3], depth;
            load(state, points + 3 * (size_t)face[0], a);
            load(state, points + 3 * (size_t)face[half + 1], b);
            load(state, points + 3 * (size_t)face[half + 2], c);
            if (pick_meets_triangle(ray, a, b, c, &depth))
                take(state, ray, depth, surface->path, seen);
        }
}

/* Elements [first, end) of a batch, which belong to `path`. */
typedef struct Part {
    const DvPictureBatch *batch;
    const DvPictureState *state;
    uint32_t first, end;
    const char *path;
} Part;

static void meet_triangles(const Part *part, const Ray *ray, Seen *seen)
{
    const DvBatchVertex *vertices = part->batch->array->at;
    for (uint32_t i = part->first; i + 2 < part->end; i += 3) {
        double a[3], b[3], c[3], depth;
        load(part->state, vertices[i].at, a);
        load(part->state, vertices[i + 1].at, b);
        load(part->state, vertices[i + 2].at, c);
        if (pick_meets_triangle(ray, a, b, c, &depth))
            take(part->state, ray, depth, part->path, seen);
    }
}

/* The point of the segment that is nearest to the ray (Ericson, Real-time collision detection, 2005, 5.1.9). */
static DvVec3 nearest_on_segment(const Ray *ray, const double *from, const double *to)
{
    const DvVec3 along = dv_vec3_load(ray->direction), a = dv_vec3_load(from), side = dv_vec3_sub(dv_vec3_load(to), a);
    const DvVec3 offset = dv_vec3_sub(a, dv_vec3_load(ray->origin));
    const double length = dv_vec3_dot(side, side), lean = dv_vec3_dot(side, along);
    const double across = length - lean * lean; /* squared, of the segment as the ray sees it */
    const double share = across > 0 ? (lean * dv_vec3_dot(offset, along) - dv_vec3_dot(offset, side)) / across : 0;
    return dv_vec3_madd(a, fmin(fmax(share, 0), 1), side);
}

/* Lines, or points as lines from each to itself. */
static void meet_marks(const Part *part, const Ray *ray, Reach reach, Seen *seen)
{
    const DvBatchVertex *vertices = part->batch->array->at;
    const uint32_t corners = part->batch->kind == DV_BATCH_LINES ? 2 : 1;
    for (uint32_t i = part->first; i + corners <= part->end; i += corners) {
        double from[3], to[3];
        load(part->state, vertices[i].at, from);
        load(part->state, vertices[i + corners - 1].at, to);
        const DvVec3 way = dv_vec3_sub(nearest_on_segment(ray, from, to), dv_vec3_load(ray->origin));
        const double depth = dv_vec3_dot(way, dv_vec3_load(ray->direction));
        const double apart = sqrt(fmax(dv_vec3_dot(way, way) - depth * depth, 0));
        if (depth >= 0 && apart <= reach.begin + reach.slope * depth)
            take(part->state, ray, depth, part->path, seen);
    }
}

/* A cylinder from one point to another: met where the ray is nearest to its axis, less half the chord through it there. */
static bool meets_cylinder(const Ray *ray, const double *from, const double *to, double radius, double *depth)
{
    const DvVec3 along = dv_vec3_load(ray->direction), axis = dv_vec3_sub(dv_vec3_load(to), dv_vec3_load(from));
    const DvVec3 offset = dv_vec3_sub(dv_vec3_load(ray->origin), dv_vec3_load(from));
    const double length = dv_vec3_dot(axis, axis), lean = dv_vec3_dot(axis, along);
    const double a = length - lean * lean, on_axis = dv_vec3_dot(axis, offset);
    const double b = length * dv_vec3_dot(offset, along) - on_axis * lean;
    const double c = length * (dv_vec3_dot(offset, offset) - radius * radius) - on_axis * on_axis;
    const double root = b * b - a * c;
    if (!(length > 0 && a > 1e-12 * length && root >= 0))
        return false;
    *depth = (-b - sqrt(root)) / a;
    const double share = (on_axis + *depth * lean) / length;
    return *depth >= 0 && share >= 0 && share <= 1;
}

static void meet_solids(const Part *part, const Ray *ray, Seen *seen)
{
    const DvBatchSolid *solids = part->batch->array->at;
    for (uint32_t i = part->first; i < part->end; i++) {
        const double radius = (double)solids[i].radius;
        double from[3], to[3], depth;
        load(part->state, solids[i].from, from);
        load(part->state, solids[i].to, to);
        if (part->batch->kind == DV_BATCH_SPHERES ? pick_meets_sphere(ray, from, radius, &depth)
                                                  : meets_cylinder(ray, from, to, radius, &depth))
            take(part->state, ray, depth, part->path, seen);
    }
}

/* Splats are spots that fade, nothing that one points at. */
static void meet_part(const Part *part, const Ray *ray, Reach reach, Seen *seen)
{
    if (part->batch->kind == DV_BATCH_TRIANGLES)
        meet_triangles(part, ray, seen);
    else if (part->batch->kind == DV_BATCH_LINES || part->batch->kind == DV_BATCH_POINTS)
        meet_marks(part, ray, reach, seen);
    else if (part->batch->kind != DV_BATCH_SPLATS)
        meet_solids(part, ray, seen);
}

bool seen_has(const DvPicture *picture, const char *path)
{
    bool has = false;
    for (uint32_t i = 0; !has && i < picture->surface_count; i++)
        has = dv_picture_is_below(picture->surfaces[i].path, path);
    for (uint32_t i = 0; !has && i < picture->owner_count; i++)
        has = dv_picture_is_below(picture->owners[i].path, path);
    return has;
}

bool seen_on_ray(const DvPicture *picture, const Ray *ray, Reach reach, Seen *seen)
{
    *seen = (Seen){.depth = INFINITY};
    for (uint32_t i = 0; i < picture->surface_count; i++) {
        const DvPictureSurface *surface = &picture->surfaces[i];
        const DvPictureState *state = &picture->states[surface->state];
        if (surface->triangles)
            meet_faces(surface, state, surface->triangles, 3, ray, seen);
        if (surface->quads)
            meet_faces(surface, state, surface->quads, 4, ray, seen);
    }
    for (uint32_t i = 0; i < picture->owner_count; i++) {
        const DvPictureOwner *owner = &picture->owners[i];
        const DvPictureBatch *batch = &picture->batches[owner->batch];
        const Part part = {batch, &picture->states[batch->state], owner->first, dv_picture_owner_end(picture, i),
                           owner->path};
        if (!(batch->draw_state & DV_DRAW_ON_TOP))
            meet_part(&part, ray, reach, seen);
    }
    return seen->depth < INFINITY;
}
