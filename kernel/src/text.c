/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text that grows; names of statuses.
 */
#include "ground.h"

#include <stdio.h>
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

const char *dv_intern(const char *text)
{
    return g_intern_string(text);
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
