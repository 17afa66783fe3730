/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A picture in the making, and what becomes of it: memory that goes with it, arrays and images that it shares with others.
 *
 * Whoever lets go last frees, on whatever thread: users are counted atomically, and nothing here belongs to the scene.
 */
#ifndef DIVAN_VISUAL_RECORDING_H
#define DIVAN_VISUAL_RECORDING_H

#include <stdatomic.h>

#include <divan/contracts/picture.h>

#include "list.h"

uint64_t picture_id(void); /* [any] another number at each call */

/* An array that pictures share; its elements follow it. */
typedef struct SharedArray {
    DvPictureArray array; /* first: pictures point to it */
    atomic_uint users;
} SharedArray;
SharedArray *shared_array_new(size_t count, size_t bytes); /* of one user; to be filled before it is shown to anybody */
void *shared_array_data(SharedArray *shared);
void shared_array_release(SharedArray *shared); /* NULL is allowed */

typedef struct SharedImage {
    DvPictureImage image; /* first: pictures point to it */
    atomic_uint users;
} SharedImage;
/* Reads a file by the service of images; NULL: it could not, `why` says why. */
SharedImage *shared_image_read(const char *path, DvText *why);
/* Of `height` rows of `width` pixels of 1, 3 or 4 numbers from 0 to 1, the lowest first; one number is a grey. */
SharedImage *shared_image_of_numbers(const double *numbers, uint32_t width, uint32_t height, uint32_t channels);
void shared_image_release(SharedImage *image); /* NULL is allowed */

typedef struct Recording {
    DvPicture picture; /* first: it is what others have */
    atomic_uint users;
    struct Block *blocks;
    List arrays, images; /* SharedArray *, SharedImage *: that it uses */
} Recording;
Recording *recording_new(void);
void recording_release(Recording *recording); /* NULL is allowed */
/* Memory that goes with it, zero. */
void *recording_alloc(Recording *recording, size_t count, size_t size);
void *recording_keep(Recording *recording, const List *list, size_t size); /* a copy of the elements; NULL of none */
const char *recording_text(Recording *recording, const char *text);        /* NULL gives NULL */
/* It uses them too from now on; NULL gives NULL. */
const DvPictureArray *recording_use(Recording *recording, SharedArray *shared);
const DvPictureImage *recording_use_image(Recording *recording, SharedImage *image);

#endif
