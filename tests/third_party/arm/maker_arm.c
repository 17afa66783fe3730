/* SPDX-License-Identifier: MIT
 *
 * MakerArm: a haptic device around the library of a maker, which calls back. Built on the installed kernel alone.
 */
#include "maker.h"

#include <string.h>

#include <divan/contracts/haptic_device.h>
#include <divan/log.h>
#include <divan/plugin.h>

typedef struct MakerArm {
    DvData base;
    DvHapticTick tick; /* NULL: it does not run */
    void *context;
} MakerArm;

static void called(void *context, const double mm[3], const double quaternion[4], unsigned buttons, double newtons[3])
{
    const MakerArm *self = context;
    DvHapticPose pose = {.buttons = buttons};
    DvHapticForce force = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; i++)
        pose.position[i] = 1e-3 * mm[i];
    memcpy(pose.orientation, quaternion, sizeof pose.orientation);
    self->tick(self->context, &pose, &force);
    memcpy(newtons, force.force, sizeof force.force);
}

static void facts(void *self, DvHapticFacts *facts)
{
    (void)self;
    *facts = (DvHapticFacts){.sensed = 6,
                             .driven = 3,
                             .buttons = 1,
                             .peak_force = 5,
                             .continuous_force = 1,
                             .stiffness = 800,
                             .inertia = 0.1,
                             .rate = 1000};
}

static void placement(void *self_, DvHapticPlacement *at)
{
    MakerArm *self = self_;
    *at = (DvHapticPlacement){.orientation_base = {0, 0, 0, 1},
                              .orientation_tool = {0, 0, 0, 1},
                              .scale = 1,
                              .unit = 1,
                              .force_scale = 1,
                              .clutch = -1};
    memcpy(at->base, dv_data_read(&self->base), sizeof at->base);
}

static void stop(void *self_)
{
    MakerArm *self = self_;
    if (self->tick)
        maker_close();
    self->tick = NULL;
}

static DvStatus start(void *self_, DvHapticTick tick, void *context)
{
    MakerArm *self = self_;
    stop(self);
    self->context = context;
    self->tick = tick;
    if (maker_open(called, self) == 0)
        return DV_OK;
    self->tick = NULL;
    return dv_error(dv_object_of(self), DV_ERROR_IO, "the library of the maker does not open the arm");
}

static DvHapticState state(void *self_, const char **reason)
{
    const MakerArm *self = self_;
    if (reason)
        *reason = NULL;
    return self->tick ? DV_HAPTIC_RUNNING : DV_HAPTIC_READY;
}

static const DvHapticDeviceOps ops = {
    .size = sizeof ops, .facts = facts, .placement = placement, .start = start, .stop = stop, .state = state};

static void cleanup(DvObject *object, void *self)
{
    (void)object;
    stop(self);
}

static const DvField fields[] = {
    DV_FIELD(MakerArm, base, "positionBase", dv_type_vec3d, .unit = "m", .help = "where its middle lies"),
    {0},
};

static const DvClass maker_arm = {
    .size = sizeof(DvClass),
    .name = "MakerArm",
    .family = "haptics",
    .help = "An arm whose library calls.",
    .instance_size = sizeof(MakerArm),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_HAPTIC_DEVICE, .ops = &ops}, {0}},
    .cleanup = cleanup,
};

static const DvClass *const classes[] = {&maker_arm, NULL};

DV_PLUGIN = {.size = sizeof(DvPlugin),
             .abi = DV_ABI_STAMP,
             .id = "example.maker-arm",
             .version = "1.0",
             .license = "MIT",
             .help = "An arm of a maker that does not exist.",
             .classes = classes};
