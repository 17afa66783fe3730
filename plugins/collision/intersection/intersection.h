/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What routines of contact have in common: corners of elements, feet of perpendiculars, and how a contact is written down.
 *
 * Feet are solved by the normal equations (Gram's matrix) of the difference of two points; who asks decides what lies outside.
 */
#ifndef DIVAN_COLLISION_INTERSECTION_H
#define DIVAN_COLLISION_INTERSECTION_H

#include <math.h>
#include <string.h>

#include <divan/contracts/collision.h>
#include <divan/math/vec.h>

#define GUARD 1e-15 /* m: nearer points have no direction between them */

static inline DvVec3 corner_of(const DvShape *s, uint32_t element, uint32_t corner)
{
    const uint32_t point = s->vertices ? s->vertices[(size_t)element * s->corners + corner] : element;
    return dv_vec3_load(s->x + (size_t)point * s->stride);
}

static inline double radius_of(const DvShape *s, uint32_t element)
{
    return s->radii ? s->radii[element] : 0.0;
}

/* Where a contact on a sphere is put, for the direction n that leads out of it: the surface of rigid spheres, the centre of
 * others, whose only point it is. */
static inline DvVec3 point_on_sphere(const DvShape *s, uint32_t element, DvVec3 n)
{
    const DvVec3 centre = corner_of(s, element, 0);
    return s->stride > 3 ? dv_vec3_madd(centre, s->radii[element], n) : centre;
}

/* Contacts between elements of equal rank are known by the element of the model that has more of them. */
static inline int64_t id_by_size(const DvContactQuery *query, const uint32_t pair[2])
{
    return query->a->count > query->b->count ? pair[0] : pair[1];
}

static inline void add_contact(DvContactSink *sink, const uint32_t pair[2], int64_t id, DvVec3 p, DvVec3 q,
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
static inline DvVec3 guarded_direction(DvVec3 pq, double length)
{
    return length > GUARD ? dv_vec3_scale(pq, 1.0 / length) : dv_vec3(1.0, 0.0, 0.0);
}

/* Nearest points p + alpha ab and q + beta cd of two lines; false when they are parallel (|det| <= least): both 1/2. */
static inline bool nearest_on_lines(DvVec3 p, DvVec3 ab, DvVec3 q, DvVec3 cd, double least, double *alpha, double *beta)
{
    const DvVec3 pq = dv_vec3_sub(q, p);
    const double a11 = dv_vec3_dot(ab, ab), a22 = dv_vec3_dot(cd, cd), a12 = -dv_vec3_dot(ab, cd);
    const double b1 = dv_vec3_dot(ab, pq), b2 = -dv_vec3_dot(cd, pq);
    const double det = a11 * a22 - a12 * a12;
    *alpha = *beta = 0.5;
    if (!(fabs(det) > least))
        return false;
    *alpha = (b1 * a22 - b2 * a12) / det;
    *beta = (b2 * a11 - b1 * a12) / det;
    return true;
}

/* The foot of p on the plane of a triangle: a + alpha ab + beta ac. */
typedef struct PlaneFoot {
    double alpha, beta;
    double a11, a22, a12, b1, b2;
} PlaneFoot;

static inline PlaneFoot foot_on_plane(DvVec3 a, DvVec3 ab, DvVec3 ac, DvVec3 p)
{
    const DvVec3 ap = dv_vec3_sub(p, a);
    PlaneFoot f = {.a11 = dv_vec3_dot(ab, ab),
                   .a22 = dv_vec3_dot(ac, ac),
                   .a12 = dv_vec3_dot(ab, ac),
                   .b1 = dv_vec3_dot(ap, ab),
                   .b2 = dv_vec3_dot(ap, ac)};
    const double det = f.a11 * f.a22 - f.a12 * f.a12;
    f.alpha = (f.b1 * f.a22 - f.b2 * f.a12) / det;
    f.beta = (f.b2 * f.a11 - f.b1 * f.a12) / det;
    return f;
}

/* A method's table: which routine serves which kinds. The list ends with a NULL kind. */
typedef struct RoutineRow {
    const char *a, *b;
    DvContactRoutine routine; /* NULL: ignored */
} RoutineRow;

static inline DvRoutineAnswer routine_in(const RoutineRow *rows, const char *a, const char *b,
                                         DvContactRoutine *routine)
{
    for (const RoutineRow *row = rows; row->a; row++)
        if (strcmp(row->a, a) == 0 && strcmp(row->b, b) == 0) {
            *routine = row->routine;
            return row->routine ? DV_ROUTINE_FOUND : DV_ROUTINE_IGNORED;
        }
    return DV_ROUTINE_NONE;
}

/* What every method knows: see discrete_intersection.c. */
DvRoutineAnswer discrete_routine(const char *a, const char *b, DvContactRoutine *routine);

/* Spheres against spheres: contact at distances up to and including `alarm` and both radii. */
void spheres_on_spheres(const DvContactQuery *query, const uint32_t (*pairs)[2], uint32_t count, DvContactSink *sink);

/* The fields that methods of proximity share. */
typedef struct Proximity {
    DvData alarm, contact;
} Proximity;

#define PROXIMITY_FIELDS(Struct, base)                                                                 \
    DV_FIELD(Struct, base.alarm, "alarmDistance", dv_type_double, .init = "1", .unit = "m",            \
             .flags = DV_FIELD_REQUIRED, .help = "distance below which a pair of elements is listed"), \
        DV_FIELD(Struct, base.contact, "contactDistance", dv_type_double, .init = "0.5", .unit = "m",  \
                 .flags = DV_FIELD_REQUIRED, .help = "distance at which contact begins")

DvStatus proximity_init(DvObject *object, Proximity *self);
double proximity_alarm_distance(void *self);
double proximity_contact_distance(void *self);
double proximity_box_tolerance(void *self, double distance_a, double distance_b);

#endif
