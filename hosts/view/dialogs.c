/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over the others: files, shortcuts, about.
 */
#include "view.h"

#include "target.h"

static const TargetKind kinds[] = {
    [FILE_SAVE] = TARGET_SCENE, [FILE_RECORD] = TARGET_RECORDING, [FILE_REPLAY] = TARGET_RECORDING,
    [FILE_OPEN] = TARGET_SCENE, [FILE_EXPORT] = TARGET_TABLE,     [FILE_LOG] = TARGET_LOG,
    [FILE_FILM] = TARGET_FILM,  [FILE_VIEW] = TARGET_VIEW,
};

static const char *const titles[] = {
    [FILE_OPEN] = "Open a scene###files",
    [FILE_SAVE] = "Save the scene with its state###files",
    [FILE_RECORD] = "Record session###files",
    [FILE_REPLAY] = "Replay a recording###files",
    [FILE_EXPORT] = "Export all plots as a table###files",
    [FILE_LOG] = "Save the log###files",
    [FILE_FILM] = "Record video###files",
};

static const char *const verbs[] = {
    [FILE_OPEN] = "Open",     [FILE_SAVE] = "Save", [FILE_RECORD] = "Record", [FILE_REPLAY] = "Replay",
    [FILE_EXPORT] = "Export", [FILE_LOG] = "Save",  [FILE_FILM] = "Film",
};

static bool is_read(FileUse use)
{
    return use == FILE_OPEN || use == FILE_REPLAY;
}

void dialogs_files(View *view, FileUse use)
{
    view->file_use = use;
    view->focuses_file = true;
    if (!view->folder)
        view->folder = *view->now->file ? g_path_get_dirname(view->now->file) : g_get_current_dir();
    g_clear_pointer(&view->refusal, g_free);
    g_clear_pointer(&view->asks, g_free);
    view->file_name[0] = '\0';
    if (is_read(use))
        return;
    char *name = target_suggest(kinds[use], view->folder, view->now->file);
    g_strlcpy(view->file_name, name, sizeof view->file_name);
    g_free(name);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return g_utf8_collate(*(const char *const *)a, *(const char *const *)b);
}

/* Folders, then files of the kind that is wanted. */
static GPtrArray *entries_of(const View *view)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free), *files = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(view->folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(view->folder, name, NULL);
        if (name[0] == '.')
            ;
        else if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(folders, g_strconcat(name, "/", NULL));
        else if (target_fits(kinds[view->file_use], name))
            g_ptr_array_add(files, g_strdup(name));
        g_free(path);
    }
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(folders, by_name);
    g_ptr_array_sort(files, by_name);
    g_ptr_array_extend_and_steal(folders, files);
    return folders;
}

static void write_file(View *view, FileUse use, const char *file, bool replaces)
{
    static const MessageKind messages[] = {
        [FILE_SAVE] = MESSAGE_SAVE, [FILE_RECORD] = MESSAGE_RECORD, [FILE_EXPORT] = MESSAGE_EXPORT};
    DvText why = {0};
    if (use == FILE_FILM)
        filming_begin(view, file);
    else if (use == FILE_VIEW)
        viewport_write_view(view, file);
    else if (use != FILE_LOG)
        session_post(view->session, &(Message){.kind = messages[use], .text = file, .numbers = {!replaces}});
    else if (!logbook_save(view->book, file, &why))
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s", file, why.at ? why.at : "not written");
    dv_text_free(&why);
    view->file_use = FILE_NONE;
}

void dialogs_write(View *view, FileUse use, const char *path)
{
    char *file = target_name(kinds[use], path);
    DvText why = {0};
    const TargetState state = target_look(kinds[use], file, view->now->reads, &why);
    g_clear_pointer(&view->refusal, g_free);
    g_clear_pointer(&view->asks, g_free);
    if (state == TARGET_NEW) {
        write_file(view, use, file, false);
    } else if (state == TARGET_EXISTS) {
        view->asks = g_strdup(file);
        view->asks_use = use;
        view->front = DIALOG_QUESTION;
    } else {
        view->refusal = g_strdup_printf("%s: %s", file, why.at);
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "cannot write: %s", view->refusal);
        view->focuses_file = view->file_use != FILE_NONE;
    }
    dv_text_free(&why);
    g_free(file);
}

/* What is there may be another thing than when it was asked. */
void dialogs_answer(View *view, bool replaces)
{
    char *file = g_steal_pointer(&view->asks);
    DvText why = {0};
    if (file && replaces && target_look(kinds[view->asks_use], file, view->now->reads, &why) != TARGET_REFUSED)
        write_file(view, view->asks_use, file, true);
    else if (view->file_use != FILE_NONE)
        view->focuses_file = true;
    if (why.at)
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "cannot write: %s: %s", file, why.at);
    dv_text_free(&why);
    g_free(file);
}

static void enter(View *view, const char *name)
{
    char *path = g_canonicalize_filename(name, view->folder);
    const FileUse use = view->file_use;
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_free(view->folder);
        view->folder = path;
        return;
    }
    if (is_read(use)) {
        view->file_use = FILE_NONE;
        (use == FILE_OPEN ? view_open : view_replay)(view, path);
    } else {
        dialogs_write(view, use, path);
    }
    g_free(path);
}

static void list_of_files(View *view)
{
    GPtrArray *entries = entries_of(view);
    char *chosen = NULL;
    if (ui_child_begin("entries", 0, (view->refusal ? -5.2f : -2.6f) * ui_line_height(), true)) {
        if (ui_selectable("../", false))
            chosen = g_strdup("..");
        for (guint i = 0; i < entries->len; i++) {
            const char *name = g_ptr_array_index(entries, i);
            const bool folder = g_str_has_suffix(name, "/");
            if (ui_selectable(name, strcmp(name, view->file_name) == 0)) {
                if (folder || ui_double_clicked()) {
                    g_free(chosen);
                    chosen = g_strdup(name);
                } else {
                    g_strlcpy(view->file_name, name, sizeof view->file_name);
                }
            }
        }
    }
    ui_child_end();
    if (chosen)
        enter(view, chosen);
    g_free(chosen);
    g_ptr_array_unref(entries);
}

/* True: it is to be drawn. */
static bool begin(View *view, Dialog dialog, const char *title, bool *open, float width, float height)
{
    const bool shown = ui_window_begin(title, open, width, height);
    if (ui_window_is_in_front())
        view->front = dialog;
    return shown;
}

static void files(View *view)
{
    bool open = true, entered = false;
    if (begin(view, DIALOG_FILES, titles[view->file_use], &open, 640, 460)) {
        const char *verb = verbs[view->file_use];
        ui_text(UI_DIM, view->folder);
        list_of_files(view);
        if (view->file_use != FILE_NONE) {
            if (view->refusal)
                ui_wrapped(UI_ERROR, view->refusal);
            ui_width(-120);
            view_focus_next(view, &view->focuses_file);
            if (ui_edit_line("##name", view->file_name, sizeof view->file_name, &entered))
                g_clear_pointer(&view->refusal, g_free);
            ui_same_line(0);
            if ((ui_button(verb) || entered) && *view->file_name)
                enter(view, view->file_name);
        }
    }
    ui_window_end();
    if (!open)
        view->file_use = FILE_NONE;
}

static void question(View *view)
{
    bool open = true, yes = false, no = false;
    if (begin(view, DIALOG_QUESTION, "Replace a file?###question", &open, 560, 150)) {
        const bool own = view->now->reads && view->now->reads->len &&
                         strcmp(g_ptr_array_index(view->now->reads, 0), view->asks) == 0;
        char *text = g_strdup_printf("%s exists already%s. Replace it?", view->asks,
                                     own ? ": it is the scene that is open" : "");
        ui_wrapped(UI_TEXT, text);
        g_free(text);
        yes = ui_button("Replace it (R)");
        ui_same_line(0);
        no = ui_button("Keep it (Esc)");
    }
    ui_window_end();
    if (yes || no || !open)
        dialogs_answer(view, yes);
}

static void keys(View *view)
{
    static const char *const mouse[][2] = {
        {"Left drag", "Turn the view"},
        {"Right drag", "Move the view"},
        {"Wheel, middle drag", "Nearer and farther"},
        {"Shift + left", "Pull, or use the tool chosen above"},
        {"Shift + middle", "Cut along the path of the mouse"},
        {"Shift + right", "Remove the element"},
        {"1 2 3 4 5 6", "Look along +x -x +y -y +z -z"},
        {"Ctrl + a letter or arrow", "Send a key to the scene, if it is no shortcut"},
        {"Esc", "Close the menu or window in front"},
    };
    if (begin(view, DIALOG_KEYS, "Shortcuts", &view->shows_keys, 560, 620) &&
        ui_table_begin("##keys", 2, NULL, (const float[]){190, 0}, 0)) {
        for (size_t i = 0; i < G_N_ELEMENTS(mouse) + ACTIONS; i++) {
            const bool is_action = i >= G_N_ELEMENTS(mouse);
            const Shortcut *shortcut = is_action ? &shortcuts[i - G_N_ELEMENTS(mouse)] : NULL;
            if (shortcut && !shortcut->keys)
                continue;
            ui_table_row();
            ui_table_cell();
            ui_text(UI_ACCENT, shortcut ? shortcut->keys : mouse[i][0]);
            ui_table_cell();
            ui_text(UI_TEXT, shortcut ? shortcut->says : mouse[i][1]);
        }
        ui_table_end();
    }
    ui_window_end();
}

static void about(View *view)
{
    if (begin(view, DIALOG_ABOUT, "About", &view->shows_about, 460, 250)) {
        DvRenderStats stats = {0};
        ui_heading("divan-view " DV_VERSION);
        ui_wrapped(UI_TEXT, "Divan simulates deformable and rigid bodies. Free software under the LGPL, 2.1 or later.");
        if (view->viewport.renderer) {
            view->viewport.ops->stats(view->viewport.renderer, &stats);
            ui_wrapped(UI_DIM, stats.device);
            ui_wrapped(UI_DIM, stats.version);
        } else {
            ui_wrapped(UI_WARNING, view->viewport.problem);
        }
    }
    ui_window_end();
}

void dialogs_draw(View *view)
{
    if (view->file_use != FILE_NONE)
        files(view);
    if (view->shows_keys)
        keys(view);
    if (view->shows_about)
        about(view);
    if (view->asks)
        question(view);
}

static bool is_open(const View *view, Dialog dialog)
{
    return dialog == DIALOG_QUESTION ? view->asks != NULL
           : dialog == DIALOG_FILES  ? view->file_use != FILE_NONE
           : dialog == DIALOG_KEYS   ? view->shows_keys
                                     : view->shows_about;
}

void dialogs_close(View *view)
{
    for (int dialog = 0; !is_open(view, view->front) && dialog < DIALOGS; dialog++)
        view->front = (Dialog)dialog;
    if (view->front == DIALOG_QUESTION)
        dialogs_answer(view, false);
    else if (view->front == DIALOG_FILES)
        view->file_use = FILE_NONE;
    else if (view->front == DIALOG_KEYS)
        view->shows_keys = false;
    else
        view->shows_about = false;
}
