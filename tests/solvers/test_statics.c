/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StaticSolver and NewtonRaphsonSolver on equilibria that are known: hanging springs, two springs pulled sideways (a cubic
 * equation), a beam's weight in its supports; how solves end, in parts and as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/solve_record.h>
#include <divan/divan.h>
#include <divan/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_text.h"

static char said[8192];

static void listen(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    strncat(said, text.at, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
    dv_text_free(&text);
}

/* `count` steps; the status of the last one, and what was said. */
static DvStatus run(DvScene *scene, int count)
{
    DvStatus status = DV_OK;
    said[0] = '\0';
    dv_log_set_handler(listen, NULL);
    for (int i = 0; i < count && status == DV_OK; i++)
        status = dv_scene_step(scene, 0);
    dv_log_set_handler(NULL, NULL);
    return status;
}

static void expect_said(const char *part)
{
    if (!strstr(said, part))
        fail_msg("'%s' is not in: %s", part, said);
}

static const double *positions(const DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/s"), DV_POSITION).at;
}

static const char *field_text(const DvScene *scene, const char *path, const char *field)
{
    return dv_data_string(dv_object_field(scene_object(scene, path), field));
}

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* Point 1 between 0 and 2, which are fixed at -1 and 1; springs of stiffness 4000 and length 1; a small spring to the start, and a
 * load sideways. */
enum { K = 4000 };
static DvScene *cable(const char *newton, const char *statics, double load)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><NewtonRaphsonSolver name='newton' %s/>"
             "<StaticSolver name='static' %s/><SparseLDLSolver/>"
             "<MechanicalObject name='s' position='-1 0 0  0 0 0  1 0 0'/><UniformMass totalMass='3'/>"
             "<FixedProjectiveConstraint indices='0 2'/>"
             "<SpringForceField spring='0 1 %d 0 1  1 2 %d 0 1'/><RestShapeSpringsForceField points='1' stiffness='2'/>"
             "<ConstantForceField indices='1' forces='0 %.17g 0'/></Node>",
             newton, statics, (int)K, (int)K, load);
    return scene_from_text(text);
}

/* 2 K (1 - 1 / L) y + 2 y = load with L = sqrt(1 + y^2), by bisection. */
static double cable_sag(double load)
{
    double low = 0.0, high = 10.0;
    for (int i = 0; i < 200; i++) {
        const double y = 0.5 * (low + high), force = 2.0 * K * (1.0 - 1.0 / sqrt(1.0 + y * y)) * y + 2.0 * y;
        *(force < load ? &low : &high) = y;
    }
    return low;
}

static void an_equilibrium_is_found_that_is_not_linear(void **state)
{
    (void)state;
    DvScene *scene = cable("maxNbIterationsNewton='60' warnWhenLineSearchFails='0'", "", 5.0);
    assert_int_equal(run(scene, 2), DV_OK);
    expect_near(positions(scene)[4], cable_sag(5.0), 1e-8);
    assert_string_equal(said, "");
    dv_scene_free(scene);
}

static void newton_converges_quadratically_on_springs(void **state)
{
    (void)state;
    DvScene *scene =
        cable("maxNbIterationsNewton='60' warnWhenLineSearchFails='0' absoluteResidualStoppingThreshold='1e-13' "
              "relativeInitialStoppingThreshold='0' relativeSuccessiveStoppingThreshold='0'",
              "", 5.0);
    double r[61] = {0};
    int count = 0;
    assert_int_equal(run(scene, 1), DV_OK);
    const char *at = field_text(scene, "/newton", "residualGraph");
    assert_int_equal(strncmp(at, "residual:", 9), 0);
    for (int read = 0; count < 61 && sscanf(at + (count ? 0 : 9), "%lf%n", &r[count], &read) == 1; count++)
        at += read + (count ? 0 : 9);
    assert_true(count > 6);
    /* r before, r now: r now <= c r before^2, as long as rounding is not seen. */
    const double before = sqrt(r[count - 3]), now = sqrt(r[count - 2]);
    if (!(now < 0.1 * before && now < 1e-1 * before * before + 1e-12))
        fail_msg("%g after %g", now, before);
    dv_scene_free(scene);
}

/* After a reset no solve has been made: there is no end of one, and no residual. */
static void a_reset_forgets_the_last_solve(void **state)
{
    (void)state;
    DvScene *scene = cable("maxNbIterationsNewton='60' warnWhenLineSearchFails='0'", "", 5.0);
    DvData *residuals = dv_object_field(scene_object(scene, "/newton"), "residuals");
    size_t count = 0;
    assert_int_equal(run(scene, 1), DV_OK);
    dv_data_doubles(residuals, &count);
    assert_true(count > 1);
    assert_string_not_equal(field_text(scene, "/newton", "residualGraph"), "");
    dv_scene_reset(scene);
    dv_data_doubles(residuals, &count);
    assert_int_equal(count, 0);
    assert_string_equal(field_text(scene, "/newton", "residualGraph"), "");
    assert_string_equal(field_text(scene, "/newton", "status"), "Undefined");
    dv_scene_free(scene);
}

static void each_bound_ends_a_solve(void **state)
{
    (void)state;
    static const struct {
        const char *fields, *end;
    } cases[] = {
        {"relativeSuccessiveStoppingThreshold='0.5'", "ConvergedResidualSuccessiveRatio"},
        {"relativeInitialStoppingThreshold='0.9'", "ConvergedResidualInitialRatio"},
        {"absoluteResidualStoppingThreshold='0.1'", "ConvergedAbsoluteResidual"},
        {"absoluteResidualStoppingThreshold='6'", "ConvergedEquilibrium"},
        {"relativeEstimateDifferenceThreshold='0.5'", "ConvergedRelativeEstimateDifference"},
        {"absoluteEstimateDifferenceThreshold='0.5'", "ConvergedAbsoluteEstimateDifference"},
        {"", "DivergedMaxIterations"},
    };
    static const char *const off[] = {"relativeSuccessiveStoppingThreshold", "relativeInitialStoppingThreshold",
                                      "absoluteResidualStoppingThreshold"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char newton[512];
        int length = snprintf(newton, sizeof newton, "maxNbIterationsNewton='%d' warnWhenLineSearchFails='0' %s",
                              *cases[i].fields ? 100 : 3, cases[i].fields);
        for (size_t k = 0; k < 3; k++)
            if (!strstr(cases[i].fields, off[k]))
                length += snprintf(newton + length, sizeof newton - (size_t)length, " %s='0'", off[k]);
        DvScene *scene = cable(newton, "", 5.0);
        assert_string_equal(field_text(scene, "/newton", "status"), "Undefined");
        assert_int_equal(run(scene, 1), DV_OK);
        assert_string_equal(field_text(scene, "/newton", "status"), cases[i].end);
        dv_scene_free(scene);
    }
}

static const DvSolveRecord *record_of(const DvScene *scene)
{
    DvObject *object = scene_object(scene, "/newton");
    return ((const DvSolveRecordOps *)dv_object_ops(object, DV_SOLVE_RECORD))->record(dv_object_self(object));
}

static void a_solve_that_does_not_converge_is_told_once_and_counted(void **state)
{
    (void)state;
    DvScene *scene = cable("maxNbIterationsNewton='2'", "", 5.0);
    assert_int_equal(run(scene, 3), DV_OK);
    expect_said("the line search fails in iteration 1 of step 1");
    expect_said("the equations of step 1 are not solved: after 2 iterations of Newton's method the residual is");
    assert_null(strstr(said, "step 2"));
    assert_int_equal(record_of(scene)->solves, 3);
    assert_int_equal(record_of(scene)->unsolved, 3);
    assert_int_equal(record_of(scene)->worst_step, 1);
    dv_scene_free(scene);
    scene = cable("maxNbIterationsNewton='2' warnWhenDiverge='0' warnWhenLineSearchFails='0'", "", 5.0);
    assert_int_equal(run(scene, 3), DV_OK);
    assert_string_equal(said, "");
    assert_int_equal(record_of(scene)->unsolved, 3);
    dv_scene_free(scene);
}

/* The first step goes to y = load / 2 = 2.5; one that lowers the residual of 5 is 2^-k of it. */
static void the_line_search_takes_the_first_length_that_lowers_the_residual(void **state)
{
    (void)state;
    double share = 1.0;
    for (double y = 2.5; fabs(2.0 * K * (1.0 - 1.0 / sqrt(1.0 + y * y)) * y + 2.0 * y - 5.0) >= 5.0; y *= 0.5)
        share *= 0.5;
    DvScene *scene = cable("maxNbIterationsNewton='1' maxNbIterationsLineSearch='20' warnWhenDiverge='0'", "", 5.0);
    assert_int_equal(run(scene, 1), DV_OK);
    expect_near(positions(scene)[4], 2.5 * share, 1e-14);
    assert_string_equal(said, "");
    dv_scene_free(scene);

    /* With too few lengths the whole step is taken. */
    scene = cable("maxNbIterationsNewton='1' maxNbIterationsLineSearch='3' warnWhenDiverge='0'", "", 5.0);
    assert_int_equal(run(scene, 1), DV_OK);
    expect_near(positions(scene)[4], 2.5, 1e-14);
    expect_said("none of the 3 lengths of the step that it tries lowers the residual");
    dv_scene_free(scene);
}

static uint32_t parts_taken(const DvScene *scene)
{
    return dv_data_uint(dv_object_field(scene_object(scene, "/static"), "loadStepsTaken"));
}

static void a_load_in_parts_comes_to_the_same_equilibrium(void **state)
{
    (void)state;
    DvScene *scene = cable("maxNbIterationsNewton='60'", "loadSteps='4'", 5.0);
    assert_int_equal(run(scene, 1), DV_OK);
    expect_near(positions(scene)[4], cable_sag(5.0), 1e-8);
    assert_int_equal(parts_taken(scene), 4);
    assert_string_equal(said, "");
    dv_scene_free(scene);

    /* Too few iterations for a part: it is halved. */
    scene = cable("maxNbIterationsNewton='6'", "loadSteps='1' maxHalvings='30'", 5.0);
    assert_int_equal(run(scene, 1), DV_OK);
    expect_near(positions(scene)[4], cable_sag(5.0), 1e-6);
    assert_true(parts_taken(scene) > 2);
    assert_string_equal(said, "");
    assert_int_equal(record_of(scene)->unsolved, 0);
    dv_scene_free(scene);
}

static void what_must_converge_and_does_not_fails_the_step(void **state)
{
    (void)state;
    DvScene *scene = cable("maxNbIterationsNewton='2' warnWhenLineSearchFails='0'", "requireConvergence='1'", 5.0);
    assert_int_equal(run(scene, 1), DV_ERROR_NOT_CONVERGED);
    expect_said("no equilibrium is found: after 2 iterations of Newton's method the residual is");
    dv_scene_free(scene);

    /* Parts that do not help: what has been reached is kept. */
    scene = cable("maxNbIterationsNewton='2'", "loadSteps='1' maxHalvings='1'", 5.0);
    assert_int_equal(run(scene, 1), DV_ERROR_NOT_CONVERGED);
    expect_said("no equilibrium beyond 0 of what this step applies, in parts of 0.5");
    expect_near(positions(scene)[4], 0.0, 0.0);
    dv_scene_free(scene);
}

static void what_holds_nothing_is_said(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><NewtonRaphsonSolver/><StaticSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='s' position='0 0 0'/><ConstantForceField indices='0' forces='1 0 0'/></Node>");
    assert_int_equal(run(scene, 1), DV_ERROR_SINGULAR);
    expect_said("there is no unique equilibrium: some part can move without force. Fix enough points");
    dv_scene_free(scene);
    expect_load_error("<Node name='root'><DefaultAnimationLoop/><StaticSolver/><MechanicalObject/></Node>",
                      "there is no linear solver in '/' or below it");
}

static void a_body_that_floats_is_said_to_be_the_reason(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -9.81 0' dt='1'><DefaultAnimationLoop/><NewtonRaphsonSolver maxNbIterationsNewton='20'/>"
        "<StaticSolver/><SparseLDLSolver/><RegularGridTopology n='9 3 3' min='0 0 0' max='4 1 1'/><MechanicalObject name='s'/>"
        "<MeshMatrixMass totalMass='5' lumping='1'/>"
        "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='large'/></Node>");
    assert_int_equal(run(scene, 1), DV_ERROR_NOT_FINITE);
    expect_said("likely cause: no equilibrium, which StaticSolver 'StaticSolver1' looked for: after 20 iterations");
    expect_said("hold bodies that nothing else holds, and give a large load in parts");
    dv_scene_free(scene);
}

/* A chain whose last point is moved: the others follow within the step, and without parts a step later. */
static DvScene *chain(const char *statics)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "<Node name='root' gravity='0 0 0' dt='0.25'><DefaultAnimationLoop/>"
        "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='30'/><StaticSolver name='static' %s/><SparseLDLSolver/>"
        "<MechanicalObject name='s' template='Vec1d' position='0  1  3'/><FixedProjectiveConstraint indices='0'/>"
        "<LinearMovementProjectiveConstraint indices='2' keyTimes='0 1' movements='0  4'/>"
        "<SpringForceField spring='0 1 100 0 1  1 2 50 0 2'/></Node>",
        statics);
    return scene_from_text(text);
}

static void prescribed_points_take_the_others_along(void **state)
{
    (void)state;
    for (int parts = 0; parts <= 3; parts += 3) {
        DvScene *scene = chain(parts ? "loadSteps='3' computeReactions='1'" : "computeReactions='1'");
        assert_int_equal(run(scene, 3), DV_OK); /* of a step that began at t = 0.5: moved by 2 */
        expect_near(positions(scene)[2], 5.0, 1e-12);
        expect_near(positions(scene)[1], 1.0 + (parts ? 2.0 : 1.0) / 3.0, 1e-9);
        size_t count;
        const double *r = dv_data_doubles(dv_object_field(scene_object(scene, "/static"), "reactions"), &count);
        assert_int_equal(count, 3);
        expect_near(r[0], -100.0 * (parts ? 2.0 : 1.0) / 3.0, 1e-7);
        expect_near(r[1], 0.0, 0.0);
        expect_near(r[2], -r[0], 1e-7);
        dv_scene_free(scene);
    }
}

/* A rigid body that is turned carries its mapped points; a spring from one of them to where it was pulls. */
static void prescribed_rotations_are_gone_through_in_parts(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0' dt='1'><DefaultAnimationLoop/>"
        "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='30'/><StaticSolver name='static' loadSteps='5'/><SparseLDLSolver/>"
        "<Node name='a'><MechanicalObject name='s' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
        "<LinearMovementProjectiveConstraint template='Rigid3d' indices='0' keyTimes='0 2' movements='0 0 0 0 0 0  0 0 0 0 0 3'/>"
        "</Node></Node>");
    assert_int_equal(run(scene, 2), DV_OK);
    const double *q = dv_state_read(scene_state(scene, "/a/s"), DV_POSITION).at + 3;
    expect_near(q[2], sin(0.75), 1e-9);
    expect_near(q[3], cos(0.75), 1e-9);
    dv_scene_free(scene);
}

/* A bar of hexahedra that hangs: the supports carry its weight. */
static DvScene *bar(const char *linear, const char *statics)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 0 -9.81' dt='1'><DefaultAnimationLoop/>"
             "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='60' warnWhenLineSearchFails='0'/>"
             "<StaticSolver name='static' computeReactions='1' %s/>%s"
             "<RegularGridTopology n='9 3 3' min='0 0 0' max='4 1 1'/><MechanicalObject name='s'/>"
             "<MeshMatrixMass totalMass='5'/><BoxROI name='left' box='-0.01 -1 -1 0.01 2 2'/>"
             "<BoxROI name='right' box='3.99 -1 -1 4.01 2 2'/>"
             "<FixedProjectiveConstraint indices='@left.indices'/>"
             "<LinearMovementProjectiveConstraint indices='@right.indices' keyTimes='0 8' movements='0 0 0  1 2 0'/>"
             "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='large'/></Node>",
             statics, linear);
    return scene_from_text(text);
}

static void reactions_carry_the_weight(void **state)
{
    (void)state;
    for (int parts = 0; parts <= 2; parts += 2) {
        DvScene *scene = bar("<SparseLDLSolver/>", parts ? "loadSteps='2'" : "");
        assert_int_equal(run(scene, 4), DV_OK);
        const double *total = dv_data_doubles(dv_object_field(scene_object(scene, "/static"), "totalReaction"), NULL);
        expect_near(total[0], 0.0, 2e-3);
        expect_near(total[1], 0.0, 2e-3);
        expect_near(total[2], 5.0 * 9.81, 2e-3);
        dv_scene_free(scene);
    }
}

static void nothing_is_allocated_after_the_first_solve(void **state)
{
    (void)state;
    static const char *const linear[] = {"<SparseLDLSolver/>",
                                         "<CGLinearSolver iterations='300' tolerance='1e-12' threshold='1e-24'/>"};
    for (int i = 0; i < 2; i++)
        for (int parts = 0; parts <= 2; parts += 2) {
            DvScene *scene = bar(linear[i], parts ? "loadSteps='2'" : "");
            assert_int_equal(run(scene, 2), DV_OK);
            const uint64_t before = dv_allocation_count();
            for (int k = 0; k < 3; k++)
                assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            if (dv_allocation_count() != before)
                fail_msg("%d allocations with %s in %d parts", (int)(dv_allocation_count() - before), linear[i], parts);
            dv_scene_free(scene);
        }
}

/* Under a loop of free motions it moves the free positions alone; without constraints these become the positions. */
static void a_free_motion_ends_in_equilibrium(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 -10 0' dt='0.1'><ConstraintAnimationLoop/>"
        "<NewtonRaphsonSolver maxNbIterationsNewton='5'/><StaticSolver/><SparseLDLSolver/>"
        "<MechanicalObject name='s' position='1 2 3'/><UniformMass totalMass='2'/><UncoupledConstraintCorrection/>"
        "<RestShapeSpringsForceField stiffness='50'/></Node>");
    assert_int_equal(run(scene, 1), DV_OK);
    expect_near(dv_state_read(scene_state(scene, "/s"), DV_FREE_POSITION).at[1], 2.0 - 20.0 / 50.0, 1e-12);
    dv_scene_free(scene);
}

static void old_attributes_make_a_newton_solver(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver newton_iterations='7' "
        "absolute_residual_tolerance_threshold='0.25' relative_residual_tolerance_threshold='0.5'/><SparseLDLSolver/>"
        "<MechanicalObject name='s'/><RestShapeSpringsForceField stiffness='50'/></Node>");
    DvObject *newton = scene_object(scene, "/NewtonRaphsonSolver1");
    assert_int_equal(dv_data_uint(dv_object_field(newton, "maxNbIterationsNewton")), 7);
    expect_near(dv_data_double(dv_object_field(newton, "absoluteResidualStoppingThreshold")), 0.25, 0.0);
    expect_near(dv_data_double(dv_object_field(newton, "relativeEstimateDifferenceThreshold")), 0.5, 0.0);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equilibrium_is_found_that_is_not_linear),
        cmocka_unit_test(newton_converges_quadratically_on_springs),
        cmocka_unit_test(a_reset_forgets_the_last_solve),
        cmocka_unit_test(each_bound_ends_a_solve),
        cmocka_unit_test(a_solve_that_does_not_converge_is_told_once_and_counted),
        cmocka_unit_test(the_line_search_takes_the_first_length_that_lowers_the_residual),
        cmocka_unit_test(a_load_in_parts_comes_to_the_same_equilibrium),
        cmocka_unit_test(what_must_converge_and_does_not_fails_the_step),
        cmocka_unit_test(what_holds_nothing_is_said),
        cmocka_unit_test(a_body_that_floats_is_said_to_be_the_reason),
        cmocka_unit_test(prescribed_points_take_the_others_along),
        cmocka_unit_test(prescribed_rotations_are_gone_through_in_parts),
        cmocka_unit_test(reactions_carry_the_weight),
        cmocka_unit_test(nothing_is_allocated_after_the_first_solve),
        cmocka_unit_test(a_free_motion_ends_in_equilibrium),
        cmocka_unit_test(old_attributes_make_a_newton_solver),
    };
    return cmocka_run_group_tests_name("static solves", tests, start_plugins, stop_plugins);
}
