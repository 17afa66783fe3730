/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel's tests of scenes share: the plugin of small classes, scenes from text, and every message that was logged.
 */
#ifndef DIVAN_TESTS_KERNEL_TEST_H
#define DIVAN_TESTS_KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

static DvText messages; /* one a line: "warning: scene.scn:3:1: ..." */

static inline void keep_message(const DvMessage *message, void *context)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    (void)context;
    dv_text_add(&messages, "%s: ", words[message->level]);
    dv_message_print(message, &messages);
    dv_text_add(&messages, "\n");
}

static inline void forget_messages(void)
{
    dv_text_free(&messages);
}

static inline const char *said(void)
{
    return messages.at ? messages.at : "";
}

/* Starts the kernel with the classes of scene_parts/parts.c and scene files, and nothing else. */
static inline int start_parts(void **state)
{
    (void)state;
    const char *const plugins[] = {getenv("DIVAN_TEST_PARTS"), getenv("DIVAN_SCENE_PLUGIN"), NULL};
    const DvStartOptions options = {.plugins = plugins, .only_given = true};
    dv_log_set_handler(keep_message, NULL);
    const DvStatus status = dv_start(&options);
    if (status != DV_OK)
        fputs(said(), stderr);
    return status == DV_OK ? 0 : -1;
}

static inline int stop_parts(void **state)
{
    (void)state;
    dv_stop();
    forget_messages();
    return 0;
}

static inline DvScene *load_with(const char *text, const DvLoadOptions *options, DvStatus *status)
{
    DvScene *scene;
    forget_messages();
    *status = dv_scene_load_text(text, strlen(text), "scene.scn", NULL, options, &scene);
    return scene;
}

/* Loads without a complaint. */
static inline DvScene *load(const char *text)
{
    DvStatus status;
    DvScene *scene = load_with(text, NULL, &status);
    if (status != DV_OK)
        fail_msg("%s", said());
    return scene;
}

#define assert_says(part)                                        \
    do {                                                         \
        if (!strstr(said(), (part)))                             \
            fail_msg("no message '%s' in:\n%s", (part), said()); \
    } while (0)

#define assert_silent()                                               \
    do {                                                              \
        if (strstr(said(), "warning: ") || strstr(said(), "error: ")) \
            fail_msg("unexpected:\n%s", said());                      \
    } while (0)

/* The scene is refused with a message that contains `part`. */
static inline void assert_refused(const char *text, DvStatus expected, const char *part)
{
    DvStatus status;
    DvScene *scene = load_with(text, NULL, &status);
    assert_says(part);
    assert_int_equal(status, expected);
    assert_null(scene);
}

static inline DvObject *object_at(const DvScene *scene, const char *path)
{
    DvObject *object = dv_node_resolve(dv_scene_root(scene), NULL, path, NULL);
    if (!object)
        fail_msg("nothing is at %s", path);
    return object;
}

static inline DvData *field_at(const DvScene *scene, const char *path, const char *field)
{
    DvData *data = dv_object_field(object_at(scene, path), field);
    if (!data)
        fail_msg("%s has no field %s", path, field);
    return data;
}

static inline double number_at(const DvScene *scene, const char *path, const char *field)
{
    return dv_data_double(field_at(scene, path, field));
}

#endif
