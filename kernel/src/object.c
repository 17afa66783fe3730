/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects: one block of memory each, [header | the component's struct], made from the table of its class.
 *
 * Both parts start at a cache line, so an object and its struct lead to each other by a constant offset. A reference count
 * keeps the block: the graph holds one reference, whoever must outlive an edit of the graph takes another.
 */
#include "internal.h"

#include <divan/given.h>

#include <string.h>

#define HEADER_SIZE ((sizeof(DvObject) + 63) / 64 * 64)

static const char *const states[] = {"Undefined", "Loading", "Valid", "Dirty", "Busy", "Invalid", NULL};

/* Offsets are those in DvObject. */
static const DvField common_fields[] = {
    DV_FIELD(DvObject, name, "name", dv_type_string, .help = "name of the object, by which paths find it"),
    DV_FIELD(DvObject, print_log, "printLog", dv_type_bool, .init = "0", .help = "show the messages of level info"),
    DV_FIELD(DvObject, tags, "tags", dv_type_tags, .help = "words by which solvers choose the objects they act on"),
    DV_FIELD(DvObject, bbox, "bbox", dv_type_box, .unit = "m",
             .init = "1.7976931348623157e308 1.7976931348623157e308 1.7976931348623157e308 "
                     "-1.7976931348623157e308 -1.7976931348623157e308 -1.7976931348623157e308",
             .help = "bounding box: smallest, then largest corner; empty when the first is larger"),
    DV_FIELD(DvObject, component_state, "componentState", dv_type_choice, .choices = states, .init = "Undefined",
             .flags = DV_FIELD_READ_ONLY, .help = "whether the object can be used"),
    DV_FIELD(DvObject, listening, "listening", dv_type_bool, .init = "0",
             .help = "whether events are told to the object"),
    {0},
};

_Static_assert(G_N_ELEMENTS(common_fields) == DV_PRIVATE_COMMON_FIELDS + 1, "and the end");

const DvField *dv_common_fields(void)
{
    return common_fields;
}

DvObject *dv_object_of(const void *self)
{
    return (DvObject *)((char *)(uintptr_t)self - HEADER_SIZE);
}

void *dv_object_self(const DvObject *object)
{
    return object->self;
}

/* Making */

static size_t held_from(const DvClass *cls)
{
    return (cls->instance_size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/* Where a class's next field is; fields that the kernel holds lie behind the component's struct, one after the other. */
static DvData *place_of(DvObject *object, const DvField *field, size_t *held)
{
    if (field->offset != DV_HELD)
        return (DvData *)((char *)object->self + field->offset);
    return &((DvLink *)((char *)object->self + held_from(object->cls)))[(*held)++].data;
}

DvObject *dv_core_object_new(const Words *words, const DvClass *cls, const char *variant)
{
    size_t own = 0, held = 0;
    for (; cls->fields && cls->fields[own].name; own++)
        held += cls->fields[own].offset == DV_HELD;
    DvObject *object = dv_alloc(1, HEADER_SIZE + held_from(cls) + held * sizeof(DvLink));
    object->cls = cls;
    object->words = words;
    object->self = (char *)object + HEADER_SIZE;
    object->variant = g_intern_string(variant);
    object->references = 1;
    object->is_node = cls == &dv_node_class;

    object->class_field_count = DV_PRIVATE_COMMON_FIELDS + own;
    object->fields = dv_alloc(object->class_field_count, sizeof(DvData *));
    held = 0;
    for (size_t i = 0; i < object->class_field_count; i++) {
        const bool common = i < DV_PRIVATE_COMMON_FIELDS;
        const DvField *field = common ? &common_fields[i] : &cls->fields[i - DV_PRIVATE_COMMON_FIELDS];
        DvData *data = common ? (DvData *)((char *)object + field->offset) : place_of(object, field, &held);
        dv_private_data_construct(data, field, dv_private_type_for(field->type, object->variant), object);
        object->fields[i] = data;
        object->field_count = i + 1;
    }
    return object;
}

/* What an engine computes depends on what it reads. The table was checked: inputs and outputs are different fields. */
static void connect_engine(DvObject *object, DvData *data)
{
    const uint32_t role = data->field->flags & (DV_FIELD_INPUT | DV_FIELD_OUTPUT);
    if (!object->cls->update || !role)
        return;
    for (size_t i = 0; i < object->field_count; i++) {
        DvData *other = object->fields[i];
        if (role & DV_FIELD_OUTPUT && other->field->flags & DV_FIELD_INPUT)
            (void)dv_data_depend(data, other);
        else if (role & DV_FIELD_INPUT && other->field->flags & DV_FIELD_OUTPUT)
            (void)dv_data_depend(other, data);
    }
}

DvStatus dv_core_object_construct(DvObject *object)
{
    if (object->cls->update)
        for (size_t i = DV_PRIVATE_COMMON_FIELDS; i < object->class_field_count; i++)
            if (object->fields[i]->field->flags & DV_FIELD_OUTPUT)
                connect_engine(object, object->fields[i]);
    return object->cls->construct ? object->cls->construct(object, object->self) : DV_OK;
}

/* The init, after which the fields that it has written itself are told from those that it was given. */
static DvStatus init(DvObject *object)
{
    const size_t count = object->field_count;
    uint64_t *versions = dv_alloc(count, sizeof *versions);
    for (size_t i = 0; i < count; i++)
        versions[i] = dv_data_is_given(object->fields[i]) ? UINT64_MAX : object->fields[i]->version;
    const DvStatus status = object->cls->init(object, object->self);
    for (size_t i = 0; i < count; i++)
        if (versions[i] != UINT64_MAX && versions[i] != object->fields[i]->version)
            dv_data_set_derived(object->fields[i]);
    dv_free(versions);
    return status;
}

DvStatus dv_private_object_init(DvObject *object)
{
    object->initialised = object->initialising = true;
    object->bwd_initialised = false;
    DvStatus status = object->words->check_required(object);
    if (status == DV_OK)
        status = object->words->check_ranges(object, false);
    if (status == DV_OK && object->cls->init)
        status = init(object);
    const DvScene *scene = dv_private_scene_of(object);
    if (status == DV_OK && (!scene || scene->first_error == DV_OK)) /* else what it follows may be what is wrong */
        status = object->words->check_ranges(object, true);
    object->initialising = false;
    if (status != DV_OK)
        dv_core_object_fail(object);
    else if (dv_object_state(object) <= DV_COMPONENT_LOADING)
        dv_object_set_state(object, DV_COMPONENT_VALID);
    if (object->node) /* what it says of itself may be another thing now than when somebody compiled the graph */
        dv_private_node_changed(object->node);
    return status;
}

/* Fields */

DvData *dv_object_field(const DvObject *object, const char *name)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (dv_private_field_is_named(object->fields[i]->field, name))
            return object->fields[i];
    const DvRename *rename = dv_rename_of_field(object->cls, name);
    return rename && rename->kind == DV_RENAME_FIELD && strcmp(rename->to, name) != 0
               ? dv_object_field(object, rename->to)
               : NULL;
}

size_t dv_object_field_count(const DvObject *object)
{
    return object->field_count;
}

DvData *dv_object_field_at(const DvObject *object, size_t index)
{
    return index < object->field_count ? object->fields[index] : NULL;
}

typedef struct AddedField {
    DvLink link; /* a DvData is enough unless it is a link */
    DvField field;
} AddedField;

static void free_added(AddedField *added)
{
    const char *const texts[] = {added->field.name, added->field.help,  added->field.init,
                                 added->field.unit, added->field.group, added->field.target};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        dv_free((void *)(uintptr_t)texts[i]);
    dv_free(added);
}

DvData *dv_object_add_field(DvObject *object, const DvField *field)
{
    for (size_t i = 0; i < object->field_count; i++) {
        if (dv_private_field_is_named(object->fields[i]->field, field->name)) {
            dv_error(object, DV_ERROR_INVALID, "has a field '%s' already", field->name);
            return NULL;
        }
    }
    AddedField *added = dv_alloc(1, sizeof *added);
    added->field = *field;
    added->field.name = dv_strdup(field->name);
    added->field.help = dv_strdup(field->help);
    added->field.init = dv_strdup(field->init);
    added->field.unit = dv_strdup(field->unit);
    added->field.group = dv_strdup(field->group);
    added->field.target = dv_strdup(field->target);
    added->field.offset = 0;
    DvData *data = &added->link.data;
    dv_private_data_construct(data, &added->field, dv_private_type_for(field->type, object->variant), object);
    object->fields = dv_realloc(object->fields, object->field_count * sizeof(DvData *),
                                (object->field_count + 1) * sizeof(DvData *));
    object->fields[object->field_count++] = data;
    connect_engine(object, data);
    DvScene *scene = dv_private_scene_of(object);
    if (scene)
        scene->words->field_added(object, data);
    return data;
}

/* What it is */

const DvClass *dv_object_class(const DvObject *object)
{
    return object->cls;
}

const char *dv_object_name(const DvObject *object)
{
    return *(char *const *)object->name.value;
}

const char *dv_object_variant(const DvObject *object)
{
    return object->variant;
}

DvNode *dv_object_node(const DvObject *object)
{
    return object->node;
}

const char *dv_object_file(const DvObject *object, int *line, int *column)
{
    if (line)
        *line = object->place.line;
    if (column)
        *column = object->place.column;
    return object->place.file;
}

DvComponentState dv_object_state(const DvObject *object)
{
    DvObject *cached = (DvObject *)(uintptr_t)object;
    if (dv_data_version(&cached->component_state) != cached->state_version) {
        cached->state = (DvComponentState)MAX(dv_data_choice(&cached->component_state), 0);
        cached->state_version = cached->component_state.version;
    }
    return cached->state;
}

/* Shares the value of the default table's kind, so that a change within a step allocates nothing. */
void dv_object_set_state(DvObject *object, DvComponentState state)
{
    if (dv_object_state(object) == state)
        return;
    dv_private_data_set_interned(&object->component_state, states[state]);
    object->state = state;
    object->state_version = object->component_state.version;
}

void dv_core_stamp(DvObject *object)
{
    if (object->stamp_count < object->field_count)
        object->stamps = dv_realloc(object->stamps, 0, object->field_count * sizeof *object->stamps);
    object->stamp_count = object->field_count;
    for (size_t i = 0; i < object->field_count; i++)
        object->stamps[i] = object->fields[i]->version;
}

const void *dv_core_object_offer(const DvObject *object, const char *contract)
{
    for (const DvContract *offer = object->cls->contracts; offer && offer->id; offer++)
        if (offer->id == contract || strcmp(offer->id, contract) == 0)
            return offer->ops;
    return NULL;
}

const void *dv_object_ops(const DvObject *object, const char *contract)
{
    return dv_private_is_usable(object) ? dv_core_object_offer(object, contract) : NULL;
}

bool dv_object_is_a(const DvObject *object, const char *class_name)
{
    return dv_private_class_is_a(object->cls, class_name);
}

/* Paths. The root is "/"; below it a node's path is its parent's (nothing for the root) and '/' and its name; an object's the same,
 * but directly after a node path that is "/". A cached path implies cached paths of all nodes above. */

/* Fills no cache: messages may come from several threads at once. */
char *dv_private_object_path(const DvObject *object)
{
    if (object->path)
        return dv_strdup(object->path);
    const DvNode *above = object->node;
    if (!above)
        return dv_strdup(object->is_node ? "/" : dv_object_name(object));
    char *path = dv_private_object_path(dv_object_of(above));
    const bool is_root = strcmp(path, "/") == 0 && (!object->is_node || !dv_object_of(above)->node);
    DvText whole = {0};
    dv_text_add(&whole, "%s/%s", is_root ? "" : path, dv_object_name(object));
    dv_free(path);
    return whole.at;
}

const char *dv_object_path(const DvObject *object)
{
    DvObject *cached = (DvObject *)(uintptr_t)object;
    if (cached->path)
        return cached->path;
    if (object->node)
        (void)dv_object_path(dv_object_of(object->node));
    return cached->path = dv_private_object_path(object);
}

void dv_private_object_forget_path(DvObject *object)
{
    if (!object->path)
        return;
    dv_free(object->path);
    object->path = NULL;
    if (!object->is_node)
        return;
    const DvNode *node = object->self;
    for (guint i = 0; i < node->members.len; i++)
        dv_private_object_forget_path(dv_private_at(&node->members, i));
    for (guint i = 0; i < node->children.len; i++)
        dv_private_object_forget_path(dv_object_of(dv_private_at(&node->children, i)));
}

void dv_object_set_transient(DvObject *object, bool transient)
{
    object->transient = transient;
}

bool dv_object_is_transient(const DvObject *object)
{
    while (object && !object->transient)
        object = object->node ? dv_object_of(object->node) : NULL;
    return object != NULL;
}

/* Leaving */

DvObject *dv_object_ref(DvObject *object)
{
    dv_private_check_thread(dv_private_scene_of(object), "dv_object_ref");
    object->references++;
    return object;
}

/* Nothing outside follows it or leads to it any more. */
static void end_life(DvObject *object)
{
    if (object->cls->cleanup && !object->failed)
        object->cls->cleanup(object, object->self);
    dv_private_needs_forget(object);
    dv_private_links_forget(object);
    for (size_t i = 0; i < object->field_count; i++)
        dv_private_data_unlink(object->fields[i]);
}

static void destroy(DvObject *object)
{
    if (object->detached_from)
        end_life(object);
    if (object->cls->destroy)
        object->cls->destroy(object, object->self);
    dv_private_needs_forget(object);
    dv_private_links_forget(object);
    for (size_t i = object->field_count; i-- > 0;) {
        DvData *data = object->fields[i];
        if (data->type == &dv_type_link)
            dv_private_link_destroy((DvLink *)data);
        else
            dv_private_data_destroy(data);
        if (i >= object->class_field_count)
            free_added((AddedField *)data);
    }
    dv_free(object->fields);
    dv_private_list_free(&object->users);
    object->words->forget(object);
    dv_free(object->stamps);
    dv_free(object->path);
    dv_free(object);
}

void dv_object_unref(DvObject *object)
{
    dv_private_check_thread(dv_private_scene_of(object), "dv_object_unref");
    if (--object->references == 0)
        destroy(object);
}

/* Graphs are taken down from the end. */
static void take_out(DvObject *object)
{
    DvNode *node = object->node;
    dv_private_list_remove(&node->members, object);
    dv_private_object_forget_path(object);
    object->removed = true;
    object->node = NULL;
    dv_private_node_changed(node);
}

void dv_object_remove(DvObject *object)
{
    if (object->is_node) {
        dv_node_remove(object->self);
        return;
    }
    DvNode *node = object->node;
    if (!node || !dv_core_may_change(node->scene, "dv_object_remove"))
        return;
    dv_private_schedule_object_gone(node->scene, object);
    dv_private_users_lose(object);
    end_life(object);
    take_out(object);
    dv_private_release_later(node->scene, object);
}

DvStatus dv_object_detach(DvObject *object)
{
    if (object->is_node)
        return dv_error(object, DV_ERROR_INVALID,
                        "is a node, which is not detached as an object is; use dv_node_set_active");
    if (!object->node)
        return dv_error(object, DV_ERROR_INVALID, "cannot be detached: it is in no node");
    if (!dv_core_may_change(object->node->scene, "dv_object_detach"))
        return DV_ERROR_BUSY;
    object->detached_from = object->node->scene;
    dv_private_schedule_object_gone(object->node->scene, object);
    take_out(object);
    return DV_OK;
}

DvStatus dv_object_attach(DvObject *object, DvNode *node)
{
    if (object->node)
        return dv_error(object, DV_ERROR_INVALID, "cannot be attached to '%s': it is in '%s'; detach it first",
                        dv_node_path(node), dv_node_path(object->node));
    if (!dv_core_may_change(node->scene, "dv_object_attach"))
        return DV_ERROR_BUSY;
    if (object->detached_from != node->scene)
        return dv_error(object, DV_ERROR_INVALID, "cannot be attached to '%s', which is in another scene",
                        dv_node_path(node));
    object->detached_from = NULL;
    dv_core_node_insert_member(node, object, SIZE_MAX);
    return DV_OK;
}
