/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SimulatedHapticDevice: a haptic arm that needs no arm. It is led along a path, held by a hand (mass, spring, damper) that is led along it, a log
 * that is replayed, or a hand that follows the mouse; what it tells is rounded as encoders do.
 *
 * The defaults are those of a small desktop arm as makers state them (3D Systems Touch): 3.3 N at most, 0.88 N all the time, 0.055 mm, 45 g at
 * the tip, 0.26 N of friction, 160 x 120 x 70 mm; of its three stiffnesses the least.
 */
#include "simulated_device.h"

#define FIELD(member, name, type, ...) DV_FIELD(SimulatedDevice, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    PLACEMENT_FIELDS(SimulatedDevice, ),
    ARM_FIELDS(SimulatedDevice, ),
    DEVICE_OUTPUTS(SimulatedDevice, ),
    FIELD(resume, "resume", dv_type_uints, .flags = DV_FIELD_STATE, .help = "where arm and ticks go on"),
    {0},
};

static DvStatus construct(DvObject *object, void *self_)
{
    SimulatedDevice *self = self_;
    (void)object;
    self->front.unit = 1.0;
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
