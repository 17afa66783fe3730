/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that scenes name: found in the folder of the scene, then in the folders of DIVAN_DATA_PATH (separated by colons), then
 * among the scenes that came with the program, beside its library in the build tree or where it is installed.
 */
#include "internal.h"

#include <string.h>

static char *regular_file(const char *folder, const char *name)
{
    char *path = folder && *folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_clear_pointer(&path, g_free);
    return path;
}

static char *among_own_scenes(const char *name)
{
    static const char *const places[] = {"../share/divan/scenes", "../../share/divan/scenes", "../../scenes"};
    char *library = dv_private_kernel_folder(), *found = NULL;
    for (size_t i = 0; library && !found && i < G_N_ELEMENTS(places); i++) {
        char *folder = g_build_filename(library, places[i], NULL);
        found = regular_file(folder, name);
        g_free(folder);
    }
    g_free(library);
    return found;
}

char *dv_private_find_file(const char *name, const char *folder)
{
    if (!name || !*name)
        return NULL;
    if (g_path_is_absolute(name))
        return regular_file(NULL, name);
    char *found = regular_file(folder, name);
    const char *paths = g_getenv("DIVAN_DATA_PATH");
    if (!found && paths) {
        char **folders = g_strsplit(paths, ":", -1);
        for (char **at = folders; *at && !found; at++)
            if (**at)
                found = regular_file(*at, name);
        g_strfreev(folders);
    }
    return found ? found : among_own_scenes(name);
}
