/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What devices that are simulated have alike: their placement in the scene, and an arm in a hand.
 */
#ifndef DV_HAPTICS_SIMULATED_DEVICE_H
#define DV_HAPTICS_SIMULATED_DEVICE_H

#include "arm.h"
#include "device_front.h"
#include "device_path.h"

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
    double wanted[6]; /* m, and a rotation vector: where the mouse or a recording wants it */
    uint32_t wanted_buttons, buttons;
    uint64_t led; /* by a recording, whatever its motion is */
} ArmState;

/* Where events of the mouse, or of a recording, lead it. */
typedef struct DeviceTarget {
    double at[6];
    uint32_t buttons;
    bool led;
} DeviceTarget;

typedef struct SimulatedDevice {
    DeviceFront front; /* first */
    DvData motion, filename, mass, hand_stiffness, hand_damping, friction, start_velocity;
    DvData angular_mass, angular_hand_stiffness, angular_hand_damping, resolution, mouse_scale;
    DvData max_force, continuous_force, max_torque, stiffness, angular_stiffness, workspace, driven, rate;
    DvData resume;
    DevicePath path;
    ArmSetting setting;
    ArmState arm;
    DvSnapshot *targets; /* to the loop: DeviceTarget */
    DeviceTarget target; /* the last of them */
    bool running, resumes;
    bool stood_for; /* another acts in its place */
} SimulatedDevice;

extern const DvHapticDeviceOps simulated_device_ops;
extern const char *const simulated_device_motions[];

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

/* Of the arm; `at`: where it is in the struct, as `device.`, or nothing. */
#define ARM_FIELDS(Struct, at)                                                                                        \
    DV_FIELD(                                                                                                         \
        Struct, at motion, "motion", dv_type_choice, .init = "path", .choices = simulated_device_motions,             \
        .flags = DV_FIELD_AT_LOAD,                                                                                    \
        .help =                                                                                                       \
            "path: it is where the file says; hand: a hand is led there; log: as a log was recorded; mouse: a hand "  \
            "follows the mouse"),                                                                                     \
        DV_FIELD(                                                                                                     \
            Struct, at filename, "filename", dv_type_file, .flags = DV_FIELD_AT_LOAD,                                 \
            .help =                                                                                                   \
                "lines `time x y z`, with a quaternion and the sum of the buttons if need be; or the log of a run"),  \
        DV_FIELD(Struct, at mass, "mass", dv_type_double, .init = "0.05", .unit = "kg", .range = &dv_range_positive,  \
                 .flags = DV_FIELD_AT_LOAD, .help = "of arm and hand"),                                               \
        DV_FIELD(Struct, at hand_stiffness, "handStiffness", dv_type_double, .init = "150", .unit = "N/m",            \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "with which the hand follows its way"),                                                      \
        DV_FIELD(Struct, at hand_damping, "handDamping", dv_type_double, .init = "4", .unit = "N s/m",                \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD, .help = "of the hand, against its way"), \
        DV_FIELD(Struct, at friction, "friction", dv_type_double, .init = "0.26", .unit = "N",                        \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "dry, of the joints, in each axis"),                                                         \
        DV_FIELD(Struct, at start_velocity, "startVelocity", dv_type_vec3d, .unit = "m/s", .flags = DV_FIELD_AT_LOAD, \
                 .help = "of a hand at the begin"),                                                                   \
        DV_FIELD(Struct, at angular_mass, "angularMass", dv_type_double, .init = "1e-4", .unit = "kg m^2",            \
                 .range = &dv_range_positive, .flags = DV_FIELD_AT_LOAD,                                              \
                 .help = "moment of inertia of arm and hand, where the device turns the hand"),                       \
        DV_FIELD(Struct, at angular_hand_stiffness, "angularHandStiffness", dv_type_double, .init = "1",              \
                 .unit = "N m/rad", .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                       \
                 .help = "the same of turns"),                                                                        \
        DV_FIELD(Struct, at angular_hand_damping, "angularHandDamping", dv_type_double, .init = "0.01",               \
                 .unit = "N m s/rad", .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                     \
                 .help = "the same of turns"),                                                                        \
        DV_FIELD(Struct, at resolution, "resolution", dv_type_double, .init = "5.5e-5", .unit = "m",                  \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "places are told in multiples of it; 0: all digits"),                                        \
        DV_FIELD(Struct, at mouse_scale, "mouseScale", dv_type_double, .init = "1e-4", .unit = "m",                   \
                 .help = "way for a pixel of the mouse"),                                                             \
        DV_FIELD(Struct, at max_force, "maxForce", dv_type_double, .init = "3.3", .unit = "N",                        \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "that it can show for a moment; 0: any"),                                                    \
        DV_FIELD(Struct, at continuous_force, "continuousForce", dv_type_double, .init = "0.88", .unit = "N",         \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "that it can show for ever; `check` compares with it"),                                      \
        DV_FIELD(Struct, at max_torque, "maxTorque", dv_type_double, .init = "0", .unit = "N m",                      \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,                                          \
                 .help = "of devices that turn the hand; 0: any"),                                                    \
        DV_FIELD(Struct, at stiffness, "stiffness", dv_type_double, .init = "1020", .unit = "N/m",                    \
                 .range = &dv_range_positive, .flags = DV_FIELD_AT_LOAD,                                              \
                 .help = "the most it is advised to show: that of a coupling that says none"),                        \
        DV_FIELD(Struct, at angular_stiffness, "angularStiffness", dv_type_double, .init = "1", .unit = "N m/rad",    \
                 .range = &dv_range_positive, .flags = DV_FIELD_AT_LOAD, .help = "the same of turns"),                \
        DV_FIELD(Struct, at workspace, "workspace", dv_type_box, .init = "-0.08 -0.06 -0.035 0.08 0.06 0.035",        \
                 .unit = "m", .flags = DV_FIELD_AT_LOAD, .help = "beyond it there are no forces; empty: everywhere"), \
        DV_FIELD(Struct, at driven, "drivenAxes", dv_type_uint, .init = "3", .flags = DV_FIELD_AT_LOAD,               \
                 .help = "0: it pushes nowhere, 3: it pushes, 6: it turns the hand too"),                             \
        DV_FIELD(Struct, at rate, "rate", dv_type_double, .init = "1000", .unit = "1/s", .range = &dv_range_positive, \
                 .flags = DV_FIELD_AT_LOAD, .help = "of its ticks")

#endif
