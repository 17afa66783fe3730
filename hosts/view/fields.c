/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields of what is selected. What is in the panel comes from the tables of fields alone: no class has an editor of its own.
 */
#include "view.h"

#include <stdio.h>

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
            view_toast(view, "%s leads to nothing in the tree", field->text);
        g_free(path);
    }
    ui_tooltip("select the target of the link");
}

/* Numbers with as many digits as one reads: 0.3 for 0.30000000000000004. */
static char *readable(const FieldView *field)
{
    if (field->scalar != DV_SCALAR_DOUBLE || field->list)
        return g_strdup(field->text);
    GString *text = g_string_new(NULL);
    for (const char *at = field->text; *at;) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE], *end;
        const double number = g_ascii_strtod(at, &end);
        if (end > at) {
            g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.9g", number));
            at = end;
        } else {
            g_string_append_c(text, *at++);
        }
    }
    return g_string_free(text, FALSE);
}

/* All digits are told when the mouse is above. What is left as it was is no edit, though it shows fewer. */
static void text_editor(View *view, const FieldView *field)
{
    ui_width(-40);
    if (field->text && strlen(field->text) < TEXT_SIZE - 1) {
        char *shown = readable(field);
        if (edit_line(view, "##text", shown, field->list ? "empty list" : ""))
            post_text(view, field, view->edit_text);
        if (strcmp(shown, field->text) != 0)
            ui_tooltip(field->text);
        g_free(shown);
        return;
    }
    char *text = g_strdup_printf("%zu entries", field->count);
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
            ui_tooltip("plot this entry over time");
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
}

/* Also of a field that cannot be changed. Of a list the first entry that its table shows. */
static void plot_button(View *view, const FieldView *field)
{
    if (field->scalar >= DV_SCALAR_STRING || !field->numbers || !field->rows || field->components == 0)
        return;
    char text[96] = "plot it over time";
    if (field->list)
        snprintf(text, sizeof text, "plot entry %zu over time; of another entry, click on its number below",
                 field->first);
    ui_same_line(0);
    if (ui_small_button("~"))
        post_plot(view, field, field->list ? field->first : 0);
    ui_tooltip(text);
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
    if (!is_empty_box(field))
        plot_button(view, field);
    if (now->edit.error && strcmp(now->edit.path, path) == 0)
        ui_wrapped(UI_ERROR, now->edit.error);
    g_free(name);
    g_free(path);
}

/* What every component has, and few look for. */
static bool is_general(const FieldView *field)
{
    static const char *const names[] = {"name", "printLog", "tags", "bbox", "componentState", "listening"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(field->name, names[i]) == 0)
            return true;
    return false;
}

/* In the panel: what can be changed, then what is only shown, then, folded, what every component has. */
typedef enum Part { PART_CHANGES, PART_SHOWS, PART_GENERAL, PARTS } Part;

static Part part_of(const FieldView *field)
{
    return is_general(field) ? PART_GENERAL : is_fixed(field) ? PART_SHOWS : PART_CHANGES;
}

/* The general ones have no other group. */
static bool is_in(const FieldView *field, Part part, const char *group)
{
    return part_of(field) == part && (part == PART_GENERAL || g_strcmp0(field->group, group) == 0);
}

static bool begin_fields(void)
{
    return ui_table_begin("##fields", 2, NULL, (const float[]){150, 0}, 0);
}

/* Elements have the whole width: the table of the fields goes on below them. */
static void fields_of_part(View *view, const GArray *fields, Part part, const char *group)
{
    char id[64];
    bool shown = begin_fields();
    for (guint i = 0; shown && i < fields->len; i++) {
        const FieldView *field = &g_array_index(fields, FieldView, i);
        const bool wanted = !*view->filter || panels_contain(field->name, view->filter);
        if (!wanted || !is_in(field, part, group))
            continue;
        snprintf(id, sizeof id, "%u", i);
        ui_push(id);
        field_row(view, field);
        ui_pop();
        if (!has_elements(field))
            continue;
        ui_table_end();
        ui_push(id);
        if (ui_section("entries##list", field->count < 6))
            table_of_elements(view, field);
        ui_pop();
        shown = begin_fields();
    }
    if (shown)
        ui_table_end();
}

static void fields_of_group(View *view, const GArray *fields, const char *group)
{
    fields_of_part(view, fields, PART_CHANGES, group);
    fields_of_part(view, fields, PART_SHOWS, group);
}

static void all_fields(View *view, const ObjectView *object)
{
    GPtrArray *groups = g_ptr_array_new();
    for (guint i = 0; i < object->fields->len; i++) {
        const FieldView *field = &g_array_index(object->fields, FieldView, i);
        const char *group = field->group;
        bool known = group == NULL || is_general(field);
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
    if (*view->filter || ui_section("Of every component", false)) /* what is looked for is not folded */
        fields_of_part(view, object->fields, PART_GENERAL, NULL);
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
