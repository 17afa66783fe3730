/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the constraint solvers share that sweep until an error is small: their fields, and all of a step but the sweeps.
 */
#ifndef DV_SOLVERS_ITERATIVE_CONSTRAINT_SOLVER_H
#define DV_SOLVERS_ITERATIVE_CONSTRAINT_SOLVER_H

#include "constraint_system.h"
#include "linear/convergence_graph.h"

#include <divan/plugin.h>

typedef struct IterativeConstraintSolver {
    DvData max_iterations, tolerance, sor, regularization_term, scale_tolerance, all_verified;
    DvData compute_graphs, graph_errors;
    DvData row_count, block_count, iterations, error, unconverged;
    DvData constraint_forces, compute_constraint_forces;
    DvLink corrections;
    ConstraintSystem *system;
    DvCurve errors;
    bool told; /* that it did not converge */
} IterativeConstraintSolver;

#define ITERATIVE_CONSTRAINT_SOLVER_FIELDS(Struct)                                                                    \
    DV_FIELD(Struct, base.max_iterations, "maxIterations", dv_type_int, .init = "1000",                               \
             .help = "most sweeps in a step"),                                                                        \
        DV_FIELD(Struct, base.tolerance, "tolerance", dv_type_double, .init = "0.001",                                \
                 .help = "the last sweep moved the violations by less; in their unit"),                               \
        DV_FIELD(Struct, base.sor, "sor", dv_type_double, .init = "1",                                                \
                 .help = "share of each sweep's change that is taken: below 1 careful, above 1 bold"),                \
        DV_FIELD(Struct, base.regularization_term, "regularizationTerm", dv_type_double, .init = "0",                 \
                 .help = "added to the compliance of each row: constraints give way"),                                \
        DV_FIELD(Struct, base.scale_tolerance, "scaleTolerance", dv_type_bool, .init = "1",                           \
                 .help = "the tolerance counts once for each row"),                                                   \
        DV_FIELD(Struct, base.all_verified, "allVerified", dv_type_bool, .init = "0",                                 \
                 .help = "each row has to be within the tolerance, not their sum"),                                   \
        DV_FIELD(Struct, base.compute_graphs, "computeGraphs", dv_type_bool, .init = "0",                             \
                 .help = "whether `graphErrors` is written"),                                                         \
        DV_FIELD(Struct, base.graph_errors, "graphErrors", dv_type_string,                                            \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "error after each sweep of the last step"),   \
        DV_FIELD(Struct, base.row_count, "currentNumConstraints", dv_type_int, .init = "0",                           \
                 .flags = DV_FIELD_READ_ONLY, .help = "rows of the last step"),                                       \
        DV_FIELD(Struct, base.block_count, "currentNumConstraintGroups", dv_type_int, .init = "0",                    \
                 .flags = DV_FIELD_READ_ONLY, .help = "blocks of rows that are solved together"),                     \
        DV_FIELD(Struct, base.iterations, "currentIterations", dv_type_int, .init = "0", .flags = DV_FIELD_READ_ONLY, \
                 .help = "one more than the sweeps of the last step"),                                                \
        DV_FIELD(Struct, base.error, "currentError", dv_type_double, .init = "0", .flags = DV_FIELD_READ_ONLY,        \
                 .help = "error after the last sweep"),                                                               \
        DV_FIELD(Struct, base.unconverged, "unconvergedSteps", dv_type_int, .init = "0", .flags = DV_FIELD_READ_ONLY, \
                 .help = "steps that ended with an error above the tolerance"),                                       \
        DV_FIELD(Struct, base.constraint_forces, "constraintForces", dv_type_doubles, .flags = DV_FIELD_READ_ONLY,    \
                 .help = "force of each row times the step, where computeConstraintForces is set"),                   \
        DV_FIELD(Struct, base.compute_constraint_forces, "computeConstraintForces", dv_type_bool, .init = "0",        \
                 .help = "whether `constraintForces` is written"),                                                    \
        DV_LINK(Struct, base.corrections, "constraintCorrections", DV_CONSTRAINT_CORRECTION, .many = true,            \
                .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                                        \
                .help = "kept for scenes that name it: all below the node of the solver")

DV_NODISCARD DvStatus iterative_constraint_solver_init(DvObject *object, IterativeConstraintSolver *self);
void iterative_constraint_solver_cleanup(IterativeConstraintSolver *self);
void iterative_constraint_solver_reset(IterativeConstraintSolver *self);

/* How a method solves a problem: from lambda on, in at most `sweeps` sweeps. */
typedef struct MethodResult {
    uint32_t sweeps;
    double error;
    bool converged;
} MethodResult;
typedef MethodResult (*ConstraintMethod)(IterativeConstraintSolver *self, Solution *solution, uint32_t sweeps,
                                         double tolerance);

/* A step by this method: problem, sweeps, correction. */
DV_NODISCARD DvStatus iterative_constraint_solver_step(IterativeConstraintSolver *self, const DvStep *step,
                                                       DvConstraintOrder order, bool unbuilt, ConstraintMethod method);
/* Gauss-Seidel in the order of the rows. */
MethodResult gauss_seidel(IterativeConstraintSolver *self, Solution *solution, uint32_t sweeps, double tolerance);
/* Whether a sweep ends it, by the fields of the solver. */
bool iterative_constraint_solver_accepts(IterativeConstraintSolver *self, const SweepError *error,
                                         double tolerance);
const DvConstraintProblem *iterative_constraint_solver_take_problem(void *self);

#endif
