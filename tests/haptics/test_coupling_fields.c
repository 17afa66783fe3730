/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling: what its fields say of contacts and of states between steps, and what poses that cannot be believed do to the force, tick by tick.
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
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

/* A tool beside a floor at z = 0, which it is near to below 0.02 and touches below 0.001. */
static DvScene *load(const char *device, const char *coupling, const char *tool)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/>"
        "<BruteForceBroadPhase/><BVHNarrowPhase/><LocalMinDistance alarmDistance='0.02' "
        "contactDistance='0.001'/><CollisionResponse response='PenalityContactForceField'/>"
        "<SimulatedHapticDevice name='arm' resolution='0' filename='way.txt' maxForce='0' %s/>"
        "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.1 0 0 0 1'/>"
        "<UniformMass vertexMass='0.1 1e-3 1 0 0 0 1 0 0 0 1'/>%s"
        "<VirtualCoupling name='coupling' stiffness='100' damping='0' stallTime='1' "
        "passivity='off' %s/><Node name='points'><MechanicalObject position='0.02 0.03 0'/><PointCollisionModel/>"
        "<RigidMapping/></Node></Node>"
        "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"
        "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
        device, tool, coupling);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

static const char fixed[] = "<FixedProjectiveConstraint indices='0'/>", far[] = "workspace='0 0 0 0 0 0'";

/* Forces along x of the ticks of some steps. */
static size_t forces(DvScene *scene, int steps, double *force, size_t capacity)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    FILE *log = fopen(in_folder("log.csv"), "w+");
    assert_non_null(log);
    assert_int_equal(haptics->set_log(scene, log), DV_OK);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(haptics->set_log(scene, NULL), DV_OK);
    rewind(log);
    char line[1024];
    size_t count = 0;
    while (fgets(line, sizeof line, log) && count < capacity) {
        char *at = strchr(line, ',');
        double n[16];
        if (strncmp(line, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        force[count++] = n[10];
    }
    fclose(log);
    return count;
}

static void put_tool(DvScene *scene, double z)
{
    dv_state_write(scene_state(scene, "/tool/state"), DV_POSITION, DV_READ_WRITE).at[2] = z;
}

/* At v, the tool ends a step where the device was at its begin. A tick sees it as it was then, v T to 2 v T ago; moved on, always v T ago. */
static void between_steps_a_tool_moves_on(void **state)
{
    (void)state;
    double f[200];
    write_file("way.txt", "0 0 0 0\n10 0.5 0 0\n");
    for (int moves = 0; moves < 2; moves++) {
        DvScene *scene = load(far, moves ? "rampTime='0' extrapolate='velocity'" : "rampTime='0'", "");
        (void)forces(scene, 300, f, 200);
        const size_t count = forces(scene, 10, f, 200);
        double least = 0, most = -1e9;
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, f[i]);
            most = fmax(most, f[i]);
        }
        const double unit = 100 * 0.05 * 0.01; /* K v T */
        assert_true(count == 100 && fabs(most + unit) < 1e-3 * unit);
        assert_true(fabs(least + (moves ? 1.0 : 1.9) * unit) < 1e-3 * unit);
        dv_scene_free(scene);
    }
}

/* In contact the force comes within contactFade, and goes so when contact ends; 100 N/m at 0.01 m. */
static void contact_lets_the_force_come_and_go(void **state)
{
    (void)state;
    double f[400];
    static const double fades[] = {0.005, 0.02, 0};
    for (int i = 0; i < 3; i++) {
        char coupling[100];
        snprintf(coupling, sizeof coupling, "rampTime='0' cancelOutOfContact='1' contactFade='%g'", fades[i]);
        write_file("way.txt", "0 0.01 0 0.1\n");
        DvScene *scene = load(far, coupling, fixed);
        size_t count = forces(scene, 5, f, 400);
        for (size_t k = 0; k < count; k++)
            assert_true(f[k] == 0);
        put_tool(scene, 0.01); /* near alone is no contact */
        count = forces(scene, 5, f, 400);
        for (size_t k = 0; k < count; k++)
            assert_true(f[k] == 0);
        put_tool(scene, 0.0005);
        DvData *contact = dv_object_field(scene_object(scene, "/tool/coupling"), "contact");
        for (int way = 0; way < 2; way++) {
            count = forces(scene, 6, f, 400);
            assert_int_equal(count, 60);
            size_t first = 0;
            const double before = way ? -1 : 0;
            while (first < count && fabs(f[first] - before) < 1e-12)
                first++;
            if (!(first > 5 && first < 25))
                fail_msg("way %d, fade %g: the force changes in tick %zu", way, fades[i], first);
            for (size_t k = first; k < count; k++) {
                const double share = fades[i] > 0 ? fmin(1, (double)(k - first + 1) * 0.001 / fades[i]) : 1;
                assert_true(fabs(f[k] + (way ? 1 - share : share)) < 1e-9);
            }
            assert_true(dv_data_bool(contact) == (way == 0));
            put_tool(scene, 0.1);
        }
        dv_scene_free(scene);
    }
}

/* Outside its workspace a device is not pushed: the force fades tick by tick, and comes back by the ramp. */
static void outside_the_workspace_the_force_fades(void **state)
{
    (void)state;
    double f[400];
    write_file("way.txt", "0 0.01 0 0\n0.1 0.01 0 0\n0.1005 0.011 0 0\n0.2 0.011 0 0\n0.2005 0.01 0 0\n1 0.01 0 0\n");
    DvScene *scene = load("workspace='-0.0105 -1 -1 0.0105 1 1'", "rampTime='0.1' fadeTime='0.05'", fixed);
    const size_t count = forces(scene, 35, f, 400);
    assert_true(count >= 350);
    for (size_t k = 0; k < count; k++) {
        const double x = k > 100 && k <= 200 ? 0.011 : 0.01, t = (double)k;
        const double gain = k <= 100   ? fmin(1, 0.01 * t)
                            : k <= 200 ? fmax(0, 1 - 0.02 * (t - 100))
                                       : fmin(1, 0.01 * (t - 200));
        if (fabs(f[k] + 100 * x * gain) > 1e-9)
            fail_msg("tick %zu: %g N instead of %g", k, f[k], -100 * x * gain);
    }
    dv_scene_free(scene);
}

/* 6 m/s is no hand, 4.9 m/s is one. */
static void a_pose_that_leaps_is_no_pose(void **state)
{
    (void)state;
    double f[400];
    static const double speeds[] = {4.9, 6};
    for (int i = 0; i < 2; i++) {
        char way[100];
        const double to = 0.01 + 0.001 * speeds[i];
        snprintf(way, sizeof way, "0 0.01 0 0\n0.05 0.01 0 0\n0.051 %.17g 0 0\n", to);
        write_file("way.txt", way);
        DvScene *scene = load(far, "rampTime='0' fadeTime='0.05'", fixed);
        const size_t count = forces(scene, 10, f, 400);
        assert_int_equal(count, 100);
        for (size_t k = 0; k < count; k++) /* in one tick a fiftieth goes */
            assert_true(fabs(f[k] + 100 * (k > 50 ? to : 0.01) *
                                        (i == 1 && k == 51 ? 0.98
                                         : k == 0          ? -f[0]
                                                           : 1)) < 1e-9);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_steps_a_tool_moves_on),
        cmocka_unit_test(contact_lets_the_force_come_and_go),
        cmocka_unit_test(outside_the_workspace_the_force_fades),
        cmocka_unit_test(a_pose_that_leaps_is_no_pose),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
