/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recording.h"

#include <string.h>

#include <divan/contracts/image.h>
#include <divan/memory.h>
#include <divan/plugin.h>

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 16 };

typedef struct Block {
    struct Block *next;
    size_t used, size;
} Block;

/* Of the process, since arrays of all its scenes meet in one renderer. */
static atomic_uint_fast64_t last_picture_id;

uint64_t picture_id(void)
{
    return (uint64_t)atomic_fetch_add(&last_picture_id, 1) + 1;
}

static size_t head_bytes(void)
{
    return (sizeof(SharedArray) + 63) / 64 * 64;
}

SharedArray *shared_array_new(size_t count, size_t bytes)
{
    SharedArray *shared = dv_alloc(1, head_bytes() + count * bytes);
    shared->array = (DvPictureArray){.id = picture_id(), .count = (uint32_t)count, .bytes = (uint32_t)bytes};
    shared->array.at = (const char *)shared + head_bytes();
    atomic_init(&shared->users, 1);
    return shared;
}

void *shared_array_data(SharedArray *shared)
{
    return (char *)shared + head_bytes();
}

void shared_array_release(SharedArray *shared)
{
    if (shared && atomic_fetch_sub(&shared->users, 1) == 1)
        dv_free(shared);
}

/* OpenGL counts rows from below. */
static uint8_t *rows_from_below(const DvImage *image)
{
    const size_t row = 4 * (size_t)image->width;
    uint8_t *pixels = dv_alloc(image->height, row);
    for (uint32_t y = 0; y < image->height; y++)
        memcpy(pixels + y * row, image->pixels + (image->height - 1 - y) * row, row);
    return pixels;
}

static SharedImage *shared_image(uint32_t width, uint32_t height, const uint8_t *pixels)
{
    const size_t count = (size_t)width * height;
    SharedImage *shared = dv_alloc(1, sizeof *shared);
    bool opaque = true;
    for (size_t i = 0; i < count && opaque; i++)
        opaque = pixels[4 * i + 3] == 255;
    shared->image =
        (DvPictureImage){.id = picture_id(), .width = width, .height = height, .pixels = pixels, .opaque = opaque};
    atomic_init(&shared->users, 1);
    return shared;
}

SharedImage *shared_image_read(const char *path, DvText *why)
{
    const DvImagesOps *images = dv_service(DV_IMAGES);
    DvImage image = {0};
    if (!images) {
        dv_text_add(why, "no plugin reads images (divan.image is not loaded)");
        return NULL;
    }
    if (images->read(path, &image, why) != DV_OK)
        return NULL;
    SharedImage *shared = shared_image(image.width, image.height, rows_from_below(&image));
    images->free(&image);
    return shared;
}

SharedImage *shared_image_of_numbers(const double *numbers, uint32_t width, uint32_t height, uint32_t channels)
{
    const size_t count = (size_t)width * height;
    uint8_t *pixels = dv_alloc(count, 4);
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 4; c++) {
            const double number = c < channels ? numbers[i * channels + c] : c == 3 ? 1 : numbers[i * channels];
            pixels[4 * i + c] = (uint8_t)(255 * (number > 0 ? number < 1 ? number : 1 : 0) + 0.5);
        }
    return shared_image(width, height, pixels);
}

void shared_image_release(SharedImage *image)
{
    if (!image || atomic_fetch_sub(&image->users, 1) != 1)
        return;
    union {
        const uint8_t *shown;
        uint8_t *own;
    } pixels = {.shown = image->image.pixels};
    dv_free(pixels.own);
    dv_free(image);
}

Recording *recording_new(void)
{
    Recording *recording = dv_alloc(1, sizeof *recording);
    atomic_init(&recording->users, 1);
    return recording;
}

void recording_release(Recording *recording)
{
    if (!recording || atomic_fetch_sub(&recording->users, 1) != 1)
        return;
    SharedArray **array = recording->arrays.at;
    for (uint32_t i = 0; i < recording->arrays.count; i++)
        shared_array_release(array[i]);
    SharedImage **image = recording->images.at;
    for (uint32_t i = 0; i < recording->images.count; i++)
        shared_image_release(image[i]);
    list_free(&recording->arrays);
    list_free(&recording->images);
    while (recording->blocks) {
        Block *block = recording->blocks;
        recording->blocks = block->next;
        dv_free(block);
    }
    dv_free(recording);
}

void *recording_alloc(Recording *recording, size_t count, size_t size)
{
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t head = (sizeof(Block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Block *block = recording->blocks;
    if (!block || block->size - block->used < bytes) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = dv_alloc(1, head + room);
        block->next = recording->blocks;
        block->size = room;
        recording->blocks = block;
    }
    void *memory = (char *)block + head + block->used;
    block->used += bytes;
    return memory;
}

void *recording_keep(Recording *recording, const List *list, size_t size)
{
    if (!list->count)
        return NULL;
    void *copy = recording_alloc(recording, list->count, size);
    memcpy(copy, list->at, list->count * size);
    return copy;
}

const char *recording_text(Recording *recording, const char *text)
{
    if (!text)
        return NULL;
    const size_t bytes = strlen(text) + 1;
    char *copy = recording_alloc(recording, bytes, 1);
    memcpy(copy, text, bytes);
    return copy;
}

const DvPictureArray *recording_use(Recording *recording, SharedArray *shared)
{
    if (!shared)
        return NULL;
    atomic_fetch_add(&shared->users, 1);
    *(SharedArray **)list_add(&recording->arrays, sizeof shared) = shared;
    return &shared->array;
}

const DvPictureImage *recording_use_image(Recording *recording, SharedImage *image)
{
    if (!image)
        return NULL;
    atomic_fetch_add(&image->users, 1);
    *(SharedImage **)list_add(&recording->images, sizeof image) = image;
    return &image->image;
}
