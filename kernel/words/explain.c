/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What to say of the name of a class that nobody offers: an old name, a class of a plugin that is not in use, a class of the
 * reference, or a slip.
 */
#include "words.h"

#include <string.h>

/* In the build tree the file lies beside the library, installed in ../share/divan. */
static char *read_reference_classes(void)
{
    static const char *const places[] = {"", "../share/divan", NULL};
    char *file = dv_words_find_beside_kernel("reference-classes.tsv", places), *text = NULL;
    if (file)
        (void)g_file_get_contents(file, &text, NULL, NULL);
    g_free(file);
    return text;
}

/* The module of a class of the reference, or NULL; all its class names are added to `names`, which point into `text`. */
static const char *find_reference_class(char *text, const char *name, GPtrArray *names)
{
    const char *module = NULL;
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        char *tab = strchr(line, '\t');
        if (*line == '#' || !tab)
            continue;
        *tab = 0;
        if (strcmp(line, name) == 0)
            module = tab + 1;
        g_ptr_array_add(names, line);
    }
    return module;
}

const DvPluginInfo *dv_words_idle_plugin(bool (*has)(const DvPlugin *plugin, const char *what), const char *what)
{
    for (size_t i = 0; i < dv_plugin_count(); i++) {
        const DvPluginInfo *info = dv_plugin_info(i);
        if (info->state != DV_PLUGIN_STARTED && info->plugin && has(info->plugin, what))
            return info;
    }
    return NULL;
}

static bool has_class(const DvPlugin *plugin, const char *name)
{
    for (const DvClass *const *cls = plugin->classes; cls && *cls; cls++)
        if (strcmp((*cls)->name, name) == 0)
            return true;
    return false;
}

static void add_name(GPtrArray *names, const char *name)
{
    g_ptr_array_add(names, (gpointer)(uintptr_t)name);
}

/* Names of classes and their other names; of old names those that still make an object. */
static void add_our_names(GPtrArray *names)
{
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        add_name(names, cls->name);
        for (const char *const *alias = cls->aliases; alias && *alias; alias++)
            add_name(names, *alias);
    }
    for (size_t i = 0; i < dv_plugin_count(); i++) {
        const DvPluginInfo *info = dv_plugin_info(i);
        const DvRename *rename = info->state == DV_PLUGIN_STARTED ? info->plugin->renames : NULL;
        for (; rename && rename->kind != DV_RENAME_END; rename++) {
            const DvRename *meaning = dv_rename_of_class(rename->from);
            if (meaning && (meaning->kind == DV_RENAME_CLASS_EXPANDED || dv_class_find(rename->from)))
                add_name(names, rename->from);
        }
    }
}

void dv_class_explain(const char *name, DvText *out)
{
    dv_text_add(out, "no class '%s'", name);
    const DvRename *rename = dv_rename_of_class(name);
    switch (rename ? rename->kind : DV_RENAME_END) {
    case DV_RENAME_CLASS: /* what follows is said of the new name */
        name = rename->to;
        dv_text_add(out, ", which is now called '%s'", name);
        break;
    case DV_RENAME_CLASS_EXPANDED:
        dv_text_add(out, ": it is an old name that stands for %s", rename->to);
        return;
    case DV_RENAME_CLASS_HARMLESS:
        dv_text_add(out, ": it has been removed and changes nothing");
        return;
    case DV_RENAME_CLASS_REMOVED:
        dv_text_add(out, ": %s", rename->to);
        return;
    default:
        break;
    }
    const DvPluginInfo *idle = dv_words_idle_plugin(has_class, name);
    if (idle) {
        dv_text_add(out, ": it is in the plugin '%s' (%s), which is not in use", idle->id, idle->file);
        if (idle->reason)
            dv_text_add(out, ": %s", idle->reason);
        return;
    }
    GPtrArray *ours = g_ptr_array_new(), *theirs = g_ptr_array_new();
    add_our_names(ours);
    g_ptr_array_sort(ours, dv_core_compare_words); /* the answer must not depend on the order of plugins */
    char *text = read_reference_classes();
    const char *module = find_reference_class(text, name, theirs);
    const char *closest = dv_closest(name, (const char *const *)ours->pdata, ours->len);
    const char *reference = dv_closest(name, (const char *const *)theirs->pdata, theirs->len);
    const bool is_plugin = module && !module[strcspn(module, ". ")]; /* others are Sofa.Something, or words */
    if (is_plugin)
        dv_text_add(out, ": it is a class of SOFA's plugin %s that no plugin of Divan offers yet", module);
    else if (module)
        dv_text_add(out, ": it is a class of SOFA (%s) that no plugin of Divan offers yet", module);
    else if (closest)
        dv_text_add(out, "; did you mean '%s'?", closest);
    else if (reference)
        dv_text_add(out, "; did you mean '%s', a class of SOFA that no plugin of Divan offers yet?", reference);
    g_free(text);
    g_ptr_array_unref(ours);
    g_ptr_array_unref(theirs);
}
