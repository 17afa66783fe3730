/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LCPForceFeedback on one value that a stop holds, whose force has a closed form: a tool of mass m is moved by F T^2 / m in a step, so that a stop at x_0
 * pushes a device at x by  m (x_0 - x) / T^2.  Ramps, fades, limits, what stops all forces, and what passivity sees of such a spring.
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

static const double stop = 0.03, step_time = 0.01; /* m, s */
static double mass = 0.002;                        /* kg: a spring of 20 N/m */

static const DvHapticsOps *service(void)
{
    return dv_service(DV_HAPTICS);
}

static DvScene *load(const char *way, const char *device, const char *loop, const char *feedback)
{
    char text[2000];
    FILE *file = fopen(in_folder("way.txt"), "w");
    assert_non_null(file);
    fputs(way, file);
    fclose(file);
    snprintf(text, sizeof text,
             "<Node name='root' dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop %s/>"
             "<BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='100'/>"
             "<SimulatedHapticDevice name='arm' resolution='0' workspace='0 0 0 0 0 0' filename='way.txt' %s %s/>"
             "<Node name='tool'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
             "<CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-30'/>"
             "<MechanicalObject name='state' template='Vec1d' position='0.01'/><UniformMass vertexMass='%.17g'/>"
             "<LinearSolverConstraintCorrection/><StopperLagrangianConstraint index='0' min='-0.02' max='%.17g'/>"
             "<LCPForceFeedback name='feedback' physicalForce='1' activate='1' passivity='off' %s %s/>"
             "</Node></Node>",
             step_time, loop, device, strstr(device, "maxForce") ? "" : "maxForce='0'", mass, stop, feedback,
             strstr(feedback, "rampTime") ? "" : "rampTime='0'");
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene), DV_OK);
    return scene;
}

/* Where the device is at x, in newtons. */
static double law(double x)
{
    const double k = mass / (step_time * step_time);
    return x > stop ? k * (stop - x) : x < -0.02 ? k * (-0.02 - x) : 0;
}

typedef struct Line {
    double time, x, force;
} Line;

/* Ticks of some steps. Nothing is felt across x, and no torque. */
static size_t ticks(DvScene *scene, int steps, double dt, Line *lines, size_t capacity)
{
    FILE *log = fopen(in_folder("log.csv"), "w+");
    assert_non_null(log);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, dt), DV_OK);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    rewind(log);
    char text[1024];
    size_t count = 0;
    while (fgets(text, sizeof text, log) && count < capacity) {
        double n[16];
        char *at = strchr(text, ',');
        if (strncmp(text, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        assert_true(n[11] == 0 && n[12] == 0 && n[13] == 0 && n[14] == 0 && n[15] == 0);
        lines[count++] = (Line){n[1], n[2], n[10]};
    }
    fclose(log);
    return count;
}

static Line lines[4000];

static void is(size_t l, double force)
{
    if (fabs(lines[l].force - force) > 1e-9)
        fail_msg("tick %zu, %g s, at %g m: %g N instead of %g", l, lines[l].time, lines[l].x, lines[l].force, force);
}

/* Up to both stops and beyond, by positions and by velocities. */
static void a_stop_of_one_value_is_felt(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        DvScene *scene = load("0 0.01 0.3 -0.2\n0.3 0.07 0 0 0 0.6 0 0.8\n0.9 -0.06 0.1 0\n", "",
                              order ? "solveVelocityConstraintFirst='1'" : "", "");
        const size_t count = ticks(scene, 85, 0, lines, 2000);
        double least = 0, most = 0;
        assert_true(count >= 850);
        for (size_t l = 10; l < count; l++) {
            is(l, law(lines[l].x));
            least = fmin(least, lines[l].force);
            most = fmax(most, lines[l].force);
        }
        assert_true(least < -0.7 && most > 0.4);
        dv_scene_free(scene);
    }
}

/* The force comes by the ramp from the first tick on, and goes within fadeTime when all forces are stopped, when it is given up, and while a clutch is held. */
static void the_force_comes_and_goes(void **state)
{
    (void)state;
    const double whole = law(0.08);
    DvScene *scene = load("0 0.08 0 0\n", "", "", "rampTime='0.2' fadeTime='0.04'");
    size_t count = ticks(scene, 40, 0, lines, 2000);
    for (size_t l = 10; l < count; l++)
        is(l, whole * fmin(1, lines[l].time / 0.2));
    /* What is stored then has been put in by the ramp, but for what was there when the first problem came: nine ticks of 200 late, it came from nowhere. */
    DvHapticTool tool;
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(service()->tool(scene, 0, 0, &tool));
    const double all = -0.5 * whole * (0.08 - stop);
    assert_true(fabs(tool.energy_stored - all) < 1e-12 && fabs(tool.energy_deficit - 9 * all / 200) < 1e-12);
    service()->stop_forces(scene, true);
    count = ticks(scene, 10, 0, lines, 2000);
    for (size_t l = 0; l < count; l++)
        is(l, whole * fmax(0, 1 - (double)(l + 1) / 40));
    service()->stop_forces(scene, false);
    count = ticks(scene, 30, 0, lines, 2000);
    for (size_t l = 0; l < count; l++)
        is(l, whole * fmin(1, (double)(l + 1) / 200));
    dv_scene_free(scene);
    scene =
        load("0 0.08 0 0\n0.2 0.08 0 0 1\n0.3 0.08 0 0 0\n", "clutchButton='0'", "", "fadeTime='0.04' rampTime='0.05'");
    count = ticks(scene, 40, 0, lines, 2000);
    for (size_t l = 100; l < count; l++) {
        const double t = 1e-3 * (double)l;
        is(l, whole * (t < 0.1995 ? 1 : t < 0.2995 ? fmax(0, 1 - (t - 0.199) / 0.04) : fmin(1, (t - 0.299) / 0.05)));
    }
    dv_scene_free(scene);
}

/* A step that does not come: from `stallTime` behind the end of the step that was seen last, over `fadeTime`. */
static void a_late_step_lets_the_force_fade(void **state)
{
    (void)state;
    const double whole = law(0.08);
    DvScene *scene = load("0 0.08 0 0\n", "", "", "stallTime='0.0505' fadeTime='0.02' rampTime='0.03'");
    size_t count = ticks(scene, 10, 0, lines, 2000);
    is(count - 1, whole);
    count =
        ticks(scene, 1, 0.2, lines, 2000); /* one step of 0.2 s, its ticks see the state from 0.1 s on until its end */
    assert_int_equal(count, 200);
    for (size_t l = 0; l < count; l++)
        is(l, whole * fmax(0, fmin(1, 1 - ((double)l - 60) / 20)));
    count = ticks(scene, 10, 0, lines, 2000);
    for (size_t l = 0; l < count; l++)
        if (l >= 10) /* its own mass over the long step, at first */
            is(l, whole * fmin(1, (double)(l + 1) / 30));
    dv_scene_free(scene);
}

/* Of the field, of the device, by a factor between them; what was cut is counted. */
static void limits_hold(void **state)
{
    (void)state;
    static const struct {
        const char *device, *feedback;
        double most, factor;
    } cases[] = {{"", "maxForce='0.3'", 0.3, 1},
                 {"maxForce='0.4' continuousForce='0.1'", "", 0.4, 1},
                 {"maxForce='0.4' continuousForce='0.1' forceScale='0.5'", "", 0.8, 0.5},
                 {"", "forceCoef='0.25'", INFINITY, 0.25},
                 {"", "maxForce='0'", INFINITY, 1},
                 {"forceScale='3'", "", INFINITY, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvScene *scene = load("0 0.08 0 0\n0.2 0.02 0 0\n0.4 -0.07 0 0\n", cases[i].device, "", cases[i].feedback);
        const size_t count = ticks(scene, 40, 0, lines, 2000);
        unsigned cut = 0;
        for (size_t l = 10; l < count; l++) {
            const double whole = law(lines[l].x);
            is(l, cases[i].factor * copysign(fmin(fabs(whole), cases[i].most), whole));
            cut += fabs(whole) > cases[i].most;
        }
        DvHapticAbout about;
        assert_true(service()->about(scene, 0, &about));
        if (about.clamped != cut)
            fail_msg("case %zu: %u ticks were cut, not %u", i, (unsigned)about.clamped, cut);
        assert_int_equal(cut > 20, isfinite(cases[i].most));
        dv_scene_free(scene);
    }
}

/* What is not active shows nothing, and begins and ends by ramp and fade when that is changed. */
static void it_can_be_switched(void **state)
{
    (void)state;
    DvScene *scene = load("0 0.08 0 0\n", "", "", "rampTime='0.05' fadeTime='0.02'");
    DvData *active = dv_object_field(scene_object(scene, "/tool/feedback"), "activate");
    dv_data_set_bool(active, false);
    size_t count = ticks(scene, 10, 0, lines, 2000);
    for (size_t l = 0; l < count; l++)
        assert_true(lines[l].force == 0);
    dv_data_set_bool(active, true);
    (void)ticks(scene, 2, 0, lines, 2000);
    count = ticks(scene, 20, 0, lines, 2000);
    is(count - 1, law(0.08));
    dv_data_set_bool(active, false);
    (void)ticks(scene, 2, 0, lines, 2000);
    count = ticks(scene, 5, 0, lines, 2000);
    for (size_t l = 0; l < count; l++)
        assert_true(lines[l].force == 0);
    dv_scene_free(scene);
}

/* Between steps a stop is a spring: passivity finds nothing that comes from nowhere, and takes nothing away. */
static void a_stop_is_a_spring_to_passivity(void **state)
{
    (void)state;
    static Line freely[2000];
    for (int order = 0; order < 2; order++) {
        size_t count[2];
        DvHapticTool tool;
        for (int control = 0; control < 2; control++) {
            DvScene *scene = load("0 0.02 0 0\n0.03 0.02 0 0\n0.1 0.08 0 0\n0.2 0.02 0 0\n0.3 -0.07 0 0\n0.4 0 0 0\n",
                                  "", order ? "solveVelocityConstraintFirst='1'" : "", "");
            assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/tool/feedback"), "passivity"),
                                              control ? "control" : "off"),
                             DV_OK);
            count[control] = ticks(scene, 41, 0, control ? lines : freely, 2000);
            assert_true(service()->tool(scene, 0, 0, &tool));
            dv_scene_free(scene);
        }
        assert_int_equal(count[0], count[1]);
        /* But for what a sampled spring makes in each tick: k dx^2 / 2, of which the damper takes up to the double from the next. */
        double most = 0;
        for (size_t l = 0; l < count[0]; l++)
            most = fmax(most, fabs(lines[l].force - freely[l].force));
        const double k = mass / (step_time * step_time), way = 0.9e-3; /* of a tick */
        if (most > 2 * k * way)
            fail_msg("order %d: passivity changes the force by %g N", order, most);
        assert_true(tool.energy_deficit < k * way * way);
    }
}

/* Of a hand about the place where the two springs are in balance, until a time: how far it goes. */
static double amplitude(size_t count, double from, double to)
{
    double most = 0;
    for (size_t l = 0; l < count; l++)
        if (lines[l].time >= from && lines[l].time < to)
            most = fmax(most, fabs(lines[l].x - (100 * 0.05 + 200 * stop) / 300));
    return most;
}

/* A hand of 50 g on 100 N/m, pressed against a stop of 200 N/m that is sampled each millisecond: it swings up as exp(K T t / 4 m), unless passivity
 * takes away what comes from nowhere. */
static void a_stop_swings_up_unless_it_is_watched(void **state)
{
    (void)state;
    mass = 0.02;
    for (int watched = 0; watched < 2; watched++) {
        DvScene *scene = load("0 0.0366667 0 0\n0.0095 0.0366667 0 0\n0.0105 0.05 0 0\n",
                              "motion='hand' mass='0.05' handStiffness='100' handDamping='0' friction='0'", "", "");
        assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/tool/feedback"), "passivity"),
                                          watched ? "control" : "off"),
                         DV_OK);
        const size_t count = ticks(scene, 300, 0, lines, 4000);
        const double first = amplitude(count, 0.3, 0.6), last = amplitude(count, 2.7, 3),
                     rate = log(last / first) / 2.4;
        if (watched ? !(last < 1.02 * first) : fabs(rate - 200 * 1e-3 / (4 * 0.05)) > 0.05)
            fail_msg("%s: from %g m to %g m, a rate of %g", watched ? "watched" : "off", first, last, rate);
        dv_scene_free(scene);
    }
    mass = 0.002;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_of_one_value_is_felt),
        cmocka_unit_test(the_force_comes_and_goes),
        cmocka_unit_test(a_late_step_lets_the_force_fade),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(it_can_be_switched),
        cmocka_unit_test(a_stop_is_a_spring_to_passivity),
        cmocka_unit_test(a_stop_swings_up_unless_it_is_watched),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
