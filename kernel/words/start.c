/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state at the start of a run, which a reset goes back to: of each object the fields that are state by declaration, those that moments,
 * checkpoints and saved scenes remember. So a class that declares what it remembers needs no reset of its own for that.
 *
 * A reset of the class comes afterwards, and has the last word: what follows from fields that a user has edited since is not what it was. What has
 * another number of elements by now, since a mesh was cut, is left to it; and so is what is built beside the run, such as a matrix
 * (DV_FIELD_NOT_RESET). Values are shared until they are written, so a start costs the first step one copy.
 */
#include "words.h"

typedef struct First {
    struct First *next;
    DvData *data;
    const DvType *type;
    const void *value; /* a reference */
    size_t count;
} First;

void dv_words_forget_first(DvObject *object)
{
    for (First *first = object->first, *next; first; first = next) {
        next = first->next;
        dv_core_value_unref(first->type, first->value);
        dv_free(first);
    }
    object->first = NULL;
}

void dv_words_hand_first_on(DvObject *object, DvObject *to)
{
    dv_words_forget_first(to);
    for (const First *first = object->first; first; first = first->next)
        for (size_t i = 0; i < to->class_field_count; i++) {
            DvData *data = to->fields[i];
            if (data->field != first->data->field || data->type != first->type)
                continue;
            First *copy = dv_alloc(1, sizeof *copy);
            *copy = (First){to->first, data, data->type, dv_core_value_ref(first->value), first->count};
            to->first = copy;
        }
}

void dv_words_keep_first(DvObject *object)
{
    dv_words_forget_first(object);
    if (!object->initialised || !dv_object_is_valid(object))
        return;
    for (size_t i = 0; i < object->class_field_count; i++) {
        DvData *data = object->fields[i];
        if (!dv_words_is_state(object, data) || data->field->flags & DV_FIELD_NOT_RESET ||
            data->type->scalar == DV_SCALAR_OPAQUE)
            continue;
        (void)dv_data_update(data);
        First *first = dv_alloc(1, sizeof *first);
        *first = (First){object->first, data, data->type, dv_core_value_ref(data->value), data->count};
        object->first = first;
    }
}

static bool has_value(const First *first)
{
    const DvData *data = first->data;
    if (data->value == first->value)
        return true;
    if (data->type->scalar != DV_SCALAR_STRING)
        return memcmp(data->value, first->value, data->count * data->type->element_size) == 0;
    for (size_t i = 0; i < data->count; i++)
        if (strcmp(((char *const *)data->value)[i], ((char *const *)first->value)[i]) != 0)
            return false;
    return true;
}

void dv_words_put_first_back(DvObject *object)
{
    bool changed = false;
    if (!dv_object_is_valid(object))
        return;
    for (const First *first = object->first; first; first = first->next) {
        (void)dv_data_update(first->data);
        if (first->data->count != first->count || first->data->type != first->type || first->count == 0 ||
            has_value(first))
            continue;
        dv_data_set(first->data, first->value, first->count);
        changed = true;
    }
    if (changed && object->cls->restore && object->cls->restore(object, object->self) != DV_OK)
        dv_object_set_state(object, DV_COMPONENT_INVALID);
}
