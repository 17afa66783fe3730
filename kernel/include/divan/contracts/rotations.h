/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rotations: how far what is around each point of a state has turned since rest. Elements with large rotations know it; who keeps a
 * matrix of an earlier step turns it along instead of making it anew.
 *
 * Threads: [step]; they may call dv_parallel_for.
 */
#ifndef DIVAN_CONTRACTS_ROTATIONS_H
#define DIVAN_CONTRACTS_ROTATIONS_H

#include <divan/contracts/state.h>

DV_BEGIN_DECLS

#define DV_ROTATIONS "divan.rotations/1"
typedef struct DvRotationsOps {
    uint32_t size;
    /* The state whose points it knows; NULL: it is invalid and knows none. */
    DvObject *(*state)(void *self);
    /* Of each point at positions x, from rest to x: a rotation matrix row by row, that of the plane in the first two rows and columns.
     * The identity where nothing turns and where no element is.     out: [x->count][9] */
    void (*rotations)(void *self, const DvConstVec *x, double *out);
} DvRotationsOps;

DV_END_DECLS
#endif
