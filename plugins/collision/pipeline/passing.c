/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies that pass through each other in one step; see the header.
 *
 * The way of a point is its velocity times the step, which is what the integrators of this field move it by, less that of what it passes.
 */
#include "passing.h"

#include <divan/memory.h>

#include "intersection/intersection.h"
#include "phase/meeting.h"

enum { MOST_TESTS = 1 << 20 }; /* ways against elements in a step: more bodies that fly are not looked at */

/* ---- Ways ---- */

/* Positions of a model's points, and how far each has come. */
typedef struct Ways {
    const DvCollisionBody *body;
    const double *v; /* m/s, of the points of the shape; NULL: it rests */
    uint32_t stride; /* of v */
    bool by_element; /* v is that of elements */
    double dt;
} Ways;

static Ways ways_of(const DvCollisionBody *body, double dt)
{
    const DvStateRef state = dv_state_ref(body->ops->state(body->self));
    const DvConstVec v = dv_state_read(state, DV_VELOCITY);
    const DvShape *s = body->shape;
    if (strcmp(s->kind, DV_SHAPE_RIGID_CAPSULES) == 0) /* its points are no points of the state */
        return (Ways){body, ((const DvSolids *)s->more)->velocities, 3, true, dt};
    const bool moves = body->traits.moving && v.dim >= 3 && s->x == dv_state_read(state, DV_POSITION).at;
    return (Ways){body, moves ? v.at : NULL, v.dim, false, dt};
}

static DvVec3 way_of_corner(const Ways *ways, uint32_t element, uint32_t corner)
{
    const DvShape *s = ways->body->shape;
    const uint32_t point = s->vertices ? s->vertices[(size_t)element * s->corners + corner] : element;
    const size_t at = ways->by_element ? element : point;
    return ways->v ? dv_vec3_scale(dv_vec3_load(ways->v + at * ways->stride), ways->dt) : dv_vec3_zero();
}

static uint32_t corners_of(const DvShape *s)
{
    return s->vertices ? s->corners : 1;
}

/* The mean of its corners. */
static DvVec3 way_of_element(const Ways *ways, uint32_t element)
{
    const uint32_t corners = corners_of(ways->body->shape);
    DvVec3 sum = dv_vec3_zero();
    for (uint32_t c = 0; c < corners; c++)
        sum = dv_vec3_add(sum, way_of_corner(ways, element, c));
    return dv_vec3_scale(sum, 1.0 / corners);
}

/* ---- What is passed ---- */

typedef bool (*PassesElement)(const DvShape *s, uint32_t element, DvVec3 from, DvVec3 way, double radius);

static bool passes_triangle(const DvShape *s, uint32_t element, DvVec3 from, DvVec3 way, double radius)
{
    double t;
    (void)radius;
    return line_meets_triangle(corner_of(s, element, 0), corner_of(s, element, 1), corner_of(s, element, 2), from, way,
                               &t) &&
           t > 0 && t < 1;
}

/* Balls on the way through a segment with a radius: outside before and after, nearer than both radii between. */
static bool passes_round(const DvShape *s, uint32_t element, DvVec3 from, DvVec3 way, double radius)
{
    const DvVec3 p = corner_of(s, element, 0);
    const DvVec3 along = corners_of(s) == 2 ? dv_vec3_sub(corner_of(s, element, 1), p) : dv_vec3_zero();
    const double reach = radius + radius_of(s, element), reach2 = reach * reach;
    double alpha, beta;
    nearest_on_segments(from, way, p, along, 1e-12 * dv_vec3_norm_squared(way) * dv_vec3_norm_squared(along), &alpha,
                        &beta);
    const DvVec3 near = dv_vec3_sub(dv_vec3_madd(from, alpha, way), dv_vec3_madd(p, beta, along));
    if (!(alpha > 0 && alpha < 1 && dv_vec3_norm_squared(near) < reach2))
        return false;
    for (int end = 0; end < 2; end++) {
        const DvVec3 at = end ? dv_vec3_add(from, way) : from;
        const DvVec3 foot = dv_vec3_madd(p, clamped(foot_on_line(p, along, at)), along);
        if (dv_vec3_norm_squared(dv_vec3_sub(at, foot)) < reach2)
            return false;
    }
    return true;
}

/* Slab by slab, a point. */
static bool passes_box(const DvShape *s, uint32_t element, DvVec3 from, DvVec3 way, double radius)
{
    const OrientedBox box = box_of(s, element);
    const DvVec3 d = dv_vec3_sub(from, box.centre);
    double enters = -HUGE_VAL, leaves = HUGE_VAL;
    (void)radius;
    for (int k = 0; k < 3; k++) {
        const double at = dv_vec3_dot(d, box.axis[k]), rate = dv_vec3_dot(way, box.axis[k]);
        const double one = (-box.half[k] - at) / rate, two = (box.half[k] - at) / rate;
        if (rate == 0.0 ? fabs(at) > box.half[k] : false)
            return false;
        if (rate == 0.0)
            continue;
        enters = fmax(enters, fmin(one, two));
        leaves = fmin(leaves, fmax(one, two));
    }
    return enters < leaves && enters > 0 && leaves < 1;
}

static PassesElement test_for(const char *kind)
{
    static const struct {
        const char *kind;
        PassesElement test;
    } tests[] = {{DV_SHAPE_TRIANGLES, passes_triangle},   {DV_SHAPE_SPHERES, passes_round},
                 {DV_SHAPE_RIGID_SPHERES, passes_round},  {DV_SHAPE_CAPSULES, passes_round},
                 {DV_SHAPE_RIGID_CAPSULES, passes_round}, {DV_SHAPE_BOXES, passes_box}};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(tests[i].kind, kind) == 0)
            return tests[i].test;
    return NULL;
}

/* Whether the box of an element, as wide as it may have come from, is near another one. */
static bool element_is_near(const DvCollisionBody *body, uint32_t element, const double lower[3], const double upper[3],
                            const double way[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double low = body->boxes.lower[axis][element] - fabs(way[axis]);
        const double high = body->boxes.upper[axis][element] + fabs(way[axis]);
        if (low > upper[axis] || high < lower[axis])
            return false;
    }
    return true;
}

/* The way of the first element of one body that has passed one of the other, in m; 0: none. */
static double way_through(const DvCollisionBody *a, const DvCollisionBody *b, double reach, double dt,
                          const double lower[3], const double upper[3], uint32_t *tests)
{
    const PassesElement passes = test_for(b->shape->kind);
    if (!passes || strcmp(a->shape->kind, DV_SHAPE_RAYS) == 0)
        return 0.0;
    const Ways ways_a = ways_of(a, dt), ways_b = ways_of(b, dt);
    const DvStepMark mark = dv_step_mark();
    uint32_t *near = dv_step_alloc((size_t)b->shape->count + 1, sizeof *near), count = 0;
    double found = 0.0, way[3];
    for (uint32_t k = 0; k < b->shape->count; k++) {
        dv_vec3_store(way_of_element(&ways_b, k), way);
        if (element_is_near(b, k, lower, upper, way))
            near[count++] = k;
    }
    for (uint32_t i = 0; found == 0.0 && i < a->shape->count && *tests < MOST_TESTS; i++) {
        dv_vec3_store(way_of_element(&ways_a, i), way);
        if (!element_is_near(a, i, lower, upper, way))
            continue;
        for (uint32_t c = 0; found == 0.0 && c < corners_of(a->shape); c++) {
            const DvVec3 at = corner_of(a->shape, i, c), own = way_of_corner(&ways_a, i, c);
            for (uint32_t n = 0; found == 0.0 && n < count; n++, ++*tests) {
                const DvVec3 u = dv_vec3_sub(own, way_of_element(&ways_b, near[n]));
                if (dv_vec3_norm_squared(u) > reach * reach &&
                    passes(b->shape, near[n], dv_vec3_sub(at, u), u, radius_of(a->shape, i)))
                    found = dv_vec3_norm(u);
            }
        }
    }
    dv_step_release(mark);
    return found;
}

/* ---- Bodies ---- */

/* How far a body's box has moved, m; 0 where there was none. */
static double moved(const DvCollisionBody *body, const double before[6])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double way = fmax(fabs(body->lower[axis] - before[axis]), fabs(body->upper[axis] - before[3 + axis]));
        square += way * way;
    }
    return square > 0 ? sqrt(square) : 0.0;
}

/* What the boxes of two bodies have swept both; false: nothing. */
static bool common_box(const DvCollisionBody *a, const double a_before[6], const DvCollisionBody *b,
                       const double b_before[6], double lower[3], double upper[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = fmax(fmin(a->lower[axis], a_before[axis]), fmin(b->lower[axis], b_before[axis]));
        upper[axis] = fmin(fmax(a->upper[axis], a_before[3 + axis]), fmax(b->upper[axis], b_before[3 + axis]));
        if (lower[axis] > upper[axis])
            return false;
    }
    return true;
}

static bool has_passed(const Passing *self, const DvCollisionBody *bodies, uint32_t i, uint32_t k, double alarm,
                       double dt, uint32_t *tests, Passage *passage)
{
    const DvCollisionBody *pair[2] = {&bodies[i], &bodies[k]};
    double lower[3], upper[3];
    if (!pair[1]->present || pair[0]->node == pair[1]->node || !bodies_may_meet(pair[0], pair[1]) ||
        !common_box(pair[0], self->before[i], pair[1], self->before[k], lower, upper))
        return false;
    const double reach = alarm + pair[0]->traits.distance + pair[1]->traits.distance;
    for (int side = 0; side < 2; side++) {
        const DvCollisionBody *a = pair[side], *b = pair[1 - side];
        const double way = way_through(a, b, reach, dt, lower, upper, tests);
        if (way > 0) {
            *passage = (Passage){a, b, way, reach};
            return true;
        }
    }
    return false;
}

static void remember(Passing *self, const DvCollisionBody *bodies, uint32_t count)
{
    if (count > self->capacity) {
        dv_free(self->before);
        self->capacity = count + count / 4;
        self->before = dv_alloc(self->capacity, sizeof *self->before);
    }
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            self->before[i][axis] = bodies[i].present ? bodies[i].lower[axis] : NAN;
            self->before[i][3 + axis] = bodies[i].present ? bodies[i].upper[axis] : NAN;
        }
    for (uint32_t i = count; i < self->capacity; i++)
        for (int axis = 0; axis < 6; axis++)
            self->before[i][axis] = NAN;
}

bool passing_look(Passing *self, const DvCollisionBody *bodies, uint32_t count, DvObject *method, double dt,
                  Passage *passage)
{
    const double alarm = ((const DvIntersectionMethodOps *)dv_object_ops(method, DV_INTERSECTION_METHOD))
                             ->alarm_distance(dv_object_self(method));
    bool found = false;
    uint32_t tests = 0;
    for (uint32_t i = 0; !found && i < count && i < self->capacity; i++)
        if (bodies[i].present && 2.0 * moved(&bodies[i], self->before[i]) > alarm + bodies[i].traits.distance)
            for (uint32_t k = 0; !found && k < count && k < self->capacity; k++)
                found = k != i && has_passed(self, bodies, i, k, alarm, dt, &tests, passage);
    remember(self, bodies, count);
    return found;
}

void passing_forget(Passing *self)
{
    dv_free(self->before);
    *self = (Passing){0};
}
