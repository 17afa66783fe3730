/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a component works with: its link, else its surroundings. One rule and one set of messages for all components.
 */
#include "words.h"

#include <string.h>

/* What users call an object of a contract: "divan.linear-system/1" is a linear system. */
static char *in_words(const char *contract)
{
    const char *dot = strchr(contract, '.');
    char *words = g_strdup(dot ? dot + 1 : contract);
    words[strcspn(words, "/")] = 0;
    return g_strdelimit(words, "-", ' ');
}

/* The class that alone stands for the contract, or NULL. */
static const DvClass *only_class_of(const char *contract)
{
    const DvClass *only = NULL;
    for (size_t i = 0; i < dv_class_count(); i++) {
        const DvClass *cls = dv_class_at(i);
        for (const DvContract *offered = cls->contracts; offered && offered->id; offered++) {
            if (offered->by_path_only || strcmp(offered->id, contract) != 0)
                continue;
            if (only)
                return NULL;
            only = cls;
        }
    }
    return only;
}

void dv_words_say_missing(DvText *text, const Missing *missing)
{
    char *wanted = in_words(missing->contract);
    if (*missing->path)
        dv_text_add(text, "no %s is found at '%s'", wanted, missing->path);
    else
        dv_text_add(text, "no %s in node '%s' or above", wanted, missing->node ? dv_node_path(missing->node) : "");
    g_free(wanted);
    if (missing->named) {
        dv_text_add(text, "%s", missing->before ? "; what is named must come before it in the file" : "");
        if (missing->node && !dv_node_resolve(missing->node, NULL, missing->path, NULL))
            dv_words_say_closest(text, missing->node, NULL, missing->path, strlen(missing->path));
        return;
    }
    const DvClass *only = missing->need ? NULL : only_class_of(missing->contract);
    if (only)
        dv_text_add(text, "; add a %s", only->name);
    else
        dv_text_add(text, "; add %s", missing->need ? missing->need : "one");
    dv_text_add(text, "%s%s", *missing->path ? " there" : "", missing->before ? " before it in the file" : "");
    if (missing->link)
        dv_text_add(text, ", or name one with '%s'", missing->link);
}

/* What the class says about this link when its variant follows from it; or NULL. */
static const DvVariantSource *source_of(const DvClass *cls, const DvLink *link)
{
    for (const DvVariantSource *source = cls->sources; link && source && source->attribute; source++)
        if (strcmp(source->attribute, link->data.field->name) == 0)
            return source;
    return NULL;
}

/* The path that counts; "" is the context. */
static const char *path_of(const DvObject *object, const DvLink *link)
{
    if (link && dv_link_is_set(link))
        return *(char *const *)link->data.value;
    const DvVariantSource *source = source_of(object->cls, link);
    return source ? source->path : "";
}

/* Also what cannot be used: whoever requires it then fails with it. */
DvObject *dv_object_find(const DvObject *object, const DvLink *link, const char *contract)
{
    const DvNode *node = dv_object_node(object);
    const char *path = path_of(object, link);
    DvObject *found = NULL;
    if (link && dv_link_is_set(link))
        found = dv_link_object(link);
    else if (node)
        found = *path ? dv_words_resolve(node, object, path, contract) : dv_core_node_context(node, contract);
    return found && dv_core_object_offer(found, contract) ? found : NULL;
}

DvStatus dv_object_find_required(DvObject *object, const DvLink *link, const char *contract, const char *need,
                                 DvObject **found)
{
    *found = dv_object_find(object, link, contract);
    if (*found && dv_object_ops(*found, contract))
        return DV_OK;
    if (*found)
        return dv_core_fails_with(object, *found);
    const bool named = link && dv_link_is_set(link);
    const Missing missing = {.node = dv_object_node(object),
                             .path = path_of(object, link),
                             .contract = contract,
                             .need = need,
                             .link = link ? link->data.field->name : NULL,
                             .named = named};
    DvText text = {0};
    dv_words_say_missing(&text, &missing);
    if (named)
        (void)dv_field_error(&link->data, -1, "%s", text.at);
    else
        (void)dv_error(object, DV_ERROR_MISSING, "%s", text.at);
    dv_text_free(&text);
    return DV_ERROR_MISSING;
}
