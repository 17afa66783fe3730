/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes against boxes, triangles, capsules and spheres.
 *
 * Two convex shapes are apart when their intervals on some axis are. Of a fixed list of axes (faces, cross products of edges, the
 * relative velocity across the faces) the one on which they are farthest apart, or overlap least, tells the normal. What each shape has
 * foremost on it, a corner, an edge or a face, tells the points: a corner and its image on the other; the nearest points of two edges;
 * the middle of what two faces, or an edge and a face, have in common when one is moved onto the other.
 */
#include <divan/divan.h>

#include "intersection.h"

#define LEVEL 1e-6 /* of a unit axis: smaller components are zero; m: corners that differ by less are level */

/* A box; or corners, with a radius around them. */
typedef struct Convex {
    OrientedBox box;
    DvVec3 corner[3];
    uint32_t corners; /* 0: the box */
    double radius;
} Convex;

typedef struct Feature {
    uint32_t count; /* 1 corner, 2 edge, else face, its corners in order */
    DvVec3 at[4];
} Feature;

typedef struct Separation {
    const Convex *a, *b;
    DvVec3 axis;
    double distance; /* m, between the shapes along the axis; negative: they overlap */
    bool left;       /* b is on the side to which the axis does not point */
} Separation;

/* ---- Shapes on an axis ---- */

static void interval_of(const Convex *s, DvVec3 n, double *low, double *high)
{
    double reach = s->radius;
    if (s->corners == 0) {
        const double middle = dv_vec3_dot(n, s->box.centre);
        for (int k = 0; k < 3; k++) {
            const double a = fabs(dv_vec3_dot(n, s->box.axis[k]));
            reach += a < LEVEL ? 0.0 : a * s->box.half[k];
        }
        *low = middle - reach;
        *high = middle + reach;
        return;
    }
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (uint32_t i = 0; i < s->corners; i++) {
        const double at = dv_vec3_dot(n, s->corner[i]);
        *low = at < *low ? at : *low;
        *high = at > *high ? at : *high;
    }
    *low -= reach;
    *high += reach;
}

static Feature feature_of_box(const OrientedBox *box, DvVec3 n, bool foremost)
{
    static const uint32_t faces[3][2][4] = {/* of each axis: the negative side, the positive one */
                                            {{0, 2, 6, 4}, {5, 7, 3, 1}},
                                            {{4, 5, 1, 0}, {2, 3, 7, 6}},
                                            {{0, 1, 3, 2}, {6, 7, 5, 4}}};
    uint32_t level = 0, back = 0;
    uint32_t last_level = 0, across = 0; /* set below wherever they are read */
    double along = 0.0;
    for (uint32_t k = 0; k < 3; k++) {
        const double a = dv_vec3_dot(n, box->axis[k]);
        if (fabs(a) < LEVEL) {
            level++;
            last_level = k;
            continue;
        }
        across = k;
        along = a;
        back |= (uint32_t)(a <= 0.0) << k; /* the corner that is farthest back */
    }
    if (level >= 2) {
        const uint32_t *face = faces[across][(along > 0.0) == foremost];
        return (Feature){4,
                         {corner_of_box(box, face[0]), corner_of_box(box, face[1]), corner_of_box(box, face[2]),
                          corner_of_box(box, face[3])}};
    }
    const uint32_t free_bit = level == 1 ? 1u << last_level : 0u;
    const uint32_t corner = foremost ? 7u - back - free_bit : back;
    return level == 1 ? (Feature){2, {corner_of_box(box, corner), corner_of_box(box, corner | free_bit)}}
                      : (Feature){1, {corner_of_box(box, corner)}};
}

static Feature feature_of(const Convex *s, DvVec3 n, bool foremost)
{
    if (s->corners == 0)
        return feature_of_box(&s->box, n, foremost);
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < s->corners; i++) {
        const double at = dv_vec3_dot(n, s->corner[i]) * (foremost ? 1.0 : -1.0);
        most = at > most ? at : most;
    }
    Feature f = {0};
    for (uint32_t i = 0; i < s->corners; i++)
        if (!(dv_vec3_dot(n, s->corner[i]) * (foremost ? 1.0 : -1.0) < most - LEVEL))
            f.at[f.count++] = s->corner[i];
    return f;
}

/* False: they are at least `alarm` apart. */
static bool try_axis(Separation *best, DvVec3 n, double alarm)
{
    double low_a, high_a, low_b, high_b;
    interval_of(best->a, n, &low_a, &high_a);
    interval_of(best->b, n, &low_b, &high_b);
    const bool left = high_b < low_a || (high_a >= low_b && low_b + high_b < low_a + high_a);
    const double distance = left ? low_a - high_b : low_b - high_a;
    if (distance > 0 && distance >= alarm)
        return false;
    if (distance > best->distance) {
        best->distance = distance;
        best->axis = n;
        best->left = left;
    }
    return true;
}

/* The same for a direction of any length; one without length is passed over. */
static bool try_direction(Separation *best, DvVec3 d, double least2, double alarm)
{
    const double length2 = dv_vec3_norm_squared(d);
    return !(length2 > least2) || try_axis(best, dv_vec3_scale(d, 1.0 / sqrt(length2)), alarm);
}

/* ---- Points of contact ---- */

typedef struct Polygon {
    uint32_t count;
    DvVec3 at[12];
} Polygon;

/* What is left of a polygon, or of a segment, in front of a plane through c. */
static Polygon cut(const Polygon *whole, DvVec3 c, DvVec3 normal)
{
    const double level = dv_vec3_dot(normal, c), margin = fabs(level) * LEVEL;
    Polygon left = {0};
    for (uint32_t i = 0; i < whole->count; i++) {
        const DvVec3 p = whole->at[i], q = whole->at[(i + 1) % whole->count];
        const double at_p = dv_vec3_dot(normal, p) - level, at_q = dv_vec3_dot(normal, q) - level;
        const bool keeps_p = at_p + margin >= 0, keeps_q = at_q + margin >= 0;
        if (keeps_p)
            left.at[left.count++] = p;
        if (keeps_p != keeps_q && (whole->count > 2 || i == 0))
            left.at[left.count++] = dv_vec3_madd(p, clamped(at_p / (at_p - at_q)), dv_vec3_sub(q, p));
    }
    return left;
}

/* The middle of what an edge or a face has in common with a face in its plane; false: nothing. */
static bool middle_in_common(const Feature *subject, const Feature *face, DvVec3 *middle)
{
    Polygon left = {.count = subject->count};
    memcpy(left.at, subject->at, subject->count * sizeof *subject->at);
    for (uint32_t i = 0; i < face->count && left.count > 0; i++) {
        const DvVec3 start = face->at[(i + face->count - 1) % face->count], end = face->at[i];
        const DvVec3 side = dv_vec3_sub(end, start);
        if (face->count == 4) { /* each side ends where the one before it began: what is beyond its start is inside */
            left = cut(&left, start, side);
            continue;
        }
        const DvVec3 apex = dv_vec3_sub(face->at[(i + 1) % face->count], start);
        const DvVec3 inwards =
            dv_vec3_sub(dv_vec3_scale(apex, dv_vec3_norm_squared(side)), dv_vec3_scale(side, dv_vec3_dot(apex, side)));
        left = cut(&left, start, inwards);
    }
    if (left.count == 0)
        return false;
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t i = 0; i < left.count; i++)
        sum = dv_vec3_add(sum, left.at[i]);
    *middle = dv_vec3_scale(sum, 1.0 / left.count);
    return true;
}

static void nearest_of_edges(DvVec3 p, DvVec3 p_end, DvVec3 q, DvVec3 q_end, DvVec3 *on_p, DvVec3 *on_q)
{
    const DvVec3 ab = dv_vec3_sub(p_end, p), cd = dv_vec3_sub(q_end, q);
    double alpha, beta;
    nearest_on_segments(p, ab, q, cd, LEVEL, &alpha, &beta);
    *on_p = dv_vec3_madd(p, alpha, ab);
    *on_q = dv_vec3_madd(q, beta, cd);
}

static void nearest_of_borders(const Feature *f, const Feature *g, DvVec3 *p, DvVec3 *q)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < (f->count == 2 ? 1 : f->count); i++)
        for (uint32_t k = 0; k < (g->count == 2 ? 1 : g->count); k++) {
            DvVec3 on_f, on_g;
            nearest_of_edges(f->at[i], f->at[(i + 1) % f->count], g->at[k], g->at[(k + 1) % g->count], &on_f, &on_g);
            const double d2 = dv_vec3_norm_squared(dv_vec3_sub(on_g, on_f));
            if (d2 < least) {
                least = d2;
                *p = on_f;
                *q = on_g;
            }
        }
}

/* The nearest corners of a triangle and a face of a box; in the middle of two pairs that are equally near. */
static void nearest_of_corners(const Feature *f, const Feature *g, DvVec3 *p, DvVec3 *q)
{
    double nearest[2] = {HUGE_VAL, HUGE_VAL};
    DvVec3 on_f[2] = {f->at[0], f->at[0]}, on_g[2] = {g->at[0], g->at[0]};
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < g->count; k++) {
            const double d = dv_vec3_distance(f->at[i], g->at[k]);
            const int place = d < nearest[0] ? 0 : 1;
            if (place == 1 && !(d < nearest[1]))
                continue;
            if (place == 0) {
                nearest[1] = nearest[0];
                on_f[1] = on_f[0];
                on_g[1] = on_g[0];
            }
            nearest[place] = d;
            on_f[place] = f->at[i];
            on_g[place] = g->at[k];
        }
    const bool two = nearest[1] - nearest[0] <= LEVEL;
    *p = two ? dv_vec3_scale(dv_vec3_add(on_f[0], on_f[1]), 0.5) : on_f[0];
    *q = two ? dv_vec3_scale(dv_vec3_add(on_g[0], on_g[1]), 0.5) : on_g[0];
}

static Feature moved(const Feature *f, DvVec3 by)
{
    Feature to = {.count = f->count};
    for (uint32_t i = 0; i < f->count; i++)
        to.at[i] = dv_vec3_add(f->at[i], by);
    return to;
}

/* The point of an edge or of a triangle that is nearest to p. */
static DvVec3 nearest_of_feature(const Feature *f, DvVec3 p)
{
    if (f->count == 3) {
        static const TriangleMargins margins = {.edges_begin = true};
        const Triangle t = {.corner = {f->at[0], f->at[1], f->at[2]}};
        DvVec3 nearest;
        (void)nearest_of_triangle(&t, p, margins, &nearest);
        return nearest;
    }
    const DvVec3 along = dv_vec3_sub(f->at[1], f->at[0]);
    return dv_vec3_madd(f->at[0], clamped(foot_on_line(f->at[0], along, p)), along);
}

/* The points of both shapes, without the radius of the first. Opposite to a corner of the box is the nearest point of a triangle, since
 * its image along the axis may lie beside it. `by_nearest`: where they are apart, a corner of the first has its nearest point of the
 * box opposite; else its image along the axis. */
static void points_of_contact(const Separation *s, bool by_nearest, DvVec3 *p, DvVec3 *q)
{
    const Feature f = feature_of(s->a, s->axis, !s->left), g = feature_of(s->b, s->axis, s->left);
    const double way = s->distance + s->a->radius;
    const DvVec3 step = dv_vec3_scale(s->axis, s->left ? -way : way); /* from the first to the second */
    if (f.count == 1) {
        *p = f.at[0];
        if (!by_nearest || way <= 0 || !nearest_in_box(&s->b->box, *p, q))
            *q = dv_vec3_add(*p, step);
        return;
    }
    if (g.count == 1) {
        *q = g.at[0];
        *p = s->a->corners == 3 ? nearest_of_feature(&f, *q) : dv_vec3_sub(*q, step);
        return;
    }
    if (f.count == 2 && g.count == 2) {
        nearest_of_edges(f.at[0], f.at[1], g.at[0], g.at[1], p, q);
        return;
    }
    const Feature near = moved(&g, dv_vec3_neg(step));
    const bool found = g.count == 2 ? middle_in_common(&near, &f, p) : middle_in_common(&f, &near, p);
    if (found)
        *q = dv_vec3_add(*p, step);
    else if (f.count == 3 && g.count == 4)
        nearest_of_corners(&f, &g, p, q);
    else
        nearest_of_borders(&f, &g, p, q);
}

static DvVec3 normal_of(const Separation *s)
{
    return s->left ? dv_vec3_neg(s->axis) : s->axis;
}

static void add_separated(const DvContactQuery *query, DvContactSink *sink, const uint32_t pair[2], int64_t id,
                          DvVec3 p, DvVec3 q, DvVec3 normal, bool overlap)
{
    const double distance = dv_vec3_distance(p, q);
    if (overlap || distance <= query->alarm)
        add_contact(sink, pair, id, p, q, normal, (overlap ? -distance : distance) - query->contact);
}

/* ---- Pairs ---- */

static DvVec3 velocity_of(const DvShape *s, uint32_t element)
{
    return dv_vec3_load(((const DvSolids *)s->more)->velocities + 3 * (size_t)element);
}

/* All axes of two boxes. Where two edges are parallel the search ends: *complete tells. */
static bool separate_boxes(Separation *best, DvVec3 relative_velocity, double alarm, bool *complete)
{
    const OrientedBox *a = &best->a->box, *b = &best->b->box;
    *complete = false;
    for (int k = 0; k < 6; k++)
        if (!try_axis(best, k < 3 ? a->axis[k] : b->axis[k - 3], alarm))
            return false;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const DvVec3 cross = dv_vec3_cross(a->axis[i], b->axis[k]);
            if (dv_vec3_norm_squared(cross) <= 1e-6)
                return true;
            if (!try_direction(best, cross, 0.0, alarm))
                return false;
        }
    *complete = true;
    for (int k = 0; k < 6; k++)
        if (!try_direction(best, dv_vec3_cross(relative_velocity, k < 3 ? a->axis[k] : b->axis[k - 3]), 1e-12, alarm))
            return false;
    return true;
}

static void boxes_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Convex a = {.box = box_of(query->a, pairs[i][0])}, b = {.box = box_of(query->b, pairs[i][1])};
        const DvVec3 v = dv_vec3_sub(velocity_of(query->b, pairs[i][1]), velocity_of(query->a, pairs[i][0]));
        Separation best = {.a = &a, .b = &b, .distance = -HUGE_VAL};
        bool complete;
        if (!separate_boxes(&best, v, query->alarm, &complete))
            continue;
        DvVec3 p, q;
        points_of_contact(&best, false, &p, &q);
        const DvVec3 pq = dv_vec3_sub(q, p);
        DvVec3 normal = normal_of(&best);
        if (dv_vec3_norm_squared(dv_vec3_cross(best.axis, pq)) >= 1e-6)
            normal = dv_vec3_normalize(pq);
        add_separated(query, sink, pairs[i], id_by_size(query, pairs[i]), p, q, normal,
                      complete ? best.distance <= 0 : best.distance < 0);
    }
}

static bool separate_triangle(Separation *best, DvVec3 normal, uint16_t owned, double alarm)
{
    const DvVec3 *corner = best->a->corner, *axis = best->b->box.axis;
    bool parallel = false; /* to an axis of the box */
    if (!try_axis(best, normal, alarm))
        return false;
    for (int k = 0; k < 3; k++) {
        parallel = parallel || dv_vec3_norm_squared(dv_vec3_cross(normal, axis[k])) <= 1e-6;
        if (!try_axis(best, axis[k], alarm))
            return false;
    }
    for (int k = 0; k < (parallel ? 1 : 3); k++)
        for (uint32_t e = 0; e < 3; e++) {
            const DvVec3 edge = dv_vec3_sub(corner[triangle_edges[e].to], corner[triangle_edges[e].from]);
            if ((owned & triangle_edges[e].owned) &&
                !try_direction(best, dv_vec3_cross(edge, parallel ? normal : axis[k]),
                               1e-6 * dv_vec3_norm_squared(edge), alarm))
                return false;
        }
    return true;
}

static bool is_corner_of_another(const Triangle *t, DvVec3 p)
{
    for (uint32_t k = 0; k < 3; k++)
        if (!(t->owns & (DV_OWNS_CORNER_0 << k)) && dv_vec3_norm_squared(dv_vec3_sub(p, t->corner[k])) < LEVEL * LEVEL)
            return true;
    return false;
}

static void triangles_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                               DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const Triangle t = triangle_of(query->a, pairs[i][0]);
        const DvVec3 normal = dv_vec3_load(query->a->normals + 3 * (size_t)pairs[i][0]);
        if (dv_vec3_norm_squared(normal) == 0.0) /* no area */
            continue;
        const Convex a = {.corner = {t.corner[0], t.corner[1], t.corner[2]}, .corners = 3};
        const Convex b = {.box = box_of(query->b, pairs[i][1])};
        Separation best = {.a = &a, .b = &b, .distance = -HUGE_VAL};
        if (!separate_triangle(&best, normal, t.owns, query->alarm))
            continue;
        DvVec3 p, q;
        points_of_contact(&best, true, &p, &q);
        if (!is_corner_of_another(&t, p))
            add_separated(query, sink, pairs[i], pairs[i][0], p, q, normal_of(&best), best.distance < 0);
    }
}

static void capsules_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                              DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t capsule = pairs[i][0];
        const Convex a = {.corner = {corner_of(query->a, capsule, 0), corner_of(query->a, capsule, 1)},
                          .corners = 2,
                          .radius = query->a->radii[capsule]};
        const Convex b = {.box = box_of(query->b, pairs[i][1])};
        const DvVec3 segment = dv_vec3_sub(a.corner[1], a.corner[0]);
        const DvVec3 v = dv_vec3_sub(velocity_of(query->b, pairs[i][1]), velocity_of(query->a, capsule));
        Separation best = {.a = &a, .b = &b, .distance = -HUGE_VAL};
        bool near = true;
        for (int k = 0; near && k < 9; k++) {
            const DvVec3 axis = b.box.axis[k % 3];
            near = k < 3   ? try_axis(&best, axis, query->alarm)
                   : k < 6 ? try_direction(&best, dv_vec3_cross(axis, segment), 1e-6 * dv_vec3_norm_squared(segment),
                                           query->alarm)
                           : try_direction(&best, dv_vec3_cross(v, axis), 1e-12, query->alarm);
        }
        if (!near)
            continue;
        DvVec3 p, q;
        points_of_contact(&best, true, &p, &q);
        /* Towards the box; along the axis when the segment touches it, or is inside, where the points lie the other way. */
        const DvVec3 pq = dv_vec3_sub(q, p);
        const double distance = dv_vec3_norm(pq);
        const bool outside = best.distance + a.radius > 0 && distance > GUARD;
        const DvVec3 normal = outside ? dv_vec3_scale(pq, 1.0 / distance) : normal_of(&best);
        add_separated(query, sink, pairs[i], capsule, dv_vec3_madd(p, a.radius, normal), q, normal,
                      !outside || distance < a.radius);
    }
}

/* For a centre inside a box: the place of the face that is relatively nearest, and the way to the middle of the box. */
static void leave_box(const OrientedBox *box, DvVec3 centre, DvVec3 *face, DvVec3 *normal)
{
    const DvVec3 d = dv_vec3_sub(centre, box->centre);
    double most = -1.0, at_most = 0.0;
    int by = 0;
    for (int k = 0; k < 3; k++) {
        const double at = dv_vec3_dot(d, box->axis[k]), share = box->half[k] > 0 ? fabs(at) / box->half[k] : 1.0;
        if (share > most) {
            most = share;
            at_most = at;
            by = k;
        }
    }
    const double side = at_most < 0 ? -1.0 : 1.0;
    *face = dv_vec3_madd(centre, side * box->half[by] - at_most, box->axis[by]);
    *normal = dv_vec3_scale(box->axis[by], -side);
}

static void spheres_on_boxes(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                             DvContactSink *sink)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sphere = pairs[i][0];
        const OrientedBox box = box_of(query->b, pairs[i][1]);
        const DvVec3 centre = corner_of(query->a, sphere, 0);
        DvVec3 q, normal;
        const bool outside = nearest_in_box(&box, centre, &q);
        const double way = dv_vec3_distance(centre, q);
        if (outside && way > GUARD)
            normal = dv_vec3_scale(dv_vec3_sub(q, centre), 1.0 / way);
        else
            leave_box(&box, centre, &q, &normal);
        const DvVec3 surface = dv_vec3_madd(centre, query->a->radii[sphere], normal);
        const DvVec3 out = dv_vec3_sub(q, surface);
        const bool overlap = dv_vec3_dot(out, dv_vec3_sub(centre, box.centre)) > 0;
        const double distance = fabs(dv_vec3_dot(normal, out));
        if (overlap || distance <= query->alarm)
            add_contact(sink, pairs[i], sphere, point_on_sphere(query->a, sphere, normal), q, normal,
                        (overlap ? -distance : distance) - query->contact);
    }
}

const RoutineRow box_rows[] = {
    {DV_SHAPE_BOXES, DV_SHAPE_BOXES, boxes_on_boxes},
    {DV_SHAPE_CAPSULES, DV_SHAPE_BOXES, capsules_on_boxes},
    {DV_SHAPE_RIGID_CAPSULES, DV_SHAPE_BOXES, capsules_on_boxes},
    {DV_SHAPE_SPHERES, DV_SHAPE_BOXES, spheres_on_boxes},
    {DV_SHAPE_RIGID_SPHERES, DV_SHAPE_BOXES, spheres_on_boxes},
    {0},
};

const RoutineRow box_surface_rows[] = {
    {DV_SHAPE_TRIANGLES, DV_SHAPE_BOXES, triangles_on_boxes},
    {0},
};
