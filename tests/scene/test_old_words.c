/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that the plugins say of old words: what they became is there, and what has gone is told once, in the place where it stands, with what
 * the plugin advises, and by nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/build.h>
#include <divan/divan.h>
#include <divan/log.h>
#include <divan/plugin.h>
#include <divan/registry.h>
#include <divan/scene.h>

#include "scene_text.h"

typedef struct Said {
    char word[128]; /* in quotes */
    unsigned count; /* messages with it, none of which is another's */
    DvText last;
} Said;

static void hear(const DvMessage *message, void *context)
{
    Said *said = context;
    DvText text = {0};
    dv_message_print(message, &text);
    if (strstr(text.at, said->word)) {
        said->count++;
        dv_text_free(&said->last);
        dv_text_add(&said->last, "%s", text.at);
    }
    dv_text_free(&text);
}

/* `object` in the second line of a scene: one message has the old word, and it is `wanted`. */
static void expect_told(const char *object, const char *word, bool loads, const char *wanted)
{
    Said said = {.count = 0};
    DvText text = {0};
    char path[] = "old-words-XXXXXX.scn";
    snprintf(said.word, sizeof said.word, "'%s'", word);
    FILE *file = fdopen(mkstemps(path, 4), "w");
    assert_non_null(file);
    fprintf(file, "<Node><DefaultAnimationLoop/>\n  <%s/>\n</Node>\n", object);
    fclose(file);
    DvScene *scene = NULL;
    dv_log_set_handler(hear, &said);
    const DvStatus status = dv_scene_load(path, NULL, &scene);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
    assert_int_equal(remove(path), 0);
    dv_text_add(&text, "%s:2:", path);
    if (said.count != 1 || !strstr(said.last.at, wanted) || !strstr(said.last.at, text.at) ||
        (!loads && status == DV_OK))
        fail_msg("<%s/>: %u messages of %s, at last: %s, not: %s", object, said.count, said.word,
                 said.last.at ? said.last.at : "none", wanted);
    dv_text_free(&said.last);
    dv_text_free(&text);
}

/* Of classes that others stand in for, one is as good as another. */
static void check_class(const DvRename *rename)
{
    DvText wanted = {0};
    const char *colon = rename->to ? ": " : "", *to = rename->to ? rename->to : "";
    if (rename->kind == DV_RENAME_CLASS && !dv_class_find(rename->to))
        fail_msg("'%s' is to be '%s', which is no class", rename->from, rename->to);
    if (rename->kind == DV_RENAME_CLASS && dv_class_find(rename->from) != dv_class_find(rename->to))
        fail_msg("'%s' is not '%s'", rename->from, rename->to);
    if (rename->kind == DV_RENAME_CLASS_HARMLESS) {
        dv_text_add(&wanted, "'%s' has been removed and changes nothing%s%s", rename->from, colon, to);
        expect_told(rename->from, rename->from, true, wanted.at);
    }
    if (rename->kind == DV_RENAME_CLASS_REMOVED) {
        dv_text_add(&wanted, "'%s' has been removed: use %s", rename->from, to);
        expect_told(rename->from, rename->from, false, wanted.at);
    }
    dv_text_free(&wanted);
}

/* The class, or one that has it as its base. */
static const DvClass *class_of(const char *name)
{
    const DvClass *cls = strcmp(name, "Node") == 0 ? dv_class_of_nodes() : dv_class_find(name);
    for (size_t i = 0; i < dv_class_count() && !cls; i++)
        for (const char *const *base = dv_class_at(i)->bases; base && *base; base++)
            if (strcmp(*base, name) == 0)
                cls = dv_class_at(i);
    return cls;
}

static void check_field(const DvRename *rename)
{
    const DvClass *cls = class_of(rename->of);
    DvText object = {0}, wanted = {0};
    if (!cls)
        fail_msg("'%s' of '%s', which is no class", rename->from, rename->of);
    if (dv_class_takes(cls, rename->from))
        fail_msg("'%s' is a field of '%s'", rename->from, rename->of);
    if (dv_rename_of_field(cls, rename->from) != rename)
        fail_msg("'%s' of '%s' is something else too", rename->from, rename->of);
    if (rename->kind == DV_RENAME_FIELD && !strchr(rename->to, '.') && !dv_class_takes(cls, rename->to))
        fail_msg("'%s' of '%s' is to be '%s', which is no field", rename->from, rename->of, rename->to);
    const char *colon = rename->to ? ": " : "", *to = rename->to ? rename->to : "";
    dv_text_add(&object, "%s %s='1'", cls->name, rename->from);
    if (rename->kind == DV_RENAME_FIELD_HARMLESS) {
        dv_text_add(&wanted, "'%s' has no effect any more%s%s", rename->from, colon, to);
        expect_told(object.at, rename->from, true, wanted.at);
    }
    if (rename->kind == DV_RENAME_FIELD_REMOVED) {
        dv_text_add(&wanted, "'%s' has been removed%s%s", rename->from, colon, to);
        expect_told(object.at, rename->from, false, wanted.at);
    }
    dv_text_free(&object);
    dv_text_free(&wanted);
}

static void old_words_of_all_plugins_lead_somewhere(void **state)
{
    (void)state;
    unsigned of_kind[DV_RENAME_DOF_TYPE + 1] = {0};
    const DvPlugin *last = NULL;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvPlugin *plugin = dv_class_plugin(dv_class_at(i));
        bool known = plugin == last;
        for (size_t k = 0; k < i && !known; k++)
            known = dv_class_plugin(dv_class_at(k)) == plugin;
        last = plugin;
        for (const DvRename *rename = plugin->renames; !known && rename && rename->kind != DV_RENAME_END; rename++) {
            of_kind[rename->kind]++;
            if (rename->kind <= DV_RENAME_CLASS_REMOVED)
                check_class(rename);
            else if (rename->kind == DV_RENAME_DOF_TYPE)
                assert_non_null(dv_dof_type(rename->to));
            else if (rename->kind != DV_RENAME_MODULE)
                check_field(rename);
            else
                assert_true(dv_module_is_known(rename->from));
        }
    }
    assert_true(of_kind[DV_RENAME_CLASS] > 50 && of_kind[DV_RENAME_CLASS_HARMLESS] > 2 &&
                of_kind[DV_RENAME_FIELD] > 10 && of_kind[DV_RENAME_FIELD_HARMLESS] > 2);
}

/* Where both are given, the new one counts, and the old one is told as what no class has. */
static void a_new_word_goes_before_its_old_one(void **state)
{
    (void)state;
    static const char both[] = "UniformMass name='m' mass='3' vertexMass='2'";
    static const char *const orders[] = {both, "UniformMass name='m' vertexMass='2' mass='3'"};
    for (int i = 0; i < 2; i++) {
        DvText text = {0};
        dv_text_add(&text, "<Node><DefaultAnimationLoop/><MechanicalObject/><%s/></Node>", orders[i]);
        Said said = {.word = "'mass'"};
        dv_log_set_handler(hear, &said);
        DvScene *scene = scene_from_text(text.at);
        dv_log_set_handler(NULL, NULL);
        size_t count;
        assert_true(dv_data_doubles(dv_object_field(scene_object(scene, "/m"), "vertexMass"), &count)[0] == 2.0);
        assert_int_equal(said.count, 1);
        assert_non_null(strstr(said.last.at, "no field 'mass'"));
        dv_scene_free(scene);
        dv_text_free(&said.last);
        dv_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_words_of_all_plugins_lead_somewhere),
        cmocka_unit_test(a_new_word_goes_before_its_old_one),
    };
    return cmocka_run_group_tests(tests, start_plugins, stop_plugins);
}
