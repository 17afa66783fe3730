/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Palettes: colours for numbers, red green blue alpha from 0 to 1 for each of n entries between a least and a largest value.
 *
 * Hues go round the colour circle, 0 red, 120 green, 240 blue, at full saturation and value; other schemes are straight lines
 * between two colours, or from a dark tone through a pure one to white.
 */
#ifndef DIVAN_TYPES_COLOR_MAP_H
#define DIVAN_TYPES_COLOR_MAP_H

#include <math.h>

#include <divan/types/color.h>

DV_BEGIN_DECLS

/* Names of schemes, as scenes write them; ended by NULL. The first is that of a palette without a scheme. */
static const char *const dv_color_schemes[] = {"Red to Blue",
                                               "Blue to Red",
                                               "HSV",
                                               "Red",
                                               "Green",
                                               "Blue",
                                               "Yellow to Cyan",
                                               "Cyan to Yellow",
                                               "Red to Yellow",
                                               "Yellow to Red",
                                               "Yellow to Green",
                                               "Green to Yellow",
                                               "Green to Cyan",
                                               "Cyan to Green",
                                               "Cyan to Blue",
                                               "Blue to Cyan",
                                               "BlueInv",
                                               "GreenInv",
                                               "RedInv",
                                               "Custom",
                                               NULL};

/* The number of a scheme; that of HSV when there is none of this name.     [any] */
static inline uint32_t dv_color_scheme(const char *name)
{
    for (uint32_t i = 0; dv_color_schemes[i]; i++)
        if (strcmp(dv_color_schemes[i], name) == 0)
            return i;
    return 2;
}

/* [any] */
static inline void dv_color_of_hue(double degrees, double *rgba)
{
    for (int c = 0; c < 3; c++) {
        const double away = fabs(fmod(degrees - 120.0 * c + 540.0, 360.0) - 180.0); /* from the hue of the channel */
        rgba[c] = fmin(1.0, fmax(0.0, 2.0 - away / 60.0));
    }
    rgba[3] = 1.0;
}

/* `count` >= 2 entries of 4 doubles.     [any] */
static inline void dv_color_palette(uint32_t scheme, double *palette, uint32_t count)
{
    enum { HUES, LINE, TONES, TONES_BACK };
    static const struct {
        int kind, channel;
        double from[3], to[3]; /* hues in degrees: the first of each */
    } schemes[] = {
        {HUES, 0, {0, 0, 0}, {240, 0, 0}},     {HUES, 0, {240, 0, 0}, {0, 0, 0}},
        {HUES, 0, {0, 0, 0}, {360, 0, 0}},     {TONES, 0, {0, 0, 0}, {0, 0, 0}},
        {TONES, 1, {0, 0, 0}, {0, 0, 0}},      {TONES, 2, {0, 0, 0}, {0, 0, 0}},
        {HUES, 0, {60, 0, 0}, {180, 0, 0}},    {HUES, 0, {180, 0, 0}, {60, 0, 0}},
        {LINE, 0, {1, 0, 0}, {1, 1, 0}},       {LINE, 0, {1, 1, 0}, {1, 0, 0}},
        {LINE, 0, {1, 1, 0}, {0, 1, 0}},       {LINE, 0, {0, 1, 0}, {1, 1, 0}},
        {LINE, 0, {0, 1, 0}, {0, 1, 1}},       {LINE, 0, {0, 1, 1}, {0, 1, 0}},
        {LINE, 0, {0, 1, 1}, {0, 0, 1}},       {LINE, 0, {0, 0, 1}, {0, 1, 1}},
        {TONES_BACK, 2, {0, 0, 0}, {0, 0, 0}}, {TONES_BACK, 1, {0, 0, 0}, {0, 0, 0}},
        {TONES_BACK, 0, {0, 0, 0}, {0, 0, 0}}, {HUES, 0, {0, 0, 0}, {360, 0, 0}},
    };
    const double n = count;
    const uint32_t dark = count / 2, pale = count - dark;
    for (uint32_t i = 0; i < count; i++) {
        double *at = palette + 4 * (size_t)i;
        const int kind = schemes[scheme].kind;
        const bool back = kind == TONES_BACK;
        at[3] = 1.0;
        if (kind == HUES) {
            const double first = schemes[scheme].from[0], last = schemes[scheme].to[0];
            dv_color_of_hue(first + (last - first) * i / (n - 1.0), at);
        } else if (kind == LINE) {
            for (int c = 0; c < 3; c++)
                at[c] = schemes[scheme].from[c] + (schemes[scheme].to[c] - schemes[scheme].from[c]) * i / n;
        } else {
            const bool is_dark = back ? i >= pale : i < dark;
            const double step = 1.4 * (is_dark == back ? i - (back ? pale : dark) : i) / n;
            for (int c = 0; c < 3; c++)
                at[c] = is_dark ? 0.0 : back ? fmax(0.0, 0.7 - step) : step;
            at[schemes[scheme].channel] = !is_dark ? 1.0 : back ? 1.0 - step : 0.3 + step;
        }
    }
}

/* The colour of a value between least and most; beyond them that of the end, between two entries a mixture.     [any] */
static inline void dv_color_of_value(const double *palette, size_t count, double least, double most, double value,
                                     double *rgba)
{
    const double last = (double)(count - 1);
    double entry = most != least ? (value - least) * last / (most - least) : 0.0;
    entry = entry > 0.0 ? fmin(entry, last) : 0.0;
    const size_t below = (size_t)entry, above = below + 1 < count ? below + 1 : below;
    for (size_t c = 0; c < 4; c++)
        rgba[c] = palette[4 * below + c] + (entry - (double)below) * (palette[4 * above + c] - palette[4 * below + c]);
}

enum { DV_USUAL_PALETTE = 256 }; /* entries of a palette that is given by the name of its scheme */

static inline DvStatus dv_color_map_parse(const DvType *type, const char *text, void **elements, size_t *count,
                                          DvText *problem)
{
    for (uint32_t i = 0; dv_color_schemes[i]; i++) {
        if (strcmp(dv_color_schemes[i], text) != 0)
            continue;
        *elements = dv_alloc(DV_USUAL_PALETTE, 4 * sizeof(double));
        *count = DV_USUAL_PALETTE;
        dv_color_palette(i, (double *)*elements, DV_USUAL_PALETTE);
        return DV_OK;
    }
    return dv_color_parse(type, text, elements, count, problem);
}

/* A palette: colours, or the name of a scheme. 4 doubles for each entry. */
static const DvType dv_type_color_map = {sizeof(DvType),     "palette", DV_SCALAR_DOUBLE,   4,   true,
                                         4 * sizeof(double), dv_white,  dv_color_map_parse, NULL};

DV_END_DECLS
#endif
