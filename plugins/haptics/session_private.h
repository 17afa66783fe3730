/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the session share: ports, the session of a scene, ticks in virtual time and by the clock.
 *
 * By the clock a port is the loop's from `raw` on; what steps and ticks tell each other goes through snapshots, the log through a mailbox.
 */
#ifndef DV_HAPTICS_SESSION_PRIVATE_H
#define DV_HAPTICS_SESSION_PRIVATE_H

#include "periods.h"
#include "session.h"

#include <divan/exchange.h>

#include <pthread.h>
#include <stdio.h>

typedef struct Haptics Haptics;

/* What a step tells the ticks of a port. */
typedef struct PortSetting {
    DvHapticPlacement placement;
    double step_time;
    uint32_t sweeps;
    Flag stopped;
} PortSetting;

/* What became of a port so far; the pointers in `about` are not used. */
typedef struct PortReport {
    HapticSample sample;
    DvHapticAbout about;
    double force_sum, age_sum;
    uint64_t ages;
} PortReport;

struct HapticPort {
    Haptics *session;
    DvObject *device;
    const DvHapticDeviceOps *ops;
    void *self;
    unsigned joined;
    DvHapticFacts facts;
    HapticUser **users;
    uint32_t user_count, user_capacity;
    uint32_t *resume;               /* [state_words] where to go on, at the next start; or NULL */
    DvSnapshot *settings, *reports; /* by the clock: PortSetting to the ticks, PortReport to the steps */
    PortReport shown;               /* of the begin of the present step */
    Periods periods;                /* by the clock */
    bool running;                   /* the device */
    bool calls;                     /* a device that calls has been started */
    bool told_of_loss;              /* of the device, since it was last there */
    bool by_clock;
    /* From here on without pointers, and what a run must remember. */
    uint64_t next; /* number of the next tick of the schedule */
    PortSetting setting;
    DvHapticPose raw; /* of the last tick */
    double sure[3];   /* m: where it was then as far as its resolution makes sure */
    DvHapticForce held;
    DvRigid3 pose, frozen; /* in the scene: of the last tick; when the clutch was pressed */
    DvVec3 shift;          /* that clutches have left */
    double last;           /* s of the last tick */
    PortReport report;
    double clock, step_time;
    Flag begun, clutched;
};

/* A line of the log, on its way. */
typedef struct TickRecord {
    const DvObject *device;
    DvHapticAbout about;
    DvHapticPose pose;
} TickRecord;

struct Haptics {
    DvScene *scene;
    HapticPort **ports;
    uint32_t port_count, port_capacity;
    double clock; /* s: the time of the present step's begin, since the first */
    double step_time;
    bool in_step, restart, stopped, by_clock;
    DvHapticSchedule schedule;
    FILE *log; /* of the host; or NULL */
    DvMailbox *records;
    /* The thread. */
    pthread_t thread;
    bool threaded, told_of_priority, told_of_memory;
    bool quit; /* atomic */
    bool comparing;
    BareThread bare; /* while `comparing` */
    double epoch;    /* s of the monotonic clock: time 0 of the ticks */
};

Haptics **haptics_session_of(DvScene *scene);

/* ticks.c */
void haptics_publish(HapticUser *user, double due, double dt);
void *haptics_place_for(HapticUser *user, double due);
/* One tick with this pose, or without (the device did not answer); the force to show. */
void haptics_tick(HapticPort *port, double time, const DvHapticPose *read, DvHapticForce *force);
void haptics_make_tick(HapticPort *port, double time); /* of a device that is asked */
double haptics_each(const HapticPort *port);           /* s between ticks */
void haptics_begin_step(Haptics *h);
void haptics_end_step(Haptics *h, double dt);

/* loop_memory.c */
void haptics_memory_lock(Haptics *h); /* says once where it is refused */
void haptics_memory_unlock(const Haptics *h);
void haptics_stack_touch(void); /* on the thread */

/* clock.c */
double haptics_now(const Haptics *h); /* s since the epoch */
void haptics_clock_start(Haptics *h); /* the thread, unless it runs or nothing is asked by the clock */
void haptics_clock_stop(Haptics *h);  /* forces fade, and it has ended */
void haptics_drain_log(Haptics *h);
DvStatus haptics_start_device(HapticPort *port);

#endif
