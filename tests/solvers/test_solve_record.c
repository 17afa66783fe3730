/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solves that end with more left than was asked are counted, by their worst and its step; those that end well are not, whatever ended
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/solve_record.h>
#include <divan/divan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_text.h"
#include "share.h"

static const DvSolveRecord *record_of(const DvScene *scene, const char *path)
{
    DvObject *object = scene_object(scene, path);
    const DvSolveRecordOps *ops = dv_object_ops(object, DV_SOLVE_RECORD);
    assert_non_null(ops);
    return ops->record(dv_object_self(object));
}

static void expect_remedy(const DvScene *scene, const char *path, const char *part)
{
    DvObject *object = scene_object(scene, path);
    const DvSolveRecordOps *ops = dv_object_ops(object, DV_SOLVE_RECORD);
    DvText text = {0};
    ops->remedy(dv_object_self(object), &text);
    assert_non_null(strstr(text.at, part));
    dv_text_free(&text);
}

static void ignore(const DvMessage *message, void *context)
{
    (void)message, (void)context;
}

static DvScene *after(const char *text, int steps)
{
    DvScene *scene = scene_from_text(text);
    dv_log_set_handler(ignore, NULL);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    return scene;
}

/* tests/errors/cg_stops_early.scn: a steel beam that bends by its weight. */
static DvScene *steel_beam(const char *solver, int steps)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 -9.81 0' dt='0.01'><DefaultAnimationLoop/>"
             "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>%s"
             "<RegularGridTopology n='21 3 3' min='0 0 0' max='1 0.1 0.1'/><MechanicalObject name='s'/>"
             "<MeshMatrixMass massDensity='7800' lumping='1'/><BoxROI name='left' box='-0.01 -1 -1 0.01 1 1'/>"
             "<FixedProjectiveConstraint indices='@left.indices'/>"
             "<HexahedronFEMForceField youngModulus='2.1e11' poissonRatio='0'/></Node>",
             solver);
    return after(text, steps);
}

static double tip(const DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/s"), DV_POSITION).at[3 * 20 + 1];
}

static void a_solve_that_iterations_end_is_counted(void **state)
{
    (void)state;
    DvScene *scene = steel_beam("<CGLinearSolver name='cg' iterations='25' tolerance='1e-9' threshold='1e-9'/>", 200);
    const DvSolveRecord *record = record_of(scene, "/cg");
    assert_true(tip(scene) > -3.5e-5); /* 40 % off */
    assert_int_equal(record->solves, 200);
    assert_true(record->unsolved > 190 && record->worst > 1.0 && record->worst_asked == 1e-9);
    assert_true(record->worst_step >= 1 && record->worst_step <= 200);
    expect_remedy(scene, "/cg", "raise its iterations, of which 25");
    dv_scene_reset(scene);
    assert_int_equal(record->solves + record->unsolved + record->worst_step, 0);
    dv_scene_free(scene);
    scene = steel_beam("<CGLinearSolver name='cg' iterations='50' tolerance='1e-9' threshold='1e-9'/>", 200);
    assert_true(fabs(tip(scene) / -4.895e-5 - 1.0) > 0.03 && record_of(scene, "/cg")->unsolved > 100);
    dv_scene_free(scene);
}

/* The threshold ends most of these, near rest: what they leave is nothing against the weight. */
static void a_solve_that_ends_near_rest_is_not(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<CGLinearSolver name='cg' iterations='300' tolerance='1e-9' threshold='1e-9'/>",
        "<CGLinearSolver name='cg' iterations='300' tolerance='1e-9' threshold='1e-20'/>",
        "<CGLinearSolver name='cg' iterations='300' tolerance='1e-9' threshold='1e-20' warmStart='1'/>",
        "<PCGLinearSolver name='cg' iterations='400' tolerance='1e-18'/>",
        "<SparseLDLSolver name='cg'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        DvScene *scene = steel_beam(solvers[i], 200);
        assert_true(fabs(tip(scene) / -4.8947e-5 - 1.0) < 1e-4);
        assert_int_equal(record_of(scene, "/cg")->unsolved, 0);
        dv_scene_free(scene);
    }
}

/* A load that comes in the middle of a run: the step says when. */
static void a_late_solve_is_named_by_its_step(void **state)
{
    (void)state;
    DvScene *scene = steel_beam("<CGLinearSolver name='cg' iterations='300' tolerance='1e-9' threshold='1e-9'/>", 30);
    dv_data_set_uint(dv_object_field(scene_object(scene, "/cg"), "iterations"), 3);
    const double up[3] = {0, 9.81, 0};
    dv_node_set_gravity(dv_scene_root(scene), up);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(record_of(scene, "/cg")->unsolved, 1);
    assert_int_equal(record_of(scene, "/cg")->worst_step, 31);
    dv_scene_free(scene);
}

/* Grams and millimetres: the threshold is not relative. */
static void a_solve_that_the_threshold_ends_is_counted(void **state)
{
    (void)state;
    DvScene *scene =
        after("<Node name='root' dt='0.001' gravity='0 -9.81 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
              "<CGLinearSolver name='cg' iterations='25' tolerance='1e-9' threshold='1e-5'/>"
              "<MechanicalObject name='s' position='0 0 0'/><UniformMass totalMass='0.001'/></Node>",
              10);
    const DvSolveRecord *record = record_of(scene, "/cg");
    assert_int_equal(record->unsolved, 9); /* the first is never refused */
    assert_true(fabs(record->worst - 1.0) < 1e-9);
    assert_int_equal(record->worst_step, 2);
    expect_remedy(scene, "/cg", "lower its threshold, which ended all of them");
    dv_scene_free(scene);
}

static void count_warnings(const DvMessage *message, void *context)
{
    *(int *)context += message->level >= DV_LEVEL_WARNING && !message->harmless;
}

/* Two points and a spring at its length: warnings of `steps` steps, and solves that are not as asked. */
static int findings(const char *solver, const char *gravity, double place, double velocity, double mass, int steps)
{
    char text[1000];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.01' gravity='%s'><DefaultAnimationLoop/><EulerImplicitSolver/>%s"
             "<MechanicalObject name='s' position='%.17g 0.2 0.3 %.17g 0.2 0.3' velocity='%g 0.3 0 %g 0.3 0'/>"
             "<UniformMass totalMass='%g'/><MeshTopology edges='0 1'/><MeshSpringForceField stiffness='1000'/></Node>",
             gravity, solver, place, place + 1.0, velocity, velocity, mass);
    DvScene *scene = scene_from_text(text);
    int told = 0;
    dv_log_set_handler(count_warnings, &told);
    for (int i = 0; i < steps; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    const int unsolved = (int)record_of(scene, "/cg")->unsolved;
    dv_scene_free(scene);
    return told + unsolved;
}

/* What a drifting body has for forces is rounding, wherever it is; a weight is none, even of grams and far away. */
static void forces_of_rounding_are_none(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<CGLinearSolver name='cg' iterations='25' tolerance='1e-5' threshold='1e-5'/>",
        ("<CGLinearSolver name='cg' iterations='25' tolerance='1e-5' threshold='1e-5' "
         "template='CompressedRowSparseMatrixMat3x3d'/>"),
        "<CGLinearSolver name='cg' iterations='1' tolerance='1e-12' threshold='1e-60'/>",
        "<PCGLinearSolver name='cg' iterations='1' tolerance='1e-24'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        for (double place = 0.1; place < 1e4; place *= 10.0) {
            assert_int_equal(findings(solvers[i], "0 0 0", place, 1.0, 1.0, 200), 0);
            assert_int_equal(findings(solvers[i], "0 0 0", place, 0.0, 1.0, 200), 0);
            if (i < 2) /* told once, and all but the first solve */
                assert_int_equal(findings(solvers[i], "0 -9.81 0", place, 1.0, 0.002, 20), 20);
        }
}

static void what_preconditioning_leaves_is_counted(void **state)
{
    (void)state;
    DvScene *scene = steel_beam("<PCGLinearSolver name='cg' iterations='5' tolerance='1e-18'/>", 10);
    assert_true(record_of(scene, "/cg")->unsolved >= 9 && record_of(scene, "/cg")->worst > 0.01);
    dv_scene_free(scene);
}

/* ---- Constraints ---- */

/* A chain of points, tied one to the other, that hangs from the first. */
static void constraint_solvers_count_too(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='c' maxIterations='%d' tolerance='1e-10'/>",
        "<FreeMotionAnimationLoop/><NNCGConstraintSolver name='c' maxIterations='%d' tolerance='1e-10'/>",
        "<FreeMotionAnimationLoop/><UnbuiltGaussSeidelConstraintSolver name='c' maxIterations='%d' tolerance='1e-10'/>",
        "<ConstraintAnimationLoop name='c' maxIterations='%d' tolerance='1e-10'/>",
    };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        for (int enough = 0; enough <= 1; enough++) {
            DvText text = {0};
            const char *form = solvers[i], *gap = strstr(form, "%d");
            dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -10 0'>%.*s%d%s", (int)(gap - form), form,
                        enough ? 20000 : 3, gap + 2);
            dv_text_add(&text,
                        "<Node name='Body'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' "
                        "threshold='1e-30'/><MechanicalObject name='s' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0'/>"
                        "<UniformMass vertexMass='1'/><UncoupledConstraintCorrection compliance='1e-2'/>"
                        "<FixedLagrangianConstraint indices='0'/></Node>");
            for (int p = 0; p < 4; p++)
                dv_text_add(&text,
                            "<BilateralLagrangianConstraint object1='@Body/s' object2='@Body/s' first_point='%d' "
                            "second_point='%d' rest_vector='1 0 0'/>",
                            p, p + 1);
            dv_text_add(&text, "</Node>");
            DvScene *scene = after(text.at, 5);
            const DvSolveRecord *record = record_of(scene, "/c");
            assert_int_equal(record->solves, 5);
            assert_int_equal(record->unsolved, enough ? 0 : 5);
            assert_true(enough || record->worst > 1e-9);
            assert_int_equal(record->told, !enough); /* by the solver, in the first step: hosts do not say it again */
            dv_text_free(&text);
            dv_scene_free(scene);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solve_that_iterations_end_is_counted),
        cmocka_unit_test(a_solve_that_ends_near_rest_is_not),
        cmocka_unit_test(a_late_solve_is_named_by_its_step),
        cmocka_unit_test(a_solve_that_the_threshold_ends_is_counted),
        cmocka_unit_test(forces_of_rounding_are_none),
        cmocka_unit_test(what_preconditioning_leaves_is_counted),
        cmocka_unit_test(constraint_solvers_count_too),
    };
    return share_run_group_tests(tests, start_plugins, stop_plugins);
}
