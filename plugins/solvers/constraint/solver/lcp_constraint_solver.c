/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LCPConstraintSolver: contacts alone. All rows are contacts, of three rows each (normal and two tangents) with the friction `mu` of
 * this solver, or of one row when mu is 0, whatever the constraints say.
 *
 * Gauss-Seidel from the forces of the step before (initial_guess), until a sweep moves the violations by less than the tolerance times
 * one more than the number of contacts (times 1 where mu is 0 and W is built). Always on positions. Rows keep what projective
 * constraints fix. With build_lcp=false W is not formed; a start then shows at a point only when a force there changes.
 */
#include "constraint_system.h"

#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/kit/convergence_graph.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct LcpConstraintSolver {
    DvData display_debug, initial_guess, build_lcp, tolerance, max_iterations, regularization_term, mu, min_w, max_f;
    DvData constraint_forces, compute_constraint_forces, graph, unconverged;
    ConstraintSystem *system;
    DvCurve errors, violations;
    DvSolveRecord record;
} LcpConstraintSolver;

static const DvField fields[] = {
    DV_FIELD(LcpConstraintSolver, display_debug, "displayDebug", dv_type_bool, .init = "0",
             .help = "whether `graph` is written, which costs a look at all violations in each sweep"),
    DV_FIELD(LcpConstraintSolver, initial_guess, "initial_guess", dv_type_bool, .init = "1",
             .help = "contacts that were there in the step before begin with the forces they had"),
    DV_FIELD(LcpConstraintSolver, build_lcp, "build_lcp", dv_type_bool, .init = "1",
             .help = "false: the compliance matrix is not formed"),
    DV_FIELD(LcpConstraintSolver, tolerance, "tolerance", dv_type_double, .init = "0.001", .unit = "m",
             .range = &dv_range_not_negative, .help = "the last sweep moved the violations by less, for each contact"),
    DV_FIELD(LcpConstraintSolver, max_iterations, "maxIt", dv_type_int, .init = "1000", .range = &dv_range_count,
             .help = "most sweeps in a step"),
    DV_FIELD(LcpConstraintSolver, regularization_term, "regularizationTerm", dv_type_double, .init = "0",
             .range = &dv_range_not_negative, .help = "added to the compliance of each row: contacts give way"),
    DV_FIELD(LcpConstraintSolver, mu, "mu", dv_type_double, .init = "0.6", .range = &dv_range_not_negative,
             .help = "coefficient of friction of all contacts"),
    DV_FIELD(LcpConstraintSolver, min_w, "minW", dv_type_double, .init = "0", .range = &dv_range_not_negative,
             .help = "contacts of less compliance in the normal have no force"),
    DV_FIELD(LcpConstraintSolver, max_f, "maxF", dv_type_double, .init = "0", .range = &dv_range_not_negative,
             .help = "contacts of a larger force times the step have none in the end; 0: no limit"),
    DV_FIELD(LcpConstraintSolver, constraint_forces, "constraintForces", dv_type_doubles, .flags = DV_FIELD_READ_ONLY,
             .help = "force of each row times the step, where computeConstraintForces is set"),
    DV_FIELD(LcpConstraintSolver, compute_constraint_forces, "computeConstraintForces", dv_type_bool, .init = "0",
             .help = "whether `constraintForces` is written"),
    DV_FIELD_HELD("group", dv_type_ints, .init = "0", .help = "no effect: all constraints count"),
    DV_FIELD(LcpConstraintSolver, graph, "graph", dv_type_string, .flags = DV_FIELD_OUTPUT | DV_FIELD_READ_ONLY,
             .help = "error and sum of violations after each sweep of the last step, where displayDebug is set"),
    DV_FIELD(LcpConstraintSolver, unconverged, "unconvergedSteps", dv_type_int, .init = "0",
             .flags = DV_FIELD_READ_ONLY, .help = "steps that ended with an error above the tolerance"),
    DV_FIELD_HELD("showCellWidth", dv_type_double, .init = "0", .flags = DV_FIELD_DRAWING, .help = "no effect"),
    DV_FIELD_HELD("showTranslation", dv_type_vec3d, .init = "0 0 0", .flags = DV_FIELD_DRAWING, .help = "no effect"),
    DV_LINK_HELD("constraintCorrections", DV_CONSTRAINT_CORRECTION, .many = true,
                 .flags = DV_FIELD_READ_ONLY | DV_FIELD_HIDDEN,
                 .help = "kept for scenes that name it: all below the node of the solver"),
    {0},
};

static void cleanup(DvObject *object, void *self_)
{
    (void)object;
    LcpConstraintSolver *self = self_;
    constraint_system_close(self->system);
    self->system = NULL;
    dv_curve_free(&self->errors);
    dv_curve_free(&self->violations);
}

static DvStatus init(DvObject *object, void *self_)
{
    LcpConstraintSolver *self = self_;
    cleanup(object, self);
    self->system = constraint_system_open(object);
    return self->system ? DV_OK : DV_ERROR_MISSING;
}

static void reset(DvObject *object, void *self_)
{
    (void)object;
    LcpConstraintSolver *self = self_;
    dv_data_set_int(&self->unconverged, 0);
    self->record = (DvSolveRecord){0};
}

/* ---- Sweeps ---- */

/* How deep contacts are in each other: sum over normals. */
static double sum_of_violations(const Solution *s)
{
    double sum = 0.0;
    for (uint32_t b = 0; b < s->problem->view.block_count; b++) {
        const uint32_t row = s->problem->blocks[b].first;
        sum += fmax(0.0, -(s->violation[row] + solution_row(s, row)));
    }
    return sum;
}

static void take_away_large_forces(LcpConstraintSolver *self, const Problem *problem, double *lambda)
{
    const double most = dv_data_double(&self->max_f);
    for (uint32_t b = 0; most != 0.0 && b < problem->view.block_count; b++) {
        const DvConstraintBlock *block = &problem->blocks[b];
        if (fabs(lambda[block->first]) >= most)
            memset(lambda + block->first, 0, block->rows * sizeof *lambda);
    }
}

static void report(LcpConstraintSolver *self, const Problem *problem, uint32_t sweeps, double tolerance, bool converged)
{
    if (dv_data_bool(&self->compute_constraint_forces))
        dv_data_set(&self->constraint_forces, problem->lambda, problem->view.rows);
    if (dv_data_bool(&self->display_debug)) {
        DvText text = {0};
        dv_curve_print(&self->errors, "Error", &text);
        dv_curve_print(&self->violations, "Violation", &text);
        dv_data_set_string(&self->graph, text.at);
        dv_text_free(&text);
    }
    const double error = self->errors.values[self->errors.count - 1];
    if (dv_solve_record_add(&self->record, error, tolerance, converged ? INFINITY : tolerance))
        dv_solve_record_worst(&self->record, 1 + dv_scene_steps(dv_node_scene(dv_object_node(dv_object_of(self)))));
    if (converged)
        return;
    dv_data_set_int(&self->unconverged, dv_data_int(&self->unconverged) + 1);
    if (!self->record.told && isfinite(error)) { /* else an error says more */
        dv_warning(dv_object_of(self),
                   "the contacts of this step are not solved: after %u sweeps the error is %g, the tolerance %g; raise "
                   "maxIt, or the tolerance. `unconvergedSteps` counts such steps; only the first one gives a message",
                   sweeps, error, tolerance);
        self->record.told = true;
    }
}

static void solve_contacts(LcpConstraintSolver *self, Problem *problem)
{
    const uint32_t contacts = problem->view.block_count, sweeps = (uint32_t)dv_data_int(&self->max_iterations);
    const bool built = dv_data_bool(&self->build_lcp), friction = dv_data_double(&self->mu) > 0.0;
    const double tolerance = dv_data_double(&self->tolerance) * (friction || !built ? contacts + 1.0 : 1.0);
    problem->view.tolerance = tolerance;
    if (!friction && built)
        memset(problem->lambda, 0, problem->view.rows * sizeof *problem->lambda);
    const size_t need = problem_work(problem);
    double *work = constraint_system_work(self->system, need + problem->running);
    Solution s = built ? solution_begin(problem, problem->violation, problem->lambda, work)
                       : solution_begin_late(problem, problem->violation, problem->lambda, work, work + need);
    s.block_norm = true;
    bool converged = false;
    uint32_t done = 0;
    while (!converged && done < sweeps) {
        const SweepError error = solution_sweep(&s, tolerance, 0.0);
        done++;
        dv_curve_add(&self->errors, error.sum);
        if (dv_data_bool(&self->display_debug))
            dv_curve_add(&self->violations, sum_of_violations(&s));
        converged = error.sum < tolerance;
    }
    if (converged || !friction)
        take_away_large_forces(self, problem, problem->lambda);
    problem->view.sweeps = done;
    problem->view.error = self->errors.values[done - 1];
    problem->view.converged = converged;
    report(self, problem, done, tolerance, converged);
}

/* With friction all contacts are taken to have three rows; without, scenes rely on rows of any contact to be solved one by one. */
static uint32_t laws_of(LcpConstraintSolver *self)
{
    return dv_data_double(&self->mu) > 0.0 ? dv_law_bit(DV_LAW_FRICTION) | dv_law_bit(DV_LAW_AUGMENTED)
                                           : DV_LAWS_OF_CONTACTS;
}

static DvStatus solve(void *self_, const DvStep *step, DvConstraintOrder order)
{
    LcpConstraintSolver *self = self_;
    if (order != DV_CONSTRAIN_POSITION)
        return dv_error(dv_object_of(self), DV_ERROR_UNSUPPORTED,
                        "solves for positions, not for velocities; take a BlockGaussSeidelConstraintSolver, or set "
                        "solveVelocityConstraintFirst=\"0\" of the animation loop");
    const double term = dv_data_double(&self->regularization_term);
    const SystemOptions options = {.order = DV_CONSTRAIN_POSITION,
                                   .unbuilt = !dv_data_bool(&self->build_lcp),
                                   .regularization = term > DBL_EPSILON ? term : 0.0,
                                   .contacts_start = dv_data_bool(&self->initial_guess),
                                   .all_contacts = true,
                                   .laws = laws_of(self),
                                   .friction = dv_data_double(&self->mu),
                                   .least_compliance = dv_data_double(&self->min_w)};
    Problem *problem;
    const DvStatus status = constraint_system_build(self->system, step, options, &problem);
    if (status != DV_OK)
        return status;
    dv_phase_begin("constraint solver");
    dv_curve_restart(&self->errors, (uint32_t)dv_data_int(&self->max_iterations));
    dv_curve_restart(&self->violations, (uint32_t)dv_data_int(&self->max_iterations));
    problem->view.converged = problem->view.rows == 0;
    if (problem->view.rows > 0)
        solve_contacts(self, problem);
    dv_phase_end();
    return constraint_system_apply(self->system, step, DV_CONSTRAIN_POSITION, problem);
}

static const DvConstraintProblem *take_problem(void *self_)
{
    LcpConstraintSolver *self = self_;
    return self->system ? constraint_system_take(self->system) : NULL;
}

static const DvSolveRecord *record_of(void *self)
{
    return &((const LcpConstraintSolver *)self)->record;
}

static const DvSolveRecordOps record_ops = {.size = sizeof record_ops, .record = record_of};

static const DvConstraintSolverOps ops = {.size = sizeof ops,
                                          .solve = solve,
                                          .take_problem = take_problem,
                                          .release_problem = problem_release,
                                          .work = problem_work_of,
                                          .solve_again = problem_solve_again,
                                          .laws = DV_LAWS_OF_CONTACTS,
                                          .positions_alone = true};

const DvClass dv_lcp_constraint_solver = {
    .size = sizeof(DvClass),
    .name = "LCPConstraintSolver",
    .bases = (const char *const[]){"ConstraintSolver", NULL},
    .family = "constraint solvers",
    .module = "Sofa.Component.Constraint.Lagrangian.Solver",
    .help = "Finds the forces of contacts with one coefficient of friction.",
    .instance_size = sizeof(LcpConstraintSolver),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = DV_CONSTRAINT_SOLVER, .ops = &ops, .slot = true},
                                      {.id = DV_SOLVE_RECORD, .ops = &record_ops},
                                      {0}},
    .init = init,
    .reset = reset,
    .cleanup = cleanup,
};
