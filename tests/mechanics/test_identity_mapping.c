/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * IdentityMapping for each pair of types, and what only it promises.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <divan/contracts/mapping.h>
#include <divan/contracts/topology.h>

#include "mapping_conformance.h"
#include "scene_text.h"

#define PAIR(from, positions, to)                                                                      \
    "<Node name='root'><MechanicalObject name='parent' template='" from "' position='" positions "'/>" \
    "<Node name='Child'><MechanicalObject name='mapped' template='" to "'/><IdentityMapping/></Node></Node>"

#define REASON .geometric_stiffness = GEOMETRIC_LEFT_OUT, .reason = "the mapping is linear"

#define BODIES "1 2 3 0 0 0 1   0 1 0 0.5 0.5 0.5 0.5   2 0 0 0 0.6 0 0.8"

MAPPING_CONFORMANCE(three_components_copy, .scene = PAIR("Vec3d", "1 2 3 4 5 6", "Vec3d"), REASON)
MAPPING_CONFORMANCE(two_components_copy, .scene = PAIR("Vec2d", "1 2 3 4 5 6", "Vec2d"), REASON)
MAPPING_CONFORMANCE(one_component_copies, .scene = PAIR("Vec1d", "1 2 3 4 5 6", "Vec1d"), REASON)
MAPPING_CONFORMANCE(six_components_copy, .scene = PAIR("Vec6d", "1 2 3 4 5 6", "Vec6d"), REASON)
MAPPING_CONFORMANCE(six_components_give_three, .scene = PAIR("Vec6d", "1 2 3 4 5 6 7 8 9 10 11 12", "Vec3d"), REASON)
MAPPING_CONFORMANCE(rigid_bodies_copy, .scene = PAIR("Rigid3d", BODIES, "Rigid3d"), REASON)
MAPPING_CONFORMANCE(plane_bodies_copy, .scene = PAIR("Rigid2d", "1 2 0.5 3 4 -1", "Rigid2d"), REASON)
MAPPING_CONFORMANCE(rigid_bodies_give_their_centres, .scene = PAIR("Rigid3d", BODIES, "Vec3d"), REASON)
MAPPING_CONFORMANCE(plane_bodies_give_their_centres, .scene = PAIR("Rigid2d", "1 2 0.5 3 4 -1", "Vec2d"), REASON)

static void the_output_takes_the_number_of_points_and_the_positions(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(PAIR("Rigid3d", BODIES, "Vec3d"));
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION);
    const double expected[9] = {1, 2, 3, 0, 1, 0, 2, 0, 0};
    assert_int_equal(x.count, 3);
    assert_memory_equal(x.at, expected, sizeof expected);
    dv_scene_free(scene);
}

static void the_template_follows_from_the_two_states(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root'><MechanicalObject template='Vec6d' position='1 2 3 4 5 6'/>"
                                     "<Node name='Child'><MechanicalObject template='Vec3d'/>"
                                     "<IdentityMapping name='map' template='Vec3d,Vec3d'/></Node></Node>");
    assert_string_equal(dv_object_variant(scene_object(scene, "/Child/map")), "Vec6d,Vec3d");
    dv_scene_free(scene);
}

static void links_name_the_two_states(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><MechanicalObject name='near' template='Vec1d' position='1'/>"
        "<Node name='Far'><MechanicalObject name='a' template='Vec1d' position='5 6'/></Node>"
        "<Node name='Child'><MechanicalObject name='mapped' template='Vec1d'/>"
        "<Node name='Below'><MechanicalObject name='b' template='Vec1d'/></Node>"
        "<Node name='Map'><IdentityMapping name='map' input='@/Far/a' output='@/Child/Below/b'/></Node></Node></Node>");
    const DvConstVec x = dv_state_read(scene_state(scene, "/Child/Below/b"), DV_POSITION);
    assert_int_equal(x.count, 2);
    assert_true(x.at[1] == 6.0);
    assert_true(dv_state_read(scene_state(scene, "/Child/mapped"), DV_POSITION).at[0] == 0.0);
    dv_scene_free(scene);
}

static void the_inputs_rest_positions_are_copied_when_asked(void **state)
{
    (void)state;
    DvScene *scene =
        scene_from_text("<Node name='root'><MechanicalObject template='Vec3d' position='1 2 3' rest_position='4 5 6'/>"
                        "<Node name='Child'><MechanicalObject name='mapped' template='Vec3d' position='7 7 7'/>"
                        "<IdentityMapping applyRestPosition='1'/></Node></Node>");
    const DvStateRef mapped = scene_state(scene, "/Child/mapped");
    assert_true(dv_state_read(mapped, DV_REST_POSITION).at[1] == 5.0);
    assert_true(dv_state_read(mapped, DV_POSITION).at[1] == 2.0);
    dv_scene_free(scene);
}

static void a_mapping_is_mechanical_while_one_of_three_flags_is_set(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        bool mechanical, forces;
    } cases[] = {
        {"", true, true},
        {"isMechanical='false'", false, false},
        {"mapForces='0'", true, false},
        {"mapForces='0' mapConstraints='0'", true, false},
        {"mapForces='0' mapMasses='0'", true, false},
        {"mapConstraints='0' mapMasses='0'", true, true},
        {"mapForces='0' mapConstraints='0' mapMasses='0' mapMatrices='1'", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<Node name='root'><MechanicalObject template='Vec1d' position='1'/><Node name='Child'>"
                 "<MechanicalObject template='Vec1d'/><IdentityMapping name='map' %s/></Node></Node>",
                 cases[i].attributes);
        DvScene *scene = scene_from_text(text);
        DvObject *map = scene_object(scene, "/Child/map");
        const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
        assert_int_equal(ops->is_mechanical(dv_object_self(map)), cases[i].mechanical);
        assert_int_equal(ops->maps_forces(dv_object_self(map)), cases[i].forces);
        assert_int_not_equal(ops->jacobian(dv_object_self(map), 0, 0)->version, 0);
        assert_true(ops->keeps_topology(dv_object_self(map)));
        dv_scene_free(scene);
    }
}

static void the_output_follows_points_that_are_added_and_removed(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root'><EdgeSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 3 0 0' edges='0 1 1 2 2 3'/>"
        "<EdgeSetTopologyModifier name='modifier'/><MechanicalObject name='parent' template='Vec3d'/>"
        "<Node name='Child'><MechanicalObject name='mapped' template='Vec3d'/><IdentityMapping name='map'/>"
        "</Node></Node>");
    DvObject *modifier = scene_object(scene, "/modifier"), *map = scene_object(scene, "/Child/map");
    const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvMappingOps *ops = dv_object_ops(map, DV_MAPPING);
    const DvStateRef parent = scene_state(scene, "/parent"), mapped = scene_state(scene, "/Child/mapped");
    assert_int_equal(dv_state_count(mapped), 4);
    assert_int_equal(change->add_points(dv_object_self(modifier), 2, NULL), DV_OK);
    assert_int_equal(dv_state_count(parent), 6);
    assert_int_equal(dv_state_count(mapped), 6);
    assert_int_equal(change->remove_elements(dv_object_self(modifier), DV_EDGES, 1, (uint32_t[]){0}, false), DV_OK);
    assert_int_equal(change->remove_points(dv_object_self(modifier), 3, (uint32_t[]){5, 4, 0}), DV_OK);
    assert_int_equal(dv_state_count(mapped), 3);
    const DvConstVec in = dv_state_read(parent, DV_POSITION);
    const DvVec out = dv_state_write(mapped, DV_POSITION, DV_OVERWRITE);
    ops->apply(dv_object_self(map), NULL, &in, &out);
    const double expected[9] = {3, 0, 0, 1, 0, 0, 2, 0, 0};
    assert_memory_equal(out.at, expected, sizeof expected);
    assert_int_equal(ops->jacobian(dv_object_self(map), 0, 0)->rows, 3);
    dv_scene_free(scene);
}

static void a_child_without_a_state_of_its_own_is_an_error(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'>\n<MechanicalObject template='Vec3d' position='1 2 3'/>\n"
                      "<Node name='Child'>\n<IdentityMapping/>\n</Node></Node>",
                      "IdentityMapping");
    expect_load_error("<Node name='root'>\n<MechanicalObject template='Vec3d' position='1 2 3'/>\n"
                      "<Node name='Child'>\n<IdentityMapping/>\n</Node></Node>",
                      "scene.scn:4");
}

static void types_that_do_not_go_together_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node name='root'><MechanicalObject template='Vec2d' position='1 2'/>"
                      "<Node name='Child'><MechanicalObject template='Rigid3d'/><IdentityMapping/></Node></Node>",
                      "Vec2d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_components_copy),
        cmocka_unit_test(two_components_copy),
        cmocka_unit_test(one_component_copies),
        cmocka_unit_test(six_components_copy),
        cmocka_unit_test(six_components_give_three),
        cmocka_unit_test(rigid_bodies_copy),
        cmocka_unit_test(plane_bodies_copy),
        cmocka_unit_test(rigid_bodies_give_their_centres),
        cmocka_unit_test(plane_bodies_give_their_centres),
        cmocka_unit_test(the_output_takes_the_number_of_points_and_the_positions),
        cmocka_unit_test(the_template_follows_from_the_two_states),
        cmocka_unit_test(links_name_the_two_states),
        cmocka_unit_test(the_inputs_rest_positions_are_copied_when_asked),
        cmocka_unit_test(a_mapping_is_mechanical_while_one_of_three_flags_is_set),
        cmocka_unit_test(the_output_follows_points_that_are_added_and_removed),
        cmocka_unit_test(a_child_without_a_state_of_its_own_is_an_error),
        cmocka_unit_test(types_that_do_not_go_together_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
