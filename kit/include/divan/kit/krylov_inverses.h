/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Preconditioned conjugate gradients that stay on a device: as those of divan/kit/krylov.h without a preconditioner, which is here one that
 * multiplies by inverses of blocks on the diagonal, or one that solves there by itself. The former offers DV_DIAGONAL_BLOCKS beside its linear
 * solver; what its inverses do on a device is the operator "diagonal blocks", whose twin is made for each state of the solve. The latter offers
 * DV_SOLVER_THERE.
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
    /* Of width 1: they are the diagonal of the matrix and nothing else, which a device may make by itself. */
    bool is_diagonal;
} DvDiagonalBlocksOps;

#define DV_SOLVER_THERE "kit.solver-there/1"
typedef struct DvSolverThereOps {
    uint32_t size;
    /* Whether it solves its present system where the states are; brings there what it needs. */
    bool (*take)(void *self);
    /* Then: x = A^-1 b, of vectors of the mechanics, without waiting for the device or taking memory there. */
    void (*solve)(void *self, DvVecId x, DvVecId b);
} DvSolverThereOps;

/* The twin of an operator where a state is, by any plugin that has a device; NULL: there is none, with the reason if one is known. */
DV_PUBLIC DvTwin *dv_twin_of(const DvStorage *storage, DvStateRef s, const DvOperator *op, DvText *why);

/* Of the states of a solve, in the space where they are. */
typedef struct DvKrylovInverses {
    const DvDiagonalBlocksOps *ops; /* of the preconditioner... */
    const DvSolverThereOps *solver; /* ...or these... */
    void *self;                     /* ...this one; both NULL: there is none, and z = r */
    uint64_t built;                 /* by the owner: another number when it has been built anew... */
    bool is_made_there;             /* ...and whether that is left to the device, of the system of the solve */
    DvVectorSpace *space;           /* held; NULL: nothing is there yet */
    struct DvInverseThere *there;   /* [states] */
    uint32_t states, capacity;
    uint64_t taken; /* `built` of what is there */
} DvKrylovInverses;

/* In set_system: whether the device that keeps the states can make a diagonal and divide by it. It may still not know that of all that acts. */
DV_PUBLIC bool dv_krylov_inverses_may_be_made_there(const DvKrylovInverses *inverses,
                                                    const DvMechanicalOperationsOps *ops, DvMechanics *m);
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
