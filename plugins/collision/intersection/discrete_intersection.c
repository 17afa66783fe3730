/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DiscreteIntersection: elements that intersect, without any distance: spheres, capsules and boxes that overlap, lines that pierce
 * triangles, points in tetrahedra.
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

static void triangles_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = pairs[i][0], line = pairs[i][1];
        const DvVec3 p = corner_of(query->b, line, 0), pq = dv_vec3_sub(corner_of(query->b, line, 1), p);
        double t;
        if (!line_meets_triangle(corner_of(query->a, triangle, 0), corner_of(query->a, triangle, 1),
                                 corner_of(query->a, triangle, 2), p, pq, &t) ||
            !(t >= 0 && t <= 1))
            continue;
        const DvVec3 at = dv_vec3_madd(p, t, pq);
        add_contact(sink, pairs[i], line, at, at, dv_vec3_load(query->a->normals + 3 * (size_t)triangle), 0.0);
    }
}

/* How far a point with these barycentric coordinates is from the surface, along a direction in which they change at these rates; 0
 * where it does not leave. */
static double way_out(const double at[4], const double rate[4])
{
    double least = HUGE_VAL;
    for (int k = 0; k < 4; k++)
        if (rate[k] < -1e-10 && -at[k] / rate[k] < least)
            least = -at[k] / rate[k];
    return least < 1e9 ? least : 0.0;
}

/* A point inside a tetrahedron goes back the way it came: against its normal. */
static void tetrahedra_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                 DvContactSink *sink)
{
    const DvShape *a = query->a, *b = query->b;
    for (uint32_t i = 0; b->normals && i < count; i++) {
        const uint32_t tetrahedron = pairs[i][0], point = pairs[i][1], *corner = a->vertices + 4 * (size_t)tetrahedron;
        const DvVec3 n = dv_vec3_load(b->normals + 3 * (size_t)point), p = corner_of(b, point, 0);
        if (dv_vec3_norm_squared(n) == 0.0 ||
            (a->x == b->x && (corner[0] == point || corner[1] == point || corner[2] == point || corner[3] == point)))
            continue;
        const DvVec3 x[4] = {corner_of(a, tetrahedron, 0), corner_of(a, tetrahedron, 1), corner_of(a, tetrahedron, 2),
                             corner_of(a, tetrahedron, 3)};
        double at[4], ahead[4];
        if (!barycentric_in_tetrahedron(x, p, at) || !(at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[3] >= 0) ||
            !barycentric_in_tetrahedron(x, dv_vec3_sub(p, n), ahead))
            continue;
        const double rate[4] = {ahead[0] - at[0], ahead[1] - at[1], ahead[2] - at[2], ahead[3] - at[3]};
        const double way = way_out(at, rate);
        add_contact(sink, pairs[i], point, dv_vec3_madd(p, -way, n), p, dv_vec3_neg(n), -way);
    }
}

static const RoutineRow rows[] = {
    {DV_SHAPE_SPHERES, DV_SHAPE_SPHERES, spheres_on_spheres},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_RIGID_SPHERES, spheres_on_spheres},
    {DV_SHAPE_SPHERES, DV_SHAPE_RIGID_SPHERES, spheres_on_spheres},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, triangles_on_lines},
    {DV_SHAPE_TETRAHEDRA, DV_SHAPE_POINTS, tetrahedra_on_points},
    {0},
};

DvRoutineAnswer discrete_routine(bool box_manifold, const char *a, const char *b, DvContactRoutine *routine)
{
    static const RoutineRow *const tables[] = {rows, capsule_rows, box_rows, ray_rows};
    DvRoutineAnswer answer = box_manifold ? routine_in(box_manifold_rows, a, b, routine) : DV_ROUTINE_NONE;
    for (size_t i = 0; answer == DV_ROUTINE_NONE && i < sizeof tables / sizeof *tables; i++)
        answer = routine_in(tables[i], a, b, routine);
    return answer;
}

typedef struct DiscreteIntersection {
    DvData box_manifold;
} DiscreteIntersection;

static const DvField fields[] = {
    BOX_MANIFOLD_FIELD(DiscreteIntersection, box_manifold),
    {0},
};

static DvRoutineAnswer find_routine(void *self_, const char *a, const char *b, DvContactRoutine *routine)
{
    DiscreteIntersection *self = self_;
    return discrete_routine(dv_data_bool(&self->box_manifold), a, b, routine);
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

const DvClass dv_discrete_intersection = {
    .size = sizeof(DvClass),
    .name = "DiscreteIntersection",
    .bases = (const char *const[]){"Intersection", NULL},
    .family = "intersection methods",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .help =
        "Elements that intersect: overlapping spheres, capsules and boxes, lines through triangles, points in tetrahedra.",
    .instance_size = sizeof(DiscreteIntersection),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_INTERSECTION_METHOD, .ops = &ops}, {0}},
};
