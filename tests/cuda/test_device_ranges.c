/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranges for profilers: what is asked of a device is within ranges that have the names of components, one within another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_scenes.h"

enum { DEEPEST = 8 };

/* What the space has been told, with the launches in between. */
static const DvVectorSpaceOps *plain;
static const char *open[DEEPEST];
static uint64_t begun[DEEPEST];
static int depth;
static struct {
    char name[32], within[32];
    uint64_t launches;
} seen[16];
static int names;

static uint64_t launches_of(DvVectorSpace *space)
{
    return plain->counts(space)->launches;
}

static void range(DvVectorSpace *space, const char *name)
{
    if (name) {
        assert_true(depth < DEEPEST);
        begun[depth] = launches_of(space);
        open[depth++] = name;
        return;
    }
    assert_true(depth > 0);
    depth--;
    const char *within = depth > 0 ? open[depth - 1] : "";
    int i = 0;
    while (i < names && (strcmp(seen[i].name, open[depth]) != 0 || strcmp(seen[i].within, within) != 0))
        i++;
    assert_true(i < 16);
    (void)snprintf(seen[i].name, sizeof seen[i].name, "%s", open[depth]);
    (void)snprintf(seen[i].within, sizeof seen[i].within, "%s", within);
    seen[i].launches += launches_of(space) - begun[depth];
    names = i == names ? i + 1 : names;
}

static uint64_t launches_in(const char *name, const char *within)
{
    for (int i = 0; i < names; i++)
        if (strcmp(seen[i].name, name) == 0 && strcmp(seen[i].within, within) == 0)
            return seen[i].launches;
    return 0;
}

/* A step, in which all that is done there is looked at. */
static void watch(const char *text)
{
    DvScene *scene = with_template(text, "CudaVec3d");
    make_steps(scene, 2);
    DvVectorSpace *space = dv_state_storage(scene_state(scene, "/Body/dofs")).space;
    assert_non_null(space);
    plain = space->ops;
    assert_non_null(plain->range);
    DvVectorSpaceOps watched = *plain;
    watched.range = range;
    names = 0;
    memset(seen, 0, sizeof seen);
    space->ops = &watched;
    make_steps(scene, 1);
    space->ops = plain;
    assert_int_equal(depth, 0);
    dv_scene_free(scene);
}

static void test_ranges_have_the_names_of_components(void **state)
{
    (void)state;
    watch(BEAM(IMPLICIT, "<PlaneForceField name='floor' normal='0 1 0' d='-0.05' stiffness='300'/>"));
    assert_true(launches_in("fem", "") > 0);
    assert_true(launches_in("floor", "") > 0);
    assert_true(launches_in("mass", "") > 0);
    assert_true(launches_in("fem", "cg") > 0);
    assert_true(launches_in("mass", "cg") > 0);
    assert_true(launches_in("cg", "") > launches_in("fem", "cg") + launches_in("mass", "cg"));
}

static void test_preconditioners_are_within_their_solver(void **state)
{
    (void)state;
    watch(BEAM("<EulerImplicitSolver/><PCGLinearSolver name='pcg' iterations='5' tolerance='0' "
               "preconditioner='@factor'/><AsyncSparseLDLSolver name='factor' refresh='50'/>",
               ""));
    assert_true(launches_in("fem", "pcg") > 0);
    assert_true(launches_in("factor", "pcg") > 0);
    assert_int_equal(launches_in("factor", ""), 0);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_have_the_names_of_components),
        cmocka_unit_test(test_preconditioners_are_within_their_solver),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
