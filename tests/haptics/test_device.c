/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimulatedHapticDevice: where the file says, to the last bit; a hand by its closed form, whatever the ticks; friction that stops it where it must;
 * a log replayed to the same bits; the schedule of ticks.
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
#include <divan/input.h>
#include <divan/plugin.h>

#include "folder.h"
#include "haptic_device_conformance.h"
#include "scene_text.h"

static DvScene *load(double dt, const char *attributes)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<SimulatedHapticDevice name='arm' %s/><MechanicalObject name='place' template='Rigid3d' "
                "position='@arm.positionDevice'/></Node>",
                dt, attributes);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static const DvHapticsOps *service(void)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    assert_non_null(haptics);
    return haptics;
}

static DvHapticAbout about(DvScene *scene)
{
    DvHapticAbout about;
    assert_int_equal(service()->count(scene), 1);
    assert_true(service()->about(scene, 0, &about));
    return about;
}

static void it_conforms_however_it_is_moved(void **state)
{
    (void)state;
    write_file("way.txt", "# time x y z\n0 0 0 0\n0.05 0.01 0 0 1\n0.1 0.01 0.02 0 0 0 0.6 0.8 2\n");
    static const char *const ways[] = {"filename='way.txt'", "motion='hand' filename='way.txt'", "motion='hand'",
                                       "motion='mouse'",
                                       "motion='hand' filename='way.txt' drivenAxes='6' friction='0'"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        DvScene *scene = load(0.01, ways[i]);
        haptic_device_conforms(scene_object(scene, "/arm"));
        dv_scene_free(scene);
    }
}

static void it_is_where_the_file_says(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n1 0.05 0 0\n2 0.05 0.03 0 0 0 1 0 2\n");
    /* base + R (p scale): R turns by a quarter about z, x becomes y */
    DvScene *scene = load(0.25, "filename='way.txt' resolution='0' positionBase='1 2 3' scale='10' "
                                "orientationBase='0 0 0.70710678118654757 0.70710678118654757'");
    for (int i = 0; i < 8; i++) { /* step i takes the pose of t = i / 4 */
        steps(scene, 1);
        const double t = 0.25 * i, x = t < 1 ? 0.05 * t : 0.05, y = t < 1 ? 0 : 0.03 * (t - 1);
        const DvConstVec p = dv_state_read(scene_state(scene, "/place"), DV_POSITION);
        assert_true(fabs(p.at[0] - (1 - 10 * y)) < 1e-14);
        assert_true(fabs(p.at[1] - (2 + 10 * x)) < 1e-14);
        assert_true(fabs(p.at[2] - 3) < 1e-14);
        const double half =
            t < 1 ? 0 : 0.5 * acos(-1) * (t - 1); /* half a turn about z within a second, after that of the base */
        assert_true(fabs(p.at[5] - sin(half + acos(-1) / 4)) < 1e-12);
    }
    steps(scene, 1);
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/arm"), "buttons")), 2);
    assert_true(dv_data_bool(dv_object_field(scene_object(scene, "/arm"), "button2")));
    dv_scene_free(scene);
}

static void encoders_round(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.0001 0 0\n");
    DvScene *scene = load(0.01, "filename='way.txt'");
    steps(scene, 2);
    assert_true(dv_state_read(scene_state(scene, "/place"), DV_POSITION).at[0] == 2 * 5.5e-5);
    dv_scene_free(scene);
}

/* The device itself, ticks of any length: where it is after `time`. */
static DvHapticPose after(DvScene *scene, double time, int ticks, const double force[3])
{
    DvObject *arm = scene_object(scene, "/arm");
    const DvHapticDeviceOps *ops = dv_object_ops(arm, DV_HAPTIC_DEVICE);
    DvHapticPose pose = {0};
    DvHapticForce push = {{force[0], force[1], force[2]}, {0, 0, 0}};
    assert_int_equal(ops->start(dv_object_self(arm), NULL, NULL), DV_OK);
    for (int i = 0; i <= ticks; i++) {
        assert_true(ops->read(dv_object_self(arm), time * i / ticks, &pose));
        assert_true(ops->write(dv_object_self(arm), time * i / ticks, &push));
    }
    ops->stop(dv_object_self(arm));
    return pose;
}

static void a_hand_moves_by_its_closed_form(void **state)
{
    (void)state;
    const double m = 0.2, force[3] = {0.7, 0, 0}, v0 = 0.03;
    /* Over-damped, critical, under-damped, without spring, without anything; on either side of critical, where ticks are short. */
    for (int kind = 0; kind < 7; kind++) {
        static const double springs[] = {50, 80, 300, 0, 0, 80.0002, 79.9998}, dampers[] = {20, 8, 1.5, 2, 0, 8, 8};
        const double k = springs[kind], c = dampers[kind];
        char text[300];
        snprintf(text, sizeof text,
                 "motion='hand' resolution='0' friction='0' mass='%g' handStiffness='%g' handDamping='%g' "
                 "startVelocity='%g 0 0'",
                 m, k, c, v0);
        DvScene *scene = load(0.01, text);
        static const int ticks[] = {1, 7, 1000};
        /* Independent of the closed form of the device: Taylor series of the exponential of [0 1; -k/m -c/m] and the force. */
        const double t = 0.137, a = k / m, b = c / m, f = force[0] / m;
        double y = 0, w = 0, dy = 0, dw = v0; /* derivatives of order n times t^n / n! */
        y += dy, w += dw;
        double ty = dw * t, tw = (f - b * dw - a * dy) * t;
        for (int n = 2; n < 120; n++) {
            y += ty, w += tw;
            const double ny = tw * t / n, nw = (-a * ty - b * tw) * t / n;
            ty = ny, tw = nw;
        }
        for (int i = 0; i < 3; i++)
            assert_true(fabs(after(scene, t, ticks[i], force).position[0] - y) < 1e-12);
        dv_scene_free(scene);
    }
}

static void dry_friction_stops_it_where_its_work_is_spent(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, weak[3] = {0.2, 0, 0}, strong[3] = {0.36, 0, 0};
    DvScene *scene =
        load(0.01, "motion='hand' resolution='0' friction='0.26' mass='0.05' handStiffness='0' handDamping='0' "
                   "startVelocity='0.3 0 0'");
    /* m v^2 / 2 = r s */
    for (int ticks = 1; ticks < 200; ticks *= 9)
        assert_true(fabs(after(scene, 0.2, ticks, none).position[0] - 0.05 * 0.09 / 2 / 0.26) < 1e-12);
    dv_scene_free(scene);
    scene = load(0.01, "motion='hand' resolution='0' friction='0.26' mass='0.05' handStiffness='0' handDamping='0'");
    assert_true(after(scene, 0.2, 50, weak).position[0] == 0);
    /* The force is there from the first tick on: (f - r) t^2 / 2 m */
    assert_true(fabs(after(scene, 0.2, 50, strong).position[0] - 0.1 / 0.05 * 0.02) < 1e-12);
    dv_scene_free(scene);
    /* A spring pulls it loose when the way has gone r / k, and it follows from there on. */
    write_file("way.txt", "0 0 0 0\n1 0.01 0 0\n");
    scene = load(0.01,
                 "motion='hand' filename='way.txt' resolution='0' friction='0.26' handStiffness='100' handDamping='0'");
    assert_true(after(scene, 0.2599, 7, none).position[0] == 0);
    assert_true(after(scene, 0.27, 7, none).position[0] > 0);
    dv_scene_free(scene);
}

static void ticks_follow_the_schedule(void **state)
{
    (void)state;
    DvScene *scene = load(0.01, "motion='hand'");
    steps(scene, 100); /* the tick at the end of the last belongs to the next */
    assert_int_equal(about(scene).ticks, 1000);
    assert_int_equal(about(scene).missed, 0);
    dv_scene_reset(scene);
    const DvHapticSchedule lossy = {.rate = 500, .jitter = 0.9, .lost = 0.2, .seed = 7};
    assert_int_equal(service()->set_schedule(scene, &lossy), DV_OK);
    steps(scene, 400);
    const DvHapticAbout first = about(scene);
    assert_int_equal(first.ticks + first.missed, 2000);
    assert_true(first.missed > 340 && first.missed < 460);
    dv_scene_reset(scene);
    steps(scene, 400);
    const DvHapticAbout second = about(scene);
    assert_int_equal(first.ticks, second.ticks);
    assert_true(first.path == second.path && first.time == second.time);
    dv_scene_free(scene);
}

static void hush(const DvMessage *message, void *context)
{
    unsigned *errors = context;
    *errors += message->level == DV_LEVEL_ERROR && strstr(message->text, "a schedule of ticks: rate");
}

/* Each number beyond its range by itself; and the last that are within. */
static void a_schedule_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const DvHapticSchedule bad[] = {{.rate = -1},      {.rate = 1.1e6},  {.rate = NAN},    {.latency = -0.1},
                                           {.latency = 1001}, {.latency = NAN}, {.jitter = -0.1}, {.jitter = 1},
                                           {.jitter = NAN},   {.lost = -0.1},   {.lost = 1.1},    {.lost = NAN}};
    static const DvHapticSchedule good[] = {
        {.rate = 1e6}, {.latency = 1000}, {.jitter = 0.999}, {.lost = 1}, {.rate = 0}};
    unsigned errors = 0;
    DvScene *scene = load(0.01, "motion='hand'");
    dv_log_set_handler(hush, &errors);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (service()->set_schedule(scene, &bad[i]) != DV_ERROR_INVALID || errors != i + 1)
            fail_msg("schedule %zu is taken", i);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(service()->set_schedule(scene, &good[i]), DV_OK);
    dv_log_set_handler(NULL, NULL);
    steps(scene, 10);
    assert_int_equal(about(scene).ticks, 100); /* the last one counts */
    dv_scene_free(scene);
}

static void a_log_is_replayed_to_the_same_bits(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.3 0.03 0.01 0 0 0 0.6 0.8 1\n0.6 0 0 0.02\n");
    static const char *const moved[] = {"motion='hand' filename='way.txt' drivenAxes='6'",
                                        "motion='log' filename='log.csv'"};
    double seen[2][60][7];
    for (int run = 0; run < 2; run++) {
        DvScene *scene = load(0.01, moved[run]);
        const DvHapticSchedule schedule = {.jitter = 0.5, .lost = 0.1, .seed = 3};
        assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
        FILE *log = run == 0 ? fopen(in_folder("log.csv"), "w") : NULL;
        assert_int_equal(service()->set_log(scene, log), DV_OK);
        for (int i = 0; i < 60; i++) {
            steps(scene, 1);
            memcpy(seen[run][i], dv_state_read(scene_state(scene, "/place"), DV_POSITION).at, sizeof seen[run][i]);
        }
        assert_int_equal(service()->set_log(scene, NULL), DV_OK);
        if (log)
            fclose(log);
        dv_scene_free(scene);
    }
    assert_memory_equal(seen[0][1], seen[1][1],
                        sizeof seen[0] - sizeof seen[0][0]); /* the first step begins before the first tick */
    assert_true(fabs(seen[0][59][0]) > 1e-3);
}

static void a_mouse_leads_it(void **state)
{
    (void)state;
    DvScene *scene = load(0.01, "motion='mouse' handDamping='20' resolution='0' friction='0'");
    DvMouseEvent mouse = {.move = {100, 50}};
    DvEvent event = {.kind = DV_EVENT_MOUSE, .data = &mouse};
    steps(scene, 1);
    dv_event_send(dv_scene_root(scene), &event);
    mouse = (DvMouseEvent){.change = DV_MOUSE_PRESSED, .button = DV_LEFT_BUTTON};
    dv_event_send(dv_scene_root(scene), &event);
    steps(scene, 300);
    const DvConstVec p = dv_state_read(scene_state(scene, "/place"), DV_POSITION);
    assert_true(fabs(p.at[0] - 0.01) < 1e-6 && fabs(p.at[1] + 0.005) < 1e-6);
    assert_true(dv_data_bool(dv_object_field(scene_object(scene, "/arm"), "button1")));
    dv_scene_free(scene);
}

/* A recording leads it to a place of the scene, however it has been moved before; buttons come beside those of the file. */
static void a_recording_leads_it(void **state)
{
    (void)state;
    static const char *const moved[] = {"filename='way.txt'", "motion='hand' filename='way.txt'", "motion='mouse'",
                                        "motion='hand' drivenAxes='6'"};
    write_file("way.txt", "0 0.01 0 0 2\n1 0.02 0 0 2\n");
    for (int kind = 0; kind < 4; kind++) {
        char attributes[500];
        snprintf(
            attributes, sizeof attributes,
            "%s handDamping='20' resolution='0' friction='0' positionBase='1 2 3' scale='10' orientationTool='0 0 1 0' "
            "orientationBase='0 0 0.70710678118654757 0.70710678118654757' angularHandDamping='0.05'",
            moved[kind]);
        DvScene *scene = load(0.01, attributes);
        DvObject *arm = scene_object(scene, "/arm");
        DvHapticEvent lead = {
            .device = arm, .position = {1.1, 2.2, 2.9}, .orientation = {0, 0.6, 0, 0.8}, .wanted = true};
        DvEvent event = {.kind = DV_EVENT_HAPTIC_DEVICE, .data = &lead};
        steps(scene, 2);
        dv_event_send(dv_scene_root(scene), &event);
        assert_true(event.handled);
        lead = (DvHapticEvent){.device = arm, .buttons = 1, .changed = 1, .wanted = true};
        dv_event_send(dv_scene_root(scene), &event);
        steps(scene, 300);
        const DvConstVec p = dv_state_read(scene_state(scene, "/place"), DV_POSITION);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(p.at[c] - (c == 0 ? 1.1 : c == 1 ? 2.2 : 2.9)) < 1e-6);
        assert_true(fabs(fabs(0.6 * p.at[4] + 0.8 * p.at[6]) - 1) < 1e-9);
        assert_int_equal(dv_data_uint(dv_object_field(arm, "buttons")), kind < 2 ? 3 : 1);
        lead = (DvHapticEvent){.device = arm, .changed = 1, .wanted = true};
        dv_event_send(dv_scene_root(scene), &event);
        steps(scene, 2);
        assert_int_equal(dv_data_uint(dv_object_field(arm, "buttons")), kind < 2 ? 2 : 0);
        dv_scene_reset(scene); /* nobody leads it any more */
        steps(scene, 2);
        assert_true(fabs(p.at[1] - 2.2) > 1e-3);
        lead.device = scene_object(scene, "/place");
        event.handled = false;
        dv_event_send(dv_scene_root(scene), &event);
        assert_false(event.handled);
        dv_scene_free(scene);
    }
}

static void a_clutch_moves_the_device_alone(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0 0\n1 0.05 0 0 1\n2 0 0 0 0\n3 0.05 0 0 0\n");
    DvScene *scene = load(0.125, "filename='way.txt' resolution='0' clutchButton='0'");
    double x[24];
    for (int i = 0; i < 24; i++) {
        steps(scene, 1);
        x[i] = dv_state_read(scene_state(scene, "/place"), DV_POSITION).at[0];
    }
    assert_true(fabs(x[7] - 0.05 * 0.875) < 1e-4);
    for (int i = 9; i < 16; i++)
        assert_true(x[i] == x[8]);
    assert_true(fabs(x[23] - (x[8] + 0.05 * 0.875)) <
                1e-4); /* it has gone back, and what was there is where it starts */
    dv_scene_free(scene);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice motion='log'/></Node>", "must name the log");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice drivenAxes='4'/></Node>", "0, 3 or 6");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice filename='nowhere.txt'/></Node>", "no file");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice mass='0'/></Node>", "above 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_conforms_however_it_is_moved),
        cmocka_unit_test(it_is_where_the_file_says),
        cmocka_unit_test(encoders_round),
        cmocka_unit_test(a_hand_moves_by_its_closed_form),
        cmocka_unit_test(dry_friction_stops_it_where_its_work_is_spent),
        cmocka_unit_test(ticks_follow_the_schedule),
        cmocka_unit_test(a_schedule_that_cannot_be_is_refused),
        cmocka_unit_test(a_log_is_replayed_to_the_same_bits),
        cmocka_unit_test(a_mouse_leads_it),
        cmocka_unit_test(a_recording_leads_it),
        cmocka_unit_test(a_clutch_moves_the_device_alone),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
