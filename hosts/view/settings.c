/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is kept from run to run: the files that were opened last, the sizes of the window and its panels, in divan/view.conf of the user's
 * configuration. That it cannot be written is no matter.
 */
#include "view.h"

static char *file_of_settings(void)
{
    return g_build_filename(g_get_user_config_dir(), "divan", "view.conf", NULL);
}

static void read_size(GKeyFile *keys, const char *name, float *size)
{
    const double found = g_key_file_get_double(keys, "view", name, NULL);
    if (found >= 60 && found <= 16384)
        *size = (float)found;
}

/* What --size says, or the scene, holds for one run. */
static void read_window(View *view, GKeyFile *keys)
{
    gsize count = 0;
    int *sides = g_key_file_get_integer_list(keys, "view", "window", &count, NULL);
    if (!view->options.sized && count == 2 && sides[0] >= 480 && sides[1] >= 320 && sides[0] <= 16384 &&
        sides[1] <= 16384) {
        view->options.width = sides[0];
        view->options.height = sides[1];
    }
    g_free(sides);
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
        read_size(keys, "left", &view->left);
        read_size(keys, "fields", &view->fields);
        read_size(keys, "bottom", &view->bottom);
        read_window(view, keys);
    }
    g_key_file_free(keys);
    g_free(file);
}

void settings_write(const View *view)
{
    char *file = file_of_settings(), *folder = g_path_get_dirname(file);
    GKeyFile *keys = g_key_file_new();
    gsize count = 0;
    while (view->recent[count])
        count++;
    g_key_file_set_string_list(keys, "view", "recent", (const char *const *)view->recent, count);
    g_key_file_set_double(keys, "view", "left", (double)view->left);
    g_key_file_set_double(keys, "view", "fields", (double)view->fields);
    g_key_file_set_double(keys, "view", "bottom", (double)view->bottom);
    if (view->window_width > 0)
        g_key_file_set_integer_list(keys, "view", "window", (int[]){view->window_width, view->window_height}, 2);
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
    settings_write(view);
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
    settings_write(view);
}

void settings_free(View *view)
{
    for (int i = 0; i < RECENT_MOST; i++)
        g_free(view->recent[i]);
}
