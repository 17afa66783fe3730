/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "back_report.h"

#include <divan/divan.h>
#include <divan/worst.h>

#include <string.h>

#include "geometry.h"
#include "model/collision_model.h"

enum { MOST_POINTS_LOOKED_AT = 200 };

static bool counts_front_alone(const DvObject *method, const DvCollisionBody *surface)
{
    DvData *filters = dv_object_field(method, "filterIntersection");
    return surface->shape->count > 0 && strcmp(surface->shape->kind, DV_SHAPE_TRIANGLES) == 0 &&
           !surface->shape->both_sides && strcmp(dv_object_class(method)->name, "LocalMinDistance") == 0 &&
           (!filters || dv_data_bool(filters));
}

/* How far a point is behind the nearest triangle, along its normal; negative in front of it. Of triangles that are equally near, as those
 * around an edge, the one that it is farthest from in its direction decides. */
static double depth_behind(const DvShape *s, DvVec3 p)
{
    double least = INFINITY, depth = 0.0;
    for (uint32_t t = 0; t < s->count; t++) {
        const DvVec3 a = dv_vec3_load(shape_corner(s, t, 0));
        const DvVec3 ab = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 1)), a),
                     ac = dv_vec3_sub(dv_vec3_load(shape_corner(s, t, 2)), a);
        double alpha, beta;
        (void)nearest_on_triangle(a, ab, ac, p, (TriangleMargins){0}, &alpha, &beta);
        const DvVec3 foot = dv_vec3_madd(dv_vec3_madd(a, alpha, ab), beta, ac), d = dv_vec3_sub(p, foot);
        const double distance = dv_vec3_norm(d), height = dv_vec3_dot(d, dv_vec3_normalize(dv_vec3_cross(ab, ac)));
        if (distance < least * (1.0 - 1e-9) || (distance <= least * (1.0 + 1e-9) && fabs(height) > fabs(depth))) {
            least = fmin(least, distance);
            depth = -height;
        }
    }
    return depth;
}

void report_back(const DvObject *method, const DvCollisionBody *surface, const DvCollisionBody *other)
{
    const DvShape *s = surface->shape, *o = other->shape;
    if (surface->object == other->object || !counts_front_alone(method, surface) || o->count == 0)
        return;
    const uint32_t stride = 1 + o->count / MOST_POINTS_LOOKED_AT;
    uint32_t looked = 0;
    DvWorst behind = {0};
    for (uint32_t e = 0; e < o->count; e += stride, looked++) {
        const uint32_t point = o->vertices ? o->vertices[(size_t)e * o->corners] : e;
        const double depth = depth_behind(s, dv_vec3_load(o->x + (size_t)point * o->stride));
        if (depth > 0.0)
            dv_worst_add(&behind, point, depth);
    }
    if (2 * behind.count <= looked)
        return;
    char points[DV_WORST_TEXT];
    dv_warning(
        surface->object,
        "shows its back to %s: %u of %u points are behind it, by m: %s; contacts count from the front alone, where the "
        "normals point (0 1 2 counter-clockwise); turn its triangles round (flipNormals of the loader), or set "
        "bothSide=\"1\"",
        dv_object_path(other->object), behind.count, looked, dv_worst_text(&behind, points));
}
