/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes a scene with its present state, so that loading the file continues the run bit for bit.
 *
 * The file says two things of each object. Its attributes are what it was made from: the text that the scene gave, and what code set
 * before the initialisation. Loading therefore makes and initialises the same scene once more. Then a child element
 * <State field="value"/> holds every field that changed since, and those that are state by declaration; it is put back
 * after the initialisation, and `restore` of the class rebuilds what hangs on it. Numbers read back to the same bits.
 *
 * What was linked stays linked: a field that follows another is written as its link.
 */
#include "internal.h"

#include <string.h>

/* What code set between the making of an object and its initialisation. */
typedef struct Snapshot {
    size_t field;
    const DvType *type;
    const void *value;
    size_t count;
    char *link; /* instead of a value: the field follows this one */
} Snapshot;

static void snapshot_free(void *pointer)
{
    Snapshot *snapshot = pointer;
    if (snapshot->value)
        dv_private_value_unref(snapshot->type, snapshot->value);
    g_free(snapshot->link);
    g_free(snapshot);
}

void dv_private_stamp(DvObject *object)
{
    if (object->stamp_count < object->field_count)
        object->stamps = g_renew(uint64_t, object->stamps, object->field_count);
    object->stamp_count = object->field_count;
    for (size_t i = 0; i < object->field_count; i++)
        object->stamps[i] = object->fields[i]->version;
}

static bool was_written_since_stamp(const DvObject *object, size_t index)
{
    return index >= object->stamp_count || object->fields[index]->version != object->stamps[index];
}

/* Fields that are never part of a file: they follow from others. */
static bool is_transient(const DvObject *object, const DvData *data)
{
    return data == &object->name || data == &object->bbox || data == &object->component_state ||
           (data->field->flags & DV_FIELD_OUTPUT) != 0;
}

void dv_private_capture(DvObject *object)
{
    if (object->initial)
        return;
    object->initial = g_ptr_array_new_with_free_func(snapshot_free);
    const bool sourced = dv_private_attribute_find(object->attributes, "src") != NULL;
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *data = object->fields[i];
        if (!was_written_since_stamp(object, i) || is_transient(object, data) || !dv_data_is_set(data))
            continue;
        const DvData *parent = dv_data_parent(data);
        const Attribute *attribute = dv_private_attribute_find(object->attributes, data->field->name);
        if (parent && (sourced || (attribute && attribute->text[0] == '@')))
            continue; /* read since; the attribute says where from */
        Snapshot *snapshot = g_new0(Snapshot, 1);
        snapshot->field = i;
        if (parent) {
            snapshot->link = dv_private_data_path(parent);
        } else {
            snapshot->type = data->type;
            snapshot->value = dv_private_value_ref(data->value);
            snapshot->count = data->count;
        }
        g_ptr_array_add(object->initial, snapshot);
    }
}

/* Writing */

typedef struct Writer {
    GString *out;
    char *folder; /* of the new file */
    DvText text;  /* of one value */
    DvStatus status;
} Writer;

static void indent(Writer *writer, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        g_string_append(writer->out, "  ");
}

static void add_attribute(Writer *writer, const DvObject *object, const char *name, const char *text)
{
    g_string_append_printf(writer->out, " %s=\"", name);
    for (const char *at = text; *at; at++) {
        switch (*at) {
        case '&':
            g_string_append(writer->out, "&amp;");
            break;
        case '<':
            g_string_append(writer->out, "&lt;");
            break;
        case '"':
            g_string_append(writer->out, "&quot;");
            break;
        case '\t':
        case '\n':
        case '\r':
            g_string_append_printf(writer->out, "&#%d;", *at);
            break;
        default:
            if ((unsigned char)*at < 0x20)
                writer->status = dv_error(object, DV_ERROR_INVALID,
                                          "%s: a control character cannot be written to a scene file", name);
            else
                g_string_append_c(writer->out, *at);
        }
    }
    g_string_append_c(writer->out, '"');
}

/* A file name that leads to the same file from the folder of the new scene. */
static void add_file(Writer *writer, const DvObject *object, const char *name, const char *text)
{
    char *now = dv_private_find_file(text, object->node ? object->node->folder : NULL);
    char *then = now ? dv_private_find_file(text, writer->folder) : NULL;
    char *a = now ? g_canonicalize_filename(now, NULL) : NULL, *b = then ? g_canonicalize_filename(then, NULL) : NULL;
    add_attribute(writer, object, name, a && g_strcmp0(a, b) != 0 ? a : text);
    g_free(a);
    g_free(b);
    g_free(now);
    g_free(then);
}

static const Snapshot *snapshot_of(const DvObject *object, const DvData *data)
{
    for (guint i = 0; object->initial && i < object->initial->len; i++) {
        const Snapshot *snapshot = g_ptr_array_index(object->initial, i);
        if (object->fields[snapshot->field] == data)
            return snapshot;
    }
    return NULL;
}

static void add_attributes(Writer *writer, DvObject *object)
{
    if (*dv_object_name(object) || !object->is_node)
        add_attribute(writer, object, "name", dv_object_name(object));
    if (*object->variant)
        add_attribute(writer, object, "template", object->variant);
    for (guint i = 0; object->attributes && i < object->attributes->list->len; i++) {
        const Attribute *attribute = &g_array_index(object->attributes->list, Attribute, i);
        const DvData *data = dv_object_field(object, attribute->name);
        if (!attribute->used || strcmp(attribute->name, "name") == 0 || strcmp(attribute->name, "type") == 0 ||
            (*object->variant && strcmp(attribute->name, "template") == 0) || (object->is_node && !data) ||
            (data && snapshot_of(object, data)))
            continue;
        if (data && data->field->type == &dv_type_file && attribute->text[0] != '@')
            add_file(writer, object, attribute->name, attribute->text);
        else
            add_attribute(writer, object, attribute->name, attribute->text);
    }
    for (guint i = 0; object->initial && i < object->initial->len; i++) {
        const Snapshot *snapshot = g_ptr_array_index(object->initial, i);
        const DvData *data = object->fields[snapshot->field];
        writer->text.length = 0;
        if (!snapshot->link)
            dv_private_type_print(snapshot->type, snapshot->value, snapshot->count, &writer->text);
        const char *text = snapshot->link ? snapshot->link : writer->text.length ? writer->text.at : "";
        if (data->field->type == &dv_type_file && !snapshot->link)
            add_file(writer, object, data->field->name, text);
        else
            add_attribute(writer, object, data->field->name, text);
    }
}

/* A linked field that still has the value of what it follows. */
static bool follows(DvData *data)
{
    DvData *parent = dv_data_parent(data);
    return parent && (data->flags & DV_DATA_DIRTY || dv_data_equal(data, parent));
}

static bool has_changed(const DvObject *object, size_t index)
{
    DvData *data = object->fields[index];
    if (is_transient(object, data) || data->field->type == &dv_type_link)
        return false;
    if (data->field->flags & DV_FIELD_STATE)
        return true;
    return object->initialised && was_written_since_stamp(object, index) && !follows(data);
}

/* The child element with the state, behind the end of the object's tag; false and nothing when there is no state. */
static bool add_state(Writer *writer, DvObject *object, unsigned depth)
{
    const DvNode *node = object->is_node ? object->self : NULL;
    const bool is_root = node && !node->parents->len && node->scene->steps > 0;
    bool any = false;
    for (size_t i = 0; i < object->field_count + 1; i++) {
        const bool is_steps = i == object->field_count;
        if (is_steps ? !is_root : !has_changed(object, i))
            continue;
        if (!any) {
            any = true;
            g_string_append(writer->out, ">\n");
            indent(writer, depth + 1);
            g_string_append(writer->out, "<State");
        }
        writer->text.length = 0;
        if (is_steps)
            dv_text_add(&writer->text, "%llu", (unsigned long long)node->scene->steps);
        else
            dv_data_print(object->fields[i], &writer->text);
        add_attribute(writer, object, is_steps ? "steps" : object->fields[i]->field->name,
                      writer->text.length ? writer->text.at : "");
    }
    if (any)
        g_string_append(writer->out, "/>\n");
    return any;
}

static void add_contents(Writer *writer, const DvNode *node, unsigned depth);

static void add_object(Writer *writer, DvObject *object, unsigned depth)
{
    const DvNode *node = object->is_node ? object->self : NULL;
    if (node && node->parents->len > 1)
        writer->status =
            dv_error(object, DV_ERROR_UNSUPPORTED, "it has several parents, which a scene file cannot say");
    if (!object->initialised)
        dv_private_capture(object);
    indent(writer, depth);
    g_string_append_printf(writer->out, "<%s", object->cls->name);
    add_attributes(writer, object);
    const bool has_state = add_state(writer, object, depth);
    if (!has_state)
        g_string_append(writer->out, node ? ">\n" : "/>\n");
    if (node)
        add_contents(writer, node, depth + 1);
    if (node || has_state) {
        indent(writer, depth);
        g_string_append_printf(writer->out, "</%s>\n", object->cls->name);
    }
}

/* Objects and child nodes go out in the order in which they were made: links look back. */
static void add_contents(Writer *writer, const DvNode *node, unsigned depth)
{
    for (guint m = 0, c = 0; m < node->members->len || c < node->children->len;) {
        DvObject *member = dv_node_member(node, m);
        DvNode *child = dv_node_child(node, c);
        const bool is_next = member && (!child || member->order < dv_object_of(child)->order);
        add_object(writer, is_next ? member : dv_object_of(child), depth);
        m += is_next;
        c += !is_next;
    }
}

DvStatus dv_scene_save(DvScene *scene, const char *file)
{
    char *folder = g_path_get_dirname(file);
    Writer writer = {.out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
                     .folder = g_canonicalize_filename(folder, NULL)};
    g_free(folder);
    add_object(&writer, dv_object_of(scene->root), 0);
    GError *error = NULL;
    if (writer.status == DV_OK && writer.out->len > DV_PRIVATE_MAX_SCENE_BYTES) {
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_LIMIT, file, 0, 0,
                  "the scene has grown beyond %d MiB, more than would be read back", DV_PRIVATE_MAX_SCENE_BYTES >> 20);
        writer.status = DV_ERROR_LIMIT;
    } else if (writer.status == DV_OK && !g_file_set_contents(file, writer.out->str, (gssize)writer.out->len, &error)) {
        const char *reason = strrchr(error->message, ':'); /* before it: the name of a temporary file */
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_IO, file, 0, 0, "the scene cannot be written: %s",
                  reason ? reason + 2 : error->message);
        g_error_free(error);
        writer.status = DV_ERROR_IO;
    }
    g_string_free(writer.out, TRUE);
    dv_text_free(&writer.text);
    g_free(writer.folder);
    return writer.status;
}

/* Reading it back */

static DvStatus restore_field(DvObject *object, const Attribute *attribute)
{
    DvNode *node = object->is_node ? object->self : NULL;
    if (node && strcmp(attribute->name, "steps") == 0) {
        node->scene->steps = g_ascii_strtoull(attribute->text, NULL, 10);
        return DV_OK;
    }
    DvData *data = dv_object_field(object, attribute->name);
    if (!data || data->field->type == &dv_type_link) {
        dv_log_at(DV_LEVEL_ERROR, DV_ERROR_NOT_FOUND, object->place.file, attribute->line, attribute->column,
                  "%s '%s': State: no field '%s'", object->cls->name, dv_object_name(object), attribute->name);
        return DV_ERROR_NOT_FOUND;
    }
    if (attribute->text[0] != '@')
        return dv_data_set_text(data, attribute->text);
    if (data->type->scalar != DV_SCALAR_STRING || data->type->list)
        return dv_field_error(data, -1, "a state is a value, '%s' is a link", attribute->text);
    dv_data_set_string(data, attribute->text); /* a text that happens to begin like a link */
    return DV_OK;
}

void dv_private_restore(DvObject *object)
{
    DvStatus status = DV_OK;
    for (guint i = 0; object->restore && i < object->restore->list->len; i++) {
        const DvStatus one = restore_field(object, &g_array_index(object->restore->list, Attribute, i));
        status = status == DV_OK ? one : status;
    }
    g_clear_pointer(&object->restore, dv_private_attributes_free);
    if (status != DV_OK)
        dv_private_problem(dv_private_node_of(object)->scene, status);
}
