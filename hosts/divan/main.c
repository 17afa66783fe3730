/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan: the minimal host. It needs the kernel alone; everything that is simulated comes from plugins.
 *
 * A command is a file with one `Command`; this one reads the command line, starts the plugins and calls it.
 */
#include "host.h"

#include <divan/embed.h>
#include <divan/output.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const Command *const commands[] = {
    &command_run,  &command_bench,      &command_check,  &command_save,   &command_probe, &command_list,
    &command_info, &command_new_plugin, &command_verify, &command_render, &command_modes,
};

double host_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *host_data_folder(const char *name)
{
    char *program = g_file_read_link("/proc/self/exe", NULL);
    char *beside = g_path_get_dirname(program ? program : "");
    char *folder = g_build_filename(beside, name, NULL);
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
        g_free(folder);
        folder = g_build_filename(beside, "..", DIVAN_DATADIR, "divan", name, NULL);
    }
    g_free(beside);
    g_free(program);
    return folder;
}

DvStatus host_start(const Options *options)
{
    const DvStartOptions start = {.plugin_set = options->plugin_set, .plugins = (const char *const *)options->plugins};
    return dv_start(&start);
}

static bool is_standard_input(const char *name)
{
    return strcmp(name, "-") == 0;
}

const char *host_scene_name(const Options *options)
{
    return is_standard_input(options->scene) ? "stdin.scn" : options->scene;
}

/* Files that it names are looked for in the current folder first. */
DvStatus host_read_scene(const Options *options, const DvLoadOptions *load, DvScene **scene)
{
    enum { PIECE = 1 << 16 };
    if (!is_standard_input(options->scene))
        return dv_scene_load(options->scene, load, scene);
    GString *text = g_string_new(NULL);
    char *piece = g_malloc(PIECE);
    for (size_t got; (got = fread(piece, 1, PIECE, stdin)) > 0;)
        g_string_append_len(text, piece, (gssize)got);
    g_free(piece);
    *scene = NULL;
    DvStatus status = DV_ERROR_IO;
    if (ferror(stdin))
        fprintf(stderr, "error: standard input cannot be read\n");
    else
        status = dv_scene_load_text(text->str, text->len, host_scene_name(options), NULL, load, scene);
    g_string_free(text, TRUE);
    return status;
}

/* What has to be there before the components of a scene are initialised. */
static bool prepare(const Options *options, DvScene *scene, Verification **verification)
{
    if (!host_haptics_choose(options, scene))
        return false;
    if (verification)
        *verification = host_verification_new(options, scene);
    return !verification || *verification;
}

static DvScene *load_scene(const Options *options, Verification **verification)
{
    const bool in_between = verification || options->haptic_devices;
    const DvLoadOptions load = {.keep_going = options->keep_going, .no_init = in_between};
    DvScene *scene = NULL;
    bool good = host_read_scene(options, &load, &scene) == DV_OK || (options->keep_going && scene);
    if (good && in_between)
        good = prepare(options, scene, verification) && (dv_scene_init(scene) == DV_OK || options->keep_going);
    if (good)
        return scene;
    dv_scene_free(scene);
    return NULL;
}

DvScene *host_load(const Options *options)
{
    return load_scene(options, NULL);
}

DvScene *host_load_to_verify(const Options *options, Verification **verification)
{
    return load_scene(options, verification);
}

int host_step_failed(DvScene *scene, const Options *options, const LastGood *good, DvStatus status)
{
    const bool lost = host_device_failed(scene);
    if (status != DV_ERROR_NOT_FINITE && status != DV_ERROR_NOT_CONVERGED && !lost)
        return EXIT_FAULT;
    const DvStepCheckOps *check = dv_service(DV_STEP_CHECK);
    const bool any = check && check->restore_last_good(dv_scene_root(scene));
    if (any && good && !lost)
        host_last_good_restore(good);
    if (any)
        host_save_last_good(scene, host_scene_name(options));
    return EXIT_NO_STATE;
}

int host_end(DvScene *scene, int result)
{
    if (dv_scene_end(scene) == DV_OK)
        return result;
    fputs("divan: a file that the scene asks for could not be written, as is said above\n", stderr);
    return result == EXIT_DONE ? EXIT_FAULT : result;
}

static void print_usage(FILE *to)
{
    fputs("Usage: divan COMMAND [ARGUMENT]... [OPTION]...\n\n"
          "Simulates deformable and rigid bodies. Commands:\n\n",
          to);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        char *head = g_strdup_printf("%s %s", commands[i]->name, commands[i]->arguments);
        fprintf(to, "  %-20s %s\n", head, commands[i]->summary);
        g_free(head);
    }
    fputs("\n`divan COMMAND --help` describes a command, `man divan` all of them.\n"
          "Exit status: 0 done; 1 the scene, a file or a plugin is at fault; 2 the command line is wrong;\n"
          "3 a state stopped being finite, or a static solve did not converge;\n"
          "128 + N ended by signal N, 130 by Ctrl-C.\n",
          to);
}

static bool takes(const Command *command, const char *option)
{
    char **words = g_strsplit(command->options, " ", -1);
    const bool found = g_strv_contains((const char *const *)words, option);
    g_strfreev(words);
    return found;
}

/* All of a text as a whole number of a range; false with the message. */
static gboolean read_whole(const char *option, const char *text, int least, int most, int *number, GError **error)
{
    gint64 value = 0;
    const bool good = g_ascii_string_to_signed(text, 10, least, most, &value, NULL);
    *number = (int)value;
    if (!good)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s %s: expected a whole number from %d to %d",
                    option, text, least, most);
    return good;
}

static gboolean read_steps(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 0, INT_MAX, &((Options *)options)->steps, error);
}

static gboolean read_modes(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, 10000, &((Options *)options)->modes, error);
}

static gboolean read_threads(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 0, 1024, &((Options *)options)->threads, error);
}

static gboolean read_jobs(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, 1024, &((Options *)options)->jobs, error);
}

static gboolean read_frames(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, 1000000, &((Options *)options)->frames, error);
}

static gboolean read_every(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, INT_MAX, &((Options *)options)->every, error);
}

static gboolean read_record_every(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, INT_MAX, &((Options *)options)->record_every, error);
}

static gboolean read_size(const char *option, const char *text, gpointer options, GError **error)
{
    Options *all = options;
    char **sides = g_strsplit(text, "x", -1);
    gint64 width = 0, height = 0;
    const bool good = g_strv_length(sides) == 2 && g_ascii_string_to_signed(sides[0], 10, 1, INT_MAX, &width, NULL) &&
                      g_ascii_string_to_signed(sides[1], 10, 1, INT_MAX, &height, NULL);
    g_strfreev(sides);
    all->width = (int)width;
    all->height = (int)height;
    if (!good)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s %s: expected width and height in pixels, as 1280x720", option, text);
    return good;
}

static gboolean read_host_copy(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, INT_MAX, &((Options *)options)->host_copy, error);
}

static gboolean read_grain_divisor(const char *option, const char *text, gpointer options, GError **error)
{
    return read_whole(option, text, 1, INT_MAX, &((Options *)options)->grain_divisor, error);
}

static gboolean read_dt(const char *option, const char *text, gpointer options, GError **error)
{
    const char *at = text;
    double *dt = &((Options *)options)->dt;
    const bool good = dv_read_double(&at, dt) && *at == '\0' && *dt > 0 && isfinite(*dt);
    if (!good)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s %s: expected a time step, a positive number of seconds", option, text);
    return good;
}

static gboolean read_target_hz(const char *option, const char *text, gpointer options, GError **error)
{
    const char *at = text;
    double *hz = &((Options *)options)->target_hz;
    const bool good = dv_read_double(&at, hz) && *at == '\0' && *hz > 0 && isfinite(*hz);
    if (!good)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s %s: expected a number of steps a second, such as 500", option, text);
    return good;
}

/* Everything a command line can say; each command is given the entries it takes. */
static void add_entries(GArray *entries, const Command *command, const GOptionEntry *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (takes(command, all[i].long_name))
            g_array_append_val(entries, all[i]);
}

/* What a run does and prints. */
static void add_run_entries(GArray *entries, const Command *command, Options *options)
{
    const GOptionEntry all[] = {
        {"steps", 'n', 0, G_OPTION_ARG_CALLBACK, (gpointer)read_steps, "How many steps to make", "STEPS"},
        {"modes", 'n', 0, G_OPTION_ARG_CALLBACK, (gpointer)read_modes, "How many modes to find (default 10)", "N"},
        {"dt", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_dt, "Time step in seconds, instead of the scene's", "S"},
        {"threads", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_threads,
         "Number of threads (0: one per core; default 1)", "N"},
        {"device", 0, 0, G_OPTION_ARG_STRING, &options->device,
         "Where states with templates made for a GPU (CudaVec3f) keep their vectors: cuda:N, a card, or emulated (default: what CUDA_DEVICE says, else the host)",
         "DEVICE"},
        {"no-gpu", 0, 0, G_OPTION_ARG_NONE, &options->no_gpu, "Keep all vectors on the host", NULL},
        {"host-copy", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_host_copy,
         "Copy what a device keeps to the host every N steps, for the case that it is lost (default: at the start)",
         "N"},
        {"grain-divisor", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_grain_divisor,
         "Cut parallel loops into N times as many chunks, which rounds sums differently", "N"},
        {"quiet", 0, 0, G_OPTION_ARG_NONE, &options->quiet, "No progress and no summary", NULL},
        {"hash", 0, 0, G_OPTION_ARG_NONE, &options->hash, "Print a hash of all states after each step", NULL},
        {"dump", 0, 0, G_OPTION_ARG_FILENAME, &options->dump, "Write positions and velocities of all states", "FILE"},
        {"contacts", 0, 0, G_OPTION_ARG_FILENAME, &options->contacts,
         "Write the contacts of each step as a table (CSV)", "FILE"},
        {"stats", 0, 0, G_OPTION_ARG_NONE, &options->stats,
         "Print a line for each step: contacts, constraint rows, sweeps, error, residuals of solvers; and totals",
         NULL},
        {"dump-topology", 0, 0, G_OPTION_ARG_FILENAME, &options->dump_topology, "Write the elements of all topologies",
         "FILE"},
        {"dump-steps", 0, 0, G_OPTION_ARG_STRING, &options->dump_steps,
         "Which steps to dump: 0,1,10 or FIRST:LAST:EVERY (0: after initialisation; default: first and last)", "LIST"},
        {"record", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->record,
         "Record a value after each step, 'tip=/Bar/state.position[17]', also sum(...) and norm(...); may be repeated",
         "VALUE"},
        {"record-file", 0, 0, G_OPTION_ARG_FILENAME, &options->record_file,
         "File for these values, a table (CSV; default: standard output)", "FILE"},
        {"haptics", 0, 0, G_OPTION_ARG_NONE, &options->haptics,
         "Print what became of the haptic devices: ticks, ages of states, forces, ways, and whether the scene keeps up",
         NULL},
        {"haptics-log", 0, 0, G_OPTION_ARG_FILENAME, &options->haptics_log,
         "File for a line for each tick of the haptic devices (CSV)", "FILE"},
        {"haptic-device", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->haptic_devices,
         "Haptic device that GeomagicDriver acts on: GameController, SpaceMouse...; given again: of the next driver",
         "NAME"},
        {"input", 0, 0, G_OPTION_ARG_FILENAME, &options->input,
         "Session file of edits, keys and mouse motions, each done after the step that it names", "FILE"},
        {"record-every", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_record_every, "Steps between two rows (default 1)",
         "N"},
    };
    add_entries(entries, command, all, G_N_ELEMENTS(all));
}

/* What is written of a run and of a state. */
static void add_export_entries(GArray *entries, const Command *command, Options *options)
{
    const GOptionEntry all[] = {
        {"export", 0, 0, G_OPTION_ARG_FILENAME, &options->export_file,
         "Write states with a mesh for other programs: .pvd, .xdmf, or the last state as .obj, .stl, .ply, .msh",
         "FILE"},
        {"fields", 0, 0, G_OPTION_ARG_STRING, &options->fields,
         "Fields of the exported states: displacement, velocity, force (default: these), stress, strain, energy, contacts",
         "LIST"},
        {"compress", 0, 0, G_OPTION_ARG_NONE, &options->compress, "Compress the exported files", NULL},
        {"at", 0, 0, G_OPTION_ARG_FILENAME, &options->at, "The state: positions, velocities, displacements", "FILE"},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &options->out, "Where to write the results", "PATH"},
        {"outputs", 0, 0, G_OPTION_ARG_FILENAME, &options->outputs,
         "Instead: write the outputs of engines and loaders, before and after --steps (default: 0)", "FILE"},
    };
    add_entries(entries, command, all, G_N_ELEMENTS(all));
}

/* Pictures and frames, and how a run is made. */
static void add_picture_entries(GArray *entries, const Command *command, Options *options)
{
    const GOptionEntry all[] = {
        {"frames", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_frames, "How many pictures to make (default 1)", "N"},
        {"every", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_every,
         "Steps between two pictures or frames (default 1), or checkpoints (default 100)", "K"},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &options->checkpoint,
         "Write the state to a file every K steps, and at the end", "FILE"},
        {"restart", 0, 0, G_OPTION_ARG_FILENAME, &options->restart,
         "Continue from the checkpoint of a run of this scene", "FILE"},
        {"verification", 0, 0, G_OPTION_ARG_FILENAME, &options->verification,
         "Compare the states with recordings SCENE_N_NAME_mstate.txt.gz of WriteState, and print how far they differ",
         "DIR"},
        {"size", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_size,
         "Pixels of a picture (default: as the scene says, or 1280x720)", "WxH"},
        {"camera", 0, 0, G_OPTION_ARG_STRING, &options->camera,
         "Where to look from: a camera of the scene, 'x y z lookx looky lookz', a .view file, or 'default'", "VIEW"},
        {"show", 0, 0, G_OPTION_ARG_STRING, &options->show,
         "What is shown, instead of the scene's displayFlags, such as 'collision hideVisual'", "FLAGS"},
        {"pictures", 0, 0, G_OPTION_ARG_FILENAME, &options->pictures,
         "Draw each mode into a folder, displaced by a tenth of the scene's size", "DIR"},
        {"mp4", 0, 0, G_OPTION_ARG_FILENAME, &options->mp4, "Make a film of the pictures, by ffmpeg", "FILE"},
        {"verbose", 0, 0, G_OPTION_ARG_NONE, &options->verbose,
         "Print what is loaded, all messages of components, and a line for each tenth of the steps", NULL},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &options->strict, "Stop at a warning that changes results", NULL},
        {"real-time", 0, 0, G_OPTION_ARG_NONE, &options->real_time, "Make steps no faster than the clock runs", NULL},
    };
    add_entries(entries, command, all, G_N_ELEMENTS(all));
}

/* Of new plugins and problems, and of all that load scenes. */
static void add_other_entries(GArray *entries, const Command *command, Options *options)
{
    const GOptionEntry all[] = {
        {"kind", 0, 0, G_OPTION_ARG_STRING, &options->kind, "What component it has (default: force-field); see below",
         "KIND"},
        {"folder", 0, 0, G_OPTION_ARG_FILENAME, &options->folder, "Where to put it, instead of the current folder",
         "DIR"},
        {"license", 0, 0, G_OPTION_ARG_STRING, &options->license, "Its licence, an SPDX expression", "SPDX"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print one JSON object", NULL},
        {"target-hz", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_target_hz,
         "Say whether the scene can make N steps a second, and what stands against it", "N"},
        {"list", 0, 0, G_OPTION_ARG_NONE, &options->list, "Name the problems and compute nothing", NULL},
        {"quick", 0, 0, G_OPTION_ARG_NONE, &options->quick, "Make only the runs that take little time", NULL},
        {"jobs", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_jobs, "How many runs at a time (default: one per core)",
         "N"},
        {"html", 0, 0, G_OPTION_ARG_FILENAME, &options->html,
         "Write a page for the browser, with plots if gnuplot is installed", "FILE"},
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &options->markdown, "Print docs/verification.md instead of a table",
         NULL},
        {"scenes", 0, 0, G_OPTION_ARG_FILENAME, &options->scenes,
         "Compute nothing; write the scene of each run, as `divan run` takes it", "DIR"},
        {"write-anywhere", 0, 0, G_OPTION_ARG_NONE, &options->write_anywhere,
         "Let the scene write files outside of the current folder too", NULL},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &options->keep_going,
         "Load the rest of the scene if a component cannot be made", NULL},
    };
    add_entries(entries, command, all, G_N_ELEMENTS(all));
}

/* In the order in which the help has them. */
static GArray *entries_of(const Command *command, Options *options)
{
    const GOptionEntry common[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, &options->help, "Show this help", NULL},
        {"plugin-set", 0, 0, G_OPTION_ARG_STRING, &options->plugin_set,
         "Load this set of plugins.conf instead of [default]", "NAME"},
        {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->plugins, "Load another library; may be repeated",
         "FILE"},
        {0},
    };
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
    add_run_entries(entries, command, options);
    add_export_entries(entries, command, options);
    add_picture_entries(entries, command, options);
    add_other_entries(entries, command, options);
    g_array_append_vals(entries, common, G_N_ELEMENTS(common));
    return entries;
}

static bool is_option(const GOptionEntry *entry, const char *word)
{
    if (word[0] == '-' && word[1] != '-')
        return entry->short_name && word[1] == entry->short_name;
    const size_t length = strlen(entry->long_name);
    return word[0] == '-' && strncmp(word + 2, entry->long_name, length) == 0 &&
           (!word[2 + length] || word[2 + length] == '=');
}

/* The words with "-nVALUE" and "-n=VALUE" as two; GLib knows neither. */
static GPtrArray *part_short_options(const GArray *entries, int count, char **words)
{
    GPtrArray *parted = g_ptr_array_new_with_free_func(g_free);
    bool options = true;
    for (int i = 0; i < count; i++) {
        options = options && strcmp(words[i], "--") != 0;
        bool takes_value = false;
        for (guint k = 0; options && words[i][0] == '-' && words[i][1] && words[i][2] && k < entries->len; k++) {
            const GOptionEntry *entry = &g_array_index(entries, GOptionEntry, k);
            takes_value |= entry->short_name == words[i][1] && entry->arg != G_OPTION_ARG_NONE;
        }
        if (takes_value) {
            g_ptr_array_add(parted, g_strndup(words[i], 2));
            g_ptr_array_add(parted, g_strdup(words[i] + (words[i][2] == '=' ? 3 : 2)));
        } else {
            g_ptr_array_add(parted, g_strdup(words[i]));
        }
    }
    return parted;
}

/* Of a value that is given twice, the first one would be lost in silence. */
static bool is_repeated(const char *program, const GArray *entries, int count, char **words)
{
    for (guint k = 0; k < entries->len; k++) {
        const GOptionEntry *entry = &g_array_index(entries, GOptionEntry, k);
        int times = 0;
        for (int i = 0; entry->long_name && i < count && strcmp(words[i], "--") != 0; i++)
            times += is_option(entry, words[i]);
        if (times > 1 && entry->arg != G_OPTION_ARG_NONE && entry->arg != G_OPTION_ARG_FILENAME_ARRAY &&
            entry->arg != G_OPTION_ARG_STRING_ARRAY) {
            fprintf(stderr, "%s: --%s is given %d times; once is enough\n", program, entry->long_name, times);
            return true;
        }
    }
    return false;
}

/* What to do about an option that the command does not take: `message` is GLib's. */
static void explain_option(const Command *command, const GArray *entries, const char *message)
{
    const char *option = strstr(message, " --"), *names[64];
    size_t count = 0;
    if (!g_str_has_prefix(message, "Unknown option") || !option)
        return;
    option += strlen(" --");
    for (guint k = 0; k < entries->len && count < G_N_ELEMENTS(names); k++)
        if (g_array_index(entries, GOptionEntry, k).long_name)
            names[count++] = g_array_index(entries, GOptionEntry, k).long_name;
    const char *closest = dv_closest(option, names, count);
    if (closest)
        fprintf(stderr, " (did you mean --%s?)", closest);
    size_t others = 0;
    for (size_t i = 0; !closest && i < G_N_ELEMENTS(commands); i++)
        if (commands[i] != command && takes(commands[i], option))
            fprintf(stderr, "%s%s", others++ ? ", " : ", an option of ", commands[i]->name);
}

/* A name that is given is not empty. */
static bool has_names(const char *program, const Options *options)
{
    const struct {
        const char *option, *name;
    } given[] = {
        {"--plugin-set", options->plugin_set},
        {"--dump", options->dump},
        {"--dump-topology", options->dump_topology},
        {"--record-file", options->record_file},
        {"--haptics-log", options->haptics_log},
        {"--input", options->input},
        {"--contacts", options->contacts},
        {"--checkpoint", options->checkpoint},
        {"--restart", options->restart},
        {"--verification", options->verification},
        {"--at", options->at},
        {"--out", options->out},
        {"--outputs", options->outputs},
        {"--folder", options->folder},
        {"--html", options->html},
        {"--scenes", options->scenes},
        {"--camera", options->camera},
        {"--mp4", options->mp4},
        {"--export", options->export_file},
        {"--pictures", options->pictures},
        {"--show", options->show},
        {"OUT", options->second},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++)
        if (given[i].name && !*given[i].name) {
            fprintf(stderr, "%s: %s: its name is empty\n", program, given[i].option);
            return false;
        }
    for (char **plugin = options->plugins; plugin && *plugin; plugin++)
        if (!**plugin) {
            fprintf(stderr, "%s: --plugin: its name is empty\n", program);
            return false;
        }
    return true;
}

/* Whether there are as many words besides options as the command needs; they are kept then. */
static bool takes_words(const Command *command, const char *program, Options *options, int count, char **words)
{
    const int needed = (int)command->positional;
    options->rest = words;
    if (needed == ANY_NUMBER)
        return true;
    options->scene = count > 0 ? words[0] : NULL;
    options->second = count > 1 ? words[1] : NULL;
    if (count < needed)
        fprintf(stderr, "%s: expected %s; see `%s --help`\n", program, command->arguments, program);
    else if (count > needed && strcmp(command->arguments, "SCENE") == 0)
        fprintf(stderr, "%s: '%s' is a second scene after '%s'; one at a time, see `%s --help`\n", program, words[1],
                words[0], program);
    else if (count > needed && needed)
        fprintf(stderr, "%s: '%s' is one too many after '%s': expected %s; see `%s --help`\n", program, words[needed],
                words[needed - 1], command->arguments, program);
    else if (count > needed)
        fprintf(stderr, "%s: expected no argument, not '%s'; see `%s --help`\n", program, words[0], program);
    return count == needed;
}

static void on_signal(int number)
{
    dv_output_abandon();
    (void)raise(number); /* which ends the program now, or when this returns */
}

/* What ends the program leaves no half of a file. Commands that make whole files of it take the signals themselves; what is ignored
 * (nohup) stays ignored. */
static void take_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction old;
        const struct sigaction taken = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &taken, NULL);
    }
}

/* Frees the text that the command line gave to these options. */
static void free_words(const GArray *entries)
{
    for (guint i = 0; i < entries->len; i++) {
        const GOptionEntry *entry = &g_array_index(entries, GOptionEntry, i);
        if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
            g_free(*(char **)entry->arg_data);
        else if (entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
            g_strfreev(*(char ***)entry->arg_data);
    }
}

static int run_command(const Command *command, int argc, char **argv)
{
    Options options = {.steps = -1, .dt = -1, .threads = -1, .grain_divisor = 1};
    GArray *entries = entries_of(command, &options);
    char *head = g_strdup_printf("%s\n\n%s", command->arguments, command->summary);
    GOptionContext *context = g_option_context_new(head);
    g_option_context_set_description(context, command->description);
    g_option_context_set_help_enabled(context, FALSE); /* it would end the program, and what is lost then is not seen */
    GOptionGroup *group = g_option_group_new(command->name, "", "", &options, NULL); /* the context's from now on */
    g_option_group_add_entries(group, (const GOptionEntry *)(void *)entries->data);
    g_option_context_set_main_group(context, group);
    char *program = g_strdup_printf("divan %s", command->name);
    g_set_prgname(program);
    GError *error = NULL;
    int result = EXIT_USAGE;
    GPtrArray *words = part_short_options(entries, argc, argv);
    argc = (int)words->len;
    char **all = g_new0(char *, words->len + 1); /* of which GLib takes what it understands */
    memcpy(all, words->pdata, words->len * sizeof *all);
    argv = all;
    const bool repeated = is_repeated(program, entries, argc - 1, argv + 1);
    const bool parsed = !repeated && g_option_context_parse(context, &argc, &argv, &error);
    if (argc > 1 && strcmp(argv[1], "--") == 0) /* kept by GLib before a name that starts with a '-' */
        argc--, argv++;
    if (repeated) {
        result = EXIT_USAGE;
    } else if (!parsed) {
        fprintf(stderr, "%s: %s", program, error->message);
        explain_option(command, entries, error->message);
        fprintf(stderr, "; see `%s --help`\n", program);
    } else if (options.help) {
        char *help = g_option_context_get_help(context, TRUE, NULL);
        fputs(help, stdout);
        g_free(help);
        result = EXIT_DONE;
    } else if (takes_words(command, program, &options, argc - 1, argv + 1) && has_names(program, &options)) {
        if (options.threads >= 0)
            dv_parallel_set_threads((unsigned)options.threads);
        dv_parallel_set_grain_divisor((uint32_t)options.grain_divisor);
        take_signals();
        const bool started = (!options.write_anywhere || dv_set_output_folder("/") == DV_OK) &&
                             (command->starts_plugins || host_start(&options) == DV_OK) &&
                             (command->starts_plugins || !takes(command, "device") || host_use_device(&options));
        result = started ? command->run(&options) : EXIT_FAULT;
        dv_stop();
    }
    g_clear_error(&error);
    g_option_context_free(context);
    free_words(entries);
    g_array_free(entries, TRUE);
    g_ptr_array_free(words, TRUE);
    g_free(all);
    g_free(program);
    g_free(head);
    return result;
}

/* What a file that is opened would get by chance, and be written over by messages: a standard stream that is closed. It is opened
 * so that using it fails. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Output that is lost is a failure. */
static int end_output(int result)
{
    const bool lost = ferror(stdout) != 0;
    errno = 0;
    if (lost)
        (void)!write(STDOUT_FILENO, "\n", 1); /* the reason of what failed earlier, once more */
    if (fclose(stdout) == 0 && !lost)
        return result;
    fprintf(stderr, "divan: standard output: not everything could be written: %s\n", g_strerror(errno ? errno : EIO));
    return result == EXIT_DONE ? EXIT_FAULT : result;
}

static int run_words(int argc, char **argv)
{
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

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* names of files; numbers never depend on the locale */
    hold_standard_streams();
    return end_output(run_words(argc, argv));
}
