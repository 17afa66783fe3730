/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigid bodies in space whose inertia turns with them: constant in body axes, as it is.
 *
 * With J(x) in world axes and L = J w the motion is L' = torque, that is J w' = torque - w x J w. The matrix of the mass is J at the
 * positions of the last add_force, which adds the gyroscopic torque -w x J w.
 *
 * Its derivative is not symmetric, and linear solvers want symmetric matrices. So it stays out of the matrix. An implicit step asks
 * for L after it, in which the bodies have turned by h (w + p dw) (p: 1, or 1/2 of the trapezoidal rule),
 *
 *   J(x + h (w + p dw)) (w + dw) - J w = h torque
 *
 * and one Newton step of each body by itself from dw = 0 gives its dw; b := J dw is then what makes the solver find just that where
 * nothing else is stiff. With stiffness or damping E in the matrix the factors (N J^-1) (J + E) stand for N + E, with N the matrix
 * of the Newton step: the difference (N - J) J^-1 E is of second order in h, so that no order is lost (approximate factorisation, as
 * in Hundsdorfer and Verwer 2003, IV.5). Damping by rayleighMass takes J at the start of the step.
 *
 * Limits: masses of mapped states, and those of a solver with firstOrder, have the gyroscopic torque among their forces and no more:
 * it is explicit there.
 */
#ifndef DIVAN_KIT_TURNING_INERTIA_H
#define DIVAN_KIT_TURNING_INERTIA_H

#include <divan/kit/mass.h>

DV_BEGIN_DECLS

/* Bodies of a mass. */
typedef struct DvBodyList {
    const DvBodyMass *bodies; /* in body axes */
    bool same;                /* all are as the first */
    const uint32_t *points;   /* [count] of the state; NULL: 0, 1 ... */
    uint32_t count;
} DvBodyList;

/* The same in world axes. */
typedef struct DvTurningInertia {
    DvBodyMass *at; /* [count] */
    uint32_t count, capacity;
    uint64_t version; /* + 1 with each change */
} DvTurningInertia;

/* All [step]. The body in world axes; x: coordinates of the body. */
DV_PUBLIC DvBodyMass dv_turning_inertia_body(const DvBodyMass *body, const double *x);

DV_PUBLIC void dv_turning_inertia_set(DvTurningInertia *turning, const DvBodyList *list, DvConstVec x);
DV_PUBLIC void dv_turning_inertia_free(DvTurningInertia *turning);

/* f += -w x J w. */
DV_PUBLIC void dv_turning_inertia_add_torque(const DvTurningInertia *turning, const DvBodyList *list, DvConstVec v,
                                             DvVec f);

/* b, h times the forces (with the gyroscopic torque): turned into what is said above. */
DV_PUBLIC void dv_turning_inertia_step(const DvTurningInertia *turning, const DvBodyList *list, double h, double p,
                                       DvConstVec v, DvVec b);

DV_END_DECLS
#endif
