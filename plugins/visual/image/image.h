/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Readers of image files. Each takes the bytes of a file and gives pixels, or adds the reason to `why`; memory is taken only after the
 * size in pixels has been found possible, also against the size of the file.
 */
#ifndef DIVAN_IMAGE_H
#define DIVAN_IMAGE_H

#include <divan/contracts/image.h>

typedef struct ImageBytes {
    const uint8_t *at;
    size_t size;
} ImageBytes;

DvStatus image_read_png(ImageBytes bytes, DvImage *image, DvText *why);
DvStatus image_read_jpeg(ImageBytes bytes, DvImage *image, DvText *why);
DvStatus image_read_bmp(ImageBytes bytes, DvImage *image, DvText *why);
DvStatus image_read_tga(ImageBytes bytes, DvImage *image, DvText *why);

DvStatus image_encode_png(const DvImage *image, bool opaque, uint8_t **bytes, size_t *size, DvText *why);
DvStatus image_encode_jpeg(const DvImage *image, int quality, uint8_t **bytes, size_t *size, DvText *why);

/* Takes memory for an image of that size, or says that there is none of that size. */
DV_NODISCARD DvStatus image_begin(DvImage *image, uint64_t width, uint64_t height, DvText *why);
static inline uint8_t *image_row(const DvImage *image, uint32_t row)
{
    return image->pixels + (size_t)row * image->width * 4;
}

#endif
