/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The screen in a browser: drawn without a display, in a context of the renderer's service, sent as JPEG.
 *
 * Frames go when the browser has shown those before, and only those that differ from the last one. While pictures follow each other
 * they are coarser; the last one is sent again as a fine one.
 */
#include "view.h"

#include <epoxy/gl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "input.h"
#include "serve.h"

enum { PATIENCE = 20 };          /* s */
enum { COPIED_MOST = 1 << 20 };  /* bytes */
enum { COARSE = 80, FINE = 95 }; /* quality of JPEG */

typedef struct Browser {
    Server *server;
    const DvRendererOps *drawing;
    DvRenderContext *context;
    unsigned texture;
    int across, down;       /* its window */
    double scale;           /* pixels for one of those; 1 until it says another */
    int width, height;      /* pixels */
    uint8_t *pixels, *sent; /* height x width x 4, the lowest row first; of now, and of the last frame that went */
    bool late;              /* there is a frame that it could not take yet */
    bool known;             /* the browser has `sent` */
    bool coarse;            /* and it was a coarse one */
    bool failed;            /* that has been said */
    const char *cursor;
} Browser;

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

static bool failed(const char *what, const char *remedy)
{
    fprintf(stderr, "divan-view: --serve: %s; %s\n", what, remedy);
    return false;
}

/* OpenGL without a window */
static bool open_context(Browser *browser)
{
    DvText why = {0};
    browser->drawing = dv_service(DV_RENDERER);
    if (!browser->drawing)
        return failed("no plugin draws pictures: divan-opengl.so is not there",
                      "it is built where libepoxy is (on Debian: libepoxy-dev libegl-dev)");
    if (browser->drawing->begin_context(&browser->context, &why) != DV_OK)
        fprintf(stderr, "divan-view: --serve: %s\n", why.at ? why.at : "no OpenGL without a window");
    dv_text_free(&why);
    return browser->context != NULL;
}

static void make_framebuffer(View *view, int width, int height)
{
    Browser *browser = view->at_screen;
    if (!view->framebuffer) {
        glGenFramebuffers(1, &view->framebuffer);
        glGenTextures(1, &browser->texture);
    }
    glBindTexture(GL_TEXTURE_2D, browser->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, browser->texture, 0);
}

static void set_size(View *view, int across, int down, double scale)
{
    Browser *browser = view->at_screen;
    scale = fmax(fmin(scale, (double)INPUT_SIDE_MOST / MAX(across, down)), 1);
    const int width = (int)lrint(across * scale), height = (int)lrint(down * scale);
    const size_t bytes = 4 * (size_t)width * (size_t)height;
    make_framebuffer(view, width, height);
    browser->pixels = g_realloc(browser->pixels, bytes);
    browser->sent = g_realloc(browser->sent, bytes);
    browser->across = across;
    browser->down = down;
    browser->scale = scale;
    browser->width = width;
    browser->height = height;
    ui_resize((float)across, (float)down, (float)scale);
}

/* Opening and closing */

static bool open_browser(View *view)
{
    Browser *browser = g_new0(Browser, 1);
    DvText why = {0};
    view->at_screen = browser;
    if (!dv_service(DV_IMAGES))
        return failed("no plugin writes images: divan-image.so is not there",
                      "it is built where libpng and libjpeg are (on Debian: libpng-dev libjpeg-dev)");
    if (!open_context(browser))
        return false;
    browser->server = server_new(view->options.address, view->options.port, PATIENCE, &why);
    if (!browser->server) {
        fprintf(stderr, "divan-view: --serve: %s\n", why.at ? why.at : "it cannot be served");
        dv_text_free(&why);
        return false;
    }
    const struct sigaction taken = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &taken, NULL);
    (void)sigaction(SIGTERM, &taken, NULL);
    return true;
}

/* What is copied in the window goes to the clipboard of the browser. */
static void copy(void *context, const char *text)
{
    const View *view = context;
    const Browser *browser = view->at_screen;
    if (strlen(text) <= COPIED_MOST)
        server_send_event(browser->server, "copy", text);
    else
        logbook_add(view->book, DV_LEVEL_WARNING, NULL,
                    "%zu bytes are too many for the clipboard of a browser: %d at most", strlen(text), COPIED_MOST);
}

static bool start_panels(View *view, const char *font)
{
    const Browser *browser = view->at_screen;
    if (!ui_start(NULL, NULL, font, 1))
        return failed("OpenGL 3.3 is there, but the panels cannot be started",
                      "it takes libGL.so.1 (on Debian: libgl1)");
    ui_on_copy(copy, view);
    set_size(view, view->options.width, view->options.height, 1);
    printf("divan-view: open %s\n", server_url(browser->server));
    (void)fflush(stdout);
    return true;
}

static void close_browser(View *view)
{
    Browser *browser = view->at_screen;
    server_free(browser->server);
    if (view->framebuffer) {
        glDeleteFramebuffers(1, &view->framebuffer);
        glDeleteTextures(1, &browser->texture);
    }
    if (browser->drawing)
        browser->drawing->end_context(browser->context);
    g_free(browser->pixels);
    g_free(browser->sent);
    g_free(browser);
}

/* Frames */

/* After an event panels need frames, whoever sees them. */
static bool takes_frame(View *view)
{
    const Browser *browser = view->at_screen;
    return view->frames > 0 || server_takes_frame(browser->server);
}

static void size(const View *view, int *width, int *height)
{
    const Browser *browser = view->at_screen;
    *width = browser->width;
    *height = browser->height;
}

static void turn_over(uint8_t *to, const uint8_t *from, int width, int height)
{
    const size_t row = 4 * (size_t)width;
    for (size_t y = 0; y < (size_t)height; y++)
        memcpy(to + row * y, from + row * ((size_t)height - 1 - y), row);
}

static void send(View *view, bool fine)
{
    Browser *browser = view->at_screen;
    const DvImagesOps *images = dv_service(DV_IMAGES);
    DvImage image = {(uint32_t)browser->width, (uint32_t)browser->height, browser->sent};
    DvText why = {0};
    uint8_t *bytes = NULL;
    size_t length = 0;
    turn_over(image.pixels, browser->pixels, browser->width, browser->height);
    if (images->encode(&image, DV_IMAGE_JPEG, fine ? FINE : COARSE, true, &bytes, &length, &why) == DV_OK)
        server_send_frame(browser->server, bytes, length);
    else if (!browser->failed)
        logbook_add(view->book, DV_LEVEL_ERROR, NULL, "a frame cannot be sent: %s", why.at ? why.at : "unknown");
    browser->failed |= why.at != NULL;
    dv_text_free(&why);
    uint8_t *pixels = browser->sent;
    browser->sent = browser->pixels;
    browser->pixels = pixels;
    browser->known = true;
    browser->coarse = !fine;
}

static void show(View *view)
{
    Browser *browser = view->at_screen;
    const char *cursor = ui_cursor();
    const bool rests = !view->now->animates && view->frames == 0;
    if (cursor != browser->cursor)
        server_send_state(browser->server, "cursor", cursor);
    browser->cursor = cursor;
    browser->late = !server_takes_frame(browser->server);
    if (browser->late)
        return;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, browser->width, browser->height, GL_RGBA, GL_UNSIGNED_BYTE, browser->pixels);
    const size_t bytes = 4 * (size_t)browser->width * (size_t)browser->height;
    const bool same = browser->known && memcmp(browser->pixels, browser->sent, bytes) == 0;
    if (!same || (browser->coarse && rests))
        send(view, rests);
}

/* Events */

static bool next(View *view, SDL_Event *event, int milliseconds)
{
    Browser *browser = view->at_screen;
    if (interrupted) {
        *event = (SDL_Event){.type = SDL_QUIT};
        interrupted = 0;
        return true;
    }
    if (!server_next(browser->server, event, milliseconds))
        return false;
    if (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED) {
        browser->known = false; /* it may be another browser */
        if (event->window.data1 != browser->across || event->window.data2 != browser->down)
            set_size(view, event->window.data1, event->window.data2, browser->scale);
    }
    if (event->type == SDL_DISPLAYEVENT) {
        browser->known = false;
        set_size(view, browser->across, browser->down, (double)event->display.data1 / INPUT_SCALE_ONE);
    }
    if (browser->late && event->type == SDL_USEREVENT)
        show(view);
    return true;
}

static void wake(View *view)
{
    const Browser *browser = view->at_screen;
    server_wake(browser->server);
}

static void put_title(View *view, const char *title)
{
    const Browser *browser = view->at_screen;
    server_send_state(browser->server, "title", title);
}

static void full_screen(View *view, bool on)
{
    const Browser *browser = view->at_screen;
    server_send_state(browser->server, "fullscreen", on ? "1" : "0");
}

const Screen screen_browser = {
    .open = open_browser,
    .start_panels = start_panels,
    .close = close_browser,
    .next = next,
    .wake = wake,
    .takes_frame = takes_frame,
    .size = size,
    .show = show,
    .title = put_title,
    .full_screen = full_screen,
};
