/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scenes of scenes/haptics: a wall felt through a spring and by constraints, a liver, a tooth that a drill carves, forceps that lift a bead.
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

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "scene_text.h"

static DvScene *load(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/haptics/%s", getenv("DIVAN_TEST_SOURCE_ROOT"), name);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load(path, NULL, &scene), DV_OK);
    return scene;
}

/* Mean of the vertical force over steps, and where the hand is at their end. */
static double mean_force(DvScene *scene, int steps, double *height)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    DvHapticAbout about;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_true(haptics->about(scene, 0, &about));
        sum += about.force[2];
    }
    *height = dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "positionDevice"), NULL)[2];
    return sum / steps;
}

/* The hand pulls towards 4 mm behind the wall: what it feels there over how deep it comes is the stiffness that is felt. */
static void constraints_show_the_harder_wall(void **state)
{
    (void)state;
    static const char *const names[] = {"peg_and_wall.scn", "peg_and_wall_by_constraints.scn"};
    double drag[2], felt[2], height;
    for (int i = 0; i < 2; i++) {
        DvScene *scene = load(names[i]);
        (void)mean_force(scene, 25, &height);
        drag[i] = mean_force(scene, 20, &height); /* still above the wall */
        assert_true(height > 0.002);
        (void)mean_force(scene, 55, &height);
        felt[i] = mean_force(scene, 50, &height);
        assert_true(felt[i] > 0.3);
        assert_true(height > -0.001); /* of 4 mm */
        dv_scene_free(scene);
    }
    assert_true(drag[0] > 0.01 && drag[1] == 0);
}

static void a_liver_is_soft(void **state)
{
    (void)state;
    DvScene *scene = load("liver_probe.scn");
    double height;
    assert_true(isfinite(mean_force(scene, 4, &height)));
    dv_scene_free(scene);
}

static DvVec3 point(DvScene *scene, const char *path, size_t index)
{
    const DvConstVec x = dv_state_read(scene_state(scene, path), DV_POSITION);
    assert_true(index < x.count);
    return dv_vec3_load(x.at + x.dim * index);
}

/* ---- The tooth ---- */

static const double burr = 0.0008, reach = 0.001; /* m: radius; how near to its centre it takes away */

/* Middles of the tetrahedra. It is the caller's. */
static DvVec3 *middles(DvScene *scene, uint32_t *count)
{
    DvObject *mesh = scene_object(scene, "/Tooth/volume");
    const DvTopologyOps *ops = dv_object_ops(mesh, DV_TOPOLOGY);
    const DvElements tetrahedra = ops->elements(dv_object_self(mesh), DV_TETRAHEDRA);
    DvVec3 *all = test_calloc(tetrahedra.count, sizeof *all);
    for (uint32_t t = 0; t < tetrahedra.count; t++)
        for (uint32_t i = 0; i < 4; i++)
            all[t] = dv_vec3_madd(all[t], 0.25, point(scene, "/Tooth/state", tetrahedra.at[4 * t + i]));
    *count = tetrahedra.count;
    return all;
}

static double nearest(const DvVec3 *points, uint32_t count, DvVec3 to)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        least = fmin(least, dv_vec3_distance(points[i], to));
    return least;
}

static void a_drill_takes_what_it_touches(void **state)
{
    (void)state;
    DvScene *scene = load("tooth_and_drill.scn");
    DvData *button = dv_object_field(scene_object(scene, "/arm"), "button1");
    uint32_t before, after;
    double height;
    DvVec3 way[400], *whole = middles(scene, &before);
    (void)mean_force(scene, 60, &height);
    const double force = mean_force(scene, 10, &height);
    /* At rest on the enamel: the hand feels the spring, and the burr stays outside. */
    const DvVec3 tool = point(scene, "/Drill/state", 0);
    const double device = dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "positionDevice"), NULL)[1];
    DvHapticAbout about;
    assert_true(((const DvHapticsOps *)dv_service(DV_HAPTICS))->about(scene, 0, &about));
    assert_true(about.force[1] > 0.3 && fabs(about.force[1] - 400 * (tool.y - device)) < 0.01 * about.force[1]);
    assert_true(fabs(force) < 0.01); /* along z: nothing */
    DvVec3 *left = middles(scene, &after);
    test_free(left);
    assert_int_equal(after, before);
    /* The button is pressed. */
    uint32_t ways = 0;
    double deepest = INFINITY;
    while (!dv_data_bool(button))
        (void)mean_force(scene, 1, &height);
    for (; ways < 400 && dv_data_bool(button); ways++) {
        (void)mean_force(scene, 1, &height);
        way[ways] = point(scene, "/Drill/state", 0);
        deepest = fmin(deepest, way[ways].y);
    }
    assert_true(deepest < tool.y - 0.0025);
    left = middles(scene, &after);
    assert_true(after < before - 100);
    for (uint32_t t = 0; t < before; t++) {
        const bool gone = nearest(left, after, whole[t]) > 0;
        const double from_way = nearest(way, ways, whole[t]);
        assert_true(gone ? from_way < reach + 0.0012
                         : from_way > 0.9 * burr); /* no corner is further from the middle */
    }
    test_free(whole);
    test_free(left);
    dv_scene_free(scene);
}

/* ---- Forceps ---- */

/* How high the bead has been lifted, and how far its weight is from what the hand feels. */
static void lift(DvScene *scene, double *lifted, double *weight)
{
    double height;
    for (int i = 0; i < 55; i++) {
        (void)mean_force(scene, 1, &height);
        /* The hinges hold, and the jaws are open. */
        for (size_t h = 0; h < 2; h++)
            assert_true(dv_vec3_distance(point(scene, "/Forceps/Hinges/joints", h),
                                         point(scene, "/Forceps/Hinges/joints", 2 + h)) < 1e-5);
        assert_true(dv_vec3_distance(point(scene, "/Forceps/bones", 1), point(scene, "/Forceps/bones", 2)) > 0.0158);
    }
    const double table = point(scene, "/Bead/centre", 0).y;
    (void)mean_force(scene, 195, &height);
    DvHapticAbout about;
    assert_true(((const DvHapticsOps *)dv_service(DV_HAPTICS))->about(scene, 0, &about));
    *lifted = point(scene, "/Bead/centre", 0).y - table;
    *weight = -about.force[1];
}

static void forceps_lift_a_bead_by_the_button(void **state)
{
    (void)state;
    double lifted, weight;
    DvScene *scene = load("forceps.scn");
    lift(scene, &lifted, &weight);
    assert_true(lifted > 0.025 && fabs(weight - 0.01 * 9.81) < 1e-4);
    dv_scene_reset(scene);
    /* A button without a spring. */
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/Forceps/Grip/closes"), "stiffness"), "0"),
                     DV_OK);
    lift(scene, &lifted, &weight);
    assert_true(fabs(lifted) < 1e-4 && fabs(weight) < 1e-4);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_show_the_harder_wall),
        cmocka_unit_test(a_liver_is_soft),
        cmocka_unit_test(a_drill_takes_what_it_touches),
        cmocka_unit_test(forceps_lift_a_bead_by_the_button),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
