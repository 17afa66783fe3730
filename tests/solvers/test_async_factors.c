/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of which matrix the factor of AsyncSparseLDLSolver is, step by step, and what corrections with the present matrix do: with matrices that the
 * test gives (given_matrix.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "scene_text.h"
#include "solver_bench.h"

#include <divan/divan.h>
#include <divan/parallel.h>
#include <divan/plugin.h>

enum { POINTS = 9, N = 3 * POINTS };

static DvText said;

static int start(void **state)
{
    (void)state;
    return dv_start(&(DvStartOptions){.plugins = (const char *const[]){GIVEN_MATRIX, NULL}}) == DV_OK ? 0 : -1;
}

static void keep(const DvMessage *message, void *context)
{
    (void)context;
    dv_text_add(&said, "%s\n", message->text);
}

static int end_of_test(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&said);
    dv_parallel_set_threads(1);
    return 0;
}

static void expect_said(const char *part)
{
    if (said.at == NULL || strstr(said.at, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, said.at);
}

typedef struct System {
    Bench bench;
    DvBlockMatrix a;
    double *first; /* the numbers of step 0 */
    double b[N];
    DvVecId x_id, b_id;
} System;

static size_t count_of(const DvBlockMatrix *a)
{
    return (size_t)a->row_start[a->rows] * a->block * a->block;
}

static System system_of(const char *attributes)
{
    uint64_t seed = 3;
    DvText class_name = {0};
    dv_text_add(&class_name, "AsyncSparseLDLSolver template='CompressedRowSparseMatrixMat3x3d' %s", attributes);
    System s = {.bench = open_bench(class_name.at, POINTS, 3), .a = random_matrix(POINTS, 3, 1, &seed)};
    dv_text_free(&class_name);
    fill_matrix(&s.a, 8.0, false, &seed);
    s.first = dv_alloc(count_of(&s.a), sizeof(double));
    memcpy(s.first, s.a.values, count_of(&s.a) * sizeof(double));
    for (int i = 0; i < N; i++)
        s.b[i] = random_number(&seed);
    s.x_id = s.bench.operations->allocate(s.bench.m, DV_DERIVS);
    s.b_id = s.bench.operations->allocate(s.bench.m, DV_DERIVS);
    return s;
}

static void end_system(System *s)
{
    s->bench.operations->release(s->bench.m, s->x_id);
    s->bench.operations->release(s->bench.m, s->b_id);
    close_bench(&s->bench);
    dv_free(s->first);
    matrix_free(&s->a);
}

/* The matrix of step `step`: the first one, with 20 (step + 1) % more on the diagonal of some points. */
static void set_numbers(System *s, int step)
{
    memcpy(s->a.values, s->first, count_of(&s->a) * sizeof(double));
    for (uint32_t row = 0; row < POINTS && step > 0; row += 2)
        for (uint32_t r = 0; r < 3; r++)
            s->a.values[9 * s->a.diagonal[row] + 4 * r] *= 1.0 + 0.2 * (step + 1);
}

static void scale_numbers(System *s, double factor)
{
    for (size_t i = 0; i < count_of(&s->a); i++)
        s->a.values[i] = factor * s->first[i];
}

static DvStatus set_system(System *s)
{
    return s->bench.ops->set_system(s->bench.self, s->bench.m, &s->bench.step, (DvFactors){.k = 1.0});
}

static DvStatus solve(System *s, double *x)
{
    s->bench.operations->scatter(s->bench.m, s->b_id, s->b);
    const DvStatus status = s->bench.ops->solve(s->bench.self, s->x_id, s->b_id);
    s->bench.operations->gather(s->bench.m, x, s->x_id);
    return status;
}

static uint64_t version_of(const System *s)
{
    return s->bench.ops->factor_version(s->bench.self);
}

/* Whether x is what the numbers that the matrix has now give, to `bound` of it. */
static bool is_solution(const System *s, const double *x, double bound)
{
    double expected[N], *dense = dense_copy(&s->a);
    dense_solve(N, dense, s->b, expected);
    dv_free(dense);
    double off = 0.0, size = 0.0;
    for (int i = 0; i < N; i++) {
        off = fmax(off, fabs(x[i] - expected[i]));
        size = fmax(size, fabs(expected[i]));
    }
    return off <= bound * size;
}

static void expect_factors_of(const char *attributes, const int *steps, int count)
{
    for (unsigned threads = 1; threads < 4; threads += 2) {
        dv_parallel_set_threads(threads);
        System s = system_of(attributes);
        uint64_t version = 0;
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        for (int step = 0; step < count; step++) {
            double x[N];
            if (step > 0) {
                assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
                set_numbers(&s, step);
                assert_int_equal(set_system(&s), DV_OK);
                assert_true((version_of(&s) != version) == (steps[step] != steps[step - 1]));
            }
            version = version_of(&s);
            assert_int_equal(solve(&s, x), DV_OK);
            set_numbers(&s, steps[step]);
            if (!is_solution(&s, x, 1e-13))
                fail_msg("%s: in step %d the factor is not that of step %d", attributes, step, steps[step]);
        }
        end_system(&s);
    }
}

static void factors_are_those_of_known_steps(void **state)
{
    (void)state;
    expect_factors_of("refresh='2'", (const int[]){0, 0, 0, 0, 2, 2, 4, 4, 6, 6}, 10);
    expect_factors_of("refresh='3'", (const int[]){0, 0, 0, 0, 0, 0, 3, 3, 3, 6}, 10);
    expect_factors_of("refresh='1' precomputeSymbolicDecomposition='0'", (const int[]){0, 0, 1, 2, 3, 4, 5}, 7);
    expect_factors_of("", (const int[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5}, 12);
    expect_factors_of("refresh='1' enableAssembly='0'", (const int[]){0, 0, 0, 0, 0}, 5);
}

/* The present matrix solves at once when its structure is another one, and when the factors of mass and stiffness are. */
static void another_system_is_factored_at_once(void **state)
{
    (void)state;
    System s = system_of("refresh='1'");
    double x[N];
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    set_numbers(&s, 1);
    assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
    assert_int_equal(set_system(&s), DV_OK); /* the next one is under way */
    const DvBlockMatrix before = s.a;
    uint64_t seed = 11;
    for (int k = 0; k < 2; k++) { /* more couplings, then fewer */
        s.a = k == 0 ? random_matrix(POINTS, 3, 3, &seed) : random_matrix(POINTS, 3, 0, &seed);
        fill_matrix(&s.a, 9.0, false, &seed);
        assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        assert_int_equal(solve(&s, x), DV_OK);
        assert_true(is_solution(&s, x, 1e-13));
        for (size_t i = 0; i < count_of(&s.a); i++)
            s.a.values[i] *= 0.5;
        for (int step = 0; step < 3; step++) { /* and so is the one that is begun then */
            assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
            assert_int_equal(set_system(&s), DV_OK);
        }
        assert_int_equal(solve(&s, x), DV_OK);
        assert_true(is_solution(&s, x, 1e-13));
        if (k == 0)
            matrix_free(&s.a);
    }
    const DvBlockMatrix last = s.a;
    s.a = before;
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    const DvFactors twice = {.k = 2.0};
    assert_int_equal(s.bench.ops->set_system(s.bench.self, s.bench.m, &s.bench.step, twice), DV_OK);
    assert_int_equal(solve(&s, x), DV_OK);
    for (size_t i = 0; i < count_of(&s.a); i++)
        s.a.values[i] *= 2.0;
    assert_true(is_solution(&s, x, 1e-13));
    matrix_free((DvBlockMatrix *)&last);
    end_system(&s);
}

/* From the factor of an earlier matrix, without another factorization. What is left is below the bound, and not by far more than needed. */
static void corrections_come_to_the_present_solution(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-8, 1e-13};
    for (int k = 0; k < 3; k++) {
        char attributes[64];
        (void)snprintf(attributes, sizeof attributes, "tolerance='%g'", tolerances[k]);
        System s = system_of(attributes);
        double x[N];
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        const uint64_t version = version_of(&s);
        for (int step = 0; step < 4; step++) {
            set_numbers(&s, step);
            assert_int_equal(set_system(&s), DV_OK);
            assert_int_equal(solve(&s, x), DV_OK);
            assert_true(is_solution(&s, x, 20.0 * tolerances[k]));
            assert_true(step == 0 || k == 2 || !is_solution(&s, x, 1e-4 * tolerances[k]));
            assert_int_equal(version_of(&s), version);
        }
        memset(s.b, 0, sizeof s.b); /* nothing to solve */
        assert_int_equal(solve(&s, x), DV_OK);
        for (int i = 0; i < N; i++)
            assert_true(x[i] == 0.0);
        assert_int_equal(version_of(&s), version);
        end_system(&s);
    }
}

/* Conjugate gradients need as many turns as there are different quotients of the two matrices: three here, however far apart those are. */
static void corrections_are_conjugate(void **state)
{
    (void)state;
    System s = system_of("tolerance='1e-12'");
    matrix_free(&s.a);
    uint64_t seed = 5;
    s.a = random_matrix(POINTS, 3, 0, &seed);
    fill_matrix(&s.a, 8.0, false, &seed);
    double x[N];
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    const uint64_t version = version_of(&s);
    static const double quotients[] = {10.0, 100.0, 1000.0};
    for (size_t i = 0; i < (size_t)9 * POINTS; i++)
        s.a.values[i] *= quotients[i / 9 % 3];
    assert_int_equal(set_system(&s), DV_OK);
    assert_int_equal(solve(&s, x), DV_OK);
    assert_true(is_solution(&s, x, 1e-9));
    assert_int_equal(version_of(&s), version);
    end_system(&s);
}

/* Where they do not come there: the present matrix is not definite, or far from the earlier one. It is factored then, once. */
static void without_success_the_present_matrix_is_factored(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        System s = system_of(k == 0 ? "tolerance='1e-10'" : "tolerance='1e-200'");
        double x[N];
        assert_int_equal(take(&s.bench, &s.a), DV_OK);
        const uint64_t version = version_of(&s);
        if (k == 0)
            scale_numbers(&s, -1.0);
        for (uint32_t row = 0; row < POINTS && k == 1; row++)
            for (uint32_t r = 0; r < 3; r++)
                s.a.values[9 * s.a.diagonal[row] + 4 * r] *= pow(10.0, row);
        assert_int_equal(set_system(&s), DV_OK);
        assert_int_equal(solve(&s, x), DV_OK);
        assert_true(is_solution(&s, x, 1e-13));
        assert_int_equal(version_of(&s), version + 1);
        if (k == 0) { /* whose factor serves from now on */
            scale_numbers(&s, -1.0001);
            assert_int_equal(set_system(&s), DV_OK);
            memset(s.b, 0, sizeof s.b);
            s.b[3] = 1.0;
            assert_int_equal(s.bench.ops->solve_flat(s.bench.self, x, s.b, N), DV_OK);
            scale_numbers(&s, -1.0);
            assert_true(is_solution(&s, x, 1e-13));
        }
        end_system(&s);
    }
}

/* At once, where the present one is factored; when it is taken, where it was made beside the steps. */
static void a_singular_matrix_is_refused_when_its_factor_is_wanted(void **state)
{
    (void)state;
    dv_log_set_handler(keep, NULL);
    System s = system_of("refresh='2'");
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    scale_numbers(&s, 0.0);
    for (int step = 1; step < 5; step++) {
        assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
        assert_int_equal(set_system(&s), step < 4 ? DV_OK : DV_ERROR_SINGULAR);
    }
    expect_said("the matrix is singular");
    end_system(&s);
    dv_text_free(&said);
    s = system_of("");
    scale_numbers(&s, 0.0);
    assert_int_equal(take(&s.bench, &s.a), DV_ERROR_SINGULAR);
    expect_said("the matrix is singular");
    end_system(&s);
    dv_text_free(&said);
    s = system_of("tolerance='1e-9'");
    double x[N];
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    scale_numbers(&s, 0.0);
    assert_int_equal(set_system(&s), DV_OK);
    assert_int_equal(solve(&s, x), DV_ERROR_SINGULAR);
    expect_said("the matrix is singular");
    end_system(&s);
}

/* The first factorization, and what each later step waits for a factor. */
static void time_of_factorizations_is_told(void **state)
{
    (void)state;
    System s = system_of("refresh='1'");
    dv_phase_enable(true);
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    for (int step = 1; step < 5; step++) {
        assert_int_equal(dv_scene_step(s.bench.scene, 0), DV_OK);
        assert_int_equal(set_system(&s), DV_OK);
    }
    uint64_t calls = 0, all = 0;
    const char *name;
    double seconds;
    for (size_t i = 0; (name = dv_phase_at(i, &seconds, &all)) != NULL; i++)
        calls += strcmp(name, "factorization") == 0 ? all : 0;
    dv_phase_enable(false);
    assert_int_equal(calls, 5);
    end_system(&s);
}

static void the_entries_of_the_factor_are_counted(void **state)
{
    (void)state;
    System s = system_of("");
    Bench other = open_bench("SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'", POINTS, 3);
    assert_int_equal(take(&s.bench, &s.a), DV_OK);
    assert_int_equal(take(&other, &s.a), DV_OK);
    const int32_t nonzeros = dv_data_int(dv_object_field(scene_object(s.bench.scene, "/solver"), "L_nnz"));
    assert_true(nonzeros > N);
    assert_int_equal(nonzeros, dv_data_int(dv_object_field(scene_object(other.scene, "/solver"), "L_nnz")));
    close_bench(&other);
    end_system(&s);
}

static void an_empty_system_has_no_factor(void **state)
{
    (void)state;
    dv_log_set_handler(keep, NULL);
    Bench empty = open_bench("AsyncSparseLDLSolver", 0, 3);
    for (int step = 0; step < 8; step++) {
        assert_int_equal(empty.ops->set_system(empty.self, empty.m, &empty.step, (DvFactors){.k = 1.0}), DV_OK);
        assert_int_equal(dv_scene_step(empty.scene, 0), DV_OK);
    }
    expect_said("the linear system is empty");
    close_bench(&empty);
}

#define TEST(function) cmocka_unit_test_teardown(function, end_of_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(factors_are_those_of_known_steps),
        TEST(another_system_is_factored_at_once),
        TEST(corrections_come_to_the_present_solution),
        TEST(corrections_are_conjugate),
        TEST(without_success_the_present_matrix_is_factored),
        TEST(a_singular_matrix_is_refused_when_its_factor_is_wanted),
        TEST(time_of_factorizations_is_told),
        TEST(the_entries_of_the_factor_are_counted),
        TEST(an_empty_system_has_no_factor),
    };
    return cmocka_run_group_tests(tests, start, stop_plugins);
}
