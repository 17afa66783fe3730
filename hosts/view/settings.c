/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is kept from run to run: the files that were opened last, in divan/view.conf of the user's configuration. That it cannot be written
 * is no matter.
 */
#include "view.h"

static char *file_of_settings(void)
{
    return g_build_filename(g_get_user_config_dir(), "divan", "view.conf", NULL);
}

void settings_read(View *view)
{
    char *file = file_of_settings();
    GKeyFile *keys = g_key_file_new();
    if (g_key_file_load_from_file(keys, file, G_KEY_FILE_NONE, NULL)) {
        gsize count = 0;
        char **files = g_key_file_get_string_list(keys, "view", "recent", &count, NULL);
        for (gsize i = 0; i < count && i < RECENT_MOST; i++)
            view->recent[i] = g_strdup(files[i]);
        g_strfreev(files);
    }
    g_key_file_free(keys);
    g_free(file);
}

static void write_settings(const View *view)
{
    char *file = file_of_settings(), *folder = g_path_get_dirname(file);
    GKeyFile *keys = g_key_file_new();
    gsize count = 0;
    while (view->recent[count])
        count++;
    g_key_file_set_string_list(keys, "view", "recent", (const char *const *)view->recent, count);
    (void)g_mkdir_with_parents(folder, 0755);
    (void)g_key_file_save_to_file(keys, file, NULL);
    g_key_file_free(keys);
    g_free(folder);
    g_free(file);
}

void settings_add_recent(View *view, const char *file)
{
    int place = 0;
    while (view->recent[place] && strcmp(view->recent[place], file) != 0 && place < RECENT_MOST - 1)
        place++;
    g_free(view->recent[place]);
    memmove(view->recent + 1, view->recent, (size_t)place * sizeof *view->recent);
    view->recent[0] = g_strdup(file);
    write_settings(view);
}

void settings_forget_recent(View *view, const char *file)
{
    int place = 0;
    while (view->recent[place] && strcmp(view->recent[place], file) != 0)
        place++;
    if (!view->recent[place])
        return;
    g_free(view->recent[place]);
    memmove(view->recent + place, view->recent + place + 1, (size_t)(RECENT_MOST - place) * sizeof *view->recent);
    write_settings(view);
}

void settings_free(View *view)
{
    for (int i = 0; i < RECENT_MOST; i++)
        g_free(view->recent[i]);
}
