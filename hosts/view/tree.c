/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tree of the scene.
 */
#include "view.h"

#include <ctype.h>

static uint32_t color_of_family(const char *family)
{
    static const uint32_t colors[] = {0x6fb3e8ff, 0xe8a35bff, 0x84c98cff, 0xd88bc0ff,
                                      0xd6c46aff, 0x79cfd2ff, 0xb39ce8ff, 0xe88379ff};
    return family ? colors[g_str_hash(family) % G_N_ELEMENTS(colors)] : 0x9aa4b0ff;
}

bool panels_contain(const char *text, const char *part)
{
    char *a = g_utf8_casefold(text, -1), *b = g_utf8_casefold(part, -1);
    const bool found = strstr(a, b) != NULL;
    g_free(a);
    g_free(b);
    return found;
}

static bool matches(const TreeItem *entry, const char *search)
{
    return panels_contain(entry->name, search) || panels_contain(entry->type, search) ||
           (entry->family && panels_contain(entry->family, search));
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
    if (click == UI_CLICK_ARROW && !g_hash_table_remove(view->folded, entry->path))
        (void)g_hash_table_add(view->folded, g_strdup(entry->path));
    if (click == UI_CLICK_ROW) {
        view_select(view, entry->path);
        view->reveals = false; /* it is seen: the tree stays where it is */
    }
    if (click == UI_CLICK_DOUBLE)
        viewport_fit_path(view, entry->path);
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
