/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RestShapeSpringsForceField: the conformance suite for each DOF type, and what its fields promise.
 */
#include "force_at.h"

#include <divan/math/quat.h>

#define POINTS \
    "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0  0.4 0.05 0.03  0.8 0 0.06  1.2 0.05 0'/>"
#define BODIES \
    "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  1 0 0 0 0.6 0 0.8  2 1 0 0 0 0 1'/>"

FORCE_FIELD_CONFORMANCE(points_are_pulled_back,
                        .scene = "<Node>" POINTS
                                 "<RestShapeSpringsForceField name='field' points='3 1' stiffness='100 200'/></Node>")
FORCE_FIELD_CONFORMANCE(points_on_a_line_are_pulled_back,
                        .scene = "<Node><MechanicalObject name='dofs' template='Vec1d' position='0 1 2'/>"
                                 "<RestShapeSpringsForceField name='field' stiffness='7'/></Node>")
FORCE_FIELD_CONFORMANCE(some_directions_are_free,
                        .scene = "<Node>" POINTS
                                 "<RestShapeSpringsForceField name='field' activeDirections='1 0 1'/></Node>")
FORCE_FIELD_CONFORMANCE(bodies_are_pulled_back, .tangent = TANGENT_AT_REST, .energy = ENERGY_AT_REST,
                        .reason = "the derivative of the torque is that of small rotations",
                        .scene = "<Node>" BODIES "<RestShapeSpringsForceField name='field' stiffness='100 50 20' "
                                 "angularStiffness='20 30'/></Node>")

static void a_displaced_point_feels_a_force_in_proportion(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec3d' rest_position='0 0 0 1 1 1' position='0 0 0 1.5 1 0'/>"
              "<RestShapeSpringsForceField name='field' points='1' stiffness='10' activeDirections='1 1 0'/></Node>",
              &f);
    assert_close(f.at[0][3], -5.0, 1e-14);
    assert_close(f.at[0][5], 0.0, 0.0);
    forces_of("<Node><MechanicalObject template='Vec3d' rest_position='0 0 0 1 1 1' position='0 0 0 1.5 1 0'/>"
              "<RestShapeSpringsForceField name='field'/></Node>",
              &f);
    assert_close(f.at[0][3], -50.0, 1e-12);
    assert_close(f.at[0][5], 100.0, 1e-12);
}

static void a_turned_body_feels_a_torque_in_proportion_to_the_angle(void **state)
{
    (void)state;
    static Forces f;
    const DvQuat q = dv_quat_from_rotation_vector(dv_vec3(0.0, 0.0, 2.0));
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node><MechanicalObject template='Rigid3d' rest_position='0 0 0 0 0 0 1' position='0 0 0 0 0 %.17g %.17g'/>"
        "<RestShapeSpringsForceField name='field' stiffness='3' angularStiffness='5'/></Node>",
        -q.z, -q.w);
    forces_of(text.at, &f);
    assert_close(f.at[0][5], -5.0 * 2.0, 1e-12);
    assert_close(f.at[0][3], 0.0, 1e-12);
    dv_text_free(&text);
}

/* Bodies turned by 0.5 rad about z and moved by 1 along x: each spring has its own numbers. */
static void each_body_has_its_own_stiffness(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        double linear[3], angular[3];
    } cases[] = {
        {"stiffness='1 2 3' angularStiffness='20 30 50'", {1, 2, 3}, {20, 30, 50}},
        {"stiffness='1 2 3' angularStiffness='20 30'", {1, 2, 3}, {20, 30, 100}}, /* 100 where one is missing */
        {"stiffness='1 2 3'", {1, 2, 3}, {100, 100, 100}},
        {"stiffness='1 2' angularStiffness='20 30 50'", {1, 2, 1}, {20, 30, 20}}, /* beyond stiffness: the first */
        {"stiffness='7' angularStiffness='20 30 50'", {7, 7, 7}, {20, 20, 20}},
        {"angularStiffness='20'", {100, 100, 100}, {20, 20, 20}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(&text, "<Node><MechanicalObject template='Rigid3d' "
                           "rest_position='0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1' position='");
        for (int body = 0; body < 3; body++)
            dv_text_add(&text, "1 0 0 0 0 %.17g %.17g ", sin(0.25), cos(0.25));
        dv_text_add(&text, "'/><RestShapeSpringsForceField name='field' %s/></Node>", cases[i].fields);
        static Forces f;
        DvScene *scene = scene_from_text(text.at);
        forces_at_time(scene, 0.0, &f);
        const DvForceFieldOps *ops = field_ops(scene_object(scene, "/field"));
        double unit[18], product[18] = {0}; /* the tangent, applied to ones, must have the same numbers */
        for (int c = 0; c < 18; c++)
            unit[c] = 1.0;
        const DvConstVec dx = {unit, 3, 6};
        const DvVec df = {product, 3, 6};
        const DvStep step = {.time = 0.0, .dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
        ops->add_dforce(dv_object_self(scene_object(scene, "/field")), &step, 1.0, 0.0, &dx, &df);
        for (int body = 0; body < 3; body++) {
            assert_close(f.at[0][6 * body], -cases[i].linear[body], 1e-12);
            assert_close(f.at[0][6 * body + 5], -0.5 * cases[i].angular[body], 1e-11);
            assert_close(product[6 * body + 1], -cases[i].linear[body], 0.0);
            assert_close(product[6 * body + 3], -cases[i].angular[body], 0.0);
        }
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void points_of_another_state_can_be_followed(void **state)
{
    (void)state;
    static Forces f;
    const char *scene =
        "<Node><Node name='other'><MechanicalObject name='dofs' template='Vec3d' position='5 0 0  6 0 0'/></Node>"
        "<MechanicalObject name='dofs' template='Vec3d' position='0 0 0 1 0 0'/>"
        "<RestShapeSpringsForceField name='field' stiffness='10' external_rest_shape='@other/dofs' %s/></Node>";
    const struct {
        const char *fields;
        double first, second;
    } cases[] = {{"", 50.0, 50.0},
                 {"points='1'", 0.0, 50.0},
                 {"points='1' external_points='0'", 0.0, 40.0},
                 {"points='0 1' external_points='1 0'", 60.0, 40.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *gap = strstr(scene, "%s");
        DvText text = {0};
        dv_text_add(&text, "%.*s%s%s", (int)(gap - scene), scene, cases[i].fields, gap + 2);
        forces_of(text.at, &f);
        assert_close(f.at[0][0], cases[i].first, 1e-12);
        assert_close(f.at[0][3], cases[i].second, 1e-12);
        dv_text_free(&text);
    }
}

static void changes_are_taken_up_unless_told_otherwise(void **state)
{
    (void)state;
    static Forces f;
    for (int follows = 0; follows < 2; follows++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node><MechanicalObject template='Vec1d' rest_position='0 0' position='1 1'/>"
            "<RestShapeSpringsForceField name='field' points='0' stiffness='10' recompute_indices='%d'/></Node>",
            follows);
        DvScene *scene = scene_from_text(text.at);
        dv_data_set(dv_object_field(scene_object(scene, "/field"), "points"), (uint32_t[]){1}, 1);
        forces_at_time(scene, 0.0, &f);
        assert_close(f.at[0][follows], -10.0, 1e-14);
        assert_close(f.at[0][1 - follows], 0.0, 0.0);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" POINTS "<RestShapeSpringsForceField name='R' points='1 4'/></Node>",
                      "RestShapeSpringsForceField 'R': points[1]: no point 4: the state has 4, counted from 0");
    expect_load_error("<Node><Node name='other'>" BODIES "</Node>" POINTS
                      "<RestShapeSpringsForceField external_rest_shape='@other/dofs'/></Node>",
                      "Rigid3d");
    expect_load_error(
        "<Node><Node name='other'>" POINTS "</Node>" POINTS
        "<RestShapeSpringsForceField external_rest_shape='@other/dofs' points='0 1' external_points='1'/></Node>",
        "2 points are to follow 1 points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_pulled_back),
        cmocka_unit_test(points_on_a_line_are_pulled_back),
        cmocka_unit_test(some_directions_are_free),
        cmocka_unit_test(bodies_are_pulled_back),
        cmocka_unit_test(a_displaced_point_feels_a_force_in_proportion),
        cmocka_unit_test(a_turned_body_feels_a_torque_in_proportion_to_the_angle),
        cmocka_unit_test(each_body_has_its_own_stiffness),
        cmocka_unit_test(points_of_another_state_can_be_followed),
        cmocka_unit_test(changes_are_taken_up_unless_told_otherwise),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
