/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bodies that move farther in a step than contacts are found from: what passes through a surface or a solid in one step is told of once
 * and counted; what is as fast and touches nothing is not, nor is what a contact has found.
 */
#include "detect.h"

static uint32_t told;
static char line[512];

static void count_warnings(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level != DV_LEVEL_WARNING || !strstr(message->text, "has passed through"))
        return;
    if (told++ == 0)
        snprintf(line, sizeof line, "%s", message->text);
}

#define SHEET                                                                                               \
    "<MeshTopology position='-2 0 -2  2 0 -2  2 0 2  -2 0 2' triangles='0 2 1  0 3 2'/><MechanicalObject/>" \
    "<TriangleCollisionModel moving='0' simulated='0'/><LineCollisionModel moving='0' simulated='0'/>"      \
    "<PointCollisionModel moving='0' simulated='0'/>"
#define TILTED                                                                                                \
    "<MeshTopology position='-2 -2 -2  2 2 -2  2 2 2  -2 -2 2' triangles='0 2 1  0 3 2'/><MechanicalObject/>" \
    "<TriangleCollisionModel moving='0' simulated='0'/>"
#define BOARD                                                                                           \
    "<MechanicalObject template='Rigid3d' position='0 0 0  0 0 0 1'/><OBBCollisionModel simulated='0' " \
    "extents='2 0.01 2'/>"
#define PEG                                                                                                 \
    "<MechanicalObject template='Rigid3d' position='0 0 0  0 0 0 1'/><CapsuleCollisionModel simulated='0' " \
    "radii='0.01' heights='2'/>"
#define BEAD "<MechanicalObject position='0 0 0'/><SphereCollisionModel simulated='0' radius='0.02'/>"
#define POINT(x, y, z, vx, vy, vz) \
    "<MechanicalObject position='" #x " " #y " " #z "' velocity='" #vx " " #vy " " #vz "'/><UniformMass totalMass='1'/>"
#define FRAME(x, y, z, vx, vy, vz)                                                                                \
    "<MechanicalObject template='Rigid3d' position='" #x " " #y " " #z " 0 0 0 1' velocity='" #vx " " #vy " " #vz \
    " 0 0 0'/><UniformMass totalMass='1'/>"
#define BALL "<SphereCollisionModel radius='0.05'/>"

/* Steps in which something passed, of 30 steps of 0.01 s. */
static uint32_t passed_by(const char *method, const char *body, const char *other, const char *loop)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 0 0' dt='0.01'>%s<CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase/><%s/>"
        "<CollisionResponse response='%s'/><Node name='A'><EulerImplicitSolver/><CGLinearSolver iterations='25' "
        "tolerance='1e-9' threshold='1e-9'/>%s</Node><Node name='B'>%s</Node></Node>",
        loop, method, loop[1] == 'D' ? "PenalityContactForceField" : "FrictionContactConstraint", body, other);
    DvScene *scene = scene_from_text(text.at);
    told = 0;
    dv_log_set_handler(count_warnings, NULL);
    for (int step = 0; step < 30; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    const uint32_t passed = dv_data_uint(dv_object_field(scene_object(scene, "/pipeline"), "passedSteps"));
    dv_scene_free(scene);
    dv_text_free(&text);
    assert_int_equal(told, passed > 0);
    return passed;
}

static uint32_t passed_of(const char *body, const char *other, const char *loop)
{
    return passed_by("NewProximityIntersection alarmDistance='0.02' contactDistance='0.01'", body, other, loop);
}

static void what_passes_is_told_of_once(void **state)
{
    (void)state;
    static const char *const passing[][2] = {
        {POINT(0.1, 1.03, 0.2, 0, -30, 0) BALL, SHEET},
        {POINT(0.1, -1.03, 0.2, 0, 30, 0) BALL, SHEET}, /* from below */
        {FRAME(0.1, 1.03, 0.2, 0, -30, 0) BALL, SHEET},
        {POINT(0.1, 1.03, 0.2, 3, -30, 1) "<PointCollisionModel/>", SHEET},
        {FRAME(0.1, 1.03, 0.2, 0, -30, 0) "<OBBCollisionModel extents='0.05 0.05 0.05'/>", SHEET},
        {FRAME(0.1, 1.03, 0.2, 0, -30, 0) "<CapsuleCollisionModel radii='0.05' heights='0.1'/>", SHEET},
        {POINT(0.1, 1.03, 0.2, 0, -30, 0) BALL, BOARD},
        {POINT(0.01, 0.3, 0.99, 0, 0, -30) BALL, PEG},
        {POINT(0.01, 0.02, 1.03, 0, 0, -30) BALL, BEAD},
        {POINT(0, 1.53, 0, 0, -30, 0) BALL, TILTED},
    };
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (passed_of(passing[i][0], passing[i][1], "<DefaultAnimationLoop/>") != 1)
            fail_msg("case %zu: nothing was told", i);
    /* 30 m/s are 0.3 m in a step; contacts are found from 0.02 m on, in 0.02 / 30 s */
    assert_int_equal(passed_of(passing[0][0], SHEET, "<DefaultAnimationLoop/>"), 1);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(
            strstr(line, (const char *const[]){"at 30 m/s", "by 0.3 m", "from 0.02 m", "below 0.00067 s"}[i]));
}

static void what_meets_nothing_is_not(void **state)
{
    (void)state;
    static const char *const quiet[][2] = {
        {POINT(0.1, 1.03, 0.2, 0, 30, 0) BALL, SHEET},  /* away from it */
        {POINT(3.1, 1.03, 0.2, 0, -30, 0) BALL, SHEET}, /* beside it */
        {POINT(0.1, 1.03, 0.2, 30, 0, 0) BALL, SHEET},  /* along it */
        {POINT(-1.5, 1.9, 0, 10, 10, 0) BALL, TILTED},  /* above it, through its box */
        {POINT(0.1, 1.03, 0.99, 0, -30, 0) BALL, PEG},  /* past it */
        {POINT(0.1, 0.3, 0.2, 0, -1, 0) BALL, SHEET},   /* slowly */
        {POINT(0.3, 0.02, 1.03, 0, 0, -30) BALL, BEAD},
    };
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (passed_of(quiet[i][0], quiet[i][1], "<DefaultAnimationLoop/>") != 0)
            fail_msg("case %zu: %s", i, line);
}

/* A body that multipliers stop: 0.1 m in a step, and each contact is found from 0.15 m on. */
static void what_is_stopped_is_not(void **state)
{
    (void)state;
    const char *loop = "<FreeMotionAnimationLoop/><LCPConstraintSolver mu='0' tolerance='1e-9' maxIt='100'/>";
    assert_int_equal(
        passed_of(POINT(0.1, 0.55, 0.2, 0, -10, 0) "<UncoupledConstraintCorrection/>"
                                                   "<SphereCollisionModel radius='0.05' contactDistance='0.13'/>",
                  SHEET, loop),
        0);
}

/* A bar of lines that moves, and a rail of 2 m at rest; each may be the edge of a surface. */
#define BAR(points, mesh, velocity)                                                       \
    "<MeshTopology position='" points "' " mesh "/><MechanicalObject velocity='" velocity \
    "'/><UniformMass totalMass='1'/>"                                                     \
    "<LineCollisionModel/>"
#define RAIL(mesh)                                         \
    "<MeshTopology position='0 0 -1  0 0 1  0 -1 0' " mesh \
    "/><MechanicalObject/><LineCollisionModel moving='0' simulated='0'/>"
#define DOWN2 "0 -20 0 0 -20 0"
#define DOWN3 DOWN2 " 0 -20 0"
#define EDGE  "edges='0 1'"
static const char loop_of_penalties[] = "<DefaultAnimationLoop/>";

static void edges_that_pass_edges_are_told_of(void **state)
{
    (void)state;
    static const struct {
        const char *body, *other;
        uint32_t steps;
    } cases[] = {
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.1", EDGE, DOWN2), RAIL(EDGE), 1},
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.3", EDGE, DOWN2), RAIL(EDGE), 1},
        {BAR("-0.1 0.5 0.1  0.1 0.53 0.1", EDGE, DOWN2), RAIL(EDGE), 1},
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.1  0 0.6 0.1", "triangles='0 1 2'", DOWN3), RAIL(EDGE), 1},
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.1  0 0.6 0.1", "triangles='0 1 2'", DOWN3), RAIL("triangles='0 1 2'"),
         2},                                                                         /* edges of it, 0.9 m apart */
        {BAR("-0.1 0.6 0.1  0.1 0.6 0.1", EDGE, "0 -20 0 0 -30 0"), RAIL(EDGE), 1},  /* it turns */
        {BAR("0.1 0.5 0.1  0.3 0.5 0.1", EDGE, DOWN2), RAIL(EDGE), 0},               /* beside it */
        {BAR("-0.1 0.5 1.1  0.1 0.5 1.1", EDGE, DOWN2), RAIL(EDGE), 0},              /* beyond its end */
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.1", EDGE, "0 20 0 0 20 0"), RAIL(EDGE), 0},    /* away from it */
        {BAR("-0.3 0.01 0.1  -0.1 0.01 0.1", EDGE, "20 0 0 20 0 0"), RAIL(EDGE), 0}, /* over it */
        {BAR("-0.1 0.5 0.1  0.1 0.5 0.1", EDGE, "0 -1 0 0 -1 0"), RAIL(EDGE), 0},    /* slowly */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t passed = passed_by("MinProximityIntersection alarmDistance='0.02' contactDistance='0.005'",
                                          cases[i].body, cases[i].other, loop_of_penalties);
        if (passed != cases[i].steps)
            fail_msg("case %zu: %u steps, %s", i, passed, passed ? line : "");
    }
}

/* Two kinds that a method does not know meet at no speed; and a method of overlaps has no alarm distance. */
static void advice_is_what_helps(void **state)
{
    (void)state;
    static const char method[] = "DiscreteIntersection";
    static const char *const unknown[] = {BALL, "<PointCollisionModel/>"};
    for (int i = 0; i < 2; i++) {
        char body[256];
        snprintf(body, sizeof body, "%s%s", POINT(0.1, 1.03, 0.2, 0, -30, 0), unknown[i]);
        assert_int_equal(passed_by(method, body, SHEET, loop_of_penalties), 0);
    }
    assert_int_equal(passed_by(method, POINT(0.01, 0.02, 1.03, 0, 0, -30) BALL, BEAD, loop_of_penalties), 1);
    assert_null(strstr(line, "alarmDistance"));
    assert_null(strstr(line, "from 0 m"));
    assert_non_null(
        strstr(line, "DiscreteIntersection finds only contacts of bodies that overlap, which 0.3 m leap over"));
    /* the ball is 0.1 m long, the bead 0.04 m: 0.14 m at 30 m/s */
    assert_non_null(strstr(line, "take a dt below 0.0047 s."));
    /* a stick of 1 m is in the sheet for some steps; one of 0.02 m is not */
    assert_int_equal(passed_by(method, BAR("0.1 1.03 0.2  0.1 2.03 0.2", EDGE, DOWN2), SHEET, loop_of_penalties), 0);
    assert_int_equal(passed_by(method, BAR("0.1 1.03 0.2  0.12 1.05 0.2", EDGE, DOWN2), SHEET, loop_of_penalties), 1);
}

/* The same after a reset: counted and told anew. */
static void a_reset_begins_anew(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.02' contactDistance='0.01'/>"
        "<CollisionResponse response='PenalityContactForceField'/><Node name='A'><EulerImplicitSolver/>"
        "<CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>" POINT(0.1, 1.03, 0.2, 0, -30, 0) BALL
        "</Node><Node name='B'>" SHEET "</Node></Node>");
    DvData *passed = dv_object_field(scene_object(scene, "/pipeline"), "passedSteps");
    told = 0;
    dv_log_set_handler(count_warnings, NULL);
    for (int round = 1; round < 3; round++) {
        for (int step = 0; step < 10; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(dv_data_uint(passed), 1);
        assert_int_equal(told, (uint32_t)round);
        dv_scene_reset(scene);
    }
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_is_told_of_once),
        cmocka_unit_test(what_meets_nothing_is_not),
        cmocka_unit_test(edges_that_pass_edges_are_told_of),
        cmocka_unit_test(advice_is_what_helps),
        cmocka_unit_test(what_is_stopped_is_not),
        cmocka_unit_test(a_reset_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
