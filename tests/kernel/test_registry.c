/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The registry: classes by every name they ever had, several plugins with one class, and what is said of unknown names.
 */
#include "capture.h"

#include "test_classes.h"

static const char *bad(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/kernel/bad_plugins/%s.so", name);
    return built(path);
}

static DvStatus start_with(const char *first, const char *second, const char *third)
{
    const char *plugins[5] = {first, second, third};
    size_t count = 1;
    while (plugins[count])
        count++;
    plugins[count] = getenv("DIVAN_SCENE_PLUGIN");
    return dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true});
}

static void start_test_classes(void)
{
    assert_int_equal(start_with(built("tests/kernel/plugins/test-classes.so"), NULL, NULL), DV_OK);
}

/* The classes of the plugins of the test, without those of the plugin that reads scenes; *count of them. */
static const DvClass *const *classes_of_test(size_t *count)
{
    static const DvClass *at[16];
    *count = 0;
    for (size_t i = 0; i < dv_class_count(); i++)
        if (strcmp(dv_class_plugin(dv_class_at(i))->id, "divan.scene") != 0 && *count < 16)
            at[(*count)++] = dv_class_at(i);
    return at;
}

static void expect_explanation(const char *name, const char *expected)
{
    DvText text = {0};
    dv_class_explain(name, &text);
    assert_string_equal(text.at, expected);
    dv_text_free(&text);
}

static void before_the_start_there_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(dv_class_count(), 0);
    assert_null(dv_class_at(0));
    assert_null(dv_class_find("Recorder"));
    assert_null(dv_class_plugin(NULL));
    assert_null(dv_service(TEST_COUNTERS));
    const void *ops[1];
    assert_int_equal(dv_services(TEST_COUNTERS, ops, 1), 0);
    assert_int_equal(dv_plugin_count(), 0);
    assert_null(dv_plugin_info(0));
    expect_explanation("Nothing", "no class 'Nothing'");
    DvScene *scene = dv_scene_new();
    assert_null(dv_object_field(dv_node_object(dv_scene_root(scene)), "oldValue"));
    dv_scene_free(scene);
    static const char text[] = "<Node/>";
    assert_false(dv_module_is_known("Test.Module"));
    assert_int_equal(dv_scene_load_text(text, strlen(text), "early.scn", NULL, NULL, &scene), DV_ERROR_INVALID);
    assert_null(scene);
    expect_messages("error: early.scn: no plugin that is in use reads scene files");
    dv_text_free(&captured);
    dv_stop(); /* harmless */
}

static void classes_come_in_the_order_of_their_names(void **state)
{
    (void)state;
    start_test_classes();
    static const char *const names[] = {"Bare", "Needy", "Recorder", "SumEngine", "Typed"};
    size_t count;
    const DvClass *const *found = classes_of_test(&count);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(found[i]->name, names[i]);
        assert_string_equal(dv_class_plugin(found[i])->id, "test.classes");
    }
    for (size_t i = 1; i < dv_class_count(); i++)
        assert_true(strcmp(dv_class_at(i - 1)->name, dv_class_at(i)->name) < 0);
    assert_null(dv_class_at(dv_class_count()));
}

static void a_class_is_found_by_name_alias_and_old_name(void **state)
{
    (void)state;
    start_test_classes();
    const DvClass *recorder = dv_class_find("Recorder");
    assert_non_null(recorder);
    assert_ptr_equal(dv_class_find("Scribe"), recorder);
    assert_ptr_equal(dv_class_find("OldRecorder"), recorder);
    assert_null(dv_class_find("LostRecorder")); /* renamed to something that nobody offers */
    assert_null(dv_class_find("GoneEngine"));
    assert_null(dv_class_find("IdleEngine"));
    assert_null(dv_class_find("recorder"));
    const DvClass foreign = {.name = "Recorder"};
    assert_null(dv_class_plugin(&foreign));
}

static void an_unknown_class_is_explained(void **state)
{
    (void)state;
    start_test_classes();
    expect_explanation("Recordr", "no class 'Recordr'; did you mean 'Recorder'?");
    expect_explanation("sumEngine", "no class 'sumEngine'; did you mean 'SumEngine'?");
    expect_explanation("oldRecorder", "no class 'oldRecorder'; did you mean 'OldRecorder'?");
    expect_explanation("Scribbe", "no class 'Scribbe'; did you mean 'Scribe'?");
    expect_explanation("GoneEngine", "no class 'GoneEngine': its work is done by SumEngine");
    expect_explanation("IdleEngine", "no class 'IdleEngine': it has been removed and changes nothing");
    expect_explanation("TwoRecorders", "no class 'TwoRecorders': it is an old name that stands for "
                                       "<Node><Recorder/><Recorder/></Node>");
    expect_explanation("twoRecorders", "no class 'twoRecorders'; did you mean 'TwoRecorders'?");
    expect_explanation("LostRecorder", "no class 'LostRecorder', which is now called 'NoSuchClass'");
    expect_explanation("LostPreconditioner",
                       "no class 'LostPreconditioner', which is now called 'WarpPreconditioner': it is a class of SOFA "
                       "(Sofa.Component.LinearSolver.Preconditioner) that no plugin of Divan offers yet");
    /* An old name that leads nowhere is not what was meant. */
    expect_explanation(
        "lostPreconditioner",
        "no class 'lostPreconditioner'; did you mean 'SSORPreconditioner', a class of SOFA that no plugin of "
        "Divan offers yet?");
    expect_explanation("xyzzy", "no class 'xyzzy'");
    expect_explanation("WarpPreconditioner",
                       "no class 'WarpPreconditioner': it is a class of SOFA "
                       "(Sofa.Component.LinearSolver.Preconditioner) that no plugin of Divan offers yet");
    expect_explanation(
        "WarpPreconditionr",
        "no class 'WarpPreconditionr'; did you mean 'WarpPreconditioner', a class of SOFA that no plugin of "
        "Divan offers yet?");
}

static void a_plugin_that_is_not_in_use_is_named(void **state)
{
    (void)state;
    /* Others that are not in use either: no plugin at all, one without classes, one with another class. */
    const char *const plugins[] = {bad("no-symbol"),
                                   bad("needs-broken"),
                                   bad("behind-circle"),
                                   bad("needs-nobody"),
                                   built("tests/kernel/plugins/test-classes.so"),
                                   NULL};
    assert_int_equal(dv_start(&(DvStartOptions){.plugins = plugins, .only_given = true}), DV_ERROR_UNSUPPORTED);
    dv_text_free(&captured);
    static const char *const cases[][2] = {{"Lonely", "no class 'Lonely'"},
                                           {"OldLonely", "no class 'OldLonely', which is now called 'Lonely'"}};
    for (size_t i = 0; i < 2; i++) {
        DvText expected = {0};
        dv_text_add(&expected,
                    "%s: it is in the plugin 'test.lonely' (%s), which is not in use: plugin 'test.lonely' needs "
                    "'test.missing/1', which no plugin offers",
                    cases[i][1], dv_plugin_info(3)->file);
        expect_explanation(cases[i][0], expected.at);
        dv_text_free(&expected);
    }
    expect_explanation("xyzzy", "no class 'xyzzy'");
}

static void after_the_stop_a_class_is_known_by_its_plugin(void **state)
{
    (void)state;
    start_test_classes();
    dv_stop();
    assert_null(dv_class_find("Recorder"));
    DvText expected = {0};
    dv_text_add(&expected, "no class 'Recorder': it is in the plugin 'test.classes' (%s), which is not in use",
                dv_plugin_info(0)->file);
    expect_explanation("Recorder", expected.at);
    dv_text_free(&expected);
}

static void of_one_class_in_two_plugins_the_higher_rank_counts(void **state)
{
    (void)state;
    assert_int_equal(start_with(bad("tie-1"), bad("rank-5"), bad("tie-3")), DV_OK);
    size_t count;
    const DvClass *const *found = classes_of_test(&count);
    assert_int_equal(count, 3);
    const DvClass *thing = dv_class_find("Thing");
    assert_string_equal(dv_class_plugin(thing)->id, "test.z5");
    assert_ptr_equal(found[0], thing);
    assert_string_equal(dv_class_plugin(found[1])->id, "test.tie1");
    assert_string_equal(dv_class_plugin(found[2])->id, "test.tie3");
}

static void a_tie_is_refused(void **state)
{
    (void)state;
    assert_int_equal(start_with(bad("tie-1"), bad("tie-2"), NULL), DV_ERROR_INVALID);
    expect_messages(
        "error: tie-2.so: class 'Thing' for Vec2d is also offered by plugin 'test.tie1', with the same rank 0");
    assert_int_equal(dv_plugin_info(1)->state, DV_PLUGIN_REJECTED);
    size_t count;
    (void)classes_of_test(&count);
    assert_int_equal(count, 1);
    dv_stop();
    assert_int_equal(start_with(bad("tie-none"), bad("good"), NULL), DV_ERROR_INVALID);
    expect_messages("error: tie-none.so: class 'Thing' is also offered by plugin 'test.good', with the same rank 0");
    dv_stop();
    assert_int_equal(start_with(bad("tie-none"), bad("tie-3"), NULL), DV_OK);
}

static void services_are_found_in_the_order_of_start(void **state)
{
    (void)state;
    assert_int_equal(start_with(bad("chain-4"), bad("chain-1"), NULL), DV_OK);
    const void *ops[2] = {NULL, NULL};
    assert_int_equal(dv_services("test.one/1", ops, 1), 2);
    assert_ptr_equal(ops[0], dv_service("test.one/1"));
    assert_null(ops[1]);
    assert_int_equal(dv_services("test.one/1", ops, 2), 2);
    assert_ptr_equal(ops[0], dv_plugin_info(0)->plugin->offers[0].ops); /* "test.a4" starts before "test.z1" */
    assert_ptr_equal(ops[1], dv_plugin_info(1)->plugin->offers[0].ops);
    assert_null(dv_service("test.missing/1"));
}

static void modules_and_variants_are_known_to_scenes(void **state)
{
    (void)state;
    start_test_classes();
    static const char text[] = "<Node><RequiredPlugin name='Test.Module'/><RequiredPlugin name='TestBase'/>"
                               "<RequiredPlugin name='test.classes'/><Scribe oldValue='3'/></Node>";
    DvScene *scene = NULL;
    assert_int_equal(dv_scene_load_text(text, strlen(text), "modules.scn", NULL, NULL, &scene), DV_OK);
    expect_messages("");
    DvObject *scribe = dv_node_member(dv_scene_root(scene), 3);
    assert_int_equal(dv_data_int(dv_object_field(scribe, "value")), 3);
    /* An old name of a field of no class in particular is one of all. */
    assert_ptr_equal(dv_object_field(scribe, "isLoud"), dv_object_field(scribe, "printLog"));
    dv_scene_free(scene);
    /* Each variant is made by the plugin that has it. */
    dv_stop();
    assert_int_equal(start_with(bad("rank-5"), bad("tie-3"), bad("early")), DV_OK);
    static const struct {
        const char *variant, *plugin;
    } cases[] = {{"Vec3d", "test.z5"}, {"Vec6d", "test.tie3"}, {"Vec1d", "test.tie3"}};
    scene = dv_scene_new();
    for (size_t i = 0; i < 3; i++) {
        DvObject *object = NULL;
        assert_int_equal(dv_object_new(dv_scene_root(scene), "Thing", &object, "template", cases[i].variant, NULL),
                         DV_OK);
        assert_string_equal(dv_object_variant(object), cases[i].variant);
        assert_string_equal(dv_class_plugin(dv_object_class(object))->id, cases[i].plugin);
    }
    dv_scene_free(scene);
}

static int setup(void **state)
{
    (void)state;
    dv_log_set_handler(capture, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    dv_stop();
    expect_messages("");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    dv_log_set_handler(NULL, NULL);
    return 0;
}

#define stopped_test(test) cmocka_unit_test_teardown(test, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        stopped_test(before_the_start_there_is_nothing),
        stopped_test(classes_come_in_the_order_of_their_names),
        stopped_test(a_class_is_found_by_name_alias_and_old_name),
        stopped_test(an_unknown_class_is_explained),
        stopped_test(a_plugin_that_is_not_in_use_is_named),
        stopped_test(after_the_stop_a_class_is_known_by_its_plugin),
        stopped_test(of_one_class_in_two_plugins_the_higher_rank_counts),
        stopped_test(a_tie_is_refused),
        stopped_test(services_are_found_in_the_order_of_start),
        stopped_test(modules_and_variants_are_known_to_scenes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
