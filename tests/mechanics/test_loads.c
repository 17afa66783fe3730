/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PlaneForceField and ConstantForceField: the conformance suite, closed forms, fields, mistakes.
 */
#include "force_at.h"

#define POINTS \
    "<MechanicalObject name='dofs' template='Vec3d' position='0 -1 0  0.4 0.5 0.03  0.8 -0.3 0.06  1.2 2 0'/>"

FORCE_FIELD_CONFORMANCE(a_plane_is_a_force_field,
                        .scene = "<Node>" POINTS
                                 "<PlaneForceField name='field' normal='0 1 0.2' d='0.02' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(a_plane_on_both_sides_is_a_force_field,
                        .scene = "<Node>" POINTS "<PlaneForceField name='field' damping='0' bilateral='1'/></Node>")
FORCE_FIELD_CONFORMANCE(a_plane_in_the_plane_is_a_line,
                        .scene = "<Node><MechanicalObject template='Vec2d' position='0 -1 1 -2 0 1'/>"
                                 "<PlaneForceField name='field' normal='0.3 1' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(a_plane_on_a_line_is_a_point,
                        .scene = "<Node><MechanicalObject template='Vec1d' position='-1 2 -0.5'/>"
                                 "<PlaneForceField name='field' normal='1' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(a_plane_in_six_dimensions,
                        .scene = "<Node><MechanicalObject template='Vec6d' position='-1 2 -0.5 1 2 3'/>"
                                 "<PlaneForceField name='field' normal='1 0 0 0 0.5 0' d='10' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(a_plane_holds_bodies_at_their_centres,
                        .scene = "<Node><MechanicalObject template='Rigid3d' position='0 -1 0 0 0 0 1  0 2 0 0 0 0 1'/>"
                                 "<PlaneForceField name='field' normal='0.1 1 0' damping='0'/></Node>")
FORCE_FIELD_CONFORMANCE(a_constant_force_is_a_force_field,
                        .scene = "<Node>" POINTS
                                 "<ConstantForceField name='field' indices='0 2' forces='1 2 3'/></Node>")

static void a_point_below_the_plane_is_pushed_in_proportion_to_its_depth(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec3d' position='0 0.5 0  0 2 0' velocity='1 0 0 0 0 0'/>"
              "<PlaneForceField name='field' normal='0 2 0' d='3' stiffness='10' damping='0.5'/></Node>",
              &f);
    assert_close(f.at[0][1], 10 * 2 * 2, 1e-13);     /* depth 0.5 * 2 - 3 = -2, along a normal of length 2 */
    assert_close(f.at[0][0], -0.5 * 2 * 1.0, 1e-13); /* damping against the motion, in proportion to the depth */
    assert_close(f.at[0][4], 0.0, 0.0);
}

static void the_force_is_cut_at_its_limit(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec3d' position='0 -3 0 0 -0.001 0'/>"
              "<PlaneForceField name='field' stiffness='10' damping='0' maxForce='4'/></Node>",
              &f);
    assert_close(f.at[0][1], 4.0, 1e-13);
    assert_close(f.at[0][4], 0.01, 1e-15);
}

static void only_points_of_the_range_count(void **state)
{
    (void)state;
    static Forces f;
    static const struct {
        const char *range;
        double expected[4];
    } ranges[] = {{"1 2", {0, 10, 10, 0}},     {"1 99", {0, 10, 10, 10}}, {"3 3", {0, 0, 0, 10}},
                  {"0 0", {10, 0, 0, 0}},      {"1 -1", {0, 10, 10, 10}}, {"-1 1", {10, 10, 0, 0}},
                  {"-1 -1", {10, 10, 10, 10}}, {"-2 1", {10, 10, 10, 10}}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        DvText text = {0};
        dv_text_add(&text,
                    "<Node><MechanicalObject template='Vec1d' position='-1 -1 -1 -1'/><PlaneForceField name='field' "
                    "normal='1' stiffness='10' damping='0' localRange='%s'/></Node>",
                    ranges[i].range);
        forces_of(text.at, &f);
        for (int p = 0; p < 4; p++)
            assert_close(f.at[0][p], ranges[i].expected[p], 1e-14);
        dv_text_free(&text);
    }
    forces_of("<Node><MechanicalObject template='Vec1d' position='-1 -1 -1 -1'/>"
              "<PlaneForceField name='field' normal='1' stiffness='10' damping='0' localRange='3 2'/></Node>",
              &f);
    assert_close(f.at[0][0], 10.0, 1e-14); /* no range: all */
}

static void negative_values_are_replaced_by_defaults(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Vec1d' position='-1' velocity='1'/>"
              "<PlaneForceField name='field' normal='1' stiffness='-10' damping='-2' maxForce='-1'/></Node>",
              &f);
    assert_close(f.at[0][0], 500.0 - 5.0, 1e-12);
}

static void one_force_acts_on_each_point_and_many_on_their_own(void **state)
{
    (void)state;
    static Forces f;
    const char *points =
        "<Node><MechanicalObject template='Vec2d' position='0 0 1 1 2 2'/><ConstantForceField name='field' %s/></Node>";
    const struct {
        const char *fields;
        double expected[6];
    } cases[] = {
        {"forces='1 2'", {1, 2, 1, 2, 1, 2}},
        {"indices='2 0' forces='1 2 3 4'", {3, 4, 0, 0, 1, 2}},
        {"indices='0 1' totalForce='4 2'", {2, 1, 2, 1, 0, 0}},
        {"totalForce='3 6'", {1, 2, 1, 2, 1, 2}},
        {"indices='0' indexFromEnd='1' forces='1 2'", {0, 0, 0, 0, 1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *gap = strstr(points, "%s");
        DvText text = {0};
        dv_text_add(&text, "%.*s%s%s", (int)(gap - points), points, cases[i].fields, gap + 2);
        forces_of(text.at, &f);
        for (int c = 0; c < 6; c++)
            assert_close(f.at[0][c], cases[i].expected[c], 1e-14);
        dv_text_free(&text);
    }
}

static void the_quantity_that_was_not_given_is_kept_up_to_date(void **state)
{
    (void)state;
    static Forces f;
    DvScene *scene = scene_from_text("<Node><MechanicalObject template='Vec1d' position='0 1 2'/>"
                                     "<ConstantForceField name='field' forces='1 2 4'/></Node>");
    assert_close(field_doubles(scene, "/field", "totalForce", NULL)[0], 7.0, 1e-14);
    dv_data_set(dv_object_field(scene_object(scene, "/field"), "forces"), (double[]){5}, 1);
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][2], 5.0, 0.0);
    assert_close(field_doubles(scene, "/field", "totalForce", NULL)[0], 15.0, 1e-14);
    dv_scene_free(scene);
}

static void forces_act_on_bodies_and_their_rotations(void **state)
{
    (void)state;
    static Forces f;
    forces_of("<Node><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/>"
              "<ConstantForceField name='field' forces='1 2 3 4 5 6'/></Node>",
              &f);
    for (int c = 0; c < 6; c++)
        assert_close(f.at[0][c], c + 1.0, 0.0);
    forces_of("<Node><MechanicalObject template='Rigid2d' position='0 0 0'/>"
              "<ConstantForceField name='field' totalForce='1 2 3'/></Node>",
              &f);
    for (int c = 0; c < 3; c++)
        assert_close(f.at[0][c], c + 1.0, 0.0);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_load_error("<Node>" POINTS "<ConstantForceField name='C'/></Node>",
                      "ConstantForceField 'C': no force; give 'forces' or 'totalForce'");
    expect_load_error("<Node>" POINTS "<ConstantForceField name='C' indices='1 7' forces='1 0 0'/></Node>",
                      "ConstantForceField 'C': indices[1]: no point 7: the state has 4, counted from 0");
    expect_load_error("<Node>" POINTS "<ConstantForceField name='C' indices='0 1 2' forces='1 0 0 2 0 0'/></Node>",
                      "holds 2 forces for 3 points");
    expect_load_error("<Node>" POINTS "<ConstantForceField indices='0 1 2 3 0' forces='1 0 0'/></Node>",
                      "5 points of only 4");
    expect_load_error("<Node><PlaneForceField normal='1 0 0'/></Node>", "PlaneForceField");
}

static void collect(const DvMessage *message, void *context)
{
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static void negative_numbers_of_a_plane_are_replaced_and_told(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    DvScene *scene = scene_from_text(
        "<Node>\n<MechanicalObject position='0 -2 0'/>\n"
        "<PlaneForceField name='field' normal='0 1 0' stiffness='-7' damping='-3' maxForce='-1'/></Node>");
    dv_log_set_handler(NULL, NULL);
    assert_non_null(said.at);
    assert_non_null(strstr(said.at, "PlaneForceField 'field': stiffness: -7 is negative; 500 is taken\n"));
    assert_non_null(strstr(said.at, "PlaneForceField 'field': damping: -3 is negative; 5 is taken\n"));
    assert_non_null(strstr(said.at, "PlaneForceField 'field': maxForce: -1 is negative; 0 is taken\n"));
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][1], 500.0 * 2.0, 0.0);
    dv_scene_free(scene);
    dv_text_free(&said);
}

/* The field is initialised again for another state in the place of its own: what it computed is not what was given. */
static void a_total_is_shared_among_the_points_of_the_next_state(void **state)
{
    (void)state;
    DvText said = {0};
    dv_log_set_handler(collect, &said);
    static Forces f;
    for (int each = 0; each < 2; each++) {
        DvText text = {0};
        dv_text_add(
            &text,
            "<Node name='root'><DefaultAnimationLoop/><MechanicalObject name='dofs' template='Vec1d' position='0 0'/>"
            "<ConstantForceField name='field' %s/></Node>",
            each ? "forces='4'" : "totalForce='6'");
        DvScene *scene = scene_from_text(text.at);
        forces_at_time(scene, 0.0, &f);
        assert_close(f.at[0][1], each ? 4.0 : 3.0, 0.0);
        dv_object_remove(scene_object(scene, "/dofs"));
        assert_int_equal(dv_object_new(dv_scene_root(scene), "MechanicalObject", NULL, "name", "dofs", "template",
                                       "Vec1d", "position", "0 0 0", NULL),
                         DV_OK);
        assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
        forces_at_time(scene, 0.0, &f);
        for (int i = 0; i < 3; i++)
            assert_close(f.at[0][i], each ? 4.0 : 2.0, 0.0);
        dv_scene_free(scene);
        dv_text_free(&text);
    }
    dv_log_set_handler(NULL, NULL);
    assert_null(said.at);
}

/* A mass m on the springs of a plane, k |n|^2: w = |n| sqrt(k / m), beyond h = 2 / w an explicit step diverges. */
static void a_plane_tells_which_step_it_is_too_stiff_for(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        double lightest, dt, likelihood;
        const char *cause, *remedy;
    } cases[] = {
        {"normal='0 1 0' stiffness='10000'", 0.25, 0.02, 1.0, "oscillates at 200 rad/s", "a dt below 0.01 s"},
        {"normal='0 1 0' stiffness='10000'", 1.0, 0.04, 1.0, "oscillates at 100 rad/s", "a dt below 0.02 s"},
        {"normal='0 1 0' stiffness='10000'", 1.0, 0.0199, 0.0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<Node><MechanicalObject name='dofs' position='0 0 0'/><PlaneForceField name='field' %s/></Node>",
                 cases[i].attributes);
        DvScene *scene = scene_from_text(text);
        DvObject *field = scene_object(scene, "/field");
        const DvFaultCauseOps *ops = dv_object_ops(field, DV_FAULT_CAUSE);
        DvFault fault = fault_of_all_states();
        fault.explicit_solver = true;
        fault.lightest = cases[i].lightest;
        fault.dt = cases[i].dt;
        DvText cause = {0}, remedy = {0};
        const double likelihood = ops->explain(dv_object_self(field), &fault, &cause, &remedy);
        assert_true((likelihood > 0.0) == (cases[i].likelihood > 0.0));
        if (cases[i].cause) {
            assert_non_null(strstr(cause.at, cases[i].cause));
            assert_non_null(strstr(remedy.at, cases[i].remedy));
        }
        dv_text_free(&cause);
        dv_text_free(&remedy);
        dv_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_numbers_of_a_plane_are_replaced_and_told),
        cmocka_unit_test(a_plane_is_a_force_field),
        cmocka_unit_test(a_plane_on_both_sides_is_a_force_field),
        cmocka_unit_test(a_plane_in_the_plane_is_a_line),
        cmocka_unit_test(a_plane_on_a_line_is_a_point),
        cmocka_unit_test(a_plane_in_six_dimensions),
        cmocka_unit_test(a_plane_holds_bodies_at_their_centres),
        cmocka_unit_test(a_constant_force_is_a_force_field),
        cmocka_unit_test(a_point_below_the_plane_is_pushed_in_proportion_to_its_depth),
        cmocka_unit_test(the_force_is_cut_at_its_limit),
        cmocka_unit_test(only_points_of_the_range_count),
        cmocka_unit_test(negative_values_are_replaced_by_defaults),
        cmocka_unit_test(one_force_acts_on_each_point_and_many_on_their_own),
        cmocka_unit_test(the_quantity_that_was_not_given_is_kept_up_to_date),
        cmocka_unit_test(a_total_is_shared_among_the_points_of_the_next_state),
        cmocka_unit_test(forces_act_on_bodies_and_their_rotations),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_plane_tells_which_step_it_is_too_stiff_for),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
