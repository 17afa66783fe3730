/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedProjectiveConstraint and PartialFixedProjectiveConstraint for each kind of points, its fields, and how its indices follow a topology.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/topology.h>

#include "constraint_conformance.h"
#include "scene_text.h"

#define WITH(template_, attributes)                                                       \
    "<Node name='root'><MechanicalObject name='dofs' template='" template_ "' size='4'/>" \
    "<FixedProjectiveConstraint name='fixed' " attributes "/></Node>"

CONSTRAINT_CONFORMANCE(fixed_points_on_a_line, .scene = WITH("Vec1d", "indices='1 3'"))
CONSTRAINT_CONFORMANCE(fixed_points_in_the_plane, .scene = WITH("Vec2d", "indices='1 3'"))
CONSTRAINT_CONFORMANCE(fixed_points, .scene = WITH("Vec3d", "indices='1 3' activate_projectVelocity='1'"))
CONSTRAINT_CONFORMANCE(fixed_points_of_six_components, .scene = WITH("Vec6d", "indices='0-2'"))
CONSTRAINT_CONFORMANCE(fixed_bodies, .scene = WITH("Rigid3d", "fixAll='1'"))
CONSTRAINT_CONFORMANCE(fixed_bodies_in_the_plane, .scene = WITH("Rigid2d", ""))

#define PARTLY(template_, attributes)                                                     \
    "<Node name='root'><MechanicalObject name='dofs' template='" template_ "' size='4'/>" \
    "<PartialFixedProjectiveConstraint name='fixed' " attributes "/></Node>"

CONSTRAINT_CONFORMANCE(partly_fixed_points_on_a_line, .scene = PARTLY("Vec1d", "indices='1 3' fixedDirections='1'"))
CONSTRAINT_CONFORMANCE(partly_fixed_points_in_the_plane,
                       .scene = PARTLY("Vec2d", "indices='1 3' fixedDirections='0 1'"))
CONSTRAINT_CONFORMANCE(partly_fixed_points,
                       .scene = PARTLY("Vec3d", "indices='1 3' fixedDirections='1 0 1' projectVelocity='1'"))
CONSTRAINT_CONFORMANCE(partly_fixed_points_of_six_components,
                       .scene = PARTLY("Vec6d", "indices='0-2' fixedDirections='0 0 1 1 0 1'"))
CONSTRAINT_CONFORMANCE(partly_fixed_bodies, .scene = PARTLY("Rigid3d", "fixAll='1' fixedDirections='1 0 1 0 1 0'"))
CONSTRAINT_CONFORMANCE(partly_fixed_bodies_in_the_plane, .scene = PARTLY("Rigid2d", "fixedDirections='0 0 1'"))
CONSTRAINT_CONFORMANCE(wholly_fixed_points, .scene = PARTLY("Vec3d", "indices='1 3'"))

static const double *projected_velocity(DvScene *scene)
{
    static double v[12];
    for (size_t i = 0; i < 12; i++)
        v[i] = 1.0;
    DvObject *object = scene_object(scene, "/fixed");
    const DvProjectiveConstraintOps *ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
    const DvVec vector = {v, 4, 3};
    ops->project_velocity(dv_object_self(object),
                          &(DvStep){.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY},
                          &vector);
    return v;
}

static void velocities_are_left_alone_unless_asked(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(WITH("Vec3d", "indices='1'"));
    assert_true(projected_velocity(scene)[3] == 1.0);
    dv_data_set_bool(dv_object_field(scene_object(scene, "/fixed"), "activate_projectVelocity"), true);
    assert_true(projected_velocity(scene)[3] == 0.0 && projected_velocity(scene)[0] == 1.0);
    dv_scene_free(scene);
}

/* Whether point 1 is held at a time: its response is cleared, and the assembled system is told so. */
static void count_component(void *context, uint32_t state, uint32_t point, uint32_t component)
{
    (void)state;
    *(int *)context += point == 1 && component < 3;
}

static bool is_held(DvScene *scene, double time)
{
    DvObject *object = scene_object(scene, "/fixed");
    const DvProjectiveConstraintOps *ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
    double f[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const DvVec vector = {f, 4, 3};
    const DvStep step = {.time = time, .dt = 0.5, .position = DV_POSITION, .velocity = DV_VELOCITY};
    ops->project_response(dv_object_self(object), &step, &vector);
    int components = 0;
    ops->fixed(dv_object_self(object), &step, count_component, &components);
    assert_true(f[0] == 1.0);
    assert_true(components == 0 || components == 3);
    assert_true((f[3] == 0.0) == (components == 3));
    return f[3] == 0.0;
}

static void points_are_free_from_the_end_time_on(void **state)
{
    (void)state;
    static const struct {
        const char *end;
        double time;
        bool held;
    } cases[] = {{"2", 0.0, true},  {"2", 1.5, true},  {"2", 2.0, false}, {"2", 2.5, false},
                 {"0", 0.0, false}, {"0", 9.0, false}, {"-1", 0.0, true}, {"-1e-9", 1e9, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, WITH("Vec3d", "indices='1' endTime='%s'"), cases[i].end);
        DvScene *scene = scene_from_text(text);
        assert_int_equal(is_held(scene, cases[i].time), cases[i].held);
        dv_scene_free(scene);
    }
    /* Steps of 0.5 s: those that start at 0 and 0.5 s hold the point, the third is the first free one: v = g h. */
    for (int assembled = 0; assembled < 2; assembled++) {
        char text[768];
        (void)snprintf(text, sizeof text,
                       "<Node name='root' dt='0.5' gravity='0 -8 0'><DefaultAnimationLoop/><EulerImplicitSolver/>%s"
                       "<MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/>"
                       "<FixedProjectiveConstraint indices='0' endTime='1'/></Node>",
                       assembled ? "<SparseLDLSolver/>"
                                 : "<CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>");
        DvScene *scene = scene_from_text(text);
        for (int i = 1; i <= 3; i++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            assert_true(fabs(dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at[1] - (i < 3 ? 0.0 : -4.0)) <
                        1e-12);
        }
        dv_scene_free(scene);
    }
}

/* A weight along (3 4 12) on a point that is held along x: after a step of 0.5 s, v = h g but for x; what it had along x stays. */
static void a_point_moves_along_its_free_directions(void **state)
{
    (void)state;
    for (int assembled = 0; assembled < 2; assembled++) {
        char text[768];
        (void)snprintf(text, sizeof text,
                       "<Node name='root' dt='0.5' gravity='3 4 12'><DefaultAnimationLoop/><EulerImplicitSolver/>%s"
                       "<MechanicalObject name='dofs' position='0 0 0' velocity='2 0 0'/><UniformMass totalMass='1'/>"
                       "<PartialFixedProjectiveConstraint name='fixed' indices='0' fixedDirections='1 0 0'/></Node>",
                       assembled ? "<SparseLDLSolver/>"
                                 : "<CGLinearSolver iterations='9' tolerance='1e-9' threshold='1e-9'/>");
        DvScene *scene = scene_from_text(text);
        const double expected[2][3] = {{2.0, 2.0, 6.0}, {2.0, 2.0, 12.0}};
        for (int i = 0; i < 2; i++) {
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            const double *v = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at;
            for (int c = 0; c < 3; c++)
                assert_true(fabs(v[c] - expected[i][c]) < 1e-12);
            /* then along y, what it has there stays */
            assert_int_equal(
                dv_data_set_text(dv_object_field(scene_object(scene, "/fixed"), "fixedDirections"), "1 1 0"), DV_OK);
        }
        dv_data_set_bool(dv_object_field(scene_object(scene, "/fixed"), "projectVelocity"), true);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const double *v = dv_state_read(scene_state(scene, "/dofs"), DV_VELOCITY).at;
        assert_true(v[0] == 0.0 && v[1] == 0.0 && fabs(v[2] - 18.0) < 1e-12);
        dv_scene_free(scene);
    }
}

static size_t index_count(DvScene *scene)
{
    size_t count;
    (void)dv_data_uints(dv_object_field(scene_object(scene, "/fixed"), "indices"), &count);
    return count;
}

static void indices_beyond_the_state_are_left_out(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(WITH("Vec3d", "indices='1 7 2 4'"));
    assert_int_equal(index_count(scene), 2);
    dv_scene_free(scene);
}

static void indices_follow_the_points_of_a_topology(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2'/>"
        "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='dofs'/>"
        "<FixedProjectiveConstraint name='fixed' indices='0 3'/></Node>");
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    assert_int_equal(ops->add_points(dv_object_self(modifier), 1, NULL), DV_OK);
    assert_int_equal(index_count(scene), 2); /* a new point is free */
    const uint32_t triangle = 0;
    assert_int_equal(ops->remove_elements(dv_object_self(modifier), DV_TRIANGLES, 1, &triangle, true), DV_OK);
    const uint32_t *index = dv_data_uints(dv_object_field(scene_object(scene, "/fixed"), "indices"), NULL);
    assert_int_equal(index_count(scene), 1); /* point 0 has gone, the free one has taken its number */
    assert_int_equal(index[0], 3);
    dv_scene_free(scene);
}

static void old_scenes_call_it_fixed_constraint(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><MechanicalObject/><FixedConstraint name='fixed'/></Node>");
    assert_true(dv_object_is_a(scene_object(scene, "/fixed"), "FixedProjectiveConstraint"));
    dv_scene_free(scene);
    scene = scene_from_text("<Node name='root'><MechanicalObject/><PartialFixedConstraint name='fixed'/></Node>");
    assert_true(dv_object_is_a(scene_object(scene, "/fixed"), "PartialFixedProjectiveConstraint"));
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_points_on_a_line),
        cmocka_unit_test(fixed_points_in_the_plane),
        cmocka_unit_test(fixed_points),
        cmocka_unit_test(fixed_points_of_six_components),
        cmocka_unit_test(fixed_bodies),
        cmocka_unit_test(fixed_bodies_in_the_plane),
        cmocka_unit_test(partly_fixed_points_on_a_line),
        cmocka_unit_test(partly_fixed_points_in_the_plane),
        cmocka_unit_test(partly_fixed_points),
        cmocka_unit_test(partly_fixed_points_of_six_components),
        cmocka_unit_test(partly_fixed_bodies),
        cmocka_unit_test(partly_fixed_bodies_in_the_plane),
        cmocka_unit_test(wholly_fixed_points),
        cmocka_unit_test(a_point_moves_along_its_free_directions),
        cmocka_unit_test(velocities_are_left_alone_unless_asked),
        cmocka_unit_test(points_are_free_from_the_end_time_on),
        cmocka_unit_test(indices_beyond_the_state_are_left_out),
        cmocka_unit_test(indices_follow_the_points_of_a_topology),
        cmocka_unit_test(old_scenes_call_it_fixed_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
