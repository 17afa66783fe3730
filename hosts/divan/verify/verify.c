/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan verify: problems with known answers. Each run is a process of its own, so that one which crashes takes no other with it.
 */
#include "report.h"

#include "host.h"

#include <divan/output.h>

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which problems ---- */

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void free_problem(gpointer problem)
{
    problem_free(problem);
}

static void free_case(gpointer c)
{
    case_free(c);
}

static bool add_problem(GPtrArray *problems, const char *file)
{
    Problem *problem = problem_read(file);
    if (problem)
        g_ptr_array_add(problems, problem);
    return problem != NULL;
}

/* Every *.problem of a folder, by name. */
static bool add_folder(GPtrArray *problems, const char *folder)
{
    GError *error = NULL;
    GDir *dir = g_dir_open(folder, 0, &error);
    if (!dir) {
        fprintf(stderr, "divan: %s\n", error->message);
        g_error_free(error);
        return false;
    }
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".problem"))
            g_ptr_array_add(files, g_build_filename(folder, name, NULL));
    g_dir_close(dir);
    g_ptr_array_sort(files, by_name);
    bool good = files->len > 0;
    if (!good)
        fprintf(stderr, "divan: %s: no file there ends in .problem\n", folder);
    for (guint i = 0; i < files->len; i++)
        good = add_problem(problems, g_ptr_array_index(files, i)) && good;
    g_ptr_array_unref(files);
    return good;
}

/* Files and folders among the arguments; without any, what is installed. */
static bool read_problems(GPtrArray *problems, char *const *arguments)
{
    bool good = true, named = false;
    for (; *arguments; arguments++) {
        const bool folder = g_file_test(*arguments, G_FILE_TEST_IS_DIR),
                   file = g_str_has_suffix(*arguments, ".problem");
        named = named || folder || file;
        if (folder || file)
            good = (folder ? add_folder : add_problem)(problems, *arguments) && good;
    }
    if (named)
        return good;
    char *folder = host_data_folder("problems");
    good = add_folder(problems, folder);
    g_free(folder);
    return good;
}

/* Whether a case is asked for: "beam" means all cases of beam, "beam/large" one. */
static bool is_requested(const Case *c, const char *argument)
{
    const size_t length = strlen(argument);
    return strcmp(c->problem->name, argument) == 0 || (strncmp(c->name, argument, length) == 0 && !c->name[length]);
}

static bool is_place(const char *argument)
{
    return g_str_has_suffix(argument, ".problem") || g_file_test(argument, G_FILE_TEST_IS_DIR);
}

static void unknown_name(const GPtrArray *problems, const char *argument)
{
    const char **names = g_new0(const char *, problems->len + 1);
    for (guint i = 0; i < problems->len; i++)
        names[i] = ((const Problem *)g_ptr_array_index(problems, i))->name;
    const char *closest = dv_closest(argument, names, problems->len);
    fprintf(stderr, "divan: no problem '%s'", argument);
    if (closest)
        fprintf(stderr, "; did you mean '%s'?", closest);
    fputs(" (`divan verify --list` names all)\n", stderr);
    g_free(names);
}

/* The cases that the arguments name; all when they name none. NULL: one of them is not there, reported. */
static GPtrArray *choose_cases(const GPtrArray *problems, char *const *arguments, bool quick)
{
    GPtrArray *cases = g_ptr_array_new_with_free_func(free_case);
    bool *met = g_new0(bool, g_strv_length((char **)arguments) + 1);
    bool any_name = false;
    for (guint a = 0; arguments[a]; a++)
        any_name = any_name || !is_place(arguments[a]);
    for (guint p = 0; p < problems->len; p++) {
        const Problem *problem = g_ptr_array_index(problems, p);
        const guint sections = problem_count(problem, "case"), runs = quick ? problem->quick : problem->runs;
        for (guint s = 0; s < MAX(sections, 1); s++) {
            Case *c = case_new(problem, problem_nth(problem, "case", s), runs);
            bool wanted = !any_name;
            for (guint a = 0; arguments[a]; a++)
                if (!is_place(arguments[a]) && is_requested(c, arguments[a]))
                    wanted = met[a] = true;
            if (wanted && runs)
                g_ptr_array_add(cases, c);
            else
                case_free(c);
        }
    }
    bool good = true;
    for (guint a = 0; arguments[a]; a++)
        if (!is_place(arguments[a]) && !met[a]) {
            unknown_name(problems, arguments[a]);
            good = false;
        }
    g_free(met);
    if (good)
        return cases;
    g_ptr_array_unref(cases);
    return NULL;
}

/* ---- running ---- */

typedef struct Job {
    Case *c;
    guint run;
    pid_t process;
    FILE *file; /* what the process writes */
} Job;

/* Finer runs take longer, so they begin first. */
static int finest_first(const void *a, const void *b)
{
    const Job *x = a, *y = b;
    return x->run > y->run ? -1 : x->run < y->run;
}

/* In a process of its own: the page is that of its parent, with which it ends. */
static void let_signals_end(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)signal(numbers[i], SIG_DFL);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static bool start_job(Job *job)
{
    fflush(NULL);
    job->file = tmpfile();
    job->process = job->file ? fork() : -1;
    if (job->process == 0) {
        let_signals_end();
        Outcome outcome;
        Run run = case_run(job->c, job->run);
        outcome_init(&outcome);
        watch_run(&run, &outcome);
        outcome_write(&outcome, job->file);
        outcome_clear(&outcome);
        _exit(fflush(job->file) == 0 ? 0 : 1);
    }
    if (job->process < 0)
        fprintf(stderr, "divan: cannot start a process: %s\n", g_strerror(errno));
    return job->process > 0;
}

static void end_job(Job *job, int status)
{
    Outcome *outcome = &job->c->outcomes[job->run];
    rewind(job->file);
    if (!outcome_read(outcome, job->file))
        outcome->good = false;
    if (WIFSIGNALED(status)) {
        outcome->good = false;
        g_string_append_printf(outcome->messages, "error: the run ended by signal %d (%s)\n", WTERMSIG(status),
                               g_strsignal(WTERMSIG(status)));
    } else if (!outcome->good && !outcome->messages->len) {
        g_string_append(outcome->messages, "error: the run did not end\n");
    }
    fclose(job->file);
}

/* Makes all runs, `at_once` at a time. */
static bool make_runs(const GPtrArray *cases, guint at_once)
{
    GArray *jobs = g_array_new(FALSE, TRUE, sizeof(Job));
    for (guint i = 0; i < cases->len; i++) {
        Case *c = g_ptr_array_index(cases, i);
        for (guint run = 0; run < c->runs; run++)
            g_array_append_vals(jobs, &(Job){.c = c, .run = run}, 1);
    }
    g_array_sort(jobs, finest_first);
    guint started = 0, running = 0;
    bool good = true;
    while (running || (good && started < jobs->len)) {
        if (good && started < jobs->len && running < at_once) {
            good = start_job(&g_array_index(jobs, Job, started));
            running += good;
            started += good;
            continue;
        }
        int status;
        const pid_t process = waitpid(-1, &status, 0);
        for (guint i = 0; i < started; i++) {
            Job *job = &g_array_index(jobs, Job, i);
            if (job->process != process)
                continue;
            end_job(job, status);
            job->process = 0;
            running--;
        }
    }
    g_array_free(jobs, TRUE);
    return good;
}

static bool write_scene(const char *file, const char *text)
{
    DvText why = {0};
    const bool written = dv_output_write(file, NULL, text, strlen(text), &why) == DV_OK;
    if (!written)
        fprintf(stderr, "divan: %s: %s\n", file, why.at);
    dv_text_free(&why);
    return written;
}

/* --scenes: each run's scene as a file that `divan run` takes. */
static bool write_scenes(const GPtrArray *cases, const char *folder)
{
    bool good = g_mkdir_with_parents(folder, 0777) == 0;
    if (!good)
        fprintf(stderr, "divan: %s: %s\n", folder, g_strerror(errno));
    for (guint i = 0; good && i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        for (guint number = 0; good && number < c->runs; number++) {
            Run run = case_run(c, number);
            char *text = run_fill(&run, c->problem->scene, 1);
            char *name = g_strdup_printf("%s-%u.scn", c->name, number + 1);
            char *file = g_build_filename(folder, g_strdelimit(name, "/", '-'), NULL);
            good = text && write_scene(file, g_strchug(text));
            g_free(file);
            g_free(name);
            g_free(text);
        }
    }
    return good;
}

static bool judge(const GPtrArray *cases)
{
    bool good = true;
    for (guint i = 0; i < cases->len; i++) {
        Case *c = g_ptr_array_index(cases, i);
        case_judge(c);
        good = good && c->good;
    }
    return good;
}

/* The page is opened first: a name that cannot be written is told before anything is computed. */
static int compute(const GPtrArray *cases, const Options *options)
{
    Dump page = {0};
    if (options->html && !host_dump_open(&page, options->html, NULL))
        return EXIT_FAULT;
    const bool made = make_runs(cases, options->jobs > 0 ? (guint)options->jobs : g_get_num_processors());
    const bool good = made && judge(cases);
    if (made)
        (options->markdown ? report_markdown : report_table)(cases, stdout);
    if (made && page.file)
        report_html(cases, page.file);
    const bool written = host_dump_close(&page, made);
    return good && written ? EXIT_DONE : EXIT_FAULT;
}

static int verify(const Options *options)
{
    GPtrArray *problems = g_ptr_array_new_with_free_func(free_problem), *cases = NULL;
    int result = EXIT_FAULT;
    if (read_problems(problems, options->rest) && !(cases = choose_cases(problems, options->rest, options->quick)))
        result = EXIT_USAGE;
    if (cases && options->list) {
        report_list(cases, stdout);
        result = EXIT_DONE;
    } else if (cases && options->scenes) {
        result = write_scenes(cases, options->scenes) ? EXIT_DONE : EXIT_FAULT;
    } else if (cases) {
        result = compute(cases, options);
    }
    if (cases)
        g_ptr_array_unref(cases);
    g_ptr_array_unref(problems);
    return result;
}

const Command command_verify = {
    .name = "verify",
    .arguments = "[PROBLEM]...",
    .summary = "compute problems with known answers, and compare",
    .description =
        "PROBLEM is a name (`beam`), one case of it (`beam/large`), a file NAME.problem, or a folder of such files; without a\n"
        "file or folder the problems are those that come with the program, without a name all of them are computed.\n"
        "The exit status is 1 if a figure leaves its bound, or one that is known to leave it no longer does.",
    .positional = ANY_NUMBER,
    .options = "list quick jobs html markdown scenes write-anywhere",
    .run = verify,
};
