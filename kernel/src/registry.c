/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The registry: classes of started plugins by name, alias and old name; modules; services.
 *
 * Tables are filled plugin by plugin, in the order of their start, and only point into the plugins' own const data. Several plugins
 * may offer one class: the higher rank comes first; equal ranks with a variant in common are refused, so that nothing depends on
 * the order of loading.
 */
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    const DvClass *cls;
    const DvPlugin *plugin;
    const char **variants; /* the class's, interned, in the order of bytes, ended by NULL */
} Entry;

static GPtrArray *entries;  /* Entry *, by name in the order of bytes, then the highest rank, then the order of start */
static GHashTable *by_name; /* class name -> Entry * of the highest rank */
static GHashTable *by_alias;    /* other name -> const DvClass * */
static GHashTable *old_classes; /* old name -> const DvRename * */
static GHashTable *old_fields;  /* old name -> GPtrArray of const DvRename * */
static GPtrArray *dof_words;    /* const DvRename *: words of templates; few, and looked up without the heap */
static GHashTable *modules;     /* names of modules and plugins that are here */
static GHashTable *services;    /* contract -> GPtrArray of const void *, in the order of start */

static void entry_free(gpointer data)
{
    Entry *entry = data;
    g_free(entry->variants);
    g_free(entry);
}

static void open_tables(void)
{
    if (entries)
        return;
    entries = g_ptr_array_new_with_free_func(entry_free);
    by_name = g_hash_table_new(g_str_hash, g_str_equal);
    by_alias = g_hash_table_new(g_str_hash, g_str_equal);
    old_classes = g_hash_table_new(g_str_hash, g_str_equal);
    old_fields = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    dof_words = g_ptr_array_new();
    modules = g_hash_table_new(g_str_hash, g_str_equal);
    services = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
}

void dv_private_registry_clear(void)
{
    g_clear_pointer(&entries, g_ptr_array_unref);
    g_clear_pointer(&dof_words, g_ptr_array_unref);
    GHashTable **const tables[] = {&by_name, &by_alias, &old_classes, &old_fields, &modules, &services};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
        g_clear_pointer(tables[i], g_hash_table_destroy);
    dv_private_defaults_clear();
}

/* The first of the words of `a` that is also one of `b`; classes without variants have one in common, the empty one. */
static char *common_variant(const char *a, const char *b)
{
    gchar **left = g_strsplit(a ? a : "", " ", -1);
    gchar **right = g_strsplit(b ? b : "", " ", -1);
    char *common = !a && !b ? g_strdup("") : NULL;
    for (gchar **word = left; *word && !common; word++)
        if (**word && g_strv_contains((const gchar *const *)right, *word))
            common = g_strdup(*word);
    g_strfreev(left);
    g_strfreev(right);
    return common;
}

DvStatus dv_private_registry_check(const DvPlugin *plugin, DvText *reason)
{
    open_tables();
    for (const DvClass *const *cls = plugin->classes; cls && *cls; cls++) {
        for (guint i = 0; i < entries->len; i++) {
            const Entry *entry = g_ptr_array_index(entries, i);
            if (entry->plugin->rank != plugin->rank || strcmp(entry->cls->name, (*cls)->name) != 0)
                continue;
            char *variant = common_variant(entry->cls->variants, (*cls)->variants);
            if (!variant)
                continue;
            dv_text_add(reason, "class '%s'%s%s is also offered by plugin '%s', with the same rank %d", (*cls)->name,
                        *variant ? " for " : "", variant, entry->plugin->id, plugin->rank);
            g_free(variant);
            return DV_ERROR_INVALID;
        }
    }
    return DV_OK;
}

static gint compare_entries(gconstpointer left, gconstpointer right)
{
    const Entry *a = *(Entry *const *)left, *b = *(Entry *const *)right;
    const int order = strcmp(a->cls->name, b->cls->name);
    return order ? order : (b->plugin->rank > a->plugin->rank) - (b->plugin->rank < a->plugin->rank);
}

/* The first to claim a name keeps it. */
static void claim(GHashTable *table, const char *name, const void *meaning)
{
    if (name && !g_hash_table_contains(table, name))
        g_hash_table_insert(table, (gpointer)(uintptr_t)name, (gpointer)(uintptr_t)meaning);
}

static GPtrArray *list_in(GHashTable *table, const char *name)
{
    GPtrArray *list = g_hash_table_lookup(table, name);
    if (!list) {
        list = g_ptr_array_new();
        g_hash_table_insert(table, (gpointer)(uintptr_t)name, list);
    }
    return list;
}

static void add_renames(const DvPlugin *plugin)
{
    for (const DvRename *rename = plugin->renames; rename && rename->kind != DV_RENAME_END; rename++) {
        switch (rename->kind) {
        case DV_RENAME_FIELD:
        case DV_RENAME_FIELD_HARMLESS:
        case DV_RENAME_FIELD_REMOVED:
            g_ptr_array_add(list_in(old_fields, rename->from), (gpointer)(uintptr_t)rename);
            break;
        case DV_RENAME_MODULE:
            claim(modules, rename->from, plugin->id);
            break;
        case DV_RENAME_DOF_TYPE:
            g_ptr_array_add(dof_words, (gpointer)(uintptr_t)rename);
            break;
        default:
            claim(old_classes, rename->from, rename);
            break;
        }
    }
}

static const char **words_of(const char *text)
{
    gchar **words = g_strsplit(text ? text : "", " ", -1);
    const size_t count = g_strv_length(words);
    const char **interned = g_new0(const char *, count + 1);
    for (size_t i = 0, n = 0; i < count; i++)
        if (*words[i])
            interned[n++] = g_intern_string(words[i]);
    g_strfreev(words);
    qsort(interned, g_strv_length((gchar **)(uintptr_t)interned), sizeof *interned, dv_core_compare_words);
    return interned;
}

void dv_private_registry_add(const DvPlugin *plugin)
{
    for (const DvClass *const *cls = plugin->classes; cls && *cls; cls++) {
        Entry *entry = g_new(Entry, 1);
        *entry = (Entry){*cls, plugin, words_of((*cls)->variants)};
        g_ptr_array_add(entries, entry);
        for (const char *const *alias = (*cls)->aliases; alias && *alias; alias++)
            claim(by_alias, *alias, *cls);
        claim(modules, (*cls)->module, plugin->id);
    }
    g_ptr_array_sort(entries, compare_entries); /* stable: a merge sort */
    g_hash_table_remove_all(by_name);
    for (guint i = 0; i < entries->len; i++) {
        Entry *entry = g_ptr_array_index(entries, i);
        claim(by_name, entry->cls->name, entry);
    }
    claim(modules, plugin->id, plugin->id);
    add_renames(plugin);
    for (const DvContract *offer = plugin->offers; offer && offer->id; offer++)
        g_ptr_array_add(list_in(services, offer->id), (gpointer)(uintptr_t)offer->ops);
}

/* Classes */

size_t dv_class_count(void)
{
    return entries ? entries->len : 0;
}

const DvClass *dv_class_at(size_t index)
{
    return index < dv_class_count() ? ((const Entry *)g_ptr_array_index(entries, index))->cls : NULL;
}

static bool has_variant(const Entry *entry, const char *variant)
{
    return *variant ? g_strv_contains((const gchar *const *)entry->variants, variant) : !entry->cls->variants;
}

const DvClass *dv_core_class_with(const DvClass *cls, const char *variant)
{
    const Entry *first = g_hash_table_lookup(by_name, cls->name);
    for (guint i = 0; !has_variant(first, variant) && i < entries->len; i++) {
        const Entry *entry = g_ptr_array_index(entries, i);
        if (strcmp(entry->cls->name, cls->name) == 0 && has_variant(entry, variant))
            return entry->cls;
    }
    return first->cls;
}

const char *const *dv_core_class_variants(const DvClass *cls)
{
    static const char *const none[] = {NULL};
    for (guint i = 0; i < entries->len; i++) {
        const Entry *entry = g_ptr_array_index(entries, i);
        if (entry->cls == cls)
            return entry->variants;
    }
    return none;
}

const DvPlugin *dv_class_plugin(const DvClass *cls)
{
    for (guint i = 0; entries && i < entries->len; i++) {
        const Entry *entry = g_ptr_array_index(entries, i);
        if (entry->cls == cls)
            return entry->plugin;
    }
    return NULL;
}

const DvRename *dv_rename_of_class(const char *name)
{
    return old_classes ? g_hash_table_lookup(old_classes, name) : NULL;
}

const char *dv_core_dof_type_of_word(const char *word, size_t length)
{
    for (guint i = 0; dof_words && i < dof_words->len; i++) {
        const DvRename *rename = g_ptr_array_index(dof_words, i);
        if (strncmp(rename->from, word, length) == 0 && rename->from[length] == '\0')
            return rename->to;
    }
    return NULL;
}

const DvClass *dv_class_find(const char *name)
{
    if (!entries)
        return NULL;
    const Entry *entry = g_hash_table_lookup(by_name, name);
    if (entry)
        return entry->cls;
    const DvClass *cls = g_hash_table_lookup(by_alias, name);
    if (cls)
        return cls;
    const DvRename *rename = dv_rename_of_class(name);
    if (!rename || rename->kind != DV_RENAME_CLASS)
        return NULL;
    entry = g_hash_table_lookup(by_name, rename->to); /* one step: renames do not chain */
    return entry ? entry->cls : NULL;
}

bool dv_private_class_is_a(const DvClass *cls, const char *name)
{
    if (strcmp(cls->name, name) == 0)
        return true;
    for (const char *const *base = cls->bases; base && *base; base++)
        if (strcmp(*base, name) == 0)
            return true;
    return false;
}

const DvClass *dv_class_of_nodes(void)
{
    return &dv_node_class;
}

const DvRename *dv_rename_of_field(const DvClass *cls, const char *name)
{
    const GPtrArray *renames = old_fields ? g_hash_table_lookup(old_fields, name) : NULL;
    for (guint i = 0; renames && i < renames->len; i++) {
        const DvRename *rename = g_ptr_array_index(renames, i);
        if (!rename->of || dv_private_class_is_a(cls, rename->of))
            return rename;
    }
    return NULL;
}

bool dv_module_is_known(const char *name)
{
    return modules && g_hash_table_contains(modules, name);
}

/* Services */

const void *dv_service(const char *contract)
{
    const GPtrArray *list = services ? g_hash_table_lookup(services, contract) : NULL;
    return list ? g_ptr_array_index(list, 0) : NULL;
}

size_t dv_services(const char *contract, const void **ops, size_t capacity)
{
    const GPtrArray *list = services ? g_hash_table_lookup(services, contract) : NULL;
    const size_t count = list ? list->len : 0;
    for (size_t i = 0; i < MIN(count, capacity); i++)
        ops[i] = g_ptr_array_index(list, i);
    return count;
}
