/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keeps what was said. After MOST entries nothing more is kept, and that is said once: a component that complains in each step of a long
 * run must not fill the memory.
 */
#include "logbook.h"

#include <stdio.h>

#include <divan/output.h>

enum { MOST = 20000 };

static const char *const words[] = {"debug", "info", "warning", "error"};

struct Logbook {
    GMutex mutex;
    GPtrArray *entries;
    bool prints;
    const GThread *hears; /* what this thread says; NULL: nobody listens */
    DvLevel worst;
    char *heard;
};

static void free_entry(gpointer data)
{
    LogEntry *entry = data;
    g_free(entry->text);
    g_free(entry->path);
    g_free(entry);
}

Logbook *logbook_new(bool prints)
{
    Logbook *book = g_new0(Logbook, 1);
    g_mutex_init(&book->mutex);
    book->entries = g_ptr_array_new_with_free_func(free_entry);
    book->prints = prints;
    return book;
}

void logbook_free(Logbook *book)
{
    g_ptr_array_unref(book->entries);
    g_mutex_clear(&book->mutex);
    g_free(book);
}

/* heard: the text for who listens, who knows of what it is said. */
static void keep(Logbook *book, DvLevel level, const char *path, bool of_scene, const char *text, const char *heard)
{
    g_mutex_lock(&book->mutex);
    if (book->hears == g_thread_self() && level > book->worst) {
        book->worst = level;
        g_free(book->heard);
        book->heard = g_strdup(heard);
    }
    if (book->entries->len <= MOST) {
        LogEntry *entry = g_new0(LogEntry, 1);
        const bool last = book->entries->len == MOST;
        entry->level = last ? DV_LEVEL_WARNING : level;
        entry->text = g_strdup(last ? "no more messages are kept" : text);
        entry->path = last ? NULL : g_strdup(path);
        entry->of_scene = of_scene && !last && book->hears != g_thread_self();
        g_ptr_array_add(book->entries, entry);
    }
    g_mutex_unlock(&book->mutex);
    if (book->prints && level >= DV_LEVEL_WARNING)
        fprintf(stderr, "%s: %s\n", level == DV_LEVEL_ERROR ? "error" : "warning", text);
}

void logbook_take(const DvMessage *message, void *book)
{
    DvText line = {0}, heard = {0};
    if (message->level == DV_LEVEL_DEBUG)
        return;
    dv_message_print(message, &line);
    DvMessage without_place = *message;
    without_place.file = NULL;
    if (message->field)
        without_place.component = NULL;
    dv_message_print(&without_place, &heard);
    keep(book, message->level, message->path, message->component || message->line > 0, line.at, heard.at);
    dv_text_free(&line);
    dv_text_free(&heard);
}

void logbook_add(Logbook *book, DvLevel level, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    keep(book, level, path, false, text, text);
    g_free(text);
}

size_t logbook_count(Logbook *book)
{
    g_mutex_lock(&book->mutex);
    const size_t count = book->entries->len;
    g_mutex_unlock(&book->mutex);
    return count;
}

void logbook_read(Logbook *book, size_t first, GPtrArray *entries)
{
    g_mutex_lock(&book->mutex);
    for (size_t i = first; i < book->entries->len; i++)
        g_ptr_array_add(entries, g_ptr_array_index(book->entries, i));
    g_mutex_unlock(&book->mutex);
}

void logbook_hear(Logbook *book)
{
    g_mutex_lock(&book->mutex);
    book->hears = g_thread_self();
    book->worst = DV_LEVEL_DEBUG;
    g_mutex_unlock(&book->mutex);
}

DvLevel logbook_heard(Logbook *book)
{
    g_mutex_lock(&book->mutex);
    const DvLevel worst = book->worst;
    g_mutex_unlock(&book->mutex);
    return worst;
}

char *logbook_hear_no_more(Logbook *book)
{
    g_mutex_lock(&book->mutex);
    char *heard = book->heard;
    book->heard = NULL;
    book->hears = NULL;
    g_mutex_unlock(&book->mutex);
    return heard;
}

bool logbook_save(Logbook *book, const char *file, DvText *why)
{
    GString *text = g_string_new(NULL);
    GPtrArray *entries = g_ptr_array_new();
    logbook_read(book, 0, entries);
    for (guint i = 0; i < entries->len; i++) {
        const LogEntry *entry = g_ptr_array_index(entries, i);
        g_string_append_printf(text, "%s: %s\n", words[entry->level], entry->text);
    }
    const bool good = dv_output_write(file, NULL, text->str, text->len, why) == DV_OK;
    g_ptr_array_unref(entries);
    g_string_free(text, TRUE);
    return good;
}
