/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of all types as text: a type is data (scalar, components, list), so one printer serves all.
 *
 * A double is printed with the fewest of 15, 16 or 17 significant digits that read back as the same bits; 17 always do.
 */
#include "words.h"

#include <math.h>
#include <stdio.h>

void dv_text_add_double(DvText *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        dv_text_add_bytes(text, digits, (size_t)snprintf(digits, sizeof digits, "%lld", (long long)value));
        return;
    }
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        (void)g_ascii_formatd(digits, sizeof digits, formats[i], value);
        if (g_ascii_strtod(digits, NULL) == value)
            break;
    }
    dv_text_add_bytes(text, digits, strlen(digits));
}

static void print_words(char *const *words, size_t count, DvText *out)
{
    bool plain = true;
    for (size_t i = 0; i < count; i++)
        plain &= *words[i] != 0 && *words[i] != '[' && !words[i][strcspn(words[i], " \t\n\r\v\f")];
    if (!plain)
        dv_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        const char *const mark = plain ? "" : strchr(words[i], '"') ? "'" : "\"";
        dv_text_add(out, "%s%s%s%s", i == 0 ? "" : plain ? " " : ", ", mark, words[i], mark);
    }
    if (!plain)
        dv_text_add(out, "]");
}

void dv_words_print(const DvType *type, const void *elements, size_t count, DvText *out)
{
    if (type->print) {
        type->print(type, elements, count, out);
        return;
    }
    if (type->scalar == DV_SCALAR_STRING) {
        if (type->list)
            print_words(elements, count, out);
        else
            dv_text_add(out, "%s", *(char *const *)elements);
        return;
    }
    if (type->scalar == DV_SCALAR_BOOL && type->components == 1 && !type->list) {
        dv_text_add(out, *(const bool *)elements ? "true" : "false");
        return;
    }
    const size_t scalars = count * type->components;
    for (size_t i = 0; i < scalars; i++) {
        if (i)
            dv_text_add(out, " ");
        dv_text_add_double(out, dv_core_get_scalar(type->scalar, elements, i));
    }
}

DvStatus dv_words_convert(const DvType *from, const void *value, size_t count, const DvType *to, void **elements,
                          size_t *element_count)
{
    DvText text = {0}, problem = {0};
    dv_words_print(from, value, count, &text);
    const DvStatus status = dv_words_parse(NULL, to, text.at ? text.at : "", elements, element_count, &problem);
    dv_text_free(&text);
    dv_text_free(&problem);
    return status;
}
