/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A folder of its own for the files of a test program, which goes with all that is in it.
 */
#ifndef DIVAN_TEST_FOLDER_H
#define DIVAN_TEST_FOLDER_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_text.h"

static char folder[] = P_tmpdir "/divan-haptics-XXXXXX";

static inline const char *in_folder(const char *name)
{
    static char path[sizeof folder + 256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Group setup and teardown, with all plugins. */
static inline int begin(void **state)
{
    assert_non_null(mkdtemp(folder));
    return start_plugins(state);
}

static inline int end(void **state)
{
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (const struct dirent *file; (file = readdir(files));)
        (void)unlink(in_folder(file->d_name)); /* but for the folder itself and the one above */
    (void)closedir(files);
    assert_int_equal(rmdir(folder), 0);
    return stop_plugins(state);
}

#endif
