/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan list, divan info: what is there, read out of the registry. There is no second list of classes or fields.
 */
#include "host.h"

#include <string.h>

static const char *const state_words[] = {"rejected", "ready", "started", "stopped"};

static void print_plugins(void)
{
    puts("Plugins:");
    const DvPluginInfo *info;
    for (size_t i = 0; (info = dv_plugin_info(i)); i++) {
        printf("  %-20s %-8s %-20s %-9s %s\n", info->id ? info->id : "-", info->version ? info->version : "-",
               info->license ? info->license : "-", state_words[info->state], info->file);
        if (info->help)
            printf("      %s\n", info->help);
        if (info->reason)
            printf("      %s\n", info->reason);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_classes(void)
{
    GPtrArray *families = g_ptr_array_new();
    const DvClass *cls;
    for (size_t i = 0; (cls = dv_class_at(i)); i++) {
        const char *family = cls->family ? cls->family : "others";
        guint f = 0;
        while (f < families->len && strcmp(g_ptr_array_index(families, f), family) != 0)
            f++;
        if (f == families->len)
            g_ptr_array_add(families, (gpointer)family);
    }
    g_ptr_array_sort(families, by_text); /* also none */
    for (guint f = 0; f < families->len; f++) {
        const char *family = g_ptr_array_index(families, f);
        printf("\n%c%s:\n", g_ascii_toupper(*family), family + 1);
        for (size_t i = 0; (cls = dv_class_at(i)); i++)
            if (strcmp(cls->family ? cls->family : "others", family) == 0)
                printf("  %-40s %s\n", cls->name, cls->help ? cls->help : "");
    }
    g_ptr_array_free(families, TRUE);
}

static int list(const Options *options)
{
    const DvStatus started = host_start(options);
    print_plugins();
    host_print_devices();
    print_classes();
    return started == DV_OK ? EXIT_DONE : EXIT_FAULT;
}

static void print_words(const char *label, const char *const *words)
{
    if (!words || !*words)
        return;
    printf("%s", label);
    for (; *words; words++)
        printf(" %s", *words);
    putchar('\n');
}

static void print_range(const DvRange *range)
{
    if (!range)
        return;
    DvText text = {0};
    dv_range_print(range, &text);
    printf(", %s", text.at);
    dv_text_free(&text);
}

static void print_field(const DvField *field)
{
    if (field->flags & (DV_FIELD_HIDDEN | DV_FIELD_STATE))
        return;
    printf("\n  %s  (%s%s%s", field->name, field->target ? "link to " : field->type->name,
           field->target ? field->target : "", field->target && field->many ? ", several" : "");
    if (field->unit)
        printf(", %s", field->unit);
    if (field->init && *field->init)
        printf(", default %s", field->init);
    print_range(field->range);
    if (field->flags & DV_FIELD_REQUIRED)
        printf(", required");
    if (field->flags & DV_FIELD_OUTPUT)
        printf(", output");
    if (field->flags & DV_FIELD_READ_ONLY)
        printf(", read-only");
    if (field->flags & DV_FIELD_AT_LOAD)
        printf(", read at load");
    puts(")");
    if (field->help)
        printf("      %s\n", field->help);
    print_words("      choices:", field->choices);
    print_words("      also called:", field->aliases);
}

/* "Node" is the kernel's own: no plugin lists it. */
static const DvClass *find_class(const char *name)
{
    if (strcmp(name, "Node") != 0)
        return dv_class_find(name);
    DvScene *scene = dv_scene_new();
    const DvClass *cls = dv_object_class(dv_node_object(dv_scene_root(scene)));
    dv_scene_free(scene);
    return cls;
}

static int info(const Options *options)
{
    const DvClass *cls = find_class(options->scene);
    if (!cls) {
        DvText why = {0};
        dv_class_explain(options->scene, &why);
        fprintf(stderr, "divan: %s\n", why.at);
        dv_text_free(&why);
        return EXIT_FAULT;
    }
    const DvPlugin *plugin = dv_class_plugin(cls);
    printf("%s: %s\n", cls->name, cls->help ? cls->help : "");
    if (plugin)
        printf("plugin: %s %s, %s\n", plugin->id, plugin->version, cls->license ? cls->license : plugin->license);
    if (cls->family)
        printf("family: %s\n", cls->family);
    if (cls->module)
        printf("module: %s\n", cls->module);
    if (cls->variants)
        printf("DOF types: %s%s%s\n", cls->variants, cls->default_variant ? ", default " : "",
               cls->default_variant ? cls->default_variant : "");
    print_words("bases:", cls->bases);
    print_words("old names:", cls->aliases);
    for (const DvContract *contract = cls->contracts; contract && contract->id; contract++)
        printf("%s%s%s", contract == cls->contracts ? "offers: " : ", ", contract->id, contract[1].id ? "" : "\n");
    puts("\nFields:");
    for (const DvField *field = cls->fields; field && field->name; field++)
        print_field(field);
    puts("\nFields of every object:");
    for (const DvField *field = dv_common_fields(); field && field->name; field++)
        print_field(field);
    return EXIT_DONE;
}

const Command command_list = {
    .name = "list",
    .arguments = "",
    .summary = "list plugins with state and reason, devices, and classes by family",
    .description =
        "Plugins that cannot be used are listed with the reason. The exit status is 1 if a plugin set or --plugin\n"
        "asks for one of them.",
    .positional = 0,
    .options = "",
    .starts_plugins = true,
    .run = list,
};

const Command command_info = {
    .name = "info",
    .arguments = "CLASS",
    .summary = "describe a class: each field with type, unit, default and help",
    .description = "Old names of a class are understood.",
    .positional = 1,
    .options = "",
    .run = info,
};
