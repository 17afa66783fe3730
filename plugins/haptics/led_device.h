/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices that say how fast, not where: sticks and caps that spring back. How far one is pushed away is a speed; where that has led is the place. Their
 * libraries are opened at run time; where one is missing, the device is absent and says what to install.
 */
#ifndef DV_HAPTICS_LED_DEVICE_H
#define DV_HAPTICS_LED_DEVICE_H

#include "device_front.h"

typedef struct LedDevice {
    DeviceFront front; /* first */
    DvData speed, angular_speed;
    void *library;
    char reason[160]; /* why it is not there; empty: it is */
    bool running, lost, told;
    /* Of the ticks. */
    double time, most[2]; /* s of the last; m/s, rad/s */
    DvVec3 position;
    DvQuat orientation;
} LedDevice;

/* The library of the first of these names that is there; else NULL, and the reason. */
void *led_device_library(LedDevice *self, const char *name, const char *package);
/* Functions of it, in their order; false: one is missing, and which is the reason. */
bool led_device_functions(LedDevice *self, const char *const *names, void **functions, size_t count);

/* What devices of both kinds do at these moments. `there`: it could be opened. */
DvStatus led_device_init(DvObject *object, LedDevice *self, bool there);
DvStatus led_device_start(LedDevice *self, bool there);
void led_device_hear(DvObject *object, void *self, DvEvent *event);
void led_device_reset(DvObject *object, void *self);
void led_device_cleanup(DvObject *object, void *self);
DvHapticState led_device_state(void *self, const char **reason);
/* Pushed away by shares of the whole way, -1 to 1. */
void led_device_move(LedDevice *self, double time, const double linear[3], const double angular[3]);
void led_device_tell(const LedDevice *self, uint32_t buttons, DvHapticPose *pose);

#define LED_FIELDS(Struct)                                                                                         \
    PLACEMENT_FIELDS(Struct, led.), DEVICE_OUTPUTS(Struct, led.),                                                  \
        DV_FIELD(Struct, led.speed, "speed", dv_type_double, .init = "0.1", .unit = "m/s",                         \
                 .range = &dv_range_not_negative, .help = "at which it moves when it is pushed away all the way"), \
        DV_FIELD(Struct, led.angular_speed, "angularSpeed", dv_type_double, .init = "1", .unit = "rad/s",          \
                 .range = &dv_range_not_negative, .help = "the same of turns")

#endif
