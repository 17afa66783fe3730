/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the ODE solvers share: the mechanics of their node, their linear solver, and a solution vector that lives from step to
 * step.
 */
#ifndef DV_SOLVERS_INTEGRATION_H
#define DV_SOLVERS_INTEGRATION_H

#include <divan/contracts/report.h>
#include <divan/contracts/solver.h>

/* A linear solver with its functions at hand. */
typedef struct DvLinearSolverUse {
    const DvLinearSolverOps *ops; /* NULL: there is none */
    void *self;
} DvLinearSolverUse;

/* The solver that `link` leads to; without a link the first in the search whose tags are those of the object. None: ops is
 * NULL and nothing is reported. */
DvLinearSolverUse dv_linear_solver_of(DvObject *object, const DvLink *link, DvSearch search);

/* Mechanical operations of the node of an ODE solver. */
typedef struct DvIntegration {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m;
    /* The last linear system, and the step that it is of. */
    DvLinearSolverUse solver; /* ops NULL: there was none yet */
    DvStep step;
    DvFactors factors;
    DvVecId scratch[DV_SCRATCH_COUNT - DV_SCRATCH_INTEGRATION]; /* those that have been asked for */
} DvIntegration;

DV_NODISCARD DvStatus dv_integration_open(DvIntegration *integration, DvObject *object); /* [main] at init */
void dv_integration_close(DvIntegration *integration);                                   /* [main] */

/* The step that starts now, which is lent until the next one: on position and velocity; `solver`: what its matrices are for, or none. */
const DvStep *dv_integration_begin(DvIntegration *integration, DvObject *object, double dt, DvLinearSolverUse solver);
/* (m M + b B + k K) x = b in this step; an error of a solver that is invalid, and runs because the rest of a scene was loaded. */
DV_NODISCARD DvStatus dv_integration_solve(DvIntegration *integration, DvLinearSolverUse solver, DvFactors factors,
                                           DvVecId x, DvVecId b);
/* The same system again, where another has taken the linear solver since: DvOdeSolverOps.hold_system. */
DV_NODISCARD DvStatus dv_integration_hold_system(DvIntegration *integration);

/* Such a step for who has no DvIntegration. */
DvStep dv_integration_step(DvObject *object, double dt, DvLinearSolverUse solver);

/* For DV_REPORT: a line for all stiffness that differs from its transpose where the solver takes symmetric matrices alone. */
void dv_report_unsymmetric(const DvIntegration *integration, DvLinearSolverUse solver, DvReportLine line,
                           void *context);

/* A derivative vector for use within one solve: `number` below DV_SCRATCH_COUNT - DV_SCRATCH_INTEGRATION. Its id stays as long as the
 * mechanics are open, and states that come later have it too. */
DvVecId dv_integration_ask_for_scratch(DvIntegration *integration, uint32_t number);
static inline DvVecId dv_integration_scratch(DvIntegration *integration, uint32_t number)
{
    const DvVecId known = integration->scratch[number];
    return known != DV_NO_VEC ? known : dv_integration_ask_for_scratch(integration, number);
}

/* The vector of a solution. One that the linear solver starts from lives from step to step in `kept`, which is made when it is none,
 * and takes the numbers of the saved field `saved` when their count fits; after the solve the numbers go back into the field. So a
 * saved run continues with the same bits. Else it is scratch number 0. DV_NO_VEC: there is no vector left, which has been reported. */
DvVecId dv_solution_begin(DvIntegration *integration, DvLinearSolverUse solver, DvVecId *kept, DvData *saved);
void dv_solution_end(const DvIntegration *integration, DvLinearSolverUse solver, DvVecId vector, DvData *saved);

#endif
