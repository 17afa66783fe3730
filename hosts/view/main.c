/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * divan-view: a window on a scene. The command line, and what all files of the window share.
 */
#include "view.h"

#include "target.h"

#include <SDL_events.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <divan/embed.h>
#include <divan/parallel.h>
#include <divan/registry.h>

enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 }; /* as of divan */

void view_await_focus(View *view)
{
    enum { FRAMES = 6 }; /* Dear ImGui takes four at most */
    view->focusing = FRAMES;
    view->frames = MAX(view->frames, FRAMES);
}

void view_focus_next(View *view, bool *wanted)
{
    if (!*wanted)
        return;
    ui_focus_next();
    *wanted = false;
    view_await_focus(view);
}

void view_post(View *view, MessageKind kind, const char *path, const char *text)
{
    if (kind == MESSAGE_EDIT) {
        g_free(view->changed);
        view->changed = g_strdup(path);
    }
    session_post(view->session, &(Message){.kind = kind, .path = path, .text = text});
}

void view_post_number(View *view, MessageKind kind, const char *path, double number)
{
    session_post(view->session, &(Message){.kind = kind, .path = path, .numbers = {number}});
}

void view_forget_errors(View *view)
{
    view->said_before = logbook_count(view->book);
    view->problems = view->errors = 0;
}

/* What is open stays rather than making room for nothing. */
static bool is_refused(View *view, const char *file)
{
    const bool is_folder = g_file_test(file, G_FILE_TEST_IS_DIR);
    if (!is_folder && g_file_test(file, G_FILE_TEST_EXISTS))
        return false;
    settings_forget_recent(view, file);
    if (view->now->has_scene)
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s; the scene that is open stays", file,
                    is_folder ? "this is a folder" : "there is no such file");
    return view->now->has_scene;
}

static void open(View *view, MessageKind kind, const char *file)
{
    if (is_refused(view, file))
        return;
    view_forget_errors(view);
    view_post(view, kind, NULL, file);
    view_select(view, "/");
}

void view_open(View *view, const char *file)
{
    open(view, g_str_has_suffix(file, ".session") ? MESSAGE_REPLAY : MESSAGE_OPEN, file);
}

void view_replay(View *view, const char *file)
{
    open(view, MESSAGE_REPLAY, file);
}

void view_select(View *view, const char *path)
{
    char *copy = g_strdup(path); /* it may be the selected path itself */
    view->reveals = strcmp(view->selected, copy) != 0;
    if (view->reveals)
        *view->filter = '\0';
    view->first_element = 0;
    view_post(view, MESSAGE_SELECT, copy, NULL);
    g_free(view->selected);
    view->selected = copy;
}

void view_toast(View *view, const char *format, ...)
{
    enum { SECONDS = 4 };
    va_list args;
    va_start(args, format);
    g_free(view->toast);
    view->toast = g_strdup_vprintf(format, args);
    va_end(args);
    view->toast_until = view_clock() + SECONDS;
}

static void begin(View *view)
{
    const ViewerOptions *options = &view->options;
    if (options->replay)
        view_replay(view, options->replay);
    else if (options->scene)
        view_open(view, options->scene);
    if (options->fast)
        view_post_number(view, MESSAGE_PACE, NULL, 0);
    if (options->record) /* which has been asked for: a recording may take the place of one */
        session_post(view->session, &(Message){.kind = MESSAGE_RECORD,
                                               .text = options->record,
                                               .numbers = {!target_fits(TARGET_RECORDING, options->record)}});
    for (int i = 0; i < options->steps; i++)
        view_post(view, MESSAGE_STEP, NULL, NULL);
    if (options->animate)
        view_post_number(view, MESSAGE_ANIMATE, NULL, 1);
}

static int run(View *view)
{
    view->book = logbook_new(true);
    dv_log_set_handler(logbook_take, view->book);
    view->session = session_new(view->book);
    view->now = session_settle(view->session);
    view->said = g_ptr_array_new();
    view->typed = g_array_new(FALSE, FALSE, sizeof(SDL_Event));
    view->folded = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    view->joined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    view->selected = g_strdup("");
    view->left = 360, view->bottom = 190, view->fields = 330;
    view->tab = -1;
    view->shows_log[DV_LEVEL_INFO] = view->shows_log[DV_LEVEL_WARNING] = view->shows_log[DV_LEVEL_ERROR] = true;
    settings_read(view);
    begin(view); /* while the scene is loaded, the window opens */
    if (window_open(view))
        window_run(view);
    else
        view->exit_status = EXIT_FAULT;
    window_close(view);
    snapshot_unref(view->now);
    session_free(view->session);
    dv_log_set_handler(NULL, NULL);
    logbook_free(view->book);
    settings_free(view);
    g_ptr_array_unref(view->said);
    g_array_unref(view->typed);
    g_free(view->pressed);
    g_hash_table_unref(view->folded);
    g_hash_table_unref(view->joined);
    g_free(view->selected);
    g_free(view->edit_id);
    g_free(view->changed);
    g_free(view->folder);
    g_free(view->refusal);
    g_free(view->asks);
    g_free(view->toast);
    return view->exit_status;
}

static gboolean read_size(const char *option, const char *text, gpointer data, GError **error)
{
    enum { LEAST = 240, MOST = 16384 };
    ViewerOptions *options = data;
    char **sides = g_strsplit(text, "x", 3);
    gint64 width = 0, height = 0;
    const bool good = g_strv_length(sides) == 2 && g_ascii_string_to_signed(sides[0], 10, LEAST, MOST, &width, NULL) &&
                      g_ascii_string_to_signed(sides[1], 10, LEAST, MOST, &height, NULL);
    g_strfreev(sides);
    options->width = (int)width;
    options->height = (int)height;
    options->sized = true;
    if (!good)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s %s: expected a size in pixels, as 1280x720",
                    option, text);
    return good;
}

static gboolean read_port(const char *option, const char *text, gpointer data, GError **error)
{
    enum { MOST = 65535 };
    ViewerOptions *options = data;
    gint64 port = 0;
    options->serves = g_ascii_string_to_signed(text, 10, 0, MOST, &port, NULL);
    options->port = (int)port;
    if (!options->serves)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s %s: expected a port, 1 to 65535, or 0 for any that is free", option, text);
    return options->serves;
}

static bool read_options(const GOptionEntry *entries, ViewerOptions *options, int *argc, char ***argv, GError **error)
{
    GOptionContext *context =
        g_option_context_new("[SCENE]\n\nShows a scene in a window: run it, pull it, look into it and change it.");
    GOptionGroup *group = g_option_group_new("view", "", "", options, NULL);
    g_option_group_add_entries(group, entries);
    g_option_context_set_main_group(context, group);
    const bool good = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    return good;
}

/* With the words of the command line, which have been read. */
static int start(View *view, unsigned threads, bool anywhere, const DvStartOptions *plugins)
{
    dv_parallel_set_threads(threads);
    const bool started = (!anywhere || dv_set_output_folder("/") == DV_OK) && dv_start(plugins) == DV_OK;
    const int result = started ? run(view) : EXIT_FAULT;
    dv_stop();
    return result;
}

int main(int argc, char **argv)
{
    View view = {.options = {.width = 1280, .height = 800}};
    ViewerOptions *options = &view.options;
    char *plugin_set = NULL, *address = NULL, **plugins = NULL;
    int threads = 1;
    gboolean anywhere = FALSE;
    const GOptionEntry entries[] = {
        {"start", 'a', 0, G_OPTION_ARG_NONE, &options->animate, "Run at once", NULL},
        {"fast", 0, 0, G_OPTION_ARG_NONE, &options->fast, "Make steps as fast as possible, not in real time", NULL},
        {"steps", 'n', 0, G_OPTION_ARG_INT, &options->steps, "Make this many steps first", "STEPS"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &threads, "Number of threads (0: one per core; default 1)", "N"},
        {"size", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_size, "Size of the window", "WxH"},
        {"serve", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)read_port,
         "Show the window in a browser at this port (0: a free one)", "PORT"},
        {"address", 0, 0, G_OPTION_ARG_STRING, &address, "Address for --serve (default: 127.0.0.1, this machine alone)",
         "ADDRESS"},
        {"record", 0, 0, G_OPTION_ARG_FILENAME, &options->record, "Record all changes of the scene", "FILE"},
        {"replay", 0, 0, G_OPTION_ARG_FILENAME, &options->replay, "Replay a recording, and compare the states", "FILE"},
        {"screenshot", 0, 0, G_OPTION_ARG_FILENAME, &options->screenshot,
         "Save a picture of the window after --steps, and end", "FILE"},
        {"write-anywhere", 0, 0, G_OPTION_ARG_NONE, &anywhere,
         "Let the scene write files outside of the current folder too", NULL},
        {"plugin-set", 0, 0, G_OPTION_ARG_STRING, &plugin_set, "Load this set of plugins.conf instead of [default]",
         "NAME"},
        {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins, "Load another library; may be repeated", "FILE"},
        {0},
    };
    setlocale(LC_CTYPE, "");
    (void)signal(SIGPIPE, SIG_IGN); /* ffmpeg may go */
    GError *error = NULL;
    int result = EXIT_USAGE;
    if (!read_options(entries, options, &argc, &argv, &error))
        fprintf(stderr, "divan-view: %s; see `divan-view --help`\n", error->message);
    else if (argc > 2)
        fprintf(stderr, "divan-view: '%s' is a second scene after '%s'; one at a time\n", argv[2], argv[1]);
    else if (address && !options->serves)
        fprintf(stderr, "divan-view: --address says where --serve listens; add --serve PORT\n");
    else if (options->serves && !DIVAN_VIEW_SERVES)
        fprintf(stderr,
                "divan-view: --serve: this divan-view was built without libwebsockets (on Debian: apt-get install "
                "libwebsockets-dev, then build again)\n");
    else if (threads < 0 || threads > 1024 || options->steps < 0)
        fprintf(stderr, "divan-view: --threads takes 0 to 1024, --steps 0 or more\n");
    else {
        options->scene = argc > 1 ? argv[1] : NULL;
        options->address = address ? address : "127.0.0.1";
        result = start(&view, (unsigned)threads, anywhere,
                       &(const DvStartOptions){.plugin_set = plugin_set, .plugins = (const char *const *)plugins});
    }
    g_clear_error(&error);
    g_free(plugin_set);
    g_free(address);
    g_strfreev(plugins);
    return result;
}
