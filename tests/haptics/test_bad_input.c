/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must never reach a hand: numbers that are none, from the simulation or a device, garbage at 10 kHz, a scene that is begun anew over and over.
 * In each tick the force is finite and within what the device can show.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "bad_device.h"
#include "scene_text.h"

static BadDevice *bad;

static DvScene *load(BadKind kind, const char *more)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.01' gravity='0 0 -1'><FreeMotionAnimationLoop/>"
                "<BlockGaussSeidelConstraintSolver tolerance='1e-8' maxIterations='100'/>"
                "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
                "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.1'/>"
                "<BadDevice name='arm'/>"
                "<Node name='tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
                "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.005 0 0 0 1'/>"
                "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/><LinearSolverConstraintCorrection/>"
                "<VirtualCoupling name='coupling' stiffness='300' rampTime='0' %s/>"
                "<LCPForceFeedback name='feedback' activate='1' physicalForce='1' rampTime='0'/>"
                "<Node name='points'><MechanicalObject position='0.01 0 0 -0.005 0.009 0 -0.005 -0.009 0'/>"
                "<PointCollisionModel/><RigidMapping/></Node></Node>"
                "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"
                "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
                more);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene), DV_OK);
    dv_text_free(&text);
    bad = dv_object_self(scene_object(scene, "/arm"));
    bad->kind = kind;
    return scene;
}

static DvHapticAbout about(DvScene *scene)
{
    DvHapticAbout about;
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_true(haptics->about(scene, 0, &about));
    return about;
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void hush(const DvMessage *message, void *context)
{
    (void)message;
    (void)context;
}

static void a_device_that_tells_no_numbers_is_not_pushed(void **state)
{
    (void)state;
    DvScene *scene = load(NOTHING, "");
    steps(scene, 2);
    assert_true(bad->largest > 0.1); /* it is pushed */
    steps(scene, 20);
    assert_true(about(scene).force[0] == 0 && bad->largest <= PEAK * (1 + 1e-9));
    assert_true(about(scene).missed > 1000);
    dv_scene_free(scene);
}

static void garbage_at_10_kHz_stays_within_limits(void **state)
{
    (void)state;
    DvScene *scene = load(GARBAGE, "");
    for (int i = 0; i < 200; i++) {
        const DvStatus status = dv_scene_step(scene, 0);
        assert_int_equal(status, DV_OK);
    }
    assert_true(bad->written >= 19000 && bad->largest <= PEAK * (1 + 1e-9));
    dv_scene_free(scene);
    scene = load(SOMETIMES_NOTHING, "");
    steps(scene, 50);
    assert_true(bad->largest > 0.1 && bad->largest <= PEAK * (1 + 1e-9));
    assert_true(about(scene).missed > 1500);
    dv_scene_free(scene);
}

static void a_tool_that_is_nowhere_pushes_nothing(void **state)
{
    (void)state;
    dv_log_set_handler(hush, NULL);
    for (int of = 0; of < 2; of++) {
        DvScene *scene = load(STILL, "");
        steps(scene, 5);
        assert_true(bad->largest > 0.1);
        const DvStateRef tool = scene_state(scene, "/tool/state");
        dv_state_write(tool, of ? DV_VELOCITY : DV_POSITION, DV_READ_WRITE).at[0] = NAN;
        unsigned failed = 0;
        for (int i = 0; i < 5; i++)
            failed += dv_scene_step(scene, 0) != DV_OK;
        assert_true(failed > 0 && bad->largest <= PEAK * (1 + 1e-9));
        dv_scene_reset(scene);
        steps(scene, 5);
        assert_true(isfinite(about(scene).force[0]) && bad->largest <= PEAK * (1 + 1e-9));
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
}

static void a_thousand_starts(void **state)
{
    (void)state;
    DvScene *scene = load(STILL, "");
    for (int i = 0; i < 1000; i++) {
        steps(scene, 1);
        dv_scene_reset(scene);
    }
    steps(scene, 5);
    assert_true(bad->largest > 0.1 && bad->largest <= PEAK * (1 + 1e-9));
    dv_scene_free(scene);
    for (int i = 0; i < 20; i++) { /* and loads */
        scene = load(STILL, "");
        steps(scene, 2);
        assert_true(bad->largest <= PEAK * (1 + 1e-9));
        dv_scene_free(scene);
    }
}

/* What touches goes and comes while it pushes. */
static void parts_of_the_tool_go(void **state)
{
    (void)state;
    dv_log_set_handler(hush, NULL);
    DvScene *scene = load(STILL, "");
    steps(scene, 10);
    dv_node_remove(dv_object_as_node(scene_object(scene, "/tool/points")));
    steps(scene, 5);
    dv_object_remove(scene_object(scene, "/tool/feedback"));
    steps(scene, 5);
    assert_true(isfinite(about(scene).force[0]) && bad->largest <= PEAK * (1 + 1e-9));
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
}

static unsigned told;

static void count_lines(const DvMessage *message, void *context)
{
    (void)context;
    told += strstr(message->text, "a law of a third party") != NULL;
}

/* Moments and checkpoints cannot hold it: that is said once, and a run that goes on from one shows no force until its first step has ended. */
static void a_law_of_a_third_party_is_not_remembered(void **state)
{
    (void)state;
    char file[] = P_tmpdir "/divan-law-XXXXXX";
    const int made = mkstemp(file);
    assert_true(made >= 0);
    close(made);
    told = 0;
    dv_log_set_handler(count_lines, NULL);
    DvScene *scene = load(STILL, "activate='0'/><BadBrake");
    DvMoment *moment = dv_moment_new(scene);
    steps(scene, 12);
    assert_true(about(scene).force[0] != 0 || about(scene).force[2] != 0);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    assert_int_equal(dv_checkpoint_write(scene, file), DV_OK);
    for (int run = 0; run < 2; run++) {
        steps(scene, 5);
        assert_true(hypot(about(scene).force[0], about(scene).force[2]) > 0 && bad->largest <= PEAK * (1 + 1e-9));
        assert_int_equal(dv_moment_restore(moment), DV_OK);
    }
    dv_moment_free(moment);
    dv_scene_free(scene);
    assert_int_equal(told, 1);
    scene = load(STILL, "activate='0'/><BadBrake"); /* no slot is there yet */
    assert_int_equal(dv_checkpoint_read(scene, file), DV_OK);
    steps(scene, 5);
    assert_true(hypot(about(scene).force[0], about(scene).force[2]) > 0 && bad->largest <= PEAK * (1 + 1e-9));
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    (void)unlink(file);
}

static int begin(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){BAD_DEVICE, NULL}}) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_tells_no_numbers_is_not_pushed),
        cmocka_unit_test(garbage_at_10_kHz_stays_within_limits),
        cmocka_unit_test(a_tool_that_is_nowhere_pushes_nothing),
        cmocka_unit_test(a_thousand_starts),
        cmocka_unit_test(parts_of_the_tool_go),
        cmocka_unit_test(a_law_of_a_third_party_is_not_remembered),
    };
    return cmocka_run_group_tests(tests, begin, stop_plugins);
}
