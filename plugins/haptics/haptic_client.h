/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What couplings and force feedbacks are alike in: limits and times of a force, the port of a device that they push through, and what a run remembers.
 */
#ifndef DV_HAPTICS_HAPTIC_CLIENT_H
#define DV_HAPTICS_HAPTIC_CLIENT_H

#include "guard.h"
#include "session.h"

typedef struct HapticClient {
    DvData max_force, ramp, stall, fade, passivity;
    DvData force, torque;
    DvData resume, score;
    HapticPort *port;
    HapticUser user;
    bool resumes; /* at the next start it goes on */
} HapticClient;

/* Takes the port of a device, which is to be there first. */
DvStatus haptic_client_join(DvObject *object, HapticClient *client, DvObject *device);
void haptic_client_push(HapticClient *client, HapticUser user); /* from now on */
void haptic_client_leave(HapticClient *client);
void haptic_client_reset(HapticClient *client);
/* A step begins or ends; true: it is to be remembered now. */
bool haptic_client_hear(HapticClient *client, const DvEvent *event);
/* Fields as they are now. `max_torque`: the field, or NULL: what the device can show; `tick`: s between ticks. */
GuardSetting haptic_client_guard(HapticClient *client, DvData *max_torque, double tick);
/* Force and torque of the last tick, to their fields. */
void haptic_client_show(HapticClient *client, DvRigid3Deriv wrench);

/* A run goes on from a moment or a checkpoint, which has the score also where ticks go by the clock. */
bool haptic_client_is_remembered(HapticClient *client);
void haptic_client_read_score(HapticClient *client);

extern const char *const haptic_client_passivities[];

#define HAPTIC_CLIENT_FIELDS(Struct)                                                                              \
    DV_FIELD(Struct, client.max_force, "maxForce", dv_type_double, .unit = "N", .range = &dv_range_not_negative,  \
             .help = "on the device, in the scene; 0: any; what the device can show when it is not given"),       \
        DV_FIELD(Struct, client.ramp, "rampTime", dv_type_double, .init = "0.5", .unit = "s",                     \
                 .range = &dv_range_not_negative, .help = "in which the force comes"),                            \
        DV_FIELD(Struct, client.stall, "stallTime", dv_type_double, .init = "0.1", .unit = "s",                   \
                 .range = &dv_range_not_negative, .help = "by which a state may be late before the force fades"), \
        DV_FIELD(Struct, client.fade, "fadeTime", dv_type_double, .init = "0.05", .unit = "s",                    \
                 .range = &dv_range_not_negative, .help = "in which it fades"),                                   \
        DV_FIELD(Struct, client.passivity, "passivity", dv_type_choice, .init = "control",                        \
                 .choices = haptic_client_passivities,                                                            \
                 .help = "of energy from nowhere: off, observe: it is counted, control: it is taken away"),       \
        DV_FIELD(Struct, client.force, "force", dv_type_vec3d, .unit = "N", .flags = DV_FIELD_READ_ONLY,          \
                 .help = "on the device, in the scene, of the last tick"),                                        \
        DV_FIELD(Struct, client.torque, "torque", dv_type_vec3d, .unit = "N m", .flags = DV_FIELD_READ_ONLY,      \
                 .help = "the same"),                                                                             \
        DV_FIELD(Struct, client.resume, "resume", dv_type_uints, .flags = DV_FIELD_STATE,                         \
                 .help = "where ticks go on, and what they solve"),                                               \
        DV_FIELD(Struct, client.score, "score", dv_type_uints, .flags = DV_FIELD_STATE,                           \
                 .help = "way, time and forces of the tool so far")

#endif
