/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bars: menus and tools above, the line of the state below.
 */
#include "view.h"

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
    item(view, ACTION_UNDO, false, now->has_scene);
    item(view, ACTION_PACE, now->real_time, true);
    ui_separator();
    item(view, ACTION_MOUSE, view->viewport.gives, now->has_scene);
    item(view, ACTION_FORCES, now->forces_stopped, now->has_scene);
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
    item(view, ACTION_FIT_SELECTED, false, view->now->object != NULL);
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
        if (ui_menu_choice(flag_names[i], states[view->flags[i] + 1], view->flags[i] > 0)) {
            view->flags[i] = (signed char)(view->flags[i] == 1 ? -1 : view->flags[i] + 1);
            post_flags(view);
        }
    ui_separator();
    if (ui_menu_choice("As in the scene", "", false)) {
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
}

static void pace(View *view)
{
    bool real_time = view->now->real_time;
    if (ui_checkbox("Real time", &real_time))
        view_act(view, ACTION_PACE);
    ui_tooltip("Steps no faster than the clock (P); otherwise as fast as possible");
}

static void mouse_tool(View *view)
{
    static const char *const modes[] = {
        "pulls by a spring", "pulls by a constraint", "fixes", "removes elements", "cuts", NULL};
    Viewport *port = &view->viewport;
    int mode = (int)port->mode;
    ui_text(UI_DIM, "    Shift + left");
    ui_same_line(0);
    ui_width(175);
    if (ui_combo("##mode", modes, &mode)) {
        port->mode = (GrabMode)mode;
        port->left_views = false;
    }
    ui_tooltip("the tool of the left button while Shift is held; the right one removes elements, the middle one cuts, "
               "unless the scene has settings of the mouse");
}

static void stiffness(View *view)
{
    ui_width(130);
    (void)ui_drag_double("##stiffness", &view->viewport.stiffness, 0.01, 1e6, "%.4g N/m", true);
    ui_tooltip("stiffness of the spring between mouse and body; click with Ctrl to type a value");
}

static void clip(View *view)
{
    ui_text(UI_DIM, "   cut away");
    ui_same_line(0);
    ui_width(110);
    if (ui_drag_double("##clip", &view->viewport.clip, 0, 1, "%.2f", false))
        view->viewport.drawn = 0;
}

typedef struct Tool {
    void (*draw)(View *view);
    float width; /* with the gap before it */
} Tool;

/* Those that there is no room for are behind a button at the end. */
static void tools_that_fit(View *view, float room)
{
    const float gap = 8, line = ui_line_height();
    const bool devices = view->now->devices && view->now->devices->len > 0;
    const Tool all[] = {
        {devices ? devices_tool : NULL, devices_tool_width()},
        {time_step, 90 + 3 * gap + ui_text_width("  dts")},
        {pace, line + 2 * gap + ui_text_width("Real time")},
        {mouse_tool, 175 + 2 * gap + ui_text_width("    Shift + left")},
        {view->viewport.mode == GRAB_SPRING ? stiffness : NULL, 130 + gap},
        {view->viewport.clips ? clip : NULL, 110 + 2 * gap + ui_text_width("   cut away")},
    };
    float wanted = 0, used = 0;
    size_t shown = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        wanted += all[i].draw ? all[i].width : 0;
    const float most = wanted > room ? room - 2 * gap - line : room;
    for (; shown < G_N_ELEMENTS(all); shown++) {
        if (!all[shown].draw)
            continue;
        used += all[shown].width;
        if (used > most)
            break;
        ui_same_line(0);
        all[shown].draw(view);
    }
    if (shown == G_N_ELEMENTS(all))
        return;
    ui_same_line(0);
    if (!ui_fold_begin("more"))
        return;
    for (; shown < G_N_ELEMENTS(all); shown++)
        if (all[shown].draw)
            all[shown].draw(view);
    ui_popup_end();
}

void panels_toolbar(View *view, UiBox box)
{
    const Snapshot *now = view->now;
    if (ui_panel_begin("##tools", box, true, false)) {
        if (ui_icon_button("animate", now->animates ? UI_PAUSE : UI_PLAY,
                           now->animates ? "Pause (Space)" : "Play (Space)", now->animates, now->has_scene))
            view_act(view, ACTION_ANIMATE);
        ui_same_line(0);
        if (ui_icon_button("step", UI_STEP, "Step (N)", false, now->has_scene && !now->animates))
            view_act(view, ACTION_STEP);
        ui_same_line(0);
        if (ui_icon_button("reset", UI_RESET, "Reset (Backspace)", false, now->has_scene))
            view_act(view, ACTION_RESET);
        ui_same_line(0);
        if (ui_icon_button("reload", UI_RELOAD, "Reload (Ctrl+R)", false, *now->file != '\0'))
            view_act(view, ACTION_RELOAD);
        ui_same_line(0);
        if (ui_icon_button("fit", UI_FIT, "the whole scene in the picture (F)", false, now->has_scene))
            view_act(view, ACTION_FIT);
        ui_same_line(0);
        if (ui_icon_button("screenshot", UI_CAMERA, "Save picture (S)", false, now->has_scene))
            view_act(view, ACTION_SCREENSHOT);
        ui_same_line(0);
        if (ui_icon_button("record", now->recording ? UI_STOP : UI_RECORD,
                           now->recording ? "End the recording (Ctrl+E)" : "Record session, to be replayed (Ctrl+E)",
                           now->recording != NULL, now->has_scene))
            view_act(view, ACTION_RECORD);
        const float button = 1.15f * 1.25f * ui_line_height() + 8;
        tools_that_fit(view, box.width - 20 - 7 * button);
    }
    ui_panel_end();
}

/* The line below */

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
