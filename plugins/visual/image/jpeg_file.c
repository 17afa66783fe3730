/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JPEG, by libjpeg. It leaves by longjmp where a file is broken; what has been taken by then is in structs that outlive the jump.
 */
#include "image.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include <divan/memory.h>

typedef struct Trouble {
    struct jpeg_error_mgr manager; /* first: libjpeg has it */
    jmp_buf out;
    char text[JMSG_LENGTH_MAX];
} Trouble;

static void leave(j_common_ptr jpeg)
{
    Trouble *trouble = (Trouble *)jpeg->err;
    jpeg->err->format_message(jpeg, trouble->text);
    longjmp(trouble->out, 1);
}

/* A file that ends before its last blocks is broken, though libjpeg would make up the rest; of other things it would tell the terminal. */
static void be_told(j_common_ptr common, int level)
{
    const struct jpeg_decompress_struct *jpeg = (const struct jpeg_decompress_struct *)common;
    if (level < 0 && common->is_decompressor && common->err->msg_code == JWRN_JPEG_EOF &&
        jpeg->input_iMCU_row + 1 < jpeg->total_iMCU_rows)
        leave(common);
}

static struct jpeg_error_mgr *quiet(Trouble *trouble)
{
    struct jpeg_error_mgr *manager = jpeg_std_error(&trouble->manager);
    manager->error_exit = leave;
    manager->emit_message = be_told;
    return manager;
}

typedef struct Reading {
    Trouble trouble;
    struct jpeg_decompress_struct jpeg;
    uint8_t *row;
} Reading;

static DvStatus read_rows(Reading *self, ImageBytes bytes, DvImage *image, DvText *why)
{
    struct jpeg_decompress_struct *jpeg = &self->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, bytes.at, (unsigned long)bytes.size);
    (void)jpeg_read_header(jpeg, TRUE);
    const DvStatus status = image_begin(image, jpeg->image_width, jpeg->image_height, why);
    if (status != DV_OK)
        return status;
    jpeg->out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(jpeg);
    self->row = dv_alloc(image->width, 3);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *to = image_row(image, jpeg->output_scanline);
        (void)jpeg_read_scanlines(jpeg, &self->row, 1);
        for (uint32_t x = 0; x < image->width; x++) {
            memcpy(to + 4 * (size_t)x, self->row + 3 * (size_t)x, 3);
            to[4 * (size_t)x + 3] = 255;
        }
    }
    (void)jpeg_finish_decompress(jpeg);
    return DV_OK;
}

DvStatus image_read_jpeg(ImageBytes bytes, DvImage *image, DvText *why)
{
    Reading *reading = dv_alloc(1, sizeof *reading);
    DvStatus status;
    reading->jpeg.err = quiet(&reading->trouble);
    if (setjmp(reading->trouble.out) == 0) {
        status = read_rows(reading, bytes, image, why);
    } else {
        status = DV_ERROR_INVALID; /* not before: a jump may bring an older value back */
        dv_text_add(why, "broken JPEG: %s", reading->trouble.text);
    }
    jpeg_destroy_decompress(&reading->jpeg);
    dv_free(reading->row);
    dv_free(reading);
    return status;
}

typedef struct Writing {
    Trouble trouble;
    struct jpeg_compress_struct jpeg;
    uint8_t *row;
    unsigned char *buffer; /* libjpeg's, by malloc */
    unsigned long size;
} Writing;

static void write_rows(Writing *self, const DvImage *image, int quality)
{
    struct jpeg_compress_struct *jpeg = &self->jpeg;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &self->buffer, &self->size);
    jpeg->image_width = image->width;
    jpeg->image_height = image->height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    self->row = dv_alloc(image->width, 3);
    while (jpeg->next_scanline < jpeg->image_height) {
        const uint8_t *from = image_row(image, jpeg->next_scanline);
        for (uint32_t x = 0; x < image->width; x++)
            memcpy(self->row + 3 * (size_t)x, from + 4 * (size_t)x, 3);
        (void)jpeg_write_scanlines(jpeg, &self->row, 1);
    }
    jpeg_finish_compress(jpeg);
}

DvStatus image_encode_jpeg(const DvImage *image, int quality, uint8_t **bytes, size_t *size, DvText *why)
{
    Writing *writing = dv_alloc(1, sizeof *writing);
    DvStatus status;
    writing->jpeg.err = quiet(&writing->trouble);
    if (setjmp(writing->trouble.out) == 0) {
        write_rows(writing, image, quality < 1 ? 1 : quality > 100 ? 100 : quality);
        *bytes = dv_alloc(writing->size, 1);
        memcpy(*bytes, writing->buffer, writing->size);
        *size = writing->size;
        status = DV_OK;
    } else {
        status = DV_ERROR_INVALID;
        dv_text_add(why, "libjpeg: %s", writing->trouble.text);
    }
    jpeg_destroy_compress(&writing->jpeg);
    free(writing->buffer);
    dv_free(writing->row);
    dv_free(writing);
    return status;
}
