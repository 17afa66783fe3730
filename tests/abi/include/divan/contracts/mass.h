/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Masses: inertia of one state. A mass is also a force field (its weight): the class offers DV_FORCE_FIELD too, and its
 * add_force adds gravity unless `separateGravity` is true. Masses of one state add up. The field `rayleighMass` is applied by
 * the caller: asked for m M + b B + k K, it passes the factor m - b rayleighMass.
 *
 * Threads: all [step]; they may call dv_parallel_for.
 */
#ifndef DIVAN_CONTRACTS_MASS_H
#define DIVAN_CONTRACTS_MASS_H

#include <divan/contracts/force_field.h>

DV_BEGIN_DECLS

#define DV_MASS "divan.mass/1"

typedef struct DvMassOps {
    uint32_t size;
    DvSpace space;
    DvObject *(*state)(void *self);  /* NULL: invalid, does nothing */
    bool (*is_diagonal)(void *self); /* whether acceleration can do without a linear system */
    void (*add_mdx)(void *self, double factor, DvConstVec dx, DvVec res); /* res += factor M dx */
    /* a = M^-1 f. Optional: only of diagonal masses. */
    void (*acceleration)(void *self, DvConstVec f, DvVec a);
    bool (*separate_gravity)(void *self);
    void (*add_gravity_to_velocity)(void *self, double dt, DvVec v); /* v += g dt */
    /* As in DvForceFieldOps: the couplings of M, then += factor M. */
    void (*reserve)(void *self, DvPattern *pattern);
    void (*assemble)(void *self, double factor, const DvMatrixView *view);
    uint64_t (*structure)(void *self);
    uint64_t (*matrix_version)(void *self); /* optional, as in DvForceFieldOps */
    /* Optional. */
    double (*kinetic_energy)(void *self, DvConstVec v); /* J */
    void (*momentum)(void *self, DvConstVec x, DvConstVec v,
                     double momentum[6]);             /* += linear, then angular about the origin */
    double (*point_mass)(void *self, uint32_t point); /* kg, for reports and drawing */
    /* Optional, of masses whose matrix turns with rigid bodies (inertia in body axes): M is that of the last add_force. What of an
     * implicit step is not symmetric, so that no linear solver need know it: b, dt times the forces, becomes M times what one Newton
     * step gives for the change of velocity of each body by itself. v: velocities at the start; bodies turn by dt (v + share dv).
     * b, v: as in add_mdx */
    void (*implicit_turn)(void *self, double dt, double share, DvConstVec v, DvVec b);
} DvMassOps;

DV_END_DECLS
#endif
