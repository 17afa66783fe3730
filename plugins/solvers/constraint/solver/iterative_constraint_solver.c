/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "iterative_constraint_solver.h"

#include <divan/divan.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <float.h>
#include <math.h>
#include <string.h>

DvStatus iterative_constraint_solver_init(DvObject *object, void *self_)
{
    IterativeConstraintSolver *self = self_;
    iterative_constraint_solver_cleanup(object, self);
    self->system = constraint_system_open(object);
    return self->system ? DV_OK : DV_ERROR_MISSING;
}

void iterative_constraint_solver_cleanup(DvObject *object, void *self_)
{
    (void)object;
    IterativeConstraintSolver *self = self_;
    constraint_system_close(self->system);
    self->system = NULL;
    dv_curve_free(&self->errors);
    dv_curve_free(&self->forces);
    dv_curve_free(&self->violations);
    dv_text_free(&self->contradiction);
}

void iterative_constraint_solver_reset(DvObject *object, void *self_)
{
    (void)object;
    IterativeConstraintSolver *self = self_;
    dv_data_set_int(&self->unconverged, 0);
    self->record = (DvSolveRecord){0};
    self->unsolved = false;
    dv_text_free(&self->contradiction);
}

bool iterative_constraint_solver_accepts(IterativeConstraintSolver *self, const SweepError *error, double tolerance)
{
    return dv_data_bool(&self->all_verified) ? error->verified : error->sum < tolerance;
}

void iterative_constraint_solver_record(IterativeConstraintSolver *self, const Solution *solution, double error)
{
    dv_curve_add(&self->errors, error);
    for (uint32_t r = 0; solution->d && r < solution->problem->view.rows; r++) {
        dv_curve_add(&self->forces, solution->lambda[r]);
        dv_curve_add(&self->violations, solution->d[r]);
    }
}

MethodResult gauss_seidel(IterativeConstraintSolver *self, Solution *solution, uint32_t sweeps, double tolerance)
{
    const double sor = dv_data_double(&self->sor);
    double *before = dv_step_alloc(solution->problem->view.rows, sizeof *before);
    MethodResult result = {0};
    while (!result.converged && result.sweeps < sweeps) {
        const SweepError error = solution_sweep_relaxed(solution, tolerance, sor, before);
        result.sweeps++;
        result.error = error.sum;
        iterative_constraint_solver_record(self, solution, error.sum);
        result.converged = iterative_constraint_solver_accepts(self, &error, tolerance);
    }
    return result;
}

static void print_graphs(IterativeConstraintSolver *self, const Problem *problem, double *block_errors,
                         double tolerance)
{
    DvText text = {0};
    const uint32_t blocks = problem->view.block_count;
    for (uint32_t b = 0; b < blocks; b++)
        if (block_errors[b] == 0.0)
            block_errors[b] = problem->blocks[b].tolerance > 0.0 ? problem->blocks[b].tolerance : tolerance;
    dv_curve_print(&self->errors, "Error", &text);
    dv_graph_set(&self->graph_errors, &text);
    dv_curve_print(&(DvCurve){block_errors, blocks, blocks}, "Constraints", &text);
    dv_graph_set(&self->graph_constraints, &text);
    dv_curve_print_rows(&self->forces, problem->view.rows, &text);
    dv_graph_set(&self->graph_forces, &text);
    dv_curve_print_rows(&self->violations, problem->view.rows, &text);
    dv_graph_set(&self->graph_violations, &text);
}

/* What a step came to, for users. */
static void report(IterativeConstraintSolver *self, const Problem *problem, MethodResult result, double tolerance)
{
    dv_data_set_int(&self->row_count, (int)problem->view.rows);
    dv_data_set_int(&self->block_count, (int)problem->view.block_count);
    dv_data_set_int(&self->iterations, result.sweeps > 0 ? (int)result.sweeps + 1 : 0);
    dv_data_set_double(&self->error, result.error);
    if (dv_data_bool(&self->compute_constraint_forces))
        dv_data_set(&self->constraint_forces, problem->lambda, problem->view.rows);
    if (result.sweeps > 0 &&
        dv_solve_record_add(&self->record, result.error, tolerance, result.converged ? INFINITY : tolerance))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    self->unsolved = !result.converged && result.sweeps > 0;
    if (!self->unsolved)
        return;
    if (!self->record.told && !self->contradiction.at)
        (void)constraint_system_contradiction(self->system, problem, &self->contradiction);
    dv_data_set_int(&self->unconverged, dv_data_int(&self->unconverged) + 1);
    if (!self->record.told && isfinite(result.error)) { /* else an error says more */
        dv_warning(
            dv_object_of(self),
            "the constraints of this step are not solved: after %u sweeps the error is %g, the tolerance %g; %s%s%s. "
            "`unconvergedSteps` counts such steps; only the first one gives a message",
            result.sweeps, result.error, tolerance,
            self->contradiction.at ? "constraints contradict each other: " : "raise maxIterations, or the tolerance",
            self->contradiction.at ? self->contradiction.at : "",
            self->contradiction.at ? "; take one of them away" : "");
        self->record.told = true;
    }
}

/* block_errors [block_count]: those of the last sweep; or NULL. */
static MethodResult run(IterativeConstraintSolver *self, Problem *problem, ConstraintMethod method, double tolerance,
                        double *block_errors)
{
    const uint32_t sweeps = (uint32_t)dv_data_int(&self->max_iterations), rows = problem->view.rows;
    dv_curve_restart(&self->errors, sweeps);
    self->forces.count = self->violations.count = 0;
    if (rows == 0)
        return (MethodResult){.converged = true};
    Solution *solution = dv_step_alloc(1, sizeof *solution);
    *solution = solution_begin(problem, problem->violation, problem->lambda,
                               constraint_system_work(self->system, problem_work(problem)));
    if (block_errors) {
        solution->error = block_errors;
        solution->d = dv_step_alloc(rows, sizeof *solution->d);
    }
    return method(self, solution, sweeps, tolerance);
}

DvStatus iterative_constraint_solver_step(IterativeConstraintSolver *self, const DvStep *step, DvConstraintOrder order,
                                          bool unbuilt, ConstraintMethod method)
{
    const double term = dv_data_double(&self->regularization_term);
    const SystemOptions options = {.order = order,
                                   .unbuilt = unbuilt,
                                   .rows = DV_ROWS_CONSTRAINED,
                                   .least_determinant = dv_data_bool(&self->hold_stiff) ? 0.0 : DBL_EPSILON,
                                   .regularization = term > DBL_EPSILON ? term : 0.0,
                                   .contacts_start = !unbuilt && dv_data_bool(&self->initial_guess),
                                   .only_null_space = !unbuilt && dv_data_bool(&self->only_null_space),
                                   .null_value = unbuilt ? 0.0 : dv_data_double(&self->null_value),
                                   .null_vector = unbuilt ? 0.0 : dv_data_double(&self->null_vector)};
    Problem *problem;
    DvStatus status = constraint_system_build(self->system, step, options, &problem);
    if (status != DV_OK)
        return status;
    double tolerance = dv_data_double(&self->tolerance);
    if (dv_data_bool(&self->scale_tolerance) && !dv_data_bool(&self->all_verified))
        tolerance *= problem->view.rows;
    problem->view.tolerance = tolerance;
    dv_phase_begin("constraint solver");
    const bool graphs = dv_data_bool(&self->compute_graphs);
    double *block_errors = graphs ? dv_step_alloc(problem->view.block_count, sizeof *block_errors) : NULL;
    if (unbuilt && problem->view.rows > 0) /* starts of blocks do not count there */
        memset(problem->lambda, 0, problem->view.rows * sizeof *problem->lambda);
    const MethodResult result = run(self, problem, method, tolerance, block_errors);
    problem->view.sweeps = result.sweeps;
    problem->view.error = result.error;
    problem->view.converged = result.converged;
    dv_phase_end();
    report(self, problem, result, tolerance);
    if (graphs)
        print_graphs(self, problem, block_errors, tolerance);
    return constraint_system_apply(self->system, step, order, problem);
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const IterativeConstraintSolver *)self)->record;
}

static bool is_below(const DvNode *node, const DvNode *top)
{
    while (node && node != top)
        node = dv_node_parent(node, 0);
    return node != NULL;
}

static double explain(void *self_, const DvFault *fault, DvText *cause, DvText *what_helps)
{
    const IterativeConstraintSolver *self = self_;
    const DvObject *object = dv_object_of(self);
    if (!self->unsolved || !is_below(dv_object_node(fault->state), dv_object_node(object)))
        return 0.0;
    if (self->contradiction.at) {
        dv_text_add(cause, "constraints that contradict each other (%s)", self->contradiction.at);
        dv_text_add(what_helps, "take one of them away");
        return DV_FAULT_SEEN;
    }
    dv_text_add(cause, "constraints that are not solved (%s '%s' leaves an error of %.3g, tolerance %.3g)",
                dv_object_class(object)->name, dv_object_name(object), self->record.left, self->record.asked);
    dv_text_add(what_helps, "raise its maxIterations, or take a BlockGaussSeidelConstraintSolver");
    return self->record.left > 1e3 * self->record.asked ? DV_FAULT_LIKELY : DV_FAULT_POSSIBLE;
}

const DvFaultCauseOps iterative_constraint_solver_cause_ops = {.size = sizeof(DvFaultCauseOps), .explain = explain};

const DvSolveRecordOps iterative_constraint_solver_record_ops = {.size = sizeof(DvSolveRecordOps), .record = record_of};

const DvConstraintProblem *iterative_constraint_solver_take_problem(void *self_)
{
    IterativeConstraintSolver *self = self_;
    return self->system ? constraint_system_take(self->system) : NULL;
}
