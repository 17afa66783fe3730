/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The screen of a desktop: a window of SDL.
 */
#include "view.h"

#include <SDL.h>
#include <stdio.h>

#include "display.h"

typedef struct Desktop {
    SDL_Window *window;
    SDL_GLContext context;
    unsigned wake_event;
} Desktop;

static bool failed(const char *what, const char *remedy)
{
    fprintf(stderr, "divan-view: %s: %s; %s\n", what, SDL_GetError(), remedy);
    return false;
}

static float scale_of_display(void)
{
    float dpi = 96;
    if (SDL_GetDisplayDPI(0, NULL, &dpi, NULL) != 0 || dpi < 120)
        return 1;
    return fminf(dpi / 96, 2.5f);
}

static bool open_window(View *view, Desktop *desktop)
{
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_FORWARD_COMPATIBLE_FLAG);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    const Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    desktop->window = SDL_CreateWindow("divan-view", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                       view->options.width, view->options.height, flags);
    if (!desktop->window)
        return failed("no window", "it takes a display with OpenGL; `divan-view --serve 8080` shows it in a browser, "
                                   "`divan run` and `divan render` need none");
    /* One that says when it is lost, where there is such a one. */
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_RESET_NOTIFICATION, SDL_GL_CONTEXT_RESET_LOSE_CONTEXT);
    desktop->context = SDL_GL_CreateContext(desktop->window);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_RESET_NOTIFICATION, SDL_GL_CONTEXT_RESET_NO_NOTIFICATION);
    if (!desktop->context)
        desktop->context = SDL_GL_CreateContext(desktop->window);
    if (!desktop->context)
        return failed("no OpenGL 3.3",
                      "a driver of the graphics card, or Mesa's software renderer (libgl1-mesa-dri), gives it");
    (void)SDL_GL_SetSwapInterval(1);
    SDL_SetWindowMinimumSize(desktop->window, 480, 320);
    return true;
}

/* The thread of the simulation ends what it records. */
static void end_session(void *context)
{
    const View *view = context;
    filming_end(context);
    session_free(view->session);
}

static bool open_desktop(View *view)
{
    Desktop *desktop = g_new0(Desktop, 1);
    view->at_screen = desktop;
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "0");
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return failed("no display",
                      "set DISPLAY or WAYLAND_DISPLAY, show the window in a browser by `divan-view --serve 8080`, "
                      "or use `divan run` and `divan render`, which need none");
    display_take_errors(end_session, view);
    desktop->wake_event = SDL_RegisterEvents(1);
    return open_window(view, desktop);
}

static bool start_panels(View *view, const char *font)
{
    const Desktop *desktop = view->at_screen;
    return ui_start(desktop->window, desktop->context, font, scale_of_display());
}

static void close_desktop(View *view)
{
    Desktop *desktop = view->at_screen;
    if (desktop->context)
        SDL_GL_DeleteContext(desktop->context);
    if (desktop->window)
        SDL_DestroyWindow(desktop->window);
    SDL_Quit();
    g_free(desktop);
}

static bool next(View *view, SDL_Event *event, int milliseconds)
{
    (void)view;
    return SDL_WaitEventTimeout(event, milliseconds) != 0;
}

static void wake(View *view)
{
    const Desktop *desktop = view->at_screen;
    SDL_Event event = {.type = desktop->wake_event};
    SDL_PushEvent(&event);
}

static bool takes_frame(View *view)
{
    const Desktop *desktop = view->at_screen;
    return !(SDL_GetWindowFlags(desktop->window) & SDL_WINDOW_MINIMIZED);
}

static void size(const View *view, int *width, int *height)
{
    const Desktop *desktop = view->at_screen;
    SDL_GL_GetDrawableSize(desktop->window, width, height);
}

static void show(View *view)
{
    const Desktop *desktop = view->at_screen;
    SDL_GL_SwapWindow(desktop->window);
}

static void put_title(View *view, const char *title)
{
    const Desktop *desktop = view->at_screen;
    SDL_SetWindowTitle(desktop->window, title);
}

static void full_screen(View *view, bool on)
{
    const Desktop *desktop = view->at_screen;
    SDL_SetWindowFullscreen(desktop->window, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

static void grow(View *view, int width, int height)
{
    const Desktop *desktop = view->at_screen;
    SDL_Rect usable = {0};
    int now[2] = {0, 0};
    SDL_GetWindowSize(desktop->window, &now[0], &now[1]);
    if (SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(desktop->window), &usable) == 0)
        SDL_SetWindowSize(desktop->window, MIN(now[0] + width, usable.w), MIN(now[1] + height, usable.h));
}

const Screen screen_desktop = {
    .open = open_desktop,
    .start_panels = start_panels,
    .close = close_desktop,
    .next = next,
    .wake = wake,
    .takes_frame = takes_frame,
    .size = size,
    .show = show,
    .title = put_title,
    .full_screen = full_screen,
    .grow = grow,
};
