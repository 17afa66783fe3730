/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device that is lost, or has no memory, at any call: one error, no number that is none, the last good state, and a scene that goes on on the
 * host. The emulated device is made to fail.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_scenes.h"

#define NUMBERS (45 * 3)
enum { STEPS = 6 };

static struct {
    unsigned errors, warnings;
    char last[512];
} said;

static void count_messages(const DvMessage *message, void *context)
{
    (void)context;
    said.errors += message->level == DV_LEVEL_ERROR;
    said.warnings += message->level == DV_LEVEL_WARNING;
    if (message->level == DV_LEVEL_ERROR)
        (void)snprintf(said.last, sizeof said.last, "%s", message->text);
}

static void set_number(const char *name, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    assert_int_equal(value ? setenv(name, text, 1) : unsetenv(name), 0);
}

/* NULL: it does not load. */
static DvScene *load(void)
{
    char text[4096];
    assert_true((size_t)snprintf(text, sizeof text, BEAM(IMPLICIT, LOADS), "CudaVec3d") < sizeof text);
    DvScene *scene = NULL;
    if (dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene) == DV_OK)
        return scene;
    dv_scene_free(scene);
    return NULL;
}

static void copy_positions(const DvScene *scene, double *to)
{
    const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
    assert_int_equal(x.count * x.dim, NUMBERS);
    memcpy(to, x.at, NUMBERS * sizeof *to);
    for (int i = 0; i < NUMBERS; i++)
        assert_true(isfinite(to[i]));
}

static double good[STEPS + 1][NUMBERS];

/* What the steps are when nothing fails, and how many bytes come home in each. */
static uint64_t run_whole(uint64_t *bytes)
{
    DvScene *scene = load();
    assert_non_null(scene);
    copy_positions(scene, good[0]);
    DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    const uint64_t before = space->ops->counts(space)->bytes_got;
    for (int i = 1; i <= STEPS; i++) {
        make_steps(scene, 1);
        if (!bytes)
            copy_positions(scene, good[i]);
    }
    const DvSpaceCounts counts = *space->ops->counts(space);
    if (bytes)
        *bytes = counts.bytes_got - before;
    dv_scene_free(scene);
    return counts.bytes_held;
}

/* Until it fails; the step that failed, 0: none, -1: it did not load. */
static int run_to_failure(DvScene **out, DvStatus *status)
{
    memset(&said, 0, sizeof said);
    DvScene *scene = load();
    *out = scene;
    *status = DV_OK;
    for (int i = 1; i <= STEPS && scene; i++) {
        *status = dv_scene_step(scene, 0);
        if (*status != DV_OK)
            return i;
    }
    return scene ? 0 : -1;
}

/* The state of a step is back, on the host, where the scene goes on. */
static void expect_state(DvScene *scene, int step)
{
    const DvStepCheckOps *check = dv_service(DV_STEP_CHECK);
    double now[NUMBERS];
    copy_positions(scene, now); /* whatever it is */
    assert_true(check->restore_last_good(dv_scene_root(scene)));
    assert_null(dv_state_storage(scene_state(scene, "/Body/dofs")).space);
    copy_positions(scene, now);
    assert_memory_equal(now, good[step], sizeof now);
    assert_int_equal(said.errors, 1);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    copy_positions(scene, now);
    for (int i = 0; i < NUMBERS && step < STEPS; i++)
        if (!(fabs(now[i] - good[step + 1][i]) <= 1e-9))
            fail_msg("on the host step %d gives %.17g, not %.17g", step + 1, now[i], good[step + 1][i]);
}

/* That every call may be the last one. */
static void lose_at_any_call(uint64_t every)
{
    uint64_t call = 1;
    int failed = 1, seen = 0;
    set_number("DIVAN_HOST_COPY", every);
    while (failed != 0) {
        DvScene *scene;
        DvStatus status;
        set_number("DIVAN_DEVICE_LOST", call);
        failed = run_to_failure(&scene, &status);
        set_number("DIVAN_DEVICE_LOST", 0);
        if (failed != 0) {
            assert_int_equal(said.errors, 1);
            assert_non_null(
                strstr(said.last, "is lost to this process: start again, with --no-gpu if it happens again"));
        }
        if (failed > 0) {
            assert_int_equal(status, DV_ERROR_IO);
            assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_IO); /* nor is there any other step */
            const int copy = every ? (failed - 1) / (int)every * (int)every : 0;
            expect_state(scene, copy);
            assert_true(fabs(dv_node_time(dv_scene_root(scene)) - 0.01 * (copy + 1)) < 1e-12);
            assert_int_equal(said.warnings, 1); /* of which time it is */
            seen++;
        }
        dv_scene_free(scene);
        call += 1 + call / 3;
    }
    assert_true(seen > 8);
}

static void test_a_lost_device_ends_the_run_with_a_good_state(void **state)
{
    (void)state;
    (void)run_whole(NULL);
    lose_at_any_call(0);
    lose_at_any_call(2);
    set_number("DIVAN_HOST_COPY", 0);
}

/* A body of the host beside one of the device is of the same time as the copy. */
static void test_states_of_the_host_go_back_with_the_copy(void **state)
{
    (void)state;
    enum { EVERY = 3 };
    const char *text =
        "<Node name='root' dt='0.25' gravity='0 -8 0'><DefaultAnimationLoop/><Node name='Body'><EulerExplicitSolver/>"
        "<MechanicalObject name='dofs' template='CudaVec3d' position='1 2 3'/><UniformMass totalMass='2'/></Node>"
        "<Node name='Beside'><EulerExplicitSolver/><MechanicalObject name='dofs' template='Vec3d' position='4 2 3'/>"
        "<UniformMass totalMass='2'/></Node></Node>";
    int seen = 0;
    set_number("DIVAN_HOST_COPY", EVERY);
    for (uint64_t call = 60; call < 400; call += 7) {
        set_number("DIVAN_DEVICE_LOST", call);
        DvScene *scene = scene_from_text(text);
        int step = 0;
        while (step < 40 && dv_scene_step(scene, 0) == DV_OK)
            step++;
        set_number("DIVAN_DEVICE_LOST", 0);
        if (step < 40) {
            const DvStepCheckOps *check = dv_service(DV_STEP_CHECK);
            assert_true(check->restore_last_good(dv_scene_root(scene)));
            const DvConstVec a = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION),
                             b = dv_state_read(scene_state(scene, "/Beside/dofs"), DV_POSITION);
            const double steps = dv_node_time(dv_scene_root(scene)) / 0.25;
            /* Lost while a copy is made: the one before it counts. */
            const int of_copy = step - step % EVERY;
            assert_true(steps == of_copy || steps + EVERY == step);
            assert_true(a.at[1] == 2.0 - 0.25 * steps * (steps + 1)); /* g dt^2 for each velocity so far */
            assert_true(a.at[1] == b.at[1]);
            seen += step % EVERY > 1;
        }
        dv_scene_free(scene);
    }
    set_number("DIVAN_HOST_COPY", 0);
    assert_true(seen > 0);
}

static void test_copies_on_the_host_are_counted(void **state)
{
    (void)state;
    uint64_t with, without;
    (void)run_whole(&without);
    set_number("DIVAN_HOST_COPY", 2);
    (void)run_whole(&with);
    set_number("DIVAN_HOST_COPY", 0);
    assert_int_equal(with - without, STEPS / 2 * 2 * NUMBERS * sizeof(double));
}

static void test_memory_that_is_not_there_ends_the_run_with_a_good_state(void **state)
{
    (void)state;
    const uint64_t needed = run_whole(NULL);
    int ended[3] = {0, 0, 0};
    for (uint64_t most = needed / 16; most <= needed; most += needed / 16) {
        DvScene *scene;
        DvStatus status;
        set_number("DIVAN_DEVICE_MEMORY", most);
        const int failed = run_to_failure(&scene, &status);
        set_number("DIVAN_DEVICE_MEMORY", 0);
        ended[failed < 0 ? 0 : failed > 0 ? 1 : 2]++;
        if (failed > 0) {
            assert_int_equal(status, DV_ERROR_LIMIT);
            assert_non_null(strstr(said.last, "the device has no memory for "));
            expect_state(scene, failed - 1);
            assert_int_equal(said.warnings, 0);
        }
        dv_scene_free(scene);
    }
    assert_true(ended[1] > 3);
}

static int start_with_device(void **state)
{
    const int status = setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
    dv_log_set_handler(count_messages, NULL);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lost_device_ends_the_run_with_a_good_state),
        cmocka_unit_test(test_states_of_the_host_go_back_with_the_copy),
        cmocka_unit_test(test_copies_on_the_host_are_counted),
        cmocka_unit_test(test_memory_that_is_not_there_ends_the_run_with_a_good_state),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
