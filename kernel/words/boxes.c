/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What somebody who looks at a scene needs: visual models and bounding boxes that are up to date.
 */
#include "words.h"

#include <float.h>

#include <divan/contracts/visual.h>

static void add_box(double *box, const double *other)
{
    for (int i = 0; i < 3; i++) {
        box[i] = MIN(box[i], other[i]);
        box[i + 3] = MAX(box[i + 3], other[i + 3]);
    }
}

void dv_words_update_boxes(DvNode *node)
{
    static const double nothing[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    double all[6], one[6];
    memcpy(all, nothing, sizeof all);
    for (guint i = 0; i < node->members.len; i++) {
        DvObject *object = dv_private_at(&node->members, i);
        if (!object->cls->bounding_box || !dv_object_is_valid(object))
            continue;
        memcpy(one, nothing, sizeof one);
        object->cls->bounding_box(object, object->self, one);
        dv_data_set(&object->bbox, one, 1);
        add_box(all, one);
    }
    for (guint i = 0; i < node->children.len; i++) {
        DvNode *child = dv_private_at(&node->children, i);
        if (!dv_node_is_active(child))
            continue;
        dv_words_update_boxes(child);
        add_box(all, dv_data_doubles(&dv_object_of(child)->bbox, NULL));
    }
    DvObject *object = dv_object_of(node);
    if (!object->words->attribute_of(object, object->bbox.field)) /* else the scene says it */
        dv_data_set(&object->bbox, all, 1);
}

void dv_scene_update_visual(DvScene *scene)
{
    Call call;
    if (!dv_core_call_begin(&call, scene, "dv_scene_update_visual"))
        return;
    DvObject *loop = dv_node_slot(scene->root, DV_VISUAL_LOOP);
    const DvVisualLoopOps *ops = loop ? dv_object_ops(loop, DV_VISUAL_LOOP) : NULL;
    if (ops)
        ops->update(loop->self);
    dv_words_update_boxes(scene->root);
    dv_core_call_end(&call);
}
