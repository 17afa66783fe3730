/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan run, divan save: makes steps; dumps, hashes or saves what came out.
 */
#include "host.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_STEPS = 100 };

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Ascending step numbers of "0,1,10"; NULL and a message when the list is not one. */
static GArray *parse_steps(const char *list)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (const char *at = list; *at;) {
        char *end;
        const uint64_t step = g_ascii_strtoull(at, &end, 10);
        const uint64_t last = steps->len ? g_array_index(steps, uint64_t, steps->len - 1) : 0;
        if (!g_ascii_isdigit(*at) || (*end != ',' && *end != '\0') || (steps->len && step <= last)) {
            fprintf(stderr, "divan: --dump-steps %s: expected ascending step numbers with commas between, as 0,1,10\n",
                    list);
            g_array_free(steps, TRUE);
            return NULL;
        }
        g_array_append_val(steps, step);
        at = *end == ',' ? end + 1 : end;
    }
    return steps;
}

/* --verbose: what has been loaded, once the scene is initialised. */
static void print_objects(const DvNode *node)
{
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++) {
        const char *variant = dv_object_variant(object);
        const DvStateRef state = dv_state_ref(object);
        fprintf(stderr, "info: %s: %s%s%s", dv_object_path(object), dv_object_class(object)->name, *variant ? " " : "",
                variant);
        if (state.ops)
            fprintf(stderr, ", %u points", dv_state_count(state));
        fputs(dv_object_is_valid(object) ? "\n" : ", not in use\n", stderr);
    }
    const DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node)
            print_objects(child);
}

static void print_plugins(void)
{
    const DvPluginInfo *info;
    for (size_t i = 0; (info = dv_plugin_info(i)); i++)
        if (info->state == DV_PLUGIN_STARTED)
            fprintf(stderr, "info: plugin %s %s: %s\n", info->id, info->version, info->file);
        else
            fprintf(stderr, "info: plugin %s is not in use: %s\n", info->id ? info->id : info->file,
                    info->reason ? info->reason : "it was not asked for");
}

/* --strict: prints as the default handler does, but takes a warning that changes results for an error, and counts those. */
static void take_strictly(const DvMessage *message, void *context)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    const bool strict = message->level == DV_LEVEL_WARNING && !message->harmless;
    *(unsigned *)context += strict;
    if (message->level == DV_LEVEL_DEBUG)
        return;
    DvText line = {0};
    dv_message_print(message, &line);
    fprintf(stderr, "%s: %s\n", words[strict ? DV_LEVEL_ERROR : message->level], line.at);
    dv_text_free(&line);
}

/* --real-time: step n ends no earlier than its time after the start. A step that ends later moves all further ones, so that
 * the run does not hurry afterwards. */
typedef struct Pace {
    double due;    /* s, of host_now: when the present step should end */
    double lost;   /* s */
    uint64_t late; /* steps */
} Pace;

static void keep_pace(Pace *pace, uint64_t step, double simulated, double now)
{
    pace->due += simulated;
    if (now > pace->due) {
        if (!pace->late++)
            fprintf(stderr,
                    "divan: --real-time: step %" G_GUINT64_FORMAT
                    " ends %.3g s late; the run does not keep up with the clock\n",
                    step, now - pace->due);
        pace->lost += now - pace->due;
        pace->due = now;
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)pace->due,
                                   .tv_nsec = (long)(1e9 * (pace->due - floor(pace->due)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR && !interrupted)
        continue;
}

typedef struct Run {
    const Options *options;
    DvScene *scene;
    GPtrArray *states;
    uint64_t revision; /* of the graph the states were listed from */
    GArray *wanted;    /* steps to dump; NULL: first and last, topologies all */
    uint64_t steps;    /* to make */
    unsigned strict;   /* warnings that --strict took for errors */
    Dump dump, topology, contacts;
} Run;

static bool is_wanted(const Run *run, uint64_t step)
{
    for (guint i = 0; run->wanted && i < run->wanted->len; i++)
        if (g_array_index(run->wanted, uint64_t, i) == step)
            return true;
    return false;
}

/* After a step (0: after initialisation). */
static void observe(Run *run, uint64_t step, bool last)
{
    const DvNode *root = dv_scene_root(run->scene);
    if (!run->states || run->revision != dv_node_revision(root)) {
        if (run->states)
            g_ptr_array_unref(run->states);
        run->states = host_states(run->scene);
        run->revision = dv_node_revision(root);
    }
    const double time = dv_node_time(root);
    if (run->options->hash)
        printf("%" G_GUINT64_FORMAT " %016" G_GINT64_MODIFIER "x\n", step, host_hash(run->states));
    if (run->dump.file && (run->wanted ? is_wanted(run, step) : step == 0 || last))
        host_dump_states(&run->dump, run->states, step, time);
    if (run->topology.file && (!run->wanted || is_wanted(run, step)))
        host_dump_topologies(&run->topology, run->scene, step, time);
    if (run->contacts.file)
        host_dump_contacts(&run->contacts, run->scene, step);
    if (run->options->stats && step > 0)
        host_print_stats(run->scene, step);
}

static void show_progress(uint64_t made, uint64_t steps, double seconds)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    const size_t filled = steps ? (size_t)(made * WIDTH / steps) : WIDTH;
    memset(bar, ' ', WIDTH);
    memset(bar, '=', filled);
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " steps, %.0f steps/s ", bar, made, steps,
            seconds > 0 ? (double)made / seconds : 0.0);
}

static int make_steps(Run *run)
{
    const Options *options = run->options;
    const bool progress = !options->quiet && !options->verbose && isatty(STDERR_FILENO);
    const double start_time = dv_node_time(dv_scene_root(run->scene));
    const uint64_t tenth = MAX(run->steps / 10, 1);
    Pace pace = {.due = host_now()};
    double spent = 0, shown = 0; /* s: in steps; when progress was shown */
    uint64_t made = 0;
    int result = EXIT_DONE;
    observe(run, 0, run->steps == 0);
    while (made < run->steps && !interrupted && !run->strict) {
        const double before = dv_node_time(dv_scene_root(run->scene)), begin = host_now();
        const DvStatus status = dv_scene_step(run->scene, options->dt > 0 ? options->dt : 0);
        const double end = host_now();
        spent += end - begin;
        if (status != DV_OK) {
            result = host_step_failed(run->scene, options, status);
            break;
        }
        made++;
        observe(run, made, made == run->steps || interrupted);
        if (options->verbose && (made % tenth == 0 || made == run->steps))
            fprintf(stderr, "info: step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", time %.6g s, %.5g steps/s\n",
                    made, run->steps, dv_node_time(dv_scene_root(run->scene)), spent > 0 ? (double)made / spent : 0.0);
        if (options->real_time)
            keep_pace(&pace, made, dv_node_time(dv_scene_root(run->scene)) - before, host_now());
        if (progress && (end - shown > 0.1 || made == run->steps)) {
            show_progress(made, run->steps, spent);
            shown = end;
        }
    }
    if (progress)
        fputc('\n', stderr);
    if (!options->quiet) {
        const double simulated = dv_node_time(dv_scene_root(run->scene)) - start_time;
        printf("%" G_GUINT64_FORMAT " steps in %.3g s: %.5g steps/s, simulated time %.6g s, real-time factor %.4g\n",
               made, spent, spent > 0 ? (double)made / spent : 0.0, simulated, spent > 0 ? simulated / spent : 0.0);
    }
    if (options->real_time && !options->quiet)
        printf("%" G_GUINT64_FORMAT " steps ended late, %.3g s lost\n", pace.late, pace.lost);
    if (interrupted && result == EXIT_DONE)
        result = EXIT_INTERRUPTED;
    if (run->strict && result == EXIT_DONE)
        result = EXIT_FAULT;
    return result;
}

static int run_steps(const Options *options, const char *save_to)
{
    Run run = {.options = options,
               .steps = options->steps >= 0 ? (uint64_t)options->steps
                        : save_to           ? 0
                                            : DEFAULT_STEPS};
    if (options->dump_steps && !(run.wanted = parse_steps(options->dump_steps)))
        return EXIT_USAGE;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    if (options->verbose) {
        dv_log_set_level(DV_LEVEL_INFO);
        print_plugins();
    }
    if (options->strict)
        dv_log_set_handler(take_strictly, &run.strict);
    int result = EXIT_FAULT;
    if ((!options->dump || host_dump_open(&run.dump, options->dump)) &&
        (!options->dump_topology || host_dump_open(&run.topology, options->dump_topology)) &&
        (!options->contacts || host_dump_open(&run.contacts, options->contacts)) && (run.scene = host_load(options))) {
        if (options->verbose)
            print_objects(dv_scene_root(run.scene));
        if (!run.strict)
            result = make_steps(&run);
    }
    if (options->strict)
        dv_log_set_handler(NULL, NULL);
    if (run.strict)
        fprintf(stderr, "divan: --strict: %u warning%s that change%s results; `divan check` lists all at once\n",
                run.strict, run.strict == 1 ? "" : "s", run.strict == 1 ? "s" : "");
    if (save_to && result == EXIT_DONE && dv_scene_save(run.scene, save_to) != DV_OK)
        result = EXIT_FAULT;
    const bool states_written = host_dump_close(&run.dump), topologies_written = host_dump_close(&run.topology);
    const bool contacts_written = host_dump_close(&run.contacts);
    if (result == EXIT_DONE && !(states_written && topologies_written && contacts_written))
        result = EXIT_FAULT;
    if (run.states)
        g_ptr_array_unref(run.states);
    if (run.wanted)
        g_array_free(run.wanted, TRUE);
    dv_scene_free(run.scene);
    return result;
}

static int run(const Options *options)
{
    return run_steps(options, NULL);
}

static int save(const Options *options)
{
    return run_steps(options, options->second);
}

const Command command_run = {
    .name = "run",
    .arguments = "SCENE",
    .summary = "make steps and end with a summary",
    .description =
        "Makes 100 steps unless -n says otherwise. Ctrl-C ends the run after the present step, with its summary.\n"
        "A run whose state stops being finite says where, why and what to do, and saves the last good state.\n"
        "With --strict, a warning is an error when something of the scene is left out, replaced or doubtful.",
    .positional = 1,
    .options =
        "steps dt threads grain-divisor quiet hash dump dump-topology dump-steps contacts stats keep-going verbose strict real-time",
    .run = run,
};

const Command command_save = {
    .name = "save",
    .arguments = "SCENE OUT",
    .summary = "make steps (none without -n) and write the scene with its state",
    .description = "Loading OUT continues with identical states, bit for bit.",
    .positional = 2,
    .options = "steps dt threads grain-divisor quiet keep-going verbose strict",
    .run = save,
};
