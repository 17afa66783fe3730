/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recording.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#include <divan/kit/path_hint.h>
#include <divan/output.h>
#include <divan/scene.h>

/* ---- Writing ---- */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

static DvScene *scene_of(const DvData *name)
{
    return dv_node_scene(dv_object_node(name->owner));
}

static void begin(RecordingFile *recording, DvData *name)
{
    DvText why = {0}, whole = {0};
    dv_text_add(&whole, "%s%s", dv_data_string(name), recording->ending ? recording->ending : "");
    const char *path = whole.at;
    if (dv_scene_output_folders(scene_of(name), path, &why) == DV_OK)
        recording->file = dv_scene_output_open(scene_of(name), path, &why);
    if (!recording->file) {
        recording->lost = true;
        dv_scene_output_lost(name, path, &why);
    } else if (ends_with(path, ".gz")) {
        z_stream *packer = recording->packer = dv_alloc(1, sizeof(z_stream));
        if (deflateInit2(packer, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
            dv_free(packer);
            recording->packer = NULL;
        }
    }
    dv_text_free(&why);
    dv_text_free(&whole);
}

static void pack(RecordingFile *recording, const char *bytes, size_t size, int flush)
{
    z_stream *packer = recording->packer;
    unsigned char out[16384];
    union { /* zlib does not write to its input, but says so only with ZLIB_CONST */
        const char *from;
        Bytef *to;
    } in = {.from = bytes};
    packer->next_in = in.to;
    packer->avail_in = (uInt)size;
    do {
        packer->next_out = out;
        packer->avail_out = sizeof out;
        (void)deflate(packer, flush);
        (void)fwrite(out, 1, sizeof out - packer->avail_out, recording->file);
    } while (packer->avail_out == 0);
}

void recording_add(RecordingFile *recording, DvData *name, const DvText *block)
{
    if (!recording->file && !recording->lost)
        begin(recording, name);
    if (!recording->file)
        return;
    if (recording->packer)
        pack(recording, block->at, block->length, Z_NO_FLUSH);
    else
        (void)fwrite(block->at, 1, block->length, recording->file); /* errors are told when it is closed */
}

static void end_packing(RecordingFile *recording)
{
    if (!recording->packer)
        return;
    pack(recording, "", 0, Z_FINISH);
    (void)deflateEnd(recording->packer);
    dv_free(recording->packer);
    recording->packer = NULL;
}

void recording_close(RecordingFile *recording, DvData *name)
{
    DvText why = {0};
    if (recording->file) {
        end_packing(recording);
        if (dv_output_close(recording->file, DV_OUTPUT_WHOLE, &why) != DV_OK)
            dv_scene_output_lost(name, dv_data_string(name), &why);
    }
    recording->file = NULL;
    recording->lost = false;
    dv_text_free(&why);
}

void recording_drop(RecordingFile *recording)
{
    DvText why = {0};
    if (recording->file) {
        end_packing(recording);
        const DvStatus status = dv_output_close(recording->file, DV_OUTPUT_NONE, &why);
        (void)status; /* nothing was to stay */
    }
    recording->file = NULL;
    dv_text_free(&why);
}

static bool has_come(double instant, double now, double dt)
{
    return now > instant || fabs(now - instant) < 0.1 * dt;
}

bool instants_due(const Instants *instants, double now, double dt)
{
    size_t count;
    const double *times = dv_data_doubles(instants->times, &count);
    const double period = dv_data_double(instants->period), last = dv_data_double(instants->last);
    const uint32_t done = dv_data_uint(instants->done);
    if (done < count) {
        if (!has_come(times[done], now, dt))
            return false;
        dv_data_set_uint(instants->done, done + 1);
        dv_data_set_double(instants->last, times[done]);
        return true;
    }
    if (period <= 0)
        return instants->goes_on || count == 0;
    if (count == 0 && done == 0 && !instants->goes_on) { /* the first instant is 0 */
        if (!has_come(0, now, dt))
            return false;
        dv_data_set_uint(instants->done, 1);
        dv_data_set_double(instants->last, 0);
        return true;
    }
    if (!has_come(last + period, now, dt))
        return false;
    dv_data_set_double(instants->last, last + period); /* one in a step: others that have come wait */
    return true;
}

/* ---- Reading ---- */

DvStatus recording_bytes(DvData *name, const char *path, char **bytes, size_t *size)
{
    const char *given = dv_data_string(name);
    gzFile file = gzopen(path, "rb"); /* reads plain files as they are */
    size_t capacity = 1 << 16, length = 0;
    char *text = dv_alloc(capacity, 1);
    int got = -1;
    while (file && (got = gzread(file, text + length, (unsigned)(capacity - length - 1))) > 0) {
        length += (size_t)got;
        if (capacity - length < 2) {
            if (capacity > (size_t)1 << 31 || !dv_memory_has_room(2.0 * (double)capacity)) {
                got = -2;
                break;
            }
            text = dv_realloc(text, capacity, 2 * capacity);
            capacity *= 2;
        }
    }
    if (file && gzclose(file) != Z_OK && got >= 0) /* packed, and cut off */
        got = -1;
    text[length] = '\0';
    *bytes = text;
    *size = length;
    if (got == -2)
        return dv_field_error(name, -1, "'%s' is larger than 2 GiB, or than the memory that is left", given),
               DV_ERROR_LIMIT;
    if (got < 0)
        return dv_field_error(name, -1, "'%s' cannot be read, or is damaged where it is packed", given), DV_ERROR_IO;
    return DV_OK;
}

/* Words `X=` begin lines; other lines belong to the one before. */
static bool begins(const char *line, uint32_t *length)
{
    uint32_t n = 0;
    while (isalnum((unsigned char)line[n]))
        n++;
    *length = n;
    return n > 0 && line[n] == '=';
}

static DvStatus parse(DvData *name, Recording *recording)
{
    uint32_t number = 0;
    for (char *at = recording->bytes; *at;) {
        char *end = at + strcspn(at, "\n"), *start = at + strspn(at, " \t\r");
        uint32_t length;
        number++;
        if (start < end && begins(start, &length)) {
            if (at > recording->bytes)
                at[-1] = '\0'; /* the line end before it: ends the values of the last line */
            const char *values = start + length + 1;
            if (length == 1 && *start == 'T') {
                double time;
                if (!dv_read_double(&values, &time))
                    return dv_field_error(name, -1, "'%s', line %u: no time after T=", dv_data_string(name), number);
                dv_array_push(&recording->blocks, (RecordedBlock){time, recording->lines.count, 0});
            } else if (recording->blocks.count) {
                dv_array_push(&recording->lines, (RecordedLine){start, length, values});
                recording->blocks.data[recording->blocks.count - 1].count++;
            }
        }
        at = *end ? end + 1 : end;
    }
    return recording->blocks.count
               ? DV_OK
               : dv_field_error(name, -1, "'%s' is no recording: no line of it begins with T=", dv_data_string(name));
}

DvStatus recording_read(DvData *name, Recording *recording)
{
    const char *given = dv_data_string(name), *path = dv_data_file(name);
    size_t size;
    recording_free(recording);
    if (!given || !*given)
        return dv_field_error(name, -1, "it must name a recording"), DV_ERROR_MISSING;
    if (!path) {
        dv_field_error(name, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s", given,
                       dv_path_hint(given));
        return DV_ERROR_NOT_FOUND;
    }
    char *bytes;
    const DvStatus status = recording_bytes(name, path, &bytes, &size);
    if (status == DV_OK)
        return recording_take(name, bytes, recording);
    dv_free(bytes);
    return status;
}

DvStatus recording_take(DvData *name, char *bytes, Recording *recording)
{
    recording_free(recording);
    recording->bytes = bytes;
    return parse(name, recording);
}

void recording_free(Recording *recording)
{
    dv_free(recording->bytes);
    dv_array_free(&recording->lines);
    dv_array_free(&recording->blocks);
    *recording = (Recording){0};
}

const RecordedBlock *recording_advance(const Recording *recording, double now, bool loop, DvData *done, DvData *later)
{
    const RecordedBlock *last = NULL;
    const uint32_t count = recording->blocks.count;
    uint32_t next = dv_data_uint(done);
    double shift = dv_data_double(later);
    while (next < count && recording->blocks.data[next].time + shift <= now) {
        last = &recording->blocks.data[next++];
        if (next == count && loop && last->time > 0) {
            shift += last->time;
            next = 0;
        }
    }
    dv_data_set_uint(done, next);
    dv_data_set_double(later, shift);
    return last;
}

bool recorded_is(const RecordedLine *line, const char *word)
{
    return strlen(word) == line->length && strncmp(line->word, word, line->length) == 0;
}
