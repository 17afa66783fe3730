/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tetra2TriangleTopologicalMapping: the triangles on the border of a tetrahedral mesh (border_mapping.h), as they are stored, or
 * with their last two corners exchanged by `flipNormals`. A triangle that comes to light looks outward from the tetrahedron
 * that is left, its smallest point first.
 */
#include "border_mapping.h"

static void orient(const uint32_t *corners, bool flip, bool seen, uint32_t *oriented)
{
    uint32_t first = 0;
    const uint32_t turned[3] = {corners[0], corners[flip ? 2 : 1], corners[flip ? 1 : 2]};
    for (uint32_t i = 1; i < 3 && seen; i++)
        first = turned[i] < turned[first] ? i : first;
    for (uint32_t i = 0; i < 3; i++)
        oriented[i] = turned[(first + i) % 3];
}

static const BorderRule rule = {
    .body = DV_TETRAHEDRA, .face = DV_TRIANGLES, .face_name = "triangles", .orient = orient};

/* A modifier that is named must be the output's. */
static DvStatus check_modifier(BorderMapping *mapping)
{
    const DvObject *modifier = dv_link_object(&mapping->modifier), *output = mapping->base.to->object;
    if (!modifier || (is_modifier(modifier) && dv_object_node(modifier) == dv_object_node(output)))
        return DV_OK;
    return dv_field_error(&mapping->modifier.data, -1, "'%s' does not change the output '%s'", dv_object_path(modifier),
                          dv_object_path(output));
}

static DvStatus init(DvObject *object, void *self)
{
    (void)object;
    BorderMapping *mapping = self;
    mapping->rule = &rule;
    const DvStatus status = border_mapping_start(mapping);
    return status == DV_OK ? check_modifier(mapping) : status;
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(BorderMapping, base.),
    DV_FIELD(BorderMapping, flip_normals, "flipNormals", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "exchange the last two corners"),
    DV_FIELD(BorderMapping, no_new, "noNewTriangles", dv_type_bool, .init = "0",
             .help = "triangles that come to light do not join the border"),
    DV_FIELD(BorderMapping, no_initial, "noInitialTriangles", dv_type_bool, .init = "0", .flags = DV_FIELD_AT_LOAD,
             .help = "start without the triangles of the border"),
    DV_LINK(BorderMapping, modifier, "modifier", DV_TOPOLOGY_MODIFIER,
            .help = "modifier of the output; it need not be named"),
    {0},
};

const DvClass dv_tetra2triangle_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Tetra2TriangleTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Takes the border triangles of tetrahedra.",
    .instance_size = sizeof(BorderMapping),
    .fields = fields,
    .init = init,
};
