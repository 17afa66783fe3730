/* SPDX-License-Identifier: MIT
 *
 * MakerArm passes the suite of haptic devices, and drives a tool round its circle.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include <divan-test/haptic_device_conformance.h>
#include <divan-test/scene_text.h>

static void it_conforms(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node><DefaultAnimationLoop/><MakerArm name='arm'/></Node>");
    haptic_device_conforms(scene_object(scene, "/arm"));
    dv_scene_free(scene);
}

static void it_drives_a_tool(void **state)
{
    (void)state;
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load("arm.scn", NULL, &scene), DV_OK);
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    DvHapticAbout about = {0};
    double least = 1, most = -1;
    for (int i = 0; i < 1000 && (about.ticks < 900 || about.snapshots < 50); i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_true(haptics->about(scene, 0, &about));
        assert_true(sqrt(about.force[0] * about.force[0] + about.force[1] * about.force[1]) <= 5.0001);
        const double x = dv_state_read(scene_state(scene, "/tool/state"), DV_POSITION).at[0];
        least = fmin(least, x);
        most = fmax(most, x);
        const struct timespec step = {0, 5000000};
        nanosleep(&step, NULL);
    }
    assert_true(about.ticks >= 900 && about.state == DV_HAPTIC_RUNNING);
    assert_true(most - least > 0.02 && most - least < 0.08); /* a circle of 40 mm, followed */
    assert_true(about.peak_force > 0);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_conforms), cmocka_unit_test(it_drives_a_tool)};
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
