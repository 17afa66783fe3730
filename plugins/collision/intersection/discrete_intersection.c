/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DiscreteIntersection: elements that intersect, without any distance: spheres that overlap, lines that pierce triangles.
 *
 * Every other method knows these pairs too, unless it says otherwise.
 */
#include <divan/divan.h>

#include "intersection.h"

void spheres_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    const DvShape *a = query->a, *b = query->b;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t one = pairs[i][0], two = pairs[i][1];
        const double reach = a->radii[one] + b->radii[two];
        const DvVec3 d = dv_vec3_sub(corner_of(b, two, 0), corner_of(a, one, 0));
        const double d2 = dv_vec3_norm_squared(d), most = query->alarm + reach;
        if (d2 > most * most)
            continue;
        const double length = sqrt(d2);
        const DvVec3 normal = guarded_direction(d, length);
        add_contact(sink, pairs[i], id_by_size(query, pairs[i]), point_on_sphere(a, one, normal),
                    point_on_sphere(b, two, dv_vec3_neg(normal)), normal, length - reach - query->contact);
    }
}

#define LEAST_VOLUME 2.220446049250313e-16 /* m^3, of the line and the sides of the triangle: less is parallel */

/* Where the line p q meets the plane of the triangle: p + t pq = a + u ab + v ac, by Cramer's rule. */
static void triangles_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = pairs[i][0], line = pairs[i][1];
        const DvVec3 a = corner_of(query->a, triangle, 0), p = corner_of(query->b, line, 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, triangle, 1), a);
        const DvVec3 ac = dv_vec3_sub(corner_of(query->a, triangle, 2), a);
        const DvVec3 pq = dv_vec3_sub(corner_of(query->b, line, 1), p), ap = dv_vec3_sub(p, a);
        const DvVec3 n = dv_vec3_cross(ab, ac);
        const double det = -dv_vec3_dot(n, pq);
        if (!(fabs(det) > LEAST_VOLUME))
            continue;
        const DvVec3 w = dv_vec3_cross(ap, pq);
        const double u = dv_vec3_dot(ac, w) / det, v = -dv_vec3_dot(ab, w) / det, t = dv_vec3_dot(n, ap) / det;
        if (!(u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1))
            continue;
        const DvVec3 at = dv_vec3_madd(p, t, pq);
        add_contact(sink, pairs[i], line, at, at, dv_vec3_load(query->a->normals + 3 * (size_t)triangle), 0.0);
    }
}

static const RoutineRow rows[] = {
    {DV_SHAPE_SPHERES, DV_SHAPE_SPHERES, spheres_on_spheres},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_RIGID_SPHERES, spheres_on_spheres},
    {DV_SHAPE_SPHERES, DV_SHAPE_RIGID_SPHERES, spheres_on_spheres},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, triangles_on_lines},
    {0},
};

DvRoutineAnswer discrete_routine(const char *a, const char *b, DvContactRoutine *routine)
{
    return routine_in(rows, a, b, routine);
}

static DvRoutineAnswer find_routine(void *self, const char *a, const char *b, DvContactRoutine *routine)
{
    (void)self;
    return discrete_routine(a, b, routine);
}

static double no_distance(void *self)
{
    (void)self;
    return 0.0;
}

static double no_tolerance(void *self, double distance_a, double distance_b)
{
    (void)self, (void)distance_a, (void)distance_b;
    return 0.0;
}

static const DvIntersectionMethodOps ops = {
    .size = sizeof ops,
    .alarm_distance = no_distance,
    .contact_distance = no_distance,
    .box_tolerance = no_tolerance,
    .routine = find_routine,
};

typedef struct DiscreteIntersection {
    char unused;
} DiscreteIntersection;

const DvClass dv_discrete_intersection = {
    .size = sizeof(DvClass),
    .name = "DiscreteIntersection",
    .bases = (const char *const[]){"Intersection", NULL},
    .family = "intersection methods",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .help = "Elements that intersect: overlapping spheres, lines through triangles.",
    .instance_size = sizeof(DiscreteIntersection),
    .contracts = (const DvContract[]){{.id = DV_INTERSECTION_METHOD, .ops = &ops}, {0}},
};
