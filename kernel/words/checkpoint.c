/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a scene in a file: what dv_scene_save writes of it, in binary, without the scene.
 *
 *   "DIVANCKP"  version (4)  byte order (4)  bytes that follow the head (8)  their sum (8)
 *   plugins:    count (4), then id and version of each that a class comes from
 *   steps (8), objects (4), then of each: path, class, variant, sum of its attributes (8), fields (4), then of each:
 *               name, type, elements (8), bytes (8), the bytes; of texts those of each as (4) and its bytes
 *
 * Numbers in brackets are bytes; a text is its length (4) and its bytes. The sum is such that no change of a single byte, and of no
 * few, keeps it. Objects stand in the order of the graph, and are matched by it: an object that is not where it was is another scene.
 */
#include "words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <unistd.h>

#include <divan/moment.h>
#include <divan/output.h>

enum { VERSION = 1, ORDER = 0x01020304, ORDER_AT = 12, LENGTH_AT = 16, SUM_AT = 24, HEAD = 32 };

static const char magic[8] = {'D', 'I', 'V', 'A', 'N', 'C', 'K', 'P'};

/* Eight bytes at a time; each step is one to one in the sum and in the bytes. */
static uint64_t sum_of(const char *at, size_t length)
{
    uint64_t sum = 0x9e3779b97f4a7c15u ^ length;
    while (length) {
        const size_t part = MIN(length, 8);
        uint64_t word = 0;
        memcpy(&word, at, part);
        sum = (sum ^ word) * 0xbf58476d1ce4e5b9u;
        sum ^= sum >> 31;
        at += part;
        length -= part;
    }
    return sum;
}

/* Scenes are made again from their attributes: when these are others, so is the run. */
static uint64_t sum_of_attributes(const DvObject *object)
{
    uint64_t sum = 0;
    for (size_t i = 0; object->attributes && i < object->attributes->count; i++) {
        const DvAttribute *attribute = &object->attributes->at[i];
        sum = sum * 31 + sum_of(attribute->name, strlen(attribute->name));
        sum = sum * 31 + sum_of(attribute->text, strlen(attribute->text));
    }
    return sum;
}

/* ---- Writing ---- */

static void put_bytes(DvText *out, const void *bytes, size_t count)
{
    dv_text_add_bytes(out, bytes, count);
}

static void put_4(DvText *out, size_t number)
{
    const uint32_t word = (uint32_t)number;
    put_bytes(out, &word, sizeof word);
}

static void put_8(DvText *out, uint64_t number)
{
    put_bytes(out, &number, sizeof number);
}

static void put_text(DvText *out, const char *text)
{
    put_4(out, strlen(text));
    put_bytes(out, text, strlen(text));
}

static size_t bytes_of_value(const DvData *data)
{
    if (data->type->scalar != DV_SCALAR_STRING)
        return data->count * data->type->element_size;
    size_t bytes = 0;
    for (size_t i = 0; i < data->count; i++)
        bytes += 4 + strlen(((char *const *)data->value)[i]);
    return bytes;
}

static void put_field(DvText *out, DvData *data)
{
    (void)dv_data_read(data);
    put_text(out, data->field->name);
    put_text(out, data->type->name);
    put_8(out, data->count);
    put_8(out, bytes_of_value(data));
    if (data->type->scalar != DV_SCALAR_STRING)
        put_bytes(out, data->value, bytes_of_value(data));
    else
        for (size_t i = 0; i < data->count; i++)
            put_text(out, ((char *const *)data->value)[i]);
}

typedef struct Writing {
    DvText *out;
    size_t objects;
    const DvPlugin **plugins; /* [count] that classes come from */
    size_t count;
} Writing;

static void note_plugin(void *context, DvObject *object)
{
    Writing *writing = context;
    const DvPlugin *plugin = object->is_node ? NULL : dv_class_plugin(object->cls);
    writing->objects++;
    for (size_t i = 0; plugin && i < writing->count; i++)
        if (writing->plugins[i] == plugin)
            return;
    if (plugin) {
        writing->plugins = g_renew(const DvPlugin *, writing->plugins, writing->count + 1);
        writing->plugins[writing->count++] = plugin;
    }
}

static void put_object(void *context, DvObject *object)
{
    DvText *out = ((Writing *)context)->out;
    put_text(out, dv_object_path(object));
    put_text(out, object->cls->name);
    put_text(out, object->variant);
    put_8(out, sum_of_attributes(object));
    size_t fields = 0;
    for (size_t i = 0; i < object->field_count; i++)
        fields += dv_words_has_changed(object, i);
    put_4(out, fields);
    for (size_t i = 0; i < object->field_count; i++)
        if (dv_words_has_changed(object, i))
            put_field(out, object->fields[i]);
}

static void put_state(DvText *out, DvScene *scene)
{
    Writing writing = {.out = out};
    dv_words_each_object(scene->root, note_plugin, &writing);
    put_bytes(out, magic, sizeof magic);
    put_4(out, VERSION);
    put_4(out, ORDER);
    put_8(out, 0);
    put_8(out, 0);
    put_4(out, writing.count);
    for (size_t i = 0; i < writing.count; i++) {
        put_text(out, writing.plugins[i]->id);
        put_text(out, writing.plugins[i]->version);
    }
    put_8(out, scene->steps);
    put_4(out, writing.objects);
    dv_words_each_object(scene->root, put_object, &writing);
    const uint64_t length = out->length - HEAD, sum = sum_of(out->at + HEAD, out->length - HEAD);
    memcpy(out->at + LENGTH_AT, &length, sizeof length);
    memcpy(out->at + SUM_AT, &sum, sizeof sum);
    g_free(writing.plugins);
}

/* NAME.<process>.part of a process that has ended; and not written to just now, perhaps by another machine. */
static void remove_left_parts(const char *file)
{
    enum { RECENT = 2 /* s */ };
    char *folder = g_path_get_dirname(file), *name = g_path_get_basename(file), *first = g_strconcat(name, ".", NULL);
    GDir *entries = g_dir_open(folder, 0, NULL);
    for (const char *entry; entries && (entry = g_dir_read_name(entries));) {
        char *end = NULL;
        if (!g_str_has_prefix(entry, first) || !g_str_has_suffix(entry, ".part"))
            continue;
        const guint64 process = g_ascii_strtoull(entry + strlen(first), &end, 10);
        if (!process || process > G_MAXINT || (*end != '.' && *end != '-') || kill((pid_t)process, 0) == 0 ||
            errno != ESRCH)
            continue;
        char *path = g_build_filename(folder, entry, NULL);
        GStatBuf found;
        if (g_lstat(path, &found) == 0 && S_ISREG(found.st_mode) && time(NULL) - found.st_mtime >= RECENT)
            (void)g_unlink(path);
        g_free(path);
    }
    if (entries)
        g_dir_close(entries);
    g_free(first);
    g_free(name);
    g_free(folder);
}

static DvStatus refuse(const char *file, DvStatus status, const char *format, ...) DV_PRINTF(3, 4);
static DvStatus refuse(const char *file, DvStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dv_log_at(DV_LEVEL_ERROR, status, file, 0, 0, "%s", text);
    g_free(text);
    return status;
}

DvStatus dv_checkpoint_write(DvScene *scene, const char *file)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_checkpoint_write"))
        return DV_ERROR_BUSY;
    DvStatus status = DV_ERROR_INVALID;
    DvText state = {0}, why = {0};
    if (!scene->running) {
        status = refuse(file, status, "no checkpoint is written: the scene does not run");
    } else {
        put_state(&state, scene);
        remove_left_parts(file);
        status = dv_output_write(file, scene, state.at, state.length, &why);
        if (status != DV_OK)
            (void)refuse(file, status, "the checkpoint after step %llu cannot be written: %s",
                         (unsigned long long)scene->steps, why.at);
    }
    dv_text_free(&state);
    dv_text_free(&why);
    dv_core_call_end(&call);
    return status;
}

/* ---- Reading ---- */

/* A file, and how far it has been read. Beyond its end all is zero and empty, and `good` false. */
typedef struct Reading {
    const char *file;
    char *text, *at, *end;
    bool good;
} Reading;

static const char *take_bytes(Reading *in, uint64_t count)
{
    const char *at = in->at;
    in->good = in->good && count <= (uint64_t)(in->end - in->at);
    if (in->good)
        in->at += count;
    return in->good ? at : NULL;
}

static uint32_t take_4(Reading *in)
{
    uint32_t number = 0;
    const char *at = take_bytes(in, sizeof number);
    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

static uint64_t take_8(Reading *in)
{
    uint64_t number = 0;
    const char *at = take_bytes(in, sizeof number);
    if (at)
        memcpy(&number, at, sizeof number);
    return number;
}

/* For g_free. */
static char *take_text(Reading *in)
{
    const uint32_t length = take_4(in);
    const char *at = take_bytes(in, length);
    return at ? g_strndup(at, length) : g_strdup("");
}

static DvStatus check_head(const char *file, const char *text, size_t length)
{
    uint32_t version = 0, order = 0;
    uint64_t promised = 0, sum = 0;
    if (length < sizeof magic || memcmp(text, magic, sizeof magic) != 0)
        return refuse(file, DV_ERROR_INVALID, "this is no checkpoint; `divan run --checkpoint` writes one");
    if (length < HEAD)
        return refuse(file, DV_ERROR_INVALID, "the checkpoint is cut short: %zu bytes are not even its head", length);
    memcpy(&version, text + sizeof magic, sizeof version);
    memcpy(&order, text + ORDER_AT, sizeof order);
    memcpy(&promised, text + LENGTH_AT, sizeof promised);
    memcpy(&sum, text + SUM_AT, sizeof sum);
    if (order != ORDER)
        return refuse(file, DV_ERROR_UNSUPPORTED,
                      "the checkpoint was written on a machine with another order of bytes, or its head is damaged");
    if (version != VERSION)
        return refuse(file, DV_ERROR_UNSUPPORTED,
                      "the checkpoint has version %u of the format, this program reads version %d; go on with the "
                      "program that wrote it, and save a scene there (`divan save`)",
                      version, VERSION);
    if (promised != length - HEAD)
        return refuse(file, DV_ERROR_INVALID, "the checkpoint %s: it should have %llu bytes and has %zu",
                      promised > length - HEAD ? "is cut short" : "goes on behind its end",
                      (unsigned long long)promised + HEAD, length);
    if (sum != sum_of(text + HEAD, length - HEAD))
        return refuse(file, DV_ERROR_INVALID, "the checkpoint is damaged: its bytes are not those that were written");
    return DV_OK;
}

static DvStatus open_checkpoint(Reading *in, const char *file)
{
    *in = (Reading){.file = file, .good = true};
    gsize length = 0;
    GError *error = NULL;
    if (!g_file_get_contents(file, &in->text, &length, &error)) {
        const bool missing = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
        const DvStatus status = missing
                                    ? refuse(file, DV_ERROR_NOT_FOUND, "there is no such checkpoint")
                                    : refuse(file, DV_ERROR_IO, "the checkpoint cannot be read: %s", error->message);
        g_clear_error(&error);
        return status;
    }
    in->at = in->text + MIN(length, (gsize)HEAD);
    in->end = in->text + length;
    return check_head(file, in->text, length);
}

static void close_checkpoint(Reading *in)
{
    g_free(in->text);
}

static DvStatus not_whole(const Reading *in)
{
    return refuse(in->file, DV_ERROR_INVALID, "the checkpoint is none that divan has written: its parts do not fit");
}

static const DvPluginInfo *plugin_named(const char *id)
{
    const DvPluginInfo *info;
    for (size_t i = 0; (info = dv_plugin_info(i)); i++)
        if (info->state == DV_PLUGIN_STARTED && strcmp(info->id, id) == 0)
            return info;
    return NULL;
}

static DvStatus check_plugins(Reading *in)
{
    DvStatus status = DV_OK;
    const uint32_t count = take_4(in);
    for (uint32_t i = 0; in->good && i < count; i++) {
        char *id = take_text(in), *version = take_text(in);
        const DvPluginInfo *plugin = plugin_named(id);
        if (in->good && !plugin)
            status = refuse(in->file, DV_ERROR_MISSING,
                            "the checkpoint needs plugin '%s' %s, which is not in use; --plugin-set or --plugin takes "
                            "one in, `divan list` shows those that are found",
                            id, version);
        else if (in->good && strcmp(plugin->version, version) != 0)
            dv_log_at(DV_LEVEL_WARNING, DV_OK, in->file, 0, 0,
                      "the checkpoint was written with plugin '%s' %s, and %s is in use: the run may go on otherwise",
                      id, version, plugin->version);
        g_free(id);
        g_free(version);
    }
    return in->good ? status : not_whole(in);
}

DvStatus dv_checkpoint_check(const char *file)
{
    Reading in;
    DvStatus status = open_checkpoint(&in, file);
    if (status == DV_OK)
        status = check_plugins(&in);
    close_checkpoint(&in);
    return status;
}

/* A field with the value that it is to have. */
typedef struct Value {
    DvData *data;
    const char *at; /* in the file */
    uint64_t count, bytes;
} Value;

typedef struct Restart {
    Reading in;
    DvScene *scene;
    GPtrArray *objects; /* DvObject *: of the scene, in order */
    GArray *values;     /* Value */
    GString *changed;   /* names of the first components with other attributes */
    size_t changes;
    uint64_t steps;
} Restart;

static void list_object(void *context, DvObject *object)
{
    g_ptr_array_add(context, object);
}

static DvStatus read_field(Restart *restart, const DvObject *object)
{
    Reading *in = &restart->in;
    char *name = take_text(in), *type = take_text(in);
    Value value = {.count = take_8(in)};
    value.bytes = take_8(in);
    value.at = take_bytes(in, value.bytes);
    value.data = in->good ? dv_object_field(object, name) : NULL;
    DvStatus status = DV_OK;
    if (!in->good)
        status = not_whole(in);
    else if (!value.data || !dv_words_may_change(object, value.data) || strcmp(value.data->type->name, type) != 0)
        status = dv_error(object, DV_ERROR_INVALID,
                          "has no field '%s' of type %s, whose value checkpoint '%s' holds: it is of another scene or "
                          "another version",
                          name, type, in->file);
    else if (!value.data->type->list && value.count != 1)
        status = not_whole(in);
    else if (value.data->type->scalar != DV_SCALAR_STRING &&
             (value.count > value.bytes || value.count * value.data->type->element_size != value.bytes))
        status = not_whole(in);
    if (status == DV_OK)
        g_array_append_val(restart->values, value);
    g_free(name);
    g_free(type);
    return status;
}

/* `expected`: what the file has in the place of `found`; NULL: the scene has nothing there. */
static DvStatus other_scene(const Restart *restart, const char *expected, DvObject *found)
{
    const char *file = dv_object_of(restart->scene->root)->place.file;
    return refuse(restart->in.file, DV_ERROR_INVALID,
                  "the checkpoint is of another scene: it has %s where '%s' has %s %s", expected,
                  file ? file : "the scene", found ? found->cls->name : "nothing",
                  found ? dv_object_path(found) : "more");
}

static DvStatus read_object(Restart *restart, DvObject *object)
{
    enum { NAMED = 3 };
    Reading *in = &restart->in;
    char *path = take_text(in), *class_name = take_text(in), *variant = take_text(in);
    const uint64_t sum = take_8(in);
    const uint32_t fields = take_4(in);
    DvStatus status = in->good ? DV_OK : not_whole(in);
    if (status == DV_OK && (!object || strcmp(path, dv_object_path(object)) != 0 ||
                            strcmp(class_name, object->cls->name) != 0 || strcmp(variant, object->variant) != 0)) {
        char *expected = g_strdup_printf("%s%s%s %s", class_name, *variant ? " " : "", variant, path);
        status = other_scene(restart, expected, object);
        g_free(expected);
    }
    if (status == DV_OK && sum != sum_of_attributes(object) && restart->changes++ < NAMED)
        g_string_append_printf(restart->changed, "%s%s", restart->changed->len ? ", " : "", path);
    for (uint32_t i = 0; status == DV_OK && i < fields; i++)
        status = read_field(restart, object);
    g_free(path);
    g_free(class_name);
    g_free(variant);
    return status;
}

static DvStatus read_all(Restart *restart)
{
    Reading *in = &restart->in;
    restart->steps = take_8(in);
    const uint32_t count = take_4(in);
    DvStatus status = in->good ? DV_OK : not_whole(in);
    for (uint32_t i = 0; status == DV_OK && i < count; i++)
        status = read_object(restart, i < restart->objects->len ? g_ptr_array_index(restart->objects, i) : NULL);
    if (status == DV_OK && count < restart->objects->len)
        status = other_scene(restart, "nothing more", g_ptr_array_index(restart->objects, count));
    return status != DV_OK || in->at == in->end ? status : not_whole(in);
}

static DvStatus put_texts(const Restart *restart, const Value *value)
{
    Reading in = {.file = restart->in.file,
                  .at = (char *)(uintptr_t)value->at,
                  .end = (char *)(uintptr_t)value->at + value->bytes,
                  .good = true};
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    for (uint64_t i = 0; in.good && i < value->count; i++)
        g_ptr_array_add(texts, take_text(&in));
    const bool good = in.good && in.at == in.end;
    if (good)
        dv_data_set(value->data, texts->pdata, texts->len);
    g_ptr_array_unref(texts);
    return good ? DV_OK : not_whole(&in);
}

static DvStatus put_value(const Restart *restart, const Value *value)
{
    if (value->data->type->scalar == DV_SCALAR_STRING)
        return put_texts(restart, value);
    void *to = dv_data_begin_all(value->data, value->count);
    if (value->bytes)
        memcpy(to, value->at, value->bytes);
    dv_data_end(value->data);
    return DV_OK;
}

/* Until none counts as overtaken by one that it follows: see moment.c. */
static DvStatus put_values(const Restart *restart)
{
    enum { MOST_PASSES = 100 };
    DvStatus status = DV_OK;
    bool again = true;
    for (int pass = 0; again && status == DV_OK && pass < MOST_PASSES; pass++) {
        again = false;
        for (guint i = 0; status == DV_OK && i < restart->values->len; i++) {
            const Value *value = &g_array_index(restart->values, Value, i);
            DvData *parent = dv_data_parent(value->data);
            if (pass && parent && parent->flags & DV_DATA_DIRTY)
                status = dv_data_update(parent);
            if (pass && !(value->data->flags & DV_DATA_DIRTY))
                continue;
            status = put_value(restart, value);
            again = true;
        }
    }
    return status;
}

static DvStatus check_state(DvScene *scene)
{
    for (size_t i = 0; i < scene->check_count; i++) {
        const DvStatus status = ((const DvStepCheckOps *)scene->checks[i])->check(scene->root, scene->steps);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static DvStatus restart_from(Restart *restart)
{
    DvStatus status = read_all(restart);
    if (status != DV_OK)
        return status;
    if (restart->changes)
        dv_log_at(
            DV_LEVEL_WARNING, DV_OK, restart->in.file, 0, 0,
            "the scene has changed since the checkpoint was written: %zu component%s with other attributes (%s%s); "
            "the run goes on otherwise than it would have",
            restart->changes, restart->changes == 1 ? "" : "s", restart->changed->str,
            restart->changes > 3 ? ", ..." : "");
    status = put_values(restart);
    restart->scene->steps = restart->steps;
    const DvStatus rebuilt = status == DV_OK ? dv_words_rebuild(restart->scene) : status;
    return rebuilt == DV_OK ? check_state(restart->scene) : rebuilt;
}

DvStatus dv_checkpoint_read(DvScene *scene, const char *file)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_checkpoint_read"))
        return DV_ERROR_BUSY;
    Restart restart = {.scene = scene,
                       .objects = g_ptr_array_new(),
                       .values = g_array_new(FALSE, FALSE, sizeof(Value)),
                       .changed = g_string_new(NULL)};
    dv_words_each_object(scene->root, list_object, restart.objects);
    DvStatus status = open_checkpoint(&restart.in, file);
    if (status == DV_OK)
        status = check_plugins(&restart.in);
    if (status == DV_OK && !scene->running)
        status = refuse(file, DV_ERROR_INVALID, "the checkpoint is not read: the scene does not run");
    if (status == DV_OK)
        status = restart_from(&restart);
    close_checkpoint(&restart.in);
    g_ptr_array_unref(restart.objects);
    g_array_free(restart.values, TRUE);
    g_string_free(restart.changed, TRUE);
    dv_core_call_end(&call);
    return status;
}
