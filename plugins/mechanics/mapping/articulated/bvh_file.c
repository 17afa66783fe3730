/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reader of BVH files (Biovision; Meredith and Maddock, Motion capture file formats explained, 2001): words with blanks between.
 *
 *   HIERARCHY  ROOT name { OFFSET x y z  CHANNELS n Xposition ... Zrotation  JOINT name { ... }  End Site { OFFSET x y z } }
 *   MOTION  Frames: n  Frame Time: seconds  and n times a number for each channel
 *
 * End sites say how long the last bones are; they have no joint. One skeleton in a file.
 */
#include "bvh_file.h"

#include <divan/log.h>
#include <divan/memory.h>
#include <divan/type.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 256, DEEPEST = 256, MOST_JOINTS = 100000, MOST_CHANNELS = 6 };

typedef struct Reader {
    DvData *field;
    FILE *file;
    BvhFile *to;
    int line;
    char word[WORD];
    size_t joint_room, channel_room, value_room;
} Reader;

static DvStatus wrong(const Reader *r, const char *expected)
{
    if (!*r->word)
        return dv_field_error(r->field, -1, "line %d: the file ends where %s was expected", r->line, expected);
    return dv_field_error(r->field, -1, "line %d: '%.40s' where %s was expected", r->line, r->word, expected);
}

/* The next word; "" at the end of the file. */
static const char *next(Reader *r)
{
    size_t length = 0;
    int c = getc(r->file);
    for (; c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = getc(r->file))
        r->line += c == '\n';
    for (; c != EOF && c != ' ' && c != '\t' && c != '\r' && c != '\n'; c = getc(r->file))
        if (length + 1 < sizeof r->word)
            r->word[length++] = (char)c;
    r->word[length] = '\0';
    if (c != EOF)
        (void)ungetc(c, r->file);
    return r->word;
}

static DvStatus expect(Reader *r, const char *word)
{
    return strcmp(next(r), word) == 0 ? DV_OK : wrong(r, word);
}

static DvStatus read_number(Reader *r, double *number)
{
    const char *text = next(r);
    return dv_read_double(&text, number) && !*text && isfinite(*number) ? DV_OK : wrong(r, "a number");
}

static DvStatus read_count(Reader *r, uint32_t most, uint32_t *count)
{
    const char *text = next(r);
    return dv_read_uint(&text, count) && !*text && *count <= most ? DV_OK : wrong(r, "a count");
}

/* Room for one more; arrays grow as the file is read, whatever it promises. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    const size_t before = *room;
    *room = before ? 2 * before : 16;
    return dv_realloc(array, before * size, *room * size);
}

static DvStatus read_offset(Reader *r, double offset[3])
{
    DvStatus status = expect(r, "OFFSET");
    for (int i = 0; status == DV_OK && i < 3; i++)
        status = read_number(r, &offset[i]);
    return status;
}

static DvStatus read_channels(Reader *r, BvhJoint *joint)
{
    static const char *const names[] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    uint32_t count;
    DvStatus status = read_count(r, MOST_CHANNELS, &count);
    joint->first = r->to->channel_count;
    for (uint32_t i = 0; status == DV_OK && i < count; i++) {
        uint32_t kind = 0;
        for (next(r); kind < MOST_CHANNELS && strcmp(r->word, names[kind]) != 0; kind++)
            continue;
        if (kind == MOST_CHANNELS)
            return wrong(r, "a channel (Xposition to Zrotation)");
        r->to->channels = grow(r->to->channels, r->to->channel_count, &r->channel_room, sizeof *r->to->channels);
        r->to->channels[r->to->channel_count++] = (BvhChannel){.axis = kind % 3, .turns = kind >= 3};
    }
    joint->end = r->to->channel_count;
    return status;
}

static DvStatus read_end_site(Reader *r)
{
    double offset[3];
    DvStatus status = expect(r, "Site");
    if (status == DV_OK)
        status = expect(r, "{");
    if (status == DV_OK)
        status = read_offset(r, offset);
    return status == DV_OK ? expect(r, "}") : status;
}

/* Behind ROOT or JOINT. */
static DvStatus open_joint(Reader *r, uint32_t parent)
{
    if (r->to->joint_count == MOST_JOINTS)
        return dv_field_error(r->field, -1, "line %d: it has more than %d joints", r->line, MOST_JOINTS);
    r->to->joints = grow(r->to->joints, r->to->joint_count, &r->joint_room, sizeof *r->to->joints);
    BvhJoint *joint = &r->to->joints[r->to->joint_count++];
    *joint = (BvhJoint){.parent = parent, .name = dv_strdup(next(r))};
    if (!*joint->name)
        return wrong(r, "the name of a joint");
    DvStatus status = expect(r, "{");
    if (status == DV_OK)
        status = read_offset(r, joint->offset);
    return status;
}

static DvStatus read_skeleton(Reader *r)
{
    uint32_t open[DEEPEST], depth = 1;
    DvStatus status = expect(r, "HIERARCHY");
    if (status == DV_OK)
        status = expect(r, "ROOT");
    if (status == DV_OK)
        status = open_joint(r, UINT32_MAX);
    open[0] = 0;
    while (status == DV_OK && depth > 0) {
        next(r);
        if (strcmp(r->word, "}") == 0) {
            depth--;
        } else if (strcmp(r->word, "CHANNELS") == 0 && open[depth - 1] == r->to->joint_count - 1) {
            status = read_channels(r, &r->to->joints[open[depth - 1]]);
        } else if (strcmp(r->word, "End") == 0) {
            status = read_end_site(r);
        } else if (strcmp(r->word, "JOINT") == 0 && depth < DEEPEST) {
            open[depth] = r->to->joint_count;
            status = open_joint(r, open[depth - 1]);
            depth++;
        } else {
            status =
                wrong(r, depth < DEEPEST ? "CHANNELS, JOINT, End Site or }" : "an end: joints hang on joints too deep");
        }
    }
    return status;
}

static DvStatus read_motion(Reader *r)
{
    BvhFile *to = r->to;
    DvStatus status = expect(r, "MOTION");
    if (status == DV_OK)
        status = expect(r, "Frames:");
    if (status == DV_OK)
        status = read_count(r, UINT32_MAX, &to->frame_count);
    if (status == DV_OK)
        status = expect(r, "Frame");
    if (status == DV_OK)
        status = expect(r, "Time:");
    if (status == DV_OK)
        status = read_number(r, &to->frame_seconds);
    const uint64_t count = (uint64_t)to->frame_count * to->channel_count;
    for (uint64_t i = 0; status == DV_OK && i < count; i++) {
        to->values = grow(to->values, i, &r->value_room, sizeof *to->values);
        status = read_number(r, &to->values[i]);
    }
    return status;
}

DvStatus bvh_read(DvData *field, BvhFile *file)
{
    const char *path = dv_data_file(field);
    Reader r = {.field = field, .file = path ? fopen(path, "r") : NULL, .to = file, .line = 1};
    *file = (BvhFile){0};
    if (!r.file)
        return dv_field_error(field, -1, "'%s' cannot be read", dv_data_string(field));
    DvStatus status = read_skeleton(&r);
    if (status == DV_OK)
        status = read_motion(&r);
    (void)fclose(r.file);
    return status;
}

void bvh_free(BvhFile *file)
{
    for (uint32_t i = 0; i < file->joint_count; i++)
        dv_free(file->joints[i].name);
    dv_free(file->joints);
    dv_free(file->channels);
    dv_free(file->values);
    *file = (BvhFile){0};
}
