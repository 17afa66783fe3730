/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LCPForceFeedback in two files: lcp_force_feedback.c is the component, lcp_memory.c what a run remembers of it.
 */
#ifndef DV_HAPTICS_LCP_FORCE_FEEDBACK_H
#define DV_HAPTICS_LCP_FORCE_FEEDBACK_H

#include "haptic_client.h"

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/kit/problem_words.h>
#include <divan/kit/states.h>

/* A problem that ticks may solve. */
typedef struct Slot {
    const DvConstraintProblem *problem; /* held; or NULL */
    const DvCorrectionRows *rows;       /* that the tool is in; or NULL */
    size_t first, last;                 /* unknowns of the tool in it */
    double x[7];                        /* free position of the first point */
    double *violation, *lambda, *work;
    size_t capacity, work_capacity;
    bool begun;     /* lambda is that of a tick */
    bool converged; /* in the last tick */
} Slot;

/* Fields as they are in a step. */
typedef struct FeedbackSetting {
    GuardSetting guard;
    double factor_given, timeout_now, stall_time;
    uint32_t sweeps;
    Flag active, has_factor, follows_turns, in_all, in_newtons;
} FeedbackSetting;

/* What ticks see: which of them. */
typedef struct Published {
    uint64_t number; /* of the slot, plus 1; 0: none yet */
    double dt;
    FeedbackSetting set;
} Published;

/* What steps see of the ticks. */
typedef struct FeedbackReport {
    DvRigid3Deriv wrench;
    double put_in, stored, removed, deficit; /* J */
    uint64_t not_converged;
} FeedbackReport;

typedef struct LoopState {
    Guard guard;
    DvRigid3 device;
    double stored, gain;
    Flag begun;
} LoopState;

typedef struct LCPForceFeedback {
    DvLink mstate, device_link;
    DvData activate, index, coefficient, timeout, most_sweeps, turns, all_frames, physical;
    DvData cut_off;
    DvStateRef state;
    HapticClient client;
    const DvConstraintSolverOps *solver_ops;
    const DvProblemWordsOps *words; /* or NULL */
    DvObject *solver;
    Slot **slots; /* by pointer: ticks use them while more come */
    uint32_t slot_count, slot_capacity;
    FeedbackSetting set;     /* of the present step */
    FeedbackSetting in_tick; /* of the step that a tick sees */
    bool told, told_of_memory;
    LoopState loop;
    DvSnapshot *reports;   /* by the clock: FeedbackReport */
    FeedbackReport report; /* of the ticks */
    FeedbackReport seen;   /* of the tick that a step sees */
    size_t most_words;     /* that it has had to remember */
} LCPForceFeedback;

/* Whether a tick may still ask for the slot of this number. */
bool feedback_is_waiting_for(const HapticUser *user, uint64_t number);
void feedback_add_slot(LCPForceFeedback *self);
/* A problem that is the slot's from now on, or NULL. */
void feedback_hold(const LCPForceFeedback *self, Slot *slot, const DvConstraintProblem *problem);
void feedback_let_go(const LCPForceFeedback *self, Slot *slot);

/* After a step. */
void feedback_remember(LCPForceFeedback *self);
/* Before the next start: port and what waits go on by `resume`; false: there is nothing of use. */
bool feedback_read_back(LCPForceFeedback *self);
/* At that start: the rest. */
void feedback_go_on(LCPForceFeedback *self);

#endif
