/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Haptic devices in the window: a table of them, the force on the hand as an arrow at its tool, the mouse as a device, and the stop of all
 * forces.
 */
#include "view.h"

#include <divan/input.h>
#include <stdio.h>

static const uint32_t force_color = 0x55d6a8ff;

/* ---- The table ---- */

static void cell(uint32_t color, const char *text)
{
    ui_table_cell();
    ui_text(color, text);
}

static void row(const View *view, const DeviceView *device)
{
    static const char *const states[] = {"absent", "ready", "running", "lost", "failed"};
    const bool works = device->state == DV_HAPTIC_READY || device->state == DV_HAPTIC_RUNNING;
    char text[128];
    ui_table_row();
    cell(UI_TEXT, device->path);
    snprintf(text, sizeof text, "%s%s%s", states[device->state], device->reason ? ": " : "",
             device->reason ? device->reason : "");
    cell(!works ? UI_ERROR : device->state == DV_HAPTIC_RUNNING ? UI_GOOD : UI_DIM, text);
    snprintf(text, sizeof text, "%.0f", device->rate);
    cell(UI_TEXT, text);
    snprintf(text, sizeof text, "%.3g", device->strength);
    cell(view->now->forces_stopped ? UI_WARNING : UI_TEXT, view->now->forces_stopped ? "stopped" : text);
    const double energies[] = {device->work, device->put_in, device->stored, device->removed, device->deficit};
    for (size_t i = 0; i < G_N_ELEMENTS(energies); i++) {
        snprintf(text, sizeof text, "%.3g", 1e3 * energies[i]);
        cell(i == 4 && energies[i] > 0 ? UI_WARNING : UI_TEXT, text);
    }
}

void devices_tab(const View *view)
{
    static const char *const heads[] = {"device",     "state",      "ticks/s",   "force, N",   "work, mJ",
                                        "put in, mJ", "stored, mJ", "taken, mJ", "deficit, mJ"};
    static const float widths[] = {110, 120, 70, 75, 80, 90, 90, 90, 0};
    const GArray *devices = view->now->devices;
    if (!devices || !devices->len) {
        ui_wrapped(
            UI_DIM,
            "The scene has no haptic device. A SimulatedHapticDevice needs none: with motion=\"mouse\" the mouse of this window moves it (D).");
        return;
    }
    if (ui_table_begin("##devices", (int)G_N_ELEMENTS(heads), heads, widths, -1)) {
        for (guint i = 0; i < devices->len; i++)
            row(view, &g_array_index(devices, DeviceView, i));
        ui_table_end();
    }
}

/* ---- The tools ---- */

static const char stop_label[] = "Stop forces", mouse_label[] = "Mouse is a device";

float devices_tool_width(void)
{
    const float gap = 8;
    return ui_text_width(stop_label) + ui_text_width(mouse_label) + ui_line_height() + 8 * gap;
}

void devices_tool(View *view)
{
    if (ui_toggle(stop_label, view->now->forces_stopped))
        view_act(view, ACTION_FORCES);
    ui_tooltip("no haptic device pushes any more until this is pressed again (F8); then forces come back slowly");
    ui_same_line(0);
    bool gives = view->viewport.gives;
    if (ui_checkbox(mouse_label, &gives))
        view_act(view, ACTION_MOUSE);
    ui_tooltip(
        "what the mouse does in the picture goes to the scene: to devices with motion=\"mouse\" and controllers (D)");
}

/* ---- Over the picture ---- */

/* As long as half of the picture's lower side for the strongest that a small arm shows. */
static void draw_force(const View *view, const DeviceView *device, UiBox box)
{
    static const double newtons = 3.3;
    const DvCamera camera = viewport_camera(view);
    const double strength = dv_vec3_norm(dv_vec3_load(device->force));
    double from[2], ahead[3], to[2];
    if (!device->has_place || !(strength > 1e-3 * newtons))
        return;
    /* The direction as it is seen, of a way that is short beside the distance. */
    const double far = dv_vec3_distance(dv_vec3_load(device->place), dv_vec3_load(camera.position));
    dv_vec3_store(dv_vec3_madd(dv_vec3_load(device->place), 1e-2 * far / strength, dv_vec3_load(device->force)), ahead);
    if (!camera_project(&camera, box.width, box.height, device->place, from) ||
        !camera_project(&camera, box.width, box.height, ahead, to))
        return;
    const double dx = to[0] - from[0], dy = to[1] - from[1], seen = hypot(dx, dy);
    const double length = 0.25 * (double)fminf(box.width, box.height) * fmin(strength / newtons, 2);
    const double scale = seen > 1e-3 ? length / seen : 0;
    const float x = box.x + (float)from[0], y = box.y + (float)from[1];
    const float x1 = x + (float)(scale * dx), y1 = y + (float)(scale * dy);
    char text[64];
    ui_draw_circle(x, y, 4, force_color, true);
    ui_draw_arrow(x, y, x1, y1, force_color, 4);
    snprintf(text, sizeof text, "%.3g N", device->strength);
    ui_draw_text(x1 + 8, y1 - 8, force_color, text);
}

void devices_draw(const View *view, UiBox box)
{
    const GArray *devices = view->now->devices;
    for (guint i = 0; devices && i < devices->len; i++)
        draw_force(view, &g_array_index(devices, DeviceView, i), box);
    if (view->now->forces_stopped && devices && devices->len > 0) {
        static const char stopped[] = "All forces are stopped (F8)";
        const UiBox back = {box.x + 12, box.y + box.height - 44, ui_text_width(stopped) + 20, 26};
        ui_draw_box(back, 0x5b2320e0, 5);
        ui_draw_text(back.x + 10, back.y + 5, 0xffd9d5ff, stopped);
    }
}

/* ---- The mouse ---- */

static void post_mouse(View *view, DvMouseChange change, DvPressedButton button, double right, double down)
{
    session_post(view->session,
                 &(Message){.kind = MESSAGE_MOUSE, .numbers = {change, button, rint(right), rint(down)}});
}

/* Of those that are down the first. */
static DvPressedButton held(const Viewport *port)
{
    for (unsigned button = DV_LEFT_BUTTON; button <= DV_RIGHT_BUTTON; button++)
        if (port->given >> button & 1u)
            return (DvPressedButton)button;
    return DV_NO_BUTTON;
}

bool devices_take_mouse(View *view, double x, double y, bool hovered)
{
    static const DvPressedButton buttons[] = {DV_LEFT_BUTTON, DV_RIGHT_BUTTON,
                                              DV_MIDDLE_BUTTON}; /* as ui_mouse_down has them */
    Viewport *port = &view->viewport;
    if (!port->gives && !port->given)
        return false;
    const bool over = hovered || port->given;
    const double dx = rint(x - port->drag.x), dy = rint(y - port->drag.y); /* NaN: it has just come */
    if (port->gives && over && fabs(dx) + fabs(dy) > 0)
        post_mouse(view, DV_MOUSE_MOVED, held(port), dx, dy);
    port->drag.x = over ? x : NAN, port->drag.y = y;
    for (int i = 0; i < 3; i++) {
        const unsigned bit = 1u << buttons[i];
        if (port->gives && hovered && ui_mouse_pressed(i)) {
            port->given |= bit;
            post_mouse(view, DV_MOUSE_PRESSED, buttons[i], 0, 0);
        }
        if ((port->given & bit) && (!ui_mouse_down(i) || !port->gives)) {
            port->given &= ~bit;
            post_mouse(view, DV_MOUSE_RELEASED, buttons[i], 0, 0);
        }
    }
    if (port->gives && hovered && ui_wheel() != 0)
        post_mouse(view, DV_MOUSE_WHEEL, DV_NO_BUTTON, 0, (double)ui_wheel());
    g_clear_pointer(&port->below, g_free);
    return true;
}
