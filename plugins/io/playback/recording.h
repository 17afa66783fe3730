/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What recorders and readers of recordings share: files of blocks `T= time` with lines below, plain or packed (.gz); the instants at which a
 * block is due; and what a reader goes through.
 */
#ifndef DIVAN_IO_RECORDING_H
#define DIVAN_IO_RECORDING_H

#include <stdio.h>

#include <divan/divan.h>
#include <divan/kit/array.h>

/* ---- Writing ---- */

/* The file of a recorder: opened at the first block, whole when it is closed. */
typedef struct RecordingFile {
    FILE *file;
    void *packer;       /* of .gz */
    const char *ending; /* what is added to the name; or NULL */
    bool lost;          /* it could not be written, which has been reported */
} RecordingFile;

/* Adds a block; `name` is the field with the name of the file. */
void recording_add(RecordingFile *recording, DvData *name, const DvText *block);
void recording_close(RecordingFile *recording, DvData *name);
/* The scene starts again: what has been written goes. */
void recording_drop(RecordingFile *recording);

/* Instants at which something is written. */
typedef struct Instants {
    DvData *times, *period, *done, *last; /* given; and where it is: how many of `times`, the last instant */
    bool goes_on;                         /* after the last of `times` without period: every step (topologies) */
} Instants;
bool instants_due(const Instants *instants, double now, double dt);

/* ---- Reading ---- */

/* A line of a block: a word, `X=`, and what follows it, up to the next line that begins with a word. */
typedef struct RecordedLine {
    const char *word;   /* not ended */
    uint32_t length;    /* of the word */
    const char *values; /* after the word, up to the next such line; ended by zero */
} RecordedLine;
typedef struct RecordedBlock {
    double time;
    uint32_t first, count; /* lines */
} RecordedBlock;
typedef struct Recording {
    char *bytes;
    DV_ARRAY(RecordedLine) lines;
    DV_ARRAY(RecordedBlock) blocks;
} Recording;

/* The file that a field of type dv_type_file names; errors have been reported. */
DV_NODISCARD DvStatus recording_read(DvData *name, Recording *recording);
void recording_free(Recording *recording);
/* The bytes of a file, to be given to dv_free, packed or not, with a zero behind them; errors have been reported. */
DV_NODISCARD DvStatus recording_bytes(DvData *name, const char *path, char **bytes, size_t *size);
/* The same of bytes that have been read, which the recording takes over. */
DV_NODISCARD DvStatus recording_take(DvData *name, char *bytes, Recording *recording);
/* The block that has come since the last call, the last one of several; NULL: none. `done` and `later` say where it is: blocks that have come, and
 * by how much times are later after `loop` has begun the file again. */
const RecordedBlock *recording_advance(const Recording *recording, double now, bool loop, DvData *done, DvData *later);
bool recorded_is(const RecordedLine *line, const char *word);

#endif
