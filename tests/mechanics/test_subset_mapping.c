/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SubsetMapping for each type, and which points it takes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/topology.h>
#include <divan/math/vec.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define PAIR(type, positions, child, attributes)                                                       \
    "<Node name='root'><MechanicalObject name='parent' template='" type "' position='" positions "'/>" \
    "<Node name='Child'><MechanicalObject name='mapped' template='" type "' position='" child "'/>"    \
    "<SubsetMapping name='map' " attributes "/></Node></Node>"

#define REASON .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"
#define POINTS "1 2 3  4 5 6  7 8 9  0 1 0"
#define BODIES "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"

MAPPING_CONFORMANCE(points_by_list, .scene = PAIR("Vec3d", POINTS, "0 0 0", "indices='2 0 2'"), REASON)
MAPPING_CONFORMANCE(numbers_by_range, .scene = PAIR("Vec1d", "1 2 3 4 5", "0", "first='1' last='3'"), REASON)
MAPPING_CONFORMANCE(bodies_by_list, .scene = PAIR("Rigid3d", BODIES, "0 0 0 0 0 0 1", "indices='2 1'"), REASON)

static void assert_points(const char *scene_text, const double *expected, uint32_t count)
{
    DvScene *scene = scene_from_text(scene_text);
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    assert_int_equal(x.count, count);
    assert_memory_equal(x.at, expected, (size_t)count * x.dim * sizeof *expected);
    dv_scene_free(scene);
}

static void points_are_those_of_the_list_or_the_range(void **state)
{
    (void)state;
    static const double list[] = {7, 8, 9, 1, 2, 3, 7, 8, 9}, range[] = {4, 5, 6, 7, 8, 9}, rest[] = {7, 8, 9, 0, 1, 0};
    static const double all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 0};
    assert_points(PAIR("Vec3d", POINTS, "0 0 0", "indices='2 0 2'"), list, 3);
    assert_points(PAIR("Vec3d", POINTS, "0 0 0", "first='1' last='2'"), range, 2);
    assert_points(PAIR("Vec3d", POINTS, "0 0 0", "first='2' last='99'"), rest, 2);
    assert_points(PAIR("Vec3d", POINTS, "0 0 0", "first='99'"), all, 4); /* a first point beyond the end is point 0 */
}

/* The nearest within the radius, the lowest of equally near ones; without any it stays where it is at rest. */
static void without_a_list_each_point_takes_the_nearest(void **state)
{
    (void)state;
    static const double expected[] = {4, 5, 6, 0, 1, 0, 20, 20, 20};
    assert_points(PAIR("Vec3d", POINTS, "4.1 5 6  0 1 0.2  20 20 20", "radius='0.5'"), expected, 3);
    static const double lower[] = {1, 0, 0};
    assert_points(PAIR("Vec3d", "9 9 9  1 0 0  3 0 0", "2 0 0", "radius='1.5'"), lower, 1);
}

/* Of many points in space, as a search through all finds them; none is farther than the radius. */
static void the_nearest_of_many_are_taken(void **state)
{
    (void)state;
    enum { IN = 30, OUT = 20 };
    double in[IN][3] = {{0}}, out[OUT][3] = {{0}};
    DvText text = {0}, points[2] = {{0}};
    for (int i = 0; i < IN + OUT; i++) {
        double *at = i < IN ? in[i] : out[i - IN];
        for (int c = 0; c < 3; c++)
            dv_text_add(&points[i >= IN], "%.17g ", at[c] = sin(1.7 * i * i + (2.3 * i + 1) * c));
    }
    dv_text_add(&text,
                "<Node name='root'><MechanicalObject name='parent' position='%s'/><Node name='Child'><MechanicalObject "
                "name='mapped' position='%s'/><SubsetMapping radius='0.4' ignoreNotFound='1'/></Node></Node>",
                points[0].at, points[1].at);
    int far = 0;
    for (int i = 0; i < OUT; i++) {
        const double *taken = out[i];
        double least = 0.4 * 0.4;
        for (int j = 0; j < IN; j++) {
            const DvVec3 d = dv_vec3_sub(dv_vec3_load(in[j]), dv_vec3_load(out[i]));
            if (dv_vec3_norm_squared(d) < least) {
                least = dv_vec3_norm_squared(d);
                taken = in[j];
            }
        }
        far += taken == out[i];
        memmove(out[i], taken, sizeof out[i]);
    }
    assert_true(far > 2 && far < OUT - 5);
    assert_points(text.at, out[0], OUT);
    for (int i = 0; i < 2; i++)
        dv_text_free(&points[i]);
    dv_text_free(&text);
}

/* A number that no point has is left out with its point, or leaves its point where it is. */
static void numbers_of_no_point_are_left_out_or_ignored(void **state)
{
    (void)state;
    static const double left_out[] = {7, 8, 9, 1, 2, 3}, ignored[] = {7, 8, 9, -2, -2, -2, 1, 2, 3};
    assert_points(PAIR("Vec3d", POINTS, "-1 -1 -1  -2 -2 -2", "indices='2 9 0'"), left_out, 2);
    assert_points(PAIR("Vec3d", POINTS, "-1 -1 -1  -2 -2 -2  -3 -3 -3", "indices='2 9 0' ignoreNotFound='1'"), ignored,
                  3);
}

static void forces_of_repeated_points_add_up(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(PAIR("Vec3d", POINTS, "0 0 0", "indices='2 0 2'"));
    DvObject *map = scene_object(scene, "/Child/map");
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const double out[9] = {1, 2, 3, 10, 20, 30, 100, 200, 300};
    double in[12] = {0};
    in[0] = 5;
    ops->apply_jt(dv_object_self(map), &(const DvStep){.dt = 0.01}, &(const DvConstVec){out, 3, 3},
                  &(const DvVec){in, 4, 3});
    static const double expected[12] = {15, 20, 30, 0, 0, 0, 101, 202, 303, 0, 0, 0};
    assert_memory_equal(in, expected, sizeof expected);
    dv_scene_free(scene);
}

/* Removed points leave with their entries, the last point takes the number of a removed one. */
static void the_list_follows_the_mesh_of_the_input(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><PointSetTopologyContainer name='points' nbPoints='4'/><PointSetTopologyModifier name='modifier'/>"
        "<MechanicalObject name='parent' position='" POINTS "'/><Node name='Child'><MechanicalObject name='mapped'/>"
        "<SubsetMapping name='map' indices='3 1 2' resizeToModel='1' topology='@../points'/></Node></Node>");
    DvObject *modifier = scene_object(scene, "/modifier"), *map = scene_object(scene, "/Child/map");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const uint32_t removed = 1;
    assert_int_equal(ops->remove_points(dv_object_self(modifier), 1, &removed), DV_OK);
    size_t count;
    const uint32_t *indices = dv_data_uints(dv_object_field(map, "indices"), &count);
    assert_int_equal(count, 2);
    const DvStateRef parent = scene_state(scene, "/parent"), child = scene_state(scene, "/Child/mapped");
    assert_int_equal(dv_state_count(child), 2);
    /* the points it names are those it named before, but for the one that has gone */
    const DvConstVec x = dv_state_read(parent, DV_POSITION);
    bool fourth = false, third = false;
    for (size_t i = 0; i < count; i++) {
        fourth = fourth || memcmp(x.at + 3 * indices[i], (const double[]){0, 1, 0}, 3 * sizeof(double)) == 0;
        third = third || memcmp(x.at + 3 * indices[i], (const double[]){7, 8, 9}, 3 * sizeof(double)) == 0;
    }
    assert_true(third && fourth);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_by_list),
        cmocka_unit_test(numbers_by_range),
        cmocka_unit_test(bodies_by_list),
        cmocka_unit_test(points_are_those_of_the_list_or_the_range),
        cmocka_unit_test(without_a_list_each_point_takes_the_nearest),
        cmocka_unit_test(the_nearest_of_many_are_taken),
        cmocka_unit_test(numbers_of_no_point_are_left_out_or_ignored),
        cmocka_unit_test(forces_of_repeated_points_add_up),
        cmocka_unit_test(the_list_follows_the_mesh_of_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
