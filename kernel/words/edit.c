/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Edits of fields while a scene is loaded: all or nothing.
 *
 * Scene files are read leniently; what somebody sets now must be right as a whole. So a warning of the text refuses it, and so does a
 * component that warns and takes another value instead.
 */
#include "words.h"

#include <divan/embed.h>

#include <math.h>

/* What was said during an edit. */
typedef struct Heard {
    DvLevel worst; /* DV_LEVEL_DEBUG: nothing */
    DvText text;   /* the first of the worst, without its place in a file */
} Heard;

static void hear(const DvMessage *message, void *context)
{
    Heard *heard = context;
    if (message->level <= heard->worst)
        return;
    DvMessage without_place = *message;
    without_place.file = NULL;
    if (message->field)
        without_place.component = NULL;
    heard->worst = message->level;
    heard->text.length = 0;
    dv_message_print(&without_place, &heard->text);
}

/* Numbers outside a range that is advice are taken, with a warning. */
static void warn_of_advice(DvData *field)
{
    const DvRange *range = field->field->range;
    size_t elements = 0, components = 0;
    if (!range)
        return;
    dv_data_shape(field, &elements, &components);
    double *numbers = dv_alloc(elements * components, sizeof *numbers);
    const DvStatus status = dv_data_get_numbers(field, numbers, elements * components);
    for (size_t i = 0; status == DV_OK && i < elements * components; i++) {
        if (dv_words_is_within(range, numbers[i]))
            continue;
        DvText allowed = {0};
        dv_range_print(range, &allowed);
        dv_field_warning(field, -1, "%g: it should be %s", numbers[i], allowed.at);
        dv_text_free(&allowed);
    }
    dv_free(numbers);
}

static DvStatus set_number(DvData *field, size_t index, double value)
{
    size_t elements = 0, components = 0;
    dv_data_shape(field, &elements, &components);
    const size_t count = elements * components;
    if (index >= count)
        return dv_field_error(field, -1, "it has %zu numbers, no number %zu", count, index);
    double *numbers = dv_alloc(count, sizeof *numbers);
    DvStatus status = dv_data_get_numbers(field, numbers, count);
    numbers[index] = value;
    if (status == DV_OK)
        status = dv_data_set_numbers(field, numbers, count);
    dv_free(numbers);
    return status;
}

/* The component takes notice of what was set. */
static DvStatus take_notice(DvData *field, const Heard *heard)
{
    DvText set = {0}, taken = {0};
    dv_data_print(field, &set);
    DvStatus status = dv_object_reinit(field->owner);
    dv_data_print(field, &taken);
    if (status == DV_OK && heard->worst >= DV_LEVEL_WARNING && g_strcmp0(set.at, taken.at) != 0)
        status = DV_ERROR_INVALID;
    dv_text_free(&set);
    dv_text_free(&taken);
    return status;
}

/* Of a node: its time step, and what the nodes below take from it. */
static DvStatus check_node(DvData *field)
{
    DvNode *node = dv_object_as_node(field->owner);
    if (!node)
        return DV_OK;
    if (!(dv_node_dt(node) > 0 && isfinite(dv_node_dt(node))))
        return dv_field_error(field, -1,
                              "time does not go forward with a step of %g s; give a positive one, such as 0.01",
                              dv_node_dt(node));
    dv_node_propagate_context(node);
    return DV_OK;
}

/* `text`, or else the number `index`. */
static DvStatus try_edit(DvData *field, const char *text, size_t index, double number, const Heard *heard)
{
    if (field->field->flags & (DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT))
        return dv_field_error(field, -1, "it is computed, not set");
    if (field->field->flags & DV_FIELD_AT_LOAD)
        return dv_field_error(field, -1,
                              "it is read when the scene is loaded; change it in the file and load that again");
    DvStatus status = text ? dv_data_set_text(field, text) : set_number(field, index, number);
    if (text && status == DV_OK && heard->worst >= DV_LEVEL_WARNING)
        status = DV_ERROR_INVALID;
    if (status == DV_OK) {
        warn_of_advice(field);
        status = take_notice(field, heard);
    }
    return status == DV_OK ? check_node(field) : status;
}

static void put_back(DvData *field, DvData *parent, const char *before)
{
    const DvStatus status = parent ? dv_data_link(field, parent) : dv_data_set_text(field, before ? before : "");
    if (status != DV_OK || dv_object_reinit(field->owner) != DV_OK)
        dv_field_warning(field, -1, "the value before could not be put back");
}

/* What a scene file gets in place of a bad value is not what an edit gets: that clause goes, and the value that stays is said. */
static void add_reason(const DvText *said, const char *before, DvText *reason)
{
    static const char *const consequences[] = {"is taken",    "is used)",   "are kept",
                                               "counts as 0", "is dropped", "for each"};
    enum { LONGEST = 60 };
    size_t length = said->length;
    const char *clause = length ? strrchr(said->at, ';') : NULL;
    const char *const bracket = length ? strrchr(said->at, '(') : NULL;
    if (!clause || (bracket && bracket > clause && said->at[length - 1] == ')'))
        clause = bracket;
    for (size_t i = 0; clause && i < G_N_ELEMENTS(consequences); i++)
        if (g_str_has_suffix(clause, consequences[i]))
            length = (size_t)(clause - said->at);
    while (length && said->at[length - 1] == ' ')
        length--;
    dv_text_add(reason, "%.*s", (int)length, length ? said->at : "");
    if (!length)
        dv_text_add(reason, "it cannot be set");
    if (before && *before && strlen(before) <= LONGEST)
        dv_text_add(reason, "; it stays %s", before);
}

static DvStatus edit(DvData *field, const char *text, size_t index, double number, DvText *reason)
{
    Heard heard = {.worst = DV_LEVEL_DEBUG};
    DvText before = {0};
    DvData *parent = dv_data_parent(field);
    dv_data_print(field, &before);
    dv_core_listen(hear, &heard);
    const DvStatus status = try_edit(field, text, index, number, &heard);
    dv_core_listen(NULL, NULL);
    if (status != DV_OK)
        put_back(field, parent, before.at);
    if (status != DV_OK && reason)
        add_reason(&heard.text, field->field->flags & (DV_FIELD_READ_ONLY | DV_FIELD_OUTPUT) ? NULL : before.at,
                   reason);
    dv_text_free(&before);
    dv_text_free(&heard.text);
    return status;
}

DvStatus dv_data_edit(DvData *field, const char *text, DvText *reason)
{
    return edit(field, text ? text : "", 0, 0.0, reason);
}

DvStatus dv_data_edit_number(DvData *field, size_t index, double value, DvText *reason)
{
    return edit(field, NULL, index, value, reason);
}
