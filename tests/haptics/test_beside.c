/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ticks by the clock beside scenes that are heavy or change: a liver whose trajectory and allocations are untouched by a device that pushes nothing, starts
 * and stops without number, a scene read again, a drill that cuts below its tool. With DIVAN_LONG set there are 20,000 ticks beside the liver.
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
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include "scene_text.h"
#include "share.h"

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

/* Fields are changed before it is initialised. */
static DvScene *load(const char *name, const char *const (*changes)[3])
{
    const DvLoadOptions made = {.no_init = true};
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/haptics/%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load(path, &made, &scene), DV_OK);
    for (; changes && (*changes)[0]; changes++)
        assert_int_equal(
            dv_data_set_text(dv_object_field(scene_object(scene, (*changes)[0]), (*changes)[1]), (*changes)[2]), DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    return scene;
}

static void hush(const DvMessage *message, void *context)
{
    (void)message;
    (void)context;
}

static void a_liver_is_untouched_by_a_silent_device(void **state)
{
    (void)state;
    static const char *const silent[][3] = {{"/Tool/coupling", "activate", "0"}, {"/arm", "rate", "10000"}, {NULL}};
    const bool is_long = share_is_long();
    double *seen[2];
    size_t bytes[2] = {0};
    uint64_t allocated[2];
    int steps = 5;
    for (int run = 1; run >= 0; run--) { /* by the clock, then as many steps without */
        DvScene *scene = load("liver_probe.scn", silent);
        if (run == 1)
            assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const uint64_t before = dv_allocation_count();
        uint64_t states = about(scene).snapshots, ticks = about(scene).ticks;
        for (int i = 0; i < (run ? 2000 : steps); i++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const DvHapticAbout now = about(scene);
            assert_true(now.ticks >= ticks && now.snapshots >= states);
            assert_true(now.snapshots <= (uint64_t)i + 4 && now.clamped == 0 && now.force[0] == 0 && now.force[2] == 0);
            ticks = now.ticks;
            states = now.snapshots;
            if (run == 1 && i >= 4 && (!is_long || ticks >= 20000)) {
                steps = i + 1;
                break;
            }
        }
        allocated[run] = dv_allocation_count() - before;
        assert_true(ticks > 0 && states > 1);
        const DvConstVec x = dv_state_read(scene_state(scene, "/Liver/state"), DV_POSITION);
        bytes[run] = (size_t)x.count * x.dim * sizeof(double);
        seen[run] = test_malloc(bytes[run]);
        memcpy(seen[run], x.at, bytes[run]);
        dv_scene_free(scene);
    }
    assert_int_equal(allocated[0], allocated[1]);
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(seen[0], seen[1], bytes[0]);
    test_free(seen[0]);
    test_free(seen[1]);
}

static void a_thousand_starts_and_stops(void **state)
{
    (void)state;
    static const char *const fast[][3] = {
        {"/peg/coupling", "fadeTime", "0"}, {"/peg/coupling", "rampTime", "0"}, {"/arm", "rate", "10000"}, {NULL}};
    DvScene *scene = load("peg_and_wall.scn", fast);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_true(about(scene).peak_force <= 3.3 * (1 + 1e-9));
        assert_int_equal(service()->run_by_clock(scene, false), DV_OK);
        if (i % 100 == 0)
            dv_scene_reset(scene);
    }
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = 1000000 * ms};
    (void)nanosleep(&time, NULL);
}

/* Removed, moved and read again while the device pushes. */
static void a_scene_is_read_again(void **state)
{
    (void)state;
    dv_log_set_handler(hush, NULL);
    for (int i = 0; i < 5; i++) {
        DvScene *scene = load(i % 2 ? "peg_and_wall_by_constraints.scn" : "peg_and_wall.scn", NULL);
        assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
        for (int k = 0; k < 10; k++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            wait_ms(2);
            if (k == 5)
                dv_scene_reset(scene);
            assert_true(about(scene).peak_force <= 3.3 * (1 + 1e-9));
        }
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
}

static void a_drill_cuts_below_its_tool(void **state)
{
    (void)state;
    char way[] = P_tmpdir "/divan-drill-XXXXXX";
    const int file = mkstemp(way);
    static const char places[] = "0 0 0.0065 0 0\n0.1 0 0.0058 0 1\n0.3 0 0.005 0 1\n";
    assert_true(file >= 0 && write(file, places, strlen(places)) == (ssize_t)strlen(places));
    close(file);
    const char *const soon[][3] = {{"/arm", "filename", way}, {NULL}};
    DvScene *scene = load("tooth_and_drill.scn", soon);
    assert_int_equal(unlink(way), 0);
    DvObject *mesh = scene_object(scene, "/Tooth/volume");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const uint32_t before = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA).count;
    assert_int_equal(service()->run_by_clock(scene, true), DV_OK);
    uint32_t now = before;
    const double dt = dv_node_dt(dv_scene_root(scene));
    for (int i = 0; i < 500 && (now == before || i < 20); i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        wait_ms((long)(500 * dt));
        assert_true(about(scene).peak_force <= 3.3 * (1 + 1e-9));
        now = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA).count;
    }
    assert_true(now < before);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_liver_is_untouched_by_a_silent_device),
        cmocka_unit_test(a_thousand_starts_and_stops),
        cmocka_unit_test(a_scene_is_read_again),
        cmocka_unit_test(a_drill_cuts_below_its_tool),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
