/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text that grows, numbers as text, the word that was probably meant.
 *
 * A double is printed with the fewest of 15, 16 or 17 significant digits that read back as the same bits; 17 always do.
 * The nearest word is found by the optimal string alignment distance (insert, drop, change, swap two neighbours), where a
 * change of case alone counts a half.
 */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dv_status_name(DvStatus status)
{
    static const char *const names[] = {
        "ok",       "invalid",     "not found", "missing",         "wrong ABI", "cycle",        "not finite",
        "singular", "unsupported", "limit",     "input or output", "busy",      "not converged"};
    return (size_t)status < G_N_ELEMENTS(names) ? names[status] : "unknown";
}

static void reserve(DvText *text, size_t more)
{
    if (text->length + more < text->capacity)
        return;
    const size_t capacity = MAX(text->length + more + 1, text->capacity + text->capacity / 2 + 64);
    text->at = dv_realloc(text->at, text->capacity, capacity);
    text->capacity = capacity;
}

void dv_text_add(DvText *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    reserve(text, 1);
    const int length = vsnprintf(text->at + text->length, text->capacity - text->length, format, arguments);
    if (length > 0 && text->length + (size_t)length >= text->capacity) {
        reserve(text, (size_t)length);
        (void)vsnprintf(text->at + text->length, text->capacity - text->length, format, again);
    }
    if (length > 0)
        text->length += (size_t)length;
    va_end(again);
    va_end(arguments);
}

void dv_text_add_bytes(DvText *text, const char *bytes, size_t length)
{
    reserve(text, length);
    memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

/* All of them from 1 to `count`. */
static bool count_from_one(size_t count, const uint32_t *all, size_t all_count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < all_count; i++) {
        least = MIN(least, all[i]);
        most = MAX(most, all[i]);
    }
    return least >= 1 && most == count;
}

void dv_text_add_missing(DvText *text, const char *what, uint32_t index, const char *owner, size_t count,
                         const uint32_t *all, size_t all_count)
{
    dv_text_add(text, "no %s %lld: %s has %zu, counted from 0", what,
                index > INT32_MAX ? (long long)(int32_t)index : (long long)index, owner, count);
    if (all && all_count && count_from_one(count, all, all_count))
        dv_text_add(text, "; do these numbers count from 1?");
}

const char *dv_intern(const char *text)
{
    return g_intern_string(text);
}

void dv_text_add_double(DvText *text, double value)
{
    reserve(text, G_ASCII_DTOSTR_BUF_SIZE);
    char *at = text->at + text->length;
    const size_t room = text->capacity - text->length;
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        text->length += (size_t)snprintf(at, room, "%lld", (long long)value);
        return;
    }
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        (void)g_ascii_formatd(at, (int)room, formats[i], value);
        if (g_ascii_strtod(at, NULL) == value)
            break;
    }
    text->length += strlen(at);
}

void dv_text_free(DvText *text)
{
    dv_free(text->at);
    *text = (DvText){0};
}

int dv_core_compare_words(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

enum { LONGEST_WORD = 80 };

/* Twice the distance, so that halves are whole. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LONGEST_WORD + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = 2 * (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = 2 * (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = 2;
            if (a[i - 1] == b[j - 1])
                change = 0;
            else if (g_ascii_tolower(a[i - 1]) == g_ascii_tolower(b[j - 1]))
                change = 1;
            row[j] = MIN(last[j - 1] + change, MIN(last[j], row[j - 1]) + 2);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 2);
        }
        unsigned *const free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

const char *dv_closest(const char *word, const char *const *candidates, size_t count)
{
    const size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD)
        return NULL;
    /* A third of the letters may be wrong; of short words one. */
    unsigned best = 2 * (unsigned)MAX(length / 3, 1) + 1;
    const char *closest = NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(candidates[i]);
        if (other > LONGEST_WORD || 2 * (other > length ? other - length : length - other) >= best)
            continue;
        const unsigned d = distance(word, length, candidates[i], other);
        if (d < best) {
            best = d;
            closest = candidates[i];
        }
    }
    return closest;
}
