/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranges: which numbers make sense in a field, and what is said of one that does not.
 */
#include "words.h"

#include <math.h>
#include <string.h>

enum { MOST_MESSAGES = 3 }; /* of a field: one line says how many more there are */

const DvRange dv_range_positive = {.least = 0.0, .most = INFINITY, .above = true};
const DvRange dv_range_not_negative = {.least = 0.0, .most = INFINITY};
const DvRange dv_range_count = {.least = 1.0, .most = INFINITY};
const DvRange dv_range_share = {.least = 0.0, .most = 1.0};

void dv_range_print(const DvRange *range, DvText *out)
{
    const bool least = isfinite(range->least), most = isfinite(range->most);
    if (least && !most)
        dv_text_add(out, range->above ? "above %g" : "%g or more", range->least);
    else if (most && !least)
        dv_text_add(out, range->below ? "below %g" : "%g or less", range->most);
    else if (least && most)
        dv_text_add(out, "%s %g %s %g", range->above ? "above" : "from", range->least,
                    range->below ? (range->above ? "and below" : "to below") : (range->above ? "and up to" : "to"),
                    range->most);
    else
        dv_text_add(out, "any number");
}

bool dv_words_is_within(const DvRange *range, double number)
{
    return (range->above ? number > range->least : number >= range->least) &&
           (range->below ? number < range->most : number <= range->most);
}

static bool holds_numbers(DvScalar scalar)
{
    return scalar == DV_SCALAR_DOUBLE || scalar == DV_SCALAR_INT || scalar == DV_SCALAR_UINT;
}

/* Of a value of `count` elements. */
static DvStatus say(const DvData *data, size_t k, double number, size_t count)
{
    const DvField *field = data->field;
    const uint32_t components = data->type->components;
    DvText text = {0};
    if (components > 1)
        dv_text_add(&text, "number %zu is ", k % components + 1);
    else
        dv_text_add(&text, "is ");
    dv_text_add_double(&text, number);
    if (field->unit)
        dv_text_add(&text, " %s", field->unit);
    dv_text_add(&text, field->flags & (DV_FIELD_LENIENT | DV_FIELD_DRAWING) ? "; it should be " : "; it must be ");
    dv_range_print(field->range, &text);
    const int64_t entry = data->type->list && count > 1 ? (int64_t)(k / components) : -1;
    DvStatus status = DV_OK;
    if (field->flags & DV_FIELD_DRAWING)
        dv_field_remark(data, entry, "%s", text.at);
    else if (field->flags & DV_FIELD_LENIENT)
        dv_field_warning(data, entry, "%s", text.at);
    else
        status = dv_field_error(data, entry, "%s", text.at);
    dv_text_free(&text);
    return status;
}

/* How many numbers are outside; *status after an error. */
static size_t check(DvData *data, DvStatus *status)
{
    const DvField *field = data->field;
    if (!field->range || !dv_data_is_set(data) || !holds_numbers(data->type->scalar))
        return 0;
    size_t outside = 0;
    (void)dv_data_read(data);
    for (size_t k = 0; k < data->count * data->type->components; k++) {
        const double number = dv_core_get_scalar(data->type->scalar, data->value, k);
        if (dv_words_is_within(field->range, number) || ++outside > MOST_MESSAGES)
            continue;
        const DvStatus said = say(data, k, number, data->count);
        *status = said == DV_OK ? *status : said;
    }
    if (outside > MOST_MESSAGES)
        dv_field_warning(data, -1, "so are %zu more of its numbers", outside - MOST_MESSAGES);
    return outside;
}

/* What a list of numbers selects, by the name of its field: "triangleIndices". */
static const char *what_is_selected(const char *field)
{
    static const struct {
        const char *part, *noun;
    } nouns[] = {
        {"riangle", "triangles"}, {"uad", "quads"}, {"dge", "edges"}, {"etra", "tetrahedra"}, {"exa", "hexahedra"}};
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strstr(field, nouns[i].part))
            return nouns[i].noun;
    return "points";
}

/* A list that is linked to something empty is not the same as one that is not given, though the class takes it so. What `src` of the
 * object brings was not asked for one by one. */
static void check_selections(DvObject *object)
{
    for (size_t i = DV_PRIVATE_COMMON_FIELDS; i < object->field_count; i++) {
        DvData *const data = object->fields[i], *const source = dv_data_parent(data);
        if (!(data->field->flags & (DV_FIELD_EMPTY_IS_ALL | DV_FIELD_EMPTY_IS_DEFAULT)) || !source)
            continue;
        const DvAttribute *attribute = dv_words_attribute_of(object, data->field);
        (void)dv_data_read(source);
        if (source->count > 0 || (!attribute && dv_attributes_find(object->attributes, "src")))
            continue;
        const char *const from = dv_object_name(source->owner), *const name = source->field->name;
        if (data->field->flags & DV_FIELD_EMPTY_IS_ALL)
            dv_field_warning(
                data, -1,
                "the list is linked to '%s' of '%s', which is empty: that counts as not given, and '%s' acts on "
                "all %s",
                name, from, dv_object_name(object), what_is_selected(data->field->name));
        else
            dv_field_warning(
                data, -1,
                "the list is linked to '%s' of '%s', which is empty: that counts as not given, and the default "
                "is taken (%s)",
                name, from, data->field->help);
    }
}

/* A field that follows another is looked at once its object has read it. An attribute that several fields take by an alias is told
 * of once. */
DvStatus dv_words_check_ranges(DvObject *object, bool follows)
{
    DvStatus status = DV_OK;
    GPtrArray *told = NULL; /* attributes */
    for (size_t i = DV_PRIVATE_COMMON_FIELDS; i < object->field_count; i++) {
        DvData *data = object->fields[i];
        if (!data->field->range || (dv_data_parent(data) != NULL) != follows)
            continue;
        DvAttribute *attribute = dv_words_attribute_of(object, data->field);
        if (told && attribute && g_ptr_array_find(told, attribute, NULL))
            continue;
        if (check(data, &status) && attribute) {
            told = told ? told : g_ptr_array_new();
            g_ptr_array_add(told, attribute);
        }
    }
    if (told)
        g_ptr_array_free(told, TRUE);
    if (follows)
        check_selections(object);
    return status;
}

DvStatus dv_words_check_number(const DvData *data, size_t k, double number, size_t count)
{
    const DvField *field = data->field;
    const bool is_advice = field->flags & (DV_FIELD_LENIENT | DV_FIELD_DRAWING);
    return !field->range || is_advice || dv_words_is_within(field->range, number) ? DV_OK : say(data, k, number, count);
}

/* What was written as the k-th number: a negative one is held as its value modulo 2^32 where numbers have no sign. Scenes of earlier
 * years say -1 for "as many as you like". */
static double number_at(const DvType *type, const void *value, size_t k)
{
    const double number = dv_core_get_scalar(type->scalar, value, k);
    return type->scalar == DV_SCALAR_UINT && number > INT32_MAX ? (int32_t)((const uint32_t *)value)[k] : number;
}

DvStatus dv_words_check_value(const DvData *data, const void *value, size_t count)
{
    DvStatus status = DV_OK;
    if (!data->field->range || !holds_numbers(data->type->scalar))
        return DV_OK;
    for (size_t k = 0; status == DV_OK && k < count * data->type->components; k++)
        status = dv_words_check_number(data, k, number_at(data->type, value, k), count);
    return status;
}
