/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inverses that are made once: against elimination, as solutions of a linear body for ever, and their files: what is read is what was made,
 * what does not fit is made anew and said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "linear_solver_conformance.h"
#include "random_matrix.h"
#include "scene_text.h"

#include <divan/contracts/solver.h>
#include <divan/memory.h>
#include <divan/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

LINEAR_SOLVER_CONFORMANCE(the_inverse_solves, .solver = "<PrecomputedLinearSolver name='solver' use_file='0'/>",
                          .residual = 1e-12)
#define PRECONDITIONED(attributes)                                                          \
    "<PCGLinearSolver name='solver' iterations='3' tolerance='1e-28' preconditioner='@p'/>" \
    "<PrecomputedWarpPreconditioner name='p' use_file='0' use_rotations='0' " attributes "/>"
LINEAR_SOLVER_CONFORMANCE(the_inverse_preconditions, .solver = PRECONDITIONED(""), .residual = 1e-12)
LINEAR_SOLVER_CONFORMANCE(the_inverse_of_another_solver_preconditions,
                          .solver = PRECONDITIONED("linearSolver='@l'") "<SparseLDLSolver name='l'/>",
                          .residual = 1e-12)

/* A beam that nothing bends far: small displacements, so that its matrix stays. */
#define BEAM(solver, nodes, young)                                                                      \
    "<Node name='root' dt='0.02' gravity='0 -1 0'><DefaultAnimationLoop/><EulerImplicitSolver/>" solver \
    "<RegularGridTopology n='3 3 " nodes "' min='0 0 0' max='2 2 9'/><MechanicalObject name='dofs'/>"   \
    "<UniformMass totalMass='90'/><FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"             \
    "<HexahedronFEMForceField youngModulus='" young "' poissonRatio='0.3' method='small'/></Node>"

enum { NUMBERS = 3 * 9 * 10 };

static size_t run(const char *text, int steps, double x[NUMBERS])
{
    DvScene *scene = scene_from_text(text);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
    const DvConstVec at = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION);
    const size_t numbers = (size_t)at.count * at.dim;
    assert_true(numbers <= NUMBERS);
    memcpy(x, at.at, numbers * sizeof *x);
    dv_scene_free(scene);
    return numbers;
}

static void a_linear_body_moves_as_with_a_factor(void **state)
{
    (void)state;
    double x[NUMBERS], expected[NUMBERS];
    const size_t n = run(BEAM("<SparseLDLSolver/>", "10", "3000"), 30, expected);
    assert_int_equal(run(BEAM("<PrecomputedLinearSolver use_file='0'/>", "10", "3000"), 30, x), n);
    double moved = 0.0;
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(x[i] - expected[i]) < 1e-10);
        moved = fmax(moved, fabs(x[i] - expected[i]));
    }
    assert_true(moved > 0.0); /* it is another way to the same */
}

/* ---- Files ---- */

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/divan-inverse-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    *state = folder;
    return 0;
}

static int leave_folder(void **state)
{
    unlink("root-270-0.02.comp");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(*state), 0);
    free(*state);
    return 0;
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
}

/* Runs and collects what is said. */
static void run_and_hear(const char *text, double x[NUMBERS], DvText *said)
{
    dv_text_free(said);
    dv_log_set_handler(collect, said);
    (void)run(text, 3, x);
    dv_log_set_handler(NULL, NULL);
}

static void change_file(long at, double number, long size)
{
    FILE *file = fopen("root-270-0.02.comp", "r+b");
    assert_non_null(file);
    if (size > 0) {
        assert_int_equal(ftruncate(fileno(file), size), 0);
    } else {
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
    }
    fclose(file);
}

static void check_files(const char *with, const char *without, const char *other_body, const char *other_without)
{
    double expected[NUMBERS], x[NUMBERS];
    DvText said = {0};
    run_and_hear(without, expected, &said);
    assert_int_equal(access("root-270-0.02.comp", F_OK), -1);
    for (int pass = 0; pass < 2; pass++) { /* made and written, then read */
        run_and_hear(with, x, &said);
        assert_memory_equal(x, expected, sizeof x);
        assert_null(said.at ? strstr(said.at, "anew") : NULL);
        assert_int_equal(access("root-270-0.02.comp", F_OK), 0);
    }
    change_file(8 * (200 * 270 + 150), 1e-3, 0); /* one number is another */
    run_and_hear(with, x, &said);
    assert_memory_equal(x, expected, sizeof x);
    assert_non_null(strstr(said.at, "'root-270-0.02.comp' is not the inverse of this matrix"));
    run_and_hear(with, x, &said); /* it has been mended */
    assert_true(said.at == NULL || strstr(said.at, "anew") == NULL);
    change_file(8 * (200 * 270 + 150), NAN, 0);
    run_and_hear(with, x, &said);
    assert_memory_equal(x, expected, sizeof x);
    assert_non_null(strstr(said.at, "has numbers that are not finite"));
    change_file(0, 0.0, 8 * 100);
    run_and_hear(with, x, &said);
    assert_memory_equal(x, expected, sizeof x);
    assert_non_null(strstr(said.at, "is of another system: it has 800 bytes, 270 unknowns have 583200"));
    run_and_hear(other_without, expected, &said); /* a body of another stiffness has a file of the same name */
    run_and_hear(other_body, x, &said);
    assert_memory_equal(x, expected, sizeof x);
    assert_non_null(strstr(said.at, "is not the inverse of this matrix"));
    dv_text_free(&said);
}

static void files_of_inverses_are_checked(void **state)
{
    (void)state;
    check_files(BEAM("<PrecomputedLinearSolver/>", "10", "3000"),
                BEAM("<PrecomputedLinearSolver use_file='0'/>", "10", "3000"),
                BEAM("<PrecomputedLinearSolver/>", "10", "9000"),
                BEAM("<PrecomputedLinearSolver use_file='0'/>", "10", "9000"));
}

#define WARP(attributes)                                                        \
    "<PCGLinearSolver iterations='100' tolerance='1e-20' preconditioner='@p'/>" \
    "<PrecomputedWarpPreconditioner name='p' " attributes "/>"

static void files_of_preconditioners_are_checked(void **state)
{
    (void)state;
    check_files(BEAM(WARP(""), "10", "3000"), BEAM(WARP("use_file='0'"), "10", "3000"), BEAM(WARP(""), "10", "9000"),
                BEAM(WARP("use_file='0'"), "10", "9000"));
}

/* ---- Bodies that turn ---- */

#define SWINGING(solver)                                                                                                   \
    "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver linearSolver='@s'/>" solver \
    "<RegularGridTopology n='3 3 10' min='0 0 0' max='2 2 9'/><MechanicalObject name='dofs'/>"                             \
    "<UniformMass totalMass='90'/><FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"                                \
    "<TetrahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/></Node>"

/* The inverse of the first step serves a beam that hangs down after fifty: with rotations in fewer products, without in more. */
static void an_inverse_turns_with_its_body(void **state)
{
    (void)state;
    double x[NUMBERS], expected[NUMBERS];
    const size_t n = run(SWINGING("<SparseLDLSolver name='s'/>"), 50, expected);
    uint32_t products[2];
    for (int turns = 0; turns < 2; turns++) {
        char text[2048];
        snprintf(text, sizeof text,
                 SWINGING("<PCGLinearSolver name='s' iterations='300' tolerance='1e-20' preconditioner='@p'/>"
                          "<PrecomputedWarpPreconditioner name='p' use_file='0' use_rotations='%d'/>"),
                 turns);
        DvScene *scene = scene_from_text(text);
        for (int i = 0; i < 50; i++)
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
        memcpy(x, dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, n * sizeof *x);
        products[turns] = dv_data_uint(dv_object_field(scene_object(scene, "/s"), "products"));
        dv_scene_free(scene);
        for (size_t i = 0; i < n; i++)
            if (!(fabs(x[i] - expected[i]) < 1e-6))
                fail_msg("%d: number %zu is %g, with a factor %g; %u products", turns, i, x[i], expected[i],
                         products[turns]);
    }
    assert_true(expected[n - 2] < -2.0);
    if (!(2 * products[1] < products[0]))
        fail_msg("%u products with rotations, %u without", products[1], products[0]);
}

/* Other factors, as of another dt, and another number of unknowns have another inverse. */
static void an_inverse_is_that_of_its_time_step(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(BEAM("<PrecomputedLinearSolver use_file='0'/>", "10", "3000"));
    DvScene *other = scene_from_text(BEAM("<SparseLDLSolver/>", "10", "3000"));
    for (int i = 0; i < 6; i++) {
        const double dt = i < 3 ? 0.02 : 0.05;
        assert_int_equal(dv_scene_step(scene, dt), DV_OK);
        assert_int_equal(dv_scene_step(other, dt), DV_OK);
    }
    const double *x = dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at,
                 *expected = dv_state_read(scene_state(other, "/dofs"), DV_POSITION).at;
    for (size_t i = 0; i < NUMBERS; i++)
        assert_true(fabs(x[i] - expected[i]) < 1e-10);
    dv_scene_free(other);
    dv_scene_free(scene);
}

/* A run that is saved after ten steps and loaded again goes on with the inverse of its first one: the same bits. */
static void an_inverse_outlives_a_saved_run(void **state)
{
    static const char *const solvers[] = {
        "<PrecomputedLinearSolver name='s' use_file='0'/>",
        "<PCGLinearSolver name='s' iterations='3' tolerance='1e-20' preconditioner='@p'/>"
        "<PrecomputedWarpPreconditioner name='p' use_file='0'/>",
        "<PCGLinearSolver name='s' iterations='3' tolerance='1e-20' preconditioner='@p'/><SparseLDLSolver name='l'/>"
        "<PrecomputedWarpPreconditioner name='p' use_file='0' linearSolver='@l'/>"};
    const char *file = "/tmp/divan-inverse-saved.scn";
    (void)state;
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        char text[2048];
        double x[NUMBERS];
        snprintf(text, sizeof text, SWINGING("%s"), solvers[s]);
        DvScene *scene = scene_from_text(text), *loaded = NULL;
        for (int i = 0; i < 20; i++) {
            assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
            if (i == 9)
                assert_int_equal(dv_scene_save(scene, file), DV_OK);
        }
        memcpy(x, dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at, sizeof x);
        dv_scene_free(scene);
        assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
        for (int i = 0; i < 10; i++)
            assert_int_equal(dv_scene_step(loaded, 0.0), DV_OK);
        assert_memory_equal(dv_state_read(scene_state(loaded, "/dofs"), DV_POSITION).at, x, sizeof x);
        dv_scene_free(loaded);
        unlink(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inverse_solves),
        cmocka_unit_test(the_inverse_preconditions),
        cmocka_unit_test(the_inverse_of_another_solver_preconditions),
        cmocka_unit_test(a_linear_body_moves_as_with_a_factor),
        cmocka_unit_test_setup_teardown(files_of_inverses_are_checked, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(files_of_preconditioners_are_checked, enter_folder, leave_folder),
        cmocka_unit_test(an_inverse_turns_with_its_body),
        cmocka_unit_test(an_inverse_is_that_of_its_time_step),
        cmocka_unit_test(an_inverse_outlives_a_saved_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
