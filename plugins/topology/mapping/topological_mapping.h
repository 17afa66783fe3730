/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all topological mappings share: the two topologies. Every mapping has this struct first in its own.
 *
 * `input` is a path to a topology, by default that of the parent node or of those above it; `output` by default that
 * of the node.
 */
#ifndef DIVAN_TOPOLOGY_TOPOLOGICAL_MAPPING_H
#define DIVAN_TOPOLOGY_TOPOLOGICAL_MAPPING_H

#include "container/topology.h"

typedef struct TopologicalMapping {
    DvObject *object;
    DvLink input, output;
    Topology *from, *to;
} TopologicalMapping;

/* A class's `sources`: the two paths, so that those of old scenes are understood. */
extern const DvVariantSource topological_mapping_sources[];
/* A class's `accepts`: both topologies are there and differ. */
bool topological_mapping_accepts(DvNode *node, const char *variant, const DvAttributes *attributes, DvText *reason);
DvStatus topological_mapping_construct(DvObject *object, void *self);
/* Finds both topologies. */
DV_NODISCARD DvStatus topological_mapping_find(TopologicalMapping *mapping);

#define TOPOLOGICAL_MAPPING_FIELDS(Struct, in)                                                         \
    DV_LINK(Struct, in input, "input", DV_TOPOLOGY, .help = "topology to start from (default: @../)"), \
        DV_LINK(Struct, in output, "output", DV_TOPOLOGY, .help = "topology to fill (default: @./)")

#endif
