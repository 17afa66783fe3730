/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factors that are made beside the steps: the same bits for any number of threads, launch after launch; a linear body moves as with a factor
 * of its own, a turning one too when solutions are corrected; a scene ends with a factor under way; no step after the first allocates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"
#include "share.h"

#include <divan/memory.h>
#include <divan/moment.h>
#include <divan/parallel.h>
#include <divan/scene.h>

#define BEAM(solver, method)                                                                            \
    "<Node name='root' dt='0.02' gravity='0 -4 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver \
    "<RegularGridTopology n='3 3 10' min='0 0 0' max='2 2 9'/><MechanicalObject name='dofs'/>"          \
    "<UniformMass totalMass='90'/><FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"             \
    "<HexahedronFEMForceField youngModulus='9000' poissonRatio='0.3' method='" method "'/></Node>"
#define WARPED                                                                     \
    "<PCGLinearSolver iterations='200' tolerance='1e-20' preconditioner='@warp'/>" \
    "<RotationMatrixSystem assemblingRate='7'/><AsyncSparseLDLSolver name='async'/><WarpPreconditioner name='warp' linearSolver='@async'/>"

enum { NUMBERS = 3 * 9 * 10, STEPS = 23 };

static void run(const char *text, unsigned threads, double x[NUMBERS])
{
    dv_parallel_set_threads(threads);
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    memcpy(x, dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, NUMBERS * sizeof *x);
    dv_scene_free(scene);
    dv_parallel_set_threads(1);
}

static void runs_repeat_bit_for_bit(void **state)
{
    static const char *const scenes[] = {
        BEAM("<AsyncSparseLDLSolver/>", "large"), BEAM("<AsyncSparseLDLSolver refresh='1'/>", "large"),
        BEAM("<AsyncSparseLDLSolver tolerance='1e-8'/>", "large"), BEAM(WARPED, "large")};
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        double x[NUMBERS], first[NUMBERS];
        run(scenes[s], 1, first);
        for (unsigned launch = 0; launch < 20; launch++) {
            run(scenes[s], (const unsigned[]){2, 8, 3, 2}[launch % 4], x);
            assert_memory_equal(x, first, sizeof x);
        }
    }
}

static void expect_near(const char *text, const char *method_text, double bound)
{
    double x[NUMBERS], expected[NUMBERS], off = 0.0, moved = 0.0;
    run(text, 2, x);
    run(method_text, 1, expected);
    for (size_t i = 0; i < NUMBERS; i++) {
        off = fmax(off, fabs(x[i] - expected[i]));
        moved = fmax(moved, fabs(expected[i] - round(expected[i])));
    }
    assert_true(moved > 0.1);
    if (!(off < bound))
        fail_msg("%g off, of a motion of %g: %s", off, moved, text);
}

static void motions_are_those_of_a_factor_of_each_step(void **state)
{
    (void)state;
    expect_near(BEAM("<AsyncSparseLDLSolver/>", "small"), BEAM("<SparseLDLSolver/>", "small"), 1e-10);
    expect_near(BEAM("<AsyncSparseLDLSolver tolerance='1e-9'/>", "large"), BEAM("<SparseLDLSolver/>", "large"), 1e-6);
    expect_near(BEAM(WARPED, "large"), BEAM("<SparseLDLSolver/>", "large"), 1e-6);
}

/* With refresh 1 the second and third step have the first factor, then each that of the step before. Uncorrected it is near, not the same. */
static void a_factor_is_that_of_an_earlier_step(void **state)
{
    double x[NUMBERS], exact[NUMBERS], off = 0.0;
    (void)state;
    run(BEAM("<AsyncSparseLDLSolver refresh='1'/>", "large"), 2, x);
    run(BEAM("<SparseLDLSolver/>", "large"), 1, exact);
    for (size_t i = 0; i < NUMBERS; i++)
        off = fmax(off, fabs(x[i] - exact[i]));
    assert_true(off > 1e-9 && off < 0.1);
}

static void a_scene_ends_with_a_factor_under_way(void **state)
{
    (void)state;
    dv_parallel_set_threads(2);
    for (int steps = 0; steps < 14; steps++) {
        DvScene *scene = scene_from_text(BEAM("<AsyncSparseLDLSolver/>", "large"));
        for (int i = 0; i < steps; i++)
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        if (steps % 2) {
            dv_scene_reset(scene);
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        }
        dv_scene_free(scene);
    }
    dv_parallel_set_threads(1);
}

static void no_step_after_the_first_allocates(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        dv_parallel_set_threads(threads);
        DvScene *scene = scene_from_text(BEAM("<AsyncSparseLDLSolver/>", "large"));
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        const uint64_t before = dv_allocation_count();
        for (int i = 0; i < 22; i++)
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        assert_int_equal(dv_allocation_count() - before, 0);
        dv_scene_free(scene);
    }
    dv_parallel_set_threads(1);
}

/* A moment in each step: from there on as if nothing had been, with factors under way and without. */
static void a_run_goes_back_to_any_step(void **state)
{
    static const char *const scenes[] = {BEAM("<AsyncSparseLDLSolver/>", "large"),
                                         BEAM("<AsyncSparseLDLSolver refresh='1'/>", "large"),
                                         BEAM("<AsyncSparseLDLSolver refresh='3' tolerance='1e-8'/>", "large"),
                                         BEAM("<AsyncSparseLDLSolver precomputeSymbolicDecomposition='0'/>", "large")};
    enum { MOMENTS = 12, MORE = 9 };
    (void)state;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        double x[MOMENTS + MORE][NUMBERS];
        DvMoment *moments[MOMENTS];
        dv_parallel_set_threads(2);
        DvScene *scene = scene_from_text(scenes[s]);
        const DvStateRef dofs = scene_state(scene, "/dofs");
        for (int i = 0; i < MOMENTS + MORE; i++) {
            if (i < MOMENTS) {
                moments[i] = dv_moment_new(scene);
                assert_int_equal(dv_moment_take(moments[i]), DV_OK);
            }
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
            memcpy(x[i], dv_state_read(dofs, DV_POSITION).at, sizeof x[i]);
        }
        for (int i = MOMENTS - 1; i >= 0; i--) {
            assert_int_equal(dv_moment_restore(moments[i]), DV_OK);
            for (int k = i; k < i + MORE; k++) {
                assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
                if (memcmp(x[k], dv_state_read(dofs, DV_POSITION).at, sizeof x[k]) != 0)
                    fail_msg("scene %zu, from step %d: another position in step %d", s, i, k);
            }
        }
        for (int i = 0; i < MOMENTS; i++)
            dv_moment_free(moments[i]);
        dv_scene_free(scene);
        dv_parallel_set_threads(1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_repeat_bit_for_bit),
        cmocka_unit_test(motions_are_those_of_a_factor_of_each_step),
        cmocka_unit_test(a_factor_is_that_of_an_earlier_step),
        cmocka_unit_test(a_scene_ends_with_a_factor_under_way),
        cmocka_unit_test(no_step_after_the_first_allocates),
        cmocka_unit_test(a_run_goes_back_to_any_step),
    };
    return share_run_group_tests(tests, NULL, NULL);
}
