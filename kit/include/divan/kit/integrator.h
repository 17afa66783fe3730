/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What ODE solvers have in common: the mechanics of their node, the step and the linear system of it, scratch vectors, and of
 * implicit ones the linear solver, Rayleigh damping, and a solution vector that lives from step to step.
 *
 * DvIntegrator or DvImplicitIntegrator is the first member of the component's struct, so that the functions here serve as its
 * operations.
 */
#ifndef DIVAN_KIT_INTEGRATOR_H
#define DIVAN_KIT_INTEGRATOR_H

#include <divan/contracts/report.h>
#include <divan/divan.h>
#include <divan/kit/linear_solver.h>

DV_BEGIN_DECLS

typedef struct DvIntegrator {
    const DvMechanicalOperationsOps *ops;
    DvMechanics *m; /* of the node; NULL: init has not succeeded */
    /* The last linear system, and the step that it is of. */
    DvLinearSolverUse solver; /* ops NULL: there was none yet */
    DvStep step;
    DvFactors factors;
    DvVecId scratch[DV_SCRATCH_COLUMNS - DV_SCRATCH_INTEGRATION]; /* those that were used */
} DvIntegrator;

/* What the classes have alike: `operations` of DV_INTEGRATOR_OPS, and the names of their bases, the nearest first. A class that does
 * more when it begins or ends writes its own functions, which call these, in place of DV_INTEGRATOR_LIFE. */
#define DV_INTEGRATOR_CLASS(operations, ...)                                                                      \
    .family = "ODE solvers", .bases = (const char *const[]){__VA_ARGS__, NULL}, .contracts = (const DvContract[]) \
    {                                                                                                             \
        {.id = DV_ODE_SOLVER, .ops = &(operations)},                                                              \
        {                                                                                                         \
            0                                                                                                     \
        }                                                                                                         \
    }
#define DV_INTEGRATOR_LIFE                                                                      \
    .init = dv_integrator_init, .restore = dv_integrator_restore, .reset = dv_integrator_reset, \
    .update = dv_integrator_update, .cleanup = dv_integrator_cleanup
#define DV_INTEGRATOR_OPS(...)                                                                \
    {                                                                                         \
        .size = sizeof(DvOdeSolverOps), .hold_system = dv_integrator_hold_system, __VA_ARGS__ \
    }

/* DvClass.init: opens the mechanics of the node; an error when there is no plugin that has them. A solver above, which integrates
 * everything below it, is warned of. DvClass.cleanup gives them back.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_init(DvObject *object, void *self);
DV_PUBLIC void dv_integrator_cleanup(DvObject *object, void *self);
/* DvClass.restore, reset: the vectors that it keeps (DV_KEPT_VECTOR_FIELD) start anew, from what was put back, or from zero.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_restore(DvObject *object, void *self);
DV_PUBLIC void dv_integrator_reset(DvObject *object, void *self);
/* DvClass.update, of those that keep vectors: the fields of vectors that a device has are fetched when somebody reads them. */
DV_PUBLIC DvStatus dv_integrator_update(DvObject *object, void *self);
/* DvOdeSolverOps.hold_system: the system of the last dv_integrator_solve again, where another has taken the linear solver since.
 *     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_hold_system(void *self);
/* DvOdeSolverOps.position_factor or velocity_factor: 0, 1, dt.     [any] */
DV_PUBLIC double dv_integrator_factor_zero(void *self, double dt);
DV_PUBLIC double dv_integrator_factor_one(void *self, double dt);
DV_PUBLIC double dv_integrator_factor_dt(void *self, double dt);

/* The step that starts now, lent until the next one: from DV_POSITION and DV_VELOCITY; `solver`: what its matrices are for, or
 * {0}.     [step] */
DV_PUBLIC const DvStep *dv_integrator_begin(DvIntegrator *integrator, double dt, DvLinearSolverUse solver);
/* Such a step of another component.     [step] */
DV_PUBLIC DvStep dv_step_from(const DvObject *object, double dt, DvLinearSolverUse solver);
/* (m M + b B + k K) x = b in this step; an error of a solver that is invalid, and runs because the rest of a scene was loaded.
 *     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_solve(DvIntegrator *integrator, DvLinearSolverUse solver,
                                                    DvFactors factors, DvVecId x, DvVecId b);

/* The error that forces without mass give no acceleration; and, for methods that have no linear solver, whether the masses are diagonal,
 * else an error.     [step] */
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_refuse_massless(const DvIntegrator *integrator);
DV_NODISCARD DV_PUBLIC DvStatus dv_integrator_require_diagonal_mass(const DvIntegrator *integrator);

/* A derivative vector for use within one solve: `number` below DV_SCRATCH_COLUMNS - DV_SCRATCH_INTEGRATION. Its id stays as long as the
 * mechanics are open, and states that come later have it too. The first use of a number takes it.     [step] */
DV_PUBLIC DvVecId dv_integrator_take_scratch(DvIntegrator *integrator, uint32_t number);
static inline DvVecId dv_integrator_scratch(DvIntegrator *integrator, uint32_t number)
{
    const DvVecId known = integrator->scratch[number];
    return known != DV_NO_VEC ? known : dv_integrator_take_scratch(integrator, number);
}

/* ---- Vectors that live from step to step ---- */

/* A derivative vector over the independent states, with its numbers in a field as well, so that a saved run continues with the same
 * bits. Where a device has the vector the field is stale until somebody reads it. */
typedef struct DvKeptVector {
    DvData saved;
    DvData elsewhere; /* what `saved` follows from then */
    DvVecId id;       /* DV_NO_VEC: none yet */
    bool behind;      /* `saved` is stale */
} DvKeptVector;

#define DV_KEPT_VECTORS "kept vectors"
#define DV_KEPT_VECTOR_FIELD(Struct, member, name_, text)                                             \
    DV_FIELD(Struct, member.saved, name_, dv_type_doubles, .flags = DV_FIELD_STATE | DV_FIELD_HIDDEN, \
             .group = DV_KEPT_VECTORS, .help = text),                                                 \
        DV_FIELD(Struct, member.elsewhere, name_ "Elsewhere", dv_type_bool, .init = "0",              \
                 .flags = DV_FIELD_HIDDEN | DV_FIELD_INPUT | DV_FIELD_NOT_LINKED,                     \
                 .help =                                                                              \
                     "internal: a device has the numbers of '" name_ "', which are fetched when somebody reads them")

/* The vector, which is made when there is none and takes the numbers of the field when their count fits, else zeros; *fresh (or NULL):
 * it holds these zeros. DV_NO_VEC: there is no vector left, which has been reported. When its numbers have changed:
 * dv_kept_vector_end.     [step] */
DV_PUBLIC DvVecId dv_kept_vector_begin(DvKeptVector *vector, const DvIntegrator *integrator, bool *fresh);
DV_PUBLIC void dv_kept_vector_end(DvKeptVector *vector, const DvIntegrator *integrator);

/* ---- Implicit ones ---- */

typedef struct DvImplicitIntegrator {
    DvIntegrator base;
    DvData rayleigh_stiffness, rayleigh_mass;
    DvKeptVector solution; /* that the linear solver starts from */
    DvLink linear_solver_link;
    DvLinearSolverUse linear_solver; /* found by init */
} DvImplicitIntegrator;

#define DV_IMPLICIT_INTEGRATOR_FIELDS(Struct, base)    \
    DV_IMPLICIT_INTEGRATOR_OTHER_FIELDS(Struct, base), \
        DV_KEPT_VECTOR_FIELD(Struct, base.solution, "solution", "velocity change of the last step, the next guess")

/* The same of one whose linear solver never starts from the last solution. */
#define DV_IMPLICIT_INTEGRATOR_OTHER_FIELDS(Struct, base)                                                     \
    DV_FIELD(Struct, base.rayleigh_stiffness, "rayleighStiffness", dv_type_double, .init = "0", .unit = "s",  \
             .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                                      \
             .help = "damping in proportion to the stiffness"),                                               \
        DV_FIELD(Struct, base.rayleigh_mass, "rayleighMass", dv_type_double, .init = "0", .unit = "1/s",      \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                                  \
                 .help = "damping in proportion to the mass"),                                                \
        DV_FIELD_HELD("threadSafeVisitor", dv_type_bool, .init = "0", .help = "no effect: all visitors are"), \
        DV_LINK(Struct, base.linear_solver_link, "linearSolver", DV_LINEAR_SOLVER,                            \
                .help = "solver of the linear system; default: the first in the node or below")

#define DV_IMPLICIT_INTEGRATOR_CLASS(operations, ...)                                                              \
    .family = "ODE solvers", .bases = (const char *const[]){__VA_ARGS__, NULL}, .contracts = (const DvContract[])  \
    {                                                                                                              \
        {.id = DV_ODE_SOLVER, .ops = &(operations)}, {.id = DV_REPORT, .ops = &dv_implicit_integrator_report_ops}, \
        {                                                                                                          \
            0                                                                                                      \
        }                                                                                                          \
    }
#define DV_IMPLICIT_INTEGRATOR_LIFE                                                                      \
    .init = dv_implicit_integrator_init, .restore = dv_integrator_restore, .reset = dv_integrator_reset, \
    .update = dv_integrator_update, .cleanup = dv_integrator_cleanup

/* DvClass.init: that of an integrator, and finds the linear solver; an error when there is none.     [main] */
DV_NODISCARD DV_PUBLIC DvStatus dv_implicit_integrator_init(DvObject *object, void *self);
/* DV_REPORT: a line for all stiffness that differs from its transpose where the linear solver takes symmetric matrices alone. */
extern DV_PUBLIC const DvReportOps dv_implicit_integrator_report_ops;

/* The vector of the solution. One that the linear solver starts from is `solution`, which is made when there is none, and takes the
 * numbers of the field `solution` when their count fits; after the solve the numbers go back into the field. So a saved run continues
 * with the same bits. Else it is scratch number 0. DV_NO_VEC: there is no vector left, which has been reported.     [step] */
DV_PUBLIC DvVecId dv_implicit_integrator_begin_solution(DvImplicitIntegrator *integrator);
DV_PUBLIC void dv_implicit_integrator_end_solution(DvImplicitIntegrator *integrator, DvVecId vector);

DV_END_DECLS
#endif
