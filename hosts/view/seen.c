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

static void meet_vertices(const DvPictureBatch *batch, const DvPictureState *state, const Ray *ray, Seen *seen)
{
    const DvBatchVertex *vertices = batch->array->at;
    for (uint32_t i = 0; i + 2 < batch->array->count; i += 3) {
        double a[3], b[3], c[3], depth;
        load(state, vertices[i].at, a);
        load(state, vertices[i + 1].at, b);
        load(state, vertices[i + 2].at, c);
        if (pick_meets_triangle(ray, a, b, c, &depth))
            take(state, ray, depth, NULL, seen);
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

static void meet_solids(const DvPictureBatch *batch, const DvPictureState *state, const Ray *ray, Seen *seen)
{
    const DvBatchSolid *solids = batch->array->at;
    for (uint32_t i = 0; i < batch->array->count; i++) {
        const double radius = (double)solids[i].radius;
        double from[3], to[3], depth;
        load(state, solids[i].from, from);
        load(state, solids[i].to, to);
        if (batch->kind == DV_BATCH_SPHERES ? pick_meets_sphere(ray, from, radius, &depth)
                                            : meets_cylinder(ray, from, to, radius, &depth))
            take(state, ray, depth, NULL, seen);
    }
}

bool seen_on_ray(const DvPicture *picture, const Ray *ray, Seen *seen)
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
    for (uint32_t i = 0; i < picture->batch_count; i++) {
        const DvPictureBatch *batch = &picture->batches[i];
        const DvPictureState *state = &picture->states[batch->state];
        if (batch->kind == DV_BATCH_TRIANGLES)
            meet_vertices(batch, state, ray, seen);
        else if (batch->kind >= DV_BATCH_SPHERES && batch->kind != DV_BATCH_SPLATS)
            meet_solids(batch, state, ray, seen);
    }
    return seen->depth < INFINITY;
}
