/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solves that stay on a device, by PCGLinearSolver without a preconditioner and with those of diagonal blocks or by a factor: the result is that of the host,
 * batches do not show, and nothing comes home in an iteration.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/solver.h>
#include <divan/log.h>

#include "device_scenes.h"

#define PCG(MORE)                                                                      \
    "<EulerImplicitSolver name='euler' rayleighStiffness='0.05' rayleighMass='0.05'/>" \
    "<PCGLinearSolver name='cg' iterations='200' tolerance='1e-26' " MORE "/>"
#define OFTEN  "linearSystem='@often'"
#define SYSTEM "<PreconditionedMatrixFreeSystem name='often' assemblingRate='%d'/>"
#define LOADED "<PlaneForceField normal='0 1 0' d='-0.05' stiffness='300' damping='1'/>"

/* The body of a PCG, its preconditioner behind: built anew in each so many steps. */
static const char *const solvers[] = {
    SYSTEM PCG(OFTEN),
    SYSTEM PCG("preconditioner='@inverse' " OFTEN) "<JacobiPreconditioner name='inverse'/>",
    SYSTEM PCG("preconditioner='@inverse' " OFTEN) "<BlockJacobiPreconditioner name='inverse'/>",
    SYSTEM PCG("preconditioner='@inverse' " OFTEN) "<AsyncSparseLDLSolver name='inverse' refresh='2'/>",
    SYSTEM PCG("preconditioner='@inverse' " OFTEN) "<SparseLDLSolver name='inverse'/>",
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static DvScene *scene_of(int solver, int rate, const char *word)
{
    char text[1024], format[4096];
    (void)snprintf(text, sizeof text, solvers[solver], rate);
    const char *all = BEAM("$", LOADED), *at = strchr(all, '$');
    (void)snprintf(format, sizeof format, "%.*s%s%s", (int)(at - all), all, text, at + 1);
    return with_template(format, word);
}

static void take_message(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

static DvSpaceCounts counts_of(const DvScene *scene)
{
    const DvStorage storage = dv_state_storage(scene_state(scene, "/Body/dofs"));
    assert_non_null(storage.space);
    return *storage.space->ops->counts(storage.space);
}

static void test_results_are_those_of_the_host(void **state)
{
    (void)state;
    static const char *const words[] = {"CudaVec3d", "CudaVec3f"};
    for (int i = 0; i < SOLVERS; i++)
        for (int k = 0; k < 4; k++) {
            const int rate = 1 + k / 2;
            DvScene *host = scene_of(i, rate, "Vec3d"), *device = scene_of(i, rate, words[k % 2]);
            if (k % 2 == 1) /* what floats can reach */
                dv_data_set_double(dv_object_field(scene_object(device, "/Body/cg"), "tolerance"), 1e-11);
            make_steps(host, 50);
            make_steps(device, 50);
            const double off = difference(host, device);
            if (!(off <= (k % 2 ? 1e-3 : 1e-9)))
                fail_msg("solver %d, %s, built anew in each %d steps: %g", i, words[k % 2], rate, off);
            dv_scene_free(device);
            dv_scene_free(host);
        }
}

/* Of few iterations: what they leave tells which inverses there were. */
static void test_few_iterations_are_those_of_the_host(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SOLVERS; i++) {
        const int solver = i / 2, rate = 1 + i % 2;
        DvScene *scenes[2] = {scene_of(solver, rate, "Vec3d"), scene_of(solver, rate, "CudaVec3d")};
        for (int k = 0; k < 2; k++) {
            dv_data_set_uint(dv_object_field(scene_object(scenes[k], "/Body/cg"), "iterations"), 3);
            make_steps(scenes[k], 10);
        }
        const double off = difference(scenes[0], scenes[1]);
        if (!(off <= 1e-8))
            fail_msg("solver %d, built anew in each %d steps: %g", solver, rate, off);
        dv_scene_free(scenes[0]);
        dv_scene_free(scenes[1]);
    }
}

static void test_batches_do_not_show(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        double first[45 * 3] = {0};
        for (int k = 0; k < 3; k++) {
            DvScene *scene = scene_of(i, 3, "CudaVec3d");
            dv_data_set_uint(dv_object_field(scene_object(scene, "/Body/cg"), "batch"), (const uint32_t[]){0, 1, 7}[k]);
            make_steps(scene, 20);
            const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
            assert_int_equal(x.count, 45);
            if (k == 0)
                memcpy(first, x.at, sizeof first);
            assert_memory_equal(first, x.at, sizeof first);
            dv_scene_free(scene);
        }
    }
}

/* Between two times that the preconditioner is built, or where the device makes its diagonal in each step: one or two batches, and the check of
 * the step. The solution, which a saved run goes on with, comes home when somebody looks. */
static void test_steps_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS + 1; i++) {
        DvScene *scene = scene_of(i % SOLVERS + i / SOLVERS, i < SOLVERS ? 1000 : 1, "CudaVec3d");
        make_steps(scene, 5);
        for (int step = 0; step < 10; step++) {
            const DvSpaceCounts before = counts_of(scene);
            make_steps(scene, 1);
            const DvSpaceCounts after = counts_of(scene);
            const uint64_t waits = after.waits - before.waits, got = after.bytes_got - before.bytes_got;
            assert_true(waits >= 2 && waits <= 3);
            assert_true(got <= (waits - 1) * DV_SLOTS * sizeof(double) + 8 * sizeof(double));
            assert_true(after.bytes_put - before.bytes_put <= 1024);
            assert_int_equal(after.allocations, before.allocations);
        }
        dv_scene_free(scene);
    }
}

/* 700 iterations have more values than slots have room for; they come home at once all the same, and what the batches are does not show. */
static void test_long_solves_are_looked_at_once(void **state)
{
    (void)state;
    enum { TURNS = 700, POINTS = 45 };
    static const char *const made[] = {
        "<EulerImplicitSolver rayleighStiffness='0.05'/><CGLinearSolver name='cg' iterations='700' tolerance='0' threshold='0'/>",
        "<EulerImplicitSolver rayleighStiffness='0.05'/><PCGLinearSolver name='cg' iterations='700' tolerance='0'/>",
    };
    for (int i = 0; i < 2; i++) {
        double found[2][POINTS * 3] = {{0}};
        for (int k = 0; k < 2; k++) {
            char format[4096];
            const char *all = BEAM("$", LOADED), *at = strchr(all, '$');
            (void)snprintf(format, sizeof format, "%.*s%s%s", (int)(at - all), all, made[i], at + 1);
            DvScene *scene = with_template(format, "CudaVec3d");
            if (k == 1)
                dv_data_set_uint(dv_object_field(scene_object(scene, "/Body/cg"), "batch"), 97);
            make_steps(scene, 3);
            const DvSpaceCounts before = counts_of(scene);
            make_steps(scene, 1);
            const DvSpaceCounts after = counts_of(scene);
            if (k == 0) {
                assert_int_equal(after.waits - before.waits, 2); /* the solve, the check */
                assert_int_equal(after.allocations, before.allocations);
            } else {
                assert_int_equal(after.waits - before.waits, 1 + (TURNS + 96) / 97);
            }
            memcpy(found[k], dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION).at, sizeof found[k]);
            dv_scene_free(scene);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
    }
}

static const double *solution_of(const DvScene *scene)
{
    size_t count;
    const double *numbers = dv_data_doubles(dv_object_field(scene_object(scene, "/Body/euler"), "solution"), &count);
    assert_int_equal(count, 45 * 3);
    return numbers;
}

/* Once for each step, the first too, in which the device makes the diagonal. */
static void test_the_solution_comes_home_when_somebody_looks(void **state)
{
    (void)state;
    enum { RATE = 1000 };
    DvScene *device = scene_of(1, RATE, "CudaVec3d"), *host = scene_of(1, RATE, "Vec3d"),
            *alone = scene_of(1, RATE, "CudaVec3d");
    for (int step = 0; step < 6; step++) {
        make_steps(device, 1);
        make_steps(host, 1);
        make_steps(alone, 1);
        const uint64_t before = counts_of(device).bytes_got;
        const double *found = solution_of(device), *right = solution_of(host);
        assert_int_equal(counts_of(device).bytes_got - before, 45 * 3 * sizeof(double));
        assert_ptr_equal(solution_of(device), found);
        assert_int_equal(counts_of(device).bytes_got - before, 45 * 3 * sizeof(double));
        double largest = 0.0;
        for (int i = 0; i < 45 * 3; i++) {
            assert_true(fabs(found[i] - right[i]) <= 1e-9);
            largest = fmax(largest, fabs(found[i]));
        }
        assert_true(largest > 1e-3);
    }
    assert_true(difference(device, alone) == 0.0); /* that somebody looked does not show */
    dv_scene_free(alone);
    dv_scene_free(device);
    dv_scene_free(host);
}

/* Two points on a spring and a third one, without a mass, on nothing. */
#define LOOSE(HELD)                                                                                                                                     \
    "<Node name='root' dt='0.01' gravity='0 -9 0'><DefaultAnimationLoop/><Node name='Body'><EulerImplicitSolver/>"                                      \
    "<PCGLinearSolver name='cg' iterations='20' tolerance='1e-20' preconditioner='@inverse'/>"                                                          \
    "<JacobiPreconditioner name='inverse'/><MeshTopology position='0 0 0  1 0 0  2 0 0' edges='0 1 1 2'/><MechanicalObject name='dofs' template='%s'/>" \
    "<DiagonalMass vertexMass='1 1 0'/><SpringForceField spring='0 1 50 0.1 0.9'/>"                                                                     \
    "<FixedProjectiveConstraint indices='" HELD "'/></Node></Node>"

/* What holds such a point makes the matrix regular; else the preconditioner says what is wrong, as on the host. */
static void test_points_without_stiffness(void **state)
{
    (void)state;
    DvScene *host = with_template(LOOSE("0 2"), "Vec3d"), *device = with_template(LOOSE("0 2"), "CudaVec3d");
    make_steps(host, 20);
    make_steps(device, 20);
    assert_true(difference(host, device) <= 1e-9);
    dv_scene_free(host);
    dv_scene_free(device);
    for (int k = 0; k < 2; k++) {
        DvScene *scene = with_template(LOOSE("0"), k ? "CudaVec3d" : "Vec3d");
        DvText said = {0};
        dv_log_set_handler(take_message, &said);
        assert_int_not_equal(dv_scene_step(scene, 0), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_non_null(said.at);
        if (!strstr(said.at, "JacobiPreconditioner 'inverse'") || !strstr(said.at, "singular"))
            fail_msg("%s", said.at);
        dv_text_free(&said);
        dv_scene_free(scene);
    }
}

/* A preconditioner that is asked by somebody else too is built on the host as it always was. */
static void test_a_preconditioner_is_built_for_others(void **state)
{
    (void)state;
    static const char format[] =
        BEAM("<EulerImplicitSolver/><PCGLinearSolver name='cg' iterations='200' tolerance='1e-26' "
             "preconditioner='@inverse'/><JacobiPreconditioner name='inverse'/>",
             LOADED "<LinearSolverConstraintCorrection linearSolver='@inverse'/>");
    enum { NUMBERS = 45 * 3 };
    double b[NUMBERS], x[2][NUMBERS];
    for (int k = 0; k < 2; k++) {
        DvScene *scene = with_template(format, k ? "CudaVec3d" : "Vec3d");
        make_steps(scene, 2);
        DvObject *inverse = scene_object(scene, "/Body/inverse");
        const DvLinearSolverOps *ops = dv_object_ops(inverse, DV_LINEAR_SOLVER);
        for (int i = 0; i < NUMBERS; i++)
            b[i] = 1.0;
        assert_int_equal(ops->solve_flat(dv_object_self(inverse), x[k], b, NUMBERS), DV_OK);
        dv_scene_free(scene);
    }
    for (int i = 0; i < NUMBERS; i++)
        assert_true(x[0][i] > 0.0 && fabs(x[1][i] - x[0][i]) <= 1e-9 * x[0][i]);
}

static int start_with_device(void **state)
{
    return setenv("DIVAN_DEVICE", "emulated", 1) == 0 ? start_plugins(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_are_those_of_the_host),
        cmocka_unit_test(test_few_iterations_are_those_of_the_host),
        cmocka_unit_test(test_points_without_stiffness),
        cmocka_unit_test(test_a_preconditioner_is_built_for_others),
        cmocka_unit_test(test_batches_do_not_show),
        cmocka_unit_test(test_steps_are_counted),
        cmocka_unit_test(test_long_solves_are_looked_at_once),
        cmocka_unit_test(test_the_solution_comes_home_when_somebody_looks),
    };
    return cmocka_run_group_tests(tests, start_with_device, stop_plugins);
}
