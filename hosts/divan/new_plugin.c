/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan new-plugin: writes a plugin to start from, out of the files of template/, in which {{name}}, {{file}}, {{Class}} and
 * {{license}} stand for what depends on its name.
 */
#include "host.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

enum { MAX_NAME = 40 }; /* bytes: file names and class names follow from it */

/* What a file of the template is called in the plugin. */
static const struct {
    const char *from, *to;
} files[] = {
    {"meson.build.in", "meson.build"},
    {"plugins.conf.in", "plugins.conf"},
    {"plugin.c.in", "plugin.c"},
    {"component.c.in", "{{file}}_force_field.c"},
    {"test_component.c.in", "test_{{file}}_force_field.c"},
    {"example.scn.in", "{{name}}.scn"},
    {"README.md.in", "README.md"},
};

typedef struct Plugin {
    const char *name, *license;
    char *file, *cls; /* soft_robots, SoftRobotsForceField */
} Plugin;

/* Words of small letters and digits, joined by '-', the first one starting with a letter. */
static bool is_name(const char *name)
{
    if (!g_ascii_islower(*name) || strlen(name) > MAX_NAME)
        return false;
    for (const char *at = name; *at; at++)
        if (!g_ascii_islower(*at) && !g_ascii_isdigit(*at) && (*at != '-' || !g_ascii_isalnum(at[1])))
            return false;
    return true;
}

/* An SPDX expression, as far as its letters tell. */
static bool is_license(const char *license)
{
    return *license && license[strspn(license, G_CSET_A_2_Z G_CSET_a_2_z "0123456789.-+() ")] == '\0';
}

static char *class_name(const char *name)
{
    GString *cls = g_string_new(NULL);
    for (const char *at = name; *at; at++)
        if (*at != '-')
            g_string_append_c(cls, at == name || at[-1] == '-' ? g_ascii_toupper(*at) : *at);
    g_string_append(cls, "ForceField");
    return g_string_free(cls, FALSE);
}

static char *filled(const Plugin *plugin, const char *text)
{
    GString *out = g_string_new(text);
    g_string_replace(out, "{{name}}", plugin->name, 0);
    g_string_replace(out, "{{file}}", plugin->file, 0);
    g_string_replace(out, "{{Class}}", plugin->cls, 0);
    g_string_replace(out, "{{license}}", plugin->license, 0);
    return g_string_free(out, FALSE);
}

static bool failed(GError *error)
{
    fprintf(stderr, "divan: %s\n", error->message);
    g_error_free(error);
    return false;
}

static bool write_file(const Plugin *plugin, const char *from, const char *to)
{
    char *template = NULL;
    GError *error = NULL;
    if (!g_file_get_contents(from, &template, NULL, &error))
        return failed(error);
    char *text = filled(plugin, template);
    g_free(template);
    DvText why = {0};
    const bool written = dv_output_write(to, NULL, text, strlen(text), &why) == DV_OK;
    if (!written)
        fprintf(stderr, "divan: %s: %s\n", to, why.at);
    dv_text_free(&why);
    g_free(text);
    return written;
}

/* All files, or none and no folder. */
static bool write_plugin(const Plugin *plugin, const char *folder)
{
    if (g_mkdir(folder, 0777) != 0) {
        fprintf(stderr, "divan: %s: %s\n", folder,
                errno == EEXIST ? "is there already, and nothing is overwritten; choose another NAME or --folder"
                                : g_strerror(errno));
        return false;
    }
    char *template = host_data_folder("template");
    GPtrArray *written = g_ptr_array_new_with_free_func(g_free);
    bool good = true;
    for (size_t i = 0; good && i < G_N_ELEMENTS(files); i++) {
        char *name = filled(plugin, files[i].to);
        char *from = g_build_filename(template, files[i].from, NULL), *to = g_build_filename(folder, name, NULL);
        good = write_file(plugin, from, to);
        g_ptr_array_add(written, to);
        g_free(from);
        g_free(name);
    }
    for (guint i = 0; !good && i < written->len; i++)
        (void)g_unlink(g_ptr_array_index(written, i));
    if (!good)
        (void)g_rmdir(folder);
    g_ptr_array_unref(written);
    g_free(template);
    return good;
}

static int new_plugin(const Options *options)
{
    Plugin plugin = {.name = options->scene, .license = options->license ? options->license : "LicenseRef-not-chosen"};
    if (!is_name(plugin.name)) {
        fprintf(
            stderr,
            "divan: '%.60s' cannot be the name of a plugin: small letters and digits, words joined by '-', at most %d "
            "characters, as in soft-robots\n",
            plugin.name, MAX_NAME);
        return EXIT_USAGE;
    }
    if (!is_license(plugin.license)) {
        fprintf(stderr, "divan: '%.60s' is no SPDX licence expression, such as LGPL-2.1-or-later or MIT\n",
                plugin.license);
        return EXIT_USAGE;
    }
    plugin.file = g_strdelimit(g_strdup(plugin.name), "-", '_');
    plugin.cls = class_name(plugin.name);
    char *folder = g_build_filename(options->folder ? options->folder : ".", plugin.name, NULL);
    const DvClass *taken = dv_class_find(plugin.cls);
    int result = EXIT_FAULT;
    if (taken) {
        fprintf(stderr, "divan: there is a class %s already, in plugin %s; choose another NAME\n", plugin.cls,
                dv_class_plugin(taken)->id);
    } else if (write_plugin(&plugin, folder)) {
        printf("%s: a plugin with the class %s. Its README.md says how to go on; first:\n"
               "  cd %s && meson setup build && meson test -C build\n",
               folder, plugin.cls, folder);
        result = EXIT_DONE;
    }
    g_free(folder);
    g_free(plugin.cls);
    g_free(plugin.file);
    return result;
}

const Command command_new_plugin = {
    .name = "new-plugin",
    .arguments = "NAME",
    .summary = "write a plugin to start from: a component, its test, meson.build",
    .description =
        "NAME is made of small letters and digits, words joined by '-', as in soft-robots; the folder of that name must\n"
        "not be there yet. What is written builds and passes its test against an installed Divan, at once.",
    .positional = 1,
    .options = "folder license",
    .run = new_plugin,
};
