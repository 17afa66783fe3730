/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan: the minimal host. It needs the kernel alone; everything that is simulated comes from plugins.
 *
 * A command is a file with one `Command`; this one reads the command line, starts the plugins and calls it.
 */
#include "host.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const Command *const commands[] = {
    &command_run,   &command_bench, &command_check, &command_save,
    &command_probe, &command_list,  &command_info,  &command_new_plugin,
};

double host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

DvStatus host_start(const Options *options)
{
    const DvStartOptions start = {.plugin_set = options->plugin_set, .plugins = (const char *const *)options->plugins};
    return dv_start(&start);
}

DvScene *host_load(const Options *options)
{
    const DvLoadOptions load = {.keep_going = options->keep_going};
    DvScene *scene = NULL;
    const DvStatus status = dv_scene_load(options->scene, &load, &scene);
    if (status != DV_OK && !(options->keep_going && scene)) {
        dv_scene_free(scene);
        return NULL;
    }
    return scene;
}

int host_step_failed(DvScene *scene, const Options *options, DvStatus status)
{
    if (status != DV_ERROR_NOT_FINITE)
        return EXIT_FAULT;
    const DvStepCheckOps *check = dv_service(DV_STEP_CHECK);
    if (check && check->restore_last_good(dv_scene_root(scene))) {
        char *base = g_path_get_basename(options->scene);
        char *name = g_strdup_printf("%s.last-good.scn", base);
        if (dv_scene_save(scene, name) == DV_OK)
            fprintf(stderr, "the last good state is in %s\n", name);
        g_free(name);
        g_free(base);
    }
    return EXIT_NOT_FINITE;
}

static void add_states(const DvNode *node, GPtrArray *states)
{
    if (!dv_node_is_active(node))
        return;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        if (dv_object_ops(object, DV_STATE) && !dv_object_ops(object, "divan.visual-model/1"))
            g_ptr_array_add(states, object);
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            add_states(child, states);
}

GPtrArray *host_states(DvScene *scene)
{
    GPtrArray *states = g_ptr_array_new();
    add_states(dv_scene_root(scene), states);
    return states;
}

/* 64-bit words mixed by multiplication and rotation (the finaliser of Stafford's variant 13, as in splitmix64). */
static uint64_t mixed(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; numbers && i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
        hash ^= hash >> 31;
    }
    return hash;
}

uint64_t host_hash(const GPtrArray *states)
{
    uint64_t hash = states->len;
    for (guint i = 0; i < states->len; i++) {
        const DvStateRef state = dv_state_ref(g_ptr_array_index(states, i));
        const DvConstVec x = dv_state_read(state, DV_POSITION), v = dv_state_read(state, DV_VELOCITY);
        hash = mixed(hash, x.at, (size_t)x.count * x.dim);
        hash = mixed(hash, v.at, (size_t)v.count * v.dim);
    }
    return hash;
}

static void print_usage(FILE *to)
{
    fputs("Usage: divan COMMAND [ARGUMENT]... [OPTION]...\n\n"
          "An interactive simulator of deformable and rigid bodies. Commands:\n\n",
          to);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        char *head = g_strdup_printf("%s %s", commands[i]->name, commands[i]->arguments);
        fprintf(to, "  %-20s %s\n", head, commands[i]->summary);
        g_free(head);
    }
    fputs("\n`divan COMMAND --help` describes a command, `man divan` all of them.\n"
          "Exit status: 0 done; 1 the scene, a file or a plugin is at fault; 2 the command line is wrong;\n"
          "3 a state stopped being finite; 130 interrupted.\n",
          to);
}

static bool takes(const Command *command, const char *option)
{
    char **words = g_strsplit(command->options, " ", -1);
    const bool found = g_strv_contains((const char *const *)words, option);
    g_strfreev(words);
    return found;
}

/* Everything a command line can say; each command is given the entries it takes. */
static GArray *entries_of(const Command *command, Options *options)
{
    const GOptionEntry all[] = {
        {"steps", 'n', 0, G_OPTION_ARG_INT, &options->steps, "How many steps to make", "STEPS"},
        {"dt", 0, 0, G_OPTION_ARG_DOUBLE, &options->dt, "Time step in seconds, instead of the scene's", "S"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &options->threads, "Number of threads (0: one per core; default 1)", "N"},
        {"grain-divisor", 0, 0, G_OPTION_ARG_INT, &options->grain_divisor,
         "Cut parallel loops into N times as many chunks, which rounds sums differently", "N"},
        {"quiet", 0, 0, G_OPTION_ARG_NONE, &options->quiet, "No progress and no summary", NULL},
        {"hash", 0, 0, G_OPTION_ARG_NONE, &options->hash, "Print a hash of all states after each step", NULL},
        {"dump", 0, 0, G_OPTION_ARG_FILENAME, &options->dump, "Write positions and velocities of all states", "FILE"},
        {"contacts", 0, 0, G_OPTION_ARG_FILENAME, &options->contacts,
         "Write the contacts of each step as a table (CSV)", "FILE"},
        {"stats", 0, 0, G_OPTION_ARG_NONE, &options->stats,
         "Print a line for each step: contacts, constraint rows, sweeps, error", NULL},
        {"dump-topology", 0, 0, G_OPTION_ARG_FILENAME, &options->dump_topology, "Write the elements of all topologies",
         "FILE"},
        {"dump-steps", 0, 0, G_OPTION_ARG_STRING, &options->dump_steps,
         "Which steps to dump: 0,1,10 (0: after initialisation; default: first and last)", "LIST"},
        {"at", 0, 0, G_OPTION_ARG_FILENAME, &options->at, "The state: positions, velocities, displacements", "FILE"},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &options->out, "Where to write the results", "DUMP"},
        {"verbose", 0, 0, G_OPTION_ARG_NONE, &options->verbose,
         "Say what is loaded, what components report, and a line for each tenth of the steps", NULL},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &options->strict, "Stop at a warning that changes results", NULL},
        {"real-time", 0, 0, G_OPTION_ARG_NONE, &options->real_time, "Make steps no faster than the clock runs", NULL},
        {"folder", 0, 0, G_OPTION_ARG_FILENAME, &options->folder, "Where to put it, instead of the current folder",
         "DIR"},
        {"license", 0, 0, G_OPTION_ARG_STRING, &options->license, "Its licence, an SPDX expression", "SPDX"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &options->keep_going, "Load the rest when a component cannot be made",
         NULL},
    };
    const GOptionEntry common[] = {
        {"plugin-set", 0, 0, G_OPTION_ARG_STRING, &options->plugin_set,
         "Load this set of plugins.conf instead of [default]", "NAME"},
        {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->plugins, "Load one library more; may be repeated",
         "FILE"},
        {0},
    };
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (takes(command, all[i].long_name))
            g_array_append_val(entries, all[i]);
    g_array_append_vals(entries, common, G_N_ELEMENTS(common));
    return entries;
}

static bool sensible(const Options *options)
{
    if (options->steps < -1)
        fprintf(stderr, "divan: -n %d: the number of steps cannot be negative\n", options->steps);
    else if (!(options->dt == -1 || (options->dt > 0 && isfinite(options->dt))))
        fprintf(stderr, "divan: --dt %g: a time step is a positive number of seconds\n", options->dt);
    else if (options->threads < -1 || options->threads > 1024)
        fprintf(stderr, "divan: --threads %d: between 0 and 1024\n", options->threads);
    else if (options->grain_divisor < 1)
        fprintf(stderr, "divan: --grain-divisor %d: at least 1\n", options->grain_divisor);
    else
        return true;
    return false;
}

static int run_command(const Command *command, int argc, char **argv)
{
    Options options = {.steps = -1, .dt = -1, .threads = -1, .grain_divisor = 1};
    GArray *entries = entries_of(command, &options);
    char *head = g_strdup_printf("%s\n\n%s", command->arguments, command->summary);
    GOptionContext *context = g_option_context_new(head);
    g_option_context_set_description(context, command->description);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)entries->data, NULL);
    char *program = g_strdup_printf("divan %s", command->name);
    g_set_prgname(program);
    GError *error = NULL;
    int result = EXIT_USAGE;
    const bool parsed = g_option_context_parse(context, &argc, &argv, &error);
    if (argc > 1 && strcmp(argv[1], "--") == 0) /* kept by GLib before a name that starts with a '-' */
        argc--, argv++;
    if (!parsed) {
        fprintf(stderr, "%s: %s; see `%s --help`\n", program, error->message, program);
    } else if (argc - 1 != (int)command->positional) {
        fprintf(stderr, "%s: expected %s; see `%s --help`\n", program,
                *command->arguments ? command->arguments : "no argument", program);
    } else if (sensible(&options)) {
        options.scene = argc > 1 ? argv[1] : NULL;
        options.second = argc > 2 ? argv[2] : NULL;
        if (options.threads >= 0)
            dv_parallel_set_threads((unsigned)options.threads);
        dv_parallel_set_grain_divisor((uint32_t)options.grain_divisor);
        result = command->starts_plugins || host_start(&options) == DV_OK ? command->run(&options) : EXIT_FAULT;
        dv_stop();
    }
    g_clear_error(&error);
    g_option_context_free(context);
    g_array_free(entries, TRUE);
    g_free(program);
    g_free(head);
    g_free(options.plugin_set);
    g_strfreev(options.plugins);
    g_free(options.dump);
    g_free(options.dump_topology);
    g_free(options.dump_steps);
    g_free(options.contacts);
    g_free(options.at);
    g_free(options.out);
    g_free(options.folder);
    g_free(options.license);
    return result;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* names of files; numbers never depend on the locale */
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--version") == 0) {
        puts("divan " DV_VERSION);
        return EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_usage(stdout);
        return argc > 1 ? EXIT_DONE : EXIT_USAGE;
    }
    const char *names[G_N_ELEMENTS(commands)];
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        names[i] = commands[i]->name;
        if (strcmp(word, names[i]) == 0)
            return run_command(commands[i], argc - 1, argv + 1);
    }
    const char *closest = dv_closest(word, names, G_N_ELEMENTS(names));
    fprintf(stderr, "divan: no command '%s'", word);
    if (closest)
        fprintf(stderr, "; did you mean '%s'?", closest);
    fputs(" (see `divan --help`)\n", stderr);
    return EXIT_USAGE;
}
