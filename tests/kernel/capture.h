/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel says while a test runs, line by line: "warning: file:3: Class 'name': field: text". The folder of a file is
 * left out, so that texts can be compared on every machine.
 */
#ifndef DIVAN_TESTS_KERNEL_CAPTURE_H
#define DIVAN_TESTS_KERNEL_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <divan/divan.h>

static DvText captured;

static inline const char *without_folder(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static void capture(const DvMessage *message, void *context)
{
    (void)context;
    static const char *const words[] = {"debug", "info", "warning", "error"};
    DvMessage shortened = *message;
    shortened.file = without_folder(message->file);
    dv_text_add(&captured, "%s%s: ", captured.length ? "\n" : "", words[message->level]);
    dv_message_print(&shortened, &captured);
}

/* What was said since the last call; starts anew. */
static inline void expect_messages(const char *expected)
{
    assert_string_equal(captured.at ? captured.at : "", expected);
    dv_text_free(&captured);
}

static inline const char *build_root(void)
{
    const char *root = getenv("DIVAN_BUILD_ROOT");
    return root ? root : "build";
}

/* Path of something in the build tree; one of 16 texts that take turns. */
static inline const char *built(const char *name)
{
    static char paths[16][512];
    static unsigned turn;
    char *path = paths[turn++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", build_root(), name);
    return path;
}

#endif
