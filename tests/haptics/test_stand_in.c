/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drivers of old scenes act on the devices that are chosen for them, each on its own; nobody else runs those.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/plugin.h>

#include "bad_device.h"
#include "scene_text.h"

static char said[2000];

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    strncat(said, text.at, sizeof said - strlen(said) - 1);
    dv_text_free(&text);
}

static const DvHapticsOps *service(void)
{
    return dv_service(DV_HAPTICS);
}

/* Two drivers, each with a tool that stands still at z = 0.1 and is pulled to it. */
static DvScene *make(const char *const *names, size_t count, DvStatus expected)
{
    static const char text[] =
        "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
        "<Node name='a'><GeomagicDriver name='arm'/><Node name='tool'><EulerImplicitSolver/><CGLinearSolver/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.1 0 0 0 1'/><UniformMass totalMass='10'/>"
        "<VirtualCoupling stiffness='1' angularStiffness='0' rampTime='0'/></Node></Node>"
        "<Node name='b'><GeomagicEmulator name='arm' forceScale='2'/><Node name='tool'><EulerImplicitSolver/><CGLinearSolver/>"
        "<MechanicalObject name='state' template='Rigid3d' position='0 0 0.1 0 0 0 1'/><UniformMass totalMass='10'/>"
        "<VirtualCoupling stiffness='1' angularStiffness='0' rampTime='0'/></Node></Node></Node>";
    const DvLoadOptions load = {.no_init = true};
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, &load, &scene), DV_OK);
    said[0] = '\0';
    dv_log_set_handler(keep, NULL);
    assert_int_equal(service()->use_devices(scene, names, count), expected);
    dv_log_set_handler(NULL, NULL);
    return scene;
}

static double place(DvScene *scene, const char *path)
{
    return dv_data_doubles(dv_object_field(scene_object(scene, path), "positionDevice"), NULL)[0];
}

static void each_driver_has_its_device(void **state)
{
    (void)state;
    DvScene *scene = make((const char *const[]){"BadDevice", "SimulatedHapticDevice"}, 2, DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    /* The bad device stands at 0.005 m, of which one is 100 in the scene; the other at 0. It has ticks at 10 kHz, the other at 1. */
    assert_true(fabs(place(scene, "/a/arm") - 0.5) < 1e-12);
    assert_true(place(scene, "/b/arm") == 0);
    DvHapticAbout about[2];
    assert_int_equal(service()->count(scene), 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(service()->about(scene, i, &about[i]));
    assert_int_equal(about[0].ticks, 1000);
    assert_int_equal(about[1].ticks, 100);
    assert_true(about[0].force[0] < -0.4 && about[0].force[0] > -0.6); /* to the tool, which is at 0 */
    assert_true(about[1].force[0] == 0 && fabs(about[1].force[2] - 0.2) < 0.02);
    dv_scene_reset(scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(service()->about(scene, 0, &about[0]) && about[0].ticks == 100);
    dv_node_remove(dv_object_as_node(scene_object(scene, "/a"))); /* while it runs */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void the_last_goes_for_the_rest(void **state)
{
    (void)state;
    DvScene *scene =
        make((const char *const[]){"SimulatedHapticDevice filename='' motion='hand' rate='500'"}, 1, DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    DvHapticAbout about;
    for (int i = 0; i < 10; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(service()->about(scene, i, &about) && about.ticks == 50);
    dv_scene_free(scene);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *names[3];
        size_t count;
        const char *words;
    } wrong[] = {
        {{"BadDevise"}, 1, "did you mean 'BadDevice'"},
        {{"MechanicalObject"}, 1, "there is no haptic device 'MechanicalObject'; known are BadDevice"},
        {{"GeomagicDriver"}, 1, "there is no haptic device 'GeomagicDriver'"},
        {{""}, 1, "there is no haptic device ''"},
        {{"BadDevice/><GeomagicDriver"}, 1, "there is no haptic device"},
        {{"BadDevice /><GeomagicDriver"}, 1, "behind the class there are fields"},
        {{"BadDevice", "BadDevice", "BadDevice"}, 3, "3 haptic devices are asked for; the scene has 2 drivers"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        DvScene *scene =
            make(wrong[i].names, wrong[i].count, wrong[i].count == 3 ? DV_ERROR_MISSING : DV_ERROR_NOT_FOUND);
        if (!strstr(said, wrong[i].words))
            fail_msg("%zu: %s", i, said);
        dv_scene_free(scene);
    }
    static const char *const fields[] = {"Nobody", "BadDevice speed=&quot;3"};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><GeomagicDriver device='%s'/></Node>", fields[i]);
        DvScene *scene = NULL;
        said[0] = '\0';
        dv_log_set_handler(keep, NULL);
        assert_int_not_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_non_null(strstr(said, i == 0 ? "no haptic device 'Nobody'" : "/GeomagicDriver1"));
        dv_scene_free(scene);
    }
}

static const char *told(DvScene *scene)
{
    return dv_data_string(dv_object_field(scene_object(scene, "/listener"), "log"));
}

/* At the begin of each step a device tells the scene where it is, and its buttons; a driver of old scenes tells of two buttons by name, if it is asked to. */
static void scenes_are_told_of_devices(void **state)
{
    (void)state;
    char way[] = P_tmpdir "/divan-told-XXXXXX", text[1000];
    const int file = mkstemp(way);
    static const char places[] = "0 0.001 0.002 0.003 0 0 0.6 0.8 0\n0.015 0.001 0.002 0.003 0 0 0.6 0.8 5\n"
                                 "0.035 0.001 0.002 0.003 0 0 0.6 0.8 2\n0.055 0.001 0.002 0.003 0 0 0.6 0.8 0\n";
    assert_true(file >= 0 && write(file, places, strlen(places)) == (ssize_t)strlen(places));
    close(file);
    static const char *const devices[] = {"SimulatedHapticDevice scale='10'",
                                          "GeomagicDriver scale='0.1' emitButtonEvent='1'",
                                          "GeomagicDriver scale='0.1'"};
    for (int d = 0; d < 3; d++) {
        static const unsigned buttons[] = {0, 0, 5, 5, 2, 2, 0};
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><%s name='arm' filename='%s' resolution='0'/>"
            "<BadListener name='listener'/></Node>",
            devices[d], way);
        DvScene *scene = NULL;
        dv_log_set_handler(keep, NULL);
        assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
        dv_log_set_handler(NULL, NULL);
        DvText law = {0};
        for (int i = 0; i < 7; i++) {
            const unsigned now = buttons[i], changed = now ^ (i > 0 ? buttons[i - 1] : 0);
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            dv_text_add(&law, "/arm 0.01 0.02 0.03 0 0 0.6 0.8 buttons %u of %u\n", now, changed);
            for (unsigned b = 0; b < 2 && d == 1; b++)
                if (changed >> b & 1u)
                    dv_text_add(&law, "button%u%s\n", b + 1, now >> b & 1u ? "pressed" : "released");
        }
        assert_string_equal(told(scene), law.at);
        dv_text_free(&law);
        dv_scene_free(scene);
    }
    assert_int_equal(unlink(way), 0);
}

static int begin(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){BAD_DEVICE, NULL}}) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_driver_has_its_device),
        cmocka_unit_test(the_last_goes_for_the_rest),
        cmocka_unit_test(scenes_are_told_of_devices),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, begin, stop_plugins);
}
