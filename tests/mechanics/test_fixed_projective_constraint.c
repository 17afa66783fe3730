/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FixedProjectiveConstraint for each kind of points, its fields, and how its indices follow a topology.
 */
#include <setjmp.h>
#include <stdarg.h>
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

static const double *projected_velocity(DvScene *scene)
{
    static double v[12];
    for (size_t i = 0; i < 12; i++)
        v[i] = 1.0;
    DvObject *object = scene_object(scene, "/fixed");
    const DvProjectiveConstraintOps *ops = dv_object_ops(object, DV_PROJECTIVE_CONSTRAINT);
    const DvVec vector = {v, 4, 3};
    ops->project_velocity(dv_object_self(object), &(DvStep){0.0, 0.01, DV_POSITION, DV_VELOCITY}, &vector);
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
        cmocka_unit_test(velocities_are_left_alone_unless_asked),
        cmocka_unit_test(indices_beyond_the_state_are_left_out),
        cmocka_unit_test(indices_follow_the_points_of_a_topology),
        cmocka_unit_test(old_scenes_call_it_fixed_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
