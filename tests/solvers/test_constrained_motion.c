/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What Lagrangian constraints make of motion: equilibria and motions in closed form, conservation, and runs that are saved.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/divan.h>
#include <divan/math/rigid.h>
#include <divan/memory.h>

#include "scene_text.h"

#define LOOP(tolerance) \
    "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='" tolerance "' maxIterations='20000'/>"
#define SOLVED    "<EulerImplicitSolver/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
#define CORRECTED "<LinearSolverConstraintCorrection/>"

static void steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

static DvConstVec positions(const DvScene *scene, const char *state)
{
    return dv_state_read(scene_state(scene, state), DV_POSITION);
}

/* ---- A chain of rigid links between two walls ---- */

enum { LINKS = 6 };
static const double SPAN = 4.0; /* m, of links of 1 m */

/* Links of 1 m from (0 0 0) to (SPAN 0 0), on a zigzag; ends are points of the links, tied to each other and to the walls. */
static void write_chain(DvText *text)
{
    const double across = SPAN / LINKS, down = sqrt(1.0 - across * across);
    dv_text_add(text,
                "<Node name='root' gravity='0 -10 0' dt='0.05'>" LOOP(
                    "1e-13") "<Node name='Walls'><MechanicalObject name='dofs' position='0 0 0  %.17g 0 0'/></Node>"
                             "<Node name='Chain'><EulerImplicitSolver rayleighMass='3'/>"
                             "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
                             "<MechanicalObject name='dofs' template='Rigid3d' position='",
                SPAN);
    for (int i = 0; i < LINKS; i++) {
        const double half = 0.5 * atan2(i % 2 ? down : -down, across);
        dv_text_add(text, "%.17g %.17g 0 0 0 %.17g %.17g ", (i + 0.5) * across, -0.5 * down, sin(half), cos(half));
    }
    dv_text_add(text, "'/><UniformMass vertexMass='2 1 [0.1 0 0 0 0.1 0 0 0 0.1]'/>" CORRECTED "<Node name='Ends'>"
                      "<MechanicalObject name='dofs' position='");
    for (int i = 0; i < LINKS; i++)
        dv_text_add(text, "-0.5 0 0  0.5 0 0 ");
    dv_text_add(text, "'/><RigidMapping rigidIndexPerPoint='");
    for (int i = 0; i < 2 * LINKS; i++)
        dv_text_add(text, "%d ", i / 2);
    dv_text_add(text, "'/></Node></Node><BilateralLagrangianConstraint name='joints' object1='@Chain/Ends/dofs' "
                      "object2='@Chain/Ends/dofs' first_point='");
    for (int i = 0; i + 1 < LINKS; i++)
        dv_text_add(text, "%d ", 2 * i + 1);
    dv_text_add(text, "' second_point='");
    for (int i = 0; i + 1 < LINKS; i++)
        dv_text_add(text, "%d ", 2 * i + 2);
    dv_text_add(text,
                "'/><BilateralLagrangianConstraint name='hooks' object1='@Walls/dofs' object2='@Chain/Ends/dofs' "
                "first_point='0 1' second_point='0 %d'/></Node>",
                2 * LINKS - 1);
}

/* Moments about the joints of a link give tan(angle_i) = (i - (LINKS - 1) / 2) w / H, with the weight
 * w of a link and the horizontal force H, which is such that the links span the walls. */
static double width_for(double slope)
{
    double width = 0.0;
    for (int i = 0; i < LINKS; i++)
        width += cos(atan((i - 0.5 * (LINKS - 1)) * slope));
    return width;
}

static double slope_of_equilibrium(void)
{
    double low = 0.0, high = 100.0;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (width_for(middle) > SPAN)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void a_chain_hangs_as_the_catenary_of_its_links(void **state)
{
    (void)state;
    DvText text = {0};
    write_chain(&text);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    steps(scene, 600);
    const double slope = slope_of_equilibrium(), weight = 2.0 * 10.0;
    double x = 0.0, y = 0.0;
    const DvConstVec ends = positions(scene, "/Chain/Ends/dofs");
    for (int i = 0; i < LINKS; i++) {
        const double angle = atan((i - 0.5 * (LINKS - 1)) * slope);
        for (int end = 0; end < 2; end++) {
            const double *found = ends.at + 3 * (2 * i + end);
            if (!(fabs(found[0] - x) < 1e-7 && fabs(found[1] - y) < 1e-7 && fabs(found[2]) < 1e-9))
                fail_msg("end %d of link %d is at %.9g %.9g %.9g, not at %.9g %.9g 0", end, i, found[0], found[1],
                         found[2], x, y);
            x += end ? 0.0 : cos(angle);
            y += end ? 0.0 : sin(angle);
        }
    }
    /* What the hooks carry: half of the weight each, and H. The last solution is a force times dt. */
    size_t count;
    const double *force = dv_data_doubles(dv_object_field(scene_object(scene, "/hooks"), "lastForces"), &count);
    assert_int_equal(count, 2);
    assert_true(fabs(force[1] / 0.05 - LINKS * weight / 2.0) < 1e-4 &&
                fabs(force[4] / 0.05 - LINKS * weight / 2.0) < 1e-4);
    assert_true(fabs(force[0] / 0.05 + weight / slope) < 1e-4 && fabs(force[3] / 0.05 - weight / slope) < 1e-4);
    dv_scene_free(scene);
}

static void a_saved_chain_goes_on_as_it_was(void **state)
{
    (void)state;
    DvText text = {0};
    write_chain(&text);
    DvScene *scene = scene_from_text(text.at), *loaded;
    dv_text_free(&text);
    steps(scene, 20);
    char file[64] = P_tmpdir "/divan-chain-XXXXXX.scn";
    const int descriptor = mkstemps(file, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(dv_scene_save(scene, file), DV_OK);
    assert_int_equal(dv_scene_load(file, NULL, &loaded), DV_OK);
    remove(file);
    steps(scene, 20);
    steps(loaded, 20);
    const DvConstVec a = positions(scene, "/Chain/dofs"), b = positions(loaded, "/Chain/dofs");
    assert_memory_equal(a.at, b.at, (size_t)a.count * a.dim * sizeof *a.at);
    dv_scene_free(loaded);

    /* A reset forgets what a solution began with: the run is the first one again. */
    const size_t numbers = (size_t)a.count * a.dim;
    double *first = malloc(numbers * sizeof *first);
    assert_non_null(first);
    memcpy(first, a.at, numbers * sizeof *first);
    dv_scene_reset(scene);
    steps(scene, 40);
    assert_memory_equal(positions(scene, "/Chain/dofs").at, first, numbers * sizeof *first);
    free(first);
    dv_scene_free(scene);
}

static void a_step_of_a_chain_allocates_nothing(void **state)
{
    (void)state;
    DvText text = {0};
    write_chain(&text);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    steps(scene, 10);
    const uint64_t before = dv_allocation_count();
    steps(scene, 10);
    assert_int_equal(dv_allocation_count(), before);
    dv_scene_free(scene);
}

/* ---- One by one ---- */

/* Backward Euler under a constant acceleration a from rest: x = a h^2 n (n + 1) / 2. */
static double fall(double a, double h, int n)
{
    return 0.5 * a * h * h * n * (n + 1);
}

static void a_bead_slides_down_its_wire(void **state)
{
    (void)state;
    /* wire from (0 0 0) to (4 3 0): 3/5 of the weight acts along it */
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" LOOP(
        "1e-14") "<Node name='Wire'><MechanicalObject name='dofs' position='0 0 0 4 3 0'/></Node>"
                 "<Node name='Bead'>" SOLVED "<MechanicalObject name='dofs' position='3.2 2.4 0'/>"
                 "<UniformMass totalMass='2'/>" CORRECTED "</Node>"
                 "<SlidingLagrangianConstraint name='slide' object1='@Bead/dofs' object2='@Wire/dofs' "
                 "sliding_point='0' axis_1='0' axis_2='1'/></Node>");
    steps(scene, 50);
    const double down = fall(10.0 * 0.6, 0.01, 50);
    const double *x = positions(scene, "/Bead/dofs").at;
    assert_true(fabs(x[0] - (3.2 - 0.8 * down)) < 1e-9 && fabs(x[1] - (2.4 - 0.6 * down)) < 1e-9 && fabs(x[2]) < 1e-12);
    /* The wire carries 4/5 of the weight, across itself. */
    const double *force = dv_data_doubles(dv_object_field(scene_object(scene, "/slide"), "force"), NULL);
    assert_true(fabs(force[0] / 0.01 + 20.0 * 0.8 * 0.6) < 1e-6 && fabs(force[1] / 0.01 - 20.0 * 0.8 * 0.8) < 1e-6);
    steps(scene, 200); /* it stops at the end */
    x = positions(scene, "/Bead/dofs").at;
    assert_true(fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e-9);
    dv_scene_free(scene);
}

static void a_value_stops_at_its_limit(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" LOOP(
        "1e-14") "<Node name='A'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-15' threshold='1e-20'/>"
                 "<MechanicalObject name='dofs' template='Vec1d' position='1 1'/><UniformMass vertexMass='2'/>"
                 "<ConstantForceField indices='0 1' forces='8 -8'/><UncoupledConstraintCorrection compliance='0.5 0.5'/>"
                 "<StopperLagrangianConstraint index='0' min='0' max='1.5'/>"
                 "<StopperLagrangianConstraint index='1' min='0.9' max='1.5'/></Node></Node>");
    steps(scene, 10);
    assert_true(fabs(positions(scene, "/A/dofs").at[0] - 1.0 - fall(4.0, 0.01, 10)) < 1e-12); /* free until then */
    steps(scene, 200);
    assert_true(fabs(positions(scene, "/A/dofs").at[0] - 1.5) < 1e-12);
    assert_true(fabs(positions(scene, "/A/dofs").at[1] - 0.9) < 1e-12);
    dv_scene_free(scene);
}

static void held_points_carry_the_weight(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" LOOP(
        "1e-14") "<Node name='A'>" SOLVED
                 "<MechanicalObject name='dofs' position='0 0 0  0 -1 0'/><UniformMass vertexMass='3'/>"
                 "<SpringForceField spring='0 1 500 20 1'/>"
                 "<FixedLagrangianConstraint name='held' indices='0'/>" CORRECTED "</Node></Node>");
    steps(scene, 3000);
    const double *x = positions(scene, "/A/dofs").at;
    assert_true(fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e-12);
    const double *force = dv_data_doubles(dv_object_field(scene_object(scene, "/A/held"), "lastForces"), NULL);
    assert_true(fabs(force[1] / 0.01 - 60.0) < 1e-3); /* both points hang on it at last */
    dv_scene_free(scene);
}

/* On a state that a mapping computes too: its geometric stiffness needs the force there. */
static void held_mapped_points_know_what_they_carry(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 -10 0' dt='0.01'>" LOOP(
        "1e-14") "<Node name='A'>" SOLVED "<MechanicalObject name='dofs' position='0 0 0  0 -1 0'/>"
                 "<UniformMass vertexMass='3'/>" CORRECTED "<Node name='B'><MechanicalObject name='mapped'/>"
                 "<IdentityMapping/><FixedLagrangianConstraint indices='1'/></Node></Node></Node>");
    steps(scene, 5);
    const DvConstVec force = dv_state_read(scene_state(scene, "/A/B/mapped"), DV_LAMBDA);
    assert_int_equal(force.count, 2);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(force.at[i] - (i == 4 ? 30.0 : 0.0)) < 1e-9);
    dv_scene_free(scene);
}

/* Many bodies with solvers of their own: ties of two of them share their momentum out, each third goes on alone. */
static void many_bodies_are_tied_two_by_two(void **state)
{
    (void)state;
    enum { TRIPLES = 70 };
    DvText text = {0};
    dv_text_add(&text, "<Node name='root' gravity='0 0 0' dt='0.01'>" LOOP("1e-14"));
    for (int i = 0; i < 3 * TRIPLES; i++)
        dv_text_add(
            &text,
            "<Node name='B%d'><EulerImplicitSolver/><CGLinearSolver iterations='5' tolerance='1e-15' threshold='1e-30'/>"
            "<MechanicalObject name='dofs' position='%d 0 0' velocity='%d 0 %d'/><UniformMass vertexMass='%d'/>"
            "<UncoupledConstraintCorrection defaultCompliance='%.17g'/></Node>",
            i, i, i % 3 == 0 ? 6 : 0, i % 3, 1 + i % 4, 1.0 / (1 + i % 4));
    for (int i = 0; i < 3 * TRIPLES; i += 3)
        dv_text_add(
            &text,
            "<BilateralLagrangianConstraint object1='@B%d/dofs' object2='@B%d/dofs' first_point='0' second_point='0' "
            "rest_vector='1 0 0'/>",
            i, i + 1);
    dv_text_add(&text, "</Node>");
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    for (int step = 1; step <= 3; step++) {
        steps(scene, 1);
        for (int i = 0; i < 3 * TRIPLES; i++) {
            char path[32];
            snprintf(path, sizeof path, "/B%d/dofs", i);
            const double *v = dv_state_read(scene_state(scene, path), DV_VELOCITY).at, *x = positions(scene, path).at;
            const int first = i - i % 3;
            const double m = 1 + first % 4, other = 1 + (first + 1) % 4;
            const double expected[2] = {i % 3 == 2 ? 0 : 6 * m / (m + other), i % 3 == 2 ? 2 : other / (m + other)};
            assert_true(fabs(v[0] - expected[0]) < 1e-11 && v[1] == 0 && fabs(v[2] - expected[1]) < 1e-11);
            assert_true(fabs(x[0] - i - 0.01 * step * expected[0]) < 1e-12);
        }
    }
    dv_scene_free(scene);
}

static void values_are_brought_to_zero_at_once(void **state)
{
    (void)state;
    for (int iterative = 0; iterative < 2; iterative++) {
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.01'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' "
            "tolerance='1e-13' maxIterations='1000'/><Node name='A'><EulerImplicitSolver/>"
            "<CGLinearSolver iterations='50' tolerance='1e-15' threshold='1e-25'/>"
            "<MechanicalObject name='dofs' template='Vec1d' position='1 2 3 4 5 6 7 8' velocity='9 0 0 0 0 0 0 0'/>"
            "<UniformMass totalMass='2'/><UncoupledConstraintCorrection defaultCompliance='4'/>"
            "<UniformLagrangianConstraint iterative='%d'/></Node></Node>",
            iterative);
        DvScene *scene = scene_from_text(text);
        steps(scene, 1);
        for (int i = 0; i < 8; i++)
            assert_true(fabs(positions(scene, "/A/dofs").at[i]) < 1e-12);
        dv_scene_free(scene);
    }
}

/* Momentum is conserved whatever ties two bodies to each other, and points that are tied come together. */
static void tied_bodies_keep_their_momentum(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" LOOP(
        "1e-13") "<Node name='A'>" SOLVED
                 "<MechanicalObject name='dofs' position='0 0 0  1 0 0' velocity='1 0 0  0 2 0'/>"
                 "<UniformMass vertexMass='1'/><SpringForceField spring='0 1 50 1 1'/>" CORRECTED "</Node>"
                 "<Node name='B'>" SOLVED
                 "<MechanicalObject name='dofs' position='1 0.5 0  2 0 1' velocity='0 0 -3  0 0 0'/>"
                 "<UniformMass vertexMass='2'/><SpringForceField spring='0 1 50 1 1'/>" CORRECTED "</Node>"
                 "<BilateralLagrangianConstraint object1='@A/dofs' object2='@B/dofs' first_point='1' second_point='0' "
                 "rest_vector='0 0.5 0'/></Node>");
    for (int step = 0; step < 100; step++) {
        steps(scene, 1);
        const double *a = dv_state_read(scene_state(scene, "/A/dofs"), DV_VELOCITY).at;
        const double *b = dv_state_read(scene_state(scene, "/B/dofs"), DV_VELOCITY).at;
        const double expected[3] = {1, 2, -6};
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(a[axis] + a[3 + axis] + 2.0 * (b[axis] + b[3 + axis]) - expected[axis]) < 1e-11);
        const double *p = positions(scene, "/A/dofs").at + 3, *q = positions(scene, "/B/dofs").at;
        assert_true(fabs(q[0] - p[0]) < 1e-12 && fabs(q[1] - p[1] - 0.5) < 1e-12 && fabs(q[2] - p[2]) < 1e-12);
    }
    dv_scene_free(scene);
}

/* Two bodies at an angle of each other stay at it: one that turns takes the other along. */
static void bodies_that_keep_their_difference_turn_together(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' gravity='0 0 0' dt='0.01'>" LOOP(
        "1e-13") "<Node name='A'>" SOLVED
                 "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1' velocity='0 0 0 0 0 1'/>"
                 "<UniformMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1]'/>" CORRECTED "</Node>"
                 "<Node name='B'>" SOLVED
                 "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 2 0.6 0 0 0.8'/>"
                 "<UniformMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1]'/>" CORRECTED "</Node>"
                 "<BilateralLagrangianConstraint object1='@A/dofs' object2='@B/dofs' first_point='0' second_point='0' "
                 "keepOrientationDifference='1'/></Node>");
    steps(scene, 100);
    /* half the speed each; balls have the same inertia about all axes */
    const double half = 0.25, *a = positions(scene, "/A/dofs").at, *b = positions(scene, "/B/dofs").at;
    assert_true(fabs(a[5] - sin(half)) < 1e-8 && fabs(a[6] - cos(half)) < 1e-8);
    const DvQuat both = dv_quat_mul(dv_quat_load(a + 3), dv_quat(0.6, 0, 0, 0.8));
    assert_true(fabs(b[3] - both.x) < 1e-8 && fabs(b[4] - both.y) < 1e-8 && fabs(b[5] - both.z) < 1e-8 &&
                fabs(b[6] - both.w) < 1e-8);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_hangs_as_the_catenary_of_its_links),
        cmocka_unit_test(a_saved_chain_goes_on_as_it_was),
        cmocka_unit_test(a_step_of_a_chain_allocates_nothing),
        cmocka_unit_test(a_bead_slides_down_its_wire),
        cmocka_unit_test(a_value_stops_at_its_limit),
        cmocka_unit_test(held_points_carry_the_weight),
        cmocka_unit_test(held_mapped_points_know_what_they_carry),
        cmocka_unit_test(many_bodies_are_tied_two_by_two),
        cmocka_unit_test(values_are_brought_to_zero_at_once),
        cmocka_unit_test(tied_bodies_keep_their_momentum),
        cmocka_unit_test(bodies_that_keep_their_difference_turn_together),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
