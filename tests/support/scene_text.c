/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes written in a test; see scene_text.h.
 */
#include "scene_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <divan/registry.h>

static bool started;

static void start_once(void)
{
    if (!started)
        assert_int_equal(dv_start(NULL), DV_OK);
    started = true;
}

int start_plugins(void **state)
{
    (void)state;
    start_once();
    return 0;
}

int stop_plugins(void **state)
{
    (void)state;
    dv_stop();
    started = false;
    return 0;
}

static DvStatus load(const char *text, DvScene **scene)
{
    start_once();
    *scene = NULL;
    return dv_scene_load_text(text, strlen(text), "scene.scn", NULL, NULL, scene);
}

DvScene *scene_from_text(const char *text)
{
    DvScene *scene;
    assert_int_equal(load(text, &scene), DV_OK);
    assert_non_null(scene);
    return scene;
}

DvObject *scene_object(const DvScene *scene, const char *path)
{
    char link[256] = "@";
    assert_true(strlen(path) + 2 <= sizeof link);
    strcat(link, path);
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, link, NULL);
    if (!object)
        fail_msg("the scene has no object %s", path);
    return object;
}

DvStateRef scene_state(const DvScene *scene, const char *path)
{
    const DvStateRef state = dv_state_ref(scene_object(scene, path));
    assert_non_null(state.ops);
    return state;
}

static void collect(const DvMessage *message, void *context)
{
    if (message->level != DV_LEVEL_ERROR)
        return;
    dv_message_print(message, context);
    dv_text_add(context, "\n");
}

void expect_load_error(const char *text, const char *part)
{
    DvText messages = {0};
    DvScene *scene;
    start_once();
    dv_log_set_handler(collect, &messages);
    const DvStatus status = load(text, &scene);
    dv_log_set_handler(NULL, NULL);
    dv_scene_free(scene);
    assert_int_not_equal(status, DV_OK);
    if (!messages.at || !strstr(messages.at, part))
        fail_msg("expected an error with\n  %s\nbut got\n%s", part, messages.at ? messages.at : "none");
    dv_text_free(&messages);
}
