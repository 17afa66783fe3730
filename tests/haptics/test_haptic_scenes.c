/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scenes of scenes/haptics: a wall felt through a spring and by constraints, and a liver.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_show_the_harder_wall),
        cmocka_unit_test(a_liver_is_soft),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
