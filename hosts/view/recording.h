/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was done to a scene since it was opened, so that it can be done again. A text file:
 *
 *   divan-session 1
 *   scene "/home/me/liver.scn"
 *   start 0f6b...                       hash of all states once it was open
 *   12 edit "/Liver/FEM.youngModulus" "5000"
 *   40 grab 0 0 0 10 0 0 -1 1000        after 40 steps...
 *   41 drag 0.1 0 10 0 0 -1
 *   60 release
 *   100 end 83d1...                     ...and what it came to after 100
 *
 * Lines that begin with # are comments. Written as divan/output.h says: nothing that was there is lost, and a recording that could not be
 * ended stays beside the name.
 */
#ifndef DIVAN_VIEW_RECORDING_H
#define DIVAN_VIEW_RECORDING_H

#include <stdio.h>

#include <divan/scene.h>

#include "message.h"

typedef struct RecordedMessage {
    uint64_t step; /* steps made before it */
    Message *message;
} RecordedMessage;

typedef struct Recording {
    char *scene;
    uint64_t start;  /* hash */
    GArray *entries; /* RecordedMessage */
    uint64_t steps;  /* made in all, and the hash then; only of one that was read */
    uint64_t end;
} Recording;

Recording *recording_new(const char *scene, uint64_t start);
void recording_free(Recording *recording); /* NULL is allowed */
void recording_add(Recording *recording, uint64_t step, const Message *message);
/* NULL: `why` names line and reason. */
Recording *recording_read(const char *file, DvText *why);

/* A recording on its way to a file. Each change is in it before it is made. */
typedef struct Writer {
    FILE *file; /* NULL: none */
    char *name;
    bool lost; /* has been said */
} Writer;

/* Begins a file with all that was done already. Errors are added to `why`. */
bool writer_begin(Writer *writer, const char *name, DvScene *scene, const Recording *recording, DvText *why);
/* False, once: the file cannot take any more; the reason is added to `why`. */
bool writer_add(Writer *writer, uint64_t step, const Message *message, DvText *why);
/* Ends the file, if one was begun; `why` says what became of it when it is not whole. */
bool writer_end(Writer *writer, uint64_t steps, uint64_t hash, DvText *why);

#endif
