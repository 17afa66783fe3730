/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A context without a window, by EGL: of Mesa's surfaceless platform, else of the first device that has one (drivers of graphics cards).
 * Nothing is asked of EGL before it is known to be there: libepoxy ends the process where a function is missing.
 */
#include "renderer.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>

struct DvRenderContext {
    EGLDisplay display;
    EGLContext context;
};

static const char remedy[] =
    "on Debian: apt-get install libgl1-mesa-dri libegl1 (the software renderer of Mesa needs no graphics card)";

static DvStatus none(DvText *why, const char *what)
{
    dv_text_add(why, "no OpenGL without a window: %s; %s", what, remedy);
    return DV_ERROR_MISSING;
}

static EGLDisplay surfaceless(void)
{
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return EGL_NO_DISPLAY;
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
}

static EGLDisplay of_device(int index)
{
    enum { MOST = 16 };
    EGLDeviceEXT devices[MOST];
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
        !eglQueryDevicesEXT(MOST, devices, &count) || index >= count)
        return EGL_NO_DISPLAY;
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[index], NULL);
}

/* One that says when it is lost, where there is such a one. */
static EGLContext core_context(EGLDisplay display, EGLConfig config)
{
    enum { ROBUST = 2 };
    static const EGLint core[] = {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_KHR,
                                  EGL_LOSE_CONTEXT_ON_RESET_KHR,
                                  EGL_CONTEXT_MAJOR_VERSION_KHR,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION_KHR,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                  EGL_NONE};
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    return context != EGL_NO_CONTEXT ? context : eglCreateContext(display, config, EGL_NO_CONTEXT, core + ROBUST);
}

/* A core context of this display; false, and nothing is left of it. */
static bool try_display(DvRenderContext *self, EGLDisplay display)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLConfig config = NULL;
    EGLint configs = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
        return false;
    EGLContext context = EGL_NO_CONTEXT;
    if (eglBindAPI(EGL_OPENGL_API) && epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context") &&
        eglChooseConfig(display, wanted, &config, 1, &configs) && configs == 1)
        context = core_context(display, config);
    if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        *self = (DvRenderContext){display, context};
        return true;
    }
    if (context != EGL_NO_CONTEXT)
        (void)eglDestroyContext(display, context);
    return false;
}

static bool egl_is_there(void)
{
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        (void)dlclose(library);
    return library != NULL;
}

DvStatus context_create(DvRenderContext **context, DvText *why)
{
    DvRenderContext found = {0};
    *context = NULL;
    if (!egl_is_there())
        return none(why, "the library libEGL.so.1 is not there");
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base"))
        return none(why, "EGL has no driver");
    bool good = try_display(&found, surfaceless());
    for (int device = 0; !good && device < 16; device++)
        good = try_display(&found, of_device(device));
    if (!good)
        return none(why, "no driver gives a core context of version 3.3");
    *context = dv_alloc(1, sizeof found);
    **context = found;
    return DV_OK;
}

DvStatus context_use(const DvRenderContext *context, DvText *why)
{
    if (!context || eglGetCurrentContext() == context->context)
        return DV_OK;
    if (eglBindAPI(EGL_OPENGL_API) &&
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
        return DV_OK;
    dv_text_add(
        why,
        "the OpenGL context of the renderer cannot be used: a renderer belongs to the thread that made it, or the driver "
        "has been reset; make another renderer");
    return DV_ERROR_BUSY;
}

void context_destroy(DvRenderContext *context)
{
    if (!context)
        return;
    (void)eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    (void)eglDestroyContext(context->display, context->context);
    (void)eglReleaseThread();
    /* The display stays initialised: others of the process have the same. */
    dv_free(context);
}
