/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constraint solvers, each on 1,000 random problems of each kind: contacts without friction against Lemke's algorithm, bilateral
 * constraints against elimination, contacts with friction by the conditions of their laws. And what is said and counted when a
 * solver does not get there, problems that devices hold, and rows that a solver does not know.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

#include "complementarity.h"
#include "dense_problem.h"
#include "given_constraint.h"
#include "random_matrix.h"
#include "scene_text.h"
#include "share.h"

enum { MOST_ROWS = 18, PROBLEMS = 1000 };

typedef enum Kind { UNILATERAL, BILATERAL, FRICTION } Kind;

/* A constraint with other random rows in each step. */
typedef struct RandomRows {
    DvStateRef state;
    uint64_t seed;
    Kind kind;
    double mu;
    uint32_t rows; /* of this step */
    double violation[MOST_ROWS], stored[MOST_ROWS], start[MOST_ROWS];
    bool starts; /* blocks begin there */
} RandomRows;

static uint32_t states(void *self_, DvObject **objects, uint32_t capacity)
{
    assert_true(capacity > 0);
    objects[0] = ((RandomRows *)self_)->state.object;
    return 1;
}

static DvStatus build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    RandomRows *self = self_;
    (void)step;
    self->rows = self->kind == FRICTION ? 3 * (1 + (uint32_t)((random_number(&self->seed) + 0.5) * 6))
                                        : 1 + (uint32_t)((random_number(&self->seed) + 0.5) * MOST_ROWS);
    const uint32_t points = dv_state_count(self->state);
    for (uint32_t row = 0; row < self->rows;) {
        const uint32_t left = self->rows - row;
        const uint32_t count = self->kind == FRICTION     ? 3
                               : self->kind == UNILATERAL ? 1
                               : row % 3 == 0 && left > 3 ? 4
                                                          : 1;
        DvConstraintBlock *block = dv_block_add(rows,
                                                self->kind == FRICTION     ? DV_LAW_FRICTION
                                                : self->kind == UNILATERAL ? DV_LAW_UNILATERAL
                                                                           : DV_LAW_BILATERAL,
                                                count);
        if (self->kind == FRICTION)
            block->p[0] = self->mu;
        block->has_start = block->is_contact = self->starts;
        for (uint32_t k = 0; k < count; k++, row++) {
            self->start[row] = block->start[k] = random_number(&self->seed);
            for (uint32_t p = 0; p < points; p++) {
                double *values = dv_entry_add(rows->of_state[0], row, p);
                for (uint32_t axis = 0; axis < 3; axis++)
                    values[axis] = 0.5 * random_number(&self->seed) + (3 * p + axis == row ? 1.0 : 0.0);
            }
        }
    }
    for (uint32_t r = 0; r < self->rows; r++)
        self->violation[r] = random_number(&self->seed);
    return DV_OK;
}

static DvStatus violation(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const RandomRows *self = self_;
    (void)step, (void)order;
    memcpy(d, self->violation, self->rows * sizeof *d);
    return DV_OK;
}

static void store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    RandomRows *self = self_;
    (void)step;
    assert_int_equal(rows, self->rows);
    memcpy(self->stored, lambda, rows * sizeof *lambda);
}

static const DvLagrangianConstraintOps random_rows = {
    .size = sizeof random_rows, .states = states, .build = build, .violation = violation, .store = store};

/* A soft body of 8 points, whose matrix couples all of them. */
static DvScene *load(const char *solver, RandomRows *rows)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0' dt='0.5'><FreeMotionAnimationLoop/><%s/><GivenConstraint name='given'/>"
             "<Node name='Body'><EulerImplicitSolver/><SparseLDLSolver/>"
             "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs'/>"
             "<UniformMass totalMass='4'/><RestShapeSpringsForceField stiffness='1'/>"
             "<HexahedronFEMForceField youngModulus='1' poissonRatio='0.3' method='small'/>"
             "<LinearSolverConstraintCorrection/></Node></Node>",
             solver);
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    rows->state = scene_state(scene, "/Body/dofs");
    DvObject *given = scene_object(scene, "/given");
    ((const GivenConstraintOps *)dv_object_ops(given, TEST_GIVEN_CONSTRAINT))
        ->set(dv_object_self(given), &random_rows, rows);
    return scene;
}

static const DvConstraintProblem *take(const DvScene *scene, const DvConstraintSolverOps **ops)
{
    DvObject *solver = scene_object(scene, "/solver");
    *ops = dv_object_ops(solver, DV_CONSTRAINT_SOLVER);
    const DvConstraintProblem *problem = (*ops)->take_problem(dv_object_self(solver));
    assert_non_null(problem);
    return problem;
}

/* The largest deviation of lambda from what another method finds, or of a contact from its laws. */
static double error_of(const DvConstraintProblem *problem, const RandomRows *rows)
{
    const uint32_t n = problem->rows;
    double *w = dense_problem_matrix(problem), expected[MOST_ROWS], d[MOST_ROWS], right[MOST_ROWS], worst = 0.0;
    assert_int_equal(n, rows->rows);
    assert_memory_equal(problem->violation, rows->violation, n * sizeof(double));
    assert_memory_equal(problem->lambda, rows->stored, n * sizeof(double));
    if (rows->kind == FRICTION) {
        dense_problem_violation(problem, w, problem->lambda, d);
        for (uint32_t row = 0; row < n; row += 3)
            worst = fmax(worst, coulomb_error(rows->mu, w[row * n + row], d + row, problem->lambda + row));
        dv_free(w);
        return worst;
    }
    if (rows->kind == UNILATERAL) {
        assert_true(lemke(n, w, problem->violation, expected));
    } else {
        for (uint32_t r = 0; r < n; r++)
            right[r] = -problem->violation[r];
        dense_solve(n, w, right, expected);
    }
    for (uint32_t r = 0; r < n; r++)
        worst = fmax(worst, fabs(problem->lambda[r] - expected[r]) / (1.0 + fabs(expected[r])));
    dv_free(w);
    return worst;
}

static void check(const char *solver, Kind kind, double mu)
{
    RandomRows rows = {.seed = 7, .kind = kind, .mu = mu, .starts = true};
    DvScene *scene = load(solver, &rows);
    DvData *unconverged = dv_object_field(scene_object(scene, "/solver"), "unconvergedSteps");
    int lost = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        if (dv_data_int(unconverged) > lost) { /* with friction not each problem has a solution that sweeps reach */
            lost++;
            continue;
        }
        const DvConstraintSolverOps *ops;
        const DvConstraintProblem *problem = take(scene, &ops);
        const double error = error_of(problem, &rows);
        if (!(error < 1e-8))
            fail_msg("%s: problem %d of kind %d is off by %g", solver, i, (int)kind, error);
        ops->release_problem(problem);
    }
    if (lost > (kind == FRICTION ? PROBLEMS / 50 : 0))
        fail_msg("%s: %d problems of kind %d were not solved", solver, lost, (int)kind);
    dv_scene_free(scene);
}

/* What is said of problems that are not solved, by intention. */
static unsigned messages;
static void count_unsolved(const DvMessage *message, void *context)
{
    (void)context;
    if (message->level < DV_LEVEL_WARNING)
        return;
    messages += strstr(message->text, "are not solved") != NULL;
    if (!strstr(message->text, "are not solved"))
        print_error("%s\n", message->text);
}

#define FINE "name='solver' maxIterations='100000' tolerance='1e-12'"
static const char *const all[] = {"BlockGaussSeidelConstraintSolver " FINE,
                                  "BlockGaussSeidelConstraintSolver allVerified='1' sor='1.2' " FINE,
                                  "NNCGConstraintSolver " FINE, "UnbuiltGaussSeidelConstraintSolver " FINE};

static void contacts_without_friction_are_what_lemke_finds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check(all[i], UNILATERAL, 0);
    check("LCPConstraintSolver name='solver' mu='0' maxIt='100000' tolerance='1e-12'", UNILATERAL, 0);
    check("LCPConstraintSolver name='solver' mu='0' build_lcp='0' maxIt='100000' tolerance='1e-12'", UNILATERAL, 0);
}

static void bilateral_constraints_are_what_elimination_finds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check(all[i], BILATERAL, 0);
}

static void contacts_with_friction_fulfil_coulombs_law(void **state)
{
    (void)state;
    dv_log_set_handler(count_unsolved, NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check(all[i], FRICTION, 0.3);
    check("LCPConstraintSolver name='solver' mu='0.3' maxIt='20000' tolerance='1e-12'", FRICTION, 0.3);
    check("LCPConstraintSolver name='solver' mu='0.3' initial_guess='0' maxIt='20000' tolerance='1e-12'", FRICTION,
          0.3);
    check("LCPConstraintSolver name='solver' mu='0.3' build_lcp='0' maxIt='20000' tolerance='1e-12'", FRICTION, 0.3);
    dv_log_set_handler(NULL, NULL);
}

/* ---- Sweep by sweep ---- */

/* A sweep over contacts without friction, with the dense W. */
static void sweep(uint32_t n, const double *w, const double *violations, double *lambda)
{
    for (uint32_t i = 0; i < n; i++) {
        double d = violations[i];
        for (uint32_t k = 0; k < n; k++)
            d += w[i * n + k] * lambda[k];
        lambda[i] = fmax(0.0, lambda[i] - d / w[i * n + i]);
    }
}

static double square(uint32_t n, const double *v)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

/* Silcowitz, Niebe and Erleben: the last sweep's change is the gradient; a step along the direction follows each sweep. */
static void conjugate(uint32_t n, const double *w, const double *violations, double *lambda, int sweeps)
{
    double before[MOST_ROWS], gradient[MOST_ROWS], direction[MOST_ROWS];
    memcpy(before, lambda, sizeof before);
    sweep(n, w, violations, lambda);
    for (uint32_t i = 0; i < n; i++) {
        gradient[i] = before[i] - lambda[i];
        direction[i] = -gradient[i];
    }
    for (int k = 1; k < sweeps; k++) {
        const double old = square(n, gradient);
        memcpy(before, lambda, sizeof before);
        sweep(n, w, violations, lambda);
        for (uint32_t i = 0; i < n; i++)
            gradient[i] = before[i] - lambda[i];
        const double beta = old > 0.0 ? square(n, gradient) / old : 2.0;
        for (uint32_t i = 0; i < n; i++) {
            lambda[i] += beta > 1.0 ? 0.0 : beta * direction[i];
            direction[i] = beta > 1.0 ? 0.0 : beta * direction[i] - gradient[i];
        }
    }
}

/* Cut off after few sweeps, lambda is that of the method, not only near the solution. */
static void each_sweep_is_that_of_the_method(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double sor; /* 0: conjugate gradients */
        int sweeps;
        bool starts; /* where the rows say, not at zero */
    } methods[] = {
        {"BlockGaussSeidelConstraintSolver name='solver' tolerance='0' maxIterations='3' initial_guess='1'", 1.0, 3,
         true},
        {"BlockGaussSeidelConstraintSolver name='solver' tolerance='0' maxIterations='4' sor='0.7'", 0.7, 4, false},
        {"BlockGaussSeidelConstraintSolver name='solver' tolerance='0' maxIterations='4' sor='1.4' initial_guess='1'",
         1.4, 4, true},
        {"UnbuiltGaussSeidelConstraintSolver name='solver' tolerance='0' maxIterations='4'", 1.0, 4, false},
        {"NNCGConstraintSolver name='solver' tolerance='0' maxIterations='1'", 0.0, 1, false},
        {"NNCGConstraintSolver name='solver' tolerance='0' maxIterations='6'", 0.0, 6, false},
        {"LCPConstraintSolver name='solver' mu='0' tolerance='0' maxIt='3'", 1.0, 3, false},
        {"LCPConstraintSolver name='solver' mu='0' tolerance='0' maxIt='3' build_lcp='0' initial_guess='0'", 1.0, 3,
         false},
    };
    dv_log_set_handler(count_unsolved, NULL);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        RandomRows rows = {.seed = 13, .kind = UNILATERAL, .starts = methods[m].sor > 0.0};
        DvScene *scene = load(methods[m].solver, &rows);
        for (int i = 0; i < 100; i++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const DvConstraintSolverOps *ops;
            const DvConstraintProblem *problem = take(scene, &ops);
            const uint32_t n = problem->rows;
            double *w = dense_problem_matrix(problem), lambda[MOST_ROWS] = {0}, before[MOST_ROWS];
            if (methods[m].starts)
                memcpy(lambda, rows.start, sizeof lambda);
            for (int k = 0; k < methods[m].sweeps && methods[m].sor > 0.0; k++) {
                memcpy(before, lambda, sizeof before);
                sweep(n, w, problem->violation, lambda);
                for (uint32_t r = 0; r < n; r++)
                    lambda[r] = methods[m].sor * lambda[r] + (1.0 - methods[m].sor) * before[r];
            }
            if (methods[m].sor == 0.0)
                conjugate(n, w, problem->violation, lambda, methods[m].sweeps);
            assert_int_equal(problem->sweeps, methods[m].sweeps);
            assert_false(problem->converged);
            for (uint32_t r = 0; r < n; r++)
                if (!(fabs(problem->lambda[r] - lambda[r]) < 1e-12))
                    fail_msg("%s: problem %d, force %u is %g instead of %g", methods[m].solver, i, r,
                             problem->lambda[r], lambda[r]);
            dv_free(w);
            ops->release_problem(problem);
        }
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
}

/* Regularization is a compliance of each row: lambda is that of W plus it. */
static void regularization_is_a_compliance(void **state)
{
    (void)state;
    RandomRows rows = {.seed = 8, .kind = UNILATERAL};
    DvScene *scene = load("BlockGaussSeidelConstraintSolver regularizationTerm='0.5' " FINE, &rows);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvConstraintSolverOps *ops;
        const DvConstraintProblem *problem = take(scene, &ops);
        for (uint32_t r = 0; r < problem->rows; r++)
            assert_true(problem->regularization[r] == 0.5);
        assert_true(error_of(problem, &rows) < 1e-8);
        ops->release_problem(problem);
    }
    dv_scene_free(scene);
}

/* ---- What does not work out ---- */

/* Said once, counted each time; a reset begins anew. */
static void steps_that_are_not_solved_are_told_once_and_counted(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "BlockGaussSeidelConstraintSolver name='solver' maxIterations='2' tolerance='1e-15'",
        "NNCGConstraintSolver name='solver' maxIterations='1' tolerance='1e-15'",
        "UnbuiltGaussSeidelConstraintSolver name='solver' maxIterations='2' tolerance='1e-15'",
        "LCPConstraintSolver name='solver' mu='0.3' maxIt='2' tolerance='1e-15'"};
    dv_log_set_handler(count_unsolved, NULL);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        RandomRows rows = {.seed = 9, .kind = FRICTION, .mu = 0.3};
        DvScene *scene = load(solvers[i], &rows);
        DvData *unconverged = dv_object_field(scene_object(scene, "/solver"), "unconvergedSteps");
        for (int run = 0; run < 2; run++) {
            messages = 0;
            for (int k = 0; k < 10; k++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            assert_int_equal(messages, 1);
            assert_in_range(dv_data_int(unconverged), 8, 10); /* contacts may all be open */
            dv_scene_reset(scene);
            assert_int_equal(dv_data_int(unconverged), 0);
        }
        dv_scene_free(scene);
    }
    dv_log_set_handler(NULL, NULL);
}

/* What a solver does not serve is an error of the step in which it comes, and names solvers that do. */
static void rows_that_a_solver_does_not_serve_are_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        Kind kind;
        const char *law, *other; /* that serves it */
    } cases[] = {
        {"LCPConstraintSolver name='solver' mu='0.3'", UNILATERAL, "contacts without friction", "NNCGConstraintSolver"},
        {"LCPConstraintSolver name='solver' mu='0.3'", BILATERAL, "equalities", "PreconditionedConjugateResidual"},
        {"LCPConstraintSolver name='solver' mu='0'", BILATERAL, "equalities", "BlockGaussSeidelConstraintSolver"},
        {"PreconditionedConjugateResidual name='solver'", UNILATERAL, "contacts without friction",
         "LCPConstraintSolver"},
        {"PreconditionedConjugateResidual name='solver'", FRICTION, "contacts with friction", "LCPConstraintSolver"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        RandomRows rows = {.seed = 10, .kind = cases[c].kind, .mu = 0.3, .starts = true};
        DvScene *scene = load(cases[c].solver, &rows);
        DvStatus status = DV_OK;
        for (int i = 0; i < 20 && status == DV_OK; i++)
            status = dv_scene_step(scene, 0);
        assert_int_equal(status, DV_ERROR_UNSUPPORTED);
        assert_non_null(strstr(dv_last_error(), cases[c].law));
        assert_non_null(strstr(dv_last_error(), cases[c].other));
        dv_scene_free(scene);
    }
}

/* minW and maxF: contacts that are too stiff, or too strong in the end, have no force. */
static void limits_of_an_lcp_take_contacts_away(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "LCPConstraintSolver name='solver' mu='0' minW='0.9' maxIt='20000' tolerance='1e-12'",
        "LCPConstraintSolver name='solver' mu='0' maxF='0.2' maxIt='20000' tolerance='1e-12'"};
    for (int k = 0; k < 2; k++) {
        RandomRows rows = {.seed = 11, .kind = UNILATERAL};
        DvScene *scene = load(solvers[k], &rows);
        unsigned with = 0, without = 0;
        for (int i = 0; i < 200; i++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const DvConstraintSolverOps *ops;
            const DvConstraintProblem *problem = take(scene, &ops);
            double *w = dense_problem_matrix(problem), d[MOST_ROWS];
            dense_problem_violation(problem, w, problem->lambda, d);
            for (uint32_t r = 0; r < problem->rows; r++) {
                const bool stiff = w[r * problem->rows + r] <= 0.9;
                with += problem->lambda[r] > 0.0;
                without += problem->lambda[r] == 0.0 && d[r] < -1e-9;
                if (k == 0)
                    assert_true(stiff ? problem->lambda[r] == 0.0 : d[r] > -1e-9);
                else
                    assert_true(problem->lambda[r] < 0.2);
            }
            dv_free(w);
            ops->release_problem(problem);
        }
        if (with < 50 || without < 50)
            fail_msg("%u with a force, %u without", with, without);
        dv_scene_free(scene);
    }
}

/* ---- Devices ---- */

typedef struct Device {
    const DvConstraintSolverOps *ops;
    const DvConstraintProblem *problem;
    double lambda[MOST_ROWS];
} Device;

static void *feel(void *context)
{
    Device *device = context;
    double *work = dv_alloc(device->ops->work(device->problem), sizeof *work);
    for (int i = 0; i < 50; i++) {
        memset(device->lambda, 0, sizeof device->lambda);
        device->ops->solve_again(device->problem, device->problem->violation, device->lambda, 20000, 1e-12, 0.0, work);
    }
    dv_free(work);
    device->ops->release_problem(device->problem);
    return NULL;
}

/* A device solves the problem that it holds while the simulation makes steps, and comes to the forces of the step. */
static void a_device_solves_again_what_it_holds(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        RandomRows rows = {.seed = 12, .kind = UNILATERAL};
        DvScene *scene = load(all[k], &rows);
        for (int round = 0; round < 10; round++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            Device device = {0};
            device.problem = take(scene, &device.ops);
            const DvConstraintProblem *kept = take(scene, &device.ops);
            const uint64_t number = kept->number;
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, feel, &device), 0);
            for (int i = 0; i < 10; i++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            assert_int_equal(pthread_join(thread, NULL), 0);
            assert_true(kept->number == number);
            for (uint32_t r = 0; r < kept->rows; r++)
                if (!(fabs(device.lambda[r] - kept->lambda[r]) < 1e-9 * (1.0 + fabs(kept->lambda[r]))))
                    fail_msg("%s: force %u is %g, was %g", all[k], r, device.lambda[r], kept->lambda[r]);
            device.ops->release_problem(kept);
        }
        dv_scene_free(scene);
    }
}

static void hear_let_go(const DvMessage *message, void *context)
{
    DvText *said = context;
    if (strstr(message->text, "do not hold"))
        dv_message_print(message, said);
}

/* Three pairs of points are held together while one of each moves away; of the stiff pair, whichever it is, the block of rows is let go, and
 * its constraint is named, unless the solver is to hold such blocks. */
static void stiff_blocks_are_let_go_unless_they_are_to_be_held(void **state)
{
    (void)state;
    static const char *const all[] = {"BlockGaussSeidelConstraintSolver", "NNCGConstraintSolver",
                                      "ImprovedJacobiConstraintSolver", "UnbuiltGaussSeidelConstraintSolver"};
    enum { PAIRS = 3 };
    for (int k = 0; k < 4; k++)
        for (int stiff = 0; stiff < 2 * (PAIRS + 1); stiff++) { /* the last one: none */
            const bool held = stiff % 2;
            DvText text = {0}, said = {0};
            dv_text_add(
                &text,
                "<Node name='root' gravity='0 0 0' dt='0.01'><FreeMotionAnimationLoop/><%s name='solver' maxIterations='500' "
                "tolerance='1e-14' holdStiffBlocks='%d'/>",
                all[k], held);
            for (int i = 0; i < 2 * PAIRS; i++)
                dv_text_add(
                    &text,
                    "<Node name='%c%d'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-12' "
                    "threshold='1e-24'/><MechanicalObject name='x' position='0 0 0' velocity='%s'/><UniformMass "
                    "totalMass='1'/><UncoupledConstraintCorrection useOdeSolverIntegrationFactors='0' defaultCompliance='%s'/></Node>",
                    'A' + i % 2, i / 2, i % 2 ? "0 0 0" : "1 0.5 0.2", i / 2 == stiff / 2 ? "2e-6" : "2e-2");
            for (int i = 0; i < PAIRS; i++)
                dv_text_add(
                    &text,
                    "<BilateralLagrangianConstraint name='of%d' object1='@A%d/x' object2='@B%d/x' first_point='0' "
                    "second_point='0'/>",
                    i, i, i);
            dv_text_add(&text, "</Node>");
            DvScene *scene = NULL;
            assert_int_equal(dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene), DV_OK);
            dv_log_set_handler(hear_let_go, &said);
            for (int steps = 0; steps < 3; steps++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            dv_log_set_handler(NULL, NULL);
            for (int i = 0; i < PAIRS; i++) {
                char a[16], b[16];
                snprintf(a, sizeof a, "/A%d/x", i), snprintf(b, sizeof b, "/B%d/x", i);
                const double apart = dv_state_read(scene_state(scene, a), DV_POSITION).at[0] -
                                     dv_state_read(scene_state(scene, b), DV_POSITION).at[0];
                const bool goes = !held && i == stiff / 2;
                if (!(fabs(apart - (goes ? 0.03 : 0)) < 1e-6))
                    fail_msg("%s, %d: pair %d is %g apart", all[k], stiff, i, apart);
            }
            if (held || stiff / 2 == PAIRS) {
                assert_null(said.at);
            } else {
                char name[16];
                snprintf(name, sizeof name, "'of%d'", stiff / 2);
                assert_non_null(said.at);
                assert_non_null(strstr(said.at, name));
                const char *row = strstr(
                    said.at, "row 0 and the next two do not hold: the determinant of their compliance is at most "
                             "2.22e-16");
                assert_non_null(row);
                assert_null(strstr(row + 1, "row 0 and the next two")); /* once */
                assert_non_null(strstr(said.at, "set holdStiffBlocks=\"1\" of 'solver'"));
            }
            dv_text_free(&said);
            dv_text_free(&text);
            dv_scene_free(scene);
        }
}

static int start(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){GIVEN_CONSTRAINT, NULL}}) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_without_friction_are_what_lemke_finds),
        cmocka_unit_test(bilateral_constraints_are_what_elimination_finds),
        cmocka_unit_test(contacts_with_friction_fulfil_coulombs_law),
        cmocka_unit_test(each_sweep_is_that_of_the_method),
        cmocka_unit_test(regularization_is_a_compliance),
        cmocka_unit_test(steps_that_are_not_solved_are_told_once_and_counted),
        cmocka_unit_test(rows_that_a_solver_does_not_serve_are_an_error),
        cmocka_unit_test(limits_of_an_lcp_take_contacts_away),
        cmocka_unit_test(a_device_solves_again_what_it_holds),
        cmocka_unit_test(stiff_blocks_are_let_go_unless_they_are_to_be_held),
    };
    return share_run_group_tests(tests, start, stop_plugins);
}
