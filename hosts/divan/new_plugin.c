/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan new-plugin: writes a plugin to start from, out of the files of template/, in which words in {{ }} stand for what depends on its
 * name and kind. What template/KIND has is of that kind; the rest is the same for all.
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
    {"meson.build.in", "meson.build"},     {"plugins.conf.in", "plugins.conf"},   {"plugin.c.in", "plugin.c"},
    {"component.c.in", "{{component}}.c"}, {"test.c.in", "test_{{component}}.c"}, {"example.scn.in", "{{name}}.scn"},
    {"README.md.in", "README.md"},
};

typedef struct Kind {
    const char *name, *article, *prose; /* "a", "force field" */
    const char *ending;                 /* of the class: "ForceField"; of its file: "force_field" */
    const char *file_ending;
    const char *tests;    /* what its test holds it to */
    const char *variants; /* that plugin.c names, since they are no kinds of points; or NULL */
} Kind;

static const Kind kinds[] = {
    {"force-field", "a", "force field", "ForceField", "force_field",
     "the conformance suite of force fields, a closed form, a mistake", NULL},
    {"load", "a", "load", "Load", "load", "the conformance suite of force fields, a closed form, a mistake", NULL},
    {"material", "a", "material", "Material", "material",
     "finite differences, the conformance suite of force fields, a closed form, a mistake", NULL},
    {"mapping", "a", "mapping", "Mapping", "mapping", "the conformance suite of mappings, a closed form, a mistake",
     NULL},
    {"region", "a", "region of interest", "ROI", "roi", "what is inside, a mistake", NULL},
    {"engine", "an", "engine", "Engine", "engine", "a closed form, one run for each change, a mistake", NULL},
    {"preconditioner", "a", "preconditioner", "Preconditioner", "preconditioner",
     "the conformance suite of linear solvers, a closed form, a mistake", "\"DiagonalMatrix\""},
    {"integrator", "an", "integrator", "Solver", "solver", "two closed forms, a mistake", NULL},
    {"linear-solver", "a", "linear solver", "LinearSolver", "linear_solver",
     "the conformance suite of linear solvers, a closed form, a mistake",
     "\"CompressedRowSparseMatrixMat3x3d\", \"GraphScattered\""},
};

#define KINDS                                                                             \
    "  force-field     a force that each point has by itself (the default)\n"             \
    "  load            a force per area on triangles, which grows with time\n"            \
    "  material        energy, stress and tangent of a solid, for elements of any form\n" \
    "  mapping         points that are sums of others, with weights\n"                    \
    "  region          points and elements on one side of a plane\n"                      \
    "  engine          fields that follow from others: lengths along a way\n"             \
    "  preconditioner  an approximate inverse, from the rows of a matrix\n"               \
    "  integrator      an explicit step of order 2\n"                                     \
    "  linear-solver   an iterative method, on vectors and products\n"

typedef struct Plugin {
    const char *name, *license;
    const Kind *kind;
    char *component, *cls; /* soft_robots_force_field, SoftRobotsForceField */
} Plugin;

static const Kind *find_kind(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

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

static char *class_name(const char *name, const Kind *kind)
{
    GString *cls = g_string_new(NULL);
    for (const char *at = name; *at; at++)
        if (*at != '-')
            g_string_append_c(cls, at == name || at[-1] == '-' ? g_ascii_toupper(*at) : *at);
    g_string_append(cls, kind->ending);
    return g_string_free(cls, FALSE);
}

static char *component_name(const char *name, const Kind *kind)
{
    return g_strdelimit(g_strconcat(name, "_", kind->file_ending, NULL), "-", '_');
}

static char *filled(const Plugin *plugin, const char *text)
{
    const Kind *kind = plugin->kind;
    const bool is_class = strcmp(kind->name, "material") != 0;
    char *prose = g_strdup_printf("%s %s", kind->article, kind->prose), *capital = g_strdup(prose);
    capital[0] = g_ascii_toupper(capital[0]);
    char *variants = kind->variants
                         ? g_strdup_printf("    .variants = (const char *const[]){%s, NULL},\n", kind->variants)
                         : g_strdup("");
    char *look = is_class ? g_strdup_printf("info %s", plugin->cls) : g_strdup_printf("check %s.scn", plugin->name);
    const char *const words[][2] = {
        {"{{name}}", plugin->name}, {"{{component}}", plugin->component},
        {"{{Class}}", plugin->cls}, {"{{license}}", plugin->license},
        {"{{a kind}}", prose},      {"{{A kind}}", capital},
        {"{{tests}}", kind->tests}, {"{{variants}}", variants},
        {"{{look}}", look},
    };
    GString *out = g_string_new(text);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        g_string_replace(out, words[i][0], words[i][1], 0);
    g_free(prose), g_free(capital), g_free(variants), g_free(look);
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
        char *from = g_build_filename(template, plugin->kind->name, files[i].from, NULL),
             *to = g_build_filename(folder, name, NULL);
        if (!g_file_test(from, G_FILE_TEST_EXISTS)) {
            g_free(from);
            from = g_build_filename(template, files[i].from, NULL);
        }
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
    plugin.kind = find_kind(options->kind ? options->kind : kinds[0].name);
    if (!plugin.kind) {
        fprintf(stderr, "divan: there is no kind '%.40s' of plugins; there are\n" KINDS, options->kind);
        return EXIT_USAGE;
    }
    plugin.component = component_name(plugin.name, plugin.kind);
    plugin.cls = class_name(plugin.name, plugin.kind);
    char *folder = g_build_filename(options->folder ? options->folder : ".", plugin.name, NULL);
    const DvClass *taken = dv_class_find(plugin.cls);
    int result = EXIT_FAULT;
    if (taken) {
        fprintf(stderr, "divan: there is a class %s already, in plugin %s; choose another NAME\n", plugin.cls,
                dv_class_plugin(taken)->id);
    } else if (write_plugin(&plugin, folder)) {
        printf("%s: a plugin with the %s %s. Its README.md says how to go on; first:\n"
               "  cd %s && meson setup build && meson test -C build\n",
               folder, plugin.kind->prose, plugin.cls, folder);
        result = EXIT_DONE;
    }
    g_free(folder);
    g_free(plugin.cls);
    g_free(plugin.component);
    return result;
}

const Command command_new_plugin = {
    .name = "new-plugin",
    .arguments = "NAME",
    .summary = "write a plugin to start from: a component of any family, its test, meson.build",
    .description =
        "NAME is made of small letters and digits, words joined by '-', as in soft-robots; the folder of that name must\n"
        "not exist yet. The plugin builds and passes its test against an installed Divan. Kinds:\n\n" KINDS,
    .positional = 1,
    .options = "kind folder license",
    .run = new_plugin,
};
