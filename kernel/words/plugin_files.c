/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins from folders and sets: which files there are, and which of them may start.
 *
 * Folders are searched in the order of options, DIVAN_PLUGIN_PATH, then those beside the kernel's library: ../plugins/<family> in a
 * build tree, divan/plugins where it is installed. Files of a folder come in the order of their names, so nothing depends on
 * the file system.
 *
 * plugins.conf, looked for in each folder of the search and in its parent, is a key file: groups are plugin sets, entries
 * are `id = version`. A set is the sum of the groups of its name in all these files; of two entries with one id the first
 * counts.
 */
#include "words.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Visible entries of a folder that the test lets pass, as paths, sorted. */
static GPtrArray *list_folder(const char *folder, const char *suffix, GFileTest test)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        char *path = g_build_filename(folder, name, NULL);
        if (*name != '.' && g_str_has_suffix(name, suffix) && g_file_test(path, test))
            g_ptr_array_add(names, path);
        else
            g_free(path);
    }
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(names, dv_core_compare_words);
    return names;
}

static void add_folders_of_kernel(GPtrArray *folders)
{
    char *kernel = dv_words_kernel_folder();
    if (!kernel)
        return;
    char *tree = g_build_filename(kernel, "..", "plugins", NULL);
    char *mark = g_build_filename(tree, "plugins.conf", NULL);
    if (g_file_test(mark, G_FILE_TEST_EXISTS)) {
        GPtrArray *families = list_folder(tree, "", G_FILE_TEST_IS_DIR);
        for (guint i = 0; i < families->len; i++)
            g_ptr_array_add(folders, g_strdup(g_ptr_array_index(families, i)));
        g_ptr_array_unref(families);
    } else {
        g_ptr_array_add(folders, g_build_filename(kernel, "divan", "plugins", NULL));
    }
    g_free(mark);
    g_free(tree);
    g_free(kernel);
}

static GPtrArray *search_folders(const DvStartOptions *options)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
    for (const char *const *path = options->plugin_path; path && *path; path++)
        g_ptr_array_add(folders, g_strdup(*path));
    if (options->only_given)
        return folders;
    gchar **paths = g_strsplit(g_getenv("DIVAN_PLUGIN_PATH") ? g_getenv("DIVAN_PLUGIN_PATH") : "", ":", -1);
    for (gchar **path = paths; *path; path++)
        if (**path)
            g_ptr_array_add(folders, g_strdup(*path));
    g_strfreev(paths);
    add_folders_of_kernel(folders);
    return folders;
}

/* What plugins are made of: opened before them, so that those that link it find it wherever they lie. A program that has none beside the
 * kernel runs plugins that need none. */
static DvStatus open_kit(void)
{
    static const char *const places[] = {".", "../kit", NULL};
    char *file = dv_words_find_beside_kernel("libdivan-kit.so.0", places);
    DvText reason = {0};
    if (file && dv_words_library_is_sound(file, &reason)) {
        void *kit = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        const uint64_t *stamp = kit ? dlsym(kit, "dv_kit_stamp") : NULL;
        if (!kit)
            dv_text_add(&reason, "%s", dlerror());
        else if (!stamp || *stamp != DV_ABI_STAMP)
            dv_text_add(&reason, "it was not built with this kernel; install both together");
    }
    const DvStatus status = reason.length ? DV_ERROR_ABI : DV_OK;
    if (status != DV_OK)
        dv_log_at(DV_LEVEL_ERROR, status, file, 0, 0, "cannot be used: %s", reason.at);
    dv_text_free(&reason);
    g_free(file);
    return status;
}

static void open_library(const char *file, bool named)
{
    DvText reason = {0};
    (void)dv_words_library_is_sound(file, &reason);
    dv_core_plugin_open(file, named, reason.at, dv_words_check_plugin);
    dv_text_free(&reason);
}

static void find_libraries(const DvStartOptions *options, const GPtrArray *folders)
{
    for (const char *const *file = options->plugins; file && *file; file++)
        open_library(*file, true);
    for (guint f = 0; f < folders->len; f++) {
        GPtrArray *files = list_folder(g_ptr_array_index(folders, f), ".so", G_FILE_TEST_IS_REGULAR);
        for (guint i = 0; i < files->len; i++)
            open_library(g_ptr_array_index(files, i), false);
        g_ptr_array_unref(files);
    }
}

/* Choosing */

/* Every plugins.conf of the search, once each. */
static GPtrArray *find_confs(const GPtrArray *folders)
{
    static const char *const places[] = {".", ".."};
    GPtrArray *confs = g_ptr_array_new_with_free_func(free);
    for (guint f = 0; f < folders->len; f++) {
        for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
            char *file = g_build_filename(g_ptr_array_index(folders, f), places[i], "plugins.conf", NULL);
            char *real = realpath(file, NULL);
            g_free(file);
            if (real && !g_ptr_array_find_with_equal_func(confs, real, g_str_equal, NULL))
                g_ptr_array_add(confs, real);
            else
                free(real);
        }
    }
    return confs;
}

/* One entry of the set. */
static DvStatus choose(const char *conf, const char *set, const char *id, const char *version)
{
    FoundPlugin *found = dv_core_plugin_find(id);
    if (!found) {
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_NOT_FOUND, conf, 0, 0,
                  "plugin set [%s] asks for plugin '%s', and no library on the search path is that plugin", set, id);
        return DV_ERROR_NOT_FOUND;
    }
    found->named = true;
    if (strcmp(found->info.version, version) != 0)
        dv_core_plugin_reject(found, DV_ERROR_INVALID,
                              "plugin set [%s] of %s asks for version %s of plugin '%s', this is %s", set, conf,
                              version, id, found->info.version);
    return DV_OK;
}

/* The entries of one file. `seen`: ids that have one already. */
static DvStatus choose_set(const char *conf, GKeyFile *keys, const char *set, GHashTable *seen)
{
    DvStatus status = DV_OK;
    gchar **ids = g_key_file_get_keys(keys, set, NULL, NULL);
    for (gchar **id = ids; *id; id++) {
        if (!g_hash_table_add(seen, g_strdup(*id)))
            continue;
        gchar *version = g_key_file_get_value(keys, set, *id, NULL);
        const DvStatus result = choose(conf, set, *id, version);
        g_free(version);
        if (status == DV_OK)
            status = result;
    }
    g_strfreev(ids);
    return status;
}

/* What a file has instead, behind what others have. */
static void add_groups(GString *known, const char *conf, GKeyFile *keys)
{
    gchar **groups = g_key_file_get_groups(keys, NULL);
    gchar *list = g_strjoinv("], [", groups);
    g_string_append_printf(known, "%s%s: [%s]", known->len ? ", " : "", conf, list);
    g_free(list);
    g_strfreev(groups);
}

static DvStatus unknown_set(const GPtrArray *confs, const char *set, const char *known)
{
    const char *conf = confs->len ? g_ptr_array_index(confs, 0) : NULL;
    if (!conf)
        dv_log(DV_LEVEL_ERROR, "no file plugins.conf was found that could hold the plugin set [%s]", set);
    else if (confs->len == 1)
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_NOT_FOUND, conf, 0, 0, "no plugin set [%s]; there are %s", set,
                  known + strlen(conf) + strlen(": "));
    else
        dv_log(DV_LEVEL_ERROR, "no plugin set [%s]; there are, in %s", set, known);
    return DV_ERROR_NOT_FOUND;
}

/* Gives a reason to what may not start. Without a set, asked for or called default, everything may. */
static DvStatus choose_plugins(const DvStartOptions *options, const GPtrArray *folders)
{
    DvStatus status = DV_OK;
    const char *const set = options->plugin_set ? options->plugin_set : "default";
    GPtrArray *confs = find_confs(folders);
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GString *holders = g_string_new(NULL), *known = g_string_new(NULL);
    for (guint i = 0; i < confs->len; i++) {
        const char *conf = g_ptr_array_index(confs, i);
        GKeyFile *keys = g_key_file_new();
        GError *error = NULL;
        DvStatus result = DV_OK;
        if (!g_key_file_load_from_file(keys, conf, G_KEY_FILE_NONE, &error)) {
            dv_log_at(DV_LEVEL_ERROR, DV_ERROR_INVALID, conf, 0, 0, "%s", error->message);
            g_error_free(error);
            result = DV_ERROR_INVALID;
        } else if (g_key_file_has_group(keys, set)) {
            g_string_append_printf(holders, "%s%s", holders->len ? ", " : "", conf);
            result = choose_set(conf, keys, set, seen);
        } else {
            add_groups(known, conf, keys);
        }
        g_key_file_free(keys);
        status = status == DV_OK ? result : status;
    }
    if (status == DV_OK && !holders->len && options->plugin_set)
        status = unknown_set(confs, set, known->str);
    for (size_t i = 0; i < dv_plugin_count() && (holders->len || status != DV_OK); i++) {
        FoundPlugin *found = dv_core_plugin_at(i);
        if (found->info.state != DV_PLUGIN_READY || found->named)
            continue;
        if (holders->len)
            dv_core_plugin_leave_out(found, "not in the plugin set [%s] of %s", set, holders->str);
        else
            dv_core_plugin_leave_out(found, "no plugin set could be read");
    }
    g_string_free(known, TRUE);
    g_string_free(holders, TRUE);
    g_hash_table_unref(seen);
    g_ptr_array_unref(confs);
    return status;
}

DvStatus dv_start(const DvStartOptions *options)
{
    static const DvStartOptions nothing_special;
    if (!dv_core_plugins_begin()) {
        dv_log(DV_LEVEL_ERROR, "the kernel has been started already");
        return DV_ERROR_INVALID;
    }
    if (!options)
        options = &nothing_special;
    dv_words_watch_memory();
    const DvStatus kit = open_kit();
    GPtrArray *folders = search_folders(options);
    find_libraries(options, folders);
    const DvStatus chosen = choose_plugins(options, folders);
    const DvStatus status = dv_core_plugins_start();
    g_ptr_array_unref(folders);
    return kit != DV_OK ? kit : chosen != DV_OK ? chosen : status;
}
