/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetMultiMapping for each type, what it copies, and what it says of pairs that name nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define SCENE(type, first, second, child_type, child, attributes)                                         \
    "<Node name='root'><Node name='a'><MechanicalObject name='x' template='" type "' position='" first    \
    "'/></Node><MechanicalObject name='x' template='" type "' position='" second "'/><Node name='Child'>" \
    "<MechanicalObject name='mapped' template='" child_type "' position='" child "'/>"                    \
    "<SubsetMultiMapping name='map' input='@/a/x @/x' output='@mapped' " attributes "/></Node></Node>"

#define REASON       .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"
#define POINTS       "1 2 3  4 5 6  7 8 9"
#define OTHERS       "0 1 0  0 2 0"
#define BODIES       "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5"
#define OTHER_BODIES "2 0 0 0 0.6 0 0.8"

MAPPING_CONFORMANCE(points, .scene = SCENE("Vec3d", POINTS, OTHERS, "Vec3d", "0 0 0", "indexPairs='0 2 1 1 0 2 1 0'"),
                    REASON)
MAPPING_CONFORMANCE(pairs_of_numbers, .scene = SCENE("Vec2d", "1 2 3 4", "5 6", "Vec2d", "0 0", "indexPairs='1 0 0 1'"),
                    REASON)
MAPPING_CONFORMANCE(numbers, .scene = SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", "indexPairs='0 2 1 0 0 0'"), REASON)
MAPPING_CONFORMANCE(bodies,
                    .scene = SCENE("Rigid3d", BODIES, OTHER_BODIES, "Rigid3d", "0 0 0 0 0 0 1", "indexPairs='1 0 0 1'"),
                    REASON)
MAPPING_CONFORMANCE(centres_of_bodies,
                    .scene = SCENE("Rigid3d", BODIES, OTHER_BODIES, "Vec3d", "0 0 0", "indexPairs='0 1 1 0 0 0'"),
                    REASON)

static void assert_output(const char *scene_text, const double *expected, uint32_t count)
{
    DvScene *scene = scene_from_text(scene_text);
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_int_equal(x.count, count);
    assert_memory_equal(x.at, expected, (size_t)count * x.dim * sizeof *expected);
    dv_scene_free(scene);
}

static void the_output_is_what_the_pairs_name(void **state)
{
    (void)state;
    static const double copied[] = {7, 8, 9, 0, 2, 0, 7, 8, 9}, centres[] = {0, 1, 0, 2, 0, 0};
    static const double turned[] = {2, 0, 0, 0, 0.6, 0, 0.8, 0, 1, 0, 0.5, 0.5, 0.5, 0.5};
    assert_output(SCENE("Vec3d", POINTS, OTHERS, "Vec3d", "0 0 0", "indexPairs='0 2 1 1 0 2'"), copied, 3);
    assert_output(SCENE("Rigid3d", BODIES, OTHER_BODIES, "Vec3d", "0 0 0", "indexPairs='0 1 1 0'"), centres, 2);
    assert_output(SCENE("Rigid3d", BODIES, OTHER_BODIES, "Rigid3d", "0 0 0 0 0 0 1", "indexPairs='1 0 0 1'"), turned,
                  2);
}

/* The output grows with a list that is edited. */
static void pairs_may_be_edited(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", "indexPairs='0 2'"));
    DvObject *map = scene_object(scene, "/Child/map");
    assert_int_equal(dv_data_set_text(dv_object_field(map, "indexPairs"), "1 0 0 0 0 1"), DV_OK);
    assert_int_equal(dv_object_reinit(map), DV_OK);
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    static const double expected[] = {4, 1, 2};
    assert_int_equal(x.count, 3);
    assert_memory_equal(x.at, expected, sizeof expected);
    dv_scene_free(scene);
}

static void pairs_that_name_nothing_are_refused(void **state)
{
    (void)state;
    expect_load_error(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", ""), "SubsetMultiMapping 'map': indexPairs: holds 0");
    expect_load_error(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", "indexPairs='0 1 1'"), "holds 3 numbers");
    expect_load_error(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", "indexPairs='0 1 2 0'"), "2: input names 2 states");
    expect_load_error(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0", "indexPairs='0 1 1 1'"), "point 1");
    expect_load_error(SCENE("Vec1d", "1 2 3", "4", "Vec1d", "0",
                            "indexPairs='0 1'/><SubsetMultiMapping input='@/x @/x' indexPairs='0 1'"),
                      "twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points),
        cmocka_unit_test(pairs_of_numbers),
        cmocka_unit_test(numbers),
        cmocka_unit_test(bodies),
        cmocka_unit_test(centres_of_bodies),
        cmocka_unit_test(the_output_is_what_the_pairs_name),
        cmocka_unit_test(pairs_may_be_edited),
        cmocka_unit_test(pairs_that_name_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
