/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each of scenes/ with its states turned to those of a device gives the states of the host after 100 steps: to 1e-9, or ten times as far as
 * starts on the host come apart that are moved by 1e-15. Those that take long are run where DIVAN_LONG is set.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/vector_space.h>
#include <divan/divan.h>

#include "share.h"
#include "turned_scenes.h"

enum { STEPS = 100, STARTS = 3 };

static const char *const long_ones[] = {
    "/beam.scn",        "/cells.scn",       "/cut.scn",          "/cylinder.scn",          "/finger.scn",
    "/liver.scn",       "/liver_tool.scn",  "/liver_probe.scn",  "/static_cantilever.scn", "/first/bar.scn",
    "/first/drawn.scn", "/first/fixed.scn", "/first/loaded.scn",
};

/* None; those of points alone; all. */
typedef enum Turned { NONE, POINTS, ALL } Turned;

/* false: nothing turns that does not with fewer. */
static bool load(const char *file, Turned turned, DvScene **scene)
{
    char folder[2048];
    DvText text = {0};
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(file, '/') - file), file);
    const uint32_t bodies = turned_scene_read(&text, file, turned == NONE ? "" : "Cuda", turned == ALL);
    const bool other = turned != ALL || bodies > 0;
    if (other) {
        assert_int_equal(dv_scene_load_text(text.at, text.length, file, folder, NULL, scene), DV_OK);
        expect_elsewhere(*scene, turned != NONE, turned == ALL);
    }
    dv_text_free(&text);
    return other;
}

static void run(DvScene *scene)
{
    for (int step = 0; step < STEPS; step++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

/* How far apart starts on the host come that are moved by as little as rounding. */
static double known_to(const char *file, const DvScene *host)
{
    double most = 0.0;
    for (uint32_t start = 1; start <= STARTS; start++) {
        DvScene *moved;
        (void)load(file, NONE, &moved);
        move_starts(moved, 1e-15, start);
        run(moved);
        most = fmax(most, states_apart(host, moved));
        dv_scene_free(moved);
    }
    return most;
}

static void expect_like_host(const char *file)
{
    DvScene *host, *other;
    (void)load(file, NONE, &host);
    run(host);
    for (int turned = POINTS; turned <= ALL; turned++) {
        if (!load(file, (Turned)turned, &other))
            continue;
        run(other);
        const double apart = states_apart(host, other), known = apart <= 1e-9 ? 0.0 : known_to(file, host);
        if (!(apart <= fmax(1e-9, 10.0 * known)))
            fail_msg("%s, %s turned: %g apart; moved starts come %g apart", file, turned == ALL ? "all" : "points",
                     apart, known);
        dv_scene_free(other);
    }
    dv_scene_free(host);
}

static bool is_long(const char *file)
{
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
        const size_t length = strlen(file), end = strlen(long_ones[i]);
        if (length >= end && strcmp(file + length - end, long_ones[i]) == 0)
            return true;
    }
    return false;
}

static void expect_all_like_host(bool long_too)
{
    static const char *const below[] = {"/scenes/*.scn", "/scenes/*/*.scn"};
    glob_t found = {0};
    for (int k = 0; k < 2; k++) {
        char pattern[2048];
        (void)snprintf(pattern, sizeof pattern, "%s%s", getenv("DIVAN_TEST_SOURCE_ROOT"), below[k]);
        assert_int_equal(glob(pattern, k ? GLOB_APPEND : 0, NULL, &found), 0);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_long(found.gl_pathv[i]) == long_too)
            expect_like_host(found.gl_pathv[i]);
    globfree(&found);
}

static void test_short_scenes_are_those_of_the_host(void **state)
{
    (void)state;
    expect_all_like_host(false);
}

static void test_long_scenes_are_those_of_the_host(void **state)
{
    (void)state;
    if (share_is_long())
        expect_all_like_host(true);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_scenes_are_those_of_the_host),
        cmocka_unit_test(test_long_scenes_are_those_of_the_host),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
