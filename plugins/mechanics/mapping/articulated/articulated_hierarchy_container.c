/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ArticulatedHierarchyContainer: marks the joints of an articulated body. They are all ArticulationCenters in its node and below, in the
 * order of the document.
 *
 * With a BVH file it makes them itself: frame 0 of the body is the ground, joint k of the file moves frame k + 1, its channels are
 * Articulations in their order. The state of its node gets a number for each channel, the first body below a frame for each joint. Names
 * that are no names of nodes lose the letters that make them so.
 */
#include "articulated.h"

#include "bvh_file.h"

#include <divan/contracts/state.h>

#include <stdio.h>
#include <string.h>

typedef struct ArticulatedHierarchyContainer {
    DvData filename;
} ArticulatedHierarchyContainer;

static const DvField fields[] = {
    DV_FIELD(ArticulatedHierarchyContainer, filename, "filename", dv_type_file, .flags = DV_FIELD_AT_LOAD,
             .help = "captured motion (BVH): its joints are made"),
    {0},
};

static uint32_t centers(void *self, DvObject **found, uint32_t capacity)
{
    const DvNode *node = dv_object_node(dv_object_of(self));
    return (uint32_t)dv_node_find_all(node, ARTICULATION_CENTER, DV_SEARCH_DOWN, found, capacity);
}

static const ArticulatedHierarchyOps ops = {.size = sizeof ops, .centers = centers};

/* ---- Joints of a file ---- */

static DvStatus resize(DvObject *object, DvObject *state, const char *type, uint32_t count, const char *where)
{
    const DvStateRef ref = dv_state_ref(state);
    if (!ref.ops || strcmp(ref.dof->name, type) != 0)
        return dv_error(object, DV_ERROR_MISSING, "the joints of a file need a MechanicalObject of %s %s", type, where);
    const DvStatus status = dv_object_initialise_first(object, state);
    if (status == DV_OK)
        ref.ops->resize(ref.self, count);
    return status;
}

static DvStatus resize_states(DvObject *object, const BvhFile *file)
{
    const DvNode *node = dv_object_node(object);
    DvObject *frames = NULL;
    for (size_t i = 0; !frames && dv_node_child(node, i); i++)
        frames = dv_node_slot(dv_node_child(node, i), DV_STATE);
    const DvStatus status =
        resize(object, dv_node_slot(node, DV_STATE), "Vec1d", file->channel_count, "in its node, for the channels");
    return status == DV_OK
               ? resize(object, frames, "Rigid3d", file->joint_count + 1, "in the first child node that has a state")
               : status;
}

static DvStatus add_articulations(DvNode *node, const BvhFile *file, const BvhJoint *joint)
{
    static const char *const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
    DvStatus status = DV_OK;
    for (uint32_t c = joint->first; status == DV_OK && c < joint->end; c++) {
        const BvhChannel *channel = &file->channels[c];
        char index[16];
        DvObject *made = NULL;
        (void)snprintf(index, sizeof index, "%u", c);
        status =
            dv_object_new(node, "Articulation", &made, "axis", axes[channel->axis],
                          channel->turns ? "rotation" : "translation", "1", "articulationIndex", index, (char *)NULL);
        if (status != DV_OK)
            return status;
        double *motion = dv_data_begin_all(dv_object_field(made, "motion"), file->frame_count);
        for (uint32_t f = 0; f < file->frame_count; f++)
            motion[f] = file->values[(size_t)f * file->channel_count + c];
        dv_data_end(dv_object_field(made, "motion"));
    }
    return status;
}

static DvNode *add_node(DvNode *parent, const char *name)
{
    char plain[64] = "joint";
    size_t length = 0;
    for (; *name && length + 1 < sizeof plain; name++)
        if ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
            *name == '_' || *name == '-')
            plain[length++] = *name;
    if (length)
        plain[length] = '\0';
    DvNode *node = dv_node_new(parent, plain);
    if (node)
        dv_object_set_transient(dv_node_object(node), true); /* a saved scene reads the file again */
    return node;
}

static DvStatus add_joint(DvNode *parent, const BvhFile *file, uint32_t k)
{
    const BvhJoint *joint = &file->joints[k];
    char parent_index[16], child_index[16], offset[96];
    DvNode *node = add_node(parent, joint->name), *axes = node ? add_node(node, "articulations") : NULL;
    if (!axes)
        return DV_ERROR_BUSY;
    (void)snprintf(parent_index, sizeof parent_index, "%u", joint->parent + 1);
    (void)snprintf(child_index, sizeof child_index, "%u", k + 1);
    (void)snprintf(offset, sizeof offset, "%.17g %.17g %.17g", joint->offset[0], joint->offset[1], joint->offset[2]);
    const DvStatus status = dv_object_new(node, "ArticulationCenter", NULL, "parentIndex", parent_index, "childIndex",
                                          child_index, "posOnParent", offset, (char *)NULL);
    return status == DV_OK ? add_articulations(axes, file, joint) : status;
}

static DvStatus init(DvObject *object, void *self_)
{
    ArticulatedHierarchyContainer *self = self_;
    BvhFile file;
    if (!*dv_data_string(&self->filename))
        return DV_OK;
    DvStatus status = bvh_read(&self->filename, &file);
    if (status == DV_OK)
        status = resize_states(object, &file);
    for (uint32_t k = 0; status == DV_OK && k < file.joint_count; k++)
        status = add_joint(dv_object_node(object), &file, k);
    bvh_free(&file);
    return status;
}

const DvClass dv_articulated_hierarchy_container = {
    .size = sizeof(DvClass),
    .name = "ArticulatedHierarchyContainer",
    .family = "mappings",
    .module = "ArticulatedSystemPlugin",
    .help = "Marks the joints of an articulated body: all in its node and below.",
    .instance_size = sizeof(ArticulatedHierarchyContainer),
    .fields = fields,
    .contracts = (const DvContract[]){{.id = ARTICULATED_HIERARCHY, .ops = &ops}, {0}},
    .init = init,
};
