/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Image files: textures and backgrounds are read, screenshots are written. A service; dv_service(DV_IMAGE) is NULL where no plugin knows
 * image files.
 *
 * Files that are read are untrusted: broken ones are errors, and none takes more memory than its size in pixels says, which has limits.
 */
#ifndef DIVAN_CONTRACTS_IMAGE_H
#define DIVAN_CONTRACTS_IMAGE_H

#include <divan/base.h>

DV_BEGIN_DECLS

enum { DV_IMAGE_SIDE_MOST = 16384 }; /* pixels */

typedef struct DvImage {
    uint32_t width, height;
    uint8_t *pixels; /* height x width x 4: red green blue alpha; the first row is the highest */
} DvImage;

typedef enum DvImageKind { DV_IMAGE_PNG, DV_IMAGE_JPEG } DvImageKind;

/* Errors add the reason to `why`, without the path. All required. */
#define DV_IMAGES "divan.image/1"
typedef struct DvImagesOps {
    uint32_t size;
    /* PNG, JPEG, BMP, TGA; the kind follows from the content. *image is freed by `free`; zeros after an error. DV_ERROR_IO: the file
     * cannot be read, DV_ERROR_UNSUPPORTED: of no kind that is known, DV_ERROR_INVALID: broken, DV_ERROR_LIMIT: too large.     [any] */
    DvStatus (*read)(const char *path, DvImage *image, DvText *why);
    void (*free)(DvImage *image); /* [any] back to zeros */
    /* To a file, as divan/output.h writes; the kind follows from the ending: .png, .jpg, .jpeg. `opaque`: without alpha, which JPEG never
     * has. `scene` NULL: its files are no matter.     [step] */
    DvStatus (*write)(const char *path, DvScene *scene, const DvImage *image, bool opaque, DvText *why);
    /* In memory: *bytes is to be freed by dv_free. `quality` 1 to 100, of JPEG.     [any] */
    DvStatus (*encode)(const DvImage *image, DvImageKind kind, int quality, bool opaque, uint8_t **bytes, size_t *size,
                       DvText *why);
} DvImagesOps;

DV_END_DECLS
#endif
