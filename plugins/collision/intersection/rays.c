/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rays against what can be hit: triangles, spheres, tetrahedra, boxes. A contact is where a ray meets a thing first.
 */
#include <divan/divan.h>

#include "intersection.h"

typedef struct Ray {
    DvVec3 from, way; /* way: unit */
    double length;
} Ray;

/* False of one without length. */
static bool read_ray(const DvShape *s, uint32_t element, Ray *ray)
{
    ray->from = corner_of(s, element, 0);
    const DvVec3 d = dv_vec3_sub(corner_of(s, element, 1), ray->from);
    ray->length = dv_vec3_norm(d);
    ray->way = dv_vec3_scale(d, ray->length > 0 ? 1.0 / ray->length : 0.0);
    return ray->length > 0;
}

static void rays_on_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                              DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->b, pairs[i][1]);
        Ray ray;
        double at;
        if (!read_ray(query->a, pairs[i][0], &ray) ||
            !line_meets_triangle(t.corner[0], t.corner[1], t.corner[2], ray.from, ray.way, &at) ||
            !(at >= 0 && at <= ray.length))
            continue;
        const DvVec3 hit = dv_vec3_madd(ray.from, at, ray.way);
        const DvVec3 n = dv_vec3_load(query->b->normals + 3 * (size_t)pairs[i][1]);
        add_contact(sink, pairs[i], pairs[i][0], hit, hit, dv_vec3_neg(n), 0.0);
    }
}

static inline void onto_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                DvContactSink *sink, bool on_surface)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sphere = pairs[i][1];
        Ray ray;
        if (!read_ray(query->a, pairs[i][0], &ray))
            continue;
        const DvVec3 c = corner_of(query->b, sphere, 0);
        const double along = dv_vec3_dot(dv_vec3_sub(c, ray.from), ray.way);
        const double t = along < 0 ? 0 : along > ray.length ? ray.length : along;
        const DvVec3 p = dv_vec3_madd(ray.from, t, ray.way), d = dv_vec3_sub(c, p);
        const double radius = query->b->radii[sphere], distance = dv_vec3_norm(d);
        if (!(distance < radius))
            continue;
        const DvVec3 n = guarded_direction(d, distance);
        const DvVec3 q = on_surface ? dv_vec3_madd(c, -radius, n) : point_on_sphere(query->b, sphere, dv_vec3_neg(n));
        add_contact(sink, pairs[i], pairs[i][0], p, q, n, distance - radius);
    }
}

static void rays_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                            DvContactSink *sink)
{
    onto_spheres(query, pairs, count, sink, false);
}

void rays_on_sphere_surfaces(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                             DvContactSink *sink)
{
    onto_spheres(query, pairs, count, sink, true);
}

/* The part of the ray that is inside each of the four faces; its beginning. */
static void rays_on_tetrahedra(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        DvVec3 x[4];
        for (uint32_t k = 0; k < 4; k++)
            x[k] = corner_of(query->b, pairs[i][1], k);
        Ray ray;
        double at[4], ahead[4];
        if (!read_ray(query->a, pairs[i][0], &ray) || !barycentric_in_tetrahedron(x, ray.from, at) ||
            !barycentric_in_tetrahedron(x, dv_vec3_add(ray.from, ray.way), ahead))
            continue;
        double enters = 0, leaves = ray.length;
        for (int k = 0; k < 4; k++) {
            const double rate = ahead[k] - at[k], t = -at[k] / rate;
            if (rate > 0)
                enters = t > enters ? t : enters;
            else if (rate < 0)
                leaves = t < leaves ? t : leaves;
            else if (at[k] < 0)
                leaves = -1;
        }
        if (!(enters <= leaves))
            continue;
        const DvVec3 hit = dv_vec3_madd(ray.from, enters, ray.way);
        add_contact(sink, pairs[i], pairs[i][0], hit, hit, ray.way, 0.0);
    }
}

/* Slab by slab: where the ray enters the box, or leaves it when it begins inside. The normal is that of the face, along the ray. */
static void rays_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const OrientedBox box = box_of(query->b, pairs[i][1]);
        Ray ray;
        if (!read_ray(query->a, pairs[i][0], &ray))
            continue;
        const DvVec3 d = dv_vec3_sub(ray.from, box.centre);
        double enters = -HUGE_VAL, leaves = HUGE_VAL;
        int enters_by = 0, leaves_by = 0;
        for (int k = 0; k < 3; k++) {
            const double at = dv_vec3_dot(d, box.axis[k]), rate = dv_vec3_dot(ray.way, box.axis[k]);
            if (fabs(rate) < 1e-4) { /* along the slab */
                leaves = fabs(at) > box.half[k] ? -HUGE_VAL : leaves;
                continue;
            }
            const double one = (-box.half[k] - at) / rate, two = (box.half[k] - at) / rate;
            const double first = one < two ? one : two, last = one < two ? two : one;
            enters_by = first > enters ? k : enters_by;
            enters = first > enters ? first : enters;
            leaves_by = last < leaves ? k : leaves_by;
            leaves = last < leaves ? last : leaves;
        }
        const double t = enters >= 0 ? enters : leaves;
        if (!(enters <= leaves && t >= 0 && t <= ray.length))
            continue;
        const DvVec3 axis = box.axis[enters >= 0 ? enters_by : leaves_by], hit = dv_vec3_madd(ray.from, t, ray.way);
        add_contact(sink, pairs[i], pairs[i][0], hit, hit, dv_vec3_dot(axis, ray.way) < 0 ? dv_vec3_neg(axis) : axis,
                    0.0);
    }
}

/* The nearer of the pair so far and (p, q). */
static void keep_nearer(DvVec3 p, DvVec3 q, DvVec3 *on_ray, DvVec3 *on_triangle, double *least)
{
    const double d2 = dv_vec3_norm_squared(dv_vec3_sub(q, p));
    if (!(d2 < *least))
        return;
    *least = d2;
    *on_ray = p;
    *on_triangle = q;
}

static double nearest_to_ray(const Triangle *t, const Ray *ray, DvVec3 *on_ray, DvVec3 *on_triangle)
{
    static const TriangleMargins margins = {0};
    const DvVec3 whole = dv_vec3_scale(ray->way, ray->length);
    double at, least = HUGE_VAL;
    if (line_meets_triangle(t->corner[0], t->corner[1], t->corner[2], ray->from, ray->way, &at) && at >= 0 &&
        at <= ray->length) {
        *on_ray = *on_triangle = dv_vec3_madd(ray->from, at, ray->way);
        return 0.0;
    }
    for (int end = 0; end < 2; end++) {
        const DvVec3 p = end ? dv_vec3_add(ray->from, whole) : ray->from;
        DvVec3 nearest;
        (void)nearest_of_triangle(t, p, margins, &nearest);
        keep_nearer(p, nearest, on_ray, on_triangle, &least);
    }
    for (uint32_t e = 0; e < 3; e++) {
        const DvVec3 q = t->corner[triangle_edges[e].from], cd = dv_vec3_sub(t->corner[triangle_edges[e].to], q);
        double alpha, beta;
        nearest_on_segments(ray->from, whole, q, cd, 0.0, &alpha, &beta);
        keep_nearer(dv_vec3_madd(ray->from, alpha, whole), dv_vec3_madd(q, beta, cd), on_ray, on_triangle, &least);
    }
    return sqrt(least);
}

/* The gap is what is left to the alarm distance. */
void rays_near_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->b, pairs[i][1]);
        const DvVec3 n = dv_vec3_load(query->b->normals + 3 * (size_t)pairs[i][1]);
        Ray ray;
        if (!read_ray(query->a, pairs[i][0], &ray) || fabs(dv_vec3_dot(n, ray.way)) < 1e-6)
            continue;
        DvVec3 on_ray = ray.from, on_triangle = ray.from;
        const double distance = nearest_to_ray(&t, &ray, &on_ray, &on_triangle);
        if (distance < query->alarm)
            add_contact(sink, pairs[i], pairs[i][0], on_ray, on_triangle, dv_vec3_neg(n), distance - query->alarm);
    }
}

const RoutineRow ray_rows[] = {
    {DV_SHAPE_RAYS, DV_SHAPE_TRIANGLES, rays_on_triangles},
    {DV_SHAPE_RAYS, DV_SHAPE_SPHERES, rays_on_spheres},
    {DV_SHAPE_RAYS, DV_SHAPE_RIGID_SPHERES, rays_on_spheres},
    {DV_SHAPE_RAYS, DV_SHAPE_TETRAHEDRA, rays_on_tetrahedra},
    {DV_SHAPE_RAYS, DV_SHAPE_BOXES, rays_on_boxes},
    {DV_SHAPE_RAYS, DV_SHAPE_POINTS, NULL},
    {DV_SHAPE_RAYS, DV_SHAPE_LINES, NULL},
    {DV_SHAPE_RAYS, DV_SHAPE_CAPSULES, NULL},
    {DV_SHAPE_RAYS, DV_SHAPE_RIGID_CAPSULES, NULL},
    {0},
};
