/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Visual models and debug drawing.
 *
 * A visual model is brought up to date when somebody looks, not in every step. Components draw what they are for
 * debugging through a DvDraw that the viewer (or a recorder) gives them; they never see a graphics library.
 *
 * Threads: [main], between steps.
 */
#ifndef DIVAN_CONTRACTS_VISUAL_H
#define DIVAN_CONTRACTS_VISUAL_H

#include <divan/node.h>

DV_BEGIN_DECLS

#define DV_VISUAL_MODEL "divan.visual-model/1"
typedef struct DvVisualModelOps {
    uint32_t size;
    void (*update)(void *self); /* normals and whatever follows from the vertices */
} DvVisualModelOps;

#define DV_VISUAL_LOOP "divan.visual-loop/1"
typedef struct DvVisualLoopOps {
    uint32_t size;
    void (*update)(void *self); /* all visual models below its node */
    bool by_default; /* a root without a loop gets one of this class; of several classes, that of the highest rank */
} DvVisualLoopOps;

/* What is shown below a node. Each flag is on, off or inherited from above; asked, "inherited" counts as off. */
typedef enum DvDisplayFlag {
    DV_DISPLAY_VISUAL_MODELS,
    DV_DISPLAY_BEHAVIOR_MODELS,
    DV_DISPLAY_FORCE_FIELDS,
    DV_DISPLAY_INTERACTION_FORCE_FIELDS,
    DV_DISPLAY_COLLISION_MODELS,
    DV_DISPLAY_BOUNDING_COLLISION_MODELS,
    DV_DISPLAY_DETECTION_OUTPUTS,
    DV_DISPLAY_MAPPINGS,
    DV_DISPLAY_MECHANICAL_MAPPINGS,
    DV_DISPLAY_ADVANCED_RENDERING,
    DV_DISPLAY_WIREFRAME,
    DV_DISPLAY_NORMALS,
    DV_DISPLAY_FLAGS
} DvDisplayFlag;
#define DV_VISUAL_STYLE "divan.visual-style/1"
typedef struct DvVisualStyleOps {
    uint32_t size;
    /* Replaces what the style sets in flags[DV_DISPLAY_FLAGS]: 1 on, -1 off, 0 inherited. */
    void (*merge)(void *self, signed char *flags);
} DvVisualStyleOps;

/* Where primitives go. Points are count x 3 doubles in metres, colours red green blue alpha from 0 to 1. All
 * required. */
typedef struct DvDraw DvDraw;
typedef struct DvDrawOps {
    uint32_t size;
    void (*points)(DvDraw *draw, const double *points, uint32_t count, double pixels, const double color[4]);
    void (*lines)(DvDraw *draw, const double *points, uint32_t lines, double pixels,
                  const double color[4]); /* 2 points each */
    void (*triangles)(DvDraw *draw, const double *points, uint32_t triangles,
                      const double color[4]); /* 3 points each */
    void (*spheres)(DvDraw *draw, const double *centres, const double *radii, uint32_t count, const double color[4]);
    void (*frames)(DvDraw *draw, const double *rigids, uint32_t count, double size); /* 7 doubles each */
    void (*text)(DvDraw *draw, const double point[3], const char *text, double size, const double color[4]);
} DvDrawOps;
struct DvDraw {
    const DvDrawOps *ops;
    uint32_t shown; /* bit 1 << f for each DvDisplayFlag f that is on */
};
static inline bool dv_draw_shows(const DvDraw *draw, DvDisplayFlag flag)
{
    return (draw->shown >> flag & 1u) != 0;
}

/* Offered by every class that has something to show. */
#define DV_DRAWABLE "divan.drawable/1"
typedef struct DvDrawableOps {
    uint32_t size;
    void (*draw)(void *self, DvDraw *draw);
} DvDrawableOps;

DV_END_DECLS
#endif
