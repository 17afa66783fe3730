/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Haptic devices in the simulation thread of the window: what is shown of them, the mouse as one, the stop of all forces; recorded, and done again by
 * the window and by divan run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>
#include <divan/plugin.h>
#include <divan/registry.h>
#include <glib/gstdio.h>

#include "session.h"

static char *folder;
static Logbook *book;
static Session *session;

/* A hand of a spring of 150 N/m, on another of 100 N/m to a tool that stands still; 1e-4 m a pixel. */
static const char held_scene[] =
    "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/>"
    "<SimulatedHapticDevice name='arm' motion='mouse' resolution='0' friction='0' orientationBase='0 0 0.70710678118654752 0.70710678118654752' "
    "forceScale='0.5'/>"
    "<MechanicalObject name='hand' template='Rigid3d' position='@arm.positionDevice'/>"
    "<Node name='tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
    "<MechanicalObject template='Rigid3d'/><UniformMass totalMass='0.1'/><FixedProjectiveConstraint indices='0'/>"
    "<VirtualCoupling stiffness='200' damping='0' rampTime='0.05' fadeTime='0.05' passivity='off'/></Node>"
    "<Node name='ball'><EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-18'/>"
    "<MechanicalObject name='state' template='Rigid3d'/><UniformMass totalMass='1'/>"
    "<RestShapeSpringsForceField stiffness='100' angularStiffness='1' external_rest_shape='@/hand'/></Node>"
    "<Node name='keyed'><MechanicalObject name='state' template='Rigid3d'/><MechanicalStateController listening='1' keyWay='10'/></Node></Node>";

static void post(MessageKind kind, const char *text, double a, double b, double c, double d)
{
    session_post(session, &(Message){.kind = kind, .text = text, .numbers = {a, b, c, d}});
}

static Snapshot *make_steps(unsigned count)
{
    Snapshot *now = session_settle(session);
    const uint64_t wanted = now->steps + count;
    for (unsigned i = 0; i < count; i++)
        post(MESSAGE_STEP, NULL, 0, 0, 0, 0);
    while (now->steps < wanted || !now->hash) {
        assert_false(now->failed);
        snapshot_unref(now);
        g_usleep(500);
        now = session_settle(session);
    }
    return now;
}

static const DeviceView *device_of(const Snapshot *now)
{
    assert_non_null(now->devices);
    assert_int_equal(now->devices->len, 1);
    return &g_array_index(now->devices, DeviceView, 0);
}

static char *open_scene(void)
{
    char *file = g_build_filename(folder, "held.scn", NULL);
    assert_true(g_file_set_contents(file, held_scene, -1, NULL));
    post(MESSAGE_OPEN, file, 0, 0, 0, 0);
    snapshot_unref(session_settle(session));
    return file;
}

static int begin_session(void **state)
{
    (void)state;
    book = logbook_new(false);
    dv_log_set_handler(logbook_take, book);
    session = session_new(book);
    return 0;
}

static int end_session(void **state)
{
    (void)state;
    session_free(session);
    dv_log_set_handler(NULL, NULL);
    logbook_free(book);
    return 0;
}

static bool was_said(const char *words)
{
    GPtrArray *entries = g_ptr_array_new();
    bool found = false;
    logbook_read(book, 0, entries);
    for (guint i = 0; i < entries->len; i++)
        found = found || strstr(((const LogEntry *)g_ptr_array_index(entries, i))->text, words);
    g_ptr_array_unref(entries);
    return found;
}

/* The hand is led 24 mm along x of the device, y of the scene: two springs in a row, of which half of the tool's is felt. */
static void the_mouse_moves_a_device_and_its_force_is_shown(void **state)
{
    (void)state;
    char *file = open_scene();
    Snapshot *now = make_steps(3);
    assert_string_equal(device_of(now)->path, "/arm");
    assert_int_equal(device_of(now)->state, DV_HAPTIC_RUNNING);
    assert_int_equal(device_of(now)->users, 1);
    assert_true(fabs(device_of(now)->rate - 1000) < 50);
    assert_true(device_of(now)->strength < 1e-9);
    snapshot_unref(now);
    post(MESSAGE_MOUSE, NULL, 0, 0, 240, 0);
    now = make_steps(150);
    const double way = 0.024 * 150 / (150 + 0.5 * 200), felt = 0.5 * 200 * way;
    const DeviceView *device = device_of(now);
    assert_true(fabs(device->strength - felt) < 1e-3 * felt);
    assert_true(fabs(device->force[1] + felt / 0.5) < 2e-3 * felt && fabs(device->force[0]) < 1e-9);
    assert_true(fabs(device->work + felt * way / 2) < 0.1 * felt * way); /* but for what damping of steps has taken */
    assert_true(device->has_place && fabs(device->place[0]) + fabs(device->place[1]) + fabs(device->place[2]) < 1e-9);
    assert_true(device->put_in > 0 && device->stored > 0.4 * felt * way && device->removed == 0);
    snapshot_unref(now);
    /* Stopped, and again. */
    post(MESSAGE_FORCES, NULL, 0, 0, 0, 0);
    now = make_steps(20);
    assert_true(now->forces_stopped && device_of(now)->strength == 0);
    snapshot_unref(now);
    post(MESSAGE_FORCES, NULL, 1, 0, 0, 0);
    now = make_steps(150);
    assert_true(!now->forces_stopped && fabs(device_of(now)->strength - felt) < 1e-3 * felt);
    snapshot_unref(now);
    /* Forces that are stopped stay so when the scene is read again. */
    post(MESSAGE_FORCES, NULL, 0, 0, 0, 0);
    post(MESSAGE_RELOAD, NULL, 0, 0, 0, 0);
    post(MESSAGE_MOUSE, NULL, 0, 0, 240, 0);
    now = make_steps(30);
    assert_true(now->forces_stopped && device_of(now)->strength == 0);
    snapshot_unref(now);
    g_free(file);
}

static Snapshot *wait_for_replay(void)
{
    for (;;) {
        Snapshot *now = session_snapshot(session);
        if (!now->replay_steps && !now->animates && now->hash)
            return now;
        snapshot_unref(now);
        g_usleep(500);
    }
}

static char *record(char **scene)
{
    char *file = g_build_filename(folder, "work.session", NULL);
    *scene = open_scene();
    post(MESSAGE_RECORD, file, 0, 0, 0, 0);
    snapshot_unref(make_steps(4));
    post(MESSAGE_MOUSE, NULL, 1, 1, 0, 0);
    post(MESSAGE_MOUSE, NULL, 0, 1, 130, -40);
    post(MESSAGE_KEY, NULL, 1, 19, 1, 0);
    post(MESSAGE_KEY, NULL, 0, 19, 0, 0);
    snapshot_unref(make_steps(30));
    post(MESSAGE_MOUSE, NULL, 3, 0, 0, -2);
    post(MESSAGE_FORCES, NULL, 0, 0, 0, 0);
    snapshot_unref(make_steps(5));
    post(MESSAGE_FORCES, NULL, 1, 0, 0, 0);
    post(MESSAGE_MOUSE, NULL, 2, 1, 0, 0);
    snapshot_unref(make_steps(11));
    post(MESSAGE_RECORD_END, NULL, 0, 0, 0, 0);
    snapshot_unref(session_settle(session));
    return file;
}

static void what_was_done_is_done_again_with_and_without_a_window(void **state)
{
    (void)state;
    char *scene, *text, *file = record(&scene);
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    static const char *const lines[] = {"\n4 mouse pressed left 0 0\n",
                                        "\n4 mouse moved left 130 -40\n",
                                        "\n4 key 1 19 1\n",
                                        "\n4 key 0 19\n",
                                        "\n34 mouse wheel none 0 -2\n",
                                        "\n34 forces 0\n",
                                        "\n39 forces 1\n",
                                        "\n39 mouse released left 0 0\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        assert_non_null(strstr(text, lines[i]));
    post(MESSAGE_PACE, NULL, 0, 0, 0, 0);
    post(MESSAGE_REPLAY, file, 0, 0, 0, 0);
    snapshot_unref(session_settle(session));
    snapshot_unref(wait_for_replay());
    assert_true(was_said("the same bits as recorded"));
    if (g_getenv("DIVAN_HOST")) {
        char *command =
            g_strdup_printf("'%s' run '%s' -n 50 --quiet --input '%s' >/dev/null", g_getenv("DIVAN_HOST"), scene, file);
        assert_int_equal(system(command), 0);
        strstr(text, "key 1 19 1")[strlen("key 1 19 ")] = ' ';
        assert_true(g_file_set_contents(file, text, -1, NULL));
        assert_int_not_equal(system(command), 0); /* without Shift it is another motion */
        g_free(command);
    }
    /* Lines that lead a device are read, too; another motion has other bits at the end. */
    char **parts = g_strsplit(text, "\n34 forces 0\n", 2),
         *other = g_strjoinv("\n34 device \"/arm\" 0.01 0.02 0\n34 button \"/arm\" 1 0\n34 forces 0\n", parts);
    assert_true(g_file_set_contents(file, other, -1, NULL));
    post(MESSAGE_REPLAY, file, 0, 0, 0, 0);
    snapshot_unref(session_settle(session));
    snapshot_unref(wait_for_replay());
    assert_true(was_said("but the states are others"));
    g_strfreev(parts);
    g_free(other);
    g_free(text);
    g_free(file);
    g_free(scene);
}

static int begin(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("divan-devices-XXXXXX", NULL);
    return folder && dv_start(NULL) == DV_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    static const char *const names[] = {"held.scn", "work.session"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *file = g_build_filename(folder, names[i], NULL);
        (void)g_remove(file);
        g_free(file);
    }
    (void)g_rmdir(folder);
    g_free(folder);
    dv_stop();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_mouse_moves_a_device_and_its_force_is_shown, begin_session, end_session),
        cmocka_unit_test_setup_teardown(what_was_done_is_done_again_with_and_without_a_window, begin_session,
                                        end_session),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
