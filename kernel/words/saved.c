/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a saved scene says of its objects, so that loading it continues the run bit for bit.
 *
 * It says two things of each. Attributes are what the object was made from: the text that the scene gave, and what code set
 * before the initialisation. Loading therefore makes and initialises the same scene once more. The state is every field
 * that changed since, and those that are state by declaration; it is put back after the initialisation, and `restore` of the
 * class rebuilds what hangs on it. Numbers read back to the same bits.
 *
 * What was linked stays linked: a field that follows another is said by its link.
 */
#include "words.h"

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
        dv_core_value_unref(snapshot->type, snapshot->value);
    g_free(snapshot->link);
    g_free(snapshot);
}

void dv_words_forget(DvObject *object)
{
    dv_attributes_free(object->attributes);
    dv_attributes_free(object->restore);
    g_clear_pointer(&object->initial, g_ptr_array_unref);
    dv_words_forget_first(object);
}

static bool was_written_since_stamp(const DvObject *object, size_t index)
{
    return index >= object->stamp_count || object->fields[index]->version != object->stamps[index];
}

/* Fields that are never part of a file: they follow from others. */
static bool is_never_saved(const DvObject *object, const DvData *data)
{
    return data == &object->name || data == &object->bbox || data == &object->component_state ||
           (data->field->flags & DV_FIELD_OUTPUT) != 0;
}

void dv_words_capture(DvObject *object)
{
    if (object->initial)
        return;
    object->initial = g_ptr_array_new_with_free_func(snapshot_free);
    const bool sourced = dv_attributes_find(object->attributes, "src") != NULL;
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *data = object->fields[i];
        if (!was_written_since_stamp(object, i) || is_never_saved(object, data) || !dv_data_is_set(data))
            continue;
        const DvData *parent = dv_data_parent(data);
        const DvAttribute *attribute = dv_words_attribute_of(object, data->field);
        if (parent && (sourced || (attribute && attribute->text[0] == '@')))
            continue; /* read since; the attribute says where from */
        Snapshot *snapshot = g_new0(Snapshot, 1);
        snapshot->field = i;
        if (parent) {
            snapshot->link = dv_words_data_path(parent);
        } else {
            snapshot->type = data->type;
            snapshot->value = dv_core_value_ref(data->value);
            snapshot->count = data->count;
        }
        g_ptr_array_add(object->initial, snapshot);
    }
}

/* Saving */

/* A file name that leads to the same file from `folder`. */
static char *file_from(const DvObject *object, const char *folder, const char *text)
{
    char *now = dv_find_file(text, object->node ? object->node->folder : NULL);
    char *then = now ? dv_find_file(text, folder) : NULL;
    char *a = now ? g_canonicalize_filename(now, NULL) : NULL, *b = then ? g_canonicalize_filename(then, NULL) : NULL;
    char *name = g_strdup(a && g_strcmp0(a, b) != 0 ? a : text);
    g_free(a);
    g_free(b);
    dv_free(now);
    dv_free(then);
    return name;
}

static void say_file(const DvObject *object, const char *folder, const char *name, const char *text, DvSavedText say,
                     void *context)
{
    char *file = file_from(object, folder, text);
    say(context, name, file);
    g_free(file);
}

/* Each name of a list as a value of a field of this type, which has the texts of its own elements in `text`. */
static void say_files(const DvObject *object, const char *folder, const DvData *data, const char *text, DvSavedText say,
                      void *context)
{
    DvText problem = {0}, all = {0};
    size_t count = 0;
    void *elements = NULL;
    const bool good = dv_words_parse(data->field, data->type, text, &elements, &count, &problem) == DV_OK;
    char **names = elements;
    for (size_t i = 0; good && i < count; i++) {
        char *file = file_from(object, folder, names[i]);
        dv_free(names[i]);
        names[i] = dv_strdup(file);
        g_free(file);
    }
    if (good)
        dv_words_print(data->type, elements, count, &all);
    say(context, data->field->name, good && all.at ? all.at : text);
    dv_core_elements_free(data->type, elements, count);
    dv_text_free(&problem);
    dv_text_free(&all);
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

/* A link without the paths to what is not saved. */
static void say_link(const DvLink *link, const char *name, const char *text, DvSavedText say, void *context)
{
    DvText kept = {0};
    char **paths = g_strsplit_set(text, " \t\n\r\v\f", -1);
    size_t count = 0;
    for (char **path = paths; *path; path++) {
        if (!**path)
            continue;
        const DvObject *target = count < link->count ? link->objects[count] : NULL;
        count++;
        if (!target || !dv_object_is_transient(target))
            dv_text_add(&kept, "%s%s", kept.length ? " " : "", *path);
    }
    if (kept.length)
        say(context, name, kept.at);
    g_strfreev(paths);
    dv_text_free(&kept);
}

/* The text of a field, or of what is none (NULL). */
static void say_text(const DvObject *object, const char *folder, const DvData *data, const char *name, const char *text,
                     DvSavedText say, void *context)
{
    if (data && data->field->type == &dv_type_link)
        say_link((const DvLink *)(const void *)data, name, text, say, context);
    else if (data && data->field->type == &dv_type_file && text[0] != '@')
        say_file(object, folder, name, text, say, context);
    else if (data && dv_words_names_files(data->field) && text[0] != '@')
        say_files(object, folder, data, text, say, context);
    else
        say(context, name, text);
}

static bool follows_transient(const DvData *data)
{
    const DvData *parent = data ? dv_data_parent(data) : NULL;
    return parent && dv_object_is_transient(parent->owner);
}

/* A value where a link to a field would be, since that field is not saved. */
static void say_value(DvData *data, DvSavedText say, void *context)
{
    DvText text = {0};
    dv_data_print(data, &text);
    say(context, data->field->name, text.length ? text.at : "");
    dv_text_free(&text);
}

/* An attribute as it was given, unless it means nothing or is said in another way. */
static bool is_said(const DvObject *object, const DvAttribute *attribute, const DvData *data)
{
    return attribute->used && strcmp(attribute->name, "name") != 0 && strcmp(attribute->name, "type") != 0 &&
           !(*object->variant && strcmp(attribute->name, "template") == 0) && !(object->is_node && !data) &&
           !(data && snapshot_of(object, data));
}

void dv_saved_attributes(DvObject *object, const char *folder, DvSavedText say, void *context)
{
    if (!object->initialised)
        dv_words_capture(object);
    if (*dv_object_name(object) || !object->is_node)
        say(context, "name", dv_object_name(object));
    if (*object->variant)
        say(context, "template", dv_words_template(object));
    for (size_t i = 0; object->attributes && i < object->attributes->count; i++) {
        const DvAttribute *attribute = dv_attributes_at(object->attributes, i);
        DvData *data = dv_object_field(object, attribute->name);
        if (!is_said(object, attribute, data))
            continue;
        if (attribute->text[0] == '@' && data && data->field->type != &dv_type_link && follows_transient(data))
            say_value(data, say, context);
        else
            say_text(object, folder, data, attribute->name, attribute->text, say, context);
    }
    for (guint i = 0; object->initial && i < object->initial->len; i++) {
        const Snapshot *snapshot = g_ptr_array_index(object->initial, i);
        DvData *data = object->fields[snapshot->field];
        DvText text = {0};
        if (snapshot->value)
            dv_words_print(snapshot->type, snapshot->value, snapshot->count, &text);
        if (!snapshot->link)
            say_text(object, folder, data, data->field->name, text.length ? text.at : "", say, context);
        else if (follows_transient(data))
            say_value(data, say, context);
        else
            say(context, data->field->name, snapshot->link);
        dv_text_free(&text);
    }
}

/* A linked field that still has the value of what it follows. */
static bool follows(DvData *data)
{
    DvData *parent = dv_data_parent(data);
    return parent && (data->flags & DV_DATA_DIRTY || dv_data_equal(data, parent));
}

bool dv_words_may_change(const DvObject *object, const DvData *data)
{
    return !is_never_saved(object, data) && data->field->type != &dv_type_link;
}

bool dv_words_is_state(const DvObject *object, const DvData *data)
{
    return (data->field->flags & DV_FIELD_STATE) != 0 && dv_words_may_change(object, data);
}

bool dv_words_has_changed(const DvObject *object, size_t index)
{
    DvData *data = object->fields[index];
    if (!dv_words_may_change(object, data))
        return false;
    if (dv_words_is_state(object, data))
        return true;
    return object->initialised && was_written_since_stamp(object, index) && !follows(data);
}

void dv_saved_state(DvObject *object, DvSavedText say, void *context)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (dv_words_has_changed(object, i))
            say_value(object->fields[i], say, context);
    const DvNode *node = object->is_node ? object->self : NULL;
    if (node && !node->parents.len && node->scene->steps > 0) {
        DvText text = {0};
        dv_text_add(&text, "%llu", (unsigned long long)node->scene->steps);
        say(context, "steps", text.at);
        dv_text_free(&text);
    }
}

/* Links look back, so the order of making is also the one to be made in again. */
DvObject *dv_saved_content(const DvNode *node, size_t *member, size_t *child)
{
    DvObject *object;
    DvNode *below;
    while ((object = dv_node_member(node, *member)) && object->transient)
        ++*member;
    while ((below = dv_node_child(node, *child)) && dv_object_of(below)->transient)
        ++*child;
    const bool is_member = object && (!below || object->order < dv_object_of(below)->order);
    ++*(is_member ? member : child);
    return is_member ? object : below ? dv_object_of(below) : NULL;
}

/* Reading it back */

/* All of it or none: half a state is no state that a run has been in. */
static DvStatus restore_value(DvData *data, const char *text)
{
    DvText problem = {0};
    size_t count = data->count;
    void *elements = dv_core_elements_copy(data->type, data->value, count, count);
    DvStatus status = dv_words_parse(data->field, data->type, text, &elements, &count, &problem);
    dv_core_data_take(data, elements, count);
    if (status != DV_OK || problem.length)
        status = dv_field_error(data, -1, "the saved state is not whole: %s",
                                problem.length ? problem.at : "the text cannot be read");
    dv_text_free(&problem);
    return status;
}

static DvStatus restore_field(DvObject *object, const DvAttribute *attribute)
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
        return restore_value(data, attribute->text);
    if (data->type->scalar != DV_SCALAR_STRING || data->type->list)
        return dv_field_error(data, -1, "a state is a value, '%s' is a link", attribute->text);
    dv_data_set_string(data, attribute->text); /* a text that happens to begin like a link */
    return DV_OK;
}

void dv_build_state(DvObject *object, const char *field, const char *text, int line, int column)
{
    if (!object->restore)
        object->restore = dv_attributes_new();
    dv_attributes_add(object->restore, field, text, line, column);
    dv_private_node_of(object)->scene->restored = true;
}

void dv_words_restore(DvObject *object)
{
    DvStatus status = DV_OK;
    for (size_t i = 0; object->restore && i < object->restore->count; i++) {
        const DvStatus one = restore_field(object, &object->restore->at[i]);
        status = status == DV_OK ? one : status;
    }
    g_clear_pointer(&object->restore, dv_attributes_free);
    if (status != DV_OK)
        dv_core_problem(dv_private_node_of(object)->scene, status);
}
