/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What direct solvers have in common: a class brings its factorization; when to factor, what is said of a singular matrix and of
 * solutions that leave a residual, and the record of solves are here.
 *
 * DvDirectSolver is the first member of the component's struct. What was found for a structure is kept while it is the same, the factor
 * while the version of the numbers is.
 */
#ifndef DIVAN_KIT_DIRECT_SOLVER_H
#define DIVAN_KIT_DIRECT_SOLVER_H

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>

DV_BEGIN_DECLS

typedef struct DvDirectSolverOps {
    DvLinearSolverOps solver; /* first: DV_DIRECT_SOLVER_OPS */
    /* Order of elimination and structure of the factor, of a matrix whose structure is new.     [step] */
    void (*analyse)(void *self, const DvBlockMatrix *a);
    /* DV_OK; DV_ERROR_SINGULAR, of scalar row *failed, which the base reports; or another error, which has been reported.     [step] */
    DvStatus (*factor)(void *self, const DvBlockMatrix *a, uint32_t *failed);
    /* x = A^-1 b by the factor, n > 0.     [step] */
    void (*substitute)(void *self, double *x, const double *b);
    /* Optional: improves x by the matrix that was factored; the relative residual that is left.     [step] */
    double (*refine)(void *self, const DvBlockMatrix *a, double *x, const double *b);
} DvDirectSolverOps;

typedef struct DvDirectSolver {
    DvLinearSolver base;
    const DvDirectSolverOps *ops;
    const DvBlockMatrix *matrix; /* that was factored */
    uint64_t version;            /* of its numbers */
    uint64_t structure;          /* of the matrix that was analysed */
    uint64_t factored_version;   /* of the numbers in the factor */
    uint64_t factorizations;
    bool analysed, factored;
    bool forgets; /* the class's own: analyses and factors every system */
    bool warned_empty, warned_singular;
    DvSolveRecord record;
} DvDirectSolver;

/* Members of DvLinearSolverOps that all have. A class adds dv_direct_solver_set_system and DV_LINEAR_SOLVER_ONE_BY_ONE, or its own. */
#define DV_DIRECT_SOLVER_OPS                                                                          \
    DV_LINEAR_SOLVER_OPS, .solve = dv_linear_solver_solve, .solve_flat = dv_direct_solver_solve_flat, \
                          .factor_version = dv_direct_solver_factor_version
/* What the classes have alike: the operations, and the names of their bases, the nearest first. A class that does more when it begins
 * or ends writes its own functions, which call these, in place of DV_DIRECT_SOLVER_LIFE. */
#define DV_DIRECT_SOLVER_CLASS(operations, ...)                                                                     \
    .family = "linear solvers", .bases = (const char *const[]){__VA_ARGS__, NULL}, .reset = dv_direct_solver_reset, \
    .contracts = (const DvContract[])                                                                               \
    {                                                                                                               \
        {.id = DV_LINEAR_SOLVER, .ops = &(operations)}, {.id = DV_FAULT_CAUSE, .ops = &dv_direct_solver_cause_ops}, \
            {.id = DV_SOLVE_RECORD, .ops = &dv_direct_solver_record_ops},                                           \
        {                                                                                                           \
            0                                                                                                       \
        }                                                                                                           \
    }
#define DV_DIRECT_SOLVER_LIFE .init = dv_direct_solver_init, .destroy = dv_linear_solver_destroy

/* DvClass.init: an assembled system of the object's variant. reset: the record starts anew.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_direct_solver_init(DvObject *object, void *self);
DV_PUBLIC void dv_direct_solver_reset(DvObject *object, void *self);
/* DvLinearSolverOps.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_direct_solver_set_system(void *self, DvMechanics *m, const DvStep *step,
                                                            DvFactors factors);
DV_NODISCARD DV_PUBLIC DvStatus dv_direct_solver_solve_flat(void *self, double *x, const double *b, size_t n);
DV_PUBLIC uint64_t dv_direct_solver_factor_version(void *self);
extern DV_PUBLIC const DvFaultCauseOps dv_direct_solver_cause_ops;
extern DV_PUBLIC const DvSolveRecordOps dv_direct_solver_record_ops;

/* Whether the matrix still has the numbers that were factored: it may have been assembled anew for somebody else.     [step] */
static inline bool dv_direct_solver_has_matrix(const DvDirectSolver *self)
{
    return self->matrix->version == self->version;
}

DV_END_DECLS
#endif
