/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The broad phase, fed with bodies that are made up: which pairs it finds is what the test of each against each says, and in which order. Boxes
 * are on a grid of eighths, whose sums are exact, so that many of them are just as far apart as still counts.
 */
#include "detect.h"

enum { MOST = 60 };

static DvCollisionBody bodies[MOST];
static int32_t group[MOST];
static char nodes[4];

static double eighths(uint32_t most)
{
    return 0.125 * random_below(most + 1);
}

static void make_bodies(uint32_t count, uint32_t spread, bool several_distances)
{
    memset(bodies, 0, sizeof bodies);
    for (uint32_t i = 0; i < count; i++) {
        DvCollisionBody *body = &bodies[i];
        body->present = random_below(8) > 0;
        body->node = (DvNode *)(void *)&nodes[random_below(4)]; /* only told apart */
        for (int axis = 0; axis < 3; axis++) {
            body->lower[axis] = eighths(spread) - 1;
            body->upper[axis] = body->lower[axis] + eighths(3);
        }
        group[i] = (int32_t)random_below(5);
        body->traits = (DvCollisionTraits){.active = true,
                                           .simulated = random_below(4) > 0,
                                           .self_collision = random_below(2) > 0,
                                           .distance = several_distances ? eighths(2) : 0.125,
                                           .groups = &group[i],
                                           .group_count = random_below(2)};
    }
}

static bool no_further(const double lower[2][3], const double upper[2][3], double tolerance)
{
    for (int axis = 0; axis < 3; axis++)
        if (lower[1][axis] - upper[0][axis] > tolerance || lower[0][axis] - upper[1][axis] > tolerance)
            return false;
    return true;
}

static bool are_near(const DvCollisionBody *a, const DvCollisionBody *b, double tolerance)
{
    double lower[2][3], upper[2][3];
    memcpy(lower[0], a->lower, sizeof a->lower);
    memcpy(lower[1], b->lower, sizeof b->lower);
    memcpy(upper[0], a->upper, sizeof a->upper);
    memcpy(upper[1], b->upper, sizeof b->upper);
    return no_further((const double(*)[3])lower, (const double(*)[3])upper, tolerance);
}

static bool may_meet(const DvCollisionBody *a, const DvCollisionBody *b)
{
    if (!a->traits.simulated && !b->traits.simulated)
        return false;
    if (a->node == b->node)
        return a->traits.self_collision && b->traits.self_collision;
    return a->traits.group_count == 0 || b->traits.group_count == 0 || a->traits.groups[0] != b->traits.groups[0];
}

static uint32_t expected_pairs(uint32_t count, double alarm, bool adds, const DvCollisionBody *limit, DvBodyPair *pairs)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DvCollisionBody *a = &bodies[i];
        const double of_a = adds ? a->traits.distance : 0;
        if (!a->present || (limit && !are_near(limit, a, alarm + of_a)))
            continue;
        if (a->traits.simulated && a->traits.self_collision)
            pairs[found++] = (DvBodyPair){{i, i}};
        for (uint32_t k = 0; k < i; k++) {
            const DvCollisionBody *b = &bodies[k];
            const double of_b = adds ? b->traits.distance : 0;
            if (b->present && (!limit || are_near(limit, b, alarm + of_b)) && may_meet(a, b) &&
                are_near(a, b, alarm + of_a + of_b))
                pairs[found++] = (DvBodyPair){{i, k}};
        }
    }
    return found;
}

static void pairs_are_those_of_boxes_that_meet(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double alarm;
        bool adds;
    } methods[] = {
        {"MinProximityIntersection alarmDistance='0.25' contactDistance='0.125'", 0.25, true},
        {"NewProximityIntersection alarmDistance='0.125' contactDistance='0.0625'", 0.125, true},
        {"LocalMinDistance alarmDistance='0.25' contactDistance='0.125'", 0.25, true},
        {"DiscreteIntersection", 0, false},
    };
    static DvBodyPair expected[MOST * MOST];
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int limited = 0; limited < 2; limited++) {
            char text[1024];
            snprintf(
                text, sizeof text,
                "<Node><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase name='phase' %s/><BVHNarrowPhase/>"
                "<%s name='method'/><CollisionResponse response='nullptr'/></Node>",
                limited ? "box='-0.5 -0.25 -0.5  0.25 0.125 0.5'" : "", methods[m].method);
            DvScene *scene = scene_from_text(text);
            DvObject *phase = scene_object(scene, "/phase"), *method = scene_object(scene, "/method");
            const DvBroadPhaseOps *ops = dv_object_ops(phase, DV_BROAD_PHASE);
            const DvCollisionBody limit = {.lower = {-0.5, -0.25, -0.5}, .upper = {0.25, 0.125, 0.5}};
            uint32_t total = 0;
            for (int round = 0; round < 60; round++) {
                const uint32_t count = random_below(MOST + 1);
                make_bodies(count, 16, round % 2);
                const uint32_t all =
                    expected_pairs(count, methods[m].alarm, methods[m].adds, limited ? &limit : NULL, expected);
                DvBodyPair *found;
                assert_int_equal(ops->find(dv_object_self(phase), bodies, count, method, &found), all);
                for (uint32_t i = 0; i < all; i++)
                    if (found[i].body[0] != expected[i].body[0] || found[i].body[1] != expected[i].body[1])
                        fail_msg("method %zu: pair %u is %u %u, not %u %u", m, i, found[i].body[0], found[i].body[1],
                                 expected[i].body[0], expected[i].body[1]);
                total += all;
            }
            assert_true(total > 50);
            dv_scene_free(scene);
        }
}

/* Two boxes, one of which is just as far away as still counts, on either side along each axis; or a little farther. */
static void the_last_distance_that_counts_counts(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase name='phase'/>"
        "<BVHNarrowPhase/><MinProximityIntersection name='method' alarmDistance='0.25' contactDistance='0.125'/>"
        "<CollisionResponse response='nullptr'/></Node>");
    DvObject *phase = scene_object(scene, "/phase"), *method = scene_object(scene, "/method");
    const DvBroadPhaseOps *ops = dv_object_ops(phase, DV_BROAD_PHASE);
    for (int axis = 0; axis < 3; axis++)
        for (int way = -1; way < 2; way += 2)
            for (int beyond = 0; beyond < 2; beyond++) {
                memset(bodies, 0, sizeof bodies);
                for (int b = 0; b < 2; b++) {
                    bodies[b] = (DvCollisionBody){.present = true, .node = (DvNode *)(void *)&nodes[b]};
                    bodies[b].traits = (DvCollisionTraits){.simulated = true, .distance = b ? 0.0625 : 0.125};
                    for (int k = 0; k < 3; k++) {
                        bodies[b].lower[k] = b && k == axis ? way * (0.5 + 0.25 + 0.1875 + 0.0625 * beyond) : 0;
                        bodies[b].upper[k] = bodies[b].lower[k] + 0.5;
                    }
                }
                DvBodyPair *found;
                assert_int_equal(ops->find(dv_object_self(phase), bodies, 2, method, &found), !beyond);
            }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_boxes_that_meet),
        cmocka_unit_test(the_last_distance_that_counts_counts),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
