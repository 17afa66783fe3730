/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solvers: of time integration, of linear systems, and the loop that calls them.
 *
 * An animation loop makes a step of the scene. It asks each topmost ODE solver to move the states below its node by dt.
 * An implicit ODE solver builds m M + b B + k K through a linear solver, which sees the mechanical operations of the
 * same node.
 *
 * Threads: all [step].
 */
#ifndef DIVAN_CONTRACTS_SOLVER_H
#define DIVAN_CONTRACTS_SOLVER_H

#include <divan/contracts/mechanical_operations.h>

DV_BEGIN_DECLS

#define DV_ANIMATION_LOOP "divan.animation-loop/1"
typedef struct DvAnimationLoopOps {
    uint32_t size;
    DvStatus (*step)(void *self, double dt); /* dt 0: the node's */
} DvAnimationLoopOps;

#define DV_ODE_SOLVER "divan.ode-solver/1"
typedef struct DvOdeSolverOps {
    uint32_t size;
    /* From DV_POSITION and DV_VELOCITY to `position` and `velocity` (the same, or the free ones). An error stops the
     * run. */
    DvStatus (*solve)(void *self, double dt, DvVecId position, DvVecId velocity);
    double (*position_factor)(void *self, double dt); /* position, velocity per unit of the linear system's solution */
    double (*velocity_factor)(void *self, double dt);
} DvOdeSolverOps;

#define DV_LINEAR_SOLVER "divan.linear-solver/1"
typedef struct DvLinearSolverOps {
    uint32_t size;
    /* The system of the next solves. Assembles or not, as the solver needs; factors lazily. */
    DvStatus (*set_system)(void *self, DvMechanics *m, const DvStep *step, DvFactors factors);
    /* A x = b over vectors of the mechanics given before; x holds the initial guess of solvers that use one. */
    DvStatus (*solve)(void *self, DvVecId x, DvVecId b);
    /* x = A^-1 b on flat arrays of n unknowns; for preconditioners and dense right-hand sides. Optional for
     * matrix-free solvers. */
    DvStatus (*solve_flat)(void *self, double *x, const double *b, size_t n);
    bool (*is_matrix_free)(void *self);
    /* Optional: whether solve() starts from x, so that x is worth keeping from step to step; absent: no. */
    bool (*uses_guess)(void *self);
} DvLinearSolverOps;

/* How rows are ordered before factoring. */
#define DV_ORDERING "divan.ordering/1"
typedef struct DvOrderingOps {
    uint32_t size;
    /* permutation[new] = old for the graph of n nodes in compressed rows (symmetric, may hold the diagonal). */
    DvStatus (*order)(void *self, uint32_t n, const uint32_t *row_start, const uint32_t *columns,
                      uint32_t *permutation);
} DvOrderingOps;

/* A linear system that a scene describes by itself (which parts are assembled); solvers find it by link or in their
 * node. */
#define DV_LINEAR_SYSTEM "divan.linear-system/1"
typedef struct DvLinearSystemOps {
    uint32_t size;
    bool (*is_matrix_free)(void *self);
    /* The matrix for these factors; NULL after a reported error, or of a matrix-free system. */
    const DvBlockMatrix *(*assemble)(void *self, DvMechanics *m, const DvStep *step, DvFactors factors);
} DvLinearSystemOps;

DV_END_DECLS
#endif
