/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Detection: trees and boxes find what testing every pair of elements finds, and what is found is a nearest pair of points.
 */
#include "detect.h"

#include <unistd.h>

#include <divan/contracts/topology.h>

/* A cloud of points with triangles and lines between neighbours, some of them degenerate. */
static void add_body(DvText *text, const char *name, const char *models, const char *attributes, uint32_t points,
                     bool degenerate)
{
    dv_text_add(text, "<Node name='%s'><MeshTopology name='mesh' position='", name);
    const double origin[3] = {random_between(-0.5, 0.5), random_between(-0.5, 0.5), random_between(-0.5, 0.5)};
    DvText positions = {0};
    for (uint32_t i = 0; i < points; i++)
        for (int axis = 0; axis < 3; axis++)
            dv_text_add(&positions, "%.17g ", origin[axis] + random_between(-0.6, 0.6));
    dv_text_add(text, "%s' triangles='", positions.at);
    for (uint32_t t = 0; t < points; t++) {
        const uint32_t a = random_below(points);
        const uint32_t b = random_below(points),
                       c = degenerate && t % 16 == 7 ? b : random_below(points); /* some without area */
        dv_text_add(text, "%u %u %u ", a, b, c);
    }
    dv_text_add(text, "' edges='");
    for (uint32_t e = 0; e < points; e++) {
        const uint32_t a = random_below(points);
        const uint32_t other = (a + 1 + random_below(points - 1)) % points;
        dv_text_add(text, "%u %u ", a, degenerate && e % 16 == 5 ? a : other);
    }
    dv_text_add(text, "'/><MechanicalObject name='dofs' position='%s'/>", positions.at);
    for (const char *m = models; *m; m++)
        dv_text_add(text, "<%sCollisionModel name='%c' %s contactDistance='%.3g'/>",
                    *m == 'p'   ? "Point"
                    : *m == 'l' ? "Line"
                    : *m == 't' ? "Triangle"
                                : "Sphere",
                    *m, attributes, random_between(0, 0.02));
    dv_text_add(text, "</Node>");
    dv_text_free(&positions);
}

static DvScene *load_bodies(const char *method, const char *models, bool degenerate)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><%s name='method'/>"
        "<CollisionResponse response='PenalityContactForceField'/>",
        method);
    add_body(&text, "One", models, "radius='0.07'", 40, degenerate);
    add_body(&text, "Two", models, "radius='0.05'", 30, degenerate);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

static const char *const methods[] = {
    "MinProximityIntersection alarmDistance='0.1' contactDistance='0.05'",
    "NewProximityIntersection alarmDistance='0.1' contactDistance='0.05' useLineLine='1'",
    "LocalMinDistance alarmDistance='0.1' contactDistance='0.05' filterIntersection='0'",
    "DiscreteIntersection",
};

static void trees_find_what_testing_every_pair_finds(void **state)
{
    (void)state;
    uint32_t contacts = 0, pairs = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int mesh = 0; mesh < (m == 1 ? 45 : 25); mesh++) { /* triangles on triangles are of this method alone */
            DvScene *scene = load_bodies(methods[m], m == 3 ? "slt" : "plts", true);
            const DvContactList *list = detect(scene);
            /* each ordered pair of bodies of different nodes that the method knows in this order */
            for (uint32_t a = 0; a < list->body_count; a++)
                for (uint32_t b = 0; b < list->body_count; b++) {
                    if (list->bodies[a].node == list->bodies[b].node)
                        continue;
                    const bool same_kind = strcmp(list->bodies[a].shape->kind, list->bodies[b].shape->kind) == 0;
                    DvContactSink all = test_all(scene, &list->bodies[a], &list->bodies[b], false);
                    const DvContactPair *found = NULL;
                    for (uint32_t i = 0; i < list->pair_count; i++)
                        if (list->pairs[i].body[0] == a && list->pairs[i].body[1] == b)
                            found = &list->pairs[i];
                    if (found)
                        assert_same_contacts(found, &all);
                    else
                        assert_true(all.count == 0 || same_kind); /* of one kind only one order is tested */
                    contacts += all.count;
                    pairs += found != NULL;
                    free(all.contacts);
                }
            dv_scene_free(scene);
        }
    assert_true(pairs > 500);
    assert_true(contacts > 10000);
    assert_kinds_are_tested(100000);
}

/* A tree without depth is one leaf of all elements: its pairs come in the order of the elements, however many are passed over at once. */
static void long_leaves_keep_the_order(void **state)
{
    (void)state;
    enum { POINTS = 700 };
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/>"
                       "<CollisionPipeline name='pipeline' depth='0'/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                       "<MinProximityIntersection name='method' alarmDistance='0.1' contactDistance='0.05'/>"
                       "<CollisionResponse response='nullptr'/>");
    for (int body = 0; body < 2; body++) {
        dv_text_add(&text, "<Node name='Body%d'><MechanicalObject position='", body);
        for (uint32_t i = 0; i < POINTS; i++) /* in rows: those that follow each other are near each other */
            dv_text_add(&text, "%.17g %.17g %.17g ", 0.02 * i, random_between(0, 0.4), random_between(0, 0.4));
        dv_text_add(&text, "'/><SphereCollisionModel radius='0.03'/></Node>");
    }
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    const DvContactList *list = detect(scene);
    assert_int_equal(list->pair_count, 1);
    const DvContactPair *pair = &list->pairs[0];
    DvContactSink all = test_all(scene, &list->bodies[pair->body[0]], &list->bodies[pair->body[1]], false);
    assert_true(all.count > 1000);
    assert_int_equal(pair->count, all.count);
    assert_memory_equal(pair->contacts, all.contacts, all.count * sizeof *all.contacts);
    free(all.contacts);
    dv_scene_free(scene);
}

/* ---- A large body that changes ---- */

enum { ROW = 52 }; /* points along a side of a sheet: two triangles between each four */

static DvScene *load_sheet(void)
{
    DvText text = {0};
    dv_text_add(
        &text, "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
               "<BruteForceBroadPhase/><BVHNarrowPhase name='phase'/>"
               "<MinProximityIntersection name='method' alarmDistance='0.3' contactDistance='0.05'/>"
               "<CollisionResponse response='PenalityContactForceField'/><Node name='sheet'>"
               "<TriangleSetTopologyContainer name='mesh' position='");
    for (uint32_t i = 0; i < ROW * ROW; i++) {
        const uint32_t x = i % ROW, y = i / ROW;
        dv_text_add(&text, "%u %u %.17g ", x, y, 0.3 * sin(x) * cos(0.2 * y));
    }
    dv_text_add(&text, "' triangles='");
    for (uint32_t i = 0; i < (ROW - 1) * (ROW - 1); i++) {
        const uint32_t p = i % (ROW - 1) + ROW * (i / (ROW - 1));
        dv_text_add(&text, "%u %u %u %u %u %u ", p, p + 1, p + ROW + 1, p, p + ROW + 1, p + ROW);
    }
    dv_text_add(&text, "'/><TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
                       "<TriangleCollisionModel/></Node><Node name='dust'><MechanicalObject name='dofs' position='");
    for (uint32_t i = 0; i < 300; i++)
        dv_text_add(&text, "%.17g %.17g %.17g ", random_between(0, ROW), random_between(0, ROW), random_between(-1, 1));
    dv_text_add(&text, "'/><PointCollisionModel/></Node></Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

/* Triangles go, some come that stand on an edge of others, and all points move a little. */
static void change_sheet(DvScene *scene, uint64_t from)
{
    seed = from;
    DvObject *mesh = scene_object(scene, "/sheet/mesh"), *modifier = scene_object(scene, "/sheet/modifier");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvTopologyModifierOps *edit = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    for (uint32_t i = 0; i < 20; i++) {
        const DvElements list = ops->elements(dv_object_self(mesh), DV_TRIANGLES);
        const uint32_t number = random_below(list.count), start[2] = {0, 2};
        const uint32_t ends[2] = {list.at[3 * number], list.at[3 * number + 1]};
        const double weights[2] = {1.5, -0.5};
        const DvElementChange beyond = {.ancestors = ends, .weights = weights, .ancestor_start = start};
        const uint32_t element[3] = {ends[0], ends[1], ops->point_count(dv_object_self(mesh))};
        if (i % 3 == 0) {
            assert_int_equal(edit->add_points(dv_object_self(modifier), 1, &beyond), DV_OK);
            assert_int_equal(edit->add_elements(dv_object_self(modifier), DV_TRIANGLES, 1, element, NULL), DV_OK);
        }
        assert_int_equal(edit->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, &number, true), DV_OK);
    }
    const DvVec x = dv_state_write(scene_state(scene, "/sheet/dofs"), DV_POSITION, DV_READ_WRITE);
    for (uint32_t i = 0; i < 3 * x.count; i++)
        x.at[i] += random_between(-0.05, 0.05);
}

static void assert_found_all(DvScene *scene)
{
    const DvContactList *list = detect(scene);
    assert_int_equal(list->pair_count, 1);
    const DvContactPair *pair = &list->pairs[0];
    DvContactSink all = test_all(scene, &list->bodies[pair->body[0]], &list->bodies[pair->body[1]], true);
    assert_true(all.count > 20);
    assert_same_contacts(pair, &all);
    free(all.contacts);
}

static void a_large_body_keeps_its_tree_when_it_changes(void **state)
{
    (void)state;
    DvScene *scene = load_sheet(), *again;
    size_t kept = 0, length;
    for (uint64_t round = 0; round < 60; round++) {
        assert_found_all(scene);
        change_sheet(scene, round);
        assert_found_all(scene);
        (void)dv_data_uints(dv_object_field(scene_object(scene, "/phase"), "treeLeaves"), &length);
        kept += length > 0;
    }
    assert_true(kept > 40 && kept < 60); /* it was built again when too much had changed */
    if (length == 0)
        change_sheet(scene, 60);
    assert_found_all(scene);
    char name[] = P_tmpdir "/divan-large-body-XXXXXX.scn";
    const int file = mkstemps(name, 4);
    assert_true(file >= 0);
    assert_int_equal(dv_scene_save(scene, name), DV_OK);
    assert_int_equal(dv_scene_load(name, NULL, &again), DV_OK);
    (void)close(file);
    (void)remove(name);
    for (uint64_t round = 70; round < 90; round++) {
        const DvContactPair first = detect(scene)->pairs[0], second = detect(again)->pairs[0];
        assert_int_equal(first.count, second.count); /* and in the same order */
        assert_memory_equal(first.contacts, second.contacts, first.count * sizeof *first.contacts);
        static const char *const fields[] = {"treeOrder", "treeLeaves", "pairOrder"};
        for (int i = 0; i < 3; i++)
            assert_true(dv_data_equal(dv_object_field(scene_object(scene, "/phase"), fields[i]),
                                      dv_object_field(scene_object(again, "/phase"), fields[i])));
        change_sheet(scene, round);
        change_sheet(again, round);
    }
    dv_scene_free(again);
    dv_scene_free(scene);
}

/* ---- What is found ---- */

static DvVec3 random_point_of(const DvShape *s, uint32_t element)
{
    double weight[3], sum = 0;
    for (uint32_t k = 0; k < s->corners; k++)
        sum += weight[k] = -log(random_between(1e-12, 1));
    DvVec3 p = dv_vec3_zero();
    for (uint32_t k = 0; k < s->corners; k++) {
        const uint32_t point = s->vertices ? s->vertices[element * s->corners + k] : element;
        p = dv_vec3_madd(p, weight[k] / sum, dv_vec3_load(s->x + (size_t)point * s->stride));
    }
    return p;
}

/* The distance of p from an element, by descending to smaller and smaller neighbourhoods of the nearest sample. */
static bool lies_on(const DvShape *s, uint32_t element, DvVec3 p)
{
    DvVec3 corner[3];
    for (uint32_t k = 0; k < s->corners; k++) {
        const uint32_t point = s->vertices ? s->vertices[element * s->corners + k] : element;
        corner[k] = dv_vec3_load(s->x + (size_t)point * s->stride);
    }
    if (s->corners == 1)
        return dv_vec3_distance(p, corner[0]) < 1e-12;
    if (s->corners == 2) {
        const double whole = dv_vec3_distance(corner[0], corner[1]);
        return dv_vec3_distance(p, corner[0]) + dv_vec3_distance(p, corner[1]) < whole + 1e-9;
    }
    const DvVec3 n = dv_vec3_cross(dv_vec3_sub(corner[1], corner[0]), dv_vec3_sub(corner[2], corner[0]));
    double areas = 0;
    for (int k = 0; k < 3; k++)
        areas += dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(corner[k], p), dv_vec3_sub(corner[(k + 1) % 3], p)));
    return areas < dv_vec3_norm(n) + 1e-9;
}

static void a_contact_is_a_nearest_pair_of_points(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (int m = 0; m < 4; m++)
        for (int mesh = 0; mesh < 6; mesh++) {
            DvScene *scene = load_bodies(methods[m], "plt", false);
            const DvContactList *list = detect(scene);
            for (uint32_t i = 0; i < list->pair_count; i++) {
                const DvShape *a = list->bodies[list->pairs[i].body[0]].shape;
                const DvShape *b = list->bodies[list->pairs[i].body[1]].shape;
                const bool corners_only = m == 1 && a->corners == 3 && b->corners > 1; /* one of several of a pair */
                for (uint32_t k = 0; k < list->pairs[i].count; k++) {
                    const DvContact *c = &list->pairs[i].contacts[k];
                    const DvVec3 p = dv_vec3_load(c->point[0]), q = dv_vec3_load(c->point[1]);
                    const double distance = dv_vec3_distance(p, q);
                    if (m == 3) { /* where a line goes through a triangle */
                        assert_true(distance == 0 && c->gap == 0);
                        assert_true(lies_on(a, c->element[0], p) && lies_on(b, c->element[1], q));
                        continue;
                    }
                    const double contact = 0.05 + a->distance + b->distance;
                    assert_true(distance < 0.1 + a->distance + b->distance);
                    assert_true(fabs(c->gap - (distance - contact)) < 1e-12);
                    assert_true(fabs(dv_vec3_norm(dv_vec3_load(c->normal)) - 1) < 1e-12);
                    assert_true(dv_vec3_distance(dv_vec3_madd(p, distance, dv_vec3_load(c->normal)), q) < 1e-12);
                    assert_true(lies_on(a, c->element[0], p) && lies_on(b, c->element[1], q));
                    for (int sample = 0; sample < 20 && !corners_only; sample++)
                        assert_true(dv_vec3_distance(random_point_of(a, c->element[0]),
                                                     random_point_of(b, c->element[1])) > distance - 1e-9);
                    checked++;
                }
            }
            dv_scene_free(scene);
        }
    assert_true(checked > 1000);
}

/* Local minima: a flat sheet gives one contact for a point above it, wherever that is; other methods give many. */
static void a_point_above_a_flat_sheet_has_one_contact(void **state)
{
    (void)state;
    static const double places[][2] = {{0.5, 0.4}, {0.31, 0.72}, {0.9, 0.15}};
    for (size_t i = 0; i < 3; i++)
        for (int local = 0; local < 2; local++) {
            char text[2048];
            snprintf(
                text, sizeof text,
                "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
                "<BruteForceBroadPhase/><BVHNarrowPhase/><%s name='method' alarmDistance='0.8' contactDistance='0.1'/>"
                "<CollisionResponse response='PenalityContactForceField'/>"
                "<Node name='Sheet'><RegularGridTopology n='4 4 1' min='-1 -1 0' max='2 2 0'/>"
                "<MeshTopology name='mesh' triangles='0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 4 5 9 4 9 8 5 6 10 5 10 9"
                " 6 7 11 6 11 10 8 9 13 8 13 12 9 10 14 9 14 13 10 11 15 10 15 14'/>"
                "<MechanicalObject position='-1 -1 0 0 -1 0 1 -1 0 2 -1 0 -1 0 0 0 0 0 1 0 0 2 0 0 -1 1 0 0 1 0 1 1 0"
                " 2 1 0 -1 2 0 0 2 0 1 2 0 2 2 0'/><PointCollisionModel topology='@mesh'/>"
                "<LineCollisionModel topology='@mesh'/><TriangleCollisionModel topology='@mesh'/></Node>"
                "<Node name='Ball'><MechanicalObject position='%g %g 0.3'/><SphereCollisionModel radius='0.1'/></Node>"
                "</Node>",
                local ? "LocalMinDistance" : "MinProximityIntersection", places[i][0], places[i][1]);
            DvScene *scene = scene_from_text(text);
            const DvContactList *list = detect(scene);
            uint32_t count = 0;
            for (uint32_t k = 0; k < list->pair_count; k++)
                count += list->pairs[k].count;
            if (local) {
                assert_int_equal(count, 1);
                assert_true(fabs(list->pairs[0].contacts[0].gap - (0.3 - 0.1 - 0.1)) < 1e-12);
                assert_true(fabs(list->pairs[0].contacts[0].normal[2] - 1) < 1e-12);
            } else {
                assert_true(count > 1);
            }
            dv_scene_free(scene);
        }
}

static void rigid_motion_moves_contacts_and_changes_no_gap(void **state)
{
    (void)state;
    static const char format[] =
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection name='method' alarmDistance='0.2'"
        " contactDistance='0.1'/><CollisionResponse response='PenalityContactForceField'/>"
        "<Node name='One'><MeshTopology triangles='0 1 2'/><MechanicalObject position='0 0 0  1 0 0  0 1 0' %s/>"
        "<TriangleCollisionModel/><LineCollisionModel/></Node>"
        "<Node name='Two'><MeshTopology edges='0 1'/><MechanicalObject position='0.3 0.3 0.15  0.6 -0.5 0.05' %s/>"
        "<PointCollisionModel/><LineCollisionModel/></Node></Node>";
    double gaps[2][8];
    uint32_t counts[2];
    for (int moved = 0; moved < 2; moved++) {
        char text[2048];
        const char *motion = moved ? "rotation='20 30 40' translation='3 -2 7'" : "";
        snprintf(text, sizeof text, format, motion, motion);
        DvScene *scene = scene_from_text(text);
        const DvContactList *list = detect(scene);
        counts[moved] = 0;
        for (uint32_t i = 0; i < list->pair_count; i++)
            for (uint32_t k = 0; k < list->pairs[i].count; k++)
                gaps[moved][counts[moved]++] = list->pairs[i].contacts[k].gap;
        dv_scene_free(scene);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_true(counts[0] >= 2);
    assert_true(fabs(gaps[0][0] - (0.15 - 0.1)) < 1e-12); /* the point above the inside of the triangle */
    for (uint32_t i = 0; i < counts[0]; i++)
        assert_true(fabs(gaps[0][i] - gaps[1][i]) < 1e-12);
}

/* ---- Triangles that are turned over ---- */

enum { MOST = 32 };

/* What a triangle, or the same one with its corners in the other order, meets. */
static uint32_t contacts_of_triangle(const char *method, const DvVec3 corner[3], bool over, const char *attributes,
                                     const char *other, DvContact contacts[MOST])
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
                "<BruteForceBroadPhase/><BVHNarrowPhase/><%s name='method'/>"
                "<CollisionResponse response='PenalityContactForceField'/>"
                "<Node name='One'><MeshTopology triangles='%s'/><MechanicalObject position='",
                method, over ? "0 2 1" : "0 1 2");
    for (int i = 0; i < 3; i++)
        dv_text_add(&text, "%.17g %.17g %.17g ", corner[i].x, corner[i].y, corner[i].z);
    dv_text_add(&text, "'/><TriangleCollisionModel %s/></Node><Node name='Two'>%s</Node></Node>", attributes, other);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    const DvContactList *list = detect(scene);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        for (uint32_t k = 0; k < list->pairs[i].count; k++) {
            assert_true(count < MOST);
            contacts[count++] = list->pairs[i].contacts[k];
        }
    dv_scene_free(scene);
    return count;
}

static bool is_among(const DvContact *c, const DvContact *contacts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (dv_vec3_distance(dv_vec3_load(c->point[0]), dv_vec3_load(contacts[i].point[0])) < 1e-9 &&
            dv_vec3_distance(dv_vec3_load(c->point[1]), dv_vec3_load(contacts[i].point[1])) < 1e-9 &&
            fabs(c->gap - contacts[i].gap) < 1e-9)
            return true;
    return false;
}

/* Not asked of spheres by NewProximityIntersection, which walks the edges of an obtuse triangle in their order. */
static void a_triangle_turned_over_meets_the_same(void **state)
{
    (void)state;
    uint32_t checked[4] = {0};
    for (int trial = 0; trial < 400; trial++) {
        const int m = trial % 4;
        DvVec3 corner[3];
        DvText other = {0};
        for (int i = 0; i < 3; i++)
            corner[i] = dv_vec3(random_between(-1, 1), random_between(-1, 1), random_between(-0.1, 0.1));
        dv_text_add(&other, "<MeshTopology triangles='0 1 2' edges='0 1 1 2 2 0'/><MechanicalObject position='");
        for (int i = 0; i < 3; i++)
            dv_text_add(&other, "%.17g %.17g %.17g ", random_between(-1, 1), random_between(-1, 1),
                        random_between(-0.4, 0.4));
        dv_text_add(&other, "'/>%s%s<LineCollisionModel/>",
                    m == 3 ? "" : "<PointCollisionModel/><TriangleCollisionModel/>",
                    m == 1 ? "" : "<SphereCollisionModel radius='0.2'/>");
        DvContact contacts[2][MOST];
        uint32_t count[2];
        for (int over = 0; over < 2; over++)
            count[over] = contacts_of_triangle(methods[m], corner, over, "", other.at, contacts[over]);
        dv_text_free(&other);
        assert_int_equal(count[0], count[1]);
        for (uint32_t i = 0; i < count[0]; i++)
            if (!is_among(&contacts[0][i], contacts[1], count[1]))
                fail_msg("%s, trial %d: contact %u is not that of the triangle turned over", methods[m], trial, i);
        checked[m] += count[0];
    }
    for (int m = 0; m < 4; m++)
        if (checked[m] <= 10)
            fail_msg("%s: %u contacts are compared", methods[m], checked[m]);
}

/* Local minima are on the outer side: what touches a triangle from behind does not count, unless it has both. */
static void the_outer_side_is_where_corners_go_round_to_the_left(void **state)
{
    (void)state;
    static const char local[] = "LocalMinDistance alarmDistance='0.2' contactDistance='0.05'";
    static const char point[] = "<MechanicalObject position='0.2 0.3 0.1'/><PointCollisionModel/>";
    const DvVec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    DvContact c[MOST];
    assert_int_equal(contacts_of_triangle(local, corner, false, "", point, c), 1);
    assert_true(fabs(c->normal[2] - 1) < 1e-12 && fabs(c->gap - 0.05) < 1e-12);
    assert_int_equal(contacts_of_triangle(local, corner, true, "", point, c), 0);
    assert_int_equal(contacts_of_triangle(local, corner, true, "bothSide='1'", point, c), 1);
    assert_true(fabs(c->normal[2] - 1) < 1e-12 && fabs(c->gap - 0.05) < 1e-12);
}

/* ---- Who may meet ---- */

static uint32_t contacts_of(const char *first, const char *second)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection name='method' alarmDistance='0.2'"
        " contactDistance='0.1'/><CollisionResponse response='PenalityContactForceField'/>"
        "<Node name='One'><MechanicalObject position='0 0 0  1 0 0'/><SphereCollisionModel %s/></Node>"
        "<Node name='Two'><MechanicalObject position='0 1 0'/><SphereCollisionModel radius='0.5' %s/></Node></Node>",
        first, second);
    DvScene *scene = scene_from_text(text);
    const DvContactList *list = detect(scene);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->pair_count; i++)
        count += list->pairs[i].count;
    dv_scene_free(scene);
    return count;
}

static void switches_groups_and_distances_decide_who_meets(void **state)
{
    (void)state;
    assert_int_equal(contacts_of("radius='0.5'", ""), 1);
    assert_int_equal(contacts_of("radius='0.5' active='0'", ""), 0);
    assert_int_equal(contacts_of("radius='0.5' simulated='0'", ""), 1);
    assert_int_equal(contacts_of("radius='0.5' simulated='0'", "simulated='0'"), 0);
    assert_int_equal(contacts_of("radius='0.5' group='1'", "group='2'"), 1);
    assert_int_equal(contacts_of("radius='0.5' group='1'", "group='2 1'"), 0);
    assert_int_equal(contacts_of("radius='0.5' group='1'", ""), 1);
    assert_int_equal(contacts_of("radius='0.5' selfCollision='1'", ""), 2);
    assert_int_equal(contacts_of("radius='0.2'", ""), 0);                        /* 0.3 apart */
    assert_int_equal(contacts_of("radius='0.2' contactDistance='0.11'", ""), 1); /* 0.3 < 0.2 + 0.11 */
    assert_int_equal(contacts_of("radius='0.2' contactDistance='0.09'", ""), 0);
}

/* Lines and triangles leave the points of their own ends alone, also those whose model comes while the scene runs. */
static void neighbours_are_known_when_models_come_and_go(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
        "<CollisionResponse response='PenalityContactForceField'/>"
        "<Node name='One'><MeshTopology edges='0 1  1 2  2 0' triangles='0 1 2'/>"
        "<MechanicalObject position='0 0 0  1 0 0  0 1 0  0.3 0.3 0.1'/>"
        "<LineCollisionModel selfCollision='1'/><TriangleCollisionModel selfCollision='1'/></Node></Node>");
    assert_int_equal(detect(scene)->pair_count, 1); /* triangles on lines */
    DvNode *node = dv_object_node(scene_object(scene, "/One/LineCollisionModel1"));
    for (int round = 0; round < 3; round++) {
        DvObject *points;
        assert_int_equal(dv_object_new(node, "PointCollisionModel", &points, "selfCollision", "1", NULL), DV_OK);
        const DvContactList *list = detect(scene);
        uint32_t with_points = 0;
        for (uint32_t i = 0; i < list->pair_count; i++)
            for (uint32_t k = 0; k < list->pairs[i].count; k++)
                if (strcmp(list->bodies[list->pairs[i].body[1]].shape->kind, DV_SHAPE_POINTS) == 0) {
                    assert_int_equal(list->pairs[i].contacts[k].element[1], 3); /* the one that is no corner */
                    with_points++;
                }
        assert_int_equal(with_points, 1);
        dv_object_remove(points);
        assert_int_equal(detect(scene)->pair_count, 1);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_find_what_testing_every_pair_finds),
        cmocka_unit_test(long_leaves_keep_the_order),
        cmocka_unit_test(a_contact_is_a_nearest_pair_of_points),
        cmocka_unit_test(a_point_above_a_flat_sheet_has_one_contact),
        cmocka_unit_test(a_triangle_turned_over_meets_the_same),
        cmocka_unit_test(the_outer_side_is_where_corners_go_round_to_the_left),
        cmocka_unit_test(rigid_motion_moves_contacts_and_changes_no_gap),
        cmocka_unit_test(neighbours_are_known_when_models_come_and_go),
        cmocka_unit_test(switches_groups_and_distances_decide_who_meets),
        cmocka_unit_test(a_large_body_keeps_its_tree_when_it_changes),
    };
    return share_run_group_tests(tests, NULL, stop_plugins);
}
