/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GameController: a pad with two sticks, by SDL 2, which is opened when it is there.
 *
 *   left stick    to the right and up: along x and y
 *   right stick   to the right: about y; up: along -z, away
 *   buttons       those of SDL, from 0 (A, B, X, Y...)
 *
 * It shows forces by its motors: both run at the share of `maxForce` that the force is.
 */
#include "led_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SDL_CONTROLLERS = 0x2000, AXES = 4, BUTTONS = 15, FULL = 32767, RUMBLE_MS = 250 };

/* Of SDL.h, as they have been since 2.0.9. */
typedef struct SdlFunctions {
    int (*init)(uint32_t flags);
    void (*quit)(uint32_t flags);
    int (*set_hint)(const char *name, const char *value);
    int (*count)(void);
    int (*is_controller)(int device);
    void *(*open)(int device);
    void (*close)(void *pad);
    int (*is_attached)(void *pad);
    void (*update)(void);
    int16_t (*axis)(void *pad, int axis);
    uint8_t (*button)(void *pad, int button);
    int (*rumble)(void *pad, uint16_t low, uint16_t high, uint32_t milliseconds);
} SdlFunctions;

static const char *const function_names[] = {"SDL_InitSubSystem",
                                             "SDL_QuitSubSystem",
                                             "SDL_SetHint",
                                             "SDL_NumJoysticks",
                                             "SDL_IsGameController",
                                             "SDL_GameControllerOpen",
                                             "SDL_GameControllerClose",
                                             "SDL_GameControllerGetAttached",
                                             "SDL_GameControllerUpdate",
                                             "SDL_GameControllerGetAxis",
                                             "SDL_GameControllerGetButton",
                                             "SDL_GameControllerRumble"};
enum { FUNCTIONS = sizeof function_names / sizeof *function_names };

typedef struct GameController {
    LedDevice led; /* first */
    DvData index, dead_zone, max_force;
    union {
        SdlFunctions sdl;
        void *functions[FUNCTIONS];
    } of;
    void *pad;
    bool begun; /* SDL */
    double dead, strongest;
    double rumbled_at;
    uint16_t rumble;
} GameController;

_Static_assert(sizeof(SdlFunctions) == FUNCTIONS * sizeof(void *), "a name for each function");

/* Number `index` of those that are pads. */
static int device_number(GameController *self, int index, int *found)
{
    const int count = self->of.sdl.count();
    *found = 0;
    for (int i = 0; i < count; i++)
        if (self->of.sdl.is_controller(i) && (*found)++ == index)
            return i;
    return -1;
}

static bool open_pad(void *self_)
{
    GameController *self = self_;
    LedDevice *led = &self->led;
    const int index = (int)dv_data_uint(&self->index);
    int found;
    if (self->pad && self->of.sdl.is_attached(self->pad))
        return true;
    *led->reason = '\0';
    if (!led_device_library(led, "libSDL2-2.0.so.0", "libsdl2-2.0-0") ||
        !led_device_functions(led, function_names, self->of.functions, FUNCTIONS))
        return false;
    if (!self->begun) {
        (void)self->of.sdl.set_hint("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1");
        (void)self->of.sdl.set_hint("SDL_NO_SIGNAL_HANDLERS", "1");
        self->begun = self->of.sdl.init(SDL_CONTROLLERS) == 0;
    }
    if (!self->begun) {
        (void)snprintf(led->reason, sizeof led->reason, "SDL does not begin with game controllers");
        return false;
    }
    if (self->pad)
        self->of.sdl.close(self->pad);
    self->of.sdl.update();
    const int number = device_number(self, index, &found);
    self->pad = number >= 0 ? self->of.sdl.open(number) : NULL;
    if (!self->pad && number >= 0)
        (void)snprintf(led->reason, sizeof led->reason, "game controller %d cannot be opened", index);
    else if (!self->pad && found == 0)
        (void)snprintf(led->reason, sizeof led->reason, "no game controller is connected");
    else if (!self->pad)
        (void)snprintf(led->reason, sizeof led->reason, "there is no game controller %d; %d %s connected", index, found,
                       found == 1 ? "is" : "are");
    return self->pad != NULL;
}

static void facts(void *self_, DvHapticFacts *facts)
{
    GameController *self = self_;
    *facts = (DvHapticFacts){.sensed = 6,
                             .driven = 3,
                             .buttons = BUTTONS,
                             .peak_force = dv_data_double(&self->max_force),
                             .continuous_force = dv_data_double(&self->max_force),
                             .stiffness = 100.0,
                             .rate = 250.0};
}

static void begin(void *self_)
{
    GameController *self = self_;
    self->dead = dv_data_double(&self->dead_zone);
    self->strongest = dv_data_double(&self->max_force);
    self->rumble = 0;
    self->rumbled_at = 0.0;
}

static void end(void *self_)
{
    GameController *self = self_;
    if (self->pad)
        (void)self->of.sdl.rumble(self->pad, 0, 0, 0);
}

/* -1 to 1, nothing in the middle. */
static double pushed(GameController *self, int axis)
{
    const double share = fmax(-1.0, (double)self->of.sdl.axis(self->pad, axis) / FULL),
                 beyond = fabs(share) - self->dead;
    return beyond > 0.0 ? copysign(beyond / (1.0 - self->dead), share) : 0.0;
}

static bool look(void *self_, double linear[3], double angular[3], uint32_t *buttons)
{
    GameController *self = self_;
    self->of.sdl.update();
    if (!self->of.sdl.is_attached(self->pad))
        return false;
    linear[0] = pushed(self, 0);
    linear[1] = -pushed(self, 1);
    linear[2] = pushed(self, 3);
    angular[0] = angular[2] = 0.0;
    angular[1] = pushed(self, 2);
    for (int b = 0; b < BUTTONS; b++)
        *buttons |= self->of.sdl.button(self->pad, b) ? 1u << b : 0u;
    return true;
}

/* Motors are told when they are to change, and before they would end by themselves. */
static void push(void *self_, double time, const DvHapticForce *force)
{
    GameController *self = self_;
    const double strength = dv_vec3_norm(dv_vec3_load(force->force));
    const double share = self->strongest > 0.0 ? fmin(1.0, strength / self->strongest) : 0.0;
    const uint16_t rumble = (uint16_t)(65535.0 * share);
    const bool changes = abs((int)rumble - (int)self->rumble) > 512 || (rumble == 0 && self->rumble != 0);
    if (changes || (rumble > 0 && time - self->rumbled_at > 0.4e-3 * RUMBLE_MS)) {
        (void)self->of.sdl.rumble(self->pad, rumble, rumble, rumble > 0 ? RUMBLE_MS : 0);
        self->rumble = rumble;
        self->rumbled_at = time;
    }
}

static const LedKind kind = {.facts = facts,
                             .open = open_pad,
                             .begin = begin,
                             .end = end,
                             .look = look,
                             .push = push,
                             .lost = "it has been unplugged"};

static DvStatus init(DvObject *object, void *self_)
{
    GameController *self = self_;
    if (!(dv_data_double(&self->dead_zone) < 1.0))
        return dv_field_error(&self->dead_zone, -1, "%g: it is a share of the way, below 1",
                              dv_data_double(&self->dead_zone));
    return led_device_init(object, &self->led, &kind);
}

static void destroy(DvObject *object, void *self_)
{
    GameController *self = self_;
    (void)object;
    if (self->pad)
        self->of.sdl.close(self->pad);
    if (self->begun)
        self->of.sdl.quit(SDL_CONTROLLERS);
}

#define FIELD(member, name, type, ...) DV_FIELD(GameController, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    LED_FIELDS(GameController),
    FIELD(index, "index", dv_type_uint, .init = "0", .flags = DV_FIELD_AT_LOAD, .help = "which of those connected"),
    FIELD(dead_zone, "deadZone", dv_type_double, .init = "0.1", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "share of a stick's way that counts as none"),
    FIELD(max_force, "maxForce", dv_type_double, .init = "3", .unit = "N", .range = &dv_range_positive,
          .flags = DV_FIELD_AT_LOAD, .help = "force at which the motors run at full"),
    {0},
};

const DvClass dv_game_controller = {
    .size = sizeof(DvClass),
    .name = "GameController",
    .help = "A game controller: its sticks move a tool, its motors show how strong a force is.",
    .instance_size = sizeof(GameController),
    .fields = fields,
    .init = init,
    .destroy = destroy,
    LED_DEVICE_LIFE,
};
