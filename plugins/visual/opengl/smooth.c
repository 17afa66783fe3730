/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edges smoothed in the picture of the scene, before texts and legends: how far it is to the ends of a step says how much of the other
 * side a pixel takes (Lottes, FXAA, 2009). It is for drivers that draw in software, where one sample a pixel is what there is time for: it
 * looks at the pixels itself, since such a driver takes many times as long for a program that finds nothing to do at nearly all of them.
 */
#include "renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <divan/memory.h>

enum { CONTRAST = 18 /* of 255, in some channel */, REACH = 10 /* pixels */ };

typedef struct Image {
    const uint8_t *pixels;
    long width, height;
} Image;

typedef struct Change {
    uint32_t pixel;
    uint8_t color[4];
} Change;

static const uint8_t *at(const Image *image, long x, long y)
{
    return image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static int light(const Image *image, long x, long y)
{
    const uint8_t *p = at(image, x, y);
    return 3 * p[0] + 5 * p[1] + 2 * p[2];
}

/* Along an edge from a pixel, dx dy, until the mean of both its sides is another by a quarter of the step; how far, and by how much. */
static long walk(const Image *image, long x, long y, long dx, long dy, const long across[2], double mean, double limit,
                 double *end)
{
    long way = 0;
    *end = 0;
    do {
        x += dx, y += dy;
        if (x < 1 || y < 1 || x >= image->width - 1 || y >= image->height - 1)
            return way + 1;
        *end = 0.5 * (light(image, x, y) + light(image, x + across[0], y + across[1])) - mean;
        way++;
    } while (way < REACH && fabs(*end) < limit);
    return way;
}

/* What the pixel takes of which neighbour. */
static double share_of(const Image *image, long x, long y, long across[2])
{
    const int m = light(image, x, y), n = light(image, x, y + 1), s = light(image, x, y - 1),
              e = light(image, x + 1, y), w = light(image, x - 1, y);
    const bool level = abs(n + s - 2 * m) >= abs(e + w - 2 * m);
    const int a = level ? n : e, b = level ? s : w;
    const bool ahead = abs(a - m) >= abs(b - m);
    const int step = (ahead ? a : b) - m;
    across[0] = level ? 0 : ahead ? 1 : -1;
    across[1] = !level ? 0 : ahead ? 1 : -1;
    if (abs(step) < CONTRAST)
        return 0;
    const double mean = m + 0.5 * step, limit = 0.25 * abs(step);
    double ends[2];
    const long first = walk(image, x, y, level, !level, across, mean, limit, &ends[0]);
    const long second = walk(image, x, y, -(long)level, -(long)!level, across, mean, limit, &ends[1]);
    const double end = first < second ? ends[0] : ends[1];
    const double share =
        (end < 0) != (m < mean) ? 0.5 - (double)(first < second ? first : second) / (double)(first + second) : 0;
    const double lone = fabs(0.25 * (n + s + e + w) - m) / (10 * 255);
    return fmax(share, fmin(lone, 0.35));
}

static void smooth_pixel(Smoothing *self, const Image *image, long x, long y)
{
    long across[2];
    const double share = share_of(image, x, y, across);
    if (!(share > 0.01))
        return;
    Change *change = list_add(&self->changes, sizeof *change);
    const uint8_t *here = at(image, x, y), *there = at(image, x + across[0], y + across[1]);
    change->pixel = (uint32_t)(y * image->width + x);
    for (int c = 0; c < 4; c++)
        change->color[c] = (uint8_t)(here[c] + share * (there[c] - here[c]) + 0.5);
}

/* Where a channel of a pixel differs from that of the next one or of the one above; both are flagged. */
static uint8_t differs(uint8_t a, uint8_t b)
{
    const uint8_t most = a > b ? a : b, least = a > b ? b : a;
    return (uint8_t)((uint8_t)(most - least) > CONTRAST ? 255 : 0);
}

static void flag(const uint8_t *restrict row, const uint8_t *restrict above, size_t bytes, uint8_t *restrict flags,
                 uint8_t *restrict flags_above)
{
    for (size_t i = 0; i < bytes - 4; i++) {
        const uint8_t up = differs(row[i], above[i]);
        flags[i] = (uint8_t)(flags[i] | up | differs(row[i], row[i + 4]));
        flags_above[i] = up;
    }
    memset(flags_above + bytes - 4, 0, 4);
}

static void smooth_row(Smoothing *self, const Image *image, long y, const uint8_t *flags)
{
    enum { AT_ONCE = 8 };
    bool before = false;
    for (long first = 0; first < image->width; first += AT_ONCE) {
        uint64_t some[AT_ONCE / 2];
        const long end = first + AT_ONCE < image->width ? first + AT_ONCE : image->width;
        if (end - first == AT_ONCE && !before) { /* mostly there is nothing */
            memcpy(some, flags + 4 * first, sizeof some);
            if (!(some[0] | some[1] | some[2] | some[3]))
                continue;
        }
        for (long x = first; x < end; x++) {
            uint32_t here;
            memcpy(&here, flags + 4 * x, sizeof here);
            if ((here || before) && x > 0 && x < image->width - 1)
                smooth_pixel(self, image, x, y);
            before = here != 0;
        }
    }
}

static void read(DvRenderer *self, const Targets *t)
{
    Smoothing *smoothing = &self->smoothing;
    const size_t row = 4 * (size_t)t->width, bytes = row * t->height;
    if (smoothing->bytes != bytes || smoothing->row != row) {
        smooth_free(smoothing);
        smoothing->pixels = dv_alloc(bytes, 1);
        smoothing->flags = dv_alloc(2 * row, 1);
        smoothing->bytes = bytes;
        smoothing->row = row;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t->picture);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, (GLsizei)t->width, (GLsizei)t->height, GL_RGBA, GL_UNSIGNED_BYTE, smoothing->pixels);
}

/* All changes at once: none sees another. */
static void write(const Smoothing *self, const Targets *t)
{
    const Change *change = self->changes.at;
    const uint32_t count = self->changes.count, first = change[0].pixel / t->width,
                   rows = change[count - 1].pixel / t->width - first + 1;
    for (uint32_t i = 0; i < count; i++)
        memcpy(self->pixels + 4 * (size_t)change[i].pixel, change[i].color, 4);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t->picture_texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)first, (GLsizei)t->width, (GLsizei)rows, GL_RGBA, GL_UNSIGNED_BYTE,
                    self->pixels + first * self->row);
}

void smooth_draw(DvRenderer *self)
{
    const Targets *t = &self->targets;
    Smoothing *smoothing = &self->smoothing;
    if (!self->smooths || self->samples > 1 || t->width < 3 || t->height < 3)
        return;
    read(self, t);
    const Image image = {smoothing->pixels, (long)t->width, (long)t->height};
    uint8_t *flags = smoothing->flags, *above = flags + smoothing->row;
    smoothing->changes.count = 0;
    memset(flags, 0, smoothing->row);
    for (long y = 0; y + 1 < image.height; y++) {
        flag(at(&image, 0, y), at(&image, 0, y + 1), smoothing->row, flags, above);
        if (y > 0)
            smooth_row(smoothing, &image, y, flags);
        uint8_t *next = above;
        above = flags;
        flags = next;
    }
    if (smoothing->changes.count)
        write(smoothing, t);
}

void smooth_free(Smoothing *self)
{
    dv_free(self->pixels);
    dv_free(self->flags);
    list_free(&self->changes);
    *self = (Smoothing){0};
}
