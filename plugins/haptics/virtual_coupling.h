/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VirtualCoupling in two files: coupling_ticks.c is what ticks do, virtual_coupling.c the component and its steps.
 */
#ifndef DV_HAPTICS_VIRTUAL_COUPLING_H
#define DV_HAPTICS_VIRTUAL_COUPLING_H

#include "haptic_client.h"

#include <divan/contracts/collision.h>
#include <divan/kit/force_field.h>

enum { LINEAR, ANGULAR };
enum { SYNCHRONOUS, ASYNCHRONOUS };

/* Fields as they are in a step. */
typedef struct CouplingSetting {
    GuardSetting guard;
    double k[2], c[2];
    double contact_fade_time, stall_time, cutoff_rate, distance;
    Flag extrapolates, cancels;
} CouplingSetting;

/* What a step tells the ticks. Without pointers, as what a run must remember. */
typedef struct ToolState {
    DvRigid3 frame;
    DvRigid3Deriv velocity;
    double work[2]; /* J: that the coupling has done on the tool since the begin */
    double dt;      /* s of the step; 0: none was made */
    CouplingSetting set;
    Flag contact, active, held;
} ToolState;

/* What ticks remember. */
typedef struct LoopState {
    Guard guard;
    ToolState tool;      /* of the tick before, where the coupling saw it */
    DvRigid3 device;     /* at the tick before, as far as it is sure */
    DvVec3 velocity[2];  /* of the device, filtered */
    double contact_gain; /* 0 to 1 */
    double gain, stored[2];
    Flag begun, broken;
    uint64_t ticks;
    DvRigid3Deriv wrench; /* on the device */
} LoopState;

typedef struct VirtualCoupling {
    DvSingleState base; /* of the tool */
    DvLink device_link;
    DvData index, tool_offset, stiffness, angular_stiffness, damping, angular_damping;
    DvData mode, extrapolate, cancel, contact_fade, cutoff;
    DvData max_torque, max_rate, break_distance, activate;
    DvData engaged, contact, energy_in, energy_stored, energy_removed, energy_deficit, ticks, missed;
    HapticClient client;
    DvObject *pipeline; /* or NULL */
    const DvCollisionPipelineOps *pipeline_ops;
    double tool_mass, tool_inertia;
    CouplingSetting set;     /* of the present step */
    CouplingSetting in_tick; /* of the step that a tick sees */
    LoopState loop;          /* of the ticks */
    LoopState seen;          /* of the tick that a step sees */
    DvSnapshot *reports;     /* by the clock: LoopState to the steps */
    ToolState own;           /* at the end of the last step */
    DvRigid3Deriv acting;    /* on the tool, at its frame, of the last add_force */
    DvRigid3 acting_at;
    DvRigid3Deriv acting_velocity;
    bool implicit;
} VirtualCoupling;

/* The stretch of the spring, from the tool to the device. */
static inline DvRigid3Deriv coupling_stretch(DvRigid3 device, DvRigid3 tool)
{
    return dv_rigid3_difference(device, tool);
}

/* The force on the tool, at its frame. */
DvRigid3Deriv coupling_law(const CouplingSetting *set, DvRigid3 device, DvRigid3Deriv speed, DvRigid3 tool,
                           DvRigid3Deriv tool_speed);
/* HapticUser.tick */
void coupling_tick(void *self, const HapticNow *now, const void *block, double age, bool fresh, DvRigid3Deriv *wrench);

#endif
