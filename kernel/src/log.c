/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages: handed to one handler, one at a time; those of a scene also to who listens to it. What they say of objects: report.c.
 *
 * What a handler itself says, or what the kernel says while a handler calls it, goes past the handler to standard error: else a handler
 * that logs would wait for itself, or call itself without end.
 */
#include "ground.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

bool dv_private_log_shows(DvLevel level)
{
    return level >= atomic_load_explicit(&lowest_level, memory_order_relaxed);
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
    if (!dv_private_log_shows(level))
        return;
    DvText line = {0};
    dv_message_print(message, &line);
    fprintf(stderr, "%s: %s\n", words[message->level], line.at);
    dv_text_free(&line);
}

static void forget_last(void)
{
    dv_text_free(&dv_private_thread.last_error);
}

/* For hosts that ask afterwards. */
static void remember(const DvMessage *message)
{
    DvText *last = &dv_private_thread.last_error;
    dv_core_at_thread_end(forget_last);
    last->length = 0;
    dv_message_print(message, last);
}

const char *dv_last_error(void)
{
    return dv_private_thread.last_error.length ? dv_private_thread.last_error.at : "";
}

void dv_private_hearers_add(Hearers *hearers, DvLogHandler hear, void *context)
{
    pthread_mutex_lock(&mutex);
    hearers->at = g_renew(Hearer, hearers->at, hearers->count + 1);
    hearers->at[hearers->count++] = (Hearer){hear, context};
    pthread_mutex_unlock(&mutex);
}

void dv_private_hearers_remove(Hearers *hearers, const void *context)
{
    pthread_mutex_lock(&mutex);
    size_t left = 0;
    for (size_t i = 0; i < hearers->count; i++)
        if (hearers->at[i].context != context)
            hearers->at[left++] = hearers->at[i];
    hearers->count = left;
    pthread_mutex_unlock(&mutex);
}

void dv_private_emit(DvMessage *message, const Hearers *hearers, const char *format, va_list args)
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
        hearers = hearers ? hearers : dv_private_thread.hearers;
        for (size_t i = 0; hearers && i < hearers->count; i++)
            hearers->at[i].hear(message, hearers->at[i].context);
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

void dv_log(DvLevel level, const char *format, ...)
{
    DvMessage message = {.level = level, .harmless = level == DV_LEVEL_WARNING};
    message.status = level == DV_LEVEL_ERROR ? DV_ERROR_INVALID : DV_OK;
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, NULL, format, args);
    va_end(args);
}

void dv_log_at(DvLevel level, DvStatus status, const char *file, int line, int column, const char *format, ...)
{
    DvMessage message = {.level = level, .status = status, .file = file, .line = line, .column = column};
    va_list args;
    va_start(args, format);
    dv_private_emit(&message, NULL, format, args);
    va_end(args);
}
