/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MinProximityIntersection: nearest points of pairs of elements, inside both.
 *
 * A foot counts when it is inside its triangle or line by a millionth. The foot of a point on a line is clamped to the line, so that a
 * point near a corner of a mesh is near each line around it.
 */
#include <divan/divan.h>

#include "intersection.h"

#define INSIDE 1e-6

typedef struct MinProximityIntersection {
    Proximity base;
    DvData sphere_triangle, point_point, surface_normals, line_point, line_line;
} MinProximityIntersection;

static const DvField fields[] = {
    PROXIMITY_FIELDS(MinProximityIntersection, base),
    DV_FIELD(MinProximityIntersection, sphere_triangle, "useSphereTriangle", dv_type_bool, .init = "1",
             .help = "test spheres against triangles, lines and points"),
    DV_FIELD(MinProximityIntersection, point_point, "usePointPoint", dv_type_bool, .init = "1",
             .help = "test points against points"),
    DV_FIELD(MinProximityIntersection, surface_normals, "useSurfaceNormals", dv_type_bool, .init = "0",
             .help = "points meet triangles along the normal of the triangle"),
    DV_FIELD(MinProximityIntersection, line_point, "useLinePoint", dv_type_bool, .init = "1",
             .help = "test points against lines"),
    DV_FIELD(MinProximityIntersection, line_line, "useLineLine", dv_type_bool, .init = "1",
             .help = "test lines against lines"),
    {0},
};

/* The distance of p and q when it is less than alarm and the radii; negative otherwise. */
DV_SIMD_INLINE double distance_within(DvVec3 pq, double alarm)
{
    const double d2 = fused_norm_squared(pq);
    return d2 < alarm * alarm ? sqrt(d2) : -1.0;
}

DV_SIMD_CLONES static void lines_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                          DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 p = corner_of(query->a, pairs[i][0], 0), q = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, pairs[i][0], 1), p);
        const DvVec3 cd = dv_vec3_sub(corner_of(query->b, pairs[i][1], 1), q);
        const LineFeet feet = feet_of_lines(p, ab, q, cd);
        const bool crossed = fabs(feet.det) > GUARD;
        if (crossed & feet_are_outside(feet.alpha, feet.beta, feet.det))
            continue;
        const double alpha = crossed ? feet.alpha / feet.det : 0.5, beta = crossed ? feet.beta / feet.det : 0.5;
        if (crossed && (alpha < INSIDE || alpha > 1 - INSIDE || beta < INSIDE || beta > 1 - INSIDE))
            continue;
        const DvVec3 from = fused_madd(p, alpha, ab), to = fused_madd(q, beta, cd);
        const double distance = distance_within(dv_vec3_sub(to, from), query->alarm);
        if (distance >= 0)
            add_contact(sink, pairs[i], id_by_size(query, pairs[i]), from, to,
                        guarded_direction(dv_vec3_sub(to, from), distance), distance - query->contact);
    }
}

/* Points, or spheres, against triangles. */
DV_SIMD_INLINE void onto_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                   DvContactSink *sink, bool along_surface_normal)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = pairs[i][0], other = pairs[i][1];
        const DvVec3 a = corner_of(query->a, triangle, 0), p = corner_of(query->b, other, 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, triangle, 1), a);
        const DvVec3 ac = dv_vec3_sub(corner_of(query->a, triangle, 2), a);
        PlaneFoot foot;
        const double det = undivided_foot_on_plane(a, ab, ac, p, &foot);
        if (feet_are_outside(foot.alpha, foot.beta, det))
            continue;
        foot.alpha /= det;
        foot.beta /= det;
        if (foot.alpha < INSIDE || foot.beta < INSIDE || foot.alpha + foot.beta > 1 - INSIDE)
            continue;
        const DvVec3 from = fused_madd(fused_madd(a, foot.alpha, ab), foot.beta, ac);
        const DvVec3 d = dv_vec3_sub(p, from);
        const double radius = radius_of(query->b, other), distance = distance_within(d, query->alarm + radius);
        if (distance < 0)
            continue;
        DvVec3 normal = guarded_direction(d, distance);
        const DvVec3 to = query->b->radii ? point_on_sphere(query->b, other, dv_vec3_neg(normal)) : p;
        if (along_surface_normal)
            normal = dv_vec3_load(query->a->normals + 3 * (size_t)triangle);
        add_contact(sink, pairs[i], other, from, to, normal, distance - query->contact - radius);
    }
}

DV_SIMD_CLONES static void triangles_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                               DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, false);
}

DV_SIMD_CLONES static void triangles_on_points_along_normals(const DvContactQuery *query, const uint32_t (*pairs)[2],
                                                             uint32_t count, DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, true);
}

DV_SIMD_CLONES static void lines_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                           DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 a = corner_of(query->a, pairs[i][0], 0), b = corner_of(query->a, pairs[i][0], 1);
        const DvVec3 p = corner_of(query->b, pairs[i][1], 0), ab = dv_vec3_sub(b, a);
        const double alpha = fused_dot(dv_vec3_sub(p, a), ab) / fused_norm_squared(ab);
        const DvVec3 from = alpha <= 0 ? a : alpha >= 1 ? b : fused_madd(a, alpha, ab), d = dv_vec3_sub(p, from);
        const double distance = distance_within(d, query->alarm);
        if (distance >= 0)
            add_contact(sink, pairs[i], pairs[i][1], from, p, guarded_direction(d, distance),
                        distance - query->contact);
    }
}

/* The place along the line is measured from its second end and laid off from the first: the definition, kept for the sake of
 * known trajectories; see docs/differences.md. */
DV_SIMD_CLONES static void lines_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                            DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sphere = pairs[i][1];
        const DvVec3 a = corner_of(query->a, pairs[i][0], 0), b = corner_of(query->a, pairs[i][0], 1);
        const DvVec3 c = corner_of(query->b, sphere, 0), ba = dv_vec3_sub(a, b);
        const double alpha = fused_dot(ba, dv_vec3_sub(c, b)) / fused_norm_squared(ba);
        if (alpha < INSIDE || alpha > 1 - INSIDE)
            continue;
        const DvVec3 from = fused_madd(a, -alpha, ba), d = dv_vec3_sub(c, from);
        const double radius = query->b->radii[sphere], distance = distance_within(d, query->alarm + radius);
        if (distance < 0)
            continue;
        const DvVec3 normal = guarded_direction(d, distance);
        add_contact(sink, pairs[i], sphere, from, point_on_sphere(query->b, sphere, dv_vec3_neg(normal)), normal,
                    distance - query->contact - radius);
    }
}

DV_SIMD_CLONES static void points_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                            DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 p = corner_of(query->a, pairs[i][0], 0), q = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 d = dv_vec3_sub(q, p);
        const double distance = distance_within(d, query->alarm);
        if (distance >= 0)
            add_contact(sink, pairs[i], id_by_size(query, pairs[i]), p, q, guarded_direction(d, distance),
                        distance - query->contact);
    }
}

DV_SIMD_CLONES static void spheres_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                             DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sphere = pairs[i][0];
        const DvVec3 q = corner_of(query->b, pairs[i][1], 0), d = dv_vec3_sub(q, corner_of(query->a, sphere, 0));
        const double radius = query->a->radii[sphere], distance = distance_within(d, query->alarm + radius);
        if (distance < 0)
            continue;
        const DvVec3 normal = guarded_direction(d, distance);
        add_contact(sink, pairs[i], sphere, point_on_sphere(query->a, sphere, normal), q, normal,
                    distance - query->contact - radius);
    }
}

/* With a switch of the method that has to be on. */
typedef struct SwitchedRow {
    RoutineRow row;
    size_t offset; /* of the DvData */
} SwitchedRow;

#define ON(member) offsetof(MinProximityIntersection, member)
static const SwitchedRow switched[] = {
    {{DV_SHAPE_SPHERES, DV_SHAPE_POINTS, spheres_on_points}, ON(sphere_triangle)},
    {{DV_SHAPE_RIGID_SPHERES, DV_SHAPE_POINTS, spheres_on_points}, ON(sphere_triangle)},
    {{DV_SHAPE_LINES, DV_SHAPE_SPHERES, lines_on_spheres}, ON(sphere_triangle)},
    {{DV_SHAPE_LINES, DV_SHAPE_RIGID_SPHERES, lines_on_spheres}, ON(sphere_triangle)},
    {{DV_SHAPE_TRIANGLES, DV_SHAPE_SPHERES, triangles_on_points}, ON(sphere_triangle)},
    {{DV_SHAPE_TRIANGLES, DV_SHAPE_RIGID_SPHERES, triangles_on_points}, ON(sphere_triangle)},
    {{DV_SHAPE_POINTS, DV_SHAPE_POINTS, points_on_points}, ON(point_point)},
    {{DV_SHAPE_LINES, DV_SHAPE_POINTS, lines_on_points}, ON(line_point)},
    {{DV_SHAPE_LINES, DV_SHAPE_LINES, lines_on_lines}, ON(line_line)},
};

static const RoutineRow always[] = {
    {DV_SHAPE_TRIANGLES, DV_SHAPE_POINTS, triangles_on_points},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, NULL},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_TRIANGLES, NULL},
    {0},
};

static const RoutineRow along_normals[] = {
    {DV_SHAPE_TRIANGLES, DV_SHAPE_POINTS, triangles_on_points_along_normals},
    {0},
};

bool min_proximity_serves(const char *a, const char *b)
{
    bool found = is_in(always, a, b);
    for (size_t i = 0; !found && i < sizeof switched / sizeof *switched; i++)
        found = is_in((const RoutineRow[]){switched[i].row, {0}}, a, b);
    return found;
}

static DvRoutineAnswer find_routine(void *self_, const char *a, const char *b, DvContactRoutine *routine)
{
    MinProximityIntersection *self = self_;
    for (size_t i = 0; i < sizeof switched / sizeof *switched; i++) {
        const RoutineRow row[2] = {switched[i].row, {0}};
        if (routine_in(row, a, b, routine) == DV_ROUTINE_FOUND)
            return dv_data_bool((DvData *)(void *)((char *)self + switched[i].offset)) ? DV_ROUTINE_FOUND
                                                                                       : DV_ROUTINE_IGNORED;
    }
    if (dv_data_bool(&self->surface_normals) && routine_in(along_normals, a, b, routine) == DV_ROUTINE_FOUND)
        return DV_ROUTINE_FOUND;
    const DvRoutineAnswer answer = routine_in(always, a, b, routine);
    return answer != DV_ROUTINE_NONE ? answer : discrete_routine(dv_data_bool(&self->base.box_manifold), a, b, routine);
}

static DvStatus init(DvObject *object, void *self)
{
    return proximity_init(object, &((MinProximityIntersection *)self)->base);
}

static const DvIntersectionMethodOps ops = {
    .size = sizeof ops,
    .alarm_distance = proximity_alarm_distance,
    .contact_distance = proximity_contact_distance,
    .box_tolerance = proximity_box_tolerance,
    .routine = find_routine,
};

const DvClass dv_min_proximity_intersection = {
    .size = sizeof(DvClass),
    .name = "MinProximityIntersection",
    .bases = (const char *const[]){"BaseProximityIntersection", NULL},
    .family = "intersection methods",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .help = "Nearest points of pairs of elements that are inside both.",
    .instance_size = sizeof(MinProximityIntersection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_INTERSECTION_METHOD, .ops = &ops}, {0}},
    .init = init,
};
