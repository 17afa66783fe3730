/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thread of the ticks beside a device that is slow, goes and comes, and a simulation that pauses, fails, ends or is ended: what is late is skipped and
 * counted, forces go and come slowly, nothing is left on the hand, and the thread asks the system for the time alone.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "bad_device.h"
#include "folder.h"
#include "scene_text.h"

static BadDevice *bad;

/* The device is 5 mm from a tool that stands still, by a coupling; and behind a floor, by constraints. */
#define TOOL                                                                                            \
    "<BlockGaussSeidelConstraintSolver tolerance='1e-8' maxIterations='100'/>"                          \
    "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"                                      \
    "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"                                  \
    "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.1'/>"                 \
    "<BadDevice name='arm'/><Node name='tool'><EulerImplicitSolver/>"                                   \
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"                                    \
    "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.0005 0 0 0 1'/>"                 \
    "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/>"                                   \
    "<LinearSolverConstraintCorrection/>"                                                               \
    "<VirtualCoupling name='coupling' stiffness='200' angularStiffness='0' damping='0' "                \
    "angularDamping='0' passivity='off' rampTime='0.1' fadeTime='0.05' stallTime='0.05'/>%s"            \
    "<Node name='points'><MechanicalObject position='0.01 0 0 -0.005 0.009 0 -0.005 -0.009 0'/>"        \
    "<PointCollisionModel/><RigidMapping/></Node></Node>"                                               \
    "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>" \
    "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>"
static const char held[] = "<FixedProjectiveConstraint indices='0'/>";
static const double whole = 1; /* N: 200 N/m at 5 mm, less 0.5 mm across */

static const DvHapticsOps *service(void)
{
    return dv_service(DV_HAPTICS);
}

static DvHapticAbout about(DvScene *scene)
{
    DvHapticAbout about;
    assert_true(service()->about(scene, 0, &about));
    return about;
}

static DvScene *load(BadKind kind, const char *more)
{
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/>" TOOL, more);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene), DV_OK);
    dv_text_free(&text);
    bad = dv_object_self(scene_object(scene, "/arm"));
    bad->kind = kind;
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    return scene;
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    (void)nanosleep(&time, NULL);
}

static double last(void)
{
    double force;
    __atomic_load(&bad->last, &force, __ATOMIC_ACQUIRE);
    return force;
}

static void steps_until(DvScene *scene, bool pushed)
{
    for (int i = 0; i < 2000 && !(pushed ? last() > 0.9 * whole : last() == 0); i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        wait_ms(5);
    }
    assert_true(pushed ? last() > 0.9 * whole : last() == 0);
}

static void is_gone(void)
{
    for (int i = 0; i < 5000 && last() != 0; i++)
        wait_ms(2);
    assert_true(last() == 0);
}

/* No tick changes the force by more than ramp and fade allow; at the end it is gone. */
static void never_leaps(bool ends)
{
    FILE *log = fopen(in_folder("log.csv"), "r");
    char line[1024];
    double time = 0, force = 0;
    unsigned count = 0;
    assert_non_null(log);
    while (fgets(line, sizeof line, log)) {
        double n[16];
        char *at = strchr(line, ',');
        if (strncmp(line, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        const double now = sqrt(n[10] * n[10] + n[11] * n[11] + n[12] * n[12]), dt = n[1] - time;
        if (count > 0 &&
            !(now - force <= 1.01 * whole * dt / 0.1 + 1e-9 && force - now <= 1.01 * whole * dt / 0.05 + 1e-9))
            fail_msg("tick %u: from %g N to %g in %g s", count, force, now, dt);
        time = n[1];
        force = now;
        count++;
    }
    fclose(log);
    assert_true(count > 100 && (force == 0 || !ends));
}

/* A thread that does not come to run for so long ends before the force has gone by itself: it is taken away then. */
static bool was_in_time(DvScene *scene)
{
    return about(scene).period[3] < 0.1;
}

static FILE *begin_log(DvScene *scene)
{
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_non_null(log);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    return log;
}

/* A read of 2 ms on a device of 10 kHz: 20 ticks are late with each, which is counted, and none is made up for. */
static void what_is_late_is_skipped_and_counted(void **state)
{
    (void)state;
    DvScene *scene = load(SLOW, held);
    for (int i = 0; i < 2000 && about(scene).ticks < 50; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        wait_ms(5);
    }
    const DvHapticAbout now = about(scene);
    assert_true(now.ticks >= 50);
    if (now.missed < 18 * (now.ticks - 2) || now.period[0] < 1.8e-3)
        fail_msg("%u ticks, %u missed, a period of %g s", (unsigned)now.ticks, (unsigned)now.missed, now.period[0]);
    dv_scene_free(scene);
}

/* No step comes any more, or none that is good: the force goes; steps come again: it comes by the ramp. */
static void a_pause_lets_the_force_go(void **state)
{
    (void)state;
    DvScene *scene = load(STILL, held);
    FILE *log = begin_log(scene);
    steps_until(scene, true);
    is_gone();
    steps_until(scene, true);
    service()->stop_forces(scene, true);
    steps_until(scene, false);
    service()->stop_forces(scene, false);
    steps_until(scene, true);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    assert_true(last() == 0); /* the thread has ended, so that the log is whole */
    never_leaps(was_in_time(scene));
    dv_scene_free(scene);
}

static unsigned told;

static void count_loss(const DvMessage *message, void *context)
{
    (void)context;
    told +=
        strstr(message->text, "the device is lost: somebody has pulled its plug; its force is gone until it answers, "
                              "and comes back slowly then") != NULL;
}

static void a_device_that_goes_is_pushed_by_the_ramp_when_it_comes_back(void **state)
{
    (void)state;
    DvScene *scene = load(STILL, held);
    told = 0;
    dv_log_set_handler(count_loss, NULL);
    FILE *log = begin_log(scene);
    for (int run = 0; run < 2; run++) {
        steps_until(scene, true);
        __atomic_store_n(&bad->kind, LOST, __ATOMIC_RELEASE);
        steps_until(scene, false);
        assert_int_equal(about(scene).state, DV_HAPTIC_LOST);
        for (int i = 0; i < 3; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(told, run + 1); /* once for each loss */
        __atomic_store_n(&bad->kind, STILL, __ATOMIC_RELEASE);
    }
    steps_until(scene, true);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    never_leaps(was_in_time(scene));
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
}

static void hush(const DvMessage *message, void *context)
{
    (void)message;
    (void)context;
}

/* Whatever ends the ticks: the last that is written is nothing. */
static void nothing_is_left_on_the_hand(void **state)
{
    (void)state;
    assert_int_equal(setenv(BAD_DEVICE_FILE, in_folder("force"), 1), 0);
    dv_log_set_handler(hush, NULL);
    for (int way = 0; way < 6; way++) {
        DvScene *scene = load(STILL, held);
        steps_until(scene, true);
        if (way == 0)
            assert_int_equal(service()->run_by_clock(scene, false), DV_OK);
        else if (way == 1)
            dv_scene_reset(scene);
        else if (way == 2)
            dv_object_remove(scene_object(scene, "/tool/coupling"));
        else if (way == 3)
            dv_node_remove(dv_object_as_node(scene_object(scene, "/tool")));
        else if (way == 4)
            dv_state_write(scene_state(scene, "/tool/state"), DV_POSITION, DV_READ_WRITE).at[0] = NAN;
        if (way == 4) {
            assert_int_not_equal(dv_scene_step(scene, 0), DV_OK);
            is_gone(); /* no step is good any more */
        }
        if (way < 5)
            assert_true(last() == 0);
        dv_scene_free(scene);
        FILE *file = fopen(in_folder("force"), "r");
        double written = -1;
        assert_non_null(file);
        assert_int_equal(fscanf(file, "%lf", &written), 1);
        fclose(file);
        assert_true(written == 0);
    }
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(unsetenv(BAD_DEVICE_FILE), 0);
}

static double in_file(void)
{
    FILE *file = fopen(in_folder("force"), "r");
    double written = -1;
    if (!file || fscanf(file, "%lf", &written) != 1)
        written = -1;
    if (file)
        fclose(file);
    return written;
}

/* A program that is told to end takes the force away before. */
static void signals_leave_nothing_on_the_hand(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT};
    const char *host = getenv("DIVAN_HOST"), *plugins = getenv("DIVAN_PLUGIN_PATH");
    char scene[300], path[8192];
    if (!host || !plugins)
        skip();
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/>" TOOL, held);
    write_file("held.scn", text.at);
    dv_text_free(&text);
    write_file("plugins.conf", "[default]\ntest.bad-device = 1\n");
    (void)unlink(in_folder("bad-device.so"));
    assert_int_equal(symlink(BAD_DEVICE, in_folder("bad-device.so")), 0);
    snprintf(path, sizeof path, "%s:%s", folder, plugins);
    snprintf(scene, sizeof scene, "%s", in_folder("held.scn"));
    for (int i = 0; i < 2; i++) {
        (void)unlink(in_folder("force"));
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)setenv("DIVAN_PLUGIN_PATH", path, 1);
            (void)setenv(BAD_DEVICE_FILE, in_folder("force"), 1);
            (void)signal(signals[i], SIG_DFL);
            (void)execl(host, host, "run", scene, "-n", "1000000", "--real-time", "--quiet", (char *)NULL);
            _exit(99);
        }
        for (int k = 0; k < 10000 && in_file() < 0.9 * whole && waitpid(child, NULL, WNOHANG) == 0; k++)
            wait_ms(5);
        assert_true(in_file() > 0.9 * whole);
        assert_int_equal(kill(child, signals[i]), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signals[i]);
        assert_true(in_file() == 0);
    }
}

/* By a filter of the kernel on the thread: with a coupling, and with constraints that are solved again. */
static void the_thread_asks_for_the_time_alone(void **state)
{
    (void)state;
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
    skip(); /* they ask for much */
#endif
    DvScene *scene = load(
        WATCHED, "<LCPForceFeedback name='feedback' activate='1' physicalForce='1' rampTime='0' solverTimeout='1'/>");
    for (int i = 0; i < 2000 && (i < 20 || about(scene).ticks < 500); i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        wait_ms(5);
    }
    const double pushed = dv_data_doubles(dv_object_field(scene_object(scene, "/tool/feedback"), "force"), NULL)[2];
    const bool watched = __atomic_load_n(&bad->is_watched, __ATOMIC_ACQUIRE);
    const unsigned calls = __atomic_load_n(&bad->calls, __ATOMIC_ACQUIRE);
    if (calls > 0)
        fail_msg("%u calls of the system, the last is number %d", calls, bad->called);
    assert_true(about(scene).ticks >= 500 && bad->largest > 0.1 && pushed > 0.1);
    /* It would be seen. */
    if (watched) {
        __atomic_store_n(&bad->kind, LOST, __ATOMIC_RELEASE);
        bad->file = 1000;
        for (int i = 0; i < 2000 && __atomic_load_n(&bad->calls, __ATOMIC_ACQUIRE) == 0; i++)
            wait_ms(2);
        assert_true(__atomic_load_n(&bad->calls, __ATOMIC_ACQUIRE) > 0);
    }
    dv_scene_free(scene);
    if (!watched)
        skip();
}

static int begin_with_bad_device(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){BAD_DEVICE, NULL}}) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_late_is_skipped_and_counted),
        cmocka_unit_test(a_pause_lets_the_force_go),
        cmocka_unit_test(a_device_that_goes_is_pushed_by_the_ramp_when_it_comes_back),
        cmocka_unit_test(nothing_is_left_on_the_hand),
        cmocka_unit_test(signals_leave_nothing_on_the_hand),
        cmocka_unit_test(the_thread_asks_for_the_time_alone),
    };
    return cmocka_run_group_tests(tests, begin_with_bad_device, end);
}
