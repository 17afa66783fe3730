/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * BMP of 24 and 32 bits without compression (Microsoft, BITMAPINFOHEADER), TGA of 8 grey, 24 and 32 bits, plain or run-length encoded
 * (Truevision TGA 2.0).
 */
#include "image.h"

#include <string.h>

static uint32_t number(ImageBytes bytes, size_t at, size_t length)
{
    uint32_t value = 0;
    for (size_t i = 0; i < length && at + i < bytes.size; i++)
        value |= (uint32_t)bytes.at[at + i] << (8 * i);
    return value;
}

/* Blue green red alpha, as both have it; one byte is grey. */
static void store(uint8_t *to, const uint8_t *from, size_t length)
{
    to[0] = from[length == 1 ? 0 : 2];
    to[1] = from[length == 1 ? 0 : 1];
    to[2] = from[0];
    to[3] = length == 4 ? from[3] : 255;
}

DvStatus image_read_bmp(ImageBytes bytes, DvImage *image, DvText *why)
{
    enum { HEADER = 54 };
    const uint32_t start = number(bytes, 10, 4), width = number(bytes, 18, 4), bits = number(bytes, 28, 2);
    const int32_t rows = (int32_t)number(bytes, 22, 4); /* negative: the first row is the highest */
    const uint32_t height = rows < 0 ? 0u - (uint32_t)rows : (uint32_t)rows, length = bits / 8;
    if (bytes.size < HEADER || number(bytes, 30, 4) != 0 || (bits != 24 && bits != 32)) {
        dv_text_add(why, "a BMP that is not of 24 or 32 bits without compression; save it as PNG");
        return DV_ERROR_UNSUPPORTED;
    }
    const uint64_t stride = ((uint64_t)width * length + 3) / 4 * 4;
    if (width <= DV_IMAGE_SIDE_MOST && height <= DV_IMAGE_SIDE_MOST && start + stride * height > bytes.size) {
        dv_text_add(why, "broken BMP: it ends before its last pixel");
        return DV_ERROR_INVALID;
    }
    const DvStatus status = image_begin(image, width, height, why);
    for (uint32_t y = 0; status == DV_OK && y < height; y++) {
        const uint8_t *from = bytes.at + start + stride * (rows < 0 ? y : height - 1 - y);
        for (uint32_t x = 0; x < width; x++)
            store(image_row(image, y) + 4 * (size_t)x, from + (size_t)x * length, 3); /* a fourth byte is unused */
    }
    return status;
}

typedef struct TgaReader {
    ImageBytes bytes;
    size_t at, length; /* of a pixel */
    bool packed;
    uint32_t left; /* of the present packet */
    bool repeats;
} TgaReader;

/* The next pixel, or NULL at the end of the file. */
static const uint8_t *next_pixel(TgaReader *self)
{
    if (self->packed && self->left == 0) {
        if (self->at >= self->bytes.size)
            return NULL;
        const uint8_t head = self->bytes.at[self->at++];
        self->left = (head & 0x7fu) + 1;
        self->repeats = (head & 0x80u) != 0;
    }
    if (self->bytes.size - self->at < self->length)
        return NULL;
    const uint8_t *pixel = self->bytes.at + self->at;
    self->left -= self->packed;
    if (!self->packed || !self->repeats || self->left == 0)
        self->at += self->length;
    return pixel;
}

DvStatus image_read_tga(ImageBytes bytes, DvImage *image, DvText *why)
{
    enum { HEADER = 18 };
    const uint32_t kind = number(bytes, 2, 1), bits = number(bytes, 16, 1), flags = number(bytes, 17, 1);
    const bool known = (kind & ~8u) == 2 ? bits == 24 || bits == 32 : (kind & ~8u) == 3 && bits == 8;
    if (bytes.size < HEADER || !known || number(bytes, 1, 1) != 0) {
        dv_text_add(why, "it is none of PNG, JPEG, BMP and TGA of 8, 24 or 32 bits");
        return DV_ERROR_UNSUPPORTED;
    }
    TgaReader reader = {.bytes = bytes, .at = HEADER + number(bytes, 0, 1), .length = bits / 8, .packed = kind >= 8};
    const uint32_t width = number(bytes, 12, 2), height = number(bytes, 14, 2);
    /* A packet of one byte and a pixel stands for 128 pixels at most. */
    const uint64_t least = (uint64_t)width * height * reader.length / (reader.packed ? 128 : 1);
    if (reader.at > bytes.size || bytes.size - reader.at < least) {
        dv_text_add(why, "broken TGA: it ends before its last pixel");
        return DV_ERROR_INVALID;
    }
    const DvStatus status = image_begin(image, width, height, why);
    for (uint32_t y = 0; status == DV_OK && y < height; y++) {
        uint8_t *row = image_row(image, flags & 0x20u ? y : height - 1 - y);
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *pixel = next_pixel(&reader);
            if (!pixel) {
                dv_text_add(why, "broken TGA: it ends before its last pixel");
                return DV_ERROR_INVALID;
            }
            store(row + 4 * (size_t)x, pixel, reader.length);
        }
    }
    return status;
}
