/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What runs the haptic devices of a scene: a port for each device, users that push through it, and the schedule of the ticks.
 *
 *   step n begins at t_n: the ticks up to t_n are made, then the step takes the newest pose
 *   it ends:              the ticks before t_n+1 are made, with what the steps before have published; then it publishes its state, which
 *                         ticks see from t_n+1 on (later by the latency)
 *
 * So a state is used by ticks from one to two steps after the pose was taken that it follows from, as beside a simulation that keeps pace
 * with the clock. A synchronous user makes one tick at the begin of each step instead, with the state of that moment.
 *
 * The session of a scene hears of the steps from whoever is in it and listens (haptics_hear): the first of them that is told counts.
 */
#ifndef DV_HAPTICS_SESSION_H
#define DV_HAPTICS_SESSION_H

#include "guard.h"

#include <divan/contracts/haptic_device.h>
#include <divan/contracts/state.h>
#include <divan/divan.h>
#include <divan/exchange.h>
#include <divan/math/rigid.h>

typedef struct HapticPort HapticPort;

/* What a tick knows of its device; in the axes and units of the scene. */
typedef struct HapticNow {
    double time, dt;        /* s; since the tick before, 0 in the first */
    DvRigid3 pose;          /* of the device */
    DvRigid3 sure;          /* the same, moved no farther than what it tells in steps makes sure */
    DvRigid3Deriv velocity; /* where the device knows it */
    bool has_velocity;
    bool allowed;       /* forces may be; else they fade */
    bool clutched;      /* the hand moves the device alone */
    double force_scale; /* of the device for a newton of the scene; not negative */
    uint32_t sweeps;    /* of the schedule; 0: what the user says */
    bool by_clock;      /* not in virtual time */
} HapticNow;

/* What a step knows of a device. */
typedef struct HapticSample {
    double time;
    DvRigid3 pose;
    DvRigid3Deriv velocity;
    uint32_t buttons;
    Flag valid, clutched;
} HapticSample;

/* What became of a tool, and of the force that its user has asked for; without gaps, as a run must remember it. */
typedef struct HapticScore {
    double path, time, longest_step;
    double at[3]; /* at the end of the last step */
    uint64_t steps;
    double force_sum, force_peak; /* ticks write these three, by the clock while steps read them */
    uint64_t ticks;
} HapticScore;

/* A coupling or a force feedback. The first members are its own, the rest are the session's. */
typedef struct HapticUser HapticUser;
struct HapticUser {
    DvObject *object;
    void *self;
    size_t block_bytes;              /* of what a step publishes; 0: nothing */
    bool (*synchronous)(void *self); /* [step] optional */
    /* What ticks see from now on until the next; the step has ended, or (dt 0) none has been made.     [step] */
    void (*fill)(void *self, double dt, void *block);
    void (*before)(void *self);  /* [step] optional: ahead of the ticks before and during a step */
    void (*begin)(void *self);   /* [step] optional: a step begins, the sample is there */
    void (*restart)(void *self); /* [step] before the first tick */
    /* Adds what is on the device, at its place, in the axes of the scene. block: the newest, with zeros where there was none yet; `age`: s
     * since it could be seen; `fresh`: another than in the tick before.     [tick] */
    void (*tick)(void *self, const HapticNow *now, const void *block, double age, bool fresh, DvRigid3Deriv *wrench);
    /* Its tool, energies, and where the tool is; absent where it has none.     [step] */
    void (*about)(void *self, DvHapticTool *about, double at[3]);
    HapticPort *port;
    HapticScore score, kept_score; /* of now; to go on from at the next start */
    bool keeps_score;
    void *newest;        /* [block_bytes] */
    double newest_since; /* s */
    bool fresh;
    char *waiting; /* [waiting_capacity x block_bytes] published, not seen yet */
    double *due;   /* [waiting_capacity] s */
    uint32_t waiting_first, waiting_count, waiting_capacity;
    DvSnapshot *shared; /* by the clock: the time, then a block */
    uint32_t *resume;   /* [resume_words] where to go on at the next start; or NULL */
    size_t resume_words;
};

/* The port of a device; each that takes it leaves it again.     [main] NULL after a reported error */
HapticPort *haptics_join(DvObject *device);
void haptics_leave(HapticPort *port); /* NULL is allowed */
void haptics_add_user(HapticPort *port, HapticUser *user);
void haptics_remove_user(HapticUser *user); /* zeros are allowed */

/* One of a class that pushes through this port, or NULL. */
uint32_t haptics_user_count(const HapticPort *port);
const DvObject *haptics_user_of_class(const HapticPort *port, const char *class_name);
DvObject *haptics_device(const HapticPort *port);
/* Another device stands for that of the port, which says but where it lies. Before the first tick; it outlives the port. */
void haptics_act_on(HapticPort *port, DvObject *device);
void haptics_placement(const HapticPort *port, DvHapticPlacement *at);
const DvHapticFacts *haptics_facts(const HapticPort *port);
const HapticSample *haptics_sample(const HapticPort *port); /* of the begin of the present step */
bool haptics_by_clock(const HapticPort *port);              /* ticks come on another thread */
double haptics_tick_time(const HapticPort *port);           /* s between ticks, as the schedule has it */
void haptics_count_clamped(HapticPort *port);               /* [tick] a limit has cut the force */
void haptics_counts(const HapticPort *port, uint64_t *ticks, uint64_t *missed);

/* Whoever is in a session passes on what it is told of steps.     [step] */
void haptics_hear(HapticPort *port, const DvEvent *event);
/* A reset: all begins anew with the next step. */
void haptics_restart(HapticPort *port);

/* What a run must remember, as words for a field that is state: of a port, whose users and device each keep it; and of a user. What is read
 * counts from the next start on, which is that of the next step. */
size_t haptics_state_words(const HapticPort *port);
void haptics_state_write(HapticPort *port, uint32_t *words);
void haptics_state_read(HapticPort *port, const uint32_t *words);
size_t haptics_user_words(const HapticUser *user);
size_t haptics_user_least_words(const HapticUser *user); /* where nothing waits */
void haptics_user_write(const HapticUser *user, uint32_t *words);
void haptics_user_read(HapticUser *user, const uint32_t *words, size_t count);
HapticScore haptics_score(const HapticUser *user);
/* By the clock nothing but scores is remembered: a run that is put back begins anew where the hand is, and forces come slowly. */
void haptics_forget(DvData *resume);

extern const DvHapticsOps haptics_service;

#endif
