/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages: made here, handed to one handler, one at a time.
 */
#include "internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 4000, MAX_NAME = 200 }; /* bytes: what a scene calls its things may be as long as a file */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static DvLogHandler handler;
static void *handler_context;
static DvLevel lowest_level = DV_LEVEL_WARNING;

void dv_log_set_handler(DvLogHandler new_handler, void *context)
{
    pthread_mutex_lock(&mutex);
    handler = new_handler;
    handler_context = context;
    pthread_mutex_unlock(&mutex);
}

void dv_log_set_level(DvLevel lowest)
{
    lowest_level = lowest;
}

/* How many bytes of a text to show: whole characters, as many as fit. */
static size_t shortened(const char *text, size_t limit)
{
    const size_t length = strlen(text);
    return length <= limit ? length : (size_t)(g_utf8_find_prev_char(text, text + limit) - text);
}

void dv_message_print(const DvMessage *message, DvText *out)
{
    if (message->file) {
        dv_text_add(out, "%s:", message->file);
        if (message->line > 0)
            dv_text_add(out, "%d:", message->line);
        if (message->column > 0)
            dv_text_add(out, "%d:", message->column);
        dv_text_add(out, " ");
    }
    if (message->component) {
        dv_text_add(out, "%s", message->component);
        if (message->name && *message->name)
            dv_text_add(out, " '%.*s'", (int)shortened(message->name, MAX_NAME), message->name);
        dv_text_add(out, ": ");
    }
    if (message->field)
        dv_text_add(out, "%s: ", message->field);
    dv_text_add(out, "%s", message->text);
}

static void print_to_stderr(const DvMessage *message)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    if (message->level < lowest_level)
        return;
    DvText line = {0};
    dv_message_print(message, &line);
    fprintf(stderr, "%s: %s\n", words[message->level], line.at);
    dv_text_free(&line);
}

void dv_private_emit(DvMessage *message, const char *format, va_list args)
{
    char *text = g_strdup_vprintf(format, args);
    if (strlen(text) > MAX_TEXT)
        memcpy(text + shortened(text, MAX_TEXT - sizeof "..."), "...", sizeof "...");
    message->text = text;
    pthread_mutex_lock(&mutex);
    const DvLogHandler to = handler;
    void *context = handler_context;
    if (to)
        to(message, context);
    else
        print_to_stderr(message);
    pthread_mutex_unlock(&mutex);
    g_free(text);
}

static DvMessage about(const DvObject *object, DvLevel level, DvStatus status)
{
    DvMessage message = {.level = level, .status = status};
    if (object) {
        message.file = object->place.file;
        message.line = object->place.line;
        message.component = object->cls->name;
        message.name = dv_object_name(object);
        message.path = dv_object_path(object);
    }
    return message;
}

void dv_log(DvLevel level, const char *format, ...)
{
    DvMessage message = {.level = level, .status = level == DV_LEVEL_ERROR ? DV_ERROR_INVALID : DV_OK};
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, format, args);
    va_end(args);
}

void dv_log_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *format, ...)
{
    DvMessage message = {.level = level, .status = status, .file = file, .line = line, .column = column};
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, format, args);
    va_end(args);
}

DvStatus dv_error(const DvObject *object, DvStatus status, const char *format, ...)
{
    DvMessage message = about(object, DV_LEVEL_ERROR, status);
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, format, args);
    va_end(args);
    return status;
}

void dv_warning(const DvObject *object, const char *format, ...)
{
    DvMessage message = about(object, DV_LEVEL_WARNING, DV_OK);
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, format, args);
    va_end(args);
}

void dv_info(const DvObject *object, const char *format, ...)
{
    if (object && !*(const bool *)object->print_log.value)
        return;
    DvMessage message = about(object, DV_LEVEL_INFO, DV_OK);
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, format, args);
    va_end(args);
}

/* A field's message stands where its attribute was written, when that is known. */
static DvMessage about_field(const DvData *field, DvLevel level, DvStatus status)
{
    DvMessage message = about(field->owner, level, status);
    message.field = field->field->name;
    const Attribute *attribute =
        field->owner ? dv_private_attribute_find(field->owner->attributes, message.field) : NULL;
    if (attribute && attribute->line > 0) {
        message.line = attribute->line;
        message.column = attribute->column;
    }
    return message;
}

static void emit_entry(DvMessage *message, int64_t index, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void emit_entry(DvMessage *message, int64_t index, const char *format, va_list args)
{
    char *entry = index >= 0 ? g_strdup_printf("%s[%lld]", message->field, (long long)index) : NULL;
    if (entry)
        message->field = entry;
    dv_private_emit(message, format, args);
    g_free(entry);
}

DvStatus dv_field_error(const DvData *field, int64_t index, const char *format, ...)
{
    DvMessage message = about_field(field, DV_LEVEL_ERROR, DV_ERROR_INVALID);
    va_list args;
    va_start(args, format);
    emit_entry(&message, index, format, args);
    va_end(args);
    return message.status;
}

void dv_field_warning(const DvData *field, int64_t index, const char *format, ...)
{
    DvMessage message = about_field(field, DV_LEVEL_WARNING, DV_OK);
    va_list args;
    va_start(args, format);
    emit_entry(&message, index, format, args);
    va_end(args);
}
