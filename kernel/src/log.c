/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages: made here, handed to one handler, one at a time; those of a scene also to who listens to it.
 *
 * What a handler itself says, or what the kernel says while a handler calls it, goes past the handler to standard error: else a handler
 * that logs would wait for itself, or call itself without end.
 */
#include "internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <divan/embed.h>

enum { MAX_TEXT = 4000, MAX_NAME = 200 }; /* bytes: what a scene calls its things may be as long as a file */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static DvLogHandler handler;
static void *handler_context;
static _Atomic DvLevel lowest_level = DV_LEVEL_WARNING;

void dv_log_set_handler(DvLogHandler new_handler, void *context)
{
    const bool locked = dv_private_thread.in_handler;
    if (!locked)
        pthread_mutex_lock(&mutex);
    handler = new_handler;
    handler_context = context;
    if (!locked)
        pthread_mutex_unlock(&mutex);
}

void dv_log_set_level(DvLevel lowest)
{
    atomic_store_explicit(&lowest_level, lowest, memory_order_relaxed);
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
    /* Info about a component comes only from those whose printLog is true: somebody wants to see it. */
    const DvLevel level = message->level == DV_LEVEL_INFO && message->component ? DV_LEVEL_WARNING : message->level;
    if (level < atomic_load_explicit(&lowest_level, memory_order_relaxed))
        return;
    DvText line = {0};
    dv_message_print(message, &line);
    fprintf(stderr, "%s: %s\n", words[message->level], line.at);
    dv_text_free(&line);
}

/* For hosts that ask afterwards. */
static void remember(const DvMessage *message)
{
    DvText *last = &dv_private_thread.last_error;
    dv_private_thread_holds();
    last->length = 0;
    dv_message_print(message, last);
}

const char *dv_last_error(void)
{
    return dv_private_thread.last_error.length ? dv_private_thread.last_error.at : "";
}

void dv_scene_listen(DvScene *scene, DvLogHandler hear, void *context)
{
    pthread_mutex_lock(&mutex);
    scene->hearers = g_renew(struct Hearer, scene->hearers, scene->hearer_count + 1);
    scene->hearers[scene->hearer_count++] = (struct Hearer){hear, context};
    pthread_mutex_unlock(&mutex);
}

void dv_scene_unlisten(DvScene *scene, const void *context)
{
    pthread_mutex_lock(&mutex);
    size_t left = 0;
    for (size_t i = 0; i < scene->hearer_count; i++)
        if (scene->hearers[i].context != context)
            scene->hearers[left++] = scene->hearers[i];
    scene->hearer_count = left;
    pthread_mutex_unlock(&mutex);
}

void dv_core_emit(DvMessage *message, const DvScene *scene, const char *format, va_list args)
{
    char *text = g_strdup_vprintf(format, args);
    if (strlen(text) > MAX_TEXT)
        memcpy(text + shortened(text, MAX_TEXT - sizeof "..."), "...", sizeof "...");
    message->text = text;
    if (message->level == DV_LEVEL_ERROR)
        remember(message);
    if (dv_private_thread.listener)
        dv_private_thread.listener(message, dv_private_thread.listener_context);
    if (dv_private_thread.in_handler) {
        print_to_stderr(message);
    } else {
        pthread_mutex_lock(&mutex);
        dv_private_thread.in_handler = true;
        if (handler)
            handler(message, handler_context);
        else
            print_to_stderr(message);
        scene = scene ? scene : dv_private_thread.scene;
        for (size_t i = 0; scene && i < scene->hearer_count; i++)
            scene->hearers[i].hear(message, scene->hearers[i].context);
        dv_private_thread.in_handler = false;
        pthread_mutex_unlock(&mutex);
    }
    g_free(text);
}

void dv_core_listen(void (*listener)(const DvMessage *message, void *context), void *context)
{
    dv_private_thread.listener = listener;
    dv_private_thread.listener_context = context;
}

/* A message and the scene that it is about, NULL: the one of the call in progress. */
typedef struct Saying {
    DvMessage message;
    const DvScene *scene;
} Saying;

static Saying about(const DvObject *object, DvLevel level, DvStatus status)
{
    Saying saying = {.message = {.level = level, .status = status}};
    if (object) {
        DvMessage *message = &saying.message;
        message->file = object->place.file;
        message->line = object->place.line;
        message->component = object->cls->name;
        message->name = dv_object_name(object);
        message->path = dv_private_object_path(object);
        saying.scene = dv_private_scene_of(object);
    }
    return saying;
}

static Saying harmless(Saying saying)
{
    saying.message.harmless = true;
    return saying;
}

/* A field's message stands where its attribute was written, when that is known. */
static Saying about_field(const DvData *field, DvLevel level, DvStatus status)
{
    Saying saying = about(field->owner, level, status);
    saying.message.field = field->field->name;
    const DvAttribute *attribute = field->owner ? field->owner->words->attribute_of(field->owner, field->field) : NULL;
    if (attribute && attribute->line > 0) {
        saying.message.line = attribute->line;
        saying.message.column = attribute->column;
    }
    return saying;
}

/* About an entry of the field unless `index` is negative. Frees the path. */
static void say_with(Saying saying, int64_t index, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void say_with(Saying saying, int64_t index, const char *format, va_list args)
{
    DvMessage *message = &saying.message;
    char *entry = index >= 0 ? g_strdup_printf("%s[%lld]", message->field, (long long)index) : NULL;
    if (entry)
        message->field = entry;
    dv_core_emit(message, saying.scene, format, args);
    g_free(entry);
    dv_free((char *)(uintptr_t)message->path);
}

/* In a function whose last arguments are `format` and what is to be printed by it. */
#define SAY(saying, index)                     \
    do {                                       \
        va_list args;                          \
        va_start(args, format);                \
        say_with(saying, index, format, args); \
        va_end(args);                          \
    } while (0)

static void say(Saying saying, int64_t index, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(Saying saying, int64_t index, const char *format, ...)
{
    SAY(saying, index);
}

void dv_log(DvLevel level, const char *format, ...)
{
    const DvStatus status = level == DV_LEVEL_ERROR ? DV_ERROR_INVALID : DV_OK;
    const Saying saying = about(NULL, level, status);
    SAY(level == DV_LEVEL_WARNING ? harmless(saying) : saying, -1);
}

void dv_log_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *format, ...)
{
    const Saying saying = {.message = {.level = level, .status = status, .file = file, .line = line, .column = column}};
    SAY(saying, -1);
}

DvStatus dv_error(const DvObject *object, DvStatus status, const char *format, ...)
{
    dv_private_fault(object, status);
    SAY(about(object, DV_LEVEL_ERROR, status), -1);
    return status;
}

void dv_warning(const DvObject *object, const char *format, ...)
{
    SAY(about(object, DV_LEVEL_WARNING, DV_OK), -1);
}

void dv_remark(const DvObject *object, const char *format, ...)
{
    SAY(harmless(about(object, DV_LEVEL_WARNING, DV_OK)), -1);
}

void dv_info(const DvObject *object, const char *format, ...)
{
    if (object && !*(const bool *)object->print_log.value &&
        atomic_load_explicit(&lowest_level, memory_order_relaxed) > DV_LEVEL_INFO)
        return;
    SAY(about(object, DV_LEVEL_INFO, DV_OK), -1);
}

DvStatus dv_field_error(const DvData *field, int64_t index, const char *format, ...)
{
    dv_private_fault(field->owner, DV_ERROR_INVALID);
    SAY(about_field(field, DV_LEVEL_ERROR, DV_ERROR_INVALID), index);
    return DV_ERROR_INVALID;
}

DvStatus dv_field_error_missing(const DvData *field, int64_t index, const char *what, uint32_t missing,
                                const char *owner, size_t count)
{
    const bool of_indices = field->type->list && field->type->scalar == DV_SCALAR_UINT;
    DvText text = {0};
    dv_text_add_missing(&text, what, missing, owner, count, of_indices ? field->value : NULL,
                        field->count * field->type->components);
    const DvStatus status = dv_field_error(field, index, "%s", text.at);
    dv_text_free(&text);
    return status;
}

void dv_field_warning(const DvData *field, int64_t index, const char *format, ...)
{
    SAY(about_field(field, DV_LEVEL_WARNING, DV_OK), index);
}

void dv_field_remark(const DvData *field, int64_t index, const char *format, ...)
{
    SAY(harmless(about_field(field, DV_LEVEL_WARNING, DV_OK)), index);
}

DvStatus dv_say(DvLevel level, DvStatus status, const DvObject *object, const DvData *field, int64_t index,
                const char *text)
{
    const DvObject *owner = field ? field->owner : object;
    if (level == DV_LEVEL_INFO && owner && !*(const bool *)owner->print_log.value)
        return status;
    say(field ? about_field(field, level, status) : about(object, level, status), field ? index : -1, "%s", text);
    return status;
}

DvStatus dv_say_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *text)
{
    dv_log_at(level, status, file, line, column, "%s", text);
    return status;
}
