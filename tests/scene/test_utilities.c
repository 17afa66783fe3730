/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components that say something of the scene itself: what they say, and what they write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/divan.h>
#include <divan/embed.h>
#include <divan/event.h>

#include "scene_text.h"

static char folder[] = P_tmpdir "/divan-utilities-XXXXXX";

static void hear(const DvMessage *message, void *context)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    dv_text_add(context, "%s: ", words[message->level]);
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

static DvScene *load(const char *text, DvStatus expected, const DvLoadOptions *options, DvText *said)
{
    DvScene *scene = NULL;
    dv_log_set_handler(hear, said);
    assert_int_equal(dv_scene_load_text(text, strlen(text), "scene.scn", folder, options, &scene), expected);
    return scene;
}

static void end(DvScene *scene, DvText *said)
{
    dv_scene_free(scene);
    dv_log_set_handler(NULL, NULL);
    dv_text_free(said);
}

static const char *text_of(const DvText *said)
{
    return said->at ? said->at : "";
}

static void expect_said(const char *object, const char *expected)
{
    DvText said = {0}, text = {0}, all = {0};
    dv_text_add(&text, "<Node name='root'><DefaultAnimationLoop/>\n%s</Node>", object);
    if (*expected)
        dv_text_add(&all, "warning: scene.scn:2:%s\n", expected);
    DvScene *scene = load(text.at, DV_OK, NULL, &said);
    assert_string_equal(text_of(&said), text_of(&all));
    dv_text_free(&text);
    dv_text_free(&all);
    end(scene, &said);
}

static void names_of_plugins_are_looked_up(void **state)
{
    (void)state;
#define NOBODY " no plugin that runs covers 'Nobody.Has'"
    expect_said("<RequiredPlugin name='Sofa.Component.StateContainer'/>", "");
    expect_said("<RequiredPlugin name='a' pluginName=' divan.scene  Sofa.Component.SceneUtility '/>", "");
    expect_said("<RequiredPlugin name='Nobody.Has'/>", "17: RequiredPlugin 'Nobody.Has': name:" NOBODY);
    expect_said("<RequiredPlugin name='a' pluginName='divan.scene Nobody.Has'/>",
                "26: RequiredPlugin 'a': pluginName:" NOBODY);
    expect_said("<RequiredPlugin name='a' pluginName='divan.scene Nobody.Has' stopAfterFirstNameFound='1'/>", "");
    expect_said("<RequiredPlugin name='a' pluginName='Nobody.Has' requireAll='0'/>", "");
    expect_said("<RequiredPlugin name='a' pluginName='Nobody.Has' requireAll='0' requireOne='1'/>",
                "26: RequiredPlugin 'a': pluginName: no plugin that runs covers one of them");
    expect_said("<RequiredPlugin name='a' pluginName='Nobody.Has divan.io' requireAll='0' requireOne='1'/>", "");
}

static void covered_plugins_are_listed(void **state)
{
    (void)state;
    DvText said = {0}, list = {0};
    DvScene *scene = load("<Node name='root'><RequiredPlugin name='a' pluginName=\"['divan.io', 'No.Such',"
                          "'Sofa.Component.Mass']\"/></Node>",
                          DV_OK, NULL, &said);
    dv_data_print(dv_object_field(scene_object(scene, "/a"), "loadedPlugins"), &list);
    assert_string_equal(list.at, "divan.io Sofa.Component.Mass");
    dv_text_free(&list);
    end(scene, &said);
}

static void versions_are_read_alike(void **state)
{
    (void)state;
    DvText said = {0};
    static const char unknown[] = "level: '7' is none of 17.06 17.12 18.06 18.12 19.06 19.12 20.06 20.12 current; "
                                  "scenes of all years are read alike";
    DvText text = {0};
    expect_said("<APIVersion level='17.12'/>", "");
    expect_said("<APIVersion name='20.06'/>", "");
    expect_said("<APIVersion/>", "");
    dv_text_add(&text, "13: APIVersion 'v': %s", unknown);
    expect_said("<APIVersion level='7' name='v'/>", text.at);
    text.length = 0;
    dv_text_add(&text, " APIVersion '7': %s", unknown);
    expect_said("<APIVersion name='7'/>", text.at);
    dv_text_free(&text);
    DvScene *scene =
        load("<Node name='root'><APIVersion name='19.12'/><InfoComponent name='note'/></Node>", DV_OK, NULL, &said);
    assert_string_equal(dv_data_string(dv_object_field(scene_object(scene, "/19.12"), "level")), "19.12");
    assert_string_equal(dv_object_class(scene_object(scene, "/note"))->name, "InfoComponent");
    end(scene, &said);
}

static void no_scene_silences_what_is_said_of_it(void **state)
{
    (void)state;
    static const char *const handlers[] = {"sofa", "clang", "rich", ""};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        DvText object = {0};
        dv_text_add(&object, "<MessageHandlerComponent handler='%s'/>", handlers[i]);
        expect_said(object.at, "");
        dv_text_free(&object);
    }
    expect_said("<MessageHandlerComponent handler='silent'/>",
                "26: MessageHandlerComponent: handler: a scene cannot silence its messages");
    DvText said = {0};
    DvScene *scene = load("<Node><MessageHandlerComponent handler='loud'/></Node>", DV_OK, NULL, &said);
    assert_non_null(strstr(said.at, "'loud'"));
    end(scene, &said);
}

/* ---- what is said, in a file ---- */

static char *file_text(const char *name)
{
    static char text[4096];
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

#define KEEPER "<FileMessageHandlerComponent name='keeper' filename='said.txt'/>"
#define LATE   "<RequiredPlugin name='late' pluginName='Late.Plugin'/>"

static void forget_file(void)
{
    char path[200];
    snprintf(path, sizeof path, "%s/said.txt", folder);
    (void)remove(path);
}

/* Of two scenes at once each file has what is said of its own, from the component on, in loading and in steps. */
static void what_is_said_of_a_scene_is_kept(void **state)
{
    (void)state;
    DvText said = {0};
    forget_file();
    DvScene *scene = load("<Node name='root'><RequiredPlugin name='early' pluginName='Early.Plugin'/>" KEEPER LATE
                          "<MechanicalObject name='x' printLog='1'/></Node>",
                          DV_OK, NULL, &said);
    DvScene *other =
        load("<Node name='root'><RequiredPlugin name='other' pluginName='Other.Plugin'/></Node>", DV_OK, NULL, &said);
    assert_null(file_text("said.txt")); /* not whole yet */
    dv_warning(scene_object(scene, "/x"), "it is told");
    dv_warning(scene_object(other, "/other"), "it is not told");
    dv_info(scene_object(scene, "/x"), "so is this");
    dv_scene_reset(scene);
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    dv_scene_free(scene);
    assert_string_equal(file_text("said.txt"),
                        "warning: scene.scn:1:167: RequiredPlugin 'late': pluginName: no plugin that runs covers "
                        "'Late.Plugin'\n"
                        "warning: scene.scn:1: MechanicalObject 'x': it is told\n"
                        "info: scene.scn:1: MechanicalObject 'x': so is this\n");
    dv_warning(scene_object(other, "/other"), "nobody keeps it");
    assert_non_null(strstr(said.at, "'early'"));
    end(other, &said);
}

static void a_scene_that_cannot_be_loaded_is_told_of_too(void **state)
{
    (void)state;
    DvText said = {0};
    forget_file();
    end(load("<Node name='root'>" KEEPER "<NoSuchClass/></Node>", DV_ERROR_NOT_FOUND, NULL, &said), &said);
    assert_non_null(file_text("said.txt"));
    assert_non_null(strstr(file_text("said.txt"), "error: scene.scn:1:83: no class 'NoSuchClass'"));
}

static void a_check_writes_no_file(void **state)
{
    (void)state;
    DvText said = {0};
    forget_file();
    end(load("<Node name='root'><DefaultAnimationLoop/>" KEEPER LATE "</Node>", DV_OK,
             &(DvLoadOptions){.keep_going = true, .check_only = true}, &said),
        &said);
    assert_null(file_text("said.txt"));
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    expect_load_error("<Node>\n<FileMessageHandlerComponent/></Node>", "2: FileMessageHandlerComponent: filename: ");
    expect_load_error("<Node>\n<FileMessageHandlerComponent filename='no/such/folder/said.txt'/></Node>",
                      "'no/such/folder/said.txt' cannot be written: ");
    expect_load_error("<Node>\n<FileMessageHandlerComponent filename='/etc/said.txt'/></Node>",
                      "'/etc/said.txt' cannot be written: ");
}

/* ---- pausing ---- */

static void an_event_pauses_the_animation(void **state)
{
    (void)state;
    DvScene *scene = scene_from_text("<Node name='root' animate='1'><DefaultAnimationLoop/><Node name='below'>"
                                     "<PauseAnimationOnEvent name='it'/></Node></Node>");
    DvNode *root = dv_scene_root(scene);
    DvData *animate = dv_object_field(dv_node_object(root), "animate");
    assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    assert_true(dv_data_bool(animate));
    DvEvent key = {.kind = DV_EVENT_KEY_PRESSED, .key = 'p'}, pause = {.kind = DV_EVENT_PAUSE};
    dv_event_send(root, &key);
    assert_true(dv_data_bool(animate));
    dv_event_send(root, &pause);
    assert_false(dv_data_bool(animate));
    assert_false(pause.handled);
    dv_scene_free(scene);
}

static int setup(void **state)
{
    return mkdtemp(folder) && dv_set_output_folder(folder) == DV_OK && chdir(folder) == 0 ? start_plugins(state) : -1;
}

static int teardown(void **state)
{
    forget_file();
    (void)rmdir(folder);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_plugins_are_looked_up),
        cmocka_unit_test(covered_plugins_are_listed),
        cmocka_unit_test(versions_are_read_alike),
        cmocka_unit_test(no_scene_silences_what_is_said_of_it),
        cmocka_unit_test(what_is_said_of_a_scene_is_kept),
        cmocka_unit_test(a_scene_that_cannot_be_loaded_is_told_of_too),
        cmocka_unit_test(a_check_writes_no_file),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
        cmocka_unit_test(an_event_pauses_the_animation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
