/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the constraint solvers share that sweep until an error is small: their fields, and all of a step but the sweeps.
 */
#ifndef DV_SOLVERS_ITERATIVE_CONSTRAINT_SOLVER_H
#define DV_SOLVERS_ITERATIVE_CONSTRAINT_SOLVER_H

#include "constraint_system.h"

#include <divan/contracts/fault_cause.h>
#include <divan/contracts/solve_record.h>
#include <divan/kit/convergence_graph.h>
#include <divan/plugin.h>

typedef struct IterativeConstraintSolver {
    DvData max_iterations, tolerance, sor, regularization_term, scale_tolerance, all_verified, hold_stiff;
    DvData compute_graphs, graph_errors, graph_constraints, graph_forces, graph_violations;
    DvData row_count, block_count, iterations, error, unconverged;
    DvData constraint_forces, compute_constraint_forces;
    /* not of unbuilt solvers: */
    DvData initial_guess, only_null_space, null_value, null_vector;
    ConstraintSystem *system;
    DvCurve errors, forces, violations; /* forces, violations: of all rows, sweep after sweep */
    DvSolveRecord record;
    bool unsolved; /* the last step */
    DvText
        contradiction; /* rows that contradict each other, in the first step that was not solved; empty: none are seen to */
} IterativeConstraintSolver;

#define ITERATIVE_CONSTRAINT_SOLVER_FIELDS(Struct)                                                                    \
    DV_FIELD(Struct, base.max_iterations, "maxIterations", dv_type_int, .init = "1000", .range = &dv_range_count,     \
             .aliases = (const char *const[]){"maxIt", NULL}, .help = "most sweeps in a step"),                       \
        DV_FIELD(Struct, base.tolerance, "tolerance", dv_type_double, .init = "0.001",                                \
                 .range = &dv_range_not_negative,                                                                     \
                 .help = "the last sweep moved the violations by less; in their unit"),                               \
        DV_FIELD(Struct, base.sor, "sor", dv_type_double, .init = "1",                                                \
                 .range = &(const DvRange){.least = 0, .most = 2, .above = true, .below = true},                      \
                 .help = "share of each sweep's change that is taken: below 1 careful, above 1 bold"),                \
        DV_FIELD(Struct, base.regularization_term, "regularizationTerm", dv_type_double, .init = "0",                 \
                 .range = &dv_range_not_negative,                                                                     \
                 .help = "added to the compliance of each row: constraints give way"),                                \
        DV_FIELD(Struct, base.hold_stiff, "holdStiffBlocks", dv_type_bool, .init = "0",                               \
                 .help = "bilateral constraints hold on stiff and heavy bodies too; without it three rows whose "     \
                         "determinant of the compliance is at most 2.2e-16 are let go, with a warning"),              \
        DV_FIELD(Struct, base.scale_tolerance, "scaleTolerance", dv_type_bool, .init = "1",                           \
                 .help = "the tolerance counts once for each row"),                                                   \
        DV_FIELD(Struct, base.all_verified, "allVerified", dv_type_bool, .init = "0",                                 \
                 .help = "each row has to be within the tolerance, not their sum"),                                   \
        DV_FIELD(Struct, base.compute_graphs, "computeGraphs", dv_type_bool, .init = "0",                             \
                 .help =                                                                                              \
                     "whether `graphErrors`, `graphConstraints`, `graphForces` and `graphViolations` are written"),   \
        DV_FIELD(Struct, base.graph_errors, "graphErrors", dv_type_string,                                            \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY, .help = "error after each sweep of the last step"),   \
        DV_FIELD(Struct, base.graph_constraints, "graphConstraints", dv_type_string,                                  \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                                       \
                 .help = "error of each block after the last sweep; where it is 0, the tolerance"),                   \
        DV_FIELD(Struct, base.graph_forces, "graphForces", dv_type_string,                                            \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                                       \
                 .help = "a line for each row: its force times the step, after each sweep"),                          \
        DV_FIELD(Struct, base.graph_violations, "graphViolations", dv_type_string,                                    \
                 .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,                                                       \
                 .help = "a line for each row: its violation as each sweep found it"),                                \
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
        DV_LINK_HELD("constraintCorrections", DV_CONSTRAINT_CORRECTION, .many = true,                                 \
                     .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,                                                   \
                     .help = "kept for scenes that name it: all below the node of the solver")

/* Of solvers that form W. */
#define BUILT_CONSTRAINT_SOLVER_FIELDS(Struct)                                                                        \
    ITERATIVE_CONSTRAINT_SOLVER_FIELDS(Struct),                                                                       \
        DV_FIELD_HELD("nbThreads", dv_type_int, .init = "0",                                                          \
                      .help = "no effect: the host's option --threads says how many there are"),                      \
        DV_FIELD_HELD("taskSchedulerType", dv_type_string, .init = "_default",                                        \
                      .help = "no effect: there is one pool of threads"),                                             \
        DV_FIELD_HELD("multithreading", dv_type_bool, .init = "0",                                                    \
                      .help = "no effect: threads are used where they help, results do not depend on them"),          \
        DV_FIELD(Struct, base.initial_guess, "initial_guess", dv_type_bool, .init = "0",                              \
                 .help = "contacts that were there in the step before begin with the forces they had: fewer sweeps, " \
                         "and stacks stand still"),                                                                   \
        DV_FIELD(Struct, base.only_null_space, "useSVDForRegularization", dv_type_bool, .init = "0",                  \
                 .help =                                                                                              \
                     "regularizationTerm is added only to rows that contradict or repeat each other: those in the "   \
                     "null space of the compliance matrix"),                                                          \
        DV_FIELD(Struct, base.null_value, "svdSingularValueNullSpaceCriteriaFactor", dv_type_double, .init = "0.01",  \
                 .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                                          \
                 .help = "the null space: eigenvalues smaller than this share of the largest"),                       \
        DV_FIELD(Struct, base.null_vector, "svdSingularVectorNullSpaceCriteriaFactor", dv_type_double,                \
                 .init = "0.001", .range = &dv_range_not_negative, .flags = DV_FIELD_LENIENT,                         \
                 .help = "a row is in it by a larger component of such an eigenvector")

/* Functions of a class whose struct begins with an IterativeConstraintSolver. */
DV_NODISCARD DvStatus iterative_constraint_solver_init(DvObject *object, void *self);
void iterative_constraint_solver_cleanup(DvObject *object, void *self);
void iterative_constraint_solver_reset(DvObject *object, void *self);

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
/* A sweep is over: for the graphs. */
void iterative_constraint_solver_record(IterativeConstraintSolver *self, const Solution *solution, double error);
/* Gauss-Seidel in the order of the rows. */
MethodResult gauss_seidel(IterativeConstraintSolver *self, Solution *solution, uint32_t sweeps, double tolerance);
/* Whether a sweep ends it, by the fields of the solver. */
bool iterative_constraint_solver_accepts(IterativeConstraintSolver *self, const SweepError *error, double tolerance);
const DvConstraintProblem *iterative_constraint_solver_take_problem(void *self);

/* DvConstraintSolverOps of such a class. */
extern const DvSolveRecordOps iterative_constraint_solver_record_ops;
extern const DvFaultCauseOps iterative_constraint_solver_cause_ops;

#define ITERATIVE_CONSTRAINT_SOLVER_OPS(solve_of_class, laws_of_class)                                \
    {                                                                                                 \
        .size = sizeof(DvConstraintSolverOps), .solve = solve_of_class,                               \
        .take_problem = iterative_constraint_solver_take_problem, .release_problem = problem_release, \
        .work = problem_work_of, .solve_again = problem_solve_again, .laws = (laws_of_class)          \
    }

/* Of a class, whose operations are given, what all share. */
#define ITERATIVE_CONSTRAINT_SOLVER_CLASS(ops_of_class)                                                                \
    .size = sizeof(DvClass), .bases = (const char *const[]){"ConstraintSolver", NULL}, .family = "constraint solvers", \
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",                                                           \
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_SOLVER, .ops = (ops_of_class), .slot = true},               \
                                      {.id = DV_SOLVE_RECORD, .ops = &iterative_constraint_solver_record_ops},         \
                                      {.id = DV_FAULT_CAUSE, .ops = &iterative_constraint_solver_cause_ops},           \
                                      {0}},                                                                            \
    .init = iterative_constraint_solver_init, .reset = iterative_constraint_solver_reset,                              \
    .cleanup = iterative_constraint_solver_cleanup

#endif
