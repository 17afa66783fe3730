/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scenes of 2007 to 2026 in today's words: names of classes and attributes, paths without '@', display words on nodes.
 *
 * What old names mean is data in the plugins (DvRename). Here it is applied to what a file says, before the kernel makes an object
 * of it: the kernel knows today's words alone, and what is saved is written in them.
 */
#include "scene_xml.h"

#include <string.h>

#include <divan/log.h>
#include <divan/memory.h>
#include <divan/registry.h>

/* What is being made, for messages. */
typedef struct Making {
    DvNode *node;
    const DvClass *cls;
    DvAttributes *attributes;
    DvPlace place;
} Making;

/* Where an attribute stands, or its object where that is unknown. */
static DvPlace place_of(const DvAttribute *attribute, DvPlace place)
{
    const bool known = attribute && attribute->line > 0;
    return known ? (DvPlace){place.file, attribute->line, attribute->column} : place;
}

static const char *name_of(const DvAttributes *attributes)
{
    const DvAttribute *name = dv_attributes_find(attributes, "name");
    return name ? name->text : NULL;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* An attribute that is no more. */
static void tell_gone(DvScene *scene, const Making *making, const DvRename *rename, DvAttribute *attribute)
{
    const char *colon = rename->to ? ": " : "", *advice = rename->to ? rename->to : "",
               *name = name_of(making->attributes);
    const DvPlace place = place_of(attribute, making->place);
    attribute->used = true;
    if (rename->kind == DV_RENAME_FIELD_HARMLESS)
        dv_build_remark(scene, place, making->cls->name, name, "'%s' has no effect any more%s%s", attribute->name,
                        colon, advice);
    else
        (void)dv_build_problem(scene, DV_ERROR_UNSUPPORTED, place, making->cls->name, name, "'%s' has been removed%s%s",
                               attribute->name, colon, advice);
}

/* Old names of attributes become the new ones. */
static void modernise(const Making *making)
{
    DvAttribute *attribute;
    for (size_t i = 0; (attribute = dv_attributes_at(making->attributes, i)); i++) {
        const DvRename *rename =
            dv_class_takes(making->cls, attribute->name) ? NULL : dv_rename_of_field(making->cls, attribute->name);
        if (!rename)
            continue;
        if (rename->kind != DV_RENAME_FIELD) {
            tell_gone(dv_node_scene(making->node), making, rename, attribute);
        } else if (!dv_attributes_find(making->attributes, rename->to)) {
            dv_free(attribute->name);
            attribute->name = dv_strdup(rename->to);
        }
    }
}

/* Paths of the years before '@' are relative to the object itself: ".." is its node. Empty when it has an '@'. */
static void modern_path(const DvNode *node, const char *path, const char *contract, DvText *modern)
{
    if (path[0] == '@' || !*path)
        return;
    char *plain = dv_strdup(path);
    for (char *at = plain; *at; at++)
        if (*at == '\\')
            *at = '/';
    if (starts_with(plain, "..")) {
        const char *rest = plain + (plain[2] == '/' ? 3 : 2);
        dv_text_add(modern, "@%s%s%s", starts_with(rest, "..") ? "" : "./", rest, strcmp(rest, "..") == 0 ? "/" : "");
    } else {
        dv_text_add(modern, "@%s", plain);
    }
    const char *slash = strrchr(plain, '/');
    if (slash && slash[1] && slash[1] != '.' && !dv_node_resolve(node, NULL, modern->at, contract)) {
        modern->length = 0; /* one level too many or too few: the documents disagree; the name decides */
        dv_text_add(modern, "@%s", slash + 1);
    }
    dv_free(plain);
}

/* Puts '@' into the paths that the variant follows from, for classes of old scenes. */
static void modernise_paths(const Making *making)
{
    for (const DvVariantSource *source = making->cls->sources; source && source->attribute; source++) {
        DvAttribute *attribute = dv_attributes_find(making->attributes, source->attribute);
        DvText path = {0};
        if (attribute)
            modern_path(making->node, attribute->text, source->contract, &path);
        if (!path.length)
            continue;
        dv_build_remark(dv_node_scene(making->node), place_of(attribute, making->place), making->cls->name,
                        name_of(making->attributes), "%s: the path '%s' is of an old kind and is taken as '%s'",
                        attribute->name, attribute->text, path.at);
        dv_free(attribute->text);
        attribute->text = dv_strdup(path.at);
        dv_text_free(&path);
    }
}

void make_object(DvNode *node, const char *class_name, DvAttributes *attributes, DvPlace place, DvObject **object)
{
    const Making making = {node, dv_class_find(class_name), attributes, place};
    const DvRename *rename = making.cls ? NULL : dv_rename_of_class(class_name);
    *object = NULL;
    if (making.cls) {
        modernise(&making);
        modernise_paths(&making);
    } else if (rename && rename->kind == DV_RENAME_CLASS_EXPANDED) {
        make_expanded(node, rename, attributes, place, object);
        return;
    } else if (rename && rename->kind == DV_RENAME_CLASS_HARMLESS) {
        dv_build_remark(dv_node_scene(node), place, NULL, NULL, "'%s' has been removed and changes nothing%s%s",
                        class_name, rename->to ? ": " : "", rename->to ? rename->to : "");
        dv_attributes_free(attributes);
        return;
    } else if (rename && rename->kind == DV_RENAME_CLASS_REMOVED) {
        (void)dv_build_problem(dv_node_scene(node), DV_ERROR_UNSUPPORTED, place, NULL, NULL,
                               "'%s' has been removed: use %s", class_name, rename->to);
        dv_attributes_free(attributes);
        return;
    }
    (void)dv_build_object(node, class_name, attributes, place, object);
}

/* Old scenes say on nodes what is shown; a class that the rename names ("VisualStyle.displayFlags") takes the words over. They are
 * gathered in `words`; the result is that name, or NULL. */
static const char *gather_display_words(DvScene *scene, DvAttributes *attributes, DvPlace place, DvText *words)
{
    const Making making = {.cls = dv_class_of_nodes(), .attributes = attributes, .place = place};
    const char *to = NULL;
    DvAttribute *attribute;
    for (size_t i = 0; (attribute = dv_attributes_at(attributes, i)); i++) {
        const DvRename *rename = dv_rename_of_field(making.cls, attribute->name);
        if (rename && rename->kind != DV_RENAME_FIELD)
            tell_gone(scene, &making, rename, attribute);
        if (!rename || rename->kind != DV_RENAME_FIELD || !strchr(rename->to, '.'))
            continue;
        attribute->used = true;
        to = rename->to;
        const bool shown = attribute->text[0] && strchr("tT123456789", attribute->text[0]);
        const bool is_show = starts_with(attribute->name, "show");
        dv_text_add(words, "%s%s%s", words->length ? " " : "", is_show ? (shown ? "show" : "hide") : "",
                    attribute->name + (is_show ? 4 : 0));
    }
    return to;
}

DvStatus make_node(DvScene *scene, DvNode *parent, DvAttributes *attributes, DvPlace place, const char *folder,
                   DvNode **node)
{
    DvText words = {0};
    dv_attributes_sort(attributes); /* of two words that say the opposite, the later name counts */
    const char *to = gather_display_words(scene, attributes, place, &words);
    const DvStatus status = dv_build_node(scene, parent, attributes, place, folder, node);
    if (to && status == DV_OK) {
        const char *dot = strchr(to, '.');
        DvText class_name = {0};
        dv_text_add_bytes(&class_name, to, (size_t)(dot - to));
        DvAttributes *moved = dv_attributes_new();
        dv_attributes_add(moved, "name", dot + 1, 0, 0);
        dv_attributes_add(moved, dot + 1, words.at, 0, 0);
        DvObject *object;
        make_object(*node, class_name.at, moved, place, &object);
        dv_text_free(&class_name);
    }
    dv_text_free(&words);
    return status;
}
