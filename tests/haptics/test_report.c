/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of a run: way, time and forces of each tool against those of the states and the log, energies, and periods by the clock.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

static const DvHapticsOps *service(void)
{
    return dv_service(DV_HAPTICS);
}

#define TOOL(node, x, device, more)                                                                              \
    "<Node name='" node "'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>" \
    "<MechanicalObject name='state' template='Rigid3d' position='" x " 0 0.005 0 0 0 1'/>"                       \
    "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/>" more                                       \
    "<VirtualCoupling name='coupling' device='" device                                                           \
    "' stiffness='200' rampTime='0.02' toolOffset='0.01 0 0 0 0 0 1'/></Node>"

static DvScene *load(void)
{
    static const char text[] =
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<SimulatedHapticDevice name='left' motion='hand' filename='way.txt'/>"
        "<SimulatedHapticDevice name='right' rate='500' forceScale='2' scale='3' filename='way.txt'/>" TOOL(
            "a", "0", "@/left", "") TOOL("b", "1", "@/right", "") "</Node>";
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene), DV_OK);
    return scene;
}

typedef struct Sum {
    double force, peak;
    unsigned count;
} Sum;

static Sum sum_log(const char *device)
{
    FILE *log = fopen(in_folder("log.csv"), "r");
    Sum sum = {0};
    char line[1024];
    assert_non_null(log);
    while (fgets(line, sizeof line, log)) {
        double n[16];
        char *at = strchr(line, ',');
        if (strncmp(line, device, strlen(device)) != 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        const double force = sqrt(n[10] * n[10] + n[11] * n[11] + n[12] * n[12]);
        sum.force += force;
        sum.peak = fmax(sum.peak, force);
        sum.count++;
    }
    fclose(log);
    return sum;
}

static void where(DvScene *scene, int tool, double at[3])
{
    const DvConstVec x = dv_state_read(scene_state(scene, tool ? "/b/state" : "/a/state"), DV_POSITION);
    const double *q = x.at + 3; /* offset 0.01 along the body's x */
    at[0] = x.at[0] + 0.01 * (1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    at[1] = x.at[1] + 0.01 * 2 * (q[0] * q[1] + q[2] * q[3]);
    at[2] = x.at[2] + 0.01 * 2 * (q[0] * q[2] - q[1] * q[3]);
}

/* A moment takes the scores with it, in virtual time and by the clock, and a reset leaves none. */
static void scores_go_on_from_a_moment(void **state)
{
    (void)state;
    for (int by_clock = 0; by_clock < 2; by_clock++) {
        DvScene *scene = load();
        DvHapticTool then[2], now;
        assert_int_equal(service()->run_by_clock(scene, by_clock), DV_OK);
        DvMoment *moment = dv_moment_new(scene);
        double peak[2] = {0}; /* that has been there when the last step ended: by the clock ticks go on */
        for (int i = 0; i < 20; i++) {
            for (uint32_t t = 0; t < 2 && i > 0; t++) {
                assert_true(service()->tool(scene, t, 0, &now));
                peak[t] = now.peak_force;
            }
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        }
        assert_int_equal(dv_moment_take(moment), DV_OK);
        for (uint32_t t = 0; t < 2; t++)
            assert_true(service()->tool(scene, t, 0, &then[t]));
        for (int i = 0; i < 20; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        for (uint32_t t = 0; t < 2; t++) {
            assert_true(service()->tool(scene, t, 0, &now));
            assert_true(fabs(now.time - 0.21) < 1e-12);
            assert_true(now.path >= then[t].path && now.path <= then[t].path + now.longest_step + 1e-15);
            assert_true(now.peak_force >= peak[t] && now.longest_step >= then[t].longest_step);
        }
        dv_scene_reset(scene);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_true(service()->tool(scene, 0, 0, &now) && fabs(now.time - 0.01) < 1e-12 && now.path == 0);
        dv_moment_free(moment);
        dv_scene_free(scene);
    }
}

static void each_tool_has_its_score(void **state)
{
    (void)state;
    DvScene *scene = load();
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_non_null(log);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    double path[2] = {0}, longest[2] = {0}, last[2][3] = {{0}};
    for (int i = 0; i < 80; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        for (int t = 0; t < 2; t++) {
            double at[3];
            where(scene, t, at);
            const double way =
                sqrt(pow(at[0] - last[t][0], 2) + pow(at[1] - last[t][1], 2) + pow(at[2] - last[t][2], 2));
            path[t] += i ? way : 0;
            longest[t] = i ? fmax(longest[t], way) : 0;
            memcpy(last[t], at, sizeof at);
        }
    }
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    for (uint32_t t = 0; t < 2; t++) {
        DvHapticTool tool;
        assert_true(service()->tool(scene, t, 0, &tool));
        assert_false(service()->tool(scene, t, 1, &(DvHapticTool){0}));
        assert_string_equal(dv_object_path(tool.state), t ? "/b/state" : "/a/state");
        assert_string_equal(dv_object_path(tool.object), t ? "/b/coupling" : "/a/coupling");
        assert_true(path[t] > 0.01 && fabs(tool.path - path[t]) < 1e-12 * path[t]);
        assert_true(fabs(tool.longest_step - longest[t]) < 1e-12);
        assert_true(fabs(tool.time - 0.8) < 1e-12);
        const Sum sum = sum_log(t ? "right" : "left");
        assert_int_equal(sum.count, t ? 400 : 800);
        const double scale = t ? 2 : 1; /* newtons of the device for those of the scene */
        assert_true(sum.force > 1 && fabs(scale * tool.mean_force * sum.count - sum.force) < 1e-9 * sum.force);
        assert_true(fabs(scale * tool.peak_force - sum.peak) < 1e-9 * sum.peak);
        DvObject *coupling = tool.object;
        assert_true(tool.energy_in == dv_data_double(dv_object_field(coupling, "energyIn")) && tool.energy_in != 0);
        assert_true(tool.energy_stored == dv_data_double(dv_object_field(coupling, "energyStored")));
        assert_true(tool.energy_removed == dv_data_double(dv_object_field(coupling, "energyRemoved")));
        assert_true(tool.energy_deficit == dv_data_double(dv_object_field(coupling, "energyDeficit")));
        DvHapticAbout about;
        assert_true(service()->about(scene, t, &about));
        assert_true(about.period[3] == 0 && about.bare[3] == 0); /* virtual time */
    }
    assert_false(service()->tool(scene, 2, 0, &(DvHapticTool){0}));
    dv_scene_free(scene);
}

/* Put back and made once more; and begun anew. */
static void scores_go_with_the_run(void **state)
{
    (void)state;
    DvScene *scene = load();
    DvMoment *moment = dv_moment_new(scene);
    DvHapticTool tool[3];
    for (int i = 0; i < 30; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 30; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_true(service()->tool(scene, 0, 0, &tool[run]));
        assert_int_equal(dv_moment_restore(moment), DV_OK);
    }
    assert_memory_equal(&tool[0], &tool[1], sizeof tool[0]);
    dv_scene_reset(scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(service()->tool(scene, 0, 0, &tool[2]) && tool[2].path == 0 && tool[2].time == 0.01);
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static void periods_are_counted_by_the_clock(void **state)
{
    (void)state;
    DvScene *scene = load();
    DvHapticAbout about = {0};
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    assert_int_equal(service()->compare(scene, true), DV_OK);
    for (int i = 0; i < 300 && (about.ticks < 100 || about.bare[3] == 0); i++) {
        const struct timespec pause = {0, 5000000};
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        (void)nanosleep(&pause, NULL);
        assert_true(service()->about(scene, 0, &about));
    }
    const double *periods[] = {about.period, about.bare};
    for (int k = 0; k < 2; k++) {
        assert_true(periods[k][0] > 1e-6 && periods[k][0] < 1);
        for (int i = 1; i < 4; i++)
            assert_true(periods[k][i] >= periods[k][i - 1]);
    }
    assert_int_equal(service()->compare(scene, false), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(service()->run_by_clock(scene, false), DV_OK);
    dv_scene_free(scene);
}

static int begin_with_way(void **state)
{
    const int status = begin(state);
    write_file("way.txt", "0 0 0 0.005\n0.1 0 0.003 0.002\n0.5 0.015 0 -0.003\n");
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tool_has_its_score),
        cmocka_unit_test(scores_go_on_from_a_moment),
        cmocka_unit_test(scores_go_with_the_run),
        cmocka_unit_test(periods_are_counted_by_the_clock),
    };
    return cmocka_run_group_tests(tests, begin_with_way, end);
}
