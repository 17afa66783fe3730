/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PNG, by libpng's simplified interface.
 */
#include "image.h"

#include <png.h>
#include <string.h>

#include <divan/memory.h>

DvStatus image_read_png(ImageBytes bytes, DvImage *image, DvText *why)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, bytes.at, bytes.size)) {
        dv_text_add(why, "broken PNG: %s", png.message);
        return DV_ERROR_INVALID;
    }
    png.format = PNG_FORMAT_RGBA;
    const DvStatus status = image_begin(image, png.width, png.height, why);
    if (status != DV_OK) {
        png_image_free(&png);
        return status;
    }
    if (png_image_finish_read(&png, NULL, image->pixels, 0, NULL))
        return DV_OK;
    dv_text_add(why, "broken PNG: %s", png.message);
    png_image_free(&png);
    return DV_ERROR_INVALID;
}

/* Rows of three bytes a pixel: pictures without alpha are a quarter smaller. */
static uint8_t *without_alpha(const DvImage *image)
{
    const size_t pixels = (size_t)image->width * image->height;
    uint8_t *rgb = dv_alloc(pixels, 3);
    for (size_t i = 0; i < pixels; i++)
        memcpy(rgb + 3 * i, image->pixels + 4 * i, 3);
    return rgb;
}

DvStatus image_encode_png(const DvImage *image, bool opaque, uint8_t **bytes, size_t *size, DvText *why)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = image->width,
                     .height = image->height,
                     .format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA};
    uint8_t *rgb = opaque ? without_alpha(image) : NULL;
    const uint8_t *pixels = opaque ? rgb : image->pixels;
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(png);
    *bytes = dv_alloc(room, 1);
    const bool good = png_image_write_to_memory(&png, *bytes, &room, 0, pixels, 0, NULL) != 0;
    dv_free(rgb);
    *size = room;
    if (good)
        return DV_OK;
    dv_text_add(why, "libpng: %s", png.message);
    dv_free(*bytes);
    *bytes = NULL;
    return DV_ERROR_INVALID;
}
