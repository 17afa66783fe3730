/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that have left a scene, made again from what they were made from: for a scene that goes back to a moment at which they were
 * there. Whoever still holds one has its fields and its texts; another object takes its place in the graph, its name and its links.
 *
 * All are made before any is initialised, and all are initialised in the order of the graph while the scene is reset, so what they find
 * is what they found when the scene was loaded. Then those that needed them are initialised again. The values of fields are not put
 * back here.
 */
#include "words.h"

#include <string.h>

#include <divan/element_data.h>

static void add_attribute(void *context, const char *name, const char *text)
{
    dv_attributes_add(context, name, text, 0, 0);
}

/* The texts stay where they are: what had no name in the file keeps the one that it was given. */
static DvAttributes *attributes_of(DvObject *lost)
{
    DvAttributes *attributes = dv_attributes_new();
    dv_saved_attributes(lost, NULL, add_attribute, attributes);
    if (lost->is_node)
        for (size_t i = 0; lost->attributes && i < lost->attributes->count; i++) {
            const DvAttribute *attribute = dv_attributes_at(lost->attributes, i);
            if (!dv_attributes_find(attributes, attribute->name))
                dv_attributes_add(attributes, attribute->name, attribute->text, attribute->line, attribute->column);
        }
    return attributes;
}

static DvStatus make(DvNode *node, DvObject *lost, size_t index, DvObject **made)
{
    DvScene *scene = node->scene;
    const uint64_t created = scene->created;
    DvStatus status;
    *made = NULL;
    if (lost->is_node) {
        DvNode *below = NULL;
        status = dv_build_node(scene, node, attributes_of(lost), lost->place, ((DvNode *)lost->self)->folder, &below);
        *made = below ? dv_node_object(below) : NULL;
        if (below) {
            dv_core_node_move_child(node, below, index);
            (*made)->initialised = true;
        }
    } else {
        status = dv_build_object(node, lost->cls->name, attributes_of(lost), lost->place, made);
        if (*made)
            dv_core_node_move_member(node, *made, index);
    }
    if (*made) {
        (*made)->order = lost->order;
        scene->created = created;
    }
    return status;
}

DvStatus dv_words_make_again(DvNode *node, DvObject *lost, size_t index, DvObject **made)
{
    DvScene *scene = node->scene;
    const unsigned problems = scene->problems, errors = scene->errors;
    const DvStatus first = scene->first_error;
    scene->running = false; /* not to be initialised yet */
    const DvStatus status = make(node, lost, index, made);
    scene->running = true;
    scene->problems = problems;
    scene->errors = errors;
    scene->first_error = first;
    return status;
}

/* Links that led to what has left lead to what has come in its place. */
static void follow_links(void *context, DvObject *object)
{
    (void)context;
    for (size_t i = 0; i < object->field_count; i++) {
        DvLink *link = (DvLink *)(void *)object->fields[i];
        if (object->fields[i]->type != &dv_type_link)
            continue;
        bool all = link->count > 0 || !dv_link_is_set(link);
        for (size_t k = 0; k < link->count; k++)
            all = all && link->objects[k];
        if (!all)
            (void)dv_link_resolve(link);
    }
}

/* What follows the points of a mesh without needing it follows the mesh that has come in its place. */
static void hand_followers_on(const DvObject *lost, DvObject *made)
{
    const DvTopologyOps *ops = dv_object_ops(lost, DV_TOPOLOGY), *now = dv_object_ops(made, DV_TOPOLOGY);
    const bool both = ops && now && ops->attached && now->attached;
    const DvElementDataList *followers = both ? ops->attached(lost->self) : NULL;
    while (followers && followers->count) {
        DvElementData *data = followers->at[0], old = *data;
        data->entries = NULL;
        data->count = data->capacity = 0;
        (void)!dv_element_data_attach(data, made); /* both have a list, so it is not refused */
        if (data->count == old.count && old.entries && old.count)
            memcpy(data->entries, old.entries, old.count * old.entry_size);
        dv_free(old.entries);
    }
}

DvStatus dv_words_init_again(DvScene *scene, DvObject **lost, DvObject **made, size_t count)
{
    dv_words_each_object(scene->root, follow_links, NULL);
    const DvStatus status = dv_core_init_objects(scene, made, count);
    for (size_t i = 0; i < count; i++)
        hand_followers_on(lost[i], made[i]);
    dv_core_orphans_mend(scene);
    return status;
}
