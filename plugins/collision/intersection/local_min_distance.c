/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LocalMinDistance: pairs of elements whose distance is a local minimum.
 *
 * Nearest points inside both elements count when the direction between them lies in the cone of directions that leave each element's
 * surroundings: for a triangle its outer side; for a point the directions that lead away from all edges around it (by coneFactor
 * and angleCone); for a line the wedge between the triangles on both sides. So a flat surface gives one contact for a place, not
 * one for each element around it.
 *
 * What is around an element is asked of the mesh: the work for a contact is in proportion to the number of its neighbours.
 */
#include <divan/divan.h>

#include "intersection.h"

typedef struct LocalMinDistance {
    Proximity base;
    DvData filter, angle_cone, cone_factor, external_filters, flat_corners;
    bool checks, flat; /* these as of the beginning of the detection */
    double angle, factor;
} LocalMinDistance;

static const DvField fields[] = {
    PROXIMITY_FIELDS(LocalMinDistance, base),
    DV_FIELD(LocalMinDistance, filter, "filterIntersection", dv_type_bool, .init = "1",
             .help = "drop contacts outside the cones; false: keep all that are near"),
    DV_FIELD(LocalMinDistance, angle_cone, "angleCone", dv_type_double, .init = "0", .range = &dv_range_share,
             .flags = DV_FIELD_LENIENT, .help = "sine by which cones of directions are widened"),
    DV_FIELD(LocalMinDistance, cone_factor, "coneFactor", dv_type_double, .init = "0.5",
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,
             .help = "share of the slope of its edges by which the cone of a corner is widened"),
    DV_FIELD(LocalMinDistance, external_filters, "useLMDFilters", dv_type_bool, .init = "0",
             .help = "true: all that are near are kept, as when other components filter them"),
    DV_FIELD(LocalMinDistance, flat_corners, "flatCorners", dv_type_bool, .init = "0",
             .help =
                 "corners and edges of faces that look at each other meet along the normal of these faces, not along "
                 "the way between them, which drives bodies that stand on each other apart"),
    {0},
};

DV_SIMD_INLINE double largest(double a, double b)
{
    return a > b ? a : b;
}

/* ---- Cones ---- */

/* Sine by which cones are widened: as the field says. Where a sheet with two sides lies flat on another, directions are along the
 * cones of all its corners, and rounding would decide; with one side it does, as trajectories of the reference have it. */
DV_SIMD_INLINE double widened_by(const LocalMinDistance *self, const DvShape *s)
{
    return s->both_sides && self->angle < 1e-9 ? 1e-9 : self->angle;
}

/* Of a direction away from an element: it leaves its surroundings, or leads along them, by the last digits perhaps, or back through the
 * surface. */
typedef enum Verdict { LEAVES, STAYS, STAYS_BY_ROUNDING, LEADS_BACK } Verdict;

/* Of a direction with the part `along` (m) in the direction of what is around an element, whose cone is that much narrower than half of
 * space: `width` (m), of the length of the direction. */
DV_SIMD_INLINE Verdict beside_cone(double along, double width, double length)
{
    return along < -width - 1e-9 * length ? STAYS : STAYS_BY_ROUNDING;
}

DV_SIMD_INLINE DvVec3 position(const DvShape *s, uint32_t point)
{
    return dv_vec3_load(s->x + (size_t)point * s->stride);
}

DV_SIMD_INLINE DvVec3 cross_of_triangle(const DvShape *s, const uint32_t corner[3])
{
    const DvVec3 a = position(s, corner[0]);
    return fused_cross(dv_vec3_sub(position(s, corner[1]), a), dv_vec3_sub(position(s, corner[2]), a));
}

DV_SIMD_CLONES static Verdict triangle_allows(const LocalMinDistance *self, const DvShape *s, uint32_t element,
                                              DvVec3 d)
{
    if (!self->checks || s->both_sides)
        return LEAVES;
    return fused_dot(cross_of_triangle(s, s->vertices + 3 * (size_t)element), d) >= 0.0 ? LEAVES : LEADS_BACK;
}

DV_SIMD_CLONES static Verdict point_allows(const LocalMinDistance *self, const DvShape *s, uint32_t point, DvVec3 d)
{
    if (!self->checks || !s->lines || !s->topology)
        return LEAVES;
    const DvElements edges = s->topology->elements(s->topology_self, DV_EDGES);
    const DvElements triangles = s->topology->elements(s->topology_self, DV_TRIANGLES);
    const DvAdjacency around = s->topology->adjacency(s->topology_self, DV_POINTS, DV_EDGES);
    const DvAdjacency at_point = s->topology->adjacency(s->topology_self, DV_POINTS, DV_TRIANGLES);
    const DvVec3 x = position(s, point);
    DvVec3 n = dv_vec3_zero();
    const uint32_t first = point < at_point.count ? at_point.begin[point] : 0;
    const uint32_t end = point < at_point.count ? at_point.end[point] : 0;
    for (uint32_t t = first; t < end; t++)
        n = dv_vec3_add(n, fused_normalize(cross_of_triangle(s, triangles.at + 3 * (size_t)at_point.items[t])));
    if (point >= around.count)
        return LEAVES;
    const uint32_t first_edge = around.begin[point], end_edge = around.end[point];
    Verdict verdict = LEAVES;
    for (uint32_t e = first_edge; first == end && e < end_edge; e++) {
        const uint32_t *edge = edges.at + 2 * (size_t)around.items[e];
        const DvVec3 l = dv_vec3_add(dv_vec3_sub(x, position(s, edge[0])), dv_vec3_sub(x, position(s, edge[1])));
        n = dv_vec3_add(n, fused_normalize(l));
    }
    const double length = fused_norm(d);
    if (fused_norm(n) > 1e-10) {
        n = fused_normalize(n);
        if (fused_dot(n, d) < -self->angle * length && !s->both_sides)
            return LEADS_BACK;
    }
    for (uint32_t e = first_edge; e < end_edge; e++) {
        const uint32_t *edge = edges.at + 2 * (size_t)around.items[e];
        const DvVec3 l =
            fused_normalize(dv_vec3_add(dv_vec3_sub(x, position(s, edge[0])), dv_vec3_sub(x, position(s, edge[1]))));
        const double k = largest(0.0, fused_dot(n, l) * self->factor) + widened_by(self, s);
        if (fused_dot(l, d) < -k * length) {
            if (beside_cone(fused_dot(l, d), k * length, length) == STAYS)
                return STAYS;
            verdict = STAYS_BY_ROUNDING;
        }
    }
    return verdict;
}

/* Whether a triangle goes round in the direction of the edge. */
DV_SIMD_INLINE bool goes_along(const uint32_t corner[3], const uint32_t edge[2])
{
    for (int i = 0; i < 3; i++)
        if (corner[i] == edge[0] && corner[(i + 1) % 3] == edge[1])
            return true;
    return false;
}

DV_SIMD_CLONES static Verdict line_allows(const LocalMinDistance *self, const DvShape *s, uint32_t element, DvVec3 d)
{
    if (!self->checks || !s->topology)
        return LEAVES;
    const uint32_t *ends = s->vertices + 2 * (size_t)element;
    const DvElements triangles = s->topology->elements(s->topology_self, DV_TRIANGLES);
    const DvAdjacency around = s->topology->adjacency(s->topology_self, DV_EDGES, DV_TRIANGLES);
    const uint32_t first = element < around.count ? around.begin[element] : 0;
    const uint32_t number = element < around.count ? around.end[element] - first : 0;
    const DvVec3 ab = fused_normalize(dv_vec3_sub(position(s, ends[1]), position(s, ends[0])));
    const double length = fused_norm(d);
    if (number != 2)
        return fabs(fused_dot(ab, d) / length) <= self->angle + 1e-4 ? LEAVES : STAYS;
    const uint32_t *t0 = triangles.at + 3 * (size_t)around.items[first];
    const uint32_t *t1 = triangles.at + 3 * (size_t)around.items[first + 1];
    const bool first_is_left = goes_along(t0, ends);
    const uint32_t *left = first_is_left ? t0 : t1, *right = first_is_left ? t1 : t0;
    const DvVec3 n1 = fused_normalize(cross_of_triangle(s, right));
    const DvVec3 out1 = fused_normalize(fused_cross(n1, ab));
    const DvVec3 n2 = fused_normalize(cross_of_triangle(s, left));
    const DvVec3 out2 = fused_normalize(fused_cross(ab, n2));
    const DvVec3 n = fused_normalize(dv_vec3_add(n1, n2));
    if (fused_dot(n, d) < 0.0 && !s->both_sides)
        return LEADS_BACK;
    const DvVec3 out[2] = {out1, out2};
    Verdict verdict = LEAVES;
    for (int i = 0; i < 2; i++) {
        const double k = largest(0.0, fused_dot(n, out[i]) * self->factor) + widened_by(self, s);
        if (fused_dot(out[i], d) < -k * length) {
            if (beside_cone(fused_dot(out[i], d), k * length, length) == STAYS)
                return STAYS;
            verdict = STAYS_BY_ROUNDING;
        }
    }
    return verdict;
}

typedef Verdict (*Allows)(const LocalMinDistance *self, const DvShape *s, uint32_t element, DvVec3 d);

static Verdict sphere_allows(const LocalMinDistance *self, const DvShape *s, uint32_t element, DvVec3 d)
{
    (void)self, (void)s, (void)element, (void)d;
    return LEAVES;
}

/* ---- Faces that look at each other ---- */

/* The triangles around a point or a line. */
static DvElements faces_around(const DvShape *s, uint32_t element, DvElements *triangles)
{
    *triangles = s->topology->elements(s->topology_self, DV_TRIANGLES);
    const DvAdjacency around =
        s->topology->adjacency(s->topology_self, s->corners == 2 ? DV_EDGES : DV_POINTS, DV_TRIANGLES);
    if (element >= around.count)
        return (DvElements){0};
    return (DvElements){.at = around.items + around.begin[element],
                        .count = around.end[element] - around.begin[element]};
}

/* The outer normal of the face at an element that looks most along d; false: there is none. */
static bool face_towards(const DvShape *s, uint32_t element, DvVec3 d, DvVec3 *normal)
{
    if (!s->topology)
        return false;
    DvElements triangles;
    const DvElements faces = faces_around(s, element, &triangles);
    double most = 0.0;
    for (uint32_t i = 0; i < faces.count; i++) {
        const DvVec3 n = fused_normalize(cross_of_triangle(s, triangles.at + 3 * (size_t)faces.at[i]));
        const double along = fused_dot(n, d), share = s->both_sides ? fabs(along) : along;
        if (share > most) {
            most = share;
            *normal = along < 0.0 ? dv_vec3_neg(n) : n;
        }
    }
    return most > 0.0;
}

/* Corners and edges of faces that look at each other, to a twentieth of a radian, and are farther from each other across than along the faces:
 * the way between them leans, though the faces do not, and more so the farther they have slid. The normal of the faces takes its
 * place. */
static bool flat_direction(const DvContactQuery *query, const uint32_t pair[2], DvVec3 d, double distance,
                           DvVec3 *direction)
{
    DvVec3 a, b;
    if (!face_towards(query->a, pair[0], d, &a) || !face_towards(query->b, pair[1], dv_vec3_neg(d), &b) ||
        fused_dot(a, b) > -0.99875 || fused_dot(a, d) < 0.7 * distance)
        return false;
    *direction = fused_normalize(dv_vec3_sub(a, b));
    return true;
}

/* ---- Distances ---- */

DV_SIMD_INLINE void add_allowed(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], int64_t id,
                                DvVec3 p, DvVec3 q, double radii, Allows first, Allows second)
{
    const LocalMinDistance *self = query->method;
    const DvVec3 d = dv_vec3_sub(q, p);
    const double d2 = fused_norm_squared(d), most = query->alarm + radii;
    if (!(d2 < most * most))
        return;
    Verdict verdict = first(self, query->a, pair[0], d);
    if (verdict == LEAVES || verdict == STAYS_BY_ROUNDING) {
        const Verdict other = second(self, query->b, pair[1], dv_vec3_neg(d));
        verdict = other != LEAVES ? other : verdict;
    }
    if (verdict != LEAVES) {
        const double begins = query->contact + radii;
        sink->behind += verdict == LEADS_BACK && d2 < begins * begins;
        sink->by_rounding += verdict == STAYS_BY_ROUNDING;
        return;
    }
    const double distance = sqrt(d2);
    DvVec3 normal = guarded_direction(d, distance);
    double apart = distance;
    if (self->flat && first != sphere_allows && second != sphere_allows && first != triangle_allows &&
        flat_direction(query, pair, d, distance, &normal))
        apart = fused_dot(d, normal);
    add_contact(sink, pair, id, p, q, normal, apart - query->contact - radii);
}

DV_SIMD_CLONES static void lines_on_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                          DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 p = corner_of(query->a, pairs[i][0], 0), q = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, pairs[i][0], 1), p);
        const DvVec3 cd = dv_vec3_sub(corner_of(query->b, pairs[i][1], 1), q);
        double alpha, beta;
        if (nearest_on_lines(p, ab, q, cd, 1e-30, &alpha, &beta) &&
            (alpha < 1e-15 || alpha > 1 - 1e-15 || beta < 1e-15 || beta > 1 - 1e-15))
            continue;
        add_allowed(query, sink, pairs[i], id_by_size(query, pairs[i]), fused_madd(p, alpha, ab),
                    fused_madd(q, beta, cd), 0.0, line_allows, line_allows);
    }
}

DV_SIMD_INLINE void onto_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                   DvContactSink *sink, Allows second)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 a = corner_of(query->a, pairs[i][0], 0), p = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, pairs[i][0], 1), a);
        const DvVec3 ac = dv_vec3_sub(corner_of(query->a, pairs[i][0], 2), a);
        const PlaneFoot f = foot_on_plane(a, ab, ac, p);
        if (f.alpha < 1e-6 || f.beta < 1e-6 || f.alpha + f.beta > 1 - 1e-6)
            continue;
        add_allowed(query, sink, pairs[i], pairs[i][1], fused_madd(fused_madd(a, f.alpha, ab), f.beta, ac), p,
                    radius_of(query->b, pairs[i][1]), triangle_allows, second);
    }
}

DV_SIMD_CLONES static void triangles_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                               DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, point_allows);
}

DV_SIMD_CLONES static void triangles_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                                DvContactSink *sink)
{
    onto_triangles(query, pairs, count, sink, sphere_allows);
}

DV_SIMD_INLINE void onto_lines(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink, Allows second)
{
    for (uint32_t i = 0; i < count; i++) {
        const DvVec3 a = corner_of(query->a, pairs[i][0], 0), p = corner_of(query->b, pairs[i][1], 0);
        const DvVec3 ab = dv_vec3_sub(corner_of(query->a, pairs[i][0], 1), a), ap = dv_vec3_sub(p, a);
        if (fused_norm(ab) < 1e-12 * fused_norm(ap))
            continue;
        const double alpha = fused_dot(ap, ab) / fused_norm_squared(ab);
        if (alpha < 1e-6 || alpha > 1 - 1e-6)
            continue;
        add_allowed(query, sink, pairs[i], pairs[i][1], fused_madd(a, alpha, ab), p, radius_of(query->b, pairs[i][1]),
                    line_allows, second);
    }
}

DV_SIMD_CLONES static void lines_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                           DvContactSink *sink)
{
    onto_lines(query, pairs, count, sink, point_allows);
}

DV_SIMD_CLONES static void lines_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                            DvContactSink *sink)
{
    onto_lines(query, pairs, count, sink, sphere_allows);
}

DV_SIMD_INLINE void onto_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                DvContactSink *sink, Allows first, Allows second)
{
    for (uint32_t i = 0; i < count; i++)
        add_allowed(query, sink, pairs[i], id_by_size(query, pairs[i]), corner_of(query->a, pairs[i][0], 0),
                    corner_of(query->b, pairs[i][1], 0),
                    radius_of(query->a, pairs[i][0]) + radius_of(query->b, pairs[i][1]), first, second);
}

DV_SIMD_CLONES static void points_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                            DvContactSink *sink)
{
    onto_points(query, pairs, count, sink, point_allows, point_allows);
}

DV_SIMD_CLONES static void spheres_on_points(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                                             DvContactSink *sink)
{
    onto_points(query, pairs, count, sink, sphere_allows, point_allows);
}

static void soft_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    onto_points(query, pairs, count, sink, sphere_allows, sphere_allows);
}

/* Rigid spheres: the distances of the method alone, not those of the models. */
static void rigid_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    DvContactQuery without = *query;
    without.alarm -= query->a->distance + query->b->distance;
    without.contact -= query->a->distance + query->b->distance;
    spheres_on_spheres(&without, pairs, count, sink);
}

static const RoutineRow rows[] = {
    {DV_SHAPE_SPHERES, DV_SHAPE_SPHERES, soft_spheres},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_RIGID_SPHERES, rigid_spheres},
    {DV_SHAPE_SPHERES, DV_SHAPE_RIGID_SPHERES, rigid_spheres},
    {DV_SHAPE_SPHERES, DV_SHAPE_POINTS, spheres_on_points},
    {DV_SHAPE_POINTS, DV_SHAPE_POINTS, points_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_POINTS, lines_on_points},
    {DV_SHAPE_LINES, DV_SHAPE_SPHERES, lines_on_spheres},
    {DV_SHAPE_LINES, DV_SHAPE_LINES, lines_on_lines},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_POINTS, triangles_on_points},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_SPHERES, triangles_on_spheres},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_LINES, NULL},
    {DV_SHAPE_TRIANGLES, DV_SHAPE_TRIANGLES, NULL},
    {DV_SHAPE_RAYS, DV_SHAPE_TRIANGLES, rays_near_triangles},
    {DV_SHAPE_RAYS, DV_SHAPE_SPHERES, rays_on_sphere_surfaces},
    {0},
};

bool local_min_distance_serves(const char *a, const char *b)
{
    return is_in(rows, a, b);
}

static DvRoutineAnswer find_routine(void *self_, const char *a, const char *b, DvContactRoutine *routine)
{
    LocalMinDistance *self = self_;
    const DvRoutineAnswer answer = routine_in(rows, a, b, routine);
    return answer != DV_ROUTINE_NONE ? answer : discrete_routine(dv_data_bool(&self->base.box_manifold), a, b, routine);
}

static void begin(void *self_)
{
    LocalMinDistance *self = self_;
    self->checks = dv_data_bool(&self->filter) && !dv_data_bool(&self->external_filters);
    self->flat = dv_data_bool(&self->flat_corners);
    self->angle = dv_data_double(&self->angle_cone);
    self->factor = dv_data_double(&self->cone_factor);
}

static DvStatus init(DvObject *object, void *self)
{
    return proximity_init(object, &((LocalMinDistance *)self)->base);
}

/* What the filters ask of the mesh. */
static void prepare(void *self, const DvShape *s)
{
    if (!s->topology)
        return;
    if (strcmp(s->kind, DV_SHAPE_POINTS) == 0 && (s->lines || ((LocalMinDistance *)self)->flat)) {
        (void)s->topology->adjacency(s->topology_self, DV_POINTS, DV_EDGES);
        (void)s->topology->adjacency(s->topology_self, DV_POINTS, DV_TRIANGLES);
    } else if (strcmp(s->kind, DV_SHAPE_LINES) == 0) {
        (void)s->topology->adjacency(s->topology_self, DV_EDGES, DV_TRIANGLES);
    }
}

static const DvIntersectionMethodOps ops = {
    .size = sizeof ops,
    .begin = begin,
    .alarm_distance = proximity_alarm_distance,
    .contact_distance = proximity_contact_distance,
    .prepare = prepare,
    .box_tolerance = proximity_box_tolerance,
    .routine = find_routine,
};

const DvClass dv_local_min_distance = {
    .size = sizeof(DvClass),
    .name = "LocalMinDistance",
    .bases = (const char *const[]){"BaseProximityIntersection", NULL},
    .family = "intersection methods",
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .help = "Pairs of elements whose distance is a local minimum.",
    .instance_size = sizeof(LocalMinDistance),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_INTERSECTION_METHOD, .ops = &ops}, {0}},
    .init = init,
};
