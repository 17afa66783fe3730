/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quad2TriangleTopologicalMapping: two triangles for each quad, (1,2,0) (3,0,2) of its corners. With `swapping` every other quad
 * of a row, and every other row, is cut along the other diagonal, (0,1,3) (2,3,1); rows are as long as those of the input's
 * cells when it is a grid, else 2. Quads that come later become (0,1,2) (0,2,3). The output needs a TriangleSetTopologyModifier
 * in its node or above.
 */
#include "pieces_mapping.h"

static void cut(PiecesMapping *mapping, const uint32_t *element, uint32_t index, bool later, uint32_t *pieces)
{
    static const uint8_t ways[3][6] = {{1, 2, 0, 3, 0, 2}, {0, 1, 3, 2, 3, 1}, {0, 1, 2, 0, 2, 3}};
    const uint32_t row = mapping->columns ? mapping->columns : mapping->rows;
    const bool swapped = dv_data_bool(&mapping->swapping) && ((index % row) ^ (index / row)) & 1u;
    const uint8_t *way = ways[later ? 2 : swapped ? 1 : 0];
    for (int i = 0; i < 6; i++)
        pieces[i] = element[way[i]];
}

static const PiecesRule rule = {
    .whole = DV_QUADS, .piece = DV_TRIANGLES, .pieces = 2, .piece_name = "triangles", .cut = cut};

static DvStatus init(DvObject *object, void *self)
{
    PiecesMapping *mapping = self;
    mapping->rule = &rule;
    const DvStatus status = pieces_mapping_start(mapping);
    if (status == DV_OK && !topological_mapping_has_modifier(&mapping->base))
        return dv_error(object, DV_ERROR_MISSING, "the node of the output '%s' needs a TriangleSetTopologyModifier",
                        dv_object_path(mapping->base.to->object));
    return status;
}

static const DvField fields[] = {
    TOPOLOGICAL_MAPPING_FIELDS(PiecesMapping, base.),
    DV_FIELD(PiecesMapping, swapping, "swapping", dv_type_bool, .init = "1", .flags = DV_FIELD_AT_LOAD,
             .help = "cut neighbours in a grid along different diagonals"),
    {0},
};

const DvClass dv_quad2triangle_topological_mapping = {
    .size = sizeof(DvClass),
    .name = "Quad2TriangleTopologicalMapping",
    TOPOLOGICAL_MAPPING_CLASS,
    TOPOLOGICAL_MAPPING_CONTRACT,
    .help = "Cuts quads into two triangles each.",
    .instance_size = sizeof(PiecesMapping),
    .fields = fields,
    .init = init,
};
