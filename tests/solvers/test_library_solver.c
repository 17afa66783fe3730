/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What EigenSparseLU does with the library under it, by one that loses digits, fails and counts its calls as the test says (given_lu.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <divan/kit/linear_solver.h> /* has a parameter `skip`, which is a macro of cmocka */

#include <cmocka.h>

#include "given_lu.h"
#include "random_matrix.h"
#include "scene_text.h"
#include "solver_bench.h"

#include <divan/contracts/report.h>
#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/plugin.h>

static GivenLu *given;
static DvText said;

static int start(void **state)
{
    (void)state;
    const char *const plugins[] = {GIVEN_MATRIX, GIVEN_LU, NULL};
    if (dv_start(&(DvStartOptions){.plugins = plugins}) != DV_OK)
        return -1;
    given = ((const GivenLuOps *)dv_service(TEST_GIVEN_LU))->given;
    return 0;
}

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    dv_text_add(&said, "%s\n", message->text);
}

static int listen(void **state)
{
    (void)state;
    *given = (GivenLu){0};
    dv_log_set_handler(keep, NULL);
    return 0;
}

static int end_of_test(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&said);
    return given->misuses == 0 && given->open == 0 ? 0 : -1;
}

static bool was_said(const char *part)
{
    return said.at != NULL && strstr(said.at, part) != NULL;
}

/* A system of block 3 with 27 unknowns, its solution and right-hand side. */
typedef struct System {
    Bench bench;
    DvBlockMatrix a;
    double known[32], b[32];
} System;
enum { POINTS = 9, UNKNOWNS = 3 * POINTS };

static void multiply(const DvBlockMatrix *a, const double *x, double *b)
{
    const uint32_t s = a->block;
    memset(b, 0, (size_t)a->rows * s * sizeof *b);
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
            for (uint32_t r = 0; r < s; r++)
                for (uint32_t c = 0; c < s; c++)
                    b[row * s + r] += a->values[(e * s + r) * s + c] * x[a->columns[e] * s + c];
}

static System system_of(const char *class_name)
{
    uint64_t seed = 3;
    System s = {.bench = open_bench(class_name, POINTS, 3), .a = random_matrix(POINTS, 3, 1, &seed)};
    fill_matrix(&s.a, 8.0, false, &seed);
    for (int i = 0; i < UNKNOWNS; i++)
        s.known[i] = random_number(&seed);
    multiply(&s.a, s.known, s.b);
    return s;
}

static void end_system(System *s)
{
    close_bench(&s->bench);
    matrix_free(&s->a);
}

static double off(const double *x, const double *known, double factor)
{
    double most = 0.0;
    for (int i = 0; i < UNKNOWNS; i++)
        most = fmax(most, fabs(x[i] - factor * known[i]));
    return most;
}

static const DvSolveRecord *record_of(const Bench *bench)
{
    const DvSolveRecordOps *ops = dv_object_ops(scene_object(bench->scene, "/solver"), DV_SOLVE_RECORD);
    return ops->record(bench->self);
}

/* A solution that is 1 + e times the right one leaves -e of the right-hand side, and k corrections leave e^(k + 1). Four are made at most,
 * none from 1e-12 on, and one that makes it worse is taken back. */
static void solutions_are_refined_while_that_helps(void **state)
{
    (void)state;
    static const struct {
        double error;
        uint32_t solves, again;
        double left, factor;
    } cases[] = {
        {0.0, 1, 1, 0.0, 1.0},     {3e-13, 1, 1, 3e-13, 1.0}, {3e-4, 4, 4, 8.1e-15, 1.0},
        {-0.01, 5, 5, 1e-10, 1.0}, {1.5, 2, 2, 1.5, 2.5},     {-1.0, 2, 2, 1.0, 0.0},
    };
    System s = system_of("EigenSparseLU");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        given->one = cases[k].error;
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        for (int again = 0; again < 2; again++) {
            double x[UNKNOWNS];
            const uint32_t before = given->solves;
            assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, UNKNOWNS), DV_OK);
            assert_int_equal(given->solves - before, again ? cases[k].again : cases[k].solves);
            const double left = record_of(&s.bench)->left;
            if (!(fabs(left - cases[k].left) <= 1e-3 * cases[k].left + 5e-15))
                fail_msg("an error of %g leaves %g", cases[k].error, left);
            assert_true(off(x, s.known, cases[k].factor) < 2e-10);
        }
    }
    assert_int_equal(record_of(&s.bench)->solves, 2 * sizeof cases / sizeof *cases);
    assert_int_equal(record_of(&s.bench)->unsolved, 4);
    assert_true(was_said("the solution leaves a residual of 1.5e+00"));
    end_system(&s);
}

/* Another one assembled over the same mechanics: the factor serves, its numbers are the solver's own, and nothing is refined by others. */
static void a_factor_serves_whatever_is_assembled_meanwhile(void **state)
{
    (void)state;
    System s = system_of("EigenSparseLU");
    double x[UNKNOWNS];
    given->one = 1e-6;
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    const uint64_t version = s.bench.ops->factor_version(s.bench.self);
    (void)s.bench.operations->assemble(s.bench.m, &s.bench.step, (DvFactors){.m = 1.0}, 0);
    assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, UNKNOWNS), DV_OK);
    assert_true(off(x, s.known, 1.0 + 1e-6) < 1e-14);
    assert_int_equal(given->solves, 1);
    assert_int_equal(s.bench.ops->factor_version(s.bench.self), version);
    end_system(&s);
}

/* Right-hand sides e_r - 2 e_(r + 1), and the matrix of the compliance of them, from a dense solution. */
typedef struct Rows {
    uint32_t start[132], columns[262];
    double values[262];
    DvSparseRows rows;
} Rows;

static void make_rows(Rows *all, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        all->columns[2 * r] = r % UNKNOWNS;
        all->columns[2 * r + 1] = (r + 1 + r / UNKNOWNS) % UNKNOWNS;
        all->values[2 * r] = 1.0;
        all->values[2 * r + 1] = -2.0;
        all->start[r + 1] = 2 * r + 2;
    }
    all->rows = (DvSparseRows){count, all->start, all->columns, all->values};
}

static void solution_of_row(const System *s, const Rows *all, uint32_t row, double *x)
{
    double b[UNKNOWNS], *dense = dense_copy(&s->a);
    dv_sparse_row_spread(&all->rows, row, b, UNKNOWNS);
    dense_solve(UNKNOWNS, dense, b, x);
    dv_free(dense);
}

enum { STRIDE = UNKNOWNS + 2 };

/* By the first residual of a factor it is decided whether all are refined; the worst that is left is said. */
static void many_solutions_are_refined_where_the_first_asks_for_it(void **state)
{
    (void)state;
    static const struct {
        double several[4], one;
        uint32_t solves; /* one for all, and a correction each until it is good or gets no better */
        double worst;
    } cases[] = {
        {{0.0, 0.0, 0.0, 0.0}, 0.0, 1, 0.0},       {{0.0, 1e-3, 1e-3, 1e-3}, 0.0, 1, 0.0},
        {{1e-3, 1e-4, 1e-5, 0.0}, 0.0, 4, 0.0},    {{1e-5, 1e-3, 1e-4, 0.0}, -1.0, 4, 1e-3},
        {{1e-3, 1e-5, 1e-4, 1e-6}, -1.0, 5, 1e-3},
    };
    System s = system_of("EigenSparseLU");
    Rows all = {.start = {0}};
    make_rows(&all, 4);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(given->several, cases[k].several, sizeof given->several);
        given->one = cases[k].one;
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        for (int again = 0; again < 2; again++) {
            double x[4 * STRIDE] = {0}, residual = -1.0, expected[UNKNOWNS];
            const uint32_t before = given->solves;
            x[UNKNOWNS] = 7.0;
            assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, STRIDE, &residual), DV_OK);
            assert_int_equal(given->solves - before, cases[k].solves);
            if (!(fabs(residual - cases[k].worst) <= 1e-3 * cases[k].worst + 1e-14))
                fail_msg("case %zu: worst %g, not %g", k, residual, cases[k].worst);
            for (uint32_t r = 0; r < 4; r++) {
                const bool corrected = cases[k].several[0] > 0.0 && cases[k].one == 0.0;
                solution_of_row(&s, &all, r, expected);
                assert_true(off(x + STRIDE * r, expected, corrected ? 1.0 : 1.0 + cases[k].several[r]) < 1e-13);
            }
            assert_true(x[UNKNOWNS] == 7.0);
        }
    }
    memcpy(given->several, (const double[4]){1e-3, NAN, 1e-4, 0.0}, sizeof given->several);
    double x[4 * STRIDE], residual = 0.0;
    given->one = -1.0;
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, STRIDE, &residual), DV_OK);
    assert_true(isnan(residual));
    end_system(&s);
}

/* More rows than are solved at once, and one that is left over. */
static void a_compliance_of_many_rows_is_made_in_parts(void **state)
{
    (void)state;
    enum { ROWS = 129, WIDE = ROWS + 3 };
    System s = system_of("EigenSparseLU");
    static Rows all;
    static double w[ROWS * WIDE], columns[ROWS][UNKNOWNS];
    make_rows(&all, ROWS);
    for (uint32_t r = 0; r < ROWS; r++)
        solution_of_row(&s, &all, r, columns[r]);
    for (int fails = 0; fails < 2; fails++) {
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        for (size_t i = 0; i < sizeof w / sizeof *w; i++)
            w[i] = 1.0;
        given->solves = 0;
        given->failing_solve = fails ? 2 : 0;
        const DvStatus status = s.bench.ops->compliance(s.bench.self, &all.rows, -0.5, w, WIDE);
        assert_int_equal(status, fails ? DV_ERROR_LIMIT : DV_OK);
        assert_int_equal(given->solves, fails ? 2 : 3);
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t k = 0; k < WIDE; k++) {
                const bool there = k < (fails ? 64 : ROWS);
                const uint32_t *at = all.columns + 2 * i;
                const double sum = there ? columns[k][at[0]] - 2.0 * columns[k][at[1]] : 0.0;
                assert_true(fabs(w[WIDE * i + k] - (1.0 - 0.5 * sum)) < 1e-14);
            }
    }
    end_system(&s);
}

static void what_the_library_refuses_is_passed_on(void **state)
{
    (void)state;
    System s = system_of("EigenSparseLU");
    Rows all = {.start = {0}};
    double x[4 * STRIDE] = {0}, w[16] = {0}, residual;
    make_rows(&all, 4);
    given->one = given->several[0] = 1e-3;
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    given->failing_solve = 1;
    assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, UNKNOWNS), DV_ERROR_LIMIT);
    given->solves = 0; /* a correction: what was found before stays, and nothing is known of it */
    given->failing_solve = 2;
    assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, UNKNOWNS), DV_OK);
    assert_true(off(x, s.known, 1.001) < 1e-14);
    assert_true(isnan(record_of(&s.bench)->left));
    for (uint32_t failing = 1; failing < 3; failing++) {
        given->solves = 0;
        given->failing_solve = failing;
        assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, STRIDE, &residual), DV_ERROR_LIMIT);
        assert_int_equal(given->solves, failing);
        given->solves = 0;
        assert_int_equal(s.bench.ops->compliance(s.bench.self, &all.rows, 1.0, w, 4), DV_ERROR_LIMIT);
        assert_int_equal(given->solves, failing);
    }
    for (int i = 0; i < 16; i++)
        assert_true(w[i] == 0.0);
    end_system(&s);
}

static void without_rows_or_unknowns_the_library_is_not_asked(void **state)
{
    (void)state;
    System s = system_of("EigenSparseLU");
    Rows all = {.start = {0}};
    double x[UNKNOWNS], residual = -1.0, w = 5.0;
    make_rows(&all, 0);
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, UNKNOWNS, &residual), DV_OK);
    assert_true(residual == 0.0);
    assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, UNKNOWNS, NULL), DV_OK);
    assert_int_equal(s.bench.ops->compliance(s.bench.self, &all.rows, 1.0, &w, 1), DV_OK);
    end_system(&s);
    Bench empty = open_bench("EigenSparseLU", 0, 3);
    assert_int_equal(empty.ops->set_system(empty.self, empty.m, &empty.step, (DvFactors){.k = 1.0}), DV_OK);
    assert_true(was_said("the linear system is empty"));
    all.rows.rows = 1; /* without an entry */
    all.start[1] = 0;
    assert_int_equal(empty.ops->solve_many(empty.self, &all.rows, x, 1, &residual), DV_OK);
    assert_int_equal(empty.ops->compliance(empty.self, &all.rows, 1.0, &w, 1), DV_OK);
    assert_int_equal(empty.ops->solve_flat(empty.self, x, x, 0), DV_OK);
    assert_true(w == 5.0);
    assert_int_equal(given->solves, 0);
    close_bench(&empty);
}

static void set_coupling(DvBlockMatrix *a, uint32_t row, uint32_t column, double value)
{
    for (uint32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
        if (a->columns[e] == column)
            a->values[9 * e + 5] = value;
}

/* Blocks that are zero go to the library where both points are coupled to others, and not else; when they are no longer zero, they do. */
static void points_that_are_not_coupled_cost_nothing(void **state)
{
    (void)state;
    uint32_t links[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 0},
                           {1, 2}, {2, 1}, {2, 3}, {3, 2}, {0, 2}, {2, 0}};
    DvBlockMatrix a = matrix_of_links(4, 3, links, sizeof links / sizeof *links);
    for (uint32_t row = 0; row < 4; row++)
        for (uint32_t r = 0; r < 3; r++)
            a.values[9 * a.diagonal[row] + 4 * r] = 2.0 + row;
    Bench bench = open_bench("EigenSparseLU", 4, 3);
    assert_int_equal(take(&bench, &a), DV_OK);
    assert_int_equal(given->entries, 9 * 4); /* the diagonal alone */
    set_coupling(&a, 2, 1, 0.5);             /* one of the two is enough, whichever */
    assert_int_equal(bench.ops->set_system(bench.self, bench.m, &bench.step, (DvFactors){.k = 1.0}), DV_OK);
    assert_int_equal(given->analyses, 2);
    assert_int_equal(given->entries, 9 * (4 + 2));
    assert_int_equal(bench.ops->set_system(bench.self, bench.m, &bench.step, (DvFactors){.k = 2.0}), DV_OK);
    assert_int_equal(given->analyses, 2); /* other numbers, the same couplings */
    set_coupling(&a, 0, 1, -0.5);
    assert_int_equal(bench.ops->set_system(bench.self, bench.m, &bench.step, (DvFactors){.k = 1.0}), DV_OK);
    assert_int_equal(given->analyses, 3);
    assert_int_equal(given->entries, 9 * (4 + 6)); /* 0, 1 and 2 are coupled, and 3 stands alone */
    double known[12], b[12], x[12];
    for (int i = 0; i < 12; i++)
        known[i] = i - 3.0;
    multiply(&a, known, b);
    assert_int_equal(bench.ops->solve_flat(bench.self, x, b, 12), DV_OK);
    for (int i = 0; i < 12; i++)
        assert_true(fabs(x[i] - known[i]) < 1e-13);
    bool seen[12] = {false}; /* each unknown once, those of a point one after the other */
    for (int k = 0; k < 12; k++) {
        assert_true(given->order[k] < 12 && !seen[given->order[k]]);
        seen[given->order[k]] = true;
        assert_int_equal(given->order[k], given->order[k - k % 3] + (uint32_t)k % 3);
    }
    close_bench(&bench);
    matrix_free(&a);
}

static void an_analysis_that_fails_is_made_again(void **state)
{
    (void)state;
    System s = system_of("EigenSparseLU");
    double x[UNKNOWNS];
    given->analysis = DV_ERROR_LIMIT;
    assert_int_equal(take(&s.bench, &s.a), DV_ERROR_LIMIT);
    given->analysis = DV_OK;
    assert_int_equal(s.bench.ops->set_system(s.bench.self, s.bench.m, &s.bench.step, (DvFactors){.k = 1.0}), DV_OK);
    assert_int_equal(given->analyses, 2);
    assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, UNKNOWNS), DV_OK);
    assert_true(off(x, s.known, 1.0) < 1e-13);
    end_system(&s);
}

/* The point of the number is named. */
static void wrong_numbers_are_refused_with_their_point(void **state)
{
    (void)state;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    System s = system_of("EigenSparseLU");
    for (int k = 0; k < 3; k++) {
        double *number = s.a.values + 9 * s.a.diagonal[4] + 4;
        const double kept = *number;
        *number = wrong[k];
        dv_text_free(&said);
        assert_int_equal(take(&s.bench, &s.a), DV_ERROR_NOT_FINITE);
        if (!was_said("not finite") || !was_said("point 4"))
            fail_msg("%s", said.at);
        *number = kept;
    }
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    end_system(&s);
}

/* A linear system that leaves and comes again: the solver begins anew, with a factor of its own. */
static void a_solver_that_begins_again_factors_again(void **state)
{
    (void)state;
    static const char text[] =
        "<Node name='root' dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
        "<Node name='child'/><MatrixLinearSystem name='system' template='CompressedRowSparseMatrixMat3x3d'/>"
        "<EigenSparseLU name='solver' linearSystem='@system'/><MechanicalObject name='dofs' position='0 0 0 1 0 0'/>"
        "<UniformMass totalMass='2'/><SpringForceField spring='0 1 100 0 1'/></Node>";
    DvScene *scene = load(text);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    for (int k = 0; k < 3; k++) {
        DvNode *root = dv_scene_root(scene);
        dv_object_remove(scene_object(scene, "/system"));
        assert_int_equal(dv_object_new(root, "MatrixLinearSystem", NULL, "name", "system", "template",
                                       "CompressedRowSparseMatrixMat3x3d", NULL),
                         DV_OK);
        const uint32_t analyses = given->analyses;
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(given->open, 1);
        assert_int_equal(given->analyses, analyses + 1);
    }
    /* dt (1 + 2 + 3 + 4) dt of free fall */
    assert_true(fabs(dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at[1] + 10 * 1e-4) < 1e-15);
    dv_scene_free(scene);
}

static uint64_t calls_of(const char *phase)
{
    uint64_t calls = 0, sum = 0;
    const char *name;
    double seconds;
    for (size_t i = 0; (name = dv_phase_at(i, &seconds, &calls)) != NULL; i++)
        sum += strcmp(name, phase) == 0 ? calls : 0;
    return sum;
}

static void time_is_told_by_phases(void **state)
{
    (void)state;
    System s = system_of("EigenSparseLU");
    Rows all = {.start = {0}};
    double x[4 * STRIDE], w[16] = {0};
    make_rows(&all, 4);
    dv_phase_enable(true);
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    assert_int_equal(s.bench.ops->solve_many(s.bench.self, &all.rows, x, STRIDE, NULL), DV_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(s.bench.ops->compliance(s.bench.self, &all.rows, 1.0, w, 4), DV_OK);
    assert_true(calls_of("factorization") == 1 && calls_of("linear solver") == 1 && calls_of("compliance") == 2);
    dv_phase_enable(false);
    end_system(&s);
}

static void take_line(void *context, const char *text)
{
    dv_text_add(context, "%s", text);
}

static void the_library_is_named(void **state)
{
    (void)state;
    Bench bench = open_bench("EigenSparseLU", 1, 3);
    const DvReportOps *ops = dv_object_ops(scene_object(bench.scene, "/solver"), DV_REPORT);
    DvText text = {0};
    ops->report(bench.self, take_line, &text);
    assert_string_equal(text.at, "LU by hand: the same bits on processors of one type");
    dv_text_free(&text);
    close_bench(&bench);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, listen, end_of_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(solutions_are_refined_while_that_helps),
        TEST(a_factor_serves_whatever_is_assembled_meanwhile),
        TEST(many_solutions_are_refined_where_the_first_asks_for_it),
        TEST(a_compliance_of_many_rows_is_made_in_parts),
        TEST(what_the_library_refuses_is_passed_on),
        TEST(without_rows_or_unknowns_the_library_is_not_asked),
        TEST(points_that_are_not_coupled_cost_nothing),
        TEST(an_analysis_that_fails_is_made_again),
        TEST(wrong_numbers_are_refused_with_their_point),
        TEST(a_solver_that_begins_again_factors_again),
        TEST(time_is_told_by_phases),
        TEST(the_library_is_named),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
