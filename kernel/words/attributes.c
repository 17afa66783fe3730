/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes: the names and texts that an object was made with, each with its place and whether anybody asked for it.
 */
#include "words.h"

#include <string.h>

enum { USUAL = 8 }; /* attributes of an object: room for so many from the beginning */

DvAttributes *dv_attributes_new(void)
{
    DvAttributes *attributes = dv_alloc(1, sizeof *attributes);
    attributes->at = dv_alloc(USUAL, sizeof *attributes->at);
    attributes->room = USUAL;
    return attributes;
}

static void clear(DvAttribute *attribute)
{
    dv_free(attribute->name);
    dv_free(attribute->text);
}

void dv_attributes_free(DvAttributes *attributes)
{
    for (size_t i = 0; attributes && i < attributes->count; i++)
        clear(&attributes->at[i]);
    if (attributes)
        dv_free(attributes->at);
    dv_free(attributes);
}

void dv_attributes_add(DvAttributes *attributes, const char *name, const char *text, int line, int column)
{
    if (attributes->count == attributes->room) {
        const size_t bytes = attributes->room * sizeof *attributes->at;
        attributes->at = dv_realloc(attributes->at, bytes, 2 * bytes);
        attributes->room *= 2;
    }
    attributes->at[attributes->count++] =
        (DvAttribute){.name = dv_strdup(name), .text = dv_strdup(text), .line = line, .column = column};
}

DvAttribute *dv_attributes_find(const DvAttributes *attributes, const char *name)
{
    for (size_t i = 0; attributes && i < attributes->count; i++)
        if (strcmp(attributes->at[i].name, name) == 0)
            return &attributes->at[i];
    return NULL;
}

DvAttribute *dv_attributes_at(const DvAttributes *attributes, size_t index)
{
    return index < attributes->count ? &attributes->at[index] : NULL;
}

void dv_attributes_drop(DvAttributes *attributes, const char *name)
{
    DvAttribute *attribute = dv_attributes_find(attributes, name);
    if (!attribute)
        return;
    clear(attribute);
    const size_t after = (size_t)(&attributes->at[--attributes->count] - attribute);
    memmove(attribute, attribute + 1, after * sizeof *attribute);
}

void dv_attributes_set(DvAttributes *attributes, const char *name, const char *text, int line, int column)
{
    dv_attributes_drop(attributes, name);
    dv_attributes_add(attributes, name, text, line, column);
}

static int compare_names(const void *a, const void *b, void *context)
{
    (void)context;
    return strcmp(((const DvAttribute *)a)->name, ((const DvAttribute *)b)->name);
}

void dv_attributes_sort(DvAttributes *attributes)
{
    g_qsort_with_data(attributes->at, (gint)attributes->count, sizeof *attributes->at, compare_names, NULL);
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
