/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Boxes, capsules, tetrahedra and rays: trees find what testing every pair finds; overlaps and distances are those of projections
 * onto convex sets, which know nothing of axes; motions and orders change nothing; what has no size does no harm.
 */
#include "solid_bodies.h"

static const char *const methods[] = {
    "NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'",
    "MinProximityIntersection alarmDistance='0.1' contactDistance='0.05'",
    "LocalMinDistance alarmDistance='0.1' contactDistance='0.05' filterIntersection='0'",
    "DiscreteIntersection",
};

static void check_trees(const char *method, int rounds, uint32_t *pairs, uint32_t *contacts)
{
    for (int round = 0; round < rounds; round++) {
        DvScene *scene = load_bodies(method, round % 2 == 1);
        const DvContactList *list = detect(scene);
        for (uint32_t a = 0; a < list->body_count; a++)
            for (uint32_t b = 0; b < list->body_count; b++) {
                if (list->bodies[a].node == list->bodies[b].node)
                    continue;
                const bool same_kind = strcmp(list->bodies[a].shape->kind, list->bodies[b].shape->kind) == 0;
                DvContactSink all = test_all(scene, &list->bodies[a], &list->bodies[b], true);
                const DvContactPair *found = NULL;
                for (uint32_t i = 0; i < list->pair_count; i++)
                    if (list->pairs[i].body[0] == a && list->pairs[i].body[1] == b)
                        found = &list->pairs[i];
                for (uint32_t i = 0; i < all.count; i++) {
                    const DvContact *c = &all.contacts[i];
                    assert_true(isfinite(c->gap) && fabs(dv_vec3_norm(dv_vec3_load(c->normal)) - 1) < 1e-9);
                    for (int side = 0; side < 2; side++)
                        assert_true(isfinite(dv_vec3_norm(dv_vec3_load(c->point[side]))));
                }
                if (found)
                    assert_same_contacts(found, &all);
                else
                    assert_true(all.count == 0 || same_kind); /* of one kind only one order is tested */
                *contacts += all.count;
                *pairs += found != NULL;
                free(all.contacts);
            }
        dv_scene_free(scene);
    }
}

static void trees_find_what_testing_every_pair_finds(void **state)
{
    (void)state;
    uint32_t contacts = 0, pairs = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        check_trees(methods[m], 16, &pairs, &contacts);
    assert_true(pairs > 1000);
    assert_true(contacts > 5000);
}

/* The same elements, of points in the other order: those of one point, which need no list of vertices, have one then. */
static DvShape renumbered(const DvShape *s, uint32_t *vertices, double *x)
{
    uint32_t points = s->vertices ? 0 : s->count;
    for (size_t i = 0; s->vertices && i < (size_t)s->count * s->corners; i++)
        points = s->vertices[i] >= points ? s->vertices[i] + 1 : points;
    for (size_t i = 0; i < (size_t)s->count * s->corners; i++)
        vertices[i] = points - 1 - (s->vertices ? s->vertices[i] : (uint32_t)i);
    for (uint32_t i = 0; i < points; i++)
        memcpy(x + (size_t)i * s->stride, s->x + (size_t)(points - 1 - i) * s->stride, s->stride * sizeof *x);
    DvShape other = *s;
    other.vertices = vertices;
    other.x = x;
    other.topology = NULL;
    other.lines = NULL;
    return other;
}

static void elements_are_where_their_vertices_say(void **state)
{
    (void)state;
    static uint32_t vertices[2][1024];
    static double x[2][1024];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        DvScene *scene = load_bodies(methods[m], false);
        const DvContactList *list = detect(scene);
        uint32_t contacts = 0;
        for (uint32_t pair = 0; pair < list->body_count * list->body_count; pair++) {
            DvCollisionBody bodies[2] = {list->bodies[pair / list->body_count], list->bodies[pair % list->body_count]};
            if (bodies[0].node == bodies[1].node)
                continue;
            DvShape plain[2], other[2];
            for (int side = 0; side < 2; side++) {
                plain[side] = *bodies[side].shape;
                plain[side].topology = NULL; /* which knows points by their numbers */
                plain[side].lines = NULL;
                other[side] = renumbered(&plain[side], vertices[side], x[side]);
                bodies[side].shape = &plain[side];
            }
            DvContactSink expected = test_all(scene, &bodies[0], &bodies[1], false);
            bodies[0].shape = &other[0];
            bodies[1].shape = &other[1];
            DvContactSink found = test_all(scene, &bodies[0], &bodies[1], false);
            assert_int_equal(found.count, expected.count);
            if (found.count > 0)
                assert_memory_equal(found.contacts, expected.contacts, found.count * sizeof *found.contacts);
            contacts += found.count;
            free(found.contacts);
            free(expected.contacts);
        }
        assert_true(contacts > 150);
        dv_scene_free(scene);
    }
}

/* 100,000 pairs of elements of each two kinds and more, in larger bodies. */
static void trees_find_what_testing_every_pair_of_many_finds(void **state)
{
    (void)state;
    uint32_t contacts = 0, pairs = 0;
    scale = LARGEST;
    check_trees(methods[0], share_count(8), &pairs, &contacts);
    scale = 1;
    assert_kinds_are_tested(100000);
}

static void trees_find_what_boxes_stand_on(void **state)
{
    (void)state;
    uint32_t contacts = 0, pairs = 0;
    check_trees("DiscreteIntersection boxManifold='1'", 16, &pairs, &contacts);
    check_trees("NewProximityIntersection alarmDistance='0.1' contactDistance='0.05' boxManifold='1'", 16, &pairs,
                &contacts);
    assert_true(pairs > 400 && contacts > 2000);
}

/* ---- Distances by projection ---- */

/* A box, a segment or a triangle, by the one thing that convex sets need: the nearest point. */
typedef struct Set {
    DvVec3 corner[3];
    uint32_t corners; /* 0: a box */
    DvRigid3 frame;
    DvVec3 half;
} Set;

static double bounded(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static DvVec3 nearest_on_segment(DvVec3 a, DvVec3 b, DvVec3 p)
{
    const DvVec3 ab = dv_vec3_sub(b, a);
    const double length2 = dv_vec3_norm_squared(ab);
    return length2 == 0 ? a : dv_vec3_madd(a, bounded(dv_vec3_dot(dv_vec3_sub(p, a), ab) / length2, 0, 1), ab);
}

static DvVec3 nearest_of(const Set *s, DvVec3 p)
{
    if (s->corners == 0) {
        const DvVec3 l = dv_rigid3_to_local(s->frame, p);
        return dv_rigid3_to_world(s->frame,
                                  dv_vec3(bounded(l.x, -s->half.x, s->half.x), bounded(l.y, -s->half.y, s->half.y),
                                          bounded(l.z, -s->half.z, s->half.z)));
    }
    if (s->corners == 2)
        return nearest_on_segment(s->corner[0], s->corner[1], p);
    const DvVec3 n = dv_vec3_normalize(
        dv_vec3_cross(dv_vec3_sub(s->corner[1], s->corner[0]), dv_vec3_sub(s->corner[2], s->corner[0])));
    const DvVec3 foot = dv_vec3_madd(p, -dv_vec3_dot(n, dv_vec3_sub(p, s->corner[0])), n);
    bool inside = true;
    DvVec3 best = s->corner[0];
    for (int k = 0; k < 3; k++) {
        const DvVec3 a = s->corner[k], b = s->corner[(k + 1) % 3], q = nearest_on_segment(a, b, p);
        inside = inside && dv_vec3_dot(n, dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(foot, a))) >= 0;
        best = dv_vec3_distance(q, p) < dv_vec3_distance(best, p) ? q : best;
    }
    return inside ? foot : best;
}

/* Projections from one set to the other and back come to the nearest pair. */
static double distance_of(const Set *a, const Set *b)
{
    DvVec3 p = nearest_of(a, b->corners ? b->corner[0] : b->frame.center), q = nearest_of(b, p);
    double last = HUGE_VAL;
    for (int i = 0; i < 200000; i++) {
        p = nearest_of(a, q);
        q = nearest_of(b, p);
        const double distance = dv_vec3_distance(p, q);
        if (i % 50 == 49) {
            if (distance < 1e-9 || last - distance < 1e-12)
                break;
            last = distance;
        }
    }
    return dv_vec3_distance(p, q);
}

static Set random_set(uint32_t corners, double spread)
{
    Set s = {.corners = corners, .frame = dv_rigid3(random_vector(spread), random_rotation())};
    const double x = random_between(0.1, 1), y = random_between(0.1, 1);
    s.half = dv_vec3(x, y, random_between(0.1, 1));
    for (uint32_t k = 0; k < corners; k++)
        s.corner[k] = dv_vec3_add(s.frame.center, random_vector(1));
    return s;
}

static void add_set(DvText *text, const char *name, const Set *s, double radius)
{
    dv_text_add(text, "<Node name='%s'>", name);
    if (s->corners == 0) {
        dv_text_add(text, "<MechanicalObject template='Rigid3d' position='");
        add_frames(text, &s->frame, 1);
        dv_text_add(text, "'/><OBBCollisionModel extents='%.17g %.17g %.17g'/></Node>", s->half.x, s->half.y,
                    s->half.z);
        return;
    }
    dv_text_add(text, s->corners == 3 ? "<MeshTopology triangles='0 1 2'/>" : "<MeshTopology edges='0 1'/>");
    dv_text_add(text, "<MechanicalObject position='");
    add_points(text, s->corner, s->corners);
    if (s->corners == 3)
        dv_text_add(text, "'/><TriangleCollisionModel/></Node>");
    else
        dv_text_add(text, "'/><CapsuleCollisionModel defaultRadius='%.17g'/></Node>", radius);
}

/* The contact of two sets, whose alarm distance is 0.5 and whose contact distance is 0. */
static bool contact_of(const Set *a, const Set *b, double radius, DvContact *contact)
{
    DvText text = {0};
    add_head(&text, "NewProximityIntersection alarmDistance='0.5' contactDistance='0'");
    add_set(&text, "One", b, radius); /* in the order in which the pair is known */
    add_set(&text, "Two", a, radius);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    const DvContactList *list = detect(scene);
    const bool found = list->pair_count > 0;
    if (found) {
        assert_int_equal(list->pairs[0].count, 1);
        *contact = list->pairs[0].contacts[0];
        assert_string_equal(list->bodies[list->pairs[0].body[0]].shape->kind, a->corners == 0   ? DV_SHAPE_BOXES
                                                                              : a->corners == 2 ? DV_SHAPE_CAPSULES
                                                                                                : DV_SHAPE_TRIANGLES);
    }
    dv_scene_free(scene);
    dv_text_free(&text);
    return found;
}

/* Overlap is what projections say; apart, the intervals on the normal are as far apart as the gap says, at most the distance. */
static void boxes_overlap_where_projections_meet(void **state)
{
    (void)state;
    static const uint32_t corners[] = {0, 3, 2};
    for (size_t kind = 0; kind < 3; kind++) {
        uint32_t overlaps = 0, near = 0, apart = 0;
        for (int round = 0; round < 400; round++) {
            const Set a = random_set(corners[kind], 1.2), b = random_set(0, 1.2);
            const double radius = kind == 2 ? random_between(0, 0.3) : 0.0, distance = distance_of(&a, &b) - radius;
            DvContact c;
            const bool found = contact_of(&a, &b, radius, &c);
            if (distance < -1e-6 || (radius == 0 && distance < 1e-8)) {
                assert_true(found && c.gap <= 0);
                overlaps++;
            } else if (distance > 1e-5 && found) {
                assert_true(c.gap > 0);
                near++;
            } else if (!found) {
                apart++;
            }
            if (!found)
                continue;
            const DvVec3 p = dv_vec3_load(c.point[0]), q = dv_vec3_load(c.point[1]);
            assert_true(fabs(fabs(c.gap) - dv_vec3_distance(p, q)) < 1e-12);
            assert_true(fabs(dv_vec3_norm(dv_vec3_load(c.normal)) - 1) < 1e-12);
        }
        assert_true(overlaps > 50 && near > 20 && apart > 50);
    }
}

/* Points, directions of edges and normals of faces of a box or a triangle. */
typedef struct Corners {
    DvVec3 point[8], edge[3], normal[3];
    int points, normals;
} Corners;

static Corners corners_of(const Set *s)
{
    Corners c = {.points = s->corners ? 3 : 8, .normals = s->corners ? 1 : 3};
    for (int i = 0; i < c.points; i++)
        c.point[i] =
            s->corners
                ? s->corner[i]
                : dv_rigid3_to_world(s->frame, dv_vec3(i & 1 ? s->half.x : -s->half.x, i & 2 ? s->half.y : -s->half.y,
                                                       i & 4 ? s->half.z : -s->half.z));
    for (int i = 0; i < 3; i++)
        c.edge[i] = s->corners ? dv_vec3_sub(s->corner[(i + 1) % 3], s->corner[i])
                               : dv_quat_rotate(s->frame.orientation, dv_vec3(i == 0, i == 1, i == 2));
    for (int i = 0; i < c.normals; i++)
        c.normal[i] = s->corners ? dv_vec3_cross(c.edge[0], c.edge[1]) : c.edge[i];
    return c;
}

/* How far they are apart along an axis, below zero: by how much they overlap there. */
static double gap_along(const Corners *a, const Corners *b, DvVec3 axis)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    if (dv_vec3_norm(axis) < 1e-9)
        return -HUGE_VAL;
    axis = dv_vec3_normalize(axis);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? b : a)->points; i++) {
            const double at = dv_vec3_dot(axis, (side ? b : a)->point[i]);
            low[side] = fmin(low[side], at);
            high[side] = fmax(high[side], at);
        }
    return fmax(low[0] - high[1], low[1] - high[0]);
}

/* Whether no axis parts them, of the normals of their faces and what is normal to an edge of each: exact, where projections come slowly. */
static bool overlap(const Set *a_, const Set *b_)
{
    const Corners a = corners_of(a_), b = corners_of(b_);
    double most = -HUGE_VAL;
    for (int i = 0; i < a.normals; i++)
        most = fmax(most, gap_along(&a, &b, a.normal[i]));
    for (int i = 0; i < b.normals; i++)
        most = fmax(most, gap_along(&a, &b, b.normal[i]));
    for (int i = 0; i < 9; i++)
        most = fmax(most, gap_along(&a, &b, dv_vec3_cross(a.edge[i / 3], b.edge[i % 3])));
    return most < 0;
}

/* Two boxes that overlap are just apart when one is moved along the normal by the depth. */
static void the_depth_of_an_overlap_is_the_way_out(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (int round = 0; round < 400; round++) {
        const Set a = random_set(round % 2 ? 0 : 3, 1.0);
        Set b = random_set(0, 1.0);
        DvContact c;
        if (!contact_of(&a, &b, 0, &c) || c.gap >= -1e-3)
            continue;
        const DvVec3 n = dv_vec3_load(c.normal);
        const DvVec3 pq = dv_vec3_sub(dv_vec3_load(c.point[1]), dv_vec3_load(c.point[0]));
        if (dv_vec3_norm(dv_vec3_cross(n, pq)) > 1e-9) /* points beside the axis: their distance is not the depth */
            continue;
        const DvVec3 before = b.frame.center;
        b.frame.center = dv_vec3_madd(before, -c.gap + 1e-4, n);
        const double outside = distance_of(&a, &b);
        if (!(outside > 1e-4 - 1e-9 && outside < 2e-4))
            printf("%d %g %g\n", round, outside, c.gap);
        b.frame.center = dv_vec3_madd(before, -c.gap - 1e-3, n);
        assert_true(overlap(&a, &b));
        checked++;
    }
    assert_true(checked > 100);
}

/* By a search for the least distance along one segment of the nearest points on the other. */
static double distance_of_segments(const Set *a, const Set *b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 200; i++) {
        double at[2], distance[2];
        for (int k = 0; k < 2; k++) {
            at[k] = low + (high - low) * (k + 1) / 3;
            const DvVec3 p = dv_vec3_madd(a->corner[0], at[k], dv_vec3_sub(a->corner[1], a->corner[0]));
            distance[k] = dv_vec3_distance(p, nearest_of(b, p));
        }
        *(distance[0] < distance[1] ? &high : &low) = distance[0] < distance[1] ? at[1] : at[0];
    }
    const DvVec3 p = dv_vec3_madd(a->corner[0], 0.5 * (low + high), dv_vec3_sub(a->corner[1], a->corner[0]));
    return dv_vec3_distance(p, nearest_of(b, p));
}

/* How much farther apart segments may seem that count as parallel: where the sine between them is below 1e-6. */
static double slack_of_parallels(const Set *a, const Set *b)
{
    const DvVec3 u = dv_vec3_sub(a->corner[1], a->corner[0]), v = dv_vec3_sub(b->corner[1], b->corner[0]);
    const double across = dv_vec3_norm(dv_vec3_cross(u, v)), lengths = dv_vec3_norm(u) * dv_vec3_norm(v);
    return across < 1e-6 * lengths ? across / fmax(dv_vec3_norm(u), dv_vec3_norm(v)) : 0.0;
}

/* The gap of capsules is that of their segments without the radii. */
static void capsules_are_apart_as_their_segments_are(void **state)
{
    (void)state;
    uint32_t checked = 0, parallel = 0;
    for (int round = 0; round < 600; round++) {
        Set a = random_set(2, 0.3), b = random_set(2, 0.3);
        const DvVec3 along = dv_vec3_sub(a.corner[1], a.corner[0]);
        if (round % 5 == 0) /* one way or the other; then all but parallel; then no segment at all */
            b.corner[1] = dv_vec3_madd(b.corner[0], random_between(-1, 1), along);
        if (round % 10 == 5)
            b.corner[1] = dv_vec3_add(b.corner[1], random_vector(1e-5));
        if (round % 20 == 1)
            b.corner[1] = b.corner[0];
        const double radius = random_between(0, 0.2), gap = distance_of_segments(&a, &b) - 2 * radius;
        DvContact c;
        if (!contact_of(&a, &b, radius, &c)) {
            assert_true(gap > 0.5 - 1e-7);
            continue;
        }
        assert_true(c.gap > gap - 1e-7 && c.gap < gap + slack_of_parallels(&a, &b) + 1e-7);
        checked++;
        parallel += round % 5 == 0;
        const DvVec3 n = dv_vec3_load(c.normal), p = dv_vec3_load(c.point[0]), q = dv_vec3_load(c.point[1]);
        const DvVec3 end[2] = {dv_vec3_madd(p, -radius, n), dv_vec3_madd(q, radius, n)};
        assert_true(dv_vec3_distance(end[0], nearest_of(&a, end[0])) < 1e-9);
        assert_true(dv_vec3_distance(end[1], nearest_of(&b, end[1])) < 1e-9);
    }
    assert_true(checked > 250 && parallel > 20);
}

/* Of a sphere and a box: closed form, from outside and from inside. */
static void spheres_meet_the_nearest_point_of_a_box(void **state)
{
    (void)state;
    static const double cases[][5] = {
        /* centre in the axes of the box, whose half sizes are 1 2 3; gap without the radius; axis of the normal */
        {1.3, 0.5, -1, 0.3, 0},     {0.2, -2.25, 0.4, 0.25, 1}, {0.2, 0.4, 3.1, 0.1, 2},
        {0.75, 0.4, 0.3, -0.25, 0}, {0.1, 1.9, 0.3, -0.1, 1},   {-0.1, 0.2, -2.7, -0.3, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int rigid = 0; rigid < 2; rigid++) {
            const DvRigid3 frame = dv_rigid3(random_vector(2), random_rotation());
            const DvVec3 centre = dv_rigid3_to_world(frame, dv_vec3(cases[i][0], cases[i][1], cases[i][2]));
            DvText text = {0};
            add_head(&text, "MinProximityIntersection alarmDistance='0.5' contactDistance='0.1'");
            dv_text_add(&text, "<Node><MechanicalObject template='Rigid3d' position='");
            add_frames(&text, &frame, 1);
            dv_text_add(
                &text, "'/><OBBCollisionModel extents='1 2 3'/></Node><Node><MechanicalObject template='%s' position='",
                rigid ? "Rigid3d" : "Vec3d");
            add_points(&text, &centre, 1);
            dv_text_add(&text, "%s'/><SphereCollisionModel radius='0.2'/></Node></Node>", rigid ? "0 0 0 1" : "");
            DvScene *scene = scene_from_text(text.at);
            const DvContactList *list = detect(scene);
            assert_true(list->pair_count == 1 && list->pairs[0].count == 1);
            const DvContact *c = &list->pairs[0].contacts[0];
            const int axis = (int)cases[i][4];
            const double side = cases[i][axis] > 0 ? 1 : -1;
            const DvVec3 out = dv_quat_rotate(
                frame.orientation, dv_vec3(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0));
            assert_true(fabs(c->gap - (cases[i][3] - 0.2 - 0.1)) < 1e-12);
            assert_true(dv_vec3_distance(dv_vec3_load(c->normal), dv_vec3_neg(out)) < 1e-12);
            assert_true(dv_vec3_distance(dv_vec3_load(c->point[1]), dv_vec3_madd(centre, -cases[i][3], out)) < 1e-12);
            assert_true(dv_vec3_distance(dv_vec3_load(c->point[0]), rigid ? dv_vec3_madd(centre, -0.2, out) : centre) <
                        1e-12);
            dv_scene_free(scene);
            dv_text_free(&text);
        }
}

/* The same box with its axes named and turned otherwise, in one of the ways. */
static Set with_other_axes(const Set *s, int way)
{
    const DvQuat turn =
        dv_quat_from_euler_degrees(dv_vec3(90.0 * (way % 4), 90.0 * (way / 4 % 4), 90.0 * (way / 16 % 4)));
    const DvVec3 half = dv_quat_inverse_rotate(turn, s->half);
    return (Set){.frame = dv_rigid3_mul(s->frame, dv_rigid3(dv_vec3_zero(), turn)),
                 .half = {fabs(half.x), fabs(half.y), fabs(half.z)}};
}

/* Faces and edges that are level meet in the middle of what they have in common; beside each other, by their borders. */
static void level_faces_meet_in_the_middle(void **state)
{
    (void)state;
    static const struct {
        double at[3], turn; /* of the second box, in the axes of the first; degrees about z */
        double p[3], q[3];  /* the points of contact there */
    } cases[] = {
        {{1.2, 1.5, -0.9}, 0, {0.85, 1, -0.8}, {0.85, 1.1, -0.8}}, /* a corner of each face over the other */
        {{0.1, 1.5, 0.2}, 0, {0.1, 1, 0.2}, {0.1, 1.1, 0.2}},      /* the smaller face whole */
        {{0.2, 1.1 + 0.9 * M_SQRT1_2, 0.8},
         45,
         {0.2 - 0.1 * M_SQRT1_2, 1, 0.75},
         {0.2 - 0.1 * M_SQRT1_2, 1.1, 0.75}}, /* an edge */
        {{-1.2, -1.45, 0.9}, 0, {-0.85, -1, 0.8}, {-0.85, -1.05, 0.8}},
        {{1.4, 0.8, 0.9}, 0, {1, 0.7, 0.8}, {0.9, 0.7, 0.8}}, /* overlap by 0.1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int round = 0; round < 64; round++) {
            const DvRigid3 frame = dv_rigid3(random_vector(2), random_rotation());
            const Set cube = {.frame = frame, .half = {1, 1, 1}}, a = with_other_axes(&cube, round);
            const DvRigid3 local = dv_rigid3(dv_vec3(cases[i].at[0], cases[i].at[1], cases[i].at[2]),
                                             dv_quat_from_euler_degrees(dv_vec3(0, 0, cases[i].turn)));
            const Set box = {.frame = dv_rigid3_mul(frame, local), .half = {0.5, 0.4, 0.3}};
            const Set b = with_other_axes(&box, (int)random_below(64));
            DvContact c;
            assert_true(contact_of(&a, &b, 0, &c));
            const DvVec3 p = dv_rigid3_to_world(frame, dv_vec3_load(cases[i].p));
            const DvVec3 q = dv_rigid3_to_world(frame, dv_vec3_load(cases[i].q));
            assert_true(dv_vec3_distance(p, dv_vec3_load(c.point[0])) < 1e-5); /* faces are cut a millionth too large */
            assert_true(dv_vec3_distance(q, dv_vec3_load(c.point[1])) < 1e-5);
            const bool overlap = dv_vec3_distance(p, frame.center) > dv_vec3_distance(q, frame.center);
            const double distance = dv_vec3_distance(p, q);
            assert_true(fabs(c.gap - (overlap ? -distance : distance)) < 1e-9);
            const DvVec3 n = dv_vec3_scale(dv_vec3_sub(q, p), (overlap ? -1 : 1) / distance);
            assert_true(dv_vec3_distance(n, dv_vec3_load(c.normal)) < 1e-5);
        }
    for (int round = 0; round < 20;
         round++) { /* nothing in common: from border to border, at any height that both have */
        const DvRigid3 frame = dv_rigid3(random_vector(2), random_rotation());
        const Set a = {.frame = frame, .half = {1, 1, 1}};
        const DvRigid3 beside = dv_rigid3(dv_vec3(1.55, 1.44, 0), dv_quat_identity());
        const Set b = {.frame = dv_rigid3_mul(frame, beside), .half = {0.5, 0.4, 0.3}};
        DvContact c;
        assert_true(contact_of(&a, &b, 0, &c));
        const DvVec3 way = dv_vec3(0.05, 0.04, 0);
        assert_true(fabs(c.gap - dv_vec3_norm(way)) < 1e-9);
        assert_true(
            dv_vec3_distance(dv_vec3_load(c.normal), dv_quat_rotate(frame.orientation, dv_vec3_normalize(way))) < 1e-9);
        const DvVec3 p = dv_rigid3_to_local(frame, dv_vec3_load(c.point[0]));
        assert_true(fabs(p.x - 1) < 1e-9 && fabs(p.y - 1) < 1e-9 && fabs(p.z) < 0.3 + 1e-9);
    }
}

static uint32_t contacts_of_capsule(const char *ends, DvContact contacts[8])
{
    DvText text = {0};
    add_head(&text, "NewProximityIntersection alarmDistance='0.5' contactDistance='0.1'");
    dv_text_add(&text,
                "<Node name='Two'><MeshTopology triangles='0 1 2  2 1 3'/>"
                "<MechanicalObject position='0 0 0  4 0 0  0 4 0  4 4 0'/><TriangleCollisionModel/></Node>"
                "<Node name='One'><MeshTopology edges='0 1  2 3'/><MechanicalObject position='90 0 0  91 0 0  %s'/>"
                "<CapsuleCollisionModel defaultRadius='0.2'/></Node></Node>",
                ends);
    DvScene *scene = scene_from_text(text.at);
    const DvContactList *list = detect(scene);
    const uint32_t count = list->pair_count > 0 ? list->pairs[0].count : 0;
    assert_true(count <= 8);
    for (uint32_t i = 0; i < count; i++)
        contacts[i] = list->pairs[0].contacts[i];
    dv_scene_free(scene);
    dv_text_free(&text);
    return count;
}

/* Of a square of two triangles, which own its corners and edges once. */
static void capsules_meet_triangles_by_their_ends_and_edges(void **state)
{
    (void)state;
    DvContact c[8];
    /* level, above the inside of one: its two ends are one contact in the middle, which has no element's number */
    assert_int_equal(contacts_of_capsule("0.9 1.1 0.4  1.5 0.9 0.4", c), 1);
    assert_int_equal(c[0].id, 0);
    assert_true(dv_vec3_distance(dv_vec3_load(c[0].point[0]), dv_vec3(1.2, 1, 0.4)) < 1e-12);
    assert_true(dv_vec3_distance(dv_vec3_load(c[0].point[1]), dv_vec3(1.2, 1, 0)) < 1e-12);
    assert_true(dv_vec3_distance(dv_vec3_load(c[0].normal), dv_vec3(0, 0, -1)) < 1e-12);
    assert_true(fabs(c[0].gap - (0.4 - 0.1 - 0.2)) < 1e-12);
    /* tilted: one contact for each end that is near */
    assert_int_equal(contacts_of_capsule("0.9 1.1 0.4  1.5 0.9 0.5", c), 2);
    assert_true(c[0].id == 1 && c[1].id == 1);
    assert_true(fabs(c[0].gap - 0.1) < 1e-12 && fabs(c[1].gap - 0.2) < 1e-12);
    /* across a border, both ends far above: the nearest place is on the border, which one triangle owns */
    assert_int_equal(contacts_of_capsule("2 -1 1.3  2 1 -0.7", c), 1);
    assert_true(dv_vec3_distance(dv_vec3_load(c[0].point[0]), dv_vec3(2, 0.15, 0.15)) < 1e-12);
    assert_true(dv_vec3_distance(dv_vec3_load(c[0].point[1]), dv_vec3(2, 0, 0)) < 0.2);
    /* through the edge that both share: it belongs to one of them */
    assert_int_equal(contacts_of_capsule("1 1 2  3 3 -1.9", c), 1);
    assert_int_equal(contacts_of_capsule("-2 -2 0  -1 -1 0", c), 0);
}

/* ---- Boxes that stand on each other ---- */

enum { MOST_OF_MANIFOLD = 8 };
#define ALARM 0.5

/* Contacts of two boxes with `boxManifold`. */
static uint32_t manifold_of(const Set *a, const Set *b, DvContact contacts[MOST_OF_MANIFOLD])
{
    DvText text = {0};
    add_head(&text, "LocalMinDistance alarmDistance='0.5' contactDistance='0' boxManifold='1'");
    add_set(&text, "One", b, 0);
    add_set(&text, "Two", a, 0);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    const DvContactList *list = detect(scene);
    const uint32_t count = list->pair_count > 0 ? list->pairs[0].count : 0;
    assert_in_range(count, 0, MOST_OF_MANIFOLD);
    memcpy(contacts, count > 0 ? list->pairs[0].contacts : contacts, count * sizeof *contacts);
    dv_scene_free(scene);
    dv_text_free(&text);
    return count;
}

static DvVec3 axis_of(const Set *s, int k)
{
    return dv_quat_rotate(s->frame.orientation, dv_vec3(k == 0, k == 1, k == 2));
}

static double half_of(const Set *s, int k)
{
    return k == 0 ? s->half.x : k == 1 ? s->half.y : s->half.z;
}

/* The face that looks most along n: its middle and its half sides. */
static void face_of(const Set *s, DvVec3 n, DvVec3 *middle, DvVec3 side[2])
{
    int most = 0;
    for (int k = 1; k < 3; k++)
        most = fabs(dv_vec3_dot(n, axis_of(s, k))) > fabs(dv_vec3_dot(n, axis_of(s, most))) ? k : most;
    const double along = dv_vec3_dot(n, axis_of(s, most)) > 0 ? 1 : -1;
    *middle = dv_vec3_madd(s->frame.center, along * half_of(s, most), axis_of(s, most));
    for (int i = 0; i < 2; i++)
        side[i] = dv_vec3_scale(axis_of(s, (most + 1 + i) % 3), half_of(s, (most + 1 + i) % 3));
}

/* p + t n = middle + x side[0] + y side[1], by Cramer's rule. */
static void place_in_face(DvVec3 p, DvVec3 n, DvVec3 middle, const DvVec3 side[2], double *t, double *x, double *y)
{
    const DvVec3 d = dv_vec3_sub(middle, p);
    const double det = dv_vec3_dot(n, dv_vec3_cross(side[0], side[1]));
    *t = dv_vec3_dot(d, dv_vec3_cross(side[0], side[1])) / det;
    *x = -dv_vec3_dot(n, dv_vec3_cross(d, side[1])) / det;
    *y = -dv_vec3_dot(n, dv_vec3_cross(side[0], d)) / det;
}

typedef struct Candidate {
    DvVec3 on[2];
} Candidate;

/* Corners of what two faces have in common, seen along n, by trying all: corners of one over the other, and edges that cross. */
static int corners_in_common(const Set *a, const Set *b, DvVec3 n, Candidate *found)
{
    const Set *set[2] = {a, b};
    DvVec3 middle[2], side[2][2], corner[2][4];
    int count = 0;
    for (int k = 0; k < 2; k++) {
        face_of(set[k], k == 0 ? n : dv_vec3_neg(n), &middle[k], side[k]);
        for (int i = 0; i < 4; i++)
            corner[k][i] = dv_vec3_madd(dv_vec3_madd(middle[k], i == 1 || i == 2 ? 1 : -1, side[k][0]), i < 2 ? -1 : 1,
                                        side[k][1]);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            double t, x, y;
            place_in_face(corner[k][i], n, middle[!k], side[!k], &t, &x, &y);
            if (fabs(x) > 1 || fabs(y) > 1)
                continue;
            found[count].on[k] = corner[k][i];
            found[count++].on[!k] = dv_vec3_madd(corner[k][i], t, n);
        }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) { /* p + u ab + t n = q + v cd */
            const DvVec3 p = corner[0][i], ab = dv_vec3_sub(corner[0][(i + 1) % 4], p);
            const DvVec3 q = corner[1][k], cd = dv_vec3_sub(corner[1][(k + 1) % 4], q), d = dv_vec3_sub(q, p);
            const double det = dv_vec3_dot(n, dv_vec3_cross(ab, cd));
            const double u = dv_vec3_dot(n, dv_vec3_cross(d, cd)) / det, v = dv_vec3_dot(n, dv_vec3_cross(d, ab)) / det;
            if (fabs(det) < 1e-12 || u < 0 || u > 1 || v < 0 || v > 1)
                continue;
            found[count].on[0] = dv_vec3_madd(p, u, ab);
            found[count++].on[1] = dv_vec3_madd(q, v, cd);
        }
    return count;
}

static bool is_on_surface(const Set *s, DvVec3 p)
{
    const DvVec3 l = dv_rigid3_to_local(s->frame, p);
    const double beyond = fmax(fmax(fabs(l.x) - s->half.x, fabs(l.y) - s->half.y), fabs(l.z) - s->half.z);
    return fabs(beyond) < 1e-9;
}

static double smallest_of(const Set *a, const Set *b)
{
    return fmin(fmin(fmin(a->half.x, a->half.y), a->half.z), fmin(fmin(b->half.x, b->half.y), b->half.z));
}

static bool is_contact(const DvContact *c, const Candidate *place, double margin)
{
    return dv_vec3_distance(dv_vec3_load(c->point[0]), place->on[0]) <= margin &&
           dv_vec3_distance(dv_vec3_load(c->point[1]), place->on[1]) <= 3 * margin; /* of a face that may be inclined */
}

/* Of several contacts each is a corner of what the faces have in common, and each corner that is near enough one of them. */
static void check_corners(const Set *a, const Set *b, const DvContact *contacts, uint32_t count)
{
    const DvVec3 n = dv_vec3_load(contacts[0].normal);
    Candidate places[24];
    const int corners = corners_in_common(a, b, n, places);
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (int k = 0; k < corners; k++)
            known = known || is_contact(&contacts[i], &places[k], 1e-9);
        assert_true(known);
        assert_true(is_on_surface(a, dv_vec3_load(contacts[i].point[0])));
        assert_true(is_on_surface(b, dv_vec3_load(contacts[i].point[1])));
        assert_true(i == 0 || contacts[i].id > contacts[i - 1].id);
    }
    for (int k = 0; k < corners; k++) {
        bool known = dv_vec3_dot(n, dv_vec3_sub(places[k].on[1], places[k].on[0])) > ALARM - 1e-9;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j <= i; j++) /* or all but on the way between two */
                known =
                    known || dv_vec3_distance(nearest_on_segment(dv_vec3_load(contacts[i].point[0]),
                                                                 dv_vec3_load(contacts[j].point[0]), places[k].on[0]),
                                              places[k].on[0]) < 2.1e-3 * smallest_of(a, b);
        assert_true(known);
    }
}

/* Projections come slowly to where faces are all but parallel: there a corner is nearest. */
static double distance_of_boxes(const Set *a, const Set *b)
{
    const Set *set[2] = {a, b};
    double least = distance_of(a, b);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 8; i++) {
            const DvVec3 half = set[k]->half;
            const DvVec3 corner = dv_rigid3_to_world(
                set[k]->frame, dv_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
            least = fmin(least, dv_vec3_distance(corner, nearest_of(set[!k], corner)));
        }
    return least;
}

/* Boxes side by side, or one on the other, with a small tilt. */
static void set_near(const Set *a, Set *b, double tilt)
{
    const int k = (int)random_below(3);
    const DvVec3 turn = dv_vec3_madd(random_vector(tilt), random_below(2) ? 0.0 : random_between(-3, 3),
                                     dv_vec3(k == 0, k == 1, k == 2));
    const double up = half_of(a, k) + half_of(b, k) + random_between(-0.02, 0.1);
    DvVec3 at = random_vector(0.4);
    at = dv_vec3(k == 0 ? up : at.x, k == 1 ? up : at.y, k == 2 ? up : at.z);
    b->frame = dv_rigid3_mul(a->frame, dv_rigid3(at, dv_quat_from_rotation_vector(turn)));
}

static void boxes_meet_by_the_corners_of_what_they_have_in_common(void **state)
{
    (void)state;
    uint32_t single = 0, several = 0, apart = 0, overlaps = 0;
    for (int round = 0; round < 900; round++) {
        const Set a = random_set(0, 1.0);
        Set b = random_set(0, 1.0);
        if (round % 3 > 0)
            set_near(&a, &b, round % 3 == 1 ? 0.0 : pow(10, random_between(-9, 0)));
        DvContact c[MOST_OF_MANIFOLD];
        const uint32_t count = manifold_of(&a, &b, c);
        const double distance = distance_of_boxes(&a, &b), margin = 2e-3 * smallest_of(&a, &b);
        if (count == 0) {
            assert_true(distance > ALARM - 1e-5 - margin);
            continue;
        }
        const DvVec3 n = dv_vec3_load(c[0].normal);
        assert_true(fabs(dv_vec3_norm(n) - 1) < 1e-12);
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            const DvVec3 pq = dv_vec3_sub(dv_vec3_load(c[i].point[1]), dv_vec3_load(c[i].point[0]));
            assert_memory_equal(c[i].normal, c[0].normal, sizeof c[i].normal);
            assert_true(c[i].gap <= ALARM);
            assert_true(fabs(dv_vec3_dot(n, pq) - c[i].gap) < 1e-9);
            least = fmin(least, c[i].gap);
        }
        if (count > 1)
            check_corners(&a, &b, c, count);
        if (least > 0) {
            if (!(fabs(least - distance) < margin + 1e-5))
                fail_msg("round %d: %u contacts, the least gap is %.9g and the boxes are %.9g apart", round, count,
                         least, distance);
            apart++;
        } else { /* moved by the depth they are all but apart, by less they are not */
            Set out = b;
            out.frame.center = dv_vec3_madd(b.frame.center, -least + margin + 1e-4, n);
            assert_true(distance_of_boxes(&a, &out) > 0.5e-4);
            out.frame.center = dv_vec3_madd(b.frame.center, -least - margin - 1e-3, n);
            assert_true(overlap(&a, &out));
            overlaps++;
        }
        *(count > 1 ? &several : &single) += 1;
    }
    assert_true(single > 60 && several > 300 && apart > 180 && overlaps > 120);
}

/* Long bars, one across the other: they share a parallelogram, whose corners are where the lines along their sides cross. */
static void bars_that_cross_share_a_parallelogram(void **state)
{
    (void)state;
    const double width[2] = {0.2, 0.15}, gap = 0.01;
    for (int first = 0; first < 24; first++)
        for (int between = 2; between < 11; between++)
            for (int motion = 0; motion < 2; motion++) {
                const DvRigid3 by = motion ? dv_rigid3(random_vector(3), random_rotation()) : dv_rigid3_identity();
                const double angle[2] = {first * M_PI / 12 + 0.01, (first + between) * M_PI / 12 + 0.01};
                const DvVec3 middle[2] = {dv_vec3(0, 0, 0), dv_vec3(0.1, -0.05, 0.2 + gap)}; /* 0.1 thick each */
                Set bar[2] = {{.corners = 0}, {.corners = 0}};
                DvVec3 across[2];
                for (int i = 0; i < 2; i++) {
                    const DvQuat turn = dv_quat_from_axis_angle(dv_vec3(0, 0, 1), angle[i]);
                    across[i] = dv_vec3(-sin(angle[i]), cos(angle[i]), 0);
                    bar[i].half = dv_vec3(2, width[i], 0.1);
                    bar[i].frame = dv_rigid3_mul(by, dv_rigid3(middle[i], turn));
                }
                DvContact found[MOST_OF_MANIFOLD];
                assert_int_equal(manifold_of(&bar[0], &bar[1], found), 4);
                for (int corner = 0; corner < 4; corner++) { /* p . across = beside, for both */
                    const double beside[2] = {corner % 2 ? width[0] : -width[0],
                                              (corner / 2 ? width[1] : -width[1]) + dv_vec3_dot(middle[1], across[1])};
                    const double det = across[0].x * across[1].y - across[0].y * across[1].x;
                    const double x = (beside[0] * across[1].y - beside[1] * across[0].y) / det;
                    const double y = (across[0].x * beside[1] - across[1].x * beside[0]) / det;
                    const Candidate place = {
                        {dv_rigid3_to_world(by, dv_vec3(x, y, 0.1)), dv_rigid3_to_world(by, dv_vec3(x, y, 0.1 + gap))}};
                    bool known = false;
                    for (int i = 0; i < 4; i++)
                        known = known || (is_contact(&found[i], &place, 1e-9) && fabs(found[i].gap - gap) < 1e-9);
                    assert_true(known);
                }
            }
}

/* The other way round the same contacts, turned round; moved with the boxes where these are moved. */
static void manifolds_are_symmetric_and_move_with_the_boxes(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        const Set a = random_set(0, 0.9);
        Set b = random_set(0, 0.9);
        if (round % 2)
            set_near(&a, &b, 0.1);
        const DvRigid3 by = dv_rigid3(random_vector(5), random_rotation());
        Set a2 = a, b2 = b;
        a2.frame = dv_rigid3_mul(by, a.frame);
        b2.frame = dv_rigid3_mul(by, b.frame);
        DvContact one[MOST_OF_MANIFOLD], turned[MOST_OF_MANIFOLD], moved_with[MOST_OF_MANIFOLD];
        const uint32_t count = manifold_of(&a, &b, one);
        assert_int_equal(manifold_of(&b, &a, turned), count);
        assert_int_equal(manifold_of(&a2, &b2, moved_with), count);
        for (uint32_t i = 0; i < count; i++) {
            const Candidate place = {{dv_vec3_load(one[i].point[1]), dv_vec3_load(one[i].point[0])}};
            const Candidate there = {{dv_rigid3_to_world(by, place.on[1]), dv_rigid3_to_world(by, place.on[0])}};
            bool known = false;
            for (uint32_t k = 0; k < count; k++)
                known = known || (is_contact(&turned[k], &place, 1e-8) && fabs(turned[k].gap - one[i].gap) < 1e-9);
            assert_true(known);
            assert_true(is_contact(&moved_with[i], &there, 1e-8) && moved_with[i].id == one[i].id);
            assert_true(fabs(moved_with[i].gap - one[i].gap) < 1e-9);
        }
    }
}

/* A box on an equal one: four contacts, whose ids stay while it trembles; so do the eight of one that is turned by an eighth. */
static void ids_stay_while_boxes_tremble(void **state)
{
    (void)state;
    static const struct {
        double turn, shift;
        uint32_t count;
    } cases[] = {{0.0, 0.0, 4}, {M_PI / 4, 0.0, 8}, {0.0, 0.3, 4}, {M_PI / 2, 0.0, 4}, {0.3, 0.1, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Set a = {.frame = dv_rigid3(random_vector(2), random_rotation()), .half = {1, 1, 1}};
        int64_t ids[MOST_OF_MANIFOLD];
        for (int round = 0; round < 60; round++) {
            const double tremor = round == 0 ? 0.0 : 1e-4;
            const DvQuat turn =
                dv_quat_from_rotation_vector(dv_vec3_add(dv_vec3(0, 0, cases[i].turn), random_vector(tremor)));
            const DvVec3 at = dv_vec3_add(dv_vec3(cases[i].shift, 0, 2), random_vector(tremor));
            const Set b = {.frame = dv_rigid3_mul(a.frame, dv_rigid3(at, turn)), .half = {1, 1, 1}};
            DvContact c[MOST_OF_MANIFOLD];
            assert_int_equal(manifold_of(&a, &b, c), cases[i].count);
            for (uint32_t k = 0; k < cases[i].count; k++) {
                if (round == 0)
                    ids[k] = c[k].id;
                assert_int_equal(c[k].id, ids[k]);
            }
        }
    }
}

/* ---- Boxes that stand on triangles ---- */

static double distance_of_triangle_and_box(const Set *a, const Set *b)
{
    double least = distance_of(a, b);
    for (int k = 0; k < 3; k++)
        least = fmin(least, dv_vec3_distance(a->corner[k], nearest_of(b, a->corner[k])));
    for (int i = 0; i < 8; i++) {
        const DvVec3 half =
            dv_vec3(i & 1 ? b->half.x : -b->half.x, i & 2 ? b->half.y : -b->half.y, i & 4 ? b->half.z : -b->half.z);
        const DvVec3 corner = dv_rigid3_to_world(b->frame, half);
        least = fmin(least, dv_vec3_distance(corner, nearest_of(a, corner)));
    }
    return least;
}

/* A box whose face is all but along a triangle. */
static void set_on_triangle(const Set *a, Set *b, double tilt)
{
    const DvVec3 e = dv_vec3_normalize(dv_vec3_sub(a->corner[1], a->corner[0]));
    const DvVec3 n = dv_vec3_normalize(dv_vec3_cross(e, dv_vec3_sub(a->corner[2], a->corner[0])));
    const DvVec3 middle = dv_vec3_scale(dv_vec3_add(a->corner[0], dv_vec3_add(a->corner[1], a->corner[2])), 1.0 / 3);
    const DvQuat level = dv_quat_from_matrix(dv_mat3_from_columns(e, n, dv_vec3_cross(e, n)));
    const DvQuat turn =
        dv_quat_from_rotation_vector(dv_vec3_add(dv_vec3(0, random_between(-3, 3), 0), random_vector(tilt)));
    const double up = (random_below(2) ? 1 : -1) * (b->half.y + random_between(-0.02, 0.1));
    const DvVec3 along = dv_vec3_add(dv_vec3_scale(e, random_between(-0.6, 0.6)),
                                     dv_vec3_scale(dv_vec3_cross(e, n), random_between(-0.6, 0.6)));
    b->frame = dv_rigid3(dv_vec3_add(middle, dv_vec3_madd(along, up, n)), dv_quat_mul(level, turn));
}

/* Of a triangle by itself: contacts on both, as near as they are, or as deep. */
static void boxes_meet_triangles_by_what_they_have_in_common(void **state)
{
    (void)state;
    uint32_t single = 0, several = 0, apart = 0, overlaps = 0;
    for (int round = 0; round < 900; round++) {
        const Set a = random_set(3, 1.0);
        Set b = random_set(0, 1.0);
        if (round % 3 > 0)
            set_on_triangle(&a, &b, round % 3 == 1 ? 0.0 : pow(10, random_between(-9, 0)));
        DvContact c[MOST_OF_MANIFOLD];
        const uint32_t count = manifold_of(&a, &b, c);
        const double distance = distance_of_triangle_and_box(&a, &b);
        const double margin = 2e-3 * fmin(fmin(b.half.x, b.half.y), b.half.z);
        if (count == 0) {
            assert_true(distance > ALARM - 1e-5 - margin);
            continue;
        }
        const DvVec3 n = dv_vec3_load(c[0].normal);
        assert_true(fabs(dv_vec3_norm(n) - 1) < 1e-12);
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            const DvVec3 p = dv_vec3_load(c[i].point[0]), q = dv_vec3_load(c[i].point[1]);
            assert_memory_equal(c[i].normal, c[0].normal, sizeof c[i].normal);
            assert_true(c[i].gap <= ALARM && fabs(dv_vec3_dot(n, dv_vec3_sub(q, p)) - c[i].gap) < 1e-9);
            assert_true(count == 1 || dv_vec3_distance(p, nearest_of(&a, p)) < 1e-9);
            assert_true(count == 1 || is_on_surface(&b, q));
            assert_true(i == 0 || c[i].id > c[i - 1].id);
            least = fmin(least, c[i].gap);
        }
        if (least > 0) {
            if (!(fabs(least - distance) < margin + 1e-5))
                fail_msg("round %d: %u contacts, the least gap is %.9g and they are %.9g apart", round, count, least,
                         distance);
            apart++;
        } else { /* moved by the depth they are all but apart, by less they are not */
            Set out = b;
            out.frame.center = dv_vec3_madd(b.frame.center, -least + margin + 1e-4, n);
            assert_true(distance_of_triangle_and_box(&a, &out) > 0.5e-4);
            out.frame.center = dv_vec3_madd(b.frame.center, -least - margin - 1e-3, n);
            assert_true(overlap(&a, &out));
            overlaps++;
        }
        *(count > 1 ? &several : &single) += 1;
    }
    assert_true(single > 60 && several > 300 && apart > 180 && overlaps > 120);
}

enum { MIDDLE = 3, SIDE = 2 * MIDDLE + 1 }; /* points along each side of a sheet */

/* A level sheet of triangles of all shapes, turned and moved; its points are inside but for the outermost, and no
 * triangle turns over. */
static void add_sheet(DvText *text, DvRigid3 frame)
{
    dv_text_add(text, "<Node name='Sheet'><MeshTopology triangles='");
    for (uint32_t i = 0; i + 1 < SIDE; i++)
        for (uint32_t k = 0; k + 1 < SIDE; k++) {
            const uint32_t p = SIDE * i + k, q = p + SIDE;
            if (random_below(2))
                dv_text_add(text, "%u %u %u %u %u %u ", p, p + 1, q + 1, p, q + 1, q);
            else
                dv_text_add(text, "%u %u %u %u %u %u ", p, p + 1, q, p + 1, q + 1, q);
        }
    dv_text_add(text, "'/><MechanicalObject position='");
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const bool inside = i > 0 && k > 0 && i < SIDE - 1 && k < SIDE - 1;
            const DvVec3 at = dv_vec3(i - MIDDLE + (inside ? random_between(-0.24, 0.24) : 0.0), 0,
                                      k - MIDDLE + (inside ? random_between(-0.24, 0.24) : 0.0));
            const DvVec3 there = dv_rigid3_to_world(frame, at);
            dv_text_add(text, "%.17g %.17g %.17g ", there.x, there.y, there.z);
        }
    dv_text_add(text, "'/><TriangleCollisionModel/></Node>");
}

/* A box on a level mesh, wherever it is: no contact leans, though its edges are beside it; each corner below has a contact with its height
 * above the plane; and the box beside the sheet is met by the border. */
static void boxes_do_not_stumble_over_edges_of_a_level_mesh(void **state)
{
    (void)state;
    uint32_t corners = 0, deep = 0, leaning = 0;
    for (int round = 0; round < 300; round++) {
        const DvRigid3 frame = dv_rigid3(random_vector(2), random_rotation());
        Set b = random_set(0, 0);
        const bool beside = round % 10 == 9;
        const double height = random_between(-0.01, 0.05);
        const DvVec3 at = dv_vec3(beside ? MIDDLE + b.half.x + 0.05 : random_between(-1, 1),
                                  beside ? 0 : b.half.y + height, random_between(-1, 1));
        const double turn = beside ? 0 : random_between(-3, 3), tilt = round % 2 ? 0.0 : 0.01;
        const DvVec3 lean = random_vector(tilt);
        b.frame = dv_rigid3_mul(frame, dv_rigid3(at, dv_quat_from_rotation_vector(dv_vec3(lean.x, turn, lean.z))));
        DvText text = {0};
        add_head(&text, "NewProximityIntersection alarmDistance='0.1' contactDistance='0' boxManifold='1'");
        add_set(&text, "Box", &b, 0);
        add_sheet(&text, frame);
        dv_text_add(&text, "</Node>");
        DvScene *scene = scene_from_text(text.at);
        const DvContactList *list = detect(scene);
        assert_int_equal(list->pair_count, 1);
        const DvContactPair *pair = &list->pairs[0];
        const DvVec3 up = dv_quat_rotate(frame.orientation, dv_vec3(0, 1, 0));
        for (uint32_t i = 0; i < pair->count; i++) {
            const bool upright = dv_vec3_dot(dv_vec3_load(pair->contacts[i].normal), up) > 1 - 1e-6;
            assert_true(beside ? !upright : upright);
            leaning += !upright;
        }
        for (int i = 0; i < 8 && !beside; i++) {
            const DvVec3 corner =
                dv_rigid3_to_world(b.frame, dv_vec3(i & 1 ? b.half.x : -b.half.x, i & 2 ? b.half.y : -b.half.y,
                                                    i & 4 ? b.half.z : -b.half.z));
            const double above = dv_rigid3_to_local(frame, corner).y;
            bool known = above > 0.09; /* corners of the other face, too */
            for (uint32_t k = 0; k < pair->count; k++)
                known =
                    known || (dv_vec3_distance(dv_vec3_load(pair->contacts[k].point[1]), corner) < 2e-3 * b.half.x &&
                              fabs(pair->contacts[k].gap - above) < 1e-4);
            assert_true(known);
            corners += above <= 0.09;
            deep += above < 0;
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    assert_true(corners > 600 && deep > 100 && leaning > 20);
}

/* ---- Order and motion ---- */

static void the_order_of_two_boxes_only_turns_the_normal(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (int round = 0; round < 300; round++) {
        const uint32_t corners = round % 3 == 0 ? 2 : 0;
        const Set a = random_set(corners, 0.9), b = random_set(corners, 0.9);
        DvContact one, two;
        const bool found = contact_of(&a, &b, 0.2, &one);
        assert_int_equal(found, contact_of(&b, &a, 0.2, &two));
        if (!found)
            continue;
        assert_true(fabs(one.gap - two.gap) < 1e-9);
        assert_true(dv_vec3_norm(dv_vec3_add(dv_vec3_load(one.normal), dv_vec3_load(two.normal))) < 1e-6);
        checked++;
    }
    assert_true(checked > 150);
}

static Set moved(const Set *s, DvRigid3 by)
{
    Set to = *s;
    to.frame = dv_rigid3_mul(by, s->frame);
    for (uint32_t k = 0; k < s->corners; k++)
        to.corner[k] = dv_rigid3_to_world(by, s->corner[k]);
    return to;
}

static void rigid_motion_moves_contacts_and_changes_no_gap(void **state)
{
    (void)state;
    static const uint32_t corners[][2] = {{0, 0}, {3, 0}, {2, 0}, {2, 2}};
    uint32_t checked = 0;
    for (int round = 0; round < 400; round++) {
        const Set a = random_set(corners[round % 4][0], 0.9), b = random_set(corners[round % 4][1], 0.9);
        const DvRigid3 by = dv_rigid3(random_vector(5), random_rotation());
        const Set a2 = moved(&a, by), b2 = moved(&b, by);
        DvContact one, two;
        const bool found = contact_of(&a, &b, 0.1, &one);
        assert_int_equal(found, contact_of(&a2, &b2, 0.1, &two));
        if (!found)
            continue;
        assert_true(fabs(one.gap - two.gap) < 1e-9);
        const DvVec3 n = dv_quat_rotate(by.orientation, dv_vec3_load(one.normal));
        assert_true(dv_vec3_distance(n, dv_vec3_load(two.normal)) < 1e-6);
        for (int side = 0; side < 2; side++)
            assert_true(dv_vec3_distance(dv_rigid3_to_world(by, dv_vec3_load(one.point[side])),
                                         dv_vec3_load(two.point[side])) < 1e-6);
        checked++;
    }
    assert_true(checked > 200);
}

/* ---- Rays and tetrahedra ---- */

static uint32_t contacts_of_ray(const char *method, const char *thing, DvContact *contacts)
{
    DvText text = {0};
    add_head(&text, method);
    dv_text_add(&text,
                "<Node name='Thing'>%s</Node><Node name='Ray'><MechanicalObject position='0.1 0.2 5'/>"
                "<RayCollisionModel defaultLength='10'/></Node></Node>",
                thing);
    DvScene *scene = scene_from_text(text.at);
    const DvContactList *list = detect(scene);
    const uint32_t count = list->pair_count > 0 ? list->pairs[0].count : 0;
    if (count > 0)
        memcpy(contacts, list->pairs[0].contacts, (count < 4 ? count : 4) * sizeof *contacts);
    dv_scene_free(scene);
    dv_text_free(&text);
    return count;
}

static void assert_hit(const DvContact *c, DvVec3 at, DvVec3 normal, double gap)
{
    assert_true(dv_vec3_distance(dv_vec3_load(c->point[0]), at) < 1e-12);
    assert_true(dv_vec3_distance(dv_vec3_load(c->normal), normal) < 1e-12);
    assert_true(fabs(c->gap - gap) < 1e-12);
}

/* The ray leads from (0.1 0.2 5) to (0.1 0.2 -5). */
static void rays_hit_what_is_in_their_way(void **state)
{
    (void)state;
    static const char proximity[] = "NewProximityIntersection alarmDistance='0.1' contactDistance='0.05'";
    static const char local[] = "LocalMinDistance alarmDistance='0.1' contactDistance='0.05'";
    const DvVec3 down = dv_vec3(0, 0, -1);
    DvContact c[4];
    const char *box =
        "<MechanicalObject template='Rigid3d' position='0 0 1 0 0 0 1'/><OBBCollisionModel extents='1 1 0.5'/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", box, c), 1);
    assert_hit(c, dv_vec3(0.1, 0.2, 1.5), down, 0);
    box = "<MechanicalObject template='Rigid3d' position='0 0 5 0 0 0 1'/><OBBCollisionModel extents='1 1 0.5'/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", box, c), 1); /* from inside: where it leaves */
    assert_hit(c, dv_vec3(0.1, 0.2, 4.5), down, 0);
    box = "<MechanicalObject template='Rigid3d' position='3 0 1 0 0 0 1'/><OBBCollisionModel extents='1 1 0.5'/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", box, c), 0);
    box = "<MechanicalObject template='Rigid3d' position='0.4 -0.1 1 0 0 0.38268343236509 0.92387953251129'/>"
          "<OBBCollisionModel extents='1 0.1 0.5'/>"; /* along it, beside it */
    assert_int_equal(contacts_of_ray("DiscreteIntersection", box, c), 0);
    box = "<MechanicalObject template='Rigid3d' position='0.35 0.45 1 0 0 0.38268343236509 0.92387953251129'/>"
          "<OBBCollisionModel extents='1 0.1 0.5'/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", box, c), 1);

    const char *triangle = "<MeshTopology triangles='0 1 2'/><MechanicalObject position='0 0 0  1 0 0  0 1 0'/>"
                           "<TriangleCollisionModel/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", triangle, c), 1);
    assert_hit(c, dv_vec3(0.1, 0.2, 0), down, 0);
    const char *beside = "<MeshTopology triangles='0 1 2'/><MechanicalObject position='0.15 0 0  1 0 0  0.15 1 0'/>"
                         "<TriangleCollisionModel/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", beside, c), 0);
    for (int i = 0; i < 6; i++) { /* proximity: 0.05 beside it, whichever edge is first */
        DvText turned = {0};
        dv_text_add(&turned,
                    "<MeshTopology triangles='%d %d %d'/><MechanicalObject position='0.15 0 0  1 0 0  0.15 1 0'/>"
                    "<TriangleCollisionModel/>",
                    i / 2, (i / 2 + 1) % 3, (i / 2 + 2) % 3);
        assert_int_equal(contacts_of_ray(i % 2 ? local : proximity, turned.at, c), 1);
        dv_text_free(&turned);
        assert_hit(c, dv_vec3(0.1, 0.2, 0), down, 0.05 - 0.1);
        assert_true(dv_vec3_distance(dv_vec3_load(c->point[1]), dv_vec3(0.15, 0.2, 0)) < 1e-12);
    }

    const char *tetrahedron =
        "<MeshTopology tetrahedra='0 1 2 3'/><MechanicalObject position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
        "<TetrahedronCollisionModel/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", tetrahedron, c), 1);
    assert_hit(c, dv_vec3(0.1, 0.2, 0.7), down, 0);
    const char *inverted =
        "<MeshTopology tetrahedra='0 2 1 3'/><MechanicalObject position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
        "<TetrahedronCollisionModel/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", inverted, c), 1);
    assert_hit(c, dv_vec3(0.1, 0.2, 0.7), down, 0);

    const char *sphere =
        "<MechanicalObject template='Rigid3d' position='0.1 0.5 1 0 0 0 1'/><SphereCollisionModel radius='0.5'/>";
    assert_int_equal(contacts_of_ray("DiscreteIntersection", sphere, c), 1);
    assert_hit(c, dv_vec3(0.1, 0.2, 1), dv_vec3(0, 1, 0), 0.3 - 0.5);
    assert_int_equal(contacts_of_ray(proximity, sphere, c), 2); /* in and out: half a chord of 0.4 */
    assert_hit(&c[0], dv_vec3(0.1, 0.2, 1.4), dv_vec3(0, -0.6, 0.8), 0);
    assert_hit(&c[1], dv_vec3(0.1, 0.2, 0.6), dv_vec3(0, -0.6, -0.8), 0);
    const char *soft = "<MechanicalObject position='0.1 0.5 1'/><SphereCollisionModel radius='0.5'/>";
    assert_int_equal(contacts_of_ray(local, soft, c), 1);
    assert_true(dv_vec3_distance(dv_vec3_load(c->point[1]), dv_vec3(0.1, 0, 1)) < 1e-12);
}

/* A point inside goes back along its normal to the surface. */
static void a_point_leaves_a_tetrahedron_against_its_normal(void **state)
{
    (void)state;
    for (int inverted = 0; inverted < 2; inverted++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
            "<BruteForceBroadPhase/><BVHNarrowPhase/><DiscreteIntersection/>"
            "<CollisionResponse response='PenalityContactForceField'/>"
            "<Node name='One'><MeshTopology tetrahedra='%s'/>"
            "<MechanicalObject position='0 0 0  1 0 0  0 1 0  0 0 1'/><TetrahedronCollisionModel/></Node>"
            "<Node name='Two'><MeshTopology triangles='0 2 1'/>"
            "<MechanicalObject position='0.2 0.1 0.3  5 0.1 0.3  0.2 4 0.3'/><PointCollisionModel computeNormals='1'/>"
            "</Node></Node>",
            inverted ? "1 0 2 3" : "0 1 2 3");
        DvScene *scene = scene_from_text(text);
        const DvContactList *list = detect(scene);
        assert_true(list->pair_count == 1 && list->pairs[0].count == 1);
        const DvContact *c = &list->pairs[0].contacts[0];
        assert_true(dv_vec3_distance(dv_vec3_load(c->normal), dv_vec3(0, 0, 1)) < 1e-12); /* its own points down */
        assert_true(dv_vec3_distance(dv_vec3_load(c->point[0]), dv_vec3(0.2, 0.1, 0.7)) < 1e-12);
        assert_true(fabs(c->gap + 0.4) < 1e-12);
        dv_scene_free(scene);
    }
}

/* A floor and a wall that share the y axis; the same floor as a quad; a tetrahedron, whose points look away from its middle. */
static void points_look_where_the_faces_around_them_do(void **state)
{
    (void)state;
    const double h = 1.0 / sqrt(2.0), t = 1.0 / sqrt(3.0);
    const double one = (1.0 - t) / sqrt(2.0 * (1.0 - t) * (1.0 - t) + t * t),
                 up = t / sqrt(2.0 * (1.0 - t) * (1.0 - t) + t * t);
    const struct {
        const char *mesh;
        double normals[12];
    } cases[] = {
        {"triangles='0 1 2  0 2 3'", {h, 0, h, 0, 0, 1, h, 0, h, 1, 0, 0}},
        {"quads='0 1 2 2'", {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}},
        {"tetrahedra='0 1 2 3'", {-t, -t, -t, up, -one, -one, -one, up, -one, -one, -one, up}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<Node><MeshTopology %s/><MechanicalObject position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
                 "<PointCollisionModel name='model' computeNormals='1'/></Node>",
                 cases[i].mesh);
        DvScene *scene = scene_from_text(text);
        DvObject *model = scene_object(scene, "/model");
        const DvCollisionModelOps *ops = dv_object_ops(model, DV_COLLISION_MODEL);
        DvShapeVersion version = {0};
        assert_int_equal(ops->update(dv_object_self(model), &version), DV_OK);
        const DvShape *shape = ops->shape(dv_object_self(model));
        assert_int_equal(shape->count, 4);
        for (int k = 0; k < 12; k++)
            if (!(fabs(shape->normals[k] - cases[i].normals[k]) < 1e-14))
                fail_msg("case %zu: number %d is %g, not %g", i, k, shape->normals[k], cases[i].normals[k]);
        dv_scene_free(scene);
    }
}

/* ---- Where contacts hang ---- */

static void contacts_move_with_their_elements(void **state)
{
    (void)state;
    DvScene *scene = load_bodies(methods[0], false);
    const DvContactList *list = detect(scene);
    uint32_t checked = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        for (uint32_t k = 0; k < list->pairs[i].count; k++)
            for (int side = 0; side < 2; side++) {
                const DvCollisionBody *body = &list->bodies[list->pairs[i].body[side]];
                const DvContact *c = &list->pairs[i].contacts[k];
                const char *kind = body->shape->kind;
                if (strcmp(kind, DV_SHAPE_BOXES) != 0 && strcmp(kind, DV_SHAPE_RIGID_CAPSULES) != 0 &&
                    strcmp(kind, DV_SHAPE_CAPSULES) != 0)
                    continue;
                DvAttachment at;
                body->ops->attach(body->self, c->element[side], c->point[side], &at);
                const DvStateRef dofs = dv_state_ref(dv_object_ref(body->ops->state(body->self)));
                const DvConstVec x = dv_state_read(dofs, DV_POSITION);
                DvVec3 p = dv_vec3_zero();
                for (uint32_t n = 0; n < at.count; n++)
                    p = dv_vec3_madd(p, at.weights[n], dv_vec3_load(x.at + (size_t)at.points[n] * x.dim));
                if (x.dim == 7)
                    p = dv_rigid3_to_world(dv_rigid3_load(x.at + 7 * (size_t)at.points[0]), dv_vec3_load(at.lever));
                /* of capsules between points: on the segment, a radius inside the surface */
                assert_true(dv_vec3_distance(p, dv_vec3_load(c->point[side])) < at.radius + 1e-9);
                dv_object_unref(dofs.object);
                checked++;
            }
    assert_true(checked > 20);
    dv_scene_free(scene);
}

static void sizes_and_directions_are_checked(void **state)
{
    (void)state;
    expect_load_error("<Node><MechanicalObject template='Rigid3d'/><OBBCollisionModel extents='1 1 1  1 -2 1'/></Node>",
                      "OBBCollisionModel 'OBBCollisionModel1': extents[1]: number 2 is -2 m; it must be 0 or more");
    expect_load_error("<Node><MechanicalObject template='Rigid3d'/><OBBCollisionModel defaultExtent='-1'/></Node>",
                      "defaultExtent: is -1 m; it must be 0 or more");
    expect_load_error("<Node><MechanicalObject template='Rigid3d'/><CapsuleCollisionModel heights='1 -1'/></Node>",
                      "heights[1]: is -1 m; it must be 0 or more");
    expect_load_error("<Node><MechanicalObject template='Rigid3d'/><CapsuleCollisionModel radii='-1'/></Node>",
                      "radii: is -1 m; it must be 0 or more");
    expect_load_error("<Node><MechanicalObject/><CapsuleCollisionModel/></Node>", "CapsuleCollisionModel");
    expect_load_error("<Node><MechanicalObject/><OBBCollisionModel/></Node>", "Rigid3d");
    expect_load_error("<Node><MechanicalObject/><RayCollisionModel directions=''/></Node>", "rays need a direction");
    expect_load_error("<Node><MechanicalObject/><RayCollisionModel defaultLength='-2'/></Node>",
                      "defaultLength: is -2 m; it must be 0 or more");
    expect_load_error("<Node><MechanicalObject/><TetrahedronCollisionModel/></Node>", "TetrahedronCollisionModel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_find_what_testing_every_pair_finds),
        cmocka_unit_test(boxes_overlap_where_projections_meet),
        cmocka_unit_test(the_depth_of_an_overlap_is_the_way_out),
        cmocka_unit_test(capsules_are_apart_as_their_segments_are),
        cmocka_unit_test(spheres_meet_the_nearest_point_of_a_box),
        cmocka_unit_test(level_faces_meet_in_the_middle),
        cmocka_unit_test(capsules_meet_triangles_by_their_ends_and_edges),
        cmocka_unit_test(the_order_of_two_boxes_only_turns_the_normal),
        cmocka_unit_test(rigid_motion_moves_contacts_and_changes_no_gap),
        cmocka_unit_test(rays_hit_what_is_in_their_way),
        cmocka_unit_test(a_point_leaves_a_tetrahedron_against_its_normal),
        cmocka_unit_test(points_look_where_the_faces_around_them_do),
        cmocka_unit_test(contacts_move_with_their_elements),
        cmocka_unit_test(sizes_and_directions_are_checked),
        cmocka_unit_test(boxes_meet_by_the_corners_of_what_they_have_in_common),
        cmocka_unit_test(bars_that_cross_share_a_parallelogram),
        cmocka_unit_test(manifolds_are_symmetric_and_move_with_the_boxes),
        cmocka_unit_test(ids_stay_while_boxes_tremble),
        cmocka_unit_test(boxes_meet_triangles_by_what_they_have_in_common),
        cmocka_unit_test(boxes_do_not_stumble_over_edges_of_a_level_mesh),
        cmocka_unit_test(trees_find_what_boxes_stand_on),
        cmocka_unit_test(elements_are_where_their_vertices_say),
        cmocka_unit_test(trees_find_what_testing_every_pair_of_many_finds),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
