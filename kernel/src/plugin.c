/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins: opening, checking, ordering, starting.
 *
 * A library is opened and its descriptor checked (words/plugin_checks.c); all that is known of it is data until it starts. Plugins start after the providers of what they need, ties by id; they stop in the reverse order and stay in memory,
 * since objects, types and GLib's tables point into them. Which files are opened and which of them may start: words/plugin_files.c.
 */
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static GPtrArray *plugins; /* FoundPlugin *, in the order of search */
static GPtrArray *started; /* FoundPlugin *, in the order of start */

static void found_free(gpointer data)
{
    FoundPlugin *found = data;
    free((void *)(uintptr_t)found->info.file);
    g_free((gpointer)(uintptr_t)found->info.reason);
    g_free(found);
}

static void set_reason(FoundPlugin *found, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
static void set_reason(FoundPlugin *found, const char *format, va_list arguments)
{
    g_free((gpointer)(uintptr_t)found->info.reason);
    found->info.reason = g_strdup_vprintf(format, arguments);
}

void dv_core_plugin_leave_out(FoundPlugin *found, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_reason(found, format, arguments);
    va_end(arguments);
}

void dv_core_plugin_reject(FoundPlugin *found, DvStatus status, const char *format, ...)
{
    found->info.state = DV_PLUGIN_REJECTED;
    found->info.status = status;
    va_list arguments;
    va_start(arguments, format);
    set_reason(found, format, arguments);
    va_end(arguments);
}

/* The library stays open once its descriptor is trusted: from then on pointers into it are kept. */
static void open_library(FoundPlugin *found, DvStatus (*check)(const DvPlugin *, DvText *))
{
    if (!g_file_test(found->info.file, G_FILE_TEST_EXISTS)) {
        dv_core_plugin_reject(found, DV_ERROR_NOT_FOUND, "no such file");
        return;
    }
    void *handle = dlopen(found->info.file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        /* The file is said already, unless a library that this one needs is the cause. */
        const char *text = dlerror();
        char *file = g_strconcat(found->info.file, ": ", NULL);
        dv_core_plugin_reject(found, DV_ERROR_IO, "cannot be opened: %s",
                              g_str_has_prefix(text, file) ? text + strlen(file) : text);
        g_free(file);
        return;
    }
    const DvPlugin *plugin = dlsym(handle, DV_PLUGIN_SYMBOL);
    if (!plugin) {
        dv_core_plugin_reject(found, DV_ERROR_UNSUPPORTED, "not a plugin: it has no symbol " DV_PLUGIN_SYMBOL);
        dlclose(handle);
        return;
    }
    DvText reason = {0};
    const DvStatus status = check(plugin, &reason);
    if (status != DV_OK) {
        dv_core_plugin_reject(found, status, "%s", reason.at);
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

/* What was found */

FoundPlugin *dv_core_plugin_find(const char *id)
{
    for (guint i = 0; i < plugins->len; i++) {
        FoundPlugin *found = g_ptr_array_index(plugins, i);
        if (found->info.plugin && strcmp(found->info.id, id) == 0)
            return found;
    }
    return NULL;
}

void dv_core_plugin_open(const char *name, bool named, const char *reason,
                         DvStatus (*check)(const DvPlugin *, DvText *))
{
    char *file = realpath(name, NULL);
    if (!file)
        file = strdup(name);
    for (guint i = 0; i < plugins->len; i++) {
        FoundPlugin *other = g_ptr_array_index(plugins, i);
        if (strcmp(other->info.file, file) == 0) {
            other->named |= named;
            free(file);
            return;
        }
    }
    FoundPlugin *found = g_new0(FoundPlugin, 1);
    found->info.file = file;
    found->named = named;
    g_ptr_array_add(plugins, found);
    if (reason)
        dv_core_plugin_reject(found, DV_ERROR_IO, "cannot be opened: %s", reason);
    else
        open_library(found, check);
    const FoundPlugin *first = found->info.id ? dv_core_plugin_find(found->info.id) : found;
    if (first != found) {
        dv_core_plugin_reject(found, DV_ERROR_INVALID, "plugin '%s' was found already: %s", found->info.id,
                              first->info.file);
        found->info.plugin = NULL;
    }
}

/* Ordering and starting. `set`: what is wanted, by id. */

/* To be started: a plugin that is ready has a reason when it is not. */
static bool is_waiting(const FoundPlugin *found)
{
    return found->info.state == DV_PLUGIN_READY && !found->info.reason;
}

static bool offers(const FoundPlugin *found, const char *contract)
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
            FoundPlugin *found = g_ptr_array_index(set, i);
            if (!is_waiting(found))
                continue;
            for (const char *const *need = found->info.plugin->needs; need && *need; need++) {
                const FoundPlugin *idle = NULL;
                bool offered = false;
                for (guint j = 0; j < plugins->len; j++) {
                    const FoundPlugin *other = g_ptr_array_index(plugins, j);
                    if (!other->info.plugin || !offers(other, *need))
                        continue;
                    offered |= is_waiting(other) || other->info.state == DV_PLUGIN_STARTED;
                    idle = idle ? idle : other;
                }
                if (offered)
                    continue;
                if (idle)
                    dv_core_plugin_reject(found, DV_ERROR_MISSING,
                                          "plugin '%s' needs '%s' of plugin '%s', which is not in use: %s",
                                          found->info.id, *need, idle->info.id, idle->info.reason);
                else
                    dv_core_plugin_reject(found, DV_ERROR_MISSING, "plugin '%s' needs '%s', which no plugin offers",
                                          found->info.id, *need);
                again = true;
                break;
            }
        }
    }
}

/* Who must start before `found`, and for what; NULL: nobody. */
static FoundPlugin *next_provider(const GPtrArray *set, const FoundPlugin *found, const char **contract)
{
    for (const char *const *need = found->info.plugin->needs; need && *need; need++) {
        for (guint i = 0; i < set->len; i++) {
            FoundPlugin *other = g_ptr_array_index(set, i);
            if (other != found && is_waiting(other) && offers(other, *need)) {
                *contract = *need;
                return other;
            }
        }
    }
    return NULL;
}

/* Everyone who waits, waits for another: rejects the circle of them to which one who waits leads. */
static void reject_cycle(GPtrArray *set, FoundPlugin *at)
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
        const FoundPlugin *one = g_ptr_array_index(way, i);
        const FoundPlugin *next = next_provider(set, one, &contract);
        g_string_append_printf(text, "%s'%s' needs '%s' of '%s'", i == first ? "" : ", ", one->info.id, contract,
                               next->info.id);
    }
    for (guint i = first; i < way->len; i++) {
        FoundPlugin *one = g_ptr_array_index(way, i);
        dv_core_plugin_reject(one, DV_ERROR_CYCLE, "plugins that need each other: %s", text->str);
    }
    g_string_free(text, TRUE);
    g_ptr_array_unref(way);
}

static void start_one(FoundPlugin *found)
{
    const DvPlugin *plugin = found->info.plugin;
    DvText reason = {0};
    const DvStatus tie = dv_private_registry_check(plugin, &reason);
    if (tie != DV_OK) {
        dv_core_plugin_reject(found, tie, "%s", reason.at);
        dv_text_free(&reason);
        return;
    }
    const DvStatus status = plugin->start ? plugin->start() : DV_OK;
    if (status != DV_OK) {
        dv_core_plugin_reject(found, status, "plugin '%s' did not start: %s", found->info.id, dv_status_name(status));
        return;
    }
    dv_private_registry_add(plugin);
    found->info.state = DV_PLUGIN_STARTED;
    g_ptr_array_add(started, found);
}

static gint compare_ids(gconstpointer left, gconstpointer right)
{
    return strcmp((*(FoundPlugin *const *)left)->info.id, (*(FoundPlugin *const *)right)->info.id);
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
        FoundPlugin *next = NULL, *waiting = NULL; /* the first that can start; the first that waits */
        for (guint i = 0; i < set->len && !next; i++) {
            FoundPlugin *found = g_ptr_array_index(set, i);
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

DvStatus dv_core_plugins_start(void)
{
    start_all();
    DvStatus status = DV_OK;
    for (guint i = 0; i < plugins->len; i++) {
        const FoundPlugin *found = g_ptr_array_index(plugins, i);
        if (found->info.state != DV_PLUGIN_REJECTED)
            continue;
        dv_log_at(found->named ? DV_LEVEL_ERROR : DV_LEVEL_WARNING, found->named ? found->info.status : DV_OK,
                  found->info.file, 0, 0, "%s", found->info.reason);
        if (found->named && status == DV_OK)
            status = found->info.status;
    }
    return status;
}

bool dv_core_plugins_begin(void)
{
    if (started)
        return false;
    g_clear_pointer(&plugins, g_ptr_array_unref);
    plugins = g_ptr_array_new_with_free_func(found_free);
    started = g_ptr_array_new();
    return true;
}

void dv_stop(void)
{
    for (guint i = started ? started->len : 0; i-- > 0;) {
        FoundPlugin *found = g_ptr_array_index(started, i);
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

FoundPlugin *dv_core_plugin_at(size_t index)
{
    return index < dv_plugin_count() ? g_ptr_array_index(plugins, index) : NULL;
}

const DvPluginInfo *dv_plugin_info(size_t index)
{
    const FoundPlugin *found = dv_core_plugin_at(index);
    return found ? &found->info : NULL;
}
