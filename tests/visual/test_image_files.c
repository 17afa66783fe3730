/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Image files: what is written comes back, pictures in the plain formats are read pixel by pixel however they are stored, and no file that
 * ends too early, or is of another kind, is a picture. The plain files are made here, by what their formats say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <divan/contracts/image.h>
#include <divan/divan.h>
#include <divan/memory.h>

#include "scene_text.h"

static const DvImagesOps *images;
static char folder[] = "image-files-XXXXXX";

typedef struct Bytes {
    uint8_t at[1 << 17];
    size_t count;
} Bytes;

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *keep(const uint8_t *at, size_t count)
{
    const char *path = path_of("picture");
    unlink(path); /* some file systems write what is written over at once */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(at, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void put(Bytes *bytes, uint32_t value, int length)
{
    for (int i = 0; i < length; i++)
        bytes->at[bytes->count++] = (uint8_t)(i < 4 ? value >> 8 * i : 0);
}

/* Any two of these differ in each colour, for the first 60 of them; runs of three are alike. */
static void colour_of(uint32_t pixel, uint8_t colour[4])
{
    const uint32_t n = pixel % 5 < 3 ? pixel - pixel % 5 : pixel;
    colour[0] = (uint8_t)(3 + 4 * n);
    colour[1] = (uint8_t)(250 - 3 * n);
    colour[2] = (uint8_t)(7 * n + 1);
    colour[3] = (uint8_t)(5 * n + 2);
}

typedef struct Kept {
    uint32_t width, height, bits;
    bool from_top, packed;
    uint32_t before; /* bytes between the header and the pixels */
} Kept;

static void put_pixel(Bytes *bytes, const Kept *how, uint32_t x, uint32_t row)
{
    const uint32_t y = how->from_top ? row : how->height - 1 - row;
    uint8_t colour[4];
    colour_of(y * how->width + x, colour);
    if (how->bits == 8) {
        put(bytes, colour[0], 1);
        return;
    }
    put(bytes, colour[2], 1), put(bytes, colour[1], 1), put(bytes, colour[0], 1);
    if (how->bits == 32)
        put(bytes, colour[3], 1);
}

static void make_bmp(Bytes *bytes, const Kept *how)
{
    bytes->count = 0;
    put(bytes, 'B' | 'M' << 8, 2), put(bytes, 0, 8), put(bytes, 54 + how->before, 4);
    put(bytes, 40, 4), put(bytes, how->width, 4), put(bytes, how->from_top ? 0u - how->height : how->height, 4);
    put(bytes, 1, 2), put(bytes, how->bits, 2), put(bytes, 0, 24);
    for (uint32_t i = 0; i < how->before; i++)
        put(bytes, 0xab, 1);
    for (uint32_t row = 0; row < how->height; row++) {
        const size_t start = bytes->count;
        for (uint32_t x = 0; x < how->width; x++)
            put_pixel(bytes, how, x, row);
        while ((bytes->count - start) % 4)
            put(bytes, 0xcd, 1);
    }
}

static bool same_pixels(const Kept *how, uint32_t a, uint32_t b)
{
    Bytes two = {.count = 0};
    put_pixel(&two, how, a % how->width, a / how->width);
    put_pixel(&two, how, b % how->width, b / how->width);
    return memcmp(two.at, two.at + two.count / 2, two.count / 2) == 0;
}

/* Packets go on over the ends of rows; a run is one of up to 128 pixels, pixels that differ are together in another. */
static void pack(Bytes *bytes, const Kept *how)
{
    const uint32_t pixels = how->width * how->height;
    for (uint32_t at = 0, length; at < pixels; at += length) {
        for (length = 1; at + length < pixels && length < 128 && same_pixels(how, at, at + length); length++) {
        }
        const bool run = length > 1;
        while (!run && at + length < pixels && length < 128 && !same_pixels(how, at + length - 1, at + length))
            length++;
        put(bytes, (length - 1) | (run ? 0x80u : 0u), 1);
        for (uint32_t i = 0; i < (run ? 1 : length); i++)
            put_pixel(bytes, how, (at + i) % how->width, (at + i) / how->width);
    }
}

static void make_tga(Bytes *bytes, const Kept *how)
{
    bytes->count = 0;
    put(bytes, how->before, 1), put(bytes, 0, 1), put(bytes, (how->bits == 8 ? 3u : 2u) + (how->packed ? 8u : 0u), 1);
    put(bytes, 0, 9), put(bytes, how->width, 2), put(bytes, how->height, 2), put(bytes, how->bits, 1);
    put(bytes, how->from_top ? 0x20 : 0, 1);
    for (uint32_t i = 0; i < how->before; i++)
        put(bytes, 0xab, 1);
    if (how->packed) {
        pack(bytes, how);
        return;
    }
    for (uint32_t row = 0; row < how->height; row++)
        for (uint32_t x = 0; x < how->width; x++)
            put_pixel(bytes, how, x, row);
}

static void expect_picture(const Bytes *bytes, const Kept *how, bool alpha)
{
    DvImage image;
    DvText why = {0};
    if (images->read(keep(bytes->at, bytes->count), &image, &why) != DV_OK)
        fail_msg("%u x %u of %u bits: %s", how->width, how->height, how->bits, why.at);
    assert_int_equal(image.width, how->width);
    assert_int_equal(image.height, how->height);
    for (uint32_t i = 0; i < how->width * how->height; i++) {
        uint8_t colour[4];
        colour_of(i, colour);
        if (how->bits == 8)
            colour[1] = colour[2] = colour[0];
        if (!alpha)
            colour[3] = 255;
        assert_memory_equal(image.pixels + 4 * (size_t)i, colour, 4);
    }
    images->free(&image);
    assert_null(image.pixels);
}

static void expect_unread(const char *path, DvStatus status, const char *reason)
{
    DvImage image = {7, 7, NULL};
    DvText why = {0};
    assert_int_equal(images->read(path, &image, &why), status);
    assert_true(image.width == 0 && image.height == 0 && !image.pixels);
    if (!strstr(why.at, reason))
        fail_msg("'%s', not '%s'", why.at, reason);
    dv_text_free(&why);
}

static void expect_no_picture(const uint8_t *at, size_t count, DvStatus status, const char *reason)
{
    expect_unread(keep(at, count), status, reason);
}

/* Each beginning of a file. */
static void expect_no_part(const Bytes *bytes, size_t header, const char *of_header, const char *of_rest)
{
    const char *path = keep(bytes->at, bytes->count);
    for (size_t count = bytes->count; count-- > 0;) {
        assert_int_equal(truncate(path, (off_t)count), 0);
        expect_unread(path, count < header ? DV_ERROR_UNSUPPORTED : DV_ERROR_INVALID,
                      count < 2        ? "it is none of"
                      : count < header ? of_header
                                       : of_rest);
    }
}

static const uint32_t sizes[][2] = {{1, 1}, {2, 1}, {3, 2}, {4, 3}, {5, 3}, {1, 7}, {7, 8}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void bmp_files_are_read(void **state)
{
    (void)state;
    static Bytes bytes;
    for (uint32_t i = 0; i < 2 * 2 * 2 * SIZES; i++) {
        const Kept how = {.width = sizes[i / 8][0],
                          .height = sizes[i / 8][1],
                          .bits = i & 1 ? 24 : 32,
                          .from_top = i & 2,
                          .before = i & 4 ? 13 : 0};
        make_bmp(&bytes, &how);
        expect_picture(&bytes, &how, false);
        expect_no_part(&bytes, 54, "a BMP that is not of 24 or 32 bits", "broken BMP: it ends before its last pixel");
    }
    const Kept how = {.width = 3, .height = 2, .bits = 24};
    static const struct {
        size_t at;
        uint8_t is;
    } others[] = {{28, 8}, {28, 16}, {28, 25}, {29, 1}, {30, 1}, {33, 1}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make_bmp(&bytes, &how);
        bytes.at[others[i].at] = others[i].is;
        expect_no_picture(bytes.at, bytes.count, DV_ERROR_UNSUPPORTED,
                          "a BMP that is not of 24 or 32 bits without compression; save it as PNG");
    }
}

static void tga_files_are_read(void **state)
{
    (void)state;
    static Bytes bytes;
    for (uint32_t i = 0; i < 3 * 2 * 2 * 2 * SIZES; i++) {
        static const uint32_t bits[] = {8, 24, 32};
        const Kept how = {.width = sizes[i / 24][0],
                          .height = sizes[i / 24][1],
                          .bits = bits[i / 8 % 3],
                          .from_top = i & 1,
                          .packed = i & 2,
                          .before = i & 4 ? 5 : 0};
        make_tga(&bytes, &how);
        expect_picture(&bytes, &how, how.bits == 32);
        expect_no_part(&bytes, 18, "it is none of PNG, JPEG, BMP and TGA of 8, 24 or 32 bits",
                       "broken TGA: it ends before its last pixel");
    }
    static const struct {
        size_t at;
        uint8_t is;
    } others[] = {{1, 1}, {2, 1}, {2, 4}, {2, 6}, {2, 9}, {2, 3}, {2, 11}, {16, 8}, {16, 16}, {16, 15}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        make_tga(&bytes, &(Kept){.width = 3, .height = 2, .bits = 24});
        bytes.at[others[i].at] = others[i].is;
        expect_no_picture(bytes.at, bytes.count, DV_ERROR_UNSUPPORTED, "it is none of");
    }
    make_tga(&bytes, &(Kept){.width = 3, .height = 2, .bits = 8});
    bytes.at[16] = 24;
    expect_no_picture(bytes.at, bytes.count, DV_ERROR_UNSUPPORTED, "it is none of");
}

/* A packet of two bytes may hold 128 pixels, so a short file may have many; one byte less, and it has not. */
static void packets_are_as_long_as_they_may_be(void **state)
{
    (void)state;
    static Bytes bytes;
    for (uint32_t runs = 1; runs <= 3; runs++) {
        DvImage image;
        DvText why = {0};
        make_tga(&bytes, &(Kept){.bits = 8, .packed = true});
        bytes.at[12] = 128, bytes.at[14] = (uint8_t)runs;
        for (uint32_t i = 0; i < runs; i++)
            put(&bytes, 0xff, 1), put(&bytes, 9 + i, 1);
        assert_int_equal(images->read(keep(bytes.at, bytes.count), &image, &why), DV_OK);
        for (uint32_t i = 0; i < 128 * runs; i++) /* the lowest row first */
            assert_int_equal(image.pixels[4 * (size_t)i], 9 + runs - 1 - i / 128);
        images->free(&image);
        expect_no_picture(bytes.at, bytes.count - 1, DV_ERROR_INVALID, "broken TGA");
    }
}

static void sizes_have_limits(void **state)
{
    (void)state;
    static Bytes bytes;
    const uint32_t most = DV_IMAGE_SIDE_MOST;
    const uint32_t large[][2] = {{most + 1, 1}, {1, most + 1}};
    for (int i = 0; i < 2; i++) {
        char reason[100];
        snprintf(reason, sizeof reason, "it has %u x %u pixels; at most 16384 on a side can be read", large[i][0],
                 large[i][1]);
        const Kept how = {.width = large[i][0], .height = large[i][1], .bits = i ? 32 : 24};
        make_bmp(&bytes, &(Kept){.bits = how.bits});
        memcpy(bytes.at + 18, &how.width, 4), memcpy(bytes.at + 22, &how.height, 4);
        expect_no_picture(bytes.at, bytes.count, DV_ERROR_LIMIT, reason);
        bytes.count = 0;
        make_tga(&bytes, &(Kept){.bits = 8});
        bytes.at[12] = (uint8_t)how.width, bytes.at[13] = (uint8_t)(how.width >> 8);
        bytes.at[14] = (uint8_t)how.height, bytes.at[15] = (uint8_t)(how.height >> 8);
        for (uint32_t k = 0; k < most + 1; k++)
            put(&bytes, 1, 1);
        expect_no_picture(bytes.at, bytes.count, DV_ERROR_LIMIT, reason);
        const Kept good = {.width = i ? 1 : most, .height = i ? most : 1, .bits = 24};
        make_bmp(&bytes, &good);
        DvImage image;
        DvText why = {0};
        assert_int_equal(images->read(keep(bytes.at, bytes.count), &image, &why), DV_OK);
        images->free(&image);
    }
    for (int i = 0; i < 4; i++) {
        const Kept none = {.width = i & 1 ? 0 : 5, .height = i & 1 ? 5 : 0, .bits = 24};
        (i & 2 ? make_bmp : make_tga)(&bytes, &none);
        expect_no_picture(bytes.at, bytes.count, DV_ERROR_INVALID, "it has no pixels");
    }
}

static void the_first_bytes_say_the_kind(void **state)
{
    (void)state;
    static const uint8_t png[] = "\x89PNG\r\n\x1a\n", jpeg[] = "\xff\xd8\xff", bmp[] = "BM";
    expect_no_picture(png, 8, DV_ERROR_INVALID, "broken PNG: ");
    expect_no_picture(png, 7, DV_ERROR_UNSUPPORTED, "it is none of");
    expect_no_picture(jpeg, 3, DV_ERROR_INVALID, "broken JPEG: ");
    expect_no_picture(jpeg, 2, DV_ERROR_UNSUPPORTED, "it is none of");
    expect_no_picture(bmp, 2, DV_ERROR_UNSUPPORTED, "a BMP that is not");
    expect_no_picture(bmp, 1, DV_ERROR_UNSUPPORTED, "it is none of");
    expect_no_picture(bmp, 0, DV_ERROR_UNSUPPORTED, "it is none of");
    DvImage image = {7, 7, NULL};
    DvText why = {0};
    assert_int_equal(images->read(folder, &image, &why), DV_ERROR_IO);
    assert_non_null(strstr(why.at, "it is no file"));
    assert_int_equal(images->read(path_of("nowhere.png"), &image, &why), DV_ERROR_IO);
    assert_non_null(strstr(why.at, "No such file"));
    assert_true(image.width == 0 && !image.pixels);
    FILE *file = fopen(path_of("large"), "wb"); /* holes take no room */
    assert_int_equal(ftruncate(fileno(file), ((off_t)1 << 29) + 1), 0);
    assert_int_equal(images->read(path_of("large"), &image, &why), DV_ERROR_LIMIT);
    assert_non_null(strstr(why.at, "it is larger than 512 MiB"));
    fclose(file);
    unlink(path_of("large"));
    dv_text_free(&why);
}

/* What is smooth comes back nearly as it was in JPEG, without its alpha; PNG loses nothing. */
static void what_is_written_comes_back(void **state)
{
    (void)state;
    enum { WIDTH = 37, HEIGHT = 23 };
    uint8_t pixels[HEIGHT][WIDTH][4];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            pixels[y][x][0] = (uint8_t)(20 + 5 * x);
            pixels[y][x][1] = (uint8_t)(240 - 7 * y);
            pixels[y][x][2] = (uint8_t)(30 + 2 * x + 3 * y);
            pixels[y][x][3] = (uint8_t)(255 - x - y);
        }
    static const struct {
        const char *name;
        bool opaque, lossy;
    } cases[] = {{"a.png", false, false}, {"b.PNG", true, false}, {"c.jpg", false, true}, {"d.JPEG", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DvImage image = {WIDTH, HEIGHT, &pixels[0][0][0]}, back;
        DvText why = {0};
        assert_int_equal(images->write(path_of(cases[i].name), NULL, &image, cases[i].opaque, &why), DV_OK);
        assert_int_equal(images->read(path_of(cases[i].name), &back, &why), DV_OK);
        assert_true(back.width == WIDTH && back.height == HEIGHT);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                const uint8_t *now = back.pixels + 4 * (y * WIDTH + x);
                for (int c = 0; c < 3; c++)
                    assert_in_range(now[c] + 12 - pixels[y][x][c], cases[i].lossy ? 0 : 12, cases[i].lossy ? 24 : 12);
                assert_int_equal(now[3], cases[i].opaque || cases[i].lossy ? 255 : pixels[y][x][3]);
            }
        images->free(&back);
        unlink(path_of(cases[i].name));
    }
    DvImage small = {WIDTH, HEIGHT, &pixels[0][0][0]};
    DvText none = {0};
    assert_int_equal(images->write(".png", NULL, &small, true, &none), DV_OK); /* which has nothing but an ending */
    assert_int_equal(unlink(".png"), 0);
    static const char *const names[] = {"e.gif", "png", "e.pn", "e.pngs", "e"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        DvImage image = {WIDTH, HEIGHT, &pixels[0][0][0]};
        DvText why = {0};
        assert_int_equal(images->write(path_of(names[i]), NULL, &image, true, &why), DV_ERROR_UNSUPPORTED);
        assert_string_equal(why.at, "its name ends in none of .png .jpg .jpeg");
        assert_int_not_equal(access(path_of(names[i]), F_OK), 0);
        dv_text_free(&why);
    }
}

/* The size of the result by quality: below 1 as 1, above 100 as 100, and more for more. */
/* Without its rows a JPEG is broken, without its end mark it is not; libjpeg says nothing of its own. */
static void a_jpeg_needs_its_rows(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    uint8_t pixels[4 * SIDE * SIDE];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i / 7);
    DvImage image = {SIDE, SIDE, pixels}, whole = {0}, back = {0};
    DvText why = {0};
    char path[512];
    snprintf(path, sizeof path, "%s", path_of("rows.jpg"));
    assert_int_equal(images->write(path, NULL, &image, true, &why), DV_OK);
    assert_int_equal(images->read(path, &whole, &why), DV_OK);
    struct stat file;
    assert_int_equal(stat(path, &file), 0);

    FILE *said = tmpfile();
    const int terminal = dup(STDERR_FILENO);
    dup2(fileno(said), STDERR_FILENO);
    assert_int_equal(truncate(path, file.st_size - 2), 0);
    assert_int_equal(images->read(path, &back, &why), DV_OK);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    assert_int_equal(fseek(said, 0, SEEK_END), 0);
    assert_int_equal(ftell(said), 0);
    fclose(said);

    assert_memory_equal(back.pixels, whole.pixels, sizeof pixels);
    assert_int_equal(truncate(path, file.st_size / 2), 0);
    expect_unread(path, DV_ERROR_INVALID, "broken JPEG: Premature end of JPEG file");
    images->free(&back);
    images->free(&whole);
    unlink(path);
}

static void quality_is_one_to_a_hundred(void **state)
{
    (void)state;
    uint8_t pixels[32 * 32 * 4];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
    const DvImage image = {32, 32, pixels};
    static const int qualities[] = {-5, 0, 1, 50, 100, 101, 1000};
    size_t size[7];
    for (int i = 0; i < 7; i++) {
        uint8_t *bytes;
        DvText why = {0};
        assert_int_equal(images->encode(&image, DV_IMAGE_JPEG, qualities[i], true, &bytes, &size[i], &why), DV_OK);
        assert_memory_equal(bytes, "\xff\xd8\xff", 3);
        dv_free(bytes);
    }
    assert_true(size[0] == size[2] && size[1] == size[2] && size[2] < size[3] && size[3] < size[4]);
    assert_true(size[5] == size[4] && size[6] == size[4]);
    uint8_t *bytes;
    DvText why = {0};
    size_t whole, opaque;
    assert_int_equal(images->encode(&image, DV_IMAGE_PNG, 92, false, &bytes, &whole, &why), DV_OK);
    dv_free(bytes);
    assert_int_equal(images->encode(&image, DV_IMAGE_PNG, 92, true, &bytes, &opaque, &why), DV_OK);
    assert_true(opaque < whole);
    /* Files that end too early are broken, wherever: a part of a JPEG may be enough for its header, or for all but an end of it. */
    for (size_t count = 8; count < opaque; count += 37)
        expect_no_picture(bytes, count, DV_ERROR_INVALID, "broken PNG: ");
    dv_free(bytes);
    const DvImage none = {0, 5, pixels};
    for (int kind = 0; kind < 2; kind++) {
        assert_int_not_equal(images->encode(&none, kind ? DV_IMAGE_JPEG : DV_IMAGE_PNG, 92, true, &bytes, &whole, &why),
                             DV_OK);
        assert_null(bytes);
        assert_non_null(strstr(why.at, kind ? "libjpeg: " : "libpng: "));
    }
    dv_text_free(&why);
}

static int start(void **state)
{
    (void)state;
    dv_scene_free(scene_from_text("<Node><DefaultAnimationLoop/></Node>")); /* starts the plugins */
    images = dv_service(DV_IMAGES);
    return images && mkdtemp(folder) ? 0 : -1;
}

static int stop(void **state)
{
    unlink(path_of("picture"));
    rmdir(folder);
    return stop_plugins(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bmp_files_are_read),
        cmocka_unit_test(tga_files_are_read),
        cmocka_unit_test(packets_are_as_long_as_they_may_be),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(the_first_bytes_say_the_kind),
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(a_jpeg_needs_its_rows),
        cmocka_unit_test(quality_is_one_to_a_hundred),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
