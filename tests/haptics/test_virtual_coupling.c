/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling by its laws: action and reaction, the drag of free motion, limits, ramps, several devices, and runs that go on.
 */
#include "coupling_scene.h"

#include <divan/contracts/force_field.h>
#include <divan/moment.h>

static void synchronous_forces_are_opposite_to_the_bit(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.2 0.02 0.013 -0.004 0.1 0.2 0.3 0.9\n0.5 -0.03 0 0.01\n");
    static const char *const devices[] = {"filename='way.txt'", "motion='hand' filename='way.txt' drivenAxes='6'",
                                          "filename='way.txt' maxForce='0.5'"};
    for (size_t d = 0; d < 3; d++) {
        DvScene *scene = load(0.003, devices[d],
                              "mode='synchronous' stiffness='400' toolOffset='0.01 0.02 0 0 0 0 1' rampTime='0.1'", "");
        DvObject *coupling = scene_object(scene, "/tool/coupling");
        const DvForceFieldOps *ops = dv_object_ops(coupling, DV_FORCE_FIELD);
        double most = 0;
        for (int i = 0; i < 160; i++) {
            steps(scene, 1);
            /* What the step has been given is what the tick of its begin has shown. */
            const DvStateRef tool = scene_state(scene, "/tool/state");
            const DvConstVec x = dv_state_read(tool, DV_POSITION), v = dv_state_read(tool, DV_VELOCITY);
            double f[6] = {0};
            const DvVec to = {f, 1, 6};
            const DvStep step = {.position = DV_POSITION, .velocity = DV_VELOCITY};
            ops->add_force(dv_object_self(coupling), &step, &x, &v, &to);
            const double *force = dv_data_doubles(output(scene, "force"), NULL);
            for (int c = 0; c < 3; c++)
                assert_true(f[c] + force[c] == 0);
            if (about(scene).force[0] != 0)
                for (int c = 0; c < 3; c++)
                    assert_true(about(scene).force[c] + f[c] == 0);
            assert_int_equal(about(scene).ticks, i + 1);
            most = fmax(most, fabs(force[0]));
        }
        assert_true(most > 0.1);
        dv_scene_free(scene);
    }
}

/* A state is seen from the end of its step to the end of the next, and follows from the pose of its begin: its age grows from T to 2 T - tick, so
 * the drag is K v (1.5 T - tick / 2) on the mean. */
static double drawn(uint64_t *seed, double most)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return most * (2.0 * (double)(*seed >> 11) * 0x1p-53 - 1.0);
}

/* The force on a tool that stands still at a place drawn, from its own numbers: k p and k_r log q. */
static void the_force_is_the_spring_law(void **state)
{
    (void)state;
    enum { PLACES = 10000 };
    DvText way = {0};
    static double at[PLACES][3], turn[PLACES][3];
    uint64_t seed = 3;
    for (int i = 0; i < PLACES; i++) {
        for (int c = 0; c < 3; c++) {
            at[i][c] = drawn(&seed, 1e-3); /* no leap in a tick */
            turn[i][c] = drawn(&seed, 1.5);
        }
        const double angle = sqrt(turn[i][0] * turn[i][0] + turn[i][1] * turn[i][1] + turn[i][2] * turn[i][2]);
        for (double rest = -0.4; rest < 1; rest += 0.8) /* it rests there while the tick comes */
            dv_text_add(&way, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", 1e-3 * (i + rest), at[i][0],
                        at[i][1], at[i][2], turn[i][0] / angle * sin(angle / 2), turn[i][1] / angle * sin(angle / 2),
                        turn[i][2] / angle * sin(angle / 2), cos(angle / 2));
    }
    write_file("way.txt", way.at);
    dv_text_free(&way);
    DvScene *scene = load(1e-3, "filename='way.txt' drivenAxes='6' maxForce='0'",
                          "mode='synchronous' stiffness='700' angularStiffness='0.3' damping='0' angularDamping='0' "
                          "rampTime='0' passivity='off'",
                          "<FixedProjectiveConstraint indices='0'/>");
    for (int i = 0; i < PLACES; i++) {
        steps(scene, 1);
        const DvHapticAbout now = about(scene);
        for (int c = 0; c < 3; c++)
            if (fabs(now.force[c] + 700 * at[i][c]) > 1e-9 || fabs(now.torque[c] + 0.3 * turn[i][c]) > 1e-9)
                fail_msg("place %d, axis %d: %.17g N, %.17g N m", i, c, now.force[c], now.torque[c]);
    }
    dv_scene_free(scene);
}

static void free_motion_meets_the_drag_of_old_states(void **state)
{
    (void)state;
    static const double rates[] = {10, 30, 100, 500};
    static LogLine lines[6000];
    write_file("way.txt", "0 0 0 0\n10 0.5 0 0\n");
    for (int i = 0; i < 4; i++) {
        const double dt = 1 / rates[i], k = 200, v = 0.05, tick = rates[i] == 30 ? 1 / 900.0 : 1e-3;
        DvScene *scene = load(dt, "filename='way.txt' maxForce='0'",
                              "stiffness='200' damping='0' passivity='off' rampTime='0' stallTime='1'", "");
        DvHapticSchedule schedule = {.rate = 1 / tick};
        assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
        /* The tool has no damping of its own but that of the implicit method: it comes to follow at v. */
        steps(scene, (int)(3 / dt));
        begin_log(scene);
        const int whole = (int)(1 / dt + 0.5);
        steps(scene, whole);
        end_log(scene);
        const size_t count = read_log(lines, 6000);
        double sum = 0;
        for (size_t l = 0; l < count; l++)
            sum -= lines[l].force[0];
        const double mean = sum / (double)count, law = k * v * (1.5 * dt - tick / 2);
        if (fabs(mean - law) > 0.002 * law)
            fail_msg("at %g Hz the drag is %g N instead of %g", rates[i], mean, law);
        if (rates[i] <= 30)
            assert_true(fabs(mean - 1.5 * k * v * dt) < 0.02 * 1.5 * k * v * dt);
        dv_scene_free(scene);
    }
}

static void cancelling_frees_free_motion(void **state)
{
    (void)state;
    static LogLine lines[2000];
    write_file("way.txt", "0 0 0 0\n10 0.5 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt' maxForce='0'", "stiffness='200' rampTime='0' cancelOutOfContact='1'", "");
    begin_log(scene);
    steps(scene, 100);
    end_log(scene);
    const size_t count = read_log(lines, 2000);
    assert_int_equal(count, 1000);
    for (size_t l = 0; l < count; l++)
        assert_true(lines[l].force[0] == 0 && lines[l].force[1] == 0);
    assert_false(dv_data_bool(output(scene, "contact")));
    dv_scene_free(scene);
}

static void a_force_comes_slowly_and_never_leaps(void **state)
{
    (void)state;
    static LogLine lines[4000];
    write_file("way.txt", "0 0.01 0 0\n");
    DvScene *scene = load(0.01, "filename='way.txt'", "stiffness='100' rampTime='0.2' passivity='off' damping='0'",
                          "<FixedProjectiveConstraint indices='0'/>");
    begin_log(scene);
    steps(scene, 50);
    end_log(scene);
    const size_t count = read_log(lines, 4000);
    for (size_t l = 0; l < count; l++)
        assert_true(fabs(lines[l].force[0] + fmin(1, lines[l].time / 0.2)) < 1e-9);
    /* Everything stops: gone within fadeTime; and comes back by the ramp. */
    service()->stop_forces(scene, true);
    begin_log(scene);
    steps(scene, 10);
    end_log(scene);
    size_t n = read_log(lines, 4000);
    for (size_t l = 0; l < n; l++)
        assert_true(fabs(lines[l].force[0] + fmax(0, 1 - (double)(l + 1) / 50)) < 1e-9);
    service()->stop_forces(scene, false);
    begin_log(scene);
    steps(scene, 30);
    end_log(scene);
    n = read_log(lines, 4000);
    for (size_t l = 0; l < n; l++)
        assert_true(fabs(lines[l].force[0] + fmin(1, (double)(l + 1) / 200)) < 1e-9);
    dv_scene_free(scene);
}

static void limits_keep_the_direction(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.5 0.03 0.04 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'", "stiffness='200' rampTime='0' passivity='off' damping='0' maxForce='1.5'",
             "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 60);
    const double *f = dv_data_doubles(output(scene, "force"), NULL);
    assert_true(fabs(f[0] + 0.9) < 1e-12 && fabs(f[1] + 1.2) < 1e-12);
    assert_true(about(scene).clamped > 300);
    dv_scene_free(scene);
    scene = load(0.01, "filename='way.txt'",
                 "stiffness='200' rampTime='0' passivity='off' damping='0' maxForceRate='2' stallTime='1'",
                 "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 51);
    f = dv_data_doubles(output(scene, "force"), NULL);
    assert_true(fabs(hypot(f[0], f[1]) - 1) < 1e-9); /* half a second of 2 N/s */
    dv_scene_free(scene);
}

static void it_lets_go_and_takes_hold_again(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.2 0.03 0 0\n0.4 0.03 0 0\n0.6 0.005 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'",
             "stiffness='50' rampTime='0.1' fadeTime='0.01' passivity='off' damping='0' breakDistance='0.02'",
             "<FixedProjectiveConstraint indices='0'/>");
    steps(scene, 10);
    assert_true(dv_data_bool(output(scene, "engaged")));
    steps(scene, 20);
    assert_false(dv_data_bool(output(scene, "engaged")));
    assert_true(about(scene).force[0] == 0);
    steps(scene, 50);
    assert_true(dv_data_bool(output(scene, "engaged")));
    assert_true(fabs(about(scene).force[0] + 0.25) < 1e-9);
    dv_scene_free(scene);
}

static void a_late_step_lets_the_force_fade(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.01 0 0\n");
    DvScene *scene =
        load(0.01, "filename='way.txt'", "stiffness='100' rampTime='0' passivity='off' damping='0' stallTime='0.05'",
             "<FixedProjectiveConstraint indices='0'/>");
    const DvHapticSchedule late = {.latency = 20};
    assert_int_equal(service()->set_schedule(scene, &late), DV_OK);
    steps(scene, 4);
    assert_true(about(scene).force[0] != 0);
    steps(scene, 10);
    assert_true(about(scene).force[0] == 0);
    dv_scene_free(scene);
}

static void two_devices_never_share_a_force(void **state)
{
    (void)state;
    write_file("way.txt", "0 0.01 0 0\n");
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>");
    for (int i = 0; i < 2; i++)
        dv_text_add(
            &text,
            "<Node name='n%d'><SimulatedHapticDevice name='arm' resolution='0' filename='way.txt'/>"
            "<MechanicalObject name='state' template='Rigid3d'/><UniformMass totalMass='1'/><FixedProjectiveConstraint/>"
            "<VirtualCoupling name='coupling' rampTime='0' stiffness='%d' damping='0'/></Node>",
            i, 100 * (i + 1));
    dv_text_add(&text, "</Node>");
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    steps(scene, 5);
    assert_int_equal(service()->count(scene), 2);
    DvHapticAbout a, b;
    assert_true(service()->about(scene, 0, &a) && service()->about(scene, 1, &b));
    assert_true(fabs(a.force[0] + 1) < 1e-12 && fabs(b.force[0] + 2) < 1e-12);
    dv_scene_free(scene);
}

/* What a run leads to, in bits: the tool and the way of the hand. */
static void run_on(DvScene *scene, int count, double out[14])
{
    steps(scene, count);
    memcpy(out, dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at, 7 * sizeof *out);
    out[7] = about(scene).path;
    out[8] = about(scene).work;
    out[9] = number(scene, "energyIn");
    out[10] = number(scene, "energyRemoved");
    out[11] = about(scene).force[0];
    out[12] = (double)about(scene).ticks;
    out[13] = about(scene).time;
}

static void a_run_goes_on_and_begins_again_to_the_bit(void **state)
{
    (void)state;
    write_file("way.txt", "0 0 0 0\n0.3 0.03 0.01 0 0 0 0.6 0.8\n0.6 0 0 0.02\n");
    DvScene *scene = load(0.01, "motion='hand' filename='way.txt' drivenAxes='6'", "stiffness='300'", "");
    const DvHapticSchedule schedule = {.latency = 1.5, .jitter = 0.5, .lost = 0.1, .seed = 9};
    assert_int_equal(service()->set_schedule(scene, &schedule), DV_OK);
    DvMoment *moment = dv_moment_new(scene);
    double first[14], again[14];
    steps(scene, 23);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    run_on(scene, 31, first);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        run_on(scene, 31, again);
        assert_memory_equal(first, again, sizeof first);
    }
    dv_moment_free(moment);
    dv_scene_reset(scene);
    run_on(scene, 54, again);
    assert_memory_equal(first, again, sizeof first);
    dv_scene_free(scene);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    DvScene *scene = load(0.01, "motion='hand'", "stiffness='300'", "");
    steps(scene, 5);
    const uint64_t before = dv_allocation_count();
    steps(scene, 20);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(scene);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><MechanicalObject template='Rigid3d'/><VirtualCoupling/></Node>",
                      "no haptic device");
    expect_load_error("<Node><DefaultAnimationLoop/><Node name='a'><SimulatedHapticDevice name='arm'/></Node>"
                      "<Node name='b'><MechanicalObject template='Rigid3d'/><VirtualCoupling/></Node></Node>",
                      "device=\"@/a/arm\"");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><VirtualCoupling/></Node>",
                      "MechanicalObject");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling stiffness='-1'/></Node>",
                      "0 or more");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling index='3'/></Node>",
                      "no point 3");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Rigid3d'/>"
                      "<VirtualCoupling name='a'/><VirtualCoupling name='b'/></Node>",
                      "one coupling");
    expect_load_error("<Node><DefaultAnimationLoop/><SimulatedHapticDevice/><MechanicalObject template='Vec1d'/>"
                      "<VirtualCoupling/></Node>",
                      "Vec1d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synchronous_forces_are_opposite_to_the_bit),
        cmocka_unit_test(the_force_is_the_spring_law),
        cmocka_unit_test(free_motion_meets_the_drag_of_old_states),
        cmocka_unit_test(cancelling_frees_free_motion),
        cmocka_unit_test(a_force_comes_slowly_and_never_leaps),
        cmocka_unit_test(limits_keep_the_direction),
        cmocka_unit_test(it_lets_go_and_takes_hold_again),
        cmocka_unit_test(a_late_step_lets_the_force_fade),
        cmocka_unit_test(two_devices_never_share_a_force),
        cmocka_unit_test(a_run_goes_on_and_begins_again_to_the_bit),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
