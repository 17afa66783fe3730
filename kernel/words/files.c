/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that scenes name: found in the folder of the scene, then in the folders of DIVAN_DATA_PATH (separated by colons), then
 * among the scenes that came with the program, beside its library in the build tree or where it is installed.
 */
#include "words.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Folder of the library or program that holds this code; links resolved. NULL: unknown. */
char *dv_words_kernel_folder(void)
{
    Dl_info info = {0};
    (void)dladdr((const void *)&dv_common_fields, &info);
    char *real = realpath(info.dli_fname, NULL); /* of no name too: NULL */
    char *folder = real ? g_path_get_dirname(real) : NULL;
    free(real);
    return folder;
}

static char *regular_file(const char *folder, const char *name)
{
    char *path = folder && *folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_clear_pointer(&path, g_free);
    return path;
}

char *dv_words_find_beside_kernel(const char *name, const char *const *places)
{
    char *library = dv_words_kernel_folder(), *found = NULL;
    for (; library && !found && *places; places++) {
        char *folder = g_build_filename(library, *places, NULL);
        found = regular_file(folder, name);
        g_free(folder);
    }
    g_free(library);
    return found;
}

static char *find_file(const char *name, const char *folder)
{
    static const char *const own_scenes[] = {"../share/divan/scenes", "../../share/divan/scenes", "../../scenes", NULL};
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
    return found ? found : dv_words_find_beside_kernel(name, own_scenes);
}

char *dv_find_file(const char *name, const char *folder)
{
    char *found = find_file(name, folder), *copy = dv_strdup(found);
    g_free(found);
    return copy;
}

/* In the folders that were added to the scene. */
static char *find_in_scene(const DvObject *object, const char *name)
{
    const DvScene *scene = dv_private_scene_of(object);
    char *found = NULL;
    for (uint32_t i = 0; scene && i < scene->data_folders.len && !found && *name != '/'; i++) {
        char *path = g_build_filename(scene->data_folders.at[i], name, NULL);
        found = dv_find_file(path, NULL);
        g_free(path);
    }
    return found;
}

char *dv_words_find_file_of(const DvObject *object, const char *name)
{
    const char *folder = NULL;
    for (const DvNode *node = dv_private_node_of(object); node && !folder; node = dv_node_parent(node, 0))
        folder = node->folder;
    char *found = *name ? dv_find_file(name, folder) : NULL;
    return found || !*name ? found : find_in_scene(object, name);
}

bool dv_words_names_files(const DvField *field)
{
    return field->type->scalar == DV_SCALAR_STRING && field->type->list &&
           (strstr(field->name, "file") || strstr(field->name, "File"));
}
