/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Readers: values from the text of scene files. Plain numbers are divan/math/decimal.h's.
 *
 * One reader serves all types that are plain numbers; index lists (ranges "A-B-S"), truth values, words and choices have
 * their own, and types of another syntax bring one. A value is read as far as it goes. What follows a complete value is
 * dropped with a warning; what ends a value too early is an error that keeps what was read before.
 */
#include "words.h"

#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <divan/math/decimal.h>

#define LONGEST_LIST ((size_t)1 << 24) /* entries that ranges may make: a typing error must not fill the memory */

static const char *end_of_word(const char *text)
{
    while (*text && !dv_is_blank(*text))
        text++;
    return text;
}

/* Of a text of `length` bytes without the blanks at its end. */
static size_t trimmed(const char *text, size_t length)
{
    while (length && dv_is_blank(text[length - 1]))
        length--;
    return length;
}

static inline const char *skip_blanks(const char *text)
{
    return dv_skip_blanks(text, NULL);
}

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double dv_decimal_round(const DvDecimal *number, bool single)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    char room[128];
    const size_t length = (size_t)(number->end - number->start);
    char *copy = length < sizeof room ? room : dv_alloc(length + 1, 1);
    memcpy(copy, number->start, length);
    copy[number->power - number->start] = 'e'; /* where Fortran has a D */
    copy[length] = '\0';
    const double result = single ? (double)strtof_l(copy, NULL, c_locale) : strtod_l(copy, NULL, c_locale);
    if (copy != room)
        dv_free(copy);
    return result;
}

bool dv_read_double(const char **text, double *value)
{
    return dv_decimal_double(text, NULL, false, value);
}

bool dv_read_int(const char **text, int32_t *value)
{
    int64_t number;
    if (!dv_decimal_integer(text, NULL, INT32_MIN, INT32_MAX, &number))
        return false;
    *value = (int32_t)number;
    return true;
}

/* A negative number stands for its value modulo 2^32, as scene files use -1 for "none". */
bool dv_read_uint(const char **text, uint32_t *value)
{
    int64_t number;
    if (!dv_decimal_integer(text, NULL, INT32_MIN, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

bool dv_read_word(const char **text, char *word, size_t size)
{
    const char *const start = skip_blanks(*text);
    const char *end = end_of_word(start);
    if (end == start)
        return false;
    const size_t length = MIN((size_t)(end - start), size - 1);
    memcpy(word, start, length);
    word[length] = 0;
    *text = end;
    return true;
}

/* A growing array of elements. */
typedef struct Elements {
    void *at;
    size_t count, capacity, size;
} Elements;

static void *next_element(Elements *elements)
{
    if (elements->count == elements->capacity) {
        const size_t capacity = MAX(16, 2 * elements->capacity);
        elements->at = dv_realloc(elements->at, elements->capacity * elements->size, capacity * elements->size);
        elements->capacity = capacity;
    }
    return (char *)elements->at + elements->count++ * elements->size;
}

void dv_text_add_quoted(DvText *out, const char *text)
{
    size_t length = trimmed(text, strlen(text));
    if (length <= 40) {
        dv_text_add(out, "'%.*s'", (int)length, text);
        return;
    }
    length = 40;
    while (length > 20 && ((unsigned char)text[length] & 0xC0u) == 0x80u) /* not within a character of UTF-8 */
        length--;
    dv_text_add(out, "'%.*s...'", (int)length, text);
}

static const char *scalar_word(DvScalar scalar)
{
    switch (scalar) {
    case DV_SCALAR_INT:
        return "an integer";
    case DV_SCALAR_UINT:
        return "an integer that is not negative";
    case DV_SCALAR_BOOL:
        return "0 or 1";
    default:
        return "a number";
    }
}

/* What a word that is no scalar lacks. */
static void say_no_scalar(DvText *problem, DvScalar scalar, const char *word)
{
    const size_t digits = strspn(word, "0123456789");
    dv_text_add_quoted(problem, word);
    if ((scalar == DV_SCALAR_INT || scalar == DV_SCALAR_UINT) && digits && word + digits == end_of_word(word))
        dv_text_add(problem, " is beyond the largest integer here, %" PRIu32,
                    scalar == DV_SCALAR_INT ? (uint32_t)INT32_MAX : UINT32_MAX);
    else
        dv_text_add(problem, " is not %s", scalar_word(scalar));
}

/* One scalar of an array; truth values are 0 or 1 there. */
static inline bool read_scalar(DvScalar scalar, const char **text, void *out)
{
    switch (scalar) {
    case DV_SCALAR_DOUBLE:
        return dv_decimal_double(text, NULL, false, out);
    case DV_SCALAR_INT:
        return dv_read_int(text, out);
    case DV_SCALAR_UINT:
        return dv_read_uint(text, out);
    default: {
        const char *at = skip_blanks(*text);
        if ((*at != '0' && *at != '1') || dv_is_digit(at[1]))
            return false;
        *(bool *)out = *at == '1';
        *text = at + 1;
        return true;
    }
    }
}

/* Behind a number that was read, where a blank or the end should be and another number begins: "1.2.3", "4-2". */
static void say_run_on(DvText *problem, const char *from, const char *rest)
{
    if (problem->length)
        return;
    dv_text_add_quoted(problem, skip_blanks(from));
    dv_text_add(problem, ": no blank stands before ");
    dv_text_add_quoted(problem, rest);
}

static inline bool runs_on(const char *rest)
{
    double next;
    return *rest && !dv_is_blank(*rest) && dv_read_double(&rest, &next);
}

DvStatus dv_read_end(const char *rest, DvText *problem)
{
    rest = skip_blanks(rest);
    if (*rest) {
        dv_text_add(problem, problem->length ? "; " : "");
        dv_text_add_quoted(problem, rest);
        dv_text_add(problem, " after the value is dropped");
    }
    return DV_OK;
}

/* An element of numbers over the old one. */
static DvStatus parse_fixed(const DvType *type, const char *text, void *element, DvText *problem)
{
    const size_t step = type->element_size / type->components;
    for (uint32_t i = 0; i < type->components; i++) {
        void *out = (char *)element + i * step;
        const char *from = skip_blanks(text);
        if (read_scalar(type->scalar, &text, out)) {
            if (type->scalar == DV_SCALAR_UINT && *from == '-' && *(uint32_t *)out != 0 && !problem->length) {
                dv_text_add_quoted(problem, from);
                dv_text_add(problem, " is negative");
            }
            if (i + 1 < type->components && runs_on(text))
                say_run_on(problem, from, text);
            continue;
        }
        text = skip_blanks(text);
        dv_text_add(problem, problem->length ? "; " : "");
        if (*text) {
            memset(out, 0, step);
            say_no_scalar(problem, type->scalar, text);
        } else {
            dv_text_add(problem, "%u of %u numbers are missing", type->components - i, type->components);
        }
        return DV_ERROR_INVALID;
    }
    return dv_read_end(text, problem);
}

/* Elements of numbers one after the other. */
static DvStatus parse_list(const DvType *type, const char *text, Elements *out, DvText *problem)
{
    const size_t step = type->element_size / type->components;
    DvStatus status = DV_OK;
    for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
        char *element = next_element(out);
        uint32_t i = 0;
        for (const char *from = text; i < type->components && read_scalar(type->scalar, &text, element + i * step);
             i++, from = text)
            if (runs_on(text) && status == DV_OK)
                say_run_on(problem, from, text);
        if (i == type->components)
            continue;
        out->count--;
        memset(element, 0, out->size);
        text = skip_blanks(text);
        dv_text_add(problem, problem->length ? "; " : "");
        if (*text) {
            say_no_scalar(problem, type->scalar, text);
            dv_text_add(problem, "; the %zu entries before it are kept", out->count);
            status = DV_ERROR_INVALID;
        } else {
            dv_text_add(problem, "the last entry has %u of %u numbers and is dropped", i, type->components);
        }
        break;
    }
    return status;
}

/* One bound of a range: all of [start, end). It is 0 where there is none. */
static bool read_bound(const char *start, const char *end, bool is_signed, int64_t *value)
{
    const bool is_refused = !is_signed && *start == '-';
    if (!is_refused && dv_decimal_integer(&start, end, INT32_MIN, is_signed ? INT32_MAX : UINT32_MAX, value) &&
        start == end)
        return true;
    *value = 0;
    return false;
}

/* The minus behind the bound that starts here; one in front of it is its sign. */
static const char *minus_behind(const char *start, const char *end)
{
    return end - start > 1 ? memchr(start + 1, '-', (size_t)(end - start - 1)) : NULL;
}

/* "A", "A-B" or "A-B-S" within [start, end). False when the list would get too long. */
static bool add_range(const char *start, const char *end, bool is_signed, Elements *out, bool *bad)
{
    const char *const first = minus_behind(start, end);
    const char *const second = first ? minus_behind(first + 1, end) : NULL;
    int64_t from, to, step = 0;
    *bad |= !read_bound(start, first ? first : end, is_signed, &from);
    if (!first) {
        *(uint32_t *)next_element(out) = (uint32_t)from;
        return true;
    }
    *bad |= !read_bound(first + 1, second ? second : end, is_signed, &to);
    if (second)
        *bad |= !read_bound(second + 1, end, true, &step);
    if (step == 0)
        step = from <= to ? 1 : -1;
    if ((step > 0) != (from <= to) && from != to) {
        const int64_t swapped = from;
        from = to;
        to = swapped;
    }
    if ((uint64_t)((to - from) / step) >= LONGEST_LIST - out->count)
        return false;
    for (int64_t i = from; step > 0 ? i <= to : i >= to; i += step)
        *(uint32_t *)next_element(out) = (uint32_t)i;
    return true;
}

/* Index lists: words, each a number or a range; a bad word counts as 0. */
static DvStatus parse_indices(const DvType *type, const char *text, Elements *out, DvText *problem)
{
    const bool is_signed = type->scalar == DV_SCALAR_INT;
    DvStatus status = DV_OK;
    for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
        const char *end = end_of_word(text);
        bool bad = false;
        const bool fits = add_range(text, end, is_signed, out, &bad);
        if ((bad || !fits) && status == DV_OK) {
            dv_text_add(problem, "'%.*s' ", (int)MIN(end - text, 40), text);
            if (fits)
                dv_text_add(problem, "is not %s or a range such as 2-7; it counts as 0", scalar_word(type->scalar));
            else
                dv_text_add(problem, "makes a list of more than %zu entries", LONGEST_LIST);
            status = DV_ERROR_INVALID;
        }
        if (!fits)
            break;
        text = end;
    }
    return status;
}

static DvStatus parse_bool(const char *text, bool *out, DvText *problem)
{
    const char first = g_ascii_tolower(*text);
    if (first == 't' || first == 'f') {
        *out = first == 't';
        const char *const word = *out ? "true" : "false";
        const size_t length = trimmed(text, strlen(text));
        if (length > 1 && (length != strlen(word) || g_ascii_strncasecmp(text, word, length) != 0)) {
            dv_text_add_quoted(problem, text);
            dv_text_add(problem, " only begins as %s", word);
        }
        return DV_OK;
    }
    int64_t number;
    const char *rest = text;
    if ((dv_is_digit(first) || first == '-') && dv_decimal_integer(&rest, NULL, INT64_MIN, INT64_MAX, &number)) {
        *out = number != 0;
        return dv_read_end(rest, problem);
    }
    dv_text_add_quoted(problem, text);
    dv_text_add(problem, " is none of true, false, 1, 0");
    return DV_ERROR_INVALID;
}

static void add_word(Elements *out, const char *start, size_t length)
{
    *(char **)next_element(out) = dv_core_strndup(start, length);
}

/* Words: blank-separated, or in brackets, separated by commas and each in quotes that may hold anything. */
static DvStatus parse_words(const char *text, Elements *out, DvText *problem)
{
    text = skip_blanks(text);
    if (*text != '[') {
        while (*text) {
            const char *end = end_of_word(text);
            add_word(out, text, (size_t)(end - text));
            text = skip_blanks(end);
        }
        return DV_OK;
    }
    text = skip_blanks(text + 1);
    while (*text && *text != ']') {
        const char *end;
        if (*text == '"' || *text == '\'') {
            end = strchr(text + 1, *text);
            if (!end) {
                dv_text_add_quoted(problem, text);
                dv_text_add(problem, " has no closing quote");
                return DV_ERROR_INVALID;
            }
            add_word(out, text + 1, (size_t)(end - text - 1));
            end++;
        } else {
            end = text + strcspn(text, ",]");
            add_word(out, text, trimmed(text, (size_t)(end - text)));
        }
        text = skip_blanks(end);
        if (*text == ',')
            text = skip_blanks(text + 1);
        else if (*text && *text != ']') {
            dv_text_add_quoted(problem, text);
            dv_text_add(problem, ": a comma or ']' is missing before it");
            return DV_ERROR_INVALID;
        }
    }
    if (*text != ']') {
        dv_text_add(problem, "the closing ']' is missing");
        return DV_ERROR_INVALID;
    }
    return dv_read_end(text + 1, problem);
}

static DvStatus parse_choice(const DvField *field, const char *text, char **out, DvText *problem)
{
    const char *const *const choices = field ? field->choices : NULL;
    const char *chosen = choices ? NULL : text;
    size_t count = 0;
    for (; choices && choices[count]; count++)
        if (strcmp(choices[count], text) == 0)
            chosen = choices[count];
    int32_t index;
    const char *at = text;
    if (!chosen && dv_read_int(&at, &index) && index >= 0 && (size_t)index < count) {
        chosen = choices[index];
        dv_text_add(problem, "the number %d stands for '%s'; the name is clearer", index, chosen);
    }
    if (chosen) {
        dv_free(*out);
        *out = dv_strdup(chosen);
        return DV_OK;
    }
    dv_text_add_quoted(problem, text);
    dv_text_add(problem, " is none of");
    for (size_t i = 0; i < count; i++)
        dv_text_add(problem, "%s '%s'", i ? "," : "", choices[i]);
    const char *closest = dv_closest(text, choices, count);
    if (closest)
        dv_text_add(problem, "; did you mean '%s'?", closest);
    return DV_ERROR_INVALID;
}

/* One element of a type without functions of its own, over the old one. An empty text changes nothing, but a string. */
static DvStatus parse_one(const DvField *field, const DvType *type, const char *text, void *element, DvText *problem)
{
    if (type->scalar == DV_SCALAR_STRING && type != &dv_type_choice) {
        dv_free(*(char **)element);
        *(char **)element = dv_strdup(text);
        return DV_OK;
    }
    if (!*skip_blanks(text))
        return DV_OK;
    if (type == &dv_type_choice)
        return parse_choice(field, text, element, problem);
    if (type->scalar == DV_SCALAR_BOOL && type->components == 1)
        return parse_bool(text, element, problem);
    return parse_fixed(type, text, element, problem);
}

DvStatus dv_words_parse(const DvField *field, const DvType *type, const char *text, void **elements, size_t *count,
                        DvText *problem)
{
    if (!type->list && !type->parse)
        return parse_one(field, type, text, *elements, problem);
    Elements out = {.size = type->element_size};
    DvStatus status;
    if (type->parse)
        status = type->parse(type, text, &out.at, &out.count, problem);
    else if (type->scalar == DV_SCALAR_STRING)
        status = parse_words(text, &out, problem);
    else if (type->components == 1 && (type->scalar == DV_SCALAR_INT || type->scalar == DV_SCALAR_UINT))
        status = parse_indices(type, text, &out, problem);
    else
        status = parse_list(type, text, &out, problem);
    if (!type->list && out.count == 0) { /* the old value stays */
        dv_free(out.at);
        return status;
    }
    dv_core_elements_free(type, *elements, *count);
    *elements = out.at;
    *count = type->list ? out.count : 1;
    return status;
}
