/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BTDLinearSolver: chains of points and of frames against elimination on the dense matrix, with ends that do not fill a block; constraints
 * on few of the blocks; couplings that are not of neighbours; time that grows as the length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Chain {
    DvScene *scene;
    const DvMechanicalOperationsOps *mechanics;
    DvMechanics *m;
    const DvLinearSolverOps *ops;
    void *solver;
    size_t n;
} Chain;

static const DvStep step_of_test = {.dt = 0.1, .position = DV_POSITION, .velocity = DV_VELOCITY};
static const DvFactors factors = {.m = 1.0, .k = -0.01};

/* `extra`: more springs, by numbers as the field has them. */
static Chain chain_of(uint32_t points, const char *extra)
{
    DvText text = {0};
    dv_text_add(&text, "%s",
                "<Node name='root' gravity='0 0 0'><Node name='Body'><BTDLinearSolver name='solver' verification='1'/>"
                "<MechanicalObject template='Vec3d' position='");
    for (uint32_t i = 0; i < points; i++)
        dv_text_add(&text, "%u %g %g ", i, 0.2 * sin(i), 0.3 * cos(2.0 * i));
    dv_text_add(&text, "%s",
                "'/><UniformMass vertexMass='0.5'/><FixedProjectiveConstraint indices='0'/><SpringForceField spring='");
    for (uint32_t i = 0; i + 1 < points; i++)
        dv_text_add(&text, "%u %u %g 1 0.8 ", i, i + 1, 100.0 * (1 + i % 5));
    dv_text_add(&text, "%s'/></Node></Node>", extra);
    Chain c = {.scene = scene_from_text(text.at), .mechanics = dv_service(DV_MECHANICAL_OPERATIONS)};
    dv_text_free(&text);
    DvObject *object = scene_object(c.scene, "/Body/solver");
    c.ops = dv_object_ops(object, DV_LINEAR_SOLVER);
    c.solver = dv_object_self(object);
    c.m = c.mechanics->open(dv_object_node(object));
    c.mechanics->compute_force(c.m, &step_of_test, DV_FORCE, DV_WALK_WHOLE);
    c.n = c.mechanics->unknowns(c.m);
    assert_int_equal(c.ops->set_system(c.solver, c.m, &step_of_test, factors), DV_OK);
    return c;
}

static void end(Chain *c)
{
    c->mechanics->close(c->m);
    dv_scene_free(c->scene);
}

static double *matrix_of(const Chain *c)
{
    return dense_copy(c->mechanics->assemble(c->m, &step_of_test, factors, DV_ASSEMBLE_CONSTRAINED));
}

/* An even and an odd number of points, of which two make a block. */
static void chains_are_solved(void **state)
{
    (void)state;
    for (uint32_t points = 1; points <= 9; points++) {
        Chain c = chain_of(points, "");
        double *a = matrix_of(&c), b[30] = {0}, x[30] = {0}, expected[30], copy[30];
        uint64_t seed = points;
        for (size_t i = 0; i < c.n; i++)
            copy[i] = b[i] = random_number(&seed);
        dense_solve((uint32_t)c.n, a, copy, expected);
        assert_int_equal(c.ops->set_system(c.solver, c.m, &step_of_test, factors), DV_OK);
        assert_int_equal(c.ops->solve_flat(c.solver, x, b, c.n), DV_OK);
        for (size_t i = 0; i < c.n; i++)
            assert_true(fabs(x[i] - expected[i]) < 1e-12);
        dv_free(a);
        end(&c);
    }
}

/* Rows near one end, in the middle, of one and of several blocks, and one without entries. */
static void constraints_are_solved_for_where_they_act(void **state)
{
    (void)state;
    Chain c = chain_of(9, "");
    static const uint32_t start[] = {0, 2, 3, 3, 6}, columns[] = {13, 14, 26, 12, 15, 20};
    static const double values[] = {1.0, -2.0, 0.5, 1.0, 3.0, -1.0};
    const DvSparseRows j = {4, start, columns, values};
    double w[4][5] = {{0}}, x[4][28], residual = NAN;
    assert_int_equal(c.ops->compliance(c.solver, &j, 2.0, w[0], 5), DV_OK);
    assert_int_equal(c.ops->solve_many(c.solver, &j, x[0], 28, &residual), DV_OK);
    double *a = matrix_of(&c);
    for (uint32_t r = 0; r < 4; r++) {
        double b[27] = {0}, expected[27], copy[27 * 27];
        for (uint32_t e = start[r]; e < start[r + 1]; e++)
            b[columns[e]] = values[e];
        memcpy(copy, a, sizeof copy);
        dense_solve(27, copy, b, expected);
        for (int i = 0; i < 27; i++)
            assert_true(fabs(x[r][i] - expected[i]) < 1e-12);
        for (uint32_t i = 0; i < 4; i++) {
            double product = 0.0;
            for (uint32_t e = start[i]; e < start[i + 1]; e++)
                product += values[e] * expected[columns[e]];
            assert_true(fabs(w[i][r] - 2.0 * product) < 1e-12);
        }
    }
    dv_free(a);
    end(&c);
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

static void couplings_of_no_neighbours_are_said(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    Chain c = chain_of(9, "0 8 50 1 3");
    double b[28] = {0}, x[28] = {0};
    b[26] = 1.0;
    assert_int_equal(c.ops->solve_flat(c.solver, x, b, c.n), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_null(said.at); /* point 0 is held: its columns are clear */
    end(&c);
    dv_log_set_handler(collect, &said);
    c = chain_of(9, "1 8 50 1 3");
    assert_int_equal(c.ops->solve_flat(c.solver, x, b, c.n), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "18 entries of the matrix couple points that do not follow each other"));
    assert_non_null(strstr(said.at, "a solution leaves"));
    dv_text_free(&said);
    end(&c);
}

/* A beam of frames, each a block, as with any other direct solver; and a matrix that needs pivots within a block. */
static void beams_bend_as_with_a_factor(void **state)
{
    (void)state;
#define BEAM(solver)                                                                                                             \
    "<Node name='root' dt='0.05' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.1'/>" solver \
    "<MeshTopology position='0 0 0  1 0 0  2 0 0  3 0 0  4 0 0' lines='0 1 1 2 2 3 3 4'/>"                                       \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1  3 0 0 0 0 0 1  "    \
    "4 0 0 0 0 0 1'/><UniformMass vertexMass='1 1 [0.1 0 0, 0 0.1 0, 0 0 0.1]'/>"                                                \
    "<FixedProjectiveConstraint indices='0'/><BeamFEMForceField radius='0.1' youngModulus='2e6' poissonRatio='0.3'/></Node>"
    double x[2][35];
    for (int k = 0; k < 2; k++) {
        DvScene *scene = scene_from_text(k ? BEAM("<BTDLinearSolver/>") : BEAM("<SparseLDLSolver/>"));
        for (int i = 0; i < 20; i++)
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        memcpy(x[k], dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x[k]);
        dv_scene_free(scene);
    }
    for (int i = 0; i < 35; i++)
        assert_true(fabs(x[0][i] - x[1][i]) < 1e-9);
    assert_true(x[0][29] < -0.05);
}

static double seconds_of(uint32_t points)
{
    Chain c = chain_of(points, "");
    double *b = dv_alloc(c.n + 1, sizeof *b), *x = dv_alloc(c.n + 1, sizeof *x), best = INFINITY;
    b[c.n - 1] = 1.0;
    for (int pass = 0; pass < 5; pass++) {
        struct timespec begin, now;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        for (int k = 0; k < 20; k++)
            assert_int_equal(c.ops->solve_flat(c.solver, x, b, c.n), DV_OK);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        best = fmin(best, (double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec));
    }
    dv_free(b);
    dv_free(x);
    end(&c);
    return best;
}

/* Eight times as long takes eight times as long, by far not 64 times. */
static void time_grows_as_the_length(void **state)
{
    (void)state;
    assert_true(seconds_of(2400) < 20.0 * seconds_of(300));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_solved),
        cmocka_unit_test(constraints_are_solved_for_where_they_act),
        cmocka_unit_test(couplings_of_no_neighbours_are_said),
        cmocka_unit_test(beams_bend_as_with_a_factor),
        cmocka_unit_test(time_grows_as_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
