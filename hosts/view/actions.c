/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What keys, menus and buttons do: a table of actions, each with its keys, its words and its function.
 */
#include "view.h"

#include <SDL.h>

static void toggle(View *view, bool *what)
{
    *what = !*what;
    view->viewport.drawn = 0;
}

static void record(View *view)
{
    if (view->now->recording)
        view_post(view, MESSAGE_RECORD_END, NULL, NULL);
    else if (view->now->has_scene)
        dialogs_files(view, FILE_RECORD);
}

static void animate(View *view)
{
    view_post_number(view, MESSAGE_ANIMATE, NULL, !view->now->animates);
}

static void make_step(View *view)
{
    view_post(view, MESSAGE_STEP, NULL, NULL);
}

static void reset(View *view)
{
    view_post(view, MESSAGE_RESET, NULL, NULL);
}

static void undo(View *view)
{
    view_post(view, MESSAGE_UNDO, NULL, NULL);
}

static void reload(View *view)
{
    view_forget_errors(view);
    view_post(view, MESSAGE_RELOAD, NULL, NULL);
}

static void open_scene(View *view)
{
    dialogs_files(view, FILE_OPEN);
}

static void save_scene(View *view)
{
    if (view->now->has_scene)
        dialogs_files(view, FILE_SAVE);
}

static void film(View *view)
{
    if (view->filming)
        filming_end(view);
    else if (view->now->has_scene)
        dialogs_files(view, FILE_FILM);
}

static void replay(View *view)
{
    dialogs_files(view, FILE_REPLAY);
}

static void export_plots(View *view)
{
    if (view->now->has_scene)
        dialogs_files(view, FILE_EXPORT);
}

static void change_projection(View *view)
{
    toggle(view, &view->viewport.camera.orthographic);
}

static void change_background(View *view)
{
    Viewport *port = &view->viewport;
    port->background++;
    port->drawn = 0;
}

static void show_axes(View *view)
{
    Viewport *port = &view->viewport;
    toggle(view, &port->axes);
    port->box = port->axes;
}

static void show_through(View *view)
{
    toggle(view, &view->viewport.xray);
}

static void show_edges(View *view)
{
    toggle(view, &view->viewport.wireframe);
}

static void cut_away(View *view)
{
    toggle(view, &view->viewport.clips);
}

static void show_panels(View *view)
{
    view->hides_panels = !view->hides_panels;
}

static void fill_screen(View *view)
{
    window_full_screen(view, !view->full_screen);
}

static void find_in_tree(View *view)
{
    view->hides_panels = false;
    view->search[0] = '\0';
    view->focuses_search = true;
}

static void plot(View *view)
{
    if (view->changed)
        view_post(view, MESSAGE_PLOT, view->changed, NULL);
    view->tab = 1;
}

static void change_pace(View *view)
{
    view_post_number(view, MESSAGE_PACE, NULL, !view->now->real_time);
}

static void give_mouse(View *view)
{
    view->viewport.gives = !view->viewport.gives;
    view->viewport.drag.x = NAN;
    view_toast(view, "%s",
               view->viewport.gives ? "The mouse is a device of the scene now (D: no more)"
                                    : "The mouse moves the view again");
}

static void stop_forces(View *view)
{
    view_post_number(view, MESSAGE_FORCES, NULL, view->now->forces_stopped);
}

static void show_keys(View *view)
{
    view->shows_keys = !view->shows_keys;
}

static void quit(View *view)
{
    view->quits = true;
}

const Shortcut shortcuts[ACTIONS] = {
    [ACTION_ANIMATE] = {"Space", "Play/Pause", SDLK_SPACE, false, false, animate},
    [ACTION_STEP] = {"N", "Step", SDLK_n, false, false, make_step},
    [ACTION_RESET] = {"Backspace", "Reset", SDLK_BACKSPACE, false, false, reset},
    [ACTION_UNDO] = {"Ctrl+Z", "Undo the last change", SDLK_z, true, false, undo},
    [ACTION_RELOAD] = {"Ctrl+R", "Reload", SDLK_r, true, false, reload},
    [ACTION_OPEN] = {"Ctrl+O", "Open...", SDLK_o, true, false, open_scene},
    [ACTION_SAVE] = {"Ctrl+S", "Save with its state...", SDLK_s, true, false, save_scene},
    [ACTION_SCREENSHOT] = {"S", "Save picture", SDLK_s, false, false, viewport_screenshot},
    [ACTION_FILM] = {"Ctrl+M", "Record video", SDLK_m, true, false, film},
    [ACTION_RECORD] = {"Ctrl+E", "Record session", SDLK_e, true, false, record},
    [ACTION_REPLAY] = {"Ctrl+P", "Replay a recording...", SDLK_p, true, false, replay},
    [ACTION_EXPORT] = {"Ctrl+T", "Export plots...", SDLK_t, true, false, export_plots},
    [ACTION_FIT] = {"F", "Frame the moving bodies; press again for everything", SDLK_f, false, false, viewport_fit},
    [ACTION_FIT_SELECTED] = {"Shift+F", "Frame the selection", SDLK_f, false, true, viewport_fit_selected},
    [ACTION_DEFAULT_VIEW] = {"V", "Restore view", SDLK_v, false, false, viewport_restore_view},
    [ACTION_SAVE_VIEW] = {"W", "Save view", SDLK_w, false, false, viewport_save_view},
    [ACTION_PROJECTION] = {"T", "Parallel projection", SDLK_t, false, false, change_projection},
    [ACTION_BACKGROUND] = {"B", "Next background", SDLK_b, false, false, change_background},
    [ACTION_AXES] = {"R", "Axes and bounds", SDLK_r, false, false, show_axes},
    [ACTION_XRAY] = {"X", "X-ray", SDLK_x, false, false, show_through},
    [ACTION_WIREFRAME] = {"M", "Wireframe", SDLK_m, false, false, show_edges},
    [ACTION_CLIP] = {"C", "Cut away the front", SDLK_c, false, false, cut_away},
    [ACTION_PANELS] = {"Tab", "Panels", SDLK_TAB, false, false, show_panels},
    [ACTION_FULL_SCREEN] = {"F11", "Full screen", SDLK_F11, false, false, fill_screen},
    [ACTION_FIND] = {"Ctrl+F", "Find in the tree", SDLK_f, true, false, find_in_tree},
    [ACTION_PLOT] = {"Ctrl+G", "Plot the field that was changed last", SDLK_g, true, false, plot},
    [ACTION_PACE] = {"P", "Real time", SDLK_p, false, false, change_pace},
    [ACTION_MOUSE] = {"D", "The mouse is a device", SDLK_d, false, false, give_mouse},
    [ACTION_FORCES] = {"F8", "Stop all forces", SDLK_F8, false, false, stop_forces},
    [ACTION_KEYS] = {"F1", "Shortcuts", SDLK_F1, false, false, show_keys},
    [ACTION_QUIT] = {"Ctrl+Q", "Quit", SDLK_q, true, false, quit},
};

void view_act(View *view, Action action)
{
    shortcuts[action].run(view);
    view->frames = MAX(view->frames, SETTLING_FRAMES);
}
