/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NewProximityIntersection: nearest points of pairs of elements, where each corner and each edge of a surface is tested once.
 *
 * A point whose foot is outside a triangle is near one of its edges or corners; that counts only when the triangle owns it
 * (DV_OWNS_*). Triangles meet by their corners and, with `useLineLine`, by their edges. Points on spheres are their centres, but
 * for triangles on spheres.
 */
#include <divan/divan.h>

#include "intersection.h"

#define TINY 2.2e-16

typedef struct NewProximityIntersection {
    Proximity base;
    DvData line_line;
} NewProximityIntersection;

static const DvField fields[] = {
    PROXIMITY_FIELDS(NewProximityIntersection, base),
    DV_FIELD(NewProximityIntersection, line_line, "useLineLine", dv_type_bool, .init = "0",
             .help = "triangles meet by their edges too"),
    {0},
};

/* Two points that are nearer than the alarm distance and radii. */
DV_SIMD_INLINE bool add_near(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], int64_t id,
                             DvVec3 p, DvVec3 q, double radii)
{
    const DvVec3 d = dv_vec3_sub(q, p);
    const double d2 = fused_norm_squared(d), most = query->alarm + radii;
    if (!(d2 < most * most))
        return false;
    const double distance = sqrt(d2);
    add_contact(sink, pair, id, p, q, guarded_direction(d, distance), distance - query->contact - radii);
    return true;
}

/* Points and spheres on points and spheres, by their centres. */
DV_SIMD_CLONES static void points_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                            DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_near(query, sink, pairs[i], id_by_size(query, pairs[i]), corner_of(query->a, pairs[i][0], 0),
                       corner_of(query->b, pairs[i][1], 0),
                       radius_of(query->a, pairs[i][0]) + radius_of(query->b, pairs[i][1]));
}

DV_SIMD_INLINE DvVec3 nearest_on_line(DvVec3 a, DvVec3 b, DvVec3 p)
{
    const DvVec3 ab = dv_vec3_sub(b, a);
    const double alpha = fused_dot(dv_vec3_sub(p, a), ab) / fused_norm_squared(ab);
    return fused_madd(a, clamped(alpha), ab);
}

/* Points, or spheres by their centres. */
DV_SIMD_CLONES static void lines_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                           DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 p = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 foot =
            nearest_on_line(corner_of(query->a, pairs[i][0], 0), corner_of(query->a, pairs[i][0], 1), p);
        (void)add_near(query, sink, pairs[i], pairs[i][1], foot, p, radius_of(query->b, pairs[i][1]));
    }
}

DV_SIMD_INLINE bool add_lines(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], int64_t id,
                              DvVec3 p, DvVec3 p_end, DvVec3 q, DvVec3 q_end)
{
    const DvVec3 ab = dv_vec3_sub(p_end, p), cd = dv_vec3_sub(q_end, q);
    double alpha, beta;
    if (nearest_on_lines(p, ab, q, cd, 1e-12, &alpha, &beta) &&
        (alpha < 1e-6 || alpha > 1 - 1e-6 || beta < 1e-6 || beta > 1 - 1e-6))
        return false;
    return add_near(query, sink, pair, id, fused_madd(p, alpha, ab), fused_madd(q, beta, cd), 0.0);
}

DV_SIMD_CLONES static void lines_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                          DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++)
        (void)add_lines(query, sink, pairs[i], id_by_size(query, pairs[i]), corner_of(query->a, pairs[i][0], 0),
                        corner_of(query->a, pairs[i][0], 1), corner_of(query->b, pairs[i][1], 0),
                        corner_of(query->b, pairs[i][1], 1));
}

/* The place of a triangle that is nearest to q; false when it belongs to a neighbour. */
DV_SIMD_INLINE bool nearest_owned(const Triangle *t, DvVec3 q, DvVec3 *nearest)
{
    static const TriangleMargins margins = {.inside = TINY, .corner_ac = TINY, .edges_begin = true};
    return owns(t, nearest_of_triangle(t, q, margins, nearest));
}

/* A corner of the second model against a triangle of the first. */
DV_SIMD_INLINE void add_triangle_point(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2],
                                       int64_t id, const Triangle *t, DvVec3 q)
{
    DvVec3 nearest;
    if (nearest_owned(t, q, &nearest))
        (void)add_near(query, sink, pair, id, nearest, q, 0.0);
}

/* A corner of the first model against a triangle of the second. */
DV_SIMD_INLINE void add_point_triangle(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2],
                                       int64_t id, DvVec3 p, const Triangle *t)
{
    DvVec3 nearest;
    if (nearest_owned(t, p, &nearest))
        (void)add_near(query, sink, pair, id, p, nearest, 0.0);
}

DV_SIMD_CLONES static void triangles_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                               DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->a, pairs[i][0]);
        add_triangle_point(query, sink, pairs[i], pairs[i][1], &t, corner_of(query->b, pairs[i][1], 0));
    }
}

DV_SIMD_INLINE void onto_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink, bool edges_too)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->a, pairs[i][0]);
        const uint32_t line = pairs[i][1];
        const DvVec3 q1 = corner_of(query->b, line, 0), q2 = corner_of(query->b, line, 1);
        for (uint32_t k = 0; k < 3; k++)
            if (t.owns & (DV_OWNS_CORNER_0 << k))
                (void)add_near(query, sink, pairs[i], line, t.corner[k], nearest_on_line(q1, q2, t.corner[k]), 0.0);
        add_triangle_point(query, sink, pairs[i], line, &t, q1);
        add_triangle_point(query, sink, pairs[i], line, &t, q2);
        for (uint32_t k = 0; edges_too && k < 3; k++)
            if (t.owns & triangle_edges[k].owned)
                (void)add_lines(query, sink, pairs[i], line, t.corner[triangle_edges[k].from],
                                t.corner[triangle_edges[k].to], q1, q2);
    }
}

DV_SIMD_CLONES static void triangles_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                              DvContactSink *sink)
{
    onto_lines(query, pairs, count, sink, false);
}

DV_SIMD_CLONES static void triangles_and_edges_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2],
                                                        uint32_t count, DvContactSink *sink)
{
    onto_lines(query, pairs, count, sink, true);
}

DV_SIMD_INLINE bool share_a_corner(const DvShape *s, uint32_t first, uint32_t second)
{
    const uint32_t *a = s->vertices + 3 * (size_t)first, *b = s->vertices + 3 * (size_t)second;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (a[i] == b[k])
                return true;
    return false;
}

DV_SIMD_INLINE void onto_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                   DvContactSink *sink, bool edges_too)
{
    for (uint32_t i = 0; i < count; i++) {
        if (query->same_model && share_a_corner(query->a, pairs[i][0], pairs[i][1]))
            continue;
        const Triangle s = triangle_of(query->a, pairs[i][0]), t = triangle_of(query->b, pairs[i][1]);
        const int64_t of_first = 3 * (int64_t)pairs[i][0];
        const int64_t of_second = 3 * (int64_t)query->a->count + 12 * (int64_t)pairs[i][1];
        for (uint32_t k = 0; k < 3; k++) /* its first corner whoever owns it */
            if (k == 0 || (s.owns & (DV_OWNS_CORNER_0 << k)))
                add_point_triangle(query, sink, pairs[i], of_first + k, s.corner[k], &t);
        for (uint32_t k = 0; k < 3; k++)
            if (t.owns & (DV_OWNS_CORNER_0 << k))
                add_triangle_point(query, sink, pairs[i], of_second + k, &s, t.corner[k]);
        for (uint32_t e = 0; edges_too && e < 3; e++)
            for (uint32_t f = 0; (s.owns & triangle_edges[e].owned) && f < 3; f++)
                if (t.owns & triangle_edges[f].owned)
                    (void)add_lines(query, sink, pairs[i], of_second + 3 * e + f + 3, s.corner[triangle_edges[e].from],
                                    s.corner[triangle_edges[e].to], t.corner[triangle_edges[f].from],
                                    t.corner[triangle_edges[f].to]);
    }
}

DV_SIMD_CLONES static void triangles_on_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2],
                                                  uint32_t count, DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, false);
}

DV_SIMD_CLONES static void triangles_and_edges_on_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2],
                                                            uint32_t count, DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, true);
}

/* The place of a triangle nearest to the centre of a sphere. Owners are those of the definition: edge 02 asks for that of edge 01, edge
 * 12 for that of edge 02; see docs/differences.md. */
DV_SIMD_INLINE bool nearest_to_sphere(const Triangle *t, DvVec3 c, DvVec3 *nearest)
{
    static const TriangleMargins margins = {.inside = 1e-6, .corner_ac = 1e-7};
    const uint16_t place = nearest_of_triangle(t, c, margins, nearest);
    return owns(t, place == DV_OWNS_EDGE_1 ? DV_OWNS_EDGE_2 : place == DV_OWNS_EDGE_0 ? DV_OWNS_EDGE_1 : place);
}

DV_SIMD_CLONES static void triangles_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                                DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->a, pairs[i][0]);
        const uint32_t sphere = pairs[i][1];
        const DvVec3 c = corner_of(query->b, sphere, 0);
        DvVec3 from;
        if (!nearest_to_sphere(&t, c, &from))
            continue;
        const DvVec3 d = dv_vec3_sub(c, from);
        const double radius = query->b->radii[sphere], distance = fused_norm(d);
        if (!(distance < query->alarm + radius))
            continue;
        const DvVec3 normal = guarded_direction(d, distance);
        add_contact(sink, pairs[i], sphere, from, point_on_sphere(query->b, sphere, dv_vec3_neg(normal)), normal,
                    distance - query->contact - radius);
    }
}

/* Where a ray enters a sphere, and where it leaves it. */
static void rays_through_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                 DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t ray = pairs[i][0], sphere = pairs[i][1];
        const DvVec3 from = corner_of(query->a, ray, 0), way = dv_vec3_sub(corner_of(query->a, ray, 1), from);
        const DvVec3 c = corner_of(query->b, sphere, 0);
        const double radius = query->b->radii[sphere], foot = foot_on_line(from, way, c);
        const double length2 = fused_norm_squared(way);
        const double d2 = fused_norm_squared(dv_vec3_sub(fused_madd(from, foot, way), c));
        if (!(d2 <= radius * radius && length2 > 0))
            continue;
        const double half = sqrt((radius * radius - d2) / length2);
        for (int side = 0; side < 2; side++) {
            const double t = side ? foot + half : foot - half;
            if (!(t >= 0 && t <= 1))
                continue;
            const DvVec3 at = fused_madd(from, t, way), d = dv_vec3_sub(at, c);
            add_contact(sink, pairs[i], ray, at, at, guarded_direction(d, fused_norm(d)), 0.0);
        }
    }
}

static const RoutineRow always[] = {
    {DV_SHAPE_SPHERES, DV_SHAPE_SPHERES, points_on_points},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_RIGID_SPHERES, points_on_points},
    {DV_SHAPE_SPHERES, DV_SHAPE_RIGID_SPHERES, points_on_points},
    {DV_SHAPE_SPHERES, DV_SHAPE_POINTS, points_on_points},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_POINTS, points_on_points},
    {DV_SHAPE_POINTS, DV_SHAPE_POINTS, points_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_POINTS, lines_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_SPHERES, lines_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_RIGID_SPHERES, lines_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_LINES, lines_on_lines},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_POINTS, triangles_on_points},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_SPHERES, triangles_on_spheres},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_RIGID_SPHERES, triangles_on_spheres},
    {DV_SHAPE_RAYS, DV_SHAPE_TRIANGLES, rays_near_triangles},
    {DV_SHAPE_RAYS, DV_SHAPE_RIGID_SPHERES, rays_through_spheres},
    {0},
};

static const RoutineRow without_edges[] = {
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, triangles_on_lines},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_TRIANGLES, triangles_on_triangles},
    {0},
};

static const RoutineRow with_edges[] = {
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, triangles_and_edges_on_lines},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_TRIANGLES, triangles_and_edges_on_triangles},
    {0},
};

bool new_proximity_serves(const char *a, const char *b)
{
    return is_in(always, a, b) || is_in(without_edges, a, b) || is_in(capsule_surface_rows, a, b) ||
           is_in(box_surface_rows, a, b);
}

static DvRoutineAnswer find_routine(void *self_, const char *a, const char *b, DvContactRoutine *routine)
{
    NewProximityIntersection *self = self_;
    const bool manifold = dv_data_bool(&self->base.box_manifold);
    const RoutineRow *const tables[] = {always, dv_data_bool(&self->line_line) ? with_edges : without_edges,
                                        capsule_surface_rows, manifold ? box_manifold_rows : box_surface_rows};
    DvRoutineAnswer answer = DV_ROUTINE_NONE;
    for (size_t i = 0; answer == DV_ROUTINE_NONE && i < sizeof tables / sizeof *tables; i++)
        answer = routine_in(tables[i], a, b, routine);
    return answer != DV_ROUTINE_NONE ? answer : discrete_routine(manifold, a, b, routine);
}

static DvStatus init(DvObject *object, void *self)
{
    return proximity_init(object, &((NewProximityIntersection *)self)->base);
}

static const DvIntersectionMethodOps ops = {
    .size = sizeof ops,
    .alarm_distance = proximity_alarm_distance,
    .contact_distance = proximity_contact_distance,
    .box_tolerance = proximity_box_tolerance,
    .routine = find_routine,
};

const DvClass dv_new_proximity_intersection = {
    .size = sizeof(DvClass),
    .name = "NewProximityIntersection",
    .bases = (const char *const[]){"BaseProximityIntersection", NULL},
    .family = "intersection methods",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .help = "Nearest points of pairs of elements; shared corners and edges of a surface are tested once.",
    .instance_size = sizeof(NewProximityIntersection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_INTERSECTION_METHOD, .ops = &ops}, {0}},
    .init = init,
};
