/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recordings: kept, written and read.
 */
#include "recording.h"

#include <errno.h>
#include <string.h>

#include <divan/output.h>

enum { MAX_BYTES = 256 << 20 };

Recording *recording_new(const char *scene, uint64_t start)
{
    Recording *recording = g_new0(Recording, 1);
    recording->scene = g_strdup(scene);
    recording->start = start;
    recording->entries = g_array_new(FALSE, FALSE, sizeof(RecordedMessage));
    return recording;
}

void recording_free(Recording *recording)
{
    if (!recording)
        return;
    for (guint i = 0; i < recording->entries->len; i++)
        message_free(g_array_index(recording->entries, RecordedMessage, i).message);
    g_array_free(recording->entries, TRUE);
    g_free(recording->scene);
    g_free(recording);
}

void recording_add(Recording *recording, uint64_t step, const Message *message)
{
    const RecordedMessage entry = {step, message_copy(message)};
    g_array_append_val(recording->entries, entry);
}

/* Reading */

typedef struct Reader {
    Recording *recording;
    char *scene;
    bool has_head, has_start, has_end;
    uint64_t start;
} Reader;

static bool read_hash(const char *text, uint64_t *hash)
{
    guint64 number = 0;
    const bool good = g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT64, &number, NULL);
    *hash = number;
    return good;
}

/* NULL, or what is wrong with a line that a recording begins with. */
static const char *read_head(Reader *reader, const char *line)
{
    if (!reader->has_head) {
        reader->has_head = strcmp(line, "divan-session 1") == 0;
        return reader->has_head ? NULL : "expected 'divan-session 1': this is no recording of divan-view";
    }
    if (!reader->scene) {
        const size_t length = strlen(line);
        if (!g_str_has_prefix(line, "scene \"") || length < strlen("scene \"\"") || line[length - 1] != '"')
            return "expected scene \"FILE\"";
        char *escaped = g_strndup(line + strlen("scene \""), length - strlen("scene \"\""));
        reader->scene = g_strcompress(escaped);
        g_free(escaped);
        return NULL;
    }
    if (!g_str_has_prefix(line, "start ") || !read_hash(line + strlen("start "), &reader->start))
        return "expected start and a hash of 16 digits";
    reader->has_start = true;
    reader->recording = recording_new(reader->scene, reader->start);
    return NULL;
}

static const char *read_entry(Reader *reader, const char *line)
{
    Recording *recording = reader->recording;
    const GArray *entries = recording->entries;
    char *rest;
    if (!g_ascii_isdigit(*line))
        return "expected the number of a step, then what was done";
    const guint64 step = g_ascii_strtoull(line, &rest, 10);
    if (*rest != ' ')
        return "expected the number of a step, then what was done";
    if (entries->len && step < g_array_index(entries, RecordedMessage, entries->len - 1).step)
        return "its step is before that of the line above";
    rest++;
    if (g_str_has_prefix(rest, "end ")) {
        recording->steps = step;
        reader->has_end = read_hash(rest + strlen("end "), &recording->end);
        return reader->has_end ? NULL : "expected end and a hash of 16 digits";
    }
    Message *message = message_parse(rest);
    if (!message)
        return "this is no change of a scene";
    const RecordedMessage entry = {step, message};
    g_array_append_val(recording->entries, entry);
    return NULL;
}

static const char *read_line(Reader *reader, const char *line)
{
    if (!*line || *line == '#')
        return NULL;
    if (!reader->has_start)
        return read_head(reader, line);
    return reader->has_end ? "there is text after the end" : read_entry(reader, line);
}

static Recording *read_text(const char *file, char *text, DvText *why)
{
    Reader reader = {0};
    const char *wrong = NULL;
    char **lines = g_strsplit(text, "\n", -1);
    guint line = 0;
    for (; lines[line] && !(wrong = read_line(&reader, g_strchomp(lines[line]))); line++)
        continue;
    if (!wrong && !reader.has_end)
        wrong = "it has no end: the recording was not finished";
    if (wrong) {
        dv_text_add(why, "%s:%u: %s", file, line + 1, wrong);
        g_clear_pointer(&reader.recording, recording_free);
    }
    g_strfreev(lines);
    g_free(reader.scene);
    return reader.recording;
}

Recording *recording_read(const char *file, DvText *why)
{
    GError *error = NULL;
    char *text = NULL;
    gsize length = 0;
    if (!g_file_get_contents(file, &text, &length, &error)) {
        dv_text_add(why, "%s", error->message);
        g_error_free(error);
        return NULL;
    }
    Recording *recording = NULL;
    if (length > MAX_BYTES || strlen(text) != length)
        dv_text_add(why, "%s: this is no recording of divan-view", file);
    else
        recording = read_text(file, text, why);
    g_free(text);
    return recording;
}

/* Writing */

static void print_entry(FILE *file, uint64_t step, const Message *message)
{
    GString *line = g_string_new(NULL);
    message_print(message, line);
    fprintf(file, "%" G_GUINT64_FORMAT " %s\n", step, line->str);
    g_string_free(line, TRUE);
}

/* Says once why no more can be written. */
static bool still_writes(Writer *writer, DvText *why)
{
    if (writer->lost || (fflush(writer->file) == 0 && !ferror(writer->file)))
        return true;
    writer->lost = true;
    dv_text_add(why, "%s: %s; further changes are not recorded", writer->name, g_strerror(errno));
    return false;
}

bool writer_begin(Writer *writer, const char *name, DvScene *scene, const Recording *recording, DvText *why)
{
    FILE *file = dv_output_open(name, scene, why);
    if (!file)
        return false;
    *writer = (Writer){.file = file, .name = g_strdup(name)};
    char *escaped = g_strescape(recording->scene, NULL);
    fprintf(file, "divan-session 1\nscene \"%s\"\nstart %016" G_GINT64_MODIFIER "x\n", escaped, recording->start);
    g_free(escaped);
    for (guint i = 0; i < recording->entries->len; i++) {
        const RecordedMessage *entry = &g_array_index(recording->entries, RecordedMessage, i);
        print_entry(file, entry->step, entry->message);
    }
    return still_writes(writer, why);
}

bool writer_add(Writer *writer, uint64_t step, const Message *message, DvText *why)
{
    if (!writer->file || writer->lost)
        return true;
    print_entry(writer->file, step, message);
    return still_writes(writer, why);
}

bool writer_end(Writer *writer, uint64_t steps, uint64_t hash, DvText *why)
{
    if (!writer->file)
        return true;
    fprintf(writer->file, "%" G_GUINT64_FORMAT " end %016" G_GINT64_MODIFIER "x\n", steps, hash);
    DvText text = {0};
    const DvStatus status = dv_output_close(writer->file, writer->lost ? DV_OUTPUT_PART : DV_OUTPUT_WHOLE, &text);
    const bool good = status == DV_OK && !writer->lost;
    if (!good)
        dv_text_add(why, "%s: %s", writer->name, text.at ? text.at : "not whole");
    dv_text_free(&text);
    g_free(writer->name);
    *writer = (Writer){0};
    return good;
}
