/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MechanicalStateController by its rules; GeomagicDriver by its placement, its force and its events; force feedbacks of old scenes that show nothing.
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
#include <divan/input.h>
#include <divan/math/rigid.h>
#include <divan/moment.h>
#include <divan/plugin.h>

#include "folder.h"
#include "haptic_device_conformance.h"
#include "scene_text.h"

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, NULL, &scene), DV_OK);
    return scene;
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void mouse(DvScene *scene, DvMouseChange change, DvPressedButton button, int x, int y)
{
    const DvMouseEvent data = {.move = {x, y}, .change = change, .button = button};
    DvEvent event = {.kind = DV_EVENT_MOUSE, .data = &data};
    dv_event_send(dv_scene_root(scene), &event);
}

static void drag(DvScene *scene, DvPressedButton button, int x, int y)
{
    mouse(scene, DV_MOUSE_PRESSED, button, 0, 0);
    mouse(scene, DV_MOUSE_MOVED, button, x, y);
    steps(scene, 1);
    mouse(scene, DV_MOUSE_RELEASED, button, 0, 0);
}

static DvScene *load_controlled(const char *attributes)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><Node name='body'>"
                "<MechanicalObject name='state' template='Rigid3d' position='1 2 3 0 0 0.6 0.8'/>"
                "<MechanicalStateController listening='1' %s/><Node name='points'><MechanicalObject name='p' "
                "position='1 0 0'/><RigidMapping/></Node></Node></Node>",
                attributes);
    DvScene *scene = load(text.at);
    dv_text_free(&text);
    return scene;
}

static DvRigid3 frame(DvScene *scene)
{
    return dv_rigid3_load(dv_state_read(scene_state(scene, "/body/state"), DV_POSITION).at);
}

static void is_near(DvVec3 a, DvVec3 b)
{
    assert_true(dv_vec3_distance(a, b) < 1e-12);
}

static void the_left_button_turns(void **state)
{
    (void)state;
    DvScene *scene = load_controlled("");
    const DvQuat before = frame(scene).orientation;
    drag(scene, DV_LEFT_BUTTON, 100, 50);
    const DvQuat law = dv_quat_mul(before, dv_quat_mul(dv_quat_from_axis_angle(dv_vec3(0, 1, 0), 0.1),
                                                       dv_quat_from_axis_angle(dv_vec3(0, 0, 1), 0.05)));
    const DvQuat now = frame(scene).orientation;
    assert_true(fabs(dv_quat_dot(law, now) - 1) < 1e-14);
    is_near(frame(scene).center, dv_vec3(1, 2, 3));
    /* What hangs on it has followed. */
    is_near(dv_vec3_load(dv_state_read(scene_state(scene, "/body/points/p"), DV_POSITION).at),
            dv_rigid3_to_world(frame(scene), dv_vec3(1, 0, 0)));
    steps(scene, 1);
    assert_true(dv_quat_dot(now, frame(scene).orientation) == dv_quat_dot(now, now)); /* let go of */
    dv_scene_free(scene);
}

static void key(DvScene *scene, int which, uint32_t held)
{
    const DvKeyStroke stroke = {.held = held};
    DvEvent event = {.kind = DV_EVENT_KEY_PRESSED, .key = which, .data = &stroke};
    dv_event_send(dv_scene_root(scene), &event);
}

/* Arrows are ways of the pointer: the same frames as by the mouse, and nothing where no way is given. */
static void arrows_move_as_the_mouse_does(void **state)
{
    (void)state;
    static const char *const kinds[] = {"keyWay='20'", "keyWay='20' onlyTranslation='1'",
                                        "keyWay='20' handleEventTriggersUpdate='1'"};
    static const int keys[] = {18, 19, 20, 21}, ways[][2] = {{-20, 0}, {0, -20}, {20, 0}, {0, 20}};
    static const uint32_t held[] = {0, DV_KEY_SHIFT, DV_KEY_CONTROL};
    static const DvPressedButton buttons[] = {DV_LEFT_BUTTON, DV_RIGHT_BUTTON, DV_MIDDLE_BUTTON};
    for (int k = 0; k < 3; k++) {
        DvScene *by_keys = load_controlled(kinds[k]), *by_mouse = load_controlled(kinds[k]);
        for (int i = 0; i < 12; i++) {
            key(by_keys, keys[i % 4], held[i / 4]);
            steps(by_keys, 1);
            drag(by_mouse, buttons[i / 4], ways[i % 4][0], ways[i % 4][1]);
            const DvRigid3 a = frame(by_keys), b = frame(by_mouse);
            assert_memory_equal(&a, &b, sizeof a);
        }
        dv_scene_free(by_keys);
        dv_scene_free(by_mouse);
    }
    DvScene *scene = load_controlled("");
    const DvRigid3 before = frame(scene);
    key(scene, 20, 0);
    steps(scene, 2);
    const DvRigid3 after = frame(scene);
    assert_memory_equal(&before, &after, sizeof after);
    dv_scene_free(scene);
}

/* A button that is held, and a way that no step has done yet, are in a moment and in a saved scene. */
static void what_is_held_is_remembered(void **state)
{
    (void)state;
    DvScene *scene = load_controlled("onlyTranslation='1'");
    DvMoment *moment = dv_moment_new(scene);
    mouse(scene, DV_MOUSE_PRESSED, DV_LEFT_BUTTON, 0, 0);
    mouse(scene, DV_MOUSE_MOVED, DV_LEFT_BUTTON, 3, 0);
    steps(scene, 1);
    assert_int_equal(dv_moment_take(moment), DV_OK);
    for (int run = 0; run < 2; run++) {
        mouse(scene, DV_MOUSE_MOVED, DV_LEFT_BUTTON, 4, 0);
        steps(scene, 1);
        assert_true(frame(scene).center.x == 8);
        mouse(scene, DV_MOUSE_RELEASED, DV_LEFT_BUTTON, 0, 0);
        mouse(scene, DV_MOUSE_MOVED, DV_LEFT_BUTTON, 4, 0);
        steps(scene, 1);
        assert_true(frame(scene).center.x == 8);
        assert_int_equal(dv_moment_restore(moment), DV_OK);
    }
    dv_moment_free(moment);
    dv_scene_free(scene);
}

static void the_right_button_moves_along_the_main_direction(void **state)
{
    (void)state;
    DvScene *scene = load_controlled("mainDirection='-1 0 0'");
    const DvRigid3 before = frame(scene);
    drag(scene, DV_RIGHT_BUTTON, 30, 20);
    is_near(frame(scene).center,
            dv_vec3_add(before.center, dv_quat_rotate(before.orientation, dv_vec3(-0.05 * 20, 0, 0))));
    const DvQuat law = dv_quat_mul(before.orientation, dv_quat_from_axis_angle(dv_vec3(1, 0, 0), 0.03));
    assert_true(fabs(dv_quat_dot(law, frame(scene).orientation) - 1) < 1e-14);
    drag(scene, DV_MIDDLE_BUTTON, 30, 20);
    assert_true(fabs(dv_quat_dot(law, frame(scene).orientation) - 1) < 1e-14);
    dv_scene_free(scene);
}

static void each_button_moves_along_an_axis(void **state)
{
    (void)state;
    DvScene *scene = load_controlled("onlyTranslation='1' handleEventTriggersUpdate='1'");
    mouse(scene, DV_MOUSE_PRESSED, DV_LEFT_BUTTON, 0, 0);
    mouse(scene, DV_MOUSE_MOVED, DV_LEFT_BUTTON, 7, 100); /* at once */
    is_near(frame(scene).center, dv_vec3(8, 2, 3));
    is_near(dv_vec3_load(dv_state_read(scene_state(scene, "/body/points/p"), DV_POSITION).at),
            dv_rigid3_to_world(frame(scene), dv_vec3(1, 0, 0))); /* what hangs on it, too */
    steps(scene, 1);
    is_near(frame(scene).center, dv_vec3(8, 2, 3));
    mouse(scene, DV_MOUSE_RELEASED, DV_LEFT_BUTTON, 0, 0);
    drag(scene, DV_RIGHT_BUTTON, 100, 5);
    drag(scene, DV_MIDDLE_BUTTON, 100, -2);
    is_near(frame(scene).center, dv_vec3(8, 7, 1));
    dv_scene_free(scene);
}

static void jaws_close_with_the_middle_button(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='jaws' "
             "template='Vec1d' position='0 0'/><MechanicalStateController listening='1' keyWay='1'/></Node>");
    steps(scene, 1);
    const DvStateRef jaws = scene_state(scene, "/jaws");
    assert_true(dv_state_read(jaws, DV_REST_POSITION).at[0] == 0);
    mouse(scene, DV_MOUSE_PRESSED, DV_MIDDLE_BUTTON, 0, 0);
    steps(scene, 1);
    assert_true(dv_state_read(jaws, DV_REST_POSITION).at[0] == -0.4 &&
                dv_state_read(jaws, DV_REST_POSITION).at[1] == -0.4);
    mouse(scene, DV_MOUSE_RELEASED, DV_MIDDLE_BUTTON, 0, 0);
    steps(scene, 1);
    assert_true(dv_state_read(jaws, DV_REST_POSITION).at[1] == 0);
    for (int i = 0; i < 2; i++) { /* the arrow down, the arrow up */
        key(scene, i == 0 ? 21 : 19, 0);
        steps(scene, 1);
        assert_true(dv_state_read(jaws, DV_REST_POSITION).at[1] == (i == 0 ? -0.4 : 0));
    }
    dv_scene_free(scene);
}

/* Two values are jaws, however many there are, from the first step on. */
static void two_values_are_jaws(void **state)
{
    (void)state;
    static const char *const places[] = {"0.2", "0.2 0.2 0.2"};
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<Node name='root' dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='jaws' template='Vec1d' "
                 "position='%1$s' rest_position='%1$s'/><MechanicalStateController listening='1'/></Node>",
                 places[i]);
        DvScene *scene = load(text);
        steps(scene, 1);
        const DvConstVec rest = dv_state_read(scene_state(scene, "/jaws"), DV_REST_POSITION);
        assert_true(rest.at[0] == 0 && (i == 0 || (rest.at[1] == 0 && rest.at[2] == 0.2)));
        mouse(scene, DV_MOUSE_PRESSED, DV_MIDDLE_BUTTON, 0, 0);
        steps(scene, 1);
        assert_true(rest.at[0] == -0.4 && (i == 0 || (rest.at[1] == -0.4 && rest.at[2] == 0.2)));
        dv_scene_free(scene);
    }
}

static void write_way(void)
{
    FILE *file = fopen(in_folder("way.txt"), "w");
    assert_non_null(file);
    fputs("0 0.01 0.02 -0.005 0\n0.05 0.01 0.02 -0.005 1\n0.1 0.01 0.02 -0.005 0\n", file);
    fclose(file);
}

static void a_device_moves_a_body(void **state)
{
    (void)state;
    write_way();
    DvScene *scene =
        load("<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><SimulatedHapticDevice "
             "name='arm' filename='way.txt' resolution='0'/><Node name='body'><MechanicalObject name='state' "
             "template='Rigid3d'/><MechanicalStateController name='c' device='@/arm'/></Node></Node>");
    steps(scene, 2);
    is_near(frame(scene).center, dv_vec3(0.01, 0.02, -0.005));
    steps(scene, 6);
    assert_true(dv_data_bool(dv_object_field(scene_object(scene, "/body/c"), "buttonDeviceState")));
    dv_scene_free(scene);
}

/* A millimetre counts 0.1 (and not 0.001): base + R (p 100 scale) for p in metres. */
static void a_driver_places_its_device(void **state)
{
    (void)state;
    write_way();
    static const char *const names[] = {"GeomagicDriver", "DefaultHapticsDevice", "GeomagicEmulator"};
    for (int i = 0; i < 3; i++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><%s name='arm' filename='way.txt' "
            "resolution='0' positionBase='1 2 3' scale='2' orientationBase='0 0 0.70710678118654757 0.70710678118654757'/>"
            "<MechanicalObject name='omni' template='Rigid3d' position='@arm.positionDevice'/></Node>",
            names[i]);
        DvScene *scene = load(text);
        steps(scene, 2);
        is_near(dv_vec3_load(dv_state_read(scene_state(scene, "/omni"), DV_POSITION).at), dv_vec3(1 - 4, 2 + 2, 3 - 1));
        /* The emulator's keys: to and fro of each joint, the fourth the other way round. */
        static const char keys[] = "134679-+82";
        const double speed = i == 2 ? 0.25 : 0.1;
        if (i == 2)
            dv_data_set_double(dv_object_field(scene_object(scene, "/arm"), "speedFactor"), speed);
        for (int k = 0; k < 10; k++)
            for (int times = 0; times < 2 - k % 2; times++) {
                DvEvent event = {.kind = DV_EVENT_KEY_PRESSED, .key = keys[k]};
                dv_event_send(dv_scene_root(scene), &event);
                const double *angle = dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "angle"), NULL);
                for (int j = 0; j < 6; j++) {
                    const double sign = j == 3 ? -1 : 1, there = j == k / 2 ? (k % 2 ? 1 : times + 1) : j < k / 2;
                    assert_true(angle[j] == (i == 2 ? sign * speed * there : 0));
                }
            }
        haptic_device_conforms(scene_object(scene, "/arm"));
        dv_scene_free(scene);
    }
}

static void a_driver_shows_the_force_of_its_field(void **state)
{
    (void)state;
    write_way();
    DvScene *scene =
        load("<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><GeomagicDriver name='arm' "
             "filename='way.txt' inputForceFeedback='3 4 0' maxInputForceFeedback='2' forceScale='0.5' "
             "orientationBase='0 0 0.70710678118654757 0.70710678118654757'/></Node>");
    steps(scene, 3);
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    DvHapticAbout about;
    assert_true(haptics->about(scene, 0, &about));
    /* Cut to 2 N, turned back by a quarter, halved. */
    is_near(dv_vec3_load(about.force), dv_vec3(0.5 * 1.6, -0.5 * 1.2, 0));
    dv_scene_free(scene);
}

static void what_shows_nothing_loads(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node name='root' dt='0.01'><DefaultAnimationLoop/><GeomagicDriver forceFeedBack='@null'/>"
             "<NullForceFeedback name='null' activate='1' indice='0'/><MechanicalObject template='Rigid3d'/>"
             "<NullForceFeedbackT template='Rigid3d' activate='1'/></Node>");
    steps(scene, 2);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_left_button_turns),
        cmocka_unit_test(arrows_move_as_the_mouse_does),
        cmocka_unit_test(what_is_held_is_remembered),
        cmocka_unit_test(the_right_button_moves_along_the_main_direction),
        cmocka_unit_test(each_button_moves_along_an_axis),
        cmocka_unit_test(jaws_close_with_the_middle_button),
        cmocka_unit_test(two_values_are_jaws),
        cmocka_unit_test(a_device_moves_a_body),
        cmocka_unit_test(a_driver_places_its_device),
        cmocka_unit_test(a_driver_shows_the_force_of_its_field),
        cmocka_unit_test(what_shows_nothing_loads),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
