/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lagrangian constraints: conditions that hold by forces, and what solves for them.
 *
 *   constraint     rows of J on one or more states, their violation after the free motion, and a law for each block of rows
 *   correction     the compliance C of some independent states: what a force on them moves in this step
 *   solver         finds lambda so that each law holds of  d = d_free + W lambda,  W = sum of J C J^T over the corrections,
 *                  and lets the corrections move their states by C J^T lambda
 *   problem        all of that of one step, immutable: others may solve it again while the simulation goes on
 *
 * An animation loop lets the bodies move freely (DV_FREE_POSITION, DV_FREE_VELOCITY), then asks the solver.
 *
 * Threads: all [step], but what is said of problems.
 */
#ifndef DIVAN_CONTRACTS_LAGRANGIAN_CONSTRAINT_H
#define DIVAN_CONTRACTS_LAGRANGIAN_CONSTRAINT_H

#include <divan/contracts/mechanical_operations.h>

#include <string.h>

DV_BEGIN_DECLS

/* What is constrained: positions at the end of the step (m; velocities follow), or velocities (m/s; positions follow). */
typedef enum DvConstraintOrder { DV_CONSTRAIN_POSITION, DV_CONSTRAIN_VELOCITY } DvConstraintOrder;

/* ---- Laws ---- */

typedef enum DvLaw {
    DV_LAW_BILATERAL, /* d = 0 in all rows; p[0]: how much of a correction is applied, 1: all of it; solvers set p[1]: three rows
                        * whose determinant of W is at most this are let go */
    DV_LAW_UNILATERAL, /* one row: d >= 0, lambda >= 0, one of them 0; lambda is 0 where W of the row is at most p[1] */
    DV_LAW_FRICTION,   /* rows n, t, s: the same of n; |(lambda_t, lambda_s)| <= p[0] lambda_n (Coulomb) */
    DV_LAW_AUGMENTED,  /* the same, friction p[0], by a gradient step of p[1] (augmented Lagrangian) */
    DV_LAW_INTERVAL,   /* one row: p[0] <= d <= p[1] */
    DV_LAW_OWN         /* `own` says */
} DvLaw;
/* Sets of laws are sums of these. */
static inline uint32_t dv_law_bit(DvLaw law)
{
    return 1u << law;
}
#define DV_LAWS_OF_CONTACTS \
    ((1u << DV_LAW_UNILATERAL) | (1u << DV_LAW_FRICTION) | (1u << DV_LAW_AUGMENTED)) /* by the one or the other */
#define DV_LAWS_ALL ((2u << DV_LAW_OWN) - 1u)

typedef struct DvConstraintBlock DvConstraintBlock;

/* A law of a third party. Functions of their arguments alone: they are called on other threads too. */
typedef struct DvOwnLaw {
    /* New lambda [rows] of the block from d [rows], its violation at the present lambda; w [rows x rows]: how d changes with
     * lambda. May change d. */
    void (*resolve)(const DvConstraintBlock *block, const double *w, double *d, double *lambda);
} DvOwnLaw;

/* Rows that are solved for together. */
struct DvConstraintBlock {
    uint32_t first, rows; /* rows of the problem; [constraint.build] the writer sets `first` */
    DvLaw law;
    double p[2];      /* parameters of the law */
    double tolerance; /* of its own, in the unit of d; 0: the solver's */
    bool has_start;   /* `start` is where the solution begins, else 0 */
    bool is_contact;  /* its start counts only for solvers that ask for an initial guess of contacts */
    double start[6];  /* of blocks of at most 6 rows */
    const DvOwnLaw *own;
};

/* ---- Constraints ---- */

/* Entries of rows on one state: the derivative of d of row[e] by point[e] is values[e x width ...]; in any order, what comes again
 * is added. Rows ascend in what constraints write one after the other, which costs least. */
typedef struct DvRowEntries DvRowEntries;
struct DvRowEntries {
    uint32_t *row, *point;
    double *values; /* [count x width] */
    size_t count, capacity;
    uint32_t width; /* of a derivative of the state */
    void (*grow)(DvRowEntries *entries);
};
/* Room for one more; its `width` numbers, to be written. */
static inline double *dv_entry_add(DvRowEntries *entries, uint32_t row, uint32_t point)
{
    if (entries->count == entries->capacity)
        entries->grow(entries);
    entries->row[entries->count] = row;
    entries->point[entries->count] = point;
    return entries->values + entries->count++ * entries->width;
}

enum { DV_MAX_CONSTRAINED_STATES = 8 };

/* Where a constraint writes its rows. */
typedef struct DvConstraintRows DvConstraintRows;
struct DvConstraintRows {
    DvRowEntries *of_state[DV_MAX_CONSTRAINED_STATES]; /* as `states` gave them; the same one twice is the same list */
    uint32_t next;                                     /* number of the next row */
    DvConstraintBlock *blocks;
    uint32_t block_count, block_capacity;
    void (*grow)(DvConstraintRows *rows);
    DvConstraintOrder order; /* what is constrained: the unit of limits in a block follows from it */
};
/* A block of the next `count` rows, to be filled in further; its first row is block->first.     [constraint.build] */
static inline DvConstraintBlock *dv_block_add(DvConstraintRows *rows, DvLaw law, uint32_t count)
{
    if (rows->block_count == rows->block_capacity)
        rows->grow(rows);
    DvConstraintBlock *block = &rows->blocks[rows->block_count++];
    memset(block, 0, sizeof *block);
    block->first = rows->next;
    block->rows = count;
    block->law = law;
    block->p[0] = law == DV_LAW_BILATERAL ? 1.0 : 0.0;
    rows->next += count;
    return block;
}

#define DV_LAGRANGIAN_CONSTRAINT "divan.lagrangian-constraint/1"
typedef struct DvLagrangianConstraintOps {
    uint32_t size;
    /* The states its rows are on, mapped ones too; stores at most capacity (DV_MAX_CONSTRAINED_STATES); 0: invalid or without
     * effect, it has no rows. */
    uint32_t (*states)(void *self, DvObject **states, uint32_t capacity);
    /* Writes rows and blocks of this step. step->position and velocity: of its beginning. An error stops the run. */
    DvStatus (*build)(void *self, const DvStep *step, DvConstraintRows *rows);
    /* d of the rows that build has written, in order; step->position and velocity: after the free motion. */
    DvStatus (*violation)(void *self, const DvStep *step, DvConstraintOrder order, double *d);
    /* Optional: what the solver found. lambda of its rows, a force times the step's dt: of a unit of the free motion's linear
     * system. */
    void (*store)(void *self, const DvStep *step, const double *lambda, uint32_t rows);
    /* Optional: constraints of a node are asked in the order of their ranks, those of the same rank (absent: 0) as they are in the
     * scene. */
    uint32_t (*rank)(void *self);
    /* Laws of which its blocks follow one in any case: a solver that serves none of them is refused at init. 0: not known before
     * blocks are there, each of which is looked at then. */
    uint32_t laws;
} DvLagrangianConstraintOps;

/* ---- Problems ---- */

/* A part of W, that of one correction: over `count` rows of the problem, W(row[i], row[j]) += w[i x count + j]; or, in factors,
 * the product of left row i and right row j over `columns` columns of its own, those of one point `group` by `group`. */
typedef struct DvComplianceBlock {
    uint32_t count;
    const uint32_t *row; /* [count] ascending */
    const double *w;     /* [count x count] symmetric; or NULL, then: */
    DvSparseRows left, right;
    uint32_t columns, group;
    double regularization; /* added to W(row[i], row[i]) */
} DvComplianceBlock;

/* Rows of a problem on the states that one correction moves: row i of `j`, over their unknowns, is part of row[i] of the problem. When
 * they move by dx from where d_free was taken (by dv with DV_CONSTRAIN_VELOCITY), d_free of row[i] grows by row i of j dx. */
typedef struct DvCorrectionRows {
    const DvObject *const *states; /* [state_count] to be compared with; who holds the problem does not hold them */
    const size_t *first;           /* [state_count + 1] the first unknown of each; the last: how many there are */
    uint32_t state_count;
    DvSparseRows j;
    const uint32_t *row; /* [j.rows] ascending */
} DvCorrectionRows;

/* A problem of one step. Nothing of it changes while somebody holds it. */
typedef struct DvConstraintProblem DvConstraintProblem;
struct DvConstraintProblem {
    uint64_t number; /* + 1 with each step of its solver */
    uint32_t rows, block_count;
    const DvConstraintBlock *blocks; /* [block_count] by their rows */
    const double *violation;         /* [rows] d_free */
    const double *lambda;            /* [rows] the solution of the step */
    const double *diagonal;          /* blocks of W on the diagonal, each rows x rows, one after the other */
    const double *regularization;    /* [rows] added to W(i, i); that of the parts too */
    const DvComplianceBlock *parts;  /* [part_count] */
    uint32_t part_count;
    double dt;
    uint32_t sweeps;         /* made in the step */
    double error, tolerance; /* how much the last of them moved d; below the tolerance it has converged */
    bool converged;
    DvConstraintOrder order;
    const DvCorrectionRows *moved; /* [moved_count] J, by correction */
    uint32_t moved_count;
};

/* ---- Corrections ---- */

/* What a correction writes its compliance into. alloc gives NULL when there is no room, which it has reported of the correction:
 * `compliance` then returns DV_ERROR_LIMIT. */
typedef struct DvComplianceSink DvComplianceSink;
struct DvComplianceSink {
    void *(*alloc)(DvComplianceSink *sink,
                   size_t bytes); /* 64-byte aligned, not cleared; lives as long as the problem */
    DvComplianceBlock
        *block; /* to be filled: w, or left, right, columns and group; `left` may be the rows that are given */
};

#define DV_CONSTRAINT_CORRECTION "divan.constraint-correction/1"
typedef struct DvConstraintCorrectionOps {
    uint32_t size;
    /* The independent states it moves, in tree order; their unknowns follow each other in this order. 0: invalid, it does nothing. */
    uint32_t (*states)(void *self, DvObject **states, uint32_t capacity);
    /* J C J^T of rows over its unknowns, times what turns it into the unit of `order`. `unbuilt`: for solvers that never look at W;
     * then it may not be formed. */
    DvStatus (*compliance)(void *self, const DvStep *step, DvConstraintOrder order, bool unbuilt, const DvSparseRows *j,
                           DvComplianceSink *sink);
    /* dx = C force, as DV_DX of its states, wherever these keep it.     force: one row over its unknowns, each once, ascending */
    DvStatus (*respond)(void *self, const DvStep *step, const DvSparseRows *force);
    /* x = x_free + position dx, v = v_free + velocity dx. */
    void (*factors)(void *self, const DvStep *step, DvConstraintOrder order, double *position, double *velocity);
} DvConstraintCorrectionOps;

/* ---- Solvers ---- */

#define DV_CONSTRAINT_SOLVER "divan.constraint-solver/1"
typedef struct DvConstraintSolverOps {
    uint32_t size;
    /* From the free positions and velocities of all states below its node to the constrained ones, which go to DV_POSITION and
     * DV_VELOCITY of the states that corrections move; of DV_CONSTRAIN_VELOCITY to DV_VELOCITY alone. */
    DvStatus (*solve)(void *self, const DvStep *step, DvConstraintOrder order);
    /* The problem of the last step, held for the caller, or NULL.     [step] */
    const DvConstraintProblem *(*take_problem)(void *self);
    /* Lets it go.     [any], as often as it was taken */
    void (*release_problem)(const DvConstraintProblem *problem);
    /* Solves a problem that is held with other violations d_free [rows], from lambda [rows] on, in at most `sweeps` sweeps and until
     * `deadline` (seconds of the monotonic clock; 0: none). `work`: dv_problem_work doubles. true: it has converged to
     * `tolerance`.     [any] */
    size_t (*work)(const DvConstraintProblem *problem); /* doubles */
    bool (*solve_again)(const DvConstraintProblem *problem, const double *violation, double *lambda, uint32_t sweeps,
                        double tolerance, double deadline, double *work);
    /* Laws that it solves for; 0: all. What it does not serve is an error that names solvers which do. */
    uint32_t laws;
    bool positions_alone; /* it does not solve for DV_CONSTRAIN_VELOCITY */
} DvConstraintSolverOps;
static inline uint32_t dv_constraint_solver_laws(const DvConstraintSolverOps *ops)
{
    return ops->laws ? ops->laws : DV_LAWS_ALL;
}

DV_END_DECLS
#endif
