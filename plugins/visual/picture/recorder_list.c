/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a scene has to show, listed once for each form of its graph.
 *
 * Listed objects are kept alive until the next list, so that an object is known again by its address.
 */
#include "recorder_parts.h"

#include <divan/memory.h>

#include "moving.h"

Entry *recorder_find_entry(List *entries, const DvObject *object, uint32_t hint)
{
    Entry *entry = entries->at;
    for (uint32_t i = 0; i < entries->count; i++) {
        Entry *candidate = &entry[(hint + i) % entries->count];
        if (candidate->object == object)
            return candidate;
    }
    return NULL;
}

static void forget_path(ShownPath *shown)
{
    dv_free(shown->plain);
    dv_free(shown->path);
}

void recorder_forget_entry(Entry *entry)
{
    if (entry->recorded)
        recorded_surface_free(entry->recorded);
    dv_free(entry->recorded);
    for (int stage = 0; stage < DV_SHADER_STAGES; stage++)
        shared_array_release(entry->sources[stage].shared);
    shared_image_release(entry->image.shared);
    for (int i = 0; i < MOST_ELEMENTS; i++)
        recorded_array_free(&entry->attributes[i]);
    forget_path(&entry->path);
    dv_object_unref(entry->object);
}

void recorder_forget_levels(DvRecorder *self)
{
    Level *level = self->levels.at;
    for (uint32_t i = 0; i < self->levels.count; i++)
        forget_path(&level[i].path);
    self->levels.count = 0;
}

const char *recorder_path_of(ShownPath *shown, const DvObject *object)
{
    const char *plain = dv_object_path(object);
    if (shown->plain && strcmp(shown->plain, plain) == 0)
        return shown->path;
    forget_path(shown);
    DvText path = {0};
    dv_object_link_path(object, &path);
    *shown = (ShownPath){dv_strdup(plain), dv_strdup(path.at + 1)}; /* without the sign of a link */
    dv_text_free(&path);
    return shown->path;
}

static void list_object(DvRecorder *self, List *old, DvObject *object)
{
    const Entry entry = {
        .object = object,
        .self = dv_object_self(object),
        .surface = dv_object_ops(object, DV_SURFACE),
        .drawable = dv_object_ops(object, DV_DRAWABLE),
        .style = dv_object_ops(object, DV_VISUAL_STYLE),
        .transform = dv_object_ops(object, DV_VISUAL_TRANSFORM),
        .clip = dv_object_ops(object, DV_CLIP_PLANE),
        .shader = dv_object_ops(object, DV_SHADER),
        .element = dv_object_ops(object, DV_SHADER_ELEMENT),
        .light = dv_object_ops(object, DV_LIGHT),
        .lighting = dv_object_ops(object, DV_LIGHTING),
        .camera = dv_object_ops(object, DV_CAMERA),
        .background = dv_object_ops(object, DV_BACKGROUND),
        .legend = dv_object_ops(object, DV_LEGEND),
        .transparency = dv_object_ops(object, DV_TRANSPARENCY),
        .axes = dv_object_ops(object, DV_SCENE_AXES),
        .viewport = dv_object_ops(object, DV_VIEWPORT),
        .post = dv_object_ops(object, DV_POST_PROCESS),
        .pass = dv_object_ops(object, DV_RENDER_PASS),
        .collides = dv_object_ops(object, DV_COLLISION_MODEL) != NULL,
    };
    const bool shows = entry.surface || entry.drawable || entry.style || entry.transform || entry.clip ||
                       entry.shader || entry.element || entry.light || entry.lighting || entry.camera ||
                       entry.background || entry.legend || entry.transparency || entry.axes || entry.viewport ||
                       entry.post || entry.pass;
    if (!shows)
        return;
    Entry *added = list_add(&self->entries, sizeof *added);
    *added = entry;
    Entry *before = recorder_find_entry(old, object, self->entries.count - 1);
    if (before) { /* what was recorded of it goes on */
        added->recorded = before->recorded;
        memcpy(added->sources, before->sources, sizeof added->sources);
        added->image = before->image;
        added->told = before->told;
        memcpy(added->attributes, before->attributes, sizeof added->attributes);
        forget_path(&before->path);
        before->object = NULL;
    } else {
        dv_object_ref(object);
        if (entry.surface)
            added->recorded = dv_alloc(1, sizeof *added->recorded);
    }
}

static void list_node(DvRecorder *self, List *old, DvNode *node, uint32_t parent)
{
    if (!dv_node_is_active(node))
        return;
    const uint32_t index = self->levels.count;
    Level *level = list_add(&self->levels, sizeof *level);
    level->node = node;
    level->path = (ShownPath){NULL, NULL};
    level->parent = parent;
    level->first = self->entries.count;
    const uint32_t moving = self->moving.count;
    moving_list(&self->moving, node);
    level->body = parent == NO_LEVEL ? -1 : ((Level *)self->levels.at)[parent].body;
    if (level->body < 0 && self->moving.count > moving)
        level->body = (int32_t)self->bodies++;
    DvObject *object;
    for (size_t i = 0; (object = dv_node_member(node, i)); i++)
        list_object(self, old, object);
    ((Level *)self->levels.at)[index].count = self->entries.count - ((Level *)self->levels.at)[index].first;
    DvNode *child;
    for (size_t i = 0; (child = dv_node_child(node, i)); i++)
        if (dv_node_parent(child, 0) == node) /* of several parents the first shows it */
            list_node(self, old, child, index);
}

void recorder_list_scene(DvRecorder *self)
{
    DvNode *root = dv_scene_root(self->scene);
    if (self->listed && self->revision == dv_node_revision(root))
        return;
    List old = self->entries;
    self->entries = (List){0};
    list_free(&self->surfaced);
    bodies_free(&self->skins);
    self->probed = self->nothing_else = false;
    recorder_forget_levels(self);
    self->moving.count = self->bodies = 0;
    list_node(self, &old, root, NO_LEVEL);
    Entry *entry = old.at;
    for (uint32_t i = 0; i < old.count; i++)
        if (entry[i].object)
            recorder_forget_entry(&entry[i]);
    list_free(&old);
    self->revision = dv_node_revision(root);
    self->listed = true;
}
