/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What direct solvers of symmetric systems by block_ldl.h have in common: all but their names, and what they say of their factor.
 *
 * LdlSolver is the first member of the component's struct.
 */
#ifndef DV_SOLVERS_LDL_SOLVER_H
#define DV_SOLVERS_LDL_SOLVER_H

#include "linear/block_ldl.h"
#include "linear/block_ldl_many.h"
#include "linear/factor_there.h"
#include "linear/ordering_choice.h"

#include <divan/kit/direct_solver.h>

typedef struct LdlSolver {
    DvDirectSolver direct;
    OrderingChoice ordering;
    DvBlockLdl *ldl;
    DvLdlMany *many;
    FactorThere there; /* of solvers that are asked to act on a device */
} LdlSolver;

#define LDL_SOLVER_FIELDS(Struct, base) \
    DV_LINEAR_SOLVER_FIELDS(Struct, base.direct.base), ORDERING_CHOICE_FIELD(Struct, base.ordering)

/* The operations; `set_system_` and `factor_` are dv_direct_solver_set_system and dv_ldl_solver_factor, or call them. */
#define LDL_SOLVER_OPS(set_system_, factor_)                                                           \
    {                                                                                                  \
        .solver = {DV_DIRECT_SOLVER_OPS,                                                               \
                   .set_system = (set_system_),                                                        \
                   .solve_many = dv_ldl_solver_solve_many,                                             \
                   .compliance = dv_ldl_solver_compliance,                                             \
                   .half_solve = dv_ldl_solver_half_solve,                                             \
                   .finish_half = dv_ldl_solver_finish_half},                                          \
        .analyse = dv_ldl_solver_analyse, .factor = (factor_), .substitute = dv_ldl_solver_substitute, \
        .refine = dv_ldl_solver_refine,                                                                \
    }
#define LDL_SOLVER_LIFE \
    .construct = dv_ldl_solver_construct, .init = dv_ldl_solver_init, .destroy = dv_ldl_solver_destroy

/* DvClass.     [main] */
DvStatus dv_ldl_solver_construct(DvObject *object, void *self);
DvStatus dv_ldl_solver_init(DvObject *object, void *self);
void dv_ldl_solver_destroy(DvObject *object, void *self);

/* DV_SOLVER_THERE: the factor is brought there when it is another one. Not one whose pivots have lost digits, whose solutions the matrix
 * refines.     [step] */
extern const DvSolverThereOps dv_ldl_solver_there_ops;
bool dv_ldl_solver_take_there(void *self);

/* The same order of elimination for another factor of it.     [step] */
void dv_ldl_solver_analyse_with(LdlSolver *self, DvBlockLdl *ldl, const DvBlockMatrix *matrix);
/* DvDirectSolverOps.     [step] */
void dv_ldl_solver_analyse(void *self, const DvBlockMatrix *matrix);
DvStatus dv_ldl_solver_factor(void *self, const DvBlockMatrix *matrix, uint32_t *failed);
void dv_ldl_solver_substitute(void *self, double *x, const double *b);
double dv_ldl_solver_refine(void *self, const DvBlockMatrix *matrix, double *x, const double *b);
DvStatus dv_ldl_solver_solve_many(void *self, const DvSparseRows *b, double *x, size_t stride, double *residual);
DvStatus dv_ldl_solver_compliance(void *self, const DvSparseRows *j, double factor, double *w, size_t stride);
DvStatus dv_ldl_solver_half_solve(void *self, const DvSparseRows *b, DvHalfSolutions *y);
DvStatus dv_ldl_solver_finish_half(void *self, double *x, const double *y, size_t n);

#endif
