/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How components come by a linear solver, and what linear solvers have in common: the linear system of the scene, their fields, right-hand
 * sides and solutions as flat arrays (the states below the solver one after the other, in tree order), many right-hand sides one after
 * the other, and how a singular matrix is reported.
 *
 * DvLinearSolver is the first member of the component's struct, so that the functions here serve as its operations.
 */
#ifndef DIVAN_KIT_LINEAR_SOLVER_H
#define DIVAN_KIT_LINEAR_SOLVER_H

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/node.h>

DV_BEGIN_DECLS

/* All objects of a search, in scratch memory of the step.     [main] */
static inline DvObject **dv_find_all(const DvNode *node, const char *contract, DvSearch search, size_t *count)
{
    *count = dv_node_find_all(node, contract, search, NULL, 0);
    DvObject **found = (DvObject **)dv_step_alloc(*count, sizeof *found);
    (void)dv_node_find_all(node, contract, search, found, *count);
    return found;
}

/* A linear solver with its functions at hand. */
typedef struct DvLinearSolverUse {
    const DvLinearSolverOps *ops; /* NULL: there is none */
    void *self;
} DvLinearSolverUse;

/* The solver that `link` leads to; without a link the first in the search whose tags are those of the object, else the first. None: ops
 * is NULL and nothing is reported; self is then one that cannot be used, which has been reported, or NULL.     [main] at init */
DV_PUBLIC DvLinearSolverUse dv_linear_solver_of(DvObject *object, const DvLink *link, DvSearch search);

/* Which matrices it solves; of none: symmetric ones.     [step] */
static inline DvMatrixKind dv_linear_solver_takes(DvLinearSolverUse solver)
{
    return solver.ops && solver.ops->takes ? solver.ops->takes(solver.self) : DV_MATRIX_SYMMETRIC;
}

/* ---- Linear systems ---- */

/* A linear system with its functions at hand. */
typedef struct DvLinearSystemUse {
    const DvLinearSystemOps *ops;
    void *self;
    DvObject *object;
} DvLinearSystemUse;

/* The system of a solver: that of `link`; else the first of class `class_name` and variant `variant` in the node or above
 * that no other solver is linked to; else a new one in the solver's node. `link` then leads to it. class_name NULL: any class that
 * assembles for this variant, a new one of that which is there for solvers without a system; of matrix-free ones (variant GraphScattered)
 * that class alone. An error is reported: the linked object is no system of the right kind.     [main] at init */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_system_find(DvObject *solver, DvLink *link, const char *class_name,
                                                      const char *variant, DvLinearSystemUse *use);

/* Whether a solver may do without its matrix, where products are the same; it then tells the system by `skip`.     [step] */
static inline bool dv_linear_system_may_be_skipped(DvLinearSystemUse system)
{
    return system.ops->may_be_skipped && system.ops->may_be_skipped(system.self);
}
/* The matrix of its last assembly if that left nothing out, else NULL.     [step] */
static inline const DvBlockMatrix *dv_linear_system_whole(DvLinearSystemUse system)
{
    return system.ops->whole ? system.ops->whole(system.self) : NULL;
}

/* ---- The base ---- */

/* x = A^-1 b of n numbers, as DvLinearSolverOps.solve_flat; both may be read one double past their end. */
typedef DvStatus (*DvSolveFlat)(void *self, double *x, const double *b, size_t n);

typedef struct DvLinearSolver {
    DvLink linear_system;
    DvLinearSystemUse system; /* found at init */
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the present system; NULL: there is none */
    size_t n;       /* its unknowns */
    double *b,
        *x; /* [n + 1] flat, the last one zero: products may read it; NULL unless dv_linear_solver_assemble was called */
    size_t capacity;
    DvSolveFlat solve_row; /* of one right-hand side; set at init */
    double
        left; /* the largest relative residual of those in progress: of iterative methods, by dv_linear_solver_left */
} DvLinearSolver;

/* Threads are the program's task pool, whatever a scene asks for: the results would be the same. */
#define DV_LINEAR_SOLVER_FIELDS(Struct, base)                                                                        \
    DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0",                                                             \
                  .help = "threads asked for; the program's own number counts, results do not depend on it"),        \
        DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default",                                       \
                      .help = "task scheduler asked for; there is one, the program's"),                              \
        DV_FIELD_HELD("parallelInverseProduct", dv_type_bool, .init = "0",                                           \
                      .help =                                                                                        \
                          "whether products with the inverse may use several threads; results do not depend on it"), \
        DV_FIELD_HELD("factorizationInvalidation", dv_type_bool, .init = "0",                                        \
                      .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN, .help = "internal"),                            \
        DV_LINK(Struct, base.linear_system, "linearSystem", DV_LINEAR_SYSTEM,                                        \
                .help = "linear system to solve; default: one of the same type in the node or above, else a new one")

/* Members of DvLinearSolverOps: those that all have, and many right-hand sides one after the other, for methods that gain nothing from
 * having them together. */
#define DV_LINEAR_SOLVER_OPS                                                              \
    .size = sizeof(DvLinearSolverOps), .is_matrix_free = dv_linear_solver_is_matrix_free, \
    .mechanics = dv_linear_solver_mechanics
#define DV_LINEAR_SOLVER_ONE_BY_ONE .solve_many = dv_linear_solver_solve_many, .compliance = dv_linear_solver_compliance

/* At init: the linear system, as dv_linear_system_find, and the function that solves. An error is reported.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_solver_open(DvObject *object, DvLinearSolver *solver, const char *class_name,
                                                      const char *variant, DvSolveFlat solve_row);
/* DvClass.destroy.     [main] */
DV_PUBLIC void dv_linear_solver_destroy(DvObject *object, void *self);

/* In set_system: these are its mechanics, and b and x have their size. Allocates when there are more unknowns than ever.     [step] */
DV_PUBLIC void dv_linear_solver_take(DvLinearSolver *solver, DvMechanics *m);
/* In set_system: it does without the matrix of this system, so that nobody takes an earlier one for it.     [step] */
static inline void dv_linear_solver_skip(const DvLinearSolver *solver)
{
    if (solver->system.ops->skip)
        solver->system.ops->skip(solver->system.self, solver->n);
}
/* In set_system: the matrix of the system, which is lent until the next assembly, and b and x of its size; NULL after an error, which is
 * reported. Allocates when there are more unknowns than ever.     [step] */
DV_PUBLIC const DvBlockMatrix *dv_linear_solver_assemble(DvLinearSolver *solver, DvMechanics *m, const DvStep *step,
                                                         DvFactors factors);
/* Reports that scalar row `failed` of the matrix of the present system has no pivot, with the points whose rows are zero: how many, the
 * first three of them, and that no element uses them where it is so; else the point of that row alone: DV_ERROR_SINGULAR. Entries that
 * are not finite are said instead: DV_ERROR_NOT_FINITE.     [step] */
DV_PUBLIC DvStatus dv_linear_solver_refuse_singular(const DvLinearSolver *solver, const DvBlockMatrix *a,
                                                    uint32_t failed);

/* Reports that the pivot of scalar row `failed` is not positive, where the method needs a matrix that is positive definite, and which
 * class does not need that: DV_ERROR_INVALID.     [step] */
DV_PUBLIC DvStatus dv_linear_solver_refuse_indefinite(const DvLinearSolver *solver, uint32_t failed,
                                                      const char *instead);

/* DvLinearSolverOps. solve is that of solve_row on the flat arrays.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_solver_solve(void *self, DvVecId x, DvVecId b);
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_solver_solve_many(void *self, const DvSparseRows *b, double *x, size_t stride,
                                                            double *residual);
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_solver_compliance(void *self, const DvSparseRows *j, double factor, double *w,
                                                            size_t stride);
DV_PUBLIC bool dv_linear_solver_is_matrix_free(void *self);
DV_PUBLIC const DvMechanics *dv_linear_solver_mechanics(void *self);

/* In solve_row: the relative residual that is left of this right-hand side.     [step] */
DV_PUBLIC void dv_linear_solver_left(DvLinearSolver *solver, double left);
/* Whether all columns are unknowns of the present system; else an error is reported.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_linear_solver_check_rows(const DvLinearSolver *solver, const DvSparseRows *rows);
/* Whether each row has its columns ascending, each once.     [any] */
DV_PUBLIC bool dv_sparse_rows_ascend(const DvSparseRows *rows);
/* Row `row` as n numbers.     [any] */
DV_PUBLIC void dv_sparse_row_spread(const DvSparseRows *rows, uint32_t row, double *dense, size_t n);

DV_END_DECLS
#endif
