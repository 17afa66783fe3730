/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preconditioned conjugate gradients that stay on a device: as those of divan/kit/krylov.h without a preconditioner, which is here one that
 * multiplies by inverses of blocks on the diagonal. A preconditioner that does offers DV_DIAGONAL_BLOCKS beside its linear solver; what its
 * inverses do on a device is the operator "diagonal blocks", whose twin is made for each state of the solve.
 *
 * Threads: [step], if nothing else is said.
 */
#ifndef DIVAN_KIT_KRYLOV_INVERSES_H
#define DIVAN_KIT_KRYLOV_INVERSES_H

#include <divan/contracts/operator.h>
#include <divan/kit/krylov.h>

DV_BEGIN_DECLS

#define DV_DIAGONAL_BLOCKS "kit.diagonal-blocks/1"
typedef struct DvDiagonalBlocks {
    const double *numbers; /* width 1: [n] the diagonal; 3: [n / 3][9] the inverses, each transposed */
    uint32_t width;
} DvDiagonalBlocks;
typedef struct DvDiagonalBlocksOps {
    uint32_t size;
    /* As it was built last; they stay its own. */
    DvDiagonalBlocks (*get)(void *self);
} DvDiagonalBlocksOps;

/* Of the states of a solve, in the space where they are. */
typedef struct DvKrylovInverses {
    const DvDiagonalBlocksOps *ops; /* of the preconditioner... */
    void *self;                     /* ...this one; ops NULL: there is none, and z = r */
    uint64_t built;                 /* by the owner: another number when it has been built anew */
    DvVectorSpace *space;           /* held; NULL: nothing is there yet */
    struct DvInverseThere *there;   /* [states] */
    uint32_t states, capacity;
    uint64_t taken; /* `built` of what is there */
} DvKrylovInverses;

/* After dv_krylov_begin: whether such a solve can stay where its vectors are, with room for as many iterations. */
DV_PUBLIC bool dv_krylov_inverses_begin(DvKrylovSpace *space, DvKrylovCourse *course, DvKrylovInverses *inverses,
                                        uint32_t iterations);
/* From X, with b.b in the course, until r.z <= tolerance b.b or as many iterations; of each the course has R . R (its denominator) and r.z (its
 * rho) after it. Returns the first r.z. */
DV_PUBLIC double dv_krylov_inverses_run(DvKrylovSpace *space, DvKrylovCourse *course, DvKrylovInverses *inverses,
                                        uint32_t iterations, double tolerance, uint32_t expected);
DV_PUBLIC void dv_krylov_inverses_free(DvKrylovInverses *inverses); /* [main] */

DV_END_DECLS
#endif
