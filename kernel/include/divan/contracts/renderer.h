/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Renderers: pictures become pixels. A service; dv_service(DV_RENDERER) is NULL where no plugin draws.
 *
 * A renderer belongs to the thread that made it, which need not be the scene's: it sees pictures only. It keeps on the graphics card
 * what the last picture had, and uploads arrays whose number it has not seen.
 *
 *   DvRenderer *renderer = NULL;
 *   DvText why = {0};
 *   if (ops->create(NULL, &renderer, &why) != DV_OK || ops->draw(renderer, picture, &view, &why) != DV_OK ||
 *       ops->read(renderer, pixels, &why) != DV_OK)
 *       ... why.at says what failed and what helps ...
 *   ops->destroy(renderer);
 */
#ifndef DIVAN_CONTRACTS_RENDERER_H
#define DIVAN_CONTRACTS_RENDERER_H

#include <divan/contracts/camera.h>
#include <divan/contracts/picture.h>

DV_BEGIN_DECLS

typedef struct DvRenderer DvRenderer;
typedef struct DvRenderContext DvRenderContext;

typedef struct DvRendererOptions {
    /* Draw with the OpenGL context (3.3 core or newer) that is current in the calling thread, now and at each call; otherwise it has one of
     * its own, without a window. */
    bool current_context;
    uint32_t samples; /* per pixel, against jagged edges; 0: 4, or as many as there can be; 1: none */
    bool smooths;     /* with one sample a pixel: edges are smoothed in the picture, which costs less than samples */
} DvRendererOptions;

enum { DV_RENDER_SIZE_MOST = 16384 }; /* pixels of a side; the graphics card may allow less */

/* How a picture is looked at. Zeros, but for camera and size, are what most want. */
typedef struct DvRenderView {
    DvCamera
        camera; /* as it is to be used: dv_camera_prepare; of one that fits_clip near and far follow what is visible */
    uint32_t width, height;         /* pixels, 1 to DV_RENDER_SIZE_MOST */
    const DvBackground *background; /* NULL: the picture's, else white to grey; its image is the picture's or none */
    bool transparent_background;    /* pixels where nothing is have alpha 0 */
    bool wireframe, points;         /* all surfaces */
    bool xray; /* surfaces let through what is behind, the more the straighter they are looked at */
    bool without_shadows,
        without_texts; /* shadows: also of the ground, which is not there then; texts: on the screen and in the scene, and legends */
    bool shows_axes, shows_box; /* of the world, at the lower left; the bounds of the scene */
    bool clips;
    DvClipPlane clip; /* of everything */
    double fog;       /* 1/m: share exp(-(fog x distance)^2) of a colour comes through; 0: none */
    double fog_color[4];
    uint32_t framebuffer; /* current_context: the name of the framebuffer that it ends in; 0: the window's */
    const char
        *outline; /* around what is seen of the object of this path, or below that node, lies a line; NULL: none */
} DvRenderView;

typedef struct DvRenderStats {
    const char *device, *version; /* as OpenGL says; of the renderer */
    uint64_t uploaded;            /* bytes, by the last draw */
    uint32_t calls;               /* of drawing, likewise */
    uint64_t triangles;           /* likewise, those of surfaces */
    uint32_t samples;             /* per pixel */
} DvRenderStats;

/* All required. Errors add a sentence to `why`: what failed, and what helps. All [any], on the renderer's own thread. */
#define DV_RENDERER "divan.renderer/1"
typedef struct DvRendererOps {
    uint32_t size;
    /* `options` may be NULL. DV_ERROR_MISSING: no OpenGL here, DV_ERROR_UNSUPPORTED: one that is too old. */
    DvStatus (*create)(const DvRendererOptions *options, DvRenderer **renderer, DvText *why);
    /* DV_ERROR_LIMIT: too large, or no memory on the graphics card. A shader of the scene that cannot be compiled is reported once, as an
     * error that names component, field and file; its models are drawn without it. */
    DvStatus (*draw)(DvRenderer *renderer, const DvPicture *picture, const DvRenderView *view, DvText *why);
    /* What was drawn last: height x width x 4 bytes red green blue alpha, the first row is the highest. */
    DvStatus (*read)(DvRenderer *renderer, uint8_t *pixels, DvText *why);
    void (*stats)(const DvRenderer *renderer, DvRenderStats *stats);
    void (*destroy)(DvRenderer *renderer); /* NULL is allowed */
    /* An OpenGL context (3.3 core or newer) without a window, current in the calling thread from now on, for hosts that draw more than
     * pictures where there is no display. It says when the graphics card was reset, where drivers do (GL_KHR_robustness). Ended by the
     * thread that began it, after all that was made in it. Errors as of create. */
    DvStatus (*begin_context)(DvRenderContext **context, DvText *why);
    void (*end_context)(DvRenderContext *context); /* NULL is allowed */
} DvRendererOps;

DV_END_DECLS
#endif
