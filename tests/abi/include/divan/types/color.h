/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types of colours, red green blue alpha from 0 to 1: "r g b [a]", "#RGB", "#RGBA", "#RRGGBB", "#RRGGBBAA" or a name; a list has
 * four numbers for each, or words.
 */
#ifndef DIVAN_TYPES_COLOR_H
#define DIVAN_TYPES_COLOR_H

#include <string.h>

#include <divan/type.h>

DV_BEGIN_DECLS

/* [any] The colour of a name of `length` bytes; false, and nothing changed, when it is none. */
static inline bool dv_color_named(const char *word, size_t length, double *rgba)
{
    /* The sixteen names of CSS 1 with the half and three-quarter tones that scene files use, and some of CSS 3. */
    static const struct {
        const char *name;
        double rgb[3];
    } colors[] = {
        {"white", {1, 1, 1}},
        {"black", {0, 0, 0}},
        {"red", {1, 0, 0}},
        {"green", {0, 1, 0}},
        {"blue", {0, 0, 1}},
        {"cyan", {0, 1, 1}},
        {"magenta", {1, 0, 1}},
        {"yellow", {1, 1, 0}},
        {"gray", {0.5, 0.5, 0.5}},
        {"darkgray", {0.25, 0.25, 0.25}},
        {"lightgray", {0.75, 0.75, 0.75}},
        {"orange", {1, 0.5, 0}},
        {"purple", {0.5, 0, 0.5}},
        {"pink", {1, 0, 0.5}},
        {"brown", {0.6, 0.4, 0.2}},
        {"lime", {0.5, 1, 0}},
        {"teal", {0, 0.5, 0.5}},
        {"navy", {0, 0, 0.5}},
        {"olive", {0.5, 0.5, 0}},
        {"maroon", {0.5, 0, 0}},
        {"silver", {0.75, 0.75, 0.75}},
        {"gold", {1, 0.84, 0}},
        {"azure", {0, 0.5, 1}},
    };
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        if (strlen(colors[i].name) == length && strncmp(colors[i].name, word, length) == 0) {
            memcpy(rgba, colors[i].rgb, sizeof colors[i].rgb);
            rgba[3] = 1;
            return true;
        }
    }
    return false;
}

/* [any] The colour of 3, 4, 6 or 8 hexadecimal digits; false when they are not. */
static inline bool dv_color_of_digits(const char *digits, size_t count, double *rgba)
{
    const size_t each = count <= 4 ? 1 : 2; /* "f" is "ff" */
    if (count != 3 && count != 4 && count != 6 && count != 8)
        return false;
    rgba[3] = 1;
    for (size_t i = 0; i < count / each; i++) {
        int value = 0;
        for (size_t k = 0; k < 2; k++) {
            static const char known[] = "0123456789abcdef0123456789ABCDEF";
            const char *digit = strchr(known, digits[i * each + (k < each ? k : 0)]);
            if (!digit)
                return false;
            value = 16 * value + (int)((digit - known) % 16);
        }
        rgba[i] = value / 255.0;
    }
    return true;
}

static inline DvStatus dv_color_parse(const DvType *type, const char *text, void **elements, size_t *count,
                                      DvText *problem)
{
    static const char blanks[] = " \t\n\v\f\r";
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        double color[4] = {0, 0, 0, 1};
        const char *const start = text;
        int read = 0;
        while (read < 4 && dv_read_double(&text, &color[read]))
            read++;
        bool good = read == 4 || (read == 3 && (!type->list || !text[strspn(text, blanks)]));
        if (read == 0) {
            const size_t length = strcspn(text, blanks);
            good = *text == '#' ? dv_color_of_digits(text + 1, length - 1, color) : dv_color_named(text, length, color);
            text += length;
        }
        if (!good) {
            dv_text_add_quoted(problem, start);
            dv_text_add(problem,
                        " is no color: give red green blue [alpha] from 0 to 1, #RRGGBB or a name such as red");
            return DV_ERROR_INVALID;
        }
        memcpy(dv_type_next(type, elements, *count), color, sizeof color);
        ++*count;
        if (!type->list)
            return dv_read_end(text, problem);
    }
    return DV_OK;
}

static const double dv_white[4] = {1, 1, 1, 1};

/* One colour, and a list of them: 4 doubles each. */
static const DvType dv_type_color = {sizeof(DvType),     "color",  DV_SCALAR_DOUBLE, 4,   false,
                                     4 * sizeof(double), dv_white, dv_color_parse,   NULL};
static const DvType dv_type_colors = {sizeof(DvType),     "list of color", DV_SCALAR_DOUBLE, 4,   true,
                                      4 * sizeof(double), dv_white,        dv_color_parse,   NULL};

DV_END_DECLS
#endif
