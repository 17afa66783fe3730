/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes from load to reset: the order of initialisation, the context, failures, steps, bounding boxes.
 */
#include <divan/embed.h>

#include "kernel_test.h"

/* Lifecycle notes (level debug) of the clocks, in order. */
static void assert_notes(const char *expected)
{
    DvText notes = {0};
    for (const char *at = said(), *end; (end = strchr(at, '\n')); at = end + 1)
        if (strncmp(at, "debug: ", 7) == 0)
            dv_text_add(&notes, "%.*s|", (int)(end - at - 7), at + 7);
    if (strcmp(notes.at ? notes.at : "", expected) != 0)
        fail_msg("%s\ninstead of\n%s", notes.at, expected);
    dv_text_free(&notes);
}

static void objects_are_initialised_in_document_order_and_back(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node><Clock name='a'/><Node name='N'><Clock name='b'/><Node name='M'><Clock name='c'/></Node></Node>"
             "<Clock name='d'/><Node name='O'><Clock name='e'/></Node></Node>");
    assert_notes("start /a|start /d|start /N/b|start /N/M/c|start /O/e|"
                 "init /a|init /d|init /N/b|init /N/M/c|init /O/e|"
                 "bwd_init /O/e|bwd_init /N/M/c|bwd_init /N/b|bwd_init /d|bwd_init /a|"
                 "done /a|done /d|done /N/b|done /N/M/c|done /O/e|"
                 "settle /TickLoop|store /a|store /d|store /N/b|store /N/M/c|store /O/e|");
    assert_true(dv_scene_is_running(scene));
    dv_scene_free(scene);
}

static void inactive_nodes_are_left_alone(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Node name='N' activated='0'><Clock name='b'/></Node></Node>");
    assert_notes("settle /TickLoop|");
    dv_scene_free(scene);
}

static void objects_made_during_init_are_initialised_too(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Node name='N'><Maker/></Node></Node>");
    assert_notes("init /made|bwd_init /made|done /made|settle /TickLoop|store /made|");
    dv_scene_free(scene);
}

static void loops_are_put_in_front_when_there_are_none(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Value/></Node>");
    const DvObject *first = dv_node_member(dv_scene_root(scene), 0);
    assert_string_equal(dv_object_class(first)->name, "TickLoop");
    assert_string_equal(dv_object_name(first), "TickLoop");
    dv_scene_free(scene);
    scene = load("<Node><Value/><TickLoop name='mine'/></Node>");
    assert_null(dv_node_member(dv_scene_root(scene), 2));
    dv_scene_free(scene);
}

static void children_inherit_the_context_and_context_objects_change_it(void **state)
{
    (void)state;
    DvScene *scene = load("<Node gravity='0 0 -1' dt='0.5'><Node name='N' gravity='1 1 1' dt='3'><Node name='M'>"
                          "<Pull gravity='7 8 9'/><Node name='O'/></Node></Node></Node>");
    const DvNode *n = dv_node_child(dv_scene_root(scene), 0), *m = dv_node_child(n, 0), *o = dv_node_child(m, 0);
    assert_true(dv_node_gravity(n)[2] == -1 && dv_node_dt(n) == 0.5);
    assert_true(dv_node_gravity(m)[1] == 8);
    assert_true(dv_node_gravity(o)[2] == 9 && dv_node_dt(o) == 0.5);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(dv_node_time(o) == 0.5);
    assert_true(dv_node_gravity(o)[2] == 9);
    dv_scene_free(scene);
}

static void the_context_is_there_at_init(void **state)
{
    (void)state;
    DvScene *late =
        load("<Node time='2.5' dt='0.5' animate='1'><Node name='N'><Node name='M'><Clock/></Node></Node></Node>");
    for (int i = 0; i < 2; i++) {
        DvNode *node = dv_object_as_node(object_at(late, i ? "@N/M" : "@N"));
        assert_true(dv_node_time(node) == 2.5 && dv_node_dt(node) == 0.5);
        assert_true(dv_data_bool(dv_object_field(dv_node_object(node), "animate")));
    }
    dv_scene_free(late);
    dv_scene_free(load("<Node gravity='42 0 0'><Node><Troubled when='not 42'/></Node></Node>"));
    dv_scene_free(load("<Node><Node><Troubled when='not 42'/><Pull gravity='42 0 0'/></Node></Node>"));
    assert_refused("<Node><Troubled when='not 42'/></Node>", DV_ERROR_INVALID, "trouble in not 42");
}

static void a_component_that_fails_refuses_the_scene(void **state)
{
    (void)state;
    static const char *const phases[] = {"parse", "init", "bwd_init"};
    for (size_t i = 0; i < 3; i++) {
        char text[200], message[100];
        snprintf(text, sizeof text, "<Node>\n<Troubled name='t' when='%s'/><Vallue/></Node>", phases[i]);
        snprintf(message, sizeof message, "error: scene.scn:2:Troubled 't': trouble in %s", phases[i]);
        assert_refused(text, i ? DV_ERROR_NOT_FOUND : DV_ERROR_INVALID, "no class 'Vallue'");
        snprintf(text, sizeof text, "<Node>\n<Troubled name='t' when='%s'/></Node>", phases[i]);
        snprintf(message, sizeof message, "error: scene.scn:2: Troubled 't': trouble in %s", phases[i]);
        assert_refused(text, DV_ERROR_INVALID, message);
    }
}

static void nothing_is_called_of_a_component_that_failed(void **state)
{
    (void)state;
    static const char *const phases[] = {"parse", "init", "bwd_init"};
    for (size_t i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<Node><Troubled name='t' when='%s' listening='1' in='1'/><Value name='v' a='@t.out'/>"
                 "<Node name='n'><Needy name='needy' of='@../t' listening='1'/></Node></Node>",
                 phases[i]);
        DvStatus status;
        DvScene *scene = load_with(text, &(const DvLoadOptions){.keep_going = true}, &status);
        assert_int_equal(status, DV_ERROR_INVALID);
        assert_non_null(scene);
        assert_says("trouble in");
        assert_says("warning: scene.scn:1:");
        assert_says("Needy 'needy': is not used: '/t', which it needs, could not be initialised");
        DvObject *troubled = object_at(scene, "@t");
        assert_false(dv_object_is_valid(troubled));
        assert_false(dv_object_is_valid(object_at(scene, "@n/needy")));
        assert_null(dv_object_ops(troubled, "test.force/1"));
        assert_null(dv_node_context(dv_scene_root(scene), "test.force/1"));
        forget_messages();
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        DvEvent event = {.kind = DV_EVENT_CUSTOM, .name = "any"};
        dv_event_send(dv_scene_root(scene), &event);
        dv_data_set_double(dv_object_field(troubled, "in"), 2);
        assert_true(number_at(scene, "@v", "sum") == 0.0);
        assert_int_equal(dv_object_reinit(troubled), DV_OK);
        dv_scene_reset(scene);
        dv_scene_update_visual(scene);
        dv_scene_free(scene);
        assert_null(strstr(said(), "was called"));
        assert_null(strstr(said(), "times"));
    }
}

static void what_fails_when_it_is_initialised_again_may_be_mended(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Needy name='a'/><Needy name='b' of='@a'/></Node>");
    DvObject *a = object_at(scene, "@a"), *b = object_at(scene, "@b");
    dv_data_set_bool(dv_object_field(a, "fails"), true);
    assert_int_equal(dv_object_reinit(a), DV_ERROR_INVALID);
    assert_false(dv_object_is_valid(a));
    assert_false(dv_object_is_valid(b)); /* at once */
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_says(
        "Needy 'b': '/a', which it needs, could not be initialised; it does nothing until something is there again");
    dv_data_set_bool(dv_object_field(a, "fails"), false);
    assert_int_equal(dv_object_reinit(a), DV_OK);
    assert_true(dv_object_is_valid(a));
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(dv_object_is_valid(b));
    dv_scene_free(scene);
}

static void every_step_check_is_asked(void **state)
{
    (void)state;
    for (int number = 1; number <= 6; number++) {
        char text[64], message[64];
        snprintf(text, sizeof text, "<Node name='check %d'/>", number);
        snprintf(message, sizeof message, "number %d was asked", number);
        assert_refused(text, DV_ERROR_INVALID, message);
    }
}

static void numbers_that_code_sets_outside_their_range_are_refused(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Ranged name='r' positive='2' sizes='1 2 3' pieces='4'/></Node>");
    static const struct {
        const char *field, *text, *message;
    } cases[] = {
        {"positive", "-5", "positive: is -5 kg; it must be above 0"},
        {"positive", "0", "positive: is 0 kg; it must be above 0"},
        {"share", "1.5", "share: is 1.5; it must be from 0 to 1"},
        {"count", "0", "count: is 0; it must be 1 or more"},
        {"pieces", "-5", "pieces: is -5; it must be 1 or more"},
        {"sizes", "1 1 1  1 -2 1", "sizes[1]: number 2 is -2 m; it must be 0 or more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText before = {0}, after = {0};
        DvData *data = field_at(scene, "@r", cases[i].field);
        dv_data_print(data, &before);
        forget_messages();
        assert_int_equal(dv_data_set_text(data, cases[i].text), DV_ERROR_INVALID);
        assert_says(cases[i].message);
        dv_data_print(data, &after);
        assert_string_equal(before.at, after.at);
        dv_text_free(&before);
        dv_text_free(&after);
    }
    const double less = -5;
    forget_messages();
    assert_int_equal(dv_data_set_numbers(field_at(scene, "@r", "positive"), &less, 1), DV_ERROR_INVALID);
    assert_says("positive: is -5 kg; it must be above 0");
    assert_true(number_at(scene, "@r", "positive") == 2);
    assert_int_equal(dv_data_set_text(field_at(scene, "@r", "positive"), "5"), DV_OK);
    assert_int_equal(dv_data_set_text(field_at(scene, "@r", "lenient"), "-5"), DV_OK); /* advice */
    assert_true(number_at(scene, "@r", "positive") == 5);
    dv_scene_free(scene);
}

static void a_field_that_cannot_be_read_ends_the_run(void **state)
{
    (void)state;
    static const char link[] =
        "<Node><Value name='v' text='%s'/><TickLoop name='l' gap='@v.text'/><Clock start='@v.text'/></Node>";
    char text[200];
    snprintf(text, sizeof text, link, "much");
    assert_refused(text, DV_ERROR_INVALID,
                   "Clock 'Clock1': start: the value of 'text' (string) cannot be read as double");
    snprintf(text, sizeof text, link, "1");
    DvScene *scene = load(text);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_data_set_string(field_at(scene, "@v", "text"), "much");
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_INVALID);
    assert_says("TickLoop 'l': gap: the value of 'text' (string) cannot be read as double");
    dv_data_set_string(field_at(scene, "@v", "text"), "2");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void keep_going_loads_the_rest(void **state)
{
    (void)state;
    DvStatus status;
    DvScene *scene = load_with("<Node><Troubled name='t' when='init'/><Vallue/><Clock name='c'/></Node>",
                               &(const DvLoadOptions){.keep_going = true}, &status);
    assert_int_equal(status, DV_ERROR_NOT_FOUND);
    assert_non_null(scene);
    assert_true(dv_scene_is_running(scene));
    assert_false(dv_object_is_valid(object_at(scene, "@t")));
    assert_true(dv_object_is_valid(object_at(scene, "@c")));
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void checking_counts_warnings_as_problems_and_runs_nothing(void **state)
{
    (void)state;
    const DvLoadOptions check = {.check_only = true};
    DvStatus status;
    DvScene *scene = load_with("<Node><Clock name='c'/></Node>", &check, &status);
    assert_int_equal(status, DV_OK);
    assert_false(dv_scene_is_running(scene));
    dv_scene_free(scene);
    static const char *const wrong[] = {
        "<Node><Clock nam='c'/></Node>",
        "<Node><Value number='x'/></Node>",
        "<Node><Value number='@y.z'/></Node>",
        "<Node><Value other='@y'/></Node>",
        "<Node unknown='1'/>",
        "<Node><!-- -- --></Node>",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        scene = load_with(wrong[i], &check, &status);
        assert_says("warning: ");
        assert_int_equal(status, DV_ERROR_INVALID);
        dv_scene_free(scene);
    }
}

static void without_init_nothing_is_initialised(void **state)
{
    (void)state;
    DvStatus status;
    DvScene *scene = load_with("<Node><Clock name='c'/></Node>", &(const DvLoadOptions){.no_init = true}, &status);
    assert_int_equal(status, DV_OK);
    assert_notes("");
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_INVALID);
    assert_says("the scene has not been initialised");
    assert_int_equal(dv_scene_init(scene), DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_OK);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
}

static void steps_are_counted_and_reset_goes_back(void **state)
{
    (void)state;
    DvScene *scene = load("<Node dt='0.25' time='2'><Clock name='c' start='0.7'/></Node>");
    const double before = number_at(scene, "@c", "value");
    assert_true(before == 0.7);
    for (int i = 0; i < 4; i++)
        assert_int_equal(dv_scene_step(scene, i == 3 ? 1 : 0), DV_OK);
    assert_int_equal(dv_scene_steps(scene), 4);
    assert_true(dv_node_time(dv_scene_root(scene)) == 3.75);
    const double after = number_at(scene, "@c", "value");
    assert_true(after != before);
    forget_messages();
    dv_scene_reset(scene);
    assert_notes(
        "restore /c|reset /c|settle /TickLoop|"); /* the state first, by the kernel; the class has the last word */
    assert_int_equal(dv_scene_steps(scene), 0);
    assert_true(dv_node_time(dv_scene_root(scene)) == 2);
    assert_true(number_at(scene, "@c", "value") == before);
    for (int i = 0; i < 4; i++)
        assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(number_at(scene, "@c", "value") == after);
    dv_scene_free(scene);
}

static void objects_that_join_a_running_scene_are_initialised(void **state)
{
    (void)state;
    DvScene *scene = load("<Node dt='0.25'/>");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    forget_messages();
    DvNode *child = dv_node_new(dv_scene_root(scene), "N");
    assert_int_equal(dv_object_new(child, "Clock", NULL, "name", "late", "start", "4", NULL), DV_OK);
    assert_notes("init /N/late|bwd_init /N/late|store /N/late|");
    assert_int_equal(dv_object_new(child, "Troubled", NULL, "when", "init", NULL), DV_ERROR_INVALID);
    assert_null(dv_node_member(child, 1));
    assert_int_equal(dv_object_new(child, "Pull", NULL, "gravity", "3 2 1", NULL), DV_OK);
    assert_true(dv_node_time(child) == dv_node_time(dv_scene_root(scene)) && dv_node_time(child) > 0);
    assert_true(dv_node_dt(child) == dv_node_dt(dv_scene_root(scene)));
    assert_true(dv_node_gravity(child)[0] == 3);
    dv_scene_free(scene);
}

static void a_scene_without_a_loop_says_what_is_missing(void **state)
{
    (void)state;
    DvScene *scene = load("<Node/>");
    dv_object_remove(dv_node_member(dv_scene_root(scene), 0));
    assert_int_equal(dv_scene_step(scene, 0), DV_ERROR_MISSING);
    assert_says("no animation loop can make a step");
    dv_scene_free(scene);
}

/* What is said of the phases of two steps; those that are open around the steps stay so. */
static void phases_that_do_not_end_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *phases, *open, *too_many;
    } cases[] = {{"ab..c.", NULL, NULL},
                 {"ab.", "'a'", NULL},
                 {"a.c", "'c'", NULL},
                 {"abb.", "'a'", NULL},
                 {"a..", NULL, "ended than begun"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvText text = {0};
        dv_text_add(&text, "<Node><TickLoop phases='%s'/></Node>", cases[i].phases);
        DvScene *scene = load(text.at);
        dv_phase_enable(true);
        forget_messages();
        for (int step = 0; step < 2; step++)
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
        const char *expected = cases[i].open ? cases[i].open : cases[i].too_many;
        assert_true(expected ? strstr(said(), expected) != NULL : *said() == '\0');
        const char *again = expected ? strstr(strstr(said(), expected) + 1, expected) : NULL;
        assert_null(again); /* once */
        if (strchr(cases[i].phases, 'b') && strlen(cases[i].phases) == 4)
            assert_non_null(strstr(said(), "'b' of a step was begun and not ended"));
        uint64_t calls = 0;
        assert_string_equal(dv_phase_at(0, NULL, &calls), "a");
        assert_int_equal(calls, 2);
        if (!cases[i].too_many) { /* what the caller has open is not touched */
            dv_phase_begin("caller");
            dv_phase_begin("a");
            forget_messages();
            assert_int_equal(dv_scene_step(scene, 0), DV_OK);
            assert_string_equal(said(), "");
            dv_phase_end();
            dv_phase_end();
        }
        dv_phase_enable(false);
        forget_messages();
        assert_int_equal(dv_scene_step(scene, 0), DV_OK); /* nobody measures */
        assert_string_equal(said(), "");
        dv_scene_free(scene);
        dv_text_free(&text);
    }
}

static void boxes_hold_what_is_below(void **state)
{
    (void)state;
    DvScene *scene =
        load("<Node><Points name='p' position='0 1 2  3 -1 0'/><Node name='N'><Points position='5 0 0'/></Node>"
             "<Node name='F' bbox='-9 0 0 0 0 0'><Points position='1 1 1'/></Node></Node>");
    const double *box = dv_data_doubles(field_at(scene, "@/", "bbox"), NULL);
    const double expected[6] = {-9, -1, 0, 5, 1, 2};
    assert_memory_equal(box, expected, sizeof expected);
    const double moved[6] = {0, 0, 0, 10, 0, 0};
    dv_data_set(field_at(scene, "@p", "position"), moved, 2);
    dv_scene_update_visual(scene);
    assert_true(dv_data_doubles(field_at(scene, "@/", "bbox"), NULL)[3] == 10);
    assert_true(dv_data_doubles(field_at(scene, "@/F", "bbox"), NULL)[0] == -9);
    dv_scene_free(scene);
}

static void boxes_of_inactive_nodes_do_not_count(void **state)
{
    (void)state;
    DvScene *scene = load("<Node><Points position='0 1 2  3 -1 0'/>"
                          "<Node name='N' activated='0'><Points name='p' position='50 60 70'/></Node></Node>");
    const double without[6] = {0, -1, 0, 3, 1, 2}, with[6] = {0, -1, 0, 50, 60, 70};
    assert_memory_equal(dv_data_doubles(field_at(scene, "@/", "bbox"), NULL), without, sizeof without);
    dv_data_set_bool(field_at(scene, "@/N", "activated"), true);
    dv_scene_update_visual(scene);
    assert_memory_equal(dv_data_doubles(field_at(scene, "@/", "bbox"), NULL), with, sizeof with);
    dv_data_set_bool(field_at(scene, "@/N", "activated"), false);
    const double further[3] = {-50, -60, -70};
    dv_data_set(field_at(scene, "@/N/p", "position"), further, 1);
    dv_scene_update_visual(scene);
    assert_memory_equal(dv_data_doubles(field_at(scene, "@/", "bbox"), NULL), without, sizeof without);
    dv_scene_free(scene);
}

static void an_empty_scene_can_be_filled_by_code(void **state)
{
    (void)state;
    forget_messages();
    DvScene *scene = dv_scene_new();
    assert_int_equal(dv_object_new(dv_scene_root(scene), "Clock", NULL, "name", "c", NULL), DV_OK);
    assert_notes("");
    assert_int_equal(dv_scene_init(scene), DV_OK);
    assert_notes("start /c|init /c|bwd_init /c|done /c|settle /TickLoop|store /c|");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
    dv_scene_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_initialised_in_document_order_and_back),
        cmocka_unit_test(inactive_nodes_are_left_alone),
        cmocka_unit_test(objects_made_during_init_are_initialised_too),
        cmocka_unit_test(loops_are_put_in_front_when_there_are_none),
        cmocka_unit_test(children_inherit_the_context_and_context_objects_change_it),
        cmocka_unit_test(the_context_is_there_at_init),
        cmocka_unit_test(a_component_that_fails_refuses_the_scene),
        cmocka_unit_test(nothing_is_called_of_a_component_that_failed),
        cmocka_unit_test(what_fails_when_it_is_initialised_again_may_be_mended),
        cmocka_unit_test(every_step_check_is_asked),
        cmocka_unit_test(numbers_that_code_sets_outside_their_range_are_refused),
        cmocka_unit_test(a_field_that_cannot_be_read_ends_the_run),
        cmocka_unit_test(keep_going_loads_the_rest),
        cmocka_unit_test(checking_counts_warnings_as_problems_and_runs_nothing),
        cmocka_unit_test(without_init_nothing_is_initialised),
        cmocka_unit_test(steps_are_counted_and_reset_goes_back),
        cmocka_unit_test(objects_that_join_a_running_scene_are_initialised),
        cmocka_unit_test(a_scene_without_a_loop_says_what_is_missing),
        cmocka_unit_test(phases_that_do_not_end_are_named),
        cmocka_unit_test(boxes_hold_what_is_below),
        cmocka_unit_test(boxes_of_inactive_nodes_do_not_count),
        cmocka_unit_test(an_empty_scene_can_be_filled_by_code),
    };
    return cmocka_run_group_tests(tests, start_parts, stop_parts);
}
