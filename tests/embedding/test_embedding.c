/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plain functions for hosts in other languages: values in and out, shapes, and what they refuse.
 */
#include <divan/divan.h>
#include <divan/embed.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"

static DvText said;

static void collect(const DvMessage *message, void *context)
{
    (void)context;
    static const char *const words[] = {"debug", "info", "warning", "error"};
    dv_text_add(&said, "%s: ", words[message->level]);
    dv_message_print(message, &said);
    dv_text_add(&said, "\n");
}

static void listen(void)
{
    dv_log_set_handler(collect, NULL);
}

#define SCENE                                                                                                \
    "<Node name='root' dt='0.01'><Node name='Body'>"                                                         \
    "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-12'/>"            \
    "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/><UniformMass totalMass='2'/>"                    \
    "<FixedProjectiveConstraint name='fixed' indices='0'/>"                                                  \
    "<Node name='Frame'><MechanicalObject name='frame' template='Rigid3d' position='1 2 3 0 0 0 1'/></Node>" \
    "<Node name='Copy'><MechanicalObject name='copy'/><IdentityMapping/></Node>"                             \
    "</Node></Node>"

static void objects_and_fields_are_found_by_path(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    assert_ptr_equal(dv_scene_object(scene, "/"), dv_node_object(dv_scene_root(scene)));
    DvObject *dofs = dv_scene_object(scene, "/Body/dofs");
    assert_string_equal(dv_object_path(dofs), "/Body/dofs");
    assert_ptr_equal(dv_scene_object(scene, "Body/dofs"), dofs);
    assert_ptr_equal(dv_scene_field(scene, "/Body/dofs.position"), dv_object_field(dofs, "position"));
    assert_ptr_equal(dv_scene_field(scene, "/.dt"), dv_object_field(dv_scene_object(scene, "/"), "dt"));
    listen();
    assert_null(dv_scene_object(scene, "/Body/dof"));
    assert_null(dv_scene_field(scene, "/Body/dofs.pos"));
    assert_null(dv_scene_field(scene, "/.dtt"));
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "error: '/Body/dof': no object has this path\nerror: '/Body/dofs.pos': "));
    assert_non_null(strstr(said.at, "error: '/.dtt': no field has this path\n"));
    assert_string_equal(dv_last_error(), "'/.dtt': no field has this path");
    dv_text_free(&said);
    dv_scene_free(scene);
}

static void values_are_texts_and_numbers(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvData *position = dv_scene_field(scene, "/Body/dofs.position"), *dt = dv_scene_field(scene, "/.dt");
    size_t elements, components;
    dv_data_shape(position, &elements, &components);
    assert_true(elements == 2 && components == 3);
    double values[6] = {0};
    assert_int_equal(dv_data_get_numbers(position, values, 6), DV_OK);
    assert_true(values[3] == 1 && values[5] == 0);
    assert_ptr_equal(dv_data_value(position, &elements), position->value);

    char text[32];
    assert_int_equal(dv_data_get_text(dt, text, sizeof text), 4);
    assert_string_equal(text, "0.01");
    assert_int_equal(dv_data_get_text(dt, text, 3), 4);
    assert_string_equal(text, "0.");
    assert_int_equal(dv_data_get_text(dt, NULL, 0), 4);
    const double fifth = 0.2;
    assert_int_equal(dv_data_set_numbers(dt, &fifth, 1), DV_OK);
    assert_true(dv_node_dt(dv_scene_root(scene)) == fifth);

    /* What a field holds decides what it takes. */
    DvData *iterations =
        dv_object_field(dv_node_member(dv_object_node(dv_scene_object(scene, "/Body/dofs")), 1), "iterations");
    DvData *print_log = dv_scene_field(scene, "/Body/dofs.printLog"), *name = dv_scene_field(scene, "/Body/dofs.name");
    DvData *indices = dv_scene_field(scene, "/Body/fixed.indices");
    const double seven = 7, half = 0.5, one = 1, many[3] = {0, 1, -1}, no_number = NAN;
    assert_int_equal(dv_data_set_numbers(iterations, &seven, 1), DV_OK);
    assert_int_equal(dv_data_get_numbers(iterations, values, 1), DV_OK);
    assert_true(values[0] == 7);
    assert_int_equal(dv_data_set_numbers(print_log, &one, 1), DV_OK);
    assert_true(dv_data_bool(print_log));
    assert_int_equal(dv_data_set_numbers(indices, many, 2), DV_OK);
    dv_data_shape(indices, &elements, &components);
    assert_true(elements == 2 && components == 1);
    dv_data_shape(name, &elements, &components);
    assert_true(elements == 1 && components == 0);
    listen();
    assert_int_equal(dv_data_set_numbers(iterations, &half, 1), DV_ERROR_INVALID);
    assert_int_equal(dv_data_set_numbers(print_log, &seven, 1), DV_ERROR_INVALID);
    assert_int_equal(dv_data_set_numbers(indices, many, 3), DV_ERROR_INVALID);
    assert_int_equal(dv_data_set_numbers(dt, &no_number, 1), DV_ERROR_INVALID);
    assert_int_equal(dv_data_set_numbers(dt, many, 2), DV_ERROR_INVALID);
    assert_int_equal(dv_data_set_numbers(position, many, 2), DV_ERROR_INVALID);
    assert_int_equal(dv_data_get_numbers(position, values, 5), DV_ERROR_INVALID);
    assert_int_equal(dv_data_get_numbers(name, values, 1), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "cannot hold 0.5"));
    assert_non_null(strstr(said.at, "printLog[0]: cannot hold 7"));
    assert_non_null(strstr(said.at, "indices[2]: cannot hold -1"));
    assert_non_null(strstr(said.at, "dt[0]: cannot hold nan"));
    assert_non_null(strstr(said.at, "dt: holds 1 numbers, not 2"));
    assert_non_null(strstr(said.at, "position: takes 3 numbers an element: 2 are not whole elements"));
    assert_non_null(strstr(said.at, "position: holds 6 numbers, not 5"));
    assert_non_null(strstr(said.at, "name: holds no numbers: its type is string"));
    dv_text_free(&said);
    assert_true(dv_node_dt(dv_scene_root(scene)) == fifth);
    dv_scene_free(scene);
}

static void states_are_copied_in_and_out_and_mapped_states_follow(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvObject *dofs = dv_scene_object(scene, "/Body/dofs"), *copy = dv_scene_object(scene, "/Body/Copy/copy");
    DvObject *frame = dv_scene_object(scene, "/Body/Frame/frame");
    size_t points, components;
    assert_int_equal(dv_state_shape(frame, DV_POSITION, &points, &components), DV_OK);
    assert_true(points == 1 && components == 7);
    assert_int_equal(dv_state_shape(frame, DV_VELOCITY, &points, &components), DV_OK);
    assert_true(points == 1 && components == 6);
    const double moved[6] = {0, 0, 0, 5, 6, 7}, fast[6] = {0, 0, 0, 0, -2, 0};
    double read[6];
    assert_int_equal(dv_state_set(dofs, DV_POSITION, moved, 6), DV_OK);
    assert_int_equal(dv_state_get(copy, DV_POSITION, read, 6), DV_OK);
    assert_memory_equal(read, moved, sizeof moved);
    assert_int_equal(dv_state_set(dofs, DV_VELOCITY, fast, 6), DV_OK);
    assert_int_equal(dv_state_get(copy, DV_VELOCITY, read, 6), DV_OK);
    assert_memory_equal(read, fast, sizeof fast);

    /* The step goes on from there: free fall with implicit Euler. */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_int_equal(dv_state_get(dofs, DV_POSITION, read, 6), DV_OK);
    const double v = -2 - 0.01 * 9.81;
    assert_true(fabs(read[4] - (6 + 0.01 * v)) < 1e-12 && read[3] == 5 && read[0] == 0);

    listen();
    const double wrong[6] = {0, 0, 0, 0, INFINITY, 0};
    assert_int_equal(dv_state_set(dofs, DV_POSITION, wrong, 6), DV_ERROR_NOT_FINITE);
    assert_int_equal(dv_state_set(dofs, DV_POSITION, moved, 3), DV_ERROR_INVALID);
    assert_int_equal(dv_state_get(dofs, DV_LAMBDA, read, 6), DV_ERROR_NOT_FOUND);
    assert_int_equal(dv_state_get(dofs, DV_MAX_VEC, read, 6), DV_ERROR_INVALID);
    assert_int_equal(dv_state_get(dv_scene_object(scene, "/Body/fixed"), DV_POSITION, read, 6), DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "'dofs': vector 1: component 1 of point 1 is not finite"));
    assert_non_null(strstr(said.at, "'dofs': vector 1 has 2 x 3 numbers, not 3"));
    assert_non_null(strstr(said.at, "'dofs': has no vector 15 yet: nothing has computed it"));
    char none[64];
    (void)snprintf(none, sizeof none, "'dofs': no vector has the number %d", DV_MAX_VEC);
    assert_non_null(strstr(said.at, none));
    assert_non_null(strstr(said.at, "'fixed': is no state"));
    dv_text_free(&said);
    dv_scene_free(scene);
}

static void objects_are_made_from_arrays_and_take_notice_of_new_values(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvObject *push = NULL;
    const char *const names[] = {"name", "indices", "forces"}, *const texts[] = {"push", "1", "0 0 4"};
    DvNode *body = dv_object_as_node(dv_scene_object(scene, "/Body"));
    assert_int_equal(dv_object_new_with(body, "ConstantForceField", names, texts, 3, &push), DV_OK);
    assert_string_equal(dv_object_path(push), "/Body/push");
    assert_int_equal(dv_data_set_text(dv_scene_field(scene, "/Body/push.forces"), "0 0 8"), DV_OK);
    assert_int_equal(dv_object_reinit(push), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    double velocity[6];
    assert_int_equal(dv_state_get(dv_scene_object(scene, "/Body/dofs"), DV_VELOCITY, velocity, 6), DV_OK);
    assert_true(fabs(velocity[5] - 0.01 * 8) < 1e-12); /* a mass of 1 kg */
    listen();
    assert_int_equal(dv_object_new_with(body, "NoSuchClass", names, texts, 1, &push), DV_ERROR_NOT_FOUND);
    assert_null(push);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(&said);
    dv_scene_free(scene);
}

/* All or nothing, with the reason. */
static void an_edit_is_taken_or_leaves_the_field_as_it_was(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    const char *const names[] = {"name", "indices", "forces"}, *const texts[] = {"push", "1", "0 0 4"};
    DvNode *body = dv_object_as_node(dv_scene_object(scene, "/Body"));
    assert_int_equal(dv_object_new_with(body, "ConstantForceField", names, texts, 3, NULL), DV_OK);
    DvData *forces = dv_scene_field(scene, "/Body/push.forces"), *dt = dv_scene_field(scene, "/.dt");
    static const struct {
        const char *field, *text, *reason;
    } refused[] = {
        {"/Body/push.forces", "0 0 eight", "forces"},
        {"/.dt", "-1", "dt"},
        {"/Body/dofs.componentState", "Valid", "it is computed, not set"},
    };
    DvText before = {0}, after = {0}, reason = {0};
    listen();
    assert_int_equal(dv_data_edit(forces, "0 0 8", &reason), DV_OK);
    assert_int_equal(reason.length, 0);
    assert_int_equal(dv_data_edit_number(forces, 1, 3.0, NULL), DV_OK);
    assert_int_equal(dv_data_edit_number(forces, 3, 1.0, &reason), DV_ERROR_INVALID);
    assert_non_null(strstr(reason.at, "it has 3 numbers, no number 3"));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        DvData *field = dv_scene_field(scene, refused[i].field);
        before.length = after.length = reason.length = 0;
        dv_data_print(field, &before);
        assert_int_not_equal(dv_data_edit(field, refused[i].text, &reason), DV_OK);
        dv_data_print(field, &after);
        assert_string_equal(before.at, after.at);
        assert_non_null(strstr(reason.at, refused[i].reason));
    }
    dv_log_set_handler(NULL, NULL);
    assert_true(fabs(*(const double *)dv_data_value(dt, NULL) - 0.01) < 1e-15);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    double velocity[6];
    assert_int_equal(dv_state_get(dv_scene_object(scene, "/Body/dofs"), DV_VELOCITY, velocity, 6), DV_OK);
    assert_true(fabs(velocity[4] - 0.01 * (3 - 9.81)) < 1e-12 && fabs(velocity[5] - 0.01 * 8) < 1e-12);
    dv_text_free(&before);
    dv_text_free(&after);
    dv_text_free(&reason);
    dv_text_free(&said);
    dv_scene_free(scene);
}

static void ready_texts_are_said_as_they_are(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text(SCENE);
    DvObject *dofs = dv_scene_object(scene, "/Body/dofs");
    listen();
    assert_int_equal(dv_say(DV_LEVEL_ERROR, DV_ERROR_LIMIT, NULL, NULL, -1, "100%s"), DV_ERROR_LIMIT);
    assert_int_equal(dv_say(DV_LEVEL_INFO, DV_OK, dofs, NULL, -1, "printLog is false"), DV_OK);
    assert_int_equal(dv_say_at(DV_LEVEL_WARNING, DV_OK, "a.scn", 3, 4, "50%d"), DV_OK);
    assert_int_equal(dv_say(DV_LEVEL_WARNING, DV_OK, dofs, NULL, -1, "%n"), DV_OK);
    assert_int_equal(dv_say(DV_LEVEL_ERROR, DV_ERROR_INVALID, NULL, dv_object_field(dofs, "position"), 1, "%p"),
                     DV_ERROR_INVALID);
    dv_log_set_handler(NULL, NULL);
    assert_non_null(strstr(said.at, "error: 100%s\nwarning: a.scn:3:4: 50%d\nwarning: "));
    assert_non_null(strstr(said.at, "MechanicalObject 'dofs': %n\nerror: "));
    assert_non_null(strstr(said.at, "MechanicalObject 'dofs': position[1]: %p\n"));
    assert_null(strstr(said.at, "printLog"));
    dv_text_free(&said);
    DvText text = {0};
    dv_text_append(&text, "%d");
    assert_string_equal(text.at, "%d");
    dv_text_free(&text);
    dv_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_fields_are_found_by_path),
        cmocka_unit_test(values_are_texts_and_numbers),
        cmocka_unit_test(states_are_copied_in_and_out_and_mapped_states_follow),
        cmocka_unit_test(objects_are_made_from_arrays_and_take_notice_of_new_values),
        cmocka_unit_test(an_edit_is_taken_or_leaves_the_field_as_it_was),
        cmocka_unit_test(ready_texts_are_said_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, stop_plugins);
}
