/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A recorder of what components draw: every call of DvDrawOps arrives at one function, as a batch.
 */
#ifndef DIVAN_TESTS_DRAWING_H
#define DIVAN_TESTS_DRAWING_H

#include <divan/contracts/visual.h>

typedef enum DrawnKind {
    DRAWN_POINTS,
    DRAWN_LINES,
    DRAWN_TRIANGLES,
    DRAWN_SPHERES,
    DRAWN_FRAMES,
    DRAWN_TEXTS, /* in the scene or on the screen */
    DRAWN_ARROWS,
    DRAWN_CYLINDERS,
    DRAWN_SPLATS,
    DRAWN_KINDS
} DrawnKind;
extern const char *const drawn_kinds[DRAWN_KINDS]; /* "points", "lines", ... */

/* Valid during the call. */
typedef struct DrawnBatch {
    DrawnKind kind;
    uint32_t count;       /* primitives */
    const double *points; /* of all primitives: `numbers` doubles; of texts on the screen none */
    size_t numbers;
    double size;                     /* pixels, metres of letters, frames and spots; else 0 */
    const double *radii;             /* [count] of spheres, arrows and cylinders; else NULL */
    const double *colors;            /* `color_count` x 4; NULL for frames */
    size_t color_count;              /* 1: of all; else of each corner or primitive */
    const char *const *texts;        /* [count] of texts in the scene and on the screen, else NULL */
    const DvScreenText *screen_text; /* of those on the screen, one batch each */
    uint32_t state;                  /* DvDrawState */
} DrawnBatch;

typedef struct DrawRecorder {
    DvDraw draw;
    void (*batch)(void *context, const DrawnBatch *batch);
    void *context;
    uint32_t state; /* of DvDrawState, what the last call of state() said */
    uint32_t calls; /* of DvDrawOps, other than state() */
} DrawRecorder;

/* For the flags `shown`, bits of DvDisplayFlag. `batch` may be NULL. */
DrawRecorder draw_recorder(uint32_t shown, void (*batch)(void *context, const DrawnBatch *batch), void *context);

/* What an object draws; it must offer DV_DRAWABLE. */
void record_drawing_of(DrawRecorder *recorder, DvObject *object);

#endif
