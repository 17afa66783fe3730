/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows over the others: files, shortcuts, about.
 */
#include "view.h"

static const char *const titles[] = {
    [FILE_OPEN] = "Open a scene###files",
    [FILE_SAVE] = "Save the scene with its state###files",
    [FILE_RECORD] = "Record what is done###files",
    [FILE_REPLAY] = "Replay a recording###files",
    [FILE_EXPORT] = "Export all plots as a table###files",
    [FILE_LOG] = "Save the log###files",
    [FILE_FILM] = "Film the picture###files",
};

static const char *const verbs[] = {
    [FILE_OPEN] = "Open",     [FILE_SAVE] = "Save", [FILE_RECORD] = "Record", [FILE_REPLAY] = "Replay",
    [FILE_EXPORT] = "Export", [FILE_LOG] = "Save",  [FILE_FILM] = "Film",
};

void dialogs_files(View *view, FileUse use)
{
    static const char *const endings[] = {
        [FILE_OPEN] = "",       [FILE_SAVE] = ".saved.scn", [FILE_RECORD] = ".session", [FILE_REPLAY] = "",
        [FILE_EXPORT] = ".csv", [FILE_LOG] = ".log",        [FILE_FILM] = ".mp4",
    };
    char *base = g_path_get_basename(view->now->file);
    view->file_use = use;
    view->focuses_file = true;
    if (!view->folder)
        view->folder = *view->now->file ? g_path_get_dirname(view->now->file) : g_get_current_dir();
    view->file_name[0] = '\0';
    if (*endings[use]) {
        char *dot = strrchr(base, '.');
        if (dot && dot != base)
            *dot = '\0';
        g_snprintf(view->file_name, sizeof view->file_name, "%s%s", *base && *base != '.' ? base : "scene",
                   endings[use]);
    }
    g_free(base);
}

static bool is_scene(const char *name)
{
    return g_str_has_suffix(name, ".scn") || g_str_has_suffix(name, ".xml");
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return g_utf8_collate(*(const char *const *)a, *(const char *const *)b);
}

/* Folders, then files that are of use. */
static GPtrArray *entries_of(const View *view)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free), *files = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(view->folder, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(view->folder, name, NULL);
        const bool reads = view->file_use == FILE_OPEN || view->file_use == FILE_REPLAY;
        if (name[0] == '.')
            ;
        else if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(folders, g_strconcat(name, "/", NULL));
        else if (!reads || (view->file_use == FILE_OPEN ? is_scene(name) : g_str_has_suffix(name, ".session")))
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

static void use_file(View *view, const char *file)
{
    DvText why = {0};
    switch (view->file_use) {
    case FILE_OPEN:
        view_open(view, file);
        break;
    case FILE_SAVE:
        view_post(view, MESSAGE_SAVE, NULL, file);
        break;
    case FILE_RECORD:
        view_post(view, MESSAGE_RECORD, NULL, file);
        break;
    case FILE_REPLAY:
        view_replay(view, file);
        break;
    case FILE_EXPORT:
        view_post(view, MESSAGE_EXPORT, NULL, file);
        break;
    case FILE_LOG:
        if (!logbook_save(view->book, file, &why))
            logbook_add(view->book, DV_LEVEL_ERROR, NULL, "%s: %s", file, why.at ? why.at : "not written");
        break;
    case FILE_FILM:
        filming_begin(view, file);
        break;
    case FILE_NONE:
        break;
    }
    dv_text_free(&why);
    view->file_use = FILE_NONE;
}

static void enter(View *view, const char *name)
{
    char *path = g_canonicalize_filename(name, view->folder);
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_free(view->folder);
        view->folder = path;
        return;
    }
    use_file(view, path);
    g_free(path);
}

static void list_of_files(View *view)
{
    GPtrArray *entries = entries_of(view);
    char *chosen = NULL;
    if (ui_child_begin("entries", 0, -2.6f * ui_line_height(), true)) {
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
            ui_width(-120);
            view_focus_next(view, &view->focuses_file);
            (void)ui_edit_line("##name", view->file_name, sizeof view->file_name, &entered);
            ui_same_line(0);
            if ((ui_button(verb) || entered) && *view->file_name)
                enter(view, view->file_name);
        }
    }
    ui_window_end();
    if (!open)
        view->file_use = FILE_NONE;
}

static void keys(View *view)
{
    static const char *const mouse[][2] = {
        {"Left drag", "Turn the view"},
        {"Right drag", "Move the view"},
        {"Wheel, middle drag", "Nearer and farther"},
        {"Shift + left", "Pull, or what the bar of tools says"},
        {"Shift + middle", "Cut along the way of the mouse"},
        {"Shift + right", "Remove the element"},
        {"1 2 3 4 5 6", "Look along +x -x +y -y +z -z"},
        {"Ctrl + a letter or arrow", "A key for the scene, where it is no shortcut"},
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
}

static bool is_open(const View *view, Dialog dialog)
{
    return dialog == DIALOG_FILES  ? view->file_use != FILE_NONE
           : dialog == DIALOG_KEYS ? view->shows_keys
                                   : view->shows_about;
}

void dialogs_close(View *view)
{
    for (int dialog = 0; !is_open(view, view->front) && dialog < DIALOGS; dialog++)
        view->front = (Dialog)dialog;
    if (view->front == DIALOG_FILES)
        view->file_use = FILE_NONE;
    else if (view->front == DIALOG_KEYS)
        view->shows_keys = false;
    else
        view->shows_about = false;
}
