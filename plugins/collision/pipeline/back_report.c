/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "back_report.h"

#include <divan/divan.h>
#include <divan/worst.h>

#include <stdio.h>
#include <string.h>

#include "geometry.h"
#include "model/collision_model.h"
#include "phase/meeting.h"

enum { MOST_POINTS_LOOKED_AT = 200, LEAST_POINTS_LOOKED_AT = 8, TESTS_OF_A_PAIR = 1 << 22 };

bool *backs_are_told(const DvNode *node)
{
    static const char key;
    return dv_scene_local(dv_node_scene(node), &key, sizeof(bool));
}

bool counts_front_alone(const DvObject *method, const DvCollisionBody *surface)
{
    DvData *filters = dv_object_field(method, "filterIntersection");
    DvData *others = dv_object_field(method, "useLMDFilters"); /* these drop nothing */
    return surface->shape->count > 0 && strcmp(surface->shape->kind, DV_SHAPE_TRIANGLES) == 0 &&
           !surface->shape->both_sides && strcmp(dv_object_class(method)->name, "LocalMinDistance") == 0 &&
           (!filters || dv_data_bool(filters)) && !(others && dv_data_bool(others));
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

/* Few of a large surface. */
static uint32_t points_to_look_at(const DvCollisionBody *surface)
{
    const uint32_t points = TESTS_OF_A_PAIR / surface->shape->count;
    return points < LEAST_POINTS_LOOKED_AT  ? LEAST_POINTS_LOOKED_AT
           : points > MOST_POINTS_LOOKED_AT ? MOST_POINTS_LOOKED_AT
                                            : points;
}

/* Boxes and capsules are met from both sides, and rays look at what they meet. */
static bool is_met_from_front_alone(const char *kind)
{
    static const char *const others[] = {DV_SHAPE_BOXES, DV_SHAPE_CAPSULES, DV_SHAPE_RAYS};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(kind, others[i]) == 0)
            return false;
    return true;
}

void back_report_pair(BackReport *self, const DvCollisionBody *surface, const DvCollisionBody *other)
{
    const DvShape *s = surface->shape, *o = other->shape;
    if (surface->node == other->node || o->count == 0 || !counts_front_alone(self->method, surface) ||
        find_route(self->method, s->kind, o->kind).answer != DV_ROUTINE_FOUND || !is_met_from_front_alone(o->kind))
        return;
    const uint32_t stride = 1 + o->count / points_to_look_at(surface);
    const uint64_t tests = (uint64_t)(1 + o->count / stride) * s->count;
    if (tests > self->tests_left)
        return;
    self->tests_left -= tests;
    uint32_t looked = 0;
    DvWorst behind = {0};
    for (uint32_t e = 0; e < o->count; e += stride, looked++) {
        const uint32_t point = o->vertices ? o->vertices[(size_t)e * o->corners] : e;
        const double depth = depth_behind(s, dv_vec3_load(o->x + (size_t)point * o->stride));
        if (depth > 0.0)
            dv_worst_add(&behind, point, depth);
    }
    if (2 * behind.count <= looked || self->found++ > 0)
        return;
    self->surface = surface;
    self->other = other;
    self->looked = looked;
    self->behind = behind;
}

bool back_report_end(const BackReport *self)
{
    char points[DV_WORST_TEXT], more[64] = "";
    if (self->found == 0)
        return false;
    if (self->found > 1)
        (void)snprintf(more, sizeof more, " (as in %u pairs of models more)", self->found - 1);
    dv_warning(self->surface->object,
               "shows its back to %s: %u of %u points are behind it, by m: %s%s; contacts count from the front alone, "
               "where the normals point (0 1 2 counter-clockwise), and points from behind fall through; turn its "
               "triangles round (flipNormals of the loader), or set bothSide=\"1\"",
               dv_object_path(self->other->object), self->behind.count, self->looked,
               dv_worst_text(&self->behind, points), more);
    return true;
}
