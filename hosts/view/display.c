/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What X11 reports. Xlib ends the process when its display reports an error or is gone. Here an error is said and passed over, as the next
 * frame is drawn anew. Nothing that is drawn with returns once the display is gone, so the window ends where Xlib says so: what is recorded
 * is made whole first.
 */
#include "display.h"

#include <SDL_syswm.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#if defined(SDL_VIDEO_DRIVER_X11)
static bool complained;
static void (*ending)(void *context);
static void *ending_context;

typedef int (*OnError)(Display *display, XErrorEvent *error);
typedef int (*OnLoss)(Display *display);

static int on_error(Display *display, XErrorEvent *error)
{
    (void)display;
    if (!complained)
        fprintf(
            stderr,
            "divan-view: the display refuses something (error %d of request %d.%d); if the window stays empty, "
            "LIBGL_ALWAYS_SOFTWARE=1 draws without the graphics card, and `divan-view --serve 8080` shows it in a browser\n",
            error->error_code, error->request_code, error->minor_code);
    complained = true;
    return 0;
}

static int on_loss(Display *display)
{
    (void)display;
    fprintf(stderr,
            "divan-view: the display is gone; the window ends, and the recording is kept. `divan-view --serve 8080` "
            "shows the window in a browser, which may go and come back\n");
    if (ending)
        ending(ending_context);
    (void)fflush(NULL);
    _exit(1);
}

/* SDL has loaded Xlib where it uses it. */
void display_take_errors(void (*end)(void *context), void *context)
{
    void *library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
    ending = end;
    ending_context = context;
    if (!library)
        return;
    OnError (*set_error)(OnError) = (OnError(*)(OnError))dlsym(library, "XSetErrorHandler");
    OnLoss (*set_loss)(OnLoss) = (OnLoss(*)(OnLoss))dlsym(library, "XSetIOErrorHandler");
    if (set_error)
        (void)set_error(on_error);
    if (set_loss)
        (void)set_loss(on_loss);
    (void)dlclose(library);
}
#else
void display_take_errors(void (*end)(void *context), void *context)
{
    (void)end, (void)context;
}
#endif
