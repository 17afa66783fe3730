/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where components draw while a picture is recorded: primitives of one kind, state and width become one batch, whoever drew them.
 */
#ifndef DIVAN_VISUAL_DRAWING_H
#define DIVAN_VISUAL_DRAWING_H

#include "recording.h"

typedef struct Batch {
    DvPictureBatch head; /* all but the array */
    List elements;       /* DvBatchVertex or DvBatchSolid; its memory stays from picture to picture */
    List owners;         /* DvPictureOwner, without the batch: of the elements; paths are those of the objects */
    SharedArray *last;   /* what it held in the picture before */
    uint32_t turn;       /* place among those that the present picture has */
    bool was_used;
} Batch;

typedef struct Drawing {
    DvDraw draw;         /* first: components see it */
    List batches, texts; /* Batch, DvPictureText */
    Recording *recording;
    uint32_t state, draw_state; /* of what is drawn now */
    const char *owner;          /* path of who draws; NULL: nobody of the scene. It stays until drawing_end. */
    bool moves;                 /* it is of a body that does, whose bounds are in the recording's moving_marks */
    bool has_still;             /* of others, since drawing_begin: */
    float still[6];             /* m: bounds */
    bool wires;                 /* faces and bodies are drawn by their edges, whatever who draws them says */
    uint32_t recent;            /* batch that was added to last */
    uint32_t begun;             /* batches that the present picture has */
} Drawing;

extern const DvDrawOps drawing_ops, drawing_ops_without_faces;
void drawing_begin(Drawing *drawing, Recording *recording);
void drawing_end(Drawing *drawing); /* puts batches and texts into the recording */
void drawing_free(Drawing *drawing);

/* Bytes of a colour of numbers from 0 to 1. */
void color_bytes(const double color[4], uint8_t bytes[4]);

#endif
