/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The panels around the picture. What is in them comes from the tables of fields alone: no class has an editor of its own.
 */
#include "view.h"

#include <ctype.h>
#include <stdio.h>

/* Menus */

static void item(View *view, Action action, bool checked, bool enabled)
{
    if (ui_menu_item(shortcuts[action].says, shortcuts[action].keys, checked, enabled))
        view_act(view, action);
}

static void recent_menu(View *view)
{
    if (!ui_menu_begin("Recent"))
        return;
    char *chosen = NULL;
    for (int i = 0; view->recent[i]; i++)
        if (ui_menu_item(view->recent[i], NULL, false, true))
            chosen = g_strdup(view->recent[i]);
    if (!view->recent[0])
        (void)ui_menu_item("none yet", NULL, false, false);
    if (chosen)
        view_open(view, chosen);
    g_free(chosen);
    ui_menu_end();
}

static void file_menu(View *view)
{
    const bool has_scene = view->now->has_scene;
    if (!ui_menu_begin("File"))
        return;
    item(view, ACTION_OPEN, false, true);
    recent_menu(view);
    item(view, ACTION_RELOAD, false, *view->now->file != '\0');
    if (ui_menu_item("Reload when the file changes", NULL, view->reloads, true))
        view->reloads = !view->reloads;
    item(view, ACTION_SAVE, false, has_scene);
    ui_separator();
    item(view, ACTION_RECORD, view->now->recording != NULL, has_scene);
    item(view, ACTION_REPLAY, false, true);
    item(view, ACTION_PLOT, false, view->changed != NULL);
    item(view, ACTION_EXPORT, false, view->now->plots->len > 0);
    item(view, ACTION_SCREENSHOT, false, has_scene);
    item(view, ACTION_FILM, view->filming != NULL, has_scene);
    ui_separator();
    item(view, ACTION_QUIT, false, true);
    ui_menu_end();
}

static void run_menu(View *view)
{
    const Snapshot *now = view->now;
    if (!ui_menu_begin("Simulation"))
        return;
    item(view, ACTION_ANIMATE, now->animates, now->has_scene);
    item(view, ACTION_STEP, false, now->has_scene && !now->animates);
    item(view, ACTION_RESET, false, now->has_scene);
    item(view, ACTION_PACE, now->real_time, true);
    ui_menu_end();
}

static void view_menu(View *view)
{
    static const char *const faces[] = {"From the right (+x)", "From the left (-x)",  "From above (+y)",
                                        "From below (-y)",     "From the front (+z)", "From behind (-z)"};
    const Viewport *port = &view->viewport;
    if (!ui_menu_begin("View"))
        return;
    item(view, ACTION_FIT, false, true);
    item(view, ACTION_DEFAULT_VIEW, false, true);
    item(view, ACTION_SAVE_VIEW, false, view->now->has_scene);
    for (int i = 0; i < 6; i++)
        if (ui_menu_item(faces[i], (const char[]){(char)('1' + i), '\0'}, false, true)) {
            camera_face(&view->viewport.camera, i);
            view->viewport.drawn = 0;
        }
    ui_separator();
    item(view, ACTION_PROJECTION, port->camera.orthographic, true);
    item(view, ACTION_WIREFRAME, port->wireframe, true);
    item(view, ACTION_XRAY, port->xray, true);
    item(view, ACTION_CLIP, port->clips, true);
    item(view, ACTION_AXES, port->axes, true);
    item(view, ACTION_BACKGROUND, false, true);
    ui_separator();
    item(view, ACTION_PANELS, !view->hides_panels, true);
    item(view, ACTION_FULL_SCREEN, view->full_screen, true);
    ui_menu_end();
}

static const char *const flag_names[DV_DISPLAY_FLAGS] = {
    [DV_DISPLAY_VISUAL_MODELS] = "Visual models",
    [DV_DISPLAY_BEHAVIOR_MODELS] = "Behaviour models",
    [DV_DISPLAY_FORCE_FIELDS] = "Force fields",
    [DV_DISPLAY_INTERACTION_FORCE_FIELDS] = "Interactions",
    [DV_DISPLAY_COLLISION_MODELS] = "Collision models",
    [DV_DISPLAY_BOUNDING_COLLISION_MODELS] = "Bounding boxes",
    [DV_DISPLAY_DETECTION_OUTPUTS] = "Contacts",
    [DV_DISPLAY_MAPPINGS] = "Mappings",
    [DV_DISPLAY_MECHANICAL_MAPPINGS] = "Mechanical mappings",
    [DV_DISPLAY_ADVANCED_RENDERING] = "Advanced rendering",
    [DV_DISPLAY_WIREFRAME] = "Wireframe",
    [DV_DISPLAY_NORMALS] = "Normals",
};

static void post_flags(View *view)
{
    Message message = {.kind = MESSAGE_FLAGS};
    G_STATIC_ASSERT((int)DV_DISPLAY_FLAGS <= (int)MESSAGE_NUMBERS);
    for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
        message.numbers[i] = view->flags[i];
    session_post(view->session, &message);
}

static void flags_menu(View *view)
{
    static const char *const states[] = {"hidden", "as the scene", "shown"};
    if (!ui_menu_begin("Show"))
        return;
    for (int i = 0; i < DV_DISPLAY_FLAGS; i++)
        if (ui_menu_item(flag_names[i], states[view->flags[i] + 1], view->flags[i] > 0, true)) {
            view->flags[i] = (signed char)(view->flags[i] == 1 ? -1 : view->flags[i] + 1);
            post_flags(view);
        }
    ui_separator();
    if (ui_menu_item("All as the scene says", NULL, false, true)) {
        memset(view->flags, 0, sizeof view->flags);
        post_flags(view);
    }
    ui_menu_end();
}

float panels_menu(View *view)
{
    if (!ui_menu_bar_begin())
        return 0;
    file_menu(view);
    run_menu(view);
    view_menu(view);
    flags_menu(view);
    if (ui_menu_begin("Help")) {
        item(view, ACTION_KEYS, false, true);
        if (ui_menu_item("About divan-view", NULL, false, true))
            view->shows_about = true;
        ui_menu_end();
    }
    return ui_menu_bar_end();
}

/* The bar of tools */

static void time_step(View *view)
{
    double dt = view->now->dt;
    char text[64];
    ui_same_line(0);
    ui_text(UI_DIM, "  dt");
    ui_same_line(0);
    ui_width(90);
    if (ui_edit_double("##dt", &dt, "%.6g")) {
        snprintf(text, sizeof text, "%.17g", dt);
        view_post(view, MESSAGE_EDIT, "/.dt", text);
    }
    ui_tooltip("time step of the root node, in seconds");
    ui_same_line(0);
    ui_text(UI_DIM, "s");
    ui_same_line(0);
    bool real_time = view->now->real_time;
    if (ui_checkbox("real time", &real_time))
        view_act(view, ACTION_PACE);
    ui_tooltip("make steps no faster than the clock; otherwise as fast as possible");
}

static void mouse_tools(View *view)
{
    static const char *const modes[] = {
        "pulls by a spring", "pulls by a constraint", "fixes", "removes elements", "cuts", NULL};
    Viewport *port = &view->viewport;
    int mode = (int)port->mode;
    ui_same_line(0);
    ui_text(UI_DIM, "    Shift + left");
    ui_same_line(0);
    ui_width(175);
    if (ui_combo("##mode", modes, &mode)) {
        port->mode = (GrabMode)mode;
        port->left_views = false;
    }
    ui_tooltip(
        "what the left button does in the scene while Shift is held; the right one removes elements, the middle one cuts, "
        "unless the scene has settings of the mouse");
    if (port->mode != GRAB_SPRING)
        return;
    ui_same_line(0);
    ui_width(130);
    (void)ui_drag_double("##stiffness", &port->stiffness, 0.01, 1e6, "%.4g N/m", true);
    ui_tooltip("stiffness of the spring from the mouse to what it holds; Ctrl and a press to type it");
}

void panels_toolbar(View *view, UiBox box)
{
    const Snapshot *now = view->now;
    if (ui_panel_begin("##tools", box, true, false)) {
        if (ui_icon_button("animate", now->animates ? UI_PAUSE : UI_PLAY,
                           now->animates ? "pause (Space)" : "animate (Space)", now->animates, now->has_scene))
            view_act(view, ACTION_ANIMATE);
        ui_same_line(0);
        if (ui_icon_button("step", UI_STEP, "one step (N)", false, now->has_scene && !now->animates))
            view_act(view, ACTION_STEP);
        ui_same_line(0);
        if (ui_icon_button("reset", UI_RESET, "back to the start (Backspace)", false, now->has_scene))
            view_act(view, ACTION_RESET);
        ui_same_line(0);
        if (ui_icon_button("reload", UI_RELOAD, "read the file again (Ctrl+R)", false, *now->file != '\0'))
            view_act(view, ACTION_RELOAD);
        ui_same_line(0);
        if (ui_icon_button("fit", UI_FIT, "the whole scene in the picture (F)", false, now->has_scene))
            view_act(view, ACTION_FIT);
        ui_same_line(0);
        if (ui_icon_button("screenshot", UI_CAMERA, "save the picture (S)", false, now->has_scene))
            view_act(view, ACTION_SCREENSHOT);
        ui_same_line(0);
        if (ui_icon_button("record", now->recording ? UI_STOP : UI_RECORD,
                           now->recording ? "end the recording" : "record what is done, to be replayed",
                           now->recording != NULL, now->has_scene))
            view_act(view, ACTION_RECORD);
        time_step(view);
        mouse_tools(view);
        if (view->viewport.clips) {
            ui_same_line(0);
            ui_text(UI_DIM, "   cut away");
            ui_same_line(0);
            ui_width(110);
            if (ui_drag_double("##clip", &view->viewport.clip, 0, 1, "%.2f", false))
                view->viewport.drawn = 0;
        }
    }
    ui_panel_end();
}

/* The tree */

static uint32_t color_of_family(const char *family)
{
    static const uint32_t colors[] = {0x6fb3e8ff, 0xe8a35bff, 0x84c98cff, 0xd88bc0ff,
                                      0xd6c46aff, 0x79cfd2ff, 0xb39ce8ff, 0xe88379ff};
    return family ? colors[g_str_hash(family) % G_N_ELEMENTS(colors)] : 0x9aa4b0ff;
}

static bool contains(const char *text, const char *part)
{
    char *a = g_utf8_casefold(text, -1), *b = g_utf8_casefold(part, -1);
    const bool found = strstr(a, b) != NULL;
    g_free(a);
    g_free(b);
    return found;
}

static bool matches(const TreeItem *entry, const char *search)
{
    return contains(entry->name, search) || contains(entry->type, search) ||
           (entry->family && contains(entry->family, search));
}

/* Worst level of what the log says of it since the scene was opened. */
static uint32_t mark_of(const View *view, const TreeItem *entry)
{
    DvLevel worst = DV_LEVEL_INFO;
    if (!entry->is_valid)
        return UI_ERROR;
    for (size_t i = view->said_before; i < view->said->len && i < view->said_before + 300; i++) {
        const LogEntry *said = g_ptr_array_index(view->said, i);
        if (said->of_scene && said->path && said->level > worst && strcmp(said->path, entry->plain) == 0)
            worst = said->level;
    }
    return worst == DV_LEVEL_ERROR ? UI_ERROR : worst == DV_LEVEL_WARNING ? UI_WARNING : 0;
}

static bool is_folded(const View *view, const TreeItem *entry)
{
    return g_hash_table_contains(view->folded, entry->path);
}

/* Rows that are shown: of a search, what matches and what it is in; else what no fold hides. */
static GArray *rows_of(const View *view, const Tree *tree)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint));
    bool *found = g_new0(bool, tree->items->len);
    for (guint i = tree->items->len; *view->search && i-- > 0;) {
        const TreeItem *entry = &g_array_index(tree->items, TreeItem, i);
        found[i] |= matches(entry, view->search);
        if (found[i] && entry->parent != G_MAXUINT)
            found[entry->parent] = true;
    }
    for (guint i = 0; i < tree->items->len;) {
        const TreeItem *entry = &g_array_index(tree->items, TreeItem, i);
        if (!*view->search || found[i])
            g_array_append_val(rows, i);
        i = !*view->search && is_folded(view, entry) ? entry->end : i + 1;
    }
    g_free(found);
    return rows;
}

/* So that the selected row is seen. */
static void unfold_to(View *view, const Tree *tree, const char *path)
{
    const TreeItem *entry = tree_find(tree, path);
    for (guint parent = entry ? entry->parent : G_MAXUINT; parent != G_MAXUINT;) {
        const TreeItem *above = &g_array_index(tree->items, TreeItem, parent);
        (void)g_hash_table_remove(view->folded, above->path);
        parent = above->parent;
    }
}

static void context_menu(View *view, const TreeItem *entry)
{
    if (!ui_context_menu_begin(entry->path))
        return;
    if (entry->is_node && ui_menu_item(entry->is_active ? "Switch off" : "Switch on", NULL, false, true))
        view_post_number(view, MESSAGE_ACTIVATE, entry->path, !entry->is_active);
    if (ui_menu_item("Remove", NULL, false, entry->parent != G_MAXUINT))
        view_post(view, MESSAGE_DELETE, entry->path, NULL);
    if (entry->is_node && ui_menu_item("Fold all below", NULL, false, true)) {
        const Tree *tree = view->now->tree;
        const guint first = (guint)(entry - &g_array_index(tree->items, TreeItem, 0));
        for (guint i = first + 1; i < entry->end; i++)
            if (g_array_index(tree->items, TreeItem, i).is_node)
                (void)g_hash_table_add(view->folded, g_strdup(g_array_index(tree->items, TreeItem, i).path));
    }
    if (entry->place)
        (void)ui_menu_item(entry->place, NULL, false, false);
    ui_popup_end();
}

static void tree_row(View *view, const TreeItem *entry, guint index)
{
    char *remark = entry->family ? g_strconcat(entry->type, *entry->variant ? " " : "", entry->variant, NULL) : NULL;
    const bool same = remark && strncmp(entry->name, entry->type, strlen(entry->type)) == 0;
    const UiTreeRow row = {
        .id = entry->path,
        .name = *entry->name     ? entry->name
                : entry->is_node ? "root"
                                 : entry->type,
        .remark = same ? entry->variant : remark,
        .letter = (char)(entry->family ? toupper((unsigned char)entry->family[0]) : '\0'),
        .color = color_of_family(entry->family),
        .depth = (int)entry->depth,
        .has_children = entry->end > index + 1,
        .open = *view->search || !is_folded(view, entry),
        .selected = strcmp(view->selected, entry->path) == 0,
        .dim = !entry->is_active || !entry->is_valid,
        .mark = mark_of(view, entry),
    };
    const UiTreeClick click = ui_tree_row(&row);
    ui_tooltip(entry->family);
    context_menu(view, entry);
    g_free(remark);
    const bool fold = click == UI_CLICK_ARROW || (click == UI_CLICK_DOUBLE && row.has_children);
    if (fold && !g_hash_table_remove(view->folded, entry->path))
        (void)g_hash_table_add(view->folded, g_strdup(entry->path));
    if (click == UI_CLICK_ROW)
        view_select(view, entry->path);
    if (row.selected && view->reveals) {
        ui_scroll_here();
        view->reveals = false;
    }
}

/* Enter in the search: what was looked for, then the filter of its fields. */
static void select_first_match(View *view, const Tree *tree)
{
    for (guint i = 0; *view->search && i < tree->items->len; i++) {
        const TreeItem *entry = &g_array_index(tree->items, TreeItem, i);
        if (!matches(entry, view->search))
            continue;
        view_select(view, entry->path);
        view->focuses_filter = true;
        return;
    }
}

void panels_tree(View *view, UiBox box)
{
    const Tree *tree = view->now->tree;
    if (ui_panel_begin("##tree", box, true, false)) {
        ui_width(-1);
        view_focus_next(view, &view->focuses_search);
        const bool entered =
            ui_search("##search", "search names, classes, families  (Ctrl+F)", view->search, sizeof view->search);
        if (entered && tree)
            select_first_match(view, tree);
        if (ui_child_begin("rows", 0, 0, false) && tree) {
            if (view->reveals)
                unfold_to(view, tree, view->selected);
            GArray *rows = rows_of(view, tree);
            for (guint i = 0; i < rows->len; i++) {
                const guint index = g_array_index(rows, guint, i);
                tree_row(view, &g_array_index(tree->items, TreeItem, index), index);
            }
            g_array_free(rows, TRUE);
        }
        ui_child_end();
    }
    ui_panel_end();
}

/* Fields */

/* A line of text that is edited: what is typed lives in the view until it is finished, whatever the scene does meanwhile. */
static bool edit_line(View *view, const char *id, const char *now, const char *hint)
{
    char text[TEXT_SIZE];
    const bool mine = view->edit_id && strcmp(view->edit_id, id) == 0;
    g_strlcpy(text, mine ? view->edit_text : now, sizeof text);
    const bool finished = ui_edit_text(id, hint, text, sizeof text), edited = ui_is_edited();
    if (edited || finished)
        g_strlcpy(view->edit_text, text, sizeof view->edit_text);
    if (edited && !mine) {
        g_free(view->edit_id);
        view->edit_id = g_strdup(id);
    } else if (!edited && mine) {
        g_clear_pointer(&view->edit_id, g_free);
    }
    return finished && strcmp(view->edit_text, now) != 0;
}

static char *path_of_field(const View *view, const FieldView *field)
{
    const char *path = view->now->object->path;
    return g_strdup_printf("%s.%s", path, field->name);
}

static void post_text(View *view, const FieldView *field, const char *text)
{
    char *path = path_of_field(view, field);
    view_post(view, MESSAGE_EDIT, path, text);
    g_free(path);
}

static void choice_editor(View *view, const FieldView *field)
{
    int selected = -1;
    for (int i = 0; field->choices[i]; i++)
        if (field->text && strcmp(field->choices[i], field->text) == 0)
            selected = i;
    ui_width(-40);
    if (ui_combo("##choice", (const char *const *)field->choices, &selected) && selected >= 0)
        post_text(view, field, field->choices[selected]);
}

static void color_editor(View *view, const FieldView *field)
{
    double color[4] = {field->numbers[0], field->numbers[1], field->numbers[2], field->numbers[3]};
    ui_width(-40);
    if (ui_edit_color("##color", color)) {
        char text[160];
        snprintf(text, sizeof text, "%.6g %.6g %.6g %.6g", color[0], color[1], color[2], color[3]);
        post_text(view, field, text);
    }
}

static void link_editor(View *view, const FieldView *field)
{
    ui_width(-70);
    if (edit_line(view, "##link", field->text ? field->text : "", "not set"))
        post_text(view, field, view->edit_text);
    if (!field->text || field->text[0] != '@')
        return;
    ui_same_line(0);
    if (ui_small_button("go")) {
        char *path = field->text[1] == '/' ? g_strdup(field->text + 1) : NULL;
        if (!path) { /* relative to the node of the object */
            char *node = g_path_get_dirname(view->now->object->path);
            path = g_canonicalize_filename(field->text + 1, node);
            g_free(node);
        }
        const TreeItem *entry = tree_find(view->now->tree, path);
        if (entry)
            view_select(view, entry->path);
        else
            view_toast(view, "%s leads to nothing that is in the tree", field->text);
        g_free(path);
    }
    ui_tooltip("select what it leads to");
}

static void text_editor(View *view, const FieldView *field)
{
    ui_width(-40);
    if (field->text && strlen(field->text) < TEXT_SIZE - 1) {
        if (edit_line(view, "##text", field->text, field->list ? "empty list" : ""))
            post_text(view, field, view->edit_text);
        return;
    }
    char *text = g_strdup_printf("%zu elements", field->count);
    ui_text(UI_DIM, text);
    g_free(text);
}

static void bool_editor(View *view, const FieldView *field)
{
    bool on = field->numbers[0] != 0;
    if (ui_checkbox("##bool", &on))
        post_text(view, field, on ? "1" : "0");
}

/* A page of the elements of a list, number by number. */
static void element_cell(View *view, const FieldView *field, size_t row, uint32_t component)
{
    const size_t place = row * field->components + component;
    double value = field->numbers[place];
    char id[48];
    snprintf(id, sizeof id, "##%zu.%u", row, component);
    ui_width(-1);
    if (ui_edit_double(id, &value, field->scalar == DV_SCALAR_DOUBLE ? "%.9g" : "%.0f")) {
        char *path = path_of_field(view, field);
        const Message message = {.kind = MESSAGE_ELEMENT,
                                 .path = path,
                                 .numbers = {(double)(field->first * field->components + place), value}};
        session_post(view->session, &message);
        g_free(view->changed);
        view->changed = path;
    }
}

static void page_buttons(View *view, const FieldView *field)
{
    if (field->count <= FIELD_ROWS)
        return;
    char *text = g_strdup_printf("%zu to %zu of %zu", field->first, field->first + field->rows - 1, field->count);
    if (ui_small_button("<##page") && view->first_element >= FIELD_ROWS) {
        view->first_element = field->first - MIN(field->first, (size_t)FIELD_ROWS);
        view_post_number(view, MESSAGE_SELECT, view->selected, (double)view->first_element);
    }
    ui_same_line(0);
    if (ui_small_button(">##page") && field->first + FIELD_ROWS < field->count) {
        view->first_element = field->first + FIELD_ROWS;
        view_post_number(view, MESSAGE_SELECT, view->selected, (double)view->first_element);
    }
    ui_same_line(0);
    ui_text(UI_DIM, text);
    g_free(text);
}

static void post_plot(View *view, const FieldView *field, size_t element)
{
    char *path = path_of_field(view, field);
    view_post_number(view, MESSAGE_PLOT, path, (double)element);
    view->tab = 1;
    g_free(path);
}

/* What no edit of a running scene changes. */
static bool is_fixed(const FieldView *field)
{
    return (field->flags & (DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT | DV_FIELD_AT_LOAD)) != 0;
}

static void table_of_elements(View *view, const FieldView *field)
{
    const uint32_t columns = MIN(field->components, 8u);
    page_buttons(view, field);
    const float height = ui_line_height() * (float)MIN(field->rows, (size_t)8) + 8;
    if (!field->rows ||
        !ui_table_begin("##elements", (int)columns + 1, NULL, (const float[]){48, 0, 0, 0, 0, 0, 0, 0, 0}, height))
        return;
    const bool fixed = is_fixed(field);
    UiRows *rows = ui_rows_begin((int)field->rows);
    for (int first, end; ui_rows(rows, &first, &end);)
        for (int row = first; row < end; row++) {
            char label[48];
            snprintf(label, sizeof label, "%zu##plot", field->first + (size_t)row);
            ui_table_row();
            ui_table_cell();
            if (ui_small_button(label))
                post_plot(view, field, field->first + (size_t)row);
            ui_tooltip("plot this element");
            if (fixed)
                ui_enabled(false);
            for (uint32_t c = 0; c < columns; c++) {
                ui_table_cell();
                element_cell(view, field, (size_t)row, c);
            }
            if (fixed)
                ui_enabled(true);
        }
    ui_table_end();
}

static void editor(View *view, const FieldView *field)
{
    const bool numeric = field->scalar < DV_SCALAR_STRING;
    if (field->choices)
        choice_editor(view, field);
    else if (field->is_link)
        link_editor(view, field);
    else if (field->is_color && field->rows)
        color_editor(view, field);
    else if (field->scalar == DV_SCALAR_BOOL && !field->list && field->components == 1)
        bool_editor(view, field);
    else
        text_editor(view, field);
    if (numeric && field->numbers && !field->list && field->rows) {
        ui_same_line(0);
        if (ui_small_button("~"))
            post_plot(view, field, 0);
        ui_tooltip("plot it over time");
    }
}

static bool has_elements(const FieldView *field)
{
    return field->scalar < DV_SCALAR_STRING && field->list && field->rows && field->components > 0;
}

static void help_of(const FieldView *field)
{
    GString *text = g_string_new(field->help ? field->help : "");
    g_string_append_printf(text, "\n\n%s", field->type);
    if (field->unit)
        g_string_append_printf(text, ", in %s", field->unit);
    if (field->range)
        g_string_append_printf(text, "; must be %s", field->range);
    if (field->parent)
        g_string_append_printf(text, "\nfollows %s", field->parent);
    if (field->flags & DV_FIELD_AT_LOAD)
        g_string_append(text, "\nread when the scene is loaded: change it in the file");
    if (!field->is_set)
        g_string_append(text, "\nnot set: this is its default, or computed");
    ui_tooltip(text->str);
    g_string_free(text, TRUE);
}

/* Bounds of nothing: the smallest corner is behind the largest. */
static bool is_empty_box(const FieldView *field)
{
    return strcmp(field->type, "box") == 0 && field->rows == 1 && field->numbers[0] > field->numbers[3];
}

static void field_row(View *view, const FieldView *field)
{
    const Snapshot *now = view->now;
    const bool fixed = is_fixed(field);
    char *path = path_of_field(view, field);
    char *name = field->unit ? g_strdup_printf("%s  [%s]", field->name, field->unit) : g_strdup(field->name);
    ui_table_row();
    ui_table_cell();
    ui_text(field->is_set ? UI_TEXT : UI_DIM, name);
    help_of(field);
    ui_table_cell();
    if (!fixed)
        view_focus_next(view, &view->focuses_field);
    const bool list = field->list && field->scalar < DV_SCALAR_STRING;
    if (fixed && !list)
        ui_enabled(false);
    if (is_empty_box(field))
        ui_text(UI_DIM, "of nothing");
    else
        editor(view, field);
    if (fixed && !list)
        ui_enabled(true);
    if (now->edit.error && strcmp(now->edit.path, path) == 0)
        ui_wrapped(UI_ERROR, now->edit.error);
    g_free(name);
    g_free(path);
}

static bool is_in_group(const FieldView *field, const char *group)
{
    return g_strcmp0(field->group, group) == 0;
}

static bool begin_fields(void)
{
    return ui_table_begin("##fields", 2, NULL, (const float[]){150, 0}, 0);
}

/* Elements have the whole width: the table of the fields goes on below them. */
static void fields_of_group(View *view, const GArray *fields, const char *group)
{
    char id[64];
    bool shown = begin_fields();
    for (guint i = 0; shown && i < fields->len; i++) {
        const FieldView *field = &g_array_index(fields, FieldView, i);
        const bool wanted = !*view->filter || contains(field->name, view->filter);
        if (!wanted || !is_in_group(field, group))
            continue;
        snprintf(id, sizeof id, "%u", i);
        ui_push(id);
        field_row(view, field);
        ui_pop();
        if (!has_elements(field))
            continue;
        ui_table_end();
        ui_push(id);
        if (ui_section("elements##list", field->count < 6))
            table_of_elements(view, field);
        ui_pop();
        shown = begin_fields();
    }
    if (shown)
        ui_table_end();
}

static void all_fields(View *view, const ObjectView *object)
{
    GPtrArray *groups = g_ptr_array_new();
    for (guint i = 0; i < object->fields->len; i++) {
        const char *group = g_array_index(object->fields, FieldView, i).group;
        bool known = group == NULL;
        for (guint k = 0; !known && k < groups->len; k++)
            known = strcmp(g_ptr_array_index(groups, k), group) == 0;
        if (!known)
            g_ptr_array_add(groups, (gpointer)group);
    }
    fields_of_group(view, object->fields, NULL);
    for (guint i = 0; i < groups->len; i++) {
        ui_push(g_ptr_array_index(groups, i));
        if (ui_section(g_ptr_array_index(groups, i), true))
            fields_of_group(view, object->fields, g_ptr_array_index(groups, i));
        ui_pop();
    }
    g_ptr_array_unref(groups);
}

static void head_of_object(const ObjectView *object)
{
    char *type = g_strdup_printf("%s%s%s", object->type, *object->variant ? "  " : "", object->variant);
    ui_heading(*object->name ? object->name : object->type);
    ui_text(UI_TEXT, type);
    if (object->place) {
        ui_same_line(0);
        ui_text(UI_DIM, object->place);
    }
    if (!object->is_valid)
        ui_wrapped(UI_ERROR, "not in use: the log says why");
    if (object->help)
        ui_wrapped(UI_DIM, object->help);
    g_free(type);
}

void panels_fields(View *view, UiBox box)
{
    const ObjectView *object = view->now->object;
    if (ui_panel_begin("##object", box, true, true)) {
        if (object && strcmp(object->path, view->selected) == 0) {
            ui_push(object->path);
            head_of_object(object);
            ui_width(-1);
            view_focus_next(view, &view->focuses_filter);
            if (ui_search("##filter", "filter fields", view->filter, sizeof view->filter))
                view->focuses_field = true;
            all_fields(view, object);
            view->focuses_field = false; /* there is none */
            ui_pop();
        } else {
            ui_wrapped(UI_DIM, view->now->has_scene ? "Select something in the tree to see and change its fields."
                                                    : "No scene is open.");
        }
    }
    ui_panel_end();
}

/* What is below */

static uint32_t color_of_level(DvLevel level)
{
    return level == DV_LEVEL_ERROR ? UI_ERROR : level == DV_LEVEL_WARNING ? UI_WARNING : UI_TEXT;
}

static void log_tools(View *view)
{
    static const char *const names[] = {NULL, "Info", "Warnings", "Errors"};
    for (int level = DV_LEVEL_INFO; level <= DV_LEVEL_ERROR; level++) {
        unsigned count = 0;
        for (guint i = 0; i < view->said->len; i++)
            count += ((const LogEntry *)g_ptr_array_index(view->said, i))->level == (DvLevel)level;
        char *label = g_strdup_printf("%s %u###level%d", names[level], count, level);
        if (ui_toggle(label, view->shows_log[level]))
            view->shows_log[level] = !view->shows_log[level];
        ui_same_line(0);
        g_free(label);
    }
    if (ui_button("Save..."))
        dialogs_files(view, FILE_LOG);
}

static void select_if_there(View *view, const char *path)
{
    const TreeItem *found = tree_find(view->now->tree, path);
    if (found)
        view_select(view, found->path);
    else
        view_toast(view, "%s is not in the tree any more", path);
}

static void log_tab(View *view)
{
    log_tools(view);
    GPtrArray *shown = g_ptr_array_new();
    for (guint i = 0; i < view->said->len; i++)
        if (view->shows_log[((const LogEntry *)g_ptr_array_index(view->said, i))->level])
            g_ptr_array_add(shown, g_ptr_array_index(view->said, i));
    if (ui_child_begin("log", 0, 0, false)) {
        const bool follows = ui_at_bottom();
        UiRows *rows = ui_rows_begin((int)shown->len);
        for (int first, end; ui_rows(rows, &first, &end);)
            for (int i = first; i < end; i++) {
                const LogEntry *entry = g_ptr_array_index(shown, (guint)i);
                char id[32];
                snprintf(id, sizeof id, "%d", i);
                ui_push(id);
                ui_mark(color_of_level(entry->level), entry->level == DV_LEVEL_ERROR     ? "●"
                                                      : entry->level == DV_LEVEL_WARNING ? "▲"
                                                                                         : "·");
                ui_same_line(26);
                if (ui_selectable(entry->text, false) && entry->path)
                    select_if_there(view, entry->path);
                ui_tooltip(entry->text);
                ui_pop();
            }
        if (follows && shown->len)
            ui_scroll_here();
    }
    ui_child_end();
    g_ptr_array_unref(shown);
}

static const char *name_of_curve(const PlotView *plot, uint32_t curve)
{
    static const char *const axes[] = {"x", "y", "z"}, *const rigid[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    if (plot->curves == 1)
        return plot->path;
    return plot->curves <= 3 ? axes[curve] : plot->curves == 7 ? rigid[curve] : numbers[curve];
}

static void plots_tab(View *view)
{
    const GPtrArray *plots = view->now->plots;
    if (!plots->len) {
        ui_wrapped(
            UI_DIM,
            "Nothing is plotted. Press ~ beside a number in the panel of fields, or the number of an element in a list.");
        return;
    }
    if (ui_button("Export as CSV..."))
        dialogs_files(view, FILE_EXPORT);
    /* One is seen as a whole. */
    const float height = plots->len == 1 ? fmaxf(80, view->bottom - 4.6f * ui_line_height()) : 150;
    if (ui_child_begin("plots", 0, 0, false))
        for (guint i = 0; i < plots->len; i++) {
            const PlotView *plot = g_ptr_array_index(plots, i);
            UiCurve curves[PLOT_CURVES];
            for (uint32_t c = 0; c < plot->curves; c++)
                curves[c] = (UiCurve){plot->values[c], name_of_curve(plot, c)};
            char *title = g_strdup_printf("%s[%u]%s%s%s", plot->path, plot->element, plot->unit ? "  [" : "",
                                          plot->unit ? plot->unit : "", plot->unit ? "]" : "");
            ui_push(title);
            ui_text(UI_TEXT, title);
            ui_same_line(0);
            if (ui_small_button("close"))
                view_post_number(view, MESSAGE_UNPLOT, plot->path, plot->element);
            ui_plot("##plot", plot->times, curves, (int)plot->curves, (int)plot->count, "s", plot->unit, height);
            ui_pop();
            g_free(title);
        }
    ui_child_end();
}

static void set_phases(View *view, bool on)
{
    if (view->times_phases == on)
        return;
    view->times_phases = on;
    view_post_number(view, MESSAGE_PHASES, NULL, on);
}

static void times_tab(View *view)
{
    static const char *const heads[] = {"phase of a step", "ms", "calls", ""};
    const Snapshot *now = view->now;
    double total = 0, most = 0;
    set_phases(view, true);
    for (guint i = 0; i < now->phases->len; i++) {
        const double seconds = g_array_index(now->phases, PhaseTime, i).seconds;
        total += seconds;
        most = fmax(most, seconds);
    }
    if (!now->phases->len)
        ui_wrapped(UI_DIM, "The means of 30 steps come while it is animated.");
    else if (ui_table_begin("##phases", 4, heads, (const float[]){260, 80, 70, 0}, -1)) {
        for (guint i = 0; i < now->phases->len; i++) {
            const PhaseTime *phase = &g_array_index(now->phases, PhaseTime, i);
            char text[64];
            ui_table_row();
            ui_table_cell();
            ui_text(UI_TEXT, phase->name);
            ui_table_cell();
            snprintf(text, sizeof text, "%.3f", 1e3 * phase->seconds);
            ui_text(UI_TEXT, text);
            ui_table_cell();
            snprintf(text, sizeof text, "%.4g", phase->calls);
            ui_text(UI_DIM, text);
            ui_table_cell();
            snprintf(text, sizeof text, "%.0f %%", 100 * phase->seconds / fmax(total, 1e-12));
            ui_bar(phase->seconds / fmax(most, 1e-12), 0x2f6d9fff, text);
        }
        ui_table_end();
    }
}

void panels_bottom(View *view, UiBox box)
{
    bool times = false;
    if (ui_panel_begin("##bottom", box, true, false)) {
        if (ui_tabs_begin("##tabs")) {
            char *log = g_strdup_printf("Log%s###log", view->errors ? " !" : "");
            if (ui_tab_begin(log, view->tab == 0)) {
                log_tab(view);
                ui_tab_end();
            }
            if (ui_tab_begin("Plots", view->tab == 1)) {
                plots_tab(view);
                ui_tab_end();
            }
            if (ui_tab_begin("Times", view->tab == 2)) {
                times = true;
                times_tab(view);
                ui_tab_end();
            }
            view->tab = -1;
            ui_tabs_end();
            g_free(log);
        }
    }
    ui_panel_end();
    set_phases(view, times);
}

void panels_status(View *view, UiBox box)
{
    const Snapshot *now = view->now;
    float left = 260; /* that is taken */
    if (ui_panel_begin("##status", box, true, false)) {
        char *text = g_strdup_printf("t = %.4f s    step %" G_GUINT64_FORMAT "    ", now->time, now->scene_steps);
        ui_text(now->has_scene ? UI_TEXT : UI_DIM, now->has_scene ? text : "no scene");
        g_free(text);
        if (now->has_scene) {
            text = g_strdup_printf("%.3g ms a step", 1e3 * now->step_seconds);
            ui_same_line(260);
            ui_text(UI_DIM, text);
            g_free(text);
            text = now->animates
                       ? g_strdup_printf("%.0f steps/s    real time x %.2f", now->steps_a_second, now->real_time_factor)
                   : now->failed ? g_strdup("stopped: it cannot make steps")
                                 : g_strdup_printf("paused    %016" G_GINT64_MODIFIER "x", now->hash);
            ui_same_line(400);
            ui_text(now->failed ? UI_ERROR : now->animates ? UI_GOOD : UI_DIM, text);
            left = 400 + ui_text_width(text);
            g_free(text);
        }
        text =
            g_strdup_printf("%.0f pictures/s    %.1f ms to draw",
                            view->frame_seconds > 0 ? 1 / view->frame_seconds : 0.0, 1e3 * view->viewport.draw_seconds);
        char *doing = g_strconcat(view->filming ? "filming    " : "", now->recording ? "recording    " : "",
                                  now->replay_steps ? "replaying    " : "",
                                  view->viewport.problem ? "no renderer    " : "", NULL);
        const float end = box.width - 16, begin = end - ui_text_width(text);
        const bool fits = begin - ui_text_width(doing) > left;
        ui_same_line((fits ? begin : end) - ui_text_width(doing));
        ui_text(UI_ERROR, doing);
        if (fits) {
            ui_same_line(begin);
            ui_text(UI_DIM, text);
        }
        g_free(doing);
        g_free(text);
    }
    ui_panel_end();
}
