/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The vectors and the product of a Krylov method, wherever they live: vectors of the states, multiplied by the mechanical
 * operations without a matrix; or flat arrays, multiplied by an assembled matrix. The method is written once.
 */
#ifndef DV_SOLVERS_KRYLOV_SPACE_H
#define DV_SOLVERS_KRYLOV_SPACE_H

#include "linear/symmetric_product.h"

#include <divan/contracts/solver.h>

/* The vectors of a method by number; X and B are the caller's. */
enum { DV_KRYLOV_X, DV_KRYLOV_B, DV_KRYLOV_R, DV_KRYLOV_P, DV_KRYLOV_Q, DV_KRYLOV_COUNT };
/* All of them are scratch of the mechanics: a solver that several mechanics share has vectors in each. */

typedef struct DvKrylovSpace {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvStep step;
    DvFactors factors;
    const DvBlockMatrix *matrix;   /* NULL: matrix-free */
    DvVecId ids[DV_KRYLOV_COUNT];  /* matrix-free */
    double *flat[DV_KRYLOV_COUNT]; /* [n + 1] assembled; also for preconditioners */
    DvStateRef *state;             /* [known] of this solve, held, matrix-free */
    uint32_t states, known, room;  /* states: as many as are known, or none when one is elsewhere */
    double **vectors;              /* [states][DV_KRYLOV_COUNT] theirs */
    size_t *lengths;               /* [states] */
    /* In memory of the host a solve works on arrays: the flat ones, or those of the states, which stay where they are. */
    uint32_t parts;       /* of the vectors; 0: by the mechanical operations */
    double *const *at;    /* [parts][DV_KRYLOV_COUNT] */
    const size_t *length; /* [parts] */
    double alpha;         /* X still lacks this times P */
    bool q_is_clear;      /* from the last step, for the next product */
    size_t n, capacity;
    DvSymmetricMatrix half; /* of the matrix */
    bool by_half;           /* products are by it */
    double rounding; /* right-hand sides up to this are of rounding alone, as far as has been asked; 0: not yet */
} DvKrylovSpace;

/* The system of the next solves. `matrix` NULL: products by the mechanical operations. `products`: how many are expected, from which
 * alone follows whether they are by half of the matrix. */
void dv_krylov_set(DvKrylovSpace *space, DvMechanics *m, const DvStep *step, DvFactors factors,
                   const DvBlockMatrix *matrix, uint32_t products);
void dv_krylov_free(DvKrylovSpace *space);
/* The vectors of the states, which products without a matrix need: in each set_system, before a solve without one, and where later solves
 * may have none. */
void dv_krylov_reserve_states(DvKrylovSpace *space);

/* How many products the next solve is likely to need: as many as the last of `solves`. The first one is taken to need all
 * `iterations`: if a matrix ever pays, its memory is there after the first step. */
static inline uint32_t dv_krylov_expected_products(uint32_t solves, uint32_t last, uint32_t iterations)
{
    return solves > 0 && last < iterations ? last : iterations;
}

/* After a solve of `products`: what the next one is expected by. The curves that follow from `solves` are stale then. */
static inline void dv_krylov_count_solve(DvData *solves, DvData *last, uint32_t products)
{
    if (products != dv_data_uint(last))
        dv_data_set_uint(last, products);
    ++*(uint32_t *)dv_data_rewrite(solves);
}

/* Brings b, and x when it is a guess, into the space; takes x out again. */
void dv_krylov_begin(DvKrylovSpace *space, DvVecId x, DvVecId b, bool guess);
void dv_krylov_end(DvKrylovSpace *space);
/* The same for b and x as flat arrays; x starts at zero. */
void dv_krylov_begin_flat(DvKrylovSpace *space, const double *b);
void dv_krylov_end_flat(DvKrylovSpace *space, double *x);

void dv_krylov_clear(DvKrylovSpace *space, int r);
void dv_krylov_copy(DvKrylovSpace *space, int r, int a);
void dv_krylov_combine(DvKrylovSpace *space, int r, int a, int b, double k); /* r = a + k b */
double dv_krylov_dot(DvKrylovSpace *space, int a, int b);
/* X += alpha P, R -= alpha Q; returns R . R. X gets its part with the next turn, or at the end: P passes by once for both. */
double dv_krylov_step(DvKrylovSpace *space, double alpha);
void dv_krylov_turn(DvKrylovSpace *space, int r, double beta); /* P = r + beta P */
/* q = A p with the projections of the constraints; returns p . q. */
double dv_krylov_product(DvKrylovSpace *space, int q, int p);
/* Whether a right-hand side of this norm, of a step, is what rounding leaves of forces that cancel, as those of a body at rest or that
 * drifts: nothing acts. May cost a product, and P and Q: for solves that are over and would be told of. */
bool dv_krylov_is_rounding(DvKrylovSpace *space, double b_norm);
/* z = P^-1 r by a linear solver on flat arrays. */
DvStatus dv_krylov_precondition(DvKrylovSpace *space, const DvLinearSolverOps *ops, void *preconditioner, int z, int r);

#endif
