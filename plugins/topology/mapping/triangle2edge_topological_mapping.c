/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangle2EdgeTopologicalMapping: the edges on the border of a triangulated surface (border_mapping.h), as they are stored. An
 * edge that comes to light has its smaller point first. The output needs an EdgeSetTopologyModifier in its node or above.
 */
#include "border_mapping.h"

static void orient(const uint32_t *corners, bool flip, bool seen, uint32_t *oriented)
{
    (void)flip;
    const bool turn = seen && corners[0] > corners[1];
    oriented[0] = corners[turn ? 1 : 0];
    oriented[1] = corners[turn ? 0 : 1];
}

static const BorderRule rule = {
    .body = DV_TRIANGLES, .face = DV_EDGES, .face_name = "edges", .orient = orient, .one_by_one = true};

static DvStatus init(DvObject *object, void *self)
{
    BorderMapping *mapping = self;
    mapping->rule = &rule;
    const DvStatus status = border_mapping_start(mapping);
    if (status == DV_OK && !topological_mapping_has_modifier(&mapping->base))
        return dv_error(object, DV_ERROR_MISSING, "the node of the output '%s' needs an EdgeSetTopologyModifier",
                        dv_object_path(mapping->base.to->object));
    return status;
}

static const DvField fields[] = {TOPOLOGICAL_MAPPING_FIELDS(BorderMapping, base.), {0}};

const DvClass dv_triangle2edge_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Triangle2EdgeTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Takes the border edges of triangles.",
    .instance_size = sizeof(BorderMapping),
    .fields = fields,
    .init = init,
};
