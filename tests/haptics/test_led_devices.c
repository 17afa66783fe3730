/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GameController with a pad that SDL plays, SpaceMouse with a library that plays: how far they are pushed away is a speed, buttons are buttons, motors
 * show forces; what is missing is said, and the scene runs without.
 */
#include <dlfcn.h>
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

#ifdef HAS_SDL
#include <SDL.h>
#endif

#include <divan/contracts/haptic_device.h>
#include <divan/divan.h>
#include <divan/plugin.h>

#include "fake_spnav.h"
#include "haptic_device_conformance.h"
#include "scene_text.h"

static char said[4000];

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    strncat(said, text.at, sizeof said - strlen(said) - 1);
    dv_text_free(&text);
}

static DvScene *load(const char *device)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "<Node name='root' dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/><%s name='arm' speed='0.2' "
        "angularSpeed='0.5' scale='2'/><MechanicalObject name='place' template='Rigid3d' "
        "position='@arm.positionDevice'/><Node name='tool'><EulerImplicitSolver/><CGLinearSolver iterations='25' "
        "tolerance='1e-9' threshold='1e-15'/><MechanicalObject name='state' template='Rigid3d'/>"
        "<UniformMass vertexMass='10 1 [1 0 0 0 1 0 0 0 1]'/><VirtualCoupling name='coupling' stiffness='10' angularStiffness='0' "
        "rampTime='0'/></Node></Node>",
        device);
    said[0] = '\0';
    dv_log_set_handler(keep, NULL);
    DvScene *scene = scene_from_text(text);
    dv_log_set_handler(NULL, NULL);
    return scene;
}

static void steps(DvScene *scene, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvHapticAbout about(DvScene *scene)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    DvHapticAbout about;
    assert_true(haptics->about(scene, 0, &about));
    return about;
}

static const double *place(DvScene *scene)
{
    return dv_data_doubles(dv_object_field(scene_object(scene, "/arm"), "positionDevice"), NULL);
}

static void is_absent(const char *device, const char *words)
{
    DvScene *scene = load(device);
    if (!strstr(said, words))
        fail_msg("not '%s' but: %s", words, said);
    said[0] = '\0';
    dv_log_set_handler(keep, NULL);
    steps(scene, 5);
    dv_scene_reset(scene);
    steps(scene, 2);
    dv_log_set_handler(NULL, NULL);
    assert_null(strstr(said, words)); /* once */
    const DvHapticAbout now = about(scene);
    assert_int_equal(now.state, DV_HAPTIC_ABSENT);
    assert_non_null(strstr(now.reason, words));
    assert_true(now.ticks == 0 && now.force[0] == 0);
    dv_scene_free(scene);
}

static FakeSpnav *open_fake(void)
{
    void *library = dlopen(FAKE_SPNAV, RTLD_NOW | RTLD_GLOBAL);
    assert_non_null(library);
    FakeSpnav *(*fake)(void) = NULL;
    *(void **)&fake = dlsym(library, "fake_spnav");
    assert_non_null(fake);
    return fake();
}

static double pull_of(DvScene *scene)
{
    const double *force = dv_data_doubles(dv_object_field(scene_object(scene, "/tool/coupling"), "force"), NULL);
    return fabs(force[0]);
}

static int count_of(const char *words)
{
    int count = 0;
    for (const char *at = said; (at = strstr(at, words)); at++)
        count++;
    return count;
}

/* Lost: the force fades, which is said once. Back: from where it was, by the ramp. */
static void a_daemon_that_goes_comes_back(FakeSpnav *fake)
{
    static const int push[1][7] = {{1, 350, 0, 0, 0, 0, 0}};
    DvScene *scene = load("SpaceMouse");
    dv_data_set_double(dv_object_field(scene_object(scene, "/tool/coupling"), "rampTime"), 0.2);
    fake->taken = fake->count = 0;
    steps(scene, 1);
    memcpy(fake->events, push, sizeof push);
    fake->taken = 0, fake->count = 1;
    steps(scene, 50);
    const double pull = pull_of(scene);
    assert_true(pull > 0.5);
    said[0] = '\0';
    dv_log_set_handler(keep, NULL);
    fake->daemon = 0;
    assert_int_equal(close(fake->line[1]), 0);
    fake->line[1] = -1;
    steps(scene, 1);
    const double where = place(scene)[0];
    assert_true(where > 0.1);
    steps(scene, 1); /* ticks of 4 ms have faded for 20 or 40 ms of 50 */
    assert_true(pull_of(scene) > 0 && pull_of(scene) < 0.9 * pull);
    steps(scene, 20);
    assert_int_equal(about(scene).state, DV_HAPTIC_LOST);
    assert_string_equal(about(scene).reason, "the daemon spacenavd has gone; start it again");
    assert_true(pull_of(scene) == 0 && place(scene)[0] == where);
    fake->daemon = 1;
    steps(scene, 30); /* it is looked for each half second */
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(about(scene).state, DV_HAPTIC_RUNNING);
    assert_int_equal(count_of("the device is lost: the daemon spacenavd has gone"), 1);
    assert_true(place(scene)[0] == where); /* nothing pushes it, and the time in between does not count */
    assert_true(pull_of(scene) > 0);
    dv_scene_free(scene);
    assert_int_equal(fake->open, 0);
}

/* The thread of the ticks finds it lost, the steps find it again. */
static void a_daemon_comes_back_by_the_clock(FakeSpnav *fake)
{
    const DvHapticsOps *haptics = dv_service(DV_HAPTICS);
    const struct timespec pause = {.tv_nsec = 1000000};
    DvScene *scene = load("SpaceMouse");
    fake->taken = fake->count = 0;
    assert_int_equal(haptics->run_by_clock(scene, true), DV_OK);
    steps(scene, 2);
    assert_int_equal(close(fake->line[1]), 0);
    fake->line[1] = -1;
    for (int i = 0; i < 10000 && about(scene).state != DV_HAPTIC_LOST; i++)
        (void)nanosleep(&pause, NULL);
    assert_int_equal(about(scene).state, DV_HAPTIC_LOST);
    for (int i = 0; i < 60 && about(scene).state == DV_HAPTIC_LOST; i++)
        steps(scene, 1);
    assert_int_equal(about(scene).state, DV_HAPTIC_RUNNING);
    const uint64_t missed = about(scene).missed, ticks = about(scene).ticks;
    for (int i = 0; i < 10000 && about(scene).ticks < ticks + 5; i++)
        (void)nanosleep(&pause, NULL);
    assert_true(about(scene).ticks >= ticks + 5 && missed > 0);
    dv_scene_free(scene);
    assert_int_equal(fake->open, 0);
}

static void a_space_mouse_moves_as_it_is_pushed(void **state)
{
    (void)state;
    if (!dlopen("libspnav.so.0", RTLD_NOW))
        is_absent("SpaceMouse", "the library libspnav.so.0 is not there; install libspnav0");
    FakeSpnav *fake = open_fake(); /* by its soname the library is there from now on */
    is_absent("SpaceMouse", "the daemon spacenavd does not answer");
    fake->daemon = 1;
    DvScene *scene = load("SpaceMouse");
    haptic_device_conforms(scene_object(scene, "/arm"));
    dv_scene_reset(scene);
    assert_int_equal(fake->open, 1);
    steps(scene, 1); /* the tick at 0 */
    static const int events[][7] = {{1, 350, -175, 70, 0, 0, 0}, {2, 1, 3}, {2, 1, 40}};
    memcpy(fake->events, events, sizeof events);
    fake->count = 3;
    steps(scene, 50); /* the tick at 0.02 sees the events, those up to 1 move */
    const double *at = place(scene), t = 1 - 0.02;
    assert_true(fabs(at[0] - 2 * 0.2 * t) < 1e-9 && fabs(at[1] + 0.2 * t) < 1e-9 && fabs(at[2] + 0.08 * t) < 1e-9);
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/arm"), "buttons")), 8);
    assert_true(about(scene).state == DV_HAPTIC_RUNNING && about(scene).force[0] == 0); /* it cannot push */
    static const int turn[][7] = {{1, 0, 0, 0, 0, 350, 0}, {2, 0, 3}};
    memcpy(fake->events, turn, sizeof turn);
    fake->taken = 0;
    fake->count = 2;
    steps(scene, 51);
    at = place(scene);
    assert_true(fabs(2 * asin(at[4]) - 0.5) < 1e-9); /* about y */
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/arm"), "buttons")), 0);
    /* A daemon that never stops telling holds up no tick. */
    static const int more[1][7] = {{1, 175, 0, 0, 0, 0, 0}};
    memcpy(fake->events, more, sizeof more);
    fake->taken = 0, fake->count = 1, fake->endless = 1;
    const double before = place(scene)[0];
    steps(scene, 10);
    fake->endless = 0;
    assert_true(fabs(place(scene)[0] - before - 0.2 * 9 * 0.02) < 0.2 * 0.02);
    is_absent("SpaceMouse", "a program has one SpaceMouse");
    dv_scene_free(scene);
    assert_int_equal(fake->open, 0);
    a_daemon_that_goes_comes_back(fake);
    a_daemon_comes_back_by_the_clock(fake);
}

#ifdef HAS_SDL
typedef struct Rumble {
    unsigned calls;
    uint16_t low, high;
} Rumble;

static int rumble(void *userdata, uint16_t low, uint16_t high)
{
    Rumble *seen = userdata;
    seen->calls++;
    seen->low = low;
    seen->high = high;
    return 0;
}

/* With its stick pushed: it goes on from where it was, and the time in between does not count. */
static void is_plugged_in_again(DvScene *scene, const SDL_VirtualJoystickDesc *pad)
{
    const double each = 2 * 0.2 * 0.02; /* of a step */
    double before = place(scene)[0];
    const double where = before;
    const int number = SDL_JoystickAttachVirtualEx(pad);
    assert_true(number >= 0);
    SDL_Joystick *stick = SDL_JoystickOpen(number);
    assert_non_null(stick);
    SDL_JoystickSetVirtualAxis(stick, 0, 32767);
    for (int i = 0; i < 60; i++) {
        steps(scene, 1);
        const double now = place(scene)[0];
        if (now < before || now > before + 1.001 * each)
            fail_msg("in step %d it goes from %g to %g", i, before, now);
        before = now;
    }
    assert_int_equal(about(scene).state, DV_HAPTIC_RUNNING);
    assert_true(before > where + 30 * each && about(scene).force[0] < -0.5);
    SDL_JoystickClose(stick);
    assert_int_equal(SDL_JoystickDetachVirtual(number), 0);
}

static void a_pad_moves_as_its_sticks_are_pushed(void **state)
{
    (void)state;
    Rumble seen = {0};
    SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
    if (SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0)
        fail_msg("%s", SDL_GetError());
    if (SDL_NumJoysticks() > 0)
        skip(); /* somebody's own */
    is_absent("GameController", "no game controller is connected");
    const SDL_VirtualJoystickDesc pad = {.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION,
                                         .type = SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                                         .naxes = SDL_CONTROLLER_AXIS_MAX,
                                         .nbuttons = SDL_CONTROLLER_BUTTON_MAX,
                                         .userdata = &seen,
                                         .Rumble = rumble};
    const int number = SDL_JoystickAttachVirtualEx(&pad);
    assert_true(number >= 0);
    is_absent("GameController index='3'", "there is no game controller 3; 1 is connected");
    SDL_Joystick *stick = SDL_JoystickOpen(number);
    assert_non_null(stick);
    DvScene *scene = load("GameController deadZone='0.5'");
    haptic_device_conforms(scene_object(scene, "/arm"));
    dv_scene_reset(scene);
    steps(scene, 1);
    assert_true(place(scene)[0] == 0);
    seen.calls = 0;
    const double before[3] = {place(scene)[0], place(scene)[1], place(scene)[2]};
    SDL_JoystickSetVirtualAxis(stick, 0, 32767);
    SDL_JoystickSetVirtualAxis(stick, 1, 24575); /* down, half of what is beyond the dead zone */
    SDL_JoystickSetVirtualAxis(stick, 3, 16000); /* within it */
    SDL_JoystickSetVirtualButton(stick, 1, 1);
    steps(scene, 50); /* from the tick at 0.016 on */
    const double *at = place(scene);
    assert_true(fabs(at[0] - before[0] - 2 * 0.2 * 0.984) < 1e-9);
    assert_true(fabs(at[1] - before[1] + 0.2 * 0.984) < 1e-4 && at[2] == before[2]);
    assert_int_equal(dv_data_uint(dv_object_field(scene_object(scene, "/arm"), "buttons")), 2);
    assert_true(about(scene).force[0] < -0.5); /* the tool is behind: the coupling pulls back */
    const double share = hypot(about(scene).force[0], about(scene).force[1]) / 3;
    if (fabs(seen.low / 65535.0 - fmin(1, share)) > 0.02 || seen.high != seen.low)
        fail_msg("motors at %u and %u, a share of %g", seen.low, seen.high, share);
    const unsigned calls = seen.calls;
    assert_true(calls > 2 && calls < 300);
    SDL_JoystickClose(stick);
    assert_int_equal(SDL_JoystickDetachVirtual(number), 0); /* unplugged */
    steps(scene, 5);
    assert_int_equal(about(scene).state, DV_HAPTIC_LOST);
    assert_true(about(scene).force[0] == 0 || fabs(about(scene).force[0]) < 3);
    steps(scene, 10);
    assert_true(about(scene).force[0] == 0);
    assert_string_equal(about(scene).reason, "it has been unplugged");
    is_plugged_in_again(scene, &pad);
    dv_scene_free(scene);
    SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
}
#endif

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    expect_load_error("<Node><DefaultAnimationLoop/><GameController deadZone='1'/></Node>", "below 1");
    expect_load_error("<Node><DefaultAnimationLoop/><GameController maxForce='0'/></Node>", "above 0");
    expect_load_error("<Node><DefaultAnimationLoop/><SpaceMouse speed='-1'/></Node>", "speed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_space_mouse_moves_as_it_is_pushed),
#ifdef HAS_SDL
        cmocka_unit_test(a_pad_moves_as_its_sticks_are_pushed),
#endif
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
