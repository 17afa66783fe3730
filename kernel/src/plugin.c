/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins: finding, checking, choosing, ordering, starting.
 *
 * Folders are searched in the order of options, DIVAN_PLUGIN_PATH, then those beside this library: ../plugins/<family> in a
 * build tree, divan/plugins where it is installed. Files of a folder come in the order of their names, so nothing depends on
 * the file system. A library is opened, its size and stamp are compared, and only then its descriptor is read; all that
 * is known of it is data until it starts. Plugins start after the providers of what they need, ties by id; they stop in
 * the reverse order and stay in memory, since objects, types and GLib's tables point into them.
 *
 * plugins.conf, looked for in each folder of the search and in its parent, is a key file: groups are plugin sets, entries
 * are `id = version`. A set is the sum of the groups of its name in all these files; of two entries with one id the first
 * counts.
 */
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Found {
    DvPluginInfo info; /* owns its file and reason */
    bool named;        /* by file, or in the plugin set: it must work */
} Found;

static GPtrArray *plugins; /* Found *, in the order of search */
static GPtrArray *started; /* Found *, in the order of start */

static void found_free(gpointer data)
{
    Found *found = data;
    free((void *)(uintptr_t)found->info.file);
    g_free((gpointer)(uintptr_t)found->info.reason);
    g_free(found);
}

static void set_reason(Found *found, const char *format, ...) DV_PRINTF(2, 3);
static void set_reason(Found *found, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_free((gpointer)(uintptr_t)found->info.reason);
    found->info.reason = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

#define reject(found, why, ...) \
    ((found)->info.state = DV_PLUGIN_REJECTED, (found)->info.status = (why), set_reason(found, __VA_ARGS__))

/* Checking */

static bool is_empty(const char *text)
{
    return !text || !*text;
}

/* `who` and the name begin the sentence: "class 'Thing' offers ...". */
static bool check_offers(const DvContract *offer, const char *who, const char *name, DvText *reason)
{
    for (; offer && offer->id; offer++) {
        DvText text = {0};
        if (!dv_private_contract_complete(offer, &text)) {
            dv_text_add(reason, "%s '%s' offers %s", who, name, text.at);
            dv_text_free(&text);
            return false;
        }
    }
    return true;
}

/* Each part of a variant, "Rigid3d,Vec3d" say, is the name of a DOF type or of what the plugin declares. */
static bool check_variants(const DvPlugin *plugin, const DvClass *cls, DvText *reason)
{
    gchar **parts = g_strsplit_set(cls->variants ? cls->variants : "", " ,", -1);
    GPtrArray *known = g_ptr_array_new();
    const char *dof;
    for (size_t i = 0; (dof = dv_private_dof_type_name(i)); i++)
        g_ptr_array_add(known, (gpointer)(uintptr_t)dof);
    for (const char *const *name = plugin->variants; name && *name; name++)
        g_ptr_array_add(known, (gpointer)(uintptr_t)*name);
    bool good = true;
    for (gchar **part = parts; *part && good; part++) {
        good = !**part;
        for (guint i = 0; i < known->len && !good; i++)
            good = strcmp(g_ptr_array_index(known, i), *part) == 0;
        if (good)
            continue;
        const char *closest = dv_closest(*part, (const char *const *)known->pdata, known->len);
        dv_text_add(reason, "class '%s' has a variant '%s', which is neither a DOF type nor declared by the plugin",
                    cls->name, *part);
        if (closest)
            dv_text_add(reason, "; did you mean '%s'?", closest);
    }
    g_ptr_array_unref(known);
    g_strfreev(parts);
    return good;
}

static bool check_field(const DvClass *cls, const DvField *field, DvText *reason)
{
    if (!field->type) {
        dv_text_add(reason, "field '%s' of class '%s' has no type", field->name, cls->name);
        return false;
    }
    const size_t size = field->type == &dv_type_link ? sizeof(DvLink) : sizeof(DvData);
    if (field->offset % sizeof(void *) || cls->instance_size < size || field->offset > cls->instance_size - size) {
        dv_text_add(reason, "field '%s' of class '%s' is not within its %zu bytes", field->name, cls->name,
                    cls->instance_size);
        return false;
    }
    if ((field->flags & DV_FIELD_INPUT) && (field->flags & DV_FIELD_OUTPUT)) {
        dv_text_add(reason, "field '%s' of class '%s' is both input and output", field->name, cls->name);
        return false;
    }
    bool twice = false;
    for (const DvField *other = dv_common_fields(); other->name; other++)
        twice |= strcmp(other->name, field->name) == 0;
    for (const DvField *other = cls->fields; other != field; other++)
        twice |= strcmp(other->name, field->name) == 0;
    if (twice)
        dv_text_add(reason, "class '%s' has two fields '%s'", cls->name, field->name);
    return !twice;
}

static bool check_class(const DvPlugin *plugin, const DvClass *cls, DvText *reason)
{
    if (is_empty(cls->name)) {
        dv_text_add(reason, "a class has no name");
        return false;
    }
    if (cls->size != sizeof(DvClass)) {
        dv_text_add(reason, "class '%s' has %u bytes, not %zu", cls->name, cls->size, sizeof(DvClass));
        return false;
    }
    if (!check_offers(cls->contracts, "class", cls->name, reason) || !check_variants(plugin, cls, reason))
        return false;
    for (const DvField *field = cls->fields; field && field->name; field++)
        if (!check_field(cls, field, reason))
            return false;
    return true;
}

/* The first old name that is empty, or leads nowhere though it should; NULL: there is none. */
static const DvRename *lost_rename(const DvRename *rename)
{
    for (; rename && rename->kind != DV_RENAME_END; rename++) {
        const bool leads = rename->kind == DV_RENAME_CLASS || rename->kind == DV_RENAME_CLASS_EXPANDED ||
                           rename->kind == DV_RENAME_CLASS_REMOVED || rename->kind == DV_RENAME_FIELD;
        if (is_empty(rename->from) || (leads && is_empty(rename->to)))
            return rename;
    }
    return NULL;
}

static DvStatus check_stamp(const DvPlugin *plugin, DvText *reason)
{
    const struct {
        const char *what;
        uint32_t of_plugin, of_kernel;
    } sizes[] = {
        {"real numbers", plugin->abi >> 40 & 255, sizeof(double)},
        {"indices", plugin->abi >> 32 & 255, sizeof(uint32_t)},
        {"offers (DvContract)", plugin->abi >> 24 & 255, sizeof(DvContract)},
        {"fields (DvField)", plugin->abi >> 12 & 4095, sizeof(DvField)},
        {"values (DvData)", plugin->abi & 4095, sizeof(DvData)},
    };
    if (plugin->size != sizeof(DvPlugin))
        dv_text_add(reason, "its descriptor has %u bytes, the kernel's %zu", plugin->size, sizeof(DvPlugin));
    else if (plugin->abi >> 48 != (DV_ABI_STAMP >> 48))
        dv_text_add(reason, "made for version %u.%u of the kernel, this is %u.%u", (unsigned)(plugin->abi >> 56),
                    (unsigned)(plugin->abi >> 48 & 255), DV_ABI_MAJOR, DV_ABI_MINOR);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes) && !reason->length; i++)
        if (sizes[i].of_plugin != sizes[i].of_kernel)
            dv_text_add(reason, "made for %s of %u bytes, the kernel has %u", sizes[i].what, sizes[i].of_plugin,
                        sizes[i].of_kernel);
    return reason->length ? DV_ERROR_ABI : DV_OK;
}

static DvStatus check_descriptor(const DvPlugin *plugin, DvText *reason)
{
    const DvRename *lost = lost_rename(plugin->renames);
    if (is_empty(plugin->id))
        dv_text_add(reason, "it has no id");
    else if (is_empty(plugin->version))
        dv_text_add(reason, "plugin '%s' has no version", plugin->id);
    else if (is_empty(plugin->license))
        dv_text_add(reason, "plugin '%s' has no licence", plugin->id);
    else if (!check_offers(plugin->offers, "plugin", plugin->id, reason))
        return DV_ERROR_INVALID;
    else if (lost)
        dv_text_add(reason, "plugin '%s' has an old name '%s' that leads nowhere", plugin->id,
                    lost->from ? lost->from : "");
    for (const char *const *need = plugin->needs; need && *need && !reason->length; need++) {
        DvText text = {0};
        if (!dv_private_contract_known(*need, &text))
            dv_text_add(reason, "plugin '%s' needs %s", plugin->id, text.at);
        dv_text_free(&text);
    }
    for (const DvClass *const *cls = plugin->classes; cls && *cls && !reason->length; cls++) {
        if (!check_class(plugin, *cls, reason))
            break;
        for (const DvClass *const *other = plugin->classes; other != cls; other++)
            if (strcmp((*other)->name, (*cls)->name) == 0)
                dv_text_add(reason, "plugin '%s' has two classes '%s'", plugin->id, (*cls)->name);
    }
    return reason->length ? DV_ERROR_INVALID : DV_OK;
}

/* The library stays open once its descriptor is trusted: from then on pointers into it are kept. */
static void open_library(Found *found)
{
    if (!g_file_test(found->info.file, G_FILE_TEST_EXISTS)) {
        reject(found, DV_ERROR_NOT_FOUND, "no such file");
        return;
    }
    void *handle = dlopen(found->info.file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        /* The file is said already, unless a library that this one needs is the cause. */
        const char *text = dlerror();
        char *file = g_strconcat(found->info.file, ": ", NULL);
        reject(found, DV_ERROR_IO, "cannot be opened: %s", g_str_has_prefix(text, file) ? text + strlen(file) : text);
        g_free(file);
        return;
    }
    const DvPlugin *plugin = dlsym(handle, DV_PLUGIN_SYMBOL);
    if (!plugin) {
        reject(found, DV_ERROR_UNSUPPORTED, "not a plugin: it has no symbol " DV_PLUGIN_SYMBOL);
        dlclose(handle);
        return;
    }
    DvText reason = {0};
    DvStatus status = check_stamp(plugin, &reason);
    if (status == DV_OK)
        status = check_descriptor(plugin, &reason);
    if (status != DV_OK) {
        reject(found, status, "%s", reason.at);
        dv_text_free(&reason);
        dlclose(handle);
        return;
    }
    found->info.id = plugin->id;
    found->info.version = plugin->version;
    found->info.license = plugin->license;
    found->info.help = plugin->help;
    found->info.plugin = plugin;
    found->info.state = DV_PLUGIN_READY;
}

/* Finding */

static Found *find_plugin(const char *id)
{
    for (guint i = 0; i < plugins->len; i++) {
        Found *found = g_ptr_array_index(plugins, i);
        if (found->info.plugin && strcmp(found->info.id, id) == 0)
            return found;
    }
    return NULL;
}

static void add_file(const char *name, bool named)
{
    char *file = realpath(name, NULL);
    if (!file)
        file = strdup(name);
    for (guint i = 0; i < plugins->len; i++) {
        Found *other = g_ptr_array_index(plugins, i);
        if (strcmp(other->info.file, file) == 0) {
            other->named |= named;
            free(file);
            return;
        }
    }
    Found *found = g_new0(Found, 1);
    found->info.file = file;
    found->named = named;
    g_ptr_array_add(plugins, found);
    open_library(found);
    const Found *first = found->info.id ? find_plugin(found->info.id) : found;
    if (first != found) {
        reject(found, DV_ERROR_INVALID, "plugin '%s' was found already: %s", found->info.id, first->info.file);
        found->info.plugin = NULL;
    }
}

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
    char *kernel = dv_private_kernel_folder();
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

static void find_libraries(const DvStartOptions *options, const GPtrArray *folders)
{
    for (const char *const *file = options->plugins; file && *file; file++)
        add_file(*file, true);
    for (guint f = 0; f < folders->len; f++) {
        GPtrArray *files = list_folder(g_ptr_array_index(folders, f), ".so", G_FILE_TEST_IS_REGULAR);
        for (guint i = 0; i < files->len; i++)
            add_file(g_ptr_array_index(files, i), false);
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
    Found *found = find_plugin(id);
    if (!found) {
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_NOT_FOUND, conf, 0, 0,
                  "plugin set [%s] asks for plugin '%s', and no library on the search path is that plugin", set, id);
        return DV_ERROR_NOT_FOUND;
    }
    found->named = true;
    if (strcmp(found->info.version, version) != 0)
        reject(found, DV_ERROR_INVALID, "plugin set [%s] of %s asks for version %s of plugin '%s', this is %s", set,
               conf, version, id, found->info.version);
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
    for (guint i = 0; i < plugins->len && (holders->len || status != DV_OK); i++) {
        Found *found = g_ptr_array_index(plugins, i);
        if (found->info.state != DV_PLUGIN_READY || found->named)
            continue;
        if (holders->len)
            set_reason(found, "not in the plugin set [%s] of %s", set, holders->str);
        else
            set_reason(found, "no plugin set could be read");
    }
    g_string_free(known, TRUE);
    g_string_free(holders, TRUE);
    g_hash_table_unref(seen);
    g_ptr_array_unref(confs);
    return status;
}

/* Ordering and starting. `set`: what is wanted, by id. */

/* To be started: a plugin that is ready has a reason when it is not. */
static bool is_waiting(const Found *found)
{
    return found->info.state == DV_PLUGIN_READY && !found->info.reason;
}

static bool offers(const Found *found, const char *contract)
{
    for (const DvContract *offer = found->info.plugin->offers; offer && offer->id; offer++)
        if (strcmp(offer->id, contract) == 0)
            return true;
    return false;
}

/* Rejects what needs what nobody will offer, until all that is left may have all it needs. */
static void reject_missing(GPtrArray *set)
{
    for (bool again = true; again;) {
        again = false;
        for (guint i = 0; i < set->len; i++) {
            Found *found = g_ptr_array_index(set, i);
            if (!is_waiting(found))
                continue;
            for (const char *const *need = found->info.plugin->needs; need && *need; need++) {
                const Found *idle = NULL;
                bool offered = false;
                for (guint j = 0; j < plugins->len; j++) {
                    const Found *other = g_ptr_array_index(plugins, j);
                    if (!other->info.plugin || !offers(other, *need))
                        continue;
                    offered |= is_waiting(other) || other->info.state == DV_PLUGIN_STARTED;
                    idle = idle ? idle : other;
                }
                if (offered)
                    continue;
                if (idle)
                    reject(found, DV_ERROR_MISSING, "plugin '%s' needs '%s' of plugin '%s', which is not in use: %s",
                           found->info.id, *need, idle->info.id, idle->info.reason);
                else
                    reject(found, DV_ERROR_MISSING, "plugin '%s' needs '%s', which no plugin offers", found->info.id,
                           *need);
                again = true;
                break;
            }
        }
    }
}

/* Who must start before `found`, and for what; NULL: nobody. */
static Found *next_provider(const GPtrArray *set, const Found *found, const char **contract)
{
    for (const char *const *need = found->info.plugin->needs; need && *need; need++) {
        for (guint i = 0; i < set->len; i++) {
            Found *other = g_ptr_array_index(set, i);
            if (other != found && is_waiting(other) && offers(other, *need)) {
                *contract = *need;
                return other;
            }
        }
    }
    return NULL;
}

/* Everyone who waits, waits for another: rejects the circle of them to which one who waits leads. */
static void reject_cycle(GPtrArray *set, Found *at)
{
    GPtrArray *way = g_ptr_array_new();
    const char *contract = NULL;
    guint first;
    while (!g_ptr_array_find(way, at, &first)) {
        g_ptr_array_add(way, at);
        at = next_provider(set, at, &contract);
    }
    GString *text = g_string_new(NULL);
    for (guint i = first; i < way->len; i++) {
        const Found *one = g_ptr_array_index(way, i);
        const Found *next = next_provider(set, one, &contract);
        g_string_append_printf(text, "%s'%s' needs '%s' of '%s'", i == first ? "" : ", ", one->info.id, contract,
                               next->info.id);
    }
    for (guint i = first; i < way->len; i++) {
        Found *one = g_ptr_array_index(way, i);
        reject(one, DV_ERROR_CYCLE, "plugins that need each other: %s", text->str);
    }
    g_string_free(text, TRUE);
    g_ptr_array_unref(way);
}

static void start_one(Found *found)
{
    const DvPlugin *plugin = found->info.plugin;
    DvText reason = {0};
    const DvStatus tie = dv_private_registry_check(plugin, &reason);
    if (tie != DV_OK) {
        reject(found, tie, "%s", reason.at);
        dv_text_free(&reason);
        return;
    }
    const DvStatus status = plugin->start ? plugin->start() : DV_OK;
    if (status != DV_OK) {
        reject(found, status, "plugin '%s' did not start: %s", found->info.id, dv_status_name(status));
        return;
    }
    dv_private_registry_add(plugin);
    found->info.state = DV_PLUGIN_STARTED;
    g_ptr_array_add(started, found);
}

static gint compare_ids(gconstpointer left, gconstpointer right)
{
    return strcmp((*(Found *const *)left)->info.id, (*(Found *const *)right)->info.id);
}

static void start_all(void)
{
    GPtrArray *set = g_ptr_array_new();
    for (guint i = 0; i < plugins->len; i++)
        if (is_waiting(g_ptr_array_index(plugins, i)))
            g_ptr_array_add(set, g_ptr_array_index(plugins, i));
    g_ptr_array_sort(set, compare_ids);
    for (;;) {
        reject_missing(set);
        Found *next = NULL, *waiting = NULL; /* the first that can start; the first that waits */
        for (guint i = 0; i < set->len && !next; i++) {
            Found *found = g_ptr_array_index(set, i);
            const char *contract;
            if (!is_waiting(found))
                continue;
            waiting = waiting ? waiting : found;
            if (!next_provider(set, found, &contract))
                next = found;
        }
        if (next)
            start_one(next);
        else if (waiting)
            reject_cycle(set, waiting);
        else
            break;
    }
    g_ptr_array_unref(set);
}

/* What must work and does not is an error; what was only found in a folder, a warning. */
static DvStatus report(void)
{
    DvStatus status = DV_OK;
    for (guint i = 0; i < plugins->len; i++) {
        const Found *found = g_ptr_array_index(plugins, i);
        if (found->info.state != DV_PLUGIN_REJECTED)
            continue;
        dv_log_at(found->named ? DV_LEVEL_ERROR : DV_LEVEL_WARNING, found->named ? found->info.status : DV_OK,
                  found->info.file, 0, 0, "%s", found->info.reason);
        if (found->named && status == DV_OK)
            status = found->info.status;
    }
    return status;
}

DvStatus dv_start(const DvStartOptions *options)
{
    static const DvStartOptions nothing_special;
    if (started) {
        dv_log(DV_LEVEL_ERROR, "the kernel has been started already");
        return DV_ERROR_INVALID;
    }
    if (!options)
        options = &nothing_special;
    g_clear_pointer(&plugins, g_ptr_array_unref);
    plugins = g_ptr_array_new_with_free_func(found_free);
    started = g_ptr_array_new();
    GPtrArray *folders = search_folders(options);
    find_libraries(options, folders);
    const DvStatus chosen = choose_plugins(options, folders);
    start_all();
    const DvStatus status = report();
    g_ptr_array_unref(folders);
    return chosen != DV_OK ? chosen : status;
}

void dv_stop(void)
{
    for (guint i = started ? started->len : 0; i-- > 0;) {
        Found *found = g_ptr_array_index(started, i);
        if (found->info.plugin->stop)
            found->info.plugin->stop();
        found->info.state = DV_PLUGIN_STOPPED;
    }
    g_clear_pointer(&started, g_ptr_array_unref);
    dv_private_registry_clear();
    dv_private_parallel_stop();
    dv_private_thread_free();
}

size_t dv_plugin_count(void)
{
    return plugins ? plugins->len : 0;
}

const DvPluginInfo *dv_plugin_info(size_t index)
{
    return index < dv_plugin_count() ? &((const Found *)g_ptr_array_index(plugins, index))->info : NULL;
}
