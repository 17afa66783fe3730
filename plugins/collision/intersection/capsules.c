/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Capsules against capsules, spheres, lines and triangles: nearest points of their segments.
 *
 * Contacts with capsules and spheres are on the surface, those with lines and triangles on the segment of the capsule, whose radius
 * then counts by its gap.
 */
#include <divan/divan.h>

#include "intersection.h"

/* Angles whose sine is below 1e-6 count as parallel: what rounding leaves of smaller ones is no direction. */
static void nearest_of_capsule(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double *alpha, double *beta)
{
    const double least = 1e-12 * dv_vec3_norm_squared(ab) * dv_vec3_norm_squared(cd);
    nearest_on_segments(p, ab, q, cd, least, alpha, beta);
}

static bool share_an_end(const DvShape *s, const uint32_t pair[2])
{
    const uint32_t *a = s->vertices + 2 * (size_t)pair[0], *b = s->vertices + 2 * (size_t)pair[1];
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static void capsules_on_capsules(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                 DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t one = pairs[i][0], two = pairs[i][1];
        if (query->same_model && share_an_end(query->a, pairs[i]))
            continue;
        const DvVec3 p = corner_of(query->a, one, 0), q = corner_of(query->b, two, 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, one, 1), p);
        const DvVec3 cd = dv_vec3_sub(corner_of(query->b, two, 1), q);
        double alpha, beta;
        nearest_of_capsule(p, ab, q, cd, &alpha, &beta);
        const DvVec3 from = dv_vec3_madd(p, alpha, ab), to = dv_vec3_madd(q, beta, cd), d = dv_vec3_sub(to, from);
        const double r1 = query->a->radii[one], r2 = query->b->radii[two], distance = dv_vec3_norm(d);
        if (!(distance <= query->alarm + r1 + r2))
            continue;
        const DvVec3 n = guarded_direction(d, distance);
        add_contact(sink, pairs[i], id_by_size(query, pairs[i]), dv_vec3_madd(from, r1, n), dv_vec3_madd(to, -r2, n), n,
                    distance - r1 - r2 - query->contact);
    }
}

static void capsules_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t capsule = pairs[i][0], sphere = pairs[i][1];
        const DvVec3 a = corner_of(query->a, capsule, 0), b = corner_of(query->a, capsule, 1);
        const DvVec3 ab = dv_vec3_sub(b, a), c = corner_of(query->b, sphere, 0);
        const double alpha = foot_on_line(a, ab, c);
        const DvVec3 from = alpha < 1e-6 ? a : alpha > 1 - 1e-6 ? b : dv_vec3_madd(a, alpha, ab);
        const DvVec3 d = dv_vec3_sub(c, from);
        const double r1 = query->a->radii[capsule], r2 = query->b->radii[sphere], distance = dv_vec3_norm(d);
        if (!(distance <= query->alarm + r1 + r2))
            continue;
        const DvVec3 n = guarded_direction(d, distance);
        add_contact(sink, pairs[i], capsule, dv_vec3_madd(from, r1, n),
                    point_on_sphere(query->b, sphere, dv_vec3_neg(n)), n, distance - r1 - r2 - query->contact);
    }
}

/* A place of the segment and one of something that has no thickness. */
static bool add_near_segment(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], DvVec3 from,
                             DvVec3 to)
{
    const DvVec3 d = dv_vec3_sub(to, from);
    const double radius = query->a->radii[pair[0]], distance = dv_vec3_norm(d);
    if (!(distance < query->alarm + radius))
        return false;
    add_contact(sink, pair, pair[0], from, to, guarded_direction(d, distance), distance - query->contact - radius);
    return true;
}

static void capsules_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                              DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 p = corner_of(query->a, pairs[i][0], 0), q = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, pairs[i][0], 1), p);
        const DvVec3 cd = dv_vec3_sub(corner_of(query->b, pairs[i][1], 1), q);
        double alpha, beta;
        nearest_of_capsule(p, ab, q, cd, &alpha, &beta);
        (void)add_near_segment(query, sink, pairs[i], dv_vec3_madd(p, alpha, ab), dv_vec3_madd(q, beta, cd));
    }
}

/* Two contacts that are equally near become one between them. */
static void merge_last_two(DvContactSink *sink)
{
    DvContact *one = &sink->contacts[sink->count - 2], *two = one + 1;
    if (!(fabs(one->gap - two->gap) <= GUARD))
        return;
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 3; axis++)
            one->point[side][axis] = 0.5 * (one->point[side][axis] + two->point[side][axis]);
    const DvVec3 n = dv_vec3_add(dv_vec3_load(one->normal), dv_vec3_load(two->normal));
    const double length = dv_vec3_norm(n);
    if (length > GUARD)
        dv_vec3_store(dv_vec3_scale(n, 1.0 / length), one->normal);
    one->id = 0;
    sink->count--;
}

static void add_ends(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], const Triangle *t)
{
    static const TriangleMargins margins = {.inside = 1e-6, .corner_ac = 1e-6, .edges_begin = true};
    uint32_t hits = 0;
    for (uint32_t end = 0; end < 2; end++) {
        const DvVec3 p = corner_of(query->a, pair[0], end);
        DvVec3 nearest;
        if (owns(t, nearest_of_triangle(t, p, margins, &nearest)))
            hits += add_near_segment(query, sink, pair, p, nearest);
    }
    if (hits == 2)
        merge_last_two(sink);
}

static void add_edges(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], const Triangle *t)
{
    const DvVec3 p = corner_of(query->a, pair[0], 0), ab = dv_vec3_sub(corner_of(query->a, pair[0], 1), p);
    for (uint32_t e = 0; e < 3; e++) {
        if (!(t->owns & triangle_edges[e].owned))
            continue;
        const uint32_t first = triangle_edges[e].from, last = triangle_edges[e].to;
        const DvVec3 q = t->corner[first], cd = dv_vec3_sub(t->corner[last], q);
        double alpha, beta;
        nearest_of_capsule(p, ab, q, cd, &alpha, &beta);
        const bool at_corner_of_another = (beta <= 0 && !(t->owns & (DV_OWNS_CORNER_0 << first))) ||
                                          (beta >= 1 && !(t->owns & (DV_OWNS_CORNER_0 << last)));
        if (!at_corner_of_another)
            (void)add_near_segment(query, sink, pair, dv_vec3_madd(p, alpha, ab), dv_vec3_madd(q, beta, cd));
    }
}

static void capsules_on_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                  DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->b, pairs[i][1]);
        add_ends(query, sink, pairs[i], &t);
        add_edges(query, sink, pairs[i], &t);
    }
}

const RoutineRow capsule_rows[] = {
    {DV_SHAPE_CAPSULES, DV_SHAPE_CAPSULES, capsules_on_capsules},
    {DV_SHAPE_CAPSULES, DV_SHAPE_RIGID_CAPSULES, capsules_on_capsules},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_RIGID_CAPSULES, capsules_on_capsules},
    {DV_SHAPE_CAPSULES, DV_SHAPE_SPHERES, capsules_on_spheres},
    {DV_SHAPE_CAPSULES, DV_SHAPE_RIGID_SPHERES, capsules_on_spheres},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_SPHERES, capsules_on_spheres},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_RIGID_SPHERES, capsules_on_spheres},
    {0},
};

const RoutineRow capsule_surface_rows[] = {
    {DV_SHAPE_CAPSULES, DV_SHAPE_TRIANGLES, capsules_on_triangles},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_TRIANGLES, capsules_on_triangles},
    {DV_SHAPE_CAPSULES, DV_SHAPE_LINES, capsules_on_lines},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_LINES, capsules_on_lines},
    {0},
};
