/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What panels are drawn with: Dear ImGui behind plain functions, so that panels are C. ui.cpp is the one C++ file.
 *
 * A frame: ui_event for each event, ui_begin, panels, ui_end. Sizes and places are pixels from the upper left corner. Colours are
 * 0xRRGGBBAA. Texts are UTF-8; a label may end in ##ID, which is not shown. All on the window's thread.
 */
#ifndef DIVAN_VIEW_UI_H
#define DIVAN_VIEW_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef union SDL_Event SDL_Event;
typedef struct SDL_Window SDL_Window;

typedef struct UiBox {
    float x, y, width, height;
} UiBox;

enum {
    UI_TEXT = 0xd6dae0ff,
    UI_DIM = 0x8b929cff,
    UI_ACCENT = 0x4fa3e0ff,
    UI_GOOD = 0x6fc07aff,
    UI_WARNING = 0xe8b04bff,
    UI_ERROR = 0xec6a5eff
};

/* font: a file, or NULL; window NULL: there is none, events say all that is known and ui_resize how large it is. */
bool ui_start(SDL_Window *window, void *context, const char *font, float scale);
void ui_stop(void);
/* `scale`: pixels of the framebuffer for one of the window. Letters are drawn with that many. */
void ui_resize(float width, float height, float scale);
void ui_event(const SDL_Event *event);
/* Who is given text that is copied, instead of the clipboard of SDL; what is pasted comes as text of the keyboard. */
void ui_on_copy(void (*copy)(void *context, const char *text), void *context);
void ui_begin(void);
void ui_end(void);           /* draws into the framebuffer that is bound */
bool ui_wants_keys(void);    /* somebody types */
const char *ui_cursor(void); /* that of the mouse, as CSS calls it */
float ui_line_height(void);
UiBox ui_screen(void);

/* Panels: at a place of their own, or free windows that can be closed. Always to be ended. */
bool ui_panel_begin(const char *name, UiBox box, bool padded, bool scrolls);
void ui_panel_end(void);
bool ui_window_begin(const char *name, bool *open, float width, float height);
void ui_window_end(void);
bool ui_window_is_in_front(void); /* the one that is being drawn: it was opened or pressed last */
bool ui_child_begin(const char *name, float width, float height, bool border);
void ui_child_end(void);
/* A bar between two panels that is dragged; true while it moves *size. */
bool ui_splitter(const char *name, UiBox box, bool vertical, float *size, float sign, float least, float most);

/* What is between them has ids of its own. */
void ui_push(const char *id);
void ui_pop(void);

/* Menus */
bool ui_menu_bar_begin(void);
float ui_menu_bar_end(void); /* its height */
bool ui_menu_begin(const char *label);
void ui_menu_end(void);
bool ui_menu_item(const char *label, const char *shortcut, bool checked, bool enabled);
bool ui_menu_choice(const char *label, const char *state, bool checked); /* its menu stays open */
bool ui_fold_begin(const char *id); /* what there is no room for, behind a button; to be ended by ui_popup_end */
bool ui_context_menu_begin(const char *id); /* of the last item, by the right button */
void ui_popup_end(void);
bool ui_close_popups(void); /* menus, lists of choices; false: none is open */
void ui_separator(void);

/* Text */
void ui_text(uint32_t color, const char *text);
void ui_mark(uint32_t color,
             const char *text); /* in the line of one that is selectable, which leaves no gap to the next */
void ui_wrapped(uint32_t color, const char *text);
void ui_tooltip(const char *text); /* of the last item */
void ui_same_line(float offset);   /* from the left; 0: behind the last item */
void ui_heading(const char *text);
float ui_text_width(const char *text);
float ui_width_left(void); /* width that is left in the line */

/* Things to press */
typedef enum UiIcon {
    UI_PLAY,
    UI_PAUSE,
    UI_STEP,
    UI_RESET,
    UI_RELOAD,
    UI_CAMERA,
    UI_RECORD,
    UI_STOP,
    UI_EYE,
    UI_FIT
} UiIcon;
bool ui_icon_button(const char *id, UiIcon icon, const char *tooltip, bool lit, bool enabled);
bool ui_button(const char *label);
bool ui_small_button(const char *label);
bool ui_toggle(const char *label, bool lit); /* a button that stays pressed */
bool ui_checkbox(const char *label, bool *on);
bool ui_selectable(const char *label, bool selected); /* true: pressed */
bool ui_double_clicked(void);                         /* the last item */
bool ui_combo(const char *id, const char *const *items, int *selected);
void ui_enabled(bool enabled);                 /* pairs: false, then true */
void ui_width(float width);                    /* of the next item; negative: up to so far from the right edge */
bool ui_section(const char *label, bool open); /* one that folds */

/* Editing. True: the user has finished, by Enter or by going elsewhere, and the value is another. */
bool ui_edit_text(const char *id, const char *hint, char *text, size_t size);
bool ui_edit_line(const char *id, char *text, size_t size, bool *entered); /* while it is typed; entered: by Enter */
bool ui_search(const char *id, const char *hint, char *text, size_t size); /* true: by Enter */
bool ui_edit_double(const char *id, double *value, const char *format);
bool ui_drag_double(const char *id, double *value, double least, double most, const char *format, bool logarithmic);
bool ui_edit_color(const char *id, double color[4]);
bool ui_is_edited(void); /* the last item has the keys */
void ui_focus_next(void);

/* Tabs, tables, long lists */
bool ui_tabs_begin(const char *id);
void ui_tabs_end(void);
bool ui_tab_begin(const char *label, bool front);
void ui_tab_end(void);
bool ui_table_begin(const char *id, int columns, const char *const *heads, const float *widths, float height);
void ui_table_row(void);
void ui_table_cell(void);
void ui_table_end(void);
/* Draws rows of one height: those that are seen. while (ui_rows(&clip, &first, &end)) */
typedef struct UiRows UiRows;
UiRows *ui_rows_begin(int count);
bool ui_rows(UiRows *rows, int *first, int *end); /* frees it when it returns false */
void ui_scroll_here(void);
bool ui_at_bottom(void);

/* A row of a tree: an arrow if it has children, a badge, a name, a dim remark. */
typedef struct UiTreeRow {
    const char *id, *name, *remark;
    char letter;    /* in the badge */
    uint32_t color; /* of the badge */
    int depth;
    bool has_children, open, selected, dim;
    uint32_t mark; /* colour of a dot at the right: 0: none */
} UiTreeRow;
typedef enum UiTreeClick { UI_CLICK_NONE, UI_CLICK_ARROW, UI_CLICK_ROW, UI_CLICK_DOUBLE } UiTreeClick;
UiTreeClick ui_tree_row(const UiTreeRow *row);

/* Curves over one axis, with scales, and what is under the mouse in numbers. */
typedef struct UiCurve {
    const float *values; /* [count]; NaN: a gap */
    const char *name;
} UiCurve;
void ui_plot(const char *id, const float *x, const UiCurve *curves, int curve_count, int count, const char *x_unit,
             const char *unit, float height);
void ui_bar(double share, uint32_t color, const char *text); /* over the width that is left */

/* The picture, and the mouse over it. */
UiBox ui_image(uint32_t texture, float width, float height); /* the first row of the texture is the lowest */
/* A picture whose first row is the highest (0: none), with a name below it. True: pressed. */
bool ui_card(const char *id, uint32_t texture, float width, float height, const char *name);
bool ui_hovered(void); /* the last item */
void ui_mouse(float *x, float *y);
bool ui_mouse_down(int button), ui_mouse_pressed(int button); /* 0 left, 1 right, 2 middle */
float ui_wheel(void);
bool ui_shift(void);

/* Over everything of the panel that is being drawn. */
void ui_draw_line(float x0, float y0, float x1, float y1, uint32_t color, float width);
void ui_draw_arrow(float x0, float y0, float x1, float y1, uint32_t color, float width);
void ui_draw_circle(float x, float y, float radius, uint32_t color, bool filled);
void ui_draw_text(float x, float y, uint32_t color, const char *text);
void ui_draw_box(UiBox box, uint32_t color, float rounding);

#ifdef __cplusplus
}
#endif
#endif
