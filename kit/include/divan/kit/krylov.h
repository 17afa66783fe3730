/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Krylov methods: their vectors and the product, wherever they live (vectors of the states, multiplied by the mechanical operations
 * without a matrix; or flat arrays, multiplied by an assembled matrix), so that a method is written once; and what linear solvers by such
 * a method have in common: fields, the system, the choice between both, the convergence graph and the record of solves.
 *
 * DvKrylovSolver is the first member of the component's struct. Products are made as they cost less, for as many as the solve before
 * took: the result is the same to rounding.
 *
 * Sums over flat arrays run in chunks, each in partial sums by place: the same bits with any number of threads and on any machine.
 *
 * Threads: [step], if nothing else is said.
 */
#ifndef DIVAN_KIT_KRYLOV_H
#define DIVAN_KIT_KRYLOV_H

#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/kit/convergence_graph.h>
#include <divan/kit/linear_solver.h>
#include <divan/kit/symmetric_product.h>

DV_BEGIN_DECLS

/* The vectors of a method by number: X and B are the caller's, a method has R, P, Q and its own from DV_KRYLOV_OWN on, at most
 * DV_KRYLOV_MOST in all. They are scratch of the mechanics: a solver that several mechanics share has vectors in each. */
enum {
    DV_KRYLOV_X,
    DV_KRYLOV_B,
    DV_KRYLOV_R,
    DV_KRYLOV_P,
    DV_KRYLOV_Q,
    DV_KRYLOV_OWN,
    DV_KRYLOV_MOST = DV_SCRATCH_INTEGRATION - DV_SCRATCH_LINEAR
};

typedef struct DvKrylovSpace {
    uint32_t count; /* of vectors; set at init */
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    DvStep step;
    DvFactors factors;
    const DvBlockMatrix *matrix;            /* NULL: matrix-free */
    DvVecId ids[DV_KRYLOV_MOST];            /* matrix-free */
    double *flat[DV_KRYLOV_MOST];           /* [n + 1] assembled; also for preconditioners */
    DvStateRef *state;                      /* [known] of this solve, held, matrix-free */
    uint32_t states, known, state_capacity; /* states: as many as are known, or none when one is elsewhere */
    double **vectors;                       /* [states][count] theirs */
    size_t *lengths;                        /* [states] */
    /* In memory of the host a solve works on arrays: the flat ones, or those of the states, which stay where they are. */
    uint32_t parts;       /* of the vectors; 0: by the mechanical operations */
    double *const *at;    /* [parts][count] */
    const size_t *length; /* [parts] */
    double alpha;         /* X still lacks this times P */
    bool q_is_clear;      /* from the last step, for the next product */
    size_t n, capacity;
    DvSymmetricMatrix half;    /* of the matrix */
    bool by_half;              /* products are by it */
    struct DvKrylovRows *rows; /* right-hand sides side by side; NULL: there have been none */
    double rounding; /* right-hand sides up to this are of rounding alone, as far as has been found; 0: not yet */
} DvKrylovSpace;

/* The system of the next solves. `matrix` NULL: products by the mechanical operations. `products`: how many are expected, from which
 * alone follows whether they are by half of the matrix. */
DV_PUBLIC void dv_krylov_space_set(DvKrylovSpace *space, DvMechanics *m, const DvStep *step, DvFactors factors,
                                   const DvBlockMatrix *matrix, uint32_t products);
DV_PUBLIC void dv_krylov_space_free(DvKrylovSpace *space); /* [main] */
/* The vectors of the states, which products without a matrix need: in each set_system, before a solve without one, and where later solves
 * may have none. */
DV_PUBLIC void dv_krylov_reserve_states(DvKrylovSpace *space);

/* Brings b, and x when it is a guess, into the space; takes x out again. */
DV_PUBLIC void dv_krylov_begin(DvKrylovSpace *space, DvVecId x, DvVecId b, bool guess);
DV_PUBLIC void dv_krylov_end(DvKrylovSpace *space);
/* The same for b and x as flat arrays; x starts at zero. */
DV_PUBLIC void dv_krylov_begin_flat(DvKrylovSpace *space, const double *b);
DV_PUBLIC void dv_krylov_end_flat(DvKrylovSpace *space, double *x);

DV_PUBLIC void dv_krylov_clear(DvKrylovSpace *space, int r);
DV_PUBLIC void dv_krylov_copy(DvKrylovSpace *space, int r, int a);
DV_PUBLIC void dv_krylov_combine(DvKrylovSpace *space, int r, int a, int b, double k); /* r = a + k b */
DV_PUBLIC double dv_krylov_dot(DvKrylovSpace *space, int a, int b);
/* X += alpha P, R -= alpha Q; returns R . R. X gets its part with the next turn, or at the end: P passes by once for both. */
DV_PUBLIC double dv_krylov_step(DvKrylovSpace *space, double alpha);
DV_PUBLIC void dv_krylov_turn(DvKrylovSpace *space, int r, double beta); /* P = r + beta P */
/* q = A p with the projections of the constraints; returns p . q. */
DV_PUBLIC double dv_krylov_product(DvKrylovSpace *space, int q, int p);
/* R = B - A X, by Q. */
DV_PUBLIC void dv_krylov_residual(DvKrylovSpace *space);
/* Whether a right-hand side of this norm, of a step, is what rounding leaves of forces that cancel, as those of a body at rest or that
 * drifts: nothing acts. May cost a product, and P and Q: for solves that are over and would be told of. */
DV_PUBLIC bool dv_krylov_is_rounding(DvKrylovSpace *space, double b_norm);
/* z = P^-1 r by a linear solver on flat arrays. */
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_precondition(DvKrylovSpace *space, const DvLinearSolverOps *ops,
                                                       void *preconditioner, int z, int r);

/* ---- Conjugate gradients that stay on a device ---- */

typedef struct DvKrylovCourse {
    DvStorage storage; /* space NULL: the solve does not stay */
    uint32_t batch;    /* iterations between two looks; 0: as many as are expected. Results are the same for each */
    double b_squared;  /* of the right-hand side */
    uint32_t turns;    /* iterations begun */
    /* [turns] of each: p . q, and R . R after it; not a number where it ended before that. */
    double *denominator, *rho;
    uint32_t capacity;
} DvKrylovCourse;

/* After dv_krylov_begin: whether the solve can stay where its vectors are, with room for as many iterations. */
DV_PUBLIC bool dv_krylov_course_begin(DvKrylovSpace *space, DvKrylovCourse *course, uint32_t iterations);
/* From X, which is zero: until |R| <= tolerance |B|, a denominator that is not larger than the threshold, or as many iterations. In the first
 * solve of all the first iteration is never refused. */
DV_PUBLIC void dv_krylov_course_run(DvKrylovSpace *space, DvKrylovCourse *course, uint32_t iterations, double tolerance,
                                    double threshold, bool first_solve, uint32_t expected);
/* In iterate, once a course has been run: whether the solve has only been asked for, with others. Then there is nothing to tell of it yet:
 * iterate returns, and is called again when all of them are known. */
DV_PUBLIC bool dv_krylov_is_asked(const DvKrylovSpace *space);
DV_PUBLIC void dv_krylov_course_free(DvKrylovCourse *course); /* [main] */

/* ---- Linear solvers by a Krylov method ---- */

typedef struct DvKrylovOps {
    DvLinearSolverOps solver; /* first: DV_KRYLOV_SOLVER_OPS */
    /* From B to X, which holds a guess or zero. `of_step`: B is of a step, not a row of a constraint. Stores how many products there were,
     * or leaves the number when there was nothing to do, and self->left. */
    DvStatus (*iterate)(void *self, bool of_step, uint32_t *products);
} DvKrylovOps;

typedef struct DvKrylovSolver {
    DvLinearSolver base;
    DvData iterations, tolerance;
    /* Since init, because the first solve may be special; and in the last one. A saved run goes on with both. */
    DvData solves, products;
    DvData graph;
    const DvKrylovOps *ops;
    DvKrylovSpace space;
    DvCurve errors; /* of the last solve, for the class and its graph */
    double left;    /* residual of the last solve, relative to its right-hand side */
    DvSolveRecord record;
} DvKrylovSolver;

/* `flags_`, `tolerance_help`, `graph_help`: what differs between classes. */
#define DV_KRYLOV_FIELDS(Struct, base_, flags_, tolerance_help, graph_help)                                          \
    DV_LINEAR_SOLVER_FIELDS(Struct, base_.base),                                                                     \
        DV_FIELD(Struct, base_.iterations, "iterations", dv_type_uint, .init = "25", .range = &dv_range_count,       \
                 .flags = (flags_), .help = "largest number of iterations"),                                         \
        DV_FIELD(Struct, base_.tolerance, "tolerance", dv_type_double, .init = "1e-5",                               \
                 .range = &dv_range_not_negative, .flags = (flags_), .help = tolerance_help),                        \
        DV_FIELD(Struct, base_.solves, "solves", dv_type_uint, .init = "0",                                          \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "solves since initialisation"), \
        DV_FIELD(Struct, base_.products, "products", dv_type_uint, .init = "0",                                      \
                 .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN | DV_FIELD_INPUT, .help = "products in the last solve"),  \
        DV_FIELD(Struct, base_.graph, "graph", dv_type_string, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,        \
                 .help = graph_help)

/* Members of DvLinearSolverOps that all have. A class adds set_system, takes, and uses_guess where it starts from X. */
#define DV_KRYLOV_SOLVER_OPS                                                                                    \
    DV_LINEAR_SOLVER_OPS, .solve_many = dv_linear_solver_solve_many, .compliance = dv_krylov_solver_compliance, \
                          .solve = dv_krylov_solver_solve, .solve_there = dv_krylov_solver_solve_there
#define DV_KRYLOV_CLASS(operations, record_operations, ...)                                                          \
    .family = "linear solvers", .bases = (const char *const[]){__VA_ARGS__, NULL}, .contracts = (const DvContract[]) \
    {                                                                                                                \
        {.id = DV_LINEAR_SOLVER, .ops = &(operations)}, {.id = DV_SOLVE_RECORD, .ops = &(record_operations)},        \
        {                                                                                                            \
            0                                                                                                        \
        }                                                                                                            \
    }
/* A class that does more when it begins or ends writes its own functions, which call these. */
#define DV_KRYLOV_LIFE                                                                                 \
    .init = dv_krylov_solver_init, .reset = dv_krylov_solver_reset, .update = dv_krylov_solver_update, \
    .destroy = dv_krylov_solver_destroy

/* DvClass.init: a system of the object's variant, `count` vectors are DV_KRYLOV_OWN; and the same with a system of a class, or
 * NULL for that of the variant, and more vectors.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_init(DvObject *object, void *self);
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_open(DvObject *object, DvKrylovSolver *self, const char *system_class,
                                                      const char *variant, uint32_t vectors);
/* DvClass.reset: solves, products and record start anew; update: the graph from `errors`; destroy.     [main] */
DV_PUBLIC void dv_krylov_solver_reset(DvObject *object, void *self);
DV_PUBLIC DvStatus dv_krylov_solver_update(DvObject *object, void *self);
DV_PUBLIC void dv_krylov_solver_destroy(DvObject *object, void *self);

/* DvLinearSolverOps. set_system assembles by the system of the scene, unless that may do without and it costs less.
 * set_matrix_free, of a matrix-free system: `matrix` is the one that is there already, or NULL. */
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_set_system(void *self, DvMechanics *m, const DvStep *step,
                                                            DvFactors factors);
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_set_matrix_free(DvKrylovSolver *self, DvMechanics *m,
                                                                 const DvStep *step, DvFactors factors,
                                                                 const DvBlockMatrix *matrix);
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_solve(void *self, DvVecId x, DvVecId b);
/* Of states that a device keeps, right-hand sides and what is asked of solutions travel by their points. */
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_solve_there(void *self, const DvSparseRows *b, DvVecId *x,
                                                             bool *there);
DV_NODISCARD DV_PUBLIC DvStatus dv_krylov_solver_compliance(void *self, const DvSparseRows *j, double factor, double *w,
                                                            size_t stride);
DV_PUBLIC bool dv_krylov_solver_starts_from_guess(void *self);              /* uses_guess: always */
DV_PUBLIC DvMatrixKind dv_krylov_solver_takes_nearly_symmetric(void *self); /* takes */

/* A residual below this part of the largest right-hand side so far changes nothing that anybody would see, whatever the tolerance. */
#define DV_KRYLOV_UNSEEN 1e-4
/* In iterate, at its end: a solve has left a residual of norm `residual` of a right-hand side of norm `b_norm` > 0, and `tolerance` was
 * asked for. It is measured by the largest right-hand side of a step, or by that of its row. True: it is unsolved. */
DV_PUBLIC bool dv_krylov_solver_record(DvKrylovSolver *self, double residual, double b_norm, double tolerance,
                                       bool of_step);
/* DV_SOLVE_RECORD, with the remedy that more iterations are; and its `record` for others. */
extern DV_PUBLIC const DvSolveRecordOps dv_krylov_solver_record_ops;
DV_PUBLIC const DvSolveRecord *dv_krylov_solver_record_of(void *self);

DV_END_DECLS
#endif
