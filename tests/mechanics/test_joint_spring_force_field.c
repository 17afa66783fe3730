/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JointSpringForceField: the conformance suite, the torque laws, the syntax of joints, and files.
 */
#include "force_at.h"

#include <divan/contracts/topology.h>
#include <divan/embed.h>
#include <divan/math/quat.h>

#include <stdio.h>
#include <unistd.h>

#define BODIES(second) "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  " second "'/>"
#define AT_ORIGIN      "0 0 0 0 0 0 1"

FORCE_FIELD_CONFORMANCE(
    joints_are_a_force_field, .tangent = TANGENT_LEFT_OUT, .energy = ENERGY_NONE,
    .reason = "the derivative is that of small relative displacements, without the lever of the forces",
    .scene = "<Node>" BODIES(
        "1 0.2 0 0 0 0.6 0.8  2 0 0 0 0 0 1") "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 FREE_AXIS 1 0 0 0 0 1 KS_T 3 100 KS_R 2 50 "
                                              "END_SPRING BEGIN_SPRING 2 1 KD 0.5 REST_T 1 0 0 END_SPRING'/></Node>")
FORCE_FIELD_CONFORMANCE(
    joints_that_are_straight_have_their_derivative, .tangent = TANGENT_AT_REST, .energy = ENERGY_NONE,
    .reason = "the derivative is that of small relative displacements, without the lever of the forces",
    .scene = "<Node>" BODIES(
        AT_ORIGIN) "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 FREE_AXIS 1 0 0 0 0 0 KS_T 3 100 KS_R 2 50 "
                   "END_SPRING'/></Node>")
FORCE_FIELD_CONFORMANCE(
    joints_between_two_states, .tangent = TANGENT_LEFT_OUT, .energy = ENERGY_NONE,
    .reason = "the derivative is that of small relative displacements, without the lever of the forces",
    .scene =
        "<Node><Node name='A'><MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1  1 0.2 0 0 0 0.6 0.8  "
        "2 0 0 0 0 0 1'/></Node><Node name='B'><MechanicalObject name='dofs' template='Rigid3d' position='0 1 0 0 0.6 0 0.8  "
        "1 1 0 0 0 0 1'/></Node><JointSpringForceField name='field' object1='@A/dofs' object2='@B/dofs' "
        "spring='BEGIN_SPRING 0 1 FREE_AXIS 1 0 0 0 0 1 KS_T 3 100 KS_R 2 50 END_SPRING BEGIN_SPRING 2 0 FREE_AXIS 0 1 1 0 1 0 "
        "END_SPRING'/></Node>")

/* The force and torque on the first body, its partner turned by a rotation vector. */
static void turned(const char *joint, DvVec3 rotation, Forces *f)
{
    const DvQuat q = dv_quat_from_rotation_vector(rotation);
    DvText text = {0};
    dv_text_add(
        &text,
        "<Node>" BODIES("0 0 0 %.17g %.17g %.17g %.17g") "<JointSpringForceField name='field' spring='%s'/></Node>",
        q.x, q.y, q.z, q.w, joint);
    forces_of(text.at, f);
    dv_text_free(&text);
}

static void locked_rotations_pull_back_in_proportion(void **state)
{
    (void)state;
    static Forces f;
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 0 0 KS_R 2 50 END_SPRING", dv_vec3(0.1, -0.2, 0.3), &f);
    assert_close(f.at[0][3], 50 * 0.1, 1e-12);
    assert_close(f.at[0][4], 50 * -0.2, 1e-12);
    assert_close(f.at[0][5], 50 * 0.3, 1e-12);
    assert_close(f.at[0][11], -50 * 0.3, 1e-12);
}

/* What a joint does not say of its axes: bodies are held together, and turn as they like. */
static void a_joint_without_axes_is_a_ball_joint(void **state)
{
    (void)state;
    static Forces f;
    for (int axis = 0; axis < 3; axis++) {
        turned("BEGIN_SPRING 0 1 KS_R 2 50 END_SPRING",
               dv_vec3(axis == 0 ? 0.1 : 0, axis == 1 ? 0.1 : 0, axis == 2 ? 0.1 : 0), &f);
        for (int c = 0; c < 3; c++)
            assert_close(f.at[0][3 + c], c == axis ? 2 * 0.1 : 0.0, 1e-12);
    }
}

static void one_free_axis_is_soft_about_itself_and_upright_otherwise(void **state)
{
    (void)state;
    static Forces f;
    for (int axis = 0; axis < 3; axis++) {
        char joint[128];
        snprintf(joint, sizeof joint, "BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 %d %d %d KS_R 2 50 END_SPRING", axis == 0,
                 axis == 1, axis == 2);
        double about[3] = {0, 0, 0};
        about[axis] = 0.7;
        turned(joint, dv_vec3_load(about), &f);
        for (int c = 0; c < 3; c++)
            assert_close(f.at[0][3 + c], c == axis ? 2 * 0.7 : 0.0, 1e-12);
        /* Tilted about another axis: that one turns the free axis back. */
        for (int other = 1; other < 3; other++) {
            double tilt[3] = {0, 0, 0};
            tilt[(axis + other) % 3] = 0.2;
            turned(joint, dv_vec3_load(tilt), &f);
            for (int c = 0; c < 3; c++)
                assert_close(f.at[0][3 + c], c == (axis + other) % 3 ? 50 * 0.2 * sin(0.2) : 0.0, 1e-12);
        }
    }
}

static void beyond_a_limit_bloc_holds_the_excess(void **state)
{
    (void)state;
    static Forces f;
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_X -0.1 0.4 END_SPRING", dv_vec3(0.6, 0, 0),
           &f);
    assert_close(f.at[0][3], 30 * 0.2, 1e-12);
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_X -0.1 0.4 END_SPRING", dv_vec3(-0.3, 0, 0),
           &f);
    assert_close(f.at[0][3], 30 * -0.2, 1e-12);
    /* From 2.9 rad it is less far to -2.5 rad, the other way round. */
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_X -2.5 0.4 END_SPRING", dv_vec3(2.9, 0, 0),
           &f);
    assert_close(f.at[0][3], 30 * (2.9 + 2.5 - 2.0 * DV_PI), 1e-12);
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_X -0.4 2.5 END_SPRING", dv_vec3(-2.9, 0, 0),
           &f);
    assert_close(f.at[0][3], 30 * (2.0 * DV_PI - 2.9 - 2.5), 1e-12);
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_X -0.4 2.5 END_SPRING", dv_vec3(-0.9, 0, 0),
           &f);
    assert_close(f.at[0][3], 30 * -0.5, 1e-12);
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 R_LIM_Y -1 0.4 END_SPRING", dv_vec3(0, 0.5, 0), &f);
    assert_close(f.at[0][4], 0.5 * 0.1, 1e-12); /* without KS_B: a hundredth of the hard stiffness */
    /* Equal limits lock the axis. */
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 0 1 KS_R 2 50 R_LIM_Z 0 0 END_SPRING", dv_vec3(0, 0, 0.5), &f);
    assert_close(f.at[0][5], 50 * 0.5, 1e-12);
}

/* About each axis, for limits on both sides of zero: the excess is that over the limit which is less far, by either way round. */
static void the_nearer_limit_holds(void **state)
{
    (void)state;
    static const double below[] = {-2.8, -1.5, -0.3, -0.01}, above[] = {0.02, 0.4, 1.9, 3.0};
    static const char *const names[] = {"X", "Y", "Z"};
    static Forces f;
    for (int number = 0; number < 3 * 16; number++) {
        const int axis = number % 3;
        const double limit[2] = {below[number / 3 % 4], above[number / 12]};
        char joint[160];
        snprintf(joint, sizeof joint,
                 "BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_R 2 50 KS_B 30 R_LIM_%s %g %g END_SPRING", names[axis],
                 limit[0], limit[1]);
        for (double t = -3.05; t < 3.1; t += 0.61) {
            double about[3] = {0, 0, 0}, excess = 0.0;
            about[axis] = t;
            for (int turn = -1; turn < 2; turn++)
                for (int side = 0; side < 2; side++) {
                    const double over = t - limit[side] + 2.0 * DV_PI * turn;
                    excess = excess == 0.0 || fabs(over) < fabs(excess) ? over : excess;
                }
            turned(joint, dv_vec3_load(about), &f);
            const bool inside = t >= limit[0] && t <= limit[1];
            for (int c = 0; c < 3; c++)
                assert_close(f.at[0][3 + c], c != axis ? 0.0 : inside ? 2.0 * t : 30.0 * excess, 1e-10);
        }
    }
    /* Two limits at once, and an axis that is not free beside them. */
    turned("BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 0 KS_R 2 50 KS_B 30 R_LIM_X -1 0.1 R_LIM_Y -0.2 1 END_SPRING",
           dv_vec3(0.3, -0.6, 0.5), &f);
    assert_close(f.at[0][3], 30 * 0.2, 1e-12);
    assert_close(f.at[0][4], 30 * -0.4, 1e-12);
    assert_close(f.at[0][5], 50 * 0.5, 1e-12);
}

static void translations_are_soft_or_hard_in_the_axes_of_the_first_body(void **state)
{
    (void)state;
    static Forces f;
    forces_of(
        "<Node><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0.70710678118654757 0.70710678118654757  1 2 3 0 0 "
        "0.70710678118654757 0.70710678118654757' velocity='0 0 0 0 0 0  1 0 0 0 0 2'/><JointSpringForceField name='field' "
        "spring='BEGIN_SPRING 0 1 FREE_AXIS 1 0 0 0 0 0 KS_T 3 100 KD 0.5 END_SPRING'/></Node>",
        &f);
    assert_close(f.at[0][0], 100 * 1 + 0.5, 1e-12); /* its y axis is the world's -x */
    assert_close(f.at[0][1], 3 * 2, 1e-12);
    assert_close(f.at[0][2], 100 * 3, 1e-12);
    assert_close(f.at[0][5], 0.5 * 2, 1e-12);
}

static void a_given_rest_translation_means_that_the_start_is_measured(void **state)
{
    (void)state;
    static Forces f;
    DvScene *scene =
        scene_from_text("<Node>" BODIES("1 2 3 0 0 0 1") "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 "
                                                         "REST_T 9 9 9 END_SPRING'/></Node>");
    forces_at_time(scene, 0.0, &f);
    for (int i = 0; i < 12; i++)
        assert_close(f.at[0][i], 0.0, 1e-9);
    size_t count;
    const double *frames = field_doubles(scene, "/field", "restFrames", &count);
    assert_int_equal(count, 7);
    assert_close(frames[2], 3.0, 0.0);
    dv_scene_free(scene);
    forces_of(
        "<Node>" BODIES(
            "1 0 0 0 0 0.6 0.8") "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 0 0 "
                                 "KS_R 0 10 REST_R 0 0 -0.6 0.8 END_SPRING'/></Node>",
        &f);
    assert_close(f.at[0][5], 0.0, 1e-12); /* a rest rotation alone is taken as given */
    assert_close(f.at[0][0], 10000.0, 1e-9);
}

static void stiffnesses_not_given_are_those_of_the_joint_before(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node>" BODIES(AT_ORIGIN) "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 KS_T 1 2 "
                                   "KS_R 3 4 KD 5 END_SPRING BEGIN_SPRING 1 0 END_SPRING'/></Node>");
    DvText printed = {0};
    DvData *spring = dv_object_field(scene_object(scene, "/field"), "spring");
    dv_data_print(spring, &printed);
    const char *second = strstr(printed.at, "BEGIN_SPRING 1 0");
    assert_non_null(second);
    assert_non_null(strstr(second, "KS_T 1 2 KS_R 3 4 KS_B 0.04 KD 5"));
    /* What is printed reads back the same. */
    DvText again = {0};
    assert_int_equal(dv_data_set_text(spring, printed.at), DV_OK);
    dv_data_print(spring, &again);
    assert_string_equal(again.at, printed.at);
    dv_text_free(&printed);
    dv_text_free(&again);
    dv_scene_free(scene);
}

/* A list of 1 to 40 joints, each as stiff as its number says. */
static void lists_are_as_long_as_they_are(void **state)
{
    (void)state;
    for (int count = 1; count <= 40; count += 3) {
        DvText text = {0}, printed = {0};
        dv_text_add(&text, "<Node>" BODIES(AT_ORIGIN) "<JointSpringForceField name='field' spring='");
        for (int i = 0; i < count; i++)
            dv_text_add(&text, "BEGIN_SPRING 0 1 KS_T %d 1 KS_R 2 3 END_SPRING ", 100 + i);
        dv_text_add(&text, "'/></Node>");
        DvScene *scene = scene_from_text(text.at);
        DvData *spring = dv_object_field(scene_object(scene, "/field"), "spring");
        assert_int_equal(spring->count, count);
        dv_data_print(spring, &printed);
        const char *at = printed.at;
        for (int i = 0; i < count; i++) {
            char stiffness[32];
            snprintf(stiffness, sizeof stiffness, "KS_T %d 1 ", 100 + i);
            at = strstr(at, stiffness);
            assert_non_null(at);
        }
        assert_null(strstr(at + 1, "KS_T"));
        dv_scene_free(scene);
        dv_text_free(&printed);
        dv_text_free(&text);
    }
}

static void forces_of_a_file_are_added_and_forces_are_written_to_one(void **state)
{
    (void)state;
    char in[] = P_tmpdir "/divan-joint-in-XXXXXX", out[] = P_tmpdir "/divan-joint-out-XXXXXX";
    FILE *file = fdopen(mkstemp(in), "w");
    fprintf(file, "1 0 0 0 0 4\n2 0 0 0 0 5\n");
    fclose(file);
    close(mkstemp(out));
    DvText text = {0};
    dv_text_add(&text,
                "<Node>" BODIES(AT_ORIGIN) "<JointSpringForceField name='field' infile='%s' outfile='%s' period='0.05' "
                                           "spring='BEGIN_SPRING 0 1 END_SPRING'/></Node>",
                in, out);
    DvScene *scene = scene_from_text(text.at);
    static Forces f;
    forces_at_time(scene, 0.0, &f);
    assert_close(f.at[0][0], 1.0, 1e-14);
    assert_close(f.at[0][5], 4.0, 1e-14);
    forces_at_time(scene, 0.01, &f);
    assert_close(f.at[0][0], 2.0, 1e-14);
    forces_at_time(scene, 0.02, &f); /* again from the start */
    assert_close(f.at[0][0], 1.0, 1e-14);
    forces_at_time(scene, 0.05, &f);
    dv_scene_free(scene);
    char line[256];
    int lines = 0;
    file = fopen(out, "r");
    while (fgets(line, sizeof line, file))
        lines++;
    fclose(file);
    assert_int_equal(lines, 2); /* at 0 and at 0.05 */
    text.length = 0;
    dv_text_add(&text,
                "<Node>" BODIES(AT_ORIGIN) "<JointSpringForceField name='field' outfile='%s' reinit='1' "
                                           "spring='BEGIN_SPRING 0 1 END_SPRING'/></Node>",
                out);
    scene = scene_from_text(text.at);
    for (int i = 0; i < 3; i++)
        forces_at_time(scene, 0.01 * i, &f);
    dv_scene_free(scene);
    file = fopen(out, "r");
    for (lines = 0; fgets(line, sizeof line, file);)
        lines++;
    fclose(file);
    assert_int_equal(lines, 1);
    dv_text_free(&text);
    unlink(in);
    unlink(out);
}

static void an_unknown_tag_is_named(void **state)
{
    (void)state;
    static Forces f;
    expect_load_error("<Node>" BODIES(AT_ORIGIN) "<JointSpringForceField spring='BEGIN_SPRING 0 7 END_SPRING'/></Node>",
                      "no body 7: the state has 2, counted from 0");
    forces_of(
        "<Node>" BODIES(
            "1 0 0 0 0 0 1") "<JointSpringForceField name='field' spring='BEGIN_SPRING 0 1 END_SPRING BEGIN_SPRING 0 1 "
                             "STIFF 4 END_SPRING'/></Node>",
        &f);
    assert_close(f.at[0][0], 10000.0, 1e-9); /* what was read before it acts */
}

static double force_along_x(DvScene *scene, uint32_t point)
{
    DvObject *field = scene_object(scene, "/field");
    const DvStateRef dofs = scene_state(scene, "/dofs");
    const uint32_t count = dv_state_count(dofs);
    double v[24] = {0}, f[24] = {0};
    const DvConstVec x = dv_state_read(dofs, DV_POSITION), xs[2] = {x, x}, vs[2] = {{v, count, 6}, {v, count, 6}};
    const DvVec fs[2] = {{f, count, 6}, {f, count, 6}};
    const DvStep step = {.dt = 0.01, .position = DV_POSITION, .velocity = DV_VELOCITY};
    field_ops(field)->add_force(dv_object_self(field), &step, xs, vs, fs);
    return f[6 * point];
}

/* Bodies at 0, 1, 2, 3 on a line, with joints 0-1, 0-3, 2-3 of 10, 20, 30 N/m and the rest lengths of the start. */
static void joints_follow_bodies_that_leave_and_change_places(void **state)
{
    (void)state;
#define JOINT(bodies, k) \
    "BEGIN_SPRING " bodies " FREE_AXIS 1 1 1 1 1 1 KS_T " k " " k " KS_R 0 0 REST_T 0 0 0 END_SPRING "
    DvScene *scene = scene_from_text(
        "<Node><PointSetTopologyContainer position='0 0 0 1 0 0 2 0 0 3 0 0'/><PointSetTopologyModifier name='modifier'/>"
        "<MechanicalObject name='dofs' template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 "
        "1'/><JointSpringForceField name='field' spring='" JOINT("0 1", "10") JOINT("0 3", "20")
            JOINT("2 3", "30") "'/></Node>");
    const DvStateRef dofs = scene_state(scene, "/dofs");
    dv_state_write(dofs, DV_POSITION, DV_READ_WRITE).at[21] = 3.5;
    assert_close(force_along_x(scene, 3), -0.5 * (20 + 30), 1e-12);
    DvObject *modifier = scene_object(scene, "/modifier");
    const DvTopologyModifierOps *change = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    /* Body 3 is body 1 then; its joints keep what they measured at the start. */
    assert_int_equal(change->remove_points(dv_object_self(modifier), 1, (uint32_t[]){1}), DV_OK);
    assert_int_equal(dv_state_count(dofs), 3);
    assert_close(force_along_x(scene, 0), 0.5 * 20, 1e-12);
    assert_close(force_along_x(scene, 1), -0.5 * (20 + 30), 1e-12);
    assert_close(force_along_x(scene, 2), 0.5 * 30, 1e-12);
    assert_int_equal(change->renumber_points(dv_object_self(modifier), (uint32_t[]){1, 2, 0}), DV_OK);
    assert_close(force_along_x(scene, 2), 0.5 * 20, 1e-12);
    assert_close(force_along_x(scene, 0), -0.5 * (20 + 30), 1e-12);
    assert_close(force_along_x(scene, 1), 0.5 * 30, 1e-12);
    /* The one body that all are tied to leaves. */
    assert_int_equal(change->remove_points(dv_object_self(modifier), 1, (uint32_t[]){0}), DV_OK);
    assert_close(force_along_x(scene, 0), 0.0, 1e-15);
    assert_close(force_along_x(scene, 1), 0.0, 1e-15);
    dv_scene_free(scene);
}

int main(void)
{
    if (dv_set_output_folder("/tmp") != DV_OK) /* where scenes write here */
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_a_force_field),
        cmocka_unit_test(joints_that_are_straight_have_their_derivative),
        cmocka_unit_test(joints_between_two_states),
        cmocka_unit_test(locked_rotations_pull_back_in_proportion),
        cmocka_unit_test(a_joint_without_axes_is_a_ball_joint),
        cmocka_unit_test(one_free_axis_is_soft_about_itself_and_upright_otherwise),
        cmocka_unit_test(beyond_a_limit_bloc_holds_the_excess),
        cmocka_unit_test(the_nearer_limit_holds),
        cmocka_unit_test(translations_are_soft_or_hard_in_the_axes_of_the_first_body),
        cmocka_unit_test(a_given_rest_translation_means_that_the_start_is_measured),
        cmocka_unit_test(stiffnesses_not_given_are_those_of_the_joint_before),
        cmocka_unit_test(lists_are_as_long_as_they_are),
        cmocka_unit_test(forces_of_a_file_are_added_and_forces_are_written_to_one),
        cmocka_unit_test(an_unknown_tag_is_named),
        cmocka_unit_test(joints_follow_bodies_that_leave_and_change_places),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
