/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What preconditioners of an assembled matrix have in common: a class brings two functions, one that builds it from the matrix and one
 * that applies it, z = P^-1 r. By itself it is a linear solver of one iteration from zero.
 *
 * DvPreconditioner is the first member of the component's struct. What is applied must have been copied from the matrix, which is lent
 * during `build` alone: it may be built less often than others assemble.
 */
#ifndef DIVAN_KIT_PRECONDITIONER_H
#define DIVAN_KIT_PRECONDITIONER_H

#include <divan/divan.h>
#include <divan/kit/linear_solver.h>

DV_BEGIN_DECLS

typedef struct DvPreconditioner DvPreconditioner;

typedef struct DvPreconditionerOps {
    DvLinearSolverOps solver; /* first: DV_PRECONDITIONER_OPS */
    /* From a matrix of self->base.n unknowns. An error is reported: dv_linear_solver_refuse_singular.     [step] */
    DvStatus (*build)(void *self, const DvBlockMatrix *a);
    const char
        *system; /* variant of the assembled system that it makes where the scene has none; NULL: its own variant */
} DvPreconditionerOps;

struct DvPreconditioner {
    DvLinearSolver base;
    const DvPreconditionerOps *ops;
    double *numbers; /* of dv_preconditioner_reserve */
    size_t capacity;
    DvBlockMatrix matrix; /* of dv_preconditioner_keep */
    size_t rows, slots;   /* that there is memory for */
};

/* The linear solver of DvPreconditionerOps: `apply` is z = P^-1 r, a DvSolveFlat. */
#define DV_PRECONDITIONER_OPS(apply)                                                                               \
    {                                                                                                              \
        DV_LINEAR_SOLVER_OPS, DV_LINEAR_SOLVER_ONE_BY_ONE, .set_system = dv_preconditioner_set_system,             \
                                                           .solve = dv_linear_solver_solve, .solve_flat = (apply), \
    }
/* What the classes have alike: the operations, and the names of their bases, the nearest first. A class that does more when it begins
 * or ends writes its own functions, which call these, in place of DV_PRECONDITIONER_LIFE. */
#define DV_PRECONDITIONER_CLASS(operations, ...)                                                                      \
    .family = "preconditioners", .bases = (const char *const[]){__VA_ARGS__, NULL}, .contracts = (const DvContract[]) \
    {                                                                                                                 \
        {.id = DV_LINEAR_SOLVER, .ops = &(operations)},                                                               \
        {                                                                                                             \
            0                                                                                                         \
        }                                                                                                             \
    }
#define DV_PRECONDITIONER_LIFE .init = dv_preconditioner_init, .destroy = dv_preconditioner_destroy

/* Entry of scalar row c of a block row, on the diagonal.     [any] */
static inline double dv_block_matrix_diagonal(const DvBlockMatrix *a, uint32_t row, uint32_t c)
{
    return a->values[(size_t)a->block * a->block * a->diagonal[row] + (a->block + 1) * c];
}
/* In build: whether all of these may be divided by; else the error of a singular matrix.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_preconditioner_require_diagonal(const DvPreconditioner *self,
                                                                   const DvBlockMatrix *a);
/* In build: memory for `count` numbers, kept from build to build; their values are undefined when it grows. A copy of the matrix without
 * `transposed`: structure and numbers.     [step] */
DV_PUBLIC double *dv_preconditioner_reserve(DvPreconditioner *self, size_t count);
DV_PUBLIC const DvBlockMatrix *dv_preconditioner_keep(DvPreconditioner *self, const DvBlockMatrix *a);

/* DvClass.init and destroy.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_preconditioner_init(DvObject *object, void *self);
DV_PUBLIC void dv_preconditioner_destroy(DvObject *object, void *self);
/* DvLinearSolverOps.set_system: assembles and builds.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_preconditioner_set_system(void *self, DvMechanics *m, const DvStep *step,
                                                             DvFactors factors);

DV_END_DECLS
#endif
