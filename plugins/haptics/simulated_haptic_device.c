/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimulatedHapticDevice: a haptic arm that needs no arm. It is led along a path, held by a hand (mass, spring, damper) that is led along it, a log
 * that is replayed, or a hand that follows the mouse; what it tells is rounded as encoders do.
 *
 * The defaults are those of a small desktop arm as makers state them (3D Systems Touch): 3.3 N at most, 0.88 N all the time, 0.055 mm, 45 g at
 * the tip, 0.26 N of friction, 160 x 120 x 70 mm; of its three stiffnesses the least.
 */
#include "simulated_device.h"

static const char *const motions[] = {"path", "hand", "log", "mouse", NULL};

#define FIELD(member, name, type, ...) DV_FIELD(SimulatedDevice, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    PLACEMENT_FIELDS(SimulatedDevice),
    FIELD(clutch, "clutchButton", dv_type_int, .init = "-1",
          .help = "while this button is down the device moves and the tool stays; -1: none"),
    FIELD(motion, "motion", dv_type_choice, .init = "path", .choices = motions, .flags = DV_FIELD_AT_LOAD,
          .help =
              "path: it is where the file says; hand: a hand is led there; log: as a log was recorded; mouse: a hand "
              "follows the mouse"),
    FIELD(filename, "filename", dv_type_file, .flags = DV_FIELD_AT_LOAD,
          .help = "lines `time x y z`, with a quaternion and the sum of the buttons if need be; or the log of a run"),
    FIELD(mass, "mass", dv_type_double, .init = "0.05", .unit = "kg", .range = &dv_range_positive,
          .flags = DV_FIELD_AT_LOAD, .help = "of arm and hand"),
    FIELD(hand_stiffness, "handStiffness", dv_type_double, .init = "150", .unit = "N/m",
          .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD, .help = "with which the hand follows its way"),
    FIELD(hand_damping, "handDamping", dv_type_double, .init = "4", .unit = "N s/m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "of the hand, against its way"),
    FIELD(friction, "friction", dv_type_double, .init = "0.26", .unit = "N", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "dry, of the joints, in each axis"),
    FIELD(start_velocity, "startVelocity", dv_type_vec3d, .unit = "m/s", .flags = DV_FIELD_AT_LOAD,
          .help = "of a hand at the begin"),
    FIELD(angular_mass, "angularMass", dv_type_double, .init = "1e-4", .unit = "kg m^2", .range = &dv_range_positive,
          .flags = DV_FIELD_AT_LOAD, .help = "moment of inertia of arm and hand, where the device turns the hand"),
    FIELD(angular_hand_stiffness, "angularHandStiffness", dv_type_double, .init = "1", .unit = "N m/rad",
          .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD, .help = "the same of turns"),
    FIELD(angular_hand_damping, "angularHandDamping", dv_type_double, .init = "0.01", .unit = "N m s/rad",
          .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD, .help = "the same of turns"),
    FIELD(resolution, "resolution", dv_type_double, .init = "5.5e-5", .unit = "m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "places are told in multiples of it; 0: all digits"),
    FIELD(mouse_scale, "mouseScale", dv_type_double, .init = "1e-4", .unit = "m",
          .help = "way for a pixel of the mouse"),
    FIELD(max_force, "maxForce", dv_type_double, .init = "3.3", .unit = "N", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "that it can show for a moment; 0: any"),
    FIELD(continuous_force, "continuousForce", dv_type_double, .init = "0.88", .unit = "N",
          .range = &dv_range_not_negative, .flags = DV_FIELD_AT_LOAD,
          .help = "that it can show for ever; `check` compares with it"),
    FIELD(max_torque, "maxTorque", dv_type_double, .init = "0", .unit = "N m", .range = &dv_range_not_negative,
          .flags = DV_FIELD_AT_LOAD, .help = "of devices that turn the hand; 0: any"),
    FIELD(stiffness, "stiffness", dv_type_double, .init = "1020", .unit = "N/m", .range = &dv_range_positive,
          .flags = DV_FIELD_AT_LOAD, .help = "the most it is advised to show: that of a coupling that says none"),
    FIELD(angular_stiffness, "angularStiffness", dv_type_double, .init = "1", .unit = "N m/rad",
          .range = &dv_range_positive, .flags = DV_FIELD_AT_LOAD, .help = "the same of turns"),
    FIELD(workspace, "workspace", dv_type_box, .init = "-0.08 -0.06 -0.035 0.08 0.06 0.035", .unit = "m",
          .flags = DV_FIELD_AT_LOAD, .help = "beyond it there are no forces; empty: everywhere"),
    FIELD(driven, "drivenAxes", dv_type_uint, .init = "3", .flags = DV_FIELD_AT_LOAD,
          .help = "0: it pushes nowhere, 3: it pushes, 6: it turns the hand too"),
    FIELD(rate, "rate", dv_type_double, .init = "1000", .unit = "1/s", .range = &dv_range_positive,
          .flags = DV_FIELD_AT_LOAD, .help = "of its ticks"),
    FIELD(position, "positionDevice", dv_type_rigid3s, .flags = DV_FIELD_READ_ONLY, .help = "where it is in the scene"),
    FIELD(buttons, "buttons", dv_type_uint, .init = "0", .flags = DV_FIELD_READ_ONLY,
          .help = "sum of 1, 2, 4... of those that are down"),
    FIELD(button[0], "button1", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY, .help = "the first is down"),
    FIELD(button[1], "button2", dv_type_bool, .init = "0", .flags = DV_FIELD_READ_ONLY, .help = "the second is down"),
    FIELD(resume, "resume", dv_type_uints, .flags = DV_FIELD_STATE, .help = "where arm and ticks go on"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    self->unit = 1.0;
    return DV_OK;
}

const DvClass dv_simulated_haptic_device = {
    .size = sizeof(DvClass),
    .name = "SimulatedHapticDevice",
    .family = "haptics",
    .help = "A haptic device without a device: led along a path, held by a hand, or replayed.",
    .instance_size = sizeof(SimulatedDevice),
    .fields = fields,
    .construct = construct,
    SIMULATED_DEVICE_LIFE,
};
