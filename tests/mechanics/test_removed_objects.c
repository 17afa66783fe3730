/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a component does when something it uses leaves a running scene: nothing, it says so once, and goes on when it is there again.
 * And that it does not matter where in the file what it uses is written.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>
#include <divan/given.h>

#include "scene_text.h"

/* ---- What is said ---- */

static unsigned left_messages, other_messages;
static char last_message[1000];

static void listen(const DvMessage *message, void *context)
{
    (void)context;
    DvText text = {0};
    dv_message_print(message, &text);
    if (strstr(text.at, "which it needs, has left the scene")) {
        left_messages++;
        snprintf(last_message, sizeof last_message, "%s", text.at);
    } else {
        other_messages++;
    }
    dv_text_free(&text);
}

static void start_listening(void)
{
    left_messages = other_messages = 0;
    dv_log_set_handler(listen, NULL);
}

static double velocity_x(const DvScene *scene)
{
    return dv_state_read(scene_state(scene, "/a/dofs"), DV_VELOCITY).at[0];
}

/* ---- Links between two bodies ---- */

#define BODY(name, type, x)                                                                                   \
    "<Node name='" name "'><MechanicalObject name='dofs' template='" type "' position='" x "'/><UniformMass " \
    "vertexMass='" MASS(type) "'/></Node>"
#define MASS(type) "1"
#define BODIES(type, a, b, spring)                                                                                \
    "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"                   \
    "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-20'/>" BODY("a", type, a) BODY("b", type, b) \
        spring "</Node>"
#define RIGID_AT(x) x " 0 0 0 0 0 1"

static const struct {
    const char *scene, *type, *position;
} pulled[] = {
    {BODIES("Vec3d", "0 0 0", "2 0 0",
            "<SpringForceField name='field' object1='@/a/dofs' object2='@/b/dofs' spring='0 0 10 0 1'/>"),
     "Vec3d", "2 0 0"},
    {BODIES(
         "Rigid3d", RIGID_AT("0"), RIGID_AT("2"),
         "<JointSpringForceField name='field' object1='@/a/dofs' object2='@/b/dofs' spring='BEGIN_SPRING 0 0 FREE_AXIS "
         "1 1 1 1 1 1 KS_T 10 10 KS_R 1 1 END_SPRING'/>"),
     "Rigid3d", RIGID_AT("2")},
    {BODIES(
         "Vec3d", "0 0 0", "2 0 0",
         "<Node name='field'><MechanicalObject name='no'/></Node>"
         "<RestShapeSpringsForceField name='pull' mstate='@/a/dofs' external_rest_shape='@/b/dofs' stiffness='10'/>"),
     "Vec3d", "2 0 0"},
};

static void what_was_tied_to_a_removed_body_is_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pulled / sizeof *pulled; i++) {
        DvScene *scene = scene_from_text(pulled[i].scene);
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const double pulled_to = velocity_x(scene);
        assert_true(pulled_to > 1e-3);
        start_listening();
        dv_node_remove(dv_object_as_node(scene_object(scene, "/b")));
        assert_int_equal(left_messages, 0); /* what depends on it may be removed next */
        for (int n = 0; n < 5; n++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_true(fabs(velocity_x(scene) - pulled_to) < 1e-12); /* straight on */
        assert_int_equal(left_messages, 1);
        assert_int_equal(other_messages, 0);
        assert_non_null(strstr(last_message, "'/b/dofs', which it needs, has left the scene"));
        /* A body at the same place in the graph: it pulls again. */
        DvNode *again = dv_node_new(dv_scene_root(scene), "b");
        assert_int_equal(dv_object_new(again, "MechanicalObject", NULL, "name", "dofs", "template", pulled[i].type,
                                       "position", pulled[i].position, (char *)NULL),
                         DV_OK);
        assert_int_equal(dv_object_new(again, "UniformMass", NULL, "vertexMass", "1", (char *)NULL), DV_OK);
        start_listening();
        for (int n = 0; n < 3; n++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_true(velocity_x(scene) > pulled_to + 1e-3);
        assert_int_equal(left_messages + other_messages, 0);
        dv_scene_free(scene);
    }
}

/* Of several things that leave at once the first of the file is named. */
static void the_first_that_leaves_is_named(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/><Node name='b'>"
        "<Node name='x'><MechanicalObject name='dofs' position='0 0 0'/><UniformMass vertexMass='1'/></Node>"
        "<Node name='y'><MechanicalObject name='dofs' position='2 0 0'/><UniformMass vertexMass='1'/></Node></Node>"
        "<SpringForceField object1='@/b/y/dofs' object2='@/b/x/dofs' spring='0 0 10 0 1'/></Node>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    start_listening();
    dv_node_remove(dv_object_as_node(scene_object(scene, "/b")));
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(left_messages, 1);
    assert_non_null(strstr(last_message, "'/b/x/dofs', which it needs, has left the scene"));
    dv_scene_free(scene);
}

/* The scene's own field of a mass is still the one that counts with another mesh, and what followed from it is not taken for given. */
static void a_mass_keeps_what_it_was_given_with_another_mesh(void **state)
{
    (void)state;
    static const char *const fields[] = {"totalMass", "massDensity"};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/><Node name='a'>"
            "<MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
            "<MeshTopology name='mesh' tetrahedra='0 1 2 3'/><DiagonalMass name='mass' %s='6'/></Node></Node>",
            fields[i]);
        DvScene *scene = scene_from_text(text);
        DvObject *mass = scene_object(scene, "/a/mass");
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        start_listening();
        DvNode *node = dv_object_node(mass);
        dv_object_remove(scene_object(scene, "/a/mesh"));
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        assert_int_equal(
            dv_object_new(node, "MeshTopology", NULL, "name", "mesh", "tetrahedra", "0 1 3 2", (char *)NULL), DV_OK);
        for (int n = 0; n < 2; n++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(left_messages, 1);
        for (int k = 0; k < 2; k++)
            assert_int_equal(dv_data_is_given(dv_object_field(mass, fields[k])), k == i);
        dv_scene_free(scene);
    }
}

/* What the scene names is needed: conjugate gradients do not go on with another convergence than the scene chose. */
static void a_solver_waits_for_the_preconditioner_that_the_scene_names(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(
        "<Node name='root' dt='0.01' gravity='10 0 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"
        "<PCGLinearSolver name='solver' iterations='50' tolerance='1e-20' preconditioner='@p'/><JacobiPreconditioner "
        "name='p'/><Node name='a'><MechanicalObject name='dofs' position='0 0 0'/><UniformMass vertexMass='1'/></Node></Node>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(fabs(velocity_x(scene) - 0.1) < 1e-12);
    start_listening();
    dv_object_remove(scene_object(scene, "/p"));
    for (int n = 0; n < 5; n++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(fabs(velocity_x(scene) - 0.1) < 1e-12); /* nothing moves it */
    assert_int_equal(left_messages, 2);                 /* of the solver, and of what needs the solver */
    assert_int_equal(other_messages, 0);
    assert_int_equal(dv_object_new(dv_scene_root(scene), "JacobiPreconditioner", NULL, "name", "p", (char *)NULL),
                     DV_OK);
    for (int n = 0; n < 3; n++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_log_set_handler(NULL, NULL);
    assert_true(fabs(velocity_x(scene) - 0.4) < 1e-12);
    assert_int_equal(left_messages + other_messages, 2);
    dv_scene_free(scene);
}

static void nobody_misses_what_leaves_with_him(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(pulled[0].scene);
    start_listening();
    dv_node_remove(dv_object_as_node(scene_object(scene, "/b")));
    dv_object_remove(scene_object(scene, "/field"));
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(left_messages + other_messages, 0);
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    scene = scene_from_text(pulled[1].scene);
    start_listening();
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    assert_int_equal(left_messages + other_messages, 0);
}

/* ---- The order in the file: behind the state, whose type the others take when they are made, any will do ---- */

static const char *const parts[] = {
    "<EulerImplicitSolver rayleighStiffness='0.01'/>",
    "<CGLinearSolver iterations='200' tolerance='1e-16' threshold='1e-30'/>",
    "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 1 2 3 4'/>",
    "<MeshMatrixMass totalMass='2'/>",
    "<TetrahedronFEMForceField youngModulus='500' poissonRatio='0.3'/>",
    "<FixedProjectiveConstraint indices='0 2 3'/>",
    "<ConstantForceField indices='4' forces='0 1 0'/>",
};
enum { PARTS = sizeof parts / sizeof *parts };

static void the_order_in_the_file_decides_nothing(void **state)
{
    (void)state;
    double first[15];
    for (unsigned shift = 0; shift < 2 * PARTS; shift++) {
        char text[3000] = "<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='Body'>"
                          "<MechanicalObject name='dofs'/>";
        for (unsigned i = 0; i < PARTS; i++)
            strcat(text, parts[shift < PARTS ? (i + shift) % PARTS : (2 * PARTS - 1 - i + shift) % PARTS]);
        strcat(text, "<Node name='Child'><MechanicalObject name='mapped' position='0.5 0.5 0.5'/><BarycentricMapping/>"
                     "<ConstantForceField indices='0' forces='0 0 1'/></Node></Node></Node>");
        start_listening();
        DvScene *scene = scene_from_text(text);
        for (int i = 0; i < 10; i++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        dv_log_set_handler(NULL, NULL);
        assert_int_equal(other_messages, 0);
        const DvConstVec x = dv_state_read(scene_state(scene, "/Body/dofs"), DV_POSITION);
        assert_int_equal(x.count, 5);
        if (shift == 0)
            memcpy(first, x.at, sizeof first);
        for (int i = 0; i < 15; i++)
            assert_true(fabs(x.at[i] - first[i]) < 1e-11);
        dv_scene_free(scene);
    }
    assert_true(fabs(first[13] - 1.0) > 1e-3); /* it has moved */
}

static void two_that_wait_for_each_other_are_told(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<PCGLinearSolver name='one' preconditioner='@two'/>\n<PCGLinearSolver name='two' "
                      "preconditioner='@one'/></Node>",
                      "needs '/one', which needs it in turn; cut one of the two links");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_tied_to_a_removed_body_is_free),
        cmocka_unit_test(the_first_that_leaves_is_named),
        cmocka_unit_test(a_mass_keeps_what_it_was_given_with_another_mesh),
        cmocka_unit_test(a_solver_waits_for_the_preconditioner_that_the_scene_names),
        cmocka_unit_test(nobody_misses_what_leaves_with_him),
        cmocka_unit_test(the_order_in_the_file_decides_nothing),
        cmocka_unit_test(two_that_wait_for_each_other_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
