/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What devices of this plugin show of themselves: fields that say where they lie in the scene, where they are, their buttons, and the event of each step.
 */
#ifndef DV_HAPTICS_DEVICE_FRONT_H
#define DV_HAPTICS_DEVICE_FRONT_H

#include "session.h"

/* The first member of a device. */
typedef struct DeviceFront {
    DvData position_base, orientation_base, orientation_tool, scale, force_scale, clutch;
    DvData position, buttons, button[2];
    double unit; /* of the scene for a metre of the device, besides `scale` */
    HapticPort *port;
    uint32_t told; /* buttons at the last event */
} DeviceFront;

void device_front_placement(void *front, DvHapticPlacement *placement); /* DvHapticDeviceOps */
void device_front_show(DeviceFront *front, DvRigid3 pose, uint32_t buttons);
/* A step begins: fields and event. */
void device_front_tell(DeviceFront *front);

/* `at`: where the front is in the struct, as `led.`, or nothing. */
#define PLACEMENT_FIELDS(Struct, at)                                                                        \
    DV_FIELD(Struct, at front.position_base, "positionBase", dv_type_vec3d, .unit = "m",                    \
             .help = "where the middle of the device lies in the scene"),                                   \
        DV_FIELD(Struct, at front.orientation_base, "orientationBase", dv_type_quat, .init = "0 0 0 1",     \
                 .help = "how the axes of the device lie in the scene"),                                    \
        DV_FIELD(Struct, at front.orientation_tool, "orientationTool", dv_type_quat, .init = "0 0 0 1",     \
                 .help = "how the tool is held: a turn of the device's own axes"),                          \
        DV_FIELD(Struct, at front.scale, "scale", dv_type_double, .init = "1", .range = &dv_range_positive, \
                 .help = "ways in the scene for those of the device"),                                      \
        DV_FIELD(Struct, at front.force_scale, "forceScale", dv_type_double, .init = "1",                   \
                 .range = &dv_range_not_negative, .help = "forces of the device for those of the scene")

#define DEVICE_OUTPUTS(Struct, at)                                                                              \
    DV_FIELD(Struct, at front.clutch, "clutchButton", dv_type_int, .init = "-1",                                \
             .help = "while this button is down the device moves and the tool stays; -1: none"),                \
        DV_FIELD(Struct, at front.position, "positionDevice", dv_type_rigid3s, .flags = DV_FIELD_READ_ONLY,     \
                 .help = "where it is in the scene"),                                                           \
        DV_FIELD(Struct, at front.buttons, "buttons", dv_type_uint, .init = "0", .flags = DV_FIELD_READ_ONLY,   \
                 .help = "sum of 1, 2, 4... of those that are down"),                                           \
        DV_FIELD(Struct, at front.button[0], "button1", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY, \
                 .help = "the first is down"),                                                                  \
        DV_FIELD(Struct, at front.button[1], "button2", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY, \
                 .help = "the second is down")

#endif
