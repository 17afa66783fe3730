/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values from text and as text. A text that begins with '@' makes a field follow another one.
 */
#include "words.h"

#include <string.h>

#include <divan/memory.h>

static DvStatus link_by_text(DvData *data, const char *text)
{
    DvText problem = {0};
    DvObject *owner = data->owner;
    const DvNode *node = dv_private_node_of(owner);
    DvData *parent = node ? dv_words_resolve_field(node, owner, text, &problem) : NULL;
    DvStatus status = DV_ERROR_NOT_FOUND;
    if (parent) {
        status = dv_data_link(data, parent);
    } else {
        dv_field_warning(
            data, -1, "the default is kept, since '%s' leads to no field of an object written earlier in the scene%s%s",
            text, problem.length ? ": " : "", problem.length ? problem.at : "");
        data->flags |= DV_DATA_SET;
    }
    dv_text_free(&problem);
    return status;
}

/* After a text that could not be read, or not whole: the value there is now, unless it is long. */
static void say_what_is_used(DvData *data, DvText *out)
{
    enum { LONGEST = 60 };
    DvText value = {0};
    dv_data_print(data, &value);
    if (value.length > 0 && value.length <= LONGEST)
        dv_text_add(out, " (%s is used)", value.at);
    dv_text_free(&value);
}

/* `by_code`: not what a scene file says, whose numbers are held against their ranges when the object is initialised. */
static DvStatus set_text(DvData *data, const char *text, bool by_code)
{
    if (!dv_core_may_change(dv_private_scene_of(data->owner), "dv_data_set_text"))
        return DV_ERROR_BUSY;
    if (data->type == &dv_type_link)
        return dv_words_link_set_text((DvLink *)data, text);
    if (*text == '@')
        return link_by_text(data, text);
    /* A number is a digit and a blank at least, and the array of them grows by doubling. */
    enum { LONG = 1 << 20, BYTES_OF_CHARACTER = 8 };
    const size_t length = strlen(text);
    const DvStatus room = length < LONG ? DV_OK
                                        : dv_memory_ask(data->owner, (double)length * BYTES_OF_CHARACTER,
                                                        "the values of '%s'", data->field->name);
    if (room != DV_OK)
        return room;
    DvText problem = {0};
    size_t count = data->count;
    void *elements = dv_core_elements_copy(data->type, data->value, count, count);
    const DvStatus status = dv_words_parse(data->field, data->type, text, &elements, &count, &problem);
    const DvStatus refused = by_code ? dv_words_check_value(data, elements, count) : DV_OK;
    if (refused != DV_OK) {
        dv_core_elements_free(data->type, elements, count);
        dv_text_free(&problem);
        return refused;
    }
    dv_core_data_take(data, elements, count);
    if (status != DV_OK || problem.length) {
        DvText used = {0};
        if (!data->type->list && (status != DV_OK || data->type != &dv_type_choice))
            say_what_is_used(data, &used);
        dv_field_warning(data, -1, "%s%s", problem.length ? problem.at : "the text cannot be read",
                         used.at ? used.at : "");
        dv_text_free(&used);
    }
    dv_text_free(&problem);
    return status;
}

DvStatus dv_data_set_text(DvData *data, const char *text)
{
    return set_text(data, text, true);
}

void dv_data_print(DvData *data, DvText *out)
{
    const void *value = dv_data_read(data);
    dv_words_print(data->type, value, data->count, out);
}

/* What a value's text lacks, or a link to something that is not there (yet), is a warning: the default stays. A link that makes
 * no sense fails the scene. */
void dv_words_set_field(DvObject *object, DvData *data, const char *text)
{
    const DvNode *node = dv_private_node_of(object);
    const DvStatus status = set_text(data, text, false);
    const bool is_link = data->field->type == &dv_type_link || text[0] == '@';
    if (node && status != DV_OK)
        dv_core_problem(node->scene, is_link && status != DV_ERROR_NOT_FOUND ? status : DV_OK);
}
