/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SpaceMouse: a cap of six axes, by the daemon spacenavd and its library libspnav, which is opened when it is there. It pushes nobody.
 *
 * The library tells the cap to the right, up and away from the user, and turns about these; the device has x to the right, y up, z towards the user.
 */
#include "led_device.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Of spnav.h. */
enum { SPNAV_MOTION = 1, SPNAV_BUTTON = 2, MOST_EVENTS = 64 };
static const double whole_way = 350.0;

typedef union SpnavEvent {
    int type;
    struct {
        int type, x, y, z, rx, ry, rz;
        unsigned int period;
        int *data;
    } motion;
    struct {
        int type, press, number;
    } button;
} SpnavEvent;

typedef struct SpnavFunctions {
    int (*open)(void);
    int (*close)(void);
    int (*poll_event)(SpnavEvent *event);
    int (*fd)(void);
} SpnavFunctions;
static const char *const function_names[] = {"spnav_open", "spnav_close", "spnav_poll_event", "spnav_fd"};
enum { FUNCTIONS = 4 };

typedef struct SpaceMouse {
    LedDevice led; /* first */
    union {
        SpnavFunctions spnav;
        void *functions[FUNCTIONS];
    } of;
    bool open;
    double linear[3], angular[3];
    uint32_t buttons;
} SpaceMouse;

_Static_assert(sizeof(SpnavFunctions) == FUNCTIONS * sizeof(void *), "a name for each function");

/* The library tells nobody that the daemon has closed the line: it reads nothing then, without an end. */
static bool has_gone(const SpaceMouse *self)
{
    char byte;
    return recv(self->of.spnav.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool open_mouse(void *self_)
{
    SpaceMouse *self = self_;
    LedDevice *led = &self->led;
    if (self->open && !has_gone(self))
        return true;
    if (self->open)
        (void)self->of.spnav.close();
    self->open = false;
    *led->reason = '\0';
    if (!led_device_library(led, "libspnav.so.0", "libspnav0") ||
        !led_device_functions(led, function_names, self->of.functions, FUNCTIONS))
        return false;
    self->open = self->of.spnav.open() >= 0;
    if (!self->open)
        (void)snprintf(led->reason, sizeof led->reason,
                       "the daemon spacenavd does not answer; install and start it; a program has one SpaceMouse");
    return self->open;
}

static void facts(void *self, DvHapticFacts *facts)
{
    (void)self;
    *facts = (DvHapticFacts){.sensed = 6, .driven = 0, .buttons = 32, .rate = 250.0};
}

static void begin(void *self_)
{
    SpaceMouse *self = self_;
    memset(self->linear, 0, sizeof self->linear);
    memset(self->angular, 0, sizeof self->angular);
    self->buttons = 0;
}

static double share(int counts)
{
    const double way = (double)counts / whole_way;
    return way > 1.0 ? 1.0 : way < -1.0 ? -1.0 : way;
}

static void take(SpaceMouse *self, const SpnavEvent *event)
{
    if (event->type == SPNAV_MOTION) {
        const double linear[3] = {share(event->motion.x), share(event->motion.y), -share(event->motion.z)};
        const double angular[3] = {share(event->motion.rx), share(event->motion.ry), -share(event->motion.rz)};
        memcpy(self->linear, linear, sizeof linear);
        memcpy(self->angular, angular, sizeof angular);
    } else if (event->type == SPNAV_BUTTON && event->button.number >= 0 && event->button.number < 32) {
        const uint32_t bit = 1u << event->button.number;
        self->buttons = event->button.press ? self->buttons | bit : self->buttons & ~bit;
    }
}

static bool look(void *self_, double linear[3], double angular[3], uint32_t *buttons)
{
    SpaceMouse *self = self_;
    SpnavEvent event;
    memcpy(linear, self->linear, sizeof self->linear); /* as it was pushed until now */
    memcpy(angular, self->angular, sizeof self->angular);
    memset(&event, 0, sizeof event);
    for (int i = 0; i < MOST_EVENTS && self->of.spnav.poll_event(&event) > 0; i++)
        take(self, &event);
    *buttons = self->buttons;
    return !has_gone(self);
}

static const LedKind kind = {.facts = facts,
                             .open = open_mouse,
                             .begin = begin,
                             .look = look,
                             .lost = "the daemon spacenavd has gone; start it again"};

static DvStatus init(DvObject *object, void *self_)
{
    SpaceMouse *self = self_;
    return led_device_init(object, &self->led, &kind);
}

static void destroy(DvObject *object, void *self_)
{
    SpaceMouse *self = self_;
    (void)object;
    if (self->open)
        (void)self->of.spnav.close();
}

static const DvField fields[] = {LED_FIELDS(SpaceMouse), {0}};

const DvClass dv_space_mouse = {
    .size = sizeof(DvClass),
    .name = "SpaceMouse",
    .help = "A cap of six axes that moves and turns a tool; it pushes nobody.",
    .instance_size = sizeof(SpaceMouse),
    .fields = fields,
    .init = init,
    .destroy = destroy,
    LED_DEVICE_LIFE,
};
