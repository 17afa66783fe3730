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
    /* Optional. After the initialisation and after a reset: makes the states of the whole scene consistent (constraints hold,
     * mapped states follow). */
    void (*settle)(void *self);
    bool by_default; /* a root without a loop gets one of this class; of several classes, that of the highest rank */
} DvAnimationLoopOps;

#define DV_ODE_SOLVER "divan.ode-solver/1"
typedef struct DvOdeSolverOps {
    uint32_t size;
    /* From DV_POSITION and DV_VELOCITY to `position` and `velocity` (the same, or the free ones). An error stops the
     * run. */
    DvStatus (*solve)(void *self, double dt, DvVecId position, DvVecId velocity);
    double (*position_factor)(void *self, double dt); /* position, velocity per unit of the linear system's solution */
    double (*velocity_factor)(void *self, double dt);
    /* Optional, of solvers with a linear solver: makes sure that it holds the system of the last solve, which others that share it
     * may have taken it from. */
    DvStatus (*hold_system)(void *self);
} DvOdeSolverOps;
static inline DvStatus dv_ode_solver_hold_system(const DvOdeSolverOps *ops, void *self)
{
    return ops->hold_system ? ops->hold_system(self) : DV_OK;
}

/* Half solutions y_i = L^-1 P b_i with A = P^T L D L^T P: b_i A^-1 b_j is the sum over k of y_i(k) weights[k] y_j(k), and
 * half solutions add up as right-hand sides do. */
typedef struct DvHalfSolutions {
    DvSparseRows rows;     /* columns: unknowns in the order of elimination */
    const double *weights; /* [unknowns] 1 / D, in that order */
} DvHalfSolutions;

/* How long a system holds: all solves after a good set_system are of that system, until the next one, which may be of other mechanics:
 * several ODE solvers may share a linear solver (`mechanics` below, `hold_system` above). A solver with a
 * factor keeps it whatever is assembled, moved or computed meanwhile; one without multiplies by the operator as it is
 * when it is asked, so that nobody may compute forces, propagate or assemble over the same mechanics in between.
 * Sparse right-hand sides are over the flat unknowns of the mechanics; those of fixed unknowns must not be there. */
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
    /* Optional: number of the factor: the same number, the same A^-1, bit for bit. Absent: there is none. */
    uint64_t (*factor_version)(void *self);
    /* x_i = A^-1 b_i at x + i * stride, each of the mechanics' unknowns; guesses are not used. *residual (or NULL): the
     * largest |b_i - A x_i| / |b_i|, as the method knows it: iterative solvers stop by their own bounds, so look at it;
     * 0 of a direct solver that had nothing to refine. Allocates only when there is more to do than ever before. */
    DvStatus (*solve_many)(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual);
    /* w(i, j) += factor j_i A^-1 j_j at w[i * stride + j]. Symmetric of direct solvers, to their residual of others. */
    DvStatus (*compliance)(void *self, const DvSparseRows *j, double factor, double *w, size_t stride);
    /* Optional, both or none, of solvers with a factor: half solutions, lent until the next call of any but finish_half;
     * and x = A^-1 b from the dense half solution y of b. Not refined: where pivots have lost digits (an indefinite
     * matrix), solve and solve_many know more. */
    DvStatus (*half_solve)(void *self, const DvSparseRows *b, DvHalfSolutions *y);
    DvStatus (*finish_half)(void *self, double *x, const double *y, size_t n);
    /* Optional: the mechanics of its present system, to be compared alone; NULL: it has none. Whoever shares a solver sets its system
     * again when it is another's. Absent: it is not shared. */
    const DvMechanics *(*mechanics)(void *self);
    /* Optional (absent: DV_MATRIX_SYMMETRIC): which matrices it solves. Who builds a system sets DvStep.kind by it. */
    DvMatrixKind (*takes)(void *self);
    /* Optional, of solvers that work on vectors of the mechanics: x = A^-1 b of one sparse right-hand side, as a vector of the mechanics that
     * is lent until the next call of any. `solve_many` with the solution where the states are; false in *there: it cannot now. */
    DvStatus (*solve_there)(void *self, const DvSparseRows *b, DvVecId *x, bool *there);
} DvLinearSolverOps;
/* Whether the solver certainly has a system of other mechanics than `m`. */
static inline bool dv_linear_solver_is_of_another(const DvLinearSolverOps *ops, void *self, const DvMechanics *m)
{
    return ops->mechanics && ops->mechanics(self) != m;
}

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
/* Which solvers that find no system in the scene get one of a class; of several classes, that of the highest rank. */
typedef enum DvDefaultSystem {
    DV_SYSTEM_ON_REQUEST, /* those that name the class */
    DV_SYSTEM_ASSEMBLED,
    DV_SYSTEM_MATRIX_FREE
} DvDefaultSystem;
typedef struct DvLinearSystemOps {
    uint32_t size;
    bool (*is_matrix_free)(void *self);
    /* The matrix for these factors; NULL after a reported error, or of a matrix-free system. */
    const DvBlockMatrix *(*assemble)(void *self, DvMechanics *m, const DvStep *step, DvFactors factors);
    DvDefaultSystem by_default;
    /* Optional, all or none, of systems that assemble: the matrix of the last assembly if it left nothing out, else NULL; whether the next
     * one would leave nothing out, so that products by the mechanical operations are the same and a solver may do without the matrix;
     * and that it does, of so many unknowns. */
    const DvBlockMatrix *(*whole)(void *self);
    bool (*may_be_skipped)(void *self);
    void (*skip)(void *self, size_t unknowns);
} DvLinearSystemOps;

DV_END_DECLS
#endif
