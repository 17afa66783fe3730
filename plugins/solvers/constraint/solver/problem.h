/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The problem of a step, and a solution of it that grows sweep by sweep.
 *
 * W is never formed as a whole. Each part of it keeps a running sum: of a matrix its lambda, of factors the products of its right
 * rows with lambda. A row of W lambda is then a product of that row of each part with the part's running sum, and a change of
 * lambda changes the running sums of the parts that the row is in.
 */
#ifndef DV_SOLVERS_PROBLEM_H
#define DV_SOLVERS_PROBLEM_H

#include <divan/contracts/lagrangian_constraint.h>

#include <stdatomic.h>

/* Where a row is in a part. */
typedef struct RowUse {
    uint32_t part, at;
} RowUse;

/* Three columns in a row of a part, of a block of three rows that have entries there and in other threes alone, as those of contacts
 * do: side by side, so that a sweep reads them as vectors. */
typedef struct ThreeColumns {
    double left[3][4];  /* of each column: the left factor's entries of the three rows */
    double right[3][4]; /* of each row: the right factor's entries of the three columns */
    size_t at;          /* the first of them in the work of a solution */
    bool last;          /* of the block in this part */
} ThreeColumns;

typedef struct Problem {
    DvConstraintProblem view;            /* first: what others hold is this */
    atomic_uint holders;                 /* the solver, and who took it */
    struct ProblemChunk *chunks, *chunk; /* all, which stay; the one in use */
    size_t chunk_used;
    /* All below is in the chunks. */
    DvConstraintBlock *blocks;
    double *violation, *lambda, *diagonal, *regularization;
    DvComplianceBlock *parts;
    uint32_t *use_start; /* [rows + 1] */
    RowUse *uses;
    uint32_t *three_start; /* [block_count + 1] into `threes`; a block without any is not of their kind */
    ThreeColumns *threes;
    size_t *diagonal_at; /* [block_count] into `diagonal` */
    size_t *running_at;  /* [part_count] into the work of a solution */
    size_t running;      /* doubles of all running sums */
    size_t factors;      /* doubles of the factors of all diagonal blocks: as many as `diagonal` has */
    uint32_t most_rows;  /* of a block */
} Problem;

/* Problems that a solver reuses: as many as are held at once. */
typedef struct ProblemPool {
    Problem **problems;
    uint32_t count;
    Problem *current; /* of the last step; or NULL */
    uint64_t number;
} ProblemPool;

Problem *problem_begin(ProblemPool *pool); /* one that nobody else holds, empty */
void problem_pool_free(ProblemPool *pool); /* what others hold goes when they let it go */
void *problem_alloc(Problem *problem, size_t bytes);
/* Whether it would find so much; if not, that has been reported of the object. */
bool problem_has_room(const Problem *problem, const DvObject *object, size_t bytes);
const DvConstraintProblem *problem_take(ProblemPool *pool);
void problem_release(const DvConstraintProblem *problem);
/* When parts, blocks, violation and regularization are there: columns of factors that nobody uses go; places and diagonal blocks. */
void problem_finish(Problem *problem);

/* w [rows x rows] = W. */
void problem_dense(const Problem *problem, double *w);
/* More regularization of one row, after problem_finish. */
void problem_regularize(Problem *problem, uint32_t row, double term);

/* A solution in the making. */
typedef struct Solution {
    const Problem *problem;
    const double *violation; /* [rows] */
    double *lambda;          /* [rows] */
    double *running, *factors;
    double *scratch; /* [2 x most_rows] */
    double *
        late; /* [running] or NULL: what a start of lambda adds to the columns of a point when one of them is touched first */
    double *d;       /* [rows] or NULL: the violation of each row when its block was last looked at */
    double *error;   /* [block_count] or NULL: of each block in the last sweep */
    bool block_norm; /* the error of a block is the length of its change, not the sum of those of its rows */
} Solution;

size_t problem_work(const Problem *problem); /* doubles */
/* lambda is where it begins; the work is that of one solution, until it is done. */
Solution solution_begin(const Problem *problem, const double *violation, double *lambda, double *work);
/* The same, but forces that lambda begins with show at a point only when a force there changes. `late`: [problem->running] */
Solution solution_begin_late(const Problem *problem, const double *violation, double *lambda, double *work,
                             double *late);
/* Running sums of the present lambda, anew. */
void solution_sum_up(Solution *s);
/* Row of W lambda. */
double solution_row(const Solution *s, uint32_t row);
/* `count` rows of it, each the same sum in the same order. */
void solution_rows(const Solution *s, uint32_t first, uint32_t count, double *out);
/* out [rows] = W x; running sums become those of x. */
void solution_product(const Solution *s, double *x, double *out);
/* lambda[row] has grown by delta: in all but lambda itself. */
void solution_add(Solution *s, uint32_t row, double delta);

/* How far a sweep was from the solution. */
typedef struct SweepError {
    double sum;    /* over blocks: how far lambda has moved d */
    bool verified; /* no block by more than its tolerance */
    bool in_time;
} SweepError;

/* One Gauss-Seidel sweep over the blocks in order. `deadline`: of the monotonic clock, s; 0: none. */
SweepError solution_sweep(Solution *s, double tolerance, double deadline);
/* The same, of which only the share `sor` of the change of each force is taken, or more than all of it. `before`: [rows]; not used where
 * `sor` is 1. */
SweepError solution_sweep_relaxed(Solution *s, double tolerance, double sor, double *before);
/* Sweeps from lambda on until the error is below `tolerance` (scaled already). true: it is. */
bool solution_solve(Solution *s, uint32_t sweeps, double tolerance, double deadline);

/* What DvConstraintSolverOps offer of problems. */
size_t problem_work_of(const DvConstraintProblem *problem);
bool problem_solve_again(const DvConstraintProblem *problem, const double *violation, double *lambda, uint32_t sweeps,
                         double tolerance, double deadline, double *work);

#endif
