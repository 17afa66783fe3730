/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes: the names and texts that an object was made with, each with its place and whether anybody asked for it.
 */
#include "words.h"

#include <string.h>

enum { USUAL = 8 }; /* attributes of an object: room for so many from the beginning */

static void clear_attribute(void *pointer)
{
    DvAttribute *attribute = pointer;
    dv_free(attribute->name);
    dv_free(attribute->text);
}

DvAttributes *dv_attributes_new(void)
{
    DvAttributes *attributes = g_new0(DvAttributes, 1);
    attributes->list = g_array_sized_new(FALSE, TRUE, sizeof(DvAttribute), USUAL);
    g_array_set_clear_func(attributes->list, clear_attribute);
    return attributes;
}

void dv_attributes_free(DvAttributes *attributes)
{
    if (attributes)
        g_array_free(attributes->list, TRUE);
    g_free(attributes);
}

void dv_attributes_add(DvAttributes *attributes, const char *name, const char *text, int line, int column)
{
    const DvAttribute attribute = {.name = dv_strdup(name), .text = dv_strdup(text), .line = line, .column = column};
    g_array_append_val(attributes->list, attribute);
}

DvAttribute *dv_attributes_find(const DvAttributes *attributes, const char *name)
{
    for (guint i = 0; attributes && i < attributes->list->len; i++) {
        DvAttribute *attribute = &g_array_index(attributes->list, DvAttribute, i);
        if (strcmp(attribute->name, name) == 0)
            return attribute;
    }
    return NULL;
}

DvAttribute *dv_attributes_at(const DvAttributes *attributes, size_t index)
{
    return index < attributes->list->len ? &g_array_index(attributes->list, DvAttribute, index) : NULL;
}

void dv_attributes_drop(DvAttributes *attributes, const char *name)
{
    DvAttribute *attribute = dv_attributes_find(attributes, name);
    if (attribute)
        g_array_remove_index(attributes->list, (guint)(attribute - (DvAttribute *)(void *)attributes->list->data));
}

void dv_attributes_set(DvAttributes *attributes, const char *name, const char *text, int line, int column)
{
    dv_attributes_drop(attributes, name);
    dv_attributes_add(attributes, name, text, line, column);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const DvAttribute *)a)->name, ((const DvAttribute *)b)->name);
}

void dv_attributes_sort(DvAttributes *attributes)
{
    g_array_sort(attributes->list, compare_names);
}

const char *dv_attribute(const DvAttributes *attributes, const char *name)
{
    DvAttribute *attribute = dv_attributes_find(attributes, name);
    if (!attribute)
        return NULL;
    attribute->used = true;
    return attribute->text;
}

DvAttribute *dv_words_attribute_of(const DvObject *object, const DvField *field)
{
    DvAttribute *attribute = dv_attributes_find(object->attributes, field->name);
    for (const char *const *alias = field->aliases; alias && *alias && !attribute; alias++)
        attribute = dv_attributes_find(object->attributes, *alias);
    return attribute;
}
