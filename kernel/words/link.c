/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Links: paths as text, and the objects that they lead to. The text is what counts; objects are looked up when it is set and again, on
 * request, where nothing was found.
 */
#include "words.h"

#include <string.h>

enum { MAX_PATHS = 10000 };

/* Paths that are left, one blank between two. */
static DvStatus read_paths(DvLink *link, const char *text, DvText *paths, size_t *count)
{
    static const char blank[] = " \t\n\r\v\f";
    DvStatus status = DV_OK;
    *count = 0;
    for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
        const char *word = text;
        const int length = (int)strcspn(word, blank);
        text += length;
        if (*word != '@') {
            if (status == DV_OK) /* the first says enough */
                status = dv_field_error(&link->data, -1, "the path '%.*s' must start with '@', as in '@%.*s'", length,
                                        word, length, word);
        } else if (*count && !link->data.field->many) {
            return dv_field_error(&link->data, -1, "one path is expected; '%.*s' and what follows is dropped", length,
                                  word);
        } else if (*count == MAX_PATHS) {
            return dv_field_error(&link->data, -1, "has more than %d paths; the rest is dropped", MAX_PATHS);
        } else {
            dv_text_add(paths, "%s%.*s", *count ? " " : "", length, word);
            ++*count;
        }
    }
    return status;
}

DvStatus dv_words_link_set_text(DvLink *link, const char *text)
{
    DvText paths = {0};
    size_t count;
    const DvStatus status = read_paths(link, text, &paths, &count);
    if (count) {
        dv_core_link_clear(link, count);
        dv_data_set_string(&link->data, paths.at);
        (void)dv_link_resolve(link);
    }
    dv_text_free(&paths);
    return status;
}

void dv_link_set(DvLink *link, DvObject *target)
{
    dv_link_set_all(link, &target, target ? 1 : 0);
}

void dv_link_set_all(DvLink *link, DvObject *const *targets, size_t count)
{
    dv_core_link_clear(link, count);
    DvText paths = {0};
    for (size_t i = 0; i < count; i++) {
        dv_core_link_point(link, i, targets[i]);
        if (i)
            dv_text_add(&paths, " ");
        dv_object_link_path(targets[i], &paths);
    }
    dv_data_set_string(&link->data, count ? paths.at : "");
    if (!count)
        link->data.flags &= ~(uint32_t)DV_DATA_SET;
    dv_text_free(&paths);
}

DvStatus dv_link_resolve(DvLink *link)
{
    const DvObject *owner = link->data.owner;
    const DvNode *node = dv_private_node_of(owner);
    bool found = false, missing = false;
    gchar **paths = NULL;
    for (size_t i = 0; i < link->count; i++) {
        if (link->objects[i])
            continue;
        const char *path = dv_data_string(&link->data);
        if (link->count > 1)
            path = (paths = paths ? paths : g_strsplit(path, " ", -1))[i];
        DvObject *target = node ? dv_words_resolve(node, owner, path, link->data.field->target) : NULL;
        if (target)
            dv_core_link_point(link, i, target);
        found |= target != NULL;
        missing |= target == NULL;
    }
    g_strfreev(paths);
    if (found)
        dv_data_touch(&link->data);
    return missing ? DV_ERROR_NOT_FOUND : DV_OK;
}

void dv_words_resolve_links(DvObject *object)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (object->fields[i]->type == &dv_type_link)
            (void)dv_link_resolve((DvLink *)(void *)object->fields[i]);
}

static void say_not_found(const DvObject *object, const DvLink *link, const char *paths)
{
    DvText text = {0};
    dv_words_say_not_found(&text, dv_private_node_of(object), object, paths, strlen(paths));
    dv_field_warning(&link->data, -1, "%s", text.at);
    dv_text_free(&text);
}

static void report_link(DvObject *object, DvLink *link)
{
    if (!dv_link_is_set(link) || dv_link_resolve(link) == DV_OK)
        return;
    const DvAttribute *attribute = dv_words_attribute_of(object, link->data.field);
    const char *paths = attribute ? attribute->text : dv_data_string(&link->data);
    const DvObject *other = dv_node_resolve(dv_private_node_of(object), object, paths, NULL);
    if (other)
        dv_field_warning(&link->data, -1, "'%s' leads to %s '%s', which does not offer %s", paths, other->cls->name,
                         dv_object_name(other), link->data.field->target);
    else
        say_not_found(object, link, paths);
    dv_core_problem(dv_private_node_of(object)->scene, DV_OK);
}

void dv_words_report_links(DvObject *object)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (object->fields[i]->field->type == &dv_type_link)
            report_link(object, (DvLink *)(void *)object->fields[i]);
}
