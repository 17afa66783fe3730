/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Climbing topological mappings.
 */
#include "source_elements.h"

#include "mapping/topological_mapping.h"

#include <stdlib.h>

/* Elements of a mesh's own kind for those of another: the first around each. */
static void to_own_kind(Topology *topology, DvElementKind *kind, DvIndexArray *elements)
{
    if (!topology->dynamic || *kind == topology->own)
        return;
    const DvRows *around = topology_adjacency(topology, *kind, topology->own);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < elements->count; i++) {
        uint32_t length;
        const uint32_t *row = row_of(around, elements->data[i], &length);
        if (length)
            elements->data[kept++] = row[0];
    }
    elements->count = kept;
    *kind = topology->own;
}

/* The mapping in the node of a mesh that fills it. */
static DvObject *mapping_to(const Topology *topology)
{
    DvObject *found[16];
    const size_t count = dv_node_find_all(dv_object_node(topology->object), DV_TOPOLOGICAL_MAPPING, DV_SEARCH_LOCAL,
                                          found, sizeof found / sizeof *found);
    for (size_t i = 0; i < count && i < sizeof found / sizeof *found; i++) {
        const DvTopologicalMappingOps *ops = dv_object_ops(found[i], DV_TOPOLOGICAL_MAPPING);
        if (dv_object_is_valid(found[i]) && ops->output(dv_object_self(found[i])) == topology->object)
            return found[i];
    }
    return NULL;
}

Topology *source_elements(Topology *topology, DvElementKind *kind, DvIndexArray *elements)
{
    const DvObject *mapping;
    while (!topology->after_removal &&
           (mapping = mapping_to(topology)) != NULL) { /* removals may go up by themselves */
        const DvTopologicalMappingOps *ops = dv_object_ops(mapping, DV_TOPOLOGICAL_MAPPING);
        void *self = dv_object_self(mapping);
        Topology *input = topology_of(ops->input(self));
        DvElementKind source_kind = *kind;
        uint32_t kept = 0;
        if (!input || !input->dynamic) /* what cannot change gives nothing up: the mesh is changed by itself */
            break;
        for (uint32_t i = 0; i < elements->count; i++)
            if (ops->source(self, *kind, elements->data[i], &source_kind, &elements->data[kept]))
                kept++;
        elements->count = kept;
        *kind = source_kind;
        topology = input;
        to_own_kind(topology, kind, elements);
    }
    to_own_kind(topology, kind, elements);
    return topology;
}

static const DvObject *modifier_of(const Topology *topology)
{
    DvObject *found[16];
    const size_t count = dv_node_find_all(dv_object_node(topology->object), DV_TOPOLOGY_MODIFIER, DV_SEARCH_LOCAL,
                                          found, sizeof found / sizeof *found);
    for (size_t i = 0; i < count && i < sizeof found / sizeof *found; i++)
        if (is_modifier(found[i]) && modifier_topology(found[i]) == topology)
            return found[i];
    return NULL;
}

uint32_t remove_source_elements(const DvObject *asker, Topology *topology, const DvIndexArray *elements)
{
    const DvObject *modifier = modifier_of(topology);
    const uint32_t before = topology_elements(topology, topology->own).count;
    DvIndexArray kept = {0};
    if (!modifier) {
        dv_warning(asker, "nothing can be removed from '%s': there is no modifier of it in its node",
                   dv_object_path(topology->object));
        return 0;
    }
    for (uint32_t i = 0; i < elements->count; i++)
        if (elements->data[i] < before)
            dv_array_push(&kept, elements->data[i]);
    const DvTopologyModifierOps *ops = dv_object_ops(modifier, DV_TOPOLOGY_MODIFIER);
    const DvStatus status = kept.count ? ops->remove_elements(dv_object_self(modifier), topology->own, kept.count,
                                                              kept.data, topology->own != DV_EDGES)
                                       : DV_OK;
    dv_array_free(&kept);
    return status == DV_OK ? before - topology_elements(topology, topology->own).count : 0;
}
