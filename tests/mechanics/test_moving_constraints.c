/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedPlane-, Plane-, LinearMovement- and AffineMovementProjectiveConstraint: the conformance suite, where they take their points,
 * assembled systems, reset, and how indices follow a mesh.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>
#include <divan/math/quat.h>

#include "constraint_conformance.h"
#include "scene_text.h"

#define ON(template_, constraint) \
    "<Node name='root'><MechanicalObject name='dofs' template='" template_ "' size='4'/>" constraint "</Node>"

CONSTRAINT_CONFORMANCE(points_in_a_fixed_plane,
                       .scene = ON("Vec3d", "<FixedPlaneProjectiveConstraint name='fixed' indices='1 3' direction='0 0 "
                                            "1'/>"))
CONSTRAINT_CONFORMANCE(six_components_in_a_fixed_plane,
                       .scene = ON("Vec6d", "<FixedPlaneProjectiveConstraint name='fixed' indices='1' direction='0 0 0 "
                                            "0 -3 0'/>"))
CONSTRAINT_CONFORMANCE(bodies_in_a_fixed_plane,
                       .scene = ON("Rigid3d", "<FixedPlaneProjectiveConstraint name='fixed' indices='0 2' direction='0 "
                                              "2 0 0 0 0 1'/>"))
CONSTRAINT_CONFORMANCE(points_in_a_plane, .scene = ON("Vec3d", "<PlaneProjectiveConstraint name='fixed' indices='1 3' "
                                                               "normal='-2 0 0'/>"))
CONSTRAINT_CONFORMANCE(points_on_a_line, .scene = ON("Vec2d", "<PlaneProjectiveConstraint name='fixed' indices='1' "
                                                              "normal='0 1'/>"))
#define MOVED(movements) \
    "<LinearMovementProjectiveConstraint name='fixed' indices='1 2' keyTimes='0 20' movements='" movements "'/>"
CONSTRAINT_CONFORMANCE(moved_points_on_a_line, .scene = ON("Vec1d", MOVED("0 1")))
CONSTRAINT_CONFORMANCE(moved_points_in_the_plane, .scene = ON("Vec2d", MOVED("0 0 1 2")))
CONSTRAINT_CONFORMANCE(moved_points, .scene = ON("Vec3d", MOVED("0 0 0 1 2 3")))
CONSTRAINT_CONFORMANCE(moved_bodies, .scene = ON("Rigid3d", MOVED("0 0 0 0 0 0 1 2 3 0.1 0.2 0.3")))
CONSTRAINT_CONFORMANCE(affinely_moved_points,
                       .scene = ON("Vec3d", "<AffineMovementProjectiveConstraint name='fixed' indices='1 2'/>"))
CONSTRAINT_CONFORMANCE(affinely_moved_bodies,
                       .scene = ON("Rigid3d", "<AffineMovementProjectiveConstraint name='fixed' indices='3'/>"))

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        print_error("%.17g instead of %.17g\n", value, expected);
    assert_true(fabs(value - expected) < 1e-12);
}

static const double *position(DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/dofs"), DV_POSITION).at;
}

static const double *velocity(DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at;
}

static void make_steps(DvScene *scene, int count)
{
    while (count-- > 0)
        assert_int_equal(dv_scene_step(scene, 0.0), DV_OK);
}

/* Three points that fall freely, dt 0.5, g -8 along y and 1 along x; `solver` solves. */
static DvScene *falling(const char *solver, const char *constraint)
{
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node gravity='1 -8 0' dt='0.5'><EulerImplicitSolver/>%s<MechanicalObject name='dofs' template='Vec3d' "
        "position='0 0 0  1 0.5 0  2 0 1'/><UniformMass totalMass='3'/>%s</Node>",
        solver, constraint);
    DvScene *scene = scene_from_text(text.at);
    dv_text_free(&text);
    return scene;
}

#define CG     "<CGLinearSolver iterations='30' tolerance='1e-14' threshold='1e-30'/>"
#define DIRECT "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
static const char *const solvers[] = {CG, DIRECT};

static void points_between_the_planes_are_held_along_the_direction(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        DvScene *scene = falling(
            solvers[s],
            "<FixedPlaneProjectiveConstraint name='fixed' direction='0 2 0' dmin='-0.5' dmax='0.5' indices='0'/>");
        size_t count;
        const uint32_t *index = dv_data_uints(dv_object_field(scene_object(scene, "/fixed"), "indices"), &count);
        assert_int_equal(count, 2); /* 2 y of the middle one is 1 */
        assert_int_equal(index[0], 0);
        assert_int_equal(index[1], 2);
        make_steps(scene, 2);
        for (int p = 0; p < 3; p++) {
            assert_near(velocity(scene)[3 * p], 1.0);
            assert_near(velocity(scene)[3 * p + 1], p == 1 ? -8.0 : 0.0);
        }
        dv_scene_free(scene);
    }
}

/* A direction along no axis is held too where the solver needs no matrix. */
static void oblique_directions_are_held(void **state)
{
    (void)state;
    static const char *const constraints[] = {
        "<FixedPlaneProjectiveConstraint name='fixed' direction='3 4 0' indices='0'/>",
        "<PlaneProjectiveConstraint name='fixed' normal='3 4 0' indices='0'/>"};
    for (int c = 0; c < 2; c++) {
        DvScene *scene = falling(CG, constraints[c]);
        make_steps(scene, 1);
        /* g - n (n.g) = (1, -8) + 5.8 (0.6, 0.8) */
        assert_near(velocity(scene)[0], 0.5 * (1 + 5.8 * 0.6));
        assert_near(velocity(scene)[1], 0.5 * (-8 + 5.8 * 0.8));
        assert_near(velocity(scene)[4], -4.0);
        dv_scene_free(scene);
    }
}

static void points_stay_in_their_plane(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        DvScene *scene = falling(
            solvers[s], "<PlaneProjectiveConstraint name='fixed' normal='0 -5 0' origin='7 0.25 7' indices='0 1'/>");
        make_steps(scene, 2);
        for (int p = 0; p < 2; p++) {
            assert_near(position(scene)[3 * p + 1], 0.25);
            assert_near(velocity(scene)[3 * p + 1], 0.0);
            assert_near(velocity(scene)[3 * p], 1.0);
        }
        assert_near(velocity(scene)[7], -8.0);
        dv_scene_free(scene);
    }
}

static void points_move_between_their_keys_and_are_free_afterwards(void **state)
{
    (void)state;
    for (int s = 0; s < 4; s++) {
        char constraint[200];
        snprintf(
            constraint, sizeof constraint,
            "<LinearMovementProjectiveConstraint name='fixed' indices='1' keyTimes='0 1 2' movements='0 0 0 2 0 0 2 0 "
            "6' relativeMovements='%d'/>",
            s < 2);
        DvScene *scene = falling(solvers[s % 2], constraint);
        const double from[3] = {s < 2 ? 1.0 : 0.0, s < 2 ? 0.5 : 0.0, 0.0};
        for (int run = 0; run < 2; run++) {
            make_steps(scene, 2); /* the last position is that of t = 0.5 */
            assert_near(position(scene)[3], from[0] + 1.0);
            assert_near(position(scene)[4], from[1]);
            assert_near(velocity(scene)[3], 2.0);
            assert_near(velocity(scene)[4], 0.0);
            make_steps(scene, 2); /* t = 1.5 */
            assert_near(position(scene)[3], from[0] + 2.0);
            assert_near(position(scene)[5], 3.0);
            assert_near(velocity(scene)[5], 6.0);
            make_steps(scene, 1); /* free from t = 2 on */
            assert_near(velocity(scene)[4], -4.0);
            assert_near(velocity(scene)[5], 6.0);
            dv_scene_reset(scene);
        }
        dv_scene_free(scene);
    }
}

static void bodies_turn_by_euler_angles(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node gravity='0 0 0' dt='0.5'><EulerImplicitSolver/>" CG
        "<MechanicalObject name='dofs' template='Rigid3d' position='1 2 3 0.6 0 0 0.8'/><UniformMass vertexMass='1'/>"
        "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1' movements='0 0 0 0 0 0 4 0 0 0 0 1.2'/></Node>");
    make_steps(scene, 2);
    const DvQuat expected =
        dv_quat_mul(dv_quat(0.6, 0, 0, 0.8), dv_quat_from_axis_angle(dv_vec3(0, 0, 1), 0.6)); /* half way */
    assert_near(position(scene)[0], 3.0);
    assert_near(dv_quat_dot(dv_quat_load(position(scene) + 3), expected), 1.0);
    dv_scene_free(scene);
}

static void affine_movements_end_at_the_image(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        DvScene *scene =
            falling(solvers[s], "<AffineMovementProjectiveConstraint name='fixed' indices='1 2' "
                                "endConstraintTime='2' rotation='0 -1 0 1 0 0 0 0 3' translation='10 0 0'/>");
        const double to[2][3] = {{9.5, 1.0, 0.0}, {10.0, 2.0, 3.0}}, from[2][3] = {{1.0, 0.5, 0.0}, {2.0, 0.0, 1.0}};
        make_steps(scene, 2); /* t = 0.5 of 2 */
        for (int i = 0; i < 6; i++)
            assert_near(position(scene)[3 + i], from[i / 3][i % 3] + 0.25 * (to[i / 3][i % 3] - from[i / 3][i % 3]));
        make_steps(scene, 5);
        for (int i = 0; i < 6; i++) {
            assert_near(position(scene)[3 + i], to[i / 3][i % 3]);
            assert_near(velocity(scene)[3 + i], 0.0);
        }
        dv_scene_free(scene);
    }
    DvScene *scene = scene_from_text(
        "<Node gravity='0 0 0' dt='0.5'><EulerImplicitSolver/>" CG
        "<MechanicalObject name='dofs' template='Rigid3d' position='1 0 0 0 0.6 0 0.8'/><UniformMass vertexMass='1'/>"
        "<AffineMovementProjectiveConstraint indices='0' endConstraintTime='1' quaternion='0 0 0.6 0.8'/></Node>");
    make_steps(scene, 2);
    assert_near(position(scene)[4], 0.6); /* turns at the end only */
    make_steps(scene, 2);
    assert_near(position(scene)[0], 0.28); /* by twice the angle whose sine is 0.6 */
    assert_near(position(scene)[1], 0.96);
    assert_near(
        dv_quat_dot(dv_quat_load(position(scene) + 3), dv_quat_mul(dv_quat(0, 0.6, 0, 0.8), dv_quat(0, 0, 0.6, 0.8))),
        1.0);
    dv_scene_free(scene);
}

/* Point 0 goes; point 3, which is moved, takes its number and goes on from where it started. */
static void moved_points_follow_their_mesh(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node gravity='0 0 0' dt='0.5'><EulerImplicitSolver/>" CG
        "<PointSetTopologyContainer name='topo' position='0 0 0 1 0 0 2 0 0 3 0 0'/><PointSetTopologyModifier "
        "name='modifier'/><MechanicalObject name='dofs' template='Vec3d'/><UniformMass vertexMass='1'/>"
        "<LinearMovementProjectiveConstraint name='fixed' indices='1 3' keyTimes='0 10' movements='0 0 0 0 10 0'/></Node>");
    make_steps(scene, 2);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->remove_points(dv_object_self(modifier), 1, (const uint32_t[]){0}), DV_OK);
    make_steps(scene, 1); /* t = 1 */
    const double expected[9] = {3, 1, 0, 1, 1, 0, 2, 0, 0};
    for (int i = 0; i < 9; i++)
        assert_near(position(scene)[i], expected[i]);
    dv_scene_free(scene);
}

/* Who keeps what follows from the points held asks for this number: it must be another one whenever they, or how they are held, may be
 * others, however many of the fields have changed. */
static void the_structure_is_another_after_any_change(void **state)
{
    (void)state;
    static const struct {
        const char *component, *field, *values[2];
    } cases[] = {
        {"FixedProjectiveConstraint name='fixed' indices='1' endTime='5'", "fixAll", {"0", "1"}},
        {"FixedPlaneProjectiveConstraint name='fixed' indices='1' endTime='5'", "direction", {"0 1 0", "1 0 0"}},
        {"PlaneProjectiveConstraint name='fixed' indices='1' endTime='5'", "normal", {"0 1 0", "1 0 0"}},
        {"LinearMovementProjectiveConstraint name='fixed' indices='1' keyTimes='0 5' movements='0 0 0  1 0 0'",
         "indices",
         {"2", "1"}},
        {"AffineMovementProjectiveConstraint name='fixed' indices='1' endTime='5'", "indices", {"2", "1"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum { ROUNDS = 6 };
        uint64_t seen[4 * ROUNDS] = {0};
        size_t count = 0;
        DvText text = {0};
        dv_text_add(&text, ON("Vec3d", "<%s/>"), cases[i].component);
        DvScene *scene = scene_from_text(text.at);
        DvObject *fixed = scene_object(scene, "/fixed");
        const DvProjectiveConstraintOps *ops = dv_object_ops(fixed, DV_PROJECTIVE_CONSTRAINT);
        for (int round = 0; round < ROUNDS; round++)
            for (int value = 0; value < 2; value++) {
                assert_int_equal(dv_data_set_text(dv_object_field(fixed, cases[i].field), cases[i].values[value]),
                                 DV_OK);
                for (int late = 0; late < 2; late++) {
                    const DvStep step = {
                        .dt = 0.01, .time = late ? 6 : 1, .position = DV_POSITION, .velocity = DV_VELOCITY};
                    const uint64_t now = ops->structure(dv_object_self(fixed), &step);
                    assert_true(now == ops->structure(dv_object_self(fixed), &step));
                    for (size_t k = 0; k < count; k++)
                        if (seen[k] == now)
                            fail_msg("%s: the same in round %d", cases[i].component, round);
                    seen[count++] = now;
                }
                if (value == 1)
                    dv_data_set(dv_object_field(fixed, "indices"), (const uint32_t[]){(uint32_t)round % 3}, 1);
            }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error(ON("Vec3d", "<LinearMovementProjectiveConstraint name='M' keyTimes='0 1' movements='0 0 0'/>"),
                      "movements: holds 1 movements for 2 key times; give one of each");
    expect_load_error(
        ON("Vec3d", "<LinearMovementProjectiveConstraint name='M' keyTimes='1 1' movements='0 0 0 0 0 0'/>"),
        "keyTimes[1]: 1 does not come after 1: times must ascend");
    expect_load_error(ON("Vec3d", "<AffineMovementProjectiveConstraint name='A' beginConstraintTime='30'/>"),
                      "endConstraintTime: 20 s is not after beginConstraintTime, 30 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_in_a_fixed_plane),
        cmocka_unit_test(six_components_in_a_fixed_plane),
        cmocka_unit_test(bodies_in_a_fixed_plane),
        cmocka_unit_test(points_in_a_plane),
        cmocka_unit_test(points_on_a_line),
        cmocka_unit_test(moved_points_on_a_line),
        cmocka_unit_test(moved_points_in_the_plane),
        cmocka_unit_test(moved_points),
        cmocka_unit_test(moved_bodies),
        cmocka_unit_test(affinely_moved_points),
        cmocka_unit_test(affinely_moved_bodies),
        cmocka_unit_test(points_between_the_planes_are_held_along_the_direction),
        cmocka_unit_test(oblique_directions_are_held),
        cmocka_unit_test(points_stay_in_their_plane),
        cmocka_unit_test(points_move_between_their_keys_and_are_free_afterwards),
        cmocka_unit_test(bodies_turn_by_euler_angles),
        cmocka_unit_test(affine_movements_end_at_the_image),
        cmocka_unit_test(moved_points_follow_their_mesh),
        cmocka_unit_test(the_structure_is_another_after_any_change),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
