/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices that say how fast, not where: sticks and caps that spring back. How far one is pushed away is a speed; where that has led is the place. Their
 * libraries are opened at run time; where one is missing, the device is absent and says what to install.
 *
 * The library is used by the ticks as long as the device answers. When it does not any more it is lost: from then on it belongs to the steps, which open
 * the device again when it is back, and give it to the ticks again.
 */
#ifndef DV_HAPTICS_LED_DEVICE_H
#define DV_HAPTICS_LED_DEVICE_H

#include "device_front.h"

typedef struct LedDevice LedDevice;

/* What one kind of them does in its own way. */
typedef struct LedKind {
    void (*facts)(void *self, DvHapticFacts *facts);
    /* Whether it is there, opened now if need be; else its `reason` says why not.     [step] */
    bool (*open)(void *self);
    void (*begin)(void *self); /* [step] nothing of what was before counts */
    void (*end)(void *self);   /* [step] optional: without force */
    /* By which shares of the whole way, -1 to 1, it was pushed away until now, and its buttons. false: it is lost.     [tick] */
    bool (*look)(void *self, double linear[3], double angular[3], uint32_t *buttons);
    void (*push)(void *self, double time, const DvHapticForce *force); /* [tick] optional */
    const char *lost;                                                  /* what has become of it then */
} LedKind;

struct LedDevice {
    DeviceFront front; /* first */
    DvData speed, angular_speed;
    const LedKind *kind;
    void *library;
    char reason[160]; /* why it is not there; empty: it is */
    bool running, told;
    bool lost; /* atomic */
    /* Of the steps. */
    double looked; /* s: when a lost one was looked for */
    /* Of the ticks. */
    bool leaves_out;      /* the time since the last, in which it was lost */
    double time, most[2]; /* s of the last; m/s, rad/s */
    DvVec3 position;
    DvQuat orientation;
};

/* The library of the first of these names that is there; else NULL, and the reason. */
void *led_device_library(LedDevice *self, const char *name, const char *package);
/* Functions of it, in their order; false: one is missing, and which is the reason. */
bool led_device_functions(LedDevice *self, const char *const *names, void **functions, size_t count);

extern const DvHapticDeviceOps led_device_ops;

DvStatus led_device_init(DvObject *object, LedDevice *self, const LedKind *kind);
void led_device_hear(DvObject *object, void *self, DvEvent *event);
void led_device_reset(DvObject *object, void *self);
void led_device_cleanup(DvObject *object, void *self);

/* What the classes of all kinds have alike. */
#define LED_DEVICE_LIFE                                                                         \
    .family = "haptics", .reinit = dv_object_initialise_again, .handle_event = led_device_hear, \
    .reset = led_device_reset, .cleanup = led_device_cleanup, .contracts = (const DvContract[]) \
    {                                                                                           \
        {.id = DV_HAPTIC_DEVICE, .ops = &led_device_ops},                                       \
        {                                                                                       \
            0                                                                                   \
        }                                                                                       \
    }

#define LED_FIELDS(Struct)                                                                                         \
    PLACEMENT_FIELDS(Struct, led.), DEVICE_OUTPUTS(Struct, led.),                                                  \
        DV_FIELD(Struct, led.speed, "speed", dv_type_double, .init = "0.1", .unit = "m/s",                         \
                 .range = &dv_range_not_negative, .help = "at which it moves when it is pushed away all the way"), \
        DV_FIELD(Struct, led.angular_speed, "angularSpeed", dv_type_double, .init = "1", .unit = "rad/s",          \
                 .range = &dv_range_not_negative, .help = "the same of turns")

#endif
