/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ArticulatedHierarchyContainer: marks the joints of an articulated body. They are all ArticulationCenters in its node and below, in the
 * order of the document.
 */
#include "articulated.h"

static uint32_t centers(void *self, DvObject **found, uint32_t capacity)
{
    const DvNode *node = dv_object_node(dv_object_of(self));
    return (uint32_t)dv_node_find_all(node, ARTICULATION_CENTER, DV_SEARCH_DOWN, found, capacity);
}

static const ArticulatedHierarchyOps ops = {.size = sizeof ops, .centers = centers};

const DvClass dv_articulated_hierarchy_container = {
    .size = sizeof(DvClass),
    .name = "ArticulatedHierarchyContainer",
    .family = "mappings",
    .module = "ArticulatedSystemPlugin",
    .help = "Marks the joints of an articulated body: all in its node and below.",
    .instance_size = 1,
    .contracts = (const DvContract[]){{.id = ARTICULATED_HIERARCHY, .ops = &ops}, {0}},
};
