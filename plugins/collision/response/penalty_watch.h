/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether penalties stay springs: the stiffness that a step carries, and the energy that they put in.
 *
 * A spring k that acts on a mass m as it is at the beginning of each step keeps v^2 + (k/m) x(n) x(n+1) where v = (x(n+1) - x(n)) / dt. A body
 * that comes with v and is found at a depth up to v dt goes with v'^2 at most v^2 / (1 - c/4), c = k dt^2 / m; from c = 4 on there is no
 * bound. Springs that are integrated implicitly give back less than they take, however stiff they are.
 */
#ifndef DIVAN_COLLISION_PENALTY_WATCH_H
#define DIVAN_COLLISION_PENALTY_WATCH_H

#include <divan/divan.h>

#include <stdbool.h>

#define STEP_CARRIES 1.0 /* c from which it is told: a third more energy than came */
#define STEP_TAKES   0.3 /* c that is advised: a twelfth more */

/* What a spring is to a step. */
typedef struct StepLoad {
    double stiffness;                               /* N/m */
    double mass;                                    /* kg, that it acts on */
    double product;                                 /* of contactStiffness */
    double dt;                                      /* s */
    double carried;                                 /* s: the dt that is advised */
    enum { HOLDS_PERHAPS, HOLDS, HOLDS_NOT } holds; /* whether a spring as soft as the step carries stops what comes */
} StepLoad;

/* The work of all responses between two states: contacts move from elements of one kind to those of another, and with them what is stored.
 * Belongs to the responses, the last of which frees it. */
typedef struct PairWork {
    const DvObject *state[2];
    double taken, given; /* J, from either body and to it, since they touch */
    double gained[2];    /* J, by each of them */
    double scale;        /* J, of a spring as deep as its contact distance */
    double time;         /* s, of the last addition */
    StepLoad load;       /* of a response that is too stiff; zeros: none is known */
    uint32_t responses;
    struct PairWork *next;
} PairWork;

/* What a scene has been told, each once; and its pairs. */
typedef struct PenaltyWords {
    bool stiffness, energy;
    uint32_t judged; /* responses whose stiffness has been laid against the step */
    PairWork *pairs;
} PenaltyWords;

typedef struct PenaltyWatch {
    PenaltyWords *words; /* of the scene; NULL: nothing is watched */
    PairWork *work;
    const DvObject *state; /* the first */
    DvObject *model[2];    /* held */
    double dt;             /* s, of the last step */
    uint32_t calls;        /* forces that were asked for since the contacts were set */
    bool implicit;         /* and derivatives of them */
    bool judged;
} PenaltyWatch;

static inline double step_load(const StepLoad *load)
{
    return load->stiffness * load->dt * load->dt / load->mass;
}

/* That `model` touches, or would touch, `other` with too stiff a spring, as `others` pairs more do. */
void say_stiffness(const DvObject *model, const DvObject *other, const StepLoad *load, bool would, uint32_t others);

/* A response between two states comes and goes; `first`, `second`: its models. */
void penalty_watch_begin(PenaltyWatch *watch, const DvObject *response, const DvObject *const states[2]);
void penalty_watch_hold(PenaltyWatch *watch, DvObject *first, DvObject *second);
void penalty_watch_end(PenaltyWatch *watch);
/* The scene is reset: it is told anew. */
void penalty_watch_forget(const DvNode *node);

/* What a force (N) did in a step to the kinetic energy of a body that moved along it by these speeds (m/s) before the step and after. */
static inline void penalty_watch_add(PenaltyWatch *watch, uint32_t side, double force, double before, double after)
{
    PairWork *pair = watch->work;
    const double work = 0.5 * force * (before + after) * watch->dt;
    pair->gained[pair->state[0] == watch->state ? side : 1 - side] += work;
    if (work > 0.0)
        pair->given += work;
    else
        pair->taken -= work;
}

/* More was given than taken, by an eighth where neither body has lost any, else by as much again; and by a spring a hundredth as deep as
 * the contact distance. A body without losses of its own, such as a sheet whose solver damps it, gets more than the other loses, within
 * bounds. */
static inline bool penalty_watch_gains(const PenaltyWatch *watch)
{
    const PairWork *pair = watch->work;
    const bool both = pair->gained[0] >= 0.0 && pair->gained[1] >= 0.0;
    return pair->given > (both ? 1.125 : 2.0) * pair->taken + 0.00005 * pair->scale;
}

void warn_of_stiffness(PenaltyWatch *watch, const StepLoad *load);
void warn_of_energy(PenaltyWatch *watch);

#endif
