/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "blade.h"

#include <divan/math/vec.h>
#include <divan/memory.h>

#include <float.h>

/* What counts as on the surface beyond its border: this share of a triangle, or of a segment. */
static const double border = 1e-9;

Box box_of(const double *const *points, uint32_t count)
{
    Box box = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            const double x = points[i][c];
            box.min[c] = x < box.min[c] ? x : box.min[c];
            box.max[c] = x > box.max[c] ? x : box.max[c];
        }
    return box;
}

/* A box that a point within the border around it is in as well. */
static void widen(Box *box)
{
    for (int c = 0; c < 3; c++) {
        const double by = 2.0 * border * fmax(box->max[c] - box->min[c], fmax(fabs(box->min[c]), fabs(box->max[c])));
        box->min[c] -= by;
        box->max[c] += by;
    }
}

static void add_triangle(BladeSurface *surface, const double *a, const double *b, const double *c)
{
    const DvVec3 at = dv_vec3_load(a), u = dv_vec3_sub(dv_vec3_load(b), at), v = dv_vec3_sub(dv_vec3_load(c), at);
    const double longest = fmax(dv_vec3_norm(u), dv_vec3_norm(v));
    if (!(dv_vec3_norm(dv_vec3_cross(u, v)) > 1e-12 * longest * longest))
        return;
    BladeTriangle *triangle = &surface->triangles[surface->count++];
    dv_vec3_store(at, triangle->at);
    dv_vec3_store(u, triangle->u);
    dv_vec3_store(v, triangle->v);
    triangle->box = box_of((const double *const[]){a, b, c}, 3);
    widen(&triangle->box);
}

BladeSurface blade_surface(const DvBlade *blade)
{
    BladeSurface surface = {.triangles = dv_alloc(2 * (size_t)blade->count, sizeof *surface.triangles)};
    for (uint32_t i = 0; i + 1 < blade->count; i++) {
        const double *hilt = blade->sections + 6 * (size_t)i, *tip = hilt + 3, *next_hilt = hilt + 6,
                     *next_tip = hilt + 9;
        add_triangle(&surface, hilt, tip, next_hilt);
        add_triangle(&surface, tip, next_tip, next_hilt);
    }
    surface.box = box_of(NULL, 0);
    for (uint32_t i = 0; i < surface.count; i++)
        for (int c = 0; c < 3; c++) {
            const Box *box = &surface.triangles[i].box;
            surface.box.min[c] = fmin(surface.box.min[c], box->min[c]);
            surface.box.max[c] = fmax(surface.box.max[c], box->max[c]);
        }
    return surface;
}

void blade_surface_free(BladeSurface *surface)
{
    dv_free(surface->triangles);
    *surface = (BladeSurface){0};
}

/* By Cramer's rule: a + t (b - a) = at + k u + l v. */
static bool crosses(const BladeTriangle *triangle, DvVec3 a, DvVec3 along, double *where)
{
    const DvVec3 u = dv_vec3_load(triangle->u), v = dv_vec3_load(triangle->v);
    const DvVec3 normal = dv_vec3_cross(u, v), from = dv_vec3_sub(a, dv_vec3_load(triangle->at));
    const double steep = -dv_vec3_dot(normal, along);
    if (!(fabs(steep) > 1e-12 * dv_vec3_norm(normal) * dv_vec3_norm(along)))
        return false; /* along the surface: other segments at its ends cross it */
    const DvVec3 side = dv_vec3_cross(from, along);
    const double t = dv_vec3_dot(normal, from) / steep, k = dv_vec3_dot(v, side) / steep,
                 l = -dv_vec3_dot(u, side) / steep;
    *where = fmin(fmax(t, 0.0), 1.0);
    return t >= -border && t <= 1.0 + border && k >= -border && l >= -border && k + l <= 1.0 + border;
}

bool blade_crosses(const BladeSurface *surface, const double a[3], const double b[3], double *where)
{
    const DvVec3 from = dv_vec3_load(a), along = dv_vec3_sub(dv_vec3_load(b), from);
    const Box box = box_of((const double *const[]){a, b}, 2);
    bool found = false;
    for (uint32_t i = 0; i < surface->count; i++) {
        double t;
        if (boxes_meet(&box, &surface->triangles[i].box) && crosses(&surface->triangles[i], from, along, &t) &&
            (!found || t < *where)) {
            found = true;
            *where = t;
        }
    }
    return found;
}
