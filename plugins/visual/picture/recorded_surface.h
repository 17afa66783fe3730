/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is kept of a visual model from picture to picture: its arrays as they were recorded last, and of which version.
 */
#ifndef DIVAN_VISUAL_RECORDED_SURFACE_H
#define DIVAN_VISUAL_RECORDED_SURFACE_H

#include "creases.h"
#include "recording.h"

/* An array of the scene as pictures have it. */
typedef struct RecordedArray {
    SharedArray *shared; /* NULL: absent */
    uint64_t version;
    uint32_t count, limit;
    bool known, counted; /* counted: among the bytes of some picture */
    SharedArray *before; /* that of the version before, while a new one is made */
} RecordedArray;

typedef struct RecordedSurface {
    uint64_t key;
    RecordedArray positions, normals, texcoords, colors, triangles, quads, edges;
    RecordedArray materials, groups;
    bool translucent; /* some material is */
    bool halves;      /* the triangles are the quads once more; of these versions of both */
    bool halves_known;
    uint64_t halves_of[2];
    List images; /* SharedImage *, of the materials */
    Creases creases;
    double color[4]; /* of its plain material, and how often that was another */
    uint64_t colorings;
} RecordedSurface;

/* Images by file, each read once; SharedImage of those that could not be read is NULL, told once as a remark of `object`. */
typedef struct Images {
    List at;
} Images;
SharedImage *images_find(Images *images, const char *path, const DvObject *object);
void images_free(Images *images);

/* Fills what depends on the arrays; style, state and flags are the caller's. `color`: of a surface whose material is plain. may_split: vertices where creases are may be drawn several
 * times; a shader of the scene has values for those that there are. */
void recorded_surface_take(RecordedSurface *self, Recording *recording, Images *images, const DvObject *object,
                           const DvSurfaceView *view, const double color[4], bool may_split, DvPictureSurface *out);
void recorded_surface_free(RecordedSurface *self);

void recorded_array_free(RecordedArray *self);
/* `count` x `components` doubles as floats, unless they are of the version that is there. */
const DvPictureArray *recorded_floats(RecordedArray *self, Recording *recording, const double *from, uint32_t count,
                                      uint32_t components, uint64_t version);

/* A picture that a scene gives as numbers. */
typedef struct RecordedImage {
    SharedImage *shared; /* NULL: none yet */
    uint64_t version;
} RecordedImage;
SharedImage *recorded_image(RecordedImage *self, const DvShaderElement *element);

#endif
