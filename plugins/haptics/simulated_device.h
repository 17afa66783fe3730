/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What devices that are simulated have alike: their placement in the scene, and an arm in a hand.
 */
#ifndef DV_HAPTICS_SIMULATED_DEVICE_H
#define DV_HAPTICS_SIMULATED_DEVICE_H

#include "arm.h"
#include "device_path.h"
#include "session.h"

#include <divan/exchange.h>

/* What moves it. */
typedef enum DeviceMotion { MOVED_BY_PATH, MOVED_BY_HAND, MOVED_BY_LOG, MOVED_BY_MOUSE } DeviceMotion;

/* What is set before the first tick. */
typedef struct ArmSetting {
    DeviceMotion motion;
    ArmAxis axis[6]; /* where they begin, and how fast */
    double resolution;
    uint32_t driven;
} ArmSetting;

/* What a run must remember; without pointers. */
typedef struct ArmState {
    double time; /* s of the last read */
    ArmAxis axis[6];
    DvHapticForce force;
    double mouse[3]; /* m: where the mouse wants it */
    uint32_t mouse_buttons, buttons;
    uint32_t told; /* buttons, at the last event */
} ArmState;

typedef struct SimulatedDevice {
    DvData position_base, orientation_base, orientation_tool, scale, force_scale, clutch;
    DvData motion, filename, mass, hand_stiffness, hand_damping, friction, start_velocity;
    DvData angular_mass, angular_hand_stiffness, angular_hand_damping, resolution, mouse_scale;
    DvData max_force, continuous_force, max_torque, stiffness, angular_stiffness, workspace, driven, rate;
    DvData position, buttons, button[2];
    DvData resume;
    double unit; /* of the scene for a metre of the device, besides `scale` */
    HapticPort *port;
    DevicePath path;
    ArmSetting setting;
    ArmState arm;
    DvSnapshot *mouse; /* to the loop: MouseTarget */
    bool running, resumes;
} SimulatedDevice;

extern const DvHapticDeviceOps simulated_device_ops;

DvStatus simulated_device_init(DvObject *object, void *self);
DvStatus simulated_device_restore(DvObject *object, void *self);
void simulated_device_reset(DvObject *object, void *self);
void simulated_device_hear(DvObject *object, void *self, DvEvent *event);
void simulated_device_cleanup(DvObject *object, void *self);
void simulated_device_destroy(DvObject *object, void *self);

#define SIMULATED_DEVICE_LIFE                                                                                        \
    .init = simulated_device_init, .reinit = dv_object_initialise_again, .reset = simulated_device_reset,            \
    .restore = simulated_device_restore, .handle_event = simulated_device_hear, .cleanup = simulated_device_cleanup, \
    .destroy = simulated_device_destroy, .contracts = (const DvContract[])                                           \
    {                                                                                                                \
        {.id = DV_HAPTIC_DEVICE, .ops = &simulated_device_ops},                                                      \
        {                                                                                                            \
            0                                                                                                        \
        }                                                                                                            \
    }

#define PLACEMENT_FIELDS(Struct)                                                                                  \
    DV_FIELD(Struct, position_base, "positionBase", dv_type_vec3d, .unit = "m",                                   \
             .help = "where the middle of the device lies in the scene"),                                         \
        DV_FIELD(Struct, orientation_base, "orientationBase", dv_type_quat, .init = "0 0 0 1",                    \
                 .help = "how the axes of the device lie in the scene"),                                          \
        DV_FIELD(Struct, orientation_tool, "orientationTool", dv_type_quat, .init = "0 0 0 1",                    \
                 .help = "how the tool is held: a turn of the device's own axes"),                                \
        DV_FIELD(Struct, scale, "scale", dv_type_double, .init = "1", .range = &dv_range_positive,                \
                 .help = "ways in the scene for those of the device"),                                            \
        DV_FIELD(Struct, force_scale, "forceScale", dv_type_double, .init = "1", .range = &dv_range_not_negative, \
                 .help = "forces of the device for those of the scene")

#endif
