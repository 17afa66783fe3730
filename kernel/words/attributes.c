/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes: the names and texts that an object was made with, each with its place and whether anybody asked for it.
 */
#include "words.h"

#include <inttypes.h>
#include <string.h>

#include <divan/math/decimal.h>

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

/* Where the attribute is written, when that is known. */
static void say_no_number(const DvObject *object, const DvAttribute *attribute, const char *format, ...)
    DV_PRINTF(3, 4);
static void say_no_number(const DvObject *object, const DvAttribute *attribute, const char *format, ...)
{
    DvMessage message = {.level = DV_LEVEL_WARNING,
                         .file = object->place.file,
                         .line = attribute->line > 0 ? attribute->line : object->place.line,
                         .component = object->cls->name,
                         .name = dv_object_name(object),
                         .path = dv_object_path(object)};
    va_list args;
    va_start(args, format);
    dv_core_emit(&message, dv_private_scene_of(object), format, args);
    va_end(args);
}

bool dv_attribute_number(const DvObject *object, const char *name, double *value)
{
    const char *const text = dv_attribute(object->attributes, name);
    const char *end = text;
    double number;
    if (text && dv_read_double(&end, &number) && !*dv_skip_blanks(end, NULL))
        *value = number;
    else if (text)
        say_no_number(object, dv_attributes_find(object->attributes, name),
                      "attribute '%s' must be one number, not \"%.40s\"; %g is used", name, text, *value);
    return text != NULL;
}

bool dv_attribute_integer(const DvObject *object, const char *name, int32_t *value)
{
    const char *const text = dv_attribute(object->attributes, name);
    const char *end = text;
    int32_t number;
    if (text && dv_read_int(&end, &number) && !*dv_skip_blanks(end, NULL))
        *value = number;
    else if (text)
        say_no_number(object, dv_attributes_find(object->attributes, name),
                      "attribute '%s' must be one integer, not \"%.40s\"; %" PRId32 " is used", name, text, *value);
    return text != NULL;
}

DvAttribute *dv_words_attribute_of(const DvObject *object, const DvField *field)
{
    DvAttribute *attribute = dv_attributes_find(object->attributes, field->name);
    for (const char *const *alias = field->aliases; alias && *alias && !attribute; alias++)
        attribute = dv_attributes_find(object->attributes, *alias);
    return attribute;
}
