/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * InputEventReader: events of an input device of Linux, at the beginning of each step: of a mouse, how far it has moved since the last one; of
 * pedals (the y axis of a joystick), that one is pressed or let go, as two keys.
 *
 * The file is the device itself, of which a step takes what is there; bytes that were recorded from one, which come at their times after the
 * first; or what `writeEvents` has written: blocks `T= time` with a line `E= type code value ...`, which come at those times.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <divan/input.h>
#include <divan/kit/path_hint.h>

typedef struct InputEventReader {
    DvData filename, inverse, print, key[2], write, output;
    DvData done, pedal;
    int device;                /* -1: what comes is in `events` or `recording` */
    struct input_event *event; /* [events] of a file of bytes */
    uint32_t events;
    char *bytes; /* that they lie in */
    Recording recording;
    RecordingFile out;
    DvText block; /* of the present step, for the output */
    int32_t x, y; /* moved in the present step */
} InputEventReader;

enum Pedal { LEFT, RIGHT, NONE };
enum { ABOVE_IS_LEFT = 156, BELOW_IS_RIGHT = 100 }; /* of a pedal's axis */

static const double microsecond = 1e-6;

/* A key that is held or let go. */
static void tell_key(InputEventReader *self, uint32_t pedal, DvEventKind kind)
{
    const char *key = dv_data_string(&self->key[pedal]);
    DvEvent event = {.kind = kind, .key = (unsigned char)key[0]};
    if (event.key)
        dv_event_send(dv_object_node(dv_object_of(self)), &event);
}

static void press(InputEventReader *self, uint32_t pedal)
{
    const uint32_t before = dv_data_uint(&self->pedal);
    if (before == pedal)
        return;
    if (before < NONE)
        tell_key(self, before, DV_EVENT_KEY_RELEASED);
    dv_data_set_uint(&self->pedal, pedal);
    if (pedal < NONE)
        tell_key(self, pedal, DV_EVENT_KEY_PRESSED);
}

static int32_t sum(int32_t a, int32_t b)
{
    int32_t c;
    return __builtin_add_overflow(a, b, &c) ? (b > 0 ? INT32_MAX : INT32_MIN) : c;
}

static void take(InputEventReader *self, uint32_t type, uint32_t code, int32_t value)
{
    if (dv_data_bool(&self->print))
        dv_info(dv_object_of(self), "event of type %u, code %u, value %d", type, code, value);
    if (dv_data_bool(&self->write))
        dv_text_add(&self->block, " %u %u %d", type, code, value);
    if (type == EV_REL && code == REL_X)
        self->x = sum(self->x, value);
    else if (type == EV_REL && code == REL_Y)
        self->y = sum(self->y, value);
    else if (type == EV_ABS && code == ABS_Y)
        press(self, value > ABOVE_IS_LEFT ? LEFT : value < BELOW_IS_RIGHT ? RIGHT : NONE);
}

static void read_device(InputEventReader *self)
{
    enum { ONCE = 64, MOST = 64 };
    struct input_event events[ONCE];
    for (int round = 0; round < MOST; round++) {
        const ssize_t got = read(self->device, events, sizeof events);
        for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *events; i++)
            take(self, events[i].type, events[i].code, events[i].value);
        if (got < (ssize_t)sizeof events)
            return;
    }
}

static double time_of(const struct input_event *event)
{
    return (double)event->input_event_sec + microsecond * (double)event->input_event_usec;
}

/* Of bytes, those whose time has come. */
static void read_bytes(InputEventReader *self, double now)
{
    uint32_t next = dv_data_uint(&self->done);
    const double first = self->events ? time_of(&self->event[0]) : 0;
    for (; next < self->events && time_of(&self->event[next]) - first <= now; next++)
        take(self, self->event[next].type, self->event[next].code, self->event[next].value);
    dv_data_set_uint(&self->done, next);
}

/* Type, code and value; `at` moves behind them. */
static bool read_three(const char **at, double number[3])
{
    const char *next = *at;
    for (int i = 0; i < 3; i++)
        if (!dv_read_double(&next, &number[i]) || !(number[i] >= (i < 2 ? 0 : INT32_MIN) && number[i] <= INT32_MAX))
            return false;
    *at = next;
    return true;
}

static void read_recording(InputEventReader *self, double now)
{
    const Recording *recording = &self->recording;
    uint32_t next = dv_data_uint(&self->done);
    for (; next < recording->blocks.count && recording->blocks.data[next].time <= now; next++) {
        const RecordedBlock *block = &recording->blocks.data[next];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const char *at = recording->lines.data[i].values;
            double number[3];
            while (recorded_is(&recording->lines.data[i], "E") && read_three(&at, number))
                take(self, (uint32_t)number[0], (uint32_t)number[1], (int32_t)number[2]);
        }
    }
    dv_data_set_uint(&self->done, next);
}

static void write_block(InputEventReader *self, double now)
{
    if (!self->block.length)
        return;
    DvText block = {0};
    dv_text_add(&block, "T= %g\n  E=%s\n", now, self->block.at);
    recording_add(&self->out, &self->output, &block);
    dv_text_free(&block);
    self->block.length = 0;
}

static void handle_event(DvObject *object, void *self_, DvEvent *event)
{
    InputEventReader *self = self_;
    if (event->kind != DV_EVENT_ANIMATE_BEGIN)
        return;
    const double now = dv_node_time(dv_object_node(object)), soon = now + 0.001 * event->dt;
    self->x = self->y = 0;
    if (self->device >= 0)
        read_device(self);
    else if (self->recording.bytes)
        read_recording(self, soon);
    else
        read_bytes(self, soon);
    if (self->x || self->y) {
        const int32_t sign = dv_data_bool(&self->inverse) ? -1 : 1;
        const DvMouseEvent move = {.move = {sign * (self->x == INT32_MIN ? -INT32_MAX : self->x),
                                            sign * (self->y == INT32_MIN ? -INT32_MAX : self->y)}};
        DvEvent mouse = {.kind = DV_EVENT_MOUSE, .data = &move};
        dv_event_send(dv_object_node(object), &mouse);
    }
    write_block(self, now);
}

static DvStatus construct(DvObject *object, void *self_)
{
    InputEventReader *self = self_;
    self->device = -1;
    dv_data_set_bool(dv_object_field(object, "listening"), true);
    return DV_OK;
}

/* Which lines of a recording hold no events. */
static DvStatus check_lines(InputEventReader *self)
{
    for (uint32_t i = 0; i < self->recording.lines.count; i++) {
        const RecordedLine *line = &self->recording.lines.data[i];
        const char *at = line->values;
        double number[3], more;
        while (recorded_is(line, "E") && read_three(&at, number))
            continue;
        if (recorded_is(line, "E") && (dv_read_double(&at, &more) || at[strspn(at, " \t\r\n")]))
            return dv_field_error(&self->filename, -1,
                                  "'%s': a line E= has something else than type, code and value of each event",
                                  dv_data_string(&self->filename));
    }
    return DV_OK;
}

static DvStatus read_file(InputEventReader *self, const char *path)
{
    size_t size;
    char *bytes;
    const DvStatus status = recording_bytes(&self->filename, path, &bytes, &size);
    if (status == DV_OK && size >= 2 && memcmp(bytes, "T=", 2) == 0) {
        const DvStatus read = recording_take(&self->filename, bytes, &self->recording);
        return read == DV_OK ? check_lines(self) : read;
    }
    self->bytes = bytes;
    if (status != DV_OK)
        return status;
    if (size % sizeof(struct input_event) != 0)
        return dv_field_error(&self->filename, -1,
                              "'%s' is no recording of events: it does not begin with T=, and its %zu bytes are not a "
                              "multiple of the %zu of an event",
                              dv_data_string(&self->filename), size, sizeof(struct input_event));
    self->event = (struct input_event *)(void *)bytes;
    self->events = (uint32_t)(size / sizeof(struct input_event));
    return DV_OK;
}

static DvStatus open_input(InputEventReader *self)
{
    const char *given = dv_data_string(&self->filename), *file = dv_data_file(&self->filename),
               *path = file            ? file
                       : *given == '/' ? given
                                       : NULL; /* devices are no files that are looked for */
    struct stat about;
    if (!path || stat(path, &about) != 0) {
        dv_field_error(&self->filename, -1, "no file '%s' in the folder of the scene or in DIVAN_DATA_PATH%s", given,
                       dv_path_hint(given));
        return DV_ERROR_NOT_FOUND;
    }
    if (S_ISREG(about.st_mode))
        return read_file(self, path);
    if (!S_ISCHR(about.st_mode) && !S_ISFIFO(about.st_mode))
        return dv_field_error(&self->filename, -1, "'%s' is neither a device nor a file", given);
    self->device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return self->device >= 0
               ? DV_OK
               : (dv_field_error(&self->filename, -1, "'%s' cannot be opened: %s", given, strerror(errno)),
                  DV_ERROR_IO);
}

static DvStatus init(DvObject *object, void *self_)
{
    InputEventReader *self = self_;
    const char *output = dv_data_string(&self->output);
    if (dv_data_bool(&self->write) && !*output)
        return dv_field_error(&self->output, -1, "it must name the file that events are written to"), DV_ERROR_MISSING;
    if (dv_data_bool(&self->print))
        dv_data_set_bool(dv_object_field(object, "printLog"), true);
    return open_input(self);
}

static void reset(DvObject *object, void *self_)
{
    InputEventReader *self = self_;
    (void)object;
    recording_drop(&self->out);
}

static void cleanup(DvObject *object, void *self_)
{
    InputEventReader *self = self_;
    (void)object;
    recording_close(&self->out, &self->output);
    if (self->device >= 0)
        (void)close(self->device);
    self->device = -1;
}

static void destroy(DvObject *object, void *self_)
{
    InputEventReader *self = self_;
    cleanup(object, self_);
    recording_free(&self->recording);
    dv_free(self->bytes);
    dv_text_free(&self->block);
}

static const DvRange pedals = {0, NONE, false, false};

#define FIELD(member, name, type, ...) DV_FIELD(InputEventReader, member, name, type, __VA_ARGS__)
static const DvField fields[] = {
    FIELD(filename, "filename", dv_type_file, .init = "/dev/input/mouse2", .flags = DV_FIELD_AT_LOAD,
          .help = "a device of /dev/input, or what was recorded from one"),
    FIELD(inverse, "inverseSense", dv_type_bool, .init = "0", .help = "the mouse moves the other way"),
    FIELD(print, "printEvent", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD, .help = "say each event"),
    FIELD(key[LEFT], "key1", dv_type_string, .init = "0", .help = "the key that the left pedal stands for"),
    FIELD(key[RIGHT], "key2", dv_type_string, .init = "1", .help = "the key that the right pedal stands for"),
    FIELD(write, "writeEvents", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
          .help = "write the events down, to be read again"),
    FIELD(output, "outputFilename", dv_type_string, .flags = DV_FIELD_AT_LOAD,
          .help = "where; packed when it ends with .gz"),
    FIELD(done, "eventsDone", dv_type_uint, .init = "0", .flags = DV_FIELD_STATE,
          .help = "events, or blocks of them, that have come"),
    FIELD(pedal, "pedal", dv_type_uint, .init = "2", .range = &pedals, .flags = DV_FIELD_STATE,
          .help = "which is pressed: 0 left, 1 right, 2 none"),
    {0},
};

const DvClass dv_input_event_reader = {
    .size = sizeof(DvClass),
    .name = "InputEventReader",
    .family = "playback",
    .module = "Sofa.Component.Playback",
    .help = "Tells the scene of the events of a mouse or of pedals.",
    .instance_size = sizeof(InputEventReader),
    .fields = fields,
    .construct = construct,
    .init = init,
    .handle_event = handle_event,
    .reset = reset,
    .cleanup = cleanup,
    .destroy = destroy,
};
