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

enum {
    MOST_TESTS = 1 << 20,     /* ways against elements in a step: more bodies that fly are not looked at */
    MOST_EDGE_TESTS = 1 << 16 /* the same of edges against edges */
};

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

/* ---- Edges that pass edges ---- */

/* The ends of two edges before the step, and how far each came. */
typedef struct TwoEdges {
    DvVec3 from[4], way[4];
} TwoEdges;

static DvVec3 end_at(const TwoEdges *edges, int end, double t)
{
    return dv_vec3_madd(edges->from[end], t, edges->way[end]);
}

/* Six times the volume of the tetrahedron of the ends, m^3: 0 where the edges are in one plane. */
static double volume_at(const TwoEdges *edges, double t)
{
    const DvVec3 p = end_at(edges, 0, t), q = end_at(edges, 2, t);
    const DvVec3 ab = dv_vec3_sub(end_at(edges, 1, t), p), cd = dv_vec3_sub(end_at(edges, 3, t), q);
    return dv_vec3_dot(dv_vec3_cross(ab, cd), dv_vec3_sub(q, p));
}

/* When the volume changes its sign, as a share of the step. */
static double time_of_crossing(const TwoEdges *edges, double before, double after)
{
    double low = 0.0, high = 1.0, at = before / (before - after);
    const double small = 1e-9 * fmax(fabs(before), fabs(after));
    for (int i = 0; i < 40; i++) {
        const double volume = volume_at(edges, at);
        if (fabs(volume) <= small)
            break;
        *((volume > 0) == (before > 0) ? &low : &high) = at;
        at = 0.5 * (low + high);
    }
    return at;
}

/* The way of an edge relative to one that it has passed, at least `margin` (m) from the ends of both. */
static DvVec3 way_past_edge(const Ways *a, uint32_t i, const Ways *b, uint32_t k, double margin)
{
    TwoEdges edges;
    for (uint32_t c = 0; c < 4; c++) {
        const Ways *ways = c < 2 ? a : b;
        const uint32_t element = c < 2 ? i : k;
        edges.way[c] = way_of_corner(ways, element, c % 2);
        edges.from[c] = dv_vec3_sub(corner_of(ways->body->shape, element, c % 2), edges.way[c]);
    }
    const double before = volume_at(&edges, 0.0), after = volume_at(&edges, 1.0);
    if (!(before * after < 0))
        return dv_vec3_zero();
    const double t = time_of_crossing(&edges, before, after);
    const DvVec3 p = end_at(&edges, 0, t), q = end_at(&edges, 2, t);
    const DvVec3 ab = dv_vec3_sub(end_at(&edges, 1, t), p), cd = dv_vec3_sub(end_at(&edges, 3, t), q);
    const double ab2 = dv_vec3_norm_squared(ab), cd2 = dv_vec3_norm_squared(cd);
    double alpha, beta;
    if (!nearest_on_lines(p, ab, q, cd, 1e-6 * ab2 * cd2, &alpha, &beta) ||
        !(fmin(alpha, 1 - alpha) * sqrt(ab2) > margin && fmin(beta, 1 - beta) * sqrt(cd2) > margin))
        return dv_vec3_zero();
    const DvVec3 own = dv_vec3_madd(dv_vec3_scale(edges.way[0], 1 - alpha), alpha, edges.way[1]);
    const DvVec3 other = dv_vec3_madd(dv_vec3_scale(edges.way[2], 1 - beta), beta, edges.way[3]);
    return dv_vec3_sub(own, other);
}

static bool is_edge_of_surface(const DvShape *s)
{
    return s->topology && s->topology->elements(s->topology_self, DV_TRIANGLES).count > 0;
}

/* ---- Elements ---- */

/* How far something has to come to pass unseen, m: farther than contacts are found from; and where they are found of what overlaps alone,
 * farther than the bodies are long in its direction. */
typedef struct Least {
    double reach, length[3];
} Least;

static double least_way(const Least *least, DvVec3 way)
{
    const double across =
        fabs(way.x) * least->length[0] + fabs(way.y) * least->length[1] + fabs(way.z) * least->length[2];
    return across > 0 ? least->reach + across / dv_vec3_norm(way) : least->reach;
}

static bool is_farther(const Least *least, DvVec3 way)
{
    const double square = dv_vec3_norm_squared(way);
    return square > least->reach * least->reach && square > least_way(least, way) * least_way(least, way);
}

/* What elements of one body are laid against: those of another one that are near. */
typedef struct Near {
    const Least *least;
    const uint32_t *elements;
    uint32_t count;
    uint32_t *tests;
} Near;

/* The way of a corner of an element through the first that it has passed; 0: none. */
static DvVec3 way_of_points(const Ways *a, uint32_t i, const Ways *b, const Near *near, PassesElement passes)
{
    for (uint32_t c = 0; c < corners_of(a->body->shape); c++) {
        const DvVec3 at = corner_of(a->body->shape, i, c), own = way_of_corner(a, i, c);
        for (uint32_t n = 0; n < near->count; n++, ++*near->tests) {
            const DvVec3 u = dv_vec3_sub(own, way_of_element(b, near->elements[n]));
            if (dv_vec3_norm_squared(u) > near->least->reach * near->least->reach &&
                passes(b->body->shape, near->elements[n], dv_vec3_sub(at, u), u, radius_of(a->body->shape, i)) &&
                is_farther(near->least, u))
                return u;
        }
    }
    return dv_vec3_zero();
}

/* The same of an edge past edges. Edges of two surfaces that slide on each other cross near their ends; elsewhere they pass. */
static DvVec3 way_of_edge(const Ways *a, uint32_t i, const Ways *b, const Near *near, double margin)
{
    double lower[3], upper[3], way[3];
    dv_vec3_store(way_of_element(a, i), way);
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = a->body->boxes.lower[axis][i] - fabs(way[axis]);
        upper[axis] = a->body->boxes.upper[axis][i] + fabs(way[axis]);
    }
    for (uint32_t n = 0; n < near->count && *near->tests < MOST_EDGE_TESTS; n++, ++*near->tests) {
        dv_vec3_store(way_of_element(b, near->elements[n]), way);
        if (!element_is_near(b->body, near->elements[n], lower, upper, way))
            continue;
        const DvVec3 u = way_past_edge(a, i, b, near->elements[n], margin);
        if (is_farther(near->least, u))
            return u;
    }
    return dv_vec3_zero();
}

/* In a step so far. */
typedef struct Tests {
    uint32_t points, edges;
} Tests;

/* The way of the first element of one body that has passed one of the other, in m; 0: none. */
static DvVec3 way_through(const DvCollisionBody *a, const DvCollisionBody *b, const Least *least, double dt,
                          const double lower[3], const double upper[3], Tests *tests)
{
    const PassesElement passes = test_for(b->shape->kind);
    const bool edges = strcmp(a->shape->kind, DV_SHAPE_LINES) == 0 && strcmp(b->shape->kind, DV_SHAPE_LINES) == 0;
    if ((!passes && !edges) || strcmp(a->shape->kind, DV_SHAPE_RAYS) == 0)
        return dv_vec3_zero();
    const double margin = edges && is_edge_of_surface(a->shape) && is_edge_of_surface(b->shape) ? least->reach : 0.0;
    const Ways ways_a = ways_of(a, dt), ways_b = ways_of(b, dt);
    const DvStepMark mark = dv_step_mark();
    uint32_t *elements = dv_step_alloc((size_t)b->shape->count + 1, sizeof *elements);
    Near near = {.least = least, .elements = elements, .tests = edges ? &tests->edges : &tests->points};
    double way[3];
    for (uint32_t k = 0; k < b->shape->count; k++) {
        dv_vec3_store(way_of_element(&ways_b, k), way);
        if (element_is_near(b, k, lower, upper, way))
            elements[near.count++] = k;
    }
    DvVec3 found = dv_vec3_zero();
    const uint32_t most = edges ? MOST_EDGE_TESTS : MOST_TESTS;
    for (uint32_t i = 0; dv_vec3_norm_squared(found) == 0 && i < a->shape->count && *near.tests < most; i++) {
        dv_vec3_store(way_of_element(&ways_a, i), way);
        if (element_is_near(a, i, lower, upper, way))
            found = edges ? way_of_edge(&ways_a, i, &ways_b, &near, margin)
                          : way_of_points(&ways_a, i, &ways_b, &near, passes);
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

/* Where contacts are of what overlaps alone, a body is found as long as it is in the other one. */
static Least least_of(const DvCollisionBody *a, const DvCollisionBody *b, double alarm)
{
    Least least = {.reach = alarm + a->traits.distance + b->traits.distance};
    for (int axis = 0; axis < 3 && alarm == 0; axis++) {
        least.length[axis] += a->traits.moving ? a->upper[axis] - a->lower[axis] : 0.0;
        least.length[axis] += b->traits.moving ? b->upper[axis] - b->lower[axis] : 0.0;
    }
    return least;
}

static bool has_passed(const Passing *self, const DvCollisionBody *bodies, uint32_t i, uint32_t k,
                       const DvObject *method, double alarm, double dt, Tests *tests, Passage *passage)
{
    const DvCollisionBody *pair[2] = {&bodies[i], &bodies[k]};
    double lower[3], upper[3];
    if (!pair[1]->present || pair[0]->node == pair[1]->node || !bodies_may_meet(pair[0], pair[1]) ||
        !common_box(pair[0], self->before[i], pair[1], self->before[k], lower, upper) ||
        find_route(method, pair[0]->shape->kind, pair[1]->shape->kind).answer != DV_ROUTINE_FOUND)
        return false;
    const Least least = least_of(pair[0], pair[1], alarm);
    for (int side = 0; side < 2; side++) {
        const DvCollisionBody *a = pair[side], *b = pair[1 - side];
        const DvVec3 way = way_through(a, b, &least, dt, lower, upper, tests);
        if (dv_vec3_norm_squared(way) > 0) {
            *passage = (Passage){a, b, dv_vec3_norm(way), least_way(&least, way), alarm > 0};
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
    Tests tests = {0, 0};
    for (uint32_t i = 0; !found && i < count && i < self->capacity; i++)
        if (bodies[i].present && 2.0 * moved(&bodies[i], self->before[i]) > alarm + bodies[i].traits.distance)
            for (uint32_t k = 0; !found && k < count && k < self->capacity; k++)
                found = k != i && has_passed(self, bodies, i, k, method, alarm, dt, &tests, passage);
    remember(self, bodies, count);
    return found;
}

void passing_forget(Passing *self)
{
    dv_free(self->before);
    *self = (Passing){0};
}
