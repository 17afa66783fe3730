/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ticks by the clock, on a thread: whole states in order, forces within limits at each line of the log, the trajectory of the simulation untouched by a
 * device that pushes nothing, and whatever is done to the scene meanwhile.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/math/rigid.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "folder.h"
#include "scene_text.h"

static DvScene *load(const char *coupling)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.01' gravity='0 0 -1'><FreeMotionAnimationLoop/>"
                "<BlockGaussSeidelConstraintSolver tolerance='1e-8' maxIterations='100'/>"
                "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                "<LocalMinDistance alarmDistance='0.02' contactDistance='0.001'/>"
                "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.1'/>"
                "<SimulatedHapticDevice name='arm' motion='hand' filename='way.txt'/>"
                "<Node name='tool'><EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
                "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.005 0 0 0 1'/>"
                "<UniformMass vertexMass='0.1 1e-3 1e-3 0 0 0 1e-3 0 0 0 1e-3'/><LinearSolverConstraintCorrection/>%s"
                "<Node name='points'><MechanicalObject position='0.01 0 0 -0.005 0.009 0 -0.005 -0.009 0'/>"
                "<PointCollisionModel/><RigidMapping/></Node></Node>"
                "<Node name='floor'><MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0' triangles='0 1 2 0 2 3'/>"
                "<MechanicalObject/><TriangleCollisionModel moving='0' simulated='0'/></Node></Node>",
                coupling);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", folder, NULL, &scene), DV_OK);
    dv_text_free(&text);
    return scene;
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
    assert_true(service()->about(scene, 0, &about));
    return about;
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    (void)nanosleep(&time, NULL);
}

static void steps(DvScene *scene, int count, long ms)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        wait_ms(ms);
    }
}

static void hush(const DvMessage *message, void *context)
{
    (void)message;
    (void)context;
}

static const char both[] = "<VirtualCoupling name='coupling' stiffness='300' rampTime='0.05'/>"
                           "<LCPForceFeedback activate='1' physicalForce='1' rampTime='0.05'/>";

static void ticks_go_beside_the_steps(void **state)
{
    (void)state;
    DvScene *scene = load(both);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    FILE *log = fopen(in_folder("log.csv"), "w");
    assert_non_null(log);
    assert_int_equal(service()->set_log(scene, log), DV_OK);
    for (int i = 0; i < 200 && (i < 20 || about(scene).ticks < 50); i++)
        steps(scene, 1, 5);
    assert_true(about(scene).ticks >= 50);
    assert_true(about(scene).snapshots > 0);
    assert_int_equal(service()->set_log(scene, NULL), DV_OK);
    fclose(log);
    assert_int_equal(service()->run_by_clock(scene, false), DV_OK);
    log = fopen(in_folder("log.csv"), "r");
    char line[1024];
    unsigned count = 0;
    double last = -1;
    while (fgets(line, sizeof line, log)) {
        double n[16];
        char *at = strchr(line, ',');
        if (strncmp(line, "device", 6) == 0)
            continue;
        for (int i = 0; i < 16; i++)
            n[i] = strtod(at + 1, &at);
        assert_true(n[1] > last);
        assert_true(sqrt(n[10] * n[10] + n[11] * n[11] + n[12] * n[12]) <= 3.3 + 1e-9);
        last = n[1];
        count++;
    }
    fclose(log);
    assert_true(count >= 40);
    dv_scene_free(scene);
}

/* Under the sanitizers these functions are theirs. */
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define WATCHES_CALLS
static pthread_t simulation;
static bool watches;         /* atomic */
static unsigned calls_there; /* atomic: of these functions, on another thread */

static void watch(void)
{
    if (__atomic_load_n(&watches, __ATOMIC_ACQUIRE) && !pthread_equal(pthread_self(), simulation))
        (void)__atomic_add_fetch(&calls_there, 1, __ATOMIC_RELAXED);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

/* Whatever library calls them, those of the program are taken. */
#define TAKEN __attribute__((visibility("default")))
TAKEN void *malloc(size_t size)
{
    watch();
    return __libc_malloc(size);
}

TAKEN void *aligned_alloc(size_t alignment, size_t size)
{
    watch();
    return __libc_memalign(alignment, size);
}

TAKEN void *calloc(size_t count, size_t size)
{
    watch();
    return __libc_calloc(count, size);
}

TAKEN void *realloc(void *block, size_t size)
{
    watch();
    return __libc_realloc(block, size);
}

TAKEN void free(void *block)
{
    watch();
    __libc_free(block);
}

TAKEN int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    watch();
    int status;
    while ((status = pthread_mutex_trylock(mutex)) == EBUSY)
        (void)sched_yield();
    return status;
}

TAKEN ssize_t write(int file, const void *bytes, size_t count)
{
    watch();
    return (ssize_t)syscall(SYS_write, file, bytes, count);
}

/* By a library. */
static void *allocate(void *unused)
{
    (void)unused;
    return strdup("seen");
}

/* The loop neither allocates, frees, locks nor writes: what its thread calls of these is counted. (Blocks that the kernel keeps: the next test.) */
static void ticks_call_the_clock_and_the_device_alone(void **state)
{
    (void)state;
    simulation = pthread_self();
    DvScene *scene = load(both);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    steps(scene, 5, 5); /* the thread has begun */
    const uint64_t ticks = about(scene).ticks;
    __atomic_store_n(&watches, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 1000 && (i < 20 || about(scene).ticks < ticks + 100); i++)
        steps(scene, 1, 5);
    __atomic_store_n(&watches, false, __ATOMIC_RELEASE);
    assert_true(about(scene).ticks >= ticks + 100);
    assert_int_equal(calls_there, 0);
    /* It would be seen. */
    pthread_t thread;
    __atomic_store_n(&watches, true, __ATOMIC_RELEASE);
    assert_int_equal(pthread_create(&thread, NULL, allocate, NULL), 0);
    void *block;
    assert_int_equal(pthread_join(thread, &block), 0);
    __atomic_store_n(&watches, false, __ATOMIC_RELEASE);
    free(block);
    assert_true(calls_there > 0);
    dv_scene_free(scene);
}
#endif

static void a_silent_device_changes_nothing(void **state)
{
    (void)state;
    double seen[2][7];
    uint64_t allocated[2];
    for (int run = 0; run < 2; run++) {
        DvScene *scene = load("<VirtualCoupling activate='0'/>");
        if (run == 1)
            assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
        steps(scene, 5, 0);
        const uint64_t before = dv_allocation_count();
        steps(scene, 10, 2);
        allocated[run] = dv_allocation_count() - before;
        steps(scene, 25, 0);
        memcpy(seen[run], dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at, sizeof seen[run]);
        dv_scene_free(scene);
    }
    assert_int_equal(allocated[0], allocated[1]);
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
}

static void it_starts_and_stops_as_often_as_one_likes(void **state)
{
    (void)state;
    DvScene *scene = load(both);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(service()->run_by_clock(scene, i % 2 == 0), DV_OK);
        steps(scene, 2, 1);
        if (i % 5 == 0)
            dv_scene_reset(scene);
    }
    dv_scene_free(scene);
}

static void parts_come_and_go_meanwhile(void **state)
{
    (void)state;
    dv_log_set_handler(hush, NULL);
    DvScene *scene = load(both);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    steps(scene, 3, 3);
    dv_object_remove(scene_object(scene, "/tool/coupling"));
    steps(scene, 3, 3);
    dv_object_remove(scene_object(scene, "/arm"));
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(dv_scene_step(scene, 0), DV_ERROR_NOT_FINITE); /* whatever becomes of it */
    dv_scene_free(scene);
    scene = load(both);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    steps(scene, 3, 3);
    dv_scene_free(scene); /* while it pushes */
    dv_log_set_handler(NULL, NULL);
}

/* By the clock a hand goes on from where it is: counts begin anew, and the force comes by its ramp alone. */
static void a_run_that_is_put_back_begins_slowly(void **state)
{
    (void)state;
    DvScene *scene = load("<VirtualCoupling name='coupling' stiffness='300' rampTime='0.5'/>");
    DvMoment *moment = dv_moment_new(scene);
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    steps(scene, 20, 3);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    const DvRigid3 tool = dv_rigid3_load(dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at);
    for (int run = 0; run < 3; run++) {
        steps(scene, 10, 3);
        assert_int_equal(dv_moment_restore(moment), DV_OK);
        const DvRigid3 now = dv_rigid3_load(dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at);
        assert_memory_equal(&tool, &now, sizeof now);
        steps(scene, 1, 10);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvHapticAbout after = about(scene);
        assert_true(after.time < 5 && after.peak_force <= 10 * (after.time + 0.01) &&
                    after.peak_force <= 3.3 * (1 + 1e-9));
    }
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static unsigned told[2];

/* The whole line: file, line, component, and what helps. */
static void count_remedies(const DvMessage *message, void *context)
{
    static const char *const lines[] = {
        "scene.scn:1: SimulatedHapticDevice 'arm': ticks have no priority over other programs: SCHED_FIFO is not "
        "allowed; `ulimit -r 50`, or rtprio in /etc/security/limits.conf, allows it",
        "scene.scn:1: SimulatedHapticDevice 'arm': the memory of the ticks is not locked, so that one may wait "
        "for a page: mlock is refused; `ulimit -l 8192`, or memlock in /etc/security/limits.conf, allows it"};
    DvText text = {0};
    (void)context;
    dv_message_print(message, &text);
    for (int i = 0; i < 2; i++)
        told[i] += strncmp(text.at, lines[i], strlen(lines[i])) == 0;
    dv_text_free(&text);
}

/* In a process that may neither: each is said once, however often it starts, and the ticks are made. */
static void what_the_system_refuses_is_said(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it begins no threads in a child */
#endif
    DvScene *scene = load(both);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_MEMLOCK, &none);
        (void)setrlimit(RLIMIT_RTPRIO, &none);
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(9);
        dv_log_set_handler(count_remedies, NULL);
        unsigned ticks = 0;
        for (int run = 0; run < 2; run++) {
            (void)service()->run_by_clock(scene, true);
            for (int i = 0; i < 200 && ticks < 10 * (unsigned)(run + 1); i++) {
                if (dv_scene_step(scene, 0) != DV_OK)
                    _exit(8);
                wait_ms(2);
                ticks = (unsigned)about(scene).ticks;
            }
            dv_scene_reset(scene);
        }
#ifdef __SANITIZE_ADDRESS__
        told[1] = 1; /* it locks nothing, and says that it did */
#endif
        _exit(told[0] == 1 && told[1] == 1 && ticks > 0 ? 0 : 1 + (int)(told[0] + 4 * told[1]));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    dv_scene_free(scene);
}

static int begin_with_way(void **state)
{
    const int status = begin(state);
    write_file("way.txt", "0 0 0 0.005\n0.1 0 0 -0.003\n0.5 0.01 0 -0.003\n");
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_go_beside_the_steps),
#ifdef WATCHES_CALLS
        cmocka_unit_test(ticks_call_the_clock_and_the_device_alone),
#endif
        cmocka_unit_test(a_silent_device_changes_nothing),
        cmocka_unit_test(it_starts_and_stops_as_often_as_one_likes),
        cmocka_unit_test(a_run_that_is_put_back_begins_slowly),
        cmocka_unit_test(what_the_system_refuses_is_said),
        cmocka_unit_test(parts_come_and_go_meanwhile),
    };
    return cmocka_run_group_tests(tests, begin_with_way, end);
}
