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

/* What a list of colours (red green blue alpha each, from 0 to 1) belongs to: each corner or each line or triangle. */
typedef enum DvColorsOf { DV_COLORS_OF_CORNERS, DV_COLORS_OF_ELEMENTS } DvColorsOf;

/* How what follows is drawn, bits; 0, as every object begins: lit, hidden by what is in front, filled. */
typedef enum DvDrawState {
    DV_DRAW_UNLIT = 1u << 0,     /* in its colours, whatever the lights are */
    DV_DRAW_ON_TOP = 1u << 1,    /* nothing hides it */
    DV_DRAW_WIREFRAME = 1u << 2, /* triangles by their edges */
} DvDrawState;

/* A text on the screen: x and y in pixels from the corner to the nearest corner of the text, letters so many pixels high. */
typedef enum DvScreenCorner { DV_TOP_LEFT, DV_TOP_RIGHT, DV_BOTTOM_LEFT, DV_BOTTOM_RIGHT } DvScreenCorner;
typedef struct DvScreenText {
    DvScreenCorner corner;
    double x, y, height;
    double color[4];
    const char *text; /* UTF-8; lines end in \n; read before the call returns */
} DvScreenText;

/* Where primitives go. Points are count x 3 doubles in metres, colours red green blue alpha from 0 to 1; arrays are read
 * before the call returns. One call takes any number of primitives: components batch, they do not call once per element.
 * An alpha below 1 lets through what is behind. All required. */
typedef struct DvDraw DvDraw;
typedef struct DvDrawOps {
    uint32_t size;
    void (*points)(DvDraw *draw, const double *points, uint32_t count, double pixels, const double color[4]);
    void (*lines)(DvDraw *draw, const double *points, uint32_t lines, double pixels,
                  const double color[4]); /* 2 points each */
    void (*triangles)(DvDraw *draw, const double *points, uint32_t triangles,
                      const double color[4]); /* 3 points each, seen from both sides */
    void (*spheres)(DvDraw *draw, const double *centres, const double *radii, uint32_t count, const double color[4]);
    void (*frames)(DvDraw *draw, const double *rigids, uint32_t count, double size); /* 7 doubles each */
    void (*text)(DvDraw *draw, const double point[3], const char *text, double size, const double color[4]);
    /* From the first of 2 points each to the second, where an arrow has its tip; radii in metres, of an arrow's shaft. */
    void (*arrows)(DvDraw *draw, const double *points, const double *radii, uint32_t count, const double color[4]);
    void (*cylinders)(DvDraw *draw, const double *points, const double *radii, uint32_t count, const double color[4]);
    /* As above with 4 doubles of colour for each point, or each corner or element; between corners it blends. */
    void (*colored_points)(DvDraw *draw, const double *points, uint32_t count, double pixels, const double *colors);
    void (*colored_lines)(DvDraw *draw, const double *points, uint32_t lines, double pixels, const double *colors,
                          DvColorsOf of);
    void (*colored_triangles)(DvDraw *draw, const double *points, uint32_t triangles, const double *colors,
                              DvColorsOf of);
    /* Texts in the scene, as `text`: they face the camera, their lower left corner at the point, letters `size` metres high. */
    void (*texts)(DvDraw *draw, const double *points, const char *const *texts, uint32_t count, double size,
                  const double color[4]);
    void (*screen_texts)(DvDraw *draw, const DvScreenText *texts, uint32_t count);
    /* Round spots that face the camera and fade from their centres to their rims; radius in metres, a colour each. */
    void (*splats)(DvDraw *draw, const double *centres, uint32_t count, double radius, const double *colors);
    void (*state)(DvDraw *draw, uint32_t state); /* of what this object draws from here on: bits of DvDrawState */
} DvDrawOps;
struct DvDraw {
    const DvDrawOps *ops;
    uint32_t shown; /* bit 1 << f for each DvDisplayFlag f that is on */
    double view[3]; /* where the camera looks, a unit vector, for what faces it; 0 where nobody knows */
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
