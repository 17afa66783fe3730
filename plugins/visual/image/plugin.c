/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of image files: a library of its own, so that whoever does without pictures does without libpng and libjpeg.
 */
#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <divan/memory.h>
#include <divan/output.h>
#include <divan/plugin.h>

enum { LARGEST_FILE = 1 << 29 }; /* bytes */

DvStatus image_begin(DvImage *image, uint64_t width, uint64_t height, DvText *why)
{
    if (width == 0 || height == 0) {
        dv_text_add(why, "it has no pixels");
        return DV_ERROR_INVALID;
    }
    if (width > DV_IMAGE_SIDE_MOST || height > DV_IMAGE_SIDE_MOST) {
        dv_text_add(why, "it has %llu x %llu pixels; at most %d on a side can be read", (unsigned long long)width,
                    (unsigned long long)height, DV_IMAGE_SIDE_MOST);
        return DV_ERROR_LIMIT;
    }
    *image = (DvImage){(uint32_t)width, (uint32_t)height, dv_try_alloc(width * height, 4)};
    if (image->pixels)
        return DV_OK;
    dv_text_add(why, "there is no room in memory for its %llu x %llu pixels", (unsigned long long)width,
                (unsigned long long)height);
    *image = (DvImage){0};
    return DV_ERROR_LIMIT;
}

static void free_image(DvImage *image)
{
    dv_free(image->pixels);
    *image = (DvImage){0};
}

static DvStatus read_bytes(const char *path, uint8_t **bytes, size_t *size, DvText *why)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    DvStatus result = DV_ERROR_IO;
    *bytes = NULL;
    if (!file || fstat(fileno(file), &status) != 0) {
        dv_text_add(why, "%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        dv_text_add(why, "it is no file");
    } else if (status.st_size > LARGEST_FILE) {
        dv_text_add(why, "it is larger than %d MiB", LARGEST_FILE >> 20);
        result = DV_ERROR_LIMIT;
    } else {
        *bytes = dv_try_alloc((size_t)status.st_size, 1);
        *size = *bytes ? fread(*bytes, 1, (size_t)status.st_size, file) : 0;
        if (!*bytes)
            dv_text_add(why, "there is no room in memory for its %lld bytes", (long long)status.st_size);
        else if (ferror(file))
            dv_text_add(why, "%s", strerror(errno));
        else
            result = DV_OK;
    }
    if (file)
        (void)fclose(file);
    return result;
}

static DvStatus read_image(const char *path, DvImage *image, DvText *why)
{
    ImageBytes file = {0};
    uint8_t *bytes;
    *image = (DvImage){0};
    DvStatus status = read_bytes(path, &bytes, &file.size, why);
    file.at = bytes;
    if (status == DV_OK) {
        if (file.size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
            status = image_read_png(file, image, why);
        else if (file.size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
            status = image_read_jpeg(file, image, why);
        else if (file.size >= 2 && memcmp(bytes, "BM", 2) == 0)
            status = image_read_bmp(file, image, why);
        else
            status = image_read_tga(file, image, why); /* has no mark: the last guess */
    }
    if (status != DV_OK)
        free_image(image);
    dv_free(bytes);
    return status;
}

static DvStatus encode(const DvImage *image, DvImageKind kind, int quality, bool opaque, uint8_t **bytes, size_t *size,
                       DvText *why)
{
    *bytes = NULL;
    *size = 0;
    return kind == DV_IMAGE_JPEG ? image_encode_jpeg(image, quality, bytes, size, why)
                                 : image_encode_png(image, opaque, bytes, size, why);
}

static bool ends_with(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcasecmp(path + length - tail, suffix) == 0;
}

static DvStatus write_image(const char *path, DvScene *scene, const DvImage *image, bool opaque, DvText *why)
{
    enum { QUALITY = 92 };
    const bool jpeg = ends_with(path, ".jpg") || ends_with(path, ".jpeg");
    if (!jpeg && !ends_with(path, ".png")) {
        dv_text_add(why, "its name ends in none of .png .jpg .jpeg");
        return DV_ERROR_UNSUPPORTED;
    }
    uint8_t *bytes;
    size_t size;
    DvStatus status = encode(image, jpeg ? DV_IMAGE_JPEG : DV_IMAGE_PNG, QUALITY, opaque, &bytes, &size, why);
    if (status == DV_OK)
        status = dv_output_write(path, scene, bytes, size, why);
    dv_free(bytes);
    return status;
}

static const DvImagesOps images = {
    .size = sizeof images, .read = read_image, .free = free_image, .write = write_image, .encode = encode};

static const DvContract offers[] = {{.id = DV_IMAGES, .ops = &images}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.image",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Image files: textures are read, screenshots are written (PNG, JPEG; BMP and TGA are read).",
    .offers = offers,
};
