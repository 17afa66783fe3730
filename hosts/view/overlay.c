/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is drawn over the picture: what the mouse holds, the blade, names, words.
 */
#include "view.h"

static void draw_grab(const View *view, UiBox box)
{
    const GrabView *grab = &view->now->grab;
    const DvMouseBinding *binding = &view->now->settings.bindings[view->viewport.grabbing];
    const DvCamera camera = viewport_camera(view);
    const DvVec3 way = dv_vec3_sub(dv_vec3_load(grab->to), dv_vec3_load(grab->from));
    double tip[3], from[2], to[2];
    dv_vec3_store(
        dv_vec3_add(dv_vec3_load(grab->from), dv_vec3_scale(way, binding->arrow_scale > 0 ? binding->arrow_scale : 1)),
        tip);
    if (!grab->active || !camera_project(&camera, box.width, box.height, grab->from, from) ||
        !camera_project(&camera, box.width, box.height, tip, to))
        return;
    /* Its radius is in metres, seen as its length is. */
    const double length = dv_vec3_distance(dv_vec3_load(tip), dv_vec3_load(grab->from));
    const double pixels = length > 0 ? hypot(to[0] - from[0], to[1] - from[1]) / length : 0;
    const float width = (float)fmin(fmax(2 * binding->arrow_size * pixels, 3), 40);
    const float x0 = box.x + (float)from[0], y0 = box.y + (float)from[1], x1 = box.x + (float)to[0],
                y1 = box.y + (float)to[1];
    ui_draw_arrow(x0, y0, x1, y1, 0xffd34dff, width);
    ui_draw_circle(x0, y0, 5, 0xffd34dff, true);
    ui_draw_circle(x1, y1, 7, 0xffd34dff, false);
    char *text = grab->force > 0 ? g_strdup_printf("%s   %.3g N", grab->what, grab->force) : g_strdup(grab->what);
    const UiBox back = {x1 + 12, y1 + 6, ui_text_width(text) + 12, 22};
    ui_draw_box(back, 0x14171bd0, 4);
    ui_draw_text(back.x + 6, back.y + 3, UI_TEXT, text);
    g_free(text);
}

static void draw_lines(const char *const *lines, const uint32_t *colors, int count, UiBox box)
{
    const float line = ui_line_height();
    for (int i = 0; i < count; i++)
        ui_draw_text(box.x + (box.width - ui_text_width(lines[i])) / 2,
                     box.y + box.height / 2 + line * ((float)i - (float)count / 2), colors[i], lines[i]);
}

static void draw_blade(const View *view, UiBox box)
{
    const GArray *blade = view->viewport.blade;
    const float *at = (const float *)(const void *)blade->data;
    for (guint i = 1; view->now->grab.active && i < blade->len; i++, at += 2)
        ui_draw_line(box.x + at[0], box.y + at[1], box.x + at[2], box.y + at[3], 0xffd34dff, 2);
}

static void draw_name(const View *view, UiBox box)
{
    const Viewport *port = &view->viewport;
    if (!port->below)
        return;
    const float width = ui_text_width(port->below) + 12, height = 22;
    const UiBox back = {box.x + fminf((float)port->below_x + 14, fmaxf(box.width - width, 0)),
                        box.y + fminf((float)port->below_y + 16, fmaxf(box.height - height, 0)), width, height};
    ui_draw_box(back, 0x14171bd0, 4);
    ui_draw_text(back.x + 6, back.y + 3, UI_TEXT, port->below);
}

/* The edges of the bounds, where there is no renderer: it can be seen that something is there, and moved. */
static void draw_bounds(const View *view, UiBox box)
{
    const DvCamera camera = viewport_camera(view);
    double pixel[8][2];
    bool seen = true;
    for (int i = 0; i < 8; i++) {
        double at[3];
        for (int c = 0; c < 3; c++)
            at[c] = view->now->box[c + 3 * (i >> c & 1)];
        seen = seen && camera_project(&camera, box.width, box.height, at, pixel[i]);
    }
    for (int i = 0; seen && i < 8; i++)
        for (int c = 0; c < 3; c++)
            if (!(i >> c & 1))
                ui_draw_line(box.x + (float)pixel[i][0], box.y + (float)pixel[i][1],
                             box.x + (float)pixel[i | 1 << c][0], box.y + (float)pixel[i | 1 << c][1], UI_ACCENT, 1.5f);
}

static void draw_words(const View *view, UiBox box)
{
    const Viewport *port = &view->viewport;
    const Snapshot *now = view->now;
    if (!now->has_scene) {
        const char *lines[] = {"This scene could not be loaded.", "The log below says why."};
        draw_lines(lines, (const uint32_t[]){UI_ERROR, UI_DIM}, 2, box);
        return;
    }
    if (port->problem) {
        const char *lines[] = {port->problem};
        draw_bounds(view, box);
        draw_lines(lines, (const uint32_t[]){UI_WARNING}, 1, (UiBox){box.x, box.y, box.width, 60});
    }
    draw_grab(view, box);
    devices_draw(view, box);
    draw_blade(view, box);
    draw_name(view, box);
    if (view->problems) {
        char *text =
            g_strdup_printf("%zu error%s in this scene; see the log", view->problems, view->problems == 1 ? "" : "s");
        const UiBox back = {box.x + 12, box.y + 12, ui_text_width(text) + 20, 26};
        ui_draw_box(back, 0x5b2320e0, 5);
        ui_draw_text(back.x + 10, back.y + 5, 0xffd9d5ff, text);
        g_free(text);
    }
}

static void draw_toast(const View *view, UiBox box)
{
    if (!view->toast)
        return;
    const float width = ui_text_width(view->toast) + 28;
    const UiBox back = {box.x + (box.width - width) / 2, box.y + box.height - 52, width, 32};
    ui_draw_box(back, 0x14171be8, 6);
    ui_draw_text(back.x + 14, back.y + 8, UI_TEXT, view->toast);
}

void overlay_draw(const View *view, UiBox box)
{
    draw_words(view, box);
    draw_toast(view, box);
}
