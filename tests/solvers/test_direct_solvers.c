/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The direct solvers against each other, on random systems of a known solution: each to its promised accuracy, or an error. A class is a
 * row of the table `solvers`. tests/bench compiles this file once more, with more and larger systems.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "missing_library.h"
#include "random_matrix.h"
#include "scene_text.h"
#include "solver_bench.h"

#include <divan/contracts/solver.h>
#include <divan/divan.h>

#include <stdio.h>

#ifndef SYSTEMS
#define SYSTEMS     40
#define MOST_POINTS 120
#endif

enum { DEFINITE = 1, INDEFINITE = 2, UNSYMMETRIC = 4, NEARLY_SINGULAR = 8, SADDLE = 16 };
static const int kinds[] = {DEFINITE, INDEFINITE, UNSYMMETRIC, NEARLY_SINGULAR, SADDLE};

/* What each class takes, the most unknowns that it is given here, and how far its solution may be from the known one. */
static const struct Solver {
    const char *class_name;
    int takes;
    uint32_t most;
    double error;
} solvers[] = {
    {"SparseLDLSolver", DEFINITE | INDEFINITE | NEARLY_SINGULAR, UINT32_MAX, 1e-11},
    {"EigenSimplicialLDLT", DEFINITE | INDEFINITE | NEARLY_SINGULAR, UINT32_MAX, 1e-11},
    {"EigenSimplicialLLT", DEFINITE | NEARLY_SINGULAR, UINT32_MAX, 1e-11},
    {"EigenSparseLU", DEFINITE | INDEFINITE | UNSYMMETRIC | NEARLY_SINGULAR | SADDLE, UINT32_MAX, 1e-10},
    {"EigenSparseQR", DEFINITE | INDEFINITE | UNSYMMETRIC | NEARLY_SINGULAR | SADDLE, 400, 1e-10},
    {"SVDLinearSolver", DEFINITE | INDEFINITE | UNSYMMETRIC | SADDLE, 150, 1e-10}, /* small values: test_dense.c */
    {"CholeskySolver", DEFINITE | NEARLY_SINGULAR, 400, 1e-11},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static int start(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){GIVEN_MATRIX, NULL}}) == DV_OK ? 0 : -1;
}

static unsigned warnings;

static void count(const DvMessage *message, void *context)
{
    (void)context;
    warnings++;
    if (getenv("DIVAN_DIRECT_VERBOSE")) /* what is said */
        puts(message->text);
}

/* ---- systems ---- */

/* The sum over links of the squares of differences, and `held` for each unknown: nothing holds it where that is small. */
static void fill_laplacian(DvBlockMatrix *a, double held)
{
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t r = 0; r < b; r++)
                a->values[(e * b + r) * b + r] =
                    a->columns[e] == row ? held + (double)(a->row_start[row + 1] - a->row_start[row] - 1) : -1.0;
}

static void fill_unsymmetric(DvBlockMatrix *a, double diagonal, uint64_t *seed)
{
    const uint32_t b = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t i = 0; i < b * b; i++)
                a->values[e * b * b + i] =
                    random_number(seed) + (a->columns[e] == row && i % (b + 1) == 0 ? diagonal : 0.0);
}

/* Rows that are each other's neighbours in pairs, whose diagonals are zero: no pivot stands where it should. */
static void fill_saddle(DvBlockMatrix *a, uint64_t *seed)
{
    const uint32_t b = a->block;
    fill_unsymmetric(a, 0.0, seed);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t r = 0; r < b; r++) {
                if (a->columns[e] == row)
                    a->values[(e * b + r) * b + r] = a->rows % 2 && row + 1 == a->rows ? 30.0 : 0.0;
                else if (a->columns[e] == (row ^ 1))
                    a->values[(e * b + r) * b + r] += 30.0;
            }
}

/* A graph with the links of the pairs. */
static DvBlockMatrix paired_matrix(uint32_t rows, uint32_t block, uint64_t *seed)
{
    uint32_t(*links)[2] = dv_alloc((size_t)rows * 6, sizeof *links);
    uint32_t n = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t c = (uint32_t)((random_number(seed) + 0.5) * rows), pair = (r ^ 1) < rows ? r ^ 1 : r;
        const uint32_t all[5][2] = {{r, r}, {r, c}, {c, r}, {r, pair}, {pair, r}};
        memcpy(links[n], all, sizeof all);
        n += 5;
    }
    DvBlockMatrix a = matrix_of_links(rows, block, links, n);
    dv_free(links);
    return a;
}

static void fill(DvBlockMatrix *a, int kind, uint32_t number, uint64_t *seed)
{
    static const double held[] = {1e-4, 1e-8, 1e-12, 1e-15, 0.0};
    switch (kind) {
    case UNSYMMETRIC:
        fill_unsymmetric(a, 8.0, seed);
        break;
    case NEARLY_SINGULAR:
        fill_laplacian(a, held[number % 5]);
        break;
    case SADDLE:
        fill_saddle(a, seed);
        break;
    default:
        fill_matrix(a, 20.0, kind == INDEFINITE, seed);
    }
}

static DvBlockMatrix system_number(uint32_t number, int *kind, uint64_t *seed)
{
    *kind = kinds[number % 5];
    const uint32_t block = number / 5 % 2 ? 3 : 1;
    const double size = (random_number(seed) + 0.5) * (random_number(seed) + 0.5);
    const uint32_t points = number < 5 ? 1 + number / 2 : 2 + (uint32_t)(size * MOST_POINTS * 3 / block);
    if (*kind == SADDLE)
        return paired_matrix(points, block, seed);
    if (number % 3 == 0 && points > 30)
        return grid_matrix(points / 9 + 1, 3, 3, block);
    return random_matrix(points, block, 2, seed);
}

static void product(const DvBlockMatrix *a, const double *x, double *b)
{
    const uint32_t s = a->block;
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t r = 0; r < s; r++) {
            double sum = 0.0;
            for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
                for (uint32_t c = 0; c < s; c++)
                    sum += a->values[(e * s + r) * s + c] * x[a->columns[e] * s + c];
            b[row * s + r] = sum;
        }
}

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The present system of `solver`: error of the solution, or the backward error where the matrix is nearly singular. */
static void check(Bench *bench, const struct Solver *solver, const DvBlockMatrix *a, int kind, uint32_t number)
{
    const size_t n = (size_t)a->rows * a->block;
    double *known = dv_alloc(n + 1, sizeof *known), *b = dv_alloc(n + 1, sizeof *b), *x = dv_alloc(n + 1, sizeof *x),
           *again = dv_alloc(n + 1, sizeof *again);
    uint64_t seed = 77 + number;
    for (size_t i = 0; i < n; i++)
        known[i] = random_number(&seed);
    product(a, known, b);
    warnings = 0;
    const DvStatus status = take(bench, a);
    if (status == DV_OK) {
        assert_int_equal(bench->ops->solve_flat(bench->self, x, b, n), DV_OK);
        product(a, x, again);
        for (size_t i = 0; i < n; i++)
            again[i] -= b[i], known[i] -= x[i];
        const double backward = largest(again, n) / (largest(b, n) + 40.0 * largest(x, n));
        const bool good =
            kind == NEARLY_SINGULAR ? backward <= 1e-12 || warnings > 0 : largest(known, n) <= solver->error;
        if (!good)
            fail_msg("%s, system %u of %zu unknowns, kind %d: error %g, backward error %g", solver->class_name, number,
                     n, kind, largest(known, n), backward);
    } else if (kind != NEARLY_SINGULAR || warnings == 0) {
        fail_msg("%s, system %u of %zu unknowns, kind %d: status %d", solver->class_name, number, n, kind, status);
    }
    dv_free(again);
    dv_free(x);
    dv_free(b);
    dv_free(known);
}

static void each_solves_what_it_takes(void **state)
{
    (void)state;
    dv_log_set_handler(count, NULL);
    uint64_t seed = 5;
    for (uint32_t number = 0; number < SYSTEMS; number++) {
        int kind;
        DvBlockMatrix a = system_number(number, &kind, &seed);
        for (int s = 0; s < SOLVERS; s++) {
            const uint32_t n = a.rows * a.block;
            if (!(solvers[s].takes & kind) || n > solvers[s].most || library_is_missing(solvers[s].class_name))
                continue;
            uint64_t numbers = 1000 + number;
            Bench bench = open_bench(solvers[s].class_name, a.rows, a.block);
            fill(&a, kind, number / 5, &numbers);
            check(&bench, &solvers[s], &a, kind, number);
            fill(&a, kind, number / 5, &numbers); /* other numbers */
            check(&bench, &solvers[s], &a, kind, number);
            close_bench(&bench);
        }
        matrix_free(&a);
    }
    dv_log_set_handler(NULL, NULL);
}

/* Another pattern, one whose couplings were zero before, fewer unknowns: the solver of the first system takes them all. */
static void systems_may_change(void **state)
{
    (void)state;
    for (int s = 0; s < SOLVERS; s++) {
        if (library_is_missing(solvers[s].class_name))
            continue;
        uint64_t seed = 9;
        DvBlockMatrix first = random_matrix(20, 3, 2, &seed), second = grid_matrix(5, 2, 2, 3),
                      third = random_matrix(20, 3, 3, &seed);
        Bench bench = open_bench(solvers[s].class_name, 20, 3);
        fill_matrix(&first, 20.0, false, &seed);
        check(&bench, &solvers[s], &first, DEFINITE, 0);
        fill_matrix(&second, 20.0, false, &seed);
        check(&bench, &solvers[s], &second, DEFINITE, 1);
        for (uint32_t row = 0; row < third.rows; row++) /* no coupling at all */
            for (uint32_t r = 0; r < 3; r++)
                third.values[third.diagonal[row] * 9 + 4 * r] = 2.0 + row;
        check(&bench, &solvers[s], &third, DEFINITE, 2);
        memset(third.values, 0, third.row_start[third.rows] * 9 * sizeof *third.values);
        fill_matrix(&third, 20.0, false, &seed);
        check(&bench, &solvers[s], &third, DEFINITE, 3);
        check(&bench, &solvers[s], &first, DEFINITE, 4);
        const uint64_t allocations = dv_allocation_count();
        assert_int_equal(bench.ops->set_system(bench.self, bench.m, &bench.step, (DvFactors){.k = 2.0}), DV_OK);
        assert_int_equal(dv_allocation_count(), allocations); /* other numbers: nothing of ours is made */
        close_bench(&bench);
        matrix_free(&first);
        matrix_free(&second);
        matrix_free(&third);
    }
}

/* Three unknowns, and further ones that stand alone: small systems and large ones can be factored in different ways. */
static void check_dependent_unknown(const DvSparseDirectOps *ops, uint32_t n)
{
    enum { MOST = 64 };
    uint32_t begin[MOST + 1] = {0, 3, 6, 9}, columns[MOST + 6] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, order[MOST] = {0, 1, 2};
    double values[MOST + 6] = {1, 3, 4, 2, 5, 7, 4, 1, 5}, x[2 * MOST] = {1, 2, 3};
    x[n + 1] = 1;
    for (uint32_t row = 3; row < n; row++)
        columns[row + 6] = order[row] = row, values[row + 6] = 2.0, begin[row + 1] = row + 7;
    const DvSparseRows a = {n, begin, columns, values};
    DvSparseFactor *factor = ops->open(NULL);
    DvSparseFacts facts;
    uint32_t failed = 99;
    assert_int_equal(ops->analyse(factor, &a, order), DV_OK);
    assert_int_equal(ops->factorize(factor, &a, &failed), DV_ERROR_SINGULAR);
    assert_true(failed == 2 || (ops->method == DV_SPARSE_LU && failed < 2)); /* any of the three, where rows move */
    ops->facts(factor, &facts);
    assert_true(facts.rank == n - 1 || (n > 3 && facts.rank < n)); /* MUMPS may stop at the first pivot that is zero */
    if (ops->method == DV_SPARSE_LU && n == 3)
        assert_true(facts.entries == 9 && facts.operations == 18 &&
                    facts.moved == 1); /* n^2, 2/3 n^3; row 2 moves up */
    values[2] = 9; /* now it does not; solved with A and with its transpose, two right-hand sides at once */
    assert_int_equal(ops->factorize(factor, &a, &failed), DV_OK);
    for (int transposed = 0; transposed < 2; transposed++) {
        double y[2 * MOST];
        memcpy(y, x, sizeof y);
        assert_int_equal(ops->solve(factor, transposed, y, n, 2), DV_OK);
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t row = 0; row < n; row++) {
                double sum = row < 3 ? 0.0 : 2.0 * y[n * r + row];
                for (uint32_t c = 0; c < 3 && row < 3; c++)
                    sum += values[transposed ? 3 * c + row : 3 * row + c] * y[n * r + c];
                assert_true(fabs(sum - x[n * r + row]) <= 1e-14 * 20);
            }
    }
    ops->facts(factor, &facts);
    assert_int_equal(facts.rank, n);
    assert_true(facts.entries >= n + 6);
    ops->close(factor);
}

/* An unknown that is the sum of two others is named. */
static void an_unknown_that_depends_on_others_is_an_error(void **state)
{
    (void)state;
    static const DvSparseMethod methods[] = {DV_SPARSE_LU, DV_SPARSE_QR};
    for (int k = 0; k < 2; k++) {
        const DvSparseDirectOps *ops = dv_sparse_direct_of(methods[k]);
        if (ops == NULL)
            continue;
        check_dependent_unknown(ops, 3);
        check_dependent_unknown(ops, 60);
    }
}

/* A bar that is pressed on its open end, with the full tangent: the residuals of Newton's method go down quadratically with solvers of any
 * matrix, and not with those of symmetric ones. */
static uint32_t newton_iterations(const char *solver, const char *method, bool *quadratic)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><StaticSolver/>"
             "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='60' warnWhenDiverge='0' "
             "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='1e-12' "
             "absoluteResidualStoppingThreshold='0' relativeEstimateDifferenceThreshold='0' "
             "absoluteEstimateDifferenceThreshold='0'/><%s template='CompressedRowSparseMatrixd'/>"
             "<RegularGridTopology name='g' n='6 2 2' min='0 0 0' max='0.1 0.02 0.02'/><MechanicalObject/>"
             "<HexahedronFEMForceField youngModulus='1e6' poissonRatio='0' method='%s'/>"
             "<FixedProjectiveConstraint indices='0 6 12 18'/><Node name='tip'>"
             "<MeshTopology triangles='5 11 23  5 23 17' position='@../g.position'/><MechanicalObject/>"
             "<SurfacePressureForceField triangleIndices='0 1' pressure='20000'/><IdentityMapping/></Node></Node>",
             solver, method);
    DvScene *scene = load(text);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    size_t iterations;
    const double *r = dv_data_doubles(dv_object_field(scene_object(scene, "/newton"), "residuals"), &iterations);
    *quadratic = iterations >= 3;
    for (size_t i = 0; i < iterations; i++)
        print_message("%s %zu: %g\n", solver, i, r[i]);
    /* r[i + 1] <= C r[i]^2 down to rounding, with C from the first steps */
    const double scale = r[0];
    double most = 0.0;
    for (size_t i = 1; i < iterations && r[i] > 1e-11 * scale; i++)
        most = fmax(most, r[i] / scale / ((r[i - 1] / scale) * (r[i - 1] / scale)));
    *quadratic = *quadratic && most < 100.0;
    dv_scene_free(scene);
    return (uint32_t)iterations;
}

static void newton_is_quadratic_under_pressure_on_an_open_surface(void **state)
{
    (void)state;
    bool quadratic;
    const uint32_t symmetric = newton_iterations("SparseLDLSolver", "small", &quadratic);
    assert_false(quadratic);
    static const char *const any[] = {"EigenSparseLU", "EigenSparseQR", "SVDLinearSolver"};
    for (int k = 0; k < 3; k++)
        if (!library_is_missing(any[k])) {
            assert_true(newton_iterations(any[k], "small", &quadratic) < symmetric);
            assert_true(quadratic);
        }
    if (library_is_missing("EigenSparseLU"))
        return;
    /* The forces of an energy, with all of their tangent; and without what turns the frames, which is small here. */
    assert_true(newton_iterations("EigenSparseLU", "exact", &quadratic) < symmetric && quadratic);
    assert_true(newton_iterations("EigenSparseLU", "polar", &quadratic) < symmetric && quadratic);
    (void)newton_iterations("EigenSparseLU", "large",
                            &quadratic); /* its frames follow two edges, which the tangent leaves out */
    assert_false(quadratic);
}

/* The same bar in motion, by LU instead of LDL^T: it comes to rest, longer by p / E of its length. */
static void a_bar_under_pressure_comes_to_rest(void **state)
{
    (void)state;
    static const struct {
        const char *dt, *method;
    } runs[] = {{"0.01", "large"}, {"0.02", "large"}, {"0.01", "exact"}};
    for (int k = 0; k < 3 && !library_is_missing("EigenSparseLU"); k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<Node name='root' gravity='0 0 0' dt='%s'><DefaultAnimationLoop/>"
            "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='1'/>"
            "<EigenSparseLU template='CompressedRowSparseMatrixd'/>"
            "<RegularGridTopology name='g' n='6 2 2' min='0 0 0' max='0.1 0.02 0.02'/><MechanicalObject name='s'/>"
            "<UniformMass totalMass='0.04'/><HexahedronFEMForceField youngModulus='1e6' poissonRatio='0' method='%s'/>"
            "<FixedProjectiveConstraint indices='0 6 12 18'/><Node name='tip'>"
            "<MeshTopology triangles='5 11 23  5 23 17' position='@../g.position'/><MechanicalObject/>"
            "<SurfacePressureForceField triangleIndices='0 1' pressure='20000'/><IdentityMapping/></Node></Node>",
            runs[k].dt, runs[k].method);
        DvScene *scene = load(text);
        for (double t = 0; t < 4.0; t = dv_node_time(dv_scene_root(scene)))
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const DvConstVec x = dv_state_read(scene_state(scene, "/s"), DV_POSITION);
        double mean = 0;
        for (uint32_t point = 5; point < 24; point += 6)
            mean += x.at[(size_t)3 * point] / 4;
        if (!(fabs(mean - 0.102) < 1e-5))
            fail_msg("dt %s, %s: the tip is at %.7g", runs[k].dt, runs[k].method, mean);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_solves_what_it_takes),
        cmocka_unit_test(systems_may_change),
        cmocka_unit_test(an_unknown_that_depends_on_others_is_an_error),
        cmocka_unit_test(newton_is_quadratic_under_pressure_on_an_open_surface),
        cmocka_unit_test(a_bar_under_pressure_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
