/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan run, divan save: makes steps; dumps, hashes or saves what came out.
 */
#include "host.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_STEPS = 100 };

static volatile sig_atomic_t interrupted; /* by the signal of this number; 0: not yet */

static void on_signal(int number)
{
    interrupted = number;
}

/* What would end the program ends the run after the present step, with all files whole. A second one ends the program at once, since a
 * step may be long; a reader who has gone (SIGPIPE) says so with each line. What is ignored (nohup) stays ignored. */
static void take_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction old;
        const struct sigaction taken = {.sa_handler = on_signal,
                                        .sa_flags = SA_RESTART | (numbers[i] == SIGPIPE ? 0 : (int)SA_RESETHAND)};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &taken, NULL);
    }
}

/* Once all files are whole, a reader of standard output who has gone ends the program, as it does others. */
static void give_pipe_back(void)
{
    struct sigaction now;
    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == on_signal)
        (void)signal(SIGPIPE, SIG_DFL);
}

static bool read_step(const char *word, guint64 *step)
{
    return g_ascii_string_to_unsigned(word, 10, 0, G_MAXUINT64, step, NULL);
}

/* "10", "0:200" or "0:200:10": first, last and the way from one to the next; the last of a run where none is named. */
static bool read_range(const char *word, uint64_t made, guint64 range[3])
{
    char **part = g_strsplit(word, ":", -1);
    const guint count = g_strv_length(part);
    range[2] = 1;
    bool good = count >= 1 && count <= 3 && read_step(part[0], &range[0]);
    range[1] = range[0];
    if (good && count > 1) {
        range[1] = made;
        good = !*part[1] || read_step(part[1], &range[1]);
    }
    if (good && count > 2)
        good = read_step(part[2], &range[2]) && range[2] > 0;
    g_strfreev(part);
    return good && range[0] <= range[1];
}

/* Ascending step numbers of "0,1,10" or "0:200:10", of a run of `made` steps; NULL and a message when the list is not one. */
static GArray *parse_steps(const char *list, uint64_t made)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    char **words = g_strsplit(list, ",", -1);
    guint64 beyond = 0, range[3];
    bool good = *words != NULL;
    for (char **word = words; good && *word && !beyond; word++) {
        good = read_range(*word, made, range) &&
               (!steps->len || range[0] > g_array_index(steps, uint64_t, steps->len - 1));
        beyond = good && range[1] > made ? range[1] : 0;
        for (uint64_t step = range[0]; good && !beyond && step <= range[1] && step >= range[0]; step += range[2])
            g_array_append_val(steps, step);
    }
    if (!good)
        fprintf(stderr,
                "divan: --dump-steps %s: expected ascending step numbers with commas between, as 0,1,10, or "
                "FIRST:LAST:EVERY, as 0:200:10\n",
                list);
    else if (beyond)
        fprintf(stderr,
                "divan: --dump-steps %s: there is no step %" G_GUINT64_FORMAT " in a run of %" G_GUINT64_FORMAT
                " steps; -n says how many\n",
                list, beyond, made);
    g_strfreev(words);
    if (!good || beyond)
        g_clear_pointer(&steps, g_array_unref);
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
    uint64_t revision;          /* of the graph the states were listed from */
    GArray *wanted;             /* steps to dump; NULL: first and last, topologies all */
    uint64_t steps;             /* to make */
    uint64_t steps_before;      /* a restart has behind it */
    unsigned strict;            /* warnings that --strict took for errors */
    unsigned strict_of_loading; /* those that came before the first step, which `divan check` lists too */
    Dump dump, topology, contacts, table, ticks;
    Record *record;               /* into the table; NULL: nothing */
    Verification *verification;   /* NULL: none is asked for */
    guint next_wanted;            /* the first of them that is not behind */
    bool dumped, topology_dumped; /* after the present step */
    Export *export;               /* NULL: not asked for */
    Input *input;                 /* NULL: not asked for */
    bool input_is_lost;           /* a line could not be done */
    bool export_is_lost;
    FILE *report; /* where the summary goes */
} Run;

/* Steps are asked about in their order. */
static bool is_wanted(Run *run, uint64_t step)
{
    while (run->wanted && run->next_wanted < run->wanted->len &&
           g_array_index(run->wanted, uint64_t, run->next_wanted) < step)
        run->next_wanted++;
    return run->wanted && run->next_wanted < run->wanted->len &&
           g_array_index(run->wanted, uint64_t, run->next_wanted) == step;
}

static void list_states(Run *run)
{
    const DvNode *root = dv_scene_root(run->scene);
    if (run->states && run->revision == dv_node_revision(root))
        return;
    if (run->states)
        g_ptr_array_unref(run->states);
    run->states = host_states(run->scene);
    run->revision = dv_node_revision(root);
}

static void dump_states(Run *run, uint64_t step)
{
    if (run->dump.file && !run->dumped)
        host_dump_states(&run->dump, run->states, step, dv_node_time(dv_scene_root(run->scene)));
    run->dumped = true;
}

static void dump_topologies(Run *run, uint64_t step)
{
    if (run->topology.file && !run->topology_dumped)
        host_dump_topologies(&run->topology, run->scene, step, dv_node_time(dv_scene_root(run->scene)));
    run->topology_dumped = true;
}

/* After a step (0: after initialisation). */
static void observe(Run *run, uint64_t step)
{
    run->dumped = run->topology_dumped = false;
    list_states(run);
    if (run->options->hash)
        printf("%" G_GUINT64_FORMAT " %016" G_GINT64_MODIFIER "x\n", step, host_hash(run->states));
    if (run->wanted ? is_wanted(run, step) : step == 0 || step == run->steps)
        dump_states(run, step);
    if (!run->wanted || is_wanted(run, step))
        dump_topologies(run, step);
    if (run->contacts.file)
        host_dump_contacts(&run->contacts, run->scene, step);
    if (run->record && step % (uint64_t)run->options->record_every == 0)
        host_record_row(run->record, run->table.file, step, dv_node_time(dv_scene_root(run->scene)));
    run->export_is_lost = run->export_is_lost || !host_export_frame(run->export, run->scene, step, false);
    if (run->options->stats && step > 0)
        host_print_stats(run->scene, step);
}

/* What is lost will not come back: the run need not go on. */
static bool output_is_lost(const Run *run)
{
    FILE *const files[] = {run->dump.file, run->topology.file, run->contacts.file, run->table.file, run->ticks.file};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (files[i] && ferror(files[i]))
            return true;
    return ferror(stdout) != 0 || run->export_is_lost;
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

/* `spent`: in steps, of `passed` seconds in all; `simulated`: by them. */
static void report_speed(const Run *run, uint64_t made, double spent, double passed, double simulated)
{
    if (run->options->real_time)
        fprintf(run->report,
                "%" G_GUINT64_FORMAT " steps in %.3g s, %.3g s of them computing; simulated time %.6g s, real-time "
                "factor %.4g\n",
                made, passed, spent, simulated, passed > 0 ? simulated / passed : 0.0);
    else
        fprintf(run->report,
                "%" G_GUINT64_FORMAT " steps in %.3g s: %.5g steps/s, simulated time %.6g s, real-time factor %.4g\n",
                made, spent, spent > 0 ? (double)made / spent : 0.0, simulated, spent > 0 ? simulated / spent : 0.0);
}

static void say_step(const Run *run, uint64_t made, double spent)
{
    fprintf(stderr, "info: step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", time %.6g s, %.5g steps/s\n", made,
            run->steps, dv_node_time(dv_scene_root(run->scene)), spent > 0 ? (double)made / spent : 0.0);
}

/* What comes after `made` steps of this run. */
static bool take_input(Run *run, uint64_t made)
{
    FILE *report = run->options->quiet ? NULL : run->report;
    run->input_is_lost =
        run->input && !host_input_apply(run->input, run->scene, run->steps_before + made, made == run->steps, report);
    return !run->input_is_lost;
}

/* Of a scene that has been loaded, before a restart. */
static bool begin_input(Run *run)
{
    const Options *options = run->options;
    if (!options->input)
        return true;
    run->input = host_input_read(options->input);
    return run->input && host_input_fits(run->input, run->scene);
}

/* What a run that did not fail leaves; false: a file could not be written. */
static bool write_end(Run *run, uint64_t made)
{
    bool good = host_checkpoint(run->options, run->scene, made, true);
    good = host_export_frame(run->export, run->scene, made, true) && good;
    if (made < run->steps) { /* the state that it has come to is one to go on from */
        dump_states(run, made);
        dump_topologies(run, made);
    }
    return good;
}

static int make_steps(Run *run)
{
    const Options *options = run->options;
    const bool progress = !options->quiet && !options->verbose && isatty(STDERR_FILENO);
    const double start_time = dv_node_time(dv_scene_root(run->scene));
    const uint64_t tenth = MAX(run->steps / 10, 1);
    const double start = host_now();
    Pace pace = {.due = start};
    double spent = 0, shown = 0; /* s: in steps; when progress was shown */
    uint64_t made = 0;
    int result = EXIT_DONE;
    bool good = true; /* all checkpoints could be written */
    LastGood *last_good = host_last_good_new(run->scene, options->dt > 0 ? options->dt : 0);
    observe(run, 0);
    while (!interrupted && !run->strict && !output_is_lost(run) && take_input(run, made) && made < run->steps) {
        const double before = dv_node_time(dv_scene_root(run->scene)), begin = host_now();
        const DvStatus status = dv_scene_step(run->scene, options->dt > 0 ? options->dt : 0);
        const double end = host_now();
        spent += end - begin;
        if (status != DV_OK) {
            result = host_step_failed(run->scene, options, last_good, status);
            if (options->strict)
                dv_log_set_handler(take_strictly, &run->strict);
            break;
        }
        made++;
        host_last_good_follow(last_good, end);
        observe(run, made);
        good = host_checkpoint(options, run->scene, made, false) && good;
        if (options->verbose && (made % tenth == 0 || made == run->steps))
            say_step(run, made, spent);
        if (options->real_time)
            keep_pace(&pace, made, dv_node_time(dv_scene_root(run->scene)) - before, host_now());
        if (progress && (end - shown > 0.1 || made == run->steps)) {
            show_progress(made, run->steps, spent);
            shown = end;
        }
    }
    host_last_good_free(last_good);
    if (progress)
        fputc('\n', stderr);
    if (result == EXIT_DONE)
        good = write_end(run, made) && good;
    host_report_solves(run->scene, options->stats ? stdout : NULL);
    if (options->stats)
        host_print_device_use(run->scene);
    if (!options->quiet)
        report_speed(run, made, spent, host_now() - start, dv_node_time(dv_scene_root(run->scene)) - start_time);
    host_haptics_end(options, run->scene, dv_node_time(dv_scene_root(run->scene)) - start_time, spent, run->report);
    if (run->verification)
        host_verification_print(run->verification, run->report);
    if (options->real_time && !options->quiet)
        fprintf(run->report, "%" G_GUINT64_FORMAT " steps ended late, %.3g s lost\n", pace.late, pace.lost);
    if (result == EXIT_DONE && (!good || run->strict || run->input_is_lost || (output_is_lost(run) && !interrupted)))
        result = EXIT_FAULT;
    if (result == EXIT_DONE && interrupted)
        result = EXIT_BY_SIGNAL + interrupted;
    return result;
}

/* Where what is recorded goes. */
static const char *table_of(const Options *options)
{
    return options->record_file ? options->record_file : "-";
}

/* Whether what the command line says of outputs makes sense. */
static bool check_outputs(Run *run, const char *save_to)
{
    const Options *options = run->options;
    const bool dumps = options->dump || options->dump_topology, prints = options->hash || options->stats;
    const char *table = options->record ? table_of(options) : NULL;
    const char *names[] = {options->dump, options->dump_topology, options->contacts, save_to,
                           table,         options->haptics_log};
    run->report = stdout;
    if (!host_checkpoint_is_right(options) || !host_export_is_right(options))
        return false;
    if ((options->record_file || options->record_every) && !options->record) {
        fprintf(stderr, "divan: --record-%s: of what? give --record 'tip=/Bar/state.position[17]'\n",
                options->record_file ? "file" : "every");
        return false;
    }
    if (options->dump_steps && !dumps) {
        fprintf(stderr, "divan: --dump-steps %s: of what? give --dump FILE or --dump-topology FILE\n",
                options->dump_steps);
        return false;
    }
    if (options->dump_steps && !(run->wanted = parse_steps(options->dump_steps, run->steps)))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (!host_is_standard_output(names[i]))
            continue;
        if (prints) {
            fprintf(stderr, "divan: %s: the output '%s' has standard output; give that a file\n",
                    options->hash ? "--hash" : "--stats", names[i]);
            return false;
        }
        run->report = stderr;
    }
    return true;
}

static bool open_dumps(Run *run)
{
    const Options *options = run->options;
    return (!options->dump || host_dump_open(&run->dump, options->dump, NULL)) &&
           (!options->dump_topology || host_dump_open(&run->topology, options->dump_topology, NULL)) &&
           (!options->contacts || host_dump_open(&run->contacts, options->contacts, NULL)) &&
           (!options->record || host_dump_open(&run->table, table_of(options), NULL)) &&
           (!options->haptics_log || host_dump_open(&run->ticks, options->haptics_log, NULL));
}

/* That a scene cannot be saved is better said before the steps than after them. Streams show it later. */
static bool may_save(DvScene *scene, const char *name)
{
    Dump trial = {0};
    DvText none = {0};
    GStatBuf found;
    const bool is_there = g_stat(name, &found) == 0;
    if (host_is_standard_output(name) || (is_there && (S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode))))
        return true;
    const bool good =
        host_dump_open(&trial, name, scene) && dv_output_close(trial.file, DV_OUTPUT_NONE, &none) == DV_OK;
    dv_text_free(&none);
    return good;
}

static int run_scene(Run *run, const char *save_to)
{
    if (!open_dumps(run) || !host_restart_can_be_read(run->options))
        return EXIT_FAULT;
    run->scene =
        run->options->verification ? host_load_to_verify(run->options, &run->verification) : host_load(run->options);
    run->strict_of_loading = run->strict;
    if (!run->scene)
        return EXIT_FAULT;
    if (run->options->verbose)
        print_objects(dv_scene_root(run->scene));
    if (run->strict || !host_dump_may_stay(&run->dump, run->scene) || !host_dump_may_stay(&run->topology, run->scene) ||
        !host_dump_may_stay(&run->contacts, run->scene) || !host_dump_may_stay(&run->table, run->scene) ||
        !host_dump_may_stay(&run->ticks, run->scene) ||
        !host_haptics_begin(run->options, run->scene, run->ticks.file) || (save_to && !may_save(run->scene, save_to)) ||
        !begin_input(run) || !host_restart(run->options, run->scene) || run->strict ||
        !host_checkpoint_may_be_written(run->options, run->scene) ||
        !host_export_begin(&run->export, run->options, run->scene))
        return EXIT_FAULT;
    if (run->options->record) {
        run->record = host_record_new(run->scene, run->options->record);
        if (!run->record)
            return EXIT_FAULT;
        host_record_head(run->record, run->table.file);
    }
    if (run->options->restart)
        run->steps_before = dv_scene_steps(run->scene);
    if (run->input)
        host_input_skip(run->input, run->steps_before);
    int result = make_steps(run);
    if (save_to && (result == EXIT_DONE || interrupted) && result != EXIT_NO_STATE) {
        if (dv_scene_save(run->scene, save_to) != DV_OK)
            result = EXIT_FAULT;
        else if (interrupted)
            fprintf(stderr, "divan: interrupted; %s has the state after step %" G_GUINT64_FORMAT "\n", save_to,
                    dv_scene_steps(run->scene));
    }
    return result;
}

static int run_steps(const Options *given, const char *save_to)
{
    Options asked = *given;
    const Options *options = &asked;
    Run run = {.options = options,
               .steps = options->steps >= 0 ? (uint64_t)options->steps
                        : save_to           ? 0
                                            : DEFAULT_STEPS};
    if (!check_outputs(&run, save_to))
        return EXIT_USAGE;
    asked.record_every = asked.record_every ? asked.record_every : 1;
    take_signals();
    if (options->verbose) {
        dv_log_set_level(DV_LEVEL_INFO);
        print_plugins();
    }
    if (options->strict)
        dv_log_set_handler(take_strictly, &run.strict);
    int result = run_scene(&run, save_to);
    if (options->strict)
        dv_log_set_handler(NULL, NULL);
    if (run.strict)
        fprintf(stderr, "divan: --strict: %u warning%s that change%s results%s\n", run.strict,
                run.strict == 1 ? "" : "s", run.strict == 1 ? "s" : "",
                run.strict_of_loading ? "; `divan check` lists all at once" : "");
    const bool good = result == EXIT_DONE || result > EXIT_BY_SIGNAL;
    Dump *const dumps[] = {&run.dump, &run.topology, &run.contacts, &run.table, &run.ticks};
    for (size_t i = 0; i < G_N_ELEMENTS(dumps); i++)
        if (!host_dump_close(dumps[i], good) && result == EXIT_DONE)
            result = EXIT_FAULT;
    if (!host_export_end(run.export) && result == EXIT_DONE)
        result = EXIT_FAULT;
    host_record_free(run.record);
    host_input_free(run.input);
    host_verification_free(run.verification);
    give_pipe_back();
    if (run.states)
        g_ptr_array_unref(run.states);
    if (run.wanted)
        g_array_free(run.wanted, TRUE);
    return host_end(run.scene, result);
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
        "Makes 100 steps unless -n says otherwise. Ctrl-C ends the run after the present step, with its summary and the\n"
        "last frame of its dumps; a second Ctrl-C ends it at once. An old file is replaced only by a complete one.\n"
        "`-` is standard output.\n"
        "If a state stops being finite, or becomes implausibly large (growthLimit of the animation loop), the run ends:\n"
        "it says where, why and what to do, and saves the last good state.\n"
        "A run with --checkpoint can be continued with --restart, bit for bit, whatever ended it; -n counts from there.\n"
        "Solvers that did not reach their tolerance say so at the end: how often, the worst error and its step.\n"
        "With --strict, a warning that changes results is an error: a part of the scene is left out, replaced or\n"
        "doubtful.",
    .positional = 1,
    .options =
        "steps dt threads device no-gpu host-copy grain-divisor quiet hash dump dump-topology dump-steps contacts record record-file record-every haptics haptics-log haptic-device input stats checkpoint every restart verification export fields compress keep-going verbose strict real-time write-anywhere",
    .run = run,
};

const Command command_save = {
    .name = "save",
    .arguments = "SCENE OUT",
    .summary = "make steps (none without -n) and write the scene with its state",
    .description = "Loading OUT continues with identical states, bit for bit.",
    .positional = 2,
    .options = "steps dt threads device no-gpu host-copy grain-divisor quiet keep-going verbose strict write-anywhere",
    .run = save,
};
