/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Force fields: anything that turns positions and velocities of one state, or of two, into forces on it.
 *
 * Signs: f is the force; K = df/dx (negative semi-definite for a spring at rest), B = df/dv; nothing is negated.
 * The class also has the field `rayleighStiffness` (DV_FIELD_RAYLEIGH_STIFFNESS below): solvers ask for k K + b B, and
 * the caller has already put k + b rayleighStiffness into `k`.
 * An object of DV_INTERACTION_FORCE_FIELD links two states (they may be the same one): above all solvers it acts
 * explicitly. One of DV_FORCE_FIELD acts on the state of its node or of its link `mstate`.
 *
 * Threads: all [step]; they may call dv_parallel_for.
 */
#ifndef DIVAN_CONTRACTS_FORCE_FIELD_H
#define DIVAN_CONTRACTS_FORCE_FIELD_H

#include <divan/contracts/block_matrix.h>
#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_FORCE_FIELD             "divan.force-field/1"
#define DV_INTERACTION_FORCE_FIELD "divan.interaction-force-field/1"

/* Vectors of up to two states; a field of one state uses x[0], v[0], f[0]. For an interaction of a state with itself
 * both entries are the same vector. */
typedef struct DvForceFieldOps {
    uint32_t size;
    DvSpace space; /* where it wants its vectors */
    /* The states it acts on (1 or 2 objects of contract DV_STATE), known after init; 0: it is invalid and does
     * nothing. */
    uint32_t (*states)(void *self, DvObject *states[2]);
    /* f += forces at x, v; never cleared here.     x: count x coord, v and f: count x deriv */
    void (*add_force)(void *self, const DvStep *step, const DvConstVec *x, const DvConstVec *v, const DvVec *f);
    /* Optional: df += (k K + b B) dx at the last add_force. Without it the force counts as explicit. */
    void (*add_dforce)(void *self, const DvStep *step, double k, double b, const DvConstVec *dx, const DvVec *df);
    /* Optional, both or none: names its couplings, then adds k K + b B to them in the same order. `structure` changes
     * when reserve must be asked again. Without them an assembled system warns and treats it as explicit. */
    void (*reserve)(void *self, DvPattern *pattern);
    void (*assemble)(void *self, const DvStep *step, double k, double b, const DvMatrixView *view);
    uint64_t (*structure)(void *self);
    /* Optional: number of what assemble adds: the same number, the same matrix for the same factors, bit for bit. 0, or
     * absent: it changes each time. Asked after structure; where nothing has changed nothing is assembled, and direct
     * solvers keep their factor. */
    uint64_t (*matrix_version)(void *self);
    /* Optional: joules at positions x. */
    double (*energy)(void *self, const DvStep *step, const DvConstVec *x);
    /* Optional: roughly how long add_dforce and assemble take on one core, in nanoseconds. Solvers choose by it between
     * products and an assembled matrix. */
    void (*cost)(void *self, double *product, double *assembly);
    /* Optional (absent: DV_SYMMETRIC): whether K of the last add_force, or of the positions before the first, may differ
     * from its transpose, and what add_dforce and assemble then give where their step asks for DV_MATRIX_SYMMETRIC. */
    DvSymmetry (*symmetry)(void *self);
} DvForceFieldOps;

/* For field tables: the field every force field has. */
#define DV_FIELD_RAYLEIGH_STIFFNESS(Struct, member)                                         \
    DV_FIELD(Struct, member, "rayleighStiffness", dv_type_double, .init = "0", .unit = "s", \
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                    \
             .help = "damping in proportion to the stiffness, added to the solver's own")

DV_END_DECLS
#endif
