/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is below the picture: the log, plots, times, and the tab of devices.c.
 */
#include "view.h"

#include <stdio.h>

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

static const char *axis_of_curve(const PlotView *plot, uint32_t curve)
{
    static const char *const axes[] = {"x", "y", "z"}, *const rigid[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    return plot->curves == 1 ? "" : plot->curves <= 3 ? axes[curve] : plot->curves == 7 ? rigid[curve] : numbers[curve];
}

static char *key_of(const PlotView *plot)
{
    return g_strdup_printf("%s[%u]", plot->path, plot->element);
}

static bool is_joined(const View *view, const PlotView *plot)
{
    char *key = key_of(plot);
    const bool joined = g_hash_table_contains(view->joined, key);
    g_free(key);
    return joined;
}

/* What is plotted, and what can be done with it. */
static void plot_title(View *view, const PlotView *plot, bool first)
{
    char *key = key_of(plot);
    char *title =
        g_strdup_printf("%s%s%s%s", key, plot->unit ? "  [" : "", plot->unit ? plot->unit : "", plot->unit ? "]" : "");
    ui_push(key);
    ui_text(UI_TEXT, title);
    ui_same_line(0);
    if (ui_small_button("close")) {
        view_post_number(view, MESSAGE_UNPLOT, plot->path, plot->element);
        g_hash_table_remove(view->joined, key);
    }
    const bool joined = !first && g_hash_table_contains(view->joined, key);
    if (!first)
        ui_same_line(0);
    if (!first && ui_small_button(joined ? "apart" : "with the one above")) {
        if (joined)
            g_hash_table_remove(view->joined, key);
        else
            g_hash_table_add(view->joined, g_strdup(key));
    }
    ui_pop();
    g_free(title);
    g_free(key);
}

/* One diagram: the plot in this place and those after it that were joined to it. Returns the place behind them. */
static guint draw_plots(View *view, const GPtrArray *plots, guint begin, float height)
{
    const PlotView *first = g_ptr_array_index(plots, begin);
    guint end = begin + 1;
    while (end < plots->len && is_joined(view, g_ptr_array_index(plots, end)))
        end++;
    GArray *curves = g_array_new(FALSE, FALSE, sizeof(UiCurve));
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *unit = first->unit;
    for (guint i = begin; i < end; i++) {
        const PlotView *plot = g_ptr_array_index(plots, i);
        unit = g_strcmp0(unit, plot->unit) == 0 ? unit : NULL;
        for (uint32_t c = 0; c < plot->curves; c++) {
            const char *axis = axis_of_curve(plot, c), *separator = *axis && end > begin + 1 ? " " : "";
            char *of = end > begin + 1 || !*axis ? key_of(plot) : g_strdup("");
            g_ptr_array_add(names, g_strconcat(of, separator, axis, NULL));
            g_free(of);
            const UiCurve curve = {plot->values[c], g_ptr_array_index(names, names->len - 1)};
            g_array_append_val(curves, curve);
        }
        plot_title(view, plot, i == 0);
    }
    ui_push(g_ptr_array_index(names, 0));
    ui_plot("##plot", first->times, (const UiCurve *)(const void *)curves->data, (int)curves->len, (int)first->count,
            "s", unit, height);
    ui_pop();
    g_ptr_array_free(names, TRUE);
    g_array_free(curves, TRUE);
    return end;
}

static void plots_tab(View *view)
{
    const GPtrArray *plots = view->now->plots;
    if (!plots->len) {
        ui_wrapped(
            UI_DIM,
            "Nothing is plotted. Click on ~ beside a value in the panel of fields, or on the number of an entry in a list.");
        return;
    }
    if (ui_button("Export as CSV..."))
        dialogs_files(view, FILE_EXPORT);
    /* One is seen as a whole. */
    const float height = plots->len == 1 ? fmaxf(80, view->bottom - 4.6f * ui_line_height()) : 150;
    if (ui_child_begin("plots", 0, 0, false))
        for (guint i = 0; i < plots->len;)
            i = draw_plots(view, plots, i, height);
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
        ui_wrapped(UI_DIM, now->animates ? "Timings appear after a few steps." : "Run the simulation to see timings.");
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
            if (ui_tab_begin("Devices", view->tab == 3)) {
                devices_tab(view);
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
