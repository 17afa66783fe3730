/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A transcript of a session: what is posted, line by line as golden/NAME.script has it, and after each line what is new in the snapshot
 * and in the log, as golden/NAME.session has it. Numbers have six digits, times and hashes none. Where they differ, NAME.session is
 * written to the working folder: to be looked at, and kept if it is what is meant.
 *
 * Lines are those of recordings (edit, grab, drag...), and: open SCENE, close, reload, save FILE, step COUNT, pace 0|1, select PATH FIRST,
 * show FLAG ON, animate 0|1, phases 0|1, plot PATH ELEMENT, unplot PATH ELEMENT, export FILE, record FILE, record-end, replay FILE (which waits for
 * its end), cat FILE. SCENE lies beside the script, FILE in a folder of the run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <divan/divan.h>
#include <glib/gstdio.h>

#include "session.h"

enum { PATIENCE = 60000000 }; /* us that a line may take */

static char *folder;  /* of this run */
static char *scripts; /* where they lie */

typedef struct Script {
    Logbook *book;
    Session *session;
    size_t said;
    char *before; /* the snapshot as it was printed last */
    GString *out;
} Script;

/* What a snapshot says, a line for each thing. */

static void add_numbers(GString *out, const char *name, const double *at, size_t count)
{
    g_string_append_printf(out, "%s", name);
    for (size_t i = 0; i < count; i++)
        g_string_append_printf(out, " %.6g", fabs(at[i]) < 1e-9 ? 0.0 : at[i]);
    g_string_append_c(out, '\n');
}

static void print_settings(const SceneSettings *settings, GString *out)
{
    const DvViewerLook *look = &settings->look;
    if (look->width)
        g_string_append_printf(out, "look %d x %d%s%s marks %d%d%d%d%d%d size %g\n", look->width, look->height,
                               look->fullscreen ? " fullscreen" : "", look->orthographic ? " parallel" : "",
                               look->marks_node_box, look->marks_box, look->marks_positions, look->marks_surfaces,
                               look->marks_volumes, look->marks_indices, look->mark_size);
    for (int i = 0; i < 3; i++)
        if (settings->binds[i])
            g_string_append_printf(out, "button %d does %d stiffness %g arrow %g %g\n", i,
                                   (int)settings->bindings[i].action, settings->bindings[i].stiffness,
                                   settings->bindings[i].arrow_size, settings->bindings[i].arrow_scale);
}

static void print_plots(const GPtrArray *plots, GString *out)
{
    for (guint i = 0; i < plots->len; i++) {
        const PlotView *plot = g_ptr_array_index(plots, i);
        g_string_append_printf(out, "plot %s [%u] %s: %u curves, %u samples", plot->path, plot->element,
                               plot->unit ? plot->unit : "-", plot->curves, plot->count);
        for (uint32_t k = 0; plot->count && k < plot->curves; k++)
            g_string_append_printf(out, ", %.5g to %.5g", (double)plot->values[k][0],
                                   (double)plot->values[k][plot->count - 1]);
        if (plot->count)
            g_string_append_printf(out, ", at %.5g", (double)plot->times[plot->count - 1]);
        g_string_append_c(out, '\n');
    }
}

static void print_object(const ObjectView *object, GString *out)
{
    g_string_append_printf(out, "object %s '%s' %s%s%s, %s of %s%s%s%s%s%s%s\n", object->path, object->name,
                           object->type, object->variant ? " " : "", object->variant ? object->variant : "",
                           object->family ? object->family : "-", object->plugin ? object->plugin : "-",
                           object->place ? " at " : "", object->place ? object->place : "",
                           object->is_node ? " node" : "", object->is_valid ? "" : " not in use",
                           object->is_active ? "" : " not active", object->is_transient ? " transient" : "");
}

static void print_snapshot(const Snapshot *snapshot, GString *out)
{
    g_string_append_printf(out, "file %s, scene %llu%s%s%s%s%s\n", snapshot->file, (unsigned long long)snapshot->opened,
                           snapshot->has_scene ? "" : ", none", snapshot->animates ? ", animates" : "",
                           snapshot->real_time ? ", real time" : "", snapshot->failed ? ", failed" : "",
                           snapshot->hash ? ", hash" : "");
    if (!snapshot->has_scene)
        return;
    g_string_append_printf(out, "steps %llu, of the scene %llu\n", (unsigned long long)snapshot->steps,
                           (unsigned long long)snapshot->scene_steps);
    add_numbers(out, "time", &snapshot->time, 1);
    add_numbers(out, "dt", &snapshot->dt, 1);
    add_numbers(out, "gravity", snapshot->gravity, 3);
    add_numbers(out, "bounds", snapshot->box, 6);
    g_string_append_printf(out, "tree of %u, %u not in use\n", snapshot->tree->items->len, snapshot->tree->invalid);
    if (snapshot->object)
        print_object(snapshot->object, out);
    if (snapshot->edit.number)
        g_string_append_printf(out, "edit %llu of %s: %s\n", (unsigned long long)snapshot->edit.number,
                               snapshot->edit.path, snapshot->edit.error ? snapshot->edit.error : "done");
    if (snapshot->grab.active) {
        g_string_append_printf(out, "holds %s, force %.6g\n", snapshot->grab.what, snapshot->grab.force);
        add_numbers(out, "from", snapshot->grab.from, 3);
        add_numbers(out, "to", snapshot->grab.to, 3);
    }
    for (guint i = 0; i < snapshot->phases->len; i++) {
        const PhaseTime *phase = &g_array_index(snapshot->phases, PhaseTime, i);
        g_string_append_printf(out, "phase %s, %g calls\n", phase->name, phase->calls);
    }
    print_plots(snapshot->plots, out);
    print_settings(&snapshot->settings, out);
    if (snapshot->recording)
        g_string_append_printf(out, "records %s\n", snapshot->recording);
    if (snapshot->replay_steps)
        g_string_append_printf(out, "replays %llu steps\n", (unsigned long long)snapshot->replay_steps);
    if (snapshot->picture)
        g_string_append_printf(out, "picture of %u surfaces, %u batches, %u texts\n", snapshot->picture->surface_count,
                               snapshot->picture->batch_count, snapshot->picture->text_count);
}

/* Paths of the run's folder and of the script's lose it. */
static void add_text(GString *out, const char *text)
{
    GString *shorter = g_string_new(text);
    g_string_replace(shorter, folder, "RUN", 0);
    g_string_replace(shorter, scripts, "SCRIPTS", 0);
    g_string_append(out, shorter->str);
    g_string_free(shorter, TRUE);
}

static bool has_first_word(char **lines, const char *line)
{
    const size_t length = strcspn(line, " ");
    for (; *lines; lines++)
        if (strncmp(*lines, line, length) == 0 && ((*lines)[length] == ' ' || !(*lines)[length]))
            return true;
    return false;
}

/* Lines that are new, and those that have gone without another one of their kind. */
static void add_changes(GString *out, const char *now, const char *before)
{
    char **lines = g_strsplit(now, "\n", -1), **old = g_strsplit(before, "\n", -1);
    for (char **line = old; *line; line++)
        if (**line && !has_first_word(lines, *line)) {
            g_string_append(out, "  no more ");
            add_text(out, *line);
            g_string_append_c(out, '\n');
        }
    for (char **line = lines; *line; line++)
        if (**line && !g_strv_contains((const char *const *)old, *line)) {
            g_string_append(out, "  ");
            add_text(out, *line);
            g_string_append_c(out, '\n');
        }
    g_strfreev(lines);
    g_strfreev(old);
}

static void print_log(Script *script)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    GPtrArray *entries = g_ptr_array_new();
    const size_t count = logbook_count(script->book);
    logbook_read(script->book, script->said, entries);
    for (guint i = 0; i < entries->len; i++) {
        const LogEntry *entry = g_ptr_array_index(entries, i);
        GString *text = g_string_new(entry->text);
        const char *hash = strchr(text->str, '(');
        if (hash && strstr(text->str, "replayed"))
            g_string_truncate(text, (gsize)(hash - text->str));
        g_string_append_printf(script->out, "  ! %s: ", words[entry->level]);
        add_text(script->out, text->str);
        g_string_append_printf(script->out, "%s%s\n", entry->path ? " @ " : "", entry->path ? entry->path : "");
        g_string_free(text, TRUE);
    }
    script->said = count;
    g_ptr_array_unref(entries);
}

/* What is asked */

static const struct {
    const char *word;
    MessageKind kind;
    bool has_path, has_text;
} words[] = {
    {"open", MESSAGE_OPEN, false, true},
    {"close", MESSAGE_CLOSE, false, false},
    {"reload", MESSAGE_RELOAD, false, false},
    {"save", MESSAGE_SAVE, false, true},
    {"step", MESSAGE_STEP, false, false},
    {"pace", MESSAGE_PACE, false, false},
    {"animate", MESSAGE_ANIMATE, false, false},
    {"select", MESSAGE_SELECT, true, false},
    {"show", MESSAGE_FLAGS, false, false},
    {"phases", MESSAGE_PHASES, false, false},
    {"plot", MESSAGE_PLOT, true, false},
    {"unplot", MESSAGE_UNPLOT, true, false},
    {"export", MESSAGE_EXPORT, false, true},
    {"record", MESSAGE_RECORD, false, true},
    {"record-end", MESSAGE_RECORD_END, false, false},
    {"replay", MESSAGE_REPLAY, false, true},
};

static void post_word(Script *script, char **parts)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(words[i].word, parts[0]) != 0)
            continue;
        Message message = {.kind = words[i].kind};
        char *file = NULL;
        guint next = 1;
        if (words[i].has_path)
            message.path = parts[next++];
        if (words[i].has_text)
            message.text = file =
                g_build_filename(message.kind == MESSAGE_OPEN ? scripts : folder, parts[next++], NULL);
        for (guint n = 0; parts[1] && next < g_strv_length(parts) && n < MESSAGE_NUMBERS; n++, next++)
            message.numbers[n] = g_ascii_strtod(parts[next], NULL);
        if (message.kind == MESSAGE_FLAGS) { /* number of a flag, and what it becomes */
            const int flag = (int)message.numbers[0];
            const double on = message.numbers[1];
            memset(message.numbers, 0, sizeof message.numbers);
            message.numbers[flag] = on;
        }
        session_post(script->session, &message);
        g_free(file);
        return;
    }
    fail_msg("no such line: %s", parts[0]);
}

/* Until all has been done that is wanted: paused, with its hash. */
static Snapshot *settle(Script *script)
{
    const gint64 end = g_get_monotonic_time() + PATIENCE;
    for (;;) {
        Snapshot *snapshot = session_settle(script->session);
        if (!snapshot->has_scene || (snapshot->hash && !snapshot->animates && !snapshot->replay_steps))
            return snapshot;
        if (g_get_monotonic_time() > end) {
            g_string_append(script->out, "  ? it does not come to rest\n");
            return snapshot;
        }
        snapshot_unref(snapshot);
        g_usleep(500);
    }
}

static void print_file(Script *script, const char *name)
{
    char *file = g_build_filename(folder, name, NULL), *text = NULL;
    assert_true(g_file_get_contents(file, &text, NULL, NULL));
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (!**line)
            continue;
        char *hash = g_str_has_prefix(*line, "start ") ? *line + 6 : strstr(*line, " end ");
        if (hash)
            *hash = '\0';
        g_string_append(script->out, "  | ");
        char **numbers = g_strsplit(*line, ",", -1);
        for (char **number = numbers; *number; number++) {
            char *rest = NULL;
            const double value = g_ascii_strtod(*number, &rest);
            if (number != numbers)
                g_string_append_c(script->out, ',');
            if (numbers[1] && rest != *number && !*rest)
                g_string_append_printf(script->out, "%.6g", fabs(value) < 1e-9 ? 0.0 : value);
            else
                add_text(script->out, *number);
        }
        g_strfreev(numbers);
        g_string_append(script->out, hash ? " (hash)\n" : "\n");
    }
    g_strfreev(lines);
    g_free(text);
    g_free(file);
}

static void take_line(Script *script, const char *line)
{
    char **parts = g_strsplit(line, " ", -1);
    g_string_append_printf(script->out, "%s\n", line);
    if (strcmp(parts[0], "cat") == 0) {
        print_file(script, parts[1]);
        g_strfreev(parts);
        return;
    }
    Message *message = message_parse(line);
    const int times = strcmp(parts[0], "step") == 0 && parts[1] ? (int)g_ascii_strtoll(parts[1], NULL, 10) : 1;
    for (int i = 0; i < times; i++)
        if (message)
            session_post(script->session, message);
        else
            post_word(script, parts);
    Snapshot *snapshot = settle(script);
    GString *now = g_string_new(NULL);
    print_snapshot(snapshot, now);
    print_log(script);
    add_changes(script->out, now->str, script->before);
    snapshot_unref(snapshot);
    g_free(script->before);
    script->before = g_string_free(now, FALSE);
    message_free(message);
    g_strfreev(parts);
}

static char *contents_of(const char *name, const char *ending)
{
    char *file = g_strdup_printf("%s/%s.%s", scripts, name, ending), *text = NULL;
    if (!g_file_get_contents(file, &text, NULL, NULL))
        text = g_strdup("");
    g_free(file);
    return text;
}

static void a_session_says_what_it_said(void **state)
{
    const char *name = *state;
    Script script = {.book = logbook_new(false), .before = g_strdup(""), .out = g_string_new(NULL)};
    dv_log_set_handler(logbook_take, script.book);
    script.session = session_new(script.book);
    char *text = contents_of(name, "script"), *kept = contents_of(name, "session");
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line && **line != '#')
            take_line(&script, *line);
    session_free(script.session);
    dv_log_set_handler(NULL, NULL);
    logbook_free(script.book);
    const bool same = strcmp(kept, script.out->str) == 0;
    if (!same) {
        size_t line = 1;
        for (size_t i = 0; kept[i] && kept[i] == script.out->str[i]; i++)
            line += kept[i] == '\n';
        char *file = g_strdup_printf("%s.session", name);
        print_message("golden/%s: line %zu is another now, see %s\n", file, line, file);
        (void)g_file_set_contents(file, script.out->str, -1, NULL);
        g_free(file);
    }
    g_string_free(script.out, TRUE);
    g_strfreev(lines);
    g_free(script.before);
    g_free(text);
    g_free(kept);
    assert_true(same);
}

static int start(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("divan-transcript-XXXXXX", NULL);
    scripts = g_build_filename(g_getenv("DIVAN_TEST_SOURCE_ROOT"), "tests", "view", "golden", NULL);
    return folder && dv_start(NULL) == DV_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        char *file = g_build_filename(folder, name, NULL);
        (void)g_remove(file);
        g_free(file);
    }
    if (dir)
        g_dir_close(dir);
    (void)g_rmdir(folder);
    g_free(folder);
    g_free(scripts);
    dv_stop();
    return 0;
}

#define SCRIPT(name)                                                           \
    {                                                                          \
        name, a_session_says_what_it_said, NULL, NULL, (void *)(uintptr_t)name \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {SCRIPT("hands"), SCRIPT("edits"), SCRIPT("viewer")};
    return cmocka_run_group_tests(tests, start, stop);
}
