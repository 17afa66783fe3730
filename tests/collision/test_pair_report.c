/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a pipeline tells of its models: a line for each pair that may meet, by whom it is served, in the order in which the routine takes
 * them; and a warning for kinds that nobody knows, once.
 */
#include "detect.h"

#include <divan/contracts/report.h>

static DvText lines;
static int warnings;
static DvText warned; /* the last */

static void keep_line(void *context, const char *text)
{
    (void)context;
    dv_text_add(&lines, "%s\n", text);
}

static void count_warnings(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING || !strstr(message->text, "knows no distance of"))
        return;
    warnings++;
    warned.length = 0;
    dv_text_add(&warned, "%s", message->text);
}

static void report_of(const char *method, const char *nodes)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
                "<BVHNarrowPhase/><%s/><CollisionResponse response='nullptr'/>%s</Node>",
                method, nodes);
    DvScene *scene = scene_from_text(text.at);
    DvObject *pipeline = scene_object(scene, "/pipeline");
    const DvReportOps *ops = dv_object_ops(pipeline, DV_REPORT);
    dv_text_free(&lines);
    warnings = 0;
    dv_log_set_handler(count_warnings, NULL);
    ops->report(dv_object_self(pipeline), keep_line, NULL);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
    dv_text_free(&text);
}

#define NODE(name, models)                                                                           \
    "<Node name='" name "'><MeshTopology triangles='0 1 2' tetrahedra='0 1 2 3'/><MechanicalObject " \
    "position='0 0 0  1 0 0  0 1 0  0 0 1'/>" models "</Node>"
#define MIN_PROXIMITY "MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'"

static void pairs_that_may_meet_have_a_line(void **state)
{
    (void)state;
    static const struct {
        const char *method, *nodes, *expected;
        int warnings;
    } cases[] = {
        {MIN_PROXIMITY, NODE("A", "<PointCollisionModel name='p'/>"), NULL, 0},
        {MIN_PROXIMITY, NODE("A", "<PointCollisionModel name='p'/>") NODE("B", "<TriangleCollisionModel name='t'/>"),
         "/B/t and /A/p: triangles on points, by MinProximityIntersection\n", 0},
        {MIN_PROXIMITY, NODE("A", "<TriangleCollisionModel name='t'/>") NODE("B", "<PointCollisionModel name='p'/>"),
         "/A/t and /B/p: triangles on points, by MinProximityIntersection\n", 0},
        {MIN_PROXIMITY,
         NODE("A", "<PointCollisionModel name='p'/>") NODE("B", "<TriangleCollisionModel name='t' active='0'/>"), NULL,
         0},
        {MIN_PROXIMITY,
         NODE("A", "<PointCollisionModel name='p' simulated='0'/>")
             NODE("B", "<TriangleCollisionModel name='t' simulated='0'/>"),
         NULL, 0},
        {MIN_PROXIMITY,
         NODE("A", "<PointCollisionModel name='p' group='2 3'/>")
             NODE("B", "<PointCollisionModel name='q' group='3'/>"),
         NULL, 0},
        {MIN_PROXIMITY,
         NODE("A", "<PointCollisionModel name='p' group='2'/>") NODE("B", "<PointCollisionModel name='q' group='3'/>"),
         "/B/q and /A/p: points on points, by MinProximityIntersection\n", 0},
        {MIN_PROXIMITY, NODE("A", "<SphereCollisionModel name='s' selfCollision='1'/><PointCollisionModel name='p'/>"),
         "/A/s and itself: spheres on spheres, by MinProximityIntersection\n", 0},
        {MIN_PROXIMITY,
         NODE("A", "<TetrahedronCollisionModel name='t'/>") NODE("B", "<TetrahedronCollisionModel name='u'/>"),
         "/B/u and /A/t: nothing serves tetrahedra on tetrahedra: they do not collide\n", 1},
        {MIN_PROXIMITY,
         NODE("A", "<TetrahedronCollisionModel name='t'/>") NODE("B", "<TetrahedronCollisionModel name='u'/>")
             NODE("C", "<TetrahedronCollisionModel name='v'/>"),
         "/B/u and /A/t: nothing serves tetrahedra on tetrahedra: they do not collide\n"
         "/C/v and /A/t: nothing serves tetrahedra on tetrahedra: they do not collide\n"
         "/C/v and /B/u: nothing serves tetrahedra on tetrahedra: they do not collide\n",
         1},
        {"DiscreteIntersection",
         NODE("A", "<TetrahedronCollisionModel name='t'/>") NODE("B", "<PointCollisionModel name='p'/>"),
         "/A/t and /B/p: tetrahedra on points, by DiscreteIntersection\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        report_of(cases[i].method, cases[i].nodes);
        if (cases[i].expected ? !lines.at || strcmp(lines.at, cases[i].expected) != 0 : lines.at != NULL)
            fail_msg("case %zu: %s", i, lines.at ? lines.at : "nothing");
        assert_int_equal(warnings, cases[i].warnings);
    }
}

/* Who does not serve a pair names those that do, where there are any. */
static void another_method_is_named(void **state)
{
    (void)state;
    static const char ball[] = "<Node name='B'><MechanicalObject template='Rigid3d' position='0 0 1 0 0 0 1'/>"
                               "<SphereCollisionModel template='Rigid3d' name='s' radius='1'/></Node>";
    DvText nodes = {0};
    dv_text_add(&nodes, "%s%s", NODE("A", "<TriangleCollisionModel name='t'/>"), ball);
    report_of("LocalMinDistance alarmDistance='0.2' contactDistance='0.1'", nodes.at);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warned.at, "; use MinProximityIntersection or NewProximityIntersection"));
    report_of(MIN_PROXIMITY, nodes.at);
    assert_int_equal(warnings, 0);
    report_of(MIN_PROXIMITY,
              NODE("A", "<TetrahedronCollisionModel name='t'/>") NODE("B", "<TetrahedronCollisionModel name='u'/>"));
    assert_int_equal(warnings, 1);
    assert_null(strstr(warned.at, "; use"));
    dv_text_free(&warned);
    dv_text_free(&nodes);
}

/* Many models, all with each other; kinds that are warned of are told from those that were. */
static void many_models_have_all_their_lines(void **state)
{
    (void)state;
    enum { MODELS = 40 };
    DvText nodes = {0};
    for (int i = 0; i < MODELS; i++)
        dv_text_add(
            &nodes,
            "<Node name='N%d'><MeshTopology tetrahedra='0 1 2 3' triangles='0 1 2'/><MechanicalObject position='0 0 0  1 0 0  0 1 0  "
            "0 0 1'/><%sCollisionModel name='m'/></Node>",
            i,
            i % 3 == 0   ? "Tetrahedron"
            : i % 3 == 1 ? "Triangle"
                         : "Sphere");
    report_of(MIN_PROXIMITY, nodes.at);
    int count = 0, unserved = 0;
    for (const char *at = lines.at; at && *at; at = strchr(at, '\n') + 1, count++)
        unserved += strncmp(strchr(at, ':'), ": nothing serves", 16) == 0;
    assert_int_equal(count, MODELS * (MODELS - 1) / 2);
    assert_true(unserved > 14 * 26 && warnings >= 3 && warnings < 6);
    dv_text_free(&nodes);
    dv_text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_may_meet_have_a_line),
        cmocka_unit_test(another_method_is_named),
        cmocka_unit_test(many_models_have_all_their_lines),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
