/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hexa2QuadTopologicalMapping: the quads on the border of a hexahedral mesh (border_mapping.h), in reverse order of corners
 * with `flipNormals`. A quad that comes to light looks outward from the hexahedron that is left. The output needs a
 * QuadSetTopologyModifier in its node or above.
 */
#include "border_mapping.h"

static void orient(const uint32_t *corners, bool flip, bool seen, uint32_t *oriented)
{
    (void)seen;
    for (uint32_t i = 0; i < 4; i++)
        oriented[i] = corners[flip ? 3 - i : i];
}

static const BorderRule rule = {
    .body = DV_HEXAHEDRA, .face = DV_QUADS, .face_name = "quads", .orient = orient, .one_by_one = true};

static DvStatus init(DvObject *object, void *self)
{
    BorderMapping *mapping = self;
    mapping->rule = &rule;
    const DvStatus status = border_mapping_start(mapping);
    if (status == DV_OK && !topological_mapping_has_modifier(&mapping->base))
        return dv_error(object, DV_ERROR_MISSING, "the node of the output '%s' needs a QuadSetTopologyModifier",
                        dv_object_path(mapping->base.to->object));
    return status;
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(BorderMapping, base.),
    DV_FIELD(BorderMapping, flip_normals, "flipNormals", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "reverse the order of corners"),
    {0},
};

const DvClass dv_hexa2quad_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Hexa2QuadTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Takes the border quads of hexahedra.",
    .instance_size = sizeof(BorderMapping),
    .fields = fields,
    .init = init,
};
