/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What routines of contact have in common: corners of elements, tables of routines, and how a contact is written down.
 */
#ifndef DIVAN_COLLISION_INTERSECTION_H
#define DIVAN_COLLISION_INTERSECTION_H

#include <string.h>

#include "geometry.h"

#define GUARD 1e-15 /* m: nearer points have no direction between them */

DV_SIMD_INLINE DvVec3 corner_of(const DvShape *s, uint32_t element, uint32_t corner)
{
    const uint32_t point = s->vertices ? s->vertices[(size_t)element * s->corners + corner] : element;
    return dv_vec3_load(s->x + (size_t)point * s->stride);
}

DV_SIMD_INLINE double radius_of(const DvShape *s, uint32_t element)
{
    return s->radii ? s->radii[element] : 0.0;
}

/* Where a contact on a sphere is put, for the direction n that leads out of it: the surface of rigid spheres, the centre of
 * others, whose only point it is. */
DV_SIMD_INLINE DvVec3 point_on_sphere(const DvShape *s, uint32_t element, DvVec3 n)
{
    const DvVec3 centre = corner_of(s, element, 0);
    return s->stride > 3 ? fused_madd(centre, s->radii[element], n) : centre;
}

/* Contacts between elements of equal rank are known by the element of the model that has more of them. */
DV_SIMD_INLINE int64_t id_by_size(const DvContactQuery *query, const uint32_t pair[2])
{
    return query->a->count > query->b->count ? pair[0] : pair[1];
}

DV_SIMD_INLINE void add_contact(DvContactSink *sink, const uint32_t pair[2], int64_t id, DvVec3 p, DvVec3 q,
                                DvVec3 normal, double gap)
{
    DvContact *c = dv_contact_add(sink);
    c->element[0] = pair[0];
    c->element[1] = pair[1];
    c->id = id;
    dv_vec3_store(p, c->point[0]);
    dv_vec3_store(q, c->point[1]);
    dv_vec3_store(normal, c->normal);
    c->gap = gap;
}

/* The direction of pq, whose length is given; x where the points coincide. */
DV_SIMD_INLINE DvVec3 guarded_direction(DvVec3 pq, double length)
{
    return length > GUARD ? dv_vec3_scale(pq, 1.0 / length) : dv_vec3(1.0, 0.0, 0.0);
}

/* ---- Triangles that own corners and edges ---- */

typedef struct Triangle {
    DvVec3 corner[3];
    uint16_t owns; /* all of one whose model tells no owners */
} Triangle;

DV_SIMD_INLINE Triangle triangle_of(const DvShape *s, uint32_t element)
{
    return (Triangle){{corner_of(s, element, 0), corner_of(s, element, 1), corner_of(s, element, 2)},
                      s->owns ? s->owns[element] : UINT16_MAX};
}

DV_SIMD_INLINE bool owns(const Triangle *t, uint16_t place)
{
    return (t->owns & place) == place;
}

/* Its edges in the order in which they are tested. */
static const struct {
    uint32_t from, to;
    uint16_t owned;
} triangle_edges[3] = {{0, 1, DV_OWNS_EDGE_2}, {1, 2, DV_OWNS_EDGE_0}, {2, 0, DV_OWNS_EDGE_1}};

/* The place nearest to q, and which edge or corner that is: see nearest_on_triangle. */
DV_SIMD_INLINE uint16_t nearest_of_triangle(const Triangle *t, DvVec3 q, TriangleMargins margins, DvVec3 *nearest)
{
    const DvVec3 a = t->corner[0], ab = dv_vec3_sub(t->corner[1], a), ac = dv_vec3_sub(t->corner[2], a);
    double alpha, beta;
    const uint16_t place = nearest_on_triangle(a, ab, ac, q, margins, &alpha, &beta);
    *nearest = fused_madd(fused_madd(a, alpha, ab), beta, ac);
    return place;
}

/* ---- Tables ---- */

/* A method's table: which routine serves which kinds. The list ends with a NULL kind. */
typedef struct RoutineRow {
    const char *a, *b;
    DvContactRoutine routine; /* NULL: ignored */
} RoutineRow;

DV_SIMD_INLINE DvRoutineAnswer routine_in(const RoutineRow *rows, const char *a, const char *b,
                                          DvContactRoutine *routine)
{
    for (const RoutineRow *row = rows; row->a; row++)
        if (strcmp(row->a, a) == 0 && strcmp(row->b, b) == 0) {
            *routine = row->routine;
            return row->routine ? DV_ROUTINE_FOUND : DV_ROUTINE_IGNORED;
        }
    return DV_ROUTINE_NONE;
}

DV_SIMD_INLINE bool is_in(const RoutineRow *rows, const char *a, const char *b)
{
    DvContactRoutine routine;
    return routine_in(rows, a, b, &routine) == DV_ROUTINE_FOUND;
}

/* Whether a method finds contacts of a with b, in this order, with some choice of its fields, beside what every method knows. */
bool min_proximity_serves(const char *a, const char *b);
bool new_proximity_serves(const char *a, const char *b);
bool local_min_distance_serves(const char *a, const char *b);

/* What every method knows: see discrete_intersection.c. `box_manifold`: as its field. */
DvRoutineAnswer discrete_routine(bool box_manifold, const char *a, const char *b, DvContactRoutine *routine);

#define BOX_MANIFOLD_FIELD(Struct, member)                                                                               \
    DV_FIELD(                                                                                                            \
        Struct, member, "boxManifold", dv_type_bool, .init = "0",                                                        \
        .help =                                                                                                          \
            "contacts of a box with a box or a triangle. 0: one, in the middle of what touches; 1: the corners of what " \
            "touches, up to 8, on which boxes stand")

/* Spheres against spheres: contact at distances up to and including `alarm` and both radii. */
void spheres_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink);

/* Tables of capsules, of boxes and of rays, for every method; and of what surfaces add where corners and edges have owners. */
extern const RoutineRow capsule_rows[], box_rows[], ray_rows[], capsule_surface_rows[], box_surface_rows[];
/* Boxes on boxes and triangles with `boxManifold`. */
extern const RoutineRow box_manifold_rows[];

/* Rays that come near triangles, not only through them. */
void rays_near_triangles(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink);

/* Rays through spheres, whose contact is on the surface also of those that are not rigid. */
void rays_on_sphere_surfaces(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count,
                             DvContactSink *sink);

/* Where the line p + t pq meets the triangle a b c, by Cramer's rule; false when it does not, or is parallel. */
DV_SIMD_INLINE bool line_meets_triangle(DvVec3 a, DvVec3 b, DvVec3 c, DvVec3 p, DvVec3 pq, double *t)
{
    const double least_volume = 2.220446049250313e-16; /* m^3, of the line and the sides: less is parallel */
    const DvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), ap = dv_vec3_sub(p, a);
    const DvVec3 n = fused_cross(ab, ac), w = fused_cross(ap, pq);
    const double det = -fused_dot(n, pq);
    if (!(fabs(det) > least_volume))
        return false;
    const double u = fused_dot(ac, w) / det, v = -fused_dot(ab, w) / det;
    *t = fused_dot(n, ap) / det;
    return u >= 0 && v >= 0 && u + v <= 1;
}

/* A box with its axes, as routines use it. */
typedef struct OrientedBox {
    DvVec3 centre, axis[3];
    double half[3];
} OrientedBox;

DV_SIMD_INLINE OrientedBox box_of(const DvShape *s, uint32_t element)
{
    const DvSolids *solids = s->more;
    OrientedBox box = {.centre = corner_of(s, element, 0)};
    for (size_t k = 0; k < 3; k++) {
        box.axis[k] = dv_vec3_load(solids->axes + 9 * (size_t)element + 3 * k);
        box.half[k] = solids->half_sizes[3 * (size_t)element + k];
    }
    return box;
}

/* Bit k of its number: the corner is on the positive side of axis k. */
DV_SIMD_INLINE DvVec3 corner_of_box(const OrientedBox *box, uint32_t number)
{
    DvVec3 p = box->centre;
    for (int k = 0; k < 3; k++)
        p = dv_vec3_madd(p, number >> k & 1u ? box->half[k] : -box->half[k], box->axis[k]);
    return p;
}

/* The point of a box nearest to p; false when p is inside, or on it. */
DV_SIMD_INLINE bool nearest_in_box(const OrientedBox *box, DvVec3 p, DvVec3 *nearest)
{
    const DvVec3 d = dv_vec3_sub(p, box->centre);
    bool outside = false;
    *nearest = box->centre;
    for (int k = 0; k < 3; k++) {
        const double at = dv_vec3_dot(d, box->axis[k]), half = box->half[k];
        outside = outside || fabs(at) > half;
        *nearest = dv_vec3_madd(*nearest, at < -half ? -half : at > half ? half : at, box->axis[k]);
    }
    return outside;
}

/* The fields that methods of proximity share. */
typedef struct Proximity {
    DvData alarm, contact, box_manifold;
} Proximity;

#define PROXIMITY_FIELDS(Struct, base)                                                                \
    DV_FIELD(Struct, base.alarm, "alarmDistance", dv_type_double, .init = "1", .unit = "m",           \
             .range = &dv_range_not_negative, .flags = DV_FIELD_REQUIRED,                             \
             .help = "distance below which a pair of elements is listed"),                            \
        DV_FIELD(Struct, base.contact, "contactDistance", dv_type_double, .init = "0.5", .unit = "m", \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_REQUIRED,                         \
                 .help = "distance at which contact begins"),                                         \
        BOX_MANIFOLD_FIELD(Struct, base.box_manifold)

DvStatus proximity_init(DvObject *object, Proximity *self);
double proximity_alarm_distance(void *self);
double proximity_contact_distance(void *self);
double proximity_box_tolerance(void *self, double distance_a, double distance_b);

#endif
