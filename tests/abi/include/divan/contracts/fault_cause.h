/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Causes of a failed run: when a state has stopped being finite, whoever may know why is asked.
 *
 * A class whose objects can be the reason (a force field with an inverted element, a solver that has not converged, a
 * pair in contact) offers this contract; so does a plugin, as a service, for what belongs to none of its objects. The
 * step check asks the objects of the scene in the order of the document, then the plugins in the order of their start,
 * and reports the likeliest answer, of equals the first: cause, then remedy.
 *
 * Threads: [step], never in a step that goes well.
 */
#ifndef DIVAN_CONTRACTS_FAULT_CAUSE_H
#define DIVAN_CONTRACTS_FAULT_CAUSE_H

#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_FAULT_CAUSE "divan.fault-cause/1"

/* What has happened. Belongs to the caller. */
typedef struct DvFault {
    DvNode *root;
    DvObject *state;      /* the independent state where the cause lies: what is mapped from it follows it */
    uint32_t point;       /* of that state */
    double time, dt;      /* s */
    bool explicit_solver; /* what moves the state takes forces at the start of the step */
    double lightest;      /* kg, the smallest known mass of a point of the state; infinite when none is known */
    const void *owner;    /* the asker's */
    /* Whether what happens to `state` happens to the failed one: it is the same, or mapped from it. */
    bool (*concerns)(const struct DvFault *fault, DvObject *state);
    /* DV_POSITION or DV_VELOCITY of any state in the last good step, else as it is; `at` NULL: it has none. */
    DvConstVec (*good)(const struct DvFault *fault, DvObject *state, DvVecId id);
} DvFault;

/* Likelihoods that are comparable between components. */
#define DV_FAULT_CERTAIN  1.0 /* it cannot have gone well: a point without mass */
#define DV_FAULT_PROVEN   0.9 /* by a bound that holds in theory: a step beyond the limit of stability */
#define DV_FAULT_SEEN     0.8 /* in the last good state: an inverted element */
#define DV_FAULT_LIKELY   0.6
#define DV_FAULT_POSSIBLE 0.25

typedef struct DvFaultCauseOps {
    uint32_t size;
    /* How likely `self` (NULL: the plugin) has caused it, from 0, not at all, to 1. Above 0 it has added the cause to
     * one text and what to do to the other, as parts of a sentence. */
    double (*explain)(void *self, const DvFault *fault, DvText *cause, DvText *remedy);
} DvFaultCauseOps;

DV_END_DECLS
#endif
