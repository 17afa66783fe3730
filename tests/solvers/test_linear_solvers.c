/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The linear solvers: the conformance suite for each, and what only each one promises.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linear_solver_conformance.h"
#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CG "<CGLinearSolver name='solver' iterations='200' tolerance='1e-13' threshold='1e-40' "

LINEAR_SOLVER_CONFORMANCE(conjugate_gradients_solve, .solver = CG "/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(conjugate_gradients_solve_from_a_guess, .solver = CG "warmStart='1'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(conjugate_gradients_solve_on_the_scalar_matrix,
                          .solver = CG "template='CompressedRowSparseMatrixd'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(conjugate_gradients_solve_on_the_block_matrix,
                          .solver = CG "template='CompressedRowSparseMatrixMat3x3d' warmStart='1'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_solves, .solver = "<SparseLDLSolver name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_solves_by_blocks,
                          .solver = "<SparseLDLSolver name='solver' template='CompressedRowSparseMatrixMat3x3d'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_analyses_each_time,
                          .solver = "<SparseLDLSolver name='solver' precomputeSymbolicDecomposition='0'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_takes_the_natural_order,
                          .solver = "<NaturalOrderingMethod/><SparseLDLSolver name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_takes_the_order_it_is_linked_to,
                          .solver = "<NaturalOrderingMethod/><AMDOrderingMethod name='amd'/>"
                                    "<SparseLDLSolver name='solver' orderingMethod='@amd'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_takes_the_column_order,
                          .solver = "<COLAMDOrderingMethod/><SparseLDLSolver name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_solves_by_another_name, .solver = "<EigenSimplicialLDLT name='solver'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(the_first_factor_solves, .solver = "<AsyncSparseLDLSolver name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(an_earlier_factor_is_corrected,
                          .solver = "<AsyncSparseLDLSolver name='solver' tolerance='1e-13'/>", .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(lu_solves, .solver = "<EigenSparseLU name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(lu_solves_by_scalars_in_the_natural_order,
                          .solver = "<NaturalOrderingMethod/><EigenSparseLU name='solver' "
                                    "template='CompressedRowSparseMatrix'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(qr_solves, .solver = "<EigenSparseQR name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(lu_preconditions,
                          .solver =
                              "<PCGLinearSolver name='solver' iterations='3' tolerance='1e-30' preconditioner='@p'/>"
                              "<EigenSparseLU name='p'/>",
                          .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(singular_values_solve, .solver = "<SVDLinearSolver name='solver'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(singular_values_solve_by_scalars,
                          .solver = "<SVDLinearSolver name='solver' template='FullMatrix'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(dense_cholesky_factors_solve,
                          .solver = "<CholeskySolver name='solver' template='FullMatrix'/>", .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(a_condensed_system_solves, .solver = "<CondensationSolver name='solver' indices='0 2 3'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(cholesky_factors_solve,
                          .solver = "<COLAMDOrderingMethod/><EigenSimplicialLLT name='solver' "
                                    "template='CompressedRowSparseMatrix'/>",
                          .residual = 1e-13)
LINEAR_SOLVER_CONFORMANCE(plain_conjugate_gradients_of_the_preconditioned_solver_solve,
                          .solver = "<PCGLinearSolver name='solver' iterations='200' tolerance='1e-26'/>",
                          .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(the_diagonal_preconditions,
                          .solver =
                              "<PCGLinearSolver name='solver' iterations='200' tolerance='1e-28' preconditioner='@p'/>"
                              "<JacobiPreconditioner name='p'/>",
                          .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(diagonal_blocks_precondition,
                          .solver =
                              "<PCGLinearSolver name='solver' iterations='200' tolerance='1e-28' preconditioner='@p'/>"
                              "<BlockJacobiPreconditioner name='p'/>",
                          .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(the_direct_solver_preconditions,
                          .solver =
                              "<PCGLinearSolver name='solver' iterations='3' tolerance='1e-30' preconditioner='@p'/>"
                              "<SparseLDLSolver name='p'/>",
                          .residual = 1e-12)

/* Ten equal masses on springs of their own: the matrix of a step of 0.1 s is diag(5.5 + 0.01 stiffness). */
static DvScene *ten_oscillators(const char *solver)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'>"
        "<EulerImplicitSolver/>%s"
        "<MechanicalObject name='dofs' template='Vec1d' position='1 1 1 1 1 1 1 1 1 1' rest_position='0 0 0 0 0 0 0 0 0 0'/>"
        "<UniformMass totalMass='55'/>"
        "<RestShapeSpringsForceField name='springs' points='0 1 2 3 4 5 6 7 8 9' stiffness='100 400 900 1600 2500 3600 4900 6400 8100 10000'/></Node></Node>",
        solver);
    return scene_from_text(text);
}

/* Numbers of a curve in the output `graph`; the number of them. */
static size_t curve(const DvScene *scene, const char *name, double *values, size_t capacity)
{
    const char *text = dv_data_string(dv_object_field(scene_object(scene, "/Body/solver"), "graph"));
    char start[64];
    snprintf(start, sizeof start, "%s:", name);
    const char *at = strstr(text, start);
    if (at == NULL)
        return 0;
    at += strlen(start);
    size_t count = 0;
    while (*at == ' ' && count < capacity) {
        char *end;
        values[count++] = strtod(at, &end);
        at = end;
    }
    return count;
}

static void step(DvScene *scene)
{
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static void conjugate_gradients_stop_after_the_given_iterations(void **state)
{
    (void)state;
    for (unsigned iterations = 1; iterations <= 4; iterations++) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "<CGLinearSolver name='solver' iterations='%u' tolerance='1e-30' threshold='1e-40'/>", iterations);
        DvScene *scene = ten_oscillators(solver);
        step(scene);
        double values[64];
        assert_int_equal(curve(scene, "Denominator", values, 64), iterations);
        assert_int_equal(curve(scene, "Error", values, 64), iterations + 1); /* the first is 1, before all iterations */
        assert_true(values[0] == 1.0 && values[1] == 1.0);
        dv_scene_free(scene);
    }
}

static void conjugate_gradients_stop_at_the_tolerance(void **state)
{
    (void)state;
    DvScene *scene =
        ten_oscillators("<CGLinearSolver name='solver' iterations='100' tolerance='1e-3' threshold='1e-40'/>");
    step(scene);
    double values[64];
    const size_t count = curve(scene, "Error", values, 64);
    assert_true(count > 3 && count < 12);
    assert_true(values[count - 1] <= 1e-3);
    for (size_t i = 1; i + 1 < count; i++)
        assert_true(values[i] > 1e-3);
    dv_scene_free(scene);
}

/* A body in free fall has a multiple of the identity for a matrix: one iteration is all, in the first solve and in those after. */
static void conjugate_gradients_solve_the_identity_at_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.5' gravity='0 -8 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
        "<CGLinearSolver name='solver' iterations='9' tolerance='1e-5' threshold='1e-40'/>"
        "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/><UniformMass vertexMass='2'/></Node></Node>");
    for (int i = 0; i < 2; i++) {
        step(scene);
        double values[16];
        assert_int_equal(curve(scene, "Denominator", values, 16), 1);
        assert_int_equal(curve(scene, "Error", values, 16), 3); /* the first is 1, before all iterations */
        assert_true(values[0] == 1.0 && values[1] == 1.0 && values[2] == 0.0);
    }
    dv_scene_free(scene);
}

static void conjugate_gradients_stop_at_the_threshold_without_taking_the_step(void **state)
{
    (void)state;
    DvScene *loose =
        ten_oscillators("<CGLinearSolver name='solver' iterations='100' tolerance='1e-30' threshold='1e-2'/>");
    step(loose);
    double values[64];
    const size_t count = curve(loose, "Denominator", values, 64);
    assert_true(count > 2 && fabs(values[count - 1]) <= 1e-2);
    for (size_t i = 0; i + 1 < count; i++)
        assert_true(values[i] > 1e-2);
    char solver[256];
    snprintf(solver, sizeof solver,
             "<CGLinearSolver name='solver' iterations='%zu' tolerance='1e-30' threshold='1e-40'/>", count - 1);
    DvScene *counted = ten_oscillators(solver);
    step(counted);
    assert_memory_equal(dv_state_read(scene_state(loose, "/Body/dofs"), DV_VELOCITY).at,
                        dv_state_read(scene_state(counted, "/Body/dofs"), DV_VELOCITY).at, 10 * sizeof(double));
    dv_scene_free(counted);
    dv_scene_free(loose);
}

/* Denominators with a threshold that stops nothing, then with one just above and just below the fourth. */
static void the_threshold_is_compared_with_the_denominator_itself(void **state)
{
    (void)state;
    double values[64], stopped[64];
    DvScene *scene =
        ten_oscillators("<CGLinearSolver name='solver' iterations='9' tolerance='1e-30' threshold='1e-40'/>");
    step(scene);
    assert_true(curve(scene, "Denominator", values, 64) > 4);
    assert_true(values[3] < values[0] && values[3] < values[1] && values[3] < values[2]);
    dv_scene_free(scene);
    static const double factors[] = {1.001, 0.999};
    for (int i = 0; i < 2; i++) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "<CGLinearSolver name='solver' iterations='9' tolerance='1e-30' threshold='%.17g'/>",
                 factors[i] * values[3]);
        scene = ten_oscillators(solver);
        step(scene);
        const size_t count = curve(scene, "Denominator", stopped, 64);
        assert_true(i == 0 ? count == 4 : count > 4);
        dv_scene_free(scene);
    }
}

static void only_the_very_first_solve_iterates_below_the_limits(void **state)
{
    (void)state;
    DvScene *scene = ten_oscillators("<CGLinearSolver name='solver' iterations='5' tolerance='2' threshold='1e-40'/>");
    double values[64];
    step(scene);
    assert_int_equal(curve(scene, "Denominator", values, 64), 1);
    step(scene);
    assert_int_equal(curve(scene, "Denominator", values, 64), 0);
    dv_scene_free(scene);
    scene = ten_oscillators("<CGLinearSolver name='solver' iterations='5' tolerance='0' threshold='1e9'/>");
    step(scene);
    const double moved = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at[0];
    assert_true(moved != 1.0);
    assert_int_equal(curve(scene, "Denominator", values, 64), 2); /* the second one ends the solve */
    step(scene);
    assert_int_equal(curve(scene, "Denominator", values, 64), 1);
    dv_scene_free(scene);
}

/* One point of mass 1 on a spring that pushes with 200 x N: A = 1 - 0.1^2 200 = -1. The first denominator is negative, and large:
 * one iteration solves the system, in every step. */
static void a_negative_denominator_is_no_small_one(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
        "<CGLinearSolver name='solver' iterations='5' tolerance='1e-9' threshold='1e-3'/>"
        "<MechanicalObject name='dofs' template='Vec1d' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
        "<RestShapeSpringsForceField points='0' stiffness='-200'/></Node></Node>");
    double x = 1.0, v = 0.0;
    for (int i = 0; i < 4; i++) {
        step(scene);
        v += 0.1 * (200.0 * x + 0.1 * 200.0 * v) / -1.0;
        x += 0.1 * v;
        const DvStateRef body = scene_state(scene, "/Body/dofs");
        assert_true(fabs(dv_state_read(body, DV_VELOCITY).at[0] - v) <= 1e-12 * fabs(v));
        assert_true(fabs(dv_state_read(body, DV_POSITION).at[0] - x) <= 1e-12 * fabs(x) + 1e-15);
        double values[8];
        assert_int_equal(curve(scene, "Denominator", values, 8), 1);
        assert_true(values[0] < -1.0);
    }
    dv_scene_free(scene);
}

static void a_warm_start_needs_fewer_iterations(void **state)
{
    (void)state;
    size_t iterations[2];
    for (int warm = 0; warm < 2; warm++) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "<CGLinearSolver name='solver' iterations='100' tolerance='1e-4' threshold='1e-40' warmStart='%d'/>",
                 warm);
        DvScene *scene = ten_oscillators(solver);
        assert_int_equal(dv_scene_step(scene, 1e-4), DV_OK);
        assert_int_equal(dv_scene_step(scene, 1e-4), DV_OK);
        double values[128];
        iterations[warm] = curve(scene, "Denominator", values, 128);
        dv_scene_free(scene);
    }
    assert_true(iterations[1] < iterations[0]);
}

static void impossible_limits_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><CGLinearSolver iterations='0'/></Node>",
                      "CGLinearSolver 'CGLinearSolver1': iterations: is 0; it must be 1 or more");
    expect_load_error("<Node name='root'><CGLinearSolver tolerance='-1'/></Node>",
                      "CGLinearSolver 'CGLinearSolver1': tolerance: is -1; it must be 0 or more");
    expect_load_error("<Node name='root'><CGLinearSolver threshold='-2'/></Node>",
                      "CGLinearSolver 'CGLinearSolver1': threshold: is -2; it must be 0 or more");
}

static size_t preconditioned_iterations(const char *attributes)
{
    char solver[512];
    snprintf(solver, sizeof solver,
             "<PCGLinearSolver name='solver' iterations='100' preconditioner='@p' %s/><JacobiPreconditioner "
             "name='p'/>",
             attributes);
    DvScene *scene = ten_oscillators(solver);
    step(scene);
    double values[128];
    const size_t count = curve(scene, "Error 1", values, 128);
    dv_scene_free(scene);
    return count;
}

static void the_diagonal_solves_a_diagonal_system_at_once(void **state)
{
    (void)state;
    assert_int_equal(preconditioned_iterations("tolerance='1e-20'"), 1);
    assert_true(preconditioned_iterations("tolerance='1e-20' use_precond='0'") > 5);
    assert_int_equal(preconditioned_iterations("tolerance='1'"), 0);
}

/* A chain of springs along a line: the matrix of 3 points is one block of 3 x 3, whose inverse solves at once, though two of its entries
 * are not stored. Of 4 and 5 points the rest is filled up by ones. */
static void a_block_that_is_the_whole_matrix_solves_at_once(void **state)
{
    (void)state;
    static const char *const scenes[][2] = {
        {"0 1.5 2", "0 1 30 0 1  1 2 50 0 1"}, {"0 1.5", "0 1 30 0 1"}, {"0 1.5 2 9", "0 1 30 0 1  1 2 50 0 1"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
            "<PCGLinearSolver name='solver' iterations='20' tolerance='1e-24' preconditioner='@p'/>"
            "<BlockJacobiPreconditioner name='p'/><MechanicalObject name='dofs' template='Vec1d' position='%s'/>"
            "<UniformMass vertexMass='1'/><SpringForceField template='Vec1d' spring='%s'/></Node></Node>",
            scenes[i][0], scenes[i][1]);
        DvScene *scene = scene_from_text(text);
        step(scene);
        double values[32];
        assert_int_equal(curve(scene, "Error 1", values, 32), 1);
        dv_scene_free(scene);
    }
}

/* One iteration with a diagonal matrix D: of a right-hand side e_0 it is the solution, of b = (1 ... 1) it leaves b - D b 10 / trace D.
 * The larger one is told, whichever comes last. */
static void the_worst_residual_of_many_right_hand_sides_is_told(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<CGLinearSolver name='solver' iterations='1' tolerance='1e-20' threshold='1e-40'/>",
        "<PCGLinearSolver name='solver' iterations='1' tolerance='1e-30'/>"};
    double diagonal[10], trace = 0.0, square = 0.0;
    for (int i = 0; i < 10; i++) {
        diagonal[i] = 5.5 + 0.01 * 100.0 * (i + 1) * (i + 1);
        trace += diagonal[i];
    }
    for (int i = 0; i < 10; i++)
        square += pow(1.0 - 10.0 * diagonal[i] / trace, 2) / 10.0;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        DvScene *scene = ten_oscillators(solvers[i]);
        step(scene);
        DvObject *solver = scene_object(scene, "/Body/solver");
        const DvLinearSolverOps *ops = dv_object_ops(solver, DV_LINEAR_SOLVER);
        static const uint32_t columns[12] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
        static const double ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        static const uint32_t starts[3][4] = {{0, 1, 11, 12}, {1, 11, 12, 12}, {0, 1, 1, 1}};
        for (int which = 0; which < 3; which++) { /* easy hard easy; hard easy; easy */
            const DvSparseRows rows = {.rows = which == 0   ? 3
                                               : which == 1 ? 2
                                                            : 1,
                                       .row_start = starts[which],
                                       .columns = columns,
                                       .values = ones};
            double x[30], residual = NAN;
            assert_int_equal(ops->solve_many(dv_object_self(solver), &rows, x, 10, &residual), DV_OK);
            assert_true(fabs(residual - (which < 2 ? sqrt(square) : 0.0)) < 1e-12);
        }
        dv_scene_free(scene);
    }
}

static void the_preconditioner_is_built_as_often_as_its_system_says(void **state)
{
    (void)state;
    /* The step size changes the matrix; a preconditioner of the old one is not exact any more. */
    DvScene *scene =
        ten_oscillators("<PCGLinearSolver name='solver' iterations='100' tolerance='1e-20' preconditioner='@p' "
                        "linearSystem='@system'/><PreconditionedMatrixFreeSystem name='system' assemblingRate='3'/>"
                        "<JacobiPreconditioner name='p'/>");
    static const size_t expected[] = {1, 0, 0, 1};
    double dt = 0.1;
    for (int i = 0; i < 4; i++, dt *= 0.7) {
        assert_int_equal(dv_scene_step(scene, dt), DV_OK);
        double values[128];
        const size_t count = curve(scene, "Error 1", values, 128);
        if (expected[i] == 1)
            assert_int_equal(count, 1);
        else
            assert_true(count > 1);
    }
    assert_ptr_equal(
        dv_link_object((DvLink *)dv_object_field(scene_object(scene, "/Body/system"), "preconditionerSystem")),
        dv_link_object((DvLink *)dv_object_field(scene_object(scene, "/Body/p"), "linearSystem")));
    dv_scene_free(scene);
}

static void a_preconditioner_without_a_matrix_is_refused(void **state)
{
    (void)state;
    expect_load_error(
        "<Node name='root'><DefaultAnimationLoop/>\n<EulerImplicitSolver/>\n"
        "<PCGLinearSolver name='solver' preconditioner='@p'/>\n<CGLinearSolver name='p' iterations='1' tolerance='1' "
        "threshold='1'/>\n<MechanicalObject template='Vec1d' position='0'/><UniformMass totalMass='1'/></Node>",
        "PCGLinearSolver 'solver': preconditioner: 'p' works without a matrix");
    expect_load_error(
        "<Node name='root'><DefaultAnimationLoop/>\n<EulerImplicitSolver/>\n<PCGLinearSolver name='solver' "
        "linearSystem='@s'/>\n<MatrixFreeSystem name='s'/>\n"
        "<MechanicalObject template='Vec1d' position='0'/><UniformMass totalMass='1'/></Node>",
        "needs a PreconditionedMatrixFreeSystem");
}

static void every_solver_gets_a_linear_system_of_its_own(void **state)
{
    (void)state;
    DvScene *scene =
        ten_oscillators("<PCGLinearSolver name='solver' preconditioner='@p'/><JacobiPreconditioner name='p'/>");
    DvObject *systems[8];
    const size_t count = dv_node_find_all(dv_object_node(scene_object(scene, "/Body/solver")), DV_LINEAR_SYSTEM,
                                          DV_SEARCH_LOCAL, systems, 8);
    assert_int_equal(count, 2);
    assert_string_equal(dv_object_class(systems[0])->name, "PreconditionedMatrixFreeSystem");
    assert_string_equal(dv_object_class(systems[1])->name, "MatrixLinearSystem");
    assert_string_equal(dv_object_variant(systems[1]), "DiagonalMatrix");
    dv_scene_free(scene);

    scene = ten_oscillators("<MatrixLinearSystem name='mine'/><SparseLDLSolver name='solver'/>");
    DvObject *mine = scene_object(scene, "/Body/mine");
    assert_ptr_equal(dv_link_object((DvLink *)dv_object_field(scene_object(scene, "/Body/solver"), "linearSystem")),
                     mine);
    step(scene);
    const uint32_t *size = dv_data_uints(dv_object_field(mine, "matrixSize"), NULL);
    assert_int_equal(size[0], 10);
    assert_int_equal(size[1], 10);
    dv_scene_free(scene);
}

static DvObject *system_of(DvScene *scene, const char *solver)
{
    return dv_link_object((DvLink *)dv_object_field(scene_object(scene, solver), "linearSystem"));
}

/* A system above two solvers fits both: the first takes it, the other one gets its own. */
static void a_linear_system_is_not_shared(void **state)
{
    (void)state;
#define BODY(name, solver, mass)                                                                                   \
    "<Node name='" name "'><EulerImplicitSolver/>" solver                                                          \
    "<MechanicalObject name='dofs' template='Vec1d' position='1' rest_position='0'/><UniformMass totalMass='" mass \
    "'/>"                                                                                                          \
    "<RestShapeSpringsForceField points='0' stiffness='100'/></Node>"
    DvScene *scene = scene_from_text("<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                                     "<MatrixLinearSystem name='above'/>" BODY("A", "<SparseLDLSolver name='s'/>", "1")
                                         BODY("B", "<SparseLDLSolver name='s'/>", "3") "</Node>");
    assert_ptr_equal(system_of(scene, "/A/s"), scene_object(scene, "/above"));
    assert_non_null(system_of(scene, "/B/s"));
    assert_ptr_not_equal(system_of(scene, "/A/s"), system_of(scene, "/B/s"));
    double v[2] = {0.0, 0.0}, x[2] = {1.0, 1.0};
    for (int n = 0; n < 3; n++) {
        step(scene);
        for (int i = 0; i < 2; i++) {
            v[i] += 0.1 * (-100.0 * x[i] - 10.0 * v[i]) / ((i ? 3.0 : 1.0) + 1.0);
            x[i] += 0.1 * v[i];
            assert_true(fabs(dv_state_read(scene_state(scene, i ? "/B/dofs" : "/A/dofs"), DV_VELOCITY).at[0] - v[i]) <
                        1e-12);
        }
    }
    dv_scene_free(scene);
}

/* However many solvers stand before the two. */
static void a_linear_system_is_not_shared_among_many(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "%s",
                "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<MatrixLinearSystem name='above'/>");
    for (int i = 0; i < 70; i++)
        dv_text_add(&text, BODY("N%d", "<MatrixLinearSystem/><SparseLDLSolver name='s'/>", "1"), i);
    dv_text_add(&text, "%s", BODY("A", "<SparseLDLSolver name='s'/>", "1"));
    dv_text_add(&text, "%s", BODY("B", "<SparseLDLSolver name='s'/>", "3") "</Node>");
    DvScene *scene = scene_from_text(text.at);
    assert_ptr_equal(system_of(scene, "/A/s"), scene_object(scene, "/above"));
    assert_ptr_not_equal(system_of(scene, "/B/s"), scene_object(scene, "/above"));
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* The first solver whose tags pass, however many do not. */
static void tags_choose_among_many_linear_solvers(void **state)
{
    (void)state;
    DvText text = {0};
    dv_text_add(&text, "%s",
                "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                "<EulerImplicitSolver name='ode' tags='mine'/>");
    for (int i = 0; i < 40; i++)
        dv_text_add(&text,
                    "<Node name='N%d'><CGLinearSolver name='s' iterations='1' tolerance='1' threshold='1'/>"
                    "</Node>",
                    i);
    dv_text_add(&text, "%s",
                "<Node name='last'><SparseLDLSolver name='s' tags='mine'/></Node>"
                "<MechanicalObject name='dofs' template='Vec1d' position='1' rest_position='0'/>"
                "<UniformMass totalMass='1'/><RestShapeSpringsForceField points='0' stiffness='100'/></Node>");
    DvScene *scene = scene_from_text(text.at);
    step(scene);
    assert_true(fabs(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[0] + 5.0) < 1e-12);
    dv_scene_free(scene);
    dv_text_free(&text);
}

/* Velocity of the last oscillator after a step of 0.1 s: -h k / (m factor + h^2 k factor). */
static double velocity_with(const char *attributes)
{
    char solver[256];
    snprintf(solver, sizeof solver, "<MatrixLinearSystem %s/><SparseLDLSolver name='solver'/>", attributes);
    DvScene *scene = ten_oscillators(solver);
    step(scene);
    const double v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at[9];
    dv_scene_free(scene);
    return v;
}

static void a_linear_system_leaves_out_what_it_is_told_to(void **state)
{
    (void)state;
    const double force = -10000.0, m = 5.5, k = 10000.0, h = 0.1;
    assert_true(fabs(velocity_with("") - h * force / (m + h * h * k)) < 1e-13);
    assert_true(fabs(velocity_with("assembleMass='0'") - h * force / (h * h * k)) < 1e-13);
    assert_true(fabs(velocity_with("assembleStiffness='0'") - h * force / m) < 1e-13);
}

static void projective_constraints_stay_out_of_the_matrix_when_told_so(void **state)
{
    (void)state;
    double moved[2];
    for (int applied = 0; applied < 2; applied++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
            "<MatrixLinearSystem applyProjectiveConstraints='%d'/><SparseLDLSolver/>"
            "<MechanicalObject name='dofs' template='Vec1d' position='0 2'/><UniformMass totalMass='2'/>"
            "<FixedProjectiveConstraint indices='0'/><SpringForceField spring='0 1 100 0 1'/></Node></Node>",
            applied);
        DvScene *scene = scene_from_text(text);
        step(scene);
        const double *v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at;
        moved[applied] = v[0];
        dv_scene_free(scene);
    }
    assert_true(moved[1] == 0.0);
    assert_true(moved[0] != 0.0);
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level == DV_LEVEL_ERROR) {
        dv_message_print(message, context);
        dv_text_add(context, "\n");
    }
}

static void a_singular_matrix_is_an_error_with_its_point(void **state)
{
    (void)state;
    static const struct {
        const char *solver, *part;
    } cases[] = {
        {"<SparseLDLSolver name='solver'/>",
         "SparseLDLSolver 'solver': the matrix is singular: 1 point has neither mass nor stiffness in some direction: "
         "point 1 of '/Body/MechanicalObject1'. Give every point mass"},
        {"<PCGLinearSolver preconditioner='@p'/><JacobiPreconditioner name='p'/>",
         "JacobiPreconditioner 'p': the matrix is singular: 1 point has neither mass nor stiffness in some direction: "
         "point 1 of '/Body/MechanicalObject1'"},
        {"<PCGLinearSolver preconditioner='@p'/><BlockJacobiPreconditioner name='p'/>",
         "BlockJacobiPreconditioner 'p': the matrix is singular: 1 point has neither mass nor stiffness in some direction: "
         "point 1 of '/Body/MechanicalObject1'"},
    };
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>\n%s\n"
            "<MechanicalObject template='Vec1d' position='0 1'/><UniformMass vertexMass='1' indices='0'/></Node></Node>",
            cases[i].solver);
        DvScene *scene = scene_from_text(text);
        DvText messages = {0};
        dv_log_set_handler(collect, &messages);
        const DvStatus status = dv_scene_step(scene, 0);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(status, DV_ERROR_SINGULAR);
        if (messages.at == NULL || strstr(messages.at, cases[i].part) == NULL)
            fail_msg("expected %s, got %s", cases[i].part, messages.at ? messages.at : "nothing");
        dv_text_free(&messages);
        dv_scene_free(scene);
    }
}

/* What is said of all failing pivots: their states, how many and the first three, whether elements use them. */
static void all_points_without_a_pivot_are_counted(void **state)
{
    (void)state;
#define TETRA_BODY(name, positions, more)                                                                    \
    "<Node name='" name "'><TetrahedronSetTopologyContainer position='" positions "' tetrahedra='0 1 2 3'/>" \
    "<MechanicalObject name='dofs'/><MeshMatrixMass massDensity='1' lumping='1'/>"                           \
    "<TetrahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/>" more "</Node>"
#define TETRA "0 0 0 1 0 0 0 1 0 0 0 1"
    static const struct {
        const char *bodies, *parts[3];
    } cases[] = {
        {TETRA_BODY("A", TETRA, "") TETRA_BODY("B", TETRA " 9 9 9", ""),
         {"1 point has neither", "point 4 of '/Bodies/B/dofs'. No element uses it", "onlyAttachedPoints"}},
        {TETRA_BODY("A", TETRA " 8 8 8", "") TETRA_BODY("B", TETRA " 9 9 9 9 9 8 9 9 7 9 9 6", ""),
         {"5 points have neither",
          "point 4 of '/Bodies/A/dofs', points 4, 5, 6, ... of '/Bodies/B/dofs'. No element uses them",
          "onlyAttachedPoints"}},
        {TETRA_BODY("A", TETRA " 8 8 8", "") "<Node name='B'><MechanicalObject name='dofs' position='0 0 0 1 0 0'/>"
                                             "<UniformMass vertexMass='1' indices='1'/></Node>",
         {"2 points have neither",
          "point 4 of '/Bodies/A/dofs', point 0 of '/Bodies/B/dofs'. No element uses 1 of them", "onlyAttachedPoints"}},
        /* Held by each other, and by nothing else, without mass: all rows have entries. */
        {"<Node name='B'><MechanicalObject name='dofs' template='Vec1d' position='0 1'/>"
         "<SpringForceField template='Vec1d' spring='0 1 1 0 1'/></Node>",
         {"the pivot of point", "of '/Bodies/B/dofs' is zero", "hold bodies that nothing else holds"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0}, messages = {0};
        dv_text_add(&text,
                    "<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='Bodies'><EulerImplicitSolver/>"
                    "<SparseLDLSolver/>%s</Node></Node>",
                    cases[i].bodies);
        DvScene *scene = scene_from_text(text.at);
        dv_log_set_handler(collect, &messages);
        const DvStatus status = dv_scene_step(scene, 0);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(status, DV_ERROR_SINGULAR);
        for (size_t p = 0; p < 3; p++)
            if (messages.at == NULL || strstr(messages.at, cases[i].parts[p]) == NULL)
                fail_msg("expected %s, got %s", cases[i].parts[p], messages.at ? messages.at : "nothing");
        dv_text_free(&text);
        dv_text_free(&messages);
        dv_scene_free(scene);
    }
}

/* What has blown up is not singular. */
static void a_matrix_that_is_not_finite_names_its_point(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root' dt='0.1'><DefaultAnimationLoop/><Node name='Body'>"
                        "<EulerImplicitSolver/><SparseLDLSolver name='solver'/><MechanicalObject name='dofs' "
                        "position='0 0 0 1 0 0'/><UniformMass vertexMass='1'/><RestShapeSpringsForceField "
                        "points='1' stiffness='1.7e308'/><RestShapeSpringsForceField points='1' "
                        "stiffness='1.7e308'/></Node></Node>");
    dv_node_set_dt(dv_scene_root(scene), 10.0);
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    const DvStatus status = dv_scene_step(scene, 10.0);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(status, DV_ERROR_NOT_FINITE);
    assert_non_null(strstr(messages.at, "SparseLDLSolver 'solver': the matrix is not finite: a coupling of point 1 of "
                                        "'/Body/dofs'"));
    dv_text_free(&messages);
    dv_scene_free(scene);
}

static void count_standstills(const DvMessage *message, void *context)
{
    *(int *)context += message->level == DV_LEVEL_WARNING && strstr(message->text, "does not move bodies") != NULL;
}

/* A body under gravity for 20 s: its speed at the end, and how often a solver says that it leaves it as it is. */
static double falls(const char *solver, const char *mass, const char *others, int *told)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Body'>"
             "<EulerImplicitSolver linearSolver='@solver'/>%s<MechanicalObject name='dofs' position='0 0 0'/>"
             "<UniformMass totalMass='%s'/>%s</Node></Node>",
             solver, mass, others);
    *told = 0;
    dv_log_set_handler(count_standstills, told);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < 2000; i++)
        step(scene);
    dv_log_set_handler(NULL, NULL);
    const double v = dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at[1];
    dv_scene_free(scene);
    return v;
}

static void a_body_that_is_left_where_it_is_is_told_of_and_one_that_rests_is_not(void **state)
{
    (void)state;
#define CG_TO(threshold) "<CGLinearSolver name='solver' iterations='25' tolerance='1e-5' threshold='" threshold "'/>"
#define PCG_TO(tolerance) \
    "<PCGLinearSolver name='solver' tolerance='" tolerance "' preconditioner='@p'/><JacobiPreconditioner name='p'/>"
    static const struct {
        const char *solver, *mass, *others;
        int told;
        bool falls;
    } cases[] = {
        {CG_TO("1e-5"), "1e-3", "", 1, false},
        {CG_TO("1e-24"), "1e-3", "", 0, true},
        {CG_TO("1e-5"), "1", "<RestShapeSpringsForceField stiffness='1000' rayleighStiffness='0.1'/>", 0,
         false}, /* rests */
        {PCG_TO("1e-5"), "1e6", "", 1, false},
        {PCG_TO("1e-9"), "1e6", "", 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int told;
        const double v = falls(cases[i].solver, cases[i].mass, cases[i].others, &told);
        if (told != cases[i].told || (cases[i].falls ? !(fabs(v + 200) < 1e-9) : !(fabs(v) < 0.2)))
            fail_msg("case %zu: told %d times, speed %g", i, told, v);
    }
}

/* Springs along one line have a constant matrix; a change of the mass must be seen, in the first step and in a later one. */
static void the_direct_solver_sees_a_matrix_change_after_it_was_the_same_for_long(void **state)
{
    (void)state;
    DvScene *scene = ten_oscillators("<SparseLDLSolver name='solver'/>");
    DvObject *mass = dv_node_find(dv_object_node(scene_object(scene, "/Body/solver")), "divan.mass/1", DV_SEARCH_LOCAL);
    double x = 1.0, v = 0.0, m = 5.5;
    for (int i = 0; i < 9; i++) {
        if (i == 6) {
            m = 2.0;
            dv_data_set_double(dv_object_field(mass, "totalMass"), 10.0 * m);
        }
        step(scene);
        v += 0.1 * (-10000.0 * x - 1000.0 * v) / (m + 100.0);
        x += 0.1 * v;
        const DvStateRef body = scene_state(scene, "/Body/dofs");
        assert_true(fabs(dv_state_read(body, DV_VELOCITY).at[9] - v) < 1e-12);
        assert_true(fabs(dv_state_read(body, DV_POSITION).at[9] - x) < 1e-12);
    }
    dv_scene_free(scene);
}

/* A matrix that was the same for long and then changes in one number only: the first, one in the middle, or the last. */
static void the_direct_solver_sees_any_single_number_change(void **state)
{
    (void)state;
    static const size_t changed[] = {0, 1, 4, 5, 8, 9};
    for (size_t c = 0; c < sizeof changed / sizeof *changed; c++) {
        DvScene *scene = ten_oscillators("<SparseLDLSolver name='solver'/>");
        DvObject *springs = scene_object(scene, "/Body/springs");
        double k[10], x[10], v[10];
        for (int i = 0; i < 10; i++) {
            k[i] = 100.0 * (i + 1) * (i + 1);
            x[i] = 1.0;
            v[i] = 0.0;
        }
        for (int n = 0; n < 8; n++) {
            if (n == 6) {
                k[changed[c]] = 50.0;
                dv_data_set(dv_object_field(springs, "stiffness"), k, 10);
            }
            step(scene);
            for (int i = 0; i < 10; i++) {
                v[i] += 0.1 * (-k[i] * x[i] - 0.1 * k[i] * v[i]) / (5.5 + 0.01 * k[i]);
                x[i] += 0.1 * v[i];
                assert_true(fabs(dv_state_read(scene_state(scene, "/Body/dofs"), DV_VELOCITY).at[i] - v[i]) < 1e-11);
            }
        }
        dv_scene_free(scene);
    }
}

static void the_direct_solver_counts_the_entries_of_its_factor(void **state)
{
    (void)state;
    /* A chain of 5 points on a line: a tridiagonal matrix has 4 entries below the diagonal, in the natural order too. */
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"
        "<NaturalOrderingMethod/><SparseLDLSolver name='solver'/><NaturalOrderingMethod/>"
        "<MechanicalObject template='Vec1d' position='0 1 2 3 4'/><UniformMass totalMass='5'/>"
        "<SpringForceField spring='0 1 10 0 0.5  1 2 10 0 0.5  2 3 10 0 0.5  3 4 10 0 0.5'/></Node></Node>");
    step(scene);
    assert_int_equal(dv_data_int(dv_object_field(scene_object(scene, "/Body/solver"), "L_nnz")), 4);
    dv_scene_free(scene);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<CGLinearSolver name='solver' iterations='25' tolerance='1e-9' threshold='1e-9'/>",
        "<CGLinearSolver name='solver' iterations='25' tolerance='1e-9' threshold='1e-9' warmStart='1'/>",
        "<CGLinearSolver name='solver' iterations='25' tolerance='1e-9' threshold='1e-9' template='CompressedRowSparseMatrixd'/>",
        "<SparseLDLSolver name='solver'/>",
        "<PCGLinearSolver name='solver' preconditioner='@p'/><JacobiPreconditioner name='p'/>",
        "<PCGLinearSolver name='solver' preconditioner='@p'/><BlockJacobiPreconditioner name='p'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        DvScene *scene = ten_oscillators(solvers[i]);
        step(scene);
        step(scene);
        const uint64_t before = dv_allocation_count();
        for (int k = 0; k < 5; k++)
            step(scene);
        if (dv_allocation_count() != before)
            fail_msg("%s: %llu allocations", solvers[i], (unsigned long long)(dv_allocation_count() - before));
        dv_scene_free(scene);
    }
}

/* What is said of a run that fails in the step after `steps`. */
static void expect_cause(const char *solver, const char *stiffness, const char *expected)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>%s"
        "<MechanicalObject name='dofs' template='Vec1d' position='1 2 3' rest_position='0 0 0'/><UniformMass totalMass='3'/>"
        "<RestShapeSpringsForceField points='0 1 2' stiffness='%s'/></Node>",
        solver, stiffness);
    DvScene *scene = scene_from_text(text);
    step(scene);
    const DvStateRef s = scene_state(scene, "/dofs");
    s.ops->write(s.self, DV_VELOCITY, DV_HOST, DV_READ_WRITE)[0] = NAN;
    const DvStepCheckOps *check = dv_service(DV_STEP_CHECK);
    DvText messages = {0};
    dv_log_set_handler(collect, &messages);
    assert_int_equal(check->check(dv_scene_root(scene), 2), DV_ERROR_NOT_FINITE);
    dv_log_set_handler(NULL, NULL);
    if (!strstr(messages.at, expected))
        fail_msg("expected '%s' in: %s", expected, messages.at);
    dv_text_free(&messages);
    dv_scene_free(scene);
}

static void what_conjugate_gradients_know_of_a_failed_run_is_told(void **state)
{
    (void)state;
    /* A = m + dt^2 k = 1 - 9999: p.Ap = -9999 r.r with r = dt * 1e6 x */
    expect_cause(
        "<CGLinearSolver name='cg' iterations='9' tolerance='1e-9' threshold='1e-9'/>", "-1000000",
        "likely cause: matrix that is not positive definite (p.Ap is -1.4e+15 in iteration 1 of CGLinearSolver 'cg'); "
        "use a smaller dt, or SparseLDLSolver");
    expect_cause("<CGLinearSolver name='cg' iterations='1' tolerance='1e-9' threshold='1e-9'/>", "1 100 10000",
                 "likely cause: none that a component has seen");
    /* b = (10, 80, 270), A = diag(2, 5, 10): the residual of the first iteration is (7.9, 38.3, -11.6) */
    expect_cause(
        "<CGLinearSolver name='cg' iterations='1' tolerance='1e-9' threshold='1e-9'/>", "100 400 900",
        "likely cause: linear system that is not solved (CGLinearSolver 'cg' leaves 0.14 of the right-hand side); "
        "raise its iterations, or use SparseLDLSolver");
    expect_cause("<SparseLDLSolver name='ldl'/>", "-1000000", "likely cause: none that a component has seen");
}

/* The compliance of rows, by a solver and by elimination on the dense matrix m M + k K of "/Body". */
static void expect_compliance(const char *text, DvFactors factors, const DvSparseRows *j, double tolerance)
{
    DvScene *scene = scene_from_text(text);
    DvObject *solver = scene_object(scene, "/Body/solver");
    const DvLinearSolverOps *ops = dv_object_ops(solver, DV_LINEAR_SOLVER);
    const DvMechanicalOperationsOps *mechanics = dv_service(DV_MECHANICAL_OPERATIONS);
    DvMechanics *m = mechanics->open(dv_object_node(solver));
    const DvStep step = {.dt = 0.1, .position = DV_POSITION, .velocity = DV_VELOCITY};
    mechanics->compute_force(m, &step, DV_FORCE, DV_WALK_WHOLE);
    const size_t n = mechanics->unknowns(m);
    double *w = dv_alloc((size_t)j->rows * j->rows, sizeof *w), *x = dv_alloc(j->rows * n, sizeof *x);
    double *b = dv_alloc(n, sizeof *b), *expected = dv_alloc(n, sizeof *expected);
    assert_int_equal(ops->set_system(dv_object_self(solver), m, &step, factors), DV_OK);
    assert_int_equal(ops->compliance(dv_object_self(solver), j, 1.0, w, j->rows), DV_OK);
    double residual = NAN;
    assert_int_equal(ops->solve_many(dv_object_self(solver), j, x, n, &residual), DV_OK);
    assert_true(residual <= tolerance);
    for (uint32_t r = 0; r < j->rows; r++) {
        const DvBlockMatrix *a = mechanics->assemble(m, &step, factors, DV_ASSEMBLE_CONSTRAINED);
        double *dense = dense_copy(a);
        memset(b, 0, n * sizeof *b);
        for (uint32_t e = j->row_start[r]; e < j->row_start[r + 1]; e++)
            b[j->columns[e]] = j->values[e];
        dense_solve(n, dense, b, expected);
        dv_free(dense);
        double largest = 0.0;
        for (size_t k = 0; k < n; k++)
            largest = fmax(largest, fabs(expected[k]));
        for (size_t k = 0; k < n; k++)
            assert_true(fabs(x[r * n + k] - expected[k]) <= tolerance * largest);
        for (uint32_t i = 0; i < j->rows; i++) {
            double product = 0.0;
            for (uint32_t e = j->row_start[i]; e < j->row_start[i + 1]; e++)
                product += j->values[e] * expected[j->columns[e]];
            assert_true(fabs(w[i * j->rows + r] - product) <= tolerance * largest);
        }
    }
    mechanics->close(m);
    dv_free(expected);
    dv_free(b);
    dv_free(x);
    dv_free(w);
    dv_scene_free(scene);
}

static void preconditioners_give_the_compliance_of_what_they_invert(void **state)
{
    (void)state;
    static const uint32_t start[] = {0, 1, 3, 3, 4}, columns[] = {2, 0, 9, 5};
    static const double values[] = {1.0, 2.0, -1.0, 0.5};
    const DvSparseRows j = {4, start, columns, values};
    static const char *const solvers[] = {"<JacobiPreconditioner name='solver'/>",
                                          "<BlockJacobiPreconditioner name='solver'/>"};
    for (size_t i = 0; i < 2; i++) { /* of a diagonal matrix: exact */
        char text[1024];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.1' gravity='0 0 0'><Node name='Body'>%s"
            "<MechanicalObject template='Vec1d' position='1 1 1 1 1 1 1 1 1 1' rest_position='0 0 0 0 0 0 0 0 0 0'/>"
            "<UniformMass totalMass='55'/><RestShapeSpringsForceField points='0 1 2 3 4 5 6 7 8 9' "
            "stiffness='100 400 900 1600 2500 3600 4900 6400 8100 10000'/></Node></Node>",
            solvers[i]);
        expect_compliance(text, (DvFactors){.m = 1.0, .k = -0.01}, &j, 1e-14);
    }
}

/* Springs that push: A = [0.1 0.3 0; 0.3 0.9 1; 0 1 1], whose second pivot, 0.9 - 0.3 0.3 / 0.1, is mere rounding. */
static void many_right_hand_sides_of_an_indefinite_matrix_are_refined(void **state)
{
    (void)state;
    static const uint32_t start[] = {0, 2, 3, 4}, columns[] = {0, 1, 0, 2};
    static const double values[] = {1.0, 3.0, 1.0, -2.0};
    const DvSparseRows j = {3, start, columns, values};
    expect_compliance("<Node name='root'><Node name='Body'><SparseLDLSolver name='solver'/><NaturalOrderingMethod/>"
                      "<MechanicalObject template='Vec1d' position='0 1 2'/><UniformMass vertexMass='1'/>"
                      "<RestShapeSpringsForceField points='0 1 2' stiffness='0.4 2.2 2'/>"
                      "<SpringForceField spring='0 1 -0.3 0 1  1 2 -1 0 1'/></Node></Node>",
                      (DvFactors){.k = -1.0}, &j, 1e-14);
}

#define BEAM(method)                                                                                                          \
    "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver rayleighMass='0.1'/>"                            \
    "<SparseLDLSolver name='solver'/><RegularGridTopology n='3 3 4' min='0 0 0' max='1 1 2'/><MechanicalObject name='dofs'/>" \
    "<HexahedronFEMForceField name='fem' method='" method "' youngModulus='1000' poissonRatio='0.3'/>"                        \
    "<UniformMass name='mass' totalMass='3'/><FixedProjectiveConstraint name='fixed' indices='0 1 2'/></Node>"

static uint64_t factorizations_of(const DvScene *scene)
{
    DvObject *solver = scene_object(scene, "/solver");
    const DvLinearSolverOps *ops = dv_object_ops(solver, DV_LINEAR_SOLVER);
    return ops->factor_version(dv_object_self(solver));
}

static void linear_bodies_are_factored_once(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BEAM("small"));
    for (int i = 0; i < 5; i++) {
        step(scene);
        assert_int_equal(factorizations_of(scene), 1);
    }
    dv_data_set_double(dv_object_field(scene_object(scene, "/mass"), "totalMass"), 4.0);
    step(scene);
    step(scene);
    assert_int_equal(factorizations_of(scene), 2);
    assert_int_equal(dv_scene_step(scene, 0.02), DV_OK); /* another step size, another matrix */
    assert_int_equal(factorizations_of(scene), 3);
    assert_int_equal(dv_data_set_text(dv_object_field(scene_object(scene, "/fixed"), "indices"), "0 1 2 3"), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0.02), DV_OK);
    assert_int_equal(factorizations_of(scene), 4);
    dv_scene_free(scene);

    scene = scene_from_text(BEAM("large")); /* its frames turn */
    for (uint64_t i = 1; i <= 5; i++) {
        step(scene);
        assert_int_equal(factorizations_of(scene), i);
    }
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_bodies_are_factored_once),
        cmocka_unit_test(preconditioners_give_the_compliance_of_what_they_invert),
        cmocka_unit_test(many_right_hand_sides_of_an_indefinite_matrix_are_refined),
        cmocka_unit_test(what_conjugate_gradients_know_of_a_failed_run_is_told),
        cmocka_unit_test(conjugate_gradients_solve),
        cmocka_unit_test(conjugate_gradients_solve_from_a_guess),
        cmocka_unit_test(conjugate_gradients_solve_on_the_scalar_matrix),
        cmocka_unit_test(conjugate_gradients_solve_on_the_block_matrix),
        cmocka_unit_test(the_direct_solver_solves),
        cmocka_unit_test(the_direct_solver_solves_by_blocks),
        cmocka_unit_test(the_direct_solver_analyses_each_time),
        cmocka_unit_test(the_direct_solver_takes_the_natural_order),
        cmocka_unit_test(the_direct_solver_takes_the_order_it_is_linked_to),
        cmocka_unit_test(the_direct_solver_takes_the_column_order),
        cmocka_unit_test(the_direct_solver_solves_by_another_name),
        cmocka_unit_test(the_first_factor_solves),
        cmocka_unit_test(an_earlier_factor_is_corrected),
        cmocka_unit_test(lu_solves),
        cmocka_unit_test(lu_solves_by_scalars_in_the_natural_order),
        cmocka_unit_test(qr_solves),
        cmocka_unit_test(lu_preconditions),
        cmocka_unit_test(singular_values_solve),
        cmocka_unit_test(singular_values_solve_by_scalars),
        cmocka_unit_test(dense_cholesky_factors_solve),
        cmocka_unit_test(a_condensed_system_solves),
        cmocka_unit_test(cholesky_factors_solve),
        cmocka_unit_test(plain_conjugate_gradients_of_the_preconditioned_solver_solve),
        cmocka_unit_test(the_diagonal_preconditions),
        cmocka_unit_test(diagonal_blocks_precondition),
        cmocka_unit_test(the_direct_solver_preconditions),
        cmocka_unit_test(conjugate_gradients_stop_after_the_given_iterations),
        cmocka_unit_test(conjugate_gradients_stop_at_the_tolerance),
        cmocka_unit_test(conjugate_gradients_solve_the_identity_at_once),
        cmocka_unit_test(conjugate_gradients_stop_at_the_threshold_without_taking_the_step),
        cmocka_unit_test(the_threshold_is_compared_with_the_denominator_itself),
        cmocka_unit_test(only_the_very_first_solve_iterates_below_the_limits),
        cmocka_unit_test(a_negative_denominator_is_no_small_one),
        cmocka_unit_test(a_warm_start_needs_fewer_iterations),
        cmocka_unit_test(impossible_limits_are_named),
        cmocka_unit_test(the_diagonal_solves_a_diagonal_system_at_once),
        cmocka_unit_test(a_block_that_is_the_whole_matrix_solves_at_once),
        cmocka_unit_test(the_worst_residual_of_many_right_hand_sides_is_told),
        cmocka_unit_test(the_preconditioner_is_built_as_often_as_its_system_says),
        cmocka_unit_test(a_preconditioner_without_a_matrix_is_refused),
        cmocka_unit_test(every_solver_gets_a_linear_system_of_its_own),
        cmocka_unit_test(a_linear_system_is_not_shared),
        cmocka_unit_test(a_linear_system_is_not_shared_among_many),
        cmocka_unit_test(tags_choose_among_many_linear_solvers),
        cmocka_unit_test(a_linear_system_leaves_out_what_it_is_told_to),
        cmocka_unit_test(projective_constraints_stay_out_of_the_matrix_when_told_so),
        cmocka_unit_test(a_singular_matrix_is_an_error_with_its_point),
        cmocka_unit_test(all_points_without_a_pivot_are_counted),
        cmocka_unit_test(a_matrix_that_is_not_finite_names_its_point),
        cmocka_unit_test(a_body_that_is_left_where_it_is_is_told_of_and_one_that_rests_is_not),
        cmocka_unit_test(the_direct_solver_sees_a_matrix_change_after_it_was_the_same_for_long),
        cmocka_unit_test(the_direct_solver_sees_any_single_number_change),
        cmocka_unit_test(the_direct_solver_counts_the_entries_of_its_factor),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests_name("linear solvers", tests, NULL, NULL);
}
