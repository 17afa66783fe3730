/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Penalties that a step does not carry, before anything touches: see response/penalty_watch.h. Of each model some elements are looked
 * at; a contact there would act on that much mass.
 */
#ifndef DIVAN_COLLISION_STIFFNESS_REPORT_H
#define DIVAN_COLLISION_STIFFNESS_REPORT_H

#include <divan/contracts/collision.h>

#include "response/penalty_watch.h"

/* How a model moves when it is pushed where it gives way most. */
typedef struct Pushed {
    double along[3]; /* 1/kg, of the axes; NAN: not looked at yet */
    double radius;   /* m */
} Pushed;

typedef struct StiffnessReport {
    DvObject *manager;
    DvNode *node;    /* of the pipeline */
    double distance; /* m, of the method */
    double dt;
    bool alone_acts; /* responses above all solvers act */
    const DvCollisionBody *bodies;
    Pushed *pushed; /* [bodies] */
    uint32_t found, worst[2];
    StepLoad load; /* of the worst */
} StiffnessReport;

/* The bodies stay where they are until the end. manager NULL: nothing is reported.     [main] */
void stiffness_report_begin(StiffnessReport *self, const DvObject *pipeline, DvObject *method, DvObject *manager,
                            const DvCollisionBody *bodies, uint32_t count);
void stiffness_report_pair(StiffnessReport *self, uint32_t i, uint32_t k);
void stiffness_report_end(StiffnessReport *self);

#endif
