/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Haptic devices: arms that are held in a hand, tell where they are and push back. And the service that runs them beside a scene.
 *
 * A device knows nothing of the scene. It speaks in its own axes, in metres, radians, newtons and seconds. Where these axes lie in the scene is
 * its `placement`:
 *
 *   position     p = base + R (scale unit p_dev)        orientation   q = orientation_base q_dev orientation_tool
 *   force        f_dev = R^-1 f force_scale             R: of orientation_base; torques likewise
 *
 * There are two forms. One is asked: `read`, then `write`, once a tick, by the loop that serves it. The other calls the function it was given at
 * `start` from a thread of its own, as makers' libraries do: then there is no `read` and no `write`. All these are bounded in time: they
 * wait for nothing, allocate nothing and log nothing.
 *
 * A haptic loop runs in virtual time or on a thread. In virtual time the ticks lie between the steps of the scene by a schedule, on the thread
 * of the scene, and everything repeats to the bit; a device that can do that has `read` and takes the `time` it is given for the time.
 *
 * Threads: [tick] is the thread of the haptic loop, or of the device; in virtual time that of the scene.
 */
#ifndef DIVAN_CONTRACTS_HAPTIC_DEVICE_H
#define DIVAN_CONTRACTS_HAPTIC_DEVICE_H

#include <stdio.h>

#include <divan/object.h>

DV_BEGIN_DECLS

#define DV_HAPTIC_DEVICE "divan.haptic-device/1"

/* What a device can do. 0: not known, or none of it. */
typedef struct DvHapticFacts {
    uint32_t sensed;                       /* axes that it tells: 0, 3 (where it is), 6 (how it is turned, too) */
    uint32_t driven;                       /* axes in which it pushes: 0, 3, 6 */
    uint32_t buttons;                      /* how many */
    double workspace[2][3];                /* m: corners of where it reaches; equal ones: without an end */
    double peak_force, continuous_force;   /* N */
    double peak_torque, continuous_torque; /* N m */
    double stiffness, angular_stiffness;   /* N/m, N m/rad: the most that it is advised to show */
    double damping, angular_damping;       /* N s/m, N m s/rad: of its own, in its joints */
    double inertia, angular_inertia;       /* kg, kg m^2: of what the hand moves */
    double rate;                           /* 1/s: of its ticks */
    bool repeats;                          /* it takes the time it is given: virtual time */
    double resolution;                     /* m: places are told in multiples of it, the nearest */
} DvHapticFacts;

/* Where it is, in its own axes. */
typedef struct DvHapticPose {
    double position[3];         /* m */
    double orientation[4];      /* unit quaternion x y z w */
    double velocity[3];         /* m/s, where `has_velocity` says that it knows */
    double angular_velocity[3]; /* rad/s */
    uint32_t buttons;           /* bit i: button i is down */
    bool has_velocity;
    double time; /* s: when it was there, of the time that `read` was given or of the monotonic clock */
} DvHapticPose;

typedef struct DvHapticForce {
    double force[3], torque[3]; /* N, N m: on the hand */
} DvHapticForce;

typedef struct DvHapticPlacement {
    double base[3];             /* m of the scene */
    double orientation_base[4]; /* unit quaternions */
    double orientation_tool[4];
    double scale, unit; /* of the scene for a metre of the device: their product */
    double force_scale; /* of the device for a newton of the scene */
    int32_t clutch;     /* the button that lets the device move alone; -1: none */
} DvHapticPlacement;

typedef enum DvHapticState {
    DV_HAPTIC_ABSENT,  /* there is no such device, or its library is not there */
    DV_HAPTIC_READY,   /* it could be started */
    DV_HAPTIC_RUNNING, /* it is read and pushes */
    DV_HAPTIC_LOST,    /* it was running, and answers no more */
    DV_HAPTIC_FAILED   /* it says itself that something is wrong */
} DvHapticState;

/* From the thread of a device that calls: the pose now; the force to be on until the next call.     [tick] */
typedef void (*DvHapticTick)(void *context, const DvHapticPose *pose, DvHapticForce *force);

typedef struct DvHapticDeviceOps {
    uint32_t size;
    void (*facts)(void *self, DvHapticFacts *facts);             /* [step] */
    void (*placement)(void *self, DvHapticPlacement *placement); /* [step] */
    /* From here on it is read and pushes. `tick` is for those that call, until `stop` has returned. Where it was running it begins anew: its time
     * is 0. An error has been reported; `state` says why, too.     [main] */
    DvStatus (*start)(void *self, DvHapticTick tick, void *context);
    void (*stop)(void *self); /* [main] without force when it returns; also when it was not running */
    /* `reason` (may be NULL): static text, or NULL where there is nothing to say.     [any] */
    DvHapticState (*state)(void *self, const char **reason);
    /* Of a device that is asked; absent, both: it calls. Time never goes back. false: it does not answer, and `pose` is as it was.     [tick] */
    bool (*read)(void *self, double time, DvHapticPose *pose);
    bool (*write)(void *self, double time, const DvHapticForce *force);
} DvHapticDeviceOps;

/* ---- The service ---- */

#define DV_HAPTICS "divan.haptics/1"

/* How ticks lie between steps in virtual time. Zeros stand for what is said in brackets. */
typedef struct DvHapticSchedule {
    double rate;     /* 1/s of the ticks (that of the device) */
    double latency;  /* steps: how much later than the end of a step its state is seen (0) */
    double jitter;   /* share of a tick by which one comes late, at most (0), below 1 */
    double lost;     /* share of the ticks that do not come (0) */
    uint64_t seed;   /* of jitter and loss */
    uint32_t sweeps; /* of a solve in a tick, in place of its time limit (what the component says) */
} DvHapticSchedule;

/* One device of a scene, and what became of it. */
typedef struct DvHapticAbout {
    DvObject *device;
    DvHapticState state;
    const char *reason;         /* or NULL */
    uint32_t users;             /* couplings and force feedbacks that push through it */
    uint64_t ticks, missed;     /* made; skipped since they were late or lost */
    uint64_t snapshots;         /* states of steps that ticks have seen */
    double age;                 /* s: mean over the ticks, from the beginning of the step whose state they have seen */
    uint64_t clamped;           /* ticks in which a limit cut the force */
    double force[3], torque[3]; /* N, N m: on the hand, of the last tick, in its own axes */
    double path;                /* m: way of the hand */
    double time;                /* s of the last tick */
    double mean_force, peak_force; /* N */
    double work;                   /* J: that the device has done on the hand */
    bool stopped;                  /* stop_forces */
    double period[4];              /* s between ticks by the clock: the median, 99 and 99.9 % are below, the longest */
    double bare[4];                /* the same of the thread of `compare`; 0: none */
} DvHapticAbout;

/* What pushes through a device, and what became of the tool that it is for; in the axes and units of the scene. */
typedef struct DvHapticTool {
    DvObject *object;                      /* a coupling or a force feedback */
    DvObject *state;                       /* of the tool */
    double path, time;                     /* m, s: of the tool's steps */
    double longest_step;                   /* m: the farthest that it has moved in one */
    double mean_force, peak_force;         /* N: on the hand, by this one alone */
    double energy_in, energy_stored;       /* J: that the hand has put in; in springs */
    double energy_removed, energy_deficit; /* J: by passivity; from nowhere, still */
} DvHapticTool;

typedef struct DvHapticsOps {
    uint32_t size;
    /* Devices of a scene, in its order, and one of them; false: there are not so many.     [step] */
    uint32_t (*count)(DvScene *scene);
    bool (*about)(DvScene *scene, uint32_t device, DvHapticAbout *about);
    /* Before the first step, or after a reset.     [main] */
    DvStatus (*set_schedule)(DvScene *scene, const DvHapticSchedule *schedule);
    /* A line for each tick goes to this file, until NULL (docs/haptics.md has its columns). It stays the caller's.     [main] */
    DvStatus (*set_log)(DvScene *scene, FILE *file);
    /* No device pushes any more, until false; then forces come back slowly.     [step] */
    void (*stop_forces)(DvScene *scene, bool stop);
    /* Ticks by the clock, on a thread of their own, from now on; or in virtual time again, with the first tick. Optional: where it is absent there is
     * virtual time alone. DV_ERROR_UNSUPPORTED, reported: a device can only be run otherwise.     [main], between steps */
    DvStatus (*run_by_clock)(DvScene *scene, bool on);
    /* One of those that push through a device; false: there are not so many. Optional.     [step] */
    bool (*tool)(DvScene *scene, uint32_t device, uint32_t tool, DvHapticTool *about);
    /* By the clock: beside the loop a thread of the same rate that does nothing but wait, for the computer's own part in what periods
     * are. Optional.     [main] */
    DvStatus (*compare)(DvScene *scene, bool on);
    /* On which devices the drivers of old scenes act: the first of the scene on the first, the rest on the last. A name is that of a class with
     * divan.haptic-device/1, then fields of it if need be: `GameController index="1"`. Before the scene is initialised. Optional. An error
     * has been reported.     [main] */
    DvStatus (*use_devices)(DvScene *scene, const char *const *names, size_t count);
} DvHapticsOps;

DV_END_DECLS
#endif
