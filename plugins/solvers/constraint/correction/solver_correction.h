/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What corrections share that take their compliance from the linear solver of the free motion: C = A^-1, factor and all.
 */
#ifndef DV_SOLVERS_SOLVER_CORRECTION_H
#define DV_SOLVERS_SOLVER_CORRECTION_H

#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/solver.h>
#include <divan/plugin.h>

typedef struct SolverCorrection {
    DvData regularization_term;
    DvLink linear_solver_link, ode_link;
    const DvLinearSolverOps *linear;
    void *linear_self;
    const DvOdeSolverOps *ode;
    void *ode_self;
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;    /* the one whose unknowns the linear solver has: of the ODE solver's node */
    uint32_t *columns; /* rows over the unknowns of the linear solver, where these are others than the correction's */
    double *solution;
    size_t column_capacity, solution_capacity;
} SolverCorrection;

#define SOLVER_CORRECTION_FIELDS(Struct)                                                          \
    DV_FIELD(Struct, base.regularization_term, "regularizationTerm", dv_type_double, .init = "0", \
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                          \
             .help = "added to the compliance of each row"),                                      \
        DV_LINK(Struct, base.linear_solver_link, "linearSolver", DV_LINEAR_SOLVER,                \
                .help = "solver of the free motion; default: the first of the node"),             \
        DV_LINK(Struct, base.ode_link, "ODESolver", DV_ODE_SOLVER,                                \
                .help = "solver of the free motion; default: that of the node or above"),         \
        DV_LINK_HELD("constraintSolvers", DV_CONSTRAINT_SOLVER, .many = true,                     \
                     .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                               \
                     .help = "kept for scenes that name it: solvers find it")

DV_NODISCARD DvStatus solver_correction_init(DvObject *object, SolverCorrection *self);
void solver_correction_cleanup(SolverCorrection *self);

/* As in DvConstraintCorrectionOps, of the states of the correction, times `scale`. */
DvStatus solver_correction_compliance(SolverCorrection *self, const DvStep *step, DvConstraintOrder order, bool unbuilt,
                                      DvObject *const *states, uint32_t count, double scale, const DvSparseRows *j,
                                      DvComplianceSink *sink);
DvStatus solver_correction_respond(SolverCorrection *self, DvObject *const *states, uint32_t count,
                                   const DvSparseRows *force);
void solver_correction_factors(SolverCorrection *self, const DvStep *step, double *position, double *velocity);

#endif
