/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Corrections: the compliance they give and the motion they make, against J C J^T and C J^T lambda with dense matrices. J is found
 * by sending unit velocities through the mappings, A is assembled and inverted by elimination.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/solver.h>
#include <divan/contracts/topology.h>
#include <divan/divan.h>

#include "dense_problem.h"
#include "given_constraint.h"
#include "missing_library.h"
#include "random_matrix.h"
#include "scene_text.h"

static DvScene *load(const char *text)
{
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, &scene), DV_OK);
    return scene;
}

enum { MOST_ROWS = 60, MOST_UNKNOWNS = 60, MOST_STATES = 3, MOST_CORRECTIONS = 3 };

/* How a correction of a case answers. */
typedef struct Answer {
    const char *ode;                 /* node of the ODE solver; NULL: C is that of `own` */
    const char *states[MOST_STATES]; /* that it moves */
    double scale;                    /* of A^-1; 0: 1 */
    void (*own)(double *c, size_t n);
    double pf, vf; /* of `own`; 0: those of the implicit method, the step and 1 */
} Answer;

typedef struct Case {
    const char *name, *scene;
    const char *written[MOST_STATES]; /* states that rows are on */
    Answer answers[MOST_CORRECTIONS];
    double tolerance; /* 0: 1e-11 */
} Case;

static const double h = 0.02;
static const DvStep now = {.time = 0.0, .dt = 0.02, .position = DV_POSITION, .velocity = DV_VELOCITY};

/* ---- The constraint: random rows with forces that are given ---- */

typedef struct Rows {
    uint32_t rows, states;
    DvStateRef state[MOST_STATES];
    double *values[MOST_STATES]; /* [rows x unknowns of the state] */
    double lambda[MOST_ROWS], stored[MOST_ROWS];
} Rows;

static uint32_t rows_states(void *self_, DvObject **states, uint32_t capacity)
{
    const Rows *self = self_;
    assert_true(capacity >= self->states);
    for (uint32_t s = 0; s < self->states; s++)
        states[s] = self->state[s].object;
    return self->states;
}

static void take_given(const DvConstraintBlock *block, const double *w, double *d, double *lambda)
{
    (void)w, (void)d;
    lambda[0] = block->p[0];
}
static const DvOwnLaw given_force = {take_given};

static DvStatus rows_build(void *self_, const DvStep *step, DvConstraintRows *rows)
{
    const Rows *self = self_;
    (void)step;
    for (uint32_t r = 0; r < self->rows; r++) {
        DvConstraintBlock *block = dv_block_add(rows, DV_LAW_OWN, 1);
        block->own = &given_force;
        block->p[0] = self->lambda[r];
        for (uint32_t s = 0; s < self->states; s++) {
            const uint32_t points = dv_state_count(self->state[s]), deriv = self->state[s].dof->deriv;
            for (uint32_t p = 0; p < points; p++) {
                const double *values = self->values[s] + ((size_t)r * points + p) * deriv;
                bool any = false;
                for (uint32_t k = 0; k < deriv; k++)
                    any = any || values[k] != 0.0;
                if (any)
                    memcpy(dv_entry_add(rows->of_state[s], block->first, p), values, deriv * sizeof *values);
            }
        }
    }
    return DV_OK;
}

static DvStatus rows_violation(void *self_, const DvStep *step, DvConstraintOrder order, double *d)
{
    const Rows *self = self_;
    (void)step, (void)order;
    for (uint32_t r = 0; r < self->rows; r++)
        d[r] = r;
    return DV_OK;
}

static void rows_store(void *self_, const DvStep *step, const double *lambda, uint32_t rows)
{
    Rows *self = self_;
    (void)step;
    assert_int_equal(rows, self->rows);
    memcpy(self->stored, lambda, rows * sizeof *lambda);
}

static const DvLagrangianConstraintOps rows_ops = {.size = sizeof rows_ops,
                                                   .states = rows_states,
                                                   .build = rows_build,
                                                   .violation = rows_violation,
                                                   .store = rows_store};

static void write_rows(Rows *rows, const DvScene *scene, const Case *c, uint32_t count, uint64_t *seed)
{
    *rows = (Rows){.rows = count};
    for (uint32_t s = 0; s < MOST_STATES && c->written[s]; s++, rows->states++) {
        rows->state[s] = scene_state(scene, c->written[s]);
        const uint32_t points = dv_state_count(rows->state[s]), deriv = rows->state[s].dof->deriv;
        rows->values[s] = dv_alloc((size_t)count * points * deriv, sizeof(double));
        for (uint32_t r = 0; r < count; r++)
            for (uint32_t p = 0; p < points; p++)
                for (uint32_t k = 0; k < deriv && (p + r) % 3 != 0; k++) /* not all points in each row */
                    rows->values[s][((size_t)r * points + p) * deriv + k] = 2.0 * random_number(seed);
    }
    for (uint32_t r = 0; r < count; r++)
        rows->lambda[r] = r % 4 == 3 ? 0.0 : 2.0 * random_number(seed);
}

/* ---- Dense matrices ---- */

static const DvMechanicalOperationsOps *operations(void)
{
    const DvMechanicalOperationsOps *ops = dv_service(DV_MECHANICAL_OPERATIONS);
    assert_non_null(ops);
    return ops;
}

/* J over the unknowns of all bodies, from what unit velocities become on the written states. */
static void find_jacobian(const DvScene *scene, const Rows *rows, DvMechanics *all, double *j)
{
    const DvMechanicalOperationsOps *ops = operations();
    const size_t n = ops->unknowns(all);
    double *before = dv_alloc(n, sizeof *before), *unit = dv_alloc(n, sizeof *unit);
    ops->gather(all, before, DV_VELOCITY);
    (void)scene;
    for (size_t u = 0; u < n; u++) {
        memset(unit, 0, n * sizeof *unit);
        unit[u] = 1.0;
        ops->scatter(all, DV_VELOCITY, unit);
        ops->project_response(all, &now, DV_VELOCITY, DV_WALK_WHOLE); /* what is fixed has no column */
        ops->propagate_velocity(all, &now, DV_VELOCITY);
        for (uint32_t r = 0; r < rows->rows; r++) {
            double sum = 0.0;
            for (uint32_t s = 0; s < rows->states; s++) {
                const DvConstVec v = dv_state_read(rows->state[s], DV_VELOCITY);
                const size_t own = (size_t)v.count * v.dim;
                for (size_t k = 0; k < own; k++)
                    sum += rows->values[s][r * own + k] * v.at[k];
            }
            j[r * n + u] = sum;
        }
    }
    ops->scatter(all, DV_VELOCITY, before);
    ops->propagate_velocity(all, &now, DV_VELOCITY);
    dv_free(before);
    dv_free(unit);
}

/* C of one correction over the unknowns of all bodies: zero where it moves nothing. */
static void find_compliance(const DvScene *scene, const Answer *answer, DvMechanics *all, double *c)
{
    const DvMechanicalOperationsOps *ops = operations();
    const size_t n = ops->unknowns(all);
    size_t at_all[MOST_UNKNOWNS], at_own[MOST_UNKNOWNS], moved = 0, own = 0;
    DvMechanics *m = answer->ode ? ops->open(dv_object_as_node(scene_object(scene, answer->ode))) : NULL;
    for (int s = 0; s < MOST_STATES && answer->states[s]; s++) {
        const DvStateRef state = scene_state(scene, answer->states[s]);
        const size_t count = (size_t)dv_state_count(state) * state.dof->deriv;
        for (size_t k = 0; k < count; k++) {
            at_all[moved] = ops->offset(all, state.object) + k;
            at_own[moved++] = m ? ops->offset(m, state.object) + k : own++;
        }
    }
    const size_t size = m ? ops->unknowns(m) : own;
    double *inverse = dv_alloc(size * size, sizeof *inverse);
    memset(c, 0, n * n * sizeof *c);
    if (m) {
        DvVecId force = ops->allocate(m, DV_DERIVS);
        ops->compute_force(m, &now, force, DV_WALK_WHOLE);
        const DvBlockMatrix *a = ops->assemble(m, &now, (DvFactors){1.0, -h, -h * h}, DV_ASSEMBLE_CONSTRAINED);
        assert_non_null(a);
        double *unit = dv_alloc(size, sizeof *unit), *x = dv_alloc(size, sizeof *x);
        for (size_t u = 0; u < size; u++) {
            double *dense = dense_copy(a);
            memset(unit, 0, size * sizeof *unit);
            unit[u] = 1.0;
            dense_solve(size, dense, unit, x);
            for (size_t k = 0; k < size; k++)
                inverse[k * size + u] = x[k];
            dv_free(dense);
        }
        dv_free(unit);
        dv_free(x);
        ops->release(m, force);
        ops->close(m);
    } else {
        answer->own(inverse, size);
    }
    for (size_t i = 0; i < moved; i++)
        for (size_t k = 0; k < moved; k++)
            c[at_all[i] * n + at_all[k]] =
                inverse[at_own[i] * size + at_own[k]] * (answer->scale != 0.0 ? answer->scale : 1.0);
    dv_free(inverse);
}

/* ---- Comparing ---- */

static void expect_near(const Case *c, const char *what, size_t i, double found, double expected, double scale)
{
    const double tolerance = (c->tolerance > 0.0 ? c->tolerance : 1e-11) * scale;
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s: %s %zu is %.15g instead of %.15g", c->name, what, i, found, expected);
}

/* `solver` with its attributes; `unbuilt`: it never looks at W. */
static void check(const Case *c, const char *solver, bool velocity_first, uint32_t count, uint64_t seed)
{
    static double j[MOST_ROWS * MOST_UNKNOWNS], compliance[MOST_UNKNOWNS * MOST_UNKNOWNS], w[MOST_ROWS * MOST_ROWS];
    static double cj[MOST_ROWS * MOST_UNKNOWNS], velocity[MOST_UNKNOWNS], position[MOST_UNKNOWNS];
    const DvMechanicalOperationsOps *ops = operations();
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root' gravity='0 -1 0' dt='0.02'><FreeMotionAnimationLoop solveVelocityConstraintFirst='%d'/>"
        "<%s name='solver' maxIterations='3' tolerance='1e-9'/><GivenConstraint name='given'/>%s</Node>",
        velocity_first, solver, c->scene);
    DvScene *scene = load(text.at);
    dv_text_free(&text);
    DvObject *given = scene_object(scene, "/given");
    Rows rows;
    write_rows(&rows, scene, c, count, &seed);
    DvMechanics *all = ops->open(dv_scene_root(scene));
    const size_t n = ops->unknowns(all);
    assert_true(n <= MOST_UNKNOWNS && count <= MOST_ROWS);
    /* Bodies have moved and turned: rows are those of a later step. */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    find_jacobian(scene, &rows, all, j);
    memset(w, 0, sizeof w);
    memset(velocity, 0, sizeof velocity);
    memset(position, 0, sizeof position);
    for (int k = 0; k < MOST_CORRECTIONS && c->answers[k].states[0]; k++) {
        const Answer *answer = &c->answers[k];
        find_compliance(scene, answer, all, compliance);
        const double pf = answer->pf != 0.0 ? answer->pf : h, vf = answer->vf != 0.0 ? answer->vf : 1.0;
        const double factor = answer->own && answer->pf != 0.0 ? 1.0 : velocity_first ? vf : pf;
        memset(cj, 0, sizeof cj);
        for (uint32_t r = 0; r < count; r++)
            for (size_t u = 0; u < n; u++) {
                for (size_t l = 0; l < n; l++)
                    cj[r * n + u] += compliance[u * n + l] * j[r * n + l];
                velocity[u] += vf * cj[r * n + u] * rows.lambda[r];
                position[u] += pf * cj[r * n + u] * rows.lambda[r];
            }
        for (uint32_t r = 0; r < count; r++)
            for (uint32_t s = 0; s < count; s++)
                for (size_t u = 0; u < n; u++)
                    w[r * count + s] += factor * j[r * n + u] * cj[s * n + u];
    }
    ((const GivenConstraintOps *)dv_object_ops(given, TEST_GIVEN_CONSTRAINT))
        ->set(dv_object_self(given), &rows_ops, &rows);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);

    DvObject *object = scene_object(scene, "/solver");
    const DvConstraintSolverOps *solver_ops = dv_object_ops(object, DV_CONSTRAINT_SOLVER);
    const DvConstraintProblem *problem = solver_ops->take_problem(dv_object_self(object));
    assert_non_null(problem);
    assert_int_equal(problem->rows, count);
    double *found = dense_problem_matrix(problem), scale = 0.0, change[MOST_UNKNOWNS];
    for (size_t i = 0; i < (size_t)count * count; i++)
        scale = fmax(scale, fabs(w[i]));
    for (size_t i = 0; i < (size_t)count * count; i++)
        expect_near(c, "entry of W", i, found[i], w[i], scale);
    for (uint32_t r = 0; r < count; r++) {
        expect_near(c, "diagonal", r, problem->diagonal[r], w[r * count + r], scale);
        assert_true(rows.stored[r] == rows.lambda[r] && problem->lambda[r] == rows.lambda[r]);
        assert_true(problem->violation[r] == r);
    }
    solver_ops->release_problem(problem);
    /* v - v_free; x - x_free of points */
    double free_velocity[MOST_UNKNOWNS];
    ops->gather(all, free_velocity, DV_FREE_VELOCITY);
    ops->gather(all, change, DV_VELOCITY);
    double most = 1.0;
    for (size_t u = 0; u < n; u++)
        most = fmax(most, fabs(velocity[u]));
    for (int k = 0; k < MOST_CORRECTIONS; k++)
        for (int s = 0; s < MOST_STATES && c->answers[k].states[s]; s++) {
            const DvStateRef state = scene_state(scene, c->answers[k].states[s]);
            const DvConstVec x = dv_state_read(state, DV_POSITION), free = dv_state_read(state, DV_FREE_POSITION);
            const uint32_t deriv = state.dof->deriv;
            const size_t offset = ops->offset(all, state.object);
            for (size_t u = offset; u < offset + (size_t)x.count * deriv; u++)
                expect_near(c, "change of velocity", u, change[u] - free_velocity[u], velocity[u], most);
            for (uint32_t i = 0; i < x.count && !velocity_first; i++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    expect_near(c, "change of position", offset + i * deriv + axis,
                                x.at[i * x.dim + axis] - free.at[i * x.dim + axis], position[offset + i * deriv + axis],
                                most);
        }
    dv_free(found);
    for (uint32_t s = 0; s < rows.states; s++)
        dv_free(rows.values[s]);
    ops->close(all);
    dv_scene_free(scene);
}

#define IMPLICIT "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/>"
#define LDL      "<SparseLDLSolver name='linear' template='CompressedRowSparseMatrixd'/>"
#define CG       "<CGLinearSolver name='linear' iterations='200' tolerance='1e-15' threshold='1e-32'/>"
#define SOFT(name, x)                                                                         \
    "<MechanicalObject name='" name "' position='" x " 0 0  " x " 1 0  " x " 0 1  " x         \
    " 1 1.2' velocity='1 0 0 0 1 0 0 0 1 1 1 0'/>"                                            \
    "<UniformMass totalMass='3'/><MeshTopology position='" x " 0 0  " x " 1 0  " x " 0 1  " x \
    " 1 1.2' edges='0 1 0 2 1 2 1 3 2 3'/>"                                                   \
    "<MeshSpringForceField stiffness='900'/>"
#define FRAME(name)                                                                                        \
    "<MechanicalObject name='" name "' template='Rigid3d' position='1 2 3 0.1 0.2 0.3 0.9273618495495703'" \
    " velocity='0 1 0 2 3 1'/><UniformMass vertexMass='2 1 [0.3 0.05 0.02, 0.05 0.4 0.01, 0.02 0.01 0.5]'/>"

/* M^-1 of the frame: 1/2 kg, and the inverse of 2 x the matrix. */
static void inverse_of_frame(double *c, size_t n)
{
    assert_int_equal(n, 6);
    const double inertia[9] = {0.6, 0.1, 0.04, 0.1, 0.8, 0.02, 0.04, 0.02, 1.0};
    memset(c, 0, 36 * sizeof *c);
    for (int k = 0; k < 3; k++) {
        double a[9], unit[3] = {0}, x[3];
        memcpy(a, inertia, sizeof a);
        unit[k] = 1.0;
        dense_solve(3, a, unit, x);
        c[k * 7] = 0.5;
        for (int i = 0; i < 3; i++)
            c[(3 + i) * 6 + 3 + k] = x[i];
    }
}

static void scaled_inverse_of_frame(double *c, size_t n)
{
    inverse_of_frame(c, n);
    for (size_t i = 0; i < n * n; i++)
        c[i] *= h * h;
}

static void diagonal(double *c, size_t n, const double *of_point)
{
    memset(c, 0, n * n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        c[i * n + i] = of_point[i / 3];
}

static void listed(double *c, size_t n)
{
    diagonal(c, n, (const double[]){0.5, 1.5, 2.5, 3.5});
}

static void all_the_same(double *c, size_t n)
{
    diagonal(c, n, (const double[]){0.7, 0.7, 0.7, 0.7});
}

static void given_for_frames(double *c, size_t n)
{
    static const double turn[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3};
    assert_int_equal(n, 6);
    memset(c, 0, 36 * sizeof *c);
    for (int i = 0; i < 3; i++) {
        c[i * 7] = 0.25;
        for (int k = 0; k < 3; k++)
            c[(3 + i) * 6 + 3 + k] = turn[3 * i + k];
    }
}

/* Three frames whose bodies are alike: those of a mass that turns answer in their own axes, others in the world's. */
#define QUATERNIONS                                             \
    {0.1, 0.2, 0.3, 0.9273618495495703}, {0.5, -0.5, 0.5, 0.5}, \
    {                                                           \
        0, 0, 0.6, 0.8                                          \
    }
#define FRAMES(mass)                                                                                    \
    "<MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0.1 0.2 0.3 0.9273618495495703  " \
    "4 2 3 0.5 -0.5 0.5 0.5  1 5 3 0 0 0.6 0.8' velocity='0 1 0 0 0 0  1 0 0 0 0 0  0 0 1 0 0 0'/>" mass
#define MASS(attributes) "<UniformMass vertexMass='2 1 [0.3 0.05 0.02, 0.05 0.4 0.01, 0.02 0.01 0.5]' " attributes "/>"

static void of_three_frames(double *c, size_t n, bool turns, double translation, const double *given)
{
    static const double q[3][4] = {QUATERNIONS};
    assert_int_equal(n, 18);
    memset(c, 0, n * n * sizeof *c);
    double body[36];
    inverse_of_frame(body, 6);
    for (size_t f = 0; f < 3; f++) {
        double r[3][3], turned[3][3] = {{0}};
        const double x = q[f][0], y = q[f][1], z = q[f][2], w = q[f][3];
        const double matrix[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                                     {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                                     {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                r[i][k] = turns ? matrix[i][k] : i == k;
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                for (size_t a = 0; a < 3; a++)
                    for (size_t b = 0; b < 3; b++)
                        turned[i][k] += r[i][a] * (given ? given[3 * a + b] : body[(3 + a) * 6 + 3 + b]) * r[k][b];
        for (size_t i = 0; i < 3; i++) {
            c[(6 * f + i) * n + 6 * f + i] = translation;
            for (size_t k = 0; k < 3; k++)
                c[(6 * f + 3 + i) * n + 6 * f + 3 + k] = turned[i][k];
        }
    }
}

static void frames_that_turn(double *c, size_t n)
{
    of_three_frames(c, n, true, 0.5, NULL);
}

static void frames_of_two_masses(double *c, size_t n)
{
    of_three_frames(c, n, false, 0.5, NULL);
    for (size_t i = 0; i < n * n; i++)
        c[i] *= 0.5;
}

static void frames_by_default(double *c, size_t n)
{
    of_three_frames(c, n, true, 0.3, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
}

static void frames_by_default_in_steps(double *c, size_t n)
{
    of_three_frames(c, n, true, 0.3, (const double[]){h * h, 0, 0, 0, h * h, 0, 0, 0, h * h});
}

static void frames_as_given(double *c, size_t n)
{
    of_three_frames(c, n, false, 0.25, (const double[]){1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3});
}

static const Case of_solvers[] = {
    {"a body with a direct solver",
     "<Node name='Body'>" IMPLICIT LDL SOFT("dofs", "0") "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with fixed points",
     "<Node name='Body'>" IMPLICIT LDL SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                         "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with LU, and fixed points",
     "<Node name='Body'>" IMPLICIT "<EigenSparseLU/>" SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                                        "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with Cholesky's factors, and fixed points",
     "<Node name='Body'>" IMPLICIT "<CholeskySolver/>" SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                                         "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with singular values, and fixed points",
     "<Node name='Body'>" IMPLICIT "<SVDLinearSolver/>" SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                                          "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with a factor that is made beside the steps, and fixed points",
     "<Node name='Body'>" IMPLICIT
     "<AsyncSparseLDLSolver/>" SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                 "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0.05}, /* the factor is that of the step before */
    {"a body with QR, and fixed points",
     "<Node name='Body'>" IMPLICIT "<EigenSparseQR/>" SOFT("dofs", "0") "<FixedProjectiveConstraint indices='1'/>"
                                                                        "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"a body with an iterative solver",
     "<Node name='Body'>" IMPLICIT CG SOFT("dofs", "0") "<LinearSolverConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     1e-9},
    {"a frame, rows on points of points of it",
     "<Node name='Body'>" IMPLICIT LDL FRAME(
         "dofs") "<LinearSolverConstraintCorrection/><Node name='Points'>"
                 "<MechanicalObject name='dofs' position='1 0 0  0 1 1  0.3 0.2 0.1'/><RigidMapping/><Node name='Some'>"
                 "<MechanicalObject name='dofs'/><SubsetMapping indices='2 0'/></Node></Node></Node>",
     {"/Body/Points/Some/dofs", "/Body/dofs", "/Body/Points/dofs"},
     {{.ode = "/Body", .states = {"/Body/dofs"}}},
     0},
    {"the second of two states below one solver",
     "<Node name='Both'>" IMPLICIT LDL "<Node name='One'>" SOFT("dofs", "0") "</Node><Node name='Two'>" SOFT(
         "dofs", "3") "<LinearSolverConstraintCorrection linearSolver='@../linear'/></Node><StiffSpring/></Node>",
     {"/Both/One/dofs", "/Both/Two/dofs"},
     {{.ode = "/Both", .states = {"/Both/Two/dofs"}}},
     0},
    {"both, each by itself",
     "<Node name='Both'>" IMPLICIT LDL
     "<Node name='One'>" SOFT("dofs", "0") "<LinearSolverConstraintCorrection linearSolver='@../linear'/></Node><Node name='Two'>" SOFT(
         "dofs", "3") "<LinearSolverConstraintCorrection linearSolver='@../linear'/></Node><StiffSpring/></Node>",
     {"/Both/One/dofs", "/Both/Two/dofs"},
     {{.ode = "/Both", .states = {"/Both/One/dofs"}}, {.ode = "/Both", .states = {"/Both/Two/dofs"}}},
     0},
    {"both together",
     "<Node name='Both'>" IMPLICIT LDL
     "<GenericConstraintCorrection/><Node name='One'>" SOFT("dofs", "0") "</Node><Node name='Two'>" FRAME(
         "dofs") "<Node name='Tip'><MechanicalObject name='dofs' position='1 0 0'/>"
                 "<RigidMapping/></Node></Node><StiffSpring/></Node>",
     {"/Both/One/dofs", "/Both/Two/Tip/dofs"},
     {{.ode = "/Both", .states = {"/Both/One/dofs", "/Both/Two/dofs"}}},
     0},
    {"two bodies with solvers of their own",
     "<Node name='One'>" IMPLICIT LDL SOFT("dofs", "0") "<LinearSolverConstraintCorrection/></Node>"
                                                        "<Node name='Two'>" IMPLICIT LDL SOFT(
                                                            "dofs", "3") "<GenericConstraintCorrection/></Node>",
     {"/One/dofs", "/Two/dofs"},
     {{.ode = "/One", .states = {"/One/dofs"}}, {.ode = "/Two", .states = {"/Two/dofs"}}},
     0},
};

/* The spring that joins both bodies of a case, where it says <StiffSpring/>. */
static const char *with_springs(const char *scene, DvText *text)
{
    const char *at = strstr(scene, "<StiffSpring/>");
    if (!at)
        return scene;
    const bool tip = strstr(scene, "name='Tip'") != NULL;
    dv_text_add(text, "%.*s<SpringForceField object1='@One/dofs' object2='@Two/%sdofs' spring='0 0 800 0 1  %s'/>%s",
                (int)(at - scene), scene, tip ? "Tip/" : "", tip ? "2 0 500 0 1" : "1 2 500 0 1",
                at + strlen("<StiffSpring/>"));
    return text->at;
}

static const char *const all_solvers[] = {"BlockGaussSeidelConstraintSolver", "NNCGConstraintSolver",
                                          "UnbuiltGaussSeidelConstraintSolver"};

static bool lacks_library(const char *scene)
{
    static const char *const classes[] = {"EigenSparseLU", "EigenSparseQR", "SVDLinearSolver", "CholeskySolver"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strstr(scene, classes[i]) && library_is_missing(classes[i]))
            return true;
    return false;
}

/* Few rows and more rows than unknowns, by matrix and by half solutions, of positions and of velocities. */
static void solvers_give_j_a_inverse_j_transposed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof of_solvers / sizeof *of_solvers; i++)
        for (int solver = 0; solver < 3 && !lacks_library(of_solvers[i].scene); solver++)
            for (int velocity_first = 0; velocity_first < 2; velocity_first++)
                for (uint32_t count = 1; count <= 50; count = 7 * count) {
                    Case c = of_solvers[i];
                    DvText text = {0};
                    c.scene = with_springs(c.scene, &text);
                    check(&c, all_solvers[solver], velocity_first, count, 31 * i + count);
                    dv_text_free(&text);
                }
}

/* complianceFactor is of W and of the motion. */
static void a_factor_of_the_compliance_counts(void **state)
{
    (void)state;
    const Case c = {"complianceFactor",
                    "<Node name='Body'>" IMPLICIT LDL SOFT(
                        "dofs", "0") "<GenericConstraintCorrection complianceFactor='0.25'/></Node>",
                    {"/Body/dofs"},
                    {{.ode = "/Body", .states = {"/Body/dofs"}, .scale = 0.25}},
                    0};
    check(&c, "BlockGaussSeidelConstraintSolver", false, 5, 3);
    check(&c, "UnbuiltGaussSeidelConstraintSolver", false, 5, 3);
}

static const Case uncoupled[] = {
    {"points, one compliance",
     "<Node name='Body'>" IMPLICIT CG SOFT("dofs",
                                           "0") "<UncoupledConstraintCorrection defaultCompliance='0.7'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = all_the_same}},
     0},
    {"points, a list",
     "<Node name='Body'>" IMPLICIT CG SOFT("dofs",
                                           "0") "<UncoupledConstraintCorrection compliance='0.5 1.5 2.5 3.5'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = listed}},
     0},
    {"a frame, from its mass",
     "<Node name='Body'>" IMPLICIT CG FRAME(
         "dofs") "<UncoupledConstraintCorrection/><Node name='Points'>"
                 "<MechanicalObject name='dofs' position='1 0 0  0 1 1'/><RigidMapping/></Node></Node>",
     {"/Body/Points/dofs", "/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = inverse_of_frame}},
     0},
    {"a frame, seven numbers",
     "<Node name='Body'>" IMPLICIT CG FRAME(
         "dofs") "<UncoupledConstraintCorrection compliance='0.25 1 0.1 0.2 2 0.3 3'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = given_for_frames}},
     0},
    {"points, a list of another length",
     "<Node name='Body'>" IMPLICIT CG SOFT("dofs",
                                           "0") "<UncoupledConstraintCorrection compliance='0.7 0.2 0.3'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = all_the_same}},
     0},
    {"frames, from a mass that turns",
     "<Node name='Body'>" IMPLICIT CG FRAMES(MASS("turningInertia='1'")) "<UncoupledConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = frames_that_turn}},
     0},
    {"frames, from two masses",
     "<Node name='Body'>" IMPLICIT CG FRAMES(MASS("name='one'")
                                                 MASS("name='two'")) "<UncoupledConstraintCorrection/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = frames_of_two_masses}},
     0},
    {"frames, one compliance",
     "<Node name='Body'>" IMPLICIT CG FRAMES(
         MASS("")) "<UncoupledConstraintCorrection defaultCompliance='0.3'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = frames_by_default}},
     0},
    {"frames, seven numbers",
     "<Node name='Body'>" IMPLICIT CG FRAMES(
         MASS("turningInertia='0'")) "<UncoupledConstraintCorrection compliance='0.25 1 0.1 0.2 2 0.3 3'/></Node>",
     {"/Body/dofs"},
     {{.states = {"/Body/dofs"}, .own = frames_as_given}},
     0},
};

static void points_and_frames_answer_for_themselves(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof uncoupled / sizeof *uncoupled; i++)
        for (int solver = 0; solver < 2; solver++)
            for (int velocity_first = 0; velocity_first < 2; velocity_first++)
                for (uint32_t count = 1; count <= 50; count = 7 * count)
                    check(&uncoupled[i], all_solvers[solver], velocity_first, count, 17 * i + count);
}

/* Without the factors of the ODE solver the compliance is the whole answer, for solvers that look at W and those that do not. */
static void factors_of_its_own_take_the_place_of_the_solvers(void **state)
{
    (void)state;
    const Case points = {
        "points with factors",
        "<Node name='Body'>" IMPLICIT CG SOFT(
            "dofs", "0") "<UncoupledConstraintCorrection defaultCompliance='0.7' useOdeSolverIntegrationFactors='0'"
                         " correctionPositionFactor='0.9' correctionVelocityFactor='0.8'/></Node>",
        {"/Body/dofs"},
        {{.states = {"/Body/dofs"}, .own = all_the_same, .pf = 0.9, .vf = 0.8 / 0.02}},
        0};
    const Case frame = {"a frame with factors",
                        "<Node name='Body'>" IMPLICIT CG FRAME(
                            "dofs") "<UncoupledConstraintCorrection useOdeSolverIntegrationFactors='0'/></Node>",
                        {"/Body/dofs"},
                        {{.states = {"/Body/dofs"}, .own = scaled_inverse_of_frame, .pf = 1.0, .vf = 1.0 / 0.02}},
                        0};
    const Case frames = {
        "frames with factors",
        "<Node name='Body'>" IMPLICIT CG FRAMES(MASS("")) "<UncoupledConstraintCorrection defaultCompliance='0.3' "
                                                          "useOdeSolverIntegrationFactors='0'/></Node>",
        {"/Body/dofs"},
        {{.states = {"/Body/dofs"}, .own = frames_by_default_in_steps, .pf = 1.0, .vf = 1.0 / 0.02}},
        0};
    for (int solver = 0; solver < 3; solver++) {
        check(&points, all_solvers[solver], false, 7, 5);
        check(&frame, all_solvers[solver], false, 7, 6);
        check(&frames, all_solvers[solver], false, 7, 8);
    }
}

/* A list of compliances goes with the points of its mesh. */
static void a_list_follows_the_points_of_the_mesh(void **state)
{
    (void)state;
    DvScene *scene = load(
        "<Node name='root' gravity='0 0 0' dt='0.02'><FreeMotionAnimationLoop/>"
        "<BlockGaussSeidelConstraintSolver name='solver' maxIterations='3' tolerance='1e-9'/><GivenConstraint name='given'/>"
        "<Node name='Body'>" IMPLICIT CG
        "<PointSetTopologyContainer name='mesh' position='0 0 0  1 0 0  2 0 0  3 0 0  4 0 0'/>"
        "<PointSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/><UniformMass totalMass='5'/>"
        "<UncoupledConstraintCorrection compliance='1 2 3 4 5' defaultCompliance='9'/></Node></Node>");
    const Case c = {.name = "a list", .written = {"/Body/dofs"}};
    uint64_t seed = 1;
    DvObject *modifier = scene_object(scene, "/Body/modifier"), *given = scene_object(scene, "/given");
    const DvTopologyModifierOps *edit = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvStateRef dofs = scene_state(scene, "/Body/dofs");
    for (int round = 0; round < 3; round++) {
        const uint32_t count = dv_state_count(dofs);
        Rows rows;
        write_rows(&rows, scene, &c, count, &seed);
        memset(rows.values[0], 0, (size_t)count * count * 3 * sizeof(double));
        for (uint32_t r = 0; r < count; r++)
            rows.values[0][(r * count + r) * 3] = 1.0; /* row r: x of point r */
        ((const GivenConstraintOps *)dv_object_ops(given, TEST_GIVEN_CONSTRAINT))
            ->set(dv_object_self(given), &rows_ops, &rows);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvConstraintSolverOps *ops = dv_object_ops(scene_object(scene, "/solver"), DV_CONSTRAINT_SOLVER);
        const DvConstraintProblem *problem = ops->take_problem(dv_object_self(scene_object(scene, "/solver")));
        /* Places of removed points are taken by the last. */
        static const double expected[3][5] = {{1, 2, 3, 4, 5}, {1, 5, 3, 4}, {1, 5, 3, 4, 9}};
        for (uint32_t r = 0; r < count; r++) {
            assert_true(fabs(problem->diagonal[r] - 0.02 * expected[round][r]) < 1e-15);
            const double v = dv_state_read(dofs, DV_VELOCITY).at[3 * r];
            const double free = dv_state_read(dofs, DV_FREE_VELOCITY).at[3 * r];
            assert_true(fabs(v - free - expected[round][r] * rows.lambda[r]) < 1e-13);
        }
        ops->release_problem(problem);
        dv_free(rows.values[0]);
        ((const GivenConstraintOps *)dv_object_ops(given, TEST_GIVEN_CONSTRAINT))
            ->set(dv_object_self(given), NULL, NULL);
        if (round == 0)
            assert_int_equal(edit->remove_points(dv_object_self(modifier), 1, (const uint32_t[]){1}), DV_OK);
        if (round == 1)
            assert_int_equal(edit->add_points(dv_object_self(modifier), 1, NULL), DV_OK);
    }
    dv_scene_free(scene);
}

/* With the direct solver, solvers that look at W and those that do not end in the same motion. */
static void built_and_unbuilt_end_in_the_same(void **state)
{
    (void)state;
    double ends[3][12];
    for (int solver = 0; solver < 3; solver++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root' gravity='0.5 -9.81 0.2' dt='0.01'><FreeMotionAnimationLoop/>"
            "<%s name='solver' maxIterations='20000' tolerance='1e-12'/>"
            "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
            "<LocalMinDistance alarmDistance='0.05' contactDistance='0.01'/>"
            "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"
            "<Node name='Body'>" IMPLICIT LDL SOFT(
                "dofs",
                "0") "<LinearSolverConstraintCorrection/>"
                     "<PointCollisionModel/></Node><Node><MeshTopology triangles='0 1 2'/>"
                     "<MechanicalObject position='-9 -0.1 9  9 -0.1 9  0 -0.1 -9'/><TriangleCollisionModel simulated='0'/>"
                     "</Node></Node>",
            all_solvers[solver]);
        DvScene *scene = load(text.at);
        dv_text_free(&text);
        for (int step = 0; step < 60; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(dv_data_int(dv_object_field(scene_object(scene, "/solver"), "unconvergedSteps")), 0);
        memcpy(ends[solver], dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at, sizeof ends[solver]);
        dv_scene_free(scene);
    }
    for (int solver = 1; solver < 3; solver++)
        for (int i = 0; i < 12; i++)
            if (!(fabs(ends[solver][i] - ends[0][i]) < 1e-8))
                fail_msg("%s: coordinate %d is %.12g instead of %.12g", all_solvers[solver], i, ends[solver][i],
                         ends[0][i]);
}

static void count_masses_told(const DvMessage *message, void *context)
{
    *(int *)context += message->level == DV_LEVEL_ERROR && strstr(message->text, "33 masses in '/body'; of at most 32");
}

static void more_masses_than_are_looked_at_are_told(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node name='root'><Node name='body'><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject template='Rigid3d'/>");
    for (int i = 0; i < 33; i++)
        dv_text_add(&text, "<UniformMass vertexMass='1'/>");
    dv_text_add(&text, "<UncoupledConstraintCorrection/></Node></Node>");
    int told = 0;
    dv_log_set_handler(count_masses_told, &told);
    DvScene *scene = NULL;
    assert_int_not_equal(dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(told, 1);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* A frame of 2 kg, then of 4; what an init wrote is not what a user gave, and seven numbers that a user gives are. */
static void a_compliance_from_the_mass_follows_the_mass(void **state)
{
    (void)state;
    DvScene *scene = load("<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
                          "<Node name='body'><EulerImplicitSolver/><CGLinearSolver/>"
                          "<MechanicalObject template='Rigid3d' name='dofs'/><UniformMass name='mass' vertexMass='2'/>"
                          "<UncoupledConstraintCorrection name='it'/></Node></Node>");
    DvObject *it = scene_object(scene, "/body/it"), *mass = scene_object(scene, "/body/mass");
    DvData *compliance = dv_object_field(it, "compliance");
    assert_float_equal(dv_data_doubles(compliance, NULL)[0], 0.5, 1e-15);
    assert_int_equal(dv_data_set_text(dv_object_field(mass, "vertexMass"), "4"), DV_OK);
    assert_int_equal(dv_object_reinit(mass), DV_OK);
    assert_int_equal(dv_object_reinit(it), DV_OK);
    assert_float_equal(dv_data_doubles(compliance, NULL)[0], 0.25, 1e-15);
    assert_int_equal(dv_data_set_text(compliance, "0.7 1 0 0 1 0 1"), DV_OK);
    assert_int_equal(dv_object_reinit(it), DV_OK);
    assert_float_equal(dv_data_doubles(compliance, NULL)[0], 0.7, 1e-15);
    dv_scene_free(scene);
}

/* ---- Mistakes ---- */

typedef struct Told {
    const char *part;
    int times;
} Told;

static void look_for(const DvMessage *message, void *context)
{
    Told *told = context;
    told->times += strstr(message->text, told->part) != NULL;
}

/* Whether a scene with a body says `part`. */
static bool says(const char *body, const char *part)
{
    DvText text = {0};
    dv_text_add(&text,
                "<Node name='root' dt='0.02'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
                "<Node name='Body'>%s</Node></Node>",
                body);
    Told told = {part, 0};
    dv_log_set_handler(look_for, &told);
    DvScene *scene = NULL;
    const DvStatus status = dv_scene_load_text(text.at, text.length, "scene.scn", NULL, NULL, &scene);
    dv_log_set_handler(NULL, NULL);
    if (!(status == DV_OK || told.times > 0))
        fail_msg("%s", text.at);
    dv_scene_free(scene);
    dv_text_free(&text);
    return told.times > 0;
}

static void compliances_of_zero_are_told(void **state)
{
    (void)state;
    for (int zero = -1; zero < 7; zero++) { /* those of a direction or about an axis */
        static const double numbers[7] = {0.25, 1, 0.1, 0.2, 2, 0.3, 3};
        DvText body = {0};
        dv_text_add(&body, "%s", IMPLICIT CG FRAMES(MASS("")));
        dv_text_add(&body, "<UncoupledConstraintCorrection compliance='");
        for (int i = 0; i < 7; i++)
            dv_text_add(&body, "%g ", i == zero ? 0 : numbers[i]);
        dv_text_add(&body, "'/>");
        assert_int_equal(says(body.at, "its compliance is 0 in translation or about an axis"),
                         zero == 0 || zero == 1 || zero == 4 || zero == 6);
        dv_text_free(&body);
    }
    for (int zero = -1; zero < 4; zero++) {
        DvText body = {0};
        dv_text_add(&body, "%s<UncoupledConstraintCorrection compliance='", IMPLICIT CG SOFT("dofs", "0"));
        for (int i = 0; i < 4; i++)
            dv_text_add(&body, "%d ", i != zero);
        dv_text_add(&body, "'/>");
        assert_int_equal(says(body.at, "is 0, so that the point could not move"), zero >= 0);
        dv_text_free(&body);
    }
    static const struct {
        const char *attributes, *part;
        bool says;
    } cases[] = {
        {"", "neither compliance nor defaultCompliance is set: 1e-05 1/kg is taken", true},
        {"defaultCompliance='2'", "neither compliance", false},
        {"compliance='2'", "neither compliance", false},
        {"defaultCompliance='0'", "is 0, so that nothing could move", true},
        {"defaultCompliance='1'", "is 0", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText body = {0};
        dv_text_add(&body, "%s<UncoupledConstraintCorrection %s/>", IMPLICIT CG SOFT("dofs", "0"), cases[i].attributes);
        assert_int_equal(says(body.at, cases[i].part), cases[i].says);
        dv_text_free(&body);
    }
    assert_true(says(IMPLICIT CG FRAMES("") "<UncoupledConstraintCorrection/>", "there is no mass of its first frame"));
    assert_true(says(
        IMPLICIT CG FRAMES("<UniformMass vertexMass='0 1 [1 0 0 0 1 0 0 0 1]'/>") "<UncoupledConstraintCorrection/>",
        "there is no mass of its first frame"));
    assert_false(says(IMPLICIT CG FRAMES(MASS("")) "<UncoupledConstraintCorrection/>", "no mass"));
    assert_true(says(FRAMES(MASS("")) "<UncoupledConstraintCorrection/>",
                     "no ODE solver in '/Body' or above tells how a force"));
    assert_false(says(FRAMES(MASS("")) "<UncoupledConstraintCorrection useOdeSolverIntegrationFactors='0'/>",
                      "no ODE solver in"));
}

static int start(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){GIVEN_CONSTRAINT, NULL}}) == DV_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_give_j_a_inverse_j_transposed),
        cmocka_unit_test(a_factor_of_the_compliance_counts),
        cmocka_unit_test(points_and_frames_answer_for_themselves),
        cmocka_unit_test(factors_of_its_own_take_the_place_of_the_solvers),
        cmocka_unit_test(a_list_follows_the_points_of_the_mesh),
        cmocka_unit_test(built_and_unbuilt_end_in_the_same),
        cmocka_unit_test(more_masses_than_are_looked_at_are_told),
        cmocka_unit_test(a_compliance_from_the_mass_follows_the_mass),
        cmocka_unit_test(compliances_of_zero_are_told),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
