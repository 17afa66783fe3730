/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that was said since the program began: messages of components, of the kernel, of the viewer itself.
 */
#ifndef DIVAN_VIEW_LOGBOOK_H
#define DIVAN_VIEW_LOGBOOK_H

#include <glib.h>

#include <divan/log.h>

typedef struct LogEntry {
    DvLevel level;
    char *text; /* with the place in front */
    char *path; /* of the component; or NULL */
    bool
        of_scene; /* about a component or a place in a scene's file, and not while somebody heard it, who says what became of it */
} LogEntry;

typedef struct Logbook Logbook;

Logbook *logbook_new(bool prints); /* to standard error too, from warnings on */
void logbook_free(Logbook *book);
void logbook_take(const DvMessage *message, void *book); /* a DvLogHandler */
void logbook_add(Logbook *book, DvLevel level, const char *path, const char *format, ...) DV_PRINTF(4, 5); /* [any] */
size_t logbook_count(Logbook *book);                                                                       /* [any] */
/* Entries first.. are appended to `entries` (LogEntry *, which belong to the book and stay as long as it).     [any] */
void logbook_read(Logbook *book, size_t first, GPtrArray *entries);
/* Hears what the calling thread says, one thread at a time: another one may warn of something else meanwhile.     [any] */
void logbook_hear(Logbook *book);
DvLevel logbook_heard(Logbook *book);      /* the worst so far; DV_LEVEL_DEBUG: nothing */
char *logbook_hear_no_more(Logbook *book); /* the first of the worst, to be freed; NULL: nothing */
bool logbook_save(Logbook *book, const char *file, DvText *why); /* [any] */

#endif
